"""The connections of the server, of which it closes those whose request is slow to begin, and streams when it ends."""

from __future__ import annotations

from asyncio import TimerHandle
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_TIME = 30.0  # seconds in which the head of a request must arrive
STREAM = "clawbrain.stream"
"""Set in the scope of a request whose answer is a stream without an end."""
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\nCache-Control: no-store\r\n\r\n"


class BoundedConnection(H11Protocol):
    """A connection of uvicorn's. It is used by the name of its module, in the processes of workers too."""

    told_to_end = False
    """True once the server of this process was told to end."""
    _waiting: TimerHandle | None = None
    _answered: Any = None  # the request that came last

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        if self._waiting is None and self.cycle is self._answered and (not self.cycle or self.cycle.response_complete):
            self._wait()
        super().data_received(data)
        if self.cycle is not self._answered:
            self._answered = self.cycle
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """End a stream at once, and any other request when it is answered."""
        BoundedConnection.told_to_end = True
        if self.cycle and not self.cycle.response_complete and self.cycle.scope.get(STREAM):
            self.transport.close()
        else:
            super().shutdown()

    def _wait(self) -> None:
        self._waiting = self.loop.call_later(HEAD_TIME, self._end)

    def _stop_waiting(self) -> None:
        if self._waiting:
            self._waiting.cancel()
            self._waiting = None

    def _end(self) -> None:
        self._waiting = None
        if not self.transport.is_closing():
            self.transport.write(_TOO_SLOW)
            self.transport.close()
