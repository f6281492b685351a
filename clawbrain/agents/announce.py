"""The line that tells the person which memories a hook handed over, where the program can show one."""

from collections.abc import Sequence

_NAMES, _LONGEST = 3, 120


def sentence(names: Sequence[str]) -> str:
    """Return the line about these names, at most three of them and 120 characters, or '' without any."""
    shown = ["".join(c for c in name if c.isprintable()) for name in names[:_NAMES]]
    line = f"clawbrain recalled: {', '.join(filter(None, shown))}"
    if not any(shown):
        return ""
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
