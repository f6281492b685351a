"""What a memory has earned goes with it through `export` and `import`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from conftest import Clock

from clawbrain.brain import Brain, open_brain
from clawbrain.exchange import writing


@pytest.fixture
def praised(brain: Brain) -> Brain:
    for name in ("tea", "coffee"):
        brain.store("entity", name, f"About {name}.", category="drinks")
    brain.search("tea")
    brain.retrieve("entity-drinks-tea")
    brain.feedback("task_completed")
    return brain


def imported(run: Callable[..., Result], other: Path, file: Path) -> Result:
    return run("--home", other, "import", file)


@pytest.mark.parametrize("format", ["json", "csv"])
def test_score_accesses_and_signals_arrive(
    praised: Brain, run: Callable[..., Result], tmp_path: Path, clock: Clock, format: str
) -> None:
    file, other = tmp_path / f"all.{format}", tmp_path / "other"
    file.write_text(writing.WRITERS[format](writing.all_of(praised)))
    assert imported(run, other, file).exit_code == 0
    with open_brain(other, clock=clock) as brain:
        there = brain.credits()
        for id, credit in praised.credits().items():
            mine = (round(credit.score, 4), credit.access_count, credit.signals)
            assert (there[id].score, there[id].access_count, there[id].signals) == pytest.approx(mine)
        assert there["entity-drinks-tea"].score > 0.54 and brain.earned(["entity-drinks-tea"])
        assert [found for found in brain.checks.check() if found.fault] == []
    assert "opened 1 time" in run("--home", other, "show", "tea").stdout


@pytest.mark.parametrize(
    "odd",
    [{"credit_score": True}, {"credit_score": 7}, {"credit_score": "much"}, {"access_count": -1}, {"signals": 2**80}],
)
def test_credit_that_cannot_be_begins_anew_and_is_said(
    praised: Brain, run: Callable[..., Result], tmp_path: Path, clock: Clock, odd: dict[str, Any]
) -> None:
    whole = json.loads(writing.as_json(writing.all_of(praised)))
    for row in whole["memories"]:
        row |= odd
    file, other = tmp_path / "all.json", tmp_path / "other"
    file.write_text(json.dumps(whole))
    assert "credit cannot be" in imported(run, other, file).output
    with open_brain(other, clock=clock) as brain:
        assert {credit.score for credit in brain.credits().values()} == {0.5} and len(brain.credits()) == 2


def test_what_was_exported_before_signals_were_is_taken_in(
    praised: Brain, run: Callable[..., Result], tmp_path: Path, clock: Clock
) -> None:
    whole = json.loads(writing.as_json(writing.all_of(praised)))
    for row in whole["memories"]:
        del row["signals"]
    file, other = tmp_path / "all.json", tmp_path / "other"
    file.write_text(json.dumps(whole))
    assert imported(run, other, file).exit_code == 0
    with open_brain(other, clock=clock) as brain:
        assert brain.credits()["entity-drinks-tea"].score > 0.54


def test_a_memory_that_is_here_keeps_its_own_credit(praised: Brain, run: Callable[..., Result], tmp_path: Path) -> None:
    whole = json.loads(writing.as_json(writing.all_of(praised)))
    for row in whole["memories"]:
        row["credit_score"] = 0.9
    file = tmp_path / "all.json"
    file.write_text(json.dumps(whole))
    before = praised.credits()
    imported(run, praised.home, file)
    assert praised.credits() == before
