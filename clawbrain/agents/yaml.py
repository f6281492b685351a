"""One entry of a YAML file, edited in place.

Goose keeps its extensions in a config.yaml that belongs to its owner, with comments and an order of its own. The file
is read as nodes that know their places; an entry is added as lines of text, and removing it removes those lines alone.
"""

import json
from collections.abc import Mapping
from typing import Any

from yaml import CollectionNode, MappingNode, Node, SafeLoader, ScalarNode, YAMLError, compose
from yaml.constructor import SafeConstructor

from ..errors import Invalid

Place = tuple[str, str]


def find(text: str, place: Place) -> Any:
    """Return the entry at a place, or None; raise Invalid with the line of a fault."""
    _, value = _entry(_holder(text, place)[1], place[1])
    return None if value is None else _data(value)


def put(text: str, place: Place, values: Mapping[str, Any]) -> str:
    """Return the text with these keys set in an entry, which is added when missing; its other keys are kept.

    Raise Invalid with the line of a fault, or where something that is no mapping has the holder's name.
    """
    present = find(text, place)
    if isinstance(present, dict):
        if all(present.get(key) == value for key, value in values.items()):
            return text
        values = {**present, **values}
    if present is not None:
        text = _without(text, place)
    return _with(text, place, values)


def cut(text: str, place: Place, kept: str | None = None) -> str:
    """Return the text without an entry, and without its holder where that holds nothing else.

    `kept` is the text before `put`, if it is known: a holder that it has stays.
    """
    if find(text, place) is None:
        return text
    key, holder = _holder(text, place)
    was_there = kept is not None and _holder(kept, place)[0] is not None
    if key and isinstance(holder, MappingNode) and not holder.flow_style and len(holder.value) == 1 and not was_there:
        return _without_lines(text, key.start_mark.index, _last(holder))
    return _without(text, place)


def _with(text: str, place: Place, values: Mapping[str, Any]) -> str:
    root = _root(text)
    key, holder = _holder(text, place)
    if root is not None and root.flow_style:
        inner = {place[1]: values} if holder else {place[0]: {place[1]: values}}
        return _with_flow(text, holder if isinstance(holder, MappingNode) else root, inner)
    if key is None:
        end = root.end_mark.index if root else len(text)
        return _with_lines(text, end, [f"{place[0]}:", *_lines(place[1], values, "  ")])
    if isinstance(holder, MappingNode) and holder.flow_style:
        return _with_flow(text, holder, {place[1]: values})
    if isinstance(holder, MappingNode):
        first = holder.value[0][0].start_mark
        return _with_lines(text, first.index - first.column, _lines(place[1], values, " " * first.column))
    if isinstance(holder, ScalarNode) and holder.value == "":
        end = text.find("\n", key.end_mark.index)
        indent = " " * (key.start_mark.column + 2)
        return _with_lines(text, len(text) if end < 0 else end + 1, _lines(place[1], values, indent))
    raise Invalid(f"{place[0]} is not a mapping")


def _with_flow(text: str, holder: MappingNode, inner: Mapping[str, Any]) -> str:
    at = holder.start_mark.index + 1
    rest = ", " if holder.value else ""
    return text[:at] + json.dumps(inner, ensure_ascii=False)[1:-1] + rest + text[at:]


def _with_lines(text: str, at: int, lines: list[str]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join(lines)
    if at and text[at - 1] != "\n":  # the last line has no end: ours gets none either
        return text[:at] + newline + block + text[at:]
    return text[:at] + block + newline + text[at:]


def _lines(name: str, values: Mapping[str, Any], indent: str) -> list[str]:
    return [
        f"{indent}{name}:",
        *(f"{indent}  {key}: {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()),
    ]


def _without(text: str, place: Place) -> str:
    """Return the text without an entry; its holder stays, empty or not."""
    holder = _holder(text, place)[1]
    key, value = _entry(holder, place[1])
    assert isinstance(holder, MappingNode) and key is not None and value is not None
    if not holder.flow_style:
        return _without_lines(text, key.start_mark.index, _last(value))
    start, end = key.start_mark.index, value.end_mark.index
    rest = text[end:].lstrip(" \t\r\n")
    if rest.startswith(","):
        return text[:start] + rest[1:].lstrip(" ")
    before = text[:start].rstrip(" \t\r\n")
    return (before[:-1] if before.endswith(",") else text[:start]) + text[end:]


def _without_lines(text: str, start: int, end: int) -> str:
    """Return the text without the lines from one place to another."""
    start = text.rfind("\n", 0, start) + 1
    newline = text.find("\n", max(end - 1, start))
    if newline >= 0:
        return text[:start] + text[newline + 1 :]
    return text[:start].removesuffix("\n").removesuffix("\r")


def _last(node: Node) -> int:
    """Return the place behind the last value in a node, where the mark of a block would lie behind what follows it."""
    while isinstance(node, CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return int(node.end_mark.index)


def _holder(text: str, place: Place) -> tuple[Node | None, Node | None]:
    return _entry(_root(text), place[0])


def _entry(holder: Node | None, name: str) -> tuple[Node | None, Node | None]:
    """Return the nodes of a key and its value in a mapping, or two times None."""
    if isinstance(holder, MappingNode):
        for key, value in holder.value:
            if key.value == name:
                return key, value
    return None, None


def _root(text: str) -> MappingNode | None:
    try:
        root = compose(text, SafeLoader)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        raise Invalid(f"line {line}: {getattr(error, 'problem', None) or 'it cannot be read'}") from None
    if root is not None and not isinstance(root, MappingNode):
        raise Invalid("line 1: a mapping was expected")
    return root


def _data(node: Node) -> Any:
    constructor = SafeConstructor()
    try:
        return constructor.construct_document(node)
    except YAMLError as error:
        raise Invalid(f"line {node.start_mark.line + 1}: {getattr(error, 'problem', 'it cannot be read')}") from None
