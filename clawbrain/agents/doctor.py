"""Looking after the programs on this machine: is clawbrain among their servers, and does it work there?

Each program that is found is checked from its own configuration: the command that the entry names is started and
greeted as the program would, or the server that it leads to is greeted, and each hook is run as the program runs it.
Nothing is written: the server is started read-only, and the hooks in a folder where they are switched off. A project's
configuration may be a stranger's, since anybody may call `doctor` in a fresh clone: of it only clawbrain's own command
is run, as `install` writes it, and no server is asked.
"""

import json
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import layer_homes
from ..errors import ClawbrainError, Invalid, Refused, Usage
from . import programs
from .check import PATIENCE, Check, State
from .install import as_shown, read_text
from .jsonc import find
from .pieces import NAME, Hook, OwnFile, Piece, Server, handlers, holds, server
from .programs import Program
from .remote import is_remote

_STATUS: Mapping[State, int] = {"well": 0, "note": 0, "to do": 1, "broken": 3}
_VARIABLES = ("${workspaceFolder}",)
_GREETING = (
    {"id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "clawbrain-doctor", "version": "1"},
    }},
    {"method": "notifications/initialized"},
    {"id": 2, "method": "tools/list"},
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """The command line of a program's entry, and where it is started."""

    run: list[str]  # the command of clawbrain
    words: list[str]  # from `serve` on
    environ: Mapping[str, str]
    folder: Path
    is_shared: bool  # it stands in a project's configuration

    @property
    def may_run(self) -> bool:
        """Tell whether the command may be run: a person's own always, a project's if it is clawbrain's own."""
        return not self.is_shared or self.run in ([NAME], programs.installed_command())

    @property
    def home(self) -> Path:
        """Return the home that the server opens."""
        if self.told:
            return Path(self.folder, Path(self.told[1]).expanduser())
        return Path(self.environ.get("CLAWBRAIN_HOME") or programs.user(self.environ) / NAME)

    @property
    def told(self) -> list[str]:
        """Return the option that names the home, with its value, or nothing."""
        return _home_option(self.words)


def _home_option(words: list[str]) -> list[str]:
    """Return the option that names the home, with its value, or nothing."""
    return [word for value in _values(words, "--home")[:1] for word in ("--home", value)]


def _values(words: list[str], wanted: str) -> list[str]:
    """Return every value that an option has."""
    rest, found = iter(words), []
    for word in rest:
        option, equals, value = word.partition("=")
        if option == wanted:
            found.append(value if equals else next(rest, ""))
    return found


def examine(environ: Mapping[str, str], project: Path) -> list[dict[str, Any]]:
    """Return what was found in each program on this machine, and in the configurations of a project's folder."""
    answered: dict[object, Check] = {}
    reports = []
    for client in programs.found(environ):
        own = list(_checks(client, environ, None, project, answered))
        reports.append(_report(client, "", own))
    for client, program in programs.PROGRAMS.items():
        if program.project_files and _knows(client, environ, project):
            reports.append(_report(client, "project", list(_checks(client, environ, project, project, answered))))
    return reports


def status(reports: list[dict[str, Any]]) -> int:
    """Return the exit status: 0 well, 1 something to do, 3 something broken."""
    return max((_STATUS[report["state"]] for report in reports), default=0)


def _report(client: str, scope: str, checks: list[Check]) -> dict[str, Any]:
    worst = max((check.state for check in checks), key=list(_STATUS).index)
    return {
        "program": client,
        "title": programs.PROGRAMS[client].title,
        "scope": scope or "user",
        "state": worst,
        "checks": [
            {"check": each.check, "state": each.state, "found": each.found, **({"do": each.do} if each.do else {})}
            for each in checks
        ],
    }


def _knows(client: str, environ: Mapping[str, str], project: Path) -> bool:
    """Tell whether a configuration in the project names clawbrain, or cannot be read."""
    program = programs.known(client)
    file = programs.config_file(client, environ, project)
    if file in programs.config_files(client, environ, None):  # the project is the person's own folder
        return False
    try:
        text = read_text(file, file.name)
        return text is not None and server(text, Server(file, program.place, {})) is not None
    except Invalid:
        return NAME in file.read_text("utf-8", "replace")
    except Refused:  # it is a folder or a pipe
        return True


