"""The tables of access.db and their history.

A migration, once released, is never edited: a change is a new function at the end of MIGRATIONS. They run on a copy
that replaces the file when it is complete. This module is imported only when the file is made or is older than this
program, because importing sqlite-utils takes time.
"""

from sqlite_utils import Database

from .access import MARK
from .keep import Migration


def _first(db: Database) -> None:
    db.execute(
        """
        CREATE TABLE tokens (
          id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, look TEXT NOT NULL, name TEXT NOT NULL,
          workspace TEXT NOT NULL, user TEXT NOT NULL, bound_to TEXT NOT NULL, scope TEXT NOT NULL,
          created TEXT NOT NULL, expires TEXT NOT NULL, revoked TEXT NOT NULL, used TEXT NOT NULL)
        """
    )
    db.execute(f"PRAGMA application_id = {MARK}")


MIGRATIONS: list[Migration] = [_first]
