"""Read durations as people write them (90d, 12h, 30m, 45s or 45), and rates (30/min)."""

import re

from ..errors import Invalid, Usage
from ..memory.model import shown

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_RATE_UNITS = {"s": 1.0, "min": 60.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([smhd]?)")
LONGEST = 100 * 365 * 86_400


def seconds_of(text: str) -> float:
    """Return a duration in seconds; a bare number is seconds. Raises Invalid for other texts, 0 and 100 years."""
    found = _DURATION.fullmatch(text.strip())
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0 < seconds < LONGEST:
        raise Invalid(f"{shown(text)} is no duration: write a number with s, m, h or d, such as 90d or 30m.")
    return seconds


def rate_of(text: str) -> tuple[int, float]:
    """Return a rate such as 30/min as a number of calls and seconds. Raises Usage for anything else."""
    number, slash, unit = text.partition("/")
    if not slash or not number.strip().isdigit() or not int(number) or unit.strip() not in _RATE_UNITS:
        raise Usage(f"{text[:40]!r} is no rate: write it like 30/min, with s, min, h or d.")
    return int(number), _RATE_UNITS[unit.strip()]
