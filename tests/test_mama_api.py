"""MAMA's HTTP API: its endpoints called as the server calls them, on a real brain."""

import json
import re
import time

import jsonschema
import pytest
from mama_api_caller import ApiCaller, endpoint
from profile_door import Door

from clawbrain.profiles.mama import api_graph
from clawbrain.profiles.mama.api import api
from clawbrain.profiles.shared.endpoints import HttpCall, Upload


@pytest.fixture
def call(brain):
    return ApiCaller(brain)


@pytest.fixture
def door(brain):
    return Door(brain, "mama")


@pytest.fixture
def save(call):
    def decision(topic, decision="Use it", reasoning="It fits.", **words):
        return call.post("/api/save", topic=topic, decision=decision, reasoning=reasoning, **words)["id"]

    return decision


# --- health


def test_health_says_that_it_runs(call):
    answer = call.get("/health")
    assert (answer["status"], abs(answer["timestamp"] - time.time()) < 5) == ("ok", True)
    assert call.get("/api/health") == {"status": "ok", "service": "MAMA Graph API"}


@pytest.mark.parametrize("path", ["/health", "/setup"])
def test_what_needs_no_token_needs_no_brain(path):
    one, _ = endpoint("GET", path)
    assert one.scope == ""
    assert one.answer(HttpCall(None, None, public_url="http://x")).status == 200


def test_everything_else_needs_a_token():
    assert {each.path for each in api.endpoints if not each.scope} == {"/health", "/setup"}


# --- checkpoints


def test_a_checkpoint_is_saved_and_loaded(call, clock):
    words = {"summary": "Half done", "open_files": ["a.py", "b.py"], "next_steps": "Finish it"}
    saved = call.post("/api/checkpoint/save", **words)
    assert saved == {"success": True, "id": 1, "message": "Checkpoint saved successfully"}
    assert call.get("/api/checkpoint/load") == {
        "success": True,
        "checkpoint": {"id": 1, **words, "timestamp": int(clock.now.timestamp() * 1000), "status": "active"},
    }


def test_the_tools_load_the_checkpoint_that_http_saved(call, door):
    call.post("/api/checkpoint/save", summary="Half done")
    loaded = call.get("/api/checkpoint/load")["checkpoint"]
    by_tool = door("load_checkpoint")["checkpoint"]
    assert loaded == {**by_tool, "timestamp": by_tool["timestamp"] * 1000, "status": "active"}


def test_without_a_checkpoint_there_is_none_to_load(call):
    assert call.refused("GET", "/api/checkpoint/load") == (404, "NO_CHECKPOINT", "No checkpoint found")


@pytest.mark.parametrize("path", ["/checkpoints", "/api/checkpoints"])
def test_checkpoints_are_listed_newest_first(call, path):
    for number in range(3):
        call.post("/api/checkpoint/save", summary=f"Part {number}")
    listed = call.get(path)
    assert [row["id"] for row in listed["checkpoints"]] == [3, 2, 1]
    assert (listed["count"], listed["total"]) == (3, 3)
    assert [row["id"] for row in call.get(path, limit=1)["checkpoints"]] == [3]
    assert call.get(path, limit=1)["total"] == 3


# --- decisions


@pytest.mark.parametrize("path", ["/api/mama/save", "/api/save"])
def test_a_decision_is_saved_as_by_the_tool(call, door, path):
    words = {"topic": "auth_strategy", "decision": "Use JWT", "reasoning": "Stateless.", "confidence": 0.85}
    saved = call.post(path, **words)
    assert saved == {"success": True, "id": saved["id"], "message": "Decision saved successfully"}
    assert re.fullmatch(r"decision_auth_strategy_1772013600_[a-z0-9]{3}", saved["id"])
    (row,) = door("search")["results"]
    assert {word: row[word] for word in words} == words and row["id"] == saved["id"]


