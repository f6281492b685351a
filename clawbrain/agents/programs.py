"""Installing clawbrain into the configuration of agent programs, and removing it again.

Those files belong to their owner. A plan is made first and changes nothing; carrying it out keeps a copy of the
previous file beside it, follows links, and replaces each file in one step. `_wiring` alone says what a program needs;
install adds those pieces, and remove takes the same pieces out.
"""

import difflib
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import DISTRIBUTION
from ..errors import Changed, Invalid, Refused
from . import jsonc, toml

PROGRAMS = {
    "opencode": "OpenCode",
    "claude": "Claude Code",
    "codex": "Codex",
    "gemini": "Gemini CLI",
    "cursor": "Cursor",
    "vscode": "VS Code",
}
NAME = "clawbrain"
BACKUP = ".before-clawbrain"
_EVENTS = {
    "claude": {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "stop": "Stop"},
    "codex": {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "stop": "Stop"},
    "gemini": {"session-start": "SessionStart", "prompt": "BeforeAgent", "stop": "AfterAgent"},
}
_PATIENCE = {"claude": 5, "codex": 5, "gemini": 5000}  # seconds, seconds, milliseconds
_SCHEMA = "https://opencode.ai/config.json"
_FOLDERS = {".claude", ".codex", ".gemini", ".cursor", ".vscode", ".opencode", "opencode", "plugin"}
_PLUGIN_MARK = "// Written by clawbrain"


@dataclass(frozen=True, slots=True)
class Server:
    """The entry of clawbrain among a program's servers."""

    file: Path
    place: tuple[str, ...]
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Hook:
    """The command of clawbrain on one event of a program."""

    file: Path
    event: str
    mark: str
    handler: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Plugin:
    """A file that belongs to clawbrain as a whole."""

    file: Path
    text: str


Piece = Server | Hook | Plugin


@dataclass(frozen=True, slots=True)
class Edit:
    """A file's content before and after the plan is carried out."""

    path: Path
    shown: str  # the path as a person would write it
    before: bytes | None  # None: no such file
    after: bytes | None
    top: Path  # the project or the user's home, which is never removed
    backup: bool = False  # keep a copy of `before` beside the file


@dataclass(frozen=True, slots=True)
class Plan:
    """The edits for a program, and advice for the user."""

    client: str
    edits: tuple[Edit, ...]
    advice: tuple[str, ...]  # the next steps, a sentence each


def found(environ: Mapping[str, str]) -> list[str]:
    """Return the programs that seem to be installed: their executable is on the PATH or they have a configuration."""
    executable = {"vscode": "code"}
    return [
        client
        for client in PROGRAMS
        if shutil.which(executable.get(client, client), path=environ.get("PATH", ""))
        or _footprint(client, environ).exists()
    ]


def installed_command() -> list[str]:
    """Return the command that starts this installation, with absolute paths."""
    script = Path(sys.argv[0]).absolute()
    if script.name == DISTRIBUTION:  # the same program is also installed under the distribution's name
        script = script.with_name(NAME)
    if script.stem == NAME and script.is_file() and os.access(script, os.X_OK):
        return [str(script)]
    beside = Path(sys.executable).parent / NAME
    if beside.is_file():
        return [str(beside)]
    return [sys.executable, "-P", "-m", NAME]  # -P: do not import a package of this name from the current folder


def plan_install(
    client: str,
    environ: Mapping[str, str],
    *,
    project: Path | None = None,
    home: Path | None = None,
    hooks: bool = True,
    command: list[str] | None = None,
) -> Plan:
    """Return the plan for install. `home` is as given on the command line, `command` defaults to this installation.

    Raise Invalid for an unknown program, a faulty file, or a shared project that names a home outside it.
    """
    _known(client)
    told = _home_words(client, environ, project, home)
    run = [NAME] if project else (command or installed_command())
    pieces = _wiring(client, environ, project, run, told)
    wanted = [piece for piece in pieces if hooks or isinstance(piece, Server)]
    unwanted = [piece for piece in pieces if piece not in wanted]
    edits = [_edit(file, wanted, unwanted, environ, project) for file in _files(pieces)]
    return Plan(client, _real(edits), tuple(_advice(client, project, hooks, bool(project and told))))


