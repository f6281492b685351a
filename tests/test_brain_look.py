"""Sync: retrieve, search, and files that people write, rename, break and bring back."""

import math
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Clock

from clawbrain import semantic
from clawbrain.brain import Brain, open_brain
from clawbrain.credit import sigmoid
from clawbrain.errors import Archived, ClawbrainError, NotFound
from clawbrain.memory.model import Memory
from clawbrain.storage import sync

ALICE = "entity-people-alice"
FILE = "entities/people/alice.md"


@pytest.fixture
def alice(brain: Brain) -> Brain:
    brain.store("entity", "alice", "Likes tea.", category="people")
    return brain


def served(brain: Brain) -> dict[str, str]:
    brain.sync(now=True)
    return {memory.id: memory.content for memory in brain.index.memories()}


def faults(brain: Brain) -> dict[str, str]:
    brain.sync(now=True)
    return dict(brain.faults())


def snapshot(home: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in home.rglob("*") if path.is_file()}


# Retrieving


def test_a_first_retrieve_counts_itself(alice: Brain) -> None:
    credit = alice.retrieve(ALICE).credit
    assert (credit.access_count, credit.last_accessed) == (1, "2026-02-25T10:00:00Z")


def test_a_second_retrieve_answers_two_and_later(alice: Brain, clock: Clock) -> None:
    alice.retrieve(ALICE)
    clock.forward(hours=1)
    credit = alice.retrieve(ALICE).credit
    assert (credit.access_count, credit.last_accessed) == (2, "2026-02-25T11:00:00Z")


def test_a_retrieve_without_a_session_leaves_no_trace(alice: Brain, opened: Callable[..., Brain]) -> None:
    assert opened(session=None).retrieve(ALICE).credit.access_count == 0
    assert alice.ledger.records()[ALICE].last_accessed is None


def test_the_score_shown_has_drifted(alice: Brain, clock: Clock) -> None:
    clock.forward(days=100)
    assert 0.4 < alice.retrieve(ALICE).credit.score < 0.5


@pytest.mark.parametrize(
    "form", ["entities/people/alice.md", "entities/people/alice", "people/alice", "entity-people/alice"]
)
def test_a_memory_answers_to_its_path(alice: Brain, form: str) -> None:
    assert alice.retrieve(form).memory.id == ALICE


def test_an_episode_answers_to_its_slash_form(brain: Brain) -> None:
    brain.store("episode", "old-chat", "text")
    assert brain.retrieve("episode-2026-02/old-chat").memory.id == "episode-2026-02-old-chat"


