"""What the palace's extra `platform` adds: conversations, artifacts in versions, reviews, the history of agents."""

import subprocess

import pytest
from mcp_client import SERVE, Client
from profile_door import Door

from clawbrain import profiles
from clawbrain.brain.history import Message
from clawbrain.errors import Usage

DRAFT = "# API design\n\nOne endpoint.\n"


@pytest.fixture
def door(brain):
    return Door(brain, "palace", extras=("platform",))


@pytest.fixture
def artifact(door):
    return door("create_artifact", title="API design", content=DRAFT, agent_slug="writer")["artifact_id"]


def read(door, artifact, **words):
    return door("read_artifact", artifact_id=artifact, **words)


def update(door, artifact, content, **words):
    return door("update_artifact", artifact_id=artifact, content=content, **words)["version"]


def review(door, artifact, outcome, comments="", **words):
    return door("review_artifact", artifact_id=artifact, outcome=outcome, comments=comments, **words)


# --- the extra


def test_the_seven_tools_come_only_when_asked_for():
    assert len(profiles.load("palace")["tools"]) == 19
    spec = profiles.load("palace", extras=["platform"])
    assert [tool["name"] for tool in spec["tools"]][19:] == [
        "list_conversations",
        "search_past_messages",
        "create_artifact",
        "read_artifact",
        "update_artifact",
        "review_artifact",
        "create_agent_history",
    ]


def test_an_extra_is_one_the_profile_has():
    with pytest.raises(Usage, match="'plattform' is no extra of profile 'palace'; there is platform"):
        profiles.load("palace", extras=["plattform"])
    with pytest.raises(Usage, match="'platform' is no extra of profile 'mama'; it takes none"):
        profiles.load("mama", extras=["platform"])


def test_a_prefix_goes_before_the_extra_tools_too():
    spec = profiles.load("palace", "p_", extras=["platform"])
    assert all(tool["name"].startswith("p_") for tool in spec["tools"])


def test_the_first_answers_of_a_server_know_its_extras(tmp_path):
    for options, count, modern in (([], 26, True), (["--read-only"], 16, False)):
        words = ["--profile", "palace", "--extras", "platform", "--home", str(tmp_path / "home"), *options]
        with Client(*words, modern=modern) as client:
            at_once = client.ask("tools/list")["result"]["tools"]
            client.ask("tools/call", name="memory_status", arguments={})
            assert client.ask("tools/list")["result"]["tools"] == at_once
            assert len(at_once) == count


def test_without_the_extra_its_tools_are_unknown(tmp_path):
    with Client("--profile", "palace", "--home", str(tmp_path / "home")) as client:
        assert len(client.ask("tools/list")["result"]["tools"]) == 19
        assert client.ask("tools/call", name="list_conversations", arguments={})["error"]["code"] == -32602


# --- conversations


@pytest.fixture
def said(brain):
    def message(conversation, number, content, **words):
        return Message(conversation, "user", content, f"2026-02-2{number}T10:00:00Z", **words)

    brain.history.add(
        [
            message("c1", 1, "How do we deploy?", source="claude", title="Deploying"),
            message("c1", 2, "With a script that can deploy.", source="claude", title="Deploying"),
            message("c2", 3, "Deploy on Fridays?"),
        ]
    )


def test_nothing_said_yet_tells_how_to_fill_the_history(door):
    hint = "No messages stored. Fill with clawbrain ingest."
    assert door("list_conversations") == {"conversations": [], "count": 0, "info": hint}
    answer = door("search_past_messages", conversation_id="", query="x", limit=5)
    assert answer == {"messages": [], "count": 0, "info": hint}


def test_conversations_are_listed(door, said):
    answer = door("list_conversations", include_archived=True)
    assert answer["count"] == 2
    rows = {row["id"]: row for row in answer["conversations"]}
    assert (rows["c1"]["title"], rows["c1"]["message_count"]) == ("Deploying", 2)
    assert (rows["c1"]["created_at"], rows["c1"]["last_message_at"]) == ("2026-02-21T10:00:00Z", "2026-02-22T10:00:00Z")