def plan_remove(client: str, environ: Mapping[str, str], *, project: Path | None = None) -> Plan:
    """Return the plan for remove: every file without the pieces that install adds."""
    _known(client)
    pieces = _wiring(client, environ, project, [NAME], [])
    if client == "opencode":
        others = [file for file in _opencode_files(environ, project) if file not in _files(pieces)]
        pieces += [Server(file, ("mcp", NAME), {}) for file in others]
    edits = [_edit(file, [], pieces, environ, project) for file in _files(pieces)]
    gone = f"Restart {PROGRAMS[client]}; your memories stay where they are."
    return Plan(client, _real(edits), (gone,))


def apply(plan: Plan) -> list[str]:
    """Carry the plan out and return a line for each file written; raise Changed or Refused where that is impossible."""
    return [_carry_out(edit) for edit in plan.edits]


def show(plan: Plan) -> str:
    """Return the plan as a diff, for --print."""
    lines: list[str] = []
    for edit in plan.edits:
        before, after = (_lines(data) for data in (edit.before, edit.after))
        old = edit.shown if edit.before is not None else "/dev/null"
        new = edit.shown if edit.after is not None else "/dev/null"
        lines += difflib.unified_diff(before, after, old, new, n=1)
    return "".join(lines)


# the pieces that each program needs, and their files


def _wiring(
    client: str, environ: Mapping[str, str], project: Path | None, run: list[str], told: list[str]
) -> list[Piece]:
    """Return the pieces that a program needs: its server entry, and its hooks or its plugin."""
    config, hooks = _config_files(client, environ, project)
    pieces: list[Piece] = [Server(config, *_entry(client, [*run, "serve", *told]))]
    if client == "opencode":
        pieces.append(Plugin(hooks, _plugin([*run, "hook"], ["--client", client, *told])))
    for event, theirs in _EVENTS.get(client, {}).items():
        mark = f"hook {event} --client {client}"
        words = [*run, "hook", event, "--client", client, *told]
        handler = {"type": "command", "command": shlex.join(words), "timeout": _PATIENCE[client]}
        pieces.append(Hook(hooks, theirs, mark, handler))
    return pieces


def _config_files(client: str, environ: Mapping[str, str], project: Path | None) -> tuple[Path, Path]:
    """Return the file that names the servers and the file that names the hooks."""
    if client == "opencode":
        folder = _opencode_folder(environ, project)
        plugins = project / ".opencode" if project else folder
        return _opencode_file(environ, project), plugins / "plugin" / f"{NAME}.js"
    if client == "claude":
        if project:
            return project / ".mcp.json", project / ".claude" / "settings.json"
        own = environ.get("CLAUDE_CONFIG_DIR")
        top = Path(own) if own else _user(environ)
        return top / ".claude.json", (top if own else top / ".claude") / "settings.json"
    if client == "codex":
        folder = project / ".codex" if project else _codex_folder(environ)
        return folder / "config.toml", folder / "hooks.json"
    if client == "vscode":
        file = project / ".vscode" / "mcp.json" if project else _vscode_folder(environ) / "mcp.json"
        return file, file
    file = (project or _user(environ)) / f".{client}" / ("mcp.json" if client == "cursor" else "settings.json")
    return file, file


