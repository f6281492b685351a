"""The memories that the prompt hook handed over lately, by session, so that none comes again and again.

The file `.clawbrain/handed.json` is a cache: whoever deletes it only sees a memory once more.
"""

import fcntl
import json
import os
from collections.abc import Sequence
from pathlib import Path

PROMPTS = 10  # a memory is not handed over again within so many prompts of its session
SESSIONS = 20  # of the latest are kept
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # do not follow a link, do not wait for a pipe

Sessions = dict[str, list[list[str]]]  # session -> the ids handed over at its latest prompts, oldest first


class HandedOver:
    """The file handed.json of one home."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "handed.json"

    def recent(self, session: str) -> set[str]:
        """Return the ids that were handed over at the latest prompts of a session."""
        try:
            with open(os.open(self._path, os.O_RDONLY | _CAREFULLY), "rb") as file:
                prompts = _read(file.read()).get(session, [])
        except OSError:
            return set()
        return {id for ids in prompts[-PROMPTS:] for id in ids}

    def note(self, session: str, ids: Sequence[str]) -> None:
        """Note what was handed over at a prompt, or that nothing was. Raises OSError where the disk refuses."""
        with open(os.open(self._path, os.O_RDWR | os.O_CREAT | _CAREFULLY, 0o600), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            sessions = _read(file.read())
            prompts = [*sessions.pop(session, []), list(ids)][-PROMPTS:]
            sessions[session] = prompts
            latest = dict(list(sessions.items())[-SESSIONS:])
            file.seek(0)
            file.write(json.dumps(latest, ensure_ascii=False).encode(errors="replace"))
            file.truncate()


def _read(data: bytes) -> Sessions:
    """Return the file's sessions; none where a killed process left it broken."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {session: prompts for session, prompts in found.items() if _is_well_formed(prompts)}


def _is_well_formed(prompts: object) -> bool:
    return isinstance(prompts, list) and all(
        isinstance(ids, list) and all(isinstance(id, str) for id in ids) for ids in prompts
    )
