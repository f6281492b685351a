"""MAMA's HTTP API as a program reaches it: a running server, its tokens, and its refusals."""

import http.client
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from http_server import HttpServer, make_token

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
JSON = {"Content-Type": "application/json"}


class Served:
    """A server on a home of its own, and a client with a token of each scope, '' for none."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.home.mkdir()
        self.tokens = {scope: make_token(self.home, scope=scope) for scope in ("read", "write", "admin")}
        self.log = folder / "log"
        self.server = HttpServer(self.home, "--profile", "mama", "--log-file", str(self.log))
        self.clients = {scope: self.server.client(self.tokens.get(scope, "")) for scope in ("", *self.tokens)}

    def __call__(self, method: str, path: str, body: Any = None, scope: str = "admin", raw: bytes = b"") -> Any:
        sent = {"content": raw, "headers": JSON} if raw else {} if body is None else {"json": body}
        return self.clients[scope].request(method, path, **sent)

    def upload(self, name: str, content: bytes) -> Any:
        return self.clients["write"].post("/api/upload", files={"file": (name, content)})

    def status_of_length(self, path: str, length: int) -> int:
        """Return the status of a request whose body is announced and never sent."""
        connection = http.client.HTTPConnection(self.server.url.removeprefix("http://"), timeout=20)
        connection.putrequest("POST", path)
        connection.putheader("Authorization", f"Bearer {self.tokens['admin']}")
        connection.putheader("Content-Length", str(length))
        connection.endheaders()
        status = connection.getresponse().status
        connection.close()
        return status


def code(answer: httpx2.Response) -> str:
    """Return the code of a refusal in MAMA's shape."""
    body = answer.json()
    assert body.keys() == {"error", "code", "message"} and body["error"] is True
    return str(body["code"])


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    served = Served(tmp_path_factory.mktemp("served"))
    with served.server:
        yield served


def test_what_a_program_does_in_a_day(served):
    words = {"topic": "auth_strategy", "decision": "Use JWT", "reasoning": "Stateless.", "confidence": 0.8}
    saved = served("POST", "/api/mama/save", words, "write").json()
    assert saved["message"] == "Decision saved successfully"
    found = served("GET", "/api/search?query=JWT", scope="read").json()
    assert (found["count"], found["results"][0]["id"]) == (1, saved["id"])
    told = {"id": saved["id"], "outcome": "success"}
    assert served("POST", "/graph/update", told, "write").json() == {**told, "success": True, "outcome": "SUCCESS"}
    (node,) = served("GET", "/graph", scope="read").json()["nodes"]
    assert (node["topic"], node["outcome"]) == ("auth_strategy", "SUCCESS")
    served("POST", "/api/checkpoint/save", {"summary": "Half", "open_files": ["a"], "next_steps": "b"}, "write")
    assert served("GET", "/api/checkpoint/load", scope="read").json()["checkpoint"]["open_files"] == ["a"]
    assert served("GET", "/api/dashboard/status", scope="read").json()["memory"]["decisions"] == 1
    assert served("GET", "/api/sessions/last-active", scope="read").json()["session"]["turns"] >= 1


def test_the_tools_over_mcp_answer_the_same(served):
    served("POST", "/api/save", {"topic": "queue", "decision": "Use NATS", "reasoning": "Light."})
    served("POST", "/api/checkpoint/save", {"summary": "Queue half done"})
    mcp = served.server.mcp(served.tokens["write"])
    by_tool = mcp.call("search", query="NATS", type="decision")
    by_http = served("GET", "/api/search?q=NATS", scope="write").json()
    assert (by_http["results"], by_http["count"]) == (by_tool["results"], by_tool["count"])
    checkpoint = mcp.call("load_checkpoint")["checkpoint"]
    loaded = served("GET", "/api/checkpoint/load").json()["checkpoint"]
    assert loaded == {**checkpoint, "timestamp": checkpoint["timestamp"] * 1000, "status": "active"}


def test_the_command_line_finds_what_http_saved(served):
    served("POST", "/api/save", {"topic": "editor", "decision": "Use Helix", "reasoning": "Modal."})
    command = [sys.executable, "-m", "clawbrain", "search", "Helix", "--home", str(served.home), "--json"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert answer["results"][0]["name"].startswith("editor-")


@pytest.mark.parametrize("path", ["/health", "/setup"])
def test_two_paths_need_no_token(served, path):
    assert served("GET", path, scope="").status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/viewer", "/graph", "/api/health", "/api/config", "/api/cron", "/api/media/1_a", "/checkpoints"]
)
def test_all_others_need_one(served, path):
    answer = served("GET", path, scope="")
    assert (answer.status_code, code(answer)) == (401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("POST", "/api/save", "read"), ("POST", "/api/update", "read"), ("POST", "/api/checkpoint/save", "read"),
        ("POST", "/api/upload", "read"), ("GET", "/api/config", "write"), ("PUT", "/api/config", "write"),
        ("GET", "/api/logs/daemon", "write"),
    ],
)  # fmt: skip
def test_a_token_does_what_its_scope_permits(served, method, path, scope):
    answer = served(method, path, {}, scope)
    assert (answer.status_code, code(answer)) == (403, "FORBIDDEN")


