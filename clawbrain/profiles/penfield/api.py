"""Penfield's HTTP API: each endpoint calls a tool, or does with the brain what the tools have no verb for.

Answers are those of the tools, refusals have their words and error codes, and the ends of a relationship are called
`from_id` and `to_id`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import ClawbrainError, Invalid, ReadOnly
from .. import checked
from ..shared.endpoint_words import query_values
from ..shared.endpoints import API, Endpoint, HttpAnswer, HttpFault
from ..shared.importance import importance
from ..shared.titles import Titles, uid
from . import api_schemas as schemas
from .arguments import MOST, within
from .lookup import find, newest_first
from .refusals import code, in_form, sentence
from .tools import Profile
from .types import CHECKPOINT, type_of

if TYPE_CHECKING:
    from ..shared.endpoints import HttpCall, Schema

    Row = dict[str, Any]

FORBIDDEN, BUSY = "FORBIDDEN", "BUSY"
_STATUSES = {
    "NOT_FOUND": 404, "VALIDATION_ERROR": 400, "INVALID_PATH": 400, "CONFLICT": 409, "ALREADY_EXISTS": 409,
    "DUPLICATE_NAME": 409, FORBIDDEN: 403, BUSY: 503, "INTERNAL_ERROR": 500,
}  # fmt: skip


# Memories


def _awaken(call: HttpCall) -> Row:
    return _tool(call, "awaken")


def _store(call: HttpCall, memory_type: str = "", name: str = "", description: str = "", **words: Any) -> Row:
    if memory_type == CHECKPOINT:
        if not name:
            raise Invalid("'name' is missing; a checkpoint needs one.")
        return _tool(call, "save_context", name=name, description=description or words.get("content", ""))
    if "content" not in words:
        raise Invalid("'content' is missing.")
    return _tool(call, "store", **words, memory_type=memory_type)


def _list(
    call: HttpCall, limit: int, offset: int, memory_type: str = "", name_pattern: str = "", **of_contexts: Any
) -> Row:
    """List the memories or the contexts, or restore the context that is named."""
    if "name" in of_contexts:
        return _tool(call, "restore_context", name=of_contexts["name"], limit=limit)
    if memory_type == CHECKPOINT:
        page = {"limit": limit, "offset": offset}
        return _tool(call, "list_contexts", **page, name_pattern=name_pattern, **of_contexts)
    limit, offset = within(limit, 1, MOST), max(0, offset)
    found = newest_first(call.brain, memory_type, name_pattern)
    rows = [
        {
            "id": uid(memory),
            "content": memory.content,
            "memory_type": type_of(memory),
            "importance": importance(memory),
            "tags": list(memory.tags),
            "created_at": memory.created,
            "updated_at": memory.updated,
        }
        for memory in found[offset : offset + limit]
    ]
    page = {"total": len(found), "limit": limit, "offset": offset, "has_more": offset + limit < len(found)}
    return {"success": True, **page, "memories": rows}


def _fetch(call: HttpCall) -> Row:
    return _tool(call, "fetch", id=call.path["id"])


def _update(call: HttpCall, **words: Any) -> Row:
    return _tool(call, "update_memory", memory_id=call.path["id"], **words)


def _archive(call: HttpCall) -> Row:
    memory = find(Titles(call.brain), call.path["id"])
    call.brain.archive(memory.id)
    return {"success": True, "message": "Memory archived", "memory_id": uid(memory)}


def _recall(call: HttpCall, **words: Any) -> Row:
    return _tool(call, "recall", **words)


# Relationships


def _connect(call: HttpCall, from_id: str, to_id: str, **words: Any) -> Row:
    made = _tool(call, "connect", from_memory=from_id, to_memory=to_id, **words)
    names = {"from_memory": "from_id", "to_memory": "to_id"}
    return {names.get(key, key): value for key, value in made.items()}


def _disconnect(call: HttpCall, from_id: str, to_id: str) -> Row:
    titles = Titles(call.brain)
    ends = {"from_id": uid(find(titles, from_id)), "to_id": uid(find(titles, to_id))}
    tools = Profile(call.brain)
    tools.allowed = ("disconnect",)  # a token that may write may do this; no option of the server is needed
    return {**_done(tools, "disconnect", from_memory=from_id, to_memory=to_id), **ends}


def _explore(call: HttpCall, start_memory_id: str, **words: Any) -> Row:
    return _tool(call, "explore", start_memory=start_memory_id, **words)


def _reflect(call: HttpCall, **words: Any) -> Row:
    return _tool(call, "reflect", **words)


# Artifacts


def _save_artifact(call: HttpCall, content: str, path: str) -> Row:
    return _tool(call, "save_artifact", content=content, path=path)


def _artifact(call: HttpCall, path: str) -> Row:
    return _tool(call, "retrieve_artifact", path=path)


def _delete_artifact(call: HttpCall, path: str) -> Row:
    return _tool(call, "delete_artifact", path=path)


def _artifacts(call: HttpCall, **words: Any) -> Row:
    return _tool(call, "list_artifacts", **words)


# The table


def _tool(call: HttpCall, name: str, /, **words: Any) -> Row:
    """Return what a tool answers; its refusal names the tool, whatever the endpoint is called."""
    return _done(call.profile, name, **words)


def _done(tools: Profile, name: str, /, **words: Any) -> Row:
    try:
        answer: Row = getattr(tools, name)(**words)
        return answer
    except ClawbrainError as refusal:
        raise _fault(name, refusal) from None


def _endpoint(
    route: str,
    name: str,
    summary: str,
    work: Callable[..., Row],
    answers: Schema,
    *,
    status: int = 200,
    write: bool = False,
    query: Mapping[str, Schema] | None = None,
    required: Collection[str] = (),
    body: Schema | None = None,
) -> Endpoint:
    """Return the endpoint of a route ("GET /path"). `work` gets the call and the words of its query and body."""
    method, path = route.split()
    properties = {**(query or {}), **(body or {}).get("properties", {})}
    needed = [*required, *(body or {}).get("required", ())]
    arguments = {"name": name, "inputSchema": {"properties": properties, "required": needed}}

    def answer(call: HttpCall) -> HttpAnswer:
        try:
            given = {**query_values(call.query, query or {}), **(call.body or {} if body else {})}
            return HttpAnswer(work(call, **checked(arguments, given, unknown="ignored")), status)
        except ClawbrainError as refusal:
            raise _fault(name, refusal) from None

    told = {status: answers, **({409: schemas.REFUSAL} if write else {})}
    scope = "write" if write else "read"
    return Endpoint(method, path, name, summary, answer, scope, query or {}, required=required, body=body, answers=told)


def _fault(operation: str, refusal: ClawbrainError) -> HttpFault:
    word = code(operation, refusal)
    if word == FORBIDDEN and not isinstance(refusal, ReadOnly):
        word = "CONFLICT"  # it is not a matter of who asks
    wait = {"retry_after": 1} if word == BUSY else {}
    return HttpFault(_STATUSES[word], word, sentence(refusal), operation=operation, **wait)


def refusal(fault: HttpFault, operation: str) -> Mapping[str, Any]:
    """Return the body of a refusal; one for want of a scope has a form of its own."""
    if fault.further.get("scope"):
        return {"error": "Forbidden", "status_code": 403}
    return in_form(str(fault), fault.code, fault.further.get("operation", operation))


V2 = "/api/v2"
ENDPOINTS = [
    _endpoint(
        f"GET {V2}/personality/awakening", "awaken", "Return the briefing: persona, rules, preferences.",
        _awaken, schemas.BRIEFING,
    ),
    _endpoint(
        f"POST {V2}/memories", "store", "Store a memory; one of the type checkpoint saves a context.",
        _store, schemas.MADE, status=201, write=True, body=schemas.NEW_MEMORY,
    ),
    _endpoint(
        f"GET {V2}/memories", "list_memories", "List memories or contexts, newest first, or restore a context.",
        _list, schemas.LISTED, query=schemas.LISTING,
    ),
    _endpoint(
        f"GET {V2}/memories/{{id}}", "fetch", "Return a memory in full, with its relationships.",
        _fetch, schemas.FETCHED,
    ),
    _endpoint(
        f"PUT {V2}/memories/{{id}}", "update_memory", "Change the content, importance or tags of a memory.",
        _update, schemas.CHANGED, write=True, body=schemas.CHANGES,
    ),
    _endpoint(
        f"DELETE {V2}/memories/{{id}}", "archive_memory", "Move a memory into the archive.",
        _archive, schemas.ARCHIVED, write=True,
    ),
    _endpoint(
        f"POST {V2}/search/hybrid", "recall", "Find memories by words, tags and dates, the best first.",
        _recall, schemas.FOUND, body=schemas.taken("recall"),
    ),
    _endpoint(
        f"POST {V2}/relationships", "connect", "Relate two memories.",
        _connect, schemas.RELATED, status=201, write=True, body=schemas.RELATIONSHIP,
    ),
    _endpoint(
        f"POST {V2}/relationships/traverse", "explore", "Return the paths that lead from a memory along relationships.",
        _explore, schemas.PATHS, body=schemas.TRAVERSAL,
    ),
    _endpoint(
        f"DELETE {V2}/relationships/between", "disconnect", "Remove the relationships from one memory to another.",
        _disconnect, schemas.REMOVED, write=True, query=schemas.ENDS, required=list(schemas.ENDS),
    ),
    _endpoint(
        f"POST {V2}/analysis/reflect", "reflect", "Return statistics of what was remembered lately.",
        _reflect, schemas.REFLECTION, body=schemas.taken("reflect"),
    ),
    _endpoint(
        f"POST {V2}/artifacts", "save_artifact", "Keep a text file under a free path.",
        _save_artifact, schemas.ARTIFACT_SAVED, status=201, write=True, body=schemas.NEW_ARTIFACT,
    ),
    _endpoint(
        f"GET {V2}/artifacts", "retrieve_artifact", "Return a kept text file.",
        _artifact, schemas.ARTIFACT, query=schemas.PATH, required=list(schemas.PATH),
    ),
    _endpoint(
        f"DELETE {V2}/artifacts", "delete_artifact", "Put a kept file away.",
        _delete_artifact, schemas.ARTIFACT_DELETED, write=True, query=schemas.PATH, required=list(schemas.PATH),
    ),
    _endpoint(
        f"GET {V2}/artifacts/list", "list_artifacts", "List the files and folders of a folder.",
        _artifacts, schemas.ARTIFACTS, query=schemas.FOLDER,
    ),
]  # fmt: skip

api = API(
    title="Penfield",
    endpoints=ENDPOINTS,
    prefixes=[V2],
    refusal=refusal,
    refusal_schema=schemas.REFUSAL,
    codes={
        400: "VALIDATION_ERROR",
        401: "UNAUTHORIZED",
        403: FORBIDDEN,
        404: "NOT_FOUND",
        405: "METHOD_NOT_ALLOWED",
        408: "TIMEOUT",
        413: "TOO_LARGE",
        421: "WRONG_HOST",
        429: "RATE_LIMITED",
        500: "INTERNAL_ERROR",
        503: BUSY,
    },
)
