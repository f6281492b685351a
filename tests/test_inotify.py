"""What was touched is known without a look, and where it is not, there is a look."""

import errno
import gc
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from clawbrain.brain import Brain
from clawbrain.storage import inotify, sync
from clawbrain.storage.inotify import Watch

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
    begin(watching)
    assert watching.touched() == set()
    return watching


def begin(watching: Watch) -> None:
    watching.begin()
    for inside in ("", "inner/"):
        watching.add(inside)


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
    (folder / "inner").mkdir(exist_ok=True)
    begin(watching)
    assert watching.touched() == set()
    (folder / "inner/b.md").write_text("two")
    assert watching.touched() == {"inner/b.md"}


def test_a_folder_that_was_moved_away_is_told_of_no_more(folder: Path, watching: Watch) -> None:
    a_folder_gone(folder)
    (folder / "inner").mkdir()
    begin(watching)
    (folder.parent / "inner/a.md").write_text("two")
    assert watching.touched() == set()


def test_a_renamed_folder_is_known_by_its_new_name(folder: Path, watching: Watch) -> None:
    (folder / "inner").rename(folder / "renamed")
    watching.begin()
    for inside in ("", "renamed/"):
        watching.add(inside)
    (folder / "renamed/a.md").write_text("two")
    assert watching.touched() == {"renamed/a.md"}


def test_who_could_not_enter_the_folder_itself_knows_nothing(folder: Path) -> None:
    watching = Watch(folder)
    watching.begin()
    watching.add("inner/")
    assert watching.touched() is None


def test_who_has_not_begun_knows_nothing(folder: Path) -> None:
    assert Watch(folder).touched() is None


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
    monkeypatch.setattr(inotify, "_LOCAL", {0x6969})  # NFS alone
    watching = Watch(folder)
    begin(watching)
    assert watching.touched() is None


@pytest.mark.parametrize("lack", [OSError("no more watches"), ImportError("no ctypes"), AttributeError("no such call")])
def test_a_system_without_it_knows_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch, lack: Exception) -> None:
    def none() -> None:
        raise lack

    monkeypatch.setattr(inotify, "_system", none)
    watching = Watch(folder)
    begin(watching)
    assert watching.touched() is None
    monkeypatch.undo()
    begin(watching)
    assert watching.touched() == set()


def queues() -> int:
    gc.collect()
    return sum(os.readlink(fd) == "anon_inode:inotify" for fd in Path("/proc/self/fd").iterdir() if fd.is_symlink())


def test_no_queue_stays_open(folder: Path) -> None:
    before = queues()
    kept, forgotten = Watch(folder), Watch(folder)
    kept.begin()
    forgotten.begin()
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

    monkeypatch.setattr(alice.files, "scan", looked)
    monkeypatch.setattr(sync, "TRUST", 600.0)  # however slowly this runs
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
    blind.bookkeeping.note_waiting()
    write("entities/people/bob.md", "Likes tea too.").unlink()
    assert found(blind, "tea") == ["entity-people-alice"]
    assert not blind.syncing.changed


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
    monkeypatch.setattr(sync, "ALWAYS", 0)
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
    stale = other.syncing.see(FILE)
    assert stale
    write(FILE, "Now granite.")
    assert found(alice, "granite") == ["entity-people-alice"]
    other.index.put([stale])
    assert found(alice, "granite") == ["entity-people-alice"]


def test_an_index_that_breaks_while_a_file_is_taken_in_is_filled_again(
    alice: Brain, home: Path, write: Callable[..., Path]
) -> None:
    for number in range(4):
        write(f"entities/people/p{number}.md", "Likes tea.")
    alice.search("tea")
    alice.search("tea")
    write(FILE, "Likes tea and granite.")
    with (home / ".clawbrain/index.db").open("r+b") as index:
        index.seek(4096)
        index.write(b"\xff" * 60_000)
    assert len(found(alice, "tea")) == 5


@pytest.mark.parametrize("now", [False, True])
def test_a_look_that_failed_is_made_again(
    alice: Brain, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, now: bool
) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    write(FILE, "Now granite.")
    write("entities/places/paris.md", "Granite is dear there.")
    with monkeypatch.context() as trouble:
        trouble.setattr(alice.files, "scan", broken)
        with pytest.raises(OSError, match="Input/output"):
            alice.sync(now=now)
    assert sorted(found(alice, "granite")) == ["entity-people-alice", "entity-places-paris"]


def test_a_file_that_the_disk_cannot_read_is_left_out_until_it_can(
    alice: Brain, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = alice.files.read

    def failing(path: str, *rest: str) -> object:
        if path == FILE:
            raise OSError(errno.EIO, "Input/output error")
        return read(path, *rest)

    write(FILE, "Now granite.")
    write("entities/people/bob.md", "Granite too.")
    with monkeypatch.context() as trouble:
        trouble.setattr(alice.files, "read", failing)
        for _ in range(3):
            assert found(alice, "granite") == ["entity-people-bob"]
        assert alice.faults() == [(FILE, "cannot be read: the disk reports an error")]
        assert len(alice.take_warnings()) == 1
    alice.sync(now=True)
    assert sorted(found(alice, "granite")) == ["entity-people-alice", "entity-people-bob"]
    assert not alice.faults()


def test_a_file_that_cannot_be_opened_just_now_is_not_left_out(
    alice: Brain, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = os.open

    def too_many(path: str, *rest: int, **more: int) -> int:
        if path == "alice.md":
            raise OSError(errno.EMFILE, "Too many open files")
        return opened(path, *rest, **more)

    write(FILE, "Now granite.")
    with monkeypatch.context() as trouble:
        trouble.setattr(os, "open", too_many)
        with pytest.raises(OSError, match="Too many"):
            alice.search("granite")
    assert found(alice, "granite") == ["entity-people-alice"]
    assert not alice.faults()


def test_the_fault_of_a_link_to_a_folder_goes_with_it(
    blind: Brain, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.undo()
    link = home / "memory/entities/people/away"
    link.symlink_to("/tmp")
    blind.sync(now=True)
    blind.sync(now=True)
    assert blind.faults()
    link.unlink()
    blind.search("tea")
    assert not blind.faults()


def test_after_a_new_folder_the_same_queue_goes_on(alice: Brain, write: Callable[..., Path]) -> None:
    watching = alice.syncing._watch
    for place in ("paris", "rome"):
        write(f"entities/{place}/{place}.md", "Granite is dear there.")
        alice.search("granite")
    assert alice.syncing._watch is watching
    assert len(found(alice, "granite")) == 2


def test_an_index_that_is_deleted_is_filled_again(alice: Brain, home: Path) -> None:
    (home / ".clawbrain/index.db").unlink()
    assert found(alice, "tea") == ["entity-people-alice"]


def test_an_edit_under_another_name_is_seen_when_trust_ends(
    alice: Brain, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(home / "memory" / FILE, tmp_path / "alias.md")
    alice.search("tea")
    (tmp_path / "alias.md").write_text("Now granite.")
    monkeypatch.setattr(sync, "TRUST", 0.0)
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
