"""`clawbrain import`: what other memories and notes become here, and what hostile ones do not."""

import csv
import json
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from profile_door import Door

from clawbrain.brain import Brain, open_brain
from clawbrain.cli import command_line
from clawbrain.errors import Archived, Invalid
from clawbrain.exchange import intake, obsidian, read, recognised
from clawbrain.exchange.draft import Gaps
from clawbrain.memory import links
from clawbrain.memory.kinds import PRUNED
from clawbrain.memory.model import Memory
from clawbrain.profiles.being.pages import Pages

Taken = Callable[..., dict[str, Any]]


@pytest.fixture
def take(run: Callable[..., Result]) -> Taken:
    """Imports and answers what --json says of it."""

    def take(*words: str | Path) -> dict[str, Any]:
        done = run("import", *words, "--json")
        assert done.exit_code == 0, done.output
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        return answer

    return take


@pytest.fixture
def tree(tmp_path: Path) -> Callable[[Mapping[str, str | bytes]], Path]:
    """A folder with these files."""

    def made(texts: Mapping[str, str | bytes], name: str = "notes") -> Path:
        folder = tmp_path / name
        for path, text in texts.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder

    return made


def ids(answer: Mapping[str, Any]) -> list[str]:
    return [each["id"] for each in answer["created"]]


def gaps(answer: Mapping[str, Any]) -> list[str]:
    return [f"{gap['where']}: {gap['what']}" for gap in answer["not_understood"]]


def kept(home: Path, id: str) -> Memory:
    with open_brain(home, read_only=True) as brain:
        return brain.find(id)


def tied(memory: Memory) -> list[tuple[str, str]]:
    return [(link.relation, link.target) for link in links.read(memory)]


# The official server's lines


OFFICIAL = """\
{"type":"entity","name":"Alice Chen","entityType":"person","observations":["Works on ML","Two\\nlines"]}
{"type":"entity","name":"Apollo","entityType":"project","observations":[]}
{"type":"relation","from":"Alice Chen","to":"Apollo","relationType":"works_on"}
"""


@pytest.fixture
def official(tmp_path: Path) -> Path:
    file = tmp_path / "memory.jsonl"
    file.write_text(OFFICIAL)
    return file


def test_an_entity_becomes_a_memory_with_its_observations_as_bullets(take: Taken, official: Path, home: Path) -> None:
    take(official)
    alice = kept(home, "entity-people-alice-chen")
    assert alice.content == "# Alice Chen\n\n- Works on ML\n- Two\n  lines"
    assert alice.extra["title"] == "Alice Chen"
    assert alice.extra["entity_type"] == "person"


def test_a_relation_becomes_a_link(take: Taken, official: Path, home: Path) -> None:
    take(official)
    assert tied(kept(home, "entity-people-alice-chen")) == [("works_on", "entity-projects-apollo")]


def test_what_was_imported_starts_in_the_middle(take: Taken, official: Path, brain: Brain) -> None:
    take(official)
    brain.sync()
    assert brain.credits()["entity-people-alice-chen"].score == 0.5


def test_a_second_import_creates_nothing(take: Taken, official: Path) -> None:
    assert len(ids(take(official))) == 2
    again = take(official)
    assert ids(again) == []
    assert [skip["why"] for skip in again["skipped"]] == ["already here", "already here"]


def test_what_was_put_away_is_not_brought_back(take: Taken, official: Path, brain: Brain) -> None:
    take(official)
    brain.archive("entity-projects-apollo")
    again = take(official)
    assert ids(again) == []
    assert {skip["why"] for skip in again["skipped"]} == {"already here", "was put away here"}


def test_what_changed_at_the_source_since_is_left_and_said(take: Taken, official: Path) -> None:
    take(official)
    official.write_text(OFFICIAL.replace("Works on ML", "Left"))
    assert "already here, with another text" in [skip["why"] for skip in take(official)["skipped"]]


def test_a_dry_run_shows_what_would_be_and_writes_nothing(take: Taken, official: Path, home: Path) -> None:
    assert ids(take(official, "--dry-run")) == ["entity-people-alice-chen", "entity-projects-apollo"]
    assert list(home.glob("memory/**/*.md")) == []


def test_a_dry_run_makes_no_home(official: Path, tmp_path: Path) -> None:
    home = tmp_path / "nowhere"
    done = CliRunner().invoke(command_line, ["--home", str(home), "import", str(official), "--dry-run"])
    assert (done.exit_code, home.exists()) == (0, False)
    assert "Would create 2 memories." in done.stdout


