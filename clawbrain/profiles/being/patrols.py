"""Patrols: what was said becomes scenes, crowds of scenes become one, and the store is compacted.

A patrol that was called for asks a model, where the environment names one (`retelling`). Ten scenes that no patrol has
seen start one by themselves, after the answer to whoever told the tenth, and that one asks no model.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ... import redaction
from ...brain.history import Message
from ...brain.results import Run
from ...words import STOP_WORDS, terms_but
from ..shared.importance import computed
from ..shared.titles import made_uid, uid
from .asking import Asking
from .merging import Merging
from .retelling import Made, Retelling
from .scene import SCENE, Scene, checked, first_sentence, sentences
from .scenes import Scenes
from .themes import Talk, themes

if TYPE_CHECKING:
    from collections.abc import Generator

    from ...llm import LanguageModel
    from ...memory.model import Memory
    from .. import Work

TOGETHER = 10  # waiting scenes start a patrol by themselves
SILENT = ("system", "developer", "tool")
"""The roles of messages that nobody said: they are kept in the history and are no part of a scene."""

_PATROLLED = "patrolled"  # the ledger's note of the last scene that a patrol has seen, in the order of storing
_LONGEST_SPEECH = 20_000  # characters of a message in a scene; the history holds all of it
_TELLING = 3  # different words by which a sentence tells what a scene is about

Exchange = list[tuple[str, str]]
"""The roles and texts of what somebody said and what was answered."""


class Patrol(NamedTuple):
    """The result of a patrol."""

    scenes: int  # made from messages
    nodes: int  # memories made in all: those scenes, and those that were put in the place of crowds
    run: Run
    skipped: str  # a sentence on what a model was not asked for, or did not answer


class Patrols:
    """The patrols of a brain."""

    def __init__(self, scenes: Scenes, model: LanguageModel | None = None) -> None:
        """Without a model, a patrol asks the one that the environment names."""
        self.scenes, self.brain, self.merging, self._model = scenes, scenes.brain, Merging(scenes), model
        self.retelling = Retelling(scenes, self.merging)
        self._under_way = 0  # patrols that wait for a model
        self.brain.after_answer["the patrol of waiting scenes"] = self.tidy_when_due

    def patrol(self, messages: Sequence[Mapping[str, str]] = (), marker: str = "") -> Generator[Work, Any, Patrol]:
        """Store the messages, make a scene of each exchange, and tidy. Messages that were sent before under the same
        marker are skipped.

        All is done here but the asking of the model, which is yielded as work to be done elsewhere. Other calls come
        between: each step goes on from what the store holds then. A patrol that is killed loses only what a model
        would have told better.
        """
        self.brain.may_write()
        marker = marker or str(uuid4())
        exchanges = _exchanges(messages)
        self._note(exchanges, marker)  # before the scenes, which mark an exchange as known
        made, asked = self._make(exchanges, marker), Asking(self._model)
        self._under_way += 1
        try:
            yield from self.retelling.tell(made, asked)
            fresh = self._fresh()
            diary = yield from self.retelling.days(fresh, asked)
            united = self.merging.thin_out((yield from self.retelling.crowds(asked)))
            yield from self.retelling.split({memory.id for memory in fresh}, asked)
        finally:
            self._under_way -= 1
        run = self._compact(lambda: self.retelling.write_diary(diary, asked))
        return Patrol(len(made), len(made) + united, run, asked.told())

    def _make(self, exchanges: Sequence[Exchange], marker: str) -> list[Made]:
        """Make a scene of each exchange that is new under this marker and in which somebody said something."""
        fresh = self._new(exchanges, marker)
        tags = {tag for memory in self.brain.listed.memories() for tag in memory.tags} if fresh else ()
        spoken = [_spoken(exchange) for _, exchange in fresh]
        themed = themes([_talk(said) for said in spoken], tags)
        return [
            self._remember(key, exchange, said, about, marker)
            for (key, exchange), said, about in zip(fresh, spoken, themed, strict=True)
            if said
        ]

    def _new(self, exchanges: Sequence[Exchange], marker: str) -> list[tuple[str, Exchange]]:
        """Return the exchanges that no scene was made of under this marker, each with the uid that its scene gets."""
        keyed: dict[str, Exchange] = {}
        for exchange in exchanges:
            again = 0
            while (key := _key(marker, exchange, again)) in keyed:
                again += 1
            keyed[key] = exchange
        self.brain.sync()
        known = {key for key in keyed if self.brain.listed.having("uid", key)}
        if len(known) < len(keyed):
            known |= {uid(memory) for _, memory in self.brain.owner.archived() if memory}
        return [(key, exchange) for key, exchange in keyed.items() if key not in known]

    def _note(self, exchanges: Iterable[Exchange], marker: str) -> None:
        """Add the messages to the history, where each of them stands once however often it is sent."""
        seen: Counter[str] = Counter()
        said = []
        for role, text in (message for exchange in exchanges for message in exchange):
            key = made_uid("message", marker, role, text)
            seen[key] += 1
            said.append(Message(marker, role, text, "", source="being", key=f"{key}-{seen[key]}"))
        self.brain.history.add(said)

    def _remember(self, key: str, exchange: Exchange, spoken: Exchange, about: Sequence[str], marker: str) -> Made:
        """Store the scene of an exchange, in place of those of its beginnings, which were sent before it was over."""
        action = "\n\n".join(f"The {role}: “{text}”" for role, text in spoken)
        actors, weight = [role for role, _ in spoken], computed("\n".join(text for _, text in spoken))
        scene = checked(Scene(action, actors, [self.brain.today()], themes=about, importance=weight))
        with self.brain.locked(), self.brain.redacting():
            made = self.scenes.put(scene, uid=key, title=_title(spoken))
            begun = [_key(marker, exchange[:most], 0) for most in range(1, len(exchange))]
            old = [memory for uid in begun for memory in self.brain.listed.having("uid", uid) if not memory.pinned]
            self.merging.put_away(old, made)
        return Made(scene, made, action)

    # Tidying

    def waiting(self) -> int:
        """Return the number of scenes that no patrol has seen."""
        return len(self._fresh())

    def _fresh(self) -> list[Memory]:
        """Return the scenes that no patrol has seen, in the order of storing."""
        noted = self.brain.kept_note(_PATROLLED) or ""
        upto = int(noted) if noted.isdecimal() else 0
        scenes = self._scenes()
        places = self.brain.places([memory.id for memory in scenes])  # without a file that the ledger does not hold yet
        return self.brain.in_order(each for each in scenes if (place := places.get(each.id)) is None or place > upto)

    def _scenes(self) -> list[Memory]:
        self.brain.sync()
        return self.brain.listed.having("kind", SCENE)

    def _compact(self, before_noting: Callable[[], None] = lambda: None) -> Run:
        """Compact the store, and note that all scenes up to now have been seen."""
        self.scenes.stored = False
        ids = [memory.id for memory in self._scenes()]
        self.brain.note(lambda: None, *ids)
        upto = max(self.brain.places(ids).values(), default=0)
        run = self.brain.compact()
        before_noting()  # here, so that a kill in between hardly ever does it twice
        with self.brain.deciding():
            self.brain.keep_note(_PATROLLED, str(upto))
        return run

    def tidy_when_due(self) -> None:
        """Start a patrol after an answer when enough scenes wait, which asks no model. Each process counts anew: a
        kill loses no scene."""
        if not self.scenes.stored or self.brain.read_only or self._under_way:
            return
        self.scenes.stored = False
        if self.waiting() >= TOGETHER:
            self.tidy()

    def tidy(self) -> None:
        """Put one scene in the place of each crowd and compact the store, without a model."""
        self.merging.thin_out()
        self._compact()


def _key(marker: str, exchange: Exchange, again: int) -> str:
    """Return the uid of an exchange's scene; `again` tells apart exchanges of the same words."""
    return made_uid(SCENE, marker, str(again), *(f"{role}: {text}" for role, text in exchange))


