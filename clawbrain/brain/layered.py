"""A brain over several homes: the first is where things are written, and all are searched as one.

Credit is each home's own, and so is everything that is written on a disk: a private memory never ends in a file of a
project that somebody commits. What concerns a single memory is done where the memory is.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..credit import Credit, Kind
from ..credit_evidence import as_text, from_text
from ..errors import Broken, Busy, Invalid, NotFound
from ..layer_homes import ServedLayers
from ..memory.model import Memory, shown, stamp
from . import Brain, open_brain, reading, refuse_without_memory
from .calling import CallingSession
from .layer_set import UNDELIVERED, Layer, LayerSet, Place, home_id
from .layered_listing import LayeredListing
from .layered_owner import LayeredOwner
from .results import Put, Retrieved, Stored, Updated

if TYPE_CHECKING:
    from ..storage.credit_records import Event
    from .layered_briefings import LayeredBriefings
    from .layered_feedback import LayeredLearning
    from .layered_searching import LayeredSearching
    from .whereabouts import Whereabouts


def open_layered(home: Path, found: ServedLayers, **how: Any) -> Brain:
    """Open a home with its layers; `how` is as in `open_brain`. A layer that cannot be opened is left out, with a
    warning, and without layers the brain is that of the home alone."""
    if not found.layers:
        brain = open_brain(home, **how)
    else:
        brain = open_brain(home, kind=LayeredBrain, **how)
        assert isinstance(brain, LayeredBrain)
        brain.stand_on(found, **{word: value for word, value in how.items() if word in ("clock", "at", "looking")})
    for sentence in found.warnings:
        brain.warn(sentence)
    return brain


class LayeredBrain(Brain):
    """The first of several homes, with the others as its layers."""

    layers: LayerSet = LayerSet(())

    def stand_on(self, found: ServedLayers, **how: Any) -> None:
        """Open the layers of this home."""
        opened = [Layer("", self, home_id(self))]
        for each in found.layers:
            try:
                refuse_without_memory(each.folder, or_none=True)
                brain = open_brain(each.folder, read_only=self.read_only or each.read_only, **how)
            except (Broken, Busy, NotFound) as error:
                self.warn(f"layer '{each.name}' is left out: {error}")
            else:
                if brain.read_only:
                    brain.sync(now=True)  # its index is in memory, and hooks do not scan
                opened.append(Layer(each.name, brain, home_id(brain, [layer.home_id for layer in opened])))
        self.layers = LayerSet(opened)
        self.listed = LayeredListing(self.index, self.layers)
        self.owner = LayeredOwner(self, self.layers)
        if not self.read_only and self.ledger.note_of(UNDELIVERED):
            self.learning.deliver()

    def act_for(self, calling: CallingSession) -> None:
        """Do what follows for this session, in all homes. Turns are the first home's."""
        super().act_for(calling)
        for layer in self.layers.farther:
            texts = calling.texts.apart(layer.home_id)
            layer.brain.act_for(replace(calling, session=None, texts=texts))

    def layer_places(self) -> "dict[str, Whereabouts]":
        """Return what tells of each layer whether it still stands where it was opened."""
        return {layer.name: layer.brain.whereabouts() for layer in self.layers.farther}

    # The homes together

    def close(self) -> None:
        """Close all homes, the farthest first."""
        for layer in reversed(self.layers.farther):
            layer.brain.close()
        super().close()

    def release(self) -> None:
        """Close the files of all homes, but not the session."""
        for layer in self.layers.farther:
            layer.brain.release()
        super().release()

    def sync(self, progress: Callable[[int, int], None] | None = None, *, now: bool = False) -> None:
        """Bring the indexes of all homes up to date with their files."""
        super().sync(progress, now=now)
        for layer in self.layers.farther:
            layer.brain.sync(progress, now=now)

    def fill_index(self) -> None:
        """Scan the files of each home where that was never done to the end; see `OpenHome.fill_index`."""
        super().fill_index()
        for layer in self.layers.farther:
            layer.brain.fill_index()

    def settle(self) -> None:
        """Write down what waits to be noted in any home."""
        super().settle()
        for layer in self.layers.farther:
            layer.brain.settle()

    def take_warnings(self) -> list[str]:
        """Return the warnings since the last answer; those of a layer say which it is."""
        taken = super().take_warnings()
        for layer in self.layers.farther:
            taken += [f"layer '{layer.name}': {sentence}" for sentence in layer.brain.take_warnings()]
        return taken

    @cached_property
    def searching(self) -> "LayeredSearching":
        """The finding and ranking of the memories of all homes."""
        from .layered_searching import LayeredSearching

        return LayeredSearching(self, self.layers)

    @cached_property
    def learning(self) -> "LayeredLearning":
        """The learning from feedback, in all homes."""
        from .layered_feedback import LayeredLearning

        return LayeredLearning(self, self.layers)

    @cached_property
    def briefings(self) -> "LayeredBriefings":
        """The briefings that sessions begin with, of all homes."""
        from .layered_briefings import LayeredBriefings

        return LayeredBriefings(self, self.layers)

    def digest_text(self) -> str:
        """Return the digest of all homes; the file MEMORY.md is of the first home alone."""
        from ..digest import render

        self.sync()
        page = render(self.briefings.everything_of_all(), self.policy.settings(), self.briefings.now())
        return self.secrets.unnamed(page)

    # What a search and a hook ask of all homes

    def shown(self, ids: Sequence[str], kind: Kind = ()) -> None:
        """Begin a turn, in the first home, with the memories that a search showed."""
        places = self.layers.places([*ids, *(id for id, _ in kind)])
        super().shown(self.names_in_turns(ids), self.layers.kind_in(self.layers.first, kind, places))

    def names_in_turns(self, ids: Sequence[str]) -> list[str]:
        """Return the names by which turns of the first home's ledger know these memories."""
        named = self.layers.noted(ids)
        return [named[id] for id in ids]

    def used(self, ids: Sequence[str]) -> None:
        """Count an access of memories, each in its own home."""
        for layer, own in self.layers.by_layer(ids):
            if self.session and not layer.brain.read_only:
                layer.brain.bookkeeping.note_used(list(own))

    def outdated(self, shown: Iterable[Memory]) -> dict[str, Memory | None]:
        """Return those of these memories whose files changed since the last scan; see `OpenHome.outdated`."""
        memories = {memory.id: memory for memory in shown}
        found: dict[str, Memory | None] = {}
        for layer, own in self.layers.by_layer(memories):
            asked = [replace(memories[served], id=id) for id, served in own.items()]
            found_there = super().outdated(asked) if layer is self.layers.first else layer.brain.outdated(asked)
            for id, memory in found_there.items():
                found[own[id]] = memory and replace(memory, id=own[id])
        return found

    def rarity(self, terms: Collection[str]) -> dict[str, float]:
        """Return how much each word tells in all homes together, from 0 to 1."""
        whole = reduce(add, [layer.brain.index.statistics(terms) for layer in self.layers])
        rarest = whole.idf(1)
        return {term: min(1.0, whole.idf(whole.holding.get(term, 0)) / rarest) for term in terms}

    def called(self, words: Collection[str], category: str, limit: int) -> list[Memory]:
        """Return the memories of a category that have any of some words in their name or tags, the nearest first."""
        return [
            self.layers.as_served(layer, memory)
            for layer in self.layers
            for memory in layer.brain.index.called(words, category, limit)
        ][:limit]

    def mentioning(self, words: Collection[str], limit: int) -> list[Memory]:
        """Return the memories of all homes that have any of some words, as written, in their text."""
        return [
            self.layers.as_served(layer, memory)
            for layer in self.layers
            for memory in layer.brain.index.mentioning(words, limit)
        ]

    def file_names(self, ids: Collection[str]) -> list[str]:  # type: ignore[override]
        """Return the name of each memory's file, without its folder and ending; unknown ids are left out."""
        places = self.layers.places(ids)
        found = (places[id].layer.brain.index.get(places[id].id) for id in ids)
        return [Path(memory.path).stem for memory in found if memory]

    def credits(self, ids: Collection[str] | None = None) -> dict[str, Credit]:
        """Return the credit of these memories, each from its own home, or of all of the first home."""
        if ids is None:
            return super().credits()
        found: dict[str, Credit] = {}
        now, decay = stamp(self.clock()), self.policy.settings().decay
        for layer, own in self.layers.by_layer(ids):
            known = layer.brain.scores.credits(list(own), now, decay)
            found |= {own[id]: credit for id, credit in known.items()}
        return found

    def credit_history(self, reference: str) -> list[tuple["Event", str]]:
        """Return every event of a memory with its time; questions name memories by their served ids."""
        place = self._synced_place(reference)
        layer = place.layer
        history = super().credit_history if layer is self.layers.first else layer.brain.credit_history
        return [(event._replace(kind=self._kind_served(layer, event.kind)), at) for event, at in history(place.id)]

    def _kind_served(self, layer: Layer, text: str | None) -> str | None:
        kind = from_text(text)
        return as_text(self.layers.kind_served(layer, kind)) if kind else text

    # Single memories, where they are

    def store_in(self, scope: str, type: str, name: str, content: str, **words: Any) -> Stored:
        """Store a new memory in the layer of this name. Raises Invalid where there is none, ReadOnly, AlreadyExists."""
        layer = self.layers.named(scope)
        if layer is None:
            names = ", ".join(self.layers.names())
            raise Invalid(f"there is no layer {shown(scope)}; the scope is one of {names}.")
        layer.may_write()
        if layer is self.layers.first:
            return self.store(type, name, content, **words)
        stored = layer.brain.store(type, name, content, **words)
        ids = [id for id, _ in (*stored.similar, *stored.contradictions)]
        served = self.layers.served(layer, [stored.memory.id, *ids])
        return Stored(
            replace(stored.memory, id=served[stored.memory.id]),
            [(served[id], score) for id, score in stored.similar],
            [(served[id], said) for id, said in stored.contradictions],
            layer.name,
        )

    def find(self, reference: str) -> Memory:
        """Return the memory that a reference means, with its served id. Raises NotFound, Archived."""
        self.sync()
        place = self.layers.place(reference)
        return self.layers.as_served(place.layer, place.layer.brain.finder.find(place.id))

    def known(self, reference: str) -> Memory | None:
        """Return the memory that a reference means as of the last scan, with its served id, or None."""
        place = self.layers.place(reference)
        memory = place.layer.brain.finder.known(place.id)
        return memory and self.layers.as_served(place.layer, memory)

    def load(self, reference: str) -> tuple[Memory, bytes]:
        """Return a memory with its served id, and its file's bytes as they are now."""
        place = self._synced_place(reference)
        memory, data = place.layer.brain.finder.load(place.id)
        return self.layers.as_served(place.layer, memory), data

    @reading()
    def retrieve(self, reference: str) -> Retrieved:
        """Return a memory with its credit; the opening is noted in the first home, the access in the memory's own."""
        place = self._synced_place(reference)
        if place.layer is self.layers.first:
            return super().retrieve(place.id)
        brain = place.layer.brain
        memory, data = brain.finder.load(place.id)
        served = self.layers.as_served(place.layer, memory)
        if self.session:
            self.bookkeeping.note_opened(Place(place.layer, memory.id).in_turns, self.session, elsewhere=True)
            if not brain.read_only:
                brain.bookkeeping.note_used([memory.id])
        brain.writer.note_read(memory.id, data)
        earned = brain.credits([memory.id]).get(memory.id, Credit())
        return Retrieved(served, brain.bookkeeping.with_waiting(earned, memory.id), place.layer.name)

    def read(self, memory: Memory) -> Memory:
        """Return a memory as its file has it now, and remember its text as read."""
        place = self.layers.places([memory.id])[memory.id]
        if place.layer is self.layers.first:
            return super().read(memory)
        return self.layers.as_served(place.layer, place.layer.brain.read(replace(memory, id=place.id)))

    def update(self, reference: str, content: str, *, by_person: bool = False) -> Updated:
        """Replace the text of a memory where it is. Raises Changed, ReadOnly."""
        place = self._written_place(reference)
        if place.layer is self.layers.first:
            return super().update(place.id, content, by_person=by_person)
        done = place.layer.brain.update(place.id, content, by_person=by_person)
        served = self.layers.served(place.layer, [done.id, *(id for id, _ in done.contradictions)])
        found = [(served[id], said) for id, said in done.contradictions]
        return done._replace(id=served[done.id], contradictions=found)

    def amend(self, target: str | Memory, change: Callable[[Memory], Memory], *, as_read: bool = False) -> Memory:
        """Edit a memory under the lock of its home."""
        place = self._written_place(target if isinstance(target, str) else target.id)
        if place.layer is self.layers.first:
            return super().amend(target, change, as_read=as_read)
        return self.layers.as_served(place.layer, place.layer.brain.amend(place.id, change, as_read=as_read))

    def archive(self, reference: str) -> Put:
        """Move a memory into the archive of its home. Raises Pinned, NotFound, ReadOnly."""
        place = self._written_place(reference)
        if place.layer is self.layers.first:
            return super().archive(place.id)
        served = self.layers.served(place.layer, [place.layer.brain.find(place.id).id])
        put = place.layer.brain.archive(place.id)
        return Put(served[put.id], put.path)

    def restore(self, reference: str, *, wanted: bool = True) -> Put:
        """Bring an archived memory back in its home."""
        place = self._written_place(reference)
        if place.layer is self.layers.first:
            return super().restore(place.id, wanted=wanted)
        put = place.layer.brain.restore(place.id, wanted=wanted)
        return Put(self.layers.served(place.layer, [put.id])[put.id], put.path)

    def layer_of(self, reference: str) -> str:
        """Return the name of the layer that a memory, live or archived, is in; '' for the first home."""
        return self._synced_place(reference).layer.name

    def _synced_place(self, reference: str) -> Place:
        self.sync()
        return self.layers.place(reference)

    def _written_place(self, reference: str) -> Place:
        place = self._synced_place(reference)
        place.layer.may_write()
        return place
