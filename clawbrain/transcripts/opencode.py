"""OpenCode's transcripts: an SQLite database of sessions, messages and parts; in older versions a JSON file for each.

Sessions with a parent are those of subagents and are left out, as are parts that the program added (`synthetic`) or
marked as `ignored`.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from .. import foreign_sqlite
from ..brain.history import Message
from .speech import Record, dated, inner, word

NAME = "opencode"
MAGIC = b"SQLite format 3\0"
_ROLES = ("user", "assistant")
_SAID = """
SELECT s.id, s.title, m.id, m.time_created, m.data, p.id, p.data
FROM session AS s JOIN message AS m ON m.session_id = s.id JOIN part AS p ON p.message_id = m.id
WHERE s.parent_id IS NULL ORDER BY s.id, m.time_created, m.id, p.id
"""
Tell = Callable[[str, str], None]


def places(environ: Mapping[str, str], user: Path) -> list[Path]:
    """Return the database that the environment names and the folder where OpenCode stores its data."""
    root = Path(environ.get("XDG_DATA_HOME") or user / ".local" / "share") / "opencode"
    named = environ.get("OPENCODE_DB", "")
    named_too = [root / named] if named and named != ":memory:" else []
    return [*named_too, root]


def is_database(path: Path) -> bool:
    """Tell whether a file is OpenCode's database, by its tables, because many programs use SQLite."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return False
    try:
        with foreign_sqlite.opened(path) as db:
            tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.Error:
        return path.name.startswith(NAME)  # reading it will report the fault
    return {"session", "message", "part"} <= tables


def is_storage(folder: Path) -> bool:
    """Tell whether a folder is the storage of an older version of OpenCode."""
    return all((folder / name).is_dir() for name in ("session", "message", "part"))


def from_database(path: Path, tell: Tell) -> Iterator[Message]:
    """Yield the messages in a database, and pass what could not be read to `tell`."""
    try:
        with foreign_sqlite.opened(path) as db:
            for (session, title, id, made, data), rows in groupby(db.execute(_SAID), key=lambda row: row[:5]):
                message = _read(data, f"{path.name}, message {id}", tell)
                parts = [_read(row[6], f"{path.name}, part {row[5]}", tell) for row in rows]
                yield from _message(session, title, id, dated(made), message, parts)
    except sqlite3.Error as error:
        tell(path.name, f"cannot be read to its end ({error})")


def from_storage(folder: Path, tell: Tell) -> Iterator[Message]:
    """Yield the messages in a storage folder, and pass what could not be read to `tell`."""
    for path in sorted(folder.glob("session/**/*.json")):
        session = _file(path, tell)
        id = word(session.get("id")) or path.stem
        if not session.get("parentID"):
            for message_path in sorted((folder / "message" / id).glob("*.json")):
                message = _file(message_path, tell)
                message_id = word(message.get("id")) or message_path.stem
                parts = [_file(each, tell) for each in sorted((folder / "part" / message_id).glob("*.json"))]
                yield from _message(id, word(session.get("title")), message_id, "", message, parts)


def _message(session: str, title: str, id: str, made: str, message: Record, parts: list[Record]) -> Iterator[Message]:
    role = word(message.get("role"))
    texts = [word(part.get("text")).strip() for part in parts if _is_said(part)]
    if role in _ROLES and message.get("summary") is not True and any(texts):
        created = dated(inner(message, "time").get("created"), made)
        yield Message(session, role, "\n\n".join(filter(None, texts)), created, NAME, id, word(title))


def _is_said(part: Record) -> bool:
    return part.get("type") == "text" and not (part.get("synthetic") or part.get("ignored"))


def _file(path: Path, tell: Tell) -> Record:
    try:
        return _read(path.read_bytes(), path.name, tell)
    except OSError as error:
        tell(path.name, f"cannot be read ({error.strerror})")
        return {}


def _read(text: Any, where: str, tell: Tell) -> Record:
    try:
        record = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        record = None
    if not isinstance(record, dict):
        tell(where, "is not a JSON object")
        return {}
    return record
