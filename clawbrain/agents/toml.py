"""One table of a TOML file, edited in place.

Codex keeps its servers in a config.toml that belongs to its owner. The standard library reads TOML but cannot write it,
and writing the whole file again would lose comments and order. So a table is added as lines at the end, its keys are
set in their lines, and removing it removes those lines alone.
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import Invalid

_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?\r?(?:\n|\Z)")
_KEY = re.compile(r'(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')(?=[ \t]*[=.\]])')
_PART = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}|\'{3}.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{}]|\n|[^"\'#\[\]{}\n]+',
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A [header] (with an empty key) or a key with its value, up to the end of the line."""

    start: int
    end: int
    table: tuple[str, ...]
    key: tuple[str, ...]
    value: int  # the start of the value


def read(text: str) -> dict[str, Any]:
    """Return the data in a text; raise Invalid with the line of a fault."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        line = found.group(1) if found else str(text.count("\n") + 1)
        what = re.sub(r"\s*\(at .*\)$", "", str(error))
        raise Invalid(f"line {line}: {what[:1].lower()}{what[1:]}") from None


def put(text: str, table: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """Return the text with these keys set in a table, which is added at the end when missing. Its other keys are kept.
    Raise Invalid for a table that is written inline or with dotted keys, or where something else has its name."""
    data = read(text)
    _refuse_others(data, table)
    present = _at(data, table)
    if present is None:
        return _checked(_with_table(text, table, values), table, values)
    header = next((s for s in _statements(text) if s.table == table and not s.key), None)
    if not header:
        raise Invalid(f"{'.'.join(table)} is written as an inline table or with dotted keys")
    for key, value in values.items():
        if present.get(key) != value:
            text = _with_key(text, header, key, value)
    return _checked(text, table, values)


def cut(text: str, table: tuple[str, ...]) -> str:
    """Return the text without a table and those below it; raise Invalid for one written inline or with dotted keys."""
    if _at(read(text), table) is None:
        return text
    for start, end in reversed(_blocks(text, table)):
        before = text[:start]
        if before.endswith(("\n\n", "\n\r\n")):  # the blank line that `put` added above the table
            before = _without_newline(before)
            if not text[:end].endswith("\n"):  # no newline at the end now: `put` found none there either
                before = _without_newline(before)
        text = before + text[end:]
    if _at(read(text), table) is not None:
        raise Invalid(f"{'.'.join(table)} is written as an inline table or with dotted keys")
    return text


def _checked(text: str, table: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """Return the text after reading it again; raise Invalid when the new values made it invalid."""
    try:
        present = _at(read(text), table) or {}
    except Invalid:
        raise Invalid(f"{table[0]} is written as an inline table, to which nothing can be added") from None
    assert all(present.get(key) == value for key, value in values.items())
    return text


def _refuse_others(data: dict[str, Any], table: tuple[str, ...]) -> None:
    """Raise Invalid where a value that is no table stands on the way to a table, such as an array of tables."""
    here: Any = data
    for depth, step in enumerate(table, 1):
        here = here.get(step, {})
        if not isinstance(here, dict):
            raise Invalid(f"{'.'.join(table[:depth])} is not a table")


def _at(data: dict[str, Any], table: tuple[str, ...]) -> dict[str, Any] | None:
    here: Any = data
    for step in table:
        here = here.get(step) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else None


def _with_table(text: str, table: tuple[str, ...], values: Mapping[str, Any]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{'.'.join(table)}]", *(f"{key} = {_rendered(value)}" for key, value in values.items())]
    block = newline.join(lines)
    if not text.removeprefix("\ufeff"):
        return text + block + newline
    return text + newline + (block + newline if text.endswith("\n") else newline + block)


def _with_key(text: str, header: Statement, key: str, value: Any) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f"{key} = {_rendered(value)}"
    for found in _statements(text):
        if found.table == header.table and found.key == (key,):
            end = _value_end(text, found.value)
            return text[: found.start] + line + text[end:]
    gap = "" if text[header.end - 1] == "\n" else newline
    return text[: header.end] + gap + line + newline + text[header.end :]


def _rendered(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _blocks(text: str, table: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return the ranges from each header of the table (or of one below it) to the end of its last key."""
    blocks: list[tuple[int, int]] = []
    for found in _statements(text):
        if found.table[: len(table)] != table:
            continue
        if not found.key:
            blocks.append((found.start, found.end))
        else:
            blocks[-1] = (blocks[-1][0], found.end)
    return blocks


def _statements(text: str) -> Iterator[Statement]:
    """Yield every header and every key of a valid text."""
    table: tuple[str, ...] = ()
    at = _skip(text, 1 if text.startswith("\ufeff") else 0)
    while at < len(text):
        start = at
        is_header = text[at] == "["
        while text[at] in "[ \t":
            at += 1
        key, at = _key(text, at)
        if is_header:
            table, key, value = key, (), at
            at = text.index("]", at)
            while text.startswith("]", at):
                at += 1
        else:
            value = text.index("=", at) + 1
            at = _value_end(text, value)
        found = _LINE_END.match(text, at)
        end = found.end() if found else at
        yield Statement(start, end, table, key, value)
        at = _skip(text, end)


def _key(text: str, at: int) -> tuple[tuple[str, ...], int]:
    parts: list[str] = []
    while found := _KEY.match(text, at):
        spelt = found.group()
        parts.append(next(iter(tomllib.loads(f"{spelt} = 0"))))
        at = found.end()
        while at < len(text) and text[at] in ". \t":
            at += 1
    return tuple(parts), at


def _value_end(text: str, at: int) -> int:
    """Return the end of the value that starts at a place, across brackets, strings and comments."""
    depth, end = 0, at
    while found := _PART.match(text, at):
        part = found.group()
        if part == "\n" and not depth:
            break
        depth += (part in "[{") - (part in "]}")
        at = found.end()
        if not part.startswith("#") and part.strip():
            end = found.start() + len(part.rstrip())
    return end


def _without_newline(text: str) -> str:
    return text[:-1].removesuffix("\r")


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
