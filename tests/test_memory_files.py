"""The files: how they get their names, what is never lost, and that no path leads out of the home."""

import os
import socket
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from clawbrain.errors import AlreadyExists, Invalid
from clawbrain.memory.header import Unreadable
from clawbrain.memory.model import digest
from clawbrain.storage.files import MemoryFiles
from clawbrain.storage.recovery import Surprise
from clawbrain.storage.shelves import history_key

NOW = datetime(2026, 2, 25, 10, tzinfo=UTC)
PATH = "entities/people/alice.md"
ID = "entity-people-alice"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def files(home: Path) -> MemoryFiles:
    return MemoryFiles(home)


def text(home: Path, path: str = PATH) -> bytes:
    return (home / "memory" / path).read_bytes()


def temporaries(home: Path) -> list[str]:
    return os.listdir(home / ".clawbrain/tmp")


def texts_kept(files: MemoryFiles) -> list[bytes]:
    return [files.old_text(ID, version.name) for version in files.history(ID)]


def replace(files: MemoryFiles, new: bytes, old: bytes) -> None:
    files.replace(PATH, new, digest(old), ID)


def when(step: str, accident: Callable[[], object]) -> Callable[[str], None]:
    """Something happens, once, as a step is reached."""
    happened: list[str] = []

    def at(now: str) -> None:
        if now == step and not happened:
            happened.append(step)
            accident()

    return at


# Creating


def test_a_created_file_has_its_bytes(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"hello")
    assert text(home) == b"hello"


def test_a_created_file_is_its_owners_alone(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"hello")
    assert stat.S_IMODE((home / "memory" / PATH).stat().st_mode) == 0o600


def test_the_folders_made_for_it_are_their_owners_alone(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"hello")
    assert stat.S_IMODE((home / "memory/entities/people").stat().st_mode) == 0o700


def test_creating_leaves_no_temporary(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"hello")
    assert temporaries(home) == []


def test_an_existing_file_is_never_replaced_by_creating(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"first")
    with pytest.raises(AlreadyExists):
        files.create(PATH, b"second")
    assert text(home) == b"first"


def test_a_file_that_appears_at_the_last_moment_is_kept(home: Path) -> None:
    files = MemoryFiles(home, when("create: link", lambda: (home / "memory" / PATH).write_bytes(b"theirs")))
    with pytest.raises(AlreadyExists):
        files.create(PATH, b"ours")
    assert (text(home), temporaries(home)) == (b"theirs", [])


@pytest.mark.parametrize("twin", ["Alice.md", "ALICE.MD"])
def test_a_name_that_differs_only_in_case_is_refused(files: MemoryFiles, home: Path, twin: str) -> None:
    files.create("entities/people/" + twin, b"hello")
    with pytest.raises(AlreadyExists, match=twin):
        files.create(PATH, b"second")


def test_a_name_that_differs_only_in_composed_letters_is_refused(files: MemoryFiles) -> None:
    files.create("entities/people/caf\u00e9.md", b"hello")
    with pytest.raises(AlreadyExists):
        files.create("entities/people/cafe\u0301.md", b"second")


@pytest.mark.parametrize("path", ["../x.md", "entities/../../x.md", "../../x/y.md"])
def test_no_path_leads_out_of_the_home(files: MemoryFiles, home: Path, path: str) -> None:
    with pytest.raises(Invalid):
        files.create(path, b"hello")
    assert sorted(each.name for each in home.parent.rglob("*.md")) == []


@pytest.mark.parametrize("linked", ["memory", "memory/entities", "memory/entities/people"])
def test_no_link_is_followed_when_creating(files: MemoryFiles, home: Path, tmp_path: Path, linked: str) -> None:
    (tmp_path / "elsewhere").mkdir()
    (home / linked).parent.mkdir(parents=True, exist_ok=True)
    (home / linked).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Invalid, match="link"):
        files.create(PATH, b"hello")
    assert list((tmp_path / "elsewhere").rglob("*")) == []


