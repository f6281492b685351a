"""Proposals: what a person states as lasting is noticed, waits for a decision, and never becomes a memory by itself."""

from pathlib import Path
from typing import NamedTuple

import pytest
from prompt_sets import outcome_lines, prompt_sets

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


@pytest.mark.parametrize("file", ["tuning", "held_out"])
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
    ],
)
def test_a_name_says_what_a_claim_is_about(sentence: str, kind: str, name: str) -> None:
    assert naming.name_of(sentence, kind) == name


def test_a_claim_without_a_letter_of_the_alphabet_has_a_name_too() -> None:
    assert naming.name_of("田中さんは決済の担当です。", "person").startswith("person-")


def test_the_page_prints_every_rule() -> None:
    page = " ".join(PAGE.read_text("utf-8").split())
    assert [rule.key for rule in (WISH, *RULES) if rule.sentence not in page] == []
    assert [sentence for sentence in NEVER if sentence not in page] == []
