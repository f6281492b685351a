"""Which memories are truly about a prompt, by four rules, and silence where none holds.

1. Name: the prompt names a person, a project, a product or an identifier, and a memory has it in its title.
2. Path: the prompt has a path or an identifier that stands in a memory.
3. Words: two words that say something stand in a memory, at least one of them in its title or tags or all near one
   another, and they are a good part of what the prompt says.
4. Deed: the prompt asks for a deed, and a preference's title or tags say that it rules this deed.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..search.question import Question
from ..search.stop_words import stop_words_for
from ..words import STOP_WORDS, terms, word_pattern
from .deeds import Deed, asked, languages, rules
from .vocabulary import is_ordinary, is_product, names_no_subject

RULES = frozenset(
    ["preferences", "preference", "conventions", "convention", "rules", "guidelines", "standards", "practices"]
)  # categories of memories that say how things are done
PROJECTS = frozenset(["projects", "project", "products", "services", "repositories", "repos", "tools"])
PEOPLE = frozenset(["people", "person", "persons", "contacts", "team", "colleagues"])

SHARE = 0.4  # of what a prompt says: from here on two shared words are enough
RARE = 2.5  # … or so much of rare words, however long the prompt is
LIKE, TRANSLATED = 0.3, 0.9  # the part of a word that a like word counts; in a prompt in another language
TITLE, TAG, PASSAGE = 1.0, 0.8, 0.6  # the worth of a word by the place where a memory has it
NAMED, RULED_BY_TITLE, RULED_BY_TAG = 2.0, 1.5, 0.7  # the worth of a rule that holds, to compare memories by
NEAR_THE_BEST = 0.6  # a memory that is worth less than this part of the best one is left out

LONG = 5  # letters of a title's word that a word of another language may begin with

_ASKING = """
who whom whose what when where which why how is are was were did does should shall have
wer was wann wo welche welcher welches warum wieso wie qui que quand où quel quelle quels quelles pourquoi comment
quién qué cuándo dónde cuál cómo quem quando onde qual como chi cosa dove quale perché come
wat wanneer waar welke waarom hoe kto co kiedy gdzie który która dlaczego jak кто что когда где какой какая почему как
"""
_QUESTION = re.compile(rf"(?is)(?:(?:so|and|but|ok|hey),? )*(?:(?:{'|'.join(_ASKING.split())})\b|.*[?？]\s*\Z)")
_IDENTIFIER = re.compile(r"[\w./:-]*[^\W_][\w./:-]*")
_TELLING = re.compile(r"\w/\w|[^\W_]_[^\W_]|[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d|[A-Za-z]-\d|\w\.\w|^(?!19|20)\d{4,6}$")
_COMMON = """
readme.md package.json pyproject.toml main.py main.c main.go main.rs main.java index.html index.js index.ts utils.py
app.py setup.py config.json dockerfile makefile and/or either/or e.g i.e etc.
"""  # what looks like an identifier and names nothing


@dataclass(frozen=True, slots=True)
class Known:
    """A memory as it is compared with a prompt; the passage is what would be handed over of it."""

    id: str
    category: str
    title: str
    tags: Sequence[str]
    passage: str
    text: str


class Prompt:
    """A prompt, read: its words with what each tells (0 to 1), their like words, its deeds and identifiers."""

    def __init__(self, question: Question, rarity: Mapping[str, float], akin: Mapping[str, Collection[str]]) -> None:
        self.question, self.akin = question, akin
        said = word_pattern(question.read).findall(question.read.lower())
        self.foreign = stop_words_for(said) != STOP_WORDS
        self.like = TRANSLATED if self.foreign else LIKE
        self.asks = bool(_QUESTION.match(question.read))
        self.languages = languages(said)
        self.weights = {term: rarity.get(term, 1.0) for term in question.terms if term and not names_no_subject(term)}
        self.whole = sum(self.weights.values())
        self.deeds: list[Deed] = asked(question.read, akin if self.foreign else {})

    @property
    def says_nothing(self) -> bool:
        """Tell whether a prompt has no word that could be a reason to hand over a memory."""
        return not (self.weights or self.deeds or self.identifiers)

    @cached_property
    def identifiers(self) -> list[str]:
        """Return the paths and identifiers of the prompt, in lower case."""
        found = (word.strip(".:-/") for word in _IDENTIFIER.findall(self.question.read))
        telling = [word for word in found if len(word) > 1 and _TELLING.search(word)]
        return [word.lower() for word in telling if word.lower() not in _COMMON.split()]

    def is_name(self, term: str) -> bool:
        """Tell whether a word of the prompt can only be a name: no word of the vocabulary, or a product."""
        return term in self.weights and (
            is_product(term) or not (self.akin.get(term) or is_ordinary(term) or len(term) < 3)
        )

    def is_capitalized(self, term: str) -> bool:
        """Tell whether the prompt writes a word with a capital letter where none is needed."""
        return term in self.question.names


def about(prompt: Prompt, memories: Sequence[Known]) -> list[str]:
    """Return the ids of the memories that a prompt is about, the nearest first; of equals those given first."""
    worth = {memory.id: _worth(prompt, memory) for memory in memories}
    best = max(worth.values(), default=0.0)
    near = [id for id, each in worth.items() if each and each >= NEAR_THE_BEST * best]
    return sorted(near, key=lambda id: -worth[id])


def _worth(prompt: Prompt, memory: Known) -> float:
    """Return how much speaks for a memory that is about a prompt; 0 for one that is not."""
    title, tags = set(terms(memory.title)), set(terms(" ".join(memory.tags)))
    shared = _shared(prompt, title, tags, set(terms(memory.passage)))
    worth = sum(prompt.weights[term] * place for term, place in shared.items())
    named = NAMED * _is_named(prompt, memory, title)
    ruled = _ruled(prompt, memory)
    held = NAMED * _has_identifier(prompt, memory)
    if named or ruled or held or _shares_enough(prompt, shared, title):
        return worth + max(named, held) + ruled
    return 0.0


def _shared(prompt: Prompt, title: set[str], tags: set[str], passage: set[str]) -> dict[str, float]:
    """Return the words of a prompt that a memory has, each with the worth of its place; a like word counts in part."""
    found: dict[str, float] = {}
    for term in prompt.weights:
        own = ((TITLE, title), (TAG, tags), (PASSAGE, passage))
        worth = next((place for place, words in own if term in words), 0.0)
        like = prompt.akin.get(term, ())
        akin = own if prompt.foreign else own[:2]
        if worth := worth or next((prompt.like * place for place, words in akin if not words.isdisjoint(like)), 0.0):
            found[term] = worth
        elif prompt.foreign and any(len(word) >= LONG and term.startswith(word) for word in title):
            found[term] = TITLE  # "deployen": a word of the trade with another language's ending
    return found


def _is_named(prompt: Prompt, memory: Known, title: set[str]) -> bool:
    """Rules 1: tell whether the prompt names the memory: by a name in its title, or by its whole title."""
    subject = {term for term in title if not names_no_subject(term)}
    ordinary = len(subject) == 1 and memory.category not in PROJECTS and not any(map(prompt.is_name, subject))
    if subject and not ordinary and subject <= prompt.weights.keys():
        return True
    here = subject & prompt.weights.keys()
    if memory.category in PEOPLE:
        return any(not prompt.akin.get(term) or prompt.is_capitalized(term) for term in here)
    return any(prompt.is_name(term) for term in here)


def _has_identifier(prompt: Prompt, memory: Known) -> bool:
    """Rule 2: tell whether a path or an identifier of the prompt stands in the memory's text, as a whole."""
    text = f"{memory.title} {memory.text}".lower()
    return any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text) for each in prompt.identifiers)


