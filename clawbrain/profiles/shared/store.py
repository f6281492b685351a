"""The store as a whole, as profiles name it."""

from typing import TYPE_CHECKING
from uuid import uuid4

from .titles import made_uid

if TYPE_CHECKING:
    from ...brain import Brain


def store_uid(brain: "Brain") -> str:
    """Return the uid of a store, which stays the same wherever the store is moved with its ledger."""
    known = brain.kept_note("uid")
    if known is None and not brain.read_only:
        fresh = str(uuid4())
        brain.note(lambda: brain.keep_note("uid", fresh))
        known = brain.kept_note("uid")
    return known or made_uid(str(brain.home))
