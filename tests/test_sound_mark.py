"""The check of the ledger: left out by a hook where nothing has changed since the last one, and by nobody else."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from clawbrain.brain import open_brain, quickly
from clawbrain.storage import keep

Checks = Callable[[], int]


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Checks:
    """Count the thorough looks at a database since the last call."""
    told: list[str] = []
    connect = keep.connect

    def traced(*words: object) -> sqlite3.Connection:
        db = connect(*words)  # type: ignore[arg-type]
        db.set_trace_callback(lambda sql: told.append(sql) if "_check" in sql else None)
        return db

    def counted() -> int:
        found = len(told)
        told.clear()
        return found

    monkeypatch.setattr(keep, "connect", traced)
    return counted


@pytest.fixture
def filled(home: Path) -> Path:
    with open_brain(home) as brain:
        for number in range(50):
            brain.store("entity", f"note-{number}", f"Note {number}.", category="notes")
    return home


def opened_by_hook(home: Path) -> None:
    with quickly():
        open_brain(home).release()


def spoil(home: Path, *, secretly: bool) -> None:
    """Overwrite the roots of some tables in the ledger; secretly without another size, time or change counter."""
    path = home / ".clawbrain/ledger.db"
    before = path.stat()
    with closing(sqlite3.connect(path)) as db:
        page, roots = db.execute("PRAGMA page_size").fetchone()[0], db.execute("SELECT rootpage FROM sqlite_master")
        last = max(root for (root,) in roots)
    with path.open("r+b") as file:
        file.seek((last - 1) * page)
        file.write(b"\xff" * 64)
    if secretly:
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def set_aside(home: Path) -> bool:
    return any((home / ".clawbrain").glob("ledger.db.corrupt-*"))


def test_a_hook_checks_an_unchanged_ledger_no_second_time(filled: Path, checks: Checks) -> None:
    opened_by_hook(filled)
    checks()
    opened_by_hook(filled)
    assert checks() == 0


def test_a_hook_does_not_check_what_was_written_into_a_sound_ledger(filled: Path, checks: Checks) -> None:
    with open_brain(filled) as brain:
        brain.store("entity", "more", "More.", category="notes")
    checks()
    opened_by_hook(filled)
    assert checks() == 0


def test_a_server_and_a_command_always_check(filled: Path, checks: Checks) -> None:
    opened_by_hook(filled)
    checks()
    open_brain(filled).close()
    assert checks() == 1


@pytest.mark.parametrize("mark", [None, b"", b"nonsense", b"\xff"])
def test_a_hook_checks_where_no_mark_can_be_read(filled: Path, checks: Checks, mark: bytes | None) -> None:
    path = filled / ".clawbrain/ledger.sound"
    path.unlink()
    if mark is not None:
        path.write_bytes(mark)
    checks()
    opened_by_hook(filled)
    assert checks() == 1


def test_a_hook_finds_a_fault_that_came_from_outside(filled: Path) -> None:
    spoil(filled, secretly=False)
    opened_by_hook(filled)
    assert set_aside(filled)


def test_a_fault_that_shows_in_no_date_is_found_by_the_next_that_is_no_hook(filled: Path) -> None:
    spoil(filled, secretly=True)
    opened_by_hook(filled)
    assert not set_aside(filled)
    open_brain(filled).close()
    assert set_aside(filled)


def test_what_is_written_into_a_ledger_that_was_changed_outside_is_not_taken_for_sound(
    filled: Path, checks: Checks
) -> None:
    with open_brain(filled) as brain:
        spoiled = filled / ".clawbrain/ledger.db"
        os.utime(spoiled, ns=(1, 1))
        brain.store("entity", "more", "More.", category="notes")
    checks()
    opened_by_hook(filled)
    assert checks() == 1
