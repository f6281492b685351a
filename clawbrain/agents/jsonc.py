"""JSON with comments, edited in place.

The configuration files of agent programs belong to people, with their comments, trailing commas, indentation and line
endings. So no file is parsed and printed again: a value is inserted or removed as a few characters of text, and `cut`
removes exactly what `put` added.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..errors import Invalid

Path = tuple[str | int, ...]

_TRIVIA = re.compile(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)")
_DEEPEST = 100


@dataclass(frozen=True, slots=True)
class Node:
    """A value in the text, with its place and its members."""

    start: int
    end: int
    value: Any
    members: tuple["Member", ...] = ()
    is_inner: bool = True  # not the whole document


@dataclass(frozen=True, slots=True)
class Member:
    """A key with its value in an object, or an element of an array."""

    key: str | int
    start: int  # the start of the key or of an array's element
    node: Node
    comma: int  # the place of the comma behind it, or -1


def read(text: str) -> Any:
    """Return the data in a text, {} for an empty one (comments apart); raise Invalid with the line of a fault."""
    return _document(text).value


def find(text: str, path: Path) -> Any:
    """Return the value at a path, or None."""
    node = _descend(_document(text), path)
    return node.value if node else None


def put(text: str, path: Path, value: Any) -> str:
    """Return the text with a value at a path: replaced where there is one, else added behind its siblings.

    Missing objects on the path are created; a list grows by the index behind its last element. Raise Invalid where the
    path leads through a value that is no object or list.
    """
    if not _TRIVIA.sub("", text):
        text = _with_empty_object(text)
    root = _document(text)
    found = _descend(root, path)
    if found:
        return text if found.value == value else _replaced(text, found, value)
    depth = next(n for n in range(len(path) - 1, -1, -1) if _descend(root, path[:n]))
    parent = _descend(root, path[:depth])
    assert parent is not None
    if not isinstance(parent.value, list if isinstance(path[depth], int) else dict):
        raise Invalid(f"{_spelt(path[:depth])} is not {_wanted(path[depth])}")
    made = path[depth + 1 :]
    for step in reversed(made):
        value = [value] if isinstance(step, int) else {step: value}
    return _added(text, parent, path[depth], value, len(made))


def cut(text: str, path: Path) -> str:
    """Return the text without the value at a path, its comma and its line."""
    parent = _descend(_document(text), path[:-1])
    places = [n for n, member in enumerate(parent.members) if member.key == path[-1]] if parent else []
    if not parent or not places:
        return text
    place = places[-1]
    member = parent.members[place]
    spans = [(_space_before(text, member.start), member.node.end)]
    if member.comma >= 0:
        spans.append((member.comma, member.comma + 1))
    elif place:
        comma = parent.members[place - 1].comma
        spans.append((comma, comma + 1))
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text


def cut_whole(text: str, path: Path, kept: str | None = None) -> str:
    """Return the text without the value at a path and without the containers that only held it.

    A container that was there before stays, as empty as it was: `kept` is the text before `put`, if it is known. Where
    it is not, the spelling tells: what `put` adds to an empty container follows the bracket at once, and a container
    that it makes has room there.
    """
    while len(path) > 1 and _only_holds(text, path, kept):
        path = path[:-1]
    text = cut(text, path)
    now, before = _descend(_document(text), path[:-1]), _descend(_document(kept), path[:-1]) if kept else None
    if now and before and kept and not now.members and not before.members:
        return text[: now.start] + kept[before.start : before.end] + text[now.end :]
    return text


def _only_holds(text: str, path: Path, kept: str | None) -> bool:
    """Tell whether the container of the value at a path was made for it and holds nothing else."""
    parent = _descend(_document(text), path[:-1])
    if not parent or [member.key for member in parent.members] != [path[-1]]:
        return False
    return find(kept, path[:-1]) is None if kept is not None else parent.members[0].start > parent.start + 1


# reading


def _document(text: str) -> Node:
    start = _skip(text, 0)
    if start == len(text):
        return Node(start, start, {})
    root = replace(_value(text, start, 0), is_inner=False)
    rest = _skip(text, root.end)
    if rest < len(text):
        raise _broken(text, rest, "something follows the closing bracket")
    if not isinstance(root.value, dict):
        raise _broken(text, start, "an object was expected")
    return root


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _DEEPEST:
        raise _broken(text, at, "it is nested too deeply")
    if text.startswith(("{", "["), at):
        return _container(text, at, depth)
    if found := _STRING.match(text, at) or _SCALAR.match(text, at):
        return Node(at, found.end(), _scalar(text, found))
    raise _broken(text, at, "a value was expected")


def _scalar(text: str, found: re.Match[str]) -> Any:
    try:
        return json.loads(found.group())
    except ValueError:
        raise _broken(text, found.start(), "this string cannot be read") from None


def _container(text: str, at: int, depth: int) -> Node:
    is_object = text[at] == "{"
    close = "}" if is_object else "]"
    members: list[Member] = []
    here = _skip(text, at + 1)
    while not text.startswith(close, here):
        if members and members[-1].comma < 0:
            raise _broken(text, here, f"a comma or {close} was expected")
        member = _member(text, here, depth, None if is_object else len(members))
        members.append(member)
        here = _skip(text, member.node.end if member.comma < 0 else member.comma + 1)
    value = {m.key: m.node.value for m in members} if is_object else [m.node.value for m in members]
    return Node(at, here + 1, value, tuple(members))


def _member(text: str, at: int, depth: int, index: int | None) -> Member:
    start, key = at, index if index is not None else ""
    if index is None:
        found = _STRING.match(text, at)
        if not found:
            raise _broken(text, at, "a key in double quotes was expected")
        key = _scalar(text, found)
        colon = _skip(text, found.end())
        if not text.startswith(":", colon):
            raise _broken(text, colon, "a colon was expected")
        at = _skip(text, colon + 1)
    node = _value(text, at, depth + 1)
    behind = _skip(text, node.end)
    return Member(key, start, node, behind if text.startswith(",", behind) else -1)


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def _broken(text: str, at: int, what: str) -> Invalid:
    return Invalid(f"line {text.count(chr(10), 0, at) + 1}: {what}")


def _descend(root: Node, path: Path) -> Node | None:
    """Return the node at a path, or None. Of equal keys the last one counts, as in JSON."""
    node: Node | None = root
    for step in path:
        node = next((m.node for m in reversed(node.members) if m.key == step), None) if node else None
    return node


# writing


def _with_empty_object(text: str) -> str:
    gap = "" if not text or text.endswith(("\n", "\ufeff")) else _newline(text)
    return f"{text}{gap}{{}}{_newline(text)}"


def _replaced(text: str, old: Node, value: Any) -> str:
    indent = _indent_at(text, old.start) if _spread(text) else None
    return text[: old.start] + _rendered(value, text, indent) + text[old.end :]


def _added(text: str, parent: Node, key: str | int, value: Any, made: int) -> str:
    """Return the text with a member added; `made` containers of the value are there only to hold what is in them."""
    last = parent.members[-1] if parent.members else None
    label = "" if isinstance(key, int) else json.dumps(key, ensure_ascii=False) + ": "
    if last and "\n" not in text[_space_before(text, last.start) : last.start]:
        return _added_inline(text, last, label + _inline(value, made))
    outer = _indent_at(text, parent.start)
    if not last and (parent.is_inner or not _spread(text)):  # at once behind the bracket, as `cut_whole` expects
        at = parent.start + 1
        rendered = _rendered(value, text, outer) if _spread(text) else _inline(value, made)
        return text[:at] + label + rendered + text[at:]
    indent = _indent_at(text, last.start) if last else outer + _unit(text)
    piece = _newline(text) + indent + label + _rendered(value, text, indent)
    at = _space_before(text, parent.end - 1)
    if last:
        piece += "," if last.comma >= 0 else ""
    elif "\n" not in text[at : parent.end - 1]:
        piece += _newline(text) + outer
    text = text[:at] + piece + text[at:]
    if last and last.comma < 0:
        text = text[: last.node.end] + "," + text[last.node.end :]
    return text


def _added_inline(text: str, last: Member, piece: str) -> str:
    if last.comma >= 0:
        at = last.comma + 1
        return f"{text[:at]} {piece},{text[at:]}"
    at = last.node.end
    return f"{text[:at]}, {piece}{text[at:]}"


def _inline(value: Any, made: int) -> str:
    """Return the value as JSON on one line, with room inside the brackets of its first `made` containers."""
    if not made:
        return json.dumps(value, ensure_ascii=False)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    [(label, inner)] = _labelled(value)
    return f"{opening} {label}{_inline(inner, made - 1)} {closing}"


def _rendered(value: Any, text: str, indent: str | None) -> str:
    """Return the value as JSON, spread over lines with `indent` or on one line without it."""
    if indent is None or not value or not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        return json.dumps(value, ensure_ascii=False)
    inner, newline = indent + _unit(text), _newline(text)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    lines = [inner + label + _rendered(item, text, inner) for label, item in _labelled(value)]
    return opening + newline + ("," + newline).join(lines) + newline + indent + closing


def _labelled(value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        yield from (("", item) for item in value)
    else:
        yield from ((json.dumps(key, ensure_ascii=False) + ": ", item) for key, item in value.items())


def _spread(text: str) -> bool:
    """Tell whether the file is written over several lines; an empty object counts as such."""
    bare = text.strip("\ufeff \t\r\n")
    return "\n" in bare or bare == "{}"


def _unit(text: str) -> str:
    """Return the indentation of one level in the text, two spaces by default."""
    found = re.search(r"\{[^\n]*\n([ \t]+)[^\s]", text)
    return found.group(1) if found else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip(" \t"))]


def _space_before(text: str, at: int) -> int:
    """Return the start of the white space before a place."""
    while at and text[at - 1] in " \t\r\n":
        at -= 1
    return at


def _wanted(step: str | int) -> str:
    return "a list" if isinstance(step, int) else "an object"


def _spelt(path: Path) -> str:
    return ".".join(str(step) for step in path) or "the file"
