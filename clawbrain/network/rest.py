"""Serve the HTTP APIs of profiles: make routes of their tables of endpoints, and answer or refuse each request."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..brain import reading
from ..errors import AlreadyExists, Broken, Busy, Changed, ClawbrainError, Invalid, NotFound, ReadOnly, Usage
from ..logs import milliseconds
from ..profiles import first_fault
from ..profiles.shared.endpoints import ANY, HttpCall, HttpFault, Upload
from ..server.tool_runner import give_way
from .audit import CallHead, as_text, json_or_text
from .callers import RemoteRunner, calling_session
from .guards import failure
from .openapi import METHODS

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from ..profiles import ProfileSpec
    from ..profiles.shared.endpoints import API, Endpoint, HttpAnswer
    from ..storage.shared_sessions import SharedSessions
    from .admission import Admission
    from .audit import AuditWriter, Value
    from .bodies import Bodies
    from .options import ServeOptions
    from .principal import Principal
    from .workspaces import Workspaces

MOST_FILES = 10
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""The beginning of the escape of half a character in JSON."""
_STATUSES: Sequence[tuple[type[ClawbrainError], int]] = (
    (NotFound, 404), (AlreadyExists, 409), (Changed, 409), (Invalid, 400), (Usage, 400), (ReadOnly, 403), (Busy, 503),
    (Broken, 500),
)  # fmt: skip
"""The status of each error; of all others it is 409."""


class ServedAPI:
    """The API of one profile, with all that its endpoints need."""

    def __init__(
        self,
        api: API,
        spec: ProfileSpec,
        workspaces: Workspaces,
        sessions: SharedSessions,
        admission: Admission,
        bodies: Bodies,
        options: ServeOptions,
        audit: AuditWriter | None,
    ) -> None:
        """`audit` keeps the calls, if any does."""
        self._audit = audit
        self.api, self.spec = api, spec
        self._workspaces, self._sessions, self._options = workspaces, sessions, options
        self._admission, self._bodies = admission, bodies
        self._tools = import_module(f"clawbrain.profiles.{spec['profile']}.tools")

    def routes(self) -> list[Route]:
        """Return a route for each path, so that a refusal of a method names all that the path takes."""
        paths: dict[str, dict[str, Endpoint]] = {}
        for each in self.api.endpoints:
            paths.setdefault(each.path, {})[each.method] = each
        return [
            Route(path, _EndpointsOfPath(self, by_method), methods=METHODS if ANY in by_method else [*by_method])
            for path, by_method in paths.items()
        ]

    def longest_bodies(self) -> dict[tuple[str, str], int]:
        """Return by method and path the bytes of the bodies that may be longer than others."""
        return {(each.method, each.path): each.largest_body for each in self.api.endpoints if each.largest_body}

    async def answer(self, endpoint: Endpoint, request: Request) -> HttpAnswer:
        """Answer a request, and note it in the audit log if that is kept. Raises HttpFault."""
        if not endpoint.scope:
            return self._done(endpoint, await self._call(endpoint, request))
        if not self._audit:
            return await self._admitted(endpoint, request)
        began = time.monotonic()
        try:
            answer = await self._admitted(endpoint, request)
        except Exception as error:
            fault = error if isinstance(error, HttpFault) else failure()
            await self._note(endpoint, request, partial(str, fault), success=False, began=began)
            raise
        await self._note(endpoint, request, as_text(_said(answer)), success=answer.status < 400, began=began)
        return answer

    async def _note(self, endpoint: Endpoint, request: Request, answer: Value, *, success: bool, began: float) -> None:
        """Note a call in the audit log, unless nobody is known to have made it."""
        if self._audit and (principal := request.scope.get("principal")):
            head = CallHead(principal, request.headers, self.spec["profile"], endpoint.name, len(request.scope["body"]))
            words = {"path": request.path_params, "query": dict(request.query_params)}
            asked, duration = _asked(endpoint, words, request.scope["body"]), round(milliseconds(began))
            await self._audit.note(head, asked, answer, success=success, duration_ms=duration)

    async def _admitted(self, endpoint: Endpoint, request: Request) -> HttpAnswer:
        """Answer a request of somebody who may ask. Raises HttpFault."""
        principal = await self._admission.admit(request.scope, endpoint.scope)
        if self._options.read_only and endpoint.scope != "read" and endpoint.method != "GET":
            raise HttpFault(403, "", "this server was started with --read-only; nothing was changed.")
        with self._admission.one_call(principal):
            async with self._bodies.read(request.scope, request.receive, principal.token) as receive:
                call = await self._call(endpoint, Request(request.scope, receive), principal)
            session = calling_session(self._sessions, principal, request.headers)
            workspace = self._workspaces.get(principal.workspace)
            client = request.headers.get("user-agent", "").partition("/")[0]
            runner = RemoteRunner(self.spec, (), workspace, principal, session, client, self._options.address)
            work = partial(self._done_by, runner, endpoint, call)
            return await (runner.ask(work) if _only_reads(endpoint) else runner.when_free(work))

    async def _call(self, endpoint: Endpoint, request: Request, principal: Principal | None = None) -> HttpCall:
        """Return a request as its endpoint sees it, but for the brain. Raises HttpFault for a body that is none."""
        headers = {name: value for name, value in request.headers.items() if name not in ("authorization", "cookie")}
        return HttpCall(
            brain=None,  # type: ignore[arg-type]  # set on its thread; an endpoint without a scope needs none
            profile=None,
            path=request.path_params,
            query=dict(request.query_params),
            body=_body(request.scope["body"], endpoint.body) if endpoint.body else None,
            files=await _files(request) if endpoint.takes_files else (),
            headers=headers,
            user=principal.user if principal else "",
            workspace=principal.workspace if principal else "",
            public_url=self._options.address,
            log_file=self._options.log_file,
        )

    def _done_by(self, runner: RemoteRunner, endpoint: Endpoint, call: HttpCall) -> HttpAnswer:
        with reading() if _only_reads(endpoint) else nullcontext():
            brain = runner.opened()
            tools = runner.tools(brain)
            tools.progress, tools.allowed = None, self.spec["allowed"]
            return self._done(endpoint, replace(call, brain=brain, profile=tools))

    def _done(self, endpoint: Endpoint, call: HttpCall) -> HttpAnswer:
        try:
            return endpoint.answer(call)
        except ClawbrainError as error:
            give_way(error)
            status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 409)
            raise HttpFault(status, "", str(error)) from None

    def refusal(self, path: str, fault: HttpFault) -> Mapping[str, Any]:
        """Return the body of a refusal in the API's own shape."""
        if not fault.code:
            fault.code = self.api.codes.get(fault.status, "")
        return self.api.refusal(fault, fault.further.get("endpoint", ""))


