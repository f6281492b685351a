"""The owner's operations on single memories of several homes: each is done in the home where the memory is."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from ..memory.model import Memory
from ..storage.shelves import Version
from .layer_set import LayerSet, Place
from .owner import OwnerActions
from .results import Purged, Put, Updated

if TYPE_CHECKING:
    from . import Brain


class LayeredOwner(OwnerActions):
    """The owner's operations in several homes."""

    def __init__(self, brain: "Brain", layers: LayerSet) -> None:
        super().__init__(brain)
        self._layers = layers
        self._alone = OwnerActions(brain)  # the first home's

    def serve_terminal(self, *, faults: bool) -> None:
        """Let a name alone mean the only memory of a home that has it; see `OwnerActions.serve_terminal`."""
        super().serve_terminal(faults=faults)
        for layer in self._layers.farther:
            layer.brain.owner.serve_terminal(faults=faults)

    def pin(self, reference: str, pinned: bool = True) -> Memory:
        """Pin a memory, or unpin it. Raises NotFound, Archived, ReadOnly."""
        owner, place = self._writing(reference)
        return self._layers.as_served(place.layer, owner.pin(place.id, pinned))

    def tag(self, reference: str, add: Collection[str] = (), remove: Collection[str] = ()) -> Memory:
        """Add and remove tags; see `OwnerActions.tag`."""
        owner, place = self._writing(reference)
        return self._layers.as_served(place.layer, owner.tag(place.id, add, remove))

    def move(self, reference: str, new: str) -> Put:
        """Move a memory to another name or category in its home; see `OwnerActions.move`."""
        owner, place = self._writing(reference)
        put = owner.move(place.id, new)
        return Put(self._layers.served(place.layer, [put.id])[put.id], put.path)

    def history(self, reference: str) -> list[Version]:
        """Return the texts of a memory that updates replaced; see `OwnerActions.history`."""
        owner, place = self._at(reference)
        return owner.history(place.id)

    def old_text(self, reference: str, version: str | None = None) -> str:
        """Return one of the texts that updates replaced; see `OwnerActions.old_text`."""
        owner, place = self._at(reference)
        return owner.old_text(place.id, version)

    def old_texts(self, reference: str) -> list[tuple[Version, str]]:
        """Return all that `history` lists, each with its text."""
        owner, place = self._at(reference)
        return owner.old_texts(place.id)

    def revert(self, reference: str, version: str | None = None) -> Version:
        """Put an earlier text of a memory back; see `OwnerActions.revert`."""
        owner, place = self._writing(reference)
        return owner.revert(place.id, version)

    def edit(self, reference: str, content: str) -> Updated:
        """Replace the text of a memory; see `OwnerActions.edit`."""
        owner, place = self._writing(reference)
        done = owner.edit(place.id, content)
        return done._replace(id=self._layers.served(place.layer, [done.id])[done.id])

    def purge(self, reference: str, texts: Collection[str] = (), *, dry_run: bool = False) -> Purged:
        """Delete an archived memory of any home for good; see `OwnerActions.purge`."""
        owner, place = self._writing(reference)
        return owner.purge(place.id, texts, dry_run=dry_run)

    def _at(self, reference: str) -> tuple[OwnerActions, Place]:
        """Return the owner's operations in the home of a memory, and its place."""
        self.brain.sync()
        place = self._layers.place(reference)
        return (self._alone if place.layer is self._layers.first else place.layer.brain.owner), place

    def _writing(self, reference: str) -> tuple[OwnerActions, Place]:
        owner, place = self._at(reference)
        place.layer.may_write()
        return owner, place
