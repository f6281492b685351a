"""Being's tools: scenes, what they bring to mind, notes and diary, people, and the being's own soul."""

import json
import re
import uuid
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest
from mcp_client import Client
from profile_door import Door

from clawbrain import semantic
from clawbrain.profiles.being.pages import Pages
from clawbrain.profiles.shared.titles import Titles
from clawbrain.storage import embeddings

LOGIN = {
    "action": "Alice fixed the login by refreshing the token.",
    "actors": ["Alice", "Bob"],
    "when": ["2026-02-25"],
    "setting": "the office",
    "feeling": "relieved",
    "themes": ["auth", "bugs"],
    "importance": 0.8,
}
SUSHI = {"action": "花子は東京で寿司を食べた。", "actors": ["花子"], "when": ["2026-02-24"], "themes": ["旅行"]}
RAIN = {"action": "It rained all day.", "actors": [], "when": ["2026-02-23"], "feeling": "calm"}
UID = re.compile(r"\[([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\]")
TARGETS = ["preferences", "knowledge", "relationship", "partner_tools", "partner_map", "notes", "partner_rules"]
KEYED = {**dict.fromkeys(TARGETS, "editor"), "diary": "2026-02-20", "souls": "voice"}
WRITERS = ["merge_nodes", "update_memory", "update_notes", "update_relation", "trigger_patrol"]
PUBLISHED = "28daa5d80b74ad45b42aafc5eb5400f02c9ece8e99068ecdc466335f014ca0ba"  # all their schemas
NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def door(brain):
    return Door(brain, "being")


@pytest.fixture
def tell(door):
    """Store scenes and answer their ids."""

    def told(*scenes):
        assert door.text("update_notes", scenes=list(scenes)).startswith("ok: notes updated.")
        ids = []
        for scene in scenes:
            ids.append(uids(door.text("search_memory", query=scene["action"], limit=1))[0])
        return ids

    return told


@pytest.fixture
def keep(door):
    def kept(target, action, **words):
        return door("update_memory", target=target, action=action, **words)["message"]

    return kept


def uids(text):
    return UID.findall(text)


def failed(door, /, **words):
    fault = door.fault("update_memory", **words)
    assert fault["success"] is False
    return fault["message"]


# --- scenes and notes


def test_notes_are_answered_with_the_open_ones(door):
    text = door.text("update_notes", notes=["Ask Bob", "Buy tea"])
    assert text.splitlines()[0] == "ok: notes updated."
    assert [line.partition("] ")[2] for line in text.splitlines() if line.startswith("- [")] == ["Ask Bob", "Buy tea"]
    assert len(uids(text)) == 2


def test_a_note_told_twice_is_one_note(door):
    door.text("update_notes", notes=["Ask Bob", "Ask Bob"])
    assert len(uids(door.text("update_notes", notes=["Ask Bob"]))) == 1


@pytest.mark.parametrize("words", [{}, {"scenes": [], "notes": []}, {"action": "update"}, {"scene_ids": [NOBODY]}])
def test_nothing_told_is_an_error(door, words):
    text = door.fault("update_notes", **words)
    assert text == "error: nothing was given; give scenes or notes, or with action update the scene_ids to replace."


def test_scenes_can_be_taken_away_without_others(door, tell):
    (old,) = tell(LOGIN)
    assert door.text("update_notes", action="update", scene_ids=[old]) == "ok: notes updated.\n\nNo open notes."


def test_a_scene_is_a_memory_at_once(door, brain):
    door.text("update_notes", scenes=[LOGIN])
    (scene,) = brain.having("kind", "scene")
    assert scene.tags == ("auth", "bugs")
    assert scene.extra["importance"] == "0.8"
    assert str(uuid.UUID(scene.extra["uid"])) == scene.extra["uid"]


def test_a_scene_has_half_of_all_importance_unless_told(door, tell):
    (id,) = tell(SUSHI)
    assert "importance: 0.5\n" in door.text("recall_memory", node_id=id)


@pytest.mark.parametrize(("given", "kept"), [(7, "1"), (-1, "0"), (0.25, "0.25")])
def test_importance_is_clamped(door, tell, given, kept):
    (id,) = tell({**RAIN, "importance": given})
    assert f"importance: {kept}\n" in door.text("recall_memory", node_id=id)


def test_update_puts_scenes_in_the_place_of_others(door, tell):
    (old,) = tell(LOGIN)
    door.text("update_notes", action="update", scene_ids=[old], scenes=[RAIN])
    assert uids(door.text("search_memory", query="login")) == []
    assert len(uids(door.text("search_memory", query="rained"))) == 1
    assert "status: archived" in door.text("recall_memory", node_id=old)


def test_append_deletes_nothing(door, tell):
    (old,) = tell(LOGIN)
    door.text("update_notes", scene_ids=[old], scenes=[RAIN])
    assert "status: active" in door.text("recall_memory", node_id=old)


@pytest.mark.parametrize(
    ("scene", "why"),
    [
        ({**RAIN, "action": " "}, "action is empty"),
        ({**RAIN, "when": ["soon"]}, "'soon'"),
        ({**RAIN, "themes": ["x" * 65]}, "tag"),
    ],
)
def test_a_scene_that_cannot_be_stored_is_told_and_deletes_nothing(door, tell, scene, why):
    (old,) = tell(LOGIN)
    text = door.fault("update_notes", action="update", scene_ids=[old], scenes=[scene])
    assert text.startswith("error: ") and why in text
    assert "status: active" in door.text("recall_memory", node_id=old)


def test_a_scene_to_delete_that_is_not_there_is_told(door, brain):
    assert NOBODY in door.fault("update_notes", action="update", scene_ids=[NOBODY], scenes=[RAIN])
    assert brain.index.count() == 0


@pytest.mark.parametrize("missing", ["action", "actors", "when"])
def test_what_a_scene_needs_is_asked_for(door, missing):
    scene = {key: value for key, value in LOGIN.items() if key != missing}
    assert f"'{missing}' is missing in item 1 of 'scenes'" in door.fault("update_notes", scenes=[scene])


def test_a_note_too_large_keeps_scenes_from_being_told_twice(door, brain):
    assert "1048576" in door.fault("update_notes", scenes=[RAIN], notes=["x" * 1_048_577])
    assert brain.index.count() == 0


def test_a_secret_stands_in_no_title(door, home):
    (home / "STRATEGY.md").write_text("# Strategy\n\n```yaml settings\nsafety:\n  secrets: redact\n```\n")
    key = "ghp_" + "a1B2" * 9
    door.text("update_notes", notes=[f"The key {key} is old"])
    door("update_memory", target="preferences", action="append", content=f"Likes {key}")
    assert not [path for path in (home / "memory").rglob("*.md") if "a1B2a1B2" in path.read_text() + path.name]


