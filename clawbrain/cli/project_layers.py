"""Offer layers in `install`: a project's memory may be searched together with the person's own."""

import os
import sys
from pathlib import Path

import click

from .. import layer_homes
from ..brain import Brain, default_home
from ..brain.opening import is_home
from ..layers import GivenLayer, given
from .line import Caller


def offered(caller: Caller) -> tuple[str, ...]:
    """Return the layers to name in the project's STRATEGY.md: those of --layer, else the person's own home, if there
    is one and the person at the terminal wants it."""
    if caller.layers or not _own_is_missing(caller):
        return caller.layers
    if not sys.stdin.isatty():
        return ()
    question = f"Also search your own memory ({_short(default_home())}) in this project? Nothing of it is copied."
    return (str(default_home()),) if click.confirm(question, default=True, err=True) else ()


def name_them(brain: Brain, words: tuple[str, ...]) -> list[str]:
    """Name layers in the STRATEGY.md of a home, and allow the home to use them on this machine.

    Return a line for each thing that was changed.
    """
    if not words:
        return []
    known = {os.path.realpath(layer.folder) for layer in layer_homes.every(brain.home)}
    layers = {os.path.realpath(Path(layer.path).expanduser()): layer for layer in map(given, words)}
    unnamed = [_seen_from(brain.home, layer) for folder, layer in layers.items() if folder not in known]
    brain.owner.name_layers(unnamed)
    fresh = [_short(Path(folder)) for folder in layers if folder not in layer_homes.allowed(brain.home)]
    layer_homes.allow(brain.home, map(Path, layers))
    paths = ", ".join(layer.path for layer in unnamed)
    done = [f"wrote STRATEGY.md of this memory: its layers now have {paths}"] if unnamed else []
    return done + ([f"allowed this memory to search {', '.join(fresh)} on this machine"] if fresh else [])


def advice(caller: Caller, words: tuple[str, ...]) -> list[str]:
    """Return what the person may do next about layers, a sentence each."""
    if words or not _own_is_missing(caller):
        return []
    own = _short(default_home())
    return [f"Add `--layer {own}` to this command, and your own memory is searched in this project too."]


def _own_is_missing(caller: Caller) -> bool:
    """Tell whether the person has a home of their own that is not among the layers of the project's."""
    own = default_home()
    known = [caller.home, *(layer.folder for layer in layer_homes.every(caller.home) if layer.allowed)]
    return is_home(own) and os.path.realpath(own) not in map(os.path.realpath, known)


def _seen_from(home: Path, layer: GivenLayer) -> GivenLayer:
    """Return a layer with its path as STRATEGY.md has it: below the person's folder as ~/…, else seen from the home."""
    folder = Path(os.path.abspath(Path(layer.path).expanduser()))
    short = _short(folder)
    beside = os.path.relpath(folder, home)
    is_near = not Path(layer.path).is_absolute() and not layer.path.startswith("~")
    return layer._replace(path=beside if is_near else short)


def _short(folder: Path) -> str:
    return f"~/{folder.relative_to(Path.home())}" if folder.is_relative_to(Path.home()) else str(folder)
