"""Recalls: what agents were handed is seen by the person, who finds the session to praise without knowing its id."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock

from clawbrain.agents import announce, hooks
from clawbrain.brain import Brain, open_brain, sessions
from clawbrain.errors import Refused
from clawbrain.recalls import Origin, program_named

PNPM = "entity-preferences-pnpm-never-npm"
QUESTION = "How do I deploy this to staging?"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "PATIENCE", 60.0)  # however slowly this runs
    for name in ("CLAWBRAIN_HOME", "CLAWBRAIN_SESSION_ID", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    return tmp_path / "shop"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with open_brain(tmp_path / "home") as brain:
        brain.store("entity", "pnpm-never-npm", "Always pnpm, never npm.", category="preferences")
        brain.store("entity", "deploy", "Deploy to staging with scripts/deploy.sh.", category="projects")
    return tmp_path / "home"


def hook(home: Path, event: str, folder: Path, client: str = "claude", session: str = "s-1", **said: str) -> Any:
    words = [event, "--client", client, "--home", str(home)]
    return json.loads(hooks.run(words, json.dumps({"session_id": session, "cwd": str(folder), **said})))


def run(home: Path, *words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, stdin=subprocess.DEVNULL)


def recalls(home: Path, *words: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(run(home, "recalls", "--json", *words).stdout)["recalls"]
    return listed


# What was handed over


def test_a_briefing_is_a_recall(home: Path, shop: Path) -> None:
    hook(home, "session-start", shop)
    (found,) = recalls(home)
    assert list(found) == ["at", "client", "project", "event", "session", "ids", "opened", "outcome"]
    assert (found["client"], found["project"], found["event"]) == ("claude", "shop", "session-start")
    assert (found["session"], found["ids"][0], found["opened"], found["outcome"]) == ("s-1", PNPM, [], None)


def test_a_memory_handed_over_for_a_prompt_is_a_recall(home: Path, shop: Path) -> None:
    hook(home, "prompt", shop, "gemini", prompt=QUESTION)
    (found,) = recalls(home)
    assert (found["client"], found["event"], found["ids"]) == ("gemini", "prompt", ["entity-projects-deploy"])


def test_a_hook_that_hands_over_nothing_is_none(home: Path, shop: Path) -> None:
    hook(home, "prompt", shop, prompt="yes, go on")
    assert recalls(home) == []


def test_the_project_of_a_folder_below_the_repositorys_root_is_the_repository(home: Path, shop: Path) -> None:
    (shop / ".git").mkdir()
    (shop / "src").mkdir()
    hook(home, "session-start", shop / "src")
    assert recalls(home)[0]["project"] == "shop"


def test_what_came_of_it_is_told(home: Path, shop: Path) -> None:
    hook(home, "prompt", shop, prompt=QUESTION)
    hook(home, "prompt", shop, prompt="Perfect, thanks!")
    assert recalls(home)[0]["outcome"] == "positive_feedback"


def test_praise_is_not_about_the_briefing(home: Path, shop: Path) -> None:
    hook(home, "session-start", shop)
    hook(home, "prompt", shop, prompt="Perfect, thanks!")
    with open_brain(home) as brain:
        assert brain.ledger.records([PNPM])[PNPM].signals == 0


def test_what_an_agent_opens_is_told_of_its_search(home: Path, shop: Path) -> None:
    with open_brain(home, session="s-1") as brain:
        brain.origin = Origin("claude", str(shop), "search")
        brain.search("deploy staging")
        brain.retrieve("entity-projects-deploy")
    assert recalls(home)[0]["opened"] == ["entity-projects-deploy"]


def test_what_an_agent_opens_of_a_briefing_is_told_of_it(home: Path, shop: Path) -> None:
    hook(home, "session-start", shop)
    with open_brain(home, session="s-1") as brain:
        brain.origin = Origin("claude", str(shop), "search")
        brain.retrieve(PNPM)
    first, second = recalls(home)
    assert first["opened"] == [PNPM] and (second["event"], second["ids"]) == ("retrieve", [])


def test_what_the_server_beside_the_hooks_opened_is_told_of_the_briefing(home: Path, shop: Path) -> None:
    hook(home, "session-start", shop, session="theirs")  # before the program has started the server
    server = open_brain(home, session="ours")
    server.open_session()
    hook(home, "prompt", shop, session="theirs", prompt=QUESTION)
    server.origin = Origin("claude", str(shop), "search")
    server.retrieve(PNPM)
    server.close()
    assert recalls(home)[0]["opened"] == [PNPM]


def test_a_persons_own_search_is_no_recall(home: Path) -> None:
    run(home, "search", "deploy", "--session", "mine")
    assert recalls(home) == []


def test_the_recalls_of_one_session(home: Path, shop: Path) -> None:
    hook(home, "session-start", shop, session="one")
    hook(home, "session-start", shop, session="two")
    assert [each["session"] for each in recalls(home, "--session", "two")] == ["two"]


def test_a_session_is_found_by_the_programs_own_id(home: Path, shop: Path) -> None:
    server = open_brain(home, session="ours")
    server.open_session()
    hook(home, "prompt", shop, session="theirs", prompt=QUESTION)
    server.origin = Origin("claude", str(shop), "search")
    server.search("pnpm")
    server.close()
    assert [each["event"] for each in recalls(home, "--session", "theirs")] == ["prompt", "search"]


def test_a_person_reads_who_was_handed_what(home: Path, shop: Path) -> None:
    hook(home, "session-start", shop)
    said = run(home, "recalls").stdout
    assert "claude in shop" in said and "session-start" in said and PNPM in said


def test_nothing_recalled_yet_is_said(home: Path) -> None:
    assert "No agent was handed anything yet" in run(home, "recalls").stdout


def test_of_a_session_that_was_handed_nothing_that_is_said(home: Path, shop: Path) -> None:
    hook(home, "session-start", shop)
    said = run(home, "recalls", "--session", "another").stdout
    assert "in this session" in said and "install" not in said


def test_live_recalls_come_as_they_happen(home: Path, shop: Path) -> None:
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), "recalls", "--live", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as live:
        assert live.stdout
        hook(home, "prompt", shop, prompt=QUESTION)
        assert json.loads(live.stdout.readline())["event"] == "prompt"
        hook(home, "prompt", shop, prompt="Perfect, thanks!")
        assert json.loads(live.stdout.readline())["outcome"] == "positive_feedback"
        live.terminate()


@pytest.mark.parametrize(
    ("name", "program"),
    [("claude-code", "claude"), ("opencode", "opencode"), ("codex-mcp-client", "codex"), ("Cursor", "cursor"),
     ("gemini-cli-mcp-client", "gemini"), ("claude-ai", "claude-desktop"), ("Visual Studio Code", "vscode"),
     ("My Agent", "my-agent"), ("", "")],
)  # fmt: skip
def test_programs_have_their_short_names(name: str, program: str) -> None:
    assert program_named(name) == program


# The line that a person is shown


def test_the_person_is_told_what_a_prompt_recalled(home: Path, shop: Path) -> None:
    assert hook(home, "prompt", shop, prompt=QUESTION)["systemMessage"] == "clawbrain recalled: deploy"


def test_the_briefing_does_not_announce(home: Path, shop: Path) -> None:
    assert "systemMessage" not in hook(home, "session-start", shop)


def test_the_owner_can_switch_the_line_off(home: Path, shop: Path) -> None:
    (home / "STRATEGY.md").write_text("# S\n\n## Context\n\n- Do not announce recalled memories\n")
    said = hook(home, "prompt", shop, prompt=QUESTION)
    assert said["hookSpecificOutput"] and "systemMessage" not in said


def test_the_line_has_three_names() -> None:
    assert announce.sentence(["a", "b", "c", "d"]) == "clawbrain recalled: a, b, c"


def test_the_line_is_short_and_printable() -> None:
    line = announce.sentence(["x\x1b[2J\u202e" * 9, "y" * 100, "z" * 100])
    assert len(line) == 120 and line.isprintable()


# The session that a person means


@pytest.fixture
def brain(home: Path, clock: Clock) -> Iterator[Brain]:
    with open_brain(home, clock=clock) as brain:
        yield brain


def searched(brain: Brain, session: str, folder: Path | str = "", client: str = "") -> None:
    brain.session, brain.origin = session, Origin(client, str(folder), "search" if client else "")
    brain.search("deploy staging")
    brain.settle()


def test_the_last_session_of_this_folder_is_meant(brain: Brain, shop: Path) -> None:
    searched(brain, "older", shop, "claude")
    searched(brain, "newer", shop, "codex")
    searched(brain, "elsewhere", "/srv/other", "claude")
    assert brain.recalls.meant(None, shop, None) == "newer"


def test_a_session_that_was_rated_already_is_not(brain: Brain, shop: Path) -> None:
    searched(brain, "older", shop, "claude")
    searched(brain, "newer", shop, "codex")
    brain.feedback("task_completed")
    assert brain.recalls.meant(None, shop, None) == "older"


def test_a_folder_below_the_sessions_means_it_too(brain: Brain, shop: Path) -> None:
    searched(brain, "s", shop, "claude")
    assert brain.recalls.meant(None, shop / "src", None) == "s"


def test_a_session_of_the_whole_disk_is_meant_nowhere_else(brain: Brain, shop: Path) -> None:
    searched(brain, "s", "/", "claude")
    with pytest.raises(Refused):
        brain.recalls.meant(None, shop, None)


def test_without_one_of_this_folder_the_others_are_named(brain: Brain, shop: Path) -> None:
    searched(brain, "s-9", "/srv/other", "claude")
    with pytest.raises(Refused, match=r"s-9 \(claude, other, 2026-02-25T10:00:00Z\): name one with --session"):
        brain.recalls.meant(None, shop, None)


def test_a_search_in_this_terminal_is_meant(brain: Brain, shop: Path) -> None:
    searched(brain, "terminal-pts-1")
    searched(brain, "claude's", shop, "claude")
    assert brain.recalls.meant(None, shop, "terminal-pts-1") == "terminal-pts-1"
    assert brain.recalls.meant("claude's", shop, "terminal-pts-1") == "claude's"


def test_a_search_in_a_terminal_is_meant_for_an_hour(brain: Brain, shop: Path, clock: Clock) -> None:
    searched(brain, "terminal-pts-1")
    clock.now += timedelta(minutes=61)
    with pytest.raises(Refused):
        brain.recalls.meant(None, shop, "terminal-pts-1")


def test_a_scored_search_in_a_terminal_is_meant_for_an_hour_too(brain: Brain, shop: Path, clock: Clock) -> None:
    searched(brain, "claude's", shop, "claude")
    searched(brain, "terminal-pts-1")
    brain.feedback("user_correction")
    for near in (None, "claude's"):
        with pytest.raises(Refused, match=r"nothing was searched in this terminal since the last signal"):
            brain.recalls.meant(near, shop, "terminal-pts-1")
    assert brain.recalls.meant(None, shop, "terminal-pts-2") == "claude's"
    clock.now += timedelta(minutes=61)
    assert brain.recalls.meant(None, shop, "terminal-pts-1") == "claude's"


def test_what_is_no_terminal_has_none() -> None:
    code = "from clawbrain.brain import sessions; print(sessions.terminal())"
    done = subprocess.run(
        [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True
    )
    assert done.stdout == b"None\n"


def test_what_a_person_shows_in_a_terminal_is_not_read_by_an_agent(home: Path, shop: Path) -> None:
    in_a_terminal(f"'{sys.executable}' -m clawbrain --home '{home}' show {PNPM}", shop)
    assert json.loads(run(home, "show", PNPM, "--json").stdout)["last_accessed"] is None


def in_a_terminal(script: str, folder: Path) -> str:
    """Run a shell script in a terminal of its own and return what it printed."""
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(folder)
        os.execv("/bin/sh", ["/bin/sh", "-c", script])
    said = b""
    try:
        while chunk := os.read(terminal, 4096):
            said += chunk
    except OSError:
        pass  # the terminal's end
    os.waitpid(pid, 0)
    os.close(terminal)
    return said.decode()


def test_a_search_and_feedback_in_one_terminal(home: Path, shop: Path) -> None:
    clawbrain = f"'{sys.executable}' -m clawbrain --home '{home}'"
    said = in_a_terminal(f"{clawbrain} search deploy staging; {clawbrain} feedback good", shop)
    moved, _, scored = said.partition(" Scored: ")
    assert moved.endswith("positive_feedback: 1 of 1 memory moved.")
    assert " ".join(scored.split()).startswith("your last search in this terminal.")
    assert recalls(home) == []


def test_a_second_feedback_in_a_terminal_scores_no_other_session(home: Path, shop: Path) -> None:
    with open_brain(home) as brain:
        searched(brain, "claude's", shop, "claude")
    clawbrain = f"'{sys.executable}' -m clawbrain --home '{home}'"
    script = f"{clawbrain} search deploy staging; {clawbrain} feedback bad; {clawbrain} feedback good; echo status $?"
    _, _, second = " ".join(in_a_terminal(script, shop).split()).partition("your last search in this terminal.")
    assert "nothing was searched in this terminal since the last signal, so nothing was scored" in second
    assert "moved" not in second and second.endswith("status 1")


def test_a_search_in_a_terminal_is_of_the_session_that_feedback_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sessions.of_search(None, "terminal-1") == "terminal-1" and sessions.of_search("s", "terminal-1") == "s"
    monkeypatch.setenv("CLAWBRAIN_SESSION_ID", "mine")
    assert sessions.of_search(None, "terminal-1") == "mine" and sessions.of_search(None, None) is None


def test_feedback_finds_the_session_of_its_folder(home: Path, shop: Path) -> None:
    hook(home, "prompt", shop, prompt=QUESTION)
    said = run(home, "feedback", "good", folder=shop).stdout
    assert "positive_feedback: 1 of 1 memory moved. Scored: session s-1 (claude, shop, 20" in said
    assert recalls(home)[0]["outcome"] == "positive_feedback"


def test_feedback_elsewhere_names_the_sessions_there_are(home: Path, shop: Path, tmp_path: Path) -> None:
    hook(home, "prompt", shop, prompt=QUESTION)
    said = run(home, "feedback", "good", folder=tmp_path)
    assert said.returncode == 1 and "s-1 (claude, shop, " in said.stderr and sessions.named(None) is None
