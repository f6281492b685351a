"""The agent programs: where each keeps its configuration, and what clawbrain puts there.

Everything particular to a program stands in PROGRAMS as data. `install` adds the pieces that `pieces_for` returns,
`--remove` takes the same pieces out, and `doctor` looks for them.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from .. import DISTRIBUTION
from ..errors import Invalid
from .pieces import NAME, Hook, OwnFile, Piece, Server
from .remote import VARIABLE, Address, Remote, bearer, entry_for

PLUGIN_MARK = "// Written by clawbrain"
RULES_MARK = "Written by `clawbrain install"


@dataclass(frozen=True, slots=True)
class Hooks:
    """The way a program runs commands on events: its file, its names of our events, its spelling of 5 seconds.

    A `form` is `grouped` or `listed`, as the commands of an event stand in a file of the owner's, or `own`: a file that
    is clawbrain's alone.
    """

    file: str
    project_file: str
    events: Mapping[str, str]
    timeout: int
    form: str = "grouped"


@dataclass(frozen=True, slots=True)
class Rules:
    """A file that tells the agent when to search and to send feedback. `file` is "" where only a project has one."""

    file: str
    project_file: str
    head: str  # the header that makes the program apply it always, "" where it needs none


@dataclass(frozen=True, slots=True)
class Program:
    """An agent program. Its files begin with a folder of `_folders` in braces, or lie in the project's folder.

    Of several files, the one that exists is written, else the first. A program without files in a project, one that
    cannot find a home inside a project, and one without servers that are elsewhere say why.
    """

    title: str
    commands: tuple[str, ...]  # names under which it may stand on the PATH
    folder: str  # exists once it has run
    files: tuple[str, ...]
    project_files: tuple[str, ...]
    steps: tuple[str, str]  # what to do next, after install for a user and after install for a project
    place: tuple[str, ...] = ("mcpServers", NAME)
    entry: Mapping[str, object] = field(default_factory=dict)  # what the entry holds besides the command
    hooks: Hooks | None = None
    rules: Rules | None = None
    variable: str = ""  # written before a home inside the project; without it the home is relative
    no_project: str = ""
    no_relative_home: str = ""
    hook_step: str = ""
    remote: Remote | None = None
    no_remote: str = ""


_EVENTS = {"session-start": "SessionStart", "prompt": "UserPromptSubmit", "stop": "Stop"}
_CLAUDE_EVENTS = {**_EVENTS, "session-end": "SessionEnd"}
_GEMINI_EVENTS = {
    "session-start": "SessionStart", "prompt": "BeforeAgent", "stop": "AfterAgent", "session-end": "SessionEnd",
}  # fmt: skip
_CURSOR_EVENTS = {"session-start": "sessionStart", "stop": "stop"}  # its event for a prompt takes no text
_INSTRUCTIONS = 'description: When to use clawbrain\napplyTo: "**"'
_UNSAID = "does not say in which folder it starts a server"
_BRACES, _ENV = bearer("${NAME}"), bearer("${env:NAME}")
_GOOSE = {"enabled": True, "type": "stdio", "name": NAME, "description": "Memory between sessions"}
_CLINE_IN_VSCODE = "{apps}/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"

PROGRAMS = {
    "opencode": Program(
        "OpenCode", ("opencode",), "{config}/opencode",
        ("{config}/opencode/opencode.json", "{config}/opencode/opencode.jsonc"), ("opencode.json", "opencode.jsonc"),
        (
            "Start opencode: `opencode mcp list` shows clawbrain as connected.",
            "Start opencode in this project: `opencode mcp list` shows clawbrain as connected.",
        ),
        place=("mcp", NAME),
        hook_step="With a plugin present OpenCode fetches a package of its own at its next start; offline that can take"
        " over a minute, or a second with npm_config_fetch_retries=0 set.",
        remote=Remote(
            {**bearer("{env:NAME}"), "oauth": False}, entry={"type": "remote", "enabled": True},
        ),
    ),
    "claude": Program(
        "Claude Code", ("claude",), "{home}/.claude", ("{claude_top}/.claude.json",), (".mcp.json",),
        (
            "Start claude: /mcp shows clawbrain as connected.",
            "Start claude in this project and agree to the server in .mcp.json when asked.",
        ),
        entry={"type": "stdio"},
        hooks=Hooks("{claude}/settings.json", ".claude/settings.json", _CLAUDE_EVENTS, 5),
        remote=Remote(_BRACES, entry={"type": "http"}),
    ),
    "codex": Program(
        "Codex", ("codex",), "{codex}", ("{codex}/config.toml",), (".codex/config.toml",),
        (
            "Start codex: `codex mcp list` shows clawbrain.",
            "Start codex in this project and trust the folder when asked: only then is .codex/ read.",
        ),
        place=("mcp_servers", NAME),
        hooks=Hooks("{codex}/hooks.json", ".codex/hooks.json", _EVENTS, 5),
        hook_step="Codex skips hooks until you have read them: type /hooks in codex and trust the three of clawbrain.",
        remote=Remote({"bearer_token_env_var": "NAME"}),
    ),
    "gemini": Program(
        "Gemini CLI", ("gemini",), "{home}/.gemini", ("{home}/.gemini/settings.json",), (".gemini/settings.json",),
        (
            "Start gemini: `gemini mcp list` shows clawbrain as connected, in folders you trust.",
            "Start gemini in this project and trust the folder when asked: only then is .gemini/ read.",
        ),
        hooks=Hooks("{home}/.gemini/settings.json", ".gemini/settings.json", _GEMINI_EVENTS, 5000),
        remote=Remote(bearer("$NAME"), key="httpUrl"),
    ),
    "cursor": Program(
        "Cursor", ("cursor",), "{home}/.cursor", ("{home}/.cursor/mcp.json",), (".cursor/mcp.json",),
        ("Restart Cursor: Settings, MCP shows clawbrain.",) * 2,
        hooks=Hooks("{home}/.cursor/hooks.json", ".cursor/hooks.json", _CURSOR_EVENTS, 0, "listed"),
        rules=Rules("", ".cursor/rules/clawbrain.mdc", "description: When to use clawbrain\nalwaysApply: true"),
        variable="${workspaceFolder}",
        remote=Remote(_ENV),
    ),
    "vscode": Program(
        "VS Code", ("code",), "{apps}/Code/User", ("{apps}/Code/User/mcp.json",), (".vscode/mcp.json",),
        ("Run `MCP: List Servers` in VS Code and start clawbrain.",) * 2,
        place=("servers", NAME), entry={"type": "stdio"}, variable="${workspaceFolder}",
        rules=Rules(
            "{apps}/Code/User/prompts/clawbrain.instructions.md", ".github/instructions/clawbrain.instructions.md",
            _INSTRUCTIONS,
        ),
        remote=Remote(_ENV, entry={"type": "http"}),
    ),
    "antigravity": Program(
        "Antigravity", ("agy", "antigravity"), "{home}/.gemini/config",
        ("{home}/.gemini/config/mcp_config.json",), (".agents/mcp_config.json",),
        (
            "Start agy (or restart Antigravity): /mcp shows clawbrain.",
            "Start agy in this project, trust the folder when asked, and look at /mcp.",
        ),
        no_relative_home=_UNSAID,
        remote=Remote(key="serverUrl"),
    ),
    "claude-desktop": Program(
        "Claude Desktop", ("claude-desktop",), "{apps}/Claude", ("{apps}/Claude/claude_desktop_config.json",), (),
        ("Quit Claude Desktop and start it again: Settings, Developer shows clawbrain as running.", ""),
        no_project="keeps its servers in your own configuration alone",
        no_remote="reads no such server from its configuration: serve with --oauth-issuer and add the address under"
        " Settings, Connectors",
    ),
    "windsurf": Program(
        "Windsurf", ("windsurf",), "{home}/.codeium/windsurf", ("{home}/.codeium/windsurf/mcp_config.json",), (),
        ("Press the refresh button among Cascade's MCP servers, or restart Windsurf.", ""),
        no_project="keeps its servers in your own configuration alone",
        remote=Remote(_ENV, key="serverUrl"),
    ),
    "zed": Program(
        "Zed", ("zed", "zeditor"), "{config}/zed", ("{config}/zed/settings.json",), (".zed/settings.json",),
        (
            "Open the agent panel's settings in Zed: clawbrain has a green dot.",
            "Open this project in Zed, trust it when asked, and look at the agent panel's settings.",
        ),
        place=("context_servers", NAME), no_relative_home=_UNSAID,
        remote=Remote(),
    ),
    "cline": Program(
        "Cline", ("cline",), "{home}/.cline", ("{cline}/settings/cline_mcp_settings.json", _CLINE_IN_VSCODE), (),
        ("Open Cline's MCP servers: clawbrain is among them, switched on.", ""),
        entry={"disabled": False},
        rules=Rules("{home}/.cline/rules/clawbrain.md", "", ""),
        no_project="keeps its servers in your own configuration alone",
        remote=Remote(entry={"type": "streamableHttp", "disabled": False}),
    ),
    "copilot": Program(
        "Copilot CLI", ("copilot",), "{copilot}", ("{copilot}/mcp-config.json",), (".github/mcp.json",),
        (
            "Start copilot: `copilot mcp list` shows clawbrain.",
            "Start copilot in this project and trust the folder when asked: only then is .github/mcp.json read.",
        ),
        entry={"type": "local", "tools": ["*"]},
        hooks=Hooks("{copilot}/hooks/clawbrain.json", ".github/hooks/clawbrain.json", _EVENTS, 5, "own"),
        rules=Rules(
            "{copilot}/instructions/clawbrain.instructions.md", ".github/instructions/clawbrain.instructions.md",
            _INSTRUCTIONS,
        ),
        remote=Remote(_BRACES, entry={"type": "http", "tools": ["*"]}),
    ),
    "goose": Program(
        "Goose", ("goose",), "{config}/goose", ("{config}/goose/config.yaml",), (),
        ("Start goose: `goose info -v` shows clawbrain among the extensions.", ""),
        place=("extensions", NAME),
        no_project="reads the extensions of your own config.yaml alone",
        remote=Remote(
            {**_BRACES, "env_keys": ["NAME"]}, key="uri", entry={**_GOOSE, "type": "streamable_http", "timeout": 300},
        ),
    ),
    "kiro": Program(
        "Kiro", ("kiro", "kiro-cli"), "{home}/.kiro", ("{home}/.kiro/settings/mcp.json",), (".kiro/settings/mcp.json",),
        (
            "Start kiro-cli (/mcp shows clawbrain) or look at Kiro's MCP servers.",
            "Open this project in Kiro, trust it when asked, and look at its MCP servers.",
        ),
        hooks=Hooks("{home}/.kiro/hooks/clawbrain.json", ".kiro/hooks/clawbrain.json", _EVENTS, 5, "own"),
        no_relative_home=_UNSAID,
        hook_step="The hooks need Kiro 1.0, or kiro-cli with --v3: older versions have none for every project.",
        remote=Remote(_BRACES, step="Agree when Kiro asks whether it may read NAME, or approve it in its settings."),
    ),
}  # fmt: skip


def found(environ: Mapping[str, str]) -> list[str]:
    """Return the programs that seem to be here: a command is on the PATH, or their folder or a file exists."""
    path, folders = environ.get("PATH", ""), _folders(environ)
    return [
        client
        for client, program in PROGRAMS.items()
        if any(shutil.which(command, path=path) for command in program.commands)
        or any(Path(place.format_map(folders)).exists() for place in (program.folder, *program.files))
    ]


def check_project(client: str, project: Path | None) -> None:
    """Raise Invalid, with the reason, for a program that has no configuration in a project."""
    program = known(client)
    if project and not program.project_files:
        raise Invalid(f"{program.title} {program.no_project}: leave out --project")


def has_rules(client: str, in_project: bool) -> bool:
    """Tell whether a program has a rules file in a project, or of a person's own."""
    rules = known(client).rules
    return bool(rules and (rules.project_file if in_project else rules.file))


