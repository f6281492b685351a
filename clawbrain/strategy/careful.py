"""Find the lines of a page that ask to refuse or to redact secrets, whether or not they are written so that they steer.

They count where `safety.secrets` is not settled otherwise: a home is never less safe than its owner wrote.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .page import PagePart

_ON_SECRETS = re.compile(r"\bsecrets?\b|\bsafety\W*[:=]", re.IGNORECASE)
_ASKS = re.compile(r"\b(refus|redact)", re.IGNORECASE)


class CarefulLine(NamedTuple):
    """A line that asks for care with secrets, and the value of `safety.secrets` that does what it asks."""

    line: int
    value: str


def careful_lines(part: "PagePart", section: str) -> Iterator[CarefulLine]:
    """Yield the lines of a part that ask to refuse or redact secrets; `section` is the one it stands in, or ""."""
    yield from _asked(part.line, part.text, section == "safety")
    for number, line in enumerate(part.body, part.line + 1):
        yield from _asked(number, line.partition("#")[0], False)


def _asked(number: int, line: str, on_secrets: bool) -> Iterator[CarefulLine]:
    if on_secrets or _ON_SECRETS.search(line):
        for word in _ASKS.findall(line):
            yield CarefulLine(number, "refuse" if word.lower() == "refus" else "redact")