def test_saving_tells_what_the_tool_tells_besides(call):
    call.post("/api/save", topic="auth", decision="Use JWT with refresh tokens", reasoning="r")
    again = call.post(
        "/api/save", topic="api", decision="Use JWT with refresh tokens", reasoning="builds_on: decision_no"
    )
    assert [row["topic"] for row in again["similar_decisions"]] == ["auth"]
    assert "decision_no" in again["warning"]


@pytest.mark.parametrize("word", ["topic", "decision", "reasoning"])
def test_a_decision_needs_its_three_words(call, word):
    words = {"topic": "t", "decision": "d", "reasoning": "r"}
    schema = endpoint("POST", "/api/save")[0].body
    for wrong in (words | {word: " "}, {key: value for key, value in words.items() if key != word}):
        with pytest.raises(jsonschema.ValidationError, match=word if word not in wrong else None):
            jsonschema.validate(wrong, schema)
    status, code, sentence = call.refused("POST", "/api/save", words | {word: " "})
    assert (status, code) == (400, "INVALID_REQUEST") and word in sentence


@pytest.mark.parametrize(("word", "most"), [("topic", 200), ("decision", 2000), ("reasoning", 5000)])
def test_what_is_too_long_is_refused_by_name(call, word, most):
    words = {"topic": "t", "decision": "d", "reasoning": "r"}
    status, _, sentence = call.refused("POST", "/api/save", words | {word: "x" * (most + 1)})
    assert status == 400 and sentence.startswith(word)
    assert call.post("/api/save", **words | {word: "x" * most})["success"]


@pytest.mark.parametrize("path", ["/api/mama/search", "/api/search"])
@pytest.mark.parametrize("word", ["q", "query"])
def test_a_search_answers_what_the_tool_does(call, door, save, path, word):
    first = save("auth", "Use JWT", "Stateless.")
    save("auth_v2", "Add OAuth", f"builds_on: {first}")
    save("storage", "Use PostgreSQL", "Relational.")
    answer = call.get(path, **{word: "JWT"})
    by_tool = door("search", query="JWT", type="decision")
    assert answer == {"query": "JWT", "results": by_tool["results"], "count": by_tool["count"]}
    assert answer["results"][0]["id"] == first


def test_a_search_finds_decisions_only(call, save):
    save("auth", "Use JWT")
    call.post("/api/checkpoint/save", summary="JWT is half done")
    assert [row["_type"] for row in call.get("/api/search", q="JWT")["results"]] == ["decision"]


@pytest.mark.parametrize(
    ("limit", "count"), [({}, 10), ({"limit": 3}, 3), ({"limit": 99}, 20), ({"limit": 0}, 1), ({"limit": -5}, 1)]
)
def test_the_limit_of_a_search_is_clamped(call, save, limit, count):
    for number in range(22):
        save(f"topic_{number}", "Use JWT")
    assert call.get("/api/search", q="JWT", **limit)["count"] == count


@pytest.mark.parametrize("limit", ["ten", "", "1.5", "NaN", "9" * 5000, "1e3"])
@pytest.mark.parametrize("path", ["/api/search", "/checkpoints", "/api/logs/daemon"])
def test_a_limit_that_is_no_number_is_refused_by_name(call, path, limit):
    word = "tail" if "logs" in path else "limit"
    status, code, sentence = call.refused("GET", path, query={"q": "x", word: limit})
    assert (status, code) == (400, "INVALID_REQUEST") and f"'{word}'" in sentence


@pytest.mark.parametrize("query", [{}, {"q": ""}, {"q": " \t"}, {"query": " "}])
def test_a_search_needs_a_question(call, query):
    assert call.refused("GET", "/api/mama/search", query=query) == (
        400,
        "MISSING_QUERY",
        "'q' is missing: say what to search for.",
    )


