"""The ledger's rows about the whole store: notes of one line by key, the log of actions, the open sessions."""

from collections.abc import Sequence
from typing import Any

from .ledger_file import LedgerFile
from .sound import as_json, ids_of, is_date

LOADED = "loaded"  # the note that changes when a dump replaces the ledger


class Notes(LedgerFile):
    """The notes of one line, the log of actions, and the sessions that servers have opened."""

    def add_to_log(self, action: str, ids: Sequence[str], details: str, at: str, run: str | None = None) -> None:
        self._db.do(
            "INSERT INTO lifecycle_log (action, target_ids, details, created_at, run) VALUES (?, ?, ?, ?, ?)",
            *(action, as_json(ids), details, at, run),
        )

    def latest_log(self, most: int) -> list[dict[str, Any]]:
        """Return the latest entries of the log, the newest first."""
        rows = self._all(
            "SELECT id, action, target_ids, details, created_at, run FROM lifecycle_log ORDER BY id DESC LIMIT ?",
            most,
        )
        names = ("id", "action", "target_ids", "details", "created_at", "run")
        return [dict(zip(names, row, strict=True)) | {"target_ids": ids_of(row[2])} for row in rows]

    def set_note(self, key: str, value: str) -> None:
        self._db.do("INSERT OR REPLACE INTO notes (key, value) VALUES (?, ?)", key, value)

    def note_of(self, key: str) -> str | None:
        """Return the note under a key, or None; a date that cannot be read counts as none."""
        row = self._one("SELECT value FROM notes WHERE key = ?", key)
        if row is None or (key.startswith("last_") and not is_date(row[0])):
            return None
        return str(row[0])

    # Sessions

    def open_session(self, id: str, pid: int, parent: tuple[int, str], at: str) -> None:
        """Note that a process serves a session; `parent` is the pid and the start of the process that started it."""
        self._db.do(
            "INSERT OR REPLACE INTO sessions (id, pid, parent_pid, parent_start, opened_at, closed_at) "
            "VALUES (?, ?, ?, ?, ?, NULL)",
            *(id, pid, *parent, at),
        )

    def close_session(self, id: str, pid: int, at: str) -> None:
        """Note that a process has left its session, which other processes may share."""
        self._db.do("UPDATE sessions SET closed_at = ? WHERE id = ? AND pid = ?", at, id, pid)

    def open_sessions(self) -> list[tuple[str, int, int, str]]:
        """Return the open sessions, the newest first: id, the server's pid, and the pid and start of its parent."""
        rows = self._all(
            "SELECT id, pid, parent_pid, parent_start FROM sessions WHERE closed_at IS NULL "
            "ORDER BY opened_at DESC, rowid DESC"
        )
        return [(row[0], row[1], row[2], row[3]) for row in rows]
