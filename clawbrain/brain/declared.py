"""The declarations of the shipped sets of tools: kinds of memories, and by what other names their callers know them.

Each set declares them as data in a file `nouns.json`, and every brain reads all of these files, whichever tools are
served. No code of a set of tools is imported for it.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..memory.kinds import Kinds
from ..memory.model import kebab

FOLDER = Path(__file__).parent.parent / "profiles"
FILE = "nouns.json"


class Alias(NamedTuple):
    """A header key whose value is another name of the memory.

    Every such name begins with `begins`, has `length` characters (0 for any number), and its last `ending` characters
    are also the last of the new file's name. Memories without the key are called by a uuid made of `space` and their
    id, where a space is given.
    """

    key: str
    begins: str = ""
    length: int = 0
    ending: int = 0
    space: str = ""

    def made(self, id: str) -> str:
        """Return the name of a memory whose header lacks the key, or '' where there is none."""
        from uuid import UUID, uuid5  # takes time to import, and few references are looked up so

        return str(uuid5(UUID(self.space), id)) if self.space else ""


class Declared(NamedTuple):
    """The kinds, aliases and spellings of ids of all sets of tools."""

    kinds: Kinds
    aliases: tuple[Alias, ...]
    spellings: Mapping[str, str]
    """The beginnings of ids as callers spell them, with underscores for hyphens, each with that of the id itself."""

    def aliases_for(self, reference: str) -> Iterator[Alias]:
        """Return the aliases whose names begin as this reference does, and are as long."""
        return (
            alias
            for alias in self.aliases
            if reference.startswith(alias.begins) and alias.length in (0, len(reference))
        )

    def id_of(self, reference: str) -> str:
        """Return the id that a caller has spelled in a declared way; any other reference is returned as it is."""
        for begins, ours in self.spellings.items():
            if reference.startswith(begins):
                return ours + kebab(reference.removeprefix(begins))
        return reference


@cache
def declared() -> Declared:
    """Return the declarations of all sets of tools, read once in a process."""
    return read(FOLDER)


def read(folder: Path) -> Declared:
    """Read the declarations of the packages in a folder. A kind that several declare allows what all of them allow."""
    kinds: dict[str, frozenset[str]] = {}
    aliases: list[Alias] = []
    spellings: dict[str, str] = {}
    for file in sorted(folder.glob(f"*/{FILE}")):
        said: dict[str, Any] = json.loads(file.read_text("utf-8"))
        for kind, allowed in said.get("kinds", {}).items():
            kinds[kind] = kinds.get(kind, frozenset(allowed)) & frozenset(allowed)
        aliases += [Alias(**each) for each in said.get("aliases", ())]
        spellings |= said.get("ids", {})
    return Declared(Kinds(kinds), tuple(aliases), spellings)
