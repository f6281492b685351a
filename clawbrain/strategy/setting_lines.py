"""Set settings on a page by an edit of its settings block that touches only the values of these settings.

The edit is made on the text and then read like any page. It counts only if the page says then what was asked for, and
everything else that it said before.
"""

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from ..errors import Invalid, Refused
from ..memory.model import shown
from . import block, parse
from .layer_list import KEY
from .page import Misread, PagePart, parts, yaml_nodes
from .reading import Complaint, Parsed, Reading
from .settings import Setting, settings

Wanted = Mapping[str, Mapping[str, Any]]
"""Values by section and key, as the settings block nests them."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_DIGITS = 12  # behind the point
_BY_HAND = "STRATEGY.md cannot be changed by a program as it stands: change it by hand"


def with_settings(page: bytes, wanted: Wanted) -> bytes:
    """Return a page whose settings block sets these values too; all else in it stays byte for byte.

    A value that is in force already is not written. Raises Invalid for what the page would complain of, and Refused
    where the page itself stands in the way.
    """
    _check(wanted)
    wanted = {section: {key: _rounded(value) for key, value in values.items()} for section, values in wanted.items()}
    before = parse(page)
    text = page.decode(errors="surrogateescape")
    for section, values in wanted.items():
        for key, value in values.items():
            if not _is_in_force(before, section, key, value):
                text = _with_one(text, section, key, _yaml(value))
    new = text.encode(errors="surrogateescape")
    _check_result(before, parse(new), wanted)
    return new


def _check(wanted: Wanted) -> None:
    """Raise Invalid for what the settings block would complain of, wherever it stood."""
    if KEY in wanted:
        raise Invalid(f"{KEY}: they name other folders, so a person writes them into STRATEGY.md by hand.")
    for section, values in wanted.items():
        if not isinstance(values, Mapping):
            raise Invalid(f"{shown(section)} should hold settings, as in duplicates: {{threshold: 90}}.")
        for key, value in values.items():
            setting = settings().get(f"{section}.{key}")
            if setting and not _is_of_kind(value, setting):
                raise Invalid(f"{setting.name}: it should be {setting.range}.")
    alone = _nested({section: _known(section, values) for section, values in wanted.items()})
    if not _is_unicode(alone):
        raise Invalid("a setting holds half of a character: send UTF-8.")
    reading = Reading()
    block.read([part for part in parts(f"```{block.LABEL}\n{alone}\n```\n") if part.kind == "fence"], reading)
    if reading.complaints:
        raise Invalid(" ".join(_said(each) for each in reading.complaints))


def _known(section: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values with 0 for those of no setting, of which the key alone is complained of."""
    return {key: value if f"{section}.{key}" in settings() else 0 for key, value in values.items()}


def _is_of_kind(value: Any, setting: Setting) -> bool:
    """Tell whether a value is of the JSON type that a setting wants."""
    if setting.kind == "words":
        return isinstance(value, list) and all(isinstance(word, str) for word in value)
    if setting.kind in ("int", "float"):
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return isinstance(value, bool if setting.kind == "bool" else str)


def _said(complaint: Complaint) -> str:
    """Return a complaint without what would be so if the line were written."""
    return re.sub(r"; [^;]* stays? as by default\b| Nothing is pruned until it is put right\.", "", complaint.text)


def _is_unicode(text: str) -> bool:
    """Tell whether a text has no lone surrogates, which cannot be written."""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _check_result(before: Parsed, after: Parsed, wanted: Wanted) -> None:
    """Raise where a page does not say what was wanted, or no longer all else that it said."""
    asked = [(section, key) for section, values in wanted.items() for key in values]
    if any(not _is_in_force(after, section, key, wanted[section][key]) for section, key in asked):
        known = {_unnumbered(each) for each in before.complaints}
        errors = [each for each in after.complaints if each.severity == "error"]
        if new := [each for each in errors if _unnumbered(each) not in known]:
            raise Invalid(f"{' '.join(map(_said, new))} Nothing was changed.")
        raise Refused(f"{_BY_HAND}. {' '.join(map(str, errors))}".rstrip())
    names = [name for name in settings() if tuple(name.split(".")) not in asked]
    same = all(_value(before, *name.split(".")) == _value(after, *name.split(".")) for name in names)
    if not same or before.layers != after.layers:
        raise Refused(f"{_BY_HAND}.")


def _unnumbered(complaint: Complaint) -> str:
    return re.sub(r"\bline [0-9]+", "line", complaint.text)


def _value(parsed: Parsed, section: str, key: str) -> Any:
    return getattr(getattr(parsed.strategy, section, None), key, None)


def _is_in_force(parsed: Parsed, section: str, key: str, value: Any) -> bool:
    """Tell whether a page has a setting at a value already."""
    return bool(_value(parsed, section, key) == (tuple(dict.fromkeys(value)) if isinstance(value, list) else value))


# Values as YAML


