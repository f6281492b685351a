"""Memories are served, soon and with a warning, while another program holds the ledger, the index or a lock."""

import fcntl
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from profile_door import Door
from sqlite_utils import Database

from clawbrain import profiles
from clawbrain.brain import Brain, open_brain, open_home, reading
from clawbrain.brain.history import Message
from clawbrain.brain.open_home import READING
from clawbrain.server import tool_runner
from clawbrain.server.lazy_brain import Home
from clawbrain.server.tool_runner import OneClientRunner
from clawbrain.storage import ledger_schema, lock
from clawbrain.storage.patience import hurried

ALICE = "entity-people-alice"


@pytest.fixture
def taught(home: Path, opened: Callable[..., Brain]) -> float:
    """A home with one memory that was praised; its score."""
    with opened() as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
        brain.search("tea")
        brain.feedback("task_completed")
        return brain.credits()[ALICE].score


@contextmanager
def exclusive(path: Path, journal: str = "truncate") -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"PRAGMA journal_mode = {journal}")
        other.execute("BEGIN EXCLUSIVE")
        yield other


@contextmanager
def flocked(path: Path) -> Iterator[None]:
    fd = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT)
    fcntl.flock(fd, fcntl.LOCK_EX)
    yield
    os.close(fd)


HOLDERS: dict[str, Callable[[Path], AbstractContextManager[Any]]] = {
    "the ledger": lambda folder: exclusive(folder / "ledger.db"),
    "the ledger with a write-ahead log": lambda folder: exclusive(folder / "ledger.db", "wal"),
    "the index": lambda folder: exclusive(folder / "index.db"),
    "the index with a write-ahead log": lambda folder: exclusive(folder / "index.db", "wal"),
    "the lock": lambda folder: flocked(folder / "lock"),
    "the lock of the index": flocked,
}


@pytest.fixture(params=HOLDERS)
def holder(request: pytest.FixtureRequest) -> Callable[[Path], AbstractContextManager[Any]]:
    return HOLDERS[request.param]


@contextmanager
def soon(within: float = READING + 0.6) -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < within


def test_a_running_process_answers_soon_with_the_credit_last_written(
    home: Path, taught: float, opened: Callable[..., Brain], holder: Callable[[Path], AbstractContextManager[Any]]
) -> None:
    brain = opened()
    brain.search("tea")
    with holder(home / ".clawbrain"):
        with soon():
            assert brain.search("tea").hits[0].id == ALICE
        with soon():
            assert brain.retrieve(ALICE).memory.content == "Likes tea."
        with soon():
            assert brain.report().top[0].score == pytest.approx(taught)
        with soon():
            brain.settle()


def test_a_home_opens_soon_and_serves(
    home: Path, taught: float, opened: Callable[..., Brain], holder: Callable[[Path], AbstractContextManager[Any]]
) -> None:
    with holder(home / ".clawbrain"), soon(), reading():
        brain = opened("other")
        assert brain.search("tea").hits[0].id == ALICE
        assert brain.retrieve(ALICE).credit.score == pytest.approx(taught)
    assert brain.take_warnings()
    with brain:  # free again: everything works as ever
        assert brain.feedback("task_completed").memories == 1
        brain.update(ALICE, "Likes coffee.")
        assert brain.search("coffee").hits[0].id == ALICE


