"""Transcripts: finds, recognises and reads the conversations that agent programs have stored.

One small module for each program knows where its transcripts lie and how to read their messages. Nothing here writes;
parts that cannot be understood are noted and skipped.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ..brain.history import Message
from ..errors import Invalid, NotFound
from ..memory.model import shown
from . import claude_code, codex, gemini, opencode
from .speech import Record

IN_LINES: Mapping[str, ModuleType] = {module.NAME: module for module in (codex, gemini, claude_code)}
PROGRAMS = (opencode.NAME, claude_code.NAME, codex.NAME, gemini.NAME)
_HEAD = 20  # lines, one of which shows which program wrote the file
_ENDINGS = (".jsonl", ".json", ".db", ".jsonl.zst")
_COMPRESSED = ".zst"


class Source(NamedTuple):
    """A transcript, and the program that wrote it."""

    program: str
    path: Path


class Fault(NamedTuple):
    """A part of a transcript that could not be read."""

    where: str
    what: str


class Faults(list[Fault]):
    """The faults found while reading; calling it adds one."""

    def __call__(self, where: str, what: str) -> None:
        self.append(Fault(where, what))


def kept(environ: Mapping[str, str], only: str = "") -> list[Source]:
    """Return the transcripts in the folders where the programs store them, of one program if `only` names it."""
    user = Path(environ.get("HOME") or Path.home())
    modules = {opencode.NAME: opencode, **IN_LINES}
    places = [(name, place) for name in PROGRAMS if only in ("", name) for place in modules[name].places(environ, user)]
    found = [source for name, place in places if place.exists() for source in _within(place, name)]
    return list(dict.fromkeys(found))


def named(path: Path, only: str = "") -> list[Source]:
    """Return the transcripts in a file or folder, told by their content; raise NotFound or Invalid without any."""
    if not path.exists():
        raise NotFound(f"{shown(str(path))} is not found; name a transcript or a folder of them.")
    found = list(_within(path, only))
    if not found:
        raise Invalid(f"{shown(path.name)} is no transcript of {only or ', '.join(PROGRAMS)}, and holds none.")
    return found


def _within(path: Path, only: str) -> Iterator[Source]:
    for each in _files(path):
        program = opencode.NAME if each.is_dir() else _program(each)
        if program and only in ("", program):
            yield Source(program, each)


def _files(path: Path) -> Iterator[Path]:
    """Yield a file, or the files in a folder that may be transcripts; a storage folder of OpenCode counts as one."""
    if not path.is_dir():
        yield path
        return
    for folder, inner, names in os.walk(path):
        if opencode.is_storage(Path(folder)):
            inner.clear()
            yield Path(folder)
            continue
        inner.sort()
        yield from (Path(folder, name) for name in sorted(names) if name.endswith(_ENDINGS))


def _program(path: Path) -> str:
    """Return the program that wrote a transcript, or '' for any other file."""
    if not path.is_file():
        return ""
    try:
        if path.name.endswith(_COMPRESSED):
            return codex.NAME if path.name.startswith("rollout-") else ""
        if opencode.is_database(path):
            return opencode.NAME
        head = list(islice(_records(path, lambda *_: None), _HEAD))
    except OSError:
        return ""
    return next((name for name, module in IN_LINES.items() if any(map(module.recognises, head))), "")


def read(source: Source, tell: Callable[[str, str], None]) -> Iterator[Message]:
    """Yield the messages of a transcript in order, and pass what could not be read to `tell`."""
    program, path = source
    if path.name.endswith(_COMPRESSED):
        tell(path.name, "is compressed: `unzstd` it, and name the file")
    elif program != opencode.NAME:
        try:
            yield from IN_LINES[program].messages(_records(path, tell), path.stem)
        except OSError as error:
            tell(path.name, f"cannot be read ({error.strerror})")
    elif path.is_dir():
        yield from opencode.from_storage(path, tell)
    else:
        yield from opencode.from_database(path, tell)


def _records(path: Path, tell: Callable[[str, str], None]) -> Iterator[Record]:
    """Yield the objects in a file of JSON lines, or the single object of a JSON file."""
    if path.suffix == ".json":
        record = _object(path.read_bytes())
        if record is None:
            tell(path.name, "is not a JSON object")
        else:
            yield record
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                record = _object(line)
                if record is None:
                    tell(f"{path.name}, line {number}", "is not a JSON object")
                else:
                    yield record


def _object(text: bytes) -> Record | None:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
