"""Scenes: what happened, who was there, and how it felt.

A scene is an episode of the kind `scene`, stored like any other memory. Its header holds who, when, where and how it
felt; its text is what happened, followed by a line that repeats the rest for people. Its tags are its themes, and the
memories that share a theme form a cluster. New scenes wait for a patrol, which is a compaction; ten waiting scenes
start one.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ... import redaction
from ...brain.history import Message
from ...brain.results import Run
from ...errors import Invalid, NotFound, Pinned, Refused
from ...memory.kinds import PRUNED
from ...memory.markdown import one_line
from ...memory.model import Memory, check_content, check_free_tags, shown
from ...words import content_terms, terms, terms_of, word_pattern
from ..shared.importance import importance
from ..shared.links import STUB
from ..shared.titles import Titles, made_uid, title, uid

if TYPE_CHECKING:
    from ...brain import Brain

SCENE = "scene"
TOGETHER = 10  # waiting scenes start a patrol by themselves
WANTED = 2  # one reading of an archived memory counts as two requests, so that the next patrol restores it
FIELDS = ("action", "feeling", "themes", "when", "actors", "setting")
_MERGED, _INTO = "merged_from", "merged_into"
_ABOUT = re.compile(r"(?:\A|\n\n)\*(?:Who|When|Where|How): [^\n]*\*\Z")
_SENTENCE = re.compile(r".*?(?:[.!?…](?=\s|$)|[。！？]|$)", re.MULTILINE)
_PATROLLED = "patrolled"  # the ledger's note of the last scene that a patrol has seen, in the order of storing
_LEAST = 0.05  # relevance
_MOST_ABOUT = 8_000  # bytes of a header
_LONGEST_TITLE, _LONGEST_SAID, _LONGEST_QUERY = 80, 200, 2_000


class Scene(NamedTuple):
    """A scene as the tools give it: what happened, who was there, when, where, and how it felt."""

    action: str
    actors: Sequence[str] = ()
    when: Sequence[str] = ()
    setting: str = ""
    feeling: str = ""
    themes: Sequence[str] = ()
    importance: float = 0.5


class Cluster(NamedTuple):
    """The memories that share a theme, newest first."""

    uid: str
    name: str
    memories: list[Memory]
    digest: str


class Patrol(NamedTuple):
    """The result of a patrol."""

    scenes: int  # made from messages
    seen: int  # scenes that were waiting, including the new ones
    run: Run


# The text of a scene


def written(scene: Scene) -> str:
    """Return the text of a scene: the action, and a last line whose labels are words that no search looks for."""
    said = {
        "Who": ", ".join(scene.actors),
        "When": ", ".join(scene.when),
        "Where": scene.setting,
        "How": scene.feeling,
    }
    about = " · ".join(f"{word}: {one_line(text)}" for word, text in said.items() if text.strip())
    return f"{scene.action}\n\n*{about}*" if about else scene.action


def read(memory: Memory) -> Scene:
    """Return a memory as a scene; fields that a memory of another kind lacks are empty."""
    return Scene(
        action=_ABOUT.sub("", memory.content).strip("\n"),
        actors=_words(memory.extra.get("actors")),
        when=_words(memory.extra.get("when")) or [memory.created[:10]],
        setting=_word(memory.extra.get("setting")),
        feeling=_word(memory.extra.get("feeling")),
        themes=list(memory.tags),
        importance=importance(memory),
    )


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _words(value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) and value else value
    return [word for word in listed if isinstance(word, str)] if isinstance(listed, list) else []


def first_line(text: str) -> str:
    """Return the first line that holds more than `#` and spaces, without them."""
    return next((line.strip("# \t") for line in text.splitlines() if line.strip("# \t")), "")


def first_sentence(text: str) -> str:
    """Return the first sentence of the first line, shortened to one line."""
    found = _SENTENCE.match(first_line(text))
    return _short(one_line(found[0] if found else ""), _LONGEST_SAID)


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _checked(scene: Scene) -> Scene:
    """Return the scene with its fields cleaned; raise Invalid where it is empty, too large, or a day is no date."""
    if not scene.action.strip():
        raise Invalid("a scene's action is empty; say what happened.")
    scene = scene._replace(
        action=scene.action.strip("\r\n"),
        actors=_distinct(map(one_line, scene.actors)),
        when=sorted(set(map(_day, scene.when))),
        setting=one_line(scene.setting),
        feeling=one_line(scene.feeling),
        themes=_distinct(map(one_line, scene.themes)),
        importance=max(0.0, min(1.0, float(scene.importance))),
    )
    check_content(written(scene))
    check_free_tags(scene.themes)
    if (size := len(json.dumps(scene[1:]))) > _MOST_ABOUT:
        raise Invalid(f"who, when, where, themes and feeling make {size} bytes; {_MOST_ABOUT} is the most.")
    return scene


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        raise Invalid(f"'when' must be days like 2026-02-25, not {shown(text)}.") from None


def _distinct(words: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, words)))


class Scenes:
    """The scenes of a brain: tells, finds, merges and patrols them."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)
        self._perhaps_due = True  # no count was made since this process began or a scene was stored
        brain.after_answer["the patrol of waiting scenes"] = self.tidy_when_due

    # Storing

    def keep(self, scenes: Iterable[Scene], instead_of: Collection[str] = ()) -> list[Memory]:
        """Store scenes and archive the ones they replace; if any of them is invalid, nothing is changed."""
        brain = self.brain
        brain.may_write()
        told = [_checked(self._without_secrets(scene)) for scene in scenes]
        old = [self._scene(reference) for reference in dict.fromkeys(instead_of)]
        with brain.locked():
            for memory in old:
                brain.archive(memory.id)
            return [self._put(scene) for scene in told]

    def _without_secrets(self, scene: Scene) -> Scene:
        """Remove secrets from the fields that the header repeats, as the store does for the text."""
        clean = self.brain.without_secrets
        return scene._replace(action=clean(scene.action), setting=clean(scene.setting), feeling=clean(scene.feeling))

    def _scene(self, reference: str) -> Memory:
        """Return the scene of a reference; raise Refused for any other memory and Pinned for a pinned one."""
        memory = self.titles.find(reference)
        if memory.kind != SCENE:
            raise Refused(f"{shown(reference)} is no scene; nothing was changed.")
        if memory.pinned:
            raise Pinned(f"'{memory.id}' is pinned; its owner can unpin it: `clawbrain unpin {memory.id}`.")
        return memory

    def _put(self, scene: Scene, uid: str = "", **more: Any) -> Memory:
        self._perhaps_due = True
        extra = {
            "kind": SCENE,
            "uid": uid or str(uuid4()),
            "importance": f"{scene.importance:g}",
            "actors": list(scene.actors),
            "when": list(scene.when),
            "setting": scene.setting,
            "feeling": scene.feeling,
            **more,
        }
        name = _short(first_sentence(scene.action), _LONGEST_TITLE)
        kept = {key: value for key, value in extra.items() if value}
        return self.titles.put("episode", name, written(scene), tags=scene.themes, extra=kept)

    # Reading

    def nodes(self, most: int) -> list[Memory]:
        """Return the latest scenes and episodes of no special kind, newest first."""
        self.brain.sync()
        found = [m for m in self.brain.listed.memories("episode") if m.kind in (SCENE, "")]
        return self.brain.in_order(found)[::-1][:most]

    def clusters(self) -> list[Cluster]:
        """Return the clusters, largest first."""
        self.brain.sync()
        holders: dict[str, list[Memory]] = defaultdict(list)
        for memory in self.brain.in_order(m for m in self.brain.listed.memories() if m.kind != STUB)[::-1]:
            for tag in memory.tags:
                holders[tag].append(memory)
        found = [Cluster(made_uid("tag", tag), tag, held, _digest(held)) for tag, held in holders.items()]
        return sorted(found, key=lambda cluster: (-len(cluster.memories), cluster.name))

    def weighed(self, found: Collection[Memory]) -> list[Memory]:
        """Sort memories by importance, then by when they were last used, highest first."""
        credits = self.brain.credits([memory.id for memory in found])

        def weight(memory: Memory) -> tuple[float, str]:
            used = credits[memory.id].last_accessed if memory.id in credits else None
            return importance(memory), max(used or "", memory.created)

        return sorted(found, key=weight, reverse=True)

    def search(self, query: str, limit: int, *, all_words: bool = False) -> list[Memory]:
        """Return the memories that fit a query best; with `all_words`, only those that hold every word of it."""
        asked = _asked(query) if all_words else []
        return self._found(query, limit, lambda memory: memory.kind != STUB and _has_all(memory, asked))

    def recalled(self, message: str, limit: int = 3) -> list[Memory]:
        """Return the memories that a message calls to mind, scenes before others."""
        found = self._found(message, limit, lambda memory: memory.kind == SCENE)
        if len(found) < limit:
            found += self._found(message, limit - len(found), lambda memory: memory.kind not in (SCENE, STUB))
        return found

    def _found(self, query: str, limit: int, only: Callable[[Memory], bool]) -> list[Memory]:
        query = query[:_LONGEST_QUERY]
        if not terms(query):
            return []
        ranked = self.brain.search(query, limit=limit, only=only, most=limit, noted=False)
        found = [memory for hit in ranked.hits if hit.relevance >= _LEAST and (memory := self.brain.known(hit.id))]
        self.brain.shown([memory.id for memory in found], ranked.kind)
        return found

    def matched(self, memory: Memory, query: str) -> list[str]:
        """Return the names of the fields of a memory that hold a word of the query."""
        asked = set(content_terms(query))
        return [field for field, text in _parts(memory).items() if asked & set(terms(text))]

    # Archived memories

    def away(self, reference: str) -> tuple[str, Memory]:
        """Return an archived memory by uid, id or path, and its path in the archive; raise NotFound without one."""
        for path, memory in reversed(self.brain.owner.archived()):
            if memory and reference in (uid(memory), memory.id, path, f"archive/{path}"):
                return path, memory
        raise NotFound(f"{shown(reference)} is not found; search for it.")

    def ask_for(self, path: str, memory: Memory) -> int:
        """Count that an archived memory was read, and return how often it has been asked for. A memory that was merged
        into another lives on in that one, so reading it is not counted."""
        if not self.brain.read_only and not memory.extra.get(_INTO):
            self.brain.add_requests(path, WANTED)
        return self.brain.requests(path)

    def merged_into(self, memory: Memory) -> str:
        """Return the uid of the memory that an archived one was merged into, or ''."""
        into = memory.extra.get(_INTO)
        survivor = self.brain.known(into) if isinstance(into, str) else None
        return uid(survivor) if survivor else ""

    # Merging chosen memories

    def merge(self, references: Sequence[str], summary: str, feeling: str = "") -> tuple[Memory, int]:
        """Store a scene in place of several memories and archive them once it is on the disk; return it and their
        number. When called again after a kill, finish what was begun."""
        brain = self.brain
        brain.may_write()
        if not summary.strip():
            raise Invalid("summary is empty; say what the merged memories have in common.")
        with brain.locked():
            ids = list(dict.fromkeys(self._id(reference) for reference in references))
            if len(ids) < 2:
                raise Invalid("give at least two different node ids.")
            made = self._begun(ids)
            old = [memory for id in ids if (memory := brain.known(id))]
            if made is None:
                made = self._put(self._united(self._mergeable(ids), summary, feeling), merged_from=ids)
            for memory in old:
                brain.amend(memory, _with(_INTO, made.id))
                brain.archive(memory.id)
        return made, len(ids)

    def _id(self, reference: str) -> str:
        try:
            return self.titles.find(reference).id
        except Refused:
            return self.away(reference)[1].id

    def _begun(self, ids: Collection[str]) -> Memory | None:
        """Return the scene already stored for a merge of these memories, or None."""
        made = self.brain.listed.having(_MERGED)
        return next((m for m in made if m.kind == SCENE and set(_words(m.extra[_MERGED])) == set(ids)), None)

    def _mergeable(self, ids: Iterable[str]) -> list[Memory]:
        """Return the memories of these ids; raise Refused or Pinned where one must not be merged."""
        found = [self.titles.find(id) for id in ids]
        for memory in found:
            if memory.kind == STUB or not self.brain.declared.kinds.allow(PRUNED, memory):
                raise Refused(f"'{memory.id}' is a {memory.kind}, and none is merged; nothing was changed.")
            if memory.pinned:
                raise Pinned(f"'{memory.id}' is pinned; its owner can unpin it: `clawbrain unpin {memory.id}`.")
        return found

    def _united(self, merged: Sequence[Memory], summary: str, feeling: str) -> Scene:
        """Return a scene that keeps all dates, people and themes of the merged memories."""
        parts = [read(memory) for memory in merged]
        united = Scene(
            action=summary,
            actors=[actor for part in parts for actor in part.actors],
            when=[day for part in parts for day in part.when],
            setting="; ".join(_distinct(part.setting for part in parts)),
            feeling=feeling.strip() or "; ".join(_distinct(part.feeling for part in parts)),
            themes=[theme for part in parts for theme in part.themes],
            importance=max(part.importance for part in parts),
        )
        return _checked(self._without_secrets(united))

    # Patrols

    def patrol(self, messages: Sequence[Mapping[str, str]] = (), marker: str = "") -> Patrol:
        """Store the messages, make a scene of each exchange, and compact. Messages that were sent before under the same
        marker are skipped."""
        self.brain.may_write()
        marker = marker or str(uuid4())
        made = [self._remember(exchange, key, marker) for key, exchange in self._new(_exchanges(messages), marker)]
        seen = self.waiting()
        return Patrol(len(made), seen, self.tidy())

    def _new(self, exchanges: Sequence[list[tuple[str, str]]], marker: str) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the exchanges that no scene was made of under this marker, each with the uid that its scene gets."""
        keyed: dict[str, list[tuple[str, str]]] = {}
        for exchange in exchanges:
            words, again = [f"{role}: {text}" for role, text in exchange], 0
            while (key := made_uid(SCENE, marker, str(again), *words)) in keyed:
                again += 1
            keyed[key] = exchange
        self.brain.sync()
        known = {key for key in keyed if self.brain.listed.having("uid", key)}
        if len(known) < len(keyed):
            known |= {uid(memory) for _, memory in self.brain.owner.archived() if memory}
        return [(key, exchange) for key, exchange in keyed.items() if key not in known]

    def _remember(self, exchange: Sequence[tuple[str, str]], key: str, marker: str) -> Memory:
        """Add an exchange to the history and store its scene. The history comes first because adding to it twice does
        no harm, while the scene's uid marks the exchange as known."""
        brain = self.brain
        said = [
            Message(marker, role, text, "", source="being", key=f"{key}-{n}") for n, (role, text) in enumerate(exchange)
        ]
        brain.history.add(said)
        firsts = dict(reversed(exchange))
        spoken = [(role, firsts[role]) for role in dict.fromkeys(role for role, _ in exchange)]
        action = " ".join(f"The {role}: “{first_sentence(text)}”" for role, text in spoken)
        scene = Scene(redaction.redacted(action), [role for role, _ in spoken], [brain.today()])
        with brain.locked(), brain.redacting():
            return self._put(_checked(scene), uid=key)

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

    def tidy(self) -> Run:
        """Compact the store and note that all scenes up to now have been seen."""
        self._perhaps_due = False
        self.brain.note(lambda: None, *self._ids())
        upto = max((seq for seq in self._places() if seq), default=0)
        run = self.brain.compact()
        with self.brain.deciding():
            self.brain.keep_note(_PATROLLED, str(upto))
        return run

    def tidy_when_due(self) -> None:
        """Start a patrol after an answer when enough scenes wait. Each process counts anew: a kill loses no scene."""
        if not self._perhaps_due or self.brain.read_only:
            return
        self._perhaps_due = False
        if self.waiting() >= TOGETHER:
            self.tidy()


