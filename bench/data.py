"""Questions and the memories that answer them, from files given by path.

Two formats: our own notes (bench/notes/*.yaml), and LoCoMo's conversations (a .json; its licence keeps it out of
this repository). One conversation is one collection, a turn of it one memory.
"""

import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from clawbrain.memory import Memory, make_id

NOTES = Path(__file__).with_name("notes")
MAIN = ("1", "2", "3", "4")  # LoCoMo's categories of questions that have an answer
ADVERSARIAL = "5"
_TURN = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True)
class Question:
    text: str
    answers: frozenset[str]  # ids of memories
    kind: str


@dataclass(frozen=True)
class Collection:
    """What one store holds, in the order of storing, and what it is asked."""

    name: str
    memories: tuple[Memory, ...]
    questions: tuple[Question, ...]
    newer: tuple[tuple[str, str], ...] = ()  # (newer, older) versions of one decision


def load(path: Path) -> list[Collection]:
    if path.is_dir():
        return [_notes(file) for file in sorted(path.glob("*.yaml"))]
    return _conversations(path) if path.suffix == ".json" else [_notes(path)]


def shuffled(collection: Collection, salt: int = 1) -> Collection:
    memories = list(collection.memories)
    random.Random(f"{collection.name}/{salt}").shuffle(memories)
    return replace(collection, memories=tuple(memories), newer=())  # which is newer cannot be told any more


def pooled(collections: Sequence[Collection]) -> Collection:
    """All in one store, a larger haystack."""
    memories, questions, newer = [], [], []
    for each in collections:
        new = {memory.id: f"{memory.id}-of-{each.name}" for memory in each.memories}
        memories += [replace(memory, id=new[memory.id]) for memory in each.memories]
        questions += [replace(q, answers=frozenset(new[id] for id in q.answers)) for q in each.questions]
        newer += [(new[later], new[earlier]) for later, earlier in each.newer]
    return Collection("pooled", tuple(memories), tuple(questions), tuple(newer))


def memory(key: str, content: str, tags: Iterable[str], category: str = "") -> Memory:
    type = "entity" if category else "episode"
    category = category or "2026-01"
    folder = "entities" if type == "entity" else "episodes"
    path = f"{folder}/{category}/{key}.md"
    day = "2026-01-05T10:00:00Z"
    return Memory(make_id(type, category, key), type, category, key, path, content, tuple(tags), day, day)


# Our notes


def _notes(path: Path) -> Collection:
    data = yaml.safe_load(path.read_text("utf-8"))
    ids: dict[str, str] = {}
    memories, newer = [], []
    for number, note in enumerate(data["notes"]):  # a number for a name: the words are all in the text
        made = memory(f"n{number}", note["text"], note.get("tags", ()), note.get("category", "notes"))
        memories.append(made)
        ids[note["key"]] = made.id
        if "replaces" in note:
            newer.append((made.id, ids[note["replaces"]]))
    questions = [Question(q["ask"], frozenset(ids[key] for key in q["gold"]), q["kind"]) for q in data["questions"]]
    return Collection(path.stem, tuple(memories), tuple(questions), tuple(newer))


# Conversations


def _conversations(path: Path) -> list[Collection]:
    return [_conversation(sample) for sample in json.loads(path.read_text("utf-8"))]


def _conversation(sample: dict[str, Any]) -> Collection:
    talk = sample["conversation"]
    numbers = sorted(int(key[8:]) for key, turns in talk.items() if re.fullmatch(r"session_\d+", key) and turns)
    memories: list[Memory] = []
    ids: dict[str, str] = {}
    for number in numbers:
        for turn in talk[f"session_{number}"]:
            key, said = _turn(turn, talk.get(f"session_{number}_date_time", ""))
            made = memory(f"t{len(memories)}", said, [_slug(turn["speaker"])])
            memories.append(made)
            ids[key] = made.id
    questions = []
    for asked in sample["qa"]:
        answers = frozenset(ids[key] for key in _evidence(asked.get("evidence")) if key in ids)
        if answers:
            questions.append(Question(str(asked["question"]), answers, str(asked["category"])))
    return Collection(sample["sample_id"], tuple(memories), tuple(questions))


def _turn(turn: dict[str, Any], date: str) -> tuple[str, str]:
    text = (turn.get("text") or "").strip()
    shared = (turn.get("blip_caption") or "").strip()
    said = f"{text} [shares {shared}]" if shared else text
    return next(_evidence([turn["dia_id"]])), f"[{date}] {turn['speaker']}: {said}"


def _evidence(ids: Iterable[object] | None) -> Iterator[str]:
    for each in ids or ():
        for session, turn in _TURN.findall(str(each)):
            yield f"D{int(session)}:{int(turn)}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
