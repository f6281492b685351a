"""Looking memories up: one by its uid or id, or all of them, newest first."""

from typing import TYPE_CHECKING

from ...errors import Archived, NotFound
from ...memory.model import Memory
from ..shared.links import STUB
from ..shared.titles import Titles, title
from .types import type_of

if TYPE_CHECKING:
    from ...brain import Brain


def find(titles: Titles, reference: str) -> Memory:
    """Return the memory of a uid, an id or a path; raise Archived, or NotFound in Penfield's words."""
    try:
        return titles.find(reference)
    except Archived:
        raise
    except NotFound:
        raise NotFound("Memory not found") from None


def newest_first(brain: "Brain", type: str = "", pattern: str = "") -> list[Memory]:
    """Return the memories, newest first; with a type those of it, with a pattern those whose title contains it."""
    fitting = [
        memory
        for memory in brain.memories()
        if memory.kind != STUB
        and (not type or type_of(memory) == type)
        and pattern.casefold() in title(memory).casefold()
    ]
    return brain.in_order(fitting)[::-1]
