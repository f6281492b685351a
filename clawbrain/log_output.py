"""The output of log lines on standard error and their format; imported only when log lines are asked for."""

import logging
import time

from .logs import traced, write


def write_to_standard_error(level: int) -> None:
    """Write the lines of `clawbrain.*` from this level up, and the warnings of libraries, to standard error."""
    logging.raiseExceptions = False
    root = logging.getLogger()
    output = next((each for each in root.handlers if isinstance(each, _StandardError)), None)
    if output is None:
        output = _StandardError()
        output.setFormatter(_Line())
        root.addHandler(output)
    output.setLevel(level)
    logging.getLogger("clawbrain").setLevel(level)


def write_to_file(name: str, level: int) -> None:
    """Write the same lines to a file, too, behind what it holds."""
    output = logging.FileHandler(name, encoding="utf-8", errors="replace", delay=True)
    output.setFormatter(_Line())
    output.setLevel(level)
    logging.getLogger().addHandler(output)
    ours = logging.getLogger("clawbrain")
    ours.setLevel(min(level, ours.level or level))


class _StandardError(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        try:
            write(f"{self.format(record)}\n")
        except Exception:
            self.handleError(record)


class _Line(logging.Formatter):
    """The format of a line: the time in UTC, the level, the logger and the text; of a library's line only its place.

    The text of a library's line is left out: it may quote what a client sent or what a memory holds.
    """

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        if record.name.partition(".")[0] == "clawbrain":
            text = record.getMessage()
        else:
            text = f"{record.filename}:{record.lineno}"
            if record.exc_info and record.exc_info[1]:
                text = f"{text}\n{traced(record.exc_info[1])}"
        return f"{moment}.{int(record.msecs):03}Z {record.levelname} {record.name}: {text}"
