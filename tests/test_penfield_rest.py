"""Penfield's HTTP API: its endpoints answer as the tools do, in statuses and error codes of HTTP."""

import json
import re
from urllib.parse import parse_qsl, unquote, urlsplit

import jsonschema
import pytest
from profile_door import Door

from clawbrain.errors import Broken, Busy
from clawbrain.profiles.penfield.api import api
from clawbrain.profiles.penfield.tools import Profile
from clawbrain.profiles.shared.endpoints import HttpCall, HttpFault

NOBODY = "00000000-0000-0000-0000-000000000000"
SERVER = "https://memory.example"


class Rest:
    """The endpoints on a brain. Every answer and refusal is held against its schema."""

    def __init__(self, brain):
        self.brain, self.profile = brain, Profile(brain)
        self.profile.public_url = SERVER

    def __call__(self, route, body=None):
        """Return the status and the body of an answer or a refusal."""
        method, _, rest = route.partition(" ")
        address = urlsplit(rest)
        endpoint, words = self.endpoint(method, f"/api/v2{address.path}")
        query = dict(parse_qsl(address.query, keep_blank_values=True))
        call = HttpCall(self.brain, self.profile, path=words, query=query, body=body)
        try:
            answer = endpoint.answer(call)
        except HttpFault as fault:
            refusal = api.refusal(fault, endpoint.name)
            jsonschema.validate(refusal, api.refusal_schema)
            return fault.status, refusal
        jsonschema.validate(answer.body, endpoint.answers[answer.status])
        return answer.status, json.loads(json.dumps(answer.body))

    def endpoint(self, method, path):
        for each in api.endpoints:
            pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", each.path)
            if each.method == method and (found := re.fullmatch(pattern, path)):
                return each, found.groupdict()
        raise AssertionError(f"no endpoint for {method} {path}")

    def done(self, route, body=None, status=200):
        got, answer = self(route, body)
        assert got == status, answer
        return answer

    def refused(self, route, body=None):
        """Return the status, the error code and the operation of a refusal."""
        status, answer = self(route, body)
        assert list(answer) == ["success", "error", "error_code", "operation"] and answer["success"] is False
        return status, answer["error_code"], answer["operation"]


@pytest.fixture
def rest(brain):
    return Rest(brain)


@pytest.fixture
def door(brain):
    return Door(brain, "penfield")


@pytest.fixture
def store(rest):
    return lambda content, **words: rest.done("POST /memories", {"content": content, **words}, 201)["memory_id"]


# --- memories


def test_the_briefing_is_that_of_awaken(rest, door):
    assert rest.done("GET /personality/awakening") == door("awaken")


def test_a_stored_memory_is_one_of_the_tools(rest, door):
    body = {"content": "Python async uses asyncio", "tags": ["Python"], "importance": 0.8}
    answer = rest.done("POST /memories", body, 201)
    assert answer == {
        "success": True,
        "memory_id": answer["memory_id"],
        "memory_type": "fact",
        "importance": 0.8,
        "tags": ["python"],
        "created_at": "2026-02-25T10:00:00Z",
    }
    assert door("fetch", id=answer["memory_id"])["text"] == "Python async uses asyncio"


def test_a_type_that_is_given_is_kept(rest):
    answer = rest.done("POST /memories", {"content": "Water boils at 100 degrees", "memory_type": "insight"}, 201)
    assert answer["memory_type"] == "insight"
    assert rest.refused("POST /memories", {"content": "I am", "memory_type": "identity_core"}) == (
        400,
        "VALIDATION_ERROR",
        "store",
    )


def test_a_memory_of_the_type_checkpoint_is_a_saved_context(rest, store, door):
    id = store("Billing runs on Postgres")
    body = {"memory_type": "checkpoint", "name": "Billing", "description": f"memory_id: {id}"}
    saved = rest.done("POST /memories", body, 201)
    assert saved["message"] == "Context 'Billing' saved" and saved["memories_included"] == 1
    assert door("restore_context", name="Billing")["memories"][0]["id"] == id
    assert rest.refused("POST /memories", body) == (409, "DUPLICATE_NAME", "save_context")
    nameless = {"memory_type": "checkpoint", "content": "of today"}
    assert rest.refused("POST /memories", nameless) == (400, "VALIDATION_ERROR", "store")
    rest.done("POST /memories", {**nameless, "name": "Today"}, 201)
    contexts = rest.done("GET /memories?memory_type=checkpoint&include_descriptions=true")["contexts"]
    assert contexts[0]["description"] == "of today"


