"""All memories as one file over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import Invalid
from ...exchange import writing
from ..shared.endpoint_words import query_values
from ..shared.endpoints import Endpoint, HttpAnswer

if TYPE_CHECKING:
    from ..shared.endpoints import HttpCall, Schema

_TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8"}


def _export(call: HttpCall) -> HttpAnswer:
    format = query_values(call.query, _QUERY).get("format", "json")
    if format not in _TYPES:
        raise Invalid(f"'format' must be one of {', '.join(_TYPES)}.")
    text = writing.WRITERS[format](writing.all_of(call.brain))
    headers = {"Content-Disposition": f'attachment; filename="memories-{call.brain.today()}.{format}"'}
    return HttpAnswer(text.encode(errors="backslashreplace"), media_type=_TYPES[format], headers=headers)


_QUERY: dict[str, Schema] = {"format": {"enum": [*_TYPES], "default": "json"}}

ENDPOINTS = (
    Endpoint(
        "GET", "/api/memory/export", "mama_export", "Return all memories as a file", _export, query=_QUERY,
        answers={200: None},
    ),
)  # fmt: skip
