"""Several processes and a person with an editor, all at work on one home at the same time."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
import test_kills
from conftest import Clock
from mcp_client import Client
from measure import LONG, figure, percentile, times

from clawbrain.brain import Brain, open_brain
from clawbrain.errors import AlreadyExists, Changed, ClawbrainError, Refused

FORK = get_context("fork")
WORDS = ["tea", "login", "cache", "index", "deploy", "queue", "retry", "token", "schema", "budget"]
LOG = "entity-things-log"


def body(key: str, version: int) -> str:
    """Words for the search, and marks that show a torn text; no claims, so that none contradicts another."""
    marks = "\n".join(f"{key}/{version}/{line}/{hash((key, version, line)):x}" for line in range(30))
    return f"{key} at {version}.\n{' '.join(WORDS)}?\n{marks}\nEnd."


def whole(key: str, text: str) -> int:
    """Which version of a key a text is, all of it."""
    found = re.match(rf"{key} at (\d+)\.", text)
    assert found and text == body(key, int(found[1])), f"torn: {text[:80]!r}"
    return int(found[1])


class Worker:
    """One process's mixed calls, and what it was told."""

    def __init__(self, brain: Brain, who: int, calls: int) -> None:
        self.brain, self.who, self.calls = brain, who, calls
        self.chance = random.Random(who)
        self.mine: dict[str, int | None] = {}
        self.created: list[str] = []
        self.marks: list[str] = []
        self.took: list[float] = []
        self.failed: list[str] = []

    def work(self) -> dict[str, Any]:
        for number in range(self.calls):
            begun = time.perf_counter()
            try:
                with suppress(AlreadyExists):
                    self.call(number)
            except Exception as error:  # everything else is what this test looks for
                self.failed.append(f"{type(error).__name__}: {error}")
            self.took.append(time.perf_counter() - begun)
            self.brain.settle()
        return {name: getattr(self, name) for name in ("mine", "created", "marks", "took", "failed")}

    def call(self, number: int) -> None:
        kind = self.chance.random()
        live = [key for key, version in self.mine.items() if version is not None]
        if kind < 0.3 or not live:
            key = f"p{self.who}-{number}"
            self.brain.store("entity", key, body(key, number), category="things")
            self.mine[key] = number
        elif kind < 0.45:
            key = self.chance.choice(live)
            self.brain.update(f"entity-things-{key}", body(key, number))
            self.mine[key] = number
        elif kind < 0.52:
            key = self.chance.choice(live)
            self.brain.archive(f"entity-things-{key}")
            self.mine[key] = None
        elif kind < 0.7:
            self.brain.search(self.chance.choice(WORDS))
        elif kind < 0.8:
            key = self.chance.choice(live)
            assert whole(key, self.brain.retrieve(f"entity-things-{key}").memory.content) == self.mine[key]
        elif kind < 0.9:
            key = f"race-{number // 5}"
            self.brain.store("entity", key, body(key, self.who), category="races")
            self.created.append(key)
        else:
            self.append(f"MARK{self.who}x{number};")

    def append(self, mark: str) -> None:
        for _ in range(200):
            text = self.brain.retrieve(LOG).memory.content
            try:
                self.brain.update(LOG, text + " " + mark)
            except Changed:
                continue
            self.marks.append(mark)
            return


def in_process(home: str, who: int, calls: int, said: Any) -> None:
    with open_brain(Path(home), session=f"s{who}") as brain:
        said.put(Worker(brain, who, calls).work())


def compacts(home: str, stop: Any) -> None:
    with open_brain(Path(home)) as brain:
        while not stop.is_set():
            brain.compact()
            time.sleep(0.05)


