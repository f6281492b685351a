"""Import: turns drafts into a plan of new memories and their names, then writes them.

The plan writes nothing, so a dry run is the plan alone. A draft whose origin is already here, or was archived here, is
skipped: importing the same source again creates nothing.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..brain import Brain
from ..brain.declared import Alias
from ..credit import Credit
from ..errors import AlreadyExists, Busy, Changed, Invalid, ReadOnly, Refused
from ..memory import header, links, wikilinks
from ..memory.links import Link
from ..memory.model import (
    HEADER_KEYS,
    MAX_CONTENT,
    MAX_NAME,
    MAX_TAG,
    MAX_TAGS,
    TYPES,
    Memory,
    digest,
    kebab,
    make_id,
    make_path,
    moment,
    stamp,
)
from ..memory.text import checked
from . import markdown
from .addresses import Addresses
from .draft import Draft, Gaps, Tie

_HEADER_ROOM = 14_000  # of the 16 KB a header may have; the rest is left for later additions
_VALUE_ROOM = 2_000
_MEANT_OTHERWISE = {
    "kind", "links", "merged_from", "merged_into", "origin", "replaced_by", "title", "uid", "status", "outcome",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SkippedDraft:
    """A draft that is not imported, and the reason."""

    origin: str
    id: str
    why: str


@dataclass(slots=True)
class ImportPlan:
    """The memories to create, the drafts to skip, and the gaps."""

    new: list[Memory] = field(default_factory=list)
    credits: dict[str, Credit] = field(default_factory=dict)  # by id, of memories that come with their credit
    skipped: list[SkippedDraft] = field(default_factory=list)
    gaps: Gaps = field(default_factory=Gaps)


# Planning


def plan(brain: Brain, drafts: Iterable[Draft], gaps: Gaps) -> ImportPlan:
    """Return the memories that the drafts become. Nothing is written."""
    gaps.settle()
    made = ImportPlan(gaps=gaps)
    here = _Here(brain)
    now = stamp(brain.clock())
    placed: list[tuple[Draft, Memory]] = []
    met: list[tuple[Draft, Memory]] = []
    for draft in _parts(drafts, gaps):
        if known := here.known(draft):
            made.skipped.append(SkippedDraft(draft.origin or draft.id, known.id, here.why(draft, known)))
            met.append((draft, known))
        else:
            memory = _placed(draft, here, now, gaps)
            met.append((draft, memory))
            placed.append((draft, memory))
            if draft.credit:
                made.credits[memory.id] = draft.credit
    _tell_of_ids([draft for draft, _ in placed if draft.called and not here.alias(draft)], gaps)
    addresses = Addresses(met)
    strays = 0
    for draft, memory in placed:
        tied, unmet = addresses.links(draft, memory)
        strays += unmet
        spelled = memory if draft.id else addresses.spelled(draft, memory)
        linked = replace(spelled, extra=_with_links(draft, spelled, tied, gaps))
        made.new += _sound(draft, linked, gaps)
    if strays:
        gaps("links", f"{strays} lead to what is not there; they were kept by name")
    return made


def _tell_of_ids(drafts: Sequence[Draft], gaps: Gaps) -> None:
    """Note that memories are not known here by the ids that they had elsewhere."""
    if drafts:
        more = len(drafts) - 1
        are = f" and {more} more are no uids: they are" if more else " is no uid: it is"
        gaps(drafts[0].where, f"`id: {drafts[0].called[:40]}`{are} kept in `origin` alone")


class _Here:
    """The contents of this home by origin and by id, and the names that are taken."""

    def __init__(self, brain: Brain) -> None:
        live = list(brain.memories())
        away = [memory for _, memory in brain.owner.archived() if memory]
        self._away = {memory.id for memory in away} - {memory.id for memory in live}
        self._origins = {_origin(memory): memory for memory in (*away, *live) if _origin(memory)}
        self._by_id = {memory.id: memory for memory in live}
        self._taken = {*self._by_id, *(memory.path.casefold() for memory in live)}
        self._taken.update(path.casefold() for path, _ in brain.faults())
        self._planned: dict[str, Memory] = {}  # by id
        self._declared = brain.declared
        self._called = {name: memory for memory in (*away, *live) for name in self._names(memory.extra)}

    def alias(self, draft: Draft) -> Alias | None:
        """Return the header key for the id by which another program knows a draft, or None where none fits."""
        fits = 0 < len(draft.called) <= MAX_NAME and draft.called.isprintable()
        return next(self._declared.aliases_for(draft.called), None) if fits else None

    def _names(self, extra: Mapping[str, Any]) -> Iterator[str]:
        """Yield the other names of a memory, by its header."""
        values = (extra.get(alias.key) for alias in self._declared.aliases)
        return (value for value in values if isinstance(value, str))

    def known(self, draft: Draft) -> Memory | None:
        """Return the memory a draft was imported as, or the one that has its id (or its place and text), or None.

        A planned memory with a draft's place and text stands for it, too, unless its links would be lost.
        """
        if draft.origin and draft.origin in self._origins:
            return self._origins[draft.origin]
        if draft.id:
            return self._by_id.get(draft.id)
        if draft.called in self._called:
            return self._called[draft.called]
        id = make_id(draft.type, kebab(draft.category), kebab(draft.name))
        found = self._by_id.get(id) or (None if draft.ties else self._planned.get(id))
        return found if found and found.content == draft.content.strip("\r\n") else None

    def why(self, draft: Draft, known: Memory) -> str:
        """Return the reason why a draft with a known memory is skipped."""
        if known.id in self._away:
            return "was put away here"
        same = _in_words(known.content) == _in_words(draft.content.strip("\r\n"))
        return "already here" if same else "already here, with another text"

    def took(self, memory: Memory) -> None:
        """Note that a planned memory takes its id, path and origin."""
        self._taken |= {memory.id, memory.path.casefold()}
        self._planned[memory.id] = memory
        self._called |= dict.fromkeys(self._names(memory.extra), memory)
        if origin := _origin(memory):
            self._origins[origin] = memory

    def free(self, type: str, category: str, name: str, id: str) -> tuple[str, str]:
        """Return a name that is not taken, numbered if need be, and its id; raise Invalid when there are too many."""
        for number in range(1, 100_000):
            ending = f"-{number}" if number > 1 else ""
            tried = name[: MAX_NAME - len(ending)].rstrip("-") + ending
            called = id if id and number == 1 else make_id(type, category, tried)
            if not self._taken & {called, make_path(type, category, tried).casefold()}:
                return tried, called
        raise Invalid(f"there are too many memories called '{name}'.")


def _in_words(text: str) -> str:
    """Return a text with its links as their words alone, since an import spells the links anew."""
    said = wikilinks.rewritten(text, lambda link: "" if link.embedded else link.label or link.target)
    return markdown.with_file_links(said, "", lambda target: "file")


def _origin(memory: Memory) -> str:
    origin = memory.extra.get("origin", "")
    return origin if isinstance(origin, str) else ""


def _parts(drafts: Iterable[Draft], gaps: Gaps) -> Iterator[Draft]:
    """Yield each draft, cut into pieces where its text is larger than a memory may be."""
    for draft in drafts:
        if len(draft.content.encode(errors="replace")) <= MAX_CONTENT:
            yield draft
            continue
        pieces = list(_pieces(draft.content))
        gaps(draft.where, f"too large for one memory; cut into {len(pieces)}")
        yield replace(draft, content=pieces[0])
        for number, piece in enumerate(pieces[1:], 2):
            name, origin = f"{draft.name[: MAX_NAME - 12]} part {number}", f"{draft.origin or draft.id}#part-{number}"
            ties = [Tie("continues", draft.origin or draft.id)]
            yield replace(draft, name=name, content=piece, origin=origin, ties=ties, known_as=(), id="", extra={})


def _pieces(text: str) -> Iterator[str]:
    """Cut a text at headings, else between paragraphs, else between lines, else anywhere."""
    most = MAX_CONTENT - 1_000
    while len(text.encode(errors="replace")) > most:
        window = text.encode(errors="replace")[:most].decode(errors="ignore")
        cuts = (window.rfind(mark, len(window) // 2) for mark in ("\n# ", "\n## ", "\n\n", "\n"))
        cut = next((cut for cut in cuts if cut > 0), len(window))
        if piece := text[:cut].strip("\n"):
            yield piece
        text = text[cut:]
    if text.strip():
        yield text.strip("\n")


def _placed(draft: Draft, here: _Here, now: str, gaps: Gaps) -> Memory:
    """Return the memory a draft becomes, under a name of its own and without its links."""
    content = draft.content.strip("\r\n")
    if header.begins_with_block(content):
        content = f"# {draft.name}\n\n{content}"
    created = _date(draft.created, now)
    type = draft.type if draft.type in TYPES else "entity"
    category = created[:7] if type == "episode" else kebab(draft.category) or "notes"
    name = kebab(draft.name) or f"note-{digest(draft.origin.encode(errors='replace'))[:8]}"
    alias = here.alias(draft)
    if alias and alias.ending and (ending := kebab(draft.called[-alias.ending :])):
        name = f"{name[: MAX_NAME - len(ending) - 1].rstrip('-')}-{ending}"
    name, id = here.free(type, category, name, draft.id)
    memory = Memory(
        id=id,
        type=type,
        category=category,
        name=name,
        path=make_path(type, category, name),
        content=content,
        tags=_tags(draft, gaps),
        created=created,
        updated=max(created, _date(draft.updated, created)),
        pinned=draft.pinned,
        extra=_extra(draft, gaps) | ({alias.key: draft.called} if alias else {}),
    )
    here.took(memory)
    return memory


def _date(text: str, otherwise: str) -> str:
    try:
        return stamp(moment(text)) if text else otherwise
    except (ValueError, OverflowError):
        return otherwise


def _tags(draft: Draft, gaps: Gaps) -> tuple[str, ...]:
    """Return the tags, and note those beyond the limit.

    A clawbrain's tags stay as they are; of another program's, ASCII ones take our spelling.
    """
    if draft.id:
        spelled = iter(draft.tags)
    else:
        spelled = (kebab(tag, MAX_TAG) if tag.isascii() else tag.strip() for tag in draft.tags)
    tags = list(dict.fromkeys(tag for tag in spelled if tag and tag.isprintable() and len(tag) <= MAX_TAG))
    if len(tags) > MAX_TAGS:
        gaps(draft.where, f"{len(tags)} tags are too many; the first {MAX_TAGS} were taken")
    return tuple(tags[:MAX_TAGS])


def _extra(draft: Draft, gaps: Gaps) -> dict[str, Any]:
    """Return further header keys: our own, then the foreign ones that fit and have no other meaning here."""
    ours = {key: value for key, value in draft.extra.items() if key != links.KEY and header.can_hold(value)}
    if draft.origin:
        ours["origin"] = draft.origin
    kept, lost = {}, []
    for key, value in draft.foreign.items():
        word, value = kebab(str(key)).replace("-", "_"), _plain(value)
        if value in ("", [], {}):
            continue
        if word in (*_MEANT_OTHERWISE, *HEADER_KEYS, *ours) or not word[:1].isalpha() or _size(value) > _VALUE_ROOM:
            lost.append(str(key)[:40])
        else:
            kept[word] = value
    while kept and _size(kept) > _HEADER_ROOM // 2:
        lost.append(kept.popitem()[0])
    if lost:
        gaps(draft.where, f"the header's {', '.join(lost[:5])} could not be kept")
    return {**ours, **kept}


def _plain(value: Any) -> Any:
    """Return a value in a form that a header can hold: text, lists and mappings of text."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict) and header.can_hold(value):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _size(value: Any) -> int:
    return len(header.written(value).encode(errors="replace"))


