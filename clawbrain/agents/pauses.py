"""The hooks at the end of an answer and at the end of a session: they tidy up, and hand nothing over."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from .hook_call import SILENCE, HookAnswer, HookCall
from .hook_home import opened, session_of

if TYPE_CHECKING:
    from ..brain import Brain
    from ..brain.history import Message


def stop(call: HookCall) -> HookAnswer:
    """Write down what the hooks noted, and take in the session's transcript where STRATEGY.md says so.

    The turn is not rated: that is left to the person's next prompt.
    """
    with opened(call) as brain:
        _take_in(call, brain)
        if brain.noticing.waits():
            brain.noticing.name_server(call.told("session_id"), session_of(brain) or "")
            brain.proposals.tidy()
        brain.settle()
    return SILENCE


def session_end(call: HookCall) -> HookAnswer:
    """Do what `stop` does; a wish of this session that nobody fulfilled becomes a proposal."""
    with opened(call) as brain:
        _take_in(call, brain)
        if brain.noticing.waits():
            brain.proposals.tidy(ended=call.told("session_id"))
        brain.settle()
    return SILENCE


def _take_in(call: HookCall, brain: "Brain") -> None:
    if brain.takes_transcripts():
        brain.history.add(_said(call), tell=brain.noticing.hear_messages)


def _said(call: HookCall) -> Iterator["Message"]:
    """Yield the messages of the session: of the transcript that its program names, or in OpenCode's database."""
    from .. import transcripts

    faults, session = transcripts.Faults(), call.told("session_id")
    path = call.told("transcript_path")
    if path and Path(path).exists():
        for source in transcripts.named(Path(path)):
            yield from transcripts.read(source, faults)
    elif call.client == transcripts.opencode.NAME:
        for source in transcripts.kept(os.environ, call.client):
            yield from (each for each in transcripts.read(source, faults) if each.conversation == session)
