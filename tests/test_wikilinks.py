"""Links in texts, `[[name]]`: what they lead to, where they are shown, and that a move keeps them right."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clawbrain.brain import Brain, open_brain
from clawbrain.cli import command_line
from clawbrain.exchange import writing
from clawbrain.memory.model import Memory
from clawbrain.memory.wikilinks import LinkNames, in_text, rewritten
from clawbrain.profiles.shared.links import Links


def memory(path: str, **extra: object) -> Memory:
    type, category, name = path.removesuffix(".md").split("/")
    type = {"entities": "entity", "episodes": "episode"}[type]
    return Memory(f"{type}-{category}-{name}", type, category, name, path, "Text.", (), "", "", False, extra)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("See [[alice]] and [[Bob Ray|Bob]].", ["alice", "Bob Ray"]),
        ("![[plan#Costs]] and [[plan#^a1|there]]", ["plan", "plan"]),
        ("`[[ -f x ]]` is code", []),
        ("```\n[[alice]]\n```\n[[bob]]", ["bob"]),
        ("[[]] [[#only a heading]] [[open", []),
        ("| [[alice\\|her]] | [[web#Top\\|it]] |", ["alice", "web"]),
    ],
)
def test_links_of_a_text_are_those_outside_code(text: str, targets: list[str]) -> None:
    assert [link.target for link in in_text(text)] == targets


@pytest.mark.parametrize(
    "target",
    [
        "alice-chen",
        "Alice-Chen",
        "people/alice-chen",
        "entities/people/alice-chen.md",
        "entity-people-alice-chen",
        "Alice Chen",
        "Ally",
    ],
)
def test_a_link_may_call_a_memory_by_name_path_id_title_and_alias(target: str) -> None:
    names = LinkNames([memory("entities/people/alice-chen.md", title="Alice Chen", aliases=["Ally"])])
    assert names.id_of(target) == "entity-people-alice-chen"


def test_of_two_with_one_name_the_shorter_path_is_meant_and_a_path_tells_them_apart() -> None:
    names = LinkNames([memory("entities/projects/web.md"), memory("entities/area/web.md")])
    assert names.id_of("web") == "entity-area-web"
    assert names.id_of("projects/web") == "entity-projects-web"
    assert names.id_of("nobody") is None


def test_rewriting_touches_only_the_links_it_is_asked_for() -> None:
    text = "A [[web#Top|the site]], `[[web]]`, ![[web]] and [[other]].\n"
    new = rewritten(text, lambda link: link.text("site", link.label) if link.target == "web" else None)
    assert new == "A [[site#Top|the site]], `[[web]]`, ![[site]] and [[other]].\n"


def test_in_a_row_of_a_table_the_bar_of_a_link_is_escaped() -> None:
    text = "| who | [[web\\|it]] | [[web]] |\nElse [[web|it]]"
    assert rewritten(text, lambda link: link.text("site", link.label or "new")) == (
        "| who | [[site\\|it]] | [[site\\|new]] |\nElse [[site|it]]"
    )


@pytest.fixture
def linked(brain: Brain) -> Brain:
    brain.store("entity", "alice", "Leads [[web|the site]].", category="people")
    brain.store("entity", "web", "Asked of [[people/alice]] and [[Nobody]].", category="projects")
    return brain


ALICE, WEB = "entity-people-alice", "entity-projects-web"


def test_links_of_texts_are_followed_from_both_ends(linked: Brain) -> None:
    assert {(edge.source, edge.target) for edge in Links(linked).around(ALICE)} == {(ALICE, WEB), (WEB, ALICE)}
    assert [way.memories[-1].id for way in Links(linked).explore(ALICE, 1)][:1] == [WEB]


def test_a_new_text_brings_its_links_at_once(linked: Brain) -> None:
    Links(linked).around(ALICE)
    linked.store("entity", "bob", "Works with [[alice]].", category="people")
    assert ("entity-people-bob", ALICE) in {(edge.source, edge.target) for edge in Links(linked).around(ALICE)}


def test_a_link_that_the_header_has_too_is_counted_once(linked: Brain) -> None:
    Links(linked).connect(ALICE, WEB, "leads")
    assert [edge.link.relation for edge in Links(linked).around(ALICE) if edge.source == ALICE] == ["leads"]


def test_the_graph_joins_what_texts_link(linked: Brain) -> None:
    page = writing.as_graph(writing.all_of(linked))
    data = json.loads(page.split('type="application/json">')[1].split("</script>")[0])
    ends = {(data["nodes"][a]["id"], data["nodes"][b]["id"]) for a, b, _ in data["edges"]}
    assert ends == {(ALICE, WEB), (WEB, ALICE)}


def test_show_names_what_a_memory_links_to_and_what_links_to_it(run: Callable[..., Result], linked: Brain) -> None:
    shown = run("show", ALICE).stdout
    assert f"-> {WEB} (links_to)" in shown and f"<- {WEB} (links_to)" in shown


def test_a_move_keeps_links_right_and_leaves_others_alone(linked: Brain) -> None:
    linked.store("entity", "notes", "[[alice]], [[Alice]], [[entity-people-alice]] `[[alice]]`", category="area")
    linked.owner.move(ALICE, "team/alice-chen")
    assert linked.retrieve(WEB).memory.content == "Asked of [[entities/team/alice-chen]] and [[Nobody]]."
    notes = "[[alice-chen]], [[alice-chen]], [[entity-people-alice]] `[[alice]]`"
    assert linked.retrieve("entity-area-notes").memory.content == notes
    assert len(linked.owner.history("entity-area-notes")) == 1
    assert {edge.source for edge in Links(linked).around(ALICE) if edge.target == ALICE} == {WEB, "entity-area-notes"}


def test_a_move_that_changes_no_link_changes_no_file(linked: Brain) -> None:
    linked.owner.move(WEB, "site/")
    assert linked.owner.history(ALICE) == []


def test_an_imported_vault_stays_a_working_vault(run: Callable[..., Result], home: Path, tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    for path, text in {
        "Projects/Big/Web Site.md": "Led by [[Alice Chen]], see [[Alice Chen#Work|her work]] and ![[plan.png]].\n\n"
        "| who | what |\n|--|--|\n| [[Alice Chen]] | [[Note\\|it]] |\n",
        "People/Alice Chen.md": "---\nboss: '[[Note]]'\nsees: ['[[Web Site|site]]', '[[#Own]]']\n---\n"
        "Built [[Big/Web Site]], [[../Note]] and [[Missing Note]]. [[#Own heading]] [part](#own)\n"
        "[s](<../Projects/Big/Web Site.md>) [n](/Note.md#Top) [gone](Gone.md) [web](https://a.b/c.md) "
        "`[c](Note.md)` ![[Note]]",
        "Note.md": "At the top.",
        "Deep/er/Note.md": "Not meant by [[Note]].",
        "Templates/Person.md": "{{title}} [[Web Site]]",
        "Extras/_templates/Week.md": "Week",
        "Vorlagen/Tag.md": "<% tp.date.now() %>",
        "Journal/Day.md": "{{date}}",
        ".obsidian/templates.json": '{"folder": "Vorlagen"}',
        ".obsidian/daily-notes.json": '{"template": "Journal/Day"}',
    }.items():
        (vault / path).parent.mkdir(parents=True, exist_ok=True)
        (vault / path).write_text(text)
    run("import", vault)
    with open_brain(home, read_only=True) as brain:
        made = {memory.path: memory for memory in brain.memories()}
    assert sorted(made) == [
        "entities/deep/note.md",
        "entities/notes/note.md",
        "entities/people/alice-chen.md",
        "entities/projects/web-site.md",
    ]
    site, alice = made["entities/projects/web-site.md"], made["entities/people/alice-chen.md"]
    assert site.content == (
        "Led by [[alice-chen|Alice Chen]], see [[alice-chen#Work|her work]] and ![[plan.png]].\n\n"
        "| who | what |\n|--|--|\n"
        "| [[alice-chen\\|Alice Chen]] | [[entities/notes/note\\|it]] |"
    )
    assert alice.content == (
        "Built [[web-site|Big/Web Site]], [[entities/notes/note|../Note]] and [[Missing Note]]. "
        "[[#Own heading]] [part](#own)\n"
        "[s](<../projects/web-site.md>) [n](../notes/note.md#Top) [gone](Gone.md) [web](https://a.b/c.md) "
        "`[c](Note.md)` ![[entities/notes/note]]"
    )
    assert (alice.extra["boss"], alice.extra["sees"]) == (
        "[[entities/notes/note|Note]]", ["[[web-site|site]]", "[[#Own]]"],
    )  # fmt: skip
    assert alice.tags == ()
    again = json.loads(run("import", vault, "--json").stdout)
    assert {each["why"] for each in again["skipped"]} == {"already here"}


def test_the_command_moves_links_too(home: Path, linked: Brain) -> None:
    linked.close()
    done = CliRunner().invoke(command_line, ["--home", str(home), "move", WEB, "site"])
    assert done.exit_code == 0
    text = (home / "memory/entities/people/alice.md").read_text()
    assert "Leads [[site|the site]]." in text
