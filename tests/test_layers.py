"""Layers: several homes searched as one; their names, the ids of their memories, and who may name them."""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from conftest import Clock
from mcp_client import SERVE, Client

from clawbrain import layer_homes, profiles
from clawbrain.agents import hooks
from clawbrain.brain import Brain, open_brain
from clawbrain.brain.layered import LayeredBrain, open_layered
from clawbrain.brain.results import Ranked
from clawbrain.briefing.groups import Project
from clawbrain.errors import Invalid, ReadOnly, Refused, Usage
from clawbrain.layers import GivenLayer, apart, given, name_of_folder
from clawbrain.served_layers import served_layers
from clawbrain.storage.patience import hurried
from clawbrain.strategy import parse
from clawbrain.strategy.naming_layers import with_layers


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
    home = make(tmp_path / "home")
    assert served_layers(home) is None
    assert layer_homes.find(home) == ((), ())


# Several homes searched as one

TEXTS = [
    ("preferences", "package-manager", "Always pnpm, never npm: the lockfile is pnpm's.", ["tooling"]),
    ("preferences", "commit-style", "Commits say why in the imperative mood.", ["git"]),
    ("projects", "cache", "The cache evicts with LRU since the rollback of May.", ["cache", "eviction"]),
    ("projects", "cache-size", "The cache holds 512 pages; eviction begins at 480.", ["cache", "eviction"]),
    ("people", "dana", "Dana reviews changes of the cache and the database schema.", ["team"]),
    ("people", "jonas", "Jonas owns the deployment, and knows what kubernetes does.", ["team"]),
    ("decisions", "postgres", "PostgreSQL instead of MySQL, because of partial indexes.", ["database"]),
    ("decisions", "api-versions", "Versions of the API go into the URL: /v2/users.", ["api"]),
    ("notes", "undo", "To undo a release, revert the tag and run the pipeline again.", ["release"]),
    ("notes", "flaky-tests", "The upload tests are flaky on Mondays; E-4012 is harmless.", ["tests"]),
    ("notes", "windows", "getUserById fails under Windows when the path has a colon.", ["windows"]),
    ("notes", "cleaning", "Kitchen cleaning is due every Friday.", ["office"]),
]
QUESTIONS = [
    "cache", "what does the cache evict with", "cache eviction", "who knows kubernetes", "rollback a release",
    "pnpm or npm", "databse schema", "getUserById", "E-4012", "ask Dana", "versions url", "undo", "zebra",
    "LRU cache eviction size", "the", "npm lockfile of pnpm", "deploymnet", "flaky tests on Monday", "team",
]  # fmt: skip


def entity(home: Path, number: int, category: str, name: str, text: str, tags: list[str]) -> None:
    file = home / "memory" / "entities" / category / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    made = f"2026-01-{number + 1:02}T10:00:00Z"
    file.write_text(f"---\ntags: {json.dumps(tags)}\ncreated: {made}\nupdated: {made}\n---\n\n# {name}\n\n{text}\n")


@pytest.fixture
def homes(new_home: Path, tmp_path: Path) -> Callable[[str], Path]:
    return lambda name: Path(shutil.copytree(new_home, tmp_path / name))


Served = Callable[..., LayeredBrain]


@pytest.fixture
def served(tmp_path: Path, clock: Clock) -> Iterator[Served]:
    """Open a home with layers, as another process would."""
    brains: list[Brain] = []

    def opened(
        home: Path, *layers: str, session: str | None = "session-1", started_in: Path = tmp_path, **how: object
    ) -> LayeredBrain:
        found = layer_homes.find(home, layers, started_in=str(started_in))
        brains.append(open_layered(home, found, session=session, clock=clock, **how))
        brain = brains[-1]
        assert isinstance(brain, LayeredBrain)
        return brain

    yield opened
    for brain in brains:
        brain.close()


def numbers(ranked: Ranked) -> list[tuple[str, float, float, float]]:
    return [
        (hit.id, round(hit.relevance, 9), round(hit.combined, 9), round(sum(hit.parts.values()), 9))
        for hit in ranked.hits
    ]


