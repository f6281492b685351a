"""The audit log: a row with arguments and result for each call of a tool, where a server is told to keep them.

Keys and passwords are redacted; of a value that is too long for a row the beginning and the size are kept.
"""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import redaction
from ..errors import Invalid
from ..memory.model import moment, shown, stamp, utc_now
from ..storage.conversations import AuditRow, Records, records_alone
from .history import day
from .quotes import INSTEAD, Quotes
from .secrets import TELLING, spelled

if TYPE_CHECKING:
    from . import Brain

LIMIT = 4096  # bytes
_LEAST = 6  # characters of a secret, in the spelling of a name, that are worth hiding
_ESCAPED = re.compile(r"\\(?:u[0-9a-f]{4}|.)")
_MEANT = {r"\n": "\n", r"\t": "\t", r"\r": "\r", r"\b": "\b", r"\f": "\f", r"\"": '"', "\\\\": "\\"}
_READ = 24 * 1024  # characters of a value that are searched for secrets, the longest of which has 20,000


class JsonText(str):
    """A value as JSON."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool in the audit log; who made it is known of those over a network.

    Of a call that is noted, arguments and result may be a `JsonText`.
    """

    created: str
    session: str
    profile: str
    tool: str
    arguments: Any
    result: Any
    success: bool
    duration_ms: int
    user: str = ""
    workspace: str = ""
    token: str = ""  # its id


class Audit:
    """The audit log of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def note(self, profile: str, tool: str, arguments: Any, result: Any, *, success: bool, duration_ms: int) -> None:
        """Add a call to the audit log."""
        brain = self.brain
        brain.may_write()
        created, session = stamp(brain.clock()), brain.session or ""
        call = Call(created, session, profile, tool, arguments, result, success, duration_ms)
        brain.records.note([_row(call)])

    def calls(
        self, *, since: str = "", tool: str = "", failed: bool = False, limit: int = 20, user: str = "",
        workspace: str = "",
    ) -> list[Call]:  # fmt: skip
        """Return the calls that fit, newest first; `since` is a day or a time in UTC, `failed` wants failed calls only.

        Raises Invalid for another `since`.
        """
        return _found(self.brain.records, since, tool, failed, limit, user, workspace)

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
        return self.brain.records.forget_calls(_before(before))


class HomeAudit:
    """The audit log of a home whose memories are not opened, and which may be written where they may only be read."""

    def __init__(
        self,
        home: Path,
        warn: Callable[[str], None],
        clock: Callable[[], datetime] = utc_now,
        *,
        read_only: bool = False,
    ) -> None:
        """Raises OSError where the home cannot be written."""
        self._records = records_alone(home, clock, warn, read_only=read_only)

    def close(self) -> None:
        self._records.close()

    def add(self, calls: Iterable[Call]) -> None:
        """Add calls in one transaction. Raises Busy or Broken."""
        self._records.note([_row(call) for call in calls])

    def calls(
        self, *, since: str = "", tool: str = "", failed: bool = False, limit: int = 20, user: str = "",
        workspace: str = "",
    ) -> list[Call]:  # fmt: skip
        """Return the calls that fit; see `Audit.calls`."""
        return _found(self._records, since, tool, failed, limit, user, workspace)

    def forget(self, before: str) -> int:
        """Delete the calls before a UTC day for good; see `Audit.forget`."""
        return self._records.forget_calls(_before(before))


def _found(records: Records, since: str, tool: str, failed: bool, limit: int, user: str, workspace: str) -> list[Call]:
    rows = records.audited(_since(since), tool, failed, max(1, limit), user, workspace)
    return [
        Call(
            row.created_at, row.session_id or "", row.profile, row.tool, _value(row.arguments), _value(row.result),
            row.success, row.duration_ms, row.user, row.workspace, row.token,
        )
        for row in rows
    ]  # fmt: skip


def _since(text: str) -> str:
    """Return a day or a time as rows have it. Raises Invalid for another text."""
    with suppress(ValueError, OverflowError):
        return stamp(moment(text)) if "T" in text else day("since", text)
    raise Invalid(f"'since' must be a day or a time like 2026-02-25T10:00:00Z, not {shown(text)}.")


def _before(text: str) -> str:
    if not text:
        raise Invalid("'before' must be a day like 2026-02-25.")
    return day("before", text)


def _row(call: Call) -> AuditRow:
    """Return a call as it is stored: secrets redacted, long values cut."""
    arguments = _kept(call.arguments)
    quoted = _spelled(call.arguments) if "[redacted: " in arguments else []
    return AuditRow(
        call.created, call.session or None, call.profile, _text(redaction.redacted(call.tool[:_READ])[:200]),
        arguments, _kept(call.result, quoted), call.success, call.duration_ms,
        _text(call.user), _text(call.workspace), call.token,
    )  # fmt: skip


def _spelled(arguments: Any) -> list[tuple[str, str]]:
    """Return the secrets of a call's arguments as a refusal may quote them, each with its kind."""
    text = _unescaped(arguments if isinstance(arguments, JsonText) else _json(arguments))[:_READ]
    return list(spelled([text]))


def _without(text: str, quoted: Iterable[tuple[str, str]]) -> str:
    """Return a text without these secrets, and without the beginning of one that was cut off."""
    for secret, kind in quoted:
        start = 0
        while len(secret) >= _LEAST and (start := text.find(secret[:TELLING], start)) >= 0:
            there, instead = text[start : start + len(secret)], f"[redacted: {kind}]"
            end = start + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(secret, there, strict=False)))
            text, start = f"{text[:start]}{instead}{text[end:]}", start + len(instead)
    return text


def _kept(value: Any, quoted: Sequence[tuple[str, str]] = ()) -> str:
    """Return a value as JSON with secrets redacted, also those that it quotes from the arguments, cut or spelled as a
    name; of one that is too long for a row, its beginning and its size.

    Most values hold no secret, and one look through the whole JSON says so: where nothing in it is one, no text in it
    is one by itself.
    """
    whole = value if isinstance(value, JsonText) else _json(value)
    size, text = len(whole.encode()), whole
    if size > _READ or redaction.find(_unescaped(whole)):
        value = json.loads(whole) if isinstance(value, JsonText) else value
        text = _json(redaction.redacted_value(value, _Room(_READ).cut))
    text = _without(text, quoted)
    if size <= LIMIT and len(text.encode()) <= LIMIT:
        return text
    beginning = text.encode()[:LIMIT].decode(errors="ignore")  # without half a character at its end
    return _json({"_text": beginning, "_truncated": True, "_original_size": size, "_limit": LIMIT})


def _unescaped(text: str) -> str:
    """Return JSON with the characters themselves for what stands for them."""
    return _ESCAPED.sub(_character, text) if "\\" in text else text


def _character(escaped: re.Match[str]) -> str:
    return _MEANT.get(escaped[0]) or chr(int(escaped[0][2:], 16))


def json_text(value: Any) -> JsonText:
    """Return a value as JSON, which a call may hold in its place: a text takes less to keep than what it is made of."""
    return JsonText(_json(value))


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    return _text(text)


def _text(words: str) -> str:
    """Return a text with lone surrogates replaced, which a database cannot hold."""
    return words if words.isascii() else words.encode(errors="replace").decode()


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
