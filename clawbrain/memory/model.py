"""A memory: its parts, names, ids, paths and dates, and the rules for what a caller may store.

A caller's arguments are checked and refused with a better spelling, never silently changed. `text.py` turns the bytes
of a file into a Memory and back.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from itertools import dropwhile
from types import MappingProxyType
from typing import Any, NamedTuple

from ..errors import Invalid
from . import header
from .header import Unreadable

TYPES = ("entity", "episode")
MAX_NAME, MAX_TAG, MAX_TAGS = 100, 64, 32
MAX_CONTENT = 1_048_576
MAX_FILE = 4 * 1_048_576
NOT_MEMORIES = ("MEMORY.md", "STRATEGY.md")
HEADER_KEYS = ("id", "type", "category", "tags", "created", "updated", "pinned")

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10))}
_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")
_CONFLICT_COPY = re.compile(r"\.(?:sync-)?conflict-|\(.*conflicted copy.*\)", re.IGNORECASE)


class Fingerprint(NamedTuple):
    """The stat values of a file: as long as they stay the same, the file need not be read again."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory, as its file holds it."""

    id: str
    type: str
    category: str
    name: str
    path: str  # below memory/
    content: str
    tags: tuple[str, ...] = ()
    created: str = ""
    updated: str = ""
    pinned: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        kind = self.extra.get("kind", "")
        return kind if isinstance(kind, str) else ""

    @property
    def superseded(self) -> bool:
        """Whether its header says `status: superseded`: it no longer holds, so nobody is told of it unasked."""
        status = self.extra.get("status")
        return isinstance(status, str) and status.casefold().startswith("superseded")

    @property
    def slash(self) -> str:
        """Return the form people read: 'projects/auth-module', 'episode-2026-01/old-chat'."""
        return f"{self.type}-{self.category}/{self.name}"


# Dates: UTC, whole seconds, 'Z' at the end, so that they compare as text.


def utc_now() -> datetime:
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """Return a time as memories and the ledger write it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


@lru_cache(maxsize=2_000)  # a search asks for the dates of a hundred memories
def moment(text: str) -> datetime:
    """Return the time in UTC that a text gives; without a zone it is taken for UTC."""
    parsed = datetime.fromisoformat(text)
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).astimezone(UTC)


def days_between(earlier: str, later: str) -> float:
    """Return the days from one time to another, never below 0: a clock set back makes nothing younger or older."""
    return max(0.0, (moment(later) - moment(earlier)).total_seconds() / 86_400)


# Names and ids


def slug(text: str) -> str:
    """Return the nearest kebab-case spelling: 'Alice Chen' -> 'alice-chen'. Letters of other scripts stay."""
    if _KEBAB.fullmatch(text):
        return text
    bare = re.sub(r"(?<=[a-z])[\u0300-\u036f]+", "", unicodedata.normalize("NFKD", text.casefold()))
    whole = unicodedata.normalize("NFKC", bare).casefold()
    spaced = "".join(c if c.isalnum() or _is_mark(c) else " " for c in whole)
    words = ("".join(dropwhile(_is_mark, word)) for word in spaced.split())
    return "-".join(word for word in words if word)


def _is_mark(c: str) -> bool:
    """Tell whether a character is a mark written above, below or after a letter; emoji's colour switches are none."""
    return unicodedata.category(c) in ("Mn", "Mc") and not "\ufe00" <= c <= "\ufe0f"


def kebab(text: str, longest: int = MAX_NAME) -> str:
    """Return the nearest word a caller may use as a name; '' when no letter of it is left."""
    word = re.sub(r"[^a-z0-9]+", "-", slug(text)).strip("-")[:longest].strip("-")
    return f"{word}-notes" if word in _DEVICES else word


def shown(text: str, most: int = 80) -> str:
    """Return a caller's words for a sentence of ours: quoted, short, without control characters."""
    safe = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return f"'{safe if len(safe) <= most else safe[: most - 1] + '…'}'"


def check_word(what: str, word: str, longest: int = MAX_NAME) -> str:
    """Return a name, category or tag given as an argument. Raises Invalid unless it is kebab-case and short enough."""
    if len(word) > longest:
        raise Invalid(f"{what} {shown(word)} is longer than {longest} characters; shorten it.")
    if not _KEBAB.fullmatch(word):
        nearest = kebab(word, longest)
        hint = f"try '{nearest}'" if nearest else "use words of a-z and 0-9"
        raise Invalid(f"{what} {shown(word)} is not kebab-case (a-z, 0-9, single hyphens between): {hint}.")
    if word in _DEVICES:
        raise Invalid(f"{what} '{word}' is a device name on Windows; try '{word}-notes'.")
    return word


