"""All that a home keeps on the disk: memory files, the ledger, the turn log, the index, conversations, and their lock.

`Storage` is the door of this package: the brain reaches all of it through one. The memory files and the ledger exist
nowhere else; the index is made from the files. CONTRIBUTING says what another storage would have to offer.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from .files import MemoryFiles
from .folders import DOT_FOLDER, make_dot_folder
from .index import Index
from .ledger import Ledger
from .lock import Lock
from .patience import attempt, hurry
from .turn_log import TurnLog

if TYPE_CHECKING:
    from .conversations import Records
    from .plain_files import PlainFolder


class Storage:
    """All that one home keeps: its memory files, ledger, turn log, index and conversations, and the lock on them."""

    def __init__(
        self, home: Path, clock: Callable[[], datetime], *, read_only: bool, make: bool, at: Callable[[str], None]
    ) -> None:
        """`make` makes the folders that are missing. Raises OSError where the home cannot be written."""
        self.folder = home / DOT_FOLDER
        self.read_only = read_only
        if make and not read_only:
            make_dot_folder(home, "tmp", "history", "backups")
        self._lock = Lock(self.folder)
        self.turns = TurnLog(self.folder)
        self.ledger = Ledger(self.folder, clock, read_only=read_only, at=at, locked=self._lock.held)
        self.files = MemoryFiles(home, at, clock, self.ledger)
        self.index = Index(self.folder, read_only=read_only)
        self._clock, self._at = clock, at
        self._records: Records | None = None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store's lock; the same thread may take it again. Raises Busy when it is not free in time.

        An operation that gives way begins when it has the lock and nobody else holds the ledger. What is done in a
        hurry beside it (opening the home, noting what waits) is no beginning.
        """
        with self._lock.held():
            if (trying := attempt()) is not None and hurry() is None:
                self.ledger.wait_until_free()
                trying.begun = True
            yield

    def plain_folder(self, folder: str, hint: str = "", clean: Callable[[str], str] = str) -> "PlainFolder":
        """Return a folder of the home for plain files.

        `hint` tells, in errors, how to list them; `clean` returns a text as it may be written, or refuses it.
        """
        from .plain_files import PlainFolder  # few sessions keep plain files

        return PlainFolder(self.folder.parent, self._at, self._clock, folder, hint, clean)

    def open_records(self, warn: Callable[[str], None]) -> "Records":
        """Open the conversations and the audit log; `warn` gets each warning about them."""
        from .conversations import Records  # most sessions need neither conversations nor the audit log

        self._records = Records(self.folder, self._clock, warn, self.locked, read_only=self.read_only, at=self._at)
        return self._records

    def close(self) -> None:
        if self._records:
            self._records.close()
        self.index.close()
        self.ledger.close()
