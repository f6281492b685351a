"""What the index knows of words: how many memories hold each, where each stands, and which are nearly the same.

All of it is read when a query needs it, and kept until somebody writes.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from .. import words
from ..relevance import weights as weigh
from ..relevance.found import Corpus
from ..relevance.query import Query, literal
from .asking import Asked, Places
from .synonyms import akin
from .tables import SHORTEST_FORM, odd, parity, served_rows
from .throwaway import Throwaway

COMMON = 10  # a word in more than a tenth of the memories …
SMALL = 2_000  # … and in more than so many is left out where there are rarer words
LITERAL_WORDS = 32  # of a very long query, looked up; the rest is compared as text
LITERAL_READ = 1_000  # memories that hold the words of a query in a row are read, unless there are more
MOST_KEPT = 200_000  # places of words, in memory between two searches; a tenth as many counts of words
MOST_SPELT = 6  # unknown words of a query that get spelling help
SHORTEST_BEGUN = 6  # signs of what may be the beginning of a hash or a number
SHORTEST_SPELT, LONG_TO_SPELL = SHORTEST_FORM + 1, 7  # letters: one may be wrong, two in the stems of longer words
MOST_BEGINNINGS = 60  # letters whose words are kept between two searches
MOST_LIKE = 5  # words that are equally like a misspelt one
MOST_LETTERS = 500  # that words begin with; scripts without an alphabet have thousands
FIRST_LETTERS = """
    WITH RECURSIVE letters (letter) AS (
        SELECT substr(min(term), 1, 1) FROM words
        UNION ALL
        SELECT (SELECT substr(min(term), 1, 1) FROM words WHERE term >= char(unicode(letter) + 1))
        FROM letters WHERE letter <> '')
    SELECT letter FROM letters WHERE letter <> '' LIMIT ?
