"""Penfield's tools: typed memories with uids, their relationships, contexts, a briefing, and artifacts."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ...errors import AlreadyExists, Archived, Broken, Busy, Changed, ClawbrainError, Invalid, NotFound
from ...memory.model import moment, stamp
from .. import Reply
from ..shared.importance import importance
from ..shared.links import STUB, Links, Way
from ..shared.persona import Persona
from ..shared.titles import Titles, made_uid, title, uid
from .artifacts import Artifacts
from .contexts import Contexts
from .reflection import Reflection

if TYPE_CHECKING:
    from ...brain import Brain
    from ...memory.links import Edge, Link
    from ...memory.model import Memory

    Row = dict[str, Any]

LONGEST, LONGEST_QUERY, LONGEST_NAME, MOST_TAGS, MOST = 10_000, 4_000, 200, 10, 100
LEAST = 0.05  # relevance
PREVIEW = 200
IMPORTANCE = 0.5
AWAKENING = "awakening"
TYPES = (
    ("correction", r"\bcorrection\b|\bactually\b"),
    ("task", r"\btodo\b|\bfollow[ -]?up\b"),
    ("reference", r"https?://"),
    ("strategy", r"\bwhen\b.*\balways\b"),
    ("insight", r"\bpatterns?\b|\breali[sz]ed?\b"),
    ("conversation", r"\bdiscuss(?:ed|ion)\b|\bsessions?\b"),
)
EPISODES = ("conversation", "task")
PLURALS = {"strategy": "strategies"}
KINDS = {
    "checkpoint": "checkpoint", "context": "checkpoint", "decision": "strategy", "persona": "identity_core",
    "rule": "strategy",
}  # fmt: skip
CONTENT_TYPES = {
    "md": "text/markdown", "txt": "text/plain", "json": "application/json", "yaml": "application/yaml",
    "yml": "application/yaml", "toml": "application/toml", "xml": "application/xml", "html": "text/html",
    "htm": "text/html", "css": "text/css", "csv": "text/csv", "js": "text/javascript", "ts": "text/typescript",
    "py": "text/x-python", "sh": "text/x-shellscript", "sql": "application/sql", "svg": "image/svg+xml",
}  # fmt: skip
NO_DOCUMENTS = "documents are not kept locally; only memories are searched"


class Profile:
    """Penfield's tools; each public method is one of them."""

    allowed: Collection[str] = ()
    """The permissions that the server was started with."""

    def __init__(self, brain: Brain) -> None:
        self._brain = brain
        self._titles, self._links, self._persona = Titles(brain), Links(brain), Persona(brain)
        self._contexts, self._artifacts, self._reflection = Contexts(brain), Artifacts(brain), Reflection(brain)

    def awaken(self) -> Row:
        return {"success": True, "briefing": self._persona.briefing()}

    # Memories

    def store(self, content: str, tags: Sequence[str] = (), importance: float = IMPORTANCE) -> Row:
        _check("content", content, LONGEST)
        type, uid, share = _detected(content), str(uuid4()), _share(importance)
        title = _title(content)
        extra = {"uid": uid, "memory_type": type, "importance": f"{share:g}"}
        words: Row = {"mark": uid[:8], "tags": _tags(tags)}
        if type in EPISODES:  # the kind keeps compaction from merging memories that callers know by uid
            made = self._titles.keep("episode", title, content, extra={**extra, "kind": type}, **words)
        else:
            words["category"] = PLURALS.get(type, f"{type}s")
            made = self._titles.keep("entity", title, content, extra=extra, **words)
        row = {"success": True, "memory_id": uid, "memory_type": type, "importance": share}
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
        _check("query", query, LONGEST_QUERY)
        start, end = _date("start_date", start_date), _date("end_date", end_date, last=True)
        if source_type == "document":
            return {"success": True, "query": query, "found": 0, "memories": [], "note": NO_DOCUMENTS}
        wanted = _Wanted(_tags(tags, most=MOST), start, end)
        found = [
            {
                "id": self._uid(memory),
                "content": memory.content,
                "type": _type(memory),
                "relevance": relevance,
                "created": memory.created,
                "tags": list(memory.tags),
            }
            for memory, relevance in self._found(query, limit, wanted)
        ]
        return {"success": True, "query": query, "found": len(found), "memories": found}

    def search(self, query: str, limit: int = 10) -> Row:
        _check("query", query, LONGEST_QUERY)
        return {"results": [self._cited(memory) for memory, _ in self._found(query, limit, _Wanted())]}

    def _found(self, query: str, limit: int, wanted: _Wanted) -> list[tuple[Memory, float]]:
        """Return the memories a query finds, with their relevance, leaving out those below LEAST."""
        ranked = self._brain.search(query, limit=_within(limit, 1, MOST), only=wanted.fits, most=MOST, noted=False)
        pairs = ((self._brain.known(hit.id), round(hit.relevance, 4)) for hit in ranked.hits)
        found = [(memory, relevance) for memory, relevance in pairs if memory and relevance >= LEAST]
        self._brain.shown([memory.id for memory, _ in found], ranked.kind)
        return found

    def _cited(self, memory: Memory) -> Row:
        url = self._titles.url(memory)
        return {"id": self._uid(memory), "title": self._titled(memory), "url": url, "text": memory.content}

    def fetch(self, id: str) -> Row:
        read = self._brain.retrieve(self._find(id).id)
        memory, cited = read.memory, self._cited(read.memory)
        metadata = {
            "memory_type": _type(memory),
            "importance": self._importance(memory),
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
            _check("content", content, LONGEST)
        given = {"content": content, "importance": importance, "tags": tags}
        fields = [field for field, value in given.items() if value is not None]
        if not fields:
            raise Invalid("there is nothing to change: give content, importance or tags.")

        def changed(now: Memory) -> Memory:
            extra = {**now.extra}
            if content is not None and extra.get("title") == _title(now.content):
                extra["title"] = _title(content)
            if importance is not None:
                extra["importance"] = f"{_share(importance):g}"
            kept = now.tags if tags is None else tuple(_tags(tags))
            return replace(now, content=now.content if content is None else content, tags=kept, extra=extra)

        self._brain.amend(memory.id, changed, as_read=content is not None)
        return {"success": True, "memory_id": self._uid(memory), "updated_fields": fields}

    # Relationships

    def connect(self, from_memory: str, to_memory: str, relationship_type: str, strength: float = 0.5) -> Row:
        source, target = self._find(from_memory), self._find(to_memory)
        link = self._links.connect(source.id, target.id, relationship_type, _share(strength))
        return {
            "success": True,
            "relationship_id": self._relationship(source, link, target),
            "from_memory": self._uid(source),
            "to_memory": self._uid(target),
            "relationship_type": link.relation,
            "strength": link.strength,
        }

    def disconnect(self, from_memory: str, to_memory: str) -> Row | Reply:
        if "disconnect" not in self.allowed:
            return _fault({"error": "Forbidden", "status_code": 403})
        source, target = self._find(from_memory), self._find(to_memory)
        removed = self._links.disconnect(source.id, lambda link: link.target == target.id)
        if not removed:
            raise NotFound("no relationship leads from the one to the other; explore shows those there are.")
        return {"success": True, "removed": removed}

    def explore(self, start_memory: str, max_depth: int = 3, relationship_types: Sequence[str] = ()) -> Row:
        start = self._find(start_memory)
        ways = self._links.explore(start.id, _within(max_depth, 1, 10), relationship_types)
        answer = {
            "success": True,
            "start_memory": self._uid(start),
            "paths_found": len(ways),
            "max_depth_reached": max((len(way.edges) for way in ways), default=0),
            "paths": [self._path(way) for way in ways],
        }
        return answer if ways else answer | {"message": "No connections found from this memory"}

    def _path(self, way: Way) -> Row:
        nodes = [
            {"id": self._uid(m), "preview": m.content[:PREVIEW], "type": _type(m), "tags": list(m.tags)}
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
            "from_memory": self._uid(source),
            "to_memory": self._uid(target),
        }

    def _relationship(self, source: Memory, link: Link, target: Memory) -> str:
        return made_uid(self._uid(source), link.relation, self._uid(target))

    def reflect(
        self, time_window: str = "recent", include_documents: bool = False, start_date: str = "", end_date: str = ""
    ) -> Row:
        start, end = _date("start_date", start_date), _date("end_date", end_date, last=True)
        seen = self._reflection.on(time_window, start, end)
        top = [
            {
                "content": memory.content[:PREVIEW],
                "type": _type(memory),
                "importance": self._importance(memory),
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
        _check("name", name, LONGEST_NAME)
        _check("description", description or "-", LONGEST)
        if name.casefold() == AWAKENING:
            raise Invalid(f"the name '{AWAKENING}' is the briefing's; choose another one.")
        saved = self._contexts.save(name, description)
        answer = {
            "success": True,
            "message": f"Context '{name}' saved",
            "context_id": self._uid(saved.memory),
            "memories_included": len(saved.held),
            "name": name,
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
        limit, held = _within(limit, 1, MOST), contexts.held(context)
        rows = [
            {
                "id": self._uid(memory),
                "content": memory.content[:PREVIEW],
                "memory_type": _type(memory),
                "created_at": memory.created,
            }
            for memory in held[:limit]
        ]
        return {
            "success": True,
            "context_id": self._uid(context),
            "name": self._titled(context),
            "description": contexts.description(context),
            "memories": rows,
            "count": len(rows),
            "saved_count": len(contexts.listed(context)),
            "truncated": len(held) > limit,
        }

    def list_contexts(
        self, limit: int = 20, offset: int = 0, name_pattern: str = "", include_descriptions: bool = False
    ) -> Row:
        contexts, limit, offset = self._contexts, _within(limit, 1, MOST), max(0, offset)
        found = contexts.all(name_pattern)
        rows = [
            {
                "id": self._uid(context),
                "name": self._titled(context),
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
        return row | {"artifact_id": uid, "content_type": _content_type(path), "size": size}

    def retrieve_artifact(self, path: str) -> Row:
        content = self._artifacts.read(path)
        row = {"success": True, "content": content, "path": path}
        return row | {"content_type": _content_type(path), "size": len(content.encode())}

    def list_artifacts(self, path_prefix: str = "/", prefix: str = "") -> Row:
        path = prefix if prefix and path_prefix == "/" else path_prefix
        folders, files = self._artifacts.inside(path)
        rows = [
            {
                "name": file.name,
                "size": file.size,
                "content_type": _content_type(file.name),
                "last_modified": file.modified,
            }
            for file in files
        ]
        return {"success": True, "path": path.rstrip("/") or "/", "folders": folders, "files": rows}

    def delete_artifact(self, path: str) -> Row:
        self._artifacts.delete(path)
        return {"success": True, "message": "Artifact deleted", "path": path}

    # Helpers

    def _find(self, reference: str) -> Memory:
        """Return the memory of a reference; raise NotFound in Penfield's words."""
        try:
            return self._titles.find(reference)
        except Archived:
            raise
        except NotFound:
            raise NotFound("Memory not found") from None

    def _uid(self, memory: Memory) -> str:
        return uid(memory)

    def _titled(self, memory: Memory) -> str:
        return title(memory)

    def _importance(self, memory: Memory) -> float:
        return importance(memory)


class _Wanted:
    """The filter of a recall: tags and dates."""

    def __init__(self, tags: Collection[str] = (), start: str = "", end: str = "") -> None:
        self.tags, self.start, self.end = set(tags), start, end

    def fits(self, memory: Memory) -> bool:
        if memory.kind == STUB or (self.tags and self.tags.isdisjoint(map(_tag, memory.tags))):
            return False
        return self.start <= memory.created <= (self.end or memory.created)


def refused(tool: str, refusal: ClawbrainError) -> Reply:
    """Return a refusal in Penfield's form, with its error code."""
    sentence = str(refusal)
    if isinstance(refusal, Changed):
        sentence = f"{sentence} {refusal.current}"
    return _fault(
        {"success": False, "error": sentence, "error_code": _code(tool, refusal), "operation": tool},
    )


def _code(tool: str, refusal: ClawbrainError) -> str:
    if isinstance(refusal, NotFound | Archived):
        return "NOT_FOUND"
    if isinstance(refusal, Changed):
        return "CONFLICT"
    if isinstance(refusal, AlreadyExists):
        return "DUPLICATE_NAME" if tool == "save_context" else "ALREADY_EXISTS"
    if isinstance(refusal, Invalid):
        return "INVALID_PATH" if type(refusal).__name__ == "BadPath" else "VALIDATION_ERROR"
    if isinstance(refusal, Busy):
        return "BUSY"
    return "INTERNAL_ERROR" if isinstance(refusal, Broken) else "FORBIDDEN"


def _fault(answer: Row) -> Reply:
    return Reply(json.dumps(answer, ensure_ascii=False, separators=(",", ":")), answer, fault=True)


def _detected(content: str) -> str:
    """Return the memory type that the words of a text suggest."""
    for type, words in TYPES:
        if re.search(words, content, re.IGNORECASE | re.DOTALL):
            return type
    return "fact"


def _type(memory: Memory) -> str:
    own = memory.extra.get("memory_type")
    if isinstance(own, str) and own:
        return own
    return KINDS.get(memory.kind) or ("conversation" if memory.type == "episode" else "fact")


def _title(content: str) -> str:
    first = next((line.strip("# \t") for line in content.splitlines() if line.strip("# \t")), "")
    return first if len(first) <= 80 else f"{first[:79]}…"


def _tags(tags: Iterable[str], most: int = MOST_TAGS) -> list[str]:
    found = list(dict.fromkeys(tag for given in tags if (tag := _tag(given))))
    if len(found) > most:
        raise Invalid(f"{len(found)} tags are too many; {most} is the most.")
    return found


def _tag(tag: str) -> str:
    return re.sub(r"[\s_]+", "-", tag.strip().lower())


def _check(what: str, text: str, longest: int) -> None:
    if not text.strip():
        raise Invalid(f"{what} is empty; give 1 to {longest} characters.")
    if len(text) > longest:
        raise Invalid(f"{what} has {len(text)} characters; {longest} is the most.")


def _date(what: str, text: str, last: bool = False) -> str:
    """Return a moment to compare with; a bare date means its first second or, with `last`, its last."""
    if not text:
        return ""
    try:
        return stamp(moment(f"{text}T23:59:59" if last and re.fullmatch(r"[\d-]+", text) else text))
    except (ValueError, OverflowError):
        raise Invalid(f"{what} is not a date; write 2026-02-25 or 2026-02-25T10:00:00Z.") from None


def _content_type(path: str) -> str:
    return CONTENT_TYPES.get(path.rpartition(".")[2].lower(), "text/plain")


def _share(number: float) -> float:
    return max(0.0, min(1.0, float(number)))


def _within(number: int, least: int, most: int) -> int:
    return max(least, min(number, most))
