"""Forms: two memories that were filled in alike are about two things.

A ticket and another ticket share their lines but for the values in them. A line's frame is what is left of it
without its values: "Opened 2025-11-04 by Wen" and "Opened 2025-12-01 by Juri" are both "opened # by #".
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from .subject import Subject, label_of, subject

_WORD = re.compile(r"[^\s,;()\[\]\"“”*`|]+")
_MARKER = re.compile(r"^\s*(?:>\s*)*(?:[-*+]\s+|\d{1,3}[.)]\s+|#+\s+)?(?:\[[ xX]\]\s+)?")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z0-9])")
_RULE = re.compile(r"^[\s|:=*-]*$")
_FIELD = re.compile(r"^(?:(?:the|its|our) )?(?P<name>[a-z]+) is (?:\S+ ?){1,4}$", re.IGNORECASE)
_VALUE = "#"
MOST_LINES = 200


class Form(NamedTuple):
    """The lines of a text that claim nothing: fields, fragments, headings, one numbered thing of many."""

    frames: Mapping[str, frozenset[str]]  # each frame with the lines that have it
    openings: Mapping[str, frozenset[str]]  # each first two words with the lines that begin so
    fields: frozenset[str]  # 'area' of 'The area is billing', a field that is written out as a sentence
    lines: int


@lru_cache(maxsize=2048)
def form_of(text: str) -> Form:
    frames: dict[str, set[str]] = {}
    openings: dict[str, set[str]] = {}
    fields, lines = set(), list(_lines(text))
    for line in lines:
        if found := _FIELD.match(line):
            fields.add(found["name"].lower())
        if frame := _frame(line):
            openings.setdefault(" ".join(frame.split()[:2]), set()).add(line)
            if _VALUE in frame or frame.endswith(":"):
                frames.setdefault(frame, set()).add(line)
    return Form(_frozen(frames), _frozen(openings), frozenset(fields), len(lines))


def _frozen(found: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {key: frozenset(lines) for key, lines in found.items()}


def one_form(a: Form, b: Form, contested: Collection[str]) -> bool:
    """Return whether two texts were filled in from one form.

    They were when a line that claims nothing is the same but for a value, when two such lines begin alike, or when
    half of their sentences write out fields of the same names. The `contested` claims are no other evidence.
    """
    fields = len(a.fields & b.fields)
    if (fields > 1 and 2 * fields >= min(a.lines, b.lines)) or _alike(a.frames, b.frames, contested):
        return True
    return len(_alike(a.openings, b.openings, contested)) > 1


def _alike(
    mine: Mapping[str, frozenset[str]], theirs: Mapping[str, frozenset[str]], contested: Collection[str]
) -> list[str]:
    return [
        key
        for key in mine.keys() & theirs.keys()
        if mine[key] != theirs[key] and not any(line in claim for line in mine[key] for claim in contested)
    ]


def _lines(text: str) -> Iterator[str]:
    number = 0
    for line in text.splitlines():
        bare = _MARKER.sub("", line).strip()
        if not bare or _RULE.match(bare):
            continue
        for sentence in _SENTENCE.split(bare):
            number += 1
            if number > MOST_LINES:
                return
            yield sentence.strip()


def _frame(line: str) -> str:
    """Return a line without its values, or "" for one that claims something.

    Of a line that begins with one of many of a kind, 'Ticket kx00007 is …', the frame is the kind.
    """
    label, rest = label_of(line)
    if label and rest:
        return f"{_masked(label)}:"
    kind, value, _ = _masked(line).partition(_VALUE)
    if value and kind.count(" ") < 3:
        return f"{kind}{_VALUE}" if any(char.isdigit() for word in line.split()[:3] for char in word) else _masked(line)
    return "" if subject(line) is Subject.OWN else _masked(line)


def _masked(line: str) -> str:
    words: list[str] = []
    for at, word in enumerate(_WORD.findall(line)):
        value = any(char.isdigit() for char in word) or (at > 0 and word[:1].isupper())
        if not value:
            words.append(word.lower().rstrip(".:"))
        elif words[-1:] != [_VALUE]:
            words.append(_VALUE)
    return " ".join(words)
