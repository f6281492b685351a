"""The graph of decisions over HTTP: nodes, the edges between them, and which of them say nearly the same."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...memory import links
from ..shared.endpoint_words import query_values
from ..shared.endpoints import Endpoint, HttpAnswer, HttpFault
from . import api_schemas as schemas
from .decisions import Decisions, nearest
from .texts import DECISION, EDGES, mama_id, read

if TYPE_CHECKING:
    from ...memory.model import Memory
    from ..shared.endpoints import HttpCall, Schema

    Row = dict[str, Any]

COMPARED = 100
"""Decisions whose likeness is looked at, the newest: every pair of them is compared."""
_MOST_SIMILAR, _MOST_EDGES = 5, 3


def _graph(call: HttpCall) -> HttpAnswer:
    began = time.monotonic()
    asked = query_values(call.query, _GRAPH)
    topic = asked.get("topic", "")
    decisions = Decisions(call.brain)
    every = call.brain.having("kind", DECISION)[::-1]
    nodes = [(memory, _node(decisions, memory)) for memory in every]
    nodes = [(memory, node) for memory, node in nodes if not topic or node["topic"] == topic]
    shown = [memory for memory, _ in nodes]
    edges = list(_edges(decisions, shown))
    meta = {
        "total_nodes": len(nodes),
        "total_edges": len(edges),
        "topics": sorted({node["topic"] for _, node in nodes}),
    }
    similar: list[Row] = []
    if asked.get("cluster"):
        similar = list(_similarity_edges(shown[:COMPARED]))
        meta |= {
            "similarity_edges": len(similar),
            "similarity_compared": min(COMPARED, len(shown)),
            "similarity_capped": len(shown) > COMPARED,
        }
    return HttpAnswer(
        {
            "nodes": [node for _, node in nodes],
            "edges": edges,
            "similarityEdges": similar,
            "meta": meta,
            "latency": int((time.monotonic() - began) * 1000),
        }
    )


def _node(decisions: Decisions, memory: Memory) -> Row:
    said = read(memory)
    return {
        "id": mama_id(memory),
        "topic": said.topic,
        "decision": said.decision,
        "reasoning": said.reasoning,
        "outcome": said.outcome or None,
        "confidence": said.confidence,
        "created_at": decisions.seconds(memory),
        "status": said.status,
    }


def _edges(decisions: Decisions, shown: Sequence[Memory]) -> Iterator[Row]:
    """Yield the edges whose two ends are shown, from the decision that names the other one."""
    known = {memory.id: memory for memory in shown}
    for memory in shown:
        led = (_led_to(decisions, link, known) for link in links.read(memory) if link.relation in EDGES)
        for other, relation in dict.fromkeys(each for each in led if each and each[0] != memory.id):
            yield {"from": mama_id(memory), "to": mama_id(known[other]), "relationship": relation}


def _led_to(decisions: Decisions, link: links.Link, known: Mapping[str, Memory]) -> tuple[str, str] | None:
    """Return the id of the decision that a link leads to, if it is known, with the edge."""
    if link.target in known:
        return link.target, link.relation
    other = decisions.target(link) if links.name_in(link.target) is not None else None
    return (other.id, link.relation) if other and other.id in known else None


def _similarity_edges(among: Sequence[Memory]) -> Iterator[Row]:
    """Yield the pairs of decisions that say nearly the same, each pair once, a few of each decision."""
    for number, memory in enumerate(among):
        for other, similarity in nearest(memory, among[number + 1 :], _MOST_EDGES):
            yield {
                "from": mama_id(memory),
                "to": mama_id(other),
                "relationship": "similar",
                "similarity": round(similarity, 4),
            }


def _similar(call: HttpCall) -> HttpAnswer:
    asked = query_values(call.query, _SIMILAR)
    if not asked.get("id", "").strip():
        raise HttpFault(400, "MISSING_ID", "'id' is missing: name a decision.")
    decisions = Decisions(call.brain)
    memory = decisions.find(asked["id"])
    others: Iterable[Memory] = (other for other in decisions.all() if other.id != memory.id)
    near = [
        {"id": mama_id(other), "similarity": round(similarity, 4)}
        for other, similarity in nearest(memory, others, _MOST_SIMILAR)
    ]
    return HttpAnswer({"id": mama_id(memory), "similar": near, "count": len(near)})


_GRAPH: dict[str, Schema] = {
    "topic": {**schemas.TEXT, "description": "only the decisions on this topic"},
    "cluster": {**schemas.FLAG, "default": False, "description": "whether to look for similar decisions"},
}
_SIMILAR: dict[str, Schema] = {"id": schemas.words()}
_EDGE = {"from": schemas.TEXT, "to": schemas.TEXT, "relationship": schemas.TEXT}
_META = schemas.record(
    {"total_nodes": schemas.COUNT, "total_edges": schemas.COUNT, "topics": schemas.TEXTS},
    {
        "similarity_edges": schemas.COUNT,
        "similarity_compared": schemas.COUNT,
        "similarity_capped": schemas.FLAG,
    },
)
_DRAWN = schemas.record(
    {
        "nodes": schemas.rows(schemas.record({**schemas.DECISION, "status": schemas.TEXT})),
        "edges": schemas.rows(schemas.record(_EDGE)),
        "similarityEdges": schemas.rows(schemas.record({**_EDGE, "similarity": schemas.SHARE})),
        "meta": _META,
        "latency": schemas.COUNT,
    }
)
_NEAR = schemas.record(
    {
        "id": schemas.TEXT,
        "similar": schemas.rows(schemas.record({"id": schemas.TEXT, "similarity": schemas.SHARE})),
        "count": schemas.COUNT,
    }
)


def _drawing(path: str, name: str) -> Endpoint:
    return Endpoint(
        "GET",
        path,
        name,
        "Return the decisions and the edges between them",
        _graph,
        query=_GRAPH,
        answers={200: _DRAWN},
    )


ENDPOINTS = (
    _drawing("/graph", "mama_graph"),
    _drawing("/api/graph", "mama_graph_by_api_path"),
    Endpoint(
        "GET", "/graph/similar", "mama_similar", "List the decisions that say nearly the same as one", _similar,
        query=_SIMILAR, required=("id",), answers={200: _NEAR},
    ),
)  # fmt: skip
