"""What can be rebuilt from the files: their fingerprints, their words, and what is wrong with them.

index.db may be deleted at any time, also under a running process: whatever is missing, broken, of another
version or from before the last boot is made anew, empty, and `fingerprints()` says so; the next look at the
files fills it again. So nothing here waits for the disk, and no error of this database reaches a caller.

Two full-text tables hold the served memories: `exact` has their words as they stand, for literal matches,
`stems` everything they can be found by. Both are fed words made by words.py; their texts are not kept twice.
`words` counts how many memories hold each. An episode's row is odd and an entity's even, so that a search for
one type needs no join. No number of a row is given twice: `meanings`, which has the vectors of a memory where the
extra [semantic] is installed, is read once and then kept up with by what has a higher one.

How a search goes is told at the top of relevance.py.
"""

import contextlib
import fcntl
import functools
import json
import os
import sqlite3
import stat
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from .. import disk, relevance, semantic, words
from ..errors import Busy
from ..memory import Fingerprint, Memory, make_id, place
from ..relevance import Candidate, Corpus, Found, Query
from ..semantic import NOTHING, Likeness, Meanings
from ..synonyms import akin

FILE = "index.db"
VERSION = f"3/{unicodedata.unidata_version}"  # a change of the words made means another version
RESCORED = 100  # the best so many by words are looked at closely
COMMON = 10  # a word in more than a tenth of the memories …
SMALL = 2_000  # … and in more than so many only rates what rarer words have found
LITERAL_WORDS = 32  # of a very long query, looked up; the rest is compared as text
LITERAL_READ = 1_000  # memories that hold the words of a query in a row are read, unless there are more
EXPANDED = 50  # the best so many that share no word with the query but a like one are matches too
MOST_KEPT = 200_000  # places of words, in memory between two searches; a tenth as many counts of words
PATIENCE = 2.0  # seconds that a search spends on vectors that are missing; the next one goes on
LEARNT_AT_ONCE = 100
MOST_STALE = 200  # so many vectors of memories that are gone, and all are read again
MOST_SPELT = 6  # unknown words of a query that get spelling help
SHORTEST_SPELT, LONG_TO_SPELL = 5, 7  # letters: one may be wrong, two in longer words
GIST = 4_000  # characters of a memory's terms kept for comparing

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

_SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE files (
    path TEXT PRIMARY KEY, size INT, mtime_ns INT, ctime_ns INT, inode INT,
    digest TEXT, fault TEXT, row INT) WITHOUT ROWID;
CREATE TABLE memories (
    row INTEGER PRIMARY KEY AUTOINCREMENT, served INT, length INT, asking INT, gist TEXT, id TEXT, type TEXT,
    updated TEXT, path TEXT, category TEXT, name TEXT, tags TEXT, created TEXT, pinned INT, extra TEXT, content TEXT);
CREATE INDEX memories_by_id ON memories (id);
CREATE INDEX memories_by_date ON memories (served, type, updated, id);
CREATE TABLE meanings (row INTEGER PRIMARY KEY, vectors BLOB);
CREATE TABLE words (term TEXT PRIMARY KEY, holding INT) WITHOUT ROWID;
CREATE INDEX memories_by_length ON memories (served, length);
CREATE VIRTUAL TABLE exact USING fts5 (name, tags, content, content='', tokenize='ascii');
CREATE VIRTUAL TABLE stems USING fts5 (name, tags, content, about, content='', tokenize='ascii');
CREATE VIRTUAL TABLE stems_at USING fts5vocab (stems, 'instance');
"""

_DETAILS = "row, id, updated, length, gist, asking"
_MEMORY = "id, type, category, name, path, content, tags, created, updated, pinned, extra"

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as it was last looked at: the memory it holds, or what is wrong with it."""

    path: str
    fingerprint: Fingerprint
    digest: str
    memory: Memory | None
    fault: str = ""


def _healing(verb: Callable[Concatenate["Index", P], R]) -> Callable[Concatenate["Index", P], R]:
    """One at a time; and when the database turns out to be gone or broken, once more on a new one."""

    def run(index: "Index", /, *args: P.args, **kwargs: P.kwargs) -> R:
        with index._lock:
            for mend in (index._replace, index._leave_disk):
                try:
                    index._notice_replacement()
                    return verb(index, *args, **kwargs)
                except (sqlite3.DatabaseError, OSError) as error:
                    if _is_busy(error):
                        raise Busy("the index is busy in another process; try again.") from None
                    mend()
            return verb(index, *args, **kwargs)

    functools.update_wrapper(run, verb)
    return run


