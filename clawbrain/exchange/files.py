"""Reading untrusted files: links are not followed, sizes are limited, and bytes must decode as text.

A single source that cannot be read is refused; a file of a folder that cannot be read is noted as a gap and skipped.
"""

import os
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..errors import Invalid, NotFound
from ..memory.header import Unreadable
from ..memory.model import shown, stamp
from ..memory.text import decode
from .draft import Gaps

MAX_NOTE = 16 * 1_048_576
MAX_DATA = 256 * 1_048_576
MAX_LINE = 16 * 1_048_576
_DEPTH = 24
_MOST = 100_000
_SKIPPED = {"node_modules", "__pycache__", "venv"}


class Note(NamedTuple):
    """A text file of a folder."""

    path: str  # below the folder, with slashes
    text: str
    modified: str

    @property
    def stem(self) -> str:
        return self.path.rpartition("/")[2].rpartition(".")[0]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


def opened(path: Path, most: int = MAX_DATA) -> BinaryIO:
    """Open the source a person named; raise NotFound or Invalid unless it is a regular file of at most `most` bytes."""
    called = shown(path.name)
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except FileNotFoundError:
        raise NotFound(f"{called} is not found.") from None
    except (OSError, ValueError):
        raise Invalid(f"{called} cannot be opened; it must be a file you may read.") from None
    at = os.fstat(file.fileno())
    if not stat.S_ISREG(at.st_mode) or at.st_size > most:
        file.close()
        raise Invalid(f"{called} is {_why_not(at, most)}.")
    return file


def _why_not(at: os.stat_result, most: int) -> str:
    return "not a regular file" if not stat.S_ISREG(at.st_mode) else f"larger than {most // 1_048_576} MB; split it"


def text_of(path: Path, most: int = MAX_DATA) -> str:
    """Return the text of a file; raise Invalid for a file that is no text."""
    with opened(path, most) as file:
        try:
            return decode(file.read(most)).removeprefix("\ufeff")
        except Unreadable as fault:
            raise Invalid(f"{shown(path.name)} is not text: {fault}.") from None


def note_of(path: Path) -> Note:
    """Return a single markdown file that a person named as a note."""
    text = text_of(path, MAX_NOTE)
    return Note(path.name, text, _modified(path.stat()))


def lines_of(path: Path, gaps: Gaps) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers; lines that are no text or too long are noted and skipped."""
    with opened(path) as file:
        number = 0
        while line := file.readline(MAX_LINE):
            number += 1
            where = f"{path.name} line {number}"
            if len(line) == MAX_LINE and not line.endswith(b"\n"):
                gaps(where, f"longer than {MAX_LINE // 1_048_576} MB")
                while (rest := file.readline(MAX_LINE)) and not rest.endswith(b"\n"):
                    pass
                continue
            try:
                text = decode(line).removeprefix("\ufeff" if number == 1 else "").strip()
            except Unreadable as fault:
                gaps(where, str(fault))
                continue
            if text:
                yield number, text


def notes(folder: Path, gaps: Gaps, wanted: Callable[[str], bool], *, among: Collection[str] = ()) -> Iterator[Note]:
    """Yield the wanted text files below a folder, sorted by path, and note how many other files lie there.

    `among` names hidden folders to descend into. The wanted files are then few among many, and the others are not
    counted.
    """
    others: Counter[str] = Counter()
    total = found = 0
    for place, folders, names, at in os.fwalk(folder, follow_symlinks=False):
        inside = os.path.relpath(place, folder).replace(os.sep, "/")
        prefix = "" if inside == "." else f"{inside}/"
        _choose(folders, prefix, among, gaps)
        _leave_out_homes(folders, place, prefix, gaps)
        for name in sorted(names):
            if name.startswith("."):
                continue
            path = prefix + name
            if not _is_text(name):
                gaps(path.encode(errors="replace").decode(), "its name is not UTF-8")
            elif not wanted(path):
                others[os.path.splitext(name)[1].lower() or "no ending"] += 1
            elif note := _note(path, name, at, gaps):
                total, found = total + len(note.text), found + 1
                if total > MAX_DATA or found > _MOST:
                    gaps(path, "the folder is too large; this and what follows was left out, import its parts")
                    return
                yield note
    if others and not among:
        kinds = ", ".join(f"{ending} {count}" for ending, count in others.most_common(8))
        gaps(folder.name or "the folder", f"{others.total()} files are no notes ({kinds})")


def _choose(folders: list[str], prefix: str, among: Collection[str], gaps: Gaps) -> None:
    """Keep in `folders` those to descend into: not hidden, not skipped by name, and not too deep."""
    if prefix.count("/") >= _DEPTH and folders:
        gaps(prefix.rstrip("/"), f"folders more than {_DEPTH} deep were left out")
        folders.clear()
    folders[:] = sorted(
        name
        for name in folders
        if _is_text(name) and name not in _SKIPPED and (not name.startswith(".") or name in among)
    )


def has_dot_folder(folder: Path) -> bool:
    """Tell whether a folder has a .clawbrain: it is a home, whose memories are imported from an export only."""
    return (folder / ".clawbrain").is_dir()


def _leave_out_homes(folders: list[str], place: str, prefix: str, gaps: Gaps) -> None:
    """Take the homes of a clawbrain out of `folders` and note them, lest a memory take itself in as notes."""
    for name in [name for name in folders if has_dot_folder(Path(place, name))]:
        folders.remove(name)
        gaps(prefix + name, "a clawbrain home, which was left out: `export json` makes what to import")


def _note(path: str, name: str, folder: int, gaps: Gaps) -> Note | None:
    """Return a file as a note, or note why it cannot be read and return None."""
    try:
        fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except OSError:
        gaps(path, "a link, or a file you may not read: name the file itself")
        return None
    with os.fdopen(fd, "rb") as file:
        at = os.fstat(fd)
        if not stat.S_ISREG(at.st_mode) or at.st_size > MAX_NOTE:
            gaps(path, _why_not(at, MAX_NOTE))
            return None
        try:
            return Note(path, decode(file.read(MAX_NOTE)).removeprefix("\ufeff"), _modified(at))
        except Unreadable as fault:
            gaps(path, str(fault))
            return None


def _modified(at: os.stat_result) -> str:
    from datetime import UTC, datetime

    try:
        return stamp(datetime.fromtimestamp(int(at.st_mtime), UTC))
    except (OverflowError, ValueError, OSError):
        return ""


def _is_text(name: str) -> bool:
    """Tell whether a file's name is valid UTF-8."""
    try:
        return bool(name.encode())
    except UnicodeEncodeError:
        return False