def test_contexts_are_listed_and_restored_as_by_the_tools(rest, store, door):
    store("The parser is slow")
    for name in ("Parser work", "Release"):
        rest.done("POST /memories", {"memory_type": "checkpoint", "name": name, "content": "the parser"}, 201)
    assert rest.done("GET /memories?memory_type=checkpoint") == door("list_contexts")
    assert rest.done("GET /memories?memory_type=checkpoint&limit=1&offset=1&name_pattern=PARS")["total"] == 1
    told = door("list_contexts", limit=1, offset=1, include_descriptions=True)
    assert rest.done("GET /memories?memory_type=checkpoint&limit=1&offset=1&include_descriptions=true") == told
    assert rest.done("GET /memories?name=Parser%20work") == door("restore_context", name="Parser work")
    assert rest.done("GET /memories?name=awakening")["briefing"] == door("awaken")["briefing"]
    assert rest.refused("GET /memories?name=Nothing") == (404, "NOT_FOUND", "restore_context")


def test_all_memories_are_listed_newest_first(rest, store, clock):
    ids = []
    for number in range(5):
        ids.append(store(f"Fact number {number}", tags=["n"]))
        clock.forward(minutes=1)
    rest.done("POST /memories", {"memory_type": "checkpoint", "name": "C", "content": "memory: 'nothing'"}, 201)
    page = rest.done("GET /memories?limit=2&offset=1")
    assert [row["id"] for row in page["memories"]] == ids[:2:-1]
    assert (page["total"], page["limit"], page["offset"], page["has_more"]) == (6, 2, 1, True)
    assert page["memories"][0] == {
        "id": ids[4],
        "content": "Fact number 4",
        "memory_type": "fact",
        "importance": 0.5,
        "tags": ["n"],
        "created_at": "2026-02-25T10:04:00Z",
        "updated_at": "2026-02-25T10:04:00Z",
    }
    assert rest.done("GET /memories")["memories"][0]["memory_type"] == "checkpoint"
    assert rest.done("GET /memories?memory_type=fact&name_pattern=NUMBER%203")["total"] == 1
    assert rest.done("GET /memories?offset=9") == {
        "success": True, "total": 6, "limit": 20, "offset": 9, "has_more": False, "memories": [],
    }  # fmt: skip


def test_two_memories_of_one_moment_are_listed_the_later_first(rest, store):
    ids = [store(f"Fact {number}") for number in range(3)]
    assert [row["id"] for row in rest.done("GET /memories")["memories"]] == ids[::-1]


def test_a_page_that_only_holds_links_is_not_listed(rest, brain, store):
    store("A fact")
    Door(brain, "memory")("create_relations", relations=[{"from": "Ann", "to": "Bob", "relationType": "knows"}])
    assert len([*brain.memories()]) == 2
    assert rest.done("GET /memories")["total"] == 1


@pytest.mark.parametrize(
    "query", ["limit=ten", "offset=1.5", "limit=", "include_descriptions=maybe", f"limit={'9' * 5000}"]
)
def test_a_parameter_that_is_none_is_refused_by_its_name(rest, query):
    status, answer = rest(f"GET /memories?{query}")
    assert (status, answer["error_code"]) == (400, "VALIDATION_ERROR")
    assert query.partition("=")[0] in answer["error"] and len(answer["error"]) < 200


@pytest.mark.parametrize(("query", "limit", "offset"), [("limit=1000", 100, 0), ("limit=0&offset=-3", 1, 0)])
def test_a_page_is_brought_into_its_bounds(rest, query, limit, offset):
    answer = rest.done(f"GET /memories?{query}")
    assert (answer["limit"], answer["offset"]) == (limit, offset)


