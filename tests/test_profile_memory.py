"""The official memory server's tools: its words, its results, and nothing lost when calls come at once."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_client import Client
from profile_door import Door

import clawbrain
from clawbrain import profiles
from clawbrain.brain import open_brain
from clawbrain.profiles.shared import observations

URI = "memory://knowledge-graph"
READS = [("read_graph", {}), ("open_nodes", {"names": ["Alice"]}), ("search_nodes", {"query": "likes gin"})]


@pytest.fixture
def door(brain):
    return Door(brain, "memory")


def entity(name, type="person", *said):
    return {"name": name, "entityType": type, "observations": list(said)}


def relation(source, kind, target):
    return {"from": source, "to": target, "relationType": kind}


# --- what an observation is


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
def test_every_observation_comes_back_as_it_was_given(said):
    assert observations.texts(observations.written("A name", said).strip("\r\n")) == said


@given(st.lists(st.text(st.sampled_from("-# \n\r&#13;ab"), max_size=12), max_size=6), st.data())
def test_taking_some_observations_out_leaves_the_others(said, data):
    gone = data.draw(st.sets(st.sampled_from(said))) if said else set()
    left = observations.without(observations.written("A name", said), gone)
    assert observations.texts(left) == [text for text in said if text not in gone]


def test_a_paragraph_that_a_person_adds_is_an_observation_and_stays():
    content = "# Bob\n\n- likes tea\n\nMoved to Kyoto\nin May.\n\n## Later\n\n- has a cat"
    assert observations.texts(content) == ["likes tea", "Moved to Kyoto\nin May.", "has a cat"]
    assert (
        observations.without(content, ["likes tea"]) == "# Bob\n\n\nMoved to Kyoto\nin May.\n\n## Later\n\n- has a cat"
    )


# --- the nine tools


def test_entities_are_created_once_and_the_text_is_a_list(door):
    given = {"entities": [entity("Alice Chen", "person", "likes tea")]}
    answer = door.answer("create_entities", **given)
    assert answer.structured_content == given
    assert json.loads(answer.content[0].text) == given["entities"]
    assert answer.content[0].text.startswith('[\n  {\n    "name"')
    assert door("create_entities", **given) == {"entities": []}


def test_an_entity_is_a_file_with_bullets(door, home):
    door("create_entities", entities=[entity("Alice Chen", "person", "likes tea", "two\nlines")])
    text = (home / "memory/entities/people/alice-chen.md").read_text()
    assert text.endswith("---\n\n# Alice Chen\n\n- likes tea\n- two\n  lines\n")
    assert 'title: "Alice Chen"\nentity_type: "person"\n' in text


@pytest.mark.parametrize(
    ("type", "folder"),
    [("project", "projects"), ("preference", "preferences"), ("City Hall", "city-hall"), ("", "things")],
)
def test_the_type_decides_the_folder(door, home, type, folder):
    door("create_entities", entities=[entity("A b", type)])
    assert (home / f"memory/entities/{folder}/a-b.md").is_file()


def test_names_that_share_a_spelling_are_different_entities(door):
    names = ["acme", "ACME", "a c m e", "日本", "日本語", "", "con", "../x", "a" * 300]
    door("create_entities", entities=[entity(name) for name in names])
    assert [row["name"] for row in door("read_graph")["entities"]] == names


def test_relations_may_dangle_at_both_ends_and_come_back_in_order(door):
    door("create_entities", entities=[entity("A"), entity("B")])
    made = [relation("B", "knows", "A"), relation("Z", "is", "Y"), relation("A", "knows", "B"), relation("B", "", "Q")]
    assert door("create_relations", relations=made) == {"relations": made}
    assert door("create_relations", relations=made) == {"relations": []}
    graph = door("read_graph")
    assert graph["relations"] == made
    assert [row["name"] for row in graph["entities"]] == ["A", "B"]


def test_what_began_as_a_dangling_name_becomes_an_entity(door):
    door("create_relations", relations=[relation("Z", "knows", "A")])
    assert door("create_entities", entities=[entity("Z"), entity("A")])["entities"] == [entity("Z"), entity("A")]
    assert door("open_nodes", names=["Z"]) == {"entities": [entity("Z")], "relations": [relation("Z", "knows", "A")]}


def test_more_relations_than_a_header_holds_all_stay(door):
    door("create_entities", entities=[entity("Hub")])
    made = [relation("Hub", "leads to", f"place number {number}") for number in range(400)]
    door("create_relations", relations=made)
    assert door("read_graph")["relations"] == made
    door("delete_relations", relations=made[1:])
    assert door("read_graph") == {"entities": [entity("Hub")], "relations": made[:1]}


def test_observations_are_added_once(door):
    door("create_entities", entities=[entity("A", "t", "one")])
    said = [{"entityName": "A", "contents": ["one", "two"]}, {"entityName": "A", "contents": ["two", "three"]}]
    assert door("add_observations", observations=said)["results"] == [
        {"entityName": "A", "addedObservations": ["two"]},
        {"entityName": "A", "addedObservations": ["three"]},
    ]
    assert door("read_graph")["entities"] == [entity("A", "t", "one", "two", "three")]


def test_an_unknown_entity_refuses_the_whole_call(door):
    door("create_entities", entities=[entity("A", "t")])
    said = [{"entityName": "A", "contents": ["x"]}, {"entityName": "Z", "contents": ["x"]}]
    assert door.fault("add_observations", observations=said) == "Entity with name Z not found"
    assert door("read_graph")["entities"] == [entity("A", "t")]


def test_deletes_say_so_even_when_nothing_was_there(door):
    for tool, word, rows in [
        ("delete_entities", "entityNames", ["Z"]),
        ("delete_observations", "deletions", [{"entityName": "Z", "observations": ["x"]}]),
        ("delete_relations", "relations", [relation("Z", "r", "Y")]),
    ]:
        sentence = f"{tool.removeprefix('delete_').capitalize()} deleted successfully"
        answer = door.answer(tool, **{word: rows})
        assert answer.content[0].text == sentence
        assert answer.structured_content == {"success": True, "message": sentence}


def test_a_deleted_entity_is_archived_and_takes_its_relations_along(door, home):
    door("create_entities", entities=[entity("A"), entity("B")])
    door("create_relations", relations=[relation("A", "r", "B"), relation("B", "r", "A"), relation("Z", "r", "A")])
    door("delete_entities", entityNames=["A"])
    assert door("read_graph") == {"entities": [entity("B")], "relations": []}
    assert (home / "archive/entities/people/a.md").is_file()
    assert not list((home / "memory/entities/things").glob("*"))


def test_a_pinned_entity_is_not_deleted(door, brain):
    door("create_entities", entities=[entity("A"), entity("B")])
    brain.owner.pin("entity-people-b")
    assert "pinned" in door.fault("delete_entities", entityNames=["A", "B"])
    assert len(door("read_graph")["entities"]) == 2


def test_search_is_a_substring_of_name_type_or_observation(door):
    door("create_entities", entities=[entity("Alice", "person", "likes green tea"), entity("Tea House", "shop")])
    door("create_relations", relations=[relation("Alice", "visits", "Elsewhere"), relation("X", "r", "Y")])
    for query, names in [("TEA", ["Alice", "Tea House"]), ("een t", ["Alice"]), ("SHO", ["Tea House"]), ("zz", [])]:
        assert [row["name"] for row in door("search_nodes", query=query)["entities"]] == names
    assert door("search_nodes", query="alice")["relations"] == [relation("Alice", "visits", "Elsewhere")]


def test_search_takes_all_words_when_nothing_holds_the_whole_query(door):
    door("create_entities", entities=[entity("Alice", "person", "likes green tea"), entity("Bob", "person", "tea")])
    assert [row["name"] for row in door("search_nodes", query="tea alice")["entities"]] == ["Alice"]


def test_wrong_words_are_refused_in_that_servers_sentence(door):
    begins = "MCP error -32602: Input validation error: Invalid arguments for tool create_entities: "
    assert door.fault("create_entities").startswith(begins)
    assert door.fault("create_entities", entities=[{"name": 1}]).startswith(begins)
    assert door.fault("nope") == "MCP error -32602: Tool nope not found"
    assert door("read_graph", anything="else") == {"entities": [], "relations": []}


def test_a_read_only_server_answers_a_write_with_an_error(opened):
    door = Door(opened(read_only=True), "memory", read_only=True)
    assert "left out" in door.fault("create_entities", entities=[])
    assert door("read_graph") == {"entities": [], "relations": []}


# --- one store behind all doors


def test_the_same_memories_through_other_doors(door, brain):
    door("create_entities", entities=[entity("Alice Chen", "person", "prefers oolong")])
    door("create_relations", relations=[relation("Alice Chen", "works at", "Acme")])
    assert [hit.id for hit in brain.search("oolong").hits] == ["entity-people-alice-chen"]
    brain.feedback("positive_feedback")
    assert brain.credits()["entity-people-alice-chen"].score > 0.5
    brain.compact()
    assert door("open_nodes", names=["Alice Chen"])["entities"] == [entity("Alice Chen", "person", "prefers oolong")]


def test_what_others_wrote_is_no_node(door, brain):
    brain.store("entity", "bob", "Bob likes tea", category="people")
    assert door("read_graph") == {"entities": [], "relations": []}
    assert door("create_entities", entities=[entity("bob")]) == {"entities": [entity("bob")]}
    assert brain.find("entity-people-bob").content == "Bob likes tea"


@pytest.mark.parametrize(("tool", "words"), READS)
def test_what_a_person_changes_in_the_files_is_read_at_once(door, home, tool, words):
    door("create_entities", entities=[entity("Alice", "person", "likes tea")])
    file = home / "memory/entities/people/alice.md"
    file.write_text(file.read_text().replace("likes tea", "likes gin"))
    assert door(tool, **words)["entities"] == [entity("Alice", "person", "likes gin")]


def test_two_brains_at_once_lose_nothing(opened):
    one, other = Door(opened("one"), "memory"), Door(opened("other"), "memory")
    one("create_entities", entities=[entity("A")])
    for number in range(20):
        who = one if number % 2 else other
        who("add_observations", observations=[{"entityName": "A", "contents": [f"{number}"]}])
        who("create_relations", relations=[relation("A", "r", f"{number}")])
    graph = one("read_graph")
    assert len(graph["entities"][0]["observations"]) == len(graph["relations"]) == 20


# --- a random life beside a plain model of it

names = st.sampled_from(["Alice", "alice", "Bob Chen", "日本", ""])
said = st.sampled_from(["tea", "two\nlines", "", "- x", " \r", "# h"])
entities = st.builds(
    lambda n, t, o: entity(n, t, *o), names, st.sampled_from(["person", "org"]), st.lists(said, max_size=3)
)
relations = st.builds(relation, names, st.sampled_from(["r", ""]), names)
calls = st.one_of(
    st.tuples(st.just("create_entities"), st.lists(entities, max_size=3)),
    st.tuples(st.just("create_relations"), st.lists(relations, max_size=3)),
    st.tuples(st.just("delete_relations"), st.lists(relations, max_size=2)),
    st.tuples(st.just("delete_entities"), st.lists(names, max_size=1)),
)
WORD = {"delete_entities": "entityNames", "create_entities": "entities"}


def lived(graph, tool, rows):
    """What the original does, said in as few words."""
    if tool == "create_entities":
        known = {row["name"] for row in graph["entities"]}
        graph["entities"] += [row for row in rows if row["name"] not in known]
    elif tool == "create_relations":
        known = list(graph["relations"])
        graph["relations"] += [row for row in rows if row not in known]
    elif tool == "delete_relations":
        graph["relations"] = [row for row in graph["relations"] if row not in rows]
    else:
        graph["entities"] = [row for row in graph["entities"] if row["name"] not in rows]
        graph["relations"] = [row for row in graph["relations"] if not {row["from"], row["to"]} & set(rows)]


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(life=st.lists(calls, max_size=12))
def test_any_life_ends_as_the_originals(new_home, tmp_path_factory, clock, life):
    home = Path(shutil.copytree(new_home, tmp_path_factory.mktemp("life") / "home"))
    graph = {"entities": [], "relations": []}
    with open_brain(home, session="s", clock=clock) as brain:
        door = Door(brain, "memory")
        for tool, rows in life:
            door(tool, **{WORD.get(tool, "relations"): rows})
            lived(graph, tool, rows)
        assert door("read_graph") == graph


# --- the server around it


def test_the_graph_is_a_resource_and_news_of_it_are_told(tmp_path):
    with Client("--profile", "memory", "--home", str(tmp_path / "home")) as client:
        listed = client.ask("resources/list")["result"]["resources"]
        assert [(row["uri"], row["mimeType"]) for row in listed] == [(URI, "application/json")]
        client.call("create_entities", entities=[entity("A")])
        assert client.noise == []
        client.ask("resources/subscribe", uri=URI)
        client.call("create_entities", entities=[entity("B")])
        client.call("read_graph")
        news = [(note["method"], note["params"]["uri"]) for note in client.noise]
        assert news == [("notifications/resources/updated", URI)]
        read = client.ask("resources/read", uri=URI)["result"]["contents"][0]
        assert read["mimeType"] == "application/json"
        assert [row["name"] for row in json.loads(read["text"])["entities"]] == ["A", "B"]
        assert client.ask("resources/read", uri="memory://other")["error"]["code"] == -32602


def test_calls_at_once_lose_nothing(tmp_path):
    with Client("--profile", "memory", "--home", str(tmp_path / "home")) as client:
        posted = [client.post_call("create_entities", entities=[entity(f"E{number}")]) for number in range(20)]
        answered = {message["id"] for message in (client.message() for _ in posted)}
        assert answered == set(posted)
        assert len(client.call("read_graph")["structuredContent"]["entities"]) == 20


# --- every profile


SCHEMAS = {name: profiles.load(name, extras=profiles.extras(name)) for name in profiles.names()}


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_snapshot_lists_what_the_sheet_says(name):
    listed = profiles.read(name, profiles.SNAPSHOT)["handshake"]["tools/list"]["tools"]
    parts = ("name", "inputSchema", "outputSchema", "annotations")
    assert [{part: tool.get(part) for part in parts} for tool in listed] == [
        {part: tool.get(part) for part in parts} for tool in SCHEMAS[name]["tools"]
    ]


TOY = '''"""A profile of one tool."""


class Profile:
    def __init__(self, brain):
        self._brain = brain

    def shout(self, words):
        return {"shouted": words.upper(), "known": len(list(self._brain.memories()))}
'''
SHEET = {
    "name": "toy",
    "version": "1",
    "unknownArguments": "ignored",
    "tools": [
        {
            "name": "shout",
            "inputSchema": {"type": "object", "properties": {"words": {"type": "string"}}, "required": ["words"]},
            "annotations": {"readOnlyHint": True},
        }
    ],
}


def test_two_files_are_all_a_new_profile_needs(tmp_path):
    house = Path(shutil.copytree(Path(clawbrain.__file__).parent, tmp_path / "clawbrain"))
    (house / "profiles/toy").mkdir()
    (house / "profiles/toy/tools.py").write_text(TOY)
    (house / "profiles/toy/tools.json").write_text(json.dumps(SHEET))
    command = [sys.executable, "-m", "clawbrain", "serve"]
    with Client("--profile", "toy", "--home", str(tmp_path / "home"), command=command, cwd=tmp_path) as client:
        assert client.call("shout", words="hey")["structuredContent"] == {"shouted": "HEY", "known": 0}


def test_the_core_names_no_profile():
    house = Path(clawbrain.__file__).parent
    rooms = ("brain", "storage", "memory", "search")
    core = [*house.glob("*.py"), *(path for room in rooms for path in (house / room).glob("*.py"))]
    assert len(core) > 50
    for word in ("penfield", "mama", "official"):
        found = subprocess.run(["grep", "-liw", word, *map(str, core)], capture_output=True, text=True).stdout
        assert found == "", word
