"""The command line, run as a person runs it, on real homes."""

import json
import os
import pty
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from clawbrain.brain import open_brain
from clawbrain.cli import command_line, output
from clawbrain.memory.model import utc_now

REPOSITORY = Path(__file__).parent.parent
ALICE = "entity-people-alice-chen"

Run = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def alice(run: Run, home: Path) -> Path:
    """A home with one memory; the memory's file."""
    done = run("store", "entity", "alice-chen", "--category", "people", "--tag", "team", "Alice prefers tabs.")
    assert done.exit_code == 0, done.output
    return home / "memory/entities/people/alice-chen.md"


def answer(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def editor(tmp_path: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "editor"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o700)
    monkeypatch.setenv("VISUAL", str(program))


# --home, --json and exit statuses


def test_home_may_stand_before_the_verb(run: Run, tmp_path: Path) -> None:
    run("--home", str(tmp_path / "other"), "init")
    assert (tmp_path / "other/STRATEGY.md").exists()


def test_home_may_stand_after_the_verb(run: Run, tmp_path: Path) -> None:
    run("init", f"--home={tmp_path / 'other'}")
    assert (tmp_path / "other/STRATEGY.md").exists()


def test_of_two_homes_the_later_wins(run: Run, tmp_path: Path) -> None:
    run("--home", str(tmp_path / "one"), "init", "--home", str(tmp_path / "two"))
    assert (tmp_path / "two/STRATEGY.md").exists()
    assert not (tmp_path / "one").exists()


def test_without_home_the_environment_names_it(run: Run, home: Path) -> None:
    run("init")
    assert (home / "STRATEGY.md").exists()


@pytest.mark.parametrize("words", [["--json", "conflicts", "list"], ["conflicts", "--json", "list"],
                                   ["conflicts", "list", "--json"], ["conflicts", "--json"]])  # fmt: skip
def test_json_may_stand_anywhere(run: Run, words: list[str]) -> None:
    assert answer(run(*words)) == {"conflicts": []}


def test_a_word_that_is_not_utf_8_is_wrong_usage(run: Run) -> None:
    result = run("show", "\udcff")
    assert result.exit_code == 2
    assert "word 2" in result.stderr


@pytest.mark.parametrize("words", [
    ["show", "../../../etc/passwd"], ["restore", "/etc/passwd"], ["restore", "../x"], ["purge", "../x", "--yes"],
    ["history", ALICE, "../../ledger.db"], ["move", ALICE, "../../x"], ["undo", "../x"], ["show", ""],
    ["conflicts", "resolve", "99999999999999999999", "dismissed"], ["tag", ALICE, "+"], ["tag", ALICE, "-absent"],
])  # fmt: skip
def test_odd_words_are_refused_in_a_sentence(run: Run, alice: Path, words: list[str]) -> None:
    before = alice.read_bytes()
    result = run(*words)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
    assert alice.read_bytes() == before


def test_every_verb_takes_home_and_json(run: Run) -> None:
    for name in command_line.commands:
        said = run(name, "--help").stdout
        assert "--home DIR" in said and "--json" in said, name


def test_no_verb_is_wrong_usage(run: Run) -> None:
    assert run().exit_code == 2


def test_an_unknown_verb_is_wrong_usage_and_the_nearest_is_named(run: Run) -> None:
    result = run("serch")
    assert result.exit_code == 2
    assert "search" in result.stderr


def test_an_unknown_option_is_wrong_usage(run: Run) -> None:
    assert run("list", "--nonsense").exit_code == 2


def test_an_empty_home_is_wrong_usage(run: Run) -> None:
    assert run("list", "--home", "").exit_code == 2


def test_what_is_not_found_ends_with_status_1(run: Run, alice: Path) -> None:
    result = run("show", "entity-people-alice-chan")
    assert result.exit_code == 1
    assert ALICE in result.stderr


def test_a_home_that_is_a_file_is_broken(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert run("list", "--home", str(tmp_path / "file")).exit_code == 3


def test_a_refusal_is_one_sentence_without_the_home(run: Run, alice: Path, home: Path) -> None:
    result = run("store", "entity", "alice-chen", "--category", "people", "again")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert str(home) not in result.stderr


def test_a_refusal_in_json_is_an_object_on_standard_output(run: Run) -> None:
    result = run("show", "entity-a-b", "--json")
    said = json.loads(result.stdout)
    assert result.exit_code == 1
    assert said["error"] == "notfound"
    assert "not found" in said["message"]


def test_wrong_usage_in_json_is_an_object_too(run: Run) -> None:
    result = run("--json", "show")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["error"] == "usage"


def test_a_system_refusal_is_a_sentence_without_a_path(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "memory").write_text("")
    result = run("store", "entity", "x", "--category", "y", "z")
    assert result.exit_code in (1, 3)
    assert "Traceback" not in result.stderr and str(home) not in result.stderr


def test_looking_at_a_home_that_is_not_there_makes_none(run: Run, home: Path) -> None:
    assert answer(run("list", "--json")) == {"memories": []}
    assert not home.exists()


def test_a_reader_that_stops_reading_is_no_failure(alice: Path, home: Path) -> None:
    program = f"{sys.executable} -m clawbrain"
    command = (
        f"{program} dump --home {home} | true; dumped=$PIPESTATUS; {program} --help | true; exit $dumped$PIPESTATUS"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


# Memories


def test_store_answers_as_the_tool_does(run: Run) -> None:
    said = answer(run("store", "entity", "tabs", "--category", "preferences", "Use tabs.", "--json"))
    assert said == {"id": "entity-preferences-tabs", "path": "entities/preferences/tabs.md", "created": True}


def test_store_writes_tags_and_the_pin(run: Run, home: Path) -> None:
    run("store", "entity", "tabs", "--category", "preferences", "--tag", "a", "--tag", "b", "--pinned", "Use tabs.")
    text = (home / "memory/entities/preferences/tabs.md").read_text()
    assert 'tags: ["a", "b"]' in text
    assert "pinned: true" in text


def test_an_episode_of_another_day_has_its_date_and_month_and_a_fresh_score(run: Run, home: Path) -> None:
    stored = run("store", "episode", "launch", "We went live.", "--date", "2026-02-14", "--json")
    assert json.loads(stored.stdout)["path"] == "episodes/2026-02/launch.md"
    assert 'created: "2026-02-14T00:00:00Z"' in (home / "memory/episodes/2026-02/launch.md").read_text()
    assert json.loads(run("show", "episode-2026-02-launch", "--json").stdout)["credit_score"] == 0.5


def test_an_episode_of_another_day_is_as_old_as_its_date_and_no_longer_unused(run: Run) -> None:
    run("store", "episode", "launch", "We went live.", "--date", "2026-02-14")
    rows = [json.loads(line) for line in run("dump").stdout.splitlines() if '"credit_records"' in line]
    assert "2026-02-14T00:00:00Z" in json.dumps(rows) and "Never used" not in run("report").stdout


@pytest.mark.parametrize("day", ["soon", "2999-01-01", "2026-02-30"])
def test_a_day_that_is_none_or_lies_ahead_is_refused(run: Run, home: Path, day: str) -> None:
    result = run("store", "episode", "launch", "We went live.", "--date", day)
    assert result.exit_code == 2 and day in result.stderr and not list((home / "memory/episodes").rglob("*.md"))


def test_an_entity_has_no_day(run: Run) -> None:
    assert run("store", "entity", "tabs", "Tabs.", "--category", "preferences", "--date", "2026-02-14").exit_code == 2


def test_episodes_are_merged_by_their_dates_wherever_they_lie(run: Run, home: Path) -> None:
    for name, day in (("one", "2026-02-14"), ("two", "2026-02-14"), ("three", "2026-02-15")):
        run("store", "episode", name, f"Part {name} of the launch.", "--tag", "launch", "--date", day)
    moved = home / "memory/episodes/2026-03/four.md"
    moved.parent.mkdir(parents=True, exist_ok=True)
    moved.write_text("---\ncreated: 2026-02-14\ntags: [launch]\n---\n\nPart four of the launch.\n")
    assert "Merged 3 episodes from 2026-02-14 into 'one'" in run("compact").stdout


def test_store_reads_standard_input(run: Run) -> None:
    run("store", "entity", "tabs", "--category", "preferences", "-", input="From a pipe.\n")
    assert answer(run("show", "preferences/tabs", "--json"))["content"] == "From a pipe."


def test_store_reads_a_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text.md").write_bytes(b"\xef\xbb\xbfFrom a file.\n")
    run("store", "entity", "tabs", "--category", "preferences", "-f", str(tmp_path / "text.md"))
    assert answer(run("show", "preferences/tabs", "--json"))["content"] == "From a file."


def test_a_text_may_begin_with_a_bullet(run: Run) -> None:
    run("store", "entity", "tabs", "--category", "preferences", "- of all, use tabs\n- always")
    assert answer(run("show", "preferences/tabs", "--json"))["content"] == "- of all, use tabs\n- always"


def test_a_text_that_is_not_utf_8_is_refused(run: Run) -> None:
    result = run("store", "entity", "tabs", "--category", "preferences", "-", input=b"\xff\xfe")
    assert result.exit_code == 1
    assert "UTF-8" in result.stderr


@pytest.mark.parametrize(("words", "most"), [
    (["store", "episode", "a", "-f", "/dev/zero"], "MAX_MESSAGE"), (["load", "/dev/zero"], "MAX_DUMP"),
])  # fmt: skip
def test_an_input_without_end_is_refused(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: list[str], most: str
) -> None:
    for module in ("words", "home"):
        monkeypatch.setattr(f"clawbrain.cli.{module}.{most}", 1 << 20, raising=False)
    result = run(*words)
    assert (result.exit_code, "more than 1 MB" in result.stderr) == (1, True)


def test_store_without_a_text_is_wrong_usage(run: Run) -> None:
    assert run("store", "entity", "tabs", "--category", "preferences").exit_code == 2


def test_a_text_given_twice_is_wrong_usage(run: Run, tmp_path: Path) -> None:
    (tmp_path / "text.md").write_text("x")
    result = run("store", "entity", "tabs", "--category", "preferences", "y", "-f", str(tmp_path / "text.md"))
    assert result.exit_code == 2


def test_show_in_json_is_the_tools_answer_and_opens_no_turn(run: Run, alice: Path) -> None:
    said = answer(run("show", "people/alice-chen", "--json"))
    assert said["id"] == ALICE
    assert (said["access_count"], said["last_accessed"]) == (0, None)


def test_show_for_a_session_counts(run: Run, alice: Path) -> None:
    said = answer(run("show", ALICE, "--session", "mine", "--json"))
    assert said["access_count"] == 1


def test_show_prints_the_text(run: Run, alice: Path) -> None:
    assert "Alice prefers tabs." in run("show", ALICE).stdout


def test_show_history_tells_each_step_of_the_score(run: Run, alice: Path) -> None:
    run("search", "tabs", "--session", "mine")
    run("feedback", "good", "--session", "mine")
    steps = answer(run("show", ALICE, "--history", "--json"))["history"]
    assert steps[0]["event_type"] == "store"
    assert steps[-1]["event_type"] == "positive_feedback"
    assert steps[-1]["new_score"] > steps[0]["new_score"]
    assert "positive feedback" in run("show", ALICE, "--history").stdout


def test_search_joins_its_words(run: Run, alice: Path) -> None:
    assert answer(run("search", "alice", "tabs", "--json"))["results"][0]["id"] == ALICE


def test_an_empty_search_lists_the_newest(run: Run, alice: Path) -> None:
    assert answer(run("search", "", "--json"))["total_matches"] == 1


def test_search_for_nothing_at_all_is_wrong_usage(run: Run) -> None:
    assert run("search").exit_code == 2


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ([], {"a", "b"}),
        (["--since", "2026-05-02"], {"b"}),
        (["--until", "2026-05-01"], {"a"}),
        (["--since", "April 2026", "--until", "3 May 2026"], {"a", "b"}),
        (["--tag", "one"], {"a"}),
        (["--tag", "one", "--tag", "two"], set()),
        (["--category", "notes"], {"b"}),
        (["--type", "episode"], set()),
    ],
)
@pytest.mark.parametrize("query", ["backups", ""])
def test_a_search_and_a_list_may_be_about_some_memories(
    run: Run, write: Callable[..., Path], query: str, options: list[str], found: set[str]
) -> None:
    write("entities/ops/a.md", '---\ncreated: "2026-05-01"\ntags: ["one"]\n---\n\nWhere backups are.\n')
    write("entities/notes/b.md", '---\ncreated: "2026-05-02T23:59:59Z"\ntags: ["two"]\n---\n\nBackups run at night.\n')
    answer = json.loads(run("search", query, *options, "--json").stdout)
    assert ({hit["name"] for hit in answer["results"]}, answer["total_matches"]) == (found, len(found))
    listed = json.loads(run("list", *options, "--json").stdout)["memories"]
    assert {each["name"] for each in listed} == found


def test_a_day_that_cannot_be_read_is_refused(run: Run) -> None:
    done = run("search", "backups", "--since", "sometime")
    assert (done.exit_code, "'sometime' is no day" in done.stderr) == (2, True)


@pytest.mark.parametrize("words", [
    ["search", "x", "--since", "soon"], ["list", "--until", "soon"], ["messages", "--since", "soon"],
    ["messages", "--until", "2026-02-30"], ["audit", "--since", "soon"], ["audit", "--since", ""],
    ["audit", "--forget-before", "yesterday", "--yes"], ["store", "episode", "x", "x", "--date", "soon"],
    ["search", "x", "--since", "2026-05-02", "--until", "2026-05-01"],
    ["messages", "--since", "today", "--until", "yesterday"],
])  # fmt: skip
def test_a_bad_day_is_wrong_usage_in_every_verb(run: Run, alice: Path, words: list[str]) -> None:
    result = run(*words)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)


