"""What is asked, and how it stands in a memory as a whole."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from ..words import asks_when, capitalized, content_terms, dates_named, is_unspaced, plain, proper_names
from . import weights

LONGEST_QUERY = 2_000  # characters; nobody asks more, and a pasted log must not cost seconds:
MOST_TERMS = 64  # of what is longer its beginning and its end count, where a traceback tells its error
MOST_TRIED = 1_000_000  # characters that stand within other words, before it is given up

Whole = TypeVar("Whole", str, tuple[str, ...])

_UNSPEAKABLE = re.compile(r"[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    read: str  # what counts of it, if it is very long
    plain: str  # for literal matches
    terms: tuple[str, ...]  # distinct, stop words out unless nothing else is there
    names: frozenset[str] = frozenset()  # the terms written like proper names
    when: bool = False  # it is about a time
    named: frozenset[str] = frozenset()  # the terms of dates and of what may be names, also where it begins with one
    restated: frozenset[str] = frozenset()  # the terms of a date as it is written, where it is also put in words

    @property
    def empty(self) -> bool:
        return not self.text.strip()

    @property
    def several_words(self) -> bool:
        return " " in self.plain


def ask(text: str) -> Query:
    text = _UNSPEAKABLE.sub(" ", text)
    read = ends(text, LONGEST_QUERY)
    (dates, rest), said = dates_named(read), content_terms(read)
    distinct = ends(tuple(dict.fromkeys([*said, *dates])), MOST_TERMS)
    named, restated = frozenset([*capitalized(read), *dates]), frozenset(said).difference(content_terms(rest), dates)
    return Query(text, read, plain(text), distinct, proper_names(read), asks_when(read), named, restated)


def ends(whole: Whole, most: int) -> Whole:
    """All of it, or so much: its beginning and its end."""
    return whole if len(whole) <= most else whole[: most // 2] + whole[-(most // 2) :]


def literal(query: str, name: str, tags: Iterable[str], content: str) -> float:
    """How the whole plain query stands in a memory: 1 in its name, .8 in a tag, .5 in its content, else 0."""
    if begins_a_word(query, plain(name)):
        return weights.LITERAL_IN_NAME
    if any(begins_a_word(query, plain(tag)) for tag in tags):
        return weights.LITERAL_IN_TAG
    in_content = begins_a_word(query, content.lower()) or begins_a_word(query, plain(content))  # which takes longer
    return weights.LITERAL_IN_CONTENT if in_content else 0.0


def begins_a_word(query: str, text: str) -> bool:
    at = -1
    for _ in range(1 + MOST_TRIED // len(query) if query else 0):
        at = text.find(query, at + 1)
        if at <= 0 or not _within_word(text[at - 1], text[at]):
            return at >= 0
    return False


def _within_word(before: str, here: str) -> bool:
    return before.isalnum() and here.isalnum() and not is_unspaced(before + here)
