"""Proposals: what a person states as lasting is noticed, waits for a decision, and never becomes a memory by itself."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from conftest import Clock
from prompt_sets import outcome_lines, prompt_sets

from clawbrain import profiles
from clawbrain.agents import hooks
from clawbrain.brain import Brain, open_brain
from clawbrain.brain.history import Message
from clawbrain.profiles.clawbrain.tools import Profile
from clawbrain.proposals import naming, notice
from clawbrain.proposals.proposal_rules import NEVER, RULES, WISH

FOLDER = Path(__file__).parent / "proposals"
PAGE = Path(__file__).parents[1] / "docs" / "proposals.md"


class Utterance(NamedTuple):
    """Something a developer typed; `kind` is '' where nothing in it is worth keeping, `clear` where a reader would."""

    language: str
    kind: str
    clear: bool
    text: str


def utterances(file: str) -> list[Utterance]:
    rows = (line.split("\t") for line in (FOLDER / f"{file}.tsv").read_text("utf-8").splitlines() if line[:1] != "#")
    return [
        Utterance(language, label.strip("-?"), label.isalpha(), text.replace("\\n", "\n"))
        for language, label, text in rows
    ]


# Which sentences are noticed


@pytest.mark.parametrize("file", ["tuning", "held_out", "later", "last"])
def test_nine_of_ten_proposals_are_worth_keeping_and_half_of_what_is_clear_is_found(file: str) -> None:
    said = utterances(file)
    noticed = [each for each in said if notice(each.text)]
    clear = [each for each in said if each.clear]
    assert len([each for each in noticed if each.kind]) >= 0.9 * len(noticed)
    assert len([each for each in clear if each in noticed]) >= 0.5 * len(clear)


@pytest.mark.parametrize("file", ["tuning", "held_out"])
def test_at_most_three_in_a_hundred_of_those_with_nothing_lasting_are_proposed(file: str) -> None:
    said = [each for each in utterances(file) if not each.kind]
    assert len([each for each in said if notice(each.text)]) <= 0.03 * len(said)


def test_prompts_of_everyday_work_give_hardly_any_proposal() -> None:
    prompts = [prompt.text for each in prompt_sets() for prompt in each.prompts]
    prompts += [line.text for line in outcome_lines()]
    assert len([prompt for prompt in prompts if notice(prompt)]) <= 0.01 * len(prompts)


@pytest.mark.parametrize("file", ["tuning", "held_out"])
def test_the_kind_of_a_claim_is_what_a_reader_would_say(file: str) -> None:
    found = [(notice(each.text), each.kind) for each in utterances(file) if each.kind]
    right = [claims[0].kind == kind for claims, kind in found if claims]
    assert sum(right) >= 0.95 * len(right)


def test_a_claim_is_the_clause_that_says_it() -> None:
    (claim,) = notice("ok looks good. btw, we never log email addresses. Now fix the test.")
    assert (claim.sentence, claim.kind, claim.wish) == ("We never log email addresses.", "preference", False)


def test_a_wish_to_keep_something_is_a_claim_of_its_own_sort() -> None:
    (claim,) = notice("Remember that Dana is our release manager.")
    assert (claim.sentence, claim.kind, claim.wish) == ("Dana is our release manager.", "person", True)


def test_a_wish_without_anything_to_keep_is_no_claim() -> None:
    assert notice("Remember this please.") == []


@pytest.mark.parametrize(
    "pasted",
    [
        "```\nWe always use pnpm here.\n```",
        "> We always use pnpm here.",
        "2026-01-03 12:00 We always use pnpm here.",
        '"We always use pnpm here."',
        "    We always use pnpm here.",
        "<file>\nWe always use pnpm here.\n</file>",
    ],
)
def test_what_is_pasted_is_not_the_person_speaking(pasted: str) -> None:
    assert notice(f"Look at this:\n{pasted}") == []
    assert notice("We always use pnpm here.")


def test_a_text_with_more_claims_than_anybody_types_was_pasted() -> None:
    assert notice("\n".join(f"- We never use tool{number} here." for number in range(12))) == []


@pytest.mark.parametrize(
    ("sentence", "kind", "name"),
    [
        ("Always use pnpm, never npm.", "preference", "pnpm-never-npm"),
        ("We decided to use Postgres instead of MongoDB.", "decision", "postgres-instead-mongodb"),
        ("Our contact at the bank is Mr Okafor.", "person", "okafor"),
        ("I am a data scientist, new to TypeScript.", "person", "me"),
        ("Never mock the database.", "preference", "never-mock-database"),
        ("From now on, always use pnpm, never npm.", "preference", "pnpm-never-npm"),
        ("Always use pnpm, never npm, from now on.", "preference", "pnpm-never-npm"),
        ("Ab jetzt immer pnpm, nie npm.", "preference", "pnpm-nie-npm"),
        ("Von jetzt an nehmen wir pnpm.", "preference", "nehmen-pnpm"),
        ("À partir de maintenant, toujours pnpm.", "preference", "pnpm"),
        ("De ahora en adelante usamos pnpm.", "preference", "pnpm"),
        ("D'ora in poi sempre pnpm.", "preference", "pnpm"),
        ("Please remember that the staging server is stage7.", "preference", "staging-server-stage7"),
        ("Never forget that the staging server is stage7.", "preference", "staging-server-stage7"),
        ("From now on Dana is our release manager.", "person", "dana"),
        ("The next time server is stage7.", "preference", "next-time-server-stage7"),
    ],
)
def test_a_name_says_what_a_claim_is_about(sentence: str, kind: str, name: str) -> None:
    assert naming.name_of(sentence, kind) == name


@pytest.mark.parametrize(
    ("sentence", "tags"),
    [
        ("From now on, always use pnpm, never npm.", ("pnpm", "npm")),
        ("Ab jetzt immer pnpm, nie npm.", ("pnpm", "npm")),
        ("Keep in mind that invoices are sent on Mondays.", ("invoices", "mondays", "sent")),
    ],
)
def test_tags_are_no_words_of_the_wish_to_keep_something(sentence: str, tags: tuple[str, ...]) -> None:
    assert naming.tags_of(sentence, "preference") == tags


def test_a_claim_without_a_letter_of_the_alphabet_has_a_name_too() -> None:
    assert naming.name_of("田中さんは決済の担当です。", "person").startswith("person-")


def test_the_page_prints_every_rule() -> None:
    page = " ".join(PAGE.read_text("utf-8").split())
    assert [rule.key for rule in (WISH, *RULES) if rule.sentence not in page] == []
    assert [sentence for sentence in NEVER if sentence not in page] == []


# From prompts


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "PATIENCE", 60.0)  # however slowly this runs
    for name in ("CLAWBRAIN_HOME", "CLAWBRAIN_SESSION_ID", "CLAUDE_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


def ask(home: Path, event: str, session: str = "s-1", **said: str) -> dict[str, Any]:
    told = {"session_id": session, "cwd": str(home.parent), **said}
    answer: dict[str, Any] = json.loads(hooks.run([event, "--client", "claude", "--home", str(home)], json.dumps(told)))
    return answer


def briefing(home: Path, session: str) -> str:
    return str(ask(home, "session-start", session).get("hookSpecificOutput", {}).get("additionalContext", ""))


def run(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), *words]
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def listed(home: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(run(home, "proposals", "--json").stdout)["proposals"]
    return rows


def sentences(home: Path) -> list[str]:
    with open_brain(home) as brain:
        return [each.sentence for each in brain.proposals.listed()]


PNPM, WISH_SAID = "We always use pnpm here, never npm.", "Remember that staging deploys need a ticket number."
WISHED = "Staging deploys need a ticket number."


def test_a_prompt_becomes_a_proposal_and_when_accepted_a_memory(home: Path) -> None:
    ask(home, "prompt", prompt=f"fix the import. {PNPM}")
    ask(home, "stop")
    (row,) = listed(home)
    assert [*row] == ["n", "sentence", "kind", "name", "tags", "said_at", "session", "like", "contradicts"]
    assert (row["n"], row["sentence"], row["kind"], row["session"]) == (1, PNPM, "preference", "s-1")
    accepted = json.loads(run(home, "proposals", "accept", "1", "--json").stdout)["accepted"]
    assert accepted[0]["id"] == "entity-preferences-pnpm-never-npm"
    assert listed(home) == []
    assert "entity-preferences-pnpm-never-npm" in run(home, "search", "pnpm").stdout


def test_nothing_becomes_a_memory_by_itself(home: Path) -> None:
    ask(home, "prompt", prompt=PNPM)
    ask(home, "session-end")
    with open_brain(home) as brain:
        assert brain.proposals.waiting() == 1 and brain.index.counts() == {}


def test_a_statement_in_a_prompt_that_names_no_subject_is_noticed_too(home: Path) -> None:
    ask(home, "prompt", prompt="we never use tabs")
    assert sentences(home) == ["we never use tabs"]


def test_keys_and_passwords_are_not_kept(home: Path) -> None:
    secret = "sk_live_" + "abcdef1234567890abcd"
    ask(home, "prompt", prompt=f"We always use the key {secret} here.")
    waiting = (home / ".clawbrain" / "noticed.json").read_text()
    assert "[redacted" in waiting and secret not in waiting
    ask(home, "stop")
    assert "[redacted" in sentences(home)[0] and secret not in sentences(home)[0]


def test_a_password_is_in_no_part_of_a_proposal(home: Path) -> None:
    ask(home, "prompt", prompt="always use the password hunter2-Xk9!pQz for staging")
    ask(home, "stop")
    (row,) = listed(home)
    assert row["sentence"] == "always use the password [redacted: password] for staging"
    assert (row["name"], row["tags"]) == ("password-staging", ["password", "staging"])


def test_what_a_memory_says_is_not_proposed(home: Path) -> None:
    with open_brain(home) as brain:
        brain.store("entity", "pnpm", "In this team we always use pnpm here, never npm.", category="preferences")
    ask(home, "prompt", prompt=PNPM)
    assert sentences(home) == []


def test_a_proposal_names_what_it_is_like_and_what_it_contradicts(home: Path) -> None:
    with open_brain(home) as brain:
        brain.store("entity", "database", "We decided to use Postgres.", category="decisions")
        brain.store("entity", "pnpm", "Use pnpm in the web shop.", category="preferences")
    ask(home, "prompt", prompt="We decided to use MySQL instead of Postgres. We always use pnpm, never yarn.")
    decided, pnpm = listed(home)
    assert decided["contradicts"] == ["entity-decisions-database"]
    assert pnpm["like"] == ["entity-preferences-pnpm"]


def test_the_same_words_the_other_way_round_contradict(home: Path) -> None:
    with open_brain(home) as brain:
        brain.store("entity", "npm", "We always use npm here, never pnpm.", category="preferences")
    ask(home, "prompt", prompt=PNPM)
    assert listed(home)[0]["contradicts"] == ["entity-preferences-npm"]


# Remember that


def test_a_wish_becomes_a_proposal_when_its_session_ends(home: Path) -> None:
    ask(home, "prompt", prompt=WISH_SAID)
    ask(home, "stop")
    assert sentences(home) == []
    ask(home, "session-end")
    assert sentences(home) == [WISHED]


def test_a_wish_becomes_a_proposal_when_another_session_begins(home: Path) -> None:
    ask(home, "prompt", prompt=WISH_SAID)
    ask(home, "session-start", "s-1")
    assert sentences(home) == []
    ask(home, "session-start", "s-2")
    assert sentences(home) == [WISHED]


def test_a_wish_becomes_a_proposal_after_an_hour(brain: Brain, clock: Clock) -> None:
    brain.noticing.hear(notice(WISH_SAID), "s-1", "")
    clock.forward(minutes=59)
    assert brain.proposals.listed() == []
    clock.forward(minutes=1)
    assert [each.sentence for each in brain.proposals.listed()] == [WISHED]


def server(home: Path, session: str) -> Brain:
    """A server that our own parent started, as an agent program starts one beside a hook."""
    brain = open_brain(home, session=session)
    brain.open_session()
    return brain


@pytest.mark.parametrize("update", [False, True])
def test_a_wish_that_the_agent_fulfilled_is_no_proposal(home: Path, update: bool) -> None:
    with server(home, "theirs") as brain:
        if update:
            brain.store("entity", "deploy", "Deploys go out on Tuesdays.", category="projects")
        ask(home, "prompt", prompt=WISH_SAID)
        if update:
            brain.update("entity-projects-deploy", "Deploys need a number.")
        else:
            brain.store("entity", "ticket", "The staging needs tickets.", category="preferences")
    ask(home, "session-end")
    assert sentences(home) == []


def test_a_server_that_starts_after_the_wish_can_fulfil_it_too(home: Path) -> None:
    ask(home, "prompt", prompt=WISH_SAID)
    with server(home, "theirs") as brain:
        ask(home, "stop")
        brain.store("entity", "ticket", "The staging needs tickets.", category="preferences")
    ask(home, "session-end")
    assert sentences(home) == []


def test_what_another_session_stores_does_not_fulfil_a_wish(home: Path) -> None:
    ask(home, "prompt", prompt=WISH_SAID)
    with open_brain(home, session="another") as brain:
        brain.store("entity", "lunch", "Lunch is at noon.", category="preferences")
    ask(home, "session-end")
    assert sentences(home) == [WISHED]


# Waiting and deciding


def heard(brain: Brain, *prompts: str) -> None:
    for prompt in prompts:
        brain.noticing.hear(notice(prompt), "s-1", "")


def test_a_proposal_is_accepted_with_the_category_and_the_tags_that_the_person_gives(
    home: Path, run: Callable[..., Any]
) -> None:
    with open_brain(home) as brain:
        heard(brain, PNPM)
        (waiting,) = brain.proposals.listed()
    for refused in (("--all", "--category", "tools"), ("--all", "--tag", "node")):
        assert run("proposals", "accept", *refused, "--home", home).exit_code == 2
    words = ("--category", "tools", "--tag", "node", "--tag", "packages", "--home", home)
    assert run("proposals", "accept", str(waiting.n), *words).exit_code == 0
    with open_brain(home) as brain:
        (memory,) = brain.memories()
    assert (memory.category, memory.tags) == ("tools", ("node", "packages"))


def test_what_was_dismissed_is_never_proposed_again(brain: Brain) -> None:
    heard(brain, PNPM)
    brain.proposals.dismiss(brain.proposals.listed()[0].n)
    heard(brain, "we always  use PNPM here, never npm!")
    assert brain.proposals.listed() == []


def test_a_dismissal_is_carried_by_a_dump(brain: Brain, home: Path) -> None:
    heard(brain, PNPM)
    brain.proposals.dismiss(brain.proposals.listed()[0].n)
    assert '"dismissed ' in run(home, "dump").stdout


def test_numbers_stay_until_they_are_decided_and_are_not_used_again(brain: Brain) -> None:
    heard(brain, PNPM, "We never use yarn here.", "We never use bower here.")
    assert [each.n for each in brain.proposals.listed()] == [1, 2, 3]
    brain.proposals.dismiss(3)
    brain.proposals.accept(1)
    heard(brain, "We never use grunt here.")
    assert [each.n for each in brain.proposals.listed()] == [2, 4]


def test_at_most_twenty_wait_and_the_weakest_goes(brain: Brain) -> None:
    heard(brain, "I prefer composition over inheritance.")
    heard(brain, *(f"Never use tool{number} in this project." for number in range(20)))
    waiting = brain.proposals.listed()
    assert len(waiting) == 20 and "composition" not in " ".join(each.sentence for each in waiting)


def test_a_proposal_that_nobody_accepts_goes_after_thirty_days(brain: Brain, clock: Clock) -> None:
    heard(brain, PNPM)
    brain.proposals.tidy()
    clock.forward(days=29)
    assert brain.proposals.listed()
    clock.forward(days=1)
    assert brain.proposals.listed() == []


def test_accepting_all_gives_each_a_name_of_its_own(home: Path) -> None:
    ask(home, "prompt", prompt="Dana is our release manager. Dana reviews all changes to the auth module.")
    done = json.loads(run(home, "proposals", "accept", "--all", "--json").stdout)["accepted"]
    assert [row["id"] for row in done] == ["entity-people-dana", "entity-people-dana-2"]


def test_a_name_is_taken_as_given(home: Path) -> None:
    ask(home, "prompt", prompt=PNPM)
    assert "entity-preferences-packages" in run(home, "proposals", "accept", "1", "--name", "packages").stdout


@pytest.mark.parametrize("words", [("accept", "7"), ("dismiss", "7")])
def test_a_number_that_does_not_wait_is_refused_in_one_sentence(home: Path, words: tuple[str, str]) -> None:
    done = run(home, "proposals", *words)
    assert done.returncode == 1
    assert re.fullmatch(
        "clawbrain: proposal 7 is not found; `.*clawbrain proposals` lists those that wait.\n", done.stderr
    )


def test_a_home_without_proposals_says_so(home: Path) -> None:
    assert run(home, "proposals").stdout == "No proposal waits.\n"


# The briefing


def test_the_briefing_has_one_line_of_what_waits(home: Path) -> None:
    assert briefing(home, "s-0") == ""
    ask(home, "prompt", prompt=f"{PNPM} We never use yarn here.")
    assert "- 2 proposals wait, from what the person said" in briefing(home, "s-2")  # of a home without a memory


# From transcripts


def transcript(folder: Path, *said: tuple[str, str]) -> Path:
    lines = [
        {"type": role, "sessionId": "t-1", "uuid": f"{number}", "timestamp": "2026-02-25T10:00:00Z",
         "message": {"role": role, "content": text}}
        for number, (role, text) in enumerate(said)
    ]  # fmt: skip
    path = folder / "t-1.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


def test_ingest_proposes_what_a_person_said_and_never_an_agents_words(home: Path, tmp_path: Path) -> None:
    said = transcript(tmp_path, ("user", PNPM), ("assistant", "We always use yarn here. Dana is our manager."))
    assert "1 proposal to decide" in run(home, "ingest", str(said)).stdout
    assert [(row["sentence"], row["session"], row["said_at"]) for row in listed(home)] == [
        (PNPM, "t-1", "2026-02-25T10:00:00Z")
    ]


def test_what_was_ingested_is_not_heard_again(home: Path, tmp_path: Path) -> None:
    said = transcript(tmp_path, ("user", PNPM))
    run(home, "ingest", str(said))
    run(home, "proposals", "accept", "1", "--name", "other")
    run(home, "archive", "entity-preferences-other")
    run(home, "ingest", str(said))
    assert listed(home) == []


@pytest.mark.parametrize(("minutes", "proposed"), [(30, []), (90, [WISHED])])
def test_a_wish_in_a_transcript_counts_unless_a_memory_was_stored_within_an_hour(
    brain: Brain, clock: Clock, minutes: int, proposed: list[str]
) -> None:
    said = Message("t-1", "user", WISH_SAID, "2026-02-25T10:00:00Z")
    clock.forward(minutes=minutes)
    brain.store("entity", "ticket", "The staging needs tickets.", category="preferences")
    brain.history.add([said], tell=brain.noticing.hear_messages)
    clock.forward(hours=1)
    assert [each.sentence for each in brain.proposals.listed()] == proposed


def test_the_stop_hook_takes_in_the_transcript_where_the_strategy_says_so(home: Path, tmp_path: Path) -> None:
    said = transcript(tmp_path, ("user", "Dana is our release manager."), ("assistant", "I see."))
    ask(home, "stop", "t-1", transcript_path=str(said))
    assert run(home, "messages").stdout.startswith("No messages")
    page = home / "STRATEGY.md"
    block = "```yaml settings\n"
    page.write_text(page.read_text().replace(block, f"{block}conversations: {{ingest: true}}\n"))
    ask(home, "stop", "t-1", transcript_path=str(said))
    assert "I see." in run(home, "messages", "see").stdout
    assert [row["kind"] for row in listed(home)] == ["person"]


# The tool


def test_the_extra_tool_finds_what_was_said(home: Path, tmp_path: Path, brain: Brain) -> None:
    run(home, "ingest", str(transcript(tmp_path, ("user", PNPM), ("assistant", "Fine."))))
    spec = profiles.load("clawbrain", extras=["conversations"])
    answer = profiles.call(Profile(brain), spec, "conversation_search", {"query": "pnpm"})
    assert isinstance(answer, dict)
    assert [(each["role"], each["content"]) for each in answer["messages"]] == [("user", PNPM)]


def test_without_the_extra_the_tools_are_those_of_before() -> None:
    assert "conversation_search" not in profiles.known(profiles.load("clawbrain"))
    (extra,) = profiles.read("clawbrain", profiles.SPEC)["extras"]["conversations"]
    assert extra["annotations"]["readOnlyHint"] is True
