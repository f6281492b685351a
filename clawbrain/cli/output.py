"""The output of the verbs: plain text for pipes, tables and colours for a person's terminal.

Memories hold other people's words, and some characters control a terminal: control and bidi characters are always
written as escapes. `rich` is imported only for a terminal.
"""

import io
import json
import os
import re
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .. import DISTRIBUTION

_NAME = "clawbrain"
EMPTY = "·"  # in a cell of a table that holds no value
MANY = 1_000  # files: reading fewer takes no time worth showing

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\U000e0000-\U000e007f]"
)
_SPACES = re.compile(r"\s+")


def clean(text: str) -> str:
    """Return a text with every character that would control a terminal written as an escape."""
    return _UNSAFE.sub(lambda found: _escaped(found[0]), text)


def line(text: str) -> str:
    """Return a text on one line, made safe for a terminal."""
    return clean(_SPACES.sub(" ", text).strip())


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def open_streams() -> None:
    """Give each standard stream that is closed a file in its place, so that no other file gets its number.

    Writing to a closed standard output then fails as it should, and what goes to a closed standard error is dropped.
    """
    for fd, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(fd)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest free number, which is this one
    sys.stdin = sys.stdin or os.fdopen(0, closefd=False)
    if sys.stdout is sys.__stdout__:
        buffered = io.BufferedWriter(_Output(1, "w", closefd=False))
        sys.stdout = io.TextIOWrapper(buffered, errors="backslashreplace", line_buffering=os.isatty(1))
    sys.stderr = sys.stderr or os.fdopen(2, "w", closefd=False)


class _Output(io.FileIO):
    """Standard output, which remembers whether it was closed or full when something was printed."""

    refused = False

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            self.refused = True
            raise


def is_refused() -> bool:
    """Tell whether what was printed could not be written, because standard output is closed or full."""
    return bool(getattr(getattr(getattr(sys.stdout, "buffer", None), "raw", None), "refused", False))


def stop() -> None:
    """Discard the rest of standard output, because nobody takes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def is_terminal(stream: Any = None) -> bool:
    return bool((stream or sys.stdout).isatty()) and os.environ.get("TERM") != "dumb"


def say(text: str = "", style: str = "") -> None:
    """Print a line or paragraph; a style is a rich style, for terminals only, where lines are broken between words."""
    if not is_terminal():
        print(clean(text))
        return
    lines = "\n".join(part for each in clean(text).split("\n") for part in wrapped(each, width()))
    if style:
        _console().print(_text(lines, style), soft_wrap=True)
    else:
        print(lines)


def width() -> int:
    """Return the columns of the terminal; 80 where there is none."""
    return shutil.get_terminal_size().columns


def wrapped(line: str, columns: int) -> list[str]:
    """Return a line as lines of so many columns, indented alike; a word that is longer stays whole."""
    if len(line) <= columns:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.wrap(
        line, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False, expand_tabs=False
    )


def data(value: Any) -> None:
    """Print a value as JSON, one value for the whole answer."""
    json_text(json.dumps(value, ensure_ascii=False, indent=2))


def document(text: str) -> None:
    """Print a text for other programs, its lines as they are: to a terminal nothing that would control it, to a pipe
    every byte."""
    if is_terminal():
        print(clean(text.replace("\r\n", "\n").rstrip("\n")))
    else:
        sys.stdout.buffer.write(text.encode(errors="backslashreplace"))


def json_text(text: str) -> None:
    """Print JSON text, with every character that would control a terminal written as a JSON escape."""
    print(_UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1].replace("\x7f", "\\u007f"), text))


_COMMANDS = {
    "memory_store": "store",
    "memory_retrieve": "show",
    "memory_search": "search",
    "memory_update": "update",
    "memory_delete": "archive",
    "memory_compact": "compact",
    "memory_feedback": "feedback",
    "credit_report": "report",
}
_TOOLS = re.compile(rf"`?\b({'|'.join(_COMMANDS)})\b`?")


def with_verbs(sentence: str) -> str:
    """Return a sentence that names tools, as agents are told, with the commands that a person uses instead."""
    return as_called(_TOOLS.sub(lambda tool: f"`clawbrain {_COMMANDS[tool[1]]}`", sentence))


def called() -> str:
    """Return what a person types here to run this program: its name where the shell finds it, else its path."""
    started = sys.argv[0]
    if shutil.which(_NAME):
        return _NAME
    if os.path.basename(started) == "__main__.py":
        return f"python -m {_NAME}"
    return shlex.quote(started) if os.path.basename(started) in (_NAME, DISTRIBUTION) else _NAME


def as_called(sentence: str) -> str:
    """Return a sentence that names commands, as they are typed here."""
    return sentence.replace(f"`{_NAME} ", f"`{called()} ")


def advise(sentence: str, style: str = "") -> None:
    """Print a sentence of ours that names commands, as they are typed here."""
    say(as_called(sentence), style)


def warn(sentence: str) -> None:
    """Print a warning on standard error."""
    complain(f"warning: {line(with_verbs(sentence))}")


def complain(text: str) -> None:
    """Print a text on standard error, on a terminal broken between words; one that is full stops no command."""
    parts = wrapped(text, width()) if is_terminal(sys.stderr) else [text]
    try:
        print("\n".join(parts), file=sys.stderr, flush=True)
    except OSError:  # what it still holds would be tried again at the end, and change the exit status
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115


def table(head: Sequence[str], rows: Sequence[Sequence[str]], right: str = "", *, fit: bool = False) -> None:
    """Print columns under a head; those whose title stands in `right` hold numbers and are aligned right.

    Where even the longest words of the columns do not fit beside one another on a terminal, or with `fit` anywhere,
    each row is printed as a block.
    """
    numeric = [bool(title) and title in right.split() for title in head]
    cells = [[line(cell) for cell in row] for row in rows]
    if (fit or is_terminal()) and sum(_longest_words(head, cells)) + 3 * len(head) > width():
        _blocks(head, cells)
        return
    if is_terminal():
        _rich_table(head, cells, numeric)
        return
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    for row in [[title.upper() for title in head], *cells]:
        padded = (_padded(*each) for each in zip(row, widths, numeric, strict=True))
        print("  ".join(padded).rstrip())


def _longest_words(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return for each column the length of its longest word."""
    return [max(len(word) for cell in column for word in cell.split(" ")) for column in zip(head, *rows, strict=True)]


