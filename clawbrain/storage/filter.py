"""The filter of a search: which memories it is limited to, and the SQL that says so."""

from collections.abc import Callable
from dataclasses import dataclass

from ..memory.model import Memory


@dataclass(frozen=True, slots=True)
class Filter:
    """The memories that a search is limited to: of a type, of a category, with all of some tags, made on some days.

    The days are inclusive (YYYY-MM-DD). `only` is called with each possible answer and accepts it or not.
    """

    type: str | None = None
    category: str | None = None
    tags: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    only: Callable[[Memory], bool] | None = None

    def where(self) -> tuple[str, list[str]]:
        """Return the SQL condition on the rows of `memories`, with its values; an empty one where all fit."""
        conditions, values = [], []
        for condition, value in (
            ("type = ?", self.type),
            ("category = ?", self.category),
            ("created >= ?", self.since),
            ("created < ? || '~'", self.until),
        ):
            if value:
                conditions.append(condition)
                values.append(value)
        for tag in self.tags:
            conditions.append("EXISTS (SELECT 1 FROM json_each(tags) WHERE lower(json_each.value) = lower(?))")
            values.append(tag)
        return " AND ".join(conditions), values


EVERYTHING = Filter()
