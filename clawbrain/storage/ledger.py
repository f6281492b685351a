"""The ledger: credit records, turns, contradictions, runs and the log of actions. These exist nowhere else.

This module reads and writes rows; their meaning is decided in credit, evidence and brain/. Everything that writes is
called inside `writing()`, with the store's lock held.
"""

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from .. import credit_evidence
from ..credit import START, Balance, Kind, Shown
from ..credit_evidence import ARCHIVE, PURGE, RENAME, UNNAME
from ..errors import Invalid
from ..memory.model import Memory, shown
from ..recalls import NOWHERE, SESSION_START, Origin, Recall
from .evidence_table import EvidenceTable
from .ledger_file import PURGED_TEXTS, TABLES
from .sound import LONG_AGO, as_number, is_date
from .turn_log import LoggedSearch


class Record(NamedTuple):
    """A credit record as stored: its score is as of `touched_at`, without the drift since then."""

    id: str
    score: float
    access_count: int
    created_at: str
    last_accessed: str | None
    decay_rate: float
    stored_seq: int
    session_id: str | None
    touched_at: str
    signals: int
    path: str


class Turn(NamedTuple):
    """One search with the retrieves that followed it, or retrieves alone."""

    seq: int
    ids: list[str]
    searched: list[str]
    opened: list[str]
    outcome: str | None
    kind: Kind = ()

    @property
    def lesson(self) -> Shown:
        """Return the turn as scoring needs it: the kind of the question, the ids shown and the ids opened."""
        return Shown(self.kind, tuple(dict.fromkeys(self.searched)), tuple(dict.fromkeys(self.opened)))


class Event(NamedTuple):
    """One change of a score or of evidence, with everything needed to replay it."""

    memory_id: str
    event_type: str
    old_score: float
    new_score: float
    reward: float | None = None
    signal_id: str | None = None
    share: float | None = None
    expected: float | None = None
    rate: float | None = None
    days: float | None = None
    per_day: float | None = None
    floor: float | None = None
    kind: str | None = None  # of the question, as JSON; None in rows that change no evidence
    step: float | None = None  # in log-odds, added to the evidence for that kind
    detail: str | None = None  # another id or an archive path, as the type of event needs it


class Contradiction(NamedTuple):
    """Two claims that contradict each other; both ids are the same where claim_b is of the memory's own former text."""

    id: int
    memory_a_id: str
    memory_b_id: str
    description: str
    claim_a: str
    claim_b: str
    resolution: str
    resolved_at: str | None
    created_at: str


class StoredRun(NamedTuple):
    """A compaction as stored: its plan is JSON, `done` the number of actions carried out."""

    id: str
    plan: str
    done: int
    state: str  # running, done, undone
    created_at: str


_RECORD = ", ".join(Record._fields)
_EVENT = ", ".join(Event._fields)
# A dump has no sessions, which belong to this machine, and no evidence, which follows from the events.
_CARRIED = tuple(table for table in TABLES if table not in ("sessions", "evidence"))
_NUMBERS = ("reward", "share", "expected", "rate", "days", "per_day", "floor", "step")
UNRESOLVED = "unresolved"
_LOADED = "loaded"  # the note that changes when a dump replaces the ledger


