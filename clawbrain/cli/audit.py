"""The verb on the log of calls: `audit`."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..brain.audit_log import Audit, Call, HomeAudit
from ..exchange.table import guarded
from ..memory.model import moment, utc_now
from ..network.names import workspaces
from . import output
from .line import Answer, Caller, Verb, homes_option
from .words import Choice, day_of, refuse_inexact

_FEW, _ALL = 20, 2**62
_COLUMNS = {  # of the CSV and of --json, by the name of the call's field
    "created": "at", "session": "session", "profile": "profile", "tool": "tool", "arguments": "arguments",
    "result": "result", "success": "ok", "duration_ms": "ms", "user": "user", "workspace": "workspace",
    "token": "token",
}  # fmt: skip


@click.command(cls=Verb)
@click.option("--since", metavar="DAY", help="From this day or time on (UTC): 2026-05-08, 2026-05-08T10:00, yesterday.")
@click.option("--tool", default="", metavar="NAME", help="Only calls of this tool, or of an endpoint of this name.")
@click.option("--user", default="", metavar="NAME", help="Only calls of this user, over a network.")
@click.option("--workspace", default="", metavar="NAME", help="Only calls in this workspace.")
@click.option("--failed", is_flag=True, help="Only calls that were refused or failed.")
@click.option(
    "--limit", type=click.IntRange(1, 100_000), help=f"How many at most; {_FEW} by default, with --export all."
)
@click.option("--export", type=Choice(["csv"]), help="Write all columns whole, for other programs.")
@click.option("--forget-before", metavar="DAY", help="Delete what was noted before this day for good. Needs --yes.")
@click.option("--yes", is_flag=True, help="Really.")
@homes_option
@click.pass_obj
def audit(
    caller: Caller, /, homes: Path | None, export: str | None, forget_before: str | None, yes: bool, **wanted: Any
) -> None:
    """Show what agents called, newest first, where `serve --audit` kept it.

    With --homes the logs of all workspaces are shown as one.
    """
    if forget_before is not None:
        return _forget(caller, homes, wanted["workspace"], forget_before, yes)
    wanted["since"] = _since(wanted["since"])
    wanted["limit"] = wanted["limit"] or (_ALL if export else _FEW)
    calls = _found(caller, homes, wanted)
    if export:
        answer = {"format": export, "calls": len(calls), "text": _csv(calls)}
        return caller.answer(answer, lambda answer: output.document(answer["text"]))
    rows = [{column: getattr(call, name) for name, column in _COLUMNS.items()} for call in calls]
    return caller.answer({"calls": rows}, _say)


@contextmanager
def _logs(
    caller: Caller, homes: Path | None, workspace: str, *, looking: bool
) -> Iterator[Mapping[str, Audit | HomeAudit]]:
    """Yield the logs by workspace: that of the home, as '', or those in a folder of homes."""
    caller.one_or_many(homes)  # refuses both
    if homes is None:
        with caller.brain(looking=looking) as brain:
            yield {"": brain.audit}
        return
    warnings: list[str] = []
    logs = {
        name: HomeAudit(folder, warnings.append, read_only=looking)
        for name, folder in workspaces(homes, workspace).items()
    }
    try:
        yield logs
    finally:
        for log in logs.values():
            log.close()
        caller.warn(warnings)


def _since(text: str | None) -> str:
    """Return a day or a time that a person names. Raises click.UsageError for one that cannot be read."""
    with suppress(ValueError, OverflowError):
        moment(text or "")
        return text or ""
    return day_of(text, utc_now().date())


def _found(caller: Caller, homes: Path | None, wanted: dict[str, Any]) -> list[Call]:
    with _logs(caller, homes, wanted["workspace"], looking=True) as logs:
        calls = [
            replace(call, workspace=call.workspace or name)
            for name, log in logs.items()
            for call in log.calls(**(wanted | {"workspace": ""} if name else wanted))
        ]
    return sorted(calls, key=lambda call: call.created, reverse=True)[: wanted["limit"]]


def _forget(caller: Caller, homes: Path | None, workspace: str, before: str, yes: bool) -> None:
    if not yes:
        raise click.UsageError("this cannot be undone; say --yes to do it.")
    refuse_inexact(before)
    if workspace and homes is None:
        raise click.UsageError("the log of a home is forgotten whole: name --homes, too, or leave --workspace out.")
    with _logs(caller, homes, workspace, looking=False) as logs:
        count = sum(log.forget(before) for log in logs.values())
    said = f"{output.count(count, 'call')} noted before {before} are gone for good."
    caller.answer({"before": before, "forgotten": count}, lambda _: output.say(output.line(said)))


def _csv(calls: Sequence[Call]) -> str:
    """Return calls as CSV, guarded so that a spreadsheet takes no cell for a formula."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(_COLUMNS.values())
    for call in calls:
        writer.writerow(_cell(name, getattr(call, name)) for name in _COLUMNS)
    return out.getvalue()


def _cell(name: str, value: Any) -> str:
    if name in ("arguments", "result") or isinstance(value, bool | int):
        return guarded(json.dumps(value, ensure_ascii=False))
    return guarded(value)


def _say(answer: Answer) -> None:
    calls = answer["calls"]
    if not calls:
        output.advise("No call is noted. `clawbrain serve --audit` notes them.")
        return
    who = [name for name in ("workspace", "user") if any(call[name] for call in calls)]
    rows = [
        [call["at"][:19].replace("T", " "), *(call[name] for name in who), call["tool"],
         "yes" if call["ok"] else "NO", str(call["ms"]), _short(call["arguments"]),
         _short(call["result"])]
        for call in calls
    ]  # fmt: skip
    output.table(["when", *who, "tool", "done", "ms", "arguments", "result"], rows, "ms")


def _short(value: Any, longest: int = 60) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else f"{text[:longest]}…"
