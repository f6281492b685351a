"""What a search answers first, in real homes: what was asked for, and of two versions the later one."""

import itertools
import json
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from conftest import Clock

from clawbrain import words
from clawbrain.agents import prompt_hook
from clawbrain.brain import Brain
from clawbrain.profiles.mama import tools as mama
from clawbrain.profiles.penfield import tools as penfield
from clawbrain.search.question import read_question

Write = Callable[..., Path]


def ids(brain: Brain, query: str, limit: int = 5) -> list[str]:
    return [hit.id.rpartition("/")[2] for hit in brain.search(query, limit=limit).hits]


def first(brain: Brain, query: str) -> str:
    return next(iter(ids(brain, query)), "")


def by_words(brain: Brain, query: str) -> list[str]:
    """Return what is found by words, also where the extra finds more by meaning."""
    return [hit.id for hit in brain.search(query).hits if "words" in hit.parts]


@pytest.fixture
def among_others(brain: Brain, write: Write) -> Brain:
    for number in range(20):
        text = f"Filler about topic {number}: the kitchen, the garden, the street."
        write(f"entities/filler/f{number}.md", page(text, [f"t{number}"], created="2026-01-01"))
    brain.search("kitchen")
    brain.settle()
    return brain


def page(text: str, tags: list[str], **dates: str) -> str:
    return (
        "---\n"
        + "".join(f"{key}: {json.dumps(value)}\n" for key, value in ({"tags": tags} | dates).items())
        + f"---\n\n{text}\n"
    )


# Sisters and versions

SISTERS = [
    ("alice", "Alice prefers tabs, works on the payments team and lives in Berlin.",
     "bob", "Bob prefers spaces, works on the payments team and lives in Paris.", "where does Alice live?"),
    ("staging-db", "The staging database runs on host db-stg-1 and is reset every night.",
     "production-db", "The production database runs on host db-prd-1 and is backed up every hour.",
     "which host does the staging database run on?"),
    ("e-4012", "E-4012 means the session token has expired; log in again.",
     "e-4013", "E-4013 means the session token was revoked; ask support.", "what does error E-4012 mean?"),
    ("release-1-4", "Release 1.4 drops the old importer and adds tags.",
     "release-1-5", "Release 1.5 drops the XML export and adds search.", "what did release 1.4 drop?"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "sister", "other", "question"), SISTERS)
def test_a_sister_stored_later_does_not_go_before_the_one_that_is_named(
    among_others: Brain, name: str, text: str, sister: str, other: str, question: str
) -> None:
    among_others.store("entity", name, text, category="n", tags=["both", "alike"])
    among_others.store("entity", sister, other, category="n", tags=["both", "alike"])
    assert first(among_others, question) == f"entity-n-{name}"


@pytest.mark.parametrize("question", ["where does Alice live now?", "does Alice prefer spaces?", "Alice team"])
def test_whoever_is_called_by_a_tag_comes_before_all_sisters_stored_later(among_others: Brain, question: str) -> None:
    for name, place in ("alice", "Berlin"), ("bob", "Paris"), ("carol", "Rome"), ("dave", "Oslo"), ("erin", "Bonn"):
        text = f"{name.title()} works on the payments team, lives in {place} and prefers spaces."
        among_others.store("entity", name, text, category="n", tags=[name, "team"])
    assert first(among_others, question) == "entity-n-alice"


@pytest.mark.parametrize("question", ["Redis port", "Redis port in which environment?"])
def test_a_name_that_the_question_begins_with_is_named(among_others: Brain, question: str) -> None:
    for name, port in ("Redis", 6379), ("Postgres", 5432):
        text = f"{name} listens on port {port} in the staging environment."
        among_others.store("entity", f"k-{port}", text, category="n", tags=["ports", "environment"])
    assert first(among_others, question) == "entity-n-k-6379"


def test_a_date_asked_for_is_not_passed_by_a_later_one(among_others: Brain, write: Write) -> None:
    write("entities/d/a.md", page("Java runs our services, in version 17.", ["java", "runtime"], created="2025-06-03"))
    write("entities/d/b.md", page("Java runs our services, in version 21.", ["java", "runtime"], created="2026-02-03"))
    assert first(among_others, "what did we decide in June 2025") == "entity-d-a"
    assert first(among_others, "which java runs our services") == "entity-d-b"


