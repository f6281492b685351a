"""The OpenAPI document of the HTTP APIs."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from clawbrain import profiles
from clawbrain.network.openapi import OWN_APIS, document, known_apis
from clawbrain.profiles.shared.endpoints import API, Endpoint, HttpAnswer

PUBLISHED = json.loads((Path(__file__).parent.parent / "docs" / "openapi.json").read_text("utf-8"))
REFUSAL = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}


def endpoint(route, name="read_it", **words):
    method, path = route.split()
    return Endpoint(method, path, name, "Read it.", lambda call: HttpAnswer({}), **words)


def described(*endpoints, title="Some API"):
    api = API(title, endpoints, ["/"], lambda fault, name: {"error": str(fault)}, refusal_schema=REFUSAL)
    return document([api], "1.2.3")


def operations(text):
    return [operation for path in text["paths"].values() for operation in path.values()]


def resolved(text, part):
    for word in part["$ref"].removeprefix("#/").split("/"):
        text = text[word]
    return text


def test_the_published_document_is_valid():
    OpenAPIV31SpecValidator(PUBLISHED).validate()


def test_a_document_that_is_not_valid_would_be_seen():
    broken = copy.deepcopy(PUBLISHED)
    operations(broken)[0].pop("responses")
    operations(broken)[0]["responses"] = {"200": {}}
    assert not OpenAPIV31SpecValidator(broken).is_valid()


def test_every_schema_in_it_is_a_schema():
    for operation in operations(PUBLISHED):
        for parameter in operation.get("parameters", ()):
            jsonschema.Draft202012Validator.check_schema(parameter["schema"])
        for part in (operation.get("requestBody", {}), *operation["responses"].values()):
            for content in part.get("content", {}).values():
                jsonschema.Draft202012Validator.check_schema(content.get("schema", {}))


def test_it_describes_every_endpoint_of_every_profile_that_has_an_api():
    known = [each for api in (*OWN_APIS, *known_apis()) for each in api.endpoints]
    described = {each["operationId"] for each in operations(PUBLISHED)}
    assert {each.name for each in known if each.method != "*"} <= described
    assert {f"{each.name}_get" for each in known if each.method == "*" and ":" not in each.path} <= described
    assert "store" in {each.name for each in known}
    assert known_apis(["clawbrain"]) == []
    assert len(known_apis(["penfield"])) == 1 <= len(known_apis()) <= len(profiles.names())


def test_parameters_stand_where_they_are_given():
    schema = {"type": "integer", "default": 5}
    query = {"q": {"type": "string"}, "limit": schema}
    [operation] = operations(described(endpoint("GET /things/{id}", query=query, required=["q"])))
    assert operation["parameters"] == [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}},
        {"name": "q", "in": "query", "required": True, "schema": {"type": "string"}},
        {"name": "limit", "in": "query", "required": False, "schema": schema},
    ]


def test_a_word_of_the_path_loses_how_it_is_matched():
    assert [*described(endpoint("GET /media/{name:path}"))["paths"]] == ["/media/{name}"]


def test_an_endpoint_of_any_method_is_described_for_each():
    text = described(endpoint("* /cron", "no_cron"), endpoint("* /cron/{rest:path}", "no_cron_below"))
    (path,) = text["paths"].values()
    named = {method: operation["operationId"] for method, operation in path.items()}
    assert named == {method: f"no_cron_{method}" for method in ("get", "post", "put", "patch", "delete")}


def test_a_body_is_json_or_a_form_with_a_file():
    text = described(endpoint("POST /a", "one", body={"type": "object"}), endpoint("POST /b", "two", takes_files=True))
    one, two = operations(text)
    assert one["requestBody"] == {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
    assert [*two["requestBody"]["content"]] == ["multipart/form-data"]


def test_every_refusal_is_shared_and_has_the_shape_of_the_api():
    text = described(endpoint("POST /a", body={"type": "object"}, answers={201: {"type": "object"}, 409: REFUSAL}))
    [operation] = operations(text)
    statuses = ["201", "400", "401", "403", "404", "408", "409", "413", "421", "429", "500", "503"]
    assert [*operation["responses"]] == statuses
    for status in statuses[1:]:
        shared = resolved(text, operation["responses"][status])
        assert resolved(text, shared["content"]["application/json"]["schema"]) == REFUSAL
    assert "Retry-After" in text["components"]["responses"]["Some-API-429"]["headers"]
    assert "WWW-Authenticate" in text["components"]["responses"]["Some-API-401"]["headers"]


def test_the_scope_is_told_and_an_open_endpoint_asks_for_no_token():
    text = described(endpoint("GET /a", "one", scope="admin"), endpoint("GET /b", "two", scope=""))
    one, two = operations(text)
    assert one["security"] == [{"token": ["admin"]}] and "401" in one["responses"]
    assert two["security"] == [] and "401" not in two["responses"]
    assert text["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


def test_an_answer_that_is_no_json_has_no_schema():
    answers = {200: None, 304: None}
    [operation] = operations(described(endpoint("GET /log", answers=answers)))
    assert operation["responses"]["200"]["content"] == {"*/*": {}}
    assert "content" not in operation["responses"]["304"]


def test_two_endpoints_of_one_name_or_route_are_refused():
    with pytest.raises(ValueError, match="called read_it"):
        described(endpoint("GET /a"), endpoint("GET /b"))
    with pytest.raises(ValueError, match="GET /a"):
        described(endpoint("GET /a", "one"), endpoint("GET /a", "two"))


def test_two_apis_keep_their_refusals_apart():
    [one] = [*known_apis(["penfield"])]
    other = replace(one, title="Other", endpoints=[endpoint("GET /x")], refusal_schema=REFUSAL)
    text = document([one, other], "1")
    assert OpenAPIV31SpecValidator(text).is_valid()
    assert text["components"]["schemas"].keys() == {"Penfield-refusal", "Other-refusal"}
