"""The homes that are served, each opened when it is first asked for, and asked by one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from ..layer_homes import ServedLayers
from ..logs import Log
from ..profiles.shared.endpoints import HttpFault
from ..server.lazy_brain import Home
from ..server.tool_runner import LULL
from .names import workspace_folder
from .refusals import NO_WORKSPACE

if TYPE_CHECKING:
    from ..brain import Brain
    from .options import ServeOptions

log = Log("network")
Found = TypeVar("Found")

OPEN_AT_ONCE = 64
"""Homes whose files stay open; of more, the one that was asked longest ago is closed."""
LONGEST_PUT_OFF = 1.0  # seconds after which it is written down even between calls


class Background:
    """The tasks beside the requests, for as long as the server runs."""

    group: TaskGroup


class Workspace:
    """One home and its brain."""

    def __init__(self, name: str, home: Home, tasks: Background) -> None:
        self.name = name
        self._home, self._tasks = home, tasks
        self._turn = anyio.CapacityLimiter(1)
        self._tools: dict[str, tuple[Brain, Any]] = {}
        self._calls, self._settling = 0, False
        self.closed = False

    @property
    def idle(self) -> bool:
        """Tell whether nobody waits for an answer."""
        return not (self._turn.borrowed_tokens or self._settling)

    async def ask(self, work: Callable[..., Found], *words: Any) -> Found:
        """Return the result of work that is done on the brain's thread."""
        self._calls += 1
        try:
            return await to_thread.run_sync(work, *words, limiter=self._turn)
        finally:
            if not self._settling:
                self._settling = True
                self._tasks.group.start_soon(self._settle)

    def brain(self) -> Brain:
        """Return the brain, opened if it is not yet. Called on its thread."""
        return self._home.brain()

    def tools(self, profile: str, make: Callable[[Brain], Any]) -> Any:
        """Return a profile's tools on this brain, made once. Called on the brain's thread."""
        brain = self.brain()
        if profile not in self._tools or self._tools[profile][0] is not brain:
            self._tools[profile] = brain, make(brain)
        return self._tools[profile][1]

    async def _settle(self) -> None:
        """Write down what was put off, once nobody calls for a lull: it waits for the disk, and no call should."""
        try:
            with anyio.move_on_after(LONGEST_PUT_OFF):
                calls = -1
                while calls != self._calls:
                    calls = self._calls
                    await anyio.sleep(LULL)
        finally:
            self._settling = False
        await self._quietly(self._home.settle)

    async def close(self) -> None:
        """Write down what waits, and close the files."""
        self.closed = True
        with anyio.CancelScope(shield=True):
            await self._quietly(self._home.close)

    async def _quietly(self, verb: Callable[[], None]) -> None:
        try:
            await to_thread.run_sync(verb, limiter=self._turn)
        except Exception:
            log.failure("tidying up failed", or_print=True)


class Workspaces:
    """All homes of a server: one, or the folders of a folder."""

    def __init__(self, options: ServeOptions, layers: ServedLayers | None, tasks: Background) -> None:
        self._options, self._layers, self._tasks = options, layers, tasks
        self._open: dict[str, Workspace] = {}  # the one that was asked for last stands last

    def get(self, name: str) -> Workspace:
        """Return the workspace of a principal. Raises HttpFault 403 where its folder is gone by now."""
        found = self._open.pop(name, None)
        if found is None:
            found = Workspace(name, self._home(name), self._tasks)
        self._open[name] = found
        if len(self._open) > OPEN_AT_ONCE:
            self._close_one()
        return found

    def _home(self, name: str) -> Home:
        if not self._options.many:
            return Home(self._options.home, self._options.read_only, self._layers, for_many=True)
        folder = workspace_folder(self._options.folder, name)
        if folder is None:
            raise HttpFault(403, "", NO_WORKSPACE)
        return Home(str(folder), self._options.read_only, for_many=True)

    def _close_one(self) -> None:
        """Close the workspace that was asked longest ago and is not asked now."""
        for name, each in self._open.items():
            if each.idle:
                del self._open[name]
                self._tasks.group.start_soon(each.close)
                return

    async def close(self) -> None:
        """Close all homes."""
        async with anyio.create_task_group() as closing:
            for each in self._open.values():
                closing.start_soon(each.close)
        self._open.clear()