def test_messages_of_one_conversation_or_of_all_are_searched(door, said):
    def found(**words):
        answer = door("search_past_messages", **{"conversation_id": "", "query": "deploy", "limit": 20} | words)
        assert answer["count"] == len(answer["messages"])
        return [(row["conversation_id"], row["content"]) for row in answer["messages"]]

    assert [conversation for conversation, _ in found()] == ["c2", "c1", "c1"]
    assert found(conversation_id="c1", limit=1) == [("c1", "With a script that can deploy.")]
    assert found(query="nothing like it") == []
    assert len(found(limit=10**9)) == 3
    assert len(found(limit=0)) == 1


def test_a_message_search_shows_twenty_where_no_limit_is_named(door, brain):
    texts = (f"deploy number {number}" for number in range(25))
    brain.history.add(Message("c1", "user", text, f"2026-02-21T10:00:{n:02}Z") for n, text in enumerate(texts))
    assert door("search_past_messages", conversation_id="", query="deploy")["count"] == 20
    assert "'query' is missing" in door.fault("search_past_messages", conversation_id="")


def test_a_conversation_without_a_title_is_called_after_its_first_question(door, brain):
    def said(conversation, role, text, minute):
        return Message(conversation, role, text, f"2026-02-21T10:{minute:02}:00Z", source="claude")

    brain.history.add(
        [
            said("c1", "assistant", "Hello.", 0),
            said("c1", "user", "\n  How do we  deploy\nto staging?", 1),
            said("c1", "user", "And to production?", 2),
            said("c2", "assistant", "Nobody asked.", 3),
            said("c3", "user", "x" * 300, 4),
            said("c4", "user", "```python\nmain()\n```\n---\n## What  does > it - do?", 5),
            said("c5", "user", "```\nmain()\n```", 6),
            said("c6", "user", "> - Why?", 7),
        ]
    )
    titles = {row["id"]: row["title"] for row in door("list_conversations")["conversations"]}
    assert titles == {
        "c1": "How do we deploy",
        "c2": "Nobody asked.",
        "c3": "x" * 79 + "…",
        "c4": "What does > it - do?",
        "c5": "``` main() ```",
        "c6": "Why?",
    }


def test_a_line_in_an_agents_history_is_an_episode(door, home):
    answer = door(
        "create_agent_history", title="Released 1.2", subtitle="All green.", agent_slug="eve", conversation_id="c1"
    )
    assert answer == {"created": True, "info": "history entry created"}
    text = (home / "memory/episodes/2026-02/released-1-2.md").read_text()
    assert text.endswith(
        'title: "Released 1.2"\nkind: "history"\nagent: "eve"\nconversation: "c1"\n'
        "---\n\n# Released 1.2\n\nAll green.\n"
    )
    assert door.fault("create_agent_history", title=" ") == {"info": "title is required"}


# --- artifacts


def test_an_artifact_begins_as_a_draft(door, artifact):
    assert read(door, artifact) == {
        "artifact_id": artifact,
        "title": "API design",
        "content_type": "text/markdown",
        "content": DRAFT,
        "version": 1,
        "status": "draft",
        "reviews": [],
    }


def test_an_artifact_is_a_memory_with_its_versions_beside_it(door, artifact, home, brain):
    assert update(door, artifact, "# API design\n\nTwo.\n", change_summary="More of it", agent_slug="writer") == 2
    review(door, artifact, "approved", "Good.", agent_slug="critic")
    assert sorted(file.name for file in (home / "artifacts/api-design").iterdir()) == [
        "v1.md",
        "v2.md",
        "v2.review-1.md",
    ]
    assert (home / "artifacts/api-design/v1.md").read_text() == DRAFT
    assert (
        home / "artifacts/api-design/v2.review-1.md"
    ).read_text() == "approved by critic, 2026-02-25T10:00:00Z\n\nGood.\n"
    text = (home / "memory/entities/artifacts/api-design.md").read_text()
    assert text.endswith("---\n\n# API design\n\nTwo.\n")
    assert (
        'kind: "artifact"\ncontent_type: "text/markdown"\nversion: "2"\nstatus: "approved"\nagent: "writer"\n' in text
    )
    assert '"v2, 2026-02-25T10:00:00Z, writer: More of it"]' in text
    assert brain.search("api design two").hits[0].id == artifact


