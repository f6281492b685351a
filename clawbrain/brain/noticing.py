"""Note what a person states as lasting, from prompts and from transcripts; `proposing` weighs it later.

The prompt hook uses this module, so it imports nothing that compares texts.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from ..memory.model import moment, stamp
from ..storage.noticed import Noticed

if TYPE_CHECKING:
    from ..proposals import LastingStatement
    from ..storage.conversations import MessageRow
    from . import Brain

SESSION_LASTS = timedelta(hours=1)  # without a word that it has ended
_LATEST = 50  # memories among which one is looked for that a session has stored


class Noticing:
    """The statements noticed in one home that are not weighed yet."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def waits(self) -> bool:
        """Tell whether something waits to be weighed."""
        return self.brain.noticed.waiting()

    def hear(self, statements: "Iterable[LastingStatement]", session: str, server: str) -> None:
        """Note the statements of a prompt in a program's session.

        `server` is the session of the server beside it, or '' or the program's own where there is none.
        """
        if not self.brain.read_only:
            at, server = stamp(self.brain.clock()), "" if server == session else server
            self._add([_noted(each, at, session, server) for each in statements])

    def hear_messages(self, messages: Iterable["MessageRow"]) -> None:
        """Note what persons state as lasting in messages of conversations; an agent's words are not read."""
        from ..prompts.spoken import is_command, spoken
        from ..proposals import notice  # a session's start and end, which ask whether anything waits, need no rules

        waiting = {each.sentence for each in self.brain.noticed.all()}
        found = [
            _noted(statement, message.created_at, message.conversation, "")
            for message in messages
            if message.role == "user" and not is_command(said := spoken(message.content))
            for statement in notice(said)
        ]
        self._add([each for each in found if each.sentence not in waiting and not self._was_stored(each)])

    def name_server(self, session: str, server: str) -> None:
        """Note which server serves a program's session, where that was not known when something was said."""
        if server not in ("", session) and not self.brain.read_only:
            with suppress(OSError):
                self.brain.noticed.name_server(session, server)

    def _add(self, noticed: Sequence[Noticed]) -> None:
        if noticed:
            with suppress(OSError):  # a home that cannot be written is no reason to hand over nothing
                self.brain.noticed.add(noticed)

    def _was_stored(self, wish: Noticed) -> bool:
        """Tell whether a memory was written soon after a wish in a transcript, whose session's server is not known."""
        if not wish.wish:
            return False
        said, ends = moment(wish.at), moment(wish.at) + SESSION_LASTS
        index = self.brain.index
        newest = index.latest("entity", "updated", _LATEST) + index.latest("episode", "updated", _LATEST)
        return any(said <= moment(memory.updated) <= ends for memory in newest)


def _noted(statement: "LastingStatement", at: str, session: str, server: str) -> Noticed:
    from ..redaction import redacted  # making its patterns takes time, and most prompts state nothing lasting

    sentence = redacted(statement.sentence)
    return Noticed(sentence, statement.kind, statement.strength, statement.wish, at, session, server)
