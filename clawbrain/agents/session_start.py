"""The hook at session start: what an agent should know before it is asked anything."""

import sys
from typing import TYPE_CHECKING

from .hook_call import SILENCE, HookAnswer, HookCall
from .hook_home import opened
from .quoting import AS_DATA, harmless

if TYPE_CHECKING:
    from ..brain import Brain

LIMIT = 1024  # bytes handed to the model

_DIGEST = f"What clawbrain remembers, in short ({AS_DATA}; memory_retrieve an id to read all of it):\n"


def session_start(call: HookCall) -> HookAnswer:
    """Return the head of the digest as quoted data, and start a compaction in the background if one is due."""
    from .. import digest

    with opened(call.home, read_only=True) as brain:
        _compact_if_due(brain)
        text = brain.written_digest()
    entries = "\n".join(map(harmless, text.removeprefix(digest.OPENING).strip().splitlines()))
    shown = digest.head(entries + "\n", LIMIT - len(_DIGEST))
    return HookAnswer(_DIGEST + shown.rstrip()) if "\n- " in f"\n{shown}" else SILENCE


def _compact_if_due(brain: "Brain") -> None:
    """Start a due compaction in a process of its own that nobody waits for."""
    from ..brain.schedule import due

    if due(brain):
        from subprocess import DEVNULL, Popen

        command = [sys.executable, "-P", "-m", "clawbrain", "--home", str(brain.home), "compact", "--if-due"]
        Popen(command, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, cwd="/", start_new_session=True)
