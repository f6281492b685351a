"""Scenes as a store keeps them: told, found again, and grouped by theme.

The memories that share a theme form a cluster. Scenes wait for a patrol from when they are stored (`patrols`).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ...brain.results import Retrieved
from ...errors import NotFound, Pinned, Refused
from ...memory.model import Memory, shown
from ...words import content_terms, terms, terms_of, word_pattern
from ..shared.importance import importance
from ..shared.links import STUB
from ..shared.titles import Titles, made_uid, uid
from .scene import SCENE, Scene, checked, first_line, first_sentence, parts, short, words_in, written

if TYPE_CHECKING:
    from ...brain import Brain

WANTED = 2  # one reading of an archived memory counts as two requests, so that the next patrol restores it
MERGED, INTO = "merged_from", "merged_into"
"""The header keys of a merge: in the new scene the ids of the old ones, in each old one the id of the new one."""
REPLACED = "replaced_by"
"""The header key of a scene that others were told instead of: their uids."""

_LEAST = 0.05  # relevance
_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
LONGEST_TITLE = 80
_LONGEST_DIGEST, _LONGEST_QUERY = 200, 2_000
_MOST_NAMED = 20  # scenes that a replaced one names, for which its header has room


class Cluster(NamedTuple):
    """The memories that share a theme, newest first."""

    uid: str
    name: str
    memories: list[Memory]
    digest: str


class Found(NamedTuple):
    """A memory that a search found; `by_meaning` where it shares no word with the query, nor a word like one."""

    memory: Memory
    by_meaning: bool


class Scenes:
    """The scenes of a brain: tells and finds them."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)
        self.stored = True  # whether scenes may wait that no patrol has counted: here since this process began
        self._uses: dict[str, int] = {}  # the order in which this process used memories; dates count in seconds
        self._numbers = count(1)

    # Storing

    def keep(self, scenes: Iterable[Scene], instead_of: Collection[str] = ()) -> list[Memory]:
        """Store scenes, then archive the ones they replace, which name them; if any of them is invalid, nothing is
        changed."""
        brain = self.brain
        brain.may_write()
        told = [checked(self.without_secrets(scene)) for scene in scenes]
        old = [self._scene(reference) for reference in dict.fromkeys(instead_of)]
        with brain.locked():
            made = [self.put(scene) for scene in told]
            for memory in old:
                if made:
                    self.put_away(memory, REPLACED, [uid(each) for each in made[:_MOST_NAMED]])
                else:
                    brain.archive(memory.id)
            return made

    def put_away(self, memory: Memory, key: str, value: str | list[str]) -> None:
        """Archive a memory that lives on in others, which `key` of its header names. The caller holds the lock."""
        self.brain.amend(memory, lambda now: replace(now, extra={**now.extra, key: value}))
        self.brain.archive(memory.id)

    def without_secrets(self, scene: Scene) -> Scene:
        """Return a scene without secrets, before a title is cut from it: half a secret would not be known for one."""
        clean = self.brain.without_secrets
        return scene._replace(action=clean(scene.action), setting=clean(scene.setting), feeling=clean(scene.feeling))

    def _scene(self, reference: str) -> Memory:
        """Return the scene of a reference; raise Refused for any other memory and Pinned for a pinned one."""
        memory = self.titles.find(reference)
        if memory.kind != SCENE:
            raise Refused(f"{shown(reference)} is no scene; nothing was changed.")
        refuse_pinned(memory)
        return memory

    def put(self, scene: Scene, uid: str = "", title: str = "", **more: Any) -> Memory:
        """Store a scene, which was checked, under its first sentence or another title. The caller holds the lock."""
        self.stored = True
        extra = {"kind": SCENE, "uid": uid or str(uuid4()), **header(scene), **more}
        name = short(title or first_sentence(scene.action), LONGEST_TITLE)
        kept = {key: value for key, value in extra.items() if value}
        made = self.titles.put("episode", name, written(scene), tags=scene.themes, extra=kept)
        self._note_uses([made.id])
        return made

    # Reading

    def latest(self, most: int) -> list[Memory]:
        """Return the scenes and episodes of no special kind that were used or stored last, the latest first."""
        self.brain.sync()
        found = [m for m in self.brain.listed.memories("episode") if m.kind in (SCENE, "")]
        used, place = self._used(found), {memory.id: n for n, memory in enumerate(self.brain.in_order(found))}

        def order(memory: Memory) -> tuple[str, int, int]:
            return used[memory.id], self._uses.get(memory.id, 0), place[memory.id]

        return sorted(found, key=order, reverse=True)[:most]

    def opened(self, id: str) -> Retrieved:
        """Return a living memory with its credit, and count that it was used."""
        read = self.brain.retrieve(id)
        self._note_uses([id])
        return read

    def _note_uses(self, ids: Iterable[str]) -> None:
        """Note memories as stored or used now, in this order."""
        for id in ids:
            self._uses[id] = next(self._numbers)

    def _used(self, found: Collection[Memory]) -> dict[str, str]:
        """Return when each memory was last used, which is when it was made where nobody has used it."""
        credits = self.brain.credits([memory.id for memory in found])
        last = {id: entry.last_accessed or "" for id, entry in credits.items()}
        return {memory.id: max(last.get(memory.id, ""), memory.created) for memory in found}

    def clusters(self) -> list[Cluster]:
        """Return the clusters, largest first."""
        self.brain.sync()
        holders: dict[str, list[Memory]] = defaultdict(list)
        for memory in self.brain.in_order(m for m in self.brain.listed.memories() if m.kind != STUB)[::-1]:
            for tag in memory.tags:
                holders[tag].append(memory)
        found = [Cluster(made_uid("tag", tag), tag, held, _digest(held)) for tag, held in holders.items()]
        return sorted(found, key=lambda cluster: (-len(cluster.memories), cluster.name))

    def weighed(self, found: Collection[Memory]) -> list[Memory]:
        """Sort memories by importance, then by when they were last used, highest first."""
        used = self._used(found)
        return sorted(found, key=lambda memory: (importance(memory), used[memory.id]), reverse=True)

    def search(self, query: str, limit: int, *, all_words: bool = False) -> list[Found]:
        """Return the memories that fit a query best; with `all_words`, only those that hold every word of it."""
        asked = _asked(query) if all_words else []
        return self._found(query, limit, lambda memory: memory.kind != STUB and _has_all(memory, asked))

    def recalled(self, message: str, limit: int = 3) -> list[Memory]:
        """Return the memories that a message calls to mind, scenes before others, and count that they were used."""
        found = self._found(message, limit, lambda memory: memory.kind == SCENE)
        if len(found) < limit:
            found += self._found(message, limit - len(found), lambda memory: memory.kind not in (SCENE, STUB))
        ids = [match.memory.id for match in found]
        self.brain.used(ids)
        self._note_uses(reversed(ids))
        return [match.memory for match in found]

    def _found(self, query: str, limit: int, only: Callable[[Memory], bool]) -> list[Found]:
        query = query[:_LONGEST_QUERY]
        if not terms(query):
            return []
        ranked = self.brain.search(query, limit=limit, only=only, most=limit, noted=False)
        found = [
            Found(memory, "meaning" in hit.parts and hit.parts.keys().isdisjoint({"words", "literal", "tags"}))
            for hit in ranked.hits
            if hit.relevance >= _LEAST and (memory := self.brain.known(hit.id))
        ]
        self.brain.shown([match.memory.id for match in found], ranked.kind)
        return found

    def matched(self, memory: Memory, query: str) -> list[str]:
        """Return the names of the fields of a memory that hold a word of the query, or a day that it names."""
        days = _DAY.findall(query)
        asked = set(content_terms(_DAY.sub(" ", query)))  # another day has words of this one: the year, the month

        def fits(text: str) -> bool:
            return any(day in text for day in days) or not asked.isdisjoint(terms(text))

        return [field for field, text in parts(memory).items() if fits(text)]

    # Archived memories

    def away(self, reference: str) -> tuple[str, Memory]:
        """Return an archived memory by uid, id or path, and its path in the archive; raise NotFound without one."""
        for path, memory in reversed(self.brain.owner.archived()):
            if memory and reference in (uid(memory), memory.id, path, f"archive/{path}"):
                return path, memory
        raise NotFound(f"{shown(reference)} is not found; search for it.")

    def ask_for(self, path: str, memory: Memory) -> int:
        """Count that an archived memory was read, and return how often it has been asked for. A memory that was merged
        or replaced lives on in another one, so reading it is not counted."""
        if not self.brain.read_only and not (memory.extra.get(INTO) or memory.extra.get(REPLACED)):
            self.brain.add_requests(path, WANTED)
        return self.brain.requests(path)

    def merged_into(self, memory: Memory) -> str:
        """Return the uid of the memory that an archived one was merged into, or ''."""
        into = memory.extra.get(INTO)
        survivor = self.brain.known(into) if isinstance(into, str) else None
        return uid(survivor) if survivor else ""

    def replaced_by(self, memory: Memory) -> list[str]:
        """Return the uids of the scenes that were told instead of an archived one."""
        return words_in(memory.extra.get(REPLACED))


