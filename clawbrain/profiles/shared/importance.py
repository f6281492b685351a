"""The importance of a memory, as noted in its header."""

from ...memory.model import Memory


def importance(memory: Memory) -> float:
    """Return the importance noted in the header, clamped to 0..1, or 0.5 when the header holds none."""
    try:
        return max(0.0, min(1.0, float(memory.extra.get("importance", "0.5"))))
    except (TypeError, ValueError):
        return 0.5
