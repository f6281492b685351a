"""Which memories answer a question, and in which order.

A query becomes a Query, and what the index found for it becomes ranked hits. Nothing here reads a file, a
table or a clock. The brain asks so:

    found = index.candidates(text, type)
    near = ledger.neighbours(found.seeds, relevance.REACH)   # {id: [(signed distance, id), ...]}
    scores = ledger.scores({*found.ids, *every id in near})  # {id: credit}; an id left out counts 0.5
    ranked = relevance.rank(found, scores, near, limit, order)  # .hits, best first; .total

where `order` says, {id: number}, what was stored later.
A match is literal (the whole query stands there) or graded (it shares words). Relevance and credit together
decide the order, but only the best graded matches compete on credit, so that fame alone answers nothing.
How well a graded match answers is its content score: its words (BM25) and what the signals below add.
What each is worth is measured in docs/search.md.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice, permutations
from types import MappingProxyType
from typing import NamedTuple

from .memory import Memory
from .words import STOP_WORDS, content_terms, is_unspaced, plain, proper_names, terms_of, word_pattern
from .words import terms as terms

RELEVANCE_SHARE, CREDIT_SHARE = 0.4, 0.6
UNKNOWN_CREDIT = 0.5
LITERAL_IN_NAME, LITERAL_IN_TAG, LITERAL_IN_CONTENT = 1.0, 0.8, 0.5
GRADED_BY_TAGS, GRADED_BY_CONTENT = 0.8, 0.5
SNIPPET = 240

K1, B = 0.7, 0.3  # BM25: how soon repetition stops counting, how much length does
NAME_WEIGHT, TAG_WEIGHT, CONTENT_WEIGHT = 1.5, 1.0, 1.0
SPELT, AKIN = 0.6, 0.3  # what a word counts that was found by spelling help, or means nearly the same
NEIGHBOUR = {1: 0.4, 2: 0.4, -1: 0.2, -2: 0.2}  # what a match lends to memories stored so far after it, before it
REACH = 2  # of which the brain tells the neighbours
CALLED = 0.5  # a tag that the question calls by its proper name
SAMPLE = 25  # of the best hits are compared with their neighbours, to see whether the order means anything:
LIKE_STRANGERS, LIKE_KIN = 1.5, 2.3  # as alike as strangers, nothing; so many times more, all
DOUBT = 8  # pairs like strangers, imagined: few real ones prove little
STRETCH, STRETCH_REACH = 0.2, 20  # matches that lie close together in the order of storing
PASSAGE = 0.4  # how much of the question a memory holds together with its neighbours
LENGTH = 0.2  # a long memory says more than a short one
ASKING = -0.3  # what ends with a question mark seldom answers
VERSIONS = 10  # of the best matches, two may be versions of one thing if
VERSION_SHARE, VERSION_ALIKE = 0.25, 0.45  # they share so many words, are so alike in those that tell,
VERSION_SCORE = 0.7  # and the later has so much of the other's score and as many of the words asked for;
PROVED = 0.02  # unless the earlier has so much more credit,
PAGE, LEAD = 5, 0.025  # it becomes the last of so many, so little before the next that credit decides whether it stays
ECHO, ECHO_ALONE = 0.3, 0.6  # words that the best matches have in common; where the order of storing says nothing
ECHO_FROM, ECHO_WORDS = 10, 10  # so many matches, so many words
MEANING = 0.3  # of what a match is worth by words and by meaning, the part of meaning
ALIKE, UNLIKE = 0.2, 0.1  # cosines: from here on it is a match, up to here it is worth nothing
SURE = 0.3  # the nearest must be so near where no word matches
SEEDS = 40  # how many of the best hits lend to their neighbours

LONGEST_QUERY = 2_000  # characters; nobody asks more, and a pasted log must not cost seconds
MOST_TERMS = 64

_UNSPEAKABLE = re.compile(r"[\0\ud800-\udfff]")


# A query


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    plain: str  # for literal matches
    terms: tuple[str, ...]  # distinct, stop words out unless nothing else is there
    names: frozenset[str] = frozenset()  # the terms written like proper names

    @property
    def empty(self) -> bool:
        return not self.text.strip()

    @property
    def several_words(self) -> bool:
        return " " in self.plain


def ask(text: str) -> Query:
    text = _UNSPEAKABLE.sub(" ", text)
    start = text[:LONGEST_QUERY]
    distinct = tuple(dict.fromkeys(content_terms(start)))[:MOST_TERMS]
    return Query(text, plain(text), distinct, proper_names(start))


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
    return before.isalnum() and here.isalnum() and not is_unspaced(before + here)


# What the index found


@dataclass(slots=True)
class Candidate:
    id: str
    updated: str
    stored: int  # later stored, higher
    literal: float = 0.0
    tagged: float = 0.0  # share of the query's weight found in its tags
    words: float = 0.0  # BM25, of what is not a called tag
    called: float = 0.0  # share of the tags called by name that it has
    held: frozenset[str] = frozenset()  # which words of the query, or their like, it holds
    covered: float = 0.0  # what these weigh
    length: int = 0  # characters
    gist: str = ""  # its first terms, with spaces between; only of the best matches
    asking: bool = False
    alike: float = 0.0  # to the query in meaning: a cosine

    @property
    def vocabulary(self) -> frozenset[str]:
        return _vocabulary(self.gist)


@lru_cache(maxsize=1_000)  # as many as are looked at closely in a few searches
def _vocabulary(gist: str) -> frozenset[str]:
    return frozenset(gist.split(" "))


@dataclass(frozen=True, slots=True)
class Found:
    query: Query
    candidates: Mapping[str, Candidate]
    total: int
    fetch: Callable[[str], Memory | None]  # the memory of an id, if it is served
    type: str | None = None
    weights: Mapping[str, float] = field(default_factory=dict)  # of the words of the query, and their like
    rarity: Callable[[Collection[str]], Mapping[str, float]] = lambda terms: dict.fromkeys(terms, 1.0)  # idf
    more: Callable[[Collection[str]], Mapping[str, Candidate]] = lambda ids: {}  # those of these ids that match too

    @property
    def ids(self) -> Collection[str]:
        return self.candidates.keys()

    def only(self, wanted: Callable[[Memory], bool]) -> "Found":
        """The same search among some memories."""

        def fetch(id: str) -> Memory | None:
            memory = self.fetch(id)
            return memory if memory and wanted(memory) else None

        def fitting(candidates: Mapping[str, Candidate]) -> dict[str, Candidate]:
            return {id: candidate for id, candidate in candidates.items() if fetch(id)}

        kept = fitting(self.candidates)
        return replace(self, candidates=kept, total=len(kept), fetch=fetch, more=lambda ids: fitting(self.more(ids)))

    def with_all(self, ids: Collection[str]) -> "Found":
        """The same, and those of these ids that match at all."""
        if not ids:
            return self
        candidates = {**self.more(ids), **self.candidates}
        return replace(self, candidates=candidates, total=len(candidates))

    @property
    def seeds(self) -> list[str]:
        """The best matches by words and meaning: the ones whose neighbours are worth knowing."""
        listed = list(self.candidates.values())
        worth = {c.id: said + meant for c, said, meant in zip(listed, *words_and_meaning(listed), strict=True)}
        return [id for id in sorted(worth, key=lambda id: (-worth[id], id))[:SEEDS] if worth[id] > 0]


class Corpus(NamedTuple):
    size: int
    average_length: float

    def idf(self, holding: int) -> float:
        """Honest: a word in most memories still says a little, never nothing."""
        return math.log(1 + (self.size - holding + 0.5) / (holding + 0.5))


def saturated(frequency: float, length: float, average_length: float) -> float:
    """BM25's answer to repetition and length."""
    return frequency * (K1 + 1) / (frequency + slowness(length, average_length))


