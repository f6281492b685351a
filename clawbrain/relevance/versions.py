"""Of two memories that say nearly the same the later stored goes first: it is what holds now."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, permutations

from ..words import STOP_WORDS
from . import weights
from .found import Candidate, Found


def newer_versions(
    found: Found, candidates: Sequence[Candidate], totals: Sequence[float], credits: Mapping[str, float]
) -> list[float]:
    """Of two memories that say nearly the same the later stored goes first: it is what holds now.

    The earlier goes last, but stays among the first few: it may be the right one, and credit is to tell."""
    settled, outdated = list(totals), set()
    for later, earlier in _versions(found, candidates, totals):
        credit, other = (credits.get(candidates[place].id, weights.UNKNOWN_CREDIT) for place in (later, earlier))
        if other - credit <= weights.PROVED:
            settled[later] = max(settled[later], totals[earlier] + 1e-6)
            outdated.add(earlier)
    best = max(settled, default=0.0) or 1.0
    worth = [c.relevance(total / best) for c, total in zip(candidates, settled, strict=True)]
    ranked = sorted(range(len(worth)), key=lambda place: -worth[place])
    if outdated and len(ranked) > weights.PAGE:
        last = best * (worth[ranked[weights.PAGE]] / weights.GRADED_BY_CONTENT + weights.LEAD)
        for place in outdated.intersection(ranked[: weights.PAGE]):
            settled[place] = min(settled[place], last)
    return [after - before for after, before in zip(settled, totals, strict=True)]


def _versions(found: Found, candidates: Sequence[Candidate], totals: Sequence[float]) -> Iterator[tuple[int, int]]:
    """The later and the earlier of two versions of one thing, among the best matches."""
    best = sorted((place for place, c in enumerate(candidates) if c.gist), key=lambda place: -totals[place])[
        : weights.VERSIONS
    ]
    texts = {place: _wordy(candidates[place].vocabulary) - found.query.names for place in best}
    pairs = [pair for pair in permutations(best, 2) if _may_be_versions(candidates, totals, texts, *pair)]
    if not pairs:
        return
    telling = found.rarity(frozenset().union(*(texts[place] for place in chain(*pairs))))
    most = max(telling.values(), default=1.0)

    def told(terms: Collection[str]) -> float:
        """A word counts for what it tells; one that stands nowhere else counts most."""
        return sum(telling.get(term, most) for term in terms)

    whole = {place: told(texts[place]) for place in {*chain(*pairs)}}
    for later, earlier in pairs:
        if 2 * told(texts[later] & texts[earlier]) >= weights.VERSION_ALIKE * (whole[later] + whole[earlier]):
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
        and totals[place] >= weights.VERSION_SCORE * totals[other]
        and alike(texts[place], texts[other]) >= weights.VERSION_SHARE
    )


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    shared = len(one & other)
    return 2 * shared / (len(one) + len(other)) if shared else 0.0


@lru_cache(maxsize=1_000)
def _wordy(terms: frozenset[str]) -> frozenset[str]:
    """Without numbers and stop words, which say little about what a text is about."""
    return frozenset(term for term in terms if term.isalpha() and term not in STOP_WORDS)
