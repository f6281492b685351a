"""The texts that updates replaced: their order, their numbers, and the memory that each belongs to."""

from pathlib import Path

import pytest
from conftest import Clock

from clawbrain.brain import Brain
from clawbrain.errors import NotFound
from clawbrain.memory.model import digest
from clawbrain.storage.files import MemoryFiles

ALICE, PATH = "entity-people-alice", "entities/people/alice.md"


def shelf(home: Path) -> Path:
    return next((home / ".clawbrain/history").iterdir())


def at_number(files: MemoryFiles, home: Path, number: int) -> None:
    """Give a memory one earlier text, of this number."""
    files.create(PATH, b"first")
    files.replace(PATH, b"0", digest(b"first"), ALICE)
    [version] = shelf(home).iterdir()
    version.rename(version.with_name(f"{number:04}{version.name[4:]}"))


def old_texts(files: MemoryFiles) -> list[bytes]:
    return [files.old_text(ALICE, version.name) for version in files.history(ALICE)]


def test_from_the_ten_thousandth_text_on_all_are_kept_in_order(tmp_path: Path, clock: Clock) -> None:
    files = MemoryFiles(tmp_path, clock=clock)
    at_number(files, tmp_path, 9_998)
    for number in range(5):
        files.replace(PATH, str(number + 1).encode(), digest(str(number).encode()), ALICE)
    assert old_texts(files) == [b"first", b"0", b"1", b"2", b"3", b"4"]


def test_texts_that_an_older_program_numbered_alike_stay_apart(tmp_path: Path, clock: Clock) -> None:
    files = MemoryFiles(tmp_path, clock=clock)
    at_number(files, tmp_path, 9_999)
    (shelf(tmp_path) / "10000-20200101T000000Z.md").write_bytes(b"an older one of that number")
    files.replace(PATH, b"1", digest(b"0"), ALICE)
    assert old_texts(files) == [b"first", b"an older one of that number", b"0"]


@pytest.mark.parametrize("wanted", ["1", "0001", "0001-2026"])
def test_a_version_is_named_by_its_number_or_its_beginning(brain: Brain, wanted: str) -> None:
    brain.store("entity", "alice", "One.", category="people")
    for number in range(12):
        brain.update(ALICE, f"Text {number}.")
    assert "One." in brain.owner.old_text(ALICE, wanted)
    with pytest.raises(NotFound):
        brain.owner.old_text(ALICE, "99")
