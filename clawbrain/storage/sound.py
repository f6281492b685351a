"""Values of the ledger: lists as JSON, and checks of what is read.

A value may be impossible where a bit has flipped or a dump was edited by hand.
"""

import json
from collections.abc import Collection
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


def is_json(text: object) -> bool:
    """Tell whether a value is a text that holds JSON."""
    try:
        return isinstance(text, str) and json.loads(text) is not ...
    except (ValueError, RecursionError):
        return False


def ids_of(text: object) -> list[str]:
    """Return the ids in a stored JSON list, without values that are no texts."""
    found = json.loads(text) if is_json(text) and isinstance(text, str) else []
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []


def as_json(ids: Collection[str]) -> str:
    """Return ids as a JSON list."""
    return json.dumps(list(ids), ensure_ascii=False)
