"""What a compaction would do: memories, their credit and the strategy in, a list of actions out.

Nothing here touches a file. Consolidation, promotion and pruning are planned in that order, each over the
state the one before would leave, so the plan can be shown, journalled, and carried out action by action. Every
action says what it expects to find, and why it is there; what a limit forbids is left out, and a note says so.
"""

import gc
import hashlib
import heapq
import json
import math
import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from itertools import combinations, count
from typing import Any, NamedTuple

from . import conflict, credit, header, memory
from .credit import Credit
from .memory import Memory
from .strategy.settings import Consolidation, Strategy

PHASES = ("consolidation", "promotion", "pruning")
PROTECTED_KINDS = frozenset({"decision", "checkpoint", "context", "persona", "rule", "artifact"})
PROTECTED_CATEGORY = "people"
YOUNGEST_DAYS = 14  # a floor that no setting lowers
WANTED_BACK = 2  # reactivations that restore what lies in the archive
HIGHEST = 0.95  # no merge or gift lifts a score above it
FEW_EPISODES = 20  # below this a tag's rarity says nothing


class Expected(NamedTuple):
    """How a memory must be found when its action is carried out; otherwise the action is skipped."""

    id: str
    digest: str  # of its content
    score: float


@dataclass(frozen=True, slots=True)
class Merge:
    survivor: str
    others: tuple[str, ...]
    content: str
    tags: tuple[str, ...]
    created: str
    merged_from: tuple[str, ...]
    score: float
    expects: tuple[Expected, ...]
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Promote:
    episode: str
    target: str
    category: str
    name: str
    new: bool  # the target does not exist yet
    facts: tuple[tuple[str, str], ...]  # (fact, its hash)
    moved: float
    episode_score: float  # after the gift
    target_score: float
    expects: tuple[Expected, ...]
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Archive:
    id: str
    score: float  # effective
    expects: tuple[Expected, ...]
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Restore:
    id: str
    archive_path: str
    reactivations: int
    expects: tuple[Expected, ...]  # of the text in the archive
    reason: str
    detail: str


Action = Merge | Promote | Archive | Restore


class Away(NamedTuple):
    """A memory that lies in the archive, and how often it was asked for since."""

    memory: Memory
    archive_path: str
    reactivations: int


@dataclass(frozen=True, slots=True)
class Conflict:
    """A fact that was not promoted, because its entity says otherwise: to be recorded."""

    episode: str
    entity: str
    fact: str
    claim: str
    description: str


@dataclass(frozen=True, slots=True)
class Plan:
    actions: tuple[Action, ...]
    notes: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    now: str = ""


@dataclass(slots=True)
class _State:
    """The store as the actions planned so far would leave it."""

    memories: dict[str, Memory]
    credits: dict[str, Credit]
    now: str
    written: set[str] = field(default_factory=set)
    actions: list[Action] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)

    def credit(self, id: str) -> Credit:
        return self.credits.get(id) or Credit()

    def score(self, id: str) -> float:
        return self.credit(id).score

    def expected(self, *ids: str) -> tuple[Expected, ...]:
        return tuple(Expected(id, digest(self.memories[id].content), self.score(id)) for id in ids)

    def write(self, changed: Memory, score: float, signals: int) -> None:
        self.memories[changed.id] = changed
        self.credits[changed.id] = replace(self.credit(changed.id), score=score, signals=signals)
        self.written.add(changed.id)


def plan(
    memories: Iterable[Memory],
    credits: Mapping[str, Credit],
    strategy: Strategy,
    now: str,
    *,
    promoted: Collection[tuple[str, str]] = (),
    away: Iterable[Away] = (),
    phases: Collection[str] = PHASES,
) -> Plan:
    """The same input gives the same plan; `promoted` holds (episode id, hash of a fact) of earlier runs, `away` what
    of the archive was asked for."""
    state = _State(dict(sorted((m.id, m) for m in memories)), dict(credits), now)
    with _uncollected():
        _think(state, strategy, phases, frozenset(promoted))
        if "pruning" in phases:
            _restore(state, away)
    return Plan(tuple(state.actions), tuple(state.notes), tuple(state.conflicts), now)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Nothing here is circular; looking for circles among 100,000 memories takes half of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _think(state: _State, strategy: Strategy, phases: Collection[str], promoted: frozenset[tuple[str, str]]) -> None:
    for phase in PHASES:
        if phase in phases and not getattr(strategy, phase).enabled:
            state.notes.append(f"{phase.capitalize()} is switched off by STRATEGY.md.")
        elif phase == "consolidation" and phase in phases:
            _consolidate(state, strategy)
        elif phase == "promotion" and phase in phases:
            _promote(state, strategy, promoted)
        elif phase in phases:
            _prune(state, strategy)


