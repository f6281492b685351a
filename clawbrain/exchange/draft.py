"""What every foreign format is read into: drafts of memories, and a note of everything that was not understood.

A draft speaks its own world's names. Where it came from is its identity: the same origin is never taken in twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple


class Tie(NamedTuple):
    """A link in the words of its source: the target is a name there, and becomes an id here."""

    relation: str
    target: str
    strength: float = 0.5
    start: str = ""
    until: str = ""
    made: str = ""


@dataclass(slots=True)
class Draft:
    origin: str  # 'official:Alice', 'obsidian:vault/Projects/Web.md'
    name: str
    content: str
    category: str = "notes"
    type: str = "entity"
    tags: Sequence[str] = ()
    created: str = ""
    updated: str = ""
    pinned: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)  # header keys in our own words
    foreign: Mapping[str, Any] = field(default_factory=dict)  # whatever else stood in a header or a row
    ties: Sequence[Tie] = ()
    known_as: Sequence[str] = ()  # the names by which others of the same source speak of it
    id: str = ""  # only where the source is a clawbrain, too
    where: str = ""


class Gap(NamedTuple):
    """One thing that was not understood, or was left behind."""

    where: str
    what: str


class Gaps(list[Gap]):
    def __call__(self, where: str, what: str) -> None:
        self.append(Gap(where, what))
