"""Figures of a search: how much of the right it finds, how far up, and how long it takes."""

import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from bench.collections import Question, Store
from bench.product import Search

MEASURES = ("recall@5", "recall@10", "MRR", "p50 ms")
ROUNDS = 1_000
WARM_UP = 10


@dataclass(frozen=True)
class Row:
    """One question: the figures, and the ids found."""

    recall_5: float
    recall_10: float
    reciprocal: float
    milliseconds: float
    found: tuple[str, ...]


Figures = dict[str, float]


def asked(search: Search, questions: Sequence[Question]) -> list[Row]:
    """Ask all questions, after a few that only warm up, and return a row for each."""
    for question in questions[:WARM_UP]:
        search(question.text)
    rows = []
    for question in questions:
        begun = time.perf_counter()
        found = search(question.text)
        rows.append(scored(found, question.relevant, (time.perf_counter() - begun) * 1_000))
    return rows


def scored(found: Sequence[str], relevant: frozenset[str], milliseconds: float = 0.0) -> Row:
    """Return the row of an answer.

    Recall is the share of the relevant documents that stand among the first 5 or 10; the reciprocal is one over the
    place of the first of them, 0 where none is found.
    """
    first = next((1 / place for place, id in enumerate(found, 1) if id in relevant), 0.0)
    five, ten = (len(relevant.intersection(found[:most])) / len(relevant) for most in (5, 10))
    return Row(five, ten, first, milliseconds, tuple(found))


def summary(rows: Sequence[Row]) -> Figures:
    """Return the means over the questions; of the time, the median."""
    return {
        "recall@5": fmean(row.recall_5 for row in rows),
        "recall@10": fmean(row.recall_10 for row in rows),
        "MRR": fmean(row.reciprocal for row in rows),
        "p50 ms": median(row.milliseconds for row in rows),
    }


def mean(summaries: Sequence[Figures]) -> Figures:
    """Return the means over collections. Each counts alike, however many questions it has."""
    return {measure: fmean(each[measure] for each in summaries) for measure in MEASURES}


def newer_first(store: Store, rows: Sequence[Row]) -> list[bool]:
    """Return, for each question about a decision that was made anew, whether the newer version comes first.

    A version that is not found comes after all that are; where neither is found, the newer does not come first.
    """
    answers = []
    for question, row in zip(store.questions, rows, strict=True):
        place = {id: place for place, id in enumerate(row.found)}
        pairs = [(newer, older) for newer, older in store.newer if newer in question.relevant]
        answers += [place.get(newer, len(place)) < place.get(older, len(place)) for newer, older in pairs]
    return answers


def interval(differences: Sequence[Sequence[float]], rounds: int = ROUNDS) -> tuple[float, float, float]:
    """Return the mean difference of two searches, and between which bounds it lies in 95 of 100 cases.

    This is the paired bootstrap. In each round the questions of every collection are drawn anew, with repetition, and
    the means of the collections are averaged.

    Args:
        differences: for each collection, one search's figure minus the other's, question by question.
        rounds: how often the questions are drawn.

    Returns:
        The mean over the collections, the lower bound and the upper bound.
    """
    dice = random.Random(1)
    means = sorted(
        fmean(sum(dice.choices(each, k=len(each))) / len(each) for each in differences) for _ in range(rounds)
    )
    return fmean(map(fmean, differences)), means[int(rounds * 0.025)], means[int(rounds * 0.975)]


def rounded(value: object) -> object:
    """Return figures as they are written to a file: four decimals are more than they can tell."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, Mapping):
        return {key: rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return value


def say(text: str) -> None:
    """Print progress to the standard error, so that tables can be sent to a file."""
    print(text, file=sys.stderr, flush=True)
