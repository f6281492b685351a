"""The part `compaction`: how long a compaction thinks about 10,000 and 100,000 memories before it changes anything."""

import random
import resource
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

from clawbrain import compaction
from clawbrain.credit import Credit
from clawbrain.memory.model import Memory, make_id, stamp
from clawbrain.strategy import Strategy

NOW = datetime(2026, 6, 1, tzinfo=UTC)
KINDS = (*[("episode", "2026-01", "episodes")] * 2, ("entity", "notes", "entities"))
SIZES, TAGS = (10_000, 100_000), (300, 1)  # with many tags, and with one tag on all of them


def report() -> dict[str, Any]:
    """Plan a compaction of each size, print how long it took, and return the seconds."""
    figures = {}
    print(f"{'plan of a compaction':44}seconds   actions")
    for tags in TAGS:
        for size in SIZES:
            memories, credits = store(size, tags)
            began = time.perf_counter()
            plan = compaction.plan(memories, credits, Strategy(), stamp(NOW))
            took = figures[f"{size} memories, {tags} tags"] = time.perf_counter() - began
            counts = ", ".join(f"{n} {kind}" for kind, n in Counter(type(a).__name__ for a in plan.actions).items())
            print(f"  {size:7,} memories, {tags:3} tags {took:20.1f}   {counts}")
    print(f"at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MB")
    return figures


def store(size: int, tags: int) -> tuple[list[Memory], dict[str, Credit]]:
    """Return a year of memories: a third of them entities, each with three bullets and up to four of the tags."""
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
