"""Compaction runs: a plan is made first, written down as a whole, and carried out action by action.

Each action takes the lock, changes the files, and is noted as done in the same transaction that sets the scores. A
killed run is finished by the next process that opens the home; `run.lock`, which is released when its process ends,
tells a killed run from a running one. Every step notes what is needed to reverse it.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, TypeVar

from .. import compaction
from ..compaction.actions import Action, Archive, Away, CompactionPlan, Merge, Promote, Restore
from ..contradictions import Finding
from ..errors import Broken, Busy, ClawbrainError, NotFound, Refused
from ..logs import DEBUG, INFO, WARNING, Log, milliseconds
from ..memory.model import shown, stamp
from ..storage.runs import UNDONE, StoredRun
from . import run_text
from .apply_actions import ActionApplier, ActionSkipped
from .results import Run
from .run_text import DONE, PHASES, SKIPPED
from .undo_actions import ActionUndoer

if TYPE_CHECKING:
    from . import Brain

log = Log("brain")

Progress = Callable[[int, int, str], None]
Step = TypeVar("Step")
_PATIENCE = 60.0
_TOGETHER = 8  # actions that are noted in one transaction; the lock is held for so many at a time
_LOGGED_AS = {Merge: "consolidate", Promote: "promote", Archive: "prune", Restore: "restore"}


class CompactionRuns:
    """The compactions of one home: planning, carrying out, undoing, and finishing killed ones."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def plan(self, phases: Sequence[str] = compaction.PHASES) -> CompactionPlan:
        """Return the plan of a compaction as of now, without changing anything."""
        brain, strategy = self.brain, self.brain.policy.settings()
        brain.sync(now=True)
        now = stamp(brain.clock())  # also the time of the scores, with which an action compares them later
        with brain.redacting():  # a whole compaction is not refused for one secret that a person wrote by hand
            return compaction.plan(
                brain.index.memories(),
                brain.scores.credits(None, now, strategy.decay),
                strategy,
                now,
                kinds=brain.declared.kinds,
                promoted=brain.ledger.promoted(),
                away=self._asked_for(),
                undone=self.undone_merges(),
                phases=phases,
                clean=brain.without_secrets,
            )

    def _asked_for(self) -> Iterator[Away]:
        """Yield the archived memories that were asked for, with how often."""
        for path, times in self.brain.ledger.asked_for().items():
            if memory := self.brain.owner.read_archived(path):
                yield Away(memory, path, times)

    def undone_merges(self) -> list[tuple[str, ...]]:
        """Return the ids of each merge that was undone."""
        return [(merge["survivor"], *merge["others"]) for merge in self.brain.ledger.undone("merge")]

    # Carrying out

    def compact(self, progress: Progress | None = None) -> Run:
        """Plan a compaction and carry it out; `progress` gets the actions done, their number and the current one."""
        brain = self.brain
        brain.may_write()
        with self._alone():
            self._finish_killed()
            began = time.monotonic()
            plan = self.plan()
            log(INFO, "compaction planned: %s, %.1f ms", run_text.counts(plan.actions), milliseconds(began))
            brain.warn_first(str(complaint) for complaint in brain.policy.strategy().complaints)
            id = f"{brain.clock():%Y%m%dT%H%M%SZ}-{os.urandom(4).hex()}"
            self._write_down(id, plan)
            outcomes = self._carry_out(id, plan, progress)
            self._conclude(id, plan)
        run = run_text.result(id, plan, outcomes)
        for skipped in run.skipped:
            brain.warn(f"skipped: {skipped}.")
        return run

    def _write_down(self, id: str, plan: CompactionPlan) -> None:
        """Write the whole plan into the ledger, so that whoever finds it half done can finish it."""
        with self.brain.storage.locked():
            if plan.actions:
                self.brain.ledger.backup()
            with self.brain.bookkeeping.deciding():
                self.brain.ledger.begin_run(id, run_text.as_text(plan), stamp(self.brain.clock()))

    def _carry_out(self, run: str, plan: CompactionPlan, progress: Progress | None = None) -> list[str]:
        """Carry out the actions that are not done yet; return the outcome of each: DONE, or SKIPPED and the reason."""
        applier, outcomes, began = ActionApplier(self.brain, run, plan.now), list[str](), time.monotonic()
        for batch in _batches(list(enumerate(plan.actions)), lambda each: each[1]):
            if progress:
                progress(batch[0][0], len(plan.actions), batch[0][1].detail)
            outcomes += self._step(applier, batch)
            for (number, action), outcome in zip(batch, outcomes[-len(batch) :], strict=True):
                said = outcome.partition(":")[0]
                log(DEBUG, "compaction %s: action %d, of %s: %s", run, number + 1, PHASES[type(action)], said)
        if progress:
            progress(len(plan.actions), len(plan.actions), "done")
        done = [action for action, outcome in zip(plan.actions, outcomes, strict=True) if outcome == DONE]
        skipped = len(outcomes) - len(done)
        log(INFO, "compaction %s: %s, %d skipped, %.1f ms", run, run_text.counts(done), skipped, milliseconds(began))
        return outcomes

    def _step(self, applier: ActionApplier, batch: Sequence[tuple[int, Action]]) -> list[str]:
        """Carry out actions unless they are done already, and note them together; return the outcome of each."""
        brain, outcomes = self.brain, list[str]()
        noted: list[tuple[int, Action, str, dict[str, Any] | None]] = []
        with brain.storage.locked():
            for number, action in batch:
                if known := brain.ledger.step(applier.run, number):
                    outcomes.append(known[0])
                    continue
                try:
                    undo: dict[str, Any] | None = applier.apply(action)
                    outcomes.append(DONE)
                except ActionSkipped as reason:
                    undo = None
                    outcomes.append(f"{SKIPPED}{reason}")
                noted.append((number, action, outcomes[-1], undo))
            if noted:
                with brain.bookkeeping.deciding():
                    for number, action, outcome, undo in noted:
                        self._note_step(applier, number, action, outcome, undo)
        return outcomes

    def _note_step(
        self, applier: ActionApplier, number: int, action: Action, outcome: str, undo: dict[str, Any] | None
    ) -> None:
        ledger = self.brain.ledger
        if undo is not None:
            applier.note(action, undo)
            ids = [expected.id for expected in action.expects]
            ledger.add_to_log(_LOGGED_AS[type(action)], ids, action.detail, stamp(self.brain.clock()), applier.run)
        ledger.step_done(applier.run, number, outcome, undo)

    def _conclude(self, run: str, plan: CompactionPlan) -> None:
        """Write the digest, note the contradictions that were found, and mark the run as done."""
        brain, at = self.brain, stamp(self.brain.clock())
        strategy = brain.policy.settings()
        brain.write_digest()  # before the run counts as done: if this is killed, it is done again
        with brain.bookkeeping.deciding():
            for found in plan.conflicts:
                finding = Finding(found.fact, found.claim, found.description)
                brain.conflicts.write_down(found.episode, [(found.entity, finding)])
            for phase in ("consolidation", "promotion", "pruning"):
                if getattr(strategy, phase).enabled:
                    brain.ledger.set_note(f"last_{phase}", at)
            brain.ledger.end_run(run, "done", at, run_text.as_text(run_text.without_contents(plan)))

    # Undoing

    def undo(self, run: str | None = None) -> Run:
        """Undo a run, by default the newest, action by action; an action whose memories have changed since is kept.

        Raises NotFound for an unknown run, Refused where there is nothing to undo.
        """
        self.brain.may_write()
        with self._alone():
            self._finish_killed()
            self.brain.sync(now=True)
            self.brain.bookkeeping.note_waiting()
            stored = self._undoable(run)
            plan, undoer = run_text.from_text(stored.plan), ActionUndoer(self.brain)
            undone: list[str] = []
            kept: list[str] = []
            steps = [
                (number, plan.actions[number], undo)
                for number, outcome, undo in reversed(self.brain.ledger.steps(stored.id))
                if outcome == DONE
            ]
            for batch in _batches(steps, lambda step: step[1]):
                for (_, action, _), why_not in zip(batch, self._undo_steps(undoer, stored.id, batch), strict=True):
                    (kept if why_not else undone).append(f"{action.detail}{why_not and f': {why_not}'}")
            self._note_undone(stored.id, len(undone), len(kept))
        log(INFO, "compaction %s undone: %d actions, %d kept", stored.id, len(undone), len(kept))
        details = tuple(f"Undone: {each}" for each in undone)
        return Run(id=stored.id, details=details, skipped=tuple(f"Kept: {each}" for each in kept))

    def _undoable(self, run: str | None) -> StoredRun:
        """Return a run, by default the newest that is done and has steps. Raises NotFound, Refused."""
        if run:
            stored = self.brain.ledger.run(run)
            if stored is None:
                raise NotFound(f"run {shown(run)} is not found; `clawbrain log` names the runs.")
        else:
            done = [each for each in self.brain.ledger.runs("done") if self.brain.ledger.steps(each.id)]
            if not done:
                raise Refused("there is no compaction to undo.")
            stored = done[-1]
        if stored.state == UNDONE:
            raise Refused(f"run {stored.id} is undone already.")
        return stored

    def _undo_steps(self, undoer: ActionUndoer, run: str, batch: Sequence[tuple[int, Action, Any]]) -> list[str]:
        """Reverse actions and note them together; return of each '' when that is done, else why it was kept."""
        brain, kept = self.brain, list[str]()
        back: list[tuple[int, Action, Any, str]] = []
        with brain.storage.locked():
            for number, action, undo in batch:
                try:
                    back.append((number, action, undo, undoer.put_back(action, undo)))
                    kept.append("")
                except (ActionSkipped, ClawbrainError) as reason:
                    kept.append(str(reason))
                except FileNotFoundError:
                    kept.append("a text it needs is no longer in the history")
            if back:
                with brain.bookkeeping.deciding():
                    for number, action, undo, archive_path in back:
                        undoer.note(action, undo, archive_path)
                        brain.ledger.step_done(run, number, UNDONE, undo)
        return kept

    def _note_undone(self, run: str, undone: int, kept: int) -> None:
        """Log an undo; where an action was kept, the run stays as it is and can be undone again."""
        at = stamp(self.brain.clock())
        with self.brain.bookkeeping.deciding():
            summary = f"Undid {undone} action{'s' * (undone != 1)}" + (f", kept {kept}" if kept else "")
            self.brain.ledger.add_to_log("undo", [], summary, at, run)
            if not kept:
                self.brain.ledger.end_run(run, UNDONE, at)
        self.brain.write_digest()

    # Killed runs

    def resume(self) -> None:
        """Finish a run whose process was killed, unless another process is at work on a compaction."""
        if not self.brain.ledger.runs("running"):
            return
        try:
            with self._alone(patience=0):
                self._finish_killed()
        except Busy:
            pass

    def _finish_killed(self) -> None:
        for stored in self.brain.ledger.runs("running"):
            self.brain.sync(now=True)
            plan = run_text.from_text(stored.plan)
            log(WARNING, "compaction %s was interrupted and is finished now", stored.id)
            self._carry_out(stored.id, plan)
            self._conclude(stored.id, plan)
            self.brain.warn(f"the compaction {stored.id}, which was interrupted, has been finished.")

    @contextmanager
    def _alone(self, patience: float = _PATIENCE) -> Iterator[None]:
        """Hold `run.lock`. Raises Busy when another process holds it for longer than `patience` seconds."""
        try:
            fd = os.open(self.brain.storage.folder / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except IsADirectoryError:
            raise Broken("a folder stands at .clawbrain/run.lock: move it away.") from None
        try:
            deadline = time.monotonic() + patience
            while True:
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        raise Busy("another compaction is at work; try again when it is done.") from None
                    time.sleep(0.02)
            yield
        finally:
            os.close(fd)


def _batches(steps: Sequence[Step], action_of: Callable[[Step], Action]) -> Iterator[list[Step]]:
    """Yield steps in order, several together where no action expects the score that another of them sets.

    A run merges and archives each memory once, while promotions may reach one entity from several episodes.
    """
    for kind, same in groupby(steps, lambda step: type(action_of(step))):
        most = 1 if kind is Promote else _TOGETHER
        while batch := list(islice(same, most)):
            yield batch
