"""A home that is renamed, replaced or unmounted under a running server is said, and no other is begun in its place."""

import os
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar

import pytest
from mcp.types import CallToolResult
from mcp_client import Client

from clawbrain import layer_homes, profiles
from clawbrain.brain import Brain, open_brain
from clawbrain.errors import Changed, Invalid, ReadOnly
from clawbrain.server.lazy_brain import Home
from clawbrain.server.tool_runner import OneClientRunner
from clawbrain.storage.ledger_file import home_id

R = TypeVar("R")
ALICE = {"type": "entity", "name": "alice", "category": "people", "content": "Likes tea."}
CALLS = [
    ("memory_store", ALICE | {"name": "bob"}),
    ("memory_search", {"query": "tea"}),
    ("memory_retrieve", {"id": "entity-people-alice"}),
    ("memory_update", {"id": "entity-people-alice", "content": "Likes gin."}),
    ("memory_feedback", {"signal": "task_completed"}),
    ("credit_report", {}),
    ("memory_compact", {}),
]
GONE = (
    "the home that this server opened is gone (renamed, or its disk is not mounted), so nothing was read or written: "
    "bring it back, or start the server anew."
)


LAYER_GONE = "layer 'far' is gone (renamed, or its disk is not mounted): bring it back."
ALICE_ID = "entity-people-alice"
Server = Callable[..., Home]


@pytest.fixture
def server(home: Path) -> Iterator[Server]:
    """The home of a server, with a memory in it, and layers."""
    with open_brain(home) as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
    served: list[Home] = []

    def serve(*layers: Path) -> Home:
        served.append(Home(str(home), False, layer_homes.find(home, [str(layer) for layer in layers])))
        served[-1].brain().sync()
        return served[-1]

    yield serve
    for each in served:
        each.close()


def found(served: Home, query: str) -> list[str]:
    return sorted(hit.id for hit in served.brain().search(query).hits)


def soon(work: Callable[[], R]) -> R:
    """Return what some work returns, which is refused at first."""
    for _ in range(200):
        with suppress(ReadOnly):
            return work()
        time.sleep(0.02)
    return work()


@pytest.fixture
def client(home: Path) -> Iterator[Client]:
    with Client("--home", str(home)) as client:
        client.call("memory_store", **ALICE)
        client.call("memory_search", query="tea")
        yield client


def finds(client: Client, query: str) -> list[str]:
    return [hit["id"] for hit in client.call("memory_search", query=query)["structuredContent"]["results"]]


def refuses_everything(client: Client) -> bool:
    return all(client.refusal(tool, **arguments) == GONE for tool, arguments in CALLS)


def test_a_home_that_was_renamed_is_said_and_served_again_when_it_is_back(client: Client, home: Path) -> None:
    home.rename(home.with_name("elsewhere"))
    assert refuses_everything(client)
    time.sleep(0.2)  # what a server does when its client rests makes no folder either
    assert not home.exists()
    home.with_name("elsewhere").rename(home)
    assert finds(client, "tea") == ["entity-people-alice"]
    assert client.call("memory_feedback", signal="task_completed")["structuredContent"]["memories"] == 1
    assert client.ends() == 0


def test_an_empty_folder_in_its_place_stays_empty(client: Client, home: Path) -> None:
    home.rename(home.with_name("elsewhere"))
    home.mkdir()
    assert refuses_everything(client)
    assert client.ends() == 0
    assert list(home.iterdir()) == []


def test_another_home_in_its_place_is_left_alone(client: Client, home: Path, tmp_path: Path) -> None:
    with open_brain(tmp_path / "other") as other:
        other.store("entity", "carol", "Likes rum.", category="people")
    home.rename(home.with_name("elsewhere"))
    (tmp_path / "other").rename(home)
    assert refuses_everything(client)
    assert sorted(path.name for path in (home / "memory/entities/people").iterdir()) == ["carol.md"]


def test_a_copy_of_the_home_in_its_place_is_that_home(client: Client, home: Path) -> None:
    home.rename(home.with_name("elsewhere"))
    shutil.copytree(home.with_name("elsewhere"), home)
    assert finds(client, "tea") == ["entity-people-alice"]
    client.call("memory_store", **ALICE | {"name": "bob", "content": "Likes gin."})
    assert (home / "memory/entities/people/bob.md").exists()
    assert not (home.with_name("elsewhere") / "memory/entities/people/bob.md").exists()
    assert client.call("memory_feedback", signal="task_completed")["structuredContent"]["memories"] == 1


def test_a_sidecar_that_is_deleted_stops_neither_its_memories_nor_changes(server: Server, home: Path) -> None:
    served = server()
    shutil.rmtree(home / ".clawbrain")
    assert found(served, "tea") == [ALICE_ID]
    assert "every score at its start" in " ".join(served.brain().take_warnings())
    served.brain().update(ALICE_ID, "Likes gin.")
    assert served.brain().feedback("task_completed").memories == 1
    assert home_id(home / ".clawbrain")


def test_what_a_session_has_read_is_known_after_the_home_was_opened_anew(server: Server, home: Path) -> None:
    served = server()
    served.brain().retrieve(ALICE_ID)
    shutil.rmtree(home / ".clawbrain")
    file = home / "memory/entities/people/alice.md"
    file.write_text(file.read_text().replace("tea", "rum"))
    with pytest.raises(Changed):
        served.brain().update(ALICE_ID, "Likes gin.")


# What keeps a home from being written