@pytest.mark.parametrize("seed", range(4))
def test_layers_rank_as_one_home_that_holds_all_memories(
    homes: Callable[[str], Path], served: Served, clock: Clock, seed: int
) -> None:
    whole, near, far = homes("whole"), homes("near"), homes("far")
    for number, text in enumerate(TEXTS):
        entity(whole, number, *text)
        entity(random.Random(f"{seed}{number}").choice((near, far)), number, *text)
    brain = served(near, "far")
    with open_brain(whole, session=None, clock=clock) as one:
        for question in QUESTIONS:
            for limit in (20, 3):
                alone, together = one.search(question, limit=limit), brain.search(question, limit=limit)
                assert numbers(together) == numbers(alone), question
                assert together.total == alone.total, question


def test_an_empty_query_lists_the_newest_of_all_layers(homes: Callable[[str], Path], served: Served) -> None:
    near, far = homes("near"), homes("far")
    for number, text in enumerate(TEXTS[:6]):
        entity((near, far)[number % 2], number, *text)
    ranked = served(near, "far").search("", limit=3)
    assert [(hit.id, hit.layer) for hit in ranked.hits] == [
        ("entity-people-jonas", "far"), ("entity-people-dana", ""), ("entity-projects-cache-size", "far"),
    ]  # fmt: skip
    assert ranked.total == 6


@pytest.fixture
def both(homes: Callable[[str], Path], served: Served) -> LayeredBrain:
    """A project's home and a person's own, with one id in both."""
    near, own = homes("near"), homes("own")
    entity(near, 0, "people", "dana", "Dana reviews the cache of this project.", [])
    entity(near, 1, "projects", "cache", "The cache evicts with LRU.", [])
    entity(own, 2, "people", "dana", "Dana likes tea, and reviews everything.", [])
    entity(own, 3, "preferences", "pnpm", "Always pnpm, never npm.", [])
    return served(near, "own")


def test_that_a_memory_of_a_held_layer_was_read_is_counted_when_it_is_free(both: LayeredBrain) -> None:
    own = both.layers.farther[0].brain
    with closing(sqlite3.connect(own.home / ".clawbrain/ledger.db", isolation_level=None)) as other, hurried(0.02):
        other.execute("BEGIN IMMEDIATE")
        assert both.retrieve("preferences/pnpm").credit.access_count == 1
        assert own.take_warnings() == [
            "another program holds the store: that this memory was read is written there later."
        ]
    both.settle()
    assert own.credits()["entity-preferences-pnpm"].access_count == 1


def test_of_one_id_the_nearer_is_served_and_the_other_is_called_by_its_layer(both: LayeredBrain) -> None:
    hits = both.search("Dana").hits
    assert {(hit.id, hit.layer) for hit in hits} == {
        ("entity-people-dana", ""), ("user:entity-people-dana", "user"),
    }  # fmt: skip
    assert "tea" in both.retrieve("user:entity-people-dana").memory.content
    assert "tea" not in both.retrieve("entity-people-dana").memory.content
    assert both.retrieve("project:people/dana").memory.id == "entity-people-dana"


def test_an_id_that_one_layer_alone_has_stays_what_it_is_and_both_forms_are_understood(both: LayeredBrain) -> None:
    assert both.retrieve("entity-preferences-pnpm").memory.id == "entity-preferences-pnpm"
    found = both.retrieve("user:preferences/pnpm")
    assert (found.memory.id, found.layer) == ("entity-preferences-pnpm", "user")
    assert both.credits([found.memory.id])[found.memory.id].access_count == 2


def test_a_memory_is_changed_where_it_is(both: LayeredBrain, tmp_path: Path) -> None:
    both.update("entity-preferences-pnpm", "Always pnpm 10.")
    both.owner.pin("user:people/dana")
    assert "pnpm 10" in (tmp_path / "own/memory/entities/preferences/pnpm.md").read_text()
    assert "pinned: true" in (tmp_path / "own/memory/entities/people/dana.md").read_text()
    assert "pinned: true" not in (tmp_path / "near/memory/entities/people/dana.md").read_text()
    put = both.archive("preferences/pnpm")
    assert (tmp_path / "own" / put.path).is_file()
    assert both.restore("entity-preferences-pnpm").path == "entities/preferences/pnpm.md"


def test_what_is_stored_goes_to_the_first_home_or_to_the_layer_that_is_named(
    both: LayeredBrain, tmp_path: Path
) -> None:
    both.store("entity", "one", "Here.", category="notes")
    stored = both.store_in("user", "entity", "two", "There.", category="notes")
    assert stored.layer == "user"
    assert (tmp_path / "near/memory/entities/notes/one.md").is_file()
    assert (tmp_path / "own/memory/entities/notes/two.md").is_file()
    with pytest.raises(Invalid, match="project, user"):
        both.store_in("team", "entity", "three", "Nowhere.", category="notes")


