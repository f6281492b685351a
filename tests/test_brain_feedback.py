"""Turns and signals: what was shown in this session learns from what is said next, once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Clock, deaths

from clawbrain import credit
from clawbrain.brain import Brain, open_brain
from clawbrain.errors import Invalid, Refused

ONE, TWO, THREE = (f"entity-things-{name}" for name in ("one", "two", "three"))


@pytest.fixture
def things(brain: Brain) -> Brain:
    for name in ("one", "two", "three"):
        brain.store("entity", name, f"The {name} thing: {name}{name}.", category="things")
    return brain


def scores(brain: Brain) -> dict[str, float]:
    return {id: round(record.score, 6) for id, record in brain.ledger.records().items()}


def moved(brain: Brain) -> set[str]:
    return {id for id, score in scores(brain).items() if score != 0.5}


def turns(brain: Brain) -> list[dict[str, object]]:
    brain.settle()
    return [row for table, row in brain.ledger.rows() if table == "turn_records"]


# Turns


def test_a_search_is_a_turn_with_all_it_showed(things: Brain) -> None:
    shown = [hit.id for hit in things.search("thing").hits]
    assert [turn["retrieved_memory_ids"] for turn in turns(things)] == [str(shown).replace("'", '"')]


def test_a_retrieve_after_a_search_belongs_to_its_turn(things: Brain) -> None:
    things.search("oneone")
    things.retrieve(TWO)
    assert [turn["retrieved_memory_ids"] for turn in turns(things)] == [f'["{ONE}", "{TWO}"]']


def test_a_new_search_begins_a_new_turn(things: Brain) -> None:
    things.search("oneone")
    things.search("twotwo")
    assert len(turns(things)) == 2


def test_retrieves_alone_are_one_turn(things: Brain) -> None:
    things.retrieve(ONE)
    things.retrieve(TWO)
    things.retrieve(ONE)
    assert [turn["retrieved_memory_ids"] for turn in turns(things)] == [f'["{ONE}", "{TWO}"]']


def test_a_retrieve_after_a_signal_begins_a_new_turn(things: Brain) -> None:
    things.retrieve(ONE)
    things.feedback("tool_success")
    things.retrieve(TWO)
    assert [turn["outcome"] for turn in turns(things)] == ["tool_success", None]


def test_a_search_without_a_session_is_no_turn(things: Brain, opened: Callable[..., Brain]) -> None:
    other = opened(session=None)
    other.search("thing")
    other.retrieve(ONE)
    other.settle()
    assert turns(things) == []


def test_a_turn_knows_its_session(things: Brain) -> None:
    things.search("thing")
    assert [turn["session_id"] for turn in turns(things)] == ["session-1"]


def test_a_search_survives_a_kill_before_it_is_noted(things: Brain, opened: Callable[..., Brain]) -> None:
    things.search("oneone")
    again = opened("session-1")
    assert again.feedback("task_completed").memories == 1


# Signals


def test_a_signal_scores_the_newest_turn_alone(things: Brain) -> None:
    things.search("oneone")
    things.search("twotwo")
    feedback = things.feedback("task_completed")
    assert feedback.memories == 1 and moved(things) == {TWO}


def test_a_signal_says_what_moved(things: Brain) -> None:
    things.search("oneone")
    move = things.feedback("task_completed").updated[0]
    assert (move.id, move.old_score, round(move.new_score, 6)) == (ONE, 0.5, scores(things)[ONE])


def test_praise_lifts_and_correction_sinks(things: Brain) -> None:
    things.retrieve(ONE)
    things.feedback("positive_feedback")
    things.retrieve(TWO)
    things.feedback("user_correction")
    assert scores(things)[ONE] > 0.5 > scores(things)[TWO]


def test_a_signal_counts_once(things: Brain) -> None:
    things.retrieve(ONE)
    things.feedback("task_completed")
    with pytest.raises(Refused, match="since the last signal"):
        things.feedback("task_completed")


def test_without_a_turn_there_is_nothing_to_score(things: Brain) -> None:
    with pytest.raises(Refused, match="found or retrieved"):
        things.feedback("task_completed")


def test_another_sessions_turns_are_not_ours(things: Brain, opened: Callable[..., Brain]) -> None:
    things.search("thing")
    with pytest.raises(Refused):
        opened("session-2").feedback("task_completed")


def test_without_a_session_nothing_is_scored(things: Brain, opened: Callable[..., Brain]) -> None:
    with pytest.raises(Refused, match="session"):
        opened(session=None).feedback("task_completed")


def test_an_unknown_signal_names_the_known(things: Brain) -> None:
    things.search("thing")
    with pytest.raises(Invalid, match="session_abandoned"):
        things.feedback("great")


def test_named_ids_alone_are_praised(things: Brain) -> None:
    things.search("thing")
    feedback = things.feedback("task_completed", [TWO])
    assert (feedback.memories, moved(things)) == (3, {TWO})


def test_an_id_may_be_named_by_its_path(things: Brain) -> None:
    things.search("thing")
    things.feedback("task_completed", ["things/two"])
    assert moved(things) == {TWO}


def test_no_ids_named_is_the_same_as_none(things: Brain) -> None:
    things.search("thing")
    things.feedback("task_completed", [])
    assert moved(things) == {ONE, TWO, THREE}


def test_a_named_id_brings_in_every_turn_that_holds_it(things: Brain) -> None:
    things.search("oneone")
    things.search("twotwo")
    things.search("threethree")
    feedback = things.feedback("task_completed", [ONE])
    assert feedback.memories == 2 and moved(things) == {ONE}
    assert [turn["outcome"] for turn in turns(things)] == ["task_completed", None, "task_completed"]


def test_an_id_not_seen_since_the_last_signal_is_refused_by_name(things: Brain) -> None:
    things.search("oneone")
    with pytest.raises(Invalid, match=TWO):
        things.feedback("task_completed", [ONE, TWO])
    assert moved(things) == set() and turns(things)[0]["outcome"] is None


def test_a_refused_signal_takes_no_turn_away(things: Brain) -> None:
    things.search("oneone")
    with pytest.raises(Invalid):
        things.feedback("task_completed", [TWO])
    assert things.feedback("task_completed", [ONE]).memories == 1


def test_a_refused_signal_leaves_new_files_to_be_adopted(things: Brain, write: Callable[..., Path]) -> None:
    things.settle()
    write("entities/things/four.md", "The four thing: fourfour.")
    things.search("fourfour")
    with pytest.raises(Invalid):
        things.feedback("task_completed", [ONE])
    assert things.retrieve("entity-things-four").credit.access_count == 1


def test_an_id_seen_only_before_the_last_signal_is_refused(things: Brain) -> None:
    things.search("oneone")
    things.feedback("tool_success")
    things.search("twotwo")
    with pytest.raises(Invalid, match=ONE):
        things.feedback("task_completed", [ONE])


def test_what_was_opened_of_a_search_counts_as_used(things: Brain) -> None:
    things.search("thing")
    things.retrieve(THREE)
    things.feedback("task_completed")
    assert moved(things) == {THREE}


def test_what_was_opened_without_being_shown_is_no_sign_of_use(things: Brain) -> None:
    things.search("oneone")
    things.retrieve(TWO)
    things.feedback("task_completed")
    assert moved(things) == {ONE, TWO}


def test_blame_with_names_reaches_those_alone(things: Brain) -> None:
    things.search("thing")
    things.retrieve(THREE)
    things.feedback("user_correction", [ONE])
    assert moved(things) == {ONE}


def test_blame_without_names_reaches_what_was_opened_of_a_search(things: Brain) -> None:
    things.search("thing")
    things.retrieve(THREE)
    things.feedback("user_correction")
    assert moved(things) == {THREE}


@pytest.mark.parametrize("signal", ["task_completed", "user_correction"])
def test_without_names_what_stood_higher_moves_more(things: Brain, signal: str) -> None:
    shown = [hit.id for hit in things.search("thing").hits]
    moves = {move.id: abs(move.new_score - move.old_score) for move in things.feedback(signal).updated}
    assert sorted(moves, key=lambda id: -moves[id]) == shown and len(shown) == 3


def test_a_search_that_found_nothing_begins_no_turn(things: Brain) -> None:
    things.search("oneone")
    things.search("zzzzzz")
    assert len(turns(things)) == 1
    assert things.feedback("task_completed").memories == 1 and moved(things) == {ONE}


def test_after_searches_that_found_nothing_alone_feedback_is_refused(things: Brain) -> None:
    things.search("zzzzzz")
    with pytest.raises(Refused, match="no memory was found or retrieved since the last signal"):
        things.feedback("user_correction")


def test_an_empty_turn_of_an_older_ledger_is_no_turn(things: Brain) -> None:
    things.search("oneone")
    with (things.home / ".clawbrain/turns.log").open("a") as log:
        log.write('{"id": "empty", "session": "session-1", "at": "2026-02-25T10:00:00Z", "ids": []}\n')
    assert things.feedback("task_completed").memories == 1 and moved(things) == {ONE}


def test_a_newest_turn_without_a_named_id_is_marked_and_moves_nothing(things: Brain) -> None:
    things.search("oneone")
    things.search("twotwo")
    feedback = things.feedback("task_completed", [ONE])
    assert (feedback.memories, [move.id for move in feedback.updated]) == (2, [ONE])
    assert [turn["outcome"] for turn in turns(things)] == ["task_completed", "task_completed"]


def test_a_score_moves_once_by_the_sum_over_the_turns_that_hold_a_named_id(things: Brain) -> None:
    for query in ("oneone", "thing"):
        things.search(query)
    feedback = things.feedback("task_completed", [ONE])
    by_turn = 0.4 * 2 * 0.5 / 2**0.5 * 0.5  # a share of one over the root of two turns
    assert [move.id for move in feedback.updated] == [ONE]
    assert feedback.updated[0].new_score == pytest.approx(credit.sigmoid(2 * by_turn))
    assert things.credits()[ONE].signals == 1


def test_the_old_score_is_after_drift(things: Brain, clock: Clock) -> None:
    clock.forward(days=100)
    things.search("oneone")
    assert things.feedback("task_completed").updated[0].old_score == pytest.approx(credit.drift(0.5, 100))


def test_drift_is_an_event_of_its_own(things: Brain, clock: Clock) -> None:
    clock.forward(days=100)
    things.search("oneone")
    things.feedback("task_completed")
    assert [event.event_type for event, _ in things.ledger.events(ONE)] == ["store", "drift", "task_completed"]


def test_a_clock_set_back_drifts_nothing(things: Brain, clock: Clock) -> None:
    clock.forward(days=-100)
    things.search("oneone")
    assert things.feedback("task_completed").updated[0].old_score == 0.5


def test_an_archived_memory_learns_nothing_and_stops_nobody(things: Brain) -> None:
    things.search("thing")
    things.archive(ONE)
    things.feedback("task_completed")
    assert moved(things) == {TWO, THREE}


def test_the_balance_of_the_store_is_replayed_by_another_process(things: Brain, opened: Callable[..., Brain]) -> None:
    for signal in ("task_completed", "user_correction", "tool_success"):
        things.search("thing")
        things.feedback(signal)
    assert opened("session-2").ledger.balance() == things.ledger.balance() != credit.Balance()


def test_a_learning_rate_in_the_strategy_is_used(things: Brain, home: Path) -> None:
    (home / "STRATEGY.md").write_text("## Settings\n\n```yaml settings\ncredit: {learning_rate: 0.1}\n```\n")
    things.retrieve(ONE)
    things.feedback("task_completed")
    assert scores(things)[ONE] == round(credit.sigmoid(0.1 * 2 * 0.5 * 0.5), 6)


def test_a_new_memory_under_an_old_id_starts_in_the_middle(things: Brain) -> None:
    things.retrieve(ONE)
    things.feedback("task_completed")
    things.archive(ONE)
    things.store("entity", "one", "Another.", category="things")
    assert scores(things)[ONE] == 0.5


def test_a_kill_while_a_signal_is_noted_scores_all_or_nothing(
    home: Path, opened: Callable[..., Brain], clock: Clock
) -> None:
    brain = opened("killed")
    for name in ("one", "two"):
        brain.store("entity", name, "thing", category="things")
    brain.search("thing")
    for number, killed in deaths(home, clock, lambda brain: brain.feedback("task_completed")):
        with open_brain(killed, session="killed", clock=clock) as again:
            if not moved(again):
                again.feedback("task_completed")
            assert len(moved(again)) == 2 and again.ledger.unlike_events() == [], number