@pytest.mark.parametrize("verb", ["messages", "audit"])
def test_days_are_named_in_the_same_words_in_every_verb(run: Run, alice: Path, verb: str) -> None:
    assert run(verb, "--since", "last week").exit_code == 0


@pytest.mark.parametrize("words", [
    ["search", "x", "--limit", "0"], ["search", "x", "--limit", "21"], ["report", "--top", "0"],
    ["report", "--top", "101"], ["recalls", "--limit", "0"], ["messages", "--limit", "0"], ["log", "--limit", "0"],
])  # fmt: skip
def test_a_limit_out_of_range_is_refused_in_every_verb(run: Run, alice: Path, words: list[str]) -> None:
    result = run(*words)
    assert (result.exit_code, "is not in the range 1<=x<=" in result.stderr) == (2, True)


@pytest.mark.parametrize(("words", "meant"), [
    (["install", "claud"], "claude"), (["feedback", "god"], "good"), (["store", "entitty", "x", "x"], "entity"),
    (["export", "jsn"], "json"), (["conflicts", "resolve", "1", "kept_c"], "kept_b"),
])  # fmt: skip
def test_of_a_misspelt_word_the_nearest_is_named(run: Run, words: list[str], meant: str) -> None:
    result = run(*words)
    assert (result.exit_code, f"did you mean {meant}?" in result.stderr) == (2, True)


