"""The ledger's file: the tables it must hold, reading rows while the disk fails, and its backups.

It is a KeptFile (storage/keep) with a rollback journal, every commit flushed. A file made by a newer program is left
alone; this process then keeps its rows in memory only, and `warnings` says so.
"""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from ..errors import Busy
from .keep import STAMP, FileSpec, KeptFile, Migration, open_existing
from .patience import Hurry, hurry, waited_in_vain
from .sqlite import in_our_words, is_busy, ours, version_of

R = TypeVar("R")

VERSION = 6
_LIVES_SINCE = 6  # the version of the first ledger with lives
HOME_ID = "home_id"  # the note of the id, which no dump carries to another home
BACKUPS = 7
FILE = "ledger.db"
_WHAT = "the ledger"
_PURGED = "UPDATE contradictions SET description = '[purged]', claim_a = '', claim_b = '', resolution = 'dismissed' "
PURGED_TEXTS = (  # about a life of an id, given as ?2 and ?1; where a life is not known the id decides
    _PURGED
    + "WHERE (memory_a_id = ?1 AND coalesce(life_a, ?2) = ?2) OR (memory_b_id = ?1 AND coalesce(life_b, ?2) = ?2)"
)
_PURGED_BEFORE_LIVES = _PURGED + "WHERE ?1 IN (memory_a_id, memory_b_id) AND created_at <= ?2"
TABLES = {  # with their columns: a ledger that lacks one cannot be read
    "credit_records": (
        "id, score, access_count, created_at, last_accessed, decay_rate, stored_seq, session_id, "
        "touched_at, signals, path, life"
    ),
    "archived_records": (
        "archive_path, id, score, access_count, created_at, last_accessed, decay_rate, stored_seq, "
        "session_id, touched_at, signals, path, archived_at, asked_for, life, digest"
    ),
    "credit_events": (
        "id, memory_id, event_type, reward, old_score, new_score, session_id, created_at, signal_id, "
        "share, expected, rate, days, per_day, floor, kind, step, detail, life"
    ),
    "evidence": "holder, number, kind, x, at",
    "turn_records": (
        "seq, id, session_id, retrieved_memory_ids, searched_ids, opened_ids, outcome, created_at, kind, "
        "client, folder, event, program_session"
    ),
    "contradictions": (
        "id, memory_a_id, memory_b_id, description, claim_a, claim_b, resolution, resolved_at, created_at, "
        "life_a, life_b, mark_a, mark_b"
    ),
    "lifecycle_log": "id, action, target_ids, details, created_at, run",
    "runs": "id, plan, done, state, created_at, ended_at",
    "run_steps": "run, number, outcome, undo",
    "promoted": "episode_id, fact_hash, run, created_at",
    "notes": "key, value",
    "sessions": "id, pid, parent_pid, parent_start, opened_at, closed_at",
}
_SETTINGS = """
PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;
"""


def _migrations() -> Sequence[Migration]:
    from . import ledger_schema  # imports sqlite-utils, which takes time

    return ledger_schema.MIGRATIONS


