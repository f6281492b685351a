"""A walk through clawbrain in a few seconds: a real server in a temporary home, used as an agent would.

Nothing here is staged: every line shown was answered by the server or read from the files it wrote.
"""

import json
import os
import shutil
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
Call = dict[str, Any]

_MONDAY: list[dict[str, Any]] = [
    {
        "type": "entity", "category": "preferences", "name": "pnpm-never-npm", "tags": ["packages"],
        "content": "Always pnpm, never npm.",
    },
    {
        "type": "entity", "category": "projects", "name": "ferry-times", "tags": ["ferry-times", "architecture"],
        "content": "# Ferry times\n\n- The harbour feed drops connections at night: retry three times, then serve the "
        "last good copy\n- Timetables are cached for ten minutes",
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
_PROMPT = "install the date library"
_QUESTION = "what happens when the harbour feed fails at night?"
_GREETING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "tour", "version": "1"}}


def walk(tell: Tell) -> dict[str, Any]:
    """Give the whole tour through `tell`; return what was answered on the way, for programs."""
    with tempfile.TemporaryDirectory(prefix="clawbrain-tour-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        tell("clawbrain remembers for coding agents, in markdown files, and learns which of them help.")
        tell("This tour runs a real server and its hooks in a temporary home, as agent programs do.")
        calls: list[Call] = []
        try:
            with Agent(home, calls) as monday:
                _store(monday, tell)
            _recall(home, tell)
            with Agent(home, calls) as tuesday:
                _search(tuesday, tell)
                _teach(tuesday, tell)
                _compact(tuesday, tell)
            files = _files(home, tell)
        except (KeyError, IndexError, TypeError, ValueError, OSError) as fault:
            raise Broken(f"the tour ended early: the server answered unexpectedly ({fault!r}).") from None
    _what_next(tell)
    return {"calls": calls, "files": files}


def _store(agent: "Agent", tell: Tell) -> None:
    tell("\n1  Monday: you say how you like things, and the agent stores it", "bold cyan")
    for words in _MONDAY:
        stored = agent.call("memory_store", **words)["id"]
        tell(f"   {stored}")


def _recall(home: Path, tell: Tell) -> None:
    tell("\n2  Tuesday, a new session, in this program or another: it knows, unasked", "bold cyan")
    tell("   when the session begins, a hook tells the agent", "italic")
    _say_told(_hook(home, "session-start"), tell)
    tell(f'   when you say "{_PROMPT}"', "italic")
    _say_told(_hook(home, "prompt", prompt=_PROMPT), tell)


def _say_told(text: str, tell: Tell) -> None:
    """Show the lines that a hook hands over, without their introduction."""
    lines = [line for line in text.splitlines()[1:] if line.startswith("- ")]
    if not lines:
        raise Broken("the tour ended early: a hook had nothing to say.")
    for line in lines:
        _say_wrapped(line.replace("`", ""), tell, "green")


def _say_wrapped(text: str, tell: Tell, style: str) -> None:
    for line in textwrap.wrap(text, 74, initial_indent="   ", subsequent_indent="     "):
        tell(line, style)


def _search(agent: "Agent", tell: Tell) -> None:
    tell("\n3  Later it asks, in its own words", "bold cyan")
    tell(f'   memory_search "{_QUESTION}"', "italic")
    best = agent.call("memory_search", query=_QUESTION, limit=3)["results"][0]
    tell(f"   {best['id']}")
    _say_wrapped(best["snippet"], tell, "green")


def _teach(agent: "Agent", tell: Tell) -> None:
    tell("\n4  The task works out, and it says so: what helped rises, what misled sinks", "bold cyan")
    best = agent.calls[-1]["answer"]["results"][0]["id"]
    agent.call("memory_retrieve", id=best)
    moved = agent.call("memory_feedback", signal="task_completed", used_ids=[best])["updated"]
    before, after = moved[0]["old_score"], moved[0]["new_score"]
    if not before < after:
        raise Broken(f"the tour ended early: praise moved a score from {before} to {after}.")
    tell(f"   {best}")
    tell(f"   credit {before:.2f} {output.bar(before, 40)}   nobody had said yet", "dim")
    tell(f"       -> {after:.2f} {output.bar(after, 40)}", "green")


def _compact(agent: "Agent", tell: Tell) -> None:
    tell("\n5  Now and then the store tidies itself, as STRATEGY.md says", "bold cyan")
    for detail in agent.call("memory_compact")["details"]:
        tell(f"   {detail}")


def _files(home: Path, tell: Tell) -> list[str]:
    tell("\n6  All of it is files, yours to read, edit, grep and commit", "bold cyan")
    files = sorted(file.relative_to(home).as_posix() for file in home.rglob("*.md") if ".clawbrain" not in file.parts)
    for file in files:
        tell(f"   {file}")
    merged = [file for file in files if file.startswith("memory/episodes/")]
    tell(f"\n   One of them whole, {merged[0]}:\n")
    for line in (home / merged[0]).read_text("utf-8").splitlines():
        tell(f"   | {line}".rstrip(), "dim")
    return files


def _what_next(tell: Tell) -> None:
    command = _command()
    tell("\nWhat next", "bold cyan")
    tell(f"   {command} install")
    tell("      puts it into the agent programs found on this machine")
    tell(f"   {command} --help")
    tell("      shows every verb; README.md says what lives where")
    tell("The tour's home is gone again; your own will be ~/clawbrain, or wherever --home says.")


def _command() -> str:
    """Return how to start this clawbrain from where the reader is: by its name, or by its path."""
    script = os.path.abspath(sys.argv[0])
    found = shutil.which("clawbrain")
    if not Path(script).name.startswith("clawbrain") or (found and os.path.samefile(found, script)):
        return "clawbrain"
    near = os.path.relpath(script)
    return script if near.startswith("..") else near


def _hook(home: Path, event: str, **said: str) -> str:
    """Return what a hook tells the agent, run as Claude Code runs it."""
    command = [sys.executable, "-m", "clawbrain", "hook", event, "--client", "claude", "--home", str(home)]
    told = json.dumps({"session_id": "tuesday", "cwd": str(home.parent), **said})
    done = subprocess.run(command, cwd=home, input=told, capture_output=True, text=True, timeout=PATIENCE)
    return str(json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"])


class Agent:
    """A client that starts the server and calls its tools, as an agent does."""

    def __init__(self, home: Path, calls: list[Call]) -> None:
        """`calls` collects each call with its answer."""
        self.calls = calls
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
