"""Telling values of the ledger that can be from those that cannot: a bit has flipped, a dump was edited by hand."""

from datetime import datetime

LONG_AGO = "2000-01-01T00:00:00Z"


def is_date(value: object) -> bool:
    """Return whether a value is a date as the ledger writes them."""
    try:
        return isinstance(value, str) and len(value) == 20 and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        return False


def as_number(value: object) -> float | None:
    """Return a value as a number, or None where it is none."""
    return float(value) if isinstance(value, int | float) and value == value else None
