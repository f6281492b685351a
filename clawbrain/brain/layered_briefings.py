"""The briefing over several homes, made as if one home held all their memories.

What waits for the person's decision is told of the first home alone, because it is decided there.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..briefing.groups import Project, Store
from .briefings import Briefings
from .layer_set import Layer, LayerSet

if TYPE_CHECKING:
    from ..strategy import Strategy
    from . import Brain


class LayeredBriefings(Briefings):
    """The briefings of several homes; `everything` stays that of the first, for the file MEMORY.md."""

    def __init__(self, brain: "Brain", layers: LayerSet) -> None:
        super().__init__(brain)
        self._layers = layers
        self._parts = {layer.home_id: Briefings(layer.brain) for layer in layers}

    def store(self, project: Project | None, strategy: "Strategy", most: int, now: str) -> Store:
        """Return what may stand in a briefing, of all homes, by served ids."""
        return self._joined((layer, self._of(layer).store(project, strategy, most, now)) for layer in self._layers)

    def everything_of_all(self) -> Store:
        """Return all memories of all homes with their texts, for the digest."""
        return self._joined((layer, self._of(layer).everything()) for layer in self._layers)

    def _of(self, layer: Layer) -> Briefings:
        return self._parts[layer.home_id]

    def _joined(self, stores: Iterable[tuple[Layer, Store]]) -> Store:
        """Return the stores of several homes as one, by served ids, with the notes of the first."""
        whole: Store | None = None
        for layer, store in stores:
            served = self._layers.served(layer, {*store.credits, *(memory.id for memory in store.memories)})
            memories = [replace(memory, id=served[memory.id]) for memory in store.memories]
            credits = {served[id]: credit for id, credit in store.credits.items()}
            store = store._replace(memories=memories, credits=credits)
            whole = store if whole is None else _sum(whole, store)
        assert whole is not None
        return whole


def _sum(one: Store, other: Store) -> Store:
    return one._replace(
        memories=[*one.memories, *other.memories],
        credits={**one.credits, **other.credits},
        entities=one.entities + other.entities,
        episodes=one.episodes + other.episodes,
    )
