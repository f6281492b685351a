"""Penfield's tools: typed memories with uids, relationships, contexts, artifacts, and errors in their shape."""

import re
import uuid
from itertools import pairwise
from pathlib import Path

import pytest
from profile_door import Door

from clawbrain import semantic
from clawbrain.profiles.penfield.finding import RECALL, SEARCH, LinkedSearch
from clawbrain.profiles.penfield.types import detected
from clawbrain.profiles.shared.importance import computed
from clawbrain.storage import embeddings

SENTENCES = Path(__file__).with_name("data") / "memory_types.tsv"

NOBODY = "00000000-0000-0000-0000-000000000000"


@pytest.fixture
def door(brain):
    return Door(brain, "penfield")


@pytest.fixture
def store(door):
    return lambda content, **words: door("store", content=content, **words)["memory_id"]


@pytest.fixture
def code(door):
    """The code of a refusal, once it has its four words."""

    def of(tool, /, **words):
        fault = door.fault(tool, **words)
        assert list(fault) == ["success", "error", "error_code", "operation"]
        assert (fault["success"], fault["operation"]) == (False, tool)
        return fault["error_code"]

    return of


# --- store


def test_store_answers_what_it_made(door, clock):
    answer = door("store", content="Python async uses asyncio", tags=["Python"], importance=0.8)
    assert str(uuid.UUID(answer["memory_id"])) == answer["memory_id"]
    assert answer == {
        "success": True,
        "memory_id": answer["memory_id"],
        "memory_type": "fact",
        "importance": 0.8,
        "tags": ["python"],
        "created_at": "2026-02-25T10:00:00Z",
    }
    assert door("store", content="Another")["importance"] == 0.5


@pytest.mark.parametrize(
    ("content", "type", "folder"),
    [
        ("CORRECTION: the port is 5433", "correction", "entities/corrections"),
        ("Actually it is blue", "correction", "entities/corrections"),
        ("TODO: call Bob", "task", "episodes/2026-02"),
        ("We must follow up on this", "task", "episodes/2026-02"),
        ("See https://example.com", "reference", "entities/references"),
        ("When deploying, always\nrun the tests", "strategy", "entities/strategies"),
        ("I noticed a pattern", "insight", "entities/insights"),
        ("She realised the cause", "insight", "entities/insights"),
        ("We discussed the roadmap", "conversation", "episodes/2026-02"),
        ("Notes of the session", "conversation", "episodes/2026-02"),
        ("Water boils at 100 degrees", "fact", "entities/facts"),
    ],
)
def test_the_type_is_found_from_the_words(door, home, content, type, folder):
    answer = door("store", content=content)
    assert answer["memory_type"] == type
    file = next((home / "memory" / folder).iterdir())
    assert file.stem.endswith(answer["memory_id"][:8])
    assert file.read_text().endswith(f"---\n\n{content}\n")


def labelled(part):
    """The sentences of a part of the list, each with the type it should get."""
    rows = (line.split("\t") for line in SENTENCES.read_text().splitlines())
    return [(sentence.replace("\\n", "\n"), type) for where, type, sentence in rows if where == part]


@pytest.mark.parametrize(("part", "least"), [("fitted", 0.95), ("held out", 0.85)])
def test_most_sentences_of_a_long_list_get_their_type(part, least):
    sentences = labelled(part)
    right = sum(detected(sentence) == type for sentence, type in sentences)
    assert len(sentences) >= 120 and right >= least * len(sentences)


def test_a_fact_is_dated_by_none_of_its_words():
    facts = [sentence for part in ("fitted", "held out") for sentence, type in labelled(part) if type == "fact"]
    assert [fact for fact in facts if detected(fact) in ("task", "conversation")] == []


@pytest.mark.parametrize(
    ("content", "type"),
    [
        ("Decided to follow the style guide", "fact"),
        ("Alice reports to Bob", "relationship"),
        ("Checkpoint: the parser works", "checkpoint"),
        ("**Checkpoint 3:** the parser works", "checkpoint"),
        ("The user session cookie expires after a day", "fact"),
        ("The queue holds 300 jobs. " * 20 + "TODO: drain it", "fact"),
        ("TODO: look at https://example.com", "task"),
        ("[TODO] order ink", "task"),
        ("# Checkpoint\n\nThe parser works", "checkpoint"),
        ("Order ink before Monday", "task"),
        ("Order numbers start with K", "fact"),
        ("Call sign of the station is Delta Five", "fact"),
        ("Finished goods are stored in hall 3", "fact"),
        ("Add-ons cost extra", "fact"),
        ("Test coverage stands at 81 percent", "fact"),
        ("I have two bicycles", "fact"),
    ],
)
def test_a_label_or_a_phrase_decides_and_a_word_does_not(door, content, type):
    assert door("store", content=content)["memory_type"] == type


def test_no_text_keeps_the_types_waiting():
    for text in (
        "is not " * 2_000,
        "a, " * 3_000,
        "the more " * 2_000,
        "for x " * 2_000,
        "- " * 5_000,
        "x: y\n" * 2_000,
    ):
        assert detected(text)


