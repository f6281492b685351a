"""MAMA's tools: decisions that evolve, edges in their reasoning, outcomes that count, checkpoints."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_client import Client
from profile_door import Door

from clawbrain.memory.model import Memory, utc_now
from clawbrain.memory.text import parse, render
from clawbrain.profiles.mama import texts as decisions
from clawbrain.profiles.mama.decisions import Decisions
from clawbrain.profiles.mama.texts import edges


@pytest.fixture
def door(brain):
    return Door(brain, "mama")


@pytest.fixture
def save(door):
    def decision(topic, decision="Use it", reasoning="It fits.", **words):
        return door("save", type="decision", topic=topic, decision=decision, reasoning=reasoning, **words)["id"]

    return decision


def found(door, **words):
    return {row["id"]: row for row in door("search", **words)["results"]}


# --- save


def test_a_decision_is_saved_under_its_topic(door):
    words = {"topic": "auth_strategy", "decision": "Use JWT", "reasoning": "Stateless.", "confidence": 0.85}
    answer = door("save", type="decision", **words)
    assert answer == {
        "success": True,
        "id": answer["id"],
        "type": "decision",
        "message": "Decision saved: auth_strategy",
    }
    assert re.fullmatch(r"decision_auth_strategy_1772013600_[a-z0-9]{3}", answer["id"])


def test_a_decision_is_a_file_people_can_read(door, save, home):
    id = save("Auth Strategy", "Use JWT", "Stateless.", confidence=0.85)
    stem = id.removeprefix("decision_").replace("_", "-")
    text = (home / f"memory/entities/decisions/{stem}.md").read_text()
    assert text.endswith("\n---\n\n# Auth Strategy\n\nUse JWT\n\n## Reasoning\n\nStateless.\n")
    for line in ('kind: "decision"', 'topic: "Auth Strategy"', 'confidence: "0.85"', 'status: "current"'):
        assert line in text


@pytest.mark.parametrize(
    ("topic", "part"),
    [("Ärger mit Öl", "arger_mit_ol"), ("設計", "topic"), ("a.b/c", "abc"), ("x" * 200, "x" * 50), ("---", "topic")],
)
def test_any_topic_gives_an_id_that_is_found_again(door, save, topic, part):
    id = save(topic)
    assert id.startswith(f"decision_{part}_1772")
    assert door("update", id=id, outcome="success")["success"]
    assert found(door)[id]["topic"] == topic


@pytest.mark.parametrize("missing", ["topic", "decision", "reasoning"])
def test_a_decision_needs_its_three_words(door, missing):
    words = {"topic": "t", "decision": "d", "reasoning": "r"} | {missing: " "}
    assert door.fault("save", type="decision", **words) == "Error: Decision requires: topic, decision, reasoning"


def test_a_checkpoint_needs_a_summary(door):
    assert door.fault("save", type="checkpoint") == "Error: Checkpoint requires: summary"


@pytest.mark.parametrize(("word", "most"), [("topic", 200), ("decision", 2000), ("reasoning", 5000)])
def test_what_is_too_long_is_refused(door, word, most):
    words = {"topic": "t", "decision": "d", "reasoning": "r"} | {word: "x" * (most + 1)}
    assert door.fault("save", type="decision", **words).startswith(f"Error: {word} has {most + 1} characters")


def test_other_words_are_errors_of_that_shape(door):
    assert door.fault("save").startswith("Error: save: 'type' is missing")
    assert door.fault("save", type="note").startswith("Error: ")
    assert door("search", colour="blue")["count"] == 0


def test_confidence_is_kept_between_nothing_and_all(door, save):
    ids = [save("a", confidence=7), save("b", confidence=-1), save("c")]
    assert [found(door)[id]["confidence"] for id in ids] == [1.0, 0.0, 0.5]


@given(*[st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r")).filter(str.strip)] * 2)
def test_decision_and_reasoning_come_back_as_they_were_given(decision, reasoning):
    text = decisions.written("A topic", decision, reasoning)
    memory = Memory("entity-a-b", "entity", "a", "b", "entities/a/b.md", text)
    said = decisions.read(parse(memory.path, render(memory), utc_now()))
    assert (said.decision, said.reasoning) == (decision.strip("\n"), reasoning.strip("\n"))


def test_a_heading_inside_a_text_is_not_taken_for_ours(door, save):
    id = save("t", "One\n## Reasoning\ntwo", "\\## Reasoning\n## Other")
    row = found(door)[id]
    assert (row["decision"], row["reasoning"]) == ("One\n## Reasoning\ntwo", "\\## Reasoning\n## Other")


def test_other_topics_that_say_nearly_the_same_are_named(door, save):
    first = save("database", "Use PostgreSQL with a read replica in Frankfurt")
    save("database", "Use PostgreSQL with a read replica in Frankfurt or Paris")
    answer = door(
        "save", type="decision", topic="storage", reasoning="r",
        decision="Use PostgreSQL with a read replica in Frankfurt",
    )  # fmt: skip
    assert answer["similar_decisions"][0]["id"] == first
    assert "warning" in answer


# --- evolution


def test_the_same_topic_again_supersedes_and_keeps_the_old(door, save, clock):
    first = save("auth", "Use JWT")
    clock.forward(hours=1)
    second = save("auth", "Use sessions")
    clock.forward(hours=1)
    third = save("auth", "Use passkeys")
    rows = door("search")["results"]
    assert [(row["id"], row["status"]) for row in rows] == [
        (third, "current"),
        (second, "superseded"),
        (first, "superseded"),
    ]


def test_of_equal_dates_the_later_stored_comes_first(door, save):
    ids = [save("auth", f"Number {number}") for number in range(5)]
    assert [row["id"] for row in door("search")["results"]] == ids[::-1]


def test_other_topics_stay_current(door, save):
    other = save("cache")
    save("auth"), save("auth")
    assert found(door)[other]["status"] == "current"


def test_two_who_decide_at_once_leave_one_current(opened):
    one, other = Door(opened("one"), "mama"), Door(opened("other"), "mama")
    for number in range(6):
        door = one if number % 2 else other
        door("save", type="decision", topic="auth", decision=f"d{number}", reasoning="r")
    assert [row["status"] for row in one("search")["results"]] == ["current"] + ["superseded"] * 5


# --- edges


@pytest.mark.parametrize(
    ("reasoning", "named"),
    [
        ("builds_on: decision_a", [("builds_on", "decision_a")]),
        ("**Builds_On**: decision_a because", [("builds_on", "decision_a")]),
        ("**debates:** `decision_a`.", [("debates", "decision_a")]),
        ("synthesizes: [decision_a, decision_b]", [("synthesizes", "decision_a"), ("synthesizes", "decision_b")]),
        ("builds_on: decision_a. debates: decision_b", [("builds_on", "decision_a"), ("debates", "decision_b")]),
        ("DEBATES: decision_a, decision_b", [("debates", "decision_a"), ("debates", "decision_b")]),
        ("builds_on: nothing: builds_on: decision_a", [("builds_on", "nothing"), ("builds_on", "decision_a")]),
        ("it builds on decision_a", []),
        ("rebuilds_on: decision_a", []),
        ("synthesizes: []", []),
    ],
)
def test_the_edges_a_reasoning_names(reasoning, named):
    assert edges(reasoning) == named


def test_edges_bring_neighbours_with_their_weight(door, save):
    base = save("roses", "Cut the roses in March", "Known well.")
    other = save("invoices", "Keep invoices for ten years", "The law wants it.")
    top = save("platform", "Kubernetes everywhere", f"builds_on: {base}\ndebates: {other}, decision_unknown")
    rows = door("search", query="kubernetes")["results"]
    assert [row["id"] for row in rows] == [top, base, other]
    assert [(row["similarity"], row.get("related_to"), row.get("edge_reason")) for row in rows[1:]] == [
        (0.75, top, "builds_on"),
        (0.65, top, "debates"),
    ]
    assert rows[0]["similarity"] >= 0.75
    assert "related_to" not in rows[0]


def test_an_edge_is_followed_from_both_ends(door, save):
    base = save("storage", "Keep rows in PostgreSQL", "Known well.")
    top = save("platform", "Kubernetes everywhere", f"synthesizes: [{base}]")
    row = found(door, query="postgresql")[top]
    assert (row["similarity"], row["related_to"]) == (0.7, base)


# --- search


def test_a_result_has_these_words(door, save, clock):
    id = save("auth_strategy", "Use JWT", "Stateless.", confidence=0.85)
    assert door("search", query="auth strategy") == {
        "success": True,
        "count": 1,
        "results": [
            {
                "id": id,
                "topic": "auth_strategy",
                "decision": "Use JWT",
                "reasoning": "Stateless.",
                "confidence": 0.85,
                "created_at": int(clock.now.timestamp()),
                "_type": "decision",
                "similarity": 1.0,
                "outcome": None,
            }
        ],
    }


def test_types_and_limits(door, save):
    ids = [save(f"topic {number}") for number in range(12)]
    door("save", type="checkpoint", summary="All topics done")
    assert door("search")["count"] == 10
    assert door("search", limit=50)["count"] == 13
    assert door("search", limit=0)["count"] == 1
    assert door("search", limit=2.0, type="decision")["results"][0]["id"] == ids[-1]
    assert [row["_type"] for row in door("search", type="checkpoint")["results"]] == ["checkpoint"]
    assert door("search", query="topics", type="checkpoint")["count"] == 1


def test_similarities_fall(door, save):
    save("redis"), save("cache", "Use redis for all"), save("queue", "Something with redis and much else in it")
    similar = [row["similarity"] for row in door("search", query="redis")["results"]]
    assert similar == sorted(similar, reverse=True)
    assert all(0 <= number <= 1 for number in similar)


def test_a_search_is_noted_in_the_order_it_was_handed_over_with_the_kind_of_its_question(door, save, brain):
    save("redis"), save("cache", "Use redis for all"), save("queue", "Something with redis and much else in it")
    handed = [row["id"] for row in door("search", query="redis")["results"]]
    brain.settle()
    (turn,) = brain.ledger.turns_since_signal(brain.session)
    assert [Decisions(brain).find(id).id for id in handed] == turn.searched and turn.kind


def test_a_list_of_the_newest_is_noted_without_a_question(door, save, brain):
    save("redis")
    door("search")
    brain.settle()
    (turn,) = brain.ledger.turns_since_signal(brain.session)
    assert turn.kind == () and len(turn.searched) == 1


def test_nothing_found_is_an_answer(door):
    assert door("search", query="nothing like it") == {"success": True, "count": 0, "results": []}


def test_memories_of_other_kinds_are_not_decisions(door, brain):
    brain.store("entity", "redis", "Redis is a cache", category="things")
    assert door("search", query="redis")["count"] == 0


# --- outcomes


@pytest.mark.parametrize(
    ("said", "kept"), [("success", "SUCCESS"), ("FAILED", "FAILED"), ("Failure", "FAILED"), ("partial", "PARTIAL")]
)
def test_an_outcome_is_kept_and_echoed(door, save, said, kept):
    id = save("auth")
    answer = door("update", id=id, outcome=said, reason="seen in production")
    assert answer == {"success": True, "message": f"Updated {id} -> {said.lower()}"}
    assert (found(door)[id]["outcome"], found(door)[id]["outcome_reason"]) == (kept, "seen in production")


def test_outcomes_are_signals(door, save, brain):
    good, bad, alone = save("a", "Use A"), save("b", "Use B"), save("c", "Use C")
    door("update", id=good, outcome="success")
    door("update", id=bad, outcome="failed")
    scores = {memory.extra["topic"]: brain.credits()[memory.id].score for memory in Decisions(brain).all()}
    assert scores["a"] > scores["c"] == 0.5 > scores["b"]
    assert alone


def test_an_outcome_needs_a_decision_and_a_word_it_knows(door, save):
    assert door.fault("update", id="decision_nope", outcome="success").startswith("Error: Decision not found")
    assert door.fault("update", id=save("a"), outcome="meh").startswith("Error: outcome must be")
    door("save", type="checkpoint", summary="s")
    assert door.fault("update", id="checkpoint_1", outcome="success").startswith("Error: Decision not found")


def test_clawbrains_own_id_is_an_id_too(door, save, brain):
    id = save("auth")
    assert door("update", id=Decisions(brain).all()[0].id, outcome="success")["message"] == f"Updated {id} -> success"


# --- checkpoints


def test_no_checkpoint_is_an_answer(door):
    assert door("load_checkpoint") == {"success": True, "checkpoint": None, "message": "No checkpoint found"}


def test_the_newest_checkpoint_is_loaded(door, clock):
    door("save", type="checkpoint", summary="First")
    words = {"summary": "Auth works", "next_steps": "1. deploy\n2. test", "open_files": ["a.py", "src/b c.ts"]}
    answer = door("save", type="checkpoint", **words)
    assert answer == {"success": True, "id": "checkpoint_2", "type": "checkpoint", "message": "Checkpoint saved"}
    expected = {"id": 2, **words, "timestamp": int(clock.now.timestamp())}
    assert door("load_checkpoint") == {"success": True, "checkpoint": expected}


def test_a_checkpoint_is_an_episode(door, home):
    door("save", type="checkpoint", summary="Auth works", next_steps="deploy", open_files=["a.py"])
    text = (home / "memory/episodes/2026-02/checkpoint-1.md").read_text()
    assert text.endswith("# Checkpoint 1\n\nAuth works\n\n## Next steps\n\ndeploy\n\n## Open files\n\n- a.py\n")


def test_a_number_is_never_given_twice(door, brain, clock):
    door("save", type="checkpoint", summary="one")
    brain.archive("episode-2026-02-checkpoint-1")
    clock.forward(days=40)
    assert door("save", type="checkpoint", summary="two")["id"] == "checkpoint_2"
    assert door("load_checkpoint")["checkpoint"]["summary"] == "two"


# --- one store behind all doors


def test_clawbrain_finds_decisions_and_compaction_leaves_them_alone(door, save, brain, clock):
    ids = [save("auth", f"Use plan {number} with redis") for number in range(4)]
    for number in range(4):
        door("save", type="checkpoint", summary=f"Redis cluster {number}: we always use port 6380")
    assert brain.search("redis", limit=20).total == 8
    for id in ids:
        door("update", id=id, outcome="failed")
    clock.forward(days=400)
    assert not brain.compact().details
    assert len(found(door, limit=20)) == 8


def test_an_episode_with_a_kind_gives_no_facts_away_and_a_decision_takes_none(door, save, brain):
    save("auth-module", "Use JWT")
    door("save", type="checkpoint", summary="The auth-module uses port 6380.")
    for _ in range(20):
        brain.search("auth-module port")
        brain.feedback("positive_feedback")
    assert brain.compact().promoted == 0


# --- older names


def test_the_names_of_older_versions_are_answered_and_not_listed(tmp_path):
    with Client("--profile", "mama", "--home", str(tmp_path / "home")) as client:
        listed = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
        assert listed == ["save", "search", "update", "load_checkpoint"]
        saved = client.call("save_decision", topic="t", decision="d", reasoning="r")["structuredContent"]
        for tool, words in [
            ("recall_decision", {"topic": "t"}),
            ("suggest_decision", {"userQuestion": "t"}),
            ("list_decisions", {}),
        ]:
            assert client.call(tool, **words)["structuredContent"]["results"][0]["id"] == saved["id"]
        assert client.call("update_outcome", decisionId=saved["id"], outcome="SUCCESS")["structuredContent"]["success"]
        assert client.call("save_checkpoint", summary="s")["structuredContent"]["id"] == "checkpoint_1"
        assert "removed in v1.2; use edge patterns" in client.refusal("propose_link", anything=1)


def test_hooks_ask_for_decisions_that_fit(door, save):
    id = save("redis", "Use redis")
    save("else", "Nothing of the kind")
    answer = door("search_decisions_and_contracts", query="redis", similarityThreshold=0.7)
    assert [row["id"] for row in answer["decisionResults"]] == [id]
    assert answer["contractResults"] == []


def test_a_prefix_goes_before_every_name(tmp_path):
    options = ("--profile", "mama", "--tool-prefix", "mama_", "--home", str(tmp_path / "home"))
    with Client(*options) as client:
        listed = [tool["name"] for tool in client.ask("tools/list")["result"]["tools"]]
        assert listed == ["mama_save", "mama_search", "mama_update", "mama_load_checkpoint"]
        assert client.call("mama_search")["structuredContent"] == {"success": True, "count": 0, "results": []}
        assert client.refusal("mama_save", type="checkpoint") == "Error: Checkpoint requires: summary"
        assert client.ask("tools/call", name="search", arguments={})["error"]["code"] == -32602


def test_read_only_keeps_what_changes_nothing(opened):
    Door(opened("one"), "mama")("save", type="checkpoint", summary="s")
    door = Door(opened(read_only=True), "mama", read_only=True)
    assert door("load_checkpoint")["checkpoint"]["summary"] == "s"
    assert door.fault("save_checkpoint", summary="t").startswith("Error: save_checkpoint was left out")
