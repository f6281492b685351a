"""A long random life: every score must still follow from its events, and a check must find nothing broken."""

import random
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
import replay
from conftest import Clock

from clawbrain.brain import Brain
from clawbrain.credit import SIGNALS
from clawbrain.errors import Refused

WORDS = ["ferry", "feed", "timeout", "harbour", "timetable", "release", "login", "cache"]


class Life:
    """One verb after another, whatever comes; refusals are part of it."""

    def __init__(self, brains: Sequence[Brain], clock: Clock, seed: int) -> None:
        self.brains, self.clock, self.rng, self.born = brains, clock, random.Random(seed), 0
        self.brain = brains[0]

    def live(self, operations: int) -> None:
        verbs = [
            (self.search, 30), (self.retrieve, 15), (self.feedback, 25), (self.store, 12), (self.update, 6),
            (self.archive, 4), (self.restore, 3), (self.pin, 2), (self.move, 2), (self.wait, 4), (self.compact, 1),
            (self.undo, 1), (self.purge, 1), (self.again, 2),
        ]  # fmt: skip
        chosen = self.rng.choices([verb for verb, _ in verbs], [often for _, often in verbs], k=operations)
        for verb in chosen:
            self.brain = self.rng.choice(self.brains)
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
        archived = [memory.id for _, memory in self.brain.owner.archived() if memory]
        self.brain.restore(self.rng.choice(archived or ["entity-things-none"]))

    def purge(self) -> None:
        archived = [memory.id for _, memory in self.brain.owner.archived() if memory]
        self.brain.owner.purge(self.rng.choice(archived or ["entity-things-none"]))

    def again(self) -> None:
        """A new memory under an id that was in use before."""
        archived = [memory for _, memory in self.brain.owner.archived() if memory and memory.type == "entity"]
        if archived:
            self.brain.store("entity", self.rng.choice(archived).name, self.text(), category="things")

    def pin(self) -> None:
        self.brain.owner.pin(self.any_id(), self.rng.random() < 0.5)

    def move(self) -> None:
        self.born += 1
        self.brain.owner.move(self.any_id(), f"m{self.born}")

    def wait(self) -> None:
        self.clock.forward(days=self.rng.choice([0.01, 1, 3, 40, -2]))

    def compact(self) -> None:
        self.brain.compaction.compact()

    def undo(self) -> None:
        self.brain.compaction.undo()


@pytest.mark.parametrize("seed", range(3))
def test_after_a_random_life_scores_and_evidence_follow_from_the_events(
    opened: Callable[..., Brain], clock: Clock, seed: int
) -> None:
    brain = opened()
    Life([brain, opened("session-2")], clock, seed).live(400)
    brain.settle()
    signals = [event for event, _ in brain.ledger.events() if event.signal_id]
    assert len(signals) > 100 and {event.event_type for event, _ in brain.ledger.events()} >= {"archive", "restore"}
    assert [finding for finding in brain.checks.check() if finding.fault] == []
    live = replay.live_scores(brain)
    assert {id: replay.scores(brain)[id] for id in live} == pytest.approx(live, abs=1e-9)
    expected, there = replay.evidence(brain), replay.live_evidence(brain)
    assert expected.keys() == there.keys() and there
    for holder, rows in there.items():
        for (kind, x), (known, value) in zip(rows, expected[holder], strict=True):
            assert kind == pytest.approx(known) and x == pytest.approx(value, abs=1e-9), holder


def test_replaying_the_events_gives_the_evidence_to_the_last_digit(opened: Callable[..., Brain], clock: Clock) -> None:
    brain = opened()
    Life([brain, opened("session-2")], clock, seed=7).live(300)
    brain.settle()
    table = "SELECT holder, number, kind, x, at FROM evidence ORDER BY number"
    before = brain.ledger._all(table)
    with brain.deciding():
        brain.ledger.rebuild_evidence()
    assert brain.ledger._all(table) == before and before
