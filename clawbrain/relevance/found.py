"""What the index found for a query: who may answer, and what is known of each."""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from sys import intern
from typing import NamedTuple

from ..memory import Memory
from ..words import STOP_WORDS
from . import weights
from .query import Query


class Gist(str):
    """A memory's first terms, with spaces between: taken apart when a search first needs it, and kept with it."""

    @cached_property
    def counts(self) -> Counter[str]:
        return Counter(map(intern, self.split()))  # most words are the same in many texts

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(map(intern, self.split()))

    @cached_property
    def subjects(self) -> frozenset[str]:
        """Without numbers and stop words, which say little about what a text is about."""
        return frozenset(word for word in self.words if word.isalpha() and word not in STOP_WORDS)


UNSAID = Gist()


@dataclass(slots=True)
class Candidate:
    id: str
    updated: str
    stored: int  # later stored, higher
    literal: float = 0.0
    alike: float = 0.0  # to the query in meaning: a cosine
    length: int = 0  # characters
    gist: Gist = UNSAID
    asking: bool = False
    told: int = 0  # in so many ways it says when
    tags: frozenset[str] = frozenset()
    made: str = ""  # when, as its file says
    tagged: float = 0.0  # share of the query's weight found in its tags
    words: float = 0.0  # BM25, of what is not a called tag
    called: float = 0.0  # share of the tags called by name that it has
    held: set[str] = field(default_factory=set)  # which words of the query, or their like, it holds
    covered: float = 0.0  # what these weigh

    def relevance(self, share_of_best: float) -> float:
        """A literal match stands where it stands; any other has its share of the best content score."""
        by_tags, by_content = weights.GRADED_BY_TAGS * self.tagged, weights.GRADED_BY_CONTENT * share_of_best
        return self.literal or (by_tags if by_tags > by_content else by_content)

    @property
    def age(self) -> tuple[str, int]:
        """Higher for the later one."""
        return self.made, self.stored


def not_met(row: int) -> int:
    """When a memory was stored that the ledger has not been told of: after all that it has."""
    return 1 << 62 | row


@dataclass(frozen=True, slots=True)
class Found:
    query: Query
    candidates: Mapping[str, Candidate]  # looked at closely
    total: int
    fetch: Callable[[Collection[str]], Mapping[str, Memory]]  # the memories of these ids, as far as they are served
    type: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)  # of the words of the query, and their like
    whole: float = 0.0  # what all words of the query weigh, those too that no memory holds
    telling: Callable[[Collection[str]], Mapping[str, float]] = lambda terms: dict.fromkeys(terms, 1.0)  # idf
    alone: float = math.inf  # what a word tells that stands in a single memory
    more: Callable[[Collection[str]], Mapping[str, Candidate]] = lambda ids: {}  # those of these ids that match too
    page: Callable[[int], Collection[str]] = lambda number: ()  # all that match, the best by words first; then nothing
    closely: Callable[[Collection[str]], Mapping[str, Candidate]] = lambda ids: {}  # these ids, looked at closely
    literally: Mapping[str, Candidate] = field(default_factory=dict)  # the other literal matches, which may be many

    @property
    def followed(self) -> float:
        """What the words weigh that are followed, those like the query's too."""
        return math.fsum(self.weights.values()) or 1.0

    @property
    def ids(self) -> Collection[str]:
        return self.candidates.keys() | self.literally.keys()

    def only(self, wanted: Callable[[Memory], bool]) -> "Found":
        """The same search among some memories: as many of them are looked at closely as there were of all."""

        def fetch(ids: Collection[str]) -> dict[str, Memory]:
            return {id: memory for id, memory in self.fetch(ids).items() if wanted(memory)}

        def fitting(candidates: Mapping[str, Candidate]) -> dict[str, Candidate]:
            known = fetch(candidates)
            return {id: candidate for id, candidate in candidates.items() if id in known}

        def more(ids: Collection[str]) -> dict[str, Candidate]:
            return dict(self.more(fetch(ids)))

        kept, literally = fitting(self.candidates), fitting(self.literally)
        pages = itertools.takewhile(bool, map(self.page, itertools.count()))
        while len(kept) < len(self.candidates) and (ids := next(pages, None)):
            kept |= self.closely(fetch({*ids}.difference(self.ids)))
        total = len(kept) + len(literally)
        return replace(self, candidates=kept, total=total, fetch=fetch, more=more, literally=literally)

    @property
    def seeds(self) -> list[str]:
        """The best matches by words and meaning: the ones whose neighbours are worth knowing."""
        worth = {id: said + meant for id, said, meant in zip(self.candidates, *words_and_meaning(self), strict=True)}
        return [id for id in sorted(worth, key=lambda id: (-worth[id], id))[: weights.SEEDS] if worth[id] > 0]


def words_and_meaning(found: Found) -> tuple[list[float], list[float]]:
    """What each is worth by its words and, where that is known, by its meaning: against the best ones."""
    candidates = found.candidates.values()
    best = max((c.words for c in candidates), default=0.0) or 1.0
    nearest = max((c.alike for c in candidates), default=0.0)
    if nearest < weights.ALIKE:
        return [c.words / best for c in candidates], [0.0] * len(candidates)
    part = _part_of_meaning(found)
    said = [(1 - part) * c.words / best for c in candidates]
    return said, [part * max(0.0, c.alike - weights.UNLIKE) / (nearest - weights.UNLIKE) for c in candidates]


def _part_of_meaning(found: Found) -> float:
    """The less of the question anybody holds in words, the more its meaning decides: the answer uses others."""
    most = max((c.covered for c in found.candidates.values()), default=0.0)
    told = (most / (found.whole or 1.0) - weights.HARDLY_TOLD) / (weights.WELL_TOLD - weights.HARDLY_TOLD)
    return weights.MEANING_ALONE - (weights.MEANING_ALONE - weights.MEANING) * min(1.0, max(0.0, told))


class Corpus(NamedTuple):
    size: int
    average_length: float

    def idf(self, holding: int) -> float:
        """Honest: a word in most memories still says a little, never nothing."""
        return math.log(1 + (self.size - holding + 0.5) / (holding + 0.5))


def saturated(frequency: float, length: float, average_length: float) -> float:
    """BM25's answer to repetition and length."""
    return frequency * (weights.K1 + 1) / (frequency + slowness(length, average_length))


def slowness(length: float, average_length: float) -> float:
    """How long repetition goes on to count: longer in a long text."""
    return weights.K1 * (1 - weights.B + weights.B * length / (average_length or 1))
