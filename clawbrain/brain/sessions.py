"""Whose session is this? A server writes down which process started it; a hook or a command finds it by ancestry.

An agent program starts the server and, next to it, hooks and shells: they share an ancestor. So the newest
open session whose server lives and whose parent is one of my own ancestors is the session I was called in.
"""

import os
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from . import Brain


class Process(NamedTuple):
    """A process is its number and when it began: numbers are used again."""

    pid: int
    start: str


def new_session() -> str:
    """The session of a server process."""
    return os.environ.get("CLAWBRAIN_SESSION_ID") or f"session-{os.urandom(8).hex()}"


def parent() -> Process:
    pid = os.getppid()
    return Process(pid, _started(pid)[1])


def choose(brain: "Brain", named: str | None = None, *, person: bool = False) -> str | None:
    """The session a command or hook means; a person at a terminal may fall back to the newest open one."""
    if named or os.environ.get("CLAWBRAIN_SESSION_ID"):
        return named or os.environ["CLAWBRAIN_SESSION_ID"]
    sessions = brain.open_sessions()
    ancestors = set(_ancestors()) if sessions else set()
    near = (row for row in sessions if Process(*row[2:]) in ancestors)
    anywhere = sessions if person and sys.stdin.isatty() else []
    return next((id for id, server, parent, _ in chain(near, anywhere) if _serves(server, parent)), None)


def _serves(server: int, parent: int) -> bool:
    """A server that was killed has closed nothing. Its number may be another's by now, but not with the same parent."""
    return _started(server)[0] == parent


def _ancestors() -> Iterator[Process]:
    pid = os.getppid()
    while pid > 1:
        above, start = _started(pid)
        yield Process(pid, start)
        pid = above


def _started(pid: int) -> tuple[int, str]:
    """A process's parent and the moment it began; (0, '') when it is gone."""
    try:
        if sys.platform == "linux":
            # The name in parentheses may hold anything, also parentheses: count from the last one.
            fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            return (int(fields[1]), fields[19]) if fields[0] != "Z" else (0, "")
        from subprocess import run  # many a process never needs it

        said = run(["ps", "-o", "ppid=,lstart=", "-p", str(pid)], capture_output=True, text=True)
        above, _, start = said.stdout.strip().partition(" ")
        return int(above), start.strip()
    except (OSError, ValueError, IndexError):
        return 0, ""
