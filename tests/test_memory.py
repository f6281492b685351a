"""A memory and its text: what a caller may say, what a person may write, and what comes out of a file."""

import string
from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.errors import Invalid
from clawbrain.memory import model
from clawbrain.memory.header import Unreadable
from clawbrain.memory.model import (
    Memory,
    check_content,
    check_tags,
    check_word,
    new,
    place,
    slug,
)
from clawbrain.memory.text import doubts, edited, parse, render, rewritten

NOW = datetime(2026, 2, 25, 10, tzinfo=UTC)
THEN = datetime(2025, 12, 24, 8, 30, tzinfo=UTC)
ALICE = "entities/people/alice-chen.md"

CONTENT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200).filter(
    lambda text: text.strip() and not model.header.begins_with_block(text)
)


def alice(content: str = "# Alice Chen\n\nLikes tea.", **more: object) -> Memory:
    return new("entity", "alice-chen", content, category="people", now=NOW, **more)  # type: ignore[arg-type]


def read(text: str | bytes, path: str = ALICE) -> Memory:
    return parse(path, text if isinstance(text, bytes) else text.encode(), THEN)


def fault(text: str | bytes, path: str = ALICE) -> str:
    with pytest.raises(Unreadable) as said:
        read(text, path)
    return str(said.value)


# A caller's words


def test_an_entity_is_named_by_category_and_name() -> None:
    assert (alice().id, alice().path) == ("entity-people-alice-chen", ALICE)


def test_an_episode_is_named_by_its_utc_month() -> None:
    late = datetime.fromisoformat("2026-01-31T23:30:00-05:00")
    made = new("episode", "old-session", "text", now=late)
    assert (made.id, made.path) == ("episode-2026-02-old-session", "episodes/2026-02/old-session.md")


def test_an_episodes_category_is_ignored_whatever_it_says() -> None:
    assert new("episode", "x", "text", category="NOT kebab!", now=NOW).category == "2026-02"


@pytest.mark.parametrize("category", [None, ""])
def test_an_entity_needs_a_category(category: str | None) -> None:
    with pytest.raises(Invalid, match="needs a category"):
        new("entity", "x", "text", category=category, now=NOW)


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(Invalid, match="'entity' or 'episode'"):
        new("thing", "x", "text", category="people", now=NOW)


@pytest.mark.parametrize("word", ["a", "a-b", "a1-2b", "0", "x" * 100])
def test_kebab_case_is_taken(word: str) -> None:
    assert check_word("name", word) == word


@pytest.mark.parametrize(
    "word", ["", "A", "a_b", "a--b", "-a", "a-", "a b", "é", "a\n", "a/b", "..", "a.md", "ａ", "１"]
)
def test_anything_else_is_refused(word: str) -> None:
    with pytest.raises(Invalid, match="not kebab-case"):
        check_word("name", word)


def test_a_refusal_suggests_the_nearest_spelling() -> None:
    with pytest.raises(Invalid, match="try 'alice-chen'"):
        check_word("name", "Alice_Chen!")


def test_accents_are_dropped_from_a_suggestion() -> None:
    with pytest.raises(Invalid, match="try 'cafe-creme'"):
        check_word("name", "Café Crème")


@given(st.text(max_size=120))
def test_a_suggestion_is_itself_accepted(word: str) -> None:
    try:
        check_word("name", word)
    except Invalid as refused:
        if "try '" in str(refused):
            suggested = str(refused).rsplit("try '", 1)[1].rstrip(".'")
            assert check_word("name", suggested) == suggested or suggested in model._DEVICES


@pytest.mark.parametrize("word", ["con", "aux", "nul", "prn", "com1", "lpt9"])
def test_a_device_name_is_refused(word: str) -> None:
    with pytest.raises(Invalid, match="device name"):
        check_word("name", word)


def test_a_name_of_101_characters_is_refused() -> None:
    with pytest.raises(Invalid, match="longer than 100"):
        check_word("name", "x" * 101)


def test_a_tag_of_65_characters_is_refused() -> None:
    with pytest.raises(Invalid, match="longer than 64"):
        check_tags(["x" * 65])


def test_thirty_two_tags_are_taken() -> None:
    assert len(check_tags([f"t{n}" for n in range(32)])) == 32


def test_thirty_three_tags_are_refused() -> None:
    with pytest.raises(Invalid, match="too many"):
        check_tags([f"t{n}" for n in range(33)])


