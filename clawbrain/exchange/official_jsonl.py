"""Read the knowledge graph of the official memory server: a line of JSON for each entity and each relation."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ..memory.model import kebab
from ..profiles.shared import observations
from ..profiles.shared.links import STUB
from ..profiles.shared.things import NODE, UNKNOWN
from .draft import Draft, Gaps, Tie
from .files import lines_of

_HEADERFUL = 9_000  # bytes of relations in one header; the ids written there are longer than the names
CATEGORIES = {"person": "people", "project": "projects", "preference": "preferences"}

Entry = tuple[str, Any]  # its place in the source, and the parsed object


def recognises(path: Path) -> bool:
    """Tell whether one of the first lines of a file is an entity or a relation."""
    if not path.is_file():
        return False
    return any(_kind(_parsed(line)) for _, line in islice(lines_of(path, Gaps()), 20))


def read(path: Path, gaps: Gaps) -> list[Draft]:
    """Return drafts of the entities and relations in a file."""
    return graph(_entries(path, gaps), gaps)


def _entries(path: Path, gaps: Gaps) -> Iterator[Entry]:
    for number, line in lines_of(path, gaps):
        item = _parsed(line)
        if _kind(item):
            yield f"{path.name} line {number}", item
        else:
            gaps(f"{path.name} line {number}", "neither an entity nor a relation")


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _kind(item: Any) -> str:
    kind = item.get("type") if isinstance(item, dict) else None
    return kind if kind in ("entity", "relation") else ""


def graph(entries: Iterable[Entry], gaps: Gaps) -> list[Draft]:
    """Return drafts of all entities with the relations that begin at them."""
    drafts: dict[str, Draft] = {}
    ties: dict[str, list[Tie]] = {}
    for where, item in entries:
        if item["type"] == "entity":
            _entity(where, item, drafts, gaps)
        elif all(isinstance(item.get(key), str) and item[key] for key in ("from", "to", "relationType")):
            ties.setdefault(item["from"], []).append(Tie(item["relationType"], item["to"]))
        else:
            gaps(where, "a relation needs `from`, `to` and `relationType`")
    stubs = [stub for name, found in ties.items() for stub in _tied(name, drafts.get(name), found)]
    return [*drafts.values(), *stubs]


def _entity(where: str, item: dict[str, Any], drafts: dict[str, Draft], gaps: Gaps) -> None:
    """Add an entity to the drafts; a second entity of the same name adds its observations to the first."""
    name, kind, said = item.get("name"), item.get("entityType", ""), item.get("observations", [])
    if not isinstance(name, str) or not name or not isinstance(kind, str) or not isinstance(said, list):
        gaps(where, "an entity needs `name`, `entityType` and a list of `observations`")
        return
    told = [each for each in said if isinstance(each, str)]
    if len(told) < len(said):
        gaps(where, f"{len(said) - len(told)} observations of {name[:60]!r} are no text")
    if name in drafts:
        gaps(where, f"a second entity {name[:60]!r}: what the first lacks was added to it")
        told = list(dict.fromkeys([*observations.texts(drafts[name].content), *told]))
    drafts[name] = Draft(
        origin=f"official:{name}",
        name=name,
        content=observations.written(name, told),
        category=CATEGORIES.get(kebab(kind)) or kebab(kind) or UNKNOWN,
        extra={"title": name, NODE: kind},
        known_as=[name],
        where=where,
    )


def _tied(name: str, entity: Draft | None, ties: list[Tie]) -> Iterator[Draft]:
    """Give an entity its relations. Yield stubs for relations that begin at no entity or do not fit into one header."""
    for number, some in enumerate(_headerfuls(ties)):
        if entity and not number:
            entity.ties = some
            continue
        origin = f"official:{name}" + (f"#relations-{number + 1}" if number else "")
        extra = {"title": name, "kind": STUB}
        known = [] if entity or number else [name]
        yield Draft(origin, name, observations.written(name, ()), UNKNOWN, extra=extra, ties=some, known_as=known)


def _headerfuls(ties: list[Tie]) -> Iterator[list[Tie]]:
    """Split relations into lists that each fit into one header."""
    some: list[Tie] = []
    room = _HEADERFUL
    for tie in ties:
        room -= len(json.dumps(tie)) + 60
        if room < 0:
            yield some
            some, room = [], _HEADERFUL
        some.append(tie)
    yield some
