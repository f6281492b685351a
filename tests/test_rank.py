"""The order of answers, on evidence written by hand: the published sum, the six rules, credit by kind of question."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.credit import Earned
from clawbrain.search.bm25 import Statistics, Wanted
from clawbrain.search.evidence import Document, Evidence, Lexicon
from clawbrain.search.like_words import Families, wanted
from clawbrain.search.question import read_question
from clawbrain.search.rank import Ranking, rank
from clawbrain.words import terms, ways_of_saying_when

TODAY = date(2026, 3, 11)
NOTHING_EARNED: Mapping[str, Earned] = {}
NO_NEIGHBOURS: Mapping[str, Sequence[str]] = {}


def document(id: str, text: str, tags: str = "", **more: Any) -> Document:
    """Return a memory as storage hands it over."""
    filed = terms(tags)
    words = terms(text) + filed
    made = {"created": "2026-01-05T10:00:00Z", "updated": "2026-01-05T10:00:00Z"}
    known = {"length": len(words), "counts": Counter(words), "says_when": ways_of_saying_when(words)}
    return Document(
        id=id,
        tags=frozenset(tags.split()),
        filed=frozenset(filed),
        called=frozenset(filed),
        **{**made, **known, **more},
    )


def statistics(documents: Sequence[Document]) -> Statistics:
    holding = Counter(word for each in documents for word in each.counts)
    return Statistics(len(documents), sum(each.length for each in documents), holding)


def evidence(
    query: str, *documents: Document, families: str = "", beside: Mapping[str, Sequence[str]] = NO_NEIGHBOURS
) -> Evidence:
    words = wanted(read_question(query, TODAY), Lexicon(statistics(documents)), Families(families))
    return gathered(words, documents, beside)


def gathered(words: Wanted, documents: Sequence[Document], beside: Mapping[str, Sequence[str]]) -> Evidence:
    order = {each.id: place for place, each in enumerate(documents)}
    by_id = {each.id: each for each in documents}
    return Evidence(statistics(documents), words, by_id, len(documents), beside, order)


def ranked(
    query: str, *documents: Document, credit: Mapping[str, Earned] = NOTHING_EARNED, limit: int = 5, **more: Any
) -> Ranking:
    return rank(read_question(query, TODAY), evidence(query, *documents, **more), credit, limit)


def order(query: str, *documents: Document, **more: Any) -> list[str]:
    return [match.id for match in ranked(query, *documents, **more).matches]


def part(query: str, id: str, rule: str, *documents: Document, **more: Any) -> float:
    """Return what a rule gave to a document."""
    return next(match.parts.get(rule, 0.0) for match in ranked(query, *documents, **more).matches if match.id == id)


def filler(count: int) -> list[Document]:
    return [document(f"filler{n}", f"The kitchen number {n} was painted.") for n in range(count)]


# What users rely on


def test_combined_is_four_parts_relevance_and_six_parts_credit() -> None:
    match = ranked("cache size", document("a", "The cache has a size.")).matches[0]
    assert (match.relevance, match.credit, match.combined) == (0.5, 0.5, 0.5)


def test_the_best_by_content_is_worth_a_half_and_the_others_their_share() -> None:
    documents = document("a", "cache size"), document("b", "cache and more"), *filler(8)
    first, second, *_ = ranked("cache size", *documents).matches
    assert first.relevance == 0.5
    assert second.relevance == pytest.approx(0.5 * second.score / first.score)


def test_tags_that_hold_the_whole_query_are_worth_four_fifths() -> None:
    match = ranked("cache size", document("a", "Nothing else.", "cache size"), *filler(3)).matches[0]
    assert match.relevance == pytest.approx(0.8)


@pytest.mark.parametrize("level", [1.0, 0.8, 0.5])
def test_a_literal_match_has_exactly_its_level(level: float) -> None:
    assert ranked("cache", document("a", "cache", "cache", literal=level)).matches[0].relevance == level


def test_no_more_than_the_limit_are_answered_but_all_are_counted() -> None:
    found = ranked("cache kitchen", *filler(9), limit=3)
    assert (len(found.matches), found.total) == (3, 9)


def test_of_equals_the_better_words_then_the_newer_then_the_later_stored_then_the_id_come_first() -> None:
    same = {"literal": 0.5}
    better = document("z", "cache cache", **same)
    newer = document("y", "cache one", updated="2026-02-01T00:00:00Z", **same)
    first, later = document("x", "cache one", **same), document("a", "cache one", **same)
    assert order("cache", first, later, newer, better, limit=9) == ["z", "y", "a", "x"]


def test_two_stores_rank_as_one_that_holds_both() -> None:
    ours = [document("a", "The cache evicts with LRU."), document("b", "A cache of pages and rows."), *filler(3)]
    theirs = [document("c", "LRU is what the cache of theirs does."), document("d", "Nobody knows the size.")]
    question = read_question("what does the cache evict with", TODAY)
    both = Lexicon(statistics(ours)) + Lexicon(statistics(theirs))
    words = wanted(question, both, Families("cache pages"))
    together = rank(question, gathered(words, ours, {}) + gathered(words, theirs, {}), {}, 9)
    alone = rank(question, gathered(words, [*ours, *theirs], {}), {}, 9)
    scores = [[(m.id, m.score) for m in found.matches if m.score] for found in (together, alone)]
    assert scores[0] == scores[1] != []


# Rule 1: words


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    assert order("kitchen sink", *filler(6), document("a", "The sink drips."))[0] == "a"


def test_a_word_in_every_memory_still_tells_a_little() -> None:
    assert part("kitchen", "filler1", "words", *filler(3)) > 0


def test_a_word_asked_twice_counts_twice() -> None:
    one, other = document("a", "port"), document("b", "host")
    assert order("host port port", one, other, *filler(2))[0] == "a"
    assert order("host host port", one, other, *filler(2))[0] == "b"


def test_a_long_text_needs_more_of_a_word() -> None:
    assert (
        order("cache", document("long", "cache " + "other words " * 50), document("short", "cache only"))[0] == "short"
    )


# Rule 2: like words


def test_a_like_word_counts_less_than_the_word_itself() -> None:
    both = document("undo", "How to undo it."), document("roll", "How to rollback it.")
    assert order("undo", *both, families="undo rollback") == ["undo", "roll"]
    assert part("undo", "roll", "words", *both, families="undo rollback") < 0.5


def test_a_like_word_counts_as_the_word_itself_where_nobody_holds_that() -> None:
    documents = document("roll", "How to rollback it."), document("other", "Of a commit.")
    assert order("undo commit", *documents, families="undo rollback") == order("rollback commit", *documents)


def test_a_rare_like_word_makes_the_word_it_stands_for_no_rarer() -> None:
    many = [document(f"d{n}", "deploy") for n in range(20)]
    documents = document("it", "deploy deploy deploy"), document("rare", "ship it"), *many
    assert order("deploy", *documents, families="deploy ship")[0] == "it"


# Rule 3: called by name


def test_a_tag_that_is_called_by_name_adds_its_part() -> None:
    mara, tess = document("a", "She keeps the keys.", "mara"), document("b", "She keeps the keys.", "tess")
    assert part("does Mara keep the keys", "a", "called", mara, tess) == 0.5
    assert part("does mara keep the keys", "a", "called", mara, tess) == 0.0
    assert order("does Mara keep the keys", tess, mara)[0] == "a"


def test_of_two_names_each_counts_half() -> None:
    both, one = document("a", "They met.", "mara tess"), document("b", "She met.", "mara")
    assert [part("did Mara and Tess meet", id, "called", both, one) for id in "ab"] == [0.5, 0.25]


# Rule 4: beside


def test_a_match_lends_a_quarter_of_its_score_to_its_neighbours() -> None:
    documents = document("before", "cache?"), document("match", "cache of pages"), *filler(4)
    beside = {"match": ["before"]}
    given = part("cache pages", "before", "beside", *documents, beside=beside)
    assert given == pytest.approx(0.25 * part("cache pages", "match", "words", *documents))


# Rule 5: when


def test_what_holds_a_date_is_preferred_where_a_time_is_asked_for() -> None:
    dated, other = (
        document("dated", "The cache was switched on 5 May 2025."),
        document("other", "The cache was switched off."),
    )
    assert part("when was the cache switched", "dated", "when", dated, other) == 0.3
    assert part("why was the cache switched", "dated", "when", dated, other) == 0.0


def test_what_was_made_on_a_named_day_is_preferred_and_nothing_is_left_out() -> None:
    then = document("then", "The cache was switched.", created="2026-03-10T08:00:00Z")
    before = document("before", "The cache was switched.", created="2026-03-09T08:00:00Z")
    assert order("what about the cache yesterday", then, before) == ["then", "before"]


# Rule 6: newer version

FILED = "storage decision"


def versions(later: str = "Postgres runs in production.", tags: str = FILED, **more: Any) -> list[Document]:
    old = document("old", "Redis runs as the database.", FILED, created="2026-01-01T00:00:00Z")
    return [old, document("new", later, tags, **({"created": "2026-02-01T00:00:00Z"} | more)), *filler(6)]


QUESTION = "which database runs"


def test_the_later_of_two_versions_comes_first() -> None:
    assert order(QUESTION, *versions())[:2] == ["new", "old"]


def test_the_later_is_as_relevant_as_the_earlier_and_nothing_is_moved_away() -> None:
    new, old = ranked(QUESTION, *versions()).matches[:2]
    assert (new.relevance, new.combined) == (old.relevance, old.combined)


def test_two_that_share_one_tag_are_no_versions() -> None:
    assert order(QUESTION, *versions(tags="storage other"))[0] == "old"


def test_two_of_many_filed_the_same_way_are_no_versions() -> None:
    others = [document(f"o{n}", "It runs.", FILED) for n in range(3)]
    assert order(QUESTION, *versions(), *others)[0] == "old"


def test_what_answers_far_less_is_no_version() -> None:
    far = versions("Postgres is what we took.", tags=FILED)
    assert order("redis database runs", *far)[0] == "old"


def test_what_holds_all_words_of_the_question_is_never_passed() -> None:
    assert order("redis database", *versions("Postgres is the database."))[0] == "old"


def test_what_the_question_names_is_not_passed_by_a_sister() -> None:
    assert order("does Redis run as what", *versions("Postgres runs."))[0] == "old"


def test_a_later_one_that_tells_of_a_change_passes_what_is_named() -> None:
    assert (
        order("does Redis run as a database now", *versions("It was replaced: Postgres runs as a database."))[0]
        == "new"
    )


def test_of_one_date_the_later_stored_is_the_later() -> None:
    assert order(QUESTION, *versions(created="2026-01-01T00:00:00Z"))[0] == "new"


def test_of_three_versions_each_stands_below_all_later_ones() -> None:
    made = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"]
    texts = ["The database runs as Redis.", "The database runs.", "A database runs somewhere else, for good reasons."]
    versions = [
        document(f"v{n}", text, FILED, created=day) for n, (text, day) in enumerate(zip(texts, made, strict=True))
    ]
    found = ranked(QUESTION, *versions, *filler(6)).matches[:3]
    assert [match.id for match in found] == ["v2", "v1", "v0"]
    assert found[0].score > found[1].score > found[2].score


def test_an_update_makes_nothing_the_later_version() -> None:
    old, *rest = versions()
    touched = document("old", "Redis runs as the database.", FILED, created=old.created, updated="2026-03-01T00:00:00Z")
    assert ranked(QUESTION, touched, *rest).matches[0].score >= ranked(QUESTION, touched, *rest).matches[1].score
    assert ranked(QUESTION, touched, *rest).matches[0].id == "new"


def test_credit_earned_with_such_questions_protects_the_earlier() -> None:
    kind = ranked(QUESTION, *versions()).kind
    assert order(QUESTION, *versions(), credit={"old": Earned(by_kind=((kind, 1.0),))})[0] == "old"


# Credit


def test_credit_is_what_was_earned_with_questions_of_this_kind() -> None:
    documents = document("a", "cache of pages"), document("b", "cache of pages"), document("c", "the queue"), *filler(3)
    kind = ranked("cache pages", *documents).kind
    earned = {"a": Earned(by_kind=((kind, -2.0),))}
    assert order("cache pages", *documents, credit=earned)[0] == "b"
    assert ranked("queue", *documents, credit=earned).matches[0].credit == 0.5


def test_the_kind_is_of_the_three_best_by_relevance_whatever_their_credit() -> None:
    documents = document("a", "cache of pages"), document("b", "cache"), *filler(3)
    plain = ranked("cache pages", *documents)
    praised = ranked("cache pages", *documents, credit={"b": Earned(by_kind=((plain.kind, 3.0),))})
    assert [id for id, _ in plain.kind] == ["a", "b"]
    assert praised.kind == plain.kind
    assert praised.matches[0].id == "b"


def test_what_hardly_fits_does_not_compete_on_credit() -> None:
    fitting = [document(f"m{n:02}", "cache of pages " * (n + 2)) for n in range(30)]
    famous = document("famous", "One page of a very long book about something else altogether, and no end of it.")
    kind = ranked("cache pages", *fitting, famous).kind
    credit = {"famous": Earned(general=3.0, by_kind=((kind, 3.0),))}
    assert "famous" not in order("cache pages", *fitting, famous, credit=credit)


def test_every_literal_match_competes_on_credit() -> None:
    many = [document(f"m{n:02}", "cache", literal=0.5) for n in range(60)]
    kind = ranked("cache", *many).kind
    assert order("cache", *many, credit={"m00": Earned(by_kind=((kind, 1.0),))})[0] == "m00"


TEXTS = st.lists(
    st.sampled_from(["cache", "page", "queue", "LRU", "Mara", "the", "kitchen"]), min_size=1, max_size=8
).map(" ".join)


@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=8))
def test_every_answer_keeps_to_the_published_sum(query: str, texts: list[str]) -> None:
    found = ranked(query, *(document(f"d{n}", text) for n, text in enumerate(texts)), limit=20)
    assert len({match.id for match in found.matches}) == len(found.matches) == len(texts)
    for match in found.matches:
        assert match.combined == round(0.4 * round(match.relevance, 4) + 0.6 * round(match.credit, 4), 4)
        assert 0 <= match.relevance <= 1
    assert [m.combined for m in found.matches] == sorted((m.combined for m in found.matches), reverse=True)


def test_more_matches_than_the_limit_are_of_those_that_compete_for_it() -> None:
    documents = [document(f"d{n:02}", "cache " + "word " * n) for n in range(30)]
    loved = {"d29": Earned(by_kind=((ranked("cache", *documents).kind, 3.0),))}
    question, found = read_question("cache", TODAY), evidence("cache", *documents)
    assert "d29" in [match.id for match in rank(question, found, loved, 10).matches]
    seen = [match.id for match in rank(question, found, loved, 5, more=5).matches]
    assert len(seen) == 10
    assert seen[:5] == [match.id for match in rank(question, found, loved, 5).matches]
    assert "d29" not in seen
