"""Checkpoints: numbered notes of where somebody stopped, the next steps and the open files. The newest counts."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...memory.model import Memory
from ..shared.titles import Titles
from .texts import CHECKPOINT, checkpoint_number, checkpoint_written

if TYPE_CHECKING:
    from ...brain import Brain

_COUNTER = "checkpoints"


class Checkpoints:
    """The checkpoints of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)

    def save(self, summary: str, next_steps: str = "", open_files: Sequence[str] = ()) -> Memory:
        """Store the next checkpoint and return it."""
        brain = self.brain
        brain.may_write()
        brain.sync()
        with brain.locked():
            number = self._next()
            text = checkpoint_written(number, summary, next_steps, open_files)
            title = f"Checkpoint {number}"
            return self.titles.put("episode", title, text, name=f"checkpoint-{number}", extra={"kind": CHECKPOINT})

    def _next(self) -> int:
        """Return the next number. No number is used twice, even if a checkpoint's file or the ledger is lost."""
        there = [checkpoint_number(memory) for memory in self.all()]
        number = 1 + max([int(self.brain.kept_note(_COUNTER) or 0), *there])
        with self.brain.deciding():
            self.brain.keep_note(_COUNTER, str(number))
        return number

    def all(self) -> list[Memory]:
        """Return all checkpoints, oldest first."""
        return self.brain.in_order(self.brain.listed.having("kind", CHECKPOINT))

    def newest(self) -> Memory | None:
        """Return the checkpoint with the highest number, or None."""
        self.brain.sync()
        return max(self.all(), key=checkpoint_number, default=None)
