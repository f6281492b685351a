"""The turns in the ledger: which memories each search showed, which were opened after it, and what was said of them."""

from collections.abc import Iterable
from typing import NamedTuple

from .. import credit_evidence
from ..credit import Kind, Shown
from ..recalls import NOWHERE, SESSION_START, Origin, Recall
from .ledger_file import LedgerFile
from .sound import as_json, ids_of
from .turn_log import LoggedSearch


class Turn(NamedTuple):
    """One search with the retrieves that followed it, or retrieves alone."""

    seq: int
    ids: list[str]
    searched: list[str]
    opened: list[str]
    outcome: str | None
    kind: Kind = ()
    at: str = ""
    event: str = ""  # of the hook or search that began it, '' for a person's own search

    @property
    def lesson(self) -> Shown:
        """Return the turn as scoring needs it: the kind of the question, the ids shown and the ids opened."""
        return Shown(self.kind, tuple(dict.fromkeys(self.searched)), tuple(dict.fromkeys(self.opened)))


class Turns(LedgerFile):
    """The turns of all sessions."""

    def record_searches(self, searches: Iterable[LoggedSearch]) -> None:
        """Add searches of the turn log as turns; a turn that is already here stays as it is.

        What a briefing told is kept as a turn without memories, which no signal scores.
        """
        for search in searches:
            ids = as_json(search.ids)
            kind = credit_evidence.as_text(search.kind) if search.kind else None
            scored = "[]" if search.origin.event == SESSION_START else ids
            self._db.do(
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
                *(seq, at, client or "", folder or "", event, session_id, theirs or ""),
                *(ids_of(ids), ids_of(opened), outcome),
            )
            for seq, at, client, folder, event, session_id, theirs, ids, opened, outcome in reversed(rows)
        ]

    def sessions(self, limit: int) -> list[tuple[str, str, str, int]]:
        """Return the sessions that have turns, by the newest turn: id, program, time of that turn, number of turns.

        What `Learning.outcome` notes beside a session's own turns does not count.
        """
        return self._all(
            """
            SELECT session_id, coalesce(max(client), ''), max(created_at), count(*) FROM turn_records
            WHERE session_id <> '' AND session_id NOT LIKE '%-outcomes'
            GROUP BY session_id ORDER BY max(seq) DESC LIMIT ?
            """,
            limit,
        )

    def newest_turns(self) -> list[tuple[str, str, str, str, bool]]:
        """Return the newest turn with memories of each session, the newest first: the session's id, the program, the
        folder and the time of the turn, and whether a signal has scored it."""
        rows = self._all(
            """
            SELECT session_id, client, folder, created_at, outcome IS NOT NULL, max(seq) FROM turn_records
            WHERE retrieved_memory_ids <> '[]' AND session_id <> '' GROUP BY session_id ORDER BY max(seq) DESC
            """
        )
        return [
            (session, client or "", folder or "", at, bool(scored)) for session, client, folder, at, scored, _ in rows
        ]

    def latest_session(self, session: str, program_session: str) -> str | None:
        """Return the session of the newest turn with memories: this one, or one in which a program handed something
        over in a session of its own that it calls this; None without such a turn."""
        row = self._one(
            """
            SELECT session_id FROM turn_records
            WHERE retrieved_memory_ids <> '[]' AND (session_id = ?1 OR ?2 <> '' AND session_id IN
                (SELECT session_id FROM turn_records WHERE program_session = ?2))
            ORDER BY seq DESC LIMIT 1
            """,
            *(session, program_session),
        )
        return row[0] if row else None

    def record_opening(self, id: str, session: str, at: str, turn_id: str, origin: Origin = NOWHERE) -> None:
        """Add a retrieved memory to the session's newest turn, or begin one where none came since the last signal."""
        turns = self.turns_since_signal(session)
        if not turns:
            ids = as_json([id])
            self._db.do(
                "INSERT INTO turn_records (id, session_id, retrieved_memory_ids, searched_ids, opened_ids, created_at, "
                "client, folder, event, program_session) VALUES (?, ?, ?, '[]', ?, ?, ?, ?, ?, ?)",
                *(turn_id, session, ids, ids, at, *(word or None for word in origin)),
            )
            return
        turn = turns[-1]
        self._db.do(
            "UPDATE turn_records SET retrieved_memory_ids = ?, opened_ids = ? WHERE seq = ?",
            *(as_json(_with(turn.ids, id)), as_json(_with(turn.opened, id)), turn.seq),
        )

    def turns_since_signal(self, session: str, since: str = "") -> list[Turn]:
        """Return the session's turns since its last signal, the oldest first, without those that have no memories.

        With `since` turns before that time are left out.

        A signal always scores the newest turn, so the turns after the last scored one are the new ones.
        """
        rows = self._all(
            """
            SELECT seq, retrieved_memory_ids, searched_ids, opened_ids, outcome, kind, created_at, event
            FROM turn_records
            WHERE session_id = ?1 AND seq > coalesce(
                (SELECT max(seq) FROM turn_records WHERE session_id = ?1 AND outcome IS NOT NULL), 0)
            AND created_at >= ?2
            ORDER BY seq
            """,
            session,
            since,
        )
        turns = [
            Turn(
                *(seq, ids_of(ids), ids_of(searched), ids_of(opened), outcome),
                *(credit_evidence.from_text(kind) or (), at, event or ""),
            )
            for seq, ids, searched, opened, outcome, kind, at, event in rows
        ]
        return [turn for turn in turns if turn.ids]

    def mark_turns(self, turns: Iterable[Turn], outcome: str) -> None:
        """Note the signal as the outcome of these turns, unless they have one."""
        for turn in turns:
            self._db.do("UPDATE turn_records SET outcome = ? WHERE seq = ? AND outcome IS NULL", outcome, turn.seq)


def _with(ids: list[str], id: str) -> list[str]:
    return ids if id in ids else [*ids, id]
