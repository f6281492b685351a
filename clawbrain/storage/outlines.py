"""Read outlines from the index: memories without their texts, chosen by their headers.

A session waits for its briefing, so of a large store only the rows that may stand in one are read.
"""

import json
from collections.abc import Collection
from typing import Any

from ..memory.model import Memory
from . import index_schema
from .sqlite import SqliteFile

_OUTLINE = index_schema.MEMORY.replace("content", "''")


def standing_out(db: SqliteFile, category: str, words: Collection[str], tags: Collection[str]) -> list[Memory]:
    """Return every pinned memory, every entity of a category, every entity that one of these words names (by its file,
    its category or a tag), and every episode with one of the tags.

    A word or a tag may also match more than it should; the caller looks closer. All is found in one pass over the rows.
    """
    conditions, values = ["pinned", "(type = 'entity' AND category = ?)"], [category]
    for word in words:
        conditions.append("(type = 'entity' AND (path LIKE ? ESCAPE '!' OR category = ? OR tags LIKE ? ESCAPE '!'))")
        values += [f"%/{_literal(word)}%", word, f'%"{_literal(word)}"%']
    for tag in tags:
        conditions.append("(type = 'episode' AND tags LIKE ? ESCAPE '!')")
        values.append(f'%"{_literal(tag)}"%')
    return _outlines(db, f"({' OR '.join(conditions)})", *values)


def latest(db: SqliteFile, type: str, by: str, limit: int) -> list[Memory]:
    """Return the memories of a type that were created or updated last; `by` is the name of that column."""
    order = {"created": "created DESC", "updated": "updated DESC, id DESC"}[by]  # as the table's indexes have them
    query = f"SELECT {_OUTLINE} FROM memories WHERE served = 1 AND type = ? ORDER BY {order} LIMIT ?"
    return [index_schema.memory_of(row) for row in db.all(query, type, limit)]


def outlines(db: SqliteFile, ids: Collection[str]) -> list[Memory]:
    """Return the memories of these ids without their texts; an id that is not served is left out."""
    return _outlines(db, "id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))


def _outlines(db: SqliteFile, condition: str, *values: Any) -> list[Memory]:
    rows = db.all(f"SELECT {_OUTLINE} FROM memories WHERE served AND {condition}", *values)
    return [index_schema.memory_of(row) for row in rows]


def _literal(word: str) -> str:
    """Return a word for LIKE, which reads some characters as wildcards."""
    return word.replace("!", "!!").replace("%", "!%").replace("_", "!_")
