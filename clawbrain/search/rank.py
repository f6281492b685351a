"""The order of a search's answers: words and rules choose the candidates, credit decides among them.

The rules give each document a score, and relevance follows from it (`content_scores`, then rule 6). Of two candidates
the one with the higher combined number, .4 of relevance and .6 of credit, goes first; of equals a literal match, then
the higher score, the later updated, the later stored, and the lower id (`_decides`, and the order in which
`content_scores` returns them).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..credit import START as UNKNOWN
from ..credit import Earned, Kind, for_question, kind_of
from . import rules, weights
from .bm25 import Weighing
from .evidence import Document, Evidence
from .question import Question
from .rules import Candidate

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
    """The best matches in their order, the number of all, and the kind of the question."""

    matches: list[Match]
    total: int
    kind: Kind


def rank(question: Question, evidence: Evidence, credit: Mapping[str, Earned], limit: int) -> Ranking:
    """Return the best matches of a question in their order, how many there are, and the kind of the question.

    `credit` holds what each memory has earned; one that is left out counts as new.
    """
    weighing = Weighing(question.terms, evidence.wanted, evidence.statistics)
    parts, placed = content_scores(question, evidence, weighing)
    kind = _kind(placed)
    rules.newer_versions(question, evidence, weighing, placed, lambda id: _credit(credit, id, kind))
    kind = _kind(placed)
    competing = {each.document.id for each in _competitors(placed, limit)}
    found = [(each, _credit(credit, each.document.id, kind)) for each in placed if each.document.id in competing]
    found.sort(key=_decides, reverse=True)
    return Ranking([_match(each, parts, earned) for each, earned in found[:limit]], evidence.total, kind)


def _decides(pair: tuple[Candidate, float]) -> tuple[float, bool, float]:
    """Return the numbers that place a candidate with its credit; of equals a literal match goes first."""
    candidate, earned = pair
    return _combined(candidate.relevance, earned), candidate.document.literal > 0, candidate.score


def _credit(credit: Mapping[str, Earned], id: str, kind: Kind) -> float:
    return for_question(credit[id], kind) if id in credit else UNKNOWN


def listed(id: str, credit: Mapping[str, Earned]) -> Match:
    """Return a memory as a match without a question: it is listed, not ranked."""
    earned = _credit(credit, id, ())
    return Match(id, 0.0, earned, _combined(0.0, earned), 0.0, {})


def content_scores(question: Question, evidence: Evidence, weighing: Weighing) -> tuple[Parts, list[Candidate]]:
    """Return what each rule gives to each document, and the documents with their scores, without rule 6.

    The documents come in the order that decides between equals: the later updated first, then the later stored, then
    by id. Every sort after this one is stable.
    """
    counts = {id: _counts(question, document) for id, document in evidence.documents.items()}
    words, meaning = _words_and_meaning(weighing, evidence, counts)
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
    for id in sorted(sorted(evidence.documents), key=evidence.lateness, reverse=True):
        document = evidence.documents[id]
        tagged = weighing.share(document.filed) if document.filed else 0.0
        relevance = document.literal or max(
            weights.GRADED_BY_TAGS * tagged, weights.GRADED_BY_CONTENT * scores[id] / best
        )
        placed.append(Candidate(document, scores[id], relevance, tagged))
    return parts, placed


def _counts(question: Question, document: Document) -> Mapping[str, int]:
    """Return how often a document holds each word; one made on a day that the question names holds that date."""
    if question.dates and rules.made_then(question, document.created):
        return {**dict.fromkeys(question.dates, 1), **document.counts}
    return document.counts


def _words_and_meaning(
    weighing: Weighing, evidence: Evidence, counts: Mapping[str, Mapping[str, int]]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return each document's share of the best by words and, where meaning is known, by meaning."""
    by_words = {
        id: weighing.score(frequencies, document.length)
        for id, document in evidence.documents.items()
        if (frequencies := weighing.frequencies(counts[id]))
    }
    best = max(by_words.values(), default=0.0) or 1.0
    cosines = {id: document.cosine for id, document in evidence.documents.items()}
    nearest = max(cosines.values(), default=0.0)
    if nearest < weights.ALIKE:
        return {id: score / best for id, score in by_words.items()}, {}
    words = {id: (1 - weights.MEANING) * score / best for id, score in by_words.items()}
    reach = nearest - weights.UNLIKE
    return words, {id: weights.MEANING * max(0.0, each - weights.UNLIKE) / reach for id, each in cosines.items()}


def _by_relevance(placed: Iterable[Candidate]) -> list[Candidate]:
    return sorted(placed, key=lambda each: (each.relevance, each.score), reverse=True)


def _kind(placed: Sequence[Candidate]) -> Kind:
    return kind_of([(each.document.id, each.relevance, each.score) for each in _by_relevance(placed)[:4]])


def _competitors(placed: Sequence[Candidate], limit: int) -> list[Candidate]:
    """Return all literal matches, and of the others the best by relevance: credit decides among these alone."""
    literal = [each for each in placed if each.document.literal]
    others = [each for each in placed if not each.document.literal]
    return literal + _by_relevance(others)[: max(4 * limit, 20)]


def _match(each: Candidate, parts: Parts, credit: float) -> Match:
    """Return a candidate as a match. Only the numbers shown decide, so the published sum holds on them."""
    document = each.document
    given = {name: part[document.id] for name, part in parts.items() if document.id in part}
    newer = each.score - sum(given.values())
    shown = {"literal": document.literal, "tags": each.tagged, **given, "newer version": newer}
    return Match(
        id=document.id,
        relevance=each.relevance,
        credit=credit,
        combined=_combined(each.relevance, credit),
        score=each.score,
        parts={name: part for name, part in shown.items() if round(part, 4)},
    )


def _combined(relevance: float, credit: float) -> float:
    return round(weights.RELEVANCE_SHARE * round(relevance, 4) + weights.CREDIT_SHARE * round(credit, 4), 4)
