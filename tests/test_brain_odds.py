"""What went wrong once, each as a fact: secrets, pages without a full stop, numbers that differ, shared sessions."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from clawbrain.brain import Brain
from clawbrain.errors import AlreadyExists, Invalid, NotFound

KEY = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"


def policy(home: Path, word: str) -> None:
    (home / "STRATEGY.md").write_text(f"# Strategy\n\n```yaml settings\nsafety:\n  secrets: {word}\n```\n")


def test_a_secret_is_warned_of_and_never_quoted(brain: Brain) -> None:
    brain.store("entity", "key", f"The key is {KEY}", category="ops")
    (said,) = brain.take_warnings()
    assert "secret" in said and KEY not in said


def test_a_secret_is_redacted_where_the_owner_wants_that(brain: Brain, home: Path) -> None:
    policy(home, "redact")
    brain.store("entity", "key", f"The key is {KEY}", category="ops")
    brain.update("ops/key", f"Now it is {KEY}")
    assert KEY not in "".join(path.read_text() for path in home.rglob("*.md"))
    assert "[redacted: " in brain.find("ops/key").content and brain.take_warnings()


def test_a_secret_is_refused_where_the_owner_wants_that(brain: Brain, home: Path) -> None:
    policy(home, "refuse")
    with pytest.raises(Invalid, match="secret"):
        brain.store("entity", "key", f"The key is {KEY}", category="ops")
    assert not (home / "memory/entities/ops").exists()


@pytest.mark.parametrize(
    "page",
    ["x" * 1_000_000, "plain words on a line\n" * 40_000, "- a bullet of some words\n" * 30_000, "a_" * 500_000],
)
def test_a_page_of_a_megabyte_is_stored_beside_its_like_within_seconds(brain: Brain, page: str) -> None:
    begun = time.process_time()
    brain.store("entity", "one", page, category="big")
    brain.store("entity", "two", page, category="big")
    assert time.process_time() - begun < 30


def test_a_merge_keeps_what_differs_in_a_number_or_a_name(brain: Brain) -> None:
    for number, place in enumerate(("south", "north", "west")):
        text = f"- token refresh failed attempt {number} in region {place}"
        brain.store("episode", f"debug-{number}", text, tags=["auth", "token"])
    brain.compact()
    (left,) = brain.memories()
    assert all(f"attempt {number} in region" in left.content for number in range(3))


def test_two_processes_of_one_session_close_only_their_own(brain: Brain) -> None:
    with brain.deciding():
        for pid in (11, 22):
            brain.ledger.open_session("shared", pid, (1, "1"), "2026-02-25T10:00:00Z")
        brain.ledger.close_session("shared", 11, "2026-02-25T11:00:00Z")
    assert [(row[0], row[1]) for row in brain.ledger.open_sessions()] == [("shared", 22)]


@pytest.mark.parametrize("odd", ["../../x", "a/../../x", "..", "/etc/passwd"])
def test_a_way_out_of_the_home_is_simply_not_found(brain: Brain, odd: str) -> None:
    with pytest.raises(NotFound, match="not found"):
        brain.retrieve(odd)


def test_a_file_named_by_a_person_is_reached_in_slash_form_as_its_id_spells_it(
    brain: Brain, write: Callable[..., Path]
) -> None:
    write("entities/people/Alice Chen.md", "Likes tea.")
    assert brain.retrieve("people/alice-chen").memory.id == "entity-people-alice-chen"


def test_a_place_taken_by_a_broken_file_is_said_to_be_broken(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/alice.md", "---\ntags: [\n---\n")
    with pytest.raises(AlreadyExists, match="mend or move"):
        brain.store("entity", "alice", "Likes tea.", category="people")
