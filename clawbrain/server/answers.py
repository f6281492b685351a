"""Answer the methods of the protocol for a profile, whether one client is served or many. No tool is known by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from anyio import from_thread
from mcp import types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from .. import profiles
from ..errors import ClawbrainError, Refused
from ..logs import INFO, Log
from .tool_runner import OneClientRunner, ToolRunner, clean, reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..profiles import ProfileSpec, Tool
    from .audit import Keep

log = Log("server")
Context = ServerRequestContext[Any]
Listen = Callable[[Context, types.SubscriptionsListenRequestParams], Awaitable[types.SubscriptionsListenResult]]


class Answers:
    """The SDK's handlers for a profile: each answers one method of the protocol."""

    def __init__(self, spec: ProfileSpec, offered: Sequence[str]) -> None:
        self.spec, self.offered = spec, offered
        self._tools = {tool["name"]: tool for tool in self.spec["tools"]}
        self._callable = profiles.known(self.spec)
        left_out = [name.removeprefix(spec["prefix"]) for name in self._callable if name not in offered]
        self.prompts = {
            prompt["name"]: prompt
            for prompt in self.spec.get("prompts", ())
            if not any(tool in prompt["text"] for tool in left_out)
        }
        self._changing = {n for n, tool in self._callable.items() if not tool["annotations"]["readOnlyHint"]}
        self._mime_types = {resource["uri"]: resource["mimeType"] for resource in self.spec.get("resources", ())}

    def runner(self, context: Context) -> ToolRunner:
        """Return what calls the tools for the client of a request."""
        raise NotImplementedError

    async def changed(self, context: Context) -> None:
        """Tell the clients that subscribed to a resource that it may have changed."""
        raise NotImplementedError

    async def list_tools(self, context: Context, params: object) -> types.ListToolsResult:
        offered = [self._tools[name] for name in self.offered if name in self._tools]
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in offered])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        if params.name not in self._callable and not self.spec.get("answersUnknownTools"):
            log(INFO, "an unknown tool: refused")
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:100]}")
        words, who, runner = params.arguments or {}, context.session.client_params, self.runner(context)
        runner.client = who.client_info.name if who else ""
        answer = await runner.answer(params.name, words, _progress(context))
        if params.name in self._changing and not answer.is_error:
            await self.changed(context)
        return answer

    async def list_resources(self, context: Context, params: object) -> types.ListResourcesResult:
        return types.ListResourcesResult(resources=[types.Resource.model_validate(r) for r in self.spec["resources"]])

    async def list_templates(self, context: Context, params: object) -> types.ListResourceTemplatesResult:
        templates = [types.ResourceTemplate.model_validate(each) for each in self.spec["resourceTemplates"]]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        text = await _read(self.runner(context), params.uri)
        mime_type = self._mime_types.get(params.uri, "text/markdown")
        contents = types.TextResourceContents(uri=params.uri, mime_type=mime_type, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        raise NotImplementedError

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        raise NotImplementedError

    async def list_prompts(self, context: Context, params: object) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt.model_validate(each) for each in self.prompts.values()])

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name not in self.prompts:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:100]}")
        return _prompt(self.prompts[params.name], params.arguments or {})


class AnswersToOne(Answers):
    """The handlers for the one client of a server on stdin and stdout."""

    def __init__(self, runner: OneClientRunner) -> None:
        super().__init__(runner.spec, runner.offered)
        self._runner = runner
        self._subscribed: set[str] = set()

    def runner(self, context: Context) -> ToolRunner:
        return self._runner

    async def changed(self, context: Context) -> None:
        for uri in self._subscribed:
            await context.session.send_resource_updated(uri)

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._subscribed.add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscribed.discard(params.uri)
        return types.EmptyResult()


def build(answers: Answers, keep: Keep | None = None, listening: Listen | None = None) -> Server[Any]:
    """Return the SDK's server for a profile. It claims only the capabilities that the profile has.

    `keep` keeps each call of a tool in the audit log; `listening` answers `subscriptions/listen`, where the profile
    tells of changes.
    """
    spec = answers.spec
    calling: Callable[[Context, types.CallToolRequestParams], Coroutine[Any, Any, types.CallToolResult]]
    calling = answers.call_tool
    if keep:
        from .audit import audited  # imported only where an audit log is kept

        calling = audited(calling, keep)
    with_resources, with_prompts = "resources" in spec, bool(spec.get("prompts"))
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
        on_subscriptions_listen=listening if with_news else None,
        on_list_prompts=answers.list_prompts if with_prompts else None,
        on_get_prompt=answers.get_prompt if with_prompts else None,
    )


def _progress(context: Context) -> Callable[..., None]:
    def tell(done: float, total: float | None = None, message: str | None = None) -> None:
        # A call is completed even if its client no longer waits for it.
        with suppress(Exception, CancelledError, asyncio.CancelledError):
            from_thread.run(context.session.report_progress, done, total, message and clean(message))

    return tell


async def _read(runner: ToolRunner, uri: str) -> str:
    heads = [each["uriTemplate"].partition("{")[0] for each in runner.spec["resourceTemplates"]]
    known = any(uri == each["uri"] for each in runner.spec["resources"])
    if not known and not any(uri.startswith(head) for head in heads):
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource: {uri[:200]}")
    try:
        return await runner.ask(runner.text, unquote(uri).rstrip("/"))
    except Refused as refusal:
        raise MCPError(types.INVALID_PARAMS, clean(str(refusal))) from None
    except ClawbrainError as fault:
        raise MCPError(types.INTERNAL_ERROR, clean(str(fault))) from None
    except Exception as fault:
        log.failure("reading a resource failed", or_print=True)
        raise MCPError(types.INTERNAL_ERROR, f"The resource could not be read{reason(fault)}.") from None


def _prompt(prompt: Tool, words: dict[str, str]) -> types.GetPromptResult:
    text: str = prompt["text"]
    for part in prompt.get("arguments", ()):
        if part.get("required") and not words.get(part["name"], "").strip():
            raise MCPError(types.INVALID_PARAMS, f"The prompt {prompt['name']} needs '{part['name']}'.")
        text = text.replace(f"{{{part['name']}}}", words.get(part["name"], ""))
    message = types.PromptMessage(role="user", content=types.TextContent(text=text))
    return types.GetPromptResult(description=prompt["description"], messages=[message])