def test_a_word_like_no_other_is_refused_with_all_of_them(run: Run) -> None:
    assert "'positive_feedback'" in run("feedback", "xyz").stderr


@pytest.mark.parametrize("words", [[], ["search"], ["conflicts", "resolve"]])
def test_help_has_a_short_name(run: Run, words: list[str]) -> None:
    assert run(*words, "-h").stdout == run(*words, "--help").stdout != ""


@pytest.mark.parametrize("verb", ["serve", "hook"])
def test_help_has_a_short_name_also_where_agents_start_a_verb(home: Path, verb: str) -> None:
    done = subprocess.run([sys.executable, "-m", "clawbrain", verb, "-h"], capture_output=True, text=True, timeout=60)
    assert done.stdout.startswith(f"Usage: clawbrain {verb}")


def test_feedback_for_a_session_that_nobody_knows_says_so(run: Run, alice: Path) -> None:
    run("search", "tabs", "--session", "s1")
    result = run("feedback", "good", "--session", "nope")
    assert result.exit_code == 1
    assert "session 'nope' was handed no memory here" in result.stderr
    assert run("feedback", "good", "--session", "s1").exit_code == 0


def test_an_equal_text_makes_no_version_and_that_is_said(run: Run, alice: Path) -> None:
    before = alice.read_bytes()
    assert run("update", ALICE, "Alice prefers tabs.").stdout == f"{ALICE} says just that; nothing was changed.\n"
    assert answer(run("update", ALICE, "Alice prefers tabs.", "--json"))["updated"] is False
    assert (alice.read_bytes(), answer(run("history", ALICE, "--json"))) == (before, {"versions": []})


@pytest.mark.parametrize(("started", "on_path", "called"), [
    (".venv/bin/clawbrain", False, ".venv/bin/clawbrain"),
    ("/a b/clawbrain-mcp", False, "'/a b/clawbrain-mcp'"),
    ("/x/clawbrain/__main__.py", False, "python -m clawbrain"),
    (".venv/bin/clawbrain", True, "clawbrain"),
    ("/x/pytest", False, "clawbrain"),
])  # fmt: skip
def test_a_hint_names_the_command_as_it_is_typed_here(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: str, on_path: bool, called: str
) -> None:
    if on_path:
        (tmp_path / "clawbrain").write_text("#!/bin/sh\n")
        (tmp_path / "clawbrain").chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [started])
    assert f"`{called} store` writes one" in run("list").stdout
    assert f"`{called} init` makes one" in run("list", "--home", str(tmp_path)).stderr


def test_the_log_names_ids(run: Run, alice: Path) -> None:
    run("move", ALICE, "petra")
    run("archive", ALICE)
    run("restore", ALICE)
    run("archive", ALICE)
    run("purge", ALICE, "--yes")
    said = [row["details"] for row in answer(run("log", "--json"))["log"]]
    assert [each.split(" from ")[0].split(" to ")[0] for each in reversed(said)] == [
        f"{done} '{ALICE}'" for done in ("Moved", "Archived", "Restored", "Archived", "Purged")
    ]


@pytest.mark.parametrize("verb", ["list", "check", "report", "export"])
def test_a_verb_that_leaves_layers_out_says_so_in_its_help(run: Run, verb: str) -> None:
    assert "first home alone" in " ".join(run(verb, "--help").stdout.split())


def test_search_explains_its_scores(run: Run, alice: Path) -> None:
    said = run("search", "tabs", "--explain").stdout
    assert ALICE in said
    assert "combined" in said.lower() and "words" in said.lower()  # a table, or blocks where it is too wide


