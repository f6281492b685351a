"""Keeping the ledger's file: opening it, backing it up, and what happens when it cannot be read.

Plain SQLite: one connection, rollback journal, every commit flushed. A ledger that cannot be read is set
aside, never written again, and the newest good backup takes its place; one made by a newer program is left
alone, and this process keeps its notes in memory only. Both are said in `warnings`.
"""

import errno
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .. import disk
from ..errors import Broken

VERSION = 4
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
    "turn_records": "seq, id, session_id, retrieved_memory_ids, searched_ids, opened_ids, outcome, created_at, kind",
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


class LedgerFile:
    def __init__(
        self,
        folder: Path,
        clock: Callable[[], datetime],
        *,
        read_only: bool,
        at: Callable[[str], None],
        locked: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self.folder, self.clock, self.at, self._locked = folder, clock, at, locked
        self.path = folder / FILE
        self.warnings: list[str] = []
        self.lasting = not read_only  # False: what we note is gone when the process ends
        self._reading = threading.RLock()
        self._blank: sqlite3.Connection | None = None
        if read_only:
            self._open_for_reading()
        else:
            with locked():
                self._open()

    # Opening

    def _open_for_reading(self) -> None:
        try:
            if any(os.path.lexists(path) and not path.is_file() for path in self._companions()):
                raise OSError  # a pipe would have us wait for ever
            self._db = _connect(f"file:{quote(str(self.path))}?mode=ro")
            if not _healthy(self._db) or _version(self._db) != VERSION:
                raise sqlite3.DatabaseError
            self._inode = _inode(self.path)
        except (sqlite3.Error, OSError):
            self._in_memory()

    def _companions(self) -> list[Path]:
        return [Path(f"{self.path}{suffix}") for suffix in ("", "-journal", "-wal")]

    def _in_memory(self) -> None:
        self._db = _empty()
        self._inode, self.lasting = None, False

    def _open(self, check: str = "quick_check") -> None:
        if not os.path.lexists(self.path):
            self._begin()
        # asked twice: a disk that failed once is no broken ledger
        db = _opened(self.path, check) or _opened(self.path, check)
        if db is None:
            self._set_aside()
            db = _connect(self.path)
        with _as_trouble_of_the_disk(sound=True):
            self._db, version = db, _version(db)
        if version > VERSION:
            self._db.close()
            self.warnings.append(
                "the ledger was written by a newer clawbrain: upgrade this one. Until then memories are served, "
                "but what is learned now is not kept."
            )
            return self._in_memory()
        if version < VERSION:
            self._upgrade()
        with _as_trouble_of_the_disk(sound=True):
            self._db.executescript(_SETTINGS)
        self._inode = _inode(self.path)

    def _begin(self) -> None:
        """A new home, or one whose ledger was lost: the newest good backup, else an empty one."""
        if self._restore_backup():
            self.warnings.append("the ledger was missing; the newest backup took its place.")
        else:
            self._build(None)

    def _set_aside(self) -> None:
        aside = self._free_name(f"{FILE}.corrupt-{self.clock():%Y%m%dT%H%M%SZ}")
        self.at("ledger: set aside")
        for suffix in ("-journal", ""):
            with suppress(FileNotFoundError):
                os.rename(f"{self.path}{suffix}", f"{self.folder / aside}{suffix}")
        found = self._restore_backup()
        if not found:
            self._build(None)
        instead = "the newest backup took its place" if found else "a new one was begun, every score at its start"
        self.warnings.append(
            f"the ledger could not be read: it was set aside as .clawbrain/{aside} and {instead}. "
            "No memory is affected."
        )

    def _free_name(self, name: str) -> str:
        tried, number = name, 1
        while os.path.lexists(self.folder / tried):
            number += 1
            tried = f"{name}-{number}"
        return tried

    def _heal(self) -> None:
        """A ledger that fails under our hands is opened anew: set aside, or already replaced by somebody."""
        if not self.lasting:
            return
        with self._locked():
            failed = self._db
            self._open("integrity_check")  # it failed us: the quick check may have overlooked something
            failed.close()
            self.reopened()

    def _restore_backup(self) -> bool:
        for backup in sorted(self.backups(), reverse=True):
            try:
                db = _opened(backup)
            except OSError:
                continue
            if db and 0 < _version(db) <= VERSION:
                self._take_place(self._fresh_copy(db))
                db.close()
                return True
        return False

    def _upgrade(self) -> None:
        self.backup()
        self._build(self._db)
        self._db.close()
        self._db = _connect(self.path)

    def _build(self, source: sqlite3.Connection | None) -> None:
        """The ledger in today's shape, as a new file that takes its name when it is whole."""
        from . import schema

        fresh = self._fresh_copy(source)
        db = _connect(fresh)
        db.execute("PRAGMA synchronous = OFF")  # flushed whole before it takes its place
        self.at("ledger: migrate")
        schema.migrate(db)
        db.close()
        self._take_place(fresh)

    def _fresh_copy(self, source: sqlite3.Connection | None) -> Path:
        fresh = self.folder / "tmp" / f"{FILE}.new"
        fresh.unlink(missing_ok=True)
        if source:
            source.execute("VACUUM INTO ?", (str(fresh),))
        return fresh

    def _take_place(self, fresh: Path) -> None:
        os.chmod(fresh, 0o600)
        self.at("ledger: take place")
        flush_path(fresh)
        os.replace(fresh, self.path)
        flush_path(self.folder)

    def refresh(self) -> None:
        """Under the lock: if another process put a new ledger in place, go on with that one."""
        if self.lasting and _inode(self.path) != self._inode:
            self._heal()

    def reopened(self) -> None:
        """What was remembered of the old ledger no longer counts."""

    def close(self) -> None:
        self._db.close()

    # Backups

    def backups(self) -> list[Path]:
        return sorted((self.folder / "backups").glob("ledger-*.db"))

    def bad_backups(self) -> list[str]:
        """Those that could not take the ledger's place."""
        bad = []
        for path in self.backups():
            try:
                db = _opened(path)
            except (OSError, sqlite3.Error):
                db = None
            if db:
                db.close()
            else:
                bad.append(path.name)
        return bad

    def backup(self) -> None:
        shelf = self.folder / "backups"
        if shelf.is_symlink():
            self.warnings.append("'.clawbrain/backups' is a link, and none is followed: no backup was made.")
            return
        shelf.mkdir(mode=0o700, exist_ok=True)
        fresh = self._fresh_copy(self._db)
        os.chmod(fresh, 0o600)
        flush_path(fresh)
        self.at("backup: rename")
        os.replace(fresh, shelf / f"ledger-{self.clock():%Y%m%dT%H%M%SZ}.db")
        flush_path(shelf)
        for old in sorted(self.backups(), key=os.path.getmtime)[:-BACKUPS]:
            old.unlink(missing_ok=True)

    def purge_backups(self, id: str) -> None:
        """A word that is deleted for good is not kept in a backup either."""
        for path in self.backups():
            if db := _opened(path):
                db.execute("PRAGMA secure_delete = ON")
                for sql in PURGED_TEXTS:
                    db.execute(sql, (id,))
                db.close()

    def backup_due(self) -> bool:
        now, a_day_ago = (f"ledger-{when:%Y%m%dT%H%M%SZ}" for when in (self.clock(), self.clock() - timedelta(days=1)))
        newest = max((path.stem for path in self.backups() if path.stem <= now), default="")
        return self.lasting and newest < a_day_ago and bool(self._one("SELECT 1 FROM credit_records LIMIT 1"))

    # The two ways in

    def _all(self, sql: str, *values: Any) -> list[Any]:
        try:
            return self._read(sql, values)
        except UnicodeDecodeError:  # a flipped bit in a text stops a whole answer, though the file is sound
            self._db.text_factory = _decoded
            return self._read(sql, values)
        except sqlite3.DatabaseError as error:
            if _busy(error) or self._db.in_transaction:
                raise
        try:
            if self._db.text_factory is str and _healthy(self._db, "integrity_check"):
                self._db.text_factory = _decoded
            else:
                self._heal()
            return self._read(sql, values)
        except (sqlite3.DatabaseError, OSError) as error:
            return self._without(error).execute(sql, values).fetchall()

    def _without(self, error: Exception) -> sqlite3.Connection:
        """Memories are served even while the disk does not give the ledger out."""
        if self._blank is None:
            self._blank = _empty()
            self.warnings.append(
                f"the ledger cannot be read just now ({error}): until it can, scores stand at their start."
            )
        return self._blank

    def _read(self, sql: str, values: Sequence[Any]) -> list[Any]:
        with self._reading:
            return self._db.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: Any) -> Any:
        rows = self._all(sql, *values)
        return rows[0] if rows else None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it or nothing. The caller holds the store's lock."""
        with self._reading, _as_trouble_of_the_disk():
            try:
                self._db.execute("BEGIN IMMEDIATE")
            except sqlite3.DatabaseError as error:
                if _busy(error):
                    raise
                self._heal()
                self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.at("ledger: commit")
                self._db.execute("COMMIT")
            except BaseException as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if isinstance(error, sqlite3.DatabaseError) and _code(error) in _BROKEN:
                    self._heal()
                    raise Broken("the ledger turned out to be broken; it has been put right: try again.") from None
                raise
            self.at("ledger: committed")

    def _do(self, sql: str, *values: Any) -> int:
        return self._db.execute(sql, values).rowcount


