"""Turn text into words: in one case and without accents, split where code is joined, and stemmed by PyStemmer.

Stored texts and queries both go through here, so that their words match. The words of a text are written into the
index: a change here needs a new version of the index.
"""

import re
import threading
import unicodedata
from collections.abc import Callable, Collection, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain, pairwise
from typing import Literal

LONGEST_WORD = 64

_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"
_UNSPACED = (  # Thai, Lao, Burmese, Khmer, Japanese, Chinese
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_SYMBOLS = r"\u2600-\u27bf\U0001f300-\U0001faff"
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
JOINED = re.compile(r"(?<![^\W_])[^\W_]++(?:[_.\-][^\W_]++)+")  # possessive: without it a long word would take days
_JOINTS = str.maketrans("", "", "_.-")
_NEGATED = r"\b[a-z]+n['’]t\b"
_MOST_MARKS = 30  # on one letter; Unicode's own stream-safe text has no more
_MANY_MARKS = re.compile(rf"[^\w\s\x00-\u02ff]{{{_MOST_MARKS + 1},}}")
_APART = "\u034f"  # marks are not put in order across this one
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th)")
_NUMBERED = re.compile(r"[^\W\d_]{2,}\d{2,}")  # RFC7231
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")


@cache  # made only when needed: most runs meet ASCII alone
def _any_word() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]+|[{_SYMBOLS}]|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])+")


@cache
def _unspaced_run() -> re.Pattern[str]:
    return re.compile(rf"[{_UNSPACED}]+")


def is_unspaced(text: str) -> bool:
    """Tell whether some of a text is in a script that puts no spaces between its words."""
    return not text.isascii() and bool(_unspaced_run().search(text))


_STOP_WORDS = """
a about above after again all also am an and any are as at be because been before being below
between both but by can could d did do does doing don down during each few for from further had has
have having he her here hers him his how i if in into is it its just ll m may me might more most
must my no nor not of off on once only or other our out over own re s same shall she should so some
such t than that the their them then there these they this those through to too under until up ve
very was we were what when where which while who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def plain(text: str) -> str:
    """Return the form in which literal matches are compared: one case and apostrophe, spaces for '-' and '_'."""
    folded = text.lower() if text.isascii() else normalized("NFC", text.casefold()).replace("’", "'")
    return " ".join(folded.replace("-", " ").replace("_", " ").split())


def normalized(form: Literal["NFC", "NFKD"], text: str) -> str:
    """Return a text in a normal form, in linear time: long runs of marks are split, as sorting one is quadratic."""

    def taken_apart(run: re.Match[str]) -> str:
        return _APART.join(run[0][at : at + _MOST_MARKS] for at in range(0, len(run[0]), _MOST_MARKS))

    return unicodedata.normalize(form, _MANY_MARKS.sub(taken_apart, text))


def word_pattern(text: str) -> re.Pattern[str]:
    return _ASCII_WORD if text.isascii() else _any_word()


def exact_words(text: str) -> list[str]:
    """Return the words of a plain text as they stand; scripts without spaces become overlapping pairs."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    found: list[str] = []
    for word in _any_word().findall(text):
        if _unspaced_run().match(word):
            found += [word[i : i + 2] for i in range(len(word))]
        else:
            found.append(word)
    return found


def terms(text: str) -> list[str]:
    """Return everything a text can be found by: stems, the parts and the whole of joined words, dates in words."""
    text = _without_negations(text)
    found = [*chain.from_iterable(map(terms_of, word_pattern(text).findall(text)))]
    found += [whole(joined) for joined in JOINED.findall(text)]
    dates = _NUMBERED_DATE.findall(text) if "-" in text else ()
    return found + [term for date in dates for term in terms(date_words("-".join(date)))]


def content_terms(text: str) -> list[str]:
    """Return the terms of a text without stop words, unless it has nothing else."""
    return terms_but(STOP_WORDS, text) or terms(text)


def terms_but(stop_words: Collection[str], text: str) -> list[str]:
    """Return the terms of a text without these stop words."""
    said = _without_negations(text)
    kept = [word for word in word_pattern(said).findall(said) if word.casefold() not in stop_words]
    joined = [whole(each) for each in JOINED.findall(said)]  # first, so that a question's last words stay at the end
    return [*joined, *(term for word in kept for term in terms_of(word))]


def _without_negations(text: str) -> str:
    """Return a text without "won't" and the like: they say little, and "won't" must not be found by "won"."""
    return re.sub(_NEGATED, " ", text, flags=re.IGNORECASE) if "'" in text or "’" in text else text


