"""The standing of memories as of now: the scores and the evidence of the ledger, with the drift since their last event.

Drift is written down at events only; whoever reads between them drifts a copy.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from .. import credit, evidence
from ..credit import Credit, Earned
from ..memory.model import days_between, stamp
from ..storage.ledger import Event, Record

if TYPE_CHECKING:
    from ..strategy.settings import Decay
    from . import Brain


class Scores:
    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def credits(self, ids: Collection[str] | None = None, now: str = "") -> dict[str, Credit]:
        now, decay = now or stamp(self.brain.clock()), self.brain.settings().decay
        return {id: _credit(record, now, decay) for id, record in self.brain.ledger.records(ids).items()}

    def drifted(self, record: Record, now: str) -> float:
        return _drifted(record, now, self.brain.settings().decay)[0]

    def settle_drift(self, record: Record, now: str) -> float:
        """Before a score is changed or its clock set back, the drift so far is noted, apart from the change."""
        decay = self.brain.settings().decay
        score, days = _drifted(record, now, decay)
        if score != record.score:
            drifted = Event(
                record.id, "drift", record.score, score,
                days=days, per_day=decay.credit_per_day, floor=decay.credit_floor,
            )  # fmt: skip
            self.brain.ledger.event(drifted, now, self.brain.session)
        return score

    def earned(self, ids: Collection[str], now: str = "") -> tuple[dict[str, Earned], dict[str, int]]:
        """Return the evidence of each memory as of now, and its place in the order of storing.

        Of what has earned nothing the first holds no entry.
        """
        now, per_day = now or stamp(self.brain.clock()), self.brain.settings().decay.credit_per_day
        rows = self.brain.ledger.evidence(ids)
        return evidence.earned(rows, now, per_day), self.brain.ledger.places(ids)


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
    """A score with the drift since it was last touched, and the days that makes."""
    days = days_between(record.touched_at, now)
    return credit.drift(record.score, days, decay.credit_per_day, decay.credit_floor), days
