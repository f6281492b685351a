"""The owner's settings in STRATEGY.md."""

import time
from typing import TYPE_CHECKING

from ..errors import Refused
from ..memory.header import Unreadable
from ..storage.sync import COARSE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..layers import GivenLayer
    from ..memory.model import Fingerprint
    from ..strategy import Parsed, Strategy
    from . import Brain

STRATEGY = "STRATEGY.md"


class Policy:
    """STRATEGY.md of one home, read again when it changes."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self._strategy: tuple[bytes | Unreadable | None, Parsed] | None = None
        self._last: tuple[Fingerprint | None, bytes | Unreadable | None] = (None, None)

    def settings(self) -> "Strategy":
        """Return the settings in force; a file that still has the default text is not parsed."""
        from ..strategy import DEFAULT_TEXT, Strategy

        text = self._page()
        return Strategy() if text == DEFAULT_TEXT.encode() else self._parsed(text).strategy

    def doubt(self) -> str:
        """Return a sentence where it is doubtful what STRATEGY.md says of secrets, else ''."""
        from ..strategy import DEFAULT_TEXT

        text = self._page()
        return "" if text == DEFAULT_TEXT.encode() else self._parsed(text).doubt

    def strategy(self) -> "Parsed":
        """Return STRATEGY.md parsed, with its complaints."""
        return self._parsed(self._page())

    def _parsed(self, text: "bytes | Unreadable | None") -> "Parsed":
        """Return the text parsed; the same text is parsed once."""
        from ..strategy import parse, unread

        if self._strategy is None or self._strategy[0] != text:
            parsed = unread(str(text)) if isinstance(text, Unreadable) else parse(text or b"")
            self._strategy = (text, parsed)
        return self._strategy[1]

    def _page(self) -> "bytes | Unreadable | None":
        """Return the bytes of STRATEGY.md, why they cannot be read, or None where there is no such file.

        Every search asks, so an unchanged file is not read again.
        """
        now, read_at = self.brain.files.fingerprint(STRATEGY, "."), time.time()
        if now is None or now != self._last[0]:
            text = self._read()
            settled = now and read_at - now.mtime_ns / 1e9 > COARSE
            self._last = (now if settled else None, text)
        return self._last[1]

    def _read(self) -> "bytes | Unreadable | None":
        try:
            return self.brain.files.read(STRATEGY, ".")[0]
        except FileNotFoundError:
            return None
        except Unreadable as fault:
            return fault

    def strategy_text(self) -> str:
        """Return the text of STRATEGY.md, or '' where there is none or it cannot be read."""
        page = self._page()
        return page.decode(errors="replace") if isinstance(page, bytes) else ""

    def name_layers(self, layers: "Sequence[GivenLayer]") -> None:
        """Name further layers in STRATEGY.md. Raises Refused where it names some already, or cannot be read."""
        from ..strategy.naming_layers import with_layers

        self.brain.may_write()
        with self.brain.storage.locked():
            before = self._page_to_change().decode(errors="replace")
            text = with_layers(before, layers)
            if text != before:
                self.brain.files.write_plain(STRATEGY, text.encode())

    def change_settings(self, wanted: "Mapping[str, Mapping[str, Any]]") -> "Strategy":
        """Set settings in the settings block of STRATEGY.md, all or none; return the settings in force.

        Raises Invalid for what the page would complain of, and Refused where the page stands in the way.
        """
        from ..strategy.setting_lines import with_settings

        self.brain.may_write()
        with self.brain.storage.locked():
            page = self._page_to_change()
            new = with_settings(page, wanted)
            if new != page:
                self.brain.files.write_plain(STRATEGY, new)
        return self.settings()

    def _page_to_change(self) -> bytes:
        """Return the bytes of STRATEGY.md, none where there is no such file. Raises Refused if it cannot be read."""
        try:
            return self.brain.files.read(STRATEGY, ".")[0]
        except FileNotFoundError:
            return b""
        except Unreadable as fault:
            raise Refused(f"{STRATEGY} cannot be read ({fault}): put it right by hand first.") from None
