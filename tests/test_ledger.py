"""The ledger: what becomes of it, it is ours alone; and whatever becomes of it, memories are served."""

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path

import pytest
from conftest import Clock, deaths

from clawbrain.brain import Brain, open_brain
from clawbrain.credit import SIGNALS
from clawbrain.errors import Broken, Busy
from clawbrain.storage import lock
from clawbrain.storage.ledger_file import BACKUPS, VERSION

ALICE = "entity-people-alice"


@pytest.fixture
def praised(opened: Callable[..., Brain]) -> float:
    """A home whose only memory has learned something; its score."""
    with opened() as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
        brain.retrieve(ALICE)
        brain.feedback("task_completed")
        return brain.credits()[ALICE].score


def ledger(home: Path) -> Path:
    return home / ".clawbrain/ledger.db"


def aside(home: Path) -> list[Path]:
    found = (home / ".clawbrain").glob("ledger.db.corrupt-*")
    return sorted(path for path in found if not path.name.endswith("-journal"))


def backups(home: Path) -> list[str]:
    return sorted(path.name for path in (home / ".clawbrain/backups").glob("*"))


def rows(home: Path, sql: str) -> list[tuple[object, ...]]:
    db = sqlite3.connect(ledger(home))
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def columns(home: Path, table: str) -> set[object]:
    return {row[1] for row in rows(home, f"PRAGMA table_info({table})")}


# Its shape


@pytest.mark.parametrize(
    ("table", "promised"),
    [
        ("credit_records", "id score access_count created_at last_accessed decay_rate stored_seq session_id"),
        ("credit_events", "id memory_id event_type reward old_score new_score session_id created_at"),
        ("turn_records", "id session_id retrieved_memory_ids outcome created_at"),
        ("contradictions", "id memory_a_id memory_b_id description resolution resolved_at created_at"),
        ("lifecycle_log", "id action target_ids details created_at run"),
    ],
)
def test_a_table_has_the_columns_promised(home: Path, table: str, promised: str) -> None:
    assert columns(home, table) >= set(promised.split())


def test_events_have_no_foreign_key(home: Path) -> None:
    assert rows(home, "PRAGMA foreign_key_list(credit_events)") == []


def test_it_is_kept_by_a_rollback_journal(home: Path) -> None:
    assert rows(home, "PRAGMA journal_mode") != [("wal",)]


def test_every_commit_is_flushed(brain: Brain) -> None:
    assert brain.ledger._one("PRAGMA synchronous")[0] == 2 and brain.ledger._one("PRAGMA trusted_schema")[0] == 0


# What becomes of it


def spoil_delete(path: Path) -> None:
    path.unlink()


def spoil_empty(path: Path) -> None:
    path.write_bytes(b"")


