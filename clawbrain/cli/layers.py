"""The verbs on layers: which further homes are searched with this one, and which of them STRATEGY.md may name."""

from typing import Any

import click

from .. import layer_homes
from ..errors import NotFound
from ..layer_homes import FoundLayer
from . import output
from .line import Answer, Caller, Verbs


@click.group(cls=Verbs, invoke_without_command=True)
@click.pass_context
def layers(context: click.Context) -> None:
    """Show which homes are searched with this one, and allow those that STRATEGY.md names."""
    if context.invoked_subcommand is None:
        context.invoke(list_)


@layers.command("list")
@click.pass_obj
def list_(caller: Caller) -> None:
    """List the layers that --layer and STRATEGY.md name."""
    caller.say_project()
    answer = {"layers": [_row(layer) for layer in layer_homes.every(caller.home, caller.layers)]}
    caller.answer(answer, _say_layers)


def _row(layer: FoundLayer) -> dict[str, Any]:
    state = "no home there" if not layer.exists else "served" if layer.allowed else "not allowed"
    return {"name": layer.name, "folder": str(layer.folder), "read_only": layer.read_only, "state": state}


def _say_layers(answer: Answer) -> None:
    rows = [
        [each["name"], each["folder"], "read-only" if each["read_only"] else "", each["state"]]
        for each in answer["layers"]
    ]
    if not rows:
        output.say("No layers: this home is searched alone. --layer DIR serves a further one with it.")
        return
    output.table(["name", "folder", "", "state"], rows)
    if any(each["state"] == "not allowed" for each in answer["layers"]):
        output.advise("`clawbrain layers allow` lets this home read and write what STRATEGY.md names.")


@layers.command()
@click.argument("names", nargs=-1, metavar="[NAME]…")
@click.pass_obj
def allow(caller: Caller, names: tuple[str, ...]) -> None:
    """Let this home use the layers that its STRATEGY.md names: all, or those of these names.

    It is noted in your own configuration, for this home and these folders alone, and not in the home.
    """
    caller.say_project()
    found = layer_homes.every(caller.home)
    if strange := [name for name in names if name not in [layer.name for layer in found]]:
        raise NotFound(f"STRATEGY.md names no layer '{strange[0]}'; `clawbrain layers` lists those that it names.")
    chosen = [layer for layer in found if not names or layer.name in names]
    layer_homes.allow(caller.home, [layer.folder for layer in chosen])
    caller.answer({"allowed": [_row(layer._replace(allowed=True)) for layer in chosen]}, _say_allowed)


def _say_allowed(answer: Answer) -> None:
    for each in answer["allowed"]:
        output.say(f"This home may use '{each['name']}' at {each['folder']}.")
    if not answer["allowed"]:
        output.say("STRATEGY.md names no layers, so there is nothing to allow.")


@layers.command()
@click.pass_obj
def disallow(caller: Caller) -> None:
    """Take back what `allow` allowed this home."""
    caller.say_project()
    layer_homes.disallow(caller.home)
    caller.answer({"allowed": []}, lambda _: output.say("STRATEGY.md of this home may name no layers any more."))
