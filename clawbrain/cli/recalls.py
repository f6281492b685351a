"""The verb that shows what agents were handed, and what came of it."""

import json
import sys
import time
from typing import Any

import click

from ..brain import Brain
from ..recalls import Recall
from . import output
from .line import Answer, Caller, Verb

_PAUSE = 1.0  # seconds between two looks with --live
_SHOWN = 200  # recalls that --live watches for what is opened and what comes of them


@click.command(cls=Verb)
@click.option("--session", metavar="ID", help="Only of this session: ours, or the program's own.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True, help="The latest so many.")
@click.option("--live", is_flag=True, help="Go on, with a line for each as it comes; Ctrl-C ends it.")
@click.pass_obj
def recalls(caller: Caller, session: str | None, limit: int, live: bool) -> None:
    """Show what agents were handed, when, by which hook or search, and what came of it.

    Your own searches are not among them. With --live --json each line is one recall.
    """
    with caller.brain(looking=True) as brain:
        found = brain.recalls.listed(session, limit)
        if live:
            _follow(brain, session, found, caller.json)
        else:
            caller.answer({"recalls": [_row(recall) for recall in found]}, _say_recalls)


def _row(recall: Recall) -> dict[str, Any]:
    return {
        "at": recall.at,
        "client": recall.client or None,
        "project": recall.project or None,
        "event": recall.event,
        "session": recall.session or None,
        "ids": recall.ids,
        "opened": recall.opened,
        "outcome": recall.outcome,
    }


def _say_recalls(answer: Answer) -> None:
    for row in answer["recalls"]:
        _say(row)
    if not answer["recalls"]:
        output.advise("No agent was handed anything yet; `clawbrain install` lets one use this memory.")


def _say(row: dict[str, Any]) -> None:
    where = " in ".join(word for word in (row["client"], row["project"]) if word)
    came_of_it = [f"opened {', '.join(row['opened'])}"] if row["opened"] else []
    came_of_it += [row["outcome"]] if row["outcome"] else []
    head = " · ".join(word for word in (row["at"], row["event"], where, row["session"]) if word)
    output.say(output.line(head), "bold")
    output.say(f"  {output.line(', '.join(row['ids']))}{' → ' if came_of_it else ''}{'; '.join(came_of_it)}")


def _follow(brain: Brain, session: str | None, found: list[Recall], as_json: bool) -> None:
    """Print each recall, and again when something of it was opened or a signal came, until the person ends it."""
    printed: dict[int, dict[str, Any]] = {}
    while True:
        for recall in found:
            row = _row(recall)
            if printed.get(recall.seq) != row:
                printed[recall.seq] = row
                _print_live(row, as_json)
        time.sleep(_PAUSE)
        found = brain.recalls.listed(session, _SHOWN)


def _print_live(row: dict[str, Any], as_json: bool) -> None:
    if as_json:
        output.json_text(json.dumps(row, ensure_ascii=False))
    else:
        _say(row)
    sys.stdout.flush()
