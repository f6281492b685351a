"""The verb that serves: to one agent on stdin and stdout, or to many over HTTP."""

import gc
import os
import sys
from pathlib import Path
from typing import Any

import click

from ..errors import Usage
from .line import Caller, Verb

_ONLY_HERE = ("tools", "tool_prefix", "existing")  # options of stdin and stdout


def _listed(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in words for part in each.split(",") if (name := part.strip())))


_FLAGS = {
    "--behind-proxy": "A proxy in front of this server speaks TLS.",
    "--insecure-no-auth": "Ask for no token; on this machine alone.",
    "--audit-strict": "Write each row of the audit log before answering.",
}
_TEXTS = {  # by name: what it takes, the default, and the help
    "--homes": ("DIR", "", "A folder of memories, each a workspace."),
    "--host": ("NAME", "127.0.0.1", "The address to listen on."),
    "--tls-cert": ("FILE", "", "The certificate, to speak TLS."),
    "--tls-key": ("FILE", "", "The certificate's key."),
    "--public-url": ("URL", "", "The address as clients see it."),
    "--hmac-key-file": ("FILE", "", "The key of signed tokens."),
    "--hmac-max-age": ("TIME", "5m", "How old a signed token may be."),
    "--hmac-scope": ("SCOPE", "write", "What a signed token permits."),
    "--oauth-issuer": ("URL", "", "Take the JWTs of this issuer, and no tokens."),
    "--oauth-audience": ("NAME", "", "The audience that they must name; else the address."),
    "--oauth-workspace-claim": ("NAME", "workspace", "The claim of theirs that names the workspace."),
    "--rate": ("N/min", "", "At most so many requests of each token."),
    "--log-file": ("FILE", "", "Write log lines to a file, too."),
}


def _over_http() -> list[click.Option]:
    """Return the options of a server on a network."""
    return [
        click.Option(["--port"], type=int, metavar="N", help="The port; 8787 by default, 0 for a free one."),
        click.Option(["--workers"], type=int, default=1, metavar="N", help="How many processes serve."),
        click.Option(
            ["--allow-host", "allow_hosts"], multiple=True, metavar="NAME", help="A further name of this server."
        ),
        click.Option(
            ["--allow-origin", "allow_origins"], multiple=True, metavar="URL", help="An origin whose pages may call it."
        ),
        *(
            click.Option([name], metavar=metavar, default=default, help=text)
            for name, (metavar, default, text) in _TEXTS.items()
        ),
        *(click.Option([name], is_flag=True, help=text) for name, text in _FLAGS.items()),
    ]


@click.command(cls=Verb)
@click.option("--profile", "profiles", multiple=True, metavar="NAME", help="The set of tools; clawbrain by default.")
@click.option("--tools", default="", metavar="A,B", help="Only these tools.")
@click.option("--read-only", is_flag=True, help="Only the tools that change nothing; nothing is written at all.")
@click.option("--tool-prefix", default="", metavar="WORD", help="Put before the name of every tool.")
@click.option("--allow", multiple=True, metavar="A,B", help="What the profile does only when told to (disconnect).")
@click.option("--extras", multiple=True, metavar="A,B", help="Further tools of the profile (conversations, platform).")
@click.option("--audit", is_flag=True, help="Note every call of a tool; `clawbrain audit` shows them.")
@click.option("--existing", is_flag=True, help="Begin no home where there is none; `install` says so of one it saw.")
@click.option("--log-level", default="", metavar="LEVEL", help="Log on standard error: debug, info, warning or error.")
@click.option("--http", is_flag=True, help="Serve over HTTP instead, with tokens; see docs/network.md.")
@click.pass_obj
def serve(caller: Caller, /, http: bool, **words: Any) -> None:
    """Be an MCP server on stdin and stdout, for an agent; or with --http for many."""
    caller.in_project = False  # where a server is started does not choose what it serves
    words = {word: _listed(value) if word in ("allow", "extras") else value for word, value in words.items()}
    if http:
        _serve_http(caller, words)
    else:
        _serve_one(caller, words)


serve.params.extend(_over_http())


def _serve_one(caller: Caller, words: dict[str, Any]) -> None:
    from ..server.fast_start import serve as serve_one  # `__main__` does this without click; this is for other callers

    context = click.get_current_context()
    for option in _over_http():
        if context.get_parameter_source(option.name or "") == click.core.ParameterSource.COMMANDLINE:
            raise Usage(f"{option.opts[0]} is about a server on a network: say --http, too.")
        words.pop(option.name or "")
    profiles = words.pop("profiles")
    if len(profiles) > 1:
        raise Usage("one profile is served on stdin and stdout; --http serves several.")
    home = str(caller.named) if caller.named else None
    only, prefix = _listed((words.pop("tools"),)), words.pop("tool_prefix")
    profile = profiles[0] if profiles else "clawbrain"
    sys.exit(serve_one(home=home, profile=profile, only=only, prefix=prefix, layers=caller.layers, **words))


def _serve_http(caller: Caller, words: dict[str, Any]) -> None:
    gc.disable()  # thousands of classes are created, none of which can be collected
    from ..network import start  # imports the server, which no other verb needs
    from ..network.durations import rate_of, seconds_of
    from ..network.options import ServeOptions

    for word in _ONLY_HERE:
        if words.pop(word):
            raise Usage(f"--{word.replace('_', '-')} is about a server on stdin and stdout: leave it or --http out.")
    homes, port = words.pop("homes"), words.pop("port")
    if homes and caller.named:
        raise Usage("--home serves one memory, and --homes a folder of them: leave one of the two out.")
    words["profiles"] = _listed(words["profiles"]) or ("clawbrain",)
    if port is None:
        port = _port_named(words["profiles"])
    words["hmac_max_age"] = seconds_of(words["hmac_max_age"])
    words["rate"] = rate_of(words["rate"]) if words["rate"] else None
    for word in ("tls_cert", "tls_key", "hmac_key_file", "log_file"):
        words[word] = words[word] and os.path.abspath(words[word])
    home = os.path.abspath(Path(homes).expanduser() if homes else caller.home)
    start.run(ServeOptions(home, bool(homes), port=port, layers=tuple(caller.layers), **words))


def _port_named(profiles: tuple[str, ...]) -> int:
    """Return the port that the environment names for a profile, or ours. Raises Usage for a word that is none."""
    from ..network.options import PORT
    from ..network.remote_rules import RemoteRules

    for variable in filter(None, (RemoteRules(name).port_variable for name in profiles)):
        if named := os.environ.get(variable):
            if not named.isdigit():
                raise Usage(f"{variable} is the number of a port.")
            return int(named)
    return PORT
