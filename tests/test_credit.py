"""The rule of credit: the figures it is described by, and what must hold whatever happens."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from taught import signals_until
from test_kinds import EVIDENCE, FEED, KINDS

from clawbrain import credit
from clawbrain.credit import (
    SIGNALS,
    Balance,
    Earned,
    Kind,
    Shown,
    drift,
    effective,
    expected,
    faded,
    learn,
    merged,
    moved,
    shares,
    step,
)

IDS = "abcdefgh"
SCORES = st.floats(0.047426, 0.952574)
REWARDS = st.sampled_from(sorted(SIGNALS.values()))
BALANCES = st.builds(Balance, st.floats(0, 200), st.floats(0, 200))
SOME = st.lists(st.sampled_from(IDS), unique=True, max_size=5)
TURNS = st.builds(Shown, KINDS, SOME, SOME).filter(lambda turn: bool(turn.ids))
EARNED = st.fixed_dictionaries(dict.fromkeys(IDS, EVIDENCE))
NEW = dict.fromkeys(IDS, Earned())


def test_the_weights_of_the_signals() -> None:
    assert SIGNALS == {
        "task_completed": 0.5,
        "positive_feedback": 0.3,
        "tool_success": 0.1,
        "user_correction": -0.4,
        "session_abandoned": -0.2,
    }


# Shares


def test_named_ids_share_alike_and_the_others_get_nothing() -> None:
    named = shares(Shown(FEED, "abcde", ()), {"b", "d"})
    assert named == pytest.approx({"b": 1 / math.sqrt(2), "d": 1 / math.sqrt(2)})


def test_named_in_several_turns_each_turn_gives_less() -> None:
    assert shares(Shown(FEED, "abc", ()), {"b"}, turns=4) == {"b": 0.5}


def test_without_names_a_higher_place_takes_more() -> None:
    by_place = shares(Shown(FEED, "abc", ()))
    norm = math.sqrt(1 + 1 / 4 + 1 / 9)
    assert by_place == pytest.approx({"a": 1 / norm, "b": 1 / 2 / norm, "c": 1 / 3 / norm})


def test_retrieves_alone_share_alike() -> None:
    assert shares(Shown((), (), "abcd")) == dict.fromkeys("abcd", 0.5)


def test_without_names_what_was_shown_and_then_opened_counts_as_named() -> None:
    assert shares(Shown(FEED, "abc", "b")) == {"b": 1.0}


def test_what_was_opened_without_being_shown_takes_nothing_from_what_was() -> None:
    turn = Shown(FEED, "ab", "z")
    assert shares(turn) == pytest.approx({**shares(Shown(FEED, "ab", ())), "z": 1.0})
    assert turn.kind_for("z") == () and turn.kind_for("a") == FEED


@given(TURNS, st.sets(st.sampled_from(IDS), min_size=1))
def test_a_signal_with_names_reaches_nothing_else(turn: Shown, named: set[str]) -> None:
    assert shares(turn, named).keys() == named.intersection(turn.ids)


# What is expected


def test_in_a_fresh_store_praise_and_blame_are_as_likely() -> None:
    assert expected(Shown(FEED, "ab", ()), NEW, Balance()) == 0.5


def test_praise_is_expected_of_what_has_earned_it_on_this_question() -> None:
    earned = NEW | {"a": Earned(by_kind=((FEED, 2.0),))}
    likely = expected(Shown(FEED, "ab", ()), earned, Balance())
    assert likely == pytest.approx(credit.sigmoid(1.0))
    assert expected(Shown((("other", 1.0),), "ab", ()), earned, Balance()) == 0.5


def test_praise_is_expected_where_praise_is_usual() -> None:
    assert expected(Shown(FEED, "a", ()), NEW, Balance(50, 0)) > 0.7


def test_what_is_gone_has_no_say_in_what_is_expected() -> None:
    earned = {"a": Earned(by_kind=((FEED, 2.0),))}
    assert expected(Shown(FEED, "ab", ()), earned, Balance()) == pytest.approx(credit.sigmoid(2.0))


# Steps


def test_the_first_praise_of_a_new_memory_by_hand() -> None:
    assert step(0.5, 1.0, 0.5) == pytest.approx(0.4 * 2 * 0.5 * 0.5)
    assert moved(0.5, step(0.5, 1.0, 0.5)) == pytest.approx(1 / (1 + math.exp(-0.2)))


def test_each_turn_has_its_own_expectation_and_shares() -> None:
    earned = NEW | {"a": Earned(by_kind=((FEED, 2.0),))}
    other: Kind = (("login", 1.0),)
    steps = learn([Shown(FEED, "ab", ()), Shown(other, "a", ())], {"a", "b"}, earned, Balance())
    assert [(each.id, each.kind) for each in steps] == [("a", FEED), ("b", FEED), ("a", other)]
    assert [each.share for each in steps] == pytest.approx([0.5, 0.5, 1 / math.sqrt(2)])
    assert [each.expected for each in steps] == pytest.approx([credit.sigmoid(1.0), credit.sigmoid(1.0), 0.5])


def test_a_turn_that_holds_no_named_id_teaches_nothing() -> None:
    steps = learn([Shown(FEED, "a", ()), Shown(FEED, "b", ())], {"a"}, NEW, Balance())
    assert [(each.id, each.share) for each in steps] == [("a", 1.0)]


def test_what_is_gone_learns_nothing_and_its_share_goes_to_nobody() -> None:
    steps = learn([Shown(FEED, "ab", ())], (), {"b": Earned()}, Balance())
    assert [(each.id, each.share) for each in steps] == [("b", pytest.approx(0.5 / math.sqrt(1.25)))]


def test_nothing_shown_teaches_nothing() -> None:
    assert learn([], (), {}, Balance()) == []


@given(st.lists(TURNS, min_size=1, max_size=4), st.sets(st.sampled_from(IDS)), EARNED, BALANCES, REWARDS)
def test_a_signal_never_moves_anything_against_its_sign(
    turns: list[Shown], named: set[str], earned: dict[str, Earned], balance: Balance, reward: float
) -> None:
    for each in learn(turns, named, earned, balance):
        assert step(reward, each.share, each.expected) * reward > 0


@given(st.floats(0.0001, 0.9999), REWARDS, st.floats(0.01, 1), st.floats(0.01, 0.99))
def test_even_a_score_from_elsewhere_is_not_moved_against_the_sign(
    score: float, reward: float, share: float, likely: float
) -> None:
    new = moved(score, step(reward, share, likely))
    assert (new >= score) if reward > 0 else (new <= score)


@given(SCORES, st.lists(st.tuples(REWARDS, st.floats(0.01, 1), st.floats(0.01, 0.99)), max_size=60))
def test_scores_stay_within_their_bounds(score: float, signals: list[tuple[float, float, float]]) -> None:
    for signal in signals:
        score = moved(score, step(*signal))
    assert 0.047 <= score <= 0.953


# The balance


def test_praise_where_praise_is_usual_teaches_less() -> None:
    turn = Shown(FEED, "a", ())
    fresh, praised = (step(0.5, 1.0, expected(turn, NEW, balance)) for balance in (Balance(), Balance(50, 0)))
    assert praised < fresh


def test_what_is_usual_stays_between_a_quarter_and_three_quarters() -> None:
    assert (Balance(1000, 0).usual, Balance(0, 1000).usual, Balance().usual) == (0.75, 0.25, 0.5)


def test_the_balance_fades_before_it_takes_a_signal_in() -> None:
    assert Balance(10, 4).after(0.5) == Balance(10 * 0.995 + 0.5, 4 * 0.995)


def test_blame_is_added_without_its_sign() -> None:
    assert Balance().after(-0.4) == Balance(0, 0.4)


# Time


def test_drift_by_hand() -> None:
    assert drift(0.9, 100) == pytest.approx(0.4 + 0.5 * math.exp(-0.5))


def test_drift_lifts_what_is_below_its_floor() -> None:
    assert 0.1 < drift(0.1, 100) < 0.4


def test_evidence_fades_towards_nothing() -> None:
    assert faded(2.0, 100) == pytest.approx(2 * math.exp(-0.5)) and faded(-2.0, 10_000) == pytest.approx(0)


@given(SCORES, st.floats(-1000, 0))
def test_days_below_nought_count_as_nought(score: float, days: float) -> None:
    assert drift(score, days) == pytest.approx(score) and effective(score, days, 0.01) == score
    assert faded(score, days) == score


@given(SCORES, st.floats(0, 5000), st.floats(0, 5000))
def test_drift_in_two_parts_is_drift_in_one(score: float, first: float, then: float) -> None:
    assert drift(drift(score, first), then) == pytest.approx(drift(score, first + then))
    assert faded(faded(score, first), then) == pytest.approx(faded(score, first + then))


def test_effective_score_by_hand() -> None:
    assert effective(0.5, 100, 0.01) == pytest.approx(0.5 * math.exp(-1))


# Merges


def test_three_untouched_memories_make_an_untouched_one() -> None:
    assert merged([0.5, 0.5, 0.5]) == 0.5


def test_a_merge_adds_what_was_earned() -> None:
    assert merged([0.6, 0.7, 0.45]) == pytest.approx(0.75)


@pytest.mark.parametrize(("scores", "bound"), [([0.9] * 4, 0.95), ([0.1] * 4, 0.05)])
def test_a_merge_stays_within_its_bounds(scores: list[float], bound: float) -> None:
    assert merged(scores) == bound


# The page about it


PAGE = (Path(__file__).parent.parent / "docs" / "credit.md").read_text()


@pytest.mark.parametrize(
    ("row", "shown", "named"),
    [("it alone", 1, False), ("it first, and four others", 5, False), ("the same, and it is named", 5, True)],
)
def test_the_page_says_how_many_signals_it_takes(row: str, shown: int, named: bool) -> None:
    up = signals_until("task_completed", 0.7, shown, named)
    down = signals_until("user_correction", 0.2, shown, named)
    assert f"| {row} | {up} | {down} |" in PAGE


def test_the_page_lists_every_signal_with_its_worth() -> None:
    assert [s for s, reward in SIGNALS.items() if f"| `{s}` | {reward:+.1f} |" not in PAGE] == []
