"""Ledgers from before there were kinds of questions: their scores stay, what they learnt counts for every question."""

import json
import math
import shutil
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock, deaths
from sqlite_utils import Database

from clawbrain.brain import Brain, open_brain, run_text
from clawbrain.credit import SIGNALS, Earned, for_question
from clawbrain.storage import ledger_schema

ROWS = [json.loads(line) for line in (Path(__file__).parent / "ledger-2.jsonl").read_text().splitlines()]
FEED, FERRY, GONE, UNTOUCHED = (f"entity-projects-{name}" for name in ("feed", "ferry", "gone", "untouched"))
LUNCH, AUTH, TWICE = (f"episode-2026-02-{name}" for name in ("lunch", "auth-one", "auth-two"))


def rows(table: str) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "table"} for row in ROWS if row["table"] == table]


@pytest.fixture
def old(home: Path, clock: Clock) -> Path:
    """A home whose ledger is of the second version; of its files one lies in the archive."""
    ledger = home / ".clawbrain/ledger.db"
    ledger.unlink()
    shutil.rmtree(home / ".clawbrain/backups", ignore_errors=True)
    db = sqlite3.connect(ledger)
    for step in ledger_schema.MIGRATIONS[:2]:
        step(Database(db, execute_plugins=False))
    for row in ROWS:
        values = {name: value for name, value in row.items() if name != "table"}
        db.execute(
            f"INSERT INTO {row['table']} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
            [*values.values()],
        )
    db.execute("PRAGMA user_version = 2")
    db.commit()
    db.close()
    for folder, name in (("archive", "gone"), ("memory", "feed"), ("memory", "untouched")):
        file = home / folder / f"entities/projects/{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"The {name} notes about harbour.\n")
    clock.now = datetime.fromisoformat("2026-03-15T07:00:00Z")
    return home


@pytest.fixture
def migrated(old: Path, opened: Callable[..., Brain]) -> Brain:
    return opened()


def general(id: str, now: str) -> float:
    """Return the sum that the old rows of a memory's newest life come to without a question."""
    x, at = 0.0, now
    for row in rows("credit_events"):
        if row["memory_id"] == id and row["event_type"] != "drift":
            x *= math.exp(-0.005 * days(at, row["created_at"]))
            at = row["created_at"]
            if row["event_type"] in SIGNALS:
                surprise = (row["reward"] > 0) - row["expected"]
                x += row["rate"] * 2 * abs(row["reward"]) * row["share"] * surprise
            elif row["event_type"] in ("merge", "promote", "undo"):
                x += logit(row["new_score"]) - logit(row["old_score"])
            elif row["event_type"] == "store":
                x = 0.0
    return x * math.exp(-0.005 * days(at, now))


def days(earlier: str, later: str) -> float:
    then, now = (datetime.fromisoformat(at) for at in (earlier, later))
    return max(0.0, (now - then).total_seconds() / 86_400)


def logit(score: float) -> float:
    return math.log(score / (1 - score))


def test_all_that_was_there_is_there_unchanged(migrated: Brain) -> None:
    for table in ("credit_records", "archived_records", "credit_events", "turn_records", "runs"):
        columns = ", ".join({"reactivations": "asked_for"}.get(name, name) for name in rows(table)[0])
        there = migrated.ledger._all(f"SELECT {columns} FROM {table} ORDER BY rowid")
        assert there[: len(rows(table))] == [tuple(row.values()) for row in rows(table)], table


@pytest.mark.parametrize("id", [FEED, FERRY, LUNCH, AUTH])
def test_signals_merges_and_promotions_count_without_a_question(migrated: Brain, id: str) -> None:
    earned = migrated.earned([id])[id]
    assert earned == Earned(pytest.approx(general(id, "2026-03-15T07:00:00Z"), abs=1e-12)) and earned.general
    assert 0.45 <= for_question(earned, ((FEED, 1.0),)) <= 0.5502


def test_what_nobody_spoke_of_has_earned_nothing(migrated: Brain) -> None:
    assert migrated.earned([UNTOUCHED]) == {}


def test_what_lay_in_the_archive_comes_back_with_what_it_earned(migrated: Brain) -> None:
    assert migrated.earned([GONE]) == {}
    migrated.restore(GONE)
    back = migrated.earned([GONE])[GONE]
    assert back == Earned(pytest.approx(general(GONE, "2026-03-15T07:00:00Z"), abs=1e-12)) and back.general < 0


def test_what_was_restored_before_keeps_what_it_earned(old: Path, opened: Callable[..., Brain]) -> None:
    """Old ledgers say only that a memory came back, neither that it was put away nor where it lay."""
    praise = {"event_type": "task_completed", "reward": 0.5, "share": 1.0, "expected": 0.5, "rate": 0.4}
    praised = [("store", {}), *[("task_completed", praise)] * 3]
    restored, beside = "entity-projects-restored", "entity-projects-beside"
    with sqlite3.connect(old / ".clawbrain/ledger.db") as db:
        for id, more in ((restored, [("restore", {})]), (beside, [])):
            for type, values in [*praised, *more]:
                row = {"memory_id": id, "event_type": type, "old_score": 0.5, "new_score": 0.5} | values
                row["created_at"] = "2026-03-15T07:00:00Z"
                marks = ", ".join("?" * len(row))
                db.execute(f"INSERT INTO credit_events ({', '.join(row)}) VALUES ({marks})", [*row.values()])
    brain = opened()
    earned = brain.earned([restored, beside])
    assert earned[restored] == earned[beside] == Earned(pytest.approx(0.6))
    assert brain.ledger.unlike_events() == []