def test_a_later_one_that_tells_of_the_change_goes_first_though_only_the_earlier_is_named(among_others: Brain) -> None:
    former, later = "We use the MySQL database in production.", "MySQL was replaced by Postgres in production."
    among_others.store("entity", "database", former, category="n", tags=["storage", "decision"])
    among_others.store("entity", "postgres", later, category="n", tags=["storage", "decision"])
    assert first(among_others, "which database do we use in production?") == "entity-n-postgres"


LINT = ["python", "lint"]
FLAKE = "# Linter\n\nflake8 and black check Python code."
RUFF = "# Linter\n\nruff checks and formats Python code, instead of flake8 and black."


def test_of_two_files_the_later_by_its_date_is_the_newer_version(among_others: Brain, write: Write) -> None:
    """Also before the ledger knows them, and whichever was brought first."""
    write("entities/d/a-ruff.md", page(RUFF, LINT, created="2026-04-05"))
    write("entities/d/b-flake.md", page(FLAKE, LINT, created="2025-01-05"))
    assert first(among_others, "linter") == "entity-d-a-ruff"
    among_others.settle()
    assert first(among_others, "linter") == "entity-d-a-ruff"


def test_an_older_version_that_arrives_later_stays_the_older(among_others: Brain, write: Write) -> None:
    write("entities/d/ruff.md", page(RUFF, LINT, created="2026-04-05"))
    among_others.search("linter")
    among_others.settle()
    write("entities/d/flake.md", page(FLAKE, LINT, created="2025-01-05"))
    assert first(among_others, "linter") == "entity-d-ruff"
    among_others.settle()
    assert first(among_others, "linter") == "entity-d-ruff"


def test_of_one_date_what_the_ledger_has_not_met_is_the_newer(among_others: Brain, home: Path, write: Write) -> None:
    for number in range(40):
        among_others.store("episode", f"e{number}", f"Something else, number {number}.")
        among_others.archive(f"episode-2026-02-e{number}")
    write("entities/d/flake.md", page(FLAKE, LINT, created="2026-01-05"))
    among_others.search("linter")
    among_others.settle()
    (home / ".clawbrain/index.db").unlink()
    among_others.search("linter")
    write("entities/d/ruff.md", page(RUFF, LINT, created="2026-01-05"))
    assert first(among_others, "linter") == "entity-d-ruff"


def test_what_holds_all_words_of_the_question_comes_before_any_newer_version(among_others: Brain) -> None:
    filed = {"category": "home", "tags": ["mqtt", "dashboard", "house"]}
    among_others.store("entity", "panel", "The mqtt dashboard listens on port 8765.", **filed)
    among_others.store("entity", "panel-new", "Now the mqtt dashboard is served by the router.", **filed)
    assert first(among_others, "mqtt dashboard port") == "entity-home-panel"


# Words that are not what they look like


def test_a_german_question_is_not_answered_by_die(among_others: Brain) -> None:
    among_others.store("entity", "crash", "The workers die when the disk is full.", category="n")
    among_others.store("entity", "config", "Die Konfiguration liegt in /etc/app.", category="n")
    assert by_words(among_others, "Wo liegt die Konfiguration der Anwendung?") == ["entity-n-config"]
    assert ids(among_others, "why do the workers die")[0] == "entity-n-crash"


def test_a_refund_is_no_return_value(among_others: Brain) -> None:
    among_others.store("entity", "api", "The function has a return value of type int.", category="n")
    assert by_words(among_others, "how does a customer get a refund?") == []


def test_nothing_is_answered_that_does_not_match(among_others: Brain) -> None:
    for question in ("quantum entanglement", "zebra", "who is it that", "?!"):
        assert by_words(among_others, question) == []


def test_no_search_counts_fewer_than_it_shows(brain: Brain) -> None:
    for number, text in enumerate(
        ["Press undo to take it back.", "A rollback brings the old version.", "Nobody knows."]
    ):
        brain.store("entity", f"n{number}", text, category="n")
    for query in ("undo", "undo it", "rollback", "the old version", "nobody"):
        ranked = brain.search(query)
        assert ranked.total >= len(ranked.hits) > 0


