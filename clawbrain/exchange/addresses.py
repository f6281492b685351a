"""The names by which the links of a source call its memories, and the links as they are spelled here."""

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..memory import links, wikilinks
from ..memory.links import Link
from ..memory.model import Memory
from ..memory.wikilinks import Wikilink
from . import markdown
from .draft import Draft


class Addresses:
    """The memories that the names of a source lead to: found as written first, then without regard to case.

    Of several notes with one name the one that lies least deep is meant.
    """

    def __init__(self, met: Sequence[tuple[Draft, Memory]]) -> None:
        self._exact: dict[str, str] = {}
        self._folded: dict[str, str] = {}
        self._memories = {memory.id: memory for _, memory in reversed(met)}
        self._names = Counter(memory.name for memory in self._memories.values())
        for draft, memory in sorted(met, key=lambda each: _depth(each[0])):
            for name in _names(draft):
                self._exact.setdefault(name, memory.id)
                self._folded.setdefault(name.casefold(), memory.id)

    def id_of(self, target: str, folder: str | None = None) -> str | None:
        """Return the id of the memory that a name leads to, for a note in `folder`; None where there is none."""
        for name in _readings(target, folder):
            if id := self._exact.get(name) or self._folded.get(name.casefold()):
                return id
        return None

    def spelled(self, draft: Draft, memory: Memory) -> Memory:
        """Return a draft's memory with its links, in the text and in foreign keys, as they lead to files here."""

        def change(link: Wikilink) -> str | None:
            return self._spelled(link, draft.folder)

        content = wikilinks.rewritten(memory.content, change)
        if draft.folder is not None:
            content = markdown.with_file_links(content, draft.folder, lambda target: self._path(target, memory))
        ours = {*draft.extra, "origin"}
        extra = {key: value if key in ours else _in_value(value, change) for key, value in memory.extra.items()}
        return replace(memory, content=content, extra=extra)

    def _spelled(self, link: Wikilink, folder: str | None) -> str | None:
        """Return a link as it leads to the file its target became, or None where it stays as it is."""
        memory = self._memories.get(self.id_of(link.target, folder) or "")
        if memory is None or memory.name == link.target:
            return None
        target = memory.name if self._names[memory.name] == 1 else memory.path.removesuffix(".md")
        return link.text(target, link.label if link.label or link.embedded else link.target)

    def _path(self, target: str, memory: Memory) -> str | None:
        """Return the path from a memory's file to the one that a file of the source became."""
        led_to = self._memories.get(self.id_of(target) or "")
        return posixpath.relpath(led_to.path, posixpath.dirname(memory.path)) if led_to else None

    def links(self, draft: Draft, memory: Memory) -> tuple[list[Link], int]:
        """Return a draft's ties as links, each once, and the number of those that lead to no memory."""
        found: dict[tuple[str, str], Link] = {}
        unmet = 0
        for tie in draft.ties:
            target = self.id_of(tie.target, draft.folder)
            if target == memory.id and tie.relation in ("links_to", "embeds"):
                continue  # a note that mentions itself
            if not target:
                ours = bool(draft.id) or links.name_in(tie.target) is not None
                target = tie.target if ours else links.named(tie.target)
                unmet += (tie.relation, target) not in found and not ours
            if tie.relation and target:
                link = Link(tie.relation, target, tie.strength, tie.start, tie.until, tie.made)
                found.setdefault((tie.relation, target), link)
        return list(found.values()), unmet


def _depth(draft: Draft) -> int:
    return len(draft.folder.split("/")) if draft.folder else 0


def _names(draft: Draft) -> Iterator[str]:
    """Yield what the links of the source may call a draft; a note also by each ending of its path."""
    for name in (draft.origin, *draft.known_as):
        if name:
            yield name
    if draft.folder is not None:
        for name in draft.known_as:
            parts = name.split("/")
            yield from ("/".join(parts[start:]) for start in range(1, len(parts)))


def _readings(target: str, folder: str | None) -> Iterator[str]:
    """Yield the names that a link's target may mean: itself and, in a note, the path it leads to from its folder."""
    yield target
    name = target.removesuffix(".md")
    yield name
    if folder is not None and name.startswith(("./", "../", "/")):
        yield posixpath.normpath(posixpath.join(folder, name) if name[0] == "." else name.lstrip("/"))


def _in_value(value: Any, change: Callable[[Wikilink], str | None]) -> Any:
    """Return the value of a header's key with its links changed."""
    if isinstance(value, str):
        return wikilinks.rewritten(value, change)
    if isinstance(value, list):
        return [_in_value(each, change) for each in value]
    if isinstance(value, dict):
        return {key: _in_value(each, change) for key, each in value.items()}
    return value
