"""The owner's settings in STRATEGY.md."""

import time
from typing import TYPE_CHECKING

from ..memory.header import Unreadable
from ..storage.sync import COARSE

if TYPE_CHECKING:
    from ..memory.model import Fingerprint
    from ..strategy import Parsed, Strategy
    from . import Brain

STRATEGY = "STRATEGY.md"


class Policy:
    """STRATEGY.md of one home, read again when it changes."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self._strategy: tuple[bytes | None, Parsed] | None = None
        self._last: tuple[Fingerprint | None, bytes | None] = (None, None)

    def settings(self) -> "Strategy":
        """Return the settings in force; a file that still has the default text is not parsed."""
        from ..strategy import DEFAULT_TEXT, Strategy

        text = self._page()
        return Strategy() if text == DEFAULT_TEXT.encode() else self._parsed(text).strategy

    def strategy(self) -> "Parsed":
        """Return STRATEGY.md parsed, with its complaints."""
        return self._parsed(self._page())

    def _parsed(self, text: bytes | None) -> "Parsed":
        """Return the text parsed; the same text is parsed once."""
        from ..strategy import parse

        if self._strategy is None or self._strategy[0] != text:
            self._strategy = (text, parse(text or b""))
        return self._strategy[1]

    def _page(self) -> bytes | None:
        """Return the bytes of STRATEGY.md, or None; every search asks, so an unchanged file is not read again."""
        now, read_at = self.brain.files.fingerprint(STRATEGY, "."), time.time()
        if now is None or now != self._last[0]:
            text = self._read()
            settled = now and read_at - now.mtime_ns / 1e9 > COARSE
            self._last = (now if settled else None, text)
        return self._last[1]

    def _read(self) -> bytes | None:
        try:
            return self.brain.files.read(STRATEGY, ".")[0]
        except (FileNotFoundError, Unreadable):
            return None

    def strategy_text(self) -> str:
        """Return the text of STRATEGY.md, or '' where there is none."""
        return (self._page() or b"").decode(errors="replace")