def slowness(length: float, average_length: float) -> float:
    """How long repetition goes on to count: longer in a long text."""
    return K1 * (1 - B + B * length / (average_length or 1))


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
    if found.query.empty:
        return _newest(found, scores, limit)
    found = with_matching_neighbours(found, neighbours)
    for id in order.keys() & found.candidates.keys():
        found.candidates[id].stored = order[id]
    contents = content_scores(found, neighbours, scores)
    strengths = contents.by_id
    best = max(strengths.values(), default=0.0) or 1.0
    placed = []
    for id, candidate in found.candidates.items():
        relevance = candidate.literal or graded(candidate.tagged, strengths[id] / best)
        placed.append(_Placed(candidate, strengths[id], relevance, scores.get(id, UNKNOWN_CREDIT)))
    chosen = ordered(competing(placed, limit), by=lambda p: p.combined)[:limit]
    hits = [hit for p in chosen if (hit := _shown(found, p, _why(p.candidate, contents.signals(p.candidate.id))))]
    if len(hits) < limit and found.query.several_words and not any(p.candidate.literal for p in placed):
        hits += joining(found, hits, strengths, best, scores, neighbours, limit - len(hits))
    return Ranked(hits, found.total)


def _why(candidate: Candidate, signals: Mapping[str, float]) -> dict[str, float]:
    """What decides its relevance alone, when it is there; then what its content score is made of."""
    alone = {"literal": candidate.literal, "tags": GRADED_BY_TAGS * candidate.tagged}
    return {name: share for name, share in alone.items() if share} | dict(signals)