def test_a_read_only_layer_is_found_and_refuses_to_be_changed(homes: Callable[[str], Path], served: Served) -> None:
    near, team = homes("near"), homes("team")
    entity(team, 0, "people", "dana", "Dana reviews the cache.", [])
    before = {path: path.read_bytes() for path in team.rglob("*") if path.is_file()}
    brain = served(near, "team:read-only")
    assert [hit.layer for hit in brain.search("dana").hits] == ["team"]
    for change in (
        lambda: brain.update("people/dana", "x"), lambda: brain.archive("people/dana"),
        lambda: brain.owner.pin("people/dana"), lambda: brain.store_in("team", "episode", "x", "y"),
    ):  # fmt: skip
        with pytest.raises(ReadOnly, match="'team' is read-only"):
            change()
    brain.retrieve("people/dana")
    brain.feedback("positive_feedback")
    assert any("learns nothing" in warning for warning in brain.take_warnings())
    brain.close()
    assert {path: path.read_bytes() for path in team.rglob("*") if path.is_file()} == before


def test_of_two_that_contradict_the_nearer_goes_first_and_the_farther_is_marked(
    homes: Callable[[str], Path], served: Served
) -> None:
    near, far = homes("near"), homes("far")
    entity(near, 0, "preferences", "indent", "Indentation is two spaces.\n\nThis is about this one repository.", [])
    entity(far, 1, "preferences", "spaces", "Indentation is four spaces.", [])
    first, second = served(near, "far").search("indentation spaces").hits
    assert first.combined < second.combined
    assert (first.layer, first.contradicted_by) == ("", "")
    assert (second.id, second.contradicted_by) == ("entity-preferences-spaces", "entity-preferences-indent")


# Credit


def test_a_signal_reaches_each_memory_in_its_own_ledger_under_one_id(both: LayeredBrain, tmp_path: Path) -> None:
    both.search("Dana reviews")
    moves = {move.id: move for move in both.feedback("positive_feedback").updated}
    assert set(moves) == {"entity-people-dana", "user:entity-people-dana"}
    assert all(move.new_score > move.old_score for move in moves.values())
    both.close()
    signals = [
        [(row[0], row[1]) for row in rows(tmp_path / name, "SELECT memory_id, signal_id FROM credit_events "
                                         "WHERE signal_id IS NOT NULL")]
        for name in ("near", "own")
    ]  # fmt: skip
    assert [[id for id, _ in each] for each in signals] == [["entity-people-dana"], ["entity-people-dana"]]
    assert signals[0][0][1] == signals[1][0][1]
    assert rows(tmp_path / "own", "SELECT count(*) FROM turn_records") == [(0,)]


def rows(home: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / ".clawbrain" / "ledger.db")) as db:
        return db.execute(query).fetchall()


def test_shares_are_those_of_one_home(homes: Callable[[str], Path], served: Served, clock: Clock) -> None:
    whole, near, far = homes("whole"), homes("near"), homes("far")
    for number, text in enumerate(TEXTS):
        entity(whole, number, *text)
        entity((near, far)[number % 2], number, *text)
    brain = served(near, "far")
    with open_brain(whole, session="session-1", clock=clock) as one:
        for signal in ("positive_feedback", "user_correction", "task_completed"):
            for each in (one, brain):
                each.search("what does the cache evict with")
            alone, together = one.feedback(signal).updated, brain.feedback(signal).updated
            assert {move.id: round(move.new_score, 9) for move in together} == {
                move.id: round(move.new_score, 9) for move in alone
            }
        assert numbers(brain.search("what does the cache evict with")) == numbers(
            one.search("what does the cache evict with")
        )


