"""Hooks: the commands an agent program runs during a session, `clawbrain hook EVENT`: session-start,
prompt, stop and session-end.

A person waits for a hook, so it is quick, prints little and never blocks the program: on any fault it prints `{}` and
the program goes on. It uses what the last sync found and scans no files. The text it gives to the model is quoted as
data, and is given only when it is about the prompt.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..logs import INFO, Log, milliseconds
from . import dialects
from .announce import sentence
from .hook_call import SILENCE, HookAnswer, HookCall
from .hook_home import find_home, is_off
from .project_home import has_another

log = Log("agents")

PATIENCE = 2.0  # seconds to wait for a store that another process has locked
_EVENTS = ("session-start", "prompt", "stop", "session-end")
_NAMES = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}
_OWN_NAMES = {("gemini", "prompt"): "BeforeAgent"}


class _TooLong(Exception):
    """Raised when the patience is used up. It is no TimeoutError: that is an OSError, which callers handle as a fault
    of the files."""


def main(words: Sequence[str]) -> None:
    """Read stdin, which may be missing or hold no text, and print the hook's answer."""
    silent = sys.stdin is None or sys.stdin.isatty()
    said = "" if silent else sys.stdin.buffer.read().decode(errors="replace")
    with suppress(OSError):  # the program has closed its end of the pipe
        print(run(words, said), flush=True)


def run(words: Sequence[str], stdin_text: str) -> str:
    """Return the line of JSON to print, whatever happens. `words` are the arguments after `hook`."""
    event, client, home, layers = _words(words)
    answer, began, shown = SILENCE, time.monotonic(), event if event in _EVENTS else "of an unknown event"
    try:
        from ..brain import quickly  # here, because importing it may fail too

        with _patient(), quickly():
            answer = _answer(event, client, home, layers, dialects.heard(client, _said(stdin_text)))
    except Exception as fault:  # the program must go on; stderr and the log hold the reason
        sys.stderr.write(f"clawbrain hook: {fault or type(fault).__name__}\n")
        log.failure("hook %s failed", shown)
    log(INFO, "hook %s: %d bytes for the model, %.1f ms", shown, len(answer.text.encode()), milliseconds(began))
    if client in dialects.ANSWERS:
        return dialects.ANSWERS[client](answer.text)
    return json.dumps(_printed(answer, client, event))


def _printed(answer: HookAnswer, client: str, event: str) -> Mapping[str, Any]:
    """Return an answer in the shape that the programs read; the person is shown `systemMessage`."""
    if not answer.text:
        return {}
    name = _OWN_NAMES.get((client, event), _NAMES[event])
    told = {"systemMessage": line} if (line := sentence(answer.recalled)) else {}
    return {**told, "hookSpecificOutput": {"hookEventName": name, "additionalContext": answer.text}}


def _words(words: Sequence[str]) -> tuple[str, str, str, list[str]]:
    """Return the event, the client, the home and the layers that the arguments name."""
    found, layers = {"--client": "", "--home": ""}, list[str]()
    event, rest = "", iter(words)
    for word in rest:
        option, equals, value = word.partition("=")
        if option in found:
            found[option] = value if equals else next(rest, "")
        elif option == "--layer":
            layers.append(value if equals else next(rest, ""))
        elif not word.startswith("-"):
            event = event or word
    return event, found["--client"], found["--home"], layers


def _said(text: str) -> Mapping[str, Any]:
    said = json.loads(text or "{}")
    return said if isinstance(said, dict) else {}


@contextmanager
def _patient() -> Iterator[None]:
    """Raise _TooLong in the block when it takes longer than PATIENCE."""

    def give_up(*_: object) -> None:
        raise _TooLong("the store was busy for too long")

    before = signal.signal(signal.SIGALRM, give_up)
    try:
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _answer(event: str, client: str, named: str, layers: Sequence[str], said: Mapping[str, Any]) -> HookAnswer:
    """Return the answer to an event, which is silence where hooks are off, where there is no home, and where the
    project has a memory of its own that is not this home."""
    from ..brain.opening import is_home

    folder = Path(str(said.get("cwd") or os.getcwd()))
    home = find_home(named.replace("${workspaceFolder}", str(folder)))  # a program may leave that to its shell
    if is_off(folder) or not is_home(home):  # a hook does not create a home
        return SILENCE
    if has_another(folder, home):
        return SILENCE
    call = HookCall(event, client, folder, home, said, layers)
    if event == "session-start":
        from .session_start import session_start

        return session_start(call)
    if event == "prompt":
        from .prompt_hook import prompt

        return prompt(call)
    if event in ("stop", "session-end"):
        from .pauses import session_end, stop

        return stop(call) if event == "stop" else session_end(call)
    raise ValueError(f"there are {', '.join(_EVENTS)}")
