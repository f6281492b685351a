"""The block between the two '---' of a memory file: reading it strictly, changing it gently.

Lines we wrote are JSON and are read as such. What people wrote is YAML, of which we take the plain part:
every scalar is a string (no `no` that turns into False, no 12:30 that turns into a number), and anchors,
tags, merge keys and duplicate keys are refused. A change replaces one value where it stands; order,
comments, unknown keys and line endings are its owner's and stay.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .errors import Invalid

MAX_BYTES = 16_384
MAX_DEPTH = 5

_BLOCK = re.compile(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.DOTALL | re.MULTILINE)
_OPENING = re.compile(r"\A\ufeff?---[ \t]*(?:\r?\n|\Z)")
_OUR_LINE = re.compile(r'(\w+): (".*"|\[.*\]|true|false)')
_YAML_BREAKS = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


class Unreadable(ValueError):
    """A file that is no memory as it stands; the sentence says what its owner can do."""


class Parts(NamedTuple):
    """A file's text taken apart; joined again it is the same text."""

    opening: str
    head: str
    closing: str
    body: str


def take_apart(text: str) -> Parts:
    found = _BLOCK.match(text)
    if found:
        return Parts(found[1], found[2], found[3], text[found.end() :])
    if _OPENING.match(text):
        raise Unreadable("its header is not closed: add a line '---' after it")
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return Parts(mark, "", "", text[len(mark) :])


def begins_with_block(text: str) -> bool:
    return bool(_BLOCK.match(text.lstrip()))


