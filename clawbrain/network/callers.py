"""Call tools for one request: with its principal's scope, on its workspace's brain, and in its session."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ..brain.calling import CallingSession
from ..errors import ReadOnly
from ..recalls import SEARCH, Origin, program_named
from ..server.tool_runner import Found, Step, ToolRunner
from .connections import BoundedConnection
from .principal import Principal, Scope
from .read_texts import SharedTexts

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..brain import Brain
    from ..profiles import ProfileSpec
    from ..storage.shared_sessions import SharedSessions
    from .workspaces import Workspace

SESSION_HEADER, OWN_SESSION_HEADER = "mcp-session-id", "x-clawbrain-session"
RECENT = timedelta(hours=1)
_LONGEST = 200  # characters of a session that a client names


def calling_session(kept: SharedSessions, principal: Principal, headers: Mapping[str, str]) -> CallingSession:
    """Return the session of a request: the protocol's, the one that its header names, or else the principal's own.

    The last is shared by all calls without a session, so a signal looks back for an hour only.
    """
    named, id = _named(headers), session_id(principal, headers)
    texts = SharedTexts(kept, id, principal.key, principal.workspace, lasting=bool(named))
    return CallingSession(id, texts, None if named else RECENT)


def session_id(principal: Principal, headers: Mapping[str, str]) -> str:
    """Return the id of the session of a request, which tells nothing of what the client names it."""
    words = f"{principal.key}\n{_named(headers)}"
    return f"http-{hashlib.sha256(words.encode(errors='replace')).hexdigest()[:24]}"


def _named(headers: Mapping[str, str]) -> str:
    return headers.get(SESSION_HEADER) or headers.get(OWN_SESSION_HEADER, "")[:_LONGEST]


class RemoteRunner(ToolRunner):
    """The caller of a profile's tools for one request."""

    permitted: Collection[str] = ()
    """The tools that change something and that every token may call all the same."""

    def __init__(
        self,
        spec: ProfileSpec,
        offered: Sequence[str],
        workspace: Workspace,
        principal: Principal,
        session: CallingSession,
        client: str,
        public_url: str,
    ) -> None:
        super().__init__(spec, offered)
        self.workspace, self.principal, self._session = workspace, principal, session
        self.client, self._public_url = client, public_url

    async def ask(self, work: Callable[..., Found], *words: Any) -> Found:
        return await self.workspace.ask(work, *words)

    def ending(self) -> bool:
        return BoundedConnection.told_to_end

    def opened(self) -> Brain:
        """Return the workspace's brain, acting for this request's session."""
        brain = self.workspace.brain()
        brain.act_for(self._session)
        brain.origin = Origin(program_named(self.client), "", SEARCH)
        return brain

    def tools(self, brain: Brain) -> Any:
        made = self.workspace.tools(self.spec["profile"], self.rules().Profile)
        made.public_url = self._public_url
        return made

    def _called(self, name: str, arguments: dict[str, Any], progress: Callable[..., None]) -> Step:
        tool = self.known.get(name)
        changes = tool and not tool["annotations"]["readOnlyHint"] and name not in self.permitted
        if changes and not self.principal.may(Scope.WRITE):
            raise ReadOnly(f"{name} changes the memory, and this token may only read.")
        return super()._called(name, arguments, progress)
