"""The application that answers all requests: MCP, the HTTP APIs of profiles, and whether the server is there."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from .. import profiles, version
from ..profiles.shared.endpoints import HttpFault
from ..served_layers import served_layers
from ..storage.folders import DOT_FOLDER
from ..storage.shared_sessions import SharedSessions
from .admission import Admission
from .audit import AuditWriter
from .authentication_options import authenticator_of, protected_resource_routes
from .bodies import LONGEST, Bodies
from .connections import STREAM
from .guards import Guards, failure, refused
from .limits import Limits
from .mcp_endpoint import McpEndpoint
from .openapi import OWN_APIS, document, known_apis
from .remote_rules import RemoteRules
from .rest import ServedAPI
from .worker_sessions import SessionsOfWorkers
from .workspaces import Background, Workspaces

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ..layer_homes import ServedLayers
    from ..profiles import ProfileSpec
    from ..profiles.shared.endpoints import API
    from .options import ServeOptions
    from .principal import Principal

MCP = "/mcp"


def application(options: ServeOptions) -> ASGIApp:
    """Return the application. Raises Usage for options that do not go together."""
    served = Application(options)
    return Guards(served.starlette(), options, served.refusal, served.bodies)


class Application:
    """The routes of one process, with the homes, endpoints and limits behind them."""

    def __init__(self, options: ServeOptions) -> None:
        self.options = options
        self._rules = {name: RemoteRules(name) for name in options.profiles}
        layers = None if options.many else served_layers(options.home, options.layers)
        specs = {name: self._spec(name, layers) for name in options.profiles}
        self._authenticator = authenticator_of(options, self._rules.values())
        self._admission = Admission(self._authenticator, Limits(options.rate))
        self._tasks, self.bodies = Background(), Bodies(self._longest)
        self._long_bodies: dict[tuple[str, str], int] = {}
        self._workspaces = Workspaces(options, layers, self._tasks)
        self._sessions = SharedSessions(options.folder / DOT_FOLDER)
        self._audit = AuditWriter(options, self._tasks) if options.audit else None
        self._mcp = {name: self._mcp_endpoint(spec) for name, spec in specs.items()}
        self._profiles_by_word = {name: name for name in specs} | {
            r.path: name for name, r in self._rules.items() if r.path
        }
        self._being_profile = next((name for name, rules in self._rules.items() if rules.names_beings), "")
        self._apis = [self._served(api, specs[name]) for name in specs for api in known_apis([name])]
        self._own_apis = [self._served(api, specs[options.profiles[0]]) for api in OWN_APIS]
        for api in self._apis:
            self._long_bodies |= api.longest_bodies()

    def _spec(self, name: str, layers: ServedLayers | None) -> ProfileSpec:
        """Return a profile's spec, with those of the permissions and extras of the options that it has."""
        wanted, has = (*self._rules[name].extras, *self.options.extras), profiles.extras(name)
        extras = [word for word in wanted if word in has]
        allowed = [word for word in self.options.allow if word in profiles.read(name, profiles.SPEC).get("allow", ())]
        names = layers.names if layers and layers.layers and profiles.takes_layers(name) else ()
        spec = {**profiles.load(name, "", allowed, [*dict.fromkeys(extras)], names), **self._rules[name].handshake}
        # Of several processes the one that has news may not be the one that a client listens to.
        return spec if self.options.workers == 1 else {**spec, "subscriptions": False}

    def _served(self, api: API, spec: ProfileSpec) -> ServedAPI:
        return ServedAPI(
            api, spec, self._workspaces, self._sessions, self._admission, self.bodies, self.options, self._audit
        )

    def _mcp_endpoint(self, spec: ProfileSpec) -> ASGIApp:
        rules, alone = self._rules[spec["profile"]], self.options.workers == 1
        endpoint = McpEndpoint(
            spec,
            profiles.offered(spec, read_only=self.options.read_only),
            self._workspaces,
            self._sessions,
            self._tasks,
            rules,
            self.options.address,
            self._audit,
            stateless=rules.names_beings or not alone,
        )
        return endpoint if alone or rules.names_beings else SessionsOfWorkers(endpoint, self._sessions)

    def starlette(self) -> Starlette:
        """Return the routes."""
        handlers = {HTTPException: self._unknown, HttpFault: self._refused, Exception: self._failed}
        routes = [
            Route("/healthz", _healthz, methods=["GET"]),
            Route("/openapi.json", self._openapi, methods=["GET"]),
            Route(MCP, _Asgi(self._answer_mcp)),
            Route(MCP + "/", _Asgi(self._answer_mcp)),
            Route(MCP + "/{word}", _Asgi(self._answer_mcp)),
            *self._well_known(),
            *(route for api in self._own_apis for route in api.routes()),  # before the wildcards of profiles
            *(route for api in sorted(self._apis, key=_depth) for route in api.routes()),
        ]
        app = Starlette(routes=routes, lifespan=self._lifespan, exception_handlers=handlers)  # type: ignore[arg-type]
        app.router.redirect_slashes = False  # behind a proxy the address of a redirect would be a wrong one
        return app

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            self._tasks.group = group
            try:
                yield
            finally:
                group.cancel_scope.cancel()
                with anyio.CancelScope(shield=True):
                    if self._audit:
                        await self._audit.close()
                    await self._workspaces.close()
                    self._authenticator.close()
                    self._sessions.close()

    # Requests

    async def _answer_mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        profile, being = self._addressed(Request(scope))
        if scope["method"] not in ("GET", "POST", "DELETE"):
            raise HttpFault(405, "", "MCP takes POST, GET and DELETE.", allow="GET, POST, DELETE")
        principal = await self._admission.admit(scope, of_beings=profile == self._being_profile, being=being)
        if scope["method"] == "GET":
            await self._stream(profile, principal, scope, receive, send)
            return
        with self._admission.one_call(principal):
            async with self.bodies.read(scope, receive, principal.token) as again:
                if not _listens(scope["body"]):
                    await self._mcp[profile](scope, again, send)
                    return
        await self._stream(profile, principal, scope, again, send)  # which is no call for as long as it is open

    async def _stream(self, profile: str, principal: Principal, scope: Scope, receive: Receive, send: Send) -> None:
        scope[STREAM] = True
        with self._admission.one_stream(principal):
            await self._mcp[profile](scope, receive, send)

    def _addressed(self, request: Request) -> tuple[str, str]:
        """Return the profile that an address is of, and the being that it names, or ''. Raises HttpFault 404, 403."""
        word, beings = request.path_params.get("word", ""), set(request.query_params.getlist("being_id"))
        if word and word not in self._profiles_by_word:
            beings.add(word)
        else:
            word = self._profiles_by_word.get(word, "")
        profile = word if word in self._mcp else self._being_profile if beings else self.options.profiles[0]
        if not profile:
            raise HttpFault(404, "", "no profile of this name is served here.")
        if profile != self._being_profile:
            return profile, ""
        if len(beings) > 1:
            raise HttpFault(403, "", "this address names two beings.")
        return profile, next(iter(beings), "")

    async def _openapi(self, request: Request) -> Response:
        await self._admission.admit(request.scope, "read")
        return JSONResponse(document([each.api for each in (*self._own_apis, *self._apis)], version()))

    def _well_known(self) -> list[Route]:
        """Return the metadata that clients of an issuer look for. With tokens there is none: some clients that find
        any ignore the token they were given."""
        if self._authenticator.mode != "oauth":
            return []
        return protected_resource_routes(self.options)

    def refusal(self, path: str, fault: HttpFault) -> Mapping[str, Any]:
        """Return the body of a refusal in the shape of the API that a path belongs to."""
        below = [(len(prefix), api) for api in self._apis for prefix in api.api.prefixes if path.startswith(prefix)]
        if below and not path.startswith((MCP, "/healthz", "/openapi.json", "/.well-known")):
            return max(below, key=lambda each: each[0])[1].refusal(path, fault)
        return {"error": "Unauthorized" if fault.status == 401 else str(fault)}

    async def _refused(self, request: Request, fault: HttpFault) -> Response:
        return refused(self.refusal, request.url.path, fault)

    async def _unknown(self, request: Request, error: HTTPException) -> Response:
        sentence = {404: "there is nothing at this address.", 405: "this address does not take that method."}
        allow = (error.headers or {}).get("Allow", "")
        fault = HttpFault(error.status_code, "", sentence.get(error.status_code, error.detail), allow=allow)
        return await self._refused(request, fault)

    async def _failed(self, request: Request, _: Exception) -> Response:
        return await self._refused(request, failure())

    def _longest(self, method: str, path: str) -> int:
        """Return how many bytes the body of a request may have."""
        return max(LONGEST, self._long_bodies.get((method, path), 0))


class _Asgi:
    """A function as an application, which Starlette lets have all methods."""

    def __init__(self, answer: ASGIApp) -> None:
        self._answer = answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._answer(scope, receive, send)


async def _healthz(_: Request) -> Response:
    return JSONResponse({"status": "ok", "version": version()})


def _listens(body: bytes) -> bool:
    """Tell whether a body asks for a stream of what changes."""
    if b"subscriptions/listen" not in body:
        return False
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and said.get("method") == "subscriptions/listen"


def _depth(served: ServedAPI) -> int:
    """Return what puts an API with longer paths before one whose beginnings they share."""
    return -min(len(prefix) for prefix in served.api.prefixes)
