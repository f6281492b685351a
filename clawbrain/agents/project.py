"""The project that a folder belongs to, as its folders and its git remotes name it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..briefing.groups import Project

_REMOTE = re.compile(r"^\s*url\s*=\s*(\S+)\s*$", re.MULTILINE)
_LONGEST = 100_000  # characters of a git configuration that are read


def project_of(folder: Path) -> "Project | None":
    """Return the project of a folder, or None for the root of the disk and the person's own folder.

    Its words are the names of the folder, of the repository's root and of the repositories that its remotes name.
    """
    from ..brain.sessions import work_folder
    from ..briefing.groups import Project
    from ..memory.model import slug

    root = work_folder(folder)
    names = [each.name for each in (root, folder) if each != Path.home()]
    names += _remote_names(root)
    words = tuple(dict.fromkeys(word for name in names if (word := slug(name))))
    return Project(words[0], words) if words else None


def _remote_names(root: Path) -> Iterator[str]:
    """Yield the name of the repository in each remote's address."""
    try:
        text = (_git_folder(root) / "config").read_text("utf-8", "replace")[:_LONGEST]
    except OSError:
        return
    for address in _REMOTE.findall(text):
        yield re.split(r"[/:]", address.rstrip("/").removesuffix(".git"))[-1]


def _git_folder(root: Path) -> Path:
    """Return the folder with the repository's configuration; a worktree shares that of its main repository."""
    git = root / ".git"
    if git.is_dir():
        return git
    named = root / git.read_text("utf-8", "replace")[:_LONGEST].partition("gitdir:")[2].strip()
    common = named / "commondir"
    return named / common.read_text("utf-8", "replace").strip() if common.exists() else named