def test_search_explains_which_earlier_question_credit_comes_from(run: Run, alice: Path) -> None:
    run("search", "tabs", "--session", "mine")
    run("feedback", "good", "--session", "mine")
    said = run("search", "tabs", "--explain").stdout
    assert f"learnt on a question that found {ALICE} (1.00), 100% alike" in said and "overall score 0.530" in said
    hit = answer(run("search", "tabs", "--explain", "--json"))["results"][0]
    assert hit["earned"][0]["question"] == {ALICE: 1.0} and hit["earned"][0]["adds"] > 0
    assert hit["overall_score"] == hit["credit_score"] == round(hit["credit_score"], 4)


def test_search_answers_with_the_credit_for_the_question_and_show_with_the_overall_score(run: Run, alice: Path) -> None:
    run("store", "entity", "bob", "--category", "people", "Bob likes gin.")
    run("search", "tabs", "--session", "mine")
    run("feedback", "good", "--session", "mine")
    assert answer(run("search", "alice", "--json"))["results"][0]["credit_score"] > 0.52
    run("search", "tabs alice", "--session", "mine")
    run("show", ALICE, "--session", "mine")
    run("feedback", "bad", "--session", "mine")
    shown, found = (answer(run(*words, "--json")) for words in (["show", ALICE], ["search", ""]))
    listed = {hit["id"]: hit["credit_score"] for hit in found["results"]}
    assert shown["credit_score"] < 0.5 == listed[ALICE]


def test_show_history_names_the_questions_and_what_became_of_a_memory(run: Run, alice: Path) -> None:
    run("search", "tabs", "--session", "mine")
    run("feedback", "good", "--session", "mine")
    run("archive", ALICE)
    run("restore", ALICE)
    said = run("show", ALICE, "--history").stdout
    assert f"{ALICE} (1.00)" in said and "archive" in said and "restore" in said
    steps = answer(run("show", ALICE, "--history", "--json"))["history"]
    assert [step["question"] for step in steps if step["event_type"] == "positive_feedback"] == [{ALICE: 1.0}]


@pytest.mark.parametrize("more", [[], ["--explain"]])
def test_a_search_where_nothing_is_yet_says_so(run: Run, more: list[str]) -> None:
    assert "No memories yet" in run("search", "tabs", *more).stdout
    assert answer(run("search", "tabs", "--json", *more)) == {"results": [], "total_matches": 0}


def test_a_list_of_a_type_that_nothing_is_of_says_that(run: Run, alice: Path) -> None:
    assert run("list", "--type", "episode").stdout == "Nothing matches.\n"
    assert answer(run("list", "--type", "episode", "--json")) == {"memories": []}
    assert ALICE in run("list", "--type", "entity").stdout


def test_a_search_that_finds_nothing_among_some_says_that(run: Run, alice: Path) -> None:
    assert "Nothing matches" in run("search", "zeppelin").stdout


def test_list_names_every_memory(run: Run, alice: Path) -> None:
    [listed] = answer(run("list", "--json"))["memories"]
    assert (listed["id"], listed["tags"], listed["credit_score"]) == (ALICE, ["team"], 0.5)


def test_list_keeps_to_a_type(run: Run, alice: Path) -> None:
    assert answer(run("list", "--type", "episode", "--json")) == {"memories": []}


def test_a_broken_file_is_warned_of_and_does_no_harm(run: Run, alice: Path) -> None:
    (alice.parent / "bad.md").write_text("---\nid: [\n---\nx\n")
    result = run("list")
    assert ALICE in result.stdout
    assert "warning: left out entities/people/bad.md" in result.stderr


def test_update_replaces_the_text(run: Run, alice: Path) -> None:
    assert answer(run("update", ALICE, "Alice prefers spaces.", "--json"))["updated"]
    assert alice.read_text().endswith("\n\nAlice prefers spaces.\n")


def test_pin_and_unpin_change_the_file(run: Run, alice: Path) -> None:
    run("pin", ALICE)
    assert "pinned: true" in alice.read_text()
    run("unpin", ALICE)
    assert "pinned: false" in alice.read_text()


def test_tag_adds_and_removes(run: Run, alice: Path) -> None:
    assert answer(run("tag", ALICE, "+lead", "-team", "--json"))["tags"] == ["lead"]


def test_a_tag_to_remove_may_look_like_an_option(run: Run, alice: Path) -> None:
    run("tag", ALICE, "+f", "+json")
    assert answer(run("tag", ALICE, "-f", "--json"))["tags"] == ["team", "json"]


def test_a_tag_without_a_sign_is_wrong_usage(run: Run, alice: Path) -> None:
    assert run("tag", ALICE, "lead").exit_code == 2


def test_archive_and_restore_bring_a_memory_back(run: Run, alice: Path) -> None:
    text = alice.read_bytes()
    assert answer(run("archive", ALICE, "--json"))["archive_path"] == "archive/entities/people/alice-chen.md"
    assert not alice.exists()
    assert answer(run("restore", ALICE, "--json")) == {"id": ALICE, "path": "entities/people/alice-chen.md"}
    assert alice.read_bytes() == text
    assert "never opened by an agent" in run("show", ALICE).stdout


def test_a_list_of_the_archive_may_be_about_some_memories(run: Run, alice: Path) -> None:
    run("archive", ALICE)
    for tag, found in (("team", [ALICE]), ("other", [])):
        listed = answer(run("list", "--archived", "--tag", tag, "--json"))["archived"]
        assert [each["id"] for each in listed] == found


def test_list_archived_says_where_it_lies(run: Run, alice: Path) -> None:
    run("archive", ALICE)
    [listed] = answer(run("list", "--archived", "--json"))["archived"]
    assert (listed["path"], listed["id"]) == ("archive/entities/people/alice-chen.md", ALICE)


def test_a_version_that_is_not_there_is_refused(run: Run, alice: Path) -> None:
    assert run("history", ALICE, "nonsense").exit_code == 1
    assert run("history", ALICE).stdout == "No earlier text.\n"


def test_move_keeps_the_id(run: Run, alice: Path) -> None:
    said = answer(run("move", ALICE, "friends/", "--json"))
    assert said == {"id": ALICE, "path": "entities/friends/alice-chen.md"}


def test_revert_puts_the_former_text_back(run: Run, alice: Path) -> None:
    run("update", ALICE, "Alice prefers spaces.")
    run("revert", ALICE)
    assert answer(run("show", ALICE, "--json"))["content"] == "Alice prefers tabs."


def test_history_lists_versions_and_prints_one(run: Run, alice: Path) -> None:
    run("update", ALICE, "Alice prefers spaces.")
    [version] = answer(run("history", ALICE, "--json"))["versions"]
    assert "Alice prefers tabs." in run("history", ALICE, version["version"]).stdout


