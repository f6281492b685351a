"""The memories of several homes as of the last scan, by their served ids."""

from collections.abc import Collection

from ..memory.model import Memory
from ..storage.index import Index
from .layer_set import LayerSet
from .listing import Listing


class LayeredListing(Listing):
    """Lookups in the indexes of several homes; what is about links and headers is about the first home alone."""

    def __init__(self, index: Index, layers: LayerSet) -> None:
        super().__init__(index)
        self._layers = layers

    def get(self, id: str) -> Memory | None:
        """Return the memory of exactly this served id."""
        return self.several([id]).get(id)

    def several(self, ids: Collection[str]) -> dict[str, Memory]:
        """Return the memories of these served ids, in the order of the ids, without those that are not there."""
        found: dict[str, Memory] = {}
        for layer, own in self._layers.by_layer(ids):
            memories = layer.brain.index.several(own).values()
            found |= {own[memory.id]: self._layers.as_served(layer, memory) for memory in memories}
        return {id: found[id] for id in ids if id in found}

    def ids(self) -> set[str]:
        """Return every served id."""
        return {
            served for layer in self._layers for served in self._layers.served(layer, layer.brain.index.ids()).values()
        }
