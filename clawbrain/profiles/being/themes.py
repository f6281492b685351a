"""The themes of what was said, found without a model: words that the conversation keeps coming back to.

A theme that the store knows already comes first, so that what is said falls into the cluster it belongs to.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from ...words import STOP_WORDS, is_unspaced, terms, terms_of, word_pattern
from ..shared.sorting import SMALL_WORDS, is_small_talk

MOST = 3  # themes of an exchange
UNTOLD = "talk"  # the theme of what tells nothing
_READ = 20_000  # characters of an exchange
_SHORTEST, _LONGEST = 3, 40  # letters of a theme
_HIDDEN = re.compile(r"\[redacted[^\]]*\]|https?://\S+|`[^`\n]{80,}`")
_COMPOUND = re.compile(r"[\u4e00-\u9fff々]{2,6}|[\u30a0-\u30ffー]{2,12}")  # in scripts without spaces
_SAID_OF_ANYTHING = """
actually add added agree already also always another answer anyone anything ask asked available back bad better bit
bring broke broken change changed check checked come could day days done everything exactly explain file files find
first fix fixed found get give given going gone got happen happened happy hear help here hope idea instead issue
just keep kind know last later least left less let like line little long look looked looking lot made make many
matter maybe mean minute minutes monday much must name need needed needs never new next nothing now number often
okay once one open other part people perhaps place please point possible probably problem put question quick quickly
read ready really reason right run running said save saw say second see seem seems seen send set shall show simple
since small some somebody someone something soon sort start started still stop stuff sure system take tell text
thank thing things think third thought three time times today together told tomorrow tonight took tried true try
trying turn two understand update updated use used user users using usually want wanted way week well went whether
whole will without word words work worked working works would write wrong yes yesterday yet tuesday wednesday
thursday friday saturday sunday january february march april june july august september october november december
assistant
"""
_NO_THEMES = frozenset(_SAID_OF_ANYTHING.split())


def themes(exchanges: Sequence[str], known: Iterable[str]) -> list[list[str]]:
    """Return one to MOST themes of each exchange of a conversation; `known` are the themes of the store.

    What names no theme goes on with the one before, unless it is small talk.
    """
    said = [_words(exchange) for exchange in exchanges]
    spread = Counter(stem for words in said for stem in words)
    tags = [(tag, set(terms(tag.replace("-", " ").replace("_", " ")))) for tag in sorted(set(known))]
    found = [_themes(exchange, words, spread, tags) for exchange, words in zip(exchanges, said, strict=True)]
    for number, exchange in enumerate(exchanges):
        before = found[number - 1] if number else []
        found[number] = found[number] or (before if not is_small_talk(exchange) else []) or [UNTOLD]
    return found


def _themes(
    exchange: str, words: dict[str, Counter[str]], spread: Counter[str], tags: Iterable[tuple[str, AbstractSet[str]]]
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


def _words(text: str) -> dict[str, Counter[str]]:
    """Return the words of a text that may be themes, by stem, each with the forms in which it is said."""
    text = _HIDDEN.sub(" ", text[:_READ])
    found: dict[str, Counter[str]] = {}
    for word in word_pattern(text).findall(text):
        for form in _COMPOUND.findall(word) if is_unspaced(word) else [word]:
            if is_unspaced(form) or _may_be_a_theme(form):
                found.setdefault(terms_of(form)[0] if terms_of(form) else form, Counter())[form] += 1
    return found


def _may_be_a_theme(word: str) -> bool:
    plain = word.casefold()
    if not _SHORTEST <= len(word) <= _LONGEST or not word[0].isalpha():
        return False
    return plain not in STOP_WORDS and plain not in _NO_THEMES and plain not in SMALL_WORDS
