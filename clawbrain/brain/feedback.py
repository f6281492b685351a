"""Scoring by feedback: signals change the scores of the memories a session was shown; and the report on all scores."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .. import credit
from ..credit import Credit, Earned, Step
from ..credit_evidence import as_text
from ..errors import Invalid, Refused
from ..memory.model import days_between, shown, stamp
from ..storage.credit_records import Event
from ..storage.turn_log import LoggedSearch
from ..storage.turns import Turn
from .results import Feedback, Move, Report, ReportRow

if TYPE_CHECKING:
    from ..strategy.settings import Strategy
    from . import Brain


class Learning:
    """Feedback and reports in one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def feedback(self, signal: str, used_ids: Sequence[str] = ()) -> Feedback:
        """Score the turns since the last signal; return how the scores changed.

        The newest turn is scored, and each other one that holds a used memory. Raises Invalid for an unknown signal or
        an id that was not shown, Refused without a session or a turn.
        """
        self.brain.may_write()
        if signal not in credit.SIGNALS:
            raise Invalid(f"signal {shown(signal)} is unknown: use one of {', '.join(credit.SIGNALS)}.")
        if not self.brain.session:
            raise Refused(
                "nothing was found or handed over here since the last signal, so there is nothing to score; "
                "--session names another session."
            )
        with self.brain.bookkeeping.deciding():
            recent = self.brain.calling.recent
            since = stamp(self.brain.clock() - recent) if recent else ""
            turns = self.brain.ledger.turns_since_signal(self.brain.session, since)
            if not turns:
                raise Refused("no memory was found or retrieved since the last signal, so there is nothing to score.")
            if recent:
                named = ", ".join(turns[-1].ids)
                self.brain.warn(f"this call has no session: the newest search of the last hour was scored, of {named}.")
            used = self._used(used_ids, turns)
            scored = [turn for turn in turns if turn is turns[-1] or not used.isdisjoint(turn.ids)]
            return self._score(scored, signal, used)

    def outcome(self, signal: str, id: str) -> Feedback:
        """Score one memory in a turn of its own, without a question. Needs a session.

        The turn is noted beside the session's own, which wait for their signal as before.
        """
        self.brain.may_write()
        session, at = f"{self.brain.session}-outcomes", stamp(self.brain.clock())
        with self.brain.bookkeeping.deciding(id):
            self.brain.ledger.record_searches([LoggedSearch(os.urandom(8).hex(), session, at, [id])])
            return self._score(self.brain.ledger.turns_since_signal(session)[-1:], signal, {id})

    def _used(self, references: Sequence[str], turns: Sequence[Turn]) -> set[str]:
        """Return the ids named as used. Raises Invalid for one that was not shown since the last signal."""
        seen = {id for turn in turns for id in turn.ids}
        found = {ref: ref if ref in seen else getattr(self.brain.finder.known(ref), "id", None) for ref in references}
        strange = [shown(ref) for ref, id in found.items() if id not in seen]
        if strange:
            raise Invalid(f"not seen in this session since the last signal: {', '.join(strange)}; nothing was scored.")
        return {id for id in found.values() if id}

    def _score(self, turns: Sequence[Turn], signal: str, used: set[str]) -> Feedback:
        """Score these turns, and mark them with the signal."""
        ids = list(dict.fromkeys(id for turn in turns for id in turn.ids))
        moves = self._learn(turns, ids, signal, used)
        self.brain.ledger.mark_turns(turns, signal)
        return Feedback(signal, len(ids), [move for move in moves if move.new_score != move.old_score])

    def _learn(self, turns: Sequence[Turn], ids: Sequence[str], signal: str, used: set[str]) -> list[Move]:
        """Change scores and evidence by an event for each memory and turn; return the change of each memory's score."""
        brain = self.brain
        records = brain.ledger.records(ids)
        known = brain.scores.earned(records.keys(), stamp(brain.clock()), brain.policy.settings().decay)
        earned = {id: known.get(id, Earned()) for id in records}
        steps = credit.learn([turn.lesson for turn in turns], used, earned, brain.ledger.balance())
        return self.take(steps, signal, os.urandom(8).hex(), brain.policy.settings())

    def take(self, steps: Sequence[Step], signal: str, signal_id: str, settings: "Strategy") -> list[Move]:
        """Write the steps of a signal as events; return the change of each memory's score.

        The caller is within `deciding()`. A step about a memory without a credit record is passed over.
        """
        brain, now = self.brain, stamp(self.brain.clock())
        records = brain.ledger.records({step.id for step in steps})
        steps = [step for step in steps if step.id in records]
        reached = dict.fromkeys(step.id for step in steps)
        before = {id: brain.scores.note_drift(records[id], now, settings.decay) for id in reached}
        scores = dict(before)
        for step in steps:
            event = self._event(step, signal, scores[step.id], settings, signal_id)
            brain.ledger.add_event(event, now, brain.session)
            scores[step.id] = event.new_score
        for id, score in scores.items():
            brain.ledger.set_score(id, score, now, signal=True)
        return [Move(id, before[id], scores[id]) for id in reached]

    def _event(self, step: Step, signal: str, score: float, settings: "Strategy", signal_id: str) -> Event:
        reward, rate, per_day = credit.SIGNALS[signal], settings.credit.learning_rate, settings.decay.credit_per_day
        moves = credit.step(reward, step.share, step.expected, rate)
        return Event(
            step.id, signal, score, credit.moved(score, moves), reward, signal_id, step.share, step.expected, rate,
            per_day=per_day, kind=as_text(step.kind), step=moves,
        )  # fmt: skip

    def report(self, top_n: int = 10) -> Report:
        """Return the number of memories, the average score, and the `top_n` highest and lowest scores."""
        self.brain.sync()
        self.brain.warn_if_overdue()
        now, strategy = stamp(self.brain.clock()), self.brain.policy.settings()
        entries = self.brain.scores.credits(None, now, strategy.decay)
        live = {id: entries.get(id, Credit()) for id in self.brain.index.ids()}
        ranked = sorted(live, key=lambda id: (-live[id].score, id))
        most = max(1, min(100, top_n))
        return Report(
            total_memories=len(live),
            avg_score=sum(entry.score for entry in live.values()) / len(live) if live else 0.0,
            top=[self._row(id, live[id]) for id in ranked[:most]],
            bottom=[self._row(id, live[id]) for id in sorted(live, key=lambda id: (live[id].score, id))[:most]],
            prune_candidates=self._prune_candidates(entries, strategy, now),
            last_consolidation=self.brain.ledger.note_of("last_consolidation"),
            last_pruning=self.brain.ledger.note_of("last_pruning"),
        )

    def _prune_candidates(self, entries: Mapping[str, Credit], strategy: "Strategy", now: str) -> int:
        """Return how many memories a compaction would prune; only those with a low score are examined closely."""
        rate = max(strategy.decay.entity_per_day, strategy.decay.episode_per_day)
        faded = [
            memory
            for id, entry in entries.items()
            if credit.effective(entry.score, days_between(entry.last_accessed or entry.created, now), rate)
            < strategy.pruning.max_score
            and (memory := self.brain.index.get(id))
        ]
        if not faded or not strategy.pruning.enabled:
            return 0
        from ..compaction.pruning import prunable

        return len(prunable(faded, entries, strategy, now, self.brain.declared.kinds))

    def _row(self, id: str, entry: Credit) -> ReportRow:
        memory = self.brain.index.get(id)
        return ReportRow(id, memory.name if memory else id, entry.score, entry.access_count)
