"""`clawbrain export`: what leaves is whole, comes back the same, and runs nowhere."""

import base64
import csv
import hashlib
import io
import json
import os
import re
import stat
from collections.abc import Callable
from datetime import UTC
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.brain import Brain, open_brain
from clawbrain.cli import command_line
from clawbrain.exchange import intake, table, writing
from clawbrain.exchange.draft import Gaps
from clawbrain.memory import links
from clawbrain.memory.links import Link
from clawbrain.memory.model import Memory

NASTY = "</script><script>document.title = 'owned'</script><img src=x onerror=alert(1)>\u2028{style}"


def adopt(brain: Brain, name: str, content: str, *tied: Link, **more: Any) -> Memory:
    extra = {"title": name.title(), **more.pop("extra", {})}
    extra |= {links.KEY: links.written(tied)} if tied else {}
    dates = {"created": "2025-01-02T03:04:05Z", "updated": "2025-06-07T08:09:10Z"}
    values: dict[str, Any] = {"id": "", "type": "entity", "category": "projects", "path": "", **dates, **more}
    return brain.adopt(Memory(name=name, content=content, extra=extra, **values))


@pytest.fixture
def filled(brain: Brain) -> Brain:
    boat = adopt(
        brain, "boat", "- one\n- two\n  lines", tags=("sea", "Größe", "a, b", "=x", "#hash", "Two Words"), pinned=True
    )
    adopt(brain, "crew", "Knows the boat.", Link("sails", boat.id, 0.8, "2025-01-01", "2025-02-01"))
    adopt(brain, "night", 'Rain, "quoted"; \'=1+1', Link("saw", "[[Nobody]]"), type="episode", category="x")
    adopt(brain, "nasty", NASTY, extra={"title": NASTY, "kind": "rule", "aliases": ["a", "b"]})
    return brain


def everything(home: Path) -> list[Memory]:
    with open_brain(home, read_only=True) as brain:
        return list(brain.memories())


# There and back


@pytest.mark.parametrize("format", ["json", "csv"])
def test_what_was_exported_comes_back_the_same_in_another_home(
    run: Callable[..., Result], filled: Brain, home: Path, tmp_path: Path, format: str
) -> None:
    file = tmp_path / f"all.{format}"
    assert run("export", format, file).exit_code == 0
    other = tmp_path / "other"
    done = CliRunner().invoke(command_line, ["--home", str(other), "import", str(file), "--json"])
    assert json.loads(done.stdout)["not_understood"] == []
    assert everything(other) == everything(home)


def test_importing_the_own_export_creates_nothing(run: Callable[..., Result], filled: Brain, tmp_path: Path) -> None:
    run("export", "json", tmp_path / "all.json")
    done = run("import", tmp_path / "all.json")
    assert "Created 0 memories." in done.stdout
    assert "Skipped 4" in done.stdout


@given(st.text(alphabet=st.sampled_from("'=+-@\tab"), max_size=6))
def test_a_guarded_cell_comes_back_and_is_no_formula(cell: str) -> None:
    guarded = table.guarded(cell)
    assert table.unguarded(guarded) == cell
    assert not guarded.startswith(("=", "+", "-", "@", "\t"))


def test_no_cell_of_the_csv_is_a_formula(filled: Brain) -> None:
    adopt(filled, "formula", '=HYPERLINK("http://example.invalid")')
    rows = list(csv.reader(io.StringIO(writing.as_csv(writing.all_of(filled)))))
    assert len(rows) == 6
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]


# The official server's lines


def official(brain: Brain) -> list[dict[str, Any]]:
    return [json.loads(line) for line in writing.as_official(writing.all_of(brain)).split("\n")[:-1]]


def test_bullets_become_observations(filled: Brain) -> None:
    (boat,) = [line for line in official(filled) if line.get("name") == "Boat"]
    assert boat == {"type": "entity", "name": "Boat", "entityType": "projects", "observations": ["one", "two\nlines"]}


def test_links_that_hold_become_relations_between_names(filled: Brain) -> None:
    adopt(filled, "mate", "Knows it, too.", Link("sails", "[[Boat]]", start="2026-01-01", until="2999-01-01"))
    relations = [line for line in official(filled) if line["type"] == "relation"]
    assert relations == [
        {"type": "relation", "from": "Mate", "to": "Boat", "relationType": "sails"},
        {"type": "relation", "from": "Night", "to": "Nobody", "relationType": "saw"},
    ]


def test_two_of_one_name_are_told_apart(filled: Brain) -> None:
    adopt(filled, "boat", "Another.", category="things")
    names = [line["name"] for line in official(filled) if line["type"] == "entity"]
    assert len(set(names)) == len(names) == 5
    assert "Boat (projects/boat)" in names


