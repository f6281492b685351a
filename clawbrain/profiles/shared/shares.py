"""The similarity that profiles answer for what a search by words found: how much of the query a memory holds."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...memory.model import Memory
from ...words import dates_named

if TYPE_CHECKING:
    from ...brain import Brain
    from ...brain.results import Ranked

_WITHOUT_WORDS = ("meaning", "when")  # rules of the search by which a memory matches without a word of the query


def holding(brain: "Brain", query: str, ranked: "Ranked", text: Callable[[Memory], str]) -> list[tuple[Memory, float]]:
    """Return what a search found with how much of the query each memory holds, from 0 to 1, in the order of the search.

    `text` returns what counts of a memory. One that holds nothing is left out, unless its date or its meaning answers.
    """
    on_a_day = bool(dates_named(query)[0])
    otherwise = {hit.id for hit in ranked.hits if any(rule in hit.parts for rule in _WITHOUT_WORDS)}
    memories = [memory for hit in ranked.hits if (memory := brain.known(hit.id))]
    texts = [f"{text(memory)}\n{memory.created[:10]}" if on_a_day else text(memory) for memory in memories]
    shares = zip(memories, brain.shares(query, texts), strict=True)
    return [(memory, round(share, 4)) for memory, share in shares if share or memory.id in otherwise]
