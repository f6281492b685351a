"""A store of the product, filled with a collection's documents, and searches in it.

Only the product's public functions are used. A document becomes the episode `dN`, N being its place in the order of
storing, so that nothing of its name or category can be found by words.
"""

import importlib.util
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.baselines import SHOWN
from bench.collections import Document, Store
from clawbrain import Brain, Memory, open_brain

Search = Callable[[str], list[str]]

START = datetime(2026, 1, 5, 10, tzinfo=UTC)
NOW = START + timedelta(days=7)
_MEMORY, _ROOM = Path("/dev/shm"), 1 << 30  # bytes
SETTLED = 2.2  # seconds: files that were written shortly before a look are read again at the next


@contextmanager
def filled(store: Store) -> Iterator[tuple[Brain, float]]:
    """Fill a temporary home, and yield a brain on it with the time when it was filled.

    A store whose order means something is filled by one session, any other by none. The brain that is yielded has no
    session: its searches leave no trace.
    """
    with temporary_home() as home:
        fill(home, store.documents, session="talk" if store.in_session else None)
        with open_brain(home, clock=lambda: NOW) as brain:
            yield brain, time.monotonic()


@contextmanager
def temporary_home() -> Iterator[Path]:
    """Yield a folder that is gone afterwards; in memory where there is room, because storing waits for the disk."""
    roomy = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM
    with tempfile.TemporaryDirectory(prefix="clawbrain-bench-", dir=_MEMORY if roomy else None) as folder:
        yield Path(folder)


def fill(home: Path, documents: Sequence[Document], session: str | None = None) -> list[str]:
    """Store the documents one after the other, a second apart, and return their ids in the store."""
    with open_brain(home, session=session, clock=lambda: NOW) as brain:
        return [brain.adopt(memory(number, document)).id for number, document in enumerate(documents)]


def memory(number: int, document: Document) -> Memory:
    """Return a document as the memory that the product adopts. It works out id and path by itself."""
    made = (START + timedelta(seconds=number)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Memory("", "episode", made[:7], f"d{number}", "", document.text, document.tags, made, made)


def searching(brain: Brain, documents: Sequence[Document]) -> Search:
    """Return a search that answers with ids of the documents, as the baselines do."""
    return lambda question: originals(documents, [hit.name for hit in brain.search(question, limit=SHOWN).hits])


def originals(documents: Sequence[Document], names: Sequence[str]) -> list[str]:
    """Return the ids of the documents that were stored under the names."""
    return [documents[int(name.removeprefix("d"))].id for name in names]


def by_meaning() -> bool:
    """Return whether searches in this process use the extra [semantic]."""
    return importlib.util.find_spec("wordllama") is not None


def settle(since: float, seconds: float = SETTLED) -> None:
    """Wait until files that were written at `since` count as settled, so that no search reads them once more."""
    time.sleep(max(0.0, since + seconds - time.monotonic()))
