"""The policy for a SQLite file whose rows exist nowhere else: check, back up, migrate, and set aside a broken one."""

import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..errors import Broken
from . import fs
from .sqlite import (
    Remedy,
    SqliteFile,
    code_of,
    decoded,
    identity_of,
    is_blank,
    is_broken,
    is_busy,
    is_trouble,
    version_of,
)

if TYPE_CHECKING:
    from sqlite_utils import Database

Migration = Callable[["Database"], None]
STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class FileSpec:
    """One kind of file that is kept: its tables, the way it is opened, and the warnings about a broken one."""

    version: int
    migrations: Callable[[], Sequence[Migration]]  # called only when a file is made or is older than this program
    tables: Mapping[str, str]  # each with its columns; a file that lacks one counts as unreadable
    settings: str  # pragmas
    unreadable: str  # the warning that a file was set aside, with {aside}, its new name, and {instead}
    turned_out: str  # the error of a transaction on a broken file
    missing: str = ""  # the warning that a backup replaced a file that was gone
    instead: tuple[str, str] = ("", "")  # the text for {instead}: of a backup, of a new file
    check: str = ""  # the pragma that checks a file at each opening; without one, a failed file is always set aside
    mark: int = 0  # application_id: a file with tables and another id belongs to another program
    backups: int = 0  # how many of the newest are kept
    patience: float = 5.0  # seconds that a statement waits for another process
    lenient: bool = False  # whether a text that is not UTF-8 is read with replacement characters
    follows: bool = False  # whether each use switches to a file that another process put there


