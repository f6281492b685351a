"""Compaction runs: a plan is made first, written down as a whole, and carried out action by action.

Each action takes the lock, checks that the memories are still as it expects, changes the files, and is noted as done
in the same transaction that sets the scores. Scores are set, never added to, so doing a step twice has the effect of
doing it once. A killed run is finished by the next process that opens the home; `run.lock`, which is released when
its process ends, tells a killed run from a running one. Every step notes what is needed to reverse it.
"""

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from .. import compaction, credit
from ..compaction.actions import (
    Action,
    Archive,
    Away,
    CompactionPlan,
    Conflict,
    Merge,
    Promote,
    Restore,
    content_digest,
    from_json,
    to_json,
)
from ..compaction.facts import opening, with_facts
from ..contradictions import Finding
from ..credit_evidence import MERGE, PROMOTE, UNDO, as_text
from ..errors import Busy, ClawbrainError, NotFound, Refused
from ..logs import DEBUG, INFO, WARNING, Log, milliseconds
from ..memory import model as memories
from ..memory.model import Memory, days_between, digest, shown, stamp
from ..memory.text import edited, render, rewritten
from ..storage.files import ARCHIVE
from ..storage.ledger import Event, StoredRun
from ..storage.sync import seen
from .inheritance import Inheritance
from .results import Run

if TYPE_CHECKING:
    from . import Brain

log = Log("brain")

Progress = Callable[[int, int, str], None]
_PATIENCE = 60.0
_LOGGED_AS = {Merge: "consolidate", Promote: "promote", Archive: "prune", Restore: "restore"}
_PHASES = {Merge: "consolidation", Promote: "promotion", Archive: "pruning", Restore: "restoring"}
_DONE, _SKIPPED = "done", "skipped: "


class ActionSkipped(Exception):
    """An action is skipped because something it expected has changed; the message says what."""


