"""Of two memories that are versions of one thing the later made goes first: it is what holds now.

A decision and the one that replaced it are seldom worded alike. But they share tags that few others of the best
matches share, they have more words in common than the others usually have, and the later may say "no longer", "now" or
the like: what tells adds up. Less is left where the question asks for what the earlier alone holds, and where all are
much alike, as in a talk. And where the whole question stands in the earlier alone, it is the one that is asked for.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import fsum
from typing import NamedTuple

from ..words import terms
from . import weights
from .found import Candidate, Found
from .query import Query

Pair = tuple[int, int]


class InCommon(NamedTuple):
    share: float  # of their words, by what these tell
    times: float  # so many times more than others usually have


_OF_CHANGE = frozenset(
    terms("now longer instead had former formerly previous previously")
    + terms("changed moved switched replaced superseded reversed")
)


class Settled(NamedTuple):
    more: list[float]  # what each candidate's score gains or loses
    tagged: dict[str, float]  # by id: how well those are filed whose earlier version is filed better


def newer_versions(found: Found, candidates: Sequence[Candidate], totals: Sequence[float], trust: float) -> Settled:
    """Return by how much the later of two versions rises to the earlier, and which tags count for it."""
    versions = sorted(_versions(found, candidates, totals, trust), key=lambda pair: candidates[pair[0]].age)
    settled = list(totals)
    tagged: dict[str, float] = {}
    for later, earlier in versions:
        old, new = candidates[earlier], candidates[later]
        settled[later] = max(settled[later], settled[earlier] + 1e-6)
        settled[earlier] = min(settled[earlier], settled[later])
        tagged[new.id] = max(new.tagged, tagged.get(old.id, old.tagged))
    return Settled([after - before for after, before in zip(settled, totals, strict=True)], tagged)


def _versions(
    found: Found, candidates: Sequence[Candidate], totals: Sequence[float], trust: float
) -> Iterator[tuple[int, int]]:
    """The later and the earlier of two versions of one thing, among the best matches."""
    ranked = sorted((place for place, c in enumerate(candidates) if c.gist), key=lambda place: -totals[place])
    best = {place: candidates[place] for place in ranked[: weights.VERSIONS]}
    for pair, common in _in_common(found, best).items():
        earlier, later = sorted(pair, key=lambda place: candidates[place].age)
        old, new, share = candidates[earlier], candidates[later], totals[later] / (totals[earlier] or 1.0)
        if old.age == new.age or share < weights.VERSION_SCORE:
            continue
        changed = _tells_of_change(new) and not _tells_of_change(old)
        the_same = common.share >= weights.CERTAINLY_ALIKE and len(new.held) >= len(old.held)
        certain = the_same and share >= weights.CERTAIN_SCORE
        likely = certain or _worth(found, old, new, common, changed, best.values()) >= 1 + weights.VERSION_TALK * trust
        if likely and not _is_asked_for(found.query, old, new, changed):
            yield later, earlier


def _is_asked_for(query: Query, old: Candidate, new: Candidate, changed: bool) -> bool:
    """Whether just the earlier is wanted: the whole question stands there, or it names what that one alone is about.
    A sister of it is no later version."""
    if old.literal > new.literal or old.called > new.called:
        return True
    lost = old.held - new.held
    named = any(term in query.named or not term.isalpha() for term in lost) or not lost.isdisjoint(terms(old.id))
    return named and not changed


def _worth(
    found: Found, old: Candidate, new: Candidate, common: InCommon, changed: bool, best: Collection[Candidate]
) -> float:
    """How much tells that the later holds instead of the earlier."""
    worth = weights.VERSION_TIMES * math.log1p(common.times) + weights.VERSION_CHANGE * changed
    if old.tags and new.tags:
        worth += _filed_together(old.tags, new.tags, best)
    elif common.share >= weights.UNTAGGED_ALIKE:
        worth += weights.VERSION_UNTAGGED
    if lost := old.held - new.held:
        worth -= weights.VERSION_LOST * fsum(map(found.weights.__getitem__, lost)) / found.followed
    return worth


def _filed_together(tags: frozenset[str], others: frozenset[str], best: Collection[Candidate]) -> float:
    """How much the tags tell: that there are several in common, and that few others of the best have these."""
    if not (shared := tags & others):
        return 0.0
    share, holding = len(shared) / len(tags | others), sum(shared <= each.tags for each in best)
    return weights.VERSION_TAG * min(len(shared), weights.VERSION_TAGS) + weights.VERSION_ALONE * share * 2 / holding


def _in_common(found: Found, best: Mapping[int, Candidate]) -> dict[Pair, InCommon]:
    """How much two have in common. Where there are few others to compare with, some are imagined."""
    said = {place: c.gist.subjects - found.query.names for place, c in best.items()}
    everything = frozenset().union(*said.values())
    telling = found.telling(everything).__getitem__
    most = max((told for told in map(telling, everything) if told < found.alone), default=1.0)

    def all_told(words: Collection[str]) -> float:
        """One that stands in a single memory tells as much as the most telling of the others; fsum knows no order."""
        return fsum([told if told < most else most for told in map(telling, words)])

    own = {place: all_told(words) for place, words in said.items()}
    shares = {}
    for one, other in combinations(best, 2):
        shared = fsum(map(telling, said[one] & said[other]))  # these stand in more than one
        shares[one, other] = 2 * shared / ((own[one] + own[other]) or 1.0)
    others = len(shares) - 1 + weights.IMAGINED
    together = fsum(shares.values()) + weights.IMAGINED * weights.USUAL
    return {pair: InCommon(share, share * others / (together - share)) for pair, share in shares.items()}


def _tells_of_change(one: Candidate) -> bool:
    return not one.gist.words.isdisjoint(_OF_CHANGE)
