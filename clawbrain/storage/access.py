"""The tokens by which programs on the network are let in: access.db, in the sidecar of a home or of a folder of homes.

A token's text is not in it, only its SHA-256. The file has no backups, because an older one would let revoked tokens in
again; one that cannot be read is set aside, and an empty one begun, which lets nobody in. Every lookup reads the file,
so that what another process revoked is refused at once.
"""

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from ..errors import Broken
from ..logs import log_step
from .folders import DOT_FOLDER, make_dot_folder
from .keep import FileSpec, KeptFile, Migration
from .lock import Lock
from .patience import hurried
from .sqlite import identity_of, in_our_words

FILE = "access.db"
_WHAT = "the list of tokens"
VERSION = 1
MARK = 0x636C6178  # "clax": a database without it belongs to another program
_SETTINGS = "PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON;"


class TokenRow(NamedTuple):
    """A token as stored. Times are ISO texts in UTC; '' stands for never, and elsewhere for nothing."""

    id: str
    hash: str  # SHA-256 of the whole token, in hexadecimal
    look: str  # the token's prefix, which tells its kind
    name: str
    workspace: str
    user: str
    bound_to: str  # the only name under which the token may ask, where its kind has names
    scope: str
    created: str
    expires: str
    revoked: str
    used: str  # the last use, to the minute


_COLUMNS = ", ".join(TokenRow._fields)


def _migrations() -> Sequence[Migration]:
    from . import access_schema  # imports sqlite-utils, which takes time

    return access_schema.MIGRATIONS


def _spec() -> FileSpec:
    return FileSpec(
        called=_WHAT,
        version=VERSION,
        migrations=_migrations,
        tables={"tokens": _COLUMNS},
        settings=_SETTINGS,
        unreadable="the list of tokens could not be read: it was set aside as {aside}, and an empty one was begun. "
        "No token is let in until `clawbrain token create` makes new ones.",
        turned_out="the list of tokens turned out to be broken, and an empty one was begun: make new tokens with "
        "`clawbrain token create`.",
        check="quick_check",
        mark=MARK,
        patience=10.0,
        follows=True,
    )


def _refuse_newer() -> NoReturn:
    raise Broken("the list of tokens was written by a newer clawbrain: upgrade this one.")


class _AccessFile(KeptFile):
    def _open(self) -> sqlite3.Connection:
        """Return a connection, unless others may read or write the file.

        It may then have come with a repository that somebody else made, and let its maker in: git keeps no mode 600.
        """
        with suppress(FileNotFoundError):
            found = os.lstat(self.path)
            if stat.S_ISREG(found.st_mode) and found.st_mode & 0o077:
                raise Broken(
                    "others may read or write .clawbrain/access.db, so it may not be yours: delete it if it came with "
                    "a copy of somebody else's, else `chmod 600` it."
                )
        return super()._open()

    def _opened_for_reading(self) -> sqlite3.Connection:
        """Return a connection that sees what others write; an immutable one would let revoked tokens in."""
        db = self._readable_as("ro", self.spec.check)
        if db is None:
            raise Broken("the list of tokens cannot be read, and this process may not write it to mend it.")
        self.identity = identity_of(self.path)
        return db


class Access:
    """The rows of access.db. It keeps one connection open and may be used by several threads."""

    def __init__(self, home: Path, clock: Callable[[], datetime], warn: Callable[[str], None]) -> None:
        """`home` may also be a folder of homes; `warn` is told of a file that was set aside.

        Raises Broken where the sidecar is a link.
        """
        folder = home / DOT_FOLDER
        if folder.is_symlink():
            raise Broken(f"'{DOT_FOLDER}' is a link, and none is followed: put the folder itself there.")
        self.home, self.path = home, folder / FILE
        self._db = _AccessFile(
            self.path,
            _spec(),
            clock,
            read_only=folder.is_dir() and not os.access(folder, os.W_OK),
            locked=Lock(folder).held,
            at=log_step,
            warn=warn,
            newer=_refuse_newer,
        )

    def close(self) -> None:
        self._db.close()

    def by_hash(self, digest: str, wait: float) -> TokenRow | None:
        """Return the token of a hash, or None. Raises Busy where another process holds the file for `wait` seconds."""
        with hurried(wait):
            rows = self._all(f"SELECT {_COLUMNS} FROM tokens WHERE hash = ?", digest)
        return TokenRow(*rows[0]) if rows else None

    def all(self) -> list[TokenRow]:
        """Return all tokens, the oldest first."""
        return [TokenRow(*row) for row in self._all(f"SELECT {_COLUMNS} FROM tokens ORDER BY rowid")]

    def any(self) -> bool:
        """Tell whether a token was ever made here, revoked ones included."""
        return bool(self._all("SELECT 1 FROM tokens LIMIT 1"))

    def add(self, row: TokenRow) -> None:
        """Add a token; the file is made where there is none."""
        make_dot_folder(self.home)
        with self._writing():
            self._db.do(f"INSERT INTO tokens ({_COLUMNS}) VALUES ({', '.join('?' * len(row))})", *row)

    def revoke(self, id: str, moment: str) -> None:
        """Note when a token was revoked, unless it was before."""
        with self._writing():
            self._db.do("UPDATE tokens SET revoked = ? WHERE id = ? AND revoked = ''", moment, id)

    def note_uses(self, uses: Mapping[str, str]) -> None:
        """Note the last use of some tokens. Raises Busy at once where another process holds the file."""
        with hurried(0.0), self._writing():
            self._db.many("UPDATE tokens SET used = ?2 WHERE id = ?1 AND used < ?2", uses.items())

    def _all(self, sql: str, *values: Any) -> list[Any]:
        with self._db.lock, in_our_words(_WHAT):
            if not os.path.lexists(self.path):
                self._db.close()
                return []  # a read makes no file
            self._db.follow()
            try:
                return self._db.all(sql, *values)
            except self._db.mendable as error:
                return self._db.retry(error, partial(self._db.all, sql, *values))

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Hold a transaction, which is kept whole or not at all. Raises Busy, Broken or OSError."""
        with in_our_words(_WHAT):
            self._db.follow()
            with self._db.writing():
                yield
