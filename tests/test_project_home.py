"""Commands in a folder of a project that has a memory of its own."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clawbrain.agents import hooks
from clawbrain.brain import open_brain
from clawbrain.server.lazy_brain import Home

NOTE = "in .memory of this project"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any]) -> Path:
    """A repository with a home of its own, in which somebody works who has another home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAWBRAIN_HOME")
    open_brain(tmp_path / "clawbrain").close()
    monkeypatch.setattr(hooks, "PATIENCE", 60.0)  # however slowly this runs
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    open_brain(folder / ".memory").close()
    monkeypatch.chdir(folder)
    return folder


def names(home: Path) -> list[str]:
    return sorted(file.stem for file in (home / "memory").rglob("*.md") if file.name != "MEMORY.md")


@pytest.fixture
def stored(project: Path, run: Callable[..., Any]) -> Any:
    return run("store", "entity", "tabs", "--category", "projects", "We use tabs.")


def test_a_command_in_a_project_works_on_its_home_and_says_so(stored: Any, project: Path) -> None:
    assert (names(project / ".memory"), names(project.parent / "clawbrain")) == (["tabs"], [])
    assert "as .memory/memory/entities/" in stored.stdout
    assert stored.stderr.splitlines() == [NOTE]


def test_it_does_so_in_a_folder_below_the_projects_root(
    stored: Any, project: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src").mkdir()
    monkeypatch.chdir(project / "src")
    listed = run("list", "--json")
    assert [each["name"] for each in json.loads(listed.stdout)["memories"]] == ["tabs"]
    assert listed.stderr.splitlines() == [NOTE]


def test_a_home_that_a_configuration_of_the_project_names_counts_as_well(
    stored: Any, project: Path, run: Callable[..., Any]
) -> None:
    (project / ".memory").rename(project / "notes")
    entry = {"command": "clawbrain", "args": ["serve", "--home", "notes"]}
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"clawbrain": entry}}))
    assert run("show", "tabs").stderr.splitlines() == ["in notes of this project"]


