"""Group episodes that tell of one thing: by their tags, rare ones more, and where these are faint by their texts.

Two that each have tags that tell a subject, and share none of those, tell of two subjects. Where one of them has no
such tag, the texts decide. Tags that overlap, but are not the same, join no texts that have nothing in common: the tag
of a project stands on all that is done there.
"""

import heapq
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

from ..memory import model
from ..strategy.settings import Consolidation
from .facts import TEXT_WORD
from .tags import KINDS_OF_WORK, Weigh, weights


class Item(NamedTuple):
    """The parts of an episode that decide with which others it belongs together."""

    tags: frozenset[str]
    text: str
    created: str = ""


_EMPTY_WORDS = re.compile(
    r"(?:the|and|for|with|that|this|from|was|were|are|has|have|had|not|but|its|into|when|then|than|all|can|will|we|it"
    r"|is|in|on|at|to|of|as|by|be|or|an|no|so|if|do|did|now|new|after|before|about|out|up|more|also)"
).fullmatch
_TEXT_SAMPLE = 5_000  # so many texts are enough to tell how rare a word is
_NEIGHBOURS = 12  # so many holders of a tag before and after an item are compared with it
_A_LITTLE = 1e-9
FAINT = 0.6  # between alike texts this share of the tag overlap asked for is enough: .3 of .5
STRICT = 1.5  # where no tag tells the subject, texts must be so much more alike: .3 instead of .2
STRAY = 0.15  # texts that are less alike than this share of .2 have a stray word in common, or none
_TELLING = 5  # words, without those that tell nothing of a subject


def clusters(
    items: Sequence[Item],
    settings: Consolidation | None = None,
    weigh: Weigh | None = None,
    apart: Mapping[int, Set[int]] = MappingProxyType({}),
) -> list[list[int]]:
    """Return the items (by index) that belong together: by average link, nothing across the window of days.

    `weigh` weighs the tags, by default from these items alone; `apart` holds for an item those it is never joined with.
    """
    settings = settings or Consolidation()
    weigh = weigh or weights(item.tags for item in items)
    likeness = _Likeness(items, settings, weigh)
    order = sorted(range(len(items)), key=lambda i: (items[i].created, i))
    found = []
    for group in _groups(order, likeness.day, settings.window_days):
        found += _link(group, likeness, settings, apart)
        likeness.known.clear()
        likeness.vectors.clear()
    return found


def _groups(order: list[int], day: Sequence[int], window: int) -> Iterator[list[int]]:
    """Yield runs of items without a gap wider than the window: items of two runs cannot merge."""
    group: list[int] = []
    for i in order:
        if group and day[i] - day[group[-1]] > window:
            yield group
            group = []
        group.append(i)
    if group:
        yield group


@lru_cache(maxsize=4096)
def _day(date: str) -> int:
    return model.moment(date).toordinal() if date else 0


