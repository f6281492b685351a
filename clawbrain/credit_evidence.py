"""The evidence of memories by kind of question: rows that follow from the credit events, one after the other.

The table of evidence is derived. `apply` is the one way in: an event changes the rows in the same way when it happens
and when all events are replayed, so that replaying them gives the table to the last digit. Rows belong to a holder,
which is the id of a live memory, or the path of one in the archive: two lives of one id are kept apart.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

from . import credit
from .credit import DRIFT_PER_DAY, FURTHEST, SIGNALS, Earned, Kind, alike, clip, faded
from .memory.model import days_between

MOST = 8  # kinds of a memory
SAME = 0.9  # kinds that are more alike than this share a row
_NOTHING = 1e-12  # what is left of a weight that was taken away whole

# Events that concern evidence alone; they change no score
INHERIT = "inherit"  # a row of a memory that was merged into this one, or one that an undo brings back
FORGET = "forget"  # all rows of the memory go
RENAME = "rename"  # in every kind, another id takes the place of the memory's: `detail`
UNNAME = "unname"  # takes a rename back: `detail` holds the other id, and the weight that was the memory's by row
ARCHIVE = "archive"  # the rows wait at the archive path: `detail`
PURGE = "purge"  # the rows that waited there go
EVIDENCE_ONLY = frozenset({INHERIT, FORGET, RENAME, UNNAME, ARCHIVE, PURGE})

# Events that may change both the score and the rows
STORE, MERGE, PROMOTE, UNDO = "store", "merge", "promote", "undo"
IMPORT = "import"  # the score that a memory had in another home
RESTORE = "restore"  # the rows come back from the archive path: `detail`, which old ledgers lack


class EvidenceRow(NamedTuple):
    """The evidence of a memory on one kind of question, or without a question (), in log-odds as of a time."""

    number: int  # of the event that made it
    kind: Kind
    x: float
    at: str


class Change(NamedTuple):
    """A credit event as far as it concerns evidence."""

    number: int
    memory_id: str
    type: str
    at: str
    kind: Kind | None = None  # None in rows from before there were kinds
    step: float | None = None
    per_day: float | None = None
    detail: str | None = None


class EvidenceRows(Protocol):
    """A place for rows of evidence: in the ledger's table, or as `RowsInMemory`."""

    def held_by(self, holder: str) -> list[EvidenceRow]:
        """Return the rows of a holder, the oldest first."""

    def hold(self, holder: str, rows: Sequence[EvidenceRow]) -> None:
        """Make these the rows of a holder."""

    def naming(self, id: str) -> list[EvidenceRow]:
        """Return the rows, whoever holds them, whose kind names an id."""

    def rekind(self, kinds: Mapping[int, Kind]) -> None:
        """Give the rows of these numbers, as far as there are any, other kinds."""


class RowsInMemory:
    """Rows of evidence in this process alone, for replaying events."""

    def __init__(self) -> None:
        self.held: dict[str, list[EvidenceRow]] = {}

    def held_by(self, holder: str) -> list[EvidenceRow]:
        """Return the rows of a holder, the oldest first."""
        return self.held.get(holder, [])

    def hold(self, holder: str, rows: Sequence[EvidenceRow]) -> None:
        """Make these the rows of a holder."""
        self.held.pop(holder, None)
        if rows:
            self.held[holder] = list(rows)

    def naming(self, id: str) -> list[EvidenceRow]:
        """Return the rows, whoever holds them, whose kind names an id."""
        return [row for rows in self.held.values() for row in rows if id in dict(row.kind)]

    def rekind(self, kinds: Mapping[int, Kind]) -> None:
        """Give the rows of these numbers, as far as there are any, other kinds."""
        for rows in self.held.values():
            rows[:] = [row._replace(kind=kinds.get(row.number, row.kind)) for row in rows]


# Applying events


def replayed(changes: Iterable[Change]) -> dict[str, list[EvidenceRow]]:
    """Return the rows by holder that follow from events, in their order."""
    book = RowsInMemory()
    for change in changes:
        apply(book, change)
    return book.held


def apply(shelf: EvidenceRows, change: Change) -> float:
    """Change the rows of evidence as an event says; `shelf` is where they are kept.

    Returns for how many days the row that a step goes to had drifted; 0 without a step, or where it makes a row.
    """
    id, detail = change.memory_id, change.detail or ""
    if change.type in (STORE, FORGET):
        shelf.hold(id, [])
    elif change.type == RENAME:
        shelf.rekind({row.number: renamed(row.kind, id, detail) for row in shelf.naming(id)})
    elif change.type == UNNAME:
        _take_back_name(shelf, id, *taken_names(detail))
    elif change.type == ARCHIVE:
        _hand_over(shelf, id, detail)
    elif change.type == RESTORE:
        if detail:  # without it there was no ARCHIVE before: the rows are still the memory's
            _hand_over(shelf, detail, id)
    elif change.type == PURGE:
        shelf.hold(detail, [])
    elif change.step and change.kind is not None:
        rows, drifted_for = taught(shelf.held_by(id), change.kind, change.step, change)
        shelf.hold(id, rows)
        return drifted_for
    return 0.0


def _take_back_name(shelf: EvidenceRows, id: str, other: str, weights: Mapping[int, float]) -> None:
    kinds = {row.number: row.kind for row in shelf.naming(other) if row.number in weights}
    shelf.rekind({number: unnamed(kind, id, other, weights[number]) for number, kind in kinds.items()})