def test_a_tag_given_twice_is_one_tag() -> None:
    assert check_tags(["b", "a", "b"]) == ("b", "a")


@pytest.mark.parametrize("blank", ["", " ", "\n\t\n", "\u3000"])
def test_blank_content_is_refused(blank: str) -> None:
    with pytest.raises(Invalid, match="blank"):
        check_content(blank)


def test_a_nul_is_refused() -> None:
    with pytest.raises(Invalid, match="NUL"):
        check_content("a\0b")


def test_a_lone_surrogate_is_refused() -> None:
    with pytest.raises(Invalid, match="surrogate"):
        check_content("a\ud800b")


def test_a_header_block_at_the_start_is_refused_with_a_word_on_tags() -> None:
    with pytest.raises(Invalid, match="`tags`"):
        check_content("\n---\ntags: [a]\n---\n\ntext")


def test_a_rule_of_dashes_at_the_start_is_content() -> None:
    assert check_content("---\n\ntext") == "---\n\ntext"


def test_content_of_exactly_a_megabyte_is_taken() -> None:
    assert check_content("é" * 524_288)


def test_content_one_byte_larger_is_refused() -> None:
    with pytest.raises(Invalid, match="1048576 is the most"):
        check_content("é" * 524_288 + "a")


def test_spaces_at_the_ends_are_content() -> None:
    assert check_content("\n  a  \n") == "  a  "


def test_a_callers_words_stand_in_a_sentence_without_control_characters() -> None:
    assert "\x1b" not in model.shown("\x1b[31m") and "\u202e" not in model.shown("\u202e")


# Slugs, ids, paths


def test_letters_of_other_scripts_stay_in_a_slug() -> None:
    assert slug("Заметки о проекте") == "заметки-о-проекте"


@pytest.mark.parametrize(
    "text, word",
    [
        ("東京で会う", "東京で会う"),
        ("한국어 메모", "한국어-메모"),
        ("हिंदी नोट", "हिंदी-नोट"),
        ("Мой ключ", "мой-ключ"),
        ("Crème Brûlée", "creme-brulee"),
    ],
)
def test_a_mark_is_dropped_from_latin_letters_only(text: str, word: str) -> None:
    assert slug(text) == word


@given(st.text(max_size=40))
def test_a_slug_of_a_slug_is_itself(text: str) -> None:
    assert slug(slug(text)) == slug(text)


@given(st.text(string.ascii_lowercase + string.digits, min_size=1, max_size=8))
def test_a_plain_word_is_its_own_slug(word: str) -> None:
    assert slug(word) == word


def test_two_spellings_can_make_one_id() -> None:
    assert model.make_id("entity", "a-b", "c") == model.make_id("entity", "a", "b-c")


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        ("entities/people/alice-chen.md", ALICE),
        ("entities/people/alice-chen", ALICE),
        ("memory/entities/people/alice-chen.md", ALICE),
        ("people/alice-chen", ALICE),
        ("entity-people/alice-chen", ALICE),
        ("episode-2026-01/old-chat", "episodes/2026-01/old-chat.md"),
        ("2026-01/old-chat", "episodes/2026-01/old-chat.md"),
    ],
)
def test_a_reference_may_be_a_path_or_a_slash_form(reference: str, path: str) -> None:
    assert path in model.spelled_paths(reference)


def test_a_plain_id_is_never_taken_apart() -> None:
    assert model.spelled_paths("entity-people-alice-chen") == []


@pytest.mark.parametrize(
    ("path", "origin"), [("a/b~2.md", "a/b.md"), ("a/b~13.md", "a/b.md"), ("a/b~c.md", "a/b~c.md")]
)
def test_an_archived_name_tells_where_it_came_from(path: str, origin: str) -> None:
    assert model.unnumbered(path) == origin


@pytest.mark.parametrize(
    ("path", "word"),
    [
        ("notes.md", "no place"),
        ("entities/x.md", "no place"),
        ("entities/a/b/c.md", "no place"),
        ("other/a/b.md", "no place"),
        ("episodes/2026-13/a.md", "month"),
        ("episodes/people/a.md", "month"),
        ("episodes/2026-1/a.md", "month"),
        ("entities/people/---.md", "no letter"),
        ("entities/people/a.conflict-20260225T100000Z.md", "conflict copy"),
        ("entities/people/a.sync-conflict-20260225-100000-ABC.md", "conflict copy"),
        ("entities/people/a (Bob's conflicted copy 2026-02-25).md", "conflict copy"),
    ],
)
def test_a_path_that_is_no_place_of_a_memory_says_why(path: str, word: str) -> None:
    with pytest.raises(Unreadable, match=word):
        place(path)


