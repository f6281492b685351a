"""Which memories answer a question, and in which order.

Text becomes words here (folded, split where code is joined, stemmed), a query becomes a Query, and what the
index found for it becomes ranked hits. Nothing here reads a file, a table or a clock. The brain asks so:

    found = index.candidates(text, type)
    near = ledger.neighbours(found.seeds)                    # {id: [(signed distance, id), ...]}
    scores = ledger.scores({*found.ids, *every id in near})  # {id: credit}; an id left out counts 0.5
    ranked = relevance.rank(found, scores, near, limit, order)  # .hits, best first; .total

where `order` says, {id: number}, what was stored later.
A match is literal (the whole query stands there) or graded (it shares words). Relevance and credit together
decide the order, but only the best graded matches compete on credit, so that fame alone answers nothing.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from .memory import Memory

RELEVANCE_SHARE, CREDIT_SHARE = 0.4, 0.6
UNKNOWN_CREDIT = 0.5
LITERAL_IN_NAME, LITERAL_IN_TAG, LITERAL_IN_CONTENT = 1.0, 0.8, 0.5
GRADED_BY_TAGS, GRADED_BY_CONTENT = 0.8, 0.5
SNIPPET = 240

K1, B = 0.8, 0.35  # BM25: how soon repetition stops counting, how much length does
NAME_WEIGHT, TAG_WEIGHT, CONTENT_WEIGHT = 1.5, 1.0, 1.0
NEIGHBOUR = {1: 0.5, 2: 0.4}  # what a hit lends to memories stored this far from it
SEEDS = 60  # how many of the best hits lend to their neighbours
LONGEST_QUERY = 2_000  # characters; nobody asks more, and a pasted log must not cost seconds
LONGEST_WORD = 64
MOST_TERMS = 64

# Words

_MARKS = r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0dff"
_UNSPACED = (  # Thai, Lao, Burmese, Khmer, Japanese, Chinese
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_SYMBOLS = r"\u2600-\u27bf\U0001f300-\U0001faff"
_WORD = re.compile(rf"[{_UNSPACED}]+|[{_SYMBOLS}]|(?:(?![{_UNSPACED}])[^\W_]|[{_MARKS}])+")
_UNSPACED_RUN = re.compile(rf"[{_UNSPACED}]+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_JOINED = re.compile(r"[^\W_]+(?:[_.\-][^\W_]+)+")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\dA-Za-z_]+")
_SPACES = re.compile(r"[\s_-]+")
_UNSPEAKABLE = re.compile(r"[\0\ud800-\udfff]")
_ACCENTS = re.compile(r"[\u0300-\u036f]+")

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
    """The form in which literal matches are compared: one case, and one space for spaces, '-' and '_'."""
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFC", text.casefold())
    return _SPACES.sub(" ", folded).strip()


def exact_words(text: str) -> list[str]:
    """The words of a plain text as they stand; scripts without spaces become overlapping pairs."""
    if text.isascii():
        return _ASCII_WORD.findall(text)
    found: list[str] = []
    for word in _WORD.findall(text):
        if _UNSPACED_RUN.match(word):
            found += [word[i : i + 2] for i in range(len(word))]
        else:
            found.append(word)
    return found


def terms(text: str) -> list[str]:
    """Everything a text can be found by: stems, and the parts and the whole of joined words."""
    found: list[str] = []
    for word in (_ASCII_WORD if text.isascii() else _WORD).findall(text):
        found += _terms_of(word)
    found += [_whole(joined) for joined in _JOINED.findall(text)]
    return found


@lru_cache(maxsize=50_000)
def _terms_of(word: str) -> tuple[str, ...]:
    if not word.isascii():
        word = _without_accents(word)
        if _UNSPACED_RUN.match(word):
            return tuple(word[i : i + 2] for i in range(max(1, len(word) - 1)))
    whole = word.casefold()[:LONGEST_WORD]
    humps = _HUMP.findall(word) if not (word.islower() or word.isupper() or word.istitle()) else []
    parts = [hump.casefold() for hump in humps if len(hump) > 1]
    return (stem(whole), *(stem(part) for part in parts if part != whole))


@lru_cache(maxsize=10_000)
def _whole(joined: str) -> str:
    return _without_accents(re.sub(r"[_.\-]", "", joined)).casefold()[:LONGEST_WORD]


def _without_accents(word: str) -> str:
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", word)))


# Porter's stemmer: 'connections', 'connected' and 'connecting' all become 'connect'.

_SECOND_ENDINGS = """
ational:ate tional:tion enci:ence anci:ance izer:ize abli:able alli:al entli:ent eli:e ousli:ous ization:ize
ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble
"""
_SECOND = dict(pair.split(":", 1) for pair in _SECOND_ENDINGS.split())
_THIRD = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_FOURTH_ENDINGS = "ement ance ence able ible ment ant ent ion ism ate iti ous ive ize al er ic ou"
_FOURTH = _FOURTH_ENDINGS.split()


def _shape(word: str) -> str:
    """'v' for each vowel, 'c' for each consonant; y is a vowel after a consonant."""
    shape = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and shape[-1:] == "c")
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    return len(re.findall("v+c", _shape(word)))


def _ends_short(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _replaced(word: str, endings: Mapping[str, str], least: int) -> str:
    for length in range(7, 1, -1):
        ending = word[-length:]
        if len(word) > length and ending in endings:
            rest = word[:-length]
            return rest + endings[ending] if _measure(rest) > least else word
    return word


def _without_plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _without_tense(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        rest = word.removesuffix(ending)
        if rest != word and "v" in _shape(rest):
            break
    else:
        return word
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and _shape(rest)[-1] == "c" and rest[-1] not in "lsz":
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _without_last_ending(word: str) -> str:
    for ending in _FOURTH:  # the longest first
        if word.endswith(ending):
            rest = word[: -len(ending)]
            if ending == "ion" and rest[-1:] not in ("s", "t"):
                return word
            return rest if _measure(rest) > 1 else word
    return word


def _without_final_e(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _measure(rest) > 1 or (_measure(rest) == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def stem(word: str) -> str:
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    word = _without_tense(_without_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _SECOND, 0), _THIRD, 0)
    return _without_final_e(_without_last_ending(word))


_MONTHS = "January February March April May June July August September October November December"
_MONTH_NAMES = _MONTHS.split()


def date_words(stamp: str) -> str:
    """A date as people say it: '2023-05-08T…' -> '8 May 2023'."""
    year, month, day = stamp[:4], stamp[5:7], stamp[8:10]
    if not (year + month + day).isdigit() or not 1 <= int(month) <= 12:
        return ""
    return f"{int(day)} {_MONTH_NAMES[int(month) - 1]} {year}"


# A query


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    plain: str  # for literal matches
    terms: tuple[str, ...]  # distinct, stop words out unless nothing else is there

    @property
    def empty(self) -> bool:
        return not self.text.strip()

    @property
    def several_words(self) -> bool:
        return " " in self.plain


def ask(text: str) -> Query:
    text = _UNSPEAKABLE.sub(" ", text)
    return Query(text, plain(text), tuple(dict.fromkeys(_content_terms(text[:LONGEST_QUERY])))[:MOST_TERMS])


def _content_terms(text: str) -> list[str]:
    kept = [word for word in _WORD.findall(text) if word.casefold() not in STOP_WORDS]
    found = [term for word in kept for term in _terms_of(word)]
    found += [_whole(joined) for joined in _JOINED.findall(text)]
    return found or terms(text)


def literal(query: str, name: str, tags: Iterable[str], content: str) -> float:
    """How the whole plain query stands in a memory: 1 in its name, .8 in a tag, .5 in its content, else 0."""
    if begins_a_word(query, plain(name)):
        return LITERAL_IN_NAME
    if any(begins_a_word(query, plain(tag)) for tag in tags):
        return LITERAL_IN_TAG
    return LITERAL_IN_CONTENT if begins_a_word(query, plain(content)) else 0.0


def begins_a_word(query: str, text: str) -> bool:
    at = text.find(query) if query else -1
    while at >= 0:
        if at == 0 or not _within_word(text[at - 1], text[at]):
            return True
        at = text.find(query, at + 1)
    return False


def _within_word(before: str, here: str) -> bool:
    return before.isalnum() and here.isalnum() and not _UNSPACED_RUN.search(before + here)


# What the index found


@dataclass(slots=True)
class Candidate:
    id: str
    updated: str
    stored: int  # later stored, higher
    literal: float = 0.0
    tagged: float = 0.0  # share of the query's weight found in its tags
    words: float = 0.0  # BM25
    signals: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Found:
    query: Query
    candidates: Mapping[str, Candidate]
    total: int
    fetch: Callable[[str], Memory | None]  # the memory of an id, if it is served
    type: str | None = None

    @property
    def ids(self) -> Collection[str]:
        return self.candidates.keys()

    @property
    def seeds(self) -> list[str]:
        """The best matches by words: the ones whose neighbours are worth knowing."""
        best = sorted(self.candidates.values(), key=lambda c: (-c.words, c.id))
        return [candidate.id for candidate in best[:SEEDS] if candidate.words > 0]


class Corpus(NamedTuple):
    size: int
    average_length: float

    def idf(self, holding: int) -> float:
        """Honest: a word in most memories still says a little, never nothing."""
        return math.log(1 + (self.size - holding + 0.5) / (holding + 0.5))


def saturated(frequency: float, length: float, average_length: float) -> float:
    """BM25's answer to repetition and length."""
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / (average_length or 1)))


