"""Parsing of markdown notes: header, tags and dates. Code is left out: a '#include' in a fence is no tag."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..memory import header
from ..memory.header import Unreadable
from ..memory.markdown import prose as lines_of_prose
from ..memory.model import moment, stamp
from ..memory.wikilinks import without_spans
from .draft import Gaps

_TAG = re.compile(r"(?<![\w/&#])#([\w/-]*[^\W\d_][\w/-]*)")


def take_apart(text: str, where: str, gaps: Gaps) -> tuple[Mapping[str, Any], str, int]:
    """Return the header's values, the body, and the number of the body's first line."""
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
    """Yield the numbered lines of a text, with code blanked."""
    for number, line in enumerate(lines_of_prose(body.split("\n")), first):
        yield number, without_spans(line)


def inline_tags(line: str) -> list[str]:
    """Return the `#tags` in a line."""
    return [tag.strip("/-") for tag in _TAG.findall(line)] if "#" in line else []


def nested(tag: str) -> list[str]:
    """Return a nested tag with the tags it is nested in: 'work/web' is also found under 'work'."""
    parts = [part for part in tag.split("/") if part]
    return ["-".join(parts[: length + 1]) for length in range(len(parts))]


def words(value: Any) -> list[str]:
    """Return a list of words that was written as a list, or as one line with commas or spaces between."""
    if isinstance(value, str):
        value = value.split(",") if "," in value else value.split()
    return [str(word).strip().lstrip("#") for word in value if str(word).strip()] if isinstance(value, list) else []


def date(values: Mapping[str, Any], keys: Sequence[str], where: str, gaps: Gaps) -> str:
    """Return the first date that one of these keys holds, or '', and note values that are no date."""
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
    """Cut a text at its second-level headings: (heading, text with the heading); text before the first has none."""
    lines, starts = body.split("\n"), [0]
    starts += [number for number, line in prose(body, 0) if re.match(r"## +\S", line) and number]
    found = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        first = lines[start]
        heading = first[3:].strip(" #") if first.startswith("## ") else ""
        found.append((heading, "\n".join(lines[start:end]).strip("\n")))
    return [(heading, text) for heading, text in found if text.strip()]
