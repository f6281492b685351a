"""The tables of index.db, and the conversion of memories to rows and back.

Two full-text tables hold the served memories: `exact` has their words as they stand, for literal matches, `stems`
everything they can be found by. The module `words` makes the words of both. The table `words` counts how many
memories hold each word of `stems`; `forms` has the words that differ from their stem, so that a misspelt one is
recognised. No row number is given twice, since storage/vectors finds the memory of a vector by it.
"""

import json
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from .. import words
from ..memory.model import Memory
from .sqlite import SqliteFile

VERSION = f"11/{unicodedata.unidata_version}"  # increase it when the words made from a text change
SHORTEST_FORM = 4  # letters of the shortest word that a misspelt one may stand for

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INT, mtime_ns INT, ctime_ns INT, inode INT,
    digest TEXT, fault TEXT, row INT) WITHOUT ROWID;
CREATE TABLE memories (
    row INTEGER PRIMARY KEY AUTOINCREMENT, served INT, id TEXT, type TEXT, updated TEXT, path TEXT, category TEXT,
    name TEXT, tags TEXT, created TEXT, pinned INT, extra TEXT, content TEXT,
    terms TEXT, length INT, filed TEXT, called TEXT, says_when INT);
CREATE INDEX memories_by_id ON memories (id);
CREATE INDEX memories_by_date ON memories (served, type, updated, id);
CREATE INDEX memories_by_day ON memories (served, created);
CREATE INDEX memories_by_length ON memories (served, length);
CREATE TABLE words (term TEXT PRIMARY KEY, holding INT) WITHOUT ROWID;
CREATE TABLE forms (word TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE VIRTUAL TABLE exact USING fts5 (name, tags, content, content='', tokenize='ascii');
CREATE VIRTUAL TABLE stems USING fts5 (terms, content='', tokenize='ascii');
"""

MEMORY = "id, type, category, name, path, content, tags, created, updated, pinned, extra"


def served_rows(db: SqliteFile, columns: str, rows: Collection[int]) -> list[Any]:
    """Return these columns of the given rows, without rows that are not served."""
    query = f"SELECT {columns} FROM memories WHERE served AND row IN (SELECT value FROM json_each(?))"
    return db.all(query, json.dumps(list(rows))) if rows else []


def of_type(type: str | None) -> tuple[str, list[str]]:
    """Return the SQL condition for memories of a type, with its values; an empty one for None."""
    return ("", []) if type is None else ("AND type = ?", [type])


def exact_texts(memory: Memory) -> list[str]:
    """Return the three texts of a memory for the table `exact`; the same texts are needed to delete its row."""
    said = (memory.name, " , ".join(memory.tags), memory.content)
    return [" ".join(words.exact_words(words.plain(text))) for text in said]


def forms_of(exact: Iterable[str]) -> set[str]:
    """Return the words of a memory that a misspelt word may stand for and that differ from their stem."""
    written = {word for text in exact for word in text.split(" ") if SHORTEST_FORM <= len(word) <= words.LONGEST_WORD}
    one_of_many = {word[:-1] for word in written if word.endswith("s")}
    return {word for word in written | one_of_many if word.isalpha() and words.terms_of(word) != (word,)}


def row_of(row: int, memory: Memory) -> tuple[Any, ...]:
    """Return a memory as a row of the table `memories`, not served yet."""
    name, tags, content = (words.terms(text) for text in (memory.name, " , ".join(memory.tags), memory.content))
    category = words.terms(memory.category) if memory.type == "entity" else []
    everything = [*name, *tags, *content, *category]
    return (
        row,
        0,
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
        " ".join(everything),
        len(everything),
        " ".join(tags),
        " ".join(tags + name if memory.type == "entity" else tags),
        words.ways_of_saying_when(content),
    )


def memory_of(row: Sequence[Any]) -> Memory:
    """Return the memory of a row with the columns MEMORY."""
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
