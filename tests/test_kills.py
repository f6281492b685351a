"""Killed at every step of every verb that writes, and its recovery killed too: as if before, or as if after."""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock, deaths, dies_at
from measure import LONG, figure, times
from traced import can_trace, points, run

from clawbrain.brain import Brain, open_brain
from clawbrain.errors import Refused
from clawbrain.storage import ledger_file, ledger_schema

ALICE, BOB, OLD = "entity-people-alice", "entity-people-bob", "entity-preferences-old-style"
BODY = "# Alice\n\nLeads the ML team.\n"


def furnish(home: Path, clock: Clock) -> None:
    """Something of everything: praised, updated, archived, with history, ready to be merged and pruned."""
    with open_brain(home, session="killed", clock=clock) as brain:
        brain.store("entity", "old-style", "Tabs, not spaces.", category="preferences", tags=["style"])
        brain.archive(OLD)
        brain.store("entity", "old-style", "Spaces, not tabs.", category="preferences", tags=["style"])
        brain.store("entity", "put-away", "Semicolons.", category="preferences")
        brain.archive("entity-preferences-put-away")
        for number in range(3):
            text = f"Looked into the login. Attempt {number} failed with a timeout in the session store."
            brain.store("episode", f"debugging-{number}", text, tags=["login"])
        brain.store("episode", "forgotten", "Nothing of note about the weather.")
        for id in ("episode-2026-02-forgotten",):
            brain.retrieve(id)
            for _ in range(6):
                brain.feedback("user_correction")
                brain.retrieve(id)
        clock.forward(days=90)
        brain.store("entity", "alice", "Leads the ML team.", category="people")
        brain.update(ALICE, BODY)
        brain.store("entity", "bob", "Writes the tests.", category="people")
        brain.retrieve(ALICE)
        brain.search("team")
        brain.settle()


def store(brain: Brain) -> None:
    brain.store("entity", "carol", "Owns the build.", category="builders")


def update(brain: Brain) -> None:
    brain.update(ALICE, "Leads the search team now.")


def archive(brain: Brain) -> None:
    brain.archive(BOB)


def restore(brain: Brain) -> None:
    brain.restore("entity-preferences-put-away")


def feedback(brain: Brain) -> None:
    brain.feedback("task_completed")


def compact(brain: Brain) -> None:
    brain.compact()


def undo(brain: Brain) -> None:
    brain.compaction.undo()


def write_digest(brain: Brain) -> None:
    brain.write_digest()


def purge(brain: Brain) -> None:
    brain.owner.purge("archive/entities/preferences/old-style.md")


def move(brain: Brain) -> None:
    brain.owner.move(ALICE, "leads/alice-chen")


def pin(brain: Brain) -> None:
    brain.owner.pin(BOB)


def revert(brain: Brain) -> None:
    brain.owner.revert(ALICE, "0001")


def load(brain: Brain) -> None:
    rows = [row for row in brain.ledger_text.dump() if '"drift"' not in row]
    brain.ledger_text.load(rows, replace=True)


def repair(brain: Brain) -> None:
    (brain.home / "memory/entities/people/dora.md").write_text("Brought by hand.\n")
    brain.checks.repair()


VERBS = [
    store, update, archive, restore, feedback, compact, undo, write_digest,
    purge, move, pin, revert, load, repair,
]  # fmt: skip


def prepared(home: Path, clock: Clock, verb: Callable[[Brain], object]) -> None:
    furnish(home, clock)
    if verb is undo:
        with open_brain(home, clock=clock) as brain:
            assert sum((run := brain.compact(), run.merged + run.archived)[1:]) >= 2


def texts(home: Path, folder: str) -> dict[str, str]:
    root = home / folder
    return {
        str(path.relative_to(root)): path.read_text() for path in sorted(root.rglob("*.md")) if path.name != "MEMORY.md"
    }


