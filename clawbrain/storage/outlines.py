"""Read outlines from the index: memories without their texts, chosen by their headers.

A session waits for its briefing, so of a large store only the rows that may stand in one are read.
"""

import json
from collections.abc import Collection
from typing import Any

from ..memory.model import Memory
from . import index_schema
from .cache import CacheFile, healing

_OUTLINE = index_schema.MEMORY.replace("content", "''")


class Outlines:
    """The outlines in one index."""

    _db: CacheFile

    @healing
    def standing_out(self, category: str, words: Collection[str], tags: Collection[str]) -> list[Memory]:
        """Return every pinned memory, every entity of a category, every entity that one of these words names (by its
        file, its category or a tag), and every episode with one of the tags.

        A word or a tag may also match more than it should; the caller looks closer. All is found in one pass.
        """
        conditions, values = ["pinned", "(type = 'entity' AND category = ?)"], [category]
        for word in words:
            conditions.append(
                "(type = 'entity' AND (path LIKE ? ESCAPE '!' OR category = ? OR tags LIKE ? ESCAPE '!'))"
            )
            values += [f"%/{_literal(word)}%", word, f'%"{_literal(word)}"%']
        for tag in tags:
            conditions.append("(type = 'episode' AND tags LIKE ? ESCAPE '!')")
            values.append(f'%"{_literal(tag)}"%')
        return self._outlines(f"({' OR '.join(conditions)})", *values)

    @healing
    def latest(self, type: str, by: str, limit: int) -> list[Memory]:
        """Return the memories of a type that were created or updated last; `by` is the name of that column."""
        # Each is worded so that SQLite reads an index of the table backwards and stops at the limit.
        rows = {"created": "+type = ? ORDER BY created DESC", "updated": "type = ? ORDER BY updated DESC, id DESC"}[by]
        query = f"SELECT {_OUTLINE} FROM memories WHERE served = 1 AND {rows} LIMIT ?"
        return [index_schema.memory_of(row) for row in self._db.all(query, type, limit)]

    @healing
    def counts(self) -> dict[str, int]:
        """Return the number of memories of each type that there is."""
        return dict(self._db.all("SELECT type, count(*) FROM memories WHERE served = 1 GROUP BY type"))

    @healing
    def outlines(self, ids: Collection[str]) -> list[Memory]:
        """Return the memories of these ids, without those that are not served."""
        return self._outlines("id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))

    def _outlines(self, condition: str, *values: Any) -> list[Memory]:
        rows = self._db.all(f"SELECT {_OUTLINE} FROM memories WHERE served AND {condition}", *values)
        return [index_schema.memory_of(row) for row in rows]


def _literal(word: str) -> str:
    """Return a word for LIKE, which reads some characters as wildcards."""
    return word.replace("!", "!!").replace("%", "!%").replace("_", "!_")
