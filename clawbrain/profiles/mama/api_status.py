"""The state of the server and the store over HTTP: health, counts, and the sessions that worked with it."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ...memory.model import moment
from ..shared.endpoints import Endpoint, HttpAnswer
from . import api_schemas as schemas
from .texts import CHECKPOINT, CURRENT, DECISION, read

if TYPE_CHECKING:
    from ...brain.recalls import ActiveSession
    from ..shared.endpoints import HttpCall

    Row = dict[str, Any]

_TOPICS, _WEEK = 10, timedelta(days=7)
_SESSIONS = 50
_ELSEWHERE = ("discord", "telegram", "slack")  # MAMA lists sessions of these, too; there are none here
PENDING = "PENDING"


def _health(call: HttpCall) -> HttpAnswer:
    return HttpAnswer({"status": "ok", "timestamp": int(time.time())})


def _api_health(call: HttpCall) -> HttpAnswer:
    return HttpAnswer({"status": "ok", "service": "MAMA Graph API"})


# The dashboard


def counts(call: HttpCall) -> Row:
    """Return how many memories there are of which kind."""
    brain = call.brain
    decisions = [(memory, read(memory)) for memory in brain.having("kind", DECISION)]
    since = brain.clock() - _WEEK
    outcomes = Counter(said.outcome or PENDING for _, said in decisions)
    topics = Counter(said.topic for _, said in decisions)
    return {
        "total": len(brain.listed.ids()),
        "decisions": len(decisions),
        "superseded": sum(said.status != CURRENT for _, said in decisions),
        "checkpoints": len(brain.listed.having("kind", CHECKPOINT)),
        "this_week": sum(moment(memory.created) >= since for memory, _ in decisions),
        "outcomes": dict(sorted(outcomes.items())),
        "top_topics": [{"topic": topic, "count": count} for topic, count in topics.most_common(_TOPICS)],
    }


def store_health(call: HttpCall) -> Row:
    """Return what a person may want to look after."""
    brain = call.brain
    report = brain.report(1)
    return {
        "read_only": brain.read_only,
        "broken_files": len(brain.faults()),
        "contradictions": len(brain.conflicts.standing()),
        "complaints": len(brain.strategy().complaints),
        "average_score": round(report.avg_score, 4),
        "last_consolidation": report.last_consolidation,
        "last_pruning": report.last_pruning,
    }


def _dashboard(call: HttpCall) -> HttpAnswer:
    memory, store = counts(call), store_health(call)
    status = "attention" if store["broken_files"] or store["complaints"] else "ok"
    now = int(call.brain.clock().timestamp())
    return HttpAnswer({"status": status, "timestamp": now, "memory": memory, "store": store})


# Sessions


def _last_active(call: HttpCall) -> HttpAnswer:
    sessions = call.brain.recalls.sessions(1)
    return HttpAnswer({"session": _session(sessions[0]) if sessions else None})


def _sessions(call: HttpCall) -> HttpAnswer:
    here = [_session(each) for each in call.brain.recalls.sessions(_SESSIONS)]
    return HttpAnswer({"viewer": here, **{name: [] for name in _ELSEWHERE}})


def _session(each: ActiveSession) -> Row:
    """Return a session under a name made from its id, because whoever knows the id itself could speak in its place."""
    name = hashlib.sha256(each.session.encode()).hexdigest()[:12]
    last = int(moment(each.at).timestamp() * 1000)
    return {"id": f"session_{name}", "source": "viewer", "client": each.client, "lastActive": last, "turns": each.turns}


_WELL = {"const": "ok"}
_MEMORY = schemas.record(
    {
        **dict.fromkeys(("total", "decisions", "superseded", "checkpoints", "this_week"), schemas.COUNT),
        "outcomes": {"type": "object", "additionalProperties": schemas.COUNT},
        "top_topics": schemas.rows(schemas.record({"topic": schemas.TEXT, "count": schemas.COUNT})),
    }
)
_STORE = schemas.record(
    {
        "read_only": schemas.FLAG,
        "broken_files": schemas.COUNT,
        "contradictions": schemas.COUNT,
        "complaints": schemas.COUNT,
        "average_score": schemas.SHARE,
        "last_consolidation": {"type": ["string", "null"]},
        "last_pruning": {"type": ["string", "null"]},
    }
)
_STATUS = schemas.record(
    {"status": {"enum": ["ok", "attention"]}, "timestamp": schemas.WHOLE, "memory": _MEMORY, "store": _STORE}
)
_SESSION = schemas.record(
    {
        "id": schemas.TEXT,
        "source": {"const": "viewer"},
        "client": schemas.TEXT,
        "lastActive": schemas.WHOLE,
        "turns": schemas.COUNT,
    }
)
_NONE = {"type": "array", "maxItems": 0}
_LISTED = schemas.record({"viewer": schemas.rows(_SESSION), **dict.fromkeys(_ELSEWHERE, _NONE)})

ENDPOINTS = (
    Endpoint(
        "GET", "/health", "mama_health", "Tell that the server runs", _health, "",
        answers={200: schemas.record({"status": _WELL, "timestamp": schemas.WHOLE})},
    ),
    Endpoint(
        "GET", "/api/health", "mama_api_health", "Tell that the API answers", _api_health,
        answers={200: schemas.record({"status": _WELL, "service": schemas.TEXT})},
    ),
    Endpoint(
        "GET", "/api/dashboard/status", "mama_dashboard", "Count what the store holds, and tell how it is", _dashboard,
        answers={200: _STATUS},
    ),
    Endpoint(
        "GET", "/api/sessions/last-active", "mama_last_session", "Return the session that was last active",
        _last_active, answers={200: schemas.record({"session": {"anyOf": [_SESSION, {"type": "null"}]}})},
    ),
    Endpoint(
        "GET", "/api/sessions", "mama_sessions", "List the sessions that were last active", _sessions,
        answers={200: _LISTED},
    ),
)  # fmt: skip
