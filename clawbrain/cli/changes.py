"""The verbs that change, move, put away and bring back single memories."""

from typing import Any, BinaryIO

import click

from ..layers import qualified
from ..memory.model import Memory
from ..profiles.clawbrain.tools import Profile
from . import output
from .completion import archived_ids
from .diffs import diffs, say_diff
from .editor import edited
from .line import Answer, Caller, Verb
from .memories import of_layer, say_contradictions
from .words import takes_id, takes_text, text_of


@click.command(cls=Verb)
@takes_id
@click.pass_obj
def edit(caller: Caller, id: str) -> None:
    """Change a memory's text in $EDITOR.

    If the file changed meanwhile nothing is overwritten, and the edited text is kept.
    """
    with caller.changing(id) as (brain, layer):
        memory = brain.retrieve(id).memory
        answer: Answer = {"id": memory.id, "updated": False}
        with edited({memory.id: memory.content}) as changed:
            for changed_id, text in changed.items():
                answer = Profile(brain).memory_update(changed_id, text, by_person=True)
    caller.answer({**answer, **layer}, _say_updated)


@click.command(cls=Verb)
@takes_id
@takes_text
@click.pass_obj
def update(caller: Caller, id: str, text: str | None, file: BinaryIO | None) -> None:
    """Replace a memory's text. The text before it stays in history."""
    content = text_of(text, file)
    with caller.changing(id) as (brain, layer):
        caller.answer(Profile(brain).memory_update(id, content, by_person=True) | layer, _say_updated)


def _say_updated(answer: Answer) -> None:
    which = f"{answer['id']}{of_layer(answer)}"
    output.say(f"Updated {which}" if answer["updated"] else f"{which} says just that; nothing was changed.")
    say_contradictions(answer)


def _with_pin(caller: Caller, id: str, pinned: bool) -> None:
    with caller.changing(id) as (brain, layer):
        memory = brain.owner.pin(id, pinned)
    said = f"{memory.id}{of_layer(layer)} is {'' if pinned else 'no longer '}pinned."
    caller.answer({**_marks(memory), **layer}, lambda _: output.say(said))


def _marks(memory: Memory) -> dict[str, Any]:
    return {"id": memory.id, "pinned": memory.pinned, "tags": list(memory.tags)}


@click.command(cls=Verb)
@takes_id
@click.pass_obj
def pin(caller: Caller, id: str) -> None:
    """Keep a memory from being merged, pruned or archived."""
    _with_pin(caller, id, True)


@click.command(cls=Verb)
@takes_id
@click.pass_obj
def unpin(caller: Caller, id: str) -> None:
    """Take the pin off again."""
    _with_pin(caller, id, False)


@click.command(cls=Verb, context_settings={"ignore_unknown_options": True})
@takes_id
@click.argument("words", nargs=-1, required=True, metavar="+TAG|-TAG...")
@click.pass_obj
def tag(caller: Caller, id: str, words: tuple[str, ...]) -> None:
    """Add and remove tags: +new -old."""
    if wrong := [word for word in words if word[0:1] not in ("+", "-")]:
        raise click.UsageError(f"write +{wrong[0]} to add this tag or -{wrong[0]} to remove it.")
    add, remove = ([word[1:] for word in words if word[0] == sign] for sign in "+-")
    with caller.changing(id) as (brain, layer):
        memory = brain.owner.tag(id, add, remove)
    said = f"is tagged {', '.join(memory.tags)}" if memory.tags else "has no tags"
    caller.answer({**_marks(memory), **layer}, lambda _: output.say(f"{memory.id}{of_layer(layer)} {said}."))


@click.command(cls=Verb)
@takes_id
@click.pass_obj
def archive(caller: Caller, id: str) -> None:
    """Put a memory away. `restore` brings it back with its score."""
    with caller.changing(id) as (brain, layer):
        answer = Profile(brain).memory_delete(id) | layer
    caller.answer(answer, lambda put: output.say(f"{put['id']}{of_layer(put)} lies in {put['archive_path']} now."))


@click.command(cls=Verb)
@click.argument("id", metavar="ID|ARCHIVE_PATH", shell_complete=archived_ids)
@click.pass_obj
def restore(caller: Caller, id: str) -> None:
    """Bring back what was put away.

    An id takes the newest with that id, a path in the archive takes just that. A taken place is refused.
    """
    with caller.changing(id) as (brain, layer):
        put = brain.restore(id)
    caller.answer({"id": put.id, "path": put.path, **layer}, _say_place)


@click.command(cls=Verb)
@takes_id
@click.argument("new")
@click.pass_obj
def move(caller: Caller, id: str, new: str) -> None:
    """Give a memory another name or category.

    NEW is new-name, category/new-name or category/. The id stays, and so does the credit.
    """
    with caller.changing(id) as (brain, layer):
        put = brain.owner.move(id, new)
    caller.answer({"id": put.id, "path": put.path, **layer}, _say_place)


