"""What was touched is known without a look, and where it is not, there is a look."""

import gc
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clawbrain import watch
from clawbrain.brain import Brain, looking
from clawbrain.watch import Watch

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")

FILE = "entities/people/alice.md"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "root/inner").mkdir(parents=True)
    (tmp_path / "root/inner/a.md").write_text("one")
    return tmp_path / "root"


@pytest.fixture
def watching(folder: Path) -> Watch:
    watching = Watch(folder)
    for inside in ("", "inner/"):
        watching.add(inside)
    assert watching.touched() == set()
    return watching


def in_place(file: Path) -> None:
    file.write_text("two")


def appended(file: Path) -> None:
    with file.open("a") as more:
        more.write("two")


def mapped(file: Path) -> None:
    import mmap

    with file.open("r+") as opened, mmap.mmap(opened.fileno(), 0) as text:
        text[0:1] = b"x"


def replaced(file: Path) -> None:
    beside = file.with_suffix(".new")
    beside.write_text("two")
    beside.rename(file)


def cut(file: Path) -> None:
    os.truncate(file, 0)


def brought_from_elsewhere(file: Path) -> None:
    elsewhere = file.parents[2] / "elsewhere.md"
    elsewhere.write_text("two")
    os.utime(elsewhere, ns=(file.stat().st_mtime_ns, file.stat().st_mtime_ns))
    elsewhere.rename(file)


def taken_away(file: Path) -> None:
    file.unlink()


def locked_away(file: Path) -> None:
    file.chmod(0)


def linked_elsewhere(file: Path) -> None:
    file.unlink()
    file.symlink_to("/etc/hostname")


CHANGES = [in_place, appended, mapped, replaced, cut, brought_from_elsewhere, taken_away, locked_away, linked_elsewhere]


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_was_changed_is_told(folder: Path, watching: Watch, change: Callable[[Path], None]) -> None:
    change(folder / "inner/a.md")
    assert "inner/a.md" in (watching.touched() or ())
    assert watching.touched() == set()


def test_a_file_that_was_only_read_is_not_told(folder: Path, watching: Watch) -> None:
    (folder / "inner/a.md").read_text()
    list(folder.rglob("*"))
    assert watching.touched() == set()


def a_new_folder(folder: Path) -> None:
    (folder / "new").mkdir()


def a_folder_from_elsewhere(folder: Path) -> None:
    (folder.parent / "other").mkdir()
    (folder.parent / "other").rename(folder / "other")


def a_folder_gone(folder: Path) -> None:
    (folder / "inner").rename(folder.parent / "inner")


def another_in_its_place(folder: Path) -> None:
    folder.rename(folder.parent / "old")
    shutil.copytree(folder.parent / "old", folder)


def the_way_to_it_changed(folder: Path) -> None:
    above = folder.parent
    above.rename(above.with_name("moved"))
    shutil.copytree(above.with_name("moved"), above)


@pytest.mark.parametrize(
    "change", [a_new_folder, a_folder_from_elsewhere, a_folder_gone, another_in_its_place, the_way_to_it_changed]
)
def test_what_happens_to_folders_needs_a_look(folder: Path, watching: Watch, change: Callable[[Path], None]) -> None:
    change(folder)
    assert watching.touched() is None
    assert watching.touched() is None


def test_more_than_the_queue_holds_needs_a_look(folder: Path, watching: Watch) -> None:
    held = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    other = folder / "inner/b.md"
    other.write_text("two")
    for _ in range(held // 2 + 1):
        os.utime(folder / "inner/a.md")
        os.utime(other)
    assert watching.touched() is None


def test_a_name_that_is_no_text_needs_a_look(folder: Path, watching: Watch) -> None:
    Path(os.fsdecode(os.fsencode(folder) + b"/inner/\xff.md")).write_text("x")
    assert watching.touched() is None


def test_disks_that_others_write_to_are_not_trusted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "_LOCAL", {0x6969})  # NFS alone
    watching = Watch(folder)
    watching.add("")
    assert watching.touched() is None


def test_a_system_without_it_knows_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise OSError("no more watches")

    monkeypatch.setattr(watch, "_system", none)
    watching = Watch(folder)
    watching.add("")
    assert watching.touched() is None


def queues() -> int:
    gc.collect()
    return sum(os.readlink(fd) == "anon_inode:inotify" for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink())


def test_no_queue_stays_open(folder: Path) -> None:
    before = queues()
    kept, forgotten = Watch(folder), Watch(folder)
    assert queues() == before + 2
    kept.close()
    del forgotten
    assert queues() == before


# In a brain


