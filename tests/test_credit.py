"""The credit rule: the figures it was chosen for, and what must hold whatever happens."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain import credit
from clawbrain.brain import Brain
from clawbrain.credit import SIGNALS, Balance, drift, effective, learn, merged

SCORES = st.floats(0.047426, 0.952574)
REWARDS = st.sampled_from(sorted(SIGNALS.values()))
BALANCES = st.builds(Balance, st.floats(0, 200), st.floats(0, 200))
TURNS = st.dictionaries(st.sampled_from("abcdefgh"), SCORES, min_size=1)


def signals_until(reached: Callable[[float], bool], reward: float, together: int, used: tuple[str, ...] = ()) -> int:
    """How many signals in a row take one of so many new memories that far."""
    scores, balance = {str(n): credit.START for n in range(together)}, Balance()
    for count in range(1, 1000):
        scores |= learn(scores, reward, used, balance).scores
        balance = balance.after(reward)
        if reached(scores["0"]):
            return count
    raise AssertionError("never")


@pytest.mark.parametrize(("together", "signals"), [(1, 8), (5, 23)])
def test_praise_lifts_a_memory_above_promotion(together: int, signals: int) -> None:
    assert signals_until(lambda score: score > 0.7, SIGNALS["task_completed"], together) == signals


@pytest.mark.parametrize(("together", "signals"), [(1, 27), (5, 68)])
def test_correction_sinks_a_memory_below_pruning(together: int, signals: int) -> None:
    assert signals_until(lambda score: score < 0.2, SIGNALS["user_correction"], together) == signals


def test_the_weights_are_the_contracts() -> None:
    assert SIGNALS == {
        "task_completed": 0.5,
        "positive_feedback": 0.3,
        "tool_success": 0.1,
        "user_correction": -0.4,
        "session_abandoned": -0.2,
    }


@given(TURNS, REWARDS, st.sets(st.sampled_from("abcdefgh")), BALANCES)
def test_a_signal_never_moves_a_score_against_its_sign(
    scores: dict[str, float], reward: float, used: set[str], balance: Balance
) -> None:
    for id, new in learn(scores, reward, used, balance).scores.items():
        assert (new >= scores[id]) if reward > 0 else (new <= scores[id])


@given(TURNS, st.lists(REWARDS, max_size=60), BALANCES)
def test_scores_stay_within_their_bounds(scores: dict[str, float], rewards: list[float], balance: Balance) -> None:
    for reward in rewards:
        scores |= learn(scores, reward, (), balance).scores
        balance = balance.after(reward)
    assert all(0.047 <= score <= 0.953 for score in scores.values())


@given(TURNS, st.floats(0.01, 0.5), BALANCES)
def test_praise_reaches_only_what_was_used(scores: dict[str, float], reward: float, balance: Balance) -> None:
    used = {min(scores)}
    assert learn(scores, reward, used, balance).scores.keys() == used


@given(TURNS, st.floats(-0.5, -0.01), BALANCES)
def test_blame_reaches_all_that_was_shown(scores: dict[str, float], reward: float, balance: Balance) -> None:
    assert learn(scores, reward, {min(scores)}, balance).scores.keys() == scores.keys()


def test_praise_without_names_reaches_all_that_was_shown() -> None:
    assert learn({"a": 0.5, "b": 0.5}, 0.5, (), Balance()).scores.keys() == {"a", "b"}


def test_praise_for_one_of_many_teaches_it_more_than_praise_for_all() -> None:
    scores = dict.fromkeys("abcd", 0.5)
    assert learn(scores, 0.5, "a", Balance()).scores["a"] > learn(scores, 0.5, (), Balance()).scores["a"]


def test_a_share_is_one_over_the_root_of_those_reached() -> None:
    assert learn(dict.fromkeys("abcd", 0.5), -0.4, (), Balance()).shares == dict.fromkeys("abcd", 0.5)


def test_nothing_shown_teaches_nothing() -> None:
    assert learn({}, 0.5, (), Balance()).scores == {}


def test_the_first_praise_of_a_new_memory_by_hand() -> None:
    assert learn({"a": 0.5}, 0.5, (), Balance()).scores["a"] == pytest.approx(1 / (1 + math.exp(-0.4 * 2 * 0.5 * 0.5)))


def test_praise_where_praise_is_usual_teaches_less() -> None:
    assert learn({"a": 0.5}, 0.5, (), Balance(50, 0)).scores["a"] < learn({"a": 0.5}, 0.5, (), Balance()).scores["a"]


def test_what_is_usual_stays_between_a_quarter_and_three_quarters() -> None:
    assert (Balance(1000, 0).usual, Balance(0, 1000).usual, Balance().usual) == (0.75, 0.25, 0.5)


def test_the_balance_fades_before_it_takes_a_signal_in() -> None:
    assert Balance(10, 4).after(0.5) == Balance(10 * 0.995 + 0.5, 4 * 0.995)


def test_blame_is_added_without_its_sign() -> None:
    assert Balance().after(-0.4) == Balance(0, 0.4)


def test_drift_by_hand() -> None:
    assert drift(0.9, 100) == pytest.approx(0.4 + 0.5 * math.exp(-0.5))


def test_drift_lifts_what_is_below_its_floor() -> None:
    assert 0.1 < drift(0.1, 100) < 0.4


@given(SCORES, st.floats(-1000, 0))
def test_days_below_nought_count_as_nought(score: float, days: float) -> None:
    assert drift(score, days) == pytest.approx(score) and effective(score, days, 0.01) == score


@given(SCORES, st.floats(0, 5000), st.floats(0, 5000))
def test_drift_in_two_parts_is_drift_in_one(score: float, first: float, then: float) -> None:
    assert drift(drift(score, first), then) == pytest.approx(drift(score, first + then))


def test_effective_score_by_hand() -> None:
    assert effective(0.5, 100, 0.01) == pytest.approx(0.5 * math.exp(-1))


def test_three_untouched_memories_make_an_untouched_one() -> None:
    assert merged([0.5, 0.5, 0.5]) == 0.5


def test_a_merge_adds_what_was_earned() -> None:
    assert merged([0.6, 0.7, 0.45]) == pytest.approx(0.75)


@pytest.mark.parametrize(("scores", "bound"), [([0.9] * 4, 0.95), ([0.1] * 4, 0.05)])
def test_a_merge_stays_within_its_bounds(scores: list[float], bound: float) -> None:
    assert merged(scores) == bound


@given(REWARDS, st.floats(0.0001, 0.9999), BALANCES)
def test_even_a_score_from_elsewhere_is_not_moved_against_the_sign(
    reward: float, score: float, balance: Balance
) -> None:
    new = learn({"a": score}, reward, (), balance).scores["a"]
    assert (new >= score) if reward > 0 else (new <= score)


# Replay: the ledger's rows alone give the scores


def replay(brain: Brain) -> dict[str, float]:
    """The scores, from the columns of credit_events and nothing else."""
    scores: dict[str, float] = {}
    for row in rows(brain):
        id, kind = row["memory_id"], row["event_type"]
        if kind in SIGNALS:
            x = logit(scores[id]) + row["rate"] * 2 * abs(row["reward"]) * row["share"] * (
                (1 if row["reward"] > 0 else 0) - row["expected"]
            )
            scores[id] = 1 / (1 + math.exp(-min(3.0, max(-3.0, x))))
        elif kind == "drift":
            scores[id] = row["floor"] + (scores[id] - row["floor"]) * math.exp(-row["per_day"] * row["days"])
        else:
            scores[id] = row["new_score"]
    return scores


def rows(brain: Brain) -> Iterator[dict[str, float]]:
    for table, row in brain.ledger.rows():
        if table == "credit_events":
            yield row


def logit(score: float) -> float:
    return math.log(score / (1 - score))


def live(brain: Brain) -> dict[str, float]:
    return {id: record.score for id, record in brain.ledger.records().items()}


@pytest.mark.parametrize("seed", range(3))
def test_replaying_the_events_gives_the_scores(brain: Brain, clock: "object", seed: int) -> None:
    import random

    chance = random.Random(seed)
    names = [f"m{n}" for n in range(4)]
    for name in names:
        brain.store("entity", name, f"About {name} and things.", category="things")
    for _ in range(12):
        clock.forward(days=chance.choice([0, 0.01, 3, 40]))  # type: ignore[attr-defined]
        brain.search("things", limit=chance.randint(1, 4))
        if chance.random() < 0.5:
            brain.retrieve(f"entity-things-{chance.choice(names)}")
        brain.feedback(chance.choice(sorted(SIGNALS)))
        if chance.random() < 0.3:
            brain.update(f"entity-things-{chance.choice(names)}", f"Other words {chance.random()}")
    brain.archive("entity-things-m0")
    brain.restore("entity-things-m0")
    assert replay(brain) == pytest.approx(live(brain), abs=1e-9)


# The page about it


PAGE = (Path(__file__).parent.parent / "docs" / "credit.md").read_text()


@pytest.mark.parametrize(
    ("row", "together", "used"),
    [("it alone", 1, ()), ("it and four others", 5, ()), ("it and four others, and it is named as used", 5, ("0",))],
)
def test_the_page_says_how_many_signals_it_takes(row: str, together: int, used: tuple[str, ...]) -> None:
    up = signals_until(lambda score: score > 0.7, SIGNALS["task_completed"], together, used)
    down = signals_until(lambda score: score < 0.2, SIGNALS["user_correction"], together, used)
    assert f"| {row} | {up} | {down} |" in PAGE


def test_the_page_lists_every_signal_with_its_worth() -> None:
    assert [s for s, reward in SIGNALS.items() if f"| `{s}` | {reward:+.1f} |" not in PAGE] == []