@pytest.mark.parametrize("path", ["/graph/update", "/api/update"])
@pytest.mark.parametrize(
    ("outcome", "told"),
    [("success", "SUCCESS"), ("Failed", "FAILED"), ("failure", "FAILED"), (" PARTIAL ", "PARTIAL")],
)
def test_an_outcome_is_noted(call, door, save, path, outcome, told):
    id = save("auth")
    assert call.post(path, id=id, outcome=outcome, reason="Seen") == {"success": True, "id": id, "outcome": told}
    (row,) = door("search")["results"]
    assert (row["outcome"], row["outcome_reason"]) == (told, "Seen")


def test_an_outcome_moves_the_credit_of_its_decision_alone(call, brain, save):
    good, other = save("auth"), save("storage")
    call.post("/api/update", id=good, outcome="success")
    call.post("/api/update", id=good, outcome="success")
    scores = {memory.extra["topic"]: brain.credits()[memory.id].score for memory in brain.having("kind", "decision")}
    assert scores["auth"] > 0.5 == scores["storage"] and other


def test_an_unknown_outcome_and_an_unknown_decision_are_refused(call, save):
    status, _, sentence = call.refused("POST", "/api/update", {"id": save("auth"), "outcome": "great"})
    assert status == 400 and "'outcome'" in sentence
    status, code, sentence = call.refused("POST", "/api/update", {"id": "decision_none", "outcome": "success"})
    assert (status, code) == (404, "NOT_FOUND") and "decision_none" in sentence


# --- the graph


@pytest.mark.parametrize("path", ["/graph", "/api/graph"])
def test_the_graph_has_decisions_and_the_edges_between_them(call, save, clock, path):
    first = save("auth", "Use JWT", confidence=0.8)
    clock.forward(minutes=1)
    second = save("auth", "Use sessions")
    clock.forward(minutes=1)
    third = save("login", "Add OAuth", f"builds_on: {second}; debates: {first}")
    call.post("/api/update", id=first, outcome="failed")
    graph = call.get(path)
    assert [node["id"] for node in graph["nodes"]] == [third, second, first]
    assert graph["nodes"][-1] == {
        "id": first,
        "topic": "auth",
        "decision": "Use JWT",
        "reasoning": "It fits.",
        "outcome": "FAILED",
        "confidence": 0.8,
        "created_at": 1772013600,
        "status": "superseded",
    }
    edges = {(edge["from"], edge["relationship"], edge["to"]) for edge in graph["edges"]}
    assert edges == {(second, "supersedes", first), (third, "builds_on", second), (third, "debates", first)}
    assert graph["similarityEdges"] == []
    assert graph["meta"] == {"total_nodes": 3, "total_edges": 3, "topics": ["auth", "login"]}
    assert isinstance(graph["latency"], int)


def test_the_graph_of_a_topic_has_no_edge_that_leads_out_of_it(call, save):
    first = save("auth")
    save("login", reasoning=f"builds_on: {first}")
    second = save("auth")
    graph = call.get("/graph", topic="auth")
    assert {node["id"] for node in graph["nodes"]} == {first, second}
    assert graph["edges"] == [{"from": second, "to": first, "relationship": "supersedes"}]
    assert graph["meta"]["topics"] == ["auth"]
    assert call.get("/graph", topic="none")["nodes"] == []


def test_a_link_by_title_that_a_person_wrote_is_an_edge(call, save, write):
    first = save("Auth plan")
    link = 'links: [{"relation": "builds_on", "target": "[[Auth plan]]"}]'
    write(
        "entities/decisions/login-1-abc.md", f"---\nkind: decision\ntopic: login\n{link}\n---\n\n# login\n\nAdd OAuth\n"
    )
    edges = call.get("/graph")["edges"]
    assert edges == [{"from": "decision_login_1_abc", "to": first, "relationship": "builds_on"}]


