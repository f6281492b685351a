"""Words that count for the words of a question: of one family with them, or what a misspelt one may mean.

A family (families.txt) holds words that mean nearly the same, in English and in other languages.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from . import weights
from .bm25 import Wanted
from .evidence import Lexicon
from .question import Question

SHORTEST_SPELT, LONG = 5, 7  # letters: a shorter word is not corrected; two mistakes are looked for in a long one
MOST_SPELT = 6  # unknown words of a question that are corrected
MOST_LIKE = 5  # words that are equally near to a misspelt one


OFTEN = 200  # lookups from which on an index of the families is quicker than a look through their text


class Families:
    """Families of like words, one on a line.

    A hook asks for a few words and ends: it looks through the text, since an index of it takes a hundred times as long
    to make as one look. A server that goes on asking makes the index.
    """

    def __init__(self, text: str) -> None:
        self._text = " " + text.replace("\n", " \n ")
        self._known: dict[str, tuple[str, ...]] = {}
        self._places: dict[str, list[str]] = {}

    def of(self, term: str) -> tuple[str, ...]:
        """Return the words of all families that a word is in, without the word itself."""
        if self._places:
            return _without(term, self._places.get(term, ()))
        if term not in self._known:
            if len(self._known) == OFTEN:
                self._places, self._known = self._index(), {}
                return self.of(term)
            self._known[term] = _without(term, self._lines_with(term))
        return self._known[term]

    def _lines_with(self, term: str) -> Iterator[str]:
        needle = f" {term} "
        at = self._text.find(needle)
        while at >= 0:
            end = self._text.find("\n", at)
            yield self._text[self._text.rfind("\n", 0, at) + 1 : end]
            at = self._text.find(needle, end)

    def _index(self) -> dict[str, list[str]]:
        """Return the families of each word."""
        places: dict[str, list[str]] = {}
        for line in self._text.split("\n"):
            for word in line.split():
                places.setdefault(word, []).append(line)
        return places


def _without(term: str, lines: Iterable[str]) -> tuple[str, ...]:
    """Return the words of some families without one of them."""
    found = dict.fromkeys(word for line in lines for word in line.split())
    found.pop(term, None)
    return tuple(found)


def misspelt(terms: Iterable[str]) -> list[str]:
    """Return those of some unknown words that may be misspelt: words of letters alone, at most a few."""
    return [term for term in terms if len(term) >= SHORTEST_SPELT - 1 and term.isalpha()][:MOST_SPELT]


def nearest(word: str, choices: Sequence[str], most: int) -> dict[str, int]:
    """Return the known words that differ from a word by so many letters at most, each with the number of mistakes."""
    from rapidfuzz import process  # only questions with unknown words pay for the import
    from rapidfuzz.distance import OSA

    fitting = [each for each in choices if max(len(each), len(word)) >= SHORTEST_SPELT]
    near = process.extract(word, fitting, scorer=OSA.distance, score_cutoff=most, limit=MOST_LIKE)
    return {each: distance for each, distance, _ in near}


def with_another_beginning(word: str, letters: Iterable[str]) -> set[str]:
    """Return what a word may be that begins wrongly: with a letter too many or too few, another, or two swapped."""
    first, rest = word[0], word[1:]
    return {rest, rest[:1] + first + rest[1:], *(each + rest for each in letters), *(each + word for each in letters)}


def wanted(question: Question, lexicon: Lexicon, families: Families) -> Wanted:
    """Return the words to count for each word of a question, with their weights.

    A like word counts a part of the word it stands for, and as the word itself where nobody holds that one. A word
    that nobody holds is first taken for a misspelt one, if a known word is near.
    """
    holding = lexicon.statistics.holding
    found: dict[str, Mapping[str, float]] = {}
    for term in question.terms:
        akin = [each for each in families.of(term) if holding.get(each)]
        if holding.get(term) or term in question.dates:
            found[term] = {term: 1.0} | dict.fromkeys(akin, weights.LIKE)
        else:
            found[term] = dict.fromkeys(_fewest_mistakes(lexicon.near.get(term, {})) or akin, 1.0)
    return found


def _fewest_mistakes(near: Mapping[str, int]) -> Collection[str]:
    fewest = min(near.values(), default=0)
    return [term for term, mistakes in near.items() if mistakes == fewest]
