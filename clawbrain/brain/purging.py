"""Delete an archived memory for good, with its earlier texts and the words of it that lie elsewhere in the home."""

from collections.abc import Collection, Iterable
from contextlib import nullcontext
from typing import TYPE_CHECKING

from ..errors import NotFound
from ..memory.header import Unreadable
from ..memory.model import Memory, shown, stamp
from ..memory.text import content_of
from ..storage.shelves import Version
from .owner import is_named
from .quotes import Quotes
from .results import Purged

if TYPE_CHECKING:
    from . import Brain


class Purging:
    """The deletion for good in one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def purge(self, reference: str, texts: Collection[str] = (), *, dry_run: bool = False) -> Purged:
        """Delete an archived memory for good, with its history and its words in ledger, backups, digest and index.

        Calls in the audit log that name or quote it are emptied, and messages of conversations lose what they quote of
        it. Earlier texts that may be of another memory with the same id stay, unless they are named in `texts`. These
        can also be named after the memory itself is gone. With `dry_run` nothing is deleted. Raises NotFound, and
        Refused for what is not archived.
        """
        if not dry_run:
            self.brain.may_write()
        with nullcontext() if dry_run else self.brain.storage.locked():
            if texts and (found := self._texts_alone(reference, texts)):
                return self._purge_texts(reference, found, dry_run)
            return self._purge(self.brain.archiver.find(reference), texts, dry_run)

    def _purge_texts(self, id: str, versions: list[Version], dry_run: bool) -> Purged:
        quotes = Quotes([], self._contents(versions))
        calls, messages = self._take_out(quotes, dry_run)
        if not dry_run:
            self.brain.files.purge_history(versions)
        return Purged(id, "", (), len(versions), calls, messages)

    def _purge(self, archive_path: str, texts: Collection[str], dry_run: bool) -> Purged:
        brain = self.brain
        memory = brain.owner.read_archived(archive_path)
        id = brain.ledger.archived_id(archive_path) or (memory.id if memory else "")
        life, until = brain.ledger.archived_life(archive_path), brain.ledger.archived_at(archive_path)
        mine, unsure = self._texts_of(id, life, texts)
        quotes = self._quotes_of(id, memory, mine)
        if not dry_run:
            with brain.bookkeeping.deciding():  # first what quotes it: if this fails, nothing is deleted
                brain.ledger.purge_text(id, life)
            brain.ledger.purge_backups(id, life, until)
        calls, messages = self._take_out(quotes, dry_run)
        if not dry_run:
            brain.digest_file.renew()
            brain.files.purge_history(mine)
            brain.index.renew()  # its free pages still hold the memory's words
            with brain.bookkeeping.deciding():  # after the history, which is found by the life in the record
                self._note_purged(id, archive_path)
            brain.files.purge(archive_path)  # last: without the file a purge that was interrupted could not be repeated
        kept = tuple(version.name for version in unsure)
        return Purged(id, f"archive/{archive_path}", kept, len(mine), calls, messages)

    # The calls and the messages that speak of it

    def _quotes_of(self, id: str, memory: Memory | None, versions: Iterable[Version]) -> Quotes:
        """Return what finds a memory in calls and messages: its texts and, where no other memory has it, its id."""
        contents = [memory.content] if memory else []
        return Quotes([id] if id and self._is_alone(id) else [], [*contents, *self._contents(versions)])

    def _contents(self, versions: Iterable[Version]) -> list[str]:
        contents = []
        for version in versions:
            try:
                contents.append(content_of(self.brain.files.text_of(version)))
            except (OSError, Unreadable):
                continue  # it is deleted as it is
        return contents

    def _take_out(self, quotes: Quotes, dry_run: bool) -> tuple[int, int]:
        """Take the quotes out of calls and messages; return the number of each. With `dry_run` they are counted."""
        calls, messages = self.brain.audit.quoting(quotes), self.brain.history.quoting(quotes)
        if not dry_run:
            self.brain.audit.empty(calls)
            self.brain.history.reword(messages)
        return len(calls), len(messages)

    # Its earlier texts

    def _is_alone(self, id: str) -> bool:
        """Tell whether no other memory has the id of this archived one."""
        return not self.brain.finder.known(id) and self.brain.archiver.of_id(id) == 1

    def _texts_of(self, id: str, life: str, named: Collection[str]) -> tuple[list[Version], list[Version]]:
        """Return the earlier texts that go with an archived memory, and those that may be of another one.

        Where no other memory has or had the id, all of them go. Raises NotFound for a name that none has.
        """
        files = self.brain.files
        versions = [*files.history_of_life(id, life), *files.strange_history(id)] if id else []
        alone = not life and self._is_alone(id)
        chosen = {version for version in versions for name in named if is_named(version, name)}
        missing = [name for name in named if not any(is_named(version, name) for version in versions)]
        if missing:
            raise NotFound(f"{shown(id)} has no version {', '.join(map(shown, missing))}.")
        mine = [version for version in versions if alone or version in chosen or (version.certain and life)]
        return mine, [version for version in versions if version not in mine]

    def _texts_alone(self, id: str, named: Collection[str]) -> list[Version]:
        """Return earlier texts of an id that has no archived memory, if each that is named may be of another memory."""
        brain = self.brain
        if brain.archiver.path_of(id):
            return []
        found = brain.owner.versions(id) if brain.finder.known(id) else brain.files.history_of_nobody(id)
        doubtful = [version for version in found if not version.certain]
        return [version for version in doubtful if any(is_named(version, name) for name in named)]

    def _note_purged(self, id: str, archive_path: str) -> None:
        ledger, now = self.brain.ledger, stamp(self.brain.clock())
        ledger.forget_archived(archive_path, now)
        ledger.add_to_log("purge", [id], f"Purged '{id}' from archive/{archive_path}", now)
