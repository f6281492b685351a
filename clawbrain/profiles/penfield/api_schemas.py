"""The schemas of Penfield's HTTP API: bodies and parameters made from the tools' own schemas, and the answers."""

from collections.abc import Mapping
from typing import Any

from .. import SPEC, read
from .types import TYPES

Schema = dict[str, Any]

_TOOLS: Mapping[str, Any] = {tool["name"]: tool for tool in read("penfield", SPEC)["tools"]}


def taken(tool: str, without: str = "", **renamed: str) -> Schema:
    """Return the schema of a tool's arguments, with some of them under another name and one left out."""
    schema = _TOOLS[tool]["inputSchema"]
    names = {name: renamed.get(name, name) for name in schema["properties"] if name != without}
    properties = {names[name]: part for name, part in schema["properties"].items() if name in names}
    required = [names[name] for name in schema.get("required", ()) if name in names]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def parameters(tool: str) -> Mapping[str, Schema]:
    """Return the schemas of a tool's arguments by name, for a query."""
    found: Mapping[str, Schema] = taken(tool)["properties"]
    return found


def _object(optional: Mapping[str, Schema] | None = None, /, **required: Schema) -> Schema:
    properties = {**required, **(optional or {})}
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _answer(optional: Mapping[str, Schema] | None = None, /, **required: Schema) -> Schema:
    return _object(optional, success={"const": True}, **required)


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


_TEXT: Schema = {"type": "string"}
_MOMENT: Schema = {"type": "string", "description": "ISO 8601, UTC"}
_WHOLE: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": "number"}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_TAGS = _list(_TEXT)
_PAGE = {"total": _WHOLE, "limit": _WHOLE, "offset": _WHOLE, "has_more": {"type": "boolean"}}
_PART = {"limit": _TOOLS["list_contexts"]["inputSchema"]["properties"]["limit"], "offset": {**_WHOLE, "default": 0}}

# What is sent

_CHECKPOINT = "with memory_type checkpoint: "
_STORE, _SAVE = parameters("store"), parameters("save_context")
NEW_MEMORY: Schema = {
    "type": "object",
    "properties": {
        **_STORE,
        "content": {**_STORE["content"], "description": "needed, except with memory_type checkpoint"},
        "memory_type": {
            "type": "string",
            "enum": list(TYPES),
            "description": "found from the words where it is left out; checkpoint saves a context",
        },
        "name": {**_SAVE["name"], "description": f"{_CHECKPOINT}the name of the context, needed then"},
        "description": {
            **_SAVE["description"],
            "description": f"{_CHECKPOINT}what it is about; content stands for it where it is left out",
        },
    },
}
CHANGES = {**taken("update_memory", without="memory_id"), "minProperties": 1}
RELATIONSHIP = taken("connect", from_memory="from_id", to_memory="to_id")
ENDS: Mapping[str, Schema] = {"from_id": _TEXT, "to_id": _TEXT}
TRAVERSAL = taken("explore", start_memory="start_memory_id")
LISTING: Mapping[str, Schema] = {
    "memory_type": {"type": "string", "description": "only memories of this type; checkpoint lists the contexts"},
    **_PART,
    "name_pattern": {"type": "string", "description": "a part of the title, in any case"},
    "include_descriptions": {"type": "boolean", "default": False, "description": "of contexts"},
    "name": {"type": "string", "description": "restores the context of this name; awakening answers the briefing"},
}
_PART_OF_PATH = "/[A-Za-z0-9_-][A-Za-z0-9._-]*"
PATH: Mapping[str, Schema] = {
    "path": {
        "type": "string",
        "pattern": f"^({_PART_OF_PATH}){{1,10}}$",
        "description": "starts with /, names a file",
    }
}
FOLDER: Mapping[str, Schema] = {
    name: {**schema, "pattern": f"^(/|({_PART_OF_PATH}){{1,10}}/?)$"}
    for name, schema in parameters("list_artifacts").items()
}
NEW_ARTIFACT: Schema = {
    "type": "object",
    "properties": {**parameters("save_artifact"), **PATH},
    "required": ["content", "path"],
}

# What is answered

