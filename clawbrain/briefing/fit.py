"""Fit groups into a budget: as many whole lines as there is room for, and a count of those that are left out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..memory.model import Memory
from .groups import Group
from .lines import BriefingLine, line_of


class Layout(NamedTuple):
    """The look of a page: its headings, the unit of its budget, and whether a group may take but half of the rest."""

    heading: str
    size: Callable[[str], int]
    halved: bool


class Section(NamedTuple):
    """A heading with its lines, and a line that counts what is left out ('' for nothing)."""

    title: str
    lines: Sequence[BriefingLine]
    more: str


def fitted(groups: Sequence[Group], memories: Mapping[str, Memory], room: int, layout: Layout) -> list[Section]:
    """Return the sections of these groups that fit into the room; each keeps enough of it to count those after it."""
    sections = []
    for number, group in enumerate(groups):
        kept = sum(_smallest(other, layout) for other in groups[number + 1 :])
        allowed = max(0, room - kept)
        section = _section(group, memories, allowed if group.greedy or not layout.halved else allowed // 2, layout)
        cost = cost_of([section], layout)
        if cost <= room:
            sections.append(section)
            room -= cost
    return [section for section in sections if section.lines or section.more]


def cost_of(sections: Sequence[Section], layout: Layout) -> int:
    """Return the size of these sections on the page."""
    return layout.size(text_of(sections, layout))


def text_of(sections: Sequence[Section], layout: Layout) -> str:
    """Return the sections as they stand on the page."""
    return "".join(
        layout.heading.format(section.title) + "".join(line.text for line in section.lines) + section.more
        for section in sections
    )


def _section(group: Group, memories: Mapping[str, Memory], allowed: int, layout: Layout) -> Section:
    """Return a group's section with as many of its lines as are allowed, up to the first that does not fit."""
    lines: list[BriefingLine] = []
    used = layout.size(layout.heading.format(group.title))
    for line in _lines(group, memories):
        used += layout.size(line.text)
        if used + layout.size(_more(group, len(lines) + 1)) > allowed:
            break
        lines.append(line)
    return Section(group.title, lines, _more(group, len(lines)))


def _lines(group: Group, memories: Mapping[str, Memory]) -> Iterator[BriefingLine]:
    for id in group.ids:
        if id in memories:
            yield line_of(memories[id], group.dated)
    for note in group.notes:
        yield BriefingLine("", f"- {note}\n")


def _more(group: Group, shown: int) -> str:
    """Return the line that counts what a group does not show, or '' where it shows everything."""
    left = group.total - shown
    if left <= 0:
        return ""
    noun = group.one if left == 1 else group.several
    return f"- and {left} more {noun}: memory_search\n" if shown else f"- {left} {noun}: memory_search\n"


def _smallest(group: Group, layout: Layout) -> int:
    """Return the size of a group that shows nothing but its count."""
    return cost_of([Section(group.title, (), _more(group, 0))], layout)
