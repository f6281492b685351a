"""Arguments of a model that was talked into something, somebody else's files, lines that are no JSON."""

import json
import os
import random
import shutil
import string
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_client import Client
from measure import figure, times

from clawbrain import profiles
from clawbrain.brain import Brain, open_brain
from clawbrain.errors import Broken, ClawbrainError, ReadOnly, Refused
from clawbrain.profiles.clawbrain.tools import Profile

SHEET = profiles.load("clawbrain")
TOOLS = {tool["name"]: tool for tool in SHEET["tools"]}
NASTY = [
    "",
    " ",
    ".",
    "..",
    "../x",
    "../../x",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "a\0b",
    "a\nb",
    "-rf",
    "~",
    "$HOME",
    "%2e%2e%2f",
    "CON",
    "nul",
    "a:b",
    "a*?",
    "`id`",
    ".git",
    "MEMORY",
    "x" * 256,
    "x" * 5000,
    "é" * 128,
    "e\u0301",
    "ﬁ",
    "İ",
    "\u202egpj",
    "\u200bzero",
    "\ufeffbom",
    "\ud800",
    "\x1b[2Jclear",
    "true",
    "null",
    "-1",
    "{{7*7}}",
    "<script>",
    "A",
    "a--b",
    "__proto__",
    "---\nid: x\n---\nx",
    '" OR 1=1 --',
    "NEAR(a b",
    "a*",
    "col : x",
    "((",
    "NOT",
    "entities/projects/x",
    "\u0600" * 100,
    "&a [*a]",
    "!!python/object/apply:os.system ['id']",
    "[[[[[[",
    "memory://x",
    "archive/../../x",
    "a\u2028b",
]
words = st.one_of(st.sampled_from(NASTY), st.text(max_size=40), st.text(string.ascii_lowercase + "-", max_size=12))
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), words),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=3)),
    max_leaves=8,
)
LIKELY = {
    "type": st.sampled_from(["entity", "episode", "alien"]),
    "category": st.sampled_from(["people", "projects", "../x"]),
    "id": st.one_of(st.sampled_from(["entity-people-alice", "entities/people/alice.md", "people/alice"]), words),
    "signal": st.sampled_from(["task_completed", "user_correction", "x"]),
    "limit": st.integers(-5, 50),
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, Any]:
    name = draw(st.sampled_from(sorted(set(TOOLS) - {"memory_compact"})))
    given = {}
    for key in TOOLS[name]["inputSchema"].get("properties", {}):
        if draw(st.integers(0, 5)):
            given[key] = draw(st.one_of(LIKELY.get(key, words), words, anything))
    if not draw(st.integers(0, 20)):
        given[draw(words)] = draw(anything)
    return name, given


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brain]:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "canary").write_text("untouched")
    with open_brain(folder / "home", session="s", clock=Clock()) as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
        brain.store("entity", "anchor", "Likes oolong.", category="people")
        yield brain
        assert [finding for finding in brain.checks.check() if finding.fault] == []
    assert sorted(os.listdir(folder)) == ["canary", "home"] and (folder / "canary").read_text() == "untouched"


@settings(max_examples=times(300, 100_000), deadline=20_000, suppress_health_check=list(HealthCheck))
@given(calls())
def test_no_arguments_do_more_than_be_refused(used: Brain, call: tuple[str, Any]) -> None:
    name, arguments = call
    try:
        answer = profiles.call(Profile(used), SHEET, name, arguments)
    except ClawbrainError as refusal:
        assert str(used.home) not in str(refusal) and "Traceback" not in str(refusal)
    else:
        json.dumps(answer)
    used.settle()


