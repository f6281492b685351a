"""The audit log of a server on a network: every call with who made it, each in its own workspace."""

import csv
import io
import json
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio
import pytest
from http_server import HttpServer, make_token

from clawbrain.brain.audit_log import Call, HomeAudit
from clawbrain.network import openapi
from clawbrain.network.audit import _Queue

ADA = {"type": "entity", "category": "people", "name": "ada", "content": "Ada likes tea"}
SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("audited")


@pytest.fixture(scope="module")
def tokens(folder: Path) -> dict[str, str]:
    wishes = {"ann": ("one", "admin"), "rob": ("one", "read"), "tim": ("two", "admin")}
    made = {
        user: make_token(folder, many=True, workspace=workspace, user=user, scope=scope)
        for user, (workspace, scope) in wishes.items()
    }
    return made | {"being": make_token(folder, many=True, kind="being", scope="read", user="bea")}


@pytest.fixture(scope="module")
def server(folder: Path, tokens: dict[str, str]) -> Iterator[HttpServer]:
    options = ["--audit", "--profile=clawbrain", "--profile=penfield", "--profile=being", "--log-level=warning"]
    with HttpServer(folder, *options, many=True) as served:
        yield served


def held(home: Path, **wanted: Any) -> list[Call]:
    log = HomeAudit(home, print, read_only=True)
    with closing(log):
        return log.calls(**wanted)


def awaited(home: Path, fits: Callable[[Call], bool]) -> Call:
    """Return the newest call that fits, once the server has written it."""
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if found := [call for call in held(home, limit=100) if fits(call)]:
            return found[0]
        time.sleep(0.05)
    raise AssertionError(held(home, limit=100))


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "clawbrain", *words], capture_output=True, text=True, timeout=30)


# --- what is noted


def test_a_call_of_a_tool_is_noted_with_who_made_it(server: HttpServer, folder: Path, tokens: dict[str, str]) -> None:
    server.mcp(tokens["ann"]).call("memory_store", **ADA)
    call = awaited(folder / "one", lambda call: call.tool == "memory_store" and call.user == "ann")
    assert (call.profile, call.workspace, call.success, call.arguments) == ("clawbrain", "one", True, ADA)
    assert call.result["id"] == "entity-people-ada"
    assert call.token and call.token not in tokens["ann"]
    assert call.session.startswith("http-") and 0 <= call.duration_ms < 60_000


def test_a_session_is_the_same_in_all_its_calls(server: HttpServer, folder: Path, tokens: dict[str, str]) -> None:
    one, another = server.mcp(tokens["ann"]), server.mcp(tokens["ann"])
    for agent, query in ((one, "first"), (one, "second"), (another, "third")):
        agent.call("memory_search", query=query)
    first, second, third = (
        awaited(folder / "one", lambda call, query=query: call.arguments == {"query": query}).session
        for query in ("first", "second", "third")
    )
    assert first == second != third


def test_writing_with_a_token_that_may_only_read_is_noted(
    server: HttpServer, folder: Path, tokens: dict[str, str]
) -> None:
    refusal = server.mcp(tokens["rob"]).refused("memory_store", **{**ADA, "name": "bob"})
    call = awaited(folder / "one", lambda call: call.tool == "memory_store" and call.user == "rob")
    assert (call.success, call.result) == (False, refusal)


def test_a_call_that_is_answered_with_403_is_noted_with_its_session(
    server: HttpServer, folder: Path, tokens: dict[str, str]
) -> None:
    (folder / "luna").mkdir(exist_ok=True)
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "update_memory", "arguments": {}}}
    http = server.client(tokens["being"])
    assert http.post("/mcp/luna", json=message, headers={"X-Clawbrain-Session": "s"}).status_code == 403
    call = awaited(folder / "luna", lambda call: call.tool == "update_memory")
    assert (call.profile, call.user, call.workspace, call.success) == ("being", "bea", "luna", False)
    assert call.arguments == message and "Read-only" in call.result["error"] and call.session.startswith("http-")