def test_an_empty_note_is_refused(door):
    assert door.fault("update_notes", notes=["  "]) == "error: a note is empty; write what should be noted."


# --- recall


def test_a_message_brings_back_what_was_done_and_felt(door, tell):
    tell(LOGIN)
    first, fragments, last = door.text("recall", user_message="How was the login fixed?").split("\n")
    assert (first, last) == ("<memory-recall>", "</memory-recall>")
    assert set(fragments.split(" / ")) == {LOGIN["action"], "relieved"}


def test_the_order_depends_on_the_message_alone(door, tell, opened):
    scenes = [{**LOGIN, "action": f"Login number {n} was fixed.", "feeling": f"feeling {n}"} for n in range(3)]
    tell(*scenes)
    said = {message: door.text("recall", user_message=message) for message in ("login number", "the login number fix")}
    again = Door(opened("session-2"), "being")
    assert {message: again.text("recall", user_message=message) for message in said} == said
    assert len({tuple(sorted(text)) for text in said.values()}) == 1 < len(set(said.values()))


def test_at_most_three_come_to_mind(door, tell):
    tell(*({**RAIN, "action": f"Login number {n}.", "feeling": ""} for n in range(5)))
    assert door.text("recall", user_message="login").count(" / ") == 2


@pytest.mark.parametrize("message", ["quantum chromodynamics", "", "?!"])
def test_nothing_related_is_a_sentence(door, tell, message):
    tell(LOGIN)
    answer = door.answer("recall", user_message=message)
    assert (answer.content[0].text, answer.is_error) == ("No related memories.", False)


def test_other_memories_come_to_mind_too(door, brain):
    brain.store("entity", "deploy", "We deploy on Fridays.", category="knowledge")
    assert "We deploy on Fridays." in door.text("recall", user_message="when do we deploy")


def test_a_memory_cannot_close_the_block(door, tell):
    tell({**RAIN, "action": "Rain </memory-recall> and orders."})
    assert door.text("recall", user_message="rain orders").count("</memory-recall>") == 1


def test_a_long_message_is_no_trouble(door, tell):
    tell(LOGIN)
    assert "login" in door.text("recall", user_message="login " * 50_000)


def test_a_failing_recall_is_no_error(door):
    answer = door.answer("recall")
    assert not answer.is_error and "user_message" in answer.content[0].text


# --- recall_memory


def test_without_memories_there_are_no_clusters(door):
    assert door.text("recall_memory") == "No clusters yet: no memory has a theme."


def test_clusters_are_themes(door, tell, clock):
    tell(LOGIN, SUSHI)
    clock.forward(days=1)
    tell({**LOGIN, "action": "The token broke.", "themes": ["auth"]})
    head, *rows = door.text("recall_memory").splitlines()
    assert head == "Clusters (3):"
    assert rows[0].endswith("] auth — 2 scenes, newest 2026-02-26 — The token broke.")
    assert {row.partition("] ")[2].partition(" — ")[0] for row in rows} == {"auth", "bugs", "旅行"}


def test_a_cluster_of_more_than_scenes_says_so(door, tell, brain):
    tell(SUSHI)
    brain.store("episode", "trip", "The trip to Japan.", tags=["japan"])
    tell({**RAIN, "themes": ["japan"]})
    _, japan, travel = door.text("recall_memory").splitlines()
    assert japan.endswith("] japan — 2 memories, newest 2026-02-25 — It rained all day.")
    assert travel.endswith("] 旅行 — 1 scene, newest 2026-02-25 — 花子は東京で寿司を食べた。")


def test_a_cluster_has_the_same_id_everywhere(door, tell, opened, home):
    tell(LOGIN)
    id = uids(door.text("recall_memory"))[0]
    assert uuid.UUID(id).version == 5
    assert uids(Door(opened("session-2"), "being").text("recall_memory"))[0] == id


def test_a_cluster_is_told_by_importance(door, tell):
    tell({**LOGIN, "action": "Small.", "importance": 0.1}, LOGIN, {**LOGIN, "action": "Big.", "importance": 0.9})
    id = uids(door.text("recall_memory"))[0]
    head, *rows = door.text("recall_memory", cluster_id=id).splitlines()
    assert head.startswith("[auth] ")
    assert [row.partition("] ")[2] for row in rows] == ["Big. [0.9]", f"{LOGIN['action']} [0.8]", "Small. [0.1]"]
    assert len(door.text("recall_memory", cluster_id=id, limit=1).splitlines()) == 2
    assert len(door.text("recall_memory", cluster_id=id, limit=-5).splitlines()) == 2
    assert door.text("recall_memory", cluster_id=id, no_nodes=True).splitlines() == [head]


def test_a_digest_is_the_newest_merged_scenes(door, tell):
    a, b = tell(LOGIN, {**LOGIN, "action": "The token broke."})
    door.text("merge_nodes", node_ids=f"{a},{b}", summary="Tokens were mended.")
    tell({**LOGIN, "action": "Afterwards."})
    assert " — Tokens were mended.\n" in door.text("recall_memory")


def test_five_nodes_are_told_unless_more_are_asked_for(door, tell):
    tell(*({**LOGIN, "action": f"Login number {n}."} for n in range(7)))
    id = uids(door.text("recall_memory"))[0]
    assert len(door.text("recall_memory", cluster_id=id).splitlines()) == 6
    assert len(door.text("recall_memory", cluster_id=id, limit=100_000).splitlines()) == 8


def test_a_node_is_told_field_by_field(door, tell):
    (id,) = tell(LOGIN)
    assert door.text("recall_memory", node_id=id).splitlines() == [
        f"[{id}]",
        f"scene: {LOGIN['action']}",
        "when: 2026-02-25",
        "actors: Alice, Bob",
        "setting: the office",
        "feeling: relieved",
        "themes: auth, bugs",
        "importance: 0.8",
        "status: active",
        "reactivations: 1",
        "file: memory/episodes/2026-02/alice-fixed-the-login-by-refreshing-the-token.md",
    ]


def test_reading_a_living_node_counts_once_an_archived_one_twice(door, tell, brain):
    (id,) = tell(LOGIN)
    door.text("recall_memory", node_id=id)
    assert "reactivations: 2" in door.text("recall_memory", node_id=id)
    brain.archive(Titles(brain).find(id).id)
    assert "reactivations: 2" in door.text("recall_memory", node_id=id)
    assert "reactivations: 4" in door.text("recall_memory", node_id=id)


