"""BM25 over the words of a memory's name, tags and content, with the textbook's numbers."""

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from . import weights

Wanted = Mapping[str, Mapping[str, float]]  # asked word -> the words that count for it, each with its weight


@dataclass(frozen=True, slots=True)
class Statistics:
    """The numbers of whole stores: how many memories, how many words, and how many memories hold each word."""

    size: int = 0
    words: int = 0
    holding: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: "Statistics") -> "Statistics":
        """Return the statistics of both stores together."""
        holding = dict(self.holding)
        for term, count in other.holding.items():
            holding[term] = holding.get(term, 0) + count
        return Statistics(self.size + other.size, self.words + other.words, holding)

    def idf(self, holding: int) -> float:
        """Return how much a word tells that so many memories hold: always more than 0, also where most hold it."""
        return math.log(1 + (self.size - holding + 0.5) / (holding + 0.5))

    @property
    def mean_length(self) -> float:
        return self.words / self.size if self.size and self.words else 1.0


class Weighing:
    """The weights of a question's words: how much each tells, and which words stand for it."""

    def __init__(self, asked: Mapping[str, int], wanted: Wanted, statistics: Statistics) -> None:
        self.told = {term: _told(term, wanted.get(term, {}), statistics) for term in asked}
        self.known = {term for term, words in wanted.items() if words}  # the asked words that some memory holds
        self._asked, self._whole = asked, sum(self.told.values()) or 1.0
        self._mean_length = statistics.mean_length
        self._stands_for: dict[str, list[tuple[str, float]]] = {}
        for term, words in wanted.items():
            for word, weight in words.items():
                self._stands_for.setdefault(word, []).append((term, weight))
        self._in_full = {
            word: [term for term, weight in terms if weight == 1.0] for word, terms in self._stands_for.items()
        }

    def frequencies(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Return how often a text holds each word of the question: like words count in part."""
        found: dict[str, float] = {}
        for word, stands_for in self._stands_for.items():
            if count := counts.get(word):
                for term, weight in stands_for:
                    found[term] = found.get(term, 0.0) + weight * count
        return found

    def held(self, words: Container[str]) -> set[str]:
        """Return the asked words that stand among some words, themselves or by a word that counts for them in full."""
        return {term for word, terms in self._in_full.items() if word in words for term in terms}

    def share(self, words: Container[str]) -> float:
        """Return the share of the question's weight that stands among some words."""
        return math.fsum(self.told[term] for term in self.held(words)) / self._whole

    def score(self, frequencies: Mapping[str, float], length: int) -> float:
        """Return the BM25 score of a text of so many words."""
        # repetition counts less and less, and less in a long text
        slowness = weights.K1 * (1 - weights.B + weights.B * length / self._mean_length)
        return math.fsum(
            self._asked[term] * self.told[term] * (frequency * (weights.K1 + 1) / (frequency + slowness))
            for term, frequency in frequencies.items()
        )


def _told(term: str, words: Mapping[str, float], statistics: Statistics) -> float:
    """Return how much an asked word tells; one that nobody holds tells as much as the words in its place."""
    carriers = [term] if term in words else words
    holding = sum(statistics.holding.get(word, 0) for word in carriers)
    return statistics.idf(min(holding, statistics.size))