BRIEFING = _answer(briefing=_TEXT)
_STORED = _answer(memory_id=_TEXT, memory_type=_TEXT, importance=_SHARE, tags=_TAGS, created_at=_MOMENT)
_CONTEXT_SAVED = _answer(
    {"unresolved_references": _TAGS, "hint": _TEXT},
    message=_TEXT,
    context_id=_TEXT,
    memories_included=_WHOLE,
    name=_TEXT,
    references_extracted=_WHOLE,
    references_resolved=_WHOLE,
)
MADE: Schema = {"anyOf": [_STORED, _CONTEXT_SAVED]}
_MEMORIES = _answer(
    **_PAGE,
    memories=_list(
        _object(
            id=_TEXT,
            content=_TEXT,
            memory_type=_TEXT,
            importance=_SHARE,
            tags=_TAGS,
            created_at=_MOMENT,
            updated_at=_MOMENT,
        )
    ),
)
_CONTEXTS = _answer(
    **_PAGE, contexts=_list(_object({"description": _TEXT}, id=_TEXT, name=_TEXT, memory_count=_WHOLE, created=_MOMENT))
)
_RESTORED = _answer(
    context_id=_TEXT,
    name=_TEXT,
    description=_TEXT,
    memories=_list(_object(id=_TEXT, content=_TEXT, memory_type=_TEXT, created_at=_MOMENT)),
    count=_WHOLE,
    saved_count=_WHOLE,
    truncated={"type": "boolean"},
)
LISTED: Schema = {"anyOf": [_MEMORIES, _CONTEXTS, _RESTORED, _answer(name=_TEXT, briefing=_TEXT)]}
_EDGE = {"id": _TEXT, "type": _TEXT, "strength": _NUMBER}
FETCHED = _object(
    id=_TEXT,
    title=_TEXT,
    text=_TEXT,
    url={"type": "string", "description": "an address that names the memory; no page is served there"},
    metadata=_object(
        memory_type=_TEXT,
        importance=_SHARE,
        tags=_TAGS,
        created_at=_MOMENT,
        updated_at=_MOMENT,
        access_count=_WHOLE,
        relationships=_list(_object(**_EDGE, from_memory=_TEXT, to_memory=_TEXT)),
    ),
)
CHANGED = _answer(memory_id=_TEXT, updated_fields=_TAGS)
ARCHIVED = _answer(message=_TEXT, memory_id=_TEXT)
FOUND = _answer(
    {"note": _TEXT},
    query=_TEXT,
    found=_WHOLE,
    memories=_list(_object(id=_TEXT, content=_TEXT, type=_TEXT, relevance=_NUMBER, created=_MOMENT, tags=_TAGS)),
)
RELATED = _answer(relationship_id=_TEXT, from_id=_TEXT, to_id=_TEXT, relationship_type=_TEXT, strength=_SHARE)
REMOVED = _answer(removed=_WHOLE, from_id=_TEXT, to_id=_TEXT)
PATHS = _answer(
    {"message": _TEXT},
    start_memory=_TEXT,
    paths_found=_WHOLE,
    max_depth_reached=_WHOLE,
    paths=_list(
        _object(
            nodes=_list(_object(id=_TEXT, preview=_TEXT, type=_TEXT, tags=_TAGS)),
            relationships=_list(_object(**_EDGE)),
            depth=_WHOLE,
        )
    ),
)
REFLECTION = _answer(
    {"note": _TEXT},
    time_window=_TEXT,
    memories_analyzed=_WHOLE,
    active_topics=_TAGS,
    top_memories=_list(_object(content=_TEXT, type=_TEXT, importance=_SHARE, score=_NUMBER)),
    patterns=_TAGS,
    insights=_list(_object(type=_TEXT, count=_WHOLE, description=_TEXT)),
)
_FILE = {"path": _TEXT, "content_type": _TEXT, "size": _WHOLE}
ARTIFACT_SAVED = _answer(**_FILE, message=_TEXT, artifact_id=_TEXT)
ARTIFACT = _answer(**_FILE, content=_TEXT)
ARTIFACT_DELETED = _answer(message=_TEXT, path=_TEXT)
ARTIFACTS = _answer(
    path=_TEXT,
    folders=_TAGS,
    files=_list(_object(name=_TEXT, size=_WHOLE, content_type=_TEXT, last_modified=_MOMENT)),
)
REFUSAL: Schema = {
    "anyOf": [
        _object(success={"const": False}, error=_TEXT, error_code=_TEXT, operation=_TEXT),
        _object(error={"const": "Forbidden"}, status_code={"const": 403}),
    ]
}
