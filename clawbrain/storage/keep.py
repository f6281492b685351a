"""A SQLite file whose rows exist nowhere else: checked, backed up, migrated, and set aside when it is broken."""

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from ..errors import Broken
from . import fs
from .patience import left, waited_in_vain
from .sound_mark import SoundMark
from .sqlite import (
    PATIENCE,
    SqliteFile,
    code_of,
    decoded,
    identity_of,
    is_blank,
    is_broken,
    is_busy,
    is_trouble,
    ours,
    trouble_of_the_disk,
    version_of,
)

if TYPE_CHECKING:
    from sqlite_utils import Database

Migration = Callable[["Database"], None]
STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class FileSpec:
    """One kind of file that is kept: its tables, the way it is opened, and the warnings about a broken one."""

    called: str  # in errors, such as "the ledger"
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
    patience: float = PATIENCE  # seconds that a statement waits for another process
    lenient: bool = False  # whether a text that is not UTF-8 is read with replacement characters
    follows: bool = False  # whether each use switches to a file that another process put there


class KeptFile(SqliteFile):
    """A file of rows that exist nowhere else.

    It is checked when it is opened. One that cannot be read is set aside, never written again, and replaced by the
    newest good backup or a new file. An older one is migrated on a copy, which replaces it when it is complete.
    """

    mendable = (sqlite3.DatabaseError, UnicodeDecodeError)
    _was_sound = False  # when the transaction began

    def __init__(
        self,
        path: Path,
        spec: FileSpec,
        clock: Callable[[], datetime],
        *,
        read_only: bool,
        locked: Callable[[], AbstractContextManager[None]],
        at: Callable[[str], None],
        warn: Callable[[str], None],
        newer: Callable[[], None],
    ) -> None:
        """`newer` is called for a file of a newer program, and may raise."""
        super().__init__(path, read_only=read_only, at=at)
        self.spec, self._clock, self._locked, self._warn = spec, clock, locked, warn
        self._newer, self.patience, self._mark = newer, spec.patience, SoundMark(path)

    def _open(self) -> sqlite3.Connection:
        if self.read_only:
            return self._opened_for_reading()
        with self._locked():
            if self.spec.check and self._mark.is_trusted():
                return self._opened("")
            db = self._opened(self.spec.check)
            if self.spec.check and self.lasting:
                self._mark.found_sound()
            return db

    def follow(self) -> None:
        """Close the connection if another process put a file in place to which each use of this one switches."""
        if self.spec.follows and self.replaced():
            self.close()

    def _begin(self) -> None:
        try:
            self.do("BEGIN IMMEDIATE")
        except sqlite3.DatabaseError as error:
            if is_busy(error):
                waited_in_vain()
            if is_busy(error) or not (self.spec.check or is_broken(error)):
                raise
            self.heal()
            self.do("BEGIN IMMEDIATE")
        self._was_sound = bool(self.spec.check) and self._mark.still_sound()

    def _committed(self) -> None:
        if self._was_sound:  # what SQLite writes into a sound file leaves it sound
            self._mark.found_sound()

    def _failed(self, error: sqlite3.Error) -> None:
        if is_broken(error):
            self.heal()
            raise Broken(self.spec.turned_out) from None
        raise ours(error, self.spec.called) from None

    def renew(self) -> None:
        """Set aside the file that is there, unless another process has replaced it, and open the new one."""
        with self.lock:
            failed = self.identity
            self.close()
            with self._locked():
                if failed in (None, identity_of(self.path)):
                    self._set_aside()
                self.connection()

    def heal(self) -> None:
        """Open a failed file again after a thorough check; a broken one is set aside unless it was replaced."""
        if not self.lasting:
            return
        if not self.spec.check:
            return self.renew()
        with self._locked():
            self._swap(self._opened("integrity_check"))  # the quick check may have overlooked something

    def _swap(self, db: sqlite3.Connection) -> None:
        """Switch to another connection, and close the one used so far."""
        used = self._db
        self._use(db)
        self.openings += 1
        if used is not None:
            used.close()

    def _remedies(self) -> Sequence[Callable[[Exception], None]]:
        return (self._mend,)

    def _mend(self, error: Exception) -> None:
        if isinstance(error, UnicodeDecodeError):  # a flipped bit in a text stops an answer, though the file is sound
            self.connection().text_factory = decoded
            return
        if not isinstance(error, sqlite3.DatabaseError) or is_busy(error) or self.in_transaction:
            raise error
        if not self.spec.check and not (self.lasting and is_broken(error)):
            raise error
        if self.spec.check and self.connection().text_factory is str and self.sound(self.connection()):
            self.connection().text_factory = decoded
        else:
            self.heal()

    # Opening

    def _opened_for_reading(self) -> sqlite3.Connection:
        db = self._readable_as("ro", self.spec.check) or self._readable_as("ro&immutable=1", self.spec.check)
        if db is None:
            return self._in_memory()
        self.identity = identity_of(self.path)
        return db

    def as_last_written(self) -> sqlite3.Connection:
        """Return a connection to the rows that were last written, though another process holds the file.

        Rows that this process cannot reach (they are in a journal of the other) are left out; it changes nothing.
        """
        return self._readable_as("ro") or self._readable_as("ro&immutable=1") or self.empty()

    def _readable_as(self, mode: str, check: str = "") -> sqlite3.Connection | None:
        """Return a connection for reading, to a migrated copy in memory where the file is older; None if it fails."""
        with suppress(sqlite3.Error, OSError):
            db = open_existing(self.path, mode, self.spec)
            if self.sound(db, check) and 0 < (version := version_of(db)) <= self.spec.version:
                return db if version == self.spec.version else self._migrated_copy(db)
            db.close()
        return None

    def _migrated_copy(self, old: sqlite3.Connection) -> sqlite3.Connection:
        copy = self._connect(":memory:")
        with closing(old):
            old.backup(copy)
        migrate(copy, self.spec.migrations())
        return copy

    def _in_memory(self) -> sqlite3.Connection:
        self.identity, self.lasting = None, False
        return self.empty()

    def empty(self) -> sqlite3.Connection:
        """Return a database in memory with all tables and no rows."""
        db = self._connect(":memory:")
        migrate(db, self.spec.migrations())
        return db

    def _opened(self, check: str) -> sqlite3.Connection:
        """Return a connection to the file, made, restored or migrated as needed. The caller holds the lock."""
        if not os.path.lexists(self.path):
            self._make()
        # tried twice: a disk that failed once does not mean that the file is broken
        db = self.readable(self.path, check) or self.readable(self.path, check)
        if db is None:
            self._set_aside()
            db = self._connect(self.path)
        with trouble_of_the_disk(bool(self.spec.check)):
            version = version_of(db)
        if version > self.spec.version:
            db.close()
            self._newer()
            return self._in_memory()
        if version < self.spec.version:
            db = self._upgraded(db)
        with trouble_of_the_disk(bool(self.spec.check)):
            db.executescript(self.spec.settings)
            self._leave_wal(db)
        self.identity = identity_of(self.path)
        return db

    def _leave_wal(self, db: sqlite3.Connection) -> None:
        """Give the file a rollback journal, except while another program has it open with a write-ahead log."""
        db.execute("PRAGMA busy_timeout = 0")
        with suppress(sqlite3.OperationalError):
            db.execute("PRAGMA journal_mode = TRUNCATE")

    def readable(self, path: Path, check: str = "quick_check") -> sqlite3.Connection | None:
        """Return a connection to a file if it is sound, else None. Raises OSError, sqlite3.Error for a failing disk."""
        if path.is_symlink() or not path.is_file():
            return None
        with trouble_of_the_disk():
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
                return bool(self.spec.mark) and is_blank(db)
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
        if self.spec.mark and db.execute("PRAGMA application_id").fetchone()[0] != self.spec.mark:
            return False
        try:
            for table, columns in self.spec.tables.items() if version == self.spec.version else ():
                db.execute(f"SELECT {columns} FROM {table} LIMIT 1").fetchone()
        except sqlite3.OperationalError as error:
            if code_of(error) != sqlite3.SQLITE_ERROR:
                raise
            return False  # a table or a column is not there
        return True

    def _connect(self, path: Path | str) -> sqlite3.Connection:
        return connect(path, self.spec)

    # Making, migrating and setting aside

    def _make(self) -> None:
        """Make a missing file from the newest good backup, or an empty one where there is no backup."""
        if self._restored():
            self._warn(self.spec.missing)
        else:
            self._build(None)

    def _set_aside(self) -> None:
        path = self.path
        aside = free_name(path.with_name(f"{path.name}.corrupt-{self._clock():{STAMP}}"))
        self._at(f"{self._name}: set aside")
        for suffix in ("-journal", ""):
            with suppress(FileNotFoundError):
                os.rename(f"{path}{suffix}", f"{aside}{suffix}")
        found = self._restored()
        if not found:
            self._build(None)
        instead = self.spec.instead[0 if found else 1]
        self._warn(self.spec.unreadable.format(aside=f".clawbrain/{aside.name}", instead=instead))

    def _upgraded(self, db: sqlite3.Connection) -> sqlite3.Connection:
        if self.spec.backups:
            self.back_up(db)
        self._build(db)
        db.close()
        return self._connect(self.path)

    def _build(self, source: sqlite3.Connection | None) -> None:
        """Make an up-to-date file, a copy or empty, under a temporary name, and rename it when it is complete."""
        fresh = _fresh_copy(self.path, source)
        db = self._connect(fresh)
        db.execute("PRAGMA synchronous = OFF")  # `_take_place` flushes the whole file
        self._at(f"{self._name}: migrate")
        migrate(db, self.spec.migrations())
        db.close()
        self._take_place(fresh)

    def _take_place(self, fresh: Path) -> None:
        os.chmod(fresh, 0o600)
        self._at(f"{self._name}: take place")
        fs.flush_path(fresh)
        os.replace(fresh, self.path)
        fs.flush_path(self.path.parent)

    # Backups

    def backups(self) -> list[Path]:
        """Return the backups of the file, the oldest first."""
        return sorted((self.path.parent / "backups").glob(f"{self._name}-*.db")) if self.spec.backups else []

    def back_up(self, db: sqlite3.Connection) -> None:
        """Add a backup of a database, and delete the oldest when there are too many. Raises OSError, sqlite3.Error."""
        shelf = self.path.parent / "backups"
        if shelf.is_symlink():
            self._warn("'.clawbrain/backups' is a link, and none is followed: no backup was made.")
            return
        shelf.mkdir(mode=0o700, exist_ok=True)
        fresh = _fresh_copy(self.path, db)
        os.chmod(fresh, 0o600)
        fs.flush_path(fresh)
        self._at("backup: rename")
        os.replace(fresh, shelf / f"{self._name}-{self._clock():{STAMP}}.db")
        fs.flush_path(shelf)
        for old in sorted(self.backups(), key=os.path.getmtime)[: -self.spec.backups]:
            old.unlink(missing_ok=True)

    def _restored(self) -> bool:
        """Replace the file by its newest good backup; return whether there was one."""
        for backup in reversed(self.backups()):
            try:
                db = self.readable(backup)
            except OSError:
                continue
            if db is None:
                continue
            with closing(db):
                if 0 < version_of(db) <= self.spec.version:
                    self._take_place(_fresh_copy(self.path, db))
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


def connect(path: Path | str, spec: FileSpec) -> sqlite3.Connection:
    """Return a connection without implicit transactions."""
    uri = str(path).startswith("file:")
    db = sqlite3.connect(path, timeout=left(spec.patience), uri=uri, isolation_level=None, check_same_thread=False)
    if spec.lenient:
        db.text_factory = decoded
    return db


def open_existing(path: Path, mode: str, spec: FileSpec) -> sqlite3.Connection:
    """Return a connection to an existing file. Raises OSError where it or its journal is no regular file."""
    beside = [Path(f"{path}{suffix}") for suffix in ("-journal", "-wal")]
    if (
        path.parent.is_symlink()
        or path.is_symlink()
        or not path.is_file()
        or any(os.path.lexists(one) and not one.is_file() for one in beside)
    ):
        raise OSError  # opening a pipe would wait for ever
    return connect(f"file:{quote(str(path))}?mode={mode}", spec)


def free_name(path: Path) -> Path:
    """Return this path, or with a number added where something has that name already."""
    tried, number = path, 1
    while os.path.lexists(tried):
        number += 1
        tried = path.with_name(f"{path.name}-{number}")
    return tried
