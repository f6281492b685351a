"""Read the bodies of requests whole, so that no handler waits for a slow client: bounded in size, in time, and in sum.

A body is read once it is known who sends it, and what all bodies of a process hold at a time has a bound, so neither
strangers nor one token take the memory of the machine.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from ..profiles.shared.endpoints import HttpFault

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope

MIB = 1024 * 1024
LONGEST = 4 * MIB
TIME = 30.0  # seconds in which a body must arrive
HELD, HELD_BY_ONE = 128 * MIB, 32 * MIB
"""The bytes that all bodies may hold at a time, and those of one token."""


class Bodies:
    """The bodies of the requests that one process answers."""

    def __init__(self, longest: Callable[[str, str], int]) -> None:
        """`longest` returns how many bytes the body of a method and path may have."""
        self._longest = longest
        self._held: Counter[str] = Counter()

    def check(self, scope: Scope) -> int:
        """Return how many bytes a body may have. Raises HttpFault 413 where its head says that there are more."""
        most = self._longest(scope["method"], scope["path"])
        said = Headers(scope=scope).get("content-length", "0")
        if not said.isdigit() or int(said) > most:
            raise _too_long(most)
        return most

    @asynccontextmanager
    async def read(self, scope: Scope, receive: Receive, token: str) -> AsyncIterator[Receive]:
        """Read the body into `scope["body"]`; yield a `receive` that gives it again, and then what the server gives.

        Raises HttpFault: 413 for a body that is too long, 408 for one that is too slow, 503 where too much is held.
        """
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(TIME):
                await self._collect(parts, self.check(scope), receive, token)
        except BaseException as error:
            self._release(parts, token)
            if isinstance(error, TimeoutError):
                raise HttpFault(408, "", f"the body did not arrive within {TIME:.0f} s.") from None
            raise
        try:
            scope["body"] = b"".join(parts)
            yield _again(scope["body"], receive)
        finally:
            self._release(parts, token)

    async def _collect(self, parts: list[bytes], most: int, receive: Receive, token: str) -> None:
        length = 0
        async for part in _parts(receive):
            parts.append(part)
            self._held[token] += len(part)
            length += len(part)
            if length > most:
                raise _too_long(most)
            if self._held[token] > HELD_BY_ONE or self._held.total() > HELD:
                raise HttpFault(503, "", "too many long requests are under way: try again.", retry_after=1)

    def _release(self, parts: list[bytes], token: str) -> None:
        self._held[token] -= sum(map(len, parts))
        if not self._held[token]:
            del self._held[token]


def _too_long(most: int) -> HttpFault:
    return HttpFault(413, "", f"the body is longer than {most // MIB} MiB.")


async def _parts(receive: Receive) -> AsyncIterator[bytes]:
    """Yield a body as it arrives. Raises HttpFault 400 where the connection ends before."""
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HttpFault(400, "", "the connection ended before the body did.")
        yield message.get("body", b"")
        more = message.get("more_body", False)


def _again(body: bytes, receive: Receive) -> Receive:
    waiting = [body]

    async def give() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return give
