"""The audit log of a server: a row for each call of a tool, whether it succeeds or fails.

The row is written before the answer is sent. If that fails, it is only logged, and the answer is sent all the same.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from anyio import CancelScope
from mcp import types

from ..logs import Log, milliseconds

if TYPE_CHECKING:
    from ..brain import Brain
    from .tool_runner import ToolRunner

log = Log("server")
Tool = Callable[[Any, types.CallToolRequestParams], Coroutine[Any, Any, types.CallToolResult]]


def audited(call_tool: Tool, profile: str, runner: Callable[[Any], ToolRunner]) -> Tool:
    """Return `call_tool` with a row written for each call, by the runner of its context."""

    async def note(context: Any, params: types.CallToolRequestParams, result: Any, success: bool, began: float) -> None:
        duration = round(milliseconds(began))
        asked = runner(context)
        with CancelScope(shield=True):  # a call that the client has cancelled is recorded, too
            await asked.ask(
                _note, asked.opened, profile, params.name, params.arguments or {}, result, success, duration
            )

    async def call(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        began = time.monotonic()
        try:
            answer = await call_tool(context, params)
        except Exception as refusal:
            await note(context, params, str(refusal), False, began)
            raise
        await note(context, params, answer, not answer.is_error, began)
        return answer

    return call


def _note(
    opened: Callable[[], Brain], profile: str, tool: str, arguments: Any, result: Any, success: bool, milliseconds: int
) -> None:
    try:
        said = _said(result) if isinstance(result, types.CallToolResult) else result
        opened().audit.note(profile, tool, arguments, said, success=success, duration_ms=milliseconds)
    except Exception:
        log.failure("a call could not be noted in the audit log", or_print=True)


def _said(answer: types.CallToolResult) -> Any:
    """Return what an answer says, once, because text and structure mostly say the same; JSON text is parsed."""
    if answer.structured_content is not None:
        return answer.structured_content
    texts = [part.text for part in answer.content if isinstance(part, types.TextContent)]
    try:
        return json.loads(texts[0]) if len(texts) == 1 else texts
    except ValueError:
        return texts[0]
