"""Conversations: kept once, found by words and days, and in a file that may break without harm to anything else."""

import multiprocessing
import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Clock

from clawbrain.brain import Brain, open_brain
from clawbrain.brain.history import LONGEST, Message
from clawbrain.errors import Broken, Invalid, ReadOnly

Opened = Callable[..., Brain]


def said(content: str, created: str = "2026-02-25T10:00:00Z", conversation: str = "c1", **more: str) -> Message:
    return Message(conversation, "user", content, created, **more)  # type: ignore[arg-type]


def found(brain: Brain, query: str = "", **how: object) -> list[str]:
    return [message.content for message in brain.history.search(query, **how)]  # type: ignore[arg-type]


def records(home: Path) -> Path:
    return home / ".clawbrain" / "records.db"


def test_a_home_without_conversations_has_no_file_for_them(brain: Brain, home: Path) -> None:
    brain.search("anything")
    assert not records(home).exists()


def test_only_the_owner_may_read_the_file(brain: Brain, home: Path) -> None:
    brain.history.add([said("hello")])
    assert stat.S_IMODE(records(home).stat().st_mode) == 0o600


def test_what_was_said_comes_back_whole(brain: Brain) -> None:
    brain.history.add([said("Ship it.", key="k1", source="codex", title="Release")])
    [message] = brain.history.search("ship")
    assert message == Message(
        "c1", "user", "Ship it.", "2026-02-25T10:00:00Z", source="codex", key="k1", title="Release", id=message.id
    )


def test_a_message_with_the_same_key_is_stored_once(brain: Brain) -> None:
    assert brain.history.add([said("hello", key="k1"), said("again", key="k2")]) == 2
    assert brain.history.add([said("hello", key="k1"), said("third", key="k3")]) == 1
    assert brain.history.count() == 3


def test_one_key_in_two_conversations_is_two_messages(brain: Brain) -> None:
    assert brain.history.add([said("a", key="1"), said("a", key="1", conversation="c2")]) == 2


def test_one_key_of_two_programs_is_two_messages(brain: Brain) -> None:
    assert brain.history.add([said("a", key="1", source="codex"), said("a", key="1", source="gemini")]) == 2


def test_a_message_without_a_key_is_known_by_its_words_and_date(brain: Brain) -> None:
    assert brain.history.add([said("yes"), said("no")]) == 2
    assert brain.history.add([said("yes"), said("no"), said("yes", "2026-02-25T10:01:00Z")]) == 1


def test_the_same_words_twice_in_one_second_are_two_messages(brain: Brain) -> None:
    assert brain.history.add([said("yes"), said("yes")]) == 2
    assert brain.history.add([said("yes"), said("yes")]) == 0


def test_a_message_that_was_still_being_written_gets_its_final_text(brain: Brain) -> None:
    brain.history.add([said("The answer is", key="k")])
    assert brain.history.add([said("The answer is forty-two", key="k")]) == 0
    assert found(brain, "forty-two") == ["The answer is forty-two"]


def test_a_title_that_comes_later_is_the_title_of_all(brain: Brain) -> None:
    brain.history.add([said("one", key="1", title="New session")])
    brain.history.add([said("one", key="1", title="Deploys"), said("two", key="2", title="Deploys")])
    assert {message.title for message in brain.history.search()} == {"Deploys"}


def test_an_empty_message_is_none(brain: Brain) -> None:
    assert brain.history.add([said(""), said(" \n")]) == 0


def test_a_message_without_a_date_is_of_now(brain: Brain) -> None:
    brain.history.add([said("hello", "")])
    assert brain.history.search()[0].created == "2026-02-25T10:00:00Z"


def test_a_date_with_an_offset_becomes_utc(brain: Brain) -> None:
    brain.history.add([said("hello", "2026-02-25T01:30:00.250+09:00")])
    assert brain.history.search()[0].created == "2026-02-24T16:30:00Z"


def test_what_is_no_date_is_refused(brain: Brain) -> None:
    with pytest.raises(Invalid, match="must be like 2026-02-25T10:00:00Z, not 'yesterday'"):
        brain.history.add([said("hello", "yesterday")])