class Ledger(EvidenceTable):
    """The rows of ledger.db."""

    _balance, _balance_upto = Balance(), 0
    _balance_of: tuple[int, str | None] = (0, None)  # identifies the ledger whose events were counted

    # Credit records

    def records(self, ids: Collection[str] | None = None) -> dict[str, Record]:
        """Return the credit records of these ids, or all of them, by id."""
        if ids is None:
            rows = self._all(f"SELECT {_RECORD} FROM credit_records")
        else:
            wanted = "SELECT value FROM json_each(?)"
            rows = self._all(f"SELECT {_RECORD} FROM credit_records WHERE id IN ({wanted})", _json(ids))
        return {record.id: record for row in rows if (record := _sound(Record(*row)))}

    def leading(self, folder: str, per_day: float, now: str, limit: int) -> list[str]:
        """Return the ids in a folder of memory/ that are worth most, about in the order of their effective credit.

        A fading of `per_day` is counted since the last access. The order is near enough to choose candidates by: not
        every SQLite has exp().
        """
        idle = "max(0, julianday(?3) - julianday(coalesce(last_accessed, created_at)))"
        rows = self._all(
            f"SELECT id FROM credit_records WHERE substr(path, 1, length(?1)) = ?1 "
            f"ORDER BY score / (1 + ?2 * coalesce({idle}, 0)) DESC, id LIMIT ?4",
            *(folder, per_day, now, limit),
        )
        return [id for (id,) in rows if isinstance(id, str)]

    def places(self, ids: Collection[str]) -> dict[str, int]:
        """Return the place of each of these memories in the order of storing."""
        wanted = "SELECT id, stored_seq FROM credit_records WHERE id IN (SELECT value FROM json_each(?))"
        return {id: place if isinstance(place, int) else 0 for id, place in self._all(wanted, _json(ids))}

    def unsound(self) -> list[tuple[str, str]]:
        """Return the rows with impossible values (a flipped bit, a dump edited by hand), each with what is wrong."""
        records = self._all(f"SELECT {_RECORD} FROM credit_records")
        found = [
            (str(row[0]), "its credit record holds what cannot be") for row in records if _sound(Record(*row)) != row
        ]
        lists = " OR ".join(
            f"NOT json_valid({each})" for each in ("retrieved_memory_ids", "searched_ids", "opened_ids")
        )
        found += [
            (f"turn {row[0]}", "its ids cannot be read")
            for row in self._all(f"SELECT seq FROM turn_records WHERE {lists}")
        ]
        for what, kinds in (
            ("turn", "SELECT seq, kind FROM turn_records"),
            ("event", "SELECT id, kind FROM credit_events"),
        ):
            found += [
                (f"{what} {row[0]}", "the kind of its question cannot be read")
                for row in self._all(f"{kinds} WHERE kind IS NOT NULL")
                if credit_evidence.from_text(row[1]) is None
            ]
        runs = self._all("SELECT id FROM runs WHERE state = 'running' AND NOT json_valid(plan)")
        return found + [(f"run {row[0]}", "was interrupted, and its plan cannot be read") for row in runs]

    def ids(self) -> set[str]:
        return {row[0] for row in self._all("SELECT id FROM credit_records")}

    def first_record(self) -> str | None:
        """Return when the oldest credit record was made, or None where there is none."""
        row = self._one("SELECT min(created_at) FROM credit_records WHERE created_at GLOB '[0-9]*Z'")
        return row[0] if row and is_date(row[0]) else None

    def add_record(self, memory: Memory, at: str, session: str | None, decay_rate: float) -> None:
        """Give a new memory a credit record with the starting score.

        An earlier memory of the same id must not count for it, so that one is renamed in kinds of earlier questions.
        """
        if self._one("SELECT 1 FROM credit_events WHERE memory_id = ? LIMIT 1", memory.id):
            self.rename_in_kinds(memory.id, _mark(), at, session)
        seq = self._next_seq()
        self._put(Record(memory.id, START, 0, at, None, decay_rate, seq, session, at, 0, memory.path))
        self.add_event(Event(memory.id, "store", START, START), at, session)

    def adopt(self, memory: Memory, at: str, decay_rate: float) -> None:
        """Give a file that a person added the record it had when it was archived, or that of a new memory."""
        put_away = self.archived_paths_of(memory.id)
        if put_away:
            self.restore_record(put_away[0], memory.path, at, None)
        else:
            self.add_record(memory, at, None, decay_rate)

    def _put(self, record: Record) -> None:
        marks = ", ".join("?" * len(record))
        self._do(f"INSERT OR REPLACE INTO credit_records ({_RECORD}) VALUES ({marks})", *record)

    def _next_seq(self) -> int:
        live, away = (
            f"(SELECT coalesce(max(stored_seq), 0) FROM {table})" for table in ("credit_records", "archived_records")
        )
        return int(self._one(f"SELECT max({live}, {away}) + 1")[0])

    def count_access(self, id: str, at: str) -> None:
        """Count one access to a memory, at this time."""
        self._do(
            "UPDATE credit_records SET access_count = access_count + 1, last_accessed = ? WHERE id = ?",
            at,
            id,
        )

    def set_last_access(self, id: str, at: str) -> None:
        """Set the last access of a memory that was restored, so that it is not archived again at once."""
        self._do("UPDATE credit_records SET last_accessed = ? WHERE id = ?", at, id)

    def set_score(self, id: str, score: float, at: str, signal: bool = False) -> None:
        """Set the score of a memory as of a time, and count a signal if this was one."""
        self._do(
            "UPDATE credit_records SET score = ?, touched_at = ?, signals = signals + ? WHERE id = ?",
            *(score, at, int(signal), id),
        )

    def set_signals(self, id: str, signals: int) -> None:
        """Set the number of signals of a memory."""
        self._do("UPDATE credit_records SET signals = ? WHERE id = ?", signals, id)

    def set_path(self, id: str, path: str) -> None:
        """Note the new path of a memory."""
        self._do("UPDATE credit_records SET path = ? WHERE id = ?", path, id)

    def neighbours(self, ids: Collection[str]) -> dict[str, list[str]]:
        """Return for each id the memories stored just before and just after it in the same session."""
        rows = self._all(
            """
            SELECT mine.id, near.id
            FROM json_each(?) AS wanted
            JOIN credit_records AS mine ON mine.id = wanted.value
            JOIN credit_records AS near
              ON near.stored_seq IN (mine.stored_seq - 1, mine.stored_seq + 1) AND near.session_id = mine.session_id
            """,
            _json(ids),
        )
        found: dict[str, list[str]] = {}
        for id, other in rows:
            found.setdefault(id, []).append(other)
        return found

    # The archive's records

    def archive_record(self, id: str, archive_path: str, at: str) -> None:
        """Move the credit record of a memory to the archived records, under its path in the archive."""
        for record in self.records([id]).values():
            self.add_event(Event(id, ARCHIVE, record.score, record.score, detail=archive_path), at, None)
        self._do(
            f"INSERT OR REPLACE INTO archived_records (archive_path, {_RECORD}, archived_at) "
            f"SELECT ?, {_RECORD}, ? FROM credit_records WHERE id = ?",
            *(archive_path, at, id),
        )
        self._do("DELETE FROM credit_records WHERE id = ?", id)

    def archived_paths_of(self, id: str) -> list[str]:
        """Return the archive paths of the archived memories with this id, the newest first."""
        rows = self._all(
            "SELECT archive_path FROM archived_records WHERE id = ? ORDER BY archived_at DESC, rowid DESC", id
        )
        return [row[0] for row in rows]

    def archived_paths(self) -> list[str]:
        return [row[0] for row in self._all("SELECT archive_path FROM archived_records ORDER BY archive_path")]

    def archived_id(self, archive_path: str) -> str | None:
        row = self._one("SELECT id FROM archived_records WHERE archive_path = ?", archive_path)
        return row[0] if row else None

    def archived_from(self, archive_path: str) -> str | None:
        """Return the path below memory/ that an archived file had, or None."""
        row = self._one("SELECT path FROM archived_records WHERE archive_path = ?", archive_path)
        return row[0] if row else None

    def restore_record(self, archive_path: str, path: str, at: str, session: str | None) -> None:
        """Move an archived record back to the credit records, with the path that its file has now."""
        row = self._one(f"SELECT {_RECORD} FROM archived_records WHERE archive_path = ?", archive_path)
        record = (_sound(Record(*row)) or Record(*row))._replace(path=path)
        if self._one("SELECT 1 FROM credit_records WHERE stored_seq = ?", record.stored_seq):
            record = record._replace(stored_seq=self._next_seq())
        self._put(record)
        self._do("DELETE FROM archived_records WHERE archive_path = ?", archive_path)
        self.add_event(Event(record.id, "restore", record.score, record.score, detail=archive_path), at, session)

    def count_asked_for(self, archive_path: str, times: int) -> None:
        """Count that an archived memory was asked for so many times."""
        self._do("UPDATE archived_records SET asked_for = asked_for + ? WHERE archive_path = ?", times, archive_path)

    def asked_for(self, least: int = 1) -> dict[str, int]:
        """Return how often each archived memory was asked for, by archive path, where it was at least `least` times."""
        rows = self._all(
            "SELECT archive_path, asked_for FROM archived_records WHERE typeof(asked_for) = 'integer' "
            "AND asked_for >= ? ORDER BY archive_path",
            least,
        )
        return {row[0]: row[1] for row in rows}

    def forget_archived(self, archive_path: str, at: str) -> None:
        """Delete the record of a memory that is purged. Unless its id is still in use, kinds no longer name it."""
        id = self.archived_id(archive_path)
        self._do("DELETE FROM archived_records WHERE archive_path = ?", archive_path)
        if id is not None:
            self.add_event(Event(id, PURGE, START, START, detail=archive_path), at, None)
            if not self.archived_paths_of(id) and not self.records([id]):
                self.rename_in_kinds(id, _mark(), at, None)

    # Renaming in the kinds of questions, which name memories

    def rename_in_kinds(self, old: str, new: str, at: str, session: str | None = None) -> dict[str, dict[int, float]]:
        """Replace an id by another in every kind of a question, in evidence and in turns without a signal.

        Returns the weights that the old id had, by row of evidence and by turn; `take_name_back` needs them.
        """
        rows = {row.number: dict(row.kind)[old] for row in self.naming(old)}
        if rows:
            self.add_event(Event(old, RENAME, START, START, detail=new), at, session)
        turns = self._open_kinds(old)
        self._rekind_turns({seq: credit_evidence.renamed(kind, old, new) for seq, kind in turns.items()})
        return {"rows": rows, "turns": {seq: dict(kind)[old] for seq, kind in turns.items()}}

    def take_name_back(self, old: str, new: str, taken: Mapping[str, Mapping[int, float]], at: str) -> None:
        """Undo `rename_in_kinds` with the weights that it returned."""
        if taken["rows"]:
            self.add_event(
                Event(old, UNNAME, START, START, detail=credit_evidence.names_taken(new, taken["rows"])), at, None
            )
        weights = taken["turns"]
        turns = {seq: kind for seq, kind in self._open_kinds(new).items() if seq in weights}
        self._rekind_turns({seq: credit_evidence.unnamed(kind, old, new, weights[seq]) for seq, kind in turns.items()})

    def _open_kinds(self, id: str) -> dict[int, Kind]:
        """Return the kinds that name an id, by turn, of the turns that no signal has scored."""
        rows = self._all(
            "SELECT seq, kind FROM turn_records WHERE outcome IS NULL AND instr(kind, ?)",
            json.dumps(id, ensure_ascii=False),
        )
        return {seq: kind for seq, text in rows if id in dict(kind := credit_evidence.from_text(text) or ())}

    def _rekind_turns(self, kinds: Mapping[int, Kind]) -> None:
        for seq, kind in kinds.items():
            self._do("UPDATE turn_records SET kind = ? WHERE seq = ?", credit_evidence.as_text(kind), seq)

    # Credit events: append-only, each with everything needed to replay it

    def add_event(self, event: Event, at: str, session: str | None) -> None:
        """Add an event, and apply it to the evidence."""
        number = self._one("SELECT coalesce(max(id), 0) + 1 FROM credit_events")[0]
        days = self.teach({**event._asdict(), "id": number, "created_at": at})
        if event.kind is not None:
            event = event._replace(days=days)
        marks = ", ".join("?" * (len(event) + 3))
        self._do(
            f"INSERT INTO credit_events (id, {_EVENT}, created_at, session_id) VALUES ({marks})",
            number,
            *event,
            at,
            session,
        )

    def events(self, id: str | None = None, since: str = "") -> Iterator[tuple[Event, str]]:
        """Yield the events of one memory or of all, in order, each with its time."""
        for row in self._all(
            f"SELECT {_EVENT}, created_at FROM credit_events "
            "WHERE (?1 IS NULL OR memory_id = ?1) AND created_at >= ?2 ORDER BY id",
            *(id, since),
        ):
            if event := _sound_event(Event(*row[:-1])):
                yield event, str(row[-1])

    def balance(self) -> Balance:
        """Return the balance of positive and negative signals in the whole store, from the events; each counts once."""
        loaded = self.note_of(_LOADED)
        if self._balance_of != (now := (self._db.openings, loaded)):  # it was opened again, or a dump replaced it
            self.reopened()
            self._balance_of = now
        rows = self._all(
            "SELECT max(id), reward FROM credit_events WHERE signal_id IS NOT NULL AND id > ? "
            "AND typeof(reward) IN ('real', 'integer') "
            "GROUP BY signal_id ORDER BY min(id)",
            self._balance_upto,
        )
        for upto, reward in rows:
            self._balance = self._balance.after(reward)
            self._balance_upto = max(self._balance_upto, upto)
        return self._balance

    def reopened(self) -> None:
        """Forget the balance counted so far, because another ledger is in place now."""
        self._balance, self._balance_upto = Balance(), 0

    # Turns

    def record_searches(self, searches: Iterable[LoggedSearch]) -> None:
        """Add searches of the turn log as turns; a turn that is already here stays as it is.

        What a briefing told is kept as a turn without memories, which no signal scores.
        """
        for search in searches:
            ids = _json(search.ids)
            kind = credit_evidence.as_text(search.kind) if search.kind else None
            scored = "[]" if search.origin.event == SESSION_START else ids
            self._do(
                "INSERT OR IGNORE INTO turn_records (id, session_id, retrieved_memory_ids, searched_ids, opened_ids, "
                "created_at, kind, client, folder, event, program_session) "
                "VALUES (?, ?, ?, ?, '[]', ?, ?, ?, ?, ?, ?)",
                *(search.id, search.session, scored, ids, search.at, kind, *(word or None for word in search.origin)),
            )

    def recalls(self, session: str | None, limit: int) -> list[Recall]:
        """Return the latest turns that a program began, oldest first: all, or those of a session."""
        rows = self._all(
            """
            SELECT seq, created_at, client, folder, event, session_id, program_session,
                searched_ids, opened_ids, outcome
            FROM turn_records WHERE event IS NOT NULL AND (?1 IS NULL OR ?1 IN (session_id, program_session) OR
                session_id IN (SELECT session_id FROM turn_records WHERE program_session = ?1))
            ORDER BY seq DESC LIMIT ?2
            """,
            *(session, limit),
        )
        return [
            Recall(
                seq, at, client or "", folder or "", event, session, theirs or "", _words(ids), _words(opened), outcome
            )
            for seq, at, client, folder, event, session, theirs, ids, opened, outcome in reversed(rows)
        ]

    def unrated(self) -> list[tuple[str, str, str, str]]:
        """Return the sessions whose newest turn with memories has no outcome: id, program, folder and time of that
        turn, the newest first."""
        rows = self._all(
            """
            SELECT session_id, client, folder, created_at, outcome, max(seq) FROM turn_records
            WHERE retrieved_memory_ids <> '[]' AND session_id <> '' GROUP BY session_id ORDER BY max(seq) DESC
            """
        )
        return [(session, client or "", folder or "", at) for session, client, folder, at, outcome, _ in rows
                if outcome is None]  # fmt: skip

    def record_opening(self, id: str, session: str, at: str, turn_id: str, origin: Origin = NOWHERE) -> None:
        """Add a retrieved memory to the session's newest turn, or begin one where none came since the last signal."""
        turns = self.turns_since_signal(session)
        if not turns:
            ids = _json([id])
            self._do(
                "INSERT INTO turn_records (id, session_id, retrieved_memory_ids, searched_ids, opened_ids, created_at, "
                "client, folder, event, program_session) VALUES (?, ?, ?, '[]', ?, ?, ?, ?, ?, ?)",
                *(turn_id, session, ids, ids, at, *(word or None for word in origin)),
            )
            return
        turn = turns[-1]
        self._do(
            "UPDATE turn_records SET retrieved_memory_ids = ?, opened_ids = ? WHERE seq = ?",
            *(_json(_with(turn.ids, id)), _json(_with(turn.opened, id)), turn.seq),
        )

    def turns_since_signal(self, session: str) -> list[Turn]:
        """Return the session's turns since its last signal, the oldest first, without those that have no memories.

        A signal always scores the newest turn, so the turns after the last scored one are the new ones.
        """
        rows = self._all(
            """
            SELECT seq, retrieved_memory_ids, searched_ids, opened_ids, outcome, kind FROM turn_records
            WHERE session_id = ?1 AND seq > coalesce(
                (SELECT max(seq) FROM turn_records WHERE session_id = ?1 AND outcome IS NOT NULL), 0)
            ORDER BY seq
            """,
            session,
        )
        turns = [
            Turn(seq, _words(ids), _words(searched), _words(opened), outcome, credit_evidence.from_text(kind) or ())
            for seq, ids, searched, opened, outcome, kind in rows
        ]
        return [turn for turn in turns if turn.ids]

    def mark_turns(self, turns: Iterable[Turn], outcome: str) -> None:
        """Note the signal as the outcome of these turns, unless they have one."""
        for turn in turns:
            self._do("UPDATE turn_records SET outcome = ? WHERE seq = ? AND outcome IS NULL", outcome, turn.seq)

    # Contradictions

    def add_contradiction(self, a: str, b: str, description: str, claims: tuple[str, str], at: str) -> int:
        """Add a contradiction and return its number."""
        self._do(
            "INSERT INTO contradictions (memory_a_id, memory_b_id, description, claim_a, claim_b, resolution, "
            "created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(a, b, description, *claims, UNRESOLVED, at),
        )
        return int(self._one("SELECT last_insert_rowid()")[0])

    def contradictions(self, *, about: str | None = None, unresolved: bool = False) -> list[Contradiction]:
        """Return the contradictions in order: all of them, or only those about one memory or those not resolved."""
        of_one = "" if about is None else "AND (memory_a_id = ?2 OR memory_b_id = ?2)"
        rows = self._all(
            f"SELECT {', '.join(Contradiction._fields)} FROM contradictions "
            f"WHERE (?1 = '' OR resolution = ?1) {of_one} ORDER BY id",
            *(UNRESOLVED if unresolved else "", *([] if about is None else [about])),
        )
        return [Contradiction(*row) for row in rows]

    def resolve(self, number: int, resolution: str, at: str) -> None:
        self._do("UPDATE contradictions SET resolution = ?, resolved_at = ? WHERE id = ?", resolution, at, number)

    def purge_text(self, id: str) -> None:
        """Delete the words of a purged memory from the contradictions about it."""
        for sql in PURGED_TEXTS:
            self._do(sql, id)

    # The log, runs and notes

    def add_to_log(self, action: str, ids: Sequence[str], details: str, at: str, run: str | None = None) -> None:
        self._do(
            "INSERT INTO lifecycle_log (action, target_ids, details, created_at, run) VALUES (?, ?, ?, ?, ?)",
            *(action, _json(ids), details, at, run),
        )

    def latest_log(self, most: int) -> list[dict[str, Any]]:
        """Return the latest entries of the log, the newest first."""
        rows = self._all(
            "SELECT id, action, target_ids, details, created_at, run FROM lifecycle_log ORDER BY id DESC LIMIT ?",
            most,
        )
        names = ("id", "action", "target_ids", "details", "created_at", "run")
        return [dict(zip(names, row, strict=True)) | {"target_ids": _words(row[2])} for row in rows]

    def set_note(self, key: str, value: str) -> None:
        self._do("INSERT OR REPLACE INTO notes (key, value) VALUES (?, ?)", key, value)

    def note_of(self, key: str) -> str | None:
        """Return the note under a key, or None; a date that cannot be read counts as none."""
        row = self._one("SELECT value FROM notes WHERE key = ?", key)
        if row is None or (key.startswith("last_") and not is_date(row[0])):
            return None
        return str(row[0])

    # Runs: a compaction is noted before it begins and after each step, so that it can be finished or undone

    def begin_run(self, id: str, plan: str, at: str) -> None:
        """Note a compaction that begins, with its plan as JSON."""
        self._do("INSERT INTO runs (id, plan, done, state, created_at) VALUES (?, ?, 0, 'running', ?)", id, plan, at)

    def step_done(self, run: str, number: int, outcome: str, undo: Any) -> None:
        """Note the outcome of an action, and what is needed to undo it."""
        self._do(
            "INSERT OR REPLACE INTO run_steps (run, number, outcome, undo) VALUES (?, ?, ?, ?)",
            *(run, number, outcome, json.dumps(undo, ensure_ascii=False)),
        )
        self._do("UPDATE runs SET done = ? WHERE id = ?", number + 1, run)

    def end_run(self, id: str, state: str, at: str, plan: str | None = None) -> None:
        """Set the state in which a run ended, and replace its plan where one is given."""
        self._do(
            "UPDATE runs SET state = ?, ended_at = ?, plan = coalesce(?, plan) WHERE id = ?", *(state, at, plan, id)
        )

    def run(self, id: str) -> StoredRun | None:
        """Return a run, or None where there is none or its plan cannot be read."""
        row = self._one("SELECT id, plan, done, state, created_at FROM runs WHERE id = ?", id)
        return StoredRun(*row) if row and _is_json(row[1]) else None

    def runs(self, state: str) -> list[StoredRun]:
        """Return the runs in a state, the oldest first."""
        rows = self._all(
            "SELECT id, plan, done, state, created_at FROM runs WHERE state = ? ORDER BY created_at, rowid", state
        )
        return [StoredRun(*row) for row in rows if _is_json(row[1])]

    def steps(self, run: str) -> list[tuple[int, str, Any]]:
        """Return the steps of a run: number, outcome, and what is needed to undo it."""
        rows = self._all("SELECT number, outcome, undo FROM run_steps WHERE run = ? ORDER BY number", run)
        return [(row[0], row[1], json.loads(row[2])) for row in rows if _is_json(row[2])]

    def step(self, run: str, number: int) -> tuple[str, Any] | None:
        row = self._one("SELECT outcome, undo FROM run_steps WHERE run = ? AND number = ?", run, number)
        return (row[0], json.loads(row[1])) if row and _is_json(row[1]) else None

    def promoted(self) -> set[tuple[str, str]]:
        """Return the facts that were promoted, each as the id of its episode and the hash of the fact."""
        return {(row[0], row[1]) for row in self._all("SELECT episode_id, fact_hash FROM promoted")}

    def note_promoted(self, episode_id: str, facts: Iterable[str], run: str, at: str) -> None:
        """Note the hashes of facts that a run has promoted from an episode."""
        for fact in facts:
            self._do("INSERT OR IGNORE INTO promoted VALUES (?, ?, ?, ?)", episode_id, fact, run, at)

    def forget_promoted(self, run: str, episode_id: str, facts: Iterable[str]) -> None:
        for fact in facts:
            self._do("DELETE FROM promoted WHERE run = ? AND episode_id = ? AND fact_hash = ?", run, episode_id, fact)

    # Sessions

    def open_session(self, id: str, pid: int, parent: tuple[int, str], at: str) -> None:
        """Note that a process serves a session; `parent` is the pid and the start of the process that started it."""
        self._do(
            "INSERT OR REPLACE INTO sessions (id, pid, parent_pid, parent_start, opened_at, closed_at) "
            "VALUES (?, ?, ?, ?, ?, NULL)",
            *(id, pid, *parent, at),
        )

    def close_session(self, id: str, pid: int, at: str) -> None:
        """Note that a process has left its session, which other processes may share."""
        self._do("UPDATE sessions SET closed_at = ? WHERE id = ? AND pid = ?", at, id, pid)

    def open_sessions(self) -> list[tuple[str, int, int, str]]:
        """Return the open sessions, the newest first: id, the server's pid, and the pid and start of its parent."""
        rows = self._all(
            "SELECT id, pid, parent_pid, parent_start FROM sessions WHERE closed_at IS NULL "
            "ORDER BY opened_at DESC, rowid DESC"
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]

    # All rows, for a dump

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every row that a dump carries to another machine, with the name of its table."""
        for table in _CARRIED:
            for row in self._served(partial(_rows_of, table)):
                if row.get("key") != _LOADED:
                    yield table, row

    def load(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Replace all rows by those of a dump, in the transaction that the caller has begun. Raises Invalid."""
        from .ledger_schema import from_before  # a dump may be older than this program; sqlite-utils takes time

        columns = {table: {row[1] for row in self._all(f"PRAGMA table_info({table})")} for table in _CARRIED}
        for table in _CARRIED:
            self._do(f"DELETE FROM {table}")
        for table, as_dumped in rows:
            row = from_before(table, as_dumped)
            if table not in columns or not row.keys() <= columns[table]:
                raise Invalid(f"the dump holds a row that this ledger has no place for (table {shown(str(table))}).")
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            try:
                self._do(f"INSERT INTO {table} ({names}) VALUES ({marks})", *row.values())
            except (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, OverflowError) as error:
                raise Invalid(
                    f"the dump holds a row of {table} that cannot be ({error}); nothing was loaded."
                ) from None
        self.rebuild_evidence()
        if strange := self.unsound():
            raise Invalid(f"the dump cannot be ({strange[0][0]}: {strange[0][1]}); nothing was loaded.")
        self.set_note(_LOADED, os.urandom(4).hex())

    def problems(self) -> list[str]:
        """Return what SQLite's integrity check finds wrong; nothing for a sound file."""
        return [row[0] for row in self._all("PRAGMA integrity_check(5)") if row[0] != "ok"]


