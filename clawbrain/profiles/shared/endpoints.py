"""The shape of an HTTP API that a profile has beside its tools.

Such a profile has a module `api` with an `API`. An endpoint's function gets a call on the brain's thread and returns an
answer; it knows nothing of the server. The network package makes routes of the endpoints, checks the scope, reads the
body, and turns every error into the API's own shape; it also describes them in the OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...brain import Brain

Schema = Mapping[str, Any]
"""A JSON schema."""

ANY = "*"
"""The method of an endpoint that takes any."""


class HttpFault(Exception):
    """A request that is not answered as asked: the status, a code of the API's own, and one sentence."""

    def __init__(self, status: int, code: str, sentence: str, **further: Any) -> None:
        super().__init__(sentence)
        self.status, self.code, self.further = status, code, further


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a multipart form."""

    field: str
    name: str
    content: bytes
    content_type: str = ""


@dataclass(frozen=True, slots=True)
class HttpCall:
    """A request, as an endpoint sees it."""

    brain: Brain
    profile: Any
    """The profile's tools, on this brain; each public method is one of them."""
    path: Mapping[str, str] = field(default_factory=dict)
    """The words that stand for {word} in the endpoint's path."""
    query: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    """The JSON of the body, of the type that the endpoint's schema says, or None where it takes none."""
    files: Sequence[Upload] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    """By name in lower case, without Authorization."""
    user: str = ""
    workspace: str = ""
    public_url: str = ""
    """The address of this server as clients see it, without a slash at the end."""
    log_file: str = ""
    """The file that the server's log is written to, or ''."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer: JSON where the body is no text or bytes."""

    body: Any
    status: int = 200
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One method of one path."""

    method: str
    """GET, POST, PUT, PATCH or DELETE; ANY for any of them."""
    path: str
    """A path in which {word} stands for one part, and {word:path} at its end for all the rest."""
    name: str
    """A name of its own in all APIs, as the OpenAPI document and errors call it."""
    summary: str
    answer: Callable[[HttpCall], HttpAnswer]
    scope: str = "read"
    """The scope that the principal needs: read, write or admin; '' where no token is asked for."""
    query: Mapping[str, Schema] = field(default_factory=dict)
    required: Collection[str] = ()
    """The words of the query that must be given. The function refuses a call without them."""
    body: Schema | None = None
    """The schema of the JSON body. It is checked before the function is called, and faults name the field."""
    takes_files: bool = False
    """True where the body is a multipart form with files."""
    largest_body: int = 0
    """The most bytes of a body, where that is more than the server takes of any; 0 otherwise."""
    answers: Mapping[int, Schema | None] = field(default_factory=dict)
    """The schema of each answer by status, None for an answer that is no JSON. Those of errors are the API's."""


@dataclass(frozen=True, slots=True)
class API:
    """The HTTP API of a profile."""

    title: str
    endpoints: Sequence[Endpoint]
    prefixes: Sequence[str]
    """The beginnings of paths that are this API's: an unknown path below one is refused in the API's shape."""
    refusal: Callable[[HttpFault, str], Mapping[str, Any]]
    """Returns the body of a refusal; the word is the name of the endpoint, or '' for an unknown path."""
    refusal_schema: Schema = field(default_factory=dict)
    codes: Mapping[int, str] = field(default_factory=dict)
    """The codes of what the server itself refuses, by status (400, 401, 403, 404, 405, 408, 413, 429, 500, 503)."""
