"""Deleting for good: what quotes a purged memory in the audit log and in stored conversations goes with it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clawbrain.brain import Brain
from clawbrain.brain.history import Message
from clawbrain.brain.quotes import Quotes, without

ID = "entity-people-alice"
TEXT = '# Alice Chen\n\n- **Alice** lives at 12 Elm Street.\n- Her badge says "A\\7". She likes\ttea a lot.'


def said(conversation: str, content: str, title: str = "", key: str = "k") -> Message:
    return Message(conversation, "user", content, "2026-02-25T10:00:00Z", "claude", key, title)


@pytest.fixture
def noted(brain: Brain) -> Brain:
    """A home with an archived memory, and calls and messages about it and about others."""
    brain.store("entity", "alice", TEXT, category="people")
    brain.store("entity", "bob", "# Alice Chen\n\nBob knows her.", category="people")
    note = brain.audit.note
    note("clawbrain", "memory_retrieve", {"id": ID}, {"content": TEXT}, success=True, duration_ms=1)
    note("clawbrain", "memory_search", {"query": "x"}, {"results": [{"snippet": json.dumps(TEXT)}]}, success=True,
         duration_ms=1)  # fmt: skip
    note("clawbrain", "memory_delete", {"id": ID}, {"id": ID}, success=True, duration_ms=1)
    note("clawbrain", "memory_retrieve", {"id": f"{ID}-2"}, {"content": "# Alice Chen"}, success=True, duration_ms=1)
    brain.history.add([
        said("one", "Remember:\nalice lives  at\n12 Elm street, and so on", title="Her badge says \"A\\7\"!"),
        said("two", "Alice Chen lives somewhere.", key="other"),
    ])  # fmt: skip
    brain.archive(ID)
    return brain


def held(home: Path) -> bytes:
    return (home / ".clawbrain/records.db").read_bytes().lower()


def test_a_purge_empties_the_calls_that_name_or_quote_it(noted: Brain) -> None:
    assert noted.owner.purge(ID).calls == 3
    calls = noted.audit.calls()
    assert [(call.tool, call.arguments) for call in calls] == [
        ("memory_retrieve", {"id": f"{ID}-2"}),
        ("memory_delete", "[purged]"),
        ("memory_search", "[purged]"),
        ("memory_retrieve", "[purged]"),
    ]
    assert [call.result for call in calls[1:]] == ["[purged]"] * 3


def test_a_purge_takes_what_quotes_it_out_of_messages(noted: Brain, home: Path) -> None:
    assert noted.owner.purge(ID).messages == 1
    [other, one] = sorted(noted.history.search(), key=lambda message: message.conversation, reverse=True)
    assert other.content == "Alice Chen lives somewhere."
    assert (one.content, one.title) == ("Remember:\n[purged], and so on", "[purged]!")
    assert not noted.history.search("Elm")
    assert b"elm" not in held(home) and b"badge" not in held(home)


def test_a_transcript_that_is_taken_in_again_does_not_bring_it_back(noted: Brain) -> None:
    noted.owner.purge(ID)
    noted.history.add([said("one", "Remember:\nalice lives  at\n12 Elm street, and so on")])
    assert not noted.history.search("Elm")


def test_earlier_texts_that_go_with_it_are_looked_for_as_well(brain: Brain) -> None:
    brain.store("entity", "alice", "Alice lives at 12 Elm Street.", category="people")
    brain.update(ID, "Alice lives in Ulm.")
    brain.history.add([said("one", "alice lives at 12 elm street.")])
    brain.archive(ID)
    gone = brain.owner.purge(ID)
    assert (gone.texts, gone.messages) == (1, 1)


def test_calls_about_another_memory_of_that_id_stay(noted: Brain) -> None:
    noted.store("entity", "alice", "Another Alice altogether.", category="people")
    noted.audit.note("clawbrain", "memory_store", {"name": "alice"}, {"id": ID}, success=True, duration_ms=1)
    assert noted.owner.purge(f"archive/entities/people/{'alice'}.md").calls == 2
    assert noted.audit.calls()[0].result == {"id": ID}


def test_a_dry_run_counts_and_deletes_nothing(noted: Brain, home: Path) -> None:
    gone = noted.owner.purge(ID, dry_run=True)
    assert (gone.path, gone.calls, gone.messages) == ("archive/entities/people/alice.md", 3, 1)
    assert noted.history.search("Elm")
    assert (home / gone.path).exists()
    assert noted.owner.purge(ID)[2:] == gone[2:]


def test_the_command_says_what_it_takes_out(noted: Brain, run: Callable[..., Any]) -> None:
    dry = run("purge", ID, "--dry-run")
    assert dry.output == (
        f"Would delete {ID} (archive/entities/people/alice.md), with what 3 noted calls held, its words in 1 message; "
        "nothing was done.\n"
    )
    done = run("purge", ID, "--yes", "--json")
    assert {key: value for key, value in json.loads(done.stdout).items() if key != "archive_path"} == {
        "id": ID, "purged": True, "texts": 0, "calls": 3, "messages": 1,
    }  # fmt: skip
    assert run("purge", ID, "--dry-run").exit_code == 1


@pytest.mark.parametrize(("text", "message", "left"), [
    ("**PIN** 4711", "the pin 4711.", "the [purged]."),
    ("Done", "Done with it.", "Done with it."),
    ("- a few words more", "We say: A few words more!", "We say: [purged]!"),
    ("她住在榆树街十二号。还有", "听说她住在榆树街十二号。", "听说[purged]。"),
    ("## What came of it\n\nNothing at all.", "What came of it?", "What came of it?"),
    ("the password: hunter2hunter2", "the password: [redacted: password]", "[purged]"),
])  # fmt: skip
def test_a_quotation_is_a_line_or_a_sentence(text: str, message: str, left: str) -> None:
    assert without(Quotes([], [text]).quoted(message), message) == left


def test_an_id_is_found_as_a_whole_word() -> None:
    quotes = Quotes([ID], [])
    assert quotes.names_or_quotes(f'{{"id":"{ID}"}}') and not quotes.names_or_quotes(f'{{"id":"{ID}-2"}}')
