"""Links between memories: kept in the header of the memory they start from, and followed from both ends."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...errors import AlreadyExists, Invalid
from ...memory import links, wikilinks
from ...memory.header import MAX_BYTES, written
from ...memory.links import Edge, Link
from ...memory.model import Memory
from ...memory.text import render

if TYPE_CHECKING:
    from ...brain import Brain


_RESERVE = 1024  # bytes that links leave free in a header


class Way(NamedTuple):
    """A path along links, with one memory more than links."""

    memories: list[Memory]
    edges: tuple[Edge, ...]


class Links:
    """The links of a brain: makes, removes and follows them."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def connect(self, source: str, target: str, relation: str, strength: float = links.STRENGTH) -> Link:
        """Link two memories; raise AlreadyExists for an existing link and Invalid for a link of a memory to itself."""
        if source == target:
            raise Invalid("a memory cannot be linked to itself.")
        link = Link(relation, target, strength, made=self.brain.next_moment())
        self.brain.amend(source, lambda memory: _with(memory, link))
        return link

    def disconnect(self, source: str, unwanted: Callable[[Link], bool]) -> int:
        """Remove the unwanted links from a memory's header and return how many there were."""
        gone = 0

        def without(memory: Memory) -> Memory:
            nonlocal gone
            kept = [link for link in links.read(memory) if not unwanted(link)]
            gone = len(links.read(memory)) - len(kept)
            return holding(memory, kept) if gone else memory

        self.brain.amend(source, without)
        return gone

    def edges(self) -> list[Edge]:
        """Return every link of a header that leads from a memory to a memory and holds today."""
        self.brain.sync()
        today, every = self.brain.today(), self.brain.listed.remember("edges", self._read_edges)
        return [edge for edge in every if links.holds(edge.link.start, edge.link.until, today)]

    def _read_edges(self) -> list[Edge]:
        holders = self.brain.listed.having(links.KEY)
        if not holders:
            return []
        by_name = any(links.name_in(link.target) is not None for memory in holders for link in links.read(memory))
        return links.edges(holders, self.brain.listed.ids(), self._titles() if by_name else {})

    def _titles(self) -> dict[str, str]:
        """Return the id of each title; something that was described goes before a stub of the same name."""
        titled = self.brain.listed.having("title")
        ranked = sorted(titled, key=lambda memory: memory.kind == STUB, reverse=True)
        return {str(memory.extra["title"]): memory.id for memory in ranked}

    def with_texts(self) -> list[Edge]:
        """Return every link that leads from a memory to a memory, those in texts (`[[name]]`) as well."""
        return wikilinks.all_edges(self.edges(), self.brain.listed.text_edges())

    def name_of(self, target: str, called: Callable[[Memory], str]) -> str:
        """Return the name of a link's target: the name itself, or what `called` returns for the memory with that id. An
        id without a memory is returned as it is."""
        name = links.name_in(target)
        if name is not None:
            return name
        memory = self.brain.listed.get(target)
        return called(memory) if memory else target

    def around(self, id: str) -> list[Edge]:
        """Return the links that start from or lead to a memory."""
        return [edge for edge in self.with_texts() if id in (edge.source, edge.target)]

    def explore(self, id: str, depth: int, relations: Collection[str] = ()) -> list[Way]:
        """Return the paths of at most `depth` links from a memory, along these relations only if any are given."""
        found = links.paths(id, self.with_texts(), depth, relations)
        names = [links.visited(id, edges) for edges in found]
        known = self.brain.listed.several({name for ids in names for name in ids})
        return [
            Way([known[name] for name in ids], edges)
            for ids, edges in zip(names, found, strict=True)
            if known.keys() >= set(ids)
        ]


STUB = "stub"
"""The kind of a memory that only holds links of something nobody has described yet."""


def _with(memory: Memory, link: Link) -> Memory:
    held = links.read(memory)
    if any((other.relation, other.target) == (link.relation, link.target) for other in held):
        raise AlreadyExists(f"'{memory.id}' already has the link {link.relation} to '{link.target}'.")
    return holding(memory, [*held, link])


def holding(memory: Memory, held: Collection[Link]) -> Memory:
    """Return the memory with exactly these links. Text under the key that is no link is lost with the first edit."""
    return replace(memory, extra={**memory.extra, links.KEY: links.written(held)})


def room_for(memory: Memory, made: Sequence[Link]) -> int:
    """Return how many of these links, counted from the first, still fit into the header of a memory's file."""
    room = MAX_BYTES - len(render(replace(memory, content=""))) - _RESERVE
    for number, link in enumerate(made):
        room -= len(written(links.written([link])).encode()) + 2
        if room < 0:
            return number
    return len(made)
