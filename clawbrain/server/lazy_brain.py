"""Prepare a server while its client starts: open the home and import the SDK.

What a hook shows before the first tool call belongs to the session too, so the session is written down as soon as a
client is there. Nothing is scanned for it, and a client that only looks in makes no home.
"""

from __future__ import annotations

import gc
import threading
import time
from contextlib import suppress

from .. import logs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from ..brain import Brain


log = logs.Log("server")


class Home:
    """The home of a server, with its brain and session: opened once, by whichever thread needs it first."""

    def __init__(self, named: str | None, read_only: bool) -> None:
        self._named, self._read_only = named, read_only
        self._turn = threading.Lock()
        self._brain: Brain | None = None
        self._left = False
        self._preparing = threading.Thread(target=self._prepare, daemon=True)

    def brain(self) -> Brain:
        """Return the brain, opened if it is not yet."""
        with self._turn:
            return self._brain or self._opened()

    def _opened(self) -> Brain:
        from ..brain import open_brain  # with all it needs, only when it is needed
        from ..brain.sessions import new_session

        home, session, began = self._folder(), new_session(), time.monotonic()
        self._brain = open_brain(home, session=session, read_only=self._read_only)
        self._brain.open_session()
        log(logs.INFO, "home %r opened as session %r, %.1f ms", str(home), session, logs.milliseconds(began))
        return self._brain

    def prepare(self) -> None:
        """Start preparing in the background, unless that was started before."""
        if self._preparing.ident is None:
            self._preparing.start()

    def _prepare(self) -> None:
        gc.disable()  # thousands of classes are created, none of which can be collected
        with suppress(Exception):  # the next call to need it meets the error again
            self._look_in()
        with suppress(Exception):
            from . import mcp  # noqa: F401
        gc.freeze()
        gc.enable()

    def _look_in(self) -> None:
        there = (self._folder() / ".clawbrain").is_dir()
        with self._turn:
            if there and not (self._brain or self._left):
                self._opened()

    def _folder(self) -> Path:
        from pathlib import Path

        from ..brain import default_home

        return Path(self._named).expanduser() if self._named else default_home()

    def settle(self) -> None:
        if self._brain:
            self._brain.settle()

    def close(self) -> None:
        self._left = True
        with self._turn:
            if self._brain:
                self._brain.close()
            self._brain = None
