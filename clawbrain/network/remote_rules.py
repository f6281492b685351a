"""Read what a profile says of being served over a network, in a module `remote` of its own. Some profiles have none."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from .principal import Scope

if TYPE_CHECKING:
    from .principal import Principal


class RemoteRules:
    """The rules of one profile. Each stands in its module under the name in capitals."""

    def __init__(self, profile: str) -> None:
        name = f"clawbrain.profiles.{profile}.remote"
        module = import_module(name) if find_spec(name) else None
        self.permitted: Collection[str] = getattr(module, "ALWAYS_PERMITTED", ())
        self.path: str = getattr(module, "PATH", "")
        """A further word after /mcp/ by which the profile is reached."""
        self.extras: Collection[str] = getattr(module, "EXTRAS", ())
        """The sets of further tools that clients over the network expect."""
        self.names_beings: bool = getattr(module, "NAMES_BEINGS", False)
        """True where the word after /mcp/ names whom a request is about, and there are no sessions."""
        self.token_variable: str = getattr(module, "TOKEN_VARIABLE", "")
        """The environment's name of a token that may write to the one home."""
        self.port_variable: str = getattr(module, "PORT_VARIABLE", "")
        """The environment's name of the port."""
        self.database_variable: str = getattr(module, "DATABASE_VARIABLE", "")
        """The environment's name of a database that is imported, and not read by a server."""
        named = {"name": getattr(module, "NAME", ""), "version": getattr(module, "VERSION", "")}
        self.handshake = {word: value for word, value in named.items() if value}
        """The name and version that the server gives itself, where they are not those of the spec."""
        self._refused: Collection[str] = getattr(module, "READ_ONLY_REFUSED", ())
        self._body: Mapping[str, Any] = getattr(module, "READ_ONLY", {})

    def refusal(self, principal: Principal, body: bytes) -> Mapping[str, Any]:
        """Return the body of a refusal where a principal that may only read calls a refused tool, else nothing."""
        return self._body if self.refused_tools(principal, body) else {}

    def refused_tools(self, principal: Principal, body: bytes) -> list[str]:
        """Return the tools that a principal calls and may not, because it may only read.

        They are looked for in every message of a batch, and a name that stands twice counts both times.
        """
        if not self._refused or principal.may(Scope.WRITE) or not body:
            return []
        return [name for name in _called(body) if name in self._refused]


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON with all its members, those of one name as well."""


def _called(body: bytes) -> Iterator[str]:
    """Yield the names of all tools that a body calls, or may call where a reader takes another of its members."""
    try:
        said = json.loads(body, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return
    waiting = [said]
    while waiting:
        each = waiting.pop()
        if isinstance(each, _Pairs):
            for word, value in each:
                if word == "params" and isinstance(value, _Pairs):
                    yield from (name for key, name in value if key == "name" and isinstance(name, str))
        elif isinstance(each, list):
            waiting.extend(each)
