"""The operations on a home (`Brain`); only brain/ changes the memory files and the ledger and index together.

Each operation checks its arguments, takes the lock, changes the file, notes that in the ledger and updates the index.
Once the file is changed the operation has succeeded. A later error of the ledger or the index is a warning, never a
failure, because the next scan of the files finds whatever they missed.

This module has the general operations. Their parts are in the other modules: finding a memory (lookup), writing its
file (writer), the archive (archiver), the ledger's notes (bookkeeping), current scores (scores), STRATEGY.md (policy).
"""

import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from ..credit import Credit, Earned, Kind
from ..errors import Broken, ClawbrainError, Invalid, Refused
from ..layers import PROJECT
from ..logs import log_step
from ..memory import model as memories
from ..memory.model import Memory, shown, stamp, utc_now
from ..memory.text import rewritten
from ..recalls import NOWHERE
from ..storage.candidates import Filter
from ..storage.index import Seen
from . import opening, sessions
from .archiver import Archiver
from .bookkeeping import Bookkeeping
from .declared import Declared, declared
from .digest_file import DigestFile
from .late_parts import LateParts
from .listing import Listing
from .lookup import Finder
from .open_home import quickly as quickly
from .open_home import reading as reading
from .opening import default_home as default_home
from .opening import home_named as home_named
from .opening import refuse_without_memory as refuse_without_memory
from .owner import OwnerActions
from .policy import Policy
from .results import Feedback, Put, Ranked, Report, Retrieved, Run, Stored, Updated
from .schedule import due
from .scores import Scores
from .secrets import Secrets
from .writer import Writer

if TYPE_CHECKING:
    from ..briefing import Briefing
    from ..briefing.groups import Project
    from ..storage.credit_records import Event
    from ..storage.plain_files import PlainFolder
    from ..strategy import Parsed


def open_brain(
    home: Path | None = None,
    *,
    session: str | None = None,
    read_only: bool = False,
    looking: bool = False,
    clock: Callable[[], datetime] = utc_now,
    at: Callable[[str], None] = log_step,
    kind: "type[Brain] | None" = None,  # another class for the brain
) -> "Brain":
    """Open a home, and make it on first use. Without a session, searches and retrieves are not noted as turns.

    `clock` gives the time of all that is written, `at` hears the name of each step before it is taken. With `looking`
    nothing is made: a folder without a sidecar is read in memory, and NotFound is raised for one that holds no memory.
    A home that cannot be written, or whose sidecar is a link, has one in it or is closed to this user, is opened for
    reading, with a warning. Raises Broken where it cannot be opened at all.
    """
    if sys.platform == "win32":
        raise Broken("Windows is not supported yet: its file system lacks what keeps a memory whole.")
    home = Path(os.path.abspath(home or default_home()))
    if home.exists() and not home.is_dir():
        raise Broken("the home is a file, not a folder: name another with --home.")
    hindrance = opening.hindrance(home)
    if looking:
        opening.refuse_without_memory(home)
        read_only = read_only or not (hindrance or opening.has_sidecar(home))
    try:
        only_read = read_only or bool(hindrance)
        brain = (kind or Brain)(home, session=session, read_only=only_read, make=not looking, clock=clock, at=at)
    except OSError as error:
        if only_read:
            raise Broken(f"the home cannot be opened ({error.strerror}).") from None
        brain = (kind or Brain)(home, session=None, read_only=True, make=False, clock=clock, at=at)
        brain.hindered, brain.why_read_only = True, f"the home cannot be written ({error.strerror})"
        brain.warn(f"{brain.why_read_only}: reading only.")
    if hindrance:
        brain.hindered, brain.why_read_only = not read_only, hindrance
        brain.warn(f"{brain.why_read_only}. Until then this home is only read.")
    return brain


