"""The one place that knows how a rule of the search is left out.

Nothing else in this package knows a rule, so that a rule that comes or goes changes this file alone.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from bench.collections import Document
from bench.product import Search, searching
from clawbrain import Brain
from clawbrain.search import like_words, weights

Without = Callable[[str, Brain, Sequence[Document]], Search]

# Of each rule: where something stands, its name, and the value with which the rule gives nothing
_OFF: dict[str, list[tuple[Any, str, Any]]] = {
    "like words": [
        (like_words.Families, "of", lambda families, term: ()),
        (like_words, "misspelt", lambda terms: []),
    ],
    "called": [(weights, "CALLED", 0.0)],
    "beside": [(weights, "BESIDE", 0.0)],
    "when": [(weights, "WHEN", 0.0)],
    "newer version": [(weights, "VERSION_SCORE", math.inf)],
}
RULES: tuple[str, ...] = tuple(_OFF)


def searching_without(rule: str, brain: Brain, documents: Sequence[Document]) -> Search:
    """Return a search without one of the rules, which answers with ids of the documents."""
    search = searching(brain, documents)

    def without(question: str) -> list[str]:
        with ExitStack() as stack:
            for place, name, off in _OFF[rule]:
                stack.enter_context(_replaced(place, name, off))
            return search(question)

    return without


@contextmanager
def _replaced(place: Any, name: str, value: Any) -> Iterator[None]:
    before = getattr(place, name)
    setattr(place, name, value)
    try:
        yield
    finally:
        setattr(place, name, before)