@pytest.mark.parametrize("how", ["option", "environment"])
def test_a_home_that_the_person_names_comes_first(
    stored: Any, project: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    own = str(project.parent / "clawbrain")
    if how == "environment":
        monkeypatch.setenv("CLAWBRAIN_HOME", own)
    listed = run("list", "--json", *(["--home", own] if how == "option" else []))
    assert json.loads(listed.stdout) == {"memories": []}
    assert listed.stderr == ""


CHANGES = {
    "update": "Updated {id}",
    "tag": "{id} is tagged x.",
    "pin": "{id} is pinned.",
    "unpin": "{id} is no longer pinned.",
    "move": "{id} is at memory/entities/private/plain.md now.",
    "revert": "{id} says again what it said in 0001",
    "edit": "{id} says just that; nothing was changed.",
    "archive": "{id} lies in archive/entities/private/plain.md now.",
    "restore": "{id} is at memory/entities/private/plain.md now.",
}
WORDS = {"update": ["Notes on rent."], "tag": ["+x"], "move": ["plain"]}


@pytest.mark.parametrize("in_layer", [True, False])
def test_a_change_says_in_which_home_it_was_made(
    project: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, in_layer: bool
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    layer = ("--layer", f"user={project.parent / 'clawbrain'}")
    scope = "user" if in_layer else "project"
    run("store", "entity", "notes", "--category", "private", "Notes on taxes.", "--scope", scope, *layer)
    id, note = "entity-private-notes", [] if in_layer else [NOTE]

    def said(verb: str, *words: str) -> str:
        done = run(verb, id, *words, *layer)
        assert (done.exit_code, done.stderr.splitlines()) == (0, note), (verb, done.stderr)
        return str(done.stdout)

    named = f"{id} (layer user)" if in_layer else id
    for verb, sentence in CHANGES.items():
        assert said(verb, *WORDS.get(verb, [])).startswith(sentence.format(id=named)), verb
    archived = json.loads(said("archive", "--json"))
    assert archived.get("layer") == ("user" if in_layer else None)
    assert said("purge", "--dry-run").startswith(f"Would delete {named} (archive/entities/private/plain.md)")
    assert said("purge", "--yes").startswith(f"{named} (archive/entities/private/plain.md) is gone for good")


def test_above_the_projects_root_no_home_counts(
    stored: Any, project: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".memory").rename(project.parent / ".memory")
    assert json.loads(run("list", "--json").stdout) == {"memories": []}


def test_a_folder_without_memory_is_no_home_of_the_project(project: Path, run: Callable[..., Any]) -> None:
    (project / ".memory").rename(project / "elsewhere")
    (project / ".memory").mkdir()
    (project / ".memory/notes.md").write_text("Somebody else's.")
    assert run("list").stderr == ""


@pytest.fixture
def clone(stored: Any, project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Another folder with what git carries of the project, which is neither the sidecar nor an empty folder."""
    folder = project.parent / "clone"
    (folder / ".git").mkdir(parents=True)
    shutil.copytree(project / ".memory", folder / ".memory", ignore=shutil.ignore_patterns(".clawbrain", "archive"))
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("carried", ["both", "memory", "STRATEGY.md"])
def test_in_a_clone_commands_use_the_memory_that_was_committed(
    clone: Path, run: Callable[..., Any], carried: str
) -> None:
    if carried == "STRATEGY.md":
        shutil.rmtree(clone / ".memory/memory")
    elif carried == "memory":
        (clone / ".memory/STRATEGY.md").unlink()
    found = run("search", "tabs", "--json")
    assert len(json.loads(found.stdout)["results"]) == (carried != "STRATEGY.md")
    assert found.stderr.splitlines() == [NOTE]
    done = run("store", "entity", "vitest", "--category", "decisions", "Tests run with vitest.")
    assert "as .memory/memory/entities/" in done.stdout
    assert names(clone.parent / "clawbrain") == []


def hook(event: str, *words: str, **said: str) -> str:
    return hooks.run([event, "--client", "claude", *words], json.dumps({"cwd": os.getcwd(), "session_id": "1", **said}))


def test_in_a_clone_the_projects_hooks_tell_what_was_committed_from_the_first_on(clone: Path) -> None:
    assert "We use tabs." in hook("session-start", "--home", ".memory")


def test_in_a_clone_the_first_prompt_is_answered_even_before_a_session_started(clone: Path) -> None:
    (clone / ".memory/memory/entities/projects/node-version.md").write_text("---\ntype: entity\n---\nWe run node 22.\n")
    assert "node 22" in hook("prompt", "--home", ".memory", prompt="Which node version do we run?")


def test_in_a_clone_the_persons_own_hooks_are_silent(clone: Path, run: Callable[..., Any]) -> None:
    own = str(clone.parent / "clawbrain")
    run("store", "entity", "dana", "--category", "people", "Dana reviews.", "--home", own)
    assert hook("session-start") == hook("prompt", prompt="Who is Dana?") == "{}"
    os.chdir(clone.parent)
    assert "dana" in hook("session-start")


def test_in_a_clone_a_prompt_is_noticed_in_its_own_memory(clone: Path) -> None:
    for words in ((), ("--home", ".memory")):
        hook("prompt", *words, prompt="From now on, always use vitest here.")
    assert not (clone.parent / "clawbrain/.clawbrain/noticed.json").exists()
    assert (clone / ".memory/.clawbrain/noticed.json").exists()


def test_in_a_clone_the_layers_of_its_strategy_wait_for_the_owner(clone: Path, run: Callable[..., Any]) -> None:
    own = str(clone.parent / "clawbrain")
    run("store", "entity", "dana", "--category", "people", "Dana reviews.", "--home", own)
    (clone / ".memory/STRATEGY.md").write_text("```yaml settings\nlayers: [~/clawbrain]\n```\n")
    found = run("search", "Dana", "--json")
    assert json.loads(found.stdout)["results"] == []
    assert "layers allow" in found.stderr
    assert "Dana" not in hook("session-start", "--home", ".memory")
    assert run("layers", "allow").exit_code == 0
    assert "Dana" in hook("session-start", "--home", ".memory")


def test_an_index_that_a_hook_had_no_time_to_finish_is_finished_by_the_next(
    clone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(600):
        text = f"---\ntype: entity\n---\nNote {number}.\n"
        (clone / f".memory/memory/entities/projects/note-{number}.md").write_text(text)
    with open_brain(clone / ".memory") as brain, pytest.raises(RuntimeError):
        brain.syncing.scan(progress=lambda done, of: (_ for _ in ()).throw(RuntimeError))
    assert "601 memories" in hook("session-start", "--home", ".memory")


def test_a_server_in_a_clone_opens_the_memory_as_soon_as_a_client_is_there(clone: Path) -> None:
    home = Home(".memory", read_only=False)
    home._look_in()
    with open_brain(clone / ".memory") as brain:
        assert brain.open_sessions()
    home.close()


def test_init_in_a_clone_says_that_a_memory_is_there(clone: Path, run: Callable[..., Any]) -> None:
    assert "A home already" in run("init", ".memory").stdout


def test_feedback_in_a_project_finds_the_session_of_its_server(
    stored: Any, project: Path, run: Callable[..., Any]
) -> None:
    with open_brain(project / ".memory", session="agent-1") as brain:
        brain.open_session()
        brain.search("tabs")
        brain.settle()
        done = run("feedback", "good", "--json")
    assert [each["id"] for each in json.loads(done.stdout)["updated"]] == ["entity-projects-tabs"]


def test_layers_are_those_of_the_projects_home(project: Path, run: Callable[..., Any]) -> None:
    with (project / ".memory/STRATEGY.md").open("a") as page:
        page.write("\nlayers: [~/clawbrain]\n")
    assert NOTE in run("layers").stderr


def test_installing_for_the_person_makes_the_persons_own_home(project: Path, run: Callable[..., Any]) -> None:
    os.rename(project.parent / "clawbrain", project.parent / "away")
    done = run("install", "claude")
    assert done.exit_code == 0, done.output
    assert (project.parent / "clawbrain/.clawbrain").is_dir()
    assert NOTE not in done.stderr


def test_tokens_are_those_of_the_home_that_a_server_on_the_network_serves(
    project: Path, run: Callable[..., Any]
) -> None:
    assert run("token", "create").exit_code == 0
    assert "No tokens" in run("token", "list", "--home", ".memory").stdout
    assert "No tokens" not in run("token").stdout


def test_a_link_out_of_the_project_leads_to_no_memory(project: Path, run: Callable[..., Any]) -> None:
    elsewhere = project.parent / "elsewhere"
    os.rename(project / ".memory", elsewhere)
    os.symlink(elsewhere, project / ".memory")
    done = run("list")
    assert NOTE not in done.stderr
    assert "elsewhere" not in done.output