def digest(content: str) -> str:
    """Of a content, whatever newlines its file has at the ends."""
    return hashlib.sha256(content.strip("\r\n").encode()).hexdigest()


# Consolidation


class Item(NamedTuple):
    """What of an episode decides with which others it belongs together."""

    tags: frozenset[str]
    text: str
    created: str = ""


_TEXT_WORD = re.compile(r"[^\W_]{2,}|\d")
_EMPTY_WORDS = re.compile(
    r"(?:the|and|for|with|that|this|from|was|were|are|has|have|had|not|but|its|into|when|then|than|all|can|will|we|it"
    r"|is|in|on|at|to|of|as|by|be|or|an|no|so|if|do|did|now|new|after|before|about|out|up|more|also)"
).fullmatch
_TEXT_SAMPLE = 5_000  # so many texts tell how rare a word is
_NEIGHBOURS = 12  # so many holders of one tag before and after are looked at
_A_LITTLE = 1e-9
_FAINT = 0.6  # with alike texts this share of the tag overlap asked for suffices: .3 of .5


def rarity(items: Iterable[frozenset[str]]) -> Callable[[str], float]:
    """What a tag weighs: the rarer the more, all the same while there are few episodes."""
    counts: Counter[str] = Counter()
    total = 0
    for tags in items:
        counts.update(tags)
        total += 1
    if total < FEW_EPISODES:
        return lambda tag: 1.0
    return lambda tag: math.log(1 + total / max(1, counts[tag]))


def clusters(
    items: Sequence[Item], settings: Consolidation | None = None, weigh: Callable[[str], float] | None = None
) -> list[list[int]]:
    """Which items (by index) belong together: average link, nothing across the window of days."""
    settings = settings or Consolidation()
    weigh = weigh or rarity(item.tags for item in items)
    kin = _Kinship(items, settings, weigh)
    order = sorted(range(len(items)), key=lambda i: (items[i].created, i))
    found = []
    for group in _groups(order, kin.day, settings.window_days):
        found += _link(group, kin, settings)
        kin.known.clear()
        kin.vectors.clear()
    return found


def _groups(order: list[int], day: Sequence[int], window: int) -> Iterator[list[int]]:
    """Runs of items without a gap wider than the window: nothing across two of them can merge."""
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
    return memory.moment(date).toordinal() if date else 0


class _Kinship:
    """How alike two items are, worked out once and only when asked."""

    def __init__(self, items: Sequence[Item], settings: Consolidation, weigh: Callable[[str], float]) -> None:
        self.items, self.weigh = items, lru_cache(maxsize=None)(weigh)
        self.enough, self.faint = settings.min_tag_overlap, settings.min_tag_overlap * _FAINT
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
        return overlap

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
        """The pairs whose tags can overlap enough: they share one of the tags that carry an item's weight."""
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
        for tag in sorted(self.items[i].tags, key=lambda tag: (-self.weigh(tag), tag)):
            if left <= self.faint * self.weight[i]:
                return
            yield tag
            left -= self.weigh(tag)


def _words(text: str) -> Iterator[str]:
    return (word for word in _TEXT_WORD.findall(text[:50_000].lower()) if not _EMPTY_WORDS(word))


def _link(group: list[int], kin: _Kinship, settings: Consolidation) -> list[list[int]]:
    """Join the two clusters that are most alike on average, until none are alike enough."""
    clusters = _Clusters(group, kin, settings)
    place = {i: n for n, i in enumerate(group)}
    for i, j in kin.near(group):
        clusters.tie(place[i], place[j], kin(i, j))
    while pair := clusters.closest():
        clusters.join(*pair)
    return sorted(sorted(cluster) for cluster in clusters.members.values())