def test_the_official_lines_come_back_as_they_went(brain: Brain, tmp_path: Path, opened: Callable[..., Brain]) -> None:
    from clawbrain.exchange import official_jsonl

    lines = [
        {"type": "entity", "name": "A b", "entityType": "Person", "observations": ["x", " y\n\nz ", "- w", ""]},
        {"type": "entity", "name": "C", "entityType": "", "observations": []},
        {"type": "relation", "from": "A b", "to": "C", "relationType": "knows"},
        {"type": "relation", "from": "Nobody", "to": "A b", "relationType": "knew"},
    ]
    (tmp_path / "memory.jsonl").write_text("\n".join(map(json.dumps, lines)))
    gaps = Gaps()
    intake.carry_out(intake.plan(brain, official_jsonl.read(tmp_path / "memory.jsonl", gaps), gaps), brain)
    assert (official(brain), gaps) == (lines, [])


# The graph


class Seen(HTMLParser):
    """What a browser would make of the page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append((self.tags[-1][0] if self.tags else "", data))


def graph(brain: Brain) -> Seen:
    seen = Seen()
    seen.feed(writing.as_graph(writing.all_of(brain)))
    return seen


def test_what_memories_say_stays_data(filled: Brain) -> None:
    seen = graph(filled)
    assert [attributes.get("type") for tag, attributes in seen.tags if tag == "script"] == ["application/json", None]
    assert not [tag for tag, _ in seen.tags if tag in ("img", "b", "iframe")]
    data = json.loads(next(text for _, text in seen.texts if text.startswith("{")))
    assert NASTY in [node["text"] for node in data["nodes"]]


def test_the_page_asks_the_network_for_nothing(filled: Brain) -> None:
    seen = graph(filled)
    assert not [(tag, a) for tag, a in seen.tags if a.keys() & {"src", "href", "srcset", "action"}]
    assert "default-src 'none'" in writing.as_graph(writing.all_of(filled))


def test_only_the_pages_own_script_may_run(filled: Brain) -> None:
    page = writing.as_graph(writing.all_of(filled))
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert re.findall(r"script-src '([^']*)'", page) == [f"sha256-{digest}"]


def test_links_join_the_places_of_their_ends(filled: Brain) -> None:
    data = json.loads(next(text for _, text in graph(filled).texts if text.startswith("{")))
    joined = [(data["nodes"][a]["title"], how, data["nodes"][b]["title"]) for a, b, how in data["edges"]]
    assert joined == [("Crew", "sails", "Boat")]


# Where it goes


def test_without_a_file_it_goes_to_standard_output(run: Callable[..., Result], filled: Brain) -> None:
    assert len(json.loads(run("export", "json").stdout)["memories"]) == 4


def test_a_file_is_not_overwritten_by_accident(run: Callable[..., Result], filled: Brain, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("mine")
    assert run("export", "csv", tmp_path / "mine.csv").exit_code == 1
    assert (tmp_path / "mine.csv").read_text() == "mine"
    assert run("export", "csv", tmp_path / "mine.csv", "--force").exit_code == 0
    assert (tmp_path / "mine.csv").read_text().startswith("clawbrain_id,")


def test_what_is_no_file_is_never_replaced(run: Callable[..., Result], filled: Brain, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    refused = run("export", "json", tmp_path / "pipe", "--force")
    assert (refused.exit_code, "'pipe' is no file" in refused.stderr) == (1, True)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    (tmp_path / "link").symlink_to("all.json")
    (tmp_path / "all.json").touch()
    assert run("export", "json", tmp_path / "link", "--force").exit_code == 0
    assert (tmp_path / "link").is_symlink() and "memories" in (tmp_path / "all.json").read_text()


def test_a_file_that_cannot_be_written_is_named(run: Callable[..., Result], filled: Brain) -> None:
    refused = run("export", "json", "/proc/out.json")
    assert refused.exit_code == 1
    assert "'/proc/out.json' cannot be written" in refused.stderr


def test_an_export_is_for_its_owner_alone(run: Callable[..., Result], filled: Brain, tmp_path: Path) -> None:
    run("export", "graph", tmp_path / "g.html")
    assert stat.S_IMODE((tmp_path / "g.html").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob(".g.html*")] == []


def test_a_home_without_memories_is_exported_too(run: Callable[..., Result]) -> None:
    assert [run("export", format).exit_code for format in writing.WRITERS] == [0, 0, 0, 0]


# What the brain does with a memory from elsewhere


def test_an_adopted_memory_keeps_its_dates_and_is_young_for_credit(brain: Brain, clock: Any) -> None:
    boat = adopt(brain, "boat", "old")
    assert (boat.created, boat.updated) == ("2025-01-02T03:04:05Z", "2025-06-07T08:09:10Z")
    credit = brain.credits()[boat.id]
    assert (credit.score, credit.created) == (0.5, clock.now.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def test_a_dash_means_standard_output(run: Callable[..., Result], filled: Brain, tmp_path: Path) -> None:
    done = run("export", "graph", "-")
    assert done.exit_code == 0 and "<!doctype html>" in done.stdout
