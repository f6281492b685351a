"""The MCP server of a profile, on stdin and stdout.

The low-level SDK server handles the protocol; the lines of the pipe are read and written here, because the SDK drops
what it cannot read, and gives up running calls at the end of its input. No tool is known here by name.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import CancelledError
from contextlib import nullcontext, suppress
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote

import anyio
from anyio import from_thread, to_thread
from anyio.abc import ObjectStream
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from .. import profiles
from ..brain import reading
from ..errors import Broken, Changed, ClawbrainError, Invalid, NotFound, Refused
from ..logs import INFO, Log, milliseconds
from ..profiles import Reply
from ..recalls import NOWHERE
from . import stdio

if TYPE_CHECKING:
    from ..brain import Brain
    from ..profiles import ProfileSpec, Tool
    from .lazy_brain import Home
    from .stdio import Message

log = Log("server")
Context = ServerRequestContext[Any]
Found = TypeVar("Found")

LAST_WORDS = 1.0  # seconds for a client that asked us to go and does not read its answers
NOT_AN_OBJECT = "(arguments)"
LULL = 0.05  # seconds without a call


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
    runner = ToolRunner(spec, offered, home, audit)
    try:
        anyio.run(_converse, runner, lines, sink, heard, first)
    except Exception:
        log.failure("the server failed", or_print=True)
        return Broken.exit_status
    return 0


async def _converse(
    runner: ToolRunner, lines: stdio.Lines, sink: int, heard: Sequence[Message], first: Message | None
) -> None:
    server = build(runner)
    pipe = Pipe(lines, sink, heard, first, runner.rest)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_told, runner, pipe)
        tasks.start_soon(runner.settle)
        await server.run(pipe, pipe, server.create_initialization_options())
        await runner.close()
        tasks.cancel_scope.cancel()


async def _until_told(runner: ToolRunner, pipe: Pipe) -> None:
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


class ToolRunner:
    """The brain behind the tools: asked by one thread at a time."""

    def __init__(self, spec: ProfileSpec, offered: Sequence[str], home: Home, audit: bool = False) -> None:
        self.spec, self.offered, self.audit = spec, offered, audit
        self.closing = False
        self._known = profiles.known(spec)
        self._home = home
        self._turn = anyio.CapacityLimiter(1)
        self._unsettled, self._calls = False, 0
        self._answered = anyio.Event()
        self._profile: Any = None  # made by the first call
        self._profile_of: Brain | None = None
        self.client = ""  # as the client calls itself, once it has called a tool

    async def ask(self, work: Callable[..., Found], *words: Any) -> Found:
        """Return the result of work that is done on the brain's thread."""
        return await to_thread.run_sync(work, *words, limiter=self._turn)

    def call(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> types.CallToolResult:
        """Answer a call of a tool, and log how it ended and how long it took."""
        began, shown = time.monotonic(), name if name in self._known else "an unknown tool"
        try:
            answer = _answered(self._called(name, arguments, progress))
            outcome = "refused" if answer.is_error else "done"
        except ClawbrainError as refusal:
            answer, outcome = _answered(self._refused(name, refusal)), f"refused ({refusal.code})"
        except Exception as fault:
            log.failure("%s failed", shown, or_print=True)
            broken = Broken(f"{name} could not be done{_reason(fault)}; this is not about what was asked.")
            answer, outcome = _answered(self._refused(name, broken)), f"failed ({type(fault).__name__})"
        log(INFO, "%s: %s, %.1f ms", shown, outcome, milliseconds(began))
        return answer

    def _refused(self, name: str, refusal: ClawbrainError) -> Reply:
        """Return a refusal in the profile's own shape, if it has one."""
        if in_shape := getattr(self._rules(), "refused", None):
            shaped: Reply = in_shape(name.removeprefix(self.spec["prefix"]), refusal)
            return shaped
        current = f"\n\n{refusal.current}" if isinstance(refusal, Changed) else ""
        return Reply(f"{refusal}{current}", fault=True)

    def _called(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> dict[str, Any] | Reply:
        if name not in self._known:
            raise NotFound(f"Tool {name[:100]} not found")
        if name not in self.offered:
            raise Refused(f"{name} was left out when this server was started (--read-only or --tools).")
        if self.closing:
            raise Refused(f"{name} was not begun, because the server was told to end.")
        if NOT_AN_OBJECT in arguments:
            raise Invalid(f"{name}: arguments must be an object.")
        with reading() if self._known[name]["annotations"]["readOnlyHint"] else nullcontext():
            return self._done(name, arguments, progress)

    def _done(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> dict[str, Any] | Reply:
        brain = self.opened()
        if brain.origin == NOWHERE:
            brain.origin = brain.recalls.origin_of_server(self.client)
        if self._profile is None or self._profile_of is not brain:
            self._profile, self._profile_of = self._rules().Profile(brain), brain
        profile = self._profile
        profile.progress, profile.allowed = progress, self.spec["allowed"]
        return profiles.call(profile, self.spec, name, arguments)

    def text(self, uri: str) -> str:
        """Return the text of a resource."""
        text: str = self._rules().resource(self.opened(), uri)
        return _clean(text)

    def _rules(self) -> ModuleType:
        return import_module(f"..profiles.{self.spec['profile']}.tools", __package__)

    def opened(self) -> Brain:
        """Return the brain, for a call: what it puts off is settled when the client rests."""
        self._unsettled, self._calls = True, self._calls + 1
        return self._home.brain()

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


class Answers:
    """The SDK's handlers for a profile: each answers one method of the protocol."""

    def __init__(self, runner: ToolRunner) -> None:
        self.runner, self.spec = runner, runner.spec
        self.prompts = {prompt["name"]: prompt for prompt in self.spec.get("prompts", ())}
        self._tools = {tool["name"]: tool for tool in self.spec["tools"]}
        self._callable = profiles.known(self.spec)
        self._changing = {n for n, tool in self._callable.items() if not tool["annotations"]["readOnlyHint"]}
        self._mime_types = {resource["uri"]: resource["mimeType"] for resource in self.spec.get("resources", ())}
        self._subscribed: set[str] = set()

    async def list_tools(self, context: Context, params: object) -> types.ListToolsResult:
        offered = [self._tools[name] for name in self.runner.offered if name in self._tools]
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in offered])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in self._callable and not self.spec.get("answersUnknownTools"):
            log(INFO, "an unknown tool: refused")
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:100]}")
        words, who = params.arguments or {}, context.session.client_params
        self.runner.client = who.client_info.name if who else ""
        answer = await self.runner.ask(self.runner.call, params.name, words, _progress(context))
        if params.name in self._changing and not answer.is_error:
            for uri in self._subscribed:
                await context.session.send_resource_updated(uri)
        return answer

    async def list_resources(self, context: Context, params: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource.model_validate(r) for r in self.spec["resources"]])

    async def list_templates(self, context: Context, params: object) -> types.ListResourceTemplatesResult:
        templates = [types.ResourceTemplate.model_validate(each) for each in self.spec["resourceTemplates"]]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await _read(self.runner, params.uri)
        mime_type = self._mime_types.get(params.uri, "text/markdown")
        contents = types.TextResourceContents(uri=params.uri, mime_type=mime_type, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._subscribed.add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscribed.discard(params.uri)
        return types.EmptyResult()

    async def list_prompts(self, context: Context, params: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt.model_validate(each) for each in self.prompts.values()])

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name not in self.prompts:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:100]}")
        return _prompt(self.prompts[params.name], params.arguments or {})