def test_what_penfield_keeps_by_date_outlives_every_compaction(door, brain, clock):
    for content in ("TODO: renew the certificate", "We discussed the roadmap"):
        door("store", content=content, tags=["one", "two"])
    clock.forward(days=2_000)
    assert brain.compact().details == ()


def test_importance_is_computed_where_none_is_given(door):
    def weight(content, **words):
        return door("store", content=content, **words)["importance"]

    assert weight("CRITICAL: never restore over the live database!!!") >= 0.75
    assert weight("meh") <= 0.3 and weight("thanks") == 0.1
    assert weight("Python async uses asyncio") == 0.5
    assert weight("CRITICAL: mind the gap", importance=0.2) == 0.2
    assert weight("CRITICAL: mind the gap", importance=0) == 0.0


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("We decided to use Postgres instead of MySQL", "Postgres has tables"),
        ("URGENT: data loss in the importer", "The importer has a bug"),
        ("Alice is allergic to nuts", "Alice has a bicycle"),
        ("The logo is blue", "Not important: the logo is blue"),
        ("The colour is off", "Maybe the colour is off, a cosmetic nit"),
        ("We decided to use Postgres", "Postgres has tables"),
        ("Nothing happened", "Nothing really urgent happened"),
        ("It is a detail", "It isn't an important detail"),
        ("Do not forget the critical backup", "Mind the backup"),
    ],
)
def test_words_of_weight_outweigh_others(more, less):
    assert 1 >= computed(more) > computed(less) >= 0.05


def test_tags_are_lower_case_with_hyphens(door):
    tags = ["Web Dev", "snake_case", "C++", "web dev", " "]
    assert door("store", content="c", tags=tags)["tags"] == ["web-dev", "snake-case", "c++"]


def test_numbers_are_brought_into_their_range(door, store):
    assert [door("store", content="c", importance=n)["importance"] for n in (7, -2)] == [1.0, 0.0]
    store("asyncio")
    assert [door("recall", query="asyncio", limit=n)["found"] for n in (0, -5, 10_000)] == [1, 1, 1]


@pytest.mark.parametrize(
    "words",
    [{}, {"content": ""}, {"content": " \n"}, {"content": "x" * 10_001}, {"content": 7},
     {"content": "c", "tags": [f"t{n}" for n in range(11)]}, {"content": "c", "tags": "t"}],
)  # fmt: skip
def test_what_cannot_be_stored_is_a_validation_error(code, words):
    assert code("store", **words) == "VALIDATION_ERROR"


def test_unknown_arguments_are_ignored(door):
    assert door("store", content="c", colour="blue")["success"]


# --- recall, search, fetch


def test_recall_answers_whole_memories(door, store):
    id = store("Python async uses asyncio", tags=["python"])
    answer = door("recall", query="asyncio")
    relevance = answer["memories"][0].pop("relevance")
    assert 0.05 <= relevance <= 1
    assert answer == {
        "success": True,
        "query": "asyncio",
        "found": 1,
        "memories": [
            {
                "id": id,
                "content": "Python async uses asyncio",
                "type": "fact",
                "created": "2026-02-25T10:00:00Z",
                "tags": ["python"],
            }
        ],
    }


def test_recall_keeps_to_tags_and_dates(door, store, clock):
    old = store("asyncio one", tags=["a", "b"])
    clock.forward(days=10)
    new = store("asyncio two", tags=["c"])

    def recalled(**words):
        return {row["id"] for row in door("recall", query="asyncio", **words)["memories"]}

    assert recalled(tags=["B", "x"]) == {old}
    assert recalled(tags=["a", "c"]) == recalled() == recalled(tags=[]) == {old, new}
    assert recalled(start_date="2026-03-01") == {new}
    assert recalled(end_date="2026-02-25") == {old}
    assert recalled(start_date="2026-02-25T11:00:00+01:00", end_date="2026-02-25T10:00:00Z") == {old}
    assert recalled(tags=["a"], start_date="2026-03-01") == set()


def test_neighbours_in_a_session_do_not_join(door, store):
    store("Bob has a cat"), store("The build uses bazel remote caching"), store("Alice has a dog")
    assert door("recall", query="which remote caching does it use")["found"] == 1


def test_recalling_a_memory_brings_what_it_is_connected_to(door, store):
    a, c = store("The importer reads feeds"), store("Ask Heidi before changing anything")
    assert [row["id"] for row in door("recall", query="importer feeds")["memories"]] == [a]
    connected(door, a, c, type="prerequisite_for")
    rows = door("recall", query="importer feeds")["memories"]
    assert [row["id"] for row in rows] == [a, c]
    assert rows[0]["relevance"] > rows[1]["relevance"] >= 0.05
    assert [row["id"] for row in door("recall", query="asks Heidi")["memories"]] == [c, a]


