"""The titles of memories that were stored without one: how their texts begin.

The header holds such a title as well, for people and other programs. A person who edits a text, or takes an earlier one
back, does not change the header; so a title there counts only where it was given, and not made from another text.
"""

from typing import TYPE_CHECKING

from ...memory.model import Memory
from ...memory.text import content_of
from ..shared.titles import file_stem, title

if TYPE_CHECKING:
    from ...brain import Brain

_LONGEST = 80


def heading(content: str) -> str:
    """Return how a text begins, as a title."""
    first = next((line.strip("# \t") for line in content.splitlines() if line.strip("# \t")), "")
    return first if len(first) <= _LONGEST else f"{first[: _LONGEST - 1]}…"


def called(brain: "Brain", memory: Memory) -> str:
    """Return the title of a memory: what it was called, or how its text begins if the title was made from a text."""
    return heading(memory.content) if was_made(brain, memory) else title(memory)


def was_made(brain: "Brain", memory: Memory) -> bool:
    """Tell whether the title in a header was made from the text: this one, the first one, or one in the history."""
    own = memory.extra.get("title")
    if not isinstance(own, str) or not heading(memory.content):
        return False
    if own == heading(memory.content):
        return True
    if "memory_type" not in memory.extra or "uid" not in memory.extra or "origin" in memory.extra:
        return False  # nothing that these tools stored
    if memory.name.startswith(f"{file_stem(own)}-{str(memory.extra['uid'])[:8]}"):
        return True
    return any(heading(content_of(text.encode())) == own for _, text in brain.owner.old_texts(memory.id))
