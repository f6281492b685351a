"""A home that is renamed, replaced or unmounted under a running server is said, and no other is begun in its place."""

import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from mcp_client import Client

from clawbrain.brain import Brain, open_brain
from clawbrain.storage.ledger_file import home_id

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


def test_a_sidecar_that_is_deleted_does_not_stop_its_memories(client: Client, home: Path) -> None:
    shutil.rmtree(home / ".clawbrain")
    assert finds(client, "tea") == ["entity-people-alice"]


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
