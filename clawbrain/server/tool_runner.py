"""Call a profile's tools on a home, and turn what they return or raise into the protocol's answers."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
from anyio import to_thread
from mcp import types

from .. import profiles
from ..brain import reading
from ..errors import Broken, Changed, ClawbrainError, Invalid, NotFound, Refused
from ..logs import INFO, Log, milliseconds
from ..profiles import Reply
from ..recalls import NOWHERE

if TYPE_CHECKING:
    from ..brain import Brain
    from ..profiles import ProfileSpec
    from .lazy_brain import Home

log = Log("server")
Found = TypeVar("Found")

NOT_AN_OBJECT = "(arguments)"
LULL = 0.05  # seconds without a call


class ToolRunner:
    """The caller of a profile's tools on the brain of a home."""

    closing = False
    """Whether the server was told to end, so that no further call begins."""

    def __init__(self, spec: ProfileSpec, offered: Sequence[str]) -> None:
        self.spec, self.offered = spec, offered
        self.known = profiles.known(spec)
        self.client = ""  # as the client calls itself, once it has called a tool

    async def ask(self, work: Callable[..., Found], *words: Any) -> Found:
        """Return the result of work that is done on the brain's thread, of which there is one at a time."""
        raise NotImplementedError

    def opened(self) -> Brain:
        """Return the brain, ready for this client. Called on the brain's thread."""
        raise NotImplementedError

    def tools(self, brain: Brain) -> Any:
        """Return the profile's tools on a brain, each a method. Called on the brain's thread."""
        raise NotImplementedError

    def call(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> types.CallToolResult:
        """Answer a call of a tool, and log how it ended and how long it took."""
        began, shown = time.monotonic(), name if name in self.known else "an unknown tool"
        try:
            answer = _answered(self._called(name, arguments, progress))
            outcome = "refused" if answer.is_error else "done"
        except ClawbrainError as refusal:
            answer, outcome = _answered(self._refused(name, refusal)), f"refused ({refusal.code})"
        except Exception as fault:
            log.failure("%s failed", shown, or_print=True)
            broken = Broken(f"{name} could not be done{reason(fault)}; this is not about what was asked.")
            answer, outcome = _answered(self._refused(name, broken)), f"failed ({type(fault).__name__})"
        log(INFO, "%s: %s, %.1f ms", shown, outcome, milliseconds(began))
        return answer

    def _refused(self, name: str, refusal: ClawbrainError) -> Reply:
        """Return a refusal in the profile's own shape, if it has one."""
        if in_shape := getattr(self.rules(), "refused", None):
            shaped: Reply = in_shape(name.removeprefix(self.spec["prefix"]), refusal)
            return shaped
        current = f"\n\n{refusal.current}" if isinstance(refusal, Changed) else ""
        return Reply(f"{refusal}{current}", fault=True)

    def _called(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> dict[str, Any] | Reply:
        if name not in self.known:
            raise NotFound(f"Tool {name[:100]} not found")
        if name not in self.offered:
            raise Refused(f"{name} was left out when this server was started (--read-only or --tools).")
        if self.closing:
            raise Refused(f"{name} was not begun, because the server was told to end.")
        if NOT_AN_OBJECT in arguments:
            raise Invalid(f"{name}: arguments must be an object.")
        with reading() if self.known[name]["annotations"]["readOnlyHint"] else nullcontext():
            return self._done(name, arguments, progress)

    def _done(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> dict[str, Any] | Reply:
        profile = self.tools(self.opened())
        profile.progress, profile.allowed = progress, self.spec["allowed"]
        return profiles.call(profile, self.spec, name, arguments)

    def text(self, uri: str) -> str:
        """Return the text of a resource."""
        text: str = self.rules().resource(self.opened(), uri)
        return clean(text)

    def rules(self) -> ModuleType:
        """Return the module of the profile's tools."""
        return import_module(f"..profiles.{self.spec['profile']}.tools", __package__)


class OneClientRunner(ToolRunner):
    """The caller of tools for the one client of a server on stdin and stdout."""

    def __init__(self, spec: ProfileSpec, offered: Sequence[str], home: Home) -> None:
        super().__init__(spec, offered)
        self._home = home
        self._turn = anyio.CapacityLimiter(1)
        self._unsettled, self._calls = False, 0
        self._answered = anyio.Event()
        self._tools: Any = None  # made by the first call
        self._tools_of: Brain | None = None

    async def ask(self, work: Callable[..., Found], *words: Any) -> Found:
        return await to_thread.run_sync(work, *words, limiter=self._turn)

    def opened(self) -> Brain:
        """Return the brain, for a call: what it puts off is settled when the client rests."""
        self._unsettled, self._calls = True, self._calls + 1
        return self._home.brain()

    def tools(self, brain: Brain) -> Any:
        if brain.origin == NOWHERE:
            brain.origin = brain.recalls.origin_of_server(self.client)
        if self._tools_of is not brain:
            self._tools, self._tools_of = self.rules().Profile(brain), brain
        return self._tools

    def rest(self) -> None:
        """Tell `settle` that an answer was sent, and perhaps no other question follows."""
        self._answered.set()

    async def settle(self) -> None:
        """Do what was put off until the client rests after an answer: it waits for the disk, and no call should."""
        while True:
            await self._answered.wait()
            while self._answered.is_set():
                self._answered, calls = anyio.Event(), self._calls
                await anyio.sleep(LULL)
            if self._unsettled and calls == self._calls:
                self._unsettled = False
                await self.ask(self._quietly, self._home.settle)

    async def close(self) -> None:
        await self.ask(self._quietly, self._home.close)

    def _quietly(self, verb: Callable[[], None]) -> None:
        try:
            verb()
        except Exception:
            log.failure("tidying up failed", or_print=True)


def _answered(answer: dict[str, Any] | Reply) -> types.CallToolResult:
    """Return an answer as text and as structure, the same in both unless the profile says otherwise.

    Some agents show their model only the text, some only the structure.
    """
    reply = answer if isinstance(answer, Reply) else Reply(_json(answer), answer)
    said = _json(reply.structured) if reply is answer else reply.text
    structured = reply.structured if said == clean(said) else json.loads(clean(said))
    text = types.TextContent(text=clean(reply.text))
    return types.CallToolResult(content=[text], structured_content=structured, is_error=reply.fault)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def reason(fault: Exception) -> str:
    """Return the system's reason for a fault; the details of any other are only logged."""
    if isinstance(fault, OSError) and fault.errno:
        return f" ({os.strerror(fault.errno)})"
    return " because of a fault in the server"


def clean(text: str) -> str:
    """Return a text as valid Unicode, which answers must be and file names need not."""
    return text.encode(errors="replace").decode()