# The rank


@dataclass(frozen=True, slots=True)
class Hit:
    id: str
    name: str
    type: str
    snippet: str
    credit: float
    relevance: float
    combined: float
    signals: Mapping[str, float]


class Ranked(NamedTuple):
    hits: list[Hit]
    total: int


class _Placed(NamedTuple):
    candidate: Candidate
    score: float  # content score
    relevance: float
    credit: float

    @property
    def combined(self) -> float:
        return RELEVANCE_SHARE * self.relevance + CREDIT_SHARE * self.credit


Neighbours = Mapping[str, Sequence[tuple[int, str]]]


def rank(
    found: Found,
    scores: Mapping[str, float],
    neighbours: Neighbours,
    limit: int,
    order: Mapping[str, int] = MappingProxyType({}),
) -> Ranked:
    for id in order.keys() & found.candidates.keys():
        found.candidates[id].stored = order[id]
    if found.query.empty:
        return _newest(found, scores, limit)
    strengths = content_scores(found.candidates.values(), neighbours)
    best = max(strengths.values(), default=0.0) or 1.0
    placed = []
    for id, candidate in found.candidates.items():
        relevance = candidate.literal or graded(candidate.tagged, strengths[id] / best)
        placed.append(_Placed(candidate, strengths[id], relevance, scores.get(id, UNKNOWN_CREDIT)))
    chosen = ordered(competing(placed, limit), by=lambda p: p.combined)[:limit]
    hits = [hit for p in chosen if (hit := _shown(found, p))]
    if len(hits) < limit and found.query.several_words and not any(p.candidate.literal for p in placed):
        hits += joining(found, hits, strengths, best, scores, neighbours, limit - len(hits))
    return Ranked(hits, found.total)