def _checks(
    client: str,
    environ: Mapping[str, str],
    project: Path | None,
    folder: Path,
    answered: dict[object, Check],
) -> Iterator[Check]:
    program = programs.known(client)
    again = f"`clawbrain install {client}{' --project' if project else ''}`"
    file = programs.config_file(client, environ, project)
    name = as_shown(file, environ, project)
    try:
        text = read_text(file, name)
        value = None if text is None else server(text, Server(file, program.place, {}))
    except ClawbrainError as error:
        said = str(error) if name in str(error) else f"{name}: {error}"
        yield Check("entry", "broken", said, "Correct the file by hand.")
        return
    if value is None and client == "claude" and _has_plugin(environ, project):
        yield Check(
            "entry", "note", "clawbrain is there as a plugin", "`claude mcp list` shows whether it is connected."
        )
        return
    if value is None:
        yield Check("entry", "note", f"{program.title} does not know clawbrain", f"{again} sets it up.")
        return
    if is_remote(program.remote, value) and not _switched_off(value):
        from . import doctor_remote  # only here: every command of the terminal imports this module

        is_shared = project is not None
        yield from doctor_remote.checks(program, value, name, again, environ, answered, is_shared=is_shared)
        return
    entry = _entry(value, environ, folder, is_shared=project is not None)
    if isinstance(entry, Check):
        yield Check("entry", entry.state, f"{name}: {entry.found}", f"{again} {entry.do}")
        return
    yield Check("entry", "well", f"{name} starts {' '.join([*entry.run, *entry.words])}")
    command = _command(entry, again)
    yield command
    yield _home(entry)
    yield from _layers(entry)
    if command.state != "broken" and not entry.may_run:
        yield Check("server", "note", f"{entry.run[0]} was not started: this folder's configuration names it", _TRUST)
    elif command.state != "broken":
        key = (*entry.run, *entry.words, entry.folder)
        if key not in answered:
            answered[key] = _server(entry)
        yield answered[key]
        yield from _hooks(client, program, environ, project, entry, again)


def _has_plugin(environ: Mapping[str, str], project: Path | None) -> bool:
    """Tell whether Claude Code's settings switch on a plugin of our name."""
    [file] = {p.file for p in programs.pieces_for("claude", environ, project, [NAME], []) if isinstance(p, Hook)}
    try:
        enabled = find(read_text(file, file.name) or "", ("enabledPlugins",))
    except ClawbrainError:
        return False
    return isinstance(enabled, dict) and any(on and name.startswith(f"{NAME}@") for name, on in enabled.items())


def _entry(value: Any, environ: Mapping[str, str], folder: Path, is_shared: bool) -> Entry | Check:
    """Return the command line of an entry, or what is wrong with it."""
    if not isinstance(value, dict):
        return Check("entry", "broken", "the entry is no object", "writes it anew.")
    if _switched_off(value):
        return Check("entry", "to do", "the entry is switched off", "switches it on; so does the program itself.")
    command = value.get("command", value.get("cmd"))
    words = command if isinstance(command, list) else [command, *(value.get("args") or [])]
    if not words or not all(isinstance(word, str) for word in words):
        return Check("entry", "to do", "the entry names no command", "writes one, and keeps the file as it was.")
    if "serve" not in words:
        return Check(
            "entry", "to do", "the entry is not one of ours", "replaces it, and keeps the file as it was beside."
        )
    words = [_resolved(word, folder) for word in words]
    extra = value.get("env", value.get("environment", value.get("envs")))
    named = extra.items() if isinstance(extra, dict) and not is_shared else ()
    more = {key: text for key, text in named if isinstance(text, str)}
    place = words.index("serve")
    return Entry(words[:place], words[place:], {**environ, **more}, folder, is_shared)


def _switched_off(value: Mapping[str, Any]) -> bool:
    return value.get("disabled") is True or value.get("enabled") is False


