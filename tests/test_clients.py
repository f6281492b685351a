"""Configurations that belong to people, before and after clawbrain."""

import json
import os
import shutil
import tomllib
from pathlib import Path

import pytest

from clawbrain.agents import install as installing
from clawbrain.agents import jsonc, programs
from clawbrain.errors import Changed, Invalid, Refused

COMMAND = ["/opt/bin/clawbrain"]
PLAIN_JSON = '{\n  "theme": "dark",\n  "mcpServers": {\n    "other": {"command": "x"}\n  }\n}\n'
FILES = {
    "opencode": ".config/opencode/opencode.json",
    "claude": ".claude.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
}


@pytest.fixture
def user(tmp_path):
    home = tmp_path / "user"
    home.mkdir()
    return home


def environ(user):
    return {"HOME": str(user), "PATH": ""}


def install(client, user, **options):
    plan = installing.plan_install(client, environ(user), command=COMMAND, **options)
    installing.apply(plan)
    return plan


def remove(client, user, **options):
    plan = installing.plan_remove(client, environ(user), **options)
    installing.apply(plan)
    return plan


def write(user, client, data):
    file = user / FILES[client]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())
    return file


def everything(folder):
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


JSONC = {
    "two spaces": PLAIN_JSON,
    "tabs": '{\n\t"mcpServers": {\n\t\t"other": {"command": "x"}\n\t}\n}\n',
    "no last newline": '{\n  "a": 1\n}',
    "carriage returns": '{\r\n  "a": 1,\r\n  "mcpServers": {\r\n    "o": {}\r\n  }\r\n}\r\n',
    "byte order mark": '\ufeff{\n  "a": 1\n}\n',
    "one line": '{"a": 1, "mcpServers": {"o": {"command": "x"}}}',
    "no spaces": '{"a":1}',
    "line comments": '{\n  // mine\n  "a": 1, // one\n  "mcpServers": {\n    "o": {} // last\n    // end\n  }\n}\n',
    "block comments": '/* top */\n{ /* in */ "a": /* v */ 1 /* after */ }\n// bottom\n',
    "comment behind inline": '{"a": 1 // one\n}',
    "trailing commas": '{\n  "a": 1,\n  "mcpServers": {\n    "o": {},\n  },\n}\n',
    "trailing comma inline": '{"a": [1, 2,],}',
    "odd indentation": '{ "a": 1,\n      "b": 2,\n   "mcpServers": {\n "o": {}\n       }}\n',
    "brackets in strings": '{\n  "a": "} // no \\" /* {",\n  "b": "\\\\"\n}\n',
    "empty object": "{}",
    "empty object with room": "{\n}\n",
    "empty object with a space": "{ }\n",
    "empty servers": '{\n  "mcpServers": {}\n}\n',
    "empty servers with room": '{\n  "mcpServers": {\n  }\n}\n',
    "empty servers with a comment": '{\n  "mcpServers": {\n    // none yet\n  }\n}\n',
    "empty file": "",
    "blank file": "\n\n",
    "only a comment": "// nothing here yet",
    "not only ascii": '{\n  "name": "Zoë 🦀"\n}\n',
    "two blank lines": '{\n\n  "a": 1\n\n}\n\n\n',
}


@pytest.mark.parametrize("text", JSONC.values(), ids=JSONC.keys())
@pytest.mark.parametrize("client", ["opencode", "claude", "gemini", "cursor"])
def test_a_json_configuration_comes_back_byte_for_byte(user, client, text):
    text = text.replace("mcpServers", "mcp") if client == "opencode" else text
    write(user, client, text)
    before = everything(user)
    install(client, user)
    assert everything(user) != before
    remove(client, user)
    assert {name: data for name, data in everything(user).items() if data is not None} == {
        name: data for name, data in before.items() if data is not None
    }


@pytest.mark.parametrize("name", [n for n in JSONC if not n.startswith(("empty", "blank", "only"))])
def test_it_comes_back_even_when_the_kept_copy_is_gone(user, name):
    file = write(user, "gemini", JSONC[name])
    install("gemini", user)
    (file.parent / "settings.json.before-clawbrain").unlink()
    remove("gemini", user)
    assert file.read_bytes() == JSONC[name].encode()


@pytest.mark.parametrize("text", JSONC.values(), ids=JSONC.keys())
def test_installing_adds_our_entry_and_changes_no_other_value(user, text):
    file = write(user, "gemini", text)
    install("gemini", user)
    data = jsonc.read(file.read_text("utf-8"))
    assert data["mcpServers"].pop("clawbrain")["command"] == COMMAND[0]
    former = jsonc.read(text)
    former.setdefault("mcpServers", {})
    del data["hooks"]
    assert data == former


TOML = {
    "plain": 'model = "x"\n',
    "no last newline": 'model = "x"',
    "other servers": '[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.other.env]\nA = "1"\n',
    "carriage returns": 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n',
    "comments": '# top\nmodel = "x" # why\n\n[a] # table\n# none\n',
    "blank end": 'model = "x"\n\n\n',
    "strings with brackets": 'a = """\n[mcp_servers.clawbrain]\ncommand = "no"\n"""\nb = \'[x]\'\n',
    "arrays over lines": 'a = [\n  "x", # [y]\n  "]",\n]\n[[b]]\nc = {d = 1}\n[[b]]\n',
    "inline servers in a table": '[mcp_servers]\nother = {command = "x"}\n',
    "dotted keys": 'mcp_servers.other.command = "x"\n',
    "byte order mark": '\ufeffmodel = "x"\n',
    "empty file": "",
    "blank file": "\n",
    "quoted keys": '["odd.key"]\n"a b" = 1\n\'c\' = 2\n',
}


@pytest.mark.parametrize("text", TOML.values(), ids=TOML.keys())
def test_a_toml_configuration_comes_back_byte_for_byte(user, text):
    file = write(user, "codex", text)
    install("codex", user)
    installed = tomllib.loads(file.read_bytes().decode().removeprefix("\ufeff"))
    assert installed["mcp_servers"]["clawbrain"]["args"][0] == "serve"
    remove("codex", user)
    assert file.read_bytes() == text.encode()
    assert not file.with_name("config.toml.before-clawbrain").exists()


@pytest.mark.parametrize("name", [n for n in TOML if not n.startswith(("empty", "blank f"))])
def test_toml_comes_back_even_when_the_kept_copy_is_gone(user, name):
    file = write(user, "codex", TOML[name])
    install("codex", user)
    file.with_name("config.toml.before-clawbrain").unlink()
    remove("codex", user)
    assert file.read_bytes() == TOML[name].encode()


@pytest.mark.parametrize(
    ("client", "in_project"),
    [
        (client, in_project)
        for client, program in programs.PROGRAMS.items()
        for in_project in ([False, True] if program.project_files else [False])
    ],
)
def test_where_nothing_was_nothing_is_left(user, tmp_path, client, in_project):
    project = tmp_path / "project" if in_project else None
    if project:
        project.mkdir()
    install(client, user, project=project)
    assert any(path.is_file() for path in tmp_path.rglob("*"))
    remove(client, user, project=project)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("in_project", [False, True])
@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "cursor", "opencode", "zed"])
def test_a_folder_that_was_there_before_stays_and_one_that_install_made_does_not(user, tmp_path, client, in_project):
    project = tmp_path / "project" if in_project else None
    (project or user).mkdir(exist_ok=True)
    install(client, user, project=project)
    made = [path for path in (project or user).rglob("*") if path.is_dir()]
    remove(client, user, project=project)
    assert everything(project or user) == {}
    for folder in made:
        folder.mkdir(parents=True, exist_ok=True)
        before = everything(tmp_path)
        install(client, user, project=project)
        install(client, user, project=project)
        remove(client, user, project=project)
        assert everything(tmp_path) == before


