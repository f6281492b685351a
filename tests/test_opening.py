"""The answers of the first milliseconds are the SDK's own, and the hand-over to it cannot be noticed."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from mcp import Client as SdkClient
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_client import CLIENT, ENVELOPE, MODERN, SERVE, Client, initialize

from clawbrain import profiles
from clawbrain.profiles.__main__ import VERSIONS, from_sdk, snapshot
from clawbrain.server import fast_start

INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NEEDLESS = {"click", "rich", "yaml", "frontmatter", "Stemmer", "rapidfuzz", "sqlite_utils", "sqlite3"}


@pytest.fixture(autouse=True)
def no_home(monkeypatch):
    monkeypatch.setenv("CLAWBRAIN_HOME", os.devnull)


def ask(id, method, **params):
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def enveloped(id, method, **meta):
    return ask(id, method, _meta=ENVELOPE | meta)


def from_opening(*messages, options=()):
    said = "".join(f"{json.dumps(message)}\n" for message in messages)
    return subprocess.run([*SERVE, *options], input=said.encode(), stdout=subprocess.PIPE).stdout.splitlines()


def both(script, options=()):
    """What the opening and the SDK answer, without the order, which is the SDK's to choose."""
    with ThreadPoolExecutor() as at_once:
        ours = at_once.submit(from_opening, *script, options=options)
        sdks = at_once.submit(from_sdk, "clawbrain", *script, options=options)
        return sorted(ours.result()), sorted(sdks.result())


def known_at_once(*messages, profile="clawbrain"):
    """Whether the snapshot can answer all of these."""
    begun = fast_start.Opening(profiles.read(profile, profiles.SNAPSHOT), [])
    return all(begun.knows(message) and begun.answers(message) is not None for message in messages)


@pytest.mark.parametrize("name", profiles.names())
def test_the_committed_snapshot_is_what_the_installed_sdk_answers(name):
    assert profiles.read(name, profiles.SNAPSHOT) == snapshot(name)


SCRIPTS = {
    **{
        f"handshake {version}": [
            initialize(version, id="first"),
            INITIALIZED,
            ask(1, "ping"),
            ask("two", "tools/list"),
            ask(3, "tools/list", _meta={"progressToken": "p"}),
            {"jsonrpc": "2.0", "id": 4, "method": "tools/list"},
            {"jsonrpc": "2.0", "id": 5, "method": "ping", "params": None},
        ]
        for version in VERSIONS
    },
    "ping comes first": [ask(0, "ping"), initialize(id=1), INITIALIZED, ask(2, "tools/list")],
    "modern": [
        enveloped(1, "server/discover"),
        enveloped(2, "tools/list"),
        enveloped("3", "tools/list", progressToken=7),
    ],
    "modern without discovery": [enveloped(1, "tools/list")],
}


@pytest.mark.parametrize("what", SCRIPTS)
def test_every_byte_is_the_sdks(what):
    assert known_at_once(*SCRIPTS[what])
    ours, sdks = both(SCRIPTS[what])
    assert ours == sdks
    assert len(ours) == sum("id" in message for message in SCRIPTS[what])


@pytest.mark.parametrize("options", [["--read-only"], ["--tools", "memory_search,memory_store"]])
def test_so_it_is_when_tools_are_left_out(options):
    for script in (SCRIPTS["handshake 2025-06-18"], SCRIPTS["modern"]):
        ours, sdks = both(script, options)
        assert ours == sdks


FOREIGN = {
    "tools before the greeting": ask(1, "tools/list"),
    "a version nobody knows": initialize("2099-01-01"),
    "a version that is no string": ask(0, "initialize", protocolVersion=[], capabilities={}, clientInfo=CLIENT),
    "no client": ask(0, "initialize", protocolVersion=VERSIONS[0], capabilities={}),
    "a client without a name": ask(
        0, "initialize", protocolVersion=VERSIONS[0], capabilities={}, clientInfo={"version": "1"}
    ),
    "no capabilities": ask(0, "initialize", protocolVersion=VERSIONS[0], clientInfo=CLIENT),
    "half an envelope": ask(1, "server/discover", _meta={fast_start.VERSION: MODERN}),
    "an unknown modern version": enveloped(1, "server/discover", **{fast_start.VERSION: "2099-01-01"}),
    "discovery without an envelope": ask(1, "server/discover"),
    "a greeting in an envelope": enveloped(1, "initialize"),
    "a greeting that is a notification": {"jsonrpc": "2.0", "method": "initialize", "params": {}},
    "an early notification": INITIALIZED,
    "another method": ask(1, "prompts/list"),
}


