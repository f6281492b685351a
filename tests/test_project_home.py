"""Commands in a folder of a project that has a memory of its own."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clawbrain.brain import open_brain

NOTE = "in .memory of this project"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Any]) -> Path:
    """A repository with a home of its own, in which somebody works who has another home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("CLAWBRAIN_HOME")
    open_brain(tmp_path / "clawbrain").close()
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


def test_above_the_projects_root_no_home_counts(
    stored: Any, project: Path, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / ".memory").rename(project.parent / ".memory")
    assert json.loads(run("list", "--json").stdout) == {"memories": []}


def test_a_folder_without_a_sidecar_is_no_home_of_the_project(project: Path, run: Callable[..., Any]) -> None:
    (project / ".memory/.clawbrain").rename(project / "elsewhere")
    assert run("list").stderr == ""


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