def header(scene: Scene) -> dict[str, Any]:
    """Return what the header of a scene's file says of it, empty fields too."""
    return {
        "importance": f"{scene.importance:g}",
        "actors": list(scene.actors),
        "when": list(scene.when),
        "setting": scene.setting,
        "feeling": scene.feeling,
    }


def is_free(memory: Memory) -> bool:
    """Tell whether a patrol may merge a memory or change its themes: it is a scene, not pinned and in no other one."""
    return memory.kind == SCENE and not memory.pinned and not memory.extra.get(INTO)


def refuse_pinned(memory: Memory) -> None:
    """Raise Pinned for a pinned memory."""
    if memory.pinned:
        raise Pinned(f"'{memory.id}' is pinned; its owner can unpin it: `clawbrain unpin {memory.id}`.")


def _digest(held: Iterable[Memory]) -> str:
    """Return the first line of a cluster's newest merged episode, else newest scene, else newest memory."""
    ranked = sorted(held, key=lambda m: 0 if m.type == "episode" and m.extra.get(MERGED) else 1 + (m.kind != SCENE))
    return short(first_line(ranked[0].content), _LONGEST_DIGEST)


def _asked(query: str) -> list[tuple[str, ...]]:
    """Return the meaningful words of a query, each as the terms it is found by."""
    kept = set(content_terms(query))
    words = [terms_of(word) for word in word_pattern(query).findall(query[:_LONGEST_QUERY])]
    return [word for word in words if kept & set(word)]


def _has_all(memory: Memory, asked: Sequence[tuple[str, ...]]) -> bool:
    if not asked:
        return True
    held = set(terms("\n".join(parts(memory).values())))
    return all(held & set(word) for word in asked)