class _Clusters:
    """Clusters by number, and which of them are alike enough to be joined."""

    def __init__(self, group: list[int], kin: _Kinship, settings: Consolidation) -> None:
        self.kin, self.most, self.window = kin, settings.max_episodes, settings.window_days
        self.members = {n: [i] for n, i in enumerate(group)}
        self.days = {n: (kin.day[i], kin.day[i]) for n, i in enumerate(group)}
        self.fresh = count(len(group))
        self.totals: dict[int, dict[int, float]] = defaultdict(dict)  # likeness of all their members, summed up
        self.heap: list[tuple[float, int, int]] = []

    def fits(self, a: int, b: int) -> bool:
        first, last = zip(self.days[a], self.days[b], strict=True)
        return len(self.members[a]) + len(self.members[b]) <= self.most and max(last) - min(first) <= self.window

    def tie(self, a: int, b: int, total: float) -> None:
        mean = total / (len(self.members[a]) * len(self.members[b]))
        if mean > self.kin.enough + _A_LITTLE and self.fits(a, b):
            self.totals[a][b] = self.totals[b][a] = total
            heapq.heappush(self.heap, (-round(mean, 12), a, b))

    def closest(self) -> tuple[int, int] | None:
        while self.heap:
            _, a, b = heapq.heappop(self.heap)
            if a in self.members and b in self.members:
                return a, b
        return None

    def join(self, a: int, b: int) -> None:
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
        return math.fsum(self.kin(i, j) for i in parts[a] for j in self.members[d]) if known is None else known


def _consolidate(state: _State, strategy: Strategy) -> None:
    episodes = [m for m in state.memories.values() if m.type == "episode"]
    free = [m for m in episodes if not m.pinned and not m.kind and m.tags]
    weigh = rarity(frozenset(m.tags) for m in episodes)
    items = [Item(frozenset(m.tags), m.content, m.created) for m in free]
    for cluster in clusters(items, strategy.consolidation, weigh):
        if len(cluster) >= strategy.consolidation.min_episodes and len(cluster) > 1:
            _merge(state, strategy, [free[i] for i in cluster], weigh)


def _merge(state: _State, strategy: Strategy, cluster: list[Memory], weigh: Callable[[str], float]) -> None:
    survivor, *others = sorted(cluster, key=lambda m: (-state.score(m.id), m.created, m.id))
    others.sort(key=lambda m: (m.created, m.id))
    ids = tuple(m.id for m in others)
    tags = tuple(dict.fromkeys(tag for m in (survivor, *others) for tag in m.tags))
    earlier = survivor.extra.get("merged_from", ())
    merged_from = tuple(dict.fromkeys([*(earlier if isinstance(earlier, list | tuple) else ()), *ids]))
    content = _merged_content(survivor, others, strategy.duplicates.threshold)
    if beyond := _beyond(survivor, content, tags, merged_from):
        names = ", ".join(memory.shown(m.name) for m in others)
        state.notes.append(f"{memory.shown(survivor.name)} was not merged with {names}: {beyond}.")
        return
    scores = [state.score(m.id) for m in (survivor, *others)]
    score = _combined(strategy.consolidation.credit, scores)
    days = sorted({m.created[:10] for m in cluster})
    period = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    created = min(m.created for m in cluster)
    state.actions.append(
        Merge(
            survivor.id, ids, content, tags, created, merged_from, score, state.expected(survivor.id, *ids),
            _why_merged(cluster, survivor, scores, score, strategy.consolidation, weigh),
            f"Merged {len(cluster)} episodes from {period} into '{survivor.name}'",
        )
    )  # fmt: skip
    signals = sum(state.credit(m.id).signals for m in cluster)
    for id in ids:
        del state.memories[id]
    extra = {**survivor.extra, "merged_from": list(merged_from)}
    state.write(replace(survivor, content=content, tags=tags, created=created, extra=extra), score, signals)


def _combined(how: str, scores: list[float]) -> float:
    if how == "earned":
        return credit.merged(scores)
    total = sum(scores)
    value = {"sum": total, "mean": total / len(scores), "max": max(scores)}[how]
    return credit.clip(value, 0.05, HIGHEST)


