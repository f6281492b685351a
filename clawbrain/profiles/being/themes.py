"""The themes of what was said, found without a model: words that the conversation keeps coming back to.

A theme that the store knows already comes first, so that what is said falls into the cluster it belongs to. What only
the answers say ("Noted", "I will keep that in mind") is a way of speaking: it is a theme where nobody else names one.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ...search.stop_words import stop_words_for
from ...words import is_unspaced, terms, terms_of, word_pattern
from ..shared.sorting import SMALL_WORDS, is_small_talk

MOST = 3  # themes of an exchange
UNTOLD = "talk"  # the theme of what tells nothing
_READ = 20_000  # characters of an exchange
_SHORTEST, _LONGEST = 3, 40  # letters of a theme
_HIDDEN = re.compile(r"\[redacted[^\]]*\]|https?://\S+|`[^`\n]{80,}`")
_COMPOUND = re.compile(r"[\u4e00-\u9fff々]{2,6}|[\u30a0-\u30ffー]{2,12}")  # in scripts without spaces
_SAID_OF_ANYTHING = """
actually add added agree already also always another answer anyone anything ask asked available back bad better bit
bring broke broken certain change changed check checked close come could course day days done else everything exactly
explain file files find first fix fixed found get give given glad going gone got happen happened happy hear help here
hope idea instead issue just keep kept kind know last later least left less let like line little long look looked
looking lot made make many matter maybe mean mind minute minutes monday much must name need needed needs never new next
noted nothing now number often okay once one open other part people perhaps place please point possible probably problem
put question quick quickly read ready really reason remember right run running said save saw say second see seem seems
seen send set shall show simple since small some somebody someone something soon sort start started still stop stuff
sure system take tell text thank thing things think third thought three time times today together told tomorrow tonight
took tried true try trying turn two understand understood update updated use used user users using usually want wanted
way week well went whether whole will without word words work worked working works would write written wrong wrote yes
yesterday yet tuesday wednesday thursday friday saturday sunday january february march april june july august september
october november december assistant feel feels felt finish finished
bitte braucht brauche danke erinnere gerne gestern gut heute mache machen macht möchte morgen sehr wollen
besoin bien demain dois doit faire faut hier merci plaît veut veux
favor gracias hacer hoy mañana necesita necesito quiere quiero
amanhã hoje obrigada obrigado precisa preciso quero
bisogno deve devo domani favore grazie oggi voglio vuole
alstublieft bedankt gisteren graag nodig vandaag
dobrze dziękuję dzisiaj jutro potrzebuję proszę trzeba wczoraj
завтра надо нужно пожалуйста сегодня спасибо хорошо хочу
"""
_NO_THEMES = frozenset(_SAID_OF_ANYTHING.split()) | SMALL_WORDS
_NO_STEMS = frozenset(stem for word in _SAID_OF_ANYTHING.split() for stem in terms_of(word))


class Talk(NamedTuple):
    """The texts of an exchange: what was asked or told, and what was answered."""

    asked: str
    answered: str = ""


_Forms = dict[str, Counter[str]]
"""Words by stem, each with the forms in which it is said."""


def themes(exchanges: Sequence[Talk], known: Iterable[str]) -> list[list[str]]:
    """Return one to MOST themes of each exchange of a conversation; `known` are the themes of the store.

    What names no theme goes on with the one before, unless it is small talk.
    """
    texts = ["\n".join(exchange) for exchange in exchanges]
    empty = _stop_words("\n".join(texts)[:_READ])
    said = [_words(text, empty) for text in texts]
    asked = set[str]().union(*(_words(exchange.asked, empty) for exchange in exchanges))
    said = [{stem: words[stem] for stem in words if stem in asked} or words for words in said]
    spread = Counter(stem for words in said for stem in words)
    tags = [(tag, set(terms(tag.replace("-", " ").replace("_", " ")))) for tag in sorted(set(known))]
    found = [_themes(text, words, spread, tags) for text, words in zip(texts, said, strict=True)]
    for number, text in enumerate(texts):
        before = found[number - 1] if number else []
        found[number] = found[number] or (before if not is_small_talk(text) else []) or [UNTOLD]
    return found


def _themes(
    exchange: str, words: _Forms, spread: Counter[str], tags: Iterable[tuple[str, AbstractSet[str]]]
) -> list[str]:
    held = set(terms(exchange[:_READ]))
    known = [tag for tag, wanted in tags if wanted and held.issuperset(wanted) and not wanted.isdisjoint(words)]
    known.sort(key=lambda tag: (-len(tag), tag))

    def weight(stem: str) -> tuple[int, int, int]:
        counts = words[stem]
        return spread[stem], sum(counts.values()), any(not form.islower() for form in counts)

    own = sorted(words, key=weight, reverse=True)
    named = {stem for tag in known[:MOST] for stem in terms(tag.replace("-", " "))}
    fresh = [_form(words[stem]) for stem in own if stem not in named]
    return list(dict.fromkeys([*known, *fresh]))[:MOST]


def _form(counts: Counter[str]) -> str:
    """Return the form in which a word is said most, in lower case."""
    return counts.most_common(1)[0][0].casefold()


def _words(text: str, empty: AbstractSet[str]) -> _Forms:
    """Return the words of a text that may be themes; the `empty` ones say nothing of it, nor do those of its own
    language."""
    text = _HIDDEN.sub(" ", text[:_READ])
    empty = empty | _stop_words(text)
    found: _Forms = {}
    for word in word_pattern(text).findall(text):
        for form in _COMPOUND.findall(word) if is_unspaced(word) else [word]:
            stem = terms_of(form)[0] if terms_of(form) else form
            if is_unspaced(form) or (_may_be_a_theme(form, empty) and stem not in _NO_STEMS):
                found.setdefault(stem, Counter())[form] += 1
    return found


def _stop_words(text: str) -> frozenset[str]:
    lowered = text.lower()
    return stop_words_for(word_pattern(lowered).findall(lowered))


def _may_be_a_theme(word: str, empty: AbstractSet[str]) -> bool:
    plain = word.casefold()
    if not _SHORTEST <= len(word) <= _LONGEST or not word[0].isalpha():
        return False
    return plain not in empty and plain not in _NO_THEMES
