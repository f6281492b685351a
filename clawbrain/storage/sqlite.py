"""The wrapper for a SQLite file: its connection, its transactions, and a second try when it turns out to be broken.

A policy opens the file and repairs it: `Keep` (storage/keep) is for rows that exist nowhere else, `Cache`
(storage/cache) for rows that can be made again.
"""

import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

R = TypeVar("R")
Identity = tuple[int, int]
Remedy = Callable[["SqliteFile", Exception], None]


class Upkeep(Protocol):
    """The way a file is opened and repaired.

    A remedy repairs a file after an error, or raises the error that the caller shall see.
    """

    remedies: Sequence[Remedy]
    mendable: tuple[type[Exception], ...]

    def open(self, file: "SqliteFile") -> sqlite3.Connection:
        """Return a connection to a file that can be read, and set `file.identity` and `file.lasting`."""

    def notice(self, file: "SqliteFile") -> None:
        """Close the connection if its file was replaced and this policy switches to the new one."""

    def alone(self, file: "SqliteFile") -> AbstractContextManager[None]:
        """Return the context in which a transaction runs, such as a lock."""

    def begin_failed(self, file: "SqliteFile", error: sqlite3.DatabaseError) -> None:
        """Repair a file on which a transaction could not be begun, or raise the error."""

    def failed(self, file: "SqliteFile", error: sqlite3.DatabaseError) -> None:
        """Repair a file whose transaction was rolled back after an error; the error is raised afterwards."""

    def renew(self, file: "SqliteFile") -> None:
        """Put a new file in the place of the one that is there."""


