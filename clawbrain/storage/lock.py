"""The store's lock: every change of files or ledger happens while it is held.

It is one flock for all processes and one mutex for the threads of this one. It is held for milliseconds, never across
a scan or a plan. Reads take no lock.
"""

import errno
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import Busy
from ..logs import INFO, Log
from .patience import left, waited

log = Log("storage")

PATIENCE = 30.0
LONG_WAIT = 0.1  # seconds of waiting for the lock that are logged
# Seconds between two tries for the lock, which is held for milliseconds. Whoever has waited long tries more often, so
# that with eight processes nobody waits much longer than the others. Letting the system queue them was slower.
PAUSE, LONG, SHORT_PAUSE = 0.004, 0.06, 0.0007


class Lock:
    """The lock of one store, the file `lock` in its folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._mutex = threading.RLock()
        self._depth = 0
        self._fd = -1

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the store's lock; the same thread may take it again. Raises Busy when it is not free in time."""
        begun, patience = time.monotonic(), left(PATIENCE)
        if not self._mutex.acquire(timeout=patience):
            waited(patience)
            raise Busy("the store is busy; try again in a moment.")
        try:
            if self._depth == 0:
                self._fd = self._flock(patience)
                waited(took := time.monotonic() - begun)
                if took > LONG_WAIT:
                    log(INFO, "waited %.0f ms for the store's lock", took * 1000)
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
                if self._depth == 0:
                    os.close(self._fd)
        finally:
            self._mutex.release()

    def _flock(self, patience: float) -> int:
        begun = time.monotonic()
        while True:
            fd = self._open()
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # A lock on a file that was deleted meanwhile (git clean) would keep nobody out.
                if os.path.samestat(os.fstat(fd), os.stat(self._path, follow_symlinks=False)):
                    return fd
            except (BlockingIOError, FileNotFoundError):
                pass
            os.close(fd)
            took = time.monotonic() - begun
            if took > patience:
                waited(took)
                raise Busy("another process holds the store; try again in a moment.")
            time.sleep(PAUSE if took < LONG else SHORT_PAUSE)

    def _open(self) -> int:
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
        except IsADirectoryError:
            raise OSError(errno.EISDIR, "a folder stands at .clawbrain/lock: move it away") from None
