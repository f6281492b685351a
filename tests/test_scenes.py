"""Scenes, pages, the diary and the soul, as a brain keeps them: files that people read, and nothing lost by a kill."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Clock, deaths
from fake_model import patrolled
from measure import times

from clawbrain.brain import Brain, open_brain
from clawbrain.brain.apply_actions import ActionApplier, ActionSkipped
from clawbrain.compaction.actions import Restore, from_json, to_json
from clawbrain.errors import Changed, Invalid, NotFound, Pinned, Refused
from clawbrain.profiles.being.diary import Diary
from clawbrain.profiles.being.merging import CROWDED, Merging
from clawbrain.profiles.being.pages import Pages
from clawbrain.profiles.being.patrols import TOGETHER, Patrol, Patrols
from clawbrain.profiles.being.scene import Scene, first_sentence, read, written
from clawbrain.profiles.being.scenes import Scenes
from clawbrain.profiles.being.souls import Souls, part_of, with_part
from clawbrain.profiles.mama.decisions import Decisions
from clawbrain.profiles.shared.titles import uid

LOGIN = Scene(
    "Alice fixed the login by refreshing the token before it expires.",
    ["Alice", "Bob"],
    ["2026-02-25"],
    "the office",
    "relieved",
    ["auth", "bugs"],
    0.8,
)
SUSHI = Scene("Hana ate sushi.", ["Hana"], ["2026-02-24"], themes=["food"])
SAID = [
    {"role": "user", "content": "Please fix the login. It broke on Monday."},
    {"role": "assistant", "content": "Done: the token is refreshed.\nMore below."},
    {"role": "user", "content": "Thanks!"},
]


def tell(brain: Brain, *scenes: Scene) -> list[str]:
    return [memory.id for memory in Scenes(brain).keep(scenes)]


def many(brain: Brain, count: int, theme: str = "") -> list[str]:
    themes = [theme] if theme else []
    return tell(brain, *(SUSHI._replace(action=f"Hana ate sushi number {n}.", themes=themes) for n in range(count)))


def patrol(brain: Brain, *said: str, marker: str = "") -> Patrol:
    """A patrol of what the user and the assistant said in turns, or just a patrol."""
    roles = ("user", "assistant") * len(said)
    messages = [{"role": role, "content": text} for role, text in zip(roles, said, strict=False)]
    return patrolled(brain, messages, marker)


# A scene's file


def test_a_scene_is_a_file_that_a_person_likes_to_read(brain: Brain, home: Path) -> None:
    made = Scenes(brain).keep([LOGIN])[0]
    head, _, text = (home / "memory" / made.path).read_text().partition("---\n\n")
    assert made.path == "episodes/2026-02/alice-fixed-the-login-by-refreshing-the-token-before-it-expi.md"
    assert text == (
        "Alice fixed the login by refreshing the token before it expires.\n\n"
        "*Who: Alice, Bob · When: 2026-02-25 · Where: the office · How: relieved*\n"
    )
    assert 'kind: "scene"' in head and 'actors: ["Alice", "Bob"]' in head and 'importance: "0.8"' in head


def test_a_scene_reads_back_as_it_was_told(brain: Brain) -> None:
    made = Scenes(brain).keep([LOGIN])[0]
    assert read(brain.find(made.id)) == LOGIN


def test_what_a_scene_does_not_say_leaves_no_mark() -> None:
    assert written(Scene("It rained.")) == "It rained."
    assert written(Scene("It rained.", feeling="calm")) == "It rained.\n\n*How: calm*"


def test_an_action_may_end_in_a_line_of_its_own(brain: Brain) -> None:
    action = "It rained.\n\n*all day*"
    made = Scenes(brain).keep([Scene(action, ["Hana"], ["2026-02-24"])])[0]
    assert read(brain.find(made.id)).action == action


def test_any_memory_is_a_scene_as_far_as_it_says(brain: Brain) -> None:
    made = brain.store("episode", "rain", "It rained.", tags=["weather"]).memory
    assert read(made) == Scene("It rained.", [], ["2026-02-25"], themes=["weather"])


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Fix it. Now!", "Fix it."),
        ("Version 1.2 broke? Yes.", "Version 1.2 broke?"),
        ("# Heading\nmore", "Heading"),
        ("今日は雨。明日は晴れ。", "今日は雨。"),
        ("no end", "no end"),
        ("", ""),
    ],
)
def test_the_first_sentence(text: str, first: str) -> None:
    assert first_sentence(text) == first


@pytest.mark.parametrize(
    "wrong",
    [
        LOGIN._replace(action=" \n"),
        LOGIN._replace(when=["yesterday"]),
        LOGIN._replace(themes=["x" * 65]),
        LOGIN._replace(action="a\0b"),
        LOGIN._replace(feeling="x" * 9_000),
    ],
)
def test_one_wrong_scene_keeps_the_old_ones_where_they_are(brain: Brain, wrong: Scene) -> None:
    old = tell(brain, LOGIN)
    with pytest.raises(Invalid):
        Scenes(brain).keep([SUSHI, wrong], instead_of=old)
    assert {memory.id for memory in brain.memories()} == set(old)


def test_only_scenes_are_replaced_and_pinned_ones_are_not(brain: Brain) -> None:
    tea = brain.store("entity", "tea", "Green.", category="preferences").memory
    with pytest.raises(Refused, match="no scene"):
        Scenes(brain).keep([], instead_of=[tea.id])
    (old,) = tell(brain, LOGIN)
    brain.owner.pin(old)
    with pytest.raises(Pinned):
        Scenes(brain).keep([SUSHI], instead_of=[old])
    assert brain.index.count() == 2


def test_a_secret_is_kept_out_of_the_header_too(brain: Brain, home: Path) -> None:
    (home / "STRATEGY.md").write_text("# Strategy\n\n```yaml settings\nsafety:\n  secrets: redact\n```\n")
    key = "ghp_" + "a1B2" * 9
    made = Scenes(brain).keep([Scene(f"We used {key} to push.", feeling=f"like {key}")])[0]
    text = (home / "memory" / made.path).read_text()
    assert key not in text and text.count("[redacted") >= 3


# Clusters and search


def test_what_shares_a_theme_is_a_cluster_the_largest_first(brain: Brain, clock: Clock) -> None:
    tell(brain, LOGIN)
    clock.forward(hours=1)
    brain.store("episode", "later", "Tokens again.", tags=["auth"])
    found = Scenes(brain).clusters()
    assert [(each.name, len(each.memories), each.digest) for each in found] == [
        ("auth", 2, LOGIN.action),
        ("bugs", 1, LOGIN.action),
    ]


def test_all_words_asks_for_all_of_them(brain: Brain) -> None:
    ids = tell(brain, LOGIN, SUSHI)
    both = Scenes(brain).search("login sushi", 10)
    assert {match.memory.id for match in both} == set(ids)
    assert Scenes(brain).search("login sushi", 10, all_words=True) == []
    assert [match.memory.id for match in Scenes(brain).search("the login relieved", 10, all_words=True)] == ids[:1]


def test_it_says_which_part_matched(brain: Brain) -> None:
    made = Scenes(brain).keep([LOGIN])[0]
    assert Scenes(brain).matched(made, "relieved Bob") == ["feeling", "actors"]
    assert Scenes(brain).matched(made, "tokens auth") == ["action", "themes"]
    day = made.extra["when"][0]
    assert Scenes(brain).matched(made, f"what on {day}?") == ["when"]
    assert Scenes(brain).matched(made, f"{day[:8]}31") == []  # the same year and month are not the same day


def test_scenes_come_to_mind_before_other_memories(brain: Brain) -> None:
    brain.store("entity", "login", "Login login login.", category="knowledge")
    ids = tell(brain, LOGIN)
    assert [memory.id for memory in Scenes(brain).recalled("the login")] == [*ids, "entity-knowledge-login"]


def test_the_words_of_the_last_line_bring_nothing_to_mind(brain: Brain) -> None:
    tell(brain, LOGIN)
    for message in ("who", "when and where", "how did it feel", "what I felt"):
        assert Scenes(brain).recalled(f"{message} quantum") == []


# Merging chosen memories


def test_a_merge_loses_no_day_nobody_and_no_theme(brain: Brain) -> None:
    made, count = Merging(Scenes(brain)).merge(tell(brain, LOGIN, SUSHI), "A good week.", "content")
    assert count == 2
    assert read(made) == Scene(
        "A good week.", ["Alice", "Bob", "Hana"], ["2026-02-24", "2026-02-25"], "the office", "content",
        ["auth", "bugs", "food"], 0.8,
    )  # fmt: skip


def test_what_was_merged_lies_in_the_archive_and_says_where_it_went(brain: Brain) -> None:
    old = tell(brain, LOGIN, SUSHI)
    made, _ = Merging(Scenes(brain)).merge(old, "A good week.")
    for id in old:
        _, memory = Scenes(brain).away(id)
        assert Scenes(brain).merged_into(memory) == uid(made)
    assert [memory.id for memory in brain.memories()] == [made.id]


@pytest.mark.parametrize("summary", ["", " \n"])
def test_a_merge_needs_words(brain: Brain, summary: str) -> None:
    with pytest.raises(Invalid, match="summary"):
        Merging(Scenes(brain)).merge(tell(brain, LOGIN, SUSHI), summary)


def test_a_merge_needs_two_that_are_there(brain: Brain) -> None:
    ids = tell(brain, LOGIN, SUSHI)
    with pytest.raises(Invalid, match="two different"):
        Merging(Scenes(brain)).merge([ids[0], ids[0]], "One.")
    with pytest.raises(NotFound):
        Merging(Scenes(brain)).merge([ids[0], "nobody"], "One.")
    assert brain.index.count() == 2


def test_a_decision_is_not_merged(brain: Brain) -> None:
    decision = Decisions(brain).decide("tea", "Green", "It is green")
    with pytest.raises(Refused, match="decision"):
        Merging(Scenes(brain)).merge([*tell(brain, LOGIN), decision.id], "Both.")
    assert brain.index.count() == 2


def test_a_merge_killed_anywhere_loses_nothing_and_can_be_finished(brain: Brain, home: Path, clock: Clock) -> None:
    ids = tell(brain, LOGIN, SUSHI)
    brain.close()
    for _, killed in deaths(home, clock, lambda other: Merging(Scenes(other)).merge(ids, "A good week.")):
        with open_brain(killed, clock=clock) as after:
            live = {memory.id for memory in after.memories()}
            merged = [m for m in after.memories() if m.extra.get("merged_from")]
            assert len(merged) <= 1
            assert merged or live == set(ids)
            made, _ = Merging(Scenes(after)).merge(ids, "A good week.")
            assert [memory.id for memory in after.memories()] == [made.id]


# Patrols


def test_an_exchange_becomes_a_scene(brain: Brain) -> None:
    done = patrolled(brain, SAID, "talk")
    assert done[:2] == (2, 2)
    first, second = (read(memory) for memory in brain.having("kind", "scene"))
    assert first.action == (
        "The user: “Please fix the login. It broke on Monday.”\n\n"
        "The assistant: “Done: the token is refreshed.\nMore below.”"
    )
    assert (first.actors, first.when) == (["user", "assistant"], ["2026-02-25"])
    assert second.action == "The user: “Thanks!”"


def test_what_was_said_is_kept_word_for_word(brain: Brain) -> None:
    patrolled(brain, SAID, "talk")
    kept = {(message.role, message.content) for message in brain.history.search(conversation="talk", limit=50)}
    assert kept == {(message["role"], message["content"]) for message in SAID}


def test_messages_that_come_again_under_their_marker_are_known(brain: Brain) -> None:
    patrolled(brain, SAID, "talk")
    assert patrolled(brain, SAID, "talk").scenes == 0
    brain.archive(brain.having("kind", "scene")[0].id)
    assert patrolled(brain, SAID, "talk").scenes == 0
    assert brain.history.count() == 3
    assert patrolled(brain, SAID, "another").scenes == 2


def test_an_exchange_that_goes_on_takes_the_place_of_its_beginning(brain: Brain) -> None:
    for most in (1, 2, 3, 3):
        patrolled(brain, SAID[:most], "talk")
    assert [read(memory).actors for memory in brain.having("kind", "scene")] == [["user", "assistant"], ["user"]]
    assert brain.history.count() == 3


def test_the_same_words_twice_are_two_exchanges(brain: Brain) -> None:
    twice = [{"role": "user", "content": "ok"}, {"role": "assistant", "content": "ok"}] * 2
    assert patrolled(brain, twice, "talk").scenes == 2
    assert brain.history.count() == 4


def test_a_scene_is_called_by_what_it_is_about(brain: Brain) -> None:
    patrol(brain, "Hi.", "Hello! How are you?")
    patrol(brain, "Hi. The staging password must be rotated.", "Done.")
    names = [memory.name for memory in brain.having("kind", "scene")]
    assert names == ["hi", "the-staging-password-must-be-rotated"]


def test_what_was_said_at_great_length_is_cut_off(brain: Brain) -> None:
    patrol(brain, "The password rotation. " + "x" * 50_000, "ok")
    (scene,) = brain.having("kind", "scene")
    assert 20_000 < len(scene.content) < 20_200 and "xxx…”" in scene.content
    assert max(len(message.content) for message in brain.history.search("", limit=5)) > 50_000


def test_the_themes_of_a_patrol_are_what_the_talk_keeps_coming_back_to(brain: Brain) -> None:
    patrol(
        brain,
        "Please rotate the staging password. The password is old.", "The staging password is rotated.",
        "And the deployment?", "The deployment waits for the password.",
        "And the other one?", "Yes, that one too.",
        "Thanks!", "You're welcome!",
    )  # fmt: skip
    themes = [set(memory.tags) for memory in brain.having("kind", "scene")]
    assert {"password", "staging"} <= themes[0] and themes[1] == {"password", "deployment"}
    assert themes[2] == themes[1] and themes[3] == {"talk"}
    assert Scenes(brain).clusters()[0].name == "password"


@pytest.mark.parametrize(
    ("said", "answer", "themes"),
    [
        ("The ferry for Ischia starts.", "Noted, I have written that down and keep it in mind.", {"ferry", "ischia"}),
        ("Bitte die Fähre nach Ischia.", "Das habe ich mir gerne gemerkt.", {"fähre", "ischia"}),
        ("Quiero el ferry para Isquia.", "Lo he apuntado para usted.", {"ferry", "isquia"}),
    ],
)
def test_a_way_of_answering_is_no_theme(brain: Brain, said: str, answer: str, themes: set[str]) -> None:
    patrol(brain, said, answer, "Sven?", answer)
    assert [set(memory.tags) for memory in brain.having("kind", "scene")] == [themes, {"sven"}]


def test_a_theme_that_is_known_is_taken_up(brain: Brain) -> None:
    tell(brain, LOGIN._replace(themes=["password-rotation"]))
    patrol(brain, "When are passwords rotated?", "On Mondays.")
    assert [len(cluster.memories) for cluster in Scenes(brain).clusters() if cluster.name == "password-rotation"] == [2]


def test_themes_are_found_in_scripts_without_spaces(brain: Brain) -> None:
    patrol(brain, "東京で寿司を食べた。寿司は美味しい。", "東京はいいですね。")
    assert {"東京", "寿司"} <= set(brain.having("kind", "scene")[0].tags)


def test_a_secret_is_no_theme(brain: Brain) -> None:
    patrol(brain, f"Use {'ghp_' + 'a1B2' * 9} to push the branch.", "ok")
    assert not [tag for tag in brain.having("kind", "scene")[0].tags if "redact" in tag or "github" in tag]


def test_a_secret_that_was_said_is_in_no_scene(brain: Brain) -> None:
    key = "ghp_" + "a1B2" * 9
    patrolled(brain, [{"role": "user", "content": f"Use {key} to push."}])
    assert key not in brain.having("kind", "scene")[0].content


def test_a_patrol_killed_anywhere_is_done_whole_the_next_time(home: Path, clock: Clock) -> None:
    for number, killed in deaths(home, clock, lambda other: patrolled(other, SAID, "talk")):
        with open_brain(killed, clock=clock) as after:
            patrolled(after, SAID, "talk")
            assert after.history.count() == 3, number
            assert len(after.having("kind", "scene")) == 2, number
            assert Patrols(Scenes(after)).waiting() == 0


def test_ten_scenes_start_a_patrol_after_the_answer(brain: Brain) -> None:
    assert Patrols(Scenes(brain)).waiting() == 0
    many(brain, TOGETHER - 1)
    brain.settle()
    assert (Patrols(Scenes(brain)).waiting(), brain.ledger.runs("done")) == (TOGETHER - 1, [])
    tell(brain, LOGIN)
    brain.settle()
    assert (Patrols(Scenes(brain)).waiting(), len(brain.ledger.runs("done"))) == (0, 1)
    many(brain, 1)
    brain.settle()
    assert len(brain.ledger.runs("done")) == 1


# Crowds of scenes


def test_a_crowd_of_one_day_and_theme_becomes_one_scene(brain: Brain) -> None:
    ids = many(brain, 12, "food")
    assert patrol(brain)[:2] == (0, 1)
    (made,) = brain.memories()
    scene = read(made)
    assert scene.action.startswith("12 scenes of 2026-02-24 on food:\n\n- Hana ate sushi number 0.\n- Hana ate")
    assert (scene.actors, scene.when, scene.themes) == (["Hana"], ["2026-02-24"], ["food"])
    assert all(f"number {n}." in scene.action for n in range(12))
    for id in ids:
        assert Scenes(brain).merged_into(Scenes(brain).away(id)[1]) == uid(made)
    assert [match.memory.id for match in Scenes(brain).search("sushi number 7", 5)] == [made.id]


def test_scenes_of_a_patrol_make_a_crowd_too(brain: Brain) -> None:
    said = [text for n in range(12) for text in (f"Is deployment {n} of the shop ready?", f"Deployment {n} is ready.")]
    assert patrol(brain, *said)[:2] == (12, 13)
    (made,) = brain.memories()
    assert "  The assistant: “Deployment 11 is ready.”" in made.content


@pytest.mark.parametrize(
    "other",
    [
        {"themes": ["sport"]},
        {"themes": []},
        {"when": ["2026-02-23"]},
    ],
)
def test_other_days_and_themes_make_no_crowd(brain: Brain, other: dict[str, list[str]]) -> None:
    many(brain, CROWDED - 1, "food")
    tell(brain, SUSHI._replace(action="Hana swam.", **other))
    assert patrol(brain)[:2] == (0, 0)
    assert brain.index.count() == CROWDED


def test_a_crowd_takes_those_in_that_come_later(brain: Brain) -> None:
    many(brain, 12, "food")
    patrol(brain)
    tell(brain, *(SUSHI._replace(action=f"Hana ate rice number {n}.\nTwice.", feeling="full") for n in range(9)))
    patrol(brain)
    (made,) = brain.memories()
    assert made.content.startswith("21 scenes of 2026-02-24 on food:\n\n- Hana ate sushi number 0.")
    assert "\n- Hana ate rice number 8.\n  Twice. (full)\n" in made.content
    assert made.content.count("\n- ") == 21


def test_scenes_of_the_same_words_as_merged_ones_are_scenes_of_their_own(brain: Brain) -> None:
    many(brain, 12, "food")
    patrol(brain)
    again = many(brain, 3, "food")
    assert patrol(brain)[:2] == (0, 0)
    assert {memory.id for memory in brain.memories()} > set(again)
    many(brain, 9, "sport")
    patrol(brain)
    assert len(brain.having("kind", "scene")) == 13


def test_a_pinned_scene_stays_out_of_a_crowd(brain: Brain) -> None:
    ids = many(brain, 12, "food")
    brain.owner.pin(ids[3])
    patrol(brain)
    assert {memory.id for memory in brain.memories()} > {ids[3]} and brain.index.count() == 2


def test_a_scene_that_was_brought_back_stays(brain: Brain) -> None:
    ids = many(brain, 12, "food")
    patrol(brain)
    for id in ids:
        brain.restore(id)
    assert patrol(brain)[:2] == (0, 0)
    assert brain.index.count() == 13


@pytest.mark.parametrize(("scenes", "files"), [(CROWDED, CROWDED), (2 * CROWDED, 2)])
def test_a_crowd_too_large_for_one_file_is_halved_where_its_halves_are_crowds(
    brain: Brain, scenes: int, files: int
) -> None:
    tell(brain, *(SUSHI._replace(actors=[f"Hana {n} {'x' * (9_000 // scenes)}"]) for n in range(scenes)))
    assert Merging(Scenes(brain)).thin_out() == (files if files == 2 else 0)
    assert brain.index.count() == files


def test_a_crowd_that_must_not_be_stored_again_stays(brain: Brain, home: Path) -> None:
    key = "ghp_" + "a1B2" * 9
    tell(brain, *(SUSHI._replace(action=f"Hana pushed with {key}, time {n}.") for n in range(CROWDED)))
    (home / "STRATEGY.md").write_text("# Strategy\n\n```yaml settings\nsafety:\n  secrets: refuse\n```\n")
    assert patrol(brain, f"Use {key} to push the branch.", "ok")[:2] == (1, 1)
    assert brain.index.count() == CROWDED + 1


def test_a_patrol_of_a_crowd_killed_anywhere_loses_nothing(brain: Brain, home: Path, clock: Clock) -> None:
    many(brain, CROWDED, "food")
    brain.close()
    for number, killed in deaths(home, clock, lambda other: Patrols(Scenes(other)).tidy(), every=times(5, 1)):
        with open_brain(killed, clock=clock) as after:
            Patrols(Scenes(after)).tidy()
            found = list(after.memories())
            made = [memory for memory in found if memory.extra.get("scenes")]
            assert len(made) == 1 and len(found) <= 2, number
            assert all(f"number {n}." in made[0].content for n in range(CROWDED)), number


def test_scenes_that_waited_when_a_process_was_killed_are_seen_by_the_next(
    brain: Brain, opened: Callable[..., Brain]
) -> None:
    many(brain, TOGETHER)  # and nobody settled
    other = opened("session-2")
    assert Patrols(Scenes(other)).waiting() == TOGETHER
    other.settle()
    assert Patrols(Scenes(other)).waiting() == 0


def test_a_patrol_killed_anywhere_leaves_one_to_be_made(brain: Brain, home: Path, clock: Clock) -> None:
    many(brain, TOGETHER)
    brain.storage.close()

    def settles(other: Brain) -> None:
        assert Patrols(Scenes(other))
        other.settle()

    for number, killed in deaths(home, clock, settles):
        with open_brain(killed, clock=clock) as after:
            settles(after)
            assert Patrols(Scenes(after)).waiting() == 0, number
            assert after.index.count() == TOGETHER


# What lies in the archive and is wanted back


def put_away(brain: Brain, clock: Clock) -> tuple[str, str]:
    (id,) = tell(brain, LOGIN)
    brain.archive(id)
    path, memory = Scenes(brain).away(id)
    assert Scenes(brain).ask_for(path, memory) == 2
    return id, path


def test_what_was_asked_for_is_brought_back_by_a_compaction(brain: Brain, clock: Clock) -> None:
    id, _ = put_away(brain, clock)
    run = brain.compact()
    assert run.details == (f"Restored '{brain.find(id).slash}' from the archive",)
    assert brain.credits()[id].last_accessed is not None
    assert brain.ledger.asked_for() == {}
    assert brain.log(1)[0]["action"] == "restore"


def test_what_nobody_asked_for_stays_away(brain: Brain) -> None:
    (id,) = tell(brain, LOGIN)
    brain.archive(id)
    assert brain.compact().details == ()


def test_what_was_merged_is_not_wanted_back(brain: Brain) -> None:
    ids = tell(brain, LOGIN, SUSHI)
    Merging(Scenes(brain)).merge(ids, "A good week.")
    path, memory = Scenes(brain).away(ids[0])
    assert Scenes(brain).ask_for(path, memory) == 0
    assert brain.compact().details == ()


def test_a_restore_can_be_undone_and_is_not_done_again(brain: Brain, clock: Clock) -> None:
    id, path = put_away(brain, clock)
    score = brain.ledger._one("SELECT score FROM archived_records")[0]
    brain.compact()
    brain.compaction.undo()
    assert Scenes(brain).away(id)[0] == path
    assert brain.ledger._one("SELECT score FROM archived_records")[0] == score
    assert brain.compact().details == ()


@pytest.mark.parametrize("pin", [True, False])
def test_what_was_pinned_or_changed_since_it_came_back_stays(brain: Brain, clock: Clock, pin: bool) -> None:
    id, _ = put_away(brain, clock)
    brain.compact()
    if pin:
        brain.owner.pin(id)
    else:
        brain.update(id, "Another text.")
    assert len(brain.compaction.undo().skipped) == 1
    assert brain.find(id)


def test_a_restore_is_planned_and_written_down_like_any_action(brain: Brain, clock: Clock) -> None:
    put_away(brain, clock)
    (action,) = brain.compaction.plan().actions
    assert isinstance(action, Restore)
    assert action.reason == "It was asked for in the archive: 2 times (2 are asked)."
    assert from_json(json.loads(json.dumps(to_json(action)))) == action
    assert brain.compaction.plan(("consolidation", "promotion")).actions == ()


def test_what_was_edited_in_the_archive_since_the_plan_is_left_there(brain: Brain, home: Path, clock: Clock) -> None:
    _, path = put_away(brain, clock)
    plan, file = brain.compaction.plan(), home / "archive" / path
    file.write_text(file.read_text() + "more\n")
    with pytest.raises(ActionSkipped, match="was changed"):
        ActionApplier(brain, "run", plan.now).apply(plan.actions[0])


def test_an_id_that_was_taken_meanwhile_is_left_to_its_owner(brain: Brain, clock: Clock) -> None:
    id, path = put_away(brain, clock)
    assert tell(brain, LOGIN) == [id]
    assert brain.compact().details == ()
    assert brain.files.archived(path)


def test_a_restore_killed_anywhere_is_finished(brain: Brain, home: Path, clock: Clock) -> None:
    id, path = put_away(brain, clock)
    brain.close()
    for number, killed in deaths(home, clock, lambda other: other.compact()):
        with open_brain(killed, clock=clock) as after:
            after.compact()
            assert after.find(id).content, number
            assert not after.files.archived(path)
            assert id in after.ledger.ids()
            assert after.ledger.archived_paths_of(id) == []


def test_an_undone_restore_killed_anywhere_can_be_undone_again(brain: Brain, home: Path, clock: Clock) -> None:
    id, path = put_away(brain, clock)
    run = brain.compact().id
    brain.close()
    for number, killed in deaths(home, clock, lambda other: other.compaction.undo(run)):
        with open_brain(killed, clock=clock) as after:
            if after.ledger.run(run).state == "done":
                after.compaction.undo(run)
            assert Scenes(after).away(id)[0] == path, number
            assert after.ledger.archived_paths_of(id) == [path]


# Pages


def test_a_page_is_known_by_its_title_its_uid_and_its_file(brain: Brain, write: Callable[..., Path]) -> None:
    made = Pages(brain).add("preferences", "東京 Editor", "Vim.").memory
    write("entities/preferences/shell.md", "Fish.")
    assert Pages(brain).find("preferences", "東京 Editor").id == made.id
    assert Pages(brain).find("preferences", " 東京 EDITOR ").id == made.id
    assert Pages(brain).find("preferences", uid(made)).id == made.id
    assert Pages(brain).find("preferences", "Shell").content == "Fish."
    with pytest.raises(NotFound, match="there is"):
        Pages(brain).find("preferences", "nothing")


def test_keys_that_differ_by_signs_alone_are_different_pages(brain: Brain) -> None:
    for key in ("C", "C++", "c#"):
        Pages(brain).write("knowledge", key, lambda before, key=key: f"{before}{key} is a language.")
    assert [page.content for page in Pages(brain).all("knowledge")] == [
        "C is a language.", "C++ is a language.", "c# is a language.",
    ]  # fmt: skip
    assert Pages(brain).add("people", "Alice Chen", "Leads.").memory == Pages(brain).find("people", "alice-chen")


def test_a_page_of_another_category_is_not_found(brain: Brain) -> None:
    made = Pages(brain).add("preferences", "editor", "Vim.").memory
    for key in ("editor", made.id, uid(made)):
        assert Pages(brain).known("knowledge", key) is None


def test_a_page_changed_by_a_person_is_not_overwritten(brain: Brain, home: Path) -> None:
    made = Pages(brain).add("preferences", "editor", "Vim.").memory
    file = home / "memory" / made.path
    file.write_text(file.read_text().replace("Vim.", "Emacs."))
    with pytest.raises(Changed):
        Pages(brain).update("preferences", "editor", lambda _: "Nano.")
    assert Pages(brain).all("preferences")[0].content == "Emacs."
    assert Pages(brain).update("preferences", "editor", lambda _: "Nano.").before == "Emacs."


def test_what_is_added_to_a_page_joins_what_a_person_wrote(brain: Brain, home: Path) -> None:
    made = Pages(brain).add("knowledge", "port", "5432").memory
    file = home / "memory" / made.path
    file.write_text(file.read_text().replace("5432", "5433"))
    written = Pages(brain).write("knowledge", "port", lambda before: f"{before}, really")
    assert (written.before, written.after) == ("5433", "5433, really")


def test_rules_and_notes_have_a_kind(brain: Brain) -> None:
    assert Pages(brain).add("rules", "rules", "Be kind.").memory.kind == "rule"
    assert Pages(brain).add("notes", "ask", "Ask Bob.").memory.kind == "note"
    assert Pages(brain).add("people", "Alice", "Leads.").memory.kind == ""


# The diary


def test_a_day_lies_in_its_own_month(brain: Brain, home: Path) -> None:
    Diary(brain).write("2025-12-31", lambda _: "The year ends.")
    assert (home / "memory/episodes/2025-12/diary-2025-12-31.md").read_text().endswith("\n\nThe year ends.\n")


def test_the_last_days_are_told_in_order(brain: Brain) -> None:
    for day in range(9, 0, -1):
        Diary(brain).write(f"2026-02-0{day}", lambda _: "A day.")
    assert [day for day, _ in Diary(brain).last()] == [f"2026-02-0{day}" for day in range(3, 10)]


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "20260225", "../../x"])
def test_what_is_no_day_has_no_diary(brain: Brain, day: str) -> None:
    with pytest.raises(Invalid):
        Diary(brain).write(day, lambda _: "A day.")
    with pytest.raises(NotFound):
        Diary(brain).on(day)


# The soul


PAGE = """# Eve

