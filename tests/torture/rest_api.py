"""Sends a running server requests made from its own OpenAPI document, valid and broken ones, and reads the answers.

    python tests/torture/rest_api.py SCHEMATHESIS [--profile NAME]… [--seconds N] [--seed N]

SCHEMATHESIS is that program (`make torture` installs it into an environment of its own, because it changes how pytest
starts). Whatever it sends, the server must answer with no fault of its own, in a documented status, and within the
schema of that status; a token is asked for, and what was deleted stays away. Two of its checks are left out: numbers
beyond their bounds and unknown fields are accepted on purpose. A 501 is an answer that says what to do instead.
Afterwards the server must still answer, its log must hold no trace, and the home no fault.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-m", "clawbrain"]
LEFT_OUT = ("negative_data_rejection", "positive_data_acceptance")
CONFIG = '[checks.not_a_server_error]\nexpected-statuses = ["2xx", "3xx", "4xx", "501"]\n'
PATIENCE = 20.0  # seconds for a server to begin or to end


class Server:
    """A server on a home of its own, with one token that may do everything."""

    def __init__(self, folder: Path, served: Sequence[str]) -> None:
        self.home, self._log = folder / "home", folder / "server.log"
        self.token: str = json.loads(self._verb("token", "create", "--scope", "admin", "--json"))["token"]
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        options = [word for name in served for word in ("--profile", name)]
        command = [*PROGRAM, "serve", "--http", "--port", str(port), "--home", str(self.home), *options]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self._wait()

    def _verb(self, *words: str) -> str:
        command = [*PROGRAM, *words, "--home", str(self.home)]
        return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while not self.answers():
            if self._process.poll() is not None or time.monotonic() > until:
                raise SystemExit(f"the server did not begin:\n{self.said()}")
            time.sleep(0.1)

    def answers(self) -> bool:
        try:
            return "status" in self.call("GET", "/healthz")
        except (urllib.error.URLError, ConnectionError):
            return False

    def call(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Return the JSON that a request is answered with."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            told: dict[str, Any] = json.load(answer)
        return told

    def said(self) -> str:
        return self._log.read_text("utf-8", "replace")

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the server and with its home; the server has ended then."""
        if not self.answers():
            yield "the server answers no more"
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            yield "the server did not end"
        if "raised at" in self.said() or "Traceback" in self.said():
            yield f"the log holds a trace:\n{self.said()[-4000:]}"
        checked = subprocess.run([*PROGRAM, "check", "--home", str(self.home)], capture_output=True, text=True)
        if checked.returncode:
            yield f"the home has faults:\n{checked.stdout}{checked.stderr}"

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@contextmanager
def serving(served: Sequence[str]) -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), served)
        try:
            yield server
        finally:
            server.kill()


def known(server: Server, served: Sequence[str]) -> dict[str, list[str]]:
    """Store a few things and return, by the name of a field, words that mean one of them."""
    words: dict[str, list[str]] = {}
    for name in served:
        for field, told in KNOWN_BY[name](server).items():
            words.setdefault(field, []).extend(told)
    return words


def known_by_penfield(server: Server) -> dict[str, list[str]]:
    ids = [server.call("POST", "/api/v2/memories", {"content": text})["memory_id"] for text in CONTENTS]
    server.call("POST", "/api/v2/memories", {"memory_type": "checkpoint", "name": "Lunch", "content": "a plan"})
    return dict.fromkeys(("id", "from_id", "to_id", "start_memory_id"), ids) | {"name": ["Lunch", "awakening"]}


def known_by_mama(server: Server) -> dict[str, list[str]]:
    bodies = [{"topic": text.split()[0], "decision": text, "reasoning": "It holds."} for text in CONTENTS]
    ids = [server.call("POST", "/api/mama/save", body)["id"] for body in bodies]
    server.call("POST", "/api/checkpoint/save", {"summary": "Half done"})
    topics = [body["topic"] for body in bodies]
    return {"id": ids, "topic": topics, "q": topics, "outcome": ["success", "failed"], "cluster": ["true"]}


KNOWN_BY = {"penfield": known_by_penfield, "mama": known_by_mama}
CONTENTS = ("Water boils at 100 degrees", "The parser reads bytes", "We discussed the plan", "TODO: call Bob")


def run(schemathesis: str, server: Server, words: dict[str, list[str]], seconds: int, seed: int | None) -> int:
    """Return the exit status of schemathesis."""
    hooks = Path(__file__).with_name("rest_hooks.py")
    told = {**os.environ, "SCHEMATHESIS_HOOKS": hooks.stem, "PYTHONPATH": str(hooks.parent), "KNOWN": json.dumps(words)}
    options = ["--max-time", str(seconds), "--continue-on-failure", "--exclude-checks", ",".join(LEFT_OUT)]
    options += ["--seed", str(seed)] if seed is not None else []
    header = f"Authorization: Bearer {server.token}"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "schemathesis.toml").write_text(CONFIG, encoding="utf-8")
        command = [schemathesis, "run", f"{server.url}/openapi.json", "--header", header, *options]
        return subprocess.run(command, cwd=folder, env=told).returncode


def main() -> int:
    """Return 1 where anything was found."""
    line = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    line.add_argument("schemathesis")
    line.add_argument("--profile", action="append", dest="profiles")
    line.add_argument("--seconds", type=int, default=300)
    line.add_argument("--seed", type=int)
    given = line.parse_args()
    served = given.profiles or [*KNOWN_BY]
    with serving(served) as server:
        words = known(server, served)
        status = run(str(Path(given.schemathesis).absolute()), server, words, given.seconds, given.seed)
        faults = [*server.faults()]
    print(*faults, sep="\n")
    return 1 if status or faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
