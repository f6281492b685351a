"""What an agent program asks of a hook, and what the hook answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple


class HookCall(NamedTuple):
    """One run of a hook: at which moment, by which program, in which folder, on which home, and the JSON it sent."""

    event: str
    client: str
    folder: Path
    home: Path
    said: Mapping[str, Any]

    def told(self, key: str) -> str:
        """Return a text of the program's JSON, or '' where it sent none."""
        value = self.said.get(key)
        return value if isinstance(value, str) else ""


class HookAnswer(NamedTuple):
    """The answer to one event. `recalled` are the names of the memories' files that the text hands over for a prompt;
    the person is told of them."""

    text: str = ""
    recalled: tuple[str, ...] = ()


SILENCE = HookAnswer()
