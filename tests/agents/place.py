"""A fresh user of one machine, with clawbrain under an ear, in which an agent program can be let loose."""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from programs import COMMANDS

HERE = Path(__file__).parent
SECONDS = 150


class Wrong(Exception):
    """A program did not do what it was to do."""


def expect(fact, complaint, place):
    if not fact:
        raise Wrong(f"{complaint}\n{place.last[-3000:]}")


class Place:
    """A fresh user, with a folder to work in, the installed command under an ear, and programs on the PATH."""

    def __init__(self, folder, binary):
        self.user, self.work, self.tap = folder / "user", folder / "work", folder / "tap.log"
        self.home = self.user / "clawbrain"
        self.last = self.complaints = ""
        for made in (self.user, self.work, folder / "bin"):
            made.mkdir()
        script = folder / "bin" / "clawbrain"
        text = (HERE / "tapped.py").read_text().replace("@TAP@", str(self.tap))
        script.write_text(f"#!{sys.executable}\n{text}")
        script.chmod(0o755)
        self.command = str(script)
        node = Path(shutil.which("node") or "/usr/bin/node").parent
        self.environ = {"HOME": str(self.user), "PATH": f"{binary.parent}:{node}:/usr/bin:/bin", "TERM": "dumb"}

    def run(self, words, status=0, **more):
        done = subprocess.run(
            words, cwd=self.work, env=self.environ | more, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=SECONDS,
        )  # fmt: skip
        self.complaints = done.stderr
        self.last = f"$ {' '.join(words)[:300]}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        expect(done.returncode == status, f"ended with status {done.returncode}", self)
        return done.stdout

    def converse(self, name, model, prompt, script, again=False):
        """Let a program answer a prompt in a process of its own; return what the model was sent meanwhile.

        `again` goes on with the program's last session instead of beginning one.
        """
        model.script, before = script, len(model.heard)
        words, more = COMMANDS[name](model, prompt, again)
        self.run([name, *words], **more)
        return model.heard[before:]

    def calls(self):
        """The tool calls that crossed the pipe, each with its result."""
        lines = [line for line in self.tap.read_text("utf-8").splitlines() if line]
        asked, calls = {}, []
        for line in lines:
            message = json.loads(line[2:])
            if line[0] == ">" and message.get("method") == "tools/call":
                asked[message["id"]] = message["params"]["name"]
            elif line[0] == "<" and message.get("id") in asked and "method" not in message:
                calls.append((asked.pop(message["id"]), message.get("result", {"isError": True})))
        return calls

    def recalls(self):
        """What `clawbrain recalls --json` lists."""
        said = self.run([self.command, "recalls", "--json", "--home", str(self.home)])
        return json.loads(said)["recalls"]

    def score(self, id):
        return self.ledger("SELECT score FROM credit_records WHERE id = ?", id)[0]

    def outcomes(self):
        return self.ledger("SELECT outcome FROM turn_records WHERE outcome IS NOT NULL ORDER BY seq")

    def ledger(self, question, *values):
        with closing(sqlite3.connect(self.home / ".clawbrain" / "ledger.db")) as ledger:
            return [row[0] for row in ledger.execute(question, values)]
