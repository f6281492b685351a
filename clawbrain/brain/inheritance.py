"""The evidence of merged memories: the survivor of a merge inherits it, and gives it back when that is undone.

The survivor takes over the evidence of the others, and replaces them in the kinds of questions. Everything is done by
credit events, inside a transaction that the caller has begun.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..credit import START, faded
from ..credit_evidence import FORGET, INHERIT, EvidenceRow, as_text, kind_from
from ..memory.model import days_between
from ..storage.credit_records import Event
from ..storage.ledger import Ledger


class Inheritance:
    """The evidence of merges in one ledger, which fades by `per_day`."""

    def __init__(self, ledger: Ledger, per_day: float) -> None:
        self.ledger, self.per_day = ledger, per_day

    def take_over(self, survivor: str, others: Sequence[tuple[str, str]], at: str) -> dict[str, Any]:
        """Add the evidence of others, each with its archive path, to that of the survivor.

        Returns a journal that can be stored as JSON, for `give_back`.
        """
        ledger = self.ledger
        before = ledger.held_by(survivor)
        for id, archive_path in others:
            self._inherit(survivor, ledger.held_by(id) or ledger.held_by(archive_path), at)
        names = {id: ledger.rename_in_kinds(id, survivor, at) for id, _ in others}
        return {"rows": before, "names": names}

    def give_back(self, survivor: str, journal: Mapping[str, Any], at: str) -> None:
        """Give the survivor the evidence it had before, and the others their places in the kinds of questions."""
        ledger = self.ledger
        ledger.add_event(Event(survivor, FORGET, START, START), at, None)
        rows = (EvidenceRow(number, kind_from(kind) or (), x, since) for number, kind, x, since in journal["rows"])
        self._inherit(survivor, rows, at)
        for id, taken in reversed(journal["names"].items()):
            weights = {what: {int(n): weight for n, weight in each.items()} for what, each in taken.items()}
            ledger.take_name_back(id, survivor, weights, at)

    def _inherit(self, id: str, rows: Iterable[EvidenceRow], at: str) -> None:
        for row in rows:
            x = faded(row.x, days_between(row.at, at), self.per_day)
            kind = as_text(row.kind)
            self.ledger.add_event(Event(id, INHERIT, START, START, per_day=self.per_day, kind=kind, step=x), at, None)
