"""The texts in which Being's tools answer: lines, lists and cuts."""

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from ...memory.model import Memory
from ...words import content_terms, terms
from .pages import Written

if TYPE_CHECKING:
    from ...brain import Brain

LONGEST_LINE, LONGEST_KEY = 300, 50
RELATION_TYPE = "relation_type"  # the header line with a relation's own type
_PIECE = re.compile(r".+?(?:[.!?…](?=\s)|[。！？\n]|$)", re.DOTALL)
_READ = 50_000  # characters


def line(text: str) -> str:
    """Return a text on one line, cut off where it is long."""
    return cut(" ".join(text.split()), LONGEST_LINE)


def fitting_line(text: str, query: str) -> str:
    """Return a text on one line; of a long text the part from the sentence that holds most words of a query."""
    whole = " ".join(text.split())
    if len(whole) <= LONGEST_LINE:
        return whole
    asked = set(content_terms(query[:_READ]))
    pieces = [piece for piece in _PIECE.findall(text[:_READ]) if piece.strip()]
    held = [len(asked & set(terms(piece))) for piece in pieces]
    best = held.index(max(held)) if held else 0
    rest = " ".join(" ".join(pieces[best:]).split())
    return cut(f"… {rest}" if best and held[best] else whole, LONGEST_LINE)


def cut(text: str, most: int) -> str:
    """Return a text, cut off where it is longer than `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def whole_lines(lines: Sequence[str], most: int, further: str) -> str:
    """Return as many first lines as fit into `most` characters.

    Where some do not fit, a last line says how many, and `further` how to come by them.
    """
    if sum(map(len, lines)) + len(lines) <= most + 1:
        return "\n".join(lines)
    room = most - len(_left_out(len(lines), further))
    kept = sum(1 for length in accumulate(len(line) + 1 for line in lines) if length <= room)
    return "\n".join([*lines[:kept], _left_out(len(lines) - kept, further)])


def _left_out(count: int, further: str) -> str:
    return f"({'1 more is' if count == 1 else f'{count} more are'} left out; {further})"


def joined(before: str, content: str) -> str:
    """Return a text with another one below it, apart by a blank line."""
    return f"{before}\n\n{content}" if before else content


def where(page: Memory) -> str:
    """Return the location of a page, or a relation's own type, in brackets; or ''."""
    said = page.extra.get("location") or own_type(page)
    return f" ({said})" if isinstance(said, str) and said else ""


def own_type(page: Memory) -> str:
    """Return the type of a relation that is a word of the agent's own, or ''."""
    type = page.extra.get(RELATION_TYPE)
    return type if isinstance(type, str) else ""


def days_left_out(days: Sequence[str]) -> str:
    """Return a line that says how many days of a diary are left out, and which is the first; '' for none."""
    if not days:
        return ""
    many = "1 earlier day is" if len(days) == 1 else f"{len(days)} earlier days are"
    return f"({many} left out; the first is {days[0]}, and each is told by its day as key.)"


def key_of(brain: "Brain", content: str) -> str:
    """Return the beginning of a text as a key, without secrets: half of one would not be known for one."""
    return " ".join(brain.without_secrets(content).split())[:LONGEST_KEY].strip()


def told(written: Written) -> str:
    """Return what was done to a page: saved, or updated with its text before and after."""
    if not written.before:
        return "saved."
    return f"updated.\n\nBefore:\n{written.before}\n\nAfter:\n{written.after}"