def _is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Index:
    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        self._folder = folder
        self._path = folder / FILE
        self._lock = threading.RLock()
        self._on_disk = not read_only
        self._identity: tuple[int, int] | None = None
        self._db: sqlite3.Connection | None = None
        self._remembered: dict[str, Any] = {}  # read once, until somebody writes
        self._meanings: Meanings | None = None  # of the database that is open
        self.openings = 0  # each may have begun with an empty database
        self._compares = self._keeps = True  # meanings, until that fails
        self._spoilt = False  # found so in the middle of a search, that went on by words
        self.warnings: list[str] = []

    def close(self) -> None:
        with self._lock:
            self._drop_connection()

    def renew(self) -> None:
        """Begin again, empty: deleted rows leave their words in a database's free pages."""
        with self._lock:
            self._replace()

    # Files

    @_healing
    def fingerprints(self) -> Mapping[str, Fingerprint]:
        """Every file as of the last look, broken ones too. Not to be changed by the caller."""
        if self._spoilt:
            self._spoilt = False
            self._replace()
        return self._remember("fingerprints", self._read_fingerprints)

    def _read_fingerprints(self) -> dict[str, Fingerprint]:
        rows = self._all("SELECT path, size, mtime_ns, ctime_ns, inode FROM files")
        return {path: Fingerprint(*rest) for path, *rest in rows}

    def put(self, seen: Iterable[Seen], gone: Iterable[str] = ()) -> None:
        """Takes in what the files say now, and decides which file serves an id that several claim."""
        by_path = {each.path: each for each in seen}
        if changed := {*gone, *by_path}:
            self._put(by_path.values(), changed)

    @_healing
    def _put(self, seen: Collection[Seen], changed: Collection[str]) -> None:
        self._remembered.clear()
        with self._writing():
            counts: Counter[str] = Counter()
            touched = self._forget(changed, counts)
            rows = self._take_in(seen)
            touched.update(memory.id for memory in rows.values())
            for id in sorted(touched):
                self._settle(id, rows, counts)
            self._count(counts)

    @_healing
    def digest(self, path: str) -> str:
        return str(self._one("SELECT digest FROM files WHERE path = ?", path) or "")

    @_healing
    def faults(self) -> list[tuple[str, str]]:
        """What is left out and why: broken files, and those whose id another file owns."""
        broken = self._all("SELECT path, fault FROM files WHERE fault <> ''")
        losers = self._all("SELECT path, id FROM memories WHERE NOT served")
        return sorted([*broken, *((path, self._rivalry(path, id)) for path, id in losers)])

    def _rivalry(self, path: str, id: str) -> str:
        others = self._all("SELECT path FROM memories WHERE id = ? AND path <> ? ORDER BY path", id, path)
        return f"its id '{id}' is also that of {', '.join(other for (other,) in others)}: give one another id"

    @_healing
    def look(self) -> tuple[float, float]:
        """When the files were last looked at and what that cost, in seconds; (0, 0) for a new index."""
        kept = self._one("SELECT value FROM meta WHERE key = 'look'")
        when, cost = json.loads(kept) if kept else (0.0, 0.0)
        return float(when), float(cost)

    @_healing
    def looked(self, when: float, cost: float) -> None:
        with self._writing():
            self._do("INSERT OR REPLACE INTO meta VALUES ('look', ?)", json.dumps([when, cost]))

    # Memories

    @_healing
    def get(self, id: str) -> Memory | None:
        return self._memory("id = ? AND served", id)

    @_healing
    def at(self, path: str) -> Memory | None:
        row = self._one("SELECT row FROM files WHERE path = ?", path)
        return self._memory("row = ? AND served", row)

    def memories(self, type: str | None = None) -> Iterator[Memory]:
        """All served memories by id, a few hundred at a time, so that none of it need fit in memory."""
        after = ""
        while page := self._page(type, after):
            yield from page
            after = page[-1].id

    @_healing
    def _page(self, type: str | None, after: str, size: int = 500) -> list[Memory]:
        kind, values = _of_type(type)
        query = f"SELECT {_MEMORY} FROM memories WHERE served {kind} AND id > ? ORDER BY id LIMIT ?"
        return [_memory_of(row) for row in self._all(query, *values, after, size)]

    @_healing
    def having(self, key: str, value: str | None = None) -> list[Memory]:
        """The memories whose header has a further key, or has it with just this value."""
        where = "json_type(extra, ?1) IS NOT NULL" if value is None else "json_extract(extra, ?1) = ?2"
        query = f"SELECT {_MEMORY} FROM memories WHERE served AND extra <> '' AND {where} ORDER BY id"
        return [_memory_of(row) for row in self._all(query, f'$."{key}"', *([] if value is None else [value]))]

    @_healing
    def ids(self) -> set[str]:
        return {id for (id,) in self._all("SELECT id FROM memories WHERE served")}

    @_healing
    def recent(self, type: str | None, limit: int) -> list[Memory]:
        kind, values = _of_type(type)
        query = f"SELECT {_MEMORY} FROM memories WHERE served {kind} ORDER BY updated DESC, id LIMIT ?"
        return [_memory_of(row) for row in self._all(query, *values, limit)]

    @_healing
    def count(self, type: str | None = None) -> int:
        kind, values = _of_type(type)
        return int(self._one(f"SELECT count(*) FROM memories WHERE served {kind}", *values))

    # Search

    @_healing
    def candidates(self, text: str, type: str | None = None, *, by_meaning: bool = False) -> Found:
        query = relevance.ask(text)
        likeness = self._likeness(query) if by_meaning and not query.empty else NOTHING
        with self._reading():
            if query.empty:
                return self._newest(query, type)
            literal = self._literal(query, type)
            asked = self._asked(query, type, widely=not literal)
            asked.likeness = likeness
            best = asked.best(RESCORED)
            near = self._near(asked, type)
            total = self._matching(asked, literal, type, near.keys())
            candidates = self._candidates(asked, best, literal)
            for row, (id, *details) in near.items():
                candidates.setdefault(id, asked.candidate(row, id, literal.get(row, 0.0), *details))
        more = functools.partial(self._beside, asked)
        return Found(query, candidates, total, self.get, type, asked.weights, self.rarity, more)

    @_healing
    def _beside(self, asked: "_Asked", ids: Collection[str]) -> dict[str, Candidate]:
        """Those of these memories that match, however weakly."""
        query = f"SELECT {_DETAILS} FROM memories WHERE served AND id IN (SELECT value FROM json_each(?))"
        found = {}
        for row, id, *details in self._all(query, json.dumps(list(ids))):
            if asked.matches(row):
                found[id] = asked.candidate(row, id, 0.0, *details)
        return found

    @_healing
    def rarity(self, terms: Collection[str]) -> dict[str, float]:
        """How much each term tells; those that a single memory holds tell nothing about others."""
        corpus = self._corpus()
        return {term: corpus.idf(count) for term, count in self._held(terms).items() if count > 1}

    @_healing
    def document_frequency(self, word: str) -> int:
        """How many memories hold the word, in any of its forms."""
        terms = words.terms(word)
        held = self._held(terms)
        return min((held.get(term, 0) for term in terms), default=0)

    @_healing
    def holding(self, wanted: Collection[str], type: str | None, limit: int) -> list[Memory]:
        """The memories that share most with these words."""
        terms = dict.fromkeys(term for word in wanted for term in words.terms(word))
        if not terms:
            return []
        query = f"SELECT rowid FROM stems WHERE stems MATCH ? {_parity(type)} ORDER BY rank, rowid LIMIT ?"
        rows = [row for (row,) in self._all(query, _any(terms), limit)]
        return [memory for row in rows if (memory := self._memory("row = ? AND served", row))]

    def _newest(self, query: Query, type: str | None, most: int = 100) -> Found:
        newest = self.recent(type, most)
        candidates = {m.id: Candidate(m.id, m.updated, 0) for m in newest}
        return Found(query, candidates, self.count(type), self.get, type)

    def _corpus(self) -> Corpus:
        return self._remember("corpus", self._read_corpus)

    def _read_corpus(self) -> Corpus:
        size, length = self._all("SELECT count(*), avg(length) FROM memories WHERE served")[0]
        return Corpus(size, length or 1.0)

    def _held(self, terms: Collection[str]) -> dict[str, int]:
        """How many memories hold each of these terms; those that none holds are left out."""
        kept: dict[str, int] = self._remember("held", dict)
        if len(kept) > MOST_KEPT // 10:
            kept.clear()
        if unread := [term for term in terms if term not in kept]:
            query = "SELECT term, holding FROM words WHERE term IN (SELECT value FROM json_each(?))"
            kept |= dict.fromkeys(unread, 0)
            kept |= self._all(query, json.dumps(unread))
        return {term: count for term in terms if (count := kept[term])}

    def _literal(self, query: Query, type: str | None) -> dict[int, float]:
        """How the whole query stands in the memories that hold it."""
        run = words.exact_words(query.plain)
        if not run:
            return {}
        phrase = f'"{" ".join(run[:LITERAL_WORDS])}"' + ("*" if len(run) <= LITERAL_WORDS else "")
        if run == [query.plain]:
            return self._literal_by_table(phrase, type)
        rows = [row for (row,) in self._all(f"SELECT rowid FROM exact WHERE exact MATCH ? {_parity(type)}", phrase)]
        if len(rows) > LITERAL_READ and len(run) <= LITERAL_WORDS:
            return self._literal_by_table(phrase, type)
        found = {}
        for row, name, tags, content in self._rows("row, name, tags, content", rows):
            found[row] = relevance.literal(query.plain, name, json.loads(tags), content)
        return {row: level for row, level in found.items() if level}

    def _literal_by_table(self, phrase: str, type: str | None) -> dict[int, float]:
        """Without reading a text: exact for a single word; of a phrase the table does not know what is between."""
        found: dict[int, float] = {}
        levels = (
            ("name", relevance.LITERAL_IN_NAME),
            ("tags", relevance.LITERAL_IN_TAG),
            ("content", relevance.LITERAL_IN_CONTENT),
        )
        for column, level in levels:
            query = f"SELECT rowid FROM exact WHERE exact MATCH ? {_parity(type)}"
            for (row,) in self._all(query, f"{column} : {phrase}"):
                found.setdefault(row, level)
        return found

    def _asked(self, query: Query, type: str | None, widely: bool) -> "_Asked":
        """The words worth following and where they stand; `widely` with others that mean nearly the same."""
        corpus = self._corpus()
        known = self._held(query.terms)
        spelt = self._spelt([term for term in query.terms if term not in known])
        alike = self._akin(query.terms, corpus, {*known, *spelt}) if widely else {}
        weights = {term: corpus.idf(count) for term, count in known.items()}
        weights |= {term: relevance.SPELT * corpus.idf(count) for term, count in spelt.items()}
        whole = sum(weights.values()) + corpus.idf(0) * max(0, len(query.terms) - len(known) - len(spelt))
        weights |= {term: relevance.AKIN * corpus.idf(count) for term, count in alike.items()}
        places = self._all_places(_telling(corpus, known | spelt | alike), type)
        return _Asked(query, corpus, weights, places, frozenset(alike), whole or 1.0)

    def _spelt(self, unknown: Sequence[str]) -> dict[str, int]:
        """The known words nearest to unknown ones, with how many memories hold them."""
        doubtful = [term for term in unknown if len(term) >= SHORTEST_SPELT and term.isalpha()][:MOST_SPELT]
        nearest = [near for term in doubtful for near in self._nearest(term)]
        return self._held(nearest) if nearest else {}

    def _nearest(self, term: str) -> list[str]:
        from rapidfuzz import process  # only questions with unknown words pay for it
        from rapidfuzz.distance import OSA

        most = 1 if len(term) < LONG_TO_SPELL else 2
        query = "SELECT term FROM words WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
        for first, last in ((term[0], term[0] + "\U0010ffff"), ("", "\U0010ffff")):  # the first letter is seldom wrong
            choices = [each for (each,) in self._all(query, first, last, len(term) - most, len(term) + most)]
            near = process.extract(term, choices, scorer=OSA.distance, score_cutoff=most, limit=5)
            if near:
                return [each for each, distance, _ in near if distance == near[0][1] and each.isalpha()]
        return []

    def _akin(self, terms: Collection[str], corpus: Corpus, known: Collection[str]) -> dict[str, int]:
        others = {other for term in terms for other in akin(term)} - {*known, *terms}
        common = max(SMALL // COMMON, corpus.size // (2 * COMMON))
        return {term: count for term, count in self._held(others).items() if count <= common}

    def _all_places(self, terms: Collection[str], type: str | None) -> dict[str, "_Places"]:
        """Where each term stands; questions share words, so this is kept until somebody writes."""
        kept: dict[tuple[str, str | None], _Places] = self._remember("places", dict)
        found = {term: kept.get((term, type)) or self._places(term, type) for term in terms}
        kept |= {(term, type): places for term, places in found.items()}
        if sum(len(places.frequencies) for places in kept.values()) > MOST_KEPT:
            kept.clear()
        return found

    def _places(self, term: str, type: str | None) -> "_Places":
        weights = {
            "name": relevance.NAME_WEIGHT,
            "tags": relevance.TAG_WEIGHT,
            "content": relevance.CONTENT_WEIGHT,
            "about": relevance.CONTENT_WEIGHT,
        }
        parity = None if type is None else _odd(type)
        frequencies: dict[int, float] = {}
        in_tags: set[int] = set()
        for row, column in self._all("SELECT doc, col FROM stems_at WHERE term = ?", term):
            if parity is None or row & 1 == parity:
                frequencies[row] = frequencies.get(row, 0.0) + weights[column]
                if column == "tags":
                    in_tags.add(row)
        return _Places(frequencies, in_tags)

    def _candidates(self, asked: "_Asked", best: Collection[int], literal: Mapping[int, float]) -> dict[str, Candidate]:
        found = {}
        for row, id, *details in self._rows(_DETAILS, best):
            found[id] = asked.candidate(row, id, literal.get(row, 0.0), *details)
        for row, id, *details in self._rows("row, id, updated, length", literal.keys() - set(best)):
            found[id] = asked.candidate(row, id, literal[row], *details)
        return found

    def _matching(self, asked: "_Asked", literal: Mapping[int, float], type: str | None, near: Collection[int]) -> int:
        """How many memories match at all: by a word or a part of one, by a word that means the same, by meaning."""
        matching = asked.own_rows | literal.keys() | asked.strays.union(near)
        if not asked.passed_over:
            return len(matching)
        rows = _mask(matching)
        for term in asked.passed_over:
            rows |= self._holders(term, type)
        return rows.bit_count()

    def _holders(self, term: str, type: str | None) -> int:
        """The rows of a word in very many memories, as a mask: a search has no time to read them all again."""
        kept: dict[tuple[str, str | None], int] = self._remember("holders", dict)
        if (term, type) not in kept:
            rows = self._all(f"SELECT rowid FROM stems WHERE stems MATCH ? {_parity(type)}", f'"{term}"')
            kept[term, type] = _mask([row for (row,) in rows])
        return kept[term, type]

    # Meaning

    def _likeness(self, query: Query) -> Likeness:
        """How alike the query and each memory are; nothing where that cannot be told."""
        if not self._compares:
            return NOTHING
        try:
            asked = semantic.asked(query.text[: relevance.LONGEST_QUERY], self._telling)
            return self._learnt().like(asked)
        except sqlite3.Error as error:
            if _is_busy(error):
                raise
            self._spoilt, self._meanings = True, None
            return NOTHING
        except Exception as error:  # in whatever way the table or the tokenizer is broken: search goes on by words
            self._compares, self._meanings = False, None
            what = f"{type(error).__name__}: {error}".splitlines()[0]
            self.warnings.append(f"search goes by words alone: the extra [semantic] failed ({what}); install it again.")
            return NOTHING

    def _telling(self, terms: Collection[str]) -> dict[str, float]:
        """How much each word tells, unknown and common ones too."""
        corpus, held = self._corpus(), self._held(terms)
        return {term: corpus.idf(held.get(term, 0)) for term in terms}

    def _learnt(self) -> Meanings:
        """The vectors of all memories: those kept, and those that are missing, as far as patience goes."""
        if self._meanings is None:
            self._meanings = Meanings()
        meanings, deadline = self._meanings, time.monotonic() + PATIENCE
        if self._untold(meanings.last, 1):
            self._read_meanings(meanings)
        while page := self._untold(meanings.last, LEARNT_AT_ONCE):
            made, before = [(row, semantic.vectors_of(text)) for row, text in page], meanings.last
            meanings.add(made, page[-1][0])
            self._keep_meanings(made, before)
            if time.monotonic() > deadline:
                break
        return meanings

    def _untold(self, after: int, most: int) -> list[tuple[int, str]]:
        return self._all("SELECT row, content FROM memories WHERE row > ? ORDER BY row LIMIT ?", after, most)

    def _read_meanings(self, meanings: Meanings) -> None:
        with self._reading():
            upto = self._kept_upto()
            if upto > meanings.last:
                query = "SELECT row, vectors FROM meanings WHERE row > ? ORDER BY row"
                kept = self._all(query, meanings.last)
                if not all(semantic.fits(vectors) for _, vectors in kept):
                    raise sqlite3.DatabaseError("vectors of another length")
                meanings.add(kept, upto)

    def _kept_upto(self) -> int:
        """Up to which row the vectors of the table in use are kept."""
        kept = self._one("SELECT value FROM meta WHERE key = 'meanings'")
        table, upto = json.loads(kept) if kept else ("", 0)
        return int(upto) if table == semantic.model().key else 0

    def _keep_meanings(self, made: Sequence[tuple[int, bytes]], after: int) -> None:
        """For other processes and later ones, without a gap; where that fails, this process has them."""
        if not self._keeps:
            return
        try:
            with self._writing():
                upto = self._kept_upto()
                if upto < after:
                    return  # somebody began anew, or did not get to keep what came before
                if not upto:
                    self._do("DELETE FROM meanings")
                there = "SELECT ?1, ?2 WHERE ?1 > ?3 AND EXISTS (SELECT 1 FROM memories WHERE row = ?1)"
                self._many(f"INSERT INTO meanings {there}", [(*each, upto) for each in made])
                kept = json.dumps([semantic.model().key, max(upto, made[-1][0])])
                self._do("INSERT OR REPLACE INTO meta VALUES ('meanings', ?)", kept)
        except (sqlite3.OperationalError, OSError) as error:
            if _is_busy(error):
                return
            self._keeps = False
            self.warnings.append(
                f"what search by meaning needs could not be kept in .clawbrain ({error}): see that there is room."
            )

    def _near(self, asked: "_Asked", type: str | None) -> dict[int, Any]:
        """The details, by row, of the memories most like the query in meaning."""
        ranked = asked.likeness.above(relevance.ALIKE, None if type is None else _odd(type))
        found: dict[int, Any] = {}
        if not (asked.own_rows or asked.strays) and asked.likeness.of(next(iter(ranked), 0)) < relevance.SURE:
            return found
        for start in range(0, len(ranked), EXPANDED):
            page = ranked[start : start + EXPANDED]
            served = {row: details for row, *details in self._rows(_DETAILS, page)}
            found |= {row: served[row] for row in page if row in served}
            if len(found) >= EXPANDED:
                break
            if start > MOST_STALE:
                self._meanings = None
        return dict(islice(found.items(), EXPANDED))

    # Taking in

    def _forget(self, paths: Iterable[str], counts: Counter[str]) -> set[str]:
        """Takes files out; answers the ids they claimed."""
        claimed = set()
        for path in paths:
            row = self._one("SELECT row FROM files WHERE path = ?", path)
            self._do("DELETE FROM files WHERE path = ?", path)
            if row is not None:
                memory = self._memory("row = ?", row)
                self._unserve(row, counts)
                self._do("DELETE FROM memories WHERE row = ?", row)
                self._do("DELETE FROM meanings WHERE row = ?", row)
                claimed |= {memory.id} if memory else set()
        return claimed

    def _take_in(self, seen: Iterable[Seen]) -> dict[int, Memory]:
        """Writes files and memories down, none of them served yet."""
        number = int(self._one("SELECT seq FROM sqlite_sequence WHERE name = 'memories'") or 0) >> 1
        rows: dict[int, Memory] = {}
        files = {}
        for each in seen:
            row = None
            if each.memory is not None:
                number += 1
                row = number << 1 | _odd(each.memory.type)
                rows[row] = each.memory
            files[each.path] = (each.path, *each.fingerprint, each.digest, each.fault, row)
        self._many("INSERT INTO files VALUES (?,?,?,?,?,?,?,?)", files.values())
        places = "(?,0,?,?,'',?,?,?,?,?,?,?,?,?,?,?)"
        self._many(f"INSERT INTO memories VALUES {places}", map(_row_of, rows.keys(), rows.values()))
        return rows

    def _settle(self, id: str, fresh: Mapping[int, Memory], counts: Counter[str]) -> None:
        """Of the files that claim an id serves the one whose path spells it; a lone one always."""
        claims = self._all("SELECT row, path, served FROM memories WHERE id = ?", id)
        owner = _owner(id, {row: path for row, path, _ in claims})
        for row, _, served in claims:
            if served and row != owner:
                self._unserve(row, counts)
            elif not served and row == owner:
                self._serve(row, fresh.get(row), counts)

    def _serve(self, row: int, memory: Memory | None, counts: Counter[str]) -> None:
        if memory := memory or self._memory("row = ?", row):
            exact, stems = _texts(memory)
            self._do("INSERT INTO exact (rowid, name, tags, content) VALUES (?,?,?,?)", row, *exact)
            self._do("INSERT INTO stems (rowid, name, tags, content, about) VALUES (?,?,?,?,?)", row, *stems)
            self._do("UPDATE memories SET served = 1, gist = ? WHERE row = ?", _gist(stems), row)
            counts.update(_distinct(stems))

    def _unserve(self, row: int, counts: Counter[str]) -> None:
        if memory := self._memory("row = ? AND served", row):
            exact, stems = _texts(memory)
            columns, places = "rowid, name, tags, content", "'delete', ?,?,?,?"
            self._do(f"INSERT INTO exact (exact, {columns}) VALUES ({places})", row, *exact)
            self._do(f"INSERT INTO stems (stems, {columns}, about) VALUES ({places},?)", row, *stems)
            self._do("UPDATE memories SET served = 0 WHERE row = ?", row)
            counts.subtract(_distinct(stems))

    def _count(self, counts: Counter[str]) -> None:
        """Keeps the number of memories that hold each word."""
        added = "INSERT INTO words VALUES (?,?) ON CONFLICT (term) DO UPDATE SET holding = holding + excluded.holding"
        self._many(added, counts.items())
        if gone := [(term,) for term, count in counts.items() if count < 0]:
            self._many("DELETE FROM words WHERE term = ? AND holding <= 0", gone)

    # The database

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = self._open() if self._on_disk else _made(":memory:")
            self.openings += 1
        return self._db

    def _do(self, statement: str, *values: Any) -> None:
        self._connection().execute(statement, values)

    def _many(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        self._connection().executemany(statement, rows)

    def _all(self, query: str, *values: Any) -> list[Any]:
        return self._connection().execute(query, values).fetchall()

    def _one(self, query: str, *values: Any) -> Any:
        row = self._connection().execute(query, values).fetchone()
        return row[0] if row else None

    def _remember(self, what: str, read: Callable[[], R]) -> R:
        """Something that stays true until this process or, as data_version tells, another one writes."""
        version = self._one("PRAGMA data_version")
        if self._remembered.get("version") != version:
            self._remembered = {"version": version}
        if what not in self._remembered:
            self._remembered[what] = read()
        found: R = self._remembered[what]
        return found

    def _rows(self, columns: str, rows: Collection[int]) -> list[Any]:
        query = f"SELECT {columns} FROM memories WHERE served AND row IN (SELECT value FROM json_each(?))"
        return self._all(query, json.dumps(list(rows)))

    def _memory(self, where: str, value: Any) -> Memory | None:
        rows = self._all(f"SELECT {_MEMORY} FROM memories WHERE {where}", value)
        return _memory_of(rows[0]) if rows else None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        """All that is read inside is of one moment."""
        db = self._connection()
        db.execute("BEGIN")
        try:
            yield
        finally:
            if db.in_transaction:
                db.execute("COMMIT")

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        db = self._connection()
        with self._alone():
            if self._on_disk and _identity(self._path) != self._identity:
                raise sqlite3.DatabaseError("replaced by another process just now")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process writes or replaces the index meanwhile: a journal must not meet another file."""
        if not self._on_disk:
            yield
            return
        folder = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _open(self) -> sqlite3.Connection:
        if db := self._opened():
            return db
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._alone():
            db = self._opened()  # another process may have been quicker
            if db is None:
                self._make()
                db = self._opened()
        if db is None:
            raise sqlite3.DatabaseError("the index cannot be opened")
        return db

    def _opened(self) -> sqlite3.Connection | None:
        """The index on disk, if there is one and it is ours, of this version and of this boot."""
        self._identity = _identity(self._path)
        if self._identity is None:
            return None
        disk.move_oddities(self._path)
        db = _connected(str(self._path))
        try:
            kept = dict(db.execute("SELECT key, value FROM meta WHERE key IN ('version', 'boot')").fetchall())
            if kept == {"version": VERSION, "boot": _boot()}:
                return db
        except sqlite3.DatabaseError as error:
            if _is_busy(error):
                raise
        db.close()
        return None

    def _make(self) -> None:
        """A new index under another name, then in place of whatever stands there."""
        fresh = self._folder / f"{FILE}.{os.getpid()}.{threading.get_ident()}.new"
        fresh.unlink(missing_ok=True)
        _made(str(fresh)).close()
        fresh.with_name(f"{fresh.name}-journal").unlink(missing_ok=True)
        fresh.chmod(0o600)
        for suffix in ("-journal", "-wal", "-shm"):
            (self._folder / f"{FILE}{suffix}").unlink(missing_ok=True)
        if self._path.is_dir() and not self._path.is_symlink():
            raise OSError("a folder stands where the index should be")
        fresh.replace(self._path)

    def _notice_replacement(self) -> None:
        if self._db is not None and self._on_disk and _identity(self._path) != self._identity:
            self._drop_connection()

    def _replace(self) -> None:
        """What is there failed us: away with it, unless another process has replaced it already."""
        known = self._identity
        self._drop_connection()
        with contextlib.suppress(OSError, sqlite3.DatabaseError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._alone():
                if self._on_disk and _identity(self._path) == known:
                    self._make()

    def _leave_disk(self) -> None:
        """A disk that is full or read-only must not end searching: this process goes on in memory."""
        self._drop_connection()
        self._on_disk = False

    def _drop_connection(self) -> None:
        self._remembered.clear()
        self._meanings = None
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
        self._db = None


class _Places(NamedTuple):
    """Where a term stands: how often in which row, and in whose tags."""

    frequencies: Mapping[int, float]
    in_tags: Collection[int]


class _Asked:
    """A query met with what the index holds."""

    def __init__(
        self,
        query: Query,
        corpus: Corpus,
        weights: Mapping[str, float],
        places: Mapping[str, _Places],
        alike: Collection[str],
        whole: float,
    ) -> None:
        self.own_terms = [term for term in weights if term not in alike]
        self.passed_over = [term for term in self.own_terms if term not in places]
        self._corpus, self._places, self._all_weights, self._whole = corpus, places, weights, whole
        self._alike = alike
        self.likeness = NOTHING
        called = {term for term in query.names if term in places and places[term].in_tags}
        self.called = called if len(called) < len(self.own_terms) else set()
        self.weights = {term: weight for term, weight in weights.items() if term not in self.called}
        self.own_rows = set().union(*(places.frequencies for term, places in places.items() if term not in alike))
        self._scores = self._as_if_of_one_length()
        self.strays = self._only_alike(alike)

    def _as_if_of_one_length(self) -> dict[int, float]:
        scores: dict[int, float] = {}
        so_far, slowness = scores.get, relevance.slowness(1, 1)
        for term, places in self._places.items():
            weight = self.weights.get(term, 0.0)
            worth = {f: weight * f / (f + slowness) for f in set(places.frequencies.values())}
            for row, frequency in places.frequencies.items():
                scores[row] = so_far(row, 0.0) + worth[frequency]
        return scores

    def _only_alike(self, alike: Collection[str]) -> set[int]:
        """The best of those that hold a word like the query's but none of its own; the others are no matches."""
        own = self.own_rows
        if len(own) == len(self._scores):
            return set()
        strays = self._scores.keys() - own
        best = {row for _, row in nlargest(EXPANDED, ((self._scores[row], row) for row in strays))}
        for row in strays - best:
            del self._scores[row]
        return best

    def matches(self, row: int) -> bool:
        return row in self._scores or any(row in self._places[term].frequencies for term in self.called)

    def best(self, most: int) -> list[int]:
        return [row for _, row in nlargest(most, zip(self._scores.values(), self._scores, strict=True))]

    def candidate(
        self, row: int, id: str, literal: float, updated: str, length: int, gist: str = "", asking: int = 0
    ) -> Candidate:
        score, covered, tagged, called, held = 0.0, 0.0, 0.0, 0, []
        slowness = relevance.slowness(length, self._corpus.average_length)
        for term, places in self._places.items():
            frequency = places.frequencies.get(row)
            if frequency is None:
                continue
            weight = self.weights.get(term)
            if weight is not None:
                held.append(term)
                covered += weight
                score += weight * frequency / (frequency + slowness)
            if row in places.in_tags and term not in self._alike:
                tagged += self._all_weights[term]
                called += term in self.called
        return Candidate(
            id,
            updated,
            row >> 1,
            literal,
            tagged=min(1.0, tagged / self._whole),
            words=score * (relevance.K1 + 1),
            called=called / len(self.called) if self.called else 0.0,
            held=frozenset(held),
            covered=covered,
            length=length,
            gist=gist,
            asking=bool(asking),
            alike=self.likeness.of(row),
        )


def _telling(corpus: Corpus, known: Mapping[str, int]) -> list[str]:
    """The words worth following: those in very many memories are left out when there are rarer ones."""
    common = max(SMALL, corpus.size // COMMON)
    return [term for term, count in known.items() if count <= common] or list(known)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def _connected(name: str) -> sqlite3.Connection:
    db = sqlite3.connect(name, timeout=30, isolation_level=None, check_same_thread=False)
    for pragma in ("busy_timeout=30000", "synchronous=OFF", "trusted_schema=OFF", "temp_store=MEMORY"):
        db.execute(f"PRAGMA {pragma}")
    with contextlib.suppress(sqlite3.DatabaseError):  # what is no database says so at the first question
        db.execute("PRAGMA journal_mode=TRUNCATE")
    return db


def _made(name: str) -> sqlite3.Connection:
    db = _connected(name)
    db.executescript(f"BEGIN; {_SCHEMA} COMMIT;")
    db.executemany("INSERT INTO meta VALUES (?,?)", [("version", VERSION), ("boot", _boot())])
    return db


@functools.cache
def _boot() -> str:
    """Changes when the machine starts: synchronous=OFF survives a killed process, not a lost power supply."""
    if _BOOT_ID.exists():
        return _BOOT_ID.read_text().strip()
    import subprocess  # only where there is no /proc

    with contextlib.suppress(OSError, subprocess.SubprocessError):
        asked = subprocess.run(["sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, timeout=5)
        return asked.stdout.decode(errors="replace").strip()
    return ""


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


def _of_type(type: str | None) -> tuple[str, list[str]]:
    return ("", []) if type is None else ("AND type = ?", [type])


def _odd(type: str) -> int:
    return int(type == "episode")


def _parity(type: str | None) -> str:
    return "" if type is None else f"AND rowid % 2 = {_odd(type)}"


def _mask(rows: Collection[int]) -> int:
    bits = bytearray((max(rows, default=0) >> 3) + 1)
    for row in rows:
        bits[row >> 3] |= 1 << (row & 7)
    return int.from_bytes(bits, "little")


def _any(terms: Iterable[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)


def _texts(memory: Memory) -> tuple[list[str], list[str]]:
    """What the two full-text tables are fed for a memory. The same again takes it out."""
    texts = (memory.name, " , ".join(memory.tags), memory.content)
    about = f"{memory.category} {words.date_words(memory.created)}"
    exact = [" ".join(words.exact_words(words.plain(text))) for text in texts]
    return exact, [" ".join(words.terms(text)) for text in (*texts, about)]


def _gist(stems: Sequence[str]) -> str:
    """The first terms of name and content."""
    text = f"{stems[0]} {stems[2]}"
    return text if len(text) <= GIST else text[:GIST].rpartition(" ")[0]


def _distinct(stems: Iterable[str]) -> set[str]:
    return {term for text in stems for term in text.split(" ") if term}


def _row_of(row: int, memory: Memory) -> tuple[Any, ...]:
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


def _memory_of(row: Sequence[Any]) -> Memory:
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
