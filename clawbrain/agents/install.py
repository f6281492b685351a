"""Installing clawbrain into the configuration of agent programs, and removing it again.

Those files belong to their owner. A plan is made first and changes nothing; carrying it out keeps a copy of the
previous file beside it, follows links, and replaces each file in one step.
"""

import difflib
import os
import re
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import Changed, Invalid, Refused
from . import jsonc, programs
from .made_folders import MadeFolders
from .pieces import NAME, Hook, OwnFile, Piece, Server, added, as_found, holds, removed, server
from .remote import Address, is_from_install

BACKUP = ".before-clawbrain"
_SCHEMA = "https://opencode.ai/config.json"


@dataclass(frozen=True, slots=True)
class Edit:
    """A file's content before and after the plan is carried out."""

    path: Path
    shown: str  # the path as a person would write it
    before: bytes | None  # None: no such file
    after: bytes | None
    backup: bool = False  # keep a copy of `before` beside the file


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits for a program, and advice for the user."""

    client: str
    edits: tuple[Edit, ...]
    advice: tuple[str, ...]  # the next steps, a sentence each
    folders: MadeFolders


def plan_install(
    client: str,
    environ: Mapping[str, str],
    *,
    project: Path | None = None,
    home: Path | None = None,
    hooks: bool = True,
    rules: bool = False,
    command: list[str] | None = None,
    address: Address | None = None,
) -> Plan:
    """Return the plan for install. `home` is as given on the command line, `command` defaults to this installation.

    With `address` the entry leads to a server that is elsewhere; hooks, which work on a home, are left out then.

    Raise Invalid for an unknown program, a faulty file, a shared project that names a home outside it, and for a
    project, rules or an address where the program has no place for them.
    """
    programs.check_project(client, project)
    if rules:
        programs.check_rules(client, project)
    if address:
        pieces, hooks = programs.pieces_elsewhere(client, environ, project, address), False
        advice = programs.advice_elsewhere(client, project, address)
    else:
        told = programs.home_words(client, environ, project, home)
        run = [NAME] if project else (command or programs.installed_command())
        pieces = programs.pieces_for(client, environ, project, run, told)
        advice = programs.advice(client, project, hooks, bool(project and told))
    if not rules:  # what is there stays, as --rules was said before
        pieces = [piece for piece in pieces if not _is_rules(piece)]
    wanted = [piece for piece in pieces if hooks or isinstance(piece, Server) or _is_rules(piece)]
    unwanted = [piece for piece in pieces if piece not in wanted]
    edits = [_edit(file, wanted, unwanted, environ, project) for file in _files(pieces)]
    return Plan(client, _real(edits), tuple(advice), MadeFolders(environ))


def plan_remove(client: str, environ: Mapping[str, str], *, project: Path | None = None) -> Plan:
    """Return the plan for remove: every file without the pieces that install adds."""
    programs.check_project(client, project)
    program = programs.known(client)
    pieces = programs.pieces_for(client, environ, project, [NAME], [])
    others = [file for file in programs.config_files(client, environ, project) if file not in _files(pieces)]
    pieces += [Server(file, program.place, {}) for file in others]
    edits = [_edit(file, [], pieces, environ, project) for file in _files(pieces)]
    gone = f"Restart {program.title}; your memories stay where they are."
    return Plan(client, _real(edits), (gone,), MadeFolders(environ))


def apply(plan: Plan) -> list[str]:
    """Carry the plan out and return a line for each file written; raise Changed or Refused where that is impossible."""
    return [_carry_out(edit, plan.folders) for edit in plan.edits]


def show(plan: Plan) -> str:
    """Return the plan as a diff, for --print."""
    lines: list[str] = []
    for edit in plan.edits:
        before, after = (_lines(data) for data in (edit.before, edit.after))
        old = edit.shown if edit.before is not None else "/dev/null"
        new = edit.shown if edit.after is not None else "/dev/null"
        lines += difflib.unified_diff(before, after, old, new, n=1)
    return "".join(lines)


# from pieces to edits


def _is_rules(piece: Piece) -> bool:
    return isinstance(piece, OwnFile) and piece.is_rules


def _files(pieces: list[Piece]) -> list[Path]:
    return list(dict.fromkeys(piece.file for piece in pieces))


def _real(edits: list[Edit]) -> tuple[Edit, ...]:
    """Return the edits that change something."""
    return tuple(edit for edit in edits if edit.before != edit.after)


def _edit(
    file: Path, wanted: list[Piece], unwanted: list[Piece], environ: Mapping[str, str], project: Path | None
) -> Edit:
    """Return the edit of a file; raise Invalid with the file's name when it cannot be understood."""
    wanted = [piece for piece in wanted if piece.file == file]
    unwanted = [piece for piece in unwanted if piece.file == file]
    name = as_shown(file, environ, project)
    before = _bytes(file, name)
    try:
        after = _after(file, before, wanted, unwanted)
    except Invalid as error:
        raise Invalid(f"{name}: {error}; nothing was changed, correct the file and try again") from None
    kept = _beside(file)
    is_ours = any(isinstance(piece, OwnFile) for piece in wanted + unwanted)
    backup = bool(wanted) and before is not None and not is_ours
    if backup and _holds_any(_text(before or b""), wanted + unwanted):
        backup = not kept.exists() and not _is_from_install(_text(before or b""), wanted)
    return Edit(file, name, before, after, backup)


