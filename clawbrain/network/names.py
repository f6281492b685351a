"""Check the names of users, workspaces and beings, and find the folder of a workspace.

A name is one folder's name on every system that clawbrain runs on, and has no ':', which separates names in signed
tokens and in the keys of sessions.
"""

import unicodedata
from pathlib import Path

from ..errors import AlreadyExists, Invalid, NotFound
from ..memory.model import shown

LONGEST = 100  # bytes in UTF-8
_FORBIDDEN = frozenset('/\\:*?"<>|')


def is_name(word: str) -> bool:
    """Tell whether a word can name a user, a workspace or a being."""
    return (
        0 < len(word) <= LONGEST
        and word.isprintable()  # no control characters, no surrogates, no spaces but ' '
        and len(word.encode()) <= LONGEST
        and not _FORBIDDEN.intersection(word)
        and word[0] not in ".-~ "
        and word[-1] not in ". "
        and unicodedata.is_normalized("NFC", word)
    )


def check_name(what: str, word: str) -> str:
    """Return a name. Raises Invalid, which calls it `what`, for a word that can be none."""
    if not is_name(word):
        raise Invalid(
            f"{what} {shown(word)} can be no name: use at most {LONGEST} letters, digits, spaces and signs such as "
            "- _ . @ +, and begin with a letter or a digit."
        )
    return word


def workspace_folder(homes: Path, name: str) -> Path | None:
    """Return the home of a workspace in a folder of homes, or None where there is none. No link is followed."""
    if not is_name(name):
        return None
    folder = homes / name
    return folder if folder.is_dir() and not folder.is_symlink() else None


def workspaces(homes: Path, name: str = "") -> dict[str, Path]:
    """Return the homes in a folder of homes by their workspaces, in the order of their names, or the one that is named.

    Raises NotFound where there is none, and OSError for a folder that cannot be listed.
    """
    listed = homes.iterdir() if homes.is_dir() else ()
    names = [name] if name else sorted(path.name for path in listed)
    found = {each: folder for each in names if (folder := workspace_folder(homes, each))}
    if name and not found:
        raise NotFound(f"there is no workspace {shown(name)} in this folder of homes.")
    if not found:
        raise NotFound(f"{shown(str(homes))} holds no homes; name the folder that `serve --homes` serves.")
    return found


def need_workspace(homes: Path, name: str, *, make: bool) -> None:
    """Make sure that a workspace exists; `make` makes one that is missing. Raises Invalid, NotFound, AlreadyExists."""
    check_name("workspace", name)
    if workspace_folder(homes, name):
        return
    if not make:
        raise NotFound(f"there is no workspace {shown(name)} in this folder of homes; --new-workspace makes it.")
    try:
        (homes / name).mkdir(mode=0o700, parents=True)
    except FileExistsError:
        raise AlreadyExists(f"{shown(name)} is no folder: move away what has this name, or take another.") from None
