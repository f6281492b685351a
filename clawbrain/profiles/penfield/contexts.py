"""Contexts: named sets of memories that can be restored later.

A context holds the memories its description names (`memory_id: ID`, `memory: 'some words of it'`) and those that fit
the description. It is an episode of the kind `context` that lists them for people in its text and by id in its header.
"""

import re
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from ...errors import AlreadyExists, Archived, NotFound
from ...memory import markdown
from ...memory.model import MAX_TAG, Memory, kebab, shown
from ...search.stop_words import stop_words_for
from ...words import terms, terms_but, word_pattern
from ..shared.links import STUB
from ..shared.titles import Titles, title

if TYPE_CHECKING:
    from ...brain import Brain

CONTEXT = "context"
HELD = "memories"
_REFERENCE = re.compile(
    r"\bmemory_id\s*:\s*[`\"']?(?P<id>[\w-]+)[`\"']?|\bmemory\s*:\s*(?:'(?P<one>[^'\n]+)'|\"(?P<two>[^\"\n]+)\")",
    re.IGNORECASE,
)
_ASKED, _FITTING, _ENOUGH = 200, 30, 0.25  # characters of the description, memories, relevance
_SAID = 0.6  # of the words of a phrase must occur in a memory for it to be the one that is meant
_MEMORIES = "Memories"


class Saved(NamedTuple):
    """The result of saving a context."""

    memory: Memory
    held: list[str]
    extracted: int
    unresolved: list[str]


class Contexts:
    """The contexts of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)

    def save(self, name: str, description: str = "") -> Saved:
        """Store a context with the memories its description names or fits; raise AlreadyExists for a taken name."""
        self.brain.may_write()
        name = self.brain.without_secrets(name)  # before a tag is made of it
        named = references(description)
        found = {reference: self._meant(reference, by_id) for reference, by_id in named.items()}
        held = list(dict.fromkeys([m.id for m in found.values() if m] + self._fitting(name, description)))
        with self.brain.locked():
            if any(title(known) == name for known in self.brain.listed.having("kind", CONTEXT)):
                raise AlreadyExists(f"Context name '{name}' already exists. Use a unique name.")
            memory = self._put(name, description, held)
        return Saved(memory, held, len(named), [reference for reference, one in found.items() if not one])

    def _put(self, name: str, description: str, held: list[str]) -> Memory:
        extra = {"kind": CONTEXT, "uid": str(uuid4()), "importance": "0.9", HELD: held}
        known = (self.brain.known(id) for id in held)
        rows = markdown.bullets(f"{title(memory)} (`{memory.id}`)" for memory in known if memory)
        text = markdown.written(name, description, {_MEMORIES: rows})
        tags = filter(None, ["checkpoint", CONTEXT, kebab(name, MAX_TAG)])
        return self.titles.put("episode", name, text, tags=list(tags), extra=extra)

    def _meant(self, reference: str, by_id: bool) -> Memory | None:
        """Return the memory that a reference means, by id or by words of its text, or None."""
        if by_id:
            try:
                return self.titles.find(reference)
            except (NotFound, Archived):
                return None
        wanted = set(terms(reference))
        for hit in self.brain.search(reference, limit=5, only=_is_content).hits:
            memory = self.brain.known(hit.id)
            if memory and len(wanted & set(terms(f"{title(memory)} {memory.content}"))) >= _SAID * len(wanted) > 0:
                return memory
        return None

    def _fitting(self, name: str, description: str) -> list[str]:
        """Return the ids of memories that fit the description; none when it only names memories ("A and B")."""
        said = _REFERENCE.sub(" ", description[:_ASKED]).strip() if description.strip() else name
        if not terms_but(stop_words_for(word_pattern(said).findall(said.lower())), said):
            return []
        ranked = self.brain.search(said, limit=_FITTING, only=_is_content, most=_FITTING)
        return [hit.id for hit in ranked.hits if hit.relevance >= _ENOUGH]

    def find(self, name: str) -> Memory:
        """Return the newest context of a name; raise NotFound without one."""
        for memory in self.all():
            if title(memory) == name:
                return memory
        raise NotFound(f"no context is named {shown(name)}; list_contexts shows what there is.")

    def held(self, memory: Memory) -> list[Memory]:
        """Return the memories of a context that still exist."""
        return [known for id in self.listed(memory) if (known := self.brain.known(id))]

    def listed(self, memory: Memory) -> list[str]:
        """Return the ids that a context's header lists."""
        held = memory.extra.get(HELD, [])
        return [id for id in held if isinstance(id, str)] if isinstance(held, list) else []

    def description(self, memory: Memory) -> str:
        """Return the description in a context's text."""
        return markdown.read(memory.content, [_MEMORIES])[0]

    def all(self, pattern: str = "") -> list[Memory]:
        """Return the contexts, newest first; with a pattern, those whose name contains these letters, in any case."""
        found = self.brain.having("kind", CONTEXT)[::-1]
        return [memory for memory in found if pattern.casefold() in title(memory).casefold()]


def references(description: str) -> dict[str, bool]:
    """Return what a description names, in order, each with whether it is an id."""
    found: dict[str, bool] = {}
    for match in _REFERENCE.finditer(description):
        found.setdefault(match["id"] or match["one"] or match["two"], bool(match["id"]))
    return found


def _is_content(memory: Memory) -> bool:
    return memory.kind not in (CONTEXT, STUB)
