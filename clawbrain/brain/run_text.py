"""A compaction run as text and as a result: its plan as JSON for the ledger, and the counts that an answer shows."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace

from ..compaction.actions import (
    Action,
    Archive,
    CompactionPlan,
    Conflict,
    Merge,
    Promote,
    Restore,
    from_json,
    to_json,
)
from .results import Run

DONE, SKIPPED = "done", "skipped: "
PHASES = {Merge: "consolidation", Promote: "promotion", Archive: "pruning", Restore: "restoring"}


def as_text(plan: CompactionPlan) -> str:
    """Return a plan as JSON, from which `from_text` makes it again."""
    actions = [to_json(action) for action in plan.actions]
    return json.dumps({"now": plan.now, "actions": actions, "conflicts": [asdict(each) for each in plan.conflicts]})


def from_text(text: str) -> CompactionPlan:
    """Return the plan that `as_text` wrote."""
    row = json.loads(text)
    return CompactionPlan(
        tuple(from_json(action) for action in row["actions"]),
        conflicts=tuple(Conflict(**each) for each in row["conflicts"]),
        now=row["now"],
    )


def without_contents(plan: CompactionPlan) -> CompactionPlan:
    """Return a finished plan without its contents, which are in the files: enough to show the run and to undo it."""
    return CompactionPlan(tuple(map(_without_content, plan.actions)), now=plan.now)


def _without_content(action: Action) -> Action:
    if isinstance(action, Merge):
        return replace(action, content="")
    return replace(action, facts=()) if isinstance(action, Promote) else action


def counts(actions: Sequence[Action]) -> str:
    """Return how many actions each phase has, in words for a log line."""
    return ", ".join(f"{phase} {sum(type(each) is kind for each in actions)}" for kind, phase in PHASES.items())


def result(id: str, plan: CompactionPlan, outcomes: Sequence[str]) -> Run:
    """Return the result of a run from the outcome of each action: DONE, or SKIPPED with the reason."""
    done = [action for action, outcome in zip(plan.actions, outcomes, strict=True) if outcome == DONE]
    return Run(
        id=id,
        merged=sum(isinstance(action, Merge) for action in done),
        promoted=sum(isinstance(action, Promote) for action in done),
        archived=sum(isinstance(action, Archive) for action in done),
        details=tuple(action.detail for action in done),
        reasons=tuple(action.reason for action in done),
        skipped=tuple(
            f"{action.detail}: {outcome.removeprefix(SKIPPED)}"
            for action, outcome in zip(plan.actions, outcomes, strict=True)
            if outcome != DONE
        ),
        notes=plan.notes,
    )
