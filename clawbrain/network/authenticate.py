"""Find the principal of a request by its header Authorization and the being that its path names.

There are three modes, which never mix. In `token` mode the tokens of access.db, signed tokens and one further token are
taken, in `oauth` mode the JWTs of an issuer alone, and in `open` mode everybody is the owner of the memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..errors import Busy, Usage
from ..memory.model import utc_now
from ..outgoing import is_safe
from . import hmac_tokens
from .hmac_tokens import HmacOptions
from .last_uses import LastUses
from .names import workspace_folder
from .principal import Principal, Scope, scope_named
from .refusals import NO_WORKSPACE, Forbidden, Unauthenticated
from .tokens import API, BEING, BOUND_BEING, Tokens, digest_of

if TYPE_CHECKING:
    from .oauth import OAuth, OAuthOptions

Mode = Literal["open", "token", "oauth"]
LONGEST = 16_384  # characters of a token
_PATIENCE = 2.0  # seconds that a lookup in a thread waits; one on the event loop does not wait
ANOTHERS = "this token is for another being."


def authenticator(
    folder: Path,
    *,
    many: bool = False,
    insecure: bool = False,
    further_token: str = "",
    hmac: HmacOptions | None = None,
    oauth: OAuthOptions | None = None,
    clock: Callable[[], datetime] = utc_now,
) -> Authenticator:
    """Return what tells who asks for the home `folder`, or with `many` for a folder of homes.

    `insecure` lets everybody in, `further_token` is a token that may write to the one home. Raises Usage for options
    that do not go together, and where nobody could be let in; Busy, Broken or OSError where the tokens cannot be read.
    """
    tokens = Tokens(folder, many=many, clock=clock)
    try:
        _refuse_mix(tokens, insecure, further_token, hmac, oauth)
        verifier = _verifier(oauth, clock) if oauth else None
    except BaseException:
        tokens.close()
        raise
    return Authenticator(tokens, clock, insecure=insecure, further_token=further_token, hmac=hmac, oauth=verifier)


def _refuse_mix(
    tokens: Tokens, insecure: bool, further_token: str, hmac: HmacOptions | None, oauth: OAuthOptions | None
) -> None:
    made = tokens.access.any()
    if oauth and (hmac or further_token or insecure):
        raise Usage("--oauth-issuer takes JWTs alone: leave out keys, further tokens and --insecure-no-auth.")
    if insecure and (made or hmac or further_token):
        raise Usage("--insecure-no-auth lets everybody in, and there are tokens or a key: leave one of them out.")
    if further_token and tokens.many:
        raise Usage("a token that the environment names is for one home: use `clawbrain token create` with --homes.")
    if not (oauth or insecure or made or hmac or further_token):
        raise Usage(
            "nobody could be let in, because no token was made: `clawbrain token create` makes one, and "
            "--insecure-no-auth lets everybody on this machine in."
        )


def _verifier(options: OAuthOptions, clock: Callable[[], datetime]) -> OAuth:
    from .oauth import OAuth  # PyJWT and cryptography take time to import

    if not is_safe(options.issuer):
        raise Usage("--oauth-issuer is an https address, or an http address on this machine.")
    if not is_safe(options.public_url):
        raise Usage("--oauth-issuer needs --public-url, an https address, or an http address on this machine.")
    return OAuth(options, clock)


def _metadata_url(verifier: OAuth) -> str:
    """Return where this server publishes which issuer it trusts."""
    from mcp.server.auth.routes import build_resource_metadata_url
    from pydantic import AnyHttpUrl

    return str(build_resource_metadata_url(AnyHttpUrl(verifier.options.resource)))


class Authenticator:
    """Tells who asks. One is used by all requests of a process, on its event loop."""

    def __init__(
        self,
        tokens: Tokens,
        clock: Callable[[], datetime],
        *,
        insecure: bool,
        further_token: str,
        hmac: HmacOptions | None,
        oauth: OAuth | None,
    ) -> None:
        self.mode: Mode = "oauth" if oauth else "open" if insecure else "token"
        self._tokens, self._clock, self._hmac, self._oauth = tokens, clock, hmac, oauth
        self._further = digest_of(further_token) if further_token else ""
        self._metadata = _metadata_url(oauth) if oauth else ""
        # Threads have a connection of their own, because the event loop must not wait for theirs.
        self._patient = Tokens(tokens.folder, many=tokens.many, clock=clock)
        self._uses = LastUses(self._patient.access.note_uses)

    def close(self) -> None:
        """Note the last uses that wait, and close access.db."""
        self._uses.stop()
        self._patient.close()
        self._tokens.close()

    async def principal(self, authorization: str | None, *, of_beings: bool = False, path_being: str = "") -> Principal:
        """Return who asks, from the header Authorization and the being that the path names, or ''.

        `of_beings` tells that the path is one at which beings are served, which are all that their tokens open.

        Raises Unauthenticated and Forbidden; Busy where access.db or the keys of the issuer are not to be had.
        """
        if self.mode == "open":
            return Principal("local", self._of_being(path_being), Scope.ADMIN)
        try:
            token = _bearer(authorization)
            if self._oauth:
                return await self._of_issuer(self._oauth, token, path_being)
            if self._further and compare_digest(digest_of(token), self._further):
                return Principal("server", "", Scope.WRITE, "server")
            if token.startswith((API, BEING, BOUND_BEING)):
                return await self._kept(token, of_beings, path_being)
            if self._hmac:
                return self._signed(self._hmac, token, path_being)
            raise Unauthenticated("the token is not known here.")
        except Unauthenticated as error:
            error.challenge = self._challenge("invalid_token" if authorization else "")
            raise

    def _challenge(self, fault: str) -> str:
        """Return the value of WWW-Authenticate for a fault of a token, or '' where none was sent."""
        parts = ['realm="clawbrain"', f'error="{fault}"' * bool(fault)]
        if self._metadata:
            parts.append(f'resource_metadata="{self._metadata}"')
        return f"Bearer {', '.join(filter(None, parts))}"

    # The kinds of tokens

    async def _kept(self, token: str, of_beings: bool, path_being: str) -> Principal:
        try:
            row = self._tokens.found(token, 0.0)
        except Busy:
            row = await asyncio.to_thread(self._patient.found, token, _PATIENCE)
        scope = scope_named(row.scope) if row else None
        if row is None or scope is None:
            raise Unauthenticated("the token is not known here, or is no longer valid.")
        if row.look != API and not of_beings:
            raise Forbidden("this token is for a being: it opens /mcp/BEING and nothing else.")
        if row.bound_to and path_being not in ("", row.bound_to):
            raise Forbidden(ANOTHERS)
        if row.look == API:
            workspace, being = self._own(row.workspace, path_being), ""
        else:
            workspace, being = self._of_being(row.bound_to or path_being), row.bound_to
        self._uses.note(row.id, row.used, self._clock())
        return Principal(row.user, workspace, scope, row.id, being)

    def _signed(self, options: HmacOptions, token: str, path_being: str) -> Principal:
        user, workspace = hmac_tokens.verify(token, options, self._clock())
        own = self._own(workspace if self._tokens.many else "", path_being)
        return Principal(user, own, options.scope, f"hmac:{user}:{workspace}")

    async def _of_issuer(self, verifier: OAuth, token: str, path_being: str) -> Principal:
        claims = await verifier.claims(token)
        if claims.scope is None:
            raise Forbidden("the token grants none of read, write and admin.", self._challenge("insufficient_scope"))
        own = self._own(claims.workspace if self._tokens.many else "", path_being)
        return Principal(claims.user, own, claims.scope, f"oauth:{claims.user}")

    # Workspaces

    def _own(self, workspace: str, path_being: str) -> str:
        """Return the workspace of a token that is for one. Raises Forbidden for another being in the path."""
        if not self._tokens.many and workspace:
            raise Forbidden(NO_WORKSPACE)  # made for a folder of homes that is now served as one home
        if self._tokens.many and path_being not in ("", workspace):
            raise Forbidden(ANOTHERS)
        return self._workspace(workspace)

    def _of_being(self, being: str) -> str:
        """Return the workspace that a being is: '' with one home. Raises Forbidden where none is named or there."""
        if self._tokens.many and not being:
            raise Forbidden("name a being of this server in the path, as /mcp/BEING.")
        if self._tokens.many and not workspace_folder(self._tokens.folder, being):
            raise Forbidden("there is no being of this name here.")
        return being if self._tokens.many else ""

    def _workspace(self, name: str) -> str:
        """Return the workspace of a name: '' with one home. Raises Forbidden where there is none."""
        if not self._tokens.many:
            return ""
        if not workspace_folder(self._tokens.folder, name):
            raise Forbidden(NO_WORKSPACE)
        return name


def _bearer(authorization: str | None) -> str:
    """Return the token of a header. Raises Unauthenticated where there is none that can be one."""
    if authorization is None:
        raise Unauthenticated("a token is needed: send the header Authorization: Bearer TOKEN.")
    if len(authorization) > LONGEST:
        raise Unauthenticated("the token is too long.")
    scheme, _, token = authorization.strip(" \t").partition(" ")
    token = token.strip(" \t")
    if scheme.lower() != "bearer" or not token or not token.isascii() or not token.isprintable() or " " in token:
        raise Unauthenticated("the header Authorization is not `Bearer TOKEN`.")
    return token