def _resolved(word: str, folder: Path) -> str:
    for variable in _VARIABLES:
        word = word.replace(variable, str(folder))
    return word


def _command(entry: Entry, again: str) -> Check:
    command = entry.run[0]
    if shutil.which(command, path=entry.environ.get("PATH", "")):
        return Check("command", "well", f"{command} is there")
    if os.path.isabs(command):
        return Check("command", "broken", f"{command} is not there, or not a program", f"{again} names this one.")
    return Check("command", "broken", f"no command {command} on the PATH", "Install clawbrain for every folder.")


def _home(entry: Entry) -> Check:
    home = entry.home
    if not home.parent.is_dir():
        return Check("home", "to do", f"{home.parent} is not there", "Is its disk mounted? Else name another home.")
    if not home.exists():
        return Check("home", "to do", f"there is no home at {home}", f"`clawbrain init --home {home}` begins one.")
    if not home.is_dir():
        return Check("home", "broken", f"{home} is not a folder", "Move it away, or name another home.")
    if not os.access(home, os.W_OK):
        return Check("home", "to do", f"{home} may not be written", "Memories are found there, and none is stored.")
    return Check("home", "well", f"{home} is there")


def _layers(entry: Entry) -> Iterator[Check]:
    try:
        layers = layer_homes.every(entry.home, _values(entry.words, "--layer"), str(entry.folder))
    except (Invalid, Usage) as error:
        yield Check("layers", "broken", f"{error}", "Correct the entry.")
        return
    for layer in layers:
        if not layer.exists:
            yield Check("layers", "to do", f"there is no home at {layer.folder}", "`clawbrain init` makes one.")
        elif not layer.allowed:
            allow = f"`clawbrain layers allow --home {entry.home}` lets this home read and write it."
            yield Check("layers", "to do", f"layer '{layer.name}' of STRATEGY.md is not allowed", allow)
        else:
            yield Check("layers", "well", f"layer '{layer.name}' is there")


