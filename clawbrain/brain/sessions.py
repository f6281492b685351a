"""Find the session that a hook or a command belongs to, by the process that started its server.

An agent program starts the server and, beside it, hooks and shells, so they share an ancestor. A server notes which
process started it. The session of a hook or command is the newest open one whose server is running and whose parent
is one of the ancestors of this process.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..memory.model import stamp

if TYPE_CHECKING:
    from . import Brain


_TERMINAL = "terminal-"


class Process(NamedTuple):
    """A process, identified by its number and its start, because numbers are used again."""

    pid: int
    start: str


class Served:
    """The session that a server serves: noted in the ledger, so that hooks and commands find it."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self._begun = self._noted = ""  # when it began, and the same as soon as that is noted

    def begin(self) -> None:
        """Note which process started this server, at once or, where the store is busy, later."""
        if self.brain.session:
            self._begun = stamp(self.brain.clock())
            self.note_waiting()

    def note_waiting(self) -> None:
        """Note the beginning of the session unless that is done."""
        if self._noted == self._begun:
            return
        row = str(self.brain.session), os.getpid(), parent(), self._begun
        if self.brain.bookkeeping.note_if_free(lambda: self.brain.ledger.open_session(*row)):
            self._noted = self._begun

    def end(self) -> None:
        """Note the end of the session, if its beginning is noted."""
        if self._noted:
            row = str(self.brain.session), os.getpid(), stamp(self.brain.clock())
            self.brain.bookkeeping.note_if_free(lambda: self.brain.ledger.close_session(*row))


def new_session() -> str:
    """Return the session of a new server process: CLAWBRAIN_SESSION_ID, or a random one."""
    return os.environ.get("CLAWBRAIN_SESSION_ID") or f"session-{os.urandom(8).hex()}"


def parent() -> Process:
    """Return the process that started this one."""
    pid = os.getppid()
    return Process(pid, _started(pid)[1])


def named(session: str | None) -> str | None:
    """Return the session that is named, by an option or by CLAWBRAIN_SESSION_ID, or None."""
    return session or os.environ.get("CLAWBRAIN_SESSION_ID") or None


def choose(brain: "Brain") -> str | None:
    """Return the session of a command or hook, or None. One that CLAWBRAIN_SESSION_ID names comes first."""
    if session := named(None):
        return session
    sessions = brain.open_sessions()
    ancestors = set(_ancestors()) if sessions else set()
    near = (row for row in sessions if Process(*row[2:]) in ancestors)
    return next((id for id, server, parent, _ in near if _serves(server, parent)), None)


def terminal() -> str | None:
    """Return the session of a person's own searches in the terminal of this process, or None where it has none."""
    for fd in range(3):
        with suppress(OSError):
            name, leader = os.ttyname(fd), os.getsid(0)
            return f"{_TERMINAL}{name.removeprefix('/dev/').replace('/', '-')}-{leader}-{_started(leader)[1]}"
    return None


def of_search(session: str | None, terminal: str | None) -> str | None:
    """Return the session of a person's search: the one that is named, else that of the terminal; None in a script."""
    return session or (named(None) or terminal if terminal else None)


def is_terminal(session: str) -> bool:
    """Tell whether a session is that of a terminal."""
    return session.startswith(_TERMINAL)


def work_folder(folder: Path) -> Path:
    """Return the root of the repository that a folder is in, or the folder itself."""
    return next((above for above in (folder, *folder.parents) if (above / ".git").exists()), folder)


def _serves(server: int, parent: int) -> bool:
    """Tell whether a server is running. After a kill another process may have its number, but not the same parent."""
    return _started(server)[0] == parent


def _ancestors() -> Iterator[Process]:
    """Yield the ancestors of this process, the nearest first."""
    pid = os.getppid()
    while pid > 1:
        above, start = _started(pid)
        yield Process(pid, start)
        pid = above


def _started(pid: int) -> tuple[int, str]:
    """Return the parent of a process and the time it began, or (0, '') when it is gone."""
    try:
        if sys.platform == "linux":
            # The name in parentheses may itself hold parentheses: count from the last one.
            fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            return (int(fields[1]), fields[19]) if fields[0] != "Z" else (0, "")
        from subprocess import run  # many processes never need it

        said = run(["ps", "-o", "ppid=,lstart=", "-p", str(pid)], capture_output=True, text=True)
        above, _, start = said.stdout.strip().partition(" ")
        return int(above), start.strip()
    except (OSError, ValueError, IndexError):
        return 0, ""
