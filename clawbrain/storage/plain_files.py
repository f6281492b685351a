"""A folder of the home for plain text files that are no memories and are not searched.

A path is checked part by part and walked without following a link. A file that is put away moves into the history of
the home, with the time in its name.
"""

import os
import re
import stat
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import datetime
from itertools import count
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from ..errors import AlreadyExists, BadPath, Invalid, NotFound
from ..memory.header import Unreadable
from ..memory.model import digest, shown
from . import fs
from .folders import HISTORY, Folders
from .recovery import Workbench

LARGEST = 10 * 1024 * 1024
DEEPEST = 10
LONGEST_PART = 255  # bytes of a name on the file systems that people use

_WORD = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*")


class File(NamedTuple):
    """A plain file: its name, its size in bytes and the time of its last change."""

    name: str
    size: int
    modified: float


class PlainFolder:
    """The plain files of one folder. The caller holds the lock when it changes something.

    A path begins with '/' and is below that folder; BadPath is raised for one that breaks a rule.
    """

    def __init__(
        self,
        home: Path,
        at: Callable[[str], None],
        clock: Callable[[], datetime],
        folder: str,
        hint: str = "",
        clean: Callable[[str], str] = str,
    ) -> None:
        self._folders, self._clock = Folders(home), clock
        self._bench = Workbench(self._folders, at, clock)
        self._root, self._hint, self._clean = folder, hint, clean

    def keep(self, path: str, text: str) -> int:
        """Write a new file and return its size in bytes. Raises Invalid for a text that is large or no Unicode,
        AlreadyExists, BadPath."""
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise Invalid("content holds a lone surrogate, which no file can; send valid Unicode.") from None
        if size > LARGEST:
            raise Invalid(f"content has {size} bytes; {LARGEST} is the most.")
        return self.keep_bytes(path, self._clean(text).encode())

    def keep_bytes(self, path: str, data: bytes) -> int:
        """Write a new file as it is and return its size in bytes; the caller has looked at size and content.

        Raises AlreadyExists, BadPath.
        """
        if self._clean(path) != path:
            raise BadPath("the path seems to hold a secret; take another path.")
        folder, name = os.path.split(self._within(path))
        temporary = f"c~{digest(data)[:12]}~{os.getpid()}"
        try:
            with self._folders.open(folder, create=True) as at, self._bench.open() as tmp:
                try:
                    fs.write_new(temporary, data, tmp)
                    fs.move(temporary, name, tmp, at)
                except OSError as error:
                    with suppress(FileNotFoundError):  # a save that fails leaves nothing behind
                        os.unlink(temporary, dir_fd=tmp)
                    if not isinstance(error, FileExistsError):
                        raise
                    raise AlreadyExists(f"{path} already exists; delete it first or take another path.") from None
                self._folders.flush_name(folder, at)
        except (NotADirectoryError, Invalid) as fault:
            raise _in_the_way(path) from fault
        return len(data)

    def text(self, path: str) -> str:
        """Return the text of a file. Raises NotFound, BadPath, Unreadable."""
        return _decoded(path, self.data(path, LARGEST + 1))

    def data(self, path: str, most: int = -1) -> bytes:
        """Return the bytes of a file, at most so many. Raises NotFound, BadPath."""
        folder, name = os.path.split(self._within(path))
        try:
            with self._folders.open(folder) as at:
                fd = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
        except (FileNotFoundError, NotADirectoryError):
            raise self._missing(path) from None
        except OSError:
            raise _in_the_way(path) from None
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            os.close(fd)
            raise self._missing(path)
        with os.fdopen(fd, "rb") as file:
            return file.read(most)

    def listed(self, path: str) -> tuple[list[str], list[File]]:
        """Return the folders and the files of a folder, sorted by name; nothing where there is no such folder."""
        folders, files = [], []
        try:
            with self._folders.open(self._within(path, file=False)) as at, os.scandir(at) as entries:
                for entry in entries:
                    if _WORD.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                        folders.append(entry.name)
                    elif _WORD.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                        found = entry.stat(follow_symlinks=False)
                        files.append(File(entry.name, found.st_size, found.st_mtime))
        except (FileNotFoundError, NotADirectoryError):
            return [], []
        return sorted(folders), sorted(files)

    def put_away(self, path: str) -> str:
        """Move a file into the history, remove folders that are left empty, and return its path there.

        Raises NotFound.
        """
        folder, name = os.path.split(self._within(path))
        try:
            with self._folders.open(folder) as at, self._folders.open(f"{HISTORY}/{folder}", create=True) as there:
                if not stat.S_ISREG(os.stat(name, dir_fd=at, follow_symlinks=False).st_mode):
                    raise self._missing(path)
                moment = f"{self._clock():%Y%m%dT%H%M%SZ}"
                free = _free(name, moment, os.listdir(there))
                fs.move(name, free, at, there)
                fs.flush(there)
                fs.flush(at)
        except (FileNotFoundError, NotADirectoryError):
            raise self._missing(path) from None
        self._clear_folders(folder)
        return f"{HISTORY}/{folder}/{free}"

    def _clear_folders(self, folder: str) -> None:
        while folder != self._root:
            folder, name = os.path.split(folder)
            try:
                with self._folders.open(folder) as at:
                    os.rmdir(name, dir_fd=at)
            except OSError:
                return  # something else is still in it

    def _within(self, path: str, file: bool = True) -> str:
        """Return the path below the home. Raises BadPath where a rule for paths is broken."""
        if not path.startswith("/"):
            raise BadPath(f"{shown(path)} does not begin with '/'.")
        words = path[1:].split("/")
        if not file and words[-1] == "":
            words = words[:-1]
        elif words[-1] == "":
            raise BadPath(f"{shown(path)} names no file; a path does not end with '/'.")
        for word in words:
            if not _WORD.fullmatch(word):
                raise BadPath(f"{shown(path)} holds {shown(word)}: {_fault(word)}.")
            if len(word) > LONGEST_PART:
                raise BadPath(f"{shown(word)} has {len(word)} characters; {LONGEST_PART} is the most between two '/'.")
        if len(words) > DEEPEST:
            raise BadPath(f"{shown(path)} has {len(words)} levels; {DEEPEST} is the most.")
        return "/".join((self._root, *words))

    def _missing(self, path: str) -> NotFound:
        return NotFound(f"{shown(path)} is not found{self._hint and f'; {self._hint}'}.")


def _fault(word: str) -> str:
    if not word:
        return "two slashes in a row"
    if word in (".", ".."):
        return "a path may not lead elsewhere"
    if word.startswith("."):
        return "hidden files are not kept"
    return "only letters, digits, '.', '_', '-' and '/' are allowed"


def _free(name: str, moment: str, taken: Collection[str]) -> str:
    """Return a free name in the history: the file's, cut off where it is too long, with the time and a number."""
    for number in count(1):
        ending = f".{moment}" + (f".{number}" if number > 1 else "")
        if (kept := f"{name[: LONGEST_PART - len(ending)]}{ending}") not in taken:
            return kept
    raise AssertionError("there is always another number")


def _in_the_way(path: str) -> BadPath:
    return BadPath(f"{shown(path)} leads through a link or a file; take another path.")


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise Unreadable(f"{PurePosixPath(path).name} is not UTF-8 text") from None
