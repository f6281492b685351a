"""What `install` writes for each program: its files, its shapes, its rules; and the YAML of the one that has it."""

import json
import sys

import pytest
import yaml as library

from clawbrain.agents import install as installing
from clawbrain.agents import programs, yaml
from clawbrain.errors import Invalid

RUN = "/opt/bin/clawbrain"
PLAIN = ["command", "args"]

# program: (the file on Linux, the file on a Mac if it is another, the keys of the entry)
SHAPES = {
    "antigravity": (".gemini/config/mcp_config.json", "", PLAIN),
    "claude-desktop": (
        ".config/Claude/claude_desktop_config.json",
        "Library/Application Support/Claude/claude_desktop_config.json",
        PLAIN,
    ),
    "windsurf": (".codeium/windsurf/mcp_config.json", "", PLAIN),
    "zed": (".config/zed/settings.json", "", PLAIN),
    "cline": (".cline/data/settings/cline_mcp_settings.json", "", ["disabled", *PLAIN]),
    "copilot": (".copilot/mcp-config.json", "", ["type", "tools", *PLAIN]),
    "goose": (
        ".config/goose/config.yaml", "", ["enabled", "type", "name", "description", "cmd", "args", "timeout"],
    ),
    "kiro": (".kiro/settings/mcp.json", "", PLAIN),
    "vscode": (".config/Code/User/mcp.json", "Library/Application Support/Code/User/mcp.json", ["type", *PLAIN]),
}  # fmt: skip
IN_PROJECT = {
    "antigravity": ".agents/mcp_config.json",
    "zed": ".zed/settings.json",
    "copilot": ".github/mcp.json",
    "kiro": ".kiro/settings/mcp.json",
}


@pytest.fixture
def user(tmp_path):
    home = tmp_path / "user"
    home.mkdir()
    return home


def environ(user):
    return {"HOME": str(user), "PATH": ""}


def install(client, user, **options):
    installing.apply(installing.plan_install(client, environ(user), command=[RUN], **options))


def remove(client, user, **options):
    installing.apply(installing.plan_remove(client, environ(user), **options))


def entry(client, file):
    data = library.safe_load(file.read_text())
    for step in programs.PROGRAMS[client].place:
        data = data[step]
    return data


@pytest.mark.parametrize("client", SHAPES)
@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_each_program_gets_its_entry_where_it_looks_for_it(user, monkeypatch, client, platform):
    on_linux, on_a_mac, keys = SHAPES[client]
    monkeypatch.setattr(sys, "platform", platform)
    install(client, user)
    written = entry(client, user / (on_a_mac if platform == "darwin" and on_a_mac else on_linux))
    assert list(written) == keys
    assert written.get("command", written.get("cmd")) == RUN
    assert written["args"] == ["serve", "--home", str(user / "clawbrain")]


@pytest.mark.parametrize("client", IN_PROJECT)
def test_a_project_gets_the_bare_command(user, tmp_path, client):
    install(client, user, project=tmp_path)
    assert entry(client, tmp_path / IN_PROJECT[client])["command"] == "clawbrain"


@pytest.mark.parametrize("client", ["claude-desktop", "windsurf", "cline", "goose"])
def test_a_program_without_project_files_says_so(user, tmp_path, client):
    with pytest.raises(Invalid, match=r"your own .*: leave out --project"):
        install(client, user, project=tmp_path)
    with pytest.raises(Invalid, match="leave out --project"):
        remove(client, user, project=tmp_path)
    assert list(tmp_path.iterdir()) == [user]


@pytest.mark.parametrize("client", ["antigravity", "zed", "kiro"])
def test_a_home_in_the_project_is_refused_where_the_program_may_not_find_it(user, tmp_path, client):
    with pytest.raises(Invalid, match=r"in which folder it starts a server.*leave out --home"):
        install(client, user, project=tmp_path, home=tmp_path / "memory")


def test_copilot_finds_a_home_in_the_project(user, tmp_path):
    install("copilot", user, project=tmp_path, home=tmp_path / "memory")
    assert entry("copilot", tmp_path / ".github/mcp.json")["args"] == ["serve", "--home", "memory"]


def test_cline_is_written_where_an_older_extension_keeps_its_servers(user):
    older = user / ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
    older.parent.mkdir(parents=True)
    older.write_text('{"mcpServers": {}}')
    install("cline", user)
    assert entry("cline", older)["command"] == RUN and not (user / ".cline").exists()


