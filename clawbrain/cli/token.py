"""The verbs on tokens, by which programs on the network are let in: `token create`, `list`, `revoke` and `sign`."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ..errors import Usage
from ..memory.model import utc_now
from ..network import hmac_tokens
from ..network.durations import seconds_of
from ..network.names import need_workspace
from ..network.principal import ALIASES, Scope, scope_named
from ..network.tokens import KINDS, SIGNED, NewToken, Tokens, described
from . import output
from .line import Answer, Caller, Verbs, homes_option
from .words import Choice

_SCOPES = [*(scope.word for scope in Scope), *ALIASES]
_KINDS = [*dict.fromkeys(KINDS.values()), SIGNED]
_MAKES = click.option("--new-workspace", is_flag=True, help="Make the workspace if it is missing.")


@click.group(cls=Verbs, invoke_without_command=True)
@homes_option
@click.pass_context
def token(context: click.Context, homes: Path | None) -> None:
    """Make and revoke the tokens by which programs on the network are let in."""
    context.ensure_object(Caller).in_project = False  # as for the server that takes them
    if context.invoked_subcommand is None:
        context.invoke(list_, homes=homes, workspace="")
    elif homes:
        raise click.UsageError(f"name --homes behind the verb: token {context.invoked_subcommand} --homes DIR.")


@contextmanager
def _tokens(caller: Caller, homes: Path | None) -> Iterator[Tokens]:
    tokens = Tokens(caller.one_or_many(homes), many=homes is not None, warn=lambda sentence: caller.warn([sentence]))
    try:
        yield tokens
    finally:
        tokens.close()


@token.command()
@click.option("--kind", type=Choice(_KINDS), default="api", show_default=True, help="The tools it is for.")
@click.option("--name", default="", metavar="TEXT", help="A note for yourself: where the token is used.")
@click.option("--user", default="", metavar="NAME", help="Who uses it; by default the token's id.")
@click.option("--workspace", default="", metavar="NAME", help="The home, of a folder of homes.")
@click.option("--being", default="", metavar="ID", help="The being that stands in the token (kind being).")
@click.option("--being-only", default="", metavar="ID", help="The only being that may stand in the path (kind being).")
@click.option("--scope", type=Choice(_SCOPES), default="write", show_default=True, help="What it permits.")
@click.option("--expires", default=None, metavar="TIME", help="How long it is valid, such as 90d; by default always.")
@_MAKES
@homes_option
@click.pass_obj
def create(caller: Caller, /, homes: Path | None, scope: str, expires: str | None, **wanted: Any) -> None:
    """Make a token and print it, this one time: only its hash is kept.

    It lets in whoever shows it, to the home or, with --homes, to one home of the folder. Of kind being there are two:
    with --being the being stands in the token, without it the path names the being. A palace's tokens are signed.
    """
    granted = scope_named(scope)
    assert granted
    seconds = None if expires is None else seconds_of(expires)
    with _tokens(caller, homes) as tokens:
        text, row = tokens.create(NewToken(scope=granted, seconds=seconds, **wanted))
    caller.answer({"token": text, **described(row, utc_now())}, _say_created)


def _say_created(answer: Answer) -> None:
    output.say(answer["token"])
    until = f"until {_when(answer['expires'])}" if answer["expires"] else "until it is revoked"
    output.complain(f"It is shown only now. It permits {answer['scope']} {until}; its id is {answer['id']}.")


@token.command("list")
@click.option("--workspace", default="", metavar="NAME", help="Only those for this workspace or being.")
@homes_option
@click.pass_obj
def list_(caller: Caller, homes: Path | None, workspace: str) -> None:
    """List the tokens that were made, without their texts."""
    now = utc_now()
    with _tokens(caller, homes) as tokens:
        answer = {"tokens": [described(row, now) for row in tokens.all(workspace)]}
    caller.answer(answer, _say_tokens)


def _say_tokens(answer: Answer) -> None:
    rows = [
        [row["id"], row["kind"], row["name"], row["user"], row["workspace"] or row["being"] or row["being_only"],
         row["scope"], row["state"], _when(row["expires"]), _when(row["last_used"])]
        for row in answer["tokens"]
    ]  # fmt: skip
    if not rows:
        output.advise("No tokens; `clawbrain token create` makes one.")
        return
    output.table(["id", "kind", "name", "user", "for", "scope", "state", "expires", "last used"], rows)


def _when(moment: str | None) -> str:
    return moment[:16].replace("T", " ") if moment else ""


@token.command()
@click.argument("id", metavar="ID")
@homes_option
@click.pass_obj
def revoke(caller: Caller, id: str, homes: Path | None) -> None:
    """Revoke a token: from its next request on it lets nobody in."""
    with _tokens(caller, homes) as tokens:
        row = tokens.revoke(id)
    answer: Mapping[str, Any] = described(row, utc_now())
    caller.answer(answer, lambda _: output.say(f"Token {row.id} is revoked since {_when(row.revoked)}."))


@token.command()
@click.option("--user", required=True, metavar="NAME", help="Who asks.")
@click.option("--workspace", required=True, metavar="NAME", help="In which workspace.")
@click.option(
    "--hmac-key-file", type=click.Path(path_type=Path), default=None, metavar="FILE",
    help=f"The key; else ${hmac_tokens.VARIABLE}.",
)  # fmt: skip
@_MAKES
@homes_option
@click.pass_obj
def sign(
    caller: Caller, homes: Path | None, user: str, workspace: str, hmac_key_file: Path | None, new_workspace: bool
) -> None:
    """Sign a token of a palace, which is kept nowhere and valid for some minutes.

    The server must have the same key. With --homes the workspace must exist; with one home any name stands for it.
    """
    key = hmac_tokens.key_from(hmac_key_file, os.environ)
    if not key:
        raise Usage(f"there is no key: name its file with --hmac-key-file, or set {hmac_tokens.VARIABLE}.")
    if new_workspace and not homes:
        raise Usage("--new-workspace is for a folder of homes: name it with --homes.")
    if caller.one_or_many(homes) and homes:
        need_workspace(homes, workspace, make=new_workspace)
    signed = hmac_tokens.sign(key, user, workspace, utc_now())
    caller.answer({"token": signed, "user": user, "workspace": workspace}, lambda _: output.say(signed))
