"""Credit in the ledger: the records of the memories that are served and of those in the archive, and their events."""

import json
import os
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from .. import credit_evidence
from ..credit import START, Balance, Kind
from ..credit_evidence import ARCHIVE, PURGE, RENAME, UNNAME
from ..memory.model import Memory
from .evidence_table import EvidenceTable, change_of
from .lives import Lives, new_life
from .notes import LOADED, Notes
from .sound import LONG_AGO, as_json, as_number, ids_of, is_date


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
    life: str = ""


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
    life: str | None = None  # of the memory; without one, that of the memory that has the id now


_RECORD = ", ".join(Record._fields)
_EVENT = ", ".join(Event._fields)
_NUMBERS = ("reward", "share", "expected", "rate", "days", "per_day", "floor", "step")


class CreditRecords(EvidenceTable, Notes, Lives):
    """The credit records of memories and of archived memories, and the events that changed them."""

    _balance, _balance_upto = Balance(), 0
    _balance_of: tuple[int, str | None] = (0, None)  # identifies the ledger whose events were counted

    def records(self, ids: Collection[str] | None = None) -> dict[str, Record]:
        """Return the credit records of these ids, or all of them, by id."""
        if ids is None:
            rows = self._all(f"SELECT {_RECORD} FROM credit_records")
        else:
            wanted = "SELECT value FROM json_each(?)"
            rows = self._all(f"SELECT {_RECORD} FROM credit_records WHERE id IN ({wanted})", as_json(ids))
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
        return {id: place if isinstance(place, int) else 0 for id, place in self._all(wanted, as_json(ids))}

    def ids(self) -> set[str]:
        return {row[0] for row in self._all("SELECT id FROM credit_records")}

    def first_record(self) -> str | None:
        """Return when the first memory got its credit record, however old the memory is; None where none has one."""
        row = self._one("SELECT min(created_at) FROM credit_events WHERE created_at GLOB '[0-9]*Z'")
        return row[0] if row and is_date(row[0]) else None

    def add_record(self, memory: Memory, at: str, session: str | None, decay_rate: float, aged: str = "") -> None:
        """Give a new memory a credit record with the starting score. Its age counts from `aged`, else from now.

        An earlier memory of the same id must not count for it, so that one is renamed in kinds of earlier questions.
        """
        if self._one("SELECT 1 FROM credit_events WHERE memory_id = ? LIMIT 1", memory.id):
            mark = _mark()
            self.rename_in_kinds(memory.id, mark, at, session)
            self._rename_in_turns(memory.id, mark)
        seq = self._next_seq()
        self._put(
            Record(memory.id, START, 0, aged or at, None, decay_rate, seq, session, at, 0, memory.path, new_life())
        )
        self.add_event(Event(memory.id, "store", START, START), at, session)

    def adopt(self, memory: Memory, at: str, decay_rate: float, digest: str = "") -> None:
        """Give a file that a person added the record it had in the archive, if its hash is the same, or a new one."""
        found = (
            "SELECT archive_path FROM archived_records WHERE id = ? AND digest = ? ORDER BY archived_at DESC LIMIT 1"
        )
        if digest and (put_away := self._one(found, memory.id, digest)):
            self.restore_record(put_away[0], memory.path, at, None)
        else:
            self.add_record(memory, at, None, decay_rate)

    def _put(self, record: Record) -> None:
        marks = ", ".join("?" * len(record))
        self._db.do(f"INSERT OR REPLACE INTO credit_records ({_RECORD}) VALUES ({marks})", *record)

    def _next_seq(self) -> int:
        live, away = (
            f"(SELECT coalesce(max(stored_seq), 0) FROM {table})" for table in ("credit_records", "archived_records")
        )
        return int(self._one(f"SELECT max({live}, {away}) + 1")[0])

    def count_access(self, id: str, at: str) -> None:
        """Count one access to a memory, at this time."""
        self._db.do(
            "UPDATE credit_records SET access_count = access_count + 1, last_accessed = ? WHERE id = ?",
            at,
            id,
        )

    def set_last_access(self, id: str, at: str) -> None:
        """Set the last access of a memory that was restored, so that it is not archived again at once."""
        self._db.do("UPDATE credit_records SET last_accessed = ? WHERE id = ?", at, id)

    def set_score(self, id: str, score: float, at: str, signal: bool = False) -> None:
        """Set the score of a memory as of a time, and count a signal if this was one."""
        self._db.do(
            "UPDATE credit_records SET score = ?, touched_at = ?, signals = signals + ? WHERE id = ?",
            *(score, at, int(signal), id),
        )

    def set_signals(self, id: str, signals: int) -> None:
        """Set the number of signals of a memory."""
        self._db.do("UPDATE credit_records SET signals = ? WHERE id = ?", signals, id)

    def set_counts(self, id: str, accesses: int, signals: int) -> None:
        """Set the numbers of accesses and of signals of a memory that comes from another home."""
        self._db.do("UPDATE credit_records SET access_count = ?, signals = ? WHERE id = ?", accesses, signals, id)

    def set_path(self, id: str, path: str) -> None:
        """Note the new path of a memory."""
        self._db.do("UPDATE credit_records SET path = ? WHERE id = ?", path, id)

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
            as_json(ids),
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
        self._db.do(
            f"INSERT OR REPLACE INTO archived_records (archive_path, {_RECORD}, archived_at) "
            f"SELECT ?, {_RECORD}, ? FROM credit_records WHERE id = ?",
            *(archive_path, at, id),
        )
        self._db.do("DELETE FROM credit_records WHERE id = ?", id)

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
        self._db.do("DELETE FROM archived_records WHERE archive_path = ?", archive_path)
        self.add_event(Event(record.id, "restore", record.score, record.score, detail=archive_path), at, session)

    def count_asked_for(self, archive_path: str, times: int) -> None:
        """Count that an archived memory was asked for so many times."""
        self._db.do("UPDATE archived_records SET asked_for = asked_for + ? WHERE archive_path = ?", times, archive_path)

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
        id, life = self.archived_id(archive_path), self.archived_life(archive_path)
        self._db.do("DELETE FROM archived_records WHERE archive_path = ?", archive_path)
        if id is not None:
            self.add_event(Event(id, PURGE, START, START, detail=archive_path, life=life), at, None)
            if not self.archived_paths_of(id) and not self.records([id]):
                self.rename_in_kinds(id, _mark(), at, None)

    def note_archived_digest(self, archive_path: str, digest: str) -> None:
        """Note the hash of an archived file, by which it is known again when a person moves it back."""
        self._db.do("UPDATE archived_records SET digest = ? WHERE archive_path = ?", digest, archive_path)

    def without_digest(self) -> list[str]:
        """Return the archive paths whose hash is not noted."""
        return [row[0] for row in self._all("SELECT archive_path FROM archived_records WHERE digest IS NULL")]

    def archived_at(self, archive_path: str) -> str:
        """Return when the memory at a path of the archive was archived; without a record a date later than all."""
        row = self._one("SELECT archived_at FROM archived_records WHERE archive_path = ?", archive_path)
        return row[0] if row else "9"

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

    def _rename_in_turns(self, old: str, new: str) -> None:
        """Replace an id in the turns that no signal has scored, so that praise does not reach another memory."""
        turns = self._all(
            "SELECT seq, retrieved_memory_ids, searched_ids, opened_ids FROM turn_records "
            "WHERE outcome IS NULL AND instr(retrieved_memory_ids, ?)",
            json.dumps(old, ensure_ascii=False),
        )
        for seq, *lists in turns:
            renamed = [as_json([new if id == old else id for id in ids_of(text)]) for text in lists]
            self._db.do(
                "UPDATE turn_records SET retrieved_memory_ids = ?, searched_ids = ?, opened_ids = ? WHERE seq = ?",
                *(*renamed, seq),
            )

    def _rekind_turns(self, kinds: Mapping[int, Kind]) -> None:
        for seq, kind in kinds.items():
            self._db.do("UPDATE turn_records SET kind = ? WHERE seq = ?", credit_evidence.as_text(kind), seq)

    # Credit events: append-only, each with everything needed to replay it

    def add_event(self, event: Event, at: str, session: str | None) -> None:
        """Add an event, and apply it to the evidence."""
        number = self._one("SELECT coalesce(max(id), 0) + 1 FROM credit_events")[0]
        days = credit_evidence.apply(self, change_of({**event._asdict(), "id": number, "created_at": at}))
        if event.kind is not None:
            event = event._replace(days=days)
        event = event._replace(life=event.life or self.life_of(event.memory_id) or None)
        marks = ", ".join("?" * (len(event) + 3))
        self._db.do(
            f"INSERT INTO credit_events (id, {_EVENT}, created_at, session_id) VALUES ({marks})",
            *(number, *event, at, session),
        )

    def events(self, id: str | None = None, since: str = "") -> Iterator[tuple[Event, str]]:
        """Yield the events of one memory in its present life, or of all, in order, each with its time."""
        life = self.life_of(id) if id else ""
        for row in self._all(
            f"SELECT {_EVENT}, created_at FROM credit_events WHERE (?1 IS NULL OR memory_id = ?1) "
            "AND created_at >= ?2 AND (?3 = '' OR coalesce(life, ?3) = ?3) ORDER BY id",
            *(id, since, life),
        ):
            if event := _sound_event(Event(*row[:-1])):
                yield event, str(row[-1])

    def knows_signal(self, signal_id: str) -> bool:
        """Tell whether any memory has learnt from a signal."""
        return self._one("SELECT 1 FROM credit_events WHERE signal_id = ? LIMIT 1", signal_id) is not None

    def balance(self) -> Balance:
        """Return the balance of positive and negative signals in the whole store, from the events; each counts once."""
        loaded = self.note_of(LOADED)
        if self._balance_of != (now := (self._db.openings, loaded)):  # it was opened again, or a dump replaced it
            self.forget_balance()
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

    def forget_balance(self) -> None:
        """Forget the balance counted so far, because another ledger is in place now."""
        self._balance, self._balance_upto = Balance(), 0

    def unsound_records(self) -> list[str]:
        """Return the ids of the records with impossible values."""
        rows = self._all(f"SELECT {_RECORD} FROM credit_records")
        return [str(row[0]) for row in rows if _sound(Record(*row)) != row]


def _sound(record: Record) -> Record | None:
    """Return a record with starting values in place of impossible ones, or None where its id is no text."""
    if not isinstance(record.id, str):
        return None
    dates = is_date(record.created_at) and is_date(record.touched_at)
    numbers = isinstance(record.score, float) and 0 <= record.score <= 1 and isinstance(record.decay_rate, float)
    counts = (record.access_count, record.signals, record.stored_seq)
    whole = all(isinstance(count, int) and 0 <= count < 1 << 62 for count in counts)
    last = record.last_accessed is None or is_date(record.last_accessed)
    texts = isinstance(record.path, str) and isinstance(record.life, str)
    if dates and numbers and whole and last and texts:
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
        life=record.life if isinstance(record.life, str) else "",
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
