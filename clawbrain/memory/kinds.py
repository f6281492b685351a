"""Kinds of memories, and what a compaction may do with the memories of each.

A memory without a kind is free. Of a kind only what is declared is allowed, so a kind that nobody declared is left
alone by every phase.
"""

from collections.abc import Collection, Mapping
from types import MappingProxyType

from .model import Memory

MERGED, PROMOTED, PRUNED = "merged", "promoted", "pruned"


class Kinds:
    """The declared kinds, each with the deeds that it allows."""

    def __init__(self, allowed: Mapping[str, Collection[str]] = MappingProxyType({})) -> None:
        self._allowed = allowed

    def allow(self, deed: str, memory: Memory) -> bool:
        """Tell whether a memory may be merged, promoted or pruned, as far as its kind is asked."""
        return not memory.kind or deed in self._allowed.get(memory.kind, ())