def test_a_password_is_blotted_out(brain: Brain) -> None:
    brain.history.add([said("use ghp_" + "a1B2" * 9)])
    assert found(brain, "use") == ["use [redacted: GitHub token]"]


@pytest.mark.parametrize("policy", ["warn", "refuse"])
def test_a_secret_is_blotted_out_whatever_the_strategy_says_of_memories(brain: Brain, home: Path, policy: str) -> None:
    (home / "STRATEGY.md").write_text(f"# Strategy\n\n```yaml settings\nsafety:\n  secrets: {policy}\n```\n")
    assert brain.policy.settings().safety.secrets == policy
    assert brain.history.add([said("use ghp_" + "a1B2" * 9)]) == 1
    assert b"a1B2a1B2" not in records(home).read_bytes()


def test_a_message_without_end_is_cut_and_says_so(brain: Brain) -> None:
    brain.history.add([said("x" * (LONGEST + 5))])
    assert found(brain)[0].endswith("x\n[… 5 more characters were not kept]")


def test_half_a_surrogate_pair_breaks_nothing(brain: Brain) -> None:
    brain.history.add([said("broken \ud83d text")])
    assert found(brain, "broken") == ["broken ? text"]


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("deploy staging", "We deploy to staging on Mondays"),
        ("STAGING", "We deploy to staging on Mondays"),
        ("deploying", "We deploy to staging on Mondays"),
        ("cafe", "Meet at the Café"),
        ("CAFÉ", "Meet at the cafe"),
        ("parse_header", "call parse_header() first"),
        ("->", "an arrow -> here"),
        ("世界", "你好世界"),
        ("界", "你好世界"),
        ("развертывание", "Это развёртывание"),
        ("배포", "배포는 금요일에"),
        ("שלום", "אמר שלום לכולם"),
        ("สวัสดี", "เขาพูดสวัสดีครับ"),
        ("🚀", "shipped 🚀 today"),
    ],
)
def test_a_message_is_found_by_its_words(brain: Brain, query: str, content: str) -> None:
    brain.history.add([said(content), said("something else entirely, in 別の words")])
    assert found(brain, query) == [content]


def test_every_word_of_the_query_must_be_there(brain: Brain) -> None:
    brain.history.add([said("deploy on Monday"), said("deploy on Friday")])
    assert found(brain, "deploy friday") == ["deploy on Friday"]
    assert found(brain, "deploy sunday") == []


def test_a_query_is_words_and_no_language(brain: Brain) -> None:
    brain.history.add([said('say "NEAR" OR not* content:x (y)')])
    assert found(brain, '"near" OR not* content:x (y)') != []
    assert found(brain, '"') != []


def test_a_query_of_thousands_of_words_is_answered(brain: Brain) -> None:
    brain.history.add([said(" ".join(f"word{n}" for n in range(3000)))])
    assert len(found(brain, " ".join(f"word{n}" for n in range(3000)))) == 1


def test_newest_comes_first_and_of_equal_dates_the_later_stored(brain: Brain) -> None:
    brain.history.add([said("b"), said("c"), said("a", "2026-02-24T10:00:00Z"), said("d", "2026-02-26T10:00:00Z")])
    assert found(brain) == ["d", "c", "b", "a"]


def test_days_are_included_at_both_ends(brain: Brain) -> None:
    dates = ("2026-02-23T23:59:59Z", "2026-02-24T00:00:00Z", "2026-02-25T23:59:59Z", "2026-02-26T00:00:00Z")
    brain.history.add(said(date, date) for date in dates)
    assert found(brain, since="2026-02-24", until="2026-02-25") == [dates[2], dates[1]]


def test_what_is_no_day_is_refused(brain: Brain) -> None:
    with pytest.raises(Invalid, match="'since' must be a day like 2026-02-25, not 'soon'"):
        brain.history.search(since="soon")


def test_a_search_can_stay_within_one_conversation(brain: Brain) -> None:
    brain.history.add([said("deploy"), said("deploy now", conversation="c2")])
    assert found(brain, "deploy", conversation="c2") == ["deploy now"]


def test_no_more_than_the_limit_is_found(brain: Brain) -> None:
    brain.history.add([said("a"), said("b"), said("c")])
    assert found(brain, limit=2) == ["c", "b"]


