"""The verbs. Here, and only here, the files and the sidecar meet.

Each verb reads as its story: check the words, take the lock, change the file, note it in the ledger, tell
the index. When the file is changed the deed is done; trouble with the sidecar after that is a warning, never
a failure, because whatever the ledger or the index missed is found again by the next look at the files.

Here are the verbs of an agent. What they are made of has rooms of its own: finding a memory, writing its file,
the archive, noting in the ledger, the standing of each as of now, what the owner wants.
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
from ..storage import Storage
from ..storage.candidates import Filter
from ..storage.files import MEMORY, MemoryFiles
from ..storage.index import Seen
from ..storage.sync import Sync
from ..storage.turn_log import TurnLog
from . import sessions
from .bookkeeping import Bookkeeping
from .declared import Declared, declared
from .feedback import Learning
from .listing import Listing
from .lookup import Finder
from .owner import OwnerActions
from .policy import STRATEGY, Policy
from .results import Feedback, Put, Ranked, Report, Retrieved, Run, Stored, Updated
from .schedule import due
from .scores import Scores
from .search import Searching
from .writer import Writer

if TYPE_CHECKING:
    from ..storage.conversations import Records
    from ..storage.plain_files import Shelf
    from .archive import Archive
    from .audit import Audit
    from .check import Checks
    from .compact import CompactionRuns
    from .conflicts import Conflicts
    from .history import History

log = Log("storage")

DIGEST = f"{MEMORY}/MEMORY.md"


def default_home() -> Path:
    """Never guessed from the working directory: a cloned repository must not become somebody's memory."""
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
    """Open a home, making it on first use. Without a session, looks leave no trace in the ledger."""
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
        self.turns = TurnLog(self.storage.folder)
        self.syncing = Sync(self.files, self.index)
        self.finder, self.writer, self.bookkeeping = Finder(self), Writer(self), Bookkeeping(self)
        self.scores, self.policy = Scores(self), Policy(self)
        self.owner, self.learning, self.searching = OwnerActions(self), Learning(self), Searching(self)
        # What most verbs and rooms are made of:
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
        self.after_answer: dict[str, Callable[[], object]] = {}
        """What is to be called after an answer, by what it does (as its warning says when it fails)."""
        self._last_moment = ""
        self._warnings: dict[str, None] = {}  # in order, each once
        self._mentioned: set[str] = set()
        self._asked_when_due = self._session_opened = False
        if not read_only:
            self._begin()

    def _begin(self) -> None:
        """A new home gets its first files; what a killed process left behind is finished."""
        for name in self.files.links():
            self.warn(f"the folder {name} is a link, and none is followed: put the folder itself into the home.")
        with self.locked():
            self.files.recover()
            if found := len(self.files.recovered):
                log(WARNING, "%d changes that a killed process had begun were finished or taken back", found)
            if not self.ledger.noted("furnished"):
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
            self.ledger.note("furnished", stamp(self.clock()))

    def today(self) -> str:
        return f"{self.clock():%Y-%m-%d}"

    def next_moment(self) -> str:
        """Return a moment after every other that this process asked for, so that what is noted keeps its order."""
        moment = self.clock()
        while (text := moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")) <= self._last_moment:
            moment += timedelta(microseconds=1)
        self._last_moment = text
        return text

    def close(self) -> None:
        self.syncing.finish()
        self.settle()
        if self.session and self._session_opened:
            session = self.session
            self.note(lambda: self.ledger.close_session(session, os.getpid(), stamp(self.clock())))
        self.storage.close()

    def release(self) -> None:
        """Close the files alone: the session goes on, and what waits to be noted is left to the next call."""
        self.storage.close()

    def __enter__(self) -> "Brain":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open_session(self) -> None:
        """A server writes down which process started it, so that hooks and commands find its session."""
        if self.session:
            self._session_opened = True
            session, began = self.session, stamp(self.clock())
            self.note(lambda: self.ledger.open_session(session, os.getpid(), sessions.parent(), began))

    def open_sessions(self) -> list[tuple[str, int, int, str]]:
        """Return the open sessions, newest first: id, the server's process, and the parent that started it."""
        return self.ledger.open_sessions()

    # Warnings

    def warn(self, sentence: str) -> None:
        self._warnings.setdefault(sentence)

    def warn_first(self, sentences: Iterable[str]) -> None:
        self._warnings = dict.fromkeys([*sentences, *self._warnings])

    def take_warnings(self) -> list[str]:
        """What there is to warn of since the last answer."""
        for sentence in self.ledger.warnings:
            log(WARNING, "%s", sentence)
        taken = [*self.ledger.warnings, *self.files.recovered, *self.index.warnings, *self._warnings]
        self.ledger.warnings, self.files.recovered, self.index.warnings, self._warnings = [], [], [], {}
        return taken

    # Keeping up with the files

    def sync(self, progress: Callable[[int, int], None] | None = None, *, now: bool = False) -> None:
        """Let the index know what the files say; `now` looks however large the store is."""
        if now:
            self.syncing.look(progress)
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
        """Each broken file once in the life of this process."""
        for path, fault in self.faults():
            if path not in self._mentioned:
                self._mentioned.add(path)
                self.warn(f"left out {shown(path, 200)[1:-1]}: {fault}.")

    def faults(self) -> list[tuple[str, str]]:
        """Every file that is left out, and why."""
        return self.index.faults() + [(name, "its name is not UTF-8: rename it") for name in self.files.nameless]

    def settle(self) -> None:
        """After an answer: what waits to be noted is noted, and what asked to be called then is called."""
        self.note_waiting()
        for what, work in self.after_answer.items():
            try:
                work()
            except (ClawbrainError, sqlite3.Error, OSError) as error:
                self.warn(f"{what} could not be done ({error}).")

    def tell_index(self, *fresh: Seen, gone: Collection[str] = ()) -> None:
        self.index.put(fresh, gone)
        if any(each.fault for each in fresh):
            self._mention_faults()

    # MEMORY.md

    def digest_text(self) -> str:
        """What an agent should know before it asks, rendered anew."""
        from ..digest import render

        self.sync()
        now = stamp(self.clock())
        return render(self.index.memories(), self.credits(now=now), self.settings(), now)

    def written_digest(self) -> str:
        """Return MEMORY.md as it was last written; empty when there is none."""
        try:
            return self.files.read(Path(DIGEST).name)[0].decode(errors="replace")
        except FileNotFoundError:
            return ""

    def write_digest(self) -> None:
        self.may_write()
        text = self.digest_text()
        with self.locked():
            self.files.write_plain(DIGEST, text.encode())

    # Notes of one line, kept in the ledger for whoever needs to remember something of the whole store

    def kept_note(self, key: str) -> str | None:
        """Return the note under a key."""
        return self.ledger.noted(key)

    def keep_note(self, key: str, value: str) -> None:
        """Keep a note in place of the one before. To be called within `deciding()` or `note()`."""
        self.ledger.note(key, value)

    # Rooms, each opened when it is asked for

    @cached_property
    def away(self) -> "Archive":
        from .archive import Archive  # few sessions put away or bring back

        return Archive(self)

    @cached_property
    def conflicts(self) -> "Conflicts":
        from .conflicts import Conflicts  # only writers compare texts

        return Conflicts(self)

    @cached_property
    def compaction(self) -> "CompactionRuns":
        from .compact import CompactionRuns  # planning knows STRATEGY.md and texts: nothing a search needs

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
        from .audit import Audit

        return Audit(self)

    @property
    def declared(self) -> Declared:
        """What the sets of tools declare of their memories, whichever of them is served."""
        return declared()

    def shelf(self, folder: str, hint: str = "") -> "Shelf":
        """Return a folder of the home for plain files that are no memories.

        Whoever changes something holds the lock. The hint says how to see which files there are.
        """
        from ..storage.plain_files import Shelf  # few sessions keep plain files

        return Shelf(self.home, self.at, self.clock, folder, hint)

    @cached_property
    def records(self) -> "Records":
        return self.storage.open_records(self.warn)

    # The verbs of an agent

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
        self.may_write()
        now = self.clock()
        memory = memories.new(type, name, content, now=now, category=category, tags=tags, pinned=pinned, extra=extra)
        self.sync()
        memory = self.create(memory)
        return Stored(memory, *self.conflicts.compared(memory))

    def adopt(self, memory: Memory) -> Memory:
        """A memory from elsewhere, with dates of its own. Its credit is as young as its arrival; like a file that a
        person brings, it is not compared with what is here."""
        self.may_write()
        memory = memories.checked(memory)
        memory = self.create(memory, stamp(self.clock()))
        return memory

    def retrieve(self, reference: str) -> Retrieved:
        memory, data = self.load(reference)
        if self.session:
            self.note(lambda: self._note_opened(memory.id, str(self.session)), memory.id)
        self.writer.saw(memory.id, data)
        return Retrieved(memory, self.credits([memory.id]).get(memory.id, Credit()))

    def read(self, memory: Memory) -> Memory:
        """As its file has it now, and as this session has seen it; not counted as an access."""
        try:
            memory, data = self.load(memory.id)
        except Refused:
            return memory  # gone meanwhile
        self.writer.saw(memory.id, data)
        return memory

    def _note_opened(self, id: str, session: str) -> None:
        at = stamp(self.clock())
        self.ledger.accessed(id, at)
        self.ledger.opened(id, session, at, os.urandom(8).hex())

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
        """Return the memories that answer a query, best first, as far as they fit the filters.

        `since` and `until` are days (YYYY-MM-DD, inclusive) of creation, `only` is asked of each memory. `scan=False`
        answers from the last look at the files: for hooks, which must not wait. The limit is clamped to 1..`most`. With
        `noted=False` the caller, who hands over other memories or in another order, says by `shown` which.
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
        """Begin a turn of this session with what a look showed, in its order, and the kind of its question.

        A look that showed nothing begins no turn, nor does one without a session.
        """
        if not ids or not self.session:
            return
        try:
            self.turns.append(self.session, stamp(self.clock()), ids, kind)
        except OSError as error:
            self.warn(f"this search could not be noted as a turn ({error.strerror}).")

    def update(self, reference: str, content: str) -> Updated:
        self.may_write()
        content = memories.check_content(self.without_secrets(content))
        memory, data = self.load(reference)
        self.writer.refuse_changed(memory, data)
        now = stamp(self.clock())
        new = memories.rewritten(data, content, updated=now, created=memory.created)
        self.replace(memory, data, new)
        self.writer.saw(memory.id, new)
        rewritten = self.index.get(memory.id) or memory
        return Updated(memory.id, memory.updated, self.conflicts.notice(rewritten, former=memory.content))

    def archive(self, reference: str) -> Put:
        return self.away.put(reference)

    def restore(self, reference: str, *, wanted: bool = True) -> Put:
        return self.away.bring_back(reference, wanted=wanted)

    # Learning and tidying, each in a room of its own

    def feedback(self, signal: str, used_ids: Sequence[str] = ()) -> Feedback:
        return self.learning.feedback(signal, used_ids)

    def report(self, top_n: int = 10) -> Report:
        return self.learning.report(top_n)

    def compact(self, progress: Callable[[int, int, str], None] | None = None) -> Run:
        return self.compaction.compact(progress)

    def warn_if_overdue(self) -> None:
        """For those who run without hooks: nobody else would tell them. Once in a process."""
        if not self._asked_when_due:
            self._asked_when_due = True
            if phases := due(self):
                self.warn(f"{' and '.join(phases)} of this store is overdue: run `clawbrain compact`.")

    # What there is

    def memories(self, type: str | None = None) -> Iterator[Memory]:
        """Every memory there is, by id."""
        self.sync()
        return self.index.memories(type)

    def having(self, key: str, value: str | None = None) -> list[Memory]:
        """The memories whose header has a key (with just this value), in the order they were stored."""
        self.sync()
        return self.in_order(self.index.having(key, value))

    def file_of(self, memory: Memory) -> Path:
        """Return where the file of a memory lies."""
        return self.home / MEMORY / memory.path

    def places(self, ids: Collection[str]) -> dict[str, int]:
        """Return the place of each memory in the order of storing; of one the ledger has not met, there is none."""
        return self.ledger.places(ids)

    def rarity(self, terms: Collection[str]) -> dict[str, float]:
        """Return how much each word tells, between 0 (it is in every memory) and 1 (it is rare)."""
        telling, rarest = self.index.telling(terms), self.index.rarest()
        return {term: min(1.0, telling[term] / rarest) for term in terms}

    def in_order(self, found: Iterable[Memory]) -> list[Memory]:
        """As they were made; of equal dates the later stored comes later."""
        listed = list(found)
        order = {id: record.stored_seq for id, record in self.ledger.records([m.id for m in listed]).items()}
        return sorted(listed, key=lambda m: (m.created, order.get(m.id, sys.maxsize), m.id))

    def log(self, most: int) -> list[dict[str, Any]]:
        """What was done, newest first."""
        return self.ledger.logged(most)

    def may_write(self) -> None:
        if self.read_only:
            raise ReadOnly("this home was opened for reading only; nothing was changed.")
