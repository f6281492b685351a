"""The messages of conversations: kept beside the memories, found by words and dates, and never memories themselves.

Keys and passwords are redacted before storing, whatever STRATEGY.md says of memories: nobody meant to store them.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from .. import redaction
from ..errors import Invalid
from ..memory import markdown
from ..memory.model import moment, shown, stamp
from ..storage.conversations import MessageRow
from .quotes import Quotes, without

if TYPE_CHECKING:
    from . import Brain

LONGEST = 100_000  # characters of one message
LONGEST_TITLE = 80  # characters of a title that is made from a message
_MARKS = re.compile(rf"^\s*(?:#{{1,6}}\s+|>\s*|{markdown.MARKER})+")
BATCH = 500
_ALL = 2**62


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation."""

    conversation: str
    role: str
    content: str
    created: str  # '2026-02-25T10:00:00Z'; '' when nobody knows
    source: str = ""
    key: str = ""  # identifies a message that is added again; '' when there is none
    title: str = ""  # of the conversation, where it has one
    id: int = 0


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation, with the dates of its first and last message and its number of messages."""

    id: str
    source: str
    title: str
    begun: str
    ended: str
    messages: int


class History:
    """The conversations of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def add(self, messages: Iterable[Message], tell: Callable[[Sequence[MessageRow]], None] = lambda _: None) -> int:
        """Add messages and return how many were new; `tell` gets the new ones, without secrets.

        They are added in batches: a process that is killed leaves whole batches, and the next run adds the rest.
        """
        self.brain.may_write()
        rows, added = self._rows(messages), 0
        while batch := list(islice(rows, BATCH)):
            known = self.brain.records.known(batch)  # those need not be searched for secrets again
            fresh = [row._replace(content=_kept(row.content)) for row in batch if known.get(row[:3]) != row.size]
            self._say_redacted(batch, fresh)
            titles = {row[:2]: row.title for row in batch if row.title}
            added += self.brain.records.add(fresh, titles)
            tell([row for row in fresh if row[:3] not in known])
        return added

    def _say_redacted(self, batch: Sequence[MessageRow], fresh: Sequence[MessageRow]) -> None:
        """Warn of secrets that were redacted, where STRATEGY.md says to refuse them: messages are never refused."""
        if self.brain.policy.settings().safety.secrets == "refuse":
            texts = {row[:3]: row.content for row in batch}
            if any(kinds := [redaction.kinds(texts[row[:3]]) for row in fresh]):
                found = ", ".join(dict.fromkeys(kind for each in kinds for kind in each.split(", ") if kind))
                self.brain.warn(f"messages held a secret ({found}): [redacted: …] stands in its place.")

    def unknown(self, messages: Iterable[Message]) -> int:
        """Return how many of these messages `add` would add."""
        rows, found = self._rows(messages), 0
        unheard: set[tuple[str, str, str]] = set()
        while batch := list(islice(rows, BATCH)):
            fresh = {row[:3] for row in batch} - self.brain.records.known(batch).keys() - unheard
            unheard |= fresh
            found += len(fresh)
        return found

    def _rows(self, messages: Iterable[Message]) -> Iterator[MessageRow]:
        """Yield the rows of messages that are not empty.

        The key of a message without one is made of its text, role and date, and its number among equal ones.
        """
        now, seen = stamp(self.brain.clock()), Counter[str]()
        for message in messages:
            if not message.content.strip():
                continue
            key = message.key
            if not key:
                like = _digest(message.conversation, message.created, message.role, message.content)
                seen[like] += 1
                key = f"{like}-{seen[like]}"
            yield MessageRow(
                _clean(message.conversation), _text(message.source), _text(key), _clean(message.role),
                message.content, _stamped(message.created) or now, _kept(message.title), len(message.content),
            )  # fmt: skip

    def search(
        self,
        query: str = "",
        *,
        since: str = "",
        until: str = "",
        conversation: str = "",
        limit: int = 10,
        parts: bool = False,
    ) -> list[Message]:
        """Return messages with every word of the query, newest first; `since` and `until` are UTC days, inclusive.

        With `parts`, what stands between spaces in the query must stand in the message as it is, in any case and within
        words too.
        """
        begin, end = day("since", since), day("until", until)
        rows = self.brain.records.messages(
            _text(query), begin, end and f"{end}T23:59:59Z", _clean(conversation), max(1, limit), parts=parts
        )
        return [
            Message(row.conversation, row.role, row.content, row.created_at, row.source, row.key, row.title, row.id)
            for row in rows
        ]

    def conversations(self) -> list[Conversation]:
        """Return the conversations, newest first. One without a title is called after its first question."""
        return [
            Conversation(id, source, title or _title(opening), begun, ended, count)
            for id, source, title, begun, ended, count, opening in self.brain.records.conversations()
        ]

    def count(self) -> int:
        """Return the number of messages."""
        return self.brain.records.count()

    def quoting(self, quotes: Quotes) -> list[MessageRow]:
        """Return the messages that quote a memory, as they are without that."""
        found = []
        for conversation in dict.fromkeys(each.id for each in self.conversations()):
            for row in self.brain.records.messages("", "", "", conversation, _ALL):
                content, title = (without(quotes.quoted(text), text) for text in (row.content, row.title))
                if (content, title) != (row.content, row.title):
                    found.append(row._replace(content=content, title=title))
        return found

    def reword(self, rows: Sequence[MessageRow]) -> None:
        """Replace the texts of messages for good."""
        if rows:
            self.brain.may_write()
            self.brain.records.reword(rows)

    def forget(self, conversation: str) -> int:
        """Delete a conversation for good; return how many messages it had."""
        self.brain.may_write()
        return self.brain.records.forget(_clean(conversation))


def _title(opening: str) -> str:
    """Return the first line of a text that says something, on one line, as a title: no code, no marks before it."""
    lines = (markdown.one_line(_MARKS.sub("", line)) for line in markdown.prose(opening.splitlines()))
    line = next((line for line in lines if any(map(str.isalnum, line))), markdown.one_line(opening))
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1]}…"


def day(what: str, text: str) -> str:
    """Return a day as YYYY-MM-DD, or '' for an empty text. Raises Invalid, naming the parameter `what`."""
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise Invalid(f"'{what}' must be a day like 2026-02-25, not {shown(text)}.") from None


def _stamped(created: str) -> str:
    try:
        return stamp(moment(created)) if created else ""
    except (ValueError, OverflowError):
        raise Invalid(f"a message's date must be like 2026-02-25T10:00:00Z, not {shown(created)}.") from None


def _kept(content: str) -> str:
    """Return a text as it is stored: secrets redacted, and cut off after LONGEST characters."""
    text = redaction.redacted(_text(content))
    over = len(text) - LONGEST
    return f"{text[:LONGEST]}\n[… {over} more characters were not kept]" if over > 0 else text


def _clean(words: str) -> str:
    """Return a short text, such as a role, with secrets redacted."""
    return redaction.redacted(_text(words))


def _text(words: str) -> str:
    """Return a text with lone surrogates replaced, which a database cannot hold."""
    return words if words.isascii() else words.encode(errors="replace").decode()


def _digest(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode(errors="replace")).hexdigest()[:32]
