"""The lives of ids: a random key for each memory that ever had an id, which goes with its credit record.

An id that is archived and used again has another life. The credit events tell when each life had the id.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from ..credit_evidence import ARCHIVE, PURGE, RESTORE, STORE
from ..errors import ClawbrainError
from .ledger_file import LedgerFile

_FOREVER = "9"  # later than every date


class Span(NamedTuple):
    """A time in which an id had a life; `end` is later than every date while it still has it."""

    life: str
    begin: str
    end: str


def new_life() -> str:
    """Return the key of a new life."""
    return os.urandom(8).hex()


class Lives(LedgerFile):
    """The lives in the ledger."""

    def life_of(self, id: str) -> str:
        """Return the life of the memory that has an id now; '' where it has no credit record that lasts.

        A ledger that is only read has no rows but those of its file.
        """
        kept = self.lasting or self._db.read_only
        try:
            row = self._one("SELECT life FROM credit_records WHERE id = ?", id) if kept else None
        except (ClawbrainError, OSError):  # the ledger is in somebody's way: a text is kept all the same
            return ""
        return row[0] if row and isinstance(row[0], str) else ""

    def archived_life(self, archive_path: str) -> str:
        """Return the life of the memory that is archived at a path, or '' where it has no record."""
        row = self._one("SELECT life FROM archived_records WHERE archive_path = ?", archive_path)
        return row[0] if row and isinstance(row[0], str) else ""

    def is_life(self, life: str) -> bool:
        """Tell whether a live or archived memory has this life."""
        tables = ("credit_records", "archived_records")
        return any(self._one(f"SELECT 1 FROM {table} WHERE life = ? LIMIT 1", life) for table in tables)

    def life_at(self, id: str, at: str) -> str:
        """Return the life of the only memory that can have had an id at a time, or '' where that is not certain."""
        return only_life(spans(self._all, id), at)


def only_life(spans: Sequence[Span], at: str) -> str:
    """Return the only life of these times, or else the only one that includes a date; '' where there is no such one."""
    lives = {span.life for span in spans}
    if len(lives) > 1:
        lives = {span.life for span in spans if span.begin <= at <= span.end}
    return lives.pop() if len(lives) == 1 else ""


def spans(rows: Callable[..., list[Any]], id: str) -> list[Span]:
    """Return the times in which an id had each of its lives, as events and records tell; `rows` runs a query."""
    events = rows(
        "SELECT event_type, life, created_at FROM credit_events WHERE memory_id = ? "
        "AND event_type IN (?, ?, ?, ?) ORDER BY id",
        *(id, STORE, ARCHIVE, RESTORE, PURGE),
    )
    records = rows(
        "SELECT life, created_at, archived_at FROM archived_records WHERE id = ?1 "
        "UNION ALL SELECT life, created_at, NULL FROM credit_records WHERE id = ?1",
        id,
    )
    return list(_spans(events, records))


def _spans(events: Iterable[tuple[Any, ...]], records: Iterable[tuple[Any, ...]]) -> Iterator[Span]:
    began: dict[str, str] = {}
    told: set[str] = set()
    for type, life, at in events:
        if type in (STORE, RESTORE):
            yield from (Span(other, since, at) for other, since in began.items() if other != life)
            began = {life: began.get(life, at)}
        elif life in began:
            yield Span(life, began.pop(life), at)
        told.add(life)
    yield from (Span(life, since, _FOREVER) for life, since in began.items())
    yield from (Span(life, begin, end or _FOREVER) for life, begin, end in records if life not in told)