PIECES = [
    b"---\n",
    b"---",
    b"id: x\n",
    b"id: [\n",
    b"tags: [a, b]\n",
    b"tags: &a [*a]\n",
    b"pinned: yes\n",
    b"created: 2026-13-45\n",
    b"created: 12:30:45\n",
    b"!!binary x\n",
    b"<<: {}\n",
    b"\xff\xfe",
    b"\0",
    b"\r\n",
    b"\xef\xbb\xbf",
    b"a: {b: {c: {d: {e: {f: g}}}}}\n",
    b"[" * 200,
    b"Hello.\n",
    b"# Title\n",
    b"- a fact\n",
    b"\xed\xa0\x80",
    b"...\n",
    b"? \n: \n",
    b"'",
    b'"',
    b"|\n",
    b">-\n",
    b"%YAML 1.1\n",
    b"type: 5\n",
    b"id: entity-people-alice\n",
    b"x" * 3000,
    b"\t",
    b"{",
    b"}",
    b"merged_into: x\n",
    b"kind: checkpoint\n",
]


@settings(max_examples=times(300, 10_000), deadline=20_000, suppress_health_check=list(HealthCheck))
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=30)), max_size=12).map(b"".join))
def test_no_file_does_more_than_be_left_out(used: Brain, data: bytes) -> None:
    path = used.home / "memory/entities/people/odd.md"
    path.write_bytes(data)
    assert "entity-people-anchor" in {hit.id for hit in used.search("oolong").hits}
    assert used.retrieve("entity-people-anchor").memory.content == "Likes oolong."
    used.settle()
    assert path.read_bytes() == data
    path.unlink()
    used.sync(now=True)


@settings(max_examples=times(150, 20_000), deadline=20_000, suppress_health_check=list(HealthCheck))
@given(st.one_of(words, st.text(), st.lists(words, max_size=6).map(" ".join)))
def test_no_query_does_more_than_find_nothing(used: Brain, query: str) -> None:
    json.dumps([hit.id for hit in used.search(query).hits])


def lines(number: int) -> Iterator[bytes]:
    """Requests, broken in every way that comes to a random mind."""
    chance = random.Random(7)
    good = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_search"}}).encode()
    for _ in range(number):
        data = bytearray(chance.choice([good, b"{}", b"[]", b"null", b'"x"', b"\xff", b'{"id":' + b"9" * 300 + b"}"]))
        for _ in range(chance.randrange(6)):
            at = chance.randrange(len(data) + 1)
            data[at : at + chance.randrange(4)] = chance.choice(
                [b"", b"{", b"]", b"\0", b"\\ud800", b'"', b"1e999", b"\xc3"]
            )
        yield bytes(data).replace(b"\n", b"") + b"\n"


