"""What the transcripts of all programs have in common: texts in parts, dates, and blocks that a program put in.

Programs change what they write. So nothing here trusts a shape: what is not as expected is no text and no date.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from ..memory.model import moment, stamp

Record = Mapping[str, Any]
PUT_IN = ("system-reminder",)


def said(content: Any, kinds: Collection[str] = ("text",)) -> str:
    """The text of a message: a string, or a list of parts of which those of these kinds are text."""
    if isinstance(content, str):
        return content.strip()
    parts = content if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and part.get("type") in kinds and _has_text(part)]
    return "\n\n".join(text.strip() for text in texts if text.strip())


def _has_text(part: Record) -> bool:
    return isinstance(part.get("text"), str)


def without(text: str, tags: Collection[str]) -> str:
    """A text without the blocks `<tag>…</tag>` that its program wrote into it."""
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
    """A date as a program writes it, in words or in milliseconds; `otherwise` for anything else."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return stamp(datetime.fromtimestamp(value / 1000, UTC))
        moment(value)
    except (ValueError, TypeError, OverflowError, OSError):
        return otherwise
    return str(value)


def word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def inner(record: Any, key: str) -> Record:
    """A record within a record; an empty one where there is none."""
    found = record.get(key) if isinstance(record, Mapping) else None
    return found if isinstance(found, Mapping) else {}
