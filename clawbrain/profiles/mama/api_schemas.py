"""The schemas of what MAMA's HTTP API takes and answers, where several endpoints have them in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .tools import LIMITS

if TYPE_CHECKING:
    from ..shared.endpoints import Schema

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
FLAG: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT}
TRUE: Schema = {"const": True}
NO_BLANK = r"\S"


def words(most: int = 0) -> Schema:
    """Return the schema of a text with something in it, of at most so many characters."""
    return {"type": "string", "minLength": 1, "pattern": NO_BLANK, **({"maxLength": most} if most else {})}


def record(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with just these parts."""
    parts: dict[str, Any] = {**required, **(optional or {})}
    return {"type": "object", "properties": parts, "required": [*required], "additionalProperties": False}


def rows(of: Schema) -> Schema:
    """Return the schema of a list."""
    return {"type": "array", "items": of}


REFUSAL = record({"error": TRUE, "code": TEXT, "message": TEXT})

DECISION: Mapping[str, Schema] = {
    "id": TEXT,
    "topic": TEXT,
    "decision": TEXT,
    "reasoning": TEXT,
    "confidence": SHARE,
    "created_at": WHOLE,
    "outcome": {"type": ["string", "null"]},
}
"""The parts of a decision that every list of them has; `created_at` is in seconds."""

_EDGE = {"related_to": TEXT, "edge_reason": TEXT}
FOUND = record(
    {**DECISION, "_type": {"const": "decision"}, "similarity": SHARE},
    {"outcome_reason": TEXT, "status": TEXT, **_EDGE, "edges": rows(record(_EDGE))},
)
SIMILAR_DECISION = record({"id": TEXT, "topic": TEXT, "decision": TEXT, "similarity": SHARE})
CHECKPOINT = record(
    {
        "id": COUNT,
        "timestamp": WHOLE,
        "summary": TEXT,
        "open_files": TEXTS,
        "next_steps": TEXT,
        "status": {"const": "active"},
    }
)

NEW_DECISION: Schema = {
    "type": "object",
    "properties": {
        **{word: words(most) for word, most in LIMITS.items()},
        "confidence": {"type": "number", "description": "0 to 1; what is beyond is clamped", "default": 0.5},
    },
    "required": [*LIMITS],
}
