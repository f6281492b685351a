"""Read basic-memory's folder of notes: observations `- [category] text #tag (context)`, relations `- relation
[[Target]]`.

A note's text is kept as it is, so nothing in it is lost; relations become links, and observations give their tags.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..memory import wikilinks
from ..memory.model import slug
from . import markdown
from .draft import Draft, Gaps, Tie
from .files import Note, notes
from .official_jsonl import CATEGORIES

_BULLET = re.compile(r"\s*[-*+]\s+(.*)")
_OBSERVATION = re.compile(r"\[([^\[\]]+)\](?!\()\s*(.*)")
_CHECKBOX = re.compile(r"\[[ xX/-]\]")
_LONGEST_RELATION = 60
_OWN = {"title", "type", "permalink", "tags", "created", "modified", "updated", "date"}


def recognises(path: Path) -> bool:
    """Tell whether a note's header holds a permalink, which only basic-memory writes."""
    if not path.is_dir() or (path / ".obsidian").is_dir():
        return False
    for number, note in enumerate(notes(path, Gaps(), _is_note)):
        if "permalink" in markdown.take_apart(note.text, "", Gaps())[0]:
            return True
        if number >= 50:
            break
    return False


def _is_note(path: str) -> bool:
    return path.endswith(".md")


def read(path: Path, gaps: Gaps) -> list[Draft]:
    """Return a draft for each note."""
    return [_draft(note, gaps) for note in notes(path, gaps, _is_note)]


def _draft(note: Note, gaps: Gaps) -> Draft:
    values, body, line = markdown.take_apart(note.text, note.path, gaps)
    title, permalink = _word(values, "title") or note.stem, _word(values, "permalink")
    ties, tags = _meaning(note.path, body, line, gaps)
    kind = _word(values, "type")
    made = markdown.date(values, ("created", "date"), note.path, gaps) or note.modified
    return Draft(
        origin=f"basic-memory:{permalink or note.path.removesuffix('.md')}",
        name=title,
        content=body.strip("\n"),
        category=_category(kind, note.folder),
        tags=[*markdown.words(values.get("tags", [])), *tags],
        created=made,
        updated=markdown.date(values, ("modified", "updated"), note.path, gaps) or note.modified,
        extra={"title": title},
        foreign={"note_type": kind} | {key: value for key, value in values.items() if key not in _OWN},
        ties=ties,
        known_as=[name for name in (permalink, title, note.path.removesuffix(".md"), note.stem) if name],
        where=note.path,
    )


def _word(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key, "")
    return value.strip() if isinstance(value, str) else ""


def _category(kind: str, folder: str) -> str:
    """Return the category that a note's type gives or, without a type, the folder it lies in."""
    if slug(kind) not in ("", "note"):
        return CATEGORIES.get(slug(kind), kind)
    return folder.partition("/")[0] or "notes"


def _meaning(path: str, body: str, first: int, gaps: Gaps) -> tuple[list[Tie], list[str]]:
    """Return the relations and the tags of the observations in a note's text."""
    ties: list[Tie] = []
    tags: list[str] = []
    for number, line in markdown.prose(body, first):
        where = f"{path} line {number}"
        if wikilinks.is_unclosed(line):
            gaps(where, "a link `[[` that is not closed")
        bullet = _BULLET.match(line)
        said = bullet[1] if bullet else ""
        if bullet and (seen := _OBSERVATION.match(said)) and not _CHECKBOX.match(said) and said[:2] != "[[":
            if not seen[2].strip():
                gaps(where, f"an observation [{seen[1][:40]}] without text")
            tags += markdown.inline_tags(said)
        ties += _ties(said if bullet else line, relation=bool(bullet))
    return ties, tags


def _ties(text: str, *, relation: bool) -> list[Tie]:
    """Return the links in a line. In a bullet the words before the first link name its relation; all other links are
    `links_to`."""
    found = []
    for number, link in enumerate(wikilinks.in_line(text)):
        before = text[: link.start].strip().strip("\"'`*")
        named = relation and not number and len(before) <= _LONGEST_RELATION and not before.endswith((".", ",", ":"))
        found.append(Tie((before or "relates_to") if named and before[:1] != "[" else "links_to", link.target))
    return found
