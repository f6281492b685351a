"""Completion by a shell: the real bash, and what the others ask for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clawbrain.brain import open_brain

COMMAND = Path(sys.executable).with_name("clawbrain")


@pytest.fixture
def home(tmp_path):
    with open_brain(tmp_path / "home") as brain:
        for name in ("alice-chen", "alice-jones", "bob"):
            brain.store("entity", name, f"{name} works here.", category="people")
        brain.archive("entity-people-bob")
    return tmp_path / "home"


def environ(home, **more):
    return {"PATH": f"{COMMAND.parent}:{os.environ['PATH']}", "CLAWBRAIN_HOME": str(home), **more}


def completed(home, line, shell="fish"):
    words = line.split(" ")
    more = {"_CLAWBRAIN_COMPLETE": f"{shell}_complete", "COMP_WORDS": line, "COMP_CWORD": words[-1]}
    done = subprocess.run([COMMAND], env=environ(home, **more), capture_output=True, text=True, timeout=30)
    assert done.stderr == ""
    return [found.split(",", 1)[1].split("\t")[0] for found in done.stdout.split() if found.startswith("plain,")]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("clawbrain show entity-people-al", ["entity-people-alice-chen", "entity-people-alice-jones"]),
        ("clawbrain pin jones", ["entity-people-alice-jones"]),
        ("clawbrain show x", []),
        ("clawbrain feedback good --used entity-people-alice-c", ["entity-people-alice-chen"]),
        ("clawbrain restore ", ["entity-people-bob"]),
        ("clawbrain purge ent", ["entity-people-bob"]),
        ("clawbrain install cl", ["claude", "claude-desktop", "cline"]),
        ("clawbrain doc", ["doctor"]),
    ],
)
def test_a_shell_is_told_what_may_follow(home, line, found):
    assert completed(home, line) == found


def test_the_home_that_was_typed_counts(home, tmp_path):
    line = f"clawbrain --home {home} show entity-people-alice-c"
    assert completed(tmp_path / "none", line) == ["entity-people-alice-chen"]


def test_completing_makes_nothing(tmp_path):
    assert completed(tmp_path / "none", "clawbrain show ") == []
    assert list(tmp_path.iterdir()) == []


def test_completing_writes_nothing(home):
    before = {path: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert completed(home, "clawbrain show entity-people-al")
    assert {path: path.read_bytes() for path in home.rglob("*") if path.is_file()} == before


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_an_id(home):
    script = """
        eval "$(clawbrain completion bash)"
        COMP_WORDS=(clawbrain show entity-people-alice-j) COMP_CWORD=2
        _clawbrain_completion clawbrain
        printf '%s\\n' "${COMPREPLY[@]}"
        complete -p clawbrain
    """
    done = subprocess.run(["bash", "-c", script], env=environ(home), capture_output=True, text=True, timeout=30)
    assert done.stdout.splitlines()[0] == "entity-people-alice-jones" and "-F _clawbrain_completion" in done.stdout


@pytest.mark.parametrize(("shell", "word"), [("zsh", "compdef"), ("fish", "complete --no-files")])
def test_other_shells_get_a_script_of_theirs(home, shell, word):
    done = subprocess.run([COMMAND, "completion", shell], env=environ(home), capture_output=True, text=True)
    assert word in done.stdout and "_CLAWBRAIN_COMPLETE" in done.stdout and done.returncode == 0
