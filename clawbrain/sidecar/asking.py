"""A query met with what the index holds: who matches, how well by words, and what relevance/ should know of each."""

import json
from collections.abc import Collection, Mapping
from heapq import nlargest
from typing import NamedTuple

from ..relevance import weights as weigh
from ..relevance.found import Candidate, Corpus, slowness
from ..relevance.query import Query
from ..semantic import NOTHING

EXPANDED = 50  # the best so many that share no word with the query but a like one are matches too


class Places(NamedTuple):
    """Where a term stands: how often in which row, and in whose tags."""

    frequencies: Mapping[int, float]
    in_tags: Collection[int]


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
        self.likeness = NOTHING
        called = {term for term in query.names if term in places and places[term].in_tags}
        self.called = called if len(called) < len(self.own_terms) else set()
        self.weights = {term: weight for term, weight in weights.items() if term not in self.called}
        self.own_rows = set().union(*(places.frequencies for term, places in places.items() if term not in alike))
        self._scores = self._as_if_of_one_length()
        self.strays = self._only_alike(alike)

    def _as_if_of_one_length(self) -> dict[int, float]:
        scores: dict[int, float] = {}
        so_far, slow = scores.get, slowness(1, 1)
        for term, places in self._places.items():
            weight = self.weights.get(term, 0.0)
            worth = {f: weight * f / (f + slow) for f in set(places.frequencies.values())}
            for row, frequency in places.frequencies.items():
                scores[row] = so_far(row, 0.0) + worth[frequency]
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

    def matches(self, row: int) -> bool:
        return row in self._scores or any(row in self._places[term].frequencies for term in self.called)

    def best(self, most: int) -> list[int]:
        return [row for _, row in nlargest(most, zip(self._scores.values(), self._scores, strict=True))]

    def candidate(
        self,
        row: int,
        id: str,
        literal: float,
        updated: str,
        length: int,
        gist: str = "",
        asking: int = 0,
        tags: str = "[]",
    ) -> Candidate:
        score, covered, tagged, called, held = 0.0, 0.0, 0.0, 0, []
        slow = slowness(length, self._corpus.average_length)
        for term, places in self._places.items():
            frequency = places.frequencies.get(row)
            if frequency is None:
                continue
            weight = self.weights.get(term)
            if weight is not None:
                held.append(term)
                covered += weight
                score += weight * frequency / (frequency + slow)
            if row in places.in_tags and term not in self._alike:
                tagged += self._all_weights[term]
                called += term in self.called
        return Candidate(
            id,
            updated,
            row >> 1,
            literal,
            tagged=min(1.0, tagged / self.whole),
            words=score * (weigh.K1 + 1),
            called=called / len(self.called) if self.called else 0.0,
            held=frozenset(held),
            covered=covered,
            length=length,
            gist=gist,
            asking=bool(asking),
            tags=frozenset(json.loads(str(tags))),
            alike=self.likeness.of(row),
        )