def check_rules(client: str, project: Path | None) -> None:
    """Raise Invalid, with the reason, where a program has no rules file of the kind that is asked for."""
    program = known(client)
    if not program.rules:
        others = ", ".join(name for name, each in PROGRAMS.items() if each.rules)
        raise Invalid(f"there are rules for {others}; {program.title} has none here: leave out --rules")
    if not has_rules(client, bool(project)):
        raise Invalid(f"{program.title} has rules files in projects alone: add --project, or leave out --rules")


def check_elsewhere(client: str, address: Address) -> Remote:
    """Return the form of a program's remote entries; raise Invalid, with what to do, where it cannot use this one."""
    program = known(client)
    if not program.remote:
        raise Invalid(f"{program.title} {program.no_remote}")
    if address.variable and not program.remote.token:
        raise Invalid(
            f"{program.title} takes no token from the environment, and none is written into a file: leave out"
            " --token-env and serve with --oauth-issuer, where it signs in, or install a memory of this machine"
        )
    return program.remote


def known(client: str) -> Program:
    """Return a program by its name on the command line; raise Invalid for an unknown one."""
    if client not in PROGRAMS:
        raise Invalid(f"{client} is not a program known here: choose one of {', '.join(PROGRAMS)}")
    return PROGRAMS[client]


