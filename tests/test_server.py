"""The server as a client sees it: a real process, real lines. What the tools do inside is tested elsewhere."""

import json
import os
import pty
import random
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import product

import pytest
from mcp_client import LEGACY, ODD, SERVE, Client, initialize
from measure import LONG

from clawbrain import profiles

SHEET = profiles.load("clawbrain")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return str(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def odd(home):
    with Client("--home", home, command=ODD) as client:
        yield client


@pytest.fixture(scope="module")
def brain(tmp_path_factory):
    with Client("--home", str(tmp_path_factory.mktemp("brain"))) as client:
        yield client


def text_of(result):
    return result["content"][0]["text"]


# --- answers


def test_a_success_says_the_same_twice(brain):
    result = brain.call("memory_store", type="entity", category="people", name="twice", content="says it twice")
    assert result["isError"] is False
    assert json.loads(text_of(result)) == result["structuredContent"]
    assert result["structuredContent"]["id"] == "entity-people-twice"


def test_nulls_survive_in_both_forms(odd):
    result = odd.call("lines")
    assert result["structuredContent"]["none"] is None
    assert json.loads(text_of(result))["none"] is None


def test_no_answer_holds_a_line_end_but_its_own(odd):
    id = odd.post_call("lines")
    line = odd.line().decode()
    assert json.loads(line)["id"] == id
    assert len(line.splitlines()) == 1


def test_text_that_is_not_unicode_is_answered_all_the_same(odd):
    assert odd.call("half")["structuredContent"] == {"name": "caf?"}


def test_nothing_that_a_tool_prints_reaches_the_client(odd):
    odd.noise.clear()
    assert odd.call("chatter")["structuredContent"] == {"stdin": ""}
    assert odd.noise == []


def test_an_unexpected_fault_is_one_plain_sentence(odd):
    sentence = odd.refusal("crash")
    assert sentence == "crash could not be done because of a fault in the server; this is not about what was asked."


def test_a_full_disk_is_called_that_and_no_path_is_shown(odd):
    assert odd.refusal("full") == "full could not be done (No space left on device): mend that and call it again."


def test_a_refused_change_shows_the_current_text(odd):
    assert odd.refusal("changed") == "The file changed; read it again.\n\nwhat stands there now"


def test_an_unknown_tool_is_a_protocol_error(brain):
    error = brain.ask("tools/call", name="memory_forget", arguments={})["error"]
    assert error == {"code": -32602, "message": "Unknown tool: memory_forget"}


def test_an_unknown_method_is_a_protocol_error(brain):
    assert brain.ask("memory/forget")["error"]["code"] == -32601


@pytest.mark.parametrize("arguments", [[], "x", 7, True])
def test_arguments_that_are_no_object_are_refused_by_the_tool(brain, arguments):
    result = brain.ask("tools/call", name="memory_search", arguments=arguments)["result"]
    assert result["isError"]
    assert text_of(result) == "memory_search: arguments must be an object."


def test_missing_arguments_are_none_at_all(brain):
    assert brain.ask("tools/call", name="credit_report")["result"]["isError"] is False
    assert brain.ask("tools/call", name="credit_report", arguments=None)["result"]["isError"] is False


def test_a_wrong_argument_is_refused_and_nothing_is_done(brain):
    assert brain.refusal("memory_store", type="entity", category="people", name="n", contents="x") == (
        "memory_store takes no argument \"contents\"; did you mean 'content'?"
    )
    assert "not found" in brain.refusal("memory_retrieve", id="entity-people-n")


def test_calls_are_done_in_the_order_they_came(brain):
    ids = [
        brain.post_call("memory_store", type="entity", category="queue", name="queued", content="first"),
        brain.post_call("memory_update", id="entity-queue-queued", content="second"),
        brain.post_call("memory_retrieve", id="entity-queue-queued"),
    ]
    answers = [brain.answer_to(id)["result"] for id in ids]
    assert answers[2]["structuredContent"]["content"].strip() == "second"


def test_a_home_that_is_a_file_is_refused_and_the_server_lives_on(tmp_path):
    (tmp_path / "file").write_text("not a directory")
    with Client("--home", str(tmp_path / "file")) as client:
        for _ in range(2):
            sentence = client.refusal("memory_search", query="x")
            assert str(tmp_path) not in sentence
            assert "Traceback" not in sentence
        assert "result" in client.ask("tools/list")


# --- what is on offer


def test_the_server_gives_its_name_version_and_instructions():
    with Client(greet=False) as client:
        result = client.greet()["result"]
    assert result["serverInfo"] == {"name": "clawbrain", "version": "0.1.0"}
    assert result["instructions"] == SHEET["instructions"]
    assert result["protocolVersion"] == LEGACY


def test_the_published_tools_are_the_profile_word_for_word(brain):
    brain.ask("memory/unknown")  # by now the SDK answers
    assert brain.ask("tools/list")["result"] == {"tools": SHEET["tools"]}


def test_read_only_leaves_three_tools_and_refuses_the_others(home):
    with Client("--home", home, "--read-only") as client:
        names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
        assert names == ["memory_retrieve", "memory_search", "credit_report"]
        assert client.refusal("memory_store", type="episode", name="n", content="x") == (
            "memory_store was left out when this server was started (--read-only or --tools)."
        )
        assert client.call("credit_report")["isError"] is False
        assert [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]] == names
        assert [prompt["name"] for prompt in client.ask("prompts/list")["result"]["prompts"]] == ["recall"]


