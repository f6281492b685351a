"""Patrols: what was said becomes scenes, crowds of scenes become one, and the store is compacted.

Ten scenes that no patrol has seen start one by themselves, after the answer to whoever told the tenth.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from uuid import uuid4

from ... import redaction
from ...brain.history import Message
from ...brain.results import Run
from ...words import STOP_WORDS, terms_but
from ..shared.importance import computed
from ..shared.titles import made_uid, uid
from .merging import Merging
from .scene import SCENE, Scene, checked, first_sentence, sentences
from .scenes import Scenes
from .themes import themes

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


class Patrols:
    """The patrols of a brain."""

    def __init__(self, scenes: Scenes) -> None:
        self.scenes, self.brain, self.merging = scenes, scenes.brain, Merging(scenes)
        self.brain.after_answer["the patrol of waiting scenes"] = self.tidy_when_due

    def patrol(self, messages: Sequence[Mapping[str, str]] = (), marker: str = "") -> Patrol:
        """Store the messages, make a scene of each exchange, and tidy. Messages that were sent before under the same
        marker are skipped."""
        self.brain.may_write()
        marker = marker or str(uuid4())
        exchanges = _exchanges(messages)
        self._note(exchanges, marker)  # before the scenes, which mark an exchange as known
        fresh = self._new(exchanges, marker)
        tags = {tag for memory in self.brain.listed.memories() for tag in memory.tags} if fresh else ()
        spoken = [_spoken(exchange) for _, exchange in fresh]
        themed = themes(["\n".join(text for _, text in said) for said in spoken], tags)
        scenes = sum(
            self._remember(key, exchange, said, about, marker)
            for (key, exchange), said, about in zip(fresh, spoken, themed, strict=True)
        )
        united, run = self.tidy()
        return Patrol(scenes, scenes + united, run)

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

    def _remember(self, key: str, exchange: Exchange, spoken: Exchange, about: Sequence[str], marker: str) -> bool:
        """Store the scene of an exchange, if anybody said something, in place of the scenes of its beginnings, which
        were sent before it was over. Tell whether a scene was made."""
        if not spoken:
            return False
        action = "\n\n".join(f"The {role}: “{text}”" for role, text in spoken)
        actors, weight = [role for role, _ in spoken], computed("\n".join(text for _, text in spoken))
        scene = checked(Scene(action, actors, [self.brain.today()], themes=about, importance=weight))
        with self.brain.locked(), self.brain.redacting():
            made = self.scenes.put(scene, uid=key, title=_title(spoken))
            begun = [_key(marker, exchange[:most], 0) for most in range(1, len(exchange))]
            old = [memory for uid in begun for memory in self.brain.listed.having("uid", uid) if not memory.pinned]
            self.merging.put_away(old, made)
        return True

    # Tidying

    def waiting(self) -> int:
        """Return the number of scenes that no patrol has seen."""
        upto = self._upto()
        return sum(seq is None or seq > upto for seq in self._places())

    def _upto(self) -> int:
        """Return the place, in the order of storing, of the last scene that a patrol has seen."""
        noted = self.brain.kept_note(_PATROLLED) or ""
        return int(noted) if noted.isdecimal() else 0

    def _places(self) -> list[int | None]:
        """Return the place of each scene in the order of storing; None for a file that the ledger does not hold yet."""
        ids = self._ids()
        places = self.brain.places(ids)
        return [places.get(id) for id in ids]

    def _ids(self) -> list[str]:
        self.brain.sync()
        return [memory.id for memory in self.brain.listed.having("kind", SCENE)]

    def tidy(self) -> tuple[int, Run]:
        """Put one scene in the place of each crowd, compact the store, and note that all scenes up to now have been
        seen; return the number of scenes made and the compaction."""
        united = self.merging.thin_out()
        self.scenes.stored = False
        self.brain.note(lambda: None, *self._ids())
        upto = max((seq for seq in self._places() if seq), default=0)
        run = self.brain.compact()
        with self.brain.deciding():
            self.brain.keep_note(_PATROLLED, str(upto))
        return united, run

    def tidy_when_due(self) -> None:
        """Start a patrol after an answer when enough scenes wait. Each process counts anew: a kill loses no scene."""
        if not self.scenes.stored or self.brain.read_only:
            return
        self.scenes.stored = False
        if self.waiting() >= TOGETHER:
            self.tidy()


def _key(marker: str, exchange: Exchange, again: int) -> str:
    """Return the uid of an exchange's scene; `again` tells apart exchanges of the same words."""
    return made_uid(SCENE, marker, str(again), *(f"{role}: {text}" for role, text in exchange))


def _exchanges(messages: Iterable[Mapping[str, str]]) -> list[Exchange]:
    """Group messages into exchanges; a user's message after an answer begins the next one."""
    found: list[Exchange] = []
    for message in messages:
        role, text = " ".join(message["role"].split()) or "user", message["content"]
        if not text.strip():
            continue
        answered = bool(found) and any(said not in ("user", *SILENT) for said, _ in found[-1])
        if not found or (answered and role in ("user", *SILENT)):
            found.append([])
        found[-1].append((role, text))
    return found


def _spoken(exchange: Exchange) -> Exchange:
    """Return what was said in an exchange, without secrets, and of each message as much as a scene holds."""
    found = []
    for role, text in exchange:
        if role not in SILENT:
            kept = redaction.redacted(text.replace("\0", " ")).strip()
            cut = kept if len(kept) <= _LONGEST_SPEECH else f"{kept[:_LONGEST_SPEECH]}…"
            found.append((role, cut))
    return found


def _title(spoken: Exchange) -> str:
    """Return the first sentence that tells what an exchange is about, else its first one."""
    said = [sentence for _, text in spoken for sentence in sentences(text[:_LONGEST_SPEECH])]
    telling = (sentence for sentence in said if len(set(terms_but(STOP_WORDS, sentence))) >= _TELLING)
    return next(telling, "") or first_sentence(spoken[0][1])
