"""The statements that the prompt hook noticed and nobody has weighed yet: the file `.clawbrain/noticed.json`.

A hook must not wait for the ledger, so it only adds to this file. Whoever next tidies up moves what is ripe into the
ledger. A wish to keep something stays here until its session has ended, and is dropped when that session stores
something.
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # do not follow a link, do not wait for a pipe
_MOST = 100  # statements that wait at a time; the oldest go


class Noticed(NamedTuple):
    """A statement, the time at which it was said, and the session in which: the program's, and that of its server."""

    sentence: str
    kind: str
    strength: float
    wish: bool
    at: str
    session: str
    server: str


class NoticedFile:
    """The file noticed.json of one home; it is empty or missing where nothing waits."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "noticed.json"

    def waiting(self) -> bool:
        """Tell whether anything waits; every write of a memory asks, so this opens no file."""
        try:
            return os.lstat(self._path).st_size > 0
        except OSError:
            return False

    def all(self) -> list[Noticed]:
        """Return what waits, oldest first."""
        try:
            with open(os.open(self._path, os.O_RDONLY | _CAREFULLY), "rb") as file:
                return _read(file.read())
        except OSError:
            return []

    def add(self, statements: Iterable[Noticed]) -> None:
        """Add statements. Raises OSError where the disk refuses."""
        with self._opened() as file:
            _write(file, [*_read(file.read()), *statements][-_MOST:])

    def fulfil(self, session: str) -> None:
        """Drop the wishes of a session, which has stored something. A disk that refuses is no reason to fail."""
        if self.waiting():
            with suppress(OSError), self._opened() as file:
                _write(file, [each for each in _read(file.read()) if not _is_wish_of(each, session)])

    def name_server(self, session: str, server: str) -> None:
        """Note which server serves a program's session, where a statement of it does not know yet."""
        if any(each.session == session and not each.server for each in self.all()):
            with self._opened() as file:
                known = _read(file.read())
                _write(
                    file, [e._replace(server=server) if (e.session, e.server) == (session, "") else e for e in known]
                )

    def move(self, is_ripe: Callable[[Noticed], bool], keep: Callable[[Sequence[Noticed]], None]) -> None:
        """Pass the statements that are ripe to `keep`, then remove them. Raises OSError where the disk refuses."""
        with self._opened() as file:
            waiting = _read(file.read())
            ripe = [each for each in waiting if is_ripe(each)]
            if ripe:
                keep(ripe)
                _write(file, [each for each in waiting if each not in ripe])

    @contextmanager
    def _opened(self) -> Iterator[IO[bytes]]:
        with open(os.open(self._path, os.O_RDWR | os.O_CREAT | _CAREFULLY, 0o600), "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file


def _is_wish_of(noticed: Noticed, session: str) -> bool:
    return noticed.wish and session in (noticed.session, noticed.server)


def _write(file: IO[bytes], statements: Sequence[Noticed]) -> None:
    file.seek(0)
    if statements:
        file.write(json.dumps([each._asdict() for each in statements], ensure_ascii=False).encode(errors="replace"))
    file.truncate()


def _read(data: bytes) -> list[Noticed]:
    """Return the statements of a file, without those that cannot be read; none where a killed process broke it."""
    try:
        found = json.loads(data or b"[]")
    except (ValueError, RecursionError):
        return []
    rows = found if isinstance(found, list) else []
    return [noticed for row in rows if (noticed := _noticed(row))]


def _noticed(row: Any) -> Noticed | None:
    try:
        texts = [str(row[key]) for key in ("sentence", "kind", "at", "session", "server")]
        sentence, kind, *where = texts
        return Noticed(sentence, kind, float(row["strength"]), bool(row["wish"]), *where)
    except (TypeError, KeyError, ValueError):
        return None