def capitalized(text: str) -> list[str]:
    """Return the terms of words written with a capital letter: names, and a question's first word."""
    called = [word for word in word_pattern(text).findall(text) if word[0].isupper()]
    return [term for word in called if word.casefold() not in STOP_WORDS for term in terms_of(word)]


def proper_names(text: str) -> frozenset[str]:
    """Return the terms of words with a capital letter that are not just the first word of the question."""
    first = word_pattern(text).search(text)
    return frozenset(capitalized(text[first.end() :])) if first else frozenset()


def terms_of(word: str) -> tuple[str, ...]:
    """Return the terms a word is found by. Hashes and runs without spaces are not cached: they hardly come again."""
    kept = len(word) <= LONGEST_WORD and (word.isascii() or not is_unspaced(word))
    return _terms_of(word) if kept else _terms_of.__wrapped__(word)


@lru_cache(maxsize=50_000)
def _terms_of(word: str) -> tuple[str, ...]:
    if not word.isascii():
        word = _without_accents(word)
        if is_unspaced(word):
            return tuple(word[i : i + 2] for i in range(max(1, len(word) - 1)))
    all_of_it = word.casefold()[:LONGEST_WORD]
    if ordinal := _ORDINAL.fullmatch(all_of_it):
        return (ordinal[1],)
    one_case = word.islower() or word.isupper() or (word.istitle() and word.isalpha())
    one_hump = one_case and not _NUMBERED.fullmatch(word)
    humps = [] if one_hump else _HUMP.findall(word)
    parts = [hump.casefold()[:LONGEST_WORD] for hump in humps if len(hump) > 1]
    found = (stem(all_of_it), *(stem(part) for part in parts if part != all_of_it))
    return tuple(filter(None, found))


def whole(joined: str) -> str:
    """Return a joined word as the one word it is found by."""
    bare = joined.translate(_JOINTS)
    return (bare if bare.isascii() else _without_accents(bare)).casefold()[:LONGEST_WORD]


def _without_accents(word: str) -> str:
    # Some letters decompose into a space with a mark, and a circled 1 into a 1 in brackets.
    apart = normalized("NFKD", word)
    bare = "".join(c for c in apart if c.isalnum() or not (c.isascii() or c.isspace() or "\u0300" <= c <= "\u036f"))
    return normalized("NFC", bare) or word


# Words that change in the middle, which a stemmer does not unify.

_IRREGULAR_FORMS = """
go went gone|buy bought|get got gotten|make made|take took taken|give gave given|see saw seen|find found
think thought|tell told|feel felt|leave left|lose lost|write wrote written|run ran|begin began begun
bring brought|build built|catch caught|choose chose chosen|come came|draw drew drawn|drive drove driven
eat ate eaten|fall fell fallen|fight fought|fly flew flown|forget forgot forgotten|grow grew grown|hear heard
hold held|keep kept|know knew known|learn learnt|mean meant|meet met|pay paid|ride rode ridden|rise rose risen
say said|sell sold|send sent|sing sang sung|sit sat|sleep slept|speak spoke spoken|spend spent|stand stood
swim swam swum|teach taught|throw threw thrown|understand understood|wear wore worn|win won|break broke broken
freeze froze frozen|wake woke woken|shake shook shaken|steal stole stolen|hide hid hidden|deal dealt
dream dreamt|lead led|light lit|shoot shot|stick stuck|strike struck|swear swore sworn|tear tore torn
bind bound|feed fed|become became|show shown|drink drank drunk|bite bit bitten|blow blew blown|dig dug
hang hung|lie lay lain|ring rang rung|seek sought|shine shone|sink sank sunk|slide slid|spin spun
shrink shrank shrunk|sweep swept|bend bent|lend lent|bleed bled|cling clung|creep crept|flee fled|forgive forgave
weave wove woven|withdraw withdrew withdrawn|overrun overran|rebuild rebuilt|rewrite rewrote rewritten
child children|man men|woman women|foot feet|tooth teeth|mouse mice|wife wives|knife knives|life lives|leaf leaves
february feb|april apr|june jun|july jul|august aug|september sept sep|october oct|november nov|december dec
index indices|vertex vertices|matrix matrices|schema schemata|criterion criteria
"""
_IRREGULAR = {
    form: first
    for first, *forms in map(str.split, _IRREGULAR_FORMS.strip().replace("\n", "|").split("|"))
    for form in forms
}


@cache
def _irregular_forms() -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for form, first in _IRREGULAR.items():
        forms.setdefault(stem(first), []).append(form)
    return forms


