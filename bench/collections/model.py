"""Documents, questions and the collections they come from.

Every loader of this package turns the published files of one collection into these values. A *document* becomes one
memory. A *store* is a set of documents that are searched together. A collection has one store or several.
"""

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True)
class Document:
    """A text to be found, under an id of its collection."""

    id: str
    text: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question and the ids of the documents that answer it."""

    text: str
    relevant: frozenset[str]


@dataclass(frozen=True)
class Store:
    """Documents that are searched together, in the order of storing, and the questions that are asked of them.

    `in_session` says that the order means something, as it does in a conversation: the documents are then stored by
    one session, one after the other. `newer` holds pairs (id of the newer, id of the older version of one thing).
    """

    name: str
    documents: tuple[Document, ...]
    questions: tuple[Question, ...]
    in_session: bool = False
    newer: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Source:
    """A collection: what it is, where a reader gets it, and how its files are read.

    `files` are the names that must lie in one folder, as `path_in` reads them. `load` takes that folder and the name
    of the source, and returns the stores. `ours` marks the notes that belong to this product: they count in no mean of
    public collections.
    """

    name: str
    group: str
    about: str
    where: str
    licence: str
    files: tuple[str, ...]
    load: Callable[[Path, str], list[Store]]
    ours: bool = False


def answerable(
    questions: Mapping[str, str], relevant: Mapping[str, Iterable[str]], known: Iterable[str]
) -> list[Question]:
    """Join questions with their judgements.

    Args:
        questions: the text of each question, by its id.
        relevant: the ids of the documents that answer it, by the same id.
        known: the ids of the documents there are.

    Returns:
        The questions, in their order, that at least one known document answers.
    """
    there = frozenset(known)
    joined = [Question(text, there.intersection(relevant.get(id, ()))) for id, text in questions.items()]
    return [question for question in joined if question.relevant and question.text]


def shuffled(documents: Iterable[Document], name: str) -> tuple[Document, ...]:
    """Return the documents in a random order that is the same in every run.

    The published order often groups documents on one subject. A memory is not filled like that, and a search that looks
    at what was stored side by side must not profit from it.
    """
    mixed = list(documents)
    random.Random(name).shuffle(mixed)
    return tuple(mixed)


def spread(items: Sequence[Item], most: int) -> list[Item]:
    """Return at most `most` of the items, evenly spread over all of them."""
    if len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]


def one_line(text: str) -> str:
    """Return the text with single spaces in place of line ends and runs of spaces."""
    return " ".join(text.split())


def path_in(folder: Path, name: str) -> Path:
    """Return the path of a file of a collection.

    Args:
        folder: the folder in which it lies.
        name: its name in any case, or several with ` or ` between them: distributions of one collection differ in this.

    Raises:
        FileNotFoundError: no file of that name is there.
    """
    names = {each.casefold() for each in name.split(" or ")}
    for path in sorted(folder.iterdir()):
        if path.name.casefold() in names and path.is_file():
            return path
    raise FileNotFoundError(f"{name} is not in {folder}")


def read(path: Path) -> str:
    """Return a file's text. The old collections hold a few bytes of Latin-1, which UTF-8 does not know."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


def slug(text: str) -> str:
    """Return the text as a tag: lower case, with hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