def _rows_of(table: str, db: sqlite3.Connection) -> list[dict[str, Any]]:
    from sqlite_utils import Database  # takes time to import

    rows = Database(db, execute_plugins=False, recursive_triggers=False).table(table)
    return list(rows.rows_where(order_by="rowid"))


def _sound(record: Record) -> Record | None:
    """Return a record with starting values in place of impossible ones, or None where its id is no text."""
    if not isinstance(record.id, str):
        return None
    dates = is_date(record.created_at) and is_date(record.touched_at)
    numbers = isinstance(record.score, float) and 0 <= record.score <= 1 and isinstance(record.decay_rate, float)
    counts = (record.access_count, record.signals, record.stored_seq)
    whole = all(isinstance(count, int) and 0 <= count < 1 << 62 for count in counts)
    last = record.last_accessed is None or is_date(record.last_accessed)
    if dates and numbers and whole and last and isinstance(record.path, str):
        return record
    seq = record.stored_seq if isinstance(record.stored_seq, int) else 0
    touched = next(filter(is_date, (record.touched_at, record.created_at)), LONG_AGO)
    return Record(
        id=record.id,
        score=_score(record.score),
        access_count=record.access_count if isinstance(record.access_count, int) else 0,
        created_at=record.created_at if is_date(record.created_at) else touched,
        last_accessed=record.last_accessed if is_date(record.last_accessed) else None,
        decay_rate=as_number(record.decay_rate) or 0.0,
        stored_seq=seq,
        session_id=record.session_id if isinstance(record.session_id, str) else None,
        touched_at=touched,
        signals=record.signals if isinstance(record.signals, int) else 0,
        path=record.path if isinstance(record.path, str) else "",
    )


