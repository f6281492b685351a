"""Completion by the shell: verbs and options, which click knows, and the ids of memories.

A person waits for it after a key, so ids are those of the last scan: no file is read and nothing is written.
"""

from contextlib import suppress

import click
from click.shell_completion import get_completion_class

from ..brain import Brain, open_brain
from . import output
from .line import Answer, Caller, Verb

VARIABLE = "_CLAWBRAIN_COMPLETE"
HOW = {
    "bash": 'eval "$(clawbrain completion bash)"   # in ~/.bashrc; needs bash 4.4 or newer',
    "zsh": 'eval "$(clawbrain completion zsh)"   # in ~/.zshrc, behind compinit',
    "fish": "clawbrain completion fish > ~/.config/fish/completions/clawbrain.fish",
}


def known_ids(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Return the ids that begin as what was typed does; if none does, those that have it in them."""
    return _fitting(_ids(context, archived=False), begun)


def archived_ids(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
    """Return the ids of archived memories that begin as what was typed does; if none does, those that have it."""
    return _fitting(_ids(context, archived=True), begun)


def _fitting(ids: list[str], begun: str) -> list[str]:
    begins = [id for id in ids if id.startswith(begun)]
    return sorted(begins or [id for id in ids if begun in id])


def _ids(context: click.Context, *, archived: bool) -> list[str]:
    caller = context.find_object(Caller) or Caller()
    with suppress(Exception):  # a key press is no place for an error
        if (caller.home / ".clawbrain").is_dir():
            brain = open_brain(caller.home, looking=True)  # read-only it would not have the index of the last scan
            try:
                return _read_ids(brain, archived)
            finally:
                brain.release()
    return []


def _read_ids(brain: Brain, archived: bool) -> list[str]:
    if archived:
        return [memory.id for _, memory in brain.owner.archived() if memory]
    return list(brain.listed.ids())


@click.command(cls=Verb)
@click.argument("shell", type=click.Choice(list(HOW)), metavar="bash|zsh|fish")
@click.pass_obj
def completion(caller: Caller, shell: str) -> None:
    """Print what a shell needs to complete verbs, options and the ids of memories.

    In bash and zsh it goes through eval "$(clawbrain completion bash)", in fish into a file of its completions.
    """
    found = get_completion_class(shell)
    assert found is not None
    complete = found(click.get_current_context().find_root().command, {}, "clawbrain", VARIABLE)
    answer = {"shell": shell, "script": complete.source_template % complete.source_vars(), "how": HOW[shell]}
    caller.answer(answer, _say_script)


def _say_script(answer: Answer) -> None:
    output.document(f"# {answer['how']}\n{answer['script']}\n")
