"""What contradicts what when it is stored: claims that name their subject, and never the lines of a form."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forms import FORMS, UNSEEN_FORMS, Filler
from profile_door import Door

from clawbrain.brain import Brain
from clawbrain.contradictions import contradictions
from clawbrain.contradictions.line import Subject, line_of

ROWS = [line.split("\t") for line in (Path(__file__).parent / "contradiction_pairs.tsv").read_text().splitlines()]


def found(a: str, b: str) -> bool:
    return bool(contradictions(a, b, one_subject=False) or contradictions(b, a, one_subject=False))


@pytest.mark.parametrize("half", [0, 1])
def test_nearly_all_contradictions_are_found_and_hardly_a_false_one(half: int) -> None:
    rows = ROWS[half::2]
    raised = [label for label, a, b in rows if found(a, b)]
    assert raised.count("C") >= 0.9 * sum(label == "C" for label, _, _ in rows)
    assert raised.count("C") >= 0.95 * len(raised)


def test_what_differs_is_quoted_without_a_remark_in_brackets() -> None:
    now, former = (
        "The staging server is stage9.example.net (was stage7 until May).",
        "The staging server is stage7.example.net.",
    )
    (said,) = contradictions(now, former, one_subject=False)
    assert "“stage9.example.net” in one, “stage7.example.net” in the other" in str(said)


@pytest.mark.parametrize("form", FORMS + UNSEEN_FORMS)
def test_notes_filled_in_from_one_form_contradict_nobody(form: Callable[[Filler], str], brain: Brain) -> None:
    said = [
        text
        for number in range(60)
        for _, text in brain.store("entity", f"n-{number}", form(Filler(number)), category="notes").contradictions
    ]
    assert len(said) <= 1


@pytest.mark.parametrize(
    "line",
    [
        "Ticket kx00007.",
        "Settled 2025-11-04 with Juri",
        "Area: billing",
        "**Owner**: Juri",
        "owner -> Juri",
        "Decision of 2025-11-04",
        "2025-11-04 10:32",
        "Main Street 4, Graz",
        "Mozilla/5.0 (X11; Linux x86_64) Firefox/121.0",
        "Attendees: Juri, Mara",
        "Room 12",
        "Version 1.4.2",
        "12 boxes on shelf B4",
        "The fix was deployed at 10:14",
        "A customer reported a timeout",
        "Fixed in 1.4.3",
        "Usually seldom",
        "No longer",
    ],
)
def test_a_field_a_fragment_or_an_occasion_is_no_statement(line: str) -> None:
    assert line_of(line).whose is Subject.NONE


@pytest.mark.parametrize("line", ["She lives in Porto", "It is read-only", "Uses zsh", "Is left-handed"])
def test_a_sentence_without_a_subject_speaks_of_its_memory(line: str) -> None:
    assert line_of(line).whose is Subject.MEMORY


@pytest.mark.parametrize(
    "line",
    [
        "The API server listens on port 8080",
        "Never force-push to main",
        "Use British spelling",
        "The company that made the lamp is Lux",
        "Coverage threshold is 80%",
        "The choir rehearses on Tuesdays",
        "Jazz was created in New Orleans",
        "Decision: free slots are cached for a minute",
        "The team moved from Trello to Asana",
        "Logs are kept for 30 days",
    ],
)
def test_a_sentence_with_a_subject_speaks_for_itself(line: str) -> None:
    assert line_of(line).whose is Subject.OWN


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("We deploy on Fridays.", "We never deploy on Fridays."),
        ("I use vim.", "I no longer use vim."),
        ("We always squash commits.", "We never squash commits."),
        ("Backups run at night.", "Backups never run at night."),
        ("Developers push to main.", "Developers must not push to main."),
        ("Reviewers approve within a day.", "Reviewers never approve within a day."),
        ("The children eat lunch at school.", "The children never eat lunch at school."),
        ("Tests always run before a merge.", "Tests never run before a merge."),
        ("The editor accepts PDF files.", "The editor no longer accepts PDF files."),
        ("We decided to use Postgres for the billing service.", "We decided to use SQLite for the billing service."),
        ("We've decided to write the CLI in Go.", "We've decided to write the CLI in Rust."),
        ("We chose React for the frontend.", "We chose Vue for the frontend."),
        ("The team has chosen React for the shop.", "The team has chosen Svelte for the shop."),
        ("We decided to use Postgres for the billing service.", "We use SQLite for the billing service."),
        ("We decided not to use feature flags.", "We use feature flags."),
        ("The team agreed to deploy on Mondays.", "The team agreed to deploy on Thursdays."),
        ("We adopted Jira for tickets.", "We adopted Linear for tickets."),
        ("We picked Kafka as the message broker.", "We picked RabbitMQ as the message broker."),
        ("We settled on Terraform for the servers.", "We settled on Pulumi for the servers."),
        ("The team standardized on npm for the shop.", "The team standardized on yarn for the shop."),
        ("It was decided to host the API on AWS.", "It was decided to host the API on Azure."),
    ],
)
def test_habits_and_decisions_hold_until_another_is_told(a: str, b: str, brain: Brain) -> None:
    brain.store("entity", "note-1", a, category="projects")
    assert brain.store("entity", "note-2", b, category="projects").contradictions


@pytest.mark.parametrize(
    "line",
    [
        "Lars decided to buy a bike",
        "The customer chose the gold plan",
        "We agreed to meet again in May",
        "We settled on a price of 40 euros",
        "SQLite was chosen by the customer",
        "Docs build 881",
        "We met in room 4",
    ],
)
def test_what_was_decided_for_once_or_by_others_is_an_occasion(line: str) -> None:
    assert line_of(line).whose is Subject.NONE


def test_a_sentence_without_a_subject_is_compared_among_preferences_only(brain: Brain) -> None:
    for category in ("preferences", "projects"):
        brain.store("entity", "old", "Prefers tabs over spaces.", category=category)
    assert brain.store("entity", "new", "Prefers spaces over tabs.", category="preferences").contradictions
    assert not brain.store("entity", "new", "Prefers spaces over tabs.", category="projects").contradictions


@pytest.mark.parametrize(
    ("name", "a", "other", "b"),
    [
        ("x", "# Apollo\n\nThe backend is written in Go.", "y", "# Gemini\n\nThe backend is written in Rust."),
        ("x", "Apollo\n\nThe backend is written in Go.", "y", "Gemini\n\nThe backend is written in Rust."),
        ("x", "# Apollo\n\n- The default branch is main", "y", "# Gemini\n\n- The default branch is develop"),
        ("x", "Acme is based in Berlin. The contact is Anna. The contract runs until 2027.",
         "y", "Bolt is based in Munich. The contact is Carl. The contract runs until 2029."),
        ("x", "Hermes uses Kafka. The contact is Anna.", "y", "Globex Labs uses Kafka. The contact is Carl."),
        ("x", "The Apollo project began in May. The contact is Anna.",
         "y", "Gemini began in June. The contact is Carl."),
        ("x", "# Apollo\n\nWe chose React for the frontend.", "y", "# Gemini\n\nWe chose Vue for the frontend."),
        ("x", "# Apollo\n\nThe team uses npm for builds.", "y", "# Gemini\n\nThe team uses yarn for builds."),
        ("apollo", "The backend is written in Go.", "gemini", "The backend is written in Rust."),
        ("apollo", "- The contact is Anna", "y", "# Gemini\n\n- The contact is Carl"),
        ("customer-1", "The contact is Anna.", "customer-2", "The contact is Carl."),
    ],
)  # fmt: skip
def test_two_things_have_each_their_own_parts(name: str, a: str, other: str, b: str, brain: Brain) -> None:
    brain.store("entity", name, a, category="projects")
    assert not brain.store("entity", other, b, category="projects").contradictions


@pytest.mark.parametrize(
    ("name", "a", "other", "b"),
    [
        ("x", "# Apollo\n\nThe backend is written in Go.", "y", "# Apollo stack\n\nThe backend is written in Rust."),
        ("x", "# Apollo\n\nThe API server is written in Go.", "y", "# Gemini\n\nThe API server is written in Rust."),
        ("x", "Acme is based in Berlin. The contact is Anna.", "y", "Acme pays late. The contact is Carl."),
        ("apollo", "The backend is written in Go.", "apollo-news", "The backend is written in Rust."),
        ("backend", "The backend is written in Go.", "stack", "The backend is written in Rust."),
        ("note-1", "The backend is written in Go.", "note-2", "The backend is written in Rust."),
        ("x", "# Billing\n\nWe decided to use Postgres for the billing service.",
         "y", "# News\n\nWe decided to use SQLite for the billing service."),
        ("tools", "The team uses Slack for chats.", "habits", "The team uses Teams for chats."),
    ],
)  # fmt: skip
def test_the_same_part_of_one_thing_is_compared(name: str, a: str, other: str, b: str, brain: Brain) -> None:
    brain.store("entity", name, a, category="projects")
    assert brain.store("entity", other, b, category="projects").contradictions


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Uses zsh", "Uses fish"),
        ("Uses vim.", "Uses emacs."),
        ("I use zsh.", "I use bash."),
        ("I work at Acme.", "I work at Globex."),
        ("Works for Acme", "Works for Globex"),
    ],
)
def test_a_person_has_one_shell_one_editor_and_one_employer(a: str, b: str, brain: Brain) -> None:
    brain.store("entity", "old", a, category="preferences")
    assert brain.store("entity", "new", b, category="preferences").contradictions


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Uses zsh", "Uses Rust"),
        ("Uses Docker", "Uses Podman"),
        ("Uses Python", "Uses Java"),
        ("Uses zsh", "Uses bash for scripts"),
        ("I work at Acme.", "I work on compilers."),
    ],
)
def test_a_person_may_use_many_things(a: str, b: str, brain: Brain) -> None:
    brain.store("entity", "old", a, category="preferences")
    assert not brain.store("entity", "new", b, category="preferences").contradictions


def test_a_memorys_own_data_may_change(brain: Brain) -> None:
    kept = "Lars leads the billing team."
    brain.store("entity", "ticket", f"Ticket kx1.\n\nStatus: open\nRoom 12\n\n{kept}", category="projects")
    changed = brain.update("entity-projects-ticket", f"Ticket kx1.\n\nStatus: closed\nRoom 14\n\n{kept}")
    assert not changed.contradictions


def test_a_memorys_own_statement_that_changes_is_said(brain: Brain) -> None:
    brain.store("entity", "anna", "# Anna\n\n- Lives in Porto", category="people")
    assert brain.update("entity-people-anna", "# Anna\n\n- Lives in Ghent").contradictions


def test_many_statements_of_two_memories_may_contradict_each_other(brain: Brain) -> None:
    facts = [(a, b) for label, a, b in ROWS if label == "C" and found(a, b)][:8]
    brain.store("entity", "old", "\n".join(f"- {a}" for a, _ in facts), category="projects")
    stored = brain.store("entity", "new", "\n".join(f"- {b}" for _, b in facts), category="projects")
    assert len(stored.contradictions) >= len(facts)


def test_nearly_the_same_name_is_another_subject() -> None:
    assert not found("Mira lives in Lisbon", "Mara lives in Ghent")
    assert not found("Handball was created in Denmark", "Hardball was created in Spain")


EIGHT = 8
NEW_PORT = "The API server listens on port 9000."


@pytest.fixture
def ports(brain: Brain) -> Brain:
    """Eight memories that name eight ports, each against all before it."""
    for number in range(EIGHT):
        brain.store("entity", f"port-{number}", f"The API server listens on port {8000 + number}.", category="projects")
    return brain


def test_an_answer_names_five_contradictions_and_counts_the_others(ports: Brain) -> None:
    before = len(ports.conflicts.open())
    answer = Door(ports, "clawbrain")("memory_store", type="entity", category="projects", name="new", content=NEW_PORT)
    assert len(answer["contradictions"]) == 5
    assert any("and 3 more contradictions" in warning for warning in answer["warnings"])
    assert len(ports.conflicts.open()) == before + EIGHT


def test_an_update_names_five_contradictions_and_counts_the_others(ports: Brain) -> None:
    answer = Door(ports, "clawbrain")("memory_update", id="entity-projects-port-0", content=NEW_PORT)
    assert len(answer["contradictions"]) == 5
    assert any("and 3 more contradictions" in warning for warning in answer["warnings"])


def test_five_contradictions_are_all_there_are(brain: Brain) -> None:
    for number in range(5):
        brain.store("entity", f"port-{number}", f"The API server listens on port {8000 + number}.", category="projects")
    answer = Door(brain, "clawbrain")("memory_store", type="entity", category="projects", name="new", content=NEW_PORT)
    assert len(answer["contradictions"]) == 5 and "warnings" not in answer


@pytest.mark.parametrize(
    ("words", "more"), [(("store", "entity", "new", "--category", "projects"), 3), (("update", "projects/port-0"), 2)]
)
def test_the_command_line_names_five_contradictions_too(
    ports: Brain, run: Callable[..., Any], words: tuple[str, ...], more: int
) -> None:
    answer = json.loads(run("--json", *words, NEW_PORT).stdout)
    assert len(answer["contradictions"]) == 5
    assert any(f"and {more} more contradictions" in warning for warning in answer["warnings"])
    said = run("store", "entity", "newer", "--category", "projects", "The API server listens on port 9001.")
    assert said.output.count("contradicts entity-") == 5 and "more contradictions" in said.output


def test_an_edit_names_five_contradictions_too(
    ports: Brain, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\necho '{NEW_PORT}' > \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    answer = json.loads(run("--json", "edit", "projects/port-0").stdout)
    assert len(answer["contradictions"]) == 5
    assert any("and 2 more contradictions" in warning for warning in answer["warnings"])
