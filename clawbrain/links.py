"""Links between memories, as a memory's header tells them under `links`, and the ways that lead along them.

A link's target is the id of a memory or, for what has no memory (yet), its name in double brackets: `[[Alice Chen]]`.
Whoever has that name as its title is meant from then on. What people wrote in a header is taken as it comes: an entry
without a relation or a target is no link, and left alone.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .memory import Memory

KEY = "links"
STRENGTH = 0.5


@dataclass(frozen=True, slots=True)
class Link:
    relation: str
    target: str
    strength: float = STRENGTH
    start: str = ""  # true from then on
    until: str = ""  # and until then
    made: str = ""  # when it was noted down; links of different memories are in order by it


def read(memory: Memory) -> list[Link]:
    """The links a memory's header holds, in their order."""
    entries = memory.extra.get(KEY, [])
    found = [_link(entry) for entry in entries] if isinstance(entries, list) else []
    return [link for link in found if link]


def _link(entry: Any) -> Link | None:
    if not isinstance(entry, Mapping):
        return None
    words = {key: value for key, value in entry.items() if isinstance(value, str)}
    if not words.get("relation") or not words.get("target"):
        return None
    dates = (words.get(key, "") for key in ("from", "until", "made"))
    return Link(words["relation"], words["target"], _strength(words.get("strength", "")), *dates)


def _strength(text: str) -> float:
    try:
        return max(0.0, min(1.0, float(text)))
    except ValueError:
        return STRENGTH


def written(links: Iterable[Link]) -> list[dict[str, str]] | None:
    """The header's value for these links; None, which takes the line out, when there are none."""
    return [_entry(link) for link in links] or None


def _entry(link: Link) -> dict[str, str]:
    strength = "" if link.strength == STRENGTH else f"{link.strength:g}"
    entry = {
        "relation": link.relation,
        "target": link.target,
        "strength": strength,
        "from": link.start,
        "until": link.until,
        "made": link.made,
    }
    return {key: value for key, value in entry.items() if value}


def named(title: str) -> str:
    """The target for something that is known by its name only."""
    return f"[[{title}]]"


def name_in(target: str) -> str | None:
    """The name a target holds; None when it is an id."""
    return target[2:-2] if target.startswith("[[") and target.endswith("]]") and len(target) > 4 else None
