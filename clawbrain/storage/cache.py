"""A SQLite file whose rows can be made again: one that is missing, broken, old or foreign is replaced."""

import fcntl
import functools
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from ..errors import Busy
from . import fs
from .patience import Hurry, hurried, hurry, left, waited, waited_in_vain
from .sqlite import PATIENCE, SqliteFile, identity_of, in_our_words, is_busy, ours

P = ParamSpec("P")
R = TypeVar("R")
PAUSE = 0.001  # seconds between two tries for the folder's lock, which is held for as long as a write takes
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class CacheFile(SqliteFile):
    """A file of rows that can be made again.

    A file that is missing, broken, of another version or from before the last boot is replaced by an empty one. If the
    disk is full or read-only, this process goes on in memory; so it does for a reader in a hurry while another program
    holds the file. Nothing waits for the disk.
    """

    mendable = (sqlite3.DatabaseError, json.JSONDecodeError, OSError)

    def __init__(
        self,
        path: Path,
        schema: str,
        version: str,
        *,
        read_only: bool,
        called: str,
        deleted_with: Collection[str] = (),
        held: Callable[[], None] = lambda: None,
    ) -> None:
        """`schema` makes a table `meta`, among others; `called` names the file in errors; `deleted_with` names files
        that are deleted together with this one. `held` is called when another program holds the file and this process
        goes on in memory."""
        super().__init__(path, read_only=read_only)
        self._schema, self._version, self.called, self._deleted_with = schema, version, called, deleted_with
        self._remembered: dict[str, Any] = {}  # what was read, kept until somebody writes
        self._say_held = held
        self._held = False  # this process goes on in memory for as long as another program holds the file
        self._held_in: Hurry | None = None  # the hurry in which that was found
        self.spoilt = False  # set by a caller that found the file broken and went on without it

    def _open(self) -> sqlite3.Connection:
        if not self.lasting:
            return self._made(":memory:")
        if db := self._opened():
            return db
        with alone_in(self.path.parent):
            db = self._opened()  # another process may have been quicker
            if db is None:
                self._make()
                db = self._opened()
        if db is None:
            raise sqlite3.DatabaseError("the file cannot be opened")
        return db

    def refresh(self) -> None:
        """Make the next use open the file anew where it was replaced, deleted or found broken."""
        with self.lock:
            if self._held and self._held_in != hurry():
                self._come_back()
            if self.spoilt:
                self.renew()
            if self.lasting and self.replaced():
                self.close()

    def close(self) -> None:
        with self.lock:
            self._remembered = {}
            super().close()

    def go_on_in_memory(self) -> None:
        """Work in memory until another program no longer holds the file."""
        with self.lock:
            self.close()
            self.lasting, self._held, self._held_in = False, True, hurry()
            self._say_held()

    def _come_back(self) -> None:
        """Use the file again if this process may read and write it at once."""
        try:
            with hurried(0), alone_in(self.path.parent):
                if db := self._opened():
                    with closing(db):
                        db.executescript("BEGIN IMMEDIATE; ROLLBACK;")
        except (sqlite3.Error, OSError, Busy):
            return
        self.close()
        self.lasting, self._held = True, False

    def beside(self, name: str) -> Path | None:
        """Return the path of a file that is deleted together with this one, or None while the database is in memory."""
        return self.path.with_name(name) if self.lasting else None

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Hold a transaction in which all reads see the same state."""
        self.do("BEGIN")
        try:
            yield
        finally:
            self._end_with("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold a transaction, which is kept whole or not at all, while no other process writes or replaces the file."""
        with self.lock:
            self.connection()  # before the folder's lock is taken, because opening takes it too
            with alone_in(self.path.parent) if self.lasting else nullcontext():
                if self.lasting and self.replaced():
                    raise sqlite3.DatabaseError("replaced by another process just now")
                with super().writing():
                    yield

    def renew(self) -> None:
        """Begin again with an empty file, unless another process has replaced the file already."""
        with self.lock:
            self.spoilt, known = False, self.identity
            self.close()
            if not self.lasting:
                return
            with suppress(OSError, sqlite3.DatabaseError), alone_in(self.path.parent):
                if identity_of(self.path) == known:
                    self._make()

    # What was read, kept until somebody writes

    def remember(self, what: str, read: Callable[[], R]) -> R:
        """Return the value kept under a name, read again after this process or (by data_version) another one wrote."""
        version = self.one("PRAGMA data_version")
        if self._remembered.get("version") != version:
            self._remembered = {"version": version}
        if what not in self._remembered:
            self._remembered[what] = read()
        found: R = self._remembered[what]
        return found

    def forget(self) -> None:
        """Forget what was read. Every writer calls this, because data_version tells of other processes only."""
        self._remembered.clear()

    # Opening and repairing

    def _remedies(self) -> Sequence[Callable[[Exception], None]]:
        return (self._replace, self._leave_disk)

    def _replace(self, error: Exception) -> None:
        self._raise_if_busy(error)
        self.renew()

    def _leave_disk(self, error: Exception) -> None:
        """Go on in memory, because a disk that is full or read-only must not stop searches."""
        self._raise_if_busy(error)
        self.close()
        self.lasting = False

    def _raise_if_busy(self, error: Exception) -> None:
        if is_busy(error):
            raise ours(error, self.called) from None

    def _opened(self) -> sqlite3.Connection | None:
        """Return a connection to the file if it is of this version and made since the last boot, else None."""
        self.identity = identity_of(self.path)
        if self.identity is None:
            return None
        fs.move_oddities(self.path)
        db = self._connect(str(self.path))
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
        """Make an empty file under a temporary name, and replace the one that is there."""
        path = self.path
        fresh = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.new")
        fresh.unlink(missing_ok=True)
        self._made(str(fresh)).close()
        fresh.with_name(f"{fresh.name}-journal").unlink(missing_ok=True)
        fresh.chmod(0o600)
        for suffix in ("-journal", "-wal", "-shm"):
            path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
        for name in self._deleted_with:
            with suppress(OSError):
                path.with_name(name).unlink()
        if path.is_dir() and not path.is_symlink():
            raise OSError("a folder stands where the file should be")
        fresh.replace(path)

    def _made(self, name: str) -> sqlite3.Connection:
        db = self._connect(name)
        db.executescript(f"BEGIN; {self._schema} COMMIT;")
        db.executemany("INSERT INTO meta VALUES (?,?)", [("version", self._version), ("boot", _boot())])
        return db

    def _connect(self, name: str) -> sqlite3.Connection:
        db = sqlite3.connect(name, timeout=left(self.patience), isolation_level=None, check_same_thread=False)
        for pragma in ("synchronous=OFF", "trusted_schema=OFF", "temp_store=MEMORY"):
            db.execute(f"PRAGMA {pragma}")
        with suppress(sqlite3.DatabaseError):  # a file that is no database fails at the first query
            db.execute("PRAGMA journal_mode=TRUNCATE")
        return db


