"""Tokens that are kept: made, listed and revoked on the command line, and found again by a server's lookups."""

import json
import os
import re
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock, deaths

from clawbrain.brain import Brain
from clawbrain.errors import Broken, Busy, Invalid, NotFound, Usage
from clawbrain.network import tokens as kept
from clawbrain.network.durations import seconds_of
from clawbrain.network.names import is_name, workspace_folder
from clawbrain.network.tokens import NewToken, digest_of

OPEN: list[kept.Tokens] = []


def opened_tokens(folder: Path, **how: Any) -> kept.Tokens:
    """The tokens of a folder, closed at the end of the test."""
    OPEN.append(kept.Tokens(folder, **how))
    return OPEN[-1]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


KINDS_BY_PREFIX = {"cbt_": {}, "brt_": {"kind": "being"}, "bto_": {"kind": "being", "being": "luna"}}


@pytest.fixture
def tokens(home: Path, clock: Clock) -> kept.Tokens:
    return opened_tokens(home, many=False, clock=clock)


@pytest.fixture
def homes(tmp_path: Path, clock: Clock) -> kept.Tokens:
    return opened_tokens(tmp_path / "homes", many=True, clock=clock)


def file(home: Path) -> Path:
    return home / ".clawbrain/access.db"


@pytest.mark.parametrize("prefix", KINDS_BY_PREFIX)
def test_a_token_is_a_prefix_and_256_random_bits(tokens: kept.Tokens, prefix: str) -> None:
    text, _ = tokens.create(NewToken(**KINDS_BY_PREFIX[prefix]))
    assert re.fullmatch(prefix + r"[A-Za-z0-9_-]{43}", text)
    assert text != tokens.create(NewToken(**KINDS_BY_PREFIX[prefix]))[0]


def test_of_a_token_only_the_hash_is_on_the_disk(tokens: kept.Tokens, home: Path) -> None:
    text, row = tokens.create(NewToken())
    everything = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert text.encode() not in everything and text[4:].encode() not in everything
    assert digest_of(text).encode() in file(home).read_bytes() and row.hash == digest_of(text)


