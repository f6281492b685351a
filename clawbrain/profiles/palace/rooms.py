"""The store seen as a palace: wings hold rooms, and rooms hold memories.

A memory's wing is its category; its room is named in its header or is its first tag. Nothing is stored for this view. A
room of one name in several wings is a tunnel between them. Memories without a room are in `general`, which leads
nowhere.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from ...errors import NotFound
from ...memory.markdown import one_line
from ...memory.model import Memory, shown
from ..shared.links import STUB
from ..shared.persona import PERSONA

if TYPE_CHECKING:
    from ...brain import Brain

WING, ROOM, HALL = "wing", "room", "hall"
GENERAL = "general"
_REACHED, _TOP = 50, 10


class Room(NamedTuple):
    """A room of one name, with all wings that have it."""

    name: str
    wings: list[str]
    halls: list[str]
    held: int  # memories


class Reached(NamedTuple):
    """A room reached on a walk, and how many hops away it is."""

    room: Room
    hop: int
    via: list[str]  # the wings it shares with rooms one hop nearer


class Shape(NamedTuple):
    """The counts that describe the palace as a graph."""

    rooms: int
    tunnels: int
    edges: int
    rooms_per_wing: dict[str, int]
    top: list[Room]


def wing_of(memory: Memory) -> str:
    """Return the wing of a memory: the one in its header, or its category."""
    return one_line(_said(memory, WING)) or one_line(memory.category)


def room_of(memory: Memory) -> str:
    """Return the room of a memory: the one in its header, its first tag, or `general`."""
    return one_line(_said(memory, ROOM)) or one_line(next(iter(memory.tags), "")) or GENERAL


def hall_of(memory: Memory) -> str:
    """Return the hall in a memory's header, or ''."""
    return _said(memory, HALL)


def holds(memory: Memory) -> bool:
    """Tell whether a memory belongs in the palace: all do but stubs and the persona."""
    return memory.kind not in (STUB, PERSONA)


def _said(memory: Memory, key: str) -> str:
    value = memory.extra.get(key, "")
    return value if isinstance(value, str) else ""


class Rooms:
    """The wings and rooms of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def tree(self, only: str = "") -> dict[str, dict[str, int]]:
        """Return the wings (or one), their rooms, and how many memories each room holds, sorted by name."""
        found: dict[str, Counter[str]] = {}
        for memory in self._memories():
            found.setdefault(wing_of(memory), Counter())[room_of(memory)] += 1
        wanted = one_line(only)
        return {name: dict(sorted(found[name].items())) for name in sorted(found) if wanted in ("", name)}

    def _memories(self) -> Iterable[Memory]:
        return (memory for memory in self.brain.memories() if holds(memory))

    def walk(self, start: str, hops: int) -> list[Reached]:
        """Return the rooms reachable from a room, nearest and fullest first; rooms that share a wing are adjacent."""
        rooms, start = self._rooms(), one_line(start)
        if start not in rooms:
            raise NotFound(f"room {shown(start)} not found; memory_list_rooms shows what there is")
        reached = [Reached(rooms.pop(start), 0, [])]
        edge = set(reached[0].room.wings)
        for hop in range(1, hops + 1):
            near = [
                Reached(room, hop, via) for room in rooms.values() if (via := sorted(edge.intersection(room.wings)))
            ]
            for each in near:
                del rooms[each.room.name]
            reached += sorted(near, key=lambda each: (-each.room.held, each.room.name))
            edge = {wing for each in near for wing in each.room.wings}
        return reached[:_REACHED]

    def tunnels(self, one: str = "", other: str = "") -> list[Room]:
        """Return the rooms in two wings or more, including these wings if they are given."""
        wanted = set(filter(None, map(one_line, (one, other))))
        found = [room for room in self._rooms().values() if len(room.wings) > 1 and wanted <= set(room.wings)]
        return sorted(found, key=_by_count)

    def shape(self) -> Shape:
        """Count rooms, tunnels and edges, and list the tunnels with the most wings."""
        rooms = self._rooms().values()
        per_wing = Counter(wing for room in rooms for wing in room.wings)
        return Shape(
            rooms=len(rooms),
            tunnels=sum(len(room.wings) > 1 for room in rooms),
            edges=sum(len(room.wings) * (len(room.wings) - 1) // 2 for room in rooms),
            rooms_per_wing=dict(sorted(per_wing.items())),
            top=sorted((r for r in rooms if len(r.wings) > 1), key=lambda r: (-len(r.wings), *_by_count(r)))[:_TOP],
        )

    def _rooms(self) -> dict[str, Room]:
        found: dict[str, list[Memory]] = {}
        for memory in self._memories():
            if room_of(memory) != GENERAL:
                found.setdefault(room_of(memory), []).append(memory)
        return {name: _room(name, memories) for name, memories in sorted(found.items())}


def _room(name: str, memories: list[Memory]) -> Room:
    def each(said: Callable[[Memory], str]) -> list[str]:
        return sorted({word for memory in memories if (word := said(memory))})

    return Room(name, each(wing_of), each(hall_of), len(memories))


def _by_count(room: Room) -> tuple[int, str]:
    return -room.held, room.name
