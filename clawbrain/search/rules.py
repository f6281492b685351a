"""Rules 3 to 6: the worth of a memory beyond its words. Each rule is one function, and its docstring states it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

from ..words import terms
from . import weights
from .bm25 import Weighing
from .evidence import Document, Evidence
from .question import Question


@dataclass(slots=True)
class Candidate:
    """A document with the scores it has so far."""

    document: Document
    score: float  # content score
    relevance: float
    tagged: float  # the share of the question's weight that stands in its tags


def called(question: Question, evidence: Evidence) -> dict[str, float]:
    """Rule 3: a tag or an entity that the question names as a proper name adds CALLED."""
    documents = evidence.documents.values()
    names = question.names & frozenset().union(*(each.called for each in documents))
    if not names:
        return {}
    part = weights.CALLED / len(names)
    return {each.id: part * len(names & each.called) for each in documents if names & each.called}


def beside(shares: Mapping[str, float], evidence: Evidence) -> dict[str, float]:
    """Rule 4: a match lends BESIDE of its score to what was stored just before and just after it in its session."""
    lent: dict[str, float] = {}
    for id, neighbours in evidence.neighbours.items():
        for other in neighbours:
            if other in shares and id in shares:
                lent[other] = lent.get(other, 0.0) + weights.BESIDE * shares[id]
    return lent


def when(question: Question, evidence: Evidence) -> dict[str, float]:
    """Rule 5: to a question for a time a date adds WHEN, and so does "yesterday" or the like.

    To a question that names days WHEN is added to what was made then.
    """
    if question.days:
        return {each.id: weights.WHEN for each in evidence.documents.values() if made_then(question, each.created)}
    if question.asks_when:
        return {each.id: weights.WHEN * each.says_when for each in evidence.documents.values()}
    return {}


def made_then(question: Question, created: str) -> bool:
    """Tell whether a date is among the days that a question names."""
    if question.days is None:
        return False
    first, last = question.days
    return f"{first}" <= created[:10] <= f"{last}"


@cache  # not made before the first search: a stemmer takes time to import
def _of_change() -> frozenset[str]:
    said = "now longer instead had former formerly previous previously changed moved switched replaced superseded"
    return frozenset(terms(f"{said} reversed"))


def newer_versions(
    question: Question,
    evidence: Evidence,
    weighing: Weighing,
    placed: Sequence[Candidate],
    credit: Callable[[str], float],
) -> None:
    """Rule 6: of two of the best matches that are versions of one thing the later one goes first.

    Changes the scores of the later and the earlier one: the later is as relevant as the earlier, which stands just
    below it.
    """
    best = sorted(placed, key=lambda each: each.score, reverse=True)[: weights.VERSIONS]
    before = {each.document.id: each.score for each in best}
    pairs = sorted(_versions(best, evidence), key=lambda pair: _age(pair[1].document, evidence), reverse=True)
    for earlier, later in pairs:  # the latest first, so that of several versions each stands below all later ones
        old, new = earlier.document, later.document
        if before[new.id] < weights.VERSION_SCORE * before[old.id]:
            continue
        if credit(old.id) - credit(new.id) > weights.PROTECTED:
            continue
        if _alone_is_meant(question, weighing, old, new):
            continue
        later.relevance = max(later.relevance, earlier.relevance)
        later.score = max(later.score, earlier.score)
        earlier.score = min(earlier.score, later.score * (1 - 1e-6))


def _versions(best: Sequence[Candidate], evidence: Evidence) -> Iterator[tuple[Candidate, Candidate]]:
    """Yield the pairs that are filed alike and unlike most others: the earlier and the later made."""
    for pair in combinations(best, 2):
        earlier, later = sorted(pair, key=lambda each: _age(each.document, evidence))
        one, other = earlier.document.tags, later.document.tags
        shared = one & other
        if len(shared) < weights.SHARED_TAGS or len(shared) < weights.SHARED_PART * len(one | other):
            continue
        if sum(shared <= each.document.tags for each in best) <= weights.FILED_SO:
            yield earlier, later


def _age(document: Document, evidence: Evidence) -> tuple[str, int]:
    """Return a key that is higher for the later made of two documents."""
    return document.created, evidence.stored(document.id)


def _alone_is_meant(question: Question, weighing: Weighing, old: Document, new: Document) -> bool:
    """Tell whether the question is about the earlier of two versions alone."""
    held = weighing.held(new.counts)
    if held >= weighing.known:
        return False
    if old.literal > new.literal or question.words <= old.counts.keys():
        return True
    lost = weighing.held(old.counts) - held
    return _of_change().isdisjoint(new.counts) and not (question.named | old.called).isdisjoint(lost)
