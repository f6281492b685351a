"""The history: the texts that updates replaced, on a shelf for each life of a memory.

An id may be used again after its memory was archived, so a shelf is named after the id and the life (storage/lives). A
text that is replaced while no life is known goes to a shelf that is named after the id alone, as all texts did once.
Such a text belongs to the one memory of that id that was live at its time; where that is not certain it is left where
it is and may be of another memory.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple, Protocol

from ..memory.model import digest
from .folders import HISTORY, Folders

_NAME = re.compile(r"(\d+)-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.md")
_OF_A_LIFE = "@"  # between an id, which has no such letter, and its life
_UNREACHABLE = (FileNotFoundError, NotADirectoryError, PermissionError)  # no shelf, or a link, which is not followed
_LONGEST = 215  # bytes of a shelf's name; a temporary file of an update has that name with more before it


class Version(NamedTuple):
    """A text that an update replaced: its name, its size, its shelf, and whether it is certainly of this memory."""

    name: str
    size: int
    shelf: str = ""
    certain: bool = True

    @property
    def file(self) -> str:
        """Return the name of the file on the shelf."""
        return self.name.rpartition("~")[2]


class KnownLives(Protocol):
    """The lives of ids, as the ledger knows them."""

    def life_of(self, id: str) -> str:
        """Return the life of the memory that has an id now, or '' where that is not known."""

    def life_at(self, id: str, at: str) -> str:
        """Return the life of the only memory that can have had an id at a time, or '' where that is not certain."""

    def is_life(self, life: str) -> bool:
        """Tell whether a live or archived memory has this life."""


class NoLives:
    """The lives where there is no ledger: none is known."""

    def life_of(self, id: str) -> str:
        return ""

    def life_at(self, id: str, at: str) -> str:
        return ""

    def is_life(self, life: str) -> bool:
        return False


class Shelves:
    """The shelves of one home. The caller holds the lock when it changes something."""

    def __init__(self, folders: Folders, lives: KnownLives) -> None:
        self._folders, self._lives = folders, lives

    def key(self, id: str) -> str:
        """Return the name of the shelf for the text that an update of this id replaces now."""
        return shelf_name(id, self._lives.life_of(id))

    def of(self, id: str, life: str | None = None) -> list[Version]:
        """Return the texts that are certainly or perhaps of a life of an id (by default the present one), oldest first.

        Texts on shelves of lives that nobody knows any more are not among them: see `strangers`.
        """
        life = self._lives.life_of(id) if life is None else life
        found = self._on(shelf_name(id, life)) if life else []
        for version in self._on(history_key(id)):
            owner = self._lives.life_at(id, _time_of(version.name)) if life else life
            if owner == life or not owner or not self._lives.is_life(owner):
                found.append(version._replace(certain=owner == life))
        return sorted(found, key=_by_number)

    def strangers(self, id: str) -> list[Version]:
        """Return the texts of this id on shelves of lives that no live or archived memory has."""
        beginning, found = shelf_name(id, "x")[:-1], list[Version]()
        with suppress(*_UNREACHABLE), self._folders.open(HISTORY) as shelves:
            for name in os.listdir(shelves):
                life = name.removeprefix(beginning)
                if life != name and not self._lives.is_life(life):
                    found += [each._replace(name=f"{life[:6]}~{each.name}", certain=False) for each in self._on(name)]
        return sorted(found, key=_by_number)

    def _on(self, shelf: str) -> list[Version]:
        try:
            with self._folders.open(f"{HISTORY}/{shelf}") as at:
                found = [Version(name, os.stat(name, dir_fd=at).st_size, shelf) for name in os.listdir(at)]
        except _UNREACHABLE:
            return []
        return sorted((version for version in found if _NAME.fullmatch(version.name)), key=_by_number)

    def delete(self, versions: list[Version]) -> None:
        """Delete texts for good, and the shelves that are empty then."""
        for name in dict.fromkeys(version.shelf for version in versions):
            with suppress(FileNotFoundError), self._folders.open(f"{HISTORY}/{name}") as shelf:
                for version in versions:
                    if version.shelf == name:
                        os.unlink(version.file, dir_fd=shelf)
            with suppress(OSError), self._folders.open(HISTORY) as shelves:
                os.rmdir(name, dir_fd=shelves)  # refused where another text is on it


def history_key(id: str) -> str:
    """Return the name of the shelf of an id without a life: the id, or a hash of one too long for a file name."""
    return id if len(id.encode()) <= _LONGEST else f"{digest(id.encode())[:40]}"


def shelf_name(id: str, life: str) -> str:
    """Return the name of the shelf of a life of an id, or of the id alone where its life is ''."""
    if not life:
        return history_key(id)
    known = id if len(id.encode()) <= _LONGEST - 17 else digest(id.encode())[:40]
    return f"{known}{_OF_A_LIFE}{life}"


def id_of_shelf(shelf: str) -> str:
    """Return the id, or the hash of a long one, after which a shelf is named."""
    return shelf.partition(_OF_A_LIFE)[0]


def free_names(taken: list[str], moment: str) -> Iterator[str]:
    """Yield names for the next text of a memory whose other texts have the names `taken`."""
    number = 1 + max((int(name[1]) for name in map(_NAME.fullmatch, taken) if name), default=0)
    while True:
        yield f"{number:04}-{moment}.md"
        number += 1


def _by_number(version: Version) -> tuple[int, str]:
    return int(version.file.partition("-")[0]), version.file


def _time_of(name: str) -> str:
    """Return the time in the name of a text, as the ledger writes it."""
    found = _NAME.fullmatch(name)
    if not found:
        return ""
    _, year, month, day, hour, minute, second = found.groups()
    return f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
