"""The values that a row of a dump may have, by table and column: a dump may have been edited, or made by somebody else.

The tables themselves take anything, and a path or a score that cannot be would only be met later.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..credit import SIGNALS
from ..credit_evidence import ARCHIVE, PURGE, RESTORE
from ..errors import Invalid
from ..memory.model import shown, spelled_id
from .sound import is_date, is_json

Test = Callable[[Any], bool]
_LARGEST = 1 << 62
_DEEPEST = 9  # parts of a path in the archive
_RESOLUTIONS = ("unresolved", "kept_a", "kept_b", "merged", "dismissed")


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _id(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 1_000 and value.isprintable() and "/" not in value


def _life(value: Any) -> bool:
    """Tell whether a value can be a life, after which a folder is named."""
    return isinstance(value, str) and bool(re.fullmatch(r"[0-9A-Za-z]{1,64}", value))


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _score(value: Any) -> bool:
    return _number(value) and 0 <= value <= 1


def _ids(value: Any) -> bool:
    listed = json.loads(value) if is_json(value) else None
    return isinstance(listed, list) and all(map(_text, listed))


def _memory_path(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and bool(spelled_id(value))


def _archive_path(value: Any) -> bool:
    if not (isinstance(value, str) and value.isprintable() and value.endswith(".md")):
        return False
    parts = value.split("/")
    return len(parts) <= _DEEPEST and not any(part in ("", ".", "..") for part in parts)


def _plan(value: Any) -> bool:
    """Tell whether a value is JSON in which every path, and every file of the history, is one that a home can have."""
    return is_json(value) and all(path == "" or test(path) for test, path in _paths_in(json.loads(value)))


def _paths_in(value: Any) -> Iterator[tuple[Test, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in _PATHS:
                yield _PATHS[key], inner
            else:
                yield from _paths_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _paths_in(inner)


def _place(value: Any) -> bool:
    return _archive_path(value) or _memory_path(value)


_PATHS = {"path": _place, "archive_path": _place, "version": _id}  # by the key they stand under in a plan


def _or_none(test: Test) -> Test:
    return lambda value: value is None or test(value)


def _one_of(*values: str) -> Test:
    return lambda value: isinstance(value, str) and value in values


_RECORD: dict[str, Test] = {
    "id": _id, "score": _score, "access_count": _count, "created_at": is_date, "last_accessed": _or_none(is_date),
    "decay_rate": _score, "stored_seq": _count, "session_id": _or_none(_text), "touched_at": is_date,
    "signals": _count, "path": _memory_path, "life": _or_none(_life),
}  # fmt: skip
_TABLES: dict[str, dict[str, Test]] = {
    "credit_records": _RECORD,
    "archived_records": _RECORD
    | {"archive_path": _archive_path, "archived_at": is_date, "asked_for": _count, "digest": _or_none(_text)},
    "credit_events": {
        "id": _count, "memory_id": _id, "event_type": _text, "old_score": _score, "new_score": _score,
        "session_id": _or_none(_text), "created_at": is_date, "signal_id": _or_none(_text), "kind": _or_none(_text),
        "detail": _or_none(_text), "life": _or_none(_life),
        **dict.fromkeys(("reward", "share", "expected", "rate", "days", "per_day", "floor", "step"), _or_none(_number)),
    },
    "turn_records": {
        "seq": _count, "id": _text, "session_id": _text, "retrieved_memory_ids": _ids, "searched_ids": _ids,
        "opened_ids": _ids, "outcome": _or_none(_one_of(*SIGNALS)), "created_at": is_date, "kind": _or_none(_text),
        **dict.fromkeys(("client", "folder", "event", "program_session"), _or_none(_text)),
    },
    "contradictions": {
        "id": _count, "memory_a_id": _id, "memory_b_id": _id, "description": _text, "claim_a": _or_none(_text),
        "claim_b": _or_none(_text), "resolution": _one_of(*_RESOLUTIONS), "resolved_at": _or_none(is_date),
        "created_at": is_date, "life_a": _or_none(_life), "life_b": _or_none(_life),
        "mark_a": _or_none(_text), "mark_b": _or_none(_text),
    },
    "lifecycle_log": {
        "id": _count, "action": _text, "target_ids": _ids, "details": _text, "created_at": is_date,
        "run": _or_none(_text),
    },
    "runs": {
        "id": _text, "plan": _plan, "done": _count, "state": _one_of("running", "done", "undone"),
        "created_at": is_date, "ended_at": _or_none(is_date),
    },
    "run_steps": {"run": _text, "number": _count, "outcome": _text, "undo": _plan},
    "promoted": {"episode_id": _id, "fact_hash": _text, "run": _or_none(_text), "created_at": _or_none(is_date)},
    "notes": {"key": _text, "value": _or_none(_text)},
}  # fmt: skip


def check(table: str, row: Mapping[str, Any]) -> None:
    """Raise Invalid where a row of a dump belongs to no table, or has a column or a value that cannot be."""
    tests = _TABLES.get(table) if isinstance(table, str) else None
    if tests is None or not row.keys() <= tests.keys():
        raise Invalid(f"the dump holds a row that this ledger has no place for (table {shown(str(table))}).")
    for column, value in row.items():
        if not tests[column](value):
            raise _impossible(table, column, value)
    names_a_place = table == "credit_events" and row.get("event_type") in (ARCHIVE, RESTORE, PURGE)
    if names_a_place and not _or_none(_archive_path)(row.get("detail")):
        raise _impossible(table, "detail", row.get("detail"))


def _impossible(table: str, column: str, value: Any) -> Invalid:
    said = shown(value if isinstance(value, str) else json.dumps(value, default=str), 40)
    return Invalid(f"the dump holds a row of {table} that cannot be ({column}: {said}); nothing was loaded.")
