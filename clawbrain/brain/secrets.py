"""Treat keys and passwords in everything that is written as STRATEGY.md says: warn, redact or refuse.

A memory is looked at as a whole: its text, its tags and header values, and its name, which may be made of its text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import Invalid
from ..memory import model as memories
from ..memory.model import Memory

if TYPE_CHECKING:
    from . import Brain

TELLING, _TELLING_AT_THE_END = 12, 8  # letters of a secret's beginning that give it away in a name


class Secrets:
    """The handling of secrets in one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self._lenient = False
        self._place = ""  # the file that warnings name
        self._told = ""  # the doubt about STRATEGY.md that was told last

    @contextmanager
    def redacting(self, path: str = "") -> Iterator[None]:
        """Redact where STRATEGY.md says refuse: for what is taken over as a whole, such as an import.

        Warnings name the file at `path`, if one is given.
        """
        before = self._lenient, self._place
        self._lenient, self._place = True, path
        try:
            yield
        finally:
            self._lenient, self._place = before

    def text(self, text: str) -> str:
        """Return a text as it may be written. Raises Invalid where STRATEGY.md says to refuse a secret."""
        from .. import redaction  # making its patterns takes time, and only writers need them

        self._tell_doubt()
        found = redaction.kinds(text)
        return redaction.redacted(text) if found and self._redacts(found) else text

    def name(self, name: str) -> str:
        """Return a name that a caller gave. Raises Invalid for one that holds a secret, unless those only cause a
        warning: a memory cannot be found under another name than it was given."""
        from .. import redaction

        clean = redaction.redacted_word(name)
        if clean != name and self._redacts(_named_in(clean)):
            raise Invalid("the name seems to hold a secret; choose another one.")
        return name

    def handle(self, id: str) -> str:
        """Return what a memory is called where nobody asked for it: its id, or its number if its id holds a secret."""
        from .. import redaction

        if redaction.redacted_word(id) == id:
            return id
        number = self.brain.places([id]).get(id)
        return f"memory number {number} in the order of storing" if number else "a new memory"

    def unnamed(self, page: str) -> str:
        """Return a page that names memories in backticks, with a number for each id that holds a secret."""

        def handle(named: re.Match[str]) -> str:
            handle = self.handle(named[1])
            return named[0] if handle == named[1] else handle

        return re.sub("`([^`\n]+)`", handle, page)

    def memory(self, memory: Memory, before: Memory | None = None) -> Memory:
        """Return a memory as it may be written; `before` is what its file says already, which is left as it is.

        Raises Invalid where STRATEGY.md says to refuse a secret.
        """
        from .. import redaction

        self._tell_doubt()
        fresh = _fresh(memory, before)
        texts = [*_texts(fresh)]
        words = [redaction.redacted_word(tag) for tag in fresh.tags]
        clean = _Fresh(redaction.redacted(fresh.content), words, redaction.redacted_value(fresh.extra))
        if clean != fresh:
            if not self._redacts(_kinds(texts)):
                return memory
            tags = tuple(redaction.redacted_word(tag) if tag in fresh.tags else tag for tag in memory.tags)
            content = clean.content if fresh.content else memory.content
            memory = replace(memory, content=content, tags=tags, extra={**memory.extra, **clean.extra})
        return memory if before else self._renamed(memory, texts)

    def _tell_doubt(self) -> None:
        """Warn, once, where it is doubtful what STRATEGY.md says of secrets."""
        doubt = self.brain.policy.doubt()
        if doubt and doubt != self._told:
            self._told = doubt
            self.brain.warn(doubt)

    def _redacts(self, found: str) -> bool:
        """Tell whether secrets of these kinds shall be redacted, after warning of them. Raises Invalid to refuse."""
        policy = self.brain.policy.settings().safety.secrets
        if policy == "refuse" and not self._lenient:
            raise Invalid(f"the content seems to hold a secret ({found}); store where it is kept, not what it is.")
        from .. import redaction

        place = f"memory/{redaction.redacted_word(self._place)}" if self._place else ""
        if policy == "warn":
            what = place or "the content"
            self.brain.warn(
                f"{what} seems to hold a secret ({found}); if it does, take it out: the file is plain text."
            )
            return False
        where = f" in {place}" if place else ""
        self.brain.warn(f"a secret was not stored{where} ({found}): [redacted: …] stands in its place.")
        return True

    def _renamed(self, memory: Memory, texts: Iterable[str]) -> Memory:
        """Return a new memory with a name, an id and a path that hold no part of a secret of its texts."""
        from .. import redaction

        name, category, id = memory.name, memory.category, memory.id
        if (clean := redaction.redacted_word(name)) != name and self._redacts(_named_in(clean)):
            name = memories.kebab(clean)
        for secret, kind in spelled(texts):
            name, category, id = (_without(word, secret, kind) for word in (name, category, id))
        if (name, category, id) == (memory.name, memory.category, memory.id):
            return memory
        id = memories.make_id(memory.type, category, name)
        path = memories.make_path(memory.type, category, name)
        return replace(memory, name=name, category=category, id=id, path=path)


class _Fresh(NamedTuple):
    """The parts of a memory that are new, with lists for tuples."""

    content: str
    tags: list[str]
    extra: dict[str, Any]


def _fresh(memory: Memory, before: Memory | None) -> _Fresh:
    if before is None:
        return _Fresh(memory.content, list(memory.tags), _listed(memory.extra))
    changed = {key: value for key, value in memory.extra.items() if value != before.extra.get(key)}
    return _Fresh(
        memory.content if memory.content != before.content else "",
        [tag for tag in memory.tags if tag not in before.tags],
        _listed(changed),
    )


def spelled(texts: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each secret of some texts, as it is and as a name or a tag spells it, with its kind."""
    from .. import redaction

    for text in texts:
        for kind, start, end in redaction.find(text):
            secret = text[start:end]
            for word in dict.fromkeys((secret, secret.lower(), memories.kebab(secret, 300), memories.slug(secret))):
                yield word, kind


def _without(name: str, secret: str, kind: str) -> str:
    """Return a name with the kind of a secret in the place of the secret, or of its beginning where it was cut off."""
    for length in range(min(len(secret), len(name)), 0, -1):
        start = name.find(secret[:length])
        ends = start + length == len(name)
        if start >= 0 and (length == len(secret) or length >= TELLING or (ends and length >= _TELLING_AT_THE_END)):
            return name[:start] + f"redacted-{memories.kebab(kind)}" + name[start + length :]
    return name


def _named_in(clean: str) -> str:
    """Return the kinds of the secrets that were redacted in a text."""
    return ", ".join(dict.fromkeys(re.findall(r"\[redacted: ([^]]+)\]", clean)))


def _kinds(texts: Iterable[str]) -> str:
    from .. import redaction

    found = [kind for text in texts for kind in redaction.kinds(text).split(", ") if kind]
    return ", ".join(dict.fromkeys(found)) or "a key"


def _listed(value: Any) -> Any:
    """Return a value with lists for tuples and plain mappings, as redaction returns it."""
    if isinstance(value, Mapping):
        return {str(key): _listed(inner) for key, inner in value.items()}
    return [_listed(each) for each in value] if isinstance(value, list | tuple) else value


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
