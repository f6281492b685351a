"""Literal matches, the law of relevance and credit, what makes a match good, and the passage shown."""

import time
from collections.abc import Collection
from dataclasses import replace
from types import MappingProxyType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clawbrain.credit import Earned, logit
from clawbrain.memory import Memory
from clawbrain.relevance import Ranked, passage, rank, weights, with_matching_neighbours
from clawbrain.relevance.found import Candidate, Found, Gist
from clawbrain.relevance.query import MOST_TERMS, ask, begins_a_word, literal
from clawbrain.relevance.signals import Neighbours, order_means
from clawbrain.relevance.versions import newer_versions
from clawbrain.words import content_terms, plain, terms, times_told


def memory(id: str, content: str = "text", type: str = "entity") -> Memory:
    return Memory(id, type, "projects", id, f"entities/projects/{id}.md", content)


def found(query: str, *candidates: Candidate, type: str | None = None, others: tuple[str, ...] = ()) -> Found:
    memories = {id: memory(id) for id in [*(c.id for c in candidates), *others]}

    def fetch(ids: Collection[str]) -> dict[str, Memory]:
        return {id: memories[id] for id in ids if id in memories}

    return Found(ask(query), {c.id: c for c in candidates}, len(candidates), fetch, type)


def candidate(id: str, words: float = 1.0, **more: object) -> Candidate:
    return Candidate(id, str(more.pop("updated", "2026-01-01T00:00:00Z")), 0, words=words, **more)  # type: ignore[arg-type]


def snippet(content: str, asked: Collection[str]) -> str:
    return passage.snippet(content, passage.Wanted(asked), passage.Wanted())


def order(ranked: Ranked) -> list[str]:
    return [hit.id for hit in ranked.hits]


# A question


def test_a_question_of_any_length_has_few_words() -> None:
    assert len(ask("word" + " another%d" * 20_000 % tuple(range(20_000))).terms) <= MOST_TERMS


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


def test_a_literal_match_begins_at_the_start_of_a_word() -> None:
    assert begins_a_word("auth", "the (auth) part")
    assert begins_a_word("auth", "oauth auth")
    assert not begins_a_word("auth", "oauth")
    assert begins_a_word("or the", "waited for the lock " * 300 + "or the cache")


def credited(
    found: Found, credits: dict[str, float], near: Neighbours = MappingProxyType({}), limit: int = 5
) -> Ranked:
    """The ranking where these have earned so much on this very question."""
    kind = rank(found, {}, near, limit).kind
    return rank(found, {id: Earned(by_kind=((kind, logit(credit)),)) for id, credit in credits.items()}, near, limit)


# The law


def test_combined_is_four_parts_relevance_and_six_parts_credit() -> None:
    hit = credited(found("x", candidate("a", literal=1.0)), {"a": 0.73}).hits[0]
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
    ranked = credited(found("x y", candidate("a"), candidate("b")), {"a": 0.3, "b": 0.9})
    assert order(ranked) == ["b", "a"]


def test_only_the_best_graded_matches_compete_on_credit() -> None:
    many = [candidate(f"m{i:02}", 10.0 - i / 10) for i in range(30)]
    famous = candidate("famous", 0.1)
    ranked = credited(found("x y", *many, famous), {"famous": 0.95})
    assert "famous" not in order(ranked)
    assert "famous" in order(credited(found("x y", *many[:19], famous), {"famous": 0.95}))


def test_all_literal_matches_compete_on_credit() -> None:
    many = [candidate(f"m{i:02}", 10.0 - i / 10, literal=0.5) for i in range(60)]
    famous = candidate("famous", 0.1, literal=0.5)
    assert order(credited(found("x", *many, famous), {"famous": 0.95}))[0] == "famous"


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
    ranked = rank(found("  ", old, new), {"old": Earned(general=3.0)}, {}, 5)
    assert order(ranked) == ["new", "old"]
    assert [hit.relevance for hit in ranked.hits] == [0.0, 0.0]