def test_tools_can_be_chosen(home):
    with Client("--home", home, "--tools", "memory_search, memory_store") as client:
        names = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
        assert names == ["memory_store", "memory_search"]
        assert "left out" in client.refusal("credit_report")


def test_resources_are_the_digest_the_strategy_and_each_memory(brain):
    brain.call("memory_store", type="entity", category="people", name="read-me", content="as a resource")
    assert [each["uri"] for each in brain.ask("resources/list")["result"]["resources"]] == [
        "memory://digest",
        "memory://strategy",
    ]
    (template,) = brain.ask("resources/templates/list")["result"]["resourceTemplates"]
    assert template["uriTemplate"] == "memory://{id}"
    (contents,) = brain.ask("resources/read", uri="memory://entity-people-read-me")["result"]["contents"]
    assert contents["mimeType"] == "text/markdown"
    assert contents["text"].strip() == "as a resource"
    for uri in ("memory://digest", "memory://strategy"):
        assert brain.ask("resources/read", uri=uri)["result"]["contents"][0]["text"]


@pytest.mark.parametrize("uri", ["memory://entity-people-nobody", "memory://", "file:///etc/passwd", "", "x" * 5000])
def test_an_unknown_resource_is_a_protocol_error(brain, uri):
    assert brain.ask("resources/read", uri=uri)["error"]["code"] == -32602


def test_the_prompts_are_filled_in(brain):
    names = [prompt["name"] for prompt in brain.ask("prompts/list")["result"]["prompts"]]
    assert names == ["good", "bad", "recall", "wrap-up"]
    result = brain.ask("prompts/get", name="recall", arguments={"topic": "tea {topic}"})["result"]
    assert "topic: tea {topic}\n" in result["messages"][0]["content"]["text"]
    for name in ("good", "bad", "wrap-up"):
        assert brain.ask("prompts/get", name=name)["result"]["messages"][0]["role"] == "user"


@pytest.mark.parametrize(
    "params", [{"name": "nope"}, {"name": "recall"}, {"name": "recall", "arguments": {"topic": " "}}]
)
def test_an_unknown_or_unfilled_prompt_is_a_protocol_error(brain, params):
    assert brain.ask("prompts/get", **params)["error"]["code"] == -32602


def test_a_profile_without_resources_and_prompts_does_not_claim_them(odd, home):
    with Client("--home", home, command=ODD, greet=False) as client:
        assert list(client.greet()["result"]["capabilities"]) == ["tools"]
        assert client.ask("prompts/list")["error"]["code"] == -32601


def test_the_modern_era_is_served_without_a_handshake(home):
    with Client("--home", home, modern=True) as client:
        client.ask("memory/unknown")  # by now the SDK answers
        found = client.ask("server/discover")["result"]
        assert found["supportedVersions"] == ["2026-07-28"]
        assert found["instructions"] == SHEET["instructions"]
        assert client.ask("tools/list")["result"]["tools"] == SHEET["tools"]
        result = client.ask("tools/call", name="memory_search", arguments={"query": "x"})["result"]
        assert json.loads(text_of(result)) == result["structuredContent"]
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"] == {"name": "clawbrain", "version": "0.1.0"}
        assert client.ask("ping")["error"]["code"] == -32601


