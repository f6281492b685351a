"""Contradictions and near-duplicates: found when a memory is written, and kept until a person resolves them.

They never block a write. Candidates are found by their rarest words, so the store is not read as a whole; a pair of
claims that was resolved once is remembered by the hashes of both and not reported again.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from .. import contradictions, words
from ..errors import Archived, NotFound, Pinned, Refused
from ..memory.model import Memory, stamp
from ..memory.text import body
from ..storage.candidates import Filter
from ..storage.claim_marks import described
from ..storage.contradiction_rows import UNRESOLVED, Contradiction, Side
from .results import Resolved
from .standing import claim_in, makes, standing

if TYPE_CHECKING:
    from . import Brain

RESOLUTIONS = ("kept_a", "kept_b", "merged", "dismissed")
_CANDIDATES = 50
_FEW = 5  # candidates of its own category that are enough
_READ = 10_000  # characters of each text that are compared; their words are also used to find other memories
_COMPARED = 16_000  # characters of all other texts together that one text is compared with, the most alike first
_SHOWN = 5


class Conflicts:
    """The contradictions of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    # Finding

    def compared(self, memory: Memory) -> tuple[list[tuple[str, float]], list[tuple[str, str]]]:
        """Return the memories that say nearly the same as a new one, and those that it contradicts."""
        settings, others = self.brain.policy.settings(), self._sharing(memory, Filter(memory.type))
        similar = self._similar(memory, _likest(others), settings.duplicates.threshold)
        if memory.type != "entity" or not settings.contradictions.enabled:
            return similar, []
        rivals = [other for other in others if other.category == memory.category]
        if len(rivals) < _FEW and len(others) == _CANDIDATES:  # other categories may have crowded its own out
            rivals = self._sharing(memory, Filter(memory.type, memory.category))
        return similar, self._contradicted(memory, _likest(rivals), "")

    def notice(self, memory: Memory, former: str = "") -> list[tuple[str, str]]:
        """Return what an entity's text contradicts, by id: other entities of its category, or its own former text."""
        if not self.brain.policy.settings().contradictions.enabled:
            return []
        rivals = self._sharing(memory, Filter(memory.type, memory.category))
        return self._contradicted(memory, _likest(rivals), former)

    def _similar(self, memory: Memory, others: list[Memory], threshold: float) -> list[tuple[str, float]]:
        """Return the memories of the same type that say nearly the same, the nearest first."""
        found = [
            (other.id, contradictions.similarity(memory.content, other.content))
            for other in others
            if contradictions.near_duplicate(memory.content, other.content, threshold)
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:_SHOWN]

    def _contradicted(self, memory: Memory, rivals: list[Memory], former: str) -> list[tuple[str, str]]:
        if memory.type != "entity":
            return []
        one_subject = memory.category == "preferences"  # all of them are about the same person
        found = [
            (other.id, finding)
            for other in rivals
            for finding in contradictions.contradictions(
                memory.content, other.content, one_subject=one_subject, names=(memory.name, other.name)
            )
        ]
        found += [(memory.id, finding) for finding in contradictions.contradictions(memory.content, former)]
        if not found:
            return []
        said: list[tuple[str, str]] = []
        self.brain.bookkeeping.note(lambda: said.extend(self.write_down(memory.id, found)))
        return said

    def _sharing(self, memory: Memory, among: Filter) -> list[Memory]:
        """Return the other memories that fit a filter and share a memory's most telling words, the most alike first."""
        terms = {*words.content_terms(memory.content[:_READ])}
        found = self.brain.index.sharing(terms, among, _CANDIDATES + 1)  # one of them may be the memory itself
        return [other for other in found if other.id != memory.id][:_CANDIDATES]

    def write_down(self, id: str, found: Iterable[tuple[str, contradictions.Finding]]) -> list[tuple[str, str]]:
        """Note contradictions of a memory, each pair of claims once, within a ledger transaction.

        Return the open ones, each with the other memory's id; those that were resolved before are left out.
        """
        ledger, at = self.brain.ledger, stamp(self.brain.clock())
        rows = ledger.pairs(id)
        resolved = {pair for _, pair, resolution in rows if resolution != UNRESOLVED}
        known = {(other, pair) for other, pair, _ in rows}
        noted = []
        for other, finding in found:
            pair = ledger.claim_names((finding.a, finding.b))
            if pair in resolved:
                continue
            if (other, pair) not in known:
                known.add((other, pair))
                ledger.add_contradiction(id, other, finding.description, (finding.a, finding.b), at)
            noted.append((other, described(finding.description, (finding.a, finding.b))))
        return noted

    def withdraw(self, memory: Memory) -> None:
        """Close what is open about a memory that a person changed, where it no longer makes the claim.

        Should it make the claim again, that is raised again.
        """
        about = self.brain.ledger.contradictions(about=memory.id, unresolved=True)
        gone = [row.id for row in about if not self._is_said(memory, row.id)]
        if gone:
            self.brain.bookkeeping.note(lambda: list(map(self.brain.ledger.withdraw, gone)))

    def _is_said(self, memory: Memory, number: int) -> bool:
        """Tell whether a memory makes its claim of a contradiction; of its former text's, the claim it made itself."""
        a, b = self.brain.ledger.sides(number)
        return makes(self.brain, memory.content, (a if a.id == memory.id else b).claim)

    # Resolving

    def open(self) -> list[Contradiction]:
        """Return the contradictions that are not resolved, also those that no longer stand."""
        return self.brain.ledger.contradictions(unresolved=True)

    def standing(self) -> list[Contradiction]:
        """Return the open contradictions of which every memory still makes its claim."""
        return standing(self.brain)

    def get(self, number: int) -> Contradiction:
        """Return an open contradiction. Raises NotFound, or Refused where it is resolved."""
        for row in self.brain.ledger.contradictions():
            if row.id == number:
                if row.resolution != UNRESOLVED:
                    raise Refused(f"contradiction {number} is resolved already ({row.resolution}).")
                return row
        raise NotFound(f"contradiction {number} is not found; `clawbrain conflicts list` shows what is open.")

    def resolve(self, number: int, resolution: str) -> Resolved:
        """Resolve a contradiction: remove the losing claim from its memory (kept_a, kept_b), or only note the decision.

        Raises NotFound, Pinned, or Refused where a memory no longer makes its claim.
        """
        self.brain.may_write()
        row = self.get(number)
        if resolution not in RESOLUTIONS:
            raise Refused(f"a contradiction is resolved as one of {', '.join(RESOLUTIONS)}.")
        former = row.memory_a_id == row.memory_b_id  # the second claim is of the memory's own former text
        decided = Resolved(number, resolution)
        a, b = self.brain.ledger.sides(number)
        if resolution == "kept_a":
            self._refuse_unsaid(a)
            if not former:
                decided = self._drop_if_there(decided, b)
        elif resolution == "kept_b" and former:
            decided = self._drop(decided, a, self._former_claim(b))
        elif resolution == "kept_b":
            self._refuse_unsaid(b)
            decided = self._drop_if_there(decided, a)
        with self.brain.bookkeeping.deciding():
            self.brain.ledger.resolve(number, resolution, stamp(self.brain.clock()))
        return decided

    def _former_claim(self, side: Side) -> str:
        """Return a claim of a former text, whose secrets are in the history alone. Raises Refused where it is gone."""
        if not side.claim.mark:
            return side.claim.text
        for version in reversed(self.brain.files.history(side.id)):
            found = claim_in(self.brain, body(self.brain.files.text_of(version)), side.claim)
            if found != side.claim.text:
                return found
        raise Refused("the former text is no longer in the history; resolve this as dismissed or merged.")

    def _refuse_unsaid(self, side: Side) -> None:
        """Raise Refused where a memory no longer makes the claim that shall be kept."""
        said = self.brain.finder.load(side.id)[0].content if side.live else ""
        if not makes(self.brain, said, side.claim):
            raise Refused(f"'{side.id}' no longer says what shall be kept; resolve this as dismissed or merged.")

    def _drop_if_there(self, decided: Resolved, side: Side) -> Resolved:
        """Remove a claim from a memory, unless that is archived or gone and so no longer makes it."""
        with suppress(Archived, NotFound):
            if side.live:
                return self._drop(decided, side)
        return decided._replace(loser=side.id)

    def _drop(self, decided: Resolved, side: Side, instead: str = "") -> Resolved:
        """Remove a claim from a memory, or replace it; a memory that then says nothing is archived.

        Returns the decision with what became of the memory.
        """
        memory, _ = self.brain.finder.load(side.id)
        if memory.pinned:
            raise Pinned(f"'{side.id}' is pinned, so its claim stays; unpin it first or resolve otherwise.")
        left = contradictions.without(memory.content, claim_in(self.brain, memory.content, side.claim), instead)
        if left is None:
            raise Refused(f"'{side.id}' no longer says that; resolve this as dismissed or merged.")
        if _says_something(left):
            self.brain.update(side.id, left, by_person=True)
            became, back = "former" if instead else "changed", f"clawbrain revert {side.id}"
            return decided._replace(loser=side.id, became=became, back=back)
        path = self.brain.archiver.archive(side.id).path
        return decided._replace(loser=side.id, became="archived", back=f"clawbrain restore {path}")


def _likest(others: list[Memory]) -> list[Memory]:
    """Return the first memories, up to _COMPARED characters; one that is too long for the rest is left out."""
    chosen, left = [], _COMPARED
    for other in others:
        length = min(len(other.content), _READ)
        if length <= left:
            chosen.append(other)
            left -= length
    return chosen


def _says_something(text: str) -> bool:
    """Tell whether a text has more than headings and empty lines."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())
