"""Log lines for whoever watches a process: standard loggers `clawbrain.SUBJECT`, silent until somebody listens.

Importing `logging` takes time that the first answer of a server and a hook do not have, so it is imported only when
log lines are asked for; until then, or until another module has imported it, a line costs a look into `sys.modules`.

A line never holds memory text, names or ids of memories, arguments of a call, or the message of an unexpected
exception, which may quote any of them.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

from .errors import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logging import Logger

VARIABLE = "CLAWBRAIN_LOG"
DEBUG, INFO, WARNING, ERROR = 10, 20, 30, 40  # as in logging
LEVELS = {"debug": DEBUG, "info": INFO, "warning": WARNING, "error": ERROR}
_AT_ONCE = 4096  # bytes that a pipe which can be written takes without waiting (PIPE_BUF)

# Steps of a database that its owner may want to know of; the others are for finding faults.
_OF_A_DATABASE = {
    "set aside": (WARNING, "%s.db cannot be read and is set aside"),
    "migrate": (INFO, "%s.db is written in today's shape"),
    "take place": (INFO, "a new %s.db takes its place"),
}


class Log:
    """The logger of a subject (`storage`, `server` …), called with a level, a text and the values for it."""

    def __init__(self, room: str) -> None:
        self._name = f"clawbrain.{room}"

    def __call__(self, level: int, text: str, *values: object) -> None:
        if logger := self._listened_to(level):
            logger.log(level, text, *values)

    def failure(self, text: str, *values: object, or_print: bool = False) -> None:
        """Log that something failed because of the exception being handled, and where it was raised.

        With `or_print` it goes to standard error where nobody listens.
        """
        if logger := self._listened_to(ERROR):
            logger.error(f"{text}\n%s", *values, traced(sys.exception()))
        elif or_print:
            write(f"clawbrain: {text % values}\n{traced(sys.exception())}\n")

    def _listened_to(self, level: int) -> Logger | None:
        """Return the standard logger if a line of this level reaches anybody."""
        if "logging" not in sys.modules:
            return None
        import logging

        logger = logging.getLogger(self._name)
        return logger if logger.isEnabledFor(level) and logger.hasHandlers() else None


_storage = Log("storage")


def log_step(step: str) -> None:
    """Log a step that is about to be taken, named as in `storage/`: "replace: swap", "ledger: set aside"."""
    subject, _, verb = step.partition(": ")
    if subject == "backup":
        _storage(INFO, "the ledger is backed up")
    elif verb in _OF_A_DATABASE:
        level, text = _OF_A_DATABASE[verb]
        _storage(level, text, subject)
    else:
        _storage(DEBUG, "step: %s", step)


def chosen_level(option: str = "") -> int:
    """Return the level of an option, else of CLAWBRAIN_LOG; 0 where neither asks for log lines.

    Raises Usage for an option that names no level. A variable that names none is only reported on standard error: a
    misspelt wish to watch stops no server.
    """
    word = option or os.environ.get(VARIABLE, "")
    level = LEVELS.get(word.casefold(), 0)
    if word and not level:
        sentence = f"there is no log level {word!r}; there is {', '.join(LEVELS)}."
        if option:
            raise Usage(sentence)
        write(f"clawbrain: {VARIABLE}: {sentence}\n")
    return level


def start(level: int, file: str = "") -> None:
    """Write log lines from this level up to standard error, from now on, or to a file; level 0 changes nothing."""
    if level:
        from .log_output import write_to_file, write_to_standard_error

        if file:
            write_to_file(file, level)
        else:
            write_to_standard_error(level)


def milliseconds(began: float) -> float:
    """Return the milliseconds since a moment of time.monotonic()."""
    return (time.monotonic() - began) * 1000


def traced(fault: BaseException | None) -> str:
    """Return the types of an exception and of those behind it, and where each was raised, without their messages."""
    lines: list[str] = []
    waiting, told = [fault], set[int]()
    while waiting:
        fault = waiting.pop()
        if fault is None or id(fault) in told:
            continue
        told.add(id(fault))
        lines += _frames(fault)
        behind = fault.__cause__ or (None if fault.__suppress_context__ else fault.__context__)
        waiting += [behind, *getattr(fault, "exceptions", ())]
    return "\n".join(lines)


_places_hidden = False


def hide_places() -> None:
    """Leave out, from now on, where in the code an exception was raised: paths of this machine tell others of it."""
    global _places_hidden
    _places_hidden = True


def _frames(fault: BaseException) -> list[str]:
    import traceback

    number = getattr(fault, "errno", None) if isinstance(fault, OSError) else None
    reason = os.strerror(number) if isinstance(number, int) else getattr(fault, "sqlite_errorname", "")
    named = f"  {type(fault).__qualname__}{reason and f' ({reason})'}"
    if _places_hidden:
        return [named]
    return [
        f"{named}, raised at",
        *(f"    {at.filename}:{at.lineno} in {at.name}" for at in traceback.extract_tb(fault.__traceback__)),
    ]


def write(text: str) -> None:
    """Write to standard error as much as it takes at once; the rest is dropped.

    Whoever started the process may have closed it, may not read it, or may send it to a full disk: none of it may stop
    or delay the work.
    """
    import select

    data = text.encode(errors="backslashreplace")
    with suppress(OSError, ValueError):
        for start in range(0, len(data), _AT_ONCE):
            if not select.select([], [2], [], 0)[1]:
                return
            os.write(2, data[start : start + _AT_ONCE])
