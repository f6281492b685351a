"""The verbs that connect clawbrain and agent programs: install, doctor, hook and call; and the tour."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from .. import profiles
from ..agents import doctor as doctoring
from ..agents import hooks, programs
from ..agents import install as installing
from ..agents import remote as remotes
from ..errors import Refused
from ..profiles.clawbrain.tools import Profile
from . import output, project_layers
from .line import Answer, Caller, Verb, parsed
from .tour import walk
from .words import Choice, takes_session, text_of


@click.command(cls=Verb)
@click.argument("client", required=False, type=Choice(list(programs.PROGRAMS)), metavar="[CLIENT]")
@click.option("--project", is_flag=True, help="Into this folder's configuration, to be shared, instead of yours.")
@click.option("--print", "only_print", is_flag=True, help="Show what would change and do nothing.")
@click.option("--remove", is_flag=True, help="Take it out again.")
@click.option("--no-hooks", is_flag=True, help="The server alone.")
@click.option("--rules", is_flag=True, help="Also rules that say when to search, where the program has such files.")
@click.option("--all", "everywhere", is_flag=True, help="Every program found on this machine.")
@click.option("--url", metavar="URL", help="A memory that is served elsewhere, such as https://HOST/mcp.")
@click.option("--token-env", metavar="NAME", help="The environment variable with the token; no file has the token.")
@click.option("--plain-http", is_flag=True, help="Permit http:// to another machine.")
@click.pass_obj
def install(caller: Caller, /, client: str | None, everywhere: bool, only_print: bool, **words: Any) -> None:
    """Write clawbrain into an agent program's configuration.

    CLIENT is opencode, claude, codex, gemini, cursor, vscode, antigravity, claude-desktop, windsurf, zed, cline,
    copilot, goose or kiro. Without one, the programs found are offered.
    """
    caller.in_project = words["project"]  # what is not for the project is for the person's own home
    address = words["address"] = _address(caller, client, words)
    plans = [_plan(caller, client, **words)] if client else _plans_for_all(caller, everywhere, **words)
    has_home = not address and bool(caller.named or not words["project"])
    if caller.layers and not has_home:
        raise click.UsageError("--layer needs --home: it is written into the STRATEGY.md of the project's home.")
    is_written = has_home and not (words["remove"] or only_print)
    layers = project_layers.offered(caller) if is_written else ()
    changed: list[str] = []
    if is_written:
        # This makes the home now: `serve` makes none from a relative path, and `doctor` misses one that is gone.
        with caller.brain(making=True) as brain:
            changed = project_layers.name_them(brain, layers)
    more = project_layers.advice(caller, layers) if is_written else []
    done = [
        {"client": plan.client, "changes": [installing.show(plan)] if only_print else installing.apply(plan),
         "next": [*plan.advice, *more]}
        for plan in plans
    ]  # fmt: skip
    caller.answer({"installed": done} | ({"layers": changed} if changed else {}), _say_installed)


def _address(caller: Caller, client: str | None, words: dict[str, Any]) -> remotes.Address | None:
    """Return the address of a memory that is served elsewhere, if one is named, and take its options out of `words`."""
    url, variable, plain = (words.pop(name) for name in ("url", "token_env", "plain_http"))
    if url is None:
        if variable is not None or plain:
            raise click.UsageError("--token-env and --plain-http belong to --url: name the address of the server.")
        return None
    if not client:
        raise click.UsageError("--url needs a CLIENT: name the program.")
    if variable == "":
        raise click.UsageError("--token-env needs the name of a variable, such as CLAWBRAIN_TOKEN.")
    if caller.named or caller.layers:
        raise click.UsageError("--url leads to a memory that is served elsewhere: leave out --home and --layer.")
    if words["remove"]:
        raise click.UsageError("--remove takes the entry out, wherever it leads: leave out --url.")
    return remotes.checked(url, variable or "", plain=plain)


def _plan(
    caller: Caller, client: str, *, project: bool, remove: bool, no_hooks: bool, rules: bool,
    address: remotes.Address | None,
) -> installing.Plan:  # fmt: skip
    folder = Path.cwd() if project else None
    if remove:
        return installing.plan_remove(client, os.environ, project=folder)
    return installing.plan_install(
        client, os.environ, project=folder, home=caller.named, hooks=not no_hooks, rules=rules, address=address
    )


def _plans_for_all(caller: Caller, everywhere: bool, project: bool, rules: bool, **words: Any) -> list[installing.Plan]:
    """Return the plans for the programs that are found and chosen; where one has no rules, it gets none."""
    chosen = _chosen(everywhere, project)
    return [
        _plan(caller, each, project=project, rules=rules and programs.has_rules(each, project), **words)
        for each in chosen
    ]


def _chosen(everywhere: bool, project: bool) -> list[str]:
    found = [each for each in programs.found(os.environ) if not project or programs.PROGRAMS[each].project_files]
    if not found:
        raise Refused(f"no agent program was found here; name one: {', '.join(programs.PROGRAMS)}.")
    if everywhere:
        return found
    if not sys.stdin.isatty():
        raise click.UsageError(f"found {', '.join(found)}: name one, or say --all.")
    return [
        client
        for client in found
        if click.confirm(f"Set up {programs.PROGRAMS[client].title}?", default=True, err=True)
    ]


def _say_installed(answer: Answer) -> None:
    for line in answer.get("layers", ()):
        output.say(line)
    for each in answer["installed"]:
        output.say(programs.PROGRAMS[each["client"]].title, "bold")
        for line in filter(None, each["changes"]):
            output.say(line.rstrip("\n"))
        if not any(each["changes"]):
            output.say("Nothing to change.")
        for sentence in each["next"]:
            output.advise(f"Next: {sentence}")


@click.command(cls=Verb)
@click.pass_obj
def doctor(caller: Caller) -> None:
    """Check clawbrain in every agent program found here, and say what to do.

    Looks at the entry, the command it names, the home, the hooks, and starts the server to greet it, or greets the one
    that the entry leads to; changes nothing.
    Exit status: 0 all is well, 1 there is something to do, 3 something is broken. A program without an entry is a note.
    """
    reports = doctoring.examine(os.environ, Path.cwd())
    status = doctoring.status(reports)
    caller.answer({"status": status, "programs": reports}, _say_examined)
    click.get_current_context().exit(status)


def _say_examined(answer: Answer) -> None:
    if not answer["programs"]:
        output.say(f"No agent program was found here; known are {', '.join(programs.PROGRAMS)}.")
    for report in answer["programs"]:
        where = " (this project)" if report["scope"] == "project" else ""
        output.say(f"{report['title']}{where}: {report['state']}", "bold")
        for check in report["checks"]:
            output.advise(f"  {check['state']:<7} {check['found']}.{' ' + check['do'] if 'do' in check else ''}")


@click.command(cls=Verb)
@click.argument("event", metavar="session-start|prompt|stop|session-end")
@click.option("--client", default="", metavar="NAME", help="The program that runs it.")
@click.pass_obj
def hook(caller: Caller, event: str, client: str) -> None:
    """Run a hook of an agent program beside a session; `install` sets it up.

    Reads the program's JSON on standard input and prints JSON. Never fails: when in doubt it prints {}.
    """
    home = ["--home", str(caller.named)] if caller.named else []
    home += [word for layer in caller.layers for word in ("--layer", layer)]
    said = "" if sys.stdin.isatty() else sys.stdin.buffer.read().decode("utf-8", "replace")
    print(hooks.run([event, "--client", client, *home], said))


@click.command(cls=Verb)
@click.argument("tool")
@click.argument("arguments", default="{}", metavar="JSON")
@takes_session
@click.pass_obj
def call(caller: Caller, tool: str, arguments: str, session: str | None) -> None:
    """Call any tool as an agent would; the answer is printed as JSON.

    JSON is the object of arguments; - reads it from standard input.
    """
    served = caller.served
    spec = profiles.load("clawbrain", layers=served.names if served and served.layers else ())
    profiles.offered(spec, [tool])
    words = parsed(text_of(arguments, None), "the object of arguments")
    if not isinstance(words, dict):
        raise click.UsageError("the arguments must be one JSON object.")
    looking = next(each for each in spec["tools"] if each["name"] == tool)["annotations"]["readOnlyHint"]
    with caller.brain(session, looking=looking, making=True) as brain:
        output.data(profiles.call(Profile(brain), spec, tool, words))


@click.command(cls=Verb)
@click.pass_obj
def tour(caller: Caller) -> None:
    """See in a few seconds what this is: a real server, in a temporary home."""
    seen = walk((lambda *_: None) if caller.json else output.say)
    if caller.json:
        output.data(seen)
