"""The file memory/MEMORY.md: the digest of all memories, which an agent may read before it asks anything."""

from typing import TYPE_CHECKING

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

        brain = self.brain
        brain.sync()
        return render(brain.briefings.everything(), brain.policy.settings(), brain.briefings.now())

    def write(self) -> None:
        """Write the digest to MEMORY.md."""
        self.brain.may_write()
        text = self.text()
        with self.brain.storage.locked():
            self.brain.files.write_plain(DIGEST, text.encode())