@pytest.mark.parametrize(
    ("body", "named"),
    [
        (b"{", "no JSON"), (b'{"topic": 5}', "'decision'"), (b'{"decision": "d", "reasoning": "r"}', "'topic'"),
        (b'{"topic": ["t"], "decision": "d", "reasoning": "r"}', "'topic'"), (b"[]", "the body must be an object"),
        (b'{"topic": "\\ud800", "decision": "d", "reasoning": "r"}', "no JSON"), (b"\xff", "no JSON"),
        (b'{"topic": "\xed\xa0\x80", "decision": "d", "reasoning": "r"}', "no JSON"),
        (b'{"topic": "\\u0000", "decision": "d", "reasoning": "r"}', "NUL"),
    ],
)  # fmt: skip
def test_a_body_that_breaks_a_rule_is_refused_by_name(served, body, named):
    answer = served("POST", "/api/save", raw=body)
    assert (answer.status_code, code(answer)) == (400, "INVALID_REQUEST") and named in answer.json()["message"]


def test_half_a_character_is_no_fault_of_the_server(served):
    answer = served("POST", "/api/update", raw=b'{"id": "\\ud83d", "outcome": "success"}')
    assert answer.status_code == 400
    assert served("POST", "/api/update", raw=b'{"id": "\\ud83d\\ude00", "outcome": "success"}').status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/api/unknown", 404, "NOT_FOUND"), ("GET", "/unknown", 404, "NOT_FOUND"),
        ("DELETE", "/graph", 405, "METHOD_NOT_ALLOWED"), ("GET", "/api/search", 400, "MISSING_QUERY"),
        ("GET", "/graph/similar?id=none", 404, "NOT_FOUND"), ("GET", "/api/search?q=x&limit=x", 400, "INVALID_REQUEST"),
        ("PATCH", "/api/cron", 501, "NOT_SUPPORTED_LOCALLY"), ("POST", "/api/cron/1/run", 501, "NOT_SUPPORTED_LOCALLY"),
        ("PUT", "/api/skills/x/content", 501, "NOT_SUPPORTED_LOCALLY"),
    ],
)  # fmt: skip
def test_a_refusal_has_the_shape_of_mama(served, method, path, status, said):
    answer = served(method, path)
    assert (answer.status_code, code(answer)) == (status, said)


def test_a_refused_method_names_all_that_the_path_takes(served):
    assert set(served("POST", "/api/config", {}).headers["Allow"].split(", ")) == {"GET", "HEAD", "PUT"}
    head = served("HEAD", "/graph")
    assert (head.status_code, head.content) == (200, b"")


def test_files_come_back_as_they_were_sent(served):
    kept = served.upload("../Foto 1.png", PNG).json()
    assert kept["contentType"] == "image/png" and kept["filename"].endswith("_Foto_1.png")
    shown = served("GET", kept["mediaUrl"], scope="read")
    assert (shown.content, shown.headers["Content-Type"]) == (PNG, "image/png")
    assert shown.headers["Content-Disposition"].startswith("inline")
    drawn = served("GET", served.upload("a.svg", b"<svg onload='x'/>").json()["mediaUrl"])
    assert drawn.headers["Content-Disposition"].startswith("attachment")
    assert drawn.headers["X-Content-Type-Options"] == "nosniff"
    assert served("GET", "/api/media/..%2f..%2fSTRATEGY.md").status_code == 404


def test_a_body_larger_than_others_may_have_is_taken_as_a_file_only(served):
    large = b"\xff" * (5 << 20)
    assert served.upload("a.bin", large).json()["size"] == len(large)
    assert served.status_of_length("/api/save", len(large)) == 413
    assert served.status_of_length("/api/upload", 21 << 20) == 413


def test_settings_are_set_over_http(served):
    page = served.home / "STRATEGY.md"
    before = page.read_text()
    assert served("PUT", "/api/config", {"duplicates": {"threshold": 93}}).json()["duplicates"]["threshold"] == 93
    assert page.read_text().replace("duplicates: {threshold: 93}\n", "", 1) == before
    assert served("PUT", "/api/config", {"layers": ["/etc"]}).status_code == 400


def test_the_log_is_shown_and_not_sent_twice(served):
    shown = served("GET", "/api/logs/daemon?tail=1").json()
    assert len(shown["lines"]) == 1 and shown["truncated"] is (shown["total"] > 1)
    assert str(served.home) not in served("GET", "/api/logs/daemon").text
    unchanged = served("GET", "/api/logs/daemon?since=99999999999999")
    assert (unchanged.status_code, unchanged.content) == (304, b"")


def test_pages_have_a_strict_policy(served):
    for path in ("/viewer", "/setup"):
        page = served("GET", path)
        assert page.headers["Content-Type"].startswith("text/html")
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert f"{served.server.url}/mcp" in served("GET", "/setup", scope="").text
    lead = served("GET", "/", scope="read")
    assert (lead.status_code, lead.headers["Location"]) == (302, "/viewer")


def test_the_export_is_a_file(served):
    served("POST", "/api/save", {"topic": "export", "decision": "Use CSV", "reasoning": "Anybody reads it."})
    answer = served("GET", "/api/memory/export", scope="read")
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert answer.json()["memories"]
