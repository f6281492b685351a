"""Loading a dump: a row that cannot be is refused, and then nothing is loaded."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from clawbrain.brain import Brain
from clawbrain.errors import ClawbrainError

ALICE = "entity-people-alice"


@pytest.fixture
def dumped(brain: Brain) -> list[dict[str, Any]]:
    """The rows of a ledger with something in every table."""
    brain.store("entity", "alice", "The API server listens on port 4000.", category="people")
    brain.store("entity", "bob", "The API server listens on port 8000.", category="people")
    brain.store("entity", "gone", "Old.", category="people")
    brain.archive("entity-people-gone")
    for name in ("one", "two", "three"):
        brain.store(
            "episode", name, f"Debugged the auth session timeout of the login service, part {name}.", tags=["auth"]
        )
    brain.search("port")
    brain.feedback("task_completed")
    brain.compact()
    return [json.loads(line) for line in brain.ledger_text.dump()]


def load(brain: Brain, rows: list[dict[str, Any]]) -> None:
    brain.ledger_text.load([json.dumps(row) for row in rows], replace=True)


def test_what_was_dumped_is_loaded(dumped: list[dict[str, Any]], opened: Callable[..., Brain]) -> None:
    load(opened(), dumped)
    assert {row["table"] for row in dumped} >= {
        "credit_records", "archived_records", "credit_events", "turn_records", "contradictions", "lifecycle_log",
        "runs", "run_steps", "notes",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("credit_records", "path", "../../x"),
        ("credit_records", "path", "/etc/passwd"),
        ("credit_records", "path", "entities/../x.md"),
        ("credit_records", "score", True),
        ("credit_records", "score", "0.5"),
        ("credit_records", "score", 1.5),
        ("credit_records", "score", float("nan")),
        ("credit_records", "score", None),
        ("credit_records", "id", ""),
        ("credit_records", "id", "../../x"),
        ("credit_records", "id", ["entity-people-alice"]),
        ("credit_records", "access_count", -1),
        ("credit_records", "access_count", True),
        ("credit_records", "access_count", 2**70),
        ("credit_records", "stored_seq", 1.5),
        ("credit_records", "created_at", "yesterday"),
        ("credit_records", "life", 7),
        ("credit_records", "life", "../../x"),
        ("archived_records", "life", "a\0b"),
        ("contradictions", "life_b", "a/b"),
        ("run_steps", "undo", '{"survivor": {"version": "../../../../x.md"}}'),
        ("archived_records", "archive_path", "../memory/entities/people/alice.md"),
        ("archived_records", "archive_path", "/etc/passwd"),
        ("archived_records", "archive_path", "/etc/passwd.md"),
        ("archived_records", "asked_for", "many"),
        ("credit_events", "new_score", False),
        ("credit_events", "reward", "much"),
        ("credit_events", "event_type", 5),
        ("credit_events", "created_at", 20260225),
        ("turn_records", "retrieved_memory_ids", "{}"),
        ("turn_records", "outcome", "happy"),
        ("contradictions", "resolution", "perhaps"),
        ("contradictions", "claim_a", 5),
        ("lifecycle_log", "target_ids", "[1]"),
        ("runs", "state", "lost"),
        ("runs", "plan", '{"actions": [{"archive_path": "../../x.md"}]}'),
        ("run_steps", "undo", '{"path": "/etc/passwd"}'),
        ("notes", "value", 5),
        ("credit_records", "colour", "red"),
    ],
)
def test_a_row_that_cannot_be_is_refused_and_nothing_is_loaded(
    dumped: list[dict[str, Any]], opened: Callable[..., Brain], table: str, column: str, value: object
) -> None:
    brain = opened()
    brain.ledger.set_note("mine", "before")
    rows = [dict(row) for row in dumped]
    next(row for row in rows if row["table"] == table)[column] = value
    before = list(brain.ledger_text.dump())
    with pytest.raises(ClawbrainError):
        load(brain, rows)
    assert list(brain.ledger_text.dump()) == before
