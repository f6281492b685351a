"""Keep links in texts right when a memory is moved: `[[old-name]]` in another memory becomes `[[new-name]]`.

Only links that led to the moved memory and would lead to it no longer are written anew, each memory by an edit like any
other: the text before it is in the history.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import ClawbrainError
from ..memory import wikilinks
from ..memory.model import Memory
from ..memory.wikilinks import LinkNames, Wikilink

if TYPE_CHECKING:
    from . import Brain


class Relinking:
    """The links to one memory, as they are before it moves."""

    def __init__(self, brain: "Brain", memory: Memory) -> None:
        self.brain, self.id = brain, memory.id
        linking = brain.index.with_wikilinks()
        self._before = LinkNames(brain.index.memories() if linking else ())
        self._linking = [
            other.id
            for other in linking
            if any(self._before.id_of(link.target) == self.id for link in wikilinks.in_text(other.content))
        ]

    def follow(self, moved: Memory) -> list[str]:
        """Write the links anew after the move and return the ids of the memories changed; warn where that fails."""
        after = LinkNames(self.brain.index.memories() if self._linking else ())

        def spelled(link: Wikilink) -> str | None:
            if self._before.id_of(link.target) != self.id or after.id_of(link.target) == self.id:
                return None
            path = moved.path.removesuffix(".md")
            short = path if "/" in link.target else moved.name
            return link.text(short if after.id_of(short) == self.id else path, link.label)

        def relinked(memory: Memory) -> Memory:
            return replace(memory, content=wikilinks.rewritten(memory.content, spelled))

        changed = []
        for id in self._linking:
            before = self.brain.index.get(id)
            try:
                if before and self.brain.writer.amend(id, relinked).content != before.content:
                    changed.append(id)
            except (ClawbrainError, OSError) as error:
                self.brain.warn(f"the links in '{id}' still have the old name ({str(error).rstrip('.')}).")
        return changed
