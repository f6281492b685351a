"""Open a home: tell what stands there, give a new one its first files, and finish or take back what a killed process
left half done.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import Broken, Busy, NotFound, Usage
from ..logs import WARNING, Log
from ..memory.model import shown, stamp
from ..storage.folders import DOT_FOLDER, MEMORY
from ..storage.ledger_file import FILE as LEDGER
from ..storage.ledger_file import HOME_ID
from .open_home import reading
from .policy import STRATEGY

if TYPE_CHECKING:
    from ..layer_homes import ServedLayers
    from . import Brain

log = Log("storage")
_LINK = "{} is a link, and none is followed: put the file or folder itself there"
_LONGEST_NAME, _LONGEST_PATH = 255, 3_500  # bytes; below the home there must be room for its files
_FURNISHED = "furnished"  # the note in the ledger of a home that has had its first files


def default_home() -> Path:
    """Return the home named by CLAWBRAIN_HOME, or ~/clawbrain.

    The working directory is never used, because a cloned repository must not become somebody's memory. Raises Usage
    for a name that cannot be a folder's; see `home_named`.
    """
    return home_named(os.environ.get("CLAWBRAIN_HOME") or "~/clawbrain")


def open_served(home: Path, layers: "ServedLayers | None", **how: Any) -> "Brain":
    """Open a home with the layers that are served with it; `how` is as in `open_brain`."""
    if layers is None:
        from . import open_brain

        return open_brain(home, **how)
    from .layered import open_layered  # few homes have layers

    return open_layered(home, layers, **how)


def home_named(name: str) -> Path:
    """Return the home that a person names.

    Raises Usage for a name that is not UTF-8, that no folder can have, or that begins with an unknown user.
    """
    if name != name.encode(errors="replace").decode():
        raise Usage("the name of the home is not UTF-8: name another with --home or CLAWBRAIN_HOME.")
    if len(name.encode()) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_NAME for part in name.split("/")):
        raise Usage("the name of the home is too long: name another with --home or CLAWBRAIN_HOME.")
    try:
        return Path(name).expanduser()
    except RuntimeError:
        raise Usage(f"there is no user for {shown(name)}: write out the folder of the home.") from None


def is_home(folder: Path) -> bool:
    """Tell whether a folder holds a memory.

    That of a repository's clone has its files alone: git carries neither the sidecar nor empty folders.
    """
    return any(os.path.lexists(folder / name) for name in (DOT_FOLDER, MEMORY, STRATEGY))


def refuse_without_memory(home: Path, *, or_none: bool = False) -> None:
    """Raise NotFound for a folder that holds no memory.

    A home that does not exist yet is an empty one, except with `or_none`.
    """
    if (or_none or home.is_dir()) and not is_home(home):
        raise NotFound("there is no memory here; `clawbrain init` makes one, --home names another folder.")


def has_sidecar(home: Path) -> bool:
    """Tell whether there is a ledger, or a backup that can take its place, so that looking need not make one."""
    sidecar = home / DOT_FOLDER
    return sidecar.is_dir() and (os.path.lexists(sidecar / LEDGER) or any((sidecar / "backups").glob("ledger-*.db")))


def refuse_unless_there(home: Path) -> None:
    """Raise Broken where no home is, for a server that was set up with one that was there."""
    if not is_home(home):
        raise Broken(
            "the home that this server was set up with is gone (renamed, or its disk is not mounted): bring it back, "
            "or run `clawbrain init` on its folder to begin a new one."
        )


def hindrance(home: Path) -> str:
    """Return why a home can only be read and what to do: a link stands for the sidecar or for something in it, or this
    user may not enter it. Return '' where nothing of this kind is in the way."""
    sidecar = home / DOT_FOLDER
    if sidecar.is_symlink():
        return _LINK.format(DOT_FOLDER)
    try:
        with os.scandir(sidecar) as entries:
            # an editor keeps its locks as links whose names begin so
            links = [entry.name for entry in entries if entry.is_symlink() and not entry.name.startswith(".#")]
    except PermissionError:
        return f"{DOT_FOLDER} is closed to this user: make it this user's own (chown -R)"
    except OSError:
        return ""
    return _LINK.format(f"{DOT_FOLDER}/{min(links)}") if links else ""


def is_free_again(brain: "Brain") -> bool:
    """Tell whether a home that is only read because something was in the way may be opened for writing now."""
    if not brain.hindered or hindrance(brain.home):
        return False
    sidecar = brain.home / DOT_FOLDER
    paths = (brain.home, brain.home / MEMORY, sidecar, sidecar / LEDGER, sidecar / "lock")
    try:
        room = os.statvfs(brain.home).f_bavail
    except OSError:
        return False
    return bool(room) and all(os.access(path, os.W_OK) for path in paths if os.path.lexists(path))


def begin(brain: "Brain", *, make: bool) -> None:
    """Make the first files of a new home if `make` says so, and finish what killed processes left half done."""
    for name in brain.files.links():
        brain.warn(f"the folder {name} is a link, and none is followed: put the folder itself into the home.")
    # Where the store is held by another process: a change recovers too, and who holds it has furnished it.
    with suppress(Busy), reading(), brain.storage.locked():
        brain.files.recover()
        if found := len(brain.files.recovered):
            log(WARNING, "%d changes that a killed process had begun were finished or taken back", found)
        if make and not brain.ledger.note_of(_FURNISHED):
            _furnish(brain)
        if make and not brain.ledger.note_of(HOME_ID):
            with brain.ledger.writing():
                brain.ledger.set_note(HOME_ID, os.urandom(16).hex())
    with suppress(Busy), reading():
        brain.archiver.note_digests()
    with reading():
        interrupted = brain.ledger.runs("running")
    if interrupted:
        with suppress(Busy):
            brain.compaction.resume()


def _furnish(brain: "Brain") -> None:
    """Make the folders and STRATEGY.md; a home is furnished once, so what its owner deletes stays deleted."""
    from ..strategy import DEFAULT_TEXT

    if not brain.files.links():
        brain.files.furnish()
    if not (brain.home / STRATEGY).exists():
        brain.files.write_plain(STRATEGY, DEFAULT_TEXT.encode())
    with brain.ledger.writing():
        brain.ledger.set_note(_FURNISHED, stamp(brain.clock()))
