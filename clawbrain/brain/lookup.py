"""Find the one memory that a caller means by an id, a path, a slash form or another name that a set of tools declares.

The error for a missing one says what became of it: it is left out or archived, or which ids are similar.
"""

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ..errors import Archived, NotFound, Refused
from ..memory import model as memories
from ..memory.header import Unreadable
from ..memory.model import Memory, shown
from ..storage.sync import seen

if TYPE_CHECKING:
    from . import Brain


class Finder:
    """Finds the memory that a reference means in one home; `Searching` answers questions."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.by_name = False  # whether a name alone finds the only memory that has it

    def find(self, reference: str) -> Memory:
        """Return the memory that a reference means, after bringing the index up to date. Raises NotFound, Archived."""
        if not reference.isprintable():
            raise NotFound(f"{shown(reference)} is not found; an id has no such characters.")
        self.brain.sync()
        found = self.known(reference)
        if found is None and len(self.brain.index.fingerprints()) > 1_000:
            self.brain.sync(now=True)  # it may be newer than the last scan
            found = self.known(reference)
        if found is None:
            raise self.missing(reference)
        return found

    def known(self, reference: str) -> Memory | None:
        """Return the memory that a reference means as of the last scan, or None."""
        found = self.brain.index.get(reference)
        for path in memories.spelled_paths(reference):
            found = found or self.brain.index.at(path) or self.brain.index.get(memories.spelled_id(path))
        return found or self._by_alias(reference) or self._only_one_named(reference)

    def _only_one_named(self, name: str) -> Memory | None:
        found = self.brain.index.named(name) if self.by_name else []
        return found[0] if len(found) == 1 else None

    def _by_alias(self, reference: str) -> Memory | None:
        """Return the memory that has this as another name, in its header or made from its id, or None."""
        declared, index = self.brain.declared, self.brain.index
        for alias in declared.aliases_for(reference):
            for memory in index.having(alias.key, reference):
                return memory
            if alias.space:
                return index.get(next((id for id in index.ids() if alias.made(id) == reference), ""))
        spelled = declared.id_of(reference)
        return index.get(spelled) if spelled != reference else None

    def missing(self, reference: str) -> Refused:
        """Return the error that says why there is no such memory: it is left out, archived, or unknown."""
        paths = memories.spelled_paths(reference)
        for path, fault in self.brain.faults():
            by_name = self.by_name and reference == PurePosixPath(path).stem
            if by_name or path in paths or memories.spelled_id(path) == reference:
                return NotFound(
                    f"{shown(reference)} is not found as a memory: the file at {path} is left out ({fault})."
                )
        if archive_path := self.brain.archiver.path_of(reference):
            return Archived(
                f"{shown(reference)} is archived at archive/{archive_path}; "
                f"`clawbrain restore archive/{archive_path}` brings it back."
            )
        if self.by_name and (several := self.brain.index.named(reference)):
            ids = ", ".join(memory.id for memory in several[:5])
            return NotFound(f"{shown(reference)} is the name of {len(several)} memories: name one by its id ({ids}).")
        nearest = self._nearest(reference)
        hint = f"the nearest ids are {', '.join(nearest)}" if nearest else "there is nothing like it; search for it"
        return NotFound(f"{shown(reference)} is not found; {hint}.")

    def _nearest(self, reference: str) -> list[str]:
        """Return the ids of up to three memories: first of those that have the last part of a reference as their
        name, then of those whose ids are spelled like it."""
        from rapidfuzz import process

        named = [memory.id for memory in self.brain.index.named(reference.rpartition("/")[2])]
        alike = process.extract(reference, sorted(self.brain.index.ids()), limit=3, score_cutoff=50)
        return list(dict.fromkeys([*named, *(id for id, _, _ in alike)]))[:3]

    def load(self, reference: str) -> tuple[Memory, bytes]:
        """Return a memory and its file's bytes as they are now, and bring the index up to date with them.

        Raises NotFound, Archived, or Refused where the file keeps changing meanwhile.
        """
        memory = self.find(reference)
        for _ in range(3):
            try:
                data, fingerprint = self.brain.files.read(memory.path)
            except (FileNotFoundError, Unreadable):
                self.brain.sync(now=True)
            else:
                now = seen(memory.path, data, fingerprint)
                if now.digest != self.brain.index.digest(memory.path):
                    self.brain.tell_index(now)
                if now.memory and now.memory.id == memory.id:
                    return now.memory, data
            memory = self.known(memory.id) or self.find(reference)
        raise Refused(f"{shown(reference)} is being changed by somebody else just now; try again.")

    def current(self, id: str) -> Memory | None:
        """Return a memory as its file has it now, or None where it is gone."""
        try:
            return self.load(id)[0]
        except Refused:
            return None