def test_what_was_read_in_the_archive_comes_back_with_the_next_patrol(door, tell):
    (id,) = tell(LOGIN)
    door.text("update_notes", action="update", scene_ids=[id])
    door("trigger_patrol", messages=[])
    assert uids(door.text("search_memory", query="login")) == []
    assert "status: archived; the next patrol brings it back" in door.text("recall_memory", node_id=id)
    door("trigger_patrol", messages=[])
    assert uids(door.text("search_memory", query="login")) == [id]
    assert "status: active" in door.text("recall_memory", node_id=id)


def test_a_replaced_node_says_what_replaced_it_and_stays_away(door, tell):
    (old,) = tell(LOGIN)
    denied = {**LOGIN, "action": "Alice did not fix the login; she asked for time."}
    door.text("update_notes", action="update", scene_ids=[old], scenes=[denied, RAIN])
    new = [uids(door.text("search_memory", query=action, limit=1))[0] for action in (denied["action"], RAIN["action"])]
    for _ in range(2):
        told = door.text("recall_memory", node_id=old)
        assert f"status: archived, replaced by [{new[0]}], [{new[1]}]\nreactivations: 0" in told
        door("trigger_patrol", messages=[{"role": "user", "content": "Bye."}])
    assert uids(door.text("search_memory", query="login")) == new[:1]


def test_a_replaced_node_stays_away_however_often_it_is_asked_for(door, tell, brain):
    (old,) = tell(LOGIN)
    door.text("update_notes", action="update", scene_ids=[old], scenes=[RAIN])
    ((path, _),) = brain.owner.archived()
    brain.add_requests(path, 2)
    door("trigger_patrol", messages=[])
    assert uids(door.text("search_memory", query="login")) == []


def test_a_replaced_node_goes_away_only_once_the_other_is_stored(door, tell, clock, write):
    (old,) = tell(LOGIN)
    clock.forward(days=40)
    write(f"episodes/{clock():%Y-%m}", "a file where the folder of the month should be")
    assert "error" in door.fault("update_notes", action="update", scene_ids=[old], scenes=[RAIN])
    assert "status: active" in door.text("recall_memory", node_id=old)


def test_a_merged_node_says_where_it_went_and_stays_there(door, tell):
    a, b = tell(LOGIN, RAIN)
    made = door.text("merge_nodes", node_ids=f"{a},{b}", summary="A day.").split()[-1]
    assert f"status: archived, merged into [{made}]" in door.text("recall_memory", node_id=a)
    door("trigger_patrol", messages=[])
    assert "status: archived" in door.text("recall_memory", node_id=a)


@pytest.mark.parametrize("words", [{"node_id": NOBODY}, {"cluster_id": NOBODY}])
def test_who_is_not_there_is_named(door, words):
    answer = door.answer("recall_memory", **words)
    assert NOBODY in answer.content[0].text and not answer.is_error


def test_a_query_finds_nodes_and_the_clusters_they_are_in(door, tell):
    login, _ = tell(LOGIN, SUSHI)
    assert uids(door.text("recall_memory", query="login")) == [login]
    assert door.text("recall_memory", query="chromodynamics") == "No related memories."
    assert "] auth — " in door.text("recall_memory", query="login", no_nodes=True)
    assert "旅行" not in door.text("recall_memory", query="login", no_nodes=True)
    assert door.text("recall_memory", query="chromodynamics", no_nodes=True) == "No related memories."


def test_a_query_may_stay_within_a_cluster(door, tell):
    tell(LOGIN, {**LOGIN, "action": "Login elsewhere.", "themes": ["other"]})
    clusters = dict(re.findall(r"\[(.*?)\] (\w+) — ", door.text("recall_memory")))
    other = next(id for id, name in clusters.items() if name == "other")
    assert "elsewhere" in door.text("recall_memory", query="login", cluster_id=other).splitlines()[1]
    assert len(uids(door.text("recall_memory", query="login", cluster_id=other))) == 1


def test_an_answer_ends_at_four_thousand_characters(door, tell):
    (id,) = tell({**RAIN, "action": "Rain. " * 2_000})
    assert len(door.text("recall_memory", node_id=id)) == 4_000


@pytest.mark.parametrize("words", [{}, {"limit": 100}, {"query": "rain", "limit": 100, "no_nodes": True}])
def test_a_list_of_clusters_ends_with_how_many_are_left_out(door, words):
    for n in range(60):
        door.text("update_notes", scenes=[{**RAIN, "action": f"Rain in place {n}.", "themes": [f"place{n}"]}])
    text = door.text("recall_memory", **words)
    head, *rows, last = text.splitlines()
    left = int(re.fullmatch(r"\((\d+) more are left out; ask with a query, .*\)", last)[1])
    assert (head, len(rows)) == ("Clusters (60):", 60 - left) and left > 0
    assert all(re.fullmatch(r"- \[[-0-9a-f]{36}\] place\d+ — 1 scene, .* — Rain in place \d+\.", row) for row in rows)
    assert 4_000 - len(rows[0]) - 10 < len(text) <= 4_000


def test_a_list_of_memories_ends_with_how_many_are_left_out(door, tell):
    tell(*({**RAIN, "action": f"Rain in place {n}. " + "It poured. " * 20, "themes": ["rain"]} for n in range(20)))
    for words in ({"query": "rain"}, {"cluster_id": "rain"}):
        text = door.text("recall_memory", limit=20, **words)
        _, *rows, last = text.splitlines()
        assert len(text) <= 4_000 and all(row.endswith(" [0.5]") for row in rows)
        assert last.startswith(f"({20 - len(rows)} more are left out;")
        assert "left out" not in door.text("recall_memory", limit=5, **words)


# --- search_memory


def test_a_match_says_what_matched(door, tell):
    (id,) = tell(LOGIN)
    assert door.text("search_memory", query="token").splitlines() == [
        "1 memories (keyword search):",
        f"- [{id}] [matched: action] {LOGIN['action']} (themes: auth, bugs)",
    ]
    assert "[matched: feeling]" in door.text("search_memory", query="relieved")
    assert "[matched: themes]" in door.text("search_memory", query="bugs")
    assert "[matched: when]" in door.text("search_memory", query="2026-02-25")


def test_scripts_of_all_kinds_are_found(door, tell):
    (id,) = tell(SUSHI)
    assert uids(door.text("search_memory", query="寿司")) == [id]
    assert uids(door.text("search_memory", query="旅行", mode="and")) == [id]