class _OnCache(Protocol):
    _db: CacheFile


T = TypeVar("T", bound=_OnCache)


def healing(verb: Callable[Concatenate[T, P], R]) -> Callable[Concatenate[T, P], R]:
    """Decorate a method so that it runs again on a new database when this one is gone or broken, and in memory where
    another program holds it and the caller is in a hurry."""

    @functools.wraps(verb)
    def run(self: T, /, *args: P.args, **kwargs: P.kwargs) -> R:
        with self._db.lock:
            again = functools.partial(verb, self, *args, **kwargs)
            try:
                try:
                    return again()
                except self._db.mendable as error:
                    with in_our_words(self._db.called):
                        return self._db.retry(error, again)
            except Busy:
                if not waited_in_vain():
                    raise
                self._db.go_on_in_memory()
                return again()

    return run


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, so that no other process writes or replaces its cache while the journal is in use.

    Raises Busy when it is not free in time.
    """
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        began = time.monotonic()
        _lock(fd, began + left(PATIENCE))
        waited(time.monotonic() - began)
        yield
    finally:
        os.close(fd)


def _lock(fd: int, deadline: float) -> None:
    while True:
        try:
            return fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise Busy("another process holds the index; try again in a moment.") from None
            time.sleep(PAUSE)


@functools.cache
def _boot() -> str:
    """Return an id of this boot of the machine: with synchronous=OFF a file survives a kill, but no loss of power."""
    if _BOOT_ID.exists():
        return _BOOT_ID.read_text().strip()
    import subprocess  # only where there is no /proc

    with suppress(OSError, subprocess.SubprocessError):
        asked = subprocess.run(["sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, timeout=5)
        return asked.stdout.decode(errors="replace").strip()
    return ""
