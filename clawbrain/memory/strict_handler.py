"""Headers as YAML: `StrictHandler` reads them for python-frontmatter and for the store, `changed` edits them.

Every scalar is text (`no` is not False, 12:30 is not a number). Anchors, tags, merge keys and keys given twice are
refused. An edit replaces values where they stand: order, comments, unknown keys and line endings stay.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

import yaml
from frontmatter.default_handlers import SafeLoader, YAMLHandler

from ..errors import Invalid
from . import header
from .header import MAX_BYTES, MAX_DEPTH, Unreadable
from .model import shown


class StrictHandler(YAMLHandler):
    """Memory files for python-frontmatter: `frontmatter.load(path, handler=StrictHandler())`."""

    FM_BOUNDARY = header.BLOCK

    def split(self, text: str) -> tuple[str, str]:
        """Return header and body as they stand in a text. Raise Unreadable if the header is not closed."""
        parts = header.take_apart(text)
        return parts.head, parts.body

    def load(self, fm: str, **kwargs: object) -> dict[str, Any]:
        """Return a header's keys and values: strings, lists, mappings of strings. Raise Unreadable if it is broken."""
        ours = header.read_our_lines(fm)
        return _value(compose(fm)) if ours is None else ours

    def export(self, metadata: dict[str, object], **kwargs: object) -> str:
        """Return the header lines for these keys and values."""
        return header.lines(metadata).rstrip("\n")


def compose(head: str) -> yaml.MappingNode:
    """Return a header as YAML nodes, which know their places in it. Raise Unreadable if it is broken."""
    if len(head.encode()) > MAX_BYTES:
        raise Unreadable(f"its header is larger than {MAX_BYTES} bytes: shorten it")
    if re.search(r"^<{7} ", head, re.MULTILINE):
        raise Unreadable(header.LEFT_BY_GIT)
    try:
        events = iter(list(yaml.parse(head, Loader=SafeLoader)))
    except yaml.YAMLError as error:
        mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
        where = f" (line {mark.line + 2})" if mark else ""
        raise Unreadable(f"its header is not valid YAML{where}: {problem or 'odd character'}") from None
    except (RecursionError, MemoryError, TypeError, UnicodeError):
        raise Unreadable("its header is too deep or too odd to read") from None
    root: Any = next(each for each in events if not isinstance(each, yaml.StreamStartEvent | yaml.DocumentStartEvent))
    if isinstance(root, yaml.StreamEndEvent) or (getattr(root, "value", None) == "" and root.implicit[0]):
        return yaml.MappingNode("", [])
    if not isinstance(root, yaml.MappingStartEvent):
        raise Unreadable("its header is not made of `key: value` lines")
    if root.anchor or root.tag:
        raise Unreadable("its header uses a YAML anchor or tag: write plain values")
    node: yaml.MappingNode = _node(events, root, 0)
    if any(isinstance(event, yaml.DocumentStartEvent) for event in events):
        raise Unreadable("its header holds more than one YAML document")
    return node


def _node(events: Iterator[Any], event: Any, depth: int) -> Any:
    """Return the node that begins with an event. A block collection ends with the last thing written in it."""
    if event.anchor:  # of an alias too
        raise Unreadable("its header uses a YAML anchor: write the value out")
    if event.tag:
        raise Unreadable("its header uses a YAML tag: write plain values")
    if isinstance(event, yaml.ScalarEvent):
        return yaml.ScalarNode("", event.value, event.start_mark, event.end_mark)  # type: ignore[arg-type]
    if depth >= MAX_DEPTH:
        raise Unreadable(f"its header is nested more than {MAX_DEPTH} deep: flatten it")
    nodes: list[Any] = []
    keys: set[str] = set()
    while not isinstance(inner := next(events), yaml.CollectionEndEvent):
        nodes.append(node := _node(events, inner, depth + 1))
        if isinstance(event, yaml.MappingStartEvent) and len(nodes) % 2:
            if not isinstance(node, yaml.ScalarNode) or node.value == "<<":
                raise Unreadable("its header has a key that is not a word")
            if node.value in keys:
                raise Unreadable(f"its header has the key {node.value!r} twice: keep one")
            keys.add(node.value)
    end = inner.end_mark if event.flow_style or not nodes else nodes[-1].end_mark
    if isinstance(event, yaml.SequenceStartEvent):
        return yaml.SequenceNode("", nodes, event.start_mark, end)  # type: ignore[arg-type]
    return yaml.MappingNode("", list(zip(nodes[::2], nodes[1::2], strict=True)), event.start_mark, end)  # type: ignore[arg-type]


def _value(node: Any) -> Any:
    if isinstance(node, yaml.MappingNode):
        return {key.value: _value(value) for key, value in node.value}
    return [_value(item) for item in node.value] if isinstance(node, yaml.SequenceNode) else node.value


def changed(text: str, values: Mapping[str, Any], body: str | None = None) -> str:
    """Return a text with these header values set and another body, if one is given. None takes a key out.

    Raise Unreadable if its header is broken, Invalid if it would grow too large or is so odd (one pair of braces, say)
    that an edit garbles it.
    """
    newline = header.newline_of(text)
    opening, head, closing, old_body = header.take_apart(text)
    if not closing:
        opening, closing = f"{opening}---{newline}", f"---{newline}"
        old_body = newline + old_body.lstrip("\r\n")
    if body is not None:
        closing = closing if closing.endswith("\n") else closing + newline
    new_head = _with_values(head, values, newline)
    if len(new_head.encode()) > MAX_BYTES:
        raise Invalid(_too_large({**header.read(head), **values}))
    result = opening + new_head + closing + (old_body if body is None else body)
    with suppress(Unreadable):
        got = header.read(header.take_apart(result).head)
        if all(got.get(key) == (str(new).lower() if isinstance(new, bool) else new) for key, new in values.items()):
            return result
    raise Invalid("the file's header is too unusual to edit safely: put each `key: value` on a line.")


def _too_large(values: Mapping[str, Any]) -> str:
    fullest = max(values, key=lambda key: len(header.written(values[key]).encode()))
    return (
        f"the file's header would be larger than {MAX_BYTES} bytes, and {shown(fullest)} takes the most of it: "
        "keep less there, or put this into another memory."
    )


def _with_values(head: str, values: Mapping[str, Any], newline: str) -> str:
    added = {key: value for key, value in values.items() if value is not None}
    there = [(key, value) for key, value in compose(head).value if key.value in values]
    for key, value in reversed(there):  # backwards, so that the places before stay right
        start = value.start_mark.index
        end = len(head[: value.end_mark.index].rstrip("\r\n"))  # a block of text reaches to the next key
        if key.value in added:
            space = "" if head[start - 1 : start] in (" ", "\t") else " "
            head = head[:start] + space + header.written(added.pop(key.value)) + head[end:]
        else:
            line_end = head.find("\n", end) + 1 or len(head)
            head = head[: key.start_mark.index] + head[line_end:]
    return head + (newline if head and not head.endswith("\n") else "") + header.lines(added, newline)
