"""The candidates for a question, read from the index: the words that are held, and the memories that may match.

This module selects and counts; how well a memory answers is decided in search/. What is read is kept until somebody
writes.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

from .. import search, words
from ..memory.model import Memory
from ..semantic import NOTHING, Likeness
from .cache import CacheFile, healing
from .index_schema import MEMORY, memory_of, served_rows

if TYPE_CHECKING:
    from ..search.bm25 import Statistics, Wanted
    from ..search.evidence import Document, Evidence, Lexicon
    from ..search.like_words import Families
    from ..search.question import Question

FAMILIES = Path(__file__).with_name("families.txt")
LITERAL_WORDS = 32  # words of a very long query that are looked up; the rest is compared as text
LITERAL_READ = 1_000  # memories that hold the words of a query in a row are read, unless there are more than so many
MOST_KEPT, MOST_DETAILS = 50_000, 2_000  # counts of words, and details of memories, kept between two searches
MOST_TELLING = 16  # words by which memories on the same subject are looked for
MOST_SHARING = 1_000  # memories that may hold one of these words
SHORTEST_BEGUN = 6  # characters of a word that may be the beginning of a hash or a number
MOST_COMPLETED = 5  # words that a beginning may stand for
MOST_BEGINNINGS = 60  # first letters whose words are kept between two searches
MOST_LETTERS = 500  # first letters that are tried; scripts without an alphabet have thousands
PAGE = 200  # matches that are checked by a filter's `only` at a time
FIRST_LETTERS = """
    WITH RECURSIVE letters (letter) AS (
        SELECT substr(min(term), 1, 1) FROM words
        UNION ALL
        SELECT (SELECT substr(min(term), 1, 1) FROM words WHERE term >= char(unicode(letter) + 1))
        FROM letters WHERE letter <> '')
    SELECT letter FROM letters WHERE letter <> '' LIMIT ?
