"""Read what the text of a memory states as a rule: the things it says to use or not to use, the orders that begin its
sentences, and the versions it names.

So a rule is found by what it says, whatever it is called and wherever it is filed.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from ..words import STOP_WORDS
from .deed_table import ENDS, MAKING, RULING
from .outcome import comparable
from .prompt import singular

LONGEST_READ = 5_000  # characters of a memory; rules stand at the beginning of a page
_MOST_NAMED = 3  # words behind a ruling word
_SENTENCE = re.compile(r"[.!?;]+(?=\s|\Z)|[\n。]")
_WORD = re.compile(r"[^\W_]+(?:[-.'’][^\W_]+)*|[,:()—–]")
_LISTING = frozenset(["and", "or", "und", "oder", "et", "ou", "y", "o", "e", "of", "en", "i", "lub", "и", "или"])


@cache
def ruling() -> frozenset[str]:
    """Return the words behind which a rule names what is to be used or not."""
    return frozenset(RULING.split())


@cache
def _ends() -> frozenset[str]:
    return frozenset(ENDS.split())


@lru_cache(maxsize=64)  # as many memories as a prompt is compared with
def sentences(text: str) -> list[list[str]]:
    """Return the words of each sentence or bullet of a text as names are compared, with commas and the like."""
    return [words for each in _SENTENCE.split(comparable(text[:LONGEST_READ])) if (words := _WORD.findall(each))]


def things_ruled(text: str) -> set[str]:
    """Return the words that a text says to use or not to use: of "Use pnpm, never npm" these are pnpm and npm."""
    return {
        word
        for words in sentences(text)
        for at, ruling_word in enumerate(words)
        if ruling_word in ruling()
        for word in _named(words[at + 1 :])
    }


def things_ordered(text: str) -> set[str]:
    """Return the words of the sentences that begin with an order: "Write commit messages in the imperative"."""
    return {word for words in sentences(text) if words[0] in _orders() for word in words}


@cache
def _orders() -> frozenset[str]:
    return frozenset(MAKING.split()) | ruling()


def _named(words: list[str]) -> Iterator[str]:
    found = 0
    for word in words:
        if word in _LISTING:
            continue
        if word in STOP_WORDS and not found and word not in ruling():
            continue  # "use the"
        if word in STOP_WORDS or word in ruling() or not word[0].isalnum() or found == _MOST_NAMED:
            return
        found += 1
        yield word


def orders_the_same(text: str, verb: str, noun: str) -> bool:
    """Tell whether a sentence of a text begins with a verb and has the noun, in one or many.

    Without a noun the verb must be all that is told there as well: "Indent with tabs", not "Store passwords".
    """
    told = [words[1:] for words in sentences(text) if words[0] == verb]
    if noun:
        return any(noun in map(singular, words) for words in told)
    return any(not words or words[0] in _ends() for words in told)


def has_version(text: str, name: str) -> bool:
    """Tell whether a text has a name, in lower case, with a number behind it: "Python 3.12"."""
    return bool(re.search(rf"(?<!\w){re.escape(name)}\s+v?\d", comparable(text[:LONGEST_READ])))
