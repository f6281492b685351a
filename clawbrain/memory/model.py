"""The model of a memory: its names, ids and dates, and the markdown file that holds it.

Everything here is pure: text in, values out. A caller's arguments are checked and refused with a better spelling,
never silently changed. A person's file is read leniently: what its header lacks follows from its path, and only what
cannot be understood raises Unreadable, with a sentence for its owner.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
_ID = re.compile(r"\w[\w.~-]{0,249}")
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
        raise Invalid("content begins with a header block; send the text alone and use `tags` for tags.")
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
) -> Memory:
    """Return a memory from a caller's arguments. Raises Invalid if one of them breaks a rule."""
    if type not in TYPES:
        raise Invalid(f"type {shown(type)} is unknown: use 'entity' or 'episode'.")
    if type == "episode":
        category = stamp(now)[:7]
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
        created=stamp(now),
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


def checked(memory: Memory) -> Memory:
    """Return a memory made elsewhere, checked and placed like a new one, with its own dates and id if it has them."""
    if memory.type not in TYPES:
        raise Invalid(f"type {shown(memory.type)} is unknown: use 'entity' or 'episode'.")
    created, updated = _checked_date(memory.created), _checked_date(memory.updated)
    category = created[:7] if memory.type == "episode" else check_word("category", memory.category)
    name = check_word("name", memory.name)
    placed = replace(
        memory,
        id=memory.id or make_id(memory.type, category, name),
        category=category,
        path=make_path(memory.type, category, name),
        content=check_content(memory.content),
        tags=check_free_tags(memory.tags),
        created=created,
        updated=max(created, updated),
        extra=check_extra(memory.extra),
    )
    try:
        if parse(placed.path, render(placed), moment(created)) == placed:
            return placed
        trouble = "it would not read back as it was written"
    except UnicodeEncodeError:
        trouble = "it holds a lone surrogate"
    except Unreadable as fault:
        trouble = str(fault)
    raise Invalid(f"{shown(memory.name)} cannot be written as a memory file: {trouble}.")


def _checked_date(text: str) -> str:
    try:
        return stamp(moment(text))
    except (ValueError, OverflowError):
        raise Invalid(f"{shown(text)} is not a date: write 2026-02-25T10:00:00Z.") from None


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


# Text -> Memory


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def parse(path: str, data: bytes, modified: datetime) -> Memory:
    """Return the memory a file holds; `modified` stands in for dates the header does not give.

    Raises Unreadable for a file that is no memory.
    """
    type, category, name = place(path)
    if len(data) > MAX_FILE:
        raise Unreadable(f"larger than {MAX_FILE // 1_048_576} MB: split it")
    text = decode(data)
    parts = header.take_apart(text)
    values = header.read(parts.head)
    return Memory(
        id=_own_id(values) or make_id(type, category, name),
        type=type,
        category=category,
        name=name,
        path=path,
        content=_content(text, parts.body),
        tags=_tags(values),
        created=_date(values, "created") or stamp(modified),
        updated=_date(values, "updated") or stamp(modified),
        pinned=_pinned(values),
        extra={key: value for key, value in values.items() if key not in HEADER_KEYS},
    )


def decode(data: bytes) -> str:
    """Return the text of a file. Raises Unreadable if it is not UTF-8 or holds a NUL character."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(f"not UTF-8 at byte {error.start}: save it as UTF-8") from None
    if "\0" in text:
        raise Unreadable("holds a NUL character: remove it")
    return text


def _content(text: str, body: str) -> str:
    """Return a body as content: with LF if the file's lines end in CRLF; a CR inside an LF file is content."""
    plain = body.replace("\r\n", "\n") if header.newline_of(text) == "\r\n" else body
    return plain.strip("\r\n")


def body(data: bytes) -> str:
    """Return all of a file but its header."""
    return header.take_apart(decode(data)).body


def _own_id(values: Mapping[str, Any]) -> str:
    own: Any = values.get("id", "")
    if own == "" or (isinstance(own, str) and _ID.fullmatch(own)):
        return str(own)
    raise Unreadable("its id is not usable: letters, digits, '-', '_' and '.', or remove the line")


def _tags(values: Mapping[str, Any]) -> tuple[str, ...]:
    tags = values.get("tags", [])
    listed = [tags] if isinstance(tags, str) and tags else tags or []
    if not isinstance(listed, list) or not all(isinstance(tag, str) for tag in listed):
        raise Unreadable('its tags are not a list of words: write tags: ["one", "two"]')
    return tuple(dict.fromkeys(tag for tag in listed if tag.strip()))


def _date(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key, "")
    if value == "":
        return ""
    try:
        return stamp(moment(value))
    except (ValueError, TypeError, OverflowError):
        raise Unreadable(f"its `{key}` is not a date: write 2026-02-25T10:00:00Z") from None


def _pinned(values: Mapping[str, Any]) -> bool:
    value = values.get("pinned", "")
    if not isinstance(value, str) or value.lower() not in ("", "true", "false", "yes", "no"):
        raise Unreadable("its `pinned` is neither true nor false")
    return value.lower() in ("true", "yes")


# Memory -> text, and edits


def render(memory: Memory) -> bytes:
    """Return the file of a new memory."""
    values = {key: getattr(memory, key) for key in HEADER_KEYS} | dict(memory.extra)
    return f"---\n{header.lines(values)}---\n\n{memory.content}\n".encode()


def edited(data: bytes, content: str | None = None, **values: Any) -> bytes:
    """Return the file with these header values set, and another content if one is given. Nothing else changes.

    A file that has no header gets one with just these lines. A value of None takes its line out.
    """
    from .strict_handler import changed  # takes time to import

    text = decode(data)
    body = None if content is None else _with_content(text, content)
    return changed(text, values, body).encode()


def _with_content(text: str, content: str) -> str:
    """Return the new body: the content between the newlines that stood at the ends of the old body."""
    newline = header.newline_of(text)
    if newline == "\r\n":
        content = content.replace("\r\n", "\n").replace("\n", "\r\n")
    old = header.take_apart(text).body
    if not old.strip("\r\n"):
        return newline + content + newline
    start = old[: len(old) - len(old.lstrip("\r\n"))] or newline
    end = old[len(old.rstrip("\r\n")) :] or newline
    return start + content + end


def amended(data: bytes, old: Memory, new: Memory, updated: str) -> bytes:
    """Return the file with the changes from `old` to `new` in it. `updated` is set only with another content."""
    keys = dict.fromkeys([*old.extra, *new.extra])
    values = {key: new.extra.get(key) for key in keys if old.extra.get(key) != new.extra.get(key)}
    check_extra({key: value for key, value in values.items() if value is not None})
    if new.tags != old.tags:
        values["tags"] = list(check_free_tags(new.tags))
    if new.content != old.content:
        data = rewritten(data, check_content(new.content), updated=updated, created=old.created)
    return edited(data, **values) if values else data


def rewritten(data: bytes, content: str, *, updated: str, created: str) -> bytes:
    """Return the file with another content. `created` is written where the header lacks it."""
    lacking = {} if "created" in header.read(header.take_apart(decode(data)).head) else {"created": created}
    return edited(data, content, updated=updated, **lacking)
