"""A SQLite file: its connection, its transactions, and a second try when it turns out to be broken.

How a file is opened and repaired is up to what its rows are worth: `KeptFile` (storage/keep) is for rows that exist
nowhere else, `CacheFile` (storage/cache) for rows that can be made again.
"""

import errno
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from ..errors import Broken, Busy
from .patience import left

PATIENCE = 30.0
_FINELY = 0.05  # a difference in seconds for which the connection is not set anew

R = TypeVar("R")
Identity = tuple[int, int]


class SqliteFile:
    """A SQLite file. It uses one connection, which is opened on first use."""

    mendable: tuple[type[Exception], ...]  # the errors after which `retry` repairs the file

    def __init__(self, path: Path, *, read_only: bool, at: Callable[[str], None] | None = None) -> None:
        self.path, self.read_only = path, read_only
        self.lock = threading.RLock()
        self.lasting = not read_only  # False: what is written is gone when the process ends
        self.identity: Identity | None = None  # of the file to which the connection is open
        self.openings = 0  # number of connections so far; a new one may be to a file without rows
        self.patience = PATIENCE  # seconds that a statement waits for another process
        self._at, self._name = at or (lambda step: None), path.stem
        self._db: sqlite3.Connection | None = None
        self._waits = 0.0  # seconds that the connection is set to wait

    # What each kind of file does in its own way

    def _open(self) -> sqlite3.Connection:
        """Return a connection to a file that can be read, and set `identity` and `lasting`."""
        raise NotImplementedError

    def _remedies(self) -> Sequence[Callable[[Exception], None]]:
        """Return the ways to repair the file after an error; each may raise the error that the caller shall see."""
        raise NotImplementedError

    def renew(self) -> None:
        """Put a new file in the place of the one that is there."""
        raise NotImplementedError

    # The connection

    def connection(self) -> sqlite3.Connection:
        """Return the connection, after opening it where there is none. Raises what `_open` raises."""
        if self._db is None:
            self._use(self._open())
            self.openings += 1
        assert self._db is not None
        if abs((seconds := left(self.patience)) - self._waits) > _FINELY:
            self._db.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")
            self._waits = seconds
        return self._db

    def _use(self, db: sqlite3.Connection) -> None:
        self._db, self._waits = db, -1.0

    def close(self) -> None:
        """Close the connection; the next use opens another."""
        with self.lock:
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

    def retry(self, error: Exception, work: Callable[[], R]) -> R:
        """Do some work that failed again, after each way to repair the file, and return its result.

        Raises what the repairs raise, and what the work raises when none is left. Work of several steps that no other
        thread may interrupt is done with `lock` held.
        """
        for remedy in self._remedies():
            remedy(error)
            try:
                return work()
            except self.mendable as another:
                error = another
        raise error

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold a transaction, which is kept whole or, after an exception, not at all."""
        with self.lock:
            try:
                self._begin()
                yield
                self._at(f"{self._name}: commit")
                self.do("COMMIT")
            except BaseException as error:
                self._end_with("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    self._failed(error)
                raise
            self._committed()
            self._at(f"{self._name}: committed")

    def try_to_write(self) -> None:
        """Begin a transaction and change nothing in it."""
        with self.lock:
            if not self.in_transaction:
                self.do("BEGIN IMMEDIATE")
                self.do("ROLLBACK")

    def _begin(self) -> None:
        self.do("BEGIN IMMEDIATE")

    def _committed(self) -> None:
        """Do what is to be done when a transaction is kept."""

    def _failed(self, error: sqlite3.Error) -> None:
        """Repair the file after a transaction failed, or raise the error that the caller shall see."""

    def _end_with(self, statement: str) -> None:
        if self.in_transaction:
            self.do(statement)


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


def trouble(error: sqlite3.Error, sound: bool = False) -> OSError | None:
    """Return an error about a full or failing disk in the words of the system, or None for another error.

    With `sound` every error but a busy file is taken for one of the disk: SQLite reports a block that cannot be read as
    a corrupt one, but the file was found sound a moment ago.
    """
    number = _TROUBLE.get(code_of(error)) or (errno.EIO if sound and not is_busy(error) else 0)
    return OSError(number, os.strerror(number)) if number else None


@contextmanager
def trouble_of_the_disk(sound: bool = False) -> Iterator[None]:
    """Raise SQLite's errors about a full or failing disk as OSError; see `trouble`."""
    try:
        yield
    except sqlite3.Error as error:
        raise trouble(error, sound) or error from None


def ours(error: Exception, what: str) -> Exception:
    """Return an error of SQLite as one of ours, in which `what` names the file.

    It is an OSError where the disk is full or fails, Busy where another process is in the way, else Broken.
    """
    if is_busy(error):
        return Busy(f"{what} is busy in another process; try again in a moment.")
    if not isinstance(error, sqlite3.Error):
        return error
    return trouble(error) or Broken(f"{what} could not be used ({error}); `clawbrain check` says more.")


@contextmanager
def in_our_words(what: str) -> Iterator[None]:
    """Raise SQLite's errors as ours; see `ours`."""
    try:
        yield
    except sqlite3.Error as error:
        raise ours(error, what) from None


def code_of(error: Exception) -> int:
    """Return SQLite's primary result code, or 0 where the error is of another kind."""
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


def is_trouble(error: Exception) -> bool:
    """Tell whether the disk is full, failing or not accessible, which says nothing about the file."""
    return code_of(error) in _TROUBLE


def is_busy(error: Exception) -> bool:
    """Tell whether another process or thread holds a lock."""
    return isinstance(error, Busy) or code_of(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def is_broken(error: Exception) -> bool:
    """Tell whether the file is damaged or no database."""
    return code_of(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
