"""Read rows with named columns: what `clawbrain export` wrote as JSON or CSV, and foreign JSON, JSON lines or CSV.

A foreign row needs a column with text under one of the usual names; a name, tags and dates are used where they are
given, and every other column is kept in the header.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ..credit import Credit
from ..errors import Invalid
from ..memory.model import digest, moment, shown, stamp
from . import markdown, official_jsonl
from .draft import Draft, Gaps, Tie
from .files import lines_of, text_of

MARK = "clawbrain"
_TEXT = ("content", "text", "body", "memory", "note", "observation", "value", "description")
_NAME = ("name", "title", "key", "subject", "topic")
_ID = ("id", "uuid", "uid", "memory_id", "drawer_id")
_MADE = ("created", "created_at", "date", "timestamp", "createdat", "filed_at")
_CHANGED = ("updated", "updated_at", "modified", "updatedat")
_TIES, _RELATION = ("relationships", "relations", "links"), ("relation", "relationship_type", "type")
_FROM, _TO = ("from_memory", "from_id"), ("to_memory", "to_id", "to", "target")
_WING, _MOST_IMPORTANT = "wing", 5  # rows with this column tell the importance on a scale up to that
_LISTS = ("memories", "items", "results", "notes", "entries", "documents", "data")
_KNOWN = {*_TEXT[:1], "category", "type", "tags", "pinned", *_NAME[:2], *_MADE, *_CHANGED}
_OWN = ("id", "type", "category", "name", "path", "tags", "created", "updated", "pinned", "content", "links", "extra")
_TYPES = ("", "entity", "episode")  # '' where a row names none
_MANY = 1 << 53  # a count above it is none
_MAX_CELL = 4 * 1_048_576
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class TableRow(NamedTuple):
    """A row's place in the source, and its values by column."""

    where: str
    values: Mapping[str, Any]


def is_json(path: Path) -> bool:
    """Tell whether a file's name ends like one of JSON or JSON lines."""
    return path.is_file() and path.suffix.lower() in (".json", ".jsonl", ".ndjson")


def is_csv(path: Path) -> bool:
    """Tell whether a file's name ends like one of CSV."""
    return path.is_file() and path.suffix.lower() in (".csv", ".tsv")


# JSON


def read_json(path: Path, gaps: Gaps) -> list[Draft]:
    """Return the drafts in a JSON or JSON lines file; raise Invalid for a file without a list of memories."""
    text = text_of(path)
    try:
        whole = json.loads(text)
    except RecursionError:
        raise Invalid(f"{shown(path.name)} is nested too deeply.") from None
    except ValueError as error:
        if path.suffix.lower() == ".json" and "Extra data" not in str(error):
            raise Invalid(f"{shown(path.name)} is not JSON: {error}.") from None
        whole = None
    if whole is None or (path.suffix.lower() != ".json" and "\n" in text.strip() and not isinstance(whole, list)):
        return _rows(path, list(_lines(path, gaps)), gaps)
    if isinstance(whole, dict) and isinstance(whole.get("entities"), list):
        return official_jsonl.graph(_graph(whole, gaps), gaps)
    if isinstance(whole, dict) and whole.get(MARK) and isinstance(whole.get("memories"), list):
        return [_own(row, gaps) for row in _dicts(whole["memories"], gaps)]
    return _rows(path, list(_dicts(_listed(path, whole), gaps)), gaps)


def _lines(path: Path, gaps: Gaps) -> Iterator[TableRow]:
    for number, line in lines_of(path, gaps):
        where = f"line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            gaps(where, f"not JSON ({str(error)[:80]})")
        else:
            yield from _dicts([value], gaps, where)


def _graph(whole: Mapping[str, Any], gaps: Gaps) -> Iterator[tuple[str, Any]]:
    """Yield the entities and relations of the official server's answer to read_graph."""
    for kind, key in (("entity", "entities"), ("relation", "relations")):
        for row in _dicts(whole.get(key) or [], gaps):
            yield f"{key} {row.where}", {**row.values, "type": kind}


def _listed(path: Path, whole: Any) -> list[Any]:
    """Return the list of rows in a JSON document; raise Invalid without one."""
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict):
        for key in _LISTS:
            if isinstance(whole.get(key), list):
                return list(whole[key])
        if whole and all(isinstance(value, str) for value in whole.values()):
            return [{"name": name, "content": text} for name, text in whole.items()]
    raise Invalid(f'{shown(path.name)} holds no list of memories; write [{{"name": …, "content": …}}, …].')


def _dicts(items: Any, gaps: Gaps, where: str = "") -> Iterator[TableRow]:
    """Yield the items that are objects or texts as rows, and note the others."""
    for number, item in enumerate(items if isinstance(items, list) else [], 1):
        at = where or f"item {number}"
        if isinstance(item, str):
            yield TableRow(at, {"content": item})
        elif isinstance(item, dict):
            yield TableRow(at, item)
        else:
            gaps(at, "neither an object nor a text")


