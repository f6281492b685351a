"""Recalls: which memories were handed to an agent, by which program, where, and what came of it."""

import re
from typing import NamedTuple

SESSION_START, PROMPT, SEARCH, RETRIEVE = "session-start", "prompt", "search", "retrieve"
_NAMED_OTHERWISE = {
    "claude-ai": "claude-desktop",
    "claude-code": "claude",
    "visual-studio-code": "vscode",
    "github-copilot": "copilot",
}
_PROGRAMS = (
    "claude-desktop", "claude", "opencode", "codex", "gemini", "cursor", "vscode", "antigravity", "windsurf", "zed",
    "cline", "copilot", "goose", "kiro",
)  # fmt: skip


class Origin(NamedTuple):
    """The origin of a recall: the program, the folder it works in, the hook or search, and the program's own id of
    its session. Empty for a person's own search, which is no recall."""

    client: str = ""
    folder: str = ""
    event: str = ""
    program_session: str = ""


NOWHERE = Origin()


class Recall(NamedTuple):
    """One recall: what was handed over, which of it the agent opened, and the signal that followed (None for none)."""

    seq: int
    at: str
    client: str
    folder: str
    event: str
    session: str
    program_session: str
    ids: list[str]
    opened: list[str]
    outcome: str | None

    @property
    def project(self) -> str:
        return self.folder.rstrip("/").rpartition("/")[2]


class HeardPrompt(NamedTuple):
    """A prompt: its time, the ids of the memories it was about, and those of them that were handed over for it; the
    agent had the others from an earlier prompt."""

    at: str
    about: list[str]
    handed: list[str]


def program_named(name: str) -> str:
    """Return the short name of the program that calls itself this: 'gemini-cli-mcp-client' -> 'gemini'."""
    word = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return next(
        (short for long, short in _NAMED_OTHERWISE.items() if word.startswith(long)),
        next((program for program in _PROGRAMS if program in word), word),
    )
