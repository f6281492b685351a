"""The public keys of an issuer of JWTs, fetched from where its metadata says they are.

What the issuer says of addresses is asked as `outgoing` permits it: https, or http on loopback, without redirects.
"""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import jwt

from ..outgoing import Unavailable, fetch_json

KeySet = Sequence[jwt.PyJWK]
TIMEOUT = 5.0  # seconds for one answer
LARGEST = 1 << 20  # bytes of one answer
_MOST = 100  # keys


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
    return fetch_json(url, timeout=TIMEOUT, largest=LARGEST)


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
