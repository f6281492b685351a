"""Conversations and the audit log: records.db, a file apart from the ledger.

They may be many megabytes, which would slow the ledger's check at every opening and fill its backups. The file is
opened on first use. One that cannot be read is set aside and replaced by an empty one; a brain opened for reading
makes none. This module reads and writes rows; their meaning is decided in brain/history and brain/audit_log.
"""

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ..errors import Broken, Busy
from ..logs import log_step
from ..words import is_unspaced, terms, terms_of, word_pattern
from .folders import DOT_FOLDER, make_dot_folder
from .keep import FileSpec, KeptFile, Migration, open_existing
from .lock import Lock
from .patience import waited_in_vain
from .sqlite import in_our_words, is_blank, is_busy, version_of

FILE = "records.db"
_WHAT = "the message history"
VERSION = 3
MARK = 0x636C6177  # "claw": a database without it belongs to another program
_SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;"


class MessageRow(NamedTuple):
    """A message as stored."""

    conversation: str
    source: str
    key: str
    role: str
    content: str
    created_at: str
    title: str
    size: int  # of the text before redaction, in characters
    id: int = 0


class AuditRow(NamedTuple):
    """A call of a tool as stored; `arguments` and `result` are JSON."""

    created_at: str
    session_id: str | None
    profile: str
    tool: str
    arguments: str
    result: str
    success: bool
    duration_ms: int
    user: str = ""
    workspace: str = ""
    token: str = ""  # its id


Place = tuple[str, str, str]
"""Conversation, source and key: they make a message the same when it comes again."""
_MESSAGE, _AUDIT = ", ".join(MessageRow._fields), ", ".join(AuditRow._fields)
_TABLES = {"messages": _MESSAGE, "audit": _AUDIT, "message_words": "words"}


def _migrations() -> Sequence[Migration]:
    from . import conversations_schema  # imports sqlite-utils, which takes time

    return conversations_schema.MIGRATIONS


def _spec() -> FileSpec:
    return FileSpec(
        called=_WHAT,
        version=VERSION,
        migrations=_migrations,
        tables=_TABLES,
        settings=_SETTINGS,
        unreadable="the message history could not be read: it was set aside as {aside}, and a new one was begun. "
        "No memory is affected; `clawbrain ingest` fills it again.",
        turned_out="the message history turned out to be broken; a new one was begun: try again.",
        mark=MARK,
        patience=10.0,
        lenient=True,
        follows=True,
    )


def _refuse_newer() -> NoReturn:
    raise Broken("the message history was written by a newer clawbrain: upgrade this one.")


def records_alone(
    home: Path, clock: Callable[[], datetime], warn: Callable[[str], None], *, read_only: bool
) -> "Records":
    """Return the records of a home of which nothing else is opened. Raises OSError where they cannot be written."""
    if not read_only:
        make_dot_folder(home, "tmp")
    folder = home / DOT_FOLDER
    return Records(folder, clock, warn, Lock(folder).held, read_only=read_only, at=log_step)