def with_matching_neighbours(found: Found, neighbours: Neighbours) -> Found:
    """Weak matches beside strong ones are looked at too: together they may answer."""
    beside = {other for near in neighbours.values() for _, other in near} - found.candidates.keys()
    return replace(found, candidates={**found.candidates, **found.more(beside)}) if beside else found


def graded(tagged: float, share_of_best: float) -> float:
    return max(GRADED_BY_TAGS * tagged, GRADED_BY_CONTENT * share_of_best)


def competing(placed: Iterable[_Placed], limit: int) -> list[_Placed]:
    """All literal matches, and the graded ones best by relevance: fame cannot crowd out an answer."""
    listed = list(placed)
    literal_ones = [p for p in listed if p.candidate.literal]
    others = ordered((p for p in listed if not p.candidate.literal), by=lambda p: p.relevance)
    return literal_ones + others[: max(4 * limit, 20)]


def ordered(placed: Iterable[_Placed], by: Callable[[_Placed], float]) -> list[_Placed]:
    """Highest first; of equals the one with the better words, then the newer, then the later stored."""
    listed = sorted(placed, key=lambda p: p.candidate.id)
    listed.sort(key=lambda p: (p.candidate.updated, p.candidate.stored), reverse=True)
    return sorted(listed, key=lambda p: (-by(p), -p.score))


# The content score: one small function for each signal, with a share between 0 and 1 for each candidate


class Scores(NamedTuple):
    by_id: dict[str, float]
    parts: dict[str, list[float]]  # of each signal, in the order of by_id

    def signals(self, id: str) -> dict[str, float]:
        """What each signal gave to one candidate."""
        if id not in self.by_id:
            return {}
        place = list(self.by_id).index(id)
        return {name: part[place] for name, part in self.parts.items() if part[place]}


def content_scores(found: Found, neighbours: Neighbours, credits: Mapping[str, float] = MappingProxyType({})) -> Scores:
    """How well each candidate answers: its words against the best ones', plus what the other signals add."""
    listed = list(found.candidates.values())
    said, meant = words_and_meaning(listed)
    shares = {c.id: by_words + by_meaning for c, by_words, by_meaning in zip(listed, said, meant, strict=True)}
    trust = order_means(found, neighbours)
    lent = lent_by_neighbours(shares, neighbours) if trust else {}
    parts = {
        "words": said,
        "meaning": meant,
        "neighbours": [trust * lent.get(c.id, 0.0) for c in listed],
        "called": [CALLED * c.called for c in listed],
    }
    so_far = [sum(column) for column in zip(*parts.values(), strict=True)]
    parts |= {
        "stretch": weighed(STRETCH * trust, stretches(shares, listed)),
        "passage": weighed(PASSAGE, passages(found, listed, neighbours, trust)),
        "length": weighed(LENGTH, lengths(listed)),
        "asking": [ASKING * c.asking for c in listed],
        "echo": weighed(trust * ECHO + (1 - trust) * ECHO_ALONE, echoes(found, listed, so_far)),
    }
    totals = [max(0.0, sum(column)) for column in zip(*parts.values(), strict=True)]
    parts["newer version"] = newer_versions(found, listed, totals, credits)
    settled = [total + more for total, more in zip(totals, parts["newer version"], strict=True)]
    return Scores(dict(zip(shares, settled, strict=True)), parts)