def pieces_for(
    client: str, environ: Mapping[str, str], project: Path | None, run: list[str], told: list[str]
) -> list[Piece]:
    """Return what a program needs: its server entry, its hooks or its plugin, and its rules.

    `run` is the command of clawbrain, `told` the options that name the home. Raise Invalid for an unknown program.
    """
    program = known(client)
    pieces: list[Piece] = [
        Server(config_file(client, environ, project), program.place, _entry(client, run, _found(told)), program.remote)
    ]
    if client == "opencode":
        pieces.append(OwnFile(_plugin_file(environ, project), _plugin(run, told), PLUGIN_MARK))
    if program.hooks:
        pieces += _hooks(client, program.hooks, environ, project, [*run, "hook"], told)
    if program.rules and (project or program.rules.file):
        pieces.append(_rules(program.rules, environ, project))
    return pieces


def pieces_elsewhere(client: str, environ: Mapping[str, str], project: Path | None, address: Address) -> list[Piece]:
    """Return the pieces of a program with a server entry for a memory that is served elsewhere.

    Raise Invalid where the program cannot use it.
    """
    entry = entry_for(check_elsewhere(client, address), address)
    pieces = pieces_for(client, environ, project, [NAME], [])
    return [replace(piece, value=entry) if isinstance(piece, Server) else piece for piece in pieces]


