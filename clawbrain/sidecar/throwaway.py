"""The file index.db: opened, noticed to be gone or broken, and made anew, empty.

It may be deleted at any time, also under a running process. Work that fails because of it begins once more on a new
file, and where the disk is full or read-only, in memory. Who fills it learns by `openings` that it may be empty.
"""

import contextlib
import fcntl
import functools
import json
import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from .. import disk
from ..errors import Busy

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

R = TypeVar("R")


class Throwaway:
    def __init__(self, path: Path, schema: str, version: str, *, read_only: bool, beside: Collection[str] = ()) -> None:
        self._path, self._folder, self._beside = path, path.parent, beside
        self._schema, self._version = schema, version
        self._lock = threading.RLock()
        self._on_disk = not read_only
        self._identity: tuple[int, int] | None = None
        self._db: sqlite3.Connection | None = None
        self._remembered: dict[str, Any] = {}  # read once, until somebody writes
        self._up_to_date = False  # so far as this piece of work need know
        self.openings = 0  # each may have begun with an empty database
        self.spoilt = False  # found so by somebody who went on without it

    def close(self) -> None:
        with self._lock:
            self._drop_connection()

    def renew(self) -> None:
        """Begin again, empty."""
        with self._lock:
            self.spoilt = False
            self._replace()

    def healed(self, work: Callable[[], R]) -> R:
        """One at a time; and when the database turns out to be gone or broken, once more on a new one."""
        with self._lock:
            for mend in (self._replace, self._leave_disk):
                self._up_to_date = False
                try:
                    self._notice_replacement()
                    return work()
                except (sqlite3.DatabaseError, json.JSONDecodeError, OSError) as error:
                    if is_busy(error):
                        raise Busy("the index is busy in another process; try again.") from None
                    mend()
            return work()

    def beside(self, name: str) -> Path | None:
        """Where a file lies that goes when the database does; nowhere while it is in memory."""
        return self._folder / name if self._on_disk else None

    # Questions and changes

    def do(self, statement: str, *values: Any) -> None:
        self._connection().execute(statement, values)

    def many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        self._connection().executemany(statement, rows)

    def all(self, query: str, *values: Any) -> list[Any]:
        return self._connection().execute(query, values).fetchall()

    def one(self, query: str, *values: Any) -> Any:
        row = self._connection().execute(query, values).fetchone()
        return row[0] if row else None

    def remember(self, what: str, read: Callable[[], R]) -> R:
        """Something that stays true until this process or, as data_version tells, another one writes."""
        if not self._up_to_date:
            version, self._up_to_date = self.one("PRAGMA data_version"), True
            if self._remembered.get("version") != version:
                self._remembered = {"version": version}
        if what not in self._remembered:
            self._remembered[what] = read()
        found: R = self._remembered[what]
        return found

    def forget(self) -> None:
        """For who writes what somebody may remember: data_version tells of others only."""
        self._remembered.clear()

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """All that is read inside is of one moment."""
        db = self._connection()
        db.execute("BEGIN")
        self._up_to_date = False
        try:
            yield
        finally:
            if db.in_transaction:
                db.execute("COMMIT")

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        db = self._connection()
        with self._alone():
            if self._on_disk and _identity(self._path) != self._identity:
                raise sqlite3.DatabaseError("replaced by another process just now")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    # The file

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._open() if self._on_disk else self._made(":memory:")
            self.openings += 1
        return self._db

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process writes or replaces the index meanwhile: a journal must not meet another file."""
        if not self._on_disk:
            yield
            return
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _open(self) -> sqlite3.Connection:
        if db := self._opened():
            return db
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._alone():
            db = self._opened()  # another process may have been quicker
            if db is None:
                self._make()
                db = self._opened()
        if db is None:
            raise sqlite3.DatabaseError("the index cannot be opened")
        return db

    def _opened(self) -> sqlite3.Connection | None:
        """The index on disk, if there is one and it is ours, of this version and of this boot."""
        self._identity = _identity(self._path)
        if self._identity is None:
            return None
        disk.move_oddities(self._path)
        db = _connected(str(self._path))
        try:
            kept = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('version', 'boot')").fetchall())
            if kept == {"version": self._version, "boot": _boot()}:
                return db
        except sqlite3.DatabaseError as error:
            if is_busy(error):
                raise
        db.close()
        return None

    def _make(self) -> None:
        """A new index under another name, then in place of whatever stands there."""
        fresh = self._folder / f"{self._path.name}.{os.getpid()}.{threading.get_ident()}.new"
        fresh.unlink(missing_ok=True)
        self._made(str(fresh)).close()
        fresh.with_name(f"{fresh.name}-journal").unlink(missing_ok=True)
        fresh.chmod(0o600)
        for suffix in ("-journal", "-wal", "-shm"):
            (self._folder / f"{self._path.name}{suffix}").unlink(missing_ok=True)
        for name in self._beside:
            with contextlib.suppress(OSError):
                (self._folder / name).unlink()
        if self._path.is_dir() and not self._path.is_symlink():
            raise OSError("a folder stands where the index should be")
        fresh.replace(self._path)

    def _made(self, name: str) -> sqlite3.Connection:
        db = _connected(name)
        db.executescript(f"BEGIN; {self._schema} COMMIT;")
        db.executemany("INSERT INTO meta VALUES (?,?)", [("version", self._version), ("boot", _boot())])
        return db

    def _notice_replacement(self) -> None:
        if self._db is not None and self._on_disk and _identity(self._path) != self._identity:
            self._drop_connection()

    def _replace(self) -> None:
        """What is there failed us: away with it, unless another process has replaced it already."""
        known = self._identity
        self._drop_connection()
        with contextlib.suppress(OSError, sqlite3.DatabaseError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._alone():
                if self._on_disk and _identity(self._path) == known:
                    self._make()

    def _leave_disk(self) -> None:
        """A disk that is full or read-only must not end searching: this process goes on in memory."""
        self._drop_connection()
        self._on_disk = False

    def _drop_connection(self) -> None:
        self._remembered, self._up_to_date = {}, False
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
        self._db = None


def is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _connected(name: str) -> sqlite3.Connection:
    db = sqlite3.connect(name, timeout=30, isolation_level=None, check_same_thread=False)
    for pragma in ("busy_timeout=30000", "synchronous=OFF", "trusted_schema=OFF", "temp_store=MEMORY"):
        db.execute(f"PRAGMA {pragma}")
    with contextlib.suppress(sqlite3.DatabaseError):  # what is no database says so at the first question
        db.execute("PRAGMA journal_mode=TRUNCATE")
    return db


@functools.cache
def _boot() -> str:
    """Changes when the machine starts: synchronous=OFF survives a killed process, not a lost power supply."""
    if _BOOT_ID.exists():
        return _BOOT_ID.read_text().strip()
    import subprocess  # only where there is no /proc

    with contextlib.suppress(OSError, subprocess.SubprocessError):
        asked = subprocess.run(["sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, timeout=5)
        return asked.stdout.decode(errors="replace").strip()
    return ""