def _exchanges(messages: Iterable[Mapping[str, str]]) -> list[Exchange]:
    """Group messages into exchanges; a user's message after an answer begins the next one."""
    found: list[Exchange] = []
    for message in messages:
        role, text = _role(message["role"]), message["content"]
        if not text.strip():
            continue
        answered = bool(found) and any(said not in ("user", *SILENT) for said, _ in found[-1])
        if not found or (answered and role in ("user", *SILENT)):
            found.append([])
        found[-1].append((role, text))
    return found


def _role(given: str) -> str:
    """Return a role as it is written here; one that is not known may be the name of who spoke, and stays as it is."""
    role = " ".join(given.split()) or "user"
    return role.lower() if role.lower() in ("user", "assistant", *SILENT) else role


def _spoken(exchange: Exchange) -> Exchange:
    """Return what was said in an exchange, without secrets, and of each message as much as a scene holds."""
    found = []
    for role, text in exchange:
        if role not in SILENT:
            kept = redaction.redacted(text.replace("\0", " ")).strip()
            cut = kept if len(kept) <= _LONGEST_SPEECH else f"{kept[:_LONGEST_SPEECH]}…"
            found.append((role, cut))
    return found


def _talk(spoken: Exchange) -> Talk:
    """Return what the user said in an exchange, and what was answered."""
    asked = [text for role, text in spoken if role == "user"]
    answered = [text for role, text in spoken if role != "user"]
    return Talk("\n".join(asked), "\n".join(answered))


def _title(spoken: Exchange) -> str:
    """Return the first sentence that tells what an exchange is about, else its first one."""
    said = [sentence for _, text in spoken for sentence in sentences(text[:_LONGEST_SPEECH])]
    telling = (sentence for sentence in said if len(set(terms_but(STOP_WORDS, sentence))) >= _TELLING)
    return next(telling, "") or first_sentence(spoken[0][1])