def test_nothing_is_lost_locked_or_made_twice_beside_a_compaction_in_a_loop(home: Path) -> None:
    processes, calls = times(4, 8), times(25, 1_000)
    with open_brain(home) as brain:
        brain.store("entity", "log", "LOG", category="things")
    said, stop = FORK.Queue(), FORK.Event()
    workers = [FORK.Process(target=in_process, args=(str(home), who, calls, said)) for who in range(processes)]
    compactor = FORK.Process(target=compacts, args=(str(home), stop))
    begun = time.perf_counter()
    for each in (*workers, compactor):
        each.start()
    told = [said.get(timeout=600) for _ in workers]
    seconds = time.perf_counter() - begun
    stop.set()
    for each in (*workers, compactor):
        each.join()
    assert [each.exitcode for each in (*workers, compactor)] == [0] * (processes + 1)
    assert [fault for each in told for fault in each["failed"]] == []
    took = [second for each in told for second in each["took"]]
    figure(
        "calls of several processes", processes=processes, calls=len(took), seconds=round(seconds, 1),
        p50_ms=percentile(took, 0.5), p99_ms=percentile(took, 0.99), most_ms=percentile(took, 1.0),
    )  # fmt: skip
    all_is_there(home, told)


def all_is_there(home: Path, told: list[dict[str, Any]]) -> None:
    with open_brain(home) as brain:
        for each in told:
            for key, version in each["mine"].items():
                if version is None:
                    assert brain.known(f"entity-things-{key}") is None
                else:
                    assert whole(key, brain.retrieve(f"entity-things-{key}").memory.content) == version
        log = brain.retrieve(LOG).memory.content
        assert [mark for each in told for mark in each["marks"] if mark not in log] == []
        assert [
            key for key, times in Counter(key for each in told for key in each["created"]).items() if times > 1
        ] == []
        assert [finding for finding in brain.checks.check() if finding.fault] == []