@pytest.fixture
def alice(brain: Brain, write: Callable[..., Path]) -> Brain:
    """A brain that has looked twice, and is told from now on."""
    write(FILE, "Likes tea.")
    brain.search("tea")
    brain.search("tea")
    return brain


@pytest.fixture
def blind(alice: Brain, monkeypatch: pytest.MonkeyPatch) -> Brain:
    """One that can see nothing but what it is told."""

    def looked(*_: object) -> None:
        raise AssertionError("somebody looked")

    monkeypatch.setattr(alice.vault, "scan", looked)
    return alice


def found(brain: Brain, word: str) -> list[str]:
    return [hit.id for hit in brain.search(word).hits]


def test_a_search_after_a_search_looks_at_no_file(blind: Brain) -> None:
    assert found(blind, "tea") == ["entity-people-alice"]


@pytest.mark.parametrize("change", [in_place, replaced, brought_from_elsewhere])
def test_an_edit_is_seen_without_a_look(blind: Brain, home: Path, change: Callable[[Path], None]) -> None:
    change(home / "memory" / FILE)
    assert (found(blind, "tea"), found(blind, "two")) == ([], ["entity-people-alice"])


def test_a_new_file_and_a_deleted_one_are_seen_without_a_look(
    blind: Brain, home: Path, write: Callable[..., Path]
) -> None:
    write("entities/people/bob.md", "Likes tea too.")
    (home / "memory" / FILE).unlink()
    assert found(blind, "tea") == ["entity-people-bob"]


def test_what_is_no_memory_does_not_become_one(blind: Brain, write: Callable[..., Path]) -> None:
    for name in (
        "entities/people/.alice.md.swp",
        "entities/people/.hidden.md",
        "entities/MEMORY.md",
        "entities/tea.txt",
    ):
        write(name, "tea")
    assert found(blind, "tea") == ["entity-people-alice"]
    assert not blind.faults()


def test_a_file_that_came_and_went_is_no_news(blind: Brain, write: Callable[..., Path]) -> None:
    blind.note_waiting()
    write("entities/people/bob.md", "Likes tea too.").unlink()
    assert found(blind, "tea") == ["entity-people-alice"]
    assert not blind.looking.changed


def test_own_writes_are_not_looked_for(blind: Brain) -> None:
    blind.store("entity", "bob", "Likes tea too.", category="people")
    assert found(blind, "too") == ["entity-people-bob"]


def test_a_file_in_a_new_folder_is_seen(alice: Brain, write: Callable[..., Path]) -> None:
    write("entities/places/paris.md", "Tea is dear there.")
    assert found(alice, "dear") == ["entity-places-paris"]
    write("entities/places/rome.md", "Granite is cheap there.")
    assert found(alice, "cheap") == ["entity-places-rome"]


def test_a_larger_store_sees_an_edit_at_once(
    alice: Brain, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "ALWAYS", 0)
    write(FILE, "Now granite.")
    assert found(alice, "granite") == ["entity-people-alice"]


def test_when_most_files_are_gone_at_once_somebody_is_told(
    alice: Brain, home: Path, write: Callable[..., Path]
) -> None:
    for number in range(30):
        write(f"entities/people/p{number}.md", "Likes tea.")
    alice.search("tea")
    alice.search("tea")
    alice.take_warnings()
    for number in range(30):
        (home / f"memory/entities/people/p{number}.md").unlink()
    alice.search("tea")
    assert any("vanished at once" in warning for warning in alice.take_warnings())


def test_what_another_process_wrote_into_the_index_is_compared_with_the_files(
    alice: Brain, opened: Callable[..., Brain], write: Callable[..., Path]
) -> None:
    """It may have read the file before an edit, and have written it down after we had read it."""
    other = opened("session-2")
    other.sync()
    stale = other.looking.see(FILE)
    assert stale
    write(FILE, "Now granite.")
    assert found(alice, "granite") == ["entity-people-alice"]
    other.index.put([stale])
    assert found(alice, "granite") == ["entity-people-alice"]


def test_an_index_that_is_deleted_is_filled_again(alice: Brain, home: Path) -> None:
    (home / ".clawbrain/index.db").unlink()
    assert found(alice, "tea") == ["entity-people-alice"]


def test_an_edit_under_another_name_is_seen_when_trust_ends(
    alice: Brain, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(home / "memory" / FILE, tmp_path / "alias.md")
    alice.search("tea")
    (tmp_path / "alias.md").write_text("Now granite.")
    monkeypatch.setattr(looking, "TRUST", 0.0)
    assert found(alice, "granite") == ["entity-people-alice"]


def test_who_looks_once_is_not_told(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, "Likes tea.")
    before = queues()
    brain.search("tea")
    assert queues() == before
    brain.search("tea")
    assert queues() == before + 1
    brain.close()
    assert queues() == before
