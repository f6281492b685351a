"""Learning by kind of question: it counts for questions alike, follows its memory, and goes with it."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import Clock, deaths
from hypothesis import given
from hypothesis import strategies as st
from measure import times

from clawbrain import credit_evidence
from clawbrain.brain import Brain, open_brain
from clawbrain.credit import SIGNALS, Earned, Kind, alike, faded, for_question, sigmoid
from clawbrain.credit_evidence import MOST, Change, EvidenceRow, as_text, from_text, renamed, replayed, taught, unnamed
from clawbrain.profiles.mama.decisions import Decisions

ONE, TWO, THREE = (f"entity-things-{name}" for name in ("one", "two", "three"))
FEED: Kind = ((ONE, 0.6), (TWO, 0.4))
LOGIN: Kind = ((THREE, 1.0),)
AT = "2026-02-25T10:00:00Z"


@pytest.fixture
def things(brain: Brain) -> Brain:
    for name in ("one", "two", "three"):
        brain.store("entity", name, f"The {name} thing: {name}{name}.", category="things")
    return brain


def earned(brain: Brain, id: str) -> Earned:
    return brain.earned([id]).get(id, Earned())


def credit(brain: Brain, id: str, kind: Kind) -> float:
    return for_question(earned(brain, id), kind)


def say(brain: Brain, ids: Sequence[str], kind: Kind, signal: str = "task_completed", used: Sequence[str] = ()) -> None:
    """A look that showed these, and how it went."""
    brain.shown(ids, kind)
    brain.feedback(signal, used)


def follows(brain: Brain) -> bool:
    """Whether the evidence there is is what the events give, to the last digit, and a check finds nothing broken."""
    faults = [finding for finding in brain.checks.check() if finding.fault]
    return brain.ledger.unlike_events() == [] and faults == []


# Questions


def test_praise_counts_for_the_question_it_was_said_of_and_for_no_stranger(things: Brain) -> None:
    say(things, [ONE, TWO], FEED, used=[ONE])
    assert credit(things, ONE, FEED) == pytest.approx(sigmoid(0.2))
    assert credit(things, ONE, LOGIN) == 0.5 and credit(things, ONE, ()) == 0.5


def test_a_named_id_alone_learns_by_praise_and_by_blame(things: Brain) -> None:
    for signal in ("task_completed", "user_correction"):
        say(things, [ONE, TWO, THREE], FEED, signal, used=[TWO])
    assert earned(things, ONE) == earned(things, THREE) == Earned()
    assert earned(things, TWO) != Earned()


def test_a_search_ranks_by_what_was_earned_on_questions_like_it(things: Brain) -> None:
    first, second, _ = (hit.id for hit in things.search("thing").hits)
    for _ in range(8):
        things.search("thing")
        things.feedback("task_completed", [second])
    ranked = things.search("thing")
    assert ranked.hits[0].id == second and first in [hit.id for hit in ranked.hits]
    assert ranked.hits[0].credit == pytest.approx(credit(things, second, ranked.kind)) and ranked.hits[0].credit > 0.6
    assert things.search("oneone").hits[0].credit == 0.5


def test_a_search_that_shares_no_match_is_ranked_as_if_nothing_had_been_said(things: Brain) -> None:
    before = things.search("twotwo").hits
    things.search("oneone")
    things.feedback("task_completed")
    assert things.search("twotwo").hits == before


def test_the_kind_of_a_question_is_kept_with_its_turn(things: Brain) -> None:
    things.search("oneone")
    things.settle()
    rows = [row for table, row in things.ledger.rows() if table == "turn_records"]
    assert [json.loads(row["kind"]) for row in rows] == [[[ONE, 1.0]]]


def test_a_signal_from_another_process_uses_the_kind_of_the_turn(things: Brain, opened: Callable[..., Brain]) -> None:
    things.shown([ONE, TWO], FEED)
    opened("session-1").feedback("task_completed", [ONE])
    assert credit(things, ONE, FEED) > 0.5 == credit(things, ONE, LOGIN)


def test_a_signal_that_scores_an_older_turn_uses_its_kind(things: Brain) -> None:
    things.shown([ONE, TWO], FEED)
    things.shown([THREE], LOGIN)
    things.feedback("task_completed", [ONE])
    assert credit(things, ONE, FEED) > 0.5 == credit(things, ONE, LOGIN) and earned(things, THREE) == Earned()


def test_what_was_retrieved_without_a_question_counts_a_little_for_every_question(things: Brain) -> None:
    for _ in range(20):
        things.retrieve(ONE)
        things.feedback("task_completed")
    assert credit(things, ONE, FEED) == credit(things, ONE, LOGIN) == pytest.approx(sigmoid(0.2))
    assert things.credits()[ONE].score > 0.75


def test_what_was_retrieved_but_not_shown_learns_without_the_question(things: Brain) -> None:
    things.shown([ONE], FEED)
    things.retrieve(TWO)
    things.feedback("task_completed")
    assert credit(things, TWO, LOGIN) > 0.5 and credit(things, ONE, FEED) > 0.5 == credit(things, ONE, LOGIN)


def test_a_list_without_a_query_teaches_without_a_question(things: Brain) -> None:
    listed = [hit.id for hit in things.search("").hits]
    things.feedback("task_completed", [listed[0]])
    assert earned(things, listed[0]).by_kind == () and credit(things, listed[0], LOGIN) > 0.5


def test_the_overall_score_takes_in_every_question(things: Brain) -> None:
    say(things, [ONE], FEED)
    say(things, [ONE], LOGIN)
    assert things.credits()[ONE].score > sigmoid(0.35) and things.credits()[ONE].signals == 2


def test_an_outcome_of_one_decision_is_a_turn_without_a_question(things: Brain) -> None:
    made = Decisions(things).decide("database", "Postgres", "It is known here.")
    things.shown([made.id, ONE], FEED)
    Decisions(things).turned_out(made.id, "SUCCESS")
    assert earned(things, made.id).by_kind == () and earned(things, made.id).general > 0
    assert earned(things, ONE) == Earned() and things.credits()[made.id].score > 0.5


@pytest.mark.parametrize("signal", sorted(SIGNALS))
def test_no_signal_moves_credit_or_score_against_its_sign(things: Brain, signal: str) -> None:
    say(things, [ONE, TWO], FEED, "user_correction")
    say(things, [ONE, TWO], LOGIN)
    before = [(credit(things, id, FEED), things.credits()[id].score) for id in (ONE, TWO, THREE)]
    say(things, [ONE, TWO, THREE], FEED, signal)
    after = [(credit(things, id, FEED), things.credits()[id].score) for id in (ONE, TWO, THREE)]
    for old, new in zip(before, after, strict=True):
        assert all((b - a) * SIGNALS[signal] > 0 for a, b in zip(old, new, strict=True))


def test_a_named_signal_leaves_all_else_without_a_trace(things: Brain, clock: Clock) -> None:
    clock.forward(days=10)
    things.shown([TWO, THREE], FEED)
    things.shown([THREE], LOGIN)
    before = [list(things.ledger.events(id)) for id in (ONE, THREE)]
    things.feedback("user_correction", [TWO])
    assert [list(things.ledger.events(id)) for id in (ONE, THREE)] == before
    assert things.credits()[TWO].score < things.credits()[THREE].score


# Time


def test_evidence_fades_while_nobody_speaks(things: Brain, clock: Clock) -> None:
    say(things, [ONE], FEED)
    clock.forward(days=100)
    assert earned(things, ONE).by_kind == ((FEED, pytest.approx(faded(0.2, 100))),)


def test_a_step_is_added_to_what_has_not_faded_and_the_event_says_how_long_it_did(things: Brain, clock: Clock) -> None:
    say(things, [ONE], FEED)
    clock.forward(days=100)
    say(things, [ONE], FEED)
    event = [event for event, _ in things.ledger.events(ONE) if event.signal_id][-1]
    assert (event.days, event.per_day) == (100.0, 0.005)
    assert earned(things, ONE).by_kind[0][1] == pytest.approx(faded(0.2, 100) + event.step)


def test_an_update_does_not_touch_what_was_earned(things: Brain, clock: Clock) -> None:
    say(things, [ONE], FEED)
    clock.forward(days=10)
    before = earned(things, ONE)
    things.retrieve(ONE)
    things.update(ONE, "Other words.")
    assert earned(things, ONE) == before


# Where a memory goes, its evidence goes


def test_a_moved_memory_keeps_what_it_earned_and_its_place_in_kinds(things: Brain) -> None:
    say(things, [ONE, TWO], FEED, used=[ONE, TWO])
    before = earned(things, ONE), earned(things, TWO)
    things.owner.move(ONE, "renamed")
    assert (earned(things, ONE), earned(things, TWO)) == before and follows(things)


def test_an_archived_memory_gets_back_what_it_earned(things: Brain) -> None:
    say(things, [ONE, TWO], FEED, used=[ONE, TWO])
    before = earned(things, ONE), earned(things, TWO)
    things.archive(ONE)
    assert earned(things, ONE) == Earned() and earned(things, TWO) == before[1]
    things.restore(ONE)
    assert (earned(things, ONE), earned(things, TWO)) == before and follows(things)


def test_a_file_that_went_and_came_back_keeps_what_it_earned(things: Brain, home: Path) -> None:
    say(things, [ONE], FEED)
    file = home / "memory/entities/things/one.md"
    text = file.read_bytes()
    file.unlink()
    things.sync(now=True)
    things.settle()
    file.write_bytes(text)
    things.sync(now=True)
    assert credit(things, ONE, FEED) > 0.5 and follows(things)


def test_an_id_stored_anew_begins_a_new_life(things: Brain) -> None:
    say(things, [ONE, TWO], FEED, used=[ONE, TWO])
    things.archive(ONE)
    things.store("entity", "one", "Another thing.", category="things")
    assert earned(things, ONE) == Earned()
    assert credit(things, TWO, ((ONE, 1.0),)) == 0.5  # what the old one was a match for
    assert ONE not in dict(earned(things, TWO).by_kind[0][0])
    assert follows(things)


def test_two_lives_of_one_id_keep_apart_what_they_earned(things: Brain) -> None:
    ferry: Kind = ((TWO, 1.0),)
    say(things, [ONE], ferry)
    first = things.archive(ONE)
    things.store("entity", "one", "Another thing.", category="things")
    say(things, [ONE], LOGIN)
    things.archive(ONE)
    things.restore(first.path)
    assert credit(things, ONE, ferry) > 0.5 == credit(things, ONE, LOGIN) and follows(things)


def test_a_turn_from_before_a_new_life_does_not_name_it(things: Brain) -> None:
    things.shown([TWO], ((ONE, 1.0),))
    things.archive(ONE)
    things.store("entity", "one", "Another thing.", category="things")
    things.feedback("task_completed")
    assert credit(things, TWO, ((ONE, 1.0),)) == 0.5 and follows(things)


def test_purging_takes_the_evidence_and_the_name_out_of_kinds(things: Brain) -> None:
    say(things, [ONE, TWO], FEED, used=[ONE, TWO])
    things.archive(ONE)
    things.owner.purge(ONE)
    rows = things.ledger._all("SELECT holder, kind FROM evidence")
    assert [row for row in rows if ONE in row[0] or ONE in row[1]] == []
    assert len(earned(things, TWO).by_kind) == 1 and follows(things)


def test_purging_an_old_life_leaves_the_new_one_its_name(things: Brain) -> None:
    old = things.archive(ONE)
    things.store("entity", "one", "Another thing.", category="things")
    say(things, [TWO], ((ONE, 1.0),))
    things.owner.purge(old.path)
    assert credit(things, TWO, ((ONE, 1.0),)) > 0.5 and follows(things)


# Merges and promotions


EPISODES = FIRST, SECOND, THIRD = tuple(f"episode-2026-02-auth-{word}" for word in ("one", "two", "three"))


@pytest.fixture
def days(brain: Brain, clock: Clock) -> Brain:
    """A store where a compaction merges three episodes."""
    texts = ("The token expired after ten minutes", "Logs showed a 401 from the proxy", "Redis held the stale key")
    for id, text in zip(EPISODES, texts, strict=True):
        brain.store("episode", id.removeprefix("episode-2026-02-"), f"- {text}", tags=["auth", "login"])
    brain.store("entity", "beside", "Something else.", category="things")
    return brain


def merged(brain: Brain) -> str:
    """Compact; the id that is left of the episodes."""
    assert brain.compact().merged == 1
    (left,) = brain.index.ids() & set(EPISODES)
    return left


def test_a_merge_adds_up_what_was_earned_and_renames_those_that_went(days: Brain) -> None:
    beside = "entity-things-beside"
    kind: Kind = ((FIRST, 0.5), (SECOND, 0.5))
    say(days, [FIRST], LOGIN)
    say(days, [SECOND], kind)
    say(days, [SECOND], LOGIN)
    say(days, [beside], kind)
    parts = [credit_odds(days, id, LOGIN) for id in (FIRST, SECOND)]
    left = merged(days)
    assert credit_odds(days, left, LOGIN) == pytest.approx(sum(parts))
    assert credit(days, beside, ((left, 1.0),)) == pytest.approx(sigmoid(earned(days, beside).by_kind[0][1]))
    assert follows(days)


def credit_odds(brain: Brain, id: str, kind: Kind) -> float:
    return sum(alike(known, kind) * x for known, x in earned(brain, id).by_kind)


def test_a_turn_from_before_a_merge_names_the_survivor(days: Brain, clock: Clock) -> None:
    others: Kind = tuple((id, 1 / 3) for id in EPISODES)
    days.shown(["entity-things-beside"], others)
    left = merged(days)
    days.feedback("task_completed")
    assert credit(days, "entity-things-beside", ((left, 1.0),)) > 0.5 and follows(days)


def test_undoing_a_merge_gives_back_evidence_and_names(days: Brain, clock: Clock) -> None:
    beside = "entity-things-beside"
    kind: Kind = ((FIRST, 0.3), (SECOND, 0.3), (beside, 0.4))
    for id in (*EPISODES, beside):
        say(days, [id], kind)
        say(days, [id], LOGIN)
    days.retrieve(FIRST)
    days.feedback("task_completed")
    pending: Kind = ((SECOND, 1.0),)
    days.shown([beside], pending)
    before = {id: earned(days, id) for id in (*EPISODES, beside)}
    merged(days)
    clock.forward(seconds=0.1)
    days.compaction.undo()
    assert {id: earned(days, id) for id in before} == {
        id: Earned(pytest.approx(each.general), tuple((pytest_kind(k), pytest.approx(x)) for k, x in each.by_kind))
        for id, each in before.items()
    }
    days.feedback("task_completed")
    assert credit(days, beside, pending) > 0.5 and follows(days)


def pytest_kind(kind: Kind) -> object:
    return _Alike(kind)


class _Alike:
    """Equal to a kind with the same weights, in whatever order."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def __eq__(self, other: object) -> bool:
        return isinstance(other, tuple) and dict(other) == pytest.approx(dict(self.kind))


