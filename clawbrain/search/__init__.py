"""Search: rank matches from a question and the evidence that a store has for it.

Everything here is pure. A search takes these steps (`brain/searching.py`):

    question = read_question(text, today)
    lexicon = index.lexicon(question)                  # who holds the question's words, and words like them
    wanted = like_words.wanted(question, lexicon, families)  # the words to count, each with its weight
    evidence = index.evidence(question, wanted, ...)   # plain rows: documents, counts, statistics
    ranking = rank(question, evidence, credit, limit)  # ordered matches

`Lexicon` and `Evidence` of several stores can be added before the next step: the matches are then ranked as if one
store held them all. Read `rank.py` first; the numbers of the rules stand in `weights.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import bm25, evidence, like_words, question, weights

__all__ = ["bm25", "evidence", "like_words", "question", "weights"]


def __getattr__(name: str) -> Any:
    """Import a step when it is first used: the start of a session opens a store and searches for nothing."""
    if name in __all__:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