# --- lines that cannot be read

UNREADABLE = {
    "no JSON": (b"garbage", None, -32700),
    "half a message": (b'{"jsonrpc":', None, -32700),
    "not UTF-8": (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\xff"}}', 7, -32700),
    "not UTF-8 at all": (b"\xff\xfe", None, -32700),
    "a NUL": (b"\x00\x00", None, -32700),
    "not a number": (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', None, -32700),
    "an endless number as id": (b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', None, -32600),
    "too many digits": (b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', None, -32700),
    "half a surrogate pair": (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\\ud800"}}', 7, -32700),
    "half a surrogate pair as id": (b'{"jsonrpc":"2.0","id":"\\uDfff","method":"ping"}', None, -32700),
    "500 deep": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping","params":' + b'{"a":' * 500 + b"1" + b"}" * 501,
        7,
        -32700,
    ),
    "5000 deep, id first": (
        b'{"jsonrpc":"2.0","id":"seven","method":"ping","params":' + b'{"a":' * 5000 + b"1" + b"}" * 5001,
        "seven",
        -32700,
    ),
    "5000 deep, id last": (
        b'{"method":"ping","params":' + b'{"id":' * 5000 + b"1" + b"}" * 5000 + b',"jsonrpc":"2.0","id":7}',
        7,
        -32700,
    ),
    "100,000 deep": (b"[" * 100_000, None, -32700),
    "nine million bytes": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"' + b"x" * 9_000_000 + b'"}}',
        7,
        -32700,
    ),
    "nine million bytes, id last": (
        b'{"method":"ping","params":{"id":5,"a":"' + b"x" * 9_000_000 + b'"},"jsonrpc":"2.0","id":7}',
        7,
        -32700,
    ),
    "a list": (b"[]", None, -32600),
    "null": (b"null", None, -32600),
    "a number": (b"1", None, -32600),
    "an empty object": (b"{}", None, -32600),
    "no method": (b'{"jsonrpc":"2.0","id":7}', 7, -32600),
    "a method that is no string": (b'{"jsonrpc":"2.0","id":7,"method":5}', 7, -32600),
    "another version": (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32600),
    "no version": (b'{"id":7,"method":"tools/list"}', 7, -32600),
    "id null": (b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}', None, -32600),
    "id an object": (b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}', None, -32600),
    "id true": (b'{"jsonrpc":"2.0","id":true,"method":"tools/list"}', None, -32600),
    "id a fraction": (b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', 1.5, -32600),
    "params a list": (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}', 7, -32602),
    "params a string": (b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":"x"}', 7, -32602),
}


REFUSED_BY_SDK = {
    "no name": (b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}', 7, -32602),
    "a name that is no string": (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}', 7, -32602),
    "an empty greeting": (b'{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}', 7, -32602),
}


def check_answer(client, line, id, code):
    client.raw(line + b"\n")
    answer = client.message()
    assert (answer["id"], answer["error"]["code"]) == (id, code)
    assert answer["error"]["message"]


@pytest.mark.parametrize("what", [*UNREADABLE, *REFUSED_BY_SDK])
def test_every_line_that_cannot_be_served_is_answered(brain, what):
    check_answer(brain, *(UNREADABLE | REFUSED_BY_SDK)[what])


@pytest.fixture(scope="module")
def started():
    with Client(greet=False) as client:
        yield client


@pytest.mark.parametrize("what", UNREADABLE)
def test_so_it_is_before_the_sdk_is_there(started, what):
    check_answer(started, *UNREADABLE[what])


def test_every_request_of_a_batch_is_answered(brain):
    brain.raw(
        b'[{"jsonrpc":"2.0","id":71,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"id":"b","method":"ping"},5]\n'
    )
    answers = [brain.message(), brain.message()]
    assert [(answer["id"], answer["error"]["code"]) for answer in answers] == [(71, -32600), ("b", -32600)]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\r",
        b'{"jsonrpc":"2.0","id":1,"result":{}}',
        b'{"jsonrpc":"2.0","id":1,"error":{}}',
        b'{"jsonrpc":"2.0","method":"notifications/nope"}',
        b'{"jsonrpc":"2.0","method":"notifications/nope","params":[]}',
        b'{"jsonrpc":"1.0","method":"notifications/nope"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}',
        b'{"jsonrpc":"2.0","method":"notifications/progress","params":{}}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"credit_report"}}',
    ],
)
def test_what_asks_nothing_gets_nothing(brain, line):
    brain.noise.clear()
    brain.raw(line + b"\n")
    assert "result" in brain.ask("ping")
    assert brain.noise == []