def check_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags given as arguments, each once. Raises Invalid for too many, and for one that is not kebab-case."""
    if len(tags) > MAX_TAGS:
        raise Invalid(f"{len(tags)} tags are too many: give at most {MAX_TAGS}.")
    return tuple(dict.fromkeys(check_word("tag", tag, MAX_TAG) for tag in tags))


def check_free_tags(tags: Sequence[str]) -> tuple[str, ...]:
    """Return tags as people write them, each once. Raises Invalid for too many or one that is no printable text."""
    if len(tags) > MAX_TAGS:
        raise Invalid(f"{len(tags)} tags are too many: give at most {MAX_TAGS}.")
    for tag in tags:
        if not tag.strip() or not tag.isprintable() or len(tag) > MAX_TAG:
            raise Invalid(f"tag {shown(tag)} is not one of 1 to {MAX_TAG} printable characters.")
    return tuple(dict.fromkeys(tags))


def check_content(content: str) -> str:
    """Return content without the newlines at its ends. Raises Invalid for content that no memory can have."""
    try:
        size = len(content.encode())
    except UnicodeEncodeError:
        raise Invalid("content holds a lone surrogate, which no file can; send valid Unicode.") from None
    if size > MAX_CONTENT:
        raise Invalid(f"content has {size} bytes; {MAX_CONTENT} is the most. Split it into several memories.")
    if "\0" in content:
        raise Invalid("content holds a NUL character; remove it.")
    if not content.strip():
        raise Invalid("content is blank; write what should be remembered.")
    if header.begins_with_block(content):
        advice = "put a line of text before it, or send the text alone, and `tags` where the call takes any"
        raise Invalid(f"content begins with a header block; {advice}.")
    return content.strip("\r\n")


def make_id(type: str, category: str, name: str) -> str:
    return f"{type}-{slug(category)}-{slug(name)}"


def make_path(type: str, category: str, name: str) -> str:
    return f"{'entities' if type == 'entity' else 'episodes'}/{category}/{name}.md"


def new(
    type: str,
    name: str,
    content: str,
    *,
    now: datetime,
    category: str | None = None,
    tags: Sequence[str] = (),
    pinned: bool = False,
    extra: Mapping[str, Any] = MappingProxyType({}),
    created: str = "",
) -> Memory:
    """Return a memory from a caller's arguments. Raises Invalid if one of them breaks a rule.

    `created` is its date where that is not now; it also gives the month of an episode.
    """
    created = created or stamp(now)
    if type not in TYPES:
        raise Invalid(f"type {shown(type)} is unknown: use 'entity' or 'episode'.")
    if type == "episode":
        category = created[:7]
    elif not category:
        raise Invalid("an entity needs a category: people, projects, preferences or another kebab-case word.")
    check_word("category", category)
    check_word("name", name)
    return Memory(
        id=make_id(type, category, name),
        type=type,
        category=category,
        name=name,
        path=make_path(type, category, name),
        content=check_content(content),
        tags=check_tags(tags),
        created=created,
        updated=stamp(now),
        pinned=pinned,
        extra=check_extra(extra),
    )


def check_extra(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return further header keys. Raises Invalid unless they are plain words with values a header can hold."""
    for key, value in extra.items():
        if key in HEADER_KEYS or not re.fullmatch(r"[a-z]\w*", key):
            raise Invalid(f"{shown(key)} cannot be a further header key: take another word of a-z, 0-9 and _.")
        if not header.can_hold(value):
            raise Invalid(f"the value of {shown(key)} cannot stand in a header: use text, lists and mappings of text.")
    return dict(extra)


def place(path: str) -> tuple[str, str, str]:
    """Return type, category and name from a path below memory/. Raises Unreadable for a path that is no memory's."""
    parts = path.split("/")
    if len(parts) != 3 or parts[0] not in ("entities", "episodes") or not parts[2].endswith(".md"):
        raise Unreadable("no place for a memory: move it to entities/CATEGORY/ or episodes/YYYY-MM/")
    root, category, file = parts
    if _CONFLICT_COPY.search(file):
        raise Unreadable("a conflict copy: merge what you need into the original and delete it")
    if root == "episodes" and not _MONTH.fullmatch(category):
        raise Unreadable("an episode's folder is its month: name it like episodes/2026-02/")
    name = file.removesuffix(".md")
    if not slug(name) or not slug(category):
        raise Unreadable("its name holds no letter or digit: rename it")
    return ("entity" if root == "entities" else "episode"), category, name


def spelled_id(path: str) -> str:
    """Return the id that a path gives; '' for a path that is no memory's."""
    try:
        return make_id(*place(path))
    except Unreadable:
        return ""


def spelled_paths(reference: str) -> list[str]:
    """Return the paths a caller may mean by a path or slash form; [] for a plain id."""
    if "/" not in reference:
        return []
    parts = reference.removeprefix("memory/").removesuffix(".md").split("/")
    if len(parts) == 3:
        return ["/".join(parts) + ".md"]
    category, name = parts[0], "/".join(parts[1:])
    found = [make_path("entity", category, name), make_path("episode", category, name)]
    for type in TYPES:
        if category.startswith(f"{type}-"):
            found.insert(0, make_path(type, category.removeprefix(f"{type}-"), name))
    return found


def unnumbered(archive_path: str) -> str:
    """Return the path an archived file came from: old-style~2.md was old-style.md."""
    return re.sub(r"~[0-9]+\.md$", ".md", archive_path)


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