def _why_merged(
    cluster: list[Memory],
    survivor: Memory,
    scores: list[float],
    score: float,
    settings: Consolidation,
    weigh: Callable[[str], float],
) -> str:
    def overlap(a: Memory, b: Memory) -> float:
        least = min(sum(map(weigh, a.tags)), sum(map(weigh, b.tags)))
        return sum(weigh(tag) for tag in sorted(set(a.tags) & set(b.tags))) / least if least else 0.0

    mean = math.fsum(overlap(a, b) for a, b in combinations(cluster, 2)) / math.comb(len(cluster), 2)
    shared = [tag for tag, n in Counter(tag for m in cluster for tag in m.tags).most_common(4) if n > 1]
    asked = f"more than {settings.min_tag_overlap:.0%} is asked"
    if mean <= settings.min_tag_overlap:
        asked = f"{settings.min_tag_overlap * _FAINT:.0%} suffices where the texts are alike"
    others = [memory.shown(m.name) for m in cluster if m is not survivor]
    going = others[0] if len(others) == 1 else f"{', '.join(others[:-1])} and {others[-1]}"
    become, each = ("becomes a section", "its file goes") if len(others) == 1 else ("become sections", "their files go")
    ahead = scores[0] - max(scores[1:]) > 0.005
    stays = f"has the best credit ({scores[0]:.2f})" if ahead else "is the oldest of the best"
    sums = " and ".join(f"{value:.2f}" for value in scores) if len(scores) < 4 else f"{len(scores)} scores"
    return (
        f"They tell of one {'day' if not settings.window_days else 'time'}, and their tags overlap by {mean:.0%} "
        f"({', '.join(sorted(shared))}; {asked}). {going} {become} of {memory.shown(survivor.name)}, which {stays}, "
        f"and {each} to the archive. Credit: {sums} makes {score:.2f} ({settings.credit})."
    )


def _merged_content(survivor: Memory, others: list[Memory], threshold: float) -> str:
    """The survivor's text, then a section for each other, without the bullets that were said before."""
    parts = [survivor.content.rstrip()]
    said = _Ground("")
    for _, text in _bullets(survivor.content):
        said.add(text)
    for other in others:
        lines = other.content.strip("\r\n").split("\n")
        dropped = set()
        for at, text in _bullets("\n".join(lines)):
            if said.repeats(text, threshold) and not _followed(lines, at):
                dropped.add(at)
            else:
                said.add(text)
        body = "\n".join(line for at, line in enumerate(lines) if at not in dropped).strip("\r\n")
        parts.append(f"## {other.name}\n\n{body}".rstrip())
    return "\n\n".join(parts)


_ANY_BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+]|\d{1,3}[.)])\s+(?P<text>.+)$")
_FENCE = re.compile(r"^\s*(?:```|~~~)")


def _bullets(content: str) -> Iterator[tuple[int, str]]:
    """(line number, text) of every bullet outside code."""
    fenced = False
    for at, line in enumerate(content.split("\n")):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and (found := _ANY_BULLET.match(line)):
            yield at, found["text"].strip()


def _followed(lines: list[str], at: int) -> bool:
    """More belongs to this bullet on the next line: it cannot go alone."""
    if at + 1 >= len(lines) or not lines[at + 1].strip():
        return False
    found = _ANY_BULLET.match(lines[at + 1])
    return found is None or len(found["indent"]) > len(lines[at]) - len(lines[at].lstrip())


def _beyond(survivor: Memory, content: str, tags: Sequence[str], merged_from: Sequence[str]) -> str:
    """Which limit the merged memory would break."""
    if (size := len(content.encode())) > memory.MAX_CONTENT:
        return f"together they hold {size} bytes, and {memory.MAX_CONTENT} is the most"
    if len(tags) > memory.MAX_TAGS:
        return f"together they have {len(tags)} tags, and {memory.MAX_TAGS} is the most"
    keys = {**survivor.extra, "merged_from": list(merged_from), "tags": list(tags), "id": survivor.id}
    if len(json.dumps(keys, ensure_ascii=False, default=str).encode()) + 1024 > header.MAX_BYTES:
        return f"its header would grow beyond {header.MAX_BYTES} bytes"
    return ""


# Promotion


