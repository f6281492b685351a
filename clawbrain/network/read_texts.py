"""The texts that a session on the network has read, kept in the file that all workers share."""

from __future__ import annotations

from ..brain.calling import ReadTexts
from ..storage.shared_sessions import SharedSessions


class SharedTexts(ReadTexts):
    """The texts of one session in one workspace.

    What another principal wrote last, and this session has not read, it may not overwrite. `lasting` tells a session
    from calls without one: such a call has read nothing but what a refusal told it.
    """

    def __init__(self, kept: SharedSessions, session: str, principal: str, workspace: str, lasting: bool) -> None:
        super().__init__()
        self._kept, self._session, self._principal = kept, session, principal
        self._workspace, self._lasting = workspace, lasting

    def _place(self, id: str) -> str:
        return f"{self._workspace}:{id}"

    def last(self, id: str, current: str) -> str:
        place = self._place(id)
        if read := self._kept.read_hash(self._session, place):
            return read
        writer = self._kept.writer_of(place, current)
        return current if writer in (None, self._principal) else ""

    def note_read(self, id: str, hash: str) -> None:
        if self._lasting:
            self._kept.note_read(self._session, self._place(id), hash)

    def note_written(self, id: str, hash: str) -> None:
        self._kept.note_written(self._session, self._principal, self._place(id), hash)

    def note_refused(self, id: str, hash: str) -> None:
        if not self._lasting:
            self._kept.note_read(self._session, self._place(id), hash)

    def forget(self, id: str) -> None:
        self._kept.forget(self._session, self._place(id))

    def apart(self, home: str) -> ReadTexts:
        return SharedTexts(self._kept, self._session, self._principal, f"{self._workspace}/{home}", self._lasting)
