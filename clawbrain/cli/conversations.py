"""The verbs on conversations: `ingest` and `messages`."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from .. import transcripts
from ..brain.history import Message
from ..errors import NotFound
from ..memory.model import shown
from ..transcripts import Faults, Source
from . import output
from .line import Answer, Caller, Verb
from .words import Choice, filters

_FEW = 20
_LONG = 600  # characters of a message that a list of many shows
NOTHING = "No messages are stored. Fill with `clawbrain ingest`."


@click.command(cls=Verb)
@click.argument("paths", nargs=-1, metavar="[PATH...]", type=click.Path(path_type=Path))
@click.option("--from", "program", type=Choice(transcripts.PROGRAMS), default=None, help="Only this program's.")
@click.option("--dry-run", is_flag=True, help="Show what would be taken in.")
@click.pass_obj
def ingest(caller: Caller, paths: Sequence[Path], program: str | None, dry_run: bool) -> None:
    """Take in what you and your agents said, from their transcripts.

    PATH is a transcript or a folder of them, of OpenCode, Claude Code, Codex or Gemini CLI; without one, the places
    where these keep them. Run it again whenever you like: only what is new is added. Tool results and whatever the
    programs put in themselves stay out, and keys and passwords are blotted out. The transcripts are only read. What
    you stated as lasting becomes a proposal; `clawbrain proposals` shows them.
    """
    sources, faults = _sources(paths, program or ""), Faults()
    with caller.brain(looking=dry_run, making=True) as brain, output.progress("Reading transcripts") as progress:
        take = brain.history.unknown if dry_run else partial(brain.history.add, tell=brain.noticing.hear_messages)
        taken = _taken(sources, take, faults, progress)
        if not dry_run:
            brain.proposals.tidy()
        waiting = brain.proposals.waiting()
    answer = {
        "dry_run": dry_run, "programs": taken, "not_understood": [fault._asdict() for fault in faults],
        "proposals": waiting,
    }  # fmt: skip
    caller.answer(answer, _say_taken)


def _sources(paths: Sequence[Path], program: str) -> list[Source]:
    if not paths:
        return transcripts.kept(os.environ, program)
    return list(dict.fromkeys(source for path in paths for source in transcripts.named(path.absolute(), program)))


def _taken(
    sources: Sequence[Source],
    take: Callable[[Iterable[Message]], int],
    faults: Faults,
    progress: Callable[..., None] | None,
) -> list[dict[str, Any]]:
    """Take in transcripts program by program, so that many small ones share a transaction; return counts by program."""
    taken = []
    numbered = list(enumerate(sources, 1))
    for program in dict.fromkeys(source.program for source in sources):
        own = [(number, source) for number, source in numbered if source.program == program]
        heard = _Heard()
        new = take(heard.counted(_spoken(own, len(sources), faults, progress)))
        taken.append(
            {"program": program, "transcripts": len(own), "conversations": len(heard.conversations), "new": new,
             "known": heard.messages - new}
        )  # fmt: skip
    return taken


def _spoken(
    sources: Iterable[tuple[int, Source]], total: int, faults: Faults, progress: Callable[..., None] | None
) -> Iterator[Message]:
    for number, source in sources:
        if progress:
            progress(number, total, f"Reading {source.program}: {source.path.name}")
        yield from transcripts.read(source, faults)


class _Heard:
    """A counter of the messages and conversations that pass through it."""

    def __init__(self) -> None:
        self.messages, self.conversations = 0, set[str]()

    def counted(self, messages: Iterable[Message]) -> Iterator[Message]:
        for message in messages:
            self.messages += 1
            self.conversations.add(message.conversation)
            yield message


def _say_taken(answer: Answer) -> None:
    programs = answer["programs"]
    if not programs:
        output.say(
            "No transcript was found where OpenCode, Claude Code, Codex and Gemini CLI keep theirs; name a path."
        )
        return
    fields = ("conversations", "new", "known")
    rows = [[each["program"], *(str(each[field]) for field in fields)] for each in programs]
    output.table(["program", "conversations", "new", "known"], rows, "conversations new known")
    would = "Would take in" if answer["dry_run"] else "Took in"
    new = sum(each["new"] for each in programs)
    output.say(f"{would} {output.count(new, 'new message')}.", "bold")
    _say_faults(answer["not_understood"])
    if waiting := answer["proposals"]:
        output.advise(f"{output.count(waiting, 'proposal')} to decide: `clawbrain proposals`.")


def _say_faults(faults: Sequence[Answer]) -> None:
    if faults:
        output.say(f"Not understood, {len(faults)}:", "yellow")
    for fault in faults[:_FEW]:
        output.say(f"  {output.line(fault['where'])}: {output.line(fault['what'])}")
    if len(faults) > _FEW:
        output.say(f"  … and {len(faults) - _FEW} more; --json lists all.", "dim")


@click.command(cls=Verb)
@click.argument("query", nargs=-1)
@click.option("--since", metavar="DAY", help="From this day on (UTC): 2026-05-08, yesterday, 'last week'.")
@click.option("--until", metavar="DAY", help="Up to and with this day.")
@click.option("--conversation", default="", metavar="ID", help="Only of this conversation; shows messages whole.")
@click.option("--limit", type=click.IntRange(1, 100_000), default=10, show_default=True, help="How many at most.")
@click.option("--conversations", "listing", is_flag=True, help="List the conversations instead.")
@click.option("--forget", metavar="ID", help="Delete a conversation for good. Needs --yes.")
@click.option("--yes", is_flag=True, help="Really.")
@click.pass_obj
def messages(
    caller: Caller, /, query: tuple[str, ...], listing: bool, forget: str | None, yes: bool, **how: Any
) -> None:
    """Find what was said in conversations, newest first.

    A message is found when it has every word of QUERY. Without one, the newest are shown.
    """
    if forget is not None:
        return _forget(caller, forget, yes)
    with caller.brain(looking=True) as brain:
        how = filters(today=brain.clock().date(), **how)
        if listing:
            answer: Answer = {"conversations": [asdict(each) for each in brain.history.conversations()[: how["limit"]]]}
        else:
            answer = {"messages": [asdict(each) for each in brain.history.search(" ".join(query), **how)]}
        empty = not brain.history.count()
    if empty and not caller.json:
        return output.advise(NOTHING)
    long = None if how["conversation"] else _LONG
    return caller.answer(answer, _say_conversations if listing else lambda answer: _say_messages(answer, long))


def _forget(caller: Caller, conversation: str, yes: bool) -> None:
    _refuse_unsure(yes)
    with caller.brain() as brain:
        count = brain.history.forget(conversation)
    if not count:
        raise NotFound(
            f"{shown(conversation)} is no conversation here; `clawbrain messages --conversations` lists them."
        )
    said = f"{output.count(count, 'message')} of {conversation} are gone for good."
    caller.answer({"conversation": conversation, "forgotten": count}, lambda _: output.say(output.line(said)))


def _refuse_unsure(yes: bool) -> None:
    if not yes:
        raise click.UsageError("this cannot be undone; say --yes to do it.")


def _say_messages(answer: Answer, long: int | None) -> None:
    if not answer["messages"]:
        output.say("Nothing that was said has all of these words.")
    for each in answer["messages"]:
        whence = "  ".join(filter(None, (each["source"], each["title"], each["conversation"])))
        output.say(output.line(f"{_when(each['created'])}  {each['role']}  {whence}"), "bold")
        content = each["content"]
        output.say(content if long is None or len(content) <= long else f"{content[:long]}…")
        output.say()


def _say_conversations(answer: Answer) -> None:
    rows = [
        [_when(each["begun"]), _when(each["ended"]), str(each["messages"]), each["source"], each["title"], each["id"]]
        for each in answer["conversations"]
    ]
    output.table(["begun", "ended", "messages", "source", "title", "id"], rows, "messages")


def _when(stamp: str) -> str:
    return stamp[:16].replace("T", " ")
