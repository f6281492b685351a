"""The policy for a SQLite file whose rows can be made again: replace one that is missing, broken, old or foreign."""

import fcntl
import functools
import json
import os
import sqlite3
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path

from ..errors import Busy
from . import fs
from .sqlite import Remedy, SqliteFile, identity_of, is_busy

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Cache:
    """The policy for rows that can be made again.

    A file that is missing, broken, of another version or from before the last boot is replaced by an empty one. If the
    disk is full or read-only, this process goes on in memory. Nothing waits for the disk.
    """

    mendable: tuple[type[Exception], ...] = (sqlite3.DatabaseError, json.JSONDecodeError, OSError)

    def __init__(self, schema: str, version: str, *, busy: str, beside: Collection[str] = ()) -> None:
        """`schema` makes a table `meta`, among others; `busy` is the error after waiting too long; `beside` names files
        that are deleted together with this one."""
        self._schema, self._version, self._busy, self._beside = schema, version, busy, beside
        self.remedies: Sequence[Remedy] = (self._replace, self._leave_disk)

    def open(self, file: SqliteFile) -> sqlite3.Connection:
        if not file.lasting:
            return self._made(":memory:")
        if db := self._opened(file):
            return db
        file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone_in(file.path.parent):
            db = self._opened(file)  # another process may have been quicker
            if db is None:
                self._make(file.path)
                db = self._opened(file)
        if db is None:
            raise sqlite3.DatabaseError("the file cannot be opened")
        return db

    def notice(self, file: SqliteFile) -> None:
        if file.lasting and file.replaced():
            file.close()

    @contextmanager
    def alone(self, file: SqliteFile) -> Iterator[None]:
        file.connection()  # before the lock is taken, because opening takes it too
        with alone_in(file.path.parent) if file.lasting else nullcontext():
            if file.lasting and file.replaced():
                raise sqlite3.DatabaseError("replaced by another process just now")
            yield

    def begin_failed(self, file: SqliteFile, error: sqlite3.DatabaseError) -> None:
        raise error  # `retried` then does all of the work again

    def failed(self, file: SqliteFile, error: sqlite3.DatabaseError) -> None:
        return

    def renew(self, file: SqliteFile) -> None:
        """Begin again with an empty file, unless another process has replaced the file already."""
        known = file.identity
        file.close()
        if not file.lasting:
            return
        with suppress(OSError, sqlite3.DatabaseError):
            file.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with alone_in(file.path.parent):
                if identity_of(file.path) == known:
                    self._make(file.path)

    def _replace(self, file: SqliteFile, error: Exception) -> None:
        self._refuse_if_busy(error)
        self.renew(file)

    def _leave_disk(self, file: SqliteFile, error: Exception) -> None:
        """Go on in memory, because a disk that is full or read-only must not stop searches."""
        self._refuse_if_busy(error)
        file.close()
        file.lasting = False

    def _refuse_if_busy(self, error: Exception) -> None:
        if is_busy(error):
            raise Busy(self._busy) from None

    def _opened(self, file: SqliteFile) -> sqlite3.Connection | None:
        """Return a connection to the file if it is of this version and made since the last boot, else None."""
        file.identity = identity_of(file.path)
        if file.identity is None:
            return None
        fs.move_oddities(file.path)
        db = self._connect(str(file.path))
        try:
            kept = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('version', 'boot')").fetchall())
            if kept == {"version": self._version, "boot": _boot()}:
                return db
        except sqlite3.DatabaseError as error:
            if is_busy(error):
                raise
        db.close()
        return None

    def _make(self, path: Path) -> None:
        """Make an empty file under a temporary name, and replace the one that is there."""
        fresh = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.new")
        fresh.unlink(missing_ok=True)
        self._made(str(fresh)).close()
        fresh.with_name(f"{fresh.name}-journal").unlink(missing_ok=True)
        fresh.chmod(0o600)
        for suffix in ("-journal", "-wal", "-shm"):
            path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
        for name in self._beside:
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
        db = sqlite3.connect(name, timeout=30, isolation_level=None, check_same_thread=False)
        for pragma in ("busy_timeout=30000", "synchronous=OFF", "trusted_schema=OFF", "temp_store=MEMORY"):
            db.execute(f"PRAGMA {pragma}")
        with suppress(sqlite3.DatabaseError):  # a file that is no database fails at the first query
            db.execute("PRAGMA journal_mode=TRUNCATE")
        return db


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, so that no other process writes or replaces its cache while the journal is in use."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


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
