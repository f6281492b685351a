"""Calls the endpoints of MAMA's HTTP API as a server does, and holds the answers against their schemas."""

import json
import re

import jsonschema
import pytest

from clawbrain.brain import Brain
from clawbrain.errors import ClawbrainError, Invalid, NotFound, ReadOnly, Refused
from clawbrain.profiles.mama.api import api
from clawbrain.profiles.mama.tools import Profile
from clawbrain.profiles.shared.endpoints import Endpoint, HttpAnswer, HttpCall, HttpFault, Upload

STATUSES = ((NotFound, 404), (Invalid, 400), (ReadOnly, 403), (Refused, 409))


def endpoint(method: str, path: str) -> tuple[Endpoint, dict[str, str]]:
    """Return the endpoint of a method and path, with the words of the path."""
    for each in api.endpoints:
        pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[^/]+)", re.escape(each.path).replace(":path", ""))
        if each.path.endswith(":path}"):
            pattern = pattern.replace("[^/]+", ".*")
        if each.method in (method, "*") and (found := re.fullmatch(pattern, path)):
            return each, found.groupdict()
    raise LookupError(f"{method} {path}")


class ApiCaller:
    """Calls an endpoint on a brain, and holds its answers against their schemas."""

    def __init__(self, brain: Brain) -> None:
        self.brain, self.profile = brain, Profile(brain)
        self.answer = HttpAnswer(None)

    def __call__(self, method: str, path: str, body: object = None, files=(), **words):
        query = {name: str(word) for name, word in words.pop("query", {}).items()}
        one, in_path = endpoint(method, path)
        self.answer = one.answer(HttpCall(self.brain, self.profile, in_path, query, body, files, **words))
        schema = one.answers[self.answer.status]
        if schema is not None:  # JSON
            jsonschema.validate(json.loads(json.dumps(self.answer.body)), schema)
        return self.answer.body

    def get(self, path: str, **query):
        return self("GET", path, query=query)

    def post(self, path: str, **body):
        return self("POST", path, body)

    def upload(self, name: str, content: bytes, field: str = "file"):
        return self("POST", "/api/upload", files=[Upload(field, name, content)])

    def refused(self, *request, **words) -> tuple[int, str, str]:
        """Return the status, the code and the sentence of a refusal, as the server makes them of an error."""
        with pytest.raises((HttpFault, ClawbrainError)) as raised:
            self(*request, **words)
        fault = raised.value
        if not isinstance(fault, HttpFault):
            status = next(status for kind, status in STATUSES if isinstance(fault, kind))
            fault = HttpFault(status, api.codes[status], str(fault))
        body = api.refusal(fault, "")
        jsonschema.validate(body, api.refusal_schema)
        assert body["error"] is True
        return fault.status, body["code"], body["message"]