def test_what_was_earned_in_one_project_counts_for_like_questions_there_alone(
    homes: Callable[[str], Path], served: Served
) -> None:
    near, own = homes("near"), homes("own")
    entity(near, 1, "projects", "cache", "The cache evicts with LRU.", [])
    entity(own, 2, "notes", "cache-habits", "A cache is measured before it is made larger.", [])
    brain = served(near, "own")
    for _ in range(3):
        brain.search("cache")
        brain.feedback("user_correction", ["user:entity-notes-cache-habits"])
    again = {hit.id: hit.credit for hit in served(near, "own", session="other").search("cache").hits}
    assert again["entity-notes-cache-habits"] < 0.45
    kinds = [kind for (kind,) in rows(own, "SELECT kind FROM evidence")]
    home = rows(near, "SELECT value FROM notes WHERE key = 'home_id'")[0][0]
    assert any(f"{home}:entity-projects-cache" in str(kind) for kind in kinds)


@pytest.mark.parametrize(
    ("reference", "question"),
    [
        ("entity-people-dana", ["entity-people-dana", "user:entity-people-dana"]),
        ("user:entity-people-dana", ["entity-people-dana", "user:entity-people-dana"]),
        ("user:people/dana", ["entity-people-dana", "user:entity-people-dana"]),
        ("entity-preferences-pnpm", None),
        ("user:preferences/pnpm", None),
    ],
)
def test_how_a_memory_of_a_layer_came_to_its_score_is_told_for_both_forms(
    both: LayeredBrain, reference: str, question: list[str] | None
) -> None:
    both.search("Dana reviews")
    both.feedback("positive_feedback")
    events = [event for event, _ in both.credit_history(reference)]
    assert [event.event_type for event in events] == ["store", *(["positive_feedback"] if question else [])]
    assert [sorted(dict(json.loads(event.kind or "[]"))) for event in events[1:]] == ([question] if question else [])


def test_feedback_names_memories_of_layers_in_both_forms_and_refuses_what_was_not_shown(both: LayeredBrain) -> None:
    both.search("pnpm")
    with pytest.raises(Invalid, match="not seen"):
        both.feedback("positive_feedback", ["user:people/dana"])
    moved = both.feedback("positive_feedback", ["preferences/pnpm"]).updated
    assert [move.id for move in moved] == ["entity-preferences-pnpm"]