def test_a_compaction_killed_at_any_step_adds_evidence_up_once(
    days: Brain, home: Path, clock: Clock, tmp_path: Path
) -> None:
    for id in (*EPISODES, "entity-things-beside"):
        say(days, [id], ((FIRST, 0.5), (SECOND, 0.5)))
        say(days, [id], LOGIN)
    days.close()

    def left(brain: Brain) -> dict[str, Earned]:
        return brain.earned(brain.index.ids())

    with open_brain(Path(shutil.copytree(home, tmp_path / "alive")), clock=clock) as alive:
        before, _, after = left(alive), alive.compact(), left(alive)
    assert before != after
    for number, killed in deaths(home, clock, lambda brain: brain.compact(), every=times(3, 1)):
        with open_brain(killed, session="s", clock=clock) as brain:
            brain.compact()
            assert left(brain) == after and brain.ledger.unlike_events() == [], number
            brain.compaction.undo()
            assert left(brain).keys() == before.keys() and brain.ledger.unlike_events() == [], number


def test_a_merge_from_before_there_were_kinds_is_undone_by_its_scores(days: Brain) -> None:
    say(days, [FIRST], LOGIN)
    say(days, [SECOND], LOGIN)
    before = credit_odds(days, FIRST, LOGIN)
    left = merged(days)
    (step,) = days.ledger._all("SELECT run, undo FROM run_steps")
    undo = json.loads(step[1])
    del undo["survivor"]["evidence"]
    days.ledger._db.do("UPDATE run_steps SET undo = ?", json.dumps(undo))
    days.compaction.undo()
    assert days.credits()[left].score == pytest.approx(sigmoid(before)) and earned(days, left).general < 0
    assert follows(days)


