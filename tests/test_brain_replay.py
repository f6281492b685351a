"""A long random life: every score must still follow from its events, and a check must find nothing broken."""

import random
from contextlib import suppress

from conftest import Clock

from clawbrain.brain import Brain
from clawbrain.credit import SIGNALS
from clawbrain.errors import Refused

WORDS = ["ferry", "feed", "timeout", "harbour", "timetable", "release", "login", "cache"]


class Life:
    """One verb after another, whatever comes; refusals are part of it."""

    def __init__(self, brain: Brain, clock: Clock, seed: int) -> None:
        self.brain, self.clock, self.rng, self.born = brain, clock, random.Random(seed), 0

    def live(self, operations: int) -> None:
        verbs = [
            (self.search, 30), (self.retrieve, 15), (self.feedback, 25), (self.store, 12), (self.update, 6),
            (self.archive, 4), (self.restore, 3), (self.pin, 2), (self.move, 2), (self.wait, 4), (self.compact, 1),
            (self.undo, 1),
        ]  # fmt: skip
        chosen = self.rng.choices([verb for verb, _ in verbs], [often for _, often in verbs], k=operations)
        for verb in chosen:
            with suppress(Refused):
                verb()

    def any_id(self) -> str:
        ids = sorted(self.brain.index.ids())
        return self.rng.choice(ids) if ids else "entity-things-none"

    def text(self) -> str:
        return "\n".join(f"- {' '.join(self.rng.sample(WORDS, 4))} {self.rng.randint(1, 99)}" for _ in range(2))

    def search(self) -> None:
        self.brain.search(" ".join(self.rng.sample(WORDS, 2)), None, 5)

    def retrieve(self) -> None:
        self.brain.retrieve(self.any_id())

    def feedback(self) -> None:
        used = [self.any_id()] if self.rng.random() < 0.3 else []
        self.brain.feedback(self.rng.choice(sorted(SIGNALS)), used)

    def store(self) -> None:
        self.born += 1
        tags = self.rng.sample(WORDS, 2)
        kind = self.rng.choice(["entity", "episode"])
        self.brain.store(kind, f"m{self.born}", self.text(), category="things", tags=tags)

    def update(self) -> None:
        self.brain.update(self.any_id(), self.text())

    def archive(self) -> None:
        self.brain.archive(self.any_id())

    def restore(self) -> None:
        archived = [memory.id for _, memory in self.brain.desk.archived() if memory]
        self.brain.restore(self.rng.choice(archived or ["entity-things-none"]))

    def pin(self) -> None:
        self.brain.desk.pin(self.any_id(), self.rng.random() < 0.5)

    def move(self) -> None:
        self.born += 1
        self.brain.desk.move(self.any_id(), f"m{self.born}")

    def wait(self) -> None:
        self.clock.forward(days=self.rng.choice([0.01, 1, 3, 40, -2]))

    def compact(self) -> None:
        self.brain.lifecycle.compact()

    def undo(self) -> None:
        self.brain.lifecycle.undo()


def test_after_a_random_life_every_score_follows_from_its_events(brain: Brain, clock: Clock) -> None:
    Life(brain, clock, seed=1).live(400)
    brain.settle()
    assert sum(1 for event, _ in brain.ledger.events() if event.signal_id) > 100
    assert [finding for finding in brain.checkup.check() if finding.fault] == []
