"""The verbs. Here, and only here, the files and the sidecar meet.

Each verb reads as its story: check the words, take the lock, change the file, note it in the ledger, tell
the index. When the file is changed the deed is done; trouble with the sidecar after that is a warning, never
a failure, because whatever the ledger or the index missed is found again by the next look at the files.
"""

import os
import sqlite3
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .. import credit, relevance, secrets, semantic, sessions
from .. import memory as memories
from ..credit import Credit
from ..errors import AlreadyExists, Archived, Broken, Busy, Changed, Invalid, NotFound, Pinned, ReadOnly, Refused
from ..header import Unreadable
from ..memory import Fingerprint, Memory, days_between, digest, shown, stamp, utc_now
from ..relevance import Found, Ranked
from ..sidecar import Sidecar
from ..sidecar.index import Seen
from ..sidecar.ledger import Event, Record
from ..sidecar.turnlog import Look, TurnLog
from ..vault import ARCHIVE, MEMORY, Surprise, Vault, nothing
from .answers import Feedback, Put, Report, Retrieved, Run, Stored, Updated
from .desk import Desk
from .learning import Learning
from .looking import Looking, seen
from .schedule import due

if TYPE_CHECKING:
    from ..sidecar.records import Records
    from ..strategy import Parsed, Strategy
    from ..strategy.settings import Decay
    from .artifacts import Artifacts
    from .audit import Audit
    from .checkpoints import Checkpoints
    from .checkup import Checkup
    from .conflicts import Conflicts
    from .contexts import Contexts
    from .decisions import Decisions
    from .diary import Diary
    from .drawers import Drawers
    from .facts import Facts
    from .graph import Graph
    from .history import History
    from .lifecycle import Lifecycle
    from .links import Links
    from .pages import Pages
    from .persona import Persona
    from .reflection import Reflection
    from .rooms import Rooms
    from .scenes import Scenes
    from .souls import Souls
    from .titles import Titles
    from .versions import Versions

