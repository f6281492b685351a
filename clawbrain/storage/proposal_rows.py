"""The proposals that wait for the person's decision, and what was dismissed.

They are notes of the ledger and no table of their own: what a person dismissed is known nowhere else, so it must be
backed up and carried by a dump, which `records.db` is not; and of twenty small rows none is looked up by anything but
its number, so neither a table nor a migration would add something.
"""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from .notes import Notes

_PROPOSAL, _DISMISSED, _LAST = "proposal ", "dismissed ", "proposals"
_AFTER = chr(ord(" ") + 1)  # sorts behind every key with a space at this place


class ProposalRow(NamedTuple):
    """A proposal as kept."""

    sentence: str
    kind: str
    name: str
    tags: Sequence[str]
    said_at: str
    session: str
    strength: float
    proposed_at: str
    n: int = 0


class ProposalRows(Notes):
    """The proposals and the dismissals among the notes."""

    def add_proposal(self, row: ProposalRow) -> int:
        """Add a proposal, and return its number, which no other has had."""
        number = 1 + int(self.note_of(_LAST) or 0)
        self.set_note(_LAST, str(number))
        self.set_note(f"{_PROPOSAL}{number}", json.dumps(row._replace(n=number)._asdict(), ensure_ascii=False))
        return number

    def proposals(self) -> list[ProposalRow]:
        """Return the proposals that wait, in the order of their numbers; rows that cannot be read are left out."""
        found: list[ProposalRow] = []
        between = (_PROPOSAL, _PROPOSAL.rstrip() + _AFTER)
        for (value,) in self._all("SELECT value FROM notes WHERE key >= ? AND key < ?", *between):
            with suppress(ValueError, TypeError):
                found.append(ProposalRow(**json.loads(value)))
        return sorted(found, key=lambda row: row.n)

    def proposals_waiting(self) -> int:
        """Return how many proposals wait."""
        between = (_PROPOSAL, _PROPOSAL.rstrip() + _AFTER)
        return int(self._one("SELECT count(*) FROM notes WHERE key >= ? AND key < ?", *between)[0])

    def drop_proposal(self, number: int) -> None:
        self._db.do("DELETE FROM notes WHERE key = ?", f"{_PROPOSAL}{number}")

    def dismiss_claim(self, hash: str, at: str) -> None:
        """Note that a claim was dismissed."""
        self.set_note(f"{_DISMISSED}{hash}", at)

    def is_dismissed(self, hash: str) -> bool:
        """Tell whether a claim was dismissed."""
        return self.note_of(f"{_DISMISSED}{hash}") is not None
