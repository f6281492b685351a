"""python-frontmatter reads memory files as the store does, with the handler that the store reads them with."""

import ast
import subprocess
import sys
from pathlib import Path

import frontmatter
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clawbrain import StrictHandler
from clawbrain.memory.header import Unreadable, can_hold, lines, read, read_our_lines, take_apart

HERE = Path(__file__).parent
FILES = sorted(path for folder in ("memory", "archive") for path in (HERE.parent / folder).rglob("*.md"))
TEXTS = sorted(
    {
        node.value
        for path in HERE.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "---" in node.value
    }
)
PIECES = [
    "---\n", "---", "--- \n", "id: x\n", 'id: "y"\n', "id: [\n", "tags: [a, b]\n", "tags:\n- a\n- b\n", 'tags: ["a"]\n',
    "tags: &a [*a]\n", "pinned: yes\n", "pinned: true\n", "a: !!binary x\n", "<<: {}\n",
    "a: {b: {c: {d: {e: {f: g}}}}}\n",
    "text: |\n  one\n\n  two\n", "Hello.\n", "# Title\n", "\n", "\r\n", "\ufeff", "...\n", "? \n: \n", "'", '"', ">-\n",
    "%YAML 1.1\n", "x" * 3000, "\t", "é: 日\n", 'odd: "\x85\u2028\x7f"\n', 'odd: "\\u0041"\n', "- \n",
]  # fmt: skip
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
KEYS = st.from_regex(r"[a-zé][a-z_]{0,8}", fullmatch=True)
NAMES = KEYS | TEXT.filter("<<".__ne__)
VALUES = st.recursive(TEXT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3))


def by_the_store(text: str) -> object:
    try:
        parts = take_apart(text)
        return read(parts.head), parts.body.replace("\r\n", "\n").strip()
    except Unreadable as fault:
        return str(fault)


def by_the_library(text: str) -> object:
    """Return what `load` and `loads` make a post of, which takes some words for keys of its own."""
    try:
        return frontmatter.parse(text, handler=StrictHandler())
    except Unreadable as fault:
        return str(fault)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_file_is_read_alike(path: Path) -> None:
    post = frontmatter.load(str(path), handler=StrictHandler())
    assert (post.metadata, post.content) == by_the_store(path.read_text())
    assert post["id"]


def test_the_files_and_texts_of_this_repository_are_many() -> None:
    assert len(FILES) > 10 and len(TEXTS) > 100


@pytest.mark.parametrize("text", [text for text in TEXTS if text == text.lstrip()])
def test_a_text_of_these_tests_is_read_or_refused_alike(text: str) -> None:
    assert by_the_library(text) == by_the_store(text)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join).filter(lambda text: text == text.lstrip()))
def test_any_text_is_read_or_refused_alike(text: str) -> None:
    assert by_the_library(f"---\n{text}") == by_the_store(f"---\n{text}")
    assert by_the_library(text) == by_the_store(text)


def test_a_header_after_blank_lines_is_one_for_the_library_alone() -> None:
    """The library strips a text before its handler sees it; docs/files.md says so."""
    text = "\n---\na: b\n---\nbody\n"
    assert by_the_store(text) == ({}, "---\na: b\n---\nbody")
    assert by_the_library(text) == ({"a": "b"}, "body")


def test_a_key_that_a_post_has_itself_is_parsed() -> None:
    text = "---\ncontent: mine\n---\nbody\n"
    assert frontmatter.parse(text, handler=StrictHandler()) == ({"content": "mine"}, "body")
    with pytest.raises(TypeError):
        frontmatter.loads(text, handler=StrictHandler())


def test_a_file_that_is_no_memory_is_refused_through_the_library() -> None:
    """The library takes a ValueError of its handler for the absence of a header."""
    assert not issubclass(Unreadable, ValueError)
    with pytest.raises(Unreadable, match="not closed: add a line '---'"):
        frontmatter.loads("---\nid: x\n\n# Title\n", handler=StrictHandler())


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_split_text_keeps_every_byte(text: str) -> None:
    try:
        head, body = StrictHandler().split(text)
    except Unreadable:
        return
    assert text.endswith(body) and head in text
    assert text.removesuffix(body).replace(head, "", 1).strip("-\r\n \t\ufeff") == ""


@given(st.dictionaries(KEYS, VALUES.filter(can_hold), max_size=4))
@example({"a": "\x7f\x85\u2028\ufeff\ufffe\uffff"})
def test_our_own_lines_are_what_yaml_says(values: dict[str, object]) -> None:
    head = lines(values)
    assert read_our_lines(head) in (None, values)
    assert StrictHandler().load(f"{head}# read as YAML\n") == values


@given(st.dictionaries(KEYS, TEXT | st.lists(TEXT, max_size=3), max_size=5))
def test_our_own_lines_need_no_yaml(values: dict[str, object]) -> None:
    head = lines(values)
    assert "\\u" in head or read_our_lines(head) == values


@given(st.dictionaries(NAMES, TEXT | st.lists(TEXT, max_size=3), max_size=4), TEXT)
def test_what_the_library_writes_is_read_back(values: dict[str, object], body: str) -> None:
    post = frontmatter.Post(body, StrictHandler())
    post.metadata = values
    parts = take_apart(frontmatter.dumps(post))
    assert (read(parts.head), parts.body.strip()) == (values, body.strip())


def test_our_own_files_are_read_without_the_library(home: Path) -> None:
    code = """
import sys
from clawbrain import open_brain
home = sys.argv[1]
for turn in range(2):
    with open_brain(home, session="s") as brain:
        if not turn:
            brain.store("entity", "alice", "Likes tea.", category="people", tags=["a"])
        assert len(brain.search("tea").hits) == turn + 1
    if not turn:
        with open(f"{home}/memory/entities/people/bob.md", "w") as file:
            file.write("Likes tea, too.")
print({"yaml", "frontmatter"} & set(sys.modules))
"""
    said = subprocess.run([sys.executable, "-c", code, str(home)], capture_output=True, text=True)
    assert (said.stdout, said.stderr) == ("set()\n", "")