@pytest.mark.parametrize("what", FOREIGN)
def test_a_beginning_that_is_unusual_is_left_to_the_sdk(what):
    assert not known_at_once(FOREIGN[what])


UNUSUAL = {
    "tools before the greeting": [ask(0, "ping"), ask(1, "tools/list"), initialize(id=2), ask(3, "tools/list")],
    "two greetings": [initialize(id=1), initialize(VERSIONS[0], id=2), ask(3, "tools/list")],
    "a cursor that is no string": [initialize(), ask(1, "tools/list", cursor=5)],
    "meta that is no object": [initialize(), ask(1, "tools/list", _meta="x")],
    "a token that is no token": [initialize(), ask(1, "tools/list", _meta={"progressToken": {}})],
    "an envelope after the handshake": [initialize(), enveloped(1, "tools/list")],
    "a greeting after an envelope": [enveloped(1, "server/discover"), initialize(id=2)],
    "no envelope after one": [enveloped(1, "server/discover"), ask(2, "tools/list")],
    "ping in the modern era": [enveloped(1, "server/discover"), enveloped(2, "ping")],
    "other methods": [initialize(), INITIALIZED, ask(1, "prompts/list"), ask(2, "no/such")],
}


@pytest.mark.parametrize("what", UNUSUAL)
def test_what_becomes_unusual_is_answered_as_if_the_sdk_had_served_from_the_start(what):
    assert known_at_once(UNUSUAL[what][0])
    assert not known_at_once(*UNUSUAL[what])
    ours, sdks = both(UNUSUAL[what])
    assert ours == sdks
    assert len(ours) == sum("id" in message for message in UNUSUAL[what])


@pytest.mark.parametrize("modern", [False, True])
def test_after_the_hand_over_every_request_has_exactly_one_answer(tmp_path, modern):
    with Client("--home", str(tmp_path), modern=modern) as client:
        ids = [client.post("tools/list") for _ in range(3)]
        ids += [client.post_call("memory_search", query="x"), client.post("tools/list"), client.post("prompts/list")]
        client.process.stdin.close()
        answers = client.rest()
        assert sorted(answer["id"] for answer in answers) == ids
        assert all("result" in answer for answer in answers)


def test_an_id_may_be_used_again_after_the_hand_over():
    messages = [initialize(id=1), INITIALIZED, ask(1, "tools/list"), ask(1, "prompts/list"), ask(1, "ping")]
    results = [json.loads(line)["result"] for line in from_opening(*messages)]
    assert [sorted(result)[:1] for result in results] == [["capabilities"], ["tools"], ["prompts"], []]


def test_nothing_that_a_handshake_does_not_need_is_imported_before_it():
    command = [sys.executable, "-X", "importtime", *SERVE[1:]]
    done = subprocess.run(command, input="what is not known starts no import\n", capture_output=True, text=True)
    assert len(done.stdout.splitlines()) == 1
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "json" in imported
    assert not imported & NEEDLESS


def test_a_greeting_alone_needs_no_sdk():
    with Client(greet=False) as client:
        client.send(ask(0, "ping"))
        assert client.message() == {"jsonrpc": "2.0", "id": 0, "result": {}}
        assert client.ends() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_quietly(number):
    with Client() as client:
        client.process.send_signal(number)
        assert client.process.wait(20) == 0
        assert client.process.stderr.read() == b""


def test_the_end_of_input_ends_it_quietly():
    with Client() as client:
        assert client.ends() == 0
        assert client.process.stderr.read() == b""


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_own_client_is_served(tmp_path, mode):
    import anyio

    async def session():
        server = StdioServerParameters(command=sys.executable, args=[*SERVE[1:], "--home", str(tmp_path)])
        async with SdkClient(stdio_client(server), mode=mode) as client:
            tools = await client.list_tools()
            result = await client.call_tool("memory_search", {"query": "x"})
            return len(tools.tools), result.structured_content, client.protocol_version

    count, answer, version = anyio.run(session)
    assert count == 8
    assert answer == {"results": [], "total_matches": 0}
    assert version == (MODERN if mode == "auto" else VERSIONS[-1])