def test_every_earlier_version_is_read_as_it_was_given(door, artifact):
    texts = [DRAFT, "  indented\r\nand\r\n\r\n", "---\na: b\n---\n\nfront matter\n", "\n\nlines around\n\n", "last"]
    for number, text in enumerate(texts[1:], 2):
        assert update(door, artifact, text) == number
    for number, text in enumerate(texts, 1):
        assert read(door, artifact, version=number)["content"] == text
        assert read(door, artifact, version=number)["version"] == number
    assert read(door, artifact)["content"] == read(door, artifact, version=0)["content"] == "last"


def test_a_version_that_is_not_there_is_not_answered(door, artifact):
    assert door.fault("read_artifact", artifact_id=artifact, version=2) == "there is no version 2; the latest is 1"
    fault = door.fault("review_artifact", artifact_id=artifact, outcome="approved", comments="", version=7)
    assert fault == {"info": "there is no version 7; the latest is 1"}


def test_who_expects_another_version_is_told(door, artifact):
    assert update(door, artifact, "two", expected_version=1) == 2
    assert update(door, artifact, "three") == 3
    fault = door.fault("update_artifact", artifact_id=artifact, content="mine", expected_version=2)
    assert fault == {"info": "version conflict: expected 2 but current is 3"}
    assert read(door, artifact)["content"] == "three"


def test_version_zero_is_no_expectation(door, artifact):
    assert update(door, artifact, "two", expected_version=0) == 2


def test_of_two_processes_only_one_writes_the_next_version(tmp_path):
    words = ("--profile", "palace", "--extras", "platform", "--home", str(tmp_path / "home"))
    with Client(*words) as one, Client(*words) as other:
        made = one.call("create_artifact", title="T", content="first")["structuredContent"]["artifact_id"]
        for expected in range(1, 6):
            posted = [
                (client, client.post_call("update_artifact", artifact_id=made, content=text, expected_version=expected))
                for client, text in ((one, f"one {expected}"), (other, f"other {expected}"))
            ]
            answers = [client.answer_to(id)["result"] for client, id in posted]
            won = [answer["structuredContent"] for answer in answers if not answer["isError"]]
            lost = [answer["structuredContent"] for answer in answers if answer["isError"]]
            assert won == [{"version": expected + 1, "info": "artifact updated"}]
            assert lost == [{"info": f"version conflict: expected {expected} but current is {expected + 1}"}]


def test_reviews_are_kept_and_approval_is_the_status(door, artifact, clock):
    assert review(door, artifact, "changes_requested", "Name the owner.\n\n- who?", agent_slug="critic") == {
        "reviewed": True,
        "info": "review recorded",
    }
    assert read(door, artifact)["status"] == "draft"
    clock.forward(hours=1)
    review(door, artifact, "approved", "Good.", agent_id="a7")
    review(door, artifact, "commented", "One more thought.")
    answer = read(door, artifact)
    assert answer["status"] == "approved"
    assert answer["reviews"][:2] == [
        {
            "reviewer_agent_slug": "critic",
            "outcome": "changes_requested",
            "comments": "Name the owner.\n\n- who?",
            "created_at": "2026-02-25T10:00:00Z",
        },
        {"reviewer_agent_slug": "a7", "outcome": "approved", "comments": "Good.", "created_at": "2026-02-25T11:00:00Z"},
    ]
    assert answer["reviews"][2]["reviewer_agent_slug"] == ""


def test_a_new_version_is_a_draft_again_and_the_old_one_stays_approved(door, artifact):
    review(door, artifact, "approved", "Good.")
    update(door, artifact, "two")
    assert read(door, artifact)["status"] == "draft"
    assert read(door, artifact, version=1)["status"] == "approved"
    assert len(read(door, artifact)["reviews"]) == len(read(door, artifact, version=1)["reviews"]) == 1
    assert read(door, artifact, version=2)["reviews"] == []
    review(door, artifact, "changes_requested", "Hm.", version=1)
    assert read(door, artifact, version=1)["status"] == "draft"


def test_an_outcome_is_one_of_three(door, artifact):
    assert (
        "must be one of" in door.fault("review_artifact", artifact_id=artifact, outcome="liked", comments="x")["info"]
    )