def test_similar_decisions_are_joined_when_clusters_are_asked_for(call, save):
    a, b = save("auth", "Use JWT with refresh tokens"), save("api", "Use JWT with refresh tokens always")
    save("storage", "PostgreSQL holds everything")
    graph = call.get("/graph", cluster="true")
    (edge,) = graph["similarityEdges"]
    assert {edge["from"], edge["to"]} == {a, b} and edge["relationship"] == "similar" and edge["similarity"] > 0.7
    capped = {"similarity_edges": 1, "similarity_compared": 3, "similarity_capped": False}
    assert {word: graph["meta"][word] for word in capped} == capped
    assert call.get("/graph", cluster="false")["similarityEdges"] == []
    assert call.refused("GET", "/graph", query={"cluster": "maybe"})[0] == 400


def test_only_the_newest_decisions_are_compared(call, save, clock, monkeypatch):
    monkeypatch.setattr(api_graph, "COMPARED", 2)
    save("old", "Use JWT with refresh tokens")
    for topic in ("new", "newer"):
        clock.forward(minutes=1)
        save(topic, f"Use JWT with refresh tokens {topic}")
    graph = call.get("/graph", cluster="true")
    assert len(graph["similarityEdges"]) == 1
    assert graph["meta"]["similarity_capped"] is True and graph["meta"]["similarity_compared"] == 2


def test_decisions_that_say_nearly_the_same_are_listed(call, save):
    a, b = save("auth", "Use JWT with refresh tokens"), save("api", "Use JWT with refresh tokens always")
    save("storage", "PostgreSQL holds everything")
    answer = call.get("/graph/similar", id=a)
    assert answer == {"id": a, "similar": [{"id": b, "similarity": answer["similar"][0]["similarity"]}], "count": 1}
    saved = call.post("/api/save", topic="third", decision="Use JWT with refresh tokens", reasoning="r")
    near = {row["id"]: row["similarity"] for row in call.get("/graph/similar", id=saved["id"])["similar"]}
    assert near == {row["id"]: row["similarity"] for row in saved["similar_decisions"]}


def test_similar_needs_a_decision_that_is_there(call):
    assert call.refused("GET", "/graph/similar")[:2] == (400, "MISSING_ID")
    assert call.refused("GET", "/graph/similar", query={"id": "decision_none"})[:2] == (404, "NOT_FOUND")


# --- export


def test_the_export_is_a_file_that_can_be_imported_again(call, save, brain):
    save("auth", "Use JWT")
    brain.store("entity", "note", "Something else", category="projects")
    whole = json.loads(call.get("/api/memory/export"))
    assert len(whole["memories"]) == 2
    assert call.answer.media_type == "application/json"
    assert call.answer.headers["Content-Disposition"] == 'attachment; filename="memories-2026-02-25.json"'
    rows = call.get("/api/memory/export", format="csv").decode().splitlines()
    assert rows[0].startswith("clawbrain_id,") and call.answer.media_type.startswith("text/csv")
    assert call.answer.headers["Content-Disposition"].endswith('.csv"')


def test_another_format_is_refused_by_name(call):
    status, _, sentence = call.refused("GET", "/api/memory/export", query={"format": "xml"})
    assert status == 400 and "'format'" in sentence


# --- dashboard, sessions, pages


def test_the_dashboard_counts(call, save, clock, write):
    good = save("auth")
    clock.forward(days=10)
    save("auth")
    save("storage")
    call.post("/api/update", id=good, outcome="success")
    call.post("/api/checkpoint/save", summary="Half")
    answer = call.get("/api/dashboard/status")
    assert answer["status"] == "ok"
    assert answer["memory"] == {
        "total": 4,
        "decisions": 3,
        "superseded": 1,
        "checkpoints": 1,
        "this_week": 2,
        "outcomes": {"PENDING": 2, "SUCCESS": 1},
        "top_topics": [{"topic": "auth", "count": 2}, {"topic": "storage", "count": 1}],
    }
    write("entities/people/broken.md", "---\ntags: [\n---\n")
    answer = call.get("/api/dashboard/status")
    assert (answer["status"], answer["store"]["broken_files"]) == ("attention", 1)


