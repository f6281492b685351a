"""The extra [semantic]: what it finds, and that nothing done to what it keeps can break a search."""

import errno
import json
import os
import random
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace

import pytest
from mcp_client import Client

from clawbrain import semantic
from clawbrain.brain import Brain, open_brain
from clawbrain.search.question import read_question
from clawbrain.search.weights import SURE
from clawbrain.storage import embeddings
from clawbrain.storage import vectors as vectors_file
from clawbrain.storage.vectors import VectorsState

if not semantic.installed():
    pytest.skip("the extra is not installed", allow_module_level=True)

VET = "when does the veterinarian see the cattle?"
CLINIC, ITS_FILE = "entity-farm-clinic", "farm/clinic.md"
NOTES = {
    ITS_FILE: "On Monday all animals of the farm are examined at the clinic.",
    "payments/idempotency.md": "Every order carries an idempotency key, so that the gateway drops a duplicate payment.",
    "frontend/colours.md": "Buttons are teal since the redesign; the accent colour lives in theme.css.",
    "ops/backups.md": "The database is dumped every night at two and kept for thirty days.",
    "people/mara.md": "Mara prefers small pull requests and reviews in the morning.",
    "code/user.md": "getUserById reads the replica, and falls back to the primary.",
    "code/account.md": "Fetching the profile of an account goes through the cache first.",
}


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "PATIENCE", 60.0)  # however slowly this runs


@pytest.fixture
def notes(write: Callable[..., Path]) -> dict[str, Path]:
    return {path: write(f"entities/{path}", text) for path, text in NOTES.items()}


def found(brain: Brain, query: str = VET) -> list[str]:
    return [hit.id for hit in brain.search(query).hits]


def best(brain: Brain, query: str = VET) -> str:
    return (found(brain, query) or [""])[0]


def kept(home: Path) -> VectorsState:
    with closing(sqlite3.connect(home / ".clawbrain/index.db")) as db:
        said = db.execute("SELECT value FROM meta WHERE key = 'vectors'").fetchone()
    return VectorsState(*json.loads(said[0])) if said else VectorsState()


def file_of(home: Path) -> Path:
    return home / ".clawbrain/vectors.bin"


def vectors(home: Path) -> dict[int, bytes]:
    """Of each row the vectors that count."""
    found: dict[int, bytes] = {}
    if count := kept(home).records:
        width = semantic.model().width
        for row, vector in struct.iter_unpack(f"<q{width}s", file_of(home).read_bytes()[16:][: count * (8 + width)]):
            found[row] = found.get(row, b"") + vector
    return found


def rows(home: Path) -> dict[int, tuple[str, str, list[str]]]:
    with closing(sqlite3.connect(home / ".clawbrain/index.db")) as db:
        found = db.execute("SELECT row, content, name, tags FROM memories")
        return {row: (content, name, json.loads(tags)) for row, content, name, tags in found}


def paired(home: Path) -> bool:
    """Every memory has its own vectors; those that are gone may still have theirs."""
    there, texts = vectors(home), rows(home)
    return {row: there.get(row, b"") for row in texts} == {
        row: semantic.vectors_of(*told) for row, told in texts.items()
    }


# What it finds


def test_other_words_find_it(brain: Brain, notes: object) -> None:
    assert best(brain) == CLINIC
    assert best(brain, "how do we avoid charging twice?") == "entity-payments-idempotency"
    assert brain.take_warnings() == []


def test_words_alone_would_not(brain: Brain, notes: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "installed", lambda: False)
    assert CLINIC not in found(brain)


def test_a_whole_query_that_stands_somewhere_comes_first(brain: Brain, notes: object) -> None:
    hit = brain.search("reviews in the morning").hits[0]
    assert (hit.id, hit.relevance) == ("entity-people-mara", 0.5)


def test_a_name_that_stands_somewhere_brings_nothing_that_is_only_a_little_alike(brain: Brain) -> None:
    for name in ("one", "two", "three"):
        brain.store("entity", name, f"The {name} thing: {name}{name}.", category="things")
    assert found(brain, "oneone") == ["entity-things-one"]


