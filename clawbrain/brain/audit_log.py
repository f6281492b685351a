"""The audit log: a row with arguments and result for each call of a tool, where a server is told to keep them.

Keys and passwords are redacted; of a value that is too long for a row only the size is kept.
"""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import redaction
from ..errors import Invalid
from ..memory.model import stamp
from ..storage.conversations import AuditRow
from .history import day

if TYPE_CHECKING:
    from . import Brain

LIMIT = 4096  # bytes


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
                stamp(brain.clock()), brain.session, profile, redaction.redacted(_text(tool))[:200],
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

    def forget(self, before: str) -> int:
        """Delete the calls before a UTC day for good; return how many there were. Raises Invalid for no day."""
        self.brain.may_write()
        if not before:
            raise Invalid("'before' must be a day like 2026-02-25.")
        return self.brain.records.forget_calls(day("before", before))


def _kept(value: Any) -> str:
    """Return a value as JSON with secrets redacted, or only its size where it is too long for a row."""
    size = len(_json(value).encode())
    if size <= LIMIT:
        text = _json(redaction.redacted_value(value))
        if len(text.encode()) <= LIMIT:
            return text
    return _json({"_truncated": True, "_original_size": size, "_limit": LIMIT})


def _json(value: Any) -> str:
    return _text(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def _text(words: str) -> str:
    """Return a text with lone surrogates replaced, which a database cannot hold."""
    return words.encode(errors="replace").decode()


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:  # a bit has flipped: the text itself is returned
        return text