def test_conversations_are_listed_newest_first(brain: Brain) -> None:
    brain.history.add([said("a", source="codex"), said("b", "2026-02-26T10:00:00Z", source="codex", title="T")])
    brain.history.add([said("c", "2026-02-27T10:00:00Z", conversation="c2")])
    first, second = brain.history.conversations()
    assert (first.id, first.messages) == ("c2", 1)
    assert (second.id, second.source, second.title, second.messages) == ("c1", "codex", "T", 2)
    assert (second.begun, second.ended) == ("2026-02-25T10:00:00Z", "2026-02-26T10:00:00Z")


def test_a_forgotten_conversation_leaves_no_word_in_the_file(brain: Brain, home: Path) -> None:
    brain.history.add([said("xylophones everywhere"), said("kept", conversation="c2")])
    assert b"xylophone" in records(home).read_bytes()
    assert brain.history.forget("c1") == 1
    assert b"xylophone" not in records(home).read_bytes()
    assert found(brain) == ["kept"]


def test_messages_are_no_memories(brain: Brain) -> None:
    brain.history.add([said("deploy to staging")])
    assert brain.search("deploy").hits == []


def test_a_reading_brain_finds_what_another_wrote(opened: Opened) -> None:
    opened().history.add([said("hello")])
    assert found(opened(read_only=True), "hello") == ["hello"]


def test_a_reading_brain_that_was_there_first_finds_it_too(opened: Opened) -> None:
    reading = opened(read_only=True)
    assert found(reading, "hello") == []
    opened().history.add([said("hello")])
    assert found(reading, "hello") == ["hello"]


def test_a_reading_brain_sees_nothing_in_a_broken_file_and_leaves_it_alone(opened: Opened, home: Path) -> None:
    records(home).write_bytes(b"junk" * 2000)
    assert found(opened(read_only=True), "hello") == []
    assert records(home).read_bytes() == b"junk" * 2000


def test_who_only_asks_makes_no_file(brain: Brain, home: Path) -> None:
    assert (brain.history.count(), found(brain, "hello"), brain.history.conversations()) == (0, [], [])
    assert not records(home).exists()


def test_a_reading_brain_makes_no_file(opened: Opened, home: Path) -> None:
    assert opened(read_only=True).history.count() == 0
    assert not records(home).exists()


def test_a_reading_brain_adds_and_forgets_nothing(opened: Opened) -> None:
    brain = opened(read_only=True)
    with pytest.raises(ReadOnly):
        brain.history.add([said("hello")])
    with pytest.raises(ReadOnly):
        brain.history.forget("c1")


@pytest.mark.parametrize(
    "junk", [b"not a database at all, but longer than its header" * 40, b"SQLite format 3\0" * 300]
)
def test_a_file_that_cannot_be_read_is_set_aside_and_begun_anew(brain: Brain, home: Path, junk: bytes) -> None:
    records(home).write_bytes(junk)
    assert brain.history.add([said("hello")]) == 1
    [aside] = home.glob(".clawbrain/records.db.corrupt-*")
    assert aside.read_bytes() == junk
    assert [said for said in brain.take_warnings() if aside.name in said]


def test_another_programs_database_is_set_aside_and_not_written(brain: Brain, home: Path) -> None:
    with closing(sqlite3.connect(records(home))) as other:
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
    before = records(home).read_bytes()
    brain.history.add([said("hello")])
    [aside] = home.glob(".clawbrain/records.db.corrupt-*")
    assert aside.read_bytes() == before


def test_a_link_in_its_place_is_not_followed(brain: Brain, home: Path, tmp_path: Path) -> None:
    target = tmp_path / "elsewhere.db"
    target.write_bytes(b"precious")
    records(home).symlink_to(target)
    brain.history.add([said("hello")])
    assert target.read_bytes() == b"precious"
    assert not records(home).is_symlink()


def test_a_file_that_breaks_in_use_is_set_aside_too(brain: Brain, home: Path) -> None:
    brain.history.add(said(f"message {n} " * 50, key=str(n)) for n in range(200))
    with records(home).open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(records(home).stat().st_size - 4096))
    with open_brain(home) as later:
        assert found(later, "message") == []
        assert later.history.add([said("hello")]) == 1
        assert "was set aside" in " ".join(later.take_warnings())


