"""Search by meaning, for memories that say the same in other words: the extra [semantic].

A static table, part of the package wordllama, has a vector for each piece of a word; a text's vector is the mean of
its pieces'. Table and tokenizer are read straight from the package's folder: the package itself is never imported
(it brings a web client and sets up logging), and nothing is ever fetched.

The vectors are kept in a file beside the index (storage/vectors.py); here they are made and compared.
numpy and the tokenizer are imported at the first search, not before: they cost a tenth of a second.
"""

import functools
import importlib.util
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from .words import terms_of, word_pattern

PACKAGE = "wordllama"
TABLE, TOKENIZER = "weights/l2_supercat_256.safetensors", "tokenizers/l2_supercat_tokenizer_config.json"
FORMAT, KNOWN_BY = 2, 1_000  # a change of vectors_of needs a new FORMAT; so many rows tell tables apart
PAGE = 512  # vectors compared at a time: they stay in the processor's cache
PIECE, MOST_PIECES = 1_200, 24  # characters of a text that share a vector; how many of a long memory have one
READ = PIECE * MOST_PIECES + 1  # of a text that is longer no more has vectors
UNIT = 254  # a vector of this length fits into int8: no number of it is half as large
_WORDS = re.compile(r"(?<![^\W_])[^\W\d_]{2,}(?![^\W_])")  # of a name: 'k3f9a1c07' says nothing


@functools.cache
def installed() -> bool:
    return all(importlib.util.find_spec(name) for name in (PACKAGE, "numpy", "tokenizers"))


class Model(NamedTuple):
    """The table of vectors, with the function that splits a text into its pieces."""

    key: str  # vectors made with another key cannot be compared with these
    encode: Callable[[str], Any]
    table: Any

    @property
    def width(self) -> int:
        return int(self.table.shape[1])


@functools.cache
def model() -> Model:
    """Return the model of the installed package. Raises FileNotFoundError or ValueError if it cannot be used."""
    import numpy
    from tokenizers import Tokenizer

    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"{PACKAGE} is not installed")
    folder = Path(spec.origin).parent
    path = folder / TABLE
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = _parsed(file.read(length))
    (tensor,) = (value for key, value in header.items() if key != "__metadata__")
    if tensor["dtype"] != "F16":
        raise ValueError("the table is of another kind")
    table: Any = numpy.memmap(path, "<f2", "r", 8 + length + tensor["data_offsets"][0], tuple(tensor["shape"]))
    pieces = folder / TOKENIZER
    tokenizer = Tokenizer.from_file(str(pieces))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    key = f"{FORMAT}/{table.shape}/{crc32(table[:KNOWN_BY].tobytes()):x}/{pieces.stat().st_size}"
    return Model(key, functools.partial(tokenizer.encode, add_special_tokens=False), table)


def _parsed(header: bytes) -> dict[str, Any]:
    try:
        parsed: dict[str, Any] = json.loads(header)
    except ValueError:
        raise OSError("the table is damaged") from None
    return parsed


# Vectors


def vectors_of(text: str, name: str, tags: Collection[str]) -> bytes:
    """Return a memory's vectors as they are stored, one for each part of its text, with its name and tags."""
    import numpy

    filed = " ".join([*_WORDS.findall(name), *tags]).replace("-", " ")
    parts = (_direction(_sum(f"{part}\n{filed}".strip())) for part in _parts(text))
    made = [numpy.rint(UNIT * vector) for vector in parts if vector is not None]
    return b"".join(vector.clip(-127, 127).astype(numpy.int8).tobytes() for vector in made)


def asked(query: str, telling: Callable[[Collection[str]], Mapping[str, float]]) -> Any:
    """Return a query's vector, or None. `telling` gives the weight of words: rare ones say more than 'when did we'."""
    spans = [(word.start(), word.end(), terms_of(word[0])) for word in word_pattern(query).finditer(query)]
    rare = telling({term for *_, terms in spans for term in terms})
    weights = [0.0] * (len(query) + 1)
    for start, end, terms in spans:
        weights[start:end] = [max((rare.get(term, 0.0) for term in terms), default=0.0)] * (end - start)
    # a piece begins with the space before it
    return _direction(_sum(query, lambda at: weights[at] or weights[min(at + 1, len(query))]))


