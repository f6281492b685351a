"""Drawers: texts stored word for word in a room of a wing, and the diaries of agents.

A drawer is an entity of the kind `drawer`, `entities/WING/ROOM-HASH.md`; the hash is of its text, so a room stores the
same text once. A diary entry is an episode of the kind `diary`. The name that a palace uses for either stands in the
header.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import AlreadyExists, Archived, Invalid, NotFound
from ...memory import model as memories
from ...memory.markdown import one_line
from ...memory.model import Memory, stamp
from ..shared import sorting
from ..shared.importance import importance
from ..shared.links import STUB
from ..shared.shares import holding
from ..shared.titles import Titles, title
from .rooms import GENERAL, HALL, ROOM, WING, holds, room_of, wing_of

if TYPE_CHECKING:
    from ...brain import Brain

DRAWER, DIARY = "drawer", "diary"
CALLED = "drawer"  # the header key of the name that a palace uses for a memory
MOST = 50  # memories that a search answers
SIMILAR, _MORE, _TOP = 0.7, 0.5, 5
_SCALE = 5  # importance is at most 5 in a palace and at most 1 in a header
_LONGEST, _LONGEST_STEM, _TITLE = 100, 60, 80
_COMPARED = 10_000


class Filed(NamedTuple):
    """A drawer, and whether it was new."""

    memory: Memory
    new: bool


def called(memory: Memory) -> str:
    """Return the name that a palace uses for a memory: the one in its header, or its id."""
    own = memory.extra.get(CALLED)
    return own if isinstance(own, str) and own else memory.id


def sort_of(memory: Memory) -> str:
    """Return the sort of a memory: the one in its header, its kind, or the one its words suggest."""
    own = memory.extra.get("memory_type")
    if isinstance(own, str) and own:
        return own
    return memory.kind if memory.kind in ("decision", DIARY) else sorting.sort(memory.content).sort


def weight(memory: Memory) -> float:
    """Return the importance of a memory on the palace's scale, up to 5."""
    said = "importance" in memory.extra
    return round(importance(memory) * _SCALE, 2) if said else sorting.sort(memory.content).importance


def alike(one: str, other: str) -> float:
    """Return how far two texts agree in their words, between 0 and 1, ignoring case, spacing and punctuation."""
    from rapidfuzz import fuzz  # imported here because few calls compare texts

    a, b = _plain(one), _plain(other)
    if a == b:
        return 1.0 if a or one.split() == other.split() else 0.0
    return min(0.9999, round(max(fuzz.ratio(a, b), fuzz.token_sort_ratio(a, b)) / 100, 4))


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text[:_COMPARED]).casefold()))


