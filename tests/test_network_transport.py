"""MCP over HTTP: both eras, sessions, several profiles at once, several processes."""

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from http_server import BOTH, CLIENT, ENVELOPE, LEGACY, MODERN, HttpMcp, HttpServer, make_token, said

PREFERENCE = {"type": "entity", "name": "package-manager", "category": "preferences", "content": "Use pnpm, never npm."}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def token(folder: Path) -> str:
    return make_token(folder, user="ada")


@pytest.fixture(scope="module")
def server(folder: Path, token: str) -> Iterator[HttpServer]:
    profiles = [f"--profile={name}" for name in ("clawbrain", "memory", "being", "palace", "mama", "penfield")]
    with HttpServer(folder, *profiles) as served:
        yield served


def test_the_start_says_where_it_is_and_healthz_answers_anybody(server: HttpServer) -> None:
    answer = server.client().get("/healthz")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok", "version": answer.json()["version"]}
    assert "clawbrain serves this memory at http://127.0.0.1:" in server.said


@pytest.mark.parametrize("modern", [False, True])
def test_a_memory_is_stored_found_and_praised(server: HttpServer, token: str, modern: bool) -> None:
    client = server.mcp(token, modern=modern)
    assert bool(client.session) is not modern
    tools = [tool["name"] for tool in client.ask("tools/list")["tools"]]
    assert tools[0] == "memory_store"
    assert len(tools) == 8
    name = f"package-manager-{modern}".lower()
    assert client.call("memory_store", **{**PREFERENCE, "name": name})["created"]
    found = client.call("memory_search", query="pnpm npm")["results"]
    assert name in {each["name"] for each in found}
    answer = client.call("memory_feedback", signal="task_completed")
    assert {each["id"] for each in answer["updated"]} == {each["id"] for each in found}
    # without a session it is said which search was scored
    assert ("newest search of the last hour" in str(answer.get("warnings"))) is modern


def test_a_session_is_its_principals_and_ends_with_delete(server: HttpServer, token: str, folder: Path) -> None:
    client = server.mcp(token)
    renewed, another = make_token(folder, user="ada"), make_token(folder, user="bob")
    for theirs, status in ((renewed, 200), (another, 404)):
        same = HttpMcp(server.client(theirs), greet=False)
        same.headers["Mcp-Session-Id"] = client.session
        assert same.post("tools/list").status_code == status
    assert client.http.delete("/mcp", headers=client.headers).status_code == 200
    assert client.post("tools/list").status_code == 404
    for headers in ({}, client.headers):
        assert client.http.delete("/mcp", headers=headers).status_code == 204


def test_what_is_no_message_is_refused(server: HttpServer, token: str) -> None:
    http = server.client(token, Accept=BOTH)
    assert "mcp-session-id" not in http.post("/mcp", json={}).headers
    json_type = {"Content-Type": "application/json"}
    assert http.post("/mcp", content=b"{", headers=json_type).status_code == 400
    assert http.post("/mcp", json=[]).status_code == 400
    assert http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).status_code == 400  # no session
    assert http.post("/mcp", json={}, headers={"Accept": "text/html"}).status_code == 406
    assert http.put("/mcp", json={}).status_code == 405
    unknown = {"Mcp-Session-Id": "0" * 32}
    assert http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}, headers=unknown).status_code == 404


def test_no_token_a_false_one_and_none_of_the_kind(server: HttpServer) -> None:
    for token in ("", "cbt_false", "x.y"):
        answer = server.client(token).post("/mcp", json={})
        assert answer.status_code == 401
        assert answer.json() == {"error": "Unauthorized"}
        assert answer.headers["www-authenticate"].startswith("Bearer")
    for path in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/mcp"):
        assert server.client().get(path).status_code == 404


def test_each_profile_has_its_path_and_other_words_are_beings(server: HttpServer, token: str, folder: Path) -> None:
    tools = {"": "memory_store", "/memory": "create_entities", "/mama": "load_checkpoint", "/penfield": "awaken"}
    for path, tool in tools.items():
        assert tool in {each["name"] for each in server.mcp(token, f"/mcp{path}").ask("tools/list")["tools"]}
    platform = {tool["name"] for tool in server.mcp(token, "/mcp/v1").ask("tools/list")["tools"]}
    assert "list_conversations" in platform
    being = HttpMcp(server.client(make_token(folder, kind="being")), "/mcp/luna")
    assert being.session == ""
    for path in ("/mcp", "/mcp/mama", "/openapi.json"):
        assert being.http.get(path).status_code == 403
    assert "recall_memory" in {tool["name"] for tool in being.ask("tools/list")["tools"]}
    assert said(being.greet())["result"]["serverInfo"] == {"name": "being", "version": "1.0.0"}
    assert being.http.post("/mcp/luna?being_id=sol", json={}).status_code == 403
    asked = HttpMcp(being.http, "/mcp?being_id=luna")
    assert "recall_memory" in {tool["name"] for tool in asked.ask("tools/list")["tools"]}


