"""A server can be watched: log lines on standard error for whoever asks, and never a word of what is remembered."""

import fcntl
import json
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from mcp_client import ODD, SERVE, Client

from clawbrain import logs
from clawbrain.__main__ import main

MARK = "quokka"
KEY = "AKIA" + "Q7RZ3MXW5LBT2CVN"
PASSWORD = "hunter2-Sommerregen"
CALLS = [
    ("memory_store", {"type": "entity", "name": f"{MARK}-boat", "category": "projects", "tags": [MARK],
                      "content": f"The {MARK} boat sails at nine. The key is {KEY}, password: {PASSWORD}"}),
    ("memory_store", {"type": "entity", "name": f"{MARK}-ship", "category": "projects",
                      "content": f"The {MARK} boat sails at ten, not at nine."}),
    *(("memory_store", {"type": "episode", "name": f"{MARK}-day-{n}", "tags": [MARK, "harbour"],
                        "content": f"We painted the {MARK} number {n}."}) for n in range(3)),
    ("memory_search", {"query": f"when does the {MARK} sail? {PASSWORD}"}),
    ("memory_retrieve", {"id": f"entity-projects-{MARK}-boat"}),
    ("memory_update", {"id": f"entity-projects-{MARK}-boat", "content": f"The {MARK} sails at noon; {KEY}"}),
    ("memory_feedback", {"signal": "task_completed", "used_ids": [f"entity-projects-{MARK}-boat"]}),
    ("credit_report", {"top_n": 5}),
    ("memory_compact", {}),
    ("memory_delete", {"id": f"entity-projects-{MARK}-ship"}),
]  # fmt: skip
REFUSED = [
    ("memory_retrieve", {"id": f"entity-{MARK}-gone"}),
    ("memory_store", {"type": MARK, "name": MARK, "content": KEY}),
    ("memory_search", {"query": MARK, PASSWORD: PASSWORD}),
    ("memory_feedback", {"signal": MARK}),
]


def log_of(client):
    """Everything the server wrote to standard error, after its client has left."""
    client.process.stdin.close()
    said = client.process.stderr.read().decode()
    assert client.process.wait(60) == 0
    return said


def served(*options, calls=(), **how):
    """The log of a server that was called like this."""
    with Client(*options, **how) as client:
        for tool, arguments in calls:
            client.call(tool, **arguments)
        return log_of(client)


@pytest.fixture(autouse=True)
def nobody_asked(monkeypatch):
    monkeypatch.delenv(logs.VARIABLE, raising=False)


@pytest.fixture
def lines(caplog):
    """The lines of this process so far, each with its logger and level."""
    caplog.set_level(logging.DEBUG, logger="clawbrain")
    return lambda: [f"{each.levelname} {each.name}: {each.getMessage()}" for each in caplog.records]


# --- what is never said


def test_no_word_of_any_tool_call_is_in_the_log(tmp_path):
    home = str(tmp_path / "home")
    with Client("--home", home, "--log-level", "debug") as client:
        for tool, arguments in CALLS:
            assert not client.call(tool, **arguments)["isError"], tool
        for tool, arguments in REFUSED:
            assert client.call(tool, **arguments)["isError"], tool
        (tmp_path / "home/memory/entities" / f"{MARK}.md").write_text(f"---\nid: [{KEY}\n---\n{PASSWORD}\n")
        client.call("memory_search", query=f"{MARK} {KEY}")
        assert "error" in client.ask("tools/call", name=f"{MARK}_tool", arguments={"text": KEY})
        assert "error" in client.ask(f"{MARK}/{KEY}", text=PASSWORD)
        client.ask("resources/read", uri=f"memory://entity-projects-{MARK}-boat")
        client.ask("resources/read", uri=f"memory://{MARK}{KEY}")
        client.raw(f'{{"{MARK}": "{KEY}\n'.encode())
        said = log_of(client)
    assert len({tool for tool, _ in CALLS}) == 8
    for tool, _ in CALLS:
        assert f"clawbrain.server: {tool}: done, " in said
    assert "compaction" in said and "consolidation 1" in said
    for secret in (MARK, KEY, PASSWORD, "harbour", "painted", "Sommerregen"):
        assert secret not in said


