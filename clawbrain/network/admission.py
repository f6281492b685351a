"""Let a request in, or refuse it: by who asks, how often, and how much at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from ..errors import Broken, Busy
from ..logs import WARNING, Log
from ..profiles.shared.endpoints import HttpFault
from .limits import Limits
from .principal import scope_named
from .refusals import Forbidden, Unauthenticated

if TYPE_CHECKING:
    from starlette.types import Scope

    from .authenticate import Authenticator
    from .principal import Principal

log = Log("network")


class Admission:
    """The check of every request but the public ones. It notes who asks in the request, as `scope["principal"]`."""

    def __init__(self, authenticator: Authenticator, limits: Limits) -> None:
        self._authenticator, self._limits = authenticator, limits

    async def admit(self, scope: Scope, needs: str = "", *, of_beings: bool = False, being: str = "") -> Principal:
        """Return who asks. Raises HttpFault: 401, 403 (also where the scope that is needed is missing), 429, 503."""
        try:
            authorization = ", ".join(Headers(scope=scope).getlist("authorization")) or None  # two are none
            principal = await self._authenticator.principal(authorization, of_beings=of_beings, path_being=being)
        except Unauthenticated as refusal:
            log(WARNING, "a request of %s was not let in: its token is missing or not valid", _host(scope))
            raise HttpFault(401, "", str(refusal), challenge=refusal.challenge) from None
        except Forbidden as refusal:
            log(WARNING, "a request of %s was not let in: its token is for something else", _host(scope))
            raise HttpFault(403, "", str(refusal), challenge=refusal.challenge) from None
        except Busy as busy:
            raise HttpFault(503, "", str(busy), retry_after=1) from None
        except Broken as broken:
            raise HttpFault(500, "", str(broken)) from None
        self._limits.count(principal.token)
        scope["principal"] = principal
        needed = scope_named(needs) if needs else None
        if needed and not principal.may(needed):
            raise HttpFault(403, "", f"this needs a token with the scope {needed.word}.", scope=True)
        return principal

    @contextmanager
    def one_call(self, principal: Principal) -> Iterator[None]:
        """Count a call while it is under way. Raises HttpFault 503 where there are too many."""
        with self._limits.one_call(principal.token):
            yield

    @contextmanager
    def one_stream(self, principal: Principal) -> Iterator[None]:
        """Count a stream while it is open. Raises HttpFault 503 where there are too many."""
        with self._limits.one_stream(principal.token):
            yield


def _host(scope: Scope) -> str:
    """Return the address that a request came from."""
    return str((scope.get("client") or ("an unknown address",))[0])