_TIME_BOUND = re.compile(
    r"\b(?:today|yesterday|tomorrow|tonight|right now|just now|at the moment|for now|so far|in progress|wip|tbd"
    r"|(?:this|last|next) (?:morning|afternoon|evening|night|week|weekend|month|quarter|year|sprint|\w+day)"
    r"|\w+ (?:minutes?|hours?|days?|weeks?|months?) ago"
    r"|at \d{1,2}(?::\d\d)? ?[ap]\.?m\b|at \d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_TOP_BULLET = re.compile(r"^ ?(?:[-*+]|\d{1,3}[.)])\s+(?P<text>.+)$")
_NO_FACT = re.compile(
    r"^\[[ xX]?\]|^#|[?:]$|^\W*(?:\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|<?\w+://\S+)\W*$|^\*\*[^*]+\*\*:?$"
)
_PREFERENCE = re.compile(r"\b(?:prefers?|always|never|use)\b", re.IGNORECASE)
_KEY_WORD = re.compile(r"[^\W_]+")
_LONGEST_KEY = 5
_TOO_COMMON = 20  # a tag of so many entities names none of them


def facts(content: str, skip_time_bound: bool = True) -> list[str]:
    """The top-level bullets that state something of their own, each on one line."""
    found: list[str] = []
    fenced = open_ = False
    for line in content.splitlines():
        if _FENCE.match(line):
            fenced, open_ = not fenced, False
        elif fenced or not line.strip():
            open_ = False
        elif bullet := _TOP_BULLET.match(line):
            found.append(bullet["text"].strip())
            open_ = True
        elif open_ and line[0].isspace() and not _ANY_BULLET.match(line):
            found[-1] += " " + line.strip()
        else:
            open_ = False
    stated = (fact for fact in found if len(fact.split()) > 1 and not _NO_FACT.search(fact))
    return list(dict.fromkeys(fact for fact in stated if not (skip_time_bound and _TIME_BOUND.search(fact))))


def with_facts(content: str, lines: Iterable[str]) -> str:
    """A target's content with facts added at its end, as bullets."""
    body = content.rstrip()
    gap = "\n" if _ANY_BULLET.match(body.rsplit("\n", 1)[-1]) else "\n\n"
    return body + gap + "\n".join(f"- {line}" for line in lines)


def opening(name: str) -> str:
    """How the content of an entity begins that a promotion creates."""
    return f"# {name.replace('-', ' ').capitalize()}"


class _Ground:
    """What a text already claims, found by its rarest words."""

    def __init__(self, content: str) -> None:
        self.claims: list[str] = []
        self.marks: set[str] = set()
        self.holding: dict[str, list[int]] = defaultdict(list)
        for claim in conflict.claims(content):
            self.add(claim)

    def add(self, claim: str) -> None:
        for word in conflict.topics(claim):
            self.holding[word].append(len(self.claims))
        self.marks.add(conflict.claim_hash(claim))
        self.claims.append(claim)

    def near(self, claim: str, rarest: int = 5, latest: int = 16) -> list[str]:
        words = sorted((len(self.holding[w]), w) for w in conflict.topics(claim) if w in self.holding)
        places = {place for _, word in words[:rarest] for place in self.holding[word][-latest:]}
        return [self.claims[place] for place in sorted(places)]

    def repeats(self, claim: str, threshold: float) -> bool:
        """Nothing is lost without this claim: every word of it stands in one that is kept."""
        words = set(_TEXT_WORD.findall(claim.casefold()))
        return conflict.claim_hash(claim) in self.marks or any(
            words <= set(_TEXT_WORD.findall(known.casefold())) and conflict.near_duplicate(claim, known, threshold)
            for known in self.near(claim, 3, 10)
        )

    def knows(self, claim: str, threshold: float) -> bool:
        if conflict.claim_hash(claim) in self.marks:
            return True
        return any(conflict.near_duplicate(claim, known, threshold) for known in self.near(claim, 3, 10))


class Place(NamedTuple):
    """An entity, there already or to be made."""

    id: str
    category: str
    name: str