def _sum(text: str, weigh: Callable[[int], float] | None = None) -> Any:
    import numpy

    found = model()
    encoded = found.encode(text)
    pieces = found.table[encoded.ids].astype(numpy.float32)
    if weigh is None:
        return pieces.sum(axis=0)
    return numpy.array([weigh(start) for start, _ in encoded.offsets], numpy.float32) @ pieces


def _direction(vector: Any) -> Any:
    import numpy

    length = float(numpy.linalg.norm(vector))
    return vector / length if length else None


def _parts(text: str) -> Iterator[str]:
    """Yield the parts of a text that get a vector each, cut at the ends of lines or words where there are any."""
    start = 0
    for _ in range(MOST_PIECES):
        end = start + PIECE
        if end < len(text):
            breaks = (text.rfind(mark, start + PIECE // 2, end) for mark in ("\n", " "))
            end = next((place for place in breaks if place > 0), end)
        yield text[start:end]
        start = end
        if start >= len(text):
            return


# Comparing


def record() -> Any:
    """Return the numpy type of a stored record: the row of a memory and one of its vectors."""
    import numpy

    return numpy.dtype([("row", "<i8"), ("vector", "i1", (model().width,))])


def records_of(made: Sequence[tuple[int, bytes]]) -> Any:
    """Return vectors, given as (row, bytes), as records."""
    import numpy

    width = model().width
    rows = [row for row, vectors in made for _ in range(len(vectors) // width)]
    records: Any = numpy.empty(len(rows), record())
    records["row"] = rows
    records["vector"] = numpy.frombuffer(b"".join(vectors for _, vectors in made), numpy.int8).reshape(-1, width)
    return records


class Meanings:
    """The vectors of memories, by row: those shared with other processes, followed by this process's own."""

    def __init__(self) -> None:
        self.own = records_of([])
        self.shared = self.own["row"]
        self.upto = self.last = 0  # the last row that is shared, and the last that is known at all

    def add(self, made: Sequence[tuple[int, bytes]], last: int) -> None:
        """Add vectors in the order of their rows; `last` is the last row known then."""
        import numpy

        self.own, self.last = numpy.concatenate([self.own, records_of(made)]), last

    def share(self, rows: Any, upto: int) -> None:
        """Take the rows whose vectors are shared now, up to row `upto`. Own vectors are kept if they follow these."""
        if upto < self.upto:
            self.own, self.last = self.own[:0], upto
        elif upto > self.upto:
            self.own, self.last = self.own[self.own["row"] > upto], max(upto, self.last)
        self.shared, self.upto = rows, upto

    def like(self, vector: Any, shared: Iterable[Any]) -> "Likeness":
        """Return how alike each memory is to a vector, by the shared records, given in pages, and the own ones."""
        import numpy

        rows = numpy.concatenate([self.shared, self.own["row"]])
        if vector is None or not len(rows):
            return NOTHING
        cosines: Any = numpy.zeros(len(rows), numpy.float32)
        own = (self.own[at : at + PAGE] for at in range(0, len(self.own), PAGE))
        for pages, at in ((shared, 0), (own, len(self.shared))):
            for page in pages:
                numpy.dot(page["vector"].astype(numpy.float32), vector, out=cosines[at : at + len(page)])
                at += len(page)
        (starts,) = numpy.diff(rows, prepend=-1).nonzero()  # the vectors of a memory are neighbours
        return Likeness(rows[starts], numpy.maximum.reduceat(cosines, starts) / UNIT)


class Likeness(NamedTuple):
    """The cosines between a query and the memories, by row."""

    rows: Any = ()
    cosines: Any = ()

    def of(self, row: int) -> float:
        """Return the cosine of a memory; 0 if it has no vector."""
        if not len(self.rows):
            return 0.0
        place = int(self.rows.searchsorted(row))
        return float(self.cosines[place]) if place < len(self.rows) and self.rows[place] == row else 0.0

    def among(self, rows: Iterable[int]) -> dict[int, float]:
        """Return the cosines of those memories; {} where no memory has a vector."""
        return {row: self.of(row) for row in rows} if len(self.rows) else {}

    def above(self, floor: float) -> list[int]:
        """Return the rows whose cosine is at least the floor, best first."""
        if not len(self.rows):
            return []
        (places,) = (self.cosines >= floor).nonzero()
        ranked: list[int] = self.rows[places[(-self.cosines[places]).argsort(kind="stable")]].tolist()
        return ranked


NOTHING = Likeness()