"""  # jumps from each first letter to the next, since reading all words would take long


@dataclass(frozen=True, slots=True)
class Filter:
    """The memories that a search is limited to: of a type, of a category, with all of some tags, made on some days.

    The days are inclusive (YYYY-MM-DD). `only` is called with each possible answer and accepts it or not.
    """

    type: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    only: Callable[[Memory], bool] | None = None

    def where(self) -> tuple[str, list[str]]:
        """Return the SQL condition on the rows of `memories`, with its values; an empty one where all fit."""
        conditions, values = [], []
        for condition, value in (
            ("type = ?", self.type),
            ("category = ?", self.category),
            ("created >= ?", self.since),
            ("created < ? || '~'", self.until),
        ):
            if value:
                conditions.append(condition)
                values.append(value)
        for tag in self.tags:
            conditions.append("EXISTS (SELECT 1 FROM json_each(tags) WHERE lower(json_each.value) = lower(?))")
            values.append(tag)
        return " AND ".join(conditions), values


EVERYTHING = Filter()


class _Details(NamedTuple):
    id: str
    created: str
    updated: str
    length: int
    counts: Mapping[str, int]
    tags: frozenset[str]
    filed: frozenset[str]
    called: frozenset[str]
    says_when: int


class Candidates:
    """The part of the index that a search by words asks."""

    def __init__(self, db: CacheFile) -> None:
        self._db = db

    # Words

    @healing
    def statistics(self, terms: Collection[str]) -> Statistics:
        """Return the number and total length of all memories, and how many memories hold each of these words."""
        return self._statistics(terms)

    def _statistics(self, terms: Collection[str] = ()) -> Statistics:
        """Return the number and total length of all memories, and how many memories hold each of these words."""
        size, length = self._db.remember("size", self._read_size)
        return search.bm25.Statistics(size, length, self._held(terms))

    def _read_size(self) -> tuple[int, int]:
        size, length = self._db.all("SELECT count(*), total(length) FROM memories WHERE served")[0]
        return int(size), int(length)

    def _held(self, terms: Collection[str]) -> dict[str, int]:
        """Return how many memories hold each of these words, without words that none holds."""
        kept: dict[str, int] = self._db.remember("held", dict)
        if len(kept) > MOST_KEPT:
            kept.clear()
        if unread := {*terms}.difference(kept):
            query = "SELECT term, holding FROM words WHERE term IN (SELECT value FROM json_each(?))"
            kept |= dict.fromkeys(unread, 0)
            kept |= self._db.all(query, json.dumps(list(unread)))
        return {term: count for term in terms if (count := kept[term])}

    @healing
    def telling(self, terms: Collection[str]) -> Mapping[str, float]:
        """Return how much each of these words tells (its inverse document frequency); rare words tell most."""
        return self._telling(terms)

    @healing
    def rarest(self) -> float:
        """Return how much a word tells that only one memory holds."""
        return self._statistics().idf(1)

    def _telling(self, terms: Collection[str]) -> Mapping[str, float]:
        statistics = self._statistics(terms)
        return {term: statistics.idf(statistics.holding.get(term, 0)) for term in terms}

    @healing
    def lexicon(self, question: Question, *, spelling: bool = True) -> Lexicon:
        """Return which words of a question and like words are held and, for unknown ones, the nearest words.

        Without `spelling` no nearest words are looked for, which takes time.
        """
        with self._db.reading():
            akin = chain.from_iterable(map(families().of, question.terms))
            statistics = self._statistics({*question.terms, *akin})
            unknown = [term for term in question.terms if term not in statistics.holding]
            if not unknown or not spelling:
                return search.evidence.Lexicon(statistics)
            near = {term: begun for term in unknown if (begun := self._completed(term))}
            written = {term: word for word in words.exact_words(question.plain) for term in words.terms(word)}
            for term in search.like_words.misspelt(term for term in unknown if term not in near):
                near[term] = self._nearest(term, written.get(term, term))
            holding = self._held({*chain.from_iterable(near.values())})
            near = {term: {word: each[word] for word in each if word in holding} for term, each in near.items()}
            return search.evidence.Lexicon(replace(statistics, holding={**statistics.holding, **holding}), near)

    def _completed(self, beginning: str) -> dict[str, int]:
        """Return the known words with this beginning, if few: a commit is named by the first characters of its hash."""
        if len(beginning) < SHORTEST_BEGUN or beginning.isalpha():
            return {}
        query = "SELECT term FROM words WHERE term > ? AND term < ? LIMIT ?"
        found = self._db.all(query, beginning, beginning + "\U0010ffff", MOST_COMPLETED + 1)
        return dict.fromkeys([term for (term,) in found], 0) if len(found) <= MOST_COMPLETED else {}

    def _nearest(self, term: str, word: str) -> dict[str, int]:
        """Return the stems nearest to an unknown one or to its word as written, each with the number of mistakes."""
        long = len(term) >= search.like_words.LONG
        found = search.like_words.nearest(term, self._begun_alike("words", "term", term, 1 + long), 1 + long)
        forms = search.like_words.nearest(
            word, self._begun_alike("forms", "word", word, 1), 1
        )  # a mistake may hide an ending
        for form, mistakes in forms.items():
            found |= {stem: min(mistakes, found.get(stem, mistakes)) for stem in words.terms(form)}
        if min(found.values(), default=2) > 1 and len(term) >= search.like_words.SHORTEST_SPELT:
            found = (
                dict.fromkeys(self._held(search.like_words.with_another_beginning(term, self._letters())), 1) or found
            )
        return {stem: mistakes for stem, mistakes in found.items() if stem.isalpha()}

    def _begun_alike(self, table: str, column: str, word: str, most: int) -> list[str]:
        """Return the known words with the first letter of a word whose length differs by at most `most`."""
        kept: dict[tuple[str, str], dict[int, list[str]]] = self._db.remember("begun", dict)
        if (table, word[0]) not in kept:
            if len(kept) >= MOST_BEGINNINGS:
                kept.clear()
            by_length: dict[int, list[str]] = {}
            query = f"SELECT {column} FROM {table} WHERE {column} >= ? AND {column} < ?"
            for (found,) in self._db.all(query, word[0], word[0] + "\U0010ffff"):
                by_length.setdefault(len(found), []).append(found)
            kept[table, word[0]] = by_length
        by_length = kept[table, word[0]]
        return [each for n in range(len(word) - most, len(word) + most + 1) for each in by_length.get(n, ())]

    def _letters(self) -> list[str]:
        return self._db.remember("letters", lambda: [each for (each,) in self._db.all(FIRST_LETTERS, MOST_LETTERS)])

    # Matches

    @healing
    def evidence(
        self, question: Question, wanted: Wanted, among: Filter = EVERYTHING, likeness: Likeness = NOTHING
    ) -> Evidence:
        """Return the memories that match a question and fit a filter, with the numbers to rank them by."""
        with self._db.reading():
            own = _any_of(word for each in wanted.values() for word, weight in each.items() if weight == 1.0)
            like = _any_of(word for each in wanted.values() for word, weight in each.items() if weight != 1.0)
            literals = self._literals(question, among)
            best = self._best(own, among, search.weights.RESCORED)
            if like and not literals and len(best) < search.weights.RESCORED:
                best += self._best(f"({like}) NOT ({own})", among, search.weights.EXPANDED)
            near = self._near(
                likeness, among, search.weights.SURE if literals else search.weights.ALIKE, words_match=bool(best)
            )
            rows = dict.fromkeys([*best, *near, *self._made_then(question, among)])
            documents = self._documents(rows, literals, likeness)
            documents |= self._in_brief(literals.keys() - rows.keys(), literals)
            total = len(documents) if among.only else self._total(own, {*rows, *literals}, among)
            statistics = self._statistics({*wanted, *chain.from_iterable(wanted.values())})
            return search.evidence.Evidence(statistics, wanted, documents, total)

    @healing
    def beside(
        self, ids: Collection[str], wanted: Wanted, among: Filter = EVERYTHING, likeness: Likeness = NOTHING
    ) -> dict[str, Document]:
        """Return the given memories that fit and share a word with the question, however weakly they match."""
        query = "SELECT row FROM memories WHERE served AND id IN (SELECT value FROM json_each(?))"
        rows = self._fitting([row for (row,) in self._db.all(query, json.dumps(list(ids)))], among)
        own = {word for each in wanted.values() for word, weight in each.items() if weight == 1.0}
        found = self._documents(rows, {}, likeness)
        return {id: document for id, document in found.items() if not own.isdisjoint(document.counts)}

    def _best(self, match: str, among: Filter, most: int) -> list[int]:
        """Return the rows that match a full-text query best; of equal ones the later stored comes first."""
        if not match:
            return []
        condition, values = _within(among)
        query = f"SELECT rowid FROM stems WHERE stems MATCH ? {condition} ORDER BY rank, rowid DESC"
        if among.only is None:
            return [row for (row,) in self._db.all(f"{query} LIMIT ?", match, *values, most)]
        return self._first_approved([row for (row,) in self._db.all(query, match, *values)], among, most)

    @healing
    def called(self, written: Collection[str], category: str, limit: int) -> list[Memory]:
        """Return the memories of a category that have any of some words, as written, in their name or tags."""
        if not written:
            return []
        return self._written(f"{{name tags}} : ({_any_of(written)})", Filter(category=category), limit)

    @healing
    def mentioning(self, written: Collection[str], limit: int) -> list[Memory]:
        """Return the memories that have any of some words, as written, in their text, the nearest first."""
        return self._written(f"{{content}} : ({_any_of(written)})", EVERYTHING, limit) if written else []

    def _written(self, match: str, among: Filter, limit: int) -> list[Memory]:
        condition, values = _within(among)
        query = f"SELECT rowid FROM exact WHERE exact MATCH ? {condition} ORDER BY rank, rowid DESC LIMIT ?"
        rows = [row for (row,) in self._db.all(query, match, *values, limit)]
        return [memory_of(memory) for memory in served_rows(self._db, MEMORY, rows)]

    def _total(self, own: str, others: Collection[int], among: Filter) -> int:
        """Return how many memories match: by a word of the question, or as one of the other rows."""
        if not own:
            return len(others)
        condition, values = _within(among)
        query = "SELECT count(*), total(rowid IN (SELECT value FROM json_each(?))) FROM stems WHERE stems MATCH ?"
        by_words, both = self._db.all(f"{query} {condition}", json.dumps(list(others)), own, *values)[0]
        return int(by_words) + len(others) - int(both)

    def _fitting(self, rows: Collection[int], among: Filter) -> list[int]:
        """Return the given rows that are served and fit a filter, in the given order."""
        where, values = among.where()
        condition = f"AND {where}" if where else ""
        query = f"SELECT row FROM memories WHERE served {condition} AND row IN (SELECT value FROM json_each(?))"
        fitting = {row for (row,) in self._db.all(query, *values, json.dumps(list(rows)))}
        return self._approved([row for row in rows if row in fitting], among)

    def _first_approved(self, rows: list[int], among: Filter, most: int) -> list[int]:
        """Return the first of the given rows whose memories the filter's `only` accepts, at most `most`."""
        found: list[int] = []
        for start in range(0, len(rows), PAGE):
            found += self._approved(rows[start : start + PAGE], among)
            if len(found) >= most:
                break
        return found[:most]

    def _approved(self, rows: list[int], among: Filter) -> list[int]:
        """Return the given rows whose memories the filter's `only` accepts."""
        if among.only is None or not rows:
            return rows
        found = served_rows(self._db, f"row, {MEMORY}", rows)
        approved = {row for row, *memory in found if among.only(memory_of(memory))}
        return [row for row in rows if row in approved]

    def _near(self, likeness: Likeness, among: Filter, floor: float, *, words_match: bool) -> list[int]:
        """Return the rows most like the question in meaning, the nearest first.

        Where no words match, there are none unless the nearest is surely alike.
        """
        ranked = likeness.above(floor)
        found: list[int] = []
        for start in range(0, len(ranked), search.weights.EXPANDED):
            found += self._fitting(ranked[start : start + search.weights.EXPANDED], among)
            if len(found) >= search.weights.EXPANDED:
                break
        sure = words_match or likeness.of(next(iter(found), 0)) >= search.weights.SURE
        return found[: search.weights.EXPANDED] if sure else []

    def _made_then(self, question: Question, among: Filter) -> list[int]:
        """Return the latest memories made on the days that a question names."""
        if question.days is None:
            return []
        first, last = question.days
        where, values = among.where()
        condition = f"AND {where}" if where else ""
        query = f"SELECT row FROM memories WHERE served AND created >= ? AND created < ? {condition}"
        rows = self._db.all(f"{query} ORDER BY created DESC, row DESC", f"{first}", f"{last}~", *values)
        return self._first_approved([row for (row,) in rows], among, search.weights.EXPANDED)

    @healing
    def newest(self, among: Filter, limit: int) -> tuple[list[Memory], int]:
        """Return the most recently updated memories that fit a filter, and how many fit."""
        where, values = among.where()
        query = f"FROM memories WHERE served {f'AND {where}' if where else ''}"
        if among.only is None:
            rows = self._db.all(f"SELECT {MEMORY} {query} ORDER BY updated DESC, id LIMIT ?", *values, limit)
            return [memory_of(row) for row in rows], int(self._db.one(f"SELECT count(*) {query}", *values))
        found = [memory_of(row) for row in self._db.all(f"SELECT {MEMORY} {query} ORDER BY updated DESC, id", *values)]
        fitting = [memory for memory in found if among.only(memory)]
        return fitting[:limit], len(fitting)

    @healing
    def sharing(self, terms: Collection[str], among: Filter, limit: int) -> list[Memory]:
        """Return the memories that fit a filter and share the most telling words with these terms, best first."""
        known = "SELECT term, holding FROM words WHERE term IN (SELECT value FROM json_each(?)) ORDER BY holding, term"
        told = _most_telling(self._db.all(known, json.dumps(list(terms))))
        rows = self._best(_any_of(told), among, limit)
        memories = {row: memory_of(memory) for row, *memory in served_rows(self._db, f"row, {MEMORY}", rows)}
        return [memories[row] for row in rows if row in memories]

    # Literal matches

    def _literals(self, question: Question, among: Filter) -> dict[int, float]:
        """Return the rows that contain the whole query literally, each with the weight of the place where it stands."""
        run = words.exact_words(question.plain)
        if not run:
            return {}
        phrase = f'"{" ".join(run[:LITERAL_WORDS])}"' + ("*" if len(run) <= LITERAL_WORDS else "")
        if run == [question.plain]:
            return self._literals_by_table(phrase, among)
        rows = self._holding_phrase(phrase, among)
        if len(rows) > LITERAL_READ and len(run) <= LITERAL_WORDS:
            if not _has_signs(question.plain):
                return self._literals_by_table(phrase, among)
            if not question.plain[-1].isalnum():  # "C++" must not match every word that begins with c
                phrase = phrase.rstrip("*")
            named, rest = (self._holding_phrase(f"{where} : {phrase}", among) for where in ("{name tags}", "content"))
            rows = [*dict.fromkeys(named + rest)][:LITERAL_READ]
        found = {}
        for row, name, tags, content in served_rows(self._db, "row, name, tags, content", rows):
            found[row] = search.question.literal(question.plain, name, json.loads(tags), content)
        return {row: level for row, level in found.items() if level}

    def _holding_phrase(self, phrase: str, among: Filter) -> list[int]:
        """Return the rows that contain these words in a row, the last stored first."""
        condition, values = _within(among)
        query = f"SELECT rowid FROM exact WHERE exact MATCH ? {condition} ORDER BY rowid DESC"
        return self._approved([row for (row,) in self._db.all(query, phrase, *values)], among)

    def _literals_by_table(self, phrase: str, among: Filter) -> dict[int, float]:
        """Return the literal matches without reading a text; for several words, signs between them are ignored."""
        found: dict[int, float] = {}
        for column, level in (
            ("name", search.weights.LITERAL_IN_NAME),
            ("tags", search.weights.LITERAL_IN_TAG),
            ("content", search.weights.LITERAL_IN_CONTENT),
        ):
            for row in self._holding_phrase(f"{column} : {phrase}", among):
                found.setdefault(row, level)
        return found

    # Documents

    def _documents(
        self, rows: Collection[int], literals: Mapping[int, float], likeness: Likeness
    ) -> dict[str, Document]:
        """Return the documents of these rows, with everything that ranking needs, by id."""
        cosines = likeness.among(rows)
        details = self._details(rows)
        return {
            details[row].id: search.evidence.Document(
                id=details[row].id,
                created=details[row].created,
                updated=details[row].updated,
                row=row,
                literal=literals.get(row, 0.0),
                cosine=cosines.get(row, 0.0),
                length=details[row].length,
                counts=details[row].counts,
                tags=details[row].tags,
                filed=details[row].filed,
                called=details[row].called,
                says_when=details[row].says_when,
            )
            for row in rows
            if row in details
        }

    def _details(self, rows: Collection[int]) -> dict[int, _Details]:
        """Return the parts of documents that do not depend on the question, of the rows that are served."""
        kept: dict[int, _Details] = self._db.remember("details", dict)
        if len(kept) > MOST_DETAILS:
            kept.clear()
        columns = "row, id, created, updated, length, terms, tags, filed, called, says_when"
        for row, id, created, updated, length, terms, tags, filed, called, says_when in served_rows(
            self._db, columns, [row for row in rows if row not in kept]
        ):
            if None in (length, terms, filed, called):
                raise sqlite3.DatabaseError("a memory without its words")
            kept[row] = _Details(
                id,
                created,
                updated,
                length,
                dict(Counter(map(intern, terms.split(" ")))),  # a plain dictionary of words costs the collector nothing
                frozenset(json.loads(str(tags))),
                frozenset(filed.split()),
                frozenset(called.split()),
                says_when,
            )
        return kept

    def _in_brief(self, rows: Collection[int], literals: Mapping[int, float]) -> dict[str, Document]:
        """Return these literal matches, which may be very many, without the words of each."""
        found = served_rows(self._db, "row, id, created, updated", rows)
        return {
            id: search.evidence.Document(id, created, updated, row, literal=literals[row])
            for row, id, created, updated in found
        }


@cache
def families() -> Families:
    """Return the families of like words, read once in a process."""
    return search.like_words.Families(FAMILIES.read_text("utf-8"))


def _most_telling(known: Sequence[tuple[str, int]]) -> list[str]:
    """Return the few rarest terms, as long as not too many memories hold them.

    A term that one memory alone holds comes last: mostly it is the memory whose own text is asked about.
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


def _any_of(terms: Iterable[str]) -> str:
    """Return the full-text query for memories that hold any of some words."""
    return " OR ".join(f'"{term}"' for term in dict.fromkeys(terms))


def _within(among: Filter) -> tuple[str, list[str]]:
    """Return a filter as a further SQL condition on a full-text query, with its values.

    The plus sign keeps SQLite from asking the full-text table again for each row.
    """
    where, values = among.where()
    return (f"AND +rowid IN (SELECT row FROM memories WHERE served AND {where})", values) if where else ("", [])


def _has_signs(text: str) -> bool:
    """Tell whether a text has other characters than those of words, which the tables do not hold."""
    return " ".join(words.word_pattern(text).findall(text)) != text
