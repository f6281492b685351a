"""Imports go down only: who may know whom, read from the sources themselves."""

import ast
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "clawbrain"
FILES = sorted(HOUSE.rglob("*.py"))
PURE = {
    "memory": {"errors"},
    "credit": set(),
    "credit_evidence": {"credit", "memory"},
    "layers": {"errors", "memory"},
    "strategy": {"errors", "layers", "memory", "strategy", "words"},
    "search": {"errors", "memory", "words", "credit"},
    "prompts": {"search", "words"},
    "proposals": {"contradictions", "memory", "prompts", "search", "words"},
    "contradictions": {"errors", "memory", "words"},
    "compaction": {"errors", "memory", "credit", "contradictions", "strategy"},
    "briefing": {"memory", "credit", "prompts", "redaction", "strategy"},
    "digest": {"briefing", "memory", "strategy"},
}
LOUD = {"os", "time", "random", "secrets", "sqlite3", "socket", "subprocess", "pathlib", "shutil", "tempfile"}
NAMED_ELSEWHERE = {"StrictHandler", "get_workspace_info"}  # by the library, by the palace
SURFACES = {"profiles", "server", "network", "cli", "agents", "exchange"}
WITH_DATABASES = {"network"}  # of its own: tokens and sessions
BELOW_THE_BRAIN = {"storage"}
CORE = {*PURE, "brain", "storage", "errors", "words", "redaction", "semantic"}

# Nouns of the profiles. The first are found wherever they stand; the others are English words too, so of a text they
# must be the whole. What is general and allowed: memory, entity, episode, kind, title, context, rule, note.
NOUNS = {
    "palace", "mempalace", "penfield", "mama", "drawer", "diary", "persona", "soul", "reactivation", "checkpoint",
    "patrol", "artifact", "tunnel", "stub", "taxonomy", "entitytype", "observation",
}  # fmt: skip
ENGLISH_TOO = {"being", "scene", "wing", "hall", "decision", "triple"}
EXCEPTIONS = {
    ("storage/ledger_schema.py", "reactivation"),  # a released migration is never edited
    ("contradictions/vocabulary.py", "being"),  # a form of "to be", among others
    ("contradictions/verdict.py", "being"),
    ("briefing/groups.py", "checkpoint"),  # a tag that marks a wrap-up, whoever stored it
    ("contradictions/line.py", "decision"),  # what a person or a team took, among others
    ("proposals/proposal_rules.py", "decision"),  # what a person or a team took, among others
    ("proposals/languages/in_english.py", "decision"),
    ("proposals/naming.py", "decision"),
    ("strategy/settings.py", "observation"),  # a word of a sentence that people write on the page
}


def room(path: Path) -> str:
    return path.relative_to(HOUSE).with_suffix("").parts[0]


