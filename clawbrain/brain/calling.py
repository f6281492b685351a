"""The caller of the brain: the session that turns belong to, and the texts that it has read.

A server on stdin and stdout has one caller. One on a network changes the caller before each call.
"""

from dataclasses import dataclass, field
from datetime import timedelta


class ReadTexts:
    """The texts of memories that a session has read, by their hashes."""

    def __init__(self) -> None:
        self._hashes: dict[str, str] = {}
        self._apart: dict[str, ReadTexts] = {}

    def last(self, id: str, current: str) -> str:
        """Return the hash of the text that was last read, or the current one where none was."""
        return self._hashes.get(id, current)

    def note_read(self, id: str, hash: str) -> None:
        """Note the text that the session reads."""
        self._hashes[id] = hash

    def note_written(self, id: str, hash: str) -> None:
        """Note the text that the session writes."""
        self._hashes[id] = hash

    def note_refused(self, id: str, hash: str) -> None:
        """Note the current text, which is told with the refusal to overwrite it. By default it counts as unread."""

    def forget(self, id: str) -> None:
        """Forget which text was read."""
        self._hashes.pop(id, None)

    def apart(self, home: str) -> "ReadTexts":
        """Return the texts of another home that is served as a layer: an id may be in both."""
        return self._apart.setdefault(home, ReadTexts())


@dataclass(frozen=True, slots=True)
class CallingSession:
    """The session of a caller."""

    session: str | None = None  # None: turns are not noted
    texts: ReadTexts = field(default_factory=ReadTexts)
    recent: timedelta | None = None
    """The time for which a signal looks back for turns, where several callers share the session; None: no limit."""
