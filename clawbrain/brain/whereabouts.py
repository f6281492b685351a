"""Tell whether a home still stands where it was opened.

A home that is renamed, or whose disk is unmounted, leaves nothing or an empty folder behind, in which a running server
must not begin another memory. A home is known by its folder while that is there, else by the random id in its ledger.
Where the sidecar alone is deleted, or comes, the home is opened anew: the files are what it remembers.
"""

import os
from pathlib import Path

from ..errors import Broken
from ..storage.folders import DOT_FOLDER, MEMORY
from ..storage.ledger_file import home_id

GONE = (
    "the home that this server opened is gone (renamed, or its disk is not mounted), so nothing was read or written: "
    "bring it back, or start the server anew."
)


class Whereabouts:
    """The folders of a home as they were when it was opened, and its id."""

    def __init__(self, home: Path, id: str | None) -> None:
        self._home, self._sidecar, self._id = home, home / DOT_FOLDER, id
        # Held open, so that no other folder gets their inodes. A link in the sidecar's place is not followed.
        self._held = {self._home: _held(self._home), self._sidecar: _held(self._sidecar, os.O_NOFOLLOW)}
        self._before = self._entry()

    def close(self) -> None:
        for fd in self._held.values():
            if fd is not None:
                os.close(fd)
        self._held.clear()

    def is_same(self) -> bool:
        """Tell whether the folders are those that were opened; False where the same home came back in others, or lost
        its sidecar or got one, and is to be opened anew.

        Raises Broken where another home stands there, or none.
        """
        if self._is_there(self._sidecar, follow=False):
            return True
        if self._held[self._home] is None:  # there was none to read: one may have been made since
            return not self._home.is_dir()
        if self._is_there(self._home) and (self._home / MEMORY).is_dir():
            if self._held[self._sidecar] is None:  # there was none, or a link, or one that this user may not enter
                return self._entry() == self._before
            if not os.path.lexists(self._sidecar):
                return False
        if self._id is None or home_id(self._sidecar) != self._id:
            raise Broken(GONE)
        return False

    def lost_its_sidecar(self) -> bool:
        """Tell whether the sidecar that was opened was deleted, and no other stands there."""
        return self._held[self._sidecar] is not None and not os.path.lexists(self._sidecar)

    def is_gone(self) -> bool:
        """Tell whether another home stands there, or none."""
        try:
            self.is_same()
        except Broken:
            return True
        return False

    def _entry(self) -> tuple[int, ...] | None:
        """Return what identifies the sidecar, or the link in its place, with its mode; None where there is none."""
        try:
            found = os.lstat(self._sidecar)
        except OSError:
            return None
        return found.st_dev, found.st_ino, found.st_mode, found.st_uid, found.st_gid

    def _is_there(self, folder: Path, *, follow: bool = True) -> bool:
        fd = self._held[folder]
        try:
            return fd is not None and os.path.samestat(os.fstat(fd), os.stat(folder, follow_symlinks=follow))
        except OSError:
            return False


def _held(folder: Path, flags: int = 0) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | flags)
    except OSError:
        return None
