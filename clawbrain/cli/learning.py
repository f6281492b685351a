"""The verbs of learning and tidying: feedback, the report, compaction and what follows from them."""

from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from ..brain import Brain, sessions
from ..brain.conflicts import RESOLUTIONS
from ..brain.schedule import due
from ..compaction.actions import Archive, CompactionPlan, Merge, Promote
from ..credit import SIGNALS
from ..errors import NotFound, Refused
from ..memory.model import shown
from ..profiles.clawbrain.tools import Profile
from ..strategy import Parsed, settings
from . import output
from .completion import known_ids
from .editor import edited
from .line import Answer, Caller, Verb, Verbs
from .words import Choice

NICKNAMES = {"good": "positive_feedback", "bad": "user_correction"}


@click.command(cls=Verb)
@click.argument("signal", type=Choice([*NICKNAMES, *SIGNALS]), metavar="good|bad|SIGNAL")
@click.option("--session", metavar="ID", help="Else $CLAWBRAIN_SESSION_ID, else the agent's that runs here.")
@click.option(
    "--used", "used_ids", multiple=True, metavar="ID", shell_complete=known_ids, help="What really helped, or misled."
)
@click.pass_obj
def feedback(caller: Caller, signal: str, session: str | None, used_ids: tuple[str, ...]) -> None:
    """Say whether the memories of the last turn helped.

    good is positive_feedback, bad is user_correction; the other signals are task_completed, tool_success and
    session_abandoned. Without a session it is your own last search in this terminal, for an hour, and nothing once
    that was scored; else the last session of this folder. The answer says which.
    """
    with caller.brain() as brain:
        if session and not brain.recalls.is_known(session):
            raise NotFound(
                f"session {shown(session)} was handed no memory here; `clawbrain recalls` names those that were."
            )
        chosen, whose = sessions.named(session), ""
        if not chosen:
            here, terminal = sessions.work_folder(Path.cwd()), sessions.terminal()
            chosen = brain.recalls.meant(sessions.choose(brain), here, terminal)
            whose = brain.recalls.whose(chosen)
        brain.session = chosen
        answer = Profile(brain).memory_feedback(NICKNAMES.get(signal, signal), used_ids)
    caller.answer(answer, lambda answer: _say_moves(answer, whose))


def _say_moves(answer: Answer, whose: str) -> None:
    moved = len(answer["updated"]) or "none"
    scored = f" Scored: {whose}." if whose else ""
    output.say(
        f"{answer['signal']}: {moved} of {output.count(answer['memories'], 'memory', 'memories')} moved.{scored}"
    )
    rows = [
        [each["id"], f"{each['old_score']:.4f}", f"{each['new_score']:.4f}",
         f"{each['new_score'] - each['old_score']:+.4f}"]
        for each in answer["updated"]
    ]  # fmt: skip
    if rows:
        output.table(["id", "before", "after", "change"], rows, right="before after change")


@click.command(cls=Verb)
@click.option("--dry-run", is_flag=True, help="Show the plan with its reasons and do nothing.")
@click.option("--if-due", is_flag=True, help="Only when the schedule in STRATEGY.md says so.")
@click.pass_obj
def compact(caller: Caller, dry_run: bool, if_due: bool) -> None:
    """Merge, promote and prune as STRATEGY.md says. `undo` takes it back."""
    with caller.brain(looking=dry_run, faults=True) as brain:
        if dry_run:
            brain.warn_first(str(complaint) for complaint in brain.strategy().complaints)
            caller.answer(_planned(brain), _say_plan)
        elif if_due and not due(brain):
            caller.answer({"due": []}, lambda _: output.say("Nothing is due."))
        else:
            with output.progress("Compacting") as progress:
                profile = Profile(brain)
                profile.progress = progress
                answer = profile.memory_compact()
            caller.answer(answer, _say_compacted)


def _planned(brain: Brain) -> dict[str, Any]:
    plan = brain.compaction.plan()
    actions = [
        {"action": type(a).__name__.lower(), "detail": _would(a.detail), "reason": a.reason} for a in plan.actions
    ]
    return {"actions": actions, "notes": list(plan.notes), "idle": _idle(plan, brain)}


def _would(detail: str) -> str:
    """Return what an action says that it did as what it would do."""
    done, _, rest = detail.partition(" ")
    return f"Would {done.lower().removesuffix('d')} {rest}"  # merged, promoted, archived, restored


