"""A query met with what the index holds: who matches, how well by words, and what relevance/ should know of each."""

from collections.abc import Collection, Mapping, Set
from functools import cached_property
from heapq import nlargest
from typing import NamedTuple

from ..relevance import weights as weigh
from ..relevance.found import Candidate, Corpus, not_met, slowness
from ..relevance.query import Query
from ..semantic import NOTHING
from .tables import Details

EXPANDED = 50  # the best so many that share no word with the query but a like one are matches too


class Places(NamedTuple):
    """Where a term stands: in which rows how often, and in whose tags."""

    by_frequency: Mapping[float, Set[int]]  # a search looks at hundreds of rows, in which most terms stand once
    in_tags: Set[int]

    @property
    def number(self) -> int:
        return sum(map(len, self.by_frequency.values()))

    @property
    def mostly_in_tags(self) -> bool:
        return 2 * len(self.in_tags) > self.number


class Asked:
    def __init__(
        self,
        query: Query,
        corpus: Corpus,
        weights: Mapping[str, float],
        places: Mapping[str, Places],
        alike: Collection[str],
        whole: float,
    ) -> None:
        self.own_terms = [term for term in weights if term not in alike]
        self.passed_over = [term for term in self.own_terms if term not in places]
        self.whole = whole
        self._corpus, self._places, self._all_weights = corpus, places, weights
        self._alike = alike
        self.likeness, self.nearest = NOTHING, list[int]()
        called = {term for term in query.names if term in places and places[term].mostly_in_tags}
        self.called = called if len(called) < len(self.own_terms) else set()
        self.weights = {term: weight for term, weight in weights.items() if term not in self.called}
        own = [rows for term in places if term not in alike for rows in places[term].by_frequency.values()]
        self.own_rows: set[int] = set().union(*own)
        self._scores = self._as_if_of_one_length()
        self.strays = self._only_alike(alike)

    def _as_if_of_one_length(self) -> dict[int, float]:
        scores: dict[int, float] = {}
        so_far, slow = scores.get, slowness(1, 1)
        for term, places in self._places.items():
            for frequency, rows in places.by_frequency.items():
                worth = self.weights.get(term, 0.0) * frequency / (frequency + slow)
                for row in rows:
                    scores[row] = so_far(row, 0.0) + worth
        return scores

    def _only_alike(self, alike: Collection[str]) -> set[int]:
        """The best of those that hold a word like the query's but none of its own; the others are no matches."""
        own = self.own_rows
        if len(own) == len(self._scores):
            return set()
        strays = self._scores.keys() - own
        best = {row for _, row in nlargest(EXPANDED, ((self._scores[row], row) for row in strays))}
        for row in strays - best:
            del self._scores[row]
        return best

    @cached_property
    def ranked(self) -> list[int]:
        """All that match: by words, the best first and of equals the later stored; then by meaning alone."""
        by_words = sorted(self._scores, key=lambda row: (-self._scores[row], -row))
        return by_words + [row for row in self.nearest if row not in self._scores]

    def matches(self, row: int) -> bool:
        return row in self._scores

    def best(self, most: int) -> set[int]:
        """The rows with the highest scores; of equals the later stored."""
        if len(self._scores) <= most:
            return {*self._scores}
        least = sorted(self._scores.values(), reverse=True)[most - 1]
        found = {row for row, score in self._scores.items() if score >= least}
        equal = sorted(row for row in found if self._scores[row] == least)
        return found.difference(equal[: len(found) - most])

    def candidates(self, details: Mapping[int, Details], literal: Mapping[int, float]) -> dict[str, Candidate]:
        stands, alike = literal.get, self.likeness.among(details)
        found = {
            row: Candidate(
                id, updated, not_met(row), stands(row, 0.0), alike.get(row, 0.0), length, gist, asking, told, tags, made
            )
            for row, (id, updated, length, gist, asking, told, tags, made) in details.items()
        }
        average, rows_asked = self._corpus.average_length, {*details}
        slow = {row: slowness(each.length, average) for row, each in details.items()}
        for term, places in self._places.items():
            if (weight := self.weights.get(term)) is not None:
                for frequency, rows in places.by_frequency.items():
                    for row in rows & rows_asked:
                        candidate = found[row]
                        candidate.held.add(term)
                        candidate.covered += weight
                        candidate.words += weight * (weigh.K1 + 1) * frequency / (frequency + slow[row])
            if term not in self._alike:
                for row in places.in_tags & rows_asked:
                    candidate = found[row]
                    candidate.tagged = min(1.0, candidate.tagged + self._all_weights[term] / self.whole)
                    candidate.called += (term in self.called) / (len(self.called) or 1)
        return {each.id: each for each in found.values()}