def state(home: Path, clock: Clock) -> dict[str, Any]:
    """All that a person or an agent can see, after whoever opens next has put things right."""
    with open_brain(home, session="killed", clock=clock) as brain:
        brain.sync(now=True)
        brain.settle()
        assert not brain.read_only, brain.take_warnings()
        faults = [finding for finding in brain.checks.check() if finding.fault]
        assert faults == []
        scores = {id: (round(each.score, 9), each.access_count) for id, each in brain.credits().items()}
        kept = sorted(brain.ledger.archived_paths())
        assert {memory.id for memory in brain.memories()} == scores.keys()
    assert os.listdir(home / ".clawbrain/tmp") == []
    return {"live": texts(home, "memory"), "away": texts(home, "archive"), "scores": scores, "kept": kept}


def once_more(home: Path, clock: Clock, verb: Callable[[Brain], object]) -> None:
    # What was done already may be refused for that.
    with open_brain(home, session="killed", clock=clock) as brain, suppress(Refused):
        verb(brain)


HALF_DONE = {undo, move, purge}  # several changes, each of them whole; the verb goes on where it was
UNLIKE_BEFORE = {repair}  # a file by hand came first


SLOW = {compact, undo, restore, load, purge}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_killed_anywhere_is_done_or_not_begun(home: Path, clock: Clock, verb: Callable[[Brain], object]) -> None:
    prepared(home, clock, verb)
    done = home.parent / "done"
    shutil.copytree(home, done)
    once_more(done, clock, verb)
    before, after = state(Path(shutil.copytree(home, home.parent / "before")), clock), state(done, clock)
    points = 0
    for number, killed in deaths(home, clock, verb, every=times(3, 1) if verb in SLOW else 1):
        points += 1
        found = state(killed, clock)
        if verb not in HALF_DONE | UNLIKE_BEFORE:
            assert found in (before, after), number
        once_more(killed, clock, verb)
        assert state(killed, clock) == after, number
    figure("killed at a step", verb=verb.__name__, points=points)


def looks(brain: Brain) -> None:
    brain.sync(now=True)
    brain.settle()


@pytest.mark.parametrize("verb", [verb for verb in VERBS if LONG or verb not in SLOW])
def test_its_recovery_killed_anywhere_loses_nothing_either(
    home: Path, clock: Clock, verb: Callable[[Brain], object]
) -> None:
    prepared(home, clock, verb)
    done = home.parent / "done"
    shutil.copytree(home, done)
    once_more(done, clock, verb)
    after = state(done, clock)
    points = 0
    for _, killed in deaths(home, clock, verb, every=times(2, 1)):
        for number in range(300):
            again = Path(shutil.copytree(killed, killed.parent / f"{killed.name}-again"))
            died = dies_at(number, again, clock, looks)
            points += died
            once_more(again, clock, verb)
            assert state(again, clock) == after, number
            shutil.rmtree(again)
            if not died:
                break
    figure("its recovery killed", verb=verb.__name__, points=points)


