"""Codex: a file of JSON lines for each session, in folders by date.

What went to the model and came from it are the `response_item` lines. Among those of the user are some that the
program wrote; newer versions say so of each part, older ones are told by their tags.
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
    root = Path(environ.get("CODEX_HOME") or user / ".codex")
    return [root / "sessions", root / "archived_sessions"]


def recognises(record: Record) -> bool:
    return record.get("type") == "session_meta" and "payload" in record


def messages(records: Iterable[Record], name: str) -> list[Message]:
    found: list[Message] = []
    session, title, last = "", "", ""
    for record in records:
        payload, last = inner(record, "payload"), dated(record.get("timestamp"), last)
        kind = record.get("type")
        if kind == "session_meta" and not session:  # a forked session goes on to quote its parent's
            session = word(payload.get("id")) or name
            if "subagent" in inner(payload, "source"):
                return []  # whose user is an agent
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
    """What the program says of each part; where it says nothing, nothing."""
    kinds = inner(payload, "internal_chat_message_metadata_passthrough").get("content_item_kinds")
    return kinds if isinstance(kinds, list) and len(kinds) == count else [None] * count


def _by_user(part: Any, kind: Any) -> bool:
    if isinstance(kind, str) and kind != "unknown":
        return kind.startswith("user.")
    return not (isinstance(part, dict) and word(part.get("text")).lstrip().startswith(_PUT_IN))