def test_a_line_that_says_nothing_is_reported_with_its_number(take: Taken, official: Path) -> None:
    official.write_text(OFFICIAL + "not json\n" + '{"type":"entity","name":7}\n')
    assert gaps(take(official)) == [
        "memory.jsonl line 4: neither an entity nor a relation",
        "memory.jsonl line 5: an entity needs `name`, `entityType` and a list of `observations`",
    ]


def test_a_relation_from_nowhere_gets_a_stub_to_begin_at(take: Taken, official: Path, home: Path) -> None:
    official.write_text(OFFICIAL + '{"type":"relation","from":"Ghost","to":"Nobody","relationType":"knows"}\n')
    take(official)
    ghost = kept(home, "entity-things-ghost")
    assert ghost.kind == "stub"
    assert tied(ghost) == [("knows", "[[Nobody]]")]


def test_names_that_come_to_the_same_word_are_numbered(take: Taken, tmp_path: Path) -> None:
    lines = [
        {"type": "entity", "name": name, "entityType": "person", "observations": [name]} for name in ("Jo", "jo", "JO!")
    ]
    (tmp_path / "memory.jsonl").write_text("\n".join(map(json.dumps, lines)))
    answer = take(tmp_path / "memory.jsonl")
    assert ids(answer) == ["entity-people-jo", "entity-people-jo-2", "entity-people-jo-3"]
    assert ids(take(tmp_path / "memory.jsonl")) == []


