"""The HTTP APIs of profiles through a running server: how requests reach endpoints, and what refusals look like."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import jsonschema
import pytest
from http_server import HttpServer, make_token
from openapi_spec_validator import OpenAPIV31SpecValidator

MEMORIES = "/api/v2/memories"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("served")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[HttpServer]:
    make_token(folder)
    with HttpServer(folder, "--profile=penfield") as served:
        yield served


@pytest.fixture(scope="module")
def http(server: HttpServer, folder: Path) -> httpx2.Client:
    return server.client(make_token(folder))


def stored(http: httpx2.Client, content: str) -> str:
    answer = http.post(MEMORIES, json={"content": content})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["memory_id"])


def code(answer: httpx2.Response) -> tuple[int, Any]:
    return answer.status_code, answer.json().get("error_code")


def test_a_memory_is_made_read_changed_found_and_archived(http: httpx2.Client, server: HttpServer) -> None:
    id = stored(http, "Water boils at 100 degrees")
    read = http.get(f"{MEMORIES}/{id}").json()
    assert read["url"].startswith(f"{server.url}/viewer/memories/entity-facts-water-boils")
    assert http.put(f"{MEMORIES}/{id}", json={"content": "Water boils at 99 degrees"}).status_code == 200
    found = http.post("/api/v2/search/hybrid", json={"query": "boiling water"}).json()
    assert found["memories"][0]["content"] == "Water boils at 99 degrees"
    assert http.delete(f"{MEMORIES}/{id}").json()["message"] == "Memory archived"
    assert code(http.get(f"{MEMORIES}/{id}")) == (404, "NOT_FOUND")


def test_the_tools_over_mcp_tell_the_same_address(http: httpx2.Client, server: HttpServer, folder: Path) -> None:
    id = stored(http, "Go has goroutines")
    url = server.mcp(make_token(folder)).call("fetch", id=id)["url"]
    assert url == http.get(f"{MEMORIES}/{id}").json()["url"]


def test_a_token_that_may_only_read_changes_nothing(http: httpx2.Client, server: HttpServer, folder: Path) -> None:
    id = stored(http, "Keep me")
    reader = server.client(make_token(folder, scope="read"))
    for answer in (
        reader.delete(f"{MEMORIES}/{id}"),
        reader.put(f"{MEMORIES}/{id}", json={"tags": []}),
        reader.post(MEMORIES, json={"content": "More"}),
        reader.delete(f"/api/v2/relationships/between?from_id={id}&to_id={id}"),
    ):
        assert (answer.status_code, answer.json()) == (403, {"error": "Forbidden", "status_code": 403})
    assert reader.get(f"{MEMORIES}/{id}").json()["text"] == "Keep me"


def test_a_change_by_another_user_is_told_before_it_is_overwritten(
    http: httpx2.Client, server: HttpServer, folder: Path
) -> None:
    id = stored(http, "The port is 5432")
    other = server.client(make_token(folder, user="bob"), **{"X-Clawbrain-Session": "morning"})
    other.get(f"{MEMORIES}/{id}")
    assert other.put(f"{MEMORIES}/{id}", json={"content": "The port is 6000"}).status_code == 200
    refused = http.put(f"{MEMORIES}/{id}", json={"content": "The port is 7000"})
    assert code(refused) == (409, "CONFLICT")
    assert "The port is 6000" in refused.json()["error"]
    assert http.put(f"{MEMORIES}/{id}", json={"content": "The port is 7000"}).status_code == 200


def test_without_a_token_nothing_is_told(server: HttpServer) -> None:
    for token in ("", "cbt_wrong"):
        answer = server.client(token).get(MEMORIES)
        assert code(answer) == (401, "UNAUTHORIZED")
        assert "WWW-Authenticate" in answer.headers


def test_too_many_calls_are_told_to_wait(tmp_path: Path) -> None:
    token = make_token(tmp_path)
    with HttpServer(tmp_path, "--profile=penfield", "--rate=3/min") as served:
        http = served.client(token)
        answers = [http.get(MEMORIES) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[3].json()["error_code"] == "RATE_LIMITED"
    assert 0 < int(answers[3].headers["Retry-After"]) <= 60


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (MEMORIES, {"GET", "HEAD", "POST"}),
        (f"{MEMORIES}/x", {"GET", "HEAD", "PUT", "DELETE"}),
        ("/api/v2/artifacts", {"GET", "HEAD", "POST", "DELETE"}),
        ("/api/v2/search/hybrid", {"POST"}),
    ],
)
def test_a_method_that_a_path_does_not_take_is_told_all_that_it_takes(
    http: httpx2.Client, path: str, allowed: set[str]
) -> None:
    answer = http.patch(path)
    assert code(answer) == (405, "METHOD_NOT_ALLOWED")
    assert set(answer.headers["Allow"].split(", ")) == allowed
    assert http.head(MEMORIES).status_code == 200


@pytest.mark.parametrize("body", [b"", b"x", b'{"content": NaN}', b"[]", b"5", b"null", b'{"content": 5}', b"\xff"])
def test_a_body_that_is_none_is_refused_in_a_sentence(http: httpx2.Client, body: bytes) -> None:
    answer = http.post(MEMORIES, content=body)
    assert code(answer) == (400, "VALIDATION_ERROR")
    assert answer.json()["operation"] == "store"
    assert answer.json()["error"].startswith(("the body ", "'content' "))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v2/search/hybrid", b'{"query": "a \\ud800 b"}'),
        (MEMORIES, b'{"content": "x", "memory_type": "\\uDFFF"}'),
        (MEMORIES, b'{"\\ud800": "x"}'),
        ("/api/v2/artifacts", b'{"content": "\\ud800", "path": "/a.md"}'),
    ],
)
def test_text_that_is_no_unicode_is_refused(http: httpx2.Client, path: str, body: bytes) -> None:
    assert code(http.post(path, content=body)) == (400, "VALIDATION_ERROR")
    whole = http.post("/api/v2/search/hybrid", content=b'{"query": "\\ud83d\\ude00"}')
    assert whole.json()["query"] == "\N{GRINNING FACE}"


def test_words_of_a_query_that_are_no_unicode_break_nothing(http: httpx2.Client) -> None:
    assert code(http.get(f"{MEMORIES}?name=%ED%A0%80")) == (404, "NOT_FOUND")
    assert code(http.get(f"{MEMORIES}/%ED%A0%80%00")) == (404, "NOT_FOUND")


def test_the_served_document_describes_what_is_served(http: httpx2.Client, server: HttpServer) -> None:
    document = http.get("/openapi.json").json()
    OpenAPIV31SpecValidator(document).validate()
    answer = http.get(MEMORIES)
    schema = document["paths"][MEMORIES]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    jsonschema.validate(answer.json(), schema)
    refused = http.get(f"{MEMORIES}/nobody")
    jsonschema.validate(refused.json(), document["components"]["schemas"]["Penfield-refusal"])
    assert server.client().get("/openapi.json").status_code == 401


def test_a_workspace_that_goes_while_its_request_arrives_is_refused(tmp_path: Path) -> None:
    token = make_token(tmp_path, many=True, workspace="ann")

    def body() -> Iterator[bytes]:
        yield b'{"content": '
        time.sleep(0.3)  # the token is taken
        shutil.rmtree(tmp_path / "ann")
        yield b'"Water boils at 100 degrees"}'

    with HttpServer(tmp_path, "--profile=penfield", many=True) as server:
        answer = server.client(token).post(MEMORIES, content=body(), headers={"Content-Type": "application/json"})
        assert code(answer) == (403, "FORBIDDEN")