def test_any_word_or_all_words(door, tell):
    login, rain = tell(LOGIN, RAIN)
    assert set(uids(door.text("search_memory", query="login rained"))) == {login, rain}
    assert uids(door.text("search_memory", query="login rained", mode="and")) == []
    assert uids(door.text("search_memory", query="calm rained", mode="and")) == [rain]
    assert door.text("search_memory", query="chromodynamics") == "0 memories (keyword search):"


@pytest.mark.parametrize(("limit", "found"), [(None, 10), (3, 3), (0, 1), (1e9, 30), (2.7, 2)])
def test_the_number_of_matches_is_clamped(door, limit, found):
    door.text("update_notes", scenes=[{**RAIN, "action": f"Login number {n}."} for n in range(35)])
    words = {} if limit is None else {"limit": limit}
    assert len(uids(door.text("search_memory", query="login", **words))) == found


def test_a_mode_that_is_none_is_refused(door):
    assert '"or", "and"' in door.fault("search_memory", query="x", mode="xor")


with_meaning = pytest.mark.skipif(not semantic.installed(), reason="the extra is not installed")
FARM = {**RAIN, "action": "On Monday all animals of the farm are examined at the clinic.", "feeling": ""}


@pytest.fixture
def patient(monkeypatch):
    monkeypatch.setattr(embeddings, "PATIENCE", 60.0)  # however slowly this runs


@with_meaning
def test_what_meaning_found_is_said_to_be_found_by_meaning(door, tell, patient):
    (farm,) = tell(FARM)
    head, row = door.text("search_memory", query="veterinarian cattle").splitlines()
    assert head == "1 memories (search by meaning):"
    assert row == f"- [{farm}] [matched: meaning] {FARM['action']}"
    assert door.text("search_memory", query="animals clinic").startswith("1 memories (keyword search):")


@with_meaning
def test_words_and_meaning_are_told_apart(door, tell, patient):
    farm, mara = tell(FARM, {**RAIN, "action": "Mara, a veterinarian, likes tea.", "feeling": ""})
    text = door.text("search_memory", query="when does the veterinarian see the cattle?")
    assert text.startswith("2 memories (keyword search, 1 by meaning):")
    assert f"[{farm}] [matched: meaning]" in text and f"[{mara}] [matched: action]" in text


# --- merge_nodes


def test_a_merge_answers_how_many_and_the_new_id(door, tell):
    ids = tell(LOGIN, SUSHI, RAIN)
    text = door.text("merge_nodes", node_ids=" , ".join(ids), summary="Three days.", feeling="full")
    found = re.fullmatch(r"Merged 3 nodes\. New node ID: (\S+)", text)
    assert found
    node = door.text("recall_memory", node_id=found[1])
    assert "scene: Three days.\nwhen: 2026-02-23, 2026-02-24, 2026-02-25\nactors: Alice, Bob, 花子" in node
    assert "feeling: full\nthemes: auth, bugs, 旅行\nimportance: 0.8" in node
    assert found[1] not in ids
    again = {"node_ids": ",".join(ids), "summary": "Three days.", "feeling": "full"}
    assert found[1] in door.text("merge_nodes", **again)
    assert "merged already" in door.fault("merge_nodes", **again | {"summary": "Three other days."})


@pytest.mark.parametrize(
    ("ids", "why"), [(NOBODY, NOBODY), ("", "two different"), ("{a}", "two different"), ("{a},{a}", "two different")]
)
def test_a_merge_that_cannot_be_is_told(door, tell, ids, why):
    (a,) = tell(LOGIN)
    text = door.fault("merge_nodes", node_ids=ids.format(a=a), summary="x")
    assert text.startswith("error: ") and why in text
    assert "status: active" in door.text("recall_memory", node_id=a)


# --- update_memory


@pytest.mark.parametrize("target", KEYED)
def test_a_text_is_kept_got_and_changed(keep, target):
    key = KEYED[target]
    keep(target, "append", key=key, content="First text.")
    assert "First text." in keep(target, "get", key=key)
    assert "First text." in keep(target, "get")
    said = keep(target, "update", key=key, content="Second text.")
    assert said.endswith(" updated.\n\nBefore:\nFirst text.\n\nAfter:\nSecond text.")
    assert "Second text." in keep(target, "get", key=key)
    assert "First text." not in keep(target, "get")


@pytest.mark.parametrize("target", KEYED)
def test_what_is_deleted_lies_in_the_archive(keep, door, home, target):
    keep(target, "append", key=KEYED[target], content="First text.")
    assert "deleted" in keep(target, "delete", key=KEYED[target])
    assert keep(target, "get") == f"{target}: nothing yet."
    assert any("First text." in path.read_text() for path in (home / "archive").rglob("*.md"))
    failed(door, target=target, action="delete", key=KEYED[target])


@pytest.mark.parametrize("target", KEYED)
@pytest.mark.parametrize("action", ["update", "delete"])
def test_without_a_key_nothing_is_changed(door, keep, target, action):
    keep(target, "append", key=KEYED[target], content="First text.")
    if (target, action) != ("partner_rules", "update"):
        assert f"{target} {action} needs a key" in failed(door, target=target, action=action, content="Second text.")
    assert "First text." in keep(target, "get")


def test_a_missing_key_is_asked_for_in_these_words(door):
    assert failed(door, target="preferences", action="update", content="x") == "preferences update needs a key"


@pytest.mark.parametrize("target", KEYED)
@pytest.mark.parametrize("action", ["update", "delete"])
def test_an_unknown_key_is_told(door, target, action):
    assert "nokey" in failed(door, target=target, action=action, key="nokey", content="x")


@pytest.mark.parametrize("target", KEYED)
def test_an_unknown_key_got_is_no_success_and_no_error(door, target):
    answer = door.answer("update_memory", target=target, action="get", key="nokey")
    assert answer.structured_content["success"] is False and not answer.is_error


@pytest.mark.parametrize("target", KEYED)
@pytest.mark.parametrize("action", ["append", "update"])
def test_a_write_needs_a_text(door, target, action):
    assert "needs content" in failed(door, target=target, action=action, key=KEYED[target], content=" ")


@pytest.mark.parametrize("target", sorted(KEYED.keys() - {"preferences"}))
def test_what_is_added_joins_with_a_blank_line(keep, target):
    for text in ("First text.", "Second text."):
        keep(target, "append", key=KEYED[target], content=text)
    assert "First text.\n\nSecond text." in keep(target, "get", key=KEYED[target])


def test_a_preference_is_put_in_the_place_of_the_one_before(keep):
    keep("preferences", "append", key="editor", content="Vim")
    said = keep("preferences", "append", key="editor", content="Emacs")
    assert said == "preferences[editor] updated.\n\nBefore:\nVim\n\nAfter:\nEmacs"
    assert keep("preferences", "get", key="editor") == "preferences[editor]:\n\nEmacs"
    keep("preferences", "append", key="Café", content="Noir")  # with an accent, and with e and an accent
    assert "updated" in keep("preferences", "append", key="CAFE\N{COMBINING ACUTE ACCENT}", content="Crème")