def test_no_more_than_the_limit_but_all_are_counted() -> None:
    ranked = rank(found("x y", *(candidate(f"m{i}") for i in range(9))), {}, {}, 3)
    assert (len(ranked.hits), ranked.total) == (3, 9)


# Neighbours


def talk(*topics: str) -> tuple[Candidate, ...]:
    """Matches stored one after the other; those of one topic share its words."""
    return tuple(
        candidate(f"m{place:02}", 1.0 + place / 1000, gist=Gist(f"asked {topic}-a {topic}-b {topic}-c own-{place}"))
        for place, topic in enumerate(topics)
    )


def beside(listed: tuple[Candidate, ...]) -> dict[str, list[tuple[int, str]]]:
    places = range(len(listed))
    return {listed[i].id: [(step, listed[i + step].id) for step in (-1, 1) if i + step in places] for i in places}


TALK = [topic for topic in "abcdefghij" for _ in range(4)]


def test_the_order_of_storing_means_something_where_neighbours_are_alike() -> None:
    listed = talk(*TALK)
    assert order_means(found("asked", *listed), beside(listed)) == 1.0


def test_the_order_of_storing_means_nothing_where_they_are_not() -> None:
    listed = talk(*TALK[::4] * 4)
    assert order_means(found("asked", *listed), beside(listed)) == 0.0


def test_a_match_beside_a_better_match_rises_where_the_order_means_something() -> None:
    for topics, rises in ((TALK, True), (TALK[::4] * 4, False)):
        listed = talk(*topics)
        listed[20].words = 4.0
        ranked = rank(found("asked this", *listed), {}, beside(listed), 40)
        assert (order(ranked)[1] == "m21") is rises


def test_a_match_far_below_the_best_is_looked_at_beside_them() -> None:
    late = candidate("late", 0.0)
    asked = replace(found("x y", candidate("a"), others=("late",)), more=lambda ids: {"late": late})
    assert set(with_matching_neighbours(asked, {"a": [(1, "late")]}).candidates) == {"a", "late"}
    assert set(with_matching_neighbours(asked, {"a": []}).candidates) == {"a"}


# What else makes a match good


def first(*candidates: Candidate, **more: object) -> str:
    return order(rank(replace(found("x y", *candidates), **more), {}, {}, 5))[0]  # type: ignore[arg-type]


def test_a_tag_called_by_its_name_counts() -> None:
    assert first(candidate("a"), candidate("b", called=1.0)) == "b"


def test_more_of_the_question_counts() -> None:
    held = {"x": 1.0, "y": 1.0}
    assert first(candidate("a", covered=1.0), candidate("b", covered=2.0), weights=held) == "b"


def test_a_longer_memory_counts_more_and_a_mere_question_less() -> None:
    assert first(candidate("a", length=20), candidate("b", length=200)) == "b"
    assert first(candidate("a", asking=True), candidate("b")) == "b"


def test_what_was_stored_after_a_question_like_ours_may_be_the_answer() -> None:
    listed = talk(*TALK)
    listed[20].words, listed[20].asking = 4.0, True
    asked = found("asked this", *listed)
    answered = rank(asked, {}, beside(listed), 40)
    assert order(answered)[0] == "m21"
    listed[20].asking = False
    assert order(rank(asked, {}, beside(listed), 40))[0] == "m20"


@pytest.mark.parametrize("said", ["yesterday", "last week", "on Tuesday", "two days ago", "in March", "in 2026"])
def test_when_is_answered_by_what_says_a_time(said: str) -> None:
    silent, telling = candidate("silent"), candidate("telling", told=times_told(terms(said)))
    hits = rank(found("When did x y?", silent, telling), {}, {}, 5).hits
    assert [(hit.id, hit.signals.get("when", 0.0)) for hit in hits] == [("telling", weights.WHEN), ("silent", 0.0)]


@pytest.mark.parametrize("question", ["What did x y?", "What breaks when x meets y?", "x y"])
def test_other_questions_ask_for_no_time(question: str) -> None:
    hits = rank(found(question, candidate("a", told=1)), {}, {}, 5).hits
    assert "when" not in hits[0].signals


