"""STRATEGY.md: the page on which the owner of a memory says how it behaves.

People write sentences, programs write the settings block; both end in one frozen Strategy. Where a page is
wrong, the line is named and the default stays; nothing here raises, and nothing is read halfway. An error that
touches pruning switches pruning off: what cannot be understood must not put memories away.

    settings   one row per setting: default, range, meaning, sentences
    page       the shape of a markdown page, with line numbers
    sentences  bullets -> claims
    block      the fence `yaml settings` -> claims
    careful    the lines that ask for care with secrets, understood or not
    reading    claims and refusals -> Strategy

Programs change a page by `setting_lines` (settings) and `naming_layers` (layers), which leave the rest of it alone.
"""

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from .careful import careful_lines
from .default import DEFAULT_TEXT
from .reading import EVERYTHING, Complaint, Parsed, Reading
from .settings import Setting, Strategy, section_meaning, sections, settings

if TYPE_CHECKING:
    from .page import PagePart

__all__ = [
    "DEFAULT_TEXT",
    "Complaint",
    "Parsed",
    "Setting",
    "Strategy",
    "parse",
    "section_meaning",
    "sections",
    "settings",
    "unread",
]

# Names that a heading may have, beside the section's own.
_ALSO_CALLED = {
    "consolidation": ("consolidate", "merge", "merging"),
    "promotion": ("promote", "promoting"),
    "pruning": ("prune", "archive", "archiving", "forget", "forgetting"),
    "decay": ("fading",),
    "credit": ("learning",),
    "contradictions": ("contradiction",),
    "duplicates": ("duplicate",),
    "context": ("memory.md", "digest"),
    "safety": ("secrets",),
}


def parse(text: str | bytes) -> Parsed:
    """Return what a STRATEGY.md asks for, and the complaints about it. Never raises, whatever it is given."""
    from . import block, sentences  # dozens of regular expressions, loaded only by those who read a page
    from .page import parts

    reading = Reading()
    fences: list[PagePart] = []
    section, depth = "", 0
    for part in parts(text):
        if part.kind == "heading":
            section, depth = _entered(part, section, depth)
        elif part.kind == "fence":
            fences.append(part)
        elif part.kind == "fault":
            reading.refuse(part.line, part.text, EVERYTHING)
        else:
            sentences.read(part, section, reading)
        reading.careful += careful_lines(part, section)
    block.read(fences, reading)
    return reading.settled()


def unread(fault: str) -> Parsed:
    """Return what a STRATEGY.md asks for that cannot be read at all, with the reason as its complaint."""
    reading = Reading()
    reading.refuse(1, f"it cannot be read ({fault}), so the defaults stay.", EVERYTHING)
    doubt = f"STRATEGY.md cannot be read ({fault}), whatever it says of secrets; see `clawbrain strategy`."
    return replace(reading.settled(), doubt=doubt)


def _entered(heading: "PagePart", section: str, depth: int) -> tuple[str, int]:
    """Return the section a heading opens, and its depth. A deeper heading that names none stays in the one it is in."""
    words = re.findall(r"[a-z]+(?:\.md)?", heading.text[:80].lower())
    named = [_titles()[word] for word in words if word in _titles()] if len(words) <= 5 else []
    if named:
        return named[0], heading.depth
    return (section, depth) if heading.depth > depth else ("", heading.depth)


@cache
def _titles() -> dict[str, str]:
    return {word: name for name in sections() for word in (name, *_ALSO_CALLED.get(name, ()))}