@lru_cache(maxsize=1_000)
def beginnings(term: str) -> frozenset[str]:
    """Return the beginnings of the words that may have this stem.

    A stemmer changes no more than the last letter of what it leaves.
    """
    return frozenset(each[: max(1, min(3, len(each) - 1))] for each in (term, *_irregular_forms().get(term, ())))


class _Porter(threading.local):
    """The Porter stemmer of PyStemmer, one for each thread, as its documentation asks. Its import takes time."""

    @cached_property
    def stem(self) -> Callable[[str], str]:
        from Stemmer import Stemmer

        return Stemmer("porter", 0).stemWord  # type: ignore[no-any-return]


_PORTER = _Porter()


def stem(word: str) -> str:
    """Return the stem that a word and its forms share: 'connect' for 'connections' and 'connecting'.

    The word is in lower case. One that is short, or not made of a to z alone, is returned as it is.
    """
    word = _IRREGULAR.get(word, word)
    return _PORTER.stem(word) if len(word) > 2 and word.isascii() and word.isalpha() else word


_MONTHS = "January February March April May June July August September October November December"
_MONTH_NAMES = _MONTHS.split()


def date_words(stamp: str) -> str:
    """Return a date as people say it: '2023-05-08T…' -> '8 May 2023', '2023-05' -> 'May 2023'; '' for no date."""
    year, month, day = stamp[:4], stamp[5:7], stamp[8:10]
    if not (year + month + day).isdigit() or not 1 <= int(month) <= 12:
        return ""
    return f"{int(day) if day else ''} {_MONTH_NAMES[int(month) - 1]} {year}".lstrip()


_MONTH_BEGINNINGS = {name[:3].casefold(): name for name in _MONTH_NAMES}
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_NAMED_DATE = (
    rf"(?:\b{_DAY}(?: of)?[ ,]+)?\b({'|'.join(_MONTH_NAMES)}|Sept|{'|'.join(name[:3] for name in _MONTH_NAMES)})\b\.?"
    rf"(?:[ ,]+{_DAY}\b)?(?:[ ,]+((?:19|20)\d\d)\b)?"
)
_NUMBERED_DATE = re.compile(r"(?<![\w-])((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?(?:(?![\w-])|(?=T\d))")


def dates_named(text: str) -> tuple[list[str], str]:
    """Return the terms of the dates in a question ('2026-05-08', '8 May 2026', 'Jan 13th', 'in May'), and the rest."""
    said: list[str] = []

    def numbered(found: re.Match[str]) -> str:
        said.append(date_words("-".join(filter(None, found.groups()))))
        return " " if said[-1] else found[0]

    def named(found: re.Match[str]) -> str:
        day, month, day_after, year = found.groups()
        name = _MONTH_BEGINNINGS[month[:3].casefold()]
        if not (day or day_after or year or (month == name and found.start())):
            return found[0]  # a verb, or somebody called Jan
        said.append(" ".join(filter(None, (day, name, day_after, year))))
        return " "

    rest = _NUMBERED_DATE.sub(numbered, text)
    rest = re.sub(_NAMED_DATE, named, rest, flags=re.IGNORECASE)
    return terms(" ".join(said)), rest


# Questions that ask when, and the words that answer them: dates, and words as seen from the day they were said.

_ASKS_WHEN = (
    r"^\W*(?:since )?when\b|\bwhen (?:did|do|does|was|were|is|are|has|have|had|will)\b"
    r"|\bhow long\b|\b(?:what|which) (?:date|day|week|month|year|time)\b"
)
_SEEN_FROM_THEN = """
yesterday today tonight tomorrow ago last next week weekend month year
monday tuesday wednesday thursday friday saturday sunday
"""
_MAY = "mai"  # the stem of May, which is a month only where a number stands beside it


@cache
def _seen_terms() -> frozenset[str]:
    return frozenset(map(stem, _SEEN_FROM_THEN.split()))


@cache
def _date_terms() -> frozenset[str]:
    return frozenset([*map(stem, _MONTHS.casefold().split()), *map(str, range(1990, 2050))]) - {_MAY}


def asks_when(text: str) -> bool:
    """Tell whether a question asks for a time."""
    return bool(re.search(_ASKS_WHEN, text, re.IGNORECASE))


def ways_of_saying_when(terms: Sequence[str]) -> int:
    """Return how many ways of saying when the words of a text use: a date, words like "yesterday", or both."""
    dated = not _date_terms().isdisjoint(terms) or (_MAY in terms and any(map(_in_may, pairwise(terms))))
    return dated + (not _seen_terms().isdisjoint(terms))


def _in_may(pair: tuple[str, str]) -> bool:
    return _MAY in pair and any(map(str.isdigit, pair))
