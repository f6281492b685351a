"""Patrols that ask a model: what it is sent, what is taken of its answers, and what happens where it fails."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock, deaths
from fake_model import FakeModel, after, completion, fake_model, patrolled, write
from mcp.types import CallToolResult
from profile_door import Door

from clawbrain import llm, outgoing
from clawbrain.brain import Brain, open_brain
from clawbrain.llm import LanguageModel
from clawbrain.outgoing import Unavailable
from clawbrain.profiles.being import asking
from clawbrain.profiles.being.diary import Diary
from clawbrain.profiles.being.patrols import Patrols
from clawbrain.profiles.being.retelling import USELESS
from clawbrain.profiles.being.scene import Scene, read
from clawbrain.profiles.being.scenes import Scenes
from clawbrain.server.tool_runner import Unfinished

SAID = [
    {"role": "user", "content": "Please fix the login. It broke on Monday."},
    {"role": "assistant", "content": "Done: the token is refreshed."},
    {"role": "user", "content": "Thanks!"},
]
TOLD = {
    "scenes": [
        {"number": 1, "action": "The login broke on Monday;\nit refreshes its token now.",
         "actors": ["Ada", "assistant"], "themes": ["login", "token"], "feeling": "relieved", "importance": 0.8},
        {"number": 2, "action": "Ada said thanks.", "actors": ["Ada"], "themes": ["thanks"], "importance": 0.1},
    ]
}  # fmt: skip
LINES = {"lines": ["We mended the login.", "- It felt good.", "Tests are left to do."]}
SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def fake() -> Iterator[FakeModel]:
    with fake_model() as found:
        found.answers = {"scenes": TOLD, "diary": LINES}
        yield found


def scenes(brain: Brain) -> list[Scene]:
    return [read(memory) for memory in brain.having("kind", "scene")]


def keep(brain: Brain, count: int, theme: str = "food", day: str = "2026-02-24") -> list[str]:
    told = [Scene(f"Hana ate sushi number {n}.", ["Hana"], [day], themes=[theme]) for n in range(count)]
    return [memory.id for memory in Scenes(brain).keep(told)]


# What the model tells


def test_scenes_are_as_the_model_tells_them(brain: Brain, fake: FakeModel) -> None:
    done = patrolled(brain, SAID, "m", fake.model())
    assert (done.scenes, done.nodes, done.skipped) == (2, 2, "")
    first, second = scenes(brain)
    assert first == Scene(
        "The login broke on Monday; it refreshes its token now.",
        ["Ada", "assistant"], ["2026-02-25"], "", "relieved", ["login", "token"], 0.8,
    )  # fmt: skip
    assert (second.action, second.themes) == ("Ada said thanks.", ["thanks"])
    memory = brain.having("kind", "scene")[0]
    assert memory.extra["title"] == "The login broke on Monday; it refreshes its token now."
    assert {message.content for message in brain.history.search(limit=9)} == {each["content"] for each in SAID}
    assert patrolled(brain, SAID, "m", fake.model()).scenes == 0


def test_what_was_told_without_the_model_is_in_the_history_of_the_file(brain: Brain, fake: FakeModel) -> None:
    patrolled(brain, SAID, "m", fake.model())
    memory = brain.having("kind", "scene")[0]
    assert "The assistant: “Done: the token is refreshed.”" in brain.owner.old_text(memory.id)


def test_the_question_is_about_the_exchanges_and_knows_the_themes(brain: Brain, fake: FakeModel) -> None:
    keep(brain, 2, "sushi bar")
    patrolled(brain, SAID, "m", fake.model(key="k-123"))
    kind, texts = fake.asked[0]
    assert kind == "scenes" and "sushi bar" in texts
    assert "[1]\nThe user: “Please fix the login. It broke on Monday.”" in texts and "[2]\nThe user: “Thanks!”" in texts
    path, headers, body = fake.requests[0]
    assert path == "/v1/chat/completions" and headers["Authorization"] == "Bearer k-123"
    assert (body["model"], body["stream"]) == ("small", False)


@pytest.mark.parametrize(
    "text",
    ["```json\n{}\n```", "<think>Is {this} it?</think>\n\n{}", "Here it is: {} Anything else?"],
)
def test_an_answer_may_be_wrapped(brain: Brain, fake: FakeModel, text: str) -> None:
    fake.answers["scenes"] = text.replace("{}", json.dumps(TOLD))
    patrolled(brain, SAID, "m", fake.model())
    assert scenes(brain)[0].feeling == "relieved"


def test_the_diary_gets_three_to_five_lines_below_what_it_says(brain: Brain, fake: FakeModel) -> None:
    Diary(brain).write("", lambda _: "It rains.")
    patrolled(brain, SAID, "m", fake.model())
    text = Diary(brain).on("2026-02-25").content
    assert text == "It rains.\n\n- We mended the login.\n- It felt good.\n- Tests are left to do."
    assert "It rains." in fake.asked[-1][1] and "it refreshes its token now" in fake.asked[-1][1]
    patrolled(brain, SAID, "m", fake.model())
    assert Diary(brain).on("2026-02-25").content == text
    fake.answers["diary"] = {"lines": [f"Line {n}" for n in range(9)]}
    patrolled(brain, SAID, "another", fake.model())
    assert Diary(brain).on("2026-02-25").content == text + "\n\n" + "\n".join(f"- Line {n}" for n in range(5))


def test_a_crowd_is_told_in_a_few_lines(brain: Brain, fake: FakeModel) -> None:
    ids = keep(brain, 12)
    fake.answers["crowd"] = {"lines": ["Hana ate sushi.", "Twelve times.", "She liked it."]}
    assert patrolled(brain, model=fake.model()).nodes == 1
    (made,) = brain.having("kind", "scene")
    assert read(made).action == (
        "12 scenes of 2026-02-24 on food:\n\n- Hana ate sushi.\n- Twelve times.\n- She liked it."
    )
    assert made.extra["merged_from"] == ids and "Hana ate sushi number 11." in dict(fake.asked)["crowd"]
    Scenes(brain).keep(Scene(f"Hana ate rice, bowl {n}.", when=["2026-02-24"], themes=["food"]) for n in range(9))
    fake.answers["crowd"] = {}
    assert "merged scenes told by it" in patrolled(brain, model=fake.model()).skipped
    (made,) = brain.having("kind", "scene")
    assert made.content.startswith("21 scenes of 2026-02-24 on food:\n\n- Hana ate sushi.\n- Twelve times.")


def test_a_crowd_that_changed_meanwhile_is_told_as_without_a_model(brain: Brain, fake: FakeModel) -> None:
    ids = keep(brain, 12)
    fake.answers["crowd"] = {"lines": ["One.", "Two.", "Three."]}

    def by_somebody() -> None:
        if fake.kinds()[-1] == "crowd":
            brain.update(ids[0], "Hana ate soup instead.")

    patrolled(brain, model=fake.model(), between=by_somebody)
    (made,) = brain.having("kind", "scene")
    assert "- Hana ate soup instead." in made.content and "- One." not in made.content


def spread(brain: Brain) -> list[str]:
    """Scenes of one theme, of which no day has a crowd."""
    return [*keep(brain, 6, day="2026-02-23"), *keep(brain, 6, day="2026-02-24")]


def test_a_broad_theme_is_split_into_finer_ones(brain: Brain, fake: FakeModel) -> None:
    spread(brain)
    fake.answers["split"] = {
        "groups": [
            {"theme": "lunch", "scenes": [1, 2, 3]},
            {"theme": "dinner", "scenes": [4, 5, 3, 99, "6"]},
            {"theme": "FOOD", "scenes": [7, 8]},
            {"theme": "alone", "scenes": [9]},
        ]
    }
    assert patrolled(brain, model=fake.model()).skipped == ""
    clusters = {each.name: len(each.memories) for each in Scenes(brain).clusters()}
    assert clusters == {"food": 7, "lunch": 3, "dinner": 2}


def test_a_theme_that_belongs_together_is_asked_about_when_it_grew(brain: Brain, fake: FakeModel) -> None:
    spread(brain)
    fake.answers["split"] = {"groups": []}
    assert patrolled(brain, model=fake.model()).skipped == ""
    patrolled(brain, model=fake.model())
    assert fake.kinds().count("split") == 1
    keep(brain, 1, day="2026-02-22")
    patrolled(brain, model=fake.model())
    assert fake.kinds().count("split") == 2
    assert [each.name for each in Scenes(brain).clusters()] == ["food"]


def test_a_pinned_scene_keeps_its_theme(brain: Brain, fake: FakeModel) -> None:
    ids = spread(brain)
    brain.owner.pin(ids[-1])
    fake.answers["split"] = {"groups": [{"theme": "a", "scenes": [1, 2]}, {"theme": "b", "scenes": [3, 4]}]}
    patrolled(brain, model=fake.model())
    assert brain.find(ids[-1]).tags == ("food",)


def test_much_that_was_said_is_asked_in_several_questions(brain: Brain, fake: FakeModel) -> None:
    said = [{"role": role, "content": f"{n} " + "word " * 3_000} for n in range(20) for role in ("user", "assistant")]
    done = patrolled(brain, said, "m", fake.model())
    assert fake.kinds().count("scenes") == 4
    assert max(len(texts) for _, texts in fake.asked) < 30_000
    assert done.scenes == 20 and "scenes told by it" in done.skipped


# What it does not tell


def refuse(handler: Any) -> None:
    write(handler, b'{"error": "no"}', 500)


def redirect(handler: Any) -> None:
    write(handler, b"", 302, Location=f"http://localhost:{handler.server.server_port}/elsewhere")


def huge(handler: Any) -> None:
    write(handler, completion(json.dumps(TOLD) + " " * 300_000))


def drip(handler: Any) -> None:
    handler.send_response(200)
    handler.end_headers()
    for _ in range(50):
        handler.wfile.write(b" ")
        time.sleep(0.02)


def raw(body: bytes) -> Any:
    return lambda handler: write(handler, body)


FAULTS = {
    "500": (refuse, "it answered with status 500"),
    "redirect": (redirect, "it answered with status 302"),
    "huge": (huge, "its answer is too long"),
    "slow": (after(1, TOLD), "it did not answer within 0.3 seconds"),
    "drip": (drip, "it did not answer within 0.3 seconds"),
    "no json": (raw(b"<html>"), "its answer is no JSON"),
    "deep": (raw(b"[" * 100_000), "its answer is no JSON"),
    "list": (raw(b"[]"), "its answer is no JSON object"),
    "no choice": (raw(b'{"choices": []}'), "its answer holds no text"),
    "empty": (raw(completion("")), "its answer holds no text"),
    "prose": ("I am sorry, I cannot do that.", "its answer holds no JSON object"),
    "half": ('{"scenes": [{"number": 1', "its answer holds no JSON object"),
    "another object": ({"story": 1}, USELESS),
    "a number": ({"scenes": 7, "lines": 7}, USELESS),
    "nonsense": ({"scenes": [7, {"number": 3, "action": "x"}, {"number": True, "action": "x"},
                             {"number": 1, "action": ["x"]}, {"number": 2, "action": "x" * 3_000}],
                  "lines": ["one", 7, "", "one"]}, USELESS),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_any_fault_skips_the_step_and_is_said(brain: Brain, fake: FakeModel, fault: str) -> None:
    fake.answers, (fake.otherwise, reason) = {}, FAULTS[fault]
    done = patrolled(brain, SAID, "m", fake.model(timeout=0.3))
    assert done.skipped == f"Skipped: scenes told by it, diary ({reason})."
    assert scenes(brain)[0].action.startswith("The user: “Please fix the login.")
    assert (done.scenes, Diary(brain).last(), Patrols(Scenes(brain)).waiting()) == (2, [], 0)
    assert all(path == "/v1/chat/completions" for path, _, _ in fake.requests)


def test_an_endpoint_that_is_not_there_is_said(brain: Brain) -> None:
    done = patrolled(brain, SAID, "m", LanguageModel("http://127.0.0.1:1/v1", "small"))
    assert done.skipped == "Skipped: scenes told by it, diary (Connection refused)."


def test_an_answer_for_some_of_the_scenes_is_taken_for_those(brain: Brain, fake: FakeModel) -> None:
    odd = {"number": 2, "action": "Thanks \x1b[31m\ud800 were said.", "actors": 7, "themes": [SECRET, "x" * 99],
           "importance": float("inf"), "feeling": {}}  # fmt: skip
    fake.answers["scenes"] = {"scenes": [odd]}
    done = patrolled(brain, SAID, "m", fake.model())
    assert "its answer tells 1 of 2 exchanges" in done.skipped
    first, second = scenes(brain)
    assert first.action.startswith("The user: “Please fix")
    assert second == Scene("Thanks [31m were said.", ["user"], ["2026-02-25"], themes=["talk"], importance=0.1)


def test_the_time_for_all_questions_is_bounded(brain: Brain, fake: FakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "PATIENCE", 0.3)
    fake.answers["scenes"] = after(2, TOLD)
    done = patrolled(brain, SAID, "m", fake.model())
    assert "0.3 seconds" in done.skipped and "diary" in done.skipped
    assert fake.kinds() == ["scenes"]


def test_a_scene_that_was_changed_meanwhile_stays_as_it_is(brain: Brain, fake: FakeModel) -> None:
    def by_somebody() -> None:
        if fake.kinds() == ["scenes"]:
            brain.update(brain.having("kind", "scene")[0].id, "I know better.")
            brain.archive(brain.having("kind", "scene")[1].id)

    assert patrolled(brain, SAID, "m", fake.model(), by_somebody).skipped == ""
    assert [scene.action for scene in scenes(brain)] == ["I know better."]


# What is sent, and when


def test_no_secret_reaches_the_model_nor_comes_from_it(brain: Brain, fake: FakeModel, home: Path) -> None:
    other = "ghp_" + "c3D4" * 9
    Diary(brain).write("", lambda _: f"Kept by hand: {SECRET}")
    (home / "STRATEGY.md").write_text("# Strategy\n\n```yaml settings\nsafety:\n  secrets: refuse\n```\n")
    fake.answers["scenes"] = {"scenes": [{"number": 1, "action": f"They pushed with {other}."}]}
    patrolled(brain, [{"role": f"user {SECRET}", "content": f"Use {SECRET} to push."}], "m", fake.model(key="own-key"))
    assert fake.kinds() == ["scenes", "diary"]
    assert SECRET not in fake.sent() and "[redacted" in fake.sent()
    assert scenes(brain)[0].action.startswith("They pushed with [redacted")
    assert not [file for file in home.rglob("*") if file.is_file() and other.encode() in file.read_bytes()]


def test_nobody_is_asked_without_the_variable(brain: Brain, fake: FakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWBRAIN_LLM_MODEL", "small")
    door = Door(brain, "being")
    answer = door.answer("trigger_patrol", messages=SAID, marker_id="m")
    assert answer.structured_content == {
        "status": "ok", "scenes_created": 2, "nodes_created": 2, "marker_id": "m",
    }  # fmt: skip
    assert json.loads(answer.content[0].text) == answer.structured_content
    assert answer.content[1].text == (
        "Skipped, because no model can be asked (CLAWBRAIN_LLM_URL is not set): "
        "scenes told by it, merged scenes told by it, finer themes, diary."
    )
    assert fake.requests == []


def test_the_environment_names_the_model(brain: Brain, fake: FakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"URL": fake.url + "/", "KEY": "own-key", "MODEL": "tiny"}.items():
        monkeypatch.setenv(f"CLAWBRAIN_LLM_{name}", value)
    answer = Door(brain, "being").answer("trigger_patrol", messages=SAID, marker_id="m")
    assert len(answer.content) == 1 and scenes(brain)[0].feeling == "relieved"
    path, headers, body = fake.requests[0]
    assert (path, headers["Authorization"], body["model"]) == ("/v1/chat/completions", "Bearer own-key", "tiny")


def test_only_a_patrol_that_was_called_for_asks(brain: Brain, fake: FakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAWBRAIN_LLM_URL", fake.url)
    monkeypatch.setenv("CLAWBRAIN_LLM_MODEL", "small")
    door = Door(brain, "being")
    for n in range(12):
        door.answer("update_notes", scenes=[{"action": f"Hana ate {n}.", "themes": ["food"], "when": ["2026-02-24"]}])
    brain.settle()
    assert Patrols(Scenes(brain)).waiting() == 0 and fake.requests == []


def test_no_other_patrol_starts_by_itself_while_the_model_is_asked(brain: Brain, fake: FakeModel) -> None:
    keep(brain, 12)
    fake.answers["crowd"] = {"lines": ["Hana ate sushi.", "Twelve times.", "She liked it."]}
    patrolled(brain, model=fake.model(), between=brain.settle)
    assert "- Twelve times." in brain.having("kind", "scene")[0].content


@pytest.mark.parametrize(
    ("environ", "reason"),
    [
        ({}, "CLAWBRAIN_LLM_URL is not set"),
        ({"URL": " "}, "CLAWBRAIN_LLM_URL is not set"),
        ({"URL": "http://192.0.2.1/v1"}, "https"),
        ({"URL": "file:///etc/passwd"}, "https"),
        ({"URL": "https://user:word@example.org/v1"}, "https"),
        ({"URL": "https://example.org/v1?key=x"}, "https"),
        ({"URL": "http://127.0.0.1/v1"}, "CLAWBRAIN_LLM_MODEL is not set"),
        ({"URL": "http://127.0.0.1/v1", "MODEL": "m", "KEY": "a\nb"}, "CLAWBRAIN_LLM_KEY"),
    ],
)
def test_a_model_that_cannot_be_asked_is_said(environ: dict[str, str], reason: str) -> None:
    with pytest.raises(Unavailable, match=reason) as refused:
        llm.from_environment({f"CLAWBRAIN_LLM_{name}": value for name, value in environ.items()})
    assert "word" not in str(refused.value)


def test_a_key_is_in_no_text_about_the_model(fake: FakeModel) -> None:
    assert "own-key" not in repr(fake.model(key="own-key"))


def test_loopback_is_asked_without_a_proxy(fake: FakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    fake.otherwise = {"ok": 1}
    assert fake.model().ask('{"scenes"', "x") == {"scenes": TOLD["scenes"]}
    assert outgoing.is_safe(fake.url)


def test_a_home_that_is_opened_anew_meanwhile_is_said(
    opened: Callable[..., Brain], fake: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAWBRAIN_LLM_URL", fake.url)
    monkeypatch.setenv("CLAWBRAIN_LLM_MODEL", "small")
    first, second = Door(opened(), "being"), Door(opened(), "being")
    asked = first.runner.call("trigger_patrol", {"messages": SAID, "marker_id": "m"}, lambda *_: None)
    assert isinstance(asked, Unfinished)
    refused = second.runner.go_on(asked, asked.work())
    assert isinstance(refused, CallToolResult) and refused.is_error
    assert "opened anew while trigger_patrol waited" in str(refused.structured_content)
    again = second("trigger_patrol", messages=SAID, marker_id="m")
    assert (again["scenes_created"], again["nodes_created"]) == (0, 0)


# Kills


def test_a_patrol_killed_anywhere_loses_nothing(home: Path, clock: Clock, fake: FakeModel) -> None:
    for number, killed in deaths(home, clock, lambda other: patrolled(other, SAID, "m", fake.model())):
        with open_brain(killed, clock=clock) as other:
            patrolled(other, SAID, "m")
            assert other.history.count() == 3, number
            found = scenes(other)
            assert len(found) == 2 and Patrols(Scenes(other)).waiting() == 0, number
            for scene, told, said in zip(found, TOLD["scenes"], ("Please fix the login", "Thanks!"), strict=True):
                assert said in scene.action or scene.action == " ".join(str(told["action"]).split()), number