def _connect(path: Path | str) -> sqlite3.Connection:
    uri = str(path).startswith("file:")
    return sqlite3.connect(path, uri=uri, isolation_level=None, check_same_thread=False)


def _empty() -> sqlite3.Connection:
    from . import schema

    db = _connect(":memory:")
    schema.migrate(db)
    return db


def _opened(path: Path, check: str = "quick_check") -> sqlite3.Connection | None:
    """A ledger that can be read; None for whatever else stands there. Trouble of the disk is neither."""
    if path.is_symlink() or not path.is_file():
        return None
    with _as_trouble_of_the_disk():
        disk.move_oddities(path)
        db = _connect(path)
        try:
            if _healthy(db, check):
                return db
        except BaseException:
            db.close()
            raise
    db.close()
    return None


def _healthy(db: sqlite3.Connection, check: str = "quick_check") -> bool:
    try:
        version = _version(db)
        for table, columns in TABLES.items() if version == VERSION else ():
            db.execute(f"SELECT {columns} FROM {table} LIMIT 1")
        return bool(version and db.execute(f"PRAGMA {check}(1)").fetchone()[0] == "ok")
    except UnicodeDecodeError:
        return False
    except sqlite3.DatabaseError as error:
        if _busy(error) or _code(error) in _TROUBLE:
            raise
        return False


_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_TROUBLE = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}


@contextmanager
def _as_trouble_of_the_disk(*, sound: bool = False) -> Iterator[None]:
    """What SQLite says of a full or failing disk, in the words of the system; the file itself is not to blame. Nor
    is one that was found sound a moment ago: to SQLite, a block that cannot be read is a corrupt one.
    """
    try:
        yield
    except sqlite3.Error as error:
        if number := _TROUBLE.get(_code(error)) or (errno.EIO if sound and not _busy(error) else 0):
            raise OSError(number, os.strerror(number)) from None
        raise


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def _decoded(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _inode(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None


def flush_path(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        disk.flush(fd)
    finally:
        os.close(fd)
