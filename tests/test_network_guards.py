"""What every request over HTTP passes: names, sizes, times, scopes, rates, and the walls between workspaces."""

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from http_server import BOTH, HttpMcp, HttpServer, make_token

from clawbrain.errors import Usage
from clawbrain.network import bodies
from clawbrain.network.app import _listens
from clawbrain.network.bodies import Bodies
from clawbrain.network.durations import rate_of
from clawbrain.network.guards import Guards
from clawbrain.network.limits import AT_ONCE, Limits
from clawbrain.network.options import ServeOptions
from clawbrain.profiles.shared.endpoints import HttpFault

PREFERENCE = {"type": "entity", "name": "package-manager", "category": "preferences", "content": "Use pnpm, never npm."}
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(scope="module")
def tokens(folder: Path) -> dict[str, str]:
    made = {
        name: make_token(folder, many=True, user="ada", workspace=workspace, scope=scope)
        for name, workspace, scope in (("one", "one", "write"), ("two", "two", "write"), ("reader", "one", "read"))
    }
    made["being"] = make_token(folder, many=True, kind="being")
    made["reading being"] = make_token(folder, many=True, kind="being", scope="read")
    return made


@pytest.fixture(scope="module")
def server(folder: Path, tokens: dict[str, str]) -> Iterator[HttpServer]:
    options = ["--profile=clawbrain", "--profile=being", "--allow-origin=https://page.example", "--audit"]
    with HttpServer(folder, *options, "--allow-host=memory.example", "--rate=100000/min", many=True) as served:
        yield served


@pytest.mark.parametrize("path", ["/healthz", "/mcp", "/mcp/luna", "/openapi.json", "/nowhere"])
def test_names_are_checked_on_every_route(server: HttpServer, path: str) -> None:
    http = server.client()
    assert http.get(path, headers={"Host": "evil.example"}).status_code == 421
    assert http.get(path, headers={"Host": "memory.example:80:80"}).status_code == 421
    assert http.get(path, headers={"Host": "memory.example"}).status_code != 421
    assert http.get(path, headers={"Origin": "https://evil.example"}).status_code == 403
    assert http.get(path, headers={"Origin": "null"}).status_code == 403
    assert http.get(path, headers={"Origin": "http://[broken"}).status_code == 403
    allowed = http.get(path, headers={"Origin": "https://page.example"})
    assert allowed.headers["access-control-allow-origin"] == "https://page.example"
    assert allowed.headers["cache-control"] == "no-store"
    assert allowed.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in http.get(path, headers={"Origin": "http://localhost:3000"}).headers


def test_only_allowed_pages_may_ask_beforehand(server: HttpServer) -> None:
    ask = {"Access-Control-Request-Method": "POST"}
    allowed = server.client().options("/mcp", headers={"Origin": "https://page.example", **ask})
    assert allowed.status_code == 204
    for header in ("Authorization", "Mcp-Method", "Mcp-Name"):
        assert header in allowed.headers["access-control-allow-headers"]
    assert server.client().options("/mcp", headers={"Origin": "http://localhost", **ask}).status_code == 403


def test_a_body_that_is_too_long_is_refused_before_it_is_read(server: HttpServer, tokens: dict[str, str]) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as raw:
        raw.sendall(f"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000000000\r\n\r\n".encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 413 ")

    def chunks() -> Iterator[bytes]:
        for _ in range(5):
            yield b"x" * 1024 * 1024

    with contextlib.suppress(httpx2.TransportError):  # the server closed while the client still wrote
        assert server.client(tokens["one"]).post("/mcp", content=chunks()).status_code == 413


def test_a_slow_body_a_long_one_and_too_many_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "TIME", 0.05)
    monkeypatch.setattr(bodies, "HELD_BY_ONE", 150)
    reader = Bodies(lambda method, path: 100)
    scope: dict[str, Any] = {"type": "http", "method": "POST", "path": "/mcp", "headers": []}

    def receiving(body: bytes, more: bool) -> Any:
        waiting = [{"type": "http.request", "body": body, "more_body": more}]

        async def receive() -> Any:
            if not waiting:
                await asyncio.sleep(10)
            return waiting.pop()

        return receive

    async def status(body: bytes, more: bool = False, token: str = "a") -> int:
        try:
            async with reader.read(scope, receiving(body, more), token) as again:
                assert (await again())["body"] == scope["body"] == body
                return 200
        except HttpFault as fault:
            return fault.status

    async def all_of_them() -> None:
        assert await status(b"x", more=True) == 408
        assert await status(b"x" * 101) == 413
        async with reader.read(scope, receiving(b"x" * 90, False), "a"):
            assert await status(b"x" * 90) == 503
            assert await status(b"x" * 90, token="b") == 200
        assert await status(b"x" * 90) == 200

    asyncio.run(all_of_them())


