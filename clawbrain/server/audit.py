"""The audit log of a server: a row for each call of a tool, whether it succeeds or fails.

A server on stdin and stdout writes the row before the answer is sent. If that fails, it is only logged, and the answer
is sent all the same.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anyio import CancelScope
from mcp import types

from ..logs import Log, milliseconds

if TYPE_CHECKING:
    from ..brain import Brain
    from .tool_runner import ToolRunner

log = Log("server")
CallTool = Callable[[Any, types.CallToolRequestParams], Coroutine[Any, Any, types.CallToolResult]]


@dataclass(frozen=True, slots=True)
class EndedCall:
    """A call of a tool that has ended; `answer` is the text of a refusal, where there is no result."""

    tool: str
    arguments: Any
    answer: types.CallToolResult | str
    success: bool
    duration_ms: int

    def said(self) -> Any:
        """Return what the answer says, once, because text and structure mostly say the same; JSON text is parsed."""
        if isinstance(self.answer, str):
            return self.answer
        if self.answer.structured_content is not None:
            return self.answer.structured_content
        texts = [part.text for part in self.answer.content if isinstance(part, types.TextContent)]
        try:
            return json.loads(texts[0]) if len(texts) == 1 else texts
        except ValueError:
            return texts[0]


Keep = Callable[[Any, EndedCall], Awaitable[None]]
"""Keeps a call that ended in a context, before its answer is sent. It raises nothing."""


def audited(call_tool: CallTool, keep: Keep) -> CallTool:
    """Return `call_tool` with each call kept."""

    async def kept(context: Any, params: types.CallToolRequestParams, answer: Any, success: bool, began: float) -> None:
        ended = EndedCall(params.name, params.arguments or {}, answer, success, round(milliseconds(began)))
        with CancelScope(shield=True):  # a call that the client has cancelled is recorded, too
            await keep(context, ended)

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        began = time.monotonic()
        try:
            answer = await call_tool(context, params)
        except Exception as refusal:
            await kept(context, params, str(refusal), False, began)
            raise
        await kept(context, params, answer, not answer.is_error, began)
        return answer

    return call


def by_its_brain(runner: ToolRunner) -> Keep:
    """Return what keeps the calls of one client, whose runner has the brain."""

    async def keep(_: Any, ended: EndedCall) -> None:
        await runner.ask(_note, runner.opened, runner.spec["profile"], ended)

    return keep


def _note(opened: Callable[[], Brain], profile: str, ended: EndedCall) -> None:
    try:
        opened().audit.note(
            profile, ended.tool, ended.arguments, ended.said(), success=ended.success, duration_ms=ended.duration_ms
        )
    except Exception:
        log.failure("a call could not be noted in the audit log", or_print=True)
