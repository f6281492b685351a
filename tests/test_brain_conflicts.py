"""Contradictions: noticed when something is written, kept until a person decides, never in the way."""

from collections.abc import Callable
from pathlib import Path

import pytest

from clawbrain.brain import Brain
from clawbrain.contradictions import without
from clawbrain.errors import NotFound, Pinned, Refused

FOUR, EIGHT = "The API server listens on port 4000.", "The API server listens on port 8000."
LOGIN = "The login gateway listens on port {}."
API, WEB = "entity-projects-api", "entity-projects-web"


@pytest.fixture
def api(brain: Brain) -> Brain:
    brain.store("entity", "api", f"# API\n\n- {FOUR}\n- Ann reviews the code.", category="projects")
    return brain


@pytest.fixture
def torn(api: Brain) -> Brain:
    api.store("entity", "web", f"# Web\n\n- {EIGHT}\n- Deploys take an hour.", category="projects")
    return api


def open_rows(brain: Brain) -> list[tuple[str, str]]:
    return [(row.memory_a_id, row.memory_b_id) for row in brain.conflicts.open()]


def number(brain: Brain) -> int:
    return brain.conflicts.open()[0].id


# Noticing


def test_a_contradiction_is_named_and_the_memory_stored_all_the_same(api: Brain) -> None:
    stored = api.store("entity", "web", f"- {EIGHT}", category="projects")
    assert [id for id, _ in stored.contradictions] == [API]
    assert "4000" in stored.contradictions[0][1] and "8000" in stored.contradictions[0][1]
    assert api.find(WEB) and open_rows(api) == [(WEB, API)]


def test_what_agrees_is_no_contradiction(api: Brain) -> None:
    assert list(api.store("entity", "web", f"- {FOUR}", category="projects").contradictions) == []


def test_another_category_is_another_matter(api: Brain) -> None:
    assert list(api.store("entity", "web", f"- {EIGHT}", category="people").contradictions) == []


def test_an_episode_contradicts_nobody(api: Brain) -> None:
    assert list(api.store("episode", "day", f"- {EIGHT}").contradictions) == []


def test_an_update_is_compared_with_its_own_former_text(api: Brain) -> None:
    updated = api.update(API, f"# API\n\n- {EIGHT}\n- Ann reviews the code.")
    assert [id for id, _ in updated.contradictions] == [API]


def test_a_pair_is_written_down_once(torn: Brain) -> None:
    torn.update(WEB, f"# Web\n\n- {EIGHT}\n- Deploys take an hour. Really.")
    assert len([pair for pair in open_rows(torn) if pair == (WEB, API)]) == 1


def test_a_switch_in_the_strategy_turns_it_off(api: Brain, home: Path) -> None:
    (home / "STRATEGY.md").write_text("## Settings\n\n```yaml settings\ncontradictions: {enabled: false}\n```\n")
    assert list(api.store("entity", "web", f"- {EIGHT}", category="projects").contradictions) == []


def test_a_row_has_the_contracts_form(torn: Brain) -> None:
    row = torn.conflicts.open()[0]
    assert (row.resolution, row.resolved_at, row.created_at) == ("unresolved", None, "2026-02-25T10:00:00Z")


def test_a_long_memory_hides_no_other(brain: Brain) -> None:
    page = "The server listens to the login gateway on ports of a range. " * 300
    brain.store("entity", "long", page, category="projects")
    brain.store("entity", "longer", page + page, category="projects")
    brain.store("entity", "api", f"{page[:120]}\n\n- {LOGIN.format(4000)}", category="projects")
    stored = brain.store("entity", "web", f"{page[:120]}\n\n- {LOGIN.format(8000)}", category="projects")
    assert [id for id, _ in stored.contradictions] == [API]


def test_many_memories_of_another_category_hide_none_of_this_one(brain: Brain) -> None:
    for number in range(55):
        brain.store("entity", f"log-{number}", LOGIN.format(3000 + number), category="logs")
    brain.store("entity", "api", f"{LOGIN.format(4000)} It was set up by Ann in the spring.", category="projects")
    assert [id for id, _ in brain.store("entity", "web", LOGIN.format(8000), category="projects").contradictions] == [
        API
    ]
    assert [id for id, _ in brain.update(WEB, LOGIN.format(9000)).contradictions] == [API, WEB]


# Deciding


def test_kept_a_takes_the_other_claim_out(torn: Brain) -> None:
    torn.conflicts.resolve(number(torn), "kept_a")
    assert torn.find(API).content == "# API\n\n- Ann reviews the code."
    assert EIGHT in torn.find(WEB).content and torn.conflicts.open() == []