def test_four_million_bytes_are_read(brain):
    assert brain.ask("ping", x="y" * 4_000_000)["result"] == {}


def test_the_memory_for_an_overlong_line_is_bounded(started):
    def peak():
        with open(f"/proc/{started.process.pid}/status") as status:
            return next(int(row.split()[1]) for row in status if row.startswith("VmHWM"))

    started.raw(b"x" * 9_000_000 + b"\n")
    assert started.message()["error"]["code"] == -32700
    before = peak()
    started.raw(b"x" * 60_000_000 + b"\n")
    assert started.message()["error"]["code"] == -32700
    assert peak() - before < 12_000  # kB


def test_random_damage_to_lines_never_silences_the_server(brain):
    dice = random.Random(5)
    good = json.dumps(
        {
            "jsonrpc": "2.0",
            "id": 5,
            "method": "tools/call",
            "params": {"name": "credit_report", "arguments": {"top_n": 3}},
        }
    ).encode()
    for _ in range(1000):
        line = bytearray(good)
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(line))
            line[at : at + dice.randint(0, 3)] = dice.choice(
                [b"", b'"', b"{", b"}", b"[", b",", b"\\u", b"\xff", b"0", b"null"]
            )
        brain.raw(bytes(line).replace(b"\n", b"") + b"\n")
    assert brain.answer_to(brain.post("ping"))["result"] == {}


# --- progress and cancellation


def test_progress_is_told_to_who_asked_for_it(odd, tmp_path):
    odd.noise.clear()
    params = {
        "name": "steps",
        "arguments": {"seconds": 0, "mark": str(tmp_path / "m")},
        "_meta": {"progressToken": "p"},
    }
    assert odd.ask("tools/call", **params)["result"]["isError"] is False
    assert [message["params"] for message in odd.noise] == [
        {"progressToken": "p", "progress": step, "total": 3, "message": f"step {step}"} for step in (1, 2, 3)
    ]


def test_a_cancelled_call_is_done_to_its_end_but_not_answered(odd, tmp_path):
    odd.noise.clear()
    mark = tmp_path / "mark"
    id = odd.post("tools/call", name="steps", arguments={"seconds": 0.5, "mark": str(mark)}, _meta={"progressToken": 1})
    assert odd.message()["params"]["progress"] == 1
    odd.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
    assert odd.call("slow", seconds=0)["isError"] is False
    assert mark.read_text() == "done\n"
    assert id not in [message.get("id") for message in odd.noise]


def test_an_answer_is_whole_though_its_call_is_cancelled_meanwhile(tmp_path):
    read, write = os.pipe()
    with Client("--home", str(tmp_path), command=ODD, greet=False, stdout=write) as client:
        os.close(write)
        client.send(initialize())
        big = client.post_call("big", size=1_000_000)
        with open(read, "rb") as lines:
            assert json.loads(lines.readline())["id"] == 0
            lines.peek(1)  # the answer has begun, and waits for room
            client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": big}})
            last = client.post("ping")
            time.sleep(0.5)
            ids = [json.loads(lines.readline())["id"] for _ in range(2)]
        assert ids == [big, last]


# --- the pipe


ASKED = [initialize(), {"jsonrpc": "2.0", "method": "notifications/initialized"}] + [
    {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "big", "arguments": {"size": size}}}
    for id, size in ((1, 10), (2, 1_000_000))
]


