"""The questions of one patrol to the model that the environment names, if any: asked one by one, and each may fail.

Asking takes long and needs no brain. So a question is handed out as work for whoever runs the patrol, who does it
where nobody waits for it, and gives back what it returned.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Generator

    from ...llm import LanguageModel
    from .. import Work
    from .questions import ModelQuestion

PATIENCE = 50.0  # seconds for all questions of a patrol: many clients give a call up after a minute
SCENES, CROWDS, SPLITS, DIARY = "scenes told by it", "merged scenes told by it", "finer themes", "diary"
STEPS = (SCENES, CROWDS, SPLITS, DIARY)
GIVEN_UP = "the call was given up, or the server was told to end"


class Asking:
    """The questions of one patrol: asks them within its time, and keeps which steps were skipped, and why."""

    def __init__(self, model: LanguageModel | None = None) -> None:
        """Without a model it is the one of the environment."""
        self._model, self._why_not = (model, "") if model else _of_environment()
        self._until = time.monotonic() + PATIENCE
        self._skipped: dict[str, str] = {}  # by step, why

    @property
    def can_ask(self) -> bool:
        """Tell whether there is a model, and time left to ask it."""
        return not self._why_not

    def ask(self, step: str, question: ModelQuestion) -> Generator[Work, Any, dict[str, Any] | None]:
        """Return what the model answers, or None where that step is skipped."""
        left = self._until - time.monotonic()
        if self._model and not self._why_not and left <= 0:
            self._why_not = f"the {PATIENCE:g} seconds for all questions of a patrol were over"
        if self._model is None or self._why_not:
            self.skip(step, self._why_not)
            return None
        answer = yield partial(_answer, self._model, question, left)
        if answer is None:
            self._why_not = answer = GIVEN_UP
        if isinstance(answer, str):
            self.skip(step, answer)
            return None
        found: dict[str, Any] = answer
        return found

    def skip(self, step: str, reason: str) -> None:
        """Note why a step was skipped, or a part of it; the first reason is the one that is told."""
        self._skipped.setdefault(step, reason)

    def told(self) -> str:
        """Return a sentence on what was skipped, or ''."""
        if self._model is None:
            return f"Skipped, because no model can be asked ({self._why_not}): {', '.join(STEPS)}."
        return f"Skipped: {'; '.join(self._reasons())}." if self._skipped else ""

    def _reasons(self) -> Iterator[str]:
        for reason in dict.fromkeys(self._skipped.values()):
            yield f"{', '.join(step for step, why in self._skipped.items() if why == reason)} ({reason})"


def _of_environment() -> tuple[LanguageModel | None, str]:
    """Return the model that the environment names, or why there is none."""
    if not os.environ.get("CLAWBRAIN_LLM_URL", "").strip():
        return None, "CLAWBRAIN_LLM_URL is not set"
    from ... import llm  # only who names a model needs what asks it
    from ...outgoing import Unavailable

    try:
        return llm.from_environment(os.environ), ""
    except Unavailable as reason:
        return None, str(reason)


def _answer(model: LanguageModel, question: ModelQuestion, left: float) -> dict[str, Any] | str:
    """Return the object that a model answers, or why there is none. It does not raise: nobody is there to catch it."""
    from ...outgoing import Unavailable

    try:
        return model.ask(*question, timeout=left)
    except Unavailable as reason:
        return str(reason)
