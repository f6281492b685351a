"""MEMORY.md on the disk: what is written there, and what becomes of a page that somebody else wrote."""

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Clock, dies_at

from clawbrain.brain import Brain

BY_HAND = "# My own page\n\nWritten with care.\n"


def kept(home: Path) -> list[str]:
    return [file.read_text() for file in (home / ".clawbrain/history").glob("MEMORY*.md")]


@pytest.fixture
def page(home: Path) -> Path:
    return home / "memory/MEMORY.md"


@pytest.mark.parametrize("verb", [Brain.write_digest, Brain.compact])
def test_a_page_written_by_hand_is_kept_once_and_said(
    brain: Brain, home: Path, page: Path, verb: Callable[[Brain], object]
) -> None:
    page.write_text(BY_HAND)
    verb(brain)
    [warning] = [each for each in brain.take_warnings() if "MEMORY.md" in each]
    assert ".clawbrain/history/MEMORY-20260225T100000Z.md" in warning
    assert kept(home) == [BY_HAND] and page.read_text().startswith("# Memory\n\nGenerated")
    verb(brain)
    assert kept(home) == [BY_HAND] and brain.take_warnings() == []


def test_a_digest_that_was_edited_is_kept_too(brain: Brain, home: Path, page: Path) -> None:
    brain.write_digest()
    page.write_text(edited := page.read_text() + "\nMy remark.\n")
    brain.write_digest()
    assert kept(home) == [edited]


def test_a_digest_from_before_hashes_were_noted_is_replaced(brain: Brain, home: Path, page: Path) -> None:
    page.write_text(brain.digest_text() + "- an older line\n")
    brain.write_digest()
    assert kept(home) == [] and "older" not in page.read_text()


def test_a_digest_that_changes_is_replaced(brain: Brain, home: Path, page: Path) -> None:
    for name in ("one", "two"):
        brain.store("entity", name, f"About {name}.", category="people")
        brain.write_digest()
    assert kept(home) == [] and "two" in page.read_text()


def test_a_page_written_by_hand_is_named_by_check_and_left_by_a_purge(brain: Brain, home: Path, page: Path) -> None:
    page.write_text(BY_HAND)
    brain.store("entity", "one", "About one.", category="people")
    brain.archive("entity-people-one")
    assert any("not written by clawbrain" in each.what for each in brain.checks.check())
    brain.owner.purge("entity-people-one")
    assert page.read_text() == BY_HAND and kept(home) == []


def test_a_kill_while_the_digest_is_written_makes_it_nobody_elses(
    home: Path, clock: Clock, opened: Callable[..., Brain], page: Path
) -> None:
    brain = opened()
    brain.write_digest()
    brain.store("entity", "one", "About one.", category="people")
    brain.close()
    number = 0
    while dies_at(number, home, clock, Brain.write_digest):
        number += 1
        opened().write_digest()
        assert kept(home) == []
    assert number > 2


@pytest.mark.parametrize("odd", ["folder", "link"])
def test_what_is_no_file_is_kept_too(brain: Brain, home: Path, page: Path, odd: str) -> None:
    page.mkdir() if odd == "folder" else page.symlink_to(home / "STRATEGY.md")
    brain.write_digest()
    assert page.is_file() and not page.is_symlink() and len([*(home / ".clawbrain/history").glob("MEMORY*")]) == 1
