"""Text becomes the words it is found by."""

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.storage.candidates import FAMILIES, families
from clawbrain.words import STOP_WORDS, beginnings, content_terms, date_words, plain, proper_names, stem, terms
from families import write


@pytest.mark.parametrize(
    ("word", "stemmed"),
    [
        ("connections", "connect"),
        ("connected", "connect"),
        ("connecting", "connect"),
        ("ponies", "poni"),
        ("caresses", "caress"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("failing", "fail"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("hopefulness", "hope"),
        ("adoption", "adopt"),
        ("probate", "probat"),
        ("controlling", "control"),
    ],
)
def test_words_of_one_family_share_a_stem(word: str, stemmed: str) -> None:
    assert stem(word) == stemmed


@pytest.mark.parametrize("word", ["ab", "e4012", "größe", "", "connections2"])
def test_what_is_short_or_no_plain_word_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


def test_stems_are_the_same_in_all_threads() -> None:
    asked = sorted(set((Path(__file__).parent.parent / "families/english.txt").read_text().split()))
    with ThreadPoolExecutor(4) as threads:
        answers = [threads.submit(lambda: [stem(word) for word in asked]) for _ in range(8)]
    alone = [stem(word) for word in asked]
    assert [answer.result() for answer in answers] == [alone] * 8


ENDS = "ed ing eed ies y e s ational ness ion ll bb at iz a e i o u b c t r"


@given(st.lists(st.sampled_from(ENDS.split()), min_size=1).map("".join))
def test_a_word_begins_as_its_stem_says(word: str) -> None:
    assert any(beginning in word for beginning in beginnings(stem(word)))


def test_so_do_words_that_change_in_the_middle() -> None:
    for asked, said in (("go", "went"), ("thinking", "thought"), ("buys", "bought"), ("child", "children")):
        assert any(said.startswith(beginning) for beginning in beginnings(stem(asked)))


@pytest.mark.parametrize("name", ["getUserById", "get_user_by_id", "GetUserByID", "get-user-by-id"])
def test_a_joined_name_is_found_by_its_parts_and_as_a_whole(name: str) -> None:
    assert {"get", "user", "getuserbyid"} <= set(terms(name))


def test_error_codes_and_paths_are_found_by_their_parts() -> None:
    assert {"err", "conn", "refus", "errconnrefused"} <= set(terms("ERR_CONN_REFUSED"))
    assert {"src", "auth", "login", "py"} <= set(terms("src/auth/login.py"))
    assert "e0425" in terms("error[E0425]")


def test_accents_are_no_obstacle() -> None:
    assert terms("Zürich café") == terms("zurich cafe")


def test_a_composed_and_a_decomposed_letter_are_the_same() -> None:
    assert terms("caf\u00e9") == terms("cafe\u0301")
    assert plain("caf\u00e9") == plain("cafe\u0301")


def test_scripts_without_spaces_become_overlapping_pairs() -> None:
    assert terms("東京都") == ["東京", "京都"]


def test_stop_words_go_unless_nothing_else_is_there() -> None:
    assert content_terms("when did we switch the cache") == ["switch", "cach"]
    assert content_terms("to be or not") == ["to", "be", "or", "not"]


@given(st.text())
def test_any_text_can_be_asked_and_read(text: str) -> None:
    content_terms(text)
    proper_names(text)
    for term in terms(text):
        assert term and '"' not in term and " " not in term


@pytest.mark.parametrize(
    ("form", "first"),
    [("went", "go"), ("bought", "buying"), ("children", "child"), ("indices", "index"), ("wrote", "writes")],
)
def test_a_word_that_changes_in_the_middle_is_known_by_its_first_form(form: str, first: str) -> None:
    assert terms(form) == terms(first)


def test_a_proper_name_has_a_capital_that_is_not_just_the_beginning() -> None:
    assert proper_names("Did Alice move to Redis?") == {"alic", "redi"}
    assert proper_names("Restart it") == frozenset()
    assert proper_names("when did The cache move") == frozenset()


def test_a_date_is_written_as_people_say_it() -> None:
    assert date_words("2026-05-08T10:00:00Z") == "8 May 2026"
    assert date_words("") == ""
    assert date_words("2026-13-08") == ""


def test_words_that_mean_nearly_the_same_know_each_other() -> None:
    assert "login" in families().of(stem("authentication"))
    assert stem("authentication") in families().of("login")
    assert families().of("zebra") == ()


def test_a_word_knows_what_it_is_called_in_other_languages() -> None:
    assert {"zwischenspeich", *terms("Datenbanken Sitzung sauvegarde")} <= {
        *families().of(stem("cache")),
        *families().of(stem("databases")),
        *families().of(stem("session")),
        *families().of(stem("backup")),
    }
    assert stem("invoice") in families().of(terms("Rechnung")[0])


def test_the_families_are_those_of_the_words_they_are_made_from() -> None:
    assert FAMILIES.read_text("utf-8") == write.text(), "families.txt is stale: run `make docs`"


def test_no_family_is_so_wide_that_it_finds_everything() -> None:
    every = list(write.families())
    assert all(len(family) <= 45 for family in every)
    assert max(Counter(word for family in every for word in family).values()) <= 12


def test_no_word_is_its_own_synonym_or_a_stop_word() -> None:
    for word in ("databas", "deploi", "error", "movi"):
        assert families().of(word)
        assert word not in families().of(word)
        assert not STOP_WORDS & set(families().of(word))


def test_plain_folds_case_and_what_joins_words() -> None:
    assert plain("Auth_Module-X  y") == "auth module x y"


def test_many_marks_on_one_letter_take_no_more_time_than_other_text() -> None:
    text = "a" + "\u0315\u0300" * 60_000
    begun = time.monotonic()
    plain(text), terms(text)
    assert time.monotonic() - begun < 5  # in the square of its length it would be 30 and more


def test_letters_with_a_number_behind_are_found_by_both() -> None:
    assert {*terms("RFC 7231")} < {*terms("RFC7231")}
    assert terms("k3f9a1c07") == ["k3f9a1c07"]