def test_where_every_memory_bears_a_date_the_words_beside_it_tell_when() -> None:
    a, b = (candidate(id, told=times_told(terms(said))) for id, said in (("a", "8 May 2026"), ("b", "last 8 May 2026")))
    assert order(rank(found("when did x y", a, b), {}, {}, 5)) == ["b", "a"]


def test_words_that_the_best_matches_share_are_listened_for() -> None:
    best = [candidate(f"best-{i}", 9.0, gist=Gist("x redis eviction")) for i in range(3)]
    a, b = candidate("a", gist=Gist("x tea")), candidate("b", gist=Gist("x eviction"))
    assert order(rank(found("x y", *best, a, b), {}, {}, 5))[3:] == ["b", "a"]


def version(id: str, words: float, stored: int, gist: str) -> Candidate:
    return replace(candidate(id, words, gist=Gist(gist), held=frozenset({"cache"})), stored=stored)


def test_of_two_versions_the_later_stored_comes_first() -> None:
    old = version("old", 1.2, 1, "station cache lives seconds redis 300")
    new = version("new", 1.0, 2, "station cache lives seconds redis now 15")
    other = version("other", 1.1, 3, "cache of pictures evicts by age")
    assert order(rank(found("cache seconds", old, new, other), {}, {}, 5)) == ["new", "old", "other"]


OLD = version("old", 2.0, 1, "station cache lives seconds redis 300")
NEW = version("new", 2.0, 2, "station cache lives seconds redis 15")
OTHERS = [
    version(f"other-{n}", 1.2 - n / 5, 10 + n, f"cache {topic} {topic}s {topic}ing")
    for n, topic in enumerate(("boat", "chess", "garden", "letter", "snow", "violin"))
]


def test_a_later_version_that_answers_better_loses_nothing() -> None:
    better = replace(NEW, words=3.0)
    hits = rank(found("cache seconds", better, OLD, *OTHERS), {}, {}, 5).hits
    assert hits[0].id == "new" and hits[0].signals.get("newer version", 0.0) >= 0


def test_a_newer_version_is_as_relevant_by_tags_as_the_earlier() -> None:
    tagged = [replace(OLD, tagged=0.9), NEW, *OTHERS]
    hits = {hit.id: hit for hit in rank(found("cache seconds", *tagged), {}, {}, 5).hits}
    assert hits["new"].relevance == hits["old"].relevance == weights.GRADED_BY_TAGS * 0.9
    assert list(hits)[:2] == ["new", "old"]


def test_words_that_most_memories_hold_make_no_versions() -> None:
    common = "every day some people speak aloud about"
    asked = found("cache", version("old", 1.2, 1, f"{common} tea"), version("new", 1.0, 2, f"{common} chess"))
    told = dict.fromkeys(common.split(), 0.1) | {"tea": 4.0, "chess": 4.0}
    weighed = replace(asked, telling=lambda terms: {term: told[term] for term in terms})
    assert order(rank(weighed, {}, {}, 5)) == ["old", "new"]
    assert order(rank(asked, {}, {}, 5)) == ["new", "old"]


def test_in_a_small_store_words_of_their_own_do_not_keep_two_from_being_versions() -> None:
    old, new = version("old", 1.2, 1, "anna likes tea mornings"), version("new", 1.0, 2, "berta likes tea mornings")
    others = version("other", 0.1, 3, "tea mornings likes carl"), version("last", 0.1, 4, "mornings likes tea dora")
    told = dict.fromkeys(("likes", "tea", "mornings"), 0.13) | dict.fromkeys(("anna", "berta", "carl", "dora"), 0.98)
    asked = replace(found("tea", old, new, *others), telling=lambda terms: told, alone=0.98)
    assert order(rank(asked, {}, {}, 5))[:2] == ["new", "old"]