def test_two_sessions_of_one_token_neither_overwrite_nor_score_each_other(server: HttpServer, token: str) -> None:
    one, two = server.mcp(token), server.mcp(token)
    id = one.call("memory_store", **{**PREFERENCE, "name": "shared", "content": "The deploy key is kept in vault."})[
        "id"
    ]
    two.call("memory_retrieve", id=id)
    one.call("memory_update", id=id, content="The deploy key is kept in the safe.")
    assert "kept in the safe" in two.refused("memory_update", id=id, content="The deploy key is lost.")
    two.call("memory_retrieve", id=id)
    two.call("memory_update", id=id, content="The deploy key is in the drawer.")

    another = server.mcp(make_token(server.folder, user="eve"))
    assert "in the drawer" in another.refused("memory_update", id=id, content="The deploy key is gone.")
    another.call("memory_retrieve", id=id)
    another.call("memory_update", id=id, content="The deploy key is in the drawer, says Eve.")

    one.call("memory_search", query="deploy key")
    assert "nothing to score" in server.mcp(token).refused("memory_feedback", signal="task_completed")
    assert one.call("memory_feedback", signal="task_completed")["memories"] >= 1


def test_a_call_without_a_session_is_told_once_what_another_wrote_last(
    server: HttpServer, token: str, folder: Path
) -> None:
    ada, bob = server.mcp(token, modern=True), server.mcp(make_token(folder, user="bob"), modern=True)
    id = ada.call("memory_store", **{**PREFERENCE, "name": "lint", "content": "Lint with ruff before a commit."})["id"]
    ada.call("memory_update", id=id, content="Lint with ruff before each push.")
    assert "before each push" in bob.refused("memory_update", id=id, content="Lint with flake8.")
    bob.call("memory_update", id=id, content="Lint with ruff and mypy before each push.")
    bob.call("memory_update", id=id, content="Lint with ruff and mypy.")
    assert "ruff and mypy" in ada.refused("memory_update", id=id, content="Do not lint.")


def test_a_named_session_is_one_without_the_protocols(server: HttpServer, token: str) -> None:
    one, two = server.mcp(token, modern=True), server.mcp(token, modern=True)
    one.headers["X-Clawbrain-Session"], two.headers["X-Clawbrain-Session"] = "one", "two"
    one.call("memory_store", **{**PREFERENCE, "name": "tabs", "content": "Indent Makefiles with tabs."})
    one.call("memory_search", query="Makefiles tabs")
    assert "nothing to score" in two.refused("memory_feedback", signal="task_completed")
    assert "warnings" not in one.call("memory_feedback", signal="task_completed")


def test_progress_is_told_while_a_call_runs(server: HttpServer, token: str) -> None:
    client = server.mcp(token)
    client.call("memory_store", **{**PREFERENCE, "name": "progress", "content": "A note to be compacted."})
    answer = client.post("tools/call", name="memory_compact", arguments={}, _meta={"progressToken": "p"})
    assert said(answer)["result"]["structuredContent"] is not None