def test_a_fetched_memory_has_an_address_on_the_server(rest, store, door):
    id = store("Python async uses asyncio")
    over_http, over_pipe = rest.done(f"GET /memories/{id}"), Door(rest.brain, "penfield")("fetch", id=id)
    memory = next(rest.brain.memories())
    assert over_http["url"] == f"{SERVER}/viewer/memories/{memory.id}"
    assert over_pipe["url"].startswith("file:///")
    count = over_pipe["metadata"].pop("access_count")
    assert over_http["metadata"].pop("access_count") == count - 1
    assert {**over_http, "url": ""} == {**over_pipe, "url": ""}
    assert rest.done(f"GET /memories/{memory.id}")["id"] == id


def test_an_address_can_be_written_into_any_page(rest, write):
    write("entities/facts/cheese.md", "---\nid: entity-facts-käse\n---\n\nCheese.\n")
    [row] = rest.done("GET /memories")["memories"]
    url = rest.done(f"GET /memories/{row['id']}")["url"]
    assert url.isascii()
    assert unquote(url.rpartition("/")[2]) == next(rest.brain.memories()).id


def test_no_answer_holds_a_path_of_the_machine(rest, store, home):
    one, two = store("The parser reads bytes"), store("The lexer reads characters")
    body = {"from_id": one, "to_id": two, "relationship_type": "supports"}
    answers = [
        rest.done("POST /relationships", body, 201),
        rest.done("GET /memories"),
        rest.done(f"GET /memories/{one}"),
        rest.done("POST /search/hybrid", {"query": "parser"}),
        rest.done("POST /relationships/traverse", {"start_memory_id": one}),
        rest.done("POST /artifacts", {"content": "x", "path": "/a/b.md"}, 201),
        rest.done("GET /artifacts/list?path_prefix=/a"),
        rest.done("GET /artifacts?path=/a/b.md"),
        rest.done(f"DELETE /memories/{two}"),
        rest(f"GET /memories/{two}"),
        rest("GET /artifacts?path=/nowhere.md"),
    ]
    assert str(home) not in json.dumps(answers) and "file:" not in json.dumps(answers)


def test_a_memory_is_changed_by_put(rest, store):
    id = store("The port is 5432", tags=["db"])
    changed = {"content": "The port is 5433", "importance": 0.9, "tags": []}
    answer = rest.done(f"PUT /memories/{id}", changed)
    assert answer == {"success": True, "memory_id": id, "updated_fields": ["content", "importance", "tags"]}
    now = rest.done(f"GET /memories/{id}")
    assert (now["text"], now["metadata"]["importance"], now["metadata"]["tags"]) == ("The port is 5433", 0.9, [])
    assert rest.refused(f"PUT /memories/{id}", {}) == (400, "VALIDATION_ERROR", "update_memory")
    assert rest.refused(f"PUT /memories/{NOBODY}", {"tags": []}) == (404, "NOT_FOUND", "update_memory")


@pytest.mark.parametrize("change", [{"content": "The port is 7000"}, {"importance": 0.1}, {"tags": ["z"]}])
def test_a_change_over_one_that_was_not_read_is_a_conflict(rest, store, opened, change):
    id = store("The port is 5432", tags=["db"], importance=0.5)
    Rest(opened("session-2")).done(f"PUT /memories/{id}", {"content": "The port is 6000"})
    status, answer = rest(f"PUT /memories/{id}", change)
    assert (status, answer["error_code"]) == (409, "CONFLICT")
    assert "The port is 6000" in answer["error"]
    now = rest.done(f"GET /memories/{id}")
    kept = (now["text"], now["metadata"]["importance"], now["metadata"]["tags"])
    assert kept == ("The port is 6000", 0.5, ["db"])
    assert rest.done(f"PUT /memories/{id}", change)["updated_fields"] == list(change)


def test_a_deleted_memory_is_archived(rest, store, home):
    id = store("Forget this")
    memory = next(rest.brain.memories())
    assert rest.done(f"DELETE /memories/{id}") == {"success": True, "message": "Memory archived", "memory_id": id}
    assert (home / "archive" / memory.path).is_file()
    assert rest.done("GET /memories")["total"] == 0
    assert rest.refused(f"GET /memories/{id}")[:2] == (404, "NOT_FOUND")
    assert rest.refused(f"DELETE /memories/{id}") == (404, "NOT_FOUND", "archive_memory")
    assert rest.refused(f"DELETE /memories/{NOBODY}") == (404, "NOT_FOUND", "archive_memory")


