"""Tokens that are kept in access.db: made, listed, revoked, and found again by the text that a client shows.

A token is a prefix, which tells its kind, and 256 random bits. Its text is shown once, when it is made; what is kept is
its SHA-256.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any

from ..errors import NotFound, Usage
from ..logs import WARNING, Log, write
from ..memory.model import moment, shown, stamp, utc_now
from ..storage.access import Access, TokenRow
from .names import check_name, need_workspace
from .principal import Scope

log = Log("network")

API, BEING, BOUND_BEING = "cbt_", "brt_", "bto_"
KINDS = {API: "api", BEING: "being", BOUND_BEING: "being"}
SIGNED = "palace"  # a kind of which no token is kept
_LONGEST_NOTE = 200  # characters of --name


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token to be made: who may use it, for what, and for how long."""

    kind: str = "api"
    name: str = ""
    workspace: str = ""
    user: str = ""
    being: str = ""  # the being that stands in the token
    being_only: str = ""  # the only being of a token that takes its being from the path
    scope: Scope = Scope.WRITE
    seconds: float | None = None  # how long it is valid
    new_workspace: bool = False


def digest_of(token: str) -> str:
    """Return the hash under which a token is kept."""
    return sha256(token.encode(errors="surrogateescape")).hexdigest()


def state_of(row: TokenRow, now: datetime) -> str:
    """Return 'valid', 'expired' or 'revoked'."""
    if row.revoked:
        return "revoked"
    return "expired" if row.expires and now >= moment(row.expires) else "valid"


def described(row: TokenRow, now: datetime) -> Mapping[str, Any]:
    """Return what may be shown of a token: everything but its hash."""
    being = {"being": row.bound_to if row.look == BOUND_BEING else "",
             "being_only": row.bound_to if row.look == BEING else ""}  # fmt: skip
    times = {name: getattr(row, name) or None for name in ("created", "expires", "revoked")}
    return {
        "id": row.id, "kind": KINDS.get(row.look, row.look), "name": row.name, "workspace": row.workspace,
        "user": row.user, **being, "scope": row.scope, **times, "last_used": row.used or None,
        "state": state_of(row, now),
    }  # fmt: skip


def _warn(sentence: str) -> None:
    """Tell the person who watches a server, and its log."""
    log(WARNING, "%s", sentence)
    write(f"clawbrain: {sentence}\n")


class Tokens:
    """The tokens of a home, or with `many` of a folder of homes."""

    def __init__(
        self, folder: Path, *, many: bool, clock: Callable[[], datetime] = utc_now, warn: Callable[[str], None] = _warn
    ) -> None:
        """`warn` is told of an access.db that was set aside. Raises Broken where the folder's sidecar is a link."""
        self.folder, self.many, self._clock = folder, many, clock
        self.access = Access(folder, clock, warn)

    def close(self) -> None:
        self.access.close()

    def create(self, new: NewToken) -> tuple[str, TokenRow]:
        """Make a token; return its text, which is kept nowhere, and its row. Raises Usage, Invalid, NotFound."""
        self._check(new)
        home = new.being or new.being_only or new.workspace
        if self.many and home:
            need_workspace(self.folder, home, make=new.new_workspace)
        prefix = API if new.kind == "api" else BOUND_BEING if new.being else BEING
        token, id, now = prefix + secrets.token_urlsafe(32), secrets.token_hex(4), self._clock()
        expires = "" if new.seconds is None else stamp(now + timedelta(seconds=new.seconds))
        row = TokenRow(
            id, digest_of(token), prefix, new.name, new.workspace, new.user or id, new.being or new.being_only,
            new.scope.word, stamp(now), expires, "", "",
        )  # fmt: skip
        self.access.add(row)
        return token, row

    def _check(self, new: NewToken) -> None:
        if new.kind == SIGNED:
            raise Usage("a palace's tokens are signed and not kept: `clawbrain token sign --user U --workspace W`.")
        for what in ("user", "workspace", "being", "being_only"):
            if word := getattr(new, what):
                check_name(what.partition("_")[0], word)
        if len(new.name) > _LONGEST_NOTE or not new.name.isprintable():
            raise Usage(f"--name is one line of at most {_LONGEST_NOTE} characters.")
        if new.kind == "api":
            self._check_workspace(new)
            return
        if new.workspace:
            raise Usage("a being is a workspace: name it with --being or --being-only instead of --workspace.")
        if new.being and new.being_only:
            raise Usage("--being puts the being into the token, --being-only binds a token without one: give one.")
        if new.new_workspace and not (self.many and (new.being or new.being_only)):
            raise Usage("--new-workspace needs --homes and a being to make one for: --being or --being-only.")

    def _check_workspace(self, new: NewToken) -> None:
        if new.being or new.being_only:
            raise Usage("--being and --being-only are for tokens of --kind being.")
        if self.many and not new.workspace:
            raise Usage("a token for a folder of homes is for one of them: name it with --workspace.")
        if not self.many and (new.workspace or new.new_workspace):
            raise Usage("--workspace and --new-workspace are for a folder of homes: name it with --homes.")

    def all(self, workspace: str = "") -> list[TokenRow]:
        """Return all tokens, the oldest first, or those of a workspace or a being."""
        return [row for row in self.access.all() if not workspace or workspace in (row.workspace, row.bound_to)]

    def revoke(self, id: str) -> TokenRow:
        """Revoke a token; one that was revoked before stays so. Return its row. Raises NotFound."""
        if not self._row(id):
            raise NotFound(f"there is no token {shown(id)}; `clawbrain token list` shows their ids.")
        self.access.revoke(id, stamp(self._clock()))
        row = self._row(id)
        assert row
        return row

    def _row(self, id: str) -> TokenRow | None:
        return next((row for row in self.access.all() if row.id == id), None)

    def found(self, token: str, wait: float) -> TokenRow | None:
        """Return the row of a valid token, or None for one that is unknown, revoked or expired.

        Raises Busy where another process holds the file for `wait` seconds.
        """
        digest = digest_of(token)
        row = self.access.by_hash(digest, wait)
        if row is None or not compare_digest(row.hash, digest):
            return None
        return row if state_of(row, self._clock()) == "valid" else None
