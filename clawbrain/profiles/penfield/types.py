"""The type of a memory, found from how its text begins: a label, a turn of phrase, or the form of its first sentences.

A single word decides nothing: "the session cookie" is no conversation and "follow-up emails" are no task. A label
("TODO:", "Meeting notes:", "[TODO]", a line of its own) decides first. Then the phrases of phrases.txt are tried in
their order, those that stand at the beginning before the others. A text that begins with the name of a thing ("Order
numbers start with …") is read as if "the" stood before it, so that it is no command. A text that none fits is a fact.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...memory.model import Memory

FACT, CHECKPOINT = "fact", "checkpoint"
TYPES = (FACT, "insight", "conversation", "correction", "reference", "task", CHECKPOINT, "relationship", "strategy")
"""The types that a caller may give."""
EPISODES = ("conversation", "task")
"""The types that are kept by date. They are declared as kinds that no compaction touches."""

_KINDS = {
    "checkpoint": "checkpoint", "context": "checkpoint", "decision": "strategy", "persona": "identity_core",
    "rule": "strategy",
}  # fmt: skip
_PLURALS = {"strategy": "strategies"}
_READ = 400  # characters; what follows does not change what a memory is
_FILE = Path(__file__).with_name("phrases.txt")
_MARKS = re.compile(r"[\s#>*_\-+•]*(?=\S)")  # of headings, lists and quotations
_LABEL = re.compile(r"\[?[^]\n:.!?;,]{1,80}?(?=[:\]][\s*_]| [-–—] |\n)")
_PREPOSITION = re.compile(r" (?:of|on|for|from|with|in|about|before|after|to|by)\b")


class TypePhrases(NamedTuple):
    """The pattern of a thing's name, the labels with the type of each, and of each type the pattern of its phrases."""

    thing: re.Pattern[str]
    labels: Mapping[str, str]
    openings: Mapping[str, re.Pattern[str]]
    anywhere: Mapping[str, re.Pattern[str]]


@cache
def phrases() -> TypePhrases:
    """Return the phrases of phrases.txt, read once in a process."""
    sections: dict[str, dict[str, str]] = {}
    for section, name, row in _rows(_FILE.read_text("utf-8")):
        rows = sections.setdefault(section, {})
        rows[name] = f"{rows[name]}|{row}" if name in rows else row
    words, things, labels, openings, anywhere = sections.values()

    def patterns(rows: Mapping[str, str], flags: int) -> dict[str, re.Pattern[str]]:
        whole = {type: re.sub("<([a-z_]+)>", lambda word: f"(?:{words[word[1]]})", row) for type, row in rows.items()}
        return {type: re.compile(row, re.IGNORECASE | flags) for type, row in whole.items()}

    named = {label: type for type, row in labels.items() for label in row.split("|")}
    (thing,) = patterns(things, re.NOFLAG).values()
    return TypePhrases(thing, named, patterns(openings, re.NOFLAG), patterns(anywhere, re.DOTALL))


def _rows(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each indented line with the section and the name above it."""
    section = name = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line
        elif line.startswith("    "):
            yield section, name, line.strip()
        elif line and not line.startswith("#"):
            name = line


def detected(content: str) -> str:
    """Return the memory type that a text's beginning shows."""
    marks = _MARKS.match(content)
    text = content[marks.end() if marks else 0 :][:_READ].replace("’", "'").rstrip()
    known = phrases()
    if labelled := _labelled(text, known.labels):
        return labelled
    if known.thing.match(text):  # "Order numbers start with K" commands nothing
        text = f"The {text}"
    opening = next((type for type, words in known.openings.items() if words.match(text)), "")
    return opening or next((type for type, words in known.anywhere.items() if words.search(text)), FACT)


def _labelled(text: str, labels: Mapping[str, str]) -> str:
    """Return the type that a label before the first colon names, whole or up to its 'of', or ''."""
    found = _LABEL.match(text)
    label = found[0].casefold().strip("[*_ #0123456789") if found else ""
    words = _PREPOSITION.split(label, maxsplit=1)[0].split()
    endings = (" ".join(words[-most:]) for most in (3, 2, 1) if most <= len(words) <= most + 2)
    return next((labels[name] for name in (label, *endings) if name in labels), "")


def type_of(memory: Memory) -> str:
    """Return the memory type in the header or, without one, what the memory's kind corresponds to."""
    own = memory.extra.get("memory_type")
    if isinstance(own, str) and own:
        return own
    return _KINDS.get(memory.kind) or ("conversation" if memory.type == "episode" else FACT)


def category(type: str) -> str:
    """Return the folder of a type."""
    return _PLURALS.get(type, f"{type}s")
