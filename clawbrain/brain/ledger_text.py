"""The ledger as text, a line of JSON for each row, for moving it to another machine together with the files."""

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import Refused

if TYPE_CHECKING:
    from . import Brain


class LedgerText:
    """The dump and the load of one home's ledger."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def dump(self) -> Iterator[str]:
        """Yield the ledger's rows, a line of JSON for each."""
        for table, row in self.brain.ledger.rows():
            yield json.dumps({"table": table, **row}, ensure_ascii=False, sort_keys=True, default=_decoded)

    def load(self, lines: Iterable[str], *, replace: bool = False) -> int:
        """Replace the ledger by a dumped one, after a backup, and return its number of rows.

        Raises Refused for a line that is no row and, without `replace`, where this ledger has scored anything.
        """
        brain = self.brain
        brain.may_write()
        rows = [_row(number, line) for number, line in enumerate(lines, 1) if line.strip()]
        if any(event.signal_id for event, _ in brain.ledger.events()) and not replace:
            raise Refused("this ledger has learned something of its own; --replace puts the dump in its place.")
        with brain.storage.locked():
            brain.ledger.backup()
            with brain.bookkeeping.deciding():
                brain.ledger.load(rows)
            brain.ledger.forget_balance()
        brain.syncing.changed = True
        return len(rows)


def _decoded(value: bytes) -> str:
    """Return bytes as text: a text in which a bit has flipped may be read as bytes."""
    return value.decode(errors="replace")


def _row(number: int, line: str) -> tuple[str, dict[str, Any]]:
    try:
        row = json.loads(line)
        return row.pop("table"), row
    except (ValueError, KeyError, AttributeError, TypeError):
        raise Refused(f"line {number} is no row of a dumped ledger; nothing was loaded.") from None
