"""The public keys of an issuer of JWTs, fetched from where its metadata says they are.

Addresses are https, or http on loopback. Redirects are refused, since they could lead elsewhere. The answers of the
issuer are read to a bounded length within a bounded time.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.parse import urlsplit

import jwt

from .options import is_loopback

KeySet = Sequence[jwt.PyJWK]
TIMEOUT = 5.0  # seconds for one answer
LARGEST = 1 << 20  # bytes of one answer
_MOST = 100  # keys


class Unavailable(Exception):
    """The keys could not be fetched, for the reason that its text says."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None  # the redirect itself becomes an error


def is_safe(url: str) -> bool:
    """Tell whether keys may be fetched from an address: https, or http on loopback."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if parts.username is not None or not host or not url.isascii() or not url.isprintable() or " " in url:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


def fetch_keys(issuer: str) -> KeySet:
    """Return the keys for signatures of an issuer. Raises Unavailable."""
    document = _fetch(_keys_url(issuer))
    listed = document.get("keys")
    if not isinstance(listed, list):
        raise Unavailable("its set of keys has no list of them")
    return [key for each in listed[:_MOST] if (key := _key(each))]


def _keys_url(issuer: str) -> str:
    """Return the address of an issuer's keys: as its metadata says or, where it publishes none, the usual one."""
    reasons = []
    for url in _metadata_urls(issuer):
        try:
            document = _fetch(url)
        except Unavailable:
            continue
        keys = document.get("jwks_uri")
        if str(document.get("issuer")).removesuffix("/") != issuer.removesuffix("/"):
            reasons.append("its metadata names another issuer")
        elif not isinstance(keys, str):
            reasons.append("its metadata names no jwks_uri")
        else:
            return keys
    if reasons:
        raise Unavailable(reasons[0])
    return f"{issuer.rstrip('/')}/.well-known/jwks.json"


def _metadata_urls(issuer: str) -> Iterator[str]:
    """Yield where an issuer may publish its metadata: by RFC 8414 before its path, by OpenID Connect behind it."""
    parts = urlsplit(issuer)
    path, root = parts.path.rstrip("/"), f"{parts.scheme}://{parts.netloc}"
    yield f"{root}/.well-known/oauth-authorization-server{path}"
    yield f"{root}{path}/.well-known/openid-configuration"
    if path:
        yield f"{root}/.well-known/openid-configuration{path}"


def _fetch(url: str) -> dict[str, Any]:
    """Return the JSON object at an address. Raises Unavailable."""
    if not is_safe(url):
        raise Unavailable("an address of its is not https, or http on loopback")
    direct = [urllib.request.ProxyHandler({})] if is_loopback(urlsplit(url).hostname or "") else []
    opener = urllib.request.build_opener(_NoRedirects, *direct)
    request = urllib.request.Request(url, headers={"Accept": "application/json"})
    try:
        with opener.open(request, timeout=TIMEOUT) as answer:
            document = json.loads(_content(answer))
    except urllib.error.HTTPError as error:
        error.close()
        raise Unavailable(f"status {error.code}") from None
    except (OSError, HTTPException, ValueError, RecursionError) as error:
        raise Unavailable(type(error).__name__) from None
    if not isinstance(document, dict):
        raise Unavailable("its answer is no JSON object")
    return document


def _content(answer: HTTPResponse) -> bytes:
    """Return the body of an answer. Raises Unavailable for one that is too long or comes too slowly."""
    content, until = b"", time.monotonic() + TIMEOUT
    while part := answer.read1(65_536):
        content += part
        if len(content) > LARGEST or time.monotonic() > until:
            raise Unavailable("its answer is too long or too slow")
    return content


def _key(listed: Any) -> jwt.PyJWK | None:
    """Return a key of a set, or None for one that is not for signatures or not understood."""
    if not isinstance(listed, dict) or listed.get("use", "sig") != "sig" or listed.get("kty") not in ("RSA", "EC"):
        return None
    if listed["kty"] == "EC" and listed.get("crv") != "P-256":
        return None
    try:
        return jwt.PyJWK(listed)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError, AttributeError):
        return None
