"""The sessions of a server on a network, and the texts that each has read, shared by the processes of its workers.

Rows are forgotten a day after they were last used. The file is a cache: without it clients begin new sessions.
"""

import time
from pathlib import Path

from .cache import CacheFile, healing

FILE = "sessions.db"
_VERSION = "3"
_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE sessions (id TEXT PRIMARY KEY, principal TEXT, client TEXT, used REAL) WITHOUT ROWID;
CREATE TABLE texts (session TEXT, place TEXT, hash TEXT, used REAL, PRIMARY KEY (session, place)) WITHOUT ROWID;
CREATE TABLE writers (place TEXT PRIMARY KEY, principal TEXT, hash TEXT, used REAL) WITHOUT ROWID;
CREATE INDEX sessions_used ON sessions (used);
CREATE INDEX sessions_of ON sessions (principal);
CREATE INDEX texts_used ON texts (used);
CREATE INDEX writers_used ON writers (used);
"""
AGE = 86_400.0  # seconds
_TIDIED = 600.0  # seconds between two times of forgetting
_PATIENCE = 1.0  # seconds that a session waits for another program
_NOTED = 60.0  # seconds: a use is noted to the minute


class SharedSessions:
    """The sessions in a folder's sessions.db. A session and a place are texts of the caller's choice."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._db = CacheFile(folder / FILE, _SCHEMA, _VERSION, read_only=False, called="the list of sessions")
        self._db.patience = _PATIENCE
        self._tidied = 0.0

    def close(self) -> None:
        self._db.close()

    @healing
    def begin(self, id: str, principal: str, client: str, most: int) -> bool:
        """Note a new session of a principal; return False where it has `most` already."""
        self._db.refresh()
        self._tidy()
        if self._db.one("SELECT count(*) FROM sessions WHERE principal = ?", principal) >= most:
            return False
        self._db.do("INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)", id, principal, client, time.time())
        return True

    @healing
    def client_of(self, id: str, principal: str) -> str | None:
        """Return what the client of a principal's session calls itself, or None where there is no such session.

        It is '' where that is not known, because this process goes on in memory.
        """
        self._db.refresh()
        now = time.time()
        row = self._db.all("SELECT principal, client, used FROM sessions WHERE id = ?", id)
        if not row and not self._db.lasting:
            return ""
        if not row or row[0][0] != principal or row[0][2] < now - AGE:
            return None
        if row[0][2] < now - _NOTED:
            self._db.do("UPDATE sessions SET used = ? WHERE id = ?", now, id)
        return str(row[0][1])

    @healing
    def end(self, id: str, principal: str) -> None:
        """Forget a principal's session, if there is one."""
        self._db.do("DELETE FROM sessions WHERE id = ? AND principal = ?", id, principal)

    @healing
    def read_hash(self, session: str, place: str) -> str | None:
        """Return the hash of the text that a session last read or wrote at a place, or None."""
        self._db.refresh()
        found: str | None = self._db.one("SELECT hash FROM texts WHERE session = ? AND place = ?", session, place)
        return found

    @healing
    def note_read(self, session: str, place: str, hash: str) -> None:
        """Note which text a session reads."""
        self._db.refresh()
        self._tidy()
        self._db.do("INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?)", session, place, hash, time.time())

    @healing
    def note_written(self, session: str, principal: str, place: str, hash: str) -> None:
        """Note which text a session writes, and that its principal was the last to write there."""
        self.note_read(session, place, hash)
        self._db.do("INSERT OR REPLACE INTO writers VALUES (?, ?, ?, ?)", place, principal, hash, time.time())

    @healing
    def writer_of(self, place: str, hash: str) -> str | None:
        """Return the principal that wrote the text at a place, or None where it is not known."""
        found: str | None = self._db.one("SELECT principal FROM writers WHERE place = ? AND hash = ?", place, hash)
        return found

    @healing
    def forget(self, session: str, place: str) -> None:
        """Forget which text a session has read at a place."""
        self._db.do("DELETE FROM texts WHERE session = ? AND place = ?", session, place)

    def _tidy(self) -> None:
        now = time.time()
        if now - self._tidied > _TIDIED:
            self._tidied = now
            for table in ("sessions", "texts", "writers"):
                self._db.do(f"DELETE FROM {table} WHERE used < ?", now - AGE)