def test_no_word_of_a_hook_or_a_command_is_in_the_log(home):
    environment = os.environ | {logs.VARIABLE: "debug", "CLAWBRAIN_HOME": str(home)}

    def run(*words, said=""):
        command = [sys.executable, "-m", "clawbrain", *words]
        return subprocess.run(command, input=said, capture_output=True, text=True, env=environment, cwd=home.parent)

    stored = run("store", "entity", MARK, f"The {MARK} boat: {PASSWORD} {KEY}", "--category", "projects")
    hook = run("hook", "prompt", said=json.dumps({"prompt": f"where is the {MARK} boat {PASSWORD}"}))
    broken_hook = run("hook", "prompt", said=f'{{"prompt": {PASSWORD}')
    assert MARK in hook.stdout
    assert "INFO clawbrain.cli: store: exit status 0, " in stored.stderr
    assert "INFO clawbrain.agents: hook prompt: " in hook.stderr
    assert "ERROR clawbrain.agents: hook prompt failed\n  JSONDecodeError, raised at\n" in broken_hook.stderr
    logged = [
        line for run in (stored, hook, broken_hook) for line in run.stderr.splitlines() if line[:2] in ("20", "  ")
    ]
    for secret in (MARK, KEY, PASSWORD):
        assert not [line for line in logged if secret in line]


def test_of_a_fault_its_kind_and_its_place_are_said_and_not_its_message(tmp_path):
    said = served("--log-level", "error", "--home", str(tmp_path), command=ODD, calls=[("crash", {}), ("full", {})])
    assert "ERROR clawbrain.server: crash failed\n  RuntimeError, raised at\n" in said
    assert "/odd/" in said and " in crash\n" in said
    assert "  OSError (No space left on device), raised at\n" in said
    assert "secret" not in said


def test_a_fault_is_said_where_nobody_asked_for_a_log_too(tmp_path):
    said = served("--home", str(tmp_path), command=ODD, calls=[("crash", {})])
    assert said.startswith("clawbrain: crash failed\n  RuntimeError, raised at\n")
    assert "secret" not in said


def test_of_a_chain_of_exceptions_each_is_told_once():
    try:
        try:
            raise KeyError(MARK)
        except KeyError as fault:
            raise ExceptionGroup(MARK, [fault, ValueError(MARK)]) from fault
    except ExceptionGroup as group:
        said = logs.traced(group)
    assert [line.strip() for line in said.splitlines() if "raised at" in line] == [
        "ExceptionGroup, raised at",
        "ValueError, raised at",
        "KeyError, raised at",
    ]
    assert MARK not in said


