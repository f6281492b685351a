"""MAMA's tools: decisions that evolve by topic, their outcomes, and checkpoints between sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ClawbrainError, Invalid
from .. import Reply
from .checkpoints import Checkpoints
from .decisions import Decisions
from .texts import CHECKPOINT, CURRENT, DECISION, checkpoint_number, checkpoint_read, read

if TYPE_CHECKING:
    from ...brain import Brain
    from ...memory.model import Memory

    Row = dict[str, Any]

LIMITS = {"topic": 200, "decision": 2000, "reasoning": 5000}
OUTCOMES = {"success": "SUCCESS", "failed": "FAILED", "failure": "FAILED", "partial": "PARTIAL"}
EDGES = {"builds_on": 0.75, "synthesizes": 0.70, "debates": 0.65}
KINDS = {"all": (DECISION, CHECKPOINT), DECISION: (DECISION,), CHECKPOINT: (CHECKPOINT,)}
MOST, ALIKE = 100, 0.85
REMOVED = "was removed in v1.2; use edge patterns: write `builds_on: <decision id>` into the reasoning of a decision."


class Profile:
    """MAMA's tools; each public method is one of them."""

    def __init__(self, brain: Brain) -> None:
        self._brain = brain
        self._decisions, self._checkpoints = Decisions(brain), Checkpoints(brain)

    def save(self, type: str, **words: Any) -> Row:
        return self._save_decision(**words) if type == DECISION else self._save_checkpoint(**words)

    def _save_decision(
        self, topic: str = "", decision: str = "", reasoning: str = "", confidence: float = 0.5, **_: Any
    ) -> Row:
        said = {"topic": topic, "decision": decision, "reasoning": reasoning}
        if not all(text.strip() for text in said.values()):
            raise Invalid("Decision requires: topic, decision, reasoning")
        for word, text in said.items():
            if len(text) > LIMITS[word]:
                raise Invalid(f"{word} has {len(text)} characters; {LIMITS[word]} is the most.")
        made = self._decisions.decide(topic, decision, reasoning, _share(confidence))
        answer = {"success": True, "id": _id(made), "type": DECISION, "message": f"Decision saved: {topic}"}
        return answer | self._alike(made)

    def _alike(self, made: Memory) -> Row:
        """Return the part of the answer that lists nearly equal decisions on other topics, empty without any."""
        found = self._decisions.similar(made)
        if not found:
            return {}
        rows = [
            {"id": _id(other), "topic": read(other).topic, "decision": read(other).decision, "similarity": _score(near)}
            for other, near in found
        ]
        warned = found[0][1] >= ALIKE
        return {"similar_decisions": rows} | ({"warning": f"{rows[0]['id']} says nearly the same."} if warned else {})

    def _save_checkpoint(
        self, summary: str = "", next_steps: str = "", open_files: Sequence[str] = (), **_: Any
    ) -> Row:
        if not summary.strip():
            raise Invalid("Checkpoint requires: summary")
        made = self._checkpoints.save(summary, next_steps, open_files)
        return {"success": True, "id": _id(made), "type": CHECKPOINT, "message": "Checkpoint saved"}

    def search(self, query: str = "", type: str = "all", limit: float = 10) -> Row:
        most = max(1, min(MOST, int(limit)))
        results = self._found(query, KINDS[type], most) if query.strip() else self._newest(KINDS[type], most)
        return {"success": True, "count": len(results), "results": results}

    def _newest(self, kinds: Sequence[str], most: int) -> list[Row]:
        found = [memory for kind in kinds for memory in self._brain.having("kind", kind)]
        newest = self._brain.in_order(found)[::-1][:most]
        self._brain.shown([memory.id for memory in newest])
        return [self._row(memory) for memory in newest]

    def _found(self, query: str, kinds: Sequence[str], most: int) -> list[Row]:
        """Return rows for the matches of a query and for the decisions that edges join to them, most similar first."""
        ranked = self._brain.search(query, limit=most, only=lambda memory: memory.kind in kinds, most=MOST, noted=False)
        similar = {hit.id: _similarity(hit.relevance) for hit in ranked.hits}
        rows = {memory.id: self._row(memory, similar[memory.id]) for memory in self._each(similar)}
        if DECISION in kinds:
            rows |= self._tied(similar)
        listed = sorted(rows, key=lambda id: -rows[id]["similarity"])[:most]
        self._brain.shown(listed, ranked.kind)
        return [rows[id] for id in listed]

    def _each(self, ids: Iterable[str]) -> list[Memory]:
        return [memory for id in ids if (memory := self._brain.known(id))]

    def _tied(self, similar: dict[str, float]) -> dict[str, Row]:
        """Return rows for the decisions that edges join to these; the strongest edge of each gives its similarity."""
        rows: dict[str, Row] = {}
        ids = {memory.id: _id(memory) for memory in self._each(similar)}
        for memory, edge, near in self._decisions.tied(list(similar)):
            if memory.id not in similar and EDGES[edge] > rows.get(memory.id, {}).get("similarity", 0):
                rows[memory.id] = self._row(memory, EDGES[edge]) | {"related_to": ids[near], "edge_reason": edge}
        return rows

    def _row(self, memory: Memory, similarity: float | None = None) -> Row:
        row = self._decision(memory, similarity) if memory.kind == DECISION else self._checkpoint(memory)
        return row if similarity is None else row | {"similarity": similarity}

    def _decision(self, memory: Memory, similarity: float | None) -> Row:
        said = read(memory)
        row = {
            "id": _id(memory),
            "topic": said.topic,
            "decision": said.decision,
            "reasoning": said.reasoning,
            "confidence": said.confidence,
            "created_at": self._decisions.seconds(memory),
            "_type": DECISION,
            "similarity": 0.0,
            "outcome": said.outcome or None,
        }
        row |= {"outcome_reason": said.reason} if said.reason else {}
        return row | ({"status": said.status} if similarity is None or said.status != CURRENT else {})

    def _checkpoint(self, memory: Memory) -> Row:
        said = checkpoint_read(memory)
        created = self._decisions.seconds(memory)
        words = {"id": _id(memory), "summary": said.summary, "next_steps": said.next_steps}
        return words | {"created_at": created, "_type": CHECKPOINT}

    def update(self, id: str, outcome: str, reason: str = "") -> Row:
        told = OUTCOMES.get(outcome.strip().lower())
        if told is None:
            raise Invalid("outcome must be success, failed, failure or partial")
        memory = self._decisions.turned_out(id, told, reason)
        return {"success": True, "message": f"Updated {_id(memory)} -> {outcome.strip().lower()}"}

    def load_checkpoint(self) -> Row:
        newest = self._checkpoints.newest()
        if newest is None:
            return {"success": True, "checkpoint": None, "message": "No checkpoint found"}
        said = checkpoint_read(newest)
        checkpoint = {
            "id": said.number,
            "summary": said.summary,
            "next_steps": said.next_steps,
            "open_files": said.open_files,
            "timestamp": self._decisions.seconds(newest),
        }
        return {"success": True, "checkpoint": checkpoint}

    # For hooks, and for prompts written for older versions

    def search_decisions_and_contracts(
        self,
        query: str = "",
        filePath: str = "",
        toolName: str = "",
        decisionLimit: float = 5,
        contractLimit: float = 3,
        similarityThreshold: float = 0.7,
    ) -> Row:
        words = " ".join(word for word in (query, filePath) if word.strip())
        found = self._found(words, (DECISION,), max(1, min(MOST, int(decisionLimit)))) if words else []
        near = [row for row in found if row["similarity"] >= similarityThreshold]
        return {"success": True, "decisionResults": near, "contractResults": []}

    def save_decision(self, **words: Any) -> Row:
        return self.save(DECISION, **words)

    def save_checkpoint(self, **words: Any) -> Row:
        return self.save(CHECKPOINT, **words)

    def recall_decision(self, topic: str, limit: float = 10) -> Row:
        return self.search(topic, DECISION, limit)

    def suggest_decision(self, userQuestion: str, limit: float = 10) -> Row:
        return self.search(userQuestion, DECISION, limit)

    def list_decisions(self, limit: float = 10) -> Row:
        return self.search("", DECISION, limit)

    def update_outcome(self, decisionId: str, outcome: str, reason: str = "") -> Row:
        return self.update(decisionId, outcome, reason)

    def propose_link(self) -> Row:
        raise Invalid(f"propose_link {REMOVED}")

    def approve_link(self) -> Row:
        raise Invalid(f"approve_link {REMOVED}")

    def reject_link(self) -> Row:
        raise Invalid(f"reject_link {REMOVED}")

    def get_pending_links(self) -> Row:
        raise Invalid(f"get_pending_links {REMOVED}")


def refused(tool: str, refusal: ClawbrainError) -> Reply:
    """Return a refusal in MAMA's form."""
    return Reply(f"Error: {refusal}", fault=True)


def _id(memory: Memory) -> str:
    """Return the id of a decision or a checkpoint as MAMA's callers see it."""
    if memory.kind == CHECKPOINT:
        return f"checkpoint_{checkpoint_number(memory)}"
    return f"decision_{memory.name.replace('-', '_')}"


def _similarity(relevance: float) -> float:
    """Turn a match's relevance into a similarity, so that a query's best match never ranks below an edge's."""
    return _score(1 - (1 - relevance) ** 2)


def _score(number: float) -> float:
    return round(number, 4)


def _share(number: float) -> float:
    return max(0.0, min(1.0, float(number)))
