"""The command line: what the brain can do as verbs, for a person and for scripts."""

import click

from .. import DISTRIBUTION
from . import (
    agents,
    audit,
    changes,
    completion,
    conversations,
    exchange,
    home,
    layers,
    learning,
    memories,
    proposals,
    recalls,
    report,
    serve,
    token,
)  # fmt: skip
from .line import Verbs


@click.group(cls=Verbs, invoke_without_command=True, context_settings={"help_option_names": ["--help", "-h"]})
@click.version_option(package_name=DISTRIBUTION)
@click.pass_context
def command_line(context: click.Context) -> None:
    """A memory for coding agents: markdown files you own, and a ledger that learns which of them help.

    Exit status: 0 done, 1 refused or not found, 2 wrong usage, 3 something is broken.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(2)


command_line.put("Memories", memories.store, memories.show, memories.search, memories.list_)
command_line.put(
    "Changing one", changes.edit, changes.update, changes.pin, changes.unpin, changes.tag, changes.move,
    changes.history, changes.revert, changes.archive, changes.restore, changes.purge,
)  # fmt: skip
command_line.put(
    "Learning", recalls.recalls, proposals.proposals, learning.feedback, report.report, learning.conflicts,
    learning.strategy,
)  # fmt: skip
command_line.put("Tidying", learning.compact, learning.undo, learning.log, learning.digest)
command_line.put("Conversations", conversations.ingest, conversations.messages, audit.audit)
command_line.put(
    "The home", home.init, home.check, home.dump, home.load, layers.layers, exchange.import_, exchange.export
)
command_line.put("Agents", agents.install, agents.doctor, serve.serve, agents.hook, agents.call, agents.tour)
command_line.put("The network", token.token)
command_line.put("The shell", completion.completion)


def main() -> None:
    command_line.main()