def test_the_key_of_a_preference_is_how_it_begins(keep):
    said = keep("preferences", "append", content="Prefers tabs over spaces in every language but Python")
    assert said == "preferences[Prefers tabs over spaces in every language but Pyt] saved."


@pytest.mark.parametrize("target", ["preferences", "knowledge"])
def test_texts_that_begin_alike_are_two_where_nobody_gave_a_key(keep, target):
    begins = "In the repository of the ferries Mara wants that all "
    for text in (f"{begins}commits are signed.", f"{begins}texts are in German.", f"{begins}texts are in German."):
        keep(target, "append", content=text)
    got = keep(target, "get")
    assert got.count(f"\n- [{begins[:50]}") == 2 and "] " + begins + "commits are signed.\n" in got + "\n"


def test_a_relationship_needs_a_name(door):
    assert "name" in failed(door, target="relationship", action="append", content="Leads auth.")


def test_a_place_has_a_location(keep, home):
    keep("partner_map", "append", key="desk", content="Where one works.", location="Tokyo")
    assert "desk] (Tokyo) Where one works." in keep("partner_map", "get")
    keep("partner_map", "update", key="desk", location="Kyoto")
    assert keep("partner_map", "get", key="desk") == "partner_map[desk]:\n\n(Kyoto)\n\nWhere one works."
    assert 'location: "Kyoto"' in (home / "memory/entities/map/desk.md").read_text()


def test_a_note_is_known_by_its_id(keep, door):
    id = uids(keep("notes", "append", content="Ask Bob"))[0]
    assert id in door.text("update_notes", notes=["Ask Bob"])
    keep("notes", "update", key=id, content="Ask Alice")
    assert "Ask Alice" in door.text("update_notes", notes=["Ask Alice"])
    keep("notes", "delete", key=id)
    assert id not in door.text("update_notes", notes=["Ask Carol"])


def test_the_diary_begins_today_and_tells_the_last_seven_days_and_how_many_are_left_out(door, keep, home):
    assert keep("diary", "append", content="A quiet day.") == "diary[2026-02-25] saved."
    assert (home / "memory/episodes/2026-02/diary-2026-02-25.md").exists()
    for day in range(10, 18):
        keep("diary", "append", key=f"2026-02-{day}", content=f"Day {day}.")
    told = keep("diary", "get")
    assert re.findall(r"^\[(.*)\]$", told, re.MULTILINE) == [f"2026-02-{day}" for day in (*range(12, 18), 25)]
    for text in (told, door("get_context")["snapshot"]):
        assert "(2 earlier days are left out; the first is 2026-02-10" in text


def test_the_diary_has_days_only(door):
    assert "'monday' is no day" in failed(door, target="diary", action="append", key="monday", content="x")


def test_rules_are_one_text_unless_they_have_keys(keep):
    assert keep("partner_rules", "update", content="Be kind.") == "partner_rules[rules] saved."
    assert keep("partner_rules", "update", content="Be brief.").startswith("partner_rules[rules] updated.")


def test_a_soul_is_a_page_with_headings(keep, home):
    keep("souls", "append", key="inner_world", content="A garden.")
    keep("souls", "append", key="voice", content="Soft.")
    text = (home / "memory/entities/persona/self.md").read_text()
    assert text.endswith("---\n\n## Inner world\n\nA garden.\n\n## Voice\n\nSoft.\n")
    assert keep("souls", "get") == "souls:\n\n[voice]\nSoft.\n\n[inner_world]\nA garden."
    assert keep("souls", "delete", key="voice").endswith("kept in the page's history.")
    assert keep("souls", "delete", key="inner_world").endswith("kept in the archive.")


def test_a_soul_page_that_cannot_be_read_is_told_and_gets_no_second(door, home):
    page = home / "memory/entities/persona/self.md"
    page.parent.mkdir(parents=True)
    page.write_text("---\nmodel: [large\n---\nEve\n")
    assert "entities/persona/self.md" in failed(door, target="souls", action="update", key="voice", content="Soft.")
    assert list(page.parent.iterdir()) == [page]


def test_a_soul_has_six_parts(door):
    assert "personality, voice, values" in failed(door, target="souls", action="append", key="hair", content="x")


def test_messages_to_others_are_not_supported_here(door):
    fault = door.fault("update_memory", target="party_message", action="append", content="Hi", to="Bob")
    assert (fault["success"], fault["error_code"]) == (False, "NOT_SUPPORTED_LOCALLY")
    assert "NOT_SUPPORTED_LOCALLY" in fault["message"]


def test_a_text_a_person_changed_meanwhile_is_not_overwritten(keep, door, home):
    keep("preferences", "append", key="editor", content="Vim")
    file = home / "memory/entities/preferences/editor.md"
    file.write_text(file.read_text().replace("Vim", "Emacs"))
    said = failed(door, target="preferences", action="update", key="editor", content="Nano")
    assert "changed since you read it" in said and said.endswith("Emacs")
    assert "Emacs" in keep("preferences", "get", key="editor")
    assert "Before:\nEmacs" in keep("preferences", "update", key="editor", content="Nano")


def test_a_fact_that_another_agent_noted_of_a_person_is_no_change_of_the_text(door, opened):
    words = {"entity_name": "Ada", "relation_type": "person"}
    door("update_relation", action="upsert", content="Lead", **words)
    beside = opened("session-2")
    palace = Door(beside, "palace")
    palace("memory_kg_add", subject="Ada", predicate="works_at", object="Nova")
    assert "updated." in door("update_relation", action="upsert", content="Lead and sailor", **words)["message"]
    assert palace("memory_kg_query", entity="Ada")["count"] == 1
    other = Door(beside, "clawbrain")  # the session that noted the fact knows the text as it was then
    assert "changed since you read it" in other.fault("memory_update", id="entity-people-ada", content="Nobody")
    told = door.answer("update_relation", action="delete", **words).content[1].text
    assert "'Ada' held 1 link to other memories or facts (works_at)" in told


def test_a_target_that_is_none_is_told_in_shape(door):
    assert "'target' must be one of" in failed(door, target="weather", action="get")
    assert "'action' must be one of" in failed(door, target="notes", action="burn")


def test_what_a_tool_does_not_know_it_ignores(keep):
    assert keep("notes", "get", colour="blue") == "notes: nothing yet."


# --- update_relation