def _after(file: Path, before: bytes | None, wanted: list[Piece], unwanted: list[Piece]) -> bytes | None:
    """Return the content of a file after the edit; None removes the file."""
    text = _text(before or b"")
    if own := next((piece for piece in wanted + unwanted if isinstance(piece, OwnFile)), None):
        return _after_own(before, text, own, own in wanted)
    present = [piece for piece in unwanted if holds(text, piece)]
    if not wanted and not present:
        return before
    if not wanted and (former := _former(file, text, present)) is not None:
        return former
    for piece in reversed(present):  # what was added first tells whether the container was there
        text = removed(text, piece, _kept_text(file))
    if not wanted:
        return None if not _beside(file).exists() and _is_void(text) else text.encode()
    if before is None and file.name == "opencode.json":
        text = jsonc.put(text, ("$schema",), _SCHEMA)
    text = _with_version(text, wanted)
    for piece in wanted:
        text = added(text, piece)
    return text.encode()


def _with_version(text: str, pieces: list[Piece]) -> str:
    """Return the text with the version that a file of hooks begins with, where nothing stands in it yet."""
    needed = any(isinstance(piece, Hook) and not piece.is_grouped for piece in pieces) and not jsonc.read(text)
    return jsonc.put(text, ("version",), 1) if needed else text


def _after_own(before: bytes | None, text: str, own: OwnFile, is_wanted: bool) -> bytes | None:
    if before is not None and own.mark not in text:
        if is_wanted:
            raise Invalid("a file of this name is there already and is not ours")
        return before
    return own.text.encode() if is_wanted else None


def _former(file: Path, text: str, present: list[Piece]) -> bytes | None:
    """Return the kept copy of the file, if our pieces are all that has changed since, else None."""
    kept = _kept_text(file)
    if kept is None or _holds_any(kept, present):
        return None
    again = _with_version(kept, present)
    for piece in present:
        again = added(again, as_found(text, piece))
    return _beside(file).read_bytes() if again == text else None


def _holds_any(text: str, pieces: list[Piece]) -> bool:
    return any(holds(text, piece) for piece in pieces)


def _is_from_install(text: str, pieces: list[Piece]) -> bool:
    """Tell whether an entry of our name is one that install writes, and not one of the owner's."""
    entries = [(server(text, piece), piece.remote) for piece in pieces if isinstance(piece, Server)]
    return all(entry is None or "serve" in str(entry) or is_from_install(remote, entry) for entry, remote in entries)


def _is_void(text: str) -> bool:
    """Tell whether the text holds nothing but what install writes into a new file."""
    opening = r'("\$schema": "' + re.escape(_SCHEMA) + r'"|"version": 1)?'
    return re.fullmatch(r"\s*(\{\s*" + opening + r"\s*\})?\s*", text) is not None


# files


def _bytes(file: Path, shown: str) -> bytes | None:
    try:
        if not stat.S_ISREG(file.stat().st_mode):  # to read a pipe is to wait for ever
            raise Refused(f"{shown} cannot be read: it is not a file; move it away and try again")
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{shown} cannot be read: {error.strerror}") from None


def read_text(file: Path, shown: str) -> str | None:
    """Return the text of a configuration, None if there is none; raise Refused or Invalid, which call it `shown`."""
    data = _bytes(file, shown)
    try:
        return None if data is None else _text(data)
    except Invalid as error:
        raise Invalid(f"{shown}: {error}") from None


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Invalid(f"line {line}: it is not UTF-8") from None


def _lines(data: bytes | None) -> list[str]:
    lines = (data or b"").decode().splitlines(keepends=True)
    return [line if line.endswith("\n") else line + "\n" for line in lines]


def _beside(file: Path) -> Path:
    """Return the path of the copy kept beside a file."""
    return file.with_name(file.name + BACKUP)


def _kept_text(file: Path) -> str | None:
    kept = _beside(file)
    try:
        return kept.read_bytes().decode() if kept.is_file() else None
    except (OSError, UnicodeDecodeError):
        return None


def as_shown(file: Path, environ: Mapping[str, str], project: Path | None) -> str:
    """Return a path as a person would write it."""
    for top, prefix in ((project, ""), (programs.user(environ), "~/")):
        if top and file.is_relative_to(top):
            return prefix + file.relative_to(top).as_posix()
    return file.name


def _carry_out(edit: Edit, folders: MadeFolders) -> str:
    """Write or remove a file and return a line that says so; raise Changed when it differs from the plan's `before`."""
    try:
        if _bytes(edit.path, edit.shown) != edit.before:
            raise Changed(f"{edit.shown} changed while it was being worked on: try again", "")
        if edit.after is None:
            edit.path.resolve().unlink()
            folders.remove(edit.path.parent)
            return f"removed {edit.shown}"
        folders.make(edit.path.parent)
        kept = _beside(edit.path)
        if edit.backup and edit.before is not None:
            _replace(kept, edit.before, like=edit.path)
        _replace(edit.path.resolve(), edit.after, like=edit.path)
    except OSError as error:
        raise Refused(f"{edit.shown} cannot be written: {error.strerror}") from None
    if edit.backup:
        return f"wrote {edit.shown} (as it was: {kept.name})"
    if not kept.is_file():
        return f"wrote {edit.shown}"
    if kept.read_bytes() != edit.after:
        return f"wrote {edit.shown} (as it was before clawbrain: {kept.name})"
    kept.unlink()
    return f"wrote {edit.shown}, as it was before clawbrain"


def _replace(file: Path, data: bytes, like: Path) -> None:
    """Write a file under a temporary name and rename it when it is complete, with the permissions of `like`."""
    number, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(number, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(name, like.stat().st_mode & 0o7777 if like.exists() else 0o666 & ~_umask())
        os.replace(name, file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
