"""Whose session is this: a server writes down its parent, a hook finds it among its ancestors."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Clock

from clawbrain.brain import Brain, sessions
from clawbrain.brain.sessions import Process


@pytest.fixture(autouse=True)
def no_session_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAWBRAIN_SESSION_ID", raising=False)


def note(brain: Brain, id: str, parent: Process, server: int | None = None) -> None:
    """A session of this process, as if it were a server, unless another is named."""
    with brain.deciding():
        brain.ledger.open_session(id, server or os.getpid(), parent, "2026-02-25T10:00:00Z")


def test_a_session_may_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWBRAIN_SESSION_ID", "mine")
    assert sessions.new_session() == "mine"


def test_otherwise_each_server_has_one_of_its_own() -> None:
    assert sessions.new_session() != sessions.new_session()


def test_a_parent_is_a_number_and_a_start() -> None:
    found = sessions.parent()
    assert found.pid == os.getppid() and found.start


def test_a_process_that_is_gone_has_no_start() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert sessions._started(gone.pid) == (0, "")


def test_a_named_session_is_chosen_before_all(brain: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWBRAIN_SESSION_ID", "from-outside")
    note(brain, "open", sessions.parent())
    assert (sessions.named("named"), sessions.choose(brain)) == ("named", "from-outside")


def test_a_session_whose_parent_is_an_ancestor_is_chosen(brain: Brain) -> None:
    note(brain, "ours", sessions.parent())
    note(brain, "strangers", Process(999_999_999, "1"))
    assert sessions.choose(brain) == "ours"


def test_the_newest_of_several_is_chosen(brain: Brain) -> None:
    note(brain, "older", sessions.parent())
    note(brain, "newer", sessions.parent())
    assert sessions.choose(brain) == "newer"


def test_a_number_used_again_is_no_ancestor(brain: Brain) -> None:
    note(brain, "old", sessions.parent()._replace(start="1"))
    assert sessions.choose(brain) is None


def test_a_closed_session_is_not_chosen(brain: Brain) -> None:
    note(brain, "ours", sessions.parent())
    with brain.deciding():
        brain.ledger.close_session("ours", os.getpid(), "2026-02-25T11:00:00Z")
    assert sessions.choose(brain) is None


def test_a_server_that_was_killed_has_no_session(brain: Brain) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    note(brain, "killed", sessions.parent(), gone.pid)
    gone.wait()
    assert sessions.choose(brain) is None


def test_the_older_one_that_lives_is_chosen_then(brain: Brain) -> None:
    with subprocess.Popen(["sleep", "60"]) as strangers_child:
        note(brain, "ours", sessions.parent())
        note(brain, "its number is used again", sessions.parent(), strangers_child.pid)
        assert sessions.choose(brain) == "ours"
        strangers_child.kill()


def test_a_server_writes_its_session_down(opened: Callable[..., Brain]) -> None:
    brain = opened("s")
    brain.open_session()
    assert brain.ledger.open_sessions() == [("s", os.getpid(), *sessions.parent())]


def test_a_server_that_ends_closes_its_session(brain: Brain, opened: Callable[..., Brain]) -> None:
    server = opened("s")
    server.open_session()
    server.close()
    assert brain.ledger.open_sessions() == []


def test_a_command_that_speaks_for_a_session_leaves_it_open(opened: Callable[..., Brain]) -> None:
    server, command = opened("s"), opened("s")
    server.open_session()
    command.search("x")
    command.close()
    assert [id for id, *_ in server.ledger.open_sessions()] == ["s"]


def test_a_child_of_the_servers_parent_finds_the_session(
    home: Path, opened: Callable[..., Brain], clock: Clock
) -> None:
    brain = opened("s")
    here = Process(os.getpid(), sessions._started(os.getpid())[1])
    server = subprocess.Popen(["sleep", "60"])
    note(brain, "ours", here, server.pid)
    brain.storage.close()
    hook = (
        "import sys; from pathlib import Path; from clawbrain.brain import open_brain, sessions\n"
        "with open_brain(Path(sys.argv[1])) as brain: print(sessions.choose(brain))"
    )
    shell = ["/bin/sh", "-c", f'"{sys.executable}" -c "$0" "$1"; true', hook, str(home)]
    with server:
        found = subprocess.run(shell, capture_output=True, text=True, check=True).stdout
        server.kill()
    assert found.strip() == "ours"