def test_purge_wants_a_yes(run: Run, alice: Path, home: Path) -> None:
    run("archive", ALICE)
    assert run("purge", ALICE).exit_code == 2
    assert (home / "archive/entities/people/alice-chen.md").exists()


def test_purge_deletes_from_the_archive(run: Run, alice: Path, home: Path) -> None:
    run("archive", ALICE)
    assert run("purge", ALICE, "--yes").exit_code == 0
    assert not (home / "archive/entities/people/alice-chen.md").exists()


def test_a_check_says_of_a_deleted_file_that_nothing_need_be_done(run: Run, alice: Path) -> None:
    alice.unlink()
    result = run("check")
    assert result.exit_code == 0 and "if you deleted it, there is nothing to do" in result.stdout


def test_a_live_memory_is_not_purged(run: Run, alice: Path) -> None:
    assert run("purge", ALICE, "--yes").exit_code == 1
    assert alice.exists()


# The editor


def test_edit_takes_what_the_editor_left(
    run: Run, alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, 'echo "And tea." >> "$1"', monkeypatch)
    assert run("edit", ALICE).exit_code == 0
    assert alice.read_text().endswith("Alice prefers tabs.\nAnd tea.\n")


def test_an_editor_that_changes_nothing_changes_nothing(
    run: Run, alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = alice.read_bytes()
    editor(tmp_path, "true", monkeypatch)
    assert answer(run("edit", ALICE, "--json")) == {"id": ALICE, "updated": False}
    assert alice.read_bytes() == before


def test_an_edit_does_not_overwrite_a_change_made_meanwhile_and_is_kept(
    run: Run, alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, f'echo "mine" >> "$1"; echo "theirs" >> {alice}', monkeypatch)
    result = run("edit", ALICE)
    assert result.exit_code == 1
    assert alice.read_text().endswith("Alice prefers tabs.\ntheirs\n")
    assert "memory_update" not in result.stderr and "clawbrain update" not in result.stderr
    assert result.stderr.splitlines()[0].endswith("The memory says now:")
    kept = re.search(r"kept in (\S+\.md)", result.stderr)
    assert kept and Path(kept[1]).read_text() == "Alice prefers tabs.\nmine\n"
    shutil.rmtree(Path(kept[1]).parent)


def test_an_editor_that_fails_leaves_the_memory_alone(
    run: Run, alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = alice.read_bytes()
    editor(tmp_path, "exit 3", monkeypatch)
    result = run("edit", ALICE)
    assert result.exit_code == 1 and "kept in" not in result.stderr
    assert alice.read_bytes() == before


def test_an_editor_that_is_not_there_is_named(run: Run, alice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "no-such-editor")
    assert "'no-such-editor'" in run("edit", ALICE).stderr


@pytest.mark.parametrize(("script", "is_kept"), [('echo "And tea." >> "$1"', True), ("true", False)])
def test_an_edit_that_is_interrupted_says_where_the_text_is(
    home: Path, alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, is_kept: bool
) -> None:
    before = alice.read_bytes()
    editor(tmp_path, f"{script}; kill -INT $PPID; exec sleep 20", monkeypatch)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), "edit", ALICE]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 130 and alice.read_bytes() == before
    kept = re.search(r"Your text is kept in (\S+\.md)\.", done.stderr)
    assert [str(file) for file in (tmp_path / "tmp").glob("*/*")] == ([kept[1]] if kept else [])
    assert bool(kept) == is_kept
    assert not kept or Path(kept[1]).read_text() == "Alice prefers tabs.\nAnd tea.\n"


def test_the_edited_copy_is_for_its_owner_only(
    run: Run, alice: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, f'stat -c %a "$(dirname "$1")" > {tmp_path}/mode', monkeypatch)
    run("edit", ALICE)
    assert (tmp_path / "mode").read_text().strip() == "700"


# Learning


def test_feedback_good_raises_the_score(run: Run, alice: Path) -> None:
    run("search", "tabs", "--session", "mine")
    said = answer(run("feedback", "good", "--session", "mine", "--json"))
    assert said["signal"] == "positive_feedback"
    assert said["updated"][0]["new_score"] > said["updated"][0]["old_score"]


def test_feedback_bad_lowers_it(run: Run, alice: Path) -> None:
    run("search", "tabs", "--session", "mine")
    said = answer(run("feedback", "bad", "--session", "mine", "--used", ALICE, "--json"))
    assert said["signal"] == "user_correction"
    assert said["updated"][0]["new_score"] < said["updated"][0]["old_score"]