def test_a_file_of_a_newer_clawbrain_is_left_alone(opened: Opened, home: Path) -> None:
    opened().history.add([said("hello")])
    with closing(sqlite3.connect(records(home))) as newer:
        newer.execute("PRAGMA user_version = 99")
    with pytest.raises(Broken, match="upgrade this one"):
        opened().history.add([said("more")])
    assert not list(home.glob(".clawbrain/records.db.corrupt-*"))


def test_a_file_deleted_in_use_is_begun_anew(brain: Brain, home: Path) -> None:
    brain.history.add([said("one")])
    records(home).unlink()
    assert brain.history.add([said("two")]) == 1
    assert found(brain) == ["two"]


def test_a_running_server_goes_on_with_the_file_that_another_process_began(opened: Opened, home: Path) -> None:
    server, other = opened(), opened()
    server.history.add([said("one")])
    other.records.begin_anew()
    server.history.add([said("two")])
    assert found(other) == ["two"]


def test_a_killed_ingest_leaves_whole_batches_and_the_next_run_adds_the_rest(opened: Opened, clock: Clock) -> None:
    def all_of_it(dies: bool) -> Iterator[Message]:
        for number in range(1200):
            if dies and number == 1100:
                raise KeyboardInterrupt
            yield said("word", key=str(number))

    with pytest.raises(KeyboardInterrupt):
        opened().history.add(all_of_it(dies=True))
    assert opened().history.count() == 1000
    assert opened().history.add(all_of_it(dies=False)) == 200


def _dies_while_writing(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA cache_size = 1")  # so that half of it is in the file already
    db.execute("BEGIN IMMEDIATE")
    db.execute("UPDATE messages SET content = content || 'half done'")
    os._exit(9)


def test_what_a_killed_process_left_half_done_is_undone_and_no_fault(opened: Opened, home: Path) -> None:
    opened().history.add(said(f"message {n} " * 50, key=str(n)) for n in range(500))
    killed = multiprocessing.get_context("fork").Process(target=_dies_while_writing, args=(records(home),))
    killed.start()
    killed.join(60)
    assert Path(f"{records(home)}-journal").stat().st_size > 0
    brain = opened()
    assert brain.records.problem() == ""
    assert not any("half done" in content for content in found(brain, limit=500))
    assert brain.history.count() == 500


def _writes(home: Path, name: str) -> None:
    with open_brain(home) as brain:
        for number in range(20):
            brain.history.add(said(f"{name} {number}", key=f"{name}{number}{part}") for part in range(5))
            brain.history.add([said("shared", key=f"shared {number}")])


def test_several_processes_write_at_once_and_nothing_is_lost_or_doubled(home: Path) -> None:
    context = multiprocessing.get_context("fork")
    writers = [context.Process(target=_writes, args=(home, name)) for name in ("a", "b", "c")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    with open_brain(home) as brain:
        assert brain.history.count() == 3 * 20 * 5 + 20


def test_check_says_when_the_file_is_broken_and_repair_begins_a_new_one(brain: Brain, home: Path) -> None:
    brain.history.add([said("hello")])
    brain.records.close()
    records(home).write_bytes(b"junk" * 2000)
    [finding] = [each for each in brain.checks.check() if each.where == ".clawbrain/records.db"]
    assert finding.fault and "check --repair" in finding.what
    assert any("records.db" in line for line in brain.checks.repair())
    assert [each for each in brain.checks.check() if each.where == ".clawbrain/records.db"] == []
    assert list(home.glob(".clawbrain/records.db.corrupt-*"))


def test_a_file_that_another_process_is_writing_is_not_broken(brain: Brain, home: Path) -> None:
    brain.history.add([said("hello")])
    with closing(sqlite3.connect(records(home), isolation_level=None)) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        assert brain.records.problem() == ""


def test_a_file_that_was_only_just_begun_is_not_broken(brain: Brain, home: Path) -> None:
    records(home).touch()
    assert brain.records.problem() == ""
    assert brain.history.add([said("hello")]) == 1
    assert brain.take_warnings() == []


def test_check_has_nothing_to_say_of_a_sound_file(brain: Brain) -> None:
    brain.history.add([said("hello")])
    assert [each for each in brain.checks.check() if "records" in each.where] == []