def test_recalling_a_memory_brings_what_its_text_links_to(door, store, brain):
    brain.store("entity", "heidi", "Ask her before changing anything", category="people")
    a = store("The importer reads feeds of [[heidi]]")
    rows = door("recall", query="importer feeds")["memories"]
    assert [row["content"] for row in rows[1:]] == ["Ask her before changing anything"] and rows[0]["id"] == a


def test_what_is_connected_keeps_to_tags_and_dates(door, store):
    a, c = store("The importer reads feeds", tags=["x"]), store("Ask Heidi before changing anything", tags=["y"])
    connected(door, a, c)
    assert [row["id"] for row in door("recall", query="importer feeds", tags=["x"])["memories"]] == [a]


def test_a_strong_connection_to_a_good_match_outweighs_a_weak_match(door, store):
    a, b, c = (
        store("feed importer feed importer"),
        store("a feed, among " + "many other words " * 60),
        store("Ask Heidi"),
    )
    connected(door, a, c, strength=1)
    assert [row["id"] for row in door("recall", query="feed importer")["memories"]] == [a, c, b]
    assert [row["id"] for row in door("recall", query="feed importer", limit=2)["memories"]] == [a, c]


@pytest.mark.skipif(semantic.installed(), reason="with the extra, meaning is weighed instead")
def test_search_puts_what_holds_all_of_a_question_before_what_repeats_a_part(door, store):
    part = store("Hose, hose and hose.")
    whole = store("Before winter the hose was drained. " + " ".join(f"Word{n} thing{n}." for n in range(120)))
    days = {store(f"Winter day {n}.") for n in range(6)}
    recalled = [row["id"] for row in door("recall", query="hose in winter")["memories"]]
    searched = [row["id"] for row in door("search", query="hose in winter")["results"]]
    assert (recalled[:2], searched[:2]) == ([part, whole], [whole, part])
    assert set(recalled[2:]) == set(searched[2:]) == days


def relevances(brain, query, weights):
    return {
        memory.content: relevance for memory, relevance in LinkedSearch(brain).found(query, weights, 10, lambda _: True)
    }


def test_search_weighs_connections_less_than_recall_does(door, store, brain):
    connected(door, store("feed importer"), store("Ask Heidi"), strength=1)
    recalled, searched = (relevances(brain, "feed importer", weights) for weights in (RECALL, SEARCH))
    assert (recalled["Ask Heidi"], searched["Ask Heidi"]) == (0.2, 0.1)


@pytest.mark.skipif(not semantic.installed(), reason="the extra is not installed")
def test_search_weighs_meaning_more_than_recall_does(door, store, brain, monkeypatch):
    monkeypatch.setattr(embeddings, "PATIENCE", 60.0)  # however slowly this runs
    store("A veterinarian parked his car in the garage below the opera.")
    store("All animals of the farm are examined at the clinic.")
    recalled, searched = (relevances(brain, "veterinarian for the cattle", weights) for weights in (RECALL, SEARCH))
    clinic = "All animals of the farm are examined at the clinic."
    assert 0 < recalled[clinic] < searched[clinic]


def test_what_was_shown_with_a_match_is_credited_with_it(door, store, brain):
    a, c = store("The importer reads feeds"), store("Ask Heidi before changing anything")
    connected(door, a, c)
    door("recall", query="importer feeds")
    assert brain.feedback("task_completed").memories == 2


def test_documents_are_not_kept_and_it_says_so(door, store):
    store("asyncio")
    answer = door("recall", query="asyncio", source_type="document")
    assert (answer["found"], answer["memories"]) == (0, [])
    assert "not kept locally" in answer["note"]
    assert door("recall", query="asyncio", source_type=None)["found"] == 1
    assert door("recall", query="asyncio", source_type="memory")["found"] == 1


@pytest.mark.parametrize(
    "words",
    [
        {"query": ""},
        {"query": "x" * 4001},
        {},
        {"query": "x", "start_date": "soon"},
        {"query": "x", "source_type": "z"},
    ],
)
def test_a_recall_that_makes_no_sense(code, words):
    assert code("recall", **words) == "VALIDATION_ERROR"


def test_a_recall_that_finds_nothing(door):
    assert door("recall", query="zebra") == {"success": True, "query": "zebra", "found": 0, "memories": []}


def test_search_gives_titles_and_addresses(door, store, home):
    id = store("# Async\n\nPython async uses asyncio")
    file = next((home / "memory/entities/facts").iterdir())
    expected = {"id": id, "title": "Async", "url": file.as_uri(), "text": "# Async\n\nPython async uses asyncio"}
    assert door("search", query="asyncio") == {"results": [expected]}


