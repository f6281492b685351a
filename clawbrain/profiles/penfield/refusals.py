"""Refusals in Penfield's form: an object with an error code."""

import json
from typing import Any

from ...errors import AlreadyExists, Archived, BadPath, Broken, Busy, Changed, ClawbrainError, Invalid, NotFound
from .. import Reply


def refused(tool: str, refusal: ClawbrainError) -> Reply:
    """Return a refusal in Penfield's form, with its error code."""
    return fault(in_form(sentence(refusal), code(tool, refusal), tool))


def in_form(sentence: str, code: str, operation: str) -> dict[str, Any]:
    """Return the object that tells a refusal."""
    return {"success": False, "error": sentence, "error_code": code, "operation": operation}


def sentence(refusal: ClawbrainError) -> str:
    """Return a refusal's sentence, and after it the current text where that is what was not read."""
    return f"{refusal} {refusal.current}" if isinstance(refusal, Changed) else str(refusal)


def code(tool: str, refusal: ClawbrainError) -> str:
    """Return Penfield's error code of a refusal by a tool."""
    if isinstance(refusal, NotFound | Archived):
        return "NOT_FOUND"
    if isinstance(refusal, Changed):
        return "CONFLICT"
    if isinstance(refusal, AlreadyExists):
        return "DUPLICATE_NAME" if tool == "save_context" else "ALREADY_EXISTS"
    if isinstance(refusal, Invalid):
        return "INVALID_PATH" if isinstance(refusal, BadPath) else "VALIDATION_ERROR"
    if isinstance(refusal, Busy):
        return "BUSY"
    return "INTERNAL_ERROR" if isinstance(refusal, Broken) else "FORBIDDEN"


def fault(answer: dict[str, Any]) -> Reply:
    """Return an object as the answer of a call that failed."""
    return Reply(json.dumps(answer, ensure_ascii=False, separators=(",", ":")), answer, fault=True)
