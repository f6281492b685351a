"""The text of a decision and of a checkpoint, and the edges that a reasoning names.

`builds_on: decision_x`, `debates: decision_x` and `synthesizes: [decision_a, decision_b]` anywhere in a reasoning link
its decision to earlier ones.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...memory import markdown
from ...memory.model import Memory

DECISION, CHECKPOINT = "decision", "checkpoint"
CATEGORY = "decisions"
IDS = f"entity-{CATEGORY}-"  # how the ids of decisions begin
NAMED = "decision_"  # and how those begin that MAMA's callers see
CURRENT, SUPERSEDED = "current", "superseded"
SUPERSEDES = "supersedes"
EDGES = {"builds_on": 0.75, "synthesizes": 0.70, "debates": 0.65, SUPERSEDES: 0.60}
"""The edges between decisions, each with the similarity of a decision that a search finds along it alone."""

_REASONING, _NEXT, _FILES = "Reasoning", "Next steps", "Open files"
_ID_BEGINS = r"[*`'\"]*+(?:decision|entity)[_-]"
_EDGE = re.compile(
    r"(?<![\w-])(builds_on|debates|synthesizes)[ \t]*+\**+[ \t]*+:[ \t]*+\**+[ \t]*+"
    rf"(?:\s++(?=(?:\[\s*+)?{_ID_BEGINS}))?",  # an id may stand on a line of its own
    re.IGNORECASE,
)
_ID = re.compile(r"\w++(?:-++\w++)*+")
_NEXT_ID = re.compile(r"[*`'\"]*+[ \t]*+,[ \t]*+[*`'\"]*+(?=(?:decision|entity)[_-])", re.IGNORECASE)
_OPENING = re.compile(r"[*`'\" \t]*")
_LONGEST_LIST = 5_000  # characters between brackets
_JOINING = ("and", "or")  # words between ids in brackets


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


def topic(memory: Memory) -> str:
    """Return the topic of a decision; one that somebody wrote by hand may go by its name alone."""
    own = memory.extra.get("topic")
    return own if isinstance(own, str) else memory.name


def read(memory: Memory) -> Decided:
    """Return the decision a memory holds; a file that somebody wrote by hand may lack some of its fields."""
    words = {key: value for key, value in memory.extra.items() if isinstance(value, str)}
    decision, sections = markdown.read(memory.content, [_REASONING])
    return Decided(
        topic=topic(memory),
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
    """Return the number at the end of the memory's id, which stays when its file is moved; 0 without one."""
    digits = re.search(r"([0-9]{1,9})$", memory.id)
    return int(digits[1]) if digits else 0


def mama_id(memory: Memory) -> str:
    """Return the id of a decision or a checkpoint as MAMA's callers see it; it stays when the file is moved."""
    if memory.kind == CHECKPOINT:
        return f"checkpoint_{checkpoint_number(memory)}"
    return f"{NAMED}{memory.id.removeprefix(IDS).replace('-', '_')}"


def is_id(words: str) -> bool:
    """Tell whether a caller's words are the id of a decision, MAMA's or our own."""
    return words.strip().startswith((NAMED, "entity-"))


class _Written(NamedTuple):
    """An edge as it is written in a reasoning: its name, the ids, and where it stands."""

    edge: str
    ids: list[str]
    start: int
    end: int


def edges(reasoning: str) -> list[tuple[str, str]]:
    """Return the earlier decisions that a reasoning names, each with its edge, once and in order."""
    return list(dict.fromkeys((each.edge, id) for each in _written(reasoning) for id in each.ids))


def without_edges(reasoning: str) -> str:
    """Return a reasoning without its edges: the ids in them are no words of the text."""
    parts, end = [], 0
    for each in _written(reasoning):
        parts.append(reasoning[end : max(end, each.start)])
        end = max(end, each.end)
    return " ".join([*parts, reasoning[end:]])


def _written(reasoning: str) -> Iterator[_Written]:
    at = 0
    while match := _EDGE.search(reasoning, at):
        at, edge = match.end(), match[1].lower()
        if reasoning.startswith("[", at):
            ids, end = _bracketed(reasoning, at)
            at = end  # what stands in brackets is read once
        else:
            ids, end = _listed(reasoning, at)
        yield _Written(edge, ids, match.start(), end)


def _bracketed(reasoning: str, start: int) -> tuple[list[str], int]:
    """Return the ids in brackets, and where the brackets end: with the line if nothing closes them."""
    most = start + _LONGEST_LIST
    closed, line = reasoning.find("]", start, most), reasoning.find("\n", start, most)
    end = closed + 1 if closed >= 0 else line if line >= 0 else most
    return [id for id in _ID.findall(reasoning[start:end]) if id.lower() not in _JOINING], end


def _listed(reasoning: str, start: int) -> tuple[list[str], int]:
    """Return the id, or the ids separated by commas, that stand at a place, and where they end; prose may follow."""
    ids, end = [], _OPENING.match(reasoning, start).end()  # type: ignore[union-attr]  # it matches nothing, too
    while match := _ID.match(reasoning, end):
        ids.append(match[0])
        another = _NEXT_ID.match(reasoning, match.end())
        if not another:
            return ids, match.end()
        end = another.end()
    return ids, start


def number(text: str, otherwise: float) -> float:
    """Return the number a text holds, clamped to 0..1, or `otherwise`."""
    try:
        return max(0.0, min(1.0, float(text)))
    except ValueError:
        return otherwise
