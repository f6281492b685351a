"""The parts of the agent's persona: the headings of entities/persona/self.md, a page that people edit as well.

`## Inner world` and `# inner_world` name the same part; text outside the part that is written stays as it was.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from ...memory import model as memories
from ...memory.model import Memory, kebab
from ..shared.store import store_uid
from .pages import Written

if TYPE_CHECKING:
    from ...brain import Brain

PARTS = ("personality", "voice", "values", "backstory", "inner_world", "examples")
PATH = "entities/persona/self.md"
PERSONA = "persona"
_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t#]*")
_ESCAPED = re.compile(r"^\\(?=\\*#{1,6}[ \t])", re.MULTILINE)


class Souls:
    """The persona page of a brain, read and written part by part."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def page(self) -> Memory | None:
        """Return the persona page, read from its file, or None."""
        self.brain.sync()
        page = self.brain.listed.at(PATH)
        return self.brain.read(page) if page else None

    def parts(self) -> dict[str, str]:
        """Return the text of each part that is written."""
        page = self.page()
        return {part: text for part in PARTS if (text := part_of(page.content, part))} if page else {}

    def write(self, part: str, change: Callable[[str], str], *, as_read: bool = False) -> Written:
        """Change the text of a part. An empty text removes its heading; removing the last part archives the page."""
        brain = self.brain
        brain.may_write()
        brain.sync()
        with brain.locked():
            page = brain.listed.at(PATH)
            if page is None:
                return _written(self._begin(with_part("", part, change(""))), part, "")
            before = part_of(page.content, part)
            if not with_part(page.content, part, change(before)).strip():
                brain.archive(page.id)
                return Written(page, before, "")
            return _written(brain.amend(page.id, _changing(part, change), as_read=as_read), part, before)

    def _begin(self, text: str) -> Memory:
        """Create the page at its fixed path, because a page under any other name would never be read."""
        extra = {"title": "self", "kind": PERSONA, "uid": str(uuid4())}
        now = self.brain.clock()
        return self.brain.create(memories.new("entity", "self", text, category=PERSONA, now=now, extra=extra))

    def name(self) -> str:
        """Return the name of the agent, from the page's header or its first heading, or ''."""
        page = self.page()
        if page is None:
            return ""
        own = page.extra.get("name")
        heading = _HEADING.fullmatch(page.content.split("\n", 1)[0])
        called = heading[2] if heading and len(heading[1]) == 1 and _part(heading[2]) not in PARTS else ""
        return own if isinstance(own, str) and own else called

    def model(self) -> str:
        """Return the model that the page's header recommends, or ''."""
        page = self.page()
        model = page.extra.get("model") if page else ""
        return model if isinstance(model, str) else ""

    def store_uid(self) -> str:
        """Return the uid of this store, which stays the same wherever the store is moved with its ledger."""
        return store_uid(self.brain)


def _changing(part: str, change: Callable[[str], str]) -> Callable[[Memory], Memory]:
    return lambda now: replace(now, content=with_part(now.content, part, change(part_of(now.content, part))))


def _written(memory: Memory, part: str, before: str) -> Written:
    return Written(memory, before, part_of(memory.content, part))


def part_of(content: str, part: str) -> str:
    """Return the text of a part of the page, or ''."""
    lines = content.split("\n")
    start, end = _place(lines, part)
    return _ESCAPED.sub("", "\n".join(lines[start + 1 : end])).strip("\n") if end else ""


def with_part(content: str, part: str, text: str) -> str:
    """Return the page with another text for a part, or without the part when the text is empty."""
    lines = content.split("\n")
    start, end = _place(lines, part)
    level = len(lines[start]) - len(lines[start].lstrip("#")) if end else 2
    text = "\n".join(_guarded(line, level) for line in text.strip("\n").split("\n"))
    if not end:
        heading = f"## {part.replace('_', ' ').capitalize()}"
        return f"{content.rstrip()}\n\n{heading}\n\n{text}".lstrip("\n") if text else content
    below = [lines[start], "", *text.split("\n")] if text else []
    rest = lines[end:]
    return "\n".join([*lines[:start], *below, *([""] if below and rest else []), *rest]).strip("\n")


def _place(lines: list[str], part: str) -> tuple[int, int]:
    """Return the line of a part's heading and the line after its end, or (0, 0) when there is no such part."""
    level = start = 0
    for number, line in enumerate(lines):
        heading = _HEADING.fullmatch(line)
        if heading and level and (len(heading[1]) <= level or _part(heading[2]) in PARTS):
            return start, number
        if heading and not level and _part(heading[2]) == part:
            level, start = len(heading[1]), number
    return (start, len(lines)) if level else (0, 0)


def _part(heading: str) -> str:
    return kebab(heading).replace("-", "_")


def _guarded(line: str, level: int) -> str:
    """Put a backslash before a line of a text that would end its part."""
    heading = _HEADING.fullmatch(line.lstrip("\\"))
    escaped = line.startswith("\\") and heading
    ends = heading and (len(heading[1]) <= level or _part(heading[2]) in PARTS)
    return f"\\{line}" if ends or escaped else line
