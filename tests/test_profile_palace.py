"""The Memory Palace's tools: drawers, rooms, facts, who the agent is, and its diary."""

import hashlib
import re
from datetime import date

import pytest
from mcp_client import Client
from profile_door import Door

from clawbrain import profiles
from clawbrain.errors import Archived
from clawbrain.exchange.writing import all_of, as_official
from clawbrain.profiles.palace.drawers import alike
from clawbrain.profiles.palace.facts import Facts
from clawbrain.profiles.shared import sorting
from clawbrain.profiles.shared.persona import Persona
from clawbrain.profiles.shared.titles import uid

BILLING = "We decided to use PostgreSQL for billing because of its transactions."


@pytest.fixture
def door(brain):
    return Door(brain, "palace")


@pytest.fixture
def add(door):
    def drawer(content, wing="work", room="decisions", **words):
        return door("memory_add_drawer", wing=wing, room=room, content=content, **words)["drawer_id"]

    return drawer


@pytest.fixture
def know(door):
    def fact(subject, predicate, object, start="", **words):
        words |= {"valid_from": start} if start else {}
        return door("memory_kg_add", subject=subject, predicate=predicate, object=object, **words)["triple_id"]

    return fact


def found(door, query, **words):
    return [row["id"] for row in door("memory_search", query=query, **words)["results"]]


def total(door):
    return door("memory_status")["total_drawers"]


def rooms(door, **words):
    return {(row["wing"], row["room"]): row["count"] for row in door("memory_list_rooms", **words)["rooms"]}


# --- what is published


def test_there_are_nineteen_tools_and_all_take_a_description():
    tools = profiles.load("palace")["tools"]
    assert len(tools) == 19
    assert all("description" in tool["inputSchema"]["properties"] for tool in tools)
    assert not any(tool["inputSchema"]["additionalProperties"] for tool in tools)


def test_reading_alone_leaves_thirteen_tools():
    spec = profiles.load("palace")
    listed = {tool["name"] for tool in spec["tools"]} & set(profiles.offered(spec, read_only=True))
    assert len(listed) == 13
    assert not listed & {"memory_add_drawer", "memory_kg_add", "memory_set_identity", "memory_diary_write"}


def test_a_write_is_refused_when_only_reading_and_says_so_in_its_shape(opened):
    door = Door(opened(read_only=True), "palace", read_only=True)
    fault = door.fault("memory_add_drawer", wing="w", room="r", content=BILLING)
    assert fault.keys() == {"info"}
    assert "--read-only" in fault["info"]
    assert total(door) == 0


# --- drawers


def test_a_drawer_is_filed(door):
    answer = door("memory_add_drawer", wing="work", room="decisions", content=BILLING, description="Filing")
    hash = hashlib.sha256(BILLING.encode()).hexdigest()[:16]
    assert answer == {
        "drawer_id": f"drawer_work_decisions_{hash}",
        "memory_type": "decision",
        "info": "drawer added",
    }


def test_a_drawer_is_a_file_people_can_read(home, add):
    id = add(BILLING, source_file="notes.md", added_by="claude")
    text = (home / f"memory/entities/work/decisions-{id[-16:]}.md").read_text()
    assert text.endswith(f"---\n\n{BILLING}\n")
    for line in ('kind: "drawer"', f'title: "{BILLING}"', 'room: "decisions"', 'source: "notes.md"'):
        assert f"\n{line}\n" in text
    assert '\nimportance: "0.6"\nsource: "notes.md"\nadded_by: "claude"\n' in text


def test_the_same_text_in_the_same_room_is_the_same_drawer(door, add):
    id = add(BILLING)
    again = door("memory_add_drawer", wing="work", room="decisions", content=BILLING)
    assert again == {"drawer_id": id, "memory_type": "decision", "info": "drawer already filed"}
    assert total(door) == 1


def test_the_same_text_elsewhere_is_another_drawer(door, add):
    ids = {add(BILLING), add(BILLING, wing="home"), add(BILLING, room="billing"), add(BILLING, wing="Work")}
    assert len(ids) == total(door) == 4


def test_rooms_whose_names_run_together_lose_nothing(door, add):
    ids = {add(BILLING, wing="a_b", room="c"), add(BILLING, wing="a", room="b_c")}
    assert len(ids) == 2
    assert rooms(door) == {("a_b", "c"): 1, ("a", "b_c"): 1}


def test_a_drawer_that_was_rewritten_stands_for_its_new_text_and_not_for_its_old_one(door, add, brain):
    id, new = add(BILLING), "We decided to use SQLite for billing after all."
    brain.update(id, new)
    assert add(new) == add(f"{new}\n") == id
    again = door("memory_add_drawer", wing="work", room="decisions", content=BILLING)
    assert again["info"] == "drawer added"
    assert again["drawer_id"] != id
    assert add(BILLING) == again["drawer_id"]


@pytest.mark.parametrize(
    ("wing", "room", "folder"),
    [
        ("設計", "部屋", "設計"),
        ("My Project", "Über uns", "my-project"),
        ("wing_code", "hall_facts", "wing-code"),
        ("../a/b", "x/y", "a-b"),
        ("설계 노트", "данные", "설계-노트"),
        ("con", "aux", "con-notes"),
    ],
)
def test_wings_and_rooms_are_called_as_people_like(door, add, home, wing, room, folder):
    id = add(BILLING, wing=wing, room=room)
    assert re.fullmatch(r"[0-9a-f]{16}", id.removeprefix(f"drawer_{wing}_{room}_".replace(" ", "_")))
    assert rooms(door, wing=wing) == {(wing, room): 1}
    assert found(door, "PostgreSQL billing", wing=wing, room=room) == [id]
    assert door("memory_traverse", start_room=room)["rooms"][0]["wings"] == [wing]
    assert len(list((home / "memory/entities" / folder).iterdir())) == 1
    assert door("memory_delete_drawer", drawer_id=id)["deleted"]


