"""One JSON-RPC message per line: take the standard streams, read lines, say what is wrong with a line.

The SDK silently drops what it cannot read, and the agent waits for ever. Here every line is answered, with its id
wherever one can be found. Only the standard library is used: the first answers are given before the SDK is loaded.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import sys
from contextlib import suppress
from io import TextIOBase
from math import isfinite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Message = dict[str, Any]

LONGEST = 8 * 1024 * 1024
DEEPEST = 200
ENDS = 4096  # of a line too long to keep, this much of both ends is looked at for its id

UNREADABLE, NO_REQUEST, BAD_PARAMS = -32700, -32600, -32602


def take_streams() -> tuple[int, int]:
    """Return the client's pipe, input and output, under numbers that no print, library or child process writes to."""
    for fd in range(3):
        with suppress(OSError):
            os.fstat(fd)
            continue
        os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    pipe = tuple(fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3) for fd in (0, 1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr = _Patient()
    return pipe[0], _never_waiting(pipe[1])


def _never_waiting(sink: int) -> int:
    """Return the output as one that never blocks, so that a client which does not read cannot hold the server up.

    A terminal is opened anew, because other processes share its mode.
    """
    if not os.isatty(sink):
        os.set_blocking(sink, False)
        return sink
    with suppress(OSError):
        return os.open(os.ttyname(sink), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    return sink


class _Patient(TextIOBase):
    """A standard error that may be closed or full: what cannot be written is dropped."""

    def write(self, text: str) -> int:
        with suppress(OSError):
            os.write(2, text.encode(errors="backslashreplace"))
        return len(text)


class Overlong(bytes):
    """The beginning and the end of a line that was too long to keep."""


class Lines:
    """The lines of the client: iterating waits for them, `here` returns only what has arrived, `more` reads on."""

    def __init__(self, fd: int) -> None:
        self.fd, self.ended = fd, False
        self._held, self._looked = bytearray(), 0
        self._head = b""  # of a line that is too long to keep

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> bytes:
        while (line := self.here()) is None:
            if self.ended:
                raise StopIteration
            self.more()
        return line

    def here(self) -> bytes | None:
        """Return the next line if all of it has arrived, else None."""
        end = self._held.find(b"\n", self._looked)
        if end < 0:
            self._looked = len(self._held)
            if self._head or self._looked > LONGEST:
                self._shorten()
            if not (self.ended and self._held):
                return None
            end = self._looked
        line = bytes(self._held[:end])
        del self._held[: end + 1]
        self._looked = 0
        if self._head:
            line, self._head = Overlong(self._head + line[-ENDS:]), b""
        return line

    def _shorten(self) -> None:
        self._head = self._head or bytes(self._held[:ENDS])
        del self._held[:-ENDS]
        self._looked = len(self._held)

    def more(self) -> None:
        """Read what has arrived, or wait until something has."""
        try:
            chunk = os.read(self.fd, 65536)
        except BlockingIOError:  # as when it is one socket with the output
            return _wait(to_read=[self.fd])
        except OSError:  # a terminal that went away
            chunk = b""
        self._held += chunk
        self.ended = not chunk


def read(line: bytes) -> tuple[Message | None, list[Message]]:
    """Return the message in a line, or else the answers to it; neither for a line that needs no answer."""
    if not line.strip():
        return None, []
    try:
        message = _parsed(line)
    except _Unreadable as fault:
        return None, [error(fault.id, UNREADABLE, f"This line cannot be read: {fault}.")]
    if isinstance(message, list):
        return None, _refused_batch(message)
    return _judged(message)


def error(id: Any, code: int, sentence: str) -> Message:
    """Return a JSON-RPC error."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": sentence}}


def as_line(message: Message) -> bytes:
    return closed(json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode())


def closed(text: bytes) -> bytes:
    """Return a text as a line. Some clients also break lines at Unicode's line ends; in JSON they can be escaped."""
    for end, spelt in ((b"\xe2\x80\xa8", rb"\u2028"), (b"\xe2\x80\xa9", rb"\u2029"), (b"\xc2\x85", rb"\u0085")):
        text = text.replace(end, spelt)
    return text + b"\n"


def write(fd: int, text: bytes) -> None:
    """Write a whole text, however long the client takes to read it."""
    left = memoryview(text)
    while left:
        try:
            left = left[os.write(fd, left) :]
        except BlockingIOError:
            _wait(to_write=[fd])


def _wait(*, to_read: Sequence[int] = (), to_write: Sequence[int] = ()) -> None:
    import select  # seldom needed

    select.select(to_read, to_write, ())


class _Unreadable(Exception):
    def __init__(self, sentence: str, id: Any = None) -> None:
        super().__init__(sentence)
        self.id = id


def _parsed(line: bytes) -> Any:
    if isinstance(line, Overlong):
        raise _Unreadable(f"it is longer than {LONGEST} bytes", _id_at_an_end(line))
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise _Unreadable("it is not UTF-8", _id_despite(line)) from None
    try:
        message = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise _Unreadable("it is nested too deep", _id_at_an_end(line)) from None
    except ValueError:
        raise _Unreadable("it is not JSON") from None
    if line.count(b"[") + line.count(b"{") > DEEPEST and _too_deep(message):
        raise _Unreadable("it is nested too deep", _id_of(message))
    if (b"\\ud" in line or b"\\uD" in line) and not _unicode(message):
        raise _Unreadable("half a surrogate pair is not text", _id_of(message))
    return message


def _judged(message: Any) -> tuple[Message | None, list[Message]]:
    if not isinstance(message, dict):
        return None, [error(None, NO_REQUEST, "A message is a JSON object.")]
    if "method" not in message and ("result" in message or "error" in message):
        return None, []  # an answer: nothing was asked
    id, asked = _id_of(message), "id" in message
    if not isinstance(message.get("method"), str) or (asked and message.get("jsonrpc") != "2.0"):
        return None, [error(id, NO_REQUEST, 'A request has "jsonrpc": "2.0", an id, a method and perhaps params.')]
    if asked and (id is None or isinstance(id, float)):
        return None, [error(id, NO_REQUEST, "The id of a request is a string or a whole number.")]
    if not isinstance(message.get("params"), dict | None):
        return None, [error(id, BAD_PARAMS, "params must be an object.")] if asked else []
    return (message if message.get("jsonrpc") == "2.0" else None), []


def _refused_batch(batch: list[Any]) -> list[Message]:
    asked = [_id_of(item) for item in batch if isinstance(item, dict) and "method" in item and "id" in item]
    return [error(id, NO_REQUEST, "Batches are not served; send one message per line.") for id in asked or [None]]


def _id_of(message: Any) -> Any:
    id = message.get("id") if isinstance(message, dict) else None
    if isinstance(id, float):
        return id if isfinite(id) else None
    return id if isinstance(id, str | int) and not isinstance(id, bool) and _unicode(id) else None


def _id_despite(line: bytes) -> Any:
    with suppress(ValueError, RecursionError):
        return _id_of(json.loads(line.decode(errors="replace")))
    return None


_ID = rb'"id"\s*:\s*(-?\d{1,18}|"[^"\\]{0,200}")\s*'
_PLAIN = rb'"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*'
_FIRST = rb"\s*\{\s*(?:" + _PLAIN + rb",\s*)*" + _ID + rb"[,}]"
_LAST = rb"[,{]\s*" + _ID + rb"(?:,\s*" + _PLAIN + rb")*\}\s*$"


def _id_at_an_end(line: bytes) -> Any:
    """Return the id of a line that cannot be parsed, if it stands before or after all that is nested, else None."""
    found = re.match(_FIRST, line) or re.search(_LAST, line[-ENDS:])
    return json.loads(found[1].decode(errors="replace")) if found else None


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(DEEPEST + 1):
        level = [inner for outer in level for inner in _children(outer)]
    return bool(level)


def _children(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _unicode(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is not JSON")
