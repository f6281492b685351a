"""Promotion: hand facts of episodes that proved useful to the entities they speak of, with a part of the credit."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from .. import contradictions, credit
from ..memory import model
from ..memory.kinds import PROMOTED, Kinds
from ..memory.model import Memory
from ..strategy.settings import Strategy
from .actions import HIGHEST, Conflict, Promote, State
from .facts import KnownClaims, facts, opening, with_facts
from .pruning import PROTECTED_CATEGORY

_PREFERENCE = re.compile(r"\b(?:prefers?|always|never|use)\b", re.IGNORECASE)
_KEY_WORD = re.compile(r"[^\W_]+")
_LONGEST_KEY = 5
_FACTS_NAMED = 5  # in the reason for a promotion
_TOO_COMMON = 20  # a tag of so many entities identifies none of them


class Target(NamedTuple):
    """An entity that is there already or is to be made."""

    id: str
    category: str
    name: str


class _Targets:
    """The entities that facts may speak of, found by names, tags, persons and preferences."""

    def __init__(self, memories: Mapping[str, Memory], default_category: str, kinds: Kinds) -> None:
        self.memories, self.default, self.kinds = memories, default_category, kinds
        self.keys: dict[str, dict[str, bool]] = defaultdict(dict)  # phrase -> entity id -> whether it is the name
        self.begin: set[str] = set()  # the first words of the phrases
        self.persons: dict[str, list[str]] = defaultdict(list)
        self.ids: dict[tuple[str, str], str] = {}  # by category and name
        for entity in memories.values():
            if entity.type == "entity":
                self.add(entity)

    def add(self, entity: Memory) -> None:
        if not self.kinds.allow(PROMOTED, entity):
            return
        self.ids[entity.category, entity.name] = entity.id
        for tag in entity.tags:
            self.keys[_key(tag)].setdefault(entity.id, False)
        self.keys[_key(entity.name)][entity.id] = True
        self.begin.update(_key(each).partition(" ")[0] for each in (entity.name, *entity.tags))
        if entity.category == PROTECTED_CATEGORY:
            for part in _KEY_WORD.findall(entity.name):
                self.persons[part.lower()].append(entity.id)

    def of(self, fact: str, episode: Memory) -> Target:
        """Return the entity that a fact belongs to; it need not exist yet."""
        id = self._named(fact, episode)
        if not id and _PREFERENCE.search(fact):
            id = self._preferences_like(fact)
            if not id:
                return self._new("preferences", "general")
        projects = (self.ids[self.default, tag] for tag in episode.tags if (self.default, tag) in self.ids)
        if id := id or self._person(fact) or next(projects, ""):
            return Target(id, self.memories[id].category, self.memories[id].name)
        return self._new(self.default, episode.name)

    def _new(self, category: str, name: str) -> Target:
        name = re.sub(r"[^a-z0-9]+", "-", model.slug(name))[: model.MAX_NAME].strip("-") or "notes"
        return next(filter(None, (self._free(category, name, number) for number in count(1))))

    def _free(self, category: str, name: str, number: int) -> Target | None:
        """Return the target of a name, numbered from 2 on; None for an entity that takes no facts."""
        name = name if number == 1 else f"{name[: model.MAX_NAME - 4].strip('-')}-{number}"
        id = self.ids.get((category, name), model.make_id("entity", category, name))
        there = self.memories.get(id)
        if there is None:
            return Target(id, category, name)
        return Target(id, there.category, there.name) if self.kinds.allow(PROMOTED, there) else None

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
        """Return the id of the page of preferences about the same matter, else of the general one, or ""."""
        words = contradictions.topics(fact)
        pages = [id for (category, _), id in self.ids.items() if category == "preferences"][:200]
        alike = sorted((-len(words & contradictions.topics(self.memories[id].content[:2000])), id) for id in pages)
        return alike[0][1] if alike and alike[0][0] <= -2 else self.ids.get(("preferences", "general"), "")

    def _person(self, fact: str) -> str:
        """Return the id of a person whom a fact calls by one word of the name, if only one fits, or ""."""
        for word in _KEY_WORD.findall(fact):
            known = self.persons.get(word.lower(), [])
            if word[0].isupper() and len(word) > 2 and len(known) == 1:
                return known[0]
        return ""


def _key(text: str) -> str:
    return " ".join(w.lower() for w in _KEY_WORD.findall(text))


def promote(state: State, strategy: Strategy, promoted: frozenset[tuple[str, str]]) -> None:
    """Plan to promote the facts of episodes with credit and signals enough; `promoted` holds those of earlier runs."""
    rules = strategy.promotion
    givers = [
        m
        for m in state.memories.values()
        if m.type == "episode"
        and state.kinds.allow(PROMOTED, m)
        and state.score(m.id) > rules.min_score
        and state.credit(m.id).signals >= rules.min_signals
    ]
    if not givers:
        return
    targets = _Targets(state.memories, rules.default_category, state.kinds)
    known: dict[str, KnownClaims] = {}  # by the target's id
    for episode in sorted(givers, key=lambda m: (-state.score(m.id), m.created, m.id)):
        reached: dict[Target, dict[str, str]] = {}  # facts as they may be written, with the hash of each as it stands
        for fact in _new_facts(episode, rules.skip_time_bound, promoted):
            target = targets.of(fact, episode)
            if target.id not in known:
                known[target.id] = KnownClaims(state.memories[target.id].content if target.id in state.memories else "")
            if _has_room(state, strategy, known[target.id], target, episode, fact):
                reached.setdefault(target, {})[state.clean(fact)] = contradictions.claim_hash(fact)
        _hand_over(state, strategy, targets, episode, reached)


def _new_facts(episode: Memory, skip_time_bound: bool, promoted: frozenset[tuple[str, str]]) -> Iterator[str]:
    parents = episode.extra.get("merged_from", ())
    ids = [episode.id, *(parents if isinstance(parents, list | tuple) else ())]
    for fact in facts(episode.content, skip_time_bound):
        mark = contradictions.claim_hash(fact)
        if not any((id, mark) in promoted for id in ids):
            yield fact


def _has_room(state: State, strategy: Strategy, known: KnownClaims, target: Target, episode: Memory, fact: str) -> bool:
    """Tell whether an entity has room for a fact: not said there already, and nothing there denies it.

    What denies it is noted as a conflict; a fact with room is added to `known`.
    """
    against = contradictions.against(fact, known.near(fact)) if strategy.contradictions.enabled else []
    for found in against:
        state.conflicts.append(Conflict(episode.id, target.id, fact, found.b, found.description))
        said = state.clean(found.description)
        state.notes.append(f"A fact of {model.shown(episode.name)} was not promoted: {said}")
    if against or known.knows(fact, strategy.duplicates.threshold):
        return False
    known.add(fact)
    return True


def _hand_over(
    state: State, strategy: Strategy, targets: _Targets, episode: Memory, reached: Mapping[Target, Mapping[str, str]]
) -> None:
    """Plan to give facts to their entities, and with them equal shares of a part of what the episode earned."""
    written = {target: page for target, lines in reached.items() if (page := _page(state, target, lines, episode))}
    score = state.score(episode.id)  # by which it is promoted, before it gives any of it away
    give = max(0.0, strategy.promotion.transfer * (score - credit.START))
    for target, page in written.items():
        lines, before = reached[target], state.score(target.id)
        moved = min(give / len(written), max(0.0, HIGHEST - before))
        left, new = state.score(episode.id) - moved, target.id not in state.memories
        expects = state.expected(episode.id) if new else state.expected(episode.id, target.id)
        state.actions.append(
            Promote(
                episode.id, target.id, target.category, target.name, new,
                tuple(lines.items()), moved, left, before + moved, expects,
                _why_promoted(state, strategy, episode, score, lines, moved),
                f"Promoted fact from episode to entity '{target.category}/{target.name}'",
            )
        )  # fmt: skip
        state.write(page, before + moved, state.credit(target.id).signals)
        state.credits[episode.id] = replace(state.credit(episode.id), score=left)
        targets.add(page)


def _page(state: State, target: Target, lines: Iterable[str], episode: Memory) -> Memory | None:
    """Return the entity as it will read; None, with a note, if it would grow beyond the limit."""
    page = state.memories.get(target.id) or Memory(
        target.id, "entity", target.category, target.name, model.make_path("entity", target.category, target.name),
        opening(target.name), (), state.now, state.now,
    )  # fmt: skip
    content = with_facts(page.content, lines)
    if (size := len(content.encode())) <= model.MAX_CONTENT:
        return replace(page, content=content)
    entity = f"{target.category}/{target.name}"
    state.notes.append(
        f"Facts of {model.shown(episode.name)} were not promoted: '{entity}' would hold {size} bytes, "
        f"and {model.MAX_CONTENT} is the most."
    )
    return None


def _why_promoted(
    state: State, strategy: Strategy, episode: Memory, score: float, lines: Collection[str], moved: float
) -> str:
    rules, signals = strategy.promotion, state.credit(episode.id).signals
    named = [*map(model.shown, lines)][:_FACTS_NAMED]
    if more := len(lines) - len(named):
        named.append(f"{more} more")
    said = " and ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
    return (
        f"{model.shown(episode.name)} scores {score:.2f} (more than {rules.min_score:.2f} is asked) after "
        f"{signals} signals ({rules.min_signals} are asked), so {said} {'is' if len(lines) == 1 else 'are'} kept as "
        f"lasting knowledge, with {moved:.2f} of its credit."
    )
