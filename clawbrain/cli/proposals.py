"""The verbs on proposals: list, accept, dismiss."""

from typing import Any

import click

from ..brain import Brain
from . import output
from .line import Answer, Caller, Verbs


@click.group(cls=Verbs, invoke_without_command=True)
@click.pass_context
def proposals(context: click.Context) -> None:
    """Show what you said that may be worth keeping, and decide it.

    Nothing becomes a memory by itself: `accept` makes one, `dismiss` lets go of a proposal for good.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_)


@proposals.command("list")
@click.pass_obj
def list_(caller: Caller) -> None:
    """List the proposals that wait, with the memories that they are like or contradict."""
    with caller.brain(looking=True) as brain:
        answer = {"proposals": [proposal._asdict() for proposal in brain.proposals.listed()]}
    caller.answer(answer, _say_proposals)


@proposals.command()
@click.argument("number", type=int, metavar="N", required=False)
@click.option(
    "--name", default="", metavar="NAME", help="The memory's name, in kebab-case, instead of the proposed one."
)
@click.option("--all", "everything", is_flag=True, help="All that wait.")
@click.pass_obj
def accept(caller: Caller, number: int | None, name: str, everything: bool) -> None:
    """Make a memory of a proposal, or of all."""
    if (number is None) != everything:
        raise click.UsageError("name one proposal by its number, or say --all.")
    if everything and name:
        raise click.UsageError("--name is for one proposal; accept it by its number.")
    with caller.brain() as brain:
        numbers = [each.n for each in brain.proposals.listed()] if number is None else [number]
        accepted = [_accepted(brain, each, name) for each in numbers]
    caller.answer({"accepted": accepted}, _say_accepted)


def _accepted(brain: Brain, number: int, name: str) -> dict[str, Any]:
    stored = brain.proposals.accept(number, name)
    against = [{"id": id, "description": description} for id, description in stored.contradictions]
    return {"n": number, "id": stored.memory.id, "path": stored.memory.path, "contradictions": against}


@proposals.command()
@click.argument("number", type=int, metavar="N")
@click.pass_obj
def dismiss(caller: Caller, number: int) -> None:
    """Let go of a proposal; the same is never proposed again."""
    with caller.brain() as brain:
        row = brain.proposals.dismiss(number)
    answer = {"n": row.n, "dismissed": True}
    caller.answer(answer, lambda _: output.say(f"Proposal {number} is dismissed and will not come again."))


def _say_proposals(answer: Answer) -> None:
    for row in answer["proposals"]:
        output.say(output.line(f"{row['n']}  {row['sentence']}"), "bold")
        about = f"{row['kind']} {row['name']}" + (f" [{', '.join(row['tags'])}]" if row["tags"] else "")
        when = " ".join(word for word in (row["said_at"][:16].replace("T", " "), row["session"]) if word)
        output.say(f"   {output.line(f'{about}, said {when}')}")
        for what in ("like", "contradicts"):
            if row[what]:
                output.say(f"   {what} {output.line(', '.join(row[what]))}")
    output.advise(
        "`clawbrain proposals accept N` makes it a memory, `dismiss N` lets it go."
        if answer["proposals"]
        else "No proposal waits."
    )


def _say_accepted(answer: Answer) -> None:
    for row in answer["accepted"]:
        output.say(f"{row['n']} is {row['id']} now.")
        for each in row["contradictions"]:
            output.say(f"   contradicts {output.line(each['id'])}: {output.line(each['description'])}")
    if not answer["accepted"]:
        output.say("No proposal waits.")
