"""The arguments of Penfield's tools: checked, clamped and brought into one form."""

import re
from collections.abc import Collection, Iterable

from ...errors import Invalid
from ...memory.model import Memory, moment, stamp
from ..shared.links import STUB

LONGEST, LONGEST_QUERY, LONGEST_NAME, MOST_TAGS, MOST = 10_000, 4_000, 200, 10, 100


def check(what: str, text: str, longest: int) -> None:
    """Raise Invalid for a text that is empty or too long; `what` names the argument."""
    if not text.strip():
        raise Invalid(f"{what} is empty; give 1 to {longest} characters.")
    if len(text) > longest:
        raise Invalid(f"{what} has {len(text)} characters; {longest} is the most.")


def tags_in(tags: Iterable[str], most: int = MOST_TAGS) -> list[str]:
    """Return tags in lower case with hyphens, each once; raise Invalid for too many."""
    found = list(dict.fromkeys(tag for given in tags if (tag := as_tag(given))))
    if len(found) > most:
        raise Invalid(f"{len(found)} tags are too many; {most} is the most.")
    return found


def as_tag(tag: str) -> str:
    """Return a tag in lower case, with hyphens for spaces and underscores."""
    return re.sub(r"[\s_]+", "-", tag.strip().lower())


def date_in(what: str, text: str, last: bool = False) -> str:
    """Return a moment to compare with; a bare date means its first second or, with `last`, its last."""
    if not text:
        return ""
    try:
        return stamp(moment(f"{text}T23:59:59" if last and re.fullmatch(r"[\d-]+", text) else text))
    except (ValueError, OverflowError):
        raise Invalid(f"{what} is not a date; write 2026-02-25 or 2026-02-25T10:00:00Z.") from None


def share(number: float) -> float:
    """Return a number brought into 0 to 1."""
    return max(0.0, min(1.0, float(number)))


def within(number: int, least: int, most: int) -> int:
    """Return a number brought into a range."""
    return max(least, min(number, most))


class Wanted:
    """The filter of a recall: tags, of which a memory needs one, and dates between which it was made."""

    def __init__(self, tags: Collection[str] = (), start: str = "", end: str = "") -> None:
        self.tags, self.start, self.end = set(tags), start, end

    def fits(self, memory: Memory) -> bool:
        """Tell whether a memory passes the filter."""
        if memory.kind == STUB or (self.tags and self.tags.isdisjoint(map(as_tag, memory.tags))):
            return False
        return self.start <= memory.created <= (self.end or memory.created)
