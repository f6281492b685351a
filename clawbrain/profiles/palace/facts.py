"""Facts that hold for a time: subject, predicate, object, the day it began and the day it ended.

A fact is a link to a name, kept in the header of its subject. All links are facts, whichever profile made them.
Subjects and objects without a memory get a stub in `entities/things`. A fact that has ended is kept and reported as
expired.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from ...errors import Invalid, NotFound
from ...memory import links
from ...memory.links import Link
from ...memory.model import Memory, shown, slug
from ..shared import observations
from ..shared.links import STUB, Links, holding, room_for
from ..shared.things import NODE, UNKNOWN
from ..shared.titles import Titles, title

if TYPE_CHECKING:
    from ...brain import Brain

_LONGEST = 200
_BOTH, OUTGOING, INCOMING = "both", "outgoing", "incoming"
_NOTED = "Nothing is noted about this yet: only its links are known."


class Fact(NamedTuple):
    """A subject, a predicate and an object, with the days on which they began and ended."""

    subject: str
    predicate: str
    object: str
    start: str
    until: str
    made: str = ""

    @property
    def id(self) -> str:
        """Return the id, which stays the same as long as subject, predicate, object, start and moment of noting do."""
        said = "\n".join((*_triple(self), self.start, self.made))
        return f"t_{hashlib.sha256(said.encode(errors='replace')).hexdigest()[:16]}"


class Added(NamedTuple):
    """A fact as it is known now, whether it was new, and whether it was known without the day on which it began."""

    fact: Fact
    new: bool = False
    dated: bool = False


class Tally(NamedTuple):
    """The counts that describe all facts."""

    entities: int
    facts: int
    current: int
    expired: int
    predicates: list[str]


class Facts:
    """The facts of a brain."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)
        self.links = Links(brain)

    # Reading

    def all(self) -> list[Fact]:
        """Return all facts in the order they were noted."""
        self.brain.sync()
        found = [_fact(name, link, self._name(link.target)) for name, _, link in self._held()]
        return sorted(found, key=lambda fact: fact.made)

    def _held(self) -> Iterator[tuple[str, Memory, Link]]:
        """Yield every link with the memory that holds it and that memory's name."""
        for memory in self.brain.in_order(self.brain.listed.having(links.KEY)):
            for link in links.read(memory):
                yield _called(memory), memory, link

    def _name(self, target: str) -> str:
        return self.links.name_of(target, _called)

    def about(self, entity: str, as_of: str = "", direction: str = _BOTH) -> list[tuple[Fact, str]]:
        """Return the facts about an entity with their direction, newest first; `as_of` limits them to a day."""
        if direction not in (_BOTH, OUTGOING, INCOMING):
            raise Invalid(f"direction must be outgoing, incoming or both, not {shown(direction)}")
        day, wanted = checked_day("as_of", as_of), _key(entity)
        found = []
        for fact in self.all():
            ways = [OUTGOING] * (_key(fact.subject) == wanted) + [INCOMING] * (_key(fact.object) == wanted)
            way = next((way for way in ways if direction in (_BOTH, way)), "")
            if way and (not day or links.holds(fact.start, fact.until, day)):
                found.append((fact, way))
        return sorted(found, key=lambda pair: (pair[0].start, pair[0].made), reverse=True)

    def timeline(self, entity: str = "") -> list[Fact]:
        """Return the facts, of one entity if given, in the order they began; those without a date come last."""
        wanted = _key(entity)
        found = [fact for fact in self.all() if not wanted or wanted in (_key(fact.subject), _key(fact.object))]
        return sorted(found, key=lambda fact: (not fact.start, fact.start, fact.made))

    def tally(self) -> Tally:
        """Count entities, facts and current facts, and list the predicates."""
        facts = self.all()
        described = [m for m in self.brain.listed.having("title") if NODE in m.extra or m.kind == STUB]
        names = {_key(name) for fact in facts for name in (fact.subject, fact.object)}
        return Tally(
            entities=len(names | {_key(title(memory)) for memory in described}),
            facts=len(facts),
            current=sum(map(self.is_current, facts)),
            expired=sum(map(self._has_ended, facts)),
            predicates=sorted({fact.predicate for fact in facts}),
        )

    def is_current(self, fact: Fact) -> bool:
        """Tell whether a fact has begun and has not ended."""
        return links.holds(fact.start, fact.until, self.brain.today())

    def _has_ended(self, fact: Fact) -> bool:
        """Tell whether a fact has ended, or will hold on no day."""
        return links.has_ended(fact.until, max(self.brain.today(), fact.start[:10]))

    # Changing. Every change takes the lock, so that parallel calls lose nothing.

    def add(self, subject: str, predicate: str, object: str, start: str = "", source: str = "") -> Added:
        """Note a fact; one that is noted and has not ended is not noted again, but gets the day that it lacks."""
        subject, predicate, object = map(_checked, ("subject", "predicate", "object"), (subject, predicate, object))
        start = checked_day("valid_from", start)
        self.brain.may_write()
        self.brain.sync()
        with self.brain.locked():
            said = Fact(subject, predicate, object, start, "")
            if known := sorted(self._alike(said), key=lambda fact: (fact.start != start, fact.start)):
                return self._dated(known[0], start)
            made = self.brain.next_moment()
            link = Link(predicate, links.named(object), start=start, made=made, source=" ".join(source.split()))
            holder = self._hold(subject, link)
            if not self._known(object):
                self._stub(object)
        return Added(_fact(_called(holder), link, object), new=True)

    def _dated(self, known: Fact, start: str) -> Added:
        """Note the day on which a known fact began where none is noted."""
        if not start or known.start:
            return Added(known)
        if links.has_ended(known.until, start):
            raise Invalid(f"the fact ends on {known.until}; give an earlier day as valid_from")
        self._amend([known.id], lambda link: replace(link, start=start))
        return Added(known._replace(start=start), dated=True)

    def _alike(self, said: Fact) -> Iterator[Fact]:
        return (fact for fact in self.all() if _triple(fact) == _triple(said) and not self._has_ended(fact))

    def _hold(self, name: str, link: Link) -> Memory:
        """Put a link into the header of a memory known by the name or, when none has room, into a stub's."""
        for memory in self._known(name):
            if room_for(memory, [link]):
                return self.brain.amend(memory, lambda now: holding(now, [*links.read(now), link]))
        return self.brain.amend(self._stub(name), lambda now: holding(now, [link]))

    def _known(self, name: str) -> list[Memory]:
        """Return the memories a name means; those that describe something come before stubs."""
        key, entities = _key(name), self.brain.listed.memories("entity")
        found = [memory for memory in entities if memory.kind in ("", STUB) and _key(_called(memory)) == key]
        return sorted(found, key=lambda memory: (memory.kind == STUB, NODE not in memory.extra))

    def _stub(self, name: str) -> Memory:
        text = observations.written(name, [_NOTED])
        return self.titles.put("entity", name, text, category=UNKNOWN, extra={"kind": STUB})

    def end(self, subject: str, predicate: str, object: str, ended: str = "") -> int:
        """Note that a fact holds no longer and return how many were ended; raise NotFound when none is left to end."""
        subject, predicate, object = map(_checked, ("subject", "predicate", "object"), (subject, predicate, object))
        until = checked_day("ended", ended) or self.brain.today()
        self.brain.may_write()
        self.brain.sync()
        with self.brain.locked():
            said = Fact(subject, predicate, object, "", "")
            ending = {fact.id: fact for fact in self._alike(said)}
            if not ending:
                raise NotFound("no current fact says that; nothing was changed")
            if late := next((fact.start for fact in ending.values() if fact.start > until), ""):
                raise Invalid(f"the fact began on {late}, after {until}; give a later day as ended")
            self._amend(ending, lambda link: replace(link, until=until))
        return len(ending)

    def _amend(self, ids: Collection[str], changed: Callable[[Link], Link]) -> None:
        """Change the links that hold the facts of these ids."""

        def amended(now: Memory) -> Memory:
            name = _called(now)
            return holding(now, [changed(one) if self._is(name, one, ids) else one for one in links.read(now)])

        held = {memory.id: memory for name, memory, link in self._held() if self._is(name, link, ids)}
        for memory in held.values():
            self.brain.amend(memory, amended)

    def _is(self, name: str, link: Link, ids: Collection[str]) -> bool:
        return _fact(name, link, self._name(link.target)).id in ids


