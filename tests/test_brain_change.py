"""Changing: update, archive, restore, move, pin, tag, history, revert and purge."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Clock, deaths, just_before

from clawbrain.brain import Brain, open_brain
from clawbrain.errors import (
    AlreadyExists,
    Archived,
    Changed,
    ClawbrainError,
    Invalid,
    NotFound,
    Pinned,
    ReadOnly,
    Refused,
)

ALICE, BOB = "entity-people-alice", "entity-people-bob"
FILE = "entities/people/alice.md"


@pytest.fixture
def alice(brain: Brain) -> Brain:
    brain.store("entity", "alice", "Likes tea.", category="people")
    return brain


@pytest.fixture
def praised(alice: Brain) -> Brain:
    alice.retrieve(ALICE)
    alice.feedback("task_completed")
    return alice


def file_of(brain: Brain, path: str = FILE) -> Path:
    return brain.home / "memory" / path


def text(brain: Brain, path: str = FILE) -> str:
    return file_of(brain, path).read_bytes().decode()


def says(brain: Brain, id: str = ALICE) -> str:
    return brain.find(id).content


def old_texts(brain: Brain) -> list[str]:
    return [
        brain.owner.old_text(ALICE, version.name).split("---\n\n")[-1].strip() for version in brain.owner.history(ALICE)
    ]


# Update


def test_an_update_sets_the_content_and_the_date(alice: Brain, clock: Clock) -> None:
    clock.forward(hours=1)
    updated = alice.update(ALICE, "Likes coffee.")
    assert updated.previous_updated == "2026-02-25T10:00:00Z"
    memory = alice.find(ALICE)
    assert (memory.content, memory.updated, memory.created) == (
        "Likes coffee.",
        "2026-02-25T11:00:00Z",
        "2026-02-25T10:00:00Z",
    )


def test_an_update_is_found_at_once(alice: Brain) -> None:
    alice.update(ALICE, "Likes chess.")
    assert (alice.search("chess").total, alice.search("tea").total) == (1, 0)


def test_an_update_keeps_every_other_line_of_the_header(brain: Brain, write: Callable[..., Path]) -> None:
    header = "---\n# mine\nzeta: [1, 2] # odd\nupdated: 2020-01-01 # old\nlinks:\n  to: x\ntags: one\n"
    write(FILE, header + "---\n\nLikes tea.\n")
    brain.update("people/alice", "Likes coffee.")
    wanted = header.replace("2020-01-01", '"2026-02-25T10:00:00Z"')
    assert text(brain).startswith(wanted) and text(brain).endswith("---\n\nLikes coffee.\n")


def test_an_update_of_a_persons_bare_file_gives_it_dates(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, "Likes tea.\n")
    brain.update(ALICE, "Likes coffee.")
    assert 'updated: "2026-02-25T10:00:00Z"' in text(brain) and "created:" in text(brain)
    assert says(brain) == "Likes coffee."


def test_a_crlf_file_with_a_mark_stays_one(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, b"\xef\xbb\xbf---\r\ntags: a\r\n---\r\n\r\nLikes tea.\r\n")
    brain.update(ALICE, "One.\nTwo.")
    data = file_of(brain).read_bytes()
    assert data.startswith(b"\xef\xbb\xbf---\r\n") and data.endswith(b"\r\nOne.\r\nTwo.\r\n")
    assert data.count(b"\n") == data.count(b"\r\n") and says(brain) == "One.\nTwo."


def test_the_text_replaced_is_kept(alice: Brain) -> None:
    alice.update(ALICE, "Two.")
    alice.update(ALICE, "Three.")
    assert old_texts(alice) == ["Likes tea.", "Two."]


def test_a_file_changed_since_it_was_read_refuses_and_shows_the_text(alice: Brain) -> None:
    alice.retrieve(ALICE)
    file_of(alice).write_text("Likes gin.\n")
    with pytest.raises(Changed, match="retrieve") as refused:
        alice.update("people/alice", "Likes coffee.")
    assert refused.value.current == "Likes gin." and text(alice) == "Likes gin.\n"


def test_a_refusal_is_no_read(alice: Brain, opened: Callable[..., Brain]) -> None:
    opened("session-2").update(ALICE, "Theirs.")
    for _ in range(2):
        with pytest.raises(Changed):
            alice.update(ALICE, "Ours.")


def test_a_search_is_no_read(alice: Brain, opened: Callable[..., Brain]) -> None:
    opened("session-2").update(ALICE, "Theirs.")
    alice.search("theirs")
    with pytest.raises(Changed):
        alice.update(ALICE, "Ours.")


def test_after_a_retrieve_the_update_goes_through(alice: Brain, opened: Callable[..., Brain]) -> None:
    opened("session-2").update(ALICE, "Theirs.")
    alice.retrieve(ALICE)
    alice.update(ALICE, "Both.")
    assert says(alice) == "Both."


def test_a_store_is_a_read(alice: Brain, opened: Callable[..., Brain]) -> None:
    opened("session-2").update(ALICE, "Theirs.")
    with pytest.raises(Changed):
        alice.update(ALICE, "Ours.")


def test_an_update_is_a_read(alice: Brain) -> None:
    alice.update(ALICE, "Two.")
    alice.update(ALICE, "Three.")
    assert says(alice) == "Three."


def test_a_session_that_never_read_may_update(alice: Brain, opened: Callable[..., Brain]) -> None:
    file_of(alice).write_text("Likes gin.\n")
    opened("session-2").update("people/alice", "Likes coffee.")
    assert says(alice, "people/alice") == "Likes coffee."


def test_a_text_that_a_compaction_changed_was_not_read_by_its_session(brain: Brain) -> None:
    for name in ("one", "two"):
        brain.store("episode", name, f"About {name}.", tags=["auth", "login"])
    assert brain.compact().merged == 1
    survivor = brain.search("about").hits[0].id
    with pytest.raises(Changed):
        brain.update(survivor, "Only this.")


def test_a_save_in_the_last_instant_is_not_overwritten(alice: Brain) -> None:
    alice.retrieve(ALICE)
    alice.files.at = lambda step: file_of(alice).write_text("Saved.\n") and None if step == "replace: swap" else None
    with pytest.raises(Changed) as refused:
        alice.update(ALICE, "Ours.")
    assert (text(alice), refused.value.current) == ("Saved.\n", "Saved.")


def test_a_file_deleted_in_the_last_instant_is_not_made_again(alice: Brain) -> None:
    alice.files.at = lambda step: file_of(alice).unlink(missing_ok=True) if step == "replace: swap" else None
    with pytest.raises(ClawbrainError) as refused:
        alice.update(ALICE, "Ours.")
    assert not file_of(alice).exists() and "now says" not in str(refused.value)


@pytest.mark.parametrize("content", ["", "a\0", "---\nid: x\n---\ntext", "x" * 1_048_577])
def test_bad_content_changes_nothing(alice: Brain, content: str) -> None:
    before = text(alice)
    with pytest.raises(Invalid):
        alice.update(ALICE, content)
    assert text(alice) == before


def test_an_archived_memory_is_not_updated(alice: Brain) -> None:
    alice.archive(ALICE)
    with pytest.raises(Archived):
        alice.update(ALICE, "Likes coffee.")


def test_the_drift_of_a_score_begins_again_with_an_update(praised: Brain, clock: Clock) -> None:
    clock.forward(days=50)
    before = praised.credits()[ALICE].score
    praised.update(ALICE, "Likes coffee.")
    assert praised.credits()[ALICE].score == pytest.approx(before)
    assert praised.credits()[ALICE].touched == "2026-04-16T10:00:00Z"


def test_a_brain_for_reading_changes_nothing(alice: Brain, opened: Callable[..., Brain]) -> None:
    reader = opened(read_only=True)
    verbs: list[Callable[[], object]] = [
        lambda: reader.update(ALICE, "x"),
        lambda: reader.archive(ALICE),
        lambda: reader.restore(ALICE),
        lambda: reader.owner.pin(ALICE),
        lambda: reader.owner.move(ALICE, "al"),
        lambda: reader.owner.purge(ALICE),
        lambda: reader.feedback("tool_success"),
        lambda: reader.compact(),
    ]
    for verb in verbs:
        with pytest.raises(ReadOnly):
            verb()


def test_a_kill_while_updating_loses_neither_text(home: Path, opened: Callable[..., Brain], clock: Clock) -> None:
    opened().store("entity", "alice", "Likes tea.", category="people")
    for number, killed in deaths(home, clock, lambda brain: brain.update(ALICE, "Likes coffee.")):
        with open_brain(killed, session="s", clock=clock) as brain:
            now = says(brain)
            assert now in ("Likes tea.", "Likes coffee."), number
            assert old_texts(brain) == ([] if now == "Likes tea." else ["Likes tea."]), number
            assert os.listdir(killed / ".clawbrain/tmp") == []
            brain.update(ALICE, "Likes coffee.")


# Archive and restore


def test_an_archived_memory_lies_in_the_archive(alice: Brain, home: Path) -> None:
    assert alice.archive(ALICE).path == "archive/entities/people/alice.md"
    assert (home / "archive" / FILE).exists() and not file_of(alice).exists()


def test_its_record_leaves_the_active_table_and_its_events_stay(praised: Brain) -> None:
    events = len(list(praised.ledger.events(ALICE)))
    praised.archive(ALICE)
    assert praised.ledger.ids() == set() and len(list(praised.ledger.events(ALICE))) >= events > 0


def test_an_older_archived_file_is_never_overwritten(alice: Brain, home: Path) -> None:
    alice.archive(ALICE)
    alice.store("entity", "alice", "Likes gin.", category="people")
    assert alice.archive(ALICE).path == "archive/entities/people/alice~2.md"
    assert "tea" in (home / "archive" / FILE).read_text()


@pytest.mark.parametrize("stem", ["n" * 251, "n" * 249 + "é", "語" * 83 + "nn"])
def test_a_file_with_the_longest_name_is_archived_twice_and_comes_back(
    brain: Brain, write: Callable[..., Path], home: Path, stem: str
) -> None:
    path = f"entities/people/{stem}.md"
    for text in ("One.", "Two.", "Three."):
        write(path, f"---\nid: someone\n---\n\n{text}\n")
        put = brain.archive("someone")
        assert len(put.path.rpartition("/")[2].encode()) <= 255
    brain.restore("someone")
    assert "Three." in (home / "memory" / path).read_text()
    assert len(list((home / "archive/entities/people").iterdir())) == 2


def test_a_pinned_memory_is_not_archived(alice: Brain) -> None:
    alice.owner.pin(ALICE)
    with pytest.raises(Pinned, match="unpin"):
        alice.archive(ALICE)
    assert file_of(alice).exists()


def test_a_memory_pinned_in_the_last_instant_is_not_archived(alice: Brain, opened: Callable[..., Brain]) -> None:
    other = opened("session-2")
    just_before(alice.storage, "locked", lambda: other.owner.pin(ALICE))
    with pytest.raises(Pinned):
        alice.archive(ALICE)


def test_a_memory_archived_by_another_process_just_now_is_refused_in_words(
    alice: Brain, opened: Callable[..., Brain]
) -> None:
    other = opened("session-2")
    just_before(alice.storage, "locked", lambda: other.archive(ALICE))
    with pytest.raises(Refused):
        alice.archive(ALICE)


def test_an_archived_memory_is_logged(alice: Brain) -> None:
    alice.archive(ALICE)
    assert [(row["action"], row["target_ids"]) for row in alice.ledger.latest_log(1)] == [("archive", [ALICE])]


@pytest.mark.parametrize("reference", [ALICE, "archive/" + FILE, FILE, "people/alice"])
def test_a_restored_memory_has_its_text_and_its_score(praised: Brain, reference: str) -> None:
    before = praised.credits()[ALICE]
    praised.archive(ALICE)
    assert praised.restore(reference).path == FILE
    assert (says(praised), praised.credits()[ALICE]) == ("Likes tea.", before)


def test_an_id_restores_the_newest(alice: Brain) -> None:
    alice.archive(ALICE)
    alice.store("entity", "alice", "Likes gin.", category="people")
    alice.archive(ALICE)
    alice.restore(ALICE)
    assert says(alice) == "Likes gin."


def test_an_id_restores_the_newest_of_ten_even_without_a_ledger(
    alice: Brain, home: Path, opened: Callable[..., Brain]
) -> None:
    alice.archive(ALICE)
    for number in range(2, 12):
        alice.store("entity", "alice", f"Number {number}.", category="people")
        alice.archive(ALICE)
    alice.storage.close()
    (home / ".clawbrain/ledger.db").unlink()
    again = opened()
    again.restore(ALICE)
    assert says(again) == "Number 11."


def test_a_path_restores_just_that_one(alice: Brain) -> None:
    alice.archive(ALICE)
    alice.store("entity", "alice", "Likes gin.", category="people")
    alice.archive(ALICE)
    alice.restore("archive/" + FILE)
    assert says(alice) == "Likes tea."


def test_a_taken_place_is_refused(alice: Brain) -> None:
    alice.archive(ALICE)
    alice.store("entity", "alice", "Likes gin.", category="people")
    with pytest.raises(AlreadyExists):
        alice.restore(ALICE)
    assert says(alice) == "Likes gin."


def test_an_id_taken_by_another_path_is_refused(alice: Brain, write: Callable[..., Path]) -> None:
    alice.archive(ALICE)
    write("entities/people/other.md", f"---\nid: {ALICE}\n---\ntext")
    with pytest.raises(AlreadyExists, match="entities/people/other"):
        alice.restore("archive/" + FILE)


def test_what_is_not_archived_is_not_restored(alice: Brain) -> None:
    with pytest.raises(Refused, match="not archived"):
        alice.restore(ALICE)


def test_what_never_was_is_not_restored(alice: Brain) -> None:
    with pytest.raises(NotFound, match="archive"):
        alice.restore("entity-people-nobody")


@pytest.mark.parametrize(
    "odd", ["archive/../memory/" + FILE, "archive//etc/passwd", "/etc/passwd", "archive/", "archive", "a\0/b"]
)
def test_an_odd_reference_restores_nothing(alice: Brain, odd: str) -> None:
    with pytest.raises(ClawbrainError):
        alice.restore(odd)


def test_a_persons_numbered_file_comes_back_to_its_own_place(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/plan~2.md", "Text.")
    put = brain.archive("people/plan~2")
    assert brain.restore(put.path).path == "entities/people/plan~2.md"


def test_a_file_that_a_person_moved_to_the_archive_is_archived(praised: Brain, home: Path) -> None:
    score = praised.credits()[ALICE].score
    (home / "archive/entities/people").mkdir(parents=True)
    file_of(praised).rename(home / "archive" / FILE)
    with pytest.raises(Archived):
        praised.retrieve(ALICE)
    praised.settle()
    praised.restore(ALICE)
    assert praised.credits()[ALICE].score == score


def test_deleting_a_file_by_hand_takes_nothing_from_an_older_archived_one(praised: Brain) -> None:
    praised.archive(ALICE)
    put_away = praised.ledger.archived_paths_of(ALICE)
    praised.store("entity", "alice", "Likes gin.", category="people")
    praised.search("gin")
    praised.settle()
    file_of(praised).unlink()
    praised.search("gin")
    praised.settle()
    assert put_away and praised.restore("archive/" + FILE).id == ALICE
    assert praised.credits()[ALICE].score > 0.5


def test_a_kill_while_archiving_loses_no_score(home: Path, opened: Callable[..., Brain], clock: Clock) -> None:
    brain = opened()
    brain.store("entity", "alice", "Likes tea.", category="people")
    brain.retrieve(ALICE)
    brain.feedback("task_completed")
    score = brain.credits()[ALICE].score
    for number, killed in deaths(home, clock, lambda brain: brain.archive(ALICE)):
        with open_brain(killed, session="s", clock=clock) as again:
            if not (killed / "memory" / FILE).exists():
                again.restore(ALICE)
            assert (says(again), again.credits()[ALICE].score) == ("Likes tea.", score), number


def test_a_kill_while_archiving_beside_an_older_one_keeps_both_scores(
    home: Path, opened: Callable[..., Brain], clock: Clock
) -> None:
    brain = opened()
    brain.store("entity", "alice", "Old.", category="people")
    brain.archive(ALICE)
    brain.store("entity", "alice", "New.", category="people")
    brain.retrieve(ALICE)
    brain.feedback("task_completed")
    for number, killed in deaths(home, clock, lambda brain: brain.archive(ALICE)):
        with open_brain(killed, session="s", clock=clock) as again:
            if not (killed / "memory" / FILE).exists():
                again.restore(ALICE)
            assert says(again) == "New." and again.credits()[ALICE].score > 0.5, number


def test_a_kill_while_restoring_loses_no_score(home: Path, opened: Callable[..., Brain], clock: Clock) -> None:
    brain = opened()
    brain.store("entity", "alice", "Likes tea.", category="people")
    brain.retrieve(ALICE)
    brain.feedback("task_completed")
    score = brain.credits()[ALICE].score
    brain.archive(ALICE)
    for number, killed in deaths(home, clock, lambda brain: brain.restore(ALICE)):
        with open_brain(killed, session="s", clock=clock) as again:
            if (killed / "archive" / FILE).exists():
                again.restore(ALICE)
            assert (says(again), again.retrieve(ALICE).credit.score) == ("Likes tea.", score), number


# Pin and tag


def test_pinning_changes_one_line(alice: Brain) -> None:
    before = text(alice)
    assert alice.owner.pin(ALICE).pinned
    assert text(alice) == before.replace("pinned: false", "pinned: true")


def test_unpinning_undoes_it(alice: Brain) -> None:
    before = text(alice)
    alice.owner.pin(ALICE)
    assert not alice.owner.pin(ALICE, False).pinned
    assert text(alice) == before


def test_pinning_what_is_pinned_writes_nothing(alice: Brain) -> None:
    alice.owner.pin(ALICE)
    before = file_of(alice).stat().st_ino
    alice.owner.pin(ALICE)
    assert file_of(alice).stat().st_ino == before


def test_a_bare_file_can_be_pinned(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, "Likes tea.\n")
    assert brain.owner.pin(ALICE).pinned
    assert text(brain) == "---\npinned: true\n---\n\nLikes tea.\n"


def test_tags_are_added_and_taken_away(alice: Brain) -> None:
    alice.owner.tag(ALICE, ["a", "b"])
    assert alice.owner.tag(ALICE, ["c"], ["a"]).tags == ("b", "c")


def test_a_tag_that_is_not_there_cannot_be_taken_away(alice: Brain) -> None:
    with pytest.raises(NotFound, match="'zzz'"):
        alice.owner.tag(ALICE, remove=["zzz"])


def test_a_persons_odd_tag_can_be_taken_away(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, "---\ntags: [Odd One, b]\n---\ntext\n")
    assert brain.owner.tag(ALICE, remove=["Odd One"]).tags == ("b",)


def test_one_of_a_persons_too_many_tags_can_be_taken_away(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, f"---\ntags: [{', '.join(f't{n}' for n in range(40))}]\n---\ntext\n")
    assert len(brain.owner.tag(ALICE, remove=["t0"]).tags) == 39


def test_an_added_tag_is_kebab_case(alice: Brain) -> None:
    with pytest.raises(Invalid, match="kebab"):
        alice.owner.tag(ALICE, ["Not Kebab"])


def test_more_than_thirty_two_tags_are_refused(alice: Brain) -> None:
    with pytest.raises(Invalid, match="32"):
        alice.owner.tag(ALICE, [f"t{n}" for n in range(33)])


# Move


@pytest.mark.parametrize(
    ("new", "path"),
    [
        ("al", "entities/people/al.md"),
        ("friends/al", "entities/friends/al.md"),
        ("friends/", "entities/friends/alice.md"),
    ],
)
def test_a_moved_memory_keeps_its_id_and_credit(praised: Brain, new: str, path: str) -> None:
    before = praised.credits()[ALICE]
    assert praised.owner.move(ALICE, new).path == path
    assert (praised.find(ALICE).path, praised.credits()[ALICE]) == (path, before)


@pytest.mark.parametrize("name", ["alice", "x" * 251, "हिन्दी", "مُحَمَّد"])
def test_a_moved_bare_file_keeps_its_id(brain: Brain, write: Callable[..., Path], name: str) -> None:
    write(f"entities/people/{name}.md", "Likes tea.\n")
    brain.owner.move(f"entities/people/{name}", "al")
    assert brain.find("entities/people/al").id == f"entity-people-{name}"


def test_a_persons_file_can_be_moved_to_small_letters(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/Alice.md", "Likes tea.\n")
    assert brain.owner.move(ALICE, "alice").path == FILE


def test_a_move_to_a_taken_place_is_refused_and_changes_nothing(alice: Brain) -> None:
    alice.store("entity", "alice", "Another.", category="friends")
    before = text(alice)
    with pytest.raises(AlreadyExists):
        alice.owner.move(ALICE, "friends/")
    assert text(alice) == before and list(alice.owner.history(ALICE)) == []


def test_a_move_to_where_it_is_is_refused(alice: Brain) -> None:
    with pytest.raises(Refused, match="already at"):
        alice.owner.move(ALICE, "alice")


@pytest.mark.parametrize("new", ["Not Kebab", "../x", "a/b/c", "", "/", "con"])
def test_a_move_to_an_odd_place_is_refused(alice: Brain, new: str) -> None:
    with pytest.raises(Refused):
        alice.owner.move(ALICE, new)
    assert file_of(alice).exists()


def test_an_episode_stays_in_its_month(brain: Brain) -> None:
    id = brain.store("episode", "day", "text").memory.id
    with pytest.raises(Refused, match="month"):
        brain.owner.move(id, "2026-01/day")
    assert brain.owner.move(id, "other-day").path == "episodes/2026-02/other-day.md"


def test_a_moved_memory_goes_to_the_archive_and_back_with_its_credit(praised: Brain) -> None:
    before = praised.credits()[ALICE]
    praised.owner.move(ALICE, "al")
    praised.archive(ALICE)
    assert praised.restore(ALICE).path == "entities/people/al.md"
    assert praised.credits()[ALICE] == before


def test_a_kill_while_moving_keeps_the_memory_and_its_credit(
    home: Path, opened: Callable[..., Brain], clock: Clock
) -> None:
    brain = opened()
    brain.store("entity", "alice", "Likes tea.", category="people")
    brain.retrieve(ALICE)
    brain.feedback("task_completed")
    before = brain.credits()[ALICE]
    for number, killed in deaths(home, clock, lambda brain: brain.owner.move(ALICE, "friends/al")):
        with open_brain(killed, clock=clock) as again:
            assert (says(again), again.credits()[ALICE]) == ("Likes tea.", before), number
            again.archive(ALICE)
            again.restore(ALICE)
            assert again.credits()[ALICE] == before, number


# History, revert, purge


def test_a_memory_never_updated_has_no_history(alice: Brain) -> None:
    assert list(alice.owner.history(ALICE)) == []


def test_a_revert_puts_the_newest_old_text_back(alice: Brain) -> None:
    alice.update(ALICE, "Two.")
    alice.owner.revert(ALICE)
    assert says(alice) == "Likes tea." and old_texts(alice) == ["Likes tea.", "Two."]


def test_a_revert_takes_a_version_by_its_number(alice: Brain) -> None:
    alice.update(ALICE, "Two.")
    alice.update(ALICE, "Three.")
    alice.owner.revert(ALICE, "0001")
    assert says(alice) == "Likes tea."


def test_a_revert_changes_the_text_alone(alice: Brain, clock: Clock) -> None:
    alice.update(ALICE, "Two.")
    alice.owner.pin(ALICE)
    alice.owner.tag(ALICE, add=["friend"])
    clock.forward(hours=1)
    alice.owner.revert(ALICE)
    memory = alice.find(ALICE)
    assert (memory.content, memory.pinned, "friend" in memory.tags) == ("Likes tea.", True, True)
    assert memory.updated == "2026-02-25T11:00:00Z"


def test_a_revert_keeps_a_persons_lines_and_newlines(brain: Brain, write: Callable[..., Path]) -> None:
    file = write("entities/people/bo.md", b"---\r\nmood: fine # really\r\n---\r\n\r\nOne.\r\n\r\nMore.\r\n")
    brain.update("entity-people-bo", "Two.")
    brain.owner.revert("entity-people-bo")
    head, _, body = file.read_bytes().partition(b"---\r\n\r\n")
    assert b"mood: fine # really\r\n" in head and body == b"One.\r\n\r\nMore.\r\n"


def test_a_revert_needs_a_text_that_says_something_else(alice: Brain) -> None:
    alice.owner.pin(ALICE)
    with pytest.raises(NotFound, match=r"has no earlier text that says something else\.$"):
        alice.owner.revert(ALICE)


@pytest.mark.parametrize("version", ["9999", "../../ledger.db", "x"])
def test_a_version_that_is_not_there_is_said(alice: Brain, version: str) -> None:
    alice.update(ALICE, "Two.")
    with pytest.raises(NotFound, match="no version"):
        alice.owner.revert(ALICE, version)


def test_without_history_there_is_nothing_to_revert(alice: Brain) -> None:
    with pytest.raises(NotFound, match="no earlier text"):
        alice.owner.revert(ALICE)


def test_a_live_memory_is_not_purged(alice: Brain) -> None:
    with pytest.raises(Refused):
        alice.owner.purge(ALICE)
    assert file_of(alice).exists()


def test_a_purge_leaves_no_word_behind(alice: Brain, home: Path) -> None:
    alice.update(ALICE, "The password is xyzzy-plugh.")
    alice.update(ALICE, "The password is not xyzzy-plugh.")
    alice.archive(ALICE)
    alice.owner.purge(ALICE)
    alice.sync(now=True)
    alice.storage.close()
    holding = [path.name for path in home.rglob("*") if path.is_file() and b"xyzzy" in path.read_bytes()]
    assert holding == []


def test_a_purged_memory_is_not_found(alice: Brain) -> None:
    alice.archive(ALICE)
    alice.owner.purge(ALICE)
    for verb in (alice.retrieve, alice.restore, alice.owner.purge):
        with pytest.raises(NotFound):
            verb(ALICE)


def test_a_purge_keeps_the_events(praised: Brain) -> None:
    praised.archive(ALICE)
    praised.owner.purge(ALICE)
    assert list(praised.ledger.events(ALICE)) != []


def test_a_purge_of_an_old_one_keeps_the_history_of_the_living(alice: Brain) -> None:
    alice.archive(ALICE)
    alice.store("entity", "alice", "One.", category="people")
    alice.update(ALICE, "Two.")
    alice.owner.purge(ALICE)
    assert "One." in old_texts(alice)


def test_a_loose_file_in_the_archive_can_be_purged(alice: Brain, home: Path) -> None:
    alice.update(ALICE, "Two.")
    (home / "archive/loose.md").write_text("text")
    alice.owner.purge("archive/loose.md")
    assert old_texts(alice) == ["Likes tea."] and not (home / "archive/loose.md").exists()


def test_a_purge_of_a_moved_memory_clears_its_history_even_without_a_ledger(
    alice: Brain, home: Path, opened: Callable[..., Brain]
) -> None:
    alice.update(ALICE, "Two.")
    alice.owner.move(ALICE, "al")
    alice.archive(ALICE)
    alice.storage.close()
    (home / ".clawbrain/ledger.db").unlink()
    opened().owner.purge("archive/entities/people/al.md")
    assert not (home / f".clawbrain/history/{ALICE}").exists()


def test_what_comes_back_without_a_record_is_given_one(alice: Brain, home: Path, opened: Callable[..., Brain]) -> None:
    alice.archive(ALICE)
    alice.storage.close()
    (home / ".clawbrain/ledger.db").unlink()
    brain = opened()
    brain.sync(now=True)
    brain.settle()
    brain.restore(ALICE)
    brain.settle()
    assert ALICE in brain.ledger.ids()


def test_a_purge_that_the_ledger_cannot_follow_deletes_nothing(alice: Brain, home: Path) -> None:
    alice.archive(ALICE)
    with closing(sqlite3.connect(home / ".clawbrain/ledger.db")) as ledger:
        ledger.execute("CREATE TRIGGER full BEFORE DELETE ON archived_records BEGIN SELECT RAISE(FAIL, 'full'); END")
    with pytest.raises((OSError, sqlite3.Error, ClawbrainError)):
        alice.owner.purge(ALICE)
    assert (home / "archive/entities/people/alice.md").exists()
    alice.restore(ALICE)


# The ledger and the index in trouble


def test_what_the_ledger_cannot_note_is_a_warning_when_the_file_is_written(alice: Brain, home: Path) -> None:
    (home / ".clawbrain/ledger.db").write_bytes(b"garbage" * 4000)
    alice.store("entity", "bob", "Likes coffee.", category="people")
    assert file_of(alice, "entities/people/bob.md").exists() and alice.take_warnings()
