"""A profile's tools as an agent calls them, through the server's own room and without a process."""

from __future__ import annotations

import json
from typing import Any

from mcp import types

from clawbrain import profiles
from clawbrain.brain import Brain
from clawbrain.server.tool_runner import OneClientRunner, Unfinished


class _Opened:
    """A home that is open already."""

    def __init__(self, brain: Brain) -> None:
        self._brain = brain

    def brain(self) -> Brain:
        return self._brain


class Door:
    def __init__(
        self,
        brain: Brain,
        profile: str,
        *,
        read_only: bool = False,
        allow: tuple[str, ...] = (),
        extras: tuple[str, ...] = (),
    ) -> None:
        spec = profiles.load(profile, allow=allow, extras=extras)
        offered = profiles.offered(spec, read_only=read_only)
        self.runner = OneClientRunner(spec, offered, _Opened(brain))  # type: ignore[arg-type]

    def answer(self, tool: str, /, **arguments: Any) -> types.CallToolResult:
        answer = self.runner.call(tool, arguments, lambda *_: None)
        while isinstance(answer, Unfinished):
            answer = self.runner.go_on(answer, answer.work())
        return answer

    def __call__(self, tool: str, /, **arguments: Any) -> Any:
        """What a tool answers, once it is the same in both places."""
        answer = self.answer(tool, **arguments)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content

    def text(self, tool: str, /, **arguments: Any) -> str:
        return self.answer(tool, **arguments).content[0].text

    def fault(self, tool: str, /, **arguments: Any) -> Any:
        """What a tool refuses: an object where the profile has a shape for it, else its sentence."""
        answer = self.answer(tool, **arguments)
        assert answer.is_error, answer.content[0].text
        text = answer.content[0].text
        if answer.structured_content is not None:
            assert json.loads(text) == answer.structured_content
        return answer.structured_content or text
