"""Choose the memories that are truly about a prompt, by five rules, and none where no rule holds.

1. Name: the prompt names a person, a project, a product or another thing, and a memory is called so; or it says a rare
   name that a memory writes with a capital letter.
2. Path: the prompt has a path or an identifier that stands in a memory.
3. Words: the prompt and a memory share two words that say something, and these are a good part of the prompt; or a
   question is about one thing alone, and that is in a memory's title.
4. Deed: the prompt asks for a deed, and a preference's title or tags say that it rules this deed.
5. Statement: a memory's text states a rule about what the prompt says. It says to use or not to use what the prompt
   names, does something to or asks about alone, what belongs to the deed it asks for, or is of the kind it asks for; it
   begins a sentence with the same order; or it names the version that the prompt asks for.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from ..words import STOP_WORDS, terms
from .deeds import languages, rules
from .known_words import is_product, word_names_no_subject
from .prompt import Prompt, singular
from .stated import has_version, orders_the_same, things_ordered, things_ruled

RULES = frozenset(
    ["preferences", "preference", "conventions", "convention", "rules", "guidelines", "standards", "practices"]
)  # categories of memories that say how things are done
PROJECTS = frozenset(["projects", "project", "products", "services", "repositories", "repos", "tools"])
PEOPLE = frozenset(["people", "person", "persons", "contacts", "team", "colleagues"])

SHARE = 0.4  # of what a prompt says: from here on two shared words are enough
MOSTLY = 0.7  # of what a prompt says: a further memory that holds as much is handed over too
TELLING = 0.05  # the least that a word must tell: one that nearly every memory holds is no reason
RARE = 2.5  # … or so much of rare words, however long the prompt is
LONG = 5  # letters of a title's word that a word of another language may begin with
TITLE, TAG, PASSAGE = 1.0, 0.8, 0.6  # the worth of a word by the place where a memory has it
CALLED, NAMED = 2.0, 1.0  # the worth of a name: of a person, a project or an identifier; of anything else
RULED_BY_TITLE, RULED_BY_TAG = 1.5, 0.7  # the worth of a rule about a deed that the prompt asks for
NEAR_THE_BEST = 0.9  # a memory that is worth less than this part of the best one is left out


class Known(NamedTuple):
    """A memory as it is compared with a prompt; the passage is what would be handed over of it."""

    id: str
    category: str
    title: str
    tags: Sequence[str]
    passage: str
    text: str


def about(prompt: Prompt, memories: Sequence[Known]) -> list[str]:
    """Return the ids of the memories that a prompt is about, the nearest first; of equals those given first.

    A memory that is worth much less than the best one is left out, unless it has as much of the prompt's words.
    """
    found = [(memory.id, *_worth(prompt, memory)) for memory in memories]
    found = sorted((each for each in found if each[1]), key=lambda each: -each[1])
    return [
        id
        for id, worth, part in found
        if worth >= NEAR_THE_BEST * found[0][1] or part >= max(found[0][2], MOSTLY * prompt.whole) > 0
    ]


def _worth(prompt: Prompt, memory: Known) -> tuple[float, float]:
    """Return how much speaks for a memory that is about a prompt, and what it holds of it if it shares several words.

    Both are 0 for a memory that is not about the prompt.
    """
    title, tags = set(terms(memory.title)), set(terms(" ".join(memory.tags)))
    shared = _shared(prompt, title, tags, prompt.terms_in(memory.passage))
    by_rule = max(_named(prompt, memory), _holds_identifier(prompt, memory))
    by_rule += max(_ruled(prompt, memory), _states(prompt, memory))
    if not by_rule and not _is_all_of_it(prompt, memory) and not _shares_enough(prompt, shared):
        return 0.0, 0.0
    worth = by_rule + sum(prompt.weights[term] * place for term, place in shared.items())
    return worth, sum(prompt.weights[term] for term in shared if shared[term] >= PASSAGE) if len(shared) > 1 else 0.0


def _named(prompt: Prompt, memory: Known) -> float:
    """Rule 1: return the worth of a name that the prompt says and the memory's title or text has, 0.0 without one.

    Names are compared as they are written: "simulate" does not name the simulator.
    """
    called = [word for word in memory.title.casefold().split("-") if word not in STOP_WORDS]
    subject = {singular(word) for word in called if not word_names_no_subject(word)}
    here = subject & prompt.words.keys()
    names = {word for word in here if prompt.is_name(word)}
    whole = bool(here) and here == subject
    if len(called) > 1 and prompt.written.issuperset(map(singular, called)):
        return CALLED
    said = sum(prompt.weights[prompt.words[word]] for word in here)
    if whole and (len(here) > 1 or names or (memory.category in PROJECTS and said >= SHARE * prompt.whole)):
        return CALLED
    if names and memory.category in PEOPLE | PROJECTS:
        return CALLED
    if memory.category in PEOPLE and ((whole and prompt.asks) or any(map(prompt.is_capitalized, here))):
        return CALLED
    products = any(is_product(prompt.words[word]) for word in names)
    mostly = bool(names) and said >= SHARE * prompt.whole
    return NAMED * (products or mostly or any(_writes_as_name(memory.text, word) for word in prompt.rare_names))


def _writes_as_name(text: str, word: str) -> bool:
    """Tell whether a text has a word, given in lower case, with a capital letter or as a function of some code."""
    word = re.escape(word)
    return bool(re.search(rf"(?<!\w)(?:(?!{word})(?i:{word})(?!\w)|{word}\()", text))


def _holds_identifier(prompt: Prompt, memory: Known) -> float:
    """Rule 2: return the worth of a path or an identifier that stands in the memory as a whole, 0.0 without one."""
    text = f"{memory.title} {memory.text}".lower()
    return CALLED * any(re.search(rf"(?<!\w){re.escape(each)}(?!\w)", text) for each in prompt.identifiers)


def _shared(prompt: Prompt, title: set[str], tags: set[str], passage: set[str]) -> dict[str, float]:
    """Return the words of a prompt that a memory has, each with the worth of its place; a like word counts in part."""
    own = ((TITLE, title), (TAG, tags), (PASSAGE, passage))
    akin = own if prompt.foreign else own[:2]
    found: dict[str, float] = {}
    for term in prompt.weights:
        like = set() if is_product(term) else {*prompt.akin.get(term, ())}.difference(prompt.weights)  # once each
        worth = next((place for place, words in own if term in words), 0.0)
        if worth := worth or next((prompt.like * place for place, words in akin if not words.isdisjoint(like)), 0.0):
            found[term] = worth
        elif prompt.foreign and any(len(word) >= LONG and term.startswith(word[:-1]) for word in title):
            found[term] = TITLE  # "deployen": a word of the trade with another language's ending
    return found


def _is_all_of_it(prompt: Prompt, memory: Known) -> bool:
    """Rule 3: tell whether all that a question says stands in the memory's title, as it is written."""
    said = {word for word, term in prompt.words.items() if not prompt.is_unread(term)}
    return prompt.asks and bool(said) and said <= set(map(singular, memory.title.casefold().split("-")))


