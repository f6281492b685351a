"""Plan what a compaction does: from memories, their credit and the strategy to a list of actions.

Nothing here touches a file. Consolidation, promotion and pruning are planned in that order, each over the
state the one before would leave, so the plan can be shown, journalled, and carried out action by action. Every
action says what it expects to find, and its reason; what a limit forbids is left out, and a note says so.
"""

import gc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager

from ..credit import Credit
from ..memory.kinds import Kinds
from ..memory.model import Memory
from ..strategy.settings import Strategy
from .actions import Away, CompactionPlan, State
from .merging import consolidate
from .promotion import promote
from .pruning import prune, restore

NONE_DECLARED = Kinds()
PHASES = ("consolidation", "promotion", "pruning")


def plan(
    memories: Iterable[Memory],
    credits: Mapping[str, Credit],
    strategy: Strategy,
    now: str,
    *,
    kinds: Kinds = NONE_DECLARED,
    promoted: Collection[tuple[str, str]] = (),
    away: Iterable[Away] = (),
    undone: Iterable[Collection[str]] = (),
    phases: Collection[str] = PHASES,
    clean: Callable[[str], str] = str,
) -> CompactionPlan:
    """Return what a compaction would do; the same input gives the same plan.

    `kinds` says which memories may be touched, `promoted` holds (episode id, hash of a fact) of earlier runs, `away`
    what of the archive was asked for, `undone` the ids of each merge that was undone. `clean` returns a
    text as it may be written, without the secrets that STRATEGY.md forbids.
    """
    state = State(dict(sorted((m.id, m) for m in memories)), dict(credits), now, kinds, clean)
    with _uncollected():
        for phase in PHASES:
            if phase in phases and not getattr(strategy, phase).enabled:
                state.notes.append(f"{phase.capitalize()} is switched off by STRATEGY.md.")
            elif phase == "consolidation" and phase in phases:
                consolidate(state, strategy, undone)
            elif phase == "promotion" and phase in phases:
                promote(state, strategy, frozenset(promoted))
            elif phase in phases:
                prune(state, strategy)
        if "pruning" in phases:
            restore(state, away)
    return CompactionPlan(tuple(state.actions), tuple(state.notes), tuple(state.conflicts), now)


@contextmanager
def _uncollected() -> Iterator[None]:
    """Switch garbage collection off: no plan refers to itself, and looking for that would take half of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
