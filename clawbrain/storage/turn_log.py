"""The turn log: a search writes here which memories it showed, without waiting for the disk; and a retrieve which one
was opened, while another program holds the ledger.

Each appends one line with a single write, so the line survives a kill of the process. Whoever next holds the store's
lock moves the lines into the ledger. A line has an id of its own, so moving it twice does no harm.
"""

import fcntl
import json
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..credit import Kind
from ..credit_evidence import kind_from
from ..recalls import NOWHERE, Origin
from . import fs

_MOVING = ".moving"
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # do not follow a link, do not wait for a pipe


class LoggedSearch(NamedTuple):
    """A search: its id, its session, its time, the ids it showed in order, the kind of the question, and its origin.

    With `opened` it is a retrieve of the one memory in `ids`, or without a session an access of several.
    """

    id: str
    session: str
    at: str
    ids: list[str]
    kind: Kind = ()
    origin: Origin = NOWHERE
    opened: bool = False


class TurnLog:
    """The file turns.log of one home."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "turns.log"

    def append(
        self,
        session: str,
        at: str,
        ids: Sequence[str],
        kind: Kind = (),
        origin: Origin = NOWHERE,
        *,
        opened: bool = False,
    ) -> None:
        """Append a search to the log, or with `opened` a retrieve. Raises OSError where the disk refuses."""
        search: dict[str, Any] = {"id": os.urandom(8).hex(), "session": session, "at": at}
        search |= {"ids": list(ids), "kind": kind}
        if any(origin):
            search["origin"] = origin
        if opened:
            search["opened"] = True
        # The newline comes first because a killed process may have left half a line behind.
        line = b"\n" + json.dumps(search, ensure_ascii=False).encode() + b"\n"
        while True:
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _CAREFULLY, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_SH)
                if os.stat(self.path).st_ino == os.fstat(fd).st_ino:
                    os.write(fd, line)
                    return
            except FileNotFoundError:
                pass  # `move` took the log away between our open and our lock
            finally:
                os.close(fd)

    def waiting(self) -> bool:
        """Tell whether there are lines that the ledger does not have yet."""
        return self.path.exists() or self.path.with_suffix(_MOVING).exists()

    def openings(self, id: str) -> list[LoggedSearch]:
        """Return the retrieves of a memory that are in the log, oldest first; a move that was killed leaves lines that
        the ledger has already."""
        lines = [*_read(self.path.with_suffix(_MOVING)), *_read(self.path)]
        return [each for each in lines if each.opened and id in each.ids]

    def move(self, keep: Callable[[list[LoggedSearch]], None]) -> None:
        """Pass all searches of the log to `keep`, then delete them; a move that was killed is finished first.

        The caller holds the store's lock.
        """
        taken = self.path.with_suffix(_MOVING)
        for path in (taken, self.path):
            fs.move_oddity(path)
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


def _read(path: Path) -> list[LoggedSearch]:
    """Return the searches in a log, without lines that are incomplete or cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | _CAREFULLY)
    except OSError:  # a link, which is not followed
        return []
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return []
    with os.fdopen(fd, "rb") as file:
        lines = file.read().splitlines()
    return [search for line in lines if (search := _parsed(line))]


def _parsed(line: bytes) -> LoggedSearch | None:
    try:
        row = json.loads(line)
        kind, origin = kind_from(row.get("kind")) or (), Origin(*row.get("origin", ()))
        opened = row.get("opened") is True
        search = LoggedSearch(row["id"], row["session"], row["at"], row["ids"], kind, origin, opened)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    words = (search.id, search.session, search.at, *origin, *search.ids) if isinstance(search.ids, list) else (None,)
    return search if all(isinstance(word, str) for word in words) else None
