"""The folders of a home: each is opened by walking to it part by part, following no link, and flushed by its name.

A path can therefore never lead out of the home.
"""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import Invalid
from . import fs

MEMORY, ARCHIVE, DOT_FOLDER = "memory", "archive", ".clawbrain"
TMP, HISTORY = f"{DOT_FOLDER}/tmp", f"{DOT_FOLDER}/history"
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Folders:
    """The folders of one home, given by their paths below it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._lasting: set[tuple[str, int]] = set()  # folders whose own names are flushed to the disk

    @contextmanager
    def open(self, path: str, create: bool = False) -> Iterator[int]:
        """Open a folder of the home, walking to it part by part and following no link; `create` makes missing ones."""
        fd = os.open(self.home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for part in Path(path).parts:
                inner = _step_into(fd, part, create)
                os.close(fd)
                fd = inner
            yield fd
        finally:
            os.close(fd)

    def flush_name(self, folder: str, at: int) -> None:
        """Flush the names in a folder, and those of the folders that lead to it."""
        fs.flush(at)
        self.flush_way(folder, at)

    def flush_way(self, folder: str, at: int) -> None:
        """Flush the names of a folder and of those above it, once.

        The process that made one may have been killed before it did so; a file moved into it would be lost with it.
        """
        known = (folder, os.fstat(at).st_ino)
        if folder and known not in self._lasting:
            above = os.path.dirname(folder)
            with self.open(above) as outer:
                self.flush_name(above, outer)
            self._lasting.add(known)


def make_dot_folder(home: Path, *within: str) -> None:
    """Make the folder of what is not for people to edit, with the folders `within` it, where they are missing.

    It has a .gitignore, so that a home that is committed publishes none of it. Raises OSError.
    """
    folder, fresh = home / DOT_FOLDER, not home.exists()
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    for each in (folder, *(folder / name for name in within)):
        try:
            each.mkdir(mode=0o700, exist_ok=True)
        except FileExistsError:
            raise _no_folder(each.name) from None
    try:
        fd = os.open(folder / ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        return
    with os.fdopen(fd, "w") as ignore:
        ignore.write("*\n")
    for each in (folder, home, *([home.parent] if fresh else [])):
        fs.flush_path(each)


def _no_folder(name: str) -> NotADirectoryError:
    return NotADirectoryError(
        errno.ENOTDIR, f"a link or a file stands where the folder '{name}' should be: move it away"
    )


def _step_into(fd: int, part: str, create: bool) -> int:
    """Open a folder within an open one. Raises Invalid where a part of a path is not allowed or no folder."""
    if part in ("..", "/"):
        raise Invalid("a path may not lead out of the home.")
    try:
        return os.open(part, FOLDER, dir_fd=fd)
    except FileNotFoundError:
        if not create:
            raise
    except NotADirectoryError:
        if create:
            raise Invalid(f"'{part}' in the home is a link or a file where a folder should be; move it away.") from None
        raise _no_folder(part) from None
    with suppress(FileExistsError):
        os.mkdir(part, 0o700, dir_fd=fd)
    return os.open(part, FOLDER, dir_fd=fd)


def read_at(name: str, folder: int) -> bytes | None:
    """Return the bytes of a regular file, or None for anything else."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    with os.fdopen(fd, "rb") as file:
        return file.read()
