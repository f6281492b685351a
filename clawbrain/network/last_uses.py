"""The last use of each token, noted to the minute, in one write for all of a second.

A note never delays or fails a request: it is written in a thread, and left out where another process holds the file.
"""

import asyncio
from contextlib import suppress
from datetime import datetime

from ..errors import ClawbrainError
from ..memory.model import stamp
from ..storage.access import Access, TokenRow

_PAUSE = 1.0  # seconds for which uses are gathered


class LastUses:
    """The uses that wait to be written to access.db."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._waiting: dict[str, str] = {}
        self._writing: asyncio.Task[None] | None = None

    def note(self, row: TokenRow, now: datetime) -> None:
        """Note that a token is used now. It is called on the event loop."""
        minute = stamp(now.replace(second=0, microsecond=0))
        if minute <= row.used or self._waiting.get(row.id) == minute:
            return
        self._waiting[row.id] = minute
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        await asyncio.sleep(_PAUSE)
        await asyncio.to_thread(self.flush)

    def stop(self) -> None:
        """Write at once what waits."""
        if self._writing and not self._writing.done():
            with suppress(RuntimeError):  # the event loop may be closed
                self._writing.cancel()
        self.flush()

    def flush(self) -> None:
        """Write what waits, or leave it out where that cannot be done at once."""
        uses, self._waiting = self._waiting, {}
        if uses:
            with suppress(ClawbrainError, OSError):
                self._access.note_uses(uses)