def spoil_truncate(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def spoil_cut_short(path: Path) -> None:
    os.truncate(path, 50)


def spoil_flip_head(path: Path) -> None:
    flip(path, 30)


def spoil_flip_root(path: Path) -> None:
    for at in (100, 101, 105, 4096, 4097, 8192, 8193):
        flip(path, at)


def spoil_garbage(path: Path) -> None:
    path.write_bytes(os.urandom(20_000))


def spoil_text(path: Path) -> None:
    path.write_text("<<<<<<< HEAD\n" * 100)


def spoil_tables(path: Path) -> None:
    change(path, "DROP TABLE credit_records")


def spoil_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def spoil_link_to_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def spoil_other(path: Path) -> None:
    path.unlink()
    change(path, "CREATE TABLE somebody_elses (x)")


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(data)


def change(path: Path, sql: str) -> None:
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()


SPOILS = [value for name, value in sorted(globals().items()) if name.startswith("spoil_")]


@pytest.mark.parametrize("spoil", [spoil for spoil in SPOILS if spoil is not spoil_link_to_nothing])
def test_memories_are_served_and_can_be_taught_whatever_became_of_it(
    home: Path, praised: float, opened: Callable[..., Brain], spoil: Callable[[Path], None]
) -> None:
    spoil(ledger(home))
    with opened() as brain:
        assert brain.search("tea").hits[0].id == ALICE
        assert brain.retrieve(ALICE).memory.content == "Likes tea."
        assert brain.feedback("task_completed").memories == 1
        brain.update(ALICE, "Likes coffee.")


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_reader_serves_whatever_became_of_it(
    home: Path, praised: float, opened: Callable[..., Brain], spoil: Callable[[Path], None]
) -> None:
    spoil(ledger(home))
    reader = opened(read_only=True)
    assert reader.search("tea").hits[0].id == ALICE and reader.report().total_memories == 1


@pytest.mark.parametrize("spoil", SPOILS)
def test_a_running_process_serves_whatever_becomes_of_it(
    home: Path, praised: float, opened: Callable[..., Brain], spoil: Callable[[Path], None]
) -> None:
    brain = opened()
    brain.search("tea")
    spoil(ledger(home))
    assert brain.search("tea").hits[0].id == ALICE
    assert brain.retrieve(ALICE).memory.content == "Likes tea."
    brain.store("entity", "bob", "Likes gin.", category="people")
    assert brain.search("gin").hits[0].id == "entity-people-bob"
    brain.close()


@pytest.mark.parametrize("spoil", [spoil_empty, spoil_truncate, spoil_flip_head, spoil_garbage, spoil_text])
def test_a_corrupt_one_is_kept_byte_for_byte_and_said(
    home: Path, praised: float, opened: Callable[..., Brain], spoil: Callable[[Path], None]
) -> None:
    spoil(ledger(home))
    before = ledger(home).read_bytes()
    brain = opened()
    assert [path.read_bytes() for path in aside(home)] == [before]
    assert any("set aside" in warning for warning in brain.take_warnings())


def test_two_corrupt_ones_in_one_second_are_both_kept(home: Path, praised: float, opened: Callable[..., Brain]) -> None:
    for _ in range(2):
        spoil_garbage(ledger(home))
        opened().close()
    assert len(aside(home)) == 2


@pytest.mark.parametrize("spoil", [spoil_delete, spoil_garbage, spoil_empty])
def test_the_newest_good_backup_takes_its_place(
    home: Path, praised: float, opened: Callable[..., Brain], clock: Clock, spoil: Callable[[Path], None]
) -> None:
    with opened() as brain:
        brain.ledger.backup()
    spoil(ledger(home))
    brain = opened()
    assert brain.credits()[ALICE].score == praised
    assert any("backup" in warning for warning in brain.take_warnings())


def test_a_bad_backup_is_passed_over(home: Path, praised: float, opened: Callable[..., Brain], clock: Clock) -> None:
    with opened() as brain:
        brain.ledger.backup()
    (home / ".clawbrain/backups/ledger-99991231T000000Z.db").write_bytes(b"garbage" * 1000)
    spoil_garbage(ledger(home))
    assert opened().credits()[ALICE].score == praised


def test_without_a_backup_files_are_adopted_anew(home: Path, praised: float, opened: Callable[..., Brain]) -> None:
    spoil_garbage(ledger(home))
    assert opened().retrieve(ALICE).credit.score == 0.5


def test_a_newer_one_is_left_alone(home: Path, praised: float, opened: Callable[..., Brain]) -> None:
    change(ledger(home), f"PRAGMA user_version = {VERSION + 1}")
    before = ledger(home).read_bytes()
    with opened() as brain:
        assert any("newer" in warning for warning in brain.take_warnings())
        brain.retrieve(ALICE)
        brain.feedback("task_completed")
        brain.store("entity", "bob", "Likes gin.", category="people")
    assert ledger(home).read_bytes() == before


def test_another_process_goes_on_with_the_one_put_in_place(
    home: Path, praised: float, opened: Callable[..., Brain], clock: Clock
) -> None:
    running = opened("running")
    running.search("tea")
    running.settle()
    running.ledger.backup()
    spoil_garbage(ledger(home))
    mender = opened("mender")
    running.retrieve(ALICE)
    assert mender.credits()[ALICE].access_count == running.credits()[ALICE].access_count == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_home_that_may_not_be_written_is_read(home: Path, praised: float, opened: Callable[..., Brain]) -> None:
    folders = [home / ".clawbrain", home]
    for path in [*folders, ledger(home)]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        brain = opened()
        assert brain.search("tea").hits[0].id == ALICE and brain.take_warnings()
    finally:
        for path in folders:
            path.chmod(0o700)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_one_that_may_not_be_written_is_read(home: Path, praised: float, opened: Callable[..., Brain]) -> None:
    ledger(home).chmod(0o400)
    brain = opened()
    assert brain.search("tea").hits[0].id == ALICE
    assert brain.retrieve(ALICE).memory.content == "Likes tea."


def test_a_kill_while_a_corrupt_one_is_replaced_leaves_a_home_that_opens(
    home: Path, praised: float, opened: Callable[..., Brain], clock: Clock
) -> None:
    with opened() as brain:
        brain.ledger.backup()
    spoil_garbage(ledger(home))
    before = ledger(home).read_bytes()
    for number, killed in deaths(home, clock, lambda brain: brain.search("tea")):
        with open_brain(killed, clock=clock) as again:
            assert again.credits()[ALICE].score == praised, number
            assert before in [path.read_bytes() for path in aside(killed)], number


# Backups


def test_it_is_backed_up_once_a_day(home: Path, praised: float, opened: Callable[..., Brain], clock: Clock) -> None:
    brain = opened()
    for hours in (0, 1, 24, 1):
        clock.forward(hours=hours)
        brain.search("tea")
        brain.settle()
    assert backups(home) == ["ledger-20260225T100000Z.db", "ledger-20260226T110000Z.db"]


def test_the_last_seven_are_kept(home: Path, praised: float, opened: Callable[..., Brain], clock: Clock) -> None:
    brain = opened()
    for _ in range(BACKUPS + 3):
        clock.forward(days=2)
        brain.search("tea")
        brain.settle()
    assert len(backups(home)) == BACKUPS and max(backups(home)) == f"ledger-{clock.now:%Y%m%dT%H%M%SZ}.db"


def test_a_day_in_a_wrong_year_does_not_end_all_backups(
    home: Path, praised: float, opened: Callable[..., Brain], clock: Clock
) -> None:
    brain, today = opened(), clock.now
    clock.forward(days=3650)
    brain.search("tea")
    brain.settle()
    clock.now = today
    clock.forward(days=2)
    brain.search("tea")
    brain.settle()
    assert f"ledger-{clock.now:%Y%m%dT%H%M%SZ}.db" in backups(home)


def test_an_empty_one_is_not_backed_up(home: Path, brain: Brain) -> None:
    brain.search("tea")
    brain.settle()
    assert backups(home) == []


def test_a_backup_that_cannot_be_made_is_a_warning(
    home: Path, praised: float, opened: Callable[..., Brain], clock: Clock
) -> None:
    (home / ".clawbrain/backups").rmdir()
    (home / ".clawbrain/backups").write_text("in the way")
    brain = opened()
    clock.forward(days=2)
    brain.search("tea")
    brain.settle()
    assert brain.take_warnings() != []


def test_a_backup_is_its_owners_alone(home: Path, praised: float, opened: Callable[..., Brain], clock: Clock) -> None:
    opened().ledger.backup()
    assert [(home / ".clawbrain/backups" / name).stat().st_mode & 0o777 for name in backups(home)] == [0o600]


def test_a_ledger_that_another_program_holds_is_said_to_be_busy(praised: float, brain: Brain) -> None:
    brain.ledger._all("PRAGMA busy_timeout = 20")
    with closing(sqlite3.connect(brain.ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Busy, match="the ledger is busy in another process"):
            brain.ledger.records()
        brain.note(lambda: brain.ledger.set_note("a", "b"))
    said = "the ledger is busy in another process; try again in a moment. Credit and turns of this call are not kept."
    assert brain.take_warnings() == [said]


def test_an_error_in_a_transaction_of_the_ledger_is_one_of_ours(praised: float, brain: Brain) -> None:
    with pytest.raises(Broken, match="the ledger could not be used"), brain.deciding():
        brain.ledger._db.do("INSERT INTO notes (no_such_column) VALUES (1)")
    assert brain.ledger.records()  # and it goes on


# One lock


def test_a_transaction_is_all_or_nothing(brain: Brain) -> None:
    with pytest.raises(ZeroDivisionError), brain.deciding():
        brain.ledger.set_note("a", "b")
        raise ZeroDivisionError
    assert brain.ledger.note_of("a") is None


def test_the_lock_may_be_taken_again_by_the_thread_that_holds_it(brain: Brain) -> None:
    with brain.locked(), brain.locked():
        pass


def test_who_waits_too_long_is_told_to_try_again(
    brain: Brain, opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = opened("session-2")
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    with brain.locked(), pytest.raises(Busy, match="try again"):
        other.store("entity", "bob", "text", category="people")


def test_a_memory_is_read_even_while_the_lock_is_held(
    praised: float, opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch
) -> None:
    brain, other = opened(), opened("session-2")
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    with brain.locked():
        assert other.search("tea").hits[0].id == ALICE
        assert other.retrieve(ALICE).memory.content == "Likes tea."
    assert other.take_warnings() != []


def test_a_thread_that_waits_too_long_is_told_to_try_again(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "PATIENCE", 0.05)
    said: list[str] = []

    def store() -> None:
        try:
            brain.store("entity", "bob", "text", category="people")
        except Busy as busy:
            said.append(str(busy))

    with brain.locked():
        thread = threading.Thread(target=store)
        thread.start()
        thread.join()
    assert "try again" in said[0]


def test_the_lock_is_free_again_after_a_failure(brain: Brain, opened: Callable[..., Brain]) -> None:
    with pytest.raises(ZeroDivisionError), brain.locked():
        raise ZeroDivisionError
    opened("session-2").store("entity", "bob", "text", category="people")


def teach(home: str, who: int, clock: Clock) -> None:
    with open_brain(Path(home), session=f"s{who}", clock=clock) as brain:
        for number in range(10):
            brain.store("entity", f"m{who}-{number}", f"About {who} and {number}.", category="things")
            brain.retrieve(ALICE)
            brain.feedback(sorted(SIGNALS)[number % 5])


def test_nothing_is_lost_among_processes(
    home: Path, praised: float, opened: Callable[..., Brain], clock: Clock
) -> None:
    workers = [get_context("fork").Process(target=teach, args=(str(home), who, clock)) for who in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    brain = opened()
    assert brain.credits()[ALICE].access_count == 31
    assert len(brain.ledger.ids()) == brain.report().total_memories == 31
    signals = [event for event, _ in brain.ledger.events(ALICE) if event.signal_id]
    assert len(signals) == 31 == brain.credits()[ALICE].signals


def test_threads_of_one_process_lose_nothing(brain: Brain) -> None:
    failed: list[BaseException] = []

    def work(who: int) -> None:
        try:
            for number in range(8):
                brain.store("entity", f"m{who}-{number}", f"About {who} and {number}.", category="things")
                brain.search("about")
                brain.settle()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work, args=(who,)) for who in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and brain.report().total_memories == 32 and len(brain.ledger.ids()) == 32


# As text


def test_a_dump_loaded_is_the_same_ledger(
    praised: float, opened: Callable[..., Brain], new_home: Path, tmp_path: Path, clock: Clock
) -> None:
    lines = list(opened().ledger_text.dump())
    with open_brain(tmp_path / "other", clock=clock) as other:
        other.ledger_text.load(lines)
        assert list(other.ledger_text.dump()) == lines
