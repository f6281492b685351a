"""Call a profile's tools on a home, and turn what they return or raise into the protocol's answers."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import nullcontext, suppress
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import anyio
from anyio import CancelScope, to_thread
from mcp import types

from .. import profiles
from ..brain import reading
from ..brain.open_home import has_not_begun, yielding
from ..errors import Broken, Busy, Changed, ClawbrainError, Invalid, NotFound, Refused
from ..logs import INFO, Log, milliseconds
from ..profiles import Reply
from ..recalls import NOWHERE

if TYPE_CHECKING:
    from ..brain import Brain
    from ..profiles import ProfileSpec, Steps, Work
    from .lazy_brain import Home

log = Log("server")
Found = TypeVar("Found")

NOT_AN_OBJECT = "(arguments)"
NOT_ASKED = "; this is not about what was asked."
LULL = 0.05  # seconds without a call after which what was put off is done
PATIENCE = 30.0  # seconds that a call which changes something waits for other processes
TURN = 0.02  # seconds that it leaves to other calls between two tries
LOOKS = 0.2  # seconds between two looks of a call that waits whether the server was told to end


class _GaveWay(Exception):
    """Raised when work was refused because another process holds the store, and may be tried again."""


class Waiting(NamedTuple):
    """A tool of a profile that waits until some work is done elsewhere."""

    profile: Any
    steps: Steps
    work: Work


class Unfinished(NamedTuple):
    """A call that waits until some work is done elsewhere."""

    name: str
    began: float
    profile: Any
    steps: Steps
    work: Work


Step = dict[str, Any] | Reply | Waiting


class ToolRunner:
    """The caller of a profile's tools on the brain of a home."""

    closing = False
    """True once the server was told to end: no further call begins."""

    def __init__(self, spec: ProfileSpec, offered: Sequence[str]) -> None:
        self.spec, self.offered = spec, offered
        self.known = profiles.known(spec)
        self.client = ""  # as the client calls itself, once it has called a tool

    async def ask(self, work: Callable[..., Found], *words: Any) -> Found:
        """Return the result of work that is done on the brain's thread, of which there is one at a time."""
        raise NotImplementedError

    def ending(self) -> bool:
        """Tell whether the server was told to end, so that no call waits any longer for work that is done elsewhere."""
        return self.closing

    def opened(self) -> Brain:
        """Return the brain, ready for this client. Called on the brain's thread."""
        raise NotImplementedError

    def tools(self, brain: Brain) -> Any:
        """Return the profile's tools on a brain, each a method. Called on the brain's thread."""
        raise NotImplementedError

    async def answer(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> types.CallToolResult:
        """Answer a call of a tool. What a tool waits for is done while others ask the brain.

        A call is completed even if its client no longer waits for it, but then it waits for nothing more.
        """
        answer = await self._begun(name, arguments, progress)
        try:
            while isinstance(answer, Unfinished):
                done = await self._elsewhere(answer.work)
                with CancelScope(shield=True):
                    answer = await self.ask(self.go_on, answer, done)
        except anyio.get_cancelled_exc_class():
            with CancelScope(shield=True):
                while isinstance(answer, Unfinished):
                    answer = await self.ask(self.go_on, answer, None)
            raise
        return answer

    async def _begun(
        self, name: str, arguments: dict[str, Any], progress: Callable[..., None]
    ) -> types.CallToolResult | Unfinished:
        """Begin a call. While another process holds the store, one that changes something waits where it keeps nobody
        from the brain."""
        work = functools.partial(self.call, name, arguments, progress)
        if name not in self.known or self.known[name]["annotations"]["readOnlyHint"]:
            return await self.ask(work)
        return await self.when_free(work)

    async def when_free(self, work: Callable[[], Found]) -> Found:
        """Return the result of work that changes something, done when no other process holds the store, or after
        half a minute all the same."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not self.ending():
            try:
                return await self.ask(_yielding, work)
            except _GaveWay:
                await anyio.sleep(TURN)
        return await self.ask(_at_last, work)

    async def _elsewhere(self, work: Work) -> Any:
        """Return the result of work that needs no brain; None where it failed, or when the server is told to end."""
        found: list[Any] = []
        done, loop = asyncio.Event(), asyncio.get_running_loop()

        def do() -> None:
            try:
                found.append(work())
            except Exception:
                log.failure("what a tool waited for failed", or_print=True)
                found.append(None)
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(done.set)

        threading.Thread(target=do, daemon=True).start()  # no process waits for it at its end
        while not (found or self.ending()):
            with anyio.move_on_after(LOOKS):
                await done.wait()
        return found[0] if found else None

    def call(
        self, name: str, arguments: dict[str, Any], progress: Callable[..., None]
    ) -> types.CallToolResult | Unfinished:
        """Answer a call of a tool, or begin it, and log how it ended and how long it took."""
        return self._step(name, time.monotonic(), lambda: self._called(name, arguments, progress))

    def go_on(self, call: Unfinished, done: Any) -> types.CallToolResult | Unfinished:
        """Go on with a call when what it waited for is done; `done` is its result."""
        return self._step(call.name, call.began, lambda: self._resumed(call, done))

    def _step(self, name: str, began: float, step: Callable[[], Step]) -> types.CallToolResult | Unfinished:
        shown = name if name in self.known else "an unknown tool"
        try:
            found = step()
            if isinstance(found, Waiting):
                return Unfinished(name, began, *found)
            answer = _answered(found)
            outcome = "refused" if answer.is_error else "done"
        except ClawbrainError as refusal:
            give_way(refusal)
            answer, outcome = _answered(self._refused(name, refusal)), f"refused ({refusal.code})"
        except UnicodeEncodeError:
            invalid = Invalid(f"{name}: a text holds half a character (a lone surrogate), which no file can keep.")
            answer, outcome = _answered(self._refused(name, invalid)), f"refused ({invalid.code})"
        except Exception as fault:
            log.failure("%s failed", shown, or_print=True)
            advice = ": mend that and call it again." if isinstance(fault, OSError) and fault.errno else NOT_ASKED
            broken = Broken(f"{name} could not be done{reason(fault)}{advice}")
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

    def _called(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> Step:
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

    def _done(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> Step:
        brain = self.opened()
        profile = self.tools(brain)
        profile.progress, profile.allowed = progress, self.spec["allowed"]
        try:
            answer = profiles.call(profile, self.spec, name, arguments)
        except Refused as refusal:
            if brain.unserved:  # what is not found may be there
                refusal.args = (f"{refusal} {brain.unserved}",)
            raise
        return _warned(brain, _stepped(profile, answer, None) if isinstance(answer, Generator) else answer)

    def _resumed(self, call: Unfinished, done: Any) -> Step:
        brain = self.opened()
        if self.tools(brain) is not call.profile:
            call.steps.close()
            raise Busy(f"the home was opened anew while {call.name} waited; call it again, and it does what is left.")
        return _warned(brain, _stepped(call.profile, call.steps, done))

    def text(self, uri: str) -> str:
        """Return the text of a resource, without waiting long for what another process holds."""
        with reading():
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


def _yielding(work: Callable[[], Found]) -> Found:
    with yielding():
        return work()


def _at_last(work: Callable[[], Found]) -> Found:
    with reading():  # it has waited long enough
        return work()


def give_way(refusal: ClawbrainError) -> None:
    """Raise a signal for `when_free` where work was refused before it had begun."""
    if isinstance(refusal, Busy) and has_not_begun():
        raise _GaveWay from refusal


def _stepped(profile: Any, steps: Steps, done: Any) -> Step:
    """Return what a tool waits for next, or its answer."""
    try:
        return Waiting(profile, steps, steps.send(done))
    except StopIteration as end:
        answer: dict[str, Any] | Reply = end.value
        return answer


def _warned(brain: Brain, step: Step) -> Step:
    """Return an answer with the brain's warnings beside it, where the profile has no place of its own for them."""
    if isinstance(step, Waiting) or not (warnings := brain.first_warnings()):
        return step
    reply = step if isinstance(step, Reply) else Reply(_json(step), step)
    told = [f"warning: {sentence}" for sentence in warnings]
    return Reply(reply.text, reply.structured, reply.fault, "\n".join(filter(None, [reply.aside, *told])))


def _answered(answer: dict[str, Any] | Reply) -> types.CallToolResult:
    """Return an answer as text and as structure, the same in both unless the profile says otherwise.

    Some agents show their model only the text, some only the structure.
    """
    reply = answer if isinstance(answer, Reply) else Reply(_json(answer), answer)
    said = _json(reply.structured) if reply is answer else reply.text
    structured = reply.structured if said == clean(said) else json.loads(clean(said))
    texts = [reply.text, *filter(None, [reply.aside])]
    content: list[types.ContentBlock] = [types.TextContent(text=clean(text)) for text in texts]
    return types.CallToolResult(content=content, structured_content=structured, is_error=reply.fault)


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
