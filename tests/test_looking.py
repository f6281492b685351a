"""Verbs that only look make nothing: not in a folder that is no home, and not in a home that lacks a part."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Run = Callable[..., Result]
MEMORY = "---\ntags: [team]\n---\nPetra prefers tabs.\n"
VERBS = [
    ["list"],
    ["list", "--archived"],
    ["search", "tabs"],
    ["search", "tabs", "--explain", "--session", "s"],
    ["show", "petra"],
    ["history", "entity-people-petra"],
    ["log"],
    ["report"],
    ["dump"],
    ["check"],
    ["strategy"],
    ["conflicts"],
    ["compact", "--dry-run"],
    ["digest", "-"],
    ["export", "json"],
    ["messages"],
    ["audit"],
    ["call", "memory_search", '{"query": "tabs"}'],
]


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in folder.rglob("*")}


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """A folder of somebody else."""
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "passwd").write_text("root\n")
    return folder


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_looking_at_a_folder_without_a_memory_makes_nothing_and_says_so(
    run: Run, plain: Path, words: list[str]
) -> None:
    before = tree(plain)
    done = run("--home", plain, *words)
    assert done.exit_code == 1, done.output
    assert (
        done.stderr == "clawbrain: there is no memory here; `clawbrain init` makes one, --home names another folder.\n"
    )
    assert tree(plain) == before


@pytest.mark.parametrize("words", [["check"], ["list"], ["search", "x"]], ids=" ".join)
def test_looking_at_a_named_folder_that_is_not_there_says_so(run: Run, tmp_path: Path, words: list[str]) -> None:
    done = run("--home", tmp_path / "mistyped", *words)
    assert (done.exit_code, "there is no memory here" in done.stderr) == (1, True)
    assert "No memories yet" in run("list").stdout  # in the usual home, of which nobody spoke


CHANGES = [
    ["update", "petra", "text"],
    ["pin", "petra"],
    ["tag", "petra", "+a"],
    ["archive", "petra"],
    ["restore", "petra"],
    ["move", "petra", "new"],
    ["revert", "petra"],
    ["purge", "petra", "--yes"],
    ["feedback", "good"],
    ["compact"],
    ["undo"],
    ["digest"],
    ["conflicts", "resolve", "1", "kept_a"],
    ["check", "--repair"],
]


@pytest.mark.parametrize("words", CHANGES, ids=" ".join)
@pytest.mark.parametrize("there", [True, False])
def test_a_change_of_what_is_not_there_begins_no_memory(
    run: Run, tmp_path: Path, there: bool, words: list[str]
) -> None:
    folder = tmp_path / "folder"
    if there:
        folder.mkdir()
    done = run("--home", folder, *words)
    assert (done.exit_code, "there is no memory here" in done.stderr) == (1, True)
    assert not folder.exists() or list(folder.iterdir()) == []


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_memories_without_a_sidecar_are_read_and_nothing_is_made(run: Run, plain: Path, words: list[str]) -> None:
    (plain / "memory/entities/people").mkdir(parents=True)
    (plain / "memory/entities/people/petra.md").write_text(MEMORY)
    before = tree(plain)
    done = run("--home", plain, *words)
    assert done.exit_code == 0, done.output
    assert tree(plain) == before


def test_a_search_of_memories_without_a_sidecar_finds_them(run: Run, plain: Path) -> None:
    (plain / "memory/entities/people").mkdir(parents=True)
    (plain / "memory/entities/people/petra.md").write_text(MEMORY)
    assert "Petra prefers tabs" in run("--home", plain, "search", "tabs").stdout


def test_a_strategy_alone_is_a_home_too(run: Run, plain: Path) -> None:
    (plain / "STRATEGY.md").write_text("# Strategy\n")
    before = tree(plain)
    assert run("--home", plain, "strategy").exit_code == 0
    assert tree(plain) == before


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
@pytest.mark.parametrize("lost", ["archive", "STRATEGY.md", "memory/episodes", ".clawbrain/tmp", ".clawbrain/backups"])
def test_looking_at_a_home_makes_no_part_that_is_missing(run: Run, home: Path, lost: str, words: list[str]) -> None:
    run("store", "entity", "petra", "--category", "people", "Petra prefers tabs.")
    run("search", "tabs")
    whole = home / lost
    shutil.rmtree(whole) if whole.is_dir() else whole.unlink()
    before = tree(home).keys()
    done = run(*words)
    assert done.exit_code in (0, 3), done.output
    assert tree(home).keys() - before <= {".clawbrain/turns.log"}


def test_looking_at_an_empty_sidecar_makes_no_ledger(run: Run, plain: Path) -> None:
    (plain / ".clawbrain").mkdir()
    assert run("--home", plain, "list").exit_code == 0
    assert os.listdir(plain / ".clawbrain") == []


def test_a_digest_on_standard_output_is_not_written(run: Run, home: Path) -> None:
    run("store", "entity", "petra", "--category", "people", "Petra prefers tabs.")
    assert "petra" in run("digest", "-").stdout
    assert not (home / "memory/MEMORY.md").exists()


# A name alone


def test_a_name_alone_shows_the_only_memory_that_has_it(run: Run) -> None:
    run("store", "entity", "petra", "--category", "people", "Petra prefers tabs.")
    assert "Petra prefers tabs" in run("show", "petra").stdout
    assert "Updated entity-people-petra\n" in run("update", "Petra", "Petra prefers spaces.").stdout


def test_a_name_alone_means_the_only_archived_memory_that_has_it(run: Run) -> None:
    for category in ("people", "projects"):
        run("store", "entity", "petra", "--category", category, "Petra prefers tabs.")
    run("archive", "people/petra")
    assert "is not archived" in run("restore", "petra").stderr  # the living one has the name, too
    run("archive", "projects/petra")
    assert "is not found in the archive" in run("purge", "petra", "--yes").stderr
    run("purge", "projects/petra", "--yes")
    assert "is archived at archive/entities/people/petra.md" in run("show", "petra").stderr
    assert "entity-people-petra" in run("restore", "Petra").stdout


def test_of_two_memories_of_one_name_the_ids_are_named(run: Run) -> None:
    run("store", "entity", "petra", "--category", "people", "Petra prefers tabs.")
    run("store", "entity", "petra", "--category", "projects", "A ship.")
    done = run("show", "petra")
    assert done.exit_code == 1
    ids = "entity-people-petra, entity-projects-petra"
    assert done.stderr == f"clawbrain: 'petra' is the name of 2 memories: name one by its id ({ids}).\n"
