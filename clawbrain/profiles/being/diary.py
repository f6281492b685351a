"""The diary: an episode for each day, filed under the month of that day."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING
from uuid import uuid4

from ...errors import Invalid, NotFound
from ...memory import model as memories
from ...memory.model import Memory, make_id, make_path, shown
from ..shared.titles import Titles
from .pages import Written

if TYPE_CHECKING:
    from ...brain import Brain

DIARY = "diary"
_NAME = re.compile(r"diary-(\d{4}-\d\d-\d\d)")


class Diary:
    """The diary of a brain, by day."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain
        self.titles = Titles(brain)

    def last(self, most: int = 7) -> list[tuple[str, Memory]]:
        """Return the newest days that have an entry, oldest first."""
        return [(day, self.brain.read(memory)) for day, memory in self._days()[-most:]]

    def before(self, most: int = 7) -> list[str]:
        """Return the days that have an entry and are none of the newest, oldest first."""
        return [day for day, _ in self._days()[:-most]]

    def _days(self) -> list[tuple[str, Memory]]:
        self.brain.sync()
        days = [(found[1], memory) for memory in self.brain.listed.memories("episode") if (found := _day_of(memory))]
        return sorted(days, key=lambda pair: pair[0])

    def on(self, day: str) -> Memory:
        """Return the entry of a date, or of a uid, id or path; raise NotFound without one."""
        day = day.strip()
        if _is_day(day):
            self.brain.sync()
            found = self.brain.listed.at(make_path("episode", day[:7], f"diary-{day}"))
        else:
            found = self._named(day)
        if found is None:
            raise NotFound(f"there is no diary of {shown(day)}; its key is a day like 2026-02-25.")
        return found

    def _named(self, reference: str) -> Memory | None:
        try:
            found = self.titles.find(reference)
        except NotFound:
            return None
        return found if _day_of(found) else None

    def write(self, day: str, change: Callable[[str], str]) -> Written:
        """Begin the entry of a day, today by default, or change the one there is."""
        self.brain.may_write()
        day = day.strip() or self.brain.today()
        if not _is_day(day):
            raise Invalid(f"{shown(day)} is no day; write one like 2026-02-25.")
        with self.brain.locked():
            try:
                page = self.on(day)
            except NotFound:
                made = self._begin(day, change(""))
                return Written(made, "", made.content)
            return self._changed(page, change)

    def _begin(self, day: str, text: str) -> Memory:
        name, extra = f"diary-{day}", {"title": f"Diary of {day}", "kind": DIARY, "uid": str(uuid4())}
        memory = memories.new("episode", name, text, now=self.brain.clock(), extra=extra)
        place = ("episode", day[:7], name)
        return self.brain.create(replace(memory, category=day[:7], id=make_id(*place), path=make_path(*place)))

    def update(self, day: str, change: Callable[[str], str]) -> Written:
        """Change an existing entry that is still as this session last read it."""
        return self._changed(self.on(day), change, as_read=True)

    def _changed(self, page: Memory, change: Callable[[str], str], as_read: bool = False) -> Written:
        before = page.content

        def changed(now: Memory) -> Memory:
            nonlocal before
            before = now.content
            return replace(now, content=change(now.content))

        made = self.brain.amend(page.id, changed, as_read=as_read)
        return Written(made, before, made.content)

    def put_away(self, day: str) -> Memory:
        """Archive an entry and return it."""
        page = self.on(day)
        self.brain.archive(page.id)
        return page


def _day_of(memory: Memory) -> "re.Match[str] | None":
    return _NAME.fullmatch(memory.name)


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