def test_a_day_asked_for_among_some_finds_them_behind_many_others(brain: Brain, write: Write) -> None:
    for number in range(150):
        write(
            f"entities/n/n{number:03}.md",
            page(f"Note {number}.", ["early"] if number < 5 else [], created="2026-02-19"),
        )
    assert brain.search("what was made on 2026-02-19", tags=["Early"]).total == 5


# Identifiers


def test_among_equals_the_one_with_the_very_word_is_first_however_credit_drifted(brain: Brain, clock: Clock) -> None:
    brain.store("episode", "rounding", "Vouchers were rounded per line, see SHOP-12. Fixed by summing first.")
    for number in range(6):
        clock.forward(seconds=2)
        brain.store("episode", f"fix-{number}", f"The page {number} was broken, see SHOP-12{number}. Fixed on Monday.")
    assert first(brain, "SHOP-12") == "episode-2026-02-rounding"


def test_what_holds_the_whole_query_goes_before_what_shares_its_words(brain: Brain, write: Write) -> None:
    write("entities/n/parser.md", "We write the parser in C++ because the library is there, and everybody knows it.")
    write("entities/n/tool.md", "The tool is in C#.")
    assert [first(brain, "C++"), first(brain, "C#")] == ["entity-n-parser", "entity-n-tool"]