def test_a_signal_that_was_cut_off_by_a_kill_is_delivered_once(
    homes: Callable[[str], Path], served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, own = homes("near"), homes("own")
    entity(near, 0, "people", "dana", "Dana reviews the cache.", [])
    entity(own, 1, "people", "dana", "Dana likes tea.", [])
    brain = served(near, "own")
    brain.search("dana")

    def killed() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(brain.learning, "deliver", killed)
    with pytest.raises(KeyboardInterrupt):
        brain.feedback("positive_feedback")
    learnt = "SELECT count(*) FROM credit_events WHERE event_type = 'positive_feedback'"
    assert (rows(near, learnt), rows(own, learnt)) == ([(1,)], [(0,)])
    for _ in range(2):
        served(near, "own").close()
    assert (rows(near, learnt), rows(own, learnt)) == ([(1,)], [(1,)])


def test_a_kill_at_any_step_of_a_signal_leaves_nothing_half_learnt(
    homes: Callable[[str], Path], served: Served, tmp_path: Path
) -> None:
    near, far = homes("near"), homes("far")
    entity(near, 0, "people", "dana", "Dana reviews the cache.", [])
    entity(far, 1, "people", "dana", "Dana likes tea.", [])
    brain = served(near, "far")
    brain.search("dana")
    brain.close()
    learnt = "SELECT count(*) FROM credit_events WHERE event_type = 'positive_feedback'"
    seen = set()
    for number in range(0, 1_000, 11):
        for home in (near, far):
            shutil.copytree(home, tmp_path / str(number) / home.name)
        here = tmp_path / str(number) / "near"
        got_through = not killed_in_feedback(number, here, served)
        served(here, "../far", started_in=here).close()  # whoever opens these homes next finishes the signal
        counts = [rows(tmp_path / str(number) / name, learnt)[0][0] for name in ("near", "far")]
        assert counts in ([0, 0], [1, 1]), number
        seen.add(counts[0])
        again = served(here, "../far", started_in=here)
        with suppress(Refused):
            again.feedback("positive_feedback")
        again.close()
        assert [rows(tmp_path / str(number) / name, learnt)[0][0] for name in ("near", "far")] == [1, 1]
        shutil.rmtree(tmp_path / str(number))
        if got_through:
            break
    assert got_through
    assert seen == {0, 1}


def killed_in_feedback(number: int, home: Path, served: Served) -> bool:
    """Give feedback in another process that is gone at its nth step in the database; tell whether it was."""
    child = os.fork()
    if child:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status in (0, 9)
        return status == 9
    left = number

    def step(frame: FrameType, event: str, _: object) -> None:
        nonlocal left
        left -= event == "call" and frame.f_code.co_filename.endswith("storage/sqlite.py")
        if left < 0:
            os._exit(9)

    try:
        brain = served(home, "../far", started_in=home)
        sys.setprofile(step)
        brain.feedback("positive_feedback")
        sys.setprofile(None)
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def test_a_signal_that_a_layer_has_already_is_not_counted_again(homes: Callable[[str], Path], served: Served) -> None:
    near, own = homes("near"), homes("own")
    entity(own, 1, "people", "dana", "Dana likes tea.", [])
    brain = served(near, "own")
    brain.search("dana")
    brain.feedback("positive_feedback")
    score = brain.credits(["entity-people-dana"])["entity-people-dana"].score
    with brain.deciding():
        signal = rows(own, "SELECT signal_id FROM credit_events WHERE signal_id IS NOT NULL")[0][0]
        lesson = {
            "home": brain.layers.farther[0].home_id, "signal": "positive_feedback", "signal_id": signal,
            "steps": [["entity-people-dana", [], 1.0, 0.5]],
        }  # fmt: skip
        brain.keep_note("undelivered", json.dumps([lesson]))
    again = served(near, "own")
    assert again.credits(["entity-people-dana"])["entity-people-dana"].score == score
    assert again.kept_note("undelivered") == "[]"


# The server, the command line and the hooks


def listed(*options: str, by_sdk: bool = False) -> list[dict[str, Any]]:
    with Client(*options, greet=not by_sdk) as client:
        if by_sdk:  # what is in no snapshot is answered by the SDK, and so is all that follows
            client.send({"jsonrpc": "2.0", "method": "notifications/nothing"})
            client.greet()
        tools: list[dict[str, Any]] = client.ask("tools/list")["result"]["tools"]
        return tools


def test_without_layers_the_list_of_tools_is_as_it_was(home: Path) -> None:
    offered = profiles.offered(profiles.load("clawbrain"))
    everything = profiles.read("clawbrain", profiles.SNAPSHOT)["handshake"]["tools/list"]["tools"]
    before = [tool for tool in everything if tool["name"] in offered]
    assert json.dumps(listed("--home", str(home))) == json.dumps(before)
    assert not {"scope", "layer", "contradicted_by"} & {*re.findall(r"\w+", json.dumps(before))}


def test_with_layers_a_store_takes_their_names_as_scope_whoever_answers(homes: Callable[[str], Path]) -> None:
    options = ("--home", str(homes("near")), "--layer", f"team={homes('far')}")
    tools = listed(*options)
    assert tools == listed(*options, by_sdk=True)
    scope = next(tool for tool in tools if tool["name"] == "memory_store")["inputSchema"]["properties"]["scope"]
    assert scope["enum"] == ["project", "team"]


def test_a_server_finds_and_stores_in_a_layer(homes: Callable[[str], Path]) -> None:
    near, far = homes("near"), homes("far")
    entity(near, 0, "people", "dana", "Dana reviews the cache.", [])
    entity(far, 1, "people", "dana", "Dana likes tea.", [])
    with Client("--home", str(near), "--layer", f"team={far}") as client:

        def call(tool: str, **words: object) -> dict[str, Any]:
            answer: dict[str, Any] = client.call(tool, **words)["structuredContent"]
            return answer

        found = call("memory_search", query="dana")
        assert {(hit["id"], hit.get("layer")) for hit in found["results"]} == {
            ("entity-people-dana", None), ("team:entity-people-dana", "team"),
        }  # fmt: skip
        assert call("memory_retrieve", id="team:people/dana")["layer"] == "team"
        words = {"type": "entity", "category": "notes", "name": "tea", "content": "Green.", "scope": "team"}
        assert call("memory_store", **words)["layer"] == "team"
        moved = call("memory_feedback", signal="positive_feedback")["updated"]
        assert {move["id"] for move in moved} == {"team:entity-people-dana"}  # the one that was opened
    assert (far / "memory/entities/notes/tea.md").is_file()


def test_a_profile_that_serves_one_home_refuses_layers(homes: Callable[[str], Path]) -> None:
    words = [*SERVE, "--profile", "memory", "--home", str(homes("near")), "--layer", str(homes("far"))]
    done = subprocess.run(words, input=b"", capture_output=True)
    assert done.returncode == 2
    assert b"--layer cannot be served with the profile 'memory'" in done.stderr


def test_the_command_line_takes_layers_in_any_place(
    homes: Callable[[str], Path], run: Callable[..., Any], tmp_path: Path
) -> None:
    near, far = homes("near"), homes("far")
    here = ("--home", near, "--layer", f"team={far}")
    assert run(*here, "store", "entity", "tea", "--category", "notes", "--scope", "team", "Green.").exit_code == 0
    assert json.loads(run("search", "tea", *here, "--json").output)["results"][0]["layer"] == "team"
    assert "(layer team)" in run("show", "team:notes/tea", *here).output
    assert run("archive", "notes/tea", *here).exit_code == 0
    assert (far / "archive/entities/notes/tea.md").is_file()
    assert run("search", "tea", "--home", near, "--scope", "x").exit_code == 2


def test_the_owner_allows_what_strategy_names(
    homes: Callable[[str], Path], run: Callable[..., Any], config: Path
) -> None:
    near, far = homes("near"), homes("far")
    entity(far, 1, "notes", "tea", "Green tea.", [])
    (near / "STRATEGY.md").write_text(page("layers: [{name: team, path: ../far}]"))

    def found() -> list[str]:
        return [hit["id"] for hit in json.loads(run("search", "tea", "--home", near, "--json").stdout)["results"]]

    assert found() == []
    run("layers", "allow", "--home", far)  # which names none, so that nothing is to be noted
    assert not config.exists()
    assert "clawbrain layers allow" in run("search", "tea", "--home", near).stderr
    assert "not allowed" in run("layers", "--home", near).output
    assert run("layers", "allow", "--home", near, "other").exit_code == 1
    assert run("layers", "allow", "--home", near).exit_code == 0
    assert found() == ["entity-notes-tea"]
    run("layers", "disallow", "--home", near)
    assert found() == []


def test_the_prompt_hook_hands_over_memories_of_all_layers_and_praise_reaches_them(
    homes: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    near, far = homes("near"), homes("far")
    entity(near, 0, "people", "dana", "Dana reviews the cache of this project.", [])
    entity(far, 1, "people", "dana", "Dana reviews every kubernetes change.", [])
    monkeypatch.setattr(hooks, "PATIENCE", 60.0)
    monkeypatch.chdir(tmp_path)
    for home in (near, far):
        with open_brain(home) as brain:
            brain.sync(now=True)

    def said(prompt: str, mark: str = "") -> str:
        words = ["prompt", "--client", "claude", "--home", str(near), "--layer", f"team={far}{mark}"]
        return hooks.run(words, json.dumps({"prompt": prompt, "session_id": "s", "cwd": str(tmp_path)}))

    answer = said("ask Dana about kubernetes")
    assert "team:entity-people-dana" in answer
    said("perfect, thanks!")
    with closing(sqlite3.connect(far / ".clawbrain" / "ledger.db")) as db:
        signals = db.execute("SELECT event_type FROM credit_events WHERE signal_id IS NOT NULL").fetchall()
    assert signals == [("positive_feedback",)]
    (near / ".clawbrain" / "handed.json").unlink()
    assert "team:entity-people-dana" in said("ask Dana about kubernetes", ":read-only")


def test_a_briefing_over_layers_is_that_of_one_home_that_holds_all(
    homes: Callable[[str], Path], served: Served, clock: Clock
) -> None:
    whole, near, far = homes("whole"), homes("near"), homes("far")
    for number, text in enumerate(TEXTS):
        entity(whole, number, *text)
        entity((near, far)[number % 2], number, *text)
    project = Project("cache", ("cache",))
    with open_brain(whole, clock=clock) as one:
        alone = one.briefing(project)
    together = served(near, "far").briefing(project)
    assert together == alone
    assert "package-manager" in together.text
    assert "commit-style" in together.text


def test_a_briefing_tells_of_layers_what_their_files_say_now(both: LayeredBrain, tmp_path: Path) -> None:
    both.briefing()
    file = tmp_path / "own/memory/entities/preferences/pnpm.md"
    file.write_text(file.read_text().replace("never npm", "never yarn"))
    (tmp_path / "own/memory/entities/people/dana.md").unlink()
    told = both.briefing().text
    assert "never yarn" in told
    assert "user:entity-people-dana" not in told


def test_a_page_on_the_disk_holds_the_memories_of_its_home_alone(both: LayeredBrain, tmp_path: Path) -> None:
    both.store_in("user", "entity", "indent", "Indentation is four spaces.", category="preferences")
    both.store("entity", "spaces", "Indentation is two spaces.", category="preferences")
    assert "user:entity-people-dana" in both.digest_text()
    both.write_digest()
    both.compact()
    both.update("preferences/spaces", "Indentation is two spaces, said twice.")
    both.search("spaces")
    both.close()
    for file in tmp_path.joinpath("near").rglob("*"):
        if file.is_file() and ".clawbrain" not in file.parts:
            assert "pnpm" not in file.read_text(), file
            assert "four" not in file.read_text(), file
    assert rows(tmp_path / "near", "SELECT * FROM contradictions") == []


def test_compaction_moves_nothing_between_layers(homes: Callable[[str], Path], served: Served, tmp_path: Path) -> None:
    near, far = homes("near"), homes("far")
    brain = served(near, "far")
    for scope in ("project", "far"):
        brain.store_in(scope, "episode", f"debugging-{scope}", f"Found the bug of {scope}.", tags=["auth", "bug"])
    assert brain.compact().merged == 0
    assert [path.name for path in (far / "memory/episodes").rglob("*.md")] == ["debugging-far.md"]
    assert [path.name for path in (near / "memory/episodes").rglob("*.md")] == ["debugging-project.md"]


# Installing in a project


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Page\n\nWords.",
        page("pruning: {enabled: false}"),
        page("# nothing"),
        page("# nothing") + page("pruning: {enabled: false}"),
        page("layers:").replace("\n", "\r\n"),
    ],
)
def test_naming_layers_touches_no_other_line_of_strategy(text: str) -> None:
    layers = [GivenLayer("~/clawbrain"), GivenLayer("../it's", "team", True)]
    named = with_layers(text, layers)
    parsed = parse(named)
    assert (list(parsed.layers), parsed.complaints) == (layers, ())
    assert parsed.strategy == parse(text).strategy
    kept = iter(named.splitlines())
    assert all(line in kept for line in text.splitlines())


