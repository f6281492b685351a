"""Links between memories, as a memory's header holds them under `links`, and the paths along them.

A link's target is the id of a memory or, for what has no memory (yet), its name in double brackets: `[[Alice Chen]]`.
It then means whichever memory has that name as its title. A header that a person wrote is read leniently: an entry
without a relation or a target is no link, and left alone.
"""

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .model import Memory

KEY = "links"
STRENGTH = 0.5
_KEYS = ("relation", "target", "strength", "from", "until", "made", "source")


@dataclass(frozen=True, slots=True)
class Link:
    """A link from a memory to a target."""

    relation: str
    target: str
    strength: float = STRENGTH
    start: str = ""  # true from then on
    until: str = ""  # and until then
    made: str = ""  # when it was noted down; links of different memories are in order by it
    source: str = ""  # where that is known from


def read(memory: Memory) -> list[Link]:
    """Return the links that a memory's header holds, in their order."""
    entries = memory.extra.get(KEY, [])
    found = [_link(entry) for entry in entries] if isinstance(entries, list) else []
    return [link for link in found if link]


def _link(entry: Any) -> Link | None:
    if not isinstance(entry, Mapping):
        return None
    words = {key: value for key, value in entry.items() if isinstance(value, str)}
    if "relation" not in words or not words.get("target"):
        return None
    rest = (words.get(key, "") for key in _KEYS[3:])
    return Link(words["relation"], words["target"], _strength(words.get("strength", "")), *rest)


def _strength(text: str) -> float:
    try:
        return max(0.0, min(1.0, float(text)))
    except ValueError:
        return STRENGTH


def written(links: Iterable[Link]) -> list[dict[str, str]] | None:
    """Return the header's value for these links; None, which takes the line out, when there are none."""
    return [_entry(link) for link in links] or None


def _entry(link: Link) -> dict[str, str]:
    strength = "" if link.strength == STRENGTH else f"{link.strength:g}"
    values = (link.relation, link.target, strength, link.start, link.until, link.made, link.source)
    return {key: value for key, value in zip(_KEYS, values, strict=True) if value or key == "relation"}


def named(title: str) -> str:
    """Return the target for something that is known by its name only."""
    return f"[[{title}]]"


def name_in(target: str) -> str | None:
    """Return the name a target holds; None when it is an id."""
    return target[2:-2] if target.startswith("[[") and target.endswith("]]") and len(target) >= 4 else None


def has_ended(until: str, today: str) -> bool:
    """Tell whether what held until a day holds no longer; on the day itself it does not."""
    return bool(until) and until[:10] <= today


def holds(start: str, until: str, day: str) -> bool:
    """Tell whether what holds from one day until another holds on a day; '' is no limit."""
    return start[:10] <= day and not has_ended(until, day)


# All links of a store, as a graph


class Edge(NamedTuple):
    """A link between two memories, by their ids."""

    source: str
    target: str
    link: Link


def edges(memories: Iterable[Memory], ids: Collection[str], titles: Mapping[str, str]) -> list[Edge]:
    """Return the links of these memories that lead to a memory: one of the ids, or the one that has the title."""
    found = []
    for memory in memories:
        for link in read(memory):
            name = name_in(link.target)
            target = link.target if name is None else titles.get(name, "")
            if target in ids:
                found.append(Edge(memory.id, target, link))
    return found


def paths(
    start: str, edges: Iterable[Edge], depth: int, relations: Collection[str] = (), most: int = 200
) -> list[tuple[Edge, ...]]:
    """Return the paths from a memory along links, in either direction, shortest first; none visits a memory twice.

    A path has at most `depth` links, all of the `relations` where some are given; at most `most` are returned.
    """
    around: dict[str, list[tuple[str, Edge]]] = {}
    for edge in edges:
        if not relations or edge.link.relation in relations:
            around.setdefault(edge.source, []).append((edge.target, edge))
            around.setdefault(edge.target, []).append((edge.source, edge))
    found: list[tuple[Edge, ...]] = []
    waiting: deque[tuple[tuple[str, ...], tuple[Edge, ...]]] = deque([((start,), ())])
    while waiting and len(found) < most:
        visited, way = waiting.popleft()
        for end, edge in around.get(visited[-1], ()):
            if end not in visited:
                found.append((*way, edge))
                if len(way) + 1 < depth:
                    waiting.append(((*visited, end), (*way, edge)))
    return found[:most]


def visited(start: str, way: Iterable[Edge]) -> list[str]:
    """Return the ids of the memories along a path, the first one included."""
    ids = [start]
    for edge in way:
        ids.append(edge.target if edge.source == ids[-1] else edge.source)
    return ids
