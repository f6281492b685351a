"""What a person at a terminal of 80 columns meets: whole words, commands instead of tools, and few warnings."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from clawbrain.cli import output

Run = Callable[..., Result]
LONG = "petra-novak-of-the-platform-team"
TEXT = (
    "Petra prefers tabs over spaces in every language except for YAML files, where two spaces are what the linter of "
    "the project demands of everybody who touches them."
)


@pytest.fixture
def petra(run: Run) -> None:
    run("store", "entity", LONG, "--category", "people", "--tag", "platform", "--tag", "on-call", TEXT)
    run("store", "entity", "bob", "--category", "people", "Bob prefers tabs over spaces in every language.")


def on_a_terminal(home: Path, *words: str) -> list[str]:
    """Return the lines that a terminal of 80 columns gets."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environ = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), *words]
    program = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environ)
    os.close(theirs)
    seen = bytearray()
    try:
        while data := os.read(ours, 4096):
            seen += data
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(ours)
    program.wait()
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode()).replace("\r\n", "\n").splitlines()


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["show", LONG],
        ["search", "tabs", "spaces"],
        ["search", "tabs", "spaces", "--explain"],
        ["show", LONG, "--history"],
        ["report"],
        ["strategy"],
        ["compact", "--dry-run"],
        ["show", "no-such-memory-as-this-one-with-a-long-name"],
        ["conflicts"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_no_word_is_broken_at_80_columns(petra: None, home: Path, words: list[str]) -> None:
    lines = on_a_terminal(home, *words)
    assert lines
    assert [line for line in lines if len(line) > 80] == []
    told = " ".join(lines)
    assert not re.search(r"petra-novak(?!-of-the-platform-team)", told)


def test_a_text_is_broken_between_its_words(petra: None, home: Path) -> None:
    told = on_a_terminal(home, "show", LONG)
    assert TEXT in " ".join(told)


def test_a_table_that_does_not_fit_becomes_blocks(petra: None, home: Path) -> None:
    told = on_a_terminal(home, "list")
    assert f"entity-people-{LONG}" in told
    assert any("tags platform on-call" in line for line in told)


def test_the_facts_of_a_block_are_broken_between_them_and_empty_ones_left_out(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    output.table(["id", "credit", "literal", "when"], [["some-long-name", "0.500", output.EMPTY, "1.000"]], fit=True)
    output.table(["id", "longer", "last"], [["some-long-name", "0.500 and more", "1.000"]], fit=True)
    assert capsys.readouterr().out.splitlines() == [
        "some-long-name", "  credit 0.500 · when 1.000", "some-long-name", "  longer 0.500 and more ·", "  last 1.000",
    ]  # fmt: skip


def test_what_is_for_programs_keeps_its_lines_on_a_terminal(petra: None, home: Path) -> None:
    told = on_a_terminal(home, "export", "official", "-")
    assert [json.loads(line)["type"] for line in told] == ["entity", "entity"]
    assert max(map(len, told)) > 80


def test_an_explanation_fits_80_columns_in_a_pipe_too(run: Run, petra: None) -> None:
    told = run("search", "tabs", "spaces", "--explain").stdout.splitlines()
    rows = told[: next(number for number, line in enumerate(told) if "matches" in line)]
    assert max(map(len, rows)) <= 80
    assert f"entity-people-{LONG}" in rows


# Commands instead of tools


def test_a_refusal_names_the_command_and_not_the_tool(run: Run, petra: None) -> None:
    said = run("store", "entity", "bob", "--category", "people", "x").stderr
    assert "Use `clawbrain update` with the id 'entity-people-bob'" in said
    assert "memory_" not in said


def test_a_call_is_refused_as_the_server_refuses(run: Run, petra: None) -> None:
    arguments = '{"type": "entity", "name": "bob", "category": "people", "content": "x"}'
    assert "Use memory_update with the id" in run("call", "memory_store", arguments).stderr


# Warnings of broken files


@pytest.fixture
def broken(petra: None, home: Path) -> None:
    (home / "memory/entities/people/broken.md").write_text("---\nid: [\n---\nx\n")


@pytest.mark.parametrize("words", [["list"], ["search", "tabs"], ["digest", "-"], ["compact", "--dry-run"]])
def test_a_verb_about_all_files_warns_once_of_a_broken_one(run: Run, broken: None, words: list[str]) -> None:
    assert run(*words).stderr.count("left out entities/people/broken.md") == 1


def test_of_many_broken_files_five_are_named_and_the_others_counted(run: Run, broken: None, home: Path) -> None:
    for n in range(7):
        (home / f"memory/entities/people/odd-{n}.md").write_text("---\nid: [\n---\nx\n")
    said = run("list").stderr.splitlines()
    assert len(said) == 6 and said[-1].startswith("warning: and 3 more; ")


@pytest.mark.parametrize(
    "words", [["show", "bob"], ["pin", "bob"], ["report"], ["log"], ["strategy"], ["history", "bob"]]
)
def test_other_verbs_do_not_speak_of_it(run: Run, broken: None, words: list[str]) -> None:
    assert run(*words).stderr == ""


# Earlier texts


def test_history_shows_what_each_update_changed(run: Run, petra: None) -> None:
    run("update", "bob", "Bob prefers two spaces.")
    run("update", "bob", "Bob prefers four spaces.")
    [first, _] = json.loads(run("history", "bob", "--json").stdout)["versions"]
    told = run("history", "bob").stdout
    assert first["changed"][1:] == ["-Bob prefers tabs over spaces in every language.", "+Bob prefers two spaces."]
    assert "-Bob prefers tabs over spaces in every language.\n+Bob prefers two spaces.\n" in told
    assert "-Bob prefers two spaces.\n+Bob prefers four spaces.\n" in told


def test_a_version_is_named_by_its_number(run: Run, petra: None) -> None:
    run("update", "bob", "Bob prefers two spaces.")
    assert "Bob prefers tabs over spaces in every language." in run("history", "bob", "1").stdout
    run("revert", "bob", "1")
    assert "Bob prefers tabs over spaces" in run("show", "bob").stdout


# Nothing found


def test_feedback_after_a_search_that_found_nothing_is_refused(run: Run, petra: None) -> None:
    assert "Nothing matches" in run("search", "zeppelin", "--session", "s").stdout
    assert run("feedback", "good", "--session", "s").exit_code == 1
    run("call", "memory_search", '{"query": "zeppelin"}', "--session", "t")
    refused = run("call", "memory_feedback", '{"signal": "task_completed"}', "--session", "t")
    assert refused.exit_code == 1 and "nothing to score" in refused.stderr