@pytest.mark.parametrize("name", [".clawbrain", ".clawbrain/lock", ".clawbrain/history"])
def test_a_link_in_the_sidecar_is_not_followed_and_changes_go_on_when_it_is_gone(
    server: Server, home: Path, tmp_path: Path, name: str
) -> None:
    (home / name).rename(tmp_path / "elsewhere")
    (home / name).symlink_to(tmp_path / "elsewhere")
    served = server()
    assert found(served, "tea") == [ALICE_ID]
    assert "is a link" in " ".join(served.brain().take_warnings())
    with pytest.raises(ReadOnly):
        served.brain().update(ALICE_ID, "Likes gin.")
    (home / name).unlink()
    (tmp_path / "elsewhere").rename(home / name)
    updated = soon(lambda: served.brain().update(ALICE_ID, "Likes gin."))
    assert updated.id == ALICE_ID
    assert found(served, "gin") == [ALICE_ID]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter everything")
def test_memories_are_served_beside_a_sidecar_that_is_closed_to_this_user(server: Server, home: Path) -> None:
    (home / ".clawbrain").chmod(0)
    with open_brain(home, looking=True) as brain:
        assert brain.search("tea").total == 1
        assert "closed to this user" in " ".join(brain.take_warnings())
        assert [found.where for found in brain.checks.check() if found.fault] == [".clawbrain/"]
    served = server()
    assert found(served, "tea") == [ALICE_ID]
    (home / ".clawbrain").chmod(0o700)
    assert soon(lambda: served.brain().update(ALICE_ID, "Likes gin.")).id == ALICE_ID


# A layer


@pytest.fixture
def far(home: Path, tmp_path: Path) -> Path:
    with open_brain(tmp_path / "far") as brain:
        brain.store("entity", "dana", "Likes tea, too.", category="people")
    return tmp_path / "far"


def test_a_layer_that_was_renamed_is_said_and_served_again_when_it_is_back(server: Server, far: Path) -> None:
    served = server(far)
    assert found(served, "tea") == [ALICE_ID, "entity-people-dana"]
    far.rename(far.with_name("elsewhere"))
    for _ in range(2):
        assert found(served, "tea") == [ALICE_ID]
        assert served.brain().take_warnings() == [LAYER_GONE]
    with pytest.raises(Invalid):
        served.brain().store_in("far", "entity", "erik", "Likes rum.", category="people")
    spec = profiles.load("clawbrain")
    answer = OneClientRunner(spec, profiles.offered(spec), served).call(
        "memory_retrieve", {"id": "people/dana"}, lambda *_: None
    )
    assert isinstance(answer, CallToolResult) and answer.is_error
    assert answer.content[0].text.endswith(f". {LAYER_GONE}")
    assert served.brain().feedback("task_completed").memories
    assert not far.exists()
    far.with_name("elsewhere").rename(far)
    assert found(served, "tea") == [ALICE_ID, "entity-people-dana"]
    assert served.brain().take_warnings() == []


def test_another_home_in_the_place_of_a_layer_is_left_alone(server: Server, far: Path) -> None:
    served = server(far)
    far.rename(far.with_name("elsewhere"))
    with open_brain(far) as other:
        other.store("entity", "carol", "Likes tea, not rum.", category="people")
    assert found(served, "tea") == [ALICE_ID]
    assert served.brain().take_warnings() == [LAYER_GONE]


def test_a_server_that_was_left_while_the_home_was_gone_ends(client: Client, home: Path) -> None:
    home.rename(home.with_name("elsewhere"))
    assert client.ends(10) == 0
    assert not home.exists()


# The id


def test_every_home_has_an_id_of_its_own(home: Path, tmp_path: Path) -> None:
    with open_brain(tmp_path / "other"), open_brain(home):
        ids = {home_id(home / ".clawbrain"), home_id(tmp_path / "other/.clawbrain")}
    assert len(ids) == 2 and None not in ids


def test_a_home_from_before_gets_an_id(home: Path) -> None:
    with closing(sqlite3.connect(home / ".clawbrain/ledger.db")) as db, db:
        db.execute("DELETE FROM notes WHERE key = 'home_id'")
    open_brain(home).close()
    assert home_id(home / ".clawbrain")


def test_a_dump_does_not_carry_the_id(opened: Callable[..., Brain], home: Path, tmp_path: Path) -> None:
    with opened() as brain, open_brain(tmp_path / "other") as other:
        rows = list(brain.ledger_text.dump())
        before = home_id(tmp_path / "other/.clawbrain")
        other.ledger_text.load(rows, replace=True)
        assert "home_id" not in "".join(rows)
    assert home_id(tmp_path / "other/.clawbrain") == before


# A home that was there when the server was set up


def test_a_server_set_up_with_a_home_that_is_gone_begins_none(home: Path, tmp_path: Path) -> None:
    home.rename(tmp_path / "elsewhere")
    with Client("--home", str(home), "--existing") as client:
        for tool, arguments in CALLS:
            assert "that this server was set up with is gone" in client.refusal(tool, **arguments)
        assert not home.exists()
        (tmp_path / "elsewhere").rename(home)
        client.call("memory_store", **ALICE)
        assert client.ends() == 0
        assert b"clawbrain serve: the home is gone" in client.process.stderr.read()


def test_install_says_so_of_a_home_that_it_saw(
    run: Callable[..., object], home: Path, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    assert '"--existing"' in run("install", "claude", "--print", "--home", home).stdout
    assert '"--existing"' not in run("install", "claude", "--print", "--home", tmp_path / "none").stdout


@pytest.mark.skipif(shutil.which("mount") is None, reason="needs mount")
def test_a_home_on_a_disk_that_is_unmounted_is_said(tmp_path: Path) -> None:
    disk, home = tmp_path / "disk", tmp_path / "disk/home"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("may not mount")
    try:
        with Client("--home", str(home)) as client:
            client.call("memory_store", **ALICE)
            subprocess.run(["umount", "--lazy", disk], check=True)
            assert refuses_everything(client)
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", disk], capture_output=True)