def test_only_the_owner_can_read_the_file_and_git_is_kept_away(tmp_path: Path) -> None:
    opened_tokens(tmp_path / "new", many=False).create(NewToken())
    assert stat.S_IMODE(file(tmp_path / "new").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new/.clawbrain").stat().st_mode) == 0o700
    assert (tmp_path / "new/.clawbrain/.gitignore").read_text() == "*\n"


def test_neither_backup_nor_dump_has_a_token(
    tokens: kept.Tokens, brain: Brain, home: Path, run: Callable[..., Any]
) -> None:
    _, row = tokens.create(NewToken())
    brain.ledger.backup()
    backups = [*(home / ".clawbrain/backups").iterdir()]
    assert backups and not any(row.hash.encode() in path.read_bytes() for path in backups)
    assert row.hash not in run("dump").output


def test_a_token_is_found_by_its_text_alone(tokens: kept.Tokens) -> None:
    text, row = tokens.create(NewToken(user="alice"))
    assert tokens.found(text, 0) == row
    for other in (text[:-1], text + "x", text.swapcase(), "cbt_", "brt_" + text[4:], row.hash, row.id):
        assert tokens.found(other, 0) is None


def test_the_hashes_are_compared_in_constant_time(tokens: kept.Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = tokens.create(NewToken())
    monkeypatch.setattr("clawbrain.network.tokens.compare_digest", lambda one, other: False)
    assert tokens.found(text, 0) is None


def test_a_token_is_valid_until_it_expires(tokens: kept.Tokens, clock: Clock) -> None:
    text, row = tokens.create(NewToken(seconds=seconds_of("90d")))
    assert row.expires == "2026-05-26T10:00:00Z"
    clock.forward(days=89, hours=23, minutes=59, seconds=59)
    assert tokens.found(text, 0)
    clock.forward(seconds=1)
    assert tokens.found(text, 0) is None


def test_a_revoked_token_is_refused_and_still_counts_as_made(tokens: kept.Tokens, clock: Clock) -> None:
    text, row = tokens.create(NewToken())
    revoked = tokens.revoke(row.id)
    assert tokens.found(text, 0) is None and tokens.access.any()
    clock.forward(days=1)
    assert tokens.revoke(row.id) == revoked  # the first revocation stands


def test_an_unknown_token_cannot_be_revoked(tokens: kept.Tokens) -> None:
    with pytest.raises(NotFound, match="token list"):
        tokens.revoke("nope")


def test_what_another_process_revokes_is_refused_at_the_next_lookup(tokens: kept.Tokens, home: Path) -> None:
    text, row = tokens.create(NewToken())
    assert tokens.found(text, 0)
    command = [sys.executable, "-m", "clawbrain", "token", "revoke", row.id, "--home", str(home)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    assert tokens.found(text, 0) is None


def test_what_another_process_makes_is_found_at_the_next_lookup(home: Path, clock: Clock) -> None:
    server, owner = (opened_tokens(home, many=False, clock=clock) for _ in range(2))
    assert server.found("cbt_x", 0) is None and not file(home).exists()
    text, _ = owner.create(NewToken())
    assert server.found(text, 0)


def test_a_lookup_writes_nothing(tokens: kept.Tokens, home: Path) -> None:
    text, _ = tokens.create(NewToken())
    before = file(home).read_bytes(), file(home).stat().st_mtime_ns
    tokens.found(text, 0)
    assert (file(home).read_bytes(), file(home).stat().st_mtime_ns) == before


def test_a_lookup_waits_no_longer_than_it_may(tokens: kept.Tokens, home: Path) -> None:
    text, row = tokens.create(NewToken())
    with closing(sqlite3.connect(file(home), isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        began = time.monotonic()
        with pytest.raises(Busy):
            tokens.found(text, 0.01)
        with pytest.raises(Busy):
            tokens.access.note_uses({row.id: "2026-02-25T10:00:00Z"})
        assert time.monotonic() - began < 3  # a writer would wait for 10 seconds
    assert tokens.found(text, 0.01) == row


def test_a_last_use_never_goes_back(tokens: kept.Tokens) -> None:
    _, row = tokens.create(NewToken())
    for minute in ("2026-02-25T10:01:00Z", "2026-02-25T10:00:00Z"):
        tokens.access.note_uses({row.id: minute})
    assert tokens.all()[0].used == "2026-02-25T10:01:00Z"


# Broken, linked and closed files


def test_a_broken_file_is_set_aside_and_lets_nobody_in(tokens: kept.Tokens, home: Path, clock: Clock) -> None:
    text, _ = tokens.create(NewToken())
    tokens.close()
    file(home).write_bytes(b"SQLite format 3\0" + b"broken" * 1000)
    assert opened_tokens(home, many=False, clock=clock).found(text, 0) is None
    assert [*file(home).parent.glob("access.db.corrupt-*")]


def test_a_person_is_told_that_a_broken_file_was_set_aside(run: Callable[..., Any], home: Path) -> None:
    run("token", "create")
    file(home).write_bytes(b"broken" * 1000)
    done = run("token", "list")
    assert "set aside as .clawbrain/access.db.corrupt-" in done.stderr and "token create" in done.stderr


def test_a_server_says_that_a_broken_file_was_set_aside(
    tokens: kept.Tokens, home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tokens.create(NewToken())
    tokens.close()
    file(home).write_bytes(b"broken" * 1000)
    assert opened_tokens(home, many=False).found("cbt_x", 0) is None
    assert "set aside as" in capfd.readouterr().err


def test_a_file_that_breaks_under_a_running_server_lets_nobody_in(tokens: kept.Tokens, home: Path) -> None:
    text, _ = tokens.create(NewToken())
    assert tokens.found(text, 0)
    with file(home).open("r+b") as broken:
        broken.seek(0)
        broken.write(b"x" * 12_288)
    assert tokens.found(text, 0) is None


@pytest.mark.parametrize("warm", [True, False])
def test_a_link_in_the_place_of_the_file_is_not_followed(
    tokens: kept.Tokens, home: Path, tmp_path: Path, clock: Clock, warm: bool
) -> None:
    text, _ = tokens.create(NewToken())
    if not warm:
        tokens = opened_tokens(home, many=False, clock=clock)
    file(home).rename(tmp_path / "elsewhere.db")
    file(home).symlink_to(tmp_path / "elsewhere.db")
    before = (tmp_path / "elsewhere.db").read_bytes()
    assert tokens.found(text, 0) is None
    assert (tmp_path / "elsewhere.db").read_bytes() == before


def test_a_link_in_the_place_of_the_sidecar_is_refused(tmp_path: Path, home: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/.clawbrain").symlink_to(home / ".clawbrain")
    with pytest.raises(Broken, match="link"):
        opened_tokens(tmp_path / "other", many=False)


@pytest.mark.parametrize("mode", [0o644, 0o620, 0o606])
def test_a_file_that_others_may_read_or_write_lets_nobody_in(
    tokens: kept.Tokens, home: Path, clock: Clock, mode: int
) -> None:
    """So does one that came with a cloned repository: git keeps no mode 600."""
    text, _ = tokens.create(NewToken())
    file(home).chmod(mode)
    with pytest.raises(Broken, match="chmod 600"):
        opened_tokens(home, many=False, clock=clock).found(text, 0)
    file(home).chmod(0o600)
    assert opened_tokens(home, many=False, clock=clock).found(text, 0)


def test_a_file_that_is_deleted_under_a_server_lets_nobody_in(tokens: kept.Tokens, home: Path) -> None:
    text, _ = tokens.create(NewToken())
    assert tokens.found(text, 0)
    file(home).unlink()
    assert tokens.found(text, 0) is None and not file(home).exists()


def test_a_file_of_a_newer_program_is_left_alone(tokens: kept.Tokens, home: Path, clock: Clock) -> None:
    text, _ = tokens.create(NewToken())
    tokens.close()
    with closing(sqlite3.connect(file(home))) as db:
        db.execute("PRAGMA user_version = 99")
    before = file(home).read_bytes()
    with pytest.raises(Broken, match="upgrade"):
        opened_tokens(home, many=False, clock=clock).found(text, 0)
    assert file(home).read_bytes() == before


def test_a_kill_at_any_step_of_a_new_token_leaves_the_others(home: Path, clock: Clock) -> None:
    text, _ = opened_tokens(home, many=False, clock=clock).create(NewToken())

    def create(brain: Brain) -> None:
        tokens = opened_tokens(brain.home, many=False, clock=clock)
        tokens.access._db._at = brain.at
        tokens.create(NewToken())

    for _, copy in deaths(home, clock, create):
        tokens = opened_tokens(copy, many=False, clock=clock)
        assert tokens.found(text, 0) and len(tokens.all()) in (1, 2)
        tokens.close()


# What a token may be for


@pytest.mark.parametrize(
    "wish",
    [
        {"kind": "palace"},
        {"workspace": "work"},
        {"new_workspace": True},
        {"being": "luna"},
        {"being_only": "luna"},
        {"kind": "being", "workspace": "luna"},
        {"kind": "being", "being": "luna", "being_only": "luna"},
        {"kind": "being", "new_workspace": True},
        {"name": "two\nlines"},
        {"name": "x" * 201},
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(tokens: kept.Tokens, wish: dict[str, Any], home: Path) -> None:
    with pytest.raises(Usage):
        tokens.create(NewToken(**wish))
    assert not file(home).exists()


def test_a_token_of_a_folder_of_homes_is_for_a_workspace_that_exists(homes: kept.Tokens) -> None:
    with pytest.raises(Usage, match="--workspace"):
        homes.create(NewToken())
    with pytest.raises(NotFound, match="--new-workspace"):
        homes.create(NewToken(workspace="work"))
    assert homes.create(NewToken(workspace="work", new_workspace=True))[1].workspace == "work"
    assert homes.create(NewToken(workspace="work"))[1].workspace == "work"
    assert (homes.folder / "work").is_dir()


def test_a_being_of_a_folder_of_homes_is_a_workspace(homes: kept.Tokens) -> None:
    with pytest.raises(NotFound):
        homes.create(NewToken(kind="being", being="luna"))
    homes.create(NewToken(kind="being", being="luna", new_workspace=True))
    homes.create(NewToken(kind="being", being_only="luna"))
    homes.create(NewToken(kind="being"))
    assert [row.bound_to for row in homes.all()] == ["luna", "luna", ""]
    assert len(homes.all("luna")) == 2


NO_NAMES = [
    "a:b", "../up", "a/b", "a\\b", ".", "..", ".hidden", "-x", "~x", "", " x", "x ", "x.", "a\0b", "a\nb", "a\u202eb",
    "a\u2028b", "x" * 101, "ü" * 51, "\udcff", "e\u0301", "a*", "a\u200bb",
]  # fmt: skip


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_name_is_one_safe_folder_name(homes: kept.Tokens, name: str) -> None:
    assert not is_name(name) and workspace_folder(homes.folder, name) is None
    for wish in ({"workspace": name, "new_workspace": True}, {"workspace": "w", "new_workspace": True, "user": name}):
        if name:
            with pytest.raises(Invalid):
                homes.create(NewToken(**wish))
    assert not homes.folder.exists()


@pytest.mark.parametrize("name", ["luna", "team-7", "alice@example.org", "Zoë", "a b", "3f2a", "猫", "x" * 100])
def test_ordinary_names_are_names(name: str) -> None:
    assert is_name(name)


def test_a_link_is_no_workspace(homes: kept.Tokens, tmp_path: Path) -> None:
    homes.folder.mkdir()
    (homes.folder / "work").symlink_to(tmp_path)
    assert workspace_folder(homes.folder, "work") is None


@pytest.mark.parametrize(("text", "seconds"), [("45", 45), ("45s", 45), ("30m", 1800), ("12h", 43200), ("9d", 777600)])
def test_a_duration_has_a_unit_or_is_seconds(text: str, seconds: float) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "-1", "5x", "1e9", "inf", "nan", "9" * 400, "٣d", "36501d", "1 d"])
def test_other_durations_are_refused(text: str) -> None:
    with pytest.raises(Invalid):
        seconds_of(text)


# The command line


def test_the_token_alone_is_on_standard_output(run: Callable[..., Any], home: Path) -> None:
    done = run("token", "create", "--name", "laptop", "--expires", "90d", "--scope", "read-only")
    assert done.exit_code == 0 and re.fullmatch(r"cbt_[\w-]{43}\n", done.stdout)
    assert "shown only now" in done.stderr
    assert opened_tokens(home, many=False).found(done.stdout.strip(), 0)


def test_a_token_in_json_has_all_but_its_hash(run: Callable[..., Any]) -> None:
    made = json.loads(run("token", "create", "--json", "--kind", "being", "--being-only", "luna").stdout)
    listed = json.loads(run("token", "list", "--json").stdout)["tokens"]
    assert listed == [{key: value for key, value in made.items() if key != "token"}]
    assert listed[0]["being_only"] == "luna" and listed[0]["state"] == "valid" and "hash" not in listed[0]


def test_the_list_shows_what_was_revoked(run: Callable[..., Any]) -> None:
    made = json.loads(run("token", "create", "--json").stdout)
    assert run("token", "revoke", made["id"]).exit_code == 0
    assert "revoked" in run("token").stdout and made["token"] not in run("token").stdout


def test_listing_tokens_makes_no_file(run: Callable[..., Any], home: Path, tmp_path: Path) -> None:
    assert "token create" in run("token", "list").stdout
    assert run("token", "list", "--homes", tmp_path / "none").exit_code == 0
    assert not file(home).exists() and not (tmp_path / "none").exists()


def test_a_folder_of_homes_has_tokens_of_its_own(run: Callable[..., Any], tmp_path: Path) -> None:
    homes = tmp_path / "homes"
    made = run("token", "create", "--homes", homes, "--workspace", "work", "--new-workspace")
    assert made.exit_code == 0 and file(homes).exists() and not file(homes / "work").exists()
    assert "work" in run("token", "list", "--homes", homes, "--workspace", "work").stdout
    assert "work" not in run("token", "list").stdout


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("create", "--homes", "h", "--home", "x"), 2),
        (("create", "--kind", "palace"), 2),
        (("create", "--expires", "soon"), 1),
        (("revoke", "nope"), 1),
        (("sign", "--user", "a", "--workspace", "b"), 2),
        (("sign", "--user", "a", "--workspace", "b", "--hmac-key-file", "none"), 2),
        (("--homes", "h", "list"), 2),
        (("create", "--homes", ""), 2),
    ],
)
def test_a_refusal_is_one_sentence(run: Callable[..., Any], words: tuple[str, ...], status: int) -> None:
    done = run("token", *words)
    assert done.exit_code == status and done.stdout == ""
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr


def test_a_folder_that_cannot_be_written_is_said_to_be_so(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    (tmp_path / "home").mkdir(mode=0o500)
    with pytest.raises(OSError):
        opened_tokens(tmp_path / "home", many=False).create(NewToken())
