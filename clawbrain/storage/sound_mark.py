"""The state in which a database file was last found sound, noted beside it.

A thorough look takes time that a hook does not have. Within `trusting()` a file that is in that state still is not
checked again; everybody else checks it at each opening, so a fault that changes nothing of this state is found too.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path

_CHANGE_COUNTER = slice(24, 28)  # of SQLite's header: every transaction changes it
_CAREFULLY = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # do not follow a link, do not wait for a pipe

_trusting: ContextVar[bool] = ContextVar("trusting", default=False)


@contextmanager
def trusting() -> Iterator[None]:
    """Take files for sound within the block that are as they were when they were last checked."""
    token = _trusting.set(True)
    try:
        yield
    finally:
        _trusting.reset(token)


class SoundMark:
    """The mark of one database file; whoever deletes it only has the file checked once more."""

    def __init__(self, path: Path) -> None:
        self._path, self._mark = path, path.with_suffix(".sound")
        self._sound = ""  # the last state that is known here to be sound

    def is_trusted(self) -> bool:
        """Tell whether the file need not be checked now."""
        return _trusting.get() and self.still_sound()

    def still_sound(self) -> bool:
        """Tell whether nobody has changed the file since it was known to be sound, here or by another process."""
        state = self._state()
        return bool(state) and state in (self._sound, self._noted())

    def found_sound(self) -> None:
        """Note that the file is sound as it is."""
        self._sound = self._state()
        if self._sound:
            with suppress(OSError):  # then it is checked again
                flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _CAREFULLY
                with open(os.open(self._mark, flags, 0o600), "wb") as file:
                    file.write(self._sound.encode())

    def _noted(self) -> str:
        with suppress(OSError), open(os.open(self._mark, os.O_RDONLY | _CAREFULLY), "rb") as file:
            return file.read(200).decode("ascii", "replace")
        return ""

    def _state(self) -> str:
        """Return the state of the file, '' where it is not there or a transaction is not at its end."""
        try:
            if any(os.path.getsize(f"{self._path}{end}") for end in ("-journal", "-wal") if self._has(end)):
                return ""
            with open(os.open(self._path, os.O_RDONLY | _CAREFULLY), "rb") as file:
                found, counter = os.fstat(file.fileno()), file.read(_CHANGE_COUNTER.stop)[_CHANGE_COUNTER]
        except OSError:
            return ""
        return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_mtime_ns} {counter.hex()}"

    def _has(self, end: str) -> bool:
        return os.path.lexists(f"{self._path}{end}")