def test_fetch_gives_all_of_it(door, store):
    id, other = store("Python async", tags=["python"]), store("Trio")
    door("connect", from_memory=other, to_memory=id, relationship_type="supports", strength=0.8)
    answer = door("fetch", id=id)
    assert list(answer) == ["id", "title", "text", "url", "metadata"]
    relationship = answer["metadata"].pop("relationships")[0]
    assert (relationship["type"], relationship["from_memory"], relationship["strength"]) == ("supports", other, 0.8)
    assert answer["metadata"] == {
        "memory_type": "fact",
        "importance": 0.5,
        "tags": ["python"],
        "created_at": "2026-02-25T10:00:00Z",
        "updated_at": "2026-02-25T10:00:00Z",
        "access_count": 1,
    }


def test_what_is_not_there_is_not_found(door, store, code):
    id = store("c")
    for missing in (NOBODY, "nonsense", "entity-a-b"):
        assert door.fault("fetch", id=missing) == {
            "success": False,
            "error": "Memory not found",
            "error_code": "NOT_FOUND",
            "operation": "fetch",
        }
        assert code("update_memory", memory_id=missing, content="c") == "NOT_FOUND"
        assert code("explore", start_memory=missing) == "NOT_FOUND"
        assert code("connect", from_memory=id, to_memory=missing, relationship_type="supports") == "NOT_FOUND"


def test_memories_of_other_doors_have_a_uid_of_their_own(door, brain):
    memory = brain.store("entity", "alice", "Alice prefers oolong", category="people").memory
    row = door("recall", query="oolong")["memories"][0]
    assert (uuid.UUID(row["id"]).version, row["type"]) == (5, "fact")
    for id in (row["id"], row["id"].upper(), memory.id, "entities/people/alice.md"):
        assert door("fetch", id=id)["id"] == row["id"]


# --- update


def test_update_says_which_fields_it_changed(door, store):
    id = store("Python", tags=["a"])
    assert door("update_memory", memory_id=id, content="Rust", importance=3) == {
        "success": True,
        "memory_id": id,
        "updated_fields": ["content", "importance"],
    }
    assert door("update_memory", memory_id=id, tags=[])["updated_fields"] == ["tags"]
    fetched = door("fetch", id=id)
    assert (fetched["text"], fetched["title"]) == ("Rust", "Rust")
    assert (fetched["metadata"]["importance"], fetched["metadata"]["tags"]) == (1.0, [])


def test_a_title_goes_with_the_text_when_a_person_takes_another_one(door, store, brain, home):
    id = store("Alpha text")
    file = home / "memory" / brain.find(id).path
    titled = lambda: door("fetch", id=id)["title"]  # noqa: E731
    file.write_text(file.read_text().replace("\nAlpha text", "\nBy hand"))
    assert titled() == "By hand"
    for text in ("Alpha two", "Alpha three"):
        door("update_memory", memory_id=id, content=text)
    assert brain.find(id).extra["title"] == titled() == "Alpha three"
    for _ in range(2):
        brain.owner.revert(id)
        assert titled() == door("fetch", id=id)["text"] == door("search", query="alpha")["results"][0]["title"]
    file.write_text(file.read_text().replace("title: ", "title: My own # "))
    file.write_text(file.read_text().replace("\nAlpha", "\nBeta"))
    assert titled() == "My own"


def test_an_update_without_a_change_is_refused(store, code):
    id = store("Python")
    assert code("update_memory", memory_id=id) == "VALIDATION_ERROR"
    assert code("update_memory", memory_id=id, content="") == "VALIDATION_ERROR"


def test_a_stale_update_is_a_conflict(opened):
    one, other = Door(opened("one"), "penfield"), Door(opened("other"), "penfield")
    id = one("store", content="first")["memory_id"]
    other("update_memory", memory_id=id, content="second")
    fault = one.fault("update_memory", memory_id=id, content="third")
    assert (fault["error_code"], "second" in fault["error"]) == ("CONFLICT", True)
    one("fetch", id=id)
    assert one("update_memory", memory_id=id, content="third")["success"]


# --- relationships


def connected(door, *ends, type="supports", **words):
    return door("connect", from_memory=ends[0], to_memory=ends[1], relationship_type=type, **words)


def test_connect_answers_the_relationship(door, store):
    a, b = store("a"), store("b")
    answer = connected(door, a, b)
    assert answer == {
        "success": True,
        "relationship_id": answer["relationship_id"],
        "from_memory": a,
        "to_memory": b,
        "relationship_type": "supports",
        "strength": 0.5,
    }
    assert uuid.UUID(answer["relationship_id"]).version == 5
    assert connected(door, b, a, strength=9)["strength"] == 1.0


def test_twice_itself_and_strange_types_are_refused(door, store, code):
    a, b = store("a"), store("b")
    connected(door, a, b)
    connected(door, a, b, type="causes")
    ends = {"from_memory": a, "to_memory": b}
    assert code("connect", **ends, relationship_type="supports") == "ALREADY_EXISTS"
    assert a in door.fault("connect", **ends, relationship_type="supports")["error"]
    assert code("connect", from_memory=a, to_memory=a, relationship_type="supports") == "VALIDATION_ERROR"
    assert code("connect", **ends, relationship_type="likes") == "VALIDATION_ERROR"
    assert code("connect", **ends) == "VALIDATION_ERROR"


