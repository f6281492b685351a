"""The folder .clawbrain/ of a home: its lock, the ledger (it exists nowhere else) and the index (made from the files).

Every change of files or ledger happens inside `Storage.locked()`: one flock for all processes and one mutex
for the threads of this one. The lock is held for milliseconds, never across a scan or a plan. Reads take no lock.
"""

import fcntl
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Broken, Busy
from ..logs import INFO, Log
from . import fs
from .index import Index
from .ledger import Ledger

if TYPE_CHECKING:
    from .conversations import Records

log = Log("storage")

PATIENCE = 30.0
LONG_WAIT = 0.1  # seconds of waiting for the lock that are logged
# Seconds between two tries for the lock, which is held for milliseconds. Whoever has waited long tries more often, so
# that with eight processes nobody waits much longer than the others. Letting the system queue them was slower.
PAUSE, LONG, SHORT_PAUSE = 0.004, 0.06, 0.0007


class Storage:
    """The lock, the ledger, the index and the conversations of one home."""

    def __init__(
        self, home: Path, clock: Callable[[], datetime], *, read_only: bool, at: Callable[[str], None]
    ) -> None:
        self.folder = home / ".clawbrain"
        self.read_only = read_only
        self._mutex = threading.RLock()
        self._depth = 0
        self._lock_fd = -1
        if not read_only:
            self._make_folder()
        self.ledger = Ledger(self.folder, clock, read_only=read_only, at=at, locked=self.locked)
        self.index = Index(self.folder, read_only=read_only)
        self._clock, self._at = clock, at
        self._records: Records | None = None

    def _make_folder(self) -> None:
        home = self.folder.parent
        fresh = not home.exists()
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        for folder in (self.folder, *(self.folder / name for name in ("tmp", "history", "backups"))):
            if folder.is_symlink():
                raise Broken(f"'{folder.name}' in the home's .clawbrain is a link, and none is followed: move it away.")
            folder.mkdir(mode=0o700, exist_ok=True)
        try:
            fd = os.open(self.folder / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        except FileExistsError:
            return
        with os.fdopen(fd, "w") as ignore:
            ignore.write("*\n")
        for folder in (self.folder, home, *([home.parent] if fresh else [])):
            fs.flush_path(folder)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store's lock; the same thread may take it again. Raises Busy when it is not free in time."""
        begun = time.monotonic()
        if not self._mutex.acquire(timeout=PATIENCE):
            raise Busy("the store is busy; try again in a moment.")
        try:
            if self._depth == 0:
                self._lock_fd = self._flock()
                if (waited := time.monotonic() - begun) > LONG_WAIT:
                    log(INFO, "waited %.0f ms for the store's lock", waited * 1000)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    os.close(self._lock_fd)
        finally:
            self._mutex.release()

    def _flock(self) -> int:
        begun = time.monotonic()
        while True:
            fd = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self._is_current(fd):
                    return fd
            except BlockingIOError:
                pass
            os.close(fd)
            waited = time.monotonic() - begun
            if waited > PATIENCE:
                raise Busy("another process holds the store; try again in a moment.")
            time.sleep(PAUSE if waited < LONG else SHORT_PAUSE)

    def _is_current(self, fd: int) -> bool:
        """Tell whether this is still the lock's file: a lock on a deleted file (git clean) would keep nobody out."""
        try:
            return os.path.samestat(os.fstat(fd), os.stat(self.folder / "lock", follow_symlinks=False))
        except FileNotFoundError:
            return False

    def open_records(self, warn: Callable[[str], None]) -> "Records":
        """Open the conversations and the audit log; `warn` gets each warning about them."""
        from .conversations import Records  # most sessions need neither conversations nor the audit log

        self._records = Records(self.folder, self._clock, warn, self.locked, read_only=self.read_only, at=self._at)
        return self._records

    def close(self) -> None:
        if self._records:
            self._records.close()
        self.index.close()
        self.ledger.close()