def test_of_a_librarys_warning_only_its_place_is_said():
    code = (
        "import logging; from clawbrain import logs; logs.start(logs.DEBUG); logs.start(logs.DEBUG);"
        f"logging.getLogger('mcp.server').warning('{MARK}'); logging.getLogger('mcp').debug('{MARK}')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.endswith("Z WARNING mcp.server: <string>:1\n")


# --- off, on, and what costs


def test_nothing_is_said_unless_somebody_asks(tmp_path):
    assert served("--home", str(tmp_path / "home"), calls=CALLS + REFUSED) == ""


def test_a_brain_that_nobody_watches_imports_no_logging(home):
    code = (
        "import sys, clawbrain.server.fast_start, clawbrain.server.lazy_brain, clawbrain.agents.hooks; "
        "from clawbrain import open_brain;"
        f"brain = open_brain(__import__('pathlib').Path({str(home)!r})); brain.sync(); brain.search('x');"
        "brain.close(); print('logging' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_whoever_imported_logging_and_listens_to_nothing_hears_nothing(home):
    code = (
        "import logging, pathlib; from clawbrain import logs; log = logs.Log('brain'); log(logs.ERROR, 'heard');"
        "print(logging.getLogger('clawbrain').handlers, logging.getLogger().handlers)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[] []\n", "")


@pytest.mark.parametrize(
    ("level", "said"),
    [("debug", {"DEBUG", "INFO", "ERROR"}), ("info", {"INFO", "ERROR"}), ("warning", {"ERROR"}), ("ERROR", {"ERROR"})],
)
def test_a_level_lets_through_what_is_at_least_as_grave(tmp_path, level, said):
    log = served(
        "--home", str(tmp_path), "--log-level", level, command=ODD, calls=[("slow", {"seconds": 0}), ("crash", {})]
    )
    assert {line.split()[1] for line in log.splitlines() if line.startswith("20")} == said


def test_the_variable_asks_too_and_the_option_wins(tmp_path):
    how = {"env": dict(os.environ, CLAWBRAIN_LOG="info"), "calls": [("credit_report", {})]}
    assert "credit_report: done" in served("--home", str(tmp_path), **how)
    assert served("--home", str(tmp_path), "--log-level=warning", **how) == ""


def test_a_variable_that_names_no_level_is_said_and_stops_nothing(tmp_path):
    how = {"env": dict(os.environ, CLAWBRAIN_LOG="loud"), "calls": [("credit_report", {})]}
    sentence = "there is no log level 'loud'; there is debug, info, warning, error."
    assert served("--home", str(tmp_path), **how) == f"clawbrain: CLAWBRAIN_LOG: {sentence}\n"
    with pytest.raises(logs.Usage, match="'loud'"):
        logs.chosen_level("loud")


def test_a_server_says_how_it_started_and_ended(tmp_path):
    environment = dict(os.environ, CLAWBRAIN_SESSION_ID="the-session")
    options = "--home", str(tmp_path / "home"), "--log-level", "info", "--profile", "memory"
    said = served(*options, env=environment, calls=[("read_graph", {})]).splitlines()
    assert "INFO clawbrain.server: start: version 0.1.0, profile memory, process " in said[0]
    [opened] = [line for line in said if " opened as session " in line]
    assert f"home {str(tmp_path / 'home')!r} opened as session 'the-session', " in opened
    assert said[-1].endswith("INFO clawbrain.server: end: status 0")


def test_standard_output_stays_the_protocols(tmp_path):
    with Client("--home", str(tmp_path), "--log-level", "debug") as client:
        client.call("memory_search", query="x")
        client.process.stdin.close()
        assert all(message["jsonrpc"] == "2.0" for message in client.rest())


def test_a_command_answers_json_alone_on_standard_output_while_it_logs(home):
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), "list", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {logs.VARIABLE: "debug"})
    assert json.loads(done.stdout) == {"memories": []}
    assert "DEBUG clawbrain.storage: sync: " in done.stderr


# --- a standard error that takes nothing


CLOSING = "import os, sys; {close} and os.close(2); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"


@pytest.mark.parametrize("where", ["/dev/full", None])
def test_a_log_that_cannot_be_written_does_not_matter(tmp_path, where):
    options = [*SERVE[1:], "--home", str(tmp_path), "--log-level", "debug"]
    command = [sys.executable, "-c", CLOSING.format(close=where is None), *options]
    with open(where or os.devnull, "wb") as log, Client(command=command, stderr=log) as client:
        for _ in range(3):
            assert not client.call("credit_report")["isError"]
        assert client.ends() == 0


def test_a_log_that_nobody_reads_delays_nothing(tmp_path):
    read, write = os.pipe()
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, 4096)
    with Client("--home", str(tmp_path), "--log-level", "debug", stderr=write) as client:
        os.close(write)
        for _ in range(60):
            assert not client.call("memory_search", query="x")["isError"]
        assert client.ends() == 0
    os.set_blocking(read, False)
    assert os.read(read, 100_000).startswith(b"20")
    os.close(read)


# --- the lines


