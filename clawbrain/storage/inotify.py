"""The files below a folder that were touched since the last question, as Linux reports them for local disks (inotify).

There is no thread and no daemon: the kernel adds each event to a queue, in order and before the call that caused it
returns, so reading the queue gives all of them. Where the queue cannot tell (a folder came or went, too much happened,
the root itself was replaced) the answer is None and the files must be scanned. Some changes are never reported, so a
scan is needed now and then anyway: those made through another name of a file (a hard link) or through a memory mapping
that is still held, and a file system mounted over a file or folder.
"""

import os
import struct
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

_LOCAL = {0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E, 0x794C7630}
# ext, xfs, btrfs, tmpfs, f2fs, zfs, bcachefs, overlay: only this kernel writes to them
_MODIFIED, _ATTRIBUTES, _WRITTEN, _MOVED, _MADE, _DELETED, _ITSELF = 0x2, 0x4, 0x8, 0xC0, 0x100, 0x200, 0xC00
_ASKED = _MODIFIED | _ATTRIBUTES | _WRITTEN | _MOVED | _MADE | _DELETED | _ITSELF
_FOLDERS_ONLY, _NO_LINKS = 0x01000000, 0x02000000
_FOLDER = 0x40000000
_UNTOLD = _ITSELF | _FOLDER | 0x2000 | 0x4000 | 0x8000  # and unmounted, queue overflow, watch removed
_EVENT = struct.Struct("iIII")
_READ, _MOST_READ = 65_536, 64  # bytes at once, and how often at most


class Watch:
    """A watch on a folder and those below it that are added."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._fd = -1
        self._knows = False
        self._folders: dict[int, str] = {}
        self._identity: tuple[int, int] | None = None
        self.close: Callable[[], object] = bool

    def begin(self) -> None:
        """Forget all folders and events. Each folder must then be added, the root first."""
        self._knows = True
        with self._or_is_blind():
            if self._fd < 0:
                self._fd = _checked(_system().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
                self.close = weakref.finalize(self, os.close, self._fd)
            self._folders.clear()
            self._identity = _identity(self._root)
            for _ in self._queue():
                pass

    def add(self, folder: str) -> None:
        """Watch a folder from now on, given by its path below the root: "" or "one/" or "one/two/"."""
        if self._knows:
            with self._or_is_blind():
                path = os.fsencode(self._root / folder)
                if _file_system(path) not in _LOCAL:
                    raise OSError("others may write here without this kernel knowing")
                watched = _system().inotify_add_watch(self._fd, path, _ASKED | _FOLDERS_ONLY | _NO_LINKS)
                self._folders[_checked(watched)] = folder

    def touched(self) -> set[str] | None:
        """Return the files made, changed, moved or deleted since the last call, or None when that is not known."""
        found: set[str] = set()
        try:
            if "" not in self._folders.values() or _identity(self._root) != self._identity:
                raise OSError("another folder stands there, or none that can be entered")
            for events in self._queue():
                found.update(self._names(events))
        except (OSError, UnicodeDecodeError):
            self._knows = False
        return found if self._knows else None

    def _names(self, events: bytes) -> Iterator[str]:
        at = 0
        while at < len(events):
            folder, what, _, length = _EVENT.unpack_from(events, at)
            at += _EVENT.size + length
            if what & _UNTOLD:
                raise OSError("a folder is not what it was, or some of it went untold")
            if folder in self._folders:  # else it was moved away after it was added
                yield self._folders[folder] + events[at - length : at].rstrip(b"\0").decode()

    def _queue(self) -> Iterator[bytes]:
        with suppress(BlockingIOError):  # the queue is empty
            for _ in range(_MOST_READ):
                yield os.read(self._fd, _READ)
            raise OSError("it does not end")

    @contextmanager
    def _or_is_blind(self) -> Iterator[None]:
        try:
            yield
        except (OSError, UnicodeDecodeError, ImportError, AttributeError):
            self._knows = False


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        now = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return now.st_dev, now.st_ino


def _file_system(path: bytes) -> int:
    import ctypes

    answer = (ctypes.c_long * 32)()
    _checked(_system().statfs(path, answer))
    return answer[0]


def _checked(answer: int) -> int:
    if answer < 0:
        raise OSError("the system says no")
    return answer


@cache
def _system() -> Any:
    if sys.platform != "linux":
        raise OSError("only Linux tells")
    import ctypes  # a Python can be built without it

    return ctypes.CDLL(None)