class _Likeness:
    """The likeness of two items, computed once and only when asked."""

    def __init__(self, items: Sequence[Item], settings: Consolidation, weigh: Weigh) -> None:
        self.items, self.weigh = items, lru_cache(maxsize=None)(weigh)
        self.enough, self.faint = settings.min_tag_overlap, settings.min_tag_overlap * FAINT
        self.alike = settings.min_text_similarity
        self.day = [_day(item.created[:10]) for item in items]
        self.weight = [sum(map(self.weigh, sorted(item.tags))) for item in items]
        self.known: dict[tuple[int, int], float] = {}
        self.vectors: dict[int, dict[str, float]] = {}
        self.word_counts: Counter[str] | None = None

    def __call__(self, i: int, j: int) -> float:
        pair = (i, j) if i < j else (j, i)
        if pair not in self.known:
            self.known[pair] = self._tags(*pair)
        return self.known[pair]

    def _tags(self, i: int, j: int) -> float:
        least = min(self.weight[i], self.weight[j])
        shared = self.items[i].tags & self.items[j].tags
        overlap = sum(map(self.weigh, sorted(shared))) / least if least else 0.0
        if self.faint < overlap <= self.enough and self._texts(i, j) >= self.alike:
            return self.enough + _A_LITTLE * 2
        if shared and not least and self._texts(i, j) >= self.alike * STRICT:
            return self.enough + _A_LITTLE * 2
        return 0.0 if overlap > self.enough and self._texts_differ(i, j) else overlap

    def _texts_differ(self, i: int, j: int) -> bool:
        """Tell whether the texts of two episodes share nothing, and so outweigh tags that overlap.

        The same telling tags are enough without a look at the texts, and a text of few words shows nothing.
        """
        tags = self.items[i].tags
        if tags == self.items[j].tags and all(map(self.weigh, tags)):
            return False
        return min(map(len, (self._vector(i), self._vector(j)))) >= _TELLING and self._texts(i, j) < self.alike * STRAY

    def _texts(self, i: int, j: int) -> float:
        x, y = self._vector(i), self._vector(j)
        if len(y) < len(x):
            x, y = y, x
        return sum(value * y[word] for word, value in x.items() if word in y)

    def _vector(self, i: int) -> dict[str, float]:
        if i not in self.vectors:
            counts, total = self._counts(), min(len(self.items), _TEXT_SAMPLE)
            words = Counter(_words(self.items[i].text))
            raw = {word: n * math.log(1 + total / max(1, counts[word])) for word, n in words.items()}
            length = math.sqrt(math.fsum(v * v for v in raw.values())) or 1.0
            self.vectors[i] = {word: value / length for word, value in raw.items()}
        return self.vectors[i]

    def _counts(self) -> Counter[str]:
        if self.word_counts is None:
            self.word_counts = Counter()
            step = max(1, len(self.items) // _TEXT_SAMPLE)
            for item in self.items[::step]:
                self.word_counts.update(set(_words(item.text)))
        return self.word_counts

    def near(self, group: list[int]) -> list[tuple[int, int]]:
        """Return the pairs whose tags can overlap enough: they share one of the tags that carry an item's weight."""
        holders: dict[str, list[int]] = defaultdict(list)
        for place, i in enumerate(group):
            for tag in self.items[i].tags:
                holders[tag].append(place)
        pairs = set()
        for place, i in enumerate(group):
            for tag in self._carrying(i):
                at = bisect_left(holders[tag], place)
                for other in holders[tag][max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1]:
                    if other != place:
                        pairs.add((min(place, other), max(place, other)))
        return [(group[i], group[j]) for i, j in sorted(pairs)]

    def _carrying(self, i: int) -> Iterator[str]:
        left = self.weight[i]
        if not left:  # no tag tells the subject: whatever shares one may have an alike text
            yield from sorted(self.items[i].tags)
            return
        for tag in sorted(self.items[i].tags, key=lambda tag: (-self.weigh(tag), tag)):
            if left <= self.faint * self.weight[i]:
                return
            yield tag
            left -= self.weigh(tag)


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, without those that tell nothing of its subject."""
    found = TEXT_WORD.findall(text[:50_000].lower())
    return (word for word in found if not (word in KINDS_OF_WORK or word.isdigit() or _EMPTY_WORDS(word)))


def _link(
    group: list[int], likeness: _Likeness, settings: Consolidation, apart: Mapping[int, Set[int]]
) -> list[list[int]]:
    """Join the two clusters that are most alike on average, until none are alike enough."""
    clusters = _Clusters(group, likeness, settings, apart)
    place = {i: n for n, i in enumerate(group)}
    for i, j in likeness.near(group):
        clusters.tie(place[i], place[j], likeness(i, j))
    while pair := clusters.closest():
        clusters.join(*pair)
    return sorted(sorted(cluster) for cluster in clusters.members.values())


class _Clusters:
    """Clusters by number, and the pairs that are alike enough to be joined."""

    def __init__(
        self, group: list[int], likeness: _Likeness, settings: Consolidation, apart: Mapping[int, Set[int]]
    ) -> None:
        self.likeness, self.most, self.window = likeness, settings.max_episodes, settings.window_days
        self.apart = apart
        self.members = {n: [i] for n, i in enumerate(group)}
        self.days = {n: (likeness.day[i], likeness.day[i]) for n, i in enumerate(group)}
        self.fresh = count(len(group))
        self.totals: dict[int, dict[int, float]] = defaultdict(dict)  # likeness of all their members, summed up
        self.heap: list[tuple[float, int, int]] = []

    def fits(self, a: int, b: int) -> bool:
        """Tell whether two clusters may be one: few enough, within the window of days, and no two to be kept apart."""
        first, last = zip(self.days[a], self.days[b], strict=True)
        if len(self.members[a]) + len(self.members[b]) > self.most or max(last) - min(first) > self.window:
            return False
        barred = (self.apart[i] for i in self.members[a] if i in self.apart)
        return all(others.isdisjoint(self.members[b]) for others in barred)

    def tie(self, a: int, b: int, total: float) -> None:
        """Note two clusters whose members' likeness adds up to a total, if they may be joined."""
        mean = total / (len(self.members[a]) * len(self.members[b]))
        if mean > self.likeness.enough + _A_LITTLE and self.fits(a, b):
            self.totals[a][b] = self.totals[b][a] = total
            heapq.heappush(self.heap, (-round(mean, 12), a, b))

    def closest(self) -> tuple[int, int] | None:
        """Return the two clusters that are most alike and may be joined."""
        while self.heap:
            _, a, b = heapq.heappop(self.heap)
            if a in self.members and b in self.members:
                return a, b
        return None

    def join(self, a: int, b: int) -> None:
        """Put a new cluster in the place of two, and note what it is tied to."""
        c, around = next(self.fresh), sorted((self.totals[a].keys() | self.totals[b].keys()) - {a, b})
        parts = {a: self.members.pop(a), b: self.members.pop(b)}
        self.members[c] = parts[a] + parts[b]
        self.days[c] = min(self.days[a][0], self.days[b][0]), max(self.days[a][1], self.days[b][1])
        for d in around:
            if self.fits(c, d):
                self.tie(c, d, math.fsum(self._total(parts, each, d) for each in (a, b)))
            self.totals[d].pop(a, None), self.totals[d].pop(b, None)
        del self.totals[a], self.totals[b]

    def _total(self, parts: Mapping[int, list[int]], a: int, d: int) -> float:
        known = self.totals[a].get(d)
        return math.fsum(self.likeness(i, j) for i in parts[a] for j in self.members[d]) if known is None else known