def test_a_link_at_the_files_own_place_is_not_followed(files: MemoryFiles, home: Path, tmp_path: Path) -> None:
    (home / "memory/entities/people").mkdir(parents=True)
    (home / "memory" / PATH).symlink_to(tmp_path / "target")
    with pytest.raises(AlreadyExists):
        files.create(PATH, b"hello")
    assert not (tmp_path / "target").exists()


def test_a_file_where_a_folder_should_be_is_said(files: MemoryFiles, home: Path) -> None:
    (home / "memory").write_text("not a folder")
    with pytest.raises(Invalid, match="'memory'"):
        files.create(PATH, b"hello")


# Reading


def test_reading_gives_the_bytes_and_what_stat_says(files: MemoryFiles) -> None:
    created = files.create(PATH, b"hello")
    data, fingerprint = files.read(PATH)
    assert (data, fingerprint.size, fingerprint.inode) == (b"hello", 5, created.inode)


def test_a_missing_file_is_missing(files: MemoryFiles) -> None:
    with pytest.raises(FileNotFoundError):
        files.read(PATH)


def fifo(path: Path) -> None:
    os.mkfifo(path)


def link(path: Path) -> None:
    path.symlink_to("/etc/passwd")


def link_to_nothing(path: Path) -> None:
    path.symlink_to("nowhere")


def folder(path: Path) -> None:
    path.mkdir()


def a_socket(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path may not be long
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5 * 1_048_576)


@pytest.mark.parametrize("oddity", [fifo, link, link_to_nothing, folder, a_socket, huge])
def test_what_is_no_file_of_text_is_unreadable_and_does_not_hang(
    files: MemoryFiles, home: Path, oddity: Callable[[Path], None]
) -> None:
    (home / "memory/entities/people").mkdir(parents=True)
    oddity(home / "memory" / PATH)
    with pytest.raises(Unreadable):
        files.read(PATH)


def test_a_link_on_the_way_is_unreadable(files: MemoryFiles, home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/alice.md").write_text("theirs")
    (home / "memory/entities").mkdir(parents=True)
    (home / "memory/entities/people").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unreadable):
        files.read(PATH)


# Looking around


def test_a_scan_sees_every_md_file_and_the_oddities(files: MemoryFiles, home: Path) -> None:
    people = home / "memory/entities/people"
    people.mkdir(parents=True)
    for name in ("a.md", "MEMORY.md", "STRATEGY.md", "notes.txt", ".hidden.md"):
        (people / name).write_text("x")
    fifo(people / "pipe.md")
    link(people / "link.md")
    (people / "folder-link").symlink_to(home)
    (home / "memory/loose.md").write_text("x")
    assert sorted(files.scan()) == [
        "entities/people/a.md",
        "entities/people/folder-link",
        "entities/people/link.md",
        "entities/people/pipe.md",
        "loose.md",
    ]


def test_a_home_without_memory_has_nothing_to_see(files: MemoryFiles) -> None:
    assert files.scan() == {}


def test_a_circle_of_links_ends(files: MemoryFiles, home: Path) -> None:
    (home / "memory/entities").mkdir(parents=True)
    (home / "memory/entities/again").symlink_to(home / "memory")
    assert list(files.scan()) == ["entities/again"]


def test_a_scan_says_of_a_file_what_reading_it_says(files: MemoryFiles, home: Path) -> None:
    files.create("entities/people/a.md", b"x")
    assert files.scan() == {"entities/people/a.md": files.read("entities/people/a.md")[1]}


