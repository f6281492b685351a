"""Read from the turns in the ledger what agents were told, and which session a person means."""

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Refused
from ..memory.model import moment, stamp
from ..recalls import PROMPT, SEARCH, SESSION_START, Origin, Recall, program_named
from . import sessions

if TYPE_CHECKING:
    from . import Brain

_TERMINALS_LAST = timedelta(hours=1)
_LISTED = 5


class Newest(NamedTuple):
    """The newest turn with memories of a session, and whether a signal has scored it."""

    session: str
    client: str
    folder: str
    at: str
    scored: bool


class ActiveSession(NamedTuple):
    """A session, the program that began it ('' where that is unknown), its newest turn, and how many it has."""

    session: str
    client: str
    at: str
    turns: int


class Recalls:
    """The recalls of one home."""

    def __init__(self, brain: "Brain") -> None:
        self.brain = brain

    def told(self, ids: Sequence[str], origin: Origin) -> None:
        """Note what a briefing told. It is no turn: praise of an answer is not about all that was told before it."""
        if self.brain.read_only:
            return
        session = self.brain.session or origin.program_session
        try:
            names = self.brain.names_in_turns(ids)
            self.brain.turns.append(session, stamp(self.brain.clock()), names, origin=origin)
        except OSError as error:
            self.brain.warn(f"this briefing could not be noted ({error.strerror}).")

    def origin_of_server(self, client: str) -> Origin:
        """Return where the searches of a server come from, whose client calls itself this."""
        started_in = Path(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd())
        return Origin(program_named(client), str(sessions.work_folder(started_in)), SEARCH)

    def announced(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Return the names of the files of these memories for the person, or none where STRATEGY.md says so."""
        if not self.brain.policy.settings().context.announce:
            return ()
        handles = [self.brain.handle(id) for id in ids]
        names = self.brain.file_names([id for id in ids if id in handles])
        return (*names, *(handle for handle in handles if handle not in ids))

    def listed(self, session: str | None = None, limit: int = 50) -> list[Recall]:
        """Return the latest recalls, oldest first: of all sessions or of one, by our id or by the program's own.

        What was opened of a briefing is what the session opened later.
        """
        self.brain.bookkeeping.note_waiting()
        found = self.brain.ledger.recalls(session, limit)
        theirs = {recall.session: recall.program_session for recall in found if recall.program_session}
        opened: dict[str, list[str]] = {}
        for recall in reversed(found):
            session = theirs.get(recall.session, recall.session)
            if recall.event != SESSION_START:
                opened.setdefault(session, []).extend(recall.opened)
            else:
                later = set(opened.pop(session, ()))
                recall.opened.extend(id for id in recall.ids if id in later)
        return found

    def is_known(self, session: str) -> bool:
        """Tell whether a session was ever handed a memory."""
        self.brain.bookkeeping.note_waiting()
        return self.brain.ledger.latest_session(session, "") is not None

    def sessions(self, limit: int = 50) -> list[ActiveSession]:
        """Return the sessions that were last active, by their newest turn."""
        self.brain.bookkeeping.note_waiting()
        return [ActiveSession(*row) for row in self.brain.ledger.sessions(limit)]

    def latest_of(self, session: str, conversation: str) -> str:
        """Return the session that holds the newest turn of a conversation; `session` where there is none.

        A program that takes a conversation up again starts another server, which has a session of its own, but calls
        the conversation what it called it before.
        """
        self.brain.bookkeeping.note_waiting()
        return self.brain.ledger.latest_session(session, conversation) or session

    def searched_since(self, at: str) -> bool:
        """Tell whether the newest turn of this session that waits for its signal is the agent's own, and not older."""
        turns = self.brain.ledger.turns_since_signal(self.brain.session or "")
        return bool(turns) and turns[-1].event != PROMPT and turns[-1].at >= at

    def meant(self, near: str | None, folder: Path, terminal: str | None) -> str:
        """Return the session that a person means who names none.

        It is the one with the newest turn of `near`, the session of the agent that runs here, and of this terminal,
        within an hour; else of the agents that work in this folder, of turns that no signal has scored. Raises Refused,
        with the sessions there are, or where the newest turn is of this terminal and was scored.
        """
        self.brain.bookkeeping.note_waiting()
        newest = [Newest(*row) for row in self.brain.ledger.newest_turns()]
        since = self.brain.clock() - _TERMINALS_LAST
        for each in newest:
            own = each.session == terminal and moment(each.at) >= since
            if own and each.scored:
                raise Refused(
                    "nothing was searched in this terminal since the last signal, so nothing was scored; "
                    "--session names another session."
                )
            if own or (each.session == near and not each.scored):
                return each.session
        found = [each for each in newest if not each.scored]
        for each in found:
            if each.folder and _is_of(folder, Path(each.folder)):
                return each.session
        if near:
            return near
        others = [each for each in found if not sessions.is_terminal(each.session)][:_LISTED]
        if not others:
            raise Refused(
                "nothing was found or handed over here since the last signal, so there is nothing to score; "
                "--session names another session."
            )
        listed = ", ".join(map(_described, others))
        raise Refused(f"no session of this folder waits for feedback, but there are {listed}: name one with --session.")

    def whose(self, session: str) -> str:
        """Return for a person whose turn waits for a signal in a session; '' where none does."""
        if sessions.is_terminal(session):
            return "your last search in this terminal"
        newest = (Newest(*row) for row in self.brain.ledger.newest_turns())
        found = next((each for each in newest if each.session == session and not each.scored), None)
        return f"session {_described(found)}" if found else ""


def _is_of(folder: Path, worked_in: Path) -> bool:
    """Tell whether a folder is the one that a session works in, or below it; the whole disk and the person's own
    folder hold only themselves."""
    if folder == worked_in:
        return True
    return worked_in in folder.parents and worked_in not in (Path("/"), Path.home())


def _described(each: Newest) -> str:
    about = [word for word in (each.client, os.path.basename(each.folder), each.at) if word]
    return f"{each.session} ({', '.join(about)})"
