"""`import` and `export`: take in memories from other programs, and write them out for others."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from .. import exchange
from ..errors import AlreadyExists, Invalid
from ..exchange import intake, writing
from ..exchange.draft import Draft, Gaps
from ..memory.model import Memory, shown
from . import output
from .line import Answer, Caller, Verb
from .words import Choice

_FEW = 20


@click.command("import", cls=Verb)
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=click.Path(path_type=Path))
@click.option("--from", "name", type=Choice(list(exchange.FORMATS)), help="Else told from what it holds.")
@click.option("--dry-run", is_flag=True, help="Show what would be created, skipped and not understood.")
@click.pass_obj
def import_(caller: Caller, sources: Sequence[Path], name: str | None, dry_run: bool) -> None:
    """Take in memories from another memory, or from notes.

    SOURCE is the official server's memory.jsonl, MAMA's database, a basic-memory or Obsidian folder, Claude Code's
    CLAUDE.md, rules or memory (a file, a project or ~/.claude), AGENTS.md, GEMINI.md or .cursor/rules, or JSON or CSV,
    clawbrain's own export as well.
    A second import of the same SOURCE creates nothing; the source is only read.
    """
    gaps = Gaps()
    read, drafts = _read(sources, name, gaps)
    with caller.brain(looking=dry_run, making=True) as brain:
        plan = intake.plan(brain, drafts, gaps)
        created = plan.new
        if not dry_run:
            with output.progress("Writer") as progress:
                created = intake.carry_out(plan, brain, progress)
    answer = {
        "dry_run": dry_run,
        "read": read,
        "created": [_made(memory) for memory in created],
        "skipped": [asdict(skip) for skip in plan.skipped],
        "not_understood": [gap._asdict() for gap in gaps],
    }
    caller.answer(answer, _say_imported)


def _read(sources: Sequence[Path], name: str | None, gaps: Gaps) -> tuple[list[dict[str, Any]], list[Draft]]:
    read: list[dict[str, Any]] = []
    drafts: list[Draft] = []
    with output.progress("Reading") as progress:
        for number, source in enumerate(sources, 1):
            if progress:
                progress(number, len(sources), f"Reading {source.name}")
            found_as = name or exchange.recognised(source)
            found = exchange.read(source, found_as, gaps)
            read.append({"source": str(source), "format": found_as, "memories": len(found)})
            drafts += found
    return read, drafts


def _made(memory: Memory) -> dict[str, Any]:
    origin = memory.extra.get("origin", "")
    return {"id": memory.id, "path": memory.path, "origin": origin}


def _say_imported(answer: Answer) -> None:
    for each in answer["read"]:
        memories = output.count(each["memories"], "memory", "memories")
        output.say(output.line(f"Read {memories} from {each['source']} ({each['format']})."))
    _say_some([f"  {each['id']}" for each in answer["created"]])
    would = "Would create" if answer["dry_run"] else "Created"
    output.say(f"{would} {output.count(len(answer['created']), 'memory', 'memories')}.", "bold")
    if answer["skipped"]:
        output.say(f"Skipped {len(answer['skipped'])}:")
        _say_some([f"  {each['origin'] or each['id']}: {each['why']} as {each['id']}" for each in answer["skipped"]])
    if answer["not_understood"]:
        output.say(f"Not understood or left behind, {len(answer['not_understood'])}:", "yellow")
        _say_some([f"  {gap['where']}: {gap['what']}" for gap in answer["not_understood"]])


def _say_some(lines: Sequence[str]) -> None:
    for line in lines[:_FEW]:
        output.say(f"  {output.line(line)}")
    if len(lines) > _FEW:
        output.say(f"  … and {len(lines) - _FEW} more; --json lists all.", "dim")


@click.command(cls=Verb)
@click.argument("format", type=Choice(list(writing.WRITERS)), metavar="|".join(writing.WRITERS))
@click.argument("file", required=False, type=click.Path(path_type=Path, dir_okay=False), metavar="[FILE]")
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@click.pass_obj
def export(caller: Caller, format: str, file: Path | None, force: bool) -> None:
    """Write all memories in one file, or on standard output (no FILE, or -).

    json and csv can be imported again; official is the official memory server's JSONL; graph is a page that any
    browser opens, without a network. With layers these are the memories of the first home alone.
    """
    file = None if file == Path("-") else file
    if file and file.exists() and not file.is_file():
        raise Invalid(f"{shown(file.name)} is no file: name another, or - for standard output.")
    if file and file.exists() and not force:
        raise AlreadyExists(f"{shown(file.name)} exists; --force overwrites it.")
    with caller.brain(looking=True, faults=True) as brain:
        held = writing.all_of(brain)
    text = writing.WRITERS[format](held)
    answer = {"format": format, "memories": len(held.memories)}
    if file is None:
        caller.answer({**answer, "text": text}, lambda answer: output.document(answer["text"]))
        return
    _write(file, text)
    said = f"Wrote {output.count(len(held.memories), 'memory', 'memories')} to {file}"
    caller.answer({**answer, "file": str(file)}, lambda _: output.say(output.line(said)))


def _write(file: Path, text: str) -> None:
    """Write a file under a temporary name and rename it when it is complete; only its owner may read it.

    Where a link leads to a file, that file is written and the link stays.
    Raises Invalid where there is no folder for it, or none that may be written.
    """
    file = file.resolve() if file.is_symlink() else file
    if not file.parent.is_dir():
        raise Invalid(f"there is no folder {shown(str(file.parent))} to write to.")
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    except OSError as error:
        raise Invalid(f"{shown(str(file))} cannot be written ({error.strerror}): name a file elsewhere.") from None
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(text.encode(errors="backslashreplace"))
        os.replace(temporary, file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
