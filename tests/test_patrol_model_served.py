"""Patrols that ask a model, in a real server: over a pipe and over HTTP, ended, cancelled and killed meanwhile."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_model import FakeModel, completion, fake_model, write
from http_server import HttpServer, make_token
from mcp_client import Client

from clawbrain.brain import open_brain
from clawbrain.profiles.being.patrols import Patrols
from clawbrain.profiles.being.scene import read
from clawbrain.profiles.being.scenes import Scenes

SAID = [{"role": "user", "content": "Please fix the login."}, {"role": "assistant", "content": "Done."}]
TOLD = {"scenes": [{"number": 1, "action": "The login was fixed.", "themes": ["login"]}]}
PATROL = {"messages": SAID, "marker_id": "m"}


class Held:
    """An answer that is held back until a test releases it."""

    def __init__(self) -> None:
        self.asked, self.released = threading.Event(), threading.Event()

    def __call__(self, handler: Any) -> None:
        self.asked.set()
        self.released.wait(30)
        write(handler, completion(json.dumps(TOLD)))


@pytest.fixture
def held() -> Iterator[Held]:
    found = Held()
    yield found
    found.released.set()


@pytest.fixture
def fake(held: Held) -> Iterator[FakeModel]:
    with fake_model() as found:
        found.answers["scenes"] = held
        yield found


def environ(fake: FakeModel) -> dict[str, str]:
    return {"CLAWBRAIN_LLM_URL": fake.url, "CLAWBRAIN_LLM_KEY": "own-key", "CLAWBRAIN_LLM_MODEL": "small"}


@pytest.fixture
def client(home: Path, fake: FakeModel) -> Iterator[Client]:
    options = ["--home", str(home), "--profile", "being"]
    with Client(*options, env={**os.environ, **environ(fake)}) as found:
        yield found


def actions(home: Path) -> list[str]:
    with open_brain(home) as brain:
        return [read(memory).action for memory in brain.having("kind", "scene")]


def waiting(home: Path) -> int:
    with open_brain(home) as brain:
        return Patrols(Scenes(brain)).waiting()


UNTOLD = "The user: “Please fix the login.”\n\nThe assistant: “Done.”"


def test_others_are_answered_while_the_model_is_asked(client: Client, held: Held, home: Path) -> None:
    patrol = client.post_call("trigger_patrol", **PATROL)
    assert held.asked.wait(20)
    found = client.call("search_memory", query="login")["content"][0]["text"]
    assert "Please fix the login" in found, "the scene is there before the model has told it"
    held.released.set()
    answer = client.answer_to(patrol)["result"]
    assert answer["structuredContent"] == {
        "status": "ok", "scenes_created": 1, "nodes_created": 1, "marker_id": "m",
    }  # fmt: skip
    assert actions(home) == ["The login was fixed."]


def test_a_server_that_is_told_to_end_waits_for_no_model(client: Client, held: Held, home: Path) -> None:
    patrol = client.post_call("trigger_patrol", **PATROL)
    assert held.asked.wait(20)
    began = time.monotonic()
    client.process.send_signal(signal.SIGTERM)
    answer = client.answer_to(patrol)["result"]
    assert "told to end" in answer["content"][1]["text"]
    assert client.process.wait(10) == 0 and time.monotonic() - began < 8
    assert actions(home) == [UNTOLD] and waiting(home) == 0


def test_a_call_that_is_cancelled_is_completed_without_the_model(client: Client, held: Held, home: Path) -> None:
    patrol = client.post_call("trigger_patrol", **PATROL)
    assert held.asked.wait(20)
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": patrol}})
    assert client.ends() == 0
    assert actions(home) == [UNTOLD] and waiting(home) == 0


def test_a_server_that_is_killed_meanwhile_has_lost_nothing(client: Client, held: Held, home: Path) -> None:
    client.post_call("trigger_patrol", **PATROL)
    assert held.asked.wait(20)
    client.process.kill()
    client.process.wait()
    assert actions(home) == [UNTOLD]


def test_what_asks_a_model_is_imported_by_a_patrol_alone(home: Path, fake: FakeModel) -> None:
    variables = {**os.environ, **environ(fake), "PYTHONPROFILEIMPORTTIME": "1"}
    with Client("--home", str(home), "--profile", "being", env=variables) as client:
        errors = client.process.stderr
        client.call("update_notes", scenes=[{"action": "It rained."}])
        client.call("search_memory", query="rain")
        assert client.ends() == 0
        imported = errors.read().decode()
    assert "clawbrain.profiles.being.patrols" in imported
    assert [name for name in ("clawbrain.llm", "clawbrain.outgoing") if name in imported] == []


def test_over_http_nobody_else_waits_and_no_key_of_a_client_goes_anywhere(
    tmp_path: Path, fake: FakeModel, held: Held
) -> None:
    folder, theirs = tmp_path / "home", "sk-theirs-0123456789"
    token = make_token(folder, user="ada")
    options = ["--profile", "being", "--audit", "--log-file", str(tmp_path / "log")]
    with HttpServer(folder, *options, **environ(fake)) as server:
        client, other = server.mcp(token, "/mcp/ada", modern=True), server.mcp(token, "/mcp/ada", modern=True)
        client.headers["X-LLM-API-Key"] = theirs
        answers: list[Any] = []
        patrol = threading.Thread(target=lambda: answers.append(client.call("trigger_patrol", **PATROL)))
        patrol.start()
        assert held.asked.wait(20)
        began = time.monotonic()
        assert (
            "login" in other.ask("tools/call", name="search_memory", arguments={"query": "login"})["content"][0]["text"]
        )
        assert time.monotonic() - began < 5
        held.released.set()
        patrol.join(20)
        assert answers == [{"status": "ok", "scenes_created": 1, "nodes_created": 1, "marker_id": "m"}]
        assert server.end() == 0
    assert actions(folder) == ["The login was fixed."]
    assert "Bearer own-key" in fake.sent()
    kept = "".join(file.read_bytes().decode(errors="replace") for file in tmp_path.rglob("*") if file.is_file())
    for key in (theirs, "own-key"):
        assert key not in kept + server.said
    assert theirs not in fake.sent()


def test_over_http_too_a_server_that_is_told_to_end_waits_for_no_model(
    tmp_path: Path, fake: FakeModel, held: Held
) -> None:
    folder = tmp_path / "home"
    token = make_token(folder, user="ada")
    with HttpServer(folder, "--profile", "being", **environ(fake)) as server:
        client = server.mcp(token, "/mcp/ada", modern=True)
        answers: list[Any] = []
        patrol = threading.Thread(
            target=lambda: answers.append(client.ask("tools/call", name="trigger_patrol", arguments=PATROL))
        )
        patrol.start()
        assert held.asked.wait(20)
        began = time.monotonic()
        assert server.end() == 0 and time.monotonic() - began < 8
        patrol.join(20)
    assert "told to end" in answers[0]["content"][1]["text"]
    assert actions(folder) == [UNTOLD] and waiting(folder) == 0
