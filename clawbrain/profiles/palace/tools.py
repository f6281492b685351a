"""The Memory Palace's tools: drawers in rooms of wings, facts with a beginning and an end, an identity, diaries.

The extra `platform` adds conversations, artifacts with versions and reviews, and the history of agents.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...errors import ClawbrainError, Invalid, Refused
from .. import Reply
from ..shared.persona import Persona
from ..shared.sorting import is_small_talk
from ..shared.titles import Titles, title
from . import accounts
from .drawers import MOST, Drawers, called, sort_of, weight
from .facts import Added, Fact, Facts
from .rooms import Room, Rooms, hall_of, room_of, wing_of
from .versions import Versions

if TYPE_CHECKING:
    from ...brain import Brain
    from ...memory.model import Memory

    Row = dict[str, Any]

SHORTEST, LONGEST, LONGEST_IDENTITY = 10, 10_000, 2_000  # bytes
MOST_HOPS, MOST_FACTS, MOST_EVENTS, MOST_ENTRIES, MOST_MESSAGES = 5, 500, 100, 100, 50
DUPLICATES = 5
NEEDED = {
    "memory_search": "query is required",
    "memory_check_duplicate": "content is required",
    "memory_traverse": "start_room is required",
    "memory_add_drawer": "wing, room, and content are required",
    "memory_delete_drawer": "drawer_id is required",
    "memory_set_identity": "content is required",
    "memory_kg_query": "entity is required",
    "memory_kg_add": "subject, predicate, and object are required",
    "memory_kg_invalidate": "subject, predicate, and object are required",
    "memory_diary_write": "agent_name and entry are required",
    "memory_diary_read": "agent_name is required",
    "create_artifact": "title and content are required",
    "read_artifact": "artifact_id is required",
    "update_artifact": "artifact_id and content are required",
    "review_artifact": "artifact_id, outcome, and comments are required",
    "create_agent_history": "title is required",
}
WRITING = NEEDED.keys() - {
    "memory_search", "memory_check_duplicate", "memory_traverse", "memory_kg_query", "memory_diary_read",
    "read_artifact",
}  # fmt: skip
NO_MESSAGES = "No messages stored. Fill with clawbrain ingest."
ELSEWHERE = {
    "send_push_notification": "needs a phone service; clawbrain is local",
    "send_message_to_agent": "needs other agents; clawbrain is local. memory_diary_write leaves word for them",
    "create_workflow": "needs a scheduler; clawbrain is local. Use your system's own (cron)",
    "trigger_workflow": "needs a scheduler; clawbrain is local. Use your system's own (cron)",
    "check_workflow_status": "needs a scheduler; clawbrain is local. Use your system's own (cron)",
    "list_workflows": "needs a scheduler; clawbrain is local. Use your system's own (cron)",
    "ask_questions": "needs a phone service; clawbrain is local. Ask the person in the conversation",
}


class NotHere(Refused):
    """Raised by tools that nothing on a single machine can carry out."""


class Profile:
    """The Memory Palace's tools; each public method is one of them."""

    def __init__(self, brain: Brain) -> None:
        self._brain = brain
        self._rooms, self._drawers, self._facts = Rooms(brain), Drawers(brain), Facts(brain)
        self._titles, self._persona, self._versions = Titles(brain), Persona(brain), Versions(brain)

    # The palace

    def memory_status(self, description: str = "") -> Row:
        wings, rooms = self._wing_rows(), self._room_rows()
        return {"total_drawers": sum(row["count"] for row in wings), "wings": wings, "rooms": rooms}

    def memory_list_wings(self, description: str = "") -> Row:
        return {"wings": self._wing_rows()}

    def memory_list_rooms(self, wing: str = "", description: str = "") -> Row:
        return {"rooms": self._room_rows(wing)}

    def memory_get_taxonomy(self, description: str = "") -> Row:
        return {"taxonomy": {wing: {"rooms": rooms} for wing, rooms in self._rooms.tree().items()}}

    def _wing_rows(self) -> list[Row]:
        return [{"wing": wing, "count": sum(rooms.values())} for wing, rooms in self._rooms.tree().items()]

    def _room_rows(self, only: str = "") -> list[Row]:
        return [
            {"wing": wing, "room": room, "count": count}
            for wing, rooms in self._rooms.tree(only).items()
            for room, count in rooms.items()
        ]

    def memory_traverse(self, start_room: str, max_hops: int = 3, description: str = "") -> Row:
        _need("memory_traverse", start_room)
        reached = self._rooms.walk(start_room, _within(max_hops, 0, MOST_HOPS))
        rooms = [_room(each.room) | {"hop": each.hop, "connected_via": each.via} for each in reached]
        return {"rooms": rooms, "count": len(rooms)}

    def memory_find_tunnels(self, wing_a: str = "", wing_b: str = "", description: str = "") -> Row:
        return {"tunnels": [_room(room) for room in self._rooms.tunnels(wing_a, wing_b)]}

    def memory_graph_stats(self, description: str = "") -> Row:
        shape = self._rooms.shape()
        return {
            "total_rooms": shape.rooms,
            "tunnel_rooms": shape.tunnels,
            "total_edges": shape.edges,
            "rooms_per_wing": shape.rooms_per_wing,
            "top_tunnels": [_room(room) for room in shape.top],
        }

    # Drawers

    def memory_search(self, query: str, limit: int = 5, wing: str = "", room: str = "", description: str = "") -> Row:
        _need("memory_search", query)
        found = self._drawers.search(query, _within(limit, 1, MOST), wing, room)
        results = [self._drawer(memory, near) for memory, near in found]
        return {"results": results, "count": len(results)}

    def memory_check_duplicate(self, content: str, threshold: float = 0.9, description: str = "") -> Row:
        _need("memory_check_duplicate", content)
        found = self._drawers.similar(content, max(0.0, min(1.0, threshold)), DUPLICATES)
        rows = [self._drawer(memory, near) for memory, near in found]
        return {"duplicates": rows, "has_duplicate": bool(rows)}

    def _drawer(self, memory: Memory, similarity: float) -> Row:
        return {
            "id": called(memory),
            "wing": wing_of(memory),
            "room": room_of(memory),
            "content": memory.content,
            "memory_type": sort_of(memory),
            "importance": weight(memory),
            "similarity": similarity,
            "filed_at": memory.created,
        }

    def memory_add_drawer(
        self, wing: str, room: str, content: str, source_file: str = "", added_by: str = "", description: str = ""
    ) -> Row:
        _need("memory_add_drawer", wing, room, content)
        _fit("content", content, LONGEST)
        if len(content.strip().encode()) < SHORTEST or is_small_talk(content):
            raise Invalid("content too short or trivial to store")
        filed = self._drawers.file(wing, room, content, source=source_file, added_by=added_by)
        said = "drawer added" if filed.new else "drawer already filed"
        return {"drawer_id": called(filed.memory), "memory_type": sort_of(filed.memory), "info": said}

    def memory_delete_drawer(self, drawer_id: str, description: str = "") -> Row | Reply:
        _need("memory_delete_drawer", drawer_id)
        if self._drawers.put_away(drawer_id.strip()):
            return {"deleted": True, "info": "drawer deleted"}
        return _fault({"deleted": False, "info": "drawer not found"})

    def memory_set_identity(self, content: str, description: str = "") -> Row:
        _need("memory_set_identity", content)
        _fit("content", content, LONGEST_IDENTITY)
        self._persona.identify(content)
        return {"info": "identity set"}

    # Facts

    def memory_kg_query(self, entity: str, as_of: str = "", direction: str = "both", description: str = "") -> Row:
        _need("memory_kg_query", entity)
        found = self._facts.about(entity, as_of, direction or "both")[:MOST_FACTS]
        results = [self._fact(fact, way) for fact, way in found]
        return {"entity": entity, "results": results, "count": len(results)}

    def memory_kg_add(
        self,
        subject: str,
        predicate: str,
        object: str,
        valid_from: str = "",
        source_closet: str = "",
        description: str = "",
    ) -> Row:
        _need("memory_kg_add", subject, predicate, object)
        added = self._facts.add(subject, predicate, object, valid_from, source_closet)
        return {"triple_id": added.fact.id, "info": _noted(added, valid_from.strip())}

    def memory_kg_invalidate(
        self, subject: str, predicate: str, object: str, ended: str = "", description: str = ""
    ) -> Row:
        _need("memory_kg_invalidate", subject, predicate, object)
        self._facts.end(subject, predicate, object, ended)
        return {"info": "fact invalidated"}

    def memory_kg_timeline(self, entity: str = "", description: str = "") -> Row:
        events = [self._fact(fact) for fact in self._facts.timeline(entity)[:MOST_EVENTS]]
        return {"events": events, "count": len(events)}

    def memory_kg_stats(self, description: str = "") -> Row:
        tally = self._facts.tally()
        return {
            "entities": tally.entities,
            "triples": tally.facts,
            "current_facts": tally.current,
            "expired_facts": tally.expired,
            "relationship_types": tally.predicates,
        }

    def _fact(self, fact: Fact, direction: str = "") -> Row:
        row = {
            "subject": fact.subject,
            "predicate": fact.predicate,
            "object": fact.object,
            "valid_from": fact.start,
            "valid_to": fact.until,
        }
        row |= {"direction": direction} if direction else {}
        return row | {"current": self._facts.is_current(fact)}

    # Diaries

    def memory_diary_write(self, agent_name: str, entry: str, topic: str = "", description: str = "") -> Row:
        _need("memory_diary_write", agent_name, entry)
        _fit("entry", entry, LONGEST)
        written = self._drawers.write_diary(agent_name, entry, topic)
        return {"drawer_id": called(written), "info": "diary entry written"}

    def memory_diary_read(self, agent_name: str, last_n: int = 10, description: str = "") -> Row:
        _need("memory_diary_read", agent_name)
        entries = [
            {
                "id": called(memory),
                "content": memory.content,
                "hall": hall_of(memory),
                "filed_at": memory.created,
            }
            for memory in self._drawers.diary(agent_name)[: _within(last_n, 1, MOST_ENTRIES)]
        ]
        return {"entries": entries, "count": len(entries)}

    # The platform

    def list_conversations(self, include_archived: bool = False, description: str = "") -> Row:
        rows = [
            {
                "id": each.id,
                "title": each.title,
                "source": each.source,
                "message_count": each.messages,
                "created_at": each.begun,
                "last_message_at": each.ended,
            }
            for each in self._brain.history.conversations()
        ]
        return self._with_hint({"conversations": rows, "count": len(rows)})

    def search_past_messages(self, conversation_id: str, query: str, limit: int = 20, description: str = "") -> Row:
        most = _within(limit, 1, MOST_MESSAGES)
        rows = [
            {
                "conversation_id": message.conversation,
                "role": message.role,
                "content": message.content,
                "created_at": message.created,
            }
            for message in self._brain.history.search(query, conversation=conversation_id, limit=most)
        ]
        return self._with_hint({"messages": rows, "count": len(rows)})

    def _with_hint(self, answer: Row) -> Row:
        """Add a hint to an empty answer when no messages are stored at all."""
        return answer if answer["count"] or self._brain.history.count() else answer | {"info": NO_MESSAGES}

    def create_agent_history(
        self,
        title: str,
        subtitle: str = "",
        agent_id: str = "",
        agent_slug: str = "",
        conversation_id: str = "",
        description: str = "",
    ) -> Row:
        _need("create_agent_history", title)
        _fit("title", title, LONGEST)
        title = " ".join(self._brain.without_secrets(title).split())  # before it is cut
        _fit("subtitle", subtitle, LONGEST)
        said = {"agent": agent_slug or agent_id, "conversation": conversation_id}
        extra = {"kind": "history", **{key: word.strip() for key, word in said.items() if word.strip()}}
        text = f"# {title}\n\n{subtitle.strip()}".strip()
        self._titles.keep("episode", title[:200], text, extra=extra)
        return {"created": True, "info": "history entry created"}

    def create_artifact(
        self,
        title: str,
        content: str,
        content_type: str = "",
        conversation_id: str = "",
        agent_id: str = "",
        agent_slug: str = "",
        description: str = "",
    ) -> Row:
        _need("create_artifact", title, content)
        agent = agent_slug or agent_id
        made = self._versions.create(title, content, content_type, agent=agent, conversation=conversation_id)
        return {"artifact_id": made.id, "version": 1, "info": "artifact created"}

    def read_artifact(self, artifact_id: str, version: int = 0, description: str = "") -> Row:
        _need("read_artifact", artifact_id)
        read = self._versions.read(artifact_id, version)
        reviews = [
            {
                "reviewer_agent_slug": review.agent,
                "outcome": review.outcome,
                "comments": review.comments,
                "created_at": review.created,
            }
            for review in read.reviews
        ]
        return {
            "artifact_id": read.memory.id,
            "title": title(read.memory),
            "content_type": str(read.memory.extra.get("content_type", "text/markdown")),
            "content": read.text,
            "version": read.version,
            "status": read.status,
            "reviews": reviews,
        }

    def update_artifact(
        self,
        artifact_id: str,
        content: str,
        change_summary: str = "",
        expected_version: int | None = None,
        agent_id: str = "",
        agent_slug: str = "",
        description: str = "",
    ) -> Row:
        _need("update_artifact", artifact_id, content)
        words = {"agent": agent_slug or agent_id, "summary": change_summary}
        version = self._versions.update(artifact_id, content, expected=expected_version or None, **words)
        return {"version": version, "info": "artifact updated"}

    def review_artifact(
        self,
        artifact_id: str,
        outcome: str,
        comments: str,
        version: int = 0,
        agent_id: str = "",
        agent_slug: str = "",
        description: str = "",
    ) -> Row:
        _need("review_artifact", artifact_id)
        agent = agent_slug or agent_id
        self._versions.review(artifact_id, outcome, comments, version=version, agent=agent)
        return {"reviewed": True, "info": "review recorded"}

    def get_user_profile(self, include_preferences: bool = False) -> Row:
        return accounts.user_profile(self._brain, preferences=include_preferences)

    def get_workspace_info(self, include_agents: bool = False) -> Row:
        return accounts.workspace(self._brain, agents=include_agents)

    # Tools that need more than one machine

    def _elsewhere(self) -> Row:
        raise NotHere

    send_push_notification = ask_questions = send_message_to_agent = _elsewhere
    create_workflow = trigger_workflow = check_workflow_status = list_workflows = _elsewhere


