"""The same tests, short on every change and long in `make torture`; and the figures they found."""

import json
import os
import time
from pathlib import Path
from typing import TypeVar

LONG = "TORTURE" in os.environ
Choice = TypeVar("Choice")


def times(short: Choice, long: Choice) -> Choice:
    return long if LONG else short


def figure(what: str, **numbers: float | str) -> None:
    """Something worth telling, for the report at the end of a long run."""
    if found := os.environ.get("TORTURE_FIGURES"):
        with Path(found).open("a") as file:
            file.write(json.dumps({"what": what, **numbers}) + "\n")


def percentile(values: list[float], part: float) -> float:
    """In milliseconds."""
    return round(sorted(values)[min(len(values) - 1, int(len(values) * part))] * 1000, 1)


class Stopwatch:
    def __enter__(self) -> "Stopwatch":
        self.begun = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self.begun
