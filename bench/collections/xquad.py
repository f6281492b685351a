"""XQuAD: the same 240 paragraphs and 1,190 questions, translated by people into twelve languages.

A file `xquad.LANGUAGE.json` has SQuAD's form: data, each with paragraphs, each with a context and questions (`qas`),
whose ids are the same in all languages. A paragraph is a document, named by its place.
The loaders were checked against the published files.
"""

import json
from pathlib import Path
from typing import Any

from .model import Document, Question, Store, path_in, shuffled, spread

WITHIN = ("de", "es", "ru", "tr", "zh")
ACROSS = ("de", "es", "ru", "zh")  # languages of which the product has words beside the English ones
EACH = 100  # questions of each language


def within(folder: Path, name: str) -> list[Store]:
    """Return a store for each of five languages, asked in the same language."""
    stores = []
    for language in WITHIN:
        documents, questions = _paragraphs(folder, language)
        stores.append(Store(f"{name}-{language}", shuffled(documents, name), tuple(spread(questions, EACH))))
    return stores


def across(folder: Path, name: str) -> list[Store]:
    """Return the English paragraphs as one store, asked in four other languages."""
    documents, _ = _paragraphs(folder, "en")
    questions = [each for language in ACROSS for each in spread(_paragraphs(folder, language)[1], EACH)]
    return [Store(name, shuffled(documents, name), tuple(questions))]


def _paragraphs(folder: Path, language: str) -> tuple[list[Document], list[Question]]:
    data: list[dict[str, Any]] = json.loads(path_in(folder, f"xquad.{language}.json").read_text("utf-8"))["data"]
    paragraphs = [paragraph for article in data for paragraph in article["paragraphs"]]
    documents = [Document(str(place), paragraph["context"].strip()) for place, paragraph in enumerate(paragraphs)]
    questions = [
        Question(asked["question"].strip(), frozenset([str(place)]))
        for place, paragraph in enumerate(paragraphs)
        for asked in paragraph["qas"]
    ]
    return documents, questions