def _say_place(answer: Answer) -> None:
    output.say(f"{answer['id']}{of_layer(answer)} is at memory/{answer['path']} now.")


@click.command(cls=Verb)
@takes_id
@click.argument("version", required=False)
@click.pass_obj
def history(caller: Caller, id: str, version: str | None) -> None:
    """List the texts that updates replaced and what each update changed, or print one of them."""
    with caller.brain(looking=True) as brain:
        if version:
            answer: dict[str, Any] = {"version": version, "text": brain.owner.old_text(id, version)}
        else:
            found = brain.owner.history(id)
            changes = diffs(brain, id)
            answer = {
                "versions": [_version_row(each.name, each.size, each.certain, changes[each.name]) for each in found]
            }
    caller.answer(answer, lambda answer: output.say(answer["text"]) if version else _say_versions(answer))


def _version_row(name: str, size: int, certain: bool, changed: list[str]) -> dict[str, Any]:
    doubt = {} if certain else {"note": "may be of another memory"}
    return {"version": name.removesuffix(".md"), "bytes": size, **doubt, "changed": changed}


def _say_versions(answer: Answer) -> None:
    rows = [[each["version"], str(each["bytes"]), each.get("note", "")] for each in answer["versions"]]
    if any(row[2] for row in rows):
        output.table(["version", "bytes", "note"], rows, right="bytes")
    elif rows:
        output.table(["version", "bytes"], [row[:2] for row in rows], right="bytes")
    else:
        output.say("No earlier text.")
    for each in answer["versions"]:
        say_diff(each["version"], each["changed"])


@click.command(cls=Verb)
@takes_id
@click.argument("version", required=False)
@click.pass_obj
def revert(caller: Caller, id: str, version: str | None) -> None:
    """Put an earlier text back; pin and tags stay.

    VERSION is one that `history` lists, or its beginning; without one it is the newest that says something else.
    """
    with caller.changing(id) as (brain, layer):
        chosen = brain.owner.revert(id, version).name.removesuffix(".md")
        answer = {"id": brain.find(id).id, "reverted_to": chosen, **layer}
    said = f"{answer['id']}{of_layer(layer)} says again what it said in {chosen}."
    caller.answer(answer, lambda _: output.say(said))


@click.command(cls=Verb)
@click.argument("id", metavar="ID|ARCHIVE_PATH", shell_complete=archived_ids)
@click.option("--yes", is_flag=True, help="Really.")
@click.option("--dry-run", is_flag=True, help="Show what would be deleted and do nothing.")
@click.option(
    "--text", "texts", multiple=True, metavar="VERSION", help="An earlier text that may be of another memory."
)
@click.pass_obj
def purge(caller: Caller, id: str, yes: bool, dry_run: bool, texts: tuple[str, ...]) -> None:
    """Delete for good, from the archive only, with its history. Needs --yes.

    Calls in the audit log that name or quote it are emptied, and in stored conversations what quotes a line or
    sentence of it is blotted out. Earlier texts that may be of another memory with the same id stay, unless each is
    named with --text.
    """
    if not (yes or dry_run):
        raise click.UsageError("this cannot be undone; say --yes to do it.")
    with caller.changing(id, looking=dry_run) as (brain, layer):
        gone = brain.owner.purge(id, texts, dry_run=dry_run)
        still = [memory.id for memory in brain.having("merged_from") if gone.id in memory.extra["merged_from"]]
    answer: dict[str, Any] = {
        "id": gone.id, "purged": not dry_run, "archive_path": gone.path,
        "texts": gone.texts, "calls": gone.calls, "messages": gone.messages, **layer,
    }  # fmt: skip
    if still:
        answer["merged_into"] = still
    if gone.unsure:
        answer["kept_texts"] = [name.removesuffix(".md") for name in gone.unsure]
    caller.answer(answer, _say_purged)


def _say_purged(answer: Answer) -> None:
    layer = of_layer(answer)
    what = f"{answer['id']}{layer} ({answer['archive_path']})" if answer["archive_path"] else f"Those texts{layer}"
    also = [output.count(answer["texts"], "earlier text")] if answer["archive_path"] and answer["texts"] else []
    also += [f"what {output.count(answer['calls'], 'noted call')} held"] if answer["calls"] else []
    also += [f"its words in {output.count(answer['messages'], 'message')}"] if answer["messages"] else []
    more = f", with {', '.join(also)}" if also else ""
    output.say(output.line(f"{what} {'is' if answer['archive_path'] else 'are'} gone for good{more}."
                           if answer["purged"] else f"Would delete {what}{more}; nothing was done."))  # fmt: skip
    if still := answer.get("merged_into"):
        output.say(f"Its text was merged into {', '.join(still)}, where it stands as before.")
    if kept := answer.get("kept_texts"):
        which = qualified(answer["layer"], answer["id"]) if layer else answer["id"]
        output.say(
            f"{'Kept' if answer['purged'] else 'Would stay'}, as they may be of another memory: {', '.join(kept)}. "
            f"`clawbrain purge {which} --text VERSION --yes` deletes one."
        )