def graded(tagged: float, share_of_best: float) -> float:
    return max(GRADED_BY_TAGS * tagged, GRADED_BY_CONTENT * share_of_best)


def competing(placed: Iterable[_Placed], limit: int) -> list[_Placed]:
    """All literal matches, and the graded ones best by relevance: fame cannot crowd out an answer."""
    literal_ones = [p for p in placed if p.candidate.literal]
    others = ordered((p for p in placed if not p.candidate.literal), by=lambda p: p.relevance)
    return literal_ones + others[: max(4 * limit, 20)]


def ordered(placed: Iterable[_Placed], by: Callable[[_Placed], float]) -> list[_Placed]:
    """Highest first; of equals the one with the better words, then the newer, then the later stored."""
    listed = sorted(placed, key=lambda p: p.candidate.id)
    listed.sort(key=lambda p: (p.candidate.updated, p.candidate.stored), reverse=True)
    return sorted(listed, key=lambda p: (-by(p), -p.score))


def content_scores(candidates: Iterable[Candidate], neighbours: Neighbours) -> dict[str, float]:
    """The content score of each candidate: its words against the best, plus what structure adds."""
    listed = list(candidates)
    best = max((c.words for c in listed), default=0.0) or 1.0
    shares = {c.id: c.words / best for c in listed}
    lent = lent_by_neighbours(shares, neighbours)
    for c in listed:
        c.signals.update(words=shares[c.id], neighbours=lent.get(c.id, 0.0))
    return {c.id: shares[c.id] + lent.get(c.id, 0.0) for c in listed}


def lent_by_neighbours(shares: Mapping[str, float], neighbours: Neighbours) -> dict[str, float]:
    """What stands just before or after a hit in a session is often the rest of the answer."""
    lent: dict[str, float] = {}
    for id, near in neighbours.items():
        for distance, other in near:
            weight = NEIGHBOUR.get(abs(distance), 0.0) * shares.get(id, 0.0)
            lent[other] = lent.get(other, 0.0) + weight
    return lent


