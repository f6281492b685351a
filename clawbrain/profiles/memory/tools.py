"""The official memory server's tools: a knowledge graph, answered in the form that server uses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ClawbrainError, Invalid, NotFound
from .. import Reply
from .graph import Entity, Graph, Part, Relation

if TYPE_CHECKING:
    from ...brain import Brain

    Row = dict[str, Any]


class Profile:
    """The official memory server's tools; each public method is one of them."""

    def __init__(self, brain: Brain) -> None:
        self._graph = Graph(brain)

    def create_entities(self, entities: Sequence[Row]) -> Reply:
        rows = [_entity_row(entity) for entity in self._graph.create(map(_entity, entities))]
        return _reply({"entities": rows}, rows)

    def create_relations(self, relations: Sequence[Row]) -> Reply:
        rows = [_relation_row(relation) for relation in self._graph.relate(map(_relation, relations))]
        return _reply({"relations": rows}, rows)

    def add_observations(self, observations: Sequence[Row]) -> Reply:
        added = self._graph.observe((row["entityName"], row["contents"]) for row in observations)
        rows = [
            {"entityName": row["entityName"], "addedObservations": new}
            for row, new in zip(observations, added, strict=True)
        ]
        return _reply({"results": rows}, rows)

    def delete_entities(self, entityNames: Sequence[str]) -> Reply:
        self._graph.forget(entityNames)
        return _deleted("Entities")

    def delete_observations(self, deletions: Sequence[Row]) -> Reply:
        self._graph.unobserve((row["entityName"], row["observations"]) for row in deletions)
        return _deleted("Observations")

    def delete_relations(self, relations: Sequence[Row]) -> Reply:
        self._graph.unrelate([_relation(row) for row in relations])
        return _deleted("Relations")

    def read_graph(self) -> Reply:
        return _part(self._graph.read())

    def search_nodes(self, query: str) -> Reply:
        return _part(self._graph.search(query))

    def open_nodes(self, names: Sequence[str]) -> Reply:
        return _part(self._graph.open(names))


def resource(brain: Brain, uri: str) -> str:
    """Return the whole graph as JSON, whatever the URI."""
    return _part(Graph(brain).read()).text


def refused(tool: str, refusal: ClawbrainError) -> Reply:
    """Return a refusal in the official server's words, with the code of an input error for wrong arguments."""
    sentence = str(refusal)
    if isinstance(refusal, Invalid) and sentence.startswith(f"{tool}: "):
        arguments = sentence.removeprefix(f"{tool}: ")
        sentence = f"MCP error -32602: Input validation error: Invalid arguments for tool {tool}: {arguments}"
    elif isinstance(refusal, NotFound) and sentence == f"Tool {tool} not found":
        sentence = f"MCP error -32602: {sentence}"
    return Reply(sentence, fault=True)


def _entity(row: Row) -> Entity:
    return Entity(row["name"], row["entityType"], row["observations"])


def _relation(row: Row) -> Relation:
    return Relation(row["from"], row["to"], row["relationType"])


def _entity_row(entity: Entity) -> Row:
    return {"name": entity.name, "entityType": entity.type, "observations": list(entity.observations)}


def _relation_row(relation: Relation) -> Row:
    return {"from": relation.source, "to": relation.target, "relationType": relation.relation}


def _part(part: Part) -> Reply:
    graph = {
        "entities": [_entity_row(entity) for entity in part.entities],
        "relations": [_relation_row(relation) for relation in part.relations],
    }
    return _reply(graph, graph)


def _deleted(what: str) -> Reply:
    sentence = f"{what} deleted successfully"
    return Reply(sentence, {"success": True, "message": sentence})


def _reply(structured: Row, shown: object) -> Reply:
    return Reply(json.dumps(shown, ensure_ascii=False, indent=2), structured)
