"""The schedule of compactions, apart from compaction itself so that a search can use it without importing that."""

from datetime import timedelta
from typing import TYPE_CHECKING

from ..memory.model import moment

if TYPE_CHECKING:
    from . import Brain


def due(brain: "Brain") -> list[str]:
    """Return the phases that are due; for a store that was never compacted the time counts from its first memory."""
    schedule = brain.policy.settings().schedule
    if not schedule.enabled:
        return []
    hours = {"consolidation": schedule.consolidation_hours, "pruning": schedule.pruning_hours}
    return [phase for phase, every in hours.items() if _overdue(brain, phase, every)]


def _overdue(brain: "Brain", phase: str, hours: float) -> bool:
    last = brain.ledger.note_of(f"last_{phase}") or brain.ledger.first_record()
    return last is not None and brain.clock() - moment(last) >= timedelta(hours=hours)
