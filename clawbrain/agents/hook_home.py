"""The home that a hook works on: where it is, whether hooks are off here, and how it is opened."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..brain import Brain

OFF = ".clawbrain-off"


def is_off(folder: Path) -> bool:
    """Tell whether a file in this folder or one above it switches hooks off."""
    return any((above / OFF).exists() for above in (folder, *folder.parents))


def find_home(named: str) -> Path:
    """Return the home that the hook's command names, or the person's own."""
    from ..brain import default_home, home_named

    if not named:
        return default_home()
    started_in = os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()  # the server resolves it against the same folder
    return Path(started_in, home_named(named))


@contextmanager
def opened(home: Path, *, read_only: bool = False) -> Iterator["Brain"]:
    """Open the brain for the block, and release it without closing it."""
    from ..brain import open_brain

    brain = open_brain(home, read_only=read_only)
    try:
        yield brain
    finally:
        brain.release()  # not brain.close(), which tidies up: the session is still going on
