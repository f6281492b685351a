"""The actions of a compaction, and the store as the actions planned so far would leave it.

An action goes through the journal as JSON, and is read back as it was.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

from ..credit import Credit
from ..memory.kinds import Kinds
from ..memory.model import Memory

HIGHEST = 0.95  # no merge or promotion lifts a score above it


class Expected(NamedTuple):
    """The state a memory must be in when its action is carried out; otherwise the action is skipped."""

    id: str
    digest: str  # hash of its content
    score: float


@dataclass(frozen=True, slots=True)
class Merge:
    """Episodes become one: the survivor gets this content, and the others go to the archive."""

    survivor: str
    others: tuple[str, ...]
    content: str
    tags: tuple[str, ...]
    created: str
    merged_from: tuple[str, ...]
    score: float
    expects: tuple[Expected, ...]
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Promote:
    """Facts of an episode go to an entity, with a part of the episode's credit."""

    episode: str
    target: str
    category: str
    name: str
    new: bool  # the target does not exist yet
    facts: tuple[tuple[str, str], ...]  # (fact, its hash)
    moved: float
    episode_score: float  # after the gift
    target_score: float
    expects: tuple[Expected, ...]
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Archive:
    """A memory goes to the archive."""

    id: str
    score: float  # effective
    expects: tuple[Expected, ...]
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Restore:
    """A memory comes back from the archive."""

    id: str
    archive_path: str
    times: int  # it was asked for
    expects: tuple[Expected, ...]  # of the text in the archive
    reason: str
    detail: str


Action = Merge | Promote | Archive | Restore


class Away(NamedTuple):
    """A memory in the archive, and how often it was asked for since."""

    memory: Memory
    archive_path: str
    times: int  # it was asked for


@dataclass(frozen=True, slots=True)
class Conflict:
    """A fact that was not promoted, because its entity says otherwise: to be recorded."""

    episode: str
    entity: str
    fact: str
    claim: str
    description: str


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """The actions of a compaction in their order, notes on what is left out, and conflicts to record."""

    actions: tuple[Action, ...]
    notes: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    now: str = ""


@dataclass(slots=True)
class State:
    """The store as the actions planned so far would leave it."""

    memories: dict[str, Memory]
    credits: dict[str, Credit]
    now: str
    kinds: Kinds
    clean: Callable[[str], str]  # returns a text as it may be written
    written: set[str] = field(default_factory=set)
    actions: list[Action] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)

    def credit(self, id: str) -> Credit:
        return self.credits.get(id) or Credit()

    def score(self, id: str) -> float:
        return self.credit(id).score

    def expected(self, *ids: str) -> tuple[Expected, ...]:
        """Return the state in which these memories are now, for an action to expect."""
        return tuple(Expected(id, content_digest(self.memories[id].content), self.score(id)) for id in ids)

    def write(self, changed: Memory, score: float, signals: int) -> None:
        """Put a changed memory into the state, with the score and number of signals it has then."""
        self.memories[changed.id] = changed
        self.credits[changed.id] = replace(self.credit(changed.id), score=score, signals=signals)
        self.written.add(changed.id)


def content_digest(content: str) -> str:
    """Return the hash of a content, whatever newlines its file has at the ends."""
    return hashlib.sha256(content.strip("\r\n").encode()).hexdigest()


_ACTIONS: dict[str, type[Merge] | type[Promote] | type[Archive] | type[Restore]] = {
    "merge": Merge, "promote": Promote, "archive": Archive, "restore": Restore,
}  # fmt: skip


def to_json(action: Action) -> dict[str, Any]:
    return {"action": type(action).__name__.lower(), **asdict(action)}


def from_json(row: Mapping[str, Any]) -> Action:
    """Return an action as it was, also after its row went through JSON text."""
    values = {key: _frozen(value) for key, value in row.items() if key != "action"}
    values["expects"] = tuple(Expected(*each) for each in values["expects"])
    return _ACTIONS[row["action"]](**values)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(each) for each in value) if isinstance(value, list | tuple) else value