def imported(path: Path) -> set[str]:
    """What a file imports: rooms of ours as '.room', everything else by its first name."""
    here = ("clawbrain", *path.relative_to(HOUSE).with_suffix("").parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = (
                (*here[: len(here) - node.level], *(node.module or "").split("."))
                if node.level
                else tuple((node.module or "").split("."))
            )
            base = tuple(part for part in base if part)
            names = [base] if len(base) > 1 or base[0] != "clawbrain" else [(*base, alias.name) for alias in node.names]
        else:
            continue
        found |= {f".{name[1]}" if name[0] == "clawbrain" and len(name) > 1 else name[0] for name in names}
    return found


def rooms_known(*rooms: str) -> dict[str, set[str]]:
    return {
        str(path.relative_to(HOUSE)): {name[1:] for name in imported(path) if name.startswith(".")} - {room(path)}
        for path in FILES
        if room(path) in rooms
    }


@pytest.mark.parametrize("name", PURE)
def test_a_pure_room_knows_only_what_is_below_it(name: str) -> None:
    assert {path: known - PURE[name] for path, known in rooms_known(name).items() if known - PURE[name]} == {}


@pytest.mark.parametrize("name", PURE)
def test_a_pure_room_touches_no_clock_and_no_disk(name: str) -> None:
    assert {str(path): imported(path) & LOUD for path in FILES if room(path) == name and imported(path) & LOUD} == {}


def test_the_storage_knows_nothing_of_the_brain() -> None:
    known = set().union(*rooms_known("storage").values())
    assert not known & {"brain", *SURFACES}


def test_the_core_knows_no_surface() -> None:
    core = {room(path) for path in FILES} - SURFACES - {"__main__", "__init__"}
    knowing = {path: known & SURFACES for path, known in rooms_known(*core).items()}
    assert {path: known for path, known in knowing.items() if known} == {}


def test_surfaces_see_only_the_brain() -> None:
    seeing = {path: known & BELOW_THE_BRAIN for path, known in rooms_known(*SURFACES - WITH_DATABASES).items()}
    assert {path: known for path, known in seeing.items() if known} == {}


BELOW = ("ledger", "index", "files", "storage")
PARTS = (
    "archiver", "bookkeeping", "digest_file", "finder", "learning", "policy", "records", "scores", "searching",
    "syncing", "turns", "writer",
)  # fmt: skip


def reached_past_the_brain(tree: ast.AST) -> Iterator[str]:
    """What a surface takes from below the brain or out of it: `brain.ledger`, `self._brain.writer`, `x.files.read`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            inner = node.value
            if node.attr in (*BELOW, *PARTS) and name_of(inner).endswith("brain"):
                yield f"{name_of(inner)}.{node.attr}"
            elif isinstance(inner, ast.Attribute) and inner.attr in BELOW:
                yield f"{name_of(inner.value)}.{inner.attr}.{node.attr}"


def name_of(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def test_surfaces_take_nothing_from_below_the_brain() -> None:
    outside = [path for path in FILES if room(path) not in ("brain", "storage")]
    taken = {str(path): [*reached_past_the_brain(ast.parse(path.read_text()))] for path in outside}
    assert {path: found for path, found in taken.items() if found} == {}


@pytest.mark.parametrize(
    "code",
    ["brain.ledger.note_of('uid')", "self._brain.index.ids()", "index = self.brain.index", "other.files.read('x')"],
)
def test_a_surface_that_reached_below_the_brain_would_be_seen(code: str) -> None:
    assert [*reached_past_the_brain(ast.parse(code))]


def test_only_rooms_that_keep_a_database_or_read_that_of_another_program_import_sqlite() -> None:
    importing = {room(path) for path in FILES if "sqlite3" in imported(path)}
    assert importing <= {"storage", "exchange", "transcripts", "foreign_sqlite"}


def test_other_servers_are_asked_in_one_module_and_by_the_doctor() -> None:
    ways = ("urllib.request import", "import urllib.request", "import httpx", "create_connection", "open_connection")
    asking = {str(path.relative_to(HOUSE)) for path in FILES if any(way in path.read_text() for way in ways)}
    assert asking == {"outgoing.py", "agents/doctor_remote.py"}


STORES = {"ledger", "index", "files", "storage", "turns", "syncing"}


def private_parts_used(tree: ast.AST) -> Iterator[str]:
    """What a module takes of the storage that is not public: `self.brain.ledger._db`, `index._candidates`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and name_of(node.value) in STORES:
            yield f"{name_of(node.value)}.{node.attr}"


def test_the_brain_uses_only_what_is_public_of_the_storage() -> None:
    used = {str(path): [*private_parts_used(ast.parse(path.read_text()))] for path in FILES if room(path) == "brain"}
    assert {path: found for path, found in used.items() if found} == {}


@pytest.mark.parametrize("code", ["self.brain.ledger._one('SELECT 1')", "index = brain.index; index._db.close()"])
def test_a_private_part_of_the_storage_in_use_would_be_seen(code: str) -> None:
    assert [*private_parts_used(ast.parse(code))]


def nouns_named(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The profiles' nouns in a module's names and texts, docstrings included, each with its line."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for name in names_in(node):
            yield from ((line, noun) for noun in (NOUNS | ENGLISH_TOO) & nouns_of(name))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            whole = nouns_of(node.value) if len(node.value.split()) == 1 else set()
            yield from ((line, noun) for noun in (NOUNS & nouns_of(node.value)) | (ENGLISH_TOO & whole))


def names_in(node: ast.AST) -> Iterator[str]:
    for field in ("id", "attr", "name", "arg", "asname", "module"):
        if isinstance(name := getattr(node, field, None), str):
            yield name


def nouns_of(text: str) -> set[str]:
    """The words of a text in lower case and in the singular; `entity_type` is one word as well."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text).lower()
    words = [*re.findall("[a-z]+", apart), *re.findall("[a-z]+", text.lower().replace("_", ""))]
    return {re.sub("(?<=[a-z])ies$", "y", word) for word in words} | {word.removesuffix("s") for word in words}


def test_the_core_speaks_of_no_profile_and_of_none_of_its_nouns() -> None:
    core = [path for path in FILES if room(path) in CORE]
    files = {str(path.relative_to(HOUSE)): [*nouns_named(ast.parse(path.read_text()))] for path in core}
    named = {(file, noun) for file, found in files.items() for _, noun in found}
    assert named - EXCEPTIONS == set()


@pytest.mark.parametrize(
    "code",
    [
        'found = reference.startswith("drawer_")',
        'if "scenes" in self.__dict__: self.settle()',
        "self.brain.scenes.tidy_when_due()",
        "def reactivations(self): ...",
        'db.execute("SELECT archive_path, reactivations FROM archived_records")',
        'KINDS = frozenset({"decision", "checkpoint", "context", "persona", "rule", "artifact"})',
        'KINDS = frozenset({"context", "decision", "rule"})',
        "from .souls import PARTS",
        "class EntityType: ...",
        'extra = {"entity_type": "person"}',
        'Message(marker, role, text, source="being")',
        '"""The memories, or what a palace calls them."""',
    ],
)
def test_a_noun_of_a_profile_in_the_core_would_be_seen(code: str) -> None:
    assert [*nouns_named(ast.parse(code))]


@pytest.mark.parametrize(
    "code",
    ['said = "it is being changed"', "def note(self): ...", 'extra.get("kind")', "strategy.context.max_tokens"],
)
def test_a_word_that_is_general_is_allowed_in_the_core(code: str) -> None:
    assert [*nouns_named(ast.parse(code))] == []


def test_what_takes_time_to_import_is_imported_when_needed() -> None:
    slow = ["rapidfuzz", "yaml", "frontmatter", "Stemmer", "click", "rich", "sqlite_utils", "mcp", "numpy"]
    loaded = subprocess.run(
        [sys.executable, "-c", "import sys, clawbrain.brain; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert [name for name in slow if name in loaded] == []


def test_the_thread_that_prepares_a_server_imports_the_brain_before_a_module_of_it() -> None:
    # it imports beside the main thread, which takes the package first: in another order both may wait for each other
    functions = ast.walk(ast.parse((HOUSE / "server/lazy_brain.py").read_text()))
    for function in (node for node in functions if isinstance(node, ast.FunctionDef)):
        imports = [node.module or "" for node in function.body if isinstance(node, ast.ImportFrom) and node.level == 2]
        assert not [name for name in imports[:1] if name.startswith("brain.")], function.name


def test_every_file_opens_with_why_it_exists() -> None:
    assert [
        str(path) for path in FILES if path.read_text().strip() and not ast.get_docstring(ast.parse(path.read_text()))
    ] == []


def test_words_that_say_nothing_name_nothing() -> None:
    unused = {"manager", "service", "handler", "helper", "util", "utils", "repository", "factory", "base", "info"}
    named = {}
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name not in NAMED_ELSEWHERE:
                words = {word.lower() for word in ast_words(node.name)}
                if words & unused:
                    named[f"{path.name}:{node.lineno}"] = node.name
    assert named == {}


def ast_words(name: str) -> list[str]:
    return re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)


CONVENTIONS = {"Profile"}  # each set of tools has one class of this name


def classes_of_one_name(files: Iterable[Path]) -> dict[str, list[str]]:
    """The class names that several modules have, with the modules."""
    homes: dict[str, list[str]] = defaultdict(list)
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(path.parent.parent)))
    return {name: where for name, where in homes.items() if len(where) > 1 and name not in CONVENTIONS}


def test_a_class_has_a_name_of_its_own() -> None:
    assert classes_of_one_name(FILES) == {}


def test_two_classes_of_one_name_would_be_seen(tmp_path: Path) -> None:
    for module in ("one", "two"):
        (tmp_path / f"{module}.py").write_text("class Row: ...\n")
    assert [*classes_of_one_name(sorted(tmp_path.iterdir()))] == ["Row"]


def test_a_module_of_the_core_has_a_name_of_its_own() -> None:
    names = [path.stem for path in FILES if room(path) in CORE and path.stem != "__init__"]
    names += [path.name for path in HOUSE.iterdir() if path.is_dir()]
    twice = {name for name, number in Counter(names).items() if number > 1}
    assert twice == set()


def test_no_attribute_of_the_brain_stands_for_a_method_of_a_part() -> None:
    """`self.find = self.finder.find` would hide from a reader and an editor where the method is."""
    aliases = [
        ast.unparse(node)
        for path in FILES
        if room(path) == "brain"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Assign) and bound_methods(node)
    ]
    assert aliases == []


def bound_methods(node: ast.Assign) -> list[str]:
    """The parts whose attribute is assigned to an attribute of self, without a call."""
    values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    onto_self = any(
        name_of(each.value) == "self" for each in ast.walk(node.targets[0]) if isinstance(each, ast.Attribute)
    )
    return [
        ast.unparse(value)
        for value in values
        if onto_self and isinstance(value, ast.Attribute) and name_of(value.value) in PARTS
    ]


def test_an_attribute_that_stands_for_a_method_would_be_seen() -> None:
    tree = ast.parse("self.find, self.known = self.finder.find, self.finder.known")
    assert isinstance(tree.body[0], ast.Assign)
    assert bound_methods(tree.body[0]) == ["self.finder.find", "self.finder.known"]