def checked_day(what: str, text: str) -> str:
    """Return a day as YYYY-MM-DD, or '' for an empty text; raise Invalid for anything else."""
    text = text.strip()
    try:
        if text and len(text) != len("2026-02-25"):
            raise ValueError
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise Invalid(f"{what} {shown(text)} is not a date; write it as YYYY-MM-DD") from None


def _fact(subject: str, link: Link, object: str) -> Fact:
    return Fact(subject, link.relation, object, link.start, link.until, link.made)


def _called(memory: Memory) -> str:
    """Return the title of a memory or, without one, its heading if the file is named after it, else its name."""
    if isinstance(memory.extra.get("title"), str):
        return title(memory)
    heading = memory.content.partition("\n")[0].removeprefix("# ").strip()
    return heading if slug(heading) == slug(memory.name) else memory.name


def _triple(fact: Fact) -> tuple[str, str, str]:
    return _key(fact.subject), _key(fact.predicate), _key(fact.object)


def _key(name: str) -> str:
    """Return a name for comparing, without regard to case and to spaces, underscores or hyphens between words."""
    return re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFKC", name).casefold()).strip()


def _checked(what: str, word: str) -> str:
    word = " ".join(word.split())
    if len(word) > _LONGEST or not word.isprintable():
        raise Invalid(f"{what} is not one line of at most {_LONGEST} characters; shorten it")
    return word
