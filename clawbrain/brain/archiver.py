"""The archive: move memories into it, find them there, and bring them back with their scores."""

from typing import TYPE_CHECKING

from ..errors import AlreadyExists, NotFound, Pinned, Refused
from ..memory import model as memories
from ..memory.model import Fingerprint, Memory, shown, stamp
from ..storage.files import ARCHIVE
from ..storage.sync import seen
from .declared import Alias
from .results import Put

if TYPE_CHECKING:
    from . import Brain


class Archiver:
    """The archive of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def put(self, reference: str) -> Put:
        """Move a memory into the archive. Raises Pinned, NotFound, Archived."""
        brain = self.brain
        brain.may_write()
        memory, _ = brain.load(reference)
        try:
            with brain.locked():
                if brain.writer.as_it_stands(memory)[0].pinned:
                    raise Pinned(f"'{memory.id}' is pinned; its owner can unpin it: `clawbrain unpin {memory.id}`.")
                archive_path = brain.files.archive(memory.path)
                brain.note(lambda: self._note_archived(memory, archive_path))
                brain.tell_index(gone=[memory.path])
        except FileNotFoundError:
            raise brain.writer.gone(memory) from None
        brain.writer.forget(memory.id)
        return Put(memory.id, f"archive/{archive_path}")

    def _note_archived(self, memory: Memory, archive_path: str) -> None:
        now = stamp(self.brain.clock())
        self.brain.ledger.archive_record(memory.id, archive_path, now)
        self.brain.ledger.add_to_log(
            "archive", [memory.id], f"Archived '{memory.slash}' to archive/{archive_path}", now
        )

    def bring_back(self, reference: str, *, wanted: bool = True) -> Put:
        """Bring back an archived memory with its score, by its id (the newest of that id) or its path in the archive.

        It counts as accessed if `wanted`, so that it is not pruned again at once; an undo does not want that. Raises
        NotFound, Refused where it is not archived, AlreadyExists where its id or path is taken.
        """
        self.brain.may_write()
        archive_path = self.find(reference)
        path = self.brain.ledger.archived_from(archive_path) or memories.unnumbered(archive_path)
        data, _ = self.brain.files.read(archive_path, ARCHIVE)
        with self.brain.locked():
            memory = seen(path, data, Fingerprint(0, 0, 0, 0)).memory
            owner = self.brain.index.get(memory.id) if memory else None
            if owner:
                raise AlreadyExists(f"the id '{owner.id}' already exists at {owner.path}; archive or move that first.")
            self.brain.files.restore(archive_path, path)
            recorded = self.brain.ledger.archived_id(archive_path)
            id = recorded or (memory.id if memory else path)
            self.brain.note(lambda: self._note_restored(id, archive_path, path, wanted))
            self.brain.tell_index(*filter(None, [self.brain.syncing.see(path)]))
            if not recorded:
                self.brain.syncing.changed = True  # its record was lost with a ledger: the next call gives it a new one
        return Put(id, path)

    def _note_restored(self, id: str, archive_path: str, path: str, wanted: bool) -> None:
        now = stamp(self.brain.clock())
        if self.brain.ledger.archived_id(archive_path):
            self.brain.ledger.restore_record(archive_path, path, now, self.brain.session)
            if wanted:
                self.brain.ledger.set_last_access(id, now)
        self.brain.ledger.add_to_log("restore", [id], f"Restored archive/{archive_path} to {path}", now)

    def find(self, reference: str) -> str:
        """Return the path in the archive of the memory that a reference means. Raises Refused, NotFound."""
        self.brain.sync()
        self.brain.note_waiting()
        found = self.lies_at(reference)
        if found:
            return found
        if self.brain.known(reference):
            raise Refused(f"{shown(reference)} is not archived; archive it first if it shall go.")
        raise NotFound(f"{shown(reference)} is not found in the archive; `clawbrain list --archived` shows what is.")

    def lies_at(self, reference: str) -> str | None:
        """Return the path in the archive of the newest memory with an id, a path or a slash form, or None."""
        if not reference.isprintable():
            return None
        paths = [reference.removeprefix(f"{ARCHIVE}/")] if "/" in reference else []
        paths += memories.spelled_paths(reference) + self.brain.ledger.archived_paths_of(reference)
        away = self.brain.files.archived_paths()[::-1]
        paths += [path for path in away if memories.spelled_id(memories.unnumbered(path)) == reference]
        for alias in self.brain.declared.aliases_for(reference):
            paths += [path for path in away if self._is_called(path, alias, reference)]
        return next((path for path in paths if self.brain.files.archived(path)), None)

    def _is_called(self, archive_path: str, alias: Alias, reference: str) -> bool:
        """Tell whether an archived memory has this other name; only files whose name fits are read."""
        if not memories.unnumbered(archive_path).endswith(f"-{reference[-alias.ending :]}.md"):
            return False
        memory = self.brain.owner.read_archived(archive_path)
        return memory is not None and memory.extra.get(alias.key) == reference

    # Counting how often archived memories are asked for

    def asked_for(self, archive_path: str) -> int:
        """Return how often an archived memory was asked for."""
        return self.brain.ledger.asked_for().get(archive_path, 0)

    def ask_for(self, archive_path: str, times: int) -> None:
        """Count requests for an archived memory; the next compaction restores one that was asked for twice."""
        self.brain.note(lambda: self.brain.ledger.count_asked_for(archive_path, times))

    def unnoted(self, path: str) -> str | None:
        """Return where in the archive a file gone from memory/ lies without the ledger knowing it, or None."""
        if self.brain.files.fingerprint(path):
            return None
        places = self.brain.files.archived_as(path)
        return next((place for place in reversed(places) if not self.brain.ledger.archived_id(place)), None)
