"""The contradictions between memories in the ledger, and how each was resolved."""

from typing import NamedTuple

from .ledger_file import PURGED_TEXTS, LedgerFile

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


class ContradictionRows(LedgerFile):
    """The contradictions found between memories."""

    def add_contradiction(self, a: str, b: str, description: str, claims: tuple[str, str], at: str) -> int:
        """Add a contradiction and return its number."""
        self._db.do(
            "INSERT INTO contradictions (memory_a_id, memory_b_id, description, claim_a, claim_b, resolution, "
            "created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(a, b, description, *claims, UNRESOLVED, at),
        )
        return int(self._one("SELECT last_insert_rowid()")[0])

    def contradictions(self, *, about: str | None = None, unresolved: bool = False) -> list[Contradiction]:
        """Return the contradictions in order: all of them, or only those about one memory or those not resolved."""
        of_one = "" if about is None else "AND (memory_a_id = ?2 OR memory_b_id = ?2)"
        rows = self._all(
            f"SELECT {', '.join(Contradiction._fields)} FROM contradictions "
            f"WHERE (?1 = '' OR resolution = ?1) {of_one} ORDER BY id",
            *(UNRESOLVED if unresolved else "", *([] if about is None else [about])),
        )
        return [Contradiction(*row) for row in rows]

    def resolve(self, number: int, resolution: str, at: str) -> None:
        self._db.do("UPDATE contradictions SET resolution = ?, resolved_at = ? WHERE id = ?", resolution, at, number)

    def withdraw(self, number: int) -> None:
        """Close a contradiction that nobody decided."""
        self._db.do("UPDATE contradictions SET resolution = 'dismissed', resolved_at = NULL WHERE id = ?", number)

    def purge_text(self, id: str) -> None:
        """Delete the words of a purged memory from the contradictions about it."""
        for sql in PURGED_TEXTS:
            self._db.do(sql, id)
