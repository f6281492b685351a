"""Gemini CLI's transcripts: a file for each session, of JSON lines in newer versions and one JSON value in older ones.

A message may occur several times in a file, each time with more of its text; `$set` changes the data of the session.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..brain.history import Message
from .speech import Record, dated, inner, without, word

NAME = "gemini"
_ROLES = {"user": "user", "gemini": "assistant"}
_TAGS = ("session_context", "hook_context", "untrusted_context")


def places(environ: Mapping[str, str], user: Path) -> list[Path]:
    """Return the folder where Gemini CLI stores its transcripts."""
    return [Path(environ.get("GEMINI_CLI_HOME") or user) / ".gemini" / "tmp"]


def recognises(record: Record) -> bool:
    """Tell whether a record is from a transcript of Gemini CLI."""
    return "sessionId" in record and ("projectHash" in record or "messages" in record)


def messages(records: Iterable[Record], name: str) -> list[Message]:
    """Return the messages in these records, none for a subagent's session; `name` stands for a missing session id."""
    found: dict[str, Message] = {}
    session, title, last = "", "", ""
    for record in records:
        known = inner(record, "$set") or record
        if record.get("kind") == "subagent":
            return []
        session = session or word(known.get("sessionId"))
        title = word(known.get("summary")) or title
        last = dated(known.get("startTime"), last)
        for each in _within(record, known):
            last = dated(each.get("timestamp"), last)
            role, text = _ROLES.get(word(each.get("type")), ""), _text(each)
            if role and text:
                key = word(each.get("id")) or str(len(found))
                found[key] = Message(session or name, role, text, last, NAME, word(each.get("id")))
    return [replace(message, title=title) for message in found.values()]


def _within(record: Record, known: Record) -> Iterator[Record]:
    several = known.get("messages")
    for each in several if isinstance(several, list) else [record]:
        if isinstance(each, Mapping) and "type" in each:
            yield each


def _text(message: Record) -> str:
    """Return the text of a message; the user's is the text as it was typed, before the program added to it."""
    content = message.get("displayContent") or message.get("content")
    parts: list[Any] = content if isinstance(content, list) else [content]
    texts = [part if isinstance(part, str) else _part(part) for part in parts]
    return "\n\n".join(filter(None, (without(text, _TAGS) for text in texts)))


def _part(part: Any) -> str:
    return word(part.get("text")) if isinstance(part, Mapping) and not part.get("thought") else ""
