"""Uploaded files over HTTP: taking them, and handing them out so that no browser runs what is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..shared.endpoints import Endpoint, HttpAnswer, HttpFault
from . import api_schemas as schemas
from .media import LARGEST, Media, TooMany, media_type

if TYPE_CHECKING:
    from ..shared.endpoints import HttpCall

FIELD = "file"
_FORM = 64 * 1024  # bytes that a form may have around the file
_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def _upload(call: HttpCall) -> HttpAnswer:
    sent = [each for each in call.files if each.field == FIELD]
    if len(sent) != 1:
        raise HttpFault(400, "MISSING_FILE", f"'{FIELD}' is missing: send one file in a form field of this name.")
    if len(sent[0].content) > LARGEST:
        raise HttpFault(413, "PAYLOAD_TOO_LARGE", f"'{FIELD}' is larger than {LARGEST >> 20} MB.")
    try:
        name, size = Media(call.brain).keep(sent[0].name, sent[0].content)
    except TooMany as fault:
        raise HttpFault(429, "RATE_LIMITED", str(fault), retry_after=fault.seconds) from None
    kind = media_type(name, sent[0].content).name
    kept = {"filename": name, "mediaUrl": f"/api/media/{name}", "size": size, "contentType": kind}
    return HttpAnswer({"success": True, **kept})


def _show(call: HttpCall) -> HttpAnswer:
    return _handed_out(call, call.path["name"])


def _download(call: HttpCall) -> HttpAnswer:
    return _handed_out(call, call.path["name"], download=True)


def _handed_out(call: HttpCall, name: str, download: bool = False) -> HttpAnswer:
    content = Media(call.brain).content(name)
    kind = media_type(name, content)
    how = "inline" if kind.inline and not download else "attachment"
    headers = {"Content-Disposition": f'{how}; filename="{name}"', "Content-Security-Policy": _POLICY}
    media = f"{kind.name}; charset=utf-8" if kind.name.startswith("text/") else kind.name
    return HttpAnswer(content, media_type=media, headers=headers)


_KEPT = schemas.record(
    {
        "success": schemas.TRUE,
        "filename": schemas.TEXT,
        "mediaUrl": schemas.TEXT,
        "size": schemas.COUNT,
        "contentType": schemas.TEXT,
    }
)

ENDPOINTS = (
    Endpoint(
        "POST", "/api/upload", "mama_upload", f"Keep a file of at most {LARGEST >> 20} MB, sent in the field '{FIELD}'",
        _upload, "write", takes_files=True, largest_body=LARGEST + _FORM,
        answers={200: _KEPT},
    ),
    Endpoint(
        "GET", "/api/media/{name}", "mama_media", "Return a file; pages and drawings that could run are downloaded",
        _show, answers={200: None},
    ),
    Endpoint(
        "GET", "/api/media/download/{name}", "mama_media_download", "Return a file as a download", _download,
        answers={200: None},
    ),
)  # fmt: skip