def test_kept_b_takes_this_claim_out(torn: Brain) -> None:
    torn.conflicts.resolve(number(torn), "kept_b")
    assert torn.find(WEB).content == "# Web\n\n- Deploys take an hour."
    assert FOUR in torn.find(API).content


def test_the_text_before_is_in_history(torn: Brain) -> None:
    torn.conflicts.resolve(number(torn), "kept_a")
    assert FOUR in torn.owner.old_text(API)


def test_dismissed_changes_no_file(torn: Brain) -> None:
    before = (torn.find(API), torn.find(WEB))
    torn.conflicts.resolve(number(torn), "dismissed")
    assert (torn.find(API), torn.find(WEB)) == before and torn.conflicts.open() == []


def test_a_resolved_pair_is_not_raised_again(torn: Brain) -> None:
    torn.conflicts.resolve(number(torn), "dismissed")
    updated = torn.update(WEB, f"# Web\n\n- {EIGHT}\n- Other words.")
    assert list(updated.contradictions) == [] and torn.conflicts.open() == []


def test_a_memory_with_nothing_left_to_say_is_archived(api: Brain, home: Path) -> None:
    api.store("entity", "web", f"# Web\n\n- {EIGHT}", category="projects")
    api.conflicts.resolve(number(api), "kept_b")
    assert (home / "archive/entities/projects/web.md").exists()


def test_a_pinned_memory_keeps_its_claim(torn: Brain) -> None:
    torn.owner.pin(API)
    with pytest.raises(Pinned):
        torn.conflicts.resolve(number(torn), "kept_a")
    assert FOUR in torn.find(API).content and len(torn.conflicts.open()) == 1


def test_a_claim_that_is_gone_is_said(torn: Brain) -> None:
    torn.update(API, "# API\n\nNothing about ports.")
    first = next(row.id for row in torn.conflicts.open() if row.memory_b_id == API and row.memory_a_id == WEB)
    with pytest.raises(Refused, match="no longer says"):
        torn.conflicts.resolve(first, "kept_a")


def test_nothing_is_left_to_take_out_of_an_archived_memory(torn: Brain) -> None:
    row = number(torn)
    torn.archive(API)
    torn.conflicts.resolve(row, "kept_a")
    assert EIGHT in torn.find(WEB).content and torn.conflicts.open() == []


@pytest.mark.parametrize(("resolution", "winner", "loser"), [("kept_a", WEB, API), ("kept_b", API, WEB)])
def test_a_claim_is_kept_only_where_it_is_still_made(torn: Brain, resolution: str, winner: str, loser: str) -> None:
    row, before = number(torn), torn.find(loser)
    torn.update(winner, "Nothing about numbers.")
    with pytest.raises(Refused, match=f"'{winner}' no longer says"):
        torn.conflicts.resolve(row, resolution)
    assert torn.find(loser) == before and row in [each.id for each in torn.conflicts.open()]


def test_an_archived_memory_keeps_no_claim(torn: Brain) -> None:
    row, before = number(torn), torn.find(API)
    torn.archive(WEB)
    with pytest.raises(Refused, match="archived"):
        torn.conflicts.resolve(row, "kept_a")
    assert torn.find(API) == before


def test_a_former_text_that_is_kept_comes_back(api: Brain) -> None:
    api.update(API, f"# API\n\n- {EIGHT}\n- Ann reviews the code.")
    api.conflicts.resolve(number(api), "kept_b")
    assert FOUR in api.find(API).content and EIGHT not in api.find(API).content
    assert api.conflicts.open() == []


def test_a_new_text_that_is_kept_stays(api: Brain) -> None:
    api.update(API, f"# API\n\n- {EIGHT}\n- Ann reviews the code.")
    api.conflicts.resolve(number(api), "kept_a")
    assert EIGHT in api.find(API).content and api.conflicts.open() == []


def test_it_is_resolved_once(torn: Brain) -> None:
    row = number(torn)
    torn.conflicts.resolve(row, "dismissed")
    with pytest.raises(Refused, match="already"):
        torn.conflicts.resolve(row, "kept_a")


def test_an_unknown_resolution_is_refused(torn: Brain) -> None:
    with pytest.raises(Refused, match="kept_a"):
        torn.conflicts.resolve(number(torn), "whatever")


def test_an_unknown_number_is_not_found(torn: Brain) -> None:
    with pytest.raises(NotFound):
        torn.conflicts.resolve(999, "dismissed")