def test_a_body_of_many_refused_calls_is_one_row(server: HttpServer, folder: Path, tokens: dict[str, str]) -> None:
    (folder / "sol").mkdir(exist_ok=True)
    one = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "update_notes", "arguments": {}}}
    assert server.client(tokens["being"]).post("/mcp/sol", json=[one] * 20).status_code == 403
    assert awaited(folder / "sol", lambda call: call.tool == "update_notes").arguments == [one] * 20
    assert len(held(folder / "sol")) == 1


def test_an_endpoint_is_noted_by_its_name(server: HttpServer, folder: Path, tokens: dict[str, str]) -> None:
    body = {"content": f"The harbour opens at nine; the key is {SECRET}."}
    answer = server.client(tokens["ann"]).post("/api/v2/memories", json=body)
    call = awaited(folder / "one", lambda call: call.tool == "store")
    assert (call.profile, call.success, call.user) == ("penfield", answer.status_code < 400, "ann")
    assert call.arguments == {"body": {"content": "The harbour opens at nine; the key is [redacted: GitHub token]."}}


@pytest.mark.parametrize(
    ("user", "address", "why"),
    [("rob", "scoped?a=1", "needs a token with the scope write"), ("ann", "missing?b=2", "")],
)
def test_an_endpoint_that_refuses_is_noted(
    server: HttpServer, folder: Path, tokens: dict[str, str], user: str, address: str, why: str
) -> None:
    id, _, query = address.partition("?")
    assert server.client(tokens[user]).delete(f"/api/v2/memories/{address}").status_code in (403, 404)
    call = awaited(folder / "one", lambda call: call.arguments.get("path") == {"id": id})
    assert (call.tool, call.success, call.user) == ("archive_memory", False, user)
    assert why in call.result and call.arguments["query"] == dict([query.split("=")])


def test_a_body_that_is_no_json_is_noted_as_text(server: HttpServer, folder: Path, tokens: dict[str, str]) -> None:
    server.client(tokens["ann"]).post("/api/v2/memories", content=b"{broken", headers={"Content-Type": "text/plain"})
    call = awaited(folder / "one", lambda call: call.arguments == {"body": "{broken"})
    assert (call.tool, call.success) == ("store", False)


def test_what_is_no_call_is_not_noted(server: HttpServer, folder: Path, tokens: dict[str, str]) -> None:
    http, agent = server.client(), server.mcp(tokens["tim"])
    for path in ("/healthz", "/health", "/api/audit"):
        http.get(path)
    agent.ask("tools/list")
    agent.call("memory_search", query="last")
    awaited(folder / "two", lambda call: call.arguments == {"query": "last"})
    noted = {call.tool for home in ("one", "two") for call in held(folder / home, limit=100) if not call.user}
    assert noted == set()
    assert "tools/list" not in {call.tool for call in held(folder / "two", limit=100)}


def test_an_unknown_token_is_a_warning_that_does_not_show_it(tmp_path: Path) -> None:
    make_token(tmp_path)
    with HttpServer(tmp_path, "--audit", "--log-level=warning") as server:
        assert server.client("cbt_wrong-token").post("/mcp", json={}).status_code == 401
        server.end()
    assert "WARNING" in server.said and "was not let in" in server.said
    assert "wrong-token" not in server.said
    assert not (tmp_path / ".clawbrain/records.db").exists()


def test_without_the_flag_nothing_is_noted(tmp_path: Path) -> None:
    token = make_token(tmp_path)
    with HttpServer(tmp_path) as server:
        server.mcp(token).call("memory_search", query="x")
        server.end()
    assert not (tmp_path / ".clawbrain/records.db").exists()


# --- when it is written


def test_a_server_that_is_told_to_end_has_noted_every_call(tmp_path: Path) -> None:
    token = make_token(tmp_path)
    with HttpServer(tmp_path, "--audit") as server:
        agent = server.mcp(token)
        for number in range(20):
            agent.call("memory_search", query=f"q{number}")
        server.end()
    assert [call.arguments["query"] for call in held(tmp_path)] == [f"q{number}" for number in reversed(range(20))]


