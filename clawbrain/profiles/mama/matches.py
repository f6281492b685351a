"""Search among decisions and checkpoints: how much of a query each holds, and where edges lead from what was found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...memory.model import Memory
from ..shared.shares import holding
from . import texts
from .decisions import DecisionEdge, Decisions
from .texts import DECISION, EDGES

if TYPE_CHECKING:
    from ...brain import Brain

MOST = 100


class FoundDecision(NamedTuple):
    """A decision that a search found, or a checkpoint, which has no edges.

    `similarity` is how much of the query it holds or, where an edge alone leads to it, the number of that edge. `rank`
    places it: a newer decision on a topic no lower than an older one, and what an edge leads to no higher than the
    decision at its other end.
    """

    memory: Memory
    similarity: float
    rank: float
    ties: list[DecisionEdge]


class Matches:
    """Searches among the decisions and checkpoints of a brain."""

    def __init__(self, brain: "Brain", decisions: Decisions) -> None:
        self.brain, self.decisions = brain, decisions

    def newest(self, kinds: Sequence[str], most: int) -> list[FoundDecision]:
        """Return the newest memories of these kinds."""
        every = [memory for kind in kinds for memory in self.brain.having("kind", kind)]
        newest = self.brain.in_order(every)[::-1][:most]
        ties = self.decisions.ties(newest)
        ids = [memory.id for memory in newest]
        self.brain.shown(ids)
        return [FoundDecision(memory, 0.0, 0.0, _near_first(ties.get(memory.id, []), ids)) for memory in newest]

    def answering(self, query: str, kinds: Sequence[str], most: int, least: float = 0.0) -> list[FoundDecision]:
        """Return the memories that hold something of a query and the decisions that edges join to them, best first.

        Decisions on one topic that match come newest first, unless the query is the id of one. `least` leaves out what
        is less similar, and what edges join to it.
        """
        ranked = self.brain.search(query, limit=MOST, only=lambda memory: memory.kind in kinds, most=MOST, noted=False)
        held = holding(self.brain, query, ranked, _words)
        if ranked.total > len(ranked.hits):
            held += self._cut_off(query, [memory for memory, _ in held])
        named = self.decisions.known(query) if DECISION in kinds and texts.is_id(query) else None
        if named:
            held = [(named, 1.0), *(pair for pair in held if pair[0].id != named.id)]
        ties = self.decisions.ties(memory for memory, _ in held)
        hits = [
            FoundDecision(memory, share, share, ties.get(memory.id, [])) for memory, share in held if share >= least
        ]
        hits.sort(key=_rank)
        tied = self._tied([hit for hit in hits if hit.similarity], ties)  # what meaning alone found leads to nothing
        led = {each.memory.id for each in tied}
        ordered = hits if named else self._newest_first(hits)
        found = [hit for hit in ordered if hit.memory.id not in led] + tied
        listed = [each for each in sorted(found, key=_rank) if each.rank >= least][:most]
        ids = [each.memory.id for each in listed]
        self.brain.shown(ids, ranked.kind)
        return [each._replace(ties=_near_first(each.ties, ids)) for each in listed]

    def _cut_off(self, query: str, found: Sequence[Memory]) -> list[tuple[Memory, float]]:
        """Return what holds something of the query, each with how much, of the decisions that go with those found.

        These are the decisions on the same topics and at the other ends of edges. A search looks at no more than MOST
        memories, and they may hold too little of the query to be among these.
        """
        ids, topics = {memory.id for memory in found}, {_topic(memory) for memory in found}
        joined = {tie.other for ties in self.decisions.ties(found).values() for tie in ties}
        every = self.brain.listed.having("kind", DECISION)
        others = [each for each in every if each.id not in ids and (_topic(each) in topics or each.id in joined)]
        shares = self.brain.shares(query, map(_words, others))
        return [(memory, round(share, 4)) for memory, share in zip(others, shares, strict=True) if share]

    def _newest_first(self, hits: Sequence[FoundDecision]) -> list[FoundDecision]:
        """Return the hits with each decision right before the best older one on its topic, and ranked as high."""
        oldest = self.brain.in_order(hit.memory for hit in hits)
        age = {memory.id: number for number, memory in enumerate(oldest)}
        places = {hit.memory.id: place for place, hit in enumerate(hits)}
        best: dict[str, tuple[float, int]] = {}
        placed: list[tuple[float, int, int, FoundDecision]] = []
        for hit in sorted(hits, key=lambda hit: age[hit.memory.id]):
            topic, place = _topic(hit.memory), places[hit.memory.id]
            rank, first = best.get(topic, (hit.rank, place))
            best[topic] = rank, first = max(rank, hit.rank), min(first, place)
            placed.append((-rank, first, -age[hit.memory.id], hit._replace(rank=rank)))
        return [hit for *_, hit in sorted(placed)]

    def _tied(self, hits: list[FoundDecision], ties: dict[str, list[DecisionEdge]]) -> list[FoundDecision]:
        """Return the decisions that hold no word of the query themselves, each by its best edge to a hit."""
        ranks = {hit.memory.id: hit.similarity for hit in hits}
        best: dict[str, tuple[float, float, DecisionEdge]] = {}
        for hit in hits:
            for tie in ties.get(hit.memory.id, []):
                weight = EDGES[tie.edge]
                there = min(weight, hit.similarity), weight, DecisionEdge(hit.memory.id, tie.edge)
                if tie.other not in ranks and (tie.other not in best or there[:2] > best[tie.other][:2]):
                    best[tie.other] = there
        known = self.brain.listed.several(best)
        back = self.decisions.ties(known.values())
        return [
            FoundDecision(known[id], weight, rank, [led, *(tie for tie in back[id] if tie != led)])
            for id, (rank, weight, led) in best.items()
            if id in known
        ]


def _rank(found: FoundDecision) -> float:
    return -found.rank


def _topic(memory: Memory) -> str:
    """Return the topic of a decision; any other memory is the only one on its own."""
    return f"topic {texts.topic(memory)}" if memory.kind == DECISION else memory.id


def _near_first(ties: list[DecisionEdge], ids: Sequence[str]) -> list[DecisionEdge]:
    """Return edges with those to these ids first."""
    return sorted(ties, key=lambda tie: tie.other not in ids)


def _words(memory: Memory) -> str:
    """Return the text by which a memory is found; its name holds the id by which callers know it."""
    if memory.kind != DECISION:
        return "\n".join((memory.name, *memory.tags, memory.content))
    said = texts.read(memory)
    return "\n".join((memory.name, *memory.tags, said.topic, said.decision, texts.without_edges(said.reasoning)))
