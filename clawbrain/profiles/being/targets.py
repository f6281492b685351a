"""The targets of update_memory: pages by key, the diary by day, and the parts of the persona."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, count
from typing import TYPE_CHECKING

from ...errors import Invalid, NotFound
from ...memory.model import shown
from ..shared.titles import title, uid
from .diary import Diary
from .pages import Pages, Written
from .souls import PARTS, Souls
from .texts import days_left_out, joined, key_of, own_type, where

if TYPE_CHECKING:
    from ...brain import Brain
    from ...memory.model import Memory

PAGES = {
    "preferences": "preferences", "knowledge": "knowledge", "relationship": "people", "partner_tools": "tools",
    "partner_map": "map", "notes": "notes", "partner_rules": "rules",
}  # fmt: skip
"""The targets that hold texts by key, and the category of each."""

RELATIONS = {
    "person": "people", "device": "devices", "ai": "ais", "organization": "organizations", "other": "others",
}  # fmt: skip
"""The types of relations, and the category of each."""

PEOPLE, OTHERS = "people", "others"  # the latter is the category of what is related in any other way
RULES = "rules"  # the key of rules that were given none
DAYS = 7  # of the diary
ARCHIVE, HISTORY = "the archive", "the page's history"  # where a deleted text is kept


class PageTarget:
    """The targets of update_memory that hold texts by key, one file each."""

    def __init__(self, brain: Brain, pages: Pages, target: str, location: str) -> None:
        self._brain, self._pages, self._target, self._category = brain, pages, target, PAGES[target]
        self._extra = {"location": location} if location and target == "partner_map" else {}

    @property
    def hint(self) -> str:
        return ": the id of a note." if self._target == "notes" else ""

    def get(self, key: str) -> str:
        pages = self._pages
        if key:
            page = self._brain.retrieve(pages.find(self._category, key).id).memory
            return f"{where(page)}\n\n{page.content}".strip()
        return "\n".join(f"- [{self._named(page)}]{where(page)} {page.content}" for page in pages.all(self._category))

    def append(self, key: str, content: str) -> tuple[str, Written]:
        if not key and self._target == "notes":
            made = self._pages.add(self._category, key_of(self._brain, content), content)
            return self._named(made.memory), made
        key = key or (RULES if self._target == "partner_rules" else self._key_for(content))
        change: Callable[[str], str] = lambda before: joined(before, content)  # noqa: E731
        if self._target == "preferences":
            written = self._pages.update_or_begin(self._category, key, lambda _: content, self._extra)
        else:
            written = self._pages.write(self._category, key, change, self._extra)
        return self._named(written.memory), written

    def _key_for(self, content: str) -> str:
        """Return how a text begins as its key; with a number, where another text that begins so has that key."""
        begins = key_of(self._brain, content)
        for key in chain([begins], (f"{begins} ({n})" for n in count(2))):
            page = self._pages.known(self._category, key)
            if page is None or page.content.strip() == content.strip():
                return key
        raise AssertionError("there is always another number")

    def update(self, key: str, content: str) -> tuple[str, Written]:
        pages = self._pages
        change: Callable[[str], str] = lambda before: content if content.strip() else before  # noqa: E731
        if not key:
            written = pages.update_or_begin(self._category, RULES, change, self._extra)
        else:
            written = pages.update(self._category, key, change, self._extra)
        return self._named(written.memory), written

    def delete(self, key: str) -> tuple[str, str]:
        """Delete the text of a key; return its name, and where the text is kept."""
        return self._named(self._pages.put_away(self._category, key)), ARCHIVE

    def _named(self, page: Memory) -> str:
        return uid(page) if self._target == "notes" else title(page)


class RelationTarget(PageTarget):
    """The target of update_memory that holds people. It tells of all other relations, too, which have no tool that
    gets them; each is changed by update_relation."""

    def get(self, key: str) -> str:
        pages, categories = self._pages, RELATIONS.values()
        if key:
            read = [self._brain.retrieve(page.id).memory for page in pages.named(key, *categories)]
            return "\n\n".join(f"{_type_in_brackets(page)}\n\n{page.content}".strip() for page in read)
        relations = [page for category in categories for page in pages.all(category)]
        return "\n".join(f"- [{title(page)}]{_type_in_brackets(page)} {page.content}" for page in relations)

    def append(self, key: str, content: str) -> tuple[str, Written]:
        if not key:
            raise Invalid("relationship append needs a key: the person's name.")
        return super().append(key, content)

    def update(self, key: str, content: str) -> tuple[str, Written]:
        self._expect_person(key)
        return super().update(key, content)

    def delete(self, key: str) -> tuple[str, str]:
        self._expect_person(key)
        return super().delete(key)

    def _expect_person(self, key: str) -> None:
        """Raise NotFound for a name that no person has; say so where another relation has it."""
        page = self._pages.named(key, *RELATIONS.values())[0]
        if page.category != PEOPLE:
            type = _type(page)
            said = f"{shown(title(page))} is no person but a relation of the type {type}; update_relation changes it."
            raise NotFound(said)


def _type(page: Memory) -> str:
    """Return the type of a relation."""
    return own_type(page) or next(type for type, category in RELATIONS.items() if category == page.category)


def _type_in_brackets(page: Memory) -> str:
    """Return the type of a relation in brackets, or '' for a person."""
    return "" if page.category == PEOPLE else f" ({_type(page)})"


class DiaryTarget:
    """The target of update_memory that holds a text for each day."""

    hint = ": a day like 2026-02-25."

    def __init__(self, brain: Brain, diary: Diary) -> None:
        self._brain, self._diary = brain, diary

    def get(self, key: str) -> str:
        if key:
            return self._brain.retrieve(self._diary.on(key).id).memory.content
        told = [f"[{day}]\n{memory.content}" for day, memory in self._diary.last(DAYS)]
        return "\n\n".join(filter(None, [*told, days_left_out(self._diary.before(DAYS))]))

    def append(self, key: str, content: str) -> tuple[str, Written]:
        written = self._diary.write(key, lambda before: joined(before, content))
        return self._named(written.memory), written

    def update(self, key: str, content: str) -> tuple[str, Written]:
        written = self._diary.update(key, lambda _: content)
        return self._named(written.memory), written

    def delete(self, key: str) -> tuple[str, str]:
        """Delete the text of a day; return the day, and where the text is kept."""
        return self._named(self._diary.put_away(key)), ARCHIVE

    def _named(self, page: Memory) -> str:
        return page.name.removeprefix("diary-")


class SoulTarget:
    """The target of update_memory that holds the parts of the persona."""

    hint = f": one of {', '.join(PARTS)}."

    def __init__(self, souls: Souls) -> None:
        self._souls = souls

    def get(self, key: str) -> str:
        parts = self._souls.parts()
        if key:
            return parts.get(self._part(key), "")
        return "\n\n".join(f"[{part}]\n{text}" for part, text in parts.items())

    def append(self, key: str, content: str) -> tuple[str, Written]:
        part = self._part(key)
        return part, self._souls.write(part, lambda before: joined(before, content))

    def update(self, key: str, content: str) -> tuple[str, Written]:
        part = self._part(key)
        return part, self._souls.write(part, lambda _: content, as_read=True)

    def delete(self, key: str) -> tuple[str, str]:
        """Delete a part; return its name, and where its text is kept."""
        part, parts = self._part(key), self._souls.parts()
        if part not in parts:
            raise NotFound(f"souls[{part}] is not found; nothing is written there.")
        self._souls.write(part, lambda _: "")
        return part, ARCHIVE if len(parts) == 1 else HISTORY

    def _part(self, key: str) -> str:
        if key not in PARTS:
            raise Invalid(f"souls needs a key: one of {', '.join(PARTS)}{f', not {key[:100]!r}' if key else ''}.")
        return key
