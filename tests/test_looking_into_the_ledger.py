"""People look into their ledger with sqlite-utils, as docs/reliability.md says; searches and stores never load it."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database

from clawbrain.brain import Brain

PAGE = (Path(__file__).parent.parent / "docs/reliability.md").read_text()
SECTION = PAGE.split("## Looking into your ledger")[1].split("\n## ")[0]
COMMANDS = [line for block in re.findall(r"```bash\n(.*?)```", SECTION, re.S) for line in block.splitlines()]
ALICE = "entity-people-alice"


@pytest.fixture
def taught(opened: Callable[..., Brain], home: Path) -> Path:
    with opened() as brain:
        brain.store("entity", "alice", "Likes tea.", category="people")
        brain.retrieve(ALICE)
        brain.feedback("task_completed")
        (home / "ledger.jsonl").write_text("".join(f"{line}\n" for line in brain.ledger_text.dump()))
    return home


def printed(home: Path, line: str) -> str:
    _, *words = shlex.split(line)
    command = [sys.executable, "-m", "sqlite_utils", *words]
    ended = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("sqlite-utils")])
def test_a_documented_command_prints_rows_and_changes_nothing(taught: Path, line: str) -> None:
    before = (taught / ".clawbrain/ledger.db").read_bytes()
    said = printed(taught, line)
    assert ALICE in said or "credit_records" in said or "task_completed" in said
    assert (taught / ".clawbrain/ledger.db").read_bytes() == before


def test_the_page_tells_of_every_table(taught: Path) -> None:
    tables = set(Database(taught / ".clawbrain/ledger.db").table_names())
    named = {name for cell in re.findall(r"^\| (`.*?`) \|", SECTION, re.M) for name in re.findall(r"`(\w+)`", cell)}
    assert named == tables


def test_a_dump_holds_the_rows_of_every_table_but_those_of_this_machine_and_those_that_follow(taught: Path) -> None:
    database = Database(taught / ".clawbrain/ledger.db")
    dumped: dict[str, list[dict[str, Any]]] = {}
    for line in (taught / "ledger.jsonl").read_text().splitlines():
        row = json.loads(line)
        dumped.setdefault(row.pop("table"), []).append(row)
    held = {name: [*database.table(name).rows] for name in database.table_names()}
    held["notes"] = [row for row in held["notes"] if row["key"] not in ("home_id", "key_of_claims")]  # of this home
    assert dumped == {name: rows for name, rows in held.items() if rows and name not in ("evidence", "sessions")}


def test_a_search_and_a_store_do_without_sqlite_utils(taught: Path) -> None:
    work = """
import sys
from pathlib import Path
from clawbrain.brain import open_brain
with open_brain(Path(sys.argv[1]), session="s") as brain:
    brain.store("entity", "bob", "Likes gin.", category="people")
    assert brain.search("gin").hits and brain.feedback("task_completed")
assert "sqlite_utils" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", work, str(taught)], check=True, timeout=60)


def test_the_command_comes_with_clawbrain() -> None:
    assert shutil.which("sqlite-utils", path=str(Path(sys.executable).parent))