def test_sessions_are_those_that_had_turns(call, save, opened, clock):
    assert call.get("/api/sessions/last-active") == {"session": None}
    save("auth", "Use JWT")
    call.get("/api/search", q="JWT")
    clock.forward(minutes=1)
    ApiCaller(opened("session-2")).get("/api/search", q="JWT")
    call.brain.settle()
    listed = call.get("/api/sessions")
    assert (listed["discord"], listed["telegram"], listed["slack"]) == ([], [], [])
    assert [each["turns"] for each in listed["viewer"]] == [1, 1]
    last = call.get("/api/sessions/last-active")["session"]
    call.post("/api/update", id=call.get("/graph")["nodes"][0]["id"], outcome="success")
    assert len(call.get("/api/sessions")["viewer"]) == 2
    assert last == listed["viewer"][0] and last["lastActive"] == int(clock.now.timestamp() * 1000)
    assert "session-1" not in json.dumps(listed) and "session-2" not in json.dumps(listed)


def test_the_viewer_is_a_page_without_scripts(call, save):
    save("<script>alert(1)</script>")
    text = call.get("/viewer").decode()
    assert call.answer.media_type.startswith("text/html")
    assert "<script" not in text and "&lt;script&gt;" in text and "decisions" in text
    policy = call.answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_setup_says_how_to_connect(call):
    text = call("GET", "/setup", public_url='https://memory.example/"<x>').decode()
    assert "clawbrain install CLIENT --url https://memory.example/&quot;&lt;x&gt;/mcp" in text
    assert "clawbrain token create" in text and "<x>" not in text


def test_the_root_leads_to_the_viewer(call):
    call.get("/")
    assert (call.answer.status, call.answer.headers["Location"]) == (302, "/viewer")


# --- what is not there


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/cron"), ("POST", "/api/cron"), ("DELETE", "/api/cron/1"), ("POST", "/api/cron/1/run"),
        ("GET", "/api/skills/catalog"), ("PUT", "/api/skills/x/content"), ("GET", "/api/tokens/summary"),
        ("POST", "/api/heartbeat"), ("POST", "/api/discord/send"), ("POST", "/api/slack/send"), ("POST", "/api/report"),
        ("POST", "/api/screenshot"), ("POST", "/api/code-act"), ("PUT", "/api/multi-agent/agents/1"),
        ("POST", "/api/restart"), ("DELETE", "/api/mcp-servers/x"), ("GET", "/api/playgrounds"),
        ("GET", "/api/workspace/skills/x/content"), ("PATCH", "/api/cron/1"),
    ],
)  # fmt: skip
def test_what_needs_accounts_or_daemons_says_what_to_do_instead(call, method, path):
    status, code, sentence = call.refused(method, path)
    assert (status, code) == (501, "NOT_SUPPORTED_LOCALLY")
    assert sentence.startswith("clawbrain ") and sentence.endswith(".") and ":" in sentence


def test_every_endpoint_has_a_name_of_its_own_and_a_schema_for_what_it_answers():
    names = [each.name for each in api.endpoints]
    assert len(set(names)) == len(names)
    assert len({(each.method, each.path) for each in api.endpoints}) == len(names)
    for each in api.endpoints:
        assert each.answers and each.summary
        for schema in filter(None, [*each.answers.values(), each.body, *each.query.values()]):
            jsonschema.Draft202012Validator.check_schema(schema)


def test_a_home_that_is_only_read_answers_and_refuses(opened, save):
    save("auth", "Use JWT")
    caller = ApiCaller(opened(read_only=True))
    assert caller.get("/api/search", q="JWT")["count"] == 1
    for path in ("/graph", "/api/dashboard/status", "/api/sessions", "/viewer", "/api/memory/export"):
        assert caller.get(path)
    words = {"topic": "t", "decision": "d", "reasoning": "r"}
    assert caller.refused("POST", "/api/save", words)[0] == 403
    assert caller.refused("POST", "/api/upload", files=[Upload("file", "a", b"x")])[0] == 403