def test_a_memory_folder_that_is_a_link_is_not_scanned(files: MemoryFiles, home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/a.md").write_text("x")
    home.mkdir(exist_ok=True)
    (home / "memory").symlink_to(tmp_path / "elsewhere")
    assert files.scan() == {}


# Replacing


def test_a_replaced_text_is_kept_in_history(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"old")
    replace(files, b"new", b"old")
    assert (text(home), texts_kept(files)) == (b"new", [b"old"])


def test_history_is_oldest_first(files: MemoryFiles) -> None:
    files.create(PATH, b"1")
    for number in range(1, 12):
        replace(files, str(number + 1).encode(), str(number).encode())
    assert texts_kept(files) == [str(number).encode() for number in range(1, 12)]


def test_replacing_leaves_no_temporary(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"old")
    replace(files, b"new", b"old")
    assert temporaries(home) == []


def test_the_files_mode_is_kept(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"old")
    (home / "memory" / PATH).chmod(0o644)
    replace(files, b"new", b"old")
    assert stat.S_IMODE((home / "memory" / PATH).stat().st_mode) == 0o644


def test_a_file_that_is_not_what_was_read_is_left_alone(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"theirs")
    with pytest.raises(Surprise) as surprise:
        replace(files, b"ours", b"what we read")
    assert (text(home), surprise.value.current, temporaries(home)) == (b"theirs", b"theirs", [])


@pytest.mark.parametrize("step", ["replace: write", "replace: swap"])
def test_a_save_just_before_the_swap_is_not_lost(home: Path, step: str) -> None:
    MemoryFiles(home).create(PATH, b"old")
    files = MemoryFiles(home, when(step, lambda: (home / "memory" / PATH).write_bytes(b"theirs")))
    with pytest.raises(Surprise):
        replace(files, b"ours", b"old")
    assert text(home) == b"theirs"


def test_a_save_by_rename_just_before_the_swap_is_not_lost(home: Path) -> None:
    def save() -> None:
        (home / "save").write_bytes(b"theirs")
        (home / "save").replace(home / "memory" / PATH)

    MemoryFiles(home).create(PATH, b"old")
    with pytest.raises(Surprise):
        replace(MemoryFiles(home, when("replace: swap", save)), b"ours", b"old")
    assert text(home) == b"theirs"


def test_a_second_save_in_the_same_instant_is_kept_beside_the_first(home: Path) -> None:
    def save(words: bytes) -> Callable[[], object]:
        return lambda: (home / "memory" / PATH).write_bytes(words)

    MemoryFiles(home).create(PATH, b"old")
    first, second = when("replace: swap", save(b"first")), when("replace: swap back", save(b"second"))

    def at(step: str) -> None:
        first(step)
        second(step)

    with pytest.raises(Surprise) as surprise:
        replace(MemoryFiles(home, at), b"ours", b"old")
    assert text(home) == b"first"
    assert text(home, f"entities/people/{surprise.value.kept_as}") == b"second"


def test_a_file_deleted_just_before_the_swap_stays_deleted(home: Path) -> None:
    MemoryFiles(home).create(PATH, b"old")
    with pytest.raises(FileNotFoundError):
        replace(MemoryFiles(home, when("replace: swap", (home / "memory" / PATH).unlink)), b"ours", b"old")
    assert not (home / "memory" / PATH).exists()


def test_a_link_put_in_a_files_place_is_not_written_through(home: Path, tmp_path: Path) -> None:
    def relink() -> None:
        (tmp_path / "target").write_bytes(b"old")
        (home / "memory" / PATH).unlink()
        (home / "memory" / PATH).symlink_to(tmp_path / "target")

    MemoryFiles(home).create(PATH, b"old")
    with pytest.raises((Surprise, Unreadable, FileNotFoundError)):
        replace(MemoryFiles(home, when("replace: swap", relink)), b"ours", b"old")
    assert (tmp_path / "target").read_bytes() == b"old"


@pytest.mark.parametrize("leftover", ["w~", ""])
def test_what_a_killed_process_left_does_not_stop_the_same_update(
    files: MemoryFiles, home: Path, leftover: str
) -> None:
    files.create(PATH, b"old")
    name = f"{leftover}u~{digest(b'old')[:12]}~{digest(b'new')[:12]}~{ID}"
    (home / ".clawbrain/tmp" / name).write_bytes(b"n")
    replace(files, b"new", b"old")
    assert text(home) == b"new"


def test_what_a_killed_process_left_does_not_stop_the_digest(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"old")
    (home / f".clawbrain/tmp/g~{digest(b'page')[:12]}").write_bytes(b"pa")
    files.write_plain("memory/MEMORY.md", b"page")
    assert (home / "memory/MEMORY.md").read_bytes() == b"page"


@pytest.mark.parametrize("length", [1, 215, 216, 250])
def test_an_id_of_any_length_has_a_history(files: MemoryFiles, length: int) -> None:
    id = "é" * (length // 2) + "x" * (length % 2)
    files.create(PATH, b"old")
    files.replace(PATH, b"new", digest(b"old"), id)
    assert [files.old_text(id, version.name) for version in files.history(id)] == [b"old"]


def test_two_long_ids_have_two_histories() -> None:
    assert history_key("x" * 250) != history_key("x" * 249 + "y")


# The archive


def test_an_archived_file_keeps_its_place_under_archive(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"hello")
    assert files.archive(PATH) == PATH
    assert (home / "archive" / PATH).read_bytes() == b"hello" and not (home / "memory" / PATH).exists()


def test_an_older_archived_file_is_never_replaced(files: MemoryFiles, home: Path) -> None:
    kept = []
    for number in range(3):
        files.create(PATH, str(number).encode())
        kept.append(files.archive(PATH))
    assert kept == [PATH, "entities/people/alice~2.md", "entities/people/alice~3.md"]
    assert [(home / "archive" / path).read_bytes() for path in kept] == [b"0", b"1", b"2"]


def test_a_taken_place_refuses_to_be_restored_to(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"old")
    files.archive(PATH)
    files.create(PATH, b"new")
    with pytest.raises(AlreadyExists):
        files.restore(PATH, PATH)
    assert (text(home), (home / "archive" / PATH).read_bytes()) == (b"new", b"old")


def test_a_rename_never_replaces(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"one")
    files.create("entities/people/bob.md", b"two")
    with pytest.raises(AlreadyExists):
        files.rename(PATH, "entities/people/bob.md")
    assert text(home, "entities/people/bob.md") == b"two"


def test_a_rename_may_change_case_alone(files: MemoryFiles, home: Path) -> None:
    files.create("entities/people/Alice.md", b"one")
    files.rename("entities/people/Alice.md", PATH)
    assert os.listdir(home / "memory/entities/people") == ["alice.md"]


def test_a_purge_takes_the_file_and_another_its_history(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"old")
    replace(files, b"new", b"old")
    files.archive(PATH)
    files.purge(PATH)
    files.purge_history(files.history(ID))
    assert [each for each in home.rglob("*") if each.is_file()] == []


# Recovering


def test_recovery_keeps_the_text_that_a_killed_update_took_out(files: MemoryFiles, home: Path) -> None:
    files.create(PATH, b"new")
    (home / f".clawbrain/tmp/u~{digest(b'old')[:12]}~{digest(b'new')[:12]}~{ID}").write_bytes(b"old")
    files.recover()
    assert len(files.recovered) == 1
    assert (texts_kept(files), temporaries(home)) == ([b"old"], [])


@pytest.mark.parametrize("name", ["c~0123~77", f"w~u~a~b~{ID}", "g~0123", "odd"])
def test_recovery_clears_away_what_never_got_a_name(files: MemoryFiles, home: Path, name: str) -> None:
    (home / ".clawbrain/tmp").mkdir(parents=True)
    (home / ".clawbrain/tmp" / name).write_bytes(b"half")
    files.recover()
    assert (files.recovered, temporaries(home)) == ([], [])


def test_recovery_of_nothing_says_nothing(files: MemoryFiles) -> None:
    files.recover()
    assert files.recovered == []