class Brain(LateParts):
    """One open home and its operations."""

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
        super().__init__(home, session=session, read_only=read_only, make=make, clock=clock, at=at)
        self.finder, self.writer, self.archiver = Finder(self), Writer(self), Archiver(self)
        self.bookkeeping, self.scores, self.policy = Bookkeeping(self), Scores(self), Policy(self)
        self.secrets = Secrets(self)
        self.digest_file, self._served = DigestFile(self), sessions.Served(self)
        # These have operations of their own for callers of the brain:
        self.owner, self.listed = OwnerActions(self), Listing(self.index)
        self.origin = NOWHERE
        """The origin of searches, which a server and a hook set."""
        self.after_answer: dict[str, Callable[[], object]] = {}
        """Calls to make after an answer, by what each does (as its warning says when it fails)."""
        self._mentioned: set[str] = set()
        self.mentions_faults = True
        self._asked_when_due = False
        if not read_only:
            opening.begin(self, make=make)

    def close(self) -> None:
        """Wait for a scan, write down what waits to be noted, end the session and close the files."""
        self.syncing.finish()
        self.settle()
        self._served.end()
        self.storage.close()

    def release(self) -> None:
        """Close the files but not the session; the next call writes down what waits to be noted."""
        self.syncing.finish()
        self.storage.close()

    def __enter__(self) -> "Brain":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open_session(self) -> None:
        """Note which process started this server, so that hooks and commands find its session."""
        self._served.begin()

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
        if not self.mentions_faults:
            return
        for path, fault in self.faults():
            if path not in self._mentioned:
                self._mentioned.add(path)
                self.warn(f"left out {shown(path, 200)[1:-1]}: {fault}.")

    def faults(self) -> list[tuple[str, str]]:
        """Return every file that is left out, with the reason."""
        return self.index.faults() + [(name, "its name is not UTF-8: rename it") for name in self.files.nameless]

    def settle(self) -> None:
        """Write down what waits to be noted, and call what `after_answer` holds. Called after each answer."""
        self._served.note_waiting()
        self.bookkeeping.note_waiting()
        for what, work in self.after_answer.items():
            try:
                work()
            except (ClawbrainError, OSError) as error:
                self.warn(f"{what} could not be done ({error}).")

    def tell_index(self, *fresh: Seen, gone: Collection[str] = ()) -> None:
        """Put files that were just read or written into the index, and remove those that are gone."""
        with reading():  # the files are changed already: that must not fail because of the index
            self.index.put(fresh, gone)
        if any(each.fault for each in fresh):
            self._mention_faults()

    # What an agent should know before it asks

    def briefing(self, project: "Project | None" = None) -> "Briefing":
        """Return the briefing for a session that begins; files are not scanned for it, so that it is quick."""
        return self.briefings.compose(project)

    def takes_transcripts(self) -> bool:
        """Tell whether STRATEGY.md wants the transcripts of sessions taken in when an answer ends."""
        return self.policy.settings().conversations.ingest

    # MEMORY.md and STRATEGY.md

    def digest_text(self) -> str:
        """Return the digest, rendered from the memories as they are now."""
        return self.digest_file.text()

    def has_digest(self) -> bool:
        """Tell whether MEMORY.md is there, and is no page that somebody else wrote."""
        return self.digest_file.is_there()

    def write_digest(self) -> None:
        """Write the digest to MEMORY.md."""
        self.digest_file.write()

    def strategy(self) -> "Parsed":
        """Return STRATEGY.md parsed, with its complaints."""
        return self.policy.strategy()

    def strategy_text(self) -> str:
        """Return the text of STRATEGY.md, or '' where there is none."""
        return self.policy.strategy_text()

    def without_secrets(self, content: str) -> str:
        """Return a text after doing with secrets in it what STRATEGY.md says: warn, redact, or raise Invalid."""
        return self.secrets.text(content)

    def handle(self, id: str) -> str:
        """Return what a memory is called where nobody asked for it: its id, or its number if its id holds a secret."""
        return self.secrets.handle(id)

    def redacting(self) -> AbstractContextManager[None]:
        """Redact secrets where STRATEGY.md says refuse: for what is taken over as a whole, such as an import."""
        return self.secrets.redacting()

    # The ledger

    def deciding(self, *ids: str) -> AbstractContextManager[None]:
        """Hold the lock and a ledger transaction, after noting what waits; these memories have credit records then."""
        return self.bookkeeping.deciding(*ids)

    def note(self, work: Callable[[], object], *ids: str) -> None:
        """Do some work that notes in the ledger what is done already; an error becomes a warning and is not raised."""
        self.bookkeeping.note(work, *ids)

    @property
    def declared(self) -> Declared:
        """The kinds and aliases that all sets of tools declare, whichever of them is served."""
        return declared()

    def shelf(self, folder: str, hint: str = "") -> "PlainFolder":
        """Return a folder of the home for plain files that are no memories.

        The caller holds the lock when it changes something. `hint` tells, in errors, how to list the files.
        """
        return self.storage.plain_folder(folder, hint, self.secrets.text)

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
        created: str = "",
    ) -> Stored:
        """Store a new memory; return it with near-duplicates and contradictions. Raises AlreadyExists, Invalid.

        `created` is its date where that is not now: it decides its day, its month and its age. Its score begins now.
        """
        self.may_write()
        memory = memories.new(
            type, name, content,
            now=self.clock(), category=category, tags=tags, pinned=pinned, extra=extra, created=created,
        )  # fmt: skip
        self.sync()
        memory = self.writer.create(memory, memory.updated, memory.created)
        return Stored(memory, *self.conflicts.compared(memory))

    def layer_of(self, reference: str) -> str:
        """Return the name of the layer that a memory is in, '' for the home that is served first."""
        return ""

    def store_in(self, scope: str, type: str, name: str, content: str, **words: Any) -> Stored:
        """Store a new memory in the layer of this name; see `LayeredBrain`. Raises Invalid where there is none."""
        if scope != PROJECT:
            raise Invalid(f"there is no layer {shown(scope)} here; leave the scope out, or serve one with --layer.")
        return self.store(type, name, content, **words)

    def adopt(self, memory: Memory, earned: Credit | None = None) -> Memory:
        """Store a memory from elsewhere, with dates of its own and what it has earned; see `Writer.adopt`."""
        return self.writer.adopt(memory, earned)

    def create(self, memory: Memory, at: str = "") -> Memory:
        """Write a memory that the caller has made and checked, and compare it with nothing; see `Writer.create`."""
        return self.writer.create(memory, at)

    def find(self, reference: str) -> Memory:
        """Return the memory that a reference means, after bringing the index up to date. Raises NotFound, Archived."""
        return self.finder.find(reference)

    def known(self, reference: str) -> Memory | None:
        """Return the memory that a reference means as of the last scan, or None."""
        return self.finder.known(reference)

    def load(self, reference: str) -> tuple[Memory, bytes]:
        """Return a memory and its file's bytes as they are now. Raises NotFound, Archived, Refused."""
        return self.finder.load(reference)

    @reading()
    def retrieve(self, reference: str) -> Retrieved:
        """Return a memory with its credit, and note it as opened in this session. Raises NotFound, Archived."""
        memory, data = self.finder.load(reference)
        if self.session:
            self.bookkeeping.note_opened(memory.id, self.session)
        self.writer.note_read(memory.id, data)
        earned = self.credits([memory.id]).get(memory.id, Credit())
        return Retrieved(memory, self.bookkeeping.with_waiting(earned, memory.id))

    def used(self, ids: Sequence[str]) -> None:
        """Count an access of memories that were shown to be used as they are; none of them was opened by its name."""
        if self.session and ids:
            self.bookkeeping.note_used(ids)

    def read(self, memory: Memory) -> Memory:
        """Return a memory as its file has it now, and remember its text as read; this does not count as an access."""
        try:
            memory, data = self.finder.load(memory.id)
        except Refused:
            return memory  # its file is gone by now
        self.writer.note_read(memory.id, data)
        return memory

    @reading()
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

    def matching(self, text: str) -> list[Memory]:
        """Return the memories that may say the same as a text, in no particular order; the caller compares."""
        return self.searching.matching(text)

    def shares(self, query: str, texts: Iterable[str]) -> list[float]:
        """Return how much of a query each text holds, from 0 to 1; see `Searching.shares`."""
        return self.searching.shares(query, texts)

    def update(self, reference: str, content: str, *, by_person: bool = False) -> Updated:
        """Replace the text of a memory. Raises Changed where it is no longer the text that this session read.

        Where it says just that already, nothing is written.
        What a person writes (`by_person`) is not compared with the memory's own former text.
        """
        self.may_write()
        content = memories.check_content(self.secrets.text(content))
        memory, data = self.finder.load(reference)
        self.writer.refuse_changed(memory, data)
        if content.strip("\r\n") == memory.content:
            self.writer.note_read(memory.id, data)
            return Updated(memory.id, memory.updated, changed=False)
        now = stamp(self.clock())
        new = rewritten(data, content, updated=now, created=memory.created)
        self.writer.replace(memory, data, new)
        self.writer.note_written(memory.id, new)
        written, former = self.index.get(memory.id) or memory, "" if by_person else memory.content
        return Updated(memory.id, memory.updated, self.conflicts.notice(written, former))

    def amend(self, target: str | Memory, change: Callable[[Memory], Memory], *, as_read: bool = False) -> Memory:
        """Edit a memory under the lock: `change` gets it as its file has it; see `Writer.amend`."""
        return self.writer.amend(target, change, as_read=as_read)

    def archive(self, reference: str) -> Put:
        """Move a memory into the archive. Raises Pinned, NotFound."""
        return self.archiver.archive(reference)

    def restore(self, reference: str, *, wanted: bool = True) -> Put:
        """Bring an archived memory back; see `Archiver.restore`."""
        return self.archiver.restore(reference, wanted=wanted)

    # Feedback and compaction

    def feedback(self, signal: str, used_ids: Sequence[str] = ()) -> Feedback:
        """Score the turns since the last signal; see `Learning.feedback`."""
        return self.learning.feedback(signal, used_ids)

    def outcome(self, signal: str, id: str) -> Feedback:
        """Score one memory in a turn of its own, without a question. Needs a session."""
        return self.learning.outcome(signal, id)

    @reading()
    def report(self, top_n: int = 10) -> Report:
        """Return the number of memories, the average score, and the `top_n` highest and lowest scores."""
        return self.learning.report(top_n)

    def credits(self, ids: Collection[str] | None = None) -> dict[str, Credit]:
        """Return the credit of these memories, or of all, by id, as of now."""
        return self.scores.credits(ids, stamp(self.clock()), self.policy.settings().decay)

    def earned(self, ids: Collection[str]) -> dict[str, Earned]:
        """Return the evidence of those memories that have any, by id, as of now."""
        return self.scores.earned(ids, stamp(self.clock()), self.policy.settings().decay)

    def score_changes(self, since: str) -> Iterator[tuple["Event", str]]:
        """Return every change of a score since a date, with its time, in order."""
        return self.ledger.events(since=since)

    def credit_history(self, reference: str) -> list[tuple["Event", str]]:
        """Return every event of a memory with its time, from which its score follows."""
        return list(self.ledger.events(self.finder.find(reference).id))

    def compact(self, progress: Callable[[int, int, str], None] | None = None) -> Run:
        """Plan a compaction and carry it out; `progress` gets the actions done, their number and the current one."""
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

    def requests(self, archive_path: str) -> int:
        """Return how often an archived memory was asked for."""
        return self.ledger.asked_for().get(archive_path, 0)

    def add_requests(self, archive_path: str, times: int) -> None:
        """Count requests for an archived memory; the next compaction restores one that was asked for twice."""
        self.bookkeeping.note(lambda: self.ledger.count_asked_for(archive_path, times))

    def in_order(self, found: Iterable[Memory]) -> list[Memory]:
        """Sort memories by creation date; of equal dates the one stored later comes later."""
        listed = list(found)
        order = {id: record.stored_seq for id, record in self.ledger.records([m.id for m in listed]).items()}
        return sorted(listed, key=lambda m: (m.created, order.get(m.id, sys.maxsize), m.id))
