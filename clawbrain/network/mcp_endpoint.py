"""MCP over Streamable HTTP: the SDK's server for each profile and workspace.

Each workspace has servers of its own, so that neither sessions nor subscriptions of one are ever seen in another. The
SDK keeps the sessions of the era of `initialize` where one process serves; where there are several, or the profile is
served without sessions, it is stateless, and `SessionsOfWorkers` keeps the ids.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
from mcp import types
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response

from ..server.answers import Answers, Context, build
from .audit import CallHead, as_text, json_or_text
from .bodies import LONGEST
from .callers import SESSION_HEADER, RemoteRunner, calling_session

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    from anyio.abc import TaskStatus
    from mcp.server.session import ServerSession
    from starlette.requests import Request
    from starlette.types import Message, Receive, Scope, Send

    from ..profiles import ProfileSpec
    from ..server.audit import EndedCall
    from ..storage.shared_sessions import SharedSessions
    from .audit import AuditWriter
    from .principal import Principal
    from .remote_rules import RemoteRules
    from .workspaces import Background, Workspaces

MOST_SESSIONS = 1_000
SLOWEST = 5.0  # seconds for a subscriber to take what it is told
SESSION_RESTS = 12 * 3600.0  # seconds after which a session without requests is closed


class AnswersToMany(Answers):
    """The handlers for all clients of one profile in one workspace."""

    def __init__(self, served: McpEndpoint, workspace: str) -> None:
        super().__init__(served.spec, served.offered)
        self._served, self._workspace = served, workspace
        self._subscribers: dict[str, dict[str, ServerSession]] = {}
        """By session, the resources it subscribed to and what tells it of them."""
        self.listening = Listening()
        self._is_telling = self._has_news = False

    def runner(self, context: Context) -> RemoteRunner:
        assert context.request is not None
        request: Request = context.request
        principal: Principal = request.scope["principal"]
        params = context.session.client_params
        client = params.client_info.name if params else request.scope.get("client_name", "")
        session = calling_session(self._served.sessions, principal, request.headers)
        workspace = self._served.workspaces.get(self._workspace)
        served = self._served
        runner = RemoteRunner(served.spec, served.offered, workspace, principal, session, client, served.public_url)
        runner.permitted = served.rules.permitted
        return runner

    async def changed(self, context: Context) -> None:
        """Tell everybody in the workspace who subscribed to a resource, without waiting for those who read slowly."""
        self._has_news = True
        if not self._is_telling:
            self._is_telling = True
            self._served.start_soon(self._tell)

    async def _tell(self) -> None:
        try:
            while self._has_news:
                self._has_news = False
                for uris in list(self._subscribers.values()):
                    for uri, session in list(uris.items()):
                        with anyio.move_on_after(SLOWEST), suppress(Exception):  # a client that is gone
                            await session.send_resource_updated(uri)
                await self.listening.tell()
        finally:
            self._is_telling = False

    async def subscribe(self, context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        self._subscribers.setdefault(_session_of(context), {})[params.uri] = context.session
        if len(self._subscribers) > MOST_SESSIONS:
            del self._subscribers[next(iter(self._subscribers))]
        return types.EmptyResult()

    async def unsubscribe(self, context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        self._subscribers.get(_session_of(context), {}).pop(params.uri, None)
        return types.EmptyResult()

    def forget(self, session: str) -> None:
        """Forget what a session that ends subscribed to."""
        self._subscribers.pop(session, None)


def _session_of(context: Context) -> str:
    assert context.request is not None
    return str(context.request.headers.get(SESSION_HEADER, ""))


class Listening(ListenHandler):
    """The streams of clients without sessions that listen for changes of resources."""

    def __init__(self) -> None:
        self._events = InMemorySubscriptionBus()
        super().__init__(self._events, max_subscriptions=MOST_SESSIONS)
        self._uris: set[str] = set()

    async def __call__(self, ctx: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        if len(self._uris) < MOST_SESSIONS:
            self._uris.update(params.notifications.resource_subscriptions or ())
        return await super().__call__(ctx, params)

    async def tell(self) -> None:
        """Tell all streams that the resources they asked for may have changed."""
        for uri in self._uris:
            await self._events.publish(ResourceUpdated(uri=uri))


class McpEndpoint:
    """The ASGI application of one profile."""

    def __init__(
        self,
        spec: ProfileSpec,
        offered: Sequence[str],
        workspaces: Workspaces,
        sessions: SharedSessions,
        tasks: Background,
        rules: RemoteRules,
        public_url: str,
        audit: AuditWriter | None,
        *,
        stateless: bool,
    ) -> None:
        """`audit` keeps the calls, if any does; `stateless` serves without sessions of the SDK's."""
        self.spec, self.offered, self.public_url = spec, offered, public_url
        self.workspaces, self.sessions = workspaces, sessions
        self._tasks, self._stateless = tasks, stateless
        self.rules, self._audit = rules, audit
        self._schemas = {tool["name"]: tool["inputSchema"] for tool in spec["tools"]}
        self._served: dict[str, tuple[AnswersToMany, StreamableHTTPSessionManager]] = {}
        self._starting = anyio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        principal: Principal = scope["principal"]
        if refused := self.rules.refusal(principal, scope["body"]):
            await self._note_refused(scope, refused)
            await JSONResponse(refused, 403)(scope, receive, send)
            return
        answers, manager = await self._of(principal.workspace)
        # The SDK binds a session to its user, who is the same with a renewed token.
        scope["user"] = AuthenticatedUser(AccessToken(token="-", client_id=principal.key, scopes=[]))
        session = Headers(scope=scope).get(SESSION_HEADER)
        if scope["method"] == "DELETE":
            if not session:
                await Response(status_code=204)(scope, receive, send)
                return
            await manager.handle_request(scope, receive, _ending(send, partial(answers.forget, session)))
            return
        await manager.handle_request(scope, receive, _answering(send))

    async def keep(self, context: Context, ended: EndedCall) -> None:
        """Keep a call of a tool in the audit log."""
        assert self._audit and context.request is not None
        request: Request = context.request
        head = CallHead(
            request.scope["principal"], request.headers, self.spec["profile"], ended.tool, len(request.scope["body"])
        )
        await self._audit.note(
            head, as_text(ended.arguments), as_text(ended.said()), success=ended.success, duration_ms=ended.duration_ms
        )

    async def _note_refused(self, scope: Scope, answer: Mapping[str, Any]) -> None:
        """Note a request that is refused because its token may only read: its whole body, as its first refused tool."""
        if self._audit:
            principal, body = scope["principal"], scope["body"]
            tool = self.rules.refused_tools(principal, body)[0]
            head = CallHead(principal, Headers(scope=scope), self.spec["profile"], tool, len(scope["body"]))
            asked = partial(json_or_text, body)
            await self._audit.note(head, asked, as_text(answer), success=False, duration_ms=0)

    def start_soon(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Do some work beside the requests."""
        self._tasks.group.start_soon(work)

    async def _of(self, workspace: str) -> tuple[AnswersToMany, StreamableHTTPSessionManager]:
        """Return the handlers and the SDK's sessions of a workspace, which are started on first use."""
        if workspace not in self._served:
            async with self._starting:
                if workspace not in self._served:
                    self._served[workspace] = await self._tasks.group.start(self._serve, workspace)
        return self._served[workspace]

    async def _serve(self, workspace: str, *, task_status: TaskStatus[Any]) -> None:
        answers = AnswersToMany(self, workspace)
        server = build(answers, self.keep if self._audit else None, answers.listening)
        server.get_tool_input_schema = self._schemas.get
        manager = StreamableHTTPSessionManager(
            server,
            stateless=self._stateless,
            session_idle_timeout=SESSION_RESTS,
            max_sessions=MOST_SESSIONS,
            max_request_body_size=LONGEST,
        )
        async with manager.run():
            task_status.started((answers, manager))
            await anyio.sleep_forever()


def _answering(send: Send) -> Send:
    """Return a `send` by which a refused request names no session, which the SDK has thrown away, and says when to
    come again where there are too many."""

    async def corrected(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] >= 400:
            headers = MutableHeaders(scope=message)
            del headers[SESSION_HEADER]
            if message["status"] == 503:
                headers["Retry-After"] = "60"
        await send(message)

    return corrected


def _ending(send: Send, ended: Callable[[], None]) -> Send:
    """Return a `send` by which a session that is not there has ended as well as one that did, of which it tells."""
    unknown = False

    async def as_ended(message: Message) -> None:
        nonlocal unknown
        if message["type"] == "http.response.start":
            unknown = message["status"] == 404
            if message["status"] == 200:
                ended()
            if unknown:
                message = {**message, "status": 204, "headers": []}
        elif unknown:
            message = {**message, "body": b""}
        await send(message)

    return as_ended
