"""The endpoint by which an administrator reads the audit log of a workspace, whichever profiles are served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ..errors import Invalid
from ..profiles.shared.endpoint_words import query_values
from ..profiles.shared.endpoints import API, Endpoint, HttpAnswer

if TYPE_CHECKING:
    from ..brain.audit_log import Call
    from ..profiles.shared.endpoints import HttpCall, HttpFault

FEW, MOST = 100, 1_000
_TEXT = {"type": "string"}
_QUERY: Mapping[str, Mapping[str, Any]] = {
    "user": {"type": "string", "description": "Only calls of this user."},
    "workspace": {"type": "string", "description": "Only calls in this workspace; others than the token's have none."},
    "tool": {"type": "string", "description": "Only calls of this tool or endpoint."},
    "since": {"type": "string", "description": "From this day or time on, in UTC."},
    "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": FEW},
}
_ROW = {
    "type": "object",
    "properties": {
        "at": {"type": "string", "format": "date-time"},
        "profile": _TEXT,
        "tool": _TEXT,
        "arguments": {"description": "As JSON; of what is longer than 4,096 bytes the beginning, as `_text`."},
        "result": {"description": "As JSON; of what is longer than 4,096 bytes the beginning, as `_text`."},
        "ok": {"type": "boolean"},
        "ms": {"type": "integer"},
        "user": _TEXT,
        "workspace": _TEXT,
        "token": {"type": "string", "description": "The id of the token."},
    },
    "required": ["at", "profile", "tool", "arguments", "result", "ok", "ms", "user", "workspace", "token"],
    "additionalProperties": False,
}


def row(call: Call) -> dict[str, Any]:
    """Return a call under the names by which it leaves clawbrain."""
    held = asdict(call)
    named = {"created": "at", "success": "ok", "duration_ms": "ms"}
    return {named.get(name, name): value for name, value in held.items() if name != "session"}


def _list_audit(call: HttpCall) -> HttpAnswer:
    how = {"limit": FEW, **query_values(call.query, _QUERY)}
    if not 1 <= how["limit"] <= MOST:
        raise Invalid(f"'limit' must be a number from 1 to {MOST}.")
    rows = [row(each) for each in call.brain.audit.calls(**how)]
    return HttpAnswer({"rows": rows, "count": len(rows)})


def _refusal(fault: HttpFault, _: str) -> Mapping[str, Any]:
    return {"error": "Unauthorized" if fault.status == 401 else str(fault)}


api = API(
    title="clawbrain",
    endpoints=(
        Endpoint(
            "GET", "/api/audit", "list_audit", "List who called what, newest first, where the server keeps it.",
            _list_audit, scope="admin", query=_QUERY,
            answers={
                200: {
                    "type": "object",
                    "properties": {"rows": {"type": "array", "items": _ROW}, "count": {"type": "integer"}},
                    "required": ["rows", "count"],
                }
            },
        ),
    ),
    prefixes=(),
    refusal=_refusal,
    refusal_schema={
        "type": "object",
        "properties": {"error": {"description": "A sentence, or what a profile served at /api/ says instead."}},
        "required": ["error"],
    },
)  # fmt: skip
