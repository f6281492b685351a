"""Verify the JWTs of an issuer that the owner names, with the keys that this publishes.

Only RS256 and ES256 are taken, each with a key of its own type, so that a token can neither be unsigned nor signed with
a public key as a secret. Times are compared with the clock that is given, which is why PyJWT does not compare them.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import jwt
from jwt.types import Options

from ..errors import Busy
from ..logs import WARNING, Log
from ..outgoing import Unavailable
from .issuer_keys import KeySet, fetch_keys
from .principal import Scope, scope_named
from .refusals import Unauthenticated

log = Log("network")

ALGORITHMS = {"RS256": "RSA", "ES256": "EC"}  # each with the type of its keys
LEEWAY = 30.0  # seconds by which clocks may differ
REFETCH = 30.0  # seconds between two fetches of the keys
_LASTING = 3_600.0  # seconds after which the keys are fetched anew
_OPTIONS: Options = {
    "verify_exp": False, "verify_nbf": False, "verify_iat": False,
    "enforce_minimum_key_length": True, "require": ["exp", "iss", "aud", "sub"],
}  # fmt: skip
# What PyJWT and the decoding of JSON raise for texts that are no tokens.
_FAULTS = (jwt.PyJWTError, ValueError, TypeError, ArithmeticError, RecursionError)


@dataclass(frozen=True, slots=True)
class OAuthOptions:
    """The issuer whose JWTs are taken, and the audience that they must name."""

    issuer: str
    public_url: str  # the address of this server
    audience: str = ""  # what `aud` must be, if not the address
    workspace_claim: str = "workspace"

    @property
    def issuers(self) -> list[str]:
        """Return the values that `iss` may have: people add a slash to the address, and leave out one that is there."""
        address = self.issuer.removesuffix("/")
        return [address, f"{address}/"]

    @property
    def resource(self) -> str:
        """Return the address of the tools, of which the metadata of this server speaks."""
        return f"{self._address}/mcp"

    @property
    def _address(self) -> str:
        return self.public_url.rstrip("/").removesuffix("/mcp")

    @property
    def audiences(self) -> list[str]:
        """Return the values of which `aud` must have one."""
        if self.audience:
            return [self.audience]
        return [self._address, f"{self._address}/", self.resource, f"{self.resource}/"]


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a verified token."""

    user: str
    workspace: str
    scope: Scope | None  # None where it grants none of ours


class OAuth:
    """The verifier of one issuer's tokens."""

    def __init__(self, options: OAuthOptions, clock: Callable[[], datetime]) -> None:
        self.options, self._clock = options, clock
        self._keys: KeySet | None = None
        self._tried = self._fetched = float("-inf")
        self._fetching: asyncio.Task[None] | None = None

    async def claims(self, token: str) -> Claims:
        """Return what a valid token says. Raises Unauthenticated; Busy where the issuer's keys are not to be had."""
        try:
            header = jwt.get_unverified_header(token)
        except _FAULTS:
            raise Unauthenticated("this server takes JWTs of its issuer alone, and the token is none.") from None
        algorithm, kid = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in ALGORITHMS or not isinstance(kid, str | None):
            raise Unauthenticated("the token is not signed with RS256 or ES256.")
        key = await self._key(kid, algorithm)
        try:
            payload = jwt.decode(
                token, key, [algorithm], options=_OPTIONS, audience=self.options.audiences,
                issuer=self.options.issuers,
            )  # fmt: skip
        except _FAULTS as fault:
            raise Unauthenticated(_sentence(fault)) from None
        return self._read(payload)

    def _read(self, payload: Mapping[str, Any]) -> Claims:
        now = self._clock().timestamp()
        if now >= _time(payload, "exp") + LEEWAY:
            raise Unauthenticated("the token has expired.")
        if "nbf" in payload and now < _time(payload, "nbf") - LEEWAY:
            raise Unauthenticated("the token is not valid yet.")
        user, workspace = payload["sub"], payload.get(self.options.workspace_claim, "")
        if not isinstance(user, str) or not 0 < len(user) <= 255 or not user.isprintable():
            raise Unauthenticated("the token names no user in its claim `sub`.")
        return Claims(user, workspace if isinstance(workspace, str) else "", _scope(payload))

    async def _key(self, kid: str | None, algorithm: str) -> jwt.PyJWK:
        """Return the key of a token. The keys are fetched for one that is unknown, at most once in REFETCH seconds.

        Keys that are an hour old are fetched anew too, because the issuer may have withdrawn one; none waits for it.
        """
        key = _fitting(self._keys, kid, algorithm)
        if key is None or self._now() - self._fetched >= _LASTING:
            fetch = self._begun_fetch()
            if key is None and fetch:
                await asyncio.shield(fetch)  # others may wait for it too
                key = _fitting(self._keys, kid, algorithm)
        if key is None and self._keys is None:
            raise Busy("the keys of the issuer could not be fetched; try again in half a minute.")
        if key is None:
            raise Unauthenticated("the token is signed with a key that its issuer does not publish.")
        return key

    def _begun_fetch(self) -> asyncio.Task[None] | None:
        """Return the fetch that runs, or begin one; None where the last one was a moment ago."""
        now = self._now()
        if self._fetching is None or self._fetching.done():
            if 0 <= now - self._tried < REFETCH:
                return None
            self._tried, self._fetching = now, asyncio.create_task(self._renew(now))
        return self._fetching

    async def _renew(self, now: float) -> None:
        try:
            self._keys = await asyncio.to_thread(fetch_keys, self.options.issuer)
            self._fetched = now
        except Unavailable as reason:
            log(WARNING, "the keys of the issuer could not be fetched: %s", reason)

    def _now(self) -> float:
        return self._clock().timestamp()


def _fitting(keys: KeySet | None, kid: str | None, algorithm: str) -> jwt.PyJWK | None:
    """Return the key of an id; without an id, the only key that there is for the algorithm; else None."""
    fitting = [key for key in keys or () if key.algorithm_name == algorithm and key.key_type == ALGORITHMS[algorithm]]
    if kid is not None:
        fitting = [key for key in fitting if key.key_id == kid]
    return fitting[0] if len(fitting) == 1 else None


def _time(payload: Mapping[str, Any], claim: str) -> float:
    value = payload[claim]
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e12:  # nan too
        raise Unauthenticated(f"the token's claim `{claim}` is no time.")
    return float(value)


def _scope(payload: Mapping[str, Any]) -> Scope | None:
    """Return the widest of our scopes that a token grants in `scope` or `scp`, a text or a list."""
    granted = payload.get("scope", payload.get("scp", ""))
    words: Sequence[Any] = granted.split() if isinstance(granted, str) else granted if isinstance(granted, list) else ()
    return max((scope for word in words if isinstance(word, str) and (scope := scope_named(word))), default=None)


def _sentence(fault: BaseException) -> str:
    match fault:
        case jwt.InvalidAudienceError():
            return "the token is for another server."
        case jwt.InvalidIssuerError():
            return "the token is of another issuer."
        case jwt.MissingRequiredClaimError():
            return f"the token lacks its claim `{fault.claim}`."
        case jwt.InvalidSignatureError():
            return "the token's signature is wrong."
    return "the token is none that can be read."
