"""A memory on a server, which real programs reach with a token from their environment.

The server is `clawbrain serve --http` on this machine, in a process of its own; the programs are set up by
`clawbrain install --url` alone. What is in the home is what counts.
"""

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

from fake_llm import Model
from place import Place, expect
from programs import COMMANDS, installed, version
from unasked import FACT, ID, LEARNING, MEMORY, REMEMBER, STORING, TASK

from clawbrain.agents.install import plan_remove
from clawbrain.agents.programs import PROGRAMS

VARIABLE = "CLAWBRAIN_TOKEN"
NAMES = [name for name in COMMANDS if PROGRAMS[name].remote.token]
OTHER_FACT = "Releases are tagged by Ada Lindqvist, on Tuesdays."
OTHER = {"type": "entity", "category": "people", "name": "ada-lindqvist", "content": OTHER_FACT}


@contextmanager
def served(place):
    """Serve the place's home over HTTP, and yield the address of its tools and a token, which the programs have."""
    token = place.run([sys.executable, "-m", "clawbrain", "token", "create", "--home", str(place.home)]).split()[0]
    place.environ[VARIABLE] = token
    words = [sys.executable, "-m", "clawbrain", "serve", "--http", "--port", "0", "--home", str(place.home)]
    with subprocess.Popen(words, env=place.environ, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = server.stderr.readline()
            found = re.search(r"http://\S+/mcp", said)
            expect(found, f"the server does not start: {said}", place)
            yield found[0], token
        finally:
            server.terminate()


def set_up(place, name, url):
    """Install the remote entry of a program, and let doctor ask the server with the token."""
    place.run([place.command, "install", name, "--url", url, "--token-env", VARIABLE])
    place.run([place.command, "doctor"])


def elsewhere(name):
    """A program stores, searches and sends feedback over the network, and leaves no trace of its entry."""
    binary = installed(name)
    with tempfile.TemporaryDirectory(prefix=f"clawbrain-{name}-") as folder, Model() as model:
        place = Place(Path(folder), binary)
        with served(place) as (url, token):
            set_up(place, name, url)
            holders = [file for file in place.user.rglob("*") if file.is_file() and token.encode() in file.read_bytes()]
            expect(not holders, f"the token lies in {holders}", place)
            place.converse(name, model, REMEMBER, STORING)
            expect(
                (place.home / "memory/entities/preferences/pnpm-never-npm.md").is_file(), "no file was stored", place
            )
            heard = place.converse(name, model, TASK, LEARNING)
            expect(FACT in json.dumps(heard), "the model was not told what it searched for", place)
            expect(place.score(ID) > 0.5, "the feedback moved no score", place)
        place.run([place.command, "install", name, "--remove"])
        left = plan_remove(name, place.environ).edits
        expect(not left, f"--remove left something in {[edit.shown for edit in left]}", place)
    return f"{version(name)}: stored, searched and gave feedback over HTTP with a token from the environment"


class Meeting(Model):
    """A model that goes on after its first tool call only when the other one has made its own, too."""

    def __init__(self):
        super().__init__()
        self.arrived, self.other = threading.Event(), None

    def next_step(self, names, results):
        if names and results == 1:
            self.arrived.set()
            self.other.arrived.wait(120)
        return super().next_step(names, results)


def together(*names):
    """Two programs at once on one memory: each finds in its own session what the other one has just stored."""
    binaries = [installed(name) for name in names]
    scripts = (
        [("memory_store", MEMORY), ("memory_search", {"query": "releases tagged"}), "Done."],
        [("memory_store", OTHER), ("memory_search", {"query": "pnpm npm"}), "Done."],
    )
    with tempfile.TemporaryDirectory(prefix="clawbrain-together-") as folder, Meeting() as first, Meeting() as second:
        first.other, second.other = second, first
        place = Place(Path(folder), binaries[0])
        with served(place) as (url, _):
            for name in dict.fromkeys(names):
                set_up(place, name, url)
            sessions = [
                threading.Thread(target=place.converse, args=(name, model, TASK, script))
                for name, model, script in zip(names, (first, second), scripts, strict=True)
            ]
            for session in sessions:
                session.start()
                time.sleep(5)  # OpenCode makes its own database at its first start, and two that do so at once fail
            for session in sessions:
                session.join()
        expect(OTHER_FACT in json.dumps(first.heard), "the first does not find what the second stored", place)
        expect(FACT in json.dumps(second.heard), "the second does not find what the first stored", place)
    return f"{' and '.join(names)} at once: each found what the other had just stored"
