"""Write a memory's file: create it, edit it, or replace its text.

A session remembers the text it last read of each memory, so that what somebody else wrote since is never overwritten
unseen. storage/files finishes what a killed process left half done; the next scan finds what it did not note.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import credit
from ..errors import AlreadyExists, Changed, Invalid, Refused
from ..memory.header import Unreadable
from ..memory.model import Fingerprint, Memory, digest, stamp
from ..memory.text import amended, body, checked, content_of, render
from ..storage.recovery import Surprise
from ..storage.sync import seen

if TYPE_CHECKING:
    from . import Brain

_UNSTORED = Fingerprint(0, 0, 0, 0)  # of a text before it is a file


class Writer:
    """The writing of memory files in one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def note_read(self, id: str, data: bytes) -> None:
        """Remember the text of a memory's file that this session has read."""
        self.brain.calling.texts.note_read(id, _text_digest(data))

    def note_written(self, id: str, data: bytes) -> None:
        """Remember the text of a memory's file that this session has written."""
        self.brain.calling.texts.note_written(id, _text_digest(data))

    def forget_text(self, id: str) -> None:
        """Forget which text of a memory this session has read."""
        self.brain.calling.texts.forget(id)

    def refuse_changed(self, memory: Memory, data: bytes) -> None:
        """Raise Changed where a memory's text is not the one that this session last read. Its header does not count:
        what others keep there stays through an update of the text."""
        current = _text_digest(data)
        if self.brain.calling.texts.last(memory.id, current) != current:
            self.brain.calling.texts.note_refused(memory.id, current)
            raise self._changed(memory)

    def create(self, memory: Memory, at: str = "", aged: str = "") -> Memory:
        """Write the file of a new memory, its credit record and its place in the index.

        Its score begins `at` a time, by default the memory's date; its age counts from `aged`, by default the same.
        Raises AlreadyExists where its id or path is taken, Invalid where its file could not be read again.
        """
        memory = self.brain.secrets.memory(memory)
        data = render(memory)
        fresh = seen(memory.path, data, _UNSTORED)
        if fresh.fault:  # a file that could not be read again is not written, for example one whose header is too large
            raise Invalid(f"this would make a file that cannot be served: {fresh.fault}.")
        with self.brain.storage.locked():
            self._refuse_taken(memory)
            try:
                fingerprint = self.brain.files.create(memory.path, data, fresh.digest)
            except AlreadyExists as error:
                raise self._taken(memory, str(error)) from None
            rate, began, session = credit.DECAY_PER_DAY[memory.type], at or memory.created, self.brain.session
            self.brain.bookkeeping.note(lambda: self.brain.ledger.add_record(memory, began, session, rate, aged))
            self.brain.index.put([replace(fresh, fingerprint=fingerprint)])
        self.note_written(memory.id, data)
        self._fulfil_wishes()
        return memory

    def adopt(self, memory: Memory, earned: credit.Credit | None = None) -> Memory:
        """Write a memory from elsewhere, with dates of its own and the overall score and counts that it has earned.

        Its credit record begins now, and like a file that a person adds it is not compared with other memories.
        Secrets in it are redacted where STRATEGY.md says to refuse them.
        """
        brain, now = self.brain, stamp(self.brain.clock())
        brain.may_write()
        with brain.secrets.redacting(memory.path):
            made = self.create(checked(memory), now)
        if earned:
            decay = brain.policy.settings().decay
            brain.bookkeeping.note(lambda: brain.scores.take_over(made.id, earned, now, decay))
        return made

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
        """Edit a memory under the lock: `change` gets it as its file has it, so that no edit overwrites another.

        A memory as target is one the caller has just found. With `as_read`, Changed is raised where its text changed
        since this session last read it.
        """
        self.brain.may_write()
        memory = target if isinstance(target, Memory) else self.brain.finder.load(target)[0]
        for _ in range(3):
            try:
                with self.brain.storage.locked():
                    return self._amended(memory, change, as_read)
            except FileNotFoundError:
                raise self.vanished(memory) from None
            except Changed:  # somebody saved the file meanwhile: try again with that text
                if as_read:
                    raise
        raise self._changed(memory)

    def _amended(self, memory: Memory, change: Callable[[Memory], Memory], as_read: bool) -> Memory:
        memory, data = self.read_now(memory)
        if as_read:
            self.refuse_changed(memory, data)
        changed = self.brain.secrets.memory(change(memory), before=memory)
        new = amended(data, memory, changed, stamp(self.brain.clock()))
        if new == data:
            return memory
        rewritten = body(new) != body(data)
        self.replace(memory, data, new, touch=rewritten)
        if rewritten:
            self.note_written(memory.id, new)
        elif not self.brain.calling.texts.last(memory.id, ""):  # else the text that was read before counts
            self.note_read(memory.id, new)
        return self.brain.index.get(memory.id) or memory

    def replace(self, memory: Memory, data: bytes, new: bytes, touch: bool = True) -> None:
        """Replace a memory's bytes, if the file still has the bytes that were read. Raises Changed, NotFound."""
        try:
            with self.brain.storage.locked():
                if not self.brain.ledger.life_of(memory.id):
                    self.brain.bookkeeping.note(lambda: None, memory.id)  # the replaced text is kept by its life
                fingerprint = self.brain.files.replace(memory.path, new, digest(data), memory.id)
                if touch:
                    self.brain.bookkeeping.note(lambda: self._touch(memory.id))
                    self._fulfil_wishes()
                self.brain.tell_index(seen(memory.path, new, fingerprint))
        except FileNotFoundError:
            raise self.vanished(memory) from None
        except Surprise as surprise:
            self.brain.sync(now=True)
            raise self._changed(self.brain.finder.known(memory.id) or memory, surprise.kept_as) from None

    def _fulfil_wishes(self) -> None:
        """Note that this session has stored something, which is what a person wished who said "remember that"."""
        if self.brain.session:
            self.brain.noticed.fulfil(self.brain.session)

    def _touch(self, id: str) -> None:
        """Restart the drift of a memory whose text was changed."""
        now = stamp(self.brain.clock())
        if record := self.brain.ledger.records([id]).get(id):
            score = self.brain.scores.note_drift(record, now, self.brain.policy.settings().decay)
            self.brain.ledger.set_score(id, score, now)

    def vanished(self, memory: Memory) -> Refused:
        """Return the error that says what became of a memory whose file vanished during an operation."""
        self.brain.sync(now=True)
        return self.brain.finder.missing(memory.id)

    def read_now(self, memory: Memory) -> tuple[Memory, bytes]:
        """Return a memory and its bytes as its file is now. Raises FileNotFoundError where the file is another's.

        The caller holds the lock.
        """
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
            f"'{memory.id}' changed since you read it; retrieve it, then repeat your change.{also} It now says:",
            memory.content,
        )


def _text_digest(data: bytes) -> str:
    """Return the hash of a file's text, without its header."""
    return digest(content_of(data).encode())
