"""A hundred thousand memories in the long form, some hundreds otherwise: opening, storing and checking stay quick."""

import random
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import Clock
from measure import LONG, Stopwatch, figure, percentile, times

from clawbrain.brain import open_brain

FILES = times(600, 100_000)
WORDS = [f"word{number}" for number in range(5_000)]
ONCE = """
import sys, time, resource
from pathlib import Path
begun = time.perf_counter()
from clawbrain.brain import open_brain
with open_brain(Path(sys.argv[1]), session="s") as brain:
    assert brain.search("word17 word4000").hits
    print(time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("large") / "home"
    chance = random.Random(1)
    for number in range(FILES):
        folder = home / f"memory/entities/c{number % 97}"
        if number < 97:
            folder.mkdir(parents=True)
        text = " ".join(chance.choices(WORDS, k=60))
        (folder / f"m{number}.md").write_text(f'---\ncreated: "2026-01-01T00:00:00Z"\n---\n\n{text}.\n')
    with open_brain(home) as brain, Stopwatch() as first:
        brain.sync(now=True)
        brain.settle()
    figure("a first look", files=FILES, seconds=round(first.seconds, 1))
    return home


def test_a_warm_open_and_search_is_quick_and_small(large: Path) -> None:
    took, megabytes = [], 0.0
    for _ in range(3):
        ended = subprocess.run([sys.executable, "-c", ONCE, str(large)], capture_output=True, text=True, check=True)
        seconds, megabytes = map(float, ended.stdout.split())
        took.append(seconds)
    figure("open and search, warm", files=FILES, seconds=round(min(took), 2), megabytes=round(megabytes))
    assert min(took) < 3 and megabytes < 500


def test_storing_stays_quick(large: Path, clock: Clock) -> None:
    chance, took = random.Random(2), []
    with open_brain(large, session="s") as brain:
        for number in range(times(30, 100)):
            text = " ".join(chance.choices(WORDS, k=60)) + "."
            begun = time.perf_counter()
            brain.store("entity", f"new{number}", text, category="c1")
            took.append(time.perf_counter() - begun)
            brain.settle()
    figure("store", files=FILES, p50_ms=percentile(took, 0.5), p95_ms=percentile(took, 0.95))
    assert percentile(took, 0.95) < times(500, 50)


def test_checking_ends(large: Path) -> None:
    with open_brain(large) as brain, Stopwatch() as check:
        assert [finding for finding in brain.checks.check() if finding.fault] == []
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    figure("check", files=FILES, seconds=round(check.seconds, 1), megabytes=most)
    assert check.seconds < times(60, 120)
    assert most < 1_000 or not LONG
