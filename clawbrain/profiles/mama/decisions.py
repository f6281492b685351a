"""Decisions: what was chosen and why, what it superseded, and how it turned out.

A decision is an entity of the kind `decision`. A new decision on a topic supersedes the current one, which stays in its
place. The outcome of a decision is a signal, so good decisions gain credit and bad ones lose it. An edge, as MAMA calls
it, is kept as a link in the header of the decision that names the other; `ties` gives the edges of a decision from
both ends.
"""

import secrets
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ... import contradictions
from ...errors import Invalid, NotFound
from ...memory import links
from ...memory.links import Link
from ...memory.model import Memory, kebab, moment, shown
from ..shared.titles import Titles, title
from . import texts
from .texts import CATEGORY, CURRENT, DECISION, EDGES, IDS, NAMED, SUPERSEDED, SUPERSEDES

if TYPE_CHECKING:
    from ...brain import Brain

SIGNALS = {"SUCCESS": "task_completed", "FAILED": "user_correction", "PARTIAL": "tool_success"}
_TOPIC = 50
_SIMILAR = 0.7
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class DecisionEdge(NamedTuple):
    """An edge of a decision, from whichever end: the id of the other decision, and the name of the edge."""

    other: str
    edge: str


class Decisions:
    """The decisions of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)

    def decide(self, topic: str, decision: str, reasoning: str, confidence: float = 0.5) -> Memory:
        """Store a decision, supersede the current ones on its topic, and link it to those its reasoning names."""
        brain = self.brain
        brain.may_write()
        brain.sync()
        topic = brain.without_secrets(topic)  # before a name is made of it
        with brain.locked():
            old = [memory for memory in self.on(topic) if texts.read(memory).status == CURRENT]
            ties = [Link(SUPERSEDES, memory.id, made=brain.next_moment()) for memory in old]
            ties += [Link(edge, known.id, made=brain.next_moment()) for edge, known in self._named(reasoning)]
            extra = {
                "kind": DECISION,
                "topic": topic,
                "confidence": f"{confidence:g}",
                "status": CURRENT,
                **({links.KEY: written} if (written := links.written(ties)) else {}),
            }
            text = texts.written(topic, decision, reasoning)
            made = self.titles.put("entity", topic, text, name=self._name(topic), category=CATEGORY, extra=extra)
            for memory in old:
                brain.amend(memory, lambda now: replace(now, extra={**now.extra, "status": SUPERSEDED}))
        return made

    def _name(self, topic: str) -> str:
        """Return a file name in MAMA's form: topic, seconds and three random letters."""
        seconds = int(self.brain.clock().timestamp())
        plain = "".join(c if c.isalnum() or c in " _-" else "" for c in topic)
        stem = kebab(plain, _TOPIC) or "topic"
        return f"{stem}-{seconds}-{''.join(secrets.choice(_LETTERS) for _ in range(3))}"

    def _named(self, reasoning: str) -> Iterator[tuple[str, Memory]]:
        """Yield the decisions that a reasoning names, each with its edge; names of unknown decisions are left out."""
        for edge, name in texts.edges(reasoning):
            if memory := self.known(name):
                yield edge, memory

    def unknown(self, reasoning: str) -> list[tuple[str, str]]:
        """Return the edges of a reasoning that lead to no decision, each with the name it gives."""
        return [(edge, name) for edge, name in texts.edges(reasoning) if not self.known(name)]

    def on(self, topic: str) -> list[Memory]:
        """Return every decision on a topic, oldest first."""
        return [memory for memory in self.all() if texts.topic(memory) == topic]

    def all(self) -> list[Memory]:
        """Return every decision, oldest first."""
        return self.brain.in_order(self.brain.listed.having("kind", DECISION))

    def known(self, name: str) -> Memory | None:
        """Return the decision of an id, MAMA's or our own, or None."""
        name = name.strip()
        plain = kebab(name.removeprefix(NAMED))
        found = self.brain.known(f"{IDS}{plain}") or self.brain.known(plain) or self.brain.known(name)
        return found if found and found.kind == DECISION else None

    def find(self, name: str) -> Memory:
        """Return the decision of a name; raise NotFound without one."""
        self.brain.sync()
        if found := self.known(name):
            return found
        raise NotFound(f"Decision not found: {shown(name)}; search for it to see its id.")

    def turned_out(self, name: str, outcome: str, reason: str = "") -> Memory:
        """Write the outcome into the decision, and count it as a signal unless it is the outcome that is there already.

        Raise Invalid for an unknown outcome.
        """
        memory = self.find(name)
        signal = SIGNALS.get(outcome)
        if signal is None:
            raise Invalid(f"outcome {shown(outcome)} is none of {', '.join(SIGNALS)}.")
        told: list[str] = []

        def with_outcome(now: Memory) -> Memory:
            said = texts.read(now)
            told[:] = [said.outcome]
            why = reason or (said.reason if said.outcome == outcome else "")
            return replace(now, extra={**now.extra, "outcome": outcome, "outcome_reason": why or None})

        memory = self.brain.amend(memory, with_outcome)
        if self.brain.session and told != [outcome]:
            self.brain.outcome(signal, memory.id)
        return memory

    def similar(self, memory: Memory) -> list[tuple[Memory, float]]:
        """Return up to three decisions on other topics that say nearly the same, nearest first."""
        topic = texts.topic(memory)
        return nearest(memory, (other for other in self.all() if texts.topic(other) != topic), 3)

    def ties(self, memories: Iterable[Memory]) -> dict[str, list[DecisionEdge]]:
        """Return the edges of these decisions, by id, from whichever end they were made, the strongest first."""
        near = [memory for memory in memories if memory.kind == DECISION]
        found: dict[str, dict[DecisionEdge, None]] = {memory.id: {} for memory in near}
        for memory in near:
            for link in self._holding(memory):
                other = self.target(link) if link.relation in EDGES else None
                if other and other.id != memory.id:
                    found[memory.id][DecisionEdge(other.id, link.relation)] = None
        ends = {end: memory.id for memory in near for end in (links.named(title(memory)), memory.id)}
        for other in self.brain.listed.linking(ends):
            for link in self._holding(other):
                id = ends.get(link.target, other.id)
                if id != other.id and link.relation in EDGES and other.kind == DECISION:
                    found[id][DecisionEdge(other.id, link.relation)] = None
        return {id: sorted(ties, key=lambda tie: -EDGES[tie.edge]) for id, ties in found.items()}

    def _holding(self, memory: Memory) -> list[Link]:
        """Return the links of a memory that hold today; another profile may have ended one."""
        today = self.brain.today()
        return [link for link in links.read(memory) if links.holds(link.start, link.until, today)]

    def target(self, link: Link) -> Memory | None:
        """Return the decision that a link leads to, by its id or by its name in double brackets."""
        name = links.name_in(link.target)
        if name is None:
            memory = self.brain.listed.get(link.target)
            return memory if memory and memory.kind == DECISION else None
        titled = (memory for memory in self.brain.listed.having("title", name) if memory.kind == DECISION)
        return self.known(name) or next(titled, None)

    def seconds(self, memory: Memory) -> int:
        """Return the creation time in seconds since 1970, as MAMA gives it."""
        return int(moment(memory.created).timestamp())


def opposed(one: Memory, other: Memory) -> bool:
    """Tell whether two decisions contradict each other, in however few words."""
    return bool(contradictions.contradictions(*(texts.read(memory).decision for memory in (one, other))))


def nearest(memory: Memory, others: Iterable[Memory], most: int) -> list[tuple[Memory, float]]:
    """Return those of other decisions that say nearly the same as one, nearest first, each with its similarity."""
    text = texts.read(memory).decision
    rated = ((other, contradictions.similarity(text, texts.read(other).decision)) for other in others)
    return sorted((pair for pair in rated if pair[1] >= _SIMILAR), key=lambda pair: -pair[1])[:most]