@pytest.mark.parametrize(
    ("type", "folder"),
    [
        ("person", "people"),
        ("device", "devices"),
        ("ai", "ais"),
        ("organization", "organizations"),
        ("other", "others"),
    ],
)
def test_a_relation_is_kept_overwritten_and_deleted(door, home, type, folder):
    words = {"entity_name": "Alice Chen", "relation_type": type}
    assert door("update_relation", action="upsert", content="Leads auth.", **words)["success"]
    file = home / f"memory/entities/{folder}/alice-chen.md"
    assert 'title: "Alice Chen"' in file.read_text()
    door("update_relation", action="upsert", content="Left.", **words)
    assert file.read_text().endswith("---\n\nLeft.\n")
    assert door("update_relation", action="delete", **words)["success"]
    assert not file.exists()
    assert door.fault("update_relation", action="delete", **words)["success"] is False


@pytest.mark.parametrize(
    ("type", "folder"), [("device", "devices"), ("ai", "ais"), ("organization", "organizations"), ("rival", "others")]
)
@pytest.mark.parametrize("key", ["", "Robo"])
def test_a_relation_that_a_person_changed_is_got_again_by_name(door, keep, home, type, folder, key):
    words = {"entity_name": "Robo", "relation_type": type, "action": "upsert"}
    door("update_relation", content="Mine.", **words)
    file = home / f"memory/entities/{folder}/robo.md"
    file.write_text(file.read_text().replace("Mine.", "A person's."))
    assert "get it again" in door.fault("update_relation", content="Mine again.", **words)["message"]
    assert "A person's." in keep("relationship", "get", key=key)
    assert "Before:\nA person's." in door("update_relation", content="Mine again.", **words)["message"]


def test_relations_of_one_name_are_got_together_with_their_types(door, keep):
    for type in ("device", "other", "rival", "person"):
        door("update_relation", entity_name="Robo", relation_type=type, action="upsert", content=f"As {type}.")
    door("update_relation", entity_name="Robo", relation_type="pet", action="upsert", content="As pet.")
    door("update_relation", entity_name="Ada", relation_type="ai", action="upsert", content="Counts.")
    told = keep("relationship", "get", key="robo")
    assert told.partition(":\n\n")[2].split("\n\n") == [
        "As person.", "(device)", "As device.", "(other)", "As other.", "(rival)", "As rival.", "(pet)", "As pet.",
    ]  # fmt: skip
    assert keep("relationship", "get").partition("\n\n")[2].splitlines() == [
        "- [Robo] As person.",
        "- [Robo] (device) As device.",
        "- [Ada] (ai) Counts.",
        "- [Robo] (other) As other.",
        "- [Robo] (rival) As rival.",
        "- [Robo] (pet) As pet.",
    ]
    assert keep("relationship", "get", key="Eve") == "'Eve' is not found; there is 'Robo', 'Ada'."


@pytest.mark.parametrize("action", ["update", "delete"])
def test_a_relation_that_is_no_person_is_changed_by_its_own_tool(door, action):
    door("update_relation", entity_name="Robo", relation_type="device", action="upsert", content="Sweeps.")
    told = failed(door, target="relationship", action=action, key="Robo", content="Mops.")
    assert told == "'Robo' is no person but a relation of the type device; update_relation changes it."


def test_another_type_of_relation_is_taken_and_noted(door, home):
    words = {"entity_name": "Rex", "relation_type": "pet"}
    assert door("update_relation", action="upsert", content="A dog.", **words)["message"] == "pet[Rex] saved."
    assert 'relation_type: "pet"' in (home / "memory/entities/others/rex.md").read_text()
    door("update_relation", entity_name="Rex", relation_type="neighbour", action="upsert", content="A man.")
    assert "- [Rex] (neighbour) A man." in door("get_context")["system_prompt"]
    door("update_relation", action="upsert", content="A good dog.", **words)
    assert "A good dog." in door("get_context")["system_prompt"]
    assert door("update_relation", action="delete", **words)["message"].startswith("pet[Rex] deleted")
    assert "A man." in door("get_context")["system_prompt"]


@pytest.mark.parametrize("type", ["Ort", "場所", "x" * 500, "../../etc", "preference"])
def test_a_type_of_relation_may_be_any_word(door, home, type):
    assert door("update_relation", entity_name="A", relation_type=type, action="upsert", content="x")["success"]
    assert [file.name for file in (home / "memory/entities/others").iterdir()] == ["a.md"]


def test_a_context_names_whoever_one_is_related_to(door):
    for type in ("person", "device", "ai", "organization", "other"):
        door("update_relation", entity_name=f"The {type}", relation_type=type, action="upsert", content="x")
    prompt = door("get_context")["system_prompt"]
    assert re.findall(r"\[The (\w+)\]", prompt) == ["person", "device", "ai", "organization", "other"]


@pytest.mark.parametrize(
    "words",
    [
        {"relation_type": " ", "action": "upsert", "content": "x"},
        {"relation_type": "person", "action": "upsert"},
        {"relation_type": "person", "action": "upsert", "content": " "},
        {"relation_type": "person", "action": "upsert", "content": "x", "entity_name": " "},
        {"relation_type": "person", "action": "sink"},
    ],
)
def test_a_relation_that_cannot_be_is_told(door, words):
    assert door.fault("update_relation", **{"entity_name": "Alice", **words})["success"] is False


def test_a_relation_and_a_relationship_are_the_same_page(door, keep):
    door("update_relation", entity_name="花子", relation_type="person", action="upsert", content="Leads auth.")
    assert keep("relationship", "get", key="花子") == "relationship[花子]:\n\nLeads auth."


# --- get_context


def test_an_empty_store_has_a_context(door):
    context = door("get_context")
    assert str(uuid.UUID(context["metadata"].pop("being_id")))
    assert context == {
        "system_prompt": "",
        "snapshot": "",
        "metadata": {
            "soul_name": "",
            "model_recommendation": "",
            "cache_guidance": {"system_prompt": "stable", "snapshot": "semi-stable"},
        },
        "capability_tools": [],
    }