def test_a_migration_killed_anywhere_leaves_the_old_ledger_or_the_new(
    home: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(home, clock)
    before = state(Path(shutil.copytree(home, home.parent / "before")), clock)
    monkeypatch.setattr(ledger_file, "VERSION", ledger_file.VERSION + 1)
    further = lambda db: db.table("notes").insert({"key": "migrated", "value": "yes"})  # noqa: E731
    monkeypatch.setattr(ledger_schema, "MIGRATIONS", [*ledger_schema.MIGRATIONS, further])
    points = 0
    for number, killed in deaths(home, clock, lambda brain: None):
        points += 1
        assert state(killed, clock) == before, number
        with open_brain(killed, clock=clock) as brain:
            assert brain.ledger.note_of("migrated") == "yes"
    figure("killed at a step", verb="migration", points=points)


# The same at every system call that writes: what has no step of ours is a moment too


@pytest.mark.skipif(not can_trace(), reason="needs strace")
@pytest.mark.parametrize("verb", [store, update, archive, compact, *([undo, move, purge, load] if LONG else [])])
def test_a_verb_killed_at_any_system_call_is_done_or_not_begun(
    home: Path, clock: Clock, verb: Callable[[Brain], object]
) -> None:
    prepared(home, clock, verb)
    before = state(Path(shutil.copytree(home, home.parent / "before")), clock)
    done = Path(shutil.copytree(home, home.parent / "done"))
    all_points = points(done, verb.__name__, days=90)
    after = state(done, clock)
    assert len(all_points) > 20
    tried, points_met = all_points[:: times(max(1, len(all_points) // 5), 1)], 0
    for call, number in tried:
        killed = Path(shutil.copytree(home, home.parent / "killed"))
        kill = ("-e", f"trace={call}", "-e", f"inject={call}:signal=SIGKILL:when={number}")
        status, _ = run(killed, verb.__name__, 90, *kill)
        points_met += status != 0  # the index does not write the same pages every time
        found = state(killed, clock)
        assert found in (before, after) or verb in HALF_DONE, (call, number)
        once_more(killed, clock, verb)
        assert state(killed, clock) == after, (call, number)
        shutil.rmtree(killed)
    figure("killed at a system call", verb=verb.__name__, points=points_met)
    assert points_met > len(tried) * 0.7


# A person saves in the very instant of an update, and the update is killed


def saved_meanwhile(home: Path, clock: Clock, words: str, died_at: str, again: str = "") -> None:
    """An update that is killed at a step, after somebody saved the file just before the swap (and once more)."""
    path = home / "memory/entities/people/alice.md"
    child = os.fork()
    if child:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        return

    def at(step: str) -> None:
        if step == "replace: swap":
            path.write_text(words)
        if step == died_at:
            if again:
                path.write_text(again)
            os._exit(9)

    with open_brain(home, session="killed", clock=clock, at=at) as brain:
        brain.update(ALICE, "Ours.")
    os._exit(0)


@pytest.mark.parametrize("died_at", ["replace: compare", "replace: swap back", "replace: compare again"])
def test_a_save_in_the_instant_of_a_killed_update_is_in_its_place_again(home: Path, clock: Clock, died_at: str) -> None:
    furnish(home, clock)
    saved_meanwhile(home, clock, "Saved by hand.\n", died_at)
    with open_brain(home, clock=clock) as brain:
        said = brain.take_warnings()
    assert (home / "memory/entities/people/alice.md").read_text() == "Saved by hand.\n"
    assert died_at == "replace: compare again" or any("alice.md" in each for each in said)
    assert os.listdir(home / ".clawbrain/tmp") == []


def test_a_second_save_after_the_kill_keeps_its_place_and_the_first_stands_beside(home: Path, clock: Clock) -> None:
    furnish(home, clock)
    saved_meanwhile(home, clock, "Saved by hand.\n", "replace: compare", again="Saved once more.\n")
    with open_brain(home, clock=clock) as brain:
        assert any(".conflict-" in each for each in brain.take_warnings())
    people = home / "memory/entities/people"
    assert (people / "alice.md").read_text() == "Saved once more.\n"
    assert [path.read_text() for path in people.glob("alice.conflict-*.md")] == ["Saved by hand.\n"]


def test_without_a_word_where_it_belongs_a_saved_text_is_in_history(home: Path, clock: Clock) -> None:
    furnish(home, clock)
    saved_meanwhile(home, clock, "Saved by hand.\n", "replace: compare")
    for sign in (home / ".clawbrain/tmp").glob("p~*"):
        sign.unlink()
    with open_brain(home, clock=clock) as brain:
        assert any("history" in each for each in brain.take_warnings())
        kept = [brain.owner.old_text(ALICE, version.name) for version in brain.owner.history(ALICE)]
    assert "Saved by hand.\n" in kept