def test_a_strict_server_has_written_the_row_before_it_answers(tmp_path: Path) -> None:
    token = make_token(tmp_path)
    with HttpServer(tmp_path, "--audit", "--audit-strict") as server:
        agent = server.mcp(token)
        for number in range(5):
            agent.call("memory_search", query=f"q{number}")
            assert held(tmp_path)[0].arguments == {"query": f"q{number}"}
        server.end(signal.SIGKILL)
    assert len(held(tmp_path)) == 5


def test_several_workers_write_one_log(tmp_path: Path) -> None:
    token = make_token(tmp_path)
    with HttpServer(tmp_path, "--audit", "--workers=2") as server:
        for number in range(12):  # each connection may reach another worker
            server.mcp(token, modern=True).call("memory_search", query=f"q{number}")
        server.end()
    assert {call.arguments["query"] for call in held(tmp_path)} == {f"q{number}" for number in range(12)}


def test_a_server_that_only_reads_notes_calls_and_lists_them(tmp_path: Path) -> None:
    token = make_token(tmp_path, scope="admin", user="ann")
    with HttpServer(tmp_path, "--audit", "--read-only") as server:
        server.mcp(token).call("memory_search", query="x")
        awaited(tmp_path, lambda call: call.arguments == {"query": "x"})
        answer = server.client(token).get("/api/audit").json()
        assert [row["tool"] for row in answer["rows"]] == ["memory_search"]
        refusal = server.mcp(token).refused("memory_store", **ADA)
        assert awaited(tmp_path, lambda call: call.tool == "memory_store").result == refusal
    assert not (tmp_path / "memory").exists()