def _rounded(value: Any) -> Any:
    """Return a number with no more digits than the page takes, and any other value as it is."""
    return round(value, _DIGITS) if isinstance(value, float) and math.isfinite(value) else value


def _yaml(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_yaml, value))}]"
    if isinstance(value, float) and math.isfinite(value):
        return format(Decimal(repr(_rounded(value))), "f")
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _nested(wanted: Wanted) -> str:
    """Return sections of settings in one line of YAML."""
    named = (f"{_yaml(section)}: {_flow(values)}" for section, values in wanted.items())
    return f"{{{', '.join(named)}}}"


def _flow(values: Mapping[str, Any]) -> str:
    return f"{{{', '.join(f'{_yaml(key)}: {_yaml(value)}' for key, value in values.items())}}}"


# The edit


class _Place(NamedTuple):
    """A place in a text: the number of its line, from 0, and of its character in that line."""

    line: int
    column: int


def _with_one(text: str, section: str, key: str, value: str) -> str:
    """Return a page whose settings block has one setting at a value."""
    blocks = block.settings_blocks(parts(text))
    if len(blocks) > 1:
        raise Refused("STRATEGY.md has several settings blocks, of which none is read: leave one of them.")
    ending = "\r\n" if "\r\n" in text else "\n"
    if not blocks:
        lines = [f"```{block.LABEL}", f"{section}: {{{key}: {value}}}", "```", ""]
        return text.rstrip("\r\n") + ending * (2 if text.strip() else 0) + ending.join(lines)
    return _BlockEdit(text, blocks[0], ending).set(section, key, value)


class _BlockEdit:
    """The lines of a page, and the YAML of its settings block with the places of its parts."""

    def __init__(self, text: str, fence: PagePart, ending: str) -> None:
        import yaml  # slow to import, and few processes change settings

        self._lines, self._ending = _LINE.findall(text), ending
        self._first, self._last = fence.line, fence.line + len(fence.body)
        body = "\n".join(fence.body)
        try:
            yaml_nodes(body, fence.line + 1)
            self._root = yaml.compose(body, Loader=yaml.SafeLoader)
        except (Misread, yaml.YAMLError, ValueError) as fault:
            raise Refused(f"{_BY_HAND} ({fault}).") from None

    def set(self, section: str, key: str, value: str) -> str:
        """Return the page with one setting at a value."""
        if self._root is None:
            return self._added(self._last, 0, f"{section}: {{{key}: {value}}}")
        pair = self._pair(self._root, section)
        if pair is None:
            return self._entered(self._root, f"{section}: {{{key}: {value}}}")
        name, content = pair
        if content.id == "mapping":
            found = self._pair(content, key)
            return self._replaced(*found, value) if found else self._entered(content, f"{key}: {value}")
        if content.id == "scalar" and not content.value:
            return self._replaced(name, content, f"{{{key}: {value}}}")
        raise Refused(f"{_BY_HAND} ('{section}' holds no settings).")

    @staticmethod
    def _pair(mapping: Any, key: str) -> tuple[Any, Any] | None:
        """Return the nodes of a key and of its value; None where a mapping has no such key."""
        if mapping.id != "mapping":
            raise Refused(f"{_BY_HAND} (its settings block holds no sections).")
        return next(((name, content) for name, content in mapping.value if name.value == key), None)

    def _replaced(self, name: Any, content: Any, value: str) -> str:
        """Return the page with another value behind a key."""
        if content.id == "scalar" and content.style in ("|", ">"):
            raise Refused(f"{_BY_HAND} ('{name.value}' holds a text of several lines).")
        listed = content.id == "sequence" and not content.flow_style
        empty = content.id == "scalar" and not content.value and not content.style
        if not listed and not empty:
            return self._put(self._place(content.start_mark), self._place(content.end_mark), value)
        end = self._place(name.end_mark)
        colon = _Place(end.line, self._lines[end.line].index(":", end.column) + 1)
        last = self._place(content.value[-1].end_mark) if listed and content.value else colon
        return self._put(colon, last, f" {value}")

    def _entered(self, mapping: Any, line: str) -> str:
        """Return the page with another entry in a mapping."""
        place = self._place(mapping.start_mark)
        if mapping.flow_style:
            inside = _Place(place.line, place.column + 1)
            return self._put(inside, inside, f"{line}, " if mapping.value else line)
        if mapping is self._root:
            return self._added(self._last, place.column, line)
        return self._added(place.line, place.column, line)

    def _place(self, mark: Any) -> _Place:
        return _Place(self._first + mark.line, mark.column)

    def _put(self, start: _Place, end: _Place, text: str) -> str:
        """Return the page with a text in the place of what stands between two places."""
        before, after = self._lines[: start.line], self._lines[end.line + 1 :]
        changed = self._lines[start.line][: start.column] + text + self._lines[end.line][end.column :]
        return "".join((*before, changed, *after))

    def _added(self, at: int, column: int, line: str) -> str:
        """Return the page with a further line before the line of this number."""
        return "".join((*self._lines[:at], " " * column + line + self._ending, *self._lines[at:]))
