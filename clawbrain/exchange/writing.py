"""Export: JSON and CSV that can be imported again, the official server's lines, and a page with a graph.

JSON and CSV hold every header key, and of the credit the overall score, the number of accesses and that of signals.
What a memory has earned on which kind of question is in `clawbrain dump` alone.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..brain import Brain
from ..credit import Credit
from ..memory import links, wikilinks
from ..memory.model import Memory, stamp
from ..profiles.shared import observations
from ..profiles.shared.links import STUB
from ..profiles.shared.things import NODE
from . import graph
from .table import MARK, guarded

_SHOWN = 2_000  # characters of a text in the graph
_COLUMNS = (
    "clawbrain_id", "type", "category", "name", "path", "tags", "created", "updated", "pinned",
    "credit_score", "access_count", "content", "links", "extra", "signals",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    """All memories and their credit records at one moment."""

    memories: Sequence[Memory]
    credits: Mapping[str, Credit]
    at: str


def all_of(brain: Brain) -> Held:
    """Return everything the brain holds now."""
    return Held(list(brain.memories()), brain.credits(), stamp(brain.clock()))


def _row(memory: Memory, credit: Credit) -> dict[str, Any]:
    names = ("id", "type", "category", "name", "path", "created", "updated", "pinned", "content")
    return {
        **{name: getattr(memory, name) for name in names},
        "tags": list(memory.tags),
        "credit_score": round(credit.score, 4),
        "access_count": credit.access_count,
        "signals": credit.signals,
        "links": links.written(links.read(memory)) or [],
        "extra": {key: value for key, value in memory.extra.items() if key != links.KEY},
    }


def _rows(held: Held) -> Iterator[dict[str, Any]]:
    return (_row(memory, held.credits.get(memory.id, Credit())) for memory in held.memories)


def as_json(held: Held) -> str:
    """Return the memories as one JSON document."""
    whole = {MARK: 1, "exported": held.at, "memories": list(_rows(held))}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def as_csv(held: Held) -> str:
    """Return the memories as CSV, guarded so that a spreadsheet takes no cell for a formula."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, _COLUMNS)
    writer.writeheader()
    for row in _rows(held):
        row["clawbrain_id"] = row.pop("id")
        writer.writerow({key: _cell(value) for key, value in row.items()})
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return guarded(value)
    return str(value).lower() if isinstance(value, bool) else json.dumps(value, ensure_ascii=False) if value else ""


def as_official(held: Held) -> str:
    """Return entities and relations as lines of JSON. The official server knows things by name alone, so memories of
    the same name get their category behind it; and no dates, so links that do not hold are left out."""
    names = _names(held.memories)
    titles = {_title(memory): names[memory.id] for memory in reversed(held.memories)}
    lines = [_entity(memory, names[memory.id]) for memory in held.memories if memory.kind != STUB]
    seen: set[tuple[str, str, str]] = set()
    for memory in held.memories:
        for link in links.read(memory):
            if not links.holds(link.start, link.until, held.at[:10]):
                continue
            named = links.name_in(link.target)
            target = names.get(link.target, link.target) if named is None else titles.get(named, named)
            seen.add((names[memory.id], target, link.relation))
    lines += [{"type": "relation", "from": a, "to": b, "relationType": how} for a, b, how in sorted(seen)]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _entity(memory: Memory, name: str) -> dict[str, Any]:
    kind = memory.extra.get(NODE)
    kind = kind if isinstance(kind, str) else memory.kind or (memory.category if memory.type == "entity" else "episode")
    return {"type": "entity", "name": name, "entityType": kind, "observations": observations.texts(memory.content)}


def _title(memory: Memory) -> str:
    title = memory.extra.get("title")
    return title if isinstance(title, str) and title else memory.name


def _names(memories: Iterable[Memory]) -> dict[str, str]:
    """Return a unique name for each memory; a stub shares the name it stands for."""
    memories = list(memories)
    counts = Counter(_title(memory) for memory in memories if memory.kind != STUB)
    found = {memory.id: _title(memory) for memory in memories}
    for memory in memories:
        if counts[_title(memory)] > 1 and memory.kind != STUB:
            found[memory.id] = f"{_title(memory)} ({memory.category}/{memory.name})"
    return found


def as_graph(held: Held) -> str:
    """Return the page that shows the memories and their links."""
    return graph.page([_node(memory, held) for memory in held.memories], list(_edges(held.memories)), held.at)


def _node(memory: Memory, held: Held) -> dict[str, Any]:
    return {
        "id": memory.id,
        "title": _title(memory),
        "group": memory.category if memory.type == "entity" else "episodes",
        "tags": list(memory.tags),
        "date": memory.updated[:10],
        "credit": round(held.credits.get(memory.id, Credit()).score, 2),
        "path": f"memory/{memory.path}",
        "text": memory.content if len(memory.content) <= _SHOWN else f"{memory.content[:_SHOWN]}…",
    }


def _edges(memories: Sequence[Memory]) -> Iterator[list[Any]]:
    """Yield each link as the positions of its ends in the list of nodes, with its relation."""
    places = {memory.id: number for number, memory in enumerate(memories)}
    titles = {_title(memory): memory.id for memory in memories}
    held = links.edges(memories, places.keys(), titles)
    for edge in wikilinks.all_edges(held, wikilinks.edges(memories, wikilinks.LinkNames(memories))):
        yield [places[edge.source], places[edge.target], edge.link.relation]


WRITERS: Mapping[str, Callable[[Held], str]] = {
    "json": as_json,
    "csv": as_csv,
    "official": as_official,
    "graph": as_graph,
}
