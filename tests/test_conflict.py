"""Contradictions and near-duplicates: what is raised, and above all what is not."""

import random
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from clawbrain.contradictions import (
    against,
    claim_hash,
    claims,
    contradictions,
    contradicts,
    near_duplicate,
    similarity,
    without,
)

CONTRADICTIONS = """
The metrics endpoint is on port 9100 | The metrics endpoint is on port 9200
The nightly job starts at 1am | The nightly job starts at 01:30
The beta ships on April 2 | The beta ships on April 20
Sessions live for 20 minutes | Sessions live for 2 hours
The minimum Node version is 18 | The minimum Node version is 20
The socket is at /run/app.sock | The socket is at /tmp/app.sock
Ines lives in Bilbao | Ines lives in Porto
The message broker is Kafka | The message broker is RabbitMQ
The exporter is written in Kotlin | The exporter is written in Haskell
Paula is the release captain | Mateo is the release captain
Always pin dependency versions | Never pin dependency versions
Do not use wildcard imports | Use wildcard imports
The mirror is no longer updated | The mirror is updated
Direct database access is allowed | Direct database access is prohibited
A changelog entry is mandatory | A changelog entry is optional
Compression is enabled for uploads | Compression is disabled for uploads
Snapshots are turned off | Snapshots are turned on
The bucket is private | The bucket is public
Events are handled synchronously | Events are handled asynchronously
Seed the database before the smoke tests | Seed the database after the smoke tests
Ravi likes pair programming | Ravi dislikes pair programming
Prefers composition over inheritance | Prefers inheritance over composition
The team switched from Trello to Asana | Tasks are kept in Trello
Replaced Moment with Luxon | Dates are formatted with Moment
Use httpx instead of requests | Use requests for calls to the API
The site moved to Netlify | The site runs on Heroku
The team now uses Zulip | The team uses Discord
Reports are sent weekly | Reports are sent monthly
The crane is out of service | The crane is in service
The old silo was demolished | The old silo is still used
The team dropped Perl | Reports are written in Perl
Instead of SOAP the gateway speaks JSON | The gateway speaks SOAP
The default shell layout is tabbed | The default shell layout is tiled
Timestamps use ISO 8601 | Timestamps use Unix seconds
The server overrides the client | The client overrides the server
The steps are build, then deploy | The steps are deploy, then build
Two signatures are needed to publish | One signature is needed to publish
Only owners can delete boards | Anyone can delete boards
A badge is mandatory in every building | A badge is optional
Ana drives to the office | Ana cycles to the office
The proxy strips cookies | The proxy keeps cookies
Soft limits are used for uploads | Hard limits are used for uploads
The fair was moved to May | The fair is in April
"""
NO_CONTRADICTIONS = """
The metrics endpoint is on port 9100 | The metrics endpoint is on port 9100 and needs no token
The metrics endpoint is on port 9100 | The admin console is on port 9200
Sessions live for 60 minutes | Sessions live for 1 hour
The nightly job starts at 1am | The nightly job starts at 01:00
The beta ships on April 2, 2026 | The beta ships on 2026-04-02
Ravi speaks Tamil | Ravi speaks Swedish
Paula owns the importer | Paula owns the exporter
Fixed the memory leak in the parser | Fixed the memory leak in the lexer
Issue 512 is about fonts | Issue 513 is about colours
Compression is enabled for uploads | Compression is disabled for thumbnails
A changelog entry is mandatory for features | A changelog entry is optional for typos
Snapshots are turned on | Snapshots are enabled
Never pin dependency versions | Pinning dependency versions is forbidden
The bucket is not private | The bucket is public
Do not use wildcard imports | Do not use global variables
The exporter is written in Kotlin | The exporter is written in Kotlin and tested on Android
The build is slow | The build is flaky
Prefers composition over inheritance | Prefers short functions
The team switched from Trello to Asana | The team uses Asana
The broker handles orders | The broker handles invoices as well
Requests are logged | Requests are not logged in tests
Ines lives in Bilbao | Ines maintains the style guide
Invoices are due within 14 days | Invoices are due within two weeks
The linter rejects tabs | Tabs are not accepted by the linter
Tenants may keep dogs | Tenants may keep cats
The wiki has been shut down | The wiki had 400 pages
The plugin works with Chrome | The plugin works with Firefox
Server 3 must be restarted | Server 4 must be restarted
The fair was moved to May | The fair is in May
The ferry leaves from pier 4 | The ferry leaves from pier 7 in winter
Dumps are kept for 30 days | Dumps are kept for 90 days at the bank
The nightly job starts at 1am | The nightly job starts at 5am on Sundays
"""


def pairs(text: str) -> list[tuple[str, str]]:
    return [(a, b) for a, b in (line.split(" | ") for line in text.strip().splitlines())]


@pytest.mark.parametrize(("a", "b"), pairs(CONTRADICTIONS))
def test_a_contradiction_is_found_from_both_sides(a: str, b: str) -> None:
    assert contradicts(a, b) and contradicts(b, a)


@pytest.mark.parametrize(("a", "b"), pairs(NO_CONTRADICTIONS))
def test_another_scope_or_more_detail_is_no_contradiction(a: str, b: str) -> None:
    assert not contradicts(a, b) and not contradicts(b, a)


def test_the_same_claim_is_a_duplicate_of_itself() -> None:
    same = "The bucket is private", "the bucket is private."
    assert near_duplicate(*same) and not contradicts(*same)


