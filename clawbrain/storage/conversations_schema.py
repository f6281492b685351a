"""The tables of records.db and their history.

A migration, once released, is never edited: a change is a new function at the end of MIGRATIONS. They run on a copy
that replaces the file when it is complete. This module is imported only when the file is made or is older than this
program, because importing sqlite-utils takes time.
"""

import json

from sqlite_utils import Database

from .. import redaction
from .conversations import MARK
from .keep import Migration


def _first(db: Database) -> None:
    """Make all tables, in SQL, as sqlite-utils supports neither AUTOINCREMENT nor the tokenizer of an FTS5 table."""
    db.execute(
        """
        CREATE TABLE messages (
          id INTEGER PRIMARY KEY AUTOINCREMENT, conversation TEXT NOT NULL, source TEXT NOT NULL, key TEXT NOT NULL,
          role TEXT NOT NULL, content TEXT NOT NULL, created_at TEXT NOT NULL, title TEXT NOT NULL,
          size INTEGER NOT NULL, UNIQUE (conversation, source, key))
        """
    )
    db.table("messages").create_index(["created_at", "id"], "messages_by_date")
    db.execute("CREATE VIRTUAL TABLE message_words USING fts5 (words, detail=none, tokenize='ascii')")
    db.execute(
        """
        CREATE TABLE audit (
          id INTEGER PRIMARY KEY AUTOINCREMENT, created_at TEXT NOT NULL, session_id TEXT, profile TEXT NOT NULL,
          tool TEXT NOT NULL, arguments TEXT NOT NULL, result TEXT NOT NULL, success INTEGER NOT NULL,
          duration_ms INTEGER NOT NULL)
        """
    )
    db.table("audit").create_index(["created_at", "id"], "audit_by_date")
    db.execute(f"PRAGMA application_id = {MARK}")


def _second(db: Database) -> None:
    """Redact the rows of the audit log in which a tool's name or an argument held a secret."""
    for number, tool, *values in db.execute("SELECT id, tool, arguments, result FROM audit").fetchall():
        clean = [redaction.redacted(str(tool)), *(_redacted_json(str(value)) for value in values)]
        if clean != [tool, *values]:
            db.execute("UPDATE audit SET tool = ?, arguments = ?, result = ? WHERE id = ?", [*clean, number])


def _redacted_json(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return redaction.redacted(text)
    clean = redaction.redacted_value(value)
    return text if clean == value else json.dumps(clean, ensure_ascii=False, separators=(",", ":"))


def _third(db: Database) -> None:
    """Say of each call who made it; of those before, it is not known."""
    for column in ("user", "workspace", "token"):
        db.table("audit").add_column(column, str, not_null_default="")


MIGRATIONS: list[Migration] = [_first, _second, _third]
