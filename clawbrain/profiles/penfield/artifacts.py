"""Artifacts: text files under a path, kept beside the memories and never searched."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from ...errors import Invalid
from ...memory.header import Unreadable
from ...memory.model import stamp

if TYPE_CHECKING:
    from ...brain import Brain


class Artifact(NamedTuple):
    name: str
    size: int
    modified: str


class Artifacts:
    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self._shelf = brain.shelf("artifacts", "list_artifacts shows what is there")

    def save(self, path: str, text: str) -> int:
        """Under a path that is free; answers the size in bytes."""
        self.brain.may_write()
        with self.brain.locked():
            return self._shelf.keep(path, text)

    def read(self, path: str) -> str:
        try:
            return self._shelf.text(path)
        except Unreadable as fault:
            raise Invalid(f"{fault}; open it with another program.") from None

    def inside(self, path: str = "/") -> tuple[list[str], list[Artifact]]:
        """The folders in a folder, and the files."""
        folders, files = self._shelf.listed(path)
        return folders, [Artifact(each.name, each.size, _moment(each.modified)) for each in files]

    def delete(self, path: str) -> None:
        """Out of sight; the file stays in the history of the home."""
        self.brain.may_write()
        with self.brain.locked():
            self._shelf.put_away(path)


def _moment(seconds: float) -> str:
    return stamp(datetime.fromtimestamp(seconds, UTC))
