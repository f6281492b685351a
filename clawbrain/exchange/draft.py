"""Drafts: the form every foreign format is read into, and the list of everything that was not understood.

A draft uses the names of its source. Its origin identifies it: the same origin is never imported twice.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..credit import Credit


class Tie(NamedTuple):
    """A link as its source names it: the target is a name there, and becomes an id here."""

    relation: str
    target: str
    strength: float = 0.5
    start: str = ""
    until: str = ""
    made: str = ""


@dataclass(slots=True)
class Draft:
    """A memory as it was read from a foreign source, before it has a place here."""

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
    foreign: Mapping[str, Any] = field(default_factory=dict)  # all other keys of the header or the row
    ties: Sequence[Tie] = ()
    known_as: Sequence[str] = ()  # the names that links in the same source use for it
    id: str = ""  # only if the source is a clawbrain too
    called: str = ""  # the id by which another program knows it
    where: str = ""
    folder: str | None = None  # below the source, where the relative links of a note begin
    credit: Credit | None = None  # only if the source is a clawbrain too


class Gap(NamedTuple):
    """A part of the source that was not understood or was left out."""

    where: str
    what: str


class Gaps(list[Gap]):
    """The gaps of an import; calling it adds one."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: set[str] = set()  # the files whose text is taken in, without links
        self._named: list[tuple[str, Gap]] = []

    def __call__(self, where: str, what: str) -> None:
        self.append(Gap(where, what))

    def unless_taken(self, file: str, where: str, what: str) -> None:
        """Add a gap at the end of the import if this file, which a text names, is not taken in by then."""
        self._named.append((file, Gap(where, what)))

    def settle(self) -> None:
        """Add the gaps that waited for the end of the import."""
        self += [gap for file, gap in self._named if file not in self.taken]
        self._named.clear()
