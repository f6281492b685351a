"""Observations about something, as the body of its memory: a heading with its name, a bullet for each.

A bullet's further lines are indented by two spaces, so that every text comes back exactly as it was given. What
people add in between stays where it is, and a paragraph of theirs is an observation too.
"""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ...memory.markdown import one_line


class Observation(NamedTuple):
    """What is said, and the lines it stands on."""

    text: str
    start: int
    end: int


def written(name: str, observations: Iterable[str]) -> str:
    return added(f"# {one_line(name)}", observations)


def read(content: str) -> list[Observation]:
    lines = content.split("\n")
    found = []
    at = 1 if _is_heading(lines[0]) else 0
    while at < len(lines):
        end = _end(lines, at)
        if lines[at].startswith("-"):
            text = "\n".join([lines[at][2:], *(line[2:] for line in lines[at + 1 : end])])
            found.append(Observation(_decoded(text), at, end))
        elif lines[at].strip() and not _is_heading(lines[at]):
            found.append(Observation("\n".join(lines[at:end]), at, end))
        at = end
    return found


def texts(content: str) -> list[str]:
    return [observation.text for observation in read(content)]


def added(content: str, observations: Iterable[str]) -> str:
    bullets = [_bullet(text) for text in observations]
    if not bullets:
        return content
    apart = "\n" if content.rpartition("\n")[2][:1] in ("-", " ") else "\n\n"
    return content + apart + "\n".join(bullets)


def without(content: str, unwanted: Collection[str]) -> str:
    lines = content.split("\n")
    for observation in reversed(read(content)):
        if observation.text in unwanted:
            del lines[observation.start : observation.end]
    return "\n".join(lines)


def _end(lines: list[str], at: int) -> int:
    """Where a bullet or a paragraph ends: a blank line is part of a bullet only when more of it follows."""
    bullet, end = lines[at].startswith("-"), at + 1
    if not bullet:
        while lines[at].strip() and end < len(lines) and lines[end].strip() and not lines[end].startswith(("-", "#")):
            end += 1
        return end
    for number, line in enumerate(lines[at + 1 :], at + 1):
        if line.startswith("  "):
            end = number + 1
        elif line.strip():
            break
    return end


def _is_heading(line: str) -> bool:
    return bool(re.match(r"#+(?: |$)", line))


def _bullet(text: str) -> str:
    return "- " + _encoded(text).replace("\n", "\n  ")


def _encoded(text: str) -> str:
    """A file holds no NUL, and a carriage return at its end would be taken for a line's."""
    text = re.sub(r"&(?=#0;|#13;|amp;)", "&amp;", text)
    return text.replace("\0", "&#0;").replace("\r", "&#13;")


def _decoded(text: str) -> str:
    text = text.replace("&#0;", "\0").replace("&#13;", "\r")
    return re.sub(r"&amp;(?=#0;|#13;|amp;)", "&", text)
