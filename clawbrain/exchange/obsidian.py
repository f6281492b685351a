"""Read an Obsidian vault, or any folder of markdown notes: header, tags, aliases, wikilinks, daily notes.

A note's folder becomes its category, and a daily note becomes an episode of its day. Links find their notes as in
Obsidian: by path, by name, by alias.
"""

import json
import posixpath
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import ClawbrainError
from ..memory import wikilinks
from . import markdown
from .draft import Draft, Gaps, Tie
from .files import Note, notes, text_of

_TEMPLATES = ("templates", "_templates")
_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_TEMPLATE_SETTINGS = {  # file below .obsidian/ and the key that names a folder of templates, or one template
    ("templates.json", "folder"): "/",
    ("plugins/templater-obsidian/data.json", "templates_folder"): "/",
    ("daily-notes.json", "template"): ".md",
}
_MADE = ("created", "date created", "created_at", "creation date", "date")
_CHANGED = ("updated", "modified", "date modified", "updated_at", "last modified")
_ATTACHMENTS = {
    f".{kind}"
    for kind in (
        *("png", "jpg", "jpeg", "gif", "svg", "webp", "bmp", "pdf", "mp3", "mp4", "wav", "m4a", "ogg", "webm", "mov"),
        *("canvas", "base", "csv", "zip", "excalidraw"),
    )
}
_OWN = {"tags", "tag", "aliases", "alias", "cssclass", "cssclasses", "publish", *_MADE, *_CHANGED}


def recognises(path: Path) -> bool:
    """Tell whether a folder is a vault or holds a markdown note."""
    if not path.is_dir():
        return False
    return (path / ".obsidian").is_dir() or any(True for _ in notes(path, Gaps(), _is_note))


def _is_note(path: str) -> bool:
    return path.endswith(".md")


def read(path: Path, gaps: Gaps) -> list[Draft]:
    """Return a draft for each note, sorted by origin."""
    vault = path.resolve().name or "vault"
    templates = _template_places(path)
    found = sorted(notes(path, gaps, _is_note), key=lambda note: (note.path.count("/"), note.path))
    drafts = []
    for note in found:
        if _is_template(note, templates):
            gaps(note.path, "a template, not a note")
        elif draft := _draft(vault, note, gaps):
            drafts.append(draft)
    return sorted(drafts, key=lambda draft: draft.origin)


def _is_template(note: Note, places: tuple[str, ...]) -> bool:
    """Tell whether a note is a template: it lies in a folder of that name, or where the vault's settings say."""
    path = note.path.casefold()
    return path.startswith(places) or any(folder in _TEMPLATES for folder in path.split("/")[:-1])


def _template_places(vault: Path) -> tuple[str, ...]:
    """Return the folders and files of templates that a vault's settings name, as beginnings of paths in lower case."""
    places = []
    for (name, key), ending in _TEMPLATE_SETTINGS.items():
        with suppress(ClawbrainError, ValueError):
            settings = json.loads(text_of(vault / ".obsidian" / name))
            place = settings.get(key) if isinstance(settings, dict) else None
            if isinstance(place, str) and (place := place.strip("/").casefold().removesuffix(".md")):
                places.append(place + ending)
    return tuple(places)


def _draft(vault: str, note: Note, gaps: Gaps) -> Draft | None:
    """Return the draft of a note; None for a drawing or a board."""
    values, body, line = markdown.take_apart(note.text, note.path, gaps)
    if "excalidraw-plugin" in values or "kanban-plugin" in values:
        gaps(note.path, "a drawing or a board, not a text")
        return None
    day = note.stem if _DAY.fullmatch(note.stem) else ""
    aliases = markdown.words(_commas(values.get("aliases", values.get("alias", []))))
    made = markdown.date(values, _MADE, note.path, gaps) or (f"{day}T00:00:00Z" if day else note.modified)
    ties, tags = _meaning(note, body, line, gaps)
    own = [*markdown.words(values.get("tags", [])), *markdown.words(values.get("tag", [])), *tags]
    return Draft(
        origin=f"obsidian:{vault}/{note.path}",
        name=note.stem,
        content=body.strip("\n"),
        category=note.folder.partition("/")[0] or "notes",
        type="episode" if day else "entity",
        tags=[each for tag in own for each in markdown.nested(tag)],
        created=made,
        updated=markdown.date(values, _CHANGED, note.path, gaps) or note.modified,
        extra={"title": note.stem} | ({"aliases": aliases} if aliases else {}),
        foreign={key: value for key, value in values.items() if key not in _OWN},
        ties=ties,
        known_as=[note.path.removesuffix(".md"), note.stem, *aliases],
        where=note.path,
        folder=note.folder,
    )


def _commas(value: Any) -> Any:
    """Split a line of aliases at commas only, because an alias may hold spaces."""
    return [each.strip() for each in value.split(",")] if isinstance(value, str) else value


def _meaning(note: Note, body: str, first: int, gaps: Gaps) -> tuple[list[Tie], list[str]]:
    """Return the links and the tags in a note's text, without links to attachments."""
    ties: list[Tie] = []
    tags: list[str] = []
    for number, line in markdown.prose(body, first):
        if wikilinks.is_unclosed(line):
            gaps(f"{note.path} line {number}", "a link `[[` that is not closed")
        tags += markdown.inline_tags(line)
        ties += (Tie("embeds" if link.embedded else "links_to", link.target) for link in wikilinks.in_line(line))
        ties += (Tie("links_to", link.target) for link in markdown.file_links(line, note.folder))
    return [tie for tie in ties if not _attachment(tie.target)], tags


def _attachment(target: str) -> bool:
    return posixpath.splitext(target)[1].lower() in _ATTACHMENTS