def test_a_held_file_delays_rows_and_no_answers(tmp_path: Path) -> None:
    token = make_token(tmp_path)
    with HttpServer(tmp_path, "--audit") as server:
        agent = server.mcp(token)
        agent.call("memory_search", query="before")
        awaited(tmp_path, lambda call: True)
        with closing(sqlite3.connect(tmp_path / ".clawbrain/records.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            agent.call("memory_search", query="meanwhile")
            time.sleep(1.5)
            agent.call("memory_search", query="still")
            other.execute("ROLLBACK")
        for query in ("meanwhile", "still"):
            assert awaited(tmp_path, lambda call, query=query: call.arguments == {"query": query}).success


def test_of_calls_that_still_wait_at_the_end_the_number_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    async def end() -> None:
        queue = _Queue(lambda: tmp_path, anyio.CapacityLimiter(1))
        queue.add(lambda: Call("2026-02-25T10:00:00Z", "", "p", "t", {}, {}, True, 1), 1)
        await queue.close()

    anyio.run(end)
    assert "another process held its file too long: 1." in capfd.readouterr().err


def test_a_workspace_that_is_gone_costs_no_other_its_rows(
    server: HttpServer, folder: Path, tokens: dict[str, str]
) -> None:
    token = make_token(folder, many=True, workspace="gone", user="gil")
    agent = server.mcp(token)
    agent.call("memory_search", query="x")
    awaited(folder / "gone", lambda call: True)
    (folder / "gone").rename(folder.parent / f"{folder.name}-gone")
    agent.post("tools/call", name="memory_search", arguments={"query": "y"})
    server.mcp(tokens["tim"]).call("memory_search", query="after")
    awaited(folder / "two", lambda call: call.arguments == {"query": "after"})
    assert not (folder / "gone").exists()


# --- who may read it


def test_an_administrator_sees_the_rows_of_the_own_workspace_alone(
    server: HttpServer, folder: Path, tokens: dict[str, str]
) -> None:
    server.mcp(tokens["ann"]).call("memory_search", query="of ann")
    server.mcp(tokens["tim"]).call("memory_search", query="of tim")
    awaited(folder / "one", lambda call: call.arguments == {"query": "of ann"})
    awaited(folder / "two", lambda call: call.arguments == {"query": "of tim"})
    http = server.client(tokens["ann"])
    [row] = http.get("/api/audit", params={"user": "ann", "tool": "memory_search", "limit": 1}).json()["rows"]
    assert list(row) == ["at", "profile", "tool", "arguments", "result", "ok", "ms", "user", "workspace", "token"]
    assert (row["arguments"], row["workspace"], row["ok"]) == ({"query": "of ann"}, "one", True)
    assert {row["workspace"] for row in http.get("/api/audit").json()["rows"]} == {"one"}
    assert http.get("/api/audit", params={"workspace": "two"}).json() == {"rows": [], "count": 0}
    assert http.get("/api/audit", params={"user": "tim"}).json()["rows"] == []
    assert http.get("/api/audit", params={"since": "2999-01-01T10:00:00Z"}).json()["rows"] == []


@pytest.mark.parametrize(
    ("query", "named"),
    [("since=then", "'since'"), ("limit=0", "'limit'"), ("limit=x", "'limit'"), ("limit=1001", "'limit'")],
)
def test_a_question_that_cannot_be_answered_is_refused_in_a_sentence(
    server: HttpServer, tokens: dict[str, str], query: str, named: str
) -> None:
    answer = server.client(tokens["ann"]).get(f"/api/audit?{query}")
    assert answer.status_code == 400 and answer.json()["error"].startswith(named)


def test_it_is_for_administrators(server: HttpServer, tokens: dict[str, str]) -> None:
    assert server.client().get("/api/audit").json() == {"error": "Unauthorized"}
    refused = server.client(tokens["rob"]).get("/api/audit")
    assert (refused.status_code, refused.json()) == (403, {"error": "this needs a token with the scope admin."})


def test_it_comes_before_what_a_profile_answers_below_api_and_refuses_in_its_shape(tmp_path: Path) -> None:
    token, reader = make_token(tmp_path, scope="admin"), make_token(tmp_path, scope="read")
    with HttpServer(tmp_path, "--profile=mama") as server:
        http = server.client(token)
        assert http.get("/api/audit").json() == {"rows": [], "count": 0}
        assert "/api/audit" in http.get("/openapi.json").json()["paths"]
        refused = server.client(reader).get("/api/audit")
        assert (refused.status_code, refused.json()["error"], refused.json()["code"]) == (403, True, "FORBIDDEN")
        assert http.get("/api/audit?limit=0").json()["error"] is True


def test_it_is_described_with_whichever_profiles_are_served(server: HttpServer, tokens: dict[str, str]) -> None:
    described = server.client(tokens["ann"]).get("/openapi.json").json()["paths"]["/api/audit"]
    assert described["get"]["security"] == [{openapi.BEARER: ["admin"]}]


# --- the command line


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("homes")
    rows = (
        ("one", "2026-02-24T10:00:00Z", "ann", "memory_store", {"content": "=HYPERLINK(1)"}),
        ("two", "2026-02-25T10:00:00Z", "tim", "memory_search", {"query": "tea, and\nmore"}),
        ("one", "2026-02-25T11:00:00Z", "rob", "=evil", {}),
        ("one", "2026-02-25T12:00:00Z", "", "memory_search", {"query": "of a server on stdin"}),
    )
    for workspace, at, user, tool, arguments in rows:
        (folder / workspace).mkdir(exist_ok=True)
        with closing(HomeAudit(folder / workspace, print)) as log:
            of = workspace if user else ""
            log.add([Call(at, "s", "clawbrain", tool, arguments, None, bool(user), 3, user, of, "t1" if user else "")])
    return folder


def listed(*words: str) -> list[tuple[str, str]]:
    done = command("audit", "--json", *words)
    assert done.returncode == 0, done.stderr
    return [(call["workspace"], call["user"]) for call in json.loads(done.stdout)["calls"]]


def test_the_logs_of_all_workspaces_are_one_newest_first(homes: Path) -> None:
    assert listed("--homes", str(homes)) == [("one", ""), ("one", "rob"), ("two", "tim"), ("one", "ann")]
    assert listed("--homes", str(homes), "--limit", "1") == [("one", "")]
    assert listed("--homes", str(homes), "--workspace", "two") == [("two", "tim")]
    assert listed("--homes", str(homes), "--user", "ann") == [("one", "ann")]
    assert listed("--homes", str(homes), "--tool", "memory_search") == [("one", ""), ("two", "tim")]
    assert listed("--homes", str(homes), "--since", "2026-02-25T10:30:00Z") == [("one", ""), ("one", "rob")]


def test_the_log_of_one_home_is_filtered_too(homes: Path) -> None:
    assert listed("--home", str(homes / "one"), "--user", "rob") == [("one", "rob")]
    assert listed("--home", str(homes / "one"), "--workspace", "two") == []


def test_a_person_sees_the_workspace_and_the_user(homes: Path) -> None:
    head, *rows = command("audit", "--homes", str(homes)).stdout.splitlines()
    assert head.split() == ["WHEN", "WORKSPACE", "USER", "TOOL", "DONE", "MS", "ARGUMENTS", "RESULT"]
    assert len(rows) == 4 and "tim" in rows[2]


def test_it_is_exported_as_csv_that_no_spreadsheet_takes_for_formulas(homes: Path) -> None:
    text = command("audit", "--homes", str(homes), "--export", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert list(rows[0]) == [
        "at", "session", "profile", "tool", "arguments", "result", "ok", "ms", "user", "workspace", "token",
    ]  # fmt: skip
    assert [row["tool"] for row in rows] == ["memory_search", "'=evil", "memory_search", "memory_store"]
    assert json.loads(rows[2]["arguments"]) == {"query": "tea, and\nmore"}
    assert (rows[0]["ok"], rows[3]["ok"], rows[3]["ms"], rows[3]["token"]) == ("false", "true", "3", "t1")


def test_an_export_has_every_row_unless_a_limit_is_named(tmp_path: Path) -> None:
    with closing(HomeAudit(tmp_path, print)) as log:
        log.add(Call(f"2026-02-25T10:00:{n:02}Z", "", "p", f"t{n}", {}, {}, True, 1) for n in range(40))
    assert len(command("audit", "--home", str(tmp_path), "--export", "csv").stdout.splitlines()) == 41
    assert len(command("audit", "--home", str(tmp_path), "--export", "csv", "--limit", "5").stdout.splitlines()) == 6
    assert len(command("audit", "--home", str(tmp_path)).stdout.splitlines()) == 21


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (["--homes", "{}", "--workspace", "nobody"], 1, "no workspace"),
        (["--homes", "{}/nowhere"], 1, "holds no homes"),
        (["--homes", "{}", "--home", "{}"], 2, "name one of the two"),
        (["--homes", "{}", "--forget-before", "2026-02-25"], 2, "--yes"),
        (["--home", "{}/one", "--workspace", "one", "--forget-before", "2026-02-25", "--yes"], 2, "--homes"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(
    homes: Path, words: list[str], status: int, sentence: str
) -> None:
    done = command("audit", *(word.format(homes) for word in words))
    assert (done.returncode, sentence in done.stderr) == (status, True), done.stderr


def test_one_workspace_forgets_and_the_other_keeps(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with closing(HomeAudit(tmp_path / name, print)) as log:
            log.add([Call("2026-02-25T10:00:00Z", "", "p", "t", {}, {}, True, 1)])
    words = ["audit", "--homes", str(tmp_path), "--forget-before", "2026-03-01", "--yes", "--json"]
    assert json.loads(command(*words, "--workspace", "one").stdout)["forgotten"] == 1
    assert (held(tmp_path / "one"), len(held(tmp_path / "two"))) == ([], 1)
    assert json.loads(command(*words).stdout)["forgotten"] == 1