def test_many_long_reviews_find_room(door, artifact):
    for number in range(40):
        review(door, artifact, "commented", f"{number} " + "long " * 500)
    assert [row["comments"].split()[0] for row in read(door, artifact)["reviews"]] == [str(n) for n in range(40)]


def test_many_versions_find_room(door, artifact):
    for number in range(2, 40):
        assert update(door, artifact, f"text {number}", change_summary="why " * 100) == number
    assert read(door, artifact, version=7)["content"] == "text 7"


def test_half_a_mebibyte_is_kept_and_no_more(door):
    made = door("create_artifact", title="Big", content="x" * 512 * 1024)["artifact_id"]
    assert len(read(door, made)["content"]) == 512 * 1024
    for tool, words in (("create_artifact", {"title": "Big"}), ("update_artifact", {"artifact_id": made})):
        assert "512 KiB" in door.fault(tool, content="ä" * (256 * 1024) + "x", **words)["info"]
    assert read(door, made)["version"] == 1


@pytest.mark.parametrize(
    ("content_type", "ending"),
    [("text/x-python", "py"), ("application/json; charset=utf-8", "json"), ("something/else", "txt"), ("", "md")],
)
def test_a_version_is_named_after_what_it_is(door, home, content_type, ending):
    made = door("create_artifact", title="Thing", content="x = 1\n", content_type=content_type)["artifact_id"]
    assert (home / f"artifacts/thing/v1.{ending}").read_text() == "x = 1\n"
    assert read(door, made)["content_type"] == (content_type or "text/markdown")


@pytest.mark.parametrize("title", ["設計書", "API design", "../../etc", "C++ & Öl"])
def test_artifacts_of_any_title_and_of_the_same_lie_apart(door, artifact, title):
    made = [door("create_artifact", title=title, content=f"text {n}")["artifact_id"] for n in range(2)]
    assert [read(door, each)["content"] for each in made] == ["text 0", "text 1"]
    assert {read(door, each)["title"] for each in made} == {title}
    assert read(door, artifact)["content"] == DRAFT


def test_what_its_owner_wrote_into_an_artifact_is_a_version_of_its_own(door, artifact, brain):
    brain.update(artifact, "# API design\n\nBy hand.")
    assert (read(door, artifact)["content"], read(door, artifact)["version"]) == ("# API design\n\nBy hand.", 2)
    answer = door.answer("update_artifact", artifact_id=artifact, content="three")
    assert answer.structured_content["version"] == 3 and len(answer.content) == 1  # no copy, as nothing is overwritten
    texts = [read(door, artifact, version=number)["content"] for number in (1, 2, 3)]
    assert texts == [DRAFT, "# API design\n\nBy hand.", "three"]
    assert "v2, 2026-02-25T10:00:00Z: changed by hand or by another tool" in str(brain.find(artifact).extra["changes"])


def test_no_approval_stands_over_a_text_that_another_tool_wrote(door, artifact, brain, home):
    review(door, artifact, "approved", "Good.", agent_slug="legal")
    Door(brain, "penfield")("update_memory", memory_id=artifact, content="Ten endpoints.")
    changed = read(door, artifact)
    assert (changed["content"], changed["version"], changed["status"]) == ("Ten endpoints.", 2, "draft")
    assert read(door, artifact, version=2)["reviews"] == []
    kept = read(door, artifact, version=1)
    assert (kept["content"], kept["status"], len(kept["reviews"])) == (DRAFT, "approved", 1)
    fault = door.fault("update_artifact", artifact_id=artifact, content="x", expected_version=1)
    assert fault == {"info": "version conflict: expected 1 but current is 2"}
    assert not (home / "artifacts/api-design/v2.md").exists()
    assert update(door, artifact, "three", expected_version=2) == 3
    assert read(door, artifact, version=1) == kept