@pytest.mark.parametrize(
    "content", ["short", "ok thanks!!!", "Hello, how are you?", "!!!!!!!!!!!!", "Thank you so much!"]
)
def test_what_says_nothing_is_not_filed(door, content):
    refused = door.fault("memory_add_drawer", wing="w", room="r", content=content)
    assert refused == {"info": "content too short or trivial to store"}
    assert total(door) == 0


@pytest.mark.parametrize("content", ["設計は終わった", "Thanks to Bob we ship daily", "No deploys on Fridays"])
def test_short_texts_that_say_something_are_filed(door, add, content):
    id = add(content)
    assert found(door, content) == [id]


@pytest.mark.parametrize("lacking", ["wing", "room", "content"])
def test_a_drawer_needs_its_three_words(door, lacking):
    words = {"wing": "w", "room": "r", "content": BILLING}
    needed = {"info": "wing, room, and content are required"}
    assert door.fault("memory_add_drawer", **words | {lacking: " "}) == needed
    assert door.fault("memory_add_drawer", **{k: v for k, v in words.items() if k != lacking}) == needed


def test_ten_thousand_bytes_are_filed_and_no_more(door, add):
    add("ab " * 3333 + "c")
    assert "10000" in door.fault("memory_add_drawer", wing="w", room="r", content="ä" * 5001)["info"]
    assert total(door) == 1


@pytest.mark.parametrize("word", ["...", "x" * 101, "🏰🏰"])
def test_a_wing_needs_a_name(door, word):
    assert "wing" in door.fault("memory_add_drawer", wing=word, room="r", content=BILLING)["info"]


def test_a_similar_drawer_gains_importance_up_to_five(door, add):
    add(BILLING)
    for number in range(6):
        add(BILLING.replace("billing", f"billing {number}"), room=f"r{number}")
    importance = {row["room"]: row["importance"] for row in door("memory_search", query=BILLING, limit=9)["results"]}
    assert importance == {"decisions": 5.0, "r0": 5.0, "r1": 5.0, "r2": 4.5, "r3": 4.0, "r4": 3.5, "r5": 3.0}


def test_a_deleted_drawer_lies_in_the_archive(door, add, home):
    id = add(BILLING)
    assert door("memory_delete_drawer", drawer_id=id) == {"deleted": True, "info": "drawer deleted"}
    assert total(door) == 0
    assert found(door, "PostgreSQL") == []
    assert [file.name for file in (home / "archive/entities/work").iterdir()] == [f"decisions-{id[-16:]}.md"]
    assert door.fault("memory_delete_drawer", drawer_id=id) == {"deleted": False, "info": "drawer not found"}


@pytest.mark.parametrize("id", ["drawer_work_decisions_0000000000000000", "nothing", "../../etc/passwd", "a\nb"])
def test_what_is_not_there_cannot_be_deleted(door, id):
    assert door.fault("memory_delete_drawer", drawer_id=id) == {"deleted": False, "info": "drawer not found"}


def test_the_text_of_a_deleted_drawer_can_be_filed_again(door, add):
    id = add(BILLING)
    door("memory_delete_drawer", drawer_id=id)
    assert add(BILLING) == id
    assert found(door, "PostgreSQL") == [id]


def test_a_secret_that_is_not_kept_is_not_in_the_header_either(home, door, add):
    (home / "STRATEGY.md").write_text("# Strategy\n\n```yaml settings\nsafety:\n  secrets: redact\n```\n")
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    id = add(f"The token is {secret} for now.")
    assert add(f"The token is {secret} for now.") == id
    assert not [file for file in home.rglob("*.md") if secret in file.read_text()]


# --- finding


def test_a_search_answers_whole_drawers(door, add, clock):
    id = add(BILLING)
    answer = door("memory_search", query="postgresql billing")
    similarity = answer["results"][0].pop("similarity")
    assert answer == {
        "results": [
            {
                "id": id,
                "wing": "work",
                "room": "decisions",
                "content": BILLING,
                "memory_type": "decision",
                "importance": 3.0,
                "filed_at": "2026-02-25T10:00:00Z",
            }
        ],
        "count": 1,
    }
    assert 0 < similarity <= 1


def test_nothing_found_is_an_empty_list(door):
    assert door("memory_search", query="anything") == {"results": [], "count": 0}


def test_the_most_similar_comes_first(door, add):
    ids = [add("The gateway rollout went through region five."), add("The gateway is blue.", room="colours")]
    rows = door("memory_search", query="The gateway rollout went through region five.")["results"]
    assert [row["id"] for row in rows] == ids
    assert rows[0]["similarity"] == 1.0 > rows[1]["similarity"]


def test_similarity_is_how_much_of_the_query_a_drawer_holds(door, add):
    little, most = add("Order pizza every month for the team.", room="lunch"), add(BILLING)
    query = "which transactions did postgresql have for the billing of every customer since spring"
    rows = {row["id"]: row["similarity"] for row in door("memory_search", query=query)["results"]}
    assert 0 < rows[little] < 0.25 < rows[most] < 0.8
    assert door("memory_search", query="transactions postgresql")["results"][0]["similarity"] == 1.0
    assert [row["similarity"] for row in door("memory_search", query="lunch pizza")["results"]] == [1.0]


