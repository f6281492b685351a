"""Decisions over HTTP: saving, searching, and saying how one turned out. Each endpoint calls the tool of its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import Invalid
from ..shared.endpoint_words import query_values
from ..shared.endpoints import Endpoint, HttpAnswer, HttpFault
from . import api_schemas as schemas
from .decisions import Decisions
from .texts import DECISION, mama_id
from .tools import OUTCOMES

if TYPE_CHECKING:
    from ..shared.endpoints import HttpCall, Schema

    Row = dict[str, Any]

FEW, MOST = 10, 20
_PASSED_ON = ("similar_decisions", "warning")


def _further(answer: Row) -> Row:
    """Return what an answer of a tool says only where there is something to say."""
    return {word: answer[word] for word in _PASSED_ON if word in answer}


def _search(call: HttpCall) -> HttpAnswer:
    asked = query_values(call.query, _SEARCH)
    query = asked.get("q") or asked.get("query") or ""
    if not query.strip():
        raise HttpFault(400, "MISSING_QUERY", "'q' is missing: say what to search for.")
    limit = max(1, min(MOST, asked.get("limit", FEW)))
    answer = call.profile.search(query, DECISION, limit)
    found = {"query": query, "results": answer["results"], "count": answer["count"]}
    return HttpAnswer(found | _further(answer))


def _save(call: HttpCall) -> HttpAnswer:
    words = {word: call.body[word] for word in schemas.NEW_DECISION["properties"] if word in call.body}
    answer = call.profile.save(DECISION, **words)
    saved = {"success": True, "id": answer["id"], "message": "Decision saved successfully"}
    return HttpAnswer(saved | _further(answer))


def _update(call: HttpCall) -> HttpAnswer:
    outcome = OUTCOMES.get(call.body["outcome"].strip().lower())
    if outcome is None:
        raise Invalid(f"'outcome' must be one of {', '.join(OUTCOMES)}.")
    memory = Decisions(call.brain).find(call.body["id"])
    answer = call.profile.update(memory.id, outcome, call.body.get("reason") or "")
    return HttpAnswer({"success": True, "id": mama_id(memory), "outcome": outcome} | _further(answer))


_Q: Schema = {**schemas.words(), "description": "what to search for"}
_SEARCH: dict[str, Schema] = {
    "q": _Q,
    "limit": {"type": "integer", "default": FEW, "description": f"1 to {MOST}; what is beyond is clamped"},
    "query": {**schemas.TEXT, "description": "the same as q"},
}
_FOUND = schemas.record(
    {"query": schemas.TEXT, "results": schemas.rows(schemas.FOUND), "count": schemas.COUNT}, {"warning": schemas.TEXT}
)
_SAVED = schemas.record(
    {"success": schemas.TRUE, "id": schemas.TEXT, "message": schemas.TEXT},
    {"similar_decisions": schemas.rows(schemas.SIMILAR_DECISION), "warning": schemas.TEXT},
)
_OUTCOME: Schema = {
    "type": "object",
    "properties": {
        "id": schemas.words(),
        "outcome": {**schemas.words(), "description": f"{', '.join(OUTCOMES)}, in any case"},
        "reason": {"type": ["string", "null"]},
    },
    "required": ["id", "outcome"],
}
_UPDATED = schemas.record(
    {"success": schemas.TRUE, "id": schemas.TEXT, "outcome": {"enum": sorted(set(OUTCOMES.values()))}},
    {"warning": schemas.TEXT},
)


def _searching(path: str, name: str) -> Endpoint:
    return Endpoint("GET", path, name, "Search the decisions", _search, query=_SEARCH, answers={200: _FOUND})


def _saving(path: str, name: str) -> Endpoint:
    summary = "Save a decision; it supersedes the current one on its topic"
    return Endpoint("POST", path, name, summary, _save, "write", body=schemas.NEW_DECISION, answers={200: _SAVED})


def _updating(path: str, name: str) -> Endpoint:
    summary = "Say how a decision turned out"
    return Endpoint("POST", path, name, summary, _update, "write", body=_OUTCOME, answers={200: _UPDATED})


ENDPOINTS = (
    _searching("/api/mama/search", "mama_search"),
    _searching("/api/search", "mama_search_by_short_path"),
    _saving("/api/mama/save", "mama_save"),
    _saving("/api/save", "mama_save_by_short_path"),
    _updating("/graph/update", "mama_update"),
    _updating("/api/update", "mama_update_by_short_path"),
)
