"""MAMA's tools: decisions that evolve by topic, their outcomes, and checkpoints between sessions."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import ClawbrainError, Invalid
from ...memory.model import shown
from .. import Reply
from .checkpoints import Checkpoints
from .decisions import DecisionEdge, Decisions, opposed
from .matches import MOST, FoundDecision, Matches
from .texts import CHECKPOINT, CURRENT, DECISION, checkpoint_read, mama_id, read

if TYPE_CHECKING:
    from ...brain import Brain
    from ...memory.model import Memory

    Row = dict[str, Any]

LIMITS = {"topic": 200, "decision": 2000, "reasoning": 5000}
OUTCOMES = {"success": "SUCCESS", "failed": "FAILED", "failure": "FAILED", "partial": "PARTIAL"}
KINDS = {"all": (DECISION, CHECKPOINT), DECISION: (DECISION,), CHECKPOINT: (CHECKPOINT,)}
ALIKE = 0.85
DATABASE = "MAMA_DB_PATH"
ELSEWHERE = (
    f"{DATABASE} is set, but this server keeps decisions as files and does not read that database: "
    f'`clawbrain import "${DATABASE}"` brings in what it holds.'
)
REMOVED = "was removed in v1.2; use edge patterns: write `builds_on: <decision id>` into the reasoning of a decision."


class Profile:
    """MAMA's tools; each public method is one of them."""

    def __init__(self, brain: Brain) -> None:
        self._brain = brain
        self._decisions, self._checkpoints = Decisions(brain), Checkpoints(brain)
        self._matches = Matches(brain, self._decisions)
        self._told = not os.environ.get(DATABASE)

    def _telling(self, answer: Row, *warnings: str) -> Row:
        """Add warnings to an answer, and to the first one that MAMA's own database is not read here."""
        if not self._told:
            self._told = True
            origins = (str(memory.extra["origin"]) for memory in self._brain.having("origin"))
            if not any(origin.startswith("mama:") for origin in origins):
                warnings = (*warnings, ELSEWHERE)
        return answer | ({"warning": " ".join(warnings)} if warnings else {})

    def save(self, type: str, **words: Any) -> Row:
        return self._save_decision(**words) if type == DECISION else self._save_checkpoint(**words)

    def _save_decision(
        self, topic: str = "", decision: str = "", reasoning: str = "", confidence: float = 0.5, **_: Any
    ) -> Row:
        topic = topic.strip()
        said = {"topic": topic, "decision": decision, "reasoning": reasoning}
        if not all(text.strip() for text in said.values()):
            raise Invalid("Decision requires: topic, decision, reasoning")
        for word, text in said.items():
            if len(text) > LIMITS[word]:
                raise Invalid(f"{word} has {len(text)} characters; {LIMITS[word]} is the most.")
        made = self._decisions.decide(topic, decision, reasoning, _share(confidence))
        unknown = self._decisions.unknown(reasoning)
        answer = {
            "success": True,
            "id": mama_id(made),
            "type": DECISION,
            "message": f"Decision saved: {read(made).topic}",
        }
        alike = self._decisions.similar(made)
        rows = [
            {
                "id": mama_id(other),
                "topic": read(other).topic,
                "decision": read(other).decision,
                "similarity": round(near, 4),
            }
            for other, near in alike
        ]
        answer |= {"similar_decisions": rows} if rows else {}
        warnings = [
            f"{mama_id(other)} says {'the opposite' if opposed(made, other) else 'nearly the same'}."
            for other, near in alike[:1]
            if near >= ALIKE
        ]
        warnings += [
            f"{edge} names {shown(name)}, which is no decision here: no edge was made." for edge, name in unknown
        ]
        return self._telling(answer, *warnings)

    def _save_checkpoint(
        self, summary: str = "", next_steps: str = "", open_files: Sequence[str] = (), **_: Any
    ) -> Row:
        if not summary.strip():
            raise Invalid("Checkpoint requires: summary")
        made = self._checkpoints.save(summary, next_steps, open_files)
        return self._telling({"success": True, "id": mama_id(made), "type": CHECKPOINT, "message": "Checkpoint saved"})

    def search(self, query: str = "", type: str = "all", limit: float = 10) -> Row:
        most, kinds = _within(limit), KINDS[type]
        if query.strip():
            results = [self._row(found) for found in self._matches.answering(query, kinds, most)]
        else:
            results = [self._listed(found) for found in self._matches.newest(kinds, most)]
        return self._telling({"success": True, "count": len(results), "results": results})

    def _listed(self, found: FoundDecision) -> Row:
        """Return a row of a list without a query: a decision always says its status there."""
        if found.memory.kind == CHECKPOINT:
            return self._checkpoint(found.memory)
        return self._row(found) | {"status": read(found.memory).status}

    def _row(self, found: FoundDecision) -> Row:
        if found.memory.kind == CHECKPOINT:
            return self._checkpoint(found.memory) | {"similarity": found.similarity}
        return self._decision(found.memory, found.similarity) | self._edges(found.ties)

    def _edges(self, ties: Sequence[DecisionEdge]) -> Row:
        """Return the part of a row that says to which decisions edges lead; a second edge needs a list."""
        known = self._brain.listed.several({tie.other for tie in ties})
        edges = [
            {"related_to": mama_id(known[tie.other]), "edge_reason": tie.edge} for tie in ties if tie.other in known
        ]
        return {**(edges[0] if edges else {}), **({"edges": edges} if len(edges) > 1 else {})}

    def _decision(self, memory: Memory, similarity: float) -> Row:
        said = read(memory)
        row = {
            "id": mama_id(memory),
            "topic": said.topic,
            "decision": said.decision,
            "reasoning": said.reasoning,
            "confidence": said.confidence,
            "created_at": self._decisions.seconds(memory),
            "_type": DECISION,
            "similarity": similarity,
            "outcome": said.outcome or None,
        }
        row |= {"outcome_reason": said.reason} if said.reason else {}
        return row | ({"status": said.status} if said.status != CURRENT else {})

    def _checkpoint(self, memory: Memory) -> Row:
        said = checkpoint_read(memory)
        created = self._decisions.seconds(memory)
        words = {"id": mama_id(memory), "summary": said.summary, "next_steps": said.next_steps}
        return words | {"created_at": created, "_type": CHECKPOINT}

    def update(self, id: str, outcome: str, reason: str = "") -> Row:
        told = OUTCOMES.get(outcome.strip().lower())
        if told is None:
            raise Invalid("outcome must be success, failed, failure or partial")
        memory = self._decisions.turned_out(id, told, reason)
        return self._telling({"success": True, "message": f"Updated {mama_id(memory)} -> {outcome.strip().lower()}"})

    def load_checkpoint(self) -> Row:
        newest = self._checkpoints.newest()
        if newest is None:
            return self._telling({"success": True, "checkpoint": None, "message": "No checkpoint found"})
        said = checkpoint_read(newest)
        checkpoint = {
            "id": said.number,
            "summary": said.summary,
            "next_steps": said.next_steps,
            "open_files": said.open_files,
            "timestamp": self._decisions.seconds(newest),
        }
        return self._telling({"success": True, "checkpoint": checkpoint})

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
        asked, most = query.strip() or filePath.strip(), _within(decisionLimit)
        found = self._matches.answering(asked, (DECISION,), most, similarityThreshold) if asked else []
        return {"success": True, "decisionResults": [self._row(each) for each in found], "contractResults": []}

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

    def update_outcome(
        self, decisionId: str, outcome: str, reason: str = "", failure_reason: str = "", limitation: str = ""
    ) -> Row:
        return self.update(decisionId, outcome, reason or failure_reason or limitation)

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


def _within(limit: float) -> int:
    return int(max(1, min(MOST, limit)))


def _share(number: float) -> float:
    return max(0.0, min(1.0, float(number)))