class CompactionRuns:
    """The compactions of one home: planning, carrying out, undoing, and finishing killed ones."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.inheritance = Inheritance(brain)

    # Planning

    def plan(self, phases: Sequence[str] = compaction.PHASES) -> CompactionPlan:
        """Return the plan of a compaction as of now, without changing anything."""
        brain = self.brain
        brain.sync(now=True)
        now = stamp(brain.clock())  # also the time of the scores, with which an action compares them later
        return compaction.plan(
            brain.index.memories(),
            brain.credits(now=now),
            brain.settings(),
            now,
            kinds=brain.declared.kinds,
            promoted=brain.ledger.promoted(),
            away=self._asked_for(),
            phases=phases,
        )

    def _asked_for(self) -> Iterator[Away]:
        for path, times in self.brain.ledger.asked_for().items():
            memory = self.brain.owner.read_archived(path)
            if memory:
                yield Away(memory, path, times)

    # Carrying out

    def compact(self, progress: Progress | None = None) -> Run:
        """Plan a compaction and carry it out; `progress` gets the actions done, their number and the current one."""
        brain = self.brain
        brain.may_write()
        with self._alone():
            self._finish_killed()
            began = time.monotonic()
            plan = self.plan()
            log(INFO, "compaction planned: %s, %.1f ms", _counts(plan.actions), milliseconds(began))
            brain.warn_first(str(complaint) for complaint in brain.strategy().complaints)
            id = f"{brain.clock():%Y%m%dT%H%M%SZ}-{os.urandom(4).hex()}"
            self._write_down(id, plan)
            done = self._carry_out(id, plan, progress)
            self._conclude(id, plan)
        run = _run(id, plan, done)
        for skipped in run.skipped:
            brain.warn(f"skipped: {skipped}.")
        return run

    def _write_down(self, id: str, plan: CompactionPlan) -> None:
        with self.brain.locked():
            if plan.actions:
                self.brain.ledger.backup()
            with self.brain.deciding():
                self.brain.ledger.begin_run(id, _as_text(plan), stamp(self.brain.clock()))

    def _carry_out(self, run: str, plan: CompactionPlan, progress: Progress | None = None) -> list[str]:
        outcomes, began = [], time.monotonic()
        for number, action in enumerate(plan.actions):
            if progress:
                progress(number, len(plan.actions), action.detail)
            outcomes.append(self._step(run, number, action, plan.now))
            outcome = outcomes[-1].partition(":")[0]
            log(DEBUG, "compaction %s: action %d, of %s: %s", run, number + 1, _PHASES[type(action)], outcome)
        if progress:
            progress(len(plan.actions), len(plan.actions), "done")
        done = [action for action, outcome in zip(plan.actions, outcomes, strict=True) if outcome == _DONE]
        skipped = len(outcomes) - len(done)
        log(INFO, "compaction %s: %s, %d skipped, %.1f ms", run, _counts(done), skipped, milliseconds(began))
        return outcomes

    def _step(self, run: str, number: int, action: Action, planned_at: str) -> str:
        """Carry out one action unless it is done already; return its outcome: done, or skipped with the reason."""
        brain = self.brain
        with brain.locked():
            noted = brain.ledger.step(run, number)
            if noted:
                return noted[0]
            try:
                undo, note = self._apply(action, planned_at, run)
                outcome = _DONE
            except ActionSkipped as reason:
                undo, note, outcome = None, None, f"{_SKIPPED}{reason}"
            with brain.deciding():
                if note:
                    note()
                    ids = [expected.id for expected in action.expects]
                    brain.ledger.add_to_log(_LOGGED_AS[type(action)], ids, action.detail, stamp(brain.clock()), run)
                brain.ledger.step_done(run, number, outcome, undo)
        return outcome

    def _conclude(self, run: str, plan: CompactionPlan) -> None:
        brain, at = self.brain, stamp(self.brain.clock())
        strategy = brain.settings()
        brain.write_digest()  # before the run counts as done: if this is killed, it is done again
        with brain.deciding():
            for found in plan.conflicts:
                finding = Finding(found.fact, found.claim, found.description)
                brain.conflicts.write_down(found.episode, [(found.entity, finding)])
            for phase in ("consolidation", "promotion", "pruning"):
                if getattr(strategy, phase).enabled:
                    brain.ledger.set_note(f"last_{phase}", at)
            brain.ledger.end_run(run, "done", at, _as_text(_without_texts(plan)))

    # One action: each method changes the files, and returns what undoing needs and a function that notes the action in
    # the ledger. `begun` is true where a killed process has changed the file already.

    def _apply(self, action: Action, planned_at: str, run: str) -> tuple[Any, Callable[[], None]]:
        if isinstance(action, Merge):
            return self._merge(action, planned_at)
        if isinstance(action, Promote):
            return self._promote(action, planned_at, run)
        if isinstance(action, Restore):
            return self._restore(action)
        return self._archive(action, planned_at)

    def _merge(self, action: Merge, planned_at: str) -> tuple[Any, Callable[[], None]]:
        begun = self._says(action.survivor, action.content)
        ids = (action.survivor, *action.others)
        if not begun:
            self._expect(action, planned_at, unpinned=ids)
        undo: dict[str, Any] = {"survivor": self._undo_of(action.survivor), "others": []}
        if not begun:
            values = {"tags": list(action.tags), "created": action.created, "merged_from": list(action.merged_from)}
            self._rewrite(action.survivor, action.content, **values)
        undo["survivor"] |= self._after(action.survivor, begun)
        moved: list[tuple[str, str]] = []
        for id in action.others:
            away = self._put_away(id, merged_into=action.survivor)
            if away:
                undo["others"].append({"id": id, **away})
                moved.append((id, away["archive_path"]))

        def note() -> None:
            at = stamp(self.brain.clock())
            signals = sum(record.signals for record in self.brain.ledger.records(ids).values())
            self._set_score(action.survivor, MERGE, action.score, at, signals, step=0.0)
            undo["survivor"]["evidence"] = self.inheritance.take_over(action.survivor, moved, at)
            for id, archive_path in moved:
                self.brain.ledger.archive_record(id, archive_path, at)

        return undo, note

    def _promote(self, action: Promote, planned_at: str, run: str) -> tuple[Any, Callable[[], None]]:
        facts = [fact for fact, _ in action.facts]
        target = self.brain.known(action.target)
        begun = target is not None and all(f"- {fact}" in target.content.splitlines() for fact in facts)
        if not begun:
            self._expect(action, planned_at)
        undo: dict[str, Any] = {"episode": action.episode, "facts": [mark for _, mark in action.facts], "run": run}
        undo["episode_score"], undo["target"] = self._score(action.episode), self._undo_of(action.target)
        if not begun and target is None:
            self._create(action, with_facts(opening(action.name), facts))
        elif not begun and target is not None:
            self._rewrite(target.id, with_facts(target.content, facts))
        undo["target"] |= self._after(action.target, begun)
        undo["scores_after"] = [action.episode_score, action.target_score]

        def note() -> None:
            at = stamp(self.brain.clock())
            self.brain.ledger.note_promoted(action.episode, undo["facts"], run, at)
            gave = self._set_score(action.episode, PROMOTE, action.episode_score, at)
            undo["earned"] = [at, gave, self._set_score(action.target, PROMOTE, action.target_score, at)]

        return undo, note

    def _create(self, action: Promote, content: str) -> None:
        memory = memories.new(
            "entity", action.name, content, category=action.category, now=self.brain.clock()
        )  # fmt: skip
        if self.brain.index.get(memory.id):
            raise ActionSkipped(f"the id {memory.id} belongs to another memory now")
        data = render(memory)
        try:
            fingerprint = self.brain.files.create(memory.path, data)
        except ClawbrainError as error:
            raise ActionSkipped(str(error)) from None
        self.brain.tell_index(seen(memory.path, data, fingerprint))

    def _archive(self, action: Archive, planned_at: str) -> tuple[Any, Callable[[], None]]:
        if self.brain.known(action.id):
            self._expect(action, planned_at, unpinned=(action.id,))
        away = self._put_away(action.id)
        if not away:
            raise ActionSkipped(f"'{action.id}' is gone")

        def note() -> None:
            self.brain.ledger.archive_record(action.id, away["archive_path"], stamp(self.brain.clock()))

        return {"id": action.id, **away}, note

    def _restore(self, action: Restore) -> tuple[Any, Callable[[], None]]:
        brain, path = self.brain, memories.unnumbered(action.archive_path)
        path = brain.ledger.archived_from(action.archive_path) or path
        if brain.files.archived(action.archive_path):
            self._bring_home(action, path)
        elif brain.known(action.id) is None:  # neither in the archive nor among the memories
            raise ActionSkipped(f"'{action.id}' is gone")

        def note() -> None:
            at = stamp(brain.clock())
            if brain.ledger.archived_id(action.archive_path):
                brain.ledger.restore_record(action.archive_path, path, at, None)
            brain.ledger.set_last_access(action.id, at)

        return {"id": action.id, "digest": action.expects[0].digest}, note

    def _bring_home(self, action: Restore, path: str) -> None:
        """Move a file out of the archive to `path`.

        Raises Skip where the archived text has changed, its id is taken, or another file is at that path.
        """
        brain, memory = self.brain, self.brain.owner.read_archived(action.archive_path)
        if memory is None or content_digest(memory.content) != action.expects[0].digest:
            raise ActionSkipped(f"archive/{action.archive_path} was changed")
        if brain.known(action.id):
            raise ActionSkipped(f"another memory has taken the id '{action.id}'")
        try:
            brain.files.restore(action.archive_path, path)
        except ClawbrainError as error:
            raise ActionSkipped(str(error)) from None
        brain.tell_index(*filter(None, [brain.syncing.see(path)]))

    # The memories that an action expects

    def _expect(self, action: Action, planned_at: str, unpinned: Sequence[str] = ()) -> None:
        """Raise Skip where a memory is gone, or its text or score has changed since the plan, or it was pinned."""
        for expected in action.expects:
            memory = self._fresh(expected.id)
            if memory is None:
                raise ActionSkipped(f"'{expected.id}' is gone")
            if content_digest(memory.content) != expected.digest:
                raise ActionSkipped(f"'{expected.id}' was changed")
            if memory.pinned and expected.id in unpinned:
                raise ActionSkipped(f"'{expected.id}' was pinned")
            record = self.brain.ledger.records([expected.id]).get(expected.id)
            score = self.brain.scores.drifted(record, planned_at) if record else credit.START
            if abs(score - expected.score) > 1e-9:
                raise ActionSkipped(f"the score of '{expected.id}' moved")

    def _fresh(self, id: str) -> Memory | None:
        """Return a memory as its file has it now, or None where it is gone."""
        try:
            return self.brain.load(id)[0]
        except Refused:
            return None

    def _says(self, id: str, content: str) -> bool:
        """Tell whether a memory has this text already."""
        memory = self._fresh(id)
        return memory is not None and memory.content == content.strip("\r\n")

    def _rewrite(self, id: str, content: str, **values: Any) -> None:
        """Give a memory another text and header values."""
        memory, data = self.brain.load(id)
        now = stamp(self.brain.clock())
        new = rewritten(data, content.strip("\r\n"), updated=now, created=memory.created)
        self.brain.replace(memory, data, edited(new, **values), touch=False)

    def _put_away(self, id: str, **values: Any) -> dict[str, str] | None:
        """Move a memory into the archive with these header values; return its paths and its former text's version.

        A memory that a killed run has archived already is found there. Returns None where there is none.
        """
        memory = self._fresh(id)
        if memory is None:
            record = self.brain.ledger.records([id]).get(id)
            places = self.brain.ledger.archived_paths_of(id) + ([record.path] if record else [])
            archive_path = next((path for path in places if self.brain.files.archived(path)), None)
            if archive_path is None:
                return None
            path = memories.unnumbered(archive_path)
        else:
            if any(memory.extra.get(key) != value for key, value in values.items()):
                _, data = self.brain.load(id)
                self.brain.replace(memory, data, edited(data, **values), touch=False)
            path, archive_path = memory.path, self.brain.files.archive(memory.path)
            self.brain.tell_index(gone=[path])
        # The newest text in the history is the one before the header values were set.
        version = self.brain.files.history(id)[-1].name if values else ""
        return {"archive_path": archive_path, "path": path, "version": version}

    # Scores

    def _score(self, id: str) -> float | None:
        record = self.brain.ledger.records([id]).get(id)
        return record.score if record else None

    def _set_score(
        self, id: str, why: str, score: float, at: str, signals: int | None = None, *, step: float | None = None
    ) -> float:
        """Set a score, and add a step in log-odds to the evidence that counts for every question.

        Without `step` it is the change of the score in log-odds. Returns the step; 0 where there is no such memory.
        """
        record = self.brain.ledger.records([id]).get(id)
        memory = self.brain.known(id)
        if record is None and memory:
            self.brain.ledger.add_record(memory, at, None, credit.DECAY_PER_DAY[memory.type])
            record = self.brain.ledger.records([id]).get(id)
        if record is None:
            return 0.0
        old = self.brain.scores.settle_drift(record, at)
        self.brain.ledger.set_score(id, score, at)
        step = credit.logit(score) - credit.logit(old) if step is None else step
        per_day = self.brain.settings().decay.credit_per_day
        self.brain.ledger.add_event(Event(id, why, old, score, per_day=per_day, kind=as_text(()), step=step), at, None)
        if signals is not None:
            self.brain.ledger.set_signals(id, signals)
        return step

    # Undoing

    def undo(self, run: str | None = None) -> Run:
        """Undo a run, by default the newest, action by action; an action whose memories have changed since is kept.

        Raises NotFound for an unknown run, Refused where there is nothing to undo.
        """
        self.brain.may_write()
        with self._alone():
            self._finish_killed()
            self.brain.sync(now=True)
            self.brain.note_waiting()
            stored = self._undoable(run)
            plan = _as_plan(stored.plan)
            said: list[str] = []
            kept: list[str] = []
            for number, outcome, undo in reversed(self.brain.ledger.steps(stored.id)):
                if outcome == _DONE:
                    action = plan.actions[number]
                    why_not = self._undo_step(stored.id, number, action, undo)
                    (kept if why_not else said).append(f"{action.detail}{why_not and f': {why_not}'}")
            self._note_undone(stored.id, said, kept)
        log(INFO, "compaction %s undone: %d actions, %d kept", stored.id, len(said), len(kept))
        details = tuple(f"Undone: {each}" for each in said)
        return Run(id=stored.id, details=details, skipped=tuple(f"Kept: {each}" for each in kept))

    def _undo_step(self, run: str, number: int, action: Action, undo: Any) -> str:
        """Reverse one action; return '' when that is done, else the reason why the action was kept."""
        try:
            with self.brain.locked():
                note = self._reverse(action, undo)
                with self.brain.deciding():
                    note()
                    self.brain.ledger.step_done(run, number, "undone", undo)
        except (ActionSkipped, ClawbrainError) as reason:
            return str(reason)
        return ""

    def _undoable(self, run: str | None) -> StoredRun:
        if run:
            stored = self.brain.ledger.run(run)
            if stored is None:
                raise NotFound(f"run {shown(run)} is not found; `clawbrain log` names the runs.")
        else:
            done = [each for each in self.brain.ledger.runs("done") if self.brain.ledger.steps(each.id)]
            if not done:
                raise Refused("there is no compaction to undo.")
            stored = done[-1]
        if stored.state == "undone":
            raise Refused(f"run {stored.id} is undone already.")
        return stored

    def _note_undone(self, run: str, said: Sequence[str], kept: Sequence[str]) -> None:
        at = stamp(self.brain.clock())
        with self.brain.deciding():
            summary = f"Undid {len(said)} actions" + (f", kept {len(kept)}" if kept else "")
            self.brain.ledger.add_to_log("undo", [], summary, at, run)
            if not kept:
                self.brain.ledger.end_run(run, "undone", at)
        self.brain.write_digest()

    def _reverse(self, action: Action, undo: Mapping[str, Any]) -> Callable[[], None]:
        """Put the files of an action back, and return a function that notes it. Doing it twice does no harm."""
        if isinstance(action, Merge):
            self._expect_left(undo["survivor"], action.score)
            for other in undo["others"]:
                self._expect_away(other)
            for other in reversed(undo["others"]):
                self._bring_back(other)
            self._put_back(undo["survivor"])
            return lambda: self._note_parted(action, undo["survivor"])
        if isinstance(action, Promote):
            self._expect_left(undo["target"], undo["scores_after"][1])
            self._put_back(undo["target"])
            return lambda: self._note_taken_back(action, undo)
        if isinstance(action, Restore):
            return self._put_away_again(action, undo)
        self._expect_away(undo)
        self._bring_back(undo)
        return lambda: None

    def _put_away_again(self, action: Restore, undo: Mapping[str, Any]) -> Callable[[], None]:
        """Archive a restored memory again. Raises Skip where it was changed or pinned since."""
        memory = self._fresh(action.id)
        if memory and memory.pinned:
            raise ActionSkipped(f"'{action.id}' was pinned since")
        if memory and content_digest(memory.content) != undo["digest"]:
            raise ActionSkipped(f"'{action.id}' was changed since")
        away = self._put_away(action.id)
        if not away:
            raise ActionSkipped(f"'{action.id}' is gone")
        return lambda: self.brain.ledger.archive_record(action.id, away["archive_path"], self._now())

    def _note_parted(self, action: Merge, left: Mapping[str, Any]) -> None:
        """Take back the score and the evidence of a merge.

        For a merge from before there were kinds, the evidence is worked out from the change of the score.
        """
        at, journal = self._now(), left.get("evidence")
        self._set_score(action.survivor, UNDO, left["score"], at, step=None if journal is None else 0.0)
        if journal is not None:
            self.inheritance.give_back(action.survivor, journal, at)

    def _note_taken_back(self, action: Promote, undo: Mapping[str, Any]) -> None:
        at = self._now()
        gave, got = self._inverse(undo.get("earned"), at)
        if undo["target"]["score"] is not None:
            self._set_score(action.target, UNDO, undo["target"]["score"], at, step=got)
        if self._score(action.episode) == undo["scores_after"][0]:  # otherwise it was scored since, which stays
            self._set_score(action.episode, UNDO, undo["episode_score"], at, step=gave)
        self.brain.ledger.forget_promoted(undo["run"], undo["episode"], undo["facts"])

    def _inverse(self, earned: Sequence[Any] | None, at: str) -> tuple[float | None, float | None]:
        """Return the steps that take back those of a promotion, or None for each where they were not noted."""
        if earned is None:
            return None, None
        since, *steps = earned
        days, per_day = days_between(since, at), self.brain.settings().decay.credit_per_day
        gave, got = (-credit.faded(step, days, per_day) for step in steps)
        return gave, got

    def _now(self) -> str:
        return stamp(self.brain.clock())

    def _undo_of(self, id: str) -> dict[str, Any]:
        return {"id": id, "score": self._score(id)}

    def _after(self, id: str, begun: bool) -> dict[str, Any]:
        """Return the hash of a memory's file, and the version in its history that it replaced."""
        _, data = self.brain.load(id)
        versions = self.brain.files.history(id)
        return {"digest": digest(data), "version": versions[-1].name if versions else ""}

    def _expect_left(self, left: Mapping[str, Any], score: float) -> None:
        """Raise Skip where a memory is neither as the run left it nor put back already by an undo that was killed."""
        memory = self._fresh(left["id"])
        if memory is None:
            if left["score"] is None and self.brain.ledger.archived_paths_of(left["id"]):
                return
            raise ActionSkipped(f"'{left['id']}' is gone")
        if digest(self.brain.load(left["id"])[1]) not in (left["digest"], self._digest_before(left)):
            raise ActionSkipped(f"'{left['id']}' was changed since")
        if self._score(left["id"]) != score:
            raise ActionSkipped(f"the score of '{left['id']}' moved since")

    def _digest_before(self, left: Mapping[str, Any]) -> str:
        if not left["version"]:
            return ""
        return digest(self.brain.files.old_text(left["id"], left["version"]))

    def _put_back(self, left: Mapping[str, Any]) -> None:
        """Put a memory's earlier text back; a memory that the run made is archived."""
        brain = self.brain
        if left["score"] is None:
            if self._fresh(left["id"]):
                brain.archive(left["id"])
            return
        memory, data = brain.load(left["id"])
        if digest(data) == left["digest"] and left["version"]:
            brain.replace(memory, data, brain.files.old_text(memory.id, left["version"]), touch=False)

    def _expect_away(self, away: Mapping[str, str]) -> None:
        """Raise Skip where an archived memory is gone from the archive or its id is taken."""
        id, path = away["id"], away["archive_path"]
        live = self.brain.index.get(id)
        if live is None and not self.brain.files.archived(path):
            raise ActionSkipped(f"archive/{path} is no longer there")
        if live is not None and self.brain.files.archived(path):
            raise ActionSkipped(f"another memory has taken the id '{id}'")

    def _bring_back(self, away: Mapping[str, str]) -> None:
        """Restore a memory with the text it had before it was merged."""
        brain = self.brain
        if brain.files.archived(away["archive_path"]):
            brain.restore(f"{ARCHIVE}/{away['archive_path']}", wanted=False)
        memory, data = brain.load(away["id"])
        if away["version"] and memory.extra.get("merged_into"):
            brain.replace(memory, data, brain.files.old_text(memory.id, away["version"]), touch=False)

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
            plan = _as_plan(stored.plan)
            log(WARNING, "compaction %s was interrupted and is finished now", stored.id)
            self._carry_out(stored.id, plan)
            self._conclude(stored.id, plan)
            self.brain.warn(f"the compaction {stored.id}, which was interrupted, has been finished.")

    @contextmanager
    def _alone(self, patience: float = _PATIENCE) -> Iterator[None]:
        """Hold `run.lock`. Raises Busy when another process holds it for longer than `patience` seconds."""
        fd = os.open(self.brain.storage.folder / "run.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
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


def _counts(actions: Sequence[Action]) -> str:
    """Return how many actions each phase has, in words for a log line."""
    return ", ".join(f"{phase} {sum(type(each) is kind for each in actions)}" for kind, phase in _PHASES.items())


def _as_text(plan: CompactionPlan) -> str:
    actions = [to_json(action) for action in plan.actions]
    return json.dumps({"now": plan.now, "actions": actions, "conflicts": [asdict(each) for each in plan.conflicts]})


def _without_texts(plan: CompactionPlan) -> CompactionPlan:
    """Return a finished plan without its texts, which are in the files: enough to show the run and to undo it."""
    return CompactionPlan(tuple(map(_without_text, plan.actions)), now=plan.now)


def _without_text(action: Action) -> Action:
    if isinstance(action, Merge):
        return replace(action, content="")
    return replace(action, facts=()) if isinstance(action, Promote) else action


def _as_plan(text: str) -> CompactionPlan:
    row = json.loads(text)
    return CompactionPlan(
        tuple(from_json(action) for action in row["actions"]),
        conflicts=tuple(Conflict(**each) for each in row["conflicts"]),
        now=row["now"],
    )


def _run(id: str, plan: CompactionPlan, outcomes: Sequence[str]) -> Run:
    done = [action for action, outcome in zip(plan.actions, outcomes, strict=True) if outcome == _DONE]
    return Run(
        id=id,
        merged=sum(isinstance(action, Merge) for action in done),
        promoted=sum(isinstance(action, Promote) for action in done),
        archived=sum(isinstance(action, Archive) for action in done),
        details=tuple(action.detail for action in done),
        reasons=tuple(action.reason for action in done),
        skipped=tuple(
            f"{action.detail}: {outcome.removeprefix(_SKIPPED)}"
            for action, outcome in zip(plan.actions, outcomes, strict=True)
            if outcome != _DONE
        ),
        notes=plan.notes,
    )
