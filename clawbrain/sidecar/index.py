"""What can be rebuilt from the files: their fingerprints, their words, and what is wrong with them.

index.db may be deleted at any time, also under a running process: whatever is missing, broken, of another
version or from before the last boot is made anew, empty, and `fingerprints()` says so; the next look at the
files fills it again. So nothing here waits for the disk, and no error of this database reaches a caller.

Here is what it is asked, and how it takes files in. How its file is opened and made anew is in throwaway.py, what
stands in it in tables.py; a search looks its words up in wordbook.py, compares by meaning.py, and asking.py tells
how well each memory answers. How a search goes is told in relevance/.
"""

import functools
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from .. import words
from ..memory import Fingerprint, Memory, make_id, place
from ..relevance import weights
from ..relevance.found import Candidate, Found, not_met
from ..relevance.query import Query, ask
from ..semantic import NOTHING
from . import tables, vectors
from .asking import EXPANDED, Asked
from .throwaway import Throwaway
from .wordbook import Wordbook

if TYPE_CHECKING:
    from .meaning import Meaning

FILE = "index.db"
RESCORED = 100  # the best so many by words are looked at closely
MOST_KEPT = 1_000  # memories as they were looked at, between two searches
MOST_TELLING = 16  # terms by which memories on the same matter are looked for
MOST_SHARING = 1_000  # memories that hold one of them
MOST_STALE = 200  # so many vectors of memories that are gone are passed over; with more the file is made anew

P = ParamSpec("P")
R = TypeVar("R")