def _sound_event(event: Event) -> Event | None:
    if not isinstance(event.memory_id, str) or not isinstance(event.event_type, str):
        return None
    numbers: dict[str, Any] = {name: as_number(getattr(event, name)) for name in _NUMBERS}
    kind, detail = (text if isinstance(text, str) else None for text in (event.kind, event.detail))
    old, new = _score(event.old_score), _score(event.new_score)
    return event._replace(old_score=old, new_score=new, kind=kind, detail=detail, **numbers)


def _score(value: object) -> float:
    found = as_number(value)
    return found if found is not None and 0 <= found <= 1 else START


def _mark() -> str:
    """Return a random name that no memory has, to stand in kinds for a memory that is gone."""
    return f"~{os.urandom(8).hex()}"


def _words(text: object) -> list[str]:
    """Return the ids in a stored JSON list, without values that are no texts."""
    found = json.loads(text) if _is_json(text) and isinstance(text, str) else []
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []


def _is_json(text: object) -> bool:
    try:
        return isinstance(text, str) and json.loads(text) is not ...
    except (ValueError, RecursionError):
        return False


def _json(value: Any) -> str:
    return json.dumps(value if isinstance(value, list) else list(value), ensure_ascii=False)


def _with(ids: list[str], id: str) -> list[str]:
    return ids if id in ids else [*ids, id]