def _digest(held: Iterable[Memory]) -> str:
    """Return the first line of a cluster's newest merged episode, else newest scene, else newest memory."""
    ranked = sorted(held, key=lambda m: 0 if m.type == "episode" and m.extra.get(_MERGED) else 1 + (m.kind != SCENE))
    return _short(first_line(ranked[0].content), _LONGEST_SAID)


def _parts(memory: Memory) -> dict[str, str]:
    scene = read(memory)
    said = {field: getattr(scene, field) for field in FIELDS}
    said["action"] = f"{title(memory)}\n{scene.action}"
    return {field: text if isinstance(text, str) else "\n".join(text) for field, text in said.items()}


def _asked(query: str) -> list[tuple[str, ...]]:
    """Return the meaningful words of a query, each as the terms it is found by."""
    kept = set(content_terms(query))
    words = [terms_of(word) for word in word_pattern(query).findall(query[:_LONGEST_QUERY])]
    return [word for word in words if kept & set(word)]


def _has_all(memory: Memory, asked: Sequence[tuple[str, ...]]) -> bool:
    if not asked:
        return True
    held = set(terms("\n".join(_parts(memory).values())))
    return all(held & set(word) for word in asked)


def _with(key: str, value: str) -> Callable[[Memory], Memory]:
    return lambda memory: replace(memory, extra={**memory.extra, key: value})


def _exchanges(messages: Iterable[Mapping[str, str]]) -> list[list[tuple[str, str]]]:
    """Group messages into exchanges; a user's message after another's answer begins the next one."""
    found: list[list[tuple[str, str]]] = []
    for message in messages:
        role, text = message["role"], message["content"]
        if not text.strip():
            continue
        if not found or (role == "user" and found[-1][-1][0] != "user"):
            found.append([])
        found[-1].append((role, text))
    return found
