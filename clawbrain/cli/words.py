"""The words that several verbs take: an id, a text from wherever it comes, a session."""

import sys
from collections.abc import Callable
from typing import Any, BinaryIO, TypeVar

import click

from ..errors import Invalid

Function = TypeVar("Function", bound=Callable[..., Any])


def takes_id(verb: Function) -> Function:
    return click.argument("id")(verb)


def takes_session(verb: Function) -> Function:
    return click.option("--session", metavar="ID", help="The session this belongs to.")(verb)


def takes_text(verb: Function) -> Function:
    file = click.option("-f", "--file", type=click.File("rb"), metavar="FILE", help="Take the text from a file.")
    return click.argument("text", required=False, metavar="[TEXT|-]")(file(verb))


def text_of(text: str | None, file: BinaryIO | None) -> str:
    """The text as an argument, from a file, or for '-' from standard input."""
    if (text is None) == (file is None):
        raise click.UsageError("give the text once: as an argument, with -f FILE, or - to read standard input.")
    if text == "-":
        file = sys.stdin.buffer
    return _decoded(file.read()) if file else str(text)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(f"the text is not UTF-8 at byte {error.start}; save it as UTF-8.") from None
