"""The hook at session start: what an agent should know before it is asked anything."""

import sys
from typing import TYPE_CHECKING

from .hook_call import SILENCE, HookAnswer, HookCall
from .hook_home import opened, session_of
from .project import project_of

if TYPE_CHECKING:
    from ..brain import Brain


def session_start(call: HookCall) -> HookAnswer:
    """Return the briefing, and start a compaction in the background if one is due."""
    with opened(call) as brain:
        if brain.noticing.waits():
            brain.proposals.tidy(began=call.told("session_id"))
        briefing = brain.briefing(project_of(call.folder))
        if briefing.ids:
            brain.session = session_of(brain)
            brain.recalls.told(briefing.ids, brain.origin)
        _compact_if_due(brain)
    return HookAnswer(briefing.text) if briefing.text else SILENCE


def _compact_if_due(brain: "Brain") -> None:
    """Start a due compaction in a process of its own that nobody waits for."""
    from ..brain.schedule import due

    if due(brain):
        from subprocess import DEVNULL, Popen

        command = [sys.executable, "-P", "-m", "clawbrain", "--home", str(brain.home), "compact", "--if-due"]
        Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd="/", start_new_session=True)
