"""The part `trace`: how many of our files and functions one store, one search and one compaction enter, once warm.

The second scan of a process sets up the watch on the folders (storage/inotify), so two calls warm a verb up.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import clawbrain
from bench.product import temporary_home
from clawbrain import open_brain
from clawbrain.profiles.clawbrain.tools import Profile

HOUSE = str(Path(clawbrain.__file__).parent)


def report() -> dict[str, Any]:
    """Call each verb three times as the server does, trace the third call, print and return the counts."""
    with temporary_home() as home, open_brain(home, session="trace") as brain:
        tools = Profile(brain)
        verbs: dict[str, Callable[[int], object]] = {
            "store": lambda n: tools.memory_store(
                "entity", f"cache-{n}", f"The cache number {n} evicts with LRU.", "n"
            ),
            "search": lambda n: tools.memory_search(f"how does cache {n} evict?"),
            "compaction": lambda n: tools.memory_compact(),
        }
        figures = {}
        for name, verb in verbs.items():
            for number in (1, 2):
                verb(number)
                brain.settle()
            figures[name] = traced(lambda verb=verb: verb(3))  # type: ignore[misc]
            print(f"{name:12} {figures[name]['files']:3} files, {figures[name]['functions']:4} functions")
    return figures


def traced(call: Callable[[], object]) -> dict[str, int]:
    """Return how many files and functions of the package a call enters."""
    entered: set[tuple[str, str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(HOUSE) and not code.co_name.startswith("<"):
            entered.add((code.co_filename, code.co_qualname, code.co_firstlineno))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return {"files": len({file for file, *_ in entered}), "functions": len(entered)}
