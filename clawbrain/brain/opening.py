"""What happens when a home is opened for writing: a new one gets its first files, and what a killed process left half
done is finished or taken back.
"""

from typing import TYPE_CHECKING

from ..logs import WARNING, Log
from ..memory.model import stamp
from .policy import STRATEGY

if TYPE_CHECKING:
    from . import Brain

log = Log("storage")
_FURNISHED = "furnished"  # the note in the ledger of a home that has had its first files


def begin(brain: "Brain") -> None:
    """Make the first files of a new home, and finish what killed processes left half done."""
    for name in brain.files.links():
        brain.warn(f"the folder {name} is a link, and none is followed: put the folder itself into the home.")
    with brain.storage.locked():
        brain.files.recover()
        if found := len(brain.files.recovered):
            log(WARNING, "%d changes that a killed process had begun were finished or taken back", found)
        if not brain.ledger.note_of(_FURNISHED):
            _furnish(brain)
    brain.archiver.note_digests()
    if brain.ledger.runs("running"):
        brain.compaction.resume()


def _furnish(brain: "Brain") -> None:
    """Make the folders and STRATEGY.md; a home is furnished once, so what its owner deletes stays deleted."""
    from ..strategy import DEFAULT_TEXT

    if not brain.files.links():
        brain.files.furnish()
    if not (brain.home / STRATEGY).exists():
        brain.files.write_plain(STRATEGY, DEFAULT_TEXT.encode())
    with brain.ledger.writing():
        brain.ledger.set_note(_FURNISHED, stamp(brain.clock()))
