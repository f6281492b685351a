"""Keep the ledger up to date: what operations did, which memories searches showed, and which files people added.

The files are changed before anything is noted, so an error of the ledger never undoes a change.
"""

import json
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import credit
from ..errors import Broken, Busy
from ..memory.model import stamp
from ..recalls import RETRIEVE
from ..storage.patience import hurried
from ..storage.turn_log import LoggedSearch
from .open_home import MOMENT

if TYPE_CHECKING:
    from . import Brain


_MOVED = "moved_openings"  # the note of the ids of the openings that the last move of the turn log took in


def _reason(error: Exception) -> str:
    """Return the reason of an error, of one of the system without the path that it names."""
    return str(error.strerror or error) if isinstance(error, OSError) else str(error)


class Bookkeeping:
    """Writes to the ledger of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def note_waiting(self) -> None:
        """Move searches from the turn log into the ledger, give new files credit records, back up when that is due."""
        if self.brain.read_only or not (self.brain.syncing.changed or self.brain.turns.waiting()):
            return
        if self.note_if_free(lambda: None):
            self._back_up()

    def _back_up(self) -> None:
        try:
            if self.brain.makes and self.brain.ledger.backup_due():
                with self.brain.storage.locked():
                    self.brain.ledger.backup()
        except (Broken, Busy, OSError) as error:
            self.brain.warn(f"the ledger could not be backed up ({_reason(error)}).")

    def note(self, work: Callable[[], object], *ids: str) -> None:
        """Do some work that notes in the ledger what is done already; an error becomes a warning and is not raised."""
        try:
            with self.deciding(*ids):
                work()
        except (Broken, Busy, OSError) as error:
            self._warn_unkept(error)

    def note_if_free(self, work: Callable[[], object]) -> bool:
        """Do some work that can wait, like `note`; return False where another process holds the store for longer than
        a moment."""
        try:
            with hurried(MOMENT), self.deciding():
                work()
        except Busy:
            return False
        except (Broken, OSError) as error:
            self._warn_unkept(error)
        return True

    def _warn_unkept(self, error: Exception) -> None:
        said = f"the ledger could not be written ({_reason(error)})." if isinstance(error, OSError) else f"{error}"
        self.brain.warn(f"{said} Credit and turns of this call are not kept.")

    def note_opened(self, id: str, session: str, *, elsewhere: bool = False) -> None:
        """Note that a session opened a memory, as an access and in its turn; one of another home has no record here.

        While another process holds the store this goes to the turn log, from which it is moved later.
        """
        at, origin = stamp(self.brain.clock()), self.brain.origin
        if origin.event:
            origin = origin._replace(event=RETRIEVE)
        opened = LoggedSearch(os.urandom(8).hex(), session, at, [id], (), origin, opened=True)
        try:
            with self.deciding(*(() if elsewhere else (id,))):
                self._record_opening(opened)
        except Busy:
            self._put_off(opened)
        except (Broken, OSError) as error:
            self._warn_unkept(error)

    def with_waiting(self, earned: credit.Credit, id: str) -> credit.Credit:
        """Return what a memory has earned with the openings counted that are still in the turn log."""
        if not (waiting := self.brain.turns.openings(id)):
            return earned
        known = self._moved_openings()
        later = [each.at for each in waiting if each.id not in known]
        count, last = earned.access_count + len(later), max([earned.last_accessed or "", *later])
        return replace(earned, access_count=count, last_accessed=last or None)

    def note_used(self, ids: Collection[str]) -> None:
        """Note an access of memories that nobody opened by name, or whose turn is in another home.

        While another process holds the store this goes to the turn log, as in `note_opened`.
        """
        used = LoggedSearch(os.urandom(8).hex(), "", stamp(self.brain.clock()), list(ids), opened=True)
        try:
            with self.deciding(*ids):
                self._record_opening(used)
        except Busy:
            self._put_off(used)
        except (Broken, OSError) as error:
            self._warn_unkept(error)

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
        """Take in lines of the turn log. Those of the last move are known, should it have been killed at its end."""
        ledger = self.brain.ledger
        openings = [each.id for each in searches if each.opened]
        known = self._moved_openings() if openings else []
        opened = {id for each in searches if each.opened for id in each.ids}
        if len(ledger.records(opened)) < len(opened):
            self._adopt()  # a file that nobody had adopted when it was read
        with ledger.writing():
            for each in searches:
                if not each.opened:
                    ledger.record_searches([each])
                elif each.id not in known:
                    self._record_opening(each)
            if openings:
                ledger.set_note(_MOVED, json.dumps(openings))

    def _moved_openings(self) -> list[str]:
        """Return the ids of the openings that the last move of the turn log took in."""
        return list(json.loads(self.brain.ledger.note_of(_MOVED) or "[]"))

    def _record_opening(self, opened: LoggedSearch) -> None:
        for id in opened.ids:
            self.brain.ledger.count_access(id, opened.at)
            if opened.session:
                self.brain.ledger.record_opening(id, opened.session, opened.at, opened.id, opened.origin)

    def _put_off(self, opened: LoggedSearch) -> None:
        try:
            self.brain.turns.append(opened.session, opened.at, opened.ids, (), opened.origin, opened=True)
            self.brain.warn("another program holds the store: that this memory was read is written there later.")
        except OSError as error:
            self.brain.warn(f"that this memory was read could not be noted ({error.strerror}).")

    def _adopt(self) -> None:
        """Give files without a credit record one, and note the archived files that a killed process did not note."""
        at, live, recorded = stamp(self.brain.clock()), self.brain.index.ids(), self.brain.ledger.records()
        fresh = self.brain.index.several(live - recorded.keys()).values()
        gone = recorded.keys() - live
        archived = {id: path for id in gone if (path := self.brain.archiver.unnoted_path(recorded[id].path))}
        if fresh or archived:
            with self.brain.ledger.writing():
                for memory in sorted(fresh, key=lambda memory: (memory.created, memory.id)):
                    digest = self.brain.index.digest(memory.path)
                    self.brain.ledger.adopt(memory, at, credit.DECAY_PER_DAY[memory.type], digest or "")
                for id, path in archived.items():
                    self.brain.archiver.note_archived(id, path, at)
        self.brain.syncing.changed = False