def test_a_promotion_brings_its_share_to_every_question_and_its_undoing_takes_it(brain: Brain, clock: Clock) -> None:
    brain.store("episode", "lunch", "# Lunch\n\n- Bob always prefers tabs over spaces", tags=["food"])
    lunch = "episode-2026-02-lunch"
    for _ in range(12):
        say(brain, [lunch], LOGIN)
    clock.forward(days=5)
    assert brain.compact().promoted == 1
    (fact,) = brain.index.ids() - {lunch}
    assert earned(brain, fact).general > 0 > earned(brain, lunch).general
    assert follows(brain)
    clock.forward(days=7)
    brain.compaction.undo()
    assert earned(brain, lunch).general == pytest.approx(0, abs=1e-9) and follows(brain)


# The table follows from the events


def test_a_dump_gives_the_evidence_back(things: Brain, opened: Callable[..., Brain], tmp_path: Path) -> None:
    say(things, [ONE, TWO], FEED)
    things.retrieve(THREE)
    things.feedback("user_correction")
    lines, before = list(things.ledger_text.dump()), [earned(things, id) for id in (ONE, TWO, THREE)]
    assert not any('"table": "evidence"' in line for line in lines)
    things.ledger_text.load(lines, replace=True)
    assert [earned(things, id) for id in (ONE, TWO, THREE)] == before and follows(things)


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE evidence SET x = 'much'",
        "UPDATE evidence SET x = 99.0",
        "UPDATE evidence SET kind = '[[\"a\"'",
        "UPDATE evidence SET kind = '[[\"a\", -1]]'",
        "UPDATE evidence SET at = 'yesterday'",
    ],
)
def test_a_row_that_cannot_be_is_noticed_ignored_and_worked_out_anew(things: Brain, harm: str) -> None:
    say(things, [ONE], FEED)
    before = earned(things, ONE)
    things.ledger._db.do(harm)
    assert earned(things, ONE) == Earned()
    assert [f.what for f in things.checks.check() if f.where == ONE and "evidence" in f.what] != []
    assert any("evidence" in line for line in things.checks.repair())
    assert earned(things, ONE) == before and follows(things)


