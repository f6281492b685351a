"""The header of a memory file, between two lines of '---': splitting it off, reading it, writing its values.

Headers that clawbrain wrote have a JSON value on each line and are read here. All others are left to `strict_handler`.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

MAX_BYTES, MAX_DEPTH = 16_384, 5
LEFT_BY_GIT = "git left both sides of a conflict in it: keep one of them and delete the lines of <, = and >"

BLOCK = re.compile(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_OUR_LINE = re.compile(r'(\w+): (".*"|\[.*\]|true|false)')
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # line breaks there, or no characters


class Unreadable(Exception):
    """The error for a file that is no memory as it stands. Its sentence tells the owner what to do."""


class Parts(NamedTuple):
    """The parts of a file's text. Joined again they are the same text."""

    opening: str
    head: str
    closing: str
    body: str


def take_apart(text: str) -> Parts:
    """Return the parts of a text, all of it body if it has no header. Raise Unreadable if its header is not closed."""
    if found := BLOCK.match(text):
        return Parts(found[1], found[2], found[3], text[found.end() :])
    if re.match(r"\ufeff?---[ \t]*(?:\r?\n|\Z)", text):
        raise Unreadable("its header is not closed: add a line '---' after it")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return Parts(mark, "", "", text[len(mark) :])


def begins_with_block(text: str) -> bool:
    """Tell whether a header is the first thing in a text."""
    return bool(BLOCK.match(text.lstrip()))


def newline_of(text: str) -> str:
    """Return the line ending that a text uses."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def read(head: str) -> dict[str, Any]:
    """Return a header's keys and values: strings, lists and mappings of strings. Raise Unreadable if it is broken."""
    if (ours := read_our_lines(head)) is not None:
        return ours
    from .strict_handler import StrictHandler  # takes time: it loads python-frontmatter and PyYAML

    return StrictHandler().load(head)


def read_our_lines(head: str) -> dict[str, Any] | None:
    """Return the keys and values of a header as clawbrain writes it, or None if it is another or too large."""
    if "\\u" in head or len(head.encode()) > MAX_BYTES:
        return None
    found: dict[str, Any] = {}
    for line in head.removesuffix("\n").split("\n") if head else ():
        match = _OUR_LINE.fullmatch(line)
        try:
            value = match and (match[2] if match[2] in ("true", "false") else _as_json(match[2]))
        except (ValueError, RecursionError):
            return None
        if not match or match[1] in found or not can_hold(value):
            return None
        found[match[1]] = value
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("the same key twice")
    return dict(pairs)


_as_json = json.JSONDecoder(object_pairs_hook=_unique).decode


def can_hold(value: Any, depth: int = 1) -> bool:
    """Tell whether a header can hold a value: text, lists and mappings of text, not nested too deep."""
    if isinstance(value, str) or depth >= MAX_DEPTH:
        return isinstance(value, str)
    if isinstance(value, dict):
        return all(isinstance(key, str) and key != "<<" and can_hold(value[key], depth + 1) for key in value)
    return isinstance(value, list) and all(can_hold(item, depth + 1) for item in value)


def written(value: Any) -> str:
    """Return a value as clawbrain writes it: JSON that YAML reads as the same value."""
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def lines(values: Mapping[str, Any], newline: str = "\n") -> str:
    """Return the header lines for these keys and values."""
    keys = {key: key if re.fullmatch(r"\w+", key) else written(key) for key in values}
    return "".join(f"{keys[key]}: {written(value)}{newline}" for key, value in values.items())