def test_environment_variables_move_the_files(user, tmp_path):
    moved = environ(user) | {"COPILOT_HOME": str(tmp_path / "c"), "CLINE_DATA_DIR": str(tmp_path / "d")}
    for client, file in (("copilot", "c/mcp-config.json"), ("cline", "d/settings/cline_mcp_settings.json")):
        installing.apply(installing.plan_install(client, moved, command=[RUN]))
        assert entry(client, tmp_path / file)["command"] == RUN


@pytest.mark.parametrize(("client", "command"), [("antigravity", "agy"), ("zed", "zeditor"), ("kiro", "kiro-cli")])
def test_a_program_is_found_by_any_of_its_commands(user, client, command):
    folder = user / "bin"
    folder.mkdir()
    (folder / command).touch(mode=0o755)
    assert programs.found({"HOME": str(user), "PATH": str(folder)}) == [client]


# hooks


def test_copilot_and_kiro_get_a_file_of_hooks_that_is_ours(user):
    install("copilot", user)
    install("kiro", user)
    copilot = json.loads((user / ".copilot/hooks/clawbrain.json").read_text())
    assert copilot["version"] == 1 and list(copilot["hooks"]) == ["SessionStart", "UserPromptSubmit", "Stop"]
    assert copilot["hooks"]["Stop"][0]["command"].startswith(f"{RUN} hook stop --client copilot --home ")
    kiro = json.loads((user / ".kiro/hooks/clawbrain.json").read_text())
    assert kiro["version"] == "v1" and [each["trigger"] for each in kiro["hooks"]] == list(copilot["hooks"])
    assert kiro["hooks"][0]["action"]["command"].startswith(f"{RUN} hook session-start --client kiro --home ")


def test_cursor_gets_its_hooks_beside_those_of_its_owner(user):
    file = user / ".cursor/hooks.json"
    file.parent.mkdir()
    text = '{\n  "version": 1,\n  "hooks": {\n    "stop": [{"command": "mine"}]\n  }\n}\n'
    file.write_text(text)
    install("cursor", user)
    hooks = json.loads(file.read_text())["hooks"]
    assert [each["command"].split()[0] for each in hooks["stop"]] == ["mine", RUN]
    assert list(hooks) == ["stop", "sessionStart"]  # its event for a prompt takes no text
    remove("cursor", user)
    assert file.read_text() == text


@pytest.mark.parametrize("text", ["", "{}", "{ }\n", "{\n  // none yet\n}\n", '{"version": 1}\n'])
def test_hooks_of_cursor_that_held_nothing_come_back_byte_for_byte(user, text):
    file = user / ".cursor/hooks.json"
    file.parent.mkdir()
    file.write_text(text)
    install("cursor", user)
    assert json.loads(file.read_text().replace("// none yet", ""))["version"] == 1
    remove("cursor", user)
    assert file.read_text() == text


def test_new_hooks_of_cursor_say_their_version_and_leave_nothing(user):
    install("cursor", user)
    assert json.loads((user / ".cursor/hooks.json").read_text())["version"] == 1
    remove("cursor", user)
    assert list(user.iterdir()) == []


# rules


@pytest.mark.parametrize(
    ("client", "in_project", "file", "head"),
    [
        ("cursor", True, ".cursor/rules/clawbrain.mdc", {"alwaysApply": True}),
        ("vscode", True, ".github/instructions/clawbrain.instructions.md", {"applyTo": "**"}),
        ("vscode", False, ".config/Code/User/prompts/clawbrain.instructions.md", {"applyTo": "**"}),
        ("copilot", True, ".github/instructions/clawbrain.instructions.md", {"applyTo": "**"}),
        ("copilot", False, ".copilot/instructions/clawbrain.instructions.md", {"applyTo": "**"}),
        ("cline", False, ".cline/rules/clawbrain.md", {}),
    ],
)
def test_rules_are_written_when_asked_for_stay_and_leave(user, tmp_path, client, in_project, file, head):
    project = tmp_path if in_project else None
    written = (project or user) / file
    install(client, user, project=project)
    assert not written.exists()
    install(client, user, project=project, rules=True)
    text = written.read_text()
    front = text.split("---\n", 2)[1] if text.startswith("---\n") else "{}"
    assert head.items() <= library.safe_load(front).items()
    assert "memory_search" in text and "memory_feedback" in text
    install(client, user, project=project)
    assert written.exists()
    remove(client, user, project=project)
    assert not written.parent.exists()


