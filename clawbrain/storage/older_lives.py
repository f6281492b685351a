"""Give lives to the rows of a ledger from before there were lives, by the order and the times of its events."""

import sqlite3
from hashlib import sha256

from ..credit_evidence import ARCHIVE, PURGE, RESTORE, STORE
from .lives import Span, only_life, spans


def assign(db: sqlite3.Connection) -> None:
    """Give a life to the records, events and contradictions that have none, as far as their times tell which.

    The same rows get the same lives again, in a migration that is repeated and in a dump that is loaded elsewhere.
    """
    wanting = "SELECT {} FROM {} WHERE life IS NULL"
    tables = (("id", "credit_records"), ("id", "archived_records"), ("memory_id", "credit_events"))
    for id in sorted({str(row[0]) for what in tables for row in db.execute(wanting.format(*what))}):
        _assign_to(db, id)
    for side in "ab":
        _assign_contradictions(db, side)


def _assign_to(db: sqlite3.Connection, id: str) -> None:
    live = db.execute("SELECT created_at, life FROM credit_records WHERE id = ?", (id,)).fetchone()
    away = db.execute("SELECT archive_path, created_at, life FROM archived_records WHERE id = ?", (id,)).fetchall()
    book = _Lifetimes(id)
    book.take({path: life for path, _, life in away if life})
    events = db.execute(
        "SELECT id, event_type, created_at, detail, life FROM credit_events WHERE memory_id = ? ORDER BY id", (id,)
    ).fetchall()
    for number, type, at, detail, life in events:
        life = book.after(str(type), str(at), detail, life)
        db.execute("UPDATE credit_events SET life = ? WHERE id = ? AND life IS NULL", (life, number))
    for path, created, life in away:
        life = life or book.archived_at(path, str(created))
        db.execute("UPDATE archived_records SET life = ? WHERE archive_path = ?", (life, path))
    if live and not live[1]:
        db.execute("UPDATE credit_records SET life = ? WHERE id = ?", (book.present(str(live[0])), id))


class _Lifetimes:
    """The lives of one id, found by going through its events in order."""

    def __init__(self, id: str) -> None:
        self.id, self.current, self.made = id, "", 0
        self.away: dict[str, str] = {}  # by archive path
        self.begun: dict[str, list[str]] = {}  # by the time of the store, the lives that no event has archived

    def take(self, away: dict[str, str]) -> None:
        """Take over lives that are known already, by archive path."""
        self.away |= away

    def _begin(self, at: str) -> str:
        self.made += 1
        self.current = sha256(f"{self.id}\0{at}\0{self.made}".encode()).hexdigest()[:16]
        self.begun.setdefault(at, []).append(self.current)
        return self.current

    def after(self, type: str, at: str, detail: str | None, known: str | None) -> str:
        """Return the life of an event, and take note of what it says."""
        place = detail or ""
        if type == STORE:
            self.current = known or self._begin(at)
        elif type == PURGE:
            return known or self.away.pop(place, "") or self.current or self._begin(at)
        elif type == RESTORE:
            self.current = known or self.away.pop(place, "") or self.current or self._begin(at)
        life = self.current = known or self.current or self._begin(at)
        if type == ARCHIVE:
            self.away[place], self.current = life, ""
        return life

    def archived_at(self, path: str, created: str) -> str:
        """Return the life of the memory archived at a path."""
        if life := self.away.pop(path, ""):
            return life
        taken = {*self.away.values(), self.current}
        found = next((life for life in self.begun.get(created, []) if life not in taken), "")
        if found:
            self.begun[created].remove(found)
            return found
        current = self.current
        life, self.current = self._begin(created), current
        return life

    def present(self, created: str) -> str:
        """Return the life of the memory that has the id now."""
        return self.current or self._begin(created)


def _assign_contradictions(db: sqlite3.Connection, side: str) -> None:
    """Give each contradiction the life of the memory on one side, where only one can have had the id at its time."""
    rows = db.execute(
        f"SELECT id, memory_{side}_id, created_at FROM contradictions WHERE life_{side} IS NULL"
    ).fetchall()
    known: dict[str, list[Span]] = {}
    for number, id, at in rows:
        if id not in known:
            known[id] = spans(lambda sql, *values: db.execute(sql, values).fetchall(), id)
        if life := only_life(known[id], str(at)):
            db.execute(f"UPDATE contradictions SET life_{side} = ? WHERE id = ?", (life, number))
