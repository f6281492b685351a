"""How important a memory is, as its header says it."""

from ...memory.model import Memory


def importance(memory: Memory) -> float:
    """What its header says, between 0 and 1; the middle when it says nothing."""
    try:
        return max(0.0, min(1.0, float(memory.extra.get("importance", "0.5"))))
    except (TypeError, ValueError):
        return 0.5