def test_in_a_large_store_signs_are_still_compared(brain: Brain, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    from clawbrain.storage import candidates

    monkeypatch.setattr(candidates, "LITERAL_READ", 5)
    for number in range(10):
        write(f"entities/n/n{number}.md", f"cache client commit {number}")
    write("entities/n/parser.md", "We write the parser in C++.")
    write("entities/cars/cadillac.md", "A car.")
    assert ids(brain, "C++") == ["entity-n-parser"]


@pytest.mark.parametrize(
    ("query", "named", "text"),
    [
        ("数据库", "数据库指南", "我们的数据库连接超时了。"),
        ("auth/log", "auth/logic", "It goes through auth/login."),
        ("node.js conf", "node.js config", "The node.js configuration."),
    ],
)
def test_in_a_large_store_a_name_that_holds_the_query_is_first(
    brain: Brain, write: Write, monkeypatch: pytest.MonkeyPatch, query: str, named: str, text: str
) -> None:
    from clawbrain.storage import candidates

    monkeypatch.setattr(candidates, "LITERAL_READ", 5)
    write("entities/n/named.md", page("Nothing else.", [named]))
    for number in range(10):
        write(f"entities/n/n{number}.md", f"Number {number}. {text}")
    hits = brain.search(query).hits
    assert (hits[0].id, hits[0].relevance, hits[1].relevance) == ("entity-n-named", 0.8, 0.5)


@pytest.mark.parametrize("part", ["encoder", "bucket", "string", "client"])
def test_a_name_with_a_number_before_its_hump_is_found_by_its_parts(brain: Brain, write: Write, part: str) -> None:
    write("entities/n/names.md", "The upload goes through S3Bucket, Base64Encoder, Utf8String and Http2Client.")
    assert first(brain, part) == "entity-n-names"


def test_a_known_word_keeps_its_weight_beside_a_misspelt_one_that_means_it(brain: Brain, write: Write) -> None:
    write("entities/n/a.md", "The gateway terminates tls for the tenants.")
    write("entities/n/b.md", "The ledger is kept for the tenants and the region.")
    for number in range(30):
        write(f"entities/n/f{number}.md", f"Number {number} of the tenants.")
    assert first(brain, "gateway ledger") == first(brain, "gateway gatewaz ledger") == "entity-n-a"


def test_a_capital_letter_does_not_take_a_word_out_of_the_texts(among_others: Brain) -> None:
    for name, port, tag in (("Redis", 6390, "ports"), ("Postgres", 5433, "ports"), ("RabbitMQ", 5673, "ports")):
        text = f"{name} listens on port {port} in every environment."
        among_others.store("entity", f"n{port}", text, category="n", tags=[tag])
    among_others.store("entity", "cache", "The cache drops the oldest entries first.", category="n", tags=["redis"])
    among_others.store("entity", "cost", "Redis costs less than it did.", category="n", tags=["money"])
    assert first(among_others, "Which port does Redis listen on?") == "entity-n-n6390"


def test_who_wont_has_won_nothing(among_others: Brain) -> None:
    among_others.store("episode", "award", "Our team won the hackathon award in Berlin.")
    among_others.store("episode", "runner", "Deploys hang when the runner has no disk left.")
    for question in ("why won't the deploy finish?", "Why won’t the deploy finish?"):
        assert first(among_others, question) == "episode-2026-02-runner"
    assert words.terms("Don't, CAN'T and isn’t") == ["and"]
    assert words.content_terms("won't-fix") == words.terms("won't-fix") == ["fix"]


def test_an_apostrophe_may_be_written_either_way(among_others: Brain) -> None:
    among_others.store("entity", "sign", "Who can't sign in asks Mara.", category="n")
    assert first(among_others, "can’t sign") == first(among_others, "can’t") == "entity-n-sign"


# Questions that are not quite what is written


def test_of_a_very_long_question_the_end_counts_too(among_others: Brain) -> None:
    among_others.store("entity", "reset", "ECONNRESET: idle sockets die at midnight.", category="n")
    for number in (7, 15, 60):
        frames = "\n".join(
            f'File "/srv/app/handler_{n}.py", line {n}, in call_{n}.run_{n}' for n in range(100, 100 + number)
        )
        asked = f"Traceback (most recent call last):\n{frames}\nOSError: [Errno 104] ECONNRESET"
        assert "econnreset" in read_question(asked, date(2026, 2, 20)).terms and "entity-n-reset" in ids(
            among_others, asked
        )


def test_a_commit_is_found_by_the_beginning_of_its_hash(among_others: Brain) -> None:
    text = "The regression came with 9fceb02d0ae598e95dc970b74767f19372d61af8."
    among_others.store("entity", "culprit", text, category="n")
    for number in range(6):
        among_others.store("entity", f"rule-{number}", f"Rule {number}: each commit says why.", category="n")
    assert first(among_others, "what broke in commit 9fceb02?") == "entity-n-culprit"


@pytest.mark.parametrize("asked", ["certificte", "trnslation", "cstomer", "wrning"])
def test_one_of_many_things_is_found_though_misspelt(among_others: Brain, asked: str) -> None:
    text = "The certificates and translations are kept in a green box; customers get warnings."
    among_others.store("entity", "box", text, category="n")
    assert first(among_others, asked) == "entity-n-box"


# Dates


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("May 2025", "voucher"), ("what happened in May 2025", "voucher"), ("7 may", "voucher"), ("in May", "voucher"),
        ("2025-05", "voucher"), ("what was decided on 2025-06-01?", "pool"), ("1st of June 2025", "pool"),
        ("Jan 13th", "reset"), ("13 Jan", "reset"), ("Jan. 13, 2026", "reset"),
    ],
)  # fmt: skip
def test_a_date_finds_what_was_made_then_however_it_is_written(
    brain: Brain, write: Write, asked: str, answer: str
) -> None:
    dated = {"voucher": "2025-05-07", "pool": "2025-06-01", "reset": "2026-01-13"}
    for name, day in dated.items():
        write(f"entities/n/{name}.md", page(f"The {name} was looked into.", [], created=day))
    for number in range(1, 9):
        write(
            f"entities/n/n{number}.md",
            page(f"Thing {number} happened, TLS 1.3 too.", [], created=f"2026-06-{number:02}"),
        )
    assert first(brain, asked) == f"entity-n-{answer}"


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("You may march on; ask Jan and Mar", []),
        ("May I?", []),
        ("in March", ["march"]),
        ("the 3rd of August, 2025", ["3", "august", "2025"]),
        ("Sept 5", ["septemb", "5"]),
        ("E-2026-05-07-x 12026-05", []),
    ],
)
def test_the_dates_a_question_names(text: str, terms: list[str]) -> None:
    assert words.dates_named(text)[0] == terms


