"""`safety.secrets` holds for whatever is written: texts, header values, names, plain files, claims, the audit log."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock
from fake_model import patrolled
from profile_door import Door

from clawbrain.brain import Brain
from clawbrain.brain.history import Message
from clawbrain.errors import ClawbrainError, Invalid
from clawbrain.memory.model import Memory, stamp
from clawbrain.profiles.being.merging import Merging
from clawbrain.profiles.being.pages import Pages
from clawbrain.profiles.being.scene import Scene
from clawbrain.profiles.being.scenes import Scenes
from clawbrain.profiles.being.texts import key_of
from clawbrain.profiles.palace.versions import Versions

TOKEN, OTHER = "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_26C7e42F292c6912E7710c838347Ae178B4a"
PASSWORD = "KLuOQmide8$7"
TOLD = f"The password is {PASSWORD} as of today."
SPELLED = "glpat-abcdefghij0123456789"  # may be a name as it is


def policy(home: Path, word: str) -> None:
    (home / "STRATEGY.md").write_text(f"# Strategy\n\n```yaml settings\nsafety:\n  secrets: {word}\n```\n")


def on_disk(home: Path) -> str:
    """Return all that the files of a home say, names included, as a search for a secret sees it."""
    found = [file for file in home.rglob("*") if file.is_file()]
    return "".join(f"{file.name}\n{file.read_bytes().decode(errors='replace')}" for file in found)


def holds_secret(home: Path) -> list[str]:
    said = on_disk(home).lower().replace("_", "-")
    secrets = (TOKEN, OTHER, SPELLED, PASSWORD[:10])
    return [secret for secret in secrets if secret[:20].lower().replace("_", "-") in said]


Call = tuple[str, str, dict[str, Any]]
CALLS: list[Call] = [
    ("clawbrain", "memory_store", {"type": "entity", "category": "people", "name": "a", "content": f"It is {TOKEN}."}),
    ("clawbrain", "memory_store", {"type": "episode", "name": "a", "content": "x", "tags": [SPELLED]}),
    ("clawbrain", "memory_store", {"type": "entity", "category": "people", "name": SPELLED, "content": "x"}),
    ("penfield", "store", {"content": f"Our token is {TOKEN} in production."}),
    ("penfield", "store", {"content": "A fact.", "tags": [TOKEN]}),
    ("penfield", "save_artifact", {"path": "/notes.txt", "content": f"token {TOKEN}"}),
    ("penfield", "save_artifact", {"path": f"/{TOKEN}.txt", "content": "fine"}),
    ("memory", "create_entities", {"entities": [{"name": TOKEN, "entityType": "key", "observations": ["one"]}]}),
    ("memory", "create_entities", {"entities": [{"name": "a", "entityType": TOKEN, "observations": [f"is {TOKEN}"]}]}),
    ("memory", "create_relations", {"relations": [{"from": "a", "to": "b", "relationType": TOKEN}]}),
    ("penfield", "store", {"content": "A fact.", "tags": [TOLD]}),
    ("penfield", "save_context", {"name": TOLD, "description": "x"}),
    ("penfield", "store", {"content": f"{'long ' * 9}{TOKEN} is cut where a title ends."}),
    ("palace", "create_agent_history", {"title": f"{'long ' * 34}{TOKEN}"}),
    ("palace", "memory_add_drawer", {"wing": TOLD, "room": TOLD, "content": "Long enough to keep."}),
    ("palace", "memory_diary_write", {"agent_name": TOKEN, "entry": "Long enough to keep."}),
    ("being", "update_relation", {
        "entity_name": "a", "relation_type": f"holds the key for the robot {TOKEN}", "action": "upsert", "content": "x"
    }),
    ("mama", "save", {"type": "decision", "topic": TOLD, "decision": "Use it", "reasoning": "why not"}),
    ("mama", "save", {"type": "decision", "topic": TOKEN, "decision": "Use it", "reasoning": f"because {TOKEN}"}),
]  # fmt: skip


def test_a_page_with_a_slip_is_warned_of_once_and_makes_no_store_less_safe(brain: Brain, home: Path) -> None:
    with (home / "STRATEGY.md").open("a") as page:
        page.write("\nsafety: {secrets: refuse}\n")
    brain.store("entity", "a", "Fine.", category="x")
    (warning,) = brain.take_warnings()
    assert "STRATEGY.md line 73 " in warning and "'refuse', as line 73 " in warning and "clawbrain strategy" in warning
    with pytest.raises(Invalid, match="secret"):
        brain.store("entity", "b", f"It is {TOKEN}.", category="x")
    assert brain.take_warnings() == []
    (home / "STRATEGY.md").rename(home / "elsewhere.md")
    (home / "STRATEGY.md").symlink_to("elsewhere.md")
    brain.store("entity", "c", "Fine.", category="x")
    assert "link" in brain.take_warnings()[0]


@pytest.mark.parametrize("word", ["refuse", "redact", "warn"])
@pytest.mark.parametrize("call", CALLS, ids=lambda call: f"{call[1]}-{len(str(call[2]))}")
def test_no_tool_writes_a_secret_unsaid(brain: Brain, home: Path, word: str, call: Call) -> None:
    policy(home, word)
    profile, tool, arguments = call
    door = Door(brain, profile, extras=("platform",) if profile == "palace" else ())
    if tool == "create_relations":
        door("create_entities", entities=[{"name": n, "entityType": "t", "observations": []} for n in "ab"])
    answer = door.answer(tool, **arguments)
    brain.close()
    assert answer.is_error if word == "refuse" else (word == "redact" or not answer.is_error)
    assert "secret" in " ".join(content.text for content in answer.content)
    assert word == "warn" or holds_secret(home) == []


def test_a_name_made_of_a_text_does_not_spell_its_secret(brain: Brain, home: Path) -> None:
    policy(home, "redact")
    Door(brain, "penfield")("store", content=f"{TOKEN} is the token of the build machine.")
    [id] = brain.index.ids()
    assert "redacted-github-token" in id
    said = Door(brain, "mama").text("save", type="decision", topic=f"Use {TOKEN}", decision="d", reasoning="r")
    assert TOKEN not in said and "redacted" in said


def test_a_context_is_answered_by_the_name_under_which_it_is_kept(brain: Brain, home: Path) -> None:
    policy(home, "redact")
    door = Door(brain, "penfield")
    saved = door("save_context", name=f"Key {TOKEN}", description="What is open.")
    assert TOKEN not in json.dumps(saved) and saved["name"] in saved["message"]
    assert door("restore_context", name=saved["name"])["description"] == "What is open."


def test_an_edit_of_a_header_value_is_looked_at_alone(brain: Brain, home: Path, write: Callable[..., Path]) -> None:
    write("entities/people/a.md", f"---\nnote: mine\n---\n\nIt is {TOKEN}.\n")
    policy(home, "refuse")
    brain.owner.pin("entity-people-a")
    changed = brain.amend("entity-people-a", lambda now: _with(now, "note", "yours"))
    assert TOKEN in changed.content
    with pytest.raises(Invalid, match="secret"):
        brain.amend("entity-people-a", lambda now: _with(now, "note", OTHER))


def _with(memory: Memory, key: str, value: str) -> Memory:
    return replace(memory, extra={**memory.extra, key: value})


@pytest.mark.parametrize("word", ["refuse", "redact"])
def test_a_tag_and_a_new_name_hold_none(brain: Brain, home: Path, word: str) -> None:
    policy(home, word)
    brain.store("entity", "a", "x", category="people")
    for verb in (
        lambda: brain.owner.tag("entity-people-a", [SPELLED]),
        lambda: brain.owner.move("entity-people-a", SPELLED),
    ):
        with pytest.raises(Invalid, match="secret"):
            verb()
    assert holds_secret(home) == []


def test_an_import_redacts_where_secrets_are_refused(brain: Brain, home: Path) -> None:
    policy(home, "refuse")
    brain.adopt(Memory("", "entity", "people", "a", "", f"It is {TOKEN}.", created="2026-01-01", updated="2026-01-01"))
    assert "[redacted: GitHub token]" in brain.find("entity-people-a").content
    assert any("GitHub token" in said for said in brain.take_warnings())


def test_messages_are_redacted_and_that_is_said(brain: Brain, home: Path) -> None:
    policy(home, "refuse")
    brain.history.add([Message("one", "user", f"It is {TOKEN}.", "2026-01-01T00:00:00Z", title=TOKEN)])
    brain.close()
    assert holds_secret(home) == []
    assert any("GitHub token" in said for said in brain.take_warnings())


def test_a_patrol_redacts_where_secrets_are_refused(brain: Brain, home: Path) -> None:
    policy(home, "refuse")
    messages = [{"role": "user", "content": f"It is {TOKEN}."}, {"role": "assistant", "content": "Noted."}]
    patrolled(brain, messages)
    brain.close()
    assert holds_secret(home) == []


def compacted(brain: Brain, write: Callable[..., Path]) -> Brain:
    """A compaction of hand-written episodes: two are merged, and two facts of another one are promoted."""
    for name in ("one", "two"):
        write(
            f"episodes/2026-02/{name}.md",
            f"---\ntags: [release, {SPELLED}]\n---\n\n{name} says the token is {TOKEN}.\n",
        )
    fact = f"- Sara Lind always deploys with the token {OTHER}.\n- Sara Lind always answers mails within two days.\n"
    write("episodes/2026-01/proven.md", f"# Proven\n\n{fact}")
    brain.store("entity", "sara-lind", "# Sara Lind", category="people")
    brain.sync(now=True)
    with brain.deciding("episode-2026-01-proven"):
        decay, now = brain.strategy().strategy.decay, stamp(brain.clock())
        brain.scores.assign("episode-2026-01-proven", "merge", 0.9, now, decay, 8)
    brain.compact()
    return brain


@pytest.mark.parametrize("word", ["refuse", "redact"])
def test_a_compaction_copies_no_secret_that_a_person_wrote(
    brain: Brain, home: Path, write: Callable[..., Path], word: str
) -> None:
    policy(home, word)
    compacted(brain, write)
    [merged] = [memory for memory in brain.memories("episode") if memory.extra.get("merged_from")]
    sara = brain.find("entity-people-sara-lind").content
    assert merged.content.count("[redacted: GitHub token]") == 2 and TOKEN not in merged.content
    assert merged.tags == ("release", "[redacted: GitLab token]")
    assert "deploys with the token [redacted: GitHub token]." in sara and "answers mails" in sara
    assert not brain.compaction.plan().actions


def test_an_undo_gives_a_merged_text_back_as_the_person_wrote_it(
    brain: Brain, home: Path, write: Callable[..., Path]
) -> None:
    policy(home, "redact")
    compacted(brain, write)
    assert len(brain.compaction.undo().skipped) == 0
    assert TOKEN in brain.find("episodes/2026-02/one.md").content


def test_where_secrets_only_warn_a_compaction_keeps_every_word_and_warns(
    brain: Brain, home: Path, write: Callable[..., Path]
) -> None:
    policy(home, "warn")
    compacted(brain, write)
    assert OTHER in brain.find("entity-people-sara-lind").content
    assert any("seems to hold a secret" in said for said in brain.take_warnings())


LONG = f"It was so very long ago that the token of the machine was {TOKEN}."  # a title of it ends within the token
MORE_CALLS: dict[str, Callable[[Brain], object]] = {
    "a page": lambda brain: Pages(brain).add("knowledge", "k", LONG),
    "the key of a page": lambda brain: Pages(brain).add("knowledge", key_of(brain, LONG[20:]), "x"),
    "an artifact": lambda brain: Versions(brain).create("doc", LONG),
    "the title of an artifact": lambda brain: Versions(brain).create(f"doc {TOKEN}", "x"),
    "a version": lambda brain: Versions(brain).update(Versions(brain).create("doc", "x").id, LONG, summary=LONG),
    "a long summary of a version": lambda brain: Versions(brain).update(
        Versions(brain).create("doc", "x").id, "y", summary=f"{'x' * 179} {TOKEN}"
    ),
    "a review": lambda brain: Versions(brain).review(Versions(brain).create("doc", "x").id, "approved", LONG),
    "a scene": lambda brain: Scenes(brain).keep([scene(LONG)._replace(setting=LONG)]),
    "a merge": lambda brain: Merging(Scenes(brain)).merge(
        [made.id for made in Scenes(brain).keep([scene("One."), scene("Two.")])], LONG
    ),
}


def scene(action: str) -> Scene:
    return Scene(action, actors=["a"], when=["2026-02-25"], setting="", feeling="", themes=["t"], importance=0.5)


@pytest.mark.parametrize("word", ["refuse", "redact"])
@pytest.mark.parametrize("what", MORE_CALLS)
def test_no_part_of_a_profile_writes_a_secret_or_the_beginning_of_one(
    brain: Brain, home: Path, word: str, what: str
) -> None:
    policy(home, word)
    if word == "refuse":
        with pytest.raises(Invalid, match="secret"):
            MORE_CALLS[what](brain)
    else:
        MORE_CALLS[what](brain)
    brain.close()
    assert TOKEN[:10].lower().replace("_", "-") not in on_disk(home).lower().replace("_", "-")


def test_what_a_person_wrote_is_shown_and_retrieved_word_for_word(
    brain: Brain, home: Path, write: Callable[..., Path]
) -> None:
    policy(home, "redact")
    write("entities/people/a.md", f"It is {TOKEN}.\n")
    assert brain.retrieve("entity-people-a").memory.content == f"It is {TOKEN}."


@pytest.mark.parametrize(("profile", "tool"), [("being", "get_context"), ("penfield", "awaken")])
def test_what_a_profile_hands_over_at_the_start_of_a_session_holds_none(
    brain: Brain, write: Callable[..., Path], profile: str, tool: str
) -> None:
    for path in ("entities/persona/self.md", "entities/preferences/a.md", "entities/knowledge/k.md"):
        write(path, f"# It is\n\n{'x' * 280} {TOKEN}\n{'x' * 1670} {OTHER}\n")
    write("entities/rules/r.md", f'---\ntitle: "{TOKEN}"\n---\n\nRule.\n')
    write("episodes/2026-02/diary-2026-02-24.md", f"---\nkind: diary\n---\n\nIt is {TOKEN}.\n")
    answer = str(Door(brain, profile)(tool))
    assert "ghp_" not in answer and answer.count("[redacted: GitHub token]") >= 3


def test_the_audit_log_holds_none(brain: Brain, home: Path) -> None:
    brain.audit.note("clawbrain", TOKEN, {"name": OTHER, TOKEN: 1}, {"x": [f"y {TOKEN}"]}, success=True, duration_ms=1)
    brain.close()
    assert holds_secret(home) == []


@pytest.mark.parametrize(
    "refusal",
    [f"not '{TOKEN[:16]}…'", f"try {TOKEN.lower().replace('_', '-')}", f"tag the-password-is-{PASSWORD.lower()}"],
)
def test_the_audit_log_holds_none_that_a_refusal_quotes(brain: Brain, home: Path, refusal: str) -> None:
    arguments = {"type": TOKEN, "tag": TOLD, "text": "password: $$$$$a"}  # the last of which is spelled as "a"
    brain.audit.note("clawbrain", "x", arguments, refusal, success=False, duration_ms=1)
    brain.close()
    said = on_disk(home).lower().replace("_", "-")
    assert TOKEN[:14].lower().replace("_", "-") not in said and PASSWORD[:9].lower() not in said


# Claims


@pytest.fixture
def torn(brain: Brain) -> Brain:
    """A memory that says another token than before."""
    brain.store("entity", "keys", f"The token is {TOKEN} now. Ann is here.", category="projects")
    brain.update("entity-projects-keys", f"The token is {OTHER} now. Ann is here.")
    return brain


def test_claims_are_kept_and_answered_without_secrets(torn: Brain, home: Path) -> None:
    [row] = torn.conflicts.open()
    assert row.claim_a == row.claim_b == "The token is [redacted: GitHub token] now."
    assert TOKEN not in str(row) and TOKEN not in "".join(torn.ledger_text.dump())
    updated = torn.update("entity-projects-keys", f"The token is {TOKEN[:-1]}z now. Ann is here.")
    assert updated.contradictions and not any("ghp_" in said for _, said in updated.contradictions)
    torn.close()
    ledger = (home / ".clawbrain/ledger.db").read_bytes().decode(errors="replace")
    assert TOKEN not in ledger and OTHER not in ledger


def test_the_difference_of_two_claims_holds_no_bare_password(brain: Brain, home: Path) -> None:
    said = []
    for name, password in (("one", "Njlm095fd6#1"), ("two", "NbNZMH1Hnn$3")):
        text = f"The deploy password of the API server is {password}."
        said += brain.store("entity", name, text, category="projects").contradictions
    assert len(said) == 1
    assert not any(bare in "".join([*brain.ledger_text.dump(), *said[0]]) for bare in ("Njlm095fd6", "NbNZMH1Hnn"))


def test_the_same_two_tokens_are_one_contradiction_and_others_another(torn: Brain) -> None:
    for token in (TOKEN, OTHER, TOKEN):
        torn.update("entity-projects-keys", f"The token is {token} now. Ann is here.")
    assert len(torn.conflicts.open()) == 1
    torn.update("entity-projects-keys", f"The token is {TOKEN[:-1]}z now. Ann is here.")
    assert len(torn.conflicts.open()) == 2


def test_a_claim_with_a_secret_is_found_again_and_put_back(torn: Brain) -> None:
    [row] = torn.conflicts.open()
    torn.conflicts.resolve(row.id, "kept_b")
    assert torn.find("entity-projects-keys").content == f"The token is {TOKEN} now. Ann is here."


def test_a_claim_with_a_secret_is_taken_out(brain: Brain) -> None:
    brain.store("entity", "one", f"The token of the API server is {TOKEN} now. Ann.", category="projects")
    brain.store("entity", "two", f"The token of the API server is {OTHER} now. Bob.", category="projects")
    [row] = brain.conflicts.open()
    brain.conflicts.resolve(row.id, "kept_a")
    assert brain.find("entity-projects-one").content == "Ann." and OTHER in brain.find("entity-projects-two").content


def test_a_claim_that_changed_is_not_taken_for_the_one_that_was_kept(torn: Brain) -> None:
    [row] = torn.conflicts.open()
    torn.update("entity-projects-keys", f"The token is {TOKEN[:-1]}z now. Ann is here.")
    with pytest.raises(ClawbrainError, match="no longer"):
        torn.conflicts.resolve(row.id, "kept_b")


def test_stored_claims_and_audit_rows_are_redacted_by_a_migration(
    torn: Brain, home: Path, clock: Clock, opened: Callable[..., Brain]
) -> None:
    torn.audit.note("clawbrain", "x", {}, {}, success=True, duration_ms=1)
    torn.close()
    with closing(sqlite3.connect(home / ".clawbrain/ledger.db")) as db:
        db.execute("UPDATE contradictions SET claim_a = ?, claim_b = ?, description = ?", (
            f"The token is {OTHER} now.", f"The token is {TOKEN} now.", f"“{OTHER}” in one, “{TOKEN}” in the other."
        ))  # fmt: skip
        for column in ("life_a", "life_b", "mark_a", "mark_b"):
            db.execute(f"ALTER TABLE contradictions DROP COLUMN {column}")
        for table, column in (
            ("credit_records", "life"),
            ("archived_records", "life"),
            ("archived_records", "digest"),
            ("credit_events", "life"),
        ):
            db.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        db.execute("DELETE FROM notes WHERE key = 'key_of_claims'")
        db.execute("PRAGMA user_version = 5")
        db.commit()
    [shelf] = (home / ".clawbrain/history").iterdir()
    shelf.rename(shelf.with_name("entity-projects-keys"))
    with closing(sqlite3.connect(home / ".clawbrain/records.db")) as db:
        row = (TOKEN, json.dumps({"name": OTHER}), json.dumps([f"x {TOKEN}"]))
        db.execute("UPDATE audit SET tool = ?, arguments = ?, result = ?", row)
        for column in ("user", "workspace", "token"):
            db.execute(f"ALTER TABLE audit DROP COLUMN {column}")
        db.execute("PRAGMA user_version = 1")
        db.commit()
    brain = opened()
    [call] = brain.audit.calls()
    assert call.arguments == {"name": "[redacted: GitHub token]"} and TOKEN not in call.tool + str(call.result)
    [conflict] = brain.conflicts.open()
    brain.conflicts.resolve(conflict.id, "kept_b")
    assert brain.find("entity-projects-keys").content == f"The token is {TOKEN} now. Ann is here."
    assert TOKEN not in conflict.description + "".join(brain.ledger_text.dump())
