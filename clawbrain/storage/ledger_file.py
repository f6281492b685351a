"""The ledger's file: the tables it must hold, reading rows while the disk fails, and its backups.

It is SQLite with a rollback journal, every commit flushed, and kept by the policy of storage/keep. A file made by a
newer program is left alone; this process then keeps its rows in memory only, and `warnings` says so.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from .keep import STAMP, FileSpec, Keep, Migration
from .sqlite import SqliteFile, is_busy, trouble_of_the_disk

R = TypeVar("R")

VERSION = 5
BACKUPS = 7
FILE = "ledger.db"
PURGED_TEXTS = (
    """UPDATE contradictions SET description = '[purged]', claim_a = '', claim_b = '', resolution = 'dismissed'
    WHERE ? IN (memory_a_id, memory_b_id)""",
)
TABLES = {  # with their columns: a ledger that lacks one cannot be read
    "credit_records": (
        "id, score, access_count, created_at, last_accessed, decay_rate, stored_seq, session_id, "
        "touched_at, signals, path"
    ),
    "archived_records": (
        "archive_path, id, score, access_count, created_at, last_accessed, decay_rate, stored_seq, "
        "session_id, touched_at, signals, path, archived_at, asked_for"
    ),
    "credit_events": (
        "id, memory_id, event_type, reward, old_score, new_score, session_id, created_at, signal_id, "
        "share, expected, rate, days, per_day, floor, kind, step, detail"
    ),
    "evidence": "holder, number, kind, x, at",
    "turn_records": (
        "seq, id, session_id, retrieved_memory_ids, searched_ids, opened_ids, outcome, created_at, kind, "
        "client, folder, event, program_session"
    ),
    "contradictions": (
        "id, memory_a_id, memory_b_id, description, claim_a, claim_b, resolution, resolved_at, created_at"
    ),
    "lifecycle_log": "id, action, target_ids, details, created_at, run",
    "runs": "id, plan, done, state, created_at, ended_at",
    "run_steps": "run, number, outcome, undo",
    "promoted": "episode_id, fact_hash, run, created_at",
    "notes": "key, value",
    "sessions": "id, pid, parent_pid, parent_start, opened_at, closed_at",
}
_SETTINGS = """
PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON;
PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON; PRAGMA busy_timeout = 30000;
"""


def _migrations() -> Sequence[Migration]:
    from . import ledger_schema  # imports sqlite-utils, which takes time

    return ledger_schema.MIGRATIONS


def _kept() -> FileSpec:
    return FileSpec(
        version=VERSION,
        migrations=_migrations,
        tables=TABLES,
        settings=_SETTINGS,
        missing="the ledger was missing; the newest backup took its place.",
        unreadable="the ledger could not be read: it was set aside as {aside} and {instead}. No memory is affected.",
        instead=("the newest backup took its place", "a new one was begun, every score at its start"),
        turned_out="the ledger turned out to be broken; it has been put right: try again.",
        check="quick_check",
        backups=BACKUPS,
    )


class LedgerFile:
    """The file of the ledger, opened at once. `warnings` says what could not be read or will not be kept."""

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], datetime],
        *,
        read_only: bool,
        at: Callable[[str], None],
        locked: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.path, self.clock = folder / FILE, clock
        self.warnings: list[str] = []
        self._blank: sqlite3.Connection | None = None
        self._keep = Keep(
            _kept(),
            clock,
            locked=locked,
            at=at,
            warn=self._warn,
            newer=self._warn_of_newer,
            trouble=trouble_of_the_disk,
        )
        self._db = SqliteFile(self.path, self._keep, read_only=read_only, at=at)
        self._db.connection()

    @property
    def lasting(self) -> bool:
        """Tell whether what is written outlasts this process."""
        return self._db.lasting

    def refresh(self) -> None:
        """Switch to the ledger that another process put in place, if one did. The caller holds the store's lock."""
        self._keep.refresh(self._db)

    def close(self) -> None:
        self._db.close()

    def _warn(self, sentence: str) -> None:
        self.warnings.append(sentence)

    def _warn_of_newer(self) -> None:
        self._warn(
            "the ledger was written by a newer clawbrain: upgrade this one. Until then memories are served, "
            "but what is learned now is not kept."
        )

    # Rows

    def _all(self, sql: str, *values: Any) -> list[Any]:
        return self._served(lambda db: db.execute(sql, values).fetchall())

    def _one(self, sql: str, *values: Any) -> Any:
        rows = self._all(sql, *values)
        return rows[0] if rows else None

    def _do(self, sql: str, *values: Any) -> int:
        return self._db.do(sql, *values)

    def writing(self) -> AbstractContextManager[None]:
        """Return a transaction, which is kept whole or not at all. The caller holds the store's lock."""
        return self._db.writing()

    def _served(self, read: Callable[[sqlite3.Connection], R]) -> R:
        """Return what `read` returns, given an empty ledger where the disk fails to read this one.

        Raises sqlite3.Error where another process is in the way, or inside a transaction.
        """
        try:
            return self._read(read)
        except UnicodeDecodeError:
            pass
        except sqlite3.DatabaseError as error:
            if is_busy(error) or self._db.in_transaction:
                raise
        try:
            return self._db.retried(partial(self._read, read))
        except (sqlite3.DatabaseError, OSError) as error:
            return read(self._without(error))

    def _read(self, read: Callable[[sqlite3.Connection], R]) -> R:
        with self._db.lock:
            return read(self._db.connection())

    def _without(self, error: Exception) -> sqlite3.Connection:
        if self._blank is None:
            self._blank = self._keep.empty()
            self._warn(f"the ledger cannot be read just now ({error}): until it can, scores stand at their start.")
        return self._blank

    # Backups

    def backup(self) -> None:
        """Add a backup. Raises OSError or sqlite3.Error where the disk refuses."""
        self._keep.back_up(self.path, self._db.connection())

    def bad_backups(self) -> list[str]:
        """Return the names of the backups that cannot be read and so could not replace the ledger."""
        return [path.name for path in self._keep.backups(self.path) if not self._is_good(path)]

    def _is_good(self, backup: Path) -> bool:
        try:
            db = self._keep.readable(backup)
        except (OSError, sqlite3.Error):
            return False
        if db:
            db.close()
        return db is not None

    def purge_backups(self, id: str) -> None:
        """Delete the texts about a purged memory from the backups."""
        for path in self._keep.backups(self.path):
            if db := self._keep.readable(path):
                db.execute("PRAGMA secure_delete = ON")
                for sql in PURGED_TEXTS:
                    db.execute(sql, (id,))
                db.close()

    def backup_due(self) -> bool:
        """Tell whether there is something to back up and no backup of the last day."""
        now, a_day_ago = (f"ledger-{when:{STAMP}}" for when in (self.clock(), self.clock() - timedelta(days=1)))
        newest = max((path.stem for path in self._keep.backups(self.path) if path.stem <= now), default="")
        return self.lasting and newest < a_day_ago and bool(self._one("SELECT 1 FROM credit_records LIMIT 1"))
