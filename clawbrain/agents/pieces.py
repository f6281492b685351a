"""The pieces that clawbrain adds to a configuration, and how each is found, added and removed in a file's text.

A piece knows the file it belongs to; the file's ending says the format. What the owner wrote beside it stays.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import jsonc, toml

NAME = "clawbrain"


@dataclass(frozen=True, slots=True)
class Server:
    """The entry of clawbrain among a program's servers."""

    file: Path
    place: tuple[str, ...]
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hook:
    """The command of clawbrain on one event of a program. `mark` tells it from other commands."""

    file: Path
    place: tuple[str, ...]
    mark: str
    handler: dict[str, Any]


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that belongs to clawbrain as a whole. `mark` is how it begins."""

    file: Path
    text: str
    mark: str


Piece = Server | Hook | OwnFile


def holds(text: str, piece: Piece) -> bool:
    """Tell whether a text holds a piece, whatever its value."""
    if isinstance(piece, Hook):
        return bool(handlers(text, piece))
    return isinstance(piece, Server) and server(text, piece) is not None


def server(text: str, piece: Server) -> Any:
    """Return the entry of clawbrain in a text, or None."""
    if piece.file.suffix != ".toml":
        return jsonc.find(text, piece.place)
    here: Any = toml.read(text)
    for step in piece.place:
        here = here.get(step) if isinstance(here, dict) else None
    return here


def handlers(text: str, hook: Hook) -> list[tuple[int, int]]:
    """Return the places of our command on an event: (group, place in the group)."""
    groups = jsonc.find(text, hook.place)
    found: list[tuple[int, int]] = []
    for number, group in enumerate(groups if isinstance(groups, list) else []):
        inner = group.get("hooks") if isinstance(group, dict) else None
        for place, handler in enumerate(inner if isinstance(inner, list) else []):
            command = handler.get("command") if isinstance(handler, dict) else None
            if isinstance(command, str) and NAME in command and hook.mark in command:
                found.append((number, place))
    return found


def added(text: str, piece: Piece) -> str:
    """Return the text with a server or a hook added, or brought up to date; the owner's additions to it stay."""
    if isinstance(piece, Hook):
        return _with_hook(text, piece)
    assert isinstance(piece, Server)
    if piece.file.suffix == ".toml":
        return toml.put(text, piece.place, piece.value)
    present = jsonc.find(text, piece.place)
    if not isinstance(present, dict) or type(present.get("command")) is not type(piece.value["command"]):
        return jsonc.put(text, piece.place, piece.value)
    for key, value in piece.value.items():
        text = jsonc.put(text, (*piece.place, key), value)
    return text


def _with_hook(text: str, hook: Hook) -> str:
    places = handlers(text, hook)
    if not places:
        groups = jsonc.find(text, hook.place) or []
        return jsonc.put(text, (*hook.place, len(groups)), {"hooks": [hook.handler]})
    for group, place in places:
        text = jsonc.put(text, (*hook.place, group, "hooks", place, "command"), hook.handler["command"])
    return text


def removed(text: str, piece: Piece, kept: str | None) -> str:
    """Return the text without a piece and without the objects that only held it.

    `kept` is the owner's text before clawbrain, if there is a copy of it: an object that it has, if empty, stays.
    """
    if isinstance(piece, Server) and piece.file.suffix == ".toml":
        return toml.cut(text, piece.place)
    if isinstance(piece, Server):
        return _cut_hollow(jsonc.cut(text, piece.place), piece.place[:-1], kept)
    assert isinstance(piece, Hook)
    while places := handlers(text, piece):
        group, place = places[-1]
        alone = len(jsonc.find(text, (*piece.place, group, "hooks"))) == 1
        text = jsonc.cut(text, (*piece.place, group) if alone else (*piece.place, group, "hooks", place))
    return _cut_hollow(text, piece.place, kept)


def _cut_hollow(text: str, place: jsonc.Path, kept: str | None) -> str:
    """Remove the containers that only held our piece, unless the owner's own file had them empty."""
    while place and not jsonc.find(text, place):
        if kept is not None and jsonc.find(kept, place) is not None:
            break
        text, place = jsonc.cut(text, place), place[:-1]
    return text


def as_found(text: str, piece: Piece) -> Piece:
    """Return a piece that the text holds, with the value it has there."""
    if isinstance(piece, Server):
        entry = server(text, piece)
        if piece.file.suffix == ".toml":
            entry = {key: entry[key] for key in piece.value if key in entry}
        return replace(piece, value=entry)
    assert isinstance(piece, Hook)
    group, place = handlers(text, piece)[-1]
    return replace(piece, handler=jsonc.find(text, (*piece.place, group, "hooks", place)))
