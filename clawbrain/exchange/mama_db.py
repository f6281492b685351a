"""Read MAMA's database: decisions with their edges, and checkpoints.

They become memories as the `mama` profile stores them, so that its tools continue where MAMA stopped. The database is
opened for reading only; columns that a version of MAMA lacks are read as empty, and only plain tables are read.
"""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import foreign_sqlite
from ..errors import Invalid
from ..memory.model import shown, stamp
from ..profiles.mama import texts as decisions
from .draft import Draft, Gaps, Tie
from .files import opened

_MAGIC = b"SQLite format 3\0"
_KEPT = ("limitation", "evidence", "alternatives", "risks", "user_involvement", "session_id")
_MAX_FIELD = 4 * 1_048_576

Row = Mapping[str, Any]


def recognises(path: Path) -> bool:
    """Tell whether a file is an SQLite database."""
    if not path.is_file():
        return False
    with opened(path) as file:
        return file.read(len(_MAGIC)) == _MAGIC


def read(path: Path, gaps: Gaps) -> list[Draft]:
    """Return drafts of all decisions and checkpoints; raise Invalid for a database that is not MAMA's."""
    opened(path).close()  # raises Invalid unless it is a plain file of a sane size
    try:
        with foreign_sqlite.opened(path) as db:
            db.row_factory = sqlite3.Row
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_FIELD)
            if "decisions" not in _tables(db):
                raise Invalid(f"{shown(path.name)} is a database, but none of MAMA's: it has no table `decisions`.")
            ties = _ties(db)
            drafts = [_decision(row, ties) for row in _rows(db, "decisions", gaps) if _sound(row, gaps)]
            return drafts + [_checkpoint(row) for row in _rows(db, "checkpoints", gaps) if _sound(row, gaps)]
    except sqlite3.Error as error:
        raise Invalid(f"{shown(path.name)} cannot be read as a database: {error}.") from None


def _tables(db: sqlite3.Connection) -> set[str]:
    """Return the names of plain tables only, because a view or a virtual table can run code that its author chose."""
    rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'create virtual%'")
    return {row[0] for row in rows}


def _rows(db: sqlite3.Connection, table: str, gaps: Gaps) -> Iterator[Row]:
    if table not in _tables(db):
        gaps(table, "the database has no such table")
        return
    for row in db.execute(f"SELECT * FROM {table}"):
        yield {key: "" if row[key] is None else row[key] for key in row.keys()} | {"table": table}  # noqa: SIM118


def _sound(row: Row, gaps: Gaps) -> bool:
    """Tell whether a row has the columns it needs, and note those it lacks."""
    needed = ("id", "topic", "decision") if row["table"] == "decisions" else ("id", "summary")
    lacking = [key for key in needed if isinstance(row.get(key, ""), bytes) or row.get(key, "") == ""]
    if lacking:
        gaps(f"{row['table']} {str(row.get('id', ''))[:80]}", f"has no {' and no '.join(lacking)}")
    return not lacking


def _ties(db: sqlite3.Connection) -> dict[str, list[Tie]]:
    """Return the edges of each decision."""
    found: dict[str, list[Tie]] = {}
    if "decision_edges" in _tables(db):
        for row in _rows(db, "decision_edges", Gaps()):
            tie = Tie(str(row["relationship"]), str(row["to_id"]), _number(row.get("weight"), 0.5))
            found.setdefault(str(row["from_id"]), []).append(tie._replace(made=_when(row.get("created_at"))))
    return found


def _decision(row: Row, ties: Mapping[str, list[Tie]]) -> Draft:
    id, topic, text = str(row["id"]), str(row["topic"]), str(row["decision"])
    found = list(ties.get(id, ()))
    if row.get("supersedes") and not any(tie.relation == decisions.SUPERSEDES for tie in found):
        found.insert(0, Tie(decisions.SUPERSEDES, str(row["supersedes"]), 1.0))
    extra = {
        "kind": decisions.DECISION,
        "title": topic,
        "topic": topic,
        "confidence": f"{_number(row.get('confidence'), 0.5):g}",
        "status": decisions.SUPERSEDED if row.get("superseded_by") else decisions.CURRENT,
        "outcome": str(row.get("outcome", "")),
        "outcome_reason": str(row.get("failure_reason", "")),
        **{key: str(row[key]) for key in _KEPT if row.get(key)},
    }
    return Draft(
        origin=f"mama:{id}",
        name=id.removeprefix("decision_").strip("_"),
        content=decisions.written(topic, text, str(row.get("reasoning", ""))),
        category="decisions",
        created=_when(row.get("created_at")),
        updated=_when(row.get("updated_at")),
        extra={key: value for key, value in extra.items() if value},
        ties=found,
        known_as=[id],
        where=f"decisions {id}",
    )


def _checkpoint(row: Row) -> Draft:
    number, made = str(row["id"]), _when(row.get("timestamp"))
    said = str(row["summary"]), str(row.get("next_steps", "")), _listed(row.get("open_files"))
    return Draft(
        origin=f"mama:checkpoint_{number}@{made}",
        name=f"checkpoint-{number}",
        content=decisions.checkpoint_written(int(number) if number.isdigit() else 0, *said),
        type="episode",
        created=made,
        updated=made,
        extra={"kind": decisions.CHECKPOINT, "title": f"Checkpoint {number}"},
        known_as=[f"checkpoint_{number}"],
        where=f"checkpoints {number}",
    )


def _listed(value: Any) -> list[str]:
    try:
        found = json.loads(value) if value else []
    except (ValueError, RecursionError, TypeError):
        found = [str(value)]
    return [str(each) for each in found] if isinstance(found, list) else [str(found)]


def _number(value: Any, otherwise: float) -> float:
    return min(1.0, max(0.0, float(value))) if isinstance(value, int | float) and value == value else otherwise


def _when(value: Any) -> str:
    """Return a date given in milliseconds or, in MAMA's older rows, in seconds; '' for anything else."""
    if not isinstance(value, int | float) or value <= 0:
        return ""
    try:
        return stamp(datetime.fromtimestamp(value / 1000 if value > 100_000_000_000 else value, UTC))
    except (OverflowError, ValueError, OSError):
        return ""