class SqliteFile:
    """A SQLite file under a policy. It uses one connection, which is opened on first use."""

    def __init__(self, path: Path, policy: Upkeep, *, read_only: bool, at: Callable[[str], None] | None = None) -> None:
        self.path, self.read_only = path, read_only
        self.lock = threading.RLock()
        self.lasting = not read_only  # False: what is written is gone when the process ends
        self.identity: Identity | None = None  # of the file to which the connection is open
        self.openings = 0  # number of connections so far; a new one may be to a file without rows
        self.spoilt = False  # set by a caller that found the file broken and went on without it
        self._policy, self._at, self._name = policy, at or (lambda step: None), path.stem
        self._db: sqlite3.Connection | None = None
        self._remembered: dict[str, Any] = {}  # what was read, kept until somebody writes
        self._up_to_date = False  # whether `_remembered` was checked during this piece of work

    # The connection

    def connection(self) -> sqlite3.Connection:
        """Return the connection, after opening it where there is none. Raises what the policy raises."""
        if self._db is None:
            self._db = self._policy.open(self)
            self.openings += 1
        return self._db

    def swap(self, db: sqlite3.Connection) -> None:
        """Switch to another connection, and close the one used so far."""
        used, self._db = self._db, db
        self.openings += 1
        if used is not None:
            used.close()

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        with self.lock:
            self._remembered, self._up_to_date = {}, False
            if self._db is not None:
                with suppress(sqlite3.Error):
                    self._db.close()
            self._db = None

    @property
    def in_transaction(self) -> bool:
        """Tell whether a transaction has begun and not ended."""
        return self._db is not None and self._db.in_transaction

    def replaced(self) -> bool:
        """Tell whether the file of the connection was replaced or deleted."""
        return self._db is not None and identity_of(self.path) != self.identity

    def renew(self) -> None:
        """Put a new file in the place of the one that is there."""
        with self.lock:
            self.spoilt = False
            self._policy.renew(self)

    def beside(self, name: str) -> Path | None:
        """Return the path of a file that is deleted together with this one, or None while the database is in memory."""
        return self.path.with_name(name) if self.lasting else None

    # Questions and changes

    def all(self, sql: str, *values: Any) -> list[Any]:
        """Return all rows that a statement finds."""
        with self.lock:
            return self.connection().execute(sql, values).fetchall()

    def one(self, sql: str, *values: Any) -> Any:
        """Return the first value of the first row that a statement finds, or None."""
        row = self.connection().execute(sql, values).fetchone()
        return row[0] if row else None

    def do(self, sql: str, *values: Any) -> int:
        """Execute a statement and return how many rows it changed."""
        return self.connection().execute(sql, values).rowcount

    def many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute a statement for each of some rows of values."""
        self.connection().executemany(sql, rows)

    def retried(self, work: Callable[[], R]) -> R:
        """Do some work and return its result; where the file fails, do it again after each remedy of the policy.

        Raises what the remedies raise, and what the work raises when none is left. Work of several steps that no other
        thread may interrupt is done with `lock` held.
        """
        for remedy in self._policy.remedies:
            self._up_to_date = False
            try:
                self._policy.notice(self)
                return work()
            except self._policy.mendable as error:
                remedy(self, error)
        return work()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold a transaction in which all reads see the same state."""
        self.do("BEGIN")
        self._up_to_date = False
        try:
            yield
        finally:
            self._end_with("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold a transaction, which is kept whole or, after an exception, not at all.

        Raises what the body raises, or what the policy makes of a broken file.
        """
        with self.lock, self._policy.alone(self):
            self._begin()
            try:
                yield
                self._at(f"{self._name}: commit")
                self.do("COMMIT")
            except BaseException as error:
                self._end_with("ROLLBACK")
                if isinstance(error, sqlite3.DatabaseError):
                    self._policy.failed(self, error)
                raise
            self._at(f"{self._name}: committed")

    def _begin(self) -> None:
        try:
            self.do("BEGIN IMMEDIATE")
        except sqlite3.DatabaseError as error:
            self._policy.begin_failed(self, error)
            self.do("BEGIN IMMEDIATE")

    def _end_with(self, statement: str) -> None:
        if self.in_transaction:
            self.do(statement)

    # What was read, kept until somebody writes

    def remember(self, what: str, read: Callable[[], R]) -> R:
        """Return the value kept under a name, read again after this process or (by data_version) another one wrote."""
        if not self._up_to_date:
            version, self._up_to_date = self.one("PRAGMA data_version"), True
            if self._remembered.get("version") != version:
                self._remembered = {"version": version}
        if what not in self._remembered:
            self._remembered[what] = read()
        found: R = self._remembered[what]
        return found

    def forget(self) -> None:
        """Forget what was read. Every writer calls this, because data_version tells of other processes only."""
        self._remembered.clear()


# Files and errors


def identity_of(path: Path) -> Identity | None:
    """Return the device and inode of the file at a path, or None where there is no regular file."""
    try:
        found = os.stat(path, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def version_of(db: sqlite3.Connection) -> int:
    """Return the user_version of a database; 0 for a new one."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def is_blank(db: sqlite3.Connection) -> bool:
    """Tell whether a database has no tables."""
    return not db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()


def decoded(raw: bytes) -> str:
    """Decode a text with replacement characters, so that a flipped bit in one does not stop the others."""
    return raw.decode(errors="replace")


_TROUBLE = {
    sqlite3.SQLITE_FULL: errno.ENOSPC,
    sqlite3.SQLITE_READONLY: errno.EROFS,
    sqlite3.SQLITE_IOERR: errno.EIO,
    sqlite3.SQLITE_CANTOPEN: errno.EACCES,
    sqlite3.SQLITE_PERM: errno.EACCES,
    sqlite3.SQLITE_NOMEM: errno.ENOMEM,
}


@contextmanager
def trouble_of_the_disk(sound: bool = False) -> Iterator[None]:
    """Raise SQLite's errors about a full or failing disk as OSError, in the words of the system.

    With `sound` every error but a busy file is taken for one of the disk: SQLite reports a block that cannot be read as
    a corrupt one, but the file was found sound a moment ago.
    """
    try:
        yield
    except sqlite3.Error as error:
        if number := _TROUBLE.get(code_of(error)) or (errno.EIO if sound and not is_busy(error) else 0):
            raise OSError(number, os.strerror(number)) from None
        raise


def code_of(error: Exception) -> int:
    """Return SQLite's primary result code, or 0 where the error is of another kind."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def is_trouble(error: Exception) -> bool:
    """Tell whether the disk is full, failing or not accessible, which says nothing about the file."""
    return code_of(error) in _TROUBLE


def is_busy(error: Exception) -> bool:
    """Tell whether another process or thread holds a lock."""
    return code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_broken(error: Exception) -> bool:
    """Tell whether the file is damaged or no database."""
    return code_of(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