class _Map:
    """Which entity a fact speaks of."""

    def __init__(self, memories: Mapping[str, Memory], default_category: str) -> None:
        self.memories, self.default = memories, default_category
        self.keys: dict[str, dict[str, bool]] = defaultdict(dict)  # phrase -> entity id -> it is the name
        self.begin: set[str] = set()  # the words phrases begin with
        self.persons: dict[str, list[str]] = defaultdict(list)
        self.places: dict[tuple[str, str], str] = {}
        for entity in memories.values():
            if entity.type == "entity":
                self.add(entity)

    def add(self, entity: Memory) -> None:
        self.places[entity.category, entity.name] = entity.id
        if entity.kind:
            return  # what has a kind is a profile's own: nothing is added to it
        for tag in entity.tags:
            self.keys[_key(tag)].setdefault(entity.id, False)
        self.keys[_key(entity.name)][entity.id] = True
        self.begin.update(_key(each).partition(" ")[0] for each in (entity.name, *entity.tags))
        if entity.category == PROTECTED_CATEGORY:
            for part in _KEY_WORD.findall(entity.name):
                self.persons[part.lower()].append(entity.id)

    def place(self, fact: str, episode: Memory) -> Place:
        """Where a fact belongs; that entity need not exist yet."""
        id = self._named(fact, episode)
        if not id and _PREFERENCE.search(fact):
            id = self._preferences_like(fact)
            if not id:
                return self._new("preferences", "general")
        id = id or self._person(fact) or self._project(episode)
        if id:
            return Place(id, self.memories[id].category, self.memories[id].name)
        return self._new(self.default, episode.name)

    def _new(self, category: str, name: str) -> Place:
        name = re.sub(r"[^a-z0-9]+", "-", memory.slug(name))[: memory.MAX_NAME].strip("-") or "notes"
        id = self.places.get((category, name), memory.make_id("entity", category, name))
        if id in self.memories:
            return Place(id, self.memories[id].category, self.memories[id].name)
        return Place(id, category, name)

    def _named(self, fact: str, episode: Memory) -> str:
        words = [w.lower() for w in _KEY_WORD.findall(fact)]
        starts = [i for i, word in enumerate(words) if word in self.begin]
        phrases = {" ".join(words[i : i + n]) for i in starts for n in range(1, _LONGEST_KEY + 1)}
        found = [p for p in phrases if len(self.keys.get(p, ())) in range(1, _TOO_COMMON) and len(p) > 2]
        if not found:
            return ""
        best = min(found, key=lambda p: (len(self.keys[p]), not any(self.keys[p].values()), -len(p), p))
        tags = set(episode.tags)

        def order(id: str) -> tuple[bool, int, str]:
            return not self.keys[best][id], -len(tags & {*self.memories[id].tags, self.memories[id].name}), id

        return min(self.keys[best], key=order)

    def _preferences_like(self, fact: str) -> str:
        """The page of preferences that speaks of the same matter."""
        words = conflict.topics(fact)
        pages = [id for (category, _), id in self.places.items() if category == "preferences"][:200]
        alike = sorted((-len(words & conflict.topics(self.memories[id].content[:2000])), id) for id in pages)
        return alike[0][1] if alike and alike[0][0] <= -2 else self.places.get(("preferences", "general"), "")

    def _person(self, fact: str) -> str:
        """Somebody known by one word of the name, if only one is."""
        for word in _KEY_WORD.findall(fact):
            known = self.persons.get(word.lower(), [])
            if word[0].isupper() and len(word) > 2 and len(known) == 1:
                return known[0]
        return ""

    def _project(self, episode: Memory) -> str:
        named = (self.places.get((self.default, tag), "") for tag in episode.tags)
        return next((id for id in named if id), "")


def _key(text: str) -> str:
    return " ".join(w.lower() for w in _KEY_WORD.findall(text))


def _promote(state: _State, strategy: Strategy, promoted: frozenset[tuple[str, str]]) -> None:
    rules = strategy.promotion
    givers = [
        m
        for m in state.memories.values()
        if m.type == "episode"
        and not m.kind
        and state.score(m.id) > rules.min_score
        and state.credit(m.id).signals >= rules.min_signals
    ]
    if not givers:
        return
    where = _Map(state.memories, rules.default_category)
    grounds: dict[str, _Ground] = {}
    for episode in sorted(givers, key=lambda m: (-state.score(m.id), m.created, m.id)):
        reached: dict[Place, list[str]] = {}
        for fact in _new_facts(episode, rules.skip_time_bound, promoted):
            place = where.place(fact, episode)
            if place.id not in grounds:
                grounds[place.id] = _Ground(state.memories[place.id].content if place.id in state.memories else "")
            if _welcome(state, strategy, grounds[place.id], place, episode, fact):
                reached.setdefault(place, []).append(fact)
        _hand_over(state, strategy, where, episode, reached)


