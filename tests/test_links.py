"""Links between memories: what a header says, what leads where, and that nothing is lost on the way."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.errors import AlreadyExists, Invalid
from clawbrain.memory import links
from clawbrain.memory.links import Edge, Link
from clawbrain.memory.model import Memory, utc_now
from clawbrain.memory.text import parse, render
from clawbrain.profiles.shared.links import Links

BASE = Memory("entity-a-b", "entity", "a", "b", "entities/a/b.md", "text")


def with_links(*held, id="entity-a-b", **extra):
    return replace(BASE, id=id, extra={**extra, "links": links.written(held)})


def edge(source, target, relation="r"):
    return Edge(source, target, Link(relation, target))


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
shares = st.integers(0, 100).map(lambda hundredths: hundredths / 100)


@given(st.lists(st.builds(Link, words, words.filter(bool), shares, words, words, words), min_size=1, max_size=5))
def test_links_survive_their_file(held):
    memory = with_links(*held)
    assert links.read(parse(memory.path, render(memory), utc_now())) == held


def test_an_entry_a_person_wrote_wrong_is_no_link():
    odd = ["word", {"relation": "r"}, {"target": "t"}, {"relation": "r", "target": "t", "strength": "much"}]
    assert links.read(replace(BASE, extra={"links": odd})) == [Link("r", "t")]
    assert links.read(replace(BASE, extra={"links": "word"})) == []


def test_a_strength_stays_between_nothing_and_all():
    held = [{"relation": "r", "target": "t", "strength": number} for number in ("7", "-1", "0.25")]
    assert [link.strength for link in links.read(replace(BASE, extra={"links": held}))] == [1.0, 0.0, 0.25]


def test_no_links_take_the_line_out():
    assert links.written([]) is None


@pytest.mark.parametrize(("target", "name"), [("[[Alice Chen]]", "Alice Chen"), ("[[]]", ""), ("entity-a-b", None)])
def test_a_name_in_brackets_is_not_an_id(target, name):
    assert links.name_in(target) == name
    assert name is None or links.named(name) == target


def test_an_edge_leads_to_an_id_or_to_whoever_has_the_title():
    memory = with_links(Link("knows", "[[Bob]]"), Link("likes", "entity-tea"), Link("misses", "[[Nobody]]"))
    found = links.edges([memory], {"entity-bob", "entity-tea"}, {"Bob": "entity-bob"})
    assert [(e.link.relation, e.target) for e in found] == [("knows", "entity-bob"), ("likes", "entity-tea")]


def test_paths_go_in_either_direction_and_visit_nothing_twice():
    ring = [edge("a", "b"), edge("b", "c"), edge("c", "a")]
    assert [links.visited("a", way) for way in links.paths("a", ring, 5)] == [
        ["a", "b"],
        ["a", "c"],
        ["a", "b", "c"],
        ["a", "c", "b"],
    ]


def test_paths_end_at_their_depth_and_follow_only_some_relations():
    chain = [edge("a", "b"), edge("b", "c", "other"), edge("c", "d")]
    assert [links.visited("a", way)[-1] for way in links.paths("a", chain, 2)] == ["b", "c"]
    assert [links.visited("a", way)[-1] for way in links.paths("a", chain, 9, ["r"])] == ["b"]


def test_a_dense_graph_does_not_explode():
    everyone = [edge(f"{a}", f"{b}") for a in range(20) for b in range(a)]
    assert len(links.paths("0", everyone, 10, most=150)) == 150


# --- in a brain


@pytest.fixture
def three(brain):
    return [brain.store("entity", name, f"about {name}", category="things").memory.id for name in ("a", "b", "c")]


def test_a_link_stands_in_the_file_it_starts_from(brain, home, three):
    Links(brain).connect(three[0], three[1], "supports", 0.8)
    text = (home / "memory/entities/things/a.md").read_text()
    assert '"relation": "supports", "target": "entity-things-b", "strength": "0.8"' in text


def test_the_same_link_twice_and_a_link_to_itself_are_refused(brain, three):
    Links(brain).connect(three[0], three[1], "supports")
    Links(brain).connect(three[0], three[1], "follows")
    with pytest.raises(AlreadyExists):
        Links(brain).connect(three[0], three[1], "supports")
    with pytest.raises(Invalid):
        Links(brain).connect(three[0], three[0], "supports")


def test_explore_finds_the_way_back_too(brain, three):
    Links(brain).connect(three[0], three[1], "supports")
    Links(brain).connect(three[2], three[1], "supports")
    ways = Links(brain).explore(three[0], 3)
    assert [[memory.name for memory in way.memories] for way in ways] == [["a", "b"], ["a", "b", "c"]]


def test_disconnect_takes_only_what_it_is_told(brain, three):
    Links(brain).connect(three[0], three[1], "supports")
    Links(brain).connect(three[0], three[2], "supports")
    assert Links(brain).disconnect(three[0], lambda link: link.target == three[1]) == 1
    assert [link.target for link in links.read(brain.find(three[0]))] == [three[2]]


def test_an_archived_memory_is_nobodys_neighbour_until_it_is_back(brain, three):
    Links(brain).connect(three[0], three[1], "supports")
    brain.archive(three[1])
    assert Links(brain).explore(three[0], 3) == []
    brain.restore(three[1])
    assert len(Links(brain).explore(three[0], 3)) == 1


def test_links_of_one_instant_keep_their_order(brain):
    moments = [brain.next_moment() for _ in range(50)]
    assert moments == sorted(set(moments))


# --- editing under the lock


def test_two_brains_amend_one_memory_and_both_edits_stay(opened):
    one, other = opened("one"), opened("other")
    id = one.store("entity", "list", "- 0", category="things").memory.id
    for number in range(1, 11):
        who = one if number % 2 else other
        who.amend(id, lambda memory, n=number: replace(memory, content=f"{memory.content}\n- {n}"))
    assert other.find(id).content == "\n".join(f"- {n}" for n in range(11))


def test_amend_sees_what_an_editor_wrote(brain, home):
    id = brain.store("entity", "list", "old", category="things").memory.id
    file = home / "memory/entities/things/list.md"
    file.write_text(file.read_text().replace("old", "by hand"))
    brain.amend(id, lambda memory: replace(memory, content=f"{memory.content}, amended"))
    assert brain.find(id).content == "by hand, amended"


def test_amend_leaves_a_persons_comments_alone(brain, write):
    file = write("entities/things/x.md", "---\n# mine\nkind: note   # why\ncolour: blue\n---\nbody\n")
    brain.amend("entity-things-x", lambda memory: replace(memory, extra={**memory.extra, "colour": "red"}))
    assert file.read_text() == '---\n# mine\nkind: note   # why\ncolour: "red"\n---\nbody\n'


def test_an_amendment_that_changes_nothing_writes_nothing(brain, home):
    id = brain.store("entity", "list", "same", category="things").memory.id
    brain.amend(id, lambda memory: memory)
    assert brain.files.history(id) == []


def test_a_header_that_would_grow_too_large_is_refused_and_nothing_changes(brain):
    id = brain.store("entity", "list", "same", category="things").memory.id
    with pytest.raises(Invalid):
        brain.amend(id, lambda memory: replace(memory, extra={"note": "x" * 20_000}))
    assert brain.find(id).extra == {}


def test_further_header_keys_are_checked(brain):
    for extra in ({"id": "x"}, {"Title": "x"}, {"n": 1}, {"deep": [[[[["x"]]]]]}):
        with pytest.raises(Invalid):
            brain.store("entity", "n", "c", category="things", extra=extra)
    stored = brain.store("entity", "n", "c", category="things", extra={"kind": "note", "list": ["a"]}).memory
    assert brain.find(stored.id).extra == {"kind": "note", "list": ["a"]}
