"""Deeds: the kinds of work that a prompt asks for and that people make rules about.

A prompt asks for a deed when it says to make or change something ("add an endpoint") or begins a wish with a word that
says it all ("commit this"). A rule is a preference whose title or tags name what the deed is done to
("api-versioning"). The words stand in deed_table.py.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from ..words import STOP_WORDS, is_unspaced, terms_of
from .deed_table import DENIALS, ENDS, LANGUAGES, MAKING, TABLE, TOLD, WISHING

_LONGEST_PHRASE = 6
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*|[.,;:!?\n()]")


class Deed(NamedTuple):
    """A kind of work: the words that ask for it, those that do so anywhere, what is made, and what a rule is called."""

    asks: frozenset[str]
    always: frozenset[str]
    makes: frozenset[str]
    rules: frozenset[str]


@cache
def _deeds() -> tuple[Deed, ...]:
    return tuple(_deed(block.replace("\n  ", " ")) for block in TABLE.strip().split("\n\n"))


def _deed(block: str) -> Deed:
    lists = (line.partition(":") for line in block.splitlines())
    return Deed(**{name: frozenset(words.split()) for name, _, words in lists})


@cache
def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def asked(prompt: str, akin: Mapping[str, Collection[str]]) -> list[Deed]:
    """Return the deeds that a prompt asks for. `akin` has the like words of a prompt in another language."""
    words = [word.casefold() for word in _WORD.findall(prompt)]
    said = {*words, *map("-".join, pairwise(words))}
    begun = {*_wishes(words)}
    made = _phrases(words)
    if is_unspaced(prompt):
        unspaced = {word for word in _unspaced_words() if word in prompt}
        said |= unspaced
        made += unspaced if any(word in prompt for word in _set(MAKING) if is_unspaced(word)) else ()
    translated = {like for word in made for term in terms_of(word) for like in akin.get(term, ())}

    def is_asked(deed: Deed) -> bool:
        by_words = not (begun.isdisjoint(deed.asks) and said.isdisjoint(deed.always) and deed.makes.isdisjoint(made))
        return by_words or (bool(translated) and not translated.isdisjoint(_terms(deed.makes)))

    return [deed for deed in _deeds() if is_asked(deed)]


@cache
def _unspaced_words() -> list[str]:
    return [word for deed in _deeds() for word in deed.always | deed.makes if is_unspaced(word)]


def _terms(words: Collection[str]) -> set[str]:
    return {term for word in words for term in terms_of(word)}


def _wishes(words: list[str]) -> Iterator[str]:
    """Yield the words with which a wish may begin: the first of a sentence, or after "please", "to" or the like."""
    before = ["", "", *words]
    for word, last, earlier in zip(words, before[1:], before, strict=False):
        told = last in ("i", "we", "you") and earlier in _set(TOLD)
        starts = not last[:1].isalnum() or last in _set(WISHING)
        if starts and not told and {last, earlier}.isdisjoint(_set(DENIALS)):
            yield word


def orders(prompt: str) -> list[tuple[str, list[str]]]:
    """Return what a prompt tells to do: each verb with the words of what it is done to."""
    words = [word.casefold() for word in _WORD.findall(prompt)]
    begun = {*_wishes(words)} - STOP_WORDS
    return [(word, _phrase(words[at + 1 :])) for at, word in enumerate(words) if word in begun]


def _phrases(words: list[str]) -> list[str]:
    """Return the words of what a prompt says to make or change, and each two that follow one another as one."""
    found: list[str] = []
    for at, word in enumerate(words):
        if word in _set(MAKING) and _set(DENIALS).isdisjoint(words[max(0, at - 2) : at]):
            phrase = _phrase(words[at + 1 :])
            found += phrase + [f"{one}-{two}" for one, two in pairwise(phrase)]
    return found


def _phrase(words: list[str]) -> list[str]:
    phrase: list[str] = []
    for word in words[:_LONGEST_PHRASE]:
        if word in _set(ENDS) or not word[0].isalnum():
            break
        if word not in STOP_WORDS:
            phrase.append(word)
    return phrase


@cache
def _languages() -> tuple[frozenset[str], ...]:
    return tuple(frozenset(line.split()) for line in LANGUAGES.strip().replace("\n  ", " ").splitlines())


def languages(words: Collection[str]) -> set[int]:
    """Return the programming languages, by number, that some words in lower case belong to."""
    return {number for number, language in enumerate(_languages()) if not language.isdisjoint(words)}


def rules(deed: Deed, title: str, tags: Collection[str]) -> tuple[bool, bool]:
    """Tell whether a rule's title, and whether one of its tags, names what a deed is done to."""
    return (not deed.rules.isdisjoint(_called(title)), any(not deed.rules.isdisjoint(_called(tag)) for tag in tags))


def _called(name: str) -> set[str]:
    words = [word for word in re.split(r"[\s_-]+", name.casefold()) if word]
    return {*words, *(f"{one}-{two}" for one, two in pairwise(words))}


def words_of_rules(deeds: Collection[Deed]) -> list[str]:
    """Return the words by which rules about some deeds are called."""
    return sorted({part for deed in deeds for word in deed.rules for part in word.split("-")})


def things_of_rules(deeds: Collection[Deed]) -> list[str]:
    """Return the single words by which the texts of rules about some deeds may be found."""
    return sorted({word for deed in deeds for word in deed.rules if "-" not in word})
