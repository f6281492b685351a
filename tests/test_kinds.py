"""Kinds of questions: two are alike in so far as they have the same best matches, and credit goes by that."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.credit import Earned, Kind, alike, explained, for_question, kind_of, sigmoid

SCORES = st.floats(0, 1).map(lambda score: round(score, 6))
MATCHES = st.lists(st.tuples(st.sampled_from("abcdefgh"), SCORES, SCORES), max_size=6, unique_by=lambda m: m[0])
BEST = MATCHES.map(lambda found: sorted(found, key=lambda match: match[1:], reverse=True))
KINDS = BEST.map(kind_of)
EVIDENCE = st.builds(Earned, st.floats(-3, 3), st.lists(st.tuples(KINDS, st.floats(-3, 3)), max_size=8).map(tuple))

FEED: Kind = (("feed", 0.75), ("ferry", 0.25))


def kind(**weights: float) -> Kind:
    return tuple(weights.items())


def test_a_kind_weighs_the_best_three_by_their_lead_over_the_fourth() -> None:
    best = [("a", 0.9, 0.0), ("b", 0.6, 0.0), ("c", 0.4, 0.0), ("d", 0.3, 0.0)]
    assert dict(kind_of(best)) == pytest.approx({"a": 0.6, "b": 0.3, "c": 0.1})


def test_a_fifth_match_changes_no_kind() -> None:
    best = [("a", 0.9, 0.0), ("b", 0.6, 0.0), ("c", 0.4, 0.0), ("d", 0.3, 0.0)]
    assert kind_of([*best, ("e", 0.3, 0.0)]) == kind_of(best)


def test_of_three_matches_or_fewer_the_lead_is_over_nothing() -> None:
    assert dict(kind_of([("a", 0.6, 0.0), ("b", 0.2, 0.0)])) == pytest.approx({"a": 0.75, "b": 0.25})


def test_a_match_without_a_lead_is_no_part_of_a_kind() -> None:
    best = [("a", 0.5, 1.0), ("b", 0.2, 1.0), ("c", 0.2, 1.0), ("d", 0.2, 0.5)]
    assert kind_of(best) == (("a", 1.0),)


def test_where_the_first_has_no_lead_content_scores_stand_in() -> None:
    best = [("a", 0.5, 5.0), ("b", 0.5, 3.0), ("c", 0.5, 2.0), ("d", 0.5, 1.0)]
    assert dict(kind_of(best)) == pytest.approx({"a": 4 / 7, "b": 2 / 7, "c": 1 / 7})


def test_where_content_scores_tie_too_all_weigh_the_same() -> None:
    assert kind_of([(id, 0.5, 1.0) for id in "abcd"]) == (("a", 1 / 3), ("b", 1 / 3), ("c", 1 / 3))


def test_what_found_nothing_has_no_kind() -> None:
    assert kind_of([]) == ()


@given(BEST)
def test_the_weights_of_a_kind_add_up(best: list[tuple[str, float, float]]) -> None:
    weights = dict(kind_of(best))
    assert len(weights) <= 3 and weights.keys() <= {id for id, _, _ in best[:3]}
    assert all(weight > 0 for weight in weights.values())
    assert sum(weights.values()) == pytest.approx(1 if best else 0)


@given(KINDS)
def test_a_question_is_alike_to_itself(one: Kind) -> None:
    assert alike(one, one) == pytest.approx(1 if one else 0)


@given(KINDS, KINDS)
def test_likeness_is_mutual(one: Kind, other: Kind) -> None:
    assert alike(one, other) == pytest.approx(alike(other, one)) and 0 <= alike(one, other) <= 1


def test_questions_with_half_in_common_are_strangers() -> None:
    assert alike(kind(a=0.5, b=0.5), kind(a=0.5, c=0.5)) == 0


def test_questions_with_three_quarters_in_common_are_half_alike() -> None:
    assert alike(kind(a=0.75, b=0.25), kind(a=1.0)) == pytest.approx(0.5)


@given(KINDS)
def test_of_what_nothing_is_known_the_credit_is_the_start(asked: Kind) -> None:
    assert for_question(Earned(), asked) == 0.5


@given(EVIDENCE, KINDS)
def test_credit_for_a_question_stays_within_its_bounds(earned: Earned, asked: Kind) -> None:
    assert 0.047 <= for_question(earned, asked) <= 0.953


def test_credit_counts_in_so_far_as_a_question_is_alike() -> None:
    earned = Earned(by_kind=((FEED, 1.0),))
    assert for_question(earned, FEED) == pytest.approx(sigmoid(1.0))
    assert for_question(earned, kind(feed=1.0)) == pytest.approx(sigmoid(0.5))
    assert for_question(earned, kind(login=1.0)) == 0.5


def test_evidence_of_several_kinds_adds_up() -> None:
    earned = Earned(by_kind=((FEED, 1.0), (kind(feed=1.0), -0.4)))
    assert for_question(earned, FEED) == pytest.approx(sigmoid(1.0 - 0.5 * 0.4))


@pytest.mark.parametrize(("general", "credit"), [(3.0, 0.55), (-3.0, 0.45), (0.1, sigmoid(0.1))])
def test_what_was_learnt_without_a_question_counts_for_all_and_little(general: float, credit: float) -> None:
    assert for_question(Earned(general), FEED) == pytest.approx(credit, abs=2e-4)
    assert for_question(Earned(general), ()) == pytest.approx(credit, abs=2e-4)


def test_a_credit_is_explained_by_the_earlier_questions_it_comes_from() -> None:
    earned = Earned(0.5, ((FEED, 1.0), (kind(login=1.0), 2.0), (kind(feed=1.0), -3.0)))
    assert explained(earned, FEED) == [
        (kind(feed=1.0), pytest.approx(0.5), pytest.approx(-1.5)),
        (FEED, pytest.approx(1.0), pytest.approx(1.0)),
        ((), 1.0, pytest.approx(0.2)),
    ]


@given(EVIDENCE, KINDS)
def test_the_parts_of_an_explanation_make_the_credit(earned: Earned, asked: Kind) -> None:
    whole = sum(part for _, _, part in explained(earned, asked))
    assert for_question(earned, asked) == pytest.approx(sigmoid(min(3.0, max(-3.0, whole))))