# Dates


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("2026-02-25T10:00:00Z", "2026-02-25T10:00:00Z"),
        ("2026-02-25", "2026-02-25T00:00:00Z"),
        ("2026-02-25 10:00", "2026-02-25T10:00:00Z"),
        ("2026-02-25T10:00:00+02:00", "2026-02-25T08:00:00Z"),
        ("2026-02-25T10:00:00.123456Z", "2026-02-25T10:00:00Z"),
        ("0001-01-01", "0001-01-01T00:00:00Z"),
    ],
)
def test_a_date_may_lack_its_time_or_carry_another_zone(written: str, meant: str) -> None:
    assert read(f"---\ncreated: {written}\n---\nx").created == meant


@pytest.mark.parametrize(
    "odd", ["yesterday", "2026-13-45", "12:30:45", "0001-01-01T00:00:00+10:00", "[2026]", "9999-12-31T23:00:00-10:00"]
)
def test_what_is_no_date_counts_for_none_and_is_doubted(odd: str) -> None:
    text = f"---\nupdated: {odd}\n---\nx"
    assert read(text).updated == read("x").updated
    [doubt] = doubts(text.encode())
    assert "`updated`" in doubt and "write 2026-02-25T10:00:00Z" in doubt


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30), timezones=st.just(UTC)))
def test_dates_compare_as_text(when: datetime) -> None:
    assert model.moment(model.stamp(when)) == when.replace(microsecond=0)
    assert (model.stamp(when) < model.stamp(NOW)) == (when.replace(microsecond=0) < NOW)


def test_a_clock_set_back_makes_no_negative_days() -> None:
    assert model.days_between("2026-02-25T10:00:00Z", "2026-02-24T10:00:00Z") == 0


def test_half_a_day_is_half_a_day() -> None:
    assert model.days_between("2026-02-25T00:00:00Z", "2026-02-25T12:00:00Z") == 0.5


# Files


def test_the_file_is_the_contracts_own() -> None:
    made = alice(tags=["colleague", "ml-team"])
    assert render(made).decode() == (
        '---\nid: "entity-people-alice-chen"\ntype: "entity"\ncategory: "people"\n'
        'tags: ["colleague", "ml-team"]\ncreated: "2026-02-25T10:00:00Z"\nupdated: "2026-02-25T10:00:00Z"\n'
        "pinned: false\n---\n\n# Alice Chen\n\nLikes tea.\n"
    )


@given(CONTENT)
def test_content_comes_back_as_given(content: str) -> None:
    assert read(render(alice(content))).content == content.strip("\r\n")


@given(CONTENT, CONTENT)
def test_an_update_changes_the_content_and_nothing_else(before: str, after: str) -> None:
    updated = read(edited(render(alice(before, tags=["a"], pinned=True)), check_content(after)))
    assert updated.content == after.strip("\r\n")
    assert (updated.tags, updated.pinned, updated.created) == (("a",), True, "2026-02-25T10:00:00Z")


def test_everything_comes_back_from_the_file() -> None:
    made = alice(tags=["a"], pinned=True)
    assert read(render(made)) == made


def test_a_file_without_a_header_is_a_memory() -> None:
    found = read("Just text.\n")
    assert (found.id, found.content, found.tags, found.pinned) == ("entity-people-alice-chen", "Just text.", (), False)


def test_missing_dates_come_from_the_file() -> None:
    assert read("text").created == read("text").updated == "2025-12-24T08:30:00Z"


def test_type_category_and_name_follow_the_path_whatever_the_header_says() -> None:
    found = read("---\ntype: episode\ncategory: x\nname: y\n---\ntext")
    assert (found.type, found.category, found.name) == ("entity", "people", "alice-chen")


def test_a_persons_file_name_is_shown_as_it_is() -> None:
    found = read("text", "entities/people/Alice Chen.md")
    assert (found.id, found.name) == ("entity-people-alice-chen", "Alice Chen")


def test_a_headers_id_wins_over_the_path() -> None:
    assert read("---\nid: entity-people-al\n---\ntext").id == "entity-people-al"


@pytest.mark.parametrize("empty", ['""', "", "[]", "{}"])
def test_an_empty_id_is_no_id(empty: str) -> None:
    try:
        assert read(f"---\nid: {empty}\n---\ntext").id == "entity-people-alice-chen"
    except Unreadable:
        assert empty in ("[]", "{}")


