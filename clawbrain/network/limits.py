"""Count what each token asks at once and in a time, and refuse more. Each process counts for itself."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..profiles.shared.endpoints import HttpFault

AT_ONCE, AT_ONCE_IN_ALL = 64, 256
STREAMS, STREAMS_IN_ALL = 128, 2_000


class Limits:
    """Counts the calls of each token that are under way, and those of the last while."""

    def __init__(self, rate: tuple[int, float] | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._under_way: Counter[str] = Counter()
        self._streams: Counter[str] = Counter()
        self._rate, self._clock = rate, clock
        self._left: dict[str, tuple[float, float]] = {}  # by token: how many calls it may make, and when that was

    @contextmanager
    def one_call(self, token: str) -> Iterator[None]:
        """Count a call while it is under way. Raises HttpFault 503 where there are too many."""
        with _counted(self._under_way, token, AT_ONCE, AT_ONCE_IN_ALL, "calls are under way"):
            yield

    @contextmanager
    def one_stream(self, token: str) -> Iterator[None]:
        """Count a stream while it is open. Raises HttpFault 503 where there are too many."""
        with _counted(self._streams, token, STREAMS, STREAMS_IN_ALL, "streams are open"):
            yield

    def count(self, token: str) -> None:
        """Count a request of a token. Raises HttpFault 429 where it has made more than it may."""
        if self._rate is None:
            return
        most, seconds = self._rate
        now = self._clock()
        left, at = self._left.get(token, (float(most), now))
        left = min(float(most), left + (now - at) * most / seconds)
        if left < 1:
            wait = max(1, round((1 - left) * seconds / most + 0.5))
            self._left[token] = (left, now)
            raise HttpFault(429, "", f"too many requests with this token: try again in {wait} s.", retry_after=wait)
        self._left[token] = (left - 1, now)
        if len(self._left) > 10_000:  # those that are full again say nothing
            self._left = {name: row for name, row in self._left.items() if now - row[1] < seconds}


@contextmanager
def _counted(counter: Counter[str], token: str, most: int, most_in_all: int, what: str) -> Iterator[None]:
    if counter[token] >= most or counter.total() >= most_in_all:
        raise HttpFault(503, "", f"too many {what}: try again in a moment.", retry_after=1)
    counter[token] += 1
    try:
        yield
    finally:
        counter[token] -= 1
        if not counter[token]:
            del counter[token]