def test_disconnect_is_forbidden_unless_allowed(door, brain, store):
    a, b = store("a"), store("b")
    connected(door, a, b), connected(door, a, b, type="causes")
    ends = {"from_memory": a, "to_memory": b}
    assert door.fault("disconnect", **ends) == {"error": "Forbidden", "status_code": 403}
    allowed = Door(brain, "penfield", allow=("disconnect",))
    assert allowed("disconnect", **ends) == {"success": True, "removed": 2}
    assert allowed.fault("disconnect", **ends)["error_code"] == "NOT_FOUND"
    assert door("explore", start_memory=a)["paths_found"] == 0


def test_explore_walks_a_ring_without_turning_round_in_it(door, store):
    a, b, c = (store(f"number {name}", tags=[name]) for name in "abc")
    connected(door, a, b, strength=0.8), connected(door, b, c), connected(door, c, a)
    answer = door("explore", start_memory=a)
    walked = [[node["id"] for node in path["nodes"]] for path in answer["paths"]]
    assert walked == [[a, b], [a, c], [a, b, c], [a, c, b]]
    assert (answer["paths_found"], answer["max_depth_reached"]) == (4, 2)
    first = answer["paths"][0]
    assert first["nodes"][1] == {"id": b, "preview": "number b", "type": "fact", "tags": ["b"]}
    assert (first["relationships"][0]["type"], first["relationships"][0]["strength"]) == ("supports", 0.8)
    assert [path["depth"] for path in answer["paths"]] == [1, 1, 2, 2]


def test_explore_keeps_to_depth_and_types(door, store):
    ids = [store(f"number {n}") for n in range(13)]
    for near, far in pairwise(ids):
        connected(door, near, far, type="follows")
    assert door("explore", start_memory=ids[0])["max_depth_reached"] == 3
    assert [door("explore", start_memory=ids[0], max_depth=n)["paths_found"] for n in (1, 0, 99)] == [1, 1, 10]
    assert door("explore", start_memory=ids[0], relationship_types=["causes"])["paths_found"] == 0
    assert door("explore", start_memory=ids[0], relationship_types=["causes", "follows"])["paths_found"] == 3


def test_a_memory_without_relationships(door, store):
    id = store("alone")
    assert door("explore", start_memory=id) == {
        "success": True,
        "start_memory": id,
        "paths_found": 0,
        "max_depth_reached": 0,
        "paths": [],
        "message": "No connections found from this memory",
    }


# --- awaken and reflect


def test_the_briefing_holds_persona_rules_and_preferences(door, write, brain):
    brain.write_digest()
    write("entities/persona/self.md", "# Ada\n\n## Voice\n\nDry.")
    write("entities/rules/tests.md", "Run the tests first.")
    write("entities/preferences/editor.md", "Uses vim.")
    briefing = door("awaken")["briefing"]
    assert briefing.startswith("=== AWAKENING BRIEFING ===\n")
    assert briefing.endswith("\n=== END BRIEFING ===")
    places = [briefing.index(words) for words in ("# Ada", "Run the tests first.", "Uses vim.", "MEMORY.md")]
    assert places == sorted(places)


def test_the_briefing_points_at_the_digest_only_where_there_is_one(door, store, brain, home):
    store("One")
    assert "1 memory in all. Search for the rest." in door("awaken")["briefing"]
    (home / "memory/MEMORY.md").write_text("# My own page\n")
    assert "MEMORY.md" not in door("awaken")["briefing"]
    store("Two")
    brain.write_digest()
    pointer = "2 memories in all; memory/MEMORY.md lists the most useful ones. Search for the rest."
    assert pointer in door("awaken")["briefing"]


def test_a_briefing_without_a_persona_says_where_one_goes(door):
    answer = door("awaken")
    assert list(answer) == ["success", "briefing"]
    assert "entities/persona/self.md" in answer["briefing"]


@pytest.mark.parametrize(("files", "said"), [(12, ""), (13, "(1 more is left out;"), (30, "(18 more are left out;")])
def test_a_briefing_says_how_many_rules_and_preferences_it_leaves_out(door, write, files, said):
    for number in range(files):
        write(f"entities/preferences/p{number}.md", f"Likes thing {number}.")
        write(f"entities/rules/r{number}.md", f"Never do thing {number}.")
    for briefing in (door("awaken")["briefing"], door("restore_context", name="awakening")["briefing"]):
        _, rules, preferences, _ = re.split(r"## (?:Rules|Preferences|What is remembered)\n", briefing)
        assert (preferences.count("Likes"), rules.count("Never")) == (12, 12)
        assert [part.count("left out") for part in (rules, preferences)] == [bool(said)] * 2
        assert said in rules and said in preferences