def _spec() -> FileSpec:
    return FileSpec(
        called=_WHAT,
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


def home_id(folder: Path) -> str | None:
    """Return the random id of the home whose sidecar this folder is, or None where no ledger tells it."""
    with suppress(sqlite3.Error, OSError), closing(open_existing(folder / FILE, "ro", _spec())) as db:
        return str(db.execute("SELECT value FROM notes WHERE key = ?", (HOME_ID,)).fetchone()[0])
    return None


class LedgerFile:
    """The file of the ledger, opened at once, or later where another program holds it and the caller is in a hurry.

    `warnings` says what could not be read or will not be kept.
    """

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
        self._last: sqlite3.Connection | None = None  # the rows last written, while another program holds the file
        self._last_for: Hurry | None = None  # the hurry for which they were read
        self._db = KeptFile(
            self.path,
            _spec(),
            clock,
            read_only=read_only,
            locked=locked,
            at=at,
            warn=self._warn,
            newer=self._warn_of_newer,
        )
        try:
            with in_our_words(_WHAT):
                self._db.connection()
        except Busy:
            if not waited_in_vain():
                raise

    @property
    def lasting(self) -> bool:
        """Tell whether what is written outlasts this process."""
        return self._db.lasting

    def wait_until_free(self) -> None:
        """Wait until nobody else writes to the ledger. Raises Busy when it is not free in time."""
        if self.lasting:
            with in_our_words(_WHAT):
                self._db.try_to_write()

    def refresh(self) -> None:
        """Switch to the ledger that another process put in place, if one did. The caller holds the store's lock."""
        if self._db.replaced():
            self._db.heal()

    def close(self) -> None:
        self._let_go()
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
        """Return all rows that a statement finds; of an empty ledger where the disk fails to read this one.

        Raises Busy where another process is in the way, except in a hurry: the rows are then those last written. In a
        transaction an error of SQLite is left to `writing`.
        """
        try:
            return self._db.all(sql, *values)
        except (sqlite3.DatabaseError, UnicodeDecodeError, Busy) as error:
            return self._read_again(error, lambda db: db.execute(sql, values).fetchall())

    def _one(self, sql: str, *values: Any) -> Any:
        rows = self._all(sql, *values)
        return rows[0] if rows else None

    def writing(self) -> AbstractContextManager[None]:
        """Return a transaction, which is kept whole or not at all. The caller holds the store's lock.

        Raises Busy, Broken, or OSError where the disk is full or fails.
        """
        return self._db.writing()

    def _read_again(self, error: Exception, read: Callable[[sqlite3.Connection], R]) -> R:
        """Return what `read` returns from the repaired ledger, or from an empty one where the disk still fails."""
        if isinstance(error, sqlite3.DatabaseError) and self._db.in_transaction:
            raise error
        if is_busy(error):
            if not waited_in_vain():
                raise ours(error, _WHAT) from None
            return self._read_last_written(read)
        try:
            with self._db.lock:
                return self._db.retry(error, lambda: read(self._db.connection()))
        except (sqlite3.DatabaseError, OSError) as failed:
            return read(self._without(failed))

    def _read_last_written(self, read: Callable[[sqlite3.Connection], R]) -> R:
        """Return what `read` returns from the rows last written, because another program holds the ledger."""
        with self._db.lock:
            if self._last is None or self._last_for != hurry():
                self._let_go()
                self._last, self._last_for = self._db.as_last_written(), hurry()
                self._warn("another program holds the ledger: credit is read as it was last written.")
            try:
                return read(self._last)
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                return read(self._without(error))

    def _let_go(self) -> None:
        if self._last is not None:
            self._last.close()
            self._last = None

    def _without(self, error: Exception) -> sqlite3.Connection:
        """Return an empty ledger, with a warning."""
        if self._blank is None:
            self._blank = self._db.empty()
            self._warn(f"the ledger cannot be read just now ({error}): until it can, scores stand at their start.")
        return self._blank

    # Backups

    def backup(self) -> None:
        """Add a backup. Raises Busy, Broken, or OSError where the disk refuses."""
        with in_our_words(_WHAT):
            self._db.back_up(self._db.connection())

    def bad_backups(self) -> list[str]:
        """Return the names of the backups that cannot be read and so could not replace the ledger."""
        return [path.name for path in self._db.backups() if not self._is_good(path)]

    def _is_good(self, backup: Path) -> bool:
        try:
            db = self._db.readable(backup)
        except (OSError, sqlite3.Error):
            return False
        if db:
            db.close()
        return db is not None

    def purge_backups(self, id: str, life: str, until: str) -> None:
        """Delete the texts about a purged memory from the backups; one without lives is told by when it was archived.

        Raises Busy, Broken, OSError.
        """
        with in_our_words("a backup of the ledger"):
            for path in self._db.backups():
                if db := self._db.readable(path):
                    db.execute("PRAGMA secure_delete = ON")
                    if version_of(db) < _LIVES_SINCE:
                        db.execute(_PURGED_BEFORE_LIVES, (id, until))
                    else:
                        db.execute(PURGED_TEXTS, (id, life))
                    db.close()

    def backup_due(self) -> bool:
        """Tell whether there is something to back up and no backup of the last day."""
        now, a_day_ago = (f"ledger-{when:{STAMP}}" for when in (self.clock(), self.clock() - timedelta(days=1)))
        newest = max((path.stem for path in self._db.backups() if path.stem <= now), default="")
        return self.lasting and newest < a_day_ago and bool(self._one("SELECT 1 FROM credit_records LIMIT 1"))
