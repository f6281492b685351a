"""An id that is archived and used again is another memory: each has its own history, credit events and claims."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Clock, deaths

from clawbrain.brain import Brain, open_brain
from clawbrain.errors import NotFound
from clawbrain.memory.model import digest

ALICE, FILE = "entity-people-alice", "entities/people/alice.md"


def live(brain: Brain, clock: Clock, *texts: str, archived: bool = True) -> None:
    """Store a memory, give it its other texts, and archive it, with a minute between all that."""
    brain.store("entity", "alice", texts[0], category="people")
    for text in texts[1:]:
        clock.forward(minutes=1)
        brain.update(ALICE, text)
    clock.forward(minutes=1)
    if archived:
        brain.archive(ALICE)
        clock.forward(minutes=1)


@pytest.fixture
def lives(brain: Brain, clock: Clock) -> Brain:
    """Three memories of one id, two of them archived; none of them speaks of the others."""
    live(brain, clock, "Red one.", "Red two.", "Red three.")
    live(brain, clock, "Green one.", "Green two.")
    live(brain, clock, "Blue one.", archived=False)
    return brain


def earlier(brain: Brain) -> list[str]:
    return [brain.owner.old_text(ALICE, each.name).split("\n\n")[-1].strip() for each in brain.owner.history(ALICE)]


def doubtful(brain: Brain) -> list[bool]:
    return [not each.certain for each in brain.owner.history(ALICE)]


def words_on_disk(home: Path) -> str:
    return "".join(file.read_bytes().decode(errors="replace") for file in home.rglob("*") if file.is_file())


def test_a_new_memory_has_no_earlier_text_of_an_archived_one(lives: Brain) -> None:
    assert earlier(lives) == []
    with pytest.raises(NotFound, match="no earlier text"):
        lives.owner.revert(ALICE)
    assert lives.find(ALICE).content == "Blue one."


def test_earlier_texts_are_listed_in_a_home_that_is_only_read(
    brain: Brain, clock: Clock, opened: Callable[..., Brain], home: Path
) -> None:
    live(brain, clock, "Red one.", "Red two.", archived=False)
    assert earlier(opened(read_only=True)) == ["Red one."]
    (home / ".clawbrain/history").rename(home / "elsewhere")
    (home / ".clawbrain/history").symlink_to(home / "elsewhere")
    assert opened().owner.history(ALICE) == []


def test_each_is_restored_with_its_own_history(lives: Brain, clock: Clock) -> None:
    lives.archive(ALICE)
    for path, texts in ((FILE, ["Red one.", "Red two."]), (FILE.replace(".md", "~2.md"), ["Green one."])):
        lives.restore(f"archive/{path}")
        assert earlier(lives) == texts
        lives.owner.move(ALICE, "somebody")
        assert earlier(lives)[: len(texts)] == texts
        lives.archive(ALICE)


def test_a_purge_takes_just_the_texts_of_the_memory_that_is_purged(lives: Brain, home: Path) -> None:
    lives.update(ALICE, "Blue two.")
    lives.owner.purge(f"archive/{FILE}")
    lives.close()
    assert "Red" not in words_on_disk(home) and "Green one." in words_on_disk(home)
    assert earlier(lives) == ["Blue one."]


def test_events_are_those_of_one_life(lives: Brain) -> None:
    assert [event.event_type for event, _ in lives.credit_history(ALICE)] == ["store"]


def test_praise_for_what_an_archived_memory_answered_does_not_reach_the_next(brain: Brain, clock: Clock) -> None:
    brain.store("entity", "alice", "Likes tea.", category="people")
    assert brain.search("tea").hits
    brain.archive(ALICE)
    brain.store("entity", "alice", "Likes cake.", category="people")
    brain.feedback("task_completed")
    assert brain.credits()[ALICE].score == 0.5 and brain.earned([ALICE]) == {}


def test_claims_of_an_archived_memory_outlive_the_purge_of_another(brain: Brain, clock: Clock) -> None:
    brain.store("entity", "web", "The API server listens on port 8000.", category="people")
    for number in range(2):
        live(brain, clock, f"The API server listens on port 4000. Life {number}.")
    brain.owner.purge(f"archive/{FILE}")
    assert [row.claim_a for row in brain.ledger.contradictions()] == ["", "The API server listens on port 4000."]


def test_a_claim_of_an_archived_memory_is_not_taken_out_of_the_next(brain: Brain, clock: Clock) -> None:
    brain.store("entity", "web", "The API server listens on port 8000.", category="people")
    live(brain, clock, "The API server listens on port 4000. It is old.")
    live(brain, clock, "The API server listens on port 4000. It is new.", archived=False)
    first, second = brain.conflicts.open()
    brain.conflicts.resolve(first.id, "kept_b")
    assert "4000" in brain.find(ALICE).content
    brain.conflicts.resolve(second.id, "kept_b")
    assert brain.find(ALICE).content == "It is new."


@pytest.mark.parametrize("same", [True, False])
def test_only_the_same_bytes_take_an_archived_record_back(brain: Brain, clock: Clock, home: Path, same: bool) -> None:
    live(brain, clock, "Red one.", "Red two.")
    life = brain.ledger.archived_life(FILE)
    os.rename(home / "archive" / FILE, home / "memory" / FILE)
    if not same:
        (home / "memory" / FILE).write_text("Written anew.\n")
    assert (earlier(brain) == ["Red one."]) == same
    assert (brain.ledger.life_of(ALICE) == life) == same


def test_a_file_that_was_gone_for_a_while_keeps_its_history(brain: Brain, clock: Clock, home: Path) -> None:
    live(brain, clock, "Red one.", "Red two.", archived=False)
    os.rename(home / "memory" / FILE, home / "away.md")
    brain.search("anything")
    brain.settle()
    os.rename(home / "away.md", home / "memory" / FILE)
    brain.owner.revert(ALICE)
    assert brain.find(ALICE).content == "Red one."


def test_a_dump_carries_lives(lives: Brain, home: Path, opened: Callable[..., Brain]) -> None:
    lives.archive(ALICE)
    lines = list(lives.ledger_text.dump())
    opened().ledger_text.load(lines, replace=True)
    lives.restore(f"archive/{FILE}")
    assert earlier(lives) == ["Red one.", "Red two."]


def test_a_backup_in_the_place_of_a_lost_ledger_knows_the_lives(
    lives: Brain, home: Path, opened: Callable[..., Brain]
) -> None:
    lives.update(ALICE, "Blue two.")
    lives.ledger.backup()
    lives.close()
    (home / ".clawbrain/ledger.db").unlink()
    assert earlier(opened()) == ["Blue one."]


def test_without_ledger_and_backup_texts_are_shown_and_taken_only_by_name(
    lives: Brain, home: Path, opened: Callable[..., Brain]
) -> None:
    lives.update(ALICE, "Blue two.")
    lives.close()
    shutil.rmtree(home / ".clawbrain/backups")
    (home / ".clawbrain/ledger.db").unlink()
    brain = opened()
    assert sorted(earlier(brain)) == ["Blue one.", "Green one.", "Red one.", "Red two."] and all(doubtful(brain))
    with pytest.raises(NotFound, match="may be of another memory"):
        brain.owner.revert(ALICE)
    [blue] = [each.name for each in brain.owner.history(ALICE) if "Blue" in brain.owner.old_text(ALICE, each.name)]
    brain.owner.revert(ALICE, blue)
    assert brain.find(ALICE).content == "Blue one."


def test_a_purge_that_was_killed_is_done_again(home: Path, clock: Clock, opened: Callable[..., Brain]) -> None:
    before = opened()
    live(before, clock, "Red one.", "Red two.")
    live(before, clock, "Green one.", "Green two.", archived=False)
    before.close()
    for number, copy in deaths(home, clock, lambda brain: brain.owner.purge(f"archive/{FILE}")):
        with open_brain(copy, clock=clock) as brain:
            if brain.files.archived(FILE):
                brain.owner.purge(f"archive/{FILE}")
            assert earlier(brain) == ["Green one."], number
        assert "Red" not in words_on_disk(copy), number


# Homes from before there were lives


def first_written(shelf: Path) -> int:
    return min(text.stat().st_mtime_ns for text in shelf.iterdir())


def without_lives(home: Path) -> None:
    """Turn a home into one of the program before: shelves named after ids, a ledger of its version."""
    shelves = home / ".clawbrain/history"
    for shelf in sorted(shelves.glob("*@*"), key=first_written):
        older = shelves / shelf.name.partition("@")[0]
        older.mkdir(exist_ok=True)
        for text in sorted(shelf.iterdir()):
            text.rename(older / f"{len(list(older.iterdir())) + 1:04}{text.name[4:]}")
        shelf.rmdir()
    shutil.rmtree(home / ".clawbrain/backups", ignore_errors=True)
    with closing(sqlite3.connect(home / ".clawbrain/ledger.db")) as db:
        for table, columns in (
            ("credit_records", ("life",)),
            ("archived_records", ("life", "digest")),
            ("credit_events", ("life",)),
            ("contradictions", ("life_a", "life_b", "mark_a", "mark_b")),
        ):
            for column in columns:
                db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        db.execute("DELETE FROM notes WHERE key = 'key_of_claims'")
        db.execute("PRAGMA user_version = 5")
        db.commit()


@pytest.fixture
def old(lives: Brain, home: Path) -> Path:
    lives.update(ALICE, "Blue two.")
    lives.close()
    without_lives(home)
    return home


def test_texts_from_before_belong_to_the_memory_of_their_time(
    old: Path, clock: Clock, opened: Callable[..., Brain]
) -> None:
    clock.forward(seconds=1)
    brain = opened()
    assert earlier(brain) == ["Blue one."] and not any(doubtful(brain))
    brain.update(ALICE, "Blue three.")
    assert earlier(brain) == ["Blue one.", "Blue two."]
    brain.archive(ALICE)
    clock.forward(seconds=1)
    brain.restore(f"archive/{FILE}")
    assert earlier(brain) == ["Red one.", "Red two."]


def test_a_purge_takes_the_texts_from_before_of_its_time(old: Path, opened: Callable[..., Brain]) -> None:
    brain = opened()
    assert brain.owner.purge(f"archive/{FILE}").unsure == ()
    brain.close()
    assert "Red" not in words_on_disk(old) and "Green one." in words_on_disk(old)


def test_a_migration_that_is_repeated_gives_the_same_lives(old: Path, opened: Callable[..., Brain]) -> None:
    shutil.copytree(old, old.parent / "copy")
    first = opened().ledger.life_of(ALICE)
    shutil.copy(old.parent / "copy/.clawbrain/ledger.db", old / ".clawbrain/ledger.db")
    assert opened().ledger.life_of(ALICE) == first != ""


def test_texts_of_one_second_may_be_of_another_memory(home: Path, clock: Clock, opened: Callable[..., Brain]) -> None:
    brain = opened()
    for colour in ("Red", "Green"):
        brain.store("entity", "alice", f"{colour} one.", category="people")
        brain.update(ALICE, f"{colour} two.")
        brain.archive(ALICE)
    brain.store("entity", "alice", "Blue one.", category="people")
    brain.close()
    without_lives(home)
    clock.forward(days=1)
    brain = opened()
    assert earlier(brain) == ["Red one.", "Green one."] and all(doubtful(brain))
    with pytest.raises(NotFound, match="may be of another memory"):
        brain.owner.revert(ALICE)
    gone = brain.owner.purge(f"archive/{FILE}", texts=["1"])
    assert [name[:4] for name in gone.unsure] == ["0002"] and earlier(brain) == ["Green one."]


def test_a_text_that_may_be_of_another_memory_can_be_purged_when_all_memories_are_gone(
    home: Path, clock: Clock, opened: Callable[..., Brain]
) -> None:
    brain = opened()
    for colour in ("Red", "Green"):
        brain.store("entity", "alice", f"{colour} one.", category="people")
        brain.update(ALICE, f"{colour} two.")
        brain.archive(ALICE)
    brain.close()
    without_lives(home)
    clock.forward(days=1)
    brain = opened()
    for _ in range(2):
        brain.owner.purge(ALICE)
    with pytest.raises(NotFound):
        brain.owner.purge(ALICE, texts=["7"])
    brain.owner.purge(ALICE, texts=["1", "2"])
    brain.close()
    assert "Red" not in words_on_disk(home) and "Green" not in words_on_disk(home)


def test_what_an_older_program_left_half_done_is_recovered(
    old: Path, clock: Clock, opened: Callable[..., Brain]
) -> None:
    clock.forward(minutes=5)
    was, now = b"Blue two, taken out.\n", (old / "memory" / FILE).read_bytes()
    left = old / f".clawbrain/tmp/u~{digest(was)[:12]}~{digest(now)[:12]}~{ALICE}"
    left.write_bytes(was)
    brain = opened()
    assert earlier(brain) == ["Blue one.", "Blue two, taken out."] and not any(doubtful(brain))
