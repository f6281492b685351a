"""`check` looks at every file and every row, says what to do, and repairs only what is safe to repair."""

import re
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from conftest import Clock

from clawbrain.brain import Brain, open_brain
from clawbrain.cli import command_line
from clawbrain.errors import Invalid
from clawbrain.storage.sync import RACY

ALICE = "entity-people-alice"


@pytest.fixture
def kept(home: Path, clock: Clock) -> Path:
    with open_brain(home, session="s", clock=clock) as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
        brain.store("entity", "old", "Tabs.", category="preferences")
        brain.archive("entity-preferences-old")
        brain.retrieve(ALICE)
        brain.feedback("task_completed")
        brain.write_digest()
    return home


def change(home: Path, sql: str) -> None:
    db = sqlite3.connect(home / ".clawbrain/ledger.db")
    db.executescript(sql)
    db.close()


def findings(home: Path, clock: Clock) -> list[tuple[str, bool]]:
    with open_brain(home, clock=clock) as brain:
        return [(f"{found.where}: {found.what}", found.fault) for found in brain.checks.check()]


def repaired(home: Path, clock: Clock) -> list[str]:
    with open_brain(home, clock=clock) as brain:
        return brain.checks.repair()


def status(home: Path, *words: str) -> int:
    return CliRunner().invoke(command_line, ["--home", str(home), "check", *words]).exit_code


def test_a_sound_home_has_nothing_to_say(kept: Path, clock: Clock) -> None:
    assert findings(kept, clock) == []


def test_a_file_without_an_id_that_was_renamed_gets_its_credit_back_by_the_line_that_is_named(
    kept: Path, clock: Clock
) -> None:
    before, after = kept / "memory/entities/people/bob.md", kept / "memory/entities/people/robert.md"
    before.write_text("Bob likes coffee.\n")
    with open_brain(kept, session="s", clock=clock) as brain:
        brain.retrieve("entity-people-bob")
        brain.feedback("task_completed")
        earned = brain.credits(["entity-people-bob"])["entity-people-bob"].score
    before.rename(after)
    [said] = [said for said, _ in findings(kept, clock) if said.startswith("entity-people-bob: ")]
    [line] = re.findall("`(id: .*?)`", said)
    after.write_text(f"---\n{line}\n---\n\n{after.read_text()}")
    with open_brain(kept, clock=clock) as brain:
        assert brain.credits(["entity-people-bob"])["entity-people-bob"].score == earned > 0.5
    assert [said for said, _ in findings(kept, clock) if "people-" in said and "digest" not in said] == [
        "entity-people-robert: its file, entities/people/robert.md, has the id 'entity-people-bob' now; "
        "its credit waits for it"
    ]


