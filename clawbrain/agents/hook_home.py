"""The home that a hook works on: where it is, whether hooks are off here, and how it is opened."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..recalls import Origin
from ..served_layers import served_layers
from .hook_call import HookCall

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
    return Path(_started_in(), home_named(named))


def _started_in() -> str:
    """Return the folder that relative paths begin at: the same for the server and the hooks of a program."""
    return os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd()


def origin_of(call: HookCall) -> Origin:
    """Return where what the hook hands over comes from."""
    from ..brain.sessions import work_folder

    return Origin(call.client, str(work_folder(call.folder)), call.event, call.told("session_id"))


def session_of(brain: "Brain") -> str | None:
    """Return the session that a hook belongs to: that of the server beside it, else the program's own, else None."""
    from ..brain import sessions

    return sessions.choose(brain) or brain.origin.program_session or None


@contextmanager
def opened(call: HookCall) -> Iterator["Brain"]:
    """Open the brain for the block, and release it without closing it."""
    from ..brain.opening import open_served

    brain = open_served(call.home, served_layers(call.home, call.layers, _started_in()))
    brain.origin = origin_of(call)
    try:
        yield brain
    finally:
        brain.release()  # not brain.close(), which tidies up: the session is still going on