def _server(entry: Entry) -> Check:
    """Start the server read-only, greet it and ask for its tools, as a program does."""
    words = entry.words if {"--read-only", "--audit"} & set(entry.words) else [*entry.words, "--read-only"]
    asked = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in _GREETING)
    began = time.monotonic()
    try:
        done = subprocess.run(
            [*entry.run, *words], input=asked, capture_output=True, text=True, errors="replace", timeout=PATIENCE,
            cwd=entry.folder, env=dict(entry.environ),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Check("server", "broken", f"the server did not answer within {PATIENCE:.0f} seconds", _LOOK)
    except OSError as error:
        return Check("server", "broken", f"the server cannot be started: {error.strerror}", _LOOK)
    took = time.monotonic() - began
    if not _has_greeted(done.stdout):
        said = (done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"])[-1][:300]
        return Check("server", "broken", f"the server does not answer: {said}", _LOOK)
    return Check("server", "well", f"the server answered in {took:.1f} seconds")


_TRUST = "Start it in a terminal, if you trust it."
_LOOK = "Run the entry's command in a terminal to see more."


def _has_greeted(answers: str) -> bool:
    """Tell whether a server has answered the greeting and told of its tools, and printed nothing else."""
    told: dict[Any, Any] = {}
    for line in answers.splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            return False
        if isinstance(message, dict):
            told[message.get("id")] = message.get("result")
    greeting, tools = told.get(1), told.get(2)
    is_greeted = isinstance(greeting, dict) and "serverInfo" in greeting
    return is_greeted and isinstance(tools, dict) and bool(tools.get("tools"))


def _hooks(
    client: str, program: Program, environ: Mapping[str, str], project: Path | None, entry: Entry, again: str
) -> Iterator[Check]:
    """Check the hooks that belong to an entry: are they there, up to date, and do they run?"""
    pieces = programs.pieces_for(client, environ, project, entry.run, entry.told)
    wanted = [piece for piece in pieces if not isinstance(piece, Server) and not _is_rules(piece)]
    if not wanted:
        return
    try:
        present = [(piece, text) for piece in wanted if (text := _text_with(piece, environ, project)) is not None]
    except ClawbrainError as error:
        yield Check("hooks", "broken", str(error), "Correct the file by hand.")
        return
    if not present:
        yield Check("hooks", "note", f"{program.title} runs no hooks of clawbrain", f"{again} adds them.")
        return
    if len(present) < len(wanted):
        yield Check(
            "hooks", "to do", f"{len(wanted) - len(present)} of {len(wanted)} hooks are missing", f"{again} adds them."
        )
    old = [piece for piece, text in present if isinstance(piece, OwnFile) and text != piece.text]
    if old:
        name = as_shown(old[0].file, environ, project)
        yield Check("hooks", "to do", f"{name} is of another version or home", f"{again} writes it anew.")
    commands = [command for piece, text in present for command in _commands(client, piece, text, entry)]
    if entry.is_shared:
        usual = [shlex.split(piece.handler["command"]) for piece, _ in present if isinstance(piece, Hook)]
        asked = [_words(command, entry.folder) if isinstance(command, str) else command for command in commands]
        if any(isinstance(was, str) and now not in usual for was, now in zip(commands, asked, strict=True)):
            yield Check(
                "hooks", "to do", "a hook of this folder is not as install writes it, and was not run", f"{again}."
            )
            return
        commands = list(asked)
    if any(isinstance(command, str) and _home_option(_split(command)) != entry.told for command in commands):
        yield Check("hooks", "to do", "a hook names another home than the server", f"{again} makes them one.")
    if any((above / ".clawbrain-off").exists() for above in (entry.folder, *entry.folder.parents)):
        yield Check("hooks", "note", "hooks are switched off in this folder by .clawbrain-off")
    yield _run_hooks(commands, entry, again)


def _is_rules(piece: Piece) -> bool:
    return isinstance(piece, OwnFile) and piece.is_rules


def _text_with(piece: Piece, environ: Mapping[str, str], project: Path | None) -> str | None:
    """Return the text of a piece's file, if the piece is in it."""
    text = read_text(piece.file, as_shown(piece.file, environ, project))
    return text if text is not None and holds(text, piece) else None


def _words(command: str, folder: Path) -> list[str]:
    """Return the words of a command that a folder's configuration holds, as the program means them."""
    return [_resolved(word, folder) for word in _split(command)]


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:  # an open quotation mark: running it says so
        return []


def _run_hooks(commands: Sequence[str | list[str]], entry: Entry, again: str) -> Check:
    """Run every hook as the program does, in a folder where hooks have nothing to say."""
    with tempfile.TemporaryDirectory(prefix="clawbrain-doctor-") as folder:
        Path(folder, ".clawbrain-off").touch()
        said = json.dumps({"session_id": "doctor", "cwd": folder, "workspace_roots": [folder], "prompt": ""})
        for command in commands:
            if fault := _fault(command, said, folder, entry):
                return Check("hooks", "broken", f"a hook does not run: {fault}", f"{again} writes them anew.")
    return Check("hooks", "well", "the hook runs" if len(commands) == 1 else f"{len(commands)} hooks run")


def _commands(client: str, piece: Piece, text: str, entry: Entry) -> list[str | list[str]]:
    """Return the commands of a piece: those in the file, or those that a file of ours is made of."""
    if isinstance(piece, Hook):
        return [find(text, (*place, "command")) for place in handlers(text, piece)]
    return [
        [*entry.run, "hook", event, "--client", client, *entry.told] for event in ("session-start", "prompt", "stop")
    ]


def _fault(command: str | list[str], said: str, folder: str, entry: Entry) -> str:
    """Run a hook; return what went wrong, or "" for one that ran and had nothing to say."""
    try:
        done = subprocess.run(
            command, shell=isinstance(command, str), input=said, capture_output=True, text=True, errors="replace",
            timeout=PATIENCE, cwd=folder, env=dict(entry.environ),
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"no end within {PATIENCE:.0f} seconds"
    except OSError as error:
        return str(error.strerror)
    if done.returncode or done.stdout.strip() not in ("", "{}"):
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()
        return last[-1][:300] if last else f"status {done.returncode}"
    return ""
