"""A question as the search reads it: its words, names and days, and how the whole of it stands in a memory."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.search.days import days_named
from clawbrain.search.question import MOST_TERMS, begins_a_word, literal, read_question
from clawbrain.words import plain

TODAY = date(2026, 3, 11)  # a Wednesday


def terms(text: str) -> list[str]:
    return list(read_question(text, TODAY).terms)


# Words


def test_a_question_of_any_length_has_few_words() -> None:
    assert len(terms("word" + " another%d" * 20_000 % tuple(range(20_000)))) <= MOST_TERMS


def test_a_word_asked_twice_counts_twice() -> None:
    assert read_question("the port of the port forwarder", TODAY).terms == {"port": 2, "forward": 1}


def test_stop_words_are_asked_only_where_nothing_else_is() -> None:
    assert terms("who is it that is there") != []
    assert terms("where is the cache") == ["cach"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Wo liegt die Konfiguration?", ["liegt", "konfigur"]),
        ("where do the processes die?", ["process", "die"]),
        ("dónde está la configuración", ["configuracion"]),
        ("où sont les sauvegardes de la base", ["sauvegard", "base"]),
        ("where is the car", ["car"]),
        ("car battery", ["car", "batteri"]),
        ("czy jest kopia w chmurze", ["kopia", "chmurz"]),
        ("где лежит ключ", ["лежит", "ключ"]),
    ],
)
def test_stop_words_are_those_of_the_language_the_question_is_in(text: str, asked: list[str]) -> None:
    assert terms(text) == asked


def test_names_identifiers_and_numbers_are_what_a_question_names() -> None:
    question = read_question("Where does Alice keep E-4012 and the port 6379?", TODAY)
    assert question.names == {"alic", "e"}
    assert {"alic", "e4012", "4012", "6379"} <= question.named
    assert "port" not in question.named


@pytest.mark.parametrize("text", ["when was the cache switched", "what day is the release", "how long does it take"])
def test_a_question_may_ask_for_a_time(text: str) -> None:
    assert read_question(text, TODAY).asks_when


@pytest.mark.parametrize("text", ["what happens when a disk is full", "why does it fail"])
def test_other_questions_ask_for_no_time(text: str) -> None:
    assert not read_question(text, TODAY).asks_when


def test_beside_a_date_no_stop_word_is_asked() -> None:
    assert terms("what did we do on 2026-05-08") == ["8", "mai", "2026"]
    assert terms("Who is May?") != []


# Days


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what did we do today", "2026-03-11", "2026-03-11"),
        ("what did we decide yesterday", "2026-03-10", "2026-03-10"),
        ("the fix of 3 days ago", "2026-03-08", "2026-03-08"),
        ("2 weeks ago", "2026-02-23", "2026-02-27"),
        ("notes of this week", "2026-03-09", "2026-03-15"),
        ("what changed last week?", "2026-03-02", "2026-03-08"),
        ("last month", "2026-02-01", "2026-02-28"),
        ("last year", "2025-01-01", "2025-12-31"),
        ("in the last 3 days", "2026-03-08", "2026-03-11"),
        ("said on Monday", "2026-03-09", "2026-03-09"),
        ("said on Wednesday", "2026-03-04", "2026-03-04"),
        ("on 2026-01-05", "2026-01-05", "2026-01-05"),
        ("2025-02", "2025-02-01", "2025-02-28"),
        ("the 3rd of August, 2025", "2025-08-03", "2025-08-03"),
        ("Jan 13th", "2026-01-13", "2026-01-13"),
        ("13 Dec", "2025-12-13", "2025-12-13"),
        ("what happened in May", "2025-05-01", "2025-05-31"),
        ("May 2024", "2024-05-01", "2024-05-31"),
        ("what changed since Monday", "2026-03-09", "2026-03-11"),
        ("since May", "2025-05-01", "2026-03-11"),
        ("since 2026-01-05", "2026-01-05", "2026-03-11"),
        ("a week ago", "2026-03-02", "2026-03-06"),
        ("two days ago", "2026-03-09", "2026-03-09"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("at 2026-05-08T10:00", "2026-05-08", "2026-05-08"),
        ("was haben wir gestern entschieden", "2026-03-10", "2026-03-10"),
        ("昨天我们做了什么", "2026-03-10", "2026-03-10"),
        ("what did we do the day before yesterday", "2026-03-09", "2026-03-09"),
        ("was war vorgestern", "2026-03-09", "2026-03-09"),
        ("LAST  WEEK's notes", "2026-03-02", "2026-03-08"),
        ("was haben wir letzte Woche gebaut", "2026-03-02", "2026-03-08"),
        ("décidé la semaine dernière", "2026-03-02", "2026-03-08"),
        ("notas del mes pasado", "2026-02-01", "2026-02-28"),
        ("на прошлой неделе", "2026-03-02", "2026-03-08"),
        ("先週のメモ", "2026-03-02", "2026-03-08"),
    ],
)
def test_the_days_a_question_names(text: str, first: str, last: str) -> None:
    assert days_named(text, TODAY) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize(
    "text",
    [
        "may I deploy",
        "march on",
        "the last release",
        "30 Feb 2026",
        "E-2026-05-07-x",
        "the layer",
        "ahoy",
        "the mes passadores",
        "week numbers",
        "2026-13-01",
    ],
)
def test_other_questions_name_no_day(text: str) -> None:
    assert days_named(text, TODAY) is None


@given(st.text(), st.dates())
def test_no_text_is_an_error(text: str, today: date) -> None:
    days = days_named(f"{text} last month, 3 weeks ago", today)
    assert days is None or days[0] <= days[1]


# Literal matches


@pytest.mark.parametrize(
    ("query", "level"),
    [
        ("auth module", 1.0),
        ("AUTH_MODULE", 1.0),
        ("auth-mod", 1.0),
        ("rate limit", 0.8),
        ("uses redis", 0.5),
        ("module auth", 0.0),
        ("odule", 0.0),
        ("limiting uses", 0.0),
    ],
)
def test_a_literal_match_is_worth_what_it_stands_in(query: str, level: float) -> None:
    assert literal(plain(query), "auth-module", ["rate-limiting"], "It uses Redis.") == level


def test_a_path_is_that_path() -> None:
    assert literal(plain("a/b-c"), "x", [], "see a/b-c") == 0.5
    assert literal(plain("a/b-c"), "x", [], "see a-b/c") == 0.0


def test_a_literal_match_begins_at_the_start_of_a_word() -> None:
    assert begins_a_word("auth", "the (auth) part")
    assert begins_a_word("auth", "oauth auth")
    assert not begins_a_word("auth", "oauth")
    assert begins_a_word("or the", "waited for the lock " * 300 + "or the cache")


def test_a_literal_match_is_looked_for_in_time() -> None:
    begun = time.process_time()
    assert not begins_a_word("a " + "xa " * 10_000, "xa " * 100_000)
    assert time.process_time() - begun < 10
