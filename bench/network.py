"""The part `network`: the server over HTTP beside the one on stdin and stdout, in one run on this machine."""

import asyncio
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

from bench.speed import WARM_UP, made, served, timed, write
from clawbrain import open_brain
from clawbrain.memory.model import utc_now
from clawbrain.network.tokens import NewToken, Tokens

SIZE = 1_000
CLIENTS, WRITERS, SECONDS = 50, 5, 10.0
STORES = 10_000
IDLE = 1_000
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def report(*, stores: int = STORES) -> dict[str, Any]:
    """Measure all, print it, and return the figures; `stores` are made while processes are killed."""
    documents, questions = made(SIZE)
    with tempfile.TemporaryDirectory(prefix="clawbrain-bench-") as folder:
        home = Path(folder) / "home"
        write(home, documents)
        with open_brain(home) as brain:
            brain.sync(now=True)
        token = _token(home)
        figures = {
            "start to first answer s": _start(home, token),
            **_beside_stdio(home, token, questions),
            "together": asyncio.run(_together(home, token, questions)),
            "beside hostile clients": asyncio.run(_hostile(home, token, questions)),
            "kills": asyncio.run(_kills(Path(folder) / "killed", stores)),
        }
    for name, value in figures.items():
        print(f"{name}: {value}", flush=True)
    return figures


def _token(home: Path) -> str:
    tokens = Tokens(home, many=False, clock=utc_now)
    token = tokens.create(NewToken())[0]
    tokens.close()
    return token


