"""What the sets of tools declare of their memories holds in every brain, whichever of them is served."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Clock
from profile_door import Door

import clawbrain
from clawbrain import profiles
from clawbrain.brain import Brain
from clawbrain.brain.declared import FILE, FOLDER, declared, read
from clawbrain.errors import Archived
from clawbrain.memory.kinds import MERGED, PROMOTED, PRUNED
from clawbrain.memory.model import Memory

TEXT = "We keep the billing service on the old queue until the spring release is out."


def of_kind(kind: str) -> Memory:
    return Memory("id", "entity", "notes", "name", "path", "text", extra={"kind": kind} if kind else {})


def write_nouns(folder: Path, **packages: object) -> Path:
    for name, said in packages.items():
        (folder / name).mkdir()
        (folder / name / FILE).write_text(json.dumps(said))
    return folder


def test_a_memory_without_a_kind_is_free_and_one_of_an_unknown_kind_is_protected() -> None:
    for deed in (MERGED, PROMOTED, PRUNED):
        assert declared().kinds.allow(deed, of_kind(""))
        assert not declared().kinds.allow(deed, of_kind("sprocket"))


def test_every_profile_declares_its_nouns() -> None:
    assert {*profiles.names(), "shared"} == {file.parent.name for file in FOLDER.glob(f"*/{FILE}")}


def test_no_kind_is_declared_twice() -> None:
    kinds = [kind for file in FOLDER.glob(f"*/{FILE}") for kind in json.loads(file.read_text())["kinds"]]
    assert len(kinds) == len(set(kinds)) == 14


def test_of_a_kind_that_two_declare_only_what_both_allow_is_allowed(tmp_path: Path) -> None:
    one, other = {"kinds": {"card": ["merged", "pruned"]}}, {"kinds": {"card": ["pruned", "promoted"]}}
    kinds = read(write_nouns(tmp_path, one=one, other=other)).kinds
    assert [deed for deed in (MERGED, PROMOTED, PRUNED) if kinds.allow(deed, of_kind("card"))] == [PRUNED]


def test_a_new_package_declares_by_its_file_alone(tmp_path: Path) -> None:
    alias = {"key": "shelfmark", "begins": "mark-", "ending": 4}
    found = read(write_nouns(tmp_path, library={"kinds": {"card": ["pruned"]}, "aliases": [alias]}))
    assert found.kinds.allow(PRUNED, of_kind("card"))
    assert [each.key for each in found.aliases_for("mark-1234")] == ["shelfmark"]
    assert [*found.aliases_for("card-1234")] == []


@pytest.mark.parametrize("served", ["clawbrain", "being", "palace"])
def test_a_decision_outlives_a_compaction_whatever_is_served(
    served: str, brain: Brain, opened: Callable[..., Brain], clock: Clock
) -> None:
    Door(brain, "mama")("save", type="decision", topic="queue", decision="The old one", reasoning="It works.")
    brain.store("entity", "linter", "No longer of use.", category="tools")
    (decision,) = brain.having("kind", "decision")
    for _ in range(12):
        for id in (decision.id, "tools/linter"):
            brain.retrieve(id)
        brain.feedback("user_correction")
    clock.forward(days=400)
    other = opened("session-2")
    if served == "clawbrain":
        assert Door(other, served)("memory_compact")["pruned"] == 1
    else:
        Door(other, served).answer("trigger_patrol" if served == "being" else "memory_status", messages=[])
        other.compact()
    assert [memory.id for memory in other.memories()] == [decision.id]


def test_a_file_of_an_unknown_kind_outlives_a_compaction(
    brain: Brain, write: Callable[..., Path], clock: Clock
) -> None:
    write("entities/parts/cog.md", "---\nkind: sprocket\n---\nA cog.\n")
    write("entities/parts/pin.md", "A pin.\n")
    for _ in range(12):
        for id in ("parts/cog", "parts/pin"):
            brain.retrieve(id)
        brain.feedback("user_correction")
    clock.forward(days=400)
    brain.compact()
    assert [memory.name for memory in brain.memories()] == ["cog"]


def test_another_name_in_a_header_is_understood_whatever_is_served(
    brain: Brain, opened: Callable[..., Brain], home: Path
) -> None:
    name = Door(brain, "palace")("memory_add_drawer", wing="work", room="queues", content=TEXT)["drawer_id"]
    other = opened("session-2")
    assert other.find(name).content == TEXT
    other.archive(name)
    with pytest.raises(Archived):
        other.find(name)
    other.restore(name)
    assert Door(other, "clawbrain")("memory_retrieve", id=name)["content"] == TEXT


@pytest.mark.parametrize("kept_by", ["mama", "penfield", "clawbrain"])
def test_the_id_that_another_programs_agent_was_told_is_understood_whatever_is_served(
    kept_by: str, brain: Brain, opened: Callable[..., Brain]
) -> None:
    """A decision's id is spelled from ours; a uid is in the header, or made from the id of what others stored."""
    if kept_by == "mama":
        id = Door(brain, "mama")("save", type="decision", topic="Some queue", decision=TEXT, reasoning="r")["id"]
    elif kept_by == "penfield":
        id = Door(brain, "penfield")("store", content=TEXT)["memory_id"]
    else:
        brain.store("entity", "queue", TEXT, category="notes")
        id = Door(brain, "penfield")("recall", query=TEXT)["memories"][0]["id"]
    other = opened("session-2")
    assert TEXT in other.find(id).content
    other.archive(id)
    with pytest.raises(Archived):
        other.find(id)
    other.restore(id)
    assert TEXT in Door(other, "clawbrain")("memory_retrieve", id=id)["content"]


def test_an_archived_file_is_not_found_by_another_name_that_only_its_text_holds(brain: Brain, home: Path) -> None:
    name = Door(brain, "palace")("memory_add_drawer", wing="work", room="queues", content=TEXT)["drawer_id"]
    brain.archive(name)
    (file,) = (home / "archive").rglob(f"*{name[-16:]}.md")
    file.write_text(f'It was called "{name}" once.\n')
    assert brain.archiver.path_of(name) is None


def test_no_module_of_a_profile_is_loaded_by_a_brain_that_serves_none(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from clawbrain import open_brain\n"
        f"with open_brain(Path({str(tmp_path / 'home')!r}), session='s') as brain:\n"
        "    brain.store('entity', 'a', 'Likes tea.', category='people'); brain.search('tea'); brain.compact()\n"
        "    brain.report(); brain.known('drawer_x_y_0'); brain.settle()\n"
        "print(*(name for name in sys.modules if name.startswith('clawbrain.profiles')))"
    )
    cwd = Path(clawbrain.__file__).parent.parent
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=cwd).stdout
    assert loaded.strip() == ""


@pytest.mark.parametrize("served", profiles.names())
def test_a_profile_that_is_served_loads_no_other_profile(served: str) -> None:
    code = (
        f"import sys, clawbrain.profiles.{served}.tools; "
        "print(*{name.split('.')[2] for name in sys.modules if name.startswith('clawbrain.profiles.')})"
    )
    cwd = Path(clawbrain.__file__).parent.parent
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=cwd).stdout
    assert set(loaded.split()) - {"shared"} == {served}
