"""Tell whether a home still stands where it was opened.

A home that is renamed, or whose disk is unmounted, leaves nothing or an empty folder behind, in which a running server
must not begin another memory. A home is known by its folder while that is there, else by the random id in its ledger.
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
        # Held open, so that no other folder gets their inodes.
        self._held = {path: _held(path) for path in (self._home, self._sidecar)}

    def close(self) -> None:
        for fd in self._held.values():
            if fd is not None:
                os.close(fd)
        self._held.clear()

    def is_same(self) -> bool:
        """Tell whether the folders are those that were opened; False where the same home came back in others.

        Raises Broken where another home stands there, or none.
        """
        if self._is_there(self._sidecar):
            return True
        if self._held[self._home] is None:  # there was none to read: one may have been made since
            return not self._home.is_dir()
        if self._is_there(self._home) and not self._sidecar.exists() and (self._home / MEMORY).is_dir():
            return True  # the sidecar alone was deleted, or never was: the memories are served without it
        if self._id is None or home_id(self._sidecar) != self._id:
            raise Broken(GONE)
        return False

    def _is_there(self, folder: Path) -> bool:
        fd = self._held[folder]
        try:
            return fd is not None and os.path.samestat(os.fstat(fd), os.stat(folder, follow_symlinks=False))
        except OSError:
            return False


def _held(folder: Path) -> int | None:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