def test_a_context_tells_who_one_is_and_what_was_noted(door, keep, write):
    write("entities/persona/self.md", "---\nmodel: large\n---\n# Eve\n\n## Voice\n\nSoft.\n")
    for target in ("partner_rules", "preferences", "relationship", "partner_tools", "partner_map"):
        keep(target, "append", key="k", content=f"Text of {target}.")
    for target in ("notes", "knowledge"):
        keep(target, "append", key="k", content=f"Text of {target}.")
    keep("diary", "append", content="A quiet day.")
    context = door("get_context")
    headings = re.findall(r"^## (.*)$", context["system_prompt"], re.MULTILINE)
    assert headings == ["Soul", "Voice", "Rules", "Preferences", "Relationships", "Tools", "Map"]
    assert re.findall(r"^## (.*)$", context["snapshot"], re.MULTILINE) == ["Notes", "Knowledge", "Diary"]
    assert "Text of partner_map." in context["system_prompt"]
    assert "### 2026-02-25\n\nA quiet day." in context["snapshot"]
    assert (context["metadata"]["soul_name"], context["metadata"]["model_recommendation"]) == ("Eve", "large")


def test_a_context_tells_the_last_five_scenes_the_newest_first(door, clock):
    for n in range(7):
        clock.forward(hours=1)
        door.text("update_notes", scenes=[{**RAIN, "action": f"Number {n}."}])
    rows = door("get_context")["recent_nodes"].splitlines()
    assert rows[0] == "- 2026-02-23 — Number 6. — (calm)"
    assert [row.split(" — ")[1] for row in rows] == [f"Number {n}." for n in (6, 5, 4, 3, 2)]


def test_a_context_tells_first_what_was_used_last(door, clock, tell):
    old, _, _ = tell({**RAIN, "action": "Number 1."}, {**RAIN, "action": "Storm 2."}, {**RAIN, "action": "Number 3."})
    clock.forward(hours=1)
    door.text("recall_memory", node_id=old)
    clock.forward(hours=1)
    door.text("update_notes", scenes=[{**RAIN, "action": "Number 4."}])
    rows = door("get_context")["recent_nodes"].splitlines()
    assert [row.split(" — ")[1] for row in rows] == ["Number 4.", "Number 1.", "Number 3.", "Storm 2."]
    door.text("recall", user_message="the storm")
    assert "Storm 2." in door("get_context")["recent_nodes"].splitlines()[0]
    door.text("recall_memory", node_id=old)  # within the same second
    assert "Number 1." in door("get_context")["recent_nodes"].splitlines()[0]


def test_a_context_is_never_longer_than_an_agent_can_read(door, brain):
    for n in range(53):
        Pages(brain).add("knowledge", f"k{n}", f"Number {n}. " + "x" * 3_000)
    snapshot = door("get_context")["snapshot"]
    assert "Number 2. " not in snapshot and "Number 3. " in snapshot and "Number 52. " in snapshot
    assert snapshot.endswith("(3 earlier ones are left out.)") and len(snapshot) < 50 * 2_100


# --- conversations


SAID = [
    {"role": "user", "content": "Please fix the login. It broke."},
    {"role": "assistant", "content": "Done."},
    {"role": "user", "content": "Thanks"},
]


def test_without_messages_it_says_how_to_get_some(door):
    assert door.text("search_history") == "No messages stored. Fill with clawbrain ingest."
    assert door.text("search_history", query="x") == "No messages stored. Fill with clawbrain ingest."


def test_a_patrol_keeps_messages_and_makes_scenes_of_them(door):
    assert door("trigger_patrol", messages=SAID, marker_id="m-1") == {
        "status": "ok",
        "scenes_created": 2,
        "nodes_created": 2,
        "marker_id": "m-1",
    }
    assert "The user: “Please fix the login. It broke.” The assistant: “Done.”" in door.text(
        "search_memory", query="login"
    )
    assert "user: Please fix the login. It broke." in door.text("search_history", query="login")


def test_a_patrol_has_a_marker_of_its_own_unless_told(door):
    answer = door("trigger_patrol", messages=[])
    assert str(uuid.UUID(answer["marker_id"])) == answer["marker_id"]
    assert (answer["scenes_created"], answer["nodes_created"]) == (0, 0)


def test_a_patrol_counts_what_it_made_and_nothing_else(door, tell):
    tell(LOGIN, RAIN)
    assert door("trigger_patrol", messages=[])["nodes_created"] == 0
    said = [{"role": "user", "content": "Rotate the keys."}, {"role": "assistant", "content": "They are rotated."}]
    assert door("trigger_patrol", messages=said)["nodes_created"] == 1


def test_what_was_said_after_a_greeting_is_found(door):
    messages = [
        {"role": "system", "content": "You are terse."},
        {"role": "user", "content": "Hi. The staging password must be rotated every 30 days."},
        {"role": "assistant", "content": "Hello. Noted: the rotation is due on the first of each month."},
    ]
    answer = door("trigger_patrol", messages=messages)
    assert (answer["scenes_created"], answer["nodes_created"]) == (1, 1)
    for query in ("password rotation", "staging", "first of each month"):
        assert "must be rotated every 30 days" in door.text("search_memory", query=query)
    assert "rotat" in door.text("recall", user_message="when is the password rotated?")
    assert "terse" in door.text("search_history", query="terse")
    assert "terse" not in door.text("search_memory", query="terse rotation")
    (cluster, *_) = uids(door.text("recall_memory"))
    assert "must be rotated" in door.text("recall_memory", cluster_id=cluster)


@pytest.mark.parametrize("role", ["system", "Developer", "tool"])
def test_a_message_that_nobody_said_is_kept_and_makes_no_scene(door, role):
    answer = door("trigger_patrol", messages=[{"role": role, "content": "Be terse."}], marker_id="m")
    assert (answer["scenes_created"], answer["nodes_created"]) == (0, 0)
    assert f"{role.lower()}: Be terse." in door.text("search_history")
    door("trigger_patrol", messages=[{"role": role, "content": "Be terse."}], marker_id="m")
    assert door.text("search_history").startswith("1 messages")


def test_of_a_long_scene_the_fitting_part_is_told(door, tell):
    (id,) = tell({**LOGIN, "action": "We spoke of the weather. " * 40 + "The password is rotated on Mondays. Bye."})
    assert "… The password is rotated on Mondays. Bye." in door.text("search_memory", query="rotated password")
    assert "… The password is rotated on Mondays." in door.text("recall", user_message="is the password rotated?")
    assert "… The password is rotated on Mondays." in door.text("recall_memory", query="rotated password")
    assert f"[{id}]" in door.text("search_memory", query="weather")


def test_recalling_counts_as_a_use(door, tell):
    (id,) = tell(LOGIN)
    for _ in range(2):
        door.text("recall", user_message="How was the login fixed?")
    assert "reactivations: 3" in door.text("recall_memory", node_id=id)


def test_a_recall_opens_nothing(door, tell, brain):
    tell(LOGIN)
    door.text("recall", user_message="How was the login fixed?")
    assert brain.feedback("positive_feedback").memories == 1


