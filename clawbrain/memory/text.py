"""The file of a memory: read its bytes as a Memory, write a Memory as bytes, and change some lines of a file.

A person's file is read leniently: what its header lacks follows from its path, and only what cannot be understood
raises Unreadable, with a sentence for its owner. An edit leaves every line that it does not concern as it stands.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ..errors import Invalid
from . import header
from .header import Unreadable
from .markdown import prose
from .model import (
    HEADER_KEYS,
    MAX_FILE,
    TYPES,
    Memory,
    check_content,
    check_extra,
    check_free_tags,
    check_word,
    make_id,
    make_path,
    moment,
    place,
    shown,
    stamp,
)

_LONGEST_ID = 600  # characters; the longest names of a folder and a file together make some 520

# Bytes -> Memory


def _is_id(text: str) -> bool:
    """Tell whether a text can be an id. All that a path spells can, in every script: vowels of some are marks."""
    plain = text if text.isascii() else "".join(char for char in text if unicodedata.category(char)[0] != "M")
    return len(text) <= _LONGEST_ID and bool(re.fullmatch(r"\w[\w.~-]*", plain)) and text[0] == plain[0]


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
    own, pinned = values.get("id", ""), values.get("pinned", "")
    if own != "" and not (isinstance(own, str) and _is_id(own)):
        raise Unreadable("its id is not usable: letters, digits, '-', '_' and '.', or remove the line")
    if not isinstance(pinned, str) or pinned.lower() not in ("", "true", "false", "yes", "no"):
        raise Unreadable("its `pinned` is neither true nor false")
    return Memory(
        id=own or make_id(type, category, name),
        type=type,
        category=category,
        name=name,
        path=path,
        content=_content(text, parts.body),
        tags=_tags(values),
        created=_date(values, "created") or stamp(modified),
        updated=_date(values, "updated") or stamp(modified),
        pinned=pinned.lower() in ("true", "yes"),
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


def body(data: bytes) -> str:
    """Return all of a file but its header."""
    return header.take_apart(decode(data)).body


def content_of(data: bytes) -> str:
    """Return the content of a file, as a memory has it. Raises Unreadable if it is no text."""
    text = decode(data)
    return _content(text, header.take_apart(text).body)


def _content(text: str, body: str) -> str:
    if header.newline_of(text) == "\r\n":  # a CR inside a file whose lines end in LF is content
        body = body.replace("\r\n", "\n")
    return body.strip("\r\n")


def _tags(values: Mapping[str, Any]) -> tuple[str, ...]:
    tags = values.get("tags", [])
    listed = [tags] if isinstance(tags, str) and tags else tags or []
    if not isinstance(listed, list) or not all(isinstance(tag, str) for tag in listed):
        raise Unreadable('its tags are not a list of words: write tags: ["one", "two"]')
    return tuple(dict.fromkeys(tag for tag in listed if tag.strip()))


def _date(values: Mapping[str, Any], key: str) -> str:
    """Return a date of the header; '' where there is none, or one that cannot be read, which `doubts` names."""
    try:
        return stamp(moment(values.get(key, "")))
    except (ValueError, TypeError, OverflowError):
        return ""


def doubts(data: bytes) -> list[str]:
    """Return what in a memory's file may not mean what its owner meant. Raises Unreadable for a file that is none."""
    parts = header.take_apart(decode(data))
    values = header.read(parts.head)
    found = [
        f"its `{key}` is not a date, so the file's time counts: write 2026-02-25T10:00:00Z"
        for key in ("created", "updated")
        if values.get(key, "") != "" and not _date(values, key)
    ]
    tags = values.get("tags")
    several = [tag.strip() for tag in re.split(r"[,;]|(?:^|\s)#", tags) if tag.strip()] if isinstance(tags, str) else []
    if len(several) > 1:
        listed = ", ".join(f'"{tag}"' for tag in several)
        found.append(f"its `tags` are one tag, {shown(str(tags))}: write tags: [{listed}] if several are meant")
    return found


def has_conflict_markers(body: str) -> bool:
    """Tell whether git left both sides of a conflict in a text, outside code."""
    begun = False
    for line in prose(body.splitlines()):
        if line.startswith("<<<<<<< "):
            begun = True
        elif begun and line.startswith(">>>>>>> "):
            return True
    return False


# Memory -> bytes, and edits


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


# A memory that was made elsewhere


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
