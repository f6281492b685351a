"""`check` reads the texts: what looks like a secret, what git left, and headers that may mean something else."""

from collections.abc import Callable
from pathlib import Path

import pytest

from clawbrain.brain import Brain

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
CONFLICT = "Ann likes\n<<<<<<< HEAD\ntea\n=======\ncoffee\n>>>>>>> theirs\n"


def said(brain: Brain) -> list[tuple[str, str, bool]]:
    brain.sync(now=True)
    brain.settle()
    return [(found.where, found.what, found.fault) for found in brain.checks.check()]


def test_a_password_in_a_file_of_a_persons_own(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/a.md", f'---\ntags: ["{TOKEN}"]\n---\n\nThe password is hunter22x!\n')
    [(_, header, _), (where, what, fault)] = said(brain)
    assert "GitHub token" in header and "header" in header and "clawbrain edit" in what
    assert where == "memory/entities/people/a.md" and "secret (password)" in what and not fault
    assert "hunter" not in what


def test_a_secret_in_the_archive_and_in_the_history(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/a.md", f"It is {TOKEN}.\n")
    brain.update("entity-people-a", "It is gone.")
    brain.store("entity", "b", "x", category="people")
    write("entities/people/b.md", f"It is {TOKEN}.\n")
    brain.archive("entity-people-b")
    places = [where for where, what, _ in said(brain) if "GitHub token" in what]
    assert [place.rpartition("/")[0].partition("@")[0] for place in places] == [
        "archive/entities/people", ".clawbrain/history/entity-people-a",
    ]  # fmt: skip


def test_an_id_with_a_secret_is_named_by_a_number(brain: Brain, write: Callable[..., Path]) -> None:
    write(f"entities/people/{TOKEN}.md", "x\n")
    brain.search("x")
    brain.settle()
    [(where, what, _)] = said(brain)
    assert where == "memory number 1 in the order of storing" and "rename" in what and TOKEN not in what


def test_what_git_left_in_a_text_is_a_fault(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/a.md", CONFLICT)
    write("entities/people/b.md", f"So it looks:\n\n```\n{CONFLICT}```\n")
    write(
        "entities/people/c.md",
        "---\ntags: [x]\n<<<<<<< HEAD\nupdated: 2026\n=======\nupdated: 2027\n>>>>>>> y\n---\nx\n",
    )
    (brain.home / "STRATEGY.md").write_text(CONFLICT)
    found = said(brain)
    places = ["memory/entities/people/c.md", "STRATEGY.md", "memory/entities/people/a.md"]
    assert [where for where, _, _ in found] == places
    assert all("git left both sides of a conflict" in what and fault for _, what, fault in found)


@pytest.mark.parametrize("tags", ["team, finance", "team; finance", '"#team #finance"'])
def test_several_tags_in_one(brain: Brain, write: Callable[..., Path], tags: str) -> None:
    write("entities/people/a.md", f"---\ntags: {tags}\n---\n\nx\n")
    write("entities/people/b.md", '---\ntags: ["team, finance"]\n---\n\nx\n')
    write("entities/people/c.md", "---\ntags: c#\n---\n\nx\n")
    [(where, what, fault)] = said(brain)
    assert where == "memory/entities/people/a.md" and 'tags: ["team", "finance"]' in what and not fault


@pytest.mark.parametrize("date", ["last tuesday", "2026-13-45", "[2026]", "25.02.2026"])
@pytest.mark.parametrize("key", ["created", "updated"])
def test_a_date_that_cannot_be_read_leaves_the_memory_served(
    brain: Brain, write: Callable[..., Path], key: str, date: str
) -> None:
    file = write("entities/people/a.md", f"---\n{key}: {date}\n---\n\nLikes tea.\n")
    assert [hit.id for hit in brain.search("tea").hits] == ["entity-people-a"]
    assert brain.find("entity-people-a").created[:4] >= "2026"
    [(where, what, fault)] = said(brain)
    assert where == "memory/entities/people/a.md" and f"`{key}` is not a date" in what and not fault
    brain.update("entity-people-a", "Likes coffee.")
    assert (f"{key}: {date}" in file.read_text()) == (key == "created")
