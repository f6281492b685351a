"""Two preferences contradict each other when each says to use what the other says not to, for the same case."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from profile_door import Door

from clawbrain.brain import Brain
from clawbrain.contradictions import contradictions, contradicts, near_duplicate

ROWS = [line.split("\t") for line in (Path(__file__).parent / "preference_pairs.tsv").read_text().splitlines()]
PNPM, NPM = "Use pnpm, never npm.", "Use npm, never pnpm."


def found(a: str, b: str) -> bool:
    return bool(contradictions(a, b) or contradictions(b, a))


def test_nearly_all_opposite_preferences_are_found_and_hardly_a_false_one() -> None:
    raised = [label for label, a, b in ROWS if found(a, b)]
    assert raised.count("C") >= 0.95 * sum(label == "C" for label, _, _ in ROWS)
    assert raised.count("C") >= 0.98 * len(raised)


@pytest.mark.parametrize("under", ["{}", "# Tools\n\n- {}"])
def test_what_is_contradictory_is_not_called_similar(under: str) -> None:
    raised = [(under.format(a), under.format(b)) for _, a, b in ROWS if found(a, b)]
    assert not [pair for pair in raised if near_duplicate(*pair) or near_duplicate(*reversed(pair))]


@pytest.mark.parametrize(("first", "second"), [(PNPM, NPM), (NPM, PNPM)])
@pytest.mark.parametrize("category", ["preferences", "projects"])
def test_an_answer_names_the_opposite_preference(first: str, second: str, category: str, brain: Brain) -> None:
    call = Door(brain, "clawbrain")
    call("memory_store", type="entity", category=category, name="old", content=first)
    answer = call("memory_store", type="entity", category=category, name="new", content=second)
    assert [each["id"] for each in answer["contradictions"]] == [f"entity-{category}-old"]
    assert "similar" not in answer


def test_the_command_line_resolves_opposite_preferences(run: Callable[..., Any], brain: Brain) -> None:
    run("store", "entity", "old", "--category", "preferences", PNPM)
    assert (
        "contradicts entity-preferences-old" in run("store", "entity", "new", "--category", "preferences", NPM).output
    )
    (row,) = json.loads(run("--json", "conflicts", "list").stdout)["conflicts"]
    run("conflicts", "resolve", str(row["id"]), "kept_a")
    assert not brain.conflicts.open()


def test_the_reason_says_who_is_for_what() -> None:
    assert contradicts(PNPM, NPM) == "“pnpm” and not “npm” in one, “npm” and not “pnpm” in the other"
    assert contradicts("Use pnpm.", NPM) == "one is for “pnpm”, the other against it"


@pytest.mark.parametrize(
    ("a", "b"),
    [(f"# Apollo\n\n{PNPM}", f"# Gemini\n\n{NPM}"), (f"Apollo pays late. {PNPM}", f"Gemini pays late. {NPM}")],
)
def test_two_projects_have_each_their_own_preference(a: str, b: str) -> None:
    assert not contradictions(a, b, one_subject=False, names=("x", "y"))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Status: open, not closed", "Status: closed, not open"),
        ("Room 12, not 14", "Room 14, not 12"),
        ("Paul called Anna, not Mira", "Paul called Mira, not Anna"),
    ],
)
def test_data_that_denies_something_is_no_preference(a: str, b: str) -> None:
    assert not contradictions(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Dana is our release manager.", "Jonas is our release manager."),
        ("Mira Holt is our tech lead.", "Ben Sato is our tech lead."),
        ("Our CTO is Dana.", "Our CTO is Jonas."),
        ("Dana is the release manager.", "Jonas is the release manager."),
    ],
)
def test_a_role_of_one_person_has_one_holder(a: str, b: str) -> None:
    assert contradictions(a, b, one_subject=False) and contradictions(b, a, one_subject=False)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Dana is our customer.", "Jonas is our customer."),
        ("Dana is our backend developer.", "Jonas is our backend developer."),
        ("Dana is a release manager.", "Jonas is a release manager."),
        ("Dana is our release manager for iOS.", "Jonas is our release manager for Android."),
        ("Dana is our release manager.", "Jonas is also our release manager."),
        ("Dana is our release manager.", "Jonas was our release manager."),
        ("# Apollo\n\nDana is our release manager.", "# Gemini\n\nJonas is our release manager."),
        ("We use PostgreSQL 16.", "We use MySQL 8."),
    ],
)
def test_a_role_of_many_and_another_scope_have_several(a: str, b: str) -> None:
    assert not contradictions(a, b, one_subject=False) and not contradictions(b, a, one_subject=False)