def test_a_search_stays_in_its_wing_and_room(door, add):
    here, there = add(BILLING), add(BILLING, wing="home", room="money")
    assert found(door, "billing", wing="home") == [there]
    assert found(door, "billing", room="decisions") == [here]
    assert found(door, "billing", wing="home", room="decisions") == []
    assert set(found(door, "billing", wing="", room="")) == {here, there}


def test_few_drawers_of_a_wing_are_found_among_many_better_ones_elsewhere(door, brain, write, add):
    for number in range(130):
        write(f"entities/other/n{number}.md", f"Billing billing billing {number}.\n")
    id = add("A long note of many words in which, among so much else that is told, billing is named once.")
    assert found(door, "billing", wing="work") == [id]


@pytest.mark.parametrize(("limit", "count"), [(0, 1), (-5, 1), (3, 3), (10**9, 50)])
def test_a_limit_is_clamped(door, brain, write, limit, count):
    for number in range(60):
        write(f"entities/notes/n{number}.md", f"The gateway, note {number}.\n")
    assert door("memory_search", query="gateway", limit=limit)["count"] == count


def test_five_are_shown_when_nobody_says_how_many(door, write):
    for number in range(7):
        write(f"entities/notes/n{number}.md", f"The gateway, note {number}.\n")
    assert door("memory_search", query="gateway")["count"] == 5


@pytest.mark.parametrize(
    ("tool", "words", "sentence"),
    [
        ("memory_search", {"query": " "}, "query is required"),
        ("memory_search", {}, "query is required"),
        ("memory_check_duplicate", {"content": ""}, "content is required"),
        ("memory_traverse", {"start_room": ""}, "start_room is required"),
        ("memory_kg_query", {"entity": ""}, "entity is required"),
        ("memory_diary_read", {"agent_name": ""}, "agent_name is required"),
    ],
)
def test_a_read_says_what_it_needs_in_a_sentence(door, tool, words, sentence):
    assert door.fault(tool, **words) == sentence


@pytest.mark.parametrize(
    ("tool", "sentence"),
    [
        ("memory_delete_drawer", "drawer_id is required"),
        ("memory_set_identity", "content is required"),
        ("memory_kg_add", "subject, predicate, and object are required"),
        ("memory_kg_invalidate", "subject, predicate, and object are required"),
        ("memory_diary_write", "agent_name and entry are required"),
    ],
)
def test_a_write_says_what_it_needs_in_its_answer(door, tool, sentence):
    needed = profiles.known(profiles.load("palace"))[tool]["inputSchema"]["required"]
    assert door.fault(tool) == {"info": sentence}
    assert door.fault(tool, **dict.fromkeys(needed, " ")) == {"info": sentence}


def test_unknown_arguments_are_refused(door, add):
    assert "colour" in door.fault("memory_status", colour="red")
    assert "colour" in door.fault("memory_add_drawer", wing="w", room="r", content=BILLING, colour="red")["info"]
    assert total(door) == 0


def test_duplicates_are_found_whatever_their_punctuation(door, add):
    id = add(BILLING)
    answer = door("memory_check_duplicate", content=BILLING.upper().rstrip("."))
    assert answer["has_duplicate"] is True
    assert [(row["id"], row["similarity"]) for row in answer["duplicates"]] == [(id, 1.0)]


def test_what_is_new_has_no_duplicate(door, add):
    add(BILLING)
    none = {"duplicates": [], "has_duplicate": False}
    assert door("memory_check_duplicate", content="The billing service listens on port 8443.") == none
    assert door("memory_check_duplicate", content="billing") == none


def test_a_lower_threshold_finds_more_and_five_are_the_most(door, add):
    for number in range(7):
        add(BILLING.replace("billing", f"billing {number}"))
    asked = BILLING.replace("PostgreSQL", "MySQL")
    assert door("memory_check_duplicate", content=asked, threshold=1)["duplicates"] == []
    assert len(door("memory_check_duplicate", content=asked, threshold=0.7)["duplicates"]) == 5
    assert len(door("memory_check_duplicate", content=asked, threshold=-3)["duplicates"]) == 5


@pytest.mark.parametrize(
    ("one", "other", "least", "most"),
    [
        ("same text", "same text", 1, 1),
        ("Same  TEXT!", "same text", 1, 1),
        ("same text here", "same texts here", 0.9, 0.9999),
        ("alpha beta gamma", "gamma alpha beta", 0.99, 0.9999),
        ("one short word", "one short word and a tail that is a great deal longer than it", 0, 0.5),
        ("!!!", "???", 0, 0),
        ("請求書は毎月", "請求書は毎月", 1, 1),
    ],
)
def test_how_alike_texts_are(one, other, least, most):
    assert least <= alike(one, other) <= most


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("We decided to go with Redis instead of Memcached.", "decision"),
        ("I prefer tabs and always use them.", "preference"),
        ("We finally shipped version 1.0!", "milestone"),
        ("The build is broken: an error in the linker.", "problem"),
        ("I feel so happy and proud today.", "emotional"),
        ("TODO: we need to renew the certificate by Friday.", "task"),
        ("The API listens on port 8080.", "fact"),
        ("請求書は毎月一日に発行される。", "fact"),
    ],
)
def test_texts_are_sorted_by_their_words(text, sort):
    assert sorting.sort(text).sort == sort
    assert 3 <= sorting.sort(text).importance <= 5


def test_the_surer_the_sort_the_more_important():
    sure = "TODO: follow up, we need to do this by Monday, the deadline."
    assert sorting.sort(sure).importance == 5 > sorting.sort("TODO: renew it.").importance == 3


# --- wings and rooms


