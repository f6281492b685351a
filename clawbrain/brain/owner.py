"""The owner's operations on single memories: pin, tag, move, revert; `purging` has the deletion for good.

Each changes the memory's file like any other edit: no newer text is overwritten unseen, and the replaced text is in
the history.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import Invalid, NotFound, Refused
from ..memory import model as memories
from ..memory.header import Unreadable
from ..memory.model import MAX_TAGS, Memory, check_tags, check_word, make_path, shown, stamp
from ..memory.text import content_of, decode, edited, rewritten
from ..storage.shelves import Version
from ..storage.sync import seen
from .relinking import Relinking
from .results import Purged, Put, Updated

if TYPE_CHECKING:
    from ..layers import GivenLayer
    from ..strategy import Strategy
    from . import Brain


class OwnerActions:
    """The owner's operations in one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def serve_terminal(self, *, faults: bool) -> None:
        """Let a name alone mean the only memory that has it; mention files that are left out only with `faults`."""
        self.brain.finder.by_name, self.brain.mentions_faults = True, faults

    def name_layers(self, layers: "Sequence[GivenLayer]") -> None:
        """Name further layers in STRATEGY.md. Raises Refused where it names some already."""
        self.brain.policy.name_layers(layers)

    def change_settings(self, wanted: "Mapping[str, Mapping[str, Any]]") -> "Strategy":
        """Set settings in STRATEGY.md, by section and key; see `Policy.change_settings`. Raises Invalid, Refused."""
        return self.brain.policy.change_settings(wanted)

    def pin(self, reference: str, pinned: bool = True) -> Memory:
        """Pin a memory, so that nothing archives or merges it, or unpin it. Raises NotFound, Archived."""
        return self._set(reference, pinned=pinned)

    def tag(self, reference: str, add: Collection[str] = (), remove: Collection[str] = ()) -> Memory:
        """Add and remove tags. Raises NotFound for a tag to remove that is not there, Invalid for too many tags."""
        memory, _ = self.brain.finder.load(reference)
        absent = [tag for tag in remove if tag not in memory.tags]
        if absent:
            raise NotFound(f"'{memory.id}' has no tag {', '.join(map(shown, absent))}.")
        kept = [tag for tag in memory.tags if tag not in remove]
        tags = list(dict.fromkeys([*kept, *check_tags([self.brain.secrets.name(tag) for tag in add])]))
        if add and len(tags) > MAX_TAGS:
            raise Invalid(f"that would make {len(tags)} tags; {MAX_TAGS} is the most.")
        return self._set(reference, tags=tags)

    def _set(self, reference: str, **values: Any) -> Memory:
        self.brain.may_write()
        memory, data = self.brain.finder.load(reference)
        new = edited(data, **values)
        if new != data:
            self.brain.writer.replace(memory, data, new, touch=False)
        return self.brain.finder.find(memory.id)

    def move(self, reference: str, new: str) -> Put:
        """Move a memory to another name ('new-name') or category ('category/new-name', 'category/'); its id stays.

        Links `[[name]]` to it in other texts follow. Raises Refused for another category of an episode or the same
        path, AlreadyExists for a path that is taken.
        """
        self.brain.may_write()
        memory, data = self.brain.finder.load(reference)
        category, _, name = new.rpartition("/")
        category, name = category or memory.category, name or memory.name
        if memory.type == "episode" and category != memory.category:
            raise Refused("an episode's category is its month; only its name can change.")
        self.brain.secrets.name(new)
        path = make_path(memory.type, check_word("category", category), check_word("name", name))
        if path == memory.path:
            raise Refused(f"'{memory.id}' is already at {path}.")
        relinking = Relinking(self.brain, memory)
        put = self._move(memory, data, path, category)
        relinking.follow(self.brain.finder.find(memory.id))
        return put

    def _move(self, memory: Memory, data: bytes, path: str, category: str) -> Put:
        brain = self.brain
        with brain.storage.locked():
            if path.casefold() != memory.path.casefold():
                brain.files.refuse_taken(path)
            # The id must be in the file before the path no longer spells it: the credit record belongs to the id.
            values = {"id": memory.id, "category": category}
            brain.writer.replace(memory, data, edited(data, **values), touch=False)
            brain.files.rename(memory.path, path)
            brain.bookkeeping.note(lambda: self._note_moved(memory, path))
        data, fingerprint = brain.files.read(path)
        brain.tell_index(seen(path, data, fingerprint), gone=[memory.path])
        return Put(memory.id, path)

    def _note_moved(self, memory: Memory, path: str) -> None:
        self.brain.ledger.set_path(memory.id, path)
        now = stamp(self.brain.clock())
        self.brain.ledger.add_to_log("move", [memory.id], f"Moved '{memory.id}' from {memory.path} to {path}", now)

    def history(self, reference: str) -> list[Version]:
        """Return the texts that updates replaced, oldest first; those that are not `certain` may be of another memory.

        An id that was archived may be another memory's now, and each has its own texts.
        """
        return self.versions(self.brain.finder.find(reference).id)

    def versions(self, id: str) -> list[Version]:
        """Return the earlier texts of an id, with those that may be of another memory."""
        if not (self.brain.read_only or self.brain.ledger.life_of(id)):
            self.brain.bookkeeping.note(lambda: None, id)  # a file that a person brought back has its record then
        return [*self.brain.files.history(id), *self.brain.files.strange_history(id)]

    def edit(self, reference: str, content: str) -> Updated:
        """Replace a memory's text by what a person wrote. Raises as `Brain.update` does."""
        done = self.brain.update(reference, content, by_person=True)
        self.brain.conflicts.withdraw(self.brain.finder.find(done.id))
        return done

    def revert(self, reference: str, version: str | None = None) -> Version:
        """Put an earlier text back, by default the newest that says something else; the current one goes into history.

        Pin, tags and all else in the header stay as they are. Raises NotFound where there is no such text.
        """
        self.brain.may_write()
        memory, data = self.brain.finder.load(reference)
        chosen = self._version(memory, version) if version else self._newest_unlike(memory)
        content = self._content(chosen)
        if content != memory.content:
            now = stamp(self.brain.clock())
            self.brain.writer.replace(memory, data, rewritten(data, content, updated=now, created=memory.created))
            self.brain.conflicts.withdraw(self.brain.finder.find(memory.id))
        return chosen

    def _newest_unlike(self, memory: Memory) -> Version:
        """Return the newest version that says something else; pins and tags make versions with the same text."""
        versions = [version for version in reversed(self.brain.files.history(memory.id)) if version.certain]
        if found := next((each for each in versions if self._content(each) != memory.content), None):
            return found
        unsure = [version for version in self.versions(memory.id) if not version.certain]
        but = f" that says something else{' and' * bool(unsure)}" if versions else ""
        raise NotFound(f"'{memory.id}' has no earlier text{but}{_perhaps(memory.id, unsure)}.")

    def _content(self, version: Version) -> str:
        return content_of(self.brain.files.text_of(version))

    def old_text(self, reference: str, version: str | None = None) -> str:
        """Return an earlier text of a memory, by default the newest."""
        memory = self.brain.finder.find(reference)
        return decode(self.brain.files.text_of(self._version(memory, version)))

    def old_texts(self, reference: str) -> list[tuple[Version, str]]:
        """Return all that `history` lists, each with its text."""
        return [(version, decode(self.brain.files.text_of(version))) for version in self.history(reference)]

    def _version(self, memory: Memory, wanted: str | None) -> Version:
        """Return the version that is meant; without a name the newest that is certainly of this memory."""
        versions = self.versions(memory.id)
        if wanted is None:
            certain = [version for version in versions if version.certain]
            if not certain:
                raise NotFound(f"'{memory.id}' has no earlier text{_perhaps(memory.id, versions)}.")
            return certain[-1]
        for version in versions:
            if is_named(version, wanted):
                return version
        raise NotFound(f"'{memory.id}' has no version {shown(wanted)}; `clawbrain history {memory.id}` lists them.")

    def purge(self, reference: str, texts: Collection[str] = (), *, dry_run: bool = False) -> Purged:
        """Delete an archived memory for good, with all that quotes it; see `Purging.purge`."""
        from .purging import Purging  # a rare thing to do

        return Purging(self.brain).purge(reference, texts, dry_run=dry_run)

    def archived(self) -> list[tuple[str, Memory | None]]:
        """Return the archived memories by path, with None for one that cannot be read."""
        return [(path, self.read_archived(path)) for path in self.brain.files.archived_paths()]

    def read_archived(self, path: str) -> Memory | None:
        """Return the memory at a path of the archive, or None where it cannot be read."""
        try:
            data, fingerprint = self.brain.files.read(path, "archive")
        except (Unreadable, FileNotFoundError):
            return None
        return seen(memories.unnumbered(path), data, fingerprint).memory


def is_named(version: Version, wanted: str) -> bool:
    """Tell whether a version is meant by its number or by the beginning of its name."""
    number = version.name.partition("-")[0]
    return int(wanted) == int(number) if wanted.isdecimal() and number.isdecimal() else version.name.startswith(wanted)


def _perhaps(id: str, versions: Collection[Version]) -> str:
    """Return what to add to the news that a memory has no earlier text, where there are some that may be another's."""
    if not versions:
        return ""
    return (
        f" that is certainly its own; of the {len(versions)} that may be of another memory name one: "
        f"`clawbrain history {id}` lists them"
    )