Counts = dict[str, Counter[str]]  # of tables, how many memories more or less hold each word


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was last looked at: the memory it holds, or what is wrong with it."""

    path: str
    fingerprint: Fingerprint
    digest: str
    memory: Memory | None
    fault: str = ""


def _healing(verb: Callable[Concatenate["Index", P], R]) -> Callable[Concatenate["Index", P], R]:
    """Done once more on a new database when this one turns out to be gone or broken."""

    @functools.wraps(verb)
    def run(index: "Index", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return index._db.healed(functools.partial(verb, index, *args, **kwargs))

    return run


class Index:
    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._db = Throwaway(folder / FILE, tables.SCHEMA, tables.VERSION, read_only=read_only, beside=[vectors.FILE])
        self._words = Wordbook(self._db)
        self.warnings: list[str] = []

    @functools.cached_property
    def _meaning(self) -> "Meaning":
        from .meaning import Meaning  # for those who have the extra

        return Meaning(self._db, self._words.telling, lambda sentence: self.warnings.append(sentence))

    @property
    def openings(self) -> int:
        """Each may have begun with an empty index."""
        return self._db.openings

    def close(self) -> None:
        self._db.close()

    def renew(self) -> None:
        """Begin again, empty: deleted rows leave their words in a database's free pages."""
        self._db.renew()

    # Files

    @_healing
    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Every file as of the last look, broken ones too. Not to be changed by the caller."""
        if self._db.spoilt:
            self._db.renew()
        return self._db.remember("fingerprints", self._read_fingerprints)

    def _read_fingerprints(self) -> dict[str, Fingerprint]:
        rows = self._db.all("SELECT path, size, mtime_ns, ctime_ns, inode FROM files")
        return {path: Fingerprint(*rest) for path, *rest in rows}

    @_healing
    def known(self, paths: Collection[str]) -> dict[str, Fingerprint]:
        """Of a few files: to read all again after every change takes long."""
        if not paths:
            return {}
        query = "SELECT path, size, mtime_ns, ctime_ns, inode FROM files WHERE path IN (SELECT value FROM json_each(?))"
        return {path: Fingerprint(*rest) for path, *rest in self._db.all(query, json.dumps(list(paths)))}

    def put(self, seen: Iterable[Seen], gone: Iterable[str] = ()) -> None:
        """Takes in what the files say now, and decides which file serves an id that several claim."""
        by_path = {each.path: each for each in seen}
        if changed := {*gone, *by_path}:
            self._put(by_path.values(), changed)

    @_healing
    def _put(self, seen: Collection[Seen], changed: Collection[str]) -> None:
        self._db.forget()
        with self._db.writing():
            counts: Counts = defaultdict(Counter)
            touched = self._forget(changed, counts)
            rows = self._take_in(seen)
            touched.update(memory.id for memory in rows.values())
            for id in sorted(touched):
                self._settle(id, rows, counts)
            self._count(counts)

    @_healing
    def digest(self, path: str) -> str:
        return str(self._db.one("SELECT digest FROM files WHERE path = ?", path) or "")

    @_healing
    def faults(self) -> list[tuple[str, str]]:
        """What is left out and why: broken files, and those whose id another file owns."""
        broken = self._db.all("SELECT path, fault FROM files WHERE fault <> ''")
        losers = self._db.all("SELECT path, id FROM memories WHERE NOT served")
        return sorted([*broken, *((path, self._rivalry(path, id)) for path, id in losers)])

    def _rivalry(self, path: str, id: str) -> str:
        others = self._db.all("SELECT path FROM memories WHERE id = ? AND path <> ? ORDER BY path", id, path)
        return f"its id '{id}' is also that of {', '.join(other for (other,) in others)}: give one another id"

    @_healing
    def look(self) -> tuple[float, float]:
        """When the files were last looked at and what that cost, in seconds; (0, 0) for a new index."""
        kept = self._db.one("SELECT value FROM meta WHERE key = 'look'")
        when, cost = json.loads(kept) if kept else (0.0, 0.0)
        return float(when), float(cost)

    @_healing
    def looked(self, when: float, cost: float) -> None:
        with self._db.writing():
            self._db.do("INSERT OR REPLACE INTO meta VALUES ('look', ?)", json.dumps([when, cost]))

    @_healing
    def state(self) -> tuple[int, int]:
        """Another one after another process has written, or after the index was begun anew."""
        if self._db.spoilt:
            self._db.renew()
        return int(self._db.one("PRAGMA data_version")), self._db.openings

    # Memories

    @_healing
    def get(self, id: str) -> Memory | None:
        return self._memory("id = ? AND served", id)

    @_healing
    def several(self, ids: Collection[str]) -> dict[str, Memory]:
        """Those of these that are served."""
        query = f"SELECT {tables.MEMORY} FROM memories WHERE served AND id IN (SELECT value FROM json_each(?))"
        found = map(tables.memory_of, self._db.all(query, json.dumps(list(ids))))
        return {memory.id: memory for memory in found}

    @_healing
    def at(self, path: str) -> Memory | None:
        row = self._db.one("SELECT row FROM files WHERE path = ?", path)
        return self._memory("row = ? AND served", row)

    def memories(self, type: str | None = None) -> Iterator[Memory]:
        """All served memories by id, a few hundred at a time, so that none of it need fit in memory."""
        after = ""
        while page := self._page(type, after):
            yield from page
            after = page[-1].id

    @_healing
    def _page(self, type: str | None, after: str, size: int = 500) -> list[Memory]:
        kind, values = tables.of_type(type)
        query = f"SELECT {tables.MEMORY} FROM memories WHERE served {kind} AND id > ? ORDER BY id LIMIT ?"
        return [tables.memory_of(row) for row in self._db.all(query, *values, after, size)]

    @_healing
    def having(self, key: str, value: str | None = None) -> list[Memory]:
        """The memories whose header has a further key, or has it with just this value."""
        where = "json_type(extra, ?1) IS NOT NULL" if value is None else "json_extract(extra, ?1) = ?2"
        query = f"SELECT {tables.MEMORY} FROM memories WHERE served AND extra <> '' AND {where} ORDER BY id"
        return [tables.memory_of(row) for row in self._db.all(query, f'$."{key}"', *([] if value is None else [value]))]

    @_healing
    def ids(self) -> set[str]:
        return {id for (id,) in self._db.all("SELECT id FROM memories WHERE served")}

    @_healing
    def recent(self, type: str | None, limit: int) -> list[Memory]:
        kind, values = tables.of_type(type)
        query = f"SELECT {tables.MEMORY} FROM memories WHERE served {kind} ORDER BY updated DESC, id LIMIT ?"
        return [tables.memory_of(row) for row in self._db.all(query, *values, limit)]

    @_healing
    def count(self, type: str | None = None) -> int:
        kind, values = tables.of_type(type)
        return int(self._db.one(f"SELECT count(*) FROM memories WHERE served {kind}", *values))

    # Search

    @_healing
    def candidates(self, text: str, type: str | None = None, *, by_meaning: bool = False) -> Found:
        query = ask(text)
        likeness = self._meaning.likeness(query) if by_meaning and not query.empty else NOTHING
        with self._db.reading():
            if query.empty:
                return self._newest(query, type)
            literal = self._words.literal(query, type)
            asked = self._words.asked(query, type, widely=not literal)
            asked.likeness = likeness
            best = asked.best(RESCORED)
            near = self._near(asked, type, weights.SURE if literal else weights.ALIKE)
            total = self._words.matching(asked, literal, type, near)
            candidates = asked.candidates(self._details({*best, *near}), literal)
            others = tables.served_rows(self._db, "id, updated, row", literal.keys() - {*best, *near})
        literally = {id: Candidate(id, updated, not_met(row), literal[row]) for id, updated, row in others}
        return Found(
            query,
            candidates,
            total,
            self.several,
            type,
            weights=asked.weights,
            whole=asked.whole,
            telling=self.telling,
            alone=self._words.corpus().idf(1),
            more=functools.partial(self._beside, asked),
            page=functools.partial(self._page_of, asked),
            closely=functools.partial(self._closely, asked),
            literally=literally,
        )

    @_healing
    def _beside(self, asked: Asked, ids: Collection[str]) -> dict[str, Candidate]:
        """Those of these memories that match, however weakly."""
        return asked.candidates(self._details([row for row in self._rows(ids) if asked.matches(row)]), {})

    @_healing
    def _closely(self, asked: Asked, ids: Collection[str]) -> dict[str, Candidate]:
        return asked.candidates(self._details(self._rows(ids)), {})

    def _rows(self, ids: Collection[str]) -> list[int]:
        query = "SELECT row FROM memories WHERE served AND id IN (SELECT value FROM json_each(?))"
        return [row for (row,) in self._db.all(query, json.dumps(list(ids)))]

    @_healing
    def _page_of(self, asked: Asked, number: int, size: int = 500) -> list[str]:
        rows = asked.ranked[number * size : (number + 1) * size]
        return [id for (id,) in tables.served_rows(self._db, "id", rows)]

    @_healing
    def telling(self, terms: Collection[str]) -> Mapping[str, float]:
        return self._words.telling(terms)

    @_healing
    def sharing(self, text_terms: Collection[str], type: str | None, limit: int) -> list[Memory]:
        """Return the served memories of a type that share the most telling words with these terms, best first."""
        known = "SELECT term, holding FROM words WHERE term IN (SELECT value FROM json_each(?)) ORDER BY holding, term"
        terms = _most_telling(self._db.all(known, json.dumps(list(text_terms))))
        if not terms:
            return []
        near = f"SELECT rowid, rank FROM stems WHERE stems MATCH ? {tables.parity(type)} ORDER BY rank, rowid LIMIT ?"
        query = f"SELECT {tables.MEMORY} FROM ({near}) AS near JOIN memories ON row = near.rowid WHERE served"
        return [tables.memory_of(row) for row in self._db.all(f"{query} ORDER BY rank, row", _any(terms), limit)]

    def _newest(self, query: Query, type: str | None, most: int = 100) -> Found:
        newest = self.recent(type, most)
        candidates = {m.id: Candidate(m.id, m.updated, 0) for m in newest}
        return Found(query, candidates, self.count(type), self.several, type)

    def _details(self, rows: Collection[int]) -> dict[int, tables.Details]:
        """What is known of these memories, as far as they are served."""
        kept: dict[int, tables.Details] = self._db.remember("details", dict)
        if len(kept) > MOST_KEPT:
            kept.clear()
        kept |= tables.details(self._db, [row for row in rows if row not in kept])
        return {row: kept[row] for row in sorted(rows) if row in kept}

    def _near(self, asked: Asked, type: str | None, floor: float) -> list[int]:
        """The memories most like the query in meaning, the nearest first."""
        ranked = asked.likeness.above(floor, None if type is None else tables.odd(type))
        found: list[int] = []
        for start in range(0, len(ranked), EXPANDED):
            page = ranked[start : start + EXPANDED]
            served = self._details(page)
            found += [row for row in page if row in served]
            if len(found) >= EXPANDED:
                break
            if start > MOST_STALE:
                self._meaning.forget()
        words_match = asked.own_rows or asked.strays
        if not (words_match or asked.likeness.of(next(iter(found), 0)) >= weights.SURE):
            return []
        asked.nearest = ranked
        return found[:EXPANDED]

    # Taking in

    def _forget(self, paths: Iterable[str], counts: Counts) -> set[str]:
        """Takes files out; answers the ids they claimed."""
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
        """Writes files and memories down, none of them served yet."""
        number = int(self._db.one("SELECT seq FROM sqlite_sequence WHERE name = 'memories'") or 0) >> 1
        rows: dict[int, Memory] = {}
        files = {}
        for each in seen:
            row = None
            if each.memory is not None:
                number += 1
                row = number << 1 | tables.odd(each.memory.type)
                rows[row] = each.memory
            files[each.path] = (each.path, *each.fingerprint, each.digest, each.fault, row)
        self._db.many("INSERT INTO files VALUES (?,?,?,?,?,?,?,?)", files.values())
        places = "(?,0,?,?,0,'',?,?,?,?,?,?,?,?,?,?,?)"
        self._db.many(f"INSERT INTO memories VALUES {places}", map(tables.row_of, rows.keys(), rows.values()))
        return rows

    def _settle(self, id: str, fresh: Mapping[int, Memory], counts: Counts) -> None:
        """Of the files that claim an id serves the one whose path spells it; a lone one always."""
        claims = self._db.all("SELECT row, path, served FROM memories WHERE id = ?", id)
        owner = _owner(id, {row: path for row, path, _ in claims})
        for row, _, served in claims:
            if served and row != owner:
                self._unserve(row, counts)
            elif not served and row == owner:
                self._serve(row, fresh.get(row), counts)

    def _serve(self, row: int, memory: Memory | None, counts: Counts) -> None:
        if memory := memory or self._memory("row = ?", row):
            exact, stems = tables.texts(memory)
            self._db.do("INSERT INTO exact (rowid, name, tags, content) VALUES (?,?,?,?)", row, *exact)
            self._db.do("INSERT INTO stems (rowid, name, tags, content, about) VALUES (?,?,?,?,?)", row, *stems)
            gist = tables.gist(stems)
            told = words.times_told(gist.split())
            self._db.do("UPDATE memories SET served = 1, gist = ?, told = ? WHERE row = ?", gist, told, row)
            for table, found in tables.distinct(exact, stems).items():
                counts[table].update(found)

    def _unserve(self, row: int, counts: Counts) -> None:
        if memory := self._memory("row = ? AND served", row):
            exact, stems = tables.texts(memory)
            columns, places = "rowid, name, tags, content", "'delete', ?,?,?,?"
            self._db.do(f"INSERT INTO exact (exact, {columns}) VALUES ({places})", row, *exact)
            self._db.do(f"INSERT INTO stems (stems, {columns}, about) VALUES ({places},?)", row, *stems)
            self._db.do("UPDATE memories SET served = 0 WHERE row = ?", row)
            for table, found in tables.distinct(exact, stems).items():
                counts[table].subtract(found)

    def _count(self, counts: Counts) -> None:
        """Keeps the number of memories that hold each word."""
        for table, each in counts.items():
            added = "ON CONFLICT (term) DO UPDATE SET holding = holding + excluded.holding"
            self._db.many(f"INSERT INTO {table} VALUES (?,?) {added}", each.items())
            if gone := [(term,) for term, count in each.items() if count < 0]:
                self._db.many(f"DELETE FROM {table} WHERE term = ? AND holding <= 0", gone)

    def _memory(self, where: str, value: Any) -> Memory | None:
        rows = self._db.all(f"SELECT {tables.MEMORY} FROM memories WHERE {where}", value)
        return tables.memory_of(rows[0]) if rows else None


def _most_telling(known: Sequence[tuple[str, int]]) -> list[str]:
    """Return the few rarest of the terms, as long as not too many memories hold them.

    A term that one memory holds comes last: it is mostly the one whose text is asked with.
    """
    rarest = [pair for pair in known if pair[1] > 1] + [pair for pair in known if pair[1] == 1]
    told: list[str] = []
    rows = 0
    for term, holding in rarest[:MOST_TELLING]:
        rows += holding
        if told and rows > MOST_SHARING:
            break
        told.append(term)
    return told


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


def _any(terms: Iterable[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)
