"""A question as the search reads it: its words, the names and days in it, and what it asks for."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from ..words import asks_when, capitalized, dates_named, is_unspaced, plain, proper_names, terms_but, word_pattern
from ..words import terms as words_of
from . import weights
from .days import Days, days_named
from .stop_words import stop_words_for

LONGEST_QUERY = 2_000  # characters; a pasted log must not cost seconds
MOST_TERMS = 64  # of a longer question its beginning and its end count, where a traceback tells its error
MOST_TRIED = 1_000_000  # characters that stand within other words, before a literal match is given up

Whole = TypeVar("Whole", str, tuple[str, ...])

_NOT_IN_UTF8 = re.compile(r"[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, read into its words and what it asks for."""

    text: str
    read: str  # the part that counts of a very long text
    plain: str  # the form in which literal matches are compared
    terms: Mapping[str, int]  # its words, each as often as it is asked; stop words only where nothing else is there
    words: frozenset[str] = frozenset()  # all words of it, stop words too
    names: frozenset[str] = frozenset()  # the words written like proper names
    named: frozenset[str] = frozenset()  # its words with a capital letter, identifiers, numbers and dates
    dates: frozenset[str] = frozenset()  # the words of dates
    asks_when: bool = False
    days: Days | None = None

    @property
    def empty(self) -> bool:
        return not self.text.strip()


def read_question(text: str, today: date) -> Question:
    """Return a text as a question; today is what "yesterday" is seen from."""
    text = _NOT_IN_UTF8.sub(" ", text)
    read = ends(text, LONGEST_QUERY)
    dates, rest = dates_named(read)
    said = terms_but(stop_words_for(word_pattern(rest).findall(rest.lower())), rest)
    counts = Counter([*said, *dates] or words_of(rest))  # stop words, where nothing else is there
    distinct = ends(tuple(counts), MOST_TERMS)
    return Question(
        text=text,
        read=read,
        plain=plain(text),
        terms={term: counts[term] for term in distinct},
        words=frozenset(words_of(read)),
        names=proper_names(read),
        named=frozenset([*capitalized(read), *dates, *(term for term in distinct if not term.isalpha())]),
        dates=frozenset(dates).intersection(distinct),
        asks_when=asks_when(read),
        days=days_named(read, today),
    )


def ends(whole: Whole, most: int) -> Whole:
    """Return a sequence, or the beginning and the end of a longer one."""
    return whole if len(whole) <= most else whole[: most // 2] + whole[-(most // 2) :]


def literal(query: str, name: str, tags: Iterable[str], content: str) -> float:
    """Return the level at which a whole plain query stands in a memory: in its name, a tag, its content; else 0."""
    if begins_a_word(query, plain(name)):
        return weights.LITERAL_IN_NAME
    if any(begins_a_word(query, plain(tag)) for tag in tags):
        return weights.LITERAL_IN_TAG
    in_content = begins_a_word(query, content.lower()) or begins_a_word(query, plain(content))  # the first is quicker
    return weights.LITERAL_IN_CONTENT if in_content else 0.0


def begins_a_word(query: str, text: str) -> bool:
    """Tell whether a query stands in a text from the beginning of a word."""
    at = -1
    for _ in range(1 + MOST_TRIED // len(query) if query else 0):
        at = text.find(query, at + 1)
        if at <= 0 or not _within_word(text[at - 1], text[at]):
            return at >= 0
    return False


def _within_word(before: str, here: str) -> bool:
    return before.isalnum() and here.isalnum() and not is_unspaced(before + here)