def test_the_last_of_three_versions_comes_first_also_where_only_neighbouring_ones_are_alike() -> None:
    first = version("first", 2.0, 1, "station cache lives seconds redis")
    second = version("second", 1.5, 2, "station cache lives minutes memory pool")
    third = version("third", 1.3, 3, "minutes memory pool limit quota")
    ranked = order(rank(found("cache seconds", first, second, third, *STRANGERS), {}, {}, 10))
    assert ranked[:2] == ["third", "second"]


def test_a_later_memory_that_answers_far_less_is_no_newer_version() -> None:
    old = version("old", 8.0, 1, "station cache lives seconds redis 300")
    new = version("new", 0.2, 2, "station cache lives seconds redis now 15")
    assert order(rank(found("cache seconds", old, new), {}, {}, 5)) == ["old", "new"]


FORMER = version("former", 2.0, 1, "jobs run celery redis broker nightly beat import worker standard choice")
LATTER = version("latter", 1.2, 2, "jobs live procrastinate postgres transaction order service fewer redis lost")
FILED = frozenset({"decision", "jobs"})


STRANGERS = [replace(other, gist=Gist(other.gist.replace("cache ", ""))) for other in OTHERS]


def newer_first(former: Candidate, latter: Candidate, others: list[Candidate]) -> bool:
    ranked = order(rank(found("cache", latter, *others, former), {}, {}, 10))
    return ranked.index("latter") < ranked.index("former")


def test_two_that_are_filed_alike_and_stand_out_are_versions() -> None:
    former, latter = replace(FORMER, tags=FILED), replace(LATTER, tags=FILED)
    assert newer_first(former, latter, STRANGERS) and newer_first(FORMER, LATTER, STRANGERS)
    assert not newer_first(former, replace(LATTER, tags=frozenset({"incident", "mail"})), STRANGERS)


def test_a_word_of_change_in_the_later_alone_adds_to_what_tells() -> None:
    latter = replace(LATTER, gist=Gist("jobs run procrastinate postgres transaction order service fewer lost mails"))
    former, latter = replace(FORMER, tags=frozenset({"jobs", "celery"})), replace(latter, tags=frozenset({"jobs"}))
    changed = replace(latter, gist=Gist(latter.gist + " former"))
    assert not newer_first(former, latter, STRANGERS[:3]) and newer_first(former, changed, STRANGERS[:3])
    assert not newer_first(replace(former, gist=Gist(former.gist + " now")), changed, STRANGERS[:3])


def test_words_alone_tell_of_two_where_one_has_no_tags_and_tell_less_in_a_talk() -> None:
    latter = replace(LATTER, gist=Gist("jobs run procrastinate postgres transaction order service fewer lost mails"))
    former, others = FORMER, STRANGERS[:2]
    assert newer_first(former, latter, others)
    assert not newer_first(*(replace(each, tags=frozenset({each.id})) for each in (former, latter)), others)
    assert not newer_first(former, replace(latter, gist=Gist("jobs live elsewhere")), STRANGERS)
    listed = [former, latter, *others]
    asked, totals = found("cache", *listed), [each.words for each in listed]
    assert any(newer_versions(asked, listed, totals, trust=0.0).more)
    assert not any(newer_versions(asked, listed, totals, trust=1.0).more)


KIN = [  # as much like the former as the latter is
    replace(other, gist=Gist(" ".join(FORMER.gist.split()[n : n + 6])), tags=frozenset({"decision", f"topic-{n}"}))
    for n, other in enumerate(OTHERS)
]


def test_where_all_are_as_much_alike_none_stands_out() -> None:
    assert not newer_first(FORMER, LATTER, KIN)
    former, latter = replace(FORMER, tags=FILED), replace(LATTER, tags=FILED)
    assert not newer_first(former, latter, [replace(other, tags=FILED) for other in KIN])


def test_two_that_few_others_are_filed_with_are_versions() -> None:
    tags = FILED | {"queue"}
    latter = replace(LATTER, gist=Gist("jobs live elsewhere since march"))

    def versions(former_tags: frozenset[str], latter_tags: frozenset[str], *, as_well: frozenset[str] = FILED) -> bool:
        others = [replace(other, tags=other.tags | as_well) for other in KIN]
        return newer_first(replace(FORMER, tags=former_tags), replace(latter, tags=latter_tags), others)

    assert versions(tags, tags)
    assert not versions(tags, tags, as_well=tags)
    assert not versions(FILED, FILED)
    assert versions(tags | {"cron"}, tags | {"mail"})
    assert not versions(tags | {"cron", "mail"}, tags | {"cron", "mail"}, as_well=tags | {"cron", "mail"})
    latter = replace(latter, words=0.1)
    assert not versions(tags, tags)


def test_what_the_earlier_alone_holds_of_the_question_tells_against_a_version() -> None:
    former, latter = (replace(each, tags=FILED, held=frozenset({"cache", "second"})) for each in (FORMER, LATTER))

    def versions(latter: Candidate, about: float) -> bool:
        asked = found("cache seconds", former, latter, *STRANGERS[:2])
        ranked = order(rank(replace(asked, weights={"cache": 10 - about, "second": about}), {}, {}, 10))
        return ranked.index("latter") < ranked.index("former")

    part = replace(latter, held=frozenset({"cache"}))
    assert versions(latter, about=9) and versions(part, about=1) and not versions(part, about=9)


def test_the_one_that_holds_the_whole_question_stays_before_its_later_version() -> None:
    new = replace(NEW, words=1.5)
    assert order(rank(found("cache seconds", replace(OLD, literal=0.5), new), {}, {}, 5)) == ["old", "new"]
    both = [replace(each, literal=0.5) for each in (OLD, new)]
    assert order(rank(found("cache seconds", *both), {}, {}, 5)) == ["new", "old"]


def test_a_single_tag_makes_no_versions() -> None:
    one = frozenset({"job-queue"})
    assert not newer_first(replace(FORMER, tags=one), replace(LATTER, tags=one), KIN)


def meant(covered: float, nearest: float = 0.3) -> list[str]:
    """Of a question that weighs 10, one memory holds so much in words, and another means the same."""
    said = candidate("said", words=covered, covered=covered)
    both = found("x y", said, candidate("means", words=0.0, alike=nearest))
    return order(rank(replace(both, weights={"x": 5, "y": 5}, whole=10.0), {}, {}, 5))


def test_the_less_is_said_in_words_the_more_meaning_decides() -> None:
    assert meant(covered=8.0) == ["said", "means"]
    assert meant(covered=1.0) == ["means", "said"]


def test_what_means_something_else_never_decides() -> None:
    assert meant(covered=1.0, nearest=0.1) == ["said", "means"]


def test_what_each_signal_gave_is_told() -> None:
    hit = rank(found("x y", candidate("a", called=1.0)), {}, {}, 5).hits[0]
    assert hit.signals["words"] == 1.0
    assert hit.signals["called"] == weights.CALLED


def test_what_decides_the_relevance_alone_is_told() -> None:
    hits = rank(found("x y", candidate("a", literal=0.8), candidate("b", tagged=0.9)), {}, {}, 5).hits
    assert [hit.relevance for hit in hits] == [hits[0].signals["literal"], hits[1].signals["tags"]]


def test_what_shares_no_word_joins_below_the_matches_and_is_not_counted() -> None:
    ranked = credited(found("x y", candidate("a"), others=("b",)), {"b": 0.95}, {"a": [(1, "b")]})
    assert (order(ranked)[:1], ranked.total) == (["a"], 1)
    assert all(hit.combined <= ranked.hits[0].combined for hit in ranked.hits)


def test_what_joins_has_half_its_share_of_the_best_content_score_as_matches_have() -> None:
    match, joined = rank(found("x y", candidate("a"), others=("b",)), {}, {"a": [(1, "b")]}, 5).hits
    best = sum(match.signals.values())
    assert joined.relevance == pytest.approx(weights.GRADED_BY_CONTENT * joined.signals["neighbours"] / best)


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
    assert snippet("Title\n\nFirst line.\n\tSecond.", ["first"]) == "Title First line. Second."


def test_the_marks_of_headings_and_lists_are_not_shown() -> None:
    assert (
        snippet("# Alice\n\nShe likes:\n- tea\n* no milk\n> often\n", ["tea"])
        == "Alice: She likes: tea; no milk; often"
    )
    assert snippet("```sh\nmake -C a #1 - b\n```", ["make"]) == "make -C a #1 - b"


def test_the_passage_with_the_words_is_shown_not_the_beginning() -> None:
    text = "Nothing of note here. " * 40 + "The cache evicts with LRU since March. " + "More of nothing. " * 40
    assert "cache evicts with LRU" in snippet(text, terms("cache LRU"))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("when did she go", "Then she (went) home."),
        ("user id", "Then getUserById() is called."),
        ("rate limit", "Then RATE_LIMITS apply."),
        ("E-4012", "Then it fails with e-4012."),
        ("café", "Then tea in the Cafe\u0301."),
        ("東京", "次は2026年に東京で会議。"),
    ],
)
def test_a_word_is_seen_in_any_of_its_forms(asked: str, said: str) -> None:
    text = "Nothing of note was here. " * 20 + said + " More of that." * 20
    assert said.split()[-1] in snippet(text, content_terms(asked))


@pytest.mark.parametrize(
    ("asked", "text", "shown"),
    [
        ("cache", '{"a":"b",' * 100 + '"cache":"redis",' + '"y":"z",' * 100, "cache"),
        ("連接池", "儷兲再凗共凍倎僨凗兄" * 30 + "連接池大小" + "偏冎偅儴倿倀决偨偫凂" * 30, "連接池"),
        ("का", "कालाकार कामना कारण मेंढक " * 10 + "बात " * 100 + "यह का मकान " + "बात " * 100, "यह का मकान"),
    ],
)
def test_a_word_is_seen_in_a_text_without_spaces_and_not_within_another(asked: str, text: str, shown: str) -> None:
    assert shown in snippet(text, content_terms(asked))


def test_a_long_text_is_read_once() -> None:
    runs = "".join(chr(0x4E00 + number % 97) for number in range(60_000))
    for text, asked in ((" ".join(f"getError{number}," for number in range(15_000)), "error"), (runs, runs[7:9])):
        begun = time.process_time()
        terms(text)
        in_words = time.process_time() - begun
        begun = time.process_time()
        snippet(text, [asked])
        assert time.process_time() - begun < 5 * in_words


def test_a_literal_match_is_looked_for_in_time() -> None:
    begun = time.process_time()
    assert not begins_a_word("a " + "xa " * 10_000, "xa " * 100_000)
    assert time.process_time() - begun < 10


def test_a_passage_begins_and_ends_with_whole_words() -> None:
    words = [f"word{i}" for i in range(500)]
    shown = snippet(" ".join(words), ["word300"])
    assert "word300" in shown.split()
    assert all(word in words for word in shown.strip("…").split())


@given(st.text(), st.lists(st.text(max_size=5), max_size=4))
@example("so many words", [""])
def test_any_passage_is_one_short_printable_line(text: str, wanted: list[str]) -> None:
    shown = snippet(text * 20, wanted)
    assert len(shown) <= 240
    assert all(c.isprintable() for c in shown)


def test_a_word_shown_again_does_not_cost_a_sentence_its_beginning() -> None:
    filler = " ".join(f"word{n % 7}" for n in range(28))
    text = f"Never run the cleanup job while the export is active. So {filler}. The nightly run clears it."
    shown = snippet("Nobody has to look at it. " * 20 + text, ["run", "cleanup", "job"])
    assert "Never run the cleanup job" in shown


def test_what_joins_letters_within_a_word_stays() -> None:
    assert (
        snippet("Persian: \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645\a", [])
        == "Persian: \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    )
