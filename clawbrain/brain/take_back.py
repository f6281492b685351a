"""Take back a merge that a killed process had begun and that can no longer be finished.

Somebody changed or pinned one of its memories meanwhile. What the process had done to the others is reversed, so that
each memory says what it said before, and what was changed stays as it is.
"""

from typing import TYPE_CHECKING

from ..compaction.actions import Expected, Merge, content_digest
from ..memory.model import Fingerprint, Memory
from ..memory.text import content_of, edited
from ..storage.sync import seen

if TYPE_CHECKING:
    from . import Brain


class TakingBack:
    """The merges of one home that were begun by a process that was killed."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def archived_by(self, action: Merge, id: str) -> str | None:
        """Return where in the archive a merge put a memory with the text that was planned for, or None."""
        place, memory = self._archived(action, id)
        expected = next(each.digest for each in action.expects if each.id == id)
        return place if memory and content_digest(memory.content) == expected else None

    def _archived(self, action: Merge, id: str) -> tuple[str, Memory | None]:
        """Return where in the archive a merge put a memory, and the memory; None where it did not."""
        place = self.brain.archiver.place_of(id) if id in action.others else None
        memory = self.brain.owner.read_archived(place) if place else None
        ours = memory is not None and memory.extra.get("merged_into") == action.survivor
        return place or "", memory if ours else None

    def take_back(self, action: Merge) -> None:
        """Give the memories of a merge the texts back that they had before it, but for what was changed meanwhile."""
        for expected in action.expects:
            if expected.id == action.survivor:
                self._part_survivor(action, expected)
            else:
                self._part_other(action, expected.id)

    def _part_survivor(self, action: Merge, expected: Expected) -> None:
        memory = self.brain.finder.current(action.survivor)
        version = self.version_of(action.survivor, expected.digest)
        ours = action.content.strip("\r\n"), action.tags
        if not version or memory is None or (memory.content, memory.tags) != ours:
            return
        memory, data = self.brain.finder.load(action.survivor)
        old = self.brain.files.old_text(memory.id, version)
        self.brain.writer.replace(memory, data, edited(old, pinned=True) if memory.pinned else old, touch=False)

    def _part_other(self, action: Merge, id: str) -> None:
        brain = self.brain
        place, archived = self._archived(action, id)
        if archived and brain.finder.current(id) is None:
            brain.archiver.bring_back(place)
            brain.syncing.changed = True  # its record may be that of an archived memory by now
        memory = brain.finder.current(id)
        if memory and memory.extra.get("merged_into") == action.survivor:
            memory, data = brain.finder.load(id)
            brain.writer.replace(memory, data, edited(data, merged_into=None), touch=False)

    def former(self, id: str, expected: str) -> Memory | None:
        """Return a memory as its history has it with the content of this hash, or None where there is none."""
        version, memory = self.version_of(id, expected), self.brain.finder.current(id)
        if not version or memory is None:
            return None
        data = self.brain.files.old_text(id, version)
        return seen(memory.path, data, Fingerprint(0, 0, 0, 0)).memory

    def version_of(self, id: str, expected: str) -> str:
        """Return the name of the newest version of a memory with the content of this hash, or ''."""
        for version in reversed(self.brain.files.history(id)):
            if content_digest(content_of(self.brain.files.text_of(version))) == expected:
                return version.name
        return ""
