"""Carry out the actions of a compaction one by one: `apply` changes the files, then `note` writes the ledger.

An action whose memories are not as the plan expects is skipped. A process may be killed between any two steps, so each
step first looks whether it is done already, and scores are set, never added to.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import credit, redaction
from ..compaction.actions import Action, Archive, Expected, Merge, Promote, Restore, content_digest
from ..compaction.facts import opening, with_facts
from ..credit_evidence import MERGE, PROMOTE
from ..errors import ClawbrainError
from ..memory import model as memories
from ..memory.model import digest, stamp
from ..memory.text import edited, render, rewritten
from ..storage.sync import seen
from .inheritance import Inheritance
from .take_back import TakingBack

if TYPE_CHECKING:
    from . import Brain


class ActionSkipped(Exception):
    """An action is skipped because something it expected has changed; the message says what."""


class ActionApplier:
    """Carries out the actions of one run."""

    def __init__(self, brain: "Brain", run: str, planned_at: str) -> None:
        self.brain, self.run, self.planned_at = brain, run, planned_at
        self.decay = brain.policy.settings().decay
        self.inheritance = Inheritance(brain.ledger, self.decay.credit_per_day)
        self.taking_back = TakingBack(brain)

    def apply(self, action: Action) -> dict[str, Any]:
        """Change the files as an action says; return what undoing it needs, as JSON. Raises ActionSkipped."""
        if isinstance(action, Merge):
            return self._merge(action)
        if isinstance(action, Promote):
            return self._promote(action)
        if isinstance(action, Restore):
            return self._restore(action)
        return self._archive(action)

    def note(self, action: Action, undo: dict[str, Any]) -> None:
        """Note an applied action in the ledger, and add to `undo` what was changed there.

        The caller has begun a transaction.
        """
        at = stamp(self.brain.clock())
        if isinstance(action, Merge):
            self._note_merge(action, undo, at)
        elif isinstance(action, Promote):
            self._note_promotion(action, undo, at)
        elif isinstance(action, Restore):
            self._note_restored(action, at)
        else:
            self.brain.archiver.note_archived(action.id, undo["archive_path"], at)

    # Merging

    def _merge(self, action: Merge) -> dict[str, Any]:
        undo: dict[str, Any] = {"survivor": self._before(action.survivor), "others": []}
        try:
            begun = self._says(action.survivor, action.content)
            self._expect_parts(action, begun)
        except ActionSkipped:
            self.taking_back.take_back(action)
            raise
        if not begun:
            values = {"tags": list(action.tags), "created": action.created, "merged_from": list(action.merged_from)}
            self._rewrite(action.survivor, action.content, **values)
        undo["survivor"] |= self._after(action.survivor, action.expects[0], action.content, action.tags)
        for id in action.others:
            if archived := self.brain.archiver.move_away(id, merged_into=action.survivor):
                undo["others"].append({"id": id, **archived})
        return undo

    def _expect_parts(self, action: Merge, begun: bool) -> None:
        """Raise ActionSkipped where a memory of a merge is not as planned, or as a killed process left it."""
        for expected in action.expects:
            memory = self.brain.finder.current(expected.id)
            if memory is None and self.taking_back.archived_by(action, expected.id):
                continue
            written = begun and expected.id == action.survivor
            if not written:
                self._expect_one(expected, unpinned=True)
            if memory is not None and not all(_is_among(tag, action.tags) for tag in memory.tags):
                raise ActionSkipped(f"'{expected.id}' was tagged")

    def _note_merge(self, action: Merge, undo: dict[str, Any], at: str) -> None:
        ledger, moved = self.brain.ledger, [(each["id"], each["archive_path"]) for each in undo["others"]]
        signals = sum(record.signals for record in ledger.records((action.survivor, *action.others)).values())
        self.brain.scores.assign(action.survivor, MERGE, action.score, at, self.decay, signals, step=0.0)
        undo["survivor"]["evidence"] = self.inheritance.take_over(action.survivor, moved, at)
        for id, archive_path in moved:
            self.brain.archiver.note_archived(id, archive_path, at)

    # Promoting

    def _promote(self, action: Promote) -> dict[str, Any]:
        facts = [fact for fact, _ in action.facts]
        target = self.brain.finder.known(action.target)
        begun = target is not None and all(f"- {fact}" in target.content.splitlines() for fact in facts)
        if not begun:
            self._expect(action)
        undo: dict[str, Any] = {
            "episode": action.episode,
            "facts": [mark for _, mark in action.facts],
            "run": self.run,
            "episode_score": self.brain.scores.recorded(action.episode),
            "scores_after": [action.episode_score, action.target_score],
        }
        before = {"id": action.target, "score": None} if action.new else self._before(action.target)
        if not begun and target is None:
            self._create(action, with_facts(opening(action.name), facts))
        elif not begun and target is not None:
            self._rewrite(target.id, with_facts(target.content, facts))
        return undo | {"target": before | self._after_promotion(action, facts)}

    def _after_promotion(self, action: Promote, facts: Sequence[str]) -> dict[str, str]:
        """Return what `_after` returns for the entity that got the facts."""
        if action.new:
            return self._after(action.target, None, with_facts(opening(action.name), facts), ())
        expected = action.expects[1]
        before = self.taking_back.former(action.target, expected.digest)
        if before is None:
            return {"digest": "", "version": ""}
        return self._after(action.target, expected, with_facts(before.content, facts), before.tags, before.pinned)

    def _create(self, action: Promote, content: str) -> None:
        """Make the entity that gets the facts. Raises ActionSkipped where its id or path is taken."""
        memory = memories.new("entity", action.name, content, category=action.category, now=self.brain.clock())
        if self.brain.index.get(memory.id):
            raise ActionSkipped(f"the id {memory.id} belongs to another memory now")
        data = render(memory)
        try:
            fingerprint = self.brain.files.create(memory.path, data)
        except ClawbrainError as error:
            raise ActionSkipped(str(error)) from None
        self.brain.tell_index(seen(memory.path, data, fingerprint))

    def _note_promotion(self, action: Promote, undo: dict[str, Any], at: str) -> None:
        self.brain.ledger.note_promoted(action.episode, undo["facts"], self.run, at)
        gave = self.brain.scores.assign(action.episode, PROMOTE, action.episode_score, at, self.decay)
        got = self.brain.scores.assign(action.target, PROMOTE, action.target_score, at, self.decay)
        undo["earned"] = [at, gave, got]

    # Archiving and restoring

    def _archive(self, action: Archive) -> dict[str, Any]:
        if self.brain.finder.known(action.id):
            self._expect(action, unpinned=(action.id,))
        archived = self.brain.archiver.move_away(action.id)
        if not archived:
            raise ActionSkipped(f"'{action.id}' is gone")
        return {"id": action.id, **archived}

    def _restore(self, action: Restore) -> dict[str, Any]:
        if self.brain.files.archived(action.archive_path):
            self._bring_home(action)
        elif self.brain.finder.known(action.id) is None:  # neither in the archive nor among the memories
            raise ActionSkipped(f"'{action.id}' is gone")
        return {"id": action.id, "digest": action.expects[0].digest}

    def _bring_home(self, action: Restore) -> None:
        """Move a file out of the archive to its former path.

        Raises ActionSkipped where the archived text has changed, its id is taken, or another file is at that path.
        """
        brain, memory = self.brain, self.brain.owner.read_archived(action.archive_path)
        if memory is None or content_digest(memory.content) != action.expects[0].digest:
            raise ActionSkipped(f"archive/{action.archive_path} was changed")
        if brain.finder.known(action.id):
            raise ActionSkipped(f"another memory has taken the id '{action.id}'")
        path = brain.archiver.former_path(action.archive_path)
        try:
            brain.files.restore(action.archive_path, path)
        except ClawbrainError as error:
            raise ActionSkipped(str(error)) from None
        brain.tell_index(*filter(None, [brain.syncing.see(path)]))

    def _note_restored(self, action: Restore, at: str) -> None:
        ledger = self.brain.ledger
        if ledger.archived_id(action.archive_path):
            ledger.restore_record(action.archive_path, self.brain.archiver.former_path(action.archive_path), at, None)
        ledger.set_last_access(action.id, at)

    # The memories of an action

    def _expect(self, action: Action, unpinned: Sequence[str] = ()) -> None:
        """Raise ActionSkipped where a memory is gone or pinned, or its text or score has changed since the plan."""
        for expected in action.expects:
            self._expect_one(expected, unpinned=expected.id in unpinned)

    def _expect_one(self, expected: Expected, *, unpinned: bool) -> None:
        memory = self.brain.finder.current(expected.id)
        if memory is None:
            raise ActionSkipped(f"'{expected.id}' is gone")
        if content_digest(memory.content) != expected.digest:
            raise ActionSkipped(f"'{expected.id}' was changed")
        if memory.pinned and unpinned:
            raise ActionSkipped(f"'{expected.id}' was pinned")
        record = self.brain.ledger.records([expected.id]).get(expected.id)
        score = self.brain.scores.drifted(record, self.planned_at, self.decay) if record else credit.START
        if abs(score - expected.score) > 1e-9:
            raise ActionSkipped(f"the score of '{expected.id}' moved")

    def _says(self, id: str, content: str) -> bool:
        """Tell whether a memory has this text already, because a killed process wrote it."""
        memory = self.brain.finder.current(id)
        return memory is not None and memory.content == content.strip("\r\n")

    def _rewrite(self, id: str, content: str, **values: Any) -> None:
        """Give a memory another text and header values."""
        memory, data = self.brain.finder.load(id)
        now = stamp(self.brain.clock())
        new = rewritten(data, content.strip("\r\n"), updated=now, created=memory.created)
        self.brain.writer.replace(memory, data, edited(new, **values), touch=False)

    def _before(self, id: str) -> dict[str, Any]:
        """Return the score that an undo gives back to a memory; None for one that this action makes."""
        return {"id": id, "score": self.brain.scores.recorded(id)}

    def _after(
        self, id: str, expected: Expected | None, content: str, tags: Sequence[str], pinned: bool = False
    ) -> dict[str, str]:
        """Return the hash of a memory's file, and the version in its history that the action replaced.

        The hash is "" where somebody changed the file since a killed process wrote this content: an undo leaves it.
        """
        memory, data = self.brain.finder.load(id)
        ours = (memory.content, memory.tags, memory.pinned) == (content.strip("\r\n"), tuple(tags), pinned)
        version = self.taking_back.version_of(id, expected.digest) if expected else ""
        return {"digest": digest(data) if ours else "", "version": version}


def _is_among(tag: str, tags: Sequence[str]) -> bool:
    """Tell whether a tag is one of some tags that may be without secrets."""
    return tag in tags or redaction.redacted(tag) in tags
