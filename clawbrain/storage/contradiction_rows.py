"""The contradictions between memories in the ledger, and how each was resolved."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .claim_marks import KEY, KeptClaim, described, kept, mark_of, new_key
from .ledger_file import PURGED_TEXTS
from .notes import Notes

UNRESOLVED = "unresolved"


class Contradiction(NamedTuple):
    """Two claims that contradict each other; both ids are the same where claim_b is of the memory's own former text.

    One that is dismissed without a date was withdrawn: its memory no longer made the claim, and nobody decided it.
    """

    id: int
    memory_a_id: str
    memory_b_id: str
    description: str
    claim_a: str
    claim_b: str
    resolution: str
    resolved_at: str | None
    created_at: str


class Side(NamedTuple):
    """One side of a contradiction; `live` unless its id is another memory's now."""

    id: str
    claim: KeptClaim
    live: bool


class ContradictionRows(Notes):
    """The contradictions found between memories."""

    def add_contradiction(self, a: str, b: str, description: str, claims: tuple[str, str], at: str) -> int:
        """Add a contradiction and return its number. Secrets in it are redacted."""
        one, other = (kept(claim, self._key_of_claims) for claim in claims)
        live = "(SELECT life FROM credit_records WHERE id = ?)"
        self._db.do(
            "INSERT INTO contradictions (memory_a_id, memory_b_id, description, claim_a, mark_a, claim_b, mark_b, "
            f"resolution, created_at, life_a, life_b) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, {live}, {live})",
            *(a, b, described(description, claims), *one, *other, UNRESOLVED, at, a, b),
        )
        return int(self._one("SELECT last_insert_rowid()")[0])

    def _key_of_claims(self) -> str:
        key = self.note_of(KEY)
        if key is None:
            self.set_note(KEY, key := new_key())
        return key

    def contradictions(self, *, about: str | None = None, unresolved: bool = False) -> list[Contradiction]:
        """Return the contradictions in order: all of them, or only those about one memory or those not resolved."""
        of_one = "" if about is None else f"AND ({_of('a')} OR {_of('b')})"
        rows = self._all(
            f"SELECT {', '.join(Contradiction._fields)} FROM contradictions "
            f"WHERE (?1 = '' OR resolution = ?1) {of_one} ORDER BY id",
            *(UNRESOLVED if unresolved else "", *([] if about is None else [about])),
        )
        return [Contradiction(*row) for row in rows]

    def open_contradictions(self) -> list[tuple[Contradiction, Side, Side]]:
        """Return the contradictions that are not resolved, in order, each with its two sides."""
        columns, size = ", ".join(Contradiction._fields), len(Contradiction._fields)
        rows = self._all(
            f"SELECT {columns}, {_SIDES} FROM contradictions WHERE resolution = ? ORDER BY id",
            UNRESOLVED,
        )
        return [(Contradiction(*row[:size]), *_sides(row[size:])) for row in rows]

    def sides(self, number: int) -> tuple[Side, Side]:
        """Return the two sides of a contradiction."""
        return _sides(self._one(f"SELECT {_SIDES} FROM contradictions WHERE id = ?", number))

    def is_claim(self, claim: str, known: KeptClaim) -> bool:
        """Tell whether a claim of a text is the one that is kept."""
        from .. import contradictions

        if known.mark:
            return mark_of(claim, self._key_of_claims()) == known.mark
        return contradictions.claim_hash(claim) == contradictions.claim_hash(known.text)

    def claim_names(self, claims: tuple[str, str]) -> frozenset[str]:
        """Return what tells two claims of texts from others."""
        return frozenset(_name(kept(claim, self._key_of_claims)) for claim in claims)

    def pairs(self, id: str) -> list[tuple[str, frozenset[str], str]]:
        """Return of each contradiction about a memory the other's id, what tells its claims, and the resolution."""
        found = []
        for row in self.contradictions(about=id):
            if row.resolution != UNRESOLVED and not row.resolved_at:
                continue  # withdrawn: nobody decided it, and it may be raised again
            a, b = self.sides(row.id)
            other = b if a.id == id else a
            names = frozenset((_name(a.claim), _name(b.claim)))
            found.append((other.id if other.live else "", names, row.resolution))
        return found

    def resolve(self, number: int, resolution: str, at: str) -> None:
        self._db.do("UPDATE contradictions SET resolution = ?, resolved_at = ? WHERE id = ?", resolution, at, number)

    def withdraw(self, number: int) -> None:
        """Close a contradiction that nobody decided."""
        self._db.do("UPDATE contradictions SET resolution = 'dismissed', resolved_at = NULL WHERE id = ?", number)

    def purge_text(self, id: str, life: str) -> None:
        """Delete the words of a purged memory from the contradictions about it."""
        self._db.do(PURGED_TEXTS, id, life)


def _side(side: str) -> str:
    """Return the columns of one side, the last of them the life of the memory that has its id now."""
    life = f"(SELECT life FROM credit_records WHERE id = memory_{side}_id)"
    return f"memory_{side}_id, claim_{side}, mark_{side}, life_{side}, {life}"


_SIDES = f"{_side('a')}, {_side('b')}"


def _sides(row: Sequence[Any]) -> tuple[Side, Side]:
    """Return the two sides of a contradiction from the columns of _SIDES."""

    def side(id: str, claim: str, mark: str | None, life: str | None, now: str | None) -> Side:
        return Side(id, KeptClaim(claim, mark), life is None or now is None or now == life)

    return side(*row[:5]), side(*row[5:])


def _of(side: str) -> str:
    """Return the condition that one side of a contradiction is the memory that has the id ?2 now."""
    life = f"coalesce((SELECT life FROM credit_records WHERE id = ?2), life_{side})"
    return f"(memory_{side}_id = ?2 AND (life_{side} IS NULL OR life_{side} = {life}))"


def _name(claim: KeptClaim) -> str:
    from .. import contradictions

    return claim.mark or contradictions.claim_hash(claim.text)