def test_no_line_kills_the_server(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWBRAIN_HOME", str(home))
    count = times(300, 10_000)
    with Client() as client:
        for number, line in enumerate(lines(count)):
            client.raw(line)
            if number % 50 == 0:
                begun = time.monotonic()
                assert "result" in client.ask("tools/list")
                assert time.monotonic() - begun < 20
        assert "result" in client.ask("ping")
        assert client.ends() == 0
    figure("lines that are no request", lines=count)


# A home out of somebody else's repository


def as_link(path: Path, elsewhere: Path) -> None:
    path.symlink_to(elsewhere / "target")


def as_pipe(path: Path, elsewhere: Path) -> None:
    os.mkfifo(path)


def as_folder(path: Path, elsewhere: Path) -> None:
    path.mkdir()


def as_noise(path: Path, elsewhere: Path) -> None:
    path.write_bytes(os.urandom(5000))


INSIDE = [
    "turns.log",
    "turns.moving",
    "ledger.db",
    "ledger.db-journal",
    "index.db",
    "index.db-journal",
    "run.lock",
    "tmp/odd",
]


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("oddity", [as_pipe, as_folder, as_noise])
def test_no_oddity_inside_stops_memories_from_being_served(
    home: Path, clock: Clock, tmp_path: Path, name: str, oddity: Callable[[Path, Path], None]
) -> None:
    """Neither hanging nor dying, and nothing outside is written."""
    with open_brain(home, session="s", clock=clock) as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
    (tmp_path / "elsewhere").mkdir()
    path = home / ".clawbrain" / name
    path.unlink(missing_ok=True)
    oddity(path, tmp_path / "elsewhere")
    with open_brain(home, session="s", clock=clock) as brain:
        assert brain.search("tea").hits[0].id == "entity-people-alice"
        assert brain.retrieve("entity-people-alice").memory.content == "Likes tea."
        brain.settle()
        brain.store("entity", "bob", "Likes gin.", category="people")
        assert brain.retrieve("entity-people-bob").memory.content == "Likes gin."
        assert brain.feedback("task_completed").memories >= 1
        assert not any(str(home) in warning for warning in brain.take_warnings())
    assert os.listdir(tmp_path / "elsewhere") == []


def test_a_folder_at_the_place_of_the_compactions_lock_is_named(home: Path, clock: Clock) -> None:
    (home / ".clawbrain/run.lock").unlink(missing_ok=True)
    (home / ".clawbrain/run.lock").mkdir()
    with open_brain(home, clock=clock) as brain, pytest.raises(Broken, match="a folder stands at"):
        brain.compact()


@pytest.mark.parametrize("name", [*INSIDE[:-1], "lock", "records.db", "tmp", "history", "backups", ""])
def test_a_link_inside_is_not_followed_memories_are_served_and_writes_refused(
    home: Path, clock: Clock, tmp_path: Path, name: str
) -> None:
    with open_brain(home, session="s", clock=clock) as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
    elsewhere = tmp_path / "elsewhere"
    path = home / ".clawbrain" / name
    if path.exists():
        path.rename(elsewhere)
    else:
        elsewhere.mkdir()
    path.symlink_to(elsewhere)
    before = tree(elsewhere)
    with open_brain(home, session="s", clock=clock) as brain:
        assert brain.search("tea").hits[0].id == "entity-people-alice"
        assert brain.retrieve("entity-people-alice").memory.content == "Likes tea."
        brain.settle()
        [warning] = brain.take_warnings()
        assert "is a link, and none is followed" in warning
        with pytest.raises(ReadOnly, match="is a link, and none is followed"):
            brain.store("entity", "bob", "Likes gin.", category="people")
        with pytest.raises(ReadOnly):
            brain.compact()
    assert tree(elsewhere) == before and path.is_symlink()


def tree(path: Path) -> dict[str, bytes]:
    return {str(each): each.read_bytes() for each in [path, *path.rglob("*")] if each.is_file()}


# A ledger in which bits have flipped, beyond what SQLite itself can notice


def test_no_flipped_bit_in_the_ledger_stops_memories_from_being_served(home: Path, clock: Clock) -> None:
    with open_brain(home, session="s", clock=clock) as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
        brain.store("entity", "bob", "Likes gin.", category="people")
        for _ in range(3):
            brain.search("likes")
            brain.retrieve("entity-people-alice")
            brain.feedback("task_completed")
        brain.search("likes")
        brain.settle()
        brain.ledger.backup()
    chance = random.Random(3)
    data = (home / ".clawbrain/ledger.db").read_bytes()
    used_bytes = [at for at, byte in enumerate(data) if byte]
    for number in range(times(120, 5_000)):
        flipped = bytearray(data)
        for at in chance.sample(used_bytes, chance.choice([1, 1, 1, 4, 20])):
            flipped[at] ^= 1 << chance.randrange(8)
        spoilt = Path(shutil.copytree(home, home.parent / "spoilt"))
        (spoilt / ".clawbrain/ledger.db").write_bytes(flipped)
        with open_brain(spoilt, session="s", clock=clock) as brain:
            assert brain.search("tea").hits[0].id == "entity-people-alice", number
            assert brain.retrieve("entity-people-alice").memory.content == "Likes tea."
            brain.settle()
            brain.report()
            brain.checks.check()
            list(brain.ledger_text.dump())
            brain.log(10)
            brain.update("entity-people-bob", "Likes water.")
            with suppress(Broken, Refused):  # a broken ledger was put right; or its turns went with it
                brain.feedback("positive_feedback")
            brain.archive("entity-people-bob")
            brain.restore("entity-people-bob")
        shutil.rmtree(spoilt)
