"""Penfield's tools: typed memories with uids, their relationships, contexts, a briefing, and artifacts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ...errors import AlreadyExists, Invalid, NotFound
from .. import Reply
from ..shared.importance import computed
from ..shared.importance import importance as importance_of
from ..shared.links import Links, Way
from ..shared.persona import Persona
from ..shared.titles import Titles, made_uid, title, uid
from .arguments import LONGEST, LONGEST_NAME, LONGEST_QUERY, MOST, Wanted, check, date_in, share, tags_in, within
from .artifacts import Artifacts, content_type
from .contexts import Contexts
from .finding import RECALL, SEARCH, LinkedSearch
from .headings import called, heading, was_made
from .lookup import find
from .reflection import Reflection
from .refusals import fault, refused
from .types import EPISODES, category, detected, type_of

if TYPE_CHECKING:
    from ...brain import Brain
    from ...memory.links import Edge, Link
    from ...memory.model import Memory

    Row = dict[str, Any]

__all__ = ["Profile", "refused"]

PREVIEW = 200
AWAKENING = "awakening"
NO_DOCUMENTS = "documents are not kept locally; only memories are searched"


class Profile:
    """Penfield's tools; each public method is one of them."""

    allowed: Collection[str] = ()
    """The permissions that the server was started with."""
    public_url: str = ""
    """The address of the server as clients see it, or '' where it is on this machine's pipe: a `url` is a file then."""

    def __init__(self, brain: Brain) -> None:
        self._brain = brain
        self._titles, self._links, self._persona = Titles(brain), Links(brain), Persona(brain)
        self._contexts, self._artifacts, self._reflection = Contexts(brain), Artifacts(brain), Reflection(brain)
        self._search = LinkedSearch(brain)

    def awaken(self) -> Row:
        return {"success": True, "briefing": self._persona.briefing()}

    # Memories

    def store(
        self, content: str, tags: Sequence[str] = (), importance: float | None = None, memory_type: str = ""
    ) -> Row:
        check("content", content, LONGEST)
        content = self._brain.without_secrets(content)  # before a title is cut from it
        type, id = memory_type or detected(content), str(uuid4())
        weight = computed(content) if importance is None else share(importance)
        extra = {"uid": id, "memory_type": type, "importance": f"{weight:g}"}
        words: Row = {"mark": id[:8], "tags": self._written(tags)}
        if type in EPISODES:  # the kind keeps every compaction away from memories that callers know by uid
            made = self._titles.keep("episode", heading(content), content, extra={**extra, "kind": type}, **words)
        else:
            words["category"] = category(type)
            made = self._titles.keep("entity", heading(content), content, extra=extra, **words)
        row = {"success": True, "memory_id": id, "memory_type": type, "importance": weight}
        return row | {"tags": list(made.tags), "created_at": made.created}

    def recall(
        self,
        query: str,
        limit: int = 10,
        source_type: str | None = None,
        tags: Sequence[str] = (),
        start_date: str = "",
        end_date: str = "",
    ) -> Row:
        check("query", query, LONGEST_QUERY)
        start, end = date_in("start_date", start_date), date_in("end_date", end_date, last=True)
        if source_type == "document":
            return {"success": True, "query": query, "found": 0, "memories": [], "note": NO_DOCUMENTS}
        wanted = Wanted(tags_in(tags, most=MOST), start, end)
        ranked = self._search.found(query, RECALL, within(limit, 1, MOST), wanted.fits)
        found = [
            {
                "id": uid(memory),
                "content": memory.content,
                "type": type_of(memory),
                "relevance": relevance,
                "created": memory.created,
                "tags": list(memory.tags),
            }
            for memory, relevance in ranked
        ]
        return {"success": True, "query": query, "found": len(found), "memories": found}

    def search(self, query: str, limit: int = 10) -> Row:
        check("query", query, LONGEST_QUERY)
        ranked = self._search.found(query, SEARCH, within(limit, 1, MOST), Wanted().fits)
        return {"results": [self._cited(memory) for memory, _ in ranked]}

    def _cited(self, memory: Memory) -> Row:
        url = self._titles.url(memory, self.public_url)
        return {"id": uid(memory), "title": called(self._brain, memory), "url": url, "text": memory.content}

    def fetch(self, id: str) -> Row:
        read = self._brain.retrieve(self._find(id).id)
        memory, cited = read.memory, self._cited(read.memory)
        metadata = {
            "memory_type": type_of(memory),
            "importance": importance_of(memory),
            "tags": list(memory.tags),
            "created_at": memory.created,
            "updated_at": memory.updated,
            "access_count": read.credit.access_count,
            "relationships": [self._related(edge) for edge in self._links.around(memory.id)],
        }
        return {key: cited[key] for key in ("id", "title", "text", "url")} | {"metadata": metadata}

    def update_memory(
        self,
        memory_id: str,
        content: str | None = None,
        importance: float | None = None,
        tags: Sequence[str] | None = None,
    ) -> Row:
        memory = self._find(memory_id)
        if content is not None:
            check("content", content, LONGEST)
            content = self._brain.without_secrets(content)  # before a title is cut from it
        given = {"content": content, "importance": importance, "tags": tags}
        fields = [field for field, value in given.items() if value is not None]
        if not fields:
            raise Invalid("there is nothing to change: give content, importance or tags.")
        title_made = was_made(self._brain, memory)

        def changed(now: Memory) -> Memory:
            extra = {**now.extra}
            if content is not None and title_made:
                extra["title"] = heading(content)
            if importance is not None:
                extra["importance"] = f"{share(importance):g}"
            kept = now.tags if tags is None else tuple(self._written(tags))
            return replace(now, content=now.content if content is None else content, tags=kept, extra=extra)

        self._brain.amend(memory.id, changed, as_read=True)
        return {"success": True, "memory_id": uid(memory), "updated_fields": fields}

    # Relationships

    def connect(self, from_memory: str, to_memory: str, relationship_type: str, strength: float = 0.5) -> Row:
        source, target = self._find(from_memory), self._find(to_memory)
        try:
            link = self._links.connect(source.id, target.id, relationship_type, share(strength))
        except AlreadyExists:
            both = f"'{uid(source)}' and '{uid(target)}'"
            raise AlreadyExists(f"{both} are connected by '{relationship_type}' already; explore shows it.") from None
        return {
            "success": True,
            "relationship_id": self._relationship(source, link, target),
            "from_memory": uid(source),
            "to_memory": uid(target),
            "relationship_type": link.relation,
            "strength": link.strength,
        }

    def disconnect(self, from_memory: str, to_memory: str) -> Row | Reply:
        if "disconnect" not in self.allowed:
            return fault({"error": "Forbidden", "status_code": 403})
        source, target = self._find(from_memory), self._find(to_memory)
        removed = self._links.disconnect(source.id, lambda link: link.target == target.id)
        if not removed:
            raise NotFound("no relationship leads from the one to the other; explore shows those there are.")
        return {"success": True, "removed": removed}

    def explore(self, start_memory: str, max_depth: int = 3, relationship_types: Sequence[str] = ()) -> Row:
        start = self._find(start_memory)
        ways = self._links.explore(start.id, within(max_depth, 1, 10), relationship_types)
        answer = {
            "success": True,
            "start_memory": uid(start),
            "paths_found": len(ways),
            "max_depth_reached": max((len(way.edges) for way in ways), default=0),
            "paths": [self._path(way) for way in ways],
        }
        return answer if ways else answer | {"message": "No connections found from this memory"}

    def _path(self, way: Way) -> Row:
        nodes = [
            {"id": uid(m), "preview": m.content[:PREVIEW], "type": type_of(m), "tags": list(m.tags)}
            for m in way.memories
        ]
        relationships = [
            {"id": row["id"], "type": row["type"], "strength": row["strength"]} for row in map(self._related, way.edges)
        ]
        return {"nodes": nodes, "relationships": relationships, "depth": len(way.edges)}

    def _related(self, edge: Edge) -> Row:
        source, target = self._brain.find(edge.source), self._brain.find(edge.target)
        return {
            "id": self._relationship(source, edge.link, target),
            "type": edge.link.relation,
            "strength": edge.link.strength,
            "from_memory": uid(source),
            "to_memory": uid(target),
        }

    def _relationship(self, source: Memory, link: Link, target: Memory) -> str:
        return made_uid(uid(source), link.relation, uid(target))

    def reflect(
        self, time_window: str = "recent", include_documents: bool = False, start_date: str = "", end_date: str = ""
    ) -> Row:
        start, end = date_in("start_date", start_date), date_in("end_date", end_date, last=True)
        seen = self._reflection.on(time_window, start, end)
        top = [
            {
                "content": memory.content[:PREVIEW],
                "type": type_of(memory),
                "importance": importance_of(memory),
                "score": round(score, 4),
            }
            for memory, score in seen.top
        ]
        insights = [
            {"type": relation, "count": count, "description": f"{count} {relation} relationship{'s'[: count > 1]}"}
            for relation, count in seen.relations
        ]
        answer = {
            "success": True,
            "time_window": time_window,
            "memories_analyzed": seen.analyzed,
            "active_topics": seen.topics,
            "top_memories": top,
            "patterns": seen.patterns,
            "insights": insights,
        }
        return answer | {"note": NO_DOCUMENTS} if include_documents else answer

    # Contexts

    def save_context(self, name: str, description: str = "") -> Row:
        name = name.strip()
        check("name", name, LONGEST_NAME)
        check("description", description or "-", LONGEST)
        if name.casefold() == AWAKENING:
            raise Invalid(f"the name '{AWAKENING}' is the briefing's; choose another one.")
        saved = self._contexts.save(name, description)
        answer = {
            "success": True,
            "message": f"Context '{title(saved.memory)}' saved",
            "context_id": uid(saved.memory),
            "memories_included": len(saved.held),
            "name": title(saved.memory),
            "references_extracted": saved.extracted,
            "references_resolved": saved.extracted - len(saved.unresolved),
        }
        if saved.unresolved:
            hint = "Write references as `memory_id: UUID` or `memory: 'words of the memory'`; recall finds both."
            answer |= {"unresolved_references": saved.unresolved, "hint": hint}
        return answer

    def restore_context(self, name: str, limit: int = 20) -> Row:
        if name.strip().casefold() == AWAKENING:
            return {"success": True, "name": AWAKENING, "briefing": self._persona.briefing()}
        contexts = self._contexts
        context = contexts.find(name.strip())
        limit, held = within(limit, 1, MOST), contexts.held(context)
        rows = [
            {
                "id": uid(memory),
                "content": memory.content[:PREVIEW],
                "memory_type": type_of(memory),
                "created_at": memory.created,
            }
            for memory in held[:limit]
        ]
        return {
            "success": True,
            "context_id": uid(context),
            "name": title(context),
            "description": contexts.description(context),
            "memories": rows,
            "count": len(rows),
            "saved_count": len(contexts.listed(context)),
            "truncated": len(held) > limit,
        }

    def list_contexts(
        self, limit: int = 20, offset: int = 0, name_pattern: str = "", include_descriptions: bool = False
    ) -> Row:
        contexts, limit, offset = self._contexts, within(limit, 1, MOST), max(0, offset)
        found = contexts.all(name_pattern)
        rows = [
            {
                "id": uid(context),
                "name": title(context),
                "memory_count": len(contexts.listed(context)),
                "created": context.created,
                **({"description": contexts.description(context)} if include_descriptions else {}),
            }
            for context in found[offset : offset + limit]
        ]
        page = {"total": len(found), "limit": limit, "offset": offset, "has_more": offset + limit < len(found)}
        return {"success": True, **page, "contexts": rows}

    # Artifacts

    def save_artifact(self, content: str, path: str) -> Row:
        size = self._artifacts.save(path, content)
        row = {"success": True, "message": "Artifact saved", "path": path}
        uid = made_uid("artifact", path)
        return row | {"artifact_id": uid, "content_type": content_type(path), "size": size}

    def retrieve_artifact(self, path: str) -> Row:
        content = self._artifacts.read(path)
        row = {"success": True, "content": content, "path": path}
        return row | {"content_type": content_type(path), "size": len(content.encode())}

    def list_artifacts(self, path_prefix: str = "/", prefix: str = "") -> Row:
        path = prefix if prefix and path_prefix == "/" else path_prefix
        folders, files = self._artifacts.inside(path)
        rows = [
            {
                "name": file.name,
                "size": file.size,
                "content_type": content_type(file.name),
                "last_modified": file.modified,
            }
            for file in files
        ]
        return {"success": True, "path": path.rstrip("/") or "/", "folders": folders, "files": rows}

    def delete_artifact(self, path: str) -> Row:
        self._artifacts.delete(path)
        return {"success": True, "message": "Artifact deleted", "path": path}

    # Helpers

    def _written(self, tags: Iterable[str]) -> list[str]:
        """Return tags as they are written: looked at for secrets before they are spelled as tags are."""
        return tags_in(map(self._brain.without_secrets, tags))

    def _find(self, reference: str) -> Memory:
        return find(self._titles, reference)
