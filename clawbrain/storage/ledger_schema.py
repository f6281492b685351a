"""The ledger's tables and their history.

A migration, once released, is never edited: a change is a new function at the end of MIGRATIONS. They run on a copy
that replaces the ledger when it is complete, so a migration that is killed leaves the old ledger as it was.
This module is imported only when a ledger is made or is older than this program, because importing sqlite-utils takes
time.
"""

import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from sqlite_utils import Database

from . import claim_marks, older_lives
from .evidence_table import any_text, rebuild
from .keep import Migration


def _first(db: Database) -> None:
    credit = {
        "id": str,
        "score": float,
        "access_count": int,
        "created_at": str,
        "last_accessed": str,
        "decay_rate": float,
        "stored_seq": int,
        "session_id": str,
        "touched_at": str,
        "signals": int,
        "path": str,
    }
    required = {
        "score",
        "access_count",
        "created_at",
        "decay_rate",
        "stored_seq",
        "touched_at",
        "signals",
        "path",
    }
    db.table("credit_records").create(credit, pk="id", not_null=required)
    db.table("credit_records").create_index(["stored_seq"], unique=True)
    db.table("archived_records").create(
        {"archive_path": str, **credit, "archived_at": str}, pk="archive_path", not_null=required | {"id"}
    )
    db.table("archived_records").create_index(["id"])
    db.table("credit_events").create(
        {
            "id": int,
            "memory_id": str,
            "event_type": str,
            "reward": float,
            "old_score": float,
            "new_score": float,
            "session_id": str,
            "created_at": str,
            "signal_id": str,
            "share": float,
            "expected": float,
            "rate": float,
            "days": float,
            "per_day": float,
            "floor": float,
        },
        pk="id",
        not_null={"memory_id", "event_type", "old_score", "new_score", "created_at"},
    )
    db.table("credit_events").create_index(["memory_id"])
    db.table("turn_records").create(
        {
            "seq": int,
            "id": str,
            "session_id": str,
            "retrieved_memory_ids": str,
            "searched_ids": str,
            "opened_ids": str,
            "outcome": str,
            "created_at": str,
        },
        pk="seq",
        not_null={"id", "session_id", "retrieved_memory_ids", "searched_ids", "opened_ids", "created_at"},
    )
    db.table("turn_records").create_index(["id"], unique=True)
    db.table("turn_records").create_index(["session_id", "seq"])
    db.table("contradictions").create(
        {
            "id": int,
            "memory_a_id": str,
            "memory_b_id": str,
            "description": str,
            "claim_a": str,
            "claim_b": str,
            "resolution": str,
            "resolved_at": str,
            "created_at": str,
        },
        pk="id",
        not_null={"memory_a_id", "memory_b_id", "description", "resolution", "created_at"},
        defaults={"resolution": "unresolved"},
    )
    db.table("contradictions").create_index(["memory_a_id"])
    db.table("contradictions").create_index(["memory_b_id"])
    db.table("lifecycle_log").create(
        {"id": int, "action": str, "target_ids": str, "details": str, "created_at": str, "run": str},
        pk="id",
        not_null={"action", "target_ids", "details", "created_at"},
    )
    db.table("runs").create(
        {"id": str, "plan": str, "done": int, "state": str, "created_at": str, "ended_at": str},
        pk="id",
        not_null={"plan", "done", "state", "created_at"},
    )
    db.table("run_steps").create(
        {"run": str, "number": int, "outcome": str, "undo": str},
        pk=("run", "number"),
        not_null={"outcome", "undo"},
    )
    db.table("promoted").create(
        {"episode_id": str, "fact_hash": str, "run": str, "created_at": str}, pk=("episode_id", "fact_hash")
    )
    db.table("sessions").create(
        {"id": str, "pid": int, "parent_pid": int, "parent_start": str, "opened_at": str, "closed_at": str},
        pk=("id", "pid"),
    )
    db.table("notes").create({"key": str, "value": str}, pk="key")


def _second(db: Database) -> None:
    db.table("archived_records").add_column("reactivations", int, not_null_default=0)


def _third(db: Database) -> None:
    """Keep the kind of a question with its turn, and work out the evidence by kind from the events."""
    db.table("turn_records").add_column("kind", str)
    for column, type in (("kind", str), ("step", float), ("detail", str)):
        db.table("credit_events").add_column(column, type)
    db.execute(
        """
        CREATE TABLE evidence (
            holder TEXT NOT NULL, number INTEGER NOT NULL, kind TEXT NOT NULL, x REAL NOT NULL, at TEXT NOT NULL,
            PRIMARY KEY (holder, number)) WITHOUT ROWID
        """
    )
    db.execute("CREATE UNIQUE INDEX evidence_by_number ON evidence (number)")
    rebuild(db.conn)


def _fourth(db: Database) -> None:
    """Rename the counter of how often an archived memory was asked for, in the plans of old runs as well."""
    db.execute("ALTER TABLE archived_records RENAME COLUMN reactivations TO asked_for")
    for id, plan in db.execute("SELECT id, plan FROM runs").fetchall():
        if (renamed := _renamed_in_plan(plan)) != plan:
            db.execute("UPDATE runs SET plan = ? WHERE id = ?", [renamed, id])


def _fifth(db: Database) -> None:
    """Keep with each turn where it came from: the program, its folder, the hook or search, its id of the session."""
    for column in ("client", "folder", "event", "program_session"):
        db.table("turn_records").add_column(column, str)


def _sixth(db: Database) -> None:
    """Tell the lives of an id apart, and keep claims without the secrets in them."""
    for table, columns in (
        ("credit_records", ("life",)),
        ("archived_records", ("life", "digest")),
        ("credit_events", ("life",)),
        ("contradictions", ("life_a", "life_b", "mark_a", "mark_b")),
    ):
        for column in sorted({*columns} - db.table(table).columns_dict.keys()):
            db.table(table).add_column(column, str)
    finish_load(db.conn)


MIGRATIONS: list[Migration] = [_first, _second, _third, _fourth, _fifth, _sixth]


def from_before(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a dumped row as today's tables hold it, whichever version of the program dumped it."""
    now = dict(row)
    if table == "archived_records" and "reactivations" in now:
        now.setdefault("asked_for", now.pop("reactivations"))
    if table == "runs" and "plan" in now:
        now["plan"] = _renamed_in_plan(now["plan"])
    return now


def finish_load(db: sqlite3.Connection) -> None:
    """Add to rows from an older ledger what does not follow from each alone: lives, and the hashes of claims."""
    with any_text(db):
        older_lives.assign(db)
        claim_marks.mark(db)


def _renamed_in_plan(plan: Any) -> Any:
    """Return the text of a plan with today's name of the counter; a plan that cannot be read is returned unchanged."""
    if not isinstance(plan, str) or '"reactivations"' not in plan:
        return plan
    try:
        read = json.loads(plan)
        for action in read["actions"]:
            if action["action"] == "restore" and "reactivations" in action:
                action["times"] = action.pop("reactivations")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return plan
    return json.dumps(read)
