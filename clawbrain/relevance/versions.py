"""Of two memories that are versions of one thing the later stored goes first: it is what holds now.

A decision and the one that replaced it are seldom worded alike. But they are filed under nearly the same tags, as few
others of those that match are; or they have many more words in common than the others usually have: what is told of
one cache is not told of another. Where all are much alike, as in a talk, none stands out. And where the whole question
stands in the earlier alone, it is the one that is asked for.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import fsum

from ..words import STOP_WORDS, terms
from . import weights
from .found import Candidate, Found

Pair = tuple[int, int]
EASE = 2.0  # by number pairs may be half as much alike as is asked, and still be so by what their words tell
_TAG = "#"  # before the words of tags, that they are not taken for those of texts


def newer_versions(
    found: Found, candidates: Sequence[Candidate], totals: Sequence[float], credits: Mapping[str, float]
) -> list[float]:
    """The later rises to the earlier. Where that is certain the earlier goes last, but stays among the first few:
    it may be the right one, and credit is to tell."""
    settled, outdated = list(totals), set()
    for later, earlier, certain in _versions(found, candidates, totals):
        credit, other = (credits.get(candidates[place].id, weights.UNKNOWN_CREDIT) for place in (later, earlier))
        if other - credit <= weights.PROVED:
            settled[later] = max(settled[later], totals[earlier] + 1e-6)
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
    found: Found, candidates: Sequence[Candidate], totals: Sequence[float]
) -> Iterator[tuple[int, int, bool]]:
    """The later and the earlier of two versions of one thing, among the best matches, and whether that is certain."""
    ranked = sorted((place for place, c in enumerate(candidates) if c.gist), key=lambda place: -totals[place])
    best = ranked[: weights.VERSIONS]
    said = {place: _wordy(candidates[place].vocabulary) - found.query.names for place in best}
    filed = {place: said[place] | _tagged(candidates[place].tags) for place in best}
    tags = Counter(candidates[place].tags for place in best)
    if not _worth_weighing(filed, tags):
        return
    telling = _telling(found, frozenset().union(*filed.values()))
    likeness, standing_out = _by_what_they_tell(telling, said), _standing_out(_by_what_they_tell(telling, filed))
    for pair in combinations(best, 2):
        earlier, later = sorted(pair, key=lambda place: candidates[place].stored)
        old, new, share = candidates[earlier], candidates[later], totals[later] / (totals[earlier] or 1.0)
        the_same = likeness[pair] >= weights.CERTAINLY_ALIKE and len(new.held) >= len(old.held)
        certain = the_same and share >= weights.CERTAIN_SCORE
        answers = share >= weights.VERSION_SCORE and new.covered >= weights.VERSION_COVERS * old.covered
        asked = weights.TOGETHER_ALIKE if new.tags == old.tags else weights.NEARLY_TOGETHER_ALIKE
        related = likeness[pair] >= asked and share >= weights.TOGETHER_SCORE
        together = related and _filed_together(new.tags, old.tags, tags)
        likely = together or (answers and pair in standing_out and _filed_alike(new, old))
        if old.stored < new.stored and old.literal <= new.literal and (certain or likely):
            yield later, earlier, certain


def _worth_weighing(filed: Mapping[int, frozenset[str]], tags: Mapping[frozenset[str], int]) -> bool:
    """A guess by the number of words that two share, in a tenth of the time."""
    if any(_filed_together(each, each, tags) for each in tags if tags[each] > 1):
        return True
    if any(_filed_together(one, other, tags) for one, other in combinations(tags, 2)):
        return True
    shares = {(a, b): alike(filed[a], filed[b]) for a, b in combinations(filed, 2)}
    return max(shares.values(), default=0.0) * EASE >= weights.CERTAINLY_ALIKE or bool(_standing_out(shares, EASE))


def _telling(found: Found, words: Collection[str]) -> dict[str, float]:
    """How much each word tells; one that stands nowhere else tells most."""
    rarity = found.rarity({word.removeprefix(_TAG) for word in words})
    most = max(rarity.values(), default=1.0)
    return {
        word: rarity.get(word.removeprefix(_TAG), most) * (weights.VERSION_TAG if word[0] == _TAG else 1)
        for word in words
    }


def _by_what_they_tell(telling: Mapping[str, float], said: Mapping[int, frozenset[str]]) -> dict[Pair, float]:
    """How much of what the words of two tell is told by both."""

    def told(words: Collection[str]) -> float:
        return fsum(telling[word] for word in words)  # the same in whatever order the words come

    whole = {place: told(each) or 1.0 for place, each in said.items()}
    return {(a, b): 2 * told(said[a] & said[b]) / (whole[a] + whole[b]) for a, b in combinations(said, 2)}


def _standing_out(likeness: Mapping[Pair, float], ease: float = 1.0) -> set[Pair]:
    """The pairs that are much more alike than the others. Where there are few others, some are imagined."""
    imagined, others = weights.IMAGINED, len(likeness) - 1
    together = sum(likeness.values()) + imagined * weights.USUAL

    def asked(own: float) -> float:
        usual = (together - own) / (others + imagined)
        return min(1.0, max(weights.VERSION_ALIKE, weights.VERSION_TIMES * usual))

    return {pair for pair, own in likeness.items() if own * ease >= asked(own)}


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


def _filed_together(one: frozenset[str], other: frozenset[str], tags: Mapping[frozenset[str], int]) -> bool:
    """Under nearly the same tags, of which there are several, and few others of the best matches are."""
    shared = one & other
    if len(shared) < 2 or len(shared) < weights.TOGETHER_TAGS * len(one | other):
        return False
    return sum(count for each, count in tags.items() if shared <= each) <= weights.TOGETHER


def _filed_alike(one: Candidate, other: Candidate) -> bool:
    """Under half the same tags at least, where both have any."""
    tags, others = _tagged(one.tags), _tagged(other.tags)
    return not (tags and others) or alike(tags, others) >= weights.FILED_ALIKE


@lru_cache(maxsize=1_000)
def _wordy(terms: frozenset[str]) -> frozenset[str]:
    """Without numbers and stop words, which say little about what a text is about."""
    return frozenset(term for term in terms if term.isalpha() and term not in STOP_WORDS)


@lru_cache(maxsize=1_000)
def _tagged(tags: frozenset[str]) -> frozenset[str]:
    return frozenset(f"{_TAG}{term}" for tag in tags for term in terms(tag))
