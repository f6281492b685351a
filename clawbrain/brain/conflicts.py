"""Contradictions and near-duplicates: noticed when something is written, kept until a person decides.

Nothing is ever blocked. Candidates come by their rarest words, so no store is read through; what was resolved
once is remembered by the hashes of both claims and not raised again.
"""

from typing import TYPE_CHECKING

from .. import conflict
from ..errors import NotFound, Pinned, Refused
from ..memory import Memory, stamp
from ..sidecar.ledger import UNRESOLVED, Contradiction

if TYPE_CHECKING:
    from . import Brain

RESOLUTIONS = ("kept_a", "kept_b", "merged", "dismissed")
_CANDIDATES = 50
_SHOWN = 5


class Conflicts:
    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    # Noticing

    def compared(self, memory: Memory) -> tuple[list[tuple[str, float]], list[tuple[str, str]]]:
        """What says nearly the same as a new memory, and what it contradicts; the index is asked once."""
        others = self._candidates(memory)
        return self._similar(memory, others), self._contradicted(memory, others, "")

    def notice(self, memory: Memory, former: str = "") -> list[tuple[str, str]]:
        """What an entity's text contradicts: other entities of its category, its own former text."""
        return self._contradicted(memory, self._candidates(memory), former)

    def _similar(self, memory: Memory, others: list[Memory]) -> list[tuple[str, float]]:
        """Memories of the same type that say nearly the same, the nearest first."""
        threshold = self.brain.settings().duplicates.threshold
        found = [
            (other.id, conflict.similarity(memory.content, other.content))
            for other in others
            if conflict.near_duplicate(memory.content, other.content, threshold)
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:_SHOWN]

    def _contradicted(self, memory: Memory, others: list[Memory], former: str) -> list[tuple[str, str]]:
        if memory.type != "entity" or not self.brain.settings().contradictions.enabled:
            return []
        one_subject = memory.category == "preferences"  # all of them are about the same person
        found = [
            (other.id, finding)
            for other in others
            if other.category == memory.category
            for finding in conflict.contradictions(memory.content, other.content, one_subject=one_subject)
        ]
        found += [(memory.id, finding) for finding in conflict.contradictions(memory.content, former)]
        if not found:
            return []
        said: list[tuple[str, str]] = []
        self.brain.note(
            lambda: said.extend(
                (other, finding.description)
                for other, finding in found
                if self.write_down(memory.id, other, (finding.a, finding.b), finding.description)
            )
        )
        return said

    def _candidates(self, memory: Memory) -> list[Memory]:
        index = self.brain.index
        words = conflict.rare_words(memory.content, index.document_frequency)
        found = index.holding(words, memory.type, _CANDIDATES) if words else []
        return [other for other in found if other.id != memory.id]

    def write_down(self, id: str, other: str, claims: tuple[str, str], description: str) -> bool:
        """Within a ledger transaction: note a contradiction, once; False when it was resolved before."""
        ledger = self.brain.ledger
        for row in ledger.contradictions(about=id):
            if _pair(row.claim_a, row.claim_b) == _pair(*claims):
                return row.resolution == UNRESOLVED
        ledger.contradict(id, other, description, claims, stamp(self.brain.clock()))
        return True

    # Deciding

    def open(self) -> list[Contradiction]:
        return self.brain.ledger.contradictions(unresolved=True)

    def get(self, number: int) -> Contradiction:
        for row in self.brain.ledger.contradictions():
            if row.id == number:
                if row.resolution != UNRESOLVED:
                    raise Refused(f"contradiction {number} is resolved already ({row.resolution}).")
                return row
        raise NotFound(f"contradiction {number} is not found; `clawbrain conflicts list` shows what is open.")

    def resolve(self, number: int, resolution: str) -> Contradiction:
        """Take the losing claim out of its memory (kept_a, kept_b), or only note the decision."""
        self.brain.may_write()
        row = self.get(number)
        if resolution not in RESOLUTIONS:
            raise Refused(f"a contradiction is resolved as one of {', '.join(RESOLUTIONS)}.")
        if resolution == "kept_a" and row.memory_a_id != row.memory_b_id:
            self._drop(row.memory_b_id, row.claim_b)
        elif resolution == "kept_b":
            instead = row.claim_b if row.memory_a_id == row.memory_b_id else ""
            self._drop(row.memory_a_id, row.claim_a, instead)
        with self.brain.deciding():
            self.brain.ledger.resolve(number, resolution, stamp(self.brain.clock()))
        return row

    def _drop(self, id: str, claim: str, instead: str = "") -> None:
        memory, _ = self.brain.load(id)
        if memory.pinned:
            raise Pinned(f"'{id}' is pinned, so its claim stays; unpin it first or resolve otherwise.")
        left = conflict.without(memory.content, claim, instead)
        if left is None:
            raise Refused(f"'{id}' no longer says that; resolve this as dismissed or merged.")
        if _says_something(left):
            self.brain.update(id, left)
        else:
            self.brain.archive(id)


def _says_something(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


def _pair(a: str, b: str) -> frozenset[str]:
    return frozenset((conflict.claim_hash(a), conflict.claim_hash(b)))
