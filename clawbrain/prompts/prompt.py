"""A prompt as the rules read it: what its words tell, the names, paths and deeds in it, and whether it asks."""

import re
from collections.abc import Collection, Mapping
from functools import cache, cached_property

from ..search.question import Question
from ..search.stop_words import stop_words_for
from ..words import JOINED, STOP_WORDS, beginnings, terms_of, whole, word_pattern
from .deeds import asked, languages, orders
from .known_words import is_ordinary, is_product, names_no_subject
from .outcome import comparable

LIKE, TRANSLATED = 0.3, 0.9  # the part of a word that a like word counts; in a prompt in another language
RARELY_HELD = 0.8  # the weight from which on a word is so rare in the store that a name says it all
SHORTEST_NAME = 3  # letters

_ASKING = """
who whom whose what when where which why how is are was were did does should shall have
wer was wann wo welche welcher welches warum wieso wie qui que quand où quel quelle quels quelles pourquoi comment
quién qué cuándo dónde cuál cómo quem quando onde qual como chi cosa dove quale perché come
wat wanneer waar welke waarom hoe kto co kiedy gdzie który która dlaczego jak
кто что когда где какой какая почему как
"""
# As words are compared, without accents and without the s of many:
_WHICH = "which welche welcher welches quel quelle qual quai quale quali welke ktora ktory какои какая"
_VERSION = "version versao versione versie wersja wersji версия версии"
_QUESTION = re.compile(rf"(?is)(?:(?:so|and|but|ok|hey),? )*(?:(?:{'|'.join(_ASKING.split())})\b|.*[?？]\s*\Z)")
_IDENTIFIER = re.compile(r"[\w./:-]*[^\W_][\w./:-]*")
_TELLING = re.compile(
    r"\w/\w|[^\W_]_[^\W_]|[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d|[A-Za-z]-\d|\w\.\w|\A(?!(?:19|20)\d\d\Z)\d{4,12}\Z"
)  # a path, a joined word, humps, letters with digits, a dotted name, a port or code that is no year
_CAPITALS = re.compile(r"[A-Z]{3,}")
_COMMON = """
readme.md package.json pyproject.toml main.py main.c main.go main.rs main.java index.html index.js index.ts utils.py
app.py setup.py config.json dockerfile makefile and/or either/or e.g i.e etc.
"""  # what looks like an identifier and names nothing


@cache
def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


def singular(word: str) -> str:
    """Return a word as names are compared, without the s of many."""
    return word[:-1] if len(word) > SHORTEST_NAME and word.endswith("s") and not word.endswith("ss") else word