def _hand_over(shelf: EvidenceRows, giver: str, taker: str) -> None:
    rows = shelf.held_by(giver)
    shelf.hold(giver, [])
    shelf.hold(taker, rows)


def taught(rows: Sequence[EvidenceRow], kind: Kind, step: float, change: Change) -> tuple[list[EvidenceRow], float]:
    """Return the rows of a memory after a step on a kind of question, and for how many days the row had drifted.

    The step goes to the row most alike (of equals the oldest), which keeps the kind it was made with. A ninth row
    takes the place of the one that has come to weigh least.
    """
    per_day = DRIFT_PER_DAY if change.per_day is None else change.per_day
    known = _same(rows, kind)
    if known is None:
        made = EvidenceRow(change.number, kind, _bounded(step), change.at)
        return [*_without_weakest(rows, kind, change.at, per_day), made], 0.0
    days = days_between(known.at, change.at)
    new = known._replace(x=_bounded(faded(known.x, days, per_day) + step), at=change.at)
    return [new if row is known else row for row in rows], days


def _same(rows: Sequence[EvidenceRow], kind: Kind) -> EvidenceRow | None:
    """Return the row that a step on a kind goes to, or None where it makes a new one."""
    if not kind:
        return next((row for row in rows if not row.kind), None)
    best = max(rows, key=lambda row: (alike(row.kind, kind), -row.number), default=None)
    return best if best and alike(best.kind, kind) > SAME else None


def _without_weakest(rows: Sequence[EvidenceRow], kind: Kind, at: str, per_day: float) -> list[EvidenceRow]:
    kinds = [row for row in rows if row.kind]
    if not kind or len(kinds) < MOST:
        return list(rows)
    weakest = min(kinds, key=lambda row: (abs(faded(row.x, days_between(row.at, at), per_day)), row.number))
    return [row for row in rows if row is not weakest]


def _bounded(x: float) -> float:
    return clip(x, -FURTHEST, FURTHEST)


def renamed(kind: Kind, old: str, new: str) -> Kind:
    """Return a kind with another id in the place of one; where it named both, their weights are added."""
    weights: dict[str, float] = {}
    for id, weight in kind:
        id = new if id == old else id
        weights[id] = weights.get(id, 0.0) + weight
    return tuple(weights.items())


def unnamed(kind: Kind, old: str, new: str, weight: float) -> Kind:
    """Return a kind after a rename of `old` to `new` is taken back; `weight` is the part that `old` gets back."""
    weights = dict(kind)
    left = weights.get(new, 0.0) - weight
    return tuple((id, w) for id, w in ({**weights, new: left} | {old: weight}).items() if w > _NOTHING)


def earned(rows: Iterable[tuple[str, Kind, float, str]], now: str, per_day: float) -> dict[str, Earned]:
    """Return the evidence of each holder as of now, from (holder, kind, log-odds, the time they are of)."""
    left: dict[str, float] = {}  # of one, by the time
    general: dict[str, float] = {}
    by_kind: dict[str, tuple[tuple[Kind, float], ...]] = {}
    for holder, kind, x, at in rows:
        if at not in left:
            left[at] = faded(1.0, days_between(at, now), per_day)
        if kind:
            by_kind[holder] = (*by_kind.get(holder, ()), (kind, x * left[at]))
        else:
            general[holder] = x * left[at]
    return {id: Earned(general.get(id, 0.0), by_kind.get(id, ())) for id in general.keys() | by_kind.keys()}


# Kinds as text


def as_text(kind: Kind) -> str:
    """Return a kind as JSON, which reads back to the last digit."""
    return json.dumps(kind, ensure_ascii=False, separators=(",", ":"))


def from_text(text: object) -> Kind | None:
    """Return the kind that a text holds, or None where it holds none."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
        return kind_from(found)
    except (ValueError, RecursionError):
        return None


def kind_from(value: object) -> Kind | None:
    """Return the kind that a list of pairs from JSON says, or None where it says none."""
    if not isinstance(value, list) or len(value) > 3:
        return None
    for pair in value:
        if not isinstance(pair, list) or len(pair) != 2:
            return None
        id, weight = pair
        if not isinstance(id, str) or not isinstance(weight, float | int) or not 0 < weight <= 1.000001:
            return None
    return tuple((id, float(weight)) for id, weight in value)


def names_taken(other: str, weights: Mapping[int, float]) -> str:
    """Return the detail of an UNNAME: the id that took the memory's place, and the memory's weight by row."""
    return json.dumps([other, {str(number): weight for number, weight in weights.items()}], ensure_ascii=False)


def taken_names(detail: str) -> tuple[str, dict[int, float]]:
    """Return what the detail of an UNNAME says; nothing where it cannot be read."""
    try:
        other, weights = json.loads(detail)
        return str(other), {int(number): float(weight) for number, weight in weights.items()}
    except (ValueError, TypeError, AttributeError, RecursionError):
        return "", {}


# Events from before there were kinds


def step_of(type: str, old: float, new: float, parts: Sequence[float | None]) -> float | None:
    """Return the step that an event from before there were kinds brings to the evidence without a question.

    `parts` are reward, share, expected and rate of a signal. Merges, promotions and their undoing bring what they
    changed in the score; other events bring None.
    """
    if type in SIGNALS:
        reward, share, expected, rate = (part or 0.0 for part in parts)
        return credit.step(reward, share, expected, rate)
    return credit.logit(new) - credit.logit(old) if type in (MERGE, PROMOTE, UNDO) else None
