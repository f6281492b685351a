"""The line that tells the person which memories a hook handed over, where the program can show one."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..brain import Brain

_NAMES, _LONGEST = 3, 120


def names_to_tell(brain: "Brain", ids: Iterable[str]) -> tuple[str, ...]:
    """Return the names of these memories as their files have them, or none where STRATEGY.md says not to announce."""
    return tuple(brain.file_names(ids)) if brain.settings().context.announce else ()


def sentence(names: Sequence[str]) -> str:
    """Return the line about these names, at most three of them and 120 characters, or '' without any."""
    shown = ["".join(c for c in name if c.isprintable()) for name in names[:_NAMES]]
    line = f"clawbrain recalled: {', '.join(filter(None, shown))}"
    if not any(shown):
        return ""
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
