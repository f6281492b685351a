"""The declarations of the shipped sets of tools: kinds of memories, and header keys that hold another name of one.

Each set declares them as data in a file `nouns.json`, and every brain reads all of these files, whichever tools are
served. No code of a set of tools is imported for it.
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..memory.kinds import Kinds

FOLDER = Path(__file__).parent.parent / "profiles"
FILE = "nouns.json"


class Alias(NamedTuple):
    """A header key whose value is another name of the memory.

    Every such name begins with `begins`, and its last `ending` characters are also the last of the new file's name.
    """

    key: str
    begins: str
    ending: int


class Declared(NamedTuple):
    """The kinds and aliases of all sets of tools."""

    kinds: Kinds
    aliases: tuple[Alias, ...]

    def aliases_for(self, reference: str) -> Iterator[Alias]:
        """Return the aliases whose names begin as this reference does."""
        return (alias for alias in self.aliases if reference.startswith(alias.begins))


@cache
def declared() -> Declared:
    """Return the declarations of all sets of tools, read once in a process."""
    return read(FOLDER)


def read(folder: Path) -> Declared:
    """Read the declarations of the packages in a folder. A kind that several declare allows what all of them allow."""
    kinds: dict[str, frozenset[str]] = {}
    aliases: list[Alias] = []
    for file in sorted(folder.glob(f"*/{FILE}")):
        said: dict[str, Any] = json.loads(file.read_text("utf-8"))
        for kind, allowed in said.get("kinds", {}).items():
            kinds[kind] = kinds.get(kind, frozenset(allowed)) & frozenset(allowed)
        aliases += [Alias(**each) for each in said.get("aliases", ())]
    return Declared(Kinds(kinds), tuple(aliases))