def test_an_empty_palace_says_zero(door):
    assert door("memory_status") == {"total_drawers": 0, "wings": [], "rooms": []}
    assert door("memory_list_wings") == {"wings": []}
    assert door("memory_list_rooms") == {"rooms": []}
    assert door("memory_get_taxonomy") == {"taxonomy": {}}
    assert door("memory_find_tunnels") == {"tunnels": []}
    assert door("memory_graph_stats") == {
        "total_rooms": 0,
        "tunnel_rooms": 0,
        "total_edges": 0,
        "rooms_per_wing": {},
        "top_tunnels": [],
    }


def test_the_taxonomy_counts(door, add):
    add(BILLING), add("The API listens on port 8080.", room="api"), add(BILLING, wing="home")
    assert door("memory_get_taxonomy") == {
        "taxonomy": {"home": {"rooms": {"decisions": 1}}, "work": {"rooms": {"api": 1, "decisions": 1}}}
    }
    assert door("memory_list_wings") == {"wings": [{"wing": "home", "count": 1}, {"wing": "work", "count": 2}]}
    assert door("memory_list_rooms", wing="home")["rooms"] == [{"wing": "home", "room": "decisions", "count": 1}]
    assert door("memory_list_rooms", wing="nowhere") == {"rooms": []}
    assert total(door) == 3


def test_a_wing_and_a_room_are_found_as_loosely_as_they_were_spaced(door, add):
    wing, room = "  my \t wing", "the\nroom "
    id = add(BILLING, wing=wing, room=room)
    add(BILLING, wing="other", room="the room")
    assert found(door, "billing", wing=wing, room=room) == found(door, "billing", wing="my wing") == [id]
    assert rooms(door, wing=wing) == {("my wing", "the room"): 1}
    assert door("memory_traverse", start_room=room)["rooms"][0]["wings"] == ["my wing", "other"]
    assert [row["room"] for row in door("memory_find_tunnels", wing_a=wing)["tunnels"]] == ["the room"]
    assert len(found(door, "billing", wing=" ", room=" ")) == 2


def test_a_wing_and_a_room_that_a_person_spaced_are_found_as_shown(door, write):
    write("entities/notes/roomy.md", '---\nroom: "the  wide room "\n---\n\nSomething of it.\n')
    assert rooms(door) == {("notes", "the wide room"): 1}
    assert found(door, "something", room="the wide room") == ["entity-notes-roomy"]


def test_every_memory_has_a_wing_and_a_room(door, brain, write):
    brain.store("entity", "auth", "Tokens are signed.", category="projects", tags=["security", "api"])
    brain.store("episode", "talk", "We talked.", tags=["security"])
    write("entities/notes/plain.md", "No room at all.\n")
    write("entities/notes/roomy.md", '---\nroom: "billing"\ntags: ["other"]\n---\n\nHas a room.\n')
    assert rooms(door) == {
        ("projects", "security"): 1,
        ("2026-02", "security"): 1,
        ("notes", "general"): 1,
        ("notes", "billing"): 1,
    }
    assert found(door, "signed tokens", wing="projects", room="security") == ["entity-projects-auth"]


@pytest.fixture
def three_wings(write):
    for place in ("a/auth", "a/billing", "b/billing", "b/ops", "c/ops", "c/general", "d/alone", "d/general"):
        wing, _, room = place.partition("/")
        write(f"entities/{wing}/{room}.md", f'---\nroom: "{room}"\n---\n\nSomething of {place}.\n')


def test_rooms_are_walked_from_wing_to_wing(door, three_wings):
    assert door("memory_traverse", start_room="auth") == {
        "rooms": [
            {"room": "auth", "wings": ["a"], "halls": [], "count": 1, "hop": 0, "connected_via": []},
            {"room": "billing", "wings": ["a", "b"], "halls": [], "count": 2, "hop": 1, "connected_via": ["a"]},
            {"room": "ops", "wings": ["b", "c"], "halls": [], "count": 2, "hop": 2, "connected_via": ["b"]},
        ],
        "count": 3,
    }


@pytest.mark.parametrize(("hops", "count"), [(1, 2), (2, 3), (99, 3), (-1, 1)])
def test_hops_are_clamped(door, three_wings, hops, count):
    assert door("memory_traverse", start_room="auth", max_hops=hops)["count"] == count


def test_no_more_than_five_hops_are_walked(door, write):
    for number in range(9):
        for wing in (f"w{number}", f"w{number + 1}"):
            write(f"entities/{wing}/r{number}.md", f'---\nroom: "r{number}"\n---\n\nSomething.\n')
    assert max(row["hop"] for row in door("memory_traverse", start_room="r0", max_hops=50)["rooms"]) == 5
    assert max(row["hop"] for row in door("memory_traverse", start_room="r0")["rooms"]) == 3


def test_fifty_rooms_are_the_most(door, write):
    for number in range(60):
        write(f"entities/w/n{number}.md", f'---\nroom: "r{number}"\n---\n\nSomething.\n')
    assert door("memory_traverse", start_room="r0")["count"] == 50


@pytest.mark.parametrize("room", ["nowhere", "general"])
def test_from_no_room_no_way_leads(door, three_wings, room):
    assert f"'{room}' not found" in door.fault("memory_traverse", start_room=room)


def test_tunnels_join_wings(door, three_wings):
    billing = {"room": "billing", "wings": ["a", "b"], "halls": [], "count": 2}
    ops = {"room": "ops", "wings": ["b", "c"], "halls": [], "count": 2}
    assert door("memory_find_tunnels") == {"tunnels": [billing, ops]}
    assert door("memory_find_tunnels", wing_a="a") == {"tunnels": [billing]}
    assert door("memory_find_tunnels", wing_b="c") == {"tunnels": [ops]}
    assert door("memory_find_tunnels", wing_a="b", wing_b="c") == {"tunnels": [ops]}
    assert door("memory_find_tunnels", wing_a="a", wing_b="c") == {"tunnels": []}


