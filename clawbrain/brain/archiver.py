"""The archive: move memories into it, find them there, and bring them back with their scores."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from ..errors import AlreadyExists, NotFound, Pinned, Refused
from ..memory import model as memories
from ..memory.header import Unreadable
from ..memory.model import Fingerprint, Memory, digest, shown, stamp
from ..memory.text import edited
from ..storage.folders import ARCHIVE
from ..storage.sync import seen
from .declared import Alias
from .results import Put

if TYPE_CHECKING:
    from . import Brain


class Archiver:
    """The archive of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def archive(self, reference: str) -> Put:
        """Move a memory into the archive. Raises Pinned, NotFound, Archived."""
        brain = self.brain
        brain.may_write()
        memory, _ = brain.finder.load(reference)
        try:
            with brain.storage.locked():
                if brain.writer.read_now(memory)[0].pinned:
                    raise Pinned(f"'{memory.id}' is pinned; its owner can unpin it: `clawbrain unpin {memory.id}`.")
                archive_path = brain.files.archive(memory.path)
                brain.bookkeeping.note(lambda: self._note_archived(memory, archive_path))
                brain.tell_index(gone=[memory.path])
        except FileNotFoundError:
            raise brain.writer.vanished(memory) from None
        brain.writer.forget_text(memory.id)
        return Put(memory.id, f"archive/{archive_path}")

    def _note_archived(self, memory: Memory, archive_path: str) -> None:
        now = stamp(self.brain.clock())
        self.note_archived(memory.id, archive_path, now)
        done = f"Archived '{memory.id}' to archive/{archive_path}"
        self.brain.ledger.add_to_log("archive", [memory.id], done, now)

    def note_archived(self, id: str, archive_path: str, at: str) -> None:
        """Move the credit record of a memory whose file is in the archive now, with the hash of the file."""
        self.brain.ledger.archive_record(id, archive_path, at)
        self._note_digest(archive_path)

    def note_digests(self) -> None:
        """Note the hashes of archived files that are not noted yet."""
        if paths := [path for path in self.brain.ledger.without_digest() if self.brain.files.archived(path)]:
            with self.brain.bookkeeping.deciding():
                for path in paths:
                    self._note_digest(path)

    def _note_digest(self, archive_path: str) -> None:
        with suppress(FileNotFoundError, Unreadable):
            self.brain.ledger.note_archived_digest(
                archive_path, digest(self.brain.files.read(archive_path, ARCHIVE)[0])
            )

    def move_away(self, id: str, **values: Any) -> dict[str, str] | None:
        """Move a memory's file into the archive with these header values, as one action of a compaction.

        The caller notes it in the ledger. Returns the paths of the file before and after, and the version in the
        history of its text without the values. A memory that a killed run has archived already is found there; returns
        None where there is none.
        """
        brain = self.brain
        memory = brain.finder.current(id)
        if memory is None:
            archive_path = self.place_of(id)
            if archive_path is None:
                return None
            path = memories.unnumbered(archive_path)
        else:
            if any(memory.extra.get(key) != value for key, value in values.items()):
                _, data = brain.finder.load(id)
                brain.writer.replace(memory, data, edited(data, **values), touch=False)
            path, archive_path = memory.path, brain.files.archive(memory.path)
            brain.tell_index(gone=[path])
        # The newest text in the history is the one before the header values were set.
        life = brain.ledger.life_of(id) or brain.ledger.archived_life(archive_path)
        versions = brain.files.history_of_life(id, life) if values else []
        return {"archive_path": archive_path, "path": path, "version": versions[-1].name if versions else ""}

    def text_before(self, archived: Mapping[str, str]) -> bytes:
        """Return the text that a memory had before an action of a compaction archived it, as `move_away` noted it.

        The memory may be back by now. Raises NotFound where the history no longer has the text.
        """
        brain, id = self.brain, archived["id"]
        life = brain.ledger.archived_life(archived["archive_path"]) or brain.ledger.life_of(id)
        for version in brain.files.history_of_life(id, life):
            if version.name == archived["version"]:
                return brain.files.text_of(version)
        return brain.files.old_text(id, archived["version"])

    def place_of(self, id: str) -> str | None:
        """Return where in the archive a memory lies, also one that a killed process has not noted, or None."""
        record = self.brain.ledger.records([id]).get(id)
        places = self.brain.ledger.archived_paths_of(id) + ([record.path] if record else [])
        return next((path for path in places if self.brain.files.archived(path)), None)

    def bring_back(self, archive_path: str) -> str:
        """Move a file out of the archive to its former path, and return that; the caller notes it in the ledger.

        The caller holds the lock. Raises AlreadyExists where its id or path is taken.
        """
        brain, path = self.brain, self.former_path(archive_path)
        data, _ = brain.files.read(archive_path, ARCHIVE)
        memory = seen(path, data, Fingerprint(0, 0, 0, 0)).memory
        if owner := brain.index.get(memory.id) if memory else None:
            raise AlreadyExists(f"the id '{owner.id}' already exists at {owner.path}; archive that first.")
        brain.files.restore(archive_path, path)
        brain.tell_index(*filter(None, [brain.syncing.see(path)]))
        return path

    def restore(self, reference: str, *, wanted: bool = True) -> Put:
        """Bring back an archived memory with its score, by its id (the newest of that id) or its path in the archive.

        It counts as accessed if `wanted`, so that it is not pruned again at once. Raises
        NotFound, Refused where it is not archived, AlreadyExists where its id or path is taken.
        """
        brain = self.brain
        brain.may_write()
        archive_path = self.find(reference)
        path = self.former_path(archive_path)
        data, _ = brain.files.read(archive_path, ARCHIVE)
        with brain.storage.locked():
            memory = seen(path, data, Fingerprint(0, 0, 0, 0)).memory
            owner = brain.index.get(memory.id) if memory else None
            if owner:
                raise AlreadyExists(f"the id '{owner.id}' already exists at {owner.path}; archive that first.")
            brain.files.restore(archive_path, path)
            recorded = brain.ledger.archived_id(archive_path)
            id = recorded or (memory.id if memory else path)
            brain.bookkeeping.note(lambda: self._note_restored(id, archive_path, path, wanted))
            brain.tell_index(*filter(None, [brain.syncing.see(path)]))
            if not recorded:
                brain.syncing.changed = True  # its record was lost with a ledger: the next call gives it a new one
        if memory:
            self._warn_of_two(memory)
        return Put(id, path)

    def _warn_of_two(self, restored: Memory) -> None:
        """Warn where a restored memory and another one both stand, by their headers, for one topic."""
        topic = restored.extra.get("topic")
        if not isinstance(topic, str) or "status" not in restored.extra or restored.superseded:
            return
        for other in self.brain.index.having("topic", topic):
            if other.id != restored.id and other.kind == restored.kind and not other.superseded:
                self.brain.warn(
                    f"'{restored.id}' and '{other.id}' both hold for the topic {shown(topic)} now: "
                    "write `status: superseded` into the header of the one that no longer does."
                )

    def _note_restored(self, id: str, archive_path: str, path: str, wanted: bool) -> None:
        now = stamp(self.brain.clock())
        if self.brain.ledger.archived_id(archive_path):
            self.brain.ledger.restore_record(archive_path, path, now, self.brain.session)
            if wanted:
                self.brain.ledger.set_last_access(id, now)
        self.brain.ledger.add_to_log("restore", [id], f"Restored '{id}' from archive/{archive_path} to {path}", now)

    # Finding

    def former_path(self, archive_path: str) -> str:
        """Return the path below memory/ to which an archived memory belongs."""
        return self.brain.ledger.archived_from(archive_path) or memories.unnumbered(archive_path)

    def find(self, reference: str) -> str:
        """Return the path in the archive of the memory that a reference means. Raises Refused, NotFound."""
        self.brain.sync()
        self.brain.bookkeeping.note_waiting()
        if found := self.path_of(reference):
            return found
        if known := self.brain.finder.known(reference):
            if self.of_id(known.id):
                raise Refused(
                    f"{shown(reference)} is there; `clawbrain list --archived` shows the path of the other one."
                )
            raise Refused(f"{shown(reference)} is not archived: it is there, and `clawbrain archive` puts it away.")
        raise NotFound(f"{shown(reference)} is not found in the archive; `clawbrain list --archived` shows what is.")

    def of_id(self, id: str) -> int:
        """Return how many archived files there are of an id."""
        found = (self.brain.owner.read_archived(path) for path in self.brain.files.archived_paths())
        return sum(memory is not None and memory.id == id for memory in found)

    def path_of(self, reference: str) -> str | None:
        """Return the path in the archive of the newest memory that a reference means, or None."""
        if not reference.isprintable():
            return None
        paths = [reference.removeprefix(f"{ARCHIVE}/")] if "/" in reference else []
        archived = self.brain.files.archived_paths()[::-1]
        for id in dict.fromkeys((reference, self.brain.declared.id_of(reference))):
            paths += memories.spelled_paths(id) + self.brain.ledger.archived_paths_of(id)
            paths += [path for path in archived if memories.spelled_id(memories.unnumbered(path)) == id]
        for alias in self.brain.declared.aliases_for(reference):
            paths += [path for path in archived if self._has_alias(path, alias, reference)]
        found = next((path for path in paths if self.brain.files.archived(path)), None)
        return found or self._only_one_named(reference, archived)

    def _only_one_named(self, name: str, archived: Sequence[str]) -> str | None:
        """Return the newest of the archived files that have a name, where no memory and no other file has it."""
        if not self.brain.finder.by_name or self.brain.index.named(name):
            return None
        former = {path: PurePosixPath(memories.unnumbered(path)) for path in archived}
        named = [path for path in archived if former[path].stem.casefold() == name.casefold()]
        return named[0] if len({former[path] for path in named}) == 1 else None

    def _has_alias(self, archive_path: str, alias: Alias, reference: str) -> bool:
        """Tell whether an archived memory has this other name; only files whose name fits are read."""
        if alias.ending and not memories.unnumbered(archive_path).endswith(f"-{reference[-alias.ending :]}.md"):
            return False
        memory = self.brain.owner.read_archived(archive_path)
        return memory is not None and memory.extra.get(alias.key, alias.made(memory.id)) == reference

    def unnoted_path(self, path: str) -> str | None:
        """Return where in the archive a file gone from memory/ lies without the ledger knowing it, or None."""
        if self.brain.files.fingerprint(path):
            return None
        places = self.brain.files.archived_as(path)
        return next((place for place in reversed(places) if not self.brain.ledger.archived_id(place)), None)
