"""Durations as people write them: 90d, 12h, 30m, 45s or 45."""

import re

from ..errors import Invalid
from ..memory.model import shown

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3_600, "d": 86_400}
_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,6})?)([smhd]?)")
LONGEST = 100 * 365 * 86_400


def seconds_of(text: str) -> float:
    """Return a duration in seconds; a bare number is seconds. Raises Invalid for other texts, 0 and 100 years."""
    found = _DURATION.fullmatch(text.strip())
    seconds = float(found[1]) * _UNITS[found[2]] if found else 0.0
    if not 0 < seconds < LONGEST:
        raise Invalid(f"{shown(text)} is no duration: write a number with s, m, h or d, such as 90d or 30m.")
    return seconds