@pytest.mark.parametrize("query", ["getUserById", "user by id", "theme.css"])
def test_an_identifier_comes_first(brain: Brain, notes: object, query: str) -> None:
    wanted = "entity-frontend-colours" if "css" in query else "entity-code-user"
    assert best(brain, query) == wanted


def test_what_it_is_filed_under_counts_too(brain: Brain, notes: object) -> None:
    text = "Thursday at nine, in the large hall, for an hour."
    brain.store("entity", "assembly", text, category="zoo", tags=["veterinary-medicine"])
    brain.store("entity", "k3f9a1c07", text, category="zoo", tags=["painting"])
    ranked = found(brain, "doctors for pets")
    assert "entity-zoo-assembly" in ranked
    assert "entity-zoo-k3f9a1c07" not in ranked[: ranked.index("entity-zoo-assembly")]


def test_a_name_that_tells_nothing_changes_nothing() -> None:
    text = NOTES[ITS_FILE]
    assert semantic.vectors_of(text, "k3f9a1c07", []) == semantic.vectors_of(text, "n12", [])
    assert semantic.vectors_of(text, "farm-clinic", []) != semantic.vectors_of(text, "n12", [])


def test_among_some_it_is_found_though_many_others_are_nearer(
    brain: Brain, notes: object, write: Callable[..., Path]
) -> None:
    for number in range(60):
        write(f"entities/vet/v{number}.md", f"On day {number} the vet looks at the cattle of the farm in the clinic.")
    assert CLINIC not in [hit.id for hit in brain.search("doctor for cows", limit=20).hits]
    assert [hit.id for hit in brain.search("doctor for cows", only=lambda m: m.category == "farm").hits] == [CLINIC]


def test_only_the_type_asked_for_is_found(brain: Brain, notes: object, write: Callable[..., Path]) -> None:
    write("episodes/2026-01/double.md", "The animals of the farm were at the clinic.")
    assert {hit.type for hit in brain.search(VET, "episode").hits} == {"episode"}
    assert {hit.type for hit in brain.search(VET, "entity").hits} == {"entity"}


def test_the_end_of_a_long_memory_is_found_too(brain: Brain, notes: object, write: Callable[..., Path]) -> None:
    filler = "The ferry leaves at nine and the boats are painted blue in spring. " * 60
    write("entities/notes/long.md", filler + f"{NOTES[ITS_FILE]} " * 20)
    assert "entity-notes-long" in found(brain)[:2]


def test_nothing_is_found_by_a_query_without_words(brain: Brain, notes: object) -> None:
    assert found(brain, "?!…") == []


def test_a_word_without_a_meaning_finds_nothing(brain: Brain, notes: object) -> None:
    assert found(brain, "blorp fnord") == []


def test_who_must_not_wait_is_answered_by_words_alone(brain: Brain, notes: object) -> None:
    brain.sync()
    assert brain.search(VET, scan=False).hits == []


def test_what_meaning_gave_is_told(brain: Brain, notes: object, home: Path) -> None:
    assert brain.search(VET).hits[0].parts["meaning"] > 0
    command = [sys.executable, "-m", "clawbrain", "--home", str(home), "search", "--explain", VET]
    assert "meaning" in subprocess.run(command, capture_output=True, text=True, check=True).stdout.lower()


# What is imported when


def test_nothing_of_it_is_imported_before_the_first_search(home: Path, notes: object) -> None:
    script = """
import sys
from pathlib import Path
from clawbrain.brain import open_brain
loaded = lambda: {"numpy", "tokenizers", "wordllama"} & sys.modules.keys()
with open_brain(Path(sys.argv[1]), session="s") as brain:
    brain.retrieve("entity-people-mara")
    before = loaded()
    brain.search("twice")
print(sorted(before), sorted(loaded()))
"""
    ended = subprocess.run([sys.executable, "-c", script, str(home)], capture_output=True, text=True, check=True)
    assert ended.stdout == "[] ['numpy', 'tokenizers']\n"


