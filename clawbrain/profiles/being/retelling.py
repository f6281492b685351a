"""The work of a model in a patrol: it tells scenes and crowds anew, finds finer themes, and writes the diary.

Each step reads what it asks about, asks without holding anything, and changes only what is still as it was read. What
the patrol made without a model stays wherever a step is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import ClawbrainError, NotFound
from . import asking, questions
from .diary import Diary
from .merging import Key, Merging, told_lines
from .scene import Scene, first_line, first_sentence, read, short, written
from .scenes import LONGEST_TITLE, Cluster, Scenes, header, is_free
from .texts import joined
from .themes import UNTOLD

if TYPE_CHECKING:
    from ...memory.model import Memory
    from .. import Work
    from .asking import Asking

BROAD = 10  # a theme of more scenes is asked to be split
_MOST_BATCHES, _MOST_CROWDS, _MOST_SPLITS = 4, 3, 2  # questions of each step in one patrol
_MOST_LISTED, _LONGEST_LISTED, _MOST_KNOWN = 60, 400, 40
USELESS = "nothing in its answer could be used"


class Made(NamedTuple):
    """A scene that a patrol has made of an exchange, the memory it is kept as, and what was said."""

    scene: Scene
    memory: Memory
    said: str


class Retelling:
    """The steps of a patrol that ask a model, on the scenes of a brain."""

    def __init__(self, scenes: Scenes, merging: Merging) -> None:
        self.scenes, self.merging, self.brain, self.diary = scenes, merging, scenes.brain, Diary(scenes.brain)

    # Scenes of what was said

    def tell(self, made: Sequence[Made], asked: Asking) -> Generator[Work, Any, None]:
        """Let the model tell the scenes that were just made of what was said."""
        groups = questions.batches([each.said for each in made])
        for group in groups[:_MOST_BATCHES]:
            batch = [made[place] for place in group]
            known = [cluster.name for cluster in self.scenes.clusters()[:_MOST_KNOWN] if cluster.name != UNTOLD]
            question = questions.about_scenes([each.said for each in batch], known)
            answer = yield from asked.ask(asking.SCENES, question)
            if answer is not None:
                told = questions.scenes_in(answer, [each.scene for each in batch])
                for place, scene in told.items():
                    self._retell(batch[place].memory, scene)
                if len(told) < len(batch):
                    some = f"its answer tells {len(told)} of {len(batch)} exchanges"
                    asked.skip(asking.SCENES, some if told else USELESS)
        if len(groups) > _MOST_BATCHES:
            asked.skip(asking.SCENES, f"{_MOST_BATCHES} questions are the most, and the last exchanges had no room")

    def _retell(self, made: Memory, scene: Scene) -> None:
        """Put a scene told by the model in the place of one that nobody has changed since it was made."""
        said = {**header(scene), "title": short(first_sentence(scene.action), LONGEST_TITLE)}

        def told(now: Memory) -> Memory:
            if now.content != made.content:
                return now
            kept = {key: value for key, value in now.extra.items() if key not in said}
            extra = {**kept, **{key: value for key, value in said.items() if value}}
            return replace(now, content=written(scene), tags=tuple(scene.themes), extra=extra)

        self._amend(made.id, told)

    def _amend(self, id: str, change: Callable[[Memory], Memory]) -> None:
        """Change a scene, which may have gone away meanwhile."""
        with suppress(ClawbrainError), self.brain.redacting():
            self.brain.amend(id, change)

    # Crowds

    def crowds(self, asked: Asking) -> Generator[Work, Any, dict[Key, Sequence[str]]]:
        """Return the lines in which the model tells crowds, by what these consist of now."""
        found: dict[Key, Sequence[str]] = {}
        for crowd in self.merging.crowds()[:_MOST_CROWDS] if asked.can_ask else ():
            told = [line for memory in crowd.scenes for line in told_lines(memory)]
            answer = yield from asked.ask(asking.CROWDS, questions.about_a_crowd(crowd.day, crowd.theme, told))
            if answer is not None:
                lines = questions.lines_in(answer, questions.LINES_OF_A_CROWD)
                if lines:
                    found[crowd.key()] = [f"- {line}" for line in lines]
                else:
                    asked.skip(asking.CROWDS, USELESS)
        return found

    # Finer themes

    def split(self, fresh: Collection[str], asked: Asking) -> Generator[Work, Any, None]:
        """Put the scenes of the broadest themes that have a fresh scene under finer themes."""
        for cluster in self._broad(fresh)[:_MOST_SPLITS] if asked.can_ask else ():
            listed = cluster.memories[:_MOST_LISTED]
            rows = [short(first_line(memory.content), _LONGEST_LISTED) for memory in listed]
            answer = yield from asked.ask(asking.SPLITS, questions.about_a_split(cluster.name, rows))
            if answer is not None:
                finer = questions.groups_in(answer, cluster.name, len(listed))
                for place, theme in (finer or {}).items():
                    self._amend(listed[place].id, _themed(cluster.name, theme))
                if finer is None:
                    asked.skip(asking.SPLITS, USELESS)

    def _broad(self, fresh: Collection[str]) -> list[Cluster]:
        """Return the clusters of too many scenes, the largest first, with none but the scenes that may be changed."""
        fitting = []
        for cluster in self.scenes.clusters():
            scenes = [memory for memory in cluster.memories if is_free(memory)]
            grown = any(memory.id in fresh for memory in scenes)
            if len(scenes) > BROAD and grown and cluster.name != UNTOLD:
                fitting.append(cluster._replace(memories=scenes))
        return fitting

    # The diary

    def days(self, fresh: Sequence[Memory], asked: Asking) -> Generator[Work, Any, str]:
        """Return what the diary of today should say of fresh scenes, or ''."""
        if not fresh or not asked.can_ask:
            return ""
        rows = [short(read(memory).action, _LONGEST_LISTED) for memory in fresh[-_MOST_LISTED:]]
        answer = yield from asked.ask(asking.DIARY, questions.about_a_day(self.brain.today(), rows, self._today()))
        if answer is None:
            return ""
        lines = questions.lines_in(answer, questions.LINES_OF_A_DAY)
        if not lines:
            asked.skip(asking.DIARY, USELESS)
        return "\n".join(f"- {line}" for line in lines)

    def _today(self) -> str:
        try:
            return self.diary.on(self.brain.today()).content
        except NotFound:
            return ""

    def write_diary(self, text: str, asked: Asking) -> None:
        """Add a text, if there is any, to today's entry of the diary."""
        if not text:
            return
        try:
            with self.brain.redacting():
                self.diary.write("", lambda before: joined(before, text))
        except ClawbrainError as reason:
            asked.skip(asking.DIARY, str(reason))


def _themed(broad: str, finer: str) -> Callable[[Memory], Memory]:
    """Return the change that puts a scene of a broad theme under a finer one."""

    def changed(now: Memory) -> Memory:
        if now.pinned or broad not in now.tags:
            return now
        return replace(now, tags=tuple(dict.fromkeys(finer if tag == broad else tag for tag in now.tags)))

    return changed