def test_reflect_counts_what_is_there(door, store):
    a, b = store("One", tags=["python", "web"], importance=0.9), store("Two", tags=["python", "web"])
    connected(door, a, b)
    answer = door("reflect")
    assert [row["content"] for row in answer.pop("top_memories")] == ["One", "Two"]
    assert answer == {
        "success": True,
        "time_window": "recent",
        "memories_analyzed": 2,
        "active_topics": ["python", "web"],
        "patterns": ["'python' and 'web' occur together in 2 memories"],
        "insights": [{"type": "supports", "count": 1, "description": "1 supports relationship"}],
    }


def test_reflect_looks_at_a_window(door, store, clock, code):
    for _ in range(3):
        store("c")
        clock.forward(days=3)

    def analyzed(**words):
        return door("reflect", **words)["memories_analyzed"]

    assert (analyzed(), analyzed(time_window="today"), analyzed(time_window="week")) == (3, 0, 2)
    assert analyzed(time_window="today", start_date="2026-02-25", end_date="2026-02-28") == 2
    assert code("reflect", time_window="month") == "VALIDATION_ERROR"
    assert code("reflect", start_date="soon") == "VALIDATION_ERROR"


def test_recent_is_the_last_fifty(door, store):
    for number in range(55):
        store(f"number {number}")
    assert door("reflect")["memories_analyzed"] == 50
    assert len(door("reflect")["top_memories"]) == 5


# --- contexts


def test_a_context_holds_what_it_names_and_what_fits(door, store, home):
    port, cat, tea = store("The database port is 5433"), store("Bob has a cat"), store("Alice drinks oolong tea")
    description = f"Work on the database. memory_id: {cat} and memory: 'oolong tea'"
    answer = door("save_context", name="API Investigation", description=description)
    assert answer == {
        "success": True,
        "message": "Context 'API Investigation' saved",
        "context_id": answer["context_id"],
        "memories_included": 3,
        "name": "API Investigation",
        "references_extracted": 2,
        "references_resolved": 2,
    }
    restored = door("restore_context", name="API Investigation")
    assert [row["id"] for row in restored["memories"]] == [cat, tea, port]
    assert restored["description"] == description
    text = (home / "memory/episodes/2026-02/api-investigation.md").read_text()
    assert "- Bob has a cat (`entity-facts-bob-has-a-cat-" in text
    assert 'tags: ["checkpoint", "context", "api-investigation"]' in text


def test_what_cannot_be_resolved_is_told(door, store, brain):
    id = store("The database port is 5433")
    described = f"memory_id: {id}, memory_id: {NOBODY}, memory: 'purple elephants', memory: \"database port\""
    answer = door("save_context", name="c", description=described)
    store("Lunch is at twelve and the canteen closes at two")
    assert (answer["references_extracted"], answer["references_resolved"]) == (4, 2)
    assert door("save_context", name="d", description=f"memory_id: {id} and the other")["memories_included"] == 1
    assert answer["unresolved_references"] == [NOBODY, "purple elephants"]
    assert answer["memories_included"] == 1
    assert "memory_id" in answer["hint"]
    brain.archive(id)
    assert door("save_context", name="e", description=f"memory_id: {id}")["unresolved_references"] == [id]


def test_a_link_that_ended_or_has_not_begun_is_no_relationship(door, store, brain):
    pier, crane = store("Pier nine"), store("Crane two")
    palace = Door(brain, "palace")
    fact = {"subject": "Pier nine", "object": "Crane two"}
    palace("memory_kg_add", **fact, predicate="supports", valid_from="2026-01-01")
    related = lambda id: [row["type"] for row in door("fetch", id=id)["metadata"]["relationships"]]  # noqa: E731
    assert related(pier) == ["supports"]
    palace("memory_kg_invalidate", **fact, predicate="supports", ended="2026-02-01")
    palace("memory_kg_add", **fact, predicate="depends_on", valid_from="2099-01-01")
    assert related(pier) == related(crane) == []


def test_a_name_is_taken_once(door, code):
    door("save_context", name="c")
    assert code("save_context", name="c") == code("save_context", name=" c ") == "DUPLICATE_NAME"
    assert code("save_context", name=" ") == code("save_context") == "VALIDATION_ERROR"
    assert code("save_context", name="Awakening") == "VALIDATION_ERROR"


def test_a_taken_name_is_refused_in_these_words(door):
    door("save_context", name="API 'v2'")
    fault = door.fault("save_context", name="API 'v2'")
    assert fault["error"] == "Context name 'API 'v2'' already exists. Use a unique name."


def test_stars_and_percent_signs_in_a_pattern_are_letters(door):
    for name in ("100% done", "100 done", "a*b", "acb"):
        door("save_context", name=name)

    def names(pattern):
        return [row["name"] for row in door("list_contexts", name_pattern=pattern)["contexts"]]

    assert (names("%"), names("0%"), names("*"), names("a*b"), names("?")) == (
        ["100% done"], ["100% done"], ["a*b"], ["a*b"], [],
    )  # fmt: skip


