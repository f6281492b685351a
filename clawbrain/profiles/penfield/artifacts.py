"""Artifacts: text files under a path, stored beside the memories and never searched."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from ...errors import Invalid
from ...memory.header import Unreadable
from ...memory.model import stamp

if TYPE_CHECKING:
    from ...brain import Brain


class Artifact(NamedTuple):
    """A file's name, its size in bytes, and when it was changed."""

    name: str
    size: int
    modified: str


class Artifacts:
    """The artifacts of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self._shelf = brain.shelf("artifacts", "list_artifacts shows what is there")

    def save(self, path: str, text: str) -> int:
        """Write a text to a free path and return its size in bytes."""
        self.brain.may_write()
        with self.brain.locked():
            return self._shelf.keep(path, text)

    def read(self, path: str) -> str:
        """Return the text at a path; raise Invalid for a file that is no text."""
        try:
            return self._shelf.text(path)
        except Unreadable as fault:
            raise Invalid(f"{fault}; open it with another program.") from None

    def inside(self, path: str = "/") -> tuple[list[str], list[Artifact]]:
        """Return the folders and the files in a folder."""
        folders, files = self._shelf.listed(path)
        return folders, [Artifact(each.name, each.size, _moment(each.modified)) for each in files]

    def delete(self, path: str) -> None:
        """Remove a file from the listing; it stays in the history of the home."""
        self.brain.may_write()
        with self.brain.locked():
            self._shelf.put_away(path)


def _moment(seconds: float) -> str:
    return stamp(datetime.fromtimestamp(seconds, UTC))


_CONTENT_TYPES = {
    "md": "text/markdown", "txt": "text/plain", "json": "application/json", "yaml": "application/yaml",
    "yml": "application/yaml", "toml": "application/toml", "xml": "application/xml", "html": "text/html",
    "htm": "text/html", "css": "text/css", "csv": "text/csv", "js": "text/javascript", "ts": "text/typescript",
    "py": "text/x-python", "sh": "text/x-shellscript", "sql": "application/sql", "svg": "image/svg+xml",
}  # fmt: skip


def content_type(path: str) -> str:
    """Return the content type that the ending of a path stands for."""
    return _CONTENT_TYPES.get(path.rpartition(".")[2].lower(), "text/plain")
