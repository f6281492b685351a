"""What the owner of this home wants, as STRATEGY.md says it."""

import time
from typing import TYPE_CHECKING

from ..errors import Invalid
from ..memory.header import Unreadable
from ..storage.sync import COARSE

if TYPE_CHECKING:
    from ..memory.model import Fingerprint
    from ..strategy import Parsed, Strategy
    from . import Brain

STRATEGY = "STRATEGY.md"


class Policy:
    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self._strategy: tuple[bytes | None, Parsed] | None = None
        self._last: tuple[Fingerprint | None, bytes | None] = (None, None)

    def settings(self) -> "Strategy":
        """What is in force. Most pages are as they were written, and those need no reading."""
        from ..strategy import DEFAULT_TEXT, Strategy

        return Strategy() if self._page() == DEFAULT_TEXT.encode() else self.strategy().strategy

    def strategy(self) -> "Parsed":
        """What the owner of this home has decided; read anew whenever the file changed."""
        from ..strategy import parse

        text = self._page()
        if self._strategy is None or self._strategy[0] != text:
            self._strategy = (text, parse(text or b""))
        return self._strategy[1]

    def _page(self) -> bytes | None:
        """Every search asks: what was left alone since it was read is not read again."""
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
        return (self._page() or b"").decode(errors="replace")

    def without_secrets(self, content: str) -> str:
        """What STRATEGY.md wants done with keys and passwords: say so, blot them out, or refuse the text."""
        from .. import redaction  # making its patterns takes time, and only writers need them

        found = redaction.kinds(content)
        if not found:
            return content
        policy = self.settings().safety.secrets
        if policy == "refuse":
            raise Invalid(f"the content seems to hold a secret ({found}); store where it is kept, not what it is.")
        if policy == "redact":
            self.brain.warn(f"a secret was not stored ({found}): [redacted: …] stands in its place.")
            return redaction.redacted(content)
        self.brain.warn(
            f"the content seems to hold a secret ({found}); if it does, take it out: the file is plain text."
        )
        return content
