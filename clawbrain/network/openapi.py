"""Make the OpenAPI 3.1 document of HTTP APIs from their tables of endpoints."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import profiles
from ..profiles.shared.endpoints import ANY
from . import audit_api

if TYPE_CHECKING:
    from ..profiles.shared.endpoints import API, Endpoint

    Row = dict[str, Any]

BEARER = "token"
OWN_APIS = (audit_api.api,)
"""The APIs that are served whichever profiles are."""
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_REASONS = {
    400: "The request breaks a rule; the sentence names the field.",
    401: "No token, or one that is not valid.",
    403: "The token may not do this, or the origin is not allowed.",
    404: "What is asked for is not there.",
    408: "The body did not arrive in time.",
    409: "It cannot be done as things stand: it is taken, changed meanwhile, or pinned.",
    413: "The body is too large.",
    421: "The Host header names no host of this server.",
    429: "Too many calls with this token; Retry-After says when to call again.",
    500: "The server or its store is broken.",
    503: "Too much is under way, or another process holds the store; call again.",
}
_ALWAYS = (400, 403, 404, 421, 429, 500, 503)
_WITH_TOKEN, _WITH_BODY = 401, (408, 413)
_HEADERS: Mapping[int, Row] = {
    401: {"WWW-Authenticate": {"schema": {"type": "string"}}},
    429: {"Retry-After": {"description": "in seconds", "schema": {"type": "integer"}}},
    503: {"Retry-After": {"description": "in seconds", "schema": {"type": "integer"}}},
}
_WORD = re.compile(r"\{(\w+)(?::\w+)?\}")


def known_apis(names: Iterable[str] | None = None) -> list[API]:
    """Return the APIs of these profiles, or of all, in their order; many profiles have none."""
    chosen = profiles.names() if names is None else names
    having = [name for name in chosen if Path(profiles.FOLDER, name, "api.py").is_file()]
    return [import_module(f"..profiles.{name}.api", __package__).api for name in having]


def document(apis: Iterable[API], version: str) -> Row:
    """Return the document of some APIs. Raises ValueError where two endpoints have one name or one route."""
    apis = list(apis)
    paths: dict[str, Row] = {}
    for api in apis:
        for endpoint in api.endpoints:
            for each in _methods(endpoint):
                operations = paths.setdefault(_WORD.sub(r"{\1}", each.path), {})
                if each.method.lower() in operations:
                    raise ValueError(f"there are two endpoints for {each.method} {each.path}")
                operations[each.method.lower()] = _operation(api, each)
    _check_names(apis)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "clawbrain",
            "version": version,
            "description": "The HTTP APIs of `clawbrain serve --http`, one for each served profile that has one.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": api.title} for api in apis],
        "paths": paths,
        "components": {
            "securitySchemes": {BEARER: {"type": "http", "scheme": "bearer", "description": _BEARER}},
            "schemas": {_key(api): dict(api.refusal_schema) for api in apis},
            "responses": {_key(api, status): _refusal(api, status) for api in apis for status in _statuses(api)},
        },
    }


_BEARER = "Made by `clawbrain token create`; the scope an operation needs stands in its security: read, write or admin."


def _methods(endpoint: Endpoint) -> list[Endpoint]:
    """Return the endpoint, or one for each method where it takes any.

    One that takes any method of all paths below a place is left out: OpenAPI has no words for such paths.
    """
    if endpoint.method != ANY:
        return [endpoint]
    if endpoint.path.endswith(":path}"):
        return []
    return [replace(endpoint, method=method, name=f"{endpoint.name}_{method.lower()}") for method in METHODS]


def _check_names(apis: Iterable[API]) -> None:
    names = [endpoint.name for api in apis for endpoint in api.endpoints]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"several endpoints are called {', '.join(sorted(twice))}")


def _key(api: API, status: int | None = None) -> str:
    """Return the name of an API's refusals, or of those with a status, among the components."""
    title = re.sub(r"\W+", "-", api.title)
    return f"{title}-refusal" if status is None else f"{title}-{status}"


def _statuses(api: API) -> list[int]:
    """Return the statuses with which an API refuses."""
    own = {status for each in api.endpoints for status, schema in each.answers.items() if _refuses(api, schema)}
    return sorted({*_ALWAYS, _WITH_TOKEN, *_WITH_BODY, *own})


def _refuses(api: API, schema: object) -> bool:
    return schema == api.refusal_schema


def _refusal(api: API, status: int) -> Row:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{_key(api)}"}}}
    headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
    return {"description": _REASONS.get(status, "Refused."), **headers, "content": content}


def _operation(api: API, endpoint: Endpoint) -> Row:
    parts: Row = {"tags": [api.title], "operationId": endpoint.name, "summary": endpoint.summary}
    if parameters := [*_parameters(endpoint)]:
        parts["parameters"] = parameters
    if content := _body(endpoint):
        parts["requestBody"] = {"required": True, "content": content}
    parts["responses"] = {str(status): answer for status, answer in sorted(_responses(api, endpoint).items())}
    parts["security"] = [{BEARER: [endpoint.scope]}] if endpoint.scope else []
    return parts


def _parameters(endpoint: Endpoint) -> Iterator[Row]:
    for word in _WORD.findall(endpoint.path):
        yield {"name": word, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
    for name, schema in endpoint.query.items():
        yield {"name": name, "in": "query", "required": name in endpoint.required, "schema": dict(schema)}


def _body(endpoint: Endpoint) -> Row:
    if endpoint.takes_files:
        file = {"type": "string", "contentMediaType": "application/octet-stream"}
        form = {"type": "object", "properties": {"file": file}, "required": ["file"]}
        return {"multipart/form-data": {"schema": form}}
    return {"application/json": {"schema": dict(endpoint.body)}} if endpoint.body is not None else {}


def _responses(api: API, endpoint: Endpoint) -> dict[int, Row]:
    refused = [*_ALWAYS, *([_WITH_TOKEN] if endpoint.scope else []), *(_WITH_BODY if _body(endpoint) else [])]
    answers = {status: _answer(api, status, schema) for status, schema in endpoint.answers.items()}
    return {status: _shared(api, status) for status in refused} | answers


def _shared(api: API, status: int) -> Row:
    return {"$ref": f"#/components/responses/{_key(api, status)}"}


def _answer(api: API, status: int, schema: Mapping[str, Any] | None) -> Row:
    if _refuses(api, schema):
        return _shared(api, status)
    if status == 204 or 300 <= status < 400:
        return {"description": "No content."}
    if schema is None:
        return {"description": "A file or a page.", "content": {"*/*": {}}}
    return {"description": "Done.", "content": {"application/json": {"schema": dict(schema)}}}