def test_a_restored_context_has_these_words(door, store, clock):
    first = store("asyncio " + "x" * 300)
    store("asyncio again")
    saved = door("save_context", name="c", description="asyncio")
    answer = door("restore_context", name="c", limit=1)
    row = answer.pop("memories")[0]
    assert answer == {
        "success": True,
        "context_id": saved["context_id"],
        "name": "c",
        "description": "asyncio",
        "count": 1,
        "saved_count": 2,
        "truncated": True,
    }
    assert list(row) == ["id", "content", "memory_type", "created_at"]
    everything = door("restore_context", name="c", limit=500)
    assert (everything["count"], everything["truncated"]) == (2, False)
    assert {len(row["content"]) for row in everything["memories"] if row["id"] == first} == {200}


def test_a_context_keeps_what_it_saved(door, store, brain):
    store("asyncio one")
    door("save_context", name="c", description="asyncio")
    store("asyncio two")
    assert door("restore_context", name="c")["saved_count"] == 1
    brain.archive(brain.search("asyncio", only=lambda memory: "one" in memory.name).hits[0].id)
    answer = door("restore_context", name="c")
    assert (answer["count"], answer["saved_count"], answer["truncated"]) == (0, 1, False)


def test_contexts_that_are_not_there_and_the_one_that_always_is(door, code):
    assert code("restore_context", name="nope") == "NOT_FOUND"
    assert door("restore_context", name="awakening")["briefing"] == door("awaken")["briefing"]


def test_contexts_are_listed_newest_first(door, clock):
    for name in ("API one", "db", "API two"):
        door("save_context", name=name, description=f"about {name}")

    def names(**words):
        return [row["name"] for row in door("list_contexts", **words)["contexts"]]

    assert names() == ["API two", "db", "API one"]
    assert names(name_pattern="api") == ["API two", "API one"]
    assert names(name_pattern="i o") == ["API one"]
    assert names(limit=1, offset=1) == ["db"]
    assert names(limit=0) == ["API two"]
    page = door("list_contexts", name_pattern="API", limit=1)
    row = page.pop("contexts")[0]
    assert page == {"success": True, "total": 2, "limit": 1, "offset": 0, "has_more": True}
    assert list(row) == ["id", "name", "memory_count", "created"]
    assert door("list_contexts", include_descriptions=True)["contexts"][1]["description"] == "about db"


# --- artifacts


def test_an_artifact_is_a_plain_file(door, home):
    answer = door("save_artifact", path="/project/notes.md", content="# Notes\n\nüber\n")
    assert answer == {
        "success": True,
        "message": "Artifact saved",
        "path": "/project/notes.md",
        "artifact_id": answer["artifact_id"],
        "content_type": "text/markdown",
        "size": 15,
    }
    assert (home / "artifacts/project/notes.md").read_text() == "# Notes\n\nüber\n"
    assert door("retrieve_artifact", path="/project/notes.md") == {
        "success": True,
        "content": "# Notes\n\nüber\n",
        "path": "/project/notes.md",
        "content_type": "text/markdown",
        "size": 15,
    }
    assert door("recall", query="über notes")["found"] == 0


@pytest.mark.parametrize(
    "path",
    ["", "/", "notes.md", "/a/", "/../x", "/a/../b", "/a/./b", "/.hidden", "/a/.git/config", "/a//b", "//a", "/a b",
     "/é.md", "/a\\b", "/a\0b", "/a\nb", "/~x", "/1/2/3/4/5/6/7/8/9/10/11"],
)  # fmt: skip
def test_a_path_that_breaks_a_rule(code, path):
    for tool in ("retrieve_artifact", "delete_artifact"):
        assert code(tool, path=path) == "INVALID_PATH"
    assert code("save_artifact", path=path, content="c") == "INVALID_PATH"


@pytest.mark.parametrize("path", ["/a", "/a-b_c.D.txt", "/1/2/3/4/5/6/7/8/9/10", "/-x", "/a..b"])
def test_a_path_that_keeps_the_rules(door, path):
    door("save_artifact", path=path, content="")
    assert door("retrieve_artifact", path=path)["content"] == ""


@pytest.mark.parametrize("path", [f"/{'a' * 256}", f"/{'a' * 300}/b.md", f"/a/{'b' * 5_000}.md"])
def test_a_path_that_is_too_long_leaves_nothing_behind(code, home, path):
    before = sorted(home.rglob("*"))
    for tool in ("retrieve_artifact", "delete_artifact"):
        assert code(tool, path=path) == "INVALID_PATH"
    assert code("save_artifact", path=path, content="c") == "INVALID_PATH"
    assert code("list_artifacts", path_prefix=path) == "INVALID_PATH"
    assert sorted(home.rglob("*")) == before


def test_a_long_name_can_be_put_away_again_and_again(door, home):
    path = f"/{'a' * 251}.txt"
    for text in ("first", "second"):
        door("save_artifact", path=path, content=text)
        assert door("delete_artifact", path=path)["success"]
    kept = sorted(file.read_text() for file in (home / ".clawbrain/history/artifacts").iterdir())
    assert kept == ["first", "second"]


