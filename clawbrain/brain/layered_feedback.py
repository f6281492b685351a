"""Feedback over several homes: the turns live in the first one, and each home learns about its own memories.

Shares and expectations are computed over the whole turn, with the usual share of praise of each home. A signal has one
id in all ledgers. The first ledger keeps what the others are still to learn until they have it, so that a process that
is killed in between leaves nothing half said: the next one that serves these homes delivers it, once.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from .. import credit
from ..credit import Earned, Step
from ..credit_evidence import kind_from
from ..layers import apart
from ..memory.model import stamp
from ..storage.turns import Turn
from .feedback import Learning
from .layer_set import UNDELIVERED, Layer, LayerSet, Place
from .results import Feedback, Move

if TYPE_CHECKING:
    from . import Brain


class LayeredLearning(Learning):
    """Feedback in several homes."""

    def __init__(self, brain: "Brain", layers: LayerSet) -> None:
        super().__init__(brain)
        self.layers = layers

    def feedback(self, signal: str, used_ids: Sequence[str] = ()) -> Feedback:
        """Score the turns since the last signal in all homes; see `Learning.feedback`."""
        with self._locked():
            for layer in self.layers.farther:
                if not layer.brain.read_only:
                    layer.brain.bookkeeping.note_waiting()  # so that new files have credit records
            done = super().feedback(signal, used_ids)
            moves = [*done.updated, *self.deliver()]
        return Feedback(signal, done.memories, [move for move in moves if move.new_score != move.old_score])

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the locks of all homes that learn, in the order of the homes' ids, as every process takes them."""
        with ExitStack() as held:
            for layer in sorted(self.layers, key=lambda layer: layer.home_id):
                if not layer.brain.read_only:
                    held.enter_context(layer.brain.locked())
            yield

    def _used(self, references: Sequence[str], turns: Sequence[Turn]) -> set[str]:
        """Return the names in turns of what was used. Raises Invalid for what was not shown since the last signal."""
        seen = {id for turn in turns for id in turn.ids}
        named = {}
        for reference in references:
            place = self.layers.place(reference)
            memory = place.layer.brain.finder.known(place.id)
            id = memory.id if memory else place.id
            name = Place(place.layer, id).in_turns
            named[reference] = name if name in seen else reference
        return super()._used([*named.values()], turns)

    def _learn(self, turns: Sequence[Turn], ids: Sequence[str], signal: str, used: set[str]) -> list[Move]:
        """Teach the first home its part, and keep what the others are to learn; return the first home's changes."""
        earned = self._earned(ids)
        lessons, signal_id = [turn.lesson for turn in turns], os.urandom(8).hex()
        settings, waiting, moves = self.brain.policy.settings(), [], list[Move]()
        for layer in self.layers:
            own = {name: place.id for name, (place, _) in earned.items() if place.layer is layer}
            known = {name: each for name, (_, each) in earned.items()}
            steps = credit.learn(lessons, used, known, layer.brain.ledger.balance())
            theirs = [step for step in steps if step.id in own]
            if layer is self.layers.first:
                moves = self.take(theirs, signal, signal_id, settings)
            elif theirs and layer.brain.read_only:
                self.brain.warn(f"layer '{layer.name}' is read-only, so it learns nothing from this.")
            elif theirs:
                waiting.append(
                    _packed(self.layers, layer, [(own[step.id], step) for step in theirs], signal, signal_id)
                )
        if strange := [name for name in ids if name not in earned and ":" in name]:
            self.brain.warn(f"not served here, so nothing is learnt about it: {', '.join(strange)}.")
        if waiting:
            self.brain.ledger.set_note(UNDELIVERED, json.dumps([*self._waiting(), *waiting], ensure_ascii=False))
        return moves

    def _earned(self, names: Sequence[str]) -> dict[str, tuple[Place, Earned]]:
        """Return place and evidence of the memories of turns, by their names there, without those that are gone.

        Kinds name memories as the first home's ledger does.
        """
        now, decay = stamp(self.brain.clock()), self.brain.policy.settings().decay
        places = {name: self._place(name) for name in names}
        found = {}
        for layer in self.layers:
            own = {place.id: name for name, place in places.items() if place.layer is layer}
            known = layer.brain.scores.earned(own, now, decay)
            records = layer.brain.ledger.records(list(own))  # files that nobody adopted have none
            for id in layer.brain.index.several(own) if layer.brain.read_only else records:
                each = known.get(id, Earned())
                by_kind = tuple((self.layers.kind_moved(layer, self.layers.first, kind), x) for kind, x in each.by_kind)
                found[own[id]] = (Place(layer, id), Earned(each.general, by_kind))
        return found

    def _place(self, name: str) -> Place:
        """Return the place of a memory by its name in a turn: that of the first home has no layer's name."""
        layer, id = apart(name, self.layers.names())
        return Place(self.layers.named(layer) or self.layers.first, id)

    # What other homes are still to learn

    def deliver(self) -> list[Move]:
        """Write what waits into the ledgers of the layers that are served, once; return how their scores changed."""
        if not self._waiting():
            return []
        moves: list[Move] = []
        with self._locked():
            kept = [each for each in self._waiting() if not self._delivered(each, moves)]
            with self.brain.bookkeeping.deciding():
                self.brain.ledger.set_note(UNDELIVERED, json.dumps(kept, ensure_ascii=False))
        return moves

    def _delivered(self, lesson: dict[str, Any], moves: list[Move]) -> bool:
        """Write one lesson into its ledger, unless that has it; tell whether it is there now."""
        layer = next((each for each in self.layers.farther if each.home_id == lesson["home"]), None)
        if layer is None or layer.brain.read_only:
            return False
        brain, signal, signal_id = layer.brain, lesson["signal"], lesson["signal_id"]
        steps = [Step(id, kind_from(kind) or (), share, expected) for id, kind, share, expected in lesson["steps"]]
        with brain.bookkeeping.deciding(*(step.id for step in steps)):
            if not brain.ledger.knows_signal(signal_id):
                taught = brain.learning.take(steps, signal, signal_id, self.brain.policy.settings())
                served = self.layers.served(layer, [move.id for move in taught])
                moves += [move._replace(id=served[move.id]) for move in taught]
        return True

    def _waiting(self) -> list[dict[str, Any]]:
        found = json.loads(self.brain.ledger.note_of(UNDELIVERED) or "[]")
        return found if isinstance(found, list) else []


def _packed(
    layers: LayerSet, layer: Layer, steps: Sequence[tuple[str, Step]], signal: str, signal_id: str
) -> dict[str, Any]:
    """Return the steps of a layer as the note keeps them; kinds are as the layer's ledger names memories."""
    rows = [[id, layers.kind_moved(layers.first, layer, step.kind), step.share, step.expected] for id, step in steps]
    return {"home": layer.home_id, "signal": signal, "signal_id": signal_id, "steps": rows}
