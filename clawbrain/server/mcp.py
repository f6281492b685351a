"""The MCP server of a profile, on stdin and stdout.

The low-level SDK server handles the protocol; the lines of the pipe are read and written here, because the SDK drops
what it cannot read, and gives up running calls at the end of its input.
"""

from __future__ import annotations

import logging
import math
import os
import signal
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
from anyio.abc import ObjectStream
from mcp import types
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from ..errors import Broken
from ..logs import Log
from . import stdio
from .answers import AnswersToOne, build
from .tool_runner import NOT_AN_OBJECT, OneClientRunner

if TYPE_CHECKING:
    from ..profiles import ProfileSpec
    from .audit import Keep
    from .lazy_brain import Home
    from .stdio import Message

log = Log("server")

LAST_WORDS = 1.0  # seconds for a client that asked us to go and does not read its answers


def run(
    spec: ProfileSpec,
    offered: Sequence[str],
    lines: stdio.Lines,
    sink: int,
    home: Home,
    *,
    heard: Sequence[Message] = (),
    first: Message | None = None,
    audit: bool = False,
) -> int:
    """Serve until the client leaves; return the exit status. What was `heard` is answered already, `first` is not."""
    logging.raiseExceptions = False
    logging.lastResort = None  # a library's warning may quote a call; a log line tells only the place in its code
    runner = OneClientRunner(spec, offered, home)
    try:
        anyio.run(_converse, runner, lines, sink, heard, first, audit)
    except Exception:
        log.failure("the server failed", or_print=True)
        return Broken.exit_status
    return 0


async def _converse(
    runner: OneClientRunner, lines: stdio.Lines, sink: int, heard: Sequence[Message], first: Message | None, audit: bool
) -> None:
    server = build(AnswersToOne(runner), _keep(runner) if audit else None)
    pipe = Pipe(lines, sink, heard, first, runner.rest)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_told, runner, pipe)
        tasks.start_soon(runner.settle)
        await server.run(pipe, pipe, server.create_initialization_options())
        await runner.close()
        tasks.cancel_scope.cancel()


def _keep(runner: OneClientRunner) -> Keep:
    from .audit import by_its_brain  # imported only where an audit log is kept

    return by_its_brain(runner)


async def _until_told(runner: OneClientRunner, pipe: Pipe) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as told:
        async for _ in told:
            runner.closing = True
            pipe.end(LAST_WORDS)


class Pipe(ObjectStream[SessionMessage]):
    """The client's pipe as the two streams of the SDK, which receives requests from it and sends answers to it.

    It counts the requests that are not answered, and lets the SDK see the end of the input when there are none.
    """

    def __init__(
        self,
        lines: stdio.Lines,
        sink: int,
        heard: Sequence[Message],
        first: Message | None,
        afterwards: Callable[[], None],
    ) -> None:
        self._lines, self._sink, self._afterwards = lines, sink, afterwards
        self._messages = self._said(heard, first)
        self._asked, self._all_answered = 0, anyio.Event()
        self._all_answered.set()
        self._again: anyio.Event | None = None  # set while the SDK is given again what was answered before
        self._closing = self._deaf = False
        self._listening, self._writing = anyio.CancelScope(), anyio.CancelScope()
        self._turn, self._patience = anyio.Lock(fast_acquire=True), math.inf

    async def receive(self) -> SessionMessage:
        """Return the client's next message. Raises anyio.EndOfStream when there is none."""
        async for message in self._messages:
            if "id" in message:
                if not self._asked:
                    self._all_answered = anyio.Event()
                self._asked += 1
            return _for_sdk(message, self._unanswered)
        raise anyio.EndOfStream

    async def _said(self, heard: Sequence[Message], first: Message | None) -> AsyncIterator[Message]:
        for message in heard:
            self._again = anyio.Event()
            yield message
            if "id" in message:
                await self._again.wait()
        self._again = None
        if first is not None:
            yield first
        while (line := await self._line()) is not None:
            asked, answers = stdio.read(line)
            if answers:
                await self._write(b"".join(map(stdio.as_line, answers)))
            if asked is not None and not self._closing:
                yield asked
        await self._all_answered.wait()

    async def _line(self) -> bytes | None:
        while not self._closing:
            line = self._lines.here()
            if line is not None or self._lines.ended:
                return line
            with anyio.CancelScope() as self._listening:
                with suppress(PermissionError):  # raised for a file: it can always be read, and cannot be waited for
                    await anyio.wait_readable(self._lines.fd)
                self._lines.more()
        return None

    async def send(self, item: SessionMessage) -> None:
        """Write a message of the SDK to the client; drop the answer to a message that was answered before."""
        is_answer = isinstance(item.message, types.JSONRPCResponse | types.JSONRPCError)
        if is_answer and self._again is not None:
            self._again.set()
        else:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            await self._write(stdio.closed(text.encode()))
        if is_answer:
            self._afterwards()
            self._settled()

    async def _unanswered(self) -> None:
        self._settled()

    def _settled(self) -> None:
        self._asked -= 1
        if not self._asked:
            self._all_answered.set()

    async def _write(self, text: bytes) -> None:
        """Write a whole text, even when cancelled. A client that does not take it in time gets nothing more."""
        left = memoryview(text)
        with anyio.CancelScope(shield=True):
            async with self._turn:
                with anyio.move_on_after(self._patience) as self._writing, suppress(OSError):
                    while left and not self._deaf:
                        try:
                            left = left[os.write(self._sink, left) :]
                        except BlockingIOError:
                            await anyio.wait_writable(self._sink)
        if left:
            self._deaf = True
            self.end()

    def end(self, patience: float = math.inf) -> None:
        """Read no more. The SDK sees the end of the input when every request is answered."""
        self._closing = True
        self._listening.cancel()
        if patience < self._patience:
            self._patience, self._writing.deadline = patience, anyio.current_time() + patience

    async def send_eof(self) -> None:
        """Do nothing: the client sees the end when the process ends."""

    async def aclose(self) -> None:
        """Do nothing: the system closes the pipe when the process ends."""


def _for_sdk(message: Message, unanswered: Callable[[], Coroutine[Any, Any, None]]) -> SessionMessage:
    method, params = message["method"], message.get("params")
    if "id" not in message:
        return SessionMessage(types.JSONRPCNotification(jsonrpc="2.0", method=method, params=params))
    if method == "tools/call" and params and not isinstance(params.get("arguments"), dict | None):
        params = {**params, "arguments": {NOT_AN_OBJECT: params["arguments"]}}  # for the tool to refuse
    request = types.JSONRPCRequest(jsonrpc="2.0", id=message["id"], method=method, params=params)
    return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=unanswered))