"""  # from each to the next: to read all words would take long


@dataclass(slots=True)
class _KeptPlaces:
    by_term: dict[tuple[str, str | None], Places] = field(default_factory=dict)
    number: int = 0


class Wordbook:
    def __init__(self, db: Throwaway) -> None:
        self._db = db

    def corpus(self) -> Corpus:
        return self._db.remember("corpus", self._read_corpus)

    def _read_corpus(self) -> Corpus:
        size, length = self._db.all("SELECT count(*), avg(length) FROM memories WHERE served")[0]
        return Corpus(size, length or 1.0)

    def held(self, terms: Collection[str]) -> dict[str, int]:
        """How many memories hold each of these terms; those that none holds are left out."""
        kept: dict[str, int] = self._db.remember("held", dict)
        if len(kept) > MOST_KEPT // 10:
            kept.clear()
        if unread := list({*terms}.difference(kept)):
            query = "SELECT term, holding FROM words WHERE term IN (SELECT value FROM json_each(?))"
            kept |= dict.fromkeys(unread, 0)
            kept |= self._db.all(query, json.dumps(unread))
        return {term: count for term in terms if (count := kept[term])}

    def telling(self, terms: Collection[str]) -> Mapping[str, float]:
        """How much each of these words tells, unknown and common ones too, and perhaps others."""
        kept: dict[str, float] = self._db.remember("telling", dict)
        if len(kept) > MOST_KEPT // 10:
            kept.clear()
        if unread := {*terms}.difference(kept):
            corpus, held = self.corpus(), self.held(unread)
            kept |= {term: corpus.idf(held.get(term, 0)) for term in unread}
        return kept

    def asked(self, query: Query, type: str | None, widely: bool) -> Asked:
        """The words worth following and where they stand; `widely` with others that mean nearly the same."""
        corpus = self.corpus()
        known = self.held(query.terms)
        unknown = [term for term in query.terms if term not in known and term not in query.restated]
        for term in unknown[:MOST_SPELT]:
            if begun := self._completed(term):
                known |= begun
                unknown.remove(term)
        spelt = self._spelt(query, unknown)
        alike = self._akin(query.terms, corpus, {*known, *spelt}) if widely else {}
        instead = {other for term in unknown for other in akin(term)} if alike else ()
        weights = {term: corpus.idf(count) for term, count in known.items()}
        weights = {term: weigh.SPELT * corpus.idf(count) for term, count in spelt.items()} | weights
        whole = sum(weights.values()) + corpus.idf(0) * max(0, len(unknown) - len(spelt))
        for term, count in alike.items():
            weights[term] = (weigh.AKIN_ALONE if term in instead else weigh.AKIN) * corpus.idf(count)
        own = known | spelt
        places = self._all_places(worth_following(corpus, own), type)
        if not any(each.by_frequency for each in places.values()):  # the rarer ones stand in the other type
            places = self._all_places(own, type)
        places |= self._all_places(alike, type)
        return Asked(query, corpus, weights, places, frozenset(alike), whole or 1.0)

    def _spelt(self, query: Query, unknown: Collection[str]) -> dict[str, int]:
        """The known words nearest to unknown ones, with how many memories hold them."""
        doubtful = [term for term in unknown if len(term) >= SHORTEST_FORM and term.isalpha()][:MOST_SPELT]
        if not doubtful:
            return {}
        written = {term: word for word in words.exact_words(words.plain(query.read)) for term in words.terms(word)}
        nearest = [near for term in doubtful for near in self._nearest(term, written.get(term, term))]
        return self.held(nearest) if nearest else {}

    def _completed(self, beginning: str) -> dict[str, int]:
        """The few known words that begin so: a commit is called by the first signs of its hash."""
        if len(beginning) < SHORTEST_BEGUN or beginning.isalpha():
            return {}
        query = "SELECT term, holding FROM words WHERE term > ? AND term < ? LIMIT ?"
        found = dict(self._db.all(query, beginning, beginning + "\U0010ffff", MOST_LIKE + 1))
        return found if len(found) <= MOST_LIKE else {}

    def _nearest(self, term: str, word: str) -> list[str]:
        """The stems most like an unknown word's, or those of the words most like it: a mistake may hide an ending."""
        mistakes = self._like(term, "words", 1 if len(term) < LONG_TO_SPELL else 2)
        for form, count in self._like(word, "forms", 1).items():
            mistakes |= {stem: min(count, mistakes.get(stem, count)) for stem in words.terms(form)}
        fewest = min(mistakes.values(), default=2)
        found = [stem for stem, count in mistakes.items() if count == fewest]
        if fewest > 1 and len(term) >= SHORTEST_SPELT:
            found = sorted(self.held(_begun_otherwise(term, self._alphabet())))[:MOST_LIKE] or found
        return [each for each in found if each.isalpha()]

    def _like(self, word: str, table: str, most: int) -> dict[str, int]:
        """Those that begin alike and differ in so many letters at most, with how many these are."""
        from rapidfuzz import process  # only questions with unknown words pay for it
        from rapidfuzz.distance import OSA

        begun_alike, size = self._begun_with(word[0], table), len(word)
        lengths = [n for n in range(size - most, size + most + 1) if max(n, size) >= SHORTEST_SPELT]
        choices = [*chain.from_iterable(begun_alike.get(n, ()) for n in lengths)]
        near = process.extract(word, choices, scorer=OSA.distance, score_cutoff=most, limit=MOST_LIKE)
        return {each: distance for each, distance, _ in near}

    def _begun_with(self, letter: str, table: str) -> Mapping[int, Sequence[str]]:
        """The known words, or stems, that begin with a letter, by their lengths."""
        kept: dict[tuple[str, str], dict[int, list[str]]] = self._db.remember("begun", dict)
        if (letter, table) not in kept:
            if len(kept) >= MOST_BEGINNINGS:
                kept.clear()
            query = f"SELECT term FROM {table} WHERE term >= ? AND term < ?"
            found = [term for (term,) in self._db.all(query, letter, letter + "\U0010ffff")]
            if table == "forms":
                found += [form[:-1] for form in found if form.endswith("s")]  # of many things, one
            by_length: dict[int, list[str]] = {}
            for term in dict.fromkeys(found):
                by_length.setdefault(len(term), []).append(term)
            kept[letter, table] = by_length
        return kept[letter, table]

    def _alphabet(self) -> list[str]:
        """The letters that words begin with."""

        def read() -> list[str]:
            return [letter for (letter,) in self._db.all(FIRST_LETTERS, MOST_LETTERS)]

        return self._db.remember("alphabet", read)

    def _akin(self, terms: Collection[str], corpus: Corpus, known: Collection[str]) -> dict[str, int]:
        others = sorted({other for term in terms for other in akin(term)}.difference(known, terms))
        common = max(SMALL // COMMON, corpus.size // (2 * COMMON))
        return {term: count for term, count in self.held(others).items() if count <= common}

    def _all_places(self, terms: Collection[str], type: str | None) -> dict[str, Places]:
        """Where each term stands; questions share words, so this is kept until somebody writes."""
        kept = self._db.remember("places", _KeptPlaces)
        if unread := [term for term in terms if (term, type) not in kept.by_term]:
            if kept.number > MOST_KEPT:
                kept.by_term, kept.number = {}, 0
                unread = list(terms)
            for term in unread:
                places = kept.by_term[term, type] = self._places(term, type)
                kept.number += places.number
        return {term: kept.by_term[term, type] for term in terms}

    def _places(self, term: str, type: str | None) -> Places:
        weights = {
            "name": weigh.NAME_WEIGHT,
            "tags": weigh.TAG_WEIGHT,
            "content": weigh.CONTENT_WEIGHT,
            "about": weigh.CONTENT_WEIGHT,
        }
        wanted = None if type is None else odd(type)
        frequencies: dict[int, float] = {}
        in_tags: set[int] = set()
        for row, column in self._db.all("SELECT doc, col FROM stems_at WHERE term = ?", term):
            if wanted is None or row & 1 == wanted:
                frequencies[row] = frequencies.get(row, 0.0) + weights[column]
                if column == "tags":
                    in_tags.add(row)
        by_frequency: dict[float, set[int]] = {}
        for row, frequency in frequencies.items():
            by_frequency.setdefault(frequency, set()).add(row)
        return Places(by_frequency, in_tags)

    def matching(self, asked: Asked, literal: Mapping[int, float], type: str | None, near: Collection[int]) -> int:
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
        kept: dict[tuple[str, str | None], int] = self._db.remember("holders", dict)
        if (term, type) not in kept:
            rows = self._db.all(f"SELECT rowid FROM stems WHERE stems MATCH ? {parity(type)}", f'"{term}"')
            kept[term, type] = _mask([row for (row,) in rows])
        return kept[term, type]

    def literal(self, query: Query, type: str | None) -> dict[int, float]:
        """How the whole query stands in the memories that hold it."""
        run = words.exact_words(query.plain)
        if not run:
            return {}
        phrase = f'"{" ".join(run[:LITERAL_WORDS])}"' + ("*" if len(run) <= LITERAL_WORDS else "")
        if run == [query.plain]:
            return self._literal_by_table(phrase, type)
        rows = self._holding_phrase(phrase, type)
        if len(rows) > LITERAL_READ and len(run) <= LITERAL_WORDS:
            if not _has_signs(query.plain):
                return self._literal_by_table(phrase, type)
            if not query.plain[-1].isalnum():  # "C++" is not every word with a c
                phrase = phrase.rstrip("*")
            named, rest = (self._holding_phrase(f"{where} : {phrase}", type) for where in ("{name tags}", "content"))
            rows = [*dict.fromkeys(named + rest)][:LITERAL_READ]
        found = {}
        for row, name, tags, content in served_rows(self._db, "row, name, tags, content", rows):
            found[row] = literal(query.plain, name, json.loads(tags), content)
        return {row: level for row, level in found.items() if level}

    def _holding_phrase(self, phrase: str, type: str | None) -> list[int]:
        """Where these words stand in a row, the last stored first."""
        query = f"SELECT rowid FROM exact WHERE exact MATCH ? {parity(type)} ORDER BY rowid DESC"
        return [row for (row,) in self._db.all(query, phrase)]

    def _literal_by_table(self, phrase: str, type: str | None) -> dict[int, float]:
        """Without reading a text: exact for a single word; of a phrase the table does not know what is between."""
        found: dict[int, float] = {}
        levels = (
            ("name", weigh.LITERAL_IN_NAME),
            ("tags", weigh.LITERAL_IN_TAG),
            ("content", weigh.LITERAL_IN_CONTENT),
        )
        for column, level in levels:
            for row in self._holding_phrase(f"{column} : {phrase}", type):
                found.setdefault(row, level)
        return found


def _has_signs(text: str) -> bool:
    """Whether there is more in a text than words, which is all that the tables know."""
    return " ".join(words.word_pattern(text).findall(text)) != text


def worth_following(corpus: Corpus, known: Mapping[str, int]) -> list[str]:
    """The words worth following: those in very many memories are left out when there are rarer ones."""
    common = max(SMALL, corpus.size // COMMON)
    return [term for term, count in known.items() if count <= common] or list(known)


def _begun_otherwise(term: str, alphabet: Sequence[str]) -> set[str]:
    """What a word may be that begins wrongly, which is seldom: a letter too many, too few, another, or two swapped."""
    first, rest = term[0], term[1:]
    return {rest, rest[:1] + first + rest[1:], *(each + rest for each in alphabet), *(each + term for each in alphabet)}


def _mask(rows: Collection[int]) -> int:
    bits = bytearray((max(rows, default=0) >> 3) + 1)
    for row in rows:
        bits[row >> 3] |= 1 << (row & 7)
    return int.from_bytes(bits, "little")
