"""The end of the server's log over HTTP, where the server writes one into a file."""

from __future__ import annotations

import os
from collections import deque
from functools import partial
from io import BufferedReader
from typing import TYPE_CHECKING

from ..shared.endpoint_words import query_values
from ..shared.endpoints import Endpoint, HttpAnswer, HttpFault
from . import api_schemas as schemas

if TYPE_CHECKING:
    from ..shared.endpoints import HttpCall, Schema

TAIL, MOST = 200, 5000
_LONGEST = 2000  # characters of a line that are shown
_PIECE = 1 << 20  # bytes; a line that is longer counts as several


def _daemon(call: HttpCall) -> HttpAnswer:
    asked = query_values(call.query, _QUERY)
    if call.workspace:
        raise HttpFault(404, "NO_LOG", "The log of this server is that of all workspaces; read it on its machine.")
    if not call.log_file:
        raise HttpFault(404, "NO_LOG", "This server writes no log file; start it with --log-file FILE.")
    try:
        with open(call.log_file, "rb") as file:
            return _answer(file, asked.get("since"), max(1, min(MOST, asked.get("tail", TAIL))), str(call.brain.home))
    except OSError:
        raise HttpFault(404, "NO_LOG", "The log file is not there or cannot be read; look at --log-file.") from None


def _answer(file: BufferedReader, since: int | None, most: int, home: str) -> HttpAnswer:
    """Return the last lines of a log, without the path of the home, or 304 where nothing was written since."""
    status = os.fstat(file.fileno())
    changed = status.st_mtime_ns // 1_000_000
    if since is not None and changed <= since:
        return HttpAnswer(None, 304)
    last: deque[bytes] = deque(maxlen=most)
    total = 0
    for line in iter(partial(file.readline, _PIECE), b""):
        total += 1
        last.append(line[: 4 * _LONGEST])
    lines = [line.decode(errors="replace").rstrip("\r\n")[:_LONGEST].replace(home, "HOME") for line in last]
    counted = {"lines": lines, "total": total, "totalBytes": status.st_size}
    return HttpAnswer(counted | {"mtime": changed, "truncated": total > len(lines)})


_QUERY: dict[str, Schema] = {
    "tail": {"type": "integer", "default": TAIL, "description": f"1 to {MOST} lines; what is beyond is clamped"},
    "since": {"type": "integer", "description": "a time in milliseconds; 304 where nothing was written after it"},
}
_LINES = schemas.record(
    {
        "lines": schemas.TEXTS,
        "total": schemas.COUNT,
        "totalBytes": schemas.COUNT,
        "mtime": schemas.WHOLE,
        "truncated": schemas.FLAG,
    }
)

ENDPOINTS = (
    Endpoint(
        "GET", "/api/logs/daemon", "mama_logs", "Return the last lines of the server's log", _daemon, "admin",
        query=_QUERY, answers={200: _LINES, 304: None, 404: schemas.REFUSAL},
    ),
)  # fmt: skip
