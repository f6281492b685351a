"""Apply the rules to a person's words."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from ..prompts.keeping import asks_to_keep
from ..prompts.known_words import is_product
from ..words import terms
from .languages import LANGUAGES, Language
from .proposal_rules import CHARGE, ORDER, RULES, WISH, Rule
from .prose import sentences

SHORTEST_WISH = 4  # words
MOST = 6  # claims of one text; one that has more was pasted


class LastingStatement(NamedTuple):
    """A sentence that is stated as lasting: what sort of thing it says, how sure that is, and whether it was asked to
    be kept."""

    sentence: str
    kind: str
    strength: float
    wish: bool = False


def notice(text: str) -> list[LastingStatement]:
    """Return the claims in a person's words, in the order in which they were said; none of a text that has too many."""
    lowered = text.lower()
    if not (asks_to_keep(text) or any(_possible(language, lowered) for language in LANGUAGES)):
        return []
    found: dict[str, LastingStatement] = {}
    for sentence in sentences(text):
        if claim := _claim(sentence):
            found.setdefault(claim.sentence, claim)
    return list(found.values()) if len(found) <= MOST else []


def _claim(sentence: str) -> LastingStatement | None:
    found = _first(sentence)
    if asks_to_keep(sentence):
        start = max(next(_clauses(language, sentence)) for language in LANGUAGES)
        return _wished(_from(sentence, start), found[0].kind if found else WISH.kind)
    if not found:
        return None
    rule, at = found
    return LastingStatement(_from(sentence, at), rule.kind, rule.strength)


def _wished(sentence: str, kind: str) -> LastingStatement | None:
    """Return the claim of a sentence that is to be kept, unless all that it says is that something is to be kept."""
    says_something = len(sentence.split()) >= SHORTEST_WISH or not sentence.isascii()
    return LastingStatement(sentence, kind, WISH.strength, wish=True) if says_something else None


def _first(sentence: str) -> tuple[Rule, int] | None:
    """Return the first rule of any language that a sentence fulfils, and where the clause begins that does."""
    lowered = sentence.lower()
    for language in LANGUAGES:
        rules = _possible(language, lowered)
        if rules and (found := _by(language, rules, sentence)):
            return found
    return None


def _possible(language: Language, lowered: str) -> list[Rule]:
    """Return the rules that a text in lower case may fulfil; patterns take long to compile."""
    if not any(word in lowered for word in language.words):
        return []
    return [rule for rule in RULES if _may_hold(rule, language, lowered)]


def _may_hold(rule: Rule, language: Language, lowered: str) -> bool:
    """Tell whether a sentence has a word without which a rule cannot hold."""
    telling = language.telling.get(rule.key)
    return rule.key in language.rules and (not telling or any(word in lowered for word in telling.split("|")))


def _by(language: Language, rules: Sequence[Rule], sentence: str) -> tuple[Rule, int] | None:
    begins = list(_clauses(language, sentence))
    if _pattern(language.task).match(sentence, begins[0]) or _pattern(language.passing).search(sentence):
        return None
    ends_in_task = bool(_pattern(language.then).search(sentence))
    for at in begins:
        for rule in rules:
            if ends_in_task and rule is not ORDER:
                continue
            if rule is CHARGE and _is_of_product(sentence, at):
                continue
            if _pattern(language.rules[rule.key]).match(sentence, at):
                return rule, at
    return None


def _is_of_product(sentence: str, at: int) -> bool:
    """Tell whether a clause begins with the name of a well-known product, which owns and runs things as people do."""
    return any(map(is_product, terms(sentence[at:].partition(" ")[0])))


def _clauses(language: Language, sentence: str) -> Iterator[int]:
    """Yield the places where a clause begins: at first, without words like "btw", and behind marks."""
    led = _pattern(language.lead).match(sentence)
    start = led.end() if led else 0
    yield start
    for mark in _pattern(language.joint).finditer(sentence, start):
        yield mark.end()


def _from(sentence: str, at: int) -> str:
    rest = sentence[at:]
    return rest[:1].upper() + rest[1:] if at else sentence


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Return a pattern of a language compiled; its lines are put together, so that a long one can be read."""
    return re.compile(text.replace("\n", ""), re.IGNORECASE)
