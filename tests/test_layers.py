"""Layers: several homes searched as one; their names, the ids of their memories, and who may name them."""

import os
from pathlib import Path

import pytest

from clawbrain import layer_homes
from clawbrain.errors import Invalid, Usage
from clawbrain.layers import GivenLayer, apart, given, name_of_folder
from clawbrain.strategy import parse


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's configuration, where it says which layers are allowed."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("CLAWBRAIN_HOME", str(tmp_path / "own"))
    return tmp_path / "config"


def page(*lines: str) -> str:
    return "\n".join(["# Page", "```yaml settings", *lines, "```", ""])


# How layers are given


@pytest.mark.parametrize(
    ("text", "layer"),
    [
        ("../team", GivenLayer("../team")),
        ("team=../memory", GivenLayer("../memory", "team")),
        ("team=../memory:read-only", GivenLayer("../memory", "team", True)),
        ("~/clawbrain:read-only", GivenLayer("~/clawbrain", "", True)),
        ("./a=b", GivenLayer("./a=b")),
    ],
)
def test_a_layer_is_given_as_a_folder_with_or_without_a_name(text: str, layer: GivenLayer) -> None:
    assert given(text) == layer


@pytest.mark.parametrize("text", ["", "team=", ":read-only", "project=x"])
def test_a_layer_without_a_folder_or_with_the_homes_own_name_is_refused(text: str) -> None:
    with pytest.raises(Usage):
        given(text)


def test_a_name_is_a_kebab_word() -> None:
    with pytest.raises(Invalid, match="try 'my-team'"):
        given("My Team=x")
    assert [name_of_folder(each) for each in (".memory", "Team Memory", "project", "…")] == [
        "memory", "team-memory", "project-layer", "layer",
    ]  # fmt: skip


def test_a_reference_names_a_layer_only_if_there_is_one() -> None:
    assert apart("user:people/dana", ["project", "user"]) == ("user", "people/dana")
    assert apart("other:people/dana", ["project", "user"]) == ("", "other:people/dana")


def test_strategy_names_layers_in_the_block() -> None:
    text = page("layers:", "  - ~/clawbrain", "  - {name: team, path: ../team, read-only: true}")
    parsed = parse(text)
    assert parsed.layers == (GivenLayer("~/clawbrain"), GivenLayer("../team", "team", True))
    assert parsed.complaints == ()


def test_a_layer_that_cannot_be_read_is_left_out_with_its_line_and_stops_no_pruning() -> None:
    parsed = parse(page("layers:", "  - {nam: team, path: x}", "  - y"))
    assert parsed.layers == (GivenLayer("y"),)
    assert [complaint.line for complaint in parsed.complaints] == [4]
    assert parsed.strategy.pruning.enabled


# Which homes they are


def make(folder: Path) -> Path:
    (folder / ".clawbrain").mkdir(parents=True)
    return folder


def test_layers_of_the_command_line_are_called_by_their_folders_and_the_persons_own_user(tmp_path: Path) -> None:
    home, own, team = (make(tmp_path / name) for name in ("home", "own", "Team"))
    found = layer_homes.find(home, [str(own), "Team:read-only", str(team), str(home)], started_in=str(tmp_path))
    assert [(layer.name, layer.folder, layer.read_only) for layer in found.layers] == [
        ("user", own, False), ("team", team, True),
    ]  # fmt: skip


def test_two_layers_of_one_name_are_an_error(tmp_path: Path) -> None:
    home, _, _ = (make(tmp_path / name) for name in ("home", "a/team", "b/team"))
    with pytest.raises(Usage, match="two layers are called 'team'"):
        layer_homes.find(home, ["a/team", "b/team"], started_in=str(tmp_path))


def test_a_missing_layer_is_left_out_with_a_warning_that_names_no_path(tmp_path: Path) -> None:
    found = layer_homes.find(make(tmp_path / "home"), [str(tmp_path / "gone")])
    assert found.layers == ()
    assert len(found.warnings) == 1
    assert str(tmp_path) not in found.warnings[0]


def test_layers_of_strategy_count_only_when_this_home_was_allowed_this_folder(tmp_path: Path) -> None:
    home, other, own = (make(tmp_path / name) for name in ("home", "clone", "own"))
    for each in (home, other):
        (each / "STRATEGY.md").write_text(page("layers: [../own]"))
    assert "layers allow" in layer_homes.find(home).warnings[0]
    layer_homes.allow(home, [own])
    assert [layer.name for layer in layer_homes.find(home).layers] == ["user"]
    assert layer_homes.find(home).warnings == ()
    assert layer_homes.find(other).layers == ()
    (home / "STRATEGY.md").write_text(page("layers: [../clone]"))
    assert layer_homes.find(home).layers == ()


def test_what_is_allowed_is_taken_back(tmp_path: Path) -> None:
    home, own = make(tmp_path / "home"), make(tmp_path / "own")
    layer_homes.allow(home, [own])
    layer_homes.disallow(home)
    assert layer_homes.allowed(home) == set()


def test_what_is_allowed_stands_outside_the_home_and_a_broken_file_allows_nothing(tmp_path: Path, config: Path) -> None:
    home = make(tmp_path / "home")
    layer_homes.allow(home, [tmp_path / "own"])
    (file,) = (each for each in config.rglob("*") if each.is_file())
    file.write_bytes(b"{")
    assert layer_homes.allowed(home) == set()
    assert os.listdir(home) == [".clawbrain"]


def test_a_home_without_layers_has_none(tmp_path: Path) -> None:
    assert layer_homes.find(make(tmp_path / "home")) is layer_homes.NONE
