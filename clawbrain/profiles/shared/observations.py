"""Observations about something, written as the body of its memory: a heading with its name and a bullet for each.

The further lines of a bullet are indented by two spaces, so that every text is read back exactly as it was given. Text
that people add in between stays in its place, and each paragraph of it counts as an observation too.
"""

import re
from collections.abc import Collection, Iterable
from typing import NamedTuple

from ...memory.markdown import one_line


class Observation(NamedTuple):
    """The text of an observation and the range of lines it occupies."""

    text: str
    start: int
    end: int


def written(name: str, observations: Iterable[str]) -> str:
    """Return the body of a memory for a name and its observations."""
    return added(f"# {one_line(name)}", observations)


def read(content: str) -> list[Observation]:
    """Return the observations in a body, in order, with the lines they occupy."""
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
    """Return the texts of the observations in a body."""
    return [observation.text for observation in read(content)]


def added(content: str, observations: Iterable[str]) -> str:
    """Return the body with these observations added as bullets at its end."""
    bullets = [_bullet(text) for text in observations]
    if not bullets:
        return content
    apart = "\n" if content.rpartition("\n")[2][:1] in ("-", " ") else "\n\n"
    return content + apart + "\n".join(bullets)


def without(content: str, unwanted: Collection[str]) -> str:
    """Return the body without the observations of these texts."""
    lines = content.split("\n")
    for observation in reversed(read(content)):
        if observation.text in unwanted:
            del lines[observation.start : observation.end]
    return "\n".join(lines)


def _end(lines: list[str], at: int) -> int:
    """Return the line after a bullet or a paragraph; a blank line belongs to a bullet only when more of it follows."""
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
    """Escape NUL, which a file must not hold, and carriage returns, which would be read as line ends."""
    text = re.sub(r"&(?=#0;|#13;|amp;)", "&amp;", text)
    return text.replace("\0", "&#0;").replace("\r", "&#13;")


def _decoded(text: str) -> str:
    text = text.replace("&#0;", "\0").replace("&#13;", "\r")
    return re.sub(r"&amp;(?=#0;|#13;|amp;)", "&", text)
