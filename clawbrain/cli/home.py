"""The verbs on a home as a whole."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import click

from ..brain import default_home, home_named
from ..brain.opening import is_home
from ..errors import Broken, Usage
from ..network.names import workspaces
from . import output
from .line import Answer, Caller, Verb, homes_option
from .words import MAX_DUMP, read_within

Row = dict[str, Any]


@click.command(cls=Verb)
@click.argument("folder", required=False, metavar="[DIR]")
@click.pass_obj
def init(caller: Caller, folder: str | None) -> None:
    """Make a home: STRATEGY.md, memory/ and archive/. What is there stays as it is."""
    if folder:
        caller.named = home_named(folder)
    fresh = not is_home(caller.home)
    with caller.brain(making=True) as brain:
        brain.may_write()
        answer = {"created": fresh, "memories": sum(1 for _ in brain.memories())}
    caller.answer(answer, lambda answer: _say_home(answer, caller.home))


def _say_home(answer: Answer, home: Path) -> None:
    """Say what is in a home, where it is, and how an agent comes to use it."""
    named = "" if home.absolute() == default_home().absolute() else f" --home {shlex.quote(str(home))}"
    which = "A new home" if answer["created"] else "A home already"
    output.say(output.line(f"{which} at {home}, with {output.count(answer['memories'], 'memory', 'memories')}."))
    output.advise(
        f"`clawbrain install{named}` lets an agent use it; STRATEGY.md says how it behaves, and is yours to change."
    )


@click.command(cls=Verb)
@click.option("--repair", is_flag=True, help="Put right what is safe to put right; nothing is ever dropped.")
@homes_option
@click.option("--workspace", default="", metavar="NAME", help="Only this home of the folder.")
@click.pass_context
def check(context: click.Context, repair: bool, homes: Path | None, workspace: str) -> None:
    """Look at every file and every row. Each finding is a line with what to do.

    Exit status 3 when something is broken; notes alone leave it at 0. With layers this is about the first home alone:
    --home names another.
    """
    caller: Caller = context.obj
    repaired, findings = list[str](), list[Row]()
    for name, each in _each_home(caller, homes, workspace):
        done, found = _checked(each, repair)
        repaired += [f"{name}{sentence}" for sentence in done]
        findings += [row | {"where": f"{name}{row['where']}"} for row in found]
    faults = sum(row["fault"] for row in findings)
    caller.answer({"repaired": repaired, "findings": findings, "faults": faults}, _say_findings)
    context.exit(Broken.exit_status if faults else 0)


def _each_home(caller: Caller, homes: Path | None, workspace: str) -> Iterator[tuple[str, Caller]]:
    """Yield what stands before the findings of a home, and a caller of it: one, or all of a folder of homes."""
    folder = caller.one_or_many(homes)
    if homes is None:
        if workspace:
            raise Usage("--workspace is a home of a folder of homes: name --homes, too.")
        yield "", caller
        return
    for name, home in workspaces(folder, workspace).items():
        if workspace or is_home(home):
            yield f"{name}: ", replace(caller, named=home)


def _checked(caller: Caller, repair: bool) -> tuple[list[str], list[Row]]:
    """Return what was repaired in a home, and what was found."""
    with caller.brain(looking=not repair) as brain, output.progress("Checking") as progress:
        repaired = brain.checks.repair(progress) if repair else []
        findings = [finding._asdict() for finding in brain.checks.check(progress)]
        brain.take_warnings()  # the findings say the same
    return repaired, findings


def _say_findings(answer: Answer) -> None:
    for done in answer["repaired"]:
        output.say(f"repaired: {done}", "green")
    for finding in answer["findings"]:
        output.say(output.line(f"{'fault' if finding['fault'] else 'note'}: {finding['where']}: {finding['what']}"))
    output.say(f"{output.count(answer['faults'], 'fault')}." if answer["faults"] else "Nothing is broken.")


@click.command(cls=Verb)
@click.pass_obj
def dump(caller: Caller) -> None:
    """Print the ledger as text, a row a line: what the files do not carry. `load` takes it in again."""
    with caller.brain(looking=True) as brain:
        if caller.json:
            output.data({"rows": [json.loads(row) for row in brain.ledger_text.dump()]})
            return
        for row in brain.ledger_text.dump():
            output.json_text(row)


@click.command(cls=Verb)
@click.argument("file", type=click.File("rb"), default="-", metavar="[FILE|-]")
@click.option("--replace", is_flag=True, help="Even where this ledger has learned something of its own.")
@click.pass_obj
def load(caller: Caller, file: BinaryIO, replace: bool) -> None:
    """Take in a ledger that `dump` printed, beside the files it belongs to."""
    lines = read_within(file, MAX_DUMP).decode("utf-8", "replace").splitlines()
    with caller.brain(making=True) as brain:
        answer = {"rows": brain.ledger_text.load(lines, replace=replace)}
    caller.answer(answer, lambda answer: output.say(f"Loaded {output.count(answer['rows'], 'row')}."))
