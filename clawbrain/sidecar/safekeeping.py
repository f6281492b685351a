"""Keeping the ledger's file: opening it, backing it up, and what happens when it cannot be read.

Plain SQLite: one connection, rollback journal, every commit flushed. A ledger that cannot be read is set
aside, never written again, and the newest good backup takes its place; one made by a newer program is left
alone, and this process keeps its notes in memory only. Both are said in `warnings`.
"""

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

VERSION = 1
BACKUPS = 7
FILE = "ledger.db"
TABLES = (
    "credit_records",
    "archived_records",
    "credit_events",
    "turn_records",
    "contradictions",
    "lifecycle_log",
    "runs",
    "run_steps",
    "promoted",
    "notes",
    "sessions",
)
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
        if read_only:
            self._open_for_reading()
        else:
            with locked():
                self._open()

    # Opening

    def _open_for_reading(self) -> None:
        try:
            self._db = _connect(f"file:{quote(str(self.path))}?mode=ro")
            if not _healthy(self._db) or _version(self._db) != VERSION:
                raise sqlite3.DatabaseError
            self._inode = _inode(self.path)
        except (sqlite3.Error, OSError):
            self._in_memory()

    def _in_memory(self) -> None:
        from . import schema

        self._db = _connect(":memory:")
        schema.migrate(self._db)
        self._inode, self.lasting = None, False

    def _open(self) -> None:
        if not os.path.lexists(self.path):
            self._begin()
        db = _opened(self.path)
        if db is None:
            self._set_aside()
            db = _connect(self.path)
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
            self._db.close()
            self._open()
            self.reopened()

    def _restore_backup(self) -> bool:
        for backup in sorted(self.backups(), reverse=True):
            db = _opened(backup)
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
        _flush(fresh)
        os.replace(fresh, self.path)
        _flush(self.folder)

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

    def backup(self) -> None:
        shelf = self.folder / "backups"
        if shelf.is_symlink():
            self.warnings.append("'.clawbrain/backups' is a link, and none is followed: no backup was made.")
            return
        shelf.mkdir(mode=0o700, exist_ok=True)
        fresh = self._fresh_copy(self._db)
        os.chmod(fresh, 0o600)
        _flush(fresh)
        self.at("backup: rename")
        os.replace(fresh, shelf / f"ledger-{self.clock():%Y%m%dT%H%M%SZ}.db")
        _flush(shelf)
        for old in sorted(self.backups(), key=os.path.getmtime)[:-BACKUPS]:
            old.unlink(missing_ok=True)

    def backup_due(self) -> bool:
        now, a_day_ago = (f"ledger-{when:%Y%m%dT%H%M%SZ}" for when in (self.clock(), self.clock() - timedelta(days=1)))
        newest = max((path.stem for path in self.backups() if path.stem <= now), default="")
        return self.lasting and newest < a_day_ago and bool(self._one("SELECT 1 FROM credit_records LIMIT 1"))

    # The two ways in

    def _all(self, sql: str, *values: Any) -> list[Any]:
        try:
            return self._read(sql, values)
        except sqlite3.DatabaseError as error:
            if _busy(error) or self._db.in_transaction:
                raise
        self._heal()
        try:
            return self._read(sql, values)
        except sqlite3.DatabaseError as error:
            raise Broken(f"the ledger cannot be read ({error}); run `clawbrain check`.") from None

    def _read(self, sql: str, values: Sequence[Any]) -> list[Any]:
        with self._reading:
            return self._db.execute(sql, values).fetchall()

    def _one(self, sql: str, *values: Any) -> Any:
        rows = self._all(sql, *values)
        return rows[0] if rows else None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it or nothing. The caller holds the store's lock."""
        with self._reading:
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
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _do(self, sql: str, *values: Any) -> int:
        return self._db.execute(sql, values).rowcount


def _connect(path: Path | str) -> sqlite3.Connection:
    uri = str(path).startswith("file:")
    return sqlite3.connect(path, uri=uri, isolation_level=None, check_same_thread=False)


def _opened(path: Path) -> sqlite3.Connection | None:
    """A ledger that can be read; None for whatever else stands there."""
    if path.is_symlink() or not path.is_file():
        return None
    db = _connect(path)
    if _healthy(db):
        return db
    db.close()
    return None


def _healthy(db: sqlite3.Connection) -> bool:
    try:
        version = _version(db)
        for table in TABLES if version == VERSION else ():
            db.execute(f"SELECT 1 FROM {table} LIMIT 1")
        return bool(version and db.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
    except sqlite3.DatabaseError as error:
        if _busy(error):
            raise
        return False


def _busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _inode(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None


def _flush(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        disk.flush(fd)
    finally:
        os.close(fd)