def refused(tool: str, refusal: ClawbrainError) -> Reply:
    """Return a refusal in the palace's form: a sentence for tools that read, and an `info` with the reason for those
    that write."""
    sentence = str(refusal)
    if isinstance(refusal, NotHere):
        sentence = f"{tool} {ELSEWHERE[tool]}"
        told = {"success": False, "error": sentence, "error_code": "NOT_SUPPORTED_LOCALLY", "operation": tool}
        return _fault(told | {"info": sentence})
    if f"{tool}: '" in sentence and sentence.endswith("' is missing.") and tool in NEEDED:
        sentence = NEEDED[tool]
    return _fault({"info": sentence}) if tool in WRITING else Reply(sentence, fault=True)


def _fault(answer: Row) -> Reply:
    return Reply(json.dumps(answer, ensure_ascii=False, separators=(",", ":")), answer, fault=True)


def _need(tool: str, *words: str) -> None:
    """Raise Invalid when a needed argument is empty."""
    if not all(word.strip() for word in words):
        raise Invalid(NEEDED[tool])


def _fit(what: str, text: str, most: int) -> None:
    """Raise Invalid when a text is larger than `most` bytes."""
    size = len(text.encode(errors="replace"))
    if size > most:
        raise Invalid(f"{what} has {size} bytes; {most} is the most")


def _noted(added: Added, start: str) -> str:
    """Return what became of a fact that was said to begin on a day ('' where none was given)."""
    if added.new:
        return "fact added"
    if added.dated:
        return f"fact already known; noted that it began on {added.fact.start}"
    other = start and start != added.fact.start
    return f"fact already known, since {added.fact.start}: that day stays" if other else "fact already known"


def _room(room: Room) -> Row:
    return {"room": room.name, "wings": room.wings, "halls": room.halls, "count": room.held}


def _within(number: int, least: int, most: int) -> int:
    return max(least, min(number, most))
