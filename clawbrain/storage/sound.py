"""Checks of values read from the ledger, which are impossible where a bit has flipped or a dump was edited by hand."""

from datetime import datetime

LONG_AGO = "2000-01-01T00:00:00Z"


def is_date(value: object) -> bool:
    """Tell whether a value is a date as the ledger writes it."""
    try:
        return isinstance(value, str) and len(value) == 20 and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def as_number(value: object) -> float | None:
    """Return a value as a number, or None where it is no number."""
    return float(value) if isinstance(value, int | float) and value == value else None