class Drawers:
    """The drawers and diaries of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)

    def file(self, wing: str, room: str, text: str, *, source: str = "", added_by: str = "") -> Filed:
        """Store a text in a room. A drawer that holds the same text is left as it is; drawers that say nearly the same
        gain importance."""
        self.brain.may_write()
        self.brain.sync()
        clean = self.brain.without_secrets  # before a name is made of them
        wing, room = _checked(WING, clean(wing)), _checked(ROOM, clean(room))
        text = memories.check_content(clean(text))
        with self.brain.locked():
            name, there = self._place(wing, room, text)
            kin = [memory for memory, _ in self.similar(text, SIMILAR, above=True) if memory.kind == DRAWER]
            there = there or next((memory for memory in kin if _holds(memory, wing, room, text)), None)
            if there:
                return Filed(there, new=False)
            made = self._filed(name, wing, room, text, {"source": source, "added_by": added_by})
            for memory in kin:
                self.brain.amend(memory, _weightier)
        return Filed(made, new=True)

    def _place(self, wing: str, room: str, text: str) -> tuple[str, Memory | None]:
        """Return the name of a text in a room, and the drawer of that name if it holds the text. It may hold another,
        because its owner rewrote it, or lie elsewhere, because its owner moved it."""
        for number in count(1):
            name = f"drawer_{_word(wing)}_{_word(room)}_{_hash(text, number)}"
            there = self.brain.known(name)
            if there is None or _holds(there, wing, room, text):
                return name, there
        raise AssertionError("there is always another number")

    def _filed(self, name: str, wing: str, room: str, text: str, said: Mapping[str, str]) -> Memory:
        category, (sort, weight) = _stem(wing, _LONGEST), sorting.sort(text)
        extra = {
            "kind": DRAWER,
            "title": _title(text),
            **({} if wing == category else {WING: wing}),
            ROOM: room,
            CALLED: name,
            "memory_type": sort,
            "importance": f"{weight / _SCALE:g}",
            **{key: value for key, value in said.items() if value.strip()},
        }
        return self._create("entity", category, f"{_stem(room)}-{name[-16:]}", text, extra)

    def _create(self, type: str, category: str, stem: str, text: str, extra: Mapping[str, Any]) -> Memory:
        """Create a memory under the nearest free name. Wings, rooms and agents may have names in any script."""
        now, text, extra = stamp(self.brain.clock()), memories.check_content(text), memories.check_extra(extra)
        for number in count(1):
            name = stem if number == 1 else f"{stem}-{number}"
            id, path = memories.make_id(type, category, name), memories.make_path(type, category, name)
            if self.brain.listed.get(id) or self.brain.listed.at(path):
                continue
            made = Memory(id, type, category, name, path, text, (), created=now, updated=now, extra=extra)
            try:
                return self.brain.create(made)
            except AlreadyExists:
                continue  # a file that is no memory has this name
        raise AssertionError("there is always another number")

    def similar(
        self, text: str, least: float, most: int | None = None, *, above: bool = False
    ) -> list[tuple[Memory, float]]:
        """Return the memories whose text is the same or nearly so, nearest first, with their similarity."""
        found = []
        for memory in self.brain.matching(text):
            if holds(memory):
                near = alike(text, memory.content)
                if near > least or (near == least and not above):
                    found.append((memory, near))
        return sorted(found, key=lambda pair: (-pair[1], pair[0].id))[:most]

    def put_away(self, name: str) -> bool:
        """Archive a drawer; return False when there is no such drawer."""
        try:
            self.brain.archive(self.titles.find(name).id)
        except (NotFound, Archived):
            return False
        return True

    def search(self, query: str, limit: int, wing: str = "", room: str = "") -> list[tuple[Memory, float]]:
        """Search by words, everywhere or in a wing and a room; most similar first, and of equals the more credited."""
        ranked = self.brain.search(query, limit=MOST, only=_lies_in(wing, room), most=MOST, noted=False)
        found = holding(self.brain, query, ranked, _words)
        found = sorted(found, key=lambda pair: -pair[1])[:limit]
        self.brain.shown([memory.id for memory, _ in found], ranked.kind)
        return found

    # Diaries

    def write_diary(self, agent: str, entry: str, topic: str = "") -> Memory:
        """Add an entry to an agent's diary, even if an earlier entry says the same."""
        self.brain.may_write()
        self.brain.sync()
        agent = self.brain.without_secrets(agent)  # before a name is made of it
        wing, now, entry = _diary_wing(agent), self.brain.clock(), memories.check_content(entry)
        with self.brain.locked():
            name = f"drawer_{_word(wing)}_{DIARY}_{_hash(f'{entry} {self.brain.next_moment()}')}"
            extra = {
                "kind": DIARY,
                "title": f"Diary of {memories.shown(agent.strip())[1:-1]}, {now:%Y-%m-%d}",
                "agent": agent.strip(),
                WING: wing,
                ROOM: DIARY,
                **({HALL: topic.strip()} if topic.strip() else {}),
                CALLED: name,
            }
            stem = f"{DIARY}-{_stem(agent)}-{now:%Y%m%d-%H%M%S}"
            return self._create("episode", stamp(now)[:7], stem, entry, extra)

    def diary(self, agent: str) -> list[Memory]:
        """Return the entries of an agent's diary, newest first."""
        wing = _diary_wing(agent)
        return [memory for memory in self.brain.having(WING, wing)[::-1] if memory.kind == DIARY]


def _lies_in(wing: str, room: str) -> Callable[[Memory], bool]:
    """Return a filter for the memories in a wing and a room; '' stands for any."""
    wing, room = one_line(wing), one_line(room)

    def lies(memory: Memory) -> bool:
        here = wing in ("", wing_of(memory)) and room in ("", room_of(memory))
        return here and memory.kind != STUB

    return lies


def _holds(memory: Memory, wing: str, room: str, text: str) -> bool:
    """Tell whether a drawer lies in a room and holds just this text."""
    return (memory.content, wing_of(memory), room_of(memory)) == (text.strip("\r\n"), wing, room)


def _weightier(memory: Memory) -> Memory:
    """Return a drawer with more importance."""
    more = min(float(_SCALE), weight(memory) + _MORE)
    return replace(memory, extra={**memory.extra, "importance": f"{round(more / _SCALE, 4):g}"})


def _words(memory: Memory) -> str:
    """Return the text by which a memory is found: where it lies, how it is called, and what it says."""
    return "\n".join((wing_of(memory), room_of(memory), *memory.tags, memory.name, title(memory), memory.content))


def _checked(what: str, word: str) -> str:
    """Return a name on one line; raise Invalid where it cannot be a file name or is too long."""
    word = one_line(word)
    if not memories.slug(word):
        raise Invalid(f"{what} {memories.shown(word)} holds no letter or digit; name it otherwise")
    if len(word) > _LONGEST or not word.isprintable():
        raise Invalid(f"{what} is not one line of at most {_LONGEST} characters; shorten it")
    return word


def _diary_wing(agent: str) -> str:
    return f"wing_{_word(_checked('agent_name', agent).lower())}"


def _word(name: str) -> str:
    return re.sub(r"\s+", "_", name)


def _stem(text: str, longest: int = _LONGEST_STEM) -> str:
    """Return a file name; letters without a plain spelling stay as they are."""
    stem = unicodedata.normalize("NFC", memories.slug(text))
    return memories.kebab(stem, longest) if stem.isascii() else stem[: _LONGEST_STEM // 2].strip("-")


def _hash(text: str, number: int = 1) -> str:
    return hashlib.sha256((text if number == 1 else f"{text}\n{number}").encode()).hexdigest()[:16]


def _title(text: str) -> str:
    first = next((line.strip("# \t") for line in text.splitlines() if line.strip("# \t")), GENERAL)
    return first if len(first) <= _TITLE else f"{first[: _TITLE - 1]}…"