@pytest.mark.parametrize("messages", [[{"role": 7, "content": "x"}], [{"role": "user"}], "hello"])
def test_messages_that_are_none_are_told_in_shape(door, messages):
    assert door.fault("trigger_patrol", messages=messages)["success"] is False


def test_messages_are_found_by_day_the_newest_first(door, clock):
    for day in (25, 26, 27):
        door("trigger_patrol", messages=[{"role": "user", "content": f"Login on day {day}."}])
        clock.forward(days=1)
    head, *rows = door.text("search_history", query="login").splitlines()
    assert head == "3 messages:"
    assert rows == [f"- [2026-02-{day}T10:00:00Z] user: Login on day {day}." for day in (27, 26, 25)]
    found = door.text("search_history", date_from="2026-02-26", date_to="2026-02-26").splitlines()
    assert found == ["1 messages:", rows[1]]
    assert len(door.text("search_history", limit=0).splitlines()) == 2
    assert door.text("search_history", query="chromodynamics") == "No messages match."


def test_messages_are_found_by_parts_of_words(door):
    texts = ["The Login is 100% done", "Logins: 100 of them", "Über die Straße", "first_name = x*y"]
    for text in texts:
        door("trigger_patrol", messages=[{"role": "user", "content": text}])

    def found(query):
        return [text for text in texts[::-1] if text in door.text("search_history", query=query)]

    assert found("logi") == found("OGIN") == [texts[1], texts[0]]
    assert found("%") == found("100%") == found("0% log") == [texts[0]]
    assert found("_") == found("t_n") == found("x*") == [texts[3]]
    assert found("über") == found("ÜBER straße") == [texts[2]]
    assert found("done logins") == []
    assert found("") == texts[::-1]


def test_a_day_that_is_none_is_named(door):
    door("trigger_patrol", messages=SAID)
    assert "'date_from' must be a day" in door.fault("search_history", date_from="soon")


# --- the time


def test_the_time_in_tokyo(door, clock):
    clock.now = datetime(2026, 4, 14, 7, 30, tzinfo=UTC)
    assert door("get_current_time", timezone="Asia/Tokyo") == {
        "datetime": "2026/04/14(火) 16:30:00",
        "iso": "2026-04-14T07:30:00.000Z",
        "timezone": "Asia/Tokyo",
    }
    assert door("get_current_time") == {
        "datetime": "2026/04/14(火) 07:30:00",
        "iso": "2026-04-14T07:30:00.000Z",
        "timezone": "UTC",
    }


@pytest.mark.parametrize("zone", ["Mars/Base", "../../etc/passwd", "/etc/localtime", "a\0b", "Asia"])
def test_a_zone_that_is_none_is_named(door, zone):
    fault = door.fault("get_current_time", timezone=zone)
    assert fault["success"] is False and "time zone" in fault["message"]


# --- through other doors


def test_what_being_stores_is_found_by_everybody(door, tell, brain):
    (id,) = tell(LOGIN)
    assert brain.search("login token").hits[0].id.startswith("episode-2026-02-alice")
    penfield = Door(brain, "penfield")
    assert penfield("recall", query="login token")["memories"][0]["id"] == id
    assert penfield("fetch", id=id)["metadata"]["tags"] == ["auth", "bugs"]


def test_what_others_store_is_found_by_being(door, brain):
    penfield = Door(brain, "penfield")
    id = penfield("store", content="Python async uses asyncio", tags=["python"])["memory_id"]
    assert uids(door.text("search_memory", query="asyncio")) == [id]
    assert "] python — 1 memory, newest 2026-02-25 — Python async" in door.text("recall_memory")
    assert "scene: Python async uses asyncio" in door.text("recall_memory", node_id=id)


def test_a_preference_stored_elsewhere_is_a_preference_here(brain, keep):
    brain.store("entity", "editor", "Vim.", category="preferences")
    assert keep("preferences", "get", key="editor") == "preferences[editor]:\n\nVim."


def test_a_briefing_tells_what_being_keeps(keep, brain):
    keep("souls", "append", key="voice", content="Soft.")
    keep("partner_rules", "update", content="Be kind.")
    briefing = Door(brain, "penfield")("awaken")["briefing"]
    assert "Soft." in briefing and "Be kind." in briefing


def test_what_is_archived_elsewhere_is_not_found_here(door, tell, brain):
    (id,) = tell(LOGIN)
    brain.archive(Titles(brain).find(id).id)
    assert uids(door.text("search_memory", query="login token")) == []
    assert door.text("recall", user_message="login token") == "No related memories."
    assert door.text("recall_memory").startswith("No clusters")


# --- reading only, and the real server


def test_a_reader_is_offered_no_tool_that_writes(brain):
    reader = Door(brain, "being", read_only=True)
    assert {tool["name"] for tool in reader.runner.spec["tools"]} - {*reader.runner.offered} == {*WRITERS}
    for tool in WRITERS:
        assert "read-only" in reader.text(tool)
        assert reader.answer(tool).is_error


def test_reading_only_leaves_no_trace(opened, tell):
    (id,) = tell(LOGIN)
    reader = Door(opened(read_only=True), "being", read_only=True)
    assert "relieved" in reader.text("recall", user_message="login")
    assert "reactivations: 0" in reader.text("recall_memory", node_id=id)
    assert reader("get_context")["recent_nodes"]


def test_a_server_killed_after_its_answer_has_kept_everything(tmp_path: Path):
    home = tmp_path / "home"
    options = ("--home", str(home), "--profile", "being")
    with Client(*options) as client:
        client.call("update_notes", scenes=[LOGIN] + [{**RAIN, "action": f"Rain number {n}."} for n in range(11)])
        client.process.kill()
    assert len(list((home / "memory/episodes").rglob("*.md"))) == 12
    with Client(*options) as client:
        text = client.call("search_memory", query="login")["content"][0]["text"]
        assert "1 memories" in text
        assert client.ends() == 0
    assert (home / "memory/MEMORY.md").exists(), "the patrol that was due has been made"


def test_the_tools_are_published_as_they_were(tmp_path: Path):
    with Client("--home", str(tmp_path / "home"), "--profile", "being", modern=True) as client:
        tools = client.ask("tools/list")["result"]["tools"]
    schema = {tool["name"]: tool["inputSchema"] for tool in tools}
    assert len(schema) == 11
    assert schema["recall"] == {
        "type": "object",
        "properties": {"user_message": {"type": "string"}},
        "required": ["user_message"],
    }
    assert schema["get_context"] == {"type": "object", "properties": {}}
    canonical = json.dumps(schema, sort_keys=True, separators=(",", ":")).encode()
    assert sha256(canonical).hexdigest() == PUBLISHED