def test_rules_are_refused_with_the_reason(user, tmp_path):
    with pytest.raises(Invalid, match="Cursor has rules files in projects alone: add --project"):
        install("cursor", user, rules=True)
    with pytest.raises(Invalid, match="there are rules for cursor, vscode, cline, copilot; Zed has none here"):
        install("zed", user, rules=True)


# YAML

PLACE = ("extensions", "clawbrain")
OURS = {"enabled": True, "cmd": "x y", "args": ["serve", "--home", "/a b: c"]}
YAML = {
    "nothing": "",
    "other keys": "GOOSE_MODEL: x\n",
    "no last newline": "GOOSE_MODEL: x",
    "extensions": "# top\n"
    "extensions:\n  developer:\n    enabled: true # yes\n\n  other:\n    args:\n    - a\n\nlast: 1\n",
    "at the end": "a: 1\n"
    "extensions:\n    memory:\n        enabled: false\n        text: |\n          two\n          lines\n",
    "carriage returns": "a: 1\r\nextensions:\r\n  o:\r\n    b: 1\r\n",
    "an empty flow": "extensions: {}\na: 1\n",
    "a flow": "extensions: {o: {enabled: true}} # mine\n",
    "a flow of all": '{"GOOSE_MODEL": "x"}\n',
    "nothing in it": "extensions:\nlast: 1\n",
    "a comment at the end": "a: 1\n# the end\n",
    "an end mark": "---\na: 1\n...\n",
}


@pytest.mark.parametrize("text", YAML.values(), ids=YAML.keys())
def test_yaml_gets_our_entry_and_gives_it_back(text):
    put = yaml.put(text, PLACE, OURS)
    former = library.safe_load(text) or {}
    extensions = {**(former.get("extensions") or {}), "clawbrain": OURS}
    assert library.safe_load(put) == {**former, "extensions": extensions}
    assert yaml.find(put, PLACE) == OURS and yaml.put(put, PLACE, OURS) == put
    kept = text if text in (YAML["an empty flow"], YAML["nothing in it"]) else None
    cut = yaml.cut(put, PLACE, kept)
    assert cut == text or (text == YAML["a flow of all"] and library.safe_load(cut) == {**former, "extensions": {}})


@pytest.mark.parametrize("text", YAML.values(), ids=YAML.keys())
def test_the_configuration_of_goose_comes_back_byte_for_byte(user, text):
    file = user / ".config/goose/config.yaml"
    file.parent.mkdir(parents=True)
    file.write_bytes(text.encode())
    install("goose", user)
    install("goose", user, home=user / "other")
    assert str(user / "other") in file.read_text()
    remove("goose", user)
    assert file.read_bytes() == text.encode()


def test_what_the_owner_added_to_our_yaml_entry_stays():
    text = yaml.put("", PLACE, {**OURS, "bundled": None, "available_tools": ["memory_search"]})
    assert yaml.find(yaml.put(text, PLACE, {"cmd": "new"}), PLACE) == {
        **OURS, "cmd": "new", "bundled": None, "available_tools": ["memory_search"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [1\nb: 2\n", "line 2: "),
        ("- a\n", "line 1: a mapping was expected"),
        ("extensions: [a]\n", "extensions is not a mapping"),
        ("extensions: none\n", "extensions is not a mapping"),
        ("a: 1\n---\nb: 2\n", "line 2: "),
    ],
)
def test_yaml_that_leaves_no_room_is_refused(user, text, said):
    file = user / ".config/goose/config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text)
    with pytest.raises(Invalid, match=f"~/.config/goose/config.yaml: {said}"):
        install("goose", user)
    assert file.read_text() == text


def test_setting_up_all_that_is_found_leaves_out_what_a_program_does_not_have(user, tmp_path, monkeypatch):
    import subprocess

    for folder in (".cursor", ".codeium/windsurf", ".cline"):
        (user / folder).mkdir(parents=True)
    work = tmp_path / "work"
    work.mkdir()
    command = [str(programs.installed_command()[0]), "install", "--all", "--json", "--rules"]

    def installed(*more):
        done = subprocess.run([*command, *more], cwd=work, env=environ(user), capture_output=True, text=True)
        return [each["client"] for each in json.loads(done.stdout)["installed"]]

    assert installed() == ["cursor", "windsurf", "cline"]
    assert (user / ".cline/rules/clawbrain.md").exists()
    assert installed("--project") == ["cursor"]
    assert (work / ".cursor/rules/clawbrain.mdc").exists()
