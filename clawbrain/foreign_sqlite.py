"""Open another program's SQLite database for reading, and leave nothing beside it.

SQLite makes `-wal` and `-shm` files where a database in WAL mode is opened, even for reading alone.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

_WAL = 2  # the format version that a header in WAL mode has at byte 19


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Yield a connection that only reads. Text that is not UTF-8 is read with replacement characters.

    Raises sqlite3.Error where the file is no database.
    """
    wal, shm = (path.with_name(f"{path.name}-{end}") for end in ("wal", "shm"))
    if not _in_wal_mode(path) or (wal.exists() and shm.exists()):  # the owner has it open: nothing new is made
        with closing(_connected(path, "mode=ro")) as db:
            yield db
    elif wal.exists():  # its owner was killed: what it wrote last stands in the log, which is read in a copy
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy.db"
            shutil.copyfile(path, copy)
            shutil.copyfile(wal, copy.with_name("copy.db-wal"))
            with closing(_connected(copy, "mode=rw")) as db:
                yield db
    else:
        with closing(_connected(path, "immutable=1")) as db:
            yield db


def _in_wal_mode(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(20)[19:] == bytes([_WAL])


def _connected(path: Path, how: str) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)
    db.text_factory = lambda raw: raw.decode(errors="replace")
    db.execute("PRAGMA trusted_schema = OFF")
    return db
