"""What `clawbrain doctor` finds in configurations that work, and in those that do not, with real servers and hooks."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from clawbrain import layer_homes
from clawbrain.agents import doctor, programs
from clawbrain.agents import install as installing

COMMAND = str(Path(sys.executable).with_name("clawbrain"))
FILES = {
    "claude": ".claude.json",
    "codex": ".codex/config.toml",
    "opencode": ".config/opencode/opencode.json",
    "goose": ".config/goose/config.yaml",
    "copilot": ".copilot/mcp-config.json",
}


@pytest.fixture
def user(tmp_path):
    (tmp_path / "user" / "clawbrain" / "memory").mkdir(parents=True)
    (tmp_path / "work").mkdir()
    return tmp_path / "user"


def environ(user):
    return {"HOME": str(user), "PATH": "/usr/bin:/bin"}


def install(client, user, **options):
    installing.apply(installing.plan_install(client, environ(user), command=[COMMAND], **options))


def examined(user):
    reports = doctor.examine(environ(user), user.parent / "work")
    return reports, doctor.status(reports)


def only(user):
    [report], status = examined(user)
    return {check["check"]: check for check in report["checks"]}, status


def change(user, client, before, after):
    file = user / FILES[client]
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


def everything(folder):
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_nothing_found_is_well(user):
    assert examined(user) == ([], 0)


@pytest.mark.parametrize("client", FILES)
def test_what_install_wrote_is_well_and_looking_changes_nothing(user, client):
    install(client, user)
    before = everything(user)
    checks, status = only(user)
    expected = ["entry", "command", "home", "server", *([] if client == "goose" else ["hooks"])]
    assert list(checks) == expected and {check["state"] for check in checks.values()} == {"well"}
    assert status == 0 and everything(user) == before


def test_a_program_without_an_entry_is_a_note(user):
    (user / ".codex").mkdir()
    checks, status = only(user)
    assert checks["entry"]["state"] == "note" and "clawbrain install codex" in checks["entry"]["do"] and status == 0


def test_the_plugin_of_claude_code_is_known(user):
    (user / ".claude").mkdir()
    (user / ".claude" / "settings.json").write_text('{"enabledPlugins": {"clawbrain@clawbrain": true}}')
    checks, status = only(user)
    assert checks["entry"]["found"] == "clawbrain is there as a plugin" and status == 0


@pytest.mark.parametrize("client", FILES)
def test_a_command_that_is_gone_is_broken(user, client):
    install(client, user, hooks=False)
    change(user, client, COMMAND, "/nowhere/clawbrain")
    checks, status = only(user)
    assert checks["command"]["state"] == "broken" and f"clawbrain install {client}" in checks["command"]["do"]
    assert "server" not in checks and status == 3


def test_a_bare_command_is_looked_for_on_the_path_of_the_program(user):
    install("claude", user, hooks=False)
    change(user, "claude", COMMAND, "no-such-clawbrain")
    checks, _ = only(user)
    assert "no command no-such-clawbrain on the PATH" in checks["command"]["found"]


def test_a_server_that_says_something_else_is_broken(user, tmp_path):
    install("claude", user, hooks=False)
    for number, script in enumerate(("echo hello", "echo '{}'", "echo a fault >&2; exit 7", "cat")):
        program = tmp_path / f"script-{number}"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        change(user, "claude", COMMAND if not number else str(tmp_path / f"script-{number - 1}"), str(program))
        checks, status = only(user)
        assert checks["server"]["state"] == "broken" and status == 3
    change(user, "claude", str(program), str(tmp_path / "script-2"))
    assert "a fault" in only(user)[0]["server"]["found"]


def test_a_server_that_never_answers_is_given_up(user, tmp_path, monkeypatch):
    install("claude", user, hooks=False)
    program = tmp_path / "slow"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    change(user, "claude", COMMAND, str(program))
    monkeypatch.setattr(doctor, "PATIENCE", 0.3)
    checks, _ = only(user)
    assert "did not answer" in checks["server"]["found"]


def test_options_that_the_server_refuses_are_broken(user):
    install("claude", user, hooks=False)
    change(user, "claude", '"serve", ', '"serve", "--profile", "none-such", ')
    checks, status = only(user)
    assert checks["server"]["state"] == "broken" and "none-such" in checks["server"]["found"] and status == 3


def test_a_home_that_is_gone_is_something_to_do(user):
    install("claude", user)
    (user / "clawbrain").rename(user / "elsewhere")
    checks, status = only(user)
    assert checks["home"]["state"] == "to do" and "clawbrain init" in checks["home"]["do"] and status == 1
    assert not (user / "clawbrain").exists()


def test_a_disk_that_is_not_mounted_is_something_to_do(user):
    install("claude", user, home=Path("/no-such-disk/clawbrain"))
    checks, status = only(user)
    assert "/no-such-disk is not there" in checks["home"]["found"] and status == 1


@pytest.mark.parametrize(
    ("client", "before", "after", "found"),
    [
        ("claude", '"command":', '"url":', "names no command"),
        ("codex", "command = ", "enabled = false\ncommand = ", "switched off"),
        ("goose", "enabled: true", "enabled: false", "switched off"),
        ("claude", '"serve"', '"other"', "not one of ours"),
    ],
)
def test_an_entry_that_cannot_work_is_something_to_do(user, client, before, after, found):
    install(client, user, hooks=False)
    change(user, client, before, after)
    checks, status = only(user)
    assert found in checks["entry"]["found"] and f"clawbrain install {client}" in checks["entry"]["do"] and status == 1


@pytest.mark.parametrize(
    ("client", "text"), [("claude", '{"mcpServers": {'), ("codex", "a = \n"), ("goose", "a: [\n"), ("claude", "[]")]
)
def test_a_configuration_that_cannot_be_read_is_broken(user, client, text):
    (user / ".claude").mkdir()
    file = user / FILES[client]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    reports, status = examined(user)
    [check] = next(report for report in reports if report["program"] == client)["checks"]
    assert check["state"] == "broken" and FILES[client] in check["found"] and ": line " in check["found"]
    assert status == 3


def test_hooks_that_are_missing_old_or_broken(user):
    install("claude", user)
    settings = user / ".claude" / "settings.json"
    text = settings.read_text()
    data = json.loads(text)
    del data["hooks"]["Stop"]
    settings.write_text(json.dumps(data))
    assert only(user)[0]["hooks"]["found"] == "3 hooks run" and only(user)[1] == 1
    settings.write_text(text.replace(COMMAND, "/nowhere/clawbrain"))
    checks, status = only(user)
    assert checks["hooks"]["state"] == "broken" and "not found" in checks["hooks"]["found"] and status == 3
    settings.unlink()
    checks, status = only(user)
    assert checks["hooks"]["state"] == "note" and status == 0


def test_hooks_of_another_home_than_the_servers_are_something_to_do(user):
    install("claude", user)
    change(user, "claude", str(user / "clawbrain"), str(user.parent / "work"))
    [report], status = examined(user)
    said = [check["found"] for check in report["checks"] if check["state"] == "to do"]
    assert said == ["a hook names another home than the server"] and status == 1


def test_a_plugin_of_another_version_is_something_to_do(user):
    install("opencode", user)
    plugin = user / ".config/opencode/plugin/clawbrain.js"
    plugin.write_text(plugin.read_text().replace("PATIENCE = 2000", "PATIENCE = 1000"))
    [report], status = examined(user)
    assert [check["state"] for check in report["checks"] if check["check"] == "hooks"] == ["to do", "well"]
    assert status == 1


def test_hooks_run_by_doctor_note_nothing(user):
    from clawbrain.brain import open_brain

    with open_brain(user / "clawbrain") as brain:
        brain.store("entity", "alice-chen", "Alice Chen reviews everything.", category="people")
    install("claude", user)
    before = everything(user)
    examined(user)
    assert everything(user) == before


def test_the_configuration_of_a_project_is_examined_too(user, monkeypatch):
    work = user.parent / "work"
    installing.apply(installing.plan_install("cursor", environ(user), project=work, home=work / ".memory"))
    reports, status = examined(user)
    [report] = reports
    checks = {check["check"]: check for check in report["checks"]}
    assert report["scope"] == "project" and checks["command"]["state"] == "broken" and status == 3
    assert f"there is no home at {work}/.memory" in checks["home"]["found"]


def test_the_command_prints_and_ends_with_the_status(user):
    words = [COMMAND, "doctor", "--json"]
    install("claude", user)

    def run():
        return subprocess.run(words, env=environ(user), cwd=user.parent / "work", capture_output=True, text=True)

    assert run().returncode == 0
    (user / "clawbrain" / "memory").rmdir()
    (user / "clawbrain").rmdir()
    assert run().returncode == 1
    change(user, "claude", COMMAND, "/nowhere/clawbrain")
    done = run()
    assert done.returncode == 3 == json.loads(done.stdout)["status"]
    words.pop()
    assert "broken" in run().stdout and "clawbrain install claude`" in run().stdout
    assert programs.PROGRAMS["claude"].title in run().stdout


# A folder that somebody else wrote: `doctor` may be called in any clone.


def project_of(user, entry, hook=None):
    work = user.parent / "work"
    (work / ".mcp.json").write_text(json.dumps({"mcpServers": {"clawbrain": entry}}))
    if hook:
        (work / ".claude").mkdir()
        handler = {"type": "command", "command": hook}
        (work / ".claude/settings.json").write_text(json.dumps({"hooks": {"Stop": [{"hooks": [handler]}]}}))
    return work


def examined_with_ours_on_the_path(user):
    reports = doctor.examine({"HOME": str(user), "PATH": f"{Path(COMMAND).parent}:/usr/bin:/bin"}, user.parent / "work")
    [report] = [each for each in reports if each["scope"] == "project"]
    return {check["check"]: check for check in report["checks"]}


def test_a_program_that_a_project_names_is_not_started(user):
    work = project_of(user, {"command": "/bin/sh", "args": ["-c", "touch started", "serve"]})
    checks = examined_with_ours_on_the_path(user)
    assert checks["server"]["state"] == "note" and "was not started" in checks["server"]["found"]
    assert not (work / "started").exists()


def test_a_hook_of_a_project_is_run_only_if_install_writes_it_so(user):
    hook = "clawbrain hook stop --client claude; touch started"
    work = project_of(user, {"command": "clawbrain", "args": ["serve"]}, hook)
    checks = examined_with_ours_on_the_path(user)
    assert checks["server"]["state"] == "well"
    assert checks["hooks"]["state"] == "to do" and "was not run" in checks["hooks"]["found"]
    assert not list(work.rglob("started"))


def test_the_environment_of_a_projects_entry_reaches_nothing(user, tmp_path):
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil" / "sitecustomize.py").write_text(f"open({str(tmp_path / 'started')!r}, 'w')")
    entry = {"command": "clawbrain", "args": ["serve"], "env": {"PYTHONPATH": str(tmp_path / "evil")}}
    project_of(user, entry, "clawbrain hook stop --client claude")
    checks = examined_with_ours_on_the_path(user)
    assert checks["server"]["state"] == "well" and not (tmp_path / "started").exists()


def test_a_projects_own_hooks_run(user):
    project_of(user, {"command": "clawbrain", "args": ["serve"]}, "clawbrain hook stop --client claude")
    assert examined_with_ours_on_the_path(user)["hooks"]["found"] == "the hook runs"


def test_no_shell_reads_a_hook_of_a_project(user, tmp_path):
    started = tmp_path / "started"
    home = f"$(touch${{IFS}}{started})"
    entry = {"command": "clawbrain", "args": ["serve", "--home", home]}
    project_of(user, entry, f"clawbrain hook stop --client claude --home {home}")
    assert "hooks" in examined_with_ours_on_the_path(user)
    assert not started.exists()


def test_a_layer_that_is_gone_or_not_allowed_is_something_to_do(user, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user / ".config"))
    install("claude", user)
    home, team = user / "clawbrain", user / "team"
    (home / "STRATEGY.md").write_text("```yaml settings\nlayers: [../team]\n```\n")
    found, status = only(user)
    assert ("no home at" in found["layers"]["found"], status) == (True, 1)
    (team / "memory").mkdir(parents=True)
    found, status = only(user)
    assert ("layers allow" in found["layers"]["do"], status) == (True, 1)
    layer_homes.allow(home, [team])
    found, _ = only(user)
    assert found["layers"]["state"] == "well"
