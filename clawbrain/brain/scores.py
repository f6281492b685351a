"""The current scores and evidence of memories: those in the ledger, with the drift since their last event.

Drift is noted in the ledger only together with an event; a reader between events computes it on a copy.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from .. import credit, credit_evidence
from ..credit import Credit, Earned
from ..memory.model import days_between, stamp
from ..storage.ledger import Event, Record

if TYPE_CHECKING:
    from ..strategy.settings import Decay
    from . import Brain


class Scores:
    """The current scores in one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def credits(self, ids: Collection[str] | None = None, now: str = "") -> dict[str, Credit]:
        """Return the credit of these memories, or of all, by id, as of a time (by default now)."""
        now, decay = now or stamp(self.brain.clock()), self.brain.settings().decay
        return {id: _credit(record, now, decay) for id, record in self.brain.ledger.records(ids).items()}

    def drifted(self, record: Record, now: str) -> float:
        """Return the score of a record as of a time."""
        return _drifted(record, now, self.brain.settings().decay)[0]

    def settle_drift(self, record: Record, now: str) -> float:
        """Note the drift of a score so far as an event of its own, before a change; return the drifted score."""
        decay = self.brain.settings().decay
        score, days = _drifted(record, now, decay)
        if score != record.score:
            drifted = Event(
                record.id, "drift", record.score, score,
                days=days, per_day=decay.credit_per_day, floor=decay.credit_floor,
            )  # fmt: skip
            self.brain.ledger.add_event(drifted, now, self.brain.session)
        return score

    def earned(self, ids: Collection[str], now: str = "") -> tuple[dict[str, Earned], dict[str, int]]:
        """Return the evidence of each memory as of now, and its place in the order of storing.

        Memories without evidence have no entry in the first.
        """
        now, per_day = now or stamp(self.brain.clock()), self.brain.settings().decay.credit_per_day
        rows = self.brain.ledger.evidence(ids)
        return credit_evidence.earned(rows, now, per_day), self.brain.ledger.places(ids)


def _credit(record: Record, now: str, decay: "Decay") -> Credit:
    return Credit(
        score=_drifted(record, now, decay)[0],
        access_count=record.access_count,
        created=record.created_at,
        last_accessed=record.last_accessed,
        touched=record.touched_at,
        signals=record.signals,
        stored_seq=record.stored_seq,
    )


def _drifted(record: Record, now: str, decay: "Decay") -> tuple[float, float]:
    """Return a score with the drift since it was last touched, and the number of days since then."""
    days = days_between(record.touched_at, now)
    return credit.drift(record.score, days, decay.credit_per_day, decay.credit_floor), days