def test_a_memory_whose_header_has_another_id_answers_to_its_path(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/bob.md", "---\nid: robert\n---\ntext")
    assert brain.retrieve("people/bob").memory.id == "robert"


def test_an_unknown_id_names_the_nearest(alice: Brain) -> None:
    with pytest.raises(NotFound, match=f"not found.*{ALICE}"):
        alice.retrieve("entity-people-alise")


def test_the_nearest_of_a_bare_name_are_those_called_so(brain: Brain) -> None:
    for name in ("n0", "n1", "n2", "hand"):
        brain.store("entity", name, "x", category="n")
    id = brain.store("episode", "e0", "x").memory.id
    for reference in ("e0", "projects/e0"):
        with pytest.raises(NotFound, match=f"the nearest ids are {id}"):
            brain.retrieve(reference)


def test_an_unknown_id_in_an_empty_store_is_not_found(brain: Brain) -> None:
    with pytest.raises(NotFound, match="not found"):
        brain.retrieve("anything")


@pytest.mark.parametrize(
    "odd",
    [
        "",
        "a\0b",
        "a/b\0c",
        "\ud800",
        "x/\ud800",
        "../../etc/passwd",
        "/etc/passwd",
        "a/../../b",
        "x" * 5000,
        "entities/people/" + "x" * 5000,
    ],
)
def test_an_odd_reference_is_refused_in_words(alice: Brain, odd: str) -> None:
    with pytest.raises(ClawbrainError):
        alice.retrieve(odd)


def test_an_archived_id_says_where_it_lies_and_how_to_restore_it(alice: Brain) -> None:
    alice.archive(ALICE)
    with pytest.raises(Archived, match=r"archive/entities/people/alice\.md.*restore"):
        alice.retrieve(ALICE)


def test_an_archived_memory_is_said_to_be_archived_by_its_path_too(alice: Brain) -> None:
    alice.archive(ALICE)
    with pytest.raises(Archived):
        alice.retrieve("people/alice")


def test_a_memory_archived_before_the_ledger_was_lost_is_said_to_be_archived(
    alice: Brain, home: Path, opened: Callable[..., Brain]
) -> None:
    alice.archive(ALICE)
    alice.storage.close()
    (home / ".clawbrain/ledger.db").unlink()
    with pytest.raises(Archived):
        opened().retrieve(ALICE)


def test_a_broken_files_id_says_what_is_wrong_with_it(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, "---\nnever closed\n")
    with pytest.raises(NotFound, match="not closed"):
        brain.retrieve(ALICE)


def test_a_retrieve_answers_what_the_file_says_now(alice: Brain, write: Callable[..., Path]) -> None:
    alice.retrieve(ALICE)
    write(FILE, "Now coffee.")
    assert alice.retrieve(ALICE).memory.content == "Now coffee."


def test_a_save_that_stat_cannot_see_is_answered_all_the_same(alice: Brain, home: Path) -> None:
    file = home / "memory" / FILE
    text, at = file.read_text(), file.stat()
    file.write_text(text.replace("tea", "gin"))
    os.utime(file, ns=(at.st_atime_ns, at.st_mtime_ns))
    assert alice.retrieve(ALICE).memory.content == "Likes gin."


def test_a_text_replaced_between_looking_and_reading_is_answered_whole(
    alice: Brain, opened: Callable[..., Brain]
) -> None:
    other, find = opened("session-2"), alice.finder.find

    def find_slowly(reference: str) -> Memory:
        found = find(reference)
        if found.content == "Likes tea.":
            other.update(ALICE, "Likes coffee.")
        return found

    alice.finder.find = find_slowly  # type: ignore[method-assign]
    assert alice.retrieve(ALICE).memory.content == "Likes coffee."


# Searching


def test_a_search_does_not_count_as_access(alice: Brain) -> None:
    alice.search("tea")
    assert alice.retrieve(ALICE).credit.access_count == 1


@pytest.mark.parametrize(("limit", "shown"), [(0, 1), (-5, 1), (3, 3), (1000, 20)])
def test_the_limit_is_clamped(brain: Brain, write: Callable[..., Path], limit: int, shown: int) -> None:
    for number in range(25):
        write(f"entities/people/p{number}.md", "Likes tea.")
    ranked = brain.search("tea", limit=limit)
    assert (len(ranked.hits), ranked.total) == (shown, 25)


def test_a_search_shows_the_credit_for_its_question_and_a_retrieve_the_overall_score(
    alice: Brain, clock: Clock
) -> None:
    alice.search("tea")
    alice.feedback("task_completed")
    clock.forward(days=200)
    hit, overall = alice.search("tea").hits[0], alice.retrieve(ALICE).credit.score
    assert hit.credit == pytest.approx(sigmoid(0.2 * math.exp(-0.005 * 200)))
    assert overall == pytest.approx(0.4 + (sigmoid(0.2) - 0.4) * math.exp(-0.005 * 200))
    assert overall < 0.5 < hit.credit
    assert hit.combined == round(0.4 * hit.relevance + 0.6 * hit.credit, 4)


def test_searches_in_quick_succession_note_one_look(alice: Brain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "RACY", 0.0)
    monkeypatch.setattr(sync, "TRUST", 0.0)
    monkeypatch.setattr(sync, "PAUSE", 600.0)  # however slowly this runs
    alice.search("tea")
    noted = alice.index.last_scan()
    alice.search("tea")
    assert alice.index.last_scan() == noted
    alice.index.set_last_scan(noted[0] - sync.PAUSE, 0.0)
    alice.search("tea")
    assert alice.index.last_scan()[0] > noted[0]


@pytest.mark.parametrize("read_only", [False, True])
def test_broken_files_are_asked_for_only_after_a_change(
    opened: Callable[..., Brain], write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, read_only: bool
) -> None:
    brain = opened(read_only=read_only)
    brain.search("tea")
    asked = []
    faults = brain.index.faults
    monkeypatch.setattr(brain.index, "faults", lambda: asked.append(True) or faults())
    brain.search("tea")
    assert not asked
    write(FILE, "---\nnever closed\n")
    brain.search("tea")
    brain.search("tea")
    assert (len(asked), len(brain.take_warnings())) == (1, 1)


def test_a_search_may_be_of_one_type(alice: Brain) -> None:
    alice.store("episode", "tea-time", "We had tea.")
    assert [hit.type for hit in alice.search("tea", "episode").hits] == ["episode"]


def test_the_combined_score_is_four_tenths_relevance_and_six_tenths_credit(alice: Brain) -> None:
    hit = alice.search("tea").hits[0]
    assert hit.combined == pytest.approx(0.4 * hit.relevance + 0.6 * hit.credit)


def test_an_empty_query_answers_the_newest(brain: Brain, clock: Clock) -> None:
    for name in ("one", "two", "three"):
        brain.store("entity", name, f"About {name}.", category="things")
        clock.forward(minutes=1)
    assert [hit.name for hit in brain.search("").hits] == ["three", "two", "one"]


def test_what_helped_comes_first(brain: Brain) -> None:
    for name in ("one", "two"):
        brain.store("entity", name, "Likes tea.", category="things")
    brain.retrieve("entity-things-two")
    brain.feedback("task_completed")
    assert [hit.name for hit in brain.search("tea").hits] == ["two", "one"]


def test_of_equals_the_later_stored_comes_first(opened: Callable[..., Brain], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(semantic, "installed", lambda: False)  # by meaning their names make them unequal
    brain = opened(session=None)
    for name in ("zz", "aa", "mm"):
        brain.store("entity", name, "Likes tea.", category="things")
    assert [hit.name for hit in brain.search("tea").hits] == ["mm", "aa", "zz"]


def test_an_archived_memory_is_not_found_by_search(alice: Brain) -> None:
    alice.archive(ALICE)
    assert alice.search("tea").total == 0


def test_a_search_is_answered_even_if_its_turn_cannot_be_noted(alice: Brain, home: Path) -> None:
    (home / ".clawbrain/turns.log").mkdir()
    assert alice.search("tea").total == 1
    assert alice.take_warnings()


def test_a_search_of_any_words_is_answered(alice: Brain) -> None:
    for query in ('"', "tea AND", "(", "*", "name:tea", "\0", "'; DROP TABLE x", "é" * 3000, "🎉", "-", "NEAR("):
        assert alice.search(query).total >= 0


# Reading only


def test_a_brain_for_reading_writes_nothing_at_all(
    alice: Brain, home: Path, opened: Callable[..., Brain], clock: Clock
) -> None:
    alice.search("tea")
    alice.settle()
    before = snapshot(home)
    clock.forward(days=3)
    with open_brain(home, session="reader", read_only=True, clock=clock) as reader:
        assert reader.search("tea").hits[0].id == ALICE
        assert reader.retrieve(ALICE).credit.access_count == 0
        assert reader.report().total_memories == 1
        reader.settle()
    assert snapshot(home) == before


# Files that people write


def test_a_persons_file_is_found(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/people/Alice Chen.md", "Likes tea.\n")
    assert [(hit.id, hit.name) for hit in brain.search("tea").hits] == [("entity-people-alice-chen", "Alice Chen")]


def test_a_persons_file_begins_in_the_middle(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, "Likes tea.\n")
    retrieved = brain.retrieve(ALICE)
    assert (retrieved.credit.score, retrieved.credit.access_count) == (0.5, 1)


def test_a_persons_file_is_as_young_as_its_adoption(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, "---\ncreated: 2020-01-01\n---\nLikes tea.\n")
    assert brain.retrieve(ALICE).credit.created == "2026-02-25T10:00:00Z"


def test_a_file_that_another_process_saw_first_counts_its_retrieve(
    brain: Brain, opened: Callable[..., Brain], write: Callable[..., Path]
) -> None:
    other = opened("session-2")
    brain.search("x")
    brain.settle()
    write(FILE, "Likes tea.\n")
    other.search("tea")  # and is busy ever since
    assert brain.retrieve(ALICE).credit.access_count == 1


def test_nothing_is_written_into_a_file_that_is_only_read(brain: Brain, write: Callable[..., Path]) -> None:
    file = write(FILE, b"\xef\xbb\xbfLikes tea.\r\n")
    before = (file.read_bytes(), file.stat().st_mtime_ns)
    brain.search("tea")
    brain.retrieve(ALICE)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == before


def test_a_deleted_file_is_gone_from_search(alice: Brain, home: Path) -> None:
    (home / "memory" / FILE).unlink()
    assert alice.search("tea").total == 0


def test_a_file_that_comes_back_has_its_credit(alice: Brain, home: Path) -> None:
    alice.retrieve(ALICE)
    alice.feedback("task_completed")
    text = (home / "memory" / FILE).read_bytes()
    before = alice.credits()[ALICE].score
    (home / "memory" / FILE).unlink()
    alice.search("tea")
    alice.settle()
    (home / "memory" / FILE).write_bytes(text)
    assert alice.retrieve(ALICE).credit.score == before > 0.5


def test_an_id_in_the_header_stays_valid_after_a_rename(alice: Brain, home: Path) -> None:
    alice.retrieve(ALICE)
    (home / "memory" / FILE).rename(home / "memory/entities/people/alicia.md")
    retrieved = alice.retrieve(ALICE)
    assert (retrieved.memory.name, retrieved.credit.access_count) == ("alicia", 2)


def test_an_id_in_the_header_stays_valid_in_another_folder(alice: Brain, home: Path) -> None:
    alice.retrieve(ALICE)
    (home / "memory/entities/friends").mkdir()
    (home / "memory" / FILE).rename(home / "memory/entities/friends/alice.md")
    assert alice.retrieve(ALICE).memory.category == "friends"


def test_a_renamed_file_that_is_put_away_keeps_its_credit_through_a_kill(
    alice: Brain, home: Path, opened: Callable[..., Brain]
) -> None:
    alice.retrieve(ALICE)
    alice.feedback("task_completed")
    (home / "memory" / FILE).rename(home / "memory/entities/people/alicia.md")
    alice.search("tea")
    alice.settle()
    alice.files.archive("entities/people/alicia.md")  # and the process is gone
    again = opened()
    again.restore("archive/entities/people/alicia.md")
    assert again.retrieve(ALICE).credit.score > 0.5


def test_of_two_files_with_one_id_the_one_whose_path_spells_it_is_served(alice: Brain, home: Path) -> None:
    (home / "memory/entities/people/copy.md").write_bytes((home / "memory" / FILE).read_bytes())
    assert alice.retrieve(ALICE).memory.path == FILE
    assert "also that of" in faults(alice)["entities/people/copy.md"]


def test_of_two_files_with_one_id_neither_is_served_when_no_path_spells_it(
    brain: Brain, write: Callable[..., Path]
) -> None:
    write("entities/people/a.md", "---\nid: x\n---\none")
    write("entities/people/b.md", "---\nid: x\n---\ntwo")
    assert served(brain) == {} and len(faults(brain)) == 2


def test_the_loser_is_served_when_the_winner_goes(alice: Brain, home: Path) -> None:
    (home / "memory/entities/people/copy.md").write_bytes((home / "memory" / FILE).read_bytes())
    alice.search("tea")
    (home / "memory" / FILE).unlink()
    assert alice.retrieve(ALICE).memory.name == "copy"


def test_generated_pages_are_no_memories(brain: Brain, write: Callable[..., Path]) -> None:
    write("MEMORY.md", "# Memory")
    write("entities/people/STRATEGY.md", "x")
    assert (served(brain), faults(brain)) == ({}, {})


BROKEN: dict[str, tuple[str, str | bytes, str]] = {
    "bad yaml": ("entities/a/x.md", "---\na: [1\n---\ntext", "YAML"),
    "unclosed": ("entities/a/x.md", "---\na: b\n", "not closed"),
    "bad utf-8": ("entities/a/x.md", b"\xff\xfe", "UTF-8"),
    "nul": ("entities/a/x.md", b"a\0b", "NUL"),
    "wrong tags": ("entities/a/x.md", "---\ntags: {a: b}\n---\nx", "tags"),
    "wrong pinned": ("entities/a/x.md", "---\npinned: perhaps\n---\nx", "pinned"),
    "wrong id": ("entities/a/x.md", "---\nid: a/b\n---\nx", "id"),
    "twice": ("entities/a/x.md", "---\na: b\na: b\n---\nx", "twice"),
    "anchor": ("entities/a/x.md", "---\na: &b c\n---\nx", "anchor"),
    "elsewhere": ("notes/x.md", "text", "no place"),
    "loose": ("x.md", "text", "no place"),
    "too deep": ("entities/a/b/x.md", "text", "no place"),
    "far too deep": ("entities/" + "a/" * 12 + "x.md", "text", ""),
    "no month": ("episodes/notes/x.md", "text", "month"),
    "conflict copy": ("entities/a/x.conflict-20260225T100000Z.md", "text", "conflict"),
    "nameless": ("entities/a/---.md", "text", "letter"),
    "huge": ("entities/a/x.md", b"x" * (4 * 1_048_576 + 1), "4 MB"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_is_left_out_listed_and_left_alone(alice: Brain, write: Callable[..., Path], kind: str) -> None:
    path, text, word = BROKEN[kind]
    file = write(path, text)
    before = file.read_bytes()
    assert set(served(alice)) == {ALICE}
    assert len(faults(alice)) == 1 and word in next(iter(faults(alice).values()))
    assert file.read_bytes() == before


@pytest.mark.parametrize("oddity", ["fifo", "link", "dangling", "linked folder", "folder"])
def test_an_oddity_is_left_out_and_listed(alice: Brain, home: Path, tmp_path: Path, oddity: str) -> None:
    place = home / "memory/entities/people/odd.md"
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.md").write_text("secret")
    {
        "fifo": lambda: os.mkfifo(place),
        "link": lambda: place.symlink_to(tmp_path / "outside/secret.md"),
        "dangling": lambda: place.symlink_to("nowhere"),
        "linked folder": lambda: place.with_name("folder").symlink_to(tmp_path / "outside"),
        "folder": place.mkdir,
    }[oddity]()
    assert set(served(alice)) == {ALICE}
    assert len(faults(alice)) == 1


def test_a_memory_folder_that_is_a_link_is_said(home: Path, tmp_path: Path, opened: Callable[..., Brain]) -> None:
    (home / "memory").rename(tmp_path / "elsewhere")
    (home / "memory").symlink_to(tmp_path / "elsewhere")
    brain = opened()
    brain.search("x")
    assert brain.take_warnings() != []


def test_a_file_whose_name_is_no_utf8_harms_nobody(alice: Brain, home: Path) -> None:
    name = os.path.join(os.fsencode(home), b"memory/entities/people/\xff.md")
    try:
        with open(name, "w") as file:
            file.write("text")
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert alice.search("tea").total >= 1
    assert len(faults(alice)) == 1
    assert alice.take_warnings()[0].encode()


def test_a_broken_file_is_warned_of_once(brain: Brain, write: Callable[..., Path]) -> None:
    write("entities/a/x.md", "---\na: [1\n---\ntext")
    brain.search("x")
    assert ["entities/a/x.md" in warning for warning in brain.take_warnings()] == [True]
    brain.search("x")
    assert brain.take_warnings() == []


def test_a_mended_file_is_served(brain: Brain, write: Callable[..., Path]) -> None:
    write(FILE, "---\nopen\n")
    brain.search("x")
    write(FILE, "---\na: b\n---\nLikes tea.")
    assert served(brain) == {ALICE: "Likes tea."}


def test_most_files_vanishing_at_once_is_warned_of_and_nothing_is_relabelled(
    brain: Brain, home: Path, write: Callable[..., Path]
) -> None:
    for number in range(30):
        write(f"entities/things/t{number}.md", "text")
    brain.search("text")
    brain.settle()
    (home / "memory/entities/things").rename(home / "away")
    brain.search("text")
    brain.settle()
    assert "30 of 30" in " ".join(brain.take_warnings())
    assert len(brain.ledger.ids()) == 30
    (home / "away").rename(home / "memory/entities/things")
    assert brain.search("text").total == 30


def test_a_deleted_index_is_made_anew_under_a_running_process(alice: Brain, home: Path) -> None:
    alice.search("tea")
    for path in (home / ".clawbrain").glob("index.db*"):
        path.unlink()
    assert alice.search("tea").total == 1


@pytest.mark.parametrize(
    "made", [lambda p: p.mkdir(), lambda p: p.symlink_to("nowhere"), lambda p: p.write_bytes(b"\xff\0"), lambda p: None]
)
def test_a_strategy_that_cannot_be_read_stops_nobody(
    home: Path, opened: Callable[..., Brain], made: Callable[[Path], None]
) -> None:
    (home / "STRATEGY.md").unlink()
    made(home / "STRATEGY.md")
    brain = opened()
    brain.store("entity", "alice", "Likes tea.", category="people")
    assert brain.search("tea").total == 1


def test_the_strategy_is_read_again_when_it_may_have_changed_and_only_then(
    brain: Brain, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = home / "STRATEGY.md"

    def says(rate: float) -> None:
        page.write_text(f"## Settings\n\n```yaml settings\ncredit: {{learning_rate: {rate}}}\n```\n")

    def rate() -> float:
        return brain.strategy().strategy.credit.learning_rate

    says(0.1)
    with monkeypatch.context() as patched:  # of one size, and within a tick of the clock
        alike = brain.files.fingerprint("STRATEGY.md", ".")
        patched.setattr(brain.files, "fingerprint", lambda *_: alike)
        assert rate() == 0.1
        says(0.3)
        assert rate() == 0.3
    os.utime(page, (1_000_000_000, 1_000_000_000))
    assert rate() == 0.3
    with monkeypatch.context() as patched:
        patched.setattr(brain.files, "read", lambda *_: pytest.fail("read again"))
        assert rate() == 0.3
    says(0.7)
    os.utime(page, (1_000_000_000, 1_000_000_000))
    assert rate() == 0.7
    page.unlink()
    assert rate() != 0.7


# Report


def test_an_empty_store_averages_nought(brain: Brain) -> None:
    report = brain.report()
    assert (report.total_memories, report.avg_score, list(report.top), report.last_pruning) == (0, 0.0, [], None)


def test_a_report_counts_live_memories_only(alice: Brain) -> None:
    alice.store("entity", "bob", "Likes coffee.", category="people")
    alice.archive(ALICE)
    report = alice.report()
    assert (report.total_memories, [row.id for row in report.top]) == (1, ["entity-people-bob"])


def test_a_report_is_best_first_and_worst_first(alice: Brain) -> None:
    alice.store("entity", "bob", "Likes coffee.", category="people")
    alice.retrieve(ALICE)
    alice.feedback("task_completed")
    report = alice.report()
    assert [row.name for row in report.top] == ["alice", "bob"] and [row.name for row in report.bottom] == [
        "bob",
        "alice",
    ]


@pytest.mark.parametrize(("asked", "answered"), [(0, 1), (-3, 1), (2, 2), (1000, 3)])
def test_the_length_of_a_report_is_clamped(brain: Brain, write: Callable[..., Path], asked: int, answered: int) -> None:
    for number in range(3):
        write(f"entities/people/p{number}.md", "text")
    assert len(brain.report(asked).top) == answered


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter everything")
def test_a_folder_that_may_be_listed_but_not_entered_hides_only_what_is_in_it(
    alice: Brain, home: Path, write: Callable[..., Path]
) -> None:
    folder = write("entities/places/paris.md", "Tea is dear there.").parent
    folder.chmod(0o444)
    try:
        assert [hit.id for hit in alice.search("tea").hits] == [ALICE]
        assert any("paris" in path for path in faults(alice))
    finally:
        folder.chmod(0o755)
    assert len(alice.search("tea").hits) == 2


@pytest.mark.parametrize("year", [1902, 2300, 2440, 20_000])
def test_a_file_of_an_odd_date_is_a_memory_like_any_other(alice: Brain, write: Callable[..., Path], year: int) -> None:
    file = write("entities/people/bob.md", "Bob drinks coffee.")
    when = (year - 1970) * 31_556_952 * 10**9
    os.utime(file, ns=(when, when))
    assert [hit.id for hit in alice.search("coffee").hits] == ["entity-people-bob"]
    assert [hit.id for hit in alice.search("coffee").hits] == ["entity-people-bob"]