def test_the_graph_is_counted(door, three_wings, write):
    write("entities/c/billing.md", '---\nroom: "billing"\n---\n\nThe third.\n')
    stats = door("memory_graph_stats")
    assert [row["room"] for row in stats.pop("top_tunnels")] == ["billing", "ops"]
    assert stats == {
        "total_rooms": 4,
        "tunnel_rooms": 2,
        "total_edges": 4,
        "rooms_per_wing": {"a": 2, "b": 2, "c": 2, "d": 1},
    }


def test_ten_tunnels_are_shown_at_most(door, write):
    for number in range(12):
        for wing in ("a", "b"):
            write(f"entities/{wing}/n{number}.md", f'---\nroom: "r{number}"\n---\n\nSomething.\n')
    stats = door("memory_graph_stats")
    assert (stats["tunnel_rooms"], stats["total_edges"], len(stats["top_tunnels"])) == (12, 12, 10)


# --- who the agent is


def test_the_identity_is_a_file_and_no_drawer(door, home):
    assert door("memory_set_identity", content="I am Eve.") == {"info": "identity set"}
    assert (home / "memory/entities/persona/identity.md").read_text().endswith("---\n\nI am Eve.\n")
    assert total(door) == 0


def test_an_identity_takes_the_place_of_the_one_before(door, home, brain):
    door("memory_set_identity", content="I am Eve.")
    door("memory_set_identity", content="I am Adam.")
    assert [m.content for m in brain.memories()] == ["I am Adam."]
    assert "I am Adam." in Persona(brain).briefing()


def test_two_thousand_bytes_are_an_identity_and_no_more(door):
    door("memory_set_identity", content="ä" * 1000)
    assert "2000" in door.fault("memory_set_identity", content="ä" * 1000 + "x")["info"]


# --- facts


def test_a_fact_is_known_from_both_ends(door, know):
    know("Alice", "works_at", "Lab", "2026-01-01")
    fact = {"subject": "Alice", "predicate": "works_at", "object": "Lab", "valid_from": "2026-01-01", "valid_to": ""}
    out, into = ({**fact, "direction": way, "current": True} for way in ("outgoing", "incoming"))
    assert door("memory_kg_query", entity="Alice") == {"entity": "Alice", "results": [out], "count": 1}
    assert door("memory_kg_query", entity="Lab") == {"entity": "Lab", "results": [into], "count": 1}
    assert door("memory_kg_query", entity="Lab", direction="outgoing")["results"] == []
    assert door("memory_kg_query", entity="Lab", direction="incoming")["count"] == 1
    assert door("memory_kg_query", entity="Nobody") == {"entity": "Nobody", "results": [], "count": 0}


def test_a_direction_is_one_of_three(door):
    assert "direction must be" in door.fault("memory_kg_query", entity="Alice", direction="sideways")


def test_both_ends_of_a_fact_get_a_file(know, home, door):
    know("Alice", "works_at", "Lab", "2026-01-01", source_closet="notes.md")
    assert {file.name for file in (home / "memory/entities/things").iterdir()} == {"alice.md", "lab.md"}
    text = (home / "memory/entities/things/alice.md").read_text()
    assert '{"relation": "works_at", "target": "[[Lab]]", "from": "2026-01-01", "made": "2026-' in text
    assert '"source": "notes.md"}]' in text
    assert total(door) == 0


def test_a_fact_that_holds_is_noted_once(door, know):
    id = know("Alice", "works_at", "Lab", "2026-01-01")
    assert re.fullmatch(r"t_[0-9a-f]{16}", id)
    again = door("memory_kg_add", subject="alice", predicate="works at", object="LAB", valid_from="2026-02-01")
    assert again == {"triple_id": id, "info": "fact already known, since 2026-01-01: that day stays"}
    assert door("memory_kg_stats")["triples"] == 1


def test_a_known_fact_gets_the_day_that_it_lacks(door, know):
    know("Eva", "works_at", "Port")
    words = {"subject": "Eva", "predicate": "works_at", "object": "Port"}
    dated = door("memory_kg_add", **words, valid_from="2024-03-01")
    assert dated["info"] == "fact already known; noted that it began on 2024-03-01"
    (row,) = door("memory_kg_query", entity="Eva")["results"]
    assert (row["valid_from"], row["current"]) == ("2024-03-01", True)
    for again in ({}, {"valid_from": "2024-03-01"}):
        answer = door("memory_kg_add", **words, **again)
        assert answer == {"triple_id": dated["triple_id"], "info": "fact already known"}


def test_a_known_fact_does_not_begin_after_it_ends(door, know):
    know("Eva", "works_at", "Port")
    words = {"subject": "Eva", "predicate": "works_at", "object": "Port"}
    door("memory_kg_invalidate", **words, ended="2026-05-01")
    assert "2026-05-01" in door.fault("memory_kg_add", **words, valid_from="2026-05-01")["info"]
    assert door("memory_kg_query", entity="Eva")["results"][0]["valid_from"] == ""


def test_a_fact_joins_what_is_described_already(brain, know, home):
    brain.store("entity", "alice-chen", "# Alice Chen\n\nWorks on search.", category="people")
    know("Alice Chen", "leads", "Search")
    assert not (home / "memory/entities/things/alice-chen.md").exists()
    assert 'links: [{"relation": "leads"' in (home / "memory/entities/people/alice-chen.md").read_text()
    assert Facts(brain).all()[0].subject == "Alice Chen"


def test_a_file_without_a_heading_is_known_by_its_name(brain, know, door):
    brain.store("entity", "alice-chen", "Works on search.", category="people")
    know("Alice Chen", "leads", "Search")
    assert door("memory_kg_query", entity="Alice Chen")["results"][0]["subject"] == "alice-chen"


