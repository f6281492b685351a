"""The ledger: credit, turns, contradictions, runs and notes, which exist nowhere else.

`Ledger` inherits a class for each subject, and all of these `LedgerFile`, which opens the file and runs statements. It
reads and writes rows; their meaning is decided in credit, credit_evidence and brain/. Everything that writes is called
inside `writing()`, with the store's lock held.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from .. import credit_evidence
from ..errors import Busy, Invalid
from .claim_marks import KEY
from .contradiction_rows import ContradictionRows
from .credit_records import CreditRecords
from .dump_rows import check
from .ledger_file import HOME_ID, TABLES
from .notes import LOADED
from .proposal_rows import ProposalRows
from .runs import Runs
from .turns import Turns

# A dump has no sessions, which belong to this machine, and no evidence, which follows from the events.
_STAYING = (LOADED, KEY, HOME_ID)  # notes that are of this ledger alone
_CARRIED = tuple(table for table in TABLES if table not in ("sessions", "evidence"))


class Ledger(CreditRecords, Turns, ContradictionRows, Runs, ProposalRows):
    """The rows of ledger.db, with its checks and its dump."""

    def unsound(self) -> list[tuple[str, str]]:
        """Return the rows with impossible values (a flipped bit, a dump edited by hand), each with what is wrong."""
        found = [(id, "its credit record holds what cannot be") for id in self.unsound_records()]
        lists = " OR ".join(
            f"NOT json_valid({each})" for each in ("retrieved_memory_ids", "searched_ids", "opened_ids")
        )
        found += [
            (f"turn {row[0]}", "its ids cannot be read")
            for row in self._all(f"SELECT seq FROM turn_records WHERE {lists}")
        ]
        for what, kinds in (
            ("turn", "SELECT seq, kind FROM turn_records"),
            ("event", "SELECT id, kind FROM credit_events"),
        ):
            found += [
                (f"{what} {row[0]}", "the kind of its question cannot be read")
                for row in self._all(f"{kinds} WHERE kind IS NOT NULL")
                if credit_evidence.from_text(row[1]) is None
            ]
        runs = self._all("SELECT id FROM runs WHERE state = 'running' AND NOT json_valid(plan)")
        return found + [(f"run {row[0]}", "was interrupted, and its plan cannot be read") for row in runs]

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield every row that a dump carries to another machine, with the name of its table."""
        for table in _CARRIED:
            try:
                with self._db.lock:
                    rows = _rows_of(table, self._db.connection())
            except (sqlite3.DatabaseError, UnicodeDecodeError, Busy) as error:
                rows = self._read_again(error, partial(_rows_of, table))
            yield from ((table, row) for row in rows if row.get("key") not in _STAYING)

    def load(self, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Replace all rows by those of a dump, in the transaction that the caller has begun. Raises Invalid."""
        from .ledger_schema import finish_load, from_before  # a dump may be older; sqlite-utils takes time to import

        id = self.note_of(HOME_ID)
        for table in _CARRIED:
            self._db.do(f"DELETE FROM {table}")
        for table, as_dumped in rows:
            row = from_before(table, as_dumped)
            if table == "notes" and row.get("key") in _STAYING:
                continue
            check(table, row)
            names, marks = ", ".join(row), ", ".join("?" * len(row))
            try:
                self._db.do(f"INSERT INTO {table} ({names}) VALUES ({marks})", *row.values())
            except (sqlite3.IntegrityError, sqlite3.ProgrammingError, sqlite3.InterfaceError, OverflowError) as error:
                raise Invalid(
                    f"the dump holds a row of {table} that cannot be ({error}); nothing was loaded."
                ) from None
        self.rebuild_evidence()
        finish_load(self._db.connection())
        if strange := self.unsound():
            raise Invalid(f"the dump cannot be ({strange[0][0]}: {strange[0][1]}); nothing was loaded.")
        if id:
            self.set_note(HOME_ID, id)
        self.set_note(LOADED, os.urandom(4).hex())

    def problems(self) -> list[str]:
        """Return what SQLite's integrity check finds wrong; nothing for a sound file."""
        return [row[0] for row in self._all("PRAGMA integrity_check(5)") if row[0] != "ok"]


def _rows_of(table: str, db: sqlite3.Connection) -> list[dict[str, Any]]:
    from sqlite_utils import Database  # takes time to import

    rows = Database(db, execute_plugins=False, recursive_triggers=False).table(table)
    return list(rows.rows_where(order_by="rowid"))
