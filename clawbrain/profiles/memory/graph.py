"""Things and the observations about them, related by name: a graph whose nodes are memories.

A node is a memory with an `entity_type` in its header; its observations are bullets. A relation is a link to a name,
which no node needs to have yet. Relations that start from a name without a node are held by a stub: a memory of that
title that is no node.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...errors import NotFound, Pinned
from ...memory import links
from ...memory.links import Link
from ...memory.model import Memory, kebab
from ..shared import observations
from ..shared.links import STUB, Links, holding, room_for
from ..shared.things import NODE, UNKNOWN
from ..shared.titles import Titles, title

if TYPE_CHECKING:
    from ...brain import Brain

_CATEGORIES = {"person": "people", "project": "projects", "preference": "preferences"}


class Entity(NamedTuple):
    """A node of the graph."""

    name: str
    type: str
    observations: Sequence[str] = ()


class Relation(NamedTuple):
    """A relation between two names."""

    source: str
    target: str
    relation: str


class Part(NamedTuple):
    """Some entities, and the relations that touch them."""

    entities: list[Entity]
    relations: list[Relation]


class Graph:
    """The graph of a brain, read and changed by names."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)
        self.links = Links(brain)

    # Reading

    def read(self) -> Part:
        """Return the whole graph."""
        self.brain.sync()
        return Part([_entity(node) for node in self._nodes()], [relation for relation, _, _ in self._relations()])

    def open(self, names: Collection[str]) -> Part:
        """Return the entities of these names and their relations."""
        self.brain.sync()
        return self._part(lambda entity: entity.name in names)

    def search(self, query: str) -> Part:
        """Return the entities that hold the whole query or, when there are none, those that hold all its words."""
        self.brain.sync()
        query = query.lower()
        found = self._part(lambda entity: query in _said(entity))
        words = query.split()
        if found.entities or len(words) < 2:
            return found
        return self._part(lambda entity: all(word in _said(entity) for word in words))

    def _part(self, wanted: Callable[[Entity], bool]) -> Part:
        entities = [entity for node in self._nodes() if wanted(entity := _entity(node))]
        names = {entity.name for entity in entities}
        touching = [r for r, _, _ in self._relations() if r.source in names or r.target in names]
        return Part(entities, touching)

    def _nodes(self) -> list[Memory]:
        return self.brain.in_order(self.brain.listed.having(NODE))

    def _holders(self) -> list[Memory]:
        """Return the memories that relations start from: nodes and stubs."""
        linked = self.brain.listed.having(links.KEY)
        return self.brain.in_order(memory for memory in linked if NODE in memory.extra or memory.kind == STUB)

    def _relations(self) -> list[tuple[Relation, Memory, Link]]:
        """Return the relations that hold today, each with its memory and link, in the order of making."""
        today = self.brain.today()
        found = [
            (Relation(title(memory), self._name(link.target), link.relation), memory, link)
            for memory in self._holders()
            for link in links.read(memory)
            if links.holds(link.start, link.until, today)
        ]
        return sorted(found, key=lambda held: held[2].made)

    def _name(self, target: str) -> str:
        return self.links.name_of(target, title)

    # Changing. Every change takes the lock, so that parallel calls lose nothing.

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self.brain.may_write()
        self.brain.sync()
        with self.brain.locked():
            yield

    def create(self, entities: Iterable[Entity]) -> list[Entity]:
        """Create the entities whose name is not taken and return them."""
        with self._alone():
            taken = {title(node) for node in self._nodes()}
            fresh = [entity for entity in entities if entity.name not in taken]
            for entity in fresh:
                category = _CATEGORIES.get(kebab(entity.type)) or kebab(entity.type) or UNKNOWN
                text = observations.written(entity.name, entity.observations)
                self.titles.put("entity", entity.name, text, category=category, extra={NODE: entity.type})
        return fresh

    def relate(self, relations: Iterable[Relation]) -> list[Relation]:
        """Add the relations that are not there yet and return them; their ends need not exist."""
        with self._alone():
            there = {relation for relation, _, _ in self._relations()}
            fresh = [relation for relation in relations if relation not in there]
            made = [(relation.source, self._link(relation)) for relation in fresh]
            for name in dict.fromkeys(source for source, _ in made):
                self._hold(name, [link for source, link in made if source == name])
        return fresh

    def _link(self, relation: Relation) -> Link:
        return Link(relation.relation, links.named(relation.target), made=self.brain.next_moment())

    def _hold(self, name: str, made: list[Link]) -> None:
        """Put links into the header of the entity of a name or, when there is none or it is full, into a stub's."""
        nodes = [node for node in self._nodes() if title(node) == name]
        stubs = [stub for stub in self.brain.listed.having("kind", STUB) if title(stub) == name]
        for memory in [*nodes[:1], *stubs]:
            made = self._fill(memory, made)
        while made:
            made = self._fill(self._stub(name), made, at_least=1)

    def _fill(self, memory: Memory, made: list[Link], at_least: int = 0) -> list[Link]:
        """Add as many links as the header has room for, but at least `at_least`, and return the rest."""
        fits = max(at_least, room_for(memory, made))
        if fits:
            self.brain.amend(memory, lambda now: holding(now, [*links.read(now), *made[:fits]]))
        return made[fits:]

    def _stub(self, name: str) -> Memory:
        text = observations.written(name, ["Nothing is noted about this yet: only its links are known."])
        return self.titles.put("entity", name, text, category=UNKNOWN, extra={"kind": STUB})

    def observe(self, said: Iterable[tuple[str, Sequence[str]]]) -> list[list[str]]:
        """Add observations to entities and return, for each, the new ones; raise NotFound for an unknown name."""
        said = list(said)
        with self._alone():
            nodes = {title(node): node for node in reversed(self._nodes())}
            for name, _ in said:
                if name not in nodes:
                    raise NotFound(f"Entity with name {name} not found")
            return [self._observe(nodes[name], contents) for name, contents in said]

    def _observe(self, node: Memory, contents: Sequence[str]) -> list[str]:
        fresh: list[str] = []

        def grown(now: Memory) -> Memory:
            known = set(observations.texts(now.content))
            fresh[:] = [text for text in contents if text not in known]
            return replace(now, content=observations.added(now.content, fresh))

        self.brain.amend(node, grown)
        return fresh

    def forget(self, names: Collection[str]) -> None:
        """Archive entities and remove every relation of theirs; raise Pinned, before any change, if one is pinned."""
        with self._alone():
            gone = [node for node in self._nodes() if title(node) in names]
            for node in gone:
                if node.pinned:
                    raise Pinned(f"'{node.id}' is pinned; its owner can unpin it with `clawbrain unpin {node.id}`.")
            for node in gone:
                self.brain.archive(node.id)
            self._unrelate(lambda relation: relation.source in names or relation.target in names)

    def unobserve(self, said: Iterable[tuple[str, Collection[str]]]) -> None:
        """Remove observations from entities; unknown names are passed over."""
        with self._alone():
            nodes = {title(node): node for node in reversed(self._nodes())}
            for name, unwanted in said:
                if name in nodes:
                    self._unobserve(nodes[name], unwanted)

    def _unobserve(self, node: Memory, unwanted: Collection[str]) -> None:
        self.brain.amend(node, lambda now: replace(now, content=observations.without(now.content, unwanted)))

    def unrelate(self, relations: Collection[Relation]) -> None:
        """Remove these relations."""
        with self._alone():
            self._unrelate(lambda relation: relation in relations)

    def _unrelate(self, unwanted: Callable[[Relation], bool]) -> None:
        for memory in {memory.id: memory for r, memory, _ in self._relations() if unwanted(r)}.values():
            self._unlink(memory, unwanted)

    def _unlink(self, memory: Memory, unwanted: Callable[[Relation], bool]) -> None:
        """Remove unwanted relations from a memory, and archive a stub left without any. Links that do not
        hold today are kept, because they are no relations."""
        source, today = title(memory), self.brain.today()

        def stays(link: Link) -> bool:
            relation = Relation(source, self._name(link.target), link.relation)
            return not links.holds(link.start, link.until, today) or not unwanted(relation)

        def without(now: Memory) -> Memory:
            return holding(now, list(filter(stays, links.read(now))))

        if not links.read(self.brain.amend(memory, without)) and memory.kind == STUB:
            self.brain.archive(memory.id)


def _entity(node: Memory) -> Entity:
    return Entity(title(node), str(node.extra[NODE]), observations.texts(node.content))


def _said(entity: Entity) -> str:
    return "\0".join([entity.name, entity.type, *entity.observations]).lower()