def build(runner: ToolRunner) -> Server[Any]:
    """Return the SDK's server for a profile. It claims only the capabilities that the profile has."""
    spec, answers = runner.spec, Answers(runner)
    calling: Callable[[Context, types.CallToolRequestParams], Coroutine[Any, Any, types.CallToolResult]]
    calling = answers.call_tool
    if runner.audit:
        from .audit import audited  # imported only where an audit log is kept

        calling = audited(calling, spec["profile"], runner.ask, runner.opened)
    with_resources, with_prompts = "resources" in spec, bool(answers.prompts)
    with_news = spec.get("subscriptions", False)
    return Server(
        spec["name"],
        version=spec["version"],
        instructions=spec.get("instructions"),
        on_list_tools=answers.list_tools,
        on_call_tool=calling,
        on_list_resources=answers.list_resources if with_resources else None,
        on_list_resource_templates=answers.list_templates if with_resources else None,
        on_read_resource=answers.read_resource if with_resources else None,
        on_subscribe_resource=answers.subscribe if with_news else None,
        on_unsubscribe_resource=answers.unsubscribe if with_news else None,
        on_list_prompts=answers.list_prompts if with_prompts else None,
        on_get_prompt=answers.get_prompt if with_prompts else None,
    )


def _progress(context: Context) -> Callable[..., None]:
    def tell(done: float, total: float | None = None, message: str | None = None) -> None:
        # A call is completed even if its client no longer waits for it.
        with suppress(Exception, CancelledError, asyncio.CancelledError):
            from_thread.run(context.session.report_progress, done, total, message and _clean(message))

    return tell


async def _read(runner: ToolRunner, uri: str) -> str:
    heads = [each["uriTemplate"].partition("{")[0] for each in runner.spec["resourceTemplates"]]
    known = any(uri == each["uri"] for each in runner.spec["resources"])
    if not known and not any(uri.startswith(head) for head in heads):
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri[:200]}")
    try:
        return await runner.ask(runner.text, unquote(uri).rstrip("/"))
    except Refused as refusal:
        raise MCPError(types.INVALID_PARAMS, _clean(str(refusal))) from None
    except ClawbrainError as fault:
        raise MCPError(types.INTERNAL_ERROR, _clean(str(fault))) from None
    except Exception as fault:
        log.failure("reading a resource failed", or_print=True)
        raise MCPError(types.INTERNAL_ERROR, f"The resource could not be read{_reason(fault)}.") from None


def _prompt(prompt: Tool, words: dict[str, str]) -> types.GetPromptResult:
    text: str = prompt["text"]
    for part in prompt.get("arguments", ()):
        if part.get("required") and not words.get(part["name"], "").strip():
            raise MCPError(types.INVALID_PARAMS, f"The prompt {prompt['name']} needs '{part['name']}'.")
        text = text.replace(f"{{{part['name']}}}", words.get(part["name"], ""))
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=prompt["description"], messages=[message])


def _answered(answer: dict[str, Any] | Reply) -> types.CallToolResult:
    """Return an answer as text and as structure, the same in both unless the profile says otherwise.

    Some agents show their model only the text, some only the structure.
    """
    reply = answer if isinstance(answer, Reply) else Reply(_json(answer), answer)
    said = _json(reply.structured) if reply is answer else reply.text
    structured = reply.structured if said == _clean(said) else json.loads(_clean(said))
    text = types.TextContent(text=_clean(reply.text))
    return types.CallToolResult(content=[text], structured_content=structured, is_error=reply.fault)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _reason(fault: Exception) -> str:
    """Return the system's reason for a fault; the details of any other are only logged."""
    if isinstance(fault, OSError) and fault.errno:
        return f" ({os.strerror(fault.errno)})"
    return " because of a fault in the server"


def _clean(text: str) -> str:
    """Return a text as valid Unicode, which answers must be and file names need not."""
    return text.encode(errors="replace").decode()
