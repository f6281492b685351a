"""The audit log: a row with arguments and result for each call of a tool, where a server is told to keep them.

Keys and passwords are redacted; of a value that is too long for a row the beginning and the size are kept.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import redaction
from ..errors import Invalid
from ..memory.model import stamp
from ..storage.conversations import AuditRow
from .history import day
from .quotes import INSTEAD, Quotes

if TYPE_CHECKING:
    from . import Brain

LIMIT = 4096  # bytes
_READ = 64 * 1024  # characters of a value that are searched for secrets, where only its beginning is kept


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool in the audit log."""

    created: str
    session: str
    profile: str
    tool: str
    arguments: Any
    result: Any
    success: bool
    duration_ms: int


class Audit:
    """The audit log of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def note(self, profile: str, tool: str, arguments: Any, result: Any, *, success: bool, duration_ms: int) -> None:
        """Add a call to the audit log."""
        brain = self.brain
        brain.may_write()
        brain.records.note(
            AuditRow(
                stamp(brain.clock()), brain.session, profile, _text(redaction.redacted(tool[:_READ])[:200]),
                _kept(arguments), _kept(result), success, duration_ms,
            )
        )  # fmt: skip

    def calls(self, *, since: str = "", tool: str = "", failed: bool = False, limit: int = 20) -> list[Call]:
        """Return the calls that fit, newest first; `since` is a UTC day, `failed` wants failed calls only."""
        rows = self.brain.records.audited(day("since", since), tool, failed, max(1, limit))
        return [
            Call(
                row.created_at, row.session_id or "", row.profile, row.tool, _value(row.arguments), _value(row.result),
                row.success, row.duration_ms,
            )
            for row in rows
        ]  # fmt: skip

    def quoting(self, quotes: Quotes) -> list[int]:
        """Return the numbers of the calls that name or quote a memory."""
        return [number for number, text in self.brain.records.call_texts() if quotes.names_or_quotes(text)]

    def empty(self, numbers: Sequence[int]) -> None:
        """Delete the arguments and the results of calls for good; that they were made stays noted."""
        if numbers:
            self.brain.may_write()
            self.brain.records.empty_calls(numbers, _json(INSTEAD))

    def forget(self, before: str) -> int:
        """Delete the calls before a UTC day for good; return how many there were. Raises Invalid for no day."""
        self.brain.may_write()
        if not before:
            raise Invalid("'before' must be a day like 2026-02-25.")
        return self.brain.records.forget_calls(day("before", before))


def _kept(value: Any) -> str:
    """Return a value as JSON with secrets redacted; of one that is too long for a row, its beginning and its size."""
    size = len(_json(value).encode())
    text = _json(redaction.redacted_value(value, _Room(_READ).cut))
    if size <= LIMIT and len(text.encode()) <= LIMIT:
        return text
    beginning = text.encode()[:LIMIT].decode(errors="ignore")  # without half a character at its end
    return _json({"_text": beginning, "_truncated": True, "_original_size": size, "_limit": LIMIT})


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return _text(text)


def _text(words: str) -> str:
    """Return a text with lone surrogates replaced, which a database cannot hold."""
    return words.encode(errors="replace").decode()


class _Room:
    """The characters of a value that are still read; later texts are cut, which makes a huge value cheap."""

    def __init__(self, most: int) -> None:
        self._left = most

    def cut(self, text: str) -> str:
        kept = text[: self._left]
        self._left -= len(kept)
        return kept


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # a bit has flipped: the text itself is returned
        return text
