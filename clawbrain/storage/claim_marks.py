"""Claims as the ledger keeps them: without the secrets in them, and with a keyed hash of a claim that held one.

A claim outlives the cleaning of its memory, is quoted in answers and printed by a dump. By the hash a claim is found
again in the text of its memory; its key stays in this ledger and is in no dump.
"""

import hmac
import os
import sqlite3
from collections.abc import Callable
from typing import NamedTuple

KEY = "key_of_claims"  # the note with the key


class KeptClaim(NamedTuple):
    """A claim without its secrets, and the hash of the whole claim where it held one."""

    text: str
    mark: str | None = None


def kept(claim: str, key: Callable[[], str]) -> KeptClaim:
    """Return a claim as it is kept; the key is asked for where the claim holds a secret."""
    from .. import redaction  # making its patterns takes time, and only writers need them

    clean = redaction.redacted(claim)
    return KeptClaim(clean, mark_of(claim, key()) if clean != claim else None)


def described(description: str, claims: tuple[str, str]) -> str:
    """Return what was found of two claims, without secrets.

    Where a claim holds one, the difference between the two is left out: it may be the bare secret, which nothing tells
    from a word there.
    """
    from .. import redaction

    one, other = map(redaction.redacted, claims)
    return redaction.redacted(description) if (one, other) == claims else f"“{one}” against “{other}”."


def mark_of(claim: str, key: str) -> str:
    """Return the keyed hash of a claim, which is the same however the claim is spaced, cased or marked up."""
    from .. import contradictions

    return hmac.new(key.encode(), contradictions.claim_hash(claim).encode(), "sha256").hexdigest()[:32]


def new_key() -> str:
    """Return a random key."""
    return os.urandom(32).hex()


def mark(db: sqlite3.Connection) -> None:
    """Redact the claims of a ledger that was written before claims were kept so."""

    def key() -> str:
        db.execute("INSERT OR IGNORE INTO notes (key, value) VALUES (?, ?)", (KEY, new_key()))
        return str(db.execute("SELECT value FROM notes WHERE key = ?", (KEY,)).fetchone()[0])

    for number, description, *claims in db.execute(
        "SELECT id, description, claim_a, claim_b FROM contradictions WHERE mark_a IS NULL AND mark_b IS NULL"
    ).fetchall():
        one, other = (str(claim or "") for claim in claims)
        a, b = kept(one, key), kept(other, key)
        said = described(str(description), (one, other))
        if a.mark or b.mark or said != description:
            db.execute(
                "UPDATE contradictions SET description = ?, claim_a = ?, mark_a = ?, claim_b = ?, mark_b = ? "
                "WHERE id = ?",
                (said, *a, *b, number),
            )
