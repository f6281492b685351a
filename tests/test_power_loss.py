"""The power goes: whatever the disk had not been told to keep may be gone, and no memory is."""

import shutil
import tempfile
from pathlib import Path

import pytest
import test_kills
from conftest import Clock
from measure import figure, times
from power import Recording, record, write
from traced import can_trace

from clawbrain.storage import cache

pytestmark = pytest.mark.skipif(not can_trace(), reason="needs strace")


@pytest.fixture
def after_a_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The index does without fsync and is made anew when the machine has started again."""
    monkeypatch.setattr(cache, "_boot", lambda: "another")


def is_of_a_name(recording: Recording, number: int) -> bool:
    return not recording.changes[number].said.startswith(("write", "truncate"))


@pytest.mark.parametrize("verb", ["store", "update", "archive", "compact"])
def test_no_loss_of_power_takes_a_memory(home: Path, clock: Clock, verb: str, after_a_start: None) -> None:
    test_kills.furnish(home, clock)
    before = test_kills.state(Path(shutil.copytree(home, home.parent / "before")), clock)
    recording = record(home, "test_kills", verb, days=90)
    after = test_kills.state(home, clock)
    assert before != after
    tried = 0
    losses = list(recording.losses(times(30, 2_000), seed=1))
    names = [loss for loss in losses if len(loss[1]) == 1 and is_of_a_name(recording, *loss[1])]
    few = [*losses[:: max(1, len(losses) // 50)], *names[:: max(1, len(names) // 30)]]
    for moment, dropped in times(few, losses):
        with tempfile.TemporaryDirectory(dir=home.parent) as folder:
            left = Path(folder) / "home"
            write(recording.left(moment, dropped), left)
            found = test_kills.state(left, clock)
            done = moment == len(recording.changes)  # the answer was given: all of it must be there
            said = [recording.changes[number].said for number in dropped]
            assert found == after if done else found in (before, after), (moment, said)
            tried += 1
    figure("losses of power", verb=verb, changes=len(recording.changes), tried=tried)
