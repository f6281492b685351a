"""The operations on a home (`Brain`); only brain/ changes the memory files and the ledger and index together.

Each operation checks its arguments, takes the lock, changes the file, notes that in the ledger and updates the index.
Once the file is changed the operation has succeeded. A later error of the ledger or the index is a warning, never a
failure, because the next scan of the files finds whatever they missed.

This module has the operations of an agent. Their parts are in the other modules: finding a memory (lookup), writing
its file (writer), the archive, the ledger's notes (bookkeeping), current scores (scores), STRATEGY.md (policy).
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..credit import Credit, Kind
from ..errors import Broken, ClawbrainError, ReadOnly, Refused
from ..logs import WARNING, Log, log_step
from ..memory import model as memories
from ..memory.model import Memory, shown, stamp, utc_now
from ..memory.text import checked, rewritten
from ..recalls import NOWHERE, RETRIEVE, Origin
from ..storage import Storage
from ..storage.files import MEMORY, MemoryFiles
from ..storage.filter import Filter
from ..storage.handed import HandedOver
from ..storage.index import Seen
from ..storage.sync import Sync
from ..storage.turn_log import TurnLog
from . import sessions
from .bookkeeping import Bookkeeping
from .declared import Declared, declared
from .listing import Listing
from .lookup import Finder
from .owner import OwnerActions
from .policy import STRATEGY, Policy
from .results import Feedback, Put, Ranked, Report, Retrieved, Run, Stored, Updated
from .schedule import due
from .scores import Scores
from .writer import Writer

if TYPE_CHECKING:
    from ..briefing import Briefing
    from ..briefing.groups import Project
    from ..storage.conversations import Records
    from ..storage.plain_files import PlainFolder
    from .archiver import Archiver
    from .audit_log import Audit
    from .briefing import Briefings
    from .check import Checks
    from .compact import CompactionRuns
    from .conflicts import Conflicts
    from .feedback import Learning
    from .history import History
    from .recalls import Recalls
    from .searching import Searching

log = Log("storage")

DIGEST = f"{MEMORY}/MEMORY.md"


def default_home() -> Path:
    """Return the home named by CLAWBRAIN_HOME, or ~/clawbrain.

    The working directory is never used, because a cloned repository must not become somebody's memory.
    """
    named = os.environ.get("CLAWBRAIN_HOME")
    return Path(named).expanduser() if named else Path.home() / "clawbrain"


def open_brain(
    home: Path | None = None,
    *,
    session: str | None = None,
    read_only: bool = False,
    clock: Callable[[], datetime] = utc_now,
    at: Callable[[str], None] = log_step,
) -> "Brain":
    """Open a home, and make it on first use. Without a session, searches and retrieves are not noted as turns.

    A home that cannot be written is opened for reading, with a warning. Raises Broken where it cannot be opened at all.
    """
    if sys.platform == "win32":
        raise Broken("Windows is not supported yet: its file system lacks what keeps a memory whole.")
    home = Path(os.path.abspath(home or default_home()))
    if home.exists() and not home.is_dir():
        raise Broken("the home is a file, not a folder: name another with --home.")
    try:
        return Brain(home, session=session, read_only=read_only, clock=clock, at=at)
    except OSError as error:
        if read_only:
            raise Broken(f"the home cannot be opened ({error.strerror}).") from None
        brain = Brain(home, session=None, read_only=True, clock=clock, at=at)
        brain.warn(f"the home cannot be written ({error.strerror}): reading only.")
        return brain


class Brain:
    """One open home."""

    def __init__(
        self,
        home: Path,
        *,
        session: str | None,
        read_only: bool,
        clock: Callable[[], datetime],
        at: Callable[[str], None],
    ) -> None:
        self.home, self.clock, self.at = home, clock, at
        self.session = None if read_only else session
        self.read_only = read_only
        self.files = MemoryFiles(home, at, clock)
        self.storage = Storage(home, clock, read_only=read_only, at=at)
        self.index, self.ledger, self.locked = self.storage.index, self.storage.ledger, self.storage.locked
        self.turns, self.handed = TurnLog(self.storage.folder), HandedOver(self.storage.folder)
        self.syncing = Sync(self.files, self.index)
        self.finder, self.writer, self.bookkeeping = Finder(self), Writer(self), Bookkeeping(self)
        self.scores, self.policy = Scores(self), Policy(self)
        self.owner = OwnerActions(self)
        # The parts that most operations use, under short names:
        self.find, self.known, self.load = self.finder.find, self.finder.known, self.finder.load
        self.create, self.amend, self.replace = self.writer.create, self.writer.amend, self.writer.replace
        self.note, self.deciding, self.note_waiting = (
            self.bookkeeping.note,
            self.bookkeeping.deciding,
            self.bookkeeping.note_waiting,
        )
        self.credits = self.scores.credits
        self.settings, self.strategy = self.policy.settings, self.policy.strategy
        self.strategy_text, self.without_secrets = self.policy.strategy_text, self.policy.without_secrets
        self.listed = Listing(self.index)
        self.origin: Origin = NOWHERE
        """Where searches come from; a server and a hook set it."""
        self.after_answer: dict[str, Callable[[], object]] = {}
        """Calls to make after an answer, by what each does (as its warning says when it fails)."""
        self._last_moment = ""
        self._warnings: dict[str, None] = {}  # in order, each one once
        self._mentioned: set[str] = set()
        self._asked_when_due = self._session_opened = False
        if not read_only:
            self._begin()

    def _begin(self) -> None:
        """Make the first files of a new home, and finish what killed processes left half done."""
        for name in self.files.links():
            self.warn(f"the folder {name} is a link, and none is followed: put the folder itself into the home.")
        with self.locked():
            self.files.recover()
            if found := len(self.files.recovered):
                log(WARNING, "%d changes that a killed process had begun were finished or taken back", found)
            if not self.ledger.note_of("furnished"):
                self._furnish()
        if self.ledger.runs("running"):
            self.compaction.resume()

    def _furnish(self) -> None:
        from ..strategy import DEFAULT_TEXT

        if not self.files.links():
            self.files.furnish()
        if not (self.home / STRATEGY).exists():
            self.files.write_plain(STRATEGY, DEFAULT_TEXT.encode())
        with self.ledger.writing():
            self.ledger.set_note("furnished", stamp(self.clock()))

    def today(self) -> str:
        return f"{self.clock():%Y-%m-%d}"

    def next_moment(self) -> str:
        """Return the time, later than every one returned before in this process, so that notes keep their order."""
        moment = self.clock()
        while (text := moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")) <= self._last_moment:
            moment += timedelta(microseconds=1)
        self._last_moment = text
        return text

    def close(self) -> None:
        """Wait for a scan, write down what waits to be noted, end the session and close the files."""
        self.syncing.finish()
        self.settle()
        if self.session and self._session_opened:
            session = self.session
            self.note(lambda: self.ledger.close_session(session, os.getpid(), stamp(self.clock())))
        self.storage.close()

    def release(self) -> None:
        """Close the files but not the session; the next call writes down what waits to be noted."""
        self.storage.close()

    def __enter__(self) -> "Brain":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open_session(self) -> None:
        """Note which process started this server, so that hooks and commands find its session."""
        if self.session:
            self._session_opened = True
            session, began = self.session, stamp(self.clock())
            self.note(lambda: self.ledger.open_session(session, os.getpid(), sessions.parent(), began))

    def open_sessions(self) -> list[tuple[str, int, int, str]]:
        """Return the open sessions, newest first: id, the server's process, and the parent that started it."""
        return self.ledger.open_sessions()

    # Warnings

    def warn(self, sentence: str) -> None:
        """Add a warning to the next answer, once."""
        self._warnings.setdefault(sentence)

    def warn_first(self, sentences: Iterable[str]) -> None:
        """Add warnings before those that wait already."""
        self._warnings = dict.fromkeys([*sentences, *self._warnings])

    def take_warnings(self) -> list[str]:
        """Return the warnings since the last answer, and forget them."""
        for sentence in self.ledger.warnings:
            log(WARNING, "%s", sentence)
        taken = [*self.ledger.warnings, *self.files.recovered, *self.index.warnings, *self._warnings]
        self.ledger.warnings, self.files.recovered, self.index.warnings, self._warnings = [], [], [], {}
        return taken

    # Keeping up with the files

    def sync(self, progress: Callable[[int, int], None] | None = None, *, now: bool = False) -> None:
        """Bring the index up to date with the files; `now` makes a full scan however large the store is.

        Warns of files that vanished in great number and of broken files.
        """
        if now:
            self.syncing.scan(progress)
        else:
            self.syncing.before_answer()
        if self.syncing.vanished:
            gone, known = self.syncing.vanished
            self.syncing.vanished = None
            self.warn(
                f"{gone} of {known} memory files vanished at once: nothing was forgotten; "
                "if that was not meant, bring the files back (git checkout?) and all is as before."
            )
        if self.syncing.unsaid:
            self.syncing.unsaid = False
            self._mention_faults()

    def _mention_faults(self) -> None:
        """Warn of each broken file, once in this process."""
        for path, fault in self.faults():
            if path not in self._mentioned:
                self._mentioned.add(path)
                self.warn(f"left out {shown(path, 200)[1:-1]}: {fault}.")

    def faults(self) -> list[tuple[str, str]]:
        """Return every file that is left out, with the reason."""
        return self.index.faults() + [(name, "its name is not UTF-8: rename it") for name in self.files.nameless]

    def settle(self) -> None:
        """Write down what waits to be noted, and call what `after_answer` holds. Called after each answer."""
        self.note_waiting()
        for what, work in self.after_answer.items():
            try:
                work()
            except (ClawbrainError, sqlite3.Error, OSError) as error:
                self.warn(f"{what} could not be done ({error}).")

    def tell_index(self, *fresh: Seen, gone: Collection[str] = ()) -> None:
        """Put files that were just read or written into the index, and remove those that are gone."""
        self.index.put(fresh, gone)
        if any(each.fault for each in fresh):
            self._mention_faults()

    # What an agent should know before it asks

    def briefing(self, project: "Project | None" = None) -> "Briefing":
        """Return the briefing for a session that begins; files are not scanned for it, so that it is quick."""
        return self.briefings.compose(project)

    def digest_text(self) -> str:
        """Return the digest, rendered from the memories as they are now."""
        from ..digest import render

        self.sync()
        return render(self.briefings.everything(), self.settings(), self.briefings.now())

    def write_digest(self) -> None:
        """Write the digest to MEMORY.md."""
        self.may_write()
        text = self.digest_text()
        with self.locked():
            self.files.write_plain(DIGEST, text.encode())

    # Notes of one line about the whole store, kept in the ledger

    def kept_note(self, key: str) -> str | None:
        """Return the note under a key, or None."""
        return self.ledger.note_of(key)

    def keep_note(self, key: str, value: str) -> None:
        """Set the note under a key. The caller is within `deciding()` or `note()`."""
        self.ledger.set_note(key, value)

    # Parts that are imported on first use, to keep the start of a process short

    @cached_property
    def searching(self) -> "Searching":
        from .searching import Searching  # a session's start searches for nothing, and should be quick

        return Searching(self)

    @cached_property
    def learning(self) -> "Learning":
        from .feedback import Learning  # few calls are feedback

        return Learning(self)

    @cached_property
    def briefings(self) -> "Briefings":
        from .briefing import Briefings  # only the start of a session and the digest need it

        return Briefings(self)

    @cached_property
    def recalls(self) -> "Recalls":
        from .recalls import Recalls  # only hooks and commands need it

        return Recalls(self)

    @cached_property
    def away(self) -> "Archiver":
        from .archiver import Archiver  # few sessions archive or restore

        return Archiver(self)

    @cached_property
    def conflicts(self) -> "Conflicts":
        from .conflicts import Conflicts  # only writers compare texts

        return Conflicts(self)

    @cached_property
    def compaction(self) -> "CompactionRuns":
        from .compact import CompactionRuns  # planning imports much that no search needs

        return CompactionRuns(self)

    @cached_property
    def checks(self) -> "Checks":
        from .check import Checks

        return Checks(self)

    @cached_property
    def history(self) -> "History":
        from .history import History

        return History(self)

    @cached_property
    def audit(self) -> "Audit":
        from .audit_log import Audit

        return Audit(self)

    @property
    def declared(self) -> Declared:
        """The kinds and aliases that all sets of tools declare, whichever of them is served."""
        return declared()

    def shelf(self, folder: str, hint: str = "") -> "PlainFolder":
        """Return a folder of the home for plain files that are no memories.

        The caller holds the lock when it changes something. `hint` tells, in errors, how to list the files.
        """
        from ..storage.plain_files import PlainFolder  # few sessions keep plain files

        return PlainFolder(self.home, self.at, self.clock, folder, hint)

    @cached_property
    def records(self) -> "Records":
        """The conversations and the audit log."""
        return self.storage.open_records(self.warn)

    # The operations of an agent

    def store(
        self,
        type: str,
        name: str,
        content: str,
        *,
        category: str | None = None,
        tags: Sequence[str] = (),
        pinned: bool = False,
        extra: Mapping[str, Any] = MappingProxyType({}),
    ) -> Stored:
        """Store a new memory; return it with near-duplicates and contradictions. Raises AlreadyExists, Invalid."""
        self.may_write()
        now = self.clock()
        memory = memories.new(type, name, content, now=now, category=category, tags=tags, pinned=pinned, extra=extra)
        self.sync()
        memory = self.create(memory)
        return Stored(memory, *self.conflicts.compared(memory))

    def adopt(self, memory: Memory) -> Memory:
        """Store a memory from elsewhere, with dates of its own. Its credit record begins now, and like a file that a
        person adds it is not compared with other memories."""
        self.may_write()
        memory = checked(memory)
        memory = self.create(memory, stamp(self.clock()))
        return memory

    def retrieve(self, reference: str) -> Retrieved:
        """Return a memory with its credit, and note it as opened in this session. Raises NotFound, Archived."""
        memory, data = self.load(reference)
        if self.session:
            self.note(lambda: self._note_opened(memory.id, str(self.session)), memory.id)
        self.writer.saw(memory.id, data)
        return Retrieved(memory, self.credits([memory.id]).get(memory.id, Credit()))

    def read(self, memory: Memory) -> Memory:
        """Return a memory as its file has it now, and remember its text as read; this does not count as an access."""
        try:
            memory, data = self.load(memory.id)
        except Refused:
            return memory  # its file is gone by now
        self.writer.saw(memory.id, data)
        return memory

    def _note_opened(self, id: str, session: str) -> None:
        at = stamp(self.clock())
        self.ledger.count_access(id, at)
        origin = self.origin._replace(event=RETRIEVE) if self.origin.event else self.origin
        self.ledger.record_opening(id, session, at, os.urandom(8).hex(), origin)

    def search(
        self,
        query: str,
        type: str | None = None,
        limit: int = 5,
        *,
        category: str | None = None,
        tags: Sequence[str] = (),
        since: str = "",
        until: str = "",
        only: Callable[[Memory], bool] | None = None,
        most: int = 20,
        scan: bool = True,
        noted: bool = True,
    ) -> Ranked:
        """Return the memories that answer a query and fit the filters, best first.

        `since` and `until` are days (YYYY-MM-DD, inclusive) of creation; `only` accepts or rejects each memory.
        `scan=False` answers from the last scan of the files, for hooks, which must not wait. The limit is clamped to
        1..`most`. With `noted=False` the caller, who shows other memories or another order, calls `shown` itself.
        """
        if scan:
            self.sync()
            self.warn_if_overdue()
        among = Filter(type, category, tuple(tags), since, until, only)
        ranked = self.searching.search(query, among, max(1, min(most, limit)), scan=scan)
        if noted:
            self.shown([hit.id for hit in ranked.hits], ranked.kind)
        return ranked

    def shown(self, ids: Sequence[str], kind: Kind = ()) -> None:
        """Begin a turn of this session with the memories that a search showed, in order, and the kind of its question.

        A search that showed nothing begins no turn, nor does one without a session.
        """
        if not ids or not self.session:
            return
        try:
            self.turns.append(self.session, stamp(self.clock()), ids, kind, self.origin)
        except OSError as error:
            self.warn(f"this search could not be noted as a turn ({error.strerror}).")

    def update(self, reference: str, content: str) -> Updated:
        """Replace the text of a memory. Raises Changed where it is no longer the text that this session read."""
        self.may_write()
        content = memories.check_content(self.without_secrets(content))
        memory, data = self.load(reference)
        self.writer.refuse_changed(memory, data)
        now = stamp(self.clock())
        new = rewritten(data, content, updated=now, created=memory.created)
        self.replace(memory, data, new)
        self.writer.saw(memory.id, new)
        written = self.index.get(memory.id) or memory
        return Updated(memory.id, memory.updated, self.conflicts.notice(written, former=memory.content))

    def archive(self, reference: str) -> Put:
        """Move a memory into the archive. Raises Pinned, NotFound."""
        return self.away.put(reference)

    def restore(self, reference: str, *, wanted: bool = True) -> Put:
        """Bring an archived memory back; see `Archive.bring_back`."""
        return self.away.bring_back(reference, wanted=wanted)

    # Feedback and compaction

    def feedback(self, signal: str, used_ids: Sequence[str] = ()) -> Feedback:
        return self.learning.feedback(signal, used_ids)

    def report(self, top_n: int = 10) -> Report:
        return self.learning.report(top_n)

    def compact(self, progress: Callable[[int, int, str], None] | None = None) -> Run:
        return self.compaction.compact(progress)

    def warn_if_overdue(self) -> None:
        """Warn once in a process that a compaction is due; without hooks nothing else would say so."""
        if not self._asked_when_due:
            self._asked_when_due = True
            if phases := due(self):
                self.warn(f"{' and '.join(phases)} of this store is overdue: run `clawbrain compact`.")

    # Listing

    def memories(self, type: str | None = None) -> Iterator[Memory]:
        """Return all memories, or those of a type, by id."""
        self.sync()
        return self.index.memories(type)

    def having(self, key: str, value: str | None = None) -> list[Memory]:
        """Return the memories whose header has a key (with just this value, if one is given), oldest first."""
        self.sync()
        return self.in_order(self.index.having(key, value))

    def file_of(self, memory: Memory) -> Path:
        """Return the path of a memory's file."""
        return self.home / MEMORY / memory.path

    def file_names(self, ids: Iterable[str]) -> list[str]:
        """Return the name of each memory's file, without its folder and ending; unknown ids are left out."""
        return [Path(memory.path).stem for id in ids if (memory := self.index.get(id))]

    def places(self, ids: Collection[str]) -> dict[str, int]:
        """Return the place of each memory in the order of storing, except of those the ledger does not know yet."""
        return self.ledger.places(ids)

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
        return self.index.called(words, Filter(category=category), limit)

    def in_order(self, found: Iterable[Memory]) -> list[Memory]:
        """Sort memories by creation date; of equal dates the one stored later comes later."""
        listed = list(found)
        order = {id: record.stored_seq for id, record in self.ledger.records([m.id for m in listed]).items()}
        return sorted(listed, key=lambda m: (m.created, order.get(m.id, sys.maxsize), m.id))

    def log(self, most: int) -> list[dict[str, Any]]:
        """Return the latest entries of the log of actions, newest first."""
        return self.ledger.latest_log(most)

    def may_write(self) -> None:
        """Raise ReadOnly where the home was opened for reading only."""
        if self.read_only:
            raise ReadOnly("this home was opened for reading only; nothing was changed.")
