"""Show the change of each update of a memory as a diff."""

import difflib
from collections.abc import Sequence

from ..brain import Brain
from . import output

_STYLES = {"+": "green", "-": "red", "@": "dim"}


def diffs(brain: Brain, id: str) -> dict[str, list[str]]:
    """Return for the name of each earlier text, oldest first, the diff to the text that came after it."""
    earlier = brain.owner.old_texts(id)
    versions, texts = [version.name for version, _ in earlier], [text for _, text in earlier]
    after = [*texts[1:], brain.find(id).content] if texts else []
    return {
        version: _diff(*pair) for version, *pair in zip(versions, map(_body, texts), map(_body, after), strict=True)
    }


def _body(text: str) -> str:
    """Return a text without its header."""
    if not text.startswith("---"):
        return text.strip("\n")
    return text.partition("\n---")[2].partition("\n")[2].strip("\n")


def _diff(before: str, after: str) -> list[str]:
    return list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=1, lineterm=""))[2:]


def say_diff(version: str, lines: Sequence[str]) -> None:
    """Print a diff under the name of the text that was replaced."""
    output.say(f"\n{version} was replaced:", "bold")
    for line in lines or ["(the text stayed the same)"]:
        output.say(line, _STYLES.get(line[:1], ""))
