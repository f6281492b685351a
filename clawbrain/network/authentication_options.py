"""Make the authenticator, and the metadata of an issuer, from the options of the server and its environment."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import Usage
from .authenticate import Authenticator, authenticator
from .hmac_tokens import HmacOptions, key_from
from .principal import scope_named

if TYPE_CHECKING:
    from starlette.routing import Route

    from .oauth import OAuthOptions
    from .options import ServeOptions
    from .remote_rules import RemoteRules


def authenticator_of(options: ServeOptions, rules: Iterable[RemoteRules]) -> Authenticator:
    """Return what tells who asks. Raises Usage, with one sentence, where options do not go together."""
    tokens = (os.environ.get(each.token_variable, "") for each in rules if each.token_variable)
    return authenticator(
        options.folder,
        many=options.many,
        insecure=options.insecure_no_auth,
        further_token=next(filter(None, tokens), ""),
        hmac=_hmac(options),
        oauth=_oauth(options),
    )


def _hmac(options: ServeOptions) -> HmacOptions | None:
    key = key_from(Path(options.hmac_key_file) if options.hmac_key_file else None, os.environ)
    scope = scope_named(options.hmac_scope)
    if scope is None:
        raise Usage("--hmac-scope is read, write or admin.")
    return HmacOptions(key, options.hmac_max_age, scope) if key else None


def _oauth(options: ServeOptions) -> OAuthOptions | None:
    if not options.oauth_issuer:
        return None
    from .oauth import OAuthOptions  # PyJWT takes time to import

    return OAuthOptions(options.oauth_issuer, options.address, options.oauth_audience, options.oauth_workspace_claim)


def protected_resource_routes(options: ServeOptions) -> list[Route]:
    """Return the routes of the metadata by which clients find the issuer."""
    from mcp.server.auth.routes import create_protected_resource_routes
    from pydantic import AnyHttpUrl

    found = _oauth(options)
    assert found is not None
    return create_protected_resource_routes(
        AnyHttpUrl(found.resource), [AnyHttpUrl(found.issuer)], ["read", "write", "admin"]
    )
