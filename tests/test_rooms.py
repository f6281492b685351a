"""Imports go down only: who may know whom, read from the sources themselves."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "clawbrain"
FILES = sorted(HOUSE.rglob("*.py"))
PURE = {
    "header": {"strict_handler"},
    "strict_handler": {"errors", "header"},
    "memory": {"errors", "header", "strict_handler"},
    "credit": set(),
    "evidence": {"credit", "memory"},
    "strategy": {"errors", "memory", "strategy", "words"},
    "search": {"errors", "memory", "words", "credit"},
    "conflict": {"errors", "memory", "words"},
    "compaction": {"errors", "memory", "header", "credit", "conflict", "strategy"},
    "digest": {"errors", "memory", "credit", "strategy"},
    "links": {"memory"},
    "outline": set(),
    "observations": {"outline"},
    "decisions": {"memory", "outline"},
}
LOUD = {"os", "time", "random", "secrets", "sqlite3", "socket", "subprocess", "pathlib", "shutil", "tempfile"}
SURFACES = {"profiles", "server", "ahead", "cli", "hooks", "clients", "exchange"}
BELOW_THE_BRAIN = {"vault", "sidecar", "disk", "shelf", "watch"}


def room(path: Path) -> str:
    return path.relative_to(HOUSE).with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    """What a file imports: rooms of ours as '.room', everything else by its first name."""
    here = ("clawbrain", *path.relative_to(HOUSE).with_suffix("").parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = (
                (*here[: len(here) - node.level], *(node.module or "").split("."))
                if node.level
                else tuple((node.module or "").split("."))
            )
            base = tuple(part for part in base if part)
            names = [base] if len(base) > 1 or base[0] != "clawbrain" else [(*base, alias.name) for alias in node.names]
        else:
            continue
        found |= {f".{name[1]}" if name[0] == "clawbrain" and len(name) > 1 else name[0] for name in names}
    return found


def rooms_known(*rooms: str) -> dict[str, set[str]]:
    return {
        str(path.relative_to(HOUSE)): {name[1:] for name in imported(path) if name.startswith(".")} - {room(path)}
        for path in FILES
        if room(path) in rooms
    }


@pytest.mark.parametrize("name", PURE)
def test_a_pure_room_knows_only_what_is_below_it(name: str) -> None:
    assert {path: known - PURE[name] for path, known in rooms_known(name).items() if known - PURE[name]} == {}


@pytest.mark.parametrize("name", PURE)
def test_a_pure_room_touches_no_clock_and_no_disk(name: str) -> None:
    assert {str(path): imported(path) & LOUD for path in FILES if room(path) == name and imported(path) & LOUD} == {}


def test_the_vault_and_the_sidecar_meet_only_in_the_brain() -> None:
    meeting = {room(path) for path in FILES if {".vault", ".sidecar"} <= imported(path)}
    assert meeting <= {"brain"}


def test_the_vault_knows_nothing_of_the_sidecar() -> None:
    assert not {"sidecar", "brain"} & set().union(*rooms_known("vault", "disk").values())


def test_the_sidecar_knows_nothing_of_the_vault() -> None:
    assert not {"vault", "brain"} & set().union(*rooms_known("sidecar").values())


def test_the_core_knows_no_surface() -> None:
    core = {room(path) for path in FILES} - SURFACES - {"__main__", "__init__", "opening", "tour"}
    knowing = {path: known & SURFACES for path, known in rooms_known(*core).items()}
    assert {path: known for path, known in knowing.items() if known} == {}


def test_surfaces_see_only_the_brain() -> None:
    seeing = {path: known & BELOW_THE_BRAIN for path, known in rooms_known(*SURFACES).items()}
    assert {path: known for path, known in seeing.items() if known} == {}


def test_what_takes_time_to_import_is_imported_when_needed() -> None:
    slow = ["rapidfuzz", "yaml", "frontmatter", "Stemmer", "click", "rich", "sqlite_utils", "mcp", "numpy"]
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, clawbrain.brain; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert [name for name in slow if name in loaded] == []


def test_every_file_opens_with_why_it_exists() -> None:
    assert [
        str(path) for path in FILES if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ] == []


def test_words_that_say_nothing_name_nothing() -> None:
    unused = {"manager", "service", "handler", "helper", "util", "utils", "repository", "factory", "base", "info"}
    named = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name != "StrictHandler":  # its library's word
                words = {word.lower() for word in ast_words(node.name)}
                if words & unused:
                    named[f"{path.name}:{node.lineno}"] = node.name
    assert named == {}


def ast_words(name: str) -> list[str]:
    import re

    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
