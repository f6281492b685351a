"""Reflection: statistics over some of a store's memories, always the same for the same store."""

from collections import Counter
from collections.abc import Collection, Iterable
from datetime import timedelta
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from ...memory.model import Memory, days_between, stamp
from ..shared.importance import importance
from ..shared.links import STUB, Links

if TYPE_CHECKING:
    from ...brain import Brain

RECENT, TODAY, WEEK = "recent", "today", "week"
LAST = 50
TOPICS, TOP, PATTERNS = 10, 5, 5
_RECENCY, _ACCESS, _IMPORTANCE, _LINKS = 0.4, 0.3, 0.2, 0.1
_HALF_AS_NEW = 7.0  # days after which recency has halved


class Reflected(NamedTuple):
    """The statistics over the chosen memories."""

    analyzed: int
    topics: list[str]
    top: list[tuple[Memory, float]]
    patterns: list[str]
    relations: list[tuple[str, int]]


class Reflection:
    """The statistics of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.links = Links(brain)

    def on(self, window: str = RECENT, start: str = "", end: str = "") -> Reflected:
        """Return statistics on the newest memories, on those of a day or a week, or on those between two dates."""
        chosen = self._chosen(window, start, end)
        ids = {memory.id for memory in chosen}
        edges = [edge for edge in self.links.edges() if edge.source in ids or edge.target in ids]
        linked = Counter(end for edge in edges for end in (edge.source, edge.target))
        relations = Counter(edge.link.relation for edge in edges)
        topics = Counter(tag for memory in chosen for tag in memory.tags)
        return Reflected(
            analyzed=len(chosen),
            topics=[tag for tag, _ in _most_common(topics, TOPICS)],
            top=self._weighed(chosen, linked)[:TOP],
            patterns=_patterns(chosen),
            relations=_most_common(relations, len(relations)),
        )

    def _chosen(self, window: str, start: str, end: str) -> list[Memory]:
        """Return the memories of the window or between the dates, newest first."""
        self.brain.sync()
        known = [memory for memory in self.brain.listed.memories() if memory.kind != STUB]
        found = self.brain.in_order(known)[::-1]
        now = self.brain.clock()
        if start or end:
            return [memory for memory in found if start <= memory.created <= (end or memory.created)]
        if window == TODAY:
            return [memory for memory in found if memory.created[:10] == stamp(now)[:10]]
        if window == WEEK:
            return [memory for memory in found if memory.created >= stamp(now - timedelta(days=7))]
        return found[:LAST]

    def _weighed(self, chosen: Collection[Memory], linked: Counter[str]) -> list[tuple[Memory, float]]:
        """Return the memories with a score made of recency, accesses, importance and links, highest first."""
        now, credits = stamp(self.brain.clock()), self.brain.credits([memory.id for memory in chosen])
        accesses = {id: entry.access_count for id, entry in credits.items()}
        most_read, most_linked = max(accesses.values(), default=0) or 1, max(linked.values(), default=0) or 1
        rated = []
        for memory in chosen:
            recency = _HALF_AS_NEW / (_HALF_AS_NEW + days_between(memory.created, now))
            read, joined = accesses.get(memory.id, 0) / most_read, linked[memory.id] / most_linked
            score = _RECENCY * recency + _ACCESS * read + _IMPORTANCE * importance(memory) + _LINKS * joined
            rated.append((memory, score))
        return sorted(rated, key=lambda pair: -pair[1])


def _patterns(chosen: Iterable[Memory]) -> list[str]:
    pairs = Counter(pair for memory in chosen for pair in combinations(sorted(memory.tags), 2))
    often = [(pair, count) for pair, count in _most_common(pairs, PATTERNS) if count > 1]
    return [f"'{a}' and '{b}' occur together in {count} memories" for (a, b), count in often]


def _most_common(counted: Counter[Any], most: int) -> list[tuple[Any, int]]:
    """Return the most common items; equal counts are sorted by name, so that the same store gets the same answer."""
    return sorted(counted.items(), key=lambda pair: (-pair[1], str(pair[0])))[:most]