def test_a_subscriber_hears_of_what_another_session_changes(server: HttpServer, token: str) -> None:
    listener, writer = server.mcp(token, "/mcp/memory"), server.mcp(token, "/mcp/memory")
    uri = listener.ask("resources/list")["resources"][0]["uri"]
    listener.ask("resources/subscribe", uri=uri)
    heard: list[str] = []

    def listen() -> None:
        with listener.http.stream("GET", "/mcp/memory", headers=listener.headers) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: {"):
                    heard.append(json.loads(line[6:])["method"])
                    return

    thread = threading.Thread(target=listen)
    thread.start()
    deadline = time.monotonic() + 20
    number = 0
    while not heard and time.monotonic() < deadline:
        number += 1
        entity = {"name": f"Ada {number}", "entityType": "person", "observations": ["likes tea"]}
        writer.call("create_entities", entities=[entity])
        thread.join(0.3)
    thread.join(5)
    assert heard == ["notifications/resources/updated"]


def test_a_client_without_a_session_listens_by_a_request(server: HttpServer, token: str) -> None:
    writer, listener = server.mcp(token, "/mcp/memory"), server.client(token, Accept=BOTH)
    uri = writer.ask("resources/list")["resources"][0]["uri"]
    params = {"notifications": {"resourceSubscriptions": [uri]}, "_meta": ENVELOPE}
    message = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
    headers = {"Mcp-Protocol-Version": MODERN, "Mcp-Method": "subscriptions/listen"}
    with listener.stream("POST", "/mcp/memory", json=message, headers=headers) as stream:
        methods = (json.loads(line[6:])["method"] for line in stream.iter_lines() if line.startswith("data: {"))
        assert next(methods) == "notifications/subscriptions/acknowledged"
        writer.call("create_entities", entities=[{"name": "Bo", "entityType": "person", "observations": ["runs"]}])
        assert next(methods) == "notifications/resources/updated"


def test_workers_share_sessions_and_memories(tmp_path: Path) -> None:
    token, another = make_token(tmp_path, user="ada"), make_token(tmp_path, user="bob")
    with HttpServer(tmp_path, "--workers", "2") as server:
        clients = [server.mcp(token) for _ in range(2)]
        assert all(client.session for client in clients)
        clients[0].call("memory_store", **PREFERENCE)
        for _ in range(6):  # each request by a connection of its own, so that both processes answer
            fresh = HttpMcp(server.client(token), greet=False)
            fresh.headers["Mcp-Session-Id"] = clients[1].session
            assert fresh.call("memory_search", query="pnpm")["total_matches"] == 1
        stranger = HttpMcp(server.client(another), greet=False)
        stranger.headers["Mcp-Session-Id"] = clients[0].session
        assert stranger.post("tools/list").status_code == 404
        assert clients[1].call("memory_feedback", signal="task_completed")["memories"] == 1
        assert clients[0].http.get("/mcp", headers=clients[0].headers).status_code == 405
        assert clients[0].http.delete("/mcp", headers=clients[0].headers).status_code == 204
        assert clients[0].post("tools/list").status_code == 404
        assert server.end() == 0


def test_the_end_waits_for_no_stream(tmp_path: Path) -> None:
    token = make_token(tmp_path)
    with HttpServer(tmp_path, "--profile", "memory") as server:
        client = server.mcp(token)
        began = threading.Event()

        def listen() -> None:
            with (
                contextlib.suppress(httpx2.RemoteProtocolError),
                client.http.stream("GET", "/mcp", headers=client.headers) as stream,
            ):
                began.set()
                for _ in stream.iter_lines():
                    pass

        thread = threading.Thread(target=listen)
        thread.start()
        assert began.wait(10)
        at = time.monotonic()
        assert server.end() == 0
        assert time.monotonic() - at < 5
        thread.join(5)
        assert not thread.is_alive()


def test_layers_that_the_operator_names_are_served(tmp_path: Path) -> None:
    home, team = tmp_path / "home", tmp_path / "team"
    token, of_team = make_token(home), make_token(team)
    with HttpServer(team) as server:
        server.mcp(of_team).call("memory_store", **PREFERENCE)
    with HttpServer(home, "--layer", f"team={team}") as server:
        found = server.mcp(token).call("memory_search", query="pnpm")["results"]
        assert [each["layer"] for each in found] == ["team"]


def test_the_handshake_is_the_same_as_on_stdin_and_stdout(server: HttpServer, token: str) -> None:
    from mcp_client import Client

    with Client("--home", str(server.folder), greet=False) as local:
        there = local.greet(LEGACY)["result"]
        listed = local.ask("tools/list")["result"]
    client = server.mcp(token)
    assert said(client.greet())["result"] == there
    assert client.ask("tools/list") == listed
    assert CLIENT["name"] == "test"
    assert isinstance(client.http, httpx2.Client)


def test_the_server_on_stdin_and_stdout_imports_none_of_it() -> None:
    code = (
        "import sys, clawbrain.server.mcp, clawbrain.brain, clawbrain.profiles.clawbrain.tools\n"
        "print(*(name for name in sys.modules if name.startswith('clawbrain.network')))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
