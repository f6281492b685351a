"""Who asks, as a real server answers: two worker processes on a folder of homes, and one beside an issuer."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from clawbrain.memory.model import utc_now
from clawbrain.network.hmac_tokens import sign
from clawbrain.network.principal import Scope
from clawbrain.network.tokens import NewToken, Tokens

KEY = b"a key of the tests"
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}


class Answered(NamedTuple):
    status: int
    challenge: str
    body: str


class Serving(NamedTuple):
    port: int
    folder: Path
    tokens: Tokens

    def ask(self, path: str, token: str | None, body: Any = None) -> Answered:
        """Ask on a connection of its own, which any worker may take."""
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        headers |= {} if token is None else {"authorization": f"Bearer {token}"}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            text = None if body is None else json.dumps(body)
            connection.request("GET" if body is None else "POST", path, text, headers)
            answer = connection.getresponse()
            return Answered(answer.status, answer.getheader("www-authenticate", ""), answer.read().decode())
        finally:
            connection.close()

    def call(self, path: str, token: str | None, tool: str, **arguments: Any) -> Answered:
        return self.ask(path, token, {**CALL, "params": {"name": tool, "arguments": arguments}})


@contextmanager
def served(*options: str, **environ: str) -> Iterator[int]:
    command = [sys.executable, "-m", "clawbrain", "serve", "--http", "--port", "0", *options]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environ})
    try:
        assert server.stderr
        said = server.stderr.readline()
        assert "http://127.0.0.1:" in said, said
        port = int(said.partition("http://127.0.0.1:")[2].partition("/")[0])
        wait_until_it_answers(port)
        yield port
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=30)


def wait_until_it_answers(port: int) -> None:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            if Serving(port, Path(), None).ask("/healthz", None).status == 200:  # type: ignore[arg-type]
                return
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server does not answer")


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    folder = tmp_path_factory.mktemp("homes")
    tokens = Tokens(folder, many=True)
    for name in ("alice", "bob"):
        (folder / name).mkdir()
    tokens.create(NewToken(workspace="alice"))
    profiles = ("--profile", "clawbrain", "--profile", "being")
    (folder.parent / "key").write_bytes(KEY + b"\n")
    key = ("--hmac-key-file", str(folder.parent / "key"))
    with served("--homes", str(folder), *profiles, *key, "--workers", "2") as port:
        yield Serving(port, folder, tokens)
    tokens.close()


@pytest.fixture
def made(many: Serving) -> Callable[..., str]:
    return lambda **wish: many.tokens.create(NewToken(**wish))[0]


Made = Callable[..., str]


def test_without_a_token_a_being_client_gets_the_body_it_knows(many: Serving) -> None:
    for token, challenge in (
        (None, 'Bearer realm="clawbrain"'),
        ("no", 'Bearer realm="clawbrain", error="invalid_token"'),
    ):
        assert many.call("/mcp/alice", token, "recall") == (401, challenge, '{"error":"Unauthorized"}')


def test_two_headers_are_no_token(many: Serving, made: Made) -> None:
    """A proxy may have looked at the other one."""
    text = made(workspace="alice")
    connection = http.client.HTTPConnection("127.0.0.1", many.port, timeout=20)
    connection.putrequest("GET", "/openapi.json")
    for token in (text, text):
        connection.putheader("authorization", f"Bearer {token}")
    connection.endheaders()
    assert connection.getresponse().status == 401
    connection.close()


def test_a_token_that_is_made_while_the_server_runs_is_let_in(many: Serving, made: Made) -> None:
    assert many.call("/mcp", made(workspace="alice"), "credit_report").status == 200


def test_a_revoked_token_is_refused_by_every_worker_at_once(many: Serving, made: Made) -> None:
    text = made(workspace="alice")
    assert {many.ask("/openapi.json", text).status for _ in range(10)} == {200}
    many.tokens.revoke(many.tokens.all()[-1].id)
    assert {many.ask("/openapi.json", text).status for _ in range(20)} == {401}


def test_a_token_of_one_workspace_sees_nothing_of_another(many: Serving, made: Made) -> None:
    alice, bob = made(workspace="alice"), made(workspace="bob")
    stored = {"type": "entity", "category": "people", "name": "secret-plan", "content": "Alice plans a heist."}
    assert "entity-people-secret-plan" in many.call("/mcp", alice, "memory_store", **stored).body
    assert "heist" in many.call("/mcp", alice, "memory_search", query="heist").body
    assert "heist" not in many.call("/mcp", bob, "memory_search", query="plan").body
    theirs, nobodys = (
        many.call("/mcp", bob, "memory_retrieve", id=id).body
        for id in ("entity-people-secret-plan", "entity-people-secret-none")
    )
    assert theirs.replace("secret-plan", "X") == nobodys.replace("secret-none", "X")


def test_a_being_token_reaches_its_being_alone(many: Serving, made: Made) -> None:
    bound = made(kind="being", being="alice")
    assert many.call("/mcp/alice", bound, "recall", user_message="hello").status == 200
    assert many.call("/mcp?being_id=alice", bound, "recall", user_message="hello").status == 200
    for path in ("/mcp/bob", "/mcp?being_id=bob", "/mcp/eve"):
        assert many.call(path, bound, "recall", user_message="hello").status == 403


@pytest.mark.parametrize("batch", [False, True])
def test_a_read_only_being_token_calls_no_tool_that_writes(many: Serving, made: Made, batch: bool) -> None:
    token = made(kind="being", scope=Scope.READ)
    call = {**CALL, "params": {"name": "update_notes", "arguments": 7}}
    refused = many.ask("/mcp/alice", token, [call] if batch else call)
    assert (refused.status, refused.body) == (403, '{"error":"Read-only token cannot call write tools"}')
    assert many.call("/mcp/alice", token, "search_memory", query="x").status == 200


def test_a_signed_token_is_for_the_workspace_that_it_names(many: Serving) -> None:
    assert many.call("/mcp", sign(KEY, "carl", "bob", utc_now()), "credit_report").status == 200
    assert many.call("/mcp", sign(KEY, "carl", "eve", utc_now()), "credit_report").status == 403
    assert many.call("/mcp", sign(KEY + b"\n", "carl", "bob", utc_now()), "credit_report").status == 401
    assert not (many.folder / "eve").exists()


@pytest.mark.parametrize(
    "path", ["oauth-protected-resource", "oauth-protected-resource/mcp", "oauth-authorization-server"]
)
def test_in_token_mode_nothing_is_well_known(many: Serving, made: Made, path: str) -> None:
    for token in (None, made(workspace="alice")):
        answer = many.ask(f"/.well-known/{path}", token)
        assert (answer.status, answer.challenge) == (404, "")


def test_the_last_use_is_written(many: Serving, made: Made) -> None:
    many.ask("/openapi.json", made(workspace="bob"))
    for _ in range(100):
        if many.tokens.all()[-1].used:
            return
        time.sleep(0.1)
    raise AssertionError("the use was not noted")


def test_beside_an_issuer_clients_are_told_where_to_go(home: Path) -> None:
    with served("--home", str(home), "--oauth-issuer", "http://127.0.0.1:9") as port:
        one = Serving(port, home, None)  # type: ignore[arg-type]
        refused = one.call("/mcp", None, "credit_report")
        metadata = f"http://127.0.0.1:{port}/.well-known/oauth-protected-resource/mcp"
        assert refused.status == 401 and f'resource_metadata="{metadata}"' in refused.challenge
        found = json.loads(one.ask(metadata.partition(str(port))[2], None).body)
        assert found["resource"] == f"http://127.0.0.1:{port}/mcp"
        assert [url.rstrip("/") for url in found["authorization_servers"]] == ["http://127.0.0.1:9"]


def test_a_server_that_nobody_could_use_does_not_start(home: Path) -> None:
    command = [sys.executable, "-m", "clawbrain", "serve", "--http", "--port", "0", "--home", str(home)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and "clawbrain token create" in done.stderr and "Traceback" not in done.stderr