def test_a_pinned_memory_is_not_archived(rest, store):
    id = store("Keep this")
    rest.brain.owner.pin(next(rest.brain.memories()).id)
    assert rest.refused(f"DELETE /memories/{id}") == (409, "CONFLICT", "archive_memory")


def test_hybrid_search_is_recall(rest, store, door):
    store("Python async uses asyncio", tags=["python"])
    store("Go has goroutines", tags=["go"])
    body = {"query": "async python", "limit": 5, "tags": ["python"], "start_date": "2026-02-01", "source_type": None}
    assert rest.done("POST /search/hybrid", body) == door("recall", **body)
    assert rest.done("POST /search/hybrid", body)["found"] == 1
    documents = {"query": "x", "source_type": "document"}
    assert rest.done("POST /search/hybrid", documents) == door("recall", **documents)


# --- relationships


def test_relationships_are_made_followed_and_removed(rest, store, door):
    one, two = store("The parser reads bytes"), store("The lexer reads characters")
    body = {"from_id": one, "to_id": two, "relationship_type": "supports", "strength": 0.8}
    made = rest.done("POST /relationships", body, 201)
    assert made == {"success": True, "relationship_id": made["relationship_id"], **body}
    assert rest.refused("POST /relationships", body) == (409, "ALREADY_EXISTS", "connect")
    assert rest.refused("POST /relationships", {**body, "to_id": one}) == (400, "VALIDATION_ERROR", "connect")
    traverse = {"start_memory_id": two, "max_depth": 2, "relationship_types": ["supports"]}
    paths = rest.done("POST /relationships/traverse", traverse)
    assert paths == door("explore", start_memory=two, max_depth=2, relationship_types=["supports"])
    assert paths["paths_found"] == 1
    removed = rest.done(f"DELETE /relationships/between?from_id={one}&to_id={two}")
    assert removed == {"success": True, "removed": 1, "from_id": one, "to_id": two}
    assert rest.refused(f"DELETE /relationships/between?from_id={one}&to_id={two}") == (404, "NOT_FOUND", "disconnect")
    assert rest.done("POST /relationships/traverse", traverse)["message"] == "No connections found from this memory"


def test_removing_over_http_allows_nothing_to_the_tools(rest, store, door):
    one, two = store("One"), store("Two")
    rest(f"DELETE /relationships/between?from_id={one}&to_id={two}")
    assert door.fault("disconnect", from_memory=one, to_memory=two) == {"error": "Forbidden", "status_code": 403}
    assert rest.profile.allowed == ()


# --- reflection and artifacts


def test_reflection_is_that_of_the_tool(rest, store, door):
    store("Python async uses asyncio", tags=["python"])
    for body in ({}, {"time_window": "week", "include_documents": True}, {"start_date": "2026-01-01"}):
        assert rest.done("POST /analysis/reflect", body) == door("reflect", **body)
    assert rest.refused("POST /analysis/reflect", {"time_window": "year"})[:2] == (400, "VALIDATION_ERROR")
    assert rest.refused("POST /analysis/reflect", {"start_date": "soon"}) == (400, "VALIDATION_ERROR", "reflect")


def test_artifacts_are_kept_by_path(rest, door):
    body = {"content": "# Notes\n", "path": "/project/notes.md"}
    saved = rest.done("POST /artifacts", body, 201)
    assert saved["size"] == 8 and saved["content_type"] == "text/markdown"
    assert rest.refused("POST /artifacts", body) == (409, "ALREADY_EXISTS", "save_artifact")
    assert rest.done("GET /artifacts?path=/project/notes.md") == door("retrieve_artifact", path="/project/notes.md")
    assert rest.done("GET /artifacts/list?path_prefix=/project") == door("list_artifacts", path_prefix="/project")
    assert rest.done("GET /artifacts/list")["folders"] == ["project"]
    answer = rest.done("DELETE /artifacts?path=/project/notes.md")
    assert answer == {"success": True, "message": "Artifact deleted", "path": "/project/notes.md"}
    assert rest.refused("GET /artifacts?path=/project/notes.md") == (404, "NOT_FOUND", "retrieve_artifact")
    assert rest.refused("DELETE /artifacts?path=/project/notes.md") == (404, "NOT_FOUND", "delete_artifact")