def test_an_emptied_project_folder_stays(user, tmp_path):
    project = tmp_path / "opencode"
    project.mkdir()
    install("opencode", user, project=project)
    remove("opencode", user, project=project)
    assert everything(project) == {} and project.is_dir()


@pytest.mark.parametrize("client", programs.PROGRAMS)
def test_installing_twice_changes_nothing_more(user, client):
    install(client, user)
    once = everything(user)
    assert install(client, user).edits == ()
    assert everything(user) == once


@pytest.mark.parametrize("client", ["claude", "codex", "gemini", "opencode"])
def test_installing_again_with_another_home_replaces_the_old_one(user, client):
    install(client, user, home=Path("/srv/first"))
    install(client, user, home=Path("/srv/second"))
    written = b"".join(data for data in everything(user).values() if data)
    assert b"/srv/first" not in written and b"/srv/second" in written
    remove(client, user)
    assert not [path for path in user.rglob("*") if path.is_file()]


def test_the_owners_additions_to_our_entry_survive_installing_again(user):
    install("gemini", user)
    file = user / FILES["gemini"]
    file.write_text(file.read_text().replace('"args"', '"timeout": 9, "args"'))
    install("gemini", user, home=Path("/srv/new"))
    assert json.loads(file.read_text())["mcpServers"]["clawbrain"]["timeout"] == 9


def test_permissions_codex_added_below_our_table_survive_and_leave_with_it(user):
    file = write(user, "codex", 'model = "x"\n')
    install("codex", user)
    file.write_text(file.read_text() + '\n[mcp_servers.clawbrain.tools.memory_delete]\napproval_mode = "approve"\n')
    install("codex", user, home=Path("/srv/new"))
    assert "approval_mode" in file.read_text() and "/srv/new" in file.read_text()
    remove("codex", user)
    assert file.read_text() == 'model = "x"\n'


def test_what_was_added_since_stays_when_ours_is_removed(user):
    file = write(user, "claude", PLAIN_JSON)
    install("claude", user)
    file.write_text(jsonc.put(file.read_text(), ("mcpServers", "later"), {"command": "y"}))
    remove("claude", user)
    data = json.loads(file.read_text())
    assert data == {"theme": "dark", "mcpServers": {"other": {"command": "x"}, "later": {"command": "y"}}}


def test_other_hooks_stay_where_they_are(user):
    settings = user / ".claude" / "settings.json"
    settings.parent.mkdir()
    text = '{\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]\n  }\n}\n'
    settings.write_text(text)
    install("claude", user)
    assert [len(groups) for groups in json.loads(settings.read_text())["hooks"].values()] == [2, 1, 1, 1]
    remove("claude", user)
    assert settings.read_text() == text


def test_a_hook_moved_into_its_owners_group_leaves_alone(user):
    install("claude", user)
    settings = user / ".claude" / "settings.json"
    text = jsonc.put(settings.read_text(), ("hooks", "Stop", 0, "hooks", 1), {"type": "command", "command": "mine"})
    settings.write_text(text)
    remove("claude", user)
    assert json.loads(settings.read_text()) == {
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}
    }


def test_installing_without_hooks_writes_none_and_takes_older_ones_away(user):
    install("claude", user)
    install("claude", user, hooks=False)
    assert not (user / ".claude").exists()
    assert "clawbrain" in (user / ".claude.json").read_text()


@pytest.mark.parametrize(
    ("client", "text", "line"),
    [
        ("claude", '{\n  "a": 1\n  "b": 2\n}\n', 3),
        ("claude", '{\n  "a": 1,,\n}\n', 2),
        ("claude", "{\n\n", 3),
        ("claude", "{}\n{}", 2),
        ("claude", "[]", 1),
        ("claude", '{"a": "\n"}', 1),
        ("claude", '{"a": tru}', 1),
        ("claude", '{"a": 01}', 1),
        ("claude", '{"a" 1}', 1),
        ("claude", '{"a": 1} /* open', 1),
        ("codex", "a = 1\nb = \n", 2),
        ("codex", "a = 1\na = 2\n", 2),
    ],
)
def test_a_broken_configuration_is_refused_with_its_line(user, client, text, line):
    write(user, client, text)
    before = everything(user)
    with pytest.raises(Invalid, match=rf"line {line}: "):
        install(client, user)
    with pytest.raises(Invalid, match=rf"line {line}: "):
        remove(client, user)
    assert everything(user) == before