def test_names_that_differ_only_in_signs_are_different(door, know):
    know("C", "is", "language"), know("C++", "is", "language"), know("C#", "is", "language")
    assert door("memory_kg_query", entity="C++")["count"] == 1
    assert door("memory_kg_stats")["entities"] == 4


def test_the_newest_fact_comes_first(door, know):
    (
        know("Alice", "likes", "tea"),
        know("Alice", "lives_in", "Rome", "2025-05-01"),
        know("Alice", "has", "cat", "2026-01-01"),
    )
    assert [row["object"] for row in door("memory_kg_query", entity="Alice")["results"]] == ["cat", "Rome", "tea"]


def test_a_fact_ends(door, know, clock):
    first = know("Alice", "works_at", "Lab", "2026-01-01")
    words = {"subject": "Alice", "predicate": "works_at", "object": "Lab"}
    assert door("memory_kg_invalidate", **words, ended="2026-02-01") == {"info": "fact invalidated"}
    (row,) = door("memory_kg_query", entity="Alice")["results"]
    assert (row["valid_to"], row["current"]) == ("2026-02-01", False)
    assert know("Alice", "works_at", "Lab", "2026-02-20") != first
    assert [row["current"] for row in door("memory_kg_query", entity="Alice")["results"]] == [True, False]


def test_a_fact_ends_today_unless_another_day_is_named(door, know):
    know("Alice", "works_at", "Lab")
    door("memory_kg_invalidate", subject="Alice", predicate="works_at", object="Lab")
    (row,) = door("memory_kg_query", entity="Alice")["results"]
    assert (row["valid_to"], row["current"]) == ("2026-02-25", False)
    assert door("memory_kg_query", entity="Alice", as_of="2026-02-25")["results"] == []
    assert door("memory_kg_query", entity="Alice", as_of="2026-02-24")["count"] == 1


@pytest.mark.parametrize(
    ("day", "objects"),
    [
        ("2025-12-31", []),
        ("2026-01-01", ["Lab"]),
        ("2026-01-31", ["Lab"]),
        ("2026-02-01", ["Shop"]),
        ("2030-01-01", ["Shop"]),
    ],
)
def test_what_held_on_a_day(door, know, day, objects):
    know("Alice", "works_at", "Lab", "2026-01-01")
    door("memory_kg_invalidate", subject="Alice", predicate="works_at", object="Lab", ended="2026-02-01")
    know("Alice", "works_at", "Shop", "2026-02-01")
    assert [row["object"] for row in door("memory_kg_query", entity="Alice", as_of=day)["results"]] == objects


def test_what_nobody_said_cannot_end(door, know):
    know("Alice", "works_at", "Lab")
    fault = door.fault("memory_kg_invalidate", subject="Alice", predicate="works_at", object="Shop")
    assert fault == {"info": "no current fact says that; nothing was changed"}


def test_a_fact_cannot_end_before_it_begins(door, know):
    know("Alice", "works_at", "Lab", "2026-02-01")
    words = {"subject": "Alice", "predicate": "works_at", "object": "Lab"}
    assert "2026-02-01" in door.fault("memory_kg_invalidate", **words, ended="2026-01-01")["info"]
    assert door("memory_kg_stats")["current_facts"] == 1


@pytest.mark.parametrize("day", ["yesterday", "2026-13-01", "2026-2-1", "20260201", "2026-02-30"])
def test_a_day_is_written_as_a_date(door, know, day):
    words = {"subject": "Alice", "predicate": "works_at", "object": "Lab"}
    assert "YYYY-MM-DD" in door.fault("memory_kg_add", **words, valid_from=day)["info"]
    know("Alice", "works_at", "Lab")
    assert "YYYY-MM-DD" in door.fault("memory_kg_invalidate", **words, ended=day)["info"]
    assert "YYYY-MM-DD" in door.fault("memory_kg_query", entity="Alice", as_of=day)


def test_the_timeline_begins_with_the_oldest_and_ends_with_what_has_no_date(door, know):
    know("Alice", "likes", "tea"), know("Alice", "has", "cat", "2026-01-01"), know("Bob", "has", "dog", "2025-01-01")
    events = door("memory_kg_timeline")
    assert [row["object"] for row in events["events"]] == ["dog", "cat", "tea"]
    assert events["count"] == 3
    assert events["events"][2] == {
        "subject": "Alice",
        "predicate": "likes",
        "object": "tea",
        "valid_from": "",
        "valid_to": "",
        "current": True,
    }
    assert [row["object"] for row in door("memory_kg_timeline", entity="cat")["events"]] == ["cat"]


def test_a_hundred_events_are_the_most_and_no_fact_is_lost_in_a_full_header(door, brain, know, home):
    for number in range(104):
        know("Alice", "knows", f"Person {number} of the {'very ' * 8}long list")
    assert door("memory_kg_timeline")["count"] == 100
    assert door("memory_kg_query", entity="Alice")["count"] == 104
    assert door("memory_kg_stats")["entities"] == 105
    assert (home / "memory/entities/things/alice-2.md").exists()


def test_facts_are_counted(door, know):
    know("Alice", "works_at", "Lab"), know("Alice", "knows", "Bob")
    door("memory_kg_invalidate", subject="Alice", predicate="knows", object="Bob")
    assert door("memory_kg_stats") == {
        "entities": 3,
        "triples": 2,
        "current_facts": 1,
        "expired_facts": 1,
        "relationship_types": ["knows", "works_at"],
    }


# --- diaries


