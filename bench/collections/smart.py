"""Cranfield, CISI, MEDLINE and CACM, in the format of the SMART system.

A file holds records. Each begins with a line `.I NUMBER`; a line of one letter after a dot begins a field: `.T` title,
`.W` text, `.A` authors, `.B` where it was published, `.X` references and so on. Questions come in the same format.
The loaders were checked against the files as they are published (see `where` in this package's list of sources).
"""

import re
from pathlib import Path

from .model import Document, Store, answerable, one_line, path_in, read, shuffled

_FIELD = re.compile(r"\.([A-Z])\s*")
CRANFIELD = "cran.all.1400 or cran.all"
_USEFUL = ("1", "2", "3")
_RECORD = re.compile(r"\.I\s+(\d+)\s*")


def cranfield(folder: Path, name: str) -> list[Store]:
    """Return Cranfield: 1,398 abstracts on aerodynamics that are not empty, and 225 questions.

    The judgements count the questions from 1 in the order of the file, whatever their `.I` says. They have degrees from
    1, a complete answer, to 4, of minimum interest; 1 to 3 count here. Each question has one more of -1, which the
    readme beside the file does not explain; it does not count.
    """
    questions = {str(number): text for number, (_, text) in enumerate(_questions(path_in(folder, "cran.qry")), 1)}
    relevant: dict[str, list[str]] = {}
    for line in read(path_in(folder, "cranqrel")).splitlines():
        question, document, degree = line.split() or ("", "", "")
        if degree in _USEFUL:
            relevant.setdefault(question, []).append(document)
    return _store(name, _documents(path_in(folder, CRANFIELD)), questions, relevant)


def cisi(folder: Path, name: str) -> list[Store]:
    """Return CISI: 1,460 abstracts on information science, and the 76 of its 112 questions that were judged."""
    relevant = _judgements(path_in(folder, "CISI.REL"), question=0, document=1)
    return _store(
        name, _documents(path_in(folder, "CISI.ALL")), dict(_questions(path_in(folder, "CISI.QRY"))), relevant
    )


def medline(folder: Path, name: str) -> list[Store]:
    """Return MEDLINE: 1,033 abstracts on medicine, and 30 questions."""
    relevant = _judgements(path_in(folder, "MED.REL"), question=0, document=2)
    return _store(name, _documents(path_in(folder, "MED.ALL")), dict(_questions(path_in(folder, "MED.QRY"))), relevant)


def cacm(folder: Path, name: str) -> list[Store]:
    """Return CACM: 3,204 titles and abstracts on computing, and the 52 of its 64 questions that were judged."""
    relevant = _judgements(path_in(folder, "qrels.text"), question=0, document=1)
    return _store(
        name, _documents(path_in(folder, "cacm.all")), dict(_questions(path_in(folder, "query.text"))), relevant
    )


def _store(
    name: str, documents: list[Document], questions: dict[str, str], relevant: dict[str, list[str]]
) -> list[Store]:
    asked = answerable(questions, relevant, (document.id for document in documents))
    return [Store(name, shuffled(documents, name), tuple(asked))]


def _documents(path: Path) -> list[Document]:
    """Return title and abstract of each record that has either."""
    found = []
    for number, fields in _records(path):
        title, text = one_line(fields.get("T", "")), one_line(fields.get("W", ""))
        if text.startswith(title):  # Cranfield repeats the title in the text
            text = text[len(title) :].strip()
        if whole := "\n".join(filter(None, (title, text))):
            found.append(Document(number, whole))
    return found


def _questions(path: Path) -> list[tuple[str, str]]:
    return [(number, one_line(fields.get("W", ""))) for number, fields in _records(path)]


def _judgements(path: Path, question: int, document: int) -> dict[str, list[str]]:
    """Return the relevant documents of each question from a table, of which two columns count."""
    found: dict[str, list[str]] = {}
    for line in read(path).splitlines():
        if columns := line.split():
            found.setdefault(_number(columns[question]), []).append(_number(columns[document]))
    return found


def _records(path: Path) -> list[tuple[str, dict[str, str]]]:
    """Return (number, fields) of each record. A field that stands twice in a record is put together."""
    found: list[tuple[str, dict[str, str]]] = []
    letter = ""
    for line in read(path).splitlines():
        if begins := _RECORD.fullmatch(line):
            found.append((_number(begins[1]), {}))
            letter = ""
        elif marks := _FIELD.fullmatch(line):
            letter = marks[1]
        elif found and letter:
            fields = found[-1][1]
            fields[letter] = f"{fields.get(letter, '')}{line}\n"
    return found


def _number(text: str) -> str:
    """Return a number without the zeros in front of it: judgements write `01` where documents write `1`."""
    return str(int(text))
