"""The rows that storage hands over for a question, so plain that a test can write them by hand."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .bm25 import Statistics, Wanted

_NOT_MET = 1 << 62


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of a question, and words like them, that a store holds."""

    statistics: Statistics
    near: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # unknown word -> known word -> mistakes

    def __add__(self, other: "Lexicon") -> "Lexicon":
        """Return the lexicon of both stores together."""
        near = {word: {**self.near.get(word, {}), **other.near.get(word, {})} for word in {*self.near, *other.near}}
        return Lexicon(self.statistics + other.statistics, near)


@dataclass(frozen=True, slots=True)
class Document:
    """A memory that may match, with what ranking needs of it."""

    id: str
    created: str = ""
    updated: str = ""
    row: int = 0  # its number in the index
    literal: float = 0.0  # the level at which the whole query stands in it
    cosine: float = 0.0  # how alike its meaning is to the question's
    length: int = 0  # words
    counts: Mapping[str, int] = field(default_factory=dict)  # how often it holds each word that was looked for
    tags: frozenset[str] = frozenset()
    filed: frozenset[str] = frozenset()  # the words of its tags
    called: frozenset[str] = frozenset()  # the words it may be called by: its tags' and, of an entity, its name's
    says_when: int = 0  # in how many ways its text does: by a date, by words like "yesterday"


@dataclass(frozen=True, slots=True)
class Evidence:
    """The knowledge that stores have for a question."""

    statistics: Statistics
    wanted: Wanted
    documents: Mapping[str, Document]  # the strongest by words first
    total: int  # matches, ranked or not
    neighbours: Mapping[str, Sequence[str]] = field(default_factory=dict)  # stored just before and after, per memory
    order: Mapping[str, int] = field(default_factory=dict)  # of storing, as far as the ledger has met a memory

    def lateness(self, id: str) -> tuple[str, int]:
        """Return a key that is higher for the later updated of two documents and, of one date, for the later stored."""
        return self.documents[id].updated, self.stored(id)

    def stored(self, id: str) -> int:
        """Return a document's place in the order of storing; one that the ledger has not met comes after all others."""
        return self.order.get(id, _NOT_MET + self.documents[id].row)

    def __add__(self, other: "Evidence") -> "Evidence":
        """Return the evidence of both stores together, gathered for the same wanted words."""
        return Evidence(
            statistics=self.statistics + other.statistics,
            wanted=self.wanted,
            documents={**self.documents, **other.documents},
            total=self.total + other.total,
            neighbours={**self.neighbours, **other.neighbours},
            order={**self.order, **other.order},
        )
