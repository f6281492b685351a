"""What the shipped sets of tools declare of their memories: kinds, and header keys that hold a further name of one.

Each declares it as data, in a file `nouns.json`, and every brain reads all of them, whichever tools are served. Nothing
of a set of tools is imported for it.
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

    Every such name begins in the same way, and its last letters are also the last of the file's name when it is made.
    """

    key: str
    begins: str
    ending: int


class Declared(NamedTuple):
    kinds: Kinds
    aliases: tuple[Alias, ...]

    def aliases_for(self, reference: str) -> Iterator[Alias]:
        """Return the aliases that a reference may be."""
        return (alias for alias in self.aliases if reference.startswith(alias.begins))


@cache
def declared() -> Declared:
    """Return all that is declared, read once in a process."""
    return read(FOLDER)


def read(folder: Path) -> Declared:
    """Return what the packages in a folder declare. A kind that several declare allows what all of them allow."""
    kinds: dict[str, frozenset[str]] = {}
    aliases: list[Alias] = []
    for file in sorted(folder.glob(f"*/{FILE}")):
        said: dict[str, Any] = json.loads(file.read_text("utf-8"))
        for kind, allowed in said.get("kinds", {}).items():
            kinds[kind] = kinds.get(kind, frozenset(allowed)) & frozenset(allowed)
        aliases += [Alias(**each) for each in said.get("aliases", ())]
    return Declared(Kinds(kinds), tuple(aliases))
