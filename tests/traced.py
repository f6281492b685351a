"""A verb in a process of its own under strace: its system calls written down, killed at one of them, or told a lie."""

import json
import shutil
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
BEGIN, END = "/a-mark/begin", "/a-mark/end"
WRITING = (
    "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "renameat", "renameat2", "link", "linkat",
    "unlink", "unlinkat", "mkdir", "mkdirat", "fchmod",
)  # fmt: skip
_CHILD = """
import json, os, shutil, sys
from contextlib import suppress
from pathlib import Path
sys.path[:0] = [{tests!r}, {root!r}]
sys.dont_write_bytecode = True
from {module} import {verb} as verb
from conftest import Clock
from clawbrain.brain import open_brain
def mark(path):
    with suppress(OSError):
        os.unlink(path)
home, clock = Path({home!r}), Clock()
clock.forward(days={days})
brain = open_brain(home, session="killed", clock=clock)
brain.sync(now=True)
brain.settle()
if {copy!r}:
    shutil.copytree(home, {copy!r})
said = {{}}
def done(what, work):
    try:
        work(brain)
        said[what] = "ok"
    except Exception as error:
        said[what] = f"{{type(error).__name__}}: {{error}}"
mark({begin!r})
done("verb", verb)
mark({end!r})
if {afterwards}:
    done("later", lambda brain: brain.store("entity", "later", "Stored after the trouble.", category="later"))
    done("seen", lambda brain: brain.retrieve("entity-later-later"))
for _ in range(2):
    with suppress(OSError):  # a lie that was meant for the verb
        os.write(1, json.dumps(said).encode())
        break
"""


@cache
def can_trace() -> bool:
    return bool(shutil.which("strace")) and subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"]).returncode == 0


def run(
    home: Path,
    verb: str,
    days: int,
    *options: str,
    module: str = "test_kills",
    copy: str = "",
    afterwards: bool = False,
) -> tuple[int, dict[str, str]]:
    """The exit status, and what the process said of its verb (and of a store after it)."""
    child = _CHILD.format(
        tests=str(TESTS), root=str(TESTS.parent), module=module, verb=verb, home=str(home), days=days,
        copy=copy, begin=BEGIN, end=END, afterwards=afterwards,
    )  # fmt: skip
    if "-o" not in options:
        options = ("-o", "/dev/null", *options)
    quick = [] if any("signal=" in option for option in options) else ["-f", "--seccomp-bpf"]  # it cannot kill so
    command = ["strace", "-qq", *quick, *options, sys.executable, "-c", child]
    ended = subprocess.run(command, capture_output=True, cwd=TESTS.parent, timeout=60)
    return ended.returncode, json.loads(ended.stdout) if ended.stdout.strip() else {"stderr": ended.stderr.decode()}


def calls(said: Path) -> list[str]:
    """The system calls of a process of one thread, in order."""
    return [line.split(maxsplit=1)[1] for line in said.read_text().splitlines()]


def points(home: Path, verb: str, days: int) -> list[tuple[str, int]]:
    """Every write-like call of a verb: its name, and the how-manieth of that name it is in the whole process."""
    said = home.parent / "points.strace"
    run(home, verb, days, "-o", str(said), "-e", f"trace={','.join(WRITING)}")
    counts: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    begun = False
    for line in calls(said):
        name = line.partition("(")[0]
        counts[name] += 1
        if END in line:
            return found
        if begun and name in WRITING:
            found.append((name, counts[name]))
        begun = begun or BEGIN in line
    raise AssertionError("the verb never ended")
