"""Checkpoints over HTTP, where times are in milliseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..shared.endpoint_words import query_values
from ..shared.endpoints import Endpoint, HttpAnswer, HttpFault
from . import api_schemas as schemas
from .checkpoints import Checkpoints
from .decisions import Decisions
from .texts import CHECKPOINT, checkpoint_number, checkpoint_read

if TYPE_CHECKING:
    from ...memory.model import Memory
    from ..shared.endpoints import HttpCall, Schema

    Row = dict[str, Any]

MOST = 1000
_WORDS = ("summary", "next_steps", "open_files")


def _save(call: HttpCall) -> HttpAnswer:
    words = {word: call.body[word] for word in _WORDS if call.body.get(word) is not None}
    answer = call.profile.save(CHECKPOINT, **words)
    number = int(answer["id"].rpartition("_")[2])
    return HttpAnswer({"success": True, "id": number, "message": "Checkpoint saved successfully"})


def _load(call: HttpCall) -> HttpAnswer:
    newest = Checkpoints(call.brain).newest()
    if newest is None:
        raise HttpFault(404, "NO_CHECKPOINT", "No checkpoint found")
    return HttpAnswer({"success": True, "checkpoint": _row(call, newest)})


def _list(call: HttpCall) -> HttpAnswer:
    most = max(1, min(MOST, query_values(call.query, _LIMIT).get("limit", MOST)))
    call.brain.sync()
    every = sorted(Checkpoints(call.brain).all(), key=checkpoint_number, reverse=True)
    rows = [_row(call, memory) for memory in every[:most]]
    return HttpAnswer({"checkpoints": rows, "count": len(rows), "total": len(every)})


def _row(call: HttpCall, memory: Memory) -> Row:
    said = checkpoint_read(memory)
    return {
        "id": said.number,
        "timestamp": 1000 * Decisions(call.brain).seconds(memory),
        "summary": said.summary,
        "open_files": said.open_files,
        "next_steps": said.next_steps,
        "status": "active",
    }


_NEW: Schema = {
    "type": "object",
    "properties": {
        "summary": schemas.words(),
        "open_files": {"type": ["array", "null"], "items": schemas.TEXT},
        "next_steps": {"type": ["string", "null"]},
    },
    "required": ["summary"],
}
_SAVED = schemas.record({"success": schemas.TRUE, "id": schemas.COUNT, "message": schemas.TEXT})
_LOADED = schemas.record({"success": schemas.TRUE, "checkpoint": schemas.CHECKPOINT})
_LIMIT: dict[str, Schema] = {
    "limit": {"type": "integer", "default": MOST, "description": f"1 to {MOST}; what is beyond is clamped"}
}
_LISTED = schemas.record(
    {"checkpoints": schemas.rows(schemas.CHECKPOINT), "count": schemas.COUNT, "total": schemas.COUNT}
)


def _listing(path: str, name: str) -> Endpoint:
    return Endpoint(
        "GET", path, name, "List the checkpoints, newest first", _list, query=_LIMIT, answers={200: _LISTED}
    )


ENDPOINTS = (
    Endpoint(
        "POST", "/api/checkpoint/save", "mama_save_checkpoint", "Save a checkpoint of a session", _save, "write",
        body=_NEW, answers={200: _SAVED},
    ),
    Endpoint(
        "GET", "/api/checkpoint/load", "mama_load_checkpoint", "Return the newest checkpoint", _load,
        answers={200: _LOADED, 404: schemas.REFUSAL},
    ),
    _listing("/checkpoints", "mama_checkpoints"),
    _listing("/api/checkpoints", "mama_checkpoints_by_api_path"),
)  # fmt: skip
