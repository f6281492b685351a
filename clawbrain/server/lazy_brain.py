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
from ..errors import Broken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from ..brain import Brain
    from ..brain.calling import ReadTexts
    from ..brain.whereabouts import Whereabouts
    from ..layer_homes import ServedLayers


log = logs.Log("server")
_BEGUN_ANEW = ".clawbrain was deleted: a new one was begun, every score at its start. No memory is affected."
_REST = 10  # times as long as opening took, a home that is only read is left as it is


class Home:
    """The home of a server, with its brain and session: opened once, by whichever thread needs it first."""

    def __init__(
        self,
        named: str | None,
        read_only: bool,
        layers: ServedLayers | None = None,
        existing: bool = False,
        *,
        for_many: bool = False,
    ) -> None:
        """With `existing` no home is begun where there is none. `for_many` leaves the session to who makes a call."""
        self._for_many = for_many
        self._named, self._read_only, self._layers, self._existing = named, read_only, layers, existing
        self._turn = threading.Lock()
        self._brain: Brain | None = None
        self._whereabouts: Whereabouts | None = None
        self._layer_places: dict[str, Whereabouts] = {}  # of each layer that was served once, by its name
        self._served: set[str] = set()  # the layers that the open brain has
        self._read: ReadTexts | None = None  # what the session has read, while the home is opened anew
        self._again = 0.0  # the time before which a home that is only read is not opened anew
        self._session = ""
        self._left = False
        self._preparing = threading.Thread(target=self._prepare, daemon=True)

    def brain(self) -> Brain:
        """Return the brain, opened if it is not yet, and anew where the home came back in another folder, a layer went
        or came back, or what kept this server from writing is gone.

        Raises Broken while the home that was opened is gone. Each answer warns of layers that are.
        """
        with self._turn:
            lost = False
            if self._brain is not None and not (self._is_in_place() and self._layers_stay() and not self._may_write()):
                lost = self._whereabouts is not None and self._whereabouts.lost_its_sidecar()
                self._release()
            brain = self._brain or self._opened()
            if lost:
                brain.warn(_BEGUN_ANEW)
            gone = sorted(self._layer_places.keys() - self._served)
            told = [f"layer '{name}' is gone (renamed, or its disk is not mounted): bring it back." for name in gone]
            brain.unserved = " ".join(told)
            for sentence in told:
                brain.warn(sentence)
            return brain

    def _opened(self) -> Brain:
        from ..brain import opening, reading  # with all it needs, only when it is needed
        from ..brain.sessions import new_session

        home, began = self._folder(), time.monotonic()
        if not self._for_many:
            self._session = self._session or new_session()
        if self._existing:
            opening.refuse_unless_there(home)
        gone = {name for name, place in self._layer_places.items() if place.is_gone()}
        layers = self._layers and self._layers.without(gone)
        with reading():
            self._brain = opening.open_served(home, layers, session=self._session or None, read_only=self._read_only)
            self._whereabouts = self._brain.whereabouts()
            self._brain.open_session()
            self._note_layers(self._brain.layer_places())
        if self._read is not None:
            from dataclasses import replace

            self._brain.act_for(replace(self._brain.calling, texts=self._read))
        self._again = time.monotonic() + _REST * (time.monotonic() - began)
        if self._for_many:  # others may be shown these lines
            log(logs.INFO, "a home was opened, %.1f ms", logs.milliseconds(began))
        else:
            log(logs.INFO, "home %r opened as session %r, %.1f ms", str(home), self._session, logs.milliseconds(began))
        return self._brain

    def _is_in_place(self) -> bool:
        return self._whereabouts is None or self._whereabouts.is_same()

    def _layers_stay(self) -> bool:
        """Tell whether each layer is still there, or still gone, as it was when the brain was opened."""
        for name, place in self._layer_places.items():
            try:
                if not (place.is_same() and name in self._served):
                    return False
            except Broken:
                if name in self._served:
                    return False
        return True

    def _note_layers(self, places: dict[str, Whereabouts]) -> None:
        for name in self._layer_places.keys() & places.keys():
            self._layer_places[name].close()
        self._layer_places |= places
        self._served = set(places)

    def _may_write(self) -> bool:
        """Tell whether what kept this home from being written is gone; its index is in memory, so it is not opened anew
        all the time."""
        from ..brain import opening

        return self._brain is not None and time.monotonic() >= self._again and opening.is_free_again(self._brain)

    def _release(self) -> None:
        if self._brain:
            self._read = self._brain.calling.texts
            self._brain.release()
        if self._whereabouts:
            self._whereabouts.close()
        self._brain = self._whereabouts = None

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
        # A package before its modules: two threads that take these locks in different orders get half-imported modules.
        from ..brain import opening

        there = opening.is_home(self._folder())
        with self._turn:
            if there and not (self._brain or self._left):
                self._opened()

    def _folder(self) -> Path:
        from ..brain import default_home, home_named

        return home_named(self._named) if self._named else default_home()

    def settle(self) -> None:
        """Write down what waits to be noted, unless the home is gone."""
        with suppress(Broken):
            if self._brain and self._is_in_place() and self._layers_stay():
                self._brain.settle()

    def close(self) -> None:
        """End the session and close the home; of one that is gone only the files are closed."""
        self._left = True
        with self._turn:
            with suppress(Broken):
                if self._brain and self._is_in_place():
                    if not self._layers_stay():
                        self._release()
                    (self._brain or self._opened()).close()
            self._release()
            for place in self._layer_places.values():
                place.close()
            self._layer_places = {}
