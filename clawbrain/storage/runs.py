"""The runs in the ledger: a compaction is noted before it begins and after each step.

So it can be finished after a kill, and undone.
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from .ledger_file import LedgerFile
from .sound import is_json

UNDONE = "undone"  # the outcome of a step that was taken back, and the state of a run of which all were


class StoredRun(NamedTuple):
    """A compaction as stored: its plan is JSON, `done` the number of actions carried out."""

    id: str
    plan: str
    done: int
    state: str  # running, done, undone
    created_at: str


class Runs(LedgerFile):
    """The compactions, their steps, and the facts that they promoted."""

    def begin_run(self, id: str, plan: str, at: str) -> None:
        """Note a compaction that begins, with its plan as JSON."""
        self._db.do("INSERT INTO runs (id, plan, done, state, created_at) VALUES (?, ?, 0, 'running', ?)", id, plan, at)

    def step_done(self, run: str, number: int, outcome: str, undo: Any) -> None:
        """Note the outcome of an action, and what is needed to undo it."""
        self._db.do(
            "INSERT OR REPLACE INTO run_steps (run, number, outcome, undo) VALUES (?, ?, ?, ?)",
            *(run, number, outcome, json.dumps(undo, ensure_ascii=False)),
        )
        self._db.do("UPDATE runs SET done = ? WHERE id = ?", number + 1, run)

    def end_run(self, id: str, state: str, at: str, plan: str | None = None) -> None:
        """Set the state in which a run ended, and replace its plan where one is given."""
        self._db.do(
            "UPDATE runs SET state = ?, ended_at = ?, plan = coalesce(?, plan) WHERE id = ?", *(state, at, plan, id)
        )

    def run(self, id: str) -> StoredRun | None:
        """Return a run, or None where there is none or its plan cannot be read."""
        row = self._one("SELECT id, plan, done, state, created_at FROM runs WHERE id = ?", id)
        return StoredRun(*row) if row and is_json(row[1]) else None

    def runs(self, state: str) -> list[StoredRun]:
        """Return the runs in a state, the oldest first."""
        rows = self._all(
            "SELECT id, plan, done, state, created_at FROM runs WHERE state = ? ORDER BY created_at, rowid", state
        )
        return [StoredRun(*row) for row in rows if is_json(row[1])]

    def steps(self, run: str) -> list[tuple[int, str, Any]]:
        """Return the steps of a run: number, outcome, and what is needed to undo it."""
        rows = self._all("SELECT number, outcome, undo FROM run_steps WHERE run = ? ORDER BY number", run)
        return [(row[0], row[1], json.loads(row[2])) for row in rows if is_json(row[2])]

    def step(self, run: str, number: int) -> tuple[str, Any] | None:
        row = self._one("SELECT outcome, undo FROM run_steps WHERE run = ? AND number = ?", run, number)
        return (row[0], json.loads(row[1])) if row and is_json(row[1]) else None

    def undone(self, action: str) -> list[dict[str, Any]]:
        """Return the undone actions of one kind, of all runs, as their plans have them."""
        rows = self._all(
            "SELECT json_extract(plan, '$.actions[' || number || ']') FROM run_steps JOIN runs ON runs.id = run "
            "WHERE outcome = ? AND json_valid(plan)",
            UNDONE,
        )
        found = (json.loads(row[0]) for row in rows if row[0])
        return [each for each in found if isinstance(each, dict) and each.get("action") == action]

    def promoted(self) -> set[tuple[str, str]]:
        """Return the facts that were promoted, each as the id of its episode and the hash of the fact."""
        return {(row[0], row[1]) for row in self._all("SELECT episode_id, fact_hash FROM promoted")}

    def note_promoted(self, episode_id: str, facts: Iterable[str], run: str, at: str) -> None:
        """Note the hashes of facts that a run has promoted from an episode."""
        for fact in facts:
            self._db.do("INSERT OR IGNORE INTO promoted VALUES (?, ?, ?, ?)", episode_id, fact, run, at)

    def forget_promoted(self, run: str, episode_id: str, facts: Iterable[str]) -> None:
        for fact in facts:
            self._db.do(
                "DELETE FROM promoted WHERE run = ? AND episode_id = ? AND fact_hash = ?", run, episode_id, fact
            )
