"""`safety.secrets` holds for whatever is written: texts, header values, names, plain files, claims, the audit log."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock
from profile_door import Door

from clawbrain.brain import Brain
from clawbrain.brain.history import Message
from clawbrain.errors import ClawbrainError, Invalid
from clawbrain.memory.model import Memory
from clawbrain.profiles.being.patrols import Patrols
from clawbrain.profiles.being.scenes import Scenes

TOKEN, OTHER = "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_26C7e42F292c6912E7710c838347Ae178B4a"
SPELLED = "glpat-abcdefghij0123456789"  # may be a name as it is


def policy(home: Path, word: str) -> None:
    (home / "STRATEGY.md").write_text(f"# Strategy\n\n```yaml settings\nsafety:\n  secrets: {word}\n```\n")


def on_disk(home: Path) -> str:
    """Return all that the files of a home say, names included, as a search for a secret sees it."""
    found = [file for file in home.rglob("*") if file.is_file()]
    return "".join(f"{file.name}\n{file.read_bytes().decode(errors='replace')}" for file in found)


def holds_secret(home: Path) -> list[str]:
    said = on_disk(home).lower().replace("_", "-")
    return [secret for secret in (TOKEN, OTHER, SPELLED) if secret[:20].lower().replace("_", "-") in said]


Call = tuple[str, str, dict[str, Any]]
CALLS: list[Call] = [
    ("clawbrain", "memory_store", {"type": "entity", "category": "people", "name": "a", "content": f"It is {TOKEN}."}),
    ("clawbrain", "memory_store", {"type": "episode", "name": "a", "content": "x", "tags": [SPELLED]}),
    ("clawbrain", "memory_store", {"type": "entity", "category": "people", "name": SPELLED, "content": "x"}),
    ("penfield", "store", {"content": f"Our token is {TOKEN} in production."}),
    ("penfield", "store", {"content": "A fact.", "tags": [TOKEN]}),
    ("penfield", "save_artifact", {"path": "/notes.txt", "content": f"token {TOKEN}"}),
    ("penfield", "save_artifact", {"path": f"/{TOKEN}.txt", "content": "fine"}),
    ("memory", "create_entities", {"entities": [{"name": TOKEN, "entityType": "key", "observations": ["one"]}]}),
    ("memory", "create_entities", {"entities": [{"name": "a", "entityType": TOKEN, "observations": [f"is {TOKEN}"]}]}),
    ("memory", "create_relations", {"relations": [{"from": "a", "to": "b", "relationType": TOKEN}]}),
    ("mama", "save", {"type": "decision", "topic": TOKEN, "decision": "Use it", "reasoning": f"because {TOKEN}"}),
]  # fmt: skip


@pytest.mark.parametrize("word", ["refuse", "redact"])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[1]}-{len(str(call[2]))}")
def test_no_tool_writes_a_secret(brain: Brain, home: Path, word: str, call: Call) -> None:
    policy(home, word)
    profile, tool, arguments = call
    door = Door(brain, profile)
    if tool == "create_relations":
        door("create_entities", entities=[{"name": n, "entityType": "t", "observations": []} for n in "ab"])
    answer = door.answer(tool, **arguments)
    brain.close()
    assert holds_secret(home) == []
    if word == "refuse":
        assert answer.is_error


def test_a_name_made_of_a_text_does_not_spell_its_secret(brain: Brain, home: Path) -> None:
    policy(home, "redact")
    Door(brain, "penfield")("store", content=f"{TOKEN} is the token of the build machine.")
    [id] = brain.index.ids()
    assert "redacted-github-token" in id


def test_an_edit_of_a_header_value_is_looked_at_alone(brain: Brain, home: Path, write: Callable[..., Path]) -> None:
    write("entities/people/a.md", f"---\nnote: mine\n---\n\nIt is {TOKEN}.\n")
    policy(home, "refuse")
    brain.owner.pin("entity-people-a")
    changed = brain.amend("entity-people-a", lambda now: _with(now, "note", "yours"))
    assert TOKEN in changed.content
    with pytest.raises(Invalid, match="secret"):
        brain.amend("entity-people-a", lambda now: _with(now, "note", OTHER))


def _with(memory: Memory, key: str, value: str) -> Memory:
    return replace(memory, extra={**memory.extra, key: value})


@pytest.mark.parametrize("word", ["refuse", "redact"])
def test_a_tag_and_a_new_name_hold_none(brain: Brain, home: Path, word: str) -> None:
    policy(home, word)
    brain.store("entity", "a", "x", category="people")
    for verb in (
        lambda: brain.owner.tag("entity-people-a", [SPELLED]),
        lambda: brain.owner.move("entity-people-a", SPELLED),
    ):
        with pytest.raises(Invalid, match="secret"):
            verb()
    assert holds_secret(home) == []


def test_an_import_redacts_where_secrets_are_refused(brain: Brain, home: Path) -> None:
    policy(home, "refuse")
    brain.adopt(Memory("", "entity", "people", "a", "", f"It is {TOKEN}.", created="2026-01-01", updated="2026-01-01"))
    assert "[redacted: GitHub token]" in brain.find("entity-people-a").content
    assert any("GitHub token" in said for said in brain.take_warnings())


def test_messages_are_redacted_and_that_is_said(brain: Brain, home: Path) -> None:
    policy(home, "refuse")
    brain.history.add([Message("one", "user", f"It is {TOKEN}.", "2026-01-01T00:00:00Z", title=TOKEN)])
    brain.close()
    assert holds_secret(home) == []
    assert any("GitHub token" in said for said in brain.take_warnings())


def test_a_patrol_redacts_where_secrets_are_refused(brain: Brain, home: Path) -> None:
    policy(home, "refuse")
    messages = [{"role": "user", "content": f"It is {TOKEN}."}, {"role": "assistant", "content": "Noted."}]
    Patrols(Scenes(brain)).patrol(messages)
    brain.close()
    assert holds_secret(home) == []


def test_what_a_person_wrote_is_shown_and_retrieved_word_for_word(
    brain: Brain, home: Path, write: Callable[..., Path]
) -> None:
    policy(home, "redact")
    write("entities/people/a.md", f"It is {TOKEN}.\n")
    assert brain.retrieve("entity-people-a").memory.content == f"It is {TOKEN}."


def test_the_audit_log_holds_none(brain: Brain, home: Path) -> None:
    brain.audit.note("clawbrain", TOKEN, {"name": OTHER, TOKEN: 1}, {"x": [f"y {TOKEN}"]}, success=True, duration_ms=1)
    brain.close()
    assert holds_secret(home) == []


# Claims


@pytest.fixture
def torn(brain: Brain) -> Brain:
    """A memory that says another token than before."""
    brain.store("entity", "keys", f"The token is {TOKEN} now. Ann is here.", category="projects")
    brain.update("entity-projects-keys", f"The token is {OTHER} now. Ann is here.")
    return brain


def test_claims_are_kept_and_answered_without_secrets(torn: Brain, home: Path) -> None:
    [row] = torn.conflicts.open()
    assert row.claim_a == row.claim_b == "The token is [redacted: GitHub token] now."
    assert TOKEN not in str(row) and TOKEN not in "".join(torn.ledger_text.dump())
    updated = torn.update("entity-projects-keys", f"The token is {TOKEN[:-1]}z now. Ann is here.")
    assert updated.contradictions and not any("ghp_" in said for _, said in updated.contradictions)
    torn.close()
    ledger = (home / ".clawbrain/ledger.db").read_bytes().decode(errors="replace")
    assert TOKEN not in ledger and OTHER not in ledger


def test_the_same_two_tokens_are_one_contradiction_and_others_another(torn: Brain) -> None:
    for token in (TOKEN, OTHER, TOKEN):
        torn.update("entity-projects-keys", f"The token is {token} now. Ann is here.")
    assert len(torn.conflicts.open()) == 1
    torn.update("entity-projects-keys", f"The token is {TOKEN[:-1]}z now. Ann is here.")
    assert len(torn.conflicts.open()) == 2


def test_a_claim_with_a_secret_is_found_again_and_put_back(torn: Brain) -> None:
    [row] = torn.conflicts.open()
    torn.conflicts.resolve(row.id, "kept_b")
    assert torn.find("entity-projects-keys").content == f"The token is {TOKEN} now. Ann is here."


def test_a_claim_with_a_secret_is_taken_out(brain: Brain) -> None:
    brain.store("entity", "one", f"The token of the API server is {TOKEN} now. Ann.", category="projects")
    brain.store("entity", "two", f"The token of the API server is {OTHER} now. Bob.", category="projects")
    [row] = brain.conflicts.open()
    brain.conflicts.resolve(row.id, "kept_a")
    assert brain.find("entity-projects-one").content == "Ann." and OTHER in brain.find("entity-projects-two").content


def test_a_claim_that_changed_is_not_taken_for_the_one_that_was_kept(torn: Brain) -> None:
    [row] = torn.conflicts.open()
    torn.update("entity-projects-keys", f"The token is {TOKEN[:-1]}z now. Ann is here.")
    with pytest.raises(ClawbrainError, match="no longer"):
        torn.conflicts.resolve(row.id, "kept_b")


def test_stored_claims_and_audit_rows_are_redacted_by_a_migration(
    torn: Brain, home: Path, clock: Clock, opened: Callable[..., Brain]
) -> None:
    torn.audit.note("clawbrain", "x", {}, {}, success=True, duration_ms=1)
    torn.close()
    with closing(sqlite3.connect(home / ".clawbrain/ledger.db")) as db:
        db.execute("UPDATE contradictions SET claim_a = ?, claim_b = ?, description = ?", (
            f"The token is {OTHER} now.", f"The token is {TOKEN} now.", f"“{OTHER}” in one, “{TOKEN}” in the other."
        ))  # fmt: skip
        for column in ("life_a", "life_b", "mark_a", "mark_b"):
            db.execute(f"ALTER TABLE contradictions DROP COLUMN {column}")
        for table, column in (
            ("credit_records", "life"),
            ("archived_records", "life"),
            ("archived_records", "digest"),
            ("credit_events", "life"),
        ):
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        db.execute("DELETE FROM notes WHERE key = 'key_of_claims'")
        db.execute("PRAGMA user_version = 5")
        db.commit()
    [shelf] = (home / ".clawbrain/history").iterdir()
    shelf.rename(shelf.with_name("entity-projects-keys"))
    with closing(sqlite3.connect(home / ".clawbrain/records.db")) as db:
        row = (TOKEN, json.dumps({"name": OTHER}), json.dumps([f"x {TOKEN}"]))
        db.execute("UPDATE audit SET tool = ?, arguments = ?, result = ?", row)
        for column in ("user", "workspace", "token"):
            db.execute(f"ALTER TABLE audit DROP COLUMN {column}")
        db.execute("PRAGMA user_version = 1")
        db.commit()
    brain = opened()
    [call] = brain.audit.calls()
    assert call.arguments == {"name": "[redacted: GitHub token]"} and TOKEN not in call.tool + str(call.result)
    [conflict] = brain.conflicts.open()
    brain.conflicts.resolve(conflict.id, "kept_b")
    assert brain.find("entity-projects-keys").content == f"The token is {TOKEN} now. Ann is here."
    assert TOKEN not in conflict.description + "".join(brain.ledger_text.dump())