def test_bytes_that_are_no_text_are_refused(user):
    write(user, "claude", b'{\n  "a": "\xff"\n}')
    with pytest.raises(Invalid, match=r"~/\.claude\.json: line 2: it is not UTF-8"):
        install("claude", user)


@pytest.mark.parametrize("value", ['"mcpServers": []', '"mcpServers": null', '"mcpServers": "x"'])
def test_servers_that_are_no_object_are_refused(user, value):
    write(user, "claude", "{" + value + "}")
    with pytest.raises(Invalid, match="mcpServers is not an object"):
        install("claude", user)


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = {other = {command = "x"}}\n',
        '[mcp_servers]\nclawbrain = {command = "x"}\n',
        'mcp_servers.clawbrain.command = "x"\n',
    ],
)
def test_toml_that_leaves_no_room_for_a_table_is_refused(user, text):
    file = write(user, "codex", text)
    with pytest.raises(Invalid, match=r"~/\.codex/config\.toml: .* is written as an inline table"):
        install("codex", user)
    assert file.read_text() == text


def test_a_linked_configuration_is_followed_and_stays_a_link(user, tmp_path):
    real = tmp_path / "dotfiles.json"
    real.write_text(PLAIN_JSON)
    link = user / ".claude.json"
    link.symlink_to(real)
    install("claude", user)
    assert link.is_symlink() and "clawbrain" in real.read_text()
    remove("claude", user)
    assert link.is_symlink() and real.read_text() == PLAIN_JSON


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_the_mode_of_a_file_is_kept(user, mode):
    file = write(user, "claude", PLAIN_JSON)
    file.chmod(mode)
    install("claude", user)
    kept = file.with_name(".claude.json.before-clawbrain")
    assert file.stat().st_mode & 0o777 == mode == kept.stat().st_mode & 0o777


def test_the_file_as_it_was_is_kept_beside_it(user):
    file = write(user, "claude", PLAIN_JSON)
    install("claude", user)
    install("claude", user, home=Path("/srv/other"))
    assert file.with_name(".claude.json.before-clawbrain").read_text() == PLAIN_JSON


def test_a_foreign_entry_of_our_name_is_kept_beside_before_it_is_replaced(user):
    text = '{"mcpServers": {"clawbrain": {"url": "http://other"}}}'
    file = write(user, "claude", text)
    install("claude", user)
    assert "url" not in file.read_text()
    assert file.with_name(".claude.json.before-clawbrain").read_text() == text


def test_a_file_changed_in_between_is_not_overwritten(user):
    file = write(user, "claude", PLAIN_JSON)
    plan = installing.plan_install("claude", environ(user), command=COMMAND)
    file.write_text("{}")
    with pytest.raises(Changed):
        installing.apply(plan)
    assert file.read_text() == "{}"


def test_planning_touches_nothing_and_shows_a_diff(user):
    write(user, "claude", PLAIN_JSON)
    before = everything(user)
    shown = installing.show(installing.plan_install("claude", environ(user), command=COMMAND))
    assert everything(user) == before
    assert '+      "command": "/opt/bin/clawbrain",' in shown
    assert "theme" not in shown


def test_a_folder_in_the_way_is_refused(user):
    (user / ".claude.json").mkdir()
    with pytest.raises(Refused, match=r"~/\.claude\.json cannot be read"):
        install("claude", user)


