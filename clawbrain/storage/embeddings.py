"""The vectors of the memories in the index: made at the first search by meaning, kept, and compared with a query's.

Other processes make them too. A memory's row number in the index is given once, and a memory that changes gets a
higher one, so the highest number whose vectors are kept tells which memories still need theirs.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

from .. import semantic
from ..search.question import Question
from ..semantic import NOTHING, Likeness, Meanings
from .cache import CacheFile
from .sqlite import is_busy
from .vectors import FILE, NO_VECTORS, Vectors, VectorsState

PATIENCE = 0.8  # seconds that a search spends on making missing vectors; the next search goes on
LEARNT_AT_ONCE = 100
FEW = 1_000  # from so many vectors on, and at each doubling, those of memories that are gone are counted


class Meaning:
    """The vectors of one index's memories, made where they are missing, and compared with a question."""

    def __init__(
        self,
        db: CacheFile,
        telling: Callable[[Collection[str]], Mapping[str, float]],
        warn: Callable[[str], None],
    ) -> None:
        self._db, self._telling, self._warn = db, telling, warn
        self._meanings: Meanings | None = None
        self._vectors: Vectors | None = None
        self._opening = 0  # `openings` of the database that they belong to
        self._crowded = False  # with vectors of memories that are gone
        self._compares = self._keeps = True  # False once it has failed; keeping is tried again with another database

    def forget(self) -> None:
        """Remove the vectors of memories that are gone, which have become many, at the next search."""
        self._crowded = True

    def likeness(self, query: Question) -> Likeness:
        """Return how alike in meaning the query and each memory are, or NOTHING where that cannot be found out."""
        if not self._compares:
            return NOTHING
        try:
            asked = semantic.asked(query.read, self._telling)
            meanings = self._learnt()
            return meanings.like(asked, self._vectors.records() if meanings.upto and self._vectors else ())
        except (sqlite3.Error, json.JSONDecodeError) as error:
            if is_busy(error):
                raise
            self._db.spoilt, self._meanings = True, None
            return NOTHING
        except Exception as error:  # any error of the model or the tokenizer: search goes on by words
            self._compares, self._meanings = False, None
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            self._warn(f"search goes by words alone: the extra [semantic] failed ({what}); install it again.")
            return NOTHING

    def _learnt(self) -> Meanings:
        """Return the vectors of the memories: those kept, and those made now within PATIENCE."""
        if self._meanings is None or self._opening != self._db.openings:
            self._opening, self._meanings = self._db.openings, Meanings()
            path, self._keeps = self._db.beside(FILE), True
            self._vectors = Vectors(path, semantic.record()) if path else None
        meanings, deadline = self._meanings, time.monotonic() + PATIENCE
        if self._vectors and (self._vectors.touched() or self._untold(meanings.last, 1)):
            self._read_kept(self._vectors, meanings)
        while page := self._untold(meanings.last, LEARNT_AT_ONCE):
            made = []
            for row, text, name, tags in page:
                made.append((row, semantic.vectors_of(text, name, tags)))
                if late := time.monotonic() > deadline:
                    break
            meanings.add(made, made[-1][0])
            self._keep(meanings)
            if late:
                break
        if self._crowded:
            self._crowded = False
            self._keep(meanings, crowded=True)
        return meanings

    def _untold(self, after: int, most: int) -> list[tuple[int, str, str, list[str]]]:
        query = "SELECT row, substr(content, 1, ?), name, tags FROM memories WHERE row > ? ORDER BY row LIMIT ?"
        found = self._db.all(query, semantic.READ, after, most)
        if not all(isinstance(text, str) for _, *told in found for text in told):
            raise sqlite3.DatabaseError("a memory without a text")
        return [(row, text, name, json.loads(tags)) for row, text, name, tags in found]

    def _read_kept(self, vectors: Vectors, meanings: Meanings) -> VectorsState:
        """Read the vectors that this process or another has kept, and return their description."""
        kept = self._kept()
        rows = vectors.rows(kept)
        if rows is None:
            rows, kept = meanings.shared[:0], NO_VECTORS
        meanings.share(rows, kept.upto)
        return kept

    def _kept(self) -> VectorsState:
        """Return what the index says of the vectors that are kept, if the model in use made them."""
        said = self._db.one("SELECT value FROM meta WHERE key = 'vectors'")
        try:
            kept = VectorsState(*json.loads(said)) if said else NO_VECTORS
        except (TypeError, ValueError):
            return NO_VECTORS
        sound = [type(value) for value in kept] == [str, int, int, int, str]
        return kept if sound and kept.table == semantic.model().key else NO_VECTORS

    def _keep(self, meanings: Meanings, *, crowded: bool = False) -> None:
        """Write the vectors down for other and later processes; where that fails, only this process has them."""
        vectors = self._vectors
        if not vectors or not self._keeps:
            if crowded:
                self._meanings = None  # without a file, all vectors are made again
            return
        try:
            with self._db.writing():
                kept, records = self._to_write(vectors, self._read_kept(vectors, meanings), meanings.own, crowded)
                if meanings.last > kept.upto:
                    kept = vectors.grown(kept, records, semantic.model().key, meanings.last)
                    self._db.do("INSERT OR REPLACE INTO meta VALUES ('vectors', ?)", json.dumps(kept))
            self._read_kept(vectors, meanings)
        except FileNotFoundError:  # the file was deleted just now; the next search begins another
            return
        except (sqlite3.OperationalError, OSError) as error:
            if is_busy(error):
                return
            if isinstance(error, sqlite3.Error) and error.sqlite_errorcode != sqlite3.SQLITE_FULL:
                raise
            self._keeps = False
            self._warn(
                f"what search by meaning needs could not be kept in .clawbrain ({_briefly(error)}): see that it may be "
                "written there and that there is room."
            )

    def _to_write(self, vectors: Vectors, kept: VectorsState, own: Any, crowded: bool) -> tuple[VectorsState, Any]:
        """Return what to write and after which records: our own vectors after those kept, or, where many memories are
        gone, the vectors of all memories that are left, in a new file."""
        import numpy

        if not crowded and _round(kept.records) == _round(kept.records + len(own)):
            return kept, own
        whole = vectors.whole() if kept.mark else own[:0]
        if whole is None:
            return kept, own
        rows = numpy.array([row for (row,) in self._db.all("SELECT row FROM memories")], numpy.int64)
        alive = numpy.concatenate([whole, own])
        alive = alive[numpy.isin(alive["row"], rows)]
        return (NO_VECTORS, alive) if crowded or 2 * len(alive) < len(whole) else (kept, own)


def _round(records: int) -> int:
    """Return a number that grows when it is time to count the records of memories that are gone."""
    return (records // FEW).bit_length()


def _briefly(error: Exception) -> str:
    return error.strerror or "" if isinstance(error, OSError) else str(error)
