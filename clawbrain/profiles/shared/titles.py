"""Memories known by a free title or by a uid, for callers from other servers that know no file names.

The header holds the title as it was given; the file gets the nearest name that is still free.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from uuid import UUID, uuid5

from ...errors import AlreadyExists, NotFound
from ...memory import model as memories
from ...memory.model import Memory, shown

if TYPE_CHECKING:
    from ...brain import Brain

_OURS = UUID("6b1c3f0e-4a51-5a44-9d0c-3a9d1f6f2b7e")  # the space of uids made from ids, which nouns.json names too
_LONGEST = 60  # letters of a title in a file name


def made_uid(*words: str) -> str:
    """Return a uid made from the words; the same words make the same uid everywhere."""
    return str(uuid5(_OURS, "\n".join(words)))


def uid(memory: Memory) -> str:
    """Return the uid in the header or, without one, the uid made from the id."""
    own = memory.extra.get("uid")
    return own if isinstance(own, str) and own else made_uid(memory.id)


def title(memory: Memory) -> str:
    """Return the title in the header or, without one, the file's name."""
    own = memory.extra.get("title")
    return own if isinstance(own, str) else memory.name


class Titles:
    """The memories of a brain by title and uid."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def url(self, memory: Memory, public_url: str = "") -> str:
        """Return an address that names a memory: below `public_url`, or that of its file where this is ''."""
        if public_url:
            return f"{public_url}/viewer/memories/{quote(memory.id, safe='')}"
        return self.brain.file_of(memory).as_uri()

    def keep(self, type: str, title: str, content: str, **words: Any) -> Memory:
        """Store a memory under the nearest free name, made from the title or from `name`, with `mark` behind it."""
        self.brain.may_write()
        self.brain.sync()
        with self.brain.locked():
            memory = self.put(type, title, content, **words)
        if not memory.kind:
            self.brain.conflicts.notice(memory)
        return memory

    def put(
        self,
        type: str,
        title: str,
        content: str,
        *,
        name: str = "",
        mark: str = "",
        category: str | None = None,
        tags: Sequence[str] = (),
        extra: Mapping[str, Any] = MappingProxyType({}),
    ) -> Memory:
        """Store like `keep`, but look for no contradictions. The caller has synced and holds the lock."""
        now, extra = self.brain.clock(), {"title": title, **extra}
        memory = memories.new(type, "untitled", content, now=now, category=category, extra=extra)
        stem = "-".join(filter(None, [memories.kebab(name) or file_stem(title), mark]))
        memory = replace(memory, name=stem, tags=memories.check_free_tags(tags))
        for free in self._free(memory):
            try:
                return self.brain.create(free)
            except AlreadyExists:
                continue  # a file that is no memory has this name
        raise AssertionError("there is always another number")

    def _free(self, memory: Memory) -> Iterator[Memory]:
        """Yield the memory under its name and then under numbered names, leaving out ids and paths that are taken."""
        number, listed = 1, self.brain.listed
        while True:
            name = memory.name if number == 1 else f"{memory.name}-{number}"
            path = memories.make_path(memory.type, memory.category, name)
            id = memories.make_id(memory.type, memory.category, name)
            if not listed.get(id) and not listed.at(path):
                yield replace(memory, id=id, name=name, path=path)
            number += 1

    def find(self, reference: str) -> Memory:
        """Return the memory of a uid, an id or a path."""
        self.brain.sync()
        found = self.brain.known(reference) or self._by_uid(reference)
        return found or self.brain.find(reference)

    def _by_uid(self, reference: str) -> Memory | None:
        """Return the memory of a uid in any of the forms in which one may be written."""
        try:
            return self.brain.known(str(UUID(reference)))
        except ValueError:
            return None

    def titled(self, title: str, key: str, value: str | None = None) -> Memory:
        """Return the newest memory of a title whose header has a key (with a value, if given), or raise NotFound."""
        for memory in reversed(self.brain.having(key, value)):
            if memory.extra.get("title") == title:
                return memory
        raise NotFound(f"{shown(title)} is not found.")


def file_stem(title: str) -> str:
    """Return a file name made from a title; letters without a plain spelling stay as they are."""
    stem = memories.slug(title)
    if not stem:
        return f"untitled-{memories.digest(title.encode())[:8]}"
    return memories.kebab(stem, _LONGEST) if stem.isascii() else stem[: _LONGEST // 2].strip("-")