def _new_facts(episode: Memory, skip_time_bound: bool, promoted: frozenset[tuple[str, str]]) -> Iterator[str]:
    parents = episode.extra.get("merged_from", ())
    ids = [episode.id, *(parents if isinstance(parents, list | tuple) else ())]
    for fact in facts(episode.content, skip_time_bound):
        mark = conflict.claim_hash(fact)
        if not any((id, mark) in promoted for id in ids):
            yield fact


def _welcome(state: _State, strategy: Strategy, ground: _Ground, place: Place, episode: Memory, fact: str) -> bool:
    """Whether an entity has room for a fact: not said there already, and nothing there denies it."""
    against = conflict.against(fact, ground.near(fact)) if strategy.contradictions.enabled else []
    for found in against:
        state.conflicts.append(Conflict(episode.id, place.id, fact, found.b, found.description))
        state.notes.append(f"A fact of {memory.shown(episode.name)} was not promoted: {found.description}")
    if against or ground.knows(fact, strategy.duplicates.threshold):
        return False
    ground.add(fact)
    return True


def _hand_over(
    state: _State, strategy: Strategy, where: _Map, episode: Memory, reached: dict[Place, list[str]]
) -> None:
    """Facts go to their entities, and with them equal shares of a part of what the episode earned."""
    written = {place: page for place, lines in reached.items() if (page := _page(state, place, lines, episode))}
    give = max(0.0, strategy.promotion.transfer * (state.score(episode.id) - credit.START))
    for place, page in written.items():
        lines, before = reached[place], state.score(place.id)
        moved = min(give / len(written), max(0.0, HIGHEST - before))
        left, new = state.score(episode.id) - moved, place.id not in state.memories
        expects = state.expected(episode.id) if new else state.expected(episode.id, place.id)
        state.actions.append(
            Promote(
                episode.id, place.id, place.category, place.name, new,
                tuple((fact, conflict.claim_hash(fact)) for fact in lines), moved, left, before + moved, expects,
                _why_promoted(state, strategy, episode, lines, moved),
                f"Promoted fact from episode to entity '{place.category}/{place.name}'",
            )
        )  # fmt: skip
        state.write(page, before + moved, state.credit(place.id).signals)
        state.credits[episode.id] = replace(state.credit(episode.id), score=left)
        where.add(page)


def _page(state: _State, place: Place, lines: list[str], episode: Memory) -> Memory | None:
    """The entity as it will read; None, with a note, where it would grow beyond the limit."""
    target = state.memories.get(place.id) or Memory(
        place.id, "entity", place.category, place.name, memory.make_path("entity", place.category, place.name),
        opening(place.name), (), state.now, state.now,
    )  # fmt: skip
    content = with_facts(target.content, lines)
    if (size := len(content.encode())) <= memory.MAX_CONTENT:
        return replace(target, content=content)
    entity = f"{place.category}/{place.name}"
    state.notes.append(
        f"Facts of {memory.shown(episode.name)} were not promoted: '{entity}' would hold {size} bytes, "
        f"and {memory.MAX_CONTENT} is the most."
    )
    return None


def _why_promoted(state: _State, strategy: Strategy, episode: Memory, lines: list[str], moved: float) -> str:
    rules, known = strategy.promotion, state.credit(episode.id)
    said = memory.shown(lines[0]) + (f" and {len(lines) - 1} more" if len(lines) > 1 else "")
    return (
        f"{memory.shown(episode.name)} scores {known.score:.2f} (at least {rules.min_score:.2f} is asked) after "
        f"{known.signals} signals ({rules.min_signals} are asked), so {said} is kept as lasting knowledge, with "
        f"{moved:.2f} of its credit."
    )


# Pruning


class Candidate(NamedTuple):
    effective: float
    memory: Memory
    age_days: float
    idle_days: float