class Keep:
    """The policy for rows that exist nowhere else.

    A file is checked when it is opened. One that cannot be read is set aside, never written again, and replaced by the
    newest good backup or a new file. An older one is migrated on a copy, which replaces it when it is complete.
    """

    mendable: tuple[type[Exception], ...] = (sqlite3.DatabaseError, UnicodeDecodeError)

    def __init__(
        self,
        kept: FileSpec,
        clock: Callable[[], datetime],
        *,
        locked: Callable[[], AbstractContextManager[None]],
        at: Callable[[str], None],
        warn: Callable[[str], None],
        newer: Callable[[], None],
        trouble: Callable[[bool], AbstractContextManager[None]] = lambda sound: nullcontext(),
    ) -> None:
        """`newer` is called for a file of a newer program, and may raise; `trouble` translates errors of the disk."""
        self.kept, self._clock, self._locked, self._at, self._warn = kept, clock, locked, at, warn
        self._newer, self._trouble = newer, trouble
        self.remedies: Sequence[Remedy] = (self._mend,)

    def open(self, file: SqliteFile) -> sqlite3.Connection:
        if file.read_only:
            return self._opened_for_reading(file)
        with self._locked():
            return self._opened(file, self.kept.check)

    def notice(self, file: SqliteFile) -> None:
        if self.kept.follows and file.replaced():
            file.close()

    @contextmanager
    def alone(self, file: SqliteFile) -> Iterator[None]:
        with self._trouble(False):
            self.notice(file)
            yield

    def begin_failed(self, file: SqliteFile, error: sqlite3.DatabaseError) -> None:
        if is_busy(error) or not (self.kept.check or is_broken(error)):
            raise error
        self.heal(file)

    def failed(self, file: SqliteFile, error: sqlite3.DatabaseError) -> None:
        if is_broken(error):
            self.heal(file)
            raise Broken(self.kept.turned_out) from None

    def renew(self, file: SqliteFile) -> None:
        """Set aside the file that is there, unless another process has replaced it, and open the new one."""
        failed = file.identity
        file.close()
        with self._locked():
            if failed in (None, identity_of(file.path)):
                self._set_aside(file.path)
            file.connection()

    def heal(self, file: SqliteFile) -> None:
        """Open a failed file again after a thorough check; a broken one is set aside unless it was replaced."""
        if not file.lasting:
            return
        if not self.kept.check:
            return self.renew(file)
        with self._locked():
            file.swap(self._opened(file, "integrity_check"))  # the quick check may have overlooked something

    def refresh(self, file: SqliteFile) -> None:
        """Switch to the file that another process put in place, if one did. The caller holds the store's lock."""
        if file.lasting and file.replaced():
            self.heal(file)

    def _mend(self, file: SqliteFile, error: Exception) -> None:
        if isinstance(error, UnicodeDecodeError):  # a flipped bit in a text stops an answer, though the file is sound
            file.connection().text_factory = decoded
            return
        if not isinstance(error, sqlite3.DatabaseError) or is_busy(error) or file.in_transaction:
            raise error
        if not self.kept.check and not (file.lasting and is_broken(error)):
            raise error
        if self.kept.check and file.connection().text_factory is str and self.sound(file.connection()):
            file.connection().text_factory = decoded
        else:
            self.heal(file)

    # Opening

    def _opened_for_reading(self, file: SqliteFile) -> sqlite3.Connection:
        with suppress(sqlite3.Error, OSError):
            db = open_existing(file.path, "ro", self.kept)
            if self.sound(db, self.kept.check) and version_of(db) == self.kept.version:
                file.identity = identity_of(file.path)
                return db
            db.close()
        return self._in_memory(file)

    def _in_memory(self, file: SqliteFile) -> sqlite3.Connection:
        file.identity, file.lasting = None, False
        return self.empty()

    def empty(self) -> sqlite3.Connection:
        """Return a database in memory with all tables and no rows."""
        db = self._connect(":memory:")
        migrate(db, self.kept.migrations())
        return db

    def _opened(self, file: SqliteFile, check: str) -> sqlite3.Connection:
        """Return a connection to the file, made, restored or migrated as needed. The caller holds the lock."""
        if not os.path.lexists(file.path):
            self._begin(file.path)
        # tried twice: a disk that failed once does not mean that the file is broken
        db = self.readable(file.path, check) or self.readable(file.path, check)
        if db is None:
            self._set_aside(file.path)
            db = self._connect(file.path)
        with self._trouble(True):
            version = version_of(db)
        if version > self.kept.version:
            db.close()
            self._newer()
            return self._in_memory(file)
        if version < self.kept.version:
            db = self._upgraded(file.path, db)
        with self._trouble(True):
            db.executescript(self.kept.settings)
        file.identity = identity_of(file.path)
        return db

    def readable(self, path: Path, check: str = "quick_check") -> sqlite3.Connection | None:
        """Return a connection to a file if it is sound, else None. Raises OSError, sqlite3.Error for a failing disk."""
        if path.is_symlink() or not path.is_file():
            return None
        with self._trouble(False):
            fs.move_oddities(path)
            db = self._connect(path)
            try:
                if self.sound(db, check):
                    return db
            except BaseException:
                db.close()
                raise
        db.close()
        return None

    def sound(self, db: sqlite3.Connection, check: str = "integrity_check") -> bool:
        """Tell whether a database is ours and intact. Raises sqlite3.Error where it is busy or the disk fails."""
        try:
            version = version_of(db)
            if not version:
                return bool(self.kept.mark) and is_blank(db)
            if not self.is_ours(db, version):
                return False
            return not check or bool(db.execute(f"PRAGMA {check}(1)").fetchone()[0] == "ok")
        except UnicodeDecodeError:
            return False
        except sqlite3.DatabaseError as error:
            if is_busy(error) or is_trouble(error):
                raise
            return False

    def is_ours(self, db: sqlite3.Connection, version: int) -> bool:
        """Tell whether a database has our mark and, where its version is this program's, all tables and columns."""
        if self.kept.mark and db.execute("PRAGMA application_id").fetchone()[0] != self.kept.mark:
            return False
        try:
            for table, columns in self.kept.tables.items() if version == self.kept.version else ():
                db.execute(f"SELECT {columns} FROM {table} LIMIT 1").fetchone()
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_ERROR:
                raise
            return False  # a table or a column is not there
        return True

    def _connect(self, path: Path | str) -> sqlite3.Connection:
        return connect(path, self.kept)

    # Making, migrating and setting aside

    def _begin(self, path: Path) -> None:
        """Make a missing file from the newest good backup, or an empty one where there is no backup."""
        if self._restored(path):
            self._warn(self.kept.missing)
        else:
            self._build(path, None)

    def _set_aside(self, path: Path) -> None:
        aside = free_name(path.with_name(f"{path.name}.corrupt-{self._clock():{STAMP}}"))
        self._at(f"{path.stem}: set aside")
        for suffix in ("-journal", ""):
            with suppress(FileNotFoundError):
                os.rename(f"{path}{suffix}", f"{aside}{suffix}")
        found = self._restored(path)
        if not found:
            self._build(path, None)
        instead = self.kept.instead[0 if found else 1]
        self._warn(self.kept.unreadable.format(aside=f".clawbrain/{aside.name}", instead=instead))

    def _upgraded(self, path: Path, db: sqlite3.Connection) -> sqlite3.Connection:
        if self.kept.backups:
            self.back_up(path, db)
        self._build(path, db)
        db.close()
        return self._connect(path)

    def _build(self, path: Path, source: sqlite3.Connection | None) -> None:
        """Make an up-to-date file, a copy or empty, under a temporary name, and rename it when it is complete."""
        fresh = _fresh_copy(path, source)
        db = self._connect(fresh)
        db.execute("PRAGMA synchronous = OFF")  # `_take_place` flushes the whole file
        self._at(f"{path.stem}: migrate")
        migrate(db, self.kept.migrations())
        db.close()
        self._take_place(fresh, path)

    def _take_place(self, fresh: Path, path: Path) -> None:
        os.chmod(fresh, 0o600)
        self._at(f"{path.stem}: take place")
        fs.flush_path(fresh)
        os.replace(fresh, path)
        fs.flush_path(path.parent)

    # Backups

    def backups(self, path: Path) -> list[Path]:
        """Return the backups of a file, the oldest first."""
        return sorted((path.parent / "backups").glob(f"{path.stem}-*.db")) if self.kept.backups else []

    def back_up(self, path: Path, db: sqlite3.Connection) -> None:
        """Add a backup of a database, and delete the oldest when there are too many. Raises OSError, sqlite3.Error."""
        shelf = path.parent / "backups"
        if shelf.is_symlink():
            self._warn("'.clawbrain/backups' is a link, and none is followed: no backup was made.")
            return
        shelf.mkdir(mode=0o700, exist_ok=True)
        fresh = _fresh_copy(path, db)
        os.chmod(fresh, 0o600)
        fs.flush_path(fresh)
        self._at("backup: rename")
        os.replace(fresh, shelf / f"{path.stem}-{self._clock():{STAMP}}.db")
        fs.flush_path(shelf)
        for old in sorted(self.backups(path), key=os.path.getmtime)[: -self.kept.backups]:
            old.unlink(missing_ok=True)

    def _restored(self, path: Path) -> bool:
        """Replace a file by its newest good backup; return whether there was one."""
        for backup in reversed(self.backups(path)):
            try:
                db = self.readable(backup)
            except OSError:
                continue
            if db is None:
                continue
            with closing(db):
                if 0 < version_of(db) <= self.kept.version:
                    self._take_place(_fresh_copy(path, db), path)
                    return True
        return False


