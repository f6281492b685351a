"""Find the layers of a home: those that the command line names, and those that its STRATEGY.md names.

A cloned repository must not read or write somebody's memory, so what STRATEGY.md names counts only when the owner of
this machine has allowed that home that folder. What is allowed stands outside every repository, in the user's own
configuration.
"""

import json
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from .layers import PROJECT, USER, GivenLayer, given, name_of_folder, refuse_twice
from .served_layers import STRATEGY, may_name_layers


class FoundLayer(NamedTuple):
    """A layer with its folder; `allowed` is false for one of STRATEGY.md that the owner has not confirmed."""

    name: str
    folder: Path
    read_only: bool = False
    allowed: bool = True
    exists: bool = True


class ServedLayers(NamedTuple):
    """The layers that are served with a home, the nearest first, and what to say about the others."""

    layers: tuple[FoundLayer, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Return the names of the home and its layers, the nearest first."""
        return [PROJECT, *(layer.name for layer in self.layers)]

    def without(self, names: Collection[str]) -> "ServedLayers":
        """Return the layers without those of some names."""
        return self._replace(layers=tuple(layer for layer in self.layers if layer.name not in names))


def find(home: Path, words: Sequence[str] = (), started_in: str = "", person: Path | None = None) -> ServedLayers:
    """Return the layers of a home: those in `words`, as --layer gives them, and those that its STRATEGY.md names.

    Relative words begin at `started_in`, else at the working directory. `person` is the person's own home, by default
    the usual one. A layer that is not there or not allowed is left out, with a warning. Raises Usage or Invalid for a
    word that is none and for two layers of one name.
    """
    found = every(home, words, started_in, person)
    served = tuple(layer for layer in found if layer.exists and layer.allowed)
    refuse_twice(layer.name for layer in served)
    return ServedLayers(served, tuple(_missing(found)) + tuple(_unconfirmed(found)))


def every(home: Path, words: Sequence[str] = (), started_in: str = "", person: Path | None = None) -> list[FoundLayer]:
    """Return every layer that is named for a home, also those that are not there or not allowed; see `find`.

    One that is named twice, or is the home itself, counts once.
    """
    from .brain.opening import is_home

    here = Path(started_in or os.getcwd())
    named = [(here, given(word), True) for word in words]
    named += [(home, layer, False) for layer in _of_strategy(home)]
    seen, found = {os.path.realpath(home)}, []
    own, confirmed = os.path.realpath(person or _persons()), allowed(home)
    for start, layer, is_allowed in named:
        folder = Path(os.path.normpath(start / Path(layer.path).expanduser()))
        real = os.path.realpath(folder)
        if real in seen:
            continue
        seen.add(real)
        name = layer.name or (USER if real == own else name_of_folder(folder.name))
        found.append(FoundLayer(name, folder, layer.read_only, is_allowed or real in confirmed, is_home(folder)))
    return found


def _of_strategy(home: Path) -> list[GivenLayer]:
    if not may_name_layers(home):
        return []
    from .strategy import parse  # loads dozens of regular expressions

    return list(parse((home / STRATEGY).read_bytes()).layers)


def _persons() -> Path:
    from .brain import default_home

    return default_home()


def _missing(found: Iterable[FoundLayer]) -> list[str]:
    return [
        f"layer '{layer.name}' is left out, because there is no home at its folder: `clawbrain init` makes one."
        for layer in found
        if layer.allowed and not layer.exists
    ]


def _unconfirmed(found: Iterable[FoundLayer]) -> list[str]:
    names = ", ".join(f"'{layer.name}'" for layer in found if not layer.allowed)
    if not names:
        return []
    return [f"STRATEGY.md names layers that were not allowed on this machine ({names}): see `clawbrain layers allow`."]


# What is allowed


def allowed(home: Path) -> set[str]:
    """Return the folders, without links, that the owner of this machine has allowed a home as layers."""
    return set(_read().get(os.path.realpath(home), ()))


def allow(home: Path, folders: Iterable[Path]) -> None:
    """Allow a home these folders as layers, beside those that it is allowed already. Raises OSError."""
    kept, name = _read(), os.path.realpath(home)
    allowed_now = {*kept.get(name, ()), *map(os.path.realpath, folders)}
    if allowed_now != {*kept.get(name, ())}:
        kept[name] = sorted(allowed_now)
        _write(kept)


def disallow(home: Path) -> None:
    """Take back everything that a home was allowed. Raises OSError."""
    kept = _read()
    if kept.pop(os.path.realpath(home), None) is not None:
        _write(kept)


def _file() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "clawbrain" / "layers.json"


def _read() -> dict[str, list[str]]:
    """Return the folders that each home is allowed; none where the file is missing or cannot be read."""
    try:
        kept = json.loads(_file().read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {home: [each for each in folders if isinstance(each, str)] for home, folders in kept.items()
            if isinstance(folders, list)}  # fmt: skip


def _write(kept: dict[str, list[str]]) -> None:
    import tempfile  # takes time to import, and every process looks for layers

    file = _file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    with os.fdopen(descriptor, "w") as out:
        json.dump(kept, out, indent=2)
    os.replace(temporary, file)