def test_evidence_that_does_not_follow_from_its_events_is_noticed(things: Brain) -> None:
    say(things, [ONE], FEED)
    things.ledger._db.do("UPDATE evidence SET x = x + 0.001")
    assert [f.where for f in things.checks.check() if f.fault] == [ONE]


def test_a_kind_of_a_turn_that_cannot_be_read_is_noticed_and_is_no_kind(things: Brain) -> None:
    things.shown([ONE], FEED)
    things.settle()
    things.ledger._db.do("UPDATE turn_records SET kind = '[[1, 2'")
    assert any("kind of its question" in finding.what for finding in things.checks.check())
    things.feedback("task_completed")
    assert earned(things, ONE).by_kind == () and earned(things, ONE).general > 0


def test_an_event_whose_kind_cannot_be_read_harms_nothing_else(things: Brain) -> None:
    say(things, [ONE], FEED)
    say(things, [TWO], FEED)
    with sqlite3.connect(things.ledger.path) as db:
        db.execute("UPDATE credit_events SET kind = CAST(x'ff' AS TEXT) WHERE memory_id = ? AND kind <> ''", (ONE,))
    assert things.ledger.unlike_events() == [ONE]
    broken = [finding.where for finding in things.checks.check() if "kind of its question" in finding.what]
    assert len(broken) == 1 and broken[0].startswith("event ")