def candidates(
    memories: Iterable[Memory], credits: Mapping[str, Credit], strategy: Strategy, now: str
) -> list[Candidate]:
    """What may be archived, the least worth first. What the ledger does not know yet is as young as its adoption."""
    found = []
    for m in memories:
        known = credits.get(m.id)
        if known and not _protected(m, strategy) and (worth := _worth(m, known, strategy, now)):
            found.append(worth)
    return sorted(found, key=lambda c: (c.effective, c.memory.id))


def _protected(m: Memory, strategy: Strategy) -> bool:
    rules = strategy.pruning
    if m.pinned or m.kind in PROTECTED_KINDS or _tagged(m, rules.protect_tags):
        return True
    return m.type == "entity" and (m.category == PROTECTED_CATEGORY or m.category in rules.protect_categories)


def _tagged(m: Memory, tags: Collection[str]) -> bool:
    """People write `ADR` in a header and `adr` in a sentence."""
    return not {tag.casefold() for tag in tags}.isdisjoint(tag.casefold() for tag in m.tags)


def _worth(m: Memory, known: Credit, strategy: Strategy, now: str) -> Candidate | None:
    rules, adopted = strategy.pruning, known.created or m.created
    age = memory.days_between(max(m.created, adopted), now)
    if age <= rules.min_age_days or age < max(YOUNGEST_DAYS, rules.protect_days):
        return None
    idle = memory.days_between(known.last_accessed or max(m.updated, adopted), now)
    rate = strategy.decay.entity_per_day if m.type == "entity" else strategy.decay.episode_per_day
    effective = credit.effective(known.score, idle, rate)
    return Candidate(effective, m, age, idle) if idle >= rules.min_idle_days and effective < rules.max_score else None


def _prune(state: _State, strategy: Strategy) -> None:
    """What this run itself has written stays: it has just been touched."""
    rest = (m for id, m in state.memories.items() if id not in state.written)
    found = candidates(rest, state.credits, strategy, state.now)
    for each in found[: strategy.pruning.max_per_run]:
        id = each.memory.id
        state.actions.append(
            Archive(
                id, each.effective, state.expected(id), _why_archived(each, state.score(id), strategy),
                f"Archived '{each.memory.slash}' (score: {each.effective:.2f})",
            )
        )  # fmt: skip
        del state.memories[id]
    if (left := len(found) - strategy.pruning.max_per_run) > 0:
        most = strategy.pruning.max_per_run
        state.notes.append(f"{left} more could be archived; a run puts away at most {most}.")


def _why_archived(each: Candidate, score: float, strategy: Strategy) -> str:
    rules = strategy.pruning
    return (
        f"Its credit of {score:.2f}, unused for {each.idle_days:.0f} days, is worth {each.effective:.3f} (below "
        f"{rules.max_score:.2f}), and it is {each.age_days:.0f} days old (more than {rules.min_age_days})."
    )


# Restoring, which takes pruning back for what was asked for since


def _restore(state: _State, away: Iterable[Away]) -> None:
    """What was merged into another memory lives on there and stays away, and so does what an id is taken from."""
    for each in sorted(away, key=lambda each: each.archive_path):
        id = each.memory.id
        if each.reactivations < WANTED_BACK or each.memory.extra.get("merged_into") or id in state.memories:
            continue
        state.actions.append(
            Restore(
                id, each.archive_path, each.reactivations,
                (Expected(id, digest(each.memory.content), credit.START),),
                f"It was asked for in the archive: {each.reactivations} reactivations ({WANTED_BACK} are asked).",
                f"Restored '{each.memory.slash}' from the archive",
            )
        )  # fmt: skip
        state.memories[id] = each.memory


# The journal


_ACTIONS: dict[str, type[Merge] | type[Promote] | type[Archive] | type[Restore]] = {
    "merge": Merge, "promote": Promote, "archive": Archive, "restore": Restore,
}  # fmt: skip


def to_json(action: Action) -> dict[str, Any]:
    return {"action": type(action).__name__.lower(), **asdict(action)}


def from_json(row: Mapping[str, Any]) -> Action:
    """The action as it was, also after its row went through JSON text."""
    values = {key: _frozen(value) for key, value in row.items() if key != "action"}
    values["expects"] = tuple(Expected(*each) for each in values["expects"])
    return _ACTIONS[row["action"]](**values)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(each) for each in value) if isinstance(value, list | tuple) else value