def _blocks(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    for first, *rest in rows:
        say(first, "bold")
        cells = zip(head[1:], rest, strict=True)
        facts = [f"{title} {cell}".strip() for title, cell in cells if cell not in ("", EMPTY)]
        for part in _joined(facts, width() - 2):
            say(f"  {part}")


def _joined(facts: Sequence[str], columns: int) -> Iterator[str]:
    """Yield lines of so many columns with facts beside one another; one that is longer is broken between its words."""
    line = ""
    for fact in facts:
        if line and len(f"{line} · {fact}") > columns:
            yield f"{line} ·"
            line = ""
        line = f"{line} · {fact}" if line else fact
    yield from wrapped(line, columns) if line else ()


def _padded(cell: str, width: int, numeric: bool) -> str:
    return cell.rjust(width) if numeric else cell.ljust(width)


def _rich_table(head: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[bool]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    drawn = Table(box=SIMPLE_HEAD, header_style="bold", pad_edge=False)
    for title, is_number, longest in zip(head, numeric, _longest_words(head, rows), strict=True):
        drawn.add_column(title, justify="right" if is_number else "left", min_width=longest)
    for row in rows:
        drawn.add_row(*(_text(cell) for cell in row))
    _console().print(drawn)


def count(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun, in the singular or plural."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def bar(share: float, width: int = 30) -> str:
    """Return a bar that shows a share of the whole width, in eighths of a character."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


@contextmanager
def progress(what: str) -> Iterator[Callable[..., None] | None]:
    """Yield a function that shows progress as a bar on the terminal; None where there is no terminal."""
    if not is_terminal(sys.stderr):
        yield None
        return
    bars: list[Any] = []

    def tell(done: float, total: float | None = None, doing: str = "") -> None:
        if not bars and (doing or (total or 0) > MANY):
            bars.append(_started_bar())
        for shown in bars:
            shown.update(shown.task_ids[0], completed=done, total=total, description=line(doing) or what)

    try:
        yield tell
    finally:
        for shown in bars:
            shown.stop()


def _started_bar() -> Any:
    from rich.console import Console
    from rich.progress import Progress

    shown = Progress(console=Console(stderr=True), transient=True)
    shown.add_task("")
    shown.start()
    return shown


def _console() -> Any:
    from rich.console import Console

    return Console(highlight=False, markup=False, emoji=False)


def _text(text: str, style: str = "") -> Any:
    from rich.text import Text

    return Text(clean(text), style)
