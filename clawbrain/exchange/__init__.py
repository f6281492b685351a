"""Import from foreign formats, and export to them.

Each foreign format has one small module. A reader makes drafts and notes every gap; `intake` turns drafts into a plan
and writes the plan's memories through the brain, as every other caller does. `writing` makes text from what the brain
holds.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from ..errors import Invalid, NotFound
from ..memory.model import shown
from . import basic_memory, claude_code, mama_db, obsidian, official_jsonl, table
from .draft import Draft, Gaps
from .files import has_dot_folder


class Format(NamedTuple):
    """A foreign format: a test for sources of the format, and a reader of them."""

    recognises: Callable[[Path], bool]
    read: Callable[[Path, Gaps], list[Draft]]


# Sources are tried in this order, the formats that are easiest to recognise first.
FORMATS: Mapping[str, Format] = {
    "mama": Format(mama_db.recognises, mama_db.read),
    "official": Format(official_jsonl.recognises, official_jsonl.read),
    "claude-code": Format(claude_code.recognises, claude_code.read),
    "json": Format(table.is_json, table.read_json),
    "csv": Format(table.is_csv, table.read_csv),
    "basic-memory": Format(basic_memory.recognises, basic_memory.read),
    "obsidian": Format(obsidian.recognises, obsidian.read),
}

_TEXTS = (".md", ".markdown", ".txt")


def recognised(path: Path) -> str:
    """Return the name of a source's format, told by its kind and content; raise NotFound or Invalid without one."""
    if not path.exists():
        raise NotFound(f"{shown(path.name)} is not found; name a file or a folder.")
    if has_dot_folder(path):
        raise Invalid(
            f"{shown(path.name)} is a clawbrain home: `clawbrain --home DIR export json` makes what to import."
        )
    for name, format in FORMATS.items():
        if format.recognises(path):
            return name
    if path.suffix.lower() in _TEXTS:
        raise Invalid(
            f"{shown(path.name)} is a text of no program that is known here: import the folder of notes it belongs to, "
            "or make one memory of it with `clawbrain store entity NAME --category WORD --file FILE`."
        )
    raise Invalid(f"what {shown(path.resolve().name)} is cannot be told: say --from {'|'.join(FORMATS)}.")


def read(path: Path, name: str, gaps: Gaps) -> list[Draft]:
    """Return the drafts in a source of a named format, and note in `gaps` what was left out."""
    if not path.exists():
        raise NotFound(f"{shown(path.name)} is not found; name a file or a folder.")
    wants_folder = name in ("basic-memory", "obsidian")
    if wants_folder and not path.is_dir():
        raise Invalid(f"{shown(path.name)} is not a folder, and {name} is one.")
    if path.is_dir() and name not in ("basic-memory", "obsidian", "claude-code"):
        raise Invalid(f"{shown(path.name)} is a folder; name the file in it.")
    return [draft for draft in FORMATS[name].read(path, gaps) if _says_something(draft, gaps)]


def _says_something(draft: Draft, gaps: Gaps) -> bool:
    if not draft.content.strip():
        gaps(draft.where, "empty")
        return False
    return True
