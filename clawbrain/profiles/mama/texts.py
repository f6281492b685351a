"""The text of a decision and of a checkpoint, and the edges that a reasoning names.

`builds_on: decision_x`, `debates: decision_x` and `synthesizes: [decision_a, decision_b]` anywhere in a reasoning link
its decision to earlier ones.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...memory import markdown
from ...memory.model import Memory

DECISION, CHECKPOINT = "decision", "checkpoint"
CURRENT, SUPERSEDED = "current", "superseded"
SUPERSEDES = "supersedes"
EDGES = ("builds_on", "debates", "synthesizes")

_REASONING, _NEXT, _FILES = "Reasoning", "Next steps", "Open files"
_EDGE = re.compile(r"(?<![\w-])(builds_on|debates|synthesizes)[ \t]*\**[ \t]*:[ \t]*\**[ \t]*", re.IGNORECASE)
_ID = re.compile(r"[\w-]*\w")


class Decided(NamedTuple):
    """A decision as it is read from its memory."""

    topic: str
    decision: str
    reasoning: str
    confidence: float
    status: str
    outcome: str
    reason: str  # for the outcome


class Checked(NamedTuple):
    """A checkpoint as it is read from its memory."""

    number: int
    summary: str
    next_steps: str
    open_files: list[str]


def written(topic: str, decision: str, reasoning: str) -> str:
    """Return the text of a decision."""
    return markdown.written(topic, decision, {_REASONING: reasoning})


def read(memory: Memory) -> Decided:
    """Return the decision a memory holds; a file that somebody wrote by hand may lack some of its fields."""
    words = {key: value for key, value in memory.extra.items() if isinstance(value, str)}
    decision, sections = markdown.read(memory.content, [_REASONING])
    return Decided(
        topic=words.get("topic", memory.name),
        decision=decision,
        reasoning=sections[_REASONING],
        confidence=number(words.get("confidence", ""), 0.5),
        status=words.get("status", CURRENT),
        outcome=words.get("outcome", ""),
        reason=words.get("outcome_reason", ""),
    )


def checkpoint_written(number: int, summary: str, next_steps: str, open_files: Sequence[str]) -> str:
    """Return the text of a checkpoint."""
    sections = {_NEXT: next_steps, _FILES: markdown.bullets(open_files)}
    return markdown.written(f"Checkpoint {number}", summary, sections)


def checkpoint_read(memory: Memory) -> Checked:
    """Return the checkpoint a memory holds."""
    summary, sections = markdown.read(memory.content, [_NEXT, _FILES])
    return Checked(checkpoint_number(memory), summary, sections[_NEXT], markdown.items(sections[_FILES]))


def checkpoint_number(memory: Memory) -> int:
    """Return the number at the end of the memory's name, or 0."""
    digits = re.search(r"([0-9]{1,9})$", memory.name)
    return int(digits[1]) if digits else 0


def edges(reasoning: str) -> list[tuple[str, str]]:
    """Return the earlier decisions that a reasoning names, each with its edge, once and in order."""
    found: dict[tuple[str, str], None] = {}
    for match in _EDGE.finditer(reasoning):
        said = reasoning[match.end() :]
        names = _ID.findall(said.partition("]")[0]) if said.startswith("[") else _first(said.partition("\n")[0])
        found |= {(match[1].lower(), name): None for name in names}
    return list(found)


def _first(said: str) -> list[str]:
    """Return the id, or the ids separated by commas, that a line begins with; the prose after them is left out."""
    names = []
    for part in (part.strip().strip("*`'\"").strip() for part in said.split(",")):
        match = _ID.match(part)
        if not match:
            break
        names.append(match[0])
        if match[0] != part.rstrip("."):
            break
    return names


def number(text: str, otherwise: float) -> float:
    """Return the number a text holds, clamped to 0..1, or `otherwise`."""
    try:
        return max(0.0, min(1.0, float(text)))
    except ValueError:
        return otherwise
