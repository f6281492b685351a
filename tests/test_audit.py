"""The audit log: every call of a tool is a row, and no call is worse off for it."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock
from hypothesis import example, given
from hypothesis import strategies as st
from mcp_client import SERVE, Client

from clawbrain.brain import Brain, open_brain
from clawbrain.brain.audit_log import LIMIT, Call, _kept, _value
from clawbrain.errors import ReadOnly
from clawbrain.redaction import redacted_value

TOKEN = "ghp_" + "a1B2" * 9
LESSON = {"type": "entity", "category": "people", "name": "ada", "content": "Ada likes tea"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audited")


@pytest.fixture(scope="module")
def agent(shared: Path) -> Iterator[Client]:
    """One server for all that only calls and looks at the newest rows."""
    with Client("--home", str(shared), "--audit") as client:
        yield client


@pytest.fixture
def agent_of_its_own(home: Path) -> Iterator[Client]:
    with Client("--home", str(home), "--audit") as client:
        yield client


def calls(home: Path, **how: Any) -> list[Call]:
    with open_brain(home) as brain:
        return brain.audit.calls(**how)


def noted(brain: Brain, arguments: Any, result: Any = None) -> Call:
    brain.audit.note("clawbrain", "memory_store", arguments, result, success=True, duration_ms=1)
    return brain.audit.calls()[0]


def records(home: Path) -> Path:
    return home / ".clawbrain" / "records.db"


def command(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "clawbrain", *words, "--home", str(home)]
    return subprocess.run(line, capture_output=True, text=True, timeout=30)


# --- what a server notes


def test_a_call_is_a_row_with_what_was_asked_and_answered(agent: Client, shared: Path) -> None:
    answer = agent.call("memory_store", **LESSON)
    call = calls(shared)[0]
    assert (call.profile, call.tool, call.success) == ("clawbrain", "memory_store", True)
    assert call.arguments == LESSON
    assert call.result == answer["structuredContent"]
    assert call.session.startswith("session-")
    assert 0 <= call.duration_ms < 60_000


def test_every_call_is_a_row_newest_first(agent: Client, shared: Path) -> None:
    for query in ("one", "two", "three"):
        agent.call("memory_search", query=query)
    assert [call.arguments["query"] for call in calls(shared)[:3]] == ["three", "two", "one"]


def test_a_refused_call_is_a_row_without_success(agent: Client, shared: Path) -> None:
    refusal = agent.refusal("memory_retrieve", id="nobody")
    call = calls(shared)[0]
    assert (call.success, call.result) == (False, refusal)


def test_an_unknown_argument_is_a_row(agent: Client, shared: Path) -> None:
    agent.refusal("memory_search", query="x", colour="red")
    call = calls(shared)[0]
    assert (call.success, call.arguments) == (False, {"query": "x", "colour": "red"})


def test_an_unknown_tool_is_a_row_and_still_the_protocols_error(agent: Client, shared: Path) -> None:
    answer = agent.answer_to(agent.post_call("no_such_tool"))
    assert answer["error"]["code"] == -32602
    call = calls(shared)[0]
    assert (call.tool, call.success) == ("no_such_tool", False)


def test_a_token_in_a_call_is_blotted_out(agent: Client, shared: Path) -> None:
    agent.call("memory_search", query=f"use {TOKEN}")
    assert calls(shared)[0].arguments == {"query": "use [redacted: GitHub token]"}
    assert TOKEN.encode() not in records(shared).read_bytes()


def test_a_token_that_is_called_as_a_tool_is_blotted_out(brain: Brain) -> None:
    brain.audit.note("clawbrain", f"call {TOKEN}", {}, {}, success=False, duration_ms=1)
    assert brain.audit.calls()[0].tool == "call [redacted: GitHub token]"


def test_any_profile_can_be_audited(home: Path) -> None:
    with Client("--home", str(home), "--audit", "--profile", "memory") as client:
        client.call("create_entities", entities=[{"name": "A", "entityType": "t", "observations": ["o"]}])
    [call] = calls(home)
    assert (call.profile, call.tool, call.success) == ("memory", "create_entities", True)


def test_without_the_flag_nothing_is_noted(home: Path) -> None:
    with Client("--home", str(home)) as client:
        client.call("memory_search", query="x")
    assert not records(home).exists()


def test_without_the_flag_nothing_of_it_is_imported() -> None:
    code = "import sys, clawbrain.server.mcp, clawbrain.brain; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    names = [f"clawbrain.{name}" for name in ("server.audit", "brain.audit_log", "storage.conversations")]
    assert all(find_spec(name) for name in names)
    assert [name for name in names if name in loaded] == []


def test_reading_only_and_auditing_exclude_each_other(home: Path) -> None:
    done = subprocess.run([*SERVE, "--audit", "--read-only"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, "leave one of the two out" in done.stderr) == (2, True)


# --- and what no trouble of the log may do


def test_a_broken_file_costs_no_answer(agent_of_its_own: Client, home: Path) -> None:
    records(home).write_bytes(b"junk" * 2000)
    assert agent_of_its_own.call("memory_store", **LESSON)["structuredContent"]["created"] is True
    assert len(calls(home)) == 1


def test_a_file_of_a_newer_clawbrain_costs_no_answer(agent_of_its_own: Client, home: Path) -> None:
    agent_of_its_own.call("memory_search", query="x")
    with closing(sqlite3.connect(records(home))) as newer:
        newer.execute("PRAGMA user_version = 99")
    assert agent_of_its_own.call("memory_store", **LESSON)["isError"] is False


def test_a_folder_in_the_way_costs_no_answer(agent_of_its_own: Client, home: Path) -> None:
    agent_of_its_own.call("memory_search", query="x")
    records(home).unlink()
    (home / ".clawbrain" / "records.db").mkdir()
    (home / ".clawbrain" / "records.db" / "in-the-way").write_text("x")
    assert agent_of_its_own.call("memory_store", **LESSON)["isError"] is False


def test_a_server_that_is_told_to_end_notes_its_last_call(home: Path) -> None:
    with Client("--home", str(home), "--audit") as client:
        client.call("memory_store", **LESSON)
        client.process.stdin.close()
        client.ends()
    assert len(calls(home)) == 1


# --- what a row holds


def test_of_what_is_longer_than_a_row_holds_the_beginning_is_kept(brain: Brain) -> None:
    content = "ä" * LIMIT
    call = noted(brain, {"content": content}, {"ok": True})
    whole = json.dumps({"content": content}, ensure_ascii=False, separators=(",", ":"))
    assert call.arguments == {
        "_text": whole[: len('{"content":"') + (LIMIT - len('{"content":"')) // 2],
        "_truncated": True,
        "_original_size": len(whole.encode()),
        "_limit": 4096,
    }
    assert len(call.arguments["_text"].encode()) == LIMIT
    assert call.result == {"ok": True}


@pytest.mark.parametrize("before", range(4))
def test_a_text_is_cut_between_two_characters(brain: Brain, before: int) -> None:
    kept = noted(brain, "x" * before + "🦀" * LIMIT).arguments["_text"]
    assert kept == '"' + "x" * before + "🦀" * ((LIMIT - 1 - before) // 4)


def test_no_half_of_a_secret_is_kept_where_a_text_is_cut(brain: Brain) -> None:
    for begin in range(LIMIT - 60, LIMIT, 7):
        kept = noted(brain, {"c": "x " * (begin // 2) + TOKEN + " y" * LIMIT}).arguments
        assert "ghp_" not in json.dumps(kept)


def test_just_as_much_as_a_row_holds_is_kept(brain: Brain) -> None:
    fits = {"c": "x" * (LIMIT - len('{"c":""}'))}
    assert noted(brain, fits).arguments == fits
    assert "_truncated" in noted(brain, {"c": fits["c"] + "x"}).arguments


def test_a_long_call_is_shown_by_its_beginning(brain: Brain, home: Path) -> None:
    noted(brain, {"content": "xylophone " * LIMIT})
    assert "xylophone" in command(home, "audit").stdout


def test_secrets_are_found_at_any_depth_and_by_the_name_above_them(brain: Brain) -> None:
    call = noted(brain, {"list": [{"deep": f"a {TOKEN}"}], "password": "kX9#mQ2vLp8w", "name": "ada"})
    assert call.arguments["list"] == [{"deep": "a [redacted: GitHub token]"}]
    assert "kX9" not in json.dumps(call.arguments)
    assert call.arguments["name"] == "ada"


WORDS = [
    "password",
    "Passwort",
    "api_key",
    "note",
    "the token is",
    "tea",
    "a\nb",
    TOKEN,
    "kX9#mQ2vLp8w",
    "=",
    ":",
    '"',
    "\\",
    "\x01",
]
VALUES = st.recursive(
    st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join) | st.integers() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=4),
    max_leaves=8,
)


@given(value=VALUES)
@example(value={"password": "kX9#mQ2vLp8w"})
@example(value=["password =", {"kX9#mQ2vLp8w": 1}])
def test_looking_once_through_all_texts_finds_what_looking_through_each_finds(value: Any) -> None:
    assert _value(_kept(value)) == redacted_value(value)


def test_half_a_surrogate_pair_breaks_nothing(brain: Brain) -> None:
    assert noted(brain, {"query": "\ud83d"}).arguments == {"query": "?"}


def test_calls_can_be_chosen_by_tool_by_day_and_by_failure(brain: Brain, clock: Clock) -> None:
    brain.audit.note("clawbrain", "a", {}, {}, success=True, duration_ms=1)
    clock.forward(days=1)
    brain.audit.note("clawbrain", "b", {}, {}, success=False, duration_ms=1)
    assert [call.tool for call in brain.audit.calls(tool="a")] == ["a"]
    assert [call.tool for call in brain.audit.calls(since="2026-02-26")] == ["b"]
    assert [call.tool for call in brain.audit.calls(failed=True)] == ["b"]
    assert [call.tool for call in brain.audit.calls(limit=1)] == ["b"]


# --- the command line


def test_a_person_reads_it_as_a_table(brain: Brain, home: Path) -> None:
    brain.audit.note("clawbrain", "memory_search", {"query": "tea"}, {"results": []}, success=True, duration_ms=12)
    brain.audit.note("clawbrain", "memory_store", {"x": 1}, "no argument 'x'", success=False, duration_ms=3)
    head, first, second = command(home, "audit").stdout.splitlines()
    assert head.split() == ["WHEN", "TOOL", "DONE", "MS", "ARGUMENTS", "RESULT"]
    assert "memory_store" in first and "NO" in first
    assert '{"query": "tea"}' in second and "yes" in second


def test_a_program_reads_it_as_json_under_the_names_of_its_columns(brain: Brain, home: Path) -> None:
    brain.audit.note("clawbrain", "memory_search", {"query": "tea"}, {"results": []}, success=True, duration_ms=12)
    [call] = json.loads(command(home, "audit", "--json").stdout)["calls"]
    assert (call["tool"], call["arguments"], call["ok"], call["ms"]) == ("memory_search", {"query": "tea"}, True, 12)
    assert call["at"].startswith("2026-02-25T") and "session" in call


def test_an_empty_log_says_how_to_fill_it(home: Path) -> None:
    assert "clawbrain serve --audit" in command(home, "audit").stdout


def test_old_calls_are_forgotten_for_good_and_only_when_sure(brain: Brain, home: Path, clock: Clock) -> None:
    noted(brain, {"content": "xylophones everywhere"})
    clock.forward(days=3)
    noted(brain, {"content": "kept"})
    refused = command(home, "audit", "--forget-before", "2026-02-27")
    assert (refused.returncode, len(brain.audit.calls())) == (2, 2)
    assert "--yes" in refused.stderr
    done = command(home, "audit", "--forget-before", "2026-02-27", "--yes", "--json")
    assert json.loads(done.stdout) == {"before": "2026-02-27", "forgotten": 1}
    assert [call.arguments for call in brain.audit.calls()] == [{"content": "kept"}]
    assert b"xylophone" not in records(home).read_bytes()


@pytest.mark.parametrize("day", ["", "yesterday"])
def test_calls_are_forgotten_before_a_day_only(brain: Brain, home: Path, day: str) -> None:
    noted(brain, {"content": "kept"})
    assert command(home, "audit", "--forget-before", day, "--yes").returncode == 2
    assert len(brain.audit.calls()) == 1


def test_a_reading_brain_forgets_no_call(brain: Brain, home: Path) -> None:
    noted(brain, {"content": "kept"})
    with open_brain(home, read_only=True) as reading, pytest.raises(ReadOnly):
        reading.audit.forget("2030-01-01")
