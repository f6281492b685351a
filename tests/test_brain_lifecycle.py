"""Compaction carried out, finished after a kill at any step, and undone."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
import replay
from conftest import Clock, deaths, dies_at
from measure import times

from clawbrain.brain import Brain, open_brain
from clawbrain.brain.schedule import due
from clawbrain.credit import logit, moved
from clawbrain.errors import Busy, NotFound, Refused
from clawbrain.memory.model import stamp

FIRST, SECOND, THIRD = (f"episode-2026-02-auth-{word}" for word in ("one", "two", "three"))
LUNCH, TOOL, TABS = "episode-2026-02-lunch", "entity-preferences-old-tool", "entity-preferences-lunch"
Picture = dict[str, tuple[str, float]]


def score(brain: Brain, id: str, score: float, signals: int = 3) -> None:
    """As if signals had brought it there."""
    with brain.deciding():
        brain.scores.assign(id, "merge", score, stamp(brain.clock()), brain.strategy().strategy.decay, signals)


@pytest.fixture
def busy(opened: Callable[..., Brain], clock: Clock) -> Brain:
    """A store where a compaction has a merge, a promotion and two prunings to do."""
    brain = opened()
    tags = ["auth", "login"]
    brain.store("episode", "auth-one", "# One\n\n- The token expired after ten minutes", tags=tags)
    brain.store("episode", "auth-two", "# Two\n\n- Logs showed a 401 from the proxy", tags=tags)
    brain.store("episode", "auth-three", "# Three\n\n- Redis held the stale key", tags=tags)
    brain.store("episode", "lunch", "# Lunch\n\n- Bob always prefers tabs over spaces", tags=["food"])
    brain.store("entity", "old-tool", "An old tool nobody uses.", category="preferences")
    brain.store("entity", "older-tool", "An older one.", category="preferences")
    clock.forward(days=40)
    for id, value in (
        (FIRST, 0.65),
        (SECOND, 0.55),
        (LUNCH, 0.9),
        (TOOL, 0.1),
        ("entity-preferences-older-tool", 0.12),
    ):
        score(brain, id, value)
    brain.settle()
    return brain


def picture(brain: Brain) -> Picture:
    """All that is live: what it says and what it is worth."""
    brain.sync(now=True)
    brain.syncing.changed = True
    brain.settle()
    credits = brain.credits()
    return {memory.id: (memory.content, round(credits[memory.id].score, 9)) for memory in brain.index.memories()}


def files(home: Path) -> dict[str, str]:
    return {
        str(path.relative_to(home)): path.read_text()
        for folder in ("memory", "archive")
        for path in (home / folder).rglob("*.md")
        if path.name != "MEMORY.md"
    }


# What a compaction does


def test_it_says_what_it_did_in_the_contracts_words(busy: Brain) -> None:
    run = busy.compact()
    assert (run.merged, run.promoted, run.archived) == (1, 1, 2)
    details = list(run.details)
    assert details[0] == "Merged 3 episodes from 2026-02-25 into 'auth-one'"
    assert details[1].startswith("Promoted fact from episode to entity 'preferences/")
    assert details[2:] == [
        "Archived 'entity-preferences/old-tool' (score: 0.10)",
        "Archived 'entity-preferences/older-tool' (score: 0.12)",
    ]


def test_a_merge_holds_each_text_once(busy: Brain) -> None:
    busy.compact()
    said = busy.find(FIRST).content
    assert [said.count(each) for each in ("ten minutes", "401 from the proxy", "stale key")] == [1, 1, 1]


def test_a_merge_earns_what_its_parts_earned(busy: Brain) -> None:
    parts = [busy.credits()[id].score for id in (FIRST, SECOND, THIRD)]
    busy.compact()
    assert busy.credits()[FIRST].score == pytest.approx(0.5 + sum(part - 0.5 for part in parts))


def test_time_that_passes_while_it_plans_keeps_nothing_from_being_done(busy: Brain, clock: Clock) -> None:
    clock.runs = timedelta(seconds=1)
    run = busy.compact()
    assert (run.merged, run.promoted, run.archived, list(run.skipped)) == (1, 1, 2, [])


def test_a_merge_notes_its_origins(busy: Brain, home: Path) -> None:
    busy.compact()
    assert sorted(busy.find(FIRST).extra["merged_from"]) == sorted([SECOND, THIRD])
    archived = (home / "archive/episodes/2026-02/auth-two.md").read_text()
    assert f'merged_into: "{FIRST}"' in archived


def test_an_action_is_logged_with_its_run(busy: Brain) -> None:
    run = busy.compact()
    logged = [(row["action"], row["run"]) for row in busy.ledger.latest_log(20)]
    for action in ("consolidate", "promote", "prune"):
        assert (action, run.id) in logged


def test_its_dates_are_reported(busy: Brain, clock: Clock) -> None:
    busy.compact()
    report = busy.report()
    assert report.last_consolidation == report.last_pruning == "2026-04-06T10:00:00Z"


def test_a_run_with_nothing_to_do_is_a_run(brain: Brain) -> None:
    run = brain.compact()
    assert list(run.details) == [] and brain.report().last_pruning == "2026-02-25T10:00:00Z"


def test_a_phase_that_is_off_is_not_dated(brain: Brain, home: Path) -> None:
    (home / "STRATEGY.md").write_text("## Pruning\n\n- Do not prune\n")
    brain.compact()
    report = brain.report()
    assert report.last_pruning is None and report.last_consolidation is not None


def test_it_ends_by_writing_the_digest(busy: Brain, home: Path) -> None:
    busy.compact()
    assert FIRST in (home / "memory/MEMORY.md").read_text()


def test_complaints_about_the_strategy_come_first(busy: Brain, home: Path) -> None:
    (home / "STRATEGY.md").write_text("## Pruning\n\n- Archive entries with credit score < 7 and age > 30 days\n")
    busy.warn("something else")
    busy.compact()
    assert "STRATEGY" in busy.take_warnings()[0] or "line 3" in busy.take_warnings()[0]


def test_a_second_compaction_has_nothing_left_to_do(busy: Brain) -> None:
    busy.compact()
    assert list(busy.compact().details) == []


def test_a_plan_changes_nothing(busy: Brain, home: Path) -> None:
    before = files(home)
    plan = busy.compaction.plan()
    assert len(plan.actions) == 4 and files(home) == before


def test_prune_candidates_are_what_pruning_would_take(busy: Brain) -> None:
    assert busy.report().prune_candidates == 2


def test_events_replay_to_the_scores_after_a_compaction(busy: Brain) -> None:
    busy.compact()
    busy.compaction.undo()
    expected = {id: pytest.approx(score, abs=1e-9) for id, score in replay.live_scores(busy).items()}
    assert replay.scores(busy).items() >= expected.items() and busy.ledger.unlike_events() == []


def test_progress_ends_where_it_says(busy: Brain) -> None:
    told: list[tuple[int, int, str]] = []
    busy.compact(lambda done, total, doing: told.append((done, total, doing)))
    done = [done for done, _, _ in told]
    assert done == sorted(set(done)) and (done[0], done[-1]) == (0, 4) and {total for _, total, _ in told} == {4}


def test_a_ledger_is_backed_up_before_anything_is_moved(busy: Brain, home: Path) -> None:
    busy.compact()
    assert list((home / ".clawbrain/backups").glob("ledger-*.db")) != []


def test_what_a_person_brought_back_is_not_put_away_again_at_once(busy: Brain, clock: Clock) -> None:
    busy.compact()
    busy.restore(TOOL)
    clock.forward(days=1)
    assert busy.compact().archived == 0


# What changed since the plan is skipped


def when(brain: Brain, accident: Callable[[], object]) -> None:
    """Something happens after the plan is written down and before it is carried out."""
    real = brain.compaction._carry_out

    def slow(*args: object, **kwargs: object) -> list[str]:
        accident()
        return real(*args, **kwargs)  # type: ignore[arg-type]

    brain.compaction._carry_out = slow  # type: ignore[method-assign]


@pytest.mark.parametrize(
    ("accident", "why"),
    [
        (lambda other: other.update(SECOND, "Changed."), "changed"),
        (lambda other: other.owner.pin(SECOND), "pinned"),
        (lambda other: other.archive(SECOND), "gone"),
        (lambda other: score(other, SECOND, 0.8), "moved"),
    ],
)
def test_an_action_whose_ground_moved_is_skipped_and_said(
    busy: Brain, opened: Callable[..., Brain], accident: Callable[[Brain], object], why: str
) -> None:
    other = opened("other")
    when(busy, lambda: accident(other))
    run = busy.compact()
    assert run.merged == 0 and run.archived == 2
    assert len(run.skipped) == 1 and why in run.skipped[0]
    assert any("skipped" in warning for warning in busy.take_warnings())


def test_a_memory_pinned_since_the_plan_is_not_pruned(busy: Brain, opened: Callable[..., Brain]) -> None:
    other = opened("other")
    when(busy, lambda: other.owner.pin(TOOL))
    busy.compact()
    assert busy.find(TOOL).pinned


def test_a_memory_read_since_the_plan_is_still_the_same(busy: Brain, opened: Callable[..., Brain]) -> None:
    other = opened("other")
    when(busy, lambda: other.retrieve(SECOND))
    assert busy.compact().merged == 1


def test_two_at_once_are_one_after_the_other(busy: Brain, opened: Callable[..., Brain]) -> None:
    other = opened("other")
    said: list[str] = []

    def also() -> None:
        with pytest.raises(Busy) as refused, other.compaction._alone(patience=0):
            pass
        said.append(str(refused.value))

    when(busy, also)
    busy.compact()
    assert "at work" in said[0]


# Killed at every step


def ending(run: Callable[[Brain], object], home: Path, clock: Clock) -> Picture:
    """How the home looks when nobody is killed."""
    copy = home.parent / "whole"
    shutil.copytree(home, copy)
    with open_brain(copy, session="s", clock=clock) as brain:
        run(brain)
        return picture(brain)


def test_a_killed_compaction_is_finished_by_the_next_to_open(busy: Brain, home: Path, clock: Clock) -> None:
    busy.close()
    before, after = files(home), ending(Brain.compact, home, clock)
    for number, killed in deaths(home, clock, Brain.compact, every=times(3, 1)):
        begun = files(killed) != before
        with open_brain(killed, session="s", clock=clock) as brain:
            if begun:
                assert picture(brain) == after, number
            brain.compact()
            assert picture(brain) == after, number
            assert brain.ledger.runs("running") == []


def test_its_recovery_may_be_killed_at_every_step_too(busy: Brain, home: Path, clock: Clock) -> None:
    busy.close()
    before, after = files(home), ending(Brain.compact, home, clock)
    for number, killed in deaths(home, clock, Brain.compact, every=times(16, 3)):
        if files(killed) == before:
            continue
        for again, twice in deaths(killed, clock, lambda brain: None):
            with open_brain(twice, session="s", clock=clock) as brain:
                assert picture(brain) == after, (number, again)


def test_a_finished_run_can_be_undone_like_any_other(busy: Brain, home: Path, clock: Clock) -> None:
    whole = picture(busy)
    busy.close()
    before = files(home)
    for number, killed in deaths(home, clock, Brain.compact, every=times(4, 1)):
        if files(killed) == before:
            continue
        with open_brain(killed, session="s", clock=clock) as brain:
            brain.compaction.undo()
            assert picture(brain) == whole, number


def test_a_finished_run_leaves_no_mark_when_undone(busy: Brain, home: Path, clock: Clock) -> None:
    busy.close()
    before = files(home)
    for number, killed in deaths(home, clock, Brain.compact, every=times(5, 1)):
        if files(killed) == before:
            continue
        with open_brain(killed, session="s", clock=clock) as brain:
            brain.compaction.undo()
            made = {path for path in files(killed) if path.startswith("archive/")}
            assert {path: text for path, text in files(killed).items() if path not in made} == before, number


def test_a_kill_is_said_to_whoever_finishes(busy: Brain, home: Path, clock: Clock) -> None:
    busy.close()
    assert dies_at(10, home, clock, Brain.compact)
    with open_brain(home, clock=clock) as brain:
        assert any("interrupted" in warning for warning in brain.take_warnings())


def test_a_reader_leaves_a_killed_run_alone(busy: Brain, home: Path, clock: Clock) -> None:
    busy.close()
    assert dies_at(10, home, clock, Brain.compact)
    before = files(home)
    with open_brain(home, clock=clock, read_only=True) as brain:
        brain.search("token")
    assert files(home) == before


def test_a_running_compaction_is_left_to_its_process(busy: Brain, home: Path, clock: Clock) -> None:
    def other_opens() -> None:
        with open_brain(home, session="other", clock=clock) as other:
            assert other.take_warnings() == []
            assert len(other.ledger.runs("running")) == 1

    when(busy, other_opens)
    assert len(busy.compact().details) == 4


# Undone


def test_undo_gives_back_texts_and_scores(busy: Brain) -> None:
    before = picture(busy)
    busy.compact()
    undone = busy.compaction.undo()
    assert picture(busy) == before and len(undone.details) == 4 and list(undone.skipped) == []


def test_undo_gives_back_the_files_as_they_were(busy: Brain, home: Path) -> None:
    before = files(home)
    busy.compact()
    busy.compaction.undo()
    assert {path: text for path, text in files(home).items() if path.startswith("memory/")} == before


def test_undo_is_logged(busy: Brain) -> None:
    run = busy.compact()
    busy.compaction.undo()
    assert [(row["action"], row["run"]) for row in busy.ledger.latest_log(1)] == [("undo", run.id)]


def test_what_is_undone_can_be_compacted_again_but_for_its_merges(busy: Brain) -> None:
    _, *others = busy.compact().details
    busy.compaction.undo()
    assert list(busy.compact().details) == others


def test_an_undone_merge_is_remembered_by_the_dump_of_the_ledger(busy: Brain) -> None:
    busy.compact()
    busy.compaction.undo()
    rows = list(busy.ledger.rows())
    with busy.deciding():
        busy.ledger.load(rows)
    assert busy.compact().merged == 0


def test_the_score_of_an_archived_memory_is_the_one_a_report_shows(busy: Brain) -> None:
    reported = {row.name: row.score for row in busy.report(100).bottom}
    archived = [detail for detail in busy.compact().details if detail.startswith("Archived")]
    assert archived == [
        f"Archived 'entity-preferences/{name}' (score: {reported[name]:.2f})" for name in ("old-tool", "older-tool")
    ]


def test_a_run_is_undone_once(busy: Brain) -> None:
    run = busy.compact()
    busy.compaction.undo()
    with pytest.raises(Refused, match="already"):
        busy.compaction.undo(run.id)
    with pytest.raises(Refused, match="no compaction"):
        busy.compaction.undo()


def test_an_unknown_run_is_not_found(busy: Brain) -> None:
    with pytest.raises(NotFound, match="log"):
        busy.compaction.undo("nonsense")


def test_what_was_changed_since_is_kept_and_the_rest_undone(busy: Brain) -> None:
    busy.compact()
    busy.retrieve(FIRST)
    busy.update(FIRST, "Mine now.")
    undone = busy.compaction.undo()
    assert busy.find(FIRST).content == "Mine now." and busy.find(TOOL)
    assert len(undone.skipped) == 1 and "changed" in undone.skipped[0]


def test_a_merge_that_was_scored_since_is_undone_and_the_survivor_keeps_what_it_learned(busy: Brain) -> None:
    before = busy.credits()
    busy.compact()
    merged = busy.credits()[FIRST].score
    score(busy, FIRST, 0.9, 9)
    undone = busy.compaction.undo()
    assert undone.skipped == () and busy.find(SECOND)
    learned = logit(0.9) - logit(merged)
    assert busy.credits()[FIRST].score == pytest.approx(moved(before[FIRST].score, learned))
    assert busy.credits()[SECOND].score == before[SECOND].score


def test_what_the_giving_episode_learned_since_is_not_taken_back(busy: Brain) -> None:
    busy.compact()
    score(busy, LUNCH, 0.3, 9)
    busy.compaction.undo()
    assert busy.credits()[LUNCH].score == pytest.approx(0.3)


def test_a_merge_is_undone_whole_or_not_at_all(busy: Brain) -> None:
    busy.compact()
    busy.store("episode", "other", "text")
    busy.owner.brain.files.create("episodes/2026-02/auth-two.md", b"Somebody else's.\n")
    before = {id: content for id, (content, _) in picture(busy).items() if id in (FIRST, SECOND, THIRD)}
    busy.compaction.undo()
    after = {id: content for id, (content, _) in picture(busy).items() if id in (FIRST, SECOND, THIRD)}
    assert after == before


def test_a_merged_memory_that_was_restored_and_edited_is_kept_as_it_is(busy: Brain) -> None:
    busy.compact()
    busy.restore(SECOND)
    busy.retrieve(SECOND)
    busy.owner.edit(SECOND, "Mine now.")
    merged = busy.find(FIRST).content
    undone = busy.compaction.undo()
    assert (busy.find(SECOND).content, busy.find(FIRST).content) == ("Mine now.", merged)
    assert len(undone.skipped) == 1 and f"'{SECOND}' was changed since" in undone.skipped[0]


def test_a_merged_memory_that_was_edited_in_the_archive_is_kept_as_it_is(busy: Brain, home: Path) -> None:
    busy.compact()
    file = home / "archive/episodes/2026-02/auth-two.md"
    file.write_text(file.read_text() + "\nMine now.\n")
    undone = busy.compaction.undo()
    assert "Mine now." in file.read_text() and len(undone.skipped) == 1


def test_a_merged_memory_that_was_only_restored_is_undone(busy: Brain) -> None:
    before = picture(busy)
    busy.compact()
    busy.restore(SECOND)
    assert list(busy.compaction.undo().skipped) == [] and picture(busy) == before


def test_a_pin_that_was_set_since_is_not_undone(busy: Brain) -> None:
    busy.compact()
    busy.owner.pin(FIRST)
    undone = busy.compaction.undo()
    assert busy.find(FIRST).pinned and len(undone.skipped) == 1


# Changed by hand between a kill and the end of the run


def edited(file: Path) -> str:
    file.write_text(file.read_text() + "\nMine now.\n")
    return "Mine now."


def pinned(file: Path) -> str:
    file.write_text(file.read_text().replace("pinned: false", "pinned: true"))
    return "pinned: true"


def tagged(file: Path) -> str:
    file.write_text(file.read_text().replace('"login"', '"login", "mine"'))
    return '"mine"'


PLACES = {
    FIRST: "episodes/2026-02/auth-one.md",
    SECOND: "episodes/2026-02/auth-two.md",
    THIRD: "episodes/2026-02/auth-three.md",
    TOOL: "entities/preferences/old-tool.md",
}
SAID = {FIRST: "ten minutes", SECOND: "401 from the proxy", THIRD: "stale key"}


@pytest.mark.parametrize("change", [edited, pinned, tagged])
def test_what_a_person_changed_between_a_kill_and_the_end_stays(
    busy: Brain, home: Path, clock: Clock, change: Callable[[Path], str]
) -> None:
    busy.close()
    before = files(home)
    for number, killed in deaths(home, clock, Brain.compact, every=times(5, 1)):
        id = (FIRST, SECOND, THIRD, TOOL)[number % (3 if change is tagged else 4)]  # the tool has no tags
        file = killed / "memory" / PLACES[id]
        if files(killed) == before or not file.exists():
            continue
        mark = change(file)
        text = file.read_text()
        for verb in (Brain.settle, lambda brain: brain.compaction.undo()):
            with open_brain(killed, session="s", clock=clock) as brain, suppress(Refused):
                verb(brain)
            assert mark in file.read_text(), number
            if id != FIRST:
                assert file.read_text() == text.replace(f'merged_into: "{FIRST}"\n', ""), number
            live = "".join(text for path, text in files(killed).items() if path.startswith("memory/"))
            assert all(said in live for said in SAID.values()), number


def test_an_entity_edited_between_a_kill_and_the_end_is_not_undone(busy: Brain, home: Path, clock: Clock) -> None:
    busy.close()
    seen = 0
    for number, killed in deaths(home, clock, Brain.compact):
        file = killed / "memory/entities/preferences/general.md"
        if file.exists():
            seen += 1
            edited(file)
            for verb in (Brain.settle, lambda brain: brain.compaction.undo()):
                with open_brain(killed, session="s", clock=clock) as brain, suppress(Refused):
                    verb(brain)
                assert "Mine now." in file.read_text(), number
    assert seen


def test_an_undo_killed_at_any_step_can_be_done_again(busy: Brain, home: Path, clock: Clock) -> None:
    before = picture(busy)
    busy.compact()
    busy.close()
    for number, killed in deaths(home, clock, lambda brain: brain.compaction.undo(), every=times(2, 1)):
        with open_brain(killed, session="s", clock=clock) as brain:
            with suppress(Refused):
                brain.compaction.undo()
            assert picture(brain) == before, number


def test_an_old_episode_does_not_make_a_new_store_overdue(brain: Brain) -> None:
    brain.store("episode", "otter", "The otter came back.", created="2025-01-05T10:00:00Z")
    assert due(brain) == []
