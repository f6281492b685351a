"""Layers: further homes that are searched together with the one that is served.

This module knows how layers are given, what they are called and how their memories are named. It touches no disk.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from .errors import Usage
from .memory.model import MAX_TAG, check_word, kebab, shown

PROJECT = "project"
"""The home that is served first, where things are written."""
USER = "user"
"""The person's own home."""
READ_ONLY = "read-only"


class GivenLayer(NamedTuple):
    """A layer as the command line or STRATEGY.md gives it; without a name it is called by its folder."""

    path: str
    name: str = ""
    read_only: bool = False


def given(text: str) -> GivenLayer:
    """Return the layer that `[NAME=]DIR[:read-only]` gives. Raises Usage without a folder, Invalid for a bad name."""
    name, equals, path = text.partition("=")
    if not equals or "/" in name or name.startswith((".", "~")):  # the folder's own name may hold the sign
        name, path = "", text
    read_only = path.endswith(f":{READ_ONLY}")
    path = path.removesuffix(f":{READ_ONLY}")
    if not path or not path.isprintable():
        raise Usage(f"layer {shown(text)} names no folder: write it as DIR, NAME=DIR or NAME=DIR:{READ_ONLY}")
    return GivenLayer(path, checked_name(name) if equals and name else "", read_only)


def checked_name(name: str) -> str:
    """Return the name of a layer. Raises Invalid for one that is no kebab-case word, Usage for that of the home."""
    if name == PROJECT:
        raise Usage(f"the layer name '{PROJECT}' is that of the home itself: give the layer another")
    return check_word("layer name", name, MAX_TAG)


def name_of_folder(folder: str) -> str:
    """Return what a layer is called whose folder has this name."""
    name = kebab(folder, MAX_TAG) or "layer"
    return f"{name}-layer" if name in (PROJECT, USER) else name


def refuse_twice(names: Iterable[str]) -> None:
    """Raise Usage where two layers have one name."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise Usage(f"two layers are called '{name}': give one of them another, as in other=DIR")
        seen.add(name)


def qualified(layer: str, id: str) -> str:
    """Return the name of a memory in a layer that is understood whatever other layers hold."""
    return f"{layer}:{id}"


def apart(reference: str, names: Collection[str]) -> tuple[str, str]:
    """Return the layer that a reference names, or '', and the rest of the reference."""
    layer, colon, rest = reference.partition(":")
    return (layer, rest) if colon and rest and layer in names else ("", reference)