@contextmanager
def _server(home: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Start a server, and yield its process and its port."""
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), "serve", "--http", "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr
        found = re.search(r":(\d+)/mcp", server.stderr.readline())
        assert found, "the server did not start"
        try:
            yield server, int(found[1])
        finally:
            server.send_signal(signal.SIGTERM)


class Connection:
    """One connection of a client without a session, which waits for each answer."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return what a tool answers. Raises OSError or EOFError where the connection ends."""
        params = {"name": tool, "arguments": arguments, "_meta": ENVELOPE}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {self._token}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {tool}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        try:
            writer.write(head.encode() + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = re.search(r"content-length: (\d+)", answer)
            if not answer.startswith("http/1.1 200 ") or not length:
                raise OSError(answer.partition("\r\n")[0])
            result: dict[str, Any] = json.loads(await reader.readexactly(int(length[1])))["result"]
        except BaseException:
            self.close()
            raise
        if result.get("isError"):
            raise OSError(result["content"][0]["text"])
        return result

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        if self._streams:
            self._streams[1].close()
        self._streams = None


def _start(home: Path, token: str) -> float:
    """Return how many seconds pass from the start of the process to the first answer."""

    def started() -> None:
        with _server(home) as (_, port):
            asyncio.run(Connection(port, token).call("memory_search", query="anything"))

    with_end = [timed(started) for _ in range(3)]
    return round(median(with_end), 2)


def _beside_stdio(home: Path, token: str, questions: Sequence[str]) -> dict[str, Any]:
    """Return the times of a search by one client, over stdin and stdout and over HTTP, in turns."""
    loop = asyncio.new_event_loop()
    with served(home) as search, _server(home) as (_, port):
        connection = Connection(port, token)

        def ask(question: str) -> object:
            return loop.run_until_complete(connection.call("memory_search", query=question, limit=10))

        taken: dict[str, list[float]] = {"stdio": [], "http": []}
        for question in questions[:WARM_UP]:
            search(question), ask(question)
        for question in questions[WARM_UP:]:
            taken["stdio"].append(timed(search, question) * 1_000)
            taken["http"].append(timed(ask, question) * 1_000)
        connection.close()
    loop.close()
    return {f"p50 over {name} ms": round(median(each), 2) for name, each in taken.items()}


async def _together(home: Path, token: str, questions: Sequence[str]) -> dict[str, Any]:
    """Return what 50 clients at once get from two processes, while five of them store."""
    taken: list[float] = []
    errors: list[str] = []
    with _server(home, "--workers", "2") as (server, port):
        await _ready(port, token)
        end = time.monotonic() + SECONDS

        async def client(number: int) -> None:
            connection, asked = Connection(port, token), number
            while time.monotonic() < end:
                asked += 7
                began = time.perf_counter()
                try:
                    if number < WRITERS and asked % 2:
                        words = {"type": "entity", "name": f"note-{number}-{asked}", "category": "projects"}
                        await connection.call("memory_store", **words, content=questions[asked % len(questions)])
                    else:
                        await connection.call("memory_search", query=questions[asked % len(questions)], limit=10)
                        taken.append((time.perf_counter() - began) * 1_000)
                except (OSError, EOFError) as error:
                    errors.append(str(error))
            connection.close()

        await asyncio.gather(*(client(number) for number in range(CLIENTS)))
        memory = [_memory(pid) for pid in _children(server.pid)]
    taken.sort()
    return {
        "searches a second": round(len(taken) / SECONDS),
        "p50 ms": round(taken[len(taken) // 2]),
        "p95 ms": round(taken[int(len(taken) * 0.95)]),
        "errors": len(errors),
        "first error": errors[0] if errors else "",
        "MB of each process": [round(each) for each in memory if each > 20],
    }


async def _hostile(home: Path, token: str, questions: Sequence[str]) -> dict[str, Any]:
    """Return how many times longer a search takes beside a slow client, many idle connections and huge bodies."""
    with _server(home) as (_, port):
        await _ready(port, token)

        async def typical() -> float:
            connection, each = Connection(port, token), []
            for question in questions[:100]:
                began = time.perf_counter()
                await connection.call("memory_search", query=question, limit=10)
                each.append(time.perf_counter() - began)
            connection.close()
            return median(each)

        alone = await typical()
        others = get_context("spawn").Process(target=_be_hostile, args=(port, token), daemon=True)
        others.start()
        await asyncio.sleep(3)
        beside = await typical()
        others.kill()
        others.join()
    return {"times": round(beside / alone, 2), "connections": IDLE}


def _be_hostile(port: int, token: str) -> None:
    """Hold idle connections, send a body of one byte a second, and bodies of 1 GB, until killed."""
    idle = [socket.create_connection(("127.0.0.1", port)) for _ in range(IDLE)]
    asyncio.run(_trouble(port, token))
    del idle


async def _trouble(port: int, token: str) -> None:
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n".encode()
    await asyncio.gather(_slowly(port, head), _hugely(port, head))


async def _slowly(port: int, head: bytes) -> None:
    """Send a body of one byte a second."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head + b"Content-Length: 100\r\n\r\n")
    while True:
        writer.write(b"x")
        await asyncio.sleep(1)


async def _hugely(port: int, head: bytes) -> None:
    """Send bodies of 1 GB, until each is refused."""
    while True:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        with suppress(OSError):
            writer.write(head + b"Transfer-Encoding: chunked\r\n\r\n")
            for _ in range(1_000):
                writer.write(b"100000\r\n" + b"x" * 0x100000 + b"\r\n")
                await writer.drain()
        writer.close()
        await asyncio.sleep(0.1)


async def _kills(home: Path, stores: int) -> dict[str, Any]:
    """Return how many of the stores that were answered are lost when a process is killed each second."""
    open_brain(home).close()
    token, answered, tried, killed = _token(home), list[str](), 0, 0
    numbers = iter(range(stores))
    with _server(home, "--workers", "2") as (server, port):
        await _ready(port, token)

        async def writer() -> None:
            nonlocal tried
            connection = Connection(port, token)
            for number in numbers:
                tried += 1
                text = f"Note {number} says {number * 7919 % 10_007}."
                name = f"note-{number}"
                with suppress(OSError, EOFError):
                    await connection.call("memory_store", type="entity", category="projects", name=name, content=text)
                    answered.append(name)
            connection.close()

        async def killer() -> None:
            nonlocal killed
            while True:
                await asyncio.sleep(1)
                with suppress(OSError, IndexError):
                    os.kill(_children(server.pid)[-1], signal.SIGKILL)
                    killed += 1

        killing = asyncio.create_task(killer())
        await asyncio.gather(*(writer() for _ in range(8)))
        killing.cancel()
    there = {path.stem for path in (home / "memory/entities/projects").glob("*.md")}
    lost = [name for name in answered if name not in there]
    return {"stores": tried, "kills": killed, "answered": len(answered), "lost": len(lost)}


async def _ready(port: int, token: str) -> None:
    """Wait until several connections in a row were answered, so that all processes are there."""
    for _ in range(20):
        connection = Connection(port, token)
        await connection.call("memory_search", query="anything")
        connection.close()


def _children(pid: int) -> list[int]:
    """Return the processes that a process started, the oldest first."""
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _memory(pid: int) -> float:
    """Return the megabytes that a process holds."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0
