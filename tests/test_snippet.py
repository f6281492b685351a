"""The passage shown of a memory: one line of whole words that answers the question."""

import gc
import time
from collections.abc import Callable, Collection

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clawbrain.search import snippet as passage
from clawbrain.words import content_terms, terms


def snippet(content: str, asked: Collection[str]) -> str:
    return passage.snippet(content, passage.Sought(asked), passage.Sought())


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("Title\n\nFirst line.\n\tSecond.", ["first"]) == "Title First line. Second."


def test_the_marks_of_headings_and_lists_are_not_shown() -> None:
    assert (
        snippet("# Alice\n\nShe likes:\n- tea\n* no milk\n> often\n", ["tea"])
        == "Alice: She likes: tea; no milk; often"
    )
    assert snippet("```sh\nmake -C a #1 - b\n```", ["make"]) == "make -C a #1 - b"


def test_a_link_is_shown_as_its_label_or_its_name() -> None:
    text = "- Ask [[alice-chen]], [[people/bob#Work|Bob]] or ![[team]] before `[[ -f x ]]`."
    assert snippet(text, ["ask"]) == "Ask alice-chen, Bob or team before `[[ -f x ]]`."


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
        in_words = seconds(lambda text=text: terms(text))
        assert seconds(lambda asked=asked, text=text: snippet(text, [asked])) < 5 * in_words


def seconds(work: Callable[[], object]) -> float:
    """The processor time of some work, without a collection of the garbage that other tests have left."""
    gc.collect()
    gc.disable()
    try:
        begun = time.process_time()
        work()
        return time.process_time() - begun
    finally:
        gc.enable()


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