Hello.

## Personality

Kind.

### When tired

Less so.

## Likes

Tea.

# inner_world
Still."""


def test_headings_are_parts_however_they_are_written() -> None:
    assert part_of(PAGE, "personality") == "Kind.\n\n### When tired\n\nLess so."
    assert part_of(PAGE, "inner_world") == "Still."
    assert part_of(PAGE, "voice") == ""


def test_another_text_for_a_part_leaves_the_rest_alone() -> None:
    assert with_part(PAGE, "personality", "Bold.") == PAGE.replace("Kind.\n\n### When tired\n\nLess so.", "Bold.")
    assert with_part(PAGE, "personality", "") == PAGE.replace(
        "## Personality\n\nKind.\n\n### When tired\n\nLess so.\n\n", ""
    )
    assert with_part(PAGE, "voice", "Soft.") == f"{PAGE}\n\n## Voice\n\nSoft."


@pytest.mark.parametrize(
    "text", ["# Big\n\n## voice\n### Values\nx", "\\# not\n\\\\## twice", "plain", "### Small\nfine"]
)
def test_a_part_comes_back_as_it_was_given(text: str) -> None:
    page = with_part(with_part(PAGE, "personality", text), "voice", "Soft.")
    assert (part_of(page, "personality"), part_of(page, "voice"), part_of(page, "inner_world")) == (
        text, "Soft.", "Still.",
    )  # fmt: skip


def test_a_soul_without_parts_is_put_away(brain: Brain, home: Path) -> None:
    Souls(brain).write("voice", lambda _: "Soft.")
    assert Souls(brain).parts() == {"voice": "Soft."}
    Souls(brain).write("voice", lambda _: "")
    assert Souls(brain).page() is None
    assert (home / "archive/entities/persona/self.md").exists()


def test_the_page_says_its_name_and_its_model(brain: Brain, write: Callable[..., Path]) -> None:
    assert (Souls(brain).name(), Souls(brain).model()) == ("", "")
    write("entities/persona/self.md", f"---\nmodel: large\n---\n{PAGE}")
    assert (Souls(brain).name(), Souls(brain).model()) == ("Eve", "large")


def test_a_store_has_one_uid(brain: Brain, opened: Callable[..., Brain]) -> None:
    assert Souls(brain).store_uid() == Souls(opened()).store_uid() == Souls(opened(read_only=True)).store_uid()


# The ledger of before


def test_a_ledger_without_a_counter_of_the_archive_is_migrated(home: Path, clock: Clock, tmp_path: Path) -> None:
    with open_brain(home, session="s", clock=clock) as brain:
        (id,) = tell(brain, LOGIN)
        brain.archive(id)
    ledger = home / ".clawbrain/ledger.db"
    db = sqlite3.connect(ledger, isolation_level=None)
    db.execute("ALTER TABLE archived_records DROP COLUMN asked_for")
    later = ("kind", "client", "folder", "event", "program_session")
    columns = [f"turn_records.{name}" for name in later] + [
        f"credit_events.{name}" for name in ("kind", "step", "detail")
    ]
    for column in columns:
        db.execute("ALTER TABLE {} DROP COLUMN {}".format(*column.split(".")))
    db.execute("DROP TABLE evidence")
    db.execute("PRAGMA user_version = 1")
    before = db.execute("SELECT * FROM archived_records").fetchall()
    db.close()
    older = Path(shutil.copytree(home, tmp_path / "older"))
    with open_brain(home, session="s", clock=clock) as brain:
        assert [row[:-1] for row in brain.ledger._all("SELECT * FROM archived_records")] == before
        assert brain.take_warnings() == []
        path, memory = Scenes(brain).away(id)
        assert Scenes(brain).ask_for(path, memory) == 2
        lines = list(brain.ledger_text.dump())
    for number, killed in deaths(older, clock, lambda other: None):
        with open_brain(killed, clock=clock) as after:
            assert after.ledger.archived_paths_of(id), number
    with open_brain(tmp_path / "other", clock=clock) as other:
        other.ledger_text.load(lines)
        assert other.ledger.asked_for() == {path: 2}
        other.ledger_text.load([line.replace(', "asked_for": 2', "") for line in lines])
        assert other.ledger.asked_for() == {}


def test_scenes_and_pages_outlive_compactions(brain: Brain, clock: Clock) -> None:
    ids = tell(brain, LOGIN, SUSHI, SUSHI)
    Diary(brain).write("2026-02-24", lambda _: "A day.")
    rule = Pages(brain).add("rules", "rules", "Be kind.").memory
    soul = Souls(brain).write("voice", lambda _: "Soft.").memory
    brain.compact()
    assert {*ids, "episode-2026-02-diary-2026-02-24"} <= {memory.id for memory in brain.memories()}
    clock.forward(days=2_000)
    brain.compact()
    assert {rule.id, soul.id} <= {memory.id for memory in brain.memories()}


def test_a_scene_by_a_persons_hand_is_a_scene(brain: Brain, write: Callable[..., Path]) -> None:
    write("episodes/2026-02/walk.md", "---\nkind: scene\nactors: Hana\nfeeling: calm\n---\nHana walked.\n")
    (found,) = brain.having("kind", "scene")
    assert read(replace(found, created="2026-02-25T10:00:00Z")) == Scene(
        "Hana walked.", ["Hana"], ["2026-02-25"], feeling="calm", themes=[]
    )
