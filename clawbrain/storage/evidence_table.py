"""The table of evidence by kind of question, as it follows from the credit events.

Each event that is written is applied to the table at once. `rebuild` computes the whole table again from the events,
with the same result to the last digit; it is needed after a migration, a load and a repair.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from .. import credit_evidence
from ..credit import FURTHEST, Kind
from ..credit_evidence import ARCHIVE, EVIDENCE_ONLY, Change, EvidenceRow
from ..errors import Busy
from .ledger_file import LedgerFile
from .sound import LONG_AGO, as_number, is_date
from .sqlite import decoded

_PARTS = ("reward", "share", "expected", "rate")
_CHANGE = (
    *("id", "memory_id", "event_type", "created_at", "kind", "step", "per_day", "detail", "old_score", "new_score"),
    *_PARTS,
)
_ROW = "number, kind, x, at"
_BOUND = FURTHEST + 1e-9
_kind = lru_cache(16_384)(credit_evidence.from_text)  # a search reads the same kinds as the one before


class EvidenceTable(LedgerFile):
    """The rows of evidence in the ledger, as the module `credit_evidence` reads and changes them."""

    def held_by(self, holder: str) -> list[EvidenceRow]:
        """Return the rows of a holder, the oldest first."""
        found = self._all(f"SELECT {_ROW} FROM evidence WHERE holder = ? ORDER BY number", holder)
        return [row for each in found if (row := _sound_row(each))]

    def hold(self, holder: str, rows: Sequence[EvidenceRow]) -> None:
        """Replace the rows of a holder by these."""
        self._db.do("DELETE FROM evidence WHERE holder = ?", holder)
        for row in rows:
            _insert(self._db.do, holder, row)

    def naming(self, id: str) -> list[EvidenceRow]:
        """Return the rows of all holders whose kind names an id."""
        found = self._all(f"SELECT {_ROW} FROM evidence WHERE instr(kind, ?)", json.dumps(id, ensure_ascii=False))
        return [row for each in found if (row := _sound_row(each))]

    def rekind(self, kinds: Mapping[int, Kind]) -> None:
        """Change the kinds of the rows with these numbers; numbers without a row are passed over."""
        for number, kind in kinds.items():
            self._db.do("UPDATE evidence SET kind = ? WHERE number = ?", credit_evidence.as_text(kind), number)

    def evidence(self, ids: Collection[str]) -> Iterator[tuple[str, Kind, float, str]]:
        """Yield holder, kind, log-odds and their time for each row of these holders."""
        wanted = "SELECT value FROM json_each(?)"
        rows = self._all(
            f"SELECT holder, kind, x, at FROM evidence WHERE holder IN ({wanted}) ORDER BY holder, number",
            json.dumps(list(ids), ensure_ascii=False),
        )
        dates = set(filter(is_date, {at for _, _, _, at in rows}))  # many rows have the same time
        for holder, text, x, at in rows:
            if at in dates and (kind := _sound_kind(text, x)) is not None:
                yield holder, kind, x, at

    def unlike_events(self) -> list[str]:
        """Return the holders whose rows differ from what follows from the events, or have impossible values."""
        try:
            expected = _replayed(self._db.connection())
        except (sqlite3.DatabaseError, UnicodeDecodeError, Busy) as error:
            expected = self._read_again(error, _replayed)
        there: dict[str, list[EvidenceRow | None]] = {}
        for holder, *row in self._all(f"SELECT holder, {_ROW} FROM evidence ORDER BY number"):
            there.setdefault(str(holder), []).append(_sound_row(row))
        return sorted(holder for holder in {*expected, *there} if expected.get(holder) != there.get(holder))

    def rebuild_evidence(self) -> None:
        """Compute the table again from the events. The caller has begun a transaction."""
        rebuild(self._db.connection())


def rebuild(db: sqlite3.Connection) -> None:
    """Compute the table of evidence again from the credit events."""
    _tell_of_the_archive(db)
    db.execute("DELETE FROM evidence")
    for holder, rows in _replayed(db).items():
        for row in rows:
            _insert(lambda sql, *values: db.execute(sql, values), holder, row)


def _tell_of_the_archive(db: sqlite3.Connection) -> None:
    """Add the missing events of archived memories, the newest of each id, archived before there were such events."""
    db.execute(
        f"""
        INSERT INTO credit_events (memory_id, event_type, old_score, new_score, created_at, detail)
        SELECT id, '{ARCHIVE}', score, score, max(archived_at), archive_path FROM archived_records
        WHERE id NOT IN (SELECT id FROM credit_records) AND archive_path NOT IN
            (SELECT detail FROM credit_events WHERE event_type = '{ARCHIVE}' AND detail IS NOT NULL)
        GROUP BY id
        """
    )


def _replayed(db: sqlite3.Connection) -> dict[str, list[EvidenceRow]]:
    with any_text(db):
        found = db.execute(f"SELECT {', '.join(_CHANGE)} FROM credit_events ORDER BY id").fetchall()
    return credit_evidence.replayed(change_of(dict(zip(_CHANGE, row, strict=True))) for row in found)


@contextmanager
def any_text(db: sqlite3.Connection) -> Iterator[None]:
    """Read texts that are not UTF-8 with replacement characters, so that one flipped bit does not stop the rest."""
    usual, db.text_factory = db.text_factory, decoded
    try:
        yield
    finally:
        db.text_factory = usual


def change_of(row: Mapping[str, Any]) -> Change:
    """Return the change of evidence that a row of credit_events describes, without impossible values."""
    type, kind, step = str(row["event_type"]), row["kind"], as_number(row["step"])
    known: Kind | None = ()
    if kind is None and type not in EVIDENCE_ONLY:  # an event from before kinds were noted
        old, new = (as_number(row[name]) or 0.0 for name in ("old_score", "new_score"))
        step = credit_evidence.step_of(type, old, new, [as_number(row[name]) for name in _PARTS])
    else:
        known = _kind(kind)
    return Change(
        number=row["id"],
        memory_id=str(row["memory_id"]),
        type=type,
        at=row["created_at"] if is_date(row["created_at"]) else LONG_AGO,
        kind=known,
        step=step,
        per_day=as_number(row["per_day"]),
        detail=row["detail"] if isinstance(row["detail"], str) else None,
    )


def _sound_row(row: Sequence[Any]) -> EvidenceRow | None:
    number, text, x, at = row
    kind = _sound_kind(text, x)
    return None if kind is None or not is_date(at) else EvidenceRow(number, kind, x, at)


def _sound_kind(text: object, x: object) -> Kind | None:
    """Return the kind of a row, or None where its kind or log-odds are impossible."""
    return _kind(text) if isinstance(text, str) and isinstance(x, float) and -_BOUND <= x <= _BOUND else None


def _insert(do: Callable[..., Any], holder: str, row: EvidenceRow) -> None:
    number, kind, x, at = row
    values = (holder, number, credit_evidence.as_text(kind), x, at)
    do("INSERT OR REPLACE INTO evidence (holder, number, kind, x, at) VALUES (?, ?, ?, ?, ?)", *values)