def newline_of(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


# Reading


def read(head: str) -> dict[str, Any]:
    """The header's keys and values: strings, lists and mappings of strings."""
    if len(head.encode()) > MAX_BYTES:
        raise Unreadable(f"its header is larger than {MAX_BYTES} bytes: shorten it")
    ours = _read_our_lines(head)
    return ours if ours is not None else _compose(head)[0]


def _read_our_lines(head: str) -> dict[str, Any] | None:
    """Headers as we write them, without the price of a YAML parser; None when somebody wrote otherwise."""
    found: dict[str, Any] = {}
    for line in head.split("\n")[:-1]:
        match = _OUR_LINE.fullmatch(line)
        if not match or match[1] in found or "\\u" in line:
            return None
        try:
            value = match[2] if match[2] in ("true", "false") else _as_json(match[2])
        except (ValueError, RecursionError):
            return None
        if not can_hold(value):
            return None
        found[match[1]] = value
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError("the same key twice")
    return dict(pairs)


_as_json = json.JSONDecoder(object_pairs_hook=_unique).decode


def can_hold(value: Any, depth: int = 1) -> bool:
    """Whether a value is made of what a header holds: text, lists, mappings of text."""
    if isinstance(value, str):
        return True
    if depth >= MAX_DEPTH:
        return False
    if isinstance(value, dict):
        return all(isinstance(key, str) and key != "<<" and can_hold(value[key], depth + 1) for key in value)
    return isinstance(value, list) and all(can_hold(item, depth + 1) for item in value)


def _yaml() -> Any:
    """Imported when first needed: it costs start-up time, and a header we wrote is read without it."""
    import yaml

    return yaml


class _Place(NamedTuple):
    key: int
    start: int
    end: int


def _compose(head: str) -> tuple[dict[str, Any], dict[str, _Place]]:
    """All values, and where in the text each top-level key and its value stand."""
    yaml = _yaml()
    places: dict[str, _Place] = {}
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        events = iter(list(yaml.parse(head, Loader=loader)))
        next(events)
        if isinstance(next(events), yaml.StreamEndEvent):
            return {}, places
        root = next(events)
        if isinstance(root, yaml.ScalarEvent) and root.value == "" and root.implicit[0]:
            return {}, places
        if not isinstance(root, yaml.MappingStartEvent):
            raise Unreadable("its header is not made of `key: value` lines")
        values, _ = _mapping(events, root, 1, places)
        if any(isinstance(event, yaml.DocumentStartEvent) for event in events):
            raise Unreadable("its header holds more than one YAML document")
        return values, places
    except yaml.YAMLError as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f" (line {mark.line + 2})" if mark else ""
        raise Unreadable(f"its header is not valid YAML{where}: {problem or 'odd character'}") from None
    except (RecursionError, MemoryError, TypeError, UnicodeError):
        raise Unreadable("its header is too deep or too odd to read") from None


def _value(events: Iterator[Any], event: Any, depth: int) -> tuple[Any, int]:
    """A value and where its text ends; block collections end with the last thing written in them."""
    yaml = _yaml()
    if isinstance(event, yaml.AliasEvent) or event.anchor:
        raise Unreadable("its header uses a YAML anchor: write the value out")
    if event.tag:
        raise Unreadable("its header uses a YAML tag: write plain values")
    if isinstance(event, yaml.ScalarEvent):
        return event.value, event.end_mark.index
    if depth >= MAX_DEPTH:
        raise Unreadable(f"its header is nested more than {MAX_DEPTH} deep: flatten it")
    if isinstance(event, yaml.MappingStartEvent):
        places: dict[str, _Place] = {}
        return _mapping(events, event, depth + 1, places)
    items, end = [], event.end_mark.index
    while not isinstance(inner := next(events), yaml.SequenceEndEvent):
        item, end = _value(events, inner, depth + 1)
        items.append(item)
    return items, inner.end_mark.index if event.flow_style else end


def _mapping(events: Iterator[Any], start: Any, depth: int, places: dict[str, _Place]) -> tuple[dict[str, Any], int]:
    yaml = _yaml()
    if start.anchor or start.tag:
        raise Unreadable("its header uses a YAML anchor or tag: write plain values")
    found: dict[str, Any] = {}
    end = start.end_mark.index
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key, _ = _value(events, event, depth)
        if not isinstance(key, str) or key == "<<":
            raise Unreadable("its header has a key that is not a word")
        if key in found:
            raise Unreadable(f"its header has the key {key!r} twice: keep one")
        first = next(events)
        found[key], end = _value(events, first, depth)
        places[key] = _Place(event.start_mark.index, first.start_mark.index, end)
    return found, event.end_mark.index if start.flow_style else end


# Writing


def written(value: Any) -> str:
    """A value as we write it: JSON, which is also YAML without surprises."""
    text = json.dumps(value, ensure_ascii=False)
    return _YAML_BREAKS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def changed(text: str, values: Mapping[str, Any], body: str | None = None) -> str:
    """The text with these header values set (None takes a key out) and, if given, another body."""
    newline = newline_of(text)
    opening, head, closing, old_body = take_apart(text)
    if not closing:
        opening, closing = f"{opening}---{newline}", f"---{newline}"
        old_body = newline + old_body.lstrip("\r\n")
    if body is not None:
        closing = closing if closing.endswith("\n") else closing + newline
    result = opening + _with_values(head, values, newline) + closing + (old_body if body is None else body)
    _check(result, values)
    return result


def _with_values(head: str, values: Mapping[str, Any], newline: str) -> str:
    _, places = _compose(head)
    # From the last to the first, so that the places found before stay right.
    for key in sorted(values.keys() & places.keys(), key=lambda key: -places[key].start):
        at = places[key]
        at = at._replace(end=len(head[: at.end].rstrip("\r\n")))  # a block of text reaches to the next key
        if values[key] is None:
            line_end = head.find("\n", at.end) + 1 or len(head)
            head = head[: at.key] + head[line_end:]
        else:
            space = "" if head[at.start - 1 : at.start] in (" ", "\t") else " "
            head = head[: at.start] + space + written(values[key]) + head[at.end :]
    if head and not head.endswith("\n"):
        head += newline
    added = {key: value for key, value in values.items() if key not in places and value is not None}
    return head + "".join(f"{key}: {written(value)}{newline}" for key, value in added.items())


def _check(text: str, values: Mapping[str, Any]) -> None:
    """An odd but valid header (all in one pair of braces, say) must not be garbled by a textual edit."""
    try:
        got = read(take_apart(text).head)
    except Unreadable:
        got = dict.fromkeys(values, Unreadable)
    for key, value in values.items():
        if got.get(key) != (str(value).lower() if isinstance(value, bool) else value):
            raise Invalid("the file's header is too unusual to edit safely: put each `key: value` on a line.")
