"""The open homes that are searched as one, and the names that a memory has among them.

A memory's served id, which answers use, is its own id where no nearer home holds the same, else LAYER:ID. The turns of
the first home's ledger name memories of other layers LAYER:ID always. Kinds of questions outlive the names of layers,
so they name a memory of another home by that home's own id.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from ..credit import Kind
from ..errors import ReadOnly
from ..layers import PROJECT, apart, qualified
from ..memory.model import Memory
from ..storage.ledger_file import HOME_ID

if TYPE_CHECKING:
    from . import Brain

UNDELIVERED = "undelivered"
"""The note in the first home's ledger that holds what other homes are still to learn."""
_ABSOLUTE = re.compile("[0-9a-f]{32}:.")


class Layer(NamedTuple):
    """One of the homes that are searched as one; the first has no name, as its memories are called by their ids."""

    name: str
    brain: "Brain"
    home_id: str

    def may_write(self) -> None:
        """Raise ReadOnly where nothing may be written to this layer."""
        if self.brain.read_only:
            raise ReadOnly(f"layer '{self.name or PROJECT}' is read-only; nothing was changed.")


class Place(NamedTuple):
    """A memory's place: its layer, and its id there."""

    layer: Layer
    id: str

    @property
    def in_turns(self) -> str:
        """Return the memory's name in turns of the first home's ledger."""
        return qualified(self.layer.name, self.id) if self.layer.name else self.id

    @property
    def absolute(self) -> str:
        """Return a name that no memory of another home has."""
        return f"{self.layer.home_id}:{self.id}"


class LayerSet:
    """The homes that are searched as one, the nearest first."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = list(layers)
        self._named = {layer.name or PROJECT: layer for layer in self._layers}

    def __iter__(self) -> Iterator[Layer]:
        return iter(self._layers)

    def nearness(self, layer: Layer) -> int:
        """Return how many layers are as near as this one or farther."""
        return len(self._layers) - self._layers.index(layer)

    @property
    def first(self) -> Layer:
        """Return the home that is served first."""
        return self._layers[0]

    @property
    def farther(self) -> list[Layer]:
        """Return all layers but the first."""
        return self._layers[1:]

    def named(self, name: str) -> Layer | None:
        """Return the layer of this name, or None."""
        return self._named.get(name)

    def names(self) -> list[str]:
        """Return the names of all layers, the nearest first."""
        return list(self._named)

    # Ids as served

    def served(self, layer: Layer, ids: Iterable[str]) -> dict[str, str]:
        """Return the served id of each of these memories of a layer."""
        own = list(ids)
        nearer = self._layers[: self._layers.index(layer)]
        taken = {outline.id for each in nearer if own for outline in each.brain.index.outlines(own)}
        return {id: qualified(layer.name, id) if id in taken else id for id in own}

    def as_served(self, layer: Layer, memory: Memory) -> Memory:
        """Return a memory of a layer with its served id."""
        return memory if layer is self.first else replace(memory, id=self.served(layer, [memory.id])[memory.id])

    def place(self, reference: str) -> Place:
        """Return the place of the memory that a reference of any form means: the nearest that has it, live or archived.

        Where none has it, it is the first layer, which says so.
        """
        named, rest = apart(reference, self._named)
        if named:
            return Place(self._named[named], rest)
        live = (layer for layer in self._layers if layer.brain.finder.known(rest))
        archived = (layer for layer in self._layers if layer.brain.archiver.path_of(rest))
        return Place(next(chain(live, archived), self.first), rest)

    def places(self, served: Collection[str]) -> dict[str, Place]:
        """Return the places of memories by their served ids, as of the last scan; unknown ones count as the first's."""
        split = {id: apart(id, self._named) for id in served}
        found = {id: Place(self._named[name], rest) for id, (name, rest) in split.items() if name}
        for layer in self._layers:
            left = [id for id in served if id not in found]
            if left:
                found |= {outline.id: Place(layer, outline.id) for outline in layer.brain.index.outlines(left)}
        return {id: found.get(id, Place(self.first, id)) for id in served}

    def by_layer(self, served: Collection[str]) -> Iterator[tuple[Layer, dict[str, str]]]:
        """Yield each layer that has some of these memories, with their ids there and their served ids."""
        places = self.places(served)
        for layer in self._layers:
            own = {place.id: id for id, place in places.items() if place.layer is layer}
            if own:
                yield layer, own

    # Names in the ledgers

    def noted(self, served: Collection[str]) -> dict[str, str]:
        """Return the name of each of these memories in turns of the first home's ledger."""
        return {id: place.in_turns for id, place in self.places(served).items()}

    def kind_in(self, layer: Layer, kind: Kind, places: Mapping[str, Place]) -> Kind:
        """Return a kind that names memories by their served ids as a ledger of a layer names it."""
        return tuple((_seen_from(layer, places[id]) if id in places else id, weight) for id, weight in kind)

    def kind_from(self, layer: Layer, kind: Kind, served: Mapping[str, str]) -> Kind:
        """Return a kind of a layer's ledger with the served ids of the memories that it names.

        `served` holds them by `absolute` names; memories that are not there keep a name that no other has.
        """
        named = ((_absolute(layer, id), weight) for id, weight in kind)
        return tuple((served.get(id, id), weight) for id, weight in named)

    def kind_served(self, source: Layer, kind: Kind) -> Kind:
        """Return a kind of a layer's ledger with the served ids of all memories that it names."""
        parted = (_absolute(source, id).partition(":")[::2] for id, _ in kind)
        homes = {layer.home_id: layer for layer in self._layers}
        served = {f"{home}:{id}": self.served(homes[home], [id])[id] for home, id in parted if home in homes}
        return self.kind_from(source, kind, served)

    def kind_moved(self, source: Layer, target: Layer, kind: Kind) -> Kind:
        """Return a kind of one layer's ledger as the ledger of another names it."""
        named = ((_absolute(source, id), weight) for id, weight in kind)
        return tuple((id.removeprefix(f"{target.home_id}:"), weight) for id, weight in named)


def _absolute(layer: Layer, id: str) -> str:
    return id if _ABSOLUTE.match(id) else f"{layer.home_id}:{id}"


def _seen_from(layer: Layer, place: Place) -> str:
    return place.id if place.layer is layer else place.absolute


def home_id(brain: "Brain", others: Collection[str] = ()) -> str:
    """Return the id of a home. One that has none of its own is known by its path: nothing was ever written there, or it
    is a copy of another that is served too and has the id already."""
    by_path = sha256(os.path.realpath(brain.home).encode(errors="replace")).hexdigest()[:32]
    id = brain.ledger.note_of(HOME_ID)
    return by_path if id is None or id in others else id