def test_claims_about_other_things_are_unrelated() -> None:
    other = "The bucket is private", "Ravi speaks Tamil"
    assert not near_duplicate(*other) and not contradicts(*other)


def test_the_reason_names_both_values() -> None:
    why = contradicts("The socket is at /run/app.sock", "The socket is at /tmp/app.sock")
    assert "/run/app.sock" in why and "/tmp/app.sock" in why


def test_the_reason_quotes_the_words_as_they_were_written() -> None:
    a, b = "Invoices are due within 14 days.", "Invoices are due within 3 weeks."
    assert contradicts(a, b) == "“14 days” in one, “3 weeks” in the other"
    assert contradicts(b, a) == "“3 weeks” in one, “14 days” in the other"
    assert "“Trello” gave way to “Asana”" in contradicts("We switched from Trello to Asana", "Tasks are kept in Trello")


def test_claims_are_bullets_and_sentences_without_headings_code_and_tasks() -> None:
    text = """# Parser

The parser is fast. It keeps comments, e.g. those at the end.
A sentence that goes
on below.

- First bullet
  with a second line
- [ ] an open task
- Is this a question?
- [a link](https://example.org)

```
port = 80 is not a claim
```
| a table | is none |
"""
    assert claims(text) == [
        "The parser is fast.",
        "It keeps comments, e.g. those at the end.",
        "A sentence that goes on below.",
        "First bullet with a second line",
    ]


def test_texts_are_compared_claim_by_claim() -> None:
    old = "# Store\n\n- The bucket is private\n- Objects expire after 30 days\n"
    (found,) = contradictions("Some news.\n\n- Objects expire after 60 days\n", old)
    assert (found.a, found.b) == ("Objects expire after 60 days", "Objects expire after 30 days")
    assert found.a in found.description and found.b in found.description


def test_a_text_does_not_contradict_itself() -> None:
    text = "\n".join(f"- {a}\n" for a, _ in pairs(NO_CONTRADICTIONS))
    assert not [f for f in contradictions(text, text) if f.a == f.b]


def test_one_claim_is_held_against_many() -> None:
    assert len(against("The bucket is private", ["The bucket is public", "The lake is public"])) == 1


def test_a_value_changed_is_no_near_duplicate() -> None:
    assert similarity("Objects expire after 30 days", "Objects expire after 60 days") > 0.88
    assert not near_duplicate("Objects expire after 30 days", "Objects expire after 60 days")


def test_a_claim_that_is_said_many_times_is_compared_once() -> None:
    assert len(contradictions("Use pnpm, not npm. " * 9, "Use npm, not pnpm. " * 9)) == 1


def test_a_word_inside_a_long_text_is_no_near_duplicate_of_it() -> None:
    assert not near_duplicate("The broker", "The broker handles orders, invoices, refunds and the whole of shipping")


def mutated(text: str, rng: random.Random) -> str:
    words = text.split()
    long = max(range(len(words)), key=lambda i: len(words[i]) if words[i].isalpha() else 0)
    slip = [*words]
    slip[long] = slip[long][:2] + slip[long][3:]
    return rng.choice([text.upper(), f"Note: {text}", f"{text} (confirmed)", " ".join(slip), f"{text}!", f"  {text}"])


def test_nearly_all_mutated_copies_are_found_and_hardly_a_false_one() -> None:
    rng = random.Random(3)
    rows = pairs(CONTRADICTIONS) + pairs(NO_CONTRADICTIONS)
    texts = sorted({text for pair in rows for text in pair})
    assert sum(near_duplicate(t, mutated(t, rng)) for t in texts) >= 0.95 * len(texts)
    false = [pair for pair in pairs(CONTRADICTIONS) if near_duplicate(*pair)]
    assert not false


def test_a_claims_hash_ignores_markup_case_and_spacing() -> None:
    assert claim_hash("- The  **bucket** is private.") == claim_hash("the bucket is private")
    assert claim_hash("the bucket is private") != claim_hash("the bucket is public")


def test_without_removes_one_bullet_and_leaves_the_rest() -> None:
    text = "# Store\n\n- The bucket is private\n- Objects expire after 30 days\n"
    assert without(text, "The bucket is private") == "# Store\n\n- Objects expire after 30 days\n"


def test_without_removes_one_sentence_of_a_paragraph() -> None:
    assert without("The bucket is private. It is large.", "The bucket is private.") == "It is large."


def test_twenty_claims_against_fifty_texts_take_no_time_worth_speaking_of() -> None:
    texts = [text for pair in pairs(CONTRADICTIONS) for text in pair]
    new = "\n".join(f"- {text}" for text in texts[:20])
    began = time.process_time()
    for n in range(50):
        contradictions(new, f"{texts[n]} in room {n}")
    assert time.process_time() - began < 0.3


@given(st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=150)
def test_any_two_texts_can_be_compared(a: str, b: str) -> None:
    contradicts(a, b)
    assert 0 <= similarity(a, b) <= 1
    contradictions(a, b)
    near_duplicate(a, b)
    claims(a)


SOME = "the API is not on port 80 90 from to over never uses Redis in May 3 pm and now must"
WORDS = st.lists(
    st.sampled_from(SOME.split()),
    max_size=9,
).map(" ".join)


@given(WORDS, WORDS)
@example("API API from port", "API port API from")
@settings(max_examples=200)
def test_who_comes_first_does_not_decide_what_is_a_contradiction(a: str, b: str) -> None:
    assert bool(contradicts(a, b)) == bool(contradicts(b, a))
