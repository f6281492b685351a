"""What credit does and what tidying costs: `python -m bench.credit`. Seconds, not minutes.

How many signals carry a memory up and down, and how long a compaction thinks about 10,000 and 100,000 memories:
with many tags, and with one tag on all of them.
"""

import random
import resource
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

from clawbrain import compaction, evidence
from clawbrain.credit import SIGNALS, START, Balance, Credit, Earned, Kind, Shown, for_question, learn, moved, step
from clawbrain.evidence import Change, Row
from clawbrain.memory import Memory, make_id, stamp
from clawbrain.strategy import Strategy

NOW = datetime(2026, 6, 1, tzinfo=UTC)
AT = stamp(NOW)
ONE = "one"
CASES = (("alone", 1, False), ("first of five", 5, False), ("first of five, and named", 5, True))
KINDS = (*[("episode", "2026-01", "episodes")] * 2, ("entity", "notes", "entities"))


class Taught:
    """One question asked again and again in a fresh store; the first of its matches is watched."""

    def __init__(self, shown: int = 1, named: bool = False) -> None:
        ids = [ONE, *(f"other-{n}" for n in range(1, shown))]
        self.kind: Kind = ((ONE, 1.0),)
        self.turn, self.used = Shown(self.kind, ids, ()), {ONE} if named else set()
        self.scores, self.balance = dict.fromkeys(ids, START), Balance()
        self.rows: dict[str, list[Row]] = {id: [] for id in ids}
        self.said = 0

    def signal(self, signal: str) -> None:
        """Say how a turn went."""
        reward = SIGNALS[signal]
        earned = {id: self.earned(id) for id in self.rows}
        for each in learn([self.turn], self.used, earned, self.balance):
            moves = step(reward, each.share, each.expected)
            self.scores[each.id] = moved(self.scores[each.id], moves)
            change = Change(self.said, each.id, signal, AT)
            self.rows[each.id] = evidence.taught(self.rows[each.id], each.kind, moves, change)
        self.balance, self.said = self.balance.after(reward), self.said + 1

    @property
    def credit(self) -> float:
        """The credit of the watched memory for this question."""
        return for_question(self.earned(ONE), self.kind)

    def earned(self, id: str) -> Earned:
        """Return the evidence of a memory; no time passes."""
        return Earned(by_kind=tuple((row.kind, row.x) for row in self.rows[id]))


def signals_until(signal: str, bound: float, shown: int = 1, named: bool = False) -> int:
    """Return how often it must be said until the credit for the question is beyond a bound."""
    taught = Taught(shown, named)
    while (taught.credit <= bound) if SIGNALS[signal] > 0 else (taught.credit >= bound):
        taught.signal(signal)
    return taught.said


def store(size: int, tags: int) -> tuple[list[Memory], dict[str, Credit]]:
    """A year of memories, a third of them entities; every one has three bullets and up to four of the tags."""
    rng = random.Random(size)
    words = [f"word{n}" for n in range(5_000)]
    memories, credits = [], {}
    for n in range(size):
        type, category, folder = rng.choice(KINDS)
        body = "\n".join("- " + " ".join(rng.choices(words, k=8)) for _ in range(3))
        at = stamp(NOW - timedelta(days=rng.random() * 400))
        own = tuple({f"tag-{rng.randrange(tags)}" for _ in range(4)})
        id = make_id(type, category, f"n{n}")
        memories.append(Memory(id, type, category, f"n{n}", f"{folder}/{category}/n{n}.md", body, own, at, at))
        credits[id] = Credit(rng.random(), created=at, touched=at, signals=3, stored_seq=n)
    return memories, credits


def main() -> None:
    print("signals until                              task_completed > .7   user_correction < .2")
    for case, shown, named in CASES:
        up, down = (signals_until(*to, shown, named) for to in (("task_completed", 0.7), ("user_correction", 0.2)))
        print(f"  {case:40} {up:18} {down:22}")
    print("\nplan of a compaction                    seconds   actions")
    for tags in (300, 1):
        for size in (10_000, 100_000):
            memories, credits = store(size, tags)
            began = time.perf_counter()
            plan = compaction.plan(memories, credits, Strategy(), stamp(NOW))
            took = time.perf_counter() - began
            counts = ", ".join(f"{n} {kind}" for kind, n in Counter(type(a).__name__ for a in plan.actions).items())
            print(f"  {size:7,} memories, {tags:3} tags {took:20.1f}   {counts}")
    print(f"\nat most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")


if __name__ == "__main__":
    main()