def _entry(client: str, words: list[str]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the place of the server entry in the configuration, and its value."""
    if client == "opencode":
        return ("mcp", NAME), {"type": "local", "command": words, "enabled": True}
    value: dict[str, Any] = {"command": words[0], "args": words[1:]}
    if client in ("claude", "vscode"):
        value = {"type": "stdio", **value}
    holder = {"codex": "mcp_servers", "vscode": "servers"}.get(client, "mcpServers")
    return (holder, NAME), value


def _home_words(client: str, environ: Mapping[str, str], project: Path | None, home: Path | None) -> list[str]:
    """Return the options that name the home; raise Invalid where a shared project names a home outside it."""
    if not project:
        chosen = home or Path(environ.get("CLAWBRAIN_HOME") or _user(environ) / NAME)
        return ["--home", os.path.abspath(chosen)]
    if home is None:
        return []
    inside = Path(os.path.relpath(home, project)).as_posix()
    if inside == ".." or inside.startswith("../") or os.path.isabs(inside):
        raise Invalid(
            "a configuration kept in the project can only name a home inside the project, since it is shared:"
            " choose one there, or leave out --project"
        )
    if client in ("cursor", "vscode"):
        inside = "${workspaceFolder}" + ("" if inside == "." else f"/{inside}")
    return ["--home", inside]


def _advice(client: str, project: Path | None, hooks: bool, relative: bool) -> list[str]:
    lines = [_FIRST_STEPS[client][bool(project)]]
    if hooks and client in _HOOK_STEPS:
        lines.append(_HOOK_STEPS[client])
    if relative and client in ("opencode", "claude", "codex"):
        lines.append(
            f"Start {PROGRAMS[client]} in the project's own folder: from a folder below it the server does not find"
            " this home, and says so rather than begin another memory there."
        )
    if project and not shutil.which(NAME):
        lines.append("Everyone who uses this project needs the command clawbrain on the PATH.")
    return lines


_FIRST_STEPS = {
    "opencode": (
        "Start opencode: `opencode mcp list` shows clawbrain as connected.",
        "Start opencode in this project: `opencode mcp list` shows clawbrain as connected.",
    ),
    "claude": (
        "Start claude: /mcp shows clawbrain as connected.",
        "Start claude in this project and agree to the server in .mcp.json when asked.",
    ),
    "codex": (
        "Start codex: `codex mcp list` shows clawbrain.",
        "Start codex in this project and trust the folder when asked: only then is .codex/ read.",
    ),
    "gemini": (
        "Start gemini: `gemini mcp list` shows clawbrain as connected, in folders you trust.",
        "Start gemini in this project and trust the folder when asked: only then is .gemini/ read.",
    ),
    "cursor": ("Restart Cursor: Settings, MCP shows clawbrain.",) * 2,
    "vscode": ("Run `MCP: List Servers` in VS Code and start clawbrain.",) * 2,
}
_HOOK_STEPS = {
    "codex": "Codex skips hooks until you have read them: type /hooks in codex and trust the three of clawbrain.",
    "opencode": (
        "With a plugin present OpenCode fetches a package of its own at its next start; offline that can take"
        " over a minute, or a second with npm_config_fetch_retries=0 set."
    ),
}


def _known(client: str) -> None:
    if client not in PROGRAMS:
        raise Invalid(f"{client} is not a program known here: choose one of {', '.join(PROGRAMS)}")


def _user(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or Path.home())


def _footprint(client: str, environ: Mapping[str, str]) -> Path:
    """Return the file or folder that exists once the program has run."""
    if client == "opencode":
        return _opencode_folder(environ, None)
    if client == "codex":
        return _codex_folder(environ)
    if client == "vscode":
        return _vscode_folder(environ)
    return _user(environ) / f".{client}"


def _opencode_folder(environ: Mapping[str, str], project: Path | None) -> Path:
    return project or Path(environ.get("XDG_CONFIG_HOME") or _user(environ) / ".config") / "opencode"


def _opencode_files(environ: Mapping[str, str], project: Path | None) -> list[Path]:
    folder = _opencode_folder(environ, project)
    return [folder / "opencode.json", folder / "opencode.jsonc"]


def _opencode_file(environ: Mapping[str, str], project: Path | None) -> Path:
    """Return the configuration that holds our entry, else the one that exists: OpenCode reads both spellings."""
    files = _opencode_files(environ, project)
    present = [file for file in files if file.exists()]
    ours = [file for file in present if b'"clawbrain"' in file.read_bytes()]
    return (ours or present or files)[0]


def _codex_folder(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("CODEX_HOME") or _user(environ) / ".codex")


def _vscode_folder(environ: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return _user(environ) / "Library" / "Application Support" / "Code" / "User"
    return Path(environ.get("XDG_CONFIG_HOME") or _user(environ) / ".config") / "Code" / "User"


def _plugin(run: list[str], options: list[str]) -> str:
    """Return the text of OpenCode's plugin with the command and its options filled in."""
    values = {"RUN": run, "OPTIONS": options}
    text = (Path(__file__).parent / "opencode.js").read_text("utf-8")
    for word, value in values.items():
        text = text.replace(f'"{word}"', json.dumps(value))
    return text


# from pieces to edits


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
    shown = _shown(file, environ, project)
    before = _bytes(file, shown)
    try:
        after = _after(file, before, wanted, unwanted)
    except Invalid as error:
        raise Invalid(f"{shown}: {error}; nothing was changed, correct the file and try again") from None
    kept = _beside(file)
    is_ours = any(isinstance(piece, Plugin) for piece in wanted + unwanted)
    backup = bool(wanted) and before is not None and not is_ours
    if backup and _holds_any(_text(before or b""), wanted + unwanted):
        backup = not kept.exists() and not _is_from_install(_text(before or b""), wanted)
    return Edit(file, shown, before, after, project or _user(environ), backup)


def _after(file: Path, before: bytes | None, wanted: list[Piece], unwanted: list[Piece]) -> bytes | None:
    """Return the content of a file after the edit; None removes the file."""
    text = _text(before or b"")
    if any(isinstance(piece, Plugin) for piece in wanted + unwanted):
        return _after_plugin(before, text, wanted)
    present = [piece for piece in unwanted if _holds(text, piece)]
    if not wanted and not present:
        return before
    if not wanted and (former := _former(file, text, present)) is not None:
        return former
    for piece in present:
        text = _without(text, piece, file)
    if not wanted:
        return None if not _beside(file).exists() and _is_void(text) else text.encode()
    if before is None and file.name == "opencode.json":
        text = jsonc.put(text, ("$schema",), _SCHEMA)
    for piece in wanted:
        text = _with(text, piece)
    return text.encode()


def _after_plugin(before: bytes | None, text: str, wanted: list[Piece]) -> bytes | None:
    if before is not None and not text.startswith(_PLUGIN_MARK):
        if wanted:
            raise Invalid("a plugin of this name is there already and is not ours")
        return before
    return next((piece.text.encode() for piece in wanted if isinstance(piece, Plugin)), None)


def _with(text: str, piece: Piece) -> str:
    """Return the text with a piece added or brought up to date."""
    if isinstance(piece, Hook):
        return _with_hook(text, piece)
    assert isinstance(piece, Server)
    if piece.file.suffix == ".toml":
        return toml.put(text, piece.place, piece.value)
    present = jsonc.find(text, piece.place)
    if not isinstance(present, dict) or type(present.get("command")) is not type(piece.value["command"]):
        return jsonc.put(text, piece.place, piece.value)
    for key, value in piece.value.items():  # the owner's additions to our entry stay
        text = jsonc.put(text, (*piece.place, key), value)
    return text


def _with_hook(text: str, hook: Hook) -> str:
    places = _handlers(text, hook)
    if not places:
        groups = jsonc.find(text, ("hooks", hook.event)) or []
        return jsonc.put(text, ("hooks", hook.event, len(groups)), {"hooks": [hook.handler]})
    for group, place in places:
        text = jsonc.put(text, ("hooks", hook.event, group, "hooks", place, "command"), hook.handler["command"])
    return text


def _without(text: str, piece: Piece, file: Path) -> str:
    """Return the text without a piece and without the objects that only held it."""
    if isinstance(piece, Server) and file.suffix == ".toml":
        return toml.cut(text, piece.place)
    kept = _kept_text(file)
    if isinstance(piece, Server):
        return _cut_hollow(jsonc.cut(text, piece.place), piece.place[:-1], kept)
    assert isinstance(piece, Hook)
    while places := _handlers(text, piece):
        group, place = places[-1]
        alone = len(jsonc.find(text, ("hooks", piece.event, group, "hooks"))) == 1
        where = ("hooks", piece.event, group) if alone else ("hooks", piece.event, group, "hooks", place)
        text = jsonc.cut(text, where)
    return _cut_hollow(text, ("hooks", piece.event), kept)


def _cut_hollow(text: str, place: jsonc.Path, kept: str | None) -> str:
    """Remove the containers that only held our piece, unless the owner's own file had them empty."""
    while place and not jsonc.find(text, place):
        if kept is not None and jsonc.find(kept, place) is not None:
            break
        text, place = jsonc.cut(text, place), place[:-1]
    return text


def _former(file: Path, text: str, present: list[Piece]) -> bytes | None:
    """Return the kept copy of the file, if our pieces are all that has changed since, else None."""
    kept = _kept_text(file)
    if kept is None or _holds_any(kept, present):
        return None
    again = kept
    for piece in present:
        again = _with(again, _as_found(text, piece))
    return _beside(file).read_bytes() if again == text else None


def _as_found(text: str, piece: Piece) -> Piece:
    """Return a piece with the value it has in the text."""
    if isinstance(piece, Server):
        entry = _server(text, piece)
        if piece.file.suffix == ".toml":
            entry = {key: entry[key] for key in piece.value if key in entry}
        return Server(piece.file, piece.place, entry)
    assert isinstance(piece, Hook)
    group, place = _handlers(text, piece)[-1]
    handler = jsonc.find(text, ("hooks", piece.event, group, "hooks", place))
    return Hook(piece.file, piece.event, piece.mark, handler)


def _holds_any(text: str, pieces: list[Piece]) -> bool:
    return any(_holds(text, piece) for piece in pieces)


def _holds(text: str, piece: Piece) -> bool:
    if isinstance(piece, Hook):
        return bool(_handlers(text, piece))
    return isinstance(piece, Server) and _server(text, piece) is not None


def _is_from_install(text: str, pieces: list[Piece]) -> bool:
    """Tell whether an entry of our name is one that install writes, and not one of the owner's."""
    entries = [_server(text, piece) for piece in pieces if isinstance(piece, Server)]
    return all(entry is None or "serve" in str(entry) for entry in entries)


def _server(text: str, piece: Server) -> Any:
    if piece.file.suffix != ".toml":
        return jsonc.find(text, piece.place)
    here: Any = toml.read(text)
    for step in piece.place:
        here = here.get(step) if isinstance(here, dict) else None
    return here


def _handlers(text: str, hook: Hook) -> list[tuple[int, int]]:
    """Return the places of our command on an event: (group, place in the group)."""
    groups = jsonc.find(text, ("hooks", hook.event))
    found: list[tuple[int, int]] = []
    for number, group in enumerate(groups if isinstance(groups, list) else []):
        handlers = group.get("hooks") if isinstance(group, dict) else None
        for place, handler in enumerate(handlers if isinstance(handlers, list) else []):
            command = handler.get("command") if isinstance(handler, dict) else None
            if isinstance(command, str) and NAME in command and hook.mark in command:
                found.append((number, place))
    return found


def _is_void(text: str) -> bool:
    """Tell whether the text holds nothing but what install writes into a new file."""
    return re.fullmatch(r'\s*(\{\s*("\$schema": "' + re.escape(_SCHEMA) + r'")?\s*\})?\s*', text) is not None


# files


def _bytes(file: Path, shown: str) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Refused(f"{shown} cannot be read: {error.strerror}") from None


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
    try:
        return _beside(file).read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None


def _shown(file: Path, environ: Mapping[str, str], project: Path | None) -> str:
    for top, prefix in ((project, ""), (_user(environ), "~/")):
        if top and file.is_relative_to(top):
            return prefix + file.relative_to(top).as_posix()
    return file.name


def _carry_out(edit: Edit) -> str:
    """Write or remove a file and return a line that says so; raise Changed when it differs from the plan's `before`."""
    try:
        if _bytes(edit.path, edit.shown) != edit.before:
            raise Changed(f"{edit.shown} changed while it was being worked on: try again", "")
        if edit.after is None:
            _remove(edit.path, edit.top)
            return f"removed {edit.shown}"
        edit.path.parent.mkdir(parents=True, exist_ok=True)
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


def _remove(file: Path, top: Path) -> None:
    """Remove a file, and the program's own folders that are empty afterwards."""
    file.resolve().unlink()
    for folder in file.parents:
        if folder.name not in _FOLDERS or folder == top or any(folder.iterdir()):
            break
        folder.rmdir()


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