def test_feedback_finds_its_session_in_the_environment(run: Run, alice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("search", "tabs", "--session", "mine")
    monkeypatch.setenv("CLAWBRAIN_SESSION_ID", "mine")
    assert answer(run("feedback", "good", "--json"))["memories"] == 1


def test_feedback_without_a_session_is_refused(run: Run, alice: Path) -> None:
    run("search", "tabs")
    assert run("feedback", "good").exit_code == 1


def test_an_unknown_signal_is_wrong_usage(run: Run) -> None:
    assert run("feedback", "great").exit_code == 2


def test_a_search_without_a_session_leaves_no_turn(run: Run, alice: Path, home: Path) -> None:
    run("search", "tabs")
    assert '"turn_records"' not in run("dump").stdout


def test_report_in_json_is_the_tools_answer(run: Run, alice: Path) -> None:
    said = answer(run("report", "--json"))
    assert list(said) == ["total_memories", "avg_score", "top", "bottom", "prune_candidates", "last_consolidation",
                          "last_pruning"]  # fmt: skip


def test_report_draws_where_the_scores_are(run: Run, alice: Path) -> None:
    said = run("report").stdout
    assert "1 memory, average credit 0.50" in said
    assert re.search(r"0\.5 │█+ 1", said)


def test_report_of_an_empty_home_is_quiet(run: Run) -> None:
    result = run("report")
    assert result.exit_code == 0
    assert "0 memories" in result.stdout


@pytest.fixture
def two_episodes(home: Path) -> None:
    """Of one day, also at midnight."""
    now = utc_now()
    with open_brain(home, clock=lambda: now) as brain:
        for name in ("found-it", "fixed-it"):
            brain.store("episode", name, f"# {name}\n\n- about {name}", tags=["feed", "timeout"])


def test_a_dry_run_shows_reasons_and_does_nothing(run: Run, two_episodes: None, home: Path) -> None:
    [action] = answer(run("compact", "--dry-run", "--json"))["actions"]
    assert action["action"] == "merge" and action["reason"]
    assert len(list((home / "memory/episodes").rglob("*.md"))) == 2


def test_compact_merges_and_undo_takes_it_back(run: Run, two_episodes: None, home: Path) -> None:
    before = {file.name: file.read_bytes() for file in (home / "memory/episodes").rglob("*.md")}
    assert answer(run("compact", "--json"))["consolidated"] == 1
    assert len(list((home / "memory/episodes").rglob("*.md"))) == 1
    assert len(answer(run("undo", "--json"))["undone"]) == 1
    assert {file.name: file.read_bytes() for file in (home / "memory/episodes").rglob("*.md")} == before


def test_compact_and_undo_say_what_they_did(run: Run, two_episodes: None) -> None:
    assert "Would merge 2 episodes" in run("compact", "--dry-run").stdout
    assert "Merged 2 episodes" in run("compact").stdout
    undone = run("undo").stdout
    assert "Undone: Merged 2 episodes" in undone and "pin" not in undone
    assert "undo" in run("log").stdout


def test_undo_says_what_may_be_done_again(run: Run, home: Path) -> None:
    before = utc_now() - timedelta(days=60)
    with open_brain(home, clock=lambda: before) as brain:
        brain.store("entity", "tea", "A brand of tea.", category="notes")
    page = "# Strategy\n\n```yaml settings\npruning:\n  max_score: 0.6\n```\n"
    (home / "STRATEGY.md").write_text(page)
    assert "Archived" in run("compact").stdout
    assert "`clawbrain pin` keeps a memory" in run("undo").stdout


def test_undo_takes_the_run_that_the_log_names(run: Run, two_episodes: None) -> None:
    run("compact")
    named = answer(run("log", "--json"))["log"][0]["run"]
    assert answer(run("undo", named, "--json"))["run"] == named


def test_undo_with_nothing_to_undo_is_refused(run: Run) -> None:
    run("init")
    assert run("undo").exit_code == 1


def test_compact_if_due_leaves_a_young_store_alone(run: Run, two_episodes: None, home: Path) -> None:
    assert answer(run("compact", "--if-due", "--json")) == {"due": []}
    assert len(list((home / "memory/episodes").rglob("*.md"))) == 2


def test_the_log_tells_what_was_done_newest_first(run: Run, alice: Path) -> None:
    run("archive", ALICE)
    run("restore", ALICE)
    assert [each["action"] for each in answer(run("log", "--json"))["log"]] == ["restore", "archive"]


def test_digest_writes_memory_md(run: Run, alice: Path, home: Path) -> None:
    assert run("digest").exit_code == 0
    assert ALICE in (home / "memory/MEMORY.md").read_text()


def test_strategy_says_from_which_line_a_value_came(run: Run, home: Path) -> None:
    run("init")
    (home / "STRATEGY.md").write_text("# Mine\n\n## Pruning\n\n- Archive at most 7 entries per run\n")
    rows = {row["setting"]: row for row in answer(run("strategy", "--json"))["settings"]}
    assert (rows["pruning.max_per_run"]["value"], rows["pruning.max_per_run"]["line"]) == (7, 5)
    assert rows["pruning.max_score"]["line"] is None


def test_strategy_names_the_lines_it_does_not_understand(run: Run, home: Path) -> None:
    run("init")
    (home / "STRATEGY.md").write_text("## Pruning\n\n- Archive at most 7 bananas per run\n")
    assert "line 3" in run("strategy").stdout


def contradiction(run: Run) -> None:
    run("store", "entity", "db", "--category", "projects", "- The API listens on port 8080")
    run("store", "entity", "api", "--category", "projects", "- The API listens on port 9090")


def test_conflicts_show_both_sentences(run: Run) -> None:
    contradiction(run)
    said = run("conflicts").stdout
    assert "port 8080" in said and "port 9090" in said


def test_a_conflict_is_resolved_by_taking_the_other_claim_out(run: Run) -> None:
    contradiction(run)
    [found] = answer(run("conflicts", "list", "--json"))["conflicts"]
    run("conflicts", "resolve", str(found["id"]), "kept_a")
    assert answer(run("conflicts", "--json")) == {"conflicts": []}
    assert run("show", found["memory_b_id"]).exit_code == 1
    assert run("show", found["memory_a_id"]).exit_code == 0


def test_deciding_says_what_became_of_the_other_and_how_to_bring_it_back(run: Run) -> None:
    contradiction(run)
    [found] = answer(run("conflicts", "list", "--json"))["conflicts"]
    said = run("conflicts", "resolve", str(found["id"]), "kept_a").stdout
    assert "entity-projects-db said nothing else, so it was archived" in said
    back = re.search(r"`clawbrain (restore [^`]+)` brings it back", said)
    assert back and run(*back[1].split()).exit_code == run("show", "entity-projects-db").exit_code == 0


def test_a_sentence_that_was_taken_out_comes_back_as_said(run: Run) -> None:
    run("store", "entity", "db", "--category", "projects", "- The API listens on port 8080\n- Ann reviews it")
    run("store", "entity", "api", "--category", "projects", "- The API listens on port 9090")
    [found] = answer(run("conflicts", "list", "--json"))["conflicts"]
    said = run("conflicts", "resolve", str(found["id"]), "kept_a").stdout
    assert "The other sentence was taken out of entity-projects-db; `clawbrain revert entity-projects-db`" in said
    run("revert", "entity-projects-db")
    assert "port 8080" in run("show", "entity-projects-db").stdout
    assert answer(run("conflicts", "--json")) == {"conflicts": []}


@pytest.mark.parametrize("words", [["edit", "db"], ["update", "db", "- The API listens on port 9090"]])
def test_an_edit_and_its_revert_leave_no_conflict(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    run("store", "entity", "db", "--category", "projects", "- The API listens on port 8080")
    editor(tmp_path, 'echo "- The API listens on port 9090" > "$1"', monkeypatch)
    assert "Updated" in (said := run(*words).stdout) and "contradicts" not in said
    run("revert", "entity-projects-db")
    assert answer(run("conflicts", "--json")) == {"conflicts": []}


def test_a_conflict_of_what_is_no_longer_said_is_listed_on_demand(run: Run) -> None:
    contradiction(run)
    run("archive", "entity-projects-db")
    said = run("conflicts").stdout
    assert "Nothing contradicts" in said and "1 more" in said and "8080" not in said
    assert "1  no longer both said: " in run("conflicts", "list", "--all").stdout
    [row] = answer(run("conflicts", "list", "--all", "--json"))["conflicts"]
    assert answer(run("conflicts", "--json")) == {"conflicts": [], "void": [row["id"]]}
    run("conflicts", "resolve", str(row["id"]), "dismissed")
    assert answer(run("conflicts", "--json")) == {"conflicts": []}


def test_merging_a_conflict_opens_both_memories(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    contradiction(run)
    [found] = answer(run("conflicts", "--json"))["conflicts"]
    editor(tmp_path, 'for file; do echo "- agreed: port 9090" > "$file"; done', monkeypatch)
    assert run("conflicts", "resolve", str(found["id"]), "merged").exit_code == 0
    for side in ("a", "b"):
        assert answer(run("show", found[f"memory_{side}_id"], "--json"))["content"] == "- agreed: port 9090"


# The home


def test_init_furnishes_a_home(run: Run, home: Path) -> None:
    assert answer(run("init", "--json")) == {"created": True, "memories": 0}
    assert (home / "STRATEGY.md").is_file() and (home / "memory").is_dir() and (home / "archive").is_dir()


def test_init_takes_a_folder(run: Run, tmp_path: Path) -> None:
    run("init", str(tmp_path / "here"))
    assert (tmp_path / "here/STRATEGY.md").exists()


def test_init_where_nothing_can_be_written_is_refused(run: Run) -> None:
    assert run("init", "/proc/clawbrain").exit_code == 1


def test_init_leaves_a_strategy_that_is_there(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "STRATEGY.md").write_text("mine\n")
    run("init")
    assert (home / "STRATEGY.md").read_text() == "mine\n"


def test_check_of_a_sound_home_ends_with_0(run: Run, alice: Path) -> None:
    assert run("check").exit_code == 0


def test_check_names_a_broken_file_and_ends_with_3(run: Run, alice: Path) -> None:
    (alice.parent / "bad.md").write_text("---\nid: [\n---\nx\n")
    result = run("check")
    assert result.exit_code == 3
    assert "memory/entities/people/bad.md" in result.stdout


def test_the_ledger_goes_to_another_home_as_text(run: Run, alice: Path, home: Path, tmp_path: Path) -> None:
    run("search", "tabs", "--session", "mine")
    run("feedback", "good", "--session", "mine")
    text = run("dump").stdout
    other = tmp_path / "other"
    shutil.copytree(home / "memory", other / "memory")
    assert run("load", "-", "--home", str(other), input=text).exit_code == 0
    assert answer(run("show", ALICE, "--home", str(other), "--json"))["credit_score"] == 0.53


def test_a_text_that_is_no_dump_is_refused(run: Run, alice: Path) -> None:
    result = run("load", "-", input="hello\n")
    assert result.exit_code == 1 and "line 1" in result.stderr


# Agents


def test_call_answers_as_the_server_does(run: Run, alice: Path) -> None:
    said = answer(run("call", "memory_search", '{"query": "tabs"}'))
    assert said["results"][0]["id"] == ALICE


def test_call_checks_arguments_against_the_schema(run: Run) -> None:
    result = run("call", "memory_search", '{"query": 3}')
    assert result.exit_code == 1
    assert "'query' must be a string" in result.stderr


@pytest.mark.parametrize("arguments", ["{", "[]", "3"])
def test_call_with_something_else_than_an_object_is_wrong_usage(run: Run, arguments: str) -> None:
    assert run("call", "memory_search", arguments).exit_code == 2


def test_call_of_an_unknown_tool_is_wrong_usage(run: Run) -> None:
    assert run("call", "memory_serch").exit_code == 2


def test_hook_prints_json_and_never_fails(run: Run, alice: Path) -> None:
    assert answer(run("hook", "prompt", "--client", "claude", input="no json")) == {}
    assert answer(run("hook", "no-such-event", input="{}")) == {}


def test_install_writes_the_home_that_was_named(
    run: Run, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert run("install", "cursor", "--home", str(home)).exit_code == 0
    entry = json.loads((tmp_path / ".cursor/mcp.json").read_text())["mcpServers"]["clawbrain"]
    assert entry["args"] == ["serve", "--home", str(home)]


def test_install_print_changes_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert "mcpServers" in run("install", "cursor", "--print").stdout
    assert not (tmp_path / ".cursor").exists()


def test_install_remove_takes_it_out_again(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    run("install", "cursor")
    run("install", "cursor", "--remove")
    assert not (tmp_path / ".cursor/mcp.json").exists()


def test_install_without_a_program_or_a_terminal_wants_all(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    (tmp_path / ".cursor").mkdir()
    assert run("install").exit_code == 2
    assert answer(run("install", "--all", "--json"))["installed"][0]["client"] == "cursor"


# What a terminal gets to see


@pytest.mark.parametrize("char", ["\x1b", "\x07", "\r", "\x9b", "\u202e", "\u2066", "\u200f", "\U000e0041"])
def test_no_control_or_bidi_character_is_printed(run: Run, home: Path, char: str) -> None:
    run("store", "entity", "evil", "--category", "x", f"before {char}[31m after")
    for words in (["show", "x/evil"], ["search", "before"], ["show", "x/evil", "--json"], ["list"]):
        assert char not in run(*words).stdout


def test_json_keeps_the_very_text(run: Run) -> None:
    run("store", "entity", "evil", "--category", "x", "a \x1b \x7f \u202e \U000e0041 ü b")
    assert answer(run("show", "x/evil", "--json"))["content"] == "a \x1b \x7f \u202e \U000e0041 ü b"


def test_a_file_name_cannot_steer_a_terminal(run: Run, home: Path) -> None:
    folder = home / "memory/entities/people"
    folder.mkdir(parents=True)
    (folder / "a\x1b[2Jb.md").write_text("x\n")
    assert "\x1b" not in run("list").stdout + run("check").stdout


def test_clean_leaves_ordinary_text_alone() -> None:
    text = "Zoë · 漢字 · 👩‍💻\n\tindented"
    assert output.clean(text) == text


def on_a_terminal(*words: str) -> str:
    """What a person sees who types this, on a pseudo-terminal."""
    ours, theirs = pty.openpty()
    program = subprocess.Popen([sys.executable, "-m", "clawbrain", *words], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = bytearray()
    try:
        while data := os.read(ours, 4096):
            seen += data
    except OSError:  # Linux says so when the other end is closed
        pass
    os.close(ours)
    program.wait()
    return seen.decode()


def test_a_terminal_gets_colours(alice: Path, home: Path) -> None:
    assert "\x1b[" in on_a_terminal("show", ALICE, "--home", str(home))


def test_a_terminal_sees_tables_and_long_reading(alice: Path, home: Path) -> None:
    for number in range(output.MANY + 1):
        (alice.parent / f"p{number}.md").write_text(f"person {number}\n")
    said = on_a_terminal("list", "--home", str(home))
    assert "Reading the memory files" in said
    assert "───" in said and ALICE in said


def test_even_a_terminal_is_not_steered(run: Run, home: Path) -> None:
    run("store", "entity", "evil", "--category", "x", "before \x1b]0;title\x07 [bold]after[/bold]")
    said = on_a_terminal("show", "x/evil", "--home", str(home))
    assert "\x1b]0" not in said
    assert "\\x1b]0;title\\x07 [bold]after[/bold]" in said


def test_a_pipe_gets_plain_text(run: Run, alice: Path, home: Path) -> None:
    command = [sys.executable, "-m", "clawbrain", "list", "--home", str(home)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[1].split()[:2] == [ALICE, "0.50"]
    assert "\x1b" not in said


def test_rich_is_not_imported_for_a_pipe(alice: Path, home: Path) -> None:
    program = (
        "import sys; from clawbrain.cli import command_line\n"
        f"try: command_line.main(['list', '--home', {str(home)!r}])\n"
        "finally: print('rich' in sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.strip() == "False"


# Generated pages and the worked example


def test_the_generated_pages_are_fresh() -> None:
    sys.path.insert(0, str(REPOSITORY / "docs"))
    try:
        import reference  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    for name, page in reference.PAGES.items():
        assert (REPOSITORY / "docs" / name).read_text("utf-8") == page(), f"{name} is stale: run `make docs`"


@pytest.fixture
def example(tmp_path: Path) -> Path:
    copy = tmp_path / "example"
    for name in ("memory", "archive"):
        shutil.copytree(REPOSITORY / name, copy / name, ignore=shutil.ignore_patterns("MEMORY.md"))
    shutil.copy(REPOSITORY / "STRATEGY.md", copy)
    return copy


def test_the_worked_example_has_no_fault(run: Run, example: Path) -> None:
    assert answer(run("check", "--home", str(example), "--json"))["faults"] == 0


def test_the_worked_example_is_written_as_clawbrain_writes(run: Run, example: Path) -> None:
    from clawbrain.memory.text import render

    with open_brain(example) as brain:
        brain.sync(now=True)
        for memory in brain.index.memories():
            assert (example / "memory" / memory.path).read_bytes() == render(memory)


def test_the_worked_example_answers_a_question(run: Run, example: Path) -> None:
    said = answer(run("search", "why do the boards go blank at night?", "--home", str(example), "--json"))
    assert said["results"][0]["id"] == "episode-2026-09-feed-hangs-at-night"


def test_a_compaction_of_the_worked_example_has_something_to_show(run: Run, example: Path) -> None:
    assert answer(run("compact", "--dry-run", "--home", str(example), "--json"))["actions"]


def test_the_readme_shows_a_memory_of_the_example(example: Path) -> None:
    readme = (REPOSITORY / "README.md").read_text()
    assert (example / "memory/entities/people/mara-lindqvist.md").read_text() in readme


def test_the_readme_starts_with_the_tour() -> None:
    head = (REPOSITORY / "README.md").read_text().splitlines()[:12]
    assert "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/clawbrain tour" in head


def test_ci_runs_the_commands_of_the_readme() -> None:
    readme, ci = (REPOSITORY / "README.md").read_text(), (REPOSITORY / ".ci/run").read_text()
    commands = [line for line in readme.splitlines() if line.startswith("python3 -m venv")]
    assert len(commands) == 2
    assert all(command in ci for command in commands)
    assert os.stat(REPOSITORY / ".ci/run").st_mode & stat.S_IXUSR


def test_init_says_where_the_home_is_and_how_an_agent_comes_to_use_it(run: Run, tmp_path: Path) -> None:
    done = run("init", str(tmp_path / "other"))
    assert f"A new home at {tmp_path / 'other'}" in done.stdout
    assert f"`clawbrain install --home {tmp_path / 'other'}`" in done.stdout


def test_restoring_what_is_not_archived_says_so(run: Run) -> None:
    run("store", "entity", "tea", "--category", "preferences", "Green.")
    assert "is not archived: it is there" in run("restore", "entity-preferences-tea").stderr
    run("archive", "entity-preferences-tea")
    run("store", "entity", "tea", "--category", "preferences", "Black.")
    assert "path of the other one" in run("restore", "tea").stderr


def test_a_broken_file_is_told_of_by_its_bare_name(run, home):
    run("store", "entity", "gamma", "G.", "--category", "work")
    (home / "memory/entities/work/gamma.md").write_text("---\nid: x\n")
    for verb in ("show", "archive"):
        assert "is left out" in run(verb, "gamma").output


def test_a_signal_without_anything_to_score_says_so(run):
    run("init")
    assert "nothing was found or handed over here" in run("feedback", "good").output


def test_an_editor_that_is_closed_without_a_change_decides_nothing(run, monkeypatch):
    run("store", "entity", "one", "Use tabs, never spaces.", "--category", "preferences")
    run("store", "entity", "two", "Use spaces, never tabs.", "--category", "preferences")
    monkeypatch.setenv("EDITOR", "true")
    done = run("conflicts", "resolve", "1", "merged")
    assert (done.exit_code, "nothing is decided" in done.output) == (1, True)
    assert "tabs" in run("conflicts", "list").output


def test_a_purge_names_the_memory_that_a_text_was_merged_into(run):
    for name in ("one", "two"):
        run("store", "episode", f"q-{name}", f"The quokka box {name} was rebooted.", "--tag", "quokka",
            "--date", "2026-02-10")  # fmt: skip
    run("compact")
    gone = run("log", "--json")
    archived = "q-two" if "q-two" in gone.stdout else "q-one"
    done = run("purge", f"archive/episodes/2026-02/{archived}.md", "--yes")
    assert "was merged into episode-2026-02-q-" in done.output, done.output