def test_a_digest_that_is_a_link_is_nobodys_page(kept: Path, clock: Clock, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.md").write_text("text")
    (kept / "memory/MEMORY.md").unlink()
    (kept / "memory/MEMORY.md").symlink_to(tmp_path / "elsewhere.md")
    assert not [said for said, _ in findings(kept, clock) if "older" in said]


def test_a_sound_home_ends_with_zero(kept: Path) -> None:
    assert status(kept) == 0


# Faults: somebody has to do something


def unreadable_file(home: Path) -> None:
    (home / "memory/entities/people/odd.md").write_bytes(b"---\nid: [\n---\n")


def link_for_a_file(home: Path) -> None:
    (home / "memory/entities/people/odd.md").symlink_to("alice.md")


def misplaced_file(home: Path) -> None:
    (home / "memory/loose.md").write_text("Lies about.\n")


def conflict_copy(home: Path) -> None:
    (home / "memory/entities/people/alice.conflict-20260225T100000Z.md").write_text("Mine.\n")


def same_id_twice(home: Path) -> None:
    text = (home / "memory/entities/people/alice.md").read_bytes()
    (home / "memory/entities/people/alice-copy.md").write_bytes(text)


def linked_folder(home: Path) -> None:
    (home / "archive").rename(home / "elsewhere")
    (home / "archive").symlink_to(home / "elsewhere")


def archived_link(home: Path) -> None:
    (home / "archive/entities/preferences/odd.md").symlink_to("old.md")


def bad_setting(home: Path) -> None:
    with (home / "STRATEGY.md").open("a") as page:
        page.write("\n```yaml\npruning:\n  max_score: much\n```\n")


def score_that_does_not_follow(home: Path) -> None:
    change(home, "UPDATE credit_records SET score = 0.9 WHERE id = 'entity-people-alice'")


def row_that_cannot_be(home: Path) -> None:
    change(home, "UPDATE credit_records SET created_at = 'yesterday'")


def turn_that_cannot_be_read(home: Path) -> None:
    change(home, "UPDATE turn_records SET searched_ids = '[\"a'")


FAULTS = [
    unreadable_file, link_for_a_file, misplaced_file, conflict_copy, same_id_twice, linked_folder, archived_link,
    bad_setting, score_that_does_not_follow, row_that_cannot_be, turn_that_cannot_be_read,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_one_line_and_ends_with_three(kept: Path, clock: Clock, fault: Callable[[Path], None]) -> None:
    fault(kept)
    said = [line for line, broken in findings(kept, clock) if broken]
    assert len(said) == 1 and "\n" not in said[0], said
    assert status(kept) == 3


def test_a_link_in_the_sidecar_is_a_fault(kept: Path, clock: Clock) -> None:
    (kept / ".clawbrain/lock").rename(kept / "elsewhere")
    (kept / ".clawbrain/lock").symlink_to(kept / "elsewhere")
    (said,) = [line for line, broken in findings(kept, clock) if broken]
    assert ".clawbrain/lock is a link" in said


@pytest.mark.parametrize("fault", FAULTS)
def test_repair_neither_drops_nor_changes_what_people_wrote(
    kept: Path, clock: Clock, fault: Callable[[Path], None]
) -> None:
    fault(kept)
    before = {path: path.read_bytes() for path in kept.rglob("*.md") if path.is_file() and path.name != "MEMORY.md"}
    rows = len(list(dumped(kept, clock)))
    repaired(kept, clock)
    assert {path: path.read_bytes() for path in before} == before
    assert len(list(dumped(kept, clock))) >= rows


def dumped(home: Path, clock: Clock) -> list[str]:
    with open_brain(home, clock=clock) as brain:
        return list(brain.ledger_text.dump())


# Notes: worth knowing, and nothing is broken


def missing_file(home: Path) -> None:
    (home / "memory/entities/people/alice.md").unlink()


def missing_in_the_archive(home: Path) -> None:
    (home / "archive/entities/preferences/old.md").unlink()


def stale_digest(home: Path) -> None:
    (home / "memory/MEMORY.md").write_text("# Of last year\n")


def ledger_set_aside(home: Path) -> None:
    (home / ".clawbrain/ledger.db.corrupt-20260225T100000Z").write_bytes(b"x")


def bad_backup(home: Path) -> None:
    (home / ".clawbrain/backups/ledger-20260101T000000Z.db").write_bytes(b"x" * 100)


def readable_by_others(home: Path) -> None:
    (home / ".clawbrain/ledger.db").chmod(0o644)


def ending_otherwise(home: Path) -> None:
    (home / "memory/entities/people/Dora.MD").write_text("Likes tea.\n")


NOTES = [
    ending_otherwise,
    missing_file,
    missing_in_the_archive,
    stale_digest,
    ledger_set_aside,
    bad_backup,
    readable_by_others,
]


@pytest.mark.parametrize("note", NOTES)
def test_a_note_is_said_and_ends_with_zero(kept: Path, clock: Clock, note: Callable[[Path], None]) -> None:
    note(kept)
    said = findings(kept, clock)
    assert said and not any(broken for _, broken in said), said
    assert status(kept) == 0


# Repair


def test_what_others_may_read_is_closed_to_them(kept: Path, clock: Clock) -> None:
    readable_by_others(kept)
    assert "closed .clawbrain/ledger.db to others" in repaired(kept, clock)
    assert findings(kept, clock) == []


def test_a_text_changed_behind_the_index_is_found_and_indexed(kept: Path, clock: Clock) -> None:
    """Though stat says that nothing changed."""
    time.sleep(2 * RACY)
    with open_brain(kept, clock=clock) as brain:
        brain.sync(now=True)
        db = sqlite3.connect(kept / ".clawbrain/index.db")
        with db:
            db.execute("UPDATE files SET digest = 'another' WHERE path LIKE '%alice.md'")
        db.close()
        assert [found.where for found in brain.checks.check()] == ["memory/entities/people/alice.md"]
        assert brain.checks.repair() == ["indexed 1 files anew"]
        assert brain.checks.check() == []


def test_a_stale_digest_is_written_anew(kept: Path, clock: Clock) -> None:
    stale_digest(kept)
    assert "wrote memory/MEMORY.md anew" in repaired(kept, clock)
    assert findings(kept, clock) == []


def test_files_brought_by_hand_are_noted_in_one_line_and_adopted(kept: Path, clock: Clock) -> None:
    for name in ("dora", "emil", "fay"):
        (kept / f"memory/entities/people/{name}.md").write_text(f"{name} was brought by hand.\n")
    with open_brain(kept, clock=clock) as brain:
        [found] = [found for found in brain.checks.check() if "credit record" in found.what]
        assert "entity-people-dora and 2 more: they have no credit record yet" in found.what and not found.fault
        assert any("adopted 3" in line for line in brain.checks.repair())


def test_what_a_killed_process_left_is_cleared_away(kept: Path, clock: Clock, brain: Brain) -> None:
    (kept / ".clawbrain/tmp/c~0123~77").write_bytes(b"half")
    assert any("killed" in found.what for found in brain.checks.check())
    brain.checks.repair()
    assert not any("killed" in found.what for found in brain.checks.check())


def test_a_dump_with_a_row_that_cannot_be_is_refused_whole(kept: Path, clock: Clock) -> None:
    rows = [row.replace('"score": 0.', '"score": "much", "x": 0.') for row in dumped(kept, clock)]
    with open_brain(kept, clock=clock) as brain:
        with pytest.raises(Invalid, match=r"nothing was loaded|no place"):
            brain.ledger_text.load(rows, replace=True)
        assert brain.credits()[ALICE].signals == 1


def test_a_folder_of_homes_is_checked_home_by_home(tmp_path, capsys):
    for name in ("ada", "bob"):
        with open_brain(tmp_path / name) as brain:
            brain.store("entity", "tea", "Ada drinks tea.", category="preferences")
    (tmp_path / "bob/memory/entities/broken.md").write_text("---\nid: x\nid: y\n---\n\nTwo ids.\n")
    run = CliRunner().invoke(command_line, ["check", "--homes", str(tmp_path)])
    assert run.exit_code == 3
    assert "fault: bob: " in run.output
    assert "ada: " not in run.output
    alone = CliRunner().invoke(command_line, ["check", "--homes", str(tmp_path), "--workspace", "ada"])
    assert (alone.exit_code, alone.output) == (0, "Nothing is broken.\n")
    none = CliRunner().invoke(command_line, ["check", "--homes", str(tmp_path), "--workspace", "eve"])
    assert none.exit_code == 1


def test_a_file_that_is_broken_is_not_called_missing(opened, home):
    with opened() as brain:
        brain.store("entity", "tea", "Ada drinks tea.", category="preferences")
    (home / "memory/entities/preferences/tea.md").write_text("---\nid: x\n")
    with opened() as brain:
        brain.sync(now=True)
        found = brain.checks.check()
    assert [finding.where for finding in found if finding.fault] == ["memory/entities/preferences/tea.md"]
    assert not [finding for finding in found if "missing" in finding.what]


@pytest.mark.parametrize("verb", ["check", "audit"])
def test_a_folder_of_homes_that_is_not_there_is_refused_with_advice(tmp_path: Path, verb: str) -> None:
    run = CliRunner().invoke(command_line, [verb, "--homes", str(tmp_path / "nothing")])
    assert run.exit_code == 1
    assert "holds no homes; name the folder that `serve --homes` serves" in " ".join(run.stderr.split())
