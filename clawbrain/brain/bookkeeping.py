"""Keep the ledger up to date: what operations did, which memories searches showed, and which files people added.

The files are changed before anything is noted, so an error of the ledger never undoes a change.
"""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .. import credit
from ..errors import Broken, Busy
from ..memory.model import stamp
from ..recalls import RETRIEVE
from ..storage.turn_log import LoggedSearch

if TYPE_CHECKING:
    from . import Brain


class Bookkeeping:
    """Writes to the ledger of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def note_waiting(self) -> None:
        """Move searches from the turn log into the ledger, give new files credit records, back up when that is due."""
        if self.brain.read_only or not (self.brain.syncing.changed or self.brain.turns.waiting()):
            return
        self.note(lambda: None)
        self._back_up()

    def _back_up(self) -> None:
        try:
            if self.brain.ledger.backup_due():
                with self.brain.storage.locked():
                    self.brain.ledger.backup()
        except (Broken, Busy, OSError) as error:
            self.brain.warn(f"the ledger could not be backed up ({error}).")

    def note(self, work: Callable[[], object], *ids: str) -> None:
        """Do some work that notes in the ledger what is done already; an error becomes a warning and is not raised."""
        try:
            with self.deciding(*ids):
                work()
        except (Broken, Busy) as error:
            self.brain.warn(f"{error} Credit and turns of this call are not kept.")
        except OSError as error:
            self.brain.warn(f"the ledger could not be written ({error}): credit and turns of this call are not kept.")

    def note_opened(self, id: str, session: str) -> None:
        """Note that a session opened a memory, as an access and in its turn."""
        at, origin = stamp(self.brain.clock()), self.brain.origin
        if origin.event:
            origin = origin._replace(event=RETRIEVE)

        def work() -> None:
            self.brain.ledger.count_access(id, at)
            self.brain.ledger.record_opening(id, session, at, os.urandom(8).hex(), origin)

        self.note(work, id)

    def note_used(self, ids: Collection[str]) -> None:
        """Note an access of memories that nobody opened by name."""
        at = stamp(self.brain.clock())

        def work() -> None:
            for id in ids:
                self.brain.ledger.count_access(id, at)

        self.note(work, *ids)

    @contextmanager
    def deciding(self, *ids: str) -> Iterator[None]:
        """Hold the lock and a ledger transaction, after noting what waits; these memories have credit records then."""
        with self.brain.storage.locked():
            self.brain.ledger.refresh()
            self.brain.turns.move(self._record_searches)
            if self.brain.syncing.changed or (ids and len(self.brain.ledger.records(ids)) < len(ids)):
                self._adopt()
            with self.brain.ledger.writing():
                yield

    def _record_searches(self, searches: Sequence[LoggedSearch]) -> None:
        with self.brain.ledger.writing():
            self.brain.ledger.record_searches(searches)

    def _adopt(self) -> None:
        """Give files without a credit record one, and note the archived files that a killed process did not note."""
        at, live, recorded = stamp(self.brain.clock()), self.brain.index.ids(), self.brain.ledger.records()
        fresh = self.brain.index.several(live - recorded.keys()).values()
        gone = recorded.keys() - live
        archived = {id: path for id in gone if (path := self.brain.archiver.unnoted_path(recorded[id].path))}
        if fresh or archived:
            with self.brain.ledger.writing():
                for memory in sorted(fresh, key=lambda memory: (memory.created, memory.id)):
                    self.brain.ledger.adopt(memory, at, credit.DECAY_PER_DAY[memory.type])
                for id, path in archived.items():
                    self.brain.ledger.archive_record(id, path, at)
        self.brain.syncing.changed = False
