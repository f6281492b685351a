"""The order of a search's answers: words first, then the rules, then credit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..credit import Earned, Kind, for_question, kind_of
from . import rules, weights
from .bm25 import Weighing
from .evidence import Evidence
from .question import Question
from .rules import Standing

Parts = dict[str, dict[str, float]]  # rule -> id -> what it gave


@dataclass(frozen=True, slots=True)
class Match:
    """A memory that answers a question, with the numbers that placed it."""

    id: str
    relevance: float
    credit: float
    combined: float
    score: float  # content score
    parts: Mapping[str, float]  # what each rule gave


class Ranking(NamedTuple):
    matches: list[Match]
    total: int
    kind: Kind


def rank(question: Question, evidence: Evidence, credit: Mapping[str, Earned], limit: int) -> Ranking:
    """Return the best matches of a question in their order, how many there are, and the kind of the question.

    `credit` holds what each memory has earned; one that is left out counts as new.
    """
    parts, placed = content_scores(question, evidence)
    kind = _kind(placed, evidence)
    earned = {each.document.id: for_question(credit.get(each.document.id, Earned()), kind) for each in placed}
    rules.newer_versions(question, evidence, placed, earned)
    kind = _kind(placed, evidence)
    competitors = _competitors(placed, evidence, limit)
    matches = [_match(each, parts, for_question(credit.get(each.document.id, Earned()), kind)) for each in competitors]
    matches.sort(key=lambda match: match.id)
    matches.sort(key=lambda match: (match.combined, match.score, *evidence.lateness(match.id)), reverse=True)
    return Ranking(matches[:limit], evidence.total, kind)


def listed(id: str, credit: Mapping[str, Earned]) -> Match:
    """Return a memory as the answer to no question: it is listed, not ranked."""
    earned = for_question(credit.get(id, Earned()), ())
    return Match(id, 0.0, earned, round(weights.CREDIT_SHARE * earned, 4), 0.0, {})


def content_scores(question: Question, evidence: Evidence) -> tuple[Parts, list[Standing]]:
    """Return what each rule gives to each document, and the documents with their scores, without rule 6."""
    weighing = Weighing(question.terms, evidence.wanted, evidence.statistics)
    words, meaning = _words_and_meaning(weighing, evidence)
    shares = {id: words.get(id, 0.0) + meaning.get(id, 0.0) for id in evidence.documents}
    parts = {
        "words": words,
        "meaning": meaning,
        "called": rules.called(question, evidence),
        "beside": rules.beside(shares, evidence),
        "when": rules.when(question, evidence),
    }
    scores = {id: sum(part.get(id, 0.0) for part in parts.values()) for id in evidence.documents}
    best = max(scores.values(), default=0.0) or 1.0
    placed = []
    for id, document in evidence.documents.items():
        by_tags = weights.GRADED_BY_TAGS * weighing.share(document.filed)
        relevance = document.literal or max(by_tags, weights.GRADED_BY_CONTENT * scores[id] / best)
        placed.append(Standing(document, scores[id], relevance, weighing.held(document.counts)))
    return parts, placed


def _words_and_meaning(weighing: Weighing, evidence: Evidence) -> tuple[dict[str, float], dict[str, float]]:
    """Return each document's share of the best by words and, where meaning is known, by meaning."""
    by_words = {
        id: weighing.score(frequencies, document.length)
        for id, document in evidence.documents.items()
        if (frequencies := weighing.frequencies(document.counts))
    }
    best = max(by_words.values(), default=0.0) or 1.0
    cosines = {id: document.cosine for id, document in evidence.documents.items()}
    nearest = max(cosines.values(), default=0.0)
    if nearest < weights.ALIKE:
        return {id: score / best for id, score in by_words.items()}, {}
    words = {id: (1 - weights.MEANING) * score / best for id, score in by_words.items()}
    reach = nearest - weights.UNLIKE
    return words, {id: weights.MEANING * max(0.0, each - weights.UNLIKE) / reach for id, each in cosines.items()}


def _by_relevance(placed: Iterable[Standing], evidence: Evidence) -> list[Standing]:
    """Return documents in the order of relevance; of equals by content score, then the later, then by id."""
    ranked = sorted(placed, key=lambda each: each.document.id)
    ranked.sort(key=lambda each: (each.relevance, each.score, *evidence.lateness(each.document.id)), reverse=True)
    return ranked


def _kind(placed: Sequence[Standing], evidence: Evidence) -> Kind:
    best = _by_relevance(placed, evidence)[:4]
    return kind_of([(each.document.id, each.relevance, each.score) for each in best])


def _competitors(placed: Sequence[Standing], evidence: Evidence, limit: int) -> list[Standing]:
    """Return all literal matches, and of the others the best by relevance: credit decides among these alone."""
    literal = [each for each in placed if each.document.literal]
    others = [each for each in placed if not each.document.literal]
    return literal + _by_relevance(others, evidence)[: max(4 * limit, 20)]


def _match(each: Standing, parts: Parts, credit: float) -> Match:
    """Return a document as it is answered: the sum holds on rounded numbers, which alone may decide the order."""
    given = {name: part[each.document.id] for name, part in parts.items() if part.get(each.document.id)}
    combined = weights.RELEVANCE_SHARE * each.relevance + weights.CREDIT_SHARE * credit
    return Match(each.document.id, each.relevance, credit, round(combined, 4), each.score, given)