def test_a_purge_leaves_no_word_of_it(torn: Brain) -> None:
    torn.archive(WEB)
    torn.owner.purge(WEB)
    assert torn.conflicts.open() == []
    (row,) = torn.ledger.contradictions()
    assert "8000" not in row.description + row.claim_a + row.claim_b


# What no longer stands


def edited_by_hand(brain: Brain) -> None:
    path = brain.home / "memory" / brain.find(WEB).path
    path.write_text(path.read_text().replace(EIGHT, "The port is in the settings."))
    brain.sync()


@pytest.mark.parametrize("gone", [
    lambda brain: brain.archive(WEB), lambda brain: brain.update(WEB, "# Web\n\nTea."), edited_by_hand,
])  # fmt: skip
def test_a_contradiction_whose_claim_is_gone_stands_no_more(torn: Brain, gone: Callable[[Brain], object]) -> None:
    assert torn.conflicts.standing() == torn.conflicts.open() != []
    gone(torn)
    assert torn.conflicts.standing() == [] != torn.conflicts.open()


def test_a_contradiction_stands_while_its_claim_does_however_it_is_wrapped(torn: Brain) -> None:
    torn.restore(torn.archive(WEB).path)
    assert len(torn.conflicts.standing()) == 1
    torn.update(WEB, "# Web\n\n> The API server listens\n>   on port 8000. It always did.\n")
    assert len(torn.conflicts.standing()) == 1
    torn.update(WEB, f"# Web\n\nNot quite what was said: In the Web{EIGHT}")
    assert torn.conflicts.standing() == []


# What a person changes


def test_a_persons_edit_is_not_compared_with_its_own_former_text(api: Brain) -> None:
    assert list(api.owner.edit(API, f"# API\n\n- {EIGHT}").contradictions) == [] and api.conflicts.open() == []


def test_a_persons_edit_is_compared_with_other_memories(torn: Brain) -> None:
    torn.conflicts.resolve(number(torn), "dismissed")
    edited = torn.owner.edit(API, "# API\n\n- The API server listens on port 5000.")
    assert [id for id, _ in edited.contradictions] == [WEB]


@pytest.mark.parametrize("back", [lambda brain: brain.owner.revert(API), lambda brain: brain.owner.edit(API, "Tea.")])
def test_an_edit_that_is_taken_back_leaves_nothing_open(brain: Brain, back: Callable[[Brain], object]) -> None:
    brain.store("entity", "api", "Tea.", category="projects")
    brain.store("entity", "web", f"- {EIGHT}", category="projects")
    brain.owner.edit(API, f"- {FOUR}")
    assert len(brain.conflicts.open()) == 1
    back(brain)
    assert brain.conflicts.open() == []
    brain.retrieve(API)
    assert len(brain.owner.edit(API, f"- {FOUR}").contradictions) == len(brain.conflicts.open()) == 1


def test_a_revert_takes_an_agents_contradiction_with_the_former_text_along(api: Brain) -> None:
    api.update(API, f"# API\n\n- {EIGHT}")
    api.owner.revert(API)
    assert api.conflicts.open() == []


def test_a_revert_leaves_open_what_the_memory_still_says(torn: Brain) -> None:
    torn.update(WEB, f"# Web\n\n- {EIGHT}\n- Deploys take a day.")
    torn.owner.revert(WEB)
    assert (WEB, API) in open_rows(torn)


def test_deciding_for_a_former_text_raises_nothing_new(api: Brain) -> None:
    api.update(API, f"# API\n\n- {EIGHT}\n- Ann reviews the code.")
    decided = api.conflicts.resolve(number(api), "kept_b")
    assert (decided.loser, decided.became) == (API, "former") and len(api.ledger.contradictions()) == 1


# Taking a claim out


@pytest.mark.parametrize(
    ("text", "claim", "left"),
    [
        ("- a b\n- c d\n", "a b", "- c d\n"),
        ("a b. c d.", "c d.", "a b. "),
        ("a b. c d.", "a b.", "c d."),
        ("1. a b\n2. c", "a b", "2. c"),
        ("> a b\n> c\n", "a b", "> c\n"),
        ("- a\n  b\n- c", "a b", "- c"),
        ("x", "a b", None),
    ],
)
def test_only_the_claim_is_taken_out(text: str, claim: str, left: str) -> None:
    assert without(text, claim) == left


def test_a_claim_may_be_replaced() -> None:
    assert without("- a b\n- c", "a b", "z") == "- z\n- c"


def test_a_claim_is_not_taken_out_of_a_longer_word() -> None:
    assert without("- port 40001\n- port 4000\n", "port 4000") == "- port 40001\n"
