"""NL2Bash and CoSQA: questions about shell commands and Python functions.

The loaders were checked against the published files.
"""

import json
from pathlib import Path
from typing import Any

from .model import Document, Question, Store, path_in, read, shuffled, spread

ASKED = 500


def nl2bash(folder: Path, name: str) -> list[Store]:
    """Return NL2Bash: shell commands with a description, asked for by another description of the same command.

    `all.nl` and `all.cm` belong together line by line. The first description of a command is stored with it; a command
    that is described once is stored too, but not asked for.
    """
    described: dict[str, list[str]] = {}
    for description, command in zip(_lines(path_in(folder, "all.nl")), _lines(path_in(folder, "all.cm")), strict=True):
        others = described.setdefault(command, [])
        if description not in others:
            others.append(description)
    documents, questions = [], []
    for place, (command, descriptions) in enumerate(described.items()):
        documents.append(Document(str(place), f"{descriptions[0]}\n`{command}`"))
        questions += [Question(description, frozenset([str(place)])) for description in descriptions[1:2]]
    return [Store(name, shuffled(documents, name), tuple(spread(questions, ASKED)))]


def cosqa(folder: Path, name: str) -> list[Store]:
    """Return CoSQA: 6,267 Python functions, and the 500 web queries of its test set.

    `code_idx_map.txt` is JSON, {source text of a function: its number}; of a query's record `doc` and `retrieval_idx`
    count.
    """
    functions: dict[str, int] = json.loads(path_in(folder, "code_idx_map.txt").read_text("utf-8"))
    queries: list[dict[str, Any]] = json.loads(path_in(folder, "cosqa-retrieval-test-500.json").read_text("utf-8"))
    documents = [Document(str(number), source) for source, number in functions.items()]
    questions = [Question(query["doc"], frozenset([str(query["retrieval_idx"])])) for query in queries]
    return [Store(name, shuffled(documents, name), tuple(questions))]


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in read(path).rstrip("\n").split("\n")]