def config_files(client: str, environ: Mapping[str, str], project: Path | None) -> list[Path]:
    """Return every file in which a program may keep its servers, the one for a new entry first."""
    program, folders = known(client), _folders(environ)
    if project:
        return [project / file for file in program.project_files]
    return [Path(file.format_map(folders)) for file in program.files]


def config_file(client: str, environ: Mapping[str, str], project: Path | None) -> Path:
    """Return the file that holds our entry, else the first that exists, else the first."""
    files = config_files(client, environ, project)
    present = [file for file in files if file.exists()]
    ours = [file for file in present if file.is_file() and f'"{NAME}"'.encode() in file.read_bytes()]
    return (ours or present or files)[0]


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


def home_words(client: str, environ: Mapping[str, str], project: Path | None, home: Path | None) -> list[str]:
    """Return the options that name the home; raise Invalid where a shared project names a home outside it."""
    if not project:
        from ..brain import home_named  # hooks read this module too, and some need no brain

        named = environ.get("CLAWBRAIN_HOME")
        chosen = home or (home_named(named) if named else user(environ) / NAME)
        return ["--home", os.path.abspath(chosen)]
    if home is None:
        return []
    inside = Path(os.path.relpath(home, project)).as_posix()
    if inside == ".." or inside.startswith("../") or os.path.isabs(inside):
        raise Invalid(
            "a configuration kept in the project can only name a home inside the project, since it is shared:"
            " choose one there, or leave out --project"
        )
    if reason := known(client).no_relative_home:
        raise Invalid(f"{known(client).title} {reason}, so it cannot find a home inside the project: leave out --home")
    if variable := known(client).variable:
        inside = variable + ("" if inside == "." else f"/{inside}")
    return ["--home", inside]


def advice(client: str, project: Path | None, hooks: bool, relative: bool) -> list[str]:
    """Return what the person does next, a sentence each. `relative` says that the entry names a relative home."""
    program = known(client)
    lines = [program.steps[bool(project)]]
    if hooks and program.hook_step:
        lines.append(program.hook_step)
    if relative and client in ("opencode", "claude", "codex", "copilot"):
        lines.append(
            f"Start {program.title} in the project's own folder: from a folder below it the server does not find"
            " this home, and says so rather than begin another memory there."
        )
    if project and not shutil.which(NAME):
        lines.append("Everyone who uses this project needs the command clawbrain on the PATH.")
    return lines


def advice_elsewhere(client: str, project: Path | None, address: Address) -> list[str]:
    """Return what the person does next about a server that is elsewhere, a sentence each."""
    program, lines = known(client), []
    if name := address.variable:
        whose = "Everyone who uses this project sets" if project else "Set"
        lines.append(f"{whose} {name} to a token in the environment in which {program.title} is started.")
    lines.append(program.steps[bool(project)])
    if name and program.remote and program.remote.step:
        lines.append(program.remote.step.replace(VARIABLE, name))
    if program.hooks or client == "opencode":
        lines.append("There are no hooks here: they work on a memory of this machine, so the agent is left to search.")
    return lines


