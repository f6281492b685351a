"""An open home: its files, ledger and index, the clock, the session, and the warnings for the next answer."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ReadOnly
from ..logs import WARNING, Log
from ..memory.model import Memory
from ..storage import Storage
from ..storage.folders import MEMORY
from ..storage.handed import HandedOver
from ..storage.ledger_file import HOME_ID
from ..storage.noticed import NoticedFile
from ..storage.patience import attempt, giving_way, hurried
from ..storage.sound_mark import trusting
from ..storage.sync import COARSE, Sync
from .calling import CallingSession

if TYPE_CHECKING:
    from .whereabouts import Whereabouts

log = Log("storage")


MOMENT = 0.2  # seconds for which work that can wait, or be tried again, waits for the store
READING = 0.7  # seconds that an operation which only reads waits for other processes, in all
_WARNINGS_SHOWN = 5  # in an answer


@contextmanager
def reading() -> Iterator[None]:
    """Return a block, or a decorator of a function, that does not wait long for what another process holds.

    It reads the files and the rows that were last readable then, with a warning.
    """
    with hurried(READING):
        yield


@contextmanager
def yielding() -> Iterator[None]:
    """Return a block of an operation that changes something while others wait for this process.

    It gives way to them as long as another process holds the store: Busy is raised soon then, and nothing is changed.
    """
    with giving_way(MOMENT):
        yield


def has_not_begun() -> bool:
    """Tell whether an operation within `yielding` does not hold the store yet."""
    return attempt() is not None


@contextmanager
def quickly() -> Iterator[None]:
    """Return a block of a hook, for which a person waits: it reads as in `reading`, and does not check a file again
    that is as it was when it was last found sound."""
    with reading(), trusting():
        yield


class OpenHome:
    """The parts of one open home that every operation needs. It makes the `Storage`, the only one of this brain."""

    def __init__(
        self,
        home: Path,
        *,
        session: str | None,
        read_only: bool,
        make: bool,
        clock: Callable[[], datetime],
        at: Callable[[str], None],
    ) -> None:
        self.home, self.clock, self.at = home, clock, at
        self.read_only, self.makes = read_only, make and not read_only
        self.calling = CallingSession()
        self.act_for(CallingSession(session))
        with reading():  # what another process holds is opened by the first operation that needs it
            self.storage = Storage(home, clock, read_only=read_only, make=make, at=at)
        self.index, self.ledger = self.storage.index, self.storage.ledger
        self.noticed = NoticedFile(self.storage.folder)
        self.files, self.turns, self.handed = self.storage.files, self.storage.turns, HandedOver(self.storage.folder)
        self.syncing = Sync(self.files, self.index)
        self.unserved = ""  # what a server says of layers that are gone, with each answer and refusal
        self._last_moment = ""
        self.why_read_only = "this home was opened for reading only"
        self.hindered = False  # True: it is only read because of what `why_read_only` says, until that is gone
        self._warnings: dict[str, None] = {}  # in order, each one once

    @property
    def session(self) -> str | None:
        """The session that searches and retrieves are noted in as turns; without one they are not noted."""
        return self.calling.session

    @session.setter
    def session(self, session: str | None) -> None:
        self.act_for(replace(self.calling, session=session))

    def act_for(self, calling: CallingSession) -> None:
        """Do what follows for this session. A home that is opened for reading notes no turns."""
        self.calling = replace(calling, session=None) if self.read_only else calling

    def may_write(self) -> None:
        """Raise ReadOnly where the home was opened for reading only."""
        if self.read_only:
            raise ReadOnly(f"{self.why_read_only}; nothing was changed.")

    def locked(self) -> AbstractContextManager[None]:
        """Hold the store's lock; the same thread may take it again. Raises Busy when it is not free in time."""
        return self.storage.locked()

    def whereabouts(self) -> "Whereabouts":
        """Return what tells whether this home still stands where it was opened. The caller closes it."""
        from .whereabouts import Whereabouts  # only servers outlive a move

        return Whereabouts(self.home, self.ledger.note_of(HOME_ID))

    def layer_places(self) -> "dict[str, Whereabouts]":
        """Return the same of each home that is served as a layer, by the layer's name."""
        return {}

    # Time

    def today(self) -> str:
        """Return the day as YYYY-MM-DD."""
        return f"{self.clock():%Y-%m-%d}"

    def next_moment(self) -> str:
        """Return the time, later than every one returned before in this process, so that notes keep their order."""
        moment = self.clock()
        while (text := moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")) <= self._last_moment:
            moment += timedelta(microseconds=1)
        self._last_moment = text
        return text

    # Warnings

    def warn(self, sentence: str) -> None:
        """Add a warning to the next answer, once."""
        self._warnings.setdefault(sentence)

    def warn_first(self, sentences: Iterable[str]) -> None:
        """Add warnings before those that wait already."""
        self._warnings = dict.fromkeys([*sentences, *self._warnings])

    def first_warnings(self) -> list[str]:
        """Return the warnings that an answer has room for, and how many more there are; all of them are forgotten."""
        taken = self.take_warnings()
        more = len(taken) - _WARNINGS_SHOWN
        return [*taken[:_WARNINGS_SHOWN], f"and {more} more"] if more > 0 else taken

    def take_warnings(self) -> list[str]:
        """Return the warnings since the last answer, and forget them."""
        for sentence in self.ledger.warnings:
            log(WARNING, "%s", sentence)
        taken = [*self.ledger.warnings, *self.files.recovered, *self.index.warnings, *self._warnings]
        self.ledger.warnings, self.index.warnings, self._warnings = [], [], {}
        self.files.recovered.clear()
        return list(dict.fromkeys(taken))

    # Files, index and ledger, for callers that know the brain alone

    def fill_index(self) -> None:
        """Scan the files where that was never done to the end, or the index holds nothing.

        For callers that do not wait for scans: so it is in a repository's clone, and in a home that cannot be written.
        """
        self.syncing.fill()

    def outdated(self, shown: Iterable[Memory]) -> dict[str, Memory | None]:
        """Return those of these memories whose files changed since the last scan, as they are now; None for gone.

        For hooks, which do not scan: what they hand over must be what the files say.
        """
        memories = list(shown)
        known = self.index.known([memory.path for memory in memories])
        scanned_at = int((self.index.last_scan()[0] - COARSE) * 1e9)
        found: dict[str, Memory | None] = {}
        for memory in memories:
            now = self.files.fingerprint(memory.path)
            if now == known.get(memory.path) and now is not None and now.mtime_ns < scanned_at:
                continue
            seen = self.syncing.see(memory.path) if now else None
            fresh = seen.memory if seen else None
            if fresh != memory:
                found[memory.id] = fresh if fresh and fresh.id == memory.id else None
        return found

    def file_of(self, memory: Memory) -> Path:
        """Return the path of a memory's file."""
        return self.home / MEMORY / memory.path

    def places(self, ids: Collection[str]) -> dict[str, int]:
        """Return the place of each memory in the order of storing, except of those the ledger does not know yet."""
        return self.ledger.places(ids)

    def file_names(self, ids: Iterable[str]) -> list[str]:
        """Return the name of each memory's file, without its folder and ending; unknown ids are left out."""
        return [Path(memory.path).stem for id in ids if (memory := self.index.get(id))]

    def names_in_turns(self, ids: Sequence[str]) -> list[str]:
        """Return the names by which turns of this home's ledger know these memories."""
        return list(ids)

    def rarity(self, terms: Collection[str]) -> dict[str, float]:
        """Return how much each word tells, from 0 (every memory holds it) to 1 (it is rare)."""
        telling, rarest = self.index.telling(terms), self.index.rarest()
        return {term: min(1.0, telling[term] / rarest) for term in terms}

    def akin(self, terms: Collection[str]) -> dict[str, tuple[str, ...]]:
        """Return the words that mean nearly the same as each word, in several languages; none for a name."""
        from ..storage.candidates import families

        return {term: families().of(term) for term in terms}

    def called(self, words: Collection[str], category: str, limit: int) -> list[Memory]:
        """Return the memories of a category that have any of some words, as written, in their name or tags."""
        return self.index.called(words, category, limit)

    def mentioning(self, words: Collection[str], limit: int) -> list[Memory]:
        """Return the memories that have any of some words, as written, in their text, the nearest first."""
        return self.index.mentioning(words, limit)

    def open_sessions(self) -> list[tuple[str, int, int, str]]:
        """Return the open sessions, newest first: id, the server's process, and the parent that started it."""
        return self.ledger.open_sessions()

    def kept_note(self, key: str) -> str | None:
        """Return the line about the whole store that is kept under a key, or None."""
        return self.ledger.note_of(key)

    def keep_note(self, key: str, value: str) -> None:
        """Set the line about the whole store under a key. The caller is within `deciding()` or `note()`."""
        self.ledger.set_note(key, value)

    def log(self, most: int) -> list[dict[str, Any]]:
        """Return the latest entries of the log of actions, newest first."""
        return self.ledger.latest_log(most)