# CSV


def read_csv(path: Path, gaps: Gaps) -> list[Draft]:
    """Return the drafts in a CSV file with commas, semicolons or tabs."""
    text = text_of(path)
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    usual = csv.field_size_limit(_MAX_CELL)
    try:
        rows = list(_cells(text, delimiter, gaps))
    finally:
        csv.field_size_limit(usual)
    if head.strip().startswith("clawbrain_id"):
        return [_own(TableRow(row.where, _from_cells(row.values)), gaps) for row in rows]
    return _rows(path, rows, gaps)


def _cells(text: str, delimiter: str, gaps: Gaps) -> Iterator[TableRow]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    head: list[str] = []
    try:
        for cells in reader:
            where = f"line {reader.line_num}"
            if not head:
                head = [cell.strip().casefold() for cell in cells]
            elif len(cells) > len(head):
                gaps(where, f"{len(cells)} cells under {len(head)} headings")
            elif any(cell.strip() for cell in cells):
                yield TableRow(where, dict(zip(head, cells, strict=False)))
    except csv.Error as error:
        gaps(f"line {reader.line_num}", f"{error}; this and what follows was left out")


def _from_cells(cells: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of a row that `clawbrain export` wrote as CSV."""
    values: dict[str, Any] = {key: unguarded(cell) for key, cell in cells.items()}
    values["id"] = values.pop("clawbrain_id", "")
    for key, empty in (("tags", []), ("links", []), ("extra", {})):
        try:
            values[key] = json.loads(values.get(key) or "null") or empty
        except (ValueError, RecursionError):
            values[key] = empty
    return values


def guarded(cell: str) -> str:
    """Put an apostrophe before text such as '- a bullet', which a spreadsheet would take for a formula."""
    return f"'{cell}" if cell.lstrip("'").startswith(_FORMULA) else cell


def unguarded(cell: str) -> str:
    """Remove the apostrophe that `guarded` put before a text."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell


# Rows written by clawbrain


def _own(row: TableRow, gaps: Gaps) -> Draft:
    """Return the draft of a memory that another clawbrain exported. It keeps its id, which is the same everywhere."""
    values = row.values
    texts = {key: values[key] for key in _OWN if isinstance(values.get(key), str)}
    extra = values.get("extra")
    links = values.get("links")
    origin = extra.get("origin") if isinstance(extra, dict) else None
    strange = [key for key in ("content", "type", "name") if key not in texts]
    if (kind := texts.get("type", "")) not in _TYPES:
        gaps(row.where, f"`type: {kind[:40]}` is neither entity nor episode: it is taken as an entity")
    if strange:
        gaps(row.where, f"has no {' and no '.join(strange)}")
    return Draft(
        origin=origin if isinstance(origin, str) else "",
        name=texts.get("name", ""),
        content=texts.get("content", ""),
        category=texts.get("category", ""),
        type=texts.get("type", "entity"),
        tags=_own_tags(values.get("tags", [])),
        created=texts.get("created", ""),
        updated=texts.get("updated", ""),
        pinned=values.get("pinned") in (True, "true"),
        extra=extra if isinstance(extra, dict) else {},
        ties=[_tie(link) for link in links if isinstance(link, dict)] if isinstance(links, list) else [],
        known_as=[texts["id"]] if texts.get("id") else [],
        id=texts.get("id", ""),
        where=row.where,
        credit=_own_credit(row, gaps),
    )


def _own_credit(row: TableRow, gaps: Gaps) -> Credit | None:
    """Return the credit of an exported memory, or None where it has none or a part of it cannot be."""
    score, accesses, signals = (row.values.get(key) for key in ("credit_score", "access_count", "signals"))
    if score in (None, ""):
        return None
    try:
        if isinstance(score, bool) or isinstance(accesses, bool) or isinstance(signals, bool):
            raise ValueError
        found = Credit(float(score), int(accesses or 0), signals=int(signals or 0))
    except (TypeError, ValueError, OverflowError):
        found = None
    if found is None or not (0 < found.score < 1 and 0 <= found.access_count < _MANY and 0 <= found.signals < _MANY):
        gaps(row.where, "its credit cannot be, and it begins anew")
        return None
    return found


def _own_tags(value: Any) -> list[str]:
    """Return the tags of an exported row as they were written; a row that a person edited may hold one line of them."""
    return [tag for tag in value if isinstance(tag, str)] if isinstance(value, list) else markdown.words(value)


def _tie(link: Mapping[str, Any]) -> Tie:
    words = [str(link.get(key) or "") for key in ("relation", "target", "from", "until", "made")]
    try:
        strength = float(link.get("strength", 0.5))
    except (TypeError, ValueError):
        strength = 0.5
    return Tie(words[0], words[1], strength, *words[2:])


# Foreign rows


def _rows(path: Path, rows: Iterable[TableRow], gaps: Gaps) -> list[Draft]:
    """Return the drafts of foreign rows, and note each type that is none of ours.

    Raises Invalid when no row holds text.
    """
    rows = list(rows)
    kinds = {kind: row.where for row in reversed(rows) if (kind := str(row.values.get("type") or "")) not in _TYPES}
    for kind, where in reversed(kinds.items()):
        gaps(where, f"`type: {kind[:40]}` is neither entity nor episode: rows of it are taken as entities")
    found = [draft for row in rows if (draft := _row(path, row, gaps))]
    if not found:
        names = ", ".join(_TEXT)
        raise Invalid(f"{shown(path.name)} has nothing to import: no column or key of {names} holds text.")
    return found


def _row(path: Path, row: TableRow, gaps: Gaps) -> Draft | None:
    from .served_rows import placed  # imported here because no other command needs what it imports

    values = {str(key).strip().casefold(): value for key, value in row.values.items()}
    text_key, text = _first(values, _TEXT)
    if not text:
        gaps(row.where, "holds no text")
        return None
    name_key, name = _first(values, _NAME)
    id_key, id = _first(values, _ID)
    kind, category = _first(values, ("type",))[1], _first(values, ("category",))[1]
    ties_key, ties = _row_ties(values, id)
    kept = {k: value for k, value in values.items() if k not in (*_KNOWN, text_key, name_key, id_key, ties_key)}
    if _WING in values:
        kept |= _scaled(kept)
    place = placed(values)
    mark = id or digest(json.dumps([name, text]).encode())[:16]
    return Draft(
        origin=f"{path.suffix[1:].lower() or 'json'}:{path.name}:{mark}" if id else f"table:{mark}",
        name=name or _headline(text),
        content=text,
        category=category or place.category or (kind if kind not in _TYPES else "") or "notes",
        type=place.type or (kind if kind in _TYPES and kind else "entity"),
        tags=markdown.words(values.get("tags", [])),
        created=_when(values, _MADE, row.where, gaps),
        updated=_when(values, _CHANGED, row.where, gaps),
        pinned=str(values.get("pinned", "")).casefold() in ("true", "yes", "1"),
        extra=({"title": name} if name else {}) | ({"kind": place.kind} if place.kind else {}),
        foreign=kept,
        ties=ties,
        known_as=[word for word in (id, name) if word],
        called=id.strip(),
        where=row.where,
    )


def _row_ties(values: Mapping[str, Any], id: str) -> tuple[str, list[Tie]]:
    """Return the column that holds the links of a row and these links, or ('', []) where not all of it can be read.

    A link that starts from another row is left to that one.
    """
    for key in _TIES:
        entries = values.get(key)
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, dict) for entry in entries):
            continue
        ends = [[_first(entry, names)[1] for names in (_FROM, _RELATION, _TO)] for entry in entries]
        if all(relation and target for _, relation, target in ends):
            pairs = zip(entries, ends, strict=True)
            return key, [
                _tie({"relation": relation, "target": target, "strength": entry.get("strength", 0.5)})
                for entry, (source, relation, target) in pairs
                if source in ("", id)
            ]
    return "", []


