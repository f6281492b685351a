"""Checking an entry that leads to a server elsewhere: is the variable set, does the server answer, and to this token?

A project's configuration may be a stranger's, and could ask for any variable to be sent anywhere: nothing is asked for
it. No redirection is followed, since it would carry the token along, and no finding repeats a token.
"""

import json
import re
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request

from ..errors import Invalid
from ..outgoing import opener_for
from ..redaction import redacted
from .check import PATIENCE, Check
from .programs import Program
from .remote import Address, address_in, checked

_MOST = 65_536  # bytes of an answer
_TRUST = "Start it in this folder, if you trust it."
_GREETING = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "clawbrain-doctor", "version": "1"},
    },
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of a server."""

    status: int
    headers: Message
    text: str


def checks(
    program: Program, entry: Mapping[str, Any], file: str, again: str, environ: Mapping[str, str],
    answered: dict[object, Check], *, is_shared: bool,
) -> Iterator[Check]:  # fmt: skip
    """Yield what is found about a remote entry in `file`. `again` is the command that installs the program.

    `answered` keeps what a server has said, since several programs may lead to it.
    """
    assert program.remote
    address = address_in(program.remote, entry)
    own = not address.variable and _has_credentials(entry)
    rewrite = f"{again[:-1]} --url URL --token-env NAME`"
    try:
        checked(address.url, address.variable, plain=True)
    except Invalid as error:
        yield Check("entry", "broken", f"{file}: {error}", f"{rewrite} writes it anew.")
        return
    yield Check("entry", "well", f"{file} leads to {address.url}")
    if own:
        do = f"{rewrite} names a variable instead; a token that stood there is to be revoked."
        yield Check("token", "to do", f"{file} has credentials of its own", do)
    if address.variable and not environ.get(address.variable):
        do = f"Set it to a token where {program.title} is started; on the server `token create` makes one."
        yield Check("variable", "to do", f"{address.variable} is not set in this environment", do)
    if is_shared:
        yield Check("server", "note", "the server was not asked: this folder's configuration names it", _TRUST)
        return
    server = answered.get(address.url) or _server(address)
    answered[address.url] = server
    yield server
    if server.state == "well" and not own and (not address.variable or environ.get(address.variable)):
        yield _token(address, environ.get(address.variable, ""), program, rewrite)


def _has_credentials(entry: Mapping[str, Any]) -> bool:
    """Tell whether an entry has a token in it, or a header that is to hold one."""
    headers = entry.get("headers", entry.get("http_headers"))
    named = headers if isinstance(headers, dict) else {}
    return any(key.lower() == "authorization" for key in named) or redacted(str(entry)) != str(entry)


def _server(address: Address) -> Check:
    """Ask whether a clawbrain is there."""
    parts = urlsplit(address.url)
    above = re.fullmatch(r"(.*?)(/mcp(/.*)?|/[^/]*)?", parts.path)
    place = f"{parts.scheme}://{parts.netloc}{above[1] if above else ''}/healthz"
    look = "Is `serve --http` running there, and is the address right?"
    try:
        answer = _asked(Request(place))
    except (OSError, HTTPException) as error:
        return Check("server", "broken", f"{parts.netloc} does not answer: {_reason(error)}", look)
    if answer.status == 421:
        do = f"Serve with --allow-host {parts.hostname}."
        return Check("server", "broken", f"the server does not take {parts.hostname} for its name", do)
    if answer.status != 200 or '"status"' not in answer.text:
        return Check("server", "broken", f"what answers at {parts.netloc} is no clawbrain", look)
    return Check("server", "well", f"{parts.netloc} answers")


def _token(address: Address, token: str, program: Program, rewrite: str) -> Check:
    """Greet the server as the program does, with its token if there is one."""
    try:
        answer = _greeted(address, token)
    except ValueError:  # a line break, or a letter that no header can have
        return Check("token", "broken", f"what is in {address.variable} is no token", "Set it to the token alone.")
    except (OSError, HTTPException) as error:
        return Check(
            "token", "broken", f"the server does not answer the greeting: {_reason(error)}", "Look at its log."
        )
    if answer.status == 200 and '"serverInfo"' in answer.text:
        found = f"the server accepts the token in {address.variable}" if token else "the server asks for no token"
        return Check("token", "well", found)
    if answer.status == 401 and token:
        do = "On the server `token list` shows those that it accepts."
        return Check("token", "broken", f"the server does not accept the token in {address.variable}", do)
    if answer.status == 401 and "resource_metadata" in str(answer.headers.get("WWW-Authenticate")):
        return Check("token", "note", "the server asks you to sign in", f"{program.title} does so when it starts.")
    if answer.status == 401:
        return Check("token", "broken", "the server asks for a token", f"{rewrite} says where it is.")
    do = "The tools are below /mcp; the server's log says more."
    return Check("token", "broken", f"{address.url} answers the greeting with status {answer.status}", do)


def _greeted(address: Address, token: str) -> Answer:
    """Return the answer to a greeting, and end the session that it began."""
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    answer = _asked(Request(address.url, json.dumps(_GREETING).encode(), headers, method="POST"))
    if session := answer.headers.get("Mcp-Session-Id"):
        _asked(Request(address.url, headers={**headers, "Mcp-Session-Id": session}, method="DELETE"))
    return answer


def _asked(request: Request) -> Answer:
    """Return the answer to a request, or its first part within the time; raise OSError or HTTPException without one."""
    until = time.monotonic() + PATIENCE
    try:
        with opener_for(request.full_url).open(request, timeout=PATIENCE) as answer:
            return Answer(answer.status, answer.headers, _read(answer, until))
    except HTTPError as error:
        with error:
            return Answer(error.code, error.headers, "")


def _read(answer: HTTPResponse, until: float) -> str:
    """Return the text of an answer; of a stream the first event, since it may stay open."""
    is_stream = str(answer.headers.get("Content-Type")).startswith("text/event-stream")
    data = b""
    while len(data) < _MOST and time.monotonic() < until:
        part = answer.read1(4_096)
        data += part
        if not part or (is_stream and b'"jsonrpc"' in data and data.endswith(b"\n\n")):
            break
    return data.decode("utf-8", "replace")


def _reason(error: Exception) -> str:
    """Return why there was no answer, in words of the system, without what the server said."""
    cause = error.reason if isinstance(error, URLError) else error
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted ({cause.verify_message})"
    if isinstance(cause, TimeoutError):
        return f"nothing within {PATIENCE:.0f} seconds"
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror
    return "it does not speak HTTP"