def words_and_meaning(candidates: Sequence[Candidate]) -> tuple[list[float], list[float]]:
    """What each is worth by its words and, where that is known, by its meaning: against the best ones."""
    best = max((c.words for c in candidates), default=0.0) or 1.0
    nearest = max((c.alike for c in candidates), default=0.0)
    part = MEANING if nearest >= ALIKE else 0.0
    said = [(1 - part) * c.words / best for c in candidates]
    return said, [part * max(0.0, c.alike - UNLIKE) / (nearest - UNLIKE) if part else 0.0 for c in candidates]


def weighed(weight: float, shares: list[float]) -> list[float]:
    return [weight * share for share in shares]


def lent_by_neighbours(shares: Mapping[str, float], neighbours: Neighbours) -> dict[str, float]:
    """What stands just before or after a hit in a session is often the rest of the answer."""
    lent: dict[str, float] = {}
    for id, near in neighbours.items():
        for distance, other in near:
            weight = NEIGHBOUR.get(distance, 0.0) * shares.get(id, 0.0)
            lent[other] = lent.get(other, 0.0) + weight
    return lent


def order_means(found: Found, neighbours: Neighbours) -> float:
    """Whether what was stored together belongs together: 0 in a shuffled store, 1 in a log of talks.

    The best matches are compared with their neighbours and with strangers, in words that are not the query's."""
    sampled = dict(list(neighbours.items())[:SAMPLE])
    pairs = [(id, other) for id, near in sampled.items() for _, other in near]
    texts = _rarer_words(found, {id for pair in pairs for id in pair})
    near = [_alike(texts[a], texts[b]) for a, b in pairs if a in texts and b in texts]
    seeds = sorted(sampled.keys() & texts.keys())
    far = [_alike(texts[a], texts[b]) for a, b in zip(seeds, seeds[len(seeds) // 2 :], strict=False) if a != b]
    if not near or not far:
        return 0.0
    strange = max(0.01, sum(far) / len(far))
    close = (sum(near) + DOUBT * strange) / (len(near) + DOUBT)
    return min(1.0, max(0.0, (close / strange - LIKE_STRANGERS) / (LIKE_KIN - LIKE_STRANGERS)))


def _rarer_words(found: Found, ids: Collection[str]) -> dict[str, frozenset[str]]:
    """The words of these candidates, without the query's and without those that many of them hold."""
    texts = {id: c.vocabulary for id in ids if (c := found.candidates.get(id)) and c.gist}
    held = Counter(chain.from_iterable(texts.values()))
    common = {term for term, count in held.items() if count > max(2, len(texts) // 5)} | found.weights.keys()
    return {id: text - common for id, text in texts.items()}


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def stretches(shares: Mapping[str, float], candidates: Sequence[Candidate]) -> list[float]:
    """Where several matches were stored close together, that is what was talked about."""
    by_order = sorted((c.stored, shares[c.id] ** 2, c.id) for c in candidates if shares[c.id] > 0)
    mass = {id: weight for _, weight, id in by_order}
    for i, (stored, weight, id) in enumerate(by_order):
        for other_stored, other_weight, other in islice(by_order, i + 1, None):
            closeness = 1 - (other_stored - stored) / (STRETCH_REACH + 1)
            if closeness <= 0:
                break
            mass[id] += closeness * other_weight
            mass[other] += closeness * weight
    most = max(mass.values(), default=0.0) or 1.0
    return [mass.get(c.id, 0.0) / most for c in candidates]


def passages(found: Found, candidates: Sequence[Candidate], neighbours: Neighbours, trust: float) -> list[float]:
    """How much of the question a memory holds, together with its neighbours as far as the order is trusted."""
    whole = sum(found.weights.values()) or 1.0
    around: dict[str, set[str]] = {}
    if trust:
        for id, near in neighbours.items():
            for _, other in near:
                around.setdefault(other, set()).update(found.candidates[id].held)
    covered = []
    for c in candidates:
        more = around[c.id] - c.held if c.id in around else ()
        covered.append((c.covered + trust * sum(found.weights[term] for term in more)) / whole)
    return covered


def lengths(candidates: Sequence[Candidate]) -> list[float]:
    longest = math.log1p(max((c.length for c in candidates), default=0)) or 1.0
    return [math.log1p(c.length) / longest for c in candidates]


def echoes(found: Found, candidates: Sequence[Candidate], so_far: Sequence[float]) -> list[float]:
    """Words that the best matches have in common, found again in others (pseudo-relevance feedback, RM3)."""
    best = sorted(zip(so_far, candidates, strict=True), key=lambda pair: (-pair[0], pair[1].id))[:ECHO_FROM]
    words = _common_words(found, best)
    wanted = set(words)
    average = sum(len(c.gist) for c in candidates) / max(1, len(candidates))
    heard = []
    for c in candidates:
        shared = c.vocabulary & wanted if c.gist else ()
        heard.append(sum(words[term] for term in shared) * saturated(1, len(c.gist), average))
    loudest = max(heard, default=0.0) or 1.0
    return [each / loudest for each in heard]


def newer_versions(
    found: Found, candidates: Sequence[Candidate], totals: Sequence[float], credits: Mapping[str, float]
) -> list[float]:
    """Of two memories that say nearly the same the later stored goes first: it is what holds now.

    The earlier goes last, but stays among the first few: it may be the right one, and credit is to tell."""
    settled, outdated = list(totals), set()
    for later, earlier in _versions(found, candidates, totals):
        credit, other = (credits.get(candidates[place].id, UNKNOWN_CREDIT) for place in (later, earlier))
        if other - credit <= PROVED:
            settled[later] = max(settled[later], totals[earlier] + 1e-6)
            outdated.add(earlier)
    best = max(settled, default=0.0) or 1.0
    worth = [c.literal or graded(c.tagged, total / best) for c, total in zip(candidates, settled, strict=True)]
    ranked = sorted(range(len(worth)), key=lambda place: -worth[place])
    if outdated and len(ranked) > PAGE:
        last = best * (worth[ranked[PAGE]] / GRADED_BY_CONTENT + LEAD)
        for place in outdated.intersection(ranked[:PAGE]):
            settled[place] = min(settled[place], last)
    return [after - before for after, before in zip(settled, totals, strict=True)]


def _versions(found: Found, candidates: Sequence[Candidate], totals: Sequence[float]) -> Iterator[tuple[int, int]]:
    """The later and the earlier of two versions of one thing, among the best matches."""
    best = sorted((place for place, c in enumerate(candidates) if c.gist), key=lambda place: -totals[place])[:VERSIONS]
    texts = {place: _wordy(candidates[place].vocabulary - found.query.names) for place in best}
    pairs = [pair for pair in permutations(best, 2) if _may_be_versions(candidates, totals, texts, *pair)]
    telling = found.rarity(frozenset().union(*(texts[place] for place in chain(*pairs)))) if pairs else {}
    for later, earlier in pairs:
        if _alike_in(telling, texts[later], texts[earlier]) >= VERSION_ALIKE:
            yield later, earlier


def _may_be_versions(
    candidates: Sequence[Candidate],
    totals: Sequence[float],
    texts: Mapping[int, frozenset[str]],
    place: int,
    other: int,
) -> bool:
    """All that can be told without asking how much each word tells."""
    later, earlier = candidates[place], candidates[other]
    return (
        earlier.stored < later.stored
        and len(later.held) >= len(earlier.held)
        and totals[place] >= VERSION_SCORE * totals[other]
        and _alike(texts[place], texts[other]) >= VERSION_SHARE
    )


def _alike_in(telling: Mapping[str, float], one: Collection[str], other: Collection[str]) -> float:
    """As _alike, but a word counts for what it tells; one that stands nowhere else counts most."""
    most = max(telling.values(), default=1.0)
    of_one, of_other, of_both = (
        sum(telling.get(term, most) for term in terms) for terms in (one, other, {*one} & {*other})
    )
    return 2 * of_both / (of_one + of_other) if of_both else 0.0


def _wordy(terms: Collection[str]) -> frozenset[str]:
    """Without numbers and stop words, which say little about what a text is about."""
    return frozenset(term for term in terms if term.isalpha() and term not in STOP_WORDS)


def _common_words(found: Found, best: Iterable[tuple[float, Candidate]]) -> dict[str, float]:
    weight: dict[str, float] = {}
    for score, candidate in best:
        said = candidate.gist.split(" ")
        for term, count in Counter(said).items():
            weight[term] = weight.get(term, 0.0) + score * count / len(said)
    rarity = found.rarity(weight.keys() - found.weights.keys() - found.query.names)
    telling = {term: weight[term] * rare for term, rare in rarity.items()}
    loudest = sorted(telling, key=lambda term: (-telling[term], term))[:ECHO_WORDS]
    return {term: telling[term] * rarity[term] for term in loudest}


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
        placed = _Placed(Candidate(id, "", 0), lent[id], relevance, credit)
        if relevance > 0 and (hit := _shown(found, placed, {"neighbours": lent[id]})):
            joined.append(hit)
            if len(joined) == room:
                break
    return sorted(joined, key=lambda hit: (-hit.combined, -hit.signals["neighbours"], hit.id))


def _newest(found: Found, scores: Mapping[str, float], limit: int) -> Ranked:
    newest = sorted(sorted(found.candidates.values(), key=lambda c: c.id), key=lambda c: c.updated, reverse=True)
    placed = [_Placed(c, 0.0, 0.0, scores.get(c.id, UNKNOWN_CREDIT)) for c in newest[:limit]]
    return Ranked([hit for p in placed if (hit := _shown(found, p))], found.total)


def _shown(found: Found, placed: _Placed, signals: Mapping[str, float] = MappingProxyType({})) -> Hit | None:
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
        signals=signals,
    )


# The passage

_READ_FOR_SNIPPET = 200_000
_MARKS = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+|>[ \t]?|```\w*[ \t]*$)", re.MULTILINE)


def snippet(content: str, wanted: Sequence[str], most: int = SNIPPET) -> str:
    """The passage that answers: one line of whole words, at most 240 characters."""
    line = " ".join(_printable(_unmarked(content[:_READ_FOR_SNIPPET])).split())
    if len(line) <= most:
        return line
    start = _best_start(line, frozenset(wanted), most - 2)
    return _cut(line, start, most)


def _unmarked(text: str) -> str:
    """Without what markdown puts before a line: a heading becomes 'Heading:', list items are kept apart by ';'."""
    if not _MARKS.search(text):
        return text
    lines = []
    for line in text.splitlines():
        mark = _MARKS.match(line)
        rest = line[mark.end() :].rstrip() if mark else line
        ending = "" if not mark or not rest[-1:].isalnum() else ":" if "#" in mark[0] else ";"
        lines.append(rest + ending)
    return " ".join(lines).rstrip(":; ")


def _printable(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def _best_start(line: str, wanted: frozenset[str], room: int) -> int:
    """Where the window with most of the wanted words begins: with its sentence if that fits."""
    read = word_pattern(line).finditer(line)
    places = [(word.start(), word.end(), hit) for word in read if (hit := wanted & {*terms_of(word[0])})]
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