def test_a_diary_is_read_newest_first_and_keeps_repeats(door, clock):
    ids = []
    for entry in ("Planned.", "Planned.", "Built."):
        written = door("memory_diary_write", agent_name="Eve", entry=entry, topic="work")
        assert written.keys() == {"drawer_id", "info"}
        assert re.fullmatch(r"drawer_wing_eve_diary_[0-9a-f]{16}", written["drawer_id"])
        ids.insert(0, written["drawer_id"])
    read = door("memory_diary_read", agent_name="eve")
    assert [row["id"] for row in read["entries"]] == ids
    assert read["count"] == 3
    assert read["entries"][0] == {"id": ids[0], "content": "Built.", "hall": "work", "filed_at": "2026-02-25T10:00:00Z"}


def test_diaries_of_different_agents_are_apart(door):
    door("memory_diary_write", agent_name="Eve One", entry="Mine.")
    door("memory_diary_write", agent_name="助手", entry="Also mine.")
    assert door("memory_diary_read", agent_name="eve one")["entries"][0]["hall"] == ""
    assert [row["content"] for row in door("memory_diary_read", agent_name="助手")["entries"]] == ["Also mine."]
    assert door("memory_diary_read", agent_name="Eve") == {"entries": [], "count": 0}
    assert rooms(door) == {("wing_eve_one", "diary"): 1, ("wing_助手", "diary"): 1}


def test_a_diary_entry_is_an_episode_and_a_drawer(door, home):
    id = door("memory_diary_write", agent_name="Eve", entry="Planned the release.", topic="planning")["drawer_id"]
    text = (home / "memory/episodes/2026-02/diary-eve-20260225-100000.md").read_text()
    assert text.endswith("---\n\nPlanned the release.\n")
    assert (
        'title: "Diary of Eve, 2026-02-25"\nagent: "Eve"\nwing: "wing_eve"\nroom: "diary"\nhall: "planning"\n' in text
    )
    (row,) = door("memory_search", query="release", wing="wing_eve")["results"]
    assert (row["id"], row["memory_type"], row["room"]) == (id, "diary", "diary")
    assert door("memory_traverse", start_room="diary")["rooms"][0]["halls"] == ["planning"]
    assert door("memory_delete_drawer", drawer_id=id)["deleted"]
    assert door("memory_diary_read", agent_name="Eve")["entries"] == []


@pytest.mark.parametrize(("last", "count"), [(2, 2), (0, 1), (-1, 1), (10**6, 12)])
def test_how_many_entries_are_read_is_clamped(door, last, count):
    for number in range(12):
        door("memory_diary_write", agent_name="Eve", entry=f"Entry {number}.")
    assert door("memory_diary_read", agent_name="Eve", last_n=last)["count"] == count
    assert door("memory_diary_read", agent_name="Eve")["count"] == 10


def test_an_entry_has_ten_thousand_bytes_at_most(door):
    assert "10000" in door.fault("memory_diary_write", agent_name="Eve", entry="x" * 10_001)["info"]


def test_the_longest_names_in_the_widest_letters_find_room(door, add):
    id = add(BILLING, wing="殿" * 100, room="𠮷" * 100)
    assert found(door, "billing", wing="殿" * 100, room="𠮷" * 100) == [id]
    assert door("memory_diary_write", agent_name="殿" * 95, entry="Long.")["info"] == "diary entry written"


# --- the same store through other doors


@pytest.mark.parametrize("delete", ["delete_relations", "delete_entities"])
def test_a_fact_that_ended_outlives_its_relation(door, know, brain, delete):
    know("Ann", "leads", "Ops")
    door("memory_kg_invalidate", subject="Ann", predicate="leads", object="Ops", ended="2026-02-01")
    know("Ann", "leads", "Ops")
    relation = {"from": "Ann", "to": "Ops", "relationType": "leads"}
    words = {"relations": [relation]} if delete == "delete_relations" else {"entityNames": ["Ops"]}
    Door(brain, "memory")(delete, **words)
    assert [row["current"] for row in door("memory_kg_query", entity="Ann")["results"]] == [False]


def test_a_fact_that_begins_later_is_no_relation_until_then(door, know, brain, clock):
    know("Max", "joins", "Crew", "2026-03-01")
    graph = Door(brain, "memory")
    assert [row["current"] for row in door("memory_kg_query", entity="Max")["results"]] == [False]
    counts = door("memory_kg_stats")
    assert (counts["triples"], counts["current_facts"], counts["expired_facts"]) == (1, 0, 0)
    assert graph("read_graph")["relations"] == [] and '"relation"' not in as_official(all_of(brain))
    again = door("memory_kg_add", subject="Max", predicate="joins", object="Crew", valid_from="2026-03-01")
    assert again["info"] == "fact already known"
    clock.forward(days=5)
    assert [row["current"] for row in door("memory_kg_query", entity="Max")["results"]] == [True]
    assert graph("read_graph")["relations"] and '"relation"' in as_official(all_of(brain))


def test_a_fact_that_ends_on_the_day_it_begins_holds_never(door, know, brain, clock):
    know("Max", "joins", "Crew", "2026-03-01")
    words = {"subject": "Max", "predicate": "joins", "object": "Crew"}
    assert door("memory_kg_invalidate", **words, ended="2026-03-01") == {"info": "fact invalidated"}
    counts = door("memory_kg_stats")
    assert (counts["current_facts"], counts["expired_facts"]) == (0, 1)
    clock.forward(days=5)
    assert Door(brain, "memory")("read_graph")["relations"] == []
    assert door("memory_kg_add", **words)["info"] == "fact added"


