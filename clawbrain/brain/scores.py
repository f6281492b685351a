"""The scores and evidence of memories: those in the ledger, with the drift since their last event.

Drift is noted in the ledger only together with an event; a reader between events computes it on a copy. The settings
of decay are an argument, because a verb reads STRATEGY.md once.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING

from .. import credit, credit_evidence
from ..credit import Credit, Earned
from ..credit_evidence import IMPORT, as_text
from ..memory.model import days_between
from ..storage.credit_records import Event, Record

if TYPE_CHECKING:
    from ..strategy.settings import Decay
    from . import Brain


_ROUNDED = 1e-9
_BOUNDS = credit.moved(credit.START, -2 * credit.FURTHEST), credit.moved(credit.START, 2 * credit.FURTHEST)


class Scores:
    """The scores and evidence in one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def credits(self, ids: Collection[str] | None, now: str, decay: "Decay") -> dict[str, Credit]:
        """Return the credit of these memories, or of all (None), by id, as of a time."""
        return {id: _credit(record, now, decay) for id, record in self.brain.ledger.records(ids).items()}

    def recorded(self, id: str) -> float | None:
        """Return a memory's score as the ledger has it, without drift, or None where it has none."""
        record = self.brain.ledger.records([id]).get(id)
        return record.score if record else None

    def drifted(self, record: Record, now: str, decay: "Decay") -> float:
        """Return the score of a record as of a time."""
        return _drifted(record, now, decay)[0]

    def note_drift(self, record: Record, now: str, decay: "Decay") -> float:
        """Note the drift of a score so far as an event of its own, before a change; return the drifted score."""
        score, days = _drifted(record, now, decay)
        if score != record.score:
            event = Event(
                record.id, "drift", record.score, score,
                days=days, per_day=decay.credit_per_day, floor=decay.credit_floor,
            )  # fmt: skip
            self.brain.ledger.add_event(event, now, self.brain.session)
        return score

    def assign(
        self,
        id: str,
        why: str,
        score: float,
        at: str,
        decay: "Decay",
        signals: int | None = None,
        *,
        step: float | None = None,
    ) -> float:
        """Set a score by an event of type `why`, and add a step in log-odds to the evidence without a question.

        Without `step` it is the change of the score in log-odds. With `signals` their number is set too. A memory
        without a credit record gets one. Returns the step; 0 where there is no such memory.
        """
        ledger = self.brain.ledger
        record = ledger.records([id]).get(id)
        if record is None and (memory := self.brain.finder.known(id)):
            ledger.add_record(memory, at, None, credit.DECAY_PER_DAY[memory.type])
            record = ledger.records([id]).get(id)
        if record is None:
            return 0.0
        old = self.note_drift(record, at, decay)
        ledger.set_score(id, score, at)
        step = credit.logit(score) - credit.logit(old) if step is None else step
        event = Event(id, why, old, score, per_day=decay.credit_per_day, kind=as_text(()), step=step)
        ledger.add_event(event, at, None)
        if signals is not None:
            ledger.set_signals(id, signals)
        return step

    def take_over(self, id: str, credit_there: Credit, at: str, decay: "Decay") -> None:
        """Give a memory from another home the overall score, the accesses and the signals that it had there."""
        score = credit.clip(credit_there.score, *_BOUNDS)
        if abs(score - credit.START) > _ROUNDED:
            self.assign(id, IMPORT, score, at, decay)
        self.brain.ledger.set_counts(id, credit_there.access_count, credit_there.signals)

    def earned(self, ids: Collection[str], now: str, decay: "Decay") -> dict[str, Earned]:
        """Return the evidence of the memories that have any, as of a time."""
        return credit_evidence.earned(self.brain.ledger.evidence(ids), now, decay.credit_per_day)


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
