"""Words, literal matches, the law of relevance and credit, and the passage shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain import relevance
from clawbrain.memory import Memory
from clawbrain.relevance import Candidate, Found, Ranked, ask, begins_a_word, plain, rank, snippet, stem, terms


def memory(id: str, content: str = "text", type: str = "entity") -> Memory:
    return Memory(id, type, "projects", id, f"entities/projects/{id}.md", content)


def found(query: str, *candidates: Candidate, type: str | None = None, others: tuple[str, ...] = ()) -> Found:
    memories = {id: memory(id) for id in [*(c.id for c in candidates), *others]}
    return Found(ask(query), {c.id: c for c in candidates}, len(candidates), memories.get, type)


def candidate(id: str, words: float = 1.0, **more: object) -> Candidate:
    return Candidate(id, str(more.pop("updated", "2026-01-01T00:00:00Z")), 0, words=words, **more)  # type: ignore[arg-type]


def order(ranked: Ranked) -> list[str]:
    return [hit.id for hit in ranked.hits]


# Words


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
    assert ask("when did we switch the cache").terms == ("switch", "cach")
    assert ask("to be or not to be").terms == ("to", "be", "or", "not")


def test_a_question_of_any_length_has_few_words() -> None:
    assert len(ask("word" + " another%d" * 20_000 % tuple(range(20_000))).terms) <= relevance.MOST_TERMS


@given(st.text())
def test_any_text_can_be_asked_and_read(text: str) -> None:
    ask(text)
    for term in terms(text):
        assert term and '"' not in term and " " not in term


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
    assert relevance.literal(plain(query), "auth-module", ["rate-limiting"], "It uses Redis.") == level


def test_a_literal_match_begins_at_the_start_of_a_word() -> None:
    assert begins_a_word("auth", "the (auth) part")
    assert begins_a_word("auth", "oauth auth")
    assert not begins_a_word("auth", "oauth")


# The law


def test_combined_is_four_parts_relevance_and_six_parts_credit() -> None:
    hit = rank(found("x", candidate("a", literal=1.0)), {"a": 0.73}, {}, 5).hits[0]
    assert hit.combined == pytest.approx(0.4 * 1.0 + 0.6 * 0.73)


def test_the_best_by_content_is_worth_a_half_and_the_others_their_share() -> None:
    ranked = rank(found("x y", candidate("a", 4.0), candidate("b", 1.0)), {}, {}, 5)
    assert [hit.relevance for hit in ranked.hits] == pytest.approx([0.5, 0.125])


def test_tags_that_hold_the_whole_query_are_worth_four_fifths() -> None:
    ranked = rank(found("x y", candidate("a", 1.0, tagged=1.0), candidate("b", 4.0, tagged=0.5)), {}, {}, 5)
    assert [(hit.id, hit.relevance) for hit in ranked.hits] == [("a", 0.8), ("b", 0.5)]


def test_a_literal_match_has_exactly_its_level() -> None:
    assert rank(found("x", candidate("a", literal=0.5, tagged=1.0)), {}, {}, 5).hits[0].relevance == 0.5


def test_a_memory_without_a_score_counts_as_new() -> None:
    assert rank(found("x", candidate("a")), {}, {}, 5).hits[0].credit == 0.5


def test_credit_decides_between_equals() -> None:
    ranked = rank(found("x y", candidate("a"), candidate("b")), {"a": 0.3, "b": 0.9}, {}, 5)
    assert order(ranked) == ["b", "a"]


def test_only_the_best_graded_matches_compete_on_credit() -> None:
    many = [candidate(f"m{i:02}", 10.0 - i / 10) for i in range(30)]
    famous = candidate("famous", 0.1)
    ranked = rank(found("x y", *many, famous), {"famous": 0.95}, {}, 5)
    assert "famous" not in order(ranked)
    assert "famous" in order(rank(found("x y", *many[:19], famous), {"famous": 0.95}, {}, 5))


def test_all_literal_matches_compete_on_credit() -> None:
    many = [candidate(f"m{i:02}", 10.0 - i / 10, literal=0.5) for i in range(60)]
    famous = candidate("famous", 0.1, literal=0.5)
    assert order(rank(found("x", *many, famous), {"famous": 0.95}, {}, 5))[0] == "famous"


def test_of_equal_matches_the_better_words_then_the_newer_then_the_later_then_the_id_come_first() -> None:
    same = {"literal": 0.5}
    better = Candidate("z", "2026-01-01T00:00:00Z", 0, words=2.0, **same)
    newer = Candidate("y", "2026-02-01T00:00:00Z", 0, words=1.0, **same)
    later = Candidate("x", "2026-01-01T00:00:00Z", 9, words=1.0, **same)
    first = Candidate("a", "2026-01-01T00:00:00Z", 1, words=1.0, **same)
    last = Candidate("b", "2026-01-01T00:00:00Z", 1, words=1.0, **same)
    assert order(rank(found("x", last, first, later, newer, better), {}, {}, 9)) == ["z", "y", "x", "a", "b"]


def test_the_order_of_storing_decides_between_equals() -> None:
    equals = found("x", candidate("a", literal=0.5), candidate("b", literal=0.5))
    assert order(rank(equals, {}, {}, 5, {"a": 1, "b": 2})) == ["b", "a"]


def test_an_empty_question_answers_the_newest_whatever_their_credit() -> None:
    old, new = candidate("old"), candidate("new", updated="2026-03-01T00:00:00Z")
    ranked = rank(found("  ", old, new), {"old": 0.9}, {}, 5)
    assert order(ranked) == ["new", "old"]
    assert [hit.relevance for hit in ranked.hits] == [0.0, 0.0]


def test_no_more_than_the_limit_but_all_are_counted() -> None:
    ranked = rank(found("x y", *(candidate(f"m{i}") for i in range(9))), {}, {}, 3)
    assert (len(ranked.hits), ranked.total) == (3, 9)


# Neighbours


def test_a_match_beside_a_better_match_rises() -> None:
    a, b, c = candidate("a", 4.0), candidate("b", 1.0), candidate("c", 1.1)
    assert order(rank(found("x y", a, b, c), {}, {"a": [(1, "b")]}, 5)) == ["a", "b", "c"]
    assert order(rank(found("x y", a, b, c), {}, {}, 5)) == ["a", "c", "b"]


def test_what_shares_no_word_joins_below_the_matches_and_is_not_counted() -> None:
    ranked = rank(found("x y", candidate("a"), others=("b",)), {"b": 0.95}, {"a": [(1, "b")]}, 5)
    assert (order(ranked)[:1], ranked.total) == (["a"], 1)
    assert all(hit.combined <= ranked.hits[0].combined for hit in ranked.hits)


def test_neighbours_join_only_questions_of_several_words_without_a_literal_match() -> None:
    near = {"a": [(1, "b")]}
    assert order(rank(found("x y", candidate("a"), others=("b",)), {}, near, 5)) == ["a", "b"]
    assert order(rank(found("x", candidate("a"), others=("b",)), {}, near, 5)) == ["a"]
    assert order(rank(found("x y", candidate("a", literal=0.5), others=("b",)), {}, near, 5)) == ["a"]


def test_neighbours_of_another_type_or_gone_do_not_join() -> None:
    near = {"a": [(1, "b"), (2, "gone")]}
    episodes_only = found("x y", candidate("a"), others=("b",), type="episode")
    assert "b" not in order(rank(episodes_only, {}, near, 5))
    assert "gone" not in order(rank(found("x y", candidate("a")), {}, near, 5))


# The passage


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("# Title\n\nFirst line.\n\tSecond.", ["first"]) == "# Title First line. Second."


def test_the_passage_with_the_words_is_shown_not_the_beginning() -> None:
    text = "Nothing of note here. " * 40 + "The cache evicts with LRU since March. " + "More of nothing. " * 40
    assert "cache evicts with LRU" in snippet(text, terms("cache LRU"))


def test_a_passage_begins_and_ends_with_whole_words() -> None:
    words = [f"word{i}" for i in range(500)]
    shown = snippet(" ".join(words), ["word300"])
    assert "word300" in shown.split()
    assert all(word in words for word in shown.strip("…").split())


@given(st.text(), st.lists(st.text(max_size=5), max_size=4))
def test_any_passage_is_one_short_printable_line(text: str, wanted: list[str]) -> None:
    shown = snippet(text * 20, wanted)
    assert len(shown) <= 240
    assert all(c.isprintable() for c in shown)