class Prompt:
    """A prompt that was read.

    `rarity` is what each term of the question tells in this store, from 0 to 1; `akin` has the words of each term's
    families, none for a name.
    """

    def __init__(self, question: Question, rarity: Mapping[str, float], akin: Mapping[str, Collection[str]]) -> None:
        self.question, self.akin = question, akin
        self._written = word_pattern(question.read).findall(question.read)
        lowered = [word.lower() for word in self._written]
        self.foreign = stop_words_for(lowered) != STOP_WORDS
        self.like = TRANSLATED if self.foreign else LIKE
        self.weights = {term: rarity.get(term, 1.0) for term in question.terms if term and not names_no_subject(term)}
        self.whole = sum(weight for term, weight in self.weights.items() if not self.is_unread(term))
        self.written = {singular(comparable(word)) for word in self._written}
        self.asks = bool(_QUESTION.match(question.read))
        self.languages = languages(lowered)
        self.deeds = asked(question.read, akin if self.foreign else {})

    @property
    def says_nothing(self) -> bool:
        """Tell whether a prompt has no word that could be a reason to hand over a memory."""
        return not (self.weights or self.deeds or self.identifiers or self.orders or self.versions_asked)

    @cached_property
    def _told(self) -> list[tuple[str, list[str]]]:
        told = [(verb, list(map(singular, map(comparable, phrase)))) for verb, phrase in orders(self.question.read)]
        return [(comparable(verb), phrase) for verb, phrase in told if phrase]

    @cached_property
    def orders(self) -> list[tuple[str, str]]:
        """Return what the prompt tells to do, each as a verb and the noun it is done to, as rules are compared.

        Where at most the verb says something ("indent the file"), it stands alone too.
        """
        alone = [(verb, "") for verb, _ in self._told if set(terms_of(verb)).issuperset(self.weights)]
        return [*((verb, phrase[-1]) for verb, phrase in self._told), *alone]

    @cached_property
    def done_to(self) -> set[str]:
        """Return the nouns that something is to be done to: those that have no other word with them ("run pyright"),
        and the last word behind a program's name ("pip install requests")."""
        by_program = [phrase for verb, phrase in self._told if any(map(is_product, terms_of(verb)))]
        return {phrase[-1] for phrase in [*by_program, *(each for _, each in self._told if len(each) == 1)]}

    @cached_property
    def versions_asked(self) -> list[str]:
        """Return the words of a question for a version, one of which may name the thing; none of another prompt."""
        if not (self.asks and self.written & _set_of(_VERSION)):
            return []
        words = {comparable(word) for word in self._written} - _set_of(_VERSION) - STOP_WORDS
        return [word for word in words if len(word) >= SHORTEST_NAME and not word.isdigit()]

    @cached_property
    def single(self) -> str:
        """Return the one word that says all of the prompt, as it is searched for, or ''."""
        telling = [term for term in self.weights if not self.is_unread(term)]
        return telling[0] if len(telling) == 1 else ""

    @cached_property
    def chooses(self) -> bool:
        """Tell whether the prompt asks which one of a kind."""
        return self.asks and not self.written.isdisjoint(_set_of(_WHICH))

    @cached_property
    def words(self) -> dict[str, str]:
        """Return the words that say something as names are compared, each with its term."""
        found: dict[str, str] = {}
        for written in self._written:
            term = next((term for term in terms_of(written) if term in self.weights), "")
            if term:
                found[singular(comparable(written))] = term
        return found

    def is_unread(self, term: str) -> bool:
        """Tell whether a term is a word of another language that no family knows, such as a form of a verb."""
        return self.foreign and self.is_unknown(term) and term.isalpha() and term not in self.question.names

    def terms_in(self, text: str) -> set[str]:
        """Return the terms of a text, at least those that are the prompt's or like them; all would take long."""
        found = {
            term for word in word_pattern(text).findall(text) if self._may_be_said(word) for term in terms_of(word)
        }
        return found.union(map(whole, JOINED.findall(text)))

    def _may_be_said(self, word: str) -> bool:
        return not word.isascii() or not word.islower() or word.startswith(self._beginnings)

    @cached_property
    def _beginnings(self) -> tuple[str, ...]:
        like = {each for term in self.weights for each in self.akin.get(term, ())} if self.foreign else set()
        return tuple({begun for term in {*self.weights, *like} if term for begun in beginnings(term)})

    def is_name(self, word: str) -> bool:
        """Tell whether one of `words` is a name: a product's, a word that nobody knows, or one with a capital."""
        term = self.words[word]
        return is_product(term) or self.is_unknown(term)

    def is_unknown(self, term: str) -> bool:
        """Tell whether a term is no word of the vocabulary and no product's name: mostly the name of something."""
        return len(term) >= SHORTEST_NAME and not (self.akin.get(term) or is_ordinary(term) or is_product(term))

    def is_capitalized(self, word: str) -> bool:
        """Tell whether the prompt writes one of `words` with a capital letter where none is needed."""
        return self.words[word] in self.question.names

    @cached_property
    def rare_names(self) -> list[str]:
        """Return the words that are unknown and rare in the store, as they are written but in lower case."""
        rare = {term for term, weight in self.weights.items() if weight >= RARELY_HELD and self.is_unknown(term)}
        return [word.lower() for word in self._written if not rare.isdisjoint(terms_of(word))]

    @cached_property
    def identifiers(self) -> list[str]:
        """Return the paths and identifiers of the prompt, in lower case."""
        found = [word.strip(".:-/") for word in _IDENTIFIER.findall(self.question.read)]
        telling = [word.lower() for word in found if len(word) > 1 and self._is_telling(word)]
        return [word for word in telling if word not in _COMMON.split()]

    def _is_telling(self, word: str) -> bool:
        if _CAPITALS.fullmatch(word):  # an abbreviation that is no common one
            return any(term in self.weights and self.is_unknown(term) for term in terms_of(word))
        return bool(_TELLING.search(word))
