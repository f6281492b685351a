"""Send requests of a server to other servers, of JSON alone: the only place from which it asks anybody.

Addresses are https, or http on this machine, which is asked without a proxy. Redirects are refused, since they could
lead elsewhere. Answers are read to a bounded length within a bounded time.
"""

import ipaddress
import json
import threading
import time
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit


class Unavailable(Exception):
    """A server could not be asked, or what it answered is of no use, for the reason that the text says."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None  # the redirect itself becomes an error


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches a host."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_safe(url: str) -> bool:
    """Tell whether an address may be asked: https, or http on loopback, without a user's name."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.username is not None or not host or not url.isascii() or not url.isprintable() or " " in url:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


def opener_for(url: str) -> urllib.request.OpenerDirector:
    """Return what opens an address: it follows no redirect, and asks this machine without a proxy."""
    direct = [urllib.request.ProxyHandler({})] if is_loopback(urlsplit(url).hostname or "") else []
    return urllib.request.build_opener(_NoRedirects, *direct)


def fetch_json(url: str, *, timeout: float, largest: int, body: Any = None, key: str = "") -> dict[str, Any]:
    """Return the JSON object that a server answers within `timeout` seconds, in at most `largest` bytes.

    With a body it is sent that as JSON; `key` is sent as a bearer token. Raises Unavailable.
    """
    if not is_safe(url):
        raise Unavailable("the address is not https, or http on this machine")
    headers = {"Accept": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    data = None if body is None else json.dumps(body).encode()
    if data is not None:
        headers["Content-Type"] = "application/json"
    request, found = urllib.request.Request(url, data, headers), list[dict[str, Any] | Unavailable]()
    asking = threading.Thread(target=lambda: found.append(_outcome(request, timeout, largest)), daemon=True)
    asking.start()  # a thread, because a server that sends byte by byte can outlast any timeout of a socket
    asking.join(timeout)
    outcome = found[0] if found else _too_slow(timeout)
    if isinstance(outcome, Unavailable):
        raise outcome
    return outcome


def _too_slow(timeout: float) -> Unavailable:
    return Unavailable(f"it did not answer within {timeout:.3g} seconds")


def _outcome(request: urllib.request.Request, timeout: float, largest: int) -> dict[str, Any] | Unavailable:
    """Return the JSON object of an answer, or why there is none."""
    until = time.monotonic() + timeout
    try:
        with opener_for(request.full_url).open(request, timeout=timeout) as answer:
            content = b""
            while (part := answer.read1(65_536)) and len(content) <= largest and time.monotonic() < until:
                content += part
        if len(content) > largest:
            return Unavailable("its answer is too long")
        if time.monotonic() >= until:
            return _too_slow(timeout)
        document = json.loads(content)
    except urllib.error.HTTPError as refusal:
        refusal.close()
        return Unavailable(f"it answered with status {refusal.code}")
    except (OSError, HTTPException) as fault:
        reason = getattr(fault, "reason", fault)
        if isinstance(reason, TimeoutError):
            return _too_slow(timeout)
        return Unavailable(getattr(reason, "strerror", None) or type(reason).__name__)
    except (ValueError, RecursionError):
        return Unavailable("its answer is no JSON")
    return document if isinstance(document, dict) else Unavailable("its answer is no JSON object")
