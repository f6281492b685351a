"""The principal of a request: who asks, in which workspace, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Scope(IntEnum):
    """A degree of what a principal may do. Each scope includes those before it."""

    READ = 1
    WRITE = 2
    ADMIN = 3

    @property
    def word(self) -> str:
        return self.name.lower()


ALIASES = {"read-only": "read"}


def scope_named(word: str) -> Scope | None:
    """Return the scope that a word names, or None."""
    word = ALIASES.get(word, word).upper()
    return Scope[word] if word in Scope.__members__ else None


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody who asks, with what they may do.

    A session belongs to the user and the workspace, not to the token, which may be renewed.
    """

    user: str
    workspace: str  # '' where one home is served
    scope: Scope
    token: str = ""  # the id of the token, for the audit log; '' where none is asked for
    being: str = ""  # the only being of this token, or ''

    @property
    def key(self) -> str:
        """Return what makes two principals the same."""
        return f"{self.user}:{self.workspace}"

    def may(self, scope: Scope) -> bool:
        """Tell whether the principal may do what needs a scope."""
        return self.scope >= scope