def _idle(plan: CompactionPlan, brain: Brain) -> list[str]:
    """Return a sentence for each phase that found nothing: what it looked for."""
    strategy = brain.strategy().strategy
    merging, rising, pruning = strategy.consolidation, strategy.promotion, strategy.pruning
    apart = f"within {merging.window_days} days" if merging.window_days else "of one day"
    undone = ", but those of undone merges," if brain.compaction.undone_merges() else ""
    looked_for = {
        Merge: merging.enabled
        and f"merge: no {merging.min_episodes} episodes {apart}{undone} share more than "
        f"{merging.min_tag_overlap:.0%} of the tags that tell their subject",
        Promote: rising.enabled
        and f"promote: no episode with facts to hand on has a credit above {rising.min_score:.2f} and "
        f"{rising.min_signals} signals",
        Archive: pruning.enabled
        and f"archive: nothing is older than {pruning.min_age_days} days, idle for {pruning.min_idle_days} and worth "
        f"less than {pruning.max_score:.2f}",
    }
    busy = {type(action) for action in plan.actions}
    return [f"Nothing to {why}." for kind, why in looked_for.items() if why and kind not in busy]


def _say_plan(answer: Answer) -> None:
    for action in answer["actions"]:
        output.say(action["detail"], "bold")
        output.say(f"  {action['reason']}")
    for note in answer["notes"]:
        output.say(f"Not planned: {note}", "dim")
    for nothing in answer["idle"]:
        output.say(nothing, "dim")
    count = len(answer["actions"])
    how = "`clawbrain compact` does it, `undo` takes it back."
    output.advise(f"{output.count(count, 'action')}; nothing was done. {how}" if count else "Nothing to do.")


def _say_compacted(answer: Answer) -> None:
    for detail in answer["details"]:
        output.say(f"- {detail}")
    done = [f"{answer[what]} {what}" for what in ("consolidated", "promoted", "pruned")]
    output.advise(f"{', '.join(done)}. `clawbrain undo` takes it back." if answer["details"] else "Nothing to do.")


@click.command(cls=Verb)
@click.argument("run", required=False)
@click.pass_obj
def undo(caller: Caller, run: str | None) -> None:
    """Take back a compaction: the last, or the RUN that `log` names."""
    with caller.brain() as brain:
        undone = brain.compaction.undo(run)
    answer = {"run": undone.id, "undone": list(undone.details), "kept": list(undone.skipped)}
    caller.answer(answer, _say_undone)


def _say_undone(answer: Answer) -> None:
    for sentence in [*answer["undone"], *answer["kept"]]:
        output.say(f"- {sentence}")
    output.say(f"Run {answer['run']}: {len(answer['undone'])} undone, {len(answer['kept'])} kept.")
    if any(not sentence.startswith("Kept: Promoted") for sentence in answer["kept"]):
        output.advise("`clawbrain list --archived` names what was put away; `clawbrain restore` brings each back.")
    if any(not sentence.startswith("Undone: Merged") for sentence in answer["undone"]):
        output.advise("No undone merge is made again; the rest may be: `clawbrain pin` keeps a memory as it is.")


@click.command(cls=Verb)
@click.option("--limit", type=click.IntRange(1, 100_000), default=50, show_default=True)
@click.pass_obj
def log(caller: Caller, limit: int) -> None:
    """Show what was put away, brought back, merged, promoted, moved; newest first."""
    with caller.brain(looking=True) as brain:
        answer = {"log": brain.log(limit)}
    caller.answer(answer, _say_log)


def _say_log(answer: Answer) -> None:
    rows = [[each["created_at"], each["action"], each["details"], each["run"] or ""] for each in answer["log"]]
    if rows:
        output.table(["when", "action", "details", "run"], rows)
    else:
        output.say("Nothing was done yet.")


@click.command(cls=Verb)
@click.argument("to", required=False, type=click.Choice(["-"]), metavar="[-]")
@click.pass_obj
def digest(caller: Caller, to: str | None) -> None:
    """Write memory/MEMORY.md, the page an agent can read before it asks.

    With - it is printed and nothing is written.
    """
    if to:
        with caller.brain(looking=True, faults=True) as brain:
            text = brain.digest_text()
        return caller.answer({"text": text}, lambda _: output.say(text.rstrip("\n")))
    with caller.brain() as brain:
        brain.write_digest()
    return caller.answer({"path": "memory/MEMORY.md"}, lambda _: output.say("Wrote memory/MEMORY.md"))


@click.command(cls=Verb)
@click.pass_obj
def strategy(caller: Caller) -> None:
    """Show what is in force, and from which line of STRATEGY.md."""
    with caller.brain(looking=True) as brain:
        answer = _in_force(brain.strategy())
    caller.answer(answer, _say_strategy)


def _in_force(parsed: Parsed) -> dict[str, Any]:
    rows = [
        {"setting": name, "value": getattr(getattr(parsed.strategy, row.section), row.key),
         "line": parsed.origins.get(name)}
        for name, row in settings().items()
    ]  # fmt: skip
    return {"settings": rows, "complaints": [asdict(complaint) for complaint in parsed.complaints]}


