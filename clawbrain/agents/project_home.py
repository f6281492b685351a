"""The memory that a project has of its own: commands use it there, and hooks of the person's memory are silent."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ..errors import Invalid

FILES = (
    ".mcp.json", "opencode.json", "opencode.jsonc", ".codex/config.toml", ".gemini/settings.json", ".cursor/mcp.json",
    ".vscode/mcp.json", ".agents/mcp_config.json", ".github/mcp.json", ".zed/settings.json", ".kiro/settings/mcp.json",
)  # fmt: skip
"""The files in which a project may name a server, as PROGRAMS has them: importing that takes a hook too long."""
_INSIDE = ".memory"
_LARGEST = 1_000_000  # bytes of a configuration that is read


def has_another(folder: Path, home: Path) -> bool:
    """Tell whether the project of a folder has a memory of its own that is not this home.

    It has one where a configuration in the folder or above it, up to the repository's root, names a home that exists,
    or where a folder `.memory` there is a home.
    """
    return any(not os.path.samefile(own, home) for own in homes_of_project(folder))


def homes_of_project(folder: Path) -> Iterator[Path]:
    """Yield the homes that the project of a folder has, the nearest first.

    One that lies elsewhere, by a link or by its name, is none of its homes: whoever is given a project to look at must
    not be led to another memory.
    """
    from ..brain.opening import is_home
    from ..brain.sessions import work_folder

    root = work_folder(folder)
    for here in (folder, *folder.parents):
        if here != Path.home():  # what stands there is the person's own configuration, not a project's
            homes = (here / _INSIDE, *_named_homes(here))
            yield from (home for home in homes if is_home(home) and _is_inside(home, root))
        if here == root:
            return


def _is_inside(home: Path, root: Path) -> bool:
    return Path(os.path.realpath(home)).is_relative_to(os.path.realpath(root))


def _named_homes(here: Path) -> Iterator[Path]:
    """Yield the homes that the configurations of agent programs in a folder name."""
    if not any(map(_text, (here / file for file in FILES))):
        return
    from .programs import PROGRAMS

    for program in PROGRAMS.values():
        for file in program.project_files:
            entry = _entry(here / file, program.place)
            if home := _home_of(entry):
                yield here / Path(home.replace(program.variable or "\0", str(here))).expanduser()


def _entry(file: Path, place: tuple[str, ...]) -> Mapping[str, Any]:
    """Return our entry of a configuration, or an empty one where there is none or the file cannot be read."""
    try:
        text = _text(file)
        entry = _found(text, place, toml=file.suffix == ".toml") if text else {}
    except Invalid:
        return {}
    return entry if isinstance(entry, dict) else {}


def _text(file: Path) -> str:
    """Return the text of a configuration that speaks of clawbrain, else ''."""
    try:
        if not file.is_file() or file.stat().st_size > _LARGEST:
            return ""
        text = file.read_text("utf-8", "replace")
    except OSError:
        return ""
    return text if "clawbrain" in text else ""


def _found(text: str, place: tuple[str, ...], *, toml: bool) -> Any:
    from . import jsonc
    from .toml import read

    if not toml:
        return jsonc.find(text, place)
    value: Any = read(text)
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _home_of(entry: Mapping[str, Any]) -> str:
    """Return the home that an entry names, by an option or in its environment, or ''."""
    command, more = entry.get("command", []), entry.get("args", [])
    words = [str(word) for part in (command, more) if isinstance(part, list) for word in part]
    for number, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option == "--home":
            return value if equals else next(iter(words[number + 1 :]), "")
    for key in ("env", "environment"):
        if isinstance(variables := entry.get(key), dict) and variables.get("CLAWBRAIN_HOME"):
            return str(variables["CLAWBRAIN_HOME"])
    return ""
