"""Uploaded files: kept below artifacts/media under names made here, and known by their content and their name.

A file is shown in a browser only if its content is what its name says and cannot run there; all others are downloaded.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ...errors import Invalid, NotFound
from ...memory.model import shown

if TYPE_CHECKING:
    from ...brain import Brain

LARGEST = 20 * 1024 * 1024
MOST_A_MINUTE, MINUTE = 10, 60
ANYTHING = "application/octet-stream"
_FOLDER = "/media"
_LONGEST_NAME = 100
_READ = 1024  # bytes of a file that tell what it is
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<[!?a-zA-Z]")
_NAME = re.compile(r"[0-9]+_[A-Za-z0-9][A-Za-z0-9._-]*")


class MediaType(NamedTuple):
    """A type of files: how it is called, how its content is told, and whether a browser may show it."""

    name: str
    is_it: Callable[[bytes], bool]
    inline: bool = False


def _begins(*beginnings: bytes) -> Callable[[bytes], bool]:
    return lambda content: content.startswith(beginnings)


def _is_text(content: bytes) -> bool:
    """Tell whether a content is UTF-8 without control characters that no text has."""
    if b"\0" in content:
        return False
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_plain(content: bytes) -> bool:
    """Tell whether a content is text and no markup: a browser must not take it for a page, whatever its name says."""
    return _is_text(content) and not _MARKUP.match(content)


def _is_webp(content: bytes) -> bool:
    return content.startswith(b"RIFF") and content[8:12] == b"WEBP"


_ZIP, _OLE = _begins(b"PK\x03\x04", b"PK\x05\x06"), _begins(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
_OFFICE = "application/vnd.openxmlformats-officedocument"
TYPES: Mapping[str, MediaType] = {
    "png": MediaType("image/png", _begins(b"\x89PNG\r\n\x1a\n"), True),
    "jpg": MediaType("image/jpeg", _begins(b"\xff\xd8\xff"), True),
    "jpeg": MediaType("image/jpeg", _begins(b"\xff\xd8\xff"), True),
    "gif": MediaType("image/gif", _begins(b"GIF87a", b"GIF89a"), True),
    "webp": MediaType("image/webp", _is_webp, True),
    "pdf": MediaType("application/pdf", _begins(b"%PDF-"), True),
    "txt": MediaType("text/plain", _is_plain, True),
    "md": MediaType("text/markdown", _is_plain, True),
    "csv": MediaType("text/csv", _is_plain, True),
    "json": MediaType("application/json", _is_plain, True),
    "svg": MediaType("image/svg+xml", _is_text),
    "html": MediaType("text/html", _is_text),
    "htm": MediaType("text/html", _is_text),
    "xhtml": MediaType("application/xhtml+xml", _is_text),
    "xml": MediaType("application/xml", _is_text),
    "zip": MediaType("application/zip", _ZIP),
    "docx": MediaType(f"{_OFFICE}.wordprocessingml.document", _ZIP),
    "xlsx": MediaType(f"{_OFFICE}.spreadsheetml.sheet", _ZIP),
    "pptx": MediaType(f"{_OFFICE}.presentationml.presentation", _ZIP),
    "doc": MediaType("application/msword", _OLE),
    "xls": MediaType("application/vnd.ms-excel", _OLE),
    "ppt": MediaType("application/vnd.ms-powerpoint", _OLE),
}
_OTHER = MediaType(ANYTHING, lambda content: True)


def media_type(name: str, content: bytes) -> MediaType:
    """Return the type that the ending of a name and the content agree on, else that of anything at all."""
    found = TYPES.get(name.rpartition(".")[2].lower(), _OTHER)
    return found if found.is_it(content) else _OTHER


class TooMany(Invalid):
    """More files within a minute than are taken; `seconds` until the next one is."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"{MOST_A_MINUTE} files a minute are taken; send this one again in {seconds} s.")
        self.seconds = seconds


class Media:
    """The uploaded files of a brain."""

    def __init__(self, brain: Brain) -> None:
        self.brain = brain
        self._shelf = brain.shelf("artifacts")

    def keep(self, name: str, content: bytes) -> tuple[str, int]:
        """Keep a file under a name made of the time and its own; return that name and its size.

        Where STRATEGY.md says to redact or to refuse secrets, that is done in a text and in its name. Raises TooMany,
        and Invalid for a file that is empty or too large.
        """
        self.brain.may_write()
        if not content:
            raise Invalid("'file' is empty.")
        if len(content) > LARGEST:
            raise Invalid(f"'file' has {len(content)} bytes; {LARGEST} is the most.")
        if self.brain.strategy().strategy.safety.secrets != "warn":
            name = self.brain.without_secrets(name)
            if _is_text(content):
                content = self.brain.without_secrets(content.decode()).encode()
        with self.brain.locked():
            now = int(self.brain.clock().timestamp())
            taken = {file.name for file in self._shelf.listed(_FOLDER)[1]}
            self._refuse_too_many(taken, now)
            free = _free(f"{now}_{safe_name(name)}", taken)
            return free, self._shelf.keep_bytes(f"{_FOLDER}/{free}", content)

    @staticmethod
    def _refuse_too_many(taken: set[str], now: int) -> None:
        times = (int(name.partition("_")[0]) for name in taken if _NAME.fullmatch(name))
        recent = sorted(time for time in times if now - MINUTE < time <= now)
        if len(recent) >= MOST_A_MINUTE:
            raise TooMany(recent[-MOST_A_MINUTE] + MINUTE - now)

    def content(self, name: str) -> bytes:
        """Return the content of a file that was kept. Raises NotFound."""
        if not _NAME.fullmatch(name):
            raise NotFound(f"no file is called {shown(name)}; its name stands in the answer to its upload.")
        return self._shelf.data(f"{_FOLDER}/{name}")


def safe_name(name: str) -> str:
    """Return the nearest name that is safe everywhere: of ASCII letters, digits, '.', '_' and '-', without folders."""
    plain = unicodedata.normalize("NFKD", name)
    last = re.split(r"[/\\]", plain)[-1]
    last = "".join(char for char in last if not unicodedata.combining(char) and unicodedata.category(char) != "Cf")
    stem, dot, ending = re.sub(r"[^A-Za-z0-9._-]+", "_", last).rpartition(".")
    if not dot:
        stem, ending = ending, ""
    stem = re.sub(r"\.{2,}", ".", stem).strip("._-")[:_LONGEST_NAME].rstrip("._-") or "file"
    ending = ending.strip("_-")[:20]
    return f"{stem}.{ending}" if ending else stem


def _free(name: str, taken: set[str]) -> str:
    """Return a name that no file has: this one, or with a number before its ending."""
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{stem}-{number}{dot}{ending}"
    return free