def test_a_taken_path_is_refused_and_nothing_is_overwritten(door, code):
    door("save_artifact", path="/a/b.md", content="first")
    assert code("save_artifact", path="/a/b.md", content="second") == "ALREADY_EXISTS"
    assert code("save_artifact", path="/a", content="second") == "ALREADY_EXISTS"
    assert code("save_artifact", path="/a/b.md/c", content="second") == "INVALID_PATH"
    assert door("retrieve_artifact", path="/a/b.md")["content"] == "first"


def test_an_artifact_that_is_no_unicode_is_refused(door, code):
    assert code("save_artifact", path="/a.md", content="a \ud800 b") == "VALIDATION_ERROR"
    assert door("list_artifacts")["files"] == []


def test_no_link_is_followed(door, code, home, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret").write_text("secret")
    door("save_artifact", path="/a/b", content="c")
    (home / "artifacts/out").symlink_to(tmp_path / "outside")
    (home / "artifacts/file").symlink_to(tmp_path / "outside/secret")
    assert code("retrieve_artifact", path="/file") == "INVALID_PATH"
    assert code("save_artifact", path="/out/x", content="c") == "INVALID_PATH"
    assert code("retrieve_artifact", path="/out/secret") == code("delete_artifact", path="/file") == "NOT_FOUND"
    assert door("list_artifacts")["folders"] == ["a"]
    assert list((tmp_path / "outside").iterdir()) == [tmp_path / "outside/secret"]


def test_a_folder_is_listed_alone(door, code):
    for path in ("/project/notes.md", "/project/docs/a.json", "/top.txt"):
        door("save_artifact", path=path, content="12345")
    answer = door("list_artifacts", path_prefix="/project")
    modified = answer["files"][0].pop("last_modified")
    assert modified.endswith("Z")
    assert answer == {
        "success": True,
        "path": "/project",
        "folders": ["docs"],
        "files": [{"name": "notes.md", "size": 5, "content_type": "text/markdown"}],
    }
    assert [row["name"] for row in door("list_artifacts")["files"]] == ["top.txt"]
    assert door("list_artifacts", prefix="/project/")["folders"] == ["docs"]
    assert door("list_artifacts", path_prefix="/nope")["files"] == []
    assert code("list_artifacts", path_prefix="../") == "INVALID_PATH"


def test_a_deleted_artifact_is_out_of_sight_and_kept(door, code, home):
    door("save_artifact", path="/project/docs/notes.md", content="text")
    assert door("delete_artifact", path="/project/docs/notes.md")["success"]
    assert code("retrieve_artifact", path="/project/docs/notes.md") == "NOT_FOUND"
    assert code("delete_artifact", path="/project/docs/notes.md") == "NOT_FOUND"
    assert door("list_artifacts")["folders"] == []
    assert [file.read_text() for file in (home / ".clawbrain/history/artifacts").rglob("notes*")] == ["text"]
    door("save_artifact", path="/project/docs/notes.md", content="again")
    assert door("delete_artifact", path="/project/docs/notes.md")["success"]


# --- one store behind all doors


def test_clawbrain_finds_credits_and_compacts_what_penfield_stored(door, store, brain, clock):
    for number in range(4):
        store(f"We discussed the redis cluster in session {number}", tags=["redis", "cluster"])
    door("save_context", name="c", description="redis cluster")
    assert brain.search("redis").total == 5
    brain.feedback("positive_feedback")
    assert max(entry.score for entry in brain.credits().values()) > 0.5
    assert brain.compact().merged == 0
    assert door("restore_context", name="c")["count"] == 4


def test_other_doors_memories_are_recalled_connected_and_explored(door, brain, store):
    graph, mama = Door(brain, "memory"), Door(brain, "mama")
    person = {"name": "Alice Chen", "entityType": "person", "observations": ["prefers oolong"]}
    graph("create_entities", entities=[person, {"name": "Acme", "entityType": "org", "observations": []}])
    graph("create_relations", relations=[{"from": "Alice Chen", "to": "Acme", "relationType": "works at"}])
    mama("save", type="decision", topic="tea", decision="Order oolong", reasoning="Alice likes it")
    found = {row["type"]: row["id"] for row in door("recall", query="oolong")["memories"]}
    assert found.keys() == {"fact", "strategy"}
    connected(door, found["strategy"], found["fact"], type="influenced_by")
    ways = door("explore", start_memory=found["strategy"])["paths"]
    assert [[row["type"] for row in way["relationships"]] for way in ways] == [
        ["influenced_by"],
        ["influenced_by", "works at"],
    ]


def test_contradicting_facts_are_noticed(store, brain):
    store("The API port is 8080"), store("The API port is 9090")
    assert len(brain.conflicts.open()) == 1


def test_a_read_only_server_says_so_in_its_shape(opened):
    door = Door(opened(read_only=True), "penfield", read_only=True)
    assert door.fault("store", content="c")["error_code"] == "FORBIDDEN"
    assert door("recall", query="x")["found"] == 0
