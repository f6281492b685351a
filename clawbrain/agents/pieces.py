"""The pieces that clawbrain adds to a configuration, and how each is found, added and removed in a file's text.

A piece knows the file it belongs to; the file's ending says the format. What the owner wrote beside it stays.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from . import jsonc, toml
from .remote import Remote

NAME = "clawbrain"
_COMMAND = ("command", "cmd", "args")


@dataclass(frozen=True, slots=True)
class Server:
    """The entry of clawbrain among a program's servers: a command, or the address of a server that is elsewhere.

    `remote` is the program's form of the latter.
    """

    file: Path
    place: tuple[str, ...]
    value: dict[str, Any]
    remote: Remote | None = None

    @property
    def keys(self) -> set[str]:
        """Return the keys that install writes into an entry of either form."""
        remote = {*self.remote.entry, self.remote.key, *self.remote.token} if self.remote else set()
        return {*_COMMAND, *remote, *self.value}

    def is_like(self, entry: Any) -> bool:
        """Tell whether an entry is of the form of this one, so that it is brought up to date and not replaced."""
        if not isinstance(entry, dict) or entry.keys() & (self.keys - self.value.keys()):
            return False
        return type(entry.get("command")) is type(self.value.get("command"))


@dataclass(frozen=True, slots=True)
class Hook:
    """The command of clawbrain on one event of a program. `mark` tells it from other commands.

    Some programs keep the commands of an event in groups, `{"hooks": [...]}`, others in one list.
    """

    file: Path
    place: tuple[str, ...]
    mark: str
    handler: dict[str, Any]
    is_grouped: bool = True


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that belongs to clawbrain as a whole. `mark` is what no other file of that name has in it."""

    file: Path
    text: str
    mark: str
    is_rules: bool = False


Piece = Server | Hook | OwnFile


def holds(text: str, piece: Piece) -> bool:
    """Tell whether a text holds a piece, whatever its value."""
    if isinstance(piece, OwnFile):
        return piece.mark in text
    if isinstance(piece, Hook):
        return bool(handlers(text, piece))
    return server(text, piece) is not None


def server(text: str, piece: Server) -> Any:
    """Return the entry of clawbrain in a text, or None; raise Invalid with the line of a fault."""
    if piece.file.suffix == ".yaml":
        from . import yaml  # imported only where a program has such a file

        return yaml.find(text, _pair(piece))
    if piece.file.suffix != ".toml":
        return jsonc.find(text, piece.place)
    here: Any = toml.read(text)
    for step in piece.place:
        here = here.get(step) if isinstance(here, dict) else None
    return here


def _pair(piece: Server) -> tuple[str, str]:
    holder, name = piece.place
    return holder, name


def handlers(text: str, hook: Hook) -> list[jsonc.Path]:
    """Return the places of our command on an event."""
    listed = jsonc.find(text, hook.place)
    places: list[jsonc.Path] = []
    for number, group in enumerate(listed if isinstance(listed, list) else []):
        inner = group.get("hooks") if isinstance(group, dict) and hook.is_grouped else [group]
        for place, handler in enumerate(inner if isinstance(inner, list) else []):
            command = handler.get("command") if isinstance(handler, dict) else None
            if isinstance(command, str) and NAME in command and hook.mark in command:
                places.append((*hook.place, number, *(("hooks", place) if hook.is_grouped else ())))
    return places


def added(text: str, piece: Piece) -> str:
    """Return the text with a server or a hook added, or brought up to date; the owner's additions to it stay."""
    if isinstance(piece, Hook):
        return _with_hook(text, piece)
    assert isinstance(piece, Server)
    present = server(text, piece)
    is_like = piece.is_like(present)
    value = _completed(piece.value, present) if is_like else piece.value
    if piece.file.suffix == ".toml":
        return toml.put(text if is_like else toml.cut(text, piece.place), piece.place, value)
    if piece.file.suffix == ".yaml":
        from . import yaml

        return yaml.put(text if is_like else yaml.cut(text, _pair(piece), text), _pair(piece), value)
    if not is_like:
        return jsonc.put(text, piece.place, value)
    for key, each in value.items():
        text = jsonc.put(text, (*piece.place, key), each)
    return text


def _completed(value: dict[str, Any], present: dict[str, Any]) -> dict[str, Any]:
    """Return an entry's value with what its owner added to the mappings in it, such as further headers."""
    return {
        key: {**present[key], **each} if isinstance(each, dict) and isinstance(present.get(key), dict) else each
        for key, each in value.items()
    }


def _with_hook(text: str, hook: Hook) -> str:
    places = handlers(text, hook)
    if not places:
        listed = jsonc.find(text, hook.place) or []
        return jsonc.put(
            text, (*hook.place, len(listed)), {"hooks": [hook.handler]} if hook.is_grouped else hook.handler
        )
    for place in places:
        text = jsonc.put(text, (*place, "command"), hook.handler["command"])
    return text


def removed(text: str, piece: Piece, kept: str | None) -> str:
    """Return the text without a piece and without the objects that only held it.

    `kept` is the owner's text before clawbrain, if there is a copy of it: an object that it has, if empty, stays.
    """
    if isinstance(piece, Server):
        if piece.file.suffix == ".toml":
            return toml.cut(text, piece.place)
        if piece.file.suffix == ".yaml":
            from . import yaml

            return yaml.cut(text, _pair(piece), kept)
        return jsonc.cut_whole(text, piece.place, kept)
    assert isinstance(piece, Hook)
    while places := handlers(text, piece):
        place = places[-1]
        if piece.is_grouped and len(jsonc.find(text, place[:-1])) > 1:
            text = jsonc.cut(text, place)
        else:
            text = jsonc.cut_whole(text, place[:-2] if piece.is_grouped else place, kept)
    return text


def as_found(text: str, piece: Piece) -> Piece:
    """Return a piece that the text holds, with the value it has there."""
    if isinstance(piece, Server):
        entry = server(text, piece)
        if piece.file.suffix in (".toml", ".yaml"):
            entry = {key: each for key, each in entry.items() if key in piece.keys}
        return replace(piece, value=entry)
    assert isinstance(piece, Hook)
    return replace(piece, handler=jsonc.find(text, handlers(text, piece)[-1]))
