"""`clawbrain report`: the state of the store, drawn for a terminal."""

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

import click

from ..brain import Brain
from ..credit import Credit
from ..memory.model import stamp
from ..profiles.clawbrain.tools import Profile
from . import output
from .line import Answer, Caller, Verb

DAYS = 30
NEW = Credit().score
_FEW = 5


@click.command(cls=Verb)
@click.option(
    "--top",
    "top_n",
    type=click.IntRange(1, 100),
    default=10,
    show_default=True,
    help="How many of the best and the worst.",
)
@click.pass_obj
def report(caller: Caller, top_n: int) -> None:
    """Show how the store is doing: which memories help, which moved, which nobody used.

    With layers this is about the first home alone; --home names another.
    """
    with caller.brain(looking=True) as brain:
        answer = Profile(brain).credit_report(top_n)
        credits = brain.credits()
        live = {memory.id: credits.get(memory.id, Credit()) for memory in brain.memories()}
        moved, unused = _movers(brain, live.keys()), _unused(brain, live)
    caller.answer(answer, lambda answer: _say(answer, live, moved, unused))


def _movers(brain: Brain, ids: Collection[str]) -> dict[str, float]:
    """Return the changes of scores by signals of the last weeks, by memory, the largest first."""
    since = stamp(brain.clock() - timedelta(days=DAYS))
    changes: dict[str, float] = {}
    for event, _ in brain.score_changes(since):
        if event.reward is not None and event.memory_id in ids:
            changes[event.memory_id] = changes.get(event.memory_id, 0.0) + event.new_score - event.old_score
    return dict(sorted(changes.items(), key=lambda each: (-abs(each[1]), each[0]))[:_FEW])


def _unused(brain: Brain, live: Mapping[str, Credit]) -> list[str]:
    """Return the memories that were stored weeks ago and never read nor scored since, the oldest first."""
    before = stamp(brain.clock() - timedelta(days=DAYS))
    idle = [
        id
        for id, credit in live.items()
        if max(credit.created, credit.touched) < before and not (credit.access_count or credit.signals)
    ]
    return sorted(idle, key=lambda id: (live[id].created, id))


def _say(answer: Answer, live: Mapping[str, Credit], moved: Mapping[str, float], unused: list[str]) -> None:
    memories = output.count(answer["total_memories"], "memory", "memories")
    output.say(f"{memories}, average credit {answer['avg_score']:.2f}", "bold")
    output.say(f"Last consolidation {_day(answer['last_consolidation'])}, last pruning {_day(answer['last_pruning'])}.")
    if answer["prune_candidates"]:
        output.advise(f"{answer['prune_candidates']} would be archived now; `clawbrain compact --dry-run` says why.")
    if live:
        _say_distribution([credit.score for credit in live.values()])
        judged = {id for id, credit in live.items() if credit.signals}
        _say_rows("Helped most", [row for row in answer["top"] if row["id"] in judged and row["score"] >= NEW])
        _say_rows("Misled most", [row for row in answer["bottom"] if row["id"] in judged and row["score"] < NEW])
        if not judged:
            output.advise(
                "\nNobody has said yet what helped: agents do by memory_feedback, you by `clawbrain feedback good`."
            )
    _say_list(f"Moved by signals in {DAYS} days", [f"{change:+.3f}  {id}" for id, change in moved.items()])
    more = [f"and {len(unused) - _FEW} more"] if len(unused) > _FEW else []
    _say_list(f"Never used in {DAYS} days or longer", unused[:_FEW] + more)


def _day(at: str | None) -> str:
    return at[:10] if at else "never"


def _say_distribution(scores: list[float]) -> None:
    counts = [sum(1 for score in scores if round(score * 10) == tenth) for tenth in range(11)]
    output.say("\nCredit, to the nearest tenth", "bold")
    for tenth in reversed(range(11)):
        drawn = output.bar(counts[tenth] / max(counts), 40)
        count = f" {counts[tenth]}" if counts[tenth] else ""
        output.say(f"  {tenth / 10:.1f} │{drawn}{count}")


def _say_rows(title: str, rows: list[dict[str, Any]]) -> None:
    _say_list(title, [f"{row['score']:.2f}  {row['id']}  ({_reads(row['access_count'])})" for row in rows])


def _reads(times: int) -> str:
    return f"read {output.count(times, 'time')}" if times else "never read"


def _say_list(title: str, lines: list[str]) -> None:
    if lines:
        output.say(f"\n{title}", "bold")
    for each in lines:
        output.say(f"  {each}")
