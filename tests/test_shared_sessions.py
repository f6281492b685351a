"""The list of sessions that the processes of a server share, while another program holds it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import anyio

from clawbrain.network.principal import Principal, Scope
from clawbrain.network.worker_sessions import SessionsOfWorkers
from clawbrain.storage.patience import hurried
from clawbrain.storage.shared_sessions import SharedSessions

ADA = Principal("ada", "", Scope.WRITE)


def test_sessions_are_shared_again_when_another_program_lets_go_of_their_list(tmp_path: Path) -> None:
    one, other = SharedSessions(tmp_path), SharedSessions(tmp_path)
    assert one.begin("s", ADA.key, "codex", 5)
    assert other.client_of("s", ADA.key) == "codex"
    with closing(sqlite3.connect(tmp_path / "sessions.db", isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        with hurried(0.02):
            other.note_read("s", "place", "hash")
        assert other.client_of("s", ADA.key) == ""
    assert other.client_of("s", ADA.key) == "codex"
    assert other.client_of("t", ADA.key) is None


def test_a_session_is_served_while_another_program_holds_the_list(tmp_path: Path) -> None:
    kept, answers = SharedSessions(tmp_path), list[Any]()
    assert kept.begin("s", ADA.key, "codex", 5)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        answers.append(scope["client_name"])

    headers = [(b"mcp-session-id", b"s")]
    scope = {"type": "http", "method": "POST", "headers": headers, "body": b"{}", "principal": ADA}
    with closing(sqlite3.connect(tmp_path / "sessions.db", isolation_level=None)) as holder:
        holder.execute("BEGIN EXCLUSIVE")
        anyio.run(SessionsOfWorkers(app, kept), scope, None, None)
    anyio.run(SessionsOfWorkers(app, kept), scope, None, None)
    assert answers == ["", "codex"]
