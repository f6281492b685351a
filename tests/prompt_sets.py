"""Stores of memories with prompts about them, read from tests/prompts/*.txt."""

import re
from pathlib import Path
from typing import NamedTuple

from clawbrain.brain import Brain

FOLDER = Path(__file__).parent / "prompts"
_MEMORY = re.compile(r"(?P<category>[\w-]+)/(?P<name>[\w-]+) \[(?P<tags>[^]]*)\] (?P<text>.*)")


class Prompt(NamedTuple):
    """A prompt, the names of the memories that answer it (none for most), and whether it was kept out of tuning."""

    text: str
    answers: frozenset[str]
    held_out: bool


class PromptSet(NamedTuple):
    """A store's memories as arguments for `Brain.store`, and prompts."""

    name: str
    memories: list[dict[str, object]]
    prompts: list[Prompt]

    def fill(self, brain: Brain) -> None:
        """Store all memories in an empty home."""
        for memory in self.memories:
            brain.store("entity", **memory)  # type: ignore[arg-type]
        brain.sync(now=True)


def prompt_sets() -> list[PromptSet]:
    """Return all sets. Every second prompt with an answer, and every second without, is held out."""
    return [_read(path) for path in sorted(FOLDER.glob("*.txt"))]


def _read(path: Path) -> PromptSet:
    lines = [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    memories = [_memory(line) for line in lines if not line.startswith("> ")]
    prompts: list[Prompt] = []
    for line in lines:
        if line.startswith("> "):
            text, _, names = line.removeprefix("> ").partition(" => ")
            answers = frozenset(names.split(", ")) if names else frozenset()
            like = sum(bool(each.answers) == bool(answers) for each in prompts)
            prompts.append(Prompt(text.replace("\\n", "\n"), answers, held_out=like % 2 == 1))
    return PromptSet(path.stem, memories, prompts)


def _memory(line: str) -> dict[str, object]:
    found = _MEMORY.fullmatch(line)
    assert found, f"not a memory: {line}"
    tags = [tag for tag in found["tags"].split(", ") if tag]
    text = found["text"].replace("\\n", "\n")
    return {"category": found["category"], "name": found["name"], "content": text, "tags": tags}


class OutcomeLine(NamedTuple):
    """A prompt in a language, the signal it begins with ('' for none), and whether it was kept out of tuning."""

    language: str
    signal: str
    text: str
    held_out: bool


def outcome_lines(file: str = "outcomes.tsv") -> list[OutcomeLine]:
    """Return the lines of a file. Of outcomes.tsv every second of a language and a label is held out."""
    signals = {"praise": "positive_feedback", "blame": "user_correction", "-": ""}
    found: list[OutcomeLine] = []
    for line in (FOLDER / file).read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            language, label, text = line.split("\t")
            like = sum(each[:2] == (language, signals[label]) for each in found)
            found.append(OutcomeLine(language, signals[label], text, held_out=like % 2 == 1 and file == "outcomes.tsv"))
    return found
