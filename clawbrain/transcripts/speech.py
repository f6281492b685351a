"""Helpers for the transcripts of all programs: text in parts, dates, and blocks that a program added.

Programs change the form of their transcripts, so no form is taken for granted: an unexpected value is read as no text
or no date.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from ..memory.model import moment, stamp

Record = Mapping[str, Any]
PUT_IN = ("system-reminder",)


def said(content: Any, kinds: Collection[str] = ("text",)) -> str:
    """Return the text of a message: a string, or the parts of these kinds in a list."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and part.get("type") in kinds and _has_text(part)]
    return "\n\n".join(text.strip() for text in texts if text.strip())


def _has_text(part: Record) -> bool:
    return isinstance(part.get("text"), str)


def without(text: str, tags: Collection[str]) -> str:
    """Return a text without the blocks `<tag>…</tag>` that its program added."""
    for tag in tags:
        begin = text.find(f"<{tag}>")
        while begin >= 0:
            end = text.find(f"</{tag}>", begin)
            if end < 0:
                break
            text = text[:begin] + text[end + len(tag) + 3 :]
            begin = text.find(f"<{tag}>", begin)
    return text.strip()


def dated(value: Any, otherwise: str = "") -> str:
    """Return a date that is given as text or in milliseconds, or `otherwise` for anything else."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return stamp(datetime.fromtimestamp(value / 1000, UTC))
        moment(value)
    except (ValueError, TypeError, OverflowError, OSError):
        return otherwise
    return str(value)


def word(value: Any) -> str:
    """Return a string as it is, and '' for anything else."""
    return value if isinstance(value, str) else ""


def inner(record: Any, key: str) -> Record:
    """Return the record at a key of a record, or an empty one."""
    found = record.get(key) if isinstance(record, Mapping) else None
    return found if isinstance(found, Mapping) else {}