STRATEGY = "STRATEGY.md"
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
    at: Callable[[str], None] = nothing,
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
        self.vault = Vault(home, at, clock)
        self.sidecar = Sidecar(home, clock, read_only=read_only, at=at)
        self.index, self.ledger, self.locked = self.sidecar.index, self.sidecar.ledger, self.sidecar.locked
        self.turns = TurnLog(self.sidecar.folder)
        self.looking = Looking(self.vault, self.index)
        self.desk, self.learning = Desk(self), Learning(self)
        self._read_digests: dict[str, str] = {}  # what this session last read of each memory
        self._warnings: dict[str, None] = {}  # in order, each once
        self._mentioned: set[str] = set()
        self._asked_when_due = self._session_opened = False
        self._strategy: tuple[bytes | None, Parsed] | None = None
        if not read_only:
            self._begin()

    def _begin(self) -> None:
        """A new home gets its first files; what a killed process left behind is finished."""
        for name in self.vault.links():
            self.warn(f"the folder {name} is a link, and none is followed: put the folder itself into the home.")
        with self.locked():
            self.vault.recover()
            if not self.ledger.noted("furnished"):
                self._furnish()
        if self.ledger.runs("running"):
            self.lifecycle.resume()

    def _furnish(self) -> None:
        from ..strategy import DEFAULT_TEXT

        if not self.vault.links():
            self.vault.furnish()
        if not (self.home / STRATEGY).exists():
            self.vault.write_plain(STRATEGY, DEFAULT_TEXT.encode())
        with self.ledger.writing():
            self.ledger.note("furnished", stamp(self.clock()))

    def close(self) -> None:
        self.looking.finish()
        self.settle()
        if self.session and self._session_opened:
            session = self.session
            self.note(lambda: self.ledger.close_session(session, os.getpid(), stamp(self.clock())))
        self.sidecar.close()

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

    # Warnings

    def warn(self, sentence: str) -> None:
        self._warnings.setdefault(sentence)

    def warn_first(self, sentences: Iterable[str]) -> None:
        self._warnings = dict.fromkeys([*sentences, *self._warnings])

    def take_warnings(self) -> list[str]:
        """What there is to warn of since the last answer."""
        taken = [*self.ledger.warnings, *self.vault.recovered, *self.index.warnings, *self._warnings]
        self.ledger.warnings, self.vault.recovered, self.index.warnings, self._warnings = [], [], [], {}
        return taken

    # Keeping up with the files

    def sync(self, progress: Callable[[int, int], None] | None = None, *, now: bool = False) -> None:
        """Let the index know what the files say; `now` looks however large the store is."""
        if now:
            self.looking.look(progress)
        else:
            self.looking.before_answer()
        if self.looking.vanished:
            gone, known = self.looking.vanished
            self.looking.vanished = None
            self.warn(
                f"{gone} of {known} memory files vanished at once: nothing was forgotten; "
                "if that was not meant, bring the files back (git checkout?) and all is as before."
            )
        if self.looking.changed or self.vault.nameless:
            self._mention_faults()

    def _mention_faults(self) -> None:
        """Each broken file once in the life of this process."""
        for path, fault in self.faults():
            if path not in self._mentioned:
                self._mentioned.add(path)
                self.warn(f"left out {shown(path, 200)[1:-1]}: {fault}.")

    def faults(self) -> list[tuple[str, str]]:
        """Every file that is left out, and why."""
        return self.index.faults() + [(name, "its name is not UTF-8: rename it") for name in self.vault.nameless]

    def settle(self) -> None:
        """After an answer: what waits to be noted is noted, and a patrol that is due is made."""
        self.note_waiting()
        if "scenes" in self.__dict__:
            self.scenes.tidy_when_due()

    def note_waiting(self) -> None:
        """Searches move from the turn log into the ledger, files that people brought get credit."""
        if self.read_only or not (self.looking.changed or self.turns.waiting()):
            return
        self.note(lambda: None)
        self._back_up()

    def _back_up(self) -> None:
        try:
            if self.ledger.backup_due():
                with self.locked():
                    self.ledger.backup()
        except (sqlite3.Error, OSError, Busy) as error:
            self.warn(f"the ledger could not be backed up ({error}).")

    def note(self, work: Callable[[], object], *ids: str) -> None:
        """Tell the ledger what is true already: its trouble is a warning, not the verb's failure."""
        try:
            with self.deciding(*ids):
                work()
        except (sqlite3.Error, Broken, Busy, OSError) as error:
            self.warn(f"the ledger could not be written ({error}): credit and turns of this call are not kept.")

    @contextmanager
    def deciding(self, *ids: str) -> Iterator[None]:
        """A ledger transaction under the lock, after what still waited to be noted (about these ids, too)."""
        with self.locked():
            self.ledger.refresh()
            self.turns.move(self._keep_looks)
            if self.looking.changed or len(self.ledger.records(ids)) < len(ids):
                self._adopt()
            with self.ledger.writing():
                yield

    def _keep_looks(self, looks: Sequence[Look]) -> None:
        with self.ledger.writing():
            self.ledger.looked(looks)

    def _adopt(self) -> None:
        """Files decide what exists: new ones get a record, and a kill between archiving and noting is made good."""
        at, live, recorded = stamp(self.clock()), self.index.ids(), self.ledger.records()
        fresh = [memory for id in live - recorded.keys() if (memory := self.index.get(id))]
        away = {id: path for id in recorded.keys() - live if (path := self._unnoted_archive(recorded[id].path))}
        if fresh or away:
            with self.ledger.writing():
                for memory in sorted(fresh, key=lambda memory: (memory.created, memory.id)):
                    self.ledger.adopt(memory, at, credit.DECAY_PER_DAY[memory.type])
                for id, path in away.items():
                    self.ledger.archive(id, path, at)
        self.looking.changed = False

    def _unnoted_archive(self, path: str) -> str | None:
        """Where a file that is gone lies in the archive without the ledger knowing."""
        if self.vault.fingerprint(path):
            return None
        places = self.vault.archived_as(path)
        return next((place for place in reversed(places) if not self.ledger.archived_id(place)), None)

    # Strategy

    def settings(self) -> "Strategy":
        """What is in force. Most pages are as they were written, and those need no reading."""
        from ..strategy import DEFAULT_TEXT, Strategy

        return Strategy() if self.strategy_bytes() == DEFAULT_TEXT.encode() else self.strategy().strategy

    def strategy(self) -> "Parsed":
        """What the owner of this home has decided; read anew whenever the file changed."""
        from ..strategy import parse

        text = self.strategy_bytes()
        if self._strategy is None or self._strategy[0] != text:
            self._strategy = (text, parse(text or b""))
        return self._strategy[1]

    def strategy_bytes(self) -> bytes | None:
        try:
            return self.vault.read(STRATEGY, ".")[0]
        except (FileNotFoundError, Unreadable):
            return None

    def strategy_text(self) -> str:
        return (self.strategy_bytes() or b"").decode(errors="replace")

    # MEMORY.md

    def digest_text(self) -> str:
        """What an agent should know before it asks, rendered anew."""
        from ..digest import render

        self.sync()
        return render(self.index.memories(), self.credits(), self.settings(), stamp(self.clock()))

    def write_digest(self) -> None:
        self.may_write()
        text = self.digest_text()
        with self.locked():
            self.vault.write_plain(DIGEST, text.encode())

    # Finding one memory

    def find(self, reference: str) -> Memory:
        """The memory a caller means by an id, a path or a slash form."""
        if not reference.isprintable():
            raise NotFound(f"{shown(reference)} is not found; an id has no such characters.")
        self.sync()
        found = self.known(reference)
        if found is None and len(self.index.fingerprints()) > 1_000:
            self.sync(now=True)  # it may be newer than the last look
            found = self.known(reference)
        if found is None:
            raise self._unknown(reference)
        return found

    def known(self, reference: str) -> Memory | None:
        found = self.index.get(reference)
        for path in memories.spelled_paths(reference):
            found = found or self.index.at(path) or self.index.get(memories.spelled_id(path))
        if found is None and reference.startswith("drawer_"):  # what a palace calls it
            found = next(iter(self.index.having("drawer", reference)), None)
        return found

    def _unknown(self, reference: str) -> Refused:
        paths = memories.spelled_paths(reference)
        for path, fault in self.faults():
            if path in paths or memories.spelled_id(path) == reference:
                return NotFound(
                    f"{shown(reference)} is not found as a memory: the file at {path} is left out ({fault})."
                )
        if lies_at := self._away(reference):
            return Archived(
                f"{shown(reference)} is archived at archive/{lies_at}; "
                f"`clawbrain restore archive/{lies_at}` brings it back."
            )
        nearest = self._nearest(reference)
        hint = f"the nearest ids are {', '.join(nearest)}" if nearest else "there is nothing like it; search for it"
        return NotFound(f"{shown(reference)} is not found; {hint}.")

    def _nearest(self, reference: str) -> list[str]:
        from rapidfuzz import process

        return [id for id, _, _ in process.extract(reference, sorted(self.index.ids()), limit=3, score_cutoff=50)]

    def load(self, reference: str) -> tuple[Memory, bytes]:
        """A memory and its file's bytes as they are now, whatever the index believed."""
        memory = self.find(reference)
        for _ in range(3):
            try:
                data, fingerprint = self.vault.read(memory.path)
            except (FileNotFoundError, Unreadable):
                self.sync(now=True)
            else:
                now = seen(memory.path, data, fingerprint)
                if now.digest != self.index.digest(memory.path):
                    self.tell_index(now)
                if now.memory and now.memory.id == memory.id:
                    return now.memory, data
            memory = self.known(memory.id) or self.find(reference)
        raise Refused(f"{shown(reference)} is being changed by somebody else just now; try again.")

    def tell_index(self, *fresh: Seen, gone: Collection[str] = ()) -> None:
        self.index.put(fresh, gone)
        if any(each.fault for each in fresh):
            self._mention_faults()

    @cached_property
    def conflicts(self) -> "Conflicts":
        from .conflicts import Conflicts  # only writers compare texts

        return Conflicts(self)

    @cached_property
    def lifecycle(self) -> "Lifecycle":
        from .lifecycle import Lifecycle  # planning knows STRATEGY.md and texts: nothing a search needs

        return Lifecycle(self)

    @cached_property
    def checkup(self) -> "Checkup":
        from .checkup import Checkup

        return Checkup(self)

    def having(self, key: str, value: str | None = None) -> list[Memory]:
        """The memories whose header has a key (with just this value), in the order they were stored."""
        self.sync()
        return self.in_order(self.index.having(key, value))

    def in_order(self, found: Iterable[Memory]) -> list[Memory]:
        """As they were made; of equal dates the later stored comes later."""
        listed = list(found)
        order = {id: record.stored_seq for id, record in self.ledger.records([m.id for m in listed]).items()}
        return sorted(listed, key=lambda m: (m.created, order.get(m.id, sys.maxsize), m.id))

    @cached_property
    def titles(self) -> "Titles":
        from .titles import Titles  # this and what follows: for profiles that ask for it

        return Titles(self)

    @cached_property
    def links(self) -> "Links":
        from .links import Links

        return Links(self)

    @cached_property
    def graph(self) -> "Graph":
        from .graph import Graph

        return Graph(self)

    @cached_property
    def decisions(self) -> "Decisions":
        from .decisions import Decisions

        return Decisions(self)

    @cached_property
    def checkpoints(self) -> "Checkpoints":
        from .checkpoints import Checkpoints

        return Checkpoints(self)

    @cached_property
    def contexts(self) -> "Contexts":
        from .contexts import Contexts

        return Contexts(self)

    @cached_property
    def persona(self) -> "Persona":
        from .persona import Persona

        return Persona(self)

    @cached_property
    def artifacts(self) -> "Artifacts":
        from .artifacts import Artifacts

        return Artifacts(self)

    @cached_property
    def reflection(self) -> "Reflection":
        from .reflection import Reflection

        return Reflection(self)

    @cached_property
    def rooms(self) -> "Rooms":
        from .rooms import Rooms

        return Rooms(self)

    @cached_property
    def drawers(self) -> "Drawers":
        from .drawers import Drawers

        return Drawers(self)

    @cached_property
    def facts(self) -> "Facts":
        from .facts import Facts

        return Facts(self)

    @cached_property
    def versions(self) -> "Versions":
        from .versions import Versions

        return Versions(self)

    @cached_property
    def scenes(self) -> "Scenes":
        from .scenes import Scenes

        return Scenes(self)

    @cached_property
    def pages(self) -> "Pages":
        from .pages import Pages

        return Pages(self)

    @cached_property
    def diary(self) -> "Diary":
        from .diary import Diary

        return Diary(self)

    @cached_property
    def souls(self) -> "Souls":
        from .souls import Souls

        return Souls(self)

    @cached_property
    def history(self) -> "History":
        from .history import History

        return History(self)

    @cached_property
    def audit(self) -> "Audit":
        from .audit import Audit

        return Audit(self)

    @cached_property
    def records(self) -> "Records":
        return self.sidecar.open_records(self.warn)

    # Credit as of now

    def credits(self, ids: Collection[str] | None = None) -> dict[str, Credit]:
        now, decay = stamp(self.clock()), self.settings().decay
        return {id: self._credit(record, now, decay) for id, record in self.ledger.records(ids).items()}

    def _credit(self, record: Record, now: str, decay: "Decay") -> Credit:
        return Credit(
            score=_drifted(record, now, decay)[0],
            access_count=record.access_count,
            created=record.created_at,
            last_accessed=record.last_accessed,
            touched=record.touched_at,
            signals=record.signals,
            stored_seq=record.stored_seq,
        )

    def drifted(self, record: Record, now: str) -> float:
        return _drifted(record, now, self.settings().decay)[0]

    def settle_drift(self, record: Record, now: str) -> float:
        """Before a score is changed or its clock set back, the drift so far is noted, apart from the change."""
        decay = self.settings().decay
        score, days = _drifted(record, now, decay)
        if score != record.score:
            drifted = Event(
                record.id, "drift", record.score, score,
                days=days, per_day=decay.credit_per_day, floor=decay.credit_floor,
            )  # fmt: skip
            self.ledger.event(drifted, now, self.session)
        return score

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

    def without_secrets(self, content: str) -> str:
        """What STRATEGY.md wants done with keys and passwords: say so, blot them out, or refuse the text."""
        found = secrets.kinds(content)
        if not found:
            return content
        policy = self.settings().safety.secrets
        if policy == "refuse":
            raise Invalid(f"the content seems to hold a secret ({found}); store where it is kept, not what it is.")
        if policy == "redact":
            self.warn(f"a secret was not stored ({found}): [redacted: …] stands in its place.")
            return secrets.redacted(content)
        self.warn(f"the content seems to hold a secret ({found}); if it does, take it out: the file is plain text.")
        return content

    def create(self, memory: Memory, at: str = "") -> Memory:
        """A new file, a credit record, a place in the index."""
        memory = replace(memory, content=self.without_secrets(memory.content))
        data = memories.render(memory)
        with self.locked():
            self._refuse_taken(memory)
            _refuse_unreadable(memory, data)
            try:
                fingerprint = self.vault.create(memory.path, data)
            except AlreadyExists as error:
                raise self._taken(memory, str(error)) from None
            rate = credit.DECAY_PER_DAY[memory.type]
            self.note(lambda: self.ledger.begin(memory, at or memory.created, self.session, rate))
            self.tell_index(seen(memory.path, data, fingerprint))
        self._read_digests[memory.id] = digest(data)
        return memory

    def _refuse_taken(self, memory: Memory) -> None:
        owner = self.index.get(memory.id)
        if owner and owner.path != memory.path:
            raise AlreadyExists(
                f"the id '{memory.id}' already exists: it belongs to {owner.path}. Choose another name or category."
            )

    def _taken(self, memory: Memory, sentence: str) -> AlreadyExists:
        self.sync(now=True)
        faults = dict(self.faults())
        if memory.path in faults:
            return AlreadyExists(
                f"{sentence} It cannot be read: {faults[memory.path]}. Its owner must mend or move it."
            )
        owner = self.index.at(memory.path)
        existing = owner.id if owner else memory.id
        return AlreadyExists(f"{sentence} Use memory_update with the id '{existing}' to change it, or another name.")

    def retrieve(self, reference: str) -> Retrieved:
        memory, data = self.load(reference)
        if self.session:
            self.note(lambda: self._note_opened(memory.id, str(self.session)), memory.id)
        self._read_digests[memory.id] = digest(data)
        return Retrieved(memory, self.credits([memory.id]).get(memory.id, Credit()))

    def read(self, memory: Memory) -> Memory:
        """As its file has it now, and as this session has seen it; not counted as an access."""
        try:
            memory, data = self.load(memory.id)
        except Refused:
            return memory  # gone meanwhile
        self._read_digests[memory.id] = digest(data)
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
        scan: bool = True,
        only: Callable[[Memory], bool] | None = None,
        among: Collection[str] = (),
        most: int = 20,
    ) -> Ranked:
        """`scan=False` answers from the last look: for hooks, which must not wait.

        `only` picks whom to rank; then nothing joins that does not match itself. Few that are picked from many may not
        be among the best of all: `among` names them, to be looked at however weakly they match.
        """
        if scan:
            self.sync()
            self.warn_if_overdue()
        found = self._candidates(query, type, scan)
        if only:
            found = found.only(only).with_all(among)
        near = {} if only else self.ledger.neighbours(found.seeds)
        beside = {other for others in near.values() for _, other in others}
        scores, order = self._standing({*found.ids, *beside})
        ranked = relevance.rank(found, scores, near, max(1, min(most, limit)), order)
        if self.session:
            self.shown([hit.id for hit in ranked.hits])
        return ranked

    def _candidates(self, query: str, type: str | None, scan: bool) -> Found:
        opened, by_meaning = self.index.openings, scan and semantic.installed()
        found = self.index.candidates(query, type, by_meaning=by_meaning)
        if scan and self.index.openings != opened:  # it was broken, and begins anew
            self.sync(now=True)
            found = self.index.candidates(query, type, by_meaning=by_meaning)
        return found

    def _standing(self, ids: Collection[str]) -> tuple[dict[str, float], dict[str, int]]:
        """The score of each as of now, and its place in the order of storing."""
        now, decay = stamp(self.clock()), self.strategy().strategy.decay
        rows = list(self.ledger.standings(ids))
        days = {touched: days_between(touched, now) for touched in {row[2] for row in rows}}
        per_day, floor = decay.credit_per_day, decay.credit_floor
        scores = {id: credit.drift(score, days[touched], per_day, floor) for id, score, touched, _ in rows}
        return scores, {id: place for id, _, _, place in rows}

    def shown(self, ids: Sequence[str]) -> None:
        """A look of this session, with what it showed: the beginning of a turn."""
        try:
            self.turns.append(str(self.session), stamp(self.clock()), ids)
        except OSError as error:
            self.warn(f"this search could not be noted as a turn ({error.strerror}).")

    def update(self, reference: str, content: str) -> Updated:
        self.may_write()
        content = memories.check_content(self.without_secrets(content))
        memory, data = self.load(reference)
        if self._read_digests.get(memory.id, digest(data)) != digest(data):
            raise self._changed(memory)
        now = stamp(self.clock())
        new = memories.rewritten(data, content, updated=now, created=memory.created)
        self.replace(memory, data, new)
        self._read_digests[memory.id] = digest(new)
        rewritten = self.index.get(memory.id) or memory
        return Updated(memory.id, memory.updated, self.conflicts.notice(rewritten, former=memory.content))

    def _changed(self, memory: Memory, kept_as: str = "") -> Changed:
        also = f" A second change made in that instant was kept beside it as {kept_as}." if kept_as else ""
        return Changed(
            f"'{memory.id}' changed since you read it; retrieve it, then call memory_update again.{also} It now says:",
            memory.content,
        )

    def amend(self, target: str | Memory, change: Callable[[Memory], Memory], *, as_read: bool = False) -> Memory:
        """Edit under the lock: `change` sees the memory as it stands, so that no two edits lose each other.

        A memory as target is one the caller has just found. `as_read` refuses when the file changed since this
        session last read it.
        """
        self.may_write()
        memory = target if isinstance(target, Memory) else self.load(target)[0]
        for _ in range(3):
            try:
                with self.locked():
                    return self._amended(memory, change, as_read)
            except FileNotFoundError:
                raise self._gone(memory) from None
            except Changed:  # somebody's editor was quicker: once more, on what it wrote
                if as_read:
                    raise
        raise self._changed(memory)

    def _amended(self, memory: Memory, change: Callable[[Memory], Memory], as_read: bool) -> Memory:
        memory, data = self._as_it_stands(memory)
        if as_read and self._read_digests.get(memory.id, digest(data)) != digest(data):
            raise self._changed(memory)
        changed = change(memory)
        changed = replace(changed, content=self.without_secrets(changed.content))
        new = memories.amended(data, memory, changed, stamp(self.clock()))
        if new == data:
            return memory
        self.replace(memory, data, new, touch=memories.body(new) != memories.body(data))
        self._read_digests[memory.id] = digest(new)
        return self.index.get(memory.id) or memory

    def replace(self, memory: Memory, data: bytes, new: bytes, touch: bool = True) -> None:
        """Put another text in a memory's place, if the text there is still the one we read."""
        try:
            with self.locked():
                fingerprint = self.vault.replace(memory.path, new, digest(data), memory.id)
                if touch:
                    self.note(lambda: self._touch(memory.id))
                self.tell_index(seen(memory.path, new, fingerprint))
        except FileNotFoundError:
            raise self._gone(memory) from None
        except Surprise as surprise:
            self.sync(now=True)
            raise self._changed(self.known(memory.id) or memory, surprise.kept_as) from None

    def _touch(self, id: str) -> None:
        """A memory that was written again starts its drift anew."""
        now = stamp(self.clock())
        if record := self.ledger.records([id]).get(id):
            self.ledger.scored(id, self.settle_drift(record, now), now)

    def _gone(self, memory: Memory) -> Refused:
        self.sync(now=True)
        return self._unknown(memory.id)

    def _as_it_stands(self, memory: Memory) -> tuple[Memory, bytes]:
        """Under the lock: the memory as its file says it now; FileNotFoundError when it is no longer this one."""
        try:
            data, fingerprint = self.vault.read(memory.path)
            found = seen(memory.path, data, fingerprint).memory
        except Unreadable:
            found = None
        if found is None or found.id != memory.id:
            raise FileNotFoundError(memory.path)
        return found, data

    def archive(self, reference: str) -> Put:
        self.may_write()
        memory, _ = self.load(reference)
        try:
            with self.locked():
                if self._as_it_stands(memory)[0].pinned:
                    raise Pinned(f"'{memory.id}' is pinned; its owner can unpin it: `clawbrain unpin {memory.id}`.")
                archive_path = self.vault.archive(memory.path)
                self.note(lambda: self._note_archived(memory, archive_path))
                self.tell_index(gone=[memory.path])
        except FileNotFoundError:
            raise self._gone(memory) from None
        self._read_digests.pop(memory.id, None)
        return Put(memory.id, f"archive/{archive_path}")

    def _note_archived(self, memory: Memory, archive_path: str) -> None:
        now = stamp(self.clock())
        self.ledger.archive(memory.id, archive_path, now)
        self.ledger.log("archive", [memory.id], f"Archived '{memory.slash}' to archive/{archive_path}", now)

    def restore(self, reference: str, *, wanted: bool = True) -> Put:
        """Bring back what was put away, with its score: by id (the newest) or by its path in the archive.

        Who wants it back uses it, so that it is not pruned again at once; an undo leaves it as it was.
        """
        self.may_write()
        archive_path = self.in_archive(reference)
        path = self.ledger.archived_from(archive_path) or memories.unnumbered(archive_path)
        data, _ = self.vault.read(archive_path, ARCHIVE)
        with self.locked():
            memory = seen(path, data, Fingerprint(0, 0, 0, 0)).memory
            owner = self.index.get(memory.id) if memory else None
            if owner:
                raise AlreadyExists(f"the id '{owner.id}' already exists at {owner.path}; archive or move that first.")
            self.vault.restore(archive_path, path)
            id = self.ledger.archived_id(archive_path) or (memory.id if memory else path)
            self.note(lambda: self._note_restored(id, archive_path, path, wanted))
            self.tell_index(*filter(None, [self.looking.see(path)]))
        return Put(id, path)

    def _note_restored(self, id: str, archive_path: str, path: str, wanted: bool) -> None:
        now = stamp(self.clock())
        if self.ledger.archived_id(archive_path):
            self.ledger.revive(archive_path, path, now, self.session)
            if wanted:
                self.ledger.missed(id, now)
        self.ledger.log("restore", [id], f"Restored archive/{archive_path} to {path}", now)

    def in_archive(self, reference: str) -> str:
        self.sync()
        self.note_waiting()
        found = self._away(reference)
        if found:
            return found
        if self.known(reference):
            raise Refused(f"{shown(reference)} is not archived; archive it first if it shall go.")
        raise NotFound(f"{shown(reference)} is not found in the archive; `clawbrain list --archived` shows what is.")

    def _away(self, reference: str) -> str | None:
        """Where in the archive the newest memory of an id, a path or a slash form lies."""
        if not reference.isprintable():
            return None
        paths = [reference.removeprefix(f"{ARCHIVE}/")] if "/" in reference else []
        paths += memories.spelled_paths(reference) + self.ledger.put_away(reference)
        away = self.vault.archived_paths()[::-1]
        paths += [path for path in away if memories.spelled_id(memories.unnumbered(path)) == reference]
        if reference.startswith("drawer_"):
            paths += [path for path in away if self._is_called(path, reference)]
        return next((path for path in paths if self.vault.archived(path)), None)

    def _is_called(self, archive_path: str, drawer: str) -> bool:
        """Whether this is what a palace called so, judged by the hash in both names."""
        if not memories.unnumbered(archive_path).endswith(f"-{drawer[-16:]}.md"):
            return False
        with suppress(Unreadable, FileNotFoundError):
            return f'"{drawer}"'.encode() in self.vault.read(archive_path, ARCHIVE)[0]
        return False

    # Learning and tidying, each in a room of its own

    def feedback(self, signal: str, used_ids: Sequence[str] = ()) -> Feedback:
        return self.learning.feedback(signal, used_ids)

    def report(self, top_n: int = 10) -> Report:
        return self.learning.report(top_n)

    def compact(self, progress: Callable[[int, int, str], None] | None = None) -> Run:
        return self.lifecycle.compact(progress)

    def warn_if_overdue(self) -> None:
        """For those who run without hooks: nobody else would tell them. Once in a process."""
        if not self._asked_when_due:
            self._asked_when_due = True
            if phases := due(self):
                self.warn(f"{' and '.join(phases)} of this store is overdue: run `clawbrain compact`.")

    def memories(self, type: str | None = None) -> Iterator[Memory]:
        """Every memory there is, by id."""
        self.sync()
        return self.index.memories(type)

    def log(self, most: int) -> list[dict[str, Any]]:
        """What was done, newest first."""
        return self.ledger.logged(most)

    def may_write(self) -> None:
        if self.read_only:
            raise ReadOnly("this home was opened for reading only; nothing was changed.")


def _drifted(record: Record, now: str, decay: "Decay") -> tuple[float, float]:
    """A score with the drift since it was last touched, and the days that makes."""
    days = days_between(record.touched_at, now)
    return credit.drift(record.score, days, decay.credit_per_day, decay.credit_floor), days


def _refuse_unreadable(memory: Memory, data: bytes) -> None:
    """No file is written that could not be read again (a header that is too large, say)."""
    try:
        memories.parse(memory.path, data, utc_now())
    except Unreadable as fault:
        raise Invalid(f"this would make a file that is {fault}.") from None