def test_an_approval_of_a_text_that_its_owner_wrote_keeps_that_text(door, artifact, brain, home):
    brain.update(artifact, "By hand.")
    review(door, artifact, "approved", "Good.")
    assert (home / "artifacts/api-design/v2.md").read_text() == "By hand."
    assert (read(door, artifact)["version"], read(door, artifact)["status"]) == (2, "approved")
    assert read(door, artifact, version=1)["reviews"] == []
    brain.update(artifact, "Again by hand.")
    assert (read(door, artifact)["version"], read(door, artifact)["status"]) == (3, "draft")
    brain.update(artifact, "By hand.")
    assert (read(door, artifact)["version"], read(door, artifact)["status"]) == (2, "approved")


def test_an_approval_of_an_artifact_written_by_hand_holds_for_its_text_alone(door, brain):
    made = brain.store("entity", "plan", "Sail.", category="artifacts", extra={"kind": "artifact"}).memory.id
    review(door, made, "approved", "Good.")
    assert (read(door, made)["version"], read(door, made)["status"]) == (1, "approved")
    brain.update(made, "Row.")
    assert (read(door, made)["version"], read(door, made)["status"]) == (2, "draft")
    assert read(door, made, version=1)["content"] == "Sail."


def test_what_a_killed_process_left_behind_is_no_version(door, artifact, home):
    (home / "artifacts/api-design/v2.md").write_text("never answered")
    assert read(door, artifact)["version"] == 1
    answer = door.answer("update_artifact", artifact_id=artifact, content="two")
    assert answer.structured_content["version"] == 2 and read(door, artifact)["content"] == "two"
    kept = answer.content[1].text.removesuffix(".").rpartition(" ")[2]  # as it may have been somebody's
    assert (home / kept).read_text() == "never answered"


def test_a_version_whose_file_is_gone_is_said_to_be_gone(door, artifact, home):
    update(door, artifact, "two")
    (home / "artifacts/api-design/v1.md").unlink()
    assert "is gone from artifacts/api-design" in door.fault("read_artifact", artifact_id=artifact, version=1)


def test_no_approval_stands_where_nothing_shows_what_was_approved(door, artifact, brain, home):
    review(door, artifact, "approved", "Good.")
    (home / "artifacts/api-design/v1.md").unlink()
    brain.update(artifact, "By hand.")
    assert (read(door, artifact)["content"], read(door, artifact)["status"]) == ("By hand.", "draft")


def test_an_artifact_is_an_artifact(door, brain):
    brain.store("entity", "auth", "Tokens are signed.", category="projects")
    assert "is no artifact" in door.fault("read_artifact", artifact_id="entity-projects-auth")
    assert "not found" in door.fault("read_artifact", artifact_id="entity-artifacts-none")
    assert "not found" in door.fault("update_artifact", artifact_id="nope", content="x")["info"]


@pytest.mark.parametrize("words", [{"title": "", "content": "x"}, {"title": "x", "content": " "}, {"title": "x"}])
def test_an_artifact_needs_title_and_content(door, words):
    assert door.fault("create_artifact", **words) == {"info": "title and content are required"}


def test_an_artifact_can_be_read_as_a_file_by_penfield(door, artifact, brain):
    penfield = Door(brain, "penfield")
    assert penfield("retrieve_artifact", path="/api-design/v1.md")["content"] == DRAFT
    assert penfield("fetch", id=artifact)["text"] == DRAFT.strip()


def test_read_only_leaves_the_reads_of_the_platform(opened, door, artifact):
    reading = Door(opened(read_only=True), "palace", read_only=True, extras=("platform",))
    assert read(reading, artifact)["content"] == DRAFT
    assert "--read-only" in reading.fault("update_artifact", artifact_id=artifact, content="x")["info"]


def test_the_command_line_knows_the_flag():
    done = subprocess.run([*SERVE, "--help"], capture_output=True, text=True)
    assert "--extras" in done.stdout


def test_a_secret_is_kept_in_no_version(door, home):
    (home / "STRATEGY.md").write_text("# Strategy\n\n```yaml settings\nsafety:\n  secrets: redact\n```\n")
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    made = door("create_artifact", title="Key", content=f"The key is {key}.")["artifact_id"]
    update(door, made, f"Now it is {key}.")
    review(door, made, "commented", f"Why {key}?")
    texts = [file.read_text() for file in home.rglob("*") if file.suffix == ".md"]
    assert not [text for text in texts if key in text]
    assert "[redacted: " in read(door, made)["content"]
