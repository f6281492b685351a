"""Which files below a folder were touched since it was last asked: the Linux kernel notes it down for local disks.

No thread, no daemon: what happened waits in a queue, in order and before the call that did it returns, so whoever
reads the queue knows all of it. What the queue cannot tell (a folder came or went, too much happened, the folder itself
was replaced) is answered with None, and then somebody has to look at the files. Not told at all: what is done to
a file under another name of it (a hard link) outside the folder.
"""

import ctypes
import os
import struct
import sys
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

_LOCAL = {0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E, 0x794C7630}
# ext, xfs, btrfs, tmpfs, f2fs, zfs, bcachefs, overlay: nobody but this kernel writes to them
_MODIFIED, _ATTRIBUTES, _WRITTEN, _MOVED, _MADE, _DELETED, _ITSELF = 0x2, 0x4, 0x8, 0xC0, 0x100, 0x200, 0xC00
_ASKED = _MODIFIED | _ATTRIBUTES | _WRITTEN | _MOVED | _MADE | _DELETED | _ITSELF
_FOLDERS_ONLY, _NO_LINKS = 0x01000000, 0x02000000
_FOLDER = 0x40000000
_UNTOLD = _ITSELF | _FOLDER | 0x2000 | 0x4000 | 0x8000  # or unmounted, too much at once, watched no more
_EVENT = struct.Struct("iIII")


class Watch:
    def __init__(self, root: Path) -> None:
        self._root, self._identity = root, _identity(root)
        self._folders: dict[int, str] = {}
        self._knows = True
        self.close: Callable[[], object] = bool
        with self._or_is_blind():
            self._fd = _checked(_system().inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
            self.close = weakref.finalize(self, os.close, self._fd)

    def add(self, folder: str) -> None:
        """From now on it is told what happens in this folder: "" or "one/" or "one/two/"."""
        if not self._knows:
            return
        with self._or_is_blind():
            path = os.fsencode(self._root / folder)
            if _file_system(path) not in _LOCAL:
                raise OSError("others may write here without this kernel knowing")
            watched = _system().inotify_add_watch(self._fd, path, _ASKED | _FOLDERS_ONLY | _NO_LINKS)
            self._folders[_checked(watched)] = folder

    def touched(self) -> set[str] | None:
        """The files made, changed, moved or deleted since this was last asked; None when that is not known."""
        found: set[str] = set()
        with self._or_is_blind():
            for events in self._queue():
                at = 0
                while at < len(events):
                    folder, what, _, length = _EVENT.unpack_from(events, at)
                    at += _EVENT.size + length
                    if what & _UNTOLD:
                        raise OSError("a folder is not what it was, or some of it went untold")
                    name = events[at - length : at].rstrip(b"\0").decode()
                    found.add(self._folders[folder] + name)
            if _identity(self._root) != self._identity:
                raise OSError("another folder stands there")
        return found if self._knows else None

    def _queue(self) -> Iterator[bytes]:
        with suppress(BlockingIOError):  # that was all
            while self._knows:
                yield os.read(self._fd, 65_536)

    @contextmanager
    def _or_is_blind(self) -> Iterator[None]:
        try:
            yield
        except (OSError, UnicodeDecodeError):
            self._knows = False


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        now = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return now.st_dev, now.st_ino


def _file_system(path: bytes) -> int:
    answer = (ctypes.c_long * 32)()
    _checked(_system().statfs(path, answer))
    return answer[0]


def _checked(answer: int) -> int:
    if answer < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return answer


@cache
def _system() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError("only Linux tells")
    return ctypes.CDLL(None, use_errno=True)