def test_what_was_restored_and_put_away_again_comes_back_with_what_it_earned(old: Path, migrated: Brain) -> None:
    events = [row["event_type"] for row in rows("credit_events") if row["memory_id"] == TWICE]
    assert events[-1] == "restore"
    file = old / "archive/episodes/2026-02/auth-two.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("The token expired.\n")
    migrated.restore(TWICE)
    back = migrated.earned([TWICE])[TWICE]
    assert back == Earned(pytest.approx(general(TWICE, "2026-03-15T07:00:00Z"), abs=1e-12)) and back.general < 0


def test_a_check_finds_nothing_broken_and_evidence_follows_from_the_events(migrated: Brain) -> None:
    assert [finding for finding in migrated.checks.check() if finding.fault] == []
    assert migrated.ledger.unlike_events() == []


def test_a_turn_from_before_is_scored_as_one_without_a_question(migrated: Brain) -> None:
    assert [turn.kind for turn in migrated.ledger.turns_since_signal("session-1")] == [()]
    migrated.feedback("task_completed", [UNTOUCHED])
    earned = migrated.earned([UNTOUCHED])[UNTOUCHED]
    assert earned.general > 0 and earned.by_kind == ()


def test_a_dump_from_before_is_loaded_as_a_ledger_from_before_is_opened(
    migrated: Brain, tmp_path: Path, clock: Clock
) -> None:
    ids = {row["id"] for row in rows("credit_records")}
    lines = [json.dumps(row) for row in ROWS if row["table"] != "sessions"]
    with open_brain(tmp_path / "other", session="s", clock=clock) as other:
        other.ledger_text.load(lines)
        assert other.earned(ids) == migrated.earned(ids) != {}
        assert other.ledger.unlike_events() == []


def test_plans_of_old_runs_speak_of_the_archive_in_the_words_of_today(
    old: Path, opened: Callable[..., Brain], tmp_path: Path, clock: Clock
) -> None:
    action = {"action": "restore", "id": GONE, "archive_path": "entities/projects/gone.md", "reactivations": 3}
    action |= {"expects": [[GONE, "0" * 64, 0.5]], "reason": "It was asked for.", "detail": "Restored it"}
    plan = json.dumps({"now": "2026-03-01T10:00:00Z", "actions": [action], "conflicts": []})
    run = {"id": "old-run", "plan": plan, "done": 1, "state": "done", "created_at": "2026-03-01T10:00:00Z"}
    with sqlite3.connect(old / ".clawbrain/ledger.db") as db:
        marks = ", ".join("?" * len(run))
        db.execute(f"INSERT INTO runs ({', '.join(run)}) VALUES ({marks})", [*run.values()])
    brain = opened()
    carried = brain.ledger.run("old-run")
    assert carried and [each.times for each in run_text.from_text(carried.plan).actions] == [3]  # type: ignore[union-attr]
    with open_brain(tmp_path / "other", session="s", clock=clock) as other:
        other.ledger_text.load([json.dumps({"table": "runs", **run})])
        again = other.ledger.run("old-run")
        assert again and again.plan == carried.plan


@pytest.mark.parametrize(
    "plan", ['{"actions": "reactivations"', '["reactivations"]', '{"actions": [{"reactivations": 1}]}']
)
def test_a_plan_of_before_that_cannot_be_keeps_no_ledger_from_being_migrated(
    old: Path, opened: Callable[..., Brain], plan: str
) -> None:
    with sqlite3.connect(old / ".clawbrain/ledger.db") as db:
        db.execute("INSERT INTO runs VALUES ('odd', ?, 0, 'done', '2026-03-01T10:00:00Z', NULL)", [plan])
    brain = opened()
    assert brain.ledger.lasting and brain.ledger._one("SELECT plan FROM runs WHERE id = 'odd'") == (plan,)


@pytest.mark.parametrize("asked", [0, 5])
def test_how_often_the_archive_was_asked_is_kept(old: Path, opened: Callable[..., Brain], asked: int) -> None:
    with sqlite3.connect(old / ".clawbrain/ledger.db") as db:
        db.execute("UPDATE archived_records SET reactivations = ? WHERE id = ?", [asked, GONE])
    assert opened().ledger.asked_for().get("entities/projects/gone.md", 0) == asked


@pytest.mark.parametrize(
    "harm",
    [
        "UPDATE credit_events SET created_at = 'yesterday' WHERE id = 8",
        "UPDATE credit_events SET share = 'much', rate = NULL WHERE id = 8",
        "UPDATE credit_events SET event_type = CAST(x'ff6b' AS TEXT) WHERE id = 8",
    ],
)
def test_an_event_that_cannot_be_keeps_no_ledger_from_being_migrated(
    old: Path, opened: Callable[..., Brain], harm: str
) -> None:
    with sqlite3.connect(old / ".clawbrain/ledger.db") as db:
        db.execute(harm)
    brain = opened()
    assert brain.ledger.lasting and brain.earned([LUNCH])[LUNCH].general


def test_a_kill_while_it_is_migrated_loses_nothing(old: Path, clock: Clock) -> None:
    for number, killed in deaths(old, clock, lambda brain: None):
        with open_brain(killed, session="s", clock=clock) as brain:
            assert brain.earned([LUNCH])[LUNCH].general, number


def test_turns_from_before_there_were_recalls_are_none(migrated: Brain) -> None:
    assert migrated.recalls.listed() == []