def joining(
    found: Found,
    hits: Sequence[Hit],
    strengths: Mapping[str, float],
    best: float,
    scores: Mapping[str, float],
    neighbours: Neighbours,
    room: int,
) -> list[Hit]:
    """Memories stored beside a match that share no word with the query: listed below every match."""
    if not hits:
        return []
    floor = min(hit.combined for hit in hits)
    lent = lent_by_neighbours({id: strength / best for id, strength in strengths.items()}, neighbours)
    joined: list[Hit] = []
    for id in sorted(lent.keys() - strengths.keys(), key=lambda id: (-lent[id], id)):
        credit = scores.get(id, UNKNOWN_CREDIT)
        below = (floor - CREDIT_SHARE * credit) / RELEVANCE_SHARE  # must not pass a match, whatever its credit
        relevance = min(GRADED_BY_CONTENT * min(1.0, lent[id]), below)
        candidate = Candidate(id, "", 0, signals={"neighbours": lent[id]})
        if relevance > 0 and (hit := _shown(found, _Placed(candidate, lent[id], relevance, credit))):
            joined.append(hit)
            if len(joined) == room:
                break
    return sorted(joined, key=lambda hit: (-hit.combined, -hit.signals["neighbours"], hit.id))


def _newest(found: Found, scores: Mapping[str, float], limit: int) -> Ranked:
    newest = sorted(sorted(found.candidates.values(), key=lambda c: c.id), key=lambda c: c.updated, reverse=True)
    placed = [_Placed(c, 0.0, 0.0, scores.get(c.id, UNKNOWN_CREDIT)) for c in newest[:limit]]
    return Ranked([hit for p in placed if (hit := _shown(found, p))], found.total)


def _shown(found: Found, placed: _Placed) -> Hit | None:
    memory = found.fetch(placed.candidate.id)
    if memory is None or found.type not in (None, memory.type):
        return None
    return Hit(
        id=memory.id,
        name=memory.name,
        type=memory.type,
        snippet=snippet(memory.content, found.query.terms),
        credit=placed.credit,
        relevance=placed.relevance,
        combined=placed.combined,
        signals=dict(placed.candidate.signals),
    )


# The passage

_READ_FOR_SNIPPET = 200_000


def snippet(content: str, wanted: Sequence[str], most: int = SNIPPET) -> str:
    """The passage that answers: one line of whole words, at most 240 characters."""
    line = " ".join(_printable(content[:_READ_FOR_SNIPPET]).split())
    if len(line) <= most:
        return line
    start = _best_start(line, frozenset(wanted), most - 2)
    return _cut(line, start, most)


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def _best_start(line: str, wanted: frozenset[str], room: int) -> int:
    """Where the window with most of the wanted words begins: with its sentence if that fits."""
    places = [(m.start(), m.end(), hit) for m in _WORD.finditer(line) if (hit := wanted & {*_terms_of(m[0])})]
    best, start = 0.0, 0
    for i, (begin, _, _) in enumerate(places):
        inside = [hit for _, end, hit in places[i : i + 40] if end <= begin + room]
        worth = len(frozenset().union(*inside)) + 0.01 * len(inside)
        if worth > best:
            last = max(end for _, end, _ in places[i : i + 40] if end <= begin + room) if inside else begin
            best, start = worth, _opening(line, begin, last, room)
    return start


def _opening(line: str, begin: int, last: int, room: int) -> int:
    earliest = max(0, last - room)
    sentence = max(line.rfind(mark, earliest, begin) for mark in (". ", "! ", "? ", "; ", "。", " - ", " # "))
    if sentence >= earliest:
        return sentence + 1
    return 0 if earliest == 0 else max(earliest, begin - room // 4)


def _cut(line: str, start: int, most: int) -> str:
    """At most so many characters from about `start`, beginning and ending with whole words."""
    if start and line[start - 1] != " " and line[start] != " ":
        space = line.find(" ", start, start + 40)
        start = space if space >= 0 else start
    while start < len(line) - 1 and line[start] == " ":
        start += 1
    lead = "…" if start else ""
    rest = line[start:]
    if len(lead) + len(rest) <= most:
        return lead + rest
    room = most - len(lead) - 1
    space = rest.rfind(" ", max(0, room - 60), room + 1)
    return lead + rest[: space if space > 0 else room].rstrip() + "…"
