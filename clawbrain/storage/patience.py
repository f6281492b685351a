"""How long the operation at hand may wait for what another process holds.

A writer is patient: each lock has a patience of its own. A reader is in a hurry: all its waiting together has a
deadline, after which it answers from the files and from the rows that were last readable.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def hurried(seconds: float) -> Iterator[None]:
    """Let all waiting within the block take at most so many seconds. Within another hurry the earlier end counts."""
    outer, own = _deadline.get(), time.monotonic() + seconds
    token = _deadline.set(own if outer is None else min(outer, own))
    try:
        yield
    finally:
        _deadline.reset(token)


def hurry() -> float | None:
    """Return the time at which the waiting of this operation must end, which also identifies it; None for a writer."""
    return _deadline.get()


def left(patience: float) -> float:
    """Return how many seconds may be waited now by somebody who has this patience."""
    deadline = _deadline.get()
    return patience if deadline is None else max(0.0, min(patience, deadline - time.monotonic()))
