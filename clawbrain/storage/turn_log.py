"""Where a search notes what it showed, without waiting for the disk.

One line per search, appended with a single write: it survives a kill of the process, and whoever next holds
the store's lock moves the lines into the ledger. A line carries its own id, so moving it twice is harmless.
"""

import fcntl
import json
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from ..credit import Kind
from ..evidence import kind_from

_MOVING = ".moving"
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a link is not followed, a pipe not waited for


class Look(NamedTuple):
    """A search: its id, who asked, when, what was shown in which order, and the kind of the question."""

    id: str
    session: str
    at: str
    ids: list[str]
    kind: Kind = ()


class TurnLog:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "turns.log"

    def append(self, session: str, at: str, ids: Sequence[str], kind: Kind = ()) -> None:
        """Write a look down. Raises OSError where the disk refuses."""
        look = {"id": os.urandom(8).hex(), "session": session, "at": at, "ids": list(ids), "kind": kind}
        # Begun on a line of its own: a killed process may have left half a line before it.
        line = b"\n" + json.dumps(look, ensure_ascii=False).encode() + b"\n"
        while True:
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _CAREFULLY, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_SH)
                if self._is_current(fd):
                    os.write(fd, line)
                    return
            finally:
                os.close(fd)

    def _is_current(self, fd: int) -> bool:
        """False when the log was taken away for moving between our open and our lock."""
        try:
            return os.stat(self.path).st_ino == os.fstat(fd).st_ino
        except FileNotFoundError:
            return False

    def waiting(self) -> bool:
        return self.path.exists() or self.path.with_suffix(_MOVING).exists()

    def move(self, keep: Callable[[list[Look]], None]) -> None:
        """Hand every look to `keep`, then forget them. Under the store's lock; finishes a killed move first."""
        taken = self.path.with_suffix(_MOVING)
        for _ in range(2):
            if os.path.lexists(taken):
                keep(_read(taken))
                taken.unlink()
            if not self._take(taken):
                return

    def _take(self, taken: Path) -> bool:
        try:
            fd = os.open(self.path, os.O_RDONLY | _CAREFULLY)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            os.rename(self.path, taken)
            return True
        finally:
            os.close(fd)


def _read(path: Path) -> list[Look]:
    """The looks of a log; a torn last line is nobody's answer and is left out."""
    try:
        fd = os.open(path, os.O_RDONLY | _CAREFULLY)
    except OSError:  # a link: nothing of ours
        return []
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return []
    with os.fdopen(fd, "rb") as file:
        lines = file.read().splitlines()
    return [look for line in lines if (look := _look(line))]


def _look(line: bytes) -> Look | None:
    try:
        row = json.loads(line)
        look = Look(row["id"], row["session"], row["at"], row["ids"], kind_from(row.get("kind")) or ())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    words = (look.id, look.session, look.at, *look.ids) if isinstance(look.ids, list) else (None,)
    return look if all(isinstance(word, str) for word in words) else None
