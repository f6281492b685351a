"""Read what agents are told in pages: CLAUDE.md, rules, and the notes Claude Code writes below projects/*/memory/.

The pages of other programs (AGENTS.md, GEMINI.md, .cursor/rules …) are read like CLAUDE.md and its rules.

A long page of instructions is cut at its headings, so that a search finds the part that answers. A line that imports
another file (`@docs/style.md`) is not followed; it is noted, unless the import takes that file in too.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..memory import wikilinks
from . import markdown
from .draft import Draft, Gaps, Tie
from .files import Note, note_of, notes

_PAGES = ("CLAUDE.md", "CLAUDE.local.md")
_OTHERS = (
    "AGENTS.md",
    "GEMINI.md",
    "copilot-instructions.md",
    ".cursorrules",
    ".windsurfrules",
)  # other programs' pages
_HIDDEN = (".claude", ".cursor", ".github", ".windsurf")  # the folders that may hold pages and rules
_IMPORT = re.compile(r"(?:^|\s)@((?:[~.]{0,2}/)?[\w./-]*[\w-]\.\w+|~/[\w./-]+)")
_ENTRY = re.compile(r"\s*[-*]\s+\[[^\]]*\]\(([^()]+\.md)\)")
_KINDS = {"user": "people", "feedback": "preferences", "project": "projects", "reference": "references"}
_OWN = {"name", "description", "type", "metadata", "paths"}


class NotePlace(NamedTuple):
    """The owner of a file, and the category of its memories."""

    of: str  # 'user' or a project's name
    path: str  # below the owner's folder
    category: str
    kept: bool = False  # written by Claude Code itself


def recognises(path: Path) -> bool:
    """Tell whether a file or folder is, or holds, a memory of Claude Code or another program's instructions."""
    if path.is_file():
        return path.name in (*_PAGES, *_OTHERS) or _is_rule(path.name, path.parent.name)
    if _is_rules_folder(path.resolve()):
        return True
    marks = (*_PAGES, *_OTHERS, ".claude", "MEMORY.md", ".cursor/rules", ".github/copilot-instructions.md")
    if (path / ".obsidian").is_dir():
        return False
    return path.is_dir() and (path.name in (".claude", ".cursor") or any((path / mark).exists() for mark in marks))


def read(path: Path, gaps: Gaps) -> list[Draft]:
    """Return drafts for a file, or for all memory files below a folder."""
    root = path.resolve()
    if path.is_file():
        found = [(note_of(path), _place(root))]
    else:
        wanted = notes(path, gaps, lambda file: _is_memory(root, file), among=_HIDDEN)
        found = [(note, _place(root / note.path)) for note in wanted]
    names = {note.path.rpartition("/")[2] for note, _ in found}
    top = root.parent if path.is_file() else root
    gaps.taken.update(os.path.realpath(top / note.path) for note, _ in found)
    return [draft for note, place in found for draft in _drafts(note, top, place, names, gaps)]


def _is_rule(name: str, folder: str) -> bool:
    return (folder in ("rules", "memory") and name.endswith(".md")) or (folder == "rules" and name.endswith(".mdc"))


def _is_rules_folder(folder: Path) -> bool:
    """Tell whether a folder is one of rules, such as .cursor/rules, or lies in one."""
    hidden = next((at for at, name in enumerate(folder.parts) if name in _HIDDEN), len(folder.parts))
    return folder.is_dir() and "rules" in folder.parts[hidden:]


def _is_memory(root: Path, path: str) -> bool:
    parts = (*root.parts[-3:], *path.split("/"))
    folders = parts[:-1]
    if parts[-1] in (*_PAGES, *_OTHERS):
        return True
    if "rules" in folders and not set(_HIDDEN).isdisjoint(folders):
        return _is_rule(parts[-1], "rules")
    if not path.endswith(".md"):
        return False
    return folders[-1:] == ("memory",) and ("projects" in folders or (root / "MEMORY.md").exists())


def _place(file: Path) -> NotePlace:
    """Return the place of a file, judged by its path: ~/.claude belongs to the user, everything else to a project."""
    folders = file.parts[:-1]
    if "memory" in folders[-1:]:
        of = folders[-2].strip("-") if len(folders) > 1 else ""
        return NotePlace(of or "project", f"memory/{file.name}", "projects", kept=True)
    inside = next((at for at, folder in enumerate(folders) if folder in _HIDDEN), len(folders))
    home = Path.home().parts
    of = "user" if folders[:inside] == home else (folders[:inside] or ("project",))[-1].strip("/") or "project"
    below = "/".join(file.parts[inside:])
    if "rules" in folders[inside:]:
        return NotePlace(of, below, "rules")
    return NotePlace(of, below, "preferences" if of == "user" else "projects")


