"""Storing: what is refused, what an answer promises, and what a kill in the middle leaves."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Clock, deaths, just_before

from clawbrain.brain import Brain, open_brain
from clawbrain.errors import AlreadyExists, Broken, Invalid, ReadOnly
from clawbrain.memory.text import parse

ALICE = "entity-people-alice-chen"


def store_alice(brain: Brain, content: str = "Likes tea.") -> str:
    return brain.store("entity", "alice-chen", content, category="people").memory.id


# What an answer promises


def test_a_stored_memory_is_a_file_of_the_contracts_form(brain: Brain, home: Path) -> None:
    brain.store("entity", "alice-chen", "Likes tea.", category="people", tags=["ml-team"], pinned=True)
    assert (home / "memory/entities/people/alice-chen.md").read_text() == (
        '---\nid: "entity-people-alice-chen"\ntype: "entity"\ncategory: "people"\ntags: ["ml-team"]\n'
        'created: "2026-02-25T10:00:00Z"\nupdated: "2026-02-25T10:00:00Z"\npinned: true\n---\n\nLikes tea.\n'
    )


def test_an_episode_lies_under_its_month(brain: Brain, home: Path) -> None:
    assert brain.store("episode", "old-session", "text").memory.id == "episode-2026-02-old-session"
    assert (home / "memory/episodes/2026-02/old-session.md").exists()


def test_a_stored_memory_begins_in_the_middle(brain: Brain) -> None:
    store_alice(brain)
    record = brain.ledger.records()[ALICE]
    assert (record.score, record.access_count, record.last_accessed, record.signals) == (0.5, 0, None, 0)


def test_the_record_knows_the_session_and_the_order(brain: Brain) -> None:
    store_alice(brain)
    brain.store("entity", "bob", "Likes coffee.", category="people")
    records = brain.ledger.records()
    assert records["entity-people-bob"].stored_seq == records[ALICE].stored_seq + 1
    assert records[ALICE].session_id == "session-1"


def test_an_entity_decays_slower_than_an_episode(brain: Brain) -> None:
    store_alice(brain)
    brain.store("episode", "day", "text")
    rates = {id: record.decay_rate for id, record in brain.ledger.records().items()}
    assert rates == {ALICE: 0.002, "episode-2026-02-day": 0.01}


def test_a_stored_memory_is_found_at_once(brain: Brain) -> None:
    store_alice(brain)
    assert [hit.id for hit in brain.search("tea").hits] == [ALICE]


def test_another_process_finds_it_at_once(brain: Brain, opened: Callable[..., Brain]) -> None:
    other = opened("session-2")
    store_alice(brain)
    assert other.retrieve(ALICE).memory.content == "Likes tea."


def test_content_keeps_its_carriage_returns(brain: Brain, home: Path) -> None:
    store_alice(brain, "one\r\ntwo")
    assert b"one\r\ntwo" in (home / "memory/entities/people/alice-chen.md").read_bytes()
    assert brain.retrieve(ALICE).memory.content == "one\r\ntwo"


def test_a_near_duplicate_is_stored_and_named(brain: Brain) -> None:
    words = "The deploy script needs the staging token before it runs the migrations on Friday"
    brain.store("entity", "deploy", words, category="projects")
    stored = brain.store("entity", "deploy-again", words + " night", category="projects")
    assert [id for id, _ in stored.similar] == ["entity-projects-deploy"]
    assert all(0 <= score <= 1 for _, score in stored.similar)


def test_near_duplicates_are_of_one_type(brain: Brain) -> None:
    words = "The deploy script needs the staging token before it runs the migrations on Friday"
    brain.store("entity", "deploy", words, category="projects")
    assert list(brain.store("episode", "deploy", words).similar) == []


# What is refused


def test_a_taken_place_is_refused_with_its_id(brain: Brain) -> None:
    store_alice(brain)
    with pytest.raises(AlreadyExists, match=f"already exists.*memory_update.*{ALICE}"):
        store_alice(brain, "Something else.")
    assert brain.retrieve(ALICE).memory.content == "Likes tea."


def test_a_place_taken_by_a_persons_file_is_refused_with_its_own_id(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/alice-chen.md", "---\nid: entity-people-al\n---\nMine.\n")
    with pytest.raises(AlreadyExists, match="entity-people-al'"):
        store_alice(brain)


def test_an_id_that_another_path_owns_is_refused(brain: Brain, home: Path) -> None:
    brain.store("entity", "c", "One.", category="a-b")
    with pytest.raises(AlreadyExists, match="entity-a-b-c"):
        brain.store("entity", "b-c", "Two.", category="a")
    assert not (home / "memory/entities/a/b-c.md").exists()


def test_an_id_taken_by_another_process_just_now_is_refused(brain: Brain, opened: Callable[..., Brain]) -> None:
    other = opened("session-2")
    just_before(brain.storage, "locked", lambda: other.store("entity", "c", "One.", category="a-b"))
    with pytest.raises(AlreadyExists):
        brain.store("entity", "b-c", "Two.", category="a")
    assert other.retrieve("entity-a-b-c").memory.content == "One."


def test_a_name_that_a_persons_file_spells_in_capitals_is_refused(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/Alice-Chen.md", "---\nid: somebody-else\n---\nMine.\n")
    with pytest.raises(AlreadyExists):
        store_alice(brain)


def test_the_id_of_a_moved_memory_stays_taken(brain: Brain) -> None:
    store_alice(brain)
    brain.owner.move(ALICE, "alice")
    with pytest.raises(AlreadyExists, match="entities/people/alice"):
        store_alice(brain)


@pytest.mark.parametrize(
    "words",
    [
        {"type": "thing"},
        {"name": "../../x"},
        {"name": "Alice"},
        {"category": "../x"},
        {"category": None},
        {"content": " "},
        {"content": "---\na: b\n---\ntext"},
        {"tags": ["Not Kebab"]},
    ],
)
def test_bad_words_change_nothing(brain: Brain, home: Path, words: dict[str, object]) -> None:
    given = {"type": "entity", "name": "x", "content": "text", "category": "people"} | words
    with pytest.raises(Invalid):
        brain.store(**given)  # type: ignore[arg-type]
    assert list((home / "memory").rglob("*.md")) == [] and brain.ledger.ids() == set()


def test_a_brain_for_reading_refuses(brain: Brain, opened: Callable[..., Brain]) -> None:
    with pytest.raises(ReadOnly):
        store_alice(opened(read_only=True))


def test_a_refusal_names_no_absolute_path(brain: Brain, home: Path) -> None:
    (home / "memory/entities").rmdir()
    (home / "memory/entities").symlink_to(home)
    with pytest.raises(Invalid) as refused:
        store_alice(brain)
    assert str(home.parent) not in str(refused.value)


# The home


def every(home: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(home):
        yield from (Path(folder) / name for name in [*folders, *files])


def test_a_new_home_has_its_first_files(home: Path) -> None:
    assert sorted(path.name for path in home.iterdir()) == [".clawbrain", "STRATEGY.md", "archive", "memory"]


@pytest.mark.filterwarnings("default")
def test_all_that_is_made_is_its_owners_alone(tmp_path: Path, clock: Clock) -> None:
    before = os.umask(0o022)
    try:
        with open_brain(tmp_path / "new" / "home", session="s", clock=clock) as brain:
            store_alice(brain)
            brain.update(ALICE, "Likes coffee.")
            brain.search("coffee")
            brain.archive(ALICE)
            brain.compact()
    finally:
        os.umask(before)
    modes = {str(path.relative_to(tmp_path)): stat.S_IMODE(path.stat().st_mode) for path in every(tmp_path / "new")}
    modes["new/home"] = stat.S_IMODE((tmp_path / "new/home").stat().st_mode)
    assert {path: oct(mode) for path, mode in modes.items() if mode & 0o077} == {}


def test_nothing_but_the_known_files_is_left_behind(tmp_path: Path, clock: Clock) -> None:
    with open_brain(tmp_path / "home", session="s", clock=clock) as brain:
        store_alice(brain)
    known = {".gitignore", "ledger.db", "ledger.db-journal", "index.db", "index.db-journal", "lock", "tmp"}
    known |= {"turns.log", "backups", "history", "run.lock", "ledger.sound"}
    assert {path.name for path in (tmp_path / "home/.clawbrain").iterdir()} - known == set()


def test_the_dot_folder_is_ignored_by_git(home: Path) -> None:
    assert (home / ".clawbrain/.gitignore").read_text() == "*\n"


def test_an_existing_strategy_is_left_alone(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/STRATEGY.md").write_text("Mine.\n")
    open_brain(tmp_path / "home", clock=clock).close()
    assert (tmp_path / "home/STRATEGY.md").read_text() == "Mine.\n"


def test_a_home_that_is_a_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("x")
    with pytest.raises(Broken, match="is a file"):
        open_brain(tmp_path / "home")


def test_reading_a_home_that_is_not_there_makes_nothing(tmp_path: Path, clock: Clock) -> None:
    with open_brain(tmp_path / "home", read_only=True, clock=clock) as brain:
        assert brain.search("x").total == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("linked", [".clawbrain", ".clawbrain/.gitignore", ".clawbrain/tmp", "memory", "archive"])
def test_a_home_from_somebody_else_cannot_lead_elsewhere(tmp_path: Path, clock: Clock, linked: str) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (home / linked).parent.mkdir(parents=True)
    (home / linked).symlink_to(elsewhere / "dangling" if linked.endswith("ignore") else elsewhere)
    if linked.endswith("ignore"):
        (elsewhere / "dangling").parent.mkdir(exist_ok=True)
    try:
        with open_brain(home, session="s", clock=clock) as brain:
            store_alice(brain)
            brain.archive(ALICE)
    except (Broken, Invalid, ReadOnly):
        pass
    assert list(elsewhere.rglob("*")) == []


def test_backups_do_not_follow_a_link(brain: Brain, home: Path, tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "elsewhere").mkdir()
    (home / ".clawbrain/backups").rmdir()
    (home / ".clawbrain/backups").symlink_to(tmp_path / "elsewhere")
    store_alice(brain)
    brain.search("tea")
    clock.forward(days=2)
    brain.settle()
    assert list((tmp_path / "elsewhere").iterdir()) == []


# A kill at every step


def test_a_kill_while_a_home_is_made_leaves_one_that_opens_whole(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "none").mkdir()
    for _, killed in deaths(tmp_path / "none", clock, lambda brain: None):
        with open_brain(killed, session="s", clock=clock) as brain:
            assert brain.take_warnings() == [] and (killed / "STRATEGY.md").exists()
            store_alice(brain)


def test_a_kill_while_storing_leaves_all_or_nothing(home: Path, clock: Clock) -> None:
    for number, killed in deaths(home, clock, store_alice):
        file = killed / "memory/entities/people/alice-chen.md"
        if file.exists():
            assert parse("entities/people/alice-chen.md", file.read_bytes(), clock()).content == "Likes tea."
        with open_brain(killed, session="s", clock=clock) as brain:
            if not file.exists():
                store_alice(brain)
            retrieved = brain.retrieve(ALICE)
            assert (retrieved.memory.content, retrieved.credit.access_count) == ("Likes tea.", 1), number
            assert os.listdir(killed / ".clawbrain/tmp") == []
            assert [record.id for record in brain.ledger.records().values()] == [ALICE]
