"""Codex's transcripts: a file of JSON lines for each session, in folders by date.

The `response_item` lines hold what was sent to the model and what it answered. Some of the user's items were written by
the program; newer versions mark them part by part, in older ones they are recognised by their tags.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..brain.history import Message
from .speech import Record, dated, inner, said, word

NAME = "codex"
_SPOKEN = {"user": ("input_text",), "assistant": ("output_text",)}
_PUT_IN = (
    "<environment_context>", "<user_instructions>", "<permissions instructions>", "<turn_aborted>", "<skill>",
    "<subagent_notification>", "<user_shell_command>", "# AGENTS.md instructions for ",
)  # fmt: skip


def places(environ: Mapping[str, str], user: Path) -> list[Path]:
    """Return the folders where Codex stores its transcripts."""
    root = Path(environ.get("CODEX_HOME") or user / ".codex")
    return [root / "sessions", root / "archived_sessions"]


def recognises(record: Record) -> bool:
    """Tell whether a record is from a transcript of Codex."""
    return record.get("type") == "session_meta" and "payload" in record


def messages(records: Iterable[Record], name: str) -> list[Message]:
    """Return the messages in these records, none for a subagent's session; `name` stands for a missing session id."""
    found: list[Message] = []
    session, title, last = "", "", ""
    for record in records:
        payload, last = inner(record, "payload"), dated(record.get("timestamp"), last)
        kind = record.get("type")
        if kind == "session_meta" and not session:  # a forked session repeats its parent's records after its own
            session = word(payload.get("id")) or name
            if "subagent" in inner(payload, "source"):
                return []  # its user is an agent, not a person
        elif kind == "event_msg" and payload.get("type") == "thread_name_updated":
            title = word(payload.get("thread_name")) or title
        elif kind == "response_item" and payload.get("type") == "message":
            role = word(payload.get("role"))
            if text := _text(role, payload):
                found.append(Message(session or name, role, text, last, NAME))
    return [replace(message, title=title) for message in found]


def _text(role: str, payload: Record) -> str:
    parts = payload.get("content")
    if role == "user" and isinstance(parts, list):
        parts = [part for part, kind in zip(parts, _kinds(payload, len(parts)), strict=True) if _by_user(part, kind)]
    return said(parts, _SPOKEN.get(role, ()))


def _kinds(payload: Record, count: int) -> list[Any]:
    """Return the kinds the program gives to the parts of a message, or a None for each part."""
    kinds = inner(payload, "internal_chat_message_metadata_passthrough").get("content_item_kinds")
    return kinds if isinstance(kinds, list) and len(kinds) == count else [None] * count


def _by_user(part: Any, kind: Any) -> bool:
    """Tell whether the user wrote a part, by its kind or, without one, by how it begins."""
    if isinstance(kind, str) and kind != "unknown":
        return kind.startswith("user.")
    return not (isinstance(part, dict) and word(part.get("text")).lstrip().startswith(_PUT_IN))
