"""The one place that knows how a rule of the search is left out.

RULES names the rules that `Brain.search` can leave out; `searching_without` says how. Nothing else in this package
knows a rule, so that a rule that comes or goes changes this file alone.
"""

from collections.abc import Callable, Sequence

from bench.baselines import SHOWN
from bench.collections import Document
from bench.product import Search, originals
from clawbrain import Brain

Without = Callable[[str, Brain, Sequence[Document]], Search]

RULES: tuple[str, ...] = ()


def searching_without(rule: str, brain: Brain, documents: Sequence[Document]) -> Search:
    """Return a search without one of the rules, which answers with ids of the documents."""

    def search(question: str) -> list[str]:
        ranked = brain.search(question, limit=SHOWN, without=frozenset([rule]))  # type: ignore[call-arg]
        return originals(documents, [hit.name for hit in ranked.hits])

    return search
