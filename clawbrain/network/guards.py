"""Check every request before anything else: the names it is sent to and from, and the size that it says it has.

Every answer that is not a stream is kept out of caches, and no fault of ours shows more than that there was one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, Response

from ..logs import Log
from ..outgoing import is_loopback
from ..profiles.shared.endpoints import HttpFault

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from .bodies import Bodies
    from .options import ServeOptions

log = Log("network")

_NETLOC = re.compile(r"(\[[0-9a-f:.]+\]|[^\[\]:/@\s]+)(?::[0-9]{1,5})?")
_ALL_ADDRESSES = ("0.0.0.0", "::")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
_SHARED_HEADERS = (
    "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, "
    "X-Clawbrain-Session, X-LLM-API-Key"
)
_METHODS = "GET, POST, PUT, DELETE"

Refusal = Callable[[str, HttpFault], Mapping[str, Any]]
"""Returns the body of a refusal at a path."""


def refused(refusal: Refusal, path: str, fault: HttpFault) -> Response:
    """Return the answer to a request that is refused."""
    headers = {"Connection": "close"} if fault.status in (408, 413) else {}
    if wait := fault.further.get("retry_after"):
        headers["Retry-After"] = str(wait)
    if challenge := fault.further.get("challenge"):
        headers["WWW-Authenticate"] = challenge
    if allow := fault.further.get("allow"):
        headers["Allow"] = allow
    return JSONResponse(dict(refusal(path, fault)), fault.status, headers)


def failure() -> HttpFault:
    """Return the refusal of a request that failed because of a fault of ours."""
    return HttpFault(500, "", "this could not be done because of a fault in the server.")


class Guards:
    """The guards around an application."""

    def __init__(self, app: ASGIApp, options: ServeOptions, refusal: Refusal, bodies: Bodies) -> None:
        self._app, self._refusal, self._bodies = app, refusal, bodies
        self._origins = {_origin(each) for each in options.allow_origins}
        self._local = is_loopback(options.host)
        self._hosts = {*_LOOPBACK_NAMES, *map(_host, options.allow_hosts)}
        if options.host not in _ALL_ADDRESSES:  # their names are what --allow-host says
            self._hosts.add(f"[{options.host}]" if ":" in options.host else options.host.lower())
        if options.public_url:
            self._hosts.add(_host(urlsplit(options.public_url).netloc))
            self._origins.add(_origin(options.public_url))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers, began = Headers(scope=scope), False
        origin = headers.get("origin", "")

        async def guarded(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                self._head(MutableHeaders(scope=message), origin)
            await send(message)

        try:
            self._check_names(headers)
            if origin and scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
                await self._preflight(origin)(scope, receive, guarded)
                return
            self._bodies.check(scope)
            scope["body"] = b""  # read once it is known who asks
            await self._app(scope, receive, guarded)
        except HttpFault as fault:
            if not began:
                await refused(self._refusal, scope["path"], fault)(scope, receive, guarded)
        except Exception:
            log.failure("a request failed", or_print=True)
            if not began:
                await refused(self._refusal, scope["path"], failure())(scope, receive, guarded)

    def _check_names(self, headers: Headers) -> None:
        """Raise HttpFault for a host that is not this server, and for a page of somebody else's."""
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or _host(host) not in self._hosts:
            raise HttpFault(421, "", "this server has another name: --allow-host adds one.")
        for origin in headers.getlist("origin"):
            if not self._is_known(origin):
                raise HttpFault(403, "", "pages of this origin may not call this server: --allow-origin adds one.")

    def _is_known(self, origin: str) -> bool:
        if _origin(origin) in self._origins:
            return True
        return (
            self._local
            and origin.startswith(("http://", "https://"))
            and _host(origin.split("//")[1]) in _LOOPBACK_NAMES
        )

    def _preflight(self, origin: str) -> Response:
        if _origin(origin) not in self._origins:
            raise HttpFault(403, "", "pages of this origin may not call this server: --allow-origin adds one.")
        headers = {"Access-Control-Allow-Methods": _METHODS, "Access-Control-Allow-Headers": _SHARED_HEADERS}
        return Response(status_code=204, headers={**headers, "Access-Control-Max-Age": "600"})

    def _head(self, headers: MutableHeaders, origin: str) -> None:
        """Add what all answers carry. A stream keeps the SDK's own word on caches."""
        if not headers.get("content-type", "").startswith("text/event-stream"):
            headers["Cache-Control"] = "no-store"
        headers["X-Content-Type-Options"] = "nosniff"
        if origin and _origin(origin) in self._origins:
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Expose-Headers"] = "Mcp-Session-Id, WWW-Authenticate, Retry-After"
            headers.add_vary_header("Origin")


def _host(netloc: str) -> str:
    """Return the name of a host and port, in lower case and without the port; '' for what is none."""
    found = _NETLOC.fullmatch(netloc.lower())
    return found[1].removesuffix(".") if found else ""


def _origin(address: str) -> str:
    """Return the origin of an address in lower case."""
    try:
        parts = urlsplit(address.lower())
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"
