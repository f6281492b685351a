"""The parts of a markdown note that say something to more than its reader: header, tags, links.

Code is no text here: a '#include' in a fence is no tag, a '[[ -f x ]]' in a span no link.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..memory import header
from ..memory.header import Unreadable
from ..memory.model import moment, stamp
from .draft import Gaps

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_TAG = re.compile(r"(?<![\w/&#])#([\w/-]*[^\W\d_][\w/-]*)")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n|#^]*)(?:[#^][^\[\]\n|]*)?(?:\|[^\[\]\n]*)?\]\]")


class Wikilink(NamedTuple):
    target: str
    embedded: bool
    start: int
    end: int


def take_apart(text: str, where: str, gaps: Gaps) -> tuple[Mapping[str, Any], str, int]:
    """The header's values, the body, and on which line the body begins."""
    text = text.replace("\r\n", "\n")
    try:
        parts = header.take_apart(text)
        values = header.read(parts.head)
    except Unreadable as fault:
        gaps(where, f"{fault}; only its text was taken")
        closed = re.match(r"---[ \t]*\n.*?^---[ \t]*$\n?", text, re.DOTALL | re.MULTILINE)
        values, body = {}, text[closed.end() :] if closed else text.removeprefix("---")
    else:
        body = parts.body
    line = text[: len(text) - len(body)].count("\n") + 1
    return values, body, line


def prose(body: str, first: int = 1) -> Iterator[tuple[int, str]]:
    """The lines that are not code, numbered, with code spans blanked."""
    fence = ""
    for number, line in enumerate(body.split("\n"), first):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield number, _SPAN.sub(lambda span: " " * len(span[0]), line) if "`" in line else line


def wikilinks(line: str) -> list[Wikilink]:
    found = (Wikilink(link[2].strip(), bool(link[1]), link.start(), link.end()) for link in _WIKILINK.finditer(line))
    return [link for link in found if link.target]


def unclosed(line: str) -> bool:
    return "[[" in _WIKILINK.sub("", line)


def inline_tags(line: str) -> list[str]:
    return [tag.strip("/-") for tag in _TAG.findall(line)] if "#" in line else []


def nested(tag: str) -> list[str]:
    """A nested tag is also what it is nested in: 'work/web' is found under 'work'."""
    parts = [part for part in tag.split("/") if part]
    return ["-".join(parts[: length + 1]) for length in range(len(parts))]


def words(value: Any) -> list[str]:
    """A list of words, however it was written: a list, or one line with commas or spaces between."""
    if isinstance(value, str):
        value = value.split(",") if "," in value else value.split()
    return [str(word).strip().lstrip("#") for word in value if str(word).strip()] if isinstance(value, list) else []


def date(values: Mapping[str, Any], keys: Sequence[str], where: str, gaps: Gaps) -> str:
    """The first of these keys that holds a date."""
    for key in keys:
        text = values.get(key)
        if not text or not isinstance(text, str):
            continue
        try:
            return stamp(moment(text.strip()))
        except (ValueError, OverflowError):
            gaps(where, f"`{key}: {text[:40]}` is not a date")
    return ""


def sections(body: str) -> list[tuple[str, str]]:
    """A text cut at its second-level headings: (heading, text with the heading); what stands before has none."""
    lines, starts = body.split("\n"), [0]
    starts += [number for number, line in prose(body, 0) if re.match(r"## +\S", line) and number]
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        first = lines[start]
        heading = first[3:].strip(" #") if first.startswith("## ") else ""
        found.append((heading, "\n".join(lines[start:end]).strip("\n")))
    return [(heading, text) for heading, text in found if text.strip()]
