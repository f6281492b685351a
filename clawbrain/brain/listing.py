"""The memories as of the last scan of the files, for callers that have already brought the index up to date."""

from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

from ..memory import links, wikilinks
from ..memory.links import Edge
from ..memory.model import Memory
from ..storage.index import Index

R = TypeVar("R")


class Listing:
    """Lookups in the index that do not scan the files first."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def get(self, id: str) -> Memory | None:
        """Return the memory of exactly this id."""
        return self._index.get(id)

    def at(self, path: str) -> Memory | None:
        """Return the memory at a path below memory/."""
        return self._index.at(path)

    def several(self, ids: Collection[str]) -> dict[str, Memory]:
        """Return the memories of these ids, without ids that are not there."""
        return self._index.several(ids)

    def having(self, key: str, value: str | None = None) -> list[Memory]:
        """Return the memories whose header has a key (with just this value, if one is given), by id."""
        return self._index.having(key, value)

    def linking(self, targets: Collection[str]) -> list[Memory]:
        """Return the memories whose header links to one of these targets, ids or names in double brackets, by id."""
        return self._index.linking(links.KEY, targets)

    def memories(self, type: str | None = None) -> Iterator[Memory]:
        """Return every memory, or those of a type, by id."""
        return self._index.memories(type)

    def text_edges(self) -> list[Edge]:
        """Return the links in the texts of memories that lead to another memory."""

        def read() -> list[Edge]:
            linking = self._index.with_wikilinks()
            return wikilinks.edges(linking, wikilinks.LinkNames(self._index.memories())) if linking else []

        return self.remember("text edges", read)

    def remember(self, what: str, read: Callable[[], R]) -> R:
        """Return what `read` returns, kept under a name until anybody writes. The caller must not change it."""
        return self._index.remember(what, read)

    def ids(self) -> set[str]:
        """Return every id."""
        return self._index.ids()
