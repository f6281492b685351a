"""The turn log: one write per search, nothing lost, nothing twice."""

import json
import multiprocessing
from pathlib import Path

import pytest

from clawbrain.storage.turn_log import LoggedSearch, TurnLog


@pytest.fixture
def log(tmp_path: Path) -> TurnLog:
    return TurnLog(tmp_path)


def moved(log: TurnLog) -> list[LoggedSearch]:
    found: list[LoggedSearch] = []
    log.move(found.extend)
    return found


def append(log: TurnLog, *ids: str) -> None:
    log.append("s", "2026-02-25T10:00:00Z", ids)


def test_a_look_is_moved_as_it_was(log: TurnLog) -> None:
    append(log, "a", "é")
    look = moved(log)[0]
    assert (look.session, look.at, look.ids) == ("s", "2026-02-25T10:00:00Z", ["a", "é"])


def test_looks_are_moved_in_order(log: TurnLog) -> None:
    for number in range(5):
        append(log, str(number))
    assert [look.ids for look in moved(log)] == [[str(number)] for number in range(5)]


def test_what_was_moved_is_not_moved_again(log: TurnLog) -> None:
    append(log, "a")
    moved(log)
    assert moved(log) == [] and not log.waiting()


def test_each_look_has_an_id_of_its_own(log: TurnLog) -> None:
    append(log, "a")
    append(log, "a")
    assert len({look.id for look in moved(log)}) == 2


def test_a_look_waits_until_it_is_moved(log: TurnLog) -> None:
    assert not log.waiting()
    append(log, "a")
    assert log.waiting()


def test_a_torn_last_line_is_left_out(log: TurnLog) -> None:
    append(log, "a")
    with log.path.open("ab") as file:
        file.write(b'{"id": "x", "sess')
    assert [look.ids for look in moved(log)] == [["a"]]


def test_a_look_after_a_torn_line_is_kept(log: TurnLog) -> None:
    log.path.write_bytes(b'{"id": "x", "sess')
    append(log, "a")
    assert [look.ids for look in moved(log)] == [["a"]]


@pytest.mark.parametrize(
    "odd", [b"\xff\n", b"[]\n", b"null\n", b"{}\n", b"\n", b'{"id":1,"session":2,"at":3,"ids":4}\n']
)
def test_an_odd_line_harms_nobody(log: TurnLog, odd: bytes) -> None:
    log.path.write_bytes(odd)
    append(log, "a")
    assert ["a"] in [look.ids for look in moved(log)]


def test_a_killed_move_is_finished_first(log: TurnLog) -> None:
    append(log, "first")
    log.path.rename(log.path.with_suffix(".moving"))
    append(log, "second")
    assert [look.ids for look in moved(log)] == [["first"], ["second"]]


def test_looks_that_could_not_be_kept_wait_on(log: TurnLog) -> None:
    def full(looks: list[LoggedSearch]) -> None:
        raise OSError("disk full")

    append(log, "a")
    with pytest.raises(OSError, match="full"):
        log.move(full)
    assert [look.ids for look in moved(log)] == [["a"]]


def test_the_log_is_its_owners_alone(log: TurnLog) -> None:
    append(log, "a")
    assert log.path.stat().st_mode & 0o777 == 0o600


def test_a_link_is_not_written_through(log: TurnLog, tmp_path: Path) -> None:
    log.path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="symbolic"):
        append(log, "a")
    assert not (tmp_path / "elsewhere").exists()


def write_many(folder: str, who: int) -> None:
    for number in range(200):
        append(TurnLog(Path(folder)), f"{who}-{number}")


def test_no_look_is_lost_while_others_move(log: TurnLog, tmp_path: Path) -> None:
    writers = [
        multiprocessing.get_context("fork").Process(target=write_many, args=(str(tmp_path), who)) for who in range(3)
    ]
    for writer in writers:
        writer.start()
    found: list[LoggedSearch] = []
    while any(writer.is_alive() for writer in writers):
        log.move(found.extend)
    log.move(found.extend)
    for writer in writers:
        writer.join()
    assert len(found) == len({look.id for look in found}) == 600
    assert json.dumps(sorted(look.ids[0] for look in found)) == json.dumps(
        sorted(f"{who}-{number}" for who in range(3) for number in range(200))
    )