# What is kept


def test_each_memory_has_its_vectors(brain: Brain, notes: object, home: Path) -> None:
    found(brain)
    assert len(vectors(home)) == len(NOTES) and paired(home)


def test_only_the_owner_may_read_them(brain: Brain, notes: object, home: Path) -> None:
    found(brain)
    assert [p.name for p in (home / ".clawbrain").iterdir() if p.is_file() and p.stat().st_mode & 0o077] == []


def test_what_was_kept_is_not_made_again(
    opened: Callable[..., Brain], notes: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    found(opened())
    made: list[tuple[str, ...]] = []
    monkeypatch.setattr(semantic, "vectors_of", lambda *told: made.append(told) or b"")
    assert best(opened()) == CLINIC
    assert made == []


def test_a_memory_that_changed_is_known_by_what_it_says_now(brain: Brain, notes: dict[str, Path], home: Path) -> None:
    assert best(brain) == CLINIC
    brain.update(CLINIC, "The harbour is closed on Sundays in winter.")
    brain.update("entity-ops-backups", NOTES[ITS_FILE])
    assert best(brain) == "entity-ops-backups"
    assert paired(home)


def test_a_memory_stored_in_the_place_of_the_last_one_has_its_own_vector(
    opened: Callable[..., Brain], notes: dict[str, Path], write: Callable[..., Path]
) -> None:
    """A number of a row given twice would pair it with what this process remembers of another memory."""
    ours, theirs = opened(), opened("session-2")
    last = write("entities/zoo/last.md", NOTES[ITS_FILE])
    notes[ITS_FILE].unlink()
    assert best(ours) == "entity-zoo-last"
    last.unlink()
    theirs.sync()
    write("entities/zoo/other.md", "The harbour is closed on Sundays in winter.")
    theirs.sync()
    assert "entity-zoo-other" not in found(ours)


def test_what_is_gone_does_not_vouch_for_what_is_hardly_alike(brain: Brain, write: Callable[..., Path]) -> None:
    clinic = write(f"entities/{ITS_FILE}", NOTES[ITS_FILE])
    write("entities/farm/trip.md", "The horses were brought to the coast by lorry in spring.")
    assert best(brain) == CLINIC
    clinic.unlink()
    assert found(brain) == []


def test_many_vectors_of_texts_that_are_gone_hide_nothing(
    brain: Brain, notes: object, write: Callable[..., Path]
) -> None:
    for number in range(6):
        for place in range(100):
            write(f"entities/log/entry-{place}.md", f"The veterinarian has seen the cattle, number {number}.")
        found(brain)
    for place in range(100):
        write(f"entities/log/entry-{place}.md", f"The harbour is closed, number {place}.")
    assert best(brain) == CLINIC


# What may happen to it


def deleted(path: Path) -> None:
    path.unlink()


def truncated(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def overwritten(path: Path) -> None:
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def spoilt_in_its_last_half(path: Path) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2)
        file.write(b"\xa5" * (size - size // 2))


def of_another_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE meta SET value = '1/old' WHERE key = 'version'")


def of_another_home(path: Path) -> None:
    other = path.with_name("other") / "home"
    with open_brain(other, session="s") as brain:
        for number in range(9):
            brain.store("entity", f"boat-{number}", "The boats are painted blue in spring.", category="boats")
        found(brain)
    (other / ".clawbrain" / path.name).replace(path)


def with_vectors_of_another_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        there = json.loads(db.execute("SELECT value FROM meta WHERE key = 'vectors'").fetchone()[0])
        db.execute("UPDATE meta SET value = ? WHERE key = 'vectors'", [json.dumps(["another", 999_999, *there[2:]])])


def a_folder_now(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_link_now(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


SPOILT = [deleted, truncated, emptied, overwritten, spoilt_in_its_last_half, of_another_home]
SPOILT_INSIDE = [of_another_version, with_vectors_of_another_table]


@pytest.mark.parametrize(
    ("file", "accident"),
    [
        *(("index.db", accident) for accident in (*SPOILT, *SPOILT_INSIDE)),
        *(("vectors.bin", accident) for accident in (*SPOILT, a_link_now)),
    ],
)
@pytest.mark.parametrize("running", [False, True], ids=["between two processes", "under a running process"])
def test_after_an_accident_it_is_made_anew(
    file: str,
    accident: Callable[[Path], None],
    running: bool,
    opened: Callable[..., Brain],
    notes: object,
    home: Path,
) -> None:
    brain = opened()
    assert best(brain) == CLINIC
    if not running:
        brain.storage.close()
        brain = opened("session-2")
    accident(home / ".clawbrain" / file)
    assert best(brain, "reviews in the morning") == "entity-people-mara"
    assert best(brain) == CLINIC
    later = opened("session-3")
    assert best(later, "reviews in the morning") == "entity-people-mara"
    assert best(later) == CLINIC
    assert paired(home)
    assert brain.take_warnings() == later.take_warnings() == []


def test_a_memory_whose_text_the_index_lost_is_read_again(brain: Brain, notes: object, home: Path) -> None:
    brain.sync()
    with closing(sqlite3.connect(home / ".clawbrain/index.db")) as db, db:
        db.execute("UPDATE memories SET content = NULL WHERE path = 'entities/people/mara.md'")
    assert "entity-code-account" in found(brain, "profile cache")
    assert best(brain, "reviews in the morning") == "entity-people-mara"
    assert best(brain) == CLINIC and paired(home)
    assert brain.take_warnings() == []


@pytest.mark.parametrize("crowded", [False, True], ids=["by their number", "when many stand in the way"])
def test_tidying_up_keeps_the_vectors_of_what_is_there(
    crowded: bool, brain: Brain, notes: object, write: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than are read at once, and the living among the dead."""
    monkeypatch.setattr(embeddings, "FEW", 10_000 if crowded else 500)
    for number in range(6):
        for place in range(0 if number == 0 else 300, 700):
            write(f"entities/log/entry-{place}.md", f"The ferry {place} leaves at {number} from the harbour.")
        assert best(brain) == CLINIC
    before = kept(home).records
    if crowded:
        brain.index._meaning.forget()
        assert best(brain) == CLINIC
        assert kept(home).records == 700 + len(NOTES) < before
    else:
        assert 700 < before < 2_000
    assert paired(home) and best(brain) == CLINIC


def test_what_cannot_be_read_any_more_is_not_tidied_away(
    opened: Callable[..., Brain], notes: object, home: Path
) -> None:
    brain = opened()
    found(brain)
    brain.index._meaning.forget()
    with file_of(home).open("r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"\xa5" * 100)
    assert best(brain, "reviews in the morning") == "entity-people-mara"
    assert best(brain) == CLINIC and paired(home)


def test_a_search_finds_by_meaning_while_another_process_keeps_more(
    opened: Callable[..., Brain], notes: object, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = opened(), opened("session-2")
    assert (best(ours), best(theirs)) == (CLINIC, CLINIC)
    real = vectors_file.Vectors.records

    def after_they_grew(self: vectors_file.Vectors) -> object:
        monkeypatch.setattr(vectors_file.Vectors, "records", real)
        write("entities/zoo/last.md", "The harbour is closed on Sundays in winter.")
        found(theirs)
        return real(self)

    monkeypatch.setattr(vectors_file.Vectors, "records", after_they_grew)
    assert CLINIC in found(ours)


@pytest.mark.parametrize("said", ["7", "null", "[1]", '["a", 1', '["a", "1", 1, 1, "b"]', '["a", 1, 1, 1, "b", 2]'])
def test_what_the_index_says_of_them_may_be_garbled(said: str, brain: Brain, notes: object, home: Path) -> None:
    found(brain)
    with closing(sqlite3.connect(home / ".clawbrain/index.db")) as db, db:
        db.execute("UPDATE meta SET value = ? WHERE key = 'vectors'", [said])
    file_of(home).touch()
    assert best(brain) == CLINIC and paired(home)
    assert brain.take_warnings() == []


def test_where_a_folder_stands_in_their_place_each_process_has_its_own(
    opened: Callable[..., Brain], notes: object, home: Path
) -> None:
    assert best(opened()) == CLINIC
    a_folder_now(file_of(home))
    for session in ("session-2", "session-3"):
        brain = opened(session)
        assert best(brain) == CLINIC
        assert ["could not be kept" in each for each in brain.take_warnings()] == [True]


def test_what_a_killed_process_left_behind_the_others_is_written_over(
    opened: Callable[..., Brain], notes: object, write: Callable[..., Path], home: Path
) -> None:
    found(opened())
    with file_of(home).open("ab") as file:
        file.write(random.Random(1).randbytes(1_000))
    write("entities/zoo/last.md", "The harbour is closed on Sundays in winter.")
    assert best(opened("session-2"), "the harbour is shut in winter") == "entity-zoo-last"
    assert paired(home)


def test_a_process_sees_what_another_has_kept(
    opened: Callable[..., Brain], notes: object, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = opened(), opened("session-2")
    assert (best(ours), best(theirs)) == (CLINIC, CLINIC)
    write("entities/zoo/last.md", "The harbour is closed on Sundays in winter.")
    assert best(theirs, "the harbour is shut in winter") == "entity-zoo-last"
    made: list[tuple[str, ...]] = []
    monkeypatch.setattr(semantic, "vectors_of", lambda *told: made.append(told) or b"")
    assert best(ours, "the harbour is shut in winter") == "entity-zoo-last"
    assert made == []


def test_vectors_of_what_is_gone_do_not_pile_up(
    brain: Brain, notes: object, write: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "FEW", 10)
    for number in range(100):
        write("entities/log/entry.md", f"The harbour is closed, number {number}.")
        assert best(brain) == CLINIC
    assert len(NOTES) < kept(home).records < 50
    assert paired(home)


def test_a_check_with_repair_leaves_each_its_own(brain: Brain, notes: dict[str, Path], home: Path) -> None:
    found(brain)
    notes[ITS_FILE].unlink()
    deleted(home / ".clawbrain/index.db")
    list(brain.checks.repair())
    assert CLINIC not in found(brain)
    assert paired(home)


def test_a_purge_leaves_no_vector(brain: Brain, notes: object, home: Path) -> None:
    found(brain)
    (of_it,) = [vectors(home)[row] for row, (text, *_) in rows(home).items() if text == NOTES[ITS_FILE]]
    brain.archive(CLINIC)
    found(brain)
    brain.owner.purge(CLINIC)
    assert CLINIC not in found(brain)
    assert [str(p) for p in (home / ".clawbrain").rglob("*") if p.is_file() and of_it in p.read_bytes()] == []


def test_a_full_disk_is_told_once_and_search_goes_on(
    opened: Callable[..., Brain], notes: object, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    brain = opened()
    with monkeypatch.context() as patch:
        real = os.pwrite
        patch.setattr(os, "pwrite", lambda fd, data, at: real(fd, data, at) if len(data) == 16 else full())
        assert best(brain) == CLINIC
        assert ["could not be kept" in each for each in brain.take_warnings()] == [True]
        assert best(brain) == CLINIC
        assert brain.take_warnings() == [] and vectors(home) == {}
    assert best(opened()) == CLINIC  # there is room again
    assert paired(home)


def test_a_home_that_may_only_be_read_is_searched_by_meaning(
    opened: Callable[..., Brain], notes: object, home: Path
) -> None:
    brain = opened(read_only=True)
    before = sorted((p, p.stat().st_mtime_ns) for p in home.rglob("*"))
    assert best(brain) == CLINIC
    assert sorted((p, p.stat().st_mtime_ns) for p in home.rglob("*")) == before


@pytest.mark.parametrize("header", [None, b"", b"\x09\0\0\0\0\0\0\0{}", b"\x02\0\0\0\0\0\0\0{}"])
def test_a_broken_table_is_told_once_and_search_goes_by_words(
    header: bytes | None, brain: Brain, notes: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "table.safetensors"
    if header is not None:
        table.write_bytes(header)
    monkeypatch.setattr(semantic, "TABLE", str(table))
    semantic.model.cache_clear()
    try:
        assert best(brain, "reviews in the morning") == "entity-people-mara"
        assert ["by words alone" in each for each in brain.take_warnings()] == [True]
        assert best(brain, "reviews in the morning") == "entity-people-mara"
        assert brain.take_warnings() == [] and brain.index.openings == 1
    finally:
        semantic.model.cache_clear()


def test_memories_without_a_word_do_not_disturb_it(opened: Callable[..., Brain], write: Callable[..., Path]) -> None:
    write("entities/notes/empty.md", "")
    write("entities/notes/dashes.md", "---\n\n---\n\n\n")
    for session in ("one", "two"):
        brain = opened(session)
        assert found(brain) == []
        assert brain.take_warnings() == []


def test_while_another_process_writes_the_index_they_are_only_remembered(
    brain: Brain, notes: object, home: Path
) -> None:
    brain.sync()
    brain.index._db.all("PRAGMA busy_timeout=50")
    with closing(sqlite3.connect(home / ".clawbrain/index.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert brain.index.likeness(read_question(VET, brain.clock().date())).above(SURE) != []
    assert vectors(home) == {}
    assert best(brain) == CLINIC
    assert brain.take_warnings() == []


def test_what_patience_leaves_over_the_next_searches_learn(
    brain: Brain, write: Callable[..., Path], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embeddings, "PATIENCE", 0.0)
    for number in range(5):
        write(f"entities/notes/n{number}.md", f"The harbour is closed, number {number}.")
    learnt = []
    for _ in range(3):
        assert best(brain, "number 3") == "entity-notes-n3"
        learnt.append(len(vectors(home)))
    assert learnt == [1, 2, 3]


def _search_at_once(home: Path, together: object) -> None:
    with open_brain(home, session=f"s-{os.getpid()}") as brain:
        together.wait()  # type: ignore[attr-defined]
        assert best(brain) == CLINIC
        assert brain.take_warnings() == []


def test_processes_that_learn_at_once_do_not_disturb_each_other(
    notes: object, write: Callable[..., Path], home: Path
) -> None:
    for number in range(300):
        write(f"entities/notes/n{number}.md", f"The harbour is closed, number {number}.")
    context = get_context("fork")
    together = context.Barrier(3)
    processes = [context.Process(target=_search_at_once, args=(home, together)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert len(rows(home)) == 300 + len(NOTES) and paired(home)


@pytest.mark.parametrize("step", ["open", "pwrite", "INSERT OR REPLACE INTO meta"])
def test_killed_while_it_keeps_them_another_goes_on(
    step: str, opened: Callable[..., Brain], notes: object, home: Path
) -> None:
    child = os.fork()
    if not child:
        brain = open_brain(home, session="killed")
        brain.sync()
        if hasattr(os, step):
            vectors_file.os = SimpleNamespace(**{**vars(os), step: _fatal(getattr(os, step))})
        brain.index._db.do = _fatal(brain.index._db.do, step)  # type: ignore[method-assign]
        found(brain)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert vectors(home) == {}
    assert best(opened()) == CLINIC
    assert paired(home)


def _fatal(real: Callable[..., object], statement: object = None) -> Callable[..., object]:
    def run(asked: object, *values: object) -> None:
        real(asked, *values)
        if statement is None or (str(asked).startswith(str(statement)) and "'look'" not in str(asked)):
            os._exit(9)

    return run


def test_the_server_finds_by_meaning(notes: object, home: Path) -> None:
    with Client("--home", str(home)) as client:
        answer = client.call("memory_search", query=VET)
    assert answer["structuredContent"]["results"][0]["id"] == CLINIC