def test_input_and_output_may_be_files(tmp_path):
    asked, answered = tmp_path / "asked", tmp_path / "answered"
    asked.write_text("\n".join(map(json.dumps, ASKED)))
    with asked.open() as source, answered.open("w") as sink:
        assert subprocess.run([*ODD, "--home", str(tmp_path)], stdin=source, stdout=sink).returncode == 0
    assert [json.loads(line)["id"] for line in answered.read_text().splitlines()] == [0, 1, 2]


@pytest.mark.parametrize("command", [SERVE, ODD], ids=["opening", "sdk"])
def test_input_and_output_may_be_one_socket(tmp_path, command):
    ours, theirs = socket.socketpair()
    with ours, Client("--home", str(tmp_path), command=command, greet=False, stdin=theirs, stdout=theirs) as client:
        theirs.close()
        lines = ours.makefile("rb")
        for message in ASKED:
            ours.sendall(json.dumps(message).encode() + b"\n")
            if "id" in message:
                assert json.loads(lines.readline())["id"] == message["id"]
                time.sleep(0.2)  # it reads where there is nothing yet
        ours.shutdown(socket.SHUT_WR)
        assert (lines.read(), client.process.wait(20)) == (b"", 0)


@contextmanager
def narrow(kind):
    """Both ends of an output with little room, ours last."""
    if kind == "terminal":
        ours, theirs = pty.openpty()
    elif kind == "pipe":
        ours, theirs = os.pipe()
    else:
        pair = socket.socketpair()
        pair[1].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)  # the least the system allows
        ours, theirs = (end.detach() for end in pair)
    yield theirs, ours
    os.close(ours)


KINDS, SIZES = ("pipe", "socket", "terminal"), (0, 700, 1400, 2100)
FULL_PIPES = product(KINDS, SIZES) if LONG else [("pipe", 0), ("terminal", 700), ("socket", 1400), ("pipe", 2100)]


@pytest.mark.parametrize(("kind", "size"), FULL_PIPES)
def test_a_client_that_does_not_read_holds_up_no_call(tmp_path, kind, size):
    mark = tmp_path / "mark"
    with (
        narrow(kind) as (theirs, ours),
        Client("--home", str(tmp_path), command=ODD, greet=False, stdout=theirs) as client,
    ):
        os.close(theirs)
        client.send(initialize())
        assert os.read(ours, 65536)
        client.post_call("big", size=size)
        client.post_call("big", size=1_000_000)
        client.post_call("slow", seconds=0.3)  # meanwhile the answer before it fills what room there is
        client.post_call("slow", seconds=0, mark=str(mark))
        assert awaited(mark.exists)
        client.process.terminate()
        assert client.process.wait(20) == 0


def test_before_the_sdk_is_there_a_client_may_read_late_too(tmp_path):
    read, write = os.pipe()
    with Client("--home", str(tmp_path), greet=False, stdout=write) as client, open(read, "rb") as lines:
        os.close(write)
        for _ in range(2_000):
            client.post("ping")
        time.sleep(0.5)
        assert [json.loads(lines.readline())["id"] for _ in range(2_000)] == list(range(1, 2_001))


def awaited(what, seconds=20):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return what()


def test_input_that_does_not_block_is_waited_for(tmp_path):
    source, ours = os.pipe()
    os.set_blocking(source, False)
    with Client("--home", str(tmp_path), greet=False, stdin=source) as client, open(ours, "wb", buffering=0) as said:
        os.close(source)
        time.sleep(0.5)
        said.write(json.dumps(initialize()).encode() + b"\n")
        assert client.message()["id"] == 0


# --- the end


def test_all_that_was_asked_before_the_end_of_input_is_answered(tmp_path):
    with Client("--home", str(tmp_path), command=ODD) as client:
        ids = [client.post_call("slow", seconds=0.05, mark=str(tmp_path / "m")) for _ in range(5)]
        client.process.stdin.close()
        answers = client.rest()
        assert sorted(answer["id"] for answer in answers) == ids
        assert not any(answer["result"]["isError"] for answer in answers)
        assert client.ends() == 0


