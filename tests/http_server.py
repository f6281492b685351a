"""A server over HTTP in a process of its own, and a client that speaks raw JSON-RPC to it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from itertools import count
from pathlib import Path
from typing import Any

import httpx2

from clawbrain.memory.model import utc_now
from clawbrain.network.principal import Scope
from clawbrain.network.tokens import NewToken, Tokens

LEGACY, MODERN = "2025-06-18", "2026-07-28"
CLIENT = {"name": "test", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}
BOTH = "application/json, text/event-stream"


class HttpServer:
    """`clawbrain serve --http` on a free port of this machine."""

    def __init__(self, folder: Path, *options: str, many: bool = False, **environ: str) -> None:
        self.folder, self.many = folder, many
        self._clients: list[httpx2.Client] = []
        command = [sys.executable, "-m", "clawbrain", "serve", "--http", "--port", "0", *options]
        command += ["--homes" if many else "--home", str(folder)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environ})
        assert self.process.stderr is not None
        self.said = self.process.stderr.readline()
        found = re.search(r"(https?://\S+)/mcp", self.said)
        if not found:
            self.said += self.process.communicate()[1]
            raise RuntimeError(self.said)
        self.url = found[1]

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()
        if self.process.poll() is None:
            self.end(signal.SIGKILL)

    def end(self, by: int = signal.SIGTERM) -> int:
        """End the server, and return its exit status."""
        self.process.send_signal(by)
        status = self.process.wait(15)
        assert self.process.stderr is not None
        self.said += self.process.stderr.read()
        self.process.stderr.close()
        return status

    def client(self, token: str = "", **headers: str) -> httpx2.Client:
        if token:
            headers["Authorization"] = f"Bearer {token}"
        made = httpx2.Client(base_url=self.url, headers=headers, timeout=30)
        self._clients.append(made)
        return made

    def mcp(self, token: str, path: str = "/mcp", **how: Any) -> HttpMcp:
        return HttpMcp(self.client(token), path, **how)


def make_token(folder: Path, *, many: bool = False, **wish: Any) -> str:
    """Make a token for a home or, with `many`, for a home of a folder of homes."""
    tokens = Tokens(folder, many=many, clock=utc_now)
    try:
        made = {"kind": "api", "name": "", "workspace": "", "user": "", "being": "", "being_only": "", "seconds": None}
        scope = Scope[wish.pop("scope", "write").upper()]
        return tokens.create(
            NewToken(**{**made, "scope": scope, "new_workspace": many and bool(wish.get("workspace")), **wish})
        )[0]
    finally:
        tokens.close()


class HttpMcp:
    """A client of MCP. `modern` sends the 2026 envelope with each request; otherwise a session is begun."""

    def __init__(self, http: httpx2.Client, path: str = "/mcp", *, modern: bool = False, greet: bool = True) -> None:
        self.http, self.path, self.modern = http, path, modern
        self.headers = {"Accept": BOTH, "Mcp-Protocol-Version": MODERN if modern else LEGACY}
        self._ids = count(1)
        self.session = ""
        if greet and not modern:
            self.greet()

    def greet(self) -> httpx2.Response:
        answer = self.post("initialize", protocolVersion=LEGACY, capabilities={}, clientInfo=CLIENT)
        self.session = answer.headers.get("mcp-session-id", "")
        if self.session:
            self.headers["Mcp-Session-Id"] = self.session
        if answer.status_code == 200:
            note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            assert self.http.post(self.path, json=note, headers=self.headers).status_code == 202
        return answer

    def post(self, method: str, **params: Any) -> httpx2.Response:
        """Send a request, and return what came back."""
        headers = dict(self.headers)
        if self.modern:
            params["_meta"] = ENVELOPE
            headers |= {"Mcp-Method": method} | ({"Mcp-Name": params["name"]} if "name" in params else {})
        message = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        return self.http.post(self.path, json=message, headers=headers)

    def ask(self, method: str, **params: Any) -> Any:
        """Return the result of a request."""
        message = said(self.post(method, **params))
        assert "result" in message, message
        return message["result"]

    def call(self, tool: str, /, **arguments: Any) -> Any:
        """Return the structure that a tool answers."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert not result.get("isError"), result
        return result["structuredContent"]

    def refused(self, tool: str, /, **arguments: Any) -> str:
        """Return the sentence by which a tool refuses."""
        result = self.ask("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        return str(result["content"][0]["text"])


def said(answer: httpx2.Response) -> Any:
    """Return the message of an answer, which is JSON or the last event of a stream."""
    if not answer.headers["content-type"].startswith("text/event-stream"):
        return answer.json()
    return [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith("data: {")][-1]
