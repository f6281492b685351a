"""The audit log of a server on a network: each call is queued, and written with others once a second.

There is a queue for each workspace that is called, and each writes to the log of that home alone, which it may even
where the memories may only be read. With `--audit-strict` a call's row is written before its answer is sent. Trouble
with a log never costs a call its answer: what could not be written because another process held the file is tried
again, anything else is reported.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio import CancelScope, to_thread

from ..brain.audit_log import Call, HomeAudit, json_text
from ..errors import Busy, NotFound
from ..logs import ERROR, WARNING, Log, write
from ..memory.model import stamp, utc_now
from .callers import session_id
from .names import workspace_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .options import ServeOptions
    from .principal import Principal
    from .workspaces import Background

log = Log("network")

PAUSE = 1.0  # seconds for which calls are gathered
MANY, MANY_BYTES = 500, 8 * 1024 * 1024
"""Calls, and bytes of their requests, that are written before the pause is over, so that they take no more memory."""
MOST, MOST_BYTES = 10_000, 64 * 1024 * 1024
"""Calls, and bytes of their requests, that wait while another process holds the file; of more, the oldest are lost."""
WRITERS = 4  # logs that are written at the same time

Value = Callable[[], Any]
"""Returns what was asked or answered. It is called by the writer, so that no call waits for it.

It holds a text: thousands of small objects that live for a second would slow the calls by being looked through for
garbage.
"""


@dataclass(frozen=True, slots=True)
class CallHead:
    """A call but for its arguments and its answer: who calls which tool, and how large the request is."""

    principal: Principal
    headers: Mapping[str, str]
    profile: str
    tool: str
    size: int
    """The bytes of the request, for which room is made until the call is written."""


class AuditWriter:
    """The writer of the audit logs, with the calls that wait for it in each workspace."""

    def __init__(self, options: ServeOptions, tasks: Background) -> None:
        self._options, self._tasks = options, tasks
        self._queues: dict[str, _Queue] = {}
        self._writers = anyio.CapacityLimiter(WRITERS)

    async def note(self, head: CallHead, arguments: Value, answer: Value, *, success: bool, duration_ms: int) -> None:
        """Note a call that has ended. It raises nothing."""
        at, who = stamp(utc_now()), head.principal
        session = session_id(who, head.headers)

        def made() -> Call:
            by = who.user, who.workspace, who.token
            return Call(at, session, head.profile, head.tool, arguments(), answer(), success, duration_ms, *by)

        queue = self._queue(who.workspace)
        queue.add(made, head.size)
        if self._options.audit_strict:
            with CancelScope(shield=True):  # a client that waits no longer made the call all the same
                await queue.write()

    def _queue(self, workspace: str) -> _Queue:
        if workspace not in self._queues:
            folder = self._options.folder
            home = (lambda: workspace_folder(folder, workspace)) if self._options.many else (lambda: folder)
            queue = self._queues[workspace] = _Queue(home, self._writers)
            self._tasks.group.start_soon(self._serve, workspace, queue)
        return self._queues[workspace]

    async def _serve(self, workspace: str, queue: _Queue) -> None:
        """Write what waits each second; once there is nothing, close the file."""
        while await queue.filled():
            await queue.write()
        del self._queues[workspace]
        await queue.close()

    async def close(self) -> None:
        """Write all that waits, and close the files."""
        with CancelScope(shield=True):
            for queue in self._queues.values():
                await queue.write()
                await queue.close()


class _Queue:
    """The calls in one workspace that wait, and the log they are written to."""

    def __init__(self, home: Callable[[], Path | None], writers: anyio.CapacityLimiter) -> None:
        self._home, self._writers = home, writers
        self._waiting: deque[Callable[[], Call]] = deque(maxlen=MOST)
        self._bytes = 0  # of the requests that were added since the last writing
        self._many, self._turn = anyio.Event(), anyio.Lock()
        self._log: HomeAudit | None = None
        self._lost = 0  # calls that were given up, and of which nobody is told yet

    def add(self, made: Callable[[], Call], size: int) -> None:
        """Add a call, whose request has so many bytes. Where they are too many, the oldest calls are given up."""
        self._bytes += size
        if self._bytes > MOST_BYTES:
            self._lost += len(self._waiting)
            self._waiting.clear()
            self._bytes = size
        self._lost += len(self._waiting) == MOST
        self._waiting.append(made)
        if len(self._waiting) == MANY or self._bytes > MANY_BYTES:
            self._many.set()

    async def filled(self) -> bool:
        """Wait for a second, or until many wait; return whether any do."""
        with anyio.move_on_after(PAUSE):
            await self._many.wait()
        self._many = anyio.Event()
        return bool(self._waiting)

    async def write(self) -> None:
        """Write what waits. Whoever comes while this is done finds the own call written, too."""
        async with self._turn:
            if self._waiting:
                await self._in_thread(self._write)

    async def close(self) -> None:
        """Close the file, and tell of calls that are not in it."""
        self._lost += len(self._waiting)
        self._waiting.clear()
        self._tell_lost()
        async with self._turn:
            if self._log is not None:
                await self._in_thread(self._log.close)
                self._log = None

    async def _in_thread(self, work: Callable[[], None]) -> None:
        with CancelScope(shield=True):
            await to_thread.run_sync(work, limiter=self._writers)

    def _write(self) -> None:
        taken = [self._waiting.popleft() for _ in range(len(self._waiting))]
        try:
            self._opened().add(_made(taken))
            self._bytes = 0
            self._tell_lost()
        except Busy:
            log(WARNING, "another process holds the audit log: %d calls wait", len(taken))
            kept = taken[: MOST - len(self._waiting)]
            self._lost += len(taken) - len(kept)
            self._waiting.extendleft(reversed(kept))
        except Exception:
            log.failure("%d calls could not be noted in the audit log", len(taken), or_print=True)

    def _tell_lost(self) -> None:
        if self._lost:
            sentence = f"calls not in the audit log, because another process held its file too long: {self._lost}"
            log(ERROR, "%s", sentence)
            write(f"clawbrain: {sentence}.\n")
            self._lost = 0

    def _opened(self) -> HomeAudit:
        if self._log is None:
            home = self._home()
            if home is None or not home.is_dir():
                raise NotFound("the home is gone.")
            self._log = HomeAudit(home, lambda sentence: log(WARNING, "%s", sentence))
        return self._log


def _made(taken: Sequence[Callable[[], Call]]) -> Iterator[Call]:
    for made in taken:
        try:
            yield made()
        except Exception:
            log.failure("a call could not be noted in the audit log", or_print=True)


def as_text(value: Any) -> Value:
    """Return a function that returns a value as JSON text, which is made now."""
    text = json_text(value)
    return lambda: text


def json_or_text(body: bytes) -> Any:
    """Return the JSON of a body, or its text where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return body.decode(errors="replace")