@pytest.mark.parametrize("written", ["May 21st, 2026", "21 May 2026", "2026-05-21", "at 2026-05-21T10:00:00Z"])
@pytest.mark.parametrize("asked", ["May 21, 2026", "the 21st of May 2026", "2026-05-21", "what was on 21 May 2026?"])
def test_a_date_in_a_text_is_found_however_it_is_written(
    among_others: Brain, write: Write, written: str, asked: str
) -> None:
    write("entities/n/training.md", page(f"The training took place {written}.", [], created="2026-04-02"))
    for day in range(1, 10):
        write(f"entities/n/other-{day}.md", page(f"Thing {day} happened.", [], created=f"2026-05-{day:02}"))
    assert first(among_others, asked) == "entity-n-training"


@pytest.mark.parametrize(("written", "asked"), [("Nov 3rd", "3 November"), ("September 14", "Sep 14")])
def test_a_month_may_be_cut_short(among_others: Brain, written: str, asked: str) -> None:
    among_others.store("entity", "audit", f"The audit is planned for {written}.", category="n")
    assert first(among_others, asked) == "entity-n-audit"


def test_a_verb_tells_no_date() -> None:
    told = [
        words.ways_of_saying_when(words.terms(text))
        for text in ("You may deploy", "on 5 May", "May 2077", "it was yesterday")
    ]
    assert told == [0, 1, 1, 1]


# Some of the memories only


def test_a_search_among_some_memories_finds_those_that_many_others_pass(brain: Brain, write: Write) -> None:
    for number in range(150):
        write(f"entities/n/n{number}.md", f"postgres connection pool settings number {number}, postgres pool")
    long = "After a long discussion of what the storage should be we settled on postgres and its pool. " + "More. " * 60
    write("episodes/2026-01/dec.md", f'---\nkind: "decision"\ntags: ["billing"]\ncreated: "2025-01-05"\n---\n\n{long}')
    assert mama.Profile(brain).search("postgres pool", "decision")["count"] == 1
    for asked in ({"tags": ["billing"]}, {"end_date": "2025-12-31"}):
        assert penfield.Profile(brain).recall("postgres pool", **asked)["found"] == 1


def test_words_that_stand_everywhere_bring_nothing_into_a_prompt(brain: Brain, write: Write) -> None:
    for one, other in itertools.product(["alpha", "beta", "gamma", "delta"], ["rows", "tables", "keys", "logs"]):
        write(
            f"entities/n/{one}-{other}.md", f"The {one} holds the {other} and the response of the database is logged."
        )
    brain.search("x")
    prompt = prompt_hook.read(brain, "database response times are bad today")
    assert prompt and prompt_hook.best(brain, prompt)[0] == []


# Snippets


@pytest.mark.parametrize(
    ("asked", "said"),
    [("postgrse", "postgres"), ("doctor", "physician"), ("E4012", "E-4012"), ("authmodule", "auth_module")],
)
def test_a_snippet_shows_what_the_match_was_found_by(brain: Brain, write: Write, asked: str, said: str) -> None:
    filler = "The kitchen was painted and the garden was cut. " * 20
    write("entities/n/long.md", f"{filler}Then {said} came up in the meeting. {filler}")
    (hit,) = brain.search(asked).hits
    assert said in hit.snippet


def test_a_snippet_shows_the_words_asked_for_before_those_that_mean_the_same(brain: Brain, write: Write) -> None:
    filler = "The kitchen was painted and the garden was cut. " * 20
    others = "Among the faults and failures, crash and exception, issues and problems, nothing else was new. "
    write("entities/n/long.md", f"{filler}{others}{filler}The error was fixed by restarting the worker. {filler}")
    (hit,) = brain.search("how was the error fixed?").hits
    assert "The error was fixed" in hit.snippet


def test_one_dash_does_not_make_a_search_much_slower(brain: Brain, write: Write) -> None:
    took = {}
    for dash in ("-", "—"):
        for number in range(30):
            write(f"entities/n/n{number}.md", f"notes {dash} on the release plan " + "many other words here " * 900)
        brain.search("release plan")
        begun = time.process_time()
        for _ in range(3):
            brain.search("release plan")
        took[dash] = time.process_time() - begun
    assert took["—"] < 4 * took["-"]
