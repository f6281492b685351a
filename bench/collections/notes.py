"""The notes of developers in bench/notes: written for this product, made up, and in the repository.

Each file is one store: `notes` (key, text, tags, and `replaces` where a note says what holds instead of an older one)
and `questions` (`ask`, `gold`: the keys that answer, `kind`).
"""

from pathlib import Path
from typing import Any

import yaml

from .model import Document, Question, Store, shuffled

FOLDER = Path(__file__).parent.parent / "notes"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one written in C is ten times as fast


def notes(folder: Path, name: str) -> list[Store]:
    """Return a store for each file, filled in random order, so that no search profits from the order of the file."""
    return [_store(path, name, in_order=False) for path in sorted(folder.glob("*.yaml"))]


def versions(folder: Path, name: str) -> list[Store]:
    """Return a store for each file, filled in the order in which the notes were made.

    It is asked only what was decided anew, to see whether the newer version comes before the older.
    """
    return [_store(path, name, in_order=True) for path in sorted(folder.glob("*.yaml"))]


def _store(path: Path, name: str, *, in_order: bool) -> Store:
    data: dict[str, list[dict[str, Any]]] = yaml.load(path.read_text("utf-8"), _LOADER)
    documents = tuple(Document(note["key"], note["text"], tuple(note.get("tags", ()))) for note in data["notes"])
    questions = tuple(Question(asked["ask"], frozenset(asked["gold"])) for asked in data["questions"])
    title = f"{name}-{path.stem}"
    if not in_order:
        return Store(title, shuffled(documents, title), questions)
    newer = tuple((note["key"], note["replaces"]) for note in data["notes"] if "replaces" in note)
    changed = {later for later, _ in newer}
    asked = tuple(question for question in questions if question.relevant & changed)
    return Store(title, documents, asked, in_session=True, newer=newer)
