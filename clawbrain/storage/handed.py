"""The subjects of the latest prompts of each session, as the prompt hook found them, and what it handed over for them.

By this no memory comes again and again, and an outcome is known to be about the prompt before it. The file
`.clawbrain/handed.json` is a cache: whoever deletes it only sees a memory once more.
"""

import fcntl
import json
import os
from pathlib import Path

from ..recalls import HeardPrompt

PROMPTS = 10  # a memory is not handed over again within so many prompts of its session
SESSIONS = 20  # of the latest are kept
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # do not follow a link, do not wait for a pipe


Sessions = dict[str, list[HeardPrompt]]  # session -> its latest prompts, oldest first


class HandedOver:
    """The file handed.json of one home."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "handed.json"

    def latest(self, session: str) -> list[HeardPrompt]:
        """Return the latest prompts of a session, the oldest first."""
        try:
            with open(os.open(self._path, os.O_RDONLY | _CAREFULLY), "rb") as file:
                return _read(file.read()).get(session, [])[-PROMPTS:]
        except OSError:
            return []

    def note(self, session: str, prompt: HeardPrompt) -> None:
        """Note a prompt of a session. Raises OSError where the disk refuses."""
        with open(os.open(self._path, os.O_RDWR | os.O_CREAT | _CAREFULLY, 0o600), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            sessions = _read(file.read())
            prompts = [*sessions.pop(session, []), prompt][-PROMPTS:]
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
    return {
        session: [HeardPrompt(*prompt) for prompt in prompts]
        for session, prompts in found.items()
        if isinstance(prompts, list) and all(map(_is_well_formed, prompts))
    }


def _is_well_formed(prompt: object) -> bool:
    if not (isinstance(prompt, list) and len(prompt) == len(HeardPrompt._fields) and isinstance(prompt[0], str)):
        return False
    return all(isinstance(ids, list) and all(isinstance(id, str) for id in ids) for ids in prompt[1:])
