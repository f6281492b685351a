"""A walk through clawbrain in a few seconds: a real server in a temporary home, used as an agent would.

Nothing here is staged: every line shown was answered by the server or read from the files it wrote.
"""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import Broken
from . import output

PATIENCE = 30.0
Tell = Callable[..., None]

_STORED: list[dict[str, Any]] = [
    {
        "type": "entity", "category": "projects", "name": "ferry-times", "tags": ["ferry-times", "architecture"],
        "content": "# Ferry times\n\n- Timetables come from the harbour office's feed, cached for ten minutes\n"
        "- The feed drops connections at night: retry three times, then serve the last good copy",
    },
    {
        "type": "entity", "category": "preferences", "name": "error-handling", "tags": ["style"],
        "content": "# Error handling\n\n- Mara wants retries with a limit, never an endless loop\n"
        "- An error names what failed and what to do next",
    },
    {
        "type": "episode", "name": "feed-timeout-found", "tags": ["ferry-times", "feed", "timeout"],
        "content": "# Feed timeout found\n\n- The night job hung because the feed client had no timeout",
    },
    {
        "type": "episode", "name": "feed-timeout-fixed", "tags": ["ferry-times", "feed", "timeout"],
        "content": "# Feed timeout fixed\n\n- Set the feed client's timeout to 20 seconds and added a retry test",
    },
]  # fmt: skip
_QUESTION = "what happens when the harbour feed fails at night?"
_GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tour", "version": "1"}}


def walk(tell: Tell) -> dict[str, Any]:
    """Give the whole tour through `tell`; return what was answered on the way, for programs."""
    with tempfile.TemporaryDirectory(prefix="clawbrain-tour-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        tell("clawbrain keeps what a coding agent learns in markdown files, and learns which of them help.")
        tell("This tour runs a real server in a temporary home, the way an agent would.")
        with Agent(home) as agent:
            try:
                _store(agent, tell)
                _search(agent, tell)
                _teach(agent, tell)
                _compact(agent, tell)
                files = _files(home, tell)
            except (KeyError, IndexError, TypeError, OSError) as fault:
                raise Broken(f"the tour ended early: the server answered unexpectedly ({fault!r}).") from None
    _what_next(tell)
    return {"calls": agent.calls, "files": files}


def _store(agent: "Agent", tell: Tell) -> None:
    tell("\n1  The agent stores what it learnt", "bold cyan")
    for words in _STORED:
        tell(f"   {agent.call('memory_store', **words)['id']}")


def _search(agent: "Agent", tell: Tell) -> None:
    tell("\n2  In a later task it asks, in its own words", "bold cyan")
    tell(f'   memory_search "{_QUESTION}"', "italic")
    for hit in agent.call("memory_search", query=_QUESTION, limit=3)["results"]:
        tell(f"   {hit['combined_score']:.2f}  {hit['id']}")
        tell(f"         {textwrap.shorten(hit['snippet'], 96, placeholder=' …')}", "dim")


def _teach(agent: "Agent", tell: Tell) -> None:
    tell("\n3  It reads the best one, the task works out, and it says so", "bold cyan")
    best = agent.calls[-1]["answer"]["results"][0]
    agent.call("memory_retrieve", id=best["id"])
    moved = agent.call("memory_feedback", signal="task_completed", used_ids=[best["id"]])["updated"]
    before, after = moved[0]["old_score"], moved[0]["new_score"]
    if not before < after:
        raise Broken(f"the tour ended early: praise moved a score from {before} to {after}.")
    tell(f"   {best['id']}")
    tell(f"   credit {before:.3f} {output.bar(before, 40)}", "dim")
    tell(f"       -> {after:.3f} {output.bar(after, 40)}", "green")
    again = agent.call("memory_search", query=_QUESTION, limit=1)["results"][0]
    tell(f"   The same question now gives it {again['combined_score']:.3f} instead of {best['combined_score']:.3f}.")
    tell("   What misleads sinks the same way.")


def _compact(agent: "Agent", tell: Tell) -> None:
    tell("\n4  Now and then the store tidies itself, as STRATEGY.md says", "bold cyan")
    for detail in agent.call("memory_compact")["details"]:
        tell(f"   {detail}")


def _files(home: Path, tell: Tell) -> list[str]:
    tell("\n5  All of it is files, yours to read, edit, grep and commit", "bold cyan")
    files = sorted(file.relative_to(home).as_posix() for file in home.rglob("*.md") if ".clawbrain" not in file.parts)
    for file in files:
        tell(f"   {file}")
    merged = [file for file in files if file.startswith("memory/episodes/")]
    tell(f"\n   One of them whole, {merged[0]}:\n")
    for line in (home / merged[0]).read_text("utf-8").splitlines():
        tell(f"   | {line}".rstrip(), "dim")
    return files


def _what_next(tell: Tell) -> None:
    tell("\nWhat next", "bold cyan")
    tell("   clawbrain install      puts it into the agent programs found on this machine")
    tell("   clawbrain store …      writes a memory by hand; `clawbrain --help` shows every verb")
    tell("   README.md              the memory file, what lives where, and how STRATEGY.md steers")
    tell("The tour's home is gone again; your own will be ~/clawbrain, or wherever --home says.")


class Agent:
    """A client that starts the server and calls its tools, as an agent does."""

    def __init__(self, home: Path) -> None:
        self.calls: list[dict[str, Any]] = []
        self._home, self._id = home, 0

    def __enter__(self) -> "Agent":
        command = [sys.executable, "-m", "clawbrain", "serve", "--home", str(self._home)]
        environ = {name: value for name, value in os.environ.items() if name != "CLAWBRAIN_SESSION_ID"}
        self._server = subprocess.Popen(
            command, cwd=self._home, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._alarm = threading.Timer(PATIENCE, self._server.kill)
        self._alarm.start()
        try:
            self._ask("initialize", _GREETING)
            self._write({"method": "notifications/initialized"})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._alarm.cancel()
        try:
            self._server.communicate(timeout=5)
        except (subprocess.TimeoutExpired, OSError):
            self._server.kill()
            self._server.communicate()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the answer of a tool. Raises Broken if the server refuses the call."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise Broken(f"the tour ended early: {tool} was refused: {result['content'][0]['text']}")
        answer: dict[str, Any] = result["structuredContent"]
        self.calls.append({"tool": tool, "arguments": arguments, "answer": answer})
        return answer

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._id += 1
        self._write({"id": self._id, "method": method, "params": params})
        while line := self._server.stdout.readline():  # type: ignore[union-attr]
            message = json.loads(line)
            if message.get("id") == self._id:
                if "result" not in message:
                    raise Broken(f"the tour ended early: the server refused {method}.")
                result: dict[str, Any] = message["result"]
                return result
        raise Broken(f"the tour ended early: the server ended without answering {method}.")

    def _write(self, message: dict[str, Any]) -> None:
        line = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        try:
            self._server.stdin.write(line)  # type: ignore[union-attr]
            self._server.stdin.flush()  # type: ignore[union-attr]
        except OSError:
            raise Broken("the tour ended early: the server does not listen.") from None
