"""The folders that install makes for the files of agent programs, noted in the user's own configuration.

A program's folder tells that the program is there, so remove takes away only those that install made.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from .programs import user


class MadeFolders:
    """The note of the folders that install made; it is gone when the last of them is."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        config = Path(environ.get("XDG_CONFIG_HOME") or user(environ) / ".config")
        self._file = config / "clawbrain" / "made-folders.json"

    def make(self, folder: Path) -> None:
        """Make a folder with those above it, and note the ones that were not there. Raises OSError."""
        missing = _missing(folder)
        folder.mkdir(parents=True, exist_ok=True)
        if not missing:
            return
        with suppress(OSError):  # without the note, remove leaves an empty folder behind
            missing |= _missing(self._file.parent)
            self._file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._write(self._read() | missing)

    def remove(self, folder: Path) -> None:
        """Remove a folder and those above it that install made, as far as nothing is left in them. Raises OSError."""
        made = self._read()
        if left := _remove(folder, made):
            self._write(made - left)

    def _read(self) -> set[str]:
        try:
            noted = json.loads(self._file.read_bytes())
        except (OSError, ValueError, RecursionError):
            return set()
        known = noted if isinstance(noted, list) else []
        return {each for each in known if isinstance(each, str) and os.path.isdir(each)}

    def _write(self, made: set[str]) -> None:
        if made <= {os.path.realpath(each) for each in self._file.parents}:  # the note stands for itself alone
            self._file.unlink(missing_ok=True)
            _remove(self._file.parent, made)
            return
        self._file.write_text(json.dumps(sorted(made), indent=2) + "\n", "utf-8")


def _missing(folder: Path) -> set[str]:
    return {os.path.realpath(each) for each in (folder, *folder.parents) if not each.exists()}


def _remove(folder: Path, made: set[str]) -> set[str]:
    """Remove a folder and those above it, up to one that is not in `made` or not empty; return the removed ones."""
    removed: set[str] = set()
    for each in (folder, *folder.parents):
        if os.path.realpath(each) not in made or any(each.iterdir()):
            break
        each.rmdir()
        removed.add(os.path.realpath(each))
    return removed
