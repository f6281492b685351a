"""Search as Penfield does: by words, by meaning, and by the links that lead to memories from what was found.

Each of the three gives a memory a share between 0 and 1, and a way of finding weighs them. Their weighted sum is the
relevance; the order adds the credit, as every search of the store does. Where nothing is known of meaning, how much of
the question a text holds stands in for it, and how often and how densely it does so counts for the words alone. What a
match by tags or by content is worth is copied from search/weights.py.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...brain.results import Hit
from ...memory.model import Memory
from ..shared.links import Links

if TYPE_CHECKING:
    from ...brain import Brain

LEAST = 0.05  # relevance
_FURTHER = 15  # best matches by words that are weighed, where fewer are asked for
_LENDING = 10  # best of these whose links are followed
_CREDIT = 0.6  # the part of the order that is credit, as in every search
_UNKNOWN = 0.5  # credit of a memory that the ledger does not know yet
_TAGS, _CONTENT = 0.8, 0.5  # what a match by tags and by content is worth beside a literal one, as in every search
_NO_RULES = ("literal", "tags", "words", "meaning")


class Weights(NamedTuple):
    """The weights of words, meaning and links in a way of finding."""

    words: float
    meaning: float
    links: float


RECALL = Weights(words=0.4, meaning=0.4, links=0.2)
SEARCH = Weights(words=0.3, meaning=0.6, links=0.1)


class LinkedSearch:
    """Finds the memories of a brain in Penfield's ways."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.links = Links(brain)

    def found(
        self, query: str, weights: Weights, limit: int, only: Callable[[Memory], bool]
    ) -> list[tuple[Memory, float]]:
        """Return the memories that fit and that a query finds, each with its relevance, best first; note them as
        shown."""
        most = max(limit, _FURTHER)
        ranked = self.brain.search(query, limit=most, only=only, most=most, noted=False)
        relevance = self._relevance(query, ranked.hits, weights)
        known = {id: memory for id in relevance if (memory := self.brain.known(id)) and only(memory)}
        credits = self.brain.credits(list(known))

        def order(id: str) -> float:
            earned = hits[id].credit if id in hits else credits[id].score if id in credits else _UNKNOWN
            return (1 - _CREDIT) * relevance[id] + _CREDIT * earned

        hits = {hit.id: hit for hit in ranked.hits}
        best = sorted((id for id in known if relevance[id] >= LEAST), key=order, reverse=True)[:limit]
        self.brain.shown(best, ranked.kind)
        return [(known[id], relevance[id]) for id in best]

    def _relevance(self, query: str, hits: Collection[Hit], weights: Weights) -> dict[str, float]:
        """Return the relevance of the hits and of what is linked to the best of them, in the order of the hits."""
        held = _shares({hit.id: hit.parts.get("words", 0.0) for hit in hits})
        meaning = _shares({hit.id: hit.parts.get("meaning", 0.0) for hit in hits})
        if not any(meaning.values()):
            meaning = self._parts_held(query, [hit.id for hit in hits])
        words = _by_words(hits, held)
        own = {id: weights.words * words[id] + weights.meaning * meaning[id] for id in words}
        own = {id: max(LEAST, share) if words[id] else share for id, share in own.items()}  # words that match count
        linked = self._linked({id: share / (weights.words + weights.meaning) for id, share in own.items()})
        return {
            id: round(own.get(id, 0.0) + weights.links * linked.get(id, 0.0), 4)
            for id in dict.fromkeys([*own, *linked])
        }

    def _parts_held(self, query: str, ids: Sequence[str]) -> dict[str, float]:
        """Return how much of the question each memory holds, however often and in however long a text. It is squared,
        because half of a question's words are less than half of its meaning."""
        memories = [memory for id in ids if (memory := self.brain.known(id))]
        texts = ["\n".join([memory.name.replace("-", " "), memory.content, *memory.tags]) for memory in memories]
        parts = zip(memories, self.brain.shares(query, texts), strict=True)
        return {**dict.fromkeys(ids, 0.0), **_shares({memory.id: part * part for memory, part in parts})}

    def _linked(self, shares: Mapping[str, float]) -> dict[str, float]:
        """Return what the best matches lend to the memories at the other end of their links: half of their share, and
        with a strong link up to all of it."""
        lending = sorted(shares, key=lambda id: -shares[id])[:_LENDING]
        lent: dict[str, float] = {}
        for edge in self.links.with_texts() if lending else ():
            for near, far in ((edge.source, edge.target), (edge.target, edge.source)):
                if near in lending:
                    part = shares[near] * (1 + edge.link.strength) / 2
                    lent[far] = max(lent.get(far, 0.0), part)
        return lent


def _by_words(hits: Iterable[Hit], held: Mapping[str, float]) -> dict[str, float]:
    """Return how well each hit matches without its meaning: literally, by its tags, or by the words it holds together
    with what the rules of the search add to them."""
    rules = {hit.id: sum(part for name, part in hit.parts.items() if name not in _NO_RULES) for hit in hits}
    content = _shares({id: max(0.0, held[id] + added) for id, added in rules.items()})
    return {
        hit.id: hit.parts.get("literal") or max(_TAGS * hit.parts.get("tags", 0.0), _CONTENT * content[hit.id])
        for hit in hits
    }


def _shares(numbers: Mapping[str, float]) -> dict[str, float]:
    """Return numbers as shares of the highest of them, which is 1 at most."""
    best = max(numbers.values(), default=0.0) or 1.0
    return {id: number / best for id, number in numbers.items()}