# Rows


KINDS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.floats(0.01, 1)), min_size=1, max_size=3, unique_by=lambda pair: pair[0]
).map(lambda pairs: tuple((id, w / sum(w for _, w in pairs)) for id, w in pairs))
STEPS = st.lists(st.tuples(KINDS | st.just(()), st.floats(-1, 1).filter(bool), st.integers(0, 20)), max_size=40)


def after(steps: Sequence[tuple[Kind, float, int]]) -> list[EvidenceRow]:
    rows: list[EvidenceRow] = []
    for number, (kind, step, day) in enumerate(steps):
        rows, _ = taught(rows, kind, step, Change(number, "m", "inherit", f"2026-03-{day + 1:02}T00:00:00Z"))
    return rows


@given(STEPS)
def test_a_memory_has_eight_kinds_at_most_within_bounds_and_no_two_the_same(
    steps: list[tuple[Kind, float, int]],
) -> None:
    rows = after(steps)
    kinds = [row.kind for row in rows if row.kind]
    assert len(kinds) <= MOST and len(rows) - len(kinds) <= 1
    assert all(-3 <= row.x <= 3 for row in rows)
    assert not any(alike(one, other) > 0.9 for n, one in enumerate(kinds) for other in kinds[:n])


@given(STEPS, KINDS, st.floats(-1, 1).filter(bool))
def test_a_step_never_moves_its_row_against_its_sign(
    steps: list[tuple[Kind, float, int]], kind: Kind, step: float
) -> None:
    rows = after(steps)
    at = max((row.at for row in rows), default=AT)
    now = {row.number: row.x for row in [row._replace(x=faded(row.x, 0)) for row in rows]}
    new, _ = taught(rows, kind, step, Change(99, "m", "inherit", at, per_day=0.0))
    for row in new:
        assert (row.x - now.get(row.number, 0.0)) * step >= 0