def _only_reads(endpoint: Endpoint) -> bool:
    return endpoint.scope == "read" or endpoint.method == "GET"


def _asked(endpoint: Endpoint, words: dict[str, Any], body: bytes) -> Value:
    """Return a function that returns the parts of a request that are not empty. Of a form there is only the size."""
    if endpoint.takes_files:
        words, body = words | {"form": {"bytes": len(body)}}, b""
    words = {name: value for name, value in words.items() if value}
    return lambda: words | ({"body": json_or_text(body)} if body else {})


def _said(answer: HttpAnswer) -> Any:
    """Return what an answer says. Of a file there is only the size."""
    if isinstance(answer.body, bytes):
        return {"bytes": len(answer.body), "media_type": answer.media_type}
    return answer.body


class _EndpointsOfPath:
    """The ASGI application of one path, with its endpoints by method."""

    def __init__(self, served: ServedAPI, by_method: Mapping[str, Endpoint]) -> None:
        self._served, self._by_method = served, by_method

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = "GET" if scope["method"] == "HEAD" else scope["method"]
        endpoint = self._by_method.get(method) or self._by_method[ANY]
        try:
            answer = await self._served.answer(endpoint, Request(scope, receive))
        except HttpFault as fault:
            fault.further.setdefault("endpoint", endpoint.name)
            raise
        await _response(answer)(scope, receive, send)


def _body(body: bytes, schema: Mapping[str, Any]) -> Any:
    """Return the JSON of a body. Raises HttpFault 400 for another text, and for JSON that breaks the schema."""
    try:
        text = body.decode("utf-8-sig")
        said = json.loads(text, parse_constant=_refuse_constant)
        if _HALF.search(text):
            json.dumps(said, ensure_ascii=False).encode()  # a lone surrogate can be neither stored nor answered
    except (ValueError, RecursionError):
        raise HttpFault(400, "", "the body is no JSON.") from None
    if fault := first_fault(said, schema):
        raise HttpFault(400, "", f"the body{fault}." if fault.startswith(" ") else f"{fault}.")
    return said


def _refuse_constant(word: str) -> None:
    raise ValueError(word)


async def _files(request: Request) -> list[Upload]:
    """Return the files of a multipart form. Raises HttpFault 400 for another body."""
    try:
        form = await request.form(max_files=MOST_FILES, max_fields=100)
    except HTTPException as error:
        raise HttpFault(400, "", f"the form cannot be read ({error.detail}).") from None
    return [
        Upload(name, part.filename or "", await part.read(), part.content_type or "")
        for name, part in form.multi_items()
        if not isinstance(part, str)
    ]


def _response(answer: HttpAnswer) -> Response:
    headers = dict(answer.headers)
    if answer.body is None and answer.status in (204, 304):
        return Response(status_code=answer.status, headers=headers)
    if isinstance(answer.body, str | bytes):
        return Response(answer.body, answer.status, headers, answer.media_type)
    return JSONResponse(answer.body, answer.status, headers)
