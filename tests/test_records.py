"""The file of conversations and the audit log: made by migrations; what earlier versions wrote is read and migrated."""

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock, deaths
from sqlite_utils import Database

from clawbrain.brain import Brain, open_brain
from clawbrain.brain.history import Message
from clawbrain.storage import conversations, conversations_schema

OLD = (Path(__file__).parent / "records-1.sql").read_text()
TEXTS = {
    "Ship the harbour release on Friday.",
    "Shipped; the größte ferry runs. 船が出ます",
    "Where is Alice's tea?",
}


AUDIT = "SELECT id, created_at, session_id, profile, tool, arguments, result, success, duration_ms FROM audit"


def file(home: Path) -> Path:
    return home / ".clawbrain/records.db"


def rows(home: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(file(home))) as db:
        return db.execute(sql).fetchall()


def shape(home: Path) -> list[Any]:
    """Return the tables and indexes with their columns, however the statements that made them were laid out."""
    tables = rows(home, "SELECT type, name, tbl_name FROM sqlite_master ORDER BY name")
    columns = {name: rows(home, f"PRAGMA table_xinfo({name})") for type, name, _ in tables if type == "table"}
    indexes = {name: rows(home, f"PRAGMA index_xinfo({name})") for type, name, _ in tables if type == "index"}
    words = [sql for (sql,) in rows(home, "SELECT sql FROM sqlite_master WHERE name = 'message_words'")]
    return [tables, columns, indexes, words, rows(home, "PRAGMA application_id")]


@pytest.fixture
def old(home: Path) -> Path:
    """A home whose records are those of the first version."""
    with closing(sqlite3.connect(file(home))) as db:
        db.executescript(OLD)
    file(home).chmod(0o600)
    return home


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that knows one more version."""

    def further(db: Database) -> None:
        db.table("messages").add_column("lang", str)

    monkeypatch.setattr(conversations, "VERSION", conversations.VERSION + 1)
    monkeypatch.setattr(conversations_schema, "MIGRATIONS", [*conversations_schema.MIGRATIONS, further])


def test_what_the_first_version_wrote_is_read_as_it_is(old: Path, brain: Brain) -> None:
    held = ("SELECT * FROM messages", AUDIT, "SELECT * FROM message_words")
    before = [rows(old, sql) for sql in held]
    assert {message.content for message in brain.history.search("")} == TEXTS
    assert [message.key for message in brain.history.search("harbour releases")] == ["k1"]
    assert [message.key for message in brain.history.search("船")] == ["k2"]
    assert [(call.tool, call.success) for call in brain.records.audited("", "", False, 9)] == [
        ("memory_update", False),
        ("memory_search", True),
    ]
    assert [rows(old, sql) for sql in held] == before


def test_of_the_calls_of_the_first_version_nobody_is_said_to_have_made_them(old: Path, brain: Brain) -> None:
    assert [(call.user, call.workspace, call.token) for call in brain.audit.calls()] == [("", "", "")] * 2


def test_what_the_first_version_wrote_is_added_to(old: Path, brain: Brain) -> None:
    assert brain.history.add([Message("c2", "assistant", "On the table.", "2026-02-25T10:01:00Z", key="k2")]) == 1
    assert brain.history.count() == 4 and brain.take_warnings() == []


def test_migrations_make_what_the_first_version_made(home: Path, brain: Brain, tmp_path: Path, clock: Clock) -> None:
    brain.history.add([Message("c1", "user", "hello", "2026-02-25T10:00:00Z")])
    made = shape(home)
    file(home).unlink()
    with closing(sqlite3.connect(file(home))) as db:
        db.executescript(OLD)
    assert brain.history.count() == 3  # it opens the file that was put there, and migrates it
    assert made == shape(home)


def test_an_older_file_is_migrated_with_every_row(old: Path, newer: None, opened: Callable[..., Brain]) -> None:
    before = rows(old, "SELECT id, content, created_at FROM messages"), rows(old, AUDIT)
    with opened() as brain:
        assert [message.key for message in brain.history.search("alice tea")] == ["k1"]
        assert brain.take_warnings() == []
    assert (rows(old, "SELECT id, content, created_at FROM messages"), rows(old, AUDIT)) == before
    assert "lang" in {row[1] for row in rows(old, "PRAGMA table_info(messages)")}
    assert (
        rows(old, "PRAGMA user_version") == [(conversations.VERSION,)]
        and stat.S_IMODE(file(old).stat().st_mode) == 0o600
    )


def test_who_only_reads_migrates_nothing(old: Path, newer: None, opened: Callable[..., Brain]) -> None:
    before = file(old).read_bytes()
    assert opened(read_only=True).history.count() == 3
    assert file(old).read_bytes() == before


def test_a_running_process_goes_on_with_the_file_that_another_one_migrated(old: Path, brain: Brain) -> None:
    assert brain.history.count() == 3
    copy = file(old).with_name("copy")
    with closing(sqlite3.connect(file(old))) as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    copy.replace(file(old))
    brain.history.add([Message("c2", "assistant", "On the table.", "2026-02-25T10:01:00Z", key="k2")])
    assert rows(old, "SELECT count(*) FROM messages") == [(4,)]


def test_a_migration_killed_anywhere_leaves_the_old_file_or_the_new(old: Path, newer: None, clock: Clock) -> None:
    points = 0
    for number, killed in deaths(old, clock, lambda brain: brain.history.search("tea")):
        points += 1
        assert {row[0] for row in rows(killed, "SELECT content FROM messages")} == TEXTS, number
        with open_brain(killed, clock=clock) as brain:
            assert [message.key for message in brain.history.search("tea")] == ["k1"], number
            assert brain.take_warnings() == []
    assert points == 2
