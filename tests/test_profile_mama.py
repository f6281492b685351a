"""MAMA's tools: decisions that evolve, edges in their reasoning, outcomes that count, checkpoints."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_client import Client
from profile_door import Door

from clawbrain.memory.model import Memory, utc_now
from clawbrain.memory.text import parse, render
from clawbrain.profiles.mama import matches
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


def test_an_opposite_decision_is_not_called_the_same(door):
    words = {"type": "decision", "reasoning": "A vote."}
    first = door("save", topic="a", decision="Never deploy on Fridays", **words)["id"]
    assert (
        door("save", topic="b", decision="Always deploy on Fridays", **words)["warning"]
        == f"{first} says the opposite."
    )


def test_ids_stay_when_files_are_moved(door, save, brain):
    id = save("cache_layer", "Use Redis")
    door("save", type="checkpoint", summary="Redis is up")
    brain.owner.move(brain.listed.having("kind", "decision")[0].id, "what-we-cache-in")
    brain.owner.move(brain.listed.having("kind", "checkpoint")[0].id, "where-i-stopped")
    assert list(found(door, query="redis")) == [id, "checkpoint_1"]
    assert door("load_checkpoint")["checkpoint"]["id"] == 1
    assert not door.answer("update", id=id, outcome="failed").is_error
    assert "warning" not in door("save", type="decision", topic="q", decision="d", reasoning=f"builds_on: {id}")


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
    third = save(" auth\n", "Use passkeys")
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


def test_a_decision_that_comes_back_beside_a_newer_one_is_told(door, save, brain):
    save("cache", "Use Redis")
    old = save("cache", "Use Valkey")
    brain.archive(old)
    new = save("cache", "Use memory")
    brain.take_warnings()
    brain.restore(old)
    (said,) = brain.take_warnings()
    assert brain.find(old).id in said and brain.find(new).id in said and "both hold for the topic 'cache'" in said
    save("cache", "Use files")
    assert [row["status"] for row in door("search")["results"]] == ["current"] + ["superseded"] * 3


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
        ("debates: `decision_a`, **decision_b**, because", [("debates", "decision_a"), ("debates", "decision_b")]),
        ("synthesizes: [decision_a and decision_b]", [("synthesizes", "decision_a"), ("synthesizes", "decision_b")]),
        ("synthesizes: [decision_a\nand more", [("synthesizes", "decision_a")]),
        ("**builds_on**:\n\n  `decision_a`, decision_b", [("builds_on", "decision_a"), ("builds_on", "decision_b")]),
        ("synthesizes:\n[\n  decision_a,\n  decision_b\n]", [("synthesizes", f"decision_{x}") for x in "ab"]),
        ("builds_on:\n[a link](decision_a), the decision_b", []),
        ("builds_on: nothing: builds_on: decision_a", [("builds_on", "nothing"), ("builds_on", "decision_a")]),
        ("it builds on decision_a", []),
        ("rebuilds_on: decision_a", []),
        ("synthesizes: []", []),
    ],
)
def test_the_edges_a_reasoning_names(reasoning, named):
    assert edges(reasoning) == named


def test_every_id_of_a_list_as_long_as_a_reasoning_is_read():
    ids = [f"decision_a_rather_long_topic_{number}" for number in range(140)]
    assert edges(f"synthesizes: [{', '.join(ids)}]") == [("synthesizes", id) for id in ids]


@pytest.mark.parametrize(
    "much", ["builds_on{} ", "builds_on{}*", "builds_on:{}\n", "debates: a,{} ", "synthesizes: [{}-"]
)
def test_edges_are_read_in_linear_time(much):
    before, _, repeated = much.partition("{}")
    began = time.process_time()
    edges((before + repeated * 40_000 + ";") + (before + repeated * 20) * 2_000)
    assert time.process_time() - began < 0.5


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
    assert rows[0]["similarity"] == 1.0


def test_an_edge_is_followed_from_both_ends(door, save):
    base = save("storage", "Keep rows in PostgreSQL", "Known well.")
    top = save("platform", "Kubernetes everywhere", f"synthesizes: [{base}]")
    row = found(door, query="postgresql")[top]
    assert (row["similarity"], row["related_to"]) == (0.7, base)


def edges_of(row):
    edges = row.get("edges") or ([row] if "related_to" in row else [])
    return [(edge["related_to"], edge["edge_reason"]) for edge in edges]


@pytest.mark.parametrize("words", [{}, {"query": "redis"}])
def test_both_ends_of_an_edge_say_so_also_where_both_match(door, save, words):
    base = save("cache", "Use redis for sessions")
    top = save("queue", "Use redis for jobs", f"debates: {base}")
    rows = found(door, **words)
    assert edges_of(rows[top]) == [(base, "debates")]
    assert edges_of(rows[base]) == [(top, "debates")]


def test_the_ends_of_a_supersession_name_each_other(door, save):
    first, second = save("auth", "Use server cookies"), save("auth", "Use signed cookies")
    rows = found(door, query="cookies")
    assert (edges_of(rows[first]), edges_of(rows[second])) == ([(second, "supersedes")], [(first, "supersedes")])


def test_what_superseded_a_match_is_found_with_it(door, save):
    save("auth", "Use server cookies")
    second = save("auth", "Use passkeys")
    assert found(door, query="cookies")[second]["edge_reason"] == "supersedes"


def test_a_decision_of_several_edges_lists_them_the_strongest_first(door, save):
    base, other = save("auth", "Use cookies"), save("proxy", "Use nginx")
    top = save("auth", "Use tokens", f"debates: {other}\nbuilds_on: {base}")
    row = found(door)[top]
    assert edges_of(row) == [(base, "builds_on"), (other, "debates"), (base, "supersedes")]
    assert (row["related_to"], row["edge_reason"]) == (base, "builds_on")


def test_an_edge_that_a_person_wrote_is_followed_by_id_and_by_name(door, save, write, brain):
    base = save("roses", "Cut them in March")
    ids = {"id": Decisions(brain).find(base).id, "name": "[[roses]]"}
    for name, target in ids.items():
        head = f'kind: decision\ntopic: {name}\nlinks: [{{relation: builds_on, target: "{target}"}}]'
        write(f"entities/decisions/{name}.md", f"---\n{head}\n---\n\n# {name}\n\nPlant {name} tulips.\n")
    rows = found(door, query="tulips")
    assert edges_of(rows["decision_id"]) == edges_of(rows["decision_name"]) == [(base, "builds_on")]
    assert sorted(edges_of(rows[base])) == [("decision_id", "builds_on"), ("decision_name", "builds_on")]


def test_a_link_to_what_is_gone_or_no_decision_is_no_edge(door, save, write, brain):
    brain.store("entity", "tulip", "A flower", category="things")
    targets = ", ".join(
        f'{{relation: builds_on, target: "{each}"}}' for each in ("entity-things-tulip", "[[x]]", "gone")
    )
    write("entities/decisions/a.md", f"---\nkind: decision\nlinks: [{targets}, 3]\n---\n\n# a\n\nPlant tulips.\n")
    assert edges_of(found(door, query="tulips")["decision_a"]) == []


def test_an_edge_to_no_decision_is_told(door, save):
    base = save("auth")
    words = {"type": "decision", "topic": "b", "decision": "d"}
    answer = door("save", **words, reasoning=f"builds_on: {base}\ndebates: decision_gone_1_abc")
    assert answer["warning"] == "debates names 'decision_gone_1_abc', which is no decision here: no edge was made."
    assert "warning" not in door("save", **words, reasoning=f"builds_on: {base}")


def test_ids_in_edges_are_no_words(door, save):
    base = save("session-cookies", "Sign them")
    top = save("proxy", "Use nginx", f"Known well.\n\n**builds_on**: `{base}`, and it was quick.")
    rows = door("search", query="session cookies")["results"]
    assert [(row["id"], row["similarity"], row.get("edge_reason")) for row in rows] == [
        (base, 1.0, "builds_on"),
        (top, 0.75, "builds_on"),
    ]
    assert door("search", query="quick")["results"][0]["id"] == top


def test_an_edge_never_puts_a_decision_above_the_one_it_leads_from(door, save):
    base = save("roses", "Cut them in March")
    weak = save("platform", "Kubernetes everywhere", f"builds_on: {base}")
    strong = save("tulips", "Plant tulips near the garden gate in autumn")
    rows = door("search", query="plant tulips near the kubernetes gate")["results"]
    assert [row["id"] for row in rows] == [strong, weak, base]
    hooked = door("search_decisions_and_contracts", query="plant tulips near the kubernetes gate")
    assert [row["id"] for row in hooked["decisionResults"]] == [strong]


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
    assert door("search", limit=0)["count"] == door("search", limit=float("-inf"))["count"] == 1
    assert door("search", limit=float("inf"))["count"] == 13
    assert door("search", limit=2.0, type="decision")["results"][0]["id"] == ids[-1]
    assert [row["_type"] for row in door("search", type="checkpoint")["results"]] == ["checkpoint"]
    assert door("search", query="topics", type="checkpoint")["count"] == 1


def test_similarities_fall(door, save):
    save("redis"), save("cache", "Use redis for all"), save("queue", "Something with redis and much else in it")
    similar = [row["similarity"] for row in door("search", query="redis")["results"]]
    assert similar == sorted(similar, reverse=True)
    assert all(0 <= number <= 1 for number in similar)


def test_similarity_is_how_much_of_the_query_a_decision_holds(door, save):
    query = "rotate database passwords every month with a script that alerts the oncall engineer by pager"
    little = save("lunch", "Order pizza every month for the team")
    nothing = save("colours", "Paint the kitchen blue")
    most = save("rotation", "Rotate database passwords with a script", "A pager alerts the oncall engineer monthly")
    rows = found(door, query=query)
    assert nothing not in rows
    assert 0 < rows[little]["similarity"] < 0.25
    assert 0.7 < rows[most]["similarity"] < 1.0
    hooked = door("search_decisions_and_contracts", query=query, similarityThreshold=0.7)["decisionResults"]
    assert [row["id"] for row in hooked] == [most]


def test_a_lonely_weak_match_is_weak(door, save):
    id = save("lunch", "Order pizza on Fridays")
    assert found(door, query="how do we rotate the passwords of databases on fridays")[id]["similarity"] < 0.5


def test_a_misspelt_word_and_the_beginning_of_one_are_held(door, save):
    id = save("auth", "Authentication by passkeys")
    assert found(door, query="passkyes")[id]["similarity"] == 1.0
    assert found(door, query="authent")[id]["similarity"] == 1.0


def test_a_decision_is_found_by_a_tag_that_a_person_gave(door, write):
    write("entities/decisions/a.md", "---\nkind: decision\ntags: [gardening]\n---\n\n# a\n\nPlant tulips.\n")
    assert found(door, query="gardening")["decision_a"]["similarity"] == 1.0


def test_a_decision_is_found_by_its_day(door, save):
    id = save("auth", "Use passkeys")
    assert id in found(door, query="2026-02-25")
    assert id in found(door, query="what was decided today")


@pytest.mark.parametrize("query", ["cookies", "server cookies", "use server cookies for logins", "auth"])
def test_decisions_on_one_topic_come_newest_first_whatever_their_words(door, save, query):
    ids = [save("auth", "Use server cookies"), save("auth", "Use signed cookies"), save("auth", "Use cookies at all")]
    other = save("kitchen", "Bake cookies")
    rows = [row["id"] for row in door("search", query=query)["results"]]
    assert [id for id in rows if id != other] == ids[::-1]
    assert door("search", query=query, limit=1)["results"][0]["id"] == ids[2]


def test_who_searches_for_an_id_gets_its_decision_first(door, save):
    ids = [save("auth", "Use server cookies"), save("auth", "Use signed cookies"), save("auth", "Use tokens")]
    for id in ids:
        save("talk", f"We came from {id}")
    for id in ids:
        row = door("search", query=f" {id} ")["results"][0]
        assert (row["id"], row["similarity"]) == (id, 1.0)
    assert door("update", id=f" {ids[0]} ", outcome="success")["success"]


def test_a_word_that_is_the_name_of_a_file_is_no_id(door, save, write):
    write("entities/decisions/auth.md", "---\nkind: decision\ntopic: auth\ncreated: 2026-01-01\n---\n\nUse cookies.\n")
    new = save("auth", "Use tokens")
    assert [row["id"] for row in door("search", query="auth")["results"]] == [new, "decision_auth"]
    assert door("search", query="decision_auth")["results"][0]["id"] == "decision_auth"


def test_a_newer_decision_stands_before_the_older_ones_of_its_topic_and_lifts_no_other(door, save):
    oldest, old = save("auth", "Paint it blue"), save("auth", "Use server cookies")
    new = save("auth", "Use signed cookies")
    fast = save("proxy", "Use nginx", f"builds_on: {old}")
    other = save("kitchen", "Bake server cookies at noon and paint nothing")
    rows = [row["id"] for row in door("search", query="use server cookies")["results"]]
    assert rows.index(new) == 0 and rows.index(old) == 1
    assert rows.index(fast) > rows.index(old)
    assert oldest not in rows or rows.index(other) < rows.index(oldest)


def test_a_newer_decision_stands_right_before_the_older_one_that_says_it_word_for_word(door, save):
    old = save("auth", "Use server cookies")
    others = [save(f"cake {number}", f"Bake cookies number {number} on the server") for number in range(2)]
    new = save("auth", "Use signed cookies")
    rows = [row["id"] for row in door("search", query="server cookies")["results"]]
    assert rows[:2] == [new, old] and set(rows[2:]) == set(others)


def test_a_newer_decision_stands_first_also_where_more_match_than_a_search_looks_at(door, save, monkeypatch):
    monkeypatch.setattr(matches, "MOST", 3)
    old = save("lighthouse", "Paint the tower red with enamel")
    for number in range(3):
        save(f"boat {number}", "Paint the boat with enamel")
    new = save("lighthouse", "Leave bare stone instead of paint")
    joined = save("quay", "Tar it, no paint", f"builds_on: {old}")
    rows = door("search", query="tower red enamel paint")["results"]
    assert [row["id"] for row in rows[:2]] == [new, old]
    similar = {row["id"]: row["similarity"] for row in rows}
    assert 0 < similar[new] == similar[joined] < similar[old] == 1.0


def test_a_threshold_holds_for_newer_decisions_as_well(door, save):
    old = save("auth", "Use server cookies")
    save("auth", "Use signed cookies")
    answer = door("search_decisions_and_contracts", query="server cookies", similarityThreshold=0.9)
    assert [row["id"] for row in answer["decisionResults"]] == [old]


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


def scores(brain):
    return {memory.extra["topic"]: brain.credits()[memory.id].score for memory in Decisions(brain).all()}


def test_an_outcome_moves_only_its_decision_whatever_was_shown(door, save, brain):
    save("a"), save("c")
    bad = save("b")
    door("search")
    door("update", id=bad, outcome="failed")
    assert scores(brain)["a"] == scores(brain)["c"] == 0.5 > scores(brain)["b"]


def test_an_outcome_leaves_a_search_before_it_to_its_own_signal(door, save, brain):
    save("a", "Use redis")
    bad = save("b")
    door("search", query="redis")
    door("update", id=bad, outcome="failed")
    low = scores(brain)["b"]
    assert [brain.find(move.id).extra["topic"] for move in brain.feedback("positive_feedback").updated] == ["a"]
    assert scores(brain)["b"] == low < 0.5 < scores(brain)["a"]


def test_an_outcome_said_again_counts_once(door, save, brain):
    id = save("a")
    door("update", id=id, outcome="failed", reason="It leaked.")
    once = scores(brain)["a"]
    door("update", id=id, outcome="Failure")
    assert scores(brain)["a"] == once
    assert found(door)[id]["outcome_reason"] == "It leaked."
    door("update", id=id, outcome="success", reason="It was the pipe.")
    assert scores(brain)["a"] > once
    door("update", id=id, outcome="success", reason="Sure.")
    assert found(door)[id]["outcome_reason"] == "Sure."


def test_an_outcome_needs_a_decision_and_a_word_it_knows(door, save):
    assert door.fault("update", id="decision_nope", outcome="success").startswith("Error: Decision not found")
    assert door.fault("update", id=save("a"), outcome="meh").startswith("Error: outcome must be")
    door("save", type="checkpoint", summary="s")
    assert door.fault("update", id="checkpoint_1", outcome="success").startswith("Error: Decision not found")


@pytest.mark.parametrize("where", ["roses", "old-decisions/"])
def test_a_decision_that_was_moved_keeps_the_id_that_callers_know(door, save, brain, where):
    id = save("flowers", "Plant roses")
    brain.owner.move(Decisions(brain).find(id).id, where)
    top = save("walls", "Paint them", f"builds_on: {id}")
    assert edges_of(found(door, query="roses")[id]) == [(top, "builds_on")]
    assert door("update", id=id, outcome="success")["message"] == f"Updated {id} -> success"


@pytest.mark.parametrize("path", ["adr/7.md", "decisions/Use_Tulips.md"])
def test_a_decision_that_a_person_filed_elsewhere_is_known_by_the_id_that_is_answered(door, write, path):
    write("entities/decisions/7.md", "---\nkind: decision\n---\n\n# 7\n\nPlant roses.\n")
    write(f"entities/{path}", "---\nkind: decision\n---\n\n# 7\n\nPlant tulips.\n")
    (id,) = found(door, query="tulips")
    door("update", id=id, outcome="failed")
    assert found(door, query="tulips")[id]["outcome"] == "FAILED"


def test_a_reason_that_no_header_holds_is_refused_for_its_length(door, save):
    id = save("auth")
    fault = door.fault("update", id=id, outcome="failed", reason="It leaked. " * 2_000)
    assert "larger than 16384 bytes, and 'outcome_reason' takes the most of it" in fault
    assert found(door)[id]["outcome"] is None


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
        for words in ({"failure_reason": "It leaked."}, {"limitation": "Only at night."}, {"reason": "Seen."}):
            client.call("update_outcome", decisionId=saved["id"], outcome="FAILED", **words)
            row = client.call("search")["structuredContent"]["results"][0]
            assert [row["outcome_reason"]] == [*words.values()]
        assert client.call("save_checkpoint", summary="s")["structuredContent"]["id"] == "checkpoint_1"
        assert "removed in v1.2; use edge patterns" in client.refusal("propose_link", anything=1)


def test_hooks_ask_for_decisions_that_fit(door, save):
    id = save("redis", "Use redis")
    save("else", "Nothing of the kind")
    answer = door("search_decisions_and_contracts", query="redis", similarityThreshold=0.7)
    assert [row["id"] for row in answer["decisionResults"]] == [id]
    assert answer["contractResults"] == []


def test_the_handshake_names_the_server_as_mama_does(tmp_path):
    with Client("--profile", "mama", "--home", str(tmp_path / "home"), greet=False) as client:
        assert client.greet()["result"]["serverInfo"]["name"] == "mama-server"


def test_the_database_of_mama_is_named_once_until_it_is_imported(opened, monkeypatch):
    monkeypatch.setenv("MAMA_DB_PATH", "/somewhere/mama.db")
    door = Door(opened("one"), "mama")
    assert 'clawbrain import "$MAMA_DB_PATH"' in door("load_checkpoint")["warning"]
    assert "warning" not in door("load_checkpoint")
    brain = opened("two")
    brain.store("entity", "auth-1-abc", "Use JWT", category="decisions", extra={"kind": "decision", "origin": "mama:x"})
    assert "warning" not in Door(brain, "mama")("search")


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


def test_half_a_character_is_refused_and_no_fault_of_the_server(door, save):
    save("db")
    answer = door.answer("search", query="\ud83d")
    assert "fault in the server" not in answer.content[0].text
