"""Of two memories that are versions of one thing the later stored goes first: it is what holds now.

A decision and the one that replaced it are seldom worded alike. But they are filed under nearly the same tags, as few
others of those that match are; or they have many more words in common than the others usually have: what is told of
one cache is not told of another. Fewer will do where neither is filed at all, or where the later alone says "no
longer", "now" or the like. Where all are much alike, as in a talk, none stands out. And where the whole question
stands in the earlier alone, it is the one that is asked for.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import fsum

from ..words import terms
from . import weights
from .found import Candidate, Found
from .query import Query

Pair = tuple[int, int]
_OF_CHANGE = frozenset(
    terms("now longer instead had former formerly previous previously")
    + terms("changed moved switched replaced superseded reversed")
)


def newer_versions(
    found: Found, candidates: Sequence[Candidate], totals: Sequence[float], credits: Mapping[str, float], trust: float
) -> list[float]:
    """The later rises to the earlier. Where that is certain the earlier goes last, but stays among the first few:
    it may be the right one, and credit is to tell."""
    versions = sorted(_versions(found, candidates, totals, trust), key=lambda pair: candidates[pair[0]].age)
    if not versions:
        return [0.0] * len(totals)
    settled, outdated = list(totals), set()
    for later, earlier, certain in versions:
        credit, other = (credits.get(candidates[place].id, weights.UNKNOWN_CREDIT) for place in (later, earlier))
        if other - credit <= weights.PROVED:
            settled[later] = max(settled[later], settled[earlier] + 1e-6)
            if certain:
                outdated.add(earlier)
    best = max(settled, default=0.0) or 1.0
    worth = [c.relevance(total / best) for c, total in zip(candidates, settled, strict=True)]
    ranked = sorted(range(len(worth)), key=lambda place: -worth[place])
    if outdated and len(ranked) > weights.PAGE:
        last = best * (worth[ranked[weights.PAGE]] / weights.GRADED_BY_CONTENT + weights.LEAD)
        for place in outdated.intersection(ranked[: weights.PAGE]):
            settled[place] = min(settled[place], last)
    return [after - before for after, before in zip(settled, totals, strict=True)]


def _versions(
    found: Found, candidates: Sequence[Candidate], totals: Sequence[float], trust: float
) -> Iterator[tuple[int, int, bool]]:
    """The later and the earlier of two versions of one thing, among the best matches, and whether that is certain."""
    ranked = sorted((place for place, c in enumerate(candidates) if c.gist), key=lambda place: -totals[place])
    best = ranked[: weights.VERSIONS]
    together = _filed_together({place: candidates[place].tags for place in best})
    likenesses, standing_out = _likenesses(found, {place: candidates[place] for place in best})
    for pair, likeness in likenesses.items():
        times = standing_out.get(pair, 0.0)
        if likeness < weights.CERTAINLY_ALIKE and times < weights.CHANGED_TIMES and pair not in together:
            continue  # as most are
        earlier, later = sorted(pair, key=lambda place: candidates[place].age)
        old, new, share = candidates[earlier], candidates[later], totals[later] / (totals[earlier] or 1.0)
        the_same = likeness >= weights.CERTAINLY_ALIKE and len(new.held) >= len(old.held)
        certain = the_same and share >= weights.CERTAIN_SCORE
        answers = share >= weights.VERSION_SCORE and new.covered >= weights.VERSION_COVERS * old.covered
        asked = weights.TOGETHER_ALIKE if new.tags == old.tags else weights.NEARLY_TOGETHER_ALIKE
        related = likeness >= asked and share >= weights.TOGETHER_SCORE
        changed = _tells_of_change(new) and not _tells_of_change(old)
        stands_out = times >= _times_asked(new, old, changed, trust) and _filed_alike(new, old)
        likely = (related and pair in together) or (answers and stands_out)
        likely = likely and (changed or not _is_asked_for(found.query, old, new))
        if old.age < new.age and old.literal <= new.literal and (certain or likely):
            yield later, earlier, certain


def _times_asked(new: Candidate, old: Candidate, changed: bool, trust: float) -> float:
    """Two without tags stand out less. Where the order of storing means something, as in a talk, few are versions."""
    if changed:
        return weights.CHANGED_TIMES
    tagged = bool(new.tags or old.tags)
    return weights.VERSION_TIMES if tagged else trust * weights.VERSION_TIMES + (1 - trust) * weights.UNTAGGED_TIMES


def _is_asked_for(query: Query, old: Candidate, new: Candidate) -> bool:
    """Whether the question names what the earlier alone is about: a sister of it is no later version."""
    lost = old.held - new.held
    named = query.names | query.dates
    return any(term in named or not term.isalpha() for term in lost) or not lost.isdisjoint(terms(old.id))


def _likenesses(found: Found, best: Mapping[int, Candidate]) -> tuple[dict[Pair, float], dict[Pair, float]]:
    """How much alike the words of two are, and how much two stand out by their words and tags."""
    said = {place: c.gist.subjects - found.query.names for place, c in best.items()}
    filed = {place: _tagged(c.tags) for place, c in best.items()}
    words = frozenset().union(*said.values(), *filed.values())
    telling = found.telling(words).__getitem__
    most = max((told for told in map(telling, words) if told < found.alone), default=1.0)

    def all_told(words: Collection[str]) -> float:
        """One that stands in a single memory tells as much as the most telling of the others; fsum knows no order."""
        return fsum([told if told < most else most for told in map(telling, words)])

    own_words = {place: all_told(words) for place, words in said.items()}
    own = {place: by_words + weights.VERSION_TAG * all_told(filed[place]) for place, by_words in own_words.items()}
    by_words, by_both = {}, {}
    for pair in combinations(best, 2):
        one, other = pair
        shared = fsum(map(telling, said[one] & said[other]))  # these stand in more than one
        by_words[pair] = 2 * shared / ((own_words[one] + own_words[other]) or 1.0)
        if tags := filed[one] & filed[other]:
            shared += weights.VERSION_TAG * fsum(map(telling, tags))
        by_both[pair] = 2 * shared / ((own[one] + own[other]) or 1.0)
    return by_words, _standing_out(by_both)


def _standing_out(likeness: Mapping[Pair, float]) -> dict[Pair, float]:
    """How many times more alike than the others a pair is, if it is so much alike at all. Where there are few others,
    some are imagined."""
    imagined, others = weights.IMAGINED, len(likeness) - 1
    together = sum(likeness.values()) + imagined * weights.USUAL

    return {
        pair: own * (others + imagined) / (together - own)
        for pair, own in likeness.items()
        if own >= weights.VERSION_ALIKE
    }


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def _filed_together(tags: Mapping[int, frozenset[str]]) -> set[Pair]:
    """Those under nearly the same tags, of which there are several, and few others of the best matches are."""
    return {(a, b) for a, b in combinations(tags, 2) if _few_have(tags[a] & tags[b], tags[a] | tags[b], tags.values())}


def _few_have(shared: frozenset[str], union: frozenset[str], tags: Collection[frozenset[str]]) -> bool:
    if len(shared) < 2 or len(shared) < weights.TOGETHER_TAGS * len(union):
        return False
    return sum(shared <= each for each in tags) <= weights.TOGETHER


def _filed_alike(one: Candidate, other: Candidate) -> bool:
    """Under half the same tags at least, where both have any."""
    tags, others = _tagged(one.tags), _tagged(other.tags)
    return not (tags and others) or alike(tags, others) >= weights.FILED_ALIKE


def _tells_of_change(one: Candidate) -> bool:
    return not one.gist.words.isdisjoint(_OF_CHANGE)


@lru_cache(maxsize=1_000)
def _tagged(tags: frozenset[str]) -> frozenset[str]:
    return frozenset(term for tag in tags for term in terms(tag))