def test_more_relations_than_a_header_holds_lose_none(take: Taken, tmp_path: Path, brain: Brain) -> None:
    lines: list[dict[str, Any]] = [{"type": "entity", "name": "Hub", "entityType": "x", "observations": []}]
    lines += [{"type": "relation", "from": "Hub", "to": f"Number {n}", "relationType": "r"} for n in range(400)]
    (tmp_path / "memory.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert gaps(take(tmp_path / "memory.jsonl")) == ["links: 400 lead to what is not there; they were kept by name"]
    assert sum(len(links.read(memory)) for memory in brain.memories()) == 400


def test_a_name_without_a_latin_letter_is_kept_as_the_title(take: Taken, tmp_path: Path, home: Path) -> None:
    line = {"type": "entity", "name": "東京", "entityType": "place", "observations": ["a city"]}
    (tmp_path / "memory.jsonl").write_text(json.dumps(line))
    (id,) = ids(take(tmp_path / "memory.jsonl"))
    assert id.startswith("entity-place-note-")
    assert kept(home, id).extra["title"] == "東京"


def test_the_answer_to_read_graph_is_understood_too(take: Taken, tmp_path: Path) -> None:
    graph = {"entities": [{"name": "A", "entityType": "person", "observations": ["x"]}], "relations": []}
    (tmp_path / "graph.json").write_text(json.dumps(graph))
    assert ids(take(tmp_path / "graph.json")) == ["entity-people-a"]


# MAMA


@pytest.fixture
def mama(tmp_path: Path) -> Path:
    file = tmp_path / "mama-memory.db"
    with sqlite3.connect(file) as db:
        db.executescript("""
            CREATE TABLE decisions (id TEXT PRIMARY KEY, topic TEXT, decision TEXT, reasoning TEXT, outcome TEXT,
                failure_reason TEXT, supersedes TEXT, superseded_by TEXT, confidence REAL, created_at INTEGER,
                updated_at INTEGER);
            CREATE TABLE decision_edges (from_id TEXT, to_id TEXT, relationship TEXT, weight REAL, created_at INTEGER);
            CREATE TABLE checkpoints (id INTEGER PRIMARY KEY, timestamp INTEGER, summary TEXT, open_files TEXT,
                next_steps TEXT, status TEXT);
            INSERT INTO decisions VALUES
              ('decision_auth_1764000000000_ab', 'auth', 'JWT', 'Simple', 'FAILED', 'no way to revoke', NULL,
               'decision_auth_1764000005000_cd', 0.8, 1764000000000, 1764000009000),
              ('decision_auth_1764000005000_cd', 'auth', 'Sessions', 'Revocation', NULL, NULL,
               'decision_auth_1764000000000_ab', NULL, 0.9, 1764000005, 1764000005);
            INSERT INTO decision_edges VALUES
              ('decision_auth_1764000005000_cd', 'decision_auth_1764000000000_ab', 'builds_on', 1.0, 1764000005000);
            INSERT INTO checkpoints VALUES (3, 1764000010000, 'Half way', '["src/a.ts"]', 'Write tests', 'active');
        """)
    db.close()
    return file


OLD, NEW = "entity-decisions-auth-1764000000000-ab", "entity-decisions-auth-1764000005000-cd"


def test_decisions_keep_what_mama_knew_of_them(take: Taken, mama: Path, home: Path) -> None:
    take(mama)
    old = kept(home, OLD)
    assert old.content == "# auth\n\nJWT\n\n## Reasoning\n\nSimple"
    assert old.kind == "decision"
    told = {key: old.extra[key] for key in ("topic", "status", "outcome", "confidence", "outcome_reason")}
    assert told == {
        "topic": "auth",
        "status": "superseded",
        "outcome": "FAILED",
        "confidence": "0.8",
        "outcome_reason": "no way to revoke",
    }


def test_milliseconds_and_seconds_are_both_dates(take: Taken, mama: Path, home: Path) -> None:
    take(mama)
    assert (kept(home, OLD).created, kept(home, NEW).created) == ("2025-11-24T16:00:00Z", "2025-11-24T16:00:05Z")


def test_edges_and_supersession_become_links(take: Taken, mama: Path, home: Path) -> None:
    take(mama)
    assert tied(kept(home, NEW)) == [("supersedes", OLD), ("builds_on", OLD)]


def test_a_checkpoint_becomes_an_episode_of_its_month(take: Taken, mama: Path, home: Path) -> None:
    take(mama)
    checkpoint = kept(home, "episode-2025-11-checkpoint-3")
    assert checkpoint.kind == "checkpoint"
    assert "Half way" in checkpoint.content
    assert "## Next steps\n\nWrite tests" in checkpoint.content
    assert "- src/a.ts" in checkpoint.content


def test_another_database_is_refused_by_name(run: Callable[..., Result], tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as db:
        db.execute("CREATE TABLE t (x)")
    db.close()
    done = run("import", tmp_path / "other.db")
    assert done.exit_code == 1
    assert "it has no table `decisions`" in done.stderr


@pytest.mark.parametrize("left", [(), ("-wal",), ("-wal", "-shm")])
def test_a_database_with_a_log_is_read_to_its_end_and_nothing_is_left_beside_it(
    take: Taken, mama: Path, tmp_path: Path, home: Path, left: Sequence[str]
) -> None:
    source = tmp_path / "live"
    source.mkdir()
    with closing(sqlite3.connect(mama)) as owner:
        owner.execute("PRAGMA journal_mode = WAL")
        owner.execute("PRAGMA wal_autocheckpoint = 0")
        owner.execute("UPDATE decisions SET decision = 'Use the log.' WHERE id = (SELECT min(id) FROM decisions)")
        owner.commit()
        if not left:
            owner.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for end in ("", *left):
            shutil.copyfile(f"{mama}{end}", source / f"mama.db{end}")
    before = sorted(os.listdir(source))
    take(source / "mama.db")
    assert sorted(os.listdir(source)) == before
    with open_brain(home, read_only=True) as brain:
        assert any("Use the log." in memory.content for memory in brain.memories())


def test_a_view_in_place_of_a_table_is_not_read(run: Callable[..., Result], tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "trap.db") as db:
        db.execute("""CREATE VIEW decisions AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
            SELECT 'decision_' || x AS id, 'a' AS topic, 'b' AS decision FROM n""")
    db.close()
    assert run("import", tmp_path / "trap.db").exit_code == 1


def test_a_broken_database_is_refused(run: Callable[..., Result], mama: Path) -> None:
    mama.write_bytes(mama.read_bytes()[:5000])
    done = run("import", mama)
    assert done.exit_code == 1
    assert "cannot be read as a database" in done.stderr


# basic-memory


COFFEE = """\
---
title: Coffee Brewing
type: note
permalink: drinks/coffee-brewing
tags: [coffee, "slow mornings"]
created: 2025-03-04
roast: light
---
# Coffee Brewing

- [method] Pour over is clearer #technique (from a friend)
- [ ] buy filters
- relates_to [[Tea]]
- contrasts with [[Instant Coffee]] (taste)
Some words about [[Tea|the other one]].

```
- not_a_relation [[Code]] #nor-a-tag
```
- [empty]
- broken [[link
"""


@pytest.fixture
def coffee(tree: Callable[..., Path]) -> Path:
    return tree(
        {"drinks/Coffee Brewing.md": COFFEE, "drinks/Tea.md": "---\ntitle: Tea\ntype: drink\npermalink: tea\n---\nHot."}
    )


def test_a_basic_memory_folder_is_told_by_its_permalinks(coffee: Path) -> None:
    assert recognised(coffee) == "basic-memory"


def test_a_note_keeps_its_text_its_tags_and_its_date(take: Taken, coffee: Path, home: Path) -> None:
    take(coffee)
    note = kept(home, "entity-drinks-coffee-brewing")
    assert "- [method] Pour over is clearer #technique (from a friend)" in note.content
    assert note.tags == ("coffee", "slow-mornings", "technique")
    assert note.created == "2025-03-04T00:00:00Z"
    assert note.extra["roast"] == "light"
    assert note.extra["origin"] == "basic-memory:drinks/coffee-brewing"


def test_relations_are_named_by_the_words_before_the_link(take: Taken, coffee: Path, home: Path) -> None:
    take(coffee)
    tea = "entity-drink-tea"
    assert tied(kept(home, "entity-drinks-coffee-brewing")) == [
        ("relates_to", tea),
        ("contrasts with", "[[Instant Coffee]]"),
        ("links_to", tea),
    ]


def test_what_was_not_understood_names_file_and_line(take: Taken, coffee: Path) -> None:
    found = gaps(take(coffee))
    assert "drinks/Coffee Brewing.md line 20: an observation [empty] without text" in found
    assert "drinks/Coffee Brewing.md line 21: a link `[[` that is not closed" in found


# Obsidian


@pytest.fixture
def vault(tree: Callable[..., Path]) -> Path:
    return tree(
        {
            ".obsidian/app.json": "{}",
            "Projects/Web Shop.md": "---\ntags: [work/web, shop]\naliases: [the shop]\nkind: rule\n---\n"
            "Sells #hats/felt. See [[Mara|her]], "
            "[[Nobody]], ![[plan.png]] and [notes](../People/Mara.md). `#code [[Code]]`",
            "People/Mara.md": "Runs [[the shop#History]].",
            "Daily/2026-02-03.md": "Rain. [[Web Shop]]",
            "Empty.md": "\n",
            "plan.png": b"\x89PNG",
            ".trash/Gone.md": "gone",
        },
        "vault",
    )


def test_a_vault_is_told_by_its_settings_even_with_instructions_for_an_agent_in_it(vault: Path) -> None:
    (vault / "CLAUDE.md").write_text("x")
    assert recognised(vault) == "obsidian"


def test_the_folder_is_the_category_and_a_nested_tag_is_found_under_its_parent(
    take: Taken, vault: Path, home: Path
) -> None:
    take(vault)
    shop = kept(home, "entity-projects-web-shop")
    assert shop.tags == ("work", "work-web", "shop", "hats", "hats-felt")
    assert shop.extra["aliases"] == ["the shop"]
    assert shop.extra["title"] == "Web Shop"


def test_wikilinks_find_their_notes_by_name_and_by_alias(take: Taken, vault: Path, home: Path) -> None:
    take(vault)
    assert tied(kept(home, "entity-projects-web-shop")) == [
        ("links_to", "entity-people-mara"),
        ("links_to", "[[Nobody]]"),
    ]
    assert tied(kept(home, "entity-people-mara")) == [("links_to", "entity-projects-web-shop")]


def test_a_daily_note_is_an_episode_of_its_day(take: Taken, vault: Path, home: Path) -> None:
    take(vault)
    assert kept(home, "episode-2026-02-2026-02-03").created == "2026-02-03T00:00:00Z"


def test_hidden_folders_empty_notes_and_pictures_become_nothing(take: Taken, vault: Path) -> None:
    answer = take(vault)
    assert len(ids(answer)) == 3
    assert "Empty.md: empty" in gaps(answer)
    assert answer["read"][0]["memories"] == len(answer["created"])
    assert "vault: 1 files are no notes (.png 1)" in gaps(answer)


def test_a_foreign_key_never_takes_a_meaning_it_has_here(take: Taken, vault: Path, home: Path) -> None:
    answer = take(vault)
    assert kept(home, "entity-projects-web-shop").kind == ""
    assert "Projects/Web Shop.md: the header's kind could not be kept" in gaps(answer)


def test_a_header_that_is_no_yaml_costs_only_the_header(take: Taken, tree: Callable[..., Path], home: Path) -> None:
    answer = take(tree({"a.md": "---\ntitle: {{date}}\n---\nThe text."}))
    assert kept(home, ids(answer)[0]).content == "The text."
    assert "only its text was taken" in gaps(answer)[0]


def test_a_note_that_begins_with_a_second_header_block_is_taken(take: Taken, tree: Callable[..., Path]) -> None:
    assert len(ids(take(tree({"a.md": "---\nx: y\n---\n---\nz: w\n---\ntext"})))) == 1


# Claude Code


def test_a_page_of_instructions_is_cut_at_its_headings(take: Taken, tree: Callable[..., Path], home: Path) -> None:
    page = "# App\n\nA shop.\n\n## Commands\n\nmake test\n\n```\n## no heading\n```\n\n## Style\n\n@docs/style.md\n"
    project = tree({"CLAUDE.md": page, ".claude/rules/api.md": "---\npaths: [src/api/**]\n---\nValidate input."}, "app")
    answer = take(project)
    assert ids(answer) == [
        "entity-projects-app-instructions",
        "entity-projects-app-commands",
        "entity-projects-app-style",
        "entity-rules-app-api",
    ]
    assert kept(home, "entity-projects-app-commands").content.startswith("## Commands\n\nmake test")
    assert kept(home, "entity-rules-app-api").extra["paths"] == ["src/api/**"]
    left = "CLAUDE.md line 15: imports docs/style.md, which is not followed: import it with --from claude-code"
    assert gaps(answer) == [left]


def test_a_page_that_is_taken_in_too_is_no_gap_and_a_secret_is_told_with_its_file(
    take: Taken, tree: Callable[..., Path], run: Callable[..., Result]
) -> None:
    told = "See @AGENTS.md and @./other/GEMINI.md.\n\n## Own\n\nThe password is hunter2222."
    project = tree({"CLAUDE.md": told, "AGENTS.md": "Be kind.", "other/GEMINI.md": "As @../AGENTS.md says."}, "app")
    assert gaps(take(project, "--dry-run")) == []
    assert gaps(take(project / "CLAUDE.md", project / "AGENTS.md", "--dry-run")) == [
        "CLAUDE.md line 1: imports ./other/GEMINI.md, which is not followed: import it with --from claude-code"
    ]
    done = run("import", str(project))
    assert "memory/entities/projects/app-own.md seems to hold a secret (password)" in done.stderr


def test_claudes_own_notes_are_sorted_by_their_type(take: Taken, tree: Callable[..., Path], home: Path) -> None:
    memory = "projects/-home-me-app/memory"
    told = "name: Test database\ndescription: which database the tests use\nmetadata:\n  type: feedback"
    note = f"---\n{told}\n---\nThe real one."
    claude = tree(
        {f"{memory}/MEMORY.md": "# Index\n- [Test database](db.md) — tests", f"{memory}/db.md": note}, ".claude"
    )
    answer = take(claude)
    assert ids(answer) == ["entity-preferences-test-database"]
    kept_note = kept(home, "entity-preferences-test-database")
    assert kept_note.content == "which database the tests use\n\nThe real one."
    assert kept_note.tags == ("home-me-app",)
    assert kept_note.extra["origin"] == "claude-code:home-me-app/memory/db.md"


def test_one_note_of_a_project_may_be_named_by_itself(take: Taken, tree: Callable[..., Path]) -> None:
    project = tree({"CLAUDE.md": "Use tabs."}, "app")
    assert ids(take(project / "CLAUDE.md")) == ["entity-projects-app-instructions"]
    assert ids(take(project)) == []


def test_a_page_that_is_a_link_is_reported_and_may_be_named_by_itself(take: Taken, tree: Callable[..., Path]) -> None:
    project = tree({"rules.txt": "Use tabs.", ".claude/settings.md": "no memory"}, "app")
    (project / "CLAUDE.md").symlink_to("rules.txt")
    answer = take(project)
    assert (ids(answer), gaps(answer)) == ([], ["CLAUDE.md: a link, or a file you may not read: name the file itself"])
    assert len(ids(take(project / "CLAUDE.md"))) == 1


# JSON and CSV


def test_rows_of_json_are_taken_by_their_usual_names(take: Taken, tmp_path: Path, home: Path) -> None:
    rows = [
        {
            "id": 7,
            "title": "Tabs",
            "text": "Prefers tabs.",
            "tags": "style, editor",
            "created_at": 1764000000,
            "score": 3,
        },
        "Just a sentence about boats.",
        {"title": "nothing"},
        4,
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    answer = take(tmp_path / "rows.json")
    assert ids(answer) == ["entity-notes-tabs", "entity-notes-just-a-sentence-about-boats"]
    tabs = kept(home, "entity-notes-tabs")
    assert (tabs.content, tabs.tags, tabs.created) == ("Prefers tabs.", ("style", "editor"), "2025-11-24T16:00:00Z")
    assert tabs.extra["score"] == "3"
    assert gaps(answer) == [
        "item 4: neither an object nor a text",
        "item 3: holds no text",
        "item 1: `id: 7` is no uid: it is kept in `origin` alone",
    ]


def test_rows_of_another_server_are_known_by_their_ids_and_joined_as_they_were(
    take: Taken, tmp_path: Path, home: Path
) -> None:
    one, other = "11111111-2222-4333-8444-555555555555", "11111111-2222-4333-8444-666666666666"
    drawer = "drawer_Nova_billing_0123456789abcdef"
    supports = {"type": "supports", "to_memory": one, "strength": 0.9}
    rows = [
        {"id": one, "content": "Graphene conducts well", "relationships": [supports | {"from_id": other}]},
        {"memory_id": other, "content": "Buy graphene", "relationships": [supports]},
        {
            "drawer_id": drawer,
            "wing": "Nova",
            "content": "Invoices on day 3",
            "importance": 4.0,
            "filed_at": "2025-01-01",
        },
    ]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    answer = take(tmp_path / "rows.json")
    assert len(ids(answer)) == 3 and gaps(answer) == []
    with open_brain(home) as brain:
        graphene, buy, invoices = (brain.find(id) for id in (one, other, drawer))
        assert (graphene.content, invoices.content) == ("Graphene conducts well", "Invoices on day 3")
        assert (invoices.extra["importance"], invoices.created[:10]) == ("0.8", "2025-01-01")
        assert (tied(buy), tied(graphene)) == ([("supports", graphene.id)], [])
        brain.archive(drawer)
        with pytest.raises(Archived):
            brain.find(drawer)
    (tmp_path / "renamed.json").write_text(json.dumps(rows))
    assert ids(take(tmp_path / "renamed.json")) == []


def test_rows_of_another_server_get_the_kind_and_the_place_that_its_tools_give(
    take: Taken, tmp_path: Path, home: Path
) -> None:
    typed = ["fact", "strategy", "task", "conversation", "checkpoint", "personality_trait", "unheard_of"]
    rows = [
        {"memory_id": f"11111111-2222-4333-8444-{number:012}", "content": f"The {type}.", "memory_type": type}
        | {"created_at": "2025-06-01T00:00:00Z"}
        for number, type in enumerate(typed)
    ]
    wings = {"Nova Lab": "drawer_n_r_0123456789abcdef", "殿": "drawer_m_r_0123456789abcdef"}
    rows += [{"drawer_id": id, "wing": wing, "content": f"In {wing}.", "room": "r"} for wing, id in wings.items()]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    assert gaps(take(tmp_path / "rows.json")) == []
    with open_brain(home) as brain:
        found = [brain.find(row.get("memory_id") or row["drawer_id"]) for row in rows]
        assert [(memory.type, memory.category, memory.kind) for memory in found] == [
            ("entity", "facts", ""),
            ("entity", "strategies", ""),
            ("episode", "2025-06", "task"),
            ("episode", "2025-06", "conversation"),
            ("episode", "2025-06", "context"),
            ("entity", "personality-traits", ""),
            ("entity", "notes", ""),
            ("entity", "nova-lab", "drawer"),
            ("entity", "drawers", "drawer"),
        ]
        kept_for_good = [memory.extra["memory_type"] for memory in found if not may_be_pruned(brain, memory)]
        assert kept_for_good == ["task", "conversation", "checkpoint"]
        [context] = Door(brain, "penfield")("list_contexts")["contexts"]
        assert Door(brain, "penfield")("restore_context", name=context["name"])["saved_count"] == 0
        assert [note.content for note in Pages(brain).all("notes")] == ["The unheard_of."]


def may_be_pruned(brain: Brain, memory: Memory) -> bool:
    return brain.declared.kinds.allow(PRUNED, memory)


def test_a_csv_needs_no_more_than_a_column_of_text(take: Taken, tmp_path: Path, home: Path) -> None:
    with (tmp_path / "rows.csv").open("w", newline="") as file:
        csv.writer(file, delimiter=";").writerows(
            [["Name", "Content", "Category"], ["A b", "one\ntwo", "people"], ["", "", ""]]
        )
    assert ids(take(tmp_path / "rows.csv")) == ["entity-people-a-b"]
    assert kept(home, "entity-people-a-b").content == "one\ntwo"


def test_a_table_without_text_is_refused(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n")
    done = run("import", tmp_path / "rows.csv")
    assert done.exit_code == 1
    assert "has nothing to import" in done.stderr


# Limits and hostile sources


def test_an_import_that_was_interrupted_is_completed_by_the_next(take: Taken, vault: Path, brain: Brain) -> None:
    seen = Gaps()
    plan = intake.plan(brain, obsidian.read(vault, seen), seen)
    del plan.new[1:]
    intake.carry_out(plan, brain)
    answer = take(vault)
    assert (len(ids(answer)), len(answer["skipped"])) == (2, 1)


def test_a_text_over_the_limit_is_cut_into_linked_parts(take: Taken, tree: Callable[..., Path], home: Path) -> None:
    text = "".join(f"## Part {n}\n\n{'word ' * 30_000}\n" for n in range(10))
    answer = take(tree({"big.md": text, "CLAUDE.txt": ""}), "--from", "obsidian")
    assert ids(answer) == ["entity-notes-big", "entity-notes-big-part-2"]
    assert "big.md: too large for one memory; cut into 2" in gaps(answer)
    assert tied(kept(home, "entity-notes-big-part-2")) == [("continues", "entity-notes-big")]
    assert kept(home, "entity-notes-big-part-2").content.startswith("## Part ")


def test_links_are_not_followed_and_odd_files_not_read(take: Taken, tree: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("outside")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/other.md").write_text("outside too")
    notes = tree({"a.md": "fine", "binary.md": b"\0\1\2", "latin.md": b"caf\xe9"})
    (notes / "link.md").symlink_to(tmp_path / "secret.md")
    (notes / "folder").symlink_to(tmp_path / "outside")
    os.mkfifo(notes / "pipe.md")
    answer = take(notes)
    assert ids(answer) == ["entity-notes-a"]
    assert sorted(gap["where"] for gap in answer["not_understood"]) == ["binary.md", "latin.md", "link.md", "pipe.md"]


def test_folders_without_end_are_left(take: Taken, tree: Callable[..., Path]) -> None:
    answer = take(tree({"a.md": "fine", "/".join(["d"] * 40) + "/deep.md": "too deep"}))
    assert ids(answer) == ["entity-notes-a"]
    assert "folders more than 24 deep were left out" in gaps(answer)[0]


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "[" + "9" * 10_000 + "]", "", "null", '{"clawbrain": 1, "memories": [[], 3]}'],
)
def test_json_made_to_hurt_is_refused_or_reported(run: Callable[..., Result], tmp_path: Path, text: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    done = run("import", tmp_path / "bad.json")
    assert done.exit_code in (0, 1), done.output
    assert "something is wrong inside" not in done.stderr


def test_lone_surrogates_and_nul_cost_only_their_own_memory(take: Taken, tmp_path: Path) -> None:
    odd = [{"name": "a", "content": "\ud800"}, {"name": "b", "content": "x\0y"}, {"name": "\ud800c", "content": "z"}]
    rows = json.dumps([*odd, "fine"])
    (tmp_path / "odd.json").write_text(rows)
    answer = take(tmp_path / "odd.json")
    assert ids(answer) == ["entity-notes-fine"]
    assert len(answer["not_understood"]) == 3


def test_a_header_key_that_would_break_the_header_is_left_out(take: Taken, tmp_path: Path, home: Path) -> None:
    row = {
        "name": "a",
        "content": "x",
        "pinned: true\nid": "evil",
        "id-2": {"deep": [[[[["x"]]]]]},
        "long": "y" * 5_000,
    }
    (tmp_path / "odd.json").write_text(json.dumps([row]))
    take(tmp_path / "odd.json")
    memory = kept(home, "entity-notes-a")
    assert memory.pinned is False
    assert "long" not in memory.extra


def test_a_name_cannot_lead_out_of_the_home(take: Taken, tmp_path: Path, home: Path) -> None:
    row = {
        "clawbrain": 1,
        "memories": [{"type": "entity", "category": "../..", "name": "../../etc/passwd", "content": "x"}],
    }
    (tmp_path / "odd.json").write_text(json.dumps(row))
    assert [each["path"] for each in take(tmp_path / "odd.json")["created"]] == ["entities/notes/etc-passwd.md"]


def test_a_source_that_is_not_there_is_refused_before_anything_is_written(
    run: Callable[..., Result], official: Path, home: Path
) -> None:
    done = run("import", official, official.with_name("gone.jsonl"))
    assert done.exit_code == 1
    assert "'gone.jsonl' is not found" in done.stderr
    assert list(home.glob("memory/**/*.md")) == []


def test_a_home_of_ours_is_not_mistaken_for_notes(run: Callable[..., Result], home: Path) -> None:
    assert "is a clawbrain home" in run("import", home).stderr


@pytest.mark.skipif(sys.platform == "darwin", reason="its file names are text")
def test_a_file_name_that_is_no_text_is_reported(take: Taken, tree: Callable[..., Path]) -> None:
    notes = tree({"a.md": "fine"})
    (Path(os.fsdecode(os.fsencode(notes) + b"/\xff.md"))).write_text("x")
    assert gaps(take(notes)) == ["?.md: its name is not UTF-8"]


def test_a_person_sees_what_was_done(run: Callable[..., Result], official: Path) -> None:
    official.write_text(OFFICIAL + "oops\n")
    said = run("import", official).stdout
    assert "(official)" in said
    assert "Created 2 memories." in said
    assert "memory.jsonl line 4: neither an entity nor a relation" in said


@pytest.mark.parametrize("name", ["AGENTS.md", "GEMINI.md", ".cursorrules", "copilot-instructions.md"])
def test_a_page_of_instructions_is_known_by_its_name(take: Taken, tree: Any, name: str) -> None:
    page = tree({f"ferry/{name}": "# Rules\n\n## Tests\n\nRun make check.\n\n## Style\n\nTabs."}) / "ferry" / name
    answer = take(page)
    assert answer["read"][0]["format"] == "claude-code"
    assert sorted(ids(answer)) == ["entity-projects-ferry-instructions"] + [
        f"entity-projects-ferry-{part}" for part in ("style", "tests")
    ]


def test_a_project_is_read_with_the_rules_of_cursor(take: Taken, tree: Any) -> None:
    folder = tree(
        {
            "ferry/AGENTS.md": "Use uv.",
            "ferry/.cursor/rules/api.mdc": "---\nglobs: src/api/**\nalwaysApply: false\n---\nVersion it.",
            "ferry/README.md": "No memory.",
        }
    )
    answer = take(folder / "ferry")
    assert sorted(made["origin"] for made in answer["created"]) == [
        "instructions:ferry/.cursor/rules/api.mdc",
        "instructions:ferry/AGENTS.md",
    ]


def test_a_folder_of_rules_may_be_named_by_itself(take: Taken, tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rule, other = "ferry/.cursor/rules/web/api.mdc", "ferry/.cursor/rules/style.md"
    folder = tree({rule: "Version it.", other: "Tabs."})
    read = take(folder / "ferry/.cursor/rules", "--dry-run")
    assert sorted(made["origin"] for made in read["created"]) == [f"instructions:{each}" for each in (other, rule)]
    monkeypatch.chdir(folder / "ferry/.cursor/rules/web")
    assert [made["origin"] for made in take(Path("."), "--dry-run")["created"]] == [f"instructions:{rule}"]


def test_pages_of_one_project_that_say_the_same_make_it_once(take: Taken, tree: Any) -> None:
    pages = dict.fromkeys(("AGENTS.md", "CLAUDE.md", "GEMINI.md"), "Use uv.\n\n## Style\n\nTabs.")
    answer = take(tree({**pages, "sub/AGENTS.md": "## Style\n\nSpaces."}))
    assert (len(answer["created"]), len(answer["skipped"])) == (3, 4)


@pytest.mark.parametrize(("head", "row"), [
    ("name,type,content", "one,banana,Some text."),
    ("name,type,category,content", "one,banana,fruit,Some text."),
    ("clawbrain_id,name,type,category,content", "x,one,banana,fruit,Some text."),
])  # fmt: skip
def test_a_type_that_is_none_is_named(tmp_path: Path, head: str, row: str) -> None:
    gaps = Gaps()
    file = tmp_path / "a.csv"
    file.write_text(f"{head}\n{row}\n")
    read(file, "csv", gaps)
    assert [gap for gap in gaps if "`type: banana` is neither entity nor episode" in gap.what]


def test_a_single_text_is_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "note.md").write_text("# A note\n")
    with pytest.raises(Invalid, match="`clawbrain store entity NAME --category WORD --file FILE`"):
        recognised(tmp_path / "note.md")
