"""Signed tokens: base64url("user:workspace:unix-time") "." HMAC-SHA256 of that encoded payload.

Whoever has the key makes one for each request or few; nothing is kept of them. They are valid for some minutes only,
and as much before their time, because clocks differ.
"""

import base64
import hmac
import os
import re
from binascii import Error as NoBase64
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from ..errors import Usage
from .names import check_name, is_name
from .principal import Scope
from .refusals import Unauthenticated

VARIABLE = "CLAWBRAIN_HMAC_KEY"
_TIME = re.compile(r"[0-9]{1,12}")
_LONGEST_KEY = 65_536


class Signed(NamedTuple):
    """The payload of a token that was verified."""

    user: str
    workspace: str


@dataclass(frozen=True, slots=True)
class HmacOptions:
    """The key by which signed tokens are verified, how old they may be, and what they permit."""

    key: bytes = field(repr=False)
    max_age: float = 300.0  # seconds
    scope: Scope = Scope.WRITE


def key_from(file: Path | None, environ: Mapping[str, str]) -> bytes:
    """Return the key in a file, without its last newline, or else in CLAWBRAIN_HMAC_KEY; b'' where there is neither.

    Raises Usage for a file that cannot be read, and for an empty key.
    """
    if file is None:
        return os.fsencode(environ.get(VARIABLE, ""))
    try:
        with file.open("rb") as stream:
            key = stream.read(_LONGEST_KEY)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its name can be none"
        raise Usage(f"the key file of --hmac-key-file cannot be read: {reason}.") from None
    key = key.removesuffix(b"\n").removesuffix(b"\r")
    if not key:
        raise Usage("the key file of --hmac-key-file is empty: `openssl rand -hex 32 > FILE` makes a key.")
    return key


def sign(key: bytes, user: str, workspace: str, now: datetime) -> str:
    """Return a token for a user and a workspace. Raises Invalid for names that can be none."""
    names = f"{check_name('user', user)}:{check_name('workspace', workspace)}"
    payload = base64.urlsafe_b64encode(f"{names}:{int(now.timestamp())}".encode()).rstrip(b"=").decode()
    return f"{payload}.{_signature(key, payload).hex()}"


def verify(token: str, options: HmacOptions, now: datetime) -> Signed:
    """Return the payload of a token. Raises Unauthenticated."""
    payload, _, signature = token.partition(".")
    payload = payload.rstrip("=")
    if not hmac.compare_digest(_decoded_signature(signature), _signature(options.key, payload)):
        raise Unauthenticated("the token's signature is wrong.")
    user, workspace, time = _parts(payload)
    if not (is_name(user) and is_name(workspace) and _TIME.fullmatch(time)):
        raise Unauthenticated("the token's payload is not user:workspace:unix-time.")
    age = now.timestamp() - int(time)
    if age > options.max_age:
        raise Unauthenticated("the token is too old: sign a new one.")
    if age < -options.max_age:
        raise Unauthenticated("the token's time lies in the future: set the clocks.")
    return Signed(user, workspace)


def _signature(key: bytes, payload: str) -> bytes:
    return hmac.digest(key, payload.encode(), "sha256")


def _decoded_signature(text: str) -> bytes:
    """Return the bytes of a signature in hexadecimal or base64url, or b'' for any other text."""
    try:
        return bytes.fromhex(text) if len(text) == 64 else _decoded(text.rstrip("="))
    except (ValueError, NoBase64):
        return b""


def _parts(payload: str) -> tuple[str, str, str]:
    try:
        user, workspace, time = _decoded(payload).decode().split(":")
    except (ValueError, NoBase64):
        return "", "", ""
    return user, workspace, time


def _decoded(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