@pytest.mark.skipif(not LONG, reason="only in the long form")
def test_the_same_with_servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWBRAIN_HOME", str(tmp_path / "home"))
    servers = [Client() for _ in range(8)]
    took: list[float] = []
    failed: list[str] = []

    def work(who: int, client: Client) -> None:
        chance = random.Random(who)
        for number in range(300):
            name, first = f"p{who}-{number}", f"entity-things-p{who}-0"
            new = {"type": "entity", "category": "things", "name": name, "content": body(name, number)}
            others = [
                ("memory_store", new),
                ("memory_search", {"query": chance.choice(WORDS)}),
                ("memory_retrieve", {"id": first}),
                ("memory_update", {"id": first, "content": body(name, number)}),
            ]
            tool, words = chance.choice(others if number else others[:1])
            begun = time.perf_counter()
            answer = client.call(tool, **words)
            took.append(time.perf_counter() - begun)
            if answer.get("isError"):
                failed.append(answer["content"][0]["text"])

    threads = [threading.Thread(target=work, args=(who, client)) for who, client in enumerate(servers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for client in servers:
        client.ends()
        client.__exit__()
    assert failed == []
    figure(
        "calls to several servers",
        servers=8,
        calls=len(took),
        p50_ms=percentile(took, 0.5),
        p99_ms=percentile(took, 0.99),
    )


# Two compactions, one of them killed


def compact_once(home: str) -> None:
    with open_brain(Path(home), session="killed", clock=later()) as brain:
        brain.compact()


def later() -> Clock:
    clock = Clock()
    clock.forward(days=90)
    return clock


def test_of_two_compactions_one_may_be_killed(tmp_path: Path) -> None:
    """Every body once, and the credit what one compaction alone makes of it."""
    start = tmp_path / "start"
    clock = Clock()
    test_kills.furnish(start, clock)
    alone = Path(shutil.copytree(start, tmp_path / "alone"))
    compact_once(str(alone))
    expected = test_kills.state(alone, clock)
    rounds = times(6, 200)
    for number in range(rounds):
        home = Path(shutil.copytree(start, tmp_path / "home"))
        killed, other = (FORK.Process(target=compact_once, args=(str(home),)) for _ in range(2))
        killed.start()
        other.start()
        time.sleep(random.Random(number).random() * 0.08)
        killed.kill()
        killed.join()
        other.join()
        assert other.exitcode == 0, number
        assert test_kills.state(home, clock) == expected, number
        shutil.rmtree(home)
    figure("two compactions, one killed", rounds=rounds)


# A person saves while an agent updates


def by_rename(path: Path, text: str) -> None:
    spare = path.with_name(".save")
    spare.write_text(text)
    spare.replace(path)


def in_place(path: Path, text: str) -> None:
    with path.open("w") as file:
        file.write(text)


def by_deleting(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(text)


def by_git(path: Path, text: str) -> None:
    """git writes the new file after it has removed the old one."""
    path.unlink(missing_ok=True)
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(fd, text.encode())
    os.close(fd)


WAYS: list[Callable[[Path, str], None]] = [by_rename, in_place, by_deleting, by_git]


def saves(path: str, number: int) -> None:
    """One process's worth of saves, each with words of its own."""
    chance = random.Random(number)
    for save in range(number):
        with suppress(FileExistsError):  # a text was put back in that instant; git would say so and stop
            WAYS[save % len(WAYS)](Path(path), f"Saved {save}.\n")
        time.sleep(chance.random() * 0.004)


def test_no_save_of_an_editor_is_overwritten_blindly(home: Path) -> None:
    """An update takes the place of the text that it was shown, which is in history then, and of no other."""
    count, blind = times(80, 1_000), []
    with open_brain(home, session="agent") as brain:
        brain.store("entity", "note", "The beginning.", category="things")
        path = home / "memory/entities/things/note.md"
        shelf = home / f".clawbrain/history/entity-things-note@{brain.ledger.life_of('entity-things-note')}"
        editor = FORK.Process(target=saves, args=(str(path), count))
        editor.start()
        updates = refused = 0
        while editor.is_alive():
            with suppress(ClawbrainError, OSError):
                refused += 1
                shown = brain.retrieve("entity-things-note").memory.content
                brain.update("entity-things-note", f"Update {updates}.")
                updates, refused = updates + 1, refused - 1
                replaced = max(shelf.iterdir()).read_text()
                blind += [] if replaced.strip().endswith(shown) else [(shown, replaced)]
        editor.join()
    assert editor.exitcode == 0 and blind == [] and updates > 0
    last, kept = f"Saved {count - 1}.\n", [path, *shelf.iterdir(), *path.parent.glob("*.conflict-*")]
    assert any(each.read_text().endswith(last) for each in kept)
    figure("saves against updates", saves=count, updates=updates, refused=refused, blind=len(blind))


def test_a_store_is_not_half_seen_by_another_process(home: Path) -> None:
    """A reader that looks all the time sees every version whole."""
    stop = FORK.Event()

    def writes() -> None:
        with open_brain(home) as brain:
            brain.store("entity", "k", body("k", 0), category="things")
            version = 0
            while not stop.is_set():
                version += 1
                brain.update("entity-things-k", body("k", version))
        os._exit(0)

    writer = FORK.Process(target=writes)
    writer.start()
    versions = set()
    with open_brain(home, read_only=True) as reader:
        end = time.monotonic() + times(1.0, 20.0)
        while time.monotonic() < end or (len(versions) <= 5 and writer.is_alive()):
            try:
                versions.add(whole("k", reader.retrieve("entity-things-k").memory.content))
            except Refused:
                continue
    stop.set()
    writer.join()
    assert len(versions) > 5


def test_a_server_killed_in_the_middle_leaves_the_lock_free(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWBRAIN_HOME", str(home))
    with Client() as client:
        for number in range(20):
            client.post_call("memory_store", type="entity", category="things", name=f"m{number}", content="text")
        client.process.send_signal(signal.SIGKILL)
        client.process.wait()
    done = subprocess.run(
        [sys.executable, "-m", "clawbrain", "store", "entity", "after", "--category", "things", "text"],
        capture_output=True, timeout=30,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
