"""Before its first tool call a server has a session already, where there is a home, and leaves no trace otherwise."""

import fcntl
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from mcp_client import ODD, SERVE, Client, initialize

from clawbrain.brain import open_brain

DEPLOY = "Deploys go out from main only, with scripts/deploy.sh staging first."


@pytest.fixture
def ledger(home):
    with closing(sqlite3.connect(home / ".clawbrain" / "ledger.db")) as ledger:
        yield ledger


def sessions(ledger):
    """The server, who started it, and whether it is open."""
    return ledger.execute("SELECT pid, parent_pid, closed_at IS NULL FROM sessions").fetchall()


def has_session(ledger, seconds=10.0):
    begun = time.monotonic()
    while not (found := sessions(ledger)) and time.monotonic() < begun + seconds:
        time.sleep(0.01)
    return found


@pytest.mark.parametrize("how", [{}, {"modern": True}, {"command": ODD}], ids=["handshake", "modern", "no snapshot"])
def test_a_session_is_written_down_once_a_client_is_there(home, ledger, how):
    with Client("--home", str(home), **how) as client:
        client.ask("server/discover" if "modern" in how else "ping")
        assert has_session(ledger) == [(client.process.pid, os.getpid(), 1)]


def test_it_is_the_session_of_the_tools_too(home, ledger):
    with Client("--home", str(home)) as client:
        (before,) = has_session(ledger)
        client.call("memory_search", query="x")
        assert sessions(ledger) == [before]


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGINT])
def test_it_is_closed_when_the_client_leaves_without_a_call(home, ledger, number):
    with Client("--home", str(home)) as client:
        (row,) = has_session(ledger)
        if number:
            client.process.send_signal(number)
            assert client.process.wait(20) == 0
        assert client.ends() == 0
        assert client.process.stderr.read() == b""
    assert sessions(ledger) == [(*row[:2], 0)]


def test_what_a_hook_shows_before_the_first_call_is_a_turn_of_it(home, ledger):
    with open_brain(home) as brain:
        brain.store("entity", "deploy", DEPLOY, category="projects")
    with Client("--home", str(home)) as client:
        has_session(ledger)
        hook = [sys.executable, "-m", "clawbrain", "hook", "prompt", "--home", str(home)]
        said = json.dumps({"prompt": "How do I deploy to staging?"})
        shown = subprocess.run(hook, input=said, capture_output=True, text=True, cwd=home.parent).stdout
        assert "entity-projects-deploy" in shown
        learnt = client.call("memory_feedback", signal="task_completed")["structuredContent"]
        assert learnt["updated"][0]["id"] == "entity-projects-deploy"


def test_nothing_is_scanned_for_it(home, ledger, write):
    write("entities/people/new.md", "Brought by hand.\n")
    with Client("--home", str(home)) as client:
        has_session(ledger)
        assert client.ends() == 0
    with open_brain(home) as brain:
        assert brain.index.ids() == set()


@pytest.mark.parametrize("made", [True, False])
def test_a_client_that_only_looks_in_makes_no_home(tmp_path, made):
    if made:
        (tmp_path / "home").mkdir()
    with Client("--home", str(tmp_path / "home")) as client:
        client.ask("tools/list")
        client.ask("prompts/list")
        assert client.ends() == 0
    assert [file.name for file in tmp_path.rglob("*")] == ["home"] * made


def test_a_busy_store_delays_neither_the_greeting_nor_the_end(home):
    with open(home / ".clawbrain" / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with Client("--home", str(home)) as client:
            assert "tools" in client.ask("tools/list")["result"]
            assert "prompts" in client.ask("prompts/list")["result"]
        with Client("--home", str(home)) as client:
            client.ask("tools/list")
            time.sleep(0.5)
            begun = time.monotonic()
            assert client.ends() == 0
            assert time.monotonic() - begun < 8


def test_a_client_that_leaves_at_once_is_let_go_at_once(home, ledger):
    done = subprocess.run([*SERVE, "--home", str(home)], input=json.dumps(initialize()).encode(), capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not [row for row in sessions(ledger) if row[2]]


def test_a_home_under_the_users_own_is_found(home, ledger):
    with Client("--home", "~/home", env=os.environ | {"HOME": str(home.parent)}):
        assert has_session(ledger)