@pytest.mark.parametrize("held", ["the ledger", "the lock"])
def test_a_resource_is_read_soon(
    home: Path, taught: float, opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    monkeypatch.setattr(open_home, "READING", 0.05)
    runner = Door(opened(), "clawbrain").runner
    with HOLDERS[held](home / ".clawbrain"), soon():
        assert "Likes tea." in runner.text("memory://digest")


@pytest.mark.parametrize("held", ["records.db", "lock"])
def test_messages_are_found_as_they_were_last_written(home: Path, opened: Callable[..., Brain], held: str) -> None:
    with opened() as brain:
        brain.history.add([Message("talk", "user", "The ferry is late.", "2026-02-25T10:00:00Z")])
    brain, path = opened(), home / ".clawbrain" / held
    with exclusive(path) if held == "records.db" else flocked(path), hurried(0.05):
        assert [message.content for message in brain.history.search("ferry")] == ["The ferry is late."]
        assert "read as it was last written" in " ".join(brain.take_warnings())
    assert brain.history.count() == 1 and not brain.take_warnings()


def test_a_warning_stands_once_in_an_answer(home: Path, taught: float, opened: Callable[..., Brain]) -> None:
    brain = opened()
    with exclusive(home / ".clawbrain/ledger.db"):
        for _ in range(2):
            with hurried(0.05):
                brain.report()
        (warning,) = brain.take_warnings()
    assert warning.startswith("another program holds the ledger")


@pytest.mark.parametrize("held", ["the ledger", "the lock"])
def test_a_retrieve_is_counted_when_the_store_is_free_again(
    home: Path, taught: float, opened: Callable[..., Brain], held: str
) -> None:
    brain = opened("other")
    with HOLDERS[held](home / ".clawbrain"), reading():
        brain.retrieve(ALICE)
        brain.settle()
    assert brain.credits()[ALICE].access_count == 0
    brain.settle()
    assert brain.credits()[ALICE].access_count == 1
    assert brain.feedback("task_completed").memories == 1


@pytest.mark.parametrize("held", ["the ledger", "the lock"])
def test_a_retrieve_answers_the_count_that_will_be(
    home: Path, taught: float, opened: Callable[..., Brain], held: str, clock: Callable[[], object]
) -> None:
    brain = opened("other")
    with HOLDERS[held](home / ".clawbrain"), reading():
        answered = [brain.retrieve(ALICE).credit for _ in range(3)]
    assert [each.access_count for each in answered] == [1, 2, 3]
    assert answered[1].last_accessed == "2026-02-25T10:00:00Z"
    brain.settle()
    assert brain.credits()[ALICE].access_count == 3
    assert brain.retrieve(ALICE).credit.access_count == 4


def test_a_retrieve_is_counted_once_though_the_move_of_the_log_was_killed(
    home: Path, taught: float, opened: Callable[..., Brain]
) -> None:
    brain = opened("other")
    with flocked(home / ".clawbrain/lock"), reading():
        brain.retrieve(ALICE)
    line = brain.turns.path.read_bytes()
    brain.settle()
    brain.turns.path.with_suffix(".moving").write_bytes(line)
    brain.session = None
    assert brain.retrieve(ALICE).credit.access_count == 1
    brain.settle()
    assert brain.credits()[ALICE].access_count == 1


def test_a_write_ahead_log_is_left_to_the_program_that_has_it_open(
    home: Path, taught: float, opened: Callable[..., Brain]
) -> None:
    with closing(sqlite3.connect(home / ".clawbrain/ledger.db", isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = wal")
        assert other.execute("SELECT count(*) FROM credit_records").fetchone() == (1,)
        with opened() as brain:
            assert brain.report().top[0].score == pytest.approx(taught)
            brain.store("entity", "bob", "Likes gin.", category="people")
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert other.execute("SELECT count(*) FROM credit_records").fetchone() == (2,)


def test_a_writer_keeps_its_patience(
    home: Path, taught: float, opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lock, "PATIENCE", 2 * READING)
    brain = opened()
    began = time.monotonic()
    with flocked(home / ".clawbrain/lock"), pytest.raises(lock.Busy):
        brain.store("entity", "bob", "Likes gin.", category="people")
    assert time.monotonic() - began > 2 * READING


def served(home: Path) -> OneClientRunner:
    """Return what calls tools on a home that the first call opens."""
    spec = profiles.load("clawbrain")
    return OneClientRunner(spec, profiles.offered(spec), Home(str(home), False))


@pytest.mark.parametrize("held", ["the ledger", "the lock"])
def test_a_change_that_waits_keeps_nobody_waiting(
    home: Path, taught: float, monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    for moment in ("MOMENT", "READING"):
        monkeypatch.setattr(open_home, moment, 0.03)
    runner, answers = served(home), []

    async def ask(tool: str, **arguments: Any) -> None:
        answers.append(await runner.answer(tool, arguments, lambda *_: None))

    async def both() -> None:
        async with anyio.create_task_group() as tasks:
            with HOLDERS[held](home / ".clawbrain"), soon():
                tasks.start_soon(partial(ask, "memory_update", id=ALICE, content="Likes gin."))
                await anyio.sleep(0.05)
                await ask("memory_search", query="tea")
                assert [answer.structured_content["total_matches"] for answer in answers] == [1]

    anyio.run(both)
    anyio.run(runner.close)
    assert answers[1].structured_content["updated"] and "warnings" not in answers[1].structured_content


def test_a_change_is_refused_when_it_has_waited_long_enough(
    home: Path, taught: float, opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_runner, "PATIENCE", 0.1)
    for moment in ("MOMENT", "READING"):
        monkeypatch.setattr(open_home, moment, 0.03)
    runner = Door(opened(), "clawbrain").runner
    with flocked(home / ".clawbrain/lock"):
        answer = anyio.run(runner.answer, "memory_update", {"id": ALICE, "content": "Likes gin."}, lambda *_: None)
    assert answer.is_error and answer.content[0].text == "another process holds the store; try again in a moment."


def test_a_change_succeeds_though_another_program_holds_the_index(
    home: Path, taught: float, opened: Callable[..., Brain], clock: Callable[[], object]
) -> None:
    brain = opened()
    memory, data = brain.load(ALICE)
    brain.index._db.patience = 1.5  # of a writer, which is half a minute
    with exclusive(home / ".clawbrain/index.db"), brain.locked():
        brain.writer.replace(memory, data, data.replace(b"tea", b"gin"))
        assert brain.retrieve(ALICE).memory.content == "Likes gin."
    assert brain.search("gin").hits[0].id == ALICE


def test_an_older_ledger_is_read_as_it_is_where_it_cannot_be_migrated(home: Path, opened: Callable[..., Brain]) -> None:
    old = home / ".clawbrain/ledger.db"
    with opened() as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
    old.unlink()
    with closing(sqlite3.connect(old, isolation_level=None)) as db:
        for step in ledger_schema.MIGRATIONS[:2]:
            step(Database(db, execute_plugins=False))
        db.execute(
            "INSERT INTO credit_records (id, score, access_count, created_at, decay_rate, stored_seq, touched_at, "
            "signals, path) VALUES (?, .75, 3, ?2, .002, 1, ?2, 1, 'entities/people/alice.md')",
            (ALICE, "2026-02-25T10:00:00Z"),
        )
        db.execute("PRAGMA user_version = 2")
    before = old.read_bytes()
    with flocked(home / ".clawbrain/lock"), reading():
        assert opened("other").report().top[0].score == 0.75
    assert opened(read_only=True).report().top[0].score == 0.75
    assert old.read_bytes() == before


def test_a_folder_at_the_place_of_the_lock_is_named(home: Path, taught: float) -> None:
    (home / ".clawbrain/lock").unlink()
    (home / ".clawbrain/lock").mkdir()
    with open_brain(home) as brain:
        assert brain.search("tea").hits[0].id == ALICE
        assert "a folder stands at .clawbrain/lock: move it away" in " ".join(brain.take_warnings())


@pytest.mark.parametrize("looking", [True, False])
def test_a_file_at_the_place_of_a_folder_is_named(home: Path, taught: float, looking: bool) -> None:
    folder = home / ".clawbrain/tmp"
    folder.rmdir()
    folder.touch()
    with open_brain(home, looking=looking) as brain:
        assert brain.search("tea").hits[0].id == ALICE
        told = " ".join(brain.take_warnings())
    assert "a link or a file stands where the folder 'tmp' should be: move it away" in told