def user(environ: Mapping[str, str]) -> Path:
    """Return the person's own folder."""
    return Path(environ.get("HOME") or Path.home())


def _folders(environ: Mapping[str, str]) -> dict[str, Path]:
    """Return the folders that the paths in PROGRAMS begin with, as this platform and the environment name them."""
    home = user(environ)
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    claude = environ.get("CLAUDE_CONFIG_DIR")
    return {
        "home": home,
        "config": config,
        "apps": home / "Library" / "Application Support" if sys.platform == "darwin" else config,
        "claude_top": Path(claude) if claude else home,
        "claude": Path(claude) if claude else home / ".claude",
        "codex": Path(environ.get("CODEX_HOME") or home / ".codex"),
        "copilot": Path(environ.get("COPILOT_HOME") or home / ".copilot"),
        "cline": Path(environ.get("CLINE_DATA_DIR") or home / ".cline" / "data"),
    }


def _found(told: list[str]) -> list[str]:
    """Return the options that name the home for `serve`: one that is there now is never begun anew."""
    if told and os.path.isabs(told[-1]) and os.path.isdir(os.path.join(told[-1], ".clawbrain")):
        return [*told, "--existing"]
    return told


def _entry(client: str, run: list[str], told: list[str]) -> dict[str, object]:
    words = [*run, "serve", *told]
    if client == "opencode":
        return {"type": "local", "command": words, "enabled": True}
    if client == "goose":
        return {**_GOOSE, "cmd": words[0], "args": words[1:], "timeout": 300}
    return {**known(client).entry, "command": words[0], "args": words[1:]}


def _hooks(
    client: str, hooks: Hooks, environ: Mapping[str, str], project: Path | None, run: list[str], told: list[str]
) -> list[Piece]:
    file = project / hooks.project_file if project else Path(hooks.file.format_map(_folders(environ)))
    commands = {event: shlex.join([*run, event, "--client", client, *told]) for event in hooks.events}
    if hooks.form == "own":
        value = _hooks_of_kiro(hooks, commands) if client == "kiro" else _hooks_of_copilot(hooks, commands)
        return [OwnFile(file, json.dumps(value, indent=2, ensure_ascii=False) + "\n", f"--client {client}")]
    pieces: list[Piece] = []
    for event, theirs in hooks.events.items():
        handler: dict[str, object] = {"command": commands[event]}
        if hooks.form == "grouped":
            handler = {"type": "command", **handler, "timeout": hooks.timeout}
        mark = f"hook {event} --client {client}"
        pieces.append(Hook(file, ("hooks", theirs), mark, handler, is_grouped=hooks.form == "grouped"))
    return pieces


def _hooks_of_copilot(hooks: Hooks, commands: Mapping[str, str]) -> dict[str, object]:
    events = {
        theirs: [{"type": "command", "command": commands[event], "timeout": hooks.timeout}]
        for event, theirs in hooks.events.items()
    }
    return {"version": 1, "hooks": events}


def _hooks_of_kiro(hooks: Hooks, commands: Mapping[str, str]) -> dict[str, object]:
    listed = [
        {
            "name": f"{NAME}-{event}",
            "trigger": theirs,
            "action": {"type": "command", "command": commands[event]},
            "timeout": hooks.timeout,
        }
        for event, theirs in hooks.events.items()
    ]
    return {"version": "v1", "hooks": listed}


def _rules(rules: Rules, environ: Mapping[str, str], project: Path | None) -> OwnFile:
    file = project / rules.project_file if project else Path(rules.file.format_map(_folders(environ)))
    words = (Path(__file__).parent / "rules.md").read_text("utf-8")
    head = f"---\n{rules.head}\n---\n\n" if rules.head else ""
    return OwnFile(file, head + words, RULES_MARK, is_rules=True)


def _plugin_file(environ: Mapping[str, str], project: Path | None) -> Path:
    folder = project / ".opencode" if project else _folders(environ)["config"] / "opencode"
    return folder / "plugin" / f"{NAME}.js"


def _plugin(run: list[str], told: list[str]) -> str:
    """Return the text of OpenCode's plugin with the command and its options filled in."""
    values = {"RUN": [*run, "hook"], "OPTIONS": ["--client", "opencode", *told]}
    text = (Path(__file__).parent / "opencode.js").read_text("utf-8")
    for word, value in values.items():
        text = text.replace(f'"{word}"', json.dumps(value))
    return text