@pytest.mark.parametrize("id", ["a/b", "../x", "a b", ".hidden", "x" * 601, '"a\\nb"', "[a]"])
def test_an_unusable_id_is_a_fault(id: str) -> None:
    assert "id is not usable" in fault(f"---\nid: {id}\n---\ntext")


def test_unknown_keys_are_kept_as_extra() -> None:
    assert read("---\nkind: decision\nlinks: {to: x}\n---\ntext").extra == {"kind": "decision", "links": {"to": "x"}}


def test_kind_is_a_word_or_nothing() -> None:
    assert read("---\nkind: [a]\n---\ntext").kind == ""


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("[a, B c]", ("a", "B c")),
        ("solo", ("solo",)),
        ("", ()),
        ("[]", ()),
        ("[a, a]", ("a",)),
        ("[1, no]", ("1", "no")),
    ],
)
def test_tags_may_be_any_strings_or_one_string(written: str, tags: tuple[str, ...]) -> None:
    assert read(f"---\ntags: {written}\n---\nx").tags == tags


@pytest.mark.parametrize("odd", ["[[a]]", "{a: b}"])
def test_tags_that_are_no_words_are_a_fault(odd: str) -> None:
    assert "tags are not a list" in fault(f"---\ntags: {odd}\n---\nx")


@pytest.mark.parametrize(
    ("written", "pinned"),
    [("true", True), ("yes", True), ("Yes", True), ("false", False), ("no", False), ("", False), ('"true"', True)],
)
def test_pinned_takes_yes_and_no(written: str, pinned: bool) -> None:
    assert read(f"---\npinned: {written}\n---\nx").pinned is pinned


@pytest.mark.parametrize("odd", ["maybe", "1", "[true]", "[]"])
def test_any_other_pinned_is_a_fault(odd: str) -> None:
    assert "neither true nor false" in fault(f"---\npinned: {odd}\n---\nx")


def test_bytes_that_are_not_utf8_are_a_fault_that_says_where() -> None:
    assert "not UTF-8 at byte 2" in fault(b"ab\xff")


def test_a_nul_in_a_file_is_a_fault() -> None:
    assert "NUL" in fault("a\0b")


def test_a_file_larger_than_four_megabytes_is_a_fault() -> None:
    assert "larger than 4 MB" in fault(b"x" * (4 * 1_048_576 + 1))


def test_a_byte_order_mark_is_no_content() -> None:
    assert read("\ufefftext").content == "text"


def test_a_byte_order_mark_may_stand_before_the_header() -> None:
    assert read("\ufeff---\nid: x\n---\ntext").id == "x"


@given(st.binary(max_size=300))
def test_no_bytes_do_more_than_say_no(data: bytes) -> None:
    with suppress(Unreadable):
        read(data)


@given(st.text(max_size=100))
def test_no_header_does_more_than_say_no(head: str) -> None:
    with suppress(Unreadable):
        read(f"---\n{head}\n---\ntext")


# Line endings


def test_a_crlf_file_answers_lf() -> None:
    assert read("---\r\nid: x\r\n---\r\n\r\na\r\nb\r\n").content == "a\nb"


def test_a_crlf_file_stays_one_when_updated() -> None:
    assert edited(b"---\r\nid: x\r\n---\r\n\r\na\r\n", "b\nc") == b"---\r\nid: x\r\n---\r\n\r\nb\r\nc\r\n"


def test_crlf_content_keeps_its_bytes_in_a_file_of_ours() -> None:
    assert read(render(alice("a\r\nb"))).content == "a\r\nb"


def test_an_update_keeps_the_newlines_around_the_old_body() -> None:
    assert edited(b"---\na: b\n---\n\n\nold\n\n\n", "new") == b"---\na: b\n---\n\n\nnew\n\n\n"


def test_an_update_of_a_file_without_a_last_newline_ends_in_one() -> None:
    assert edited(b"---\na: b\n---\nold", "new").endswith(b"new\n")


def test_an_update_of_a_file_without_a_header_gives_it_dates() -> None:
    data = rewritten(b"old\n", "new", updated="2026-02-25T10:00:00Z", created="2025-01-01T00:00:00Z")
    found = read(data)
    assert (found.content, found.created, found.updated) == ("new", "2025-01-01T00:00:00Z", "2026-02-25T10:00:00Z")