def test_a_plugin_that_is_not_ours_is_left_alone(user):
    plugin = user / ".config" / "opencode" / "plugin" / "clawbrain.js"
    plugin.parent.mkdir(parents=True)
    plugin.write_text("export const Mine = 1\n")
    with pytest.raises(Invalid, match="not ours"):
        install("opencode", user)
    remove("opencode", user)
    assert plugin.read_text() == "export const Mine = 1\n"


def test_opencode_is_written_where_it_already_has_a_configuration(user):
    file = user / ".config" / "opencode" / "opencode.jsonc"
    file.parent.mkdir(parents=True)
    file.write_text('{\n  // mine\n  "model": "x"\n}\n')
    install("opencode", user)
    assert "clawbrain" in file.read_text() and not file.with_name("opencode.json").exists()


def test_everything_written_for_one_user_is_absolute(user):
    install("claude", user)
    entry = json.loads((user / ".claude.json").read_text())["mcpServers"]["clawbrain"]
    assert entry["command"] == "/opt/bin/clawbrain"
    assert entry["args"] == ["serve", "--home", str(user / "clawbrain")]


def test_a_project_file_names_the_bare_command_and_no_home(user, tmp_path):
    install("claude", user, project=tmp_path)
    entry = json.loads((tmp_path / ".mcp.json").read_text())["mcpServers"]["clawbrain"]
    assert entry == {"type": "stdio", "command": "clawbrain", "args": ["serve"]}
    assert (
        "/"
        not in json.loads((tmp_path / ".claude/settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    )


@pytest.mark.parametrize(
    ("client", "file", "expected"),
    [
        ("opencode", "opencode.json", '"notes/mem"'),
        ("gemini", ".gemini/settings.json", '"notes/mem"'),
        ("cursor", ".cursor/mcp.json", '"${workspaceFolder}/notes/mem"'),
        ("vscode", ".vscode/mcp.json", '"${workspaceFolder}/notes/mem"'),
    ],
)
def test_a_home_in_the_project_is_written_relative(user, tmp_path, client, file, expected):
    install(client, user, project=tmp_path, home=tmp_path / "notes" / "mem")
    assert expected in (tmp_path / file).read_text()


def test_a_home_outside_the_project_is_refused_for_a_project_file(user, tmp_path):
    project = tmp_path / "project"
    project.mkdir()
    with pytest.raises(Invalid, match="inside the project"):
        install("claude", user, project=project, home=tmp_path / "elsewhere")


def test_words_with_spaces_reach_the_shell_whole(user):
    installing.apply(installing.plan_install("claude", environ(user), command=["/my tools/clawbrain"]))
    hooks = json.loads((user / ".claude/settings.json").read_text())["hooks"]
    assert hooks["Stop"][0]["hooks"][0]["command"].startswith("'/my tools/clawbrain' hook stop --client claude")


def test_programs_are_found_by_their_configuration_or_their_command(user, tmp_path):
    (user / ".gemini").mkdir()
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.touch(mode=0o755)
    assert programs.found({"HOME": str(user), "PATH": str(program.parent)}) == ["codex", "gemini"]


def test_an_unknown_program_is_refused_with_the_known_ones(user):
    with pytest.raises(Invalid, match="opencode, claude"):
        install("emacs", user)


@pytest.mark.parametrize("client", programs.PROGRAMS)
def test_every_plan_says_what_to_do_next(user, client):
    assert all(line.endswith(".") for line in install(client, user).advice)


def test_nothing_to_remove_is_no_edit(user):
    write(user, "claude", PLAIN_JSON)
    assert remove("claude", user).edits == ()


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_the_plugin_is_a_valid_module_without_imports(user):
    install("opencode", user)
    plugin = user / ".config" / "opencode" / "plugin" / "clawbrain.js"
    module = plugin.with_suffix(".mjs")
    module.write_text(plugin.read_text())
    assert os.system(f"node --check {module}") == 0
    assert "import " not in plugin.read_text() and "require(" not in plugin.read_text()