def _shares_enough(prompt: Prompt, shared: Mapping[str, float]) -> bool:
    """Rule 3: tell whether the shared words, with the worth of their places, are enough.

    One of two words may be a like word if the other stands in the title or a tag.
    """
    shared = {term: place for term, place in shared.items() if prompt.weights[term] >= TELLING}
    own = [term for term, place in shared.items() if place in (TITLE, TAG, PASSAGE)]
    filed = any(shared[term] >= TAG for term in own)
    if len(own) < 2 and not (len(shared) >= 2 and (filed or prompt.foreign)):
        return False
    part = sum(prompt.weights[term] * (1.0 if term in own else prompt.like) for term in shared)
    return part >= SHARE * prompt.whole or sum(prompt.weights[term] for term in own) >= RARE


def _ruled(prompt: Prompt, memory: Known) -> float:
    """Rule 4: return the worth of a rule about a deed that the prompt asks for, 0.0 for another memory."""
    if memory.category not in RULES or _is_of_other_language(prompt, memory.title.casefold().split("-"), memory.tags):
        return 0.0
    told = [rules(deed, memory.title, memory.tags) for deed in prompt.deeds]
    if any(by_title for by_title, _ in told):
        return RULED_BY_TITLE
    return RULED_BY_TAG if any(by_tag for _, by_tag in told) else 0.0


def _is_of_other_language(prompt: Prompt, words: Collection[str], tags: Sequence[str] = ()) -> bool:
    """Tell whether what names a rule belongs to a programming language, and the prompt to others."""
    belongs = languages({*words, *map(str.casefold, tags)})
    return bool(belongs and prompt.languages) and belongs.isdisjoint(prompt.languages)


def _states(prompt: Prompt, memory: Known) -> float:
    """Rule 5: return the worth of a rule that a memory's text states about what the prompt says, 0.0 without one."""
    text = memory.text
    if any(orders_the_same(text, *order) for order in prompt.orders):
        return RULED_BY_TITLE
    if any(has_version(text, name) for name in prompt.versions_asked):
        return RULED_BY_TITLE
    ruled = things_ruled(text)
    if _rules_a_thing(prompt, ruled) or _rules_one_of_a_kind(prompt, ruled):
        return RULED_BY_TITLE
    if _is_of_other_language(prompt, ruled, memory.tags):
        return 0.0
    told = ruled | things_ordered(text) if prompt.deeds else ruled
    return RULED_BY_TAG * any(not deed.rules.isdisjoint(told) for deed in prompt.deeds)


def _rules_a_thing(prompt: Prompt, ruled: Collection[str]) -> bool:
    """Tell whether the prompt names a thing that is ruled, does something to it, or asks about it alone."""
    things = {singular(word) for word in ruled} & prompt.words.keys()
    if things and prompt.single and prompt.asks:
        return True
    return not things.isdisjoint(prompt.done_to) or any(map(prompt.is_name, things))


def _rules_one_of_a_kind(prompt: Prompt, ruled: Collection[str]) -> bool:
    """Tell whether the prompt asks which one of a kind, and a thing that is ruled is of this kind."""
    kinds = {*prompt.akin.get(prompt.single, ())} if prompt.chooses else set()
    return bool(kinds) and any(not kinds.isdisjoint(terms(thing)) for thing in ruled)


def words_shown(prompt: Prompt, text: str) -> set[str]:
    """Return the words, as they are searched for, that the passage of a memory's text should hold for a prompt."""
    ruled = things_ruled(text)
    deeds = {thing for deed in prompt.deeds for thing in deed.rules.intersection(ruled)}
    return {*prompt.question.terms, *(term for thing in deeds for term in terms(thing))}
