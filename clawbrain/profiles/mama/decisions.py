"""Decisions: what was chosen and why, what it superseded, and how it turned out.

A decision is an entity of the kind `decision`. A new decision on a topic supersedes the current one, which stays in its
place. The outcome of a decision is a signal, so good decisions gain credit and bad ones lose it.
"""

import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ... import contradictions
from ...errors import Invalid, NotFound
from ...memory import links
from ...memory.links import Link
from ...memory.model import Memory, kebab, moment, shown
from ..shared.links import Links
from ..shared.titles import Titles
from . import texts
from .texts import CURRENT, DECISION, EDGES, SUPERSEDED, SUPERSEDES

if TYPE_CHECKING:
    from ...brain import Brain

SIGNALS = {"SUCCESS": "task_completed", "FAILED": "user_correction", "PARTIAL": "tool_success"}
CATEGORY = "decisions"
_TOPIC = 50
_SIMILAR = 0.7
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"


class Decisions:
    """The decisions of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)
        self.links = Links(brain)

    def decide(self, topic: str, decision: str, reasoning: str, confidence: float = 0.5) -> Memory:
        """Store a decision, supersede the current ones on its topic, and link it to those its reasoning names."""
        brain = self.brain
        brain.may_write()
        brain.sync()
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

    def on(self, topic: str) -> list[Memory]:
        """Return every decision on a topic, oldest first."""
        return [memory for memory in self.all() if texts.read(memory).topic == topic]

    def all(self) -> list[Memory]:
        """Return every decision, oldest first."""
        return self.brain.in_order(self.brain.listed.having("kind", DECISION))

    def known(self, name: str) -> Memory | None:
        """Return the decision of an id or of the name callers see, decision_<file name with underscores>, or None."""
        plain = kebab(name.removeprefix("decision_"))
        found = self.brain.listed.at(f"entities/{CATEGORY}/{plain}.md") or self.brain.known(name)
        return found if found and found.kind == DECISION else None

    def find(self, name: str) -> Memory:
        """Return the decision of a name; raise NotFound without one."""
        self.brain.sync()
        if found := self.known(name):
            return found
        raise NotFound(f"Decision not found: {shown(name)}; search for it to see its id.")

    def turned_out(self, name: str, outcome: str, reason: str = "") -> Memory:
        """Write the outcome into the decision and count it as a signal; raise Invalid for an unknown outcome."""
        memory = self.find(name)
        signal = SIGNALS.get(outcome)
        if signal is None:
            raise Invalid(f"outcome {shown(outcome)} is none of {', '.join(SIGNALS)}.")
        keys = {"outcome": outcome, "outcome_reason": reason or None}
        memory = self.brain.amend(memory, lambda now: replace(now, extra={**now.extra, **keys}))
        if self.brain.session:
            self.brain.outcome(signal, memory.id)
        return memory

    def similar(self, memory: Memory) -> list[tuple[Memory, float]]:
        """Return up to three decisions on other topics that say nearly the same, nearest first."""
        topic, text = texts.read(memory).topic, texts.read(memory).decision
        others = (other for other in self.all() if texts.read(other).topic != topic)
        rated = [(other, contradictions.similarity(text, texts.read(other).decision)) for other in others]
        return sorted((pair for pair in rated if pair[1] >= _SIMILAR), key=lambda pair: -pair[1])[:3]

    def tied(self, ids: list[str]) -> Iterator[tuple[Memory, str, str]]:
        """Yield each decision that an edge joins to one of these ids, with the edge and that id."""
        for edge in self.links.edges():
            if edge.link.relation in EDGES:
                for near, far in ((edge.source, edge.target), (edge.target, edge.source)):
                    memory = self.brain.listed.get(far) if near in ids else None
                    if memory and memory.kind == DECISION:
                        yield memory, edge.link.relation, near

    def seconds(self, memory: Memory) -> int:
        """Return the creation time in seconds since 1970, as MAMA gives it."""
        return int(moment(memory.created).timestamp())
