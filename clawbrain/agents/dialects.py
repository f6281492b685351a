"""The hook dialects of single programs: the input they send to a hook, and the answer they read from it.

Claude Code, Codex and Gemini CLI send `session_id`, `cwd` and `prompt`, and read `hookSpecificOutput`.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any


def heard(client: str, said: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a program sent under the names that the hooks read."""
    if client != "cursor":
        return said
    roots = said.get("workspace_roots")
    folder = roots[0] if isinstance(roots, list) and roots else None
    return {"session_id": said.get("conversation_id"), "cwd": folder, **said}


def _copilot(text: str) -> str:
    return json.dumps({"additionalContext": text} if text else {})


def _cursor(text: str) -> str:
    return json.dumps({"additional_context": text} if text else {})


def _kiro(text: str) -> str:
    return text  # what a hook prints there is what the model reads


ANSWERS: Mapping[str, Callable[[str], str]] = {"copilot": _copilot, "cursor": _cursor, "kiro": _kiro}
