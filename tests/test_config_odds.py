"""Configurations that are not as expected: empty servers, pipes and folders, tables where others were meant."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from clawbrain import profiles
from clawbrain.agents import install as installing
from clawbrain.agents import jsonc, toml
from clawbrain.errors import Invalid, Refused

COMMAND = ["/opt/bin/clawbrain"]
EMPTY = {
    "alone": '{"mcpServers": {}}',
    "on a line": '{\n  "mcpServers": {}\n}\n',
    "between others": '{\n  "a": 1,\n  "mcpServers": {},\n  "b": {\n    "c": 1\n  }\n}',
    "with room": '{\n  "mcpServers": {\n  }\n}\n',
    "with a space": '{ "mcpServers": { }, "a": 1 }\n',
    "with a comment": '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
    "no spaces": '{"mcpServers":{},"a":1}\n',
    "two of them": '{"hooks":{}, "mcpServers":{}}',
    "an empty event": '{\n  "hooks": {"Stop": [], "BeforeAgent": [ ]},\n  "mcpServers": {}\n}\n',
    "empty hooks": '{\n  "hooks": {},\n  "x": []\n}\n',
}


def environ(user: Path) -> dict[str, str]:
    return {"HOME": str(user), "PATH": ""}


def install(client: str, user: Path, **options: object) -> None:
    installing.apply(installing.plan_install(client, environ(user), command=COMMAND, **options))


def remove(client: str, user: Path) -> None:
    installing.apply(installing.plan_remove(client, environ(user)))


def settings(user: Path, text: str) -> Path:
    file = user / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text(text)
    return file


@pytest.mark.parametrize("text", EMPTY.values(), ids=EMPTY.keys())
def test_empty_servers_come_back_when_the_kept_copy_is_gone(tmp_path, text):
    file = settings(tmp_path, text)
    install("gemini", tmp_path)
    file.with_name("settings.json.before-clawbrain").unlink()
    remove("gemini", tmp_path)
    assert file.read_text() == text


@pytest.mark.parametrize("text", EMPTY.values(), ids=EMPTY.keys())
def test_empty_servers_come_back_when_something_else_has_changed_since(tmp_path, text):
    file = settings(tmp_path, text)
    install("gemini", tmp_path)
    file.write_text(jsonc.put(file.read_text(), ("later",), 1))
    remove("gemini", tmp_path)
    assert file.read_text() == jsonc.put(text, ("later",), 1)


@pytest.mark.parametrize("text", EMPTY.values(), ids=EMPTY.keys())
def test_empty_servers_come_back_when_the_program_has_written_the_file_anew(tmp_path, text):
    import json

    file = settings(tmp_path, text)
    install("gemini", tmp_path)
    file.write_text(json.dumps(jsonc.read(file.read_text()), indent=2))
    remove("gemini", tmp_path)
    assert jsonc.read(file.read_text()) == jsonc.read(text)


def test_servers_that_install_made_leave_with_the_entry(tmp_path):
    for text in ('{"a": 1}', '{\n  "a": 1\n}\n'):
        with_ours = jsonc.put(text, ("mcpServers", "clawbrain"), {"command": "x"})
        assert jsonc.cut_whole(with_ours, ("mcpServers", "clawbrain")) == text


@pytest.mark.parametrize("client", ["claude", "codex", "opencode"])
def test_a_pipe_where_a_configuration_is_expected_is_refused_at_once(tmp_path, client):
    file = tmp_path / {
        "claude": ".claude.json", "codex": ".codex/config.toml", "opencode": ".config/opencode/opencode.json"
    }[client]  # fmt: skip
    file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(file)
    said = []

    def attempt():
        for verb in (install, remove):
            try:
                verb(client, tmp_path)
            except Refused as refusal:
                said.append(str(refusal))

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(5)
    assert len(said) == 2 and all("is not a file" in sentence for sentence in said)


@pytest.mark.parametrize("text", ['[[mcp_servers]]\nname = "x"\n', "mcp_servers = 1\n", 'mcp_servers = ["x"]\n'])
def test_servers_that_are_no_table_are_refused_in_a_sentence(tmp_path, text):
    file = tmp_path / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(Invalid, match=r"~/\.codex/config\.toml: mcp_servers is not a table; nothing was changed"):
        install("codex", tmp_path)
    remove("codex", tmp_path)
    assert file.read_text() == text


def test_an_entry_that_is_no_table_is_refused_in_a_sentence():
    with pytest.raises(Invalid, match=r"mcp_servers\.clawbrain is not a table"):
        toml.put('[[mcp_servers.clawbrain]]\ncommand = "x"\n', ("mcp_servers", "clawbrain"), {"command": "y"})


@pytest.mark.parametrize("prefix", ["a b", "ü_", "a/", "x\n"])
def test_a_prefix_that_no_tool_may_have_is_refused_in_a_sentence(tmp_path, prefix):
    words = [sys.executable, "-m", "clawbrain", "serve", "--home", str(tmp_path / "home"), "--tool-prefix", prefix]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
    assert done.returncode == 2 and done.stdout == ""
    assert "--tool-prefix" in done.stderr and "letters, digits, _ and -" in done.stderr


def test_a_plain_prefix_is_put_before_the_tools():
    assert profiles.load("clawbrain", "_my-2_")["tools"][0]["name"].startswith("_my-2_memory_")