def test_a_step_goes_to_the_row_most_alike_which_keeps_its_kind() -> None:
    near: Kind = (("a", 0.97), ("b", 0.03))
    rows = after([((("a", 1.0),), 0.5, 0), ((("c", 1.0),), 0.5, 0), (near, 0.25, 0)])
    assert [(row.kind, row.x) for row in rows] == [((("a", 1.0),), 0.75), ((("c", 1.0),), 0.5)]


def test_of_rows_equally_alike_the_oldest_takes_the_step() -> None:
    rows = [
        EvidenceRow(number, kind, 0.5, AT)
        for number, kind in ((1, (("a", 0.96), ("b", 0.04))), (2, (("a", 0.96), ("c", 0.04))))
    ]
    new, _ = taught(rows, (("a", 1.0),), 0.1, Change(3, "m", "inherit", AT))
    assert [row.x for row in new] == [0.6, 0.5]


def test_a_ninth_kind_takes_the_place_of_the_one_that_weighs_least_by_now() -> None:
    steps = [(((f"m{n}", 1.0),), 0.3 + n / 100, 20) for n in range(MOST)]
    faded_most = [((("m7", 1.0),), 0.31, 0)]
    rows = after([*faded_most, *steps[:7], ((("new", 1.0),), -0.1, 20)])
    names = [row.kind[0][0] for row in rows]
    assert "m7" not in names and names[-1] == "new" and len(names) == MOST


def test_what_was_learnt_without_a_question_takes_no_place_of_a_kind() -> None:
    rows = after([(((f"m{n}", 1.0),), 0.3, 0) for n in range(MOST)] + [((), 0.1, 0)])
    assert len(rows) == MOST + 1


@given(KINDS)
def test_a_kind_reads_back_as_it_was_written(kind: Kind) -> None:
    assert from_text(as_text(kind)) == kind


@given(KINDS, st.sampled_from("abcdef"), st.sampled_from("abcdefz"))
def test_a_rename_in_a_kind_is_taken_back(kind: Kind, old: str, new: str) -> None:
    if old in dict(kind) and old != new:
        became = renamed(kind, old, new)
        assert sum(dict(became).values()) == pytest.approx(1) and old not in dict(became)
        assert dict(unnamed(became, old, new, dict(kind)[old])) == pytest.approx(dict(kind), abs=1e-9)


@given(st.text() | st.sampled_from(["null", "{}", "[1]", '[["a"]]', '[["a", 0]]', '[["a", NaN]]', '[["a", true]]']))
def test_odd_texts_are_no_kinds(text: str) -> None:
    found = from_text(text)
    assert found is None or all(isinstance(id, str) and 0 < weight <= 1.000001 for id, weight in found)


def test_nothing_is_known_before_the_first_event() -> None:
    assert replayed([]) == {} == credit_evidence.earned([], AT, 0.005)