def test_a_page_that_names_layers_is_left_to_its_owner() -> None:
    with pytest.raises(Refused, match="by hand"):
        with_layers(page("layers: [x]"), [GivenLayer("y")])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of a project in which somebody works, who has a home of their own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("CLAWBRAIN_HOME", str(tmp_path / "own"))
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_install_in_a_project_names_the_persons_own_home_as_a_layer(
    project: Path, run: Callable[..., Any], homes: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = homes("own")
    monkeypatch.setenv("CLAWBRAIN_HOME", str(own))
    entity(own, 0, "preferences", "pnpm", "Always pnpm, never npm.", [])
    words = ("install", "claude", "--project", "--home", ".memory")
    assert "--layer ~/own" in run(*words).output
    assert run(*words, "--layer", own).output.startswith(
        "wrote STRATEGY.md of this memory: its layers now have ~/own\nallowed this memory to search ~/own"
    )
    assert run(*words, "--layer", own).output.startswith("Claude Code\nNothing to change.")
    assert "~/own" in (project / ".memory" / "STRATEGY.md").read_text()
    assert str(own) not in (project / ".memory" / "STRATEGY.md").read_text()
    found = json.loads(run("search", "pnpm", "--home", ".memory", "--json").stdout)["results"]
    assert [(hit["id"], hit["layer"]) for hit in found] == [("entity-preferences-pnpm", "user")]
    assert "--layer" not in run(*words).output


def test_a_clone_of_the_project_elsewhere_does_not_read_the_persons_own_home(
    project: Path, run: Callable[..., Any], homes: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = homes("own")
    monkeypatch.setenv("CLAWBRAIN_HOME", str(own))
    entity(own, 0, "preferences", "pnpm", "Always pnpm, never npm.", [])
    run("install", "claude", "--project", "--home", ".memory", "--layer", own)
    shutil.copytree(project / ".memory", project.parent / "clone")
    result = run("search", "pnpm", "--home", project.parent / "clone", "--json")
    assert json.loads(result.stdout)["results"] == []
    assert "layers allow" in result.stderr
