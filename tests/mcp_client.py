"""A client that speaks raw JSON-RPC to a server process, so that tests see every byte of both directions."""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

LEGACY, MODERN = "2025-06-18", "2026-07-28"
SERVE = [sys.executable, "-m", "clawbrain", "serve"]
ODD = [sys.executable, str(Path(__file__).with_name("odd") / "start.py")]
CLIENT = {"name": "test", "version": "1"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Client:
    """`modern` puts the 2026 envelope into every request; otherwise the handshake comes first, unless told not to."""

    def __init__(
        self, *options: str, command: list[str] = SERVE, modern: bool = False, greet: bool = True, **popen: Any
    ) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | popen
        self.process = subprocess.Popen([*command, *options], **pipes)
        self.modern, self.noise = modern, []
        self._ids = iter(range(1, 1_000_000))
        self._said: queue.Queue[bytes] = queue.Queue()
        if self.process.stdout:
            threading.Thread(target=self._listen, daemon=True).start()
        if greet and not modern:
            self.greet()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _listen(self) -> None:
        for line in self.process.stdout:
            self._said.put(line)
        self._said.put(b"")

    def greet(self, version: str = LEGACY) -> dict[str, Any]:
        answer = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo=CLIENT)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def raw(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: object) -> None:
        self.raw(json.dumps(message).encode() + b"\n")

    def post(self, method: str, /, **params: Any) -> int:
        id = next(self._ids)
        if self.modern:
            params["_meta"] = ENVELOPE | params.get("_meta", {})
        self.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        return id

    def ask(self, method: str, /, **params: Any) -> dict[str, Any]:
        return self.answer_to(self.post(method, **params))

    def post_call(self, tool: str, /, **arguments: Any) -> int:
        return self.post("tools/call", name=tool, arguments=arguments)

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        return self.answer_to(self.post_call(tool, **arguments))["result"]

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        result = self.call(tool, **arguments)
        assert result["isError"], result
        return result["content"][0]["text"]

    def line(self, timeout: float = 60) -> bytes:
        """The next line the server writes; nothing when it has closed its side."""
        return self._said.get(timeout=timeout)

    def message(self, timeout: float = 60) -> dict[str, Any]:
        return json.loads(self.line(timeout))

    def answer_to(self, id: Any) -> dict[str, Any]:
        while (message := self.message()).get("id") != id or "method" in message:
            self.noise.append(message)
        return message

    def ends(self, timeout: float = 60) -> int:
        """The exit status, after the client has closed its side."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        return self.process.wait(timeout)

    def rest(self) -> list[dict[str, Any]]:
        """Everything still said, up to the end."""
        return [json.loads(line) for line in iter(self.line, b"")]


def initialize(version: str = LEGACY, id: int | str = 0) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    return {"jsonrpc": "2.0", "id": id, "method": "initialize", "params": params}
