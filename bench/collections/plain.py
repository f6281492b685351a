"""NPL, LISA and TIME: collections of the same age as SMART's, each in a plain format of its own.

LISA and TIME, and the questions of NPL, are printed in capitals. They are lowered here, because nobody writes notes in
capitals, and a search may take a capital for the beginning of a name.
The loaders were checked against the files as they are published (see `where` in this package's list of sources).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from .model import Document, Store, answerable, one_line, path_in, read, shuffled

_LISA_FILE = re.compile(r"LISA\d\.\d{3}", re.IGNORECASE)


def npl(folder: Path, name: str) -> list[Store]:
    """Return NPL: 11,429 short abstracts on electronics, and 93 questions.

    Documents, questions and judgements have the same form: a line with the number, the text, a line with a slash.
    """
    documents = [Document(number, one_line(text)) for number, text in _between_slashes(path_in(folder, "doc-text"))]
    questions = {number: one_line(text).lower() for number, text in _between_slashes(path_in(folder, "query-text"))}
    relevant = {number: text.split() for number, text in _between_slashes(path_in(folder, "rlv-ass"))}
    return _store(name, documents, questions, relevant)


def lisa(folder: Path, name: str) -> list[Store]:
    """Return LISA: some 6,000 abstracts on librarianship in many files `LISA0.001` …, and 35 questions.

    A document begins with `Document NUMBER` and ends with a line of stars. A question is a line with its number and
    then text up to a `#`. The judgements, `LISARJ.NUM`, are numbers alone: the question's, how many documents, and the
    documents'. A number that comes twice, in files that overlap, counts once. The file `LISA.REL` says the same in
    sentences, but has the judgements of other questions at 22 and 23; it is not read.
    """
    found: dict[str, str] = {}
    for path in sorted(path for path in folder.iterdir() if _LISA_FILE.fullmatch(path.name)):
        for number, text in re.findall(r"Document +(\d+)\s*\n(.*?)\n\*{10,}", read(path), re.DOTALL):
            found.setdefault(number, one_line(text).lower())
    asked = re.findall(r"(?:^|#)\s*(\d+)\s*\n(.*?)(?=#)", read(path_in(folder, "LISA.QUE")), re.DOTALL)
    documents = [Document(number, text) for number, text in found.items() if text]
    questions = {number: one_line(text).lower() for number, text in asked}
    return _store(name, documents, questions, _counted(read(path_in(folder, "LISARJ.NUM")).split()))


def time(folder: Path, name: str) -> list[Store]:
    """Return TIME: 423 articles of the magazine of 1963, and the 78 of its 83 questions that an article answers.

    The judgements count the articles from 1 in the order of the file, whatever number stands behind `*TEXT`.
    """
    articles = re.split(r"^\*TEXT.*$|^\*STOP.*$", read(path_in(folder, "TIME.ALL")), flags=re.MULTILINE)[1:]
    documents = [Document(str(n), one_line(text).lower()) for n, text in enumerate(articles, 1) if text.strip()]
    asked = re.findall(r"^\*FIND +(\d+)(.*?)(?=^\*|\Z)", read(path_in(folder, "TIME.QUE")), re.DOTALL | re.MULTILINE)
    questions = {number: one_line(text).lower() for number, text in asked}
    rows = [line.split() for line in read(path_in(folder, "TIME.REL")).splitlines() if line.strip()]
    return _store(name, documents, questions, {row[0]: row[1:] for row in rows})


def _store(
    name: str, documents: list[Document], questions: dict[str, str], relevant: dict[str, list[str]]
) -> list[Store]:
    asked = answerable(questions, relevant, (document.id for document in documents))
    return [Store(name, shuffled(documents, name), tuple(asked))]


def _counted(numbers: list[str]) -> dict[str, list[str]]:
    """Return the documents of each question from a row of numbers: the question, how many documents, the documents."""
    found, at = {}, 0
    while at < len(numbers):
        last = at + 2 + int(numbers[at + 1])
        found[numbers[at]] = numbers[at + 2 : last]
        at = last
    return found


def _between_slashes(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (number, text) of each record that ends with a line with nothing but a slash."""
    for record in re.split(r"^\s*/\s*$", read(path), flags=re.MULTILINE):
        number, _, text = record.strip().partition("\n")
        if number.isdigit():
            yield number, text