def test_a_fault_of_ours_tells_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    async def fails(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError("a secret")

    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    guarded = Guards(fails, ServeOptions("/nowhere"), lambda path, fault: {"error": str(fault)}, Bodies(lambda *_: 100))
    scope = {"type": "http", "method": "POST", "path": "/mcp", "headers": [(b"host", b"localhost:1")]}
    asyncio.run(guarded(scope, None, send))  # type: ignore[arg-type]
    assert sent[0]["status"] == 500
    assert b"secret" not in sent[1]["body"]
    assert "secret" not in capsys.readouterr().err


def test_nothing_is_read_of_a_stranger(server: HttpServer) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    for path in ("/mcp", "/mcp/luna", "/openapi.json"):
        with socket.create_connection((host, int(port))) as raw:
            raw.settimeout(10)
            raw.sendall(f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 4000000\r\n\r\n{{".encode())
            assert raw.recv(12) in (b"HTTP/1.1 401", b"HTTP/1.1 405")


def test_a_word_in_a_text_is_no_stream() -> None:
    listen = {"jsonrpc": "2.0", "method": "subscriptions/listen"}
    assert _listens(json.dumps(listen).encode())
    assert not _listens(json.dumps({**CALL, "params": {"arguments": listen}}).encode())
    assert not _listens(b'[{"method": "subscriptions/listen"}]')


def test_a_token_that_may_only_read_changes_nothing(server: HttpServer, tokens: dict[str, str]) -> None:
    server.mcp(tokens["one"]).call("memory_store", **{**PREFERENCE, "name": "readable"})
    reader = server.mcp(tokens["reader"])
    assert "may only read" in reader.refused("memory_store", **PREFERENCE)
    assert reader.call("memory_search", query="pnpm")["total_matches"] >= 1


def test_a_reading_token_of_a_being_is_refused_whatever_the_shape(server: HttpServer, tokens: dict[str, str]) -> None:
    http = server.client(tokens["reading being"], Accept=BOTH)
    call = {**CALL, "params": {"name": "update_memory", "arguments": {}}}
    twice = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"recall","name":"update_notes"}}'
    for body in (call, [call], [{"jsonrpc": "2.0", "id": 2, "method": "ping"}, call]):
        answer = http.post("/mcp/one", json=body)
        assert answer.status_code == 403
        assert answer.json() == {"error": "Read-only token cannot call write tools"}
    assert http.post("/mcp/one", content=twice, headers={"Content-Type": "application/json"}).status_code == 403
    being = HttpMcp(http, "/mcp/one", greet=False)
    for tool in ("get_current_time", "get_context", "recall", "search_memory"):
        assert not being.ask("tools/call", name=tool, arguments={"query": "x"}).get("isError"), tool
    assert HttpMcp(http, "/mcp/nobody", greet=False).post("tools/list").status_code == 403


def test_workspaces_do_not_see_each_other(server: HttpServer, tokens: dict[str, str]) -> None:
    one, two = server.mcp(tokens["one"]), server.mcp(tokens["two"])
    id = one.call("memory_store", **{**PREFERENCE, "name": "hidden", "content": "The heron stands at the weir."})["id"]
    assert two.call("memory_search", query="heron weir")["results"] == []
    unknown = two.refused("memory_retrieve", id="entity-preferences-nothing")
    assert two.refused("memory_retrieve", id=id) == unknown.replace("entity-preferences-nothing", id)
    other = HttpMcp(server.client(tokens["two"]), greet=False)
    other.headers["Mcp-Session-Id"] = one.session
    assert other.post("tools/list").status_code == 404


def test_calls_under_way_and_a_rate_are_bounded() -> None:
    now = [0.0]
    limits = Limits(rate_of("3/min"), lambda: now[0])
    for _ in range(3):
        limits.count("a")
    with pytest.raises(HttpFault) as fault:
        limits.count("a")
    assert (fault.value.status, fault.value.further["retry_after"]) == (429, 20)
    limits.count("b")
    now[0] = 21.0
    limits.count("a")

    held = [limits.one_call("a") for _ in range(AT_ONCE)]
    for each in held:
        each.__enter__()
    with pytest.raises(HttpFault, match="under way"), limits.one_call("a"):
        pass
    with limits.one_call("b"):
        pass
    held[0].__exit__(None, None, None)
    with limits.one_call("a"):
        pass


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"host": "0.0.0.0"}, "in clear"),
        ({"host": "0.0.0.0", "insecure_no_auth": True}, "this machine alone"),
        ({"tls_cert": "x"}, "belong together"),
        ({"workers": 0}, "--workers"),
        ({"audit_strict": True}, "--audit"),
        ({"many": True, "layers": ("x",)}, "one home"),
        ({"allow_origins": ("page.example",)}, "no address"),
        ({"profiles": ("clawbrain", "mamma")}, "no profile 'mamma'; did you mean"),
        ({"profiles": ("clawbrain", "penfield"), "allow": ("disconnect", "nonsense")}, "'nonsense' is nothing"),
        ({"profiles": ("clawbrain", "penfield"), "extras": ("nonsense",)}, "'nonsense' is no extra"),
    ],
)
def test_options_that_do_not_go_together_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Usage, match=sentence):
        ServeOptions("/nowhere", **wrong).checked()
    assert ServeOptions("/nowhere", host="0.0.0.0", behind_proxy=True).checked().port == 8787
    assert ServeOptions("/nowhere", profiles=("clawbrain", "penfield"), allow=("disconnect",)).checked()


def test_nobody_is_let_in_without_a_token_but_on_this_machine_when_told_so(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no token was made"):
        HttpServer(tmp_path)
    with HttpServer(tmp_path, "--insecure-no-auth") as server:
        assert server.mcp("").call("memory_store", **PREFERENCE)["created"]
        assert server.client().get("/openapi.json").status_code == 200


def test_a_port_that_is_taken_is_said_in_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        began = time.monotonic()
        with pytest.raises(RuntimeError, match=f"127.0.0.1:{port} cannot be listened on"):
            HttpServer(tmp_path, "--insecure-no-auth", "--port", str(port))
        assert time.monotonic() - began < 10
