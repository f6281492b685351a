"""Public test collections of retrieval, read in the formats in which they are published.

Nothing is downloaded. A reader gets the files of a collection from the place that its source names, puts them anywhere
below one folder, and names that folder in the variable BENCH_DATA. What is not there is left out.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from . import code, locomo, notes, plain, smart, xquad
from .model import Document, Question, Source, Store, path_in

__all__ = ["GROUPS", "SOURCES", "Document", "Question", "Source", "Store", "located"]

_GLASGOW = "http://ir.dcs.gla.ac.uk/resources/test_collections/"
_FREE = "none stated; passed on for research since the seventies"

SOURCES = (
    Source(
        "cranfield",
        "articles",
        "abstracts on aerodynamics",
        f"{_GLASGOW}cran/, or github.com/fabianobie/luppar, data/cran",
        _FREE,
        (smart.CRANFIELD, "cran.qry", "cranqrel"),
        smart.cranfield,
    ),
    Source(
        "cisi",
        "articles",
        "abstracts on information science",
        f"{_GLASGOW}cisi/, or github.com/fabianobie/luppar, data/cisi",
        _FREE,
        ("CISI.ALL", "CISI.QRY", "CISI.REL"),
        smart.cisi,
    ),
    Source(
        "medline",
        "articles",
        "abstracts on medicine",
        f"{_GLASGOW}medl/, or github.com/fabianobie/luppar, data/med",
        _FREE,
        ("MED.ALL", "MED.QRY", "MED.REL"),
        smart.medline,
    ),
    Source(
        "cacm",
        "articles",
        "titles and abstracts on computing",
        f"{_GLASGOW}cacm/, or github.com/aoikonomidis/collection-retrieval, data/cacm",
        _FREE,
        ("cacm.all", "query.text", "qrels.text"),
        smart.cacm,
    ),
    Source(
        "npl",
        "articles",
        "abstracts on electronics",
        f"{_GLASGOW}npl/, or github.com/fabianobie/luppar, data/npl",
        _FREE,
        ("doc-text", "query-text", "rlv-ass"),
        plain.npl,
    ),
    Source(
        "lisa",
        "articles",
        "abstracts on librarianship",
        f"{_GLASGOW}lisa/, or github.com/fabianobie/luppar, data/lisa",
        "(c) 1982 Library Association; for research, not to be sold",
        ("LISA0.001", "LISA.QUE", "LISARJ.NUM"),
        plain.lisa,
    ),
    Source(
        "time",
        "articles",
        "articles of a magazine",
        f"{_GLASGOW}time/, or github.com/fabianobie/luppar, data/time",
        _FREE,
        ("TIME.ALL", "TIME.QUE", "TIME.REL"),
        plain.time,
    ),
    Source(
        "xquad-within",
        "languages",
        "paragraphs and questions in German, Spanish, Russian, Turkish, Chinese",
        "github.com/google-deepmind/xquad",
        "CC BY-SA 4.0",
        tuple(f"xquad.{language}.json" for language in xquad.WITHIN),
        xquad.within,
    ),
    Source(
        "xquad-across",
        "languages",
        "English paragraphs, asked in German, Spanish, Russian, Chinese",
        "github.com/google-deepmind/xquad",
        "CC BY-SA 4.0",
        tuple(f"xquad.{language}.json" for language in ("en", *xquad.ACROSS)),
        xquad.across,
    ),
    Source(
        "nl2bash",
        "code",
        "shell commands and their descriptions",
        "github.com/TellinaTool/nl2bash, data/bash",
        "MIT",
        ("all.nl", "all.cm"),
        code.nl2bash,
    ),
    Source(
        "cosqa",
        "code",
        "web queries and Python functions",
        "github.com/Jun-jie-Huang/CoCLR, data/search",
        "MIT; the functions under the licences of their projects",
        ("code_idx_map.txt", "cosqa-retrieval-test-500.json"),
        code.cosqa,
    ),
    Source(
        "locomo",
        "talks",
        "long conversations, stored turn by turn",
        "github.com/snap-research/locomo, data/locomo10.json",
        "CC BY-NC 4.0",
        ("locomo10.json",),
        locomo.locomo,
    ),
    Source(
        "notes",
        "notes",
        "notes of developers, written for this product",
        "in this repository, bench/notes",
        "MIT",
        (),
        notes.notes,
        ours=True,
    ),
    Source(
        "versions",
        "versions",
        "the same notes in order, asked what was decided anew",
        "in this repository, bench/notes",
        "MIT",
        (),
        notes.versions,
        ours=True,
    ),
)
GROUPS = tuple(dict.fromkeys(source.group for source in SOURCES))


def located(source: Source, data: Path | None) -> Path | None:
    """Return the folder that holds all files of a collection.

    Args:
        source: the collection.
        data: the folder below which its files lie; None where the reader has none.

    Returns:
        The first such folder in alphabetical order, or None. The product's own notes are always there.
    """
    if source.ours:
        return notes.FOLDER
    if data is None:
        return None
    for folder, below, _ in os.walk(data):
        below[:] = sorted(name for name in below if not name.startswith("."))
        if _holds(Path(folder), source.files):
            return Path(folder)
    return None


def _holds(folder: Path, names: Sequence[str]) -> bool:
    try:
        return all(path_in(folder, name) for name in names)
    except FileNotFoundError:
        return False
