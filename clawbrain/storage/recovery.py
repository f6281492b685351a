"""The temporary files of changes, and what a killed process left of them.

A change writes under a temporary name in .clawbrain/tmp while it holds the store's lock. A temporary file found under
the lock was therefore left by a killed process, and its name tells what it was:

    c~…, g~…, w~…               a text that was not complete, or not in its place yet: deleted
    u~EXPECTED~OURS~KEY         an update, with the first letters of both hashes: what it swapped out goes onto the
                                shelf KEY of the history, or back into its place where somebody had just saved it
    p~OURS                      the path of the memory that this update was about
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from itertools import count

from ..errors import Invalid
from ..memory.model import digest
from . import fs
from .folders import HISTORY, MEMORY, TMP, Folders, read_at
from .shelves import free_names, id_of_shelf

_LONGEST_NAME = 255  # bytes, on nearly every disk


class Surprise(Exception):
    """The file is not what the caller had read. `current` is its text, `kept_as` the name of another kept beside it."""

    def __init__(self, current: bytes, kept_as: str = "") -> None:
        super().__init__("the file changed meanwhile")
        self.current, self.kept_as = current, kept_as


class Workbench:
    """The folder for temporary files of one home, which recovers whatever a killed process has left in it.

    `at` is called with the name of each step.
    """

    def __init__(self, folders: Folders, at: Callable[[str], None], clock: Callable[[], datetime]) -> None:
        self.folders, self.at, self.clock = folders, at, clock
        self.recovered: list[str] = []  # sentences on what was repaired after a killed process

    @contextmanager
    def open(self, create: bool = True) -> Iterator[int]:
        """Open the folder for temporary files, after recovering what killed processes have left in it.

        Raises FileNotFoundError where it is missing and `create` is false.
        """
        with self.folders.open(TMP, create=create) as tmp:
            if left := os.listdir(tmp):
                self._recover(left, tmp)
            yield tmp

    # Moving texts out of and into their places

    def swap_back(self, temporary: str, name: str, tmp: int, at: int, ours: str) -> None:
        """Put back the text that the swap took out, because somebody saved it after we had read the file.

        Raises Surprise where yet another text was saved meanwhile; that one is kept beside the file.
        """
        theirs = read_at(temporary, tmp)
        self.at("replace: swap back")
        fs.swap(temporary, name, tmp, at)
        self.at("replace: compare again")
        came_out = read_at(temporary, tmp)
        if came_out is not None and digest(came_out) == ours:
            os.unlink(temporary, dir_fd=tmp)
            fs.flush(at)
        else:  # they saved once more meanwhile: that text is kept too
            kept_as = self.keep_beside(temporary, name, tmp, at)
            raise Surprise(theirs or b"", kept_as)

    def keep_beside(self, temporary: str, name: str, tmp: int, at: int) -> str:
        """Move a text beside a memory under a name with `.conflict-`, for its owner to look at; return that name."""
        stem = f"{_cut(name.removesuffix('.md'), 200)}.conflict-{self.clock():%Y%m%dT%H%M%SZ}"
        for tried in numbered(f"{stem}.md"):
            with suppress(FileExistsError):
                fs.move(temporary, tried, tmp, at)
                fs.flush(at)
                return tried
        raise AssertionError("there is always another number")

    def shelve(self, temporary: str, tmp: int, shelf: int, folder: str) -> str:
        """Move a text onto a shelf of the history under the next number; return its name."""
        taken = os.listdir(shelf)
        with suppress(OSError), self.folders.open(f"{HISTORY}/{id_of_shelf(os.path.basename(folder))}") as older:
            taken += os.listdir(older)  # texts of the id without a life: one order for both
        self.folders.flush_way(folder, shelf)
        for name in free_names(taken, f"{self.clock():%Y%m%dT%H%M%SZ}"):
            with suppress(FileExistsError):
                fs.move(temporary, name, tmp, shelf)
                fs.flush(shelf)
                return name
        raise AssertionError("there is always another number")

    # What a killed process left behind

    def _recover(self, left: list[str], tmp: int) -> None:
        """Recover temporary files: the texts before the `p~` files, which say where a text belongs."""
        for name in sorted(left, key=lambda name: name.startswith("p~")):
            data = read_at(name, tmp)
            parts = name.removeprefix(fs.SPARE).split("~", 3)
            spare_of_swapped = name.startswith(fs.SPARE) and name.removeprefix(fs.SPARE) not in left
            interrupted = len(parts) == 4 and (spare_of_swapped or not name.startswith(fs.SPARE))
            if parts[0] == "u" and interrupted and data is not None and not digest(data).startswith(parts[2]):
                self._recover_text(name, tmp, data, *parts[1:])
            else:
                clear(tmp, name)

    def _recover_text(self, name: str, tmp: int, data: bytes, expected: str, ours: str, key: str) -> None:
        """Keep a text that an interrupted update had already swapped out of its memory."""
        if digest(data).startswith(expected):
            self._recover_into_history(name, tmp, key)
            self._say(key, "the text before it is in its history")
            return
        # Somebody had saved it just before the swap, and the process was killed before it was put back.
        try:
            path = (read_at(f"p~{ours}", tmp) or b"").decode()
            where = self._bring_home(name, tmp, path, ours)
            said = f"a text saved in that instant is at {where}"
        except (OSError, Invalid):
            self._recover_into_history(name, tmp, key)
            said = "a text saved just then is in its history"
        self._say(key, said)

    def _say(self, key: str, what: str) -> None:
        self.recovered.append(f"an update of {id_of_shelf(key)} was interrupted; {what}.")

    def _bring_home(self, temporary: str, tmp: int, path: str, ours: str) -> str:
        """Put a text back into its place if our own text is still there, else beside it; return where it is."""
        folder, name = os.path.split(f"{MEMORY}/{path}")
        if not name:
            raise Invalid("nothing says where it belongs")
        with self.folders.open(folder) as at:
            stands = read_at(name, at)
            if stands is None or not digest(stands).startswith(ours):
                return f"{folder}/{self.keep_beside(temporary, name, tmp, at)}"
            try:
                self.swap_back(temporary, name, tmp, at, digest(stands))
            except Surprise as surprise:
                return f"{folder}/{name}, another at {surprise.kept_as}"
        return f"{folder}/{name}"

    def _recover_into_history(self, name: str, tmp: int, key: str) -> None:
        folder = f"{HISTORY}/{key}"
        with self.folders.open(folder, create=True) as shelf:
            self.shelve(name, tmp, shelf, folder)


def clear(folder: int, *names: str) -> None:
    """Delete temporary files. One that cannot be deleted does no harm, and `check` lists it."""
    for name in names:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)


def numbered(name: str) -> Iterator[str]:
    """Yield a name and then numbered ones: old-style.md, old-style~2.md, old-style~3.md, …"""
    yield name
    for number in count(2):
        yield with_number(name, number)


def with_number(name: str, number: int) -> str:
    """Return a file name with a number, its end cut off where it would be longer than a file name can be."""
    ending = f"~{number}.md"
    return _cut(name.removesuffix(".md"), _LONGEST_NAME - len(ending)) + ending


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text that has at most so many bytes."""
    return text.encode()[:most].decode(errors="ignore")
