"""Arguments that several verbs take: an id, a text, a session, and filters."""

import sys
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from difflib import get_close_matches
from typing import Any, BinaryIO, TypeVar

import click

from ..errors import Invalid
from ..memory.model import Memory, shown
from ..search.days import days_named
from .completion import known_ids

MAX_MESSAGE = 8 << 20
MAX_DUMP = 1 << 30
Function = TypeVar("Function", bound=Callable[..., Any])


class Choice(click.Choice[str]):
    """One of some words; a word that is none of them is refused with the nearest of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            if near := get_close_matches(str(value), self.choices, 1):
                said = f"{shown(str(value))} is not known: did you mean {near[0]}?"
                raise click.BadParameter(said, ctx, param) from None
            raise


TYPE = Choice(["entity", "episode"])


def takes_id(verb: Function) -> Function:
    return click.argument("id", shell_complete=known_ids)(verb)


def takes_session(verb: Function) -> Function:
    return click.option("--session", metavar="ID", help="The session this belongs to.")(verb)


def takes_filters(verb: Function) -> Function:
    """Add the options that choose the memories a search or a list is about."""
    for option in (
        click.option("--until", metavar="DAY", help="Made on that day or before."),
        click.option("--since", metavar="DAY", help="Made on that day or after: 2026-05-08, yesterday, 'last week'."),
        click.option("--tag", "tags", multiple=True, metavar="WORD", help="With this tag; given twice, with both."),
        click.option("--category", metavar="WORD", help="Of this category; of an episode it is the month, 2026-05."),
        click.option("--type", type=TYPE, help="Only these."),
    ):
        verb = option(verb)
    return verb


def filters(since: str | None, until: str | None, today: date, **others: Any) -> dict[str, Any]:
    """Return the filters of a search or a list; days may be written as people say them.

    Raises click.UsageError for a day that cannot be read, and for days in the wrong order.
    """
    first, last = day_of(since, today), day_of(until, today, end=True)
    if first and last and first > last:
        raise click.UsageError(f"--since {first} is later than --until {last}.")
    return others | {"since": first, "until": last}


def fits(
    memory: Memory | None, *, type: str | None, category: str | None, tags: Sequence[str], since: str, until: str
) -> bool:
    """Tell whether a memory fits the filters of a list; one that cannot be read fits where there are none."""
    if memory is None:
        return not (type or category or tags or since or until)
    held = {tag.casefold() for tag in memory.tags}
    return (
        memory.type == (type or memory.type)
        and memory.category == (category or memory.category)
        and all(tag.casefold() in held for tag in tags)
        and since <= memory.created[:10] <= (until or memory.created)
    )


def day_of(text: str | None, today: date, *, end: bool = False) -> str:
    """Return the day that a person names, as YYYY-MM-DD: of several its first or, with `end`, its last; '' for none.

    Raises click.UsageError for a day that cannot be read.
    """
    if text is None:
        return ""
    days = days_named(text, today) or days_named(f"on {text}", today)  # a weekday, or a year
    if days is None:
        raise click.UsageError(f"{shown(text)} is no day: write it as {today}, or as 'yesterday' or 'last week'.")
    return f"{days[end]}"


def refuse_inexact(day: str) -> None:
    """Raise click.UsageError for a day that is not written as YYYY-MM-DD: no guess decides what is deleted."""
    try:
        date.fromisoformat(day)
    except ValueError:
        raise click.UsageError(f"{shown(day)} is no day: write it as 2026-02-25.") from None


def happened(day: str | None, now: datetime) -> str:
    """Return the date of an episode that happened on a day, '' for no day.

    Raises click.UsageError for a day that cannot be read or lies ahead.
    """
    found = day_of(day, now.date())
    if found > f"{now.date() + timedelta(days=1)}":  # tomorrow in UTC may be today where the caller lives
        raise click.UsageError(f"{shown(found)} lies ahead: an episode is stored on the day it happened or later.")
    return "" if found in ("", f"{now.date()}") else f"{found}T00:00:00Z"


def takes_text(verb: Function) -> Function:
    file = click.option("-f", "--file", type=click.File("rb"), metavar="FILE", help="Take the text from a file.")
    return click.argument("text", required=False, metavar="[TEXT|-]")(file(verb))


def text_of(text: str | None, file: BinaryIO | None) -> str:
    """Return a text from the argument, from a file, or for '-' from standard input.

    Raises click.UsageError unless it is given exactly once.
    """
    if (text is None) == (file is None):
        raise click.UsageError("give the text once: as an argument, with -f FILE, or - to read standard input.")
    if text == "-":
        file = sys.stdin.buffer
    return _decoded(read_within(file, MAX_MESSAGE)) if file else str(text)


def read_within(file: BinaryIO, most: int) -> bytes:
    """Return what a file or standard input holds; raise Invalid for more than `most` bytes, which may have no end."""
    data = file.read(most + 1)
    if len(data) > most:
        raise Invalid(f"what is to be read has more than {most >> 20} MB, which is the most: name something shorter.")
    return data


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Invalid(f"the text is not UTF-8 at byte {error.start}; save it as UTF-8.") from None