def _drafts(note: Note, top: Path, place: NotePlace, names: set[str], gaps: Gaps) -> Iterator[Draft]:
    """Yield the drafts of a file below `top`: one for a note that Claude Code wrote, else one for each section."""
    if place.kept and note.stem != "MEMORY":
        yield _kept(note, place, gaps)
        return
    values, body, first = markdown.take_apart(note.text, note.path, gaps)
    if place.kept:
        body = "\n".join(line for line in body.split("\n") if not _indexes(line, names))
        if not any(line.strip() and not line.startswith("#") for line in body.split("\n")):
            return  # the page is only an index of notes, which are read on their own
    _note_imports(note, top, body, first, gaps)
    yield from _sections(note, place, body, values.get("paths", []) or markdown.words(values.get("globs", [])))


def _indexes(line: str, names: set[str]) -> bool:
    """Tell whether a line of MEMORY.md links to one of the notes that are read."""
    entry = _ENTRY.match(line)
    return entry is not None and entry[1].rpartition("/")[2] in names


def _note_imports(note: Note, top: Path, body: str, first: int, gaps: Gaps) -> None:
    """Note the files that a page imports, except those that this import takes in by themselves."""
    for number, line in markdown.prose(body, first):
        for target in _IMPORT.findall(line):
            file = os.path.realpath((top / note.path).parent / os.path.expanduser(target))
            what = f"imports {target}, which is not followed: import it with --from claude-code"
            gaps.unless_taken(file, f"{note.path} line {number}", what)


def _program(path: str) -> str:
    """Return the name under which a page is known: Claude Code's, or of instructions that others read."""
    name = path.rpartition("/")[2]
    return "claude-code" if name in _PAGES or ".claude" in path.split("/") else "instructions"


def _sections(note: Note, place: NotePlace, body: str, paths: object) -> Iterator[Draft]:
    """Yield one draft for a whole rule, or one for each section of a page."""
    whole = place.category == "rules"
    origin = f"{_program(place.path)}:{place.of}/{place.path}"
    counts: dict[str, int] = {}
    for heading, text in [("", body.strip("\n"))] if whole else markdown.sections(body):
        counts[heading] = counts.get(heading, 0) + 1
        again = f"~{counts[heading]}" if counts[heading] > 1 else ""
        about = heading or (note.stem if whole else "instructions")
        extra = {"paths": paths} if isinstance(paths, list) and paths else {}
        yield Draft(
            origin=f"{origin}#{heading}{again}" if heading else origin + again,
            name=about if place.of == "user" else f"{place.of} {about}",
            content=text,
            category=place.category,
            tags=[place.of] if place.of != "user" else [],
            created=note.modified,
            updated=note.modified,
            extra={"title": about if place.of == "user" else f"{place.of}: {about}", **extra},
            where=note.path,
        )


def _kept(note: Note, place: NotePlace, gaps: Gaps) -> Draft:
    """Return the draft of a note that Claude Code wrote: one fact with a name, a description and a type."""
    values, body, first = markdown.take_apart(note.text, note.path, gaps)
    body = body.strip("\n")
    inner = values.get("metadata")
    kind = str(values.get("type") or (inner.get("type") if isinstance(inner, dict) else "") or "")
    title, about = str(values.get("name") or note.stem), str(values.get("description") or "")
    if kind and kind not in _KINDS:
        gaps(note.path, f"type {kind[:40]!r} is unknown; kept as a note")
    links = [link.target for _, line in markdown.prose(body, first) for link in wikilinks.in_line(line)]
    return Draft(
        origin=f"claude-code:{place.of}/{place.path}",
        name=title,
        content=f"{about}\n\n{body}" if about and about not in body else body,
        category=_KINDS.get(kind, "notes"),
        tags=[place.of],
        created=note.modified,
        updated=note.modified,
        extra={"title": title},
        foreign={key: value for key, value in values.items() if key not in _OWN},
        ties=[Tie("links_to", target) for target in links],
        known_as=[title, note.stem],
        where=note.path,
    )
