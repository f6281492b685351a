"""The results of the operations: plain values, which the command line and the tools put into words.

They are named tuples, because a dataclass takes six times as long to be made when a process begins.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..credit import Credit, Kind
from ..memory.model import Memory


class Hit(NamedTuple):
    """A memory that a search found, with the numbers that placed it."""

    id: str
    name: str
    type: str
    snippet: str
    credit: float  # the score it has earned with questions like this one
    relevance: float
    combined: float
    parts: Mapping[str, float]  # the part of each rule in its content score
    layer: str = ""  # '' for the home that is served first
    contradicted_by: str = ""  # the id of a hit in a nearer layer


class Ranked(NamedTuple):
    """The answer to a search: the best hits, the number of memories that match, and the kind of the question."""

    hits: list[Hit]
    total: int
    kind: Kind


class Stored(NamedTuple):
    """A memory that was stored, with near-duplicates (id, similarity) and contradictions (id, description)."""

    memory: Memory
    similar: Sequence[tuple[str, float]] = ()
    contradictions: Sequence[tuple[str, str]] = ()
    layer: str = ""


class Retrieved(NamedTuple):
    """A memory that was read, with its credit."""

    memory: Memory
    credit: Credit
    layer: str = ""


class Updated(NamedTuple):
    """A memory whose text was replaced, with the date of the former text and contradictions (id, description).

    `changed` is false where it said just that already: then nothing was written.
    """

    id: str
    previous_updated: str
    contradictions: Sequence[tuple[str, str]] = ()
    changed: bool = True


class Resolved(NamedTuple):
    """A contradiction that was resolved, and what became of the memory whose claim was not kept.

    `became` is changed, former (its former sentence is back), archived or unchanged; `back` is the command that brings
    its text back, or ''.
    """

    number: int
    resolution: str
    loser: str = ""
    became: str = "unchanged"
    back: str = ""


class Put(NamedTuple):
    """A memory that was archived, restored or moved, with the path of its file now."""

    id: str
    path: str


class Purged(NamedTuple):
    """A memory that was deleted for good, with the names of earlier texts that stay, as they may be of another one.

    The numbers are of its earlier texts that went with it, and of the calls and the messages that it was taken out of.
    """

    id: str
    path: str
    unsure: tuple[str, ...] = ()
    texts: int = 0
    calls: int = 0
    messages: int = 0


class Move(NamedTuple):
    """The change of one memory's score."""

    id: str
    old_score: float
    new_score: float


class Feedback(NamedTuple):
    """A signal, the number of memories in the turns it scored, and the scores that changed."""

    signal: str
    memories: int
    updated: Sequence[Move]


class ReportRow(NamedTuple):
    """A memory in a report."""

    id: str
    name: str
    score: float
    access_count: int


class Report(NamedTuple):
    """The report on the scores of a store."""

    total_memories: int
    avg_score: float
    top: Sequence[ReportRow]
    bottom: Sequence[ReportRow]
    prune_candidates: int
    last_consolidation: str | None
    last_pruning: str | None


class CheckFinding(NamedTuple):
    """One finding of `check`: a fault is something broken and makes it end with status 3, a note does not."""

    where: str
    what: str
    fault: bool = True


class Run(NamedTuple):
    """A compaction that ran (or, with dry_run, would run)."""

    id: str = ""
    merged: int = 0
    promoted: int = 0
    archived: int = 0
    details: Sequence[str] = ()
    reasons: Sequence[str] = ()
    skipped: Sequence[str] = ()
    notes: Sequence[str] = ()
