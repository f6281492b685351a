"""What credit does and what tidying costs: `python -m bench.credit`. Seconds, not minutes.

How many signals carry a memory up and down, and how long a compaction thinks about 10,000 and 100,000 memories:
with many tags, and with one tag on all of them.
"""

import random
import resource
import time
from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from clawbrain import compaction
from clawbrain.credit import SIGNALS, START, Balance, Credit, learn
from clawbrain.memory import Memory, make_id, stamp
from clawbrain.strategy import Strategy

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ONE = "one"
KINDS = (*[("episode", "2026-01", "episodes")] * 2, ("entity", "notes", "entities"))


def signals_until(signal: str, bound: float, others: int = 0, used: Collection[str] = ()) -> int:
    """How often it must be said, of a fresh memory in a fresh store, in turns that show others too."""
    scores, balance, times = {ONE: START, **{f"other-{n}": START for n in range(others)}}, Balance(), 0
    while (scores[ONE] <= bound) if SIGNALS[signal] > 0 else (scores[ONE] >= bound):
        scores |= learn(scores, SIGNALS[signal], used, balance).scores
        balance, times = balance.after(SIGNALS[signal]), times + 1
    return times


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
    print("signals until                      task_completed > .7   user_correction < .2")
    for shown, others, used in (("alone", 0, ()), ("among five", 4, ()), ("among five, named", 4, (ONE,))):
        up, down = signals_until("task_completed", 0.7, others, used), signals_until("user_correction", 0.2, others)
        print(f"  {shown:32} {up:20} {down:22}")
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
