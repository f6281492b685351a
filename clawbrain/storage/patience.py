"""The time that the operation at hand may wait for a lock of another process.

A writer is patient: each lock has a patience of its own. A reader is in a hurry: it may wait for so many seconds in
all, and then answers from the files and from the rows that were last readable. Only waiting counts, not work.

A writer for whom others would wait gives way: until it holds the store it waits only briefly, and is refused with
nothing changed, so that it can try again when the others had their turn.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Hurry:
    """One operation that may not wait long, and the seconds that it still may."""

    def __init__(self, seconds: float) -> None:
        self.left = seconds


class Attempt:
    """One operation that gives way until it has `begun`, and the seconds that it may wait before."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.begun = seconds, False


_attempt: ContextVar[Attempt | None] = ContextVar("attempt", default=None)
_hurry: ContextVar[Hurry | None] = ContextVar("hurry", default=None)


@contextmanager
def hurried(seconds: float) -> Iterator[None]:
    """Let all waiting within the block take at most so many seconds, or what is left of an outer hurry."""
    outer = _hurry.get()
    if outer is not None and outer.left <= seconds:
        yield
        return
    own = Hurry(seconds)
    token = _hurry.set(own)
    try:
        yield
    finally:
        _hurry.reset(token)
        if outer is not None:
            outer.left -= seconds - own.left


@contextmanager
def giving_way(seconds: float) -> Iterator[None]:
    """Let what waits within the block before it holds the store wait for so many seconds only."""
    token = _attempt.set(Attempt(seconds))
    try:
        yield
    finally:
        _attempt.reset(token)


def attempt() -> Attempt | None:
    """Return the attempt of this operation while it has not begun; None for one that does not give way."""
    current = _attempt.get()
    return None if current is None or current.begun else current


def hurry() -> Hurry | None:
    """Return the hurry that this operation is in; None for a writer."""
    return _hurry.get()


def left(patience: float) -> float:
    """Return how many seconds may be waited now by somebody who has this patience."""
    current, trying = _hurry.get(), attempt()
    if trying is not None:
        patience = min(patience, trying.seconds)
    return patience if current is None else min(patience, current.left)


def waited(seconds: float) -> None:
    """Count seconds that were waited."""
    current = _hurry.get()
    if current is not None:
        current.left = max(0.0, current.left - seconds)


def waited_in_vain() -> bool:
    """Return whether this operation is in a hurry, which waits no more after something was not free in time."""
    waited(float("inf"))
    return _hurry.get() is not None