def test_a_drawer_is_found_through_every_open_door(door, add, brain):
    id = add(BILLING)
    memory = brain.find(id)
    assert [hit.id for hit in brain.search("PostgreSQL").hits] == [memory.id] == [f"entity-work-decisions-{id[-16:]}"]
    penfield = Door(brain, "penfield")
    assert penfield("recall", query="PostgreSQL")["memories"][0]["content"] == BILLING
    assert penfield("fetch", id=id)["text"] == BILLING


def test_an_archived_drawer_is_known_as_archived_and_comes_back_by_its_own_id(door, add, brain):
    id, other = add(BILLING), add(BILLING, wing="home")
    door("memory_delete_drawer", drawer_id=id)
    with pytest.raises(Archived, match="archive/entities/work/decisions"):
        brain.retrieve(id)
    assert brain.restore(id).path.startswith("entities/work/")
    assert set(found(door, "billing")) == {id, other}


def test_every_id_of_a_drawer_deletes_it(door, add, brain):
    for name in (lambda id: brain.find(id).id, lambda id: uid(brain.find(id)), lambda id: id):
        assert door("memory_delete_drawer", drawer_id=name(add(BILLING)))["deleted"]


def test_what_is_put_away_elsewhere_is_no_drawer_any_more(door, brain):
    brain.store("entity", "auth", "Tokens are signed.", category="projects")
    brain.archive("entity-projects-auth")
    assert total(door) == 0
    assert found(door, "tokens") == []


def test_relations_are_facts_and_facts_are_relations(door, know, brain):
    graph = Door(brain, "memory")
    graph("create_entities", entities=[{"name": "Alice", "entityType": "person", "observations": ["likes tea"]}])
    graph("create_relations", relations=[{"from": "Alice", "to": "Bob", "relationType": "knows"}])
    know("Alice", "works_at", "Lab")
    know("Carol", "knows", "Alice")
    assert {row["predicate"] for row in door("memory_kg_query", entity="Alice")["results"]} == {"knows", "works_at"}
    assert {"from": "Carol", "to": "Alice", "relationType": "knows"} in graph("read_graph")["relations"]
    door("memory_kg_invalidate", subject="Alice", predicate="knows", object="Bob")
    assert "Bob" not in {row["to"] for row in graph("read_graph")["relations"]}


def test_a_relation_that_ended_can_be_made_again(door, know, brain):
    graph, bob = Door(brain, "memory"), {"from": "Alice", "to": "Bob", "relationType": "knows"}
    know("Alice", "knows", "Bob")
    door("memory_kg_invalidate", subject="Alice", predicate="knows", object="Bob")
    assert graph("create_relations", relations=[bob])["relations"] == [bob]
    assert [row["current"] for row in door("memory_kg_query", entity="Bob")["results"]] == [True, False]


# --- what one machine cannot do


@pytest.mark.parametrize(
    "tool",
    [
        "send_push_notification", "send_message_to_agent", "create_workflow", "trigger_workflow",
        "check_workflow_status", "list_workflows", "ask_questions",
    ],
)  # fmt: skip
def test_what_needs_more_than_this_machine_says_so(door, tool):
    fault = door.fault(tool, title="x", message="y", whatever=1)
    assert (fault["success"], fault["error_code"], fault["operation"]) == (False, "NOT_SUPPORTED_LOCALLY", tool)
    assert fault["error"] == fault["info"]
    assert fault["error"].startswith(f"{tool} needs ")


def test_the_user_is_described_by_the_identity(door, brain):
    assert door("get_user_profile")["identity"] == ""
    assert "memory_set_identity" in door("get_user_profile")["info"]
    door("memory_set_identity", content="# Ada\n\nWrites Haskell in Graz.")
    brain.store("entity", "editor", "Vim", category="preferences")
    assert door("get_user_profile") == {
        "id": uid(brain.find("entity-persona-identity")),
        "email": "",
        "nickname": "",
        "name": "Ada",
        "surname": "",
        "created_at": "2026-02-25T10:00:00Z",
        "identity": "# Ada\n\nWrites Haskell in Graz.",
    }
    assert door("get_user_profile", include_preferences=True)["preferences"] == {"editor": "Vim"}


def test_the_workspace_is_the_home(door, home, add):
    add(BILLING)
    door("memory_diary_write", agent_name="Eve Adams", entry="Read all of the mail.")
    answer = door("get_workspace_info")
    assert answer == {"id": answer["id"], "name": home.name, "created_at": "2026-02-25T10:00:00Z", "agents": []}
    assert answer["id"] == door("get_workspace_info")["id"] != ""
    agents = door("get_workspace_info", include_agents=True)["agents"]
    assert agents == [{"id": "eve-adams", "name": "Eve Adams", "role": "", "slug": "eve-adams"}]


# --- over the pipe


def test_the_real_server_lists_and_keeps(tmp_path):
    options = ("--profile", "palace", "--home", str(tmp_path / "home"))
    with Client(*options) as client:
        listed = {tool["name"]: tool["inputSchema"] for tool in client.ask("tools/list")["result"]["tools"]}
        assert listed == {tool["name"]: tool["inputSchema"] for tool in profiles.load("palace")["tools"]}
        posted = [
            client.post_call("memory_add_drawer", wing="w", room="r", content=f"The gateway has number {n}.")
            for n in range(8)
        ]
        for id in posted:
            assert not client.answer_to(id)["result"]["isError"]
        assert client.answer_to(client.post_call("read_artifact", artifact_id="x"))["error"]["code"] == -32602
    with Client(*options, "--read-only") as client:
        assert client.call("memory_status")["structuredContent"]["total_drawers"] == 8
        today = date.today().isoformat()
        assert client.call("memory_kg_query", entity="x", as_of=today)["structuredContent"]["count"] == 0
