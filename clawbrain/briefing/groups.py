"""The groups of a briefing, in order: pinned, preferences, what is open, this project, other entities, episodes.

A memory stands once, in the first group that takes it. Within a group the memory of the highest effective credit goes
first; episodes go by their date.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..credit import START, Credit, effective
from ..memory.model import Memory, days_between, slug

if TYPE_CHECKING:
    from ..strategy import Strategy

PREFERENCES = "preferences"
WRAP_UP_TAGS = ("wrap-up", "checkpoint")
LATEST = 3  # episodes in a briefing
_SHORTEST_WORD = 3  # letters of a project's name that is looked for in a text


class Group(NamedTuple):
    """Memories under one heading. Of those that stand in it, `ids` may name only the first; `total` counts all."""

    title: str
    one: str
    several: str
    ids: Sequence[str]
    total: int
    notes: Sequence[str] = ()  # lines of the group that are about no single memory
    dated: bool = False
    greedy: bool = False  # it may take all that is left


class Store(NamedTuple):
    """The input from which the groups are made.

    `memories` are all that may be named: every pinned memory, every preference, every memory of the project, the best
    of the other entities and the latest episodes. Their texts are not needed, except those of wrap-ups.
    """

    memories: Sequence[Memory]
    credits: Mapping[str, Credit]
    entities: int
    episodes: int
    notes: Sequence[str] = ()  # sentences about what waits for a decision


class Project(NamedTuple):
    """The project that a session is about: its name, and every word by which memories may name it."""

    name: str
    words: tuple[str, ...]

    def has(self, memory: Memory) -> bool:
        """Tell whether a memory's name, file, category or tags name the project."""
        named = {slug(memory.name), slug(memory.category), *map(slug, memory.tags)}
        begins = memory.category == "projects" and any(slug(memory.name).startswith(f"{word}-") for word in self.words)
        return begins or not named.isdisjoint(self.words)

    def is_told_of(self, memory: Memory) -> bool:
        """Tell whether a memory belongs to the project or its text names it."""
        words = "|".join(re.escape(word) for word in self.words if len(word) >= _SHORTEST_WORD)
        return self.has(memory) or bool(words and re.search(rf"(?<![\w-])(?:{words})(?![\w-])", memory.content, re.I))


def arranged(
    store: Store, project: Project | None, strategy: "Strategy", now: str, latest: int = LATEST
) -> list[Group]:
    """Return the groups in order, without those that are empty. `latest` is the most episodes that the last names.

    Superseded memories stand in none of them, but for pinned ones.
    """
    standing = (memory for memory in store.memories if memory.pinned or not memory.superseded)
    ranked = by_worth(standing, store.credits, strategy, now)
    entities = [memory for memory in ranked if memory.type == "entity"]
    episodes = sorted(
        (memory for memory in ranked if memory.type == "episode"),
        key=lambda each: (each.created, each.id),
        reverse=True,
    )
    wrap_up = _last_wrap_up(episodes, project)
    placed: set[str] = set()

    def taken(memories: Iterable[Memory]) -> list[str]:
        ids = [memory.id for memory in memories if memory.id not in placed]
        placed.update(ids)
        return ids

    pinned = taken(memory for memory in ranked if memory.pinned)
    preferences = taken(memory for memory in entities if memory.category == PREFERENCES)
    open_ = taken([wrap_up] if wrap_up else [])
    ours = taken(memory for memory in entities if project and project.has(memory))
    others = taken(entities)
    recent = taken(episodes)
    known = {memory.id for memory in entities}
    left = store.entities - sum(id in known for id in (*pinned, *preferences, *ours))
    name = project.name if project else ""
    groups = [
        Group("Pinned", "pinned memory", "pinned memories", pinned, len(pinned), greedy=True),
        Group("Preferences", "preference", "preferences", preferences, len(preferences), greedy=True),
        Group("Open", "open matter", "open matters", open_, len(open_) + len(store.notes), store.notes, dated=True),
        Group(f"This project ({name})", "memory of this project", "memories of this project", ours, len(ours)),
        Group("People and other entities", "entity", "entities", others, max(left, len(others))),
        Group("Latest episodes", "episode", "episodes", recent[:latest], min(len(recent), latest), dated=True),
    ]
    return [group for group in groups if group.total]


def by_worth(memories: Iterable[Memory], credits: Mapping[str, Credit], strategy: "Strategy", now: str) -> list[Memory]:
    """Return memories by their effective credit, best first; of equals the one changed later goes first, then by id."""
    per_day = {"entity": strategy.decay.entity_per_day, "episode": strategy.decay.episode_per_day}

    def worth(memory: Memory) -> float:
        credit = credits.get(memory.id)
        seen = _last_seen(memory, credit)
        idle = days_between(seen, now) if seen else 0.0
        return effective(credit.score if credit else START, idle, per_day[memory.type])

    by_name = sorted(memories, key=lambda memory: (memory.id, memory.path))
    by_date = sorted(by_name, key=lambda memory: memory.updated, reverse=True)
    return sorted(by_date, key=worth, reverse=True)


def _last_seen(memory: Memory, credit: Credit | None) -> str:
    """Return the time of the last access, else the later of update and adoption."""
    if credit and credit.last_accessed:
        return credit.last_accessed
    return max(memory.updated, credit.created if credit else "")


def newest_wrap_ups(memories: Iterable[Memory]) -> list[Memory]:
    """Return the episodes among these memories that are tagged as wrap-ups, newest first."""
    tags = set(WRAP_UP_TAGS)
    found = [each for each in memories if each.type == "episode" and not tags.isdisjoint(map(slug, each.tags))]
    return sorted(found, key=lambda episode: (episode.created, episode.id), reverse=True)


def _last_wrap_up(episodes: Iterable[Memory], project: Project | None) -> Memory | None:
    """Return the newest wrap-up of the project, else the newest of all."""
    found = newest_wrap_ups(episodes)
    ours = [memory for memory in found if project and project.is_told_of(memory)]
    return next(iter([*ours, *found]), None)
