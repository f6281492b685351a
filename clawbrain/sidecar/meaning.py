"""The vectors of the memories in the index: made at the first search by meaning, kept, and compared with a query's.

Other processes make them too. What each has kept is read once, and then kept up with by the numbers of the rows.
"""

import json
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping, Sequence

from .. import semantic
from ..relevance.query import LONGEST_QUERY, Query
from ..semantic import NOTHING, Likeness, Meanings
from .throwaway import Throwaway, is_busy

PATIENCE = 0.8  # seconds that a search spends on vectors that are missing; the next one goes on
LEARNT_AT_ONCE = 100


class Meaning:
    def __init__(
        self,
        db: Throwaway,
        telling: Callable[[Collection[str]], Mapping[str, float]],
        warn: Callable[[str], None],
    ) -> None:
        self._db, self._telling, self._warn = db, telling, warn
        self._meanings: Meanings | None = None
        self._opening = 0  # of the database, in which they were read
        self._compares = self._keeps = True  # until that fails

    def forget(self) -> None:
        """Read them all again."""
        self._meanings = None

    def likeness(self, query: Query) -> Likeness:
        """How alike the query and each memory are; nothing where that cannot be told."""
        if not self._compares:
            return NOTHING
        try:
            asked = semantic.asked(query.text[:LONGEST_QUERY], self._telling)
            return self._learnt().like(asked)
        except sqlite3.Error as error:
            if is_busy(error):
                raise
            self._db.spoilt, self._meanings = True, None
            return NOTHING
        except Exception as error:  # in whatever way the table or the tokenizer is broken: search goes on by words
            self._compares, self._meanings = False, None
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            self._warn(f"search goes by words alone: the extra [semantic] failed ({what}); install it again.")
            return NOTHING

    def _learnt(self) -> Meanings:
        """The vectors of all memories: those kept, and those that are missing, as far as patience goes."""
        if self._meanings is None or self._opening != self._db.openings:
            self._meanings, self._opening = Meanings(), self._db.openings
        meanings, deadline = self._meanings, time.monotonic() + PATIENCE
        if self._untold(meanings.last, 1):
            self._read(meanings)
        while page := self._untold(meanings.last, LEARNT_AT_ONCE):
            made, before = [(row, semantic.vectors_of(text)) for row, text in page], meanings.last
            meanings.add(made, page[-1][0])
            self._keep(made, before)
            if time.monotonic() > deadline:
                break
        return meanings

    def _untold(self, after: int, most: int) -> list[tuple[int, str]]:
        return self._db.all("SELECT row, content FROM memories WHERE row > ? ORDER BY row LIMIT ?", after, most)

    def _read(self, meanings: Meanings) -> None:
        with self._db.reading():
            upto = self._kept_upto()
            if upto > meanings.last:
                query = "SELECT row, vectors FROM meanings WHERE row > ? ORDER BY row"
                kept = self._db.all(query, meanings.last)
                if not all(semantic.fits(vectors) for _, vectors in kept):
                    raise sqlite3.DatabaseError("vectors of another length")
                meanings.add(kept, upto)

    def _kept_upto(self) -> int:
        """Up to which row the vectors of the table in use are kept."""
        kept = self._db.one("SELECT value FROM meta WHERE key = 'meanings'")
        table, upto = json.loads(kept) if kept else ("", 0)
        return int(upto) if table == semantic.model().key else 0

    def _keep(self, made: Sequence[tuple[int, bytes]], after: int) -> None:
        """For other processes and later ones, without a gap; where that fails, this process has them."""
        if not self._keeps:
            return
        try:
            with self._db.writing():
                upto = self._kept_upto()
                if upto < after:
                    return  # somebody began anew, or did not get to keep what came before
                if not upto:
                    self._db.do("DELETE FROM meanings")
                there = "SELECT ?1, ?2 WHERE ?1 > ?3 AND EXISTS (SELECT 1 FROM memories WHERE row = ?1)"
                self._db.many(f"INSERT INTO meanings {there}", [(*each, upto) for each in made])
                kept = json.dumps([semantic.model().key, max(upto, made[-1][0])])
                self._db.do("INSERT OR REPLACE INTO meta VALUES ('meanings', ?)", kept)
        except (sqlite3.OperationalError, OSError) as error:
            if is_busy(error):
                return
            self._keeps = False
            self._warn(
                f"what search by meaning needs could not be kept in .clawbrain ({error}): see that there is room."
            )
