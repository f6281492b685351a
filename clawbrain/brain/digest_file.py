"""The file memory/MEMORY.md: the digest of all memories, which an agent may read before it asks anything."""

from pathlib import Path
from typing import TYPE_CHECKING

from ..memory.model import stamp
from ..storage.folders import MEMORY

if TYPE_CHECKING:
    from . import Brain

DIGEST = f"{MEMORY}/MEMORY.md"


class DigestFile:
    """MEMORY.md of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def text(self) -> str:
        """Return the digest, rendered from the memories as they are now."""
        from ..digest import render  # few sessions ask for it

        brain, strategy = self.brain, self.brain.policy.settings()
        brain.sync()
        now = stamp(brain.clock())
        return render(brain.index.memories(), brain.scores.credits(None, now, strategy.decay), strategy, now)

    def written(self) -> str:
        """Return the digest as it was last written to MEMORY.md, or '' when there is none."""
        try:
            return self.brain.files.read(Path(DIGEST).name)[0].decode(errors="replace")
        except FileNotFoundError:
            return ""

    def write(self) -> None:
        """Write the digest to MEMORY.md."""
        self.brain.may_write()
        text = self.text()
        with self.brain.storage.locked():
            self.brain.files.write_plain(DIGEST, text.encode())
