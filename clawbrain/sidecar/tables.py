"""The tables of index.db, and how a memory is written into them and read again.

Two full-text tables hold the served memories: `exact` has their words as they stand, for literal matches,
`stems` everything they can be found by. Both are fed words made by words.py; their texts are not kept twice.
`forms` and `words` count how many memories hold each of the ones and of the others. An episode's row is odd and
an entity's even, so that a search for one type needs no join. No number of a row is given twice: by it vectors.py
knows whose a vector is.
"""

import json
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from .. import words
from ..memory import Memory
from ..relevance.found import Gist
from .throwaway import Throwaway

VERSION = f"8/{unicodedata.unidata_version}"  # a change of the words made means another version
SHORTEST_FORM = 4  # letters of a word that spelling help looks at
GIST = 4_000  # characters of a memory's terms kept for comparing

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INT, mtime_ns INT, ctime_ns INT, inode INT,
    digest TEXT, fault TEXT, row INT) WITHOUT ROWID;
CREATE TABLE memories (
    row INTEGER PRIMARY KEY AUTOINCREMENT, served INT, length INT, asking INT, told INT, gist TEXT, id TEXT, type TEXT,
    updated TEXT, path TEXT, category TEXT, name TEXT, tags TEXT, created TEXT, pinned INT, extra TEXT, content TEXT);
CREATE INDEX memories_by_id ON memories (id);
CREATE INDEX memories_by_date ON memories (served, type, updated, id);
CREATE TABLE words (term TEXT PRIMARY KEY, holding INT) WITHOUT ROWID;
CREATE TABLE forms (term TEXT PRIMARY KEY, holding INT) WITHOUT ROWID;
CREATE INDEX memories_by_length ON memories (served, length);
CREATE VIRTUAL TABLE exact USING fts5 (name, tags, content, content='', tokenize='ascii');
CREATE VIRTUAL TABLE stems USING fts5 (name, tags, content, about, content='', tokenize='ascii');
CREATE VIRTUAL TABLE stems_at USING fts5vocab (stems, 'instance');
"""

MEMORY = "id, type, category, name, path, content, tags, created, updated, pinned, extra"


class Details(NamedTuple):
    """What a search need know of a memory to tell how well it answers."""

    id: str
    updated: str
    length: int  # characters
    gist: Gist
    asking: bool
    told: int  # in so many ways it says when
    tags: frozenset[str]
    made: str  # when: of two dates, one of which may be the file's, the earlier


def details(db: Throwaway, rows: Collection[int]) -> dict[int, Details]:
    columns = "row, id, updated, length, gist, asking, told, tags, min(created, updated)"
    found = served_rows(db, columns, rows)
    return {
        row: Details(id, updated, length, Gist(gist), bool(asking), told, frozenset(json.loads(str(tags))), made)
        for row, id, updated, length, gist, asking, told, tags, made in found
    }


def served_rows(db: Throwaway, columns: str, rows: Collection[int]) -> list[Any]:
    query = f"SELECT {columns} FROM memories WHERE served AND row IN (SELECT value FROM json_each(?))"
    return db.all(query, json.dumps(list(rows))) if rows else []


def of_type(type: str | None) -> tuple[str, list[str]]:
    return ("", []) if type is None else ("AND type = ?", [type])


def odd(type: str) -> int:
    return int(type == "episode")


def parity(type: str | None) -> str:
    return "" if type is None else f"AND rowid % 2 = {odd(type)}"


def texts(memory: Memory) -> tuple[list[str], list[str]]:
    """What the two full-text tables are fed for a memory. The same again takes it out."""
    said = (memory.name, " , ".join(memory.tags), memory.content)
    about = f"{memory.category} {words.date_words(memory.created)}"
    exact = [" ".join(words.exact_words(words.plain(text))) for text in said]
    return exact, [" ".join(words.terms(text)) for text in (*said, about)]


def gist(stems: Sequence[str]) -> str:
    """The first terms of name and content."""
    text = f"{stems[0]} {stems[2]}"
    return text if len(text) <= GIST else text[:GIST].rpartition(" ")[0]


def distinct(exact: Iterable[str], stems: Iterable[str]) -> dict[str, set[str]]:
    """What a memory adds to the tables that count; of words as they stand, those that a misspelt one may mean."""
    written = {word for text in exact for word in text.split(" ") if SHORTEST_FORM <= len(word) <= words.LONGEST_WORD}
    return {
        "words": {term for text in stems for term in text.split(" ") if term},
        "forms": {word for word in written if word.isalpha()},
    }


def row_of(row: int, memory: Memory) -> tuple[Any, ...]:
    return (
        row,
        len(memory.content),
        memory.content.rstrip().endswith(("?", "？")),
        memory.id,
        memory.type,
        memory.updated,
        memory.path,
        memory.category,
        memory.name,
        json.dumps(memory.tags, ensure_ascii=False),
        memory.created,
        memory.pinned,
        json.dumps(dict(memory.extra), ensure_ascii=False) if memory.extra else "",
        memory.content,
    )


def memory_of(row: Sequence[Any]) -> Memory:
    id, type, category, name, path, content, tags, created, updated, pinned, extra = row
    return Memory(
        id=id,
        type=type,
        category=category,
        name=name,
        path=path,
        content=content,
        tags=tuple(json.loads(tags)),
        created=created,
        updated=updated,
        pinned=bool(pinned),
        extra=json.loads(extra) if extra else {},
    )
