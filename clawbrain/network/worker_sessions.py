"""Sessions of the era of `initialize` where several processes serve: any of them may get a session's next request.

A session is an unguessable id that is bound to its principal and kept in the file that all processes share. The SDK
behind it is stateless. There is no stream from the server, because the process that has news may be another one.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from anyio import to_thread
from mcp import types
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response

from ..brain.open_home import yielding
from ..errors import Busy
from .callers import SESSION_HEADER

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ..storage.shared_sessions import SharedSessions
    from .principal import Principal

MOST_SESSIONS = 1_000
Found = TypeVar("Found")


class SessionsOfWorkers:
    """An application with such sessions around another, which knows none."""

    def __init__(self, app: ASGIApp, kept: SharedSessions) -> None:
        self._app, self._kept = app, kept

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal: Principal = scope["principal"]
        session = Headers(scope=scope).get(SESSION_HEADER)
        if session is not None and scope["method"] != "DELETE":
            client = await _unless_held(self._kept.client_of, session, principal.key)
            if client is None:
                await _error("Session not found", 404)(scope, receive, send)
                return
            scope["client_name"] = client
        if scope["method"] == "DELETE":
            if session is not None:
                await _unless_held(self._kept.end, session, principal.key)
            await Response(status_code=204)(scope, receive, send)
        elif scope["method"] == "GET":
            await Response(status_code=405, headers={"Allow": "POST, DELETE"})(scope, receive, send)
        elif session is None and (client := _greeting(scope["body"])) is not None:
            await self._begin(client, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _begin(self, client: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer `initialize`, and begin a session if that succeeds."""
        principal: Principal = scope["principal"]
        session = secrets.token_hex(16)
        if await _unless_held(self._kept.begin, session, principal.key, client, MOST_SESSIONS) is False:
            await _error("Too many open sessions", 503)(scope, receive, send)
            return

        async def with_session(message: Message) -> None:
            if message["type"] == "http.response.start":
                if message["status"] < 400:
                    MutableHeaders(scope=message)[SESSION_HEADER] = session
                else:
                    await _unless_held(self._kept.end, session, principal.key)
            await send(message)

        await self._app(scope, receive, with_session)


async def _unless_held(verb: Callable[..., Found], *words: Any) -> Found | str:
    """Return what a verb of the shared list answers; '' while another program holds the list.

    A session is taken for its principal's then: what it has read, and its turns, are kept by both together.
    """

    def soon() -> Found:
        with yielding():
            return verb(*words)

    try:
        return await to_thread.run_sync(soon)
    except Busy:
        return ""


def _greeting(body: bytes) -> str | None:
    """Return what a client calls itself in a request `initialize`, or None for any other body."""
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.get("method") != "initialize":
        return None
    params = said.get("params")
    info = params.get("clientInfo") if isinstance(params, dict) else None
    name = info.get("name") if isinstance(info, dict) else None
    return name[:100] if isinstance(name, str) else ""


def _error(sentence: str, status: int) -> Response:
    error = {"code": types.INVALID_REQUEST, "message": sentence}
    headers = {"Retry-After": "60"} if status == 503 else {}
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": error}, status, headers)
