"""Merging: one scene in the place of several memories, which go to the archive.

An agent merges what it chooses. A patrol merges the scenes of one day that share a theme, where they are so many that
nobody would read them one by one.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ...errors import Invalid, Refused
from ...memory.kinds import PRUNED
from ...memory.model import Memory
from ..shared.links import STUB
from ..shared.titles import uid
from .scene import SCENE, Scene, checked, distinct, read, words_in
from .scenes import INTO, MERGED, Scenes, is_free, refuse_pinned

CROWDED = 10  # so many scenes of one day and theme become one
TOLD = "scenes"  # the header key of how many scenes a patrol put into one
_MOST_THEMES = 12


Key = tuple[tuple[str, str], ...]
"""The ids and texts of the scenes of a crowd: another key where it has become another crowd."""


class Crowd(NamedTuple):
    """The scenes of one day that share a theme, in the order of storing."""

    day: str
    theme: str
    scenes: list[Memory]

    def key(self) -> Key:
        return tuple((memory.id, memory.content) for memory in self.scenes)


class Merging:
    """Merges memories of a brain into scenes."""

    def __init__(self, scenes: Scenes) -> None:
        self.scenes, self.brain = scenes, scenes.brain

    def merge(self, references: Sequence[str], summary: str, feeling: str = "") -> tuple[Memory, int]:
        """Store a scene in place of several memories and archive them once it is on the disk; return it and their
        number. When called again after a kill, finish what was begun."""
        brain = self.brain
        brain.may_write()
        if not summary.strip():
            raise Invalid("summary is empty; say what the merged memories have in common.")
        with brain.locked():
            ids = list(dict.fromkeys(self._id(reference) for reference in references))
            if len(ids) < 2:
                raise Invalid("give at least two different node ids.")
            made = self._begun(ids)
            old = [memory for id in ids if (memory := brain.known(id))]
            if made and not old and read(made).action.strip() != brain.without_secrets(summary).strip():
                raise Refused(f"these are merged already, as {uid(made)}: update_notes with action update changes it.")
            if made is None:
                made = self.scenes.put(self._united(self._mergeable(ids), summary, feeling), merged_from=ids)
            self.put_away(old, made)
        return made, len(ids)

    def _id(self, reference: str) -> str:
        try:
            return self.scenes.titles.find(reference).id
        except Refused:
            return self.scenes.away(reference)[1].id

    def _begun(self, ids: Collection[str]) -> Memory | None:
        """Return the scene already stored for a merge of these memories, or None."""
        return next((made for made in self._made() if set(words_in(made.extra[MERGED])) == set(ids)), None)

    def _made(self) -> list[Memory]:
        return [memory for memory in self.brain.listed.having(MERGED) if memory.kind == SCENE]

    def _mergeable(self, ids: Iterable[str]) -> list[Memory]:
        """Return the memories of these ids; raise Refused or Pinned where one must not be merged."""
        found = [self.scenes.titles.find(id) for id in ids]
        for memory in found:
            if memory.kind == STUB or not self.brain.declared.kinds.allow(PRUNED, memory):
                raise Refused(f"'{memory.id}' is a {memory.kind}, and none is merged; nothing was changed.")
            refuse_pinned(memory)
        return found

    def _united(self, merged: Sequence[Memory], summary: str, feeling: str) -> Scene:
        """Return a scene that keeps all dates, people and themes of the merged memories."""
        parts = [read(memory) for memory in merged]
        united = Scene(
            action=summary,
            actors=[actor for part in parts for actor in part.actors],
            when=[day for part in parts for day in part.when],
            setting="; ".join(distinct(part.setting for part in parts)),
            feeling=feeling.strip() or "; ".join(distinct(part.feeling for part in parts)),
            themes=[theme for part in parts for theme in part.themes],
            importance=max(part.importance for part in parts),
        )
        return checked(self.scenes.without_secrets(united))

    def put_away(self, old: Iterable[Memory], made: Memory) -> None:
        """Archive memories that live on in another one, which each of them then names. The caller holds the lock."""
        for memory in old:
            self.scenes.put_away(memory, INTO, made.id)

    # What a patrol merges

    def thin_out(self, retold: Mapping[Key, Sequence[str]] = MappingProxyType({})) -> int:
        """Merge the scenes of each crowd into one, after finishing what a killed process began; return the number of
        scenes made. Pinned scenes are left alone, and so are those that were brought back after a merge. A crowd that
        was `retold` is told in those lines, any other one in a line of each scene."""
        with self.brain.locked():
            self._finish()
            return sum(self._gather(crowd, retold.get(crowd.key(), ())) for crowd in self.crowds())

    def _finish(self) -> None:
        """Archive the scenes that are part of a merged one already, but none of the same id that was stored later."""
        for made in self._made():
            if made.extra.get(TOLD):
                ids = words_in(made.extra[MERGED])
                places = self.brain.places([*ids, made.id])
                upto = places.get(made.id, sys.maxsize)  # without a place where the process was killed before noting it
                old = self.brain.listed.several(ids).values()
                self.put_away([each for each in old if is_free(each) and places.get(each.id, upto) < upto], made)

    def crowds(self) -> list[Crowd]:
        """Return the crowds, each scene in the largest one that it is part of."""
        self.brain.sync()
        free = [memory for memory in self.brain.listed.having("kind", SCENE) if is_free(memory)]
        groups: dict[tuple[str, str], list[Memory]] = defaultdict(list)
        for memory in self.brain.in_order(free):
            for theme in memory.tags:
                groups[read(memory).when[-1], theme].append(memory)
        found, taken = [], set[str]()
        for (day, theme), held in sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0])):
            crowd = Crowd(day, theme, [memory for memory in held if memory.id not in taken])
            if len(crowd.scenes) >= CROWDED:
                found.append(crowd)
                taken |= {memory.id for memory in crowd.scenes}
        return found

    def _gather(self, crowd: Crowd, retold: Sequence[str]) -> int:
        """Put one scene in the place of a crowd, or several where one file cannot hold it; return the number made."""
        ids = [memory.id for memory in crowd.scenes]
        told = retold or [line for memory in crowd.scenes for line in told_lines(memory)]
        count = sum(_count(memory) for memory in crowd.scenes)
        title = f"{count} scenes of {crowd.day} on {crowd.theme}"
        try:
            united = self._united(crowd.scenes, "\n".join([f"{title}:", "", *told]), "")
            themes = Counter(theme for memory in crowd.scenes for theme in memory.tags).most_common(_MOST_THEMES)
            scene = united._replace(themes=distinct([crowd.theme, *(theme for theme, _ in themes)]))
            made = self.scenes.put(scene, title=title, merged_from=ids, scenes=str(count))
        except Refused:  # too large for one file, or not to be stored again
            return sum(self._gather(half, ()) for half in _halves(crowd))
        self.put_away(crowd.scenes, made)
        return 1


def _halves(crowd: Crowd) -> list[Crowd]:
    """Return both halves of a crowd that are crowds themselves, or none: then its scenes stay as they are."""
    middle = len(crowd.scenes) // 2
    halves = (crowd.scenes[:middle], crowd.scenes[middle:]) if middle >= CROWDED else ()
    return [crowd._replace(scenes=scenes) for scenes in halves]


def _count(memory: Memory) -> int:
    """Return how many scenes a scene tells: more than one where a patrol made it."""
    told = str(memory.extra.get(TOLD, ""))
    return int(told) if told.isdecimal() else 1


def told_lines(memory: Memory) -> list[str]:
    """Return the lines in which a crowd's scene tells one of its scenes."""
    scene = read(memory)
    if _count(memory) > 1:
        return scene.action.partition("\n\n")[2].split("\n")
    felt = f" ({scene.feeling})" if scene.feeling else ""
    return ["- " + f"{scene.action}{felt}".replace("\n", "\n  ")]
