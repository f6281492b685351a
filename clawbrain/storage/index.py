"""The index: the fingerprints of the files, their words and their faults. It can be rebuilt from the files.

index.db may be deleted at any time, even under a running process: a database that is missing, broken, of another
version or from before the last boot is replaced by an empty one, `fingerprints()` is then empty, and the next scan
fills it again. So nothing here waits for the disk, and no error of this database reaches a caller.

This module takes files in and answers queries about them; what a search by words asks is in its base class,
`Candidates`. storage/cache opens and replaces the database, storage/index_schema has its tables, storage/embeddings
keeps the vectors. Ranking is in search/.
"""

import functools
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from ..memory.model import Fingerprint, Memory, make_id, place
from ..semantic import Likeness
from . import index_schema, vectors
from .cache import CacheFile, healing
from .candidates import Candidates
from .outlines import Outlines

if TYPE_CHECKING:
    from ..search.question import Question
    from .embeddings import Meaning

FILE = "index.db"
MOST_STALE = 200  # so many vectors of memories that are gone are tolerated; with more the file is made again

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as the last scan read it: the memory it holds, or its fault."""

    path: str
    fingerprint: Fingerprint
    digest: str
    memory: Memory | None
    fault: str = ""


class Index(Candidates, Outlines):
    """The index of one home."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        schema, version = index_schema.SCHEMA, index_schema.VERSION
        path, vectors_file = folder / FILE, [vectors.FILE]
        super().__init__(
            CacheFile(
                path,
                schema,
                version,
                read_only=read_only,
                called="the index",
                deleted_with=vectors_file,
                held=lambda: self.warnings.append(
                    "another program holds the index: this was answered from the files alone."
                ),
            )
        )
        self.warnings: list[str] = []

    @functools.cached_property
    def _meaning(self) -> "Meaning":
        from .embeddings import Meaning  # needs the extra [semantic]

        return Meaning(self._db, self._telling, lambda sentence: self.warnings.append(sentence))

    @property
    def openings(self) -> int:
        """Return how often the database was opened; each time it may have been empty."""
        return self._db.openings

    def close(self) -> None:
        self._db.close()

    def refresh(self) -> None:
        """Begin again with the database that is there now, if this one was replaced, deleted or found broken.

        Called at the beginning of a piece of work, all of which then reads one and the same database.
        """
        self._db.refresh()

    def renew(self) -> None:
        """Begin again with an empty database, because deleted rows leave their words in its free pages."""
        self._db.renew()

    # Files

    @healing
    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Return every file as of the last scan, broken ones too. The caller must not change the mapping."""
        return self._db.remember("fingerprints", self._read_fingerprints)

    def _read_fingerprints(self) -> dict[str, Fingerprint]:
        rows = self._db.all("SELECT path, size, mtime_ns, ctime_ns, inode FROM files")
        return {path: Fingerprint(*rest) for path, *rest in rows}

    @healing
    def known(self, paths: Collection[str]) -> dict[str, Fingerprint]:
        """Return the fingerprints of a few files; reading all of them again after every change would take long."""
        if not paths:
            return {}
        query = "SELECT path, size, mtime_ns, ctime_ns, inode FROM files WHERE path IN (SELECT value FROM json_each(?))"
        return {path: Fingerprint(*rest) for path, *rest in self._db.all(query, json.dumps(list(paths)))}

    @healing
    def put(self, seen: Collection[Seen], gone: Collection[str] = ()) -> None:
        """Take in changed files, remove those that are gone, and decide which file serves an id that several claim."""
        by_path = {each.path: each for each in seen}
        changed = {*gone, *by_path}
        if not changed:
            return
        self._db.forget()
        with self._db.writing():
            counts = Counter[str]()
            touched = self._forget(changed, counts)
            rows = self._take_in(by_path.values())
            touched.update(memory.id for memory in rows.values())
            for id in sorted(touched):
                self._settle(id, rows, counts)
            self._count(counts)

    @healing
    def digest(self, path: str) -> str:
        """Return the hash of a file's bytes as of the last scan, or '' for an unknown file."""
        return str(self._db.one("SELECT digest FROM files WHERE path = ?", path) or "")

    @healing
    def faults(self) -> list[tuple[str, str]]:
        """Return the files that are left out, each with the reason: it is broken, or another file owns its id."""
        broken = self._db.all("SELECT path, fault FROM files WHERE fault <> ''")
        losers = self._db.all("SELECT path, id FROM memories WHERE NOT served")
        return sorted([*broken, *((path, self._rivalry(path, id)) for path, id in losers)])

    def _rivalry(self, path: str, id: str) -> str:
        others = self._db.all("SELECT path FROM memories WHERE id = ? AND path <> ? ORDER BY path", id, path)
        return f"its id '{id}' is also that of {', '.join(other for (other,) in others)}: give one another id"

    @healing
    def last_scan(self) -> tuple[float, float]:
        """Return when the files were last scanned and how many seconds that took; (0, 0) for a new index."""
        kept = self._db.one("SELECT value FROM meta WHERE key = 'look'")
        when, cost = json.loads(kept) if kept else (0.0, 0.0)
        return float(when), float(cost)

    @healing
    def set_last_scan(self, when: float, cost: float) -> None:
        """Note when a scan was made and how many seconds it took."""
        with self._db.writing():
            self._db.do("INSERT OR REPLACE INTO meta VALUES ('look', ?)", json.dumps([when, cost]))

    @healing
    def state(self) -> tuple[int, int]:
        """Return a value that changes when another process writes, or when the index is begun anew."""
        return int(self._db.one("PRAGMA data_version")), self._db.openings

    # Memories

    @healing
    def get(self, id: str) -> Memory | None:
        return self._memory("id = ? AND served", id)

    @healing
    def named(self, name: str) -> list[Memory]:
        """Return the memories of this name, in small or capital letters, by id."""
        query = f"SELECT {index_schema.MEMORY} FROM memories WHERE served AND name = ? COLLATE NOCASE ORDER BY id"
        return [index_schema.memory_of(row) for row in self._db.all(query, name)]

    @healing
    def several(self, ids: Collection[str]) -> dict[str, Memory]:
        """Return the memories of these ids, without those that are not served."""
        query = f"SELECT {index_schema.MEMORY} FROM memories WHERE served AND id IN (SELECT value FROM json_each(?))"
        found = map(index_schema.memory_of, self._db.all(query, json.dumps(list(ids))))
        return {memory.id: memory for memory in found}

    @healing
    def at(self, path: str) -> Memory | None:
        """Return the memory that the file at this path serves, or None."""
        row = self._db.one("SELECT row FROM files WHERE path = ?", path)
        return self._memory("row = ? AND served", row)

    def memories(self, type: str | None = None) -> Iterator[Memory]:
        """Yield all served memories in the order of ids; they are read in pages, as a store need not fit in memory."""
        after = ""
        while page := self._page(type, after):
            yield from page
            after = page[-1].id

    @healing
    def _page(self, type: str | None, after: str, size: int = 500) -> list[Memory]:
        kind, values = index_schema.of_type(type)
        query = f"SELECT {index_schema.MEMORY} FROM memories WHERE served {kind} AND id > ? ORDER BY id LIMIT ?"
        return [index_schema.memory_of(row) for row in self._db.all(query, *values, after, size)]

    @healing
    def having(self, key: str, value: str | None = None) -> list[Memory]:
        """Return the memories whose header has an extra key (with just this value, if one is given), by id."""
        where = "json_type(extra, ?1) IS NOT NULL" if value is None else "json_extract(extra, ?1) = ?2"
        query = f"SELECT {index_schema.MEMORY} FROM memories WHERE served AND extra <> '' AND {where} ORDER BY id"
        return [
            index_schema.memory_of(row)
            for row in self._db.all(query, f'$."{key}"', *([] if value is None else [value]))
        ]

    @healing
    def with_wikilinks(self) -> list[Memory]:
        """Return the memories whose text may hold links `[[name]]`, by id."""
        query = f"SELECT {index_schema.MEMORY} FROM memories WHERE served AND instr(content, '[[') ORDER BY id"
        return [index_schema.memory_of(row) for row in self._db.all(query)]

    @healing
    def remember(self, what: str, read: Callable[[], R]) -> R:
        """Return what `read` returns, kept under a name until anybody writes. The caller must not change it."""
        return self._db.remember(what, read)

    @healing
    def linking(self, key: str, targets: Collection[str]) -> list[Memory]:
        """Return the memories whose header has, in the list under a key, a link to one of these targets, by id."""
        query = f"""
            SELECT {index_schema.MEMORY} FROM memories WHERE served AND json_type(nullif(extra, ''), ?1) = 'array'
            AND EXISTS (SELECT 1 FROM json_each(extra, ?1) AS link WHERE link.type = 'object'
                AND json_extract(link.value, '$.target') IN (SELECT value FROM json_each(?2)))
            ORDER BY id
        """
        rows = self._db.all(query, f'$."{key}"', json.dumps(list(targets)))
        return [index_schema.memory_of(row) for row in rows]

    @healing
    def ids(self) -> set[str]:
        return {id for (id,) in self._db.all("SELECT id FROM memories WHERE served")}

    @healing
    def recent(self, type: str | None, limit: int) -> list[Memory]:
        """Return the most recently updated memories, of a type or of all."""
        kind, values = index_schema.of_type(type)
        query = f"SELECT {index_schema.MEMORY} FROM memories WHERE served {kind} ORDER BY updated DESC, id LIMIT ?"
        return [index_schema.memory_of(row) for row in self._db.all(query, *values, limit)]

    @healing
    def count(self, type: str | None = None) -> int:
        kind, values = index_schema.of_type(type)
        return int(self._db.one(f"SELECT count(*) FROM memories WHERE served {kind}", *values))

    # Search by meaning; see Candidates for search by words

    @healing
    def likeness(self, question: "Question") -> Likeness:
        """Return how alike a question and each memory are in meaning. Needs the extra [semantic]."""
        likeness = self._meaning.likeness(question)
        if len(likeness.rows) > self.count() + MOST_STALE:
            self._meaning.forget()
        return likeness

    # Taking in

    def _forget(self, paths: Iterable[str], counts: Counter[str]) -> set[str]:
        """Remove files from the index, and return the ids that they claimed."""
        claimed = set()
        for path in paths:
            row = self._db.one("SELECT row FROM files WHERE path = ?", path)
            self._db.do("DELETE FROM files WHERE path = ?", path)
            if row is not None:
                memory = self._memory("row = ?", row)
                self._unserve(row, counts)
                self._db.do("DELETE FROM memories WHERE row = ?", row)
                claimed |= {memory.id} if memory else set()
        return claimed

    def _take_in(self, seen: Iterable[Seen]) -> dict[int, Memory]:
        """Add files and memories, none of them served yet, and return the memories by their rows."""
        row_before = int(self._db.one("SELECT seq FROM sqlite_sequence WHERE name = 'memories'") or 0)
        rows: dict[int, Memory] = {}
        files = {}
        for each in seen:
            row = None
            if each.memory is not None:
                row_before += 1
                rows[row := row_before] = each.memory
            files[each.path] = (each.path, *each.fingerprint, each.digest, each.fault, row)
        self._db.many("INSERT INTO files VALUES (?,?,?,?,?,?,?,?)", files.values())
        self._db.many(
            f"INSERT INTO memories VALUES ({','.join('?' * 18)})", map(index_schema.row_of, rows.keys(), rows.values())
        )
        return rows

    def _settle(self, id: str, fresh: Mapping[int, Memory], counts: Counter[str]) -> None:
        """Serve, of the files that claim an id, the only one or the one whose path spells the id, and no other."""
        claims = self._db.all("SELECT row, path, served FROM memories WHERE id = ?", id)
        owner = _owner(id, {row: path for row, path, _ in claims})
        for row, _, served in claims:
            if served and row != owner:
                self._unserve(row, counts)
            elif not served and row == owner:
                self._serve(row, fresh.get(row), counts)

    def _serve(self, row: int, memory: Memory | None, counts: Counter[str]) -> None:
        if memory := memory or self._memory("row = ?", row):
            terms = str(self._db.one("SELECT terms FROM memories WHERE row = ?", row))
            exact = index_schema.exact_texts(memory)
            self._db.do("INSERT INTO exact (rowid, name, tags, content) VALUES (?,?,?,?)", row, *exact)
            self._db.do("INSERT INTO stems (rowid, terms) VALUES (?,?)", row, terms)
            self._db.do("UPDATE memories SET served = 1 WHERE row = ?", row)
            self._db.many("INSERT OR IGNORE INTO forms VALUES (?)", [(form,) for form in index_schema.forms_of(exact)])
            counts.update({*terms.split()})

    def _unserve(self, row: int, counts: Counter[str]) -> None:
        if memory := self._memory("row = ? AND served", row):
            terms = str(self._db.one("SELECT terms FROM memories WHERE row = ?", row))
            exact = index_schema.exact_texts(memory)
            columns = "name, tags, content"
            self._db.do(f"INSERT INTO exact (exact, rowid, {columns}) VALUES ('delete', ?,?,?,?)", row, *exact)
            self._db.do("INSERT INTO stems (stems, rowid, terms) VALUES ('delete', ?,?)", row, terms)
            self._db.do("UPDATE memories SET served = 0 WHERE row = ?", row)
            counts.subtract({*terms.split()})

    def _count(self, counts: Counter[str]) -> None:
        """Add these changes to the numbers of memories that hold each word."""
        added = "ON CONFLICT (term) DO UPDATE SET holding = holding + excluded.holding"
        self._db.many(f"INSERT INTO words VALUES (?,?) {added}", counts.items())
        if gone := [(term,) for term, count in counts.items() if count < 0]:
            self._db.many("DELETE FROM words WHERE term = ? AND holding <= 0", gone)

    def _memory(self, where: str, value: Any) -> Memory | None:
        rows = self._db.all(f"SELECT {index_schema.MEMORY} FROM memories WHERE {where}", value)
        return index_schema.memory_of(rows[0]) if rows else None


def _owner(id: str, paths: Mapping[int, str]) -> int | None:
    if len(paths) == 1:
        return next(iter(paths))
    for spelling in (_spelled, _nearly_spelled):
        spellers = [row for row, path in paths.items() if spelling(path) == id]
        if spellers:
            return spellers[0] if len(spellers) == 1 else None
    return None


def _spelled(path: str) -> str:
    type, category, name = place(path)
    return f"{type}-{category}-{name}"


def _nearly_spelled(path: str) -> str:
    return make_id(*place(path))