def test_a_client_that_says_all_at_once_and_leaves_gets_all_answers(tmp_path):
    asked = [initialize(), {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    asked += [{"jsonrpc": "2.0", "id": n, "method": "tools/list"} for n in (1, 2)]
    asked += [{"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "credit_report"}} for n in (3, 4)]
    done = subprocess.run(
        [*SERVE, "--home", str(tmp_path)], input="\n".join(map(json.dumps, asked)), capture_output=True, text=True
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [0, 1, 2, 3, 4]
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_the_running_call_finish_and_begins_no_other(tmp_path, number):
    with Client("--home", str(tmp_path), command=ODD) as client:
        client.call("slow", seconds=0)
        running = client.post_call("slow", seconds=1.5, mark=str(tmp_path / "running"))
        waiting = client.post_call("slow", seconds=0, mark=str(tmp_path / "waiting"))
        time.sleep(0.15)
        client.process.send_signal(number)
        answers = {answer["id"]: answer["result"] for answer in client.rest()}
        assert client.process.wait(20) == 0
    assert answers[running]["isError"] is False
    assert answers[waiting]["isError"] is True
    assert (tmp_path / "running").read_text() == "done\n"
    assert not (tmp_path / "waiting").exists()


def test_a_signal_ends_a_server_that_does_nothing_at_once(tmp_path):
    with Client("--home", str(tmp_path)) as client:
        client.call("credit_report")
        begun = time.monotonic()
        client.process.terminate()
        assert client.process.wait(20) == 0
        assert time.monotonic() - begun < 4


def test_a_client_that_does_not_read_cannot_keep_a_server_that_was_told_to_end(tmp_path):
    read, write = os.pipe()
    with Client("--home", str(tmp_path), command=ODD, greet=False, stdout=write) as client:
        os.close(write)
        client.send(initialize())
        client.post_call("slow", seconds=0)
        assert os.read(read, 4096)
        client.post_call("big", size=1_000_000)
        time.sleep(1)
        client.process.terminate()
        assert client.process.wait(20) == 0
    os.close(read)


def test_a_client_that_stops_listening_ends_the_server_quietly(tmp_path):
    read, write = os.pipe()
    with Client("--home", str(tmp_path), command=ODD, greet=False, stdout=write) as client:
        os.close(write)
        os.close(read)
        client.send(initialize())
        client.post_call("slow", seconds=0, mark=str(tmp_path / "mark"))
        assert client.process.wait(20) == 0
        assert client.process.stderr.read() == b""


@pytest.mark.parametrize("where", ["/dev/full", None])
def test_a_log_that_cannot_be_written_does_not_matter(tmp_path, where):
    command = [sys.executable, "-c", CLOSING.format(close=where is None), *ODD[1:], "--home", str(tmp_path)]
    with open(where or os.devnull, "wb") as log, Client(command=command, stderr=log) as client:
        assert "fault" in client.refusal("crash")
        assert "fault" in client.refusal("crash")
        assert client.ends() == 0


CLOSING = "import os, sys; {close} and os.close(2); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"


# --- the command


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["--what"],
            "'--what' is not understood; there are --home DIR, --layer DIR, --profile NAME, --tools A,B, --read-only, "
            "--tool-prefix WORD, --allow WORD, --extras WORD, --audit, --existing, --log-level LEVEL",
        ),
        (["--home"], "--home needs a value"),
        (["--tools", ","], "--tools needs a value"),
        (["--tools", "memory_serch"], "there is no tool 'memory_serch'; did you mean 'memory_search'?"),
        (["--profile", "../x"], f"there is no profile '../x'; there is {', '.join(profiles.names())}."),
        (["--allow", "x"], "'x' is nothing that profile 'clawbrain' can be allowed; it takes none at all."),
        (["--extras", "platform"], "'platform' is no extra of profile 'clawbrain'; there is conversations."),
        (["--log-level", "loud"], "there is no log level 'loud'; there is debug, info, warning, error."),
        (["--profile", "palace", "--extras", "x"], "'x' is no extra of profile 'palace'; there is platform."),
    ],
)
def test_wrong_usage_is_one_sentence_and_status_2(options, sentence):
    done = subprocess.run([*SERVE, *options], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"clawbrain serve: {sentence}\n")


def test_home_may_stand_before_the_verb(tmp_path):
    command = [*SERVE[:-1], "--home", str(tmp_path / "here"), "serve"]
    with Client(command=command) as client:
        assert client.call("memory_store", type="episode", name="n", content="x")["isError"] is False
    assert (tmp_path / "here").is_dir()
