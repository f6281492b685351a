"""The header: people's YAML is read strictly, and an edit changes nothing but its own value."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawbrain.errors import Invalid
from clawbrain.memory.header import Unreadable, read, take_apart, written
from clawbrain.memory.strict_handler import changed

WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
LINES = st.from_regex(r"[a-zé][a-z_]{0,8}", fullmatch=True)


def head_of(text: str) -> dict[str, object]:
    return read(take_apart(text).head)


def complaint(head: str) -> str:
    with pytest.raises(Unreadable) as said:
        read(head)
    return str(said.value)


# Taking apart


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain\n",
        "---\na: b\n---\nbody",
        "\ufeff---\r\na: b\r\n---\r\nbody\r\n",
        "---\n---\n",
        "\ufeffbody",
        "---\na: 1\n---",
    ],
)
def test_the_parts_joined_are_the_text(text: str) -> None:
    assert "".join(take_apart(text)) == text


def test_a_file_without_a_header_is_all_body() -> None:
    assert take_apart("# Title\n").body == "# Title\n"


def test_a_line_of_dashes_further_down_is_no_header() -> None:
    assert take_apart("text\n\n---\n\nmore\n").head == ""


def test_the_header_ends_at_the_first_closing_line() -> None:
    assert take_apart("---\na: b\n---\ntext\n---\n").body == "text\n---\n"


def test_an_unclosed_header_says_what_to_add() -> None:
    with pytest.raises(Unreadable, match="not closed: add a line '---'"):
        take_apart("---\nid: x\n\n# Title\n")


# Reading


def test_every_scalar_is_a_string() -> None:
    assert read("a: no\nb: 12:30:45\nc: 2026-13-45\nd: 1e3\ne: null\n") == {
        "a": "no",
        "b": "12:30:45",
        "c": "2026-13-45",
        "d": "1e3",
        "e": "null",
    }


def test_lists_and_mappings_are_taken_as_they_are() -> None:
    assert read("tags: [a, 1]\nlinks:\n  to: x\n  more:\n  - y\n") == {
        "tags": ["a", "1"],
        "links": {"to": "x", "more": ["y"]},
    }


def test_comments_and_blank_lines_are_nobodys_values() -> None:
    assert read("# mine\n\na: b # why\n") == {"a": "b"}


def test_a_header_of_comments_alone_is_empty() -> None:
    assert read("# nothing yet\n") == {}


def test_an_empty_header_is_empty() -> None:
    assert read("") == {}


@pytest.mark.parametrize(
    ("head", "word"),
    [
        ("a: &x b\n", "anchor"),
        ("a: *x\n", "anchor|alias"),
        ("a: !!python/object:os.system x\n", "tag"),
        ("a: !!str x\n", "tag"),
        ("<<: {a: b}\n", "not a word"),
        ("a: b\na: c\n", "twice"),
        ('a: "b"\na: "c"\n', "twice"),
        ("- a\n- b\n", "key: value"),
        ("just words\n", "key: value"),
        ("? [a]\n: b\n", "not a word"),
        ("a: b\n...\n---\nc: d\n", "more than one|not valid"),
        ("a: [1\n", "not valid YAML"),
        ("a: b: c\n", "not valid YAML"),
        ("\ta: b\n", "not valid YAML"),
        ('a: "\\x"\n', "not valid YAML"),
        ("a: \x07\n", "not valid YAML"),
    ],
)
def test_what_could_surprise_is_refused(head: str, word: str) -> None:
    assert any(each in complaint(head) for each in word.split("|"))


def test_a_complaint_names_the_line_of_the_file() -> None:
    assert "(line 3)" in complaint("a: b\nc: [1\n") or "(line 4)" in complaint("a: b\nc: [1\n")


def test_depth_five_is_read() -> None:
    assert read("a: [[[[x]]]]\n") == {"a": [[[["x"]]]]}


def test_depth_six_is_refused() -> None:
    assert "deep" in complaint("a: [[[[[x]]]]]\n")


@pytest.mark.parametrize("deep", ["[" * 8000, "{a: " * 4000, '[["' * 4000])
def test_absurd_depth_is_refused_not_fatal(deep: str) -> None:
    complaint(f"a: {deep}\n")


def test_sixteen_kilobytes_are_read() -> None:
    head = "a: " + "x" * (16_384 - 4) + "\n"
    assert len(read(head)["a"]) == 16_380


def test_more_than_sixteen_kilobytes_are_refused() -> None:
    assert "larger" in complaint("a: " + "é" * 8_192 + "\n")


@given(st.dictionaries(LINES, WORDS | st.lists(WORDS, max_size=4) | st.booleans(), max_size=5))
def test_what_we_write_is_read_back(values: dict[str, object]) -> None:
    head = "".join(f"{key}: {written(value)}\n" for key, value in values.items())
    expected = {key: str(value).lower() if isinstance(value, bool) else value for key, value in values.items()}
    assert read(head) == expected


@given(st.text(max_size=200))
def test_no_header_does_more_than_say_no(head: str) -> None:
    with suppress(Unreadable):
        read(head)


# Changing


def test_a_value_is_replaced_where_it_stands() -> None:
    text = "---\n# mine\nzeta:   1  # keep\nupdated: old # then\nalpha: 2\n---\nbody"
    assert changed(text, {"updated": "new"}) == text.replace("old", '"new"')


def test_a_missing_key_is_added_at_the_end() -> None:
    assert changed("---\na: b\n---\n", {"updated": "x"}) == '---\na: b\nupdated: "x"\n---\n'


def test_an_empty_value_is_filled_in() -> None:
    assert changed("---\npinned:\na: b\n---\n", {"pinned": True}) == "---\npinned: true\na: b\n---\n"


def test_an_empty_value_before_a_comment_is_filled_in() -> None:
    assert head_of(changed("---\npinned: # maybe\na: b\n---\n", {"pinned": True})) == {"pinned": "true", "a": "b"}


def test_none_takes_a_line_out() -> None:
    assert changed("---\na: b\nc: d\ne: f\n---\n", {"c": None}) == "---\na: b\ne: f\n---\n"


def test_none_for_a_key_that_is_not_there_changes_nothing() -> None:
    assert changed("---\na: b\n---\n", {"c": None}) == "---\na: b\n---\n"


def test_none_takes_a_block_list_out_whole() -> None:
    assert changed("---\na: b\nc:\n  - d\n  - e\nf: g\n---\n", {"c": None}) == "---\na: b\nf: g\n---\n"


def test_none_takes_a_literal_block_out_whole_and_no_more() -> None:
    assert head_of(changed("---\na: b\nc: |\n  d\n  e\nf: g\n---\n", {"c": None})) == {"a": "b", "f": "g"}


@pytest.mark.parametrize(
    "tags", ["[a, b]", "\n- a\n- b", "\n  - a\n  - b", "a", '"a" # one', "[\n  a,\n  b\n]", "\n  # why\n  - a"]
)
def test_tags_are_replaced_however_they_are_written(tags: str) -> None:
    text = f"---\nid: x\ntags: {tags}\nnext: y\n---\nbody"
    result = changed(text, {"tags": ["new", "er"]})
    assert head_of(result) == {"id": "x", "tags": ["new", "er"], "next": "y"}


def test_line_endings_stay() -> None:
    text = "---\r\na: b\r\n---\r\n\r\nbody\r\n"
    assert changed(text, {"a": "c", "d": "e"}) == '---\r\na: "c"\r\nd: "e"\r\n---\r\n\r\nbody\r\n'


def test_a_mark_at_the_start_stays() -> None:
    assert changed("\ufeff---\na: b\n---\n", {"a": "c"}) == '\ufeff---\na: "c"\n---\n'


def test_a_file_without_a_header_gets_one() -> None:
    assert changed("# Title\n", {"pinned": True}) == "---\npinned: true\n---\n\n# Title\n"


def test_a_mark_comes_before_the_new_header() -> None:
    assert changed("\ufeff# Title\n", {"pinned": True}) == "\ufeff---\npinned: true\n---\n\n# Title\n"


def test_a_header_without_a_last_newline_takes_a_body() -> None:
    assert changed("---\na: b\n---", {}, "\nbody\n") == "---\na: b\n---\n\nbody\n"


def test_letters_of_all_scripts_before_a_value_do_not_move_it() -> None:
    text = '---\ntitre: "été 日本語 🎉🎉"\nupdated: old\nz: ü\n---\n'
    assert changed(text, {"updated": "new"}) == text.replace("old", '"new"')


def test_a_header_in_one_pair_of_braces_is_changed_or_refused_whole() -> None:
    text = "---\n{a: b, updated: old}\n---\n"
    assert head_of(changed(text, {"updated": "new"})) == {"a": "b", "updated": "new"}


def test_a_header_that_cannot_take_a_line_is_refused_with_advice() -> None:
    with pytest.raises(Invalid, match="put each `key: value` on a line"):
        changed("---\n{a: b}\n---\n", {"updated": "new"})


def test_a_header_that_is_full_is_refused_with_what_fills_it() -> None:
    text = f"---\ntitle: tea\nlinks: {'x' * 16_000}\n---\n"
    with pytest.raises(Invalid, match="larger than 16384 bytes, and 'links' takes the most of it"):
        changed(text, {"reason": "y" * 500})


@given(st.dictionaries(LINES, WORDS, min_size=1, max_size=5), st.data())
def test_only_the_value_set_changes(values: dict[str, str], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(values)))
    text = "---\n" + "".join(f"# {k}\n{k}: {written(v)}\n" for k, v in values.items()) + "---\nbody"
    result = changed(text, {key: "other"})
    assert result.split("\n---\n")[-1] == "body"
    assert head_of(result) == {**values, key: "other"}


@given(st.text(max_size=60), st.sampled_from(["updated", "tags", "a"]))
def test_an_edit_of_anything_keeps_the_other_keys_or_is_refused(head: str, key: str) -> None:
    text = f"---\n{head}\n---\nbody\n"
    try:
        before = head_of(text)
    except Unreadable:
        return
    body = take_apart(text).body
    try:
        result = changed(text, {key: "new"})
    except Invalid:
        return
    assert head_of(result) == {**before, key: "new"}
    assert take_apart(result).body == body
