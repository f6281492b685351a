"""Writing a memory's file: a new one, an edit of what stands there, another text in its place.

A session remembers what it last read of each memory, so that what somebody else wrote since is never overwritten
unseen. What a killed process left half done the vault finishes; what it did not get to note, the next look finds.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import credit
from ..errors import AlreadyExists, Changed, Invalid, Refused
from ..memory import model as memories
from ..memory.header import Unreadable
from ..memory.model import Fingerprint, Memory, digest, stamp
from ..storage.files import Surprise
from ..storage.sync import seen

if TYPE_CHECKING:
    from . import Brain

_UNSTORED = Fingerprint(0, 0, 0, 0)  # of a text before it is a file


class Writer:
    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self._read_digests: dict[str, str] = {}  # what this session last read of each memory

    def saw(self, id: str, data: bytes) -> None:
        """The session has read this text, or written it."""
        self._read_digests[id] = digest(data)

    def forget(self, id: str) -> None:
        self._read_digests.pop(id, None)

    def refuse_changed(self, memory: Memory, data: bytes) -> None:
        """No edit of a text that is another than the session has read."""
        if self._read_digests.get(memory.id, digest(data)) != digest(data):
            raise self._changed(memory)

    def create(self, memory: Memory, at: str = "") -> Memory:
        """A new file, a credit record, a place in the index."""
        memory = replace(memory, content=self.brain.without_secrets(memory.content))
        data = memories.render(memory)
        fresh = seen(memory.path, data, _UNSTORED)
        if fresh.fault:  # no file is written that could not be read again, because its header is too large, say
            raise Invalid(f"this would make a file that is {fresh.fault}.")
        with self.brain.locked():
            self._refuse_taken(memory)
            try:
                fingerprint = self.brain.files.create(memory.path, data)
            except AlreadyExists as error:
                raise self._taken(memory, str(error)) from None
            rate = credit.DECAY_PER_DAY[memory.type]
            self.brain.note(lambda: self.brain.ledger.begin(memory, at or memory.created, self.brain.session, rate))
            self.brain.tell_index(replace(fresh, fingerprint=fingerprint))
        self._read_digests[memory.id] = fresh.digest
        return memory

    def _refuse_taken(self, memory: Memory) -> None:
        owner = self.brain.index.get(memory.id)
        if owner and owner.path != memory.path:
            raise AlreadyExists(
                f"the id '{memory.id}' already exists: it belongs to {owner.path}. Choose another name or category."
            )

    def _taken(self, memory: Memory, sentence: str) -> AlreadyExists:
        self.brain.sync(now=True)
        faults = dict(self.brain.faults())
        if memory.path in faults:
            return AlreadyExists(
                f"{sentence} It cannot be read: {faults[memory.path]}. Its owner must mend or move it."
            )
        owner = self.brain.index.at(memory.path)
        existing = owner.id if owner else memory.id
        return AlreadyExists(f"{sentence} Use memory_update with the id '{existing}' to change it, or another name.")

    def amend(self, target: str | Memory, change: Callable[[Memory], Memory], *, as_read: bool = False) -> Memory:
        """Edit under the lock: `change` sees the memory as it stands, so that no two edits lose each other.

        A memory as target is one the caller has just found. `as_read` refuses when the file changed since this
        session last read it.
        """
        self.brain.may_write()
        memory = target if isinstance(target, Memory) else self.brain.load(target)[0]
        for _ in range(3):
            try:
                with self.brain.locked():
                    return self._amended(memory, change, as_read)
            except FileNotFoundError:
                raise self.gone(memory) from None
            except Changed:  # somebody's editor was quicker: once more, on what it wrote
                if as_read:
                    raise
        raise self._changed(memory)

    def _amended(self, memory: Memory, change: Callable[[Memory], Memory], as_read: bool) -> Memory:
        memory, data = self.as_it_stands(memory)
        if as_read:
            self.refuse_changed(memory, data)
        changed = change(memory)
        changed = replace(changed, content=self.brain.without_secrets(changed.content))
        new = memories.amended(data, memory, changed, stamp(self.brain.clock()))
        if new == data:
            return memory
        self.replace(memory, data, new, touch=memories.body(new) != memories.body(data))
        self.saw(memory.id, new)
        return self.brain.index.get(memory.id) or memory

    def replace(self, memory: Memory, data: bytes, new: bytes, touch: bool = True) -> None:
        """Put another text in a memory's place, if the text there is still the one we read."""
        try:
            with self.brain.locked():
                fingerprint = self.brain.files.replace(memory.path, new, digest(data), memory.id)
                if touch:
                    self.brain.note(lambda: self._touch(memory.id))
                self.brain.tell_index(seen(memory.path, new, fingerprint))
        except FileNotFoundError:
            raise self.gone(memory) from None
        except Surprise as surprise:
            self.brain.sync(now=True)
            raise self._changed(self.brain.known(memory.id) or memory, surprise.kept_as) from None

    def _touch(self, id: str) -> None:
        """A memory that was written again starts its drift anew."""
        now = stamp(self.brain.clock())
        if record := self.brain.ledger.records([id]).get(id):
            self.brain.ledger.scored(id, self.brain.scores.settle_drift(record, now), now)

    def gone(self, memory: Memory) -> Refused:
        """What became of a memory whose file went away under our hands."""
        self.brain.sync(now=True)
        return self.brain.finder.unknown(memory.id)

    def as_it_stands(self, memory: Memory) -> tuple[Memory, bytes]:
        """Under the lock: the memory as its file says it now; FileNotFoundError when it is no longer this one."""
        try:
            data, fingerprint = self.brain.files.read(memory.path)
            found = seen(memory.path, data, fingerprint).memory
        except Unreadable:
            found = None
        if found is None or found.id != memory.id:
            raise FileNotFoundError(memory.path)
        return found, data

    def _changed(self, memory: Memory, kept_as: str = "") -> Changed:
        also = f" A second change made in that instant was kept beside it as {kept_as}." if kept_as else ""
        return Changed(
            f"'{memory.id}' changed since you read it; retrieve it, then call memory_update again.{also} It now says:",
            memory.content,
        )
