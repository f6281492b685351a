"""Tell whether two texts were filled in from one form, as two tickets are: then they are about two things.

They share their lines but for the values in them. A line's frame is what is left of it
without its values: "Opened 2025-11-04 by Wen" and "Opened 2025-12-01 by Juri" are both "opened # by #".
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from ..memory.markdown import BULLET, MARKER
from .line import Subject, label_of, line_of

_WORD = re.compile(r"[^\s,;()\[\]\"“”*`|]+")
_MARKER = re.compile(rf"^\s*(?:>\s*)*(?:{MARKER}|#+\s+)?(?:\[[ xX]\]\s+)?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9])")
_RULE = re.compile(r"^[\s|:=*-]*$")
_FIELD = re.compile(r"^(?:(?:the|its|our) )?(?P<name>[a-z]+) is (?:\S+ ?){1,4}$", re.IGNORECASE)
_NUMBERED = re.compile(r"^(?P<kind>(?:\w+ ){1,2})(?P<number>\S*\d\S*)")
_DIGIT = re.compile(r"\d")
_VALUE = "#"
_SOME_NAME = "1"  # is masked like any value
_MOST_LINES = 200

_Lines = Mapping[str, frozenset[str]]


class Form(NamedTuple):
    """The traits of a text by which another is known to be filled in from the same form."""

    frames: _Lines  # of the lines that claim nothing for themselves, each with the lines that have it
    openings: _Lines  # their first two words, with the lines that begin so
    kinds: _Lines  # 'ticket' of 'Ticket kx00007 is open', with the numbers of them that begin a line
    about: tuple[str, str]  # the frame and the words of the subject that the text opens with, unless it is a list
    fields: frozenset[str]  # 'area' of 'The area is billing', a field that is written out as a sentence
    lines: int


@lru_cache(maxsize=4096)
def form_of(text: str) -> Form:
    """Return the lines of a text by what they have in common with those of others."""
    frames: dict[str, set[str]] = {}
    openings: dict[str, set[str]] = {}
    kinds: dict[str, set[str]] = {}
    lines = list(_lines(text))
    for line in lines:
        if numbered := _NUMBERED.match(line):
            kinds.setdefault(numbered["kind"].lower(), set()).add(numbered["number"])
        if line_of(line).whose is not Subject.OWN:
            frame = _frame(line)
            openings.setdefault(" ".join(frame.split()[:2]), set()).add(line)
            if _VALUE in frame or frame.endswith(":"):
                frames.setdefault(frame, set()).add(line)
    fields = {found["name"].lower() for line in lines if (found := _FIELD.match(line))}
    about = _about(lines[0]) if lines and not BULLET.match(text) else ("", "")
    return Form(_frozen(frames), _frozen(openings), _frozen(kinds), about, frozenset(fields), len(lines))


def _about(line: str) -> tuple[str, str]:
    """Return the frame of what a line is about and the words themselves: 'invoice from #', 'Invoice from Acme'."""
    known = line_of(line)
    said = label_of(line)[0] or " ".join(_WORD.findall(line)[: len(known.head)])
    if not said and known.whose is Subject.NONE and line.count(" ") > 1:
        return _masked(f"{_SOME_NAME} {line.partition(' ')[2]}"), line  # 'Lars came with a cough'
    frame = _masked(said)
    return (frame, said) if _VALUE in frame else ("", "")


def _frozen(found: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(lines) for key, lines in found.items()}


def one_form(a: Form, b: Form) -> bool:
    """Tell whether two texts were filled in from one form.

    They were when a line that claims nothing is the same but for a value, when two such lines begin alike, when they
    open with or number another of one kind, or when a third of their sentences write out fields of the same names.
    """
    fields = len(a.fields & b.fields)
    return (
        (fields > 1 and 3 * fields >= min(a.lines, b.lines))
        or (bool(a.about[0]) and a.about[0] == b.about[0] and a.about[1] != b.about[1])
        or any(a.kinds[kind].isdisjoint(b.kinds[kind]) for kind in a.kinds.keys() & b.kinds.keys())
        or _differing(a.frames, b.frames) > 0
        or _differing(a.openings, b.openings) > 1
    )


def _differing(mine: _Lines, theirs: _Lines) -> int:
    return sum(mine[key] != theirs[key] for key in mine.keys() & theirs.keys())


def _lines(text: str) -> Iterator[str]:
    number = 0
    for line in text.splitlines():
        bare = _MARKER.sub("", line).strip()
        if not bare or _RULE.match(bare):
            continue
        for sentence in _SENTENCE.split(bare):
            number += 1
            if number > _MOST_LINES:
                return
            yield sentence.strip()


def _frame(line: str) -> str:
    """Return a line without its values; of a field only its name."""
    label, rest = label_of(line)
    return f"{_masked(label)}:" if label and rest else _masked(line)


def _masked(line: str) -> str:
    words: list[str] = []
    for at, word in enumerate(_WORD.findall(line)):
        if not (_DIGIT.search(word) or (at > 0 and word[:1].isupper())):
            words.append(word.lower().rstrip(".:"))
        elif words[-1:] != [_VALUE]:
            words.append(_VALUE)
    return " ".join(words)
