"""What was said and what was called: conversations and the audit log, in a file apart from the ledger.

They may be many megabytes, and neither the ledger's check at every opening nor its backups shall carry them. The
file is opened on first use. One that cannot be read is set aside and begun anew; a brain that only reads makes none.
Rows in, rows out: what they mean is decided elsewhere.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from .. import disk
from ..errors import Broken, Busy
from ..words import is_unspaced, terms, terms_of, word_pattern

FILE = "records.db"
VERSION = 1
_MARK = 0x636C6177  # "claw": a database without it is somebody else's
_PATIENCE = 10.0  # seconds
_TABLES = """
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, conversation TEXT NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL,
  role TEXT NOT NULL, content TEXT NOT NULL, created_at TEXT NOT NULL, title TEXT NOT NULL, size INTEGER NOT NULL,
  UNIQUE (conversation, source, key));
CREATE INDEX messages_by_date ON messages (created_at, id);
CREATE VIRTUAL TABLE message_words USING fts5 (words, detail=none, tokenize='ascii');
CREATE TABLE audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, session_id TEXT, profile TEXT NOT NULL,
  tool TEXT NOT NULL, arguments TEXT NOT NULL, result TEXT NOT NULL, success INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL);
CREATE INDEX audit_by_date ON audit (created_at, id)
"""
_SETTINGS = "PRAGMA journal_mode = TRUNCATE; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;"


class MessageRow(NamedTuple):
    conversation: str
    source: str
    key: str
    role: str
    content: str
    created_at: str
    title: str
    size: int  # of the text as it came, in characters
    id: int = 0


class AuditRow(NamedTuple):
    created_at: str
    session_id: str | None
    profile: str
    tool: str
    arguments: str
    result: str
    success: bool
    duration_ms: int


Place = tuple[str, str, str]
"""What makes a message the same when it comes again: conversation, source, key."""
_MESSAGE, _AUDIT = ", ".join(MessageRow._fields), ", ".join(AuditRow._fields)
_FIELDS = {"messages": MessageRow._fields, "audit": AuditRow._fields, "message_words": ("words",)}


class Records:
    def __init__(
        self,
        folder: Path,
        clock: Callable[[], datetime],
        warn: Callable[[str], None],
        locked: Callable[[], AbstractContextManager[None]],
        *,
        read_only: bool,
    ) -> None:
        self.path = folder / FILE
        self._clock, self._warn, self._locked, self._read_only = clock, warn, locked, read_only
        self._turn = threading.RLock()
        self._db: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None

    def close(self) -> None:
        with self._turn:
            if self._db:
                self._db.close()
            self._db = None

    # Messages

    def add(self, rows: Iterable[MessageRow], titles: Mapping[tuple[str, str], str]) -> int:
        """How many were new, in one transaction. One that is here already gets the text it has now; a conversation
        of a source gets its title."""
        with self._writing() as db:
            added = sum(_put(db, row) for row in rows)
            for (conversation, source), title in titles.items():
                db.execute(
                    "UPDATE messages SET title = ? WHERE conversation = ? AND source = ? AND title != ?",
                    (title, conversation, source, title),
                )
        return added

    def known(self, rows: Iterable[MessageRow]) -> dict[Place, int]:
        """Those that are here already, each with the size it came in."""
        one = "SELECT size FROM messages WHERE conversation = ? AND source = ? AND key = ?"
        return {row[:3]: found[0][0] for row in rows if (found := self._all(one, *row[:3]))}

    def messages(self, query: str, since: str, until: str, conversation: str, most: int) -> list[MessageRow]:
        """Newest first; of equal dates the later stored."""
        wanted = _wanted(query)
        rows = self._all(
            f"SELECT {_MESSAGE} FROM messages WHERE created_at >= ?1 AND (?2 = '' OR created_at <= ?2) "
            "AND (?3 = '' OR conversation = ?3) "
            "AND (?4 = '' OR id IN (SELECT rowid FROM message_words WHERE message_words MATCH ?4)) "
            "AND (?5 = '' OR instr(content, ?5)) ORDER BY created_at DESC, id DESC LIMIT ?6",
            *(since, until, conversation, wanted, "" if wanted else query.strip(), most),
        )
        return [MessageRow(*row) for row in rows]

    def conversations(self) -> list[tuple[str, str, str, str, str, int]]:
        """Of each: id, source, title, when it began and ended, how many messages; newest first."""
        return self._all(
            "SELECT conversation, source, max(title), min(created_at), max(created_at), count(*) FROM messages "
            "GROUP BY conversation, source ORDER BY max(created_at) DESC, max(id) DESC"
        )

    def count(self) -> int:
        return sum(row[0] for row in self._all("SELECT count(*) FROM messages"))

    def forget(self, conversation: str) -> int:
        """Its messages go for good, their words with them."""
        with self._writing() as db:
            gone = "SELECT id FROM messages WHERE conversation = ?"
            db.execute(f"DELETE FROM message_words WHERE rowid IN ({gone})", (conversation,))
            count = db.execute("DELETE FROM messages WHERE conversation = ?", (conversation,)).rowcount
            if count:
                db.execute("INSERT INTO message_words (message_words) VALUES ('optimize')")
        return count

    # The audit log

    def note(self, row: AuditRow) -> None:
        marks = ", ".join("?" * len(row))
        with self._writing() as db:
            db.execute(f"INSERT INTO audit ({_AUDIT}) VALUES ({marks})", row)

    def audited(self, since: str, tool: str, failed: bool, most: int) -> list[AuditRow]:
        """Newest first."""
        rows = self._all(
            f"SELECT {_AUDIT} FROM audit WHERE created_at >= ?1 AND (?2 = '' OR tool = ?2) "
            "AND NOT (?3 AND success) ORDER BY created_at DESC, id DESC LIMIT ?4",
            *(since, tool, failed, most),
        )
        return [AuditRow(*row)._replace(success=bool(row[6])) for row in rows]

    def forget_calls(self, before: str) -> int:
        with self._writing() as db:
            return db.execute("DELETE FROM audit WHERE created_at < ?", (before,)).rowcount

    # The file

    def problem(self) -> str:
        """What is wrong with the file, for whoever looks without changing anything; '' when nothing is."""
        if not os.path.lexists(self.path):
            return ""
        try:  # what a killed process left half done must be undone first, and that is writing
            db = _looking_at(self.path, "ro" if self._read_only else "rw")
        except (sqlite3.Error, OSError):
            return "cannot be read"
        try:
            db.execute("PRAGMA busy_timeout = 500")
            if _version(db) > VERSION or _is_blank(db):
                return ""
            if not _ours(db):
                return "is no database of clawbrain's"
            return "" if db.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok" else "is damaged"
        except sqlite3.Error as error:
            return "" if _code(error) in _IN_USE else "is damaged"
        finally:
            db.close()

    def begin_anew(self) -> None:
        """Set aside what stands there, unless another process was quicker, and make a new one."""
        with self._turn:
            broken = self._identity
            self.close()
            with self._locked():
                if broken in (None, _identity(self.path)):
                    self._set_aside()
            self._opened()

    def _opened(self) -> sqlite3.Connection:
        if self._db and self._identity != _identity(self.path):
            self.close()  # deleted, set aside or made by another process
        if self._db is None:
            self._db = self._looked_into() if self._read_only else self._begun()
        return self._db

    def _looked_into(self) -> sqlite3.Connection:
        with suppress(sqlite3.Error, OSError):
            db = _looking_at(self.path, "ro")
            if _version(db) == VERSION and _ours(db):
                self._identity = _identity(self.path)
                return db
            db.close()
        self._identity = None
        return _made(_connected(":memory:"))

    def _begun(self) -> sqlite3.Connection:
        with self._locked():
            db = self._sound()
            if db is None:
                self._set_aside()
                db = self._sound()
        if db is None:
            raise Broken("the message history cannot be kept: .clawbrain/records.db can be neither read nor moved.")
        if _version(db) > VERSION:
            db.close()
            raise Broken("the message history was written by a newer clawbrain: upgrade this one.")
        self._identity = _identity(self.path)
        return db

    def _sound(self) -> sqlite3.Connection | None:
        """The database, made if there was none; nothing for whatever else stands there."""
        if os.path.lexists(self.path) and (self.path.is_symlink() or not self.path.is_file()):
            return None
        disk.move_oddities(self.path)
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
        db = _connected(str(self.path))
        try:
            db.executescript(_SETTINGS)
            if _is_blank(db) or _ours(db):
                return _made(db)
        except sqlite3.DatabaseError as error:
            if _code(error) not in _BROKEN:
                db.close()
                raise
        db.close()
        return None

    def _set_aside(self) -> None:
        aside = f"{FILE}.corrupt-{self._clock():%Y%m%dT%H%M%SZ}"
        while os.path.lexists(self.path.with_name(aside)):
            aside += "~"
        for suffix in ("-journal", ""):
            with suppress(FileNotFoundError):
                os.rename(f"{self.path}{suffix}", f"{self.path.with_name(aside)}{suffix}")
        self._warn(
            f"the message history could not be read: it was set aside as .clawbrain/{aside}, and a new one was begun. "
            "No memory is affected; `clawbrain ingest` fills it again."
        )

    # The two ways in

    def _all(self, sql: str, *values: Any) -> list[Any]:
        with self._turn, _in_our_words():
            if not (self._read_only or os.path.lexists(self.path)):
                return []  # who only asks makes no file
            rows: list[Any] = self._twice(lambda db: db.execute(sql, values).fetchall())
            return rows

    def _twice(self, work: Callable[[sqlite3.Connection], Any]) -> Any:
        """Once more on a new file, when this one turns out to be broken."""
        try:
            return work(self._opened())
        except sqlite3.DatabaseError as error:
            if self._read_only or _code(error) not in _BROKEN:
                raise
        self.begin_anew()
        return work(self._opened())

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """All of it or nothing."""
        with self._turn, _in_our_words():
            db = self._twice(_transaction)
            try:
                yield db
                db.execute("COMMIT")
            except BaseException as error:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                if isinstance(error, sqlite3.DatabaseError) and _code(error) in _BROKEN:
                    self.begin_anew()
                    raise Broken(
                        "the message history turned out to be broken; a new one was begun: try again."
                    ) from None
                raise


def _put(db: sqlite3.Connection, row: MessageRow) -> bool:
    known = db.execute("SELECT id FROM messages WHERE conversation = ? AND source = ? AND key = ?", row[:3]).fetchone()
    if known is None:
        marks = ", ".join("?" * (len(row) - 1))
        added = db.execute(f"INSERT INTO messages ({_MESSAGE.removesuffix(', id')}) VALUES ({marks})", row[:-1])
        db.execute("INSERT INTO message_words (rowid, words) VALUES (?, ?)", (added.lastrowid, _words(row.content)))
    else:
        db.execute("UPDATE messages SET content = ?, size = ? WHERE id = ?", (row.content, row.size, known[0]))
        db.execute("UPDATE message_words SET words = ? WHERE rowid = ?", (_words(row.content), known[0]))
    return known is None


def _words(text: str) -> str:
    """All that a text can be found by. Of scripts without spaces also each letter: a word may be one."""
    singles = {char for char in set(text) if is_unspaced(char)} if not text.isascii() else set()
    return " ".join(sorted({*terms(text), *singles}))


def _wanted(query: str) -> str:
    """The query for the index: every word, in whatever form; beyond Latin letters a beginning is enough."""
    wanted: dict[str, None] = {}
    for word in word_pattern(query).findall(query):
        found = terms_of(word)
        for term in found if is_unspaced(word) else found[:1]:
            wanted.setdefault(f'"{term}"' if term.isascii() or is_unspaced(term) else f'"{term}"*')
    return " AND ".join(wanted)


def _transaction(db: sqlite3.Connection) -> sqlite3.Connection:
    db.execute("BEGIN IMMEDIATE")
    return db


def _connected(name: str, *, uri: bool = False) -> sqlite3.Connection:
    db = sqlite3.connect(name, timeout=_PATIENCE, uri=uri, isolation_level=None, check_same_thread=False)
    db.text_factory = _decoded  # a flipped bit in one text shall not keep back all the others
    return db


def _decoded(raw: bytes) -> str:
    return raw.decode(errors="replace")


def _looking_at(path: Path, mode: str) -> sqlite3.Connection:
    beside = Path(f"{path}-journal")
    if path.is_symlink() or not path.is_file() or (os.path.lexists(beside) and not beside.is_file()):
        raise OSError  # a pipe would have us wait for ever
    return _connected(f"file:{quote(str(path))}?mode={mode}", uri=True)


def _made(db: sqlite3.Connection) -> sqlite3.Connection:
    if _is_blank(db):
        db.execute("BEGIN IMMEDIATE")
        if _is_blank(db):  # nobody was quicker
            for statement in (
                *_TABLES.split(";"),
                f"PRAGMA application_id = {_MARK}",
                f"PRAGMA user_version = {VERSION}",
            ):
                db.execute(statement)
        db.execute("COMMIT")
    return db


def _is_blank(db: sqlite3.Connection) -> bool:
    return not db.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()


def _ours(db: sqlite3.Connection) -> bool:
    if db.execute("PRAGMA application_id").fetchone()[0] != _MARK:
        return False
    if _version(db) > VERSION:
        return True
    try:
        for table, fields in _FIELDS.items():
            db.execute(f"SELECT {', '.join(fields)} FROM {table} LIMIT 1").fetchone()
    except sqlite3.OperationalError as error:  # a table or a column is not there
        if _code(error) != sqlite3.SQLITE_ERROR:
            raise
        return False
    return True


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


_BROKEN = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_IN_USE = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


@contextmanager
def _in_our_words() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if _code(error) in _IN_USE:
            raise Busy("the message history is busy in another process; try again in a moment.") from None
        raise Broken(f"the message history could not be used ({error}); `clawbrain check` says more.") from None
