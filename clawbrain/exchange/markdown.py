"""Parsing of markdown notes: header, tags, dates and links between files.

Code is left out: a '#include' in a fence is no tag.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

from ..memory import header
from ..memory.header import Unreadable
from ..memory.markdown import prose as lines_of_prose
from ..memory.model import moment, stamp
from ..memory.wikilinks import without_spans
from .draft import Gaps

_TAG = re.compile(r"(?<!\S)#([\w/-]*[^\W\d_][\w/-]*)")
_FILE_LINK = re.compile(r"(?<!!)\[[^\[\]\n]*\]\((?!\w+:)<?([^()<>\n#]+\.md)(?:#[^()<>\n]*)?>?\)")


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


class FileLink(NamedTuple):
    """A link `[text](path.md)` to another file of the same folder, and the place of its path in the line."""

    target: str  # the file's path below the folder, without its ending
    start: int
    end: int


def file_links(line: str, folder: str) -> list[FileLink]:
    """Return the links in a line without code to other files, for a note that lies in `folder`."""
    found = []
    for link in _FILE_LINK.finditer(line) if "](" in line else ():
        path = unquote(link[1])
        below = path.lstrip("/") if path.startswith("/") else posixpath.join(folder, path)
        found.append(FileLink(posixpath.normpath(below).removesuffix(".md"), *link.span(1)))
    return found


def with_file_links(text: str, folder: str, change: Callable[[str], str | None]) -> str:
    """Return a text in which each link to a file for whose target `change` gives a path has that path."""
    lines = text.split("\n")
    for number, line in prose(text, 0):
        for link in reversed(file_links(line, folder)):
            if path := change(link.target):
                lines[number] = lines[number][: link.start] + path + lines[number][link.end :]
    return "\n".join(lines)


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
