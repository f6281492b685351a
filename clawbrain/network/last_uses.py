"""Note the last use of each token, to the minute, in one write for all of a second.

A note never delays or fails a request: it is written in a thread, and left out where another process holds the file.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime

from ..errors import ClawbrainError
from ..memory.model import stamp

_PAUSE = 1.0  # seconds for which uses are gathered


class LastUses:
    """The uses that wait to be written to access.db."""

    def __init__(self, write: Callable[[Mapping[str, str]], None]) -> None:
        """`write` notes the time of the last use by id; it may raise ClawbrainError and OSError."""
        self._write = write
        self._waiting: dict[str, str] = {}
        self._writing: asyncio.Task[None] | None = None

    def note(self, id: str, last: str, now: datetime) -> None:
        """Note that a token is used now, of which an earlier use is known. It is called on the event loop."""
        minute = stamp(now.replace(second=0, microsecond=0))
        if minute <= last or self._waiting.get(id) == minute:
            return
        self._waiting[id] = minute
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_soon())

    async def _write_soon(self) -> None:
        while self._waiting:  # again, for what came while the others were written
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
                self._write(uses)