def _with_links(draft: Draft, memory: Memory, tied: Sequence[Link], gaps: Gaps) -> Mapping[str, Any]:
    """Return the memory's header keys with as many links as the header has room for, and note the rest."""
    room = _HEADER_ROOM - _size(dict(memory.extra)) - _size(list(memory.tags))
    kept: list[Link] = []
    for link in tied:
        room -= _size(links.written([link])) + 2
        if room < 0:
            gaps(draft.where, f"{len(tied) - len(kept)} of {len(tied)} links found no room in the header")
            break
        kept.append(link)
    written = links.written(kept)
    return {**memory.extra, links.KEY: written} if written else memory.extra


def _sound(draft: Draft, memory: Memory, gaps: Gaps) -> Collection[Memory]:
    """Return the memory in a list if it is valid, else note why it is not and return an empty list."""
    try:
        return [checked(memory)]
    except Invalid as refused:
        gaps(draft.where or draft.origin, str(refused).rstrip("."))
        return []


# Writing


def carry_out(plan: ImportPlan, brain: Brain, progress: Callable[[int, int, str], None] | None = None) -> list[Memory]:
    """Write the planned memories one after the other and return them; a name taken meanwhile is noted and skipped."""
    brain.may_write()
    created = []
    for number, memory in enumerate(plan.new, 1):
        if progress:
            progress(number, len(plan.new), f"Writing {memory.name}")
        try:
            created.append(brain.adopt(memory, plan.credits.get(memory.id)))
        except (Busy, ReadOnly, Changed):
            raise
        except (AlreadyExists, Refused) as refused:
            plan.gaps(_origin(memory) or memory.id, str(refused).rstrip("."))
    return created