def _scaled(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the importance of a row from 0 to 1, or nothing where it has none."""
    try:
        return {"importance": f"{float(values['importance']) / _MOST_IMPORTANT:g}"}
    except (KeyError, TypeError, ValueError):
        return {}


def _first(values: Mapping[str, Any], keys: Iterable[str]) -> tuple[str, str]:
    """Return the first of these columns that holds text or a number, with its text, or two empty strings."""
    for key in keys:
        value = values.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return key, value
    return "", ""


def _headline(text: str) -> str:
    """Return the first words of a text as a name."""
    line = next(line for line in text.splitlines() if line.strip()).strip("#-*> \t")
    return " ".join(line.split()[:8])


def _when(values: Mapping[str, Any], keys: Iterable[str], where: str, gaps: Gaps) -> str:
    """Return the date in the first of these columns that holds a value, or '', and note values that are no date."""
    key, text = _first(values, keys)
    if not text:
        return ""
    try:
        if (number := float(text)) > 1e8:
            return _from_number(number)
    except (ValueError, OverflowError, OSError):
        pass
    try:
        return stamp(moment(text.strip()))
    except (ValueError, OverflowError):
        gaps(where, f"`{key}: {text[:40]}` is not a date")
        return ""


def _from_number(seconds: float) -> str:
    """Return a date given in seconds or milliseconds since 1970."""
    from datetime import UTC, datetime

    return stamp(datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC))
