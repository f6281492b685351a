"""The shape of a page: headings, bullets, fences, and the YAML in a fence, each with the number of its line.

Nothing here knows the meaning of a page. Text that cannot be read is returned as a part of its own, a fault.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..memory.model import MAX_FILE, shown

_MAX_DEPTH = 3
_LONG = 2_000  # a bullet that is longer takes in no further lines


@dataclass(slots=True)
class PagePart:
    """A part of a page, and the line that it begins on."""

    kind: Literal["heading", "bullet", "prose", "fence", "fault"]
    line: int
    text: str  # the words of a heading, bullet or line of prose; a fence's label; what is wrong
    depth: int = 0  # of a heading
    body: list[str] = field(default_factory=list)  # of a fence, also of one that never closes


def parts(text: str | bytes) -> Iterator[PagePart]:
    """Yield the parts of a page from top to bottom, without comments, tables, quotes and rules."""
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    if fault := _no_text(data):
        yield fault
        return
    lines, faults = _lines(data)
    yield from faults
    yield from _shaped(_outside_comments(lines))


def _no_text(data: bytes) -> PagePart | None:
    if len(data) > MAX_FILE:
        return PagePart("fault", 1, f"the file is larger than {MAX_FILE >> 20} MB; all of it is left unread.")
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return PagePart("fault", line, "a NUL byte: this is not UTF-8 text; the whole file is left unread.")
    return None


def _lines(data: bytes) -> tuple[list[str], list[PagePart]]:
    """Return every line as text, and a fault for each that is not UTF-8, which is left empty."""
    data = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    lines: list[str] = []
    faults: list[PagePart] = []
    for number, raw in enumerate(data.split(b"\n"), 1):
        try:
            lines.append(raw.decode())
        except UnicodeDecodeError:
            faults.append(PagePart("fault", number, "not UTF-8; the line is left unread."))
            lines.append("")
    return lines, faults


_FENCE = re.compile(r"\s*(`{3,}|~{3,})([^`]*)")


def _outside_comments(lines: list[str]) -> Iterator[PagePart]:
    """Yield fences as a whole and all other lines as prose, without the text in comments."""
    fence: PagePart | None = None
    marker = ""
    commented = 0  # the line where an open comment began
    for number, line in enumerate(lines, 1):
        if fence:
            if _closes(line, marker):
                yield fence
                fence = None
            else:
                fence.body.append(line)
            continue
        line, is_open = _uncommented(line, bool(commented))
        commented = (commented or number) if is_open else 0
        if opening := _FENCE.fullmatch(line):
            marker = opening[1]
            fence = PagePart("fence", number, " ".join(opening[2].lower().split()))
        else:
            yield PagePart("prose", number, line)
    for start, what, body in ((fence.line, "fence", fence.body) if fence else (0, "", []), (commented, "comment", [])):
        if start:
            text = f"a {what} opens here and never closes; all below is left unread."
            yield PagePart("fault", start, text, body=body)


def _closes(line: str, marker: str) -> bool:
    line = line.strip()
    return line.startswith(marker) and not line.strip(marker[0])


def _uncommented(line: str, inside: bool) -> tuple[str, bool]:
    """Return a line without the text in comments, and whether one is still open at its end."""
    kept, start = [], 0
    for mark in re.finditer("<!--|-->", line):
        if inside == (mark[0] == "-->"):
            kept += [] if inside else [line[start : mark.start()]]
            inside, start = not inside, mark.end()
    return "".join(kept) + ("" if inside else line[start:]), inside


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_BULLET = re.compile(r"\s*(?:[-*+•–—]|[0-9]{1,9}[.)])\s+(\S.*)")
_RULE = re.compile(r"\s*([-*_=])(?:\s*\1)*\s*")
_PLAIN = re.compile(r"\s*[^\s>|#]")


def _shaped(lines: Iterator[PagePart]) -> Iterator[PagePart]:
    """Turn lines into headings, bullets with the lines they run on over, and prose."""
    waiting: PagePart | None = None  # what the next line may still change
    for line in lines:
        part = _part(line)
        if waiting and waiting.kind == "prose" and line.kind == "prose" and _UNDERLINE.fullmatch(line.text):
            waiting.kind, waiting.depth = "heading", 1 if "=" in line.text else 2
        elif waiting and waiting.kind == "bullet" and part and part.kind == "prose":
            waiting.text += f" {part.text}" if len(waiting.text) < _LONG else ""
        else:
            if waiting:
                yield waiting
            waiting = part
    if waiting:
        yield waiting


def _part(line: PagePart) -> PagePart | None:
    if line.kind != "prose":
        return line
    if heading := _HEADING.fullmatch(line.text):
        return PagePart("heading", line.line, heading[2] or "", len(heading[1]))
    if _RULE.fullmatch(line.text) or not _PLAIN.match(line.text):
        return None
    if bullet := _BULLET.fullmatch(line.text):
        return PagePart("bullet", line.line, bullet[1].strip())
    return PagePart("prose", line.line, line.text.strip())


# YAML


class YamlNode(NamedTuple):
    """A node of a YAML text, and the line that it begins on."""

    kind: Literal["text", "map", "list"]
    value: Any  # text, pairs of nodes, or nodes
    line: int
    quoted: bool = False


class Misread(Exception):
    """The error for a YAML text that cannot be read, with the line of the fault."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line


def yaml_nodes(body: str, start: int) -> YamlNode:
    """Return YAML as nodes whose scalars stay text.

    Raises Misread for what is no YAML, and for what nobody would write by hand: anchors, tags or deep nesting.
    """
    import yaml  # slow to import, and most pages leave their block empty

    if odd := re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]", body):
        raise Misread(start + body.count("\n", 0, odd.start()), "a control character")
    try:
        events = list(yaml.parse(body, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line if mark else 0, body.count("\n"))
        raise Misread(start + line, f"not YAML ({error.problem or error.context})") from None
    except (yaml.YAMLError, ValueError, RecursionError, MemoryError):
        raise Misread(start, "not YAML") from None
    _check_plain(events, start)
    content = iter(events[2:-2])
    return _node(next(content, None), content, start)


def _check_plain(events: list[Any], start: int) -> None:
    depth = documents = 0
    for event in events:
        line = start + event.start_mark.line
        name = type(event).__name__
        depth += name in ("MappingStartEvent", "SequenceStartEvent")
        depth -= name in ("MappingEndEvent", "SequenceEndEvent")
        documents += name == "DocumentStartEvent"
        if getattr(event, "anchor", None):
            raise Misread(line, "anchors and aliases are not read here")
        if getattr(event, "tag", None):
            raise Misread(line, f"the tag {shown(event.tag)} is not read here")
        if depth > _MAX_DEPTH:
            raise Misread(line, "nested too deep")
        if documents > 1:
            raise Misread(line, "a second document")


def _node(event: Any, rest: Iterator[Any], start: int) -> YamlNode:
    if event is None:
        return YamlNode("text", "", start)
    name, line = type(event).__name__, start + event.start_mark.line
    if name == "ScalarEvent":
        return YamlNode("text", event.value, line, quoted=not event.implicit[0])
    children = []
    for child in rest:
        if type(child).__name__ in ("MappingEndEvent", "SequenceEndEvent"):
            break
        children.append(_node(child, rest, start))
    if name == "SequenceStartEvent":
        return YamlNode("list", children, line)
    return YamlNode("map", list(zip(children[::2], children[1::2], strict=True)), line)