def _fresh_copy(path: Path, source: sqlite3.Connection | None) -> Path:
    """Return a temporary path with a copy of a database, or with nothing where there is no source."""
    fresh = path.parent / "tmp" / f"{path.name}.new"
    fresh.parent.mkdir(mode=0o700, exist_ok=True)
    fresh.unlink(missing_ok=True)
    if source:
        source.execute("VACUUM INTO ?", (str(fresh),))
    return fresh


def migrate(db: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """Run the migrations that a database lacks. Nobody else may use it meanwhile."""
    from sqlite_utils import Database  # takes time to import

    tables = Database(db, execute_plugins=False)
    version = version_of(db)
    for step in migrations[version:]:
        step(tables)
    db.execute(f"PRAGMA user_version = {len(migrations)}")


def connect(path: Path | str, kept: FileSpec) -> sqlite3.Connection:
    """Return a connection without implicit transactions."""
    uri = str(path).startswith("file:")
    db = sqlite3.connect(path, timeout=kept.patience, uri=uri, isolation_level=None, check_same_thread=False)
    if kept.lenient:
        db.text_factory = decoded
    return db


def open_existing(path: Path, mode: str, kept: FileSpec) -> sqlite3.Connection:
    """Return a connection to an existing file. Raises OSError where it or its journal is no regular file."""
    beside = [Path(f"{path}{suffix}") for suffix in ("-journal", "-wal")]
    if path.is_symlink() or not path.is_file() or any(os.path.lexists(one) and not one.is_file() for one in beside):
        raise OSError  # opening a pipe would wait for ever
    return connect(f"file:{quote(str(path))}?mode={mode}", kept)


def free_name(path: Path) -> Path:
    """Return this path, or with a number added where something has that name already."""
    tried, number = path, 1
    while os.path.lexists(tried):
        number += 1
        tried = path.with_name(f"{path.name}-{number}")
    return tried