class Records:
    """The rows of records.db."""

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], datetime],
        warn: Callable[[str], None],
        locked: Callable[[], AbstractContextManager[None]],
        *,
        read_only: bool,
        at: Callable[[str], None],
    ) -> None:
        self.path, self._read_only, self._warn = folder / FILE, read_only, warn
        self._db = KeptFile(
            self.path, _spec(), clock, read_only=read_only, locked=locked, at=at, warn=warn, newer=_refuse_newer
        )

    def close(self) -> None:
        self._db.close()

    # Messages

    def add(self, rows: Iterable[MessageRow], titles: Mapping[tuple[str, str], str]) -> int:
        """Add messages in one transaction, and return how many were new.

        A message that is here already gets the new text. `titles` gives conversations, each with its source, a title.
        """
        with self._writing():
            added = sum(self._put(row) for row in rows)
            for (conversation, source), title in titles.items():
                self._db.do(
                    "UPDATE messages SET title = ? WHERE conversation = ? AND source = ? AND title != ?",
                    *(title, conversation, source, title),
                )
        return added

    def known(self, rows: Iterable[MessageRow]) -> dict[Place, int]:
        """Return the size of each of these messages that is here already."""
        one = "SELECT size FROM messages WHERE conversation = ? AND source = ? AND key = ?"
        return {row[:3]: found[0][0] for row in rows if (found := self._all(one, *row[:3]))}

    def messages(
        self, query: str, since: str, until: str, conversation: str, most: int, *, parts: bool = False
    ) -> list[MessageRow]:
        """Return at most `most` messages that fit, the newest first; of equal dates the later stored comes first.

        An empty string fits any message. A query is looked up by its words or, with `parts`, as the parts between its
        spaces, which must all stand in the text as they are.
        """
        pieces = query.lower().split() if parts else []
        wanted = "" if parts else _wanted(query)
        rows = self._all(
            f"SELECT {_MESSAGE} FROM messages WHERE created_at >= ?1 AND (?2 = '' OR created_at <= ?2) "
            "AND (?3 = '' OR conversation = ?3) "
            "AND (?4 = '' OR id IN (SELECT rowid FROM message_words WHERE message_words MATCH ?4)) "
            "AND (?5 = '' OR instr(content, ?5)) "
            "AND NOT EXISTS (SELECT 1 FROM json_each(?7) WHERE NOT instr(lower(content), json_each.value)) "
            "ORDER BY created_at DESC, id DESC LIMIT ?6",
            *(since, until, conversation, wanted, "" if wanted or parts else query.strip()),
            most if all(map(str.isascii, pieces)) else -1,
            json.dumps([piece for piece in pieces if piece.isascii()]),  # SQLite knows the cases of ASCII alone
        )
        found = (MessageRow(*row) for row in rows)
        return [row for row in found if all(piece in row.content.lower() for piece in pieces)][:most]

    def conversations(self) -> list[tuple[str, str, str, str, str, int, str]]:
        """Return id, source, title, begin, end, number of messages and opening of each conversation, the newest first.

        The opening is how the first message of a user begins or, without one, the first message of all; '' where the
        conversation has a title.
        """
        return self._all(
            """
            SELECT conversation, source, max(title), min(created_at), max(created_at), count(*),
                CASE WHEN max(title) <> '' THEN '' ELSE (
                    SELECT substr(content, 1, 1000) FROM messages AS first
                    WHERE first.conversation = messages.conversation AND first.source = messages.source
                    ORDER BY role <> 'user', created_at, id LIMIT 1) END
            FROM messages GROUP BY conversation, source ORDER BY max(created_at) DESC, max(id) DESC
            """
        )

    def count(self) -> int:
        """Return how many messages there are."""
        return sum(row[0] for row in self._all("SELECT count(*) FROM messages"))

    def forget(self, conversation: str) -> int:
        """Delete the messages of a conversation and their words for good; return how many there were."""
        with self._writing():
            gone = "SELECT id FROM messages WHERE conversation = ?"
            self._db.do(f"DELETE FROM message_words WHERE rowid IN ({gone})", conversation)
            count = self._db.do("DELETE FROM messages WHERE conversation = ?", conversation)
            if count:
                self._forget_words()
        return count

    def reword(self, rows: Iterable[MessageRow]) -> None:
        """Give messages that are here other texts, and their conversations other titles, for good."""
        with self._writing():
            for row in rows:
                self._put(row)
                self._db.do(
                    "UPDATE messages SET title = ? WHERE conversation = ? AND source = ?",
                    *(row.title, row.conversation, row.source),
                )
            self._forget_words()

    def _forget_words(self) -> None:
        """Delete the words of messages that are gone, which the full-text index still holds."""
        self._db.do("INSERT INTO message_words (message_words) VALUES ('optimize')")

    # The audit log

    def note(self, rows: Iterable[AuditRow]) -> None:
        """Add calls to the audit log, in one transaction."""
        marks = ", ".join("?" * len(AuditRow._fields))
        with self._writing():
            for row in rows:
                self._db.do(f"INSERT INTO audit ({_AUDIT}) VALUES ({marks})", *row)

    def audited(
        self, since: str, tool: str, failed: bool, most: int, user: str = "", workspace: str = ""
    ) -> list[AuditRow]:
        """Return at most `most` calls that fit, the newest first; an empty string fits any call."""
        rows = self._all(
            f"SELECT {_AUDIT} FROM audit WHERE created_at >= ?1 AND (?2 = '' OR tool = ?2) AND NOT (?3 AND success) "
            "AND (?5 = '' OR user = ?5) AND (?6 = '' OR workspace = ?6) ORDER BY created_at DESC, id DESC LIMIT ?4",
            *(since, tool, failed, most, user, workspace),
        )
        return [AuditRow(*row)._replace(success=bool(row[6])) for row in rows]

    def call_texts(self) -> list[tuple[int, str]]:
        """Return the number of each call, with its arguments and its result."""
        return self._all("SELECT id, arguments || char(10) || result FROM audit")

    def empty_calls(self, numbers: Iterable[int], instead: str) -> None:
        """Put some JSON in the place of the arguments and the result of calls."""
        with self._writing():
            for number in numbers:
                self._db.do("UPDATE audit SET arguments = ?1, result = ?1 WHERE id = ?2", instead, number)

    def forget_calls(self, before: str) -> int:
        """Delete the calls before a time; return how many there were."""
        with self._writing():
            return self._db.do("DELETE FROM audit WHERE created_at < ?", before)

    # The file

    def problem(self) -> str:
        """Return what is wrong with the file, or '' where nothing is. Nothing is changed."""
        if not os.path.lexists(self.path):
            return ""
        try:  # opened for writing, because a transaction that a killed process left must be rolled back first
            db = open_existing(self.path, "ro" if self._read_only else "rw", self._db.spec)
        except (sqlite3.Error, OSError):
            return "cannot be read"
        try:
            db.execute("PRAGMA busy_timeout = 500")
            version = version_of(db)
            if version > VERSION or is_blank(db):
                return ""
            if not self._db.is_ours(db, version):
                return "is no database of clawbrain's"
            return "" if db.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok" else "is damaged"
        except sqlite3.Error as error:
            return "" if is_busy(error) else "is damaged"
        finally:
            db.close()

    def begin_anew(self) -> None:
        """Set aside the file that is there, unless another process has replaced it, and make a new one."""
        self._db.renew()

    # Rows

    def _all(self, sql: str, *values: Any) -> list[Any]:
        with self._db.lock, in_our_words(_WHAT):
            if not (self._read_only or os.path.lexists(self.path)):
                return []  # a read makes no file
            self._db.follow()
            try:
                try:
                    return self._db.all(sql, *values)
                except self._db.mendable as error:
                    return self._db.retry(error, partial(self._db.all, sql, *values))
            except (sqlite3.Error, Busy) as error:
                if is_busy(error) and waited_in_vain():
                    return self._last_written(sql, *values)
                raise

    def _last_written(self, sql: str, *values: Any) -> list[Any]:
        """Return all rows that a statement finds in what was last written, because another program holds the file."""
        self._warn("another program holds the message history: it is read as it was last written.")
        with closing(self._db.as_last_written()) as db:
            return db.execute(sql, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold a transaction, which is kept whole or not at all. Raises Busy or Broken."""
        with in_our_words(_WHAT):  # what fails before the transaction has begun: opening the file
            self._db.follow()
            with self._db.writing():
                yield

    def _put(self, row: MessageRow) -> bool:
        """Add a message, or give the one that is here the new text; return whether it was new."""
        place = "conversation = ? AND source = ? AND key = ?"
        known = self._db.one(f"SELECT id FROM messages WHERE {place}", *row[:3])
        if known is None:
            marks = ", ".join("?" * (len(row) - 1))
            insert = f"INSERT INTO messages ({_MESSAGE.removesuffix(', id')}) VALUES ({marks})"
            number = self._db.connection().execute(insert, row[:-1]).lastrowid
            self._db.do("INSERT INTO message_words (rowid, words) VALUES (?, ?)", number, _words(row.content))
        else:
            self._db.do("UPDATE messages SET content = ?, size = ? WHERE id = ?", row.content, row.size, known)
            self._db.do("UPDATE message_words SET words = ? WHERE rowid = ?", _words(row.content), known)
        return known is None


def _words(text: str) -> str:
    """Return the words a text is found by; in scripts without spaces also each letter, which may be a word."""
    singles = {char for char in set(text) if is_unspaced(char)} if not text.isascii() else set()
    return " ".join(sorted({*terms(text), *singles}))


def _wanted(query: str) -> str:
    """Return the full-text query for all words of a query, in any form; beyond ASCII a word's beginning is enough."""
    wanted: dict[str, None] = {}
    for word in word_pattern(query).findall(query):
        found = terms_of(word)
        for term in found if is_unspaced(word) else found[:1]:
            wanted.setdefault(f'"{term}"' if term.isascii() or is_unspaced(term) else f'"{term}"*')
    return " AND ".join(wanted)
