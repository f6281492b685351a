"""vectors.bin, beside index.db: the memories' vectors, shared by all processes of a home.

Each record is the number of a memory's row in the index and one vector of its text. The file only grows. index.db says
how many records count and what their checksum is, so what a killed process wrote behind them is overwritten. A file
that does not agree with that (it belongs to another index, was cut off or overwritten) is ignored and replaced.

Each search reads the file again, from the system's cache, which all processes share. Mapping it into memory would be
no faster, and would end the process when somebody cuts the file off.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from ..semantic import PAGE

FILE = "vectors.bin"
_MARK = 16  # bytes at the beginning, which tell that the file belongs to index.db


class VectorsState(NamedTuple):
    """The description of the file in index.db."""

    table: str = ""  # the key of the model that made the vectors
    upto: int = 0  # the row up to which every memory has its vectors here
    records: int = 0
    sum: int = 0
    mark: str = ""


NO_VECTORS = VectorsState()


class Vectors:
    """The file vectors.bin; `record` is the numpy type of its records."""

    def __init__(self, path: Path, record: Any) -> None:
        self._path, self._record = path, record
        self._as_of: tuple[int, ...] = ()
        self._kept = NO_VECTORS
        self._rows: Any = None

    def touched(self) -> bool:
        """Tell whether anybody has changed the file since it was last read."""
        try:
            return self._as_of != _looks(os.stat(self._path, follow_symlinks=False))
        except OSError:
            return self._as_of != ()

    def rows(self, kept: VectorsState) -> Any:
        """Return the row of each record that counts, or None where the file does not agree with its description."""
        try:
            with self._opened(os.O_RDONLY | os.O_NONBLOCK) as fd:
                as_of = _looks(os.fstat(fd))
                if (as_of, kept) != (self._as_of, self._kept):
                    self._rows = self._read(fd, kept)
                    self._as_of, self._kept = as_of, kept
        except OSError:  # there is no file, or the disk fails to read it
            self._rows, self._as_of = None, ()
        return self._rows

    def _read(self, fd: int, kept: VectorsState) -> Any:
        import numpy

        if not stat.S_ISREG(os.fstat(fd).st_mode) or os.pread(fd, _MARK, 0).hex() != kept.mark:
            return None
        known, sum, rows = NO_VECTORS, 0, []
        if self._rows is not None and self._kept.mark == kept.mark and self._kept.records < kept.records:
            known, sum, rows = self._kept, self._kept.sum, [self._rows]
        for records in self._records(fd, known.records, kept.records):
            rows.append(records["row"].copy())
            sum = crc32(records, sum)
        read: Any = numpy.concatenate(rows) if rows else numpy.empty(0, numpy.int64)
        return read if len(read) == kept.records and sum == kept.sum else None

    def records(self) -> Iterator[Any]:
        """Yield the records that count, page by page, in one and the same buffer: a caller must copy what it keeps."""
        try:
            with self._opened(os.O_RDONLY | os.O_NONBLOCK) as fd:
                if self._rows is not None and os.pread(fd, _MARK, 0).hex() == self._kept.mark:
                    yield from self._records(fd, 0, self._kept.records)
        except OSError:
            return

    def whole(self) -> Any:
        """Return a copy of all records that count, or None where they have changed."""
        import numpy

        copies = [page.copy() for page in self.records()]
        whole: Any = numpy.concatenate(copies) if copies else numpy.empty(0, self._record)
        return whole if (len(whole), crc32(whole)) == (self._kept.records, self._kept.sum) else None

    def _records(self, fd: int, at: int, end: int) -> Iterator[Any]:
        import numpy

        page: Any = numpy.empty(PAGE, self._record)
        while at < end:
            read = os.preadv(fd, [page[: end - at].data], self._place(at)) // self._record.itemsize
            if not read:
                return  # the file was cut off
            yield page[:read]
            at += read

    def _place(self, number: int) -> int:
        return _MARK + number * int(self._record.itemsize)

    # Growing: the caller holds the index's lock and then writes the new description into index.db

    def grown(self, kept: VectorsState, records: Any, table: str, upto: int) -> VectorsState:
        """Append records to the file, or begin a new file with them, and return the new description. Raises OSError."""
        data = records.tobytes()
        if not kept.mark:
            kept = self._begun()
        with self._opened(os.O_WRONLY) as fd:
            try:
                _write(fd, data, self._place(kept.records))
            except OSError:  # a full disk: free the room of the records that do not count
                os.ftruncate(fd, self._place(kept.records))
                raise
        return VectorsState(table, upto, kept.records + len(records), crc32(data, kept.sum), kept.mark)

    def _begun(self) -> VectorsState:
        mark = os.urandom(_MARK)
        self._path.unlink(missing_ok=True)
        with self._opened(os.O_WRONLY | os.O_CREAT | os.O_EXCL) as fd:
            _write(fd, mark, 0)
        return VectorsState(mark=mark.hex())

    @contextmanager
    def _opened(self, how: int) -> Iterator[int]:
        fd = os.open(self._path, how | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            yield fd
        finally:
            os.close(fd)


def _write(fd: int, data: bytes, at: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(fd, view, at)
        view, at = view[written:], at + written


def _looks(about: os.stat_result) -> tuple[int, ...]:
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns
