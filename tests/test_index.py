"""The index: what it finds, which file serves an id, and that nothing done to its file can break it."""

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import pytest

from clawbrain.credit import Earned
from clawbrain.memory.model import Fingerprint, Memory, make_id
from clawbrain.search import like_words
from clawbrain.search.evidence import Evidence
from clawbrain.search.question import Question, read_question
from clawbrain.search.rank import Ranking, rank
from clawbrain.storage import candidates
from clawbrain.storage.candidates import EVERYTHING, Filter
from clawbrain.storage.index import Index, Seen


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    opened = Index(tmp_path)
    yield opened
    opened.close()


def memory(name: str, content: str, *tags: str, category: str = "projects", **more: str) -> Memory:
    type = more.get("type", "entity")
    category = "2026-01" if type == "episode" else category
    folder = "entities" if type == "entity" else "episodes"
    return Memory(
        id=more.get("id") or make_id(type, category, name),
        type=type,
        category=category,
        name=name,
        path=f"{folder}/{category}/{name}.md",
        content=content,
        tags=tags,
        created="2026-01-05T10:00:00Z",
        updated=more.get("updated", "2026-01-05T10:00:00Z"),
    )


def seen(memory: Memory, size: int = 1) -> Seen:
    return Seen(memory.path, Fingerprint(size, 2, 3, 4), f"digest-of-{memory.content}", memory)


def put(index: Index, *memories: Memory) -> None:
    index.put([seen(memory) for memory in memories])


TODAY = date(2026, 2, 20)


def gathered(index: Index, query: str, among: Filter = EVERYTHING) -> tuple[Question, Evidence]:
    question = read_question(query, TODAY)
    wanted = like_words.wanted(question, index.lexicon(question), candidates.families())
    return question, index.evidence(question, wanted, among)


def search(index: Index, query: str, type: str | None = None, limit: int = 20) -> Ranking:
    return rank(*gathered(index, query, Filter(type)), {}, limit)


def names(index: Index, query: str, type: str | None = None) -> list[str]:
    return [found.name for match in search(index, query, type).matches if (found := index.get(match.id))]


# Files


def test_a_new_index_knows_nothing_and_was_never_looked_at(index: Index) -> None:
    assert index.fingerprints() == {}
    assert index.last_scan() == (0.0, 0.0)
    assert index.count() == 0


def test_what_was_put_is_known_by_id_and_by_path(index: Index) -> None:
    stored = memory("auth-module", "Uses JWT.", "auth", "jwt")
    put(index, stored)
    assert index.get(stored.id) == stored
    assert index.at(stored.path) == stored
    assert index.digest(stored.path) == "digest-of-Uses JWT."
    assert index.fingerprints() == {stored.path: Fingerprint(1, 2, 3, 4)}


def test_unknown_header_keys_come_back(index: Index) -> None:
    plain = memory("x", "text")
    stored = Memory(**{f: getattr(plain, f) for f in Memory.__slots__} | {"extra": {"kind": "note", "l": ["a"]}})
    put(index, stored)
    assert index.get(stored.id) == stored


def test_a_second_connection_sees_what_the_first_put(index: Index, tmp_path: Path) -> None:
    other = Index(tmp_path)
    assert other.fingerprints() == {}
    put(index, memory("a", "alpha"))
    assert list(other.fingerprints()) == ["entities/projects/a.md"]
    assert names(other, "alpha") == ["a"]
    other.close()


def test_what_was_kept_of_a_word_is_forgotten_when_somebody_writes(index: Index, tmp_path: Path) -> None:
    put(index, memory("a", "alpha beta"))
    assert names(index, "alpha") == ["a"]
    other = Index(tmp_path)
    put(other, memory("b", "alpha"))
    assert sorted(names(index, "alpha")) == ["a", "b"]
    put(other, memory("b", "gamma"))
    assert names(index, "alpha") == ["a"]
    put(index, memory("a", "gamma"))
    assert names(index, "alpha") == []
    other.close()


def test_what_was_kept_of_a_memory_is_forgotten_when_somebody_writes(index: Index, tmp_path: Path) -> None:
    put(index, memory("a", "alpha is here", "one"))
    assert gathered(index, "what is alpha?")[1].documents["entity-projects-a"].tags == {"one"}
    other = Index(tmp_path)
    put(other, memory("a", "alpha is here since May 2025", "two"))
    found = gathered(index, "what is alpha?")[1].documents["entity-projects-a"]
    assert (found.tags, found.says_when) == ({"two"}, 1)
    other.close()


def test_a_changed_file_is_found_by_its_new_words_only(index: Index) -> None:
    put(index, memory("a", "old words"))
    put(index, memory("a", "fresh text"))
    assert names(index, "words") == []
    assert names(index, "fresh") == ["a"]
    assert index.count() == 1


def test_a_file_that_is_gone_is_found_no_more(index: Index) -> None:
    put(index, memory("a", "alpha"), memory("b", "alpha"))
    index.put([], gone=["entities/projects/a.md", "entities/projects/never-there.md"])
    assert names(index, "alpha") == ["b"]
    assert index.get("entity-projects-a") is None
    assert index.ids() == {"entity-projects-b"}


def test_a_broken_file_is_remembered_with_its_fault_and_serves_nothing(index: Index) -> None:
    put(index, memory("a", "alpha"))
    index.put([Seen("entities/projects/a.md", Fingerprint(9, 9, 9, 9), "d", None, "not UTF-8 at byte 3")])
    assert index.faults() == [("entities/projects/a.md", "not UTF-8 at byte 3")]
    assert index.at("entities/projects/a.md") is None
    assert names(index, "alpha") == []
    assert index.fingerprints()["entities/projects/a.md"].size == 9


def test_the_last_scan_is_kept_for_every_process(index: Index, tmp_path: Path) -> None:
    index.set_last_scan(1234.5, 0.25)
    other = Index(tmp_path)
    assert other.last_scan() == (1234.5, 0.25)
    other.close()


def test_memories_come_by_id_and_by_type(index: Index) -> None:
    put(index, *(memory(f"m{i:04}", "text") for i in reversed(range(1_200))))
    put(index, memory("talk", "text", type="episode"))
    ids = [each.id for each in index.memories()]
    assert ids == sorted(ids)
    assert len(ids) == 1_201
    assert [each.name for each in index.memories("episode")] == ["talk"]
    assert index.count("entity") == 1_200


def test_the_most_recent_come_by_date_then_id(index: Index) -> None:
    put(index, memory("a", "x"), memory("c", "x", updated="2026-03-01T00:00:00Z"), memory("b", "x"))
    assert [each.name for each in index.recent(None, 2)] == ["c", "a"]


# Two files with one id


def test_of_two_files_with_one_id_the_one_that_spells_it_is_served(index: Index) -> None:
    right = memory("alice", "right", category="people")
    wrong = memory("copy", "wrong", category="people", id=right.id)
    put(index, right, wrong)
    assert index.get(right.id) == right
    assert [path for path, _ in index.faults()] == [wrong.path]
    assert names(index, "wrong") == []


def test_of_two_files_with_an_id_neither_spells_none_is_served(index: Index) -> None:
    put(index, memory("one", "text", id="entity-x-y"), memory("two", "text", id="entity-x-y"))
    assert index.get("entity-x-y") is None
    assert len(index.faults()) == 2


def test_a_renamed_file_alone_keeps_its_id(index: Index) -> None:
    put(index, memory("new-name", "text", id="entity-projects-old-name"))
    assert index.get("entity-projects-old-name") is not None
    assert index.faults() == []


def test_when_the_owner_goes_the_other_is_served(index: Index) -> None:
    right = memory("alice", "right", category="people")
    other = memory("copy", "second words", category="people", id=right.id)
    put(index, right, other)
    index.put([], gone=[right.path])
    assert index.get(right.id) == other
    assert names(index, "second") == ["copy"]
    assert index.faults() == []


def test_when_a_rival_comes_and_goes_the_first_is_served_again(index: Index) -> None:
    first = memory("one", "text", id="entity-x-y")
    put(index, first)
    put(index, memory("two", "text", id="entity-x-y"))
    assert names(index, "text") == []
    index.put([], gone=["entities/projects/two.md"])
    assert names(index, "text") == ["one"]


def test_a_move_in_one_put_keeps_the_id(index: Index) -> None:
    put(index, memory("old", "text"))
    index.put([seen(memory("new", "text", id="entity-projects-old"))], gone=["entities/projects/old.md"])
    assert index.get("entity-projects-old") is not None
    assert index.at("entities/projects/old.md") is None


# Search


def test_a_question_finds_the_memory_that_shares_its_words(index: Index) -> None:
    put(index, memory("cache", "We switched the cache to LRU in May."), memory("tea", "Alice drinks tea."))
    assert names(index, "when did we switch the cache to LRU, and why?") == ["cache"]


@pytest.mark.parametrize(
    ("query", "relevance"), [("auth module", 1.0), ("token", 0.8), ("rotates", 0.5), ("rotate daily", 0.5)]
)
def test_relevance_says_where_the_query_stands(index: Index, query: str, relevance: float) -> None:
    put(index, memory("auth-module", "It rotates keys. We rotate daily.", "token-bucket"))
    assert search(index, query).matches[0].relevance == relevance


def test_every_literal_match_is_counted_and_competes(index: Index) -> None:
    put(index, *(memory(f"m{i}", f"number {i} of the deployments") for i in range(500)))
    question, found = gathered(index, "deploy")
    earned = {"entity-projects-m7": Earned(by_kind=((rank(question, found, {}, 5).kind, 2.0),))}
    ranked = rank(question, found, earned, 5)
    assert (ranked.total, ranked.matches[0].id) == (500, "entity-projects-m7")
    assert len(found.documents) == 500


def test_every_graded_match_is_counted(index: Index) -> None:
    put(index, *(memory(f"m{i}", f"alpha {i}") for i in range(300)), *(memory(f"n{i}", "beta") for i in range(7)))
    assert search(index, "beta or alpha?").total == 307
    put(index, memory("talk", "beta", type="episode"))
    assert [search(index, "beta or alpha?", type).total for type in (None, "entity", "episode")] == [308, 307, 1]


def test_a_phrase_with_other_marks_between_is_no_literal_match(index: Index) -> None:
    put(index, memory("a", "first rate, limit second"), memory("b", "the rate_limit"))
    documents = gathered(index, "rate limit")[1].documents
    assert [documents[f"entity-projects-{name}"].literal for name in "ab"] == [0.0, 0.5]


def test_a_search_for_one_type_finds_only_that(index: Index) -> None:
    put(index, memory("a", "alpha"), memory("talk", "alpha", type="episode"))
    assert names(index, "alpha", "episode") == ["talk"]
    assert names(index, "alpha", "entity") == ["a"]
    assert search(index, "alpha", "episode").total == 1


def test_the_newest_come_as_far_as_they_fit(index: Index) -> None:
    put(index, memory("old", "x"), memory("new", "x", updated="2026-05-01T00:00:00Z"), memory("e", "x", type="episode"))
    newest, total = index.newest(Filter("entity"), 1)
    assert ([each.name for each in newest], total) == (["new"], 2)


@pytest.mark.parametrize(
    ("among", "found"),
    [
        (Filter(category="billing"), {"a"}),
        (Filter(tags=("one",)), {"a", "b"}),
        (Filter(tags=("one", "two")), {"b"}),
        (Filter(since="2026-01-06"), set()),
        (Filter(since="2026-01-05", until="2026-01-05"), {"a", "b", "c"}),
        (Filter(until="2026-01-04"), set()),
        (Filter(type="episode"), {"c"}),
        (Filter(only=lambda memory: memory.name in "bc"), {"b", "c"}),
        (Filter(tags=("one",), only=lambda memory: memory.name in "bc"), {"b"}),
    ],
)
@pytest.mark.parametrize("query", ["alpha", "what is alpha for?", "what was made on 5 January?"])
def test_a_filter_leaves_only_what_fits(index: Index, query: str, among: Filter, found: set[str]) -> None:
    put(index, memory("a", "alpha it is", "one", category="billing"), memory("b", "alpha it is", "one", "two"))
    put(index, memory("c", "alpha it is", type="episode"))
    _, evidence = gathered(index, query, among)
    assert {id.rpartition("-")[2] for id in evidence.documents} == found
    assert evidence.total == len(found)
    assert {each.name for each in index.newest(among, 9)[0]} == found


def test_like_words_find_what_shares_no_word_where_few_share_one(index: Index) -> None:
    put(index, memory("e", "An error on day 1."), memory("f", "A fault."), memory("tea", "Alice drinks tea."))
    assert names(index, "what errors were there") == ["e", "f"]


@pytest.mark.parametrize(("asked", "said"), [("⑴ alpha", "⑴ alpha"), ("Y" + 80 * "a", "xY" + 80 * "a")])
def test_what_is_written_oddly_is_found(index: Index, asked: str, said: str) -> None:
    put(index, memory("a", f"Call {said} for it."), memory("tea", "Alice drinks tea."))
    assert names(index, asked) == ["a"]


def test_code_is_found_by_its_parts(index: Index) -> None:
    put(index, memory("a", "Call getUserById twice."), memory("b", "see src/auth/login_form.py"))
    assert names(index, "user id") == ["a"]
    assert names(index, "login form problems") == ["b"]
    assert names(index, "get_user_by_id") == ["a"]


@pytest.mark.parametrize(
    "asked",
    ["postgers", "postgras", "ppostgres", "ostgres", "kostgres", "opstgres"],
)
def test_a_misspelt_word_is_found_also_where_its_first_letter_is_wrong(index: Index, asked: str) -> None:
    put(index, memory("db", "Postgres keeps the orders."), memory("tea", "Alice drinks tea."))
    assert names(index, f"what is in {asked}?") == ["db"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("migratoin", "migration"),
        ("idempotncy", "idempotency"),
        ("locekd", "locked"),
        ("blok", "block"),
        ("slott", "slot"),
        ("confgiurations", "configuration"),
    ],
)
def test_so_it_is_where_the_mistake_hides_an_ending(index: Index, asked: str, said: str) -> None:
    put(index, memory("a", f"It is about a {said} of theirs."), memory("tea", "Alice drinks tea."))
    assert names(index, f"what about the {asked}?") == ["a"]


@pytest.mark.parametrize("asked", ["кафка", "кавка", "гафка", "ккафка"])
def test_so_it_is_in_other_alphabets(index: Index, asked: str) -> None:
    put(index, memory("queue", "Очередь здесь кафка."), memory("tea", "Алиса пьёт чай."))
    assert names(index, f"где {asked}?") == ["queue"]


@pytest.mark.parametrize(("asked", "said"), [("lukasz", "Łukasz"), ("аванко", "Іванко")])
def test_so_it_is_where_a_letter_is_none_of_the_keyboard(index: Index, asked: str, said: str) -> None:
    put(index, memory("a", f"Ask {said} about it."), memory("tea", "Alice drinks tea."))
    assert names(index, f"who is {asked}?") == ["a"]


@pytest.mark.parametrize("asked", ["surrender", "kostgras", "borders"])
def test_a_word_that_nobody_said_is_no_misspelt_one(index: Index, asked: str) -> None:
    put(index, memory("db", "Postgres keeps the current states."))
    assert names(index, f"what about {asked}?") == []


def test_other_scripts_are_found(index: Index) -> None:
    put(index, memory("jp", "東京のサーバーを再起動した"), memory("de", "Die Übersicht für Zürich"))
    assert names(index, "サーバー") == ["jp"]
    assert names(index, "京") == ["jp"]
    assert names(index, "ubersicht") == ["de"]


def test_tags_that_cannot_be_read_make_the_index_anew(index: Index, tmp_path: Path) -> None:
    put(index, memory("a", "Alpha and more.", "tag"))
    for broken in ("'[\"ta'", "NULL"):
        with closing(sqlite3.connect(tmp_path / "index.db")) as db, db:
            db.execute(f"UPDATE memories SET tags = {broken}")
        assert names(index, "what is alpha?") == []
        put(index, memory("a", "Alpha and more.", "tag"))
        assert names(index, "what is alpha?") == ["a"]


def test_words_that_are_lost_make_the_index_anew(index: Index, tmp_path: Path) -> None:
    put(index, memory("a", "Alpha and more."))
    with closing(sqlite3.connect(tmp_path / "index.db")) as db, db:
        db.execute("UPDATE memories SET terms = NULL")
    assert names(index, "what is alpha?") == []
    put(index, memory("a", "Alpha and more."))
    assert names(index, "what is alpha?") == ["a"]


def test_a_memory_is_found_by_the_day_it_was_made_and_its_category(index: Index) -> None:
    put(index, memory("a", "text", category="billing"))
    assert names(index, "what happened in January?") == ["a"]
    assert names(index, "billing questions") == ["a"]


@pytest.mark.parametrize(
    "query",
    [
        '"', "'", "*", "a*", "NOT", "a AND", "NEAR(a b)", "name:x", "^a", "a + b", "(", ")", "-a", "{a b}:c", "\\",
        "\0", "a\0b", "\ud800", "🎉", "👩‍👩‍👧", "%", "_", "; DROP TABLE files", "--", "/*", "?1", "the", "!!!",
        "\u202e", "東", "ไทย", "हिन्दी", "x" * 100_000, "a " * 50_000, "東京" * 30_000, "é" * 5_000, '"' * 1_000,
    ],
)  # fmt: skip
def test_no_question_is_an_error(index: Index, tmp_path: Path, query: str) -> None:
    put(index, memory("a", "Some text: NOT (a AND b) 🎉 the end; 東京 हिन्दी"))
    before = os.stat(tmp_path / "index.db").st_ino
    search(index, query)
    assert os.stat(tmp_path / "index.db").st_ino == before
    assert index.count() == 1


def test_a_fault_of_ours_does_not_cost_the_index(index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(index, memory("a", "Some text."))
    before = os.stat(tmp_path / "index.db").st_ino
    monkeypatch.setattr("clawbrain.search.like_words.wanted", lambda *_: None)
    with pytest.raises(AttributeError):
        search(index, "text")
    assert os.stat(tmp_path / "index.db").st_ino == before


def test_an_emoji_is_found(index: Index) -> None:
    put(index, memory("a", "shipped 🎉 at last"))
    assert names(index, "🎉") == ["a"]


def test_sharing_gives_those_that_share_most_first(index: Index) -> None:
    put(index, memory("a", "redis"), memory("b", "redis cluster"), memory("c", "tea", type="episode"))
    assert [each.name for each in index.sharing(["redi", "cluster", "tea"], Filter("entity"), 5)] == ["b", "a"]
    assert [each.name for each in index.sharing(["redi", "cluster", "tea"], Filter("entity"), 1)] == ["b"]
    assert {each.name for each in index.sharing(["redi", "cluster", "tea"], EVERYTHING, 5)} == {"a", "b", "c"}
    assert index.sharing(["unheard"], EVERYTHING, 5) == index.sharing([], EVERYTHING, 5) == []


def test_sharing_looks_within_a_category(index: Index) -> None:
    put(index, memory("a", "redis cluster"), memory("b", "redis", category="people"))
    assert [each.name for each in index.sharing(["redi", "cluster"], Filter("entity", "people"), 1)] == ["b"]


def test_sharing_looks_past_the_words_that_nobody_else_has(index: Index) -> None:
    own = [f"unheard{number}" for number in range(40)]
    put(index, memory("a", " ".join([*own, "cluster"])), memory("b", "cluster"))
    assert {each.name for each in index.sharing([*own, "cluster"], Filter("entity"), 5)} == {"a", "b"}


# Nothing done to its file breaks it


def fill(index: Index) -> None:
    put(index, *(memory(f"m{i}", f"alpha {i} " + "padding " * 50) for i in range(200)))


def test_its_file_is_for_its_owner_only(index: Index, tmp_path: Path) -> None:
    fill(index)
    assert stat.S_IMODE(os.stat(tmp_path / "index.db").st_mode) == 0o600
    assert [file.name for file in tmp_path.iterdir() if "journal" not in file.name] == ["index.db"]


def test_it_lives_on_from_one_process_to_the_next(index: Index, tmp_path: Path) -> None:
    fill(index)
    index.close()
    again = Index(tmp_path)
    assert again.count() == 200
    again.close()


@pytest.mark.parametrize("key", ["version", "boot"])
def test_of_another_version_or_before_the_last_boot_it_is_made_anew(index: Index, tmp_path: Path, key: str) -> None:
    fill(index)
    index.close()
    with sqlite3.connect(tmp_path / "index.db") as db:
        db.execute("UPDATE meta SET value = 'another' WHERE key = ?", [key])
    db.close()
    again = Index(tmp_path)
    assert again.fingerprints() == {}
    fill(again)
    assert again.count() == 200
    again.close()


def damage_delete(path: Path) -> None:
    path.unlink()


def damage_empty(path: Path) -> None:
    os.truncate(path, 0)


def damage_halve(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def damage_overwrite(path: Path) -> None:
    path.write_bytes(b"no database at all\n" * 1000)


def damage_middle(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))


def damage_replace(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE else_ (x)")
    db.close()


def damage_json(path: Path) -> None:
    """As flipped bits may leave it: a database, but what stands in it cannot be."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE memories SET tags = 'x'")


DAMAGES = [damage_delete, damage_empty, damage_halve, damage_overwrite, damage_middle, damage_replace, damage_json]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_under_a_running_process_it_heals(index: Index, tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    fill(index)
    damage(tmp_path / "index.db")
    list(index.memories())
    search(index, "alpha")
    fill(index)
    assert index.count() == 200
    assert search(index, "alpha").total == 200


@pytest.mark.parametrize("damage", DAMAGES)
def test_found_damaged_it_is_made_anew(index: Index, tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    fill(index)
    index.close()
    damage(tmp_path / "index.db")
    again = Index(tmp_path)
    fill(again)
    assert search(again, "alpha").total == 200
    again.close()


def test_a_folder_in_its_place_does_not_stop_the_search(tmp_path: Path) -> None:
    (tmp_path / "index.db").mkdir()
    index = Index(tmp_path)
    fill(index)
    assert search(index, "alpha").total == 200
    index.close()


def test_read_only_it_leaves_no_trace(tmp_path: Path) -> None:
    index = Index(tmp_path / "none", read_only=True)
    fill(index)
    assert search(index, "alpha").total == 200
    assert not (tmp_path / "none").exists()
    index.close()


def test_several_threads_may_use_it_at_once(index: Index) -> None:
    fill(index)
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for i in range(20):
                put(index, memory(f"t{number}-{i}", "beta"))
                search(index, "alpha beta")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert search(index, "beta").total == 80


def _put_many(folder: Path, number: int) -> None:
    index = Index(folder)
    for i in range(60):
        put(index, memory(f"p{number}-{i}", "gamma"))
        search(index, "gamma")
        if number == 0 and i % 20 == 10:
            index.renew()
    index.close()


def test_processes_share_it_even_while_one_makes_it_anew(tmp_path: Path) -> None:
    context = get_context("spawn")
    workers = [context.Process(target=_put_many, args=(tmp_path, n)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    index = Index(tmp_path)
    assert index.count() == len(index.fingerprints()) == search(index, "gamma").total
    index.close()
