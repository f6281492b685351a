"""Tell which open contradictions still stand: a memory may since be archived, or say something else.

Sessions begin with a count of them, so nothing here imports the comparison of texts unless a claim held a secret.
"""

from typing import TYPE_CHECKING

from ..memory.markdown import place_of
from ..storage.claim_marks import KeptClaim
from ..storage.contradiction_rows import Contradiction, Side

if TYPE_CHECKING:
    from . import Brain


def standing(brain: "Brain") -> list[Contradiction]:
    """Return the open contradictions of which every memory still makes its claim, the oldest first."""
    rows = brain.ledger.open_contradictions()
    memories = brain.index.several({side.id for _, *sides in rows for side in sides})

    def said(side: Side) -> bool:
        memory = memories.get(side.id)
        return side.live and memory is not None and makes(brain, memory.content, side.claim)

    return [row for row, a, b in rows if said(a) and (a.id == b.id or said(b))]


def makes(brain: "Brain", text: str, claim: KeptClaim) -> bool:
    """Tell whether a text makes a claim."""
    return place_of(claim_in(brain, text, claim), text) is not None


def claim_in(brain: "Brain", text: str, claim: KeptClaim) -> str:
    """Return a claim as a text makes it; a claim without a secret needs no search."""
    if not claim.mark:
        return claim.text
    from .. import contradictions

    return next((said for said in contradictions.claims(text) if brain.ledger.is_claim(said, claim)), claim.text)
