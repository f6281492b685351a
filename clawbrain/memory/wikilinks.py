"""Links in a memory's text, `[[name]]`, `[[name#heading|label]]` or `![[name]]`, as Obsidian and others write them.

A name is that of a memory's file, its path (`people/alice-chen`), its id, its title or one of its aliases. What stands
in code is no link.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from .links import Edge, Link
from .markdown import prose
from .model import Memory

RELATION = "links_to"
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]\n|#^]*?)((?:[#^][^\[\]\n|]*?)?)(?:(\\?\|)([^\[\]\n]*))?\]\]")
_ROW = re.compile(r"[\s>]*\|")  # the beginning of a table's row, where the bar of a link is written `\|`


class Wikilink(NamedTuple):
    """A link in a line, with its place there."""

    target: str
    anchor: str  # '#heading' or '^block', or ''
    label: str | None
    embedded: bool
    start: int
    end: int
    bar: str = "|"  # before the label

    def text(self, target: str, label: str | None) -> str:
        """Return the link as it is written with another target and label."""
        said = "" if label is None else f"{self.bar}{label}"
        return f"{'!' * self.embedded}[[{target}{self.anchor}{said}]]"


def in_line(line: str) -> list[Wikilink]:
    """Return the links in a line without code that have a target."""
    bar = r"\|" if _ROW.match(line) else "|"
    found = (
        Wikilink(link[2].strip(), link[3], link[5], bool(link[1]), *link.span(), link[4] or bar)
        for link in _WIKILINK.finditer(line)
    )
    return [link for link in found if link.target]


def without_spans(line: str) -> str:
    """Return a line with its code spans blanked."""
    return _SPAN.sub(lambda span: " " * len(span[0]), line) if "`" in line else line


def is_unclosed(line: str) -> bool:
    """Tell whether a line holds a `[[` that is not closed."""
    return "[[" in _WIKILINK.sub("", line)


def in_text(text: str) -> list[Wikilink]:
    """Return the links in a text, from its beginning to its end."""
    lines = prose(text.split("\n")) if "[[" in text else ()
    return [link for line in lines for link in in_line(without_spans(line))]


def rewritten(text: str, change: Callable[[Wikilink], str | None]) -> str:
    """Return a text in which each link that `change` gives other words for is written so."""
    if "[[" not in text:
        return text
    lines = text.split("\n")
    for number, line in enumerate(prose(lines)):
        for link in reversed(in_line(without_spans(line))):
            new = change(link)
            if new is not None:
                lines[number] = lines[number][: link.start] + new + lines[number][link.end :]
    return "\n".join(lines)


class LinkNames:
    """The memories of a store by all names that a link may call them.

    Of several with one name the one whose path is shortest is meant, and of equal paths the first, as in Obsidian.
    """

    def __init__(self, memories: Iterable[Memory]) -> None:
        self._exact: dict[str, str] = {}
        self._folded: dict[str, str] = {}
        for memory in sorted(memories, key=lambda memory: (memory.path.count("/"), len(memory.path), memory.path)):
            for name in _names(memory):
                self._exact.setdefault(name, memory.id)
                self._folded.setdefault(name.casefold(), memory.id)

    def id_of(self, target: str) -> str | None:
        """Return the id of the memory that a link's target means, or None."""
        name = target.removesuffix(".md").strip("/")
        return self._exact.get(name) or self._folded.get(name.casefold())


def _names(memory: Memory) -> Iterator[str]:
    """Yield what a memory may be called: its id, its path and each ending of it, its title and its aliases."""
    yield memory.id
    parts = memory.path.removesuffix(".md").split("/")
    for start in range(len(parts)):
        yield "/".join(parts[start:])
    aliases = memory.extra.get("aliases", ())
    for name in (memory.extra.get("title"), *(aliases if isinstance(aliases, list | tuple) else (aliases,))):
        if isinstance(name, str) and name:
            yield name


def edges(memories: Iterable[Memory], names: LinkNames) -> list[Edge]:
    """Return the links in the texts of memories that lead to another memory, each pair once."""
    found: Mapping[tuple[str, str], Edge] = {
        (memory.id, target): Edge(memory.id, target, Link(RELATION, target))
        for memory in memories
        for link in in_text(memory.content)
        if (target := names.id_of(link.target)) and target != memory.id
    }
    return list(found.values())


def all_edges(held: Iterable[Edge], mentioned: Iterable[Edge]) -> list[Edge]:
    """Return the links of headers and of texts; a link in a text between two that a header joins is left out."""
    kept = list(held)
    joined = {(edge.source, edge.target) for edge in kept}
    return [*kept, *(edge for edge in mentioned if (edge.source, edge.target) not in joined)]
