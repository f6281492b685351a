"""A disk that is full, failing or read-only: nothing is lost, it is said, and afterwards all works again."""

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import test_kills
from conftest import Clock
from mcp_client import Client
from measure import LONG, figure, times
from traced import can_trace, points, run

from clawbrain.brain import Brain, open_brain
from clawbrain.errors import ClawbrainError

VERBS = ["store", "update", "archive", "compact", *(["restore", "move", "purge", "undo"] if LONG else [])]
ERRORS = ["ENOSPC", "EIO", "EACCES"]


@pytest.mark.skipif(not can_trace(), reason="needs strace")
@pytest.mark.parametrize("verb", VERBS)
def test_a_call_that_fails_loses_nothing_and_the_process_goes_on(home: Path, clock: Clock, verb: str) -> None:
    test_kills.prepared(home, clock, getattr(test_kills, verb))
    before = test_kills.state(Path(shutil.copytree(home, home.parent / "before")), clock)
    done = Path(shutil.copytree(home, home.parent / "done"))
    lies = [(call, number, error) for call, number in points(done, verb, days=90) for error in ERRORS]
    assert len(lies) > 60
    after = test_kills.state(done, clock)
    tried = lies[:: times(max(1, len(lies) // 3), 1)]
    for call, number, error in tried:
        troubled = Path(shutil.copytree(home, home.parent / "troubled"))
        lie = ("-e", f"trace={call}", "-e", f"inject={call}:error={error}:when={number}")
        status, said = run(troubled, verb, 90, *lie, afterwards=True)
        where = (call, number, error, said)
        # How often a verb writes varies a little with the time: a lie it did not meet is told to the store after it.
        assert status == 0 and (said["later"] == said["seen"] == "ok" or said["verb"] == "ok"), where
        found = without_the_later(test_kills.state(troubled, clock))
        if verb in PARTLY:
            test_kills.once_more(troubled, clock, getattr(test_kills, verb))
            found = without_the_later(test_kills.state(troubled, clock))
            assert found == after, where
        else:
            assert found == after if said["verb"] == "ok" else found in (before, after), where
        shutil.rmtree(troubled)
    figure("a system call failed", verb=verb, points=len(tried))


@pytest.mark.skipif(not can_trace(), reason="needs strace")
@pytest.mark.parametrize("trouble", ["error=EIO:when={}", "error=ENOMEM:when={}+", "error=ENOMEM:when={}+4"])
def test_a_ledger_that_the_disk_does_not_give_out_is_not_set_aside(home: Path, clock: Clock, trouble: str) -> None:
    test_kills.furnish(home, clock)
    before = test_kills.state(Path(shutil.copytree(home, home.parent / "before")), clock)
    for number in [*range(3, times(6, 60)), 45]:  # the first two reads are the loader's
        troubled = Path(shutil.copytree(home, home.parent / "troubled"))
        lie = ("-e", "trace=pread64", "-e", f"inject=pread64:{trouble.format(number)}")
        status, said = run(troubled, "looks", 90, *lie)
        assert status == 0 or "+" in trouble, (number, said)
        assert list((troubled / ".clawbrain").glob("*.corrupt-*")) == [], number
        assert test_kills.state(troubled, clock) == before, number
        shutil.rmtree(troubled)


# A disk that is really full


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "none", str(disk)], capture_output=True
    )
    if not mounted or mounted.returncode:
        pytest.skip("mounting needs root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path, leave: int = 0) -> Path:
    """Until not a byte more fits, then a few again."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            file.truncate(max(0, file.tell() - leave))
    return ballast


def keep_storing(brain: Brain, first: int, most: int) -> dict[str, str]:
    """Stores and updates until the disk refuses; what was answered."""
    kept: dict[str, str] = {}
    for number in range(first, first + most):
        text = f"Number {number}. " + "Words that take room. " * 40 + "End."
        try:
            brain.store("entity", f"m{number}", text, category="things")
            kept[f"entity-things-m{number}"] = text
            brain.update(f"entity-things-m{number}", text + "Twice.")
            kept[f"entity-things-m{number}"] = text + "Twice."
        except (OSError, ClawbrainError):
            break
    return kept


@pytest.mark.parametrize("leave", [0, 4096, 40_000, 200_000, *(range(8192, 400_000, 12_288) if LONG else [])])
def test_a_full_disk_loses_nothing_and_is_usable_when_there_is_room_again(
    small_disk: Path, clock: Clock, leave: int
) -> None:
    home = small_disk / "home"
    with open_brain(home, session="s", clock=clock) as brain:
        kept = keep_storing(brain, 0, 20)
        assert len(kept) == 20
        ballast = fill(small_disk, leave)
        kept |= keep_storing(brain, 100, 400)
        for id, text in kept.items():
            assert brain.retrieve(id).memory.content == text
        brain.search("words")
        ballast.unlink()
        brain.store("entity", "afterwards", "There is room again.", category="things")
    with open_brain(home, session="s", clock=clock) as brain:
        assert [finding for finding in brain.checks.check() if finding.fault] == []
        for id, text in kept.items():
            assert brain.retrieve(id).memory.content == text
        assert brain.retrieve("entity-things-afterwards").memory.content == "There is room again."


def test_a_home_on_a_full_disk_opens_and_serves(small_disk: Path, clock: Clock) -> None:
    home = small_disk / "home"
    with open_brain(home, session="s", clock=clock) as brain:
        kept = keep_storing(brain, 0, 5)
    ballast = fill(small_disk)
    with open_brain(home, session="s", clock=clock) as brain:
        for id, text in kept.items():
            assert brain.retrieve(id).memory.content == text
    ballast.unlink()
    with open_brain(home, session="s", clock=clock) as brain:
        brain.store("entity", "afterwards", "There is room again.", category="things")


def test_a_home_that_cannot_be_made_for_want_of_room_is_said(small_disk: Path, clock: Clock) -> None:
    fill(small_disk)
    with pytest.raises((OSError, ClawbrainError)), open_brain(small_disk / "home", clock=clock) as brain:
        brain.store("entity", "m", "text", category="things")


def test_a_read_only_disk_is_read(small_disk: Path, clock: Clock) -> None:
    home = small_disk / "home"
    with open_brain(home, session="s", clock=clock) as brain:
        kept = keep_storing(brain, 0, 3)
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with open_brain(home, session="s", clock=clock) as brain:
        assert brain.take_warnings() != []
        assert brain.search("words").total == 3
        for id, text in kept.items():
            assert brain.retrieve(id).memory.content == text
        with pytest.raises(ClawbrainError):
            brain.store("entity", "m", "text", category="things")


@pytest.mark.parametrize("room", [1, 600, 5_000, *(range(0, 120_000, 4_000) if LONG else [])])
def test_a_limit_on_the_size_of_files_loses_nothing(home: Path, clock: Clock, room: int) -> None:
    """RLIMIT_FSIZE: a write beyond it fails in the middle of a file."""
    with open_brain(home, session="s", clock=clock) as brain:
        kept = keep_storing(brain, 0, 3)
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            with open_brain(home, session="s", clock=clock) as brain:
                keep_storing(brain, 100, 3)
        except Exception:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in (0, 1)
    with open_brain(home, session="s", clock=clock) as brain:
        for id, text in kept.items():
            assert brain.retrieve(id).memory.content == text
        assert [finding for finding in brain.checks.check() if finding.fault] == []
        brain.store("entity", "afterwards", "All is well again.", category="things")


def test_a_server_lives_on_a_full_disk(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWBRAIN_HOME", str(small_disk / "home"))
    with Client() as client:
        client.call("memory_store", type="entity", category="things", name="first", content="Stored in time.")
        ballast = fill(small_disk)
        refusal = client.call("memory_store", type="entity", category="things", name="late", content="word " * 20_000)
        assert refusal["isError"] and "No space left" in refusal["content"][0]["text"]
        found = client.call("memory_retrieve", id="entity-things-first")["structuredContent"]
        assert found["content"] == "Stored in time."
        ballast.unlink()
        assert not client.call(
            "memory_store", type="entity", category="things", name="late", content="word " * 20_000
        ).get("isError")


PARTLY = {"compact", "undo", "move", "purge"}  # several changes, each whole


def without_the_later(found: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    found["live"].pop("entities/later/later.md", None)
    found["scores"].pop("entity-later-later", None)
    return found