def _say_strategy(answer: Answer) -> None:
    rows = [
        [row["setting"], settings()[row["setting"]].written(row["value"]),
         f"line {row['line']}" if row["line"] else "default"]
        for row in answer["settings"]
    ]  # fmt: skip
    output.table(["setting", "value", "from"], rows)
    for complaint in answer["complaints"]:
        output.say(f"STRATEGY.md line {complaint['line']}, {complaint['severity']}: {complaint['text']}", "yellow")


@click.group(cls=Verbs, invoke_without_command=True)
@click.pass_context
def conflicts(context: click.Context) -> None:
    """Show what contradicts what, and decide it."""
    if context.invoked_subcommand is None:
        context.invoke(list_)


@conflicts.command("list")
@click.option("--all", "all_", is_flag=True, help="Also those whose sentences are no longer both said.")
@click.pass_obj
def list_(caller: Caller, all_: bool) -> None:
    """List what is open, both sentences side by side."""
    with caller.brain(looking=True) as brain:
        standing, rows = brain.conflicts.standing(), brain.conflicts.open()
    answer: dict[str, Any] = {"conflicts": [row._asdict() for row in (rows if all_ else standing)]}
    if void := [row.id for row in rows if row not in standing]:
        answer["void"] = void
    caller.answer(answer, lambda answer: _say_conflicts(answer, all_))


def _say_conflicts(answer: Answer, all_: bool) -> None:
    void = answer.get("void", [])
    width = min(output.width(), 120) // 2 - 4
    for row in answer["conflicts"]:
        same = row["memory_a_id"] == row["memory_b_id"]
        gone = "no longer both said: " if row["id"] in void else ""
        output.say(f"{row['id']}  {gone}{_why(row)}", "bold")
        left = ["a", *output.wrapped(output.line(row["claim_a"]), width), row["memory_a_id"]]
        right = ["b", *output.wrapped(output.line(row["claim_b"]), width), row["memory_b_id"] + " (former text)" * same]
        if max(map(len, left + right)) > width:
            left, right = [*left, "", *right], []
        for one, other in zip_longest(left, right, fillvalue=""):
            output.say(f"   {one:{width}}  {other}".rstrip())
    output.advise(
        "`clawbrain conflicts resolve N kept_a|kept_b|merged|dismissed` decides."
        if answer["conflicts"]
        else "Nothing contradicts."
    )
    if void and not all_:
        output.advise(f"{len(void)} more, no longer both said, are shown by `clawbrain conflicts list --all`.")


def _why(row: Answer) -> str:
    """Return the description without the two sentences, which are printed below it."""
    return output.line(row["description"]).removeprefix(output.line(f"“{row['claim_a']}” against “{row['claim_b']}”: "))


@conflicts.command()
@click.argument("number", type=int, metavar="N")
@click.argument("resolution", type=Choice(RESOLUTIONS), metavar="|".join(RESOLUTIONS))
@click.pass_obj
def resolve(caller: Caller, number: int, resolution: str) -> None:
    """Decide one: kept_a and kept_b take the other claim out, merged opens both in $EDITOR."""
    with caller.brain() as brain:
        if resolution == "merged":
            _merge(brain, number)
        decided = brain.conflicts.resolve(number, resolution)
    answer: dict[str, Any] = {"id": number, "resolution": resolution}
    if decided.loser:
        answer["other"] = {"id": decided.loser, "became": decided.became, "back": decided.back}
    caller.answer(answer, _say_decided)


def _say_decided(answer: Answer) -> None:
    output.say(f"Contradiction {answer['id']} is resolved: {answer['resolution']}.")
    if other := answer.get("other"):
        became = {
            "changed": f"The other sentence was taken out of {other['id']}",
            "former": f"{other['id']} says its former sentence again; the newer text is in its history",
            "archived": f"{other['id']} said nothing else, so it was archived",
            "unchanged": f"{other['id']} is archived or gone already, so nothing was changed",
        }[other["became"]]
        output.advise(f"{became}; `{other['back']}` brings it back." if other["back"] else f"{became}.")


def _merge(brain: Brain, number: int) -> None:
    row = brain.conflicts.get(number)
    texts = {id: brain.retrieve(id).memory.content for id in (row.memory_a_id, row.memory_b_id)}
    with edited(texts) as changed:
        for id, text in changed.items():
            brain.update(id, text, by_person=True)
    if not changed and any(row.id == number for row in brain.conflicts.standing()):
        raise Refused("nothing was changed, so nothing is decided; `dismissed` says that both may stand.")
