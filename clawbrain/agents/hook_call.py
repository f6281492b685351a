"""The call of a hook by an agent program, and the answer of the hook."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple


class HookCall(NamedTuple):
    """One run of a hook: at which moment, by which program, in which folder, on which home, the JSON it sent,
    and the layers that the hook's command names."""

    event: str
    client: str
    folder: Path
    home: Path
    said: Mapping[str, Any]
    layers: Sequence[str] = ()

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
