"""Claude Code's transcripts: a file of JSON lines for each session, in a folder for each project.

A line is one block of a message, an attachment, or a note of the program's own. Text the program added (`isMeta`), the
sessions of subagents (`isSidechain`), tool results and summaries are left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from ..brain.history import Message
from .speech import PUT_IN, Record, dated, inner, said, without, word

NAME = "claude-code"
SUMMARY = "summary"
TITLES = {SUMMARY: SUMMARY, "ai-title": "aiTitle", "custom-title": "customTitle"}  # the last kind counts most
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
_TAGS = (
    *PUT_IN, "command-name", "command-message", "command-args", "command-contents", "local-command-stdout",
    "local-command-stderr", "local-command-caveat", "bash-input", "bash-stdout", "bash-stderr", "task-notification",
    "user-prompt-submit-hook",
)  # fmt: skip


def places(environ: Mapping[str, str], user: Path) -> list[Path]:
    """Return the folder where Claude Code stores its transcripts."""
    return [Path(environ.get("CLAUDE_CONFIG_DIR") or user / ".claude") / "projects"]


def recognises(record: Record) -> bool:
    """Tell whether a record is from a transcript of Claude Code."""
    return "sessionId" in record and "type" in record and "kind" not in record


def messages(records: Iterable[Record], name: str) -> list[Message]:
    """Return the messages of user and assistant in these records; `name` stands for a missing session id."""
    found: list[Message] = []
    titles: dict[tuple[str, str], str] = {}
    summaries: list[tuple[str, str, str]] = []
    seen, last = set[str](), ""
    for record in records:
        kind, session = word(record.get("type")), word(record.get("sessionId")) or name
        seen.add(word(record.get("uuid")))
        last = dated(record.get("timestamp"), last)
        if kind == SUMMARY:
            summaries.append((session, word(record.get("leafUuid")), word(record.get(kind))))
        elif kind in TITLES:
            titles[session, kind] = word(record.get(TITLES[kind]))
        elif kind in ("user", "assistant") and (text := _text(record)):
            key = word(record.get("uuid"))
            found.append(Message(session, kind, text, last, NAME, key))
    # a summary may stand before the messages it is of, and a file holds those of other conversations, too
    titles |= {(session, SUMMARY): text for session, leaf, text in summaries if leaf in seen}
    return [replace(message, title=_title(titles, message.conversation)) for message in found]


def _text(record: Record) -> str:
    """Return the text of a record's message, or '' where the program wrote it."""
    message = inner(record, "message")
    if any(record.get(mark) for mark in _NOT_SAID) or message.get("model") == "<synthetic>":
        return ""
    text = said(message.get("content"))
    if message.get("role") == "user":
        text = without(text, _TAGS)
        if text.startswith(("[Request interrupted by user", "Caveat: The messages below were generated")):
            return ""
    return text


def _title(titles: Mapping[tuple[str, str], str], session: str) -> str:
    known = (titles.get((session, kind), "") for kind in reversed(TITLES))
    return next(filter(None, known), "")
