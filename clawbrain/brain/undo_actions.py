"""Reverse the actions of a compaction one by one: `put_back` changes the files, then `note` writes the ledger.

An action whose memories have changed since the run is kept. Doing a step twice does no harm, so an undo that was
killed is repeated.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import credit
from ..compaction.actions import Action, Merge, Promote, Restore, content_digest
from ..credit_evidence import UNDO
from ..memory.model import days_between, digest, stamp
from ..memory.text import edited
from ..storage.folders import ARCHIVE
from .apply_actions import ActionSkipped
from .inheritance import Inheritance

if TYPE_CHECKING:
    from . import Brain


class ActionUndoer:
    """Reverses the actions of one run, from what `ActionApplier` noted for that."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.decay = brain.policy.settings().decay
        self.inheritance = Inheritance(brain.ledger, self.decay.credit_per_day)

    def put_back(self, action: Action, undo: Mapping[str, Any]) -> str:
        """Put the files of an action back; return where a memory that it restored is archived again, else ''.

        Raises ActionSkipped where a memory is no longer as the run left it.
        """
        if isinstance(action, Merge):
            self._expect_unchanged(undo["survivor"])
            for other in undo["others"]:
                self._expect_archived(other)
                self._expect_unedited(other, action.survivor)
            self._bring_back(undo["others"][::-1])
            self._put_text_back(undo["survivor"])
        elif isinstance(action, Promote):
            self._expect_unchanged(undo["target"])
            self._put_text_back(undo["target"])
        elif isinstance(action, Restore):
            return self._archive_again(action, undo)
        else:
            self._expect_archived(undo)
            self._bring_back([undo])
        return ""

    def note(self, action: Action, undo: Mapping[str, Any], archive_path: str) -> None:
        """Note a reversed action in the ledger. The caller has begun a transaction."""
        at = stamp(self.brain.clock())
        if isinstance(action, Merge):
            for other in undo["others"]:
                self._note_back(other, at)
            self._note_parted(action, undo["survivor"], at)
        elif isinstance(action, Promote):
            self._note_taken_back(action, undo, at)
        elif isinstance(action, Restore):
            self.brain.archiver.note_archived(action.id, archive_path, at)
        else:
            self._note_back(undo, at)

    def _note_back(self, archived: Mapping[str, str], at: str) -> None:
        """Note that a memory is back from the archive, unless whoever scanned its file first has noted that."""
        ledger, archive_path = self.brain.ledger, archived["archive_path"]
        if ledger.archived_id(archive_path) == archived["id"]:
            ledger.restore_record(archive_path, archived["path"], at, None)
            said = f"Restored '{archived['id']}' from archive/{archive_path} to {archived['path']}"
            ledger.add_to_log("restore", [archived["id"]], said, at)

    # Files

    def _expect_unchanged(self, left: Mapping[str, Any]) -> None:
        """Raise ActionSkipped where a file is neither as the run left it nor put back by an undo that was killed."""
        memory = self.brain.finder.current(left["id"])
        if memory is None:
            if left["score"] is None and self.brain.ledger.archived_paths_of(left["id"]):
                return
            raise ActionSkipped(f"'{left['id']}' is gone")
        if digest(self.brain.finder.load(left["id"])[1]) not in (left["digest"], self._digest_before(left)):
            raise ActionSkipped(f"'{left['id']}' was changed since")

    def _digest_before(self, left: Mapping[str, Any]) -> str:
        return digest(self.brain.files.old_text(left["id"], left["version"])) if left["version"] else ""

    def _put_text_back(self, left: Mapping[str, Any]) -> None:
        """Put a memory's earlier text back; a memory that the run made is archived."""
        brain = self.brain
        if left["score"] is None:
            if brain.finder.current(left["id"]):
                brain.archiver.archive(left["id"])
            return
        memory, data = brain.finder.load(left["id"])
        if digest(data) == left["digest"] and left["version"]:
            brain.writer.replace(memory, data, brain.files.old_text(memory.id, left["version"]), touch=False)

    def _expect_archived(self, archived: Mapping[str, str]) -> None:
        """Raise ActionSkipped where an archived memory is gone from the archive or its id is taken."""
        id, path = archived["id"], archived["archive_path"]
        live, there = self.brain.index.get(id), self.brain.files.archived(path)
        if live is None and not there:
            raise ActionSkipped(f"archive/{path} is no longer there")
        if live is not None and there:
            raise ActionSkipped(f"another memory has taken the id '{id}'")
        if there and self.brain.ledger.archived_id(path) not in (None, id):
            raise ActionSkipped(f"archive/{path} holds another memory now")

    def _expect_unedited(self, archived: Mapping[str, str], into: str) -> None:
        """Raise ActionSkipped where a merged memory, archived or restored by hand, was changed since."""
        id, brain = archived["id"], self.brain
        if not archived["version"]:
            return
        if brain.files.archived(archived["archive_path"]):
            data, _ = brain.files.read(archived["archive_path"], ARCHIVE)
        else:
            _, data = brain.finder.load(id)
        before = brain.archiver.text_before(archived)
        if data not in (before, edited(before, merged_into=into)):
            raise ActionSkipped(f"'{id}' was changed since")

    def _bring_back(self, archived: Sequence[Mapping[str, str]]) -> None:
        """Restore memories with the texts that they had before they were merged."""
        brain = self.brain
        for each in archived:
            if brain.files.archived(each["archive_path"]):
                brain.archiver.bring_back(each["archive_path"])
        merged = [each for each in archived if each["version"]]
        if merged:  # all get their records back at once: a text that is replaced is kept by the life of its memory
            brain.bookkeeping.note(lambda: None, *(each["id"] for each in merged))
        for each in merged:
            memory, data = brain.finder.load(each["id"])
            if memory.extra.get("merged_into"):
                brain.writer.replace(memory, data, brain.archiver.text_before(each), touch=False)

    def _archive_again(self, action: Restore, undo: Mapping[str, Any]) -> str:
        """Archive a restored memory again; return its new path. Raises ActionSkipped where it was changed or pinned."""
        memory = self.brain.finder.current(action.id)
        if memory and memory.pinned:
            raise ActionSkipped(f"'{action.id}' was pinned since")
        if memory and content_digest(memory.content) != undo["digest"]:
            raise ActionSkipped(f"'{action.id}' was changed since")
        archived = self.brain.archiver.move_away(action.id)
        if not archived:
            raise ActionSkipped(f"'{action.id}' is gone")
        return archived["archive_path"]

    # Scores and evidence

    def _note_parted(self, action: Merge, left: Mapping[str, Any], at: str) -> None:
        """Take back the score and the evidence of a merge; what the survivor has earned since stays with it.

        For a merge from before there were kinds, the evidence is worked out from the change of the score.
        """
        journal = left.get("evidence")
        step = None if journal is None else 0.0
        score = self._with_what_was_earned(action.survivor, left["score"], action.score)
        self.brain.scores.assign(action.survivor, UNDO, score, at, self.decay, step=step)
        if journal is not None:
            self.inheritance.give_back(action.survivor, journal, at)

    def _note_taken_back(self, action: Promote, undo: Mapping[str, Any], at: str) -> None:
        """Take back the scores of a promotion, and forget which facts it promoted."""
        scores = self.brain.scores
        gave, got = self._inverse(undo.get("earned"), at)
        if undo["target"]["score"] is not None:
            score = self._with_what_was_earned(action.target, undo["target"]["score"], undo["scores_after"][1])
            scores.assign(action.target, UNDO, score, at, self.decay, step=got)
        if scores.recorded(action.episode) == undo["scores_after"][0]:  # otherwise it was scored since, which stays
            scores.assign(action.episode, UNDO, undo["episode_score"], at, self.decay, step=gave)
        self.brain.ledger.forget_promoted(undo["run"], undo["episode"], undo["facts"])

    def _with_what_was_earned(self, id: str, before: float, after: float) -> float:
        """Return the score of before a run, moved by what a memory has earned since the run left it with another."""
        now = self.brain.scores.recorded(id)
        if now is None or now == after:
            return before
        return credit.moved(before, credit.logit(now) - credit.logit(after))

    def _inverse(self, earned: Sequence[Any] | None, at: str) -> tuple[float | None, float | None]:
        """Return the steps that take back those of a promotion, or None for each where they were not noted."""
        if earned is None:
            return None, None
        since, *steps = earned
        days = days_between(since, at)
        gave, got = (-credit.faded(step, days, self.decay.credit_per_day) for step in steps)
        return gave, got