def test_a_look_at_the_files_says_how_many_changed(brain, write, lines):
    write("entities/people/one.md", "One.\n")
    write("entities/people/two.md", "Two.\n")
    brain.sync(now=True)
    (Path(brain.home) / "memory/entities/people/one.md").unlink()
    write("entities/people/two.md", "Two, and more.\n")
    brain.sync(now=True)
    looks = [line.rpartition(",")[0] for line in lines() if "looked at" in line]
    assert looks == [
        "DEBUG clawbrain.storage: sync: 2 files looked at, 2 changed, 0 gone",
        "DEBUG clawbrain.storage: sync: 1 files looked at, 1 changed, 1 gone",
    ]


def test_an_index_that_is_made_anew_is_said(opened, write, home, lines):
    write("entities/people/one.md", "One.\n")
    opened().sync(now=True)
    opened().sync(now=True)
    assert sum("made anew" in line for line in lines()) == 1
    (home / ".clawbrain/index.db").unlink()
    opened().sync(now=True)
    assert lines().count("INFO clawbrain.storage: the index is empty and is made anew, of 1 files") == 2


def test_a_long_wait_for_the_lock_is_said_and_a_short_one_is_not(brain, home, lines):
    brain.store("entity", "first", "x", category="people")
    assert not [line for line in lines() if "waited" in line]
    held = os.open(home / ".clawbrain/lock", os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    threading.Timer(0.25, os.close, [held]).start()
    brain.store("entity", "second", "y", category="people")
    [waited] = [line for line in lines() if "waited" in line]
    assert waited.startswith("INFO clawbrain.storage: waited ")
    assert int(waited.split()[3]) >= 200


def test_a_compaction_says_its_plan_its_actions_and_its_end(brain, lines):
    for number in range(3):
        brain.store("episode", f"day-{number}", f"We painted boat {number}.", tags=["boat", "paint"])
    run = brain.compact()
    brain.compaction.undo()
    said = [line.removeprefix("INFO clawbrain.brain: ") for line in lines() if "compaction" in line]
    counts = "consolidation 1, promotion 0, pruning 0, restoring 0"
    assert said[0].startswith(f"compaction planned: {counts}, ")
    assert said[1] == f"DEBUG clawbrain.brain: compaction {run.id}: action 1, of consolidation: done"
    assert said[2].startswith(f"compaction {run.id}: {counts}, 0 skipped, ")
    assert said[3] == f"compaction {run.id} undone: 1 actions, 0 kept"


def test_a_backup_of_the_ledger_and_its_replacement_are_said(opened, home, clock, lines):
    first = opened()
    first.store("entity", "one", "x", category="people")
    with first.locked():
        first.ledger.backup()
    assert "INFO clawbrain.storage: the ledger is backed up" in lines()
    first.close()
    (home / ".clawbrain/ledger.db").write_bytes(b"nonsense" * 1000)
    opened().take_warnings()
    assert "WARNING clawbrain.storage: ledger.db cannot be read and is set aside" in lines()
    assert "INFO clawbrain.storage: a new ledger.db takes its place" in lines()
    aside = f".clawbrain/ledger.db.corrupt-{clock():%Y%m%dT%H%M%SZ}"
    assert [line for line in lines() if aside in line and line.startswith("WARNING")]


def test_what_a_check_repairs_is_said(brain, home, lines):
    (home / ".clawbrain/ledger.db").chmod(0o644)
    assert brain.checks.repair() == ["closed .clawbrain/ledger.db to others"]
    assert "INFO clawbrain.storage: repair: closed .clawbrain/ledger.db to others" in lines()


def test_a_command_that_fails_says_how(home, monkeypatch, lines):
    monkeypatch.setattr(sys, "argv", ["clawbrain", "--home", str(home), "show", "nobody"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "WARNING clawbrain.cli: the command was refused (notfound)" in lines()
    assert any(line.startswith("WARNING clawbrain.cli: show: exit status 1, ") for line in lines())