@pytest.mark.parametrize("path", ["notes.md", "/../x.md", "/a/.hidden", "/a//b", "/a/", "/a b.md"])
def test_a_path_outside_the_rules_is_refused(rest, path):
    assert rest.refused("POST /artifacts", {"content": "x", "path": path}) == (400, "INVALID_PATH", "save_artifact")


# --- refusals


@pytest.mark.parametrize(
    ("route", "body", "word"),
    [
        ("POST /memories", {}, "content"),
        ("POST /memories", {"content": 5}, "content"),
        ("POST /memories", {"content": "x", "tags": "a"}, "tags"),
        ("POST /memories", {"content": "x" * 10_001}, "content"),
        ("POST /memories", {"content": "  "}, "content"),
        ("POST /search/hybrid", {}, "query"),
        ("POST /search/hybrid", None, "query"),
        ("POST /relationships", {"from_id": "a", "to_id": "b"}, "relationship_type"),
        ("POST /relationships", {"from_id": "a", "to_id": "b", "relationship_type": "likes"}, "relationship_type"),
        ("POST /relationships/traverse", {"start_memory_id": 1}, "start_memory_id"),
        ("DELETE /relationships/between?from_id=a", None, "to_id"),
        ("GET /artifacts", None, "path"),
        ("POST /artifacts", {"path": "/a.md"}, "content"),
    ],
)
def test_a_fault_names_the_field(rest, route, body, word):
    status, answer = rest(route, body)
    assert (status, answer["error_code"]) == (400, "VALIDATION_ERROR")
    assert word in answer["error"]


def test_words_that_no_schema_knows_are_ignored(rest):
    rest.done("POST /memories", {"content": "A fact", "user_id": 7}, 201)
    assert rest.done("GET /memories?page=3")["total"] == 1


def test_a_home_for_reading_refuses_writes(store, opened):
    id = store("A fact")
    reading = Rest(opened(read_only=True))
    assert reading.refused("POST /memories", {"content": "Another"}) == (403, "FORBIDDEN", "store")
    assert reading.refused(f"DELETE /memories/{id}") == (403, "FORBIDDEN", "archive_memory")
    assert reading.done(f"GET /memories/{id}")["text"] == "A fact"


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [(Busy("another process holds it."), 503, "BUSY"), (Broken("it is broken."), 500, "INTERNAL_ERROR")],
)
def test_a_store_that_cannot_answer_has_a_status_of_the_server(rest, error, status, code):
    def fails():
        raise error

    rest.profile.awaken = fails
    assert rest.refused("GET /personality/awakening") == (status, code, "awaken")
    endpoint, _ = rest.endpoint("GET", "/api/v2/personality/awakening")
    with pytest.raises(HttpFault) as refused:
        endpoint.answer(HttpCall(rest.brain, rest.profile))
    assert refused.value.further.get("retry_after") == (1 if status == 503 else None)


def test_a_missing_scope_and_too_many_calls_have_their_shapes():
    missing = HttpFault(403, api.codes[403], "this needs a token with the scope write.", scope=True)
    assert api.refusal(missing, "archive_memory") == {"error": "Forbidden", "status_code": 403}
    elsewhere = HttpFault(403, api.codes[403], "pages of this origin may not call this server.")
    assert api.refusal(elsewhere, "recall")["error_code"] == "FORBIDDEN"
    assert api.refusal(HttpFault(429, api.codes[429], "wait."), "recall") == {
        "success": False,
        "error": "wait.",
        "error_code": "RATE_LIMITED",
        "operation": "recall",
    }


def test_what_changes_something_needs_write():
    needing = {f"{each.method} {each.path.removeprefix('/api/v2')}" for each in api.endpoints if each.scope == "write"}
    assert needing == {
        "POST /memories",
        "PUT /memories/{id}",
        "DELETE /memories/{id}",
        "POST /relationships",
        "DELETE /relationships/between",
        "POST /artifacts",
        "DELETE /artifacts",
    }
    assert {each.scope for each in api.endpoints} == {"read", "write"}