def _shares_enough(prompt: Prompt, shared: Mapping[str, float], title: set[str]) -> bool:
    """Rule 3: tell whether enough words are shared: all that a question says, in the title; or two that are a good
    part of it, or much of rare words. One of two may be a like word if the other stands in the title or a tag."""
    own = [term for term, place in shared.items() if place in (TITLE, TAG, PASSAGE)]
    if prompt.weights and prompt.asks and prompt.weights.keys() <= title:
        return True
    filed = any(shared[term] >= TAG for term in own)
    if len(own) < 2 and not (len(shared) >= 2 and (filed or prompt.foreign)):
        return False
    part = sum(prompt.weights[term] * (1.0 if term in own else prompt.like) for term in shared)
    return part >= SHARE * prompt.whole or sum(prompt.weights[term] for term in own) >= RARE


def _ruled(prompt: Prompt, memory: Known) -> float:
    """Rule 4: return the worth of a rule about a deed that the prompt asks for, 0.0 for another memory."""
    if memory.category not in RULES:
        return 0.0
    belongs = languages({*memory.title.casefold().split("-"), *map(str.casefold, memory.tags)})
    if belongs and prompt.languages and belongs.isdisjoint(prompt.languages):
        return 0.0
    told = [rules(deed, memory.title, memory.tags) for deed in prompt.deeds]
    if any(by_title for by_title, _ in told):
        return RULED_BY_TITLE
    return RULED_BY_TAG if any(by_tag for _, by_tag in told) else 0.0
