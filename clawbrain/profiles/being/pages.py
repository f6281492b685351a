"""Pages: texts known by a key, each an entity of its own: preferences, knowledge, people, tools, notes, rules.

The key is the page's title, whatever its file is called; a page that a person wrote without a title is known by the
file's name.
"""

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from ...errors import NotFound
from ...memory import links
from ...memory.model import Memory, shown, slug
from ..shared.titles import Titles, title, uid

if TYPE_CHECKING:
    from ...brain import Brain

KINDS = {"notes": "note", "rules": "rule"}
Change = Callable[[str], str]


class Written(NamedTuple):
    """A memory as it was written, with its text before and after."""

    memory: Memory
    before: str  # '' for a new memory
    after: str


class Pages:
    """The pages of a brain, by category and key; all of them, or only those that fit."""

    def __init__(self, brain: "Brain", fits: Callable[[Memory], bool] = lambda _: True) -> None:
        self.brain, self._fits = brain, fits
        self.titles = Titles(brain)

    def all(self, category: str) -> list[Memory]:
        """Return the pages of a category in the order they were stored, read from their files."""
        return [self.brain.read(memory) for memory in self._of(category)]

    def _of(self, category: str) -> list[Memory]:
        self.brain.sync()
        pages = (page for page in self.brain.listed.memories("entity") if page.category == category)
        return self.brain.in_order(page for page in pages if self._fits(page))

    def known(self, category: str, key: str) -> Memory | None:
        """Return the page of a title in any case, of a uid, id or path, or of a file's name if it has no title, or
        None."""
        return next(iter(self._called(category, key)), None)

    def _called(self, category: str, key: str) -> list[Memory]:
        """Return the pages that a key names as `known` says, those that it names best first."""
        wanted, stem = _plain(key), slug(key)
        pages, named = self._of(category), self.brain.known(key)
        ways: tuple[Callable[[Memory], bool], ...] = (
            lambda page: title(page) == key,
            lambda page: key == uid(page) or (named is not None and page.id == named.id),
            lambda page: _plain(title(page)) == wanted,
            lambda page: bool(stem) and "title" not in page.extra and slug(page.name) == stem,
        )
        return list({page.id: page for fits in ways for page in pages if fits(page)}.values())

    def find(self, category: str, key: str) -> Memory:
        """Return a page as `known` does, or by its file's name even if it has a title; raise NotFound without one."""
        return self.named(key, category)[0]

    def named(self, key: str, *categories: str) -> list[Memory]:
        """Return all pages of some categories that a key names, as `find` says; raise NotFound without one."""
        found = [page for category in categories for page in self._called(category, key) or self._filed(category, key)]
        if not found:
            pages = [page for category in categories for page in self._of(category)]
            keys = ", ".join(dict.fromkeys(shown(title(page)) for page in pages[:20]))
            raise NotFound(f"{shown(key)} is not found; {f'there is {keys}' if keys else 'there is nothing yet'}.")
        return found

    def _filed(self, category: str, key: str) -> list[Memory]:
        """Return the page whose file has a name, if there is one."""
        return [page for page in self._of(category) if page.name == slug(key)]

    def write(
        self, category: str, key: str, change: Change, extra: Mapping[str, Any] = MappingProxyType({})
    ) -> Written:
        """Change the text of a page, or add the page when there is none."""
        self.brain.may_write()
        with self.brain.locked():
            page = self.known(category, key)
            if page:
                return self._changed(page, change, extra)
            return self.add(category, key, change(""), extra)

    def add(self, category: str, key: str, text: str, extra: Mapping[str, Any] = MappingProxyType({})) -> Written:
        """Add a page, even if another one has this key."""
        kind = {"kind": KINDS[category]} if category in KINDS else {}
        extra = {**kind, "uid": str(uuid4()), **extra}
        made = self.titles.keep("entity", key, text, category=category, extra=extra)
        return Written(made, "", made.content)

    def update_or_begin(
        self, category: str, key: str, change: Change, extra: Mapping[str, Any] = MappingProxyType({})
    ) -> Written:
        """Change a page that is still as this session last read it, or add the page when there is none."""
        self.brain.may_write()
        with self.brain.locked():
            if self.known(category, key):
                return self.update(category, key, change, extra)
            return self.add(category, key, change(""), extra)

    def update(
        self, category: str, key: str, change: Change, extra: Mapping[str, Any] = MappingProxyType({})
    ) -> Written:
        """Change an existing page that is still as this session last read it."""
        return self._changed(self.find(category, key), change, extra, as_read=True)

    def _changed(self, page: Memory, change: Change, extra: Mapping[str, Any], as_read: bool = False) -> Written:
        before = page.content

        def changed(now: Memory) -> Memory:
            nonlocal before
            before = now.content
            return replace(now, content=change(now.content), extra={**now.extra, **extra})

        made = self.brain.amend(page.id, changed, as_read=as_read)
        return Written(made, before, made.content)

    def put_away(self, category: str, key: str) -> Memory:
        """Archive a page and return it; warn of the links in its header, which go with it."""
        page = self.find(category, key)
        self.brain.archive(page.id)
        if held := links.read(page):
            self.brain.warn(
                f"{shown(title(page))} held {len(held)} link{'s' * (len(held) != 1)} to other memories or facts "
                f"({held[0].relation}{', …' * (len(held) > 1)}), which went into the archive with it."
            )
        return page


def _plain(key: str) -> str:
    """Return a key for comparing, without regard to case and to how accents are written."""
    return unicodedata.normalize("NFC", key.strip()).casefold()
