"""Who asks over HTTP: kept tokens, signed tokens and one further token, with one home and with a folder of homes."""

import asyncio
import base64
import hashlib
import hmac
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from conftest import Clock

from clawbrain.errors import Invalid, Usage
from clawbrain.network import authenticate, hmac_tokens, last_uses
from clawbrain.network import tokens as kept
from clawbrain.network.authenticate import LONGEST, Authenticator
from clawbrain.network.hmac_tokens import HmacOptions, key_from, sign
from clawbrain.network.principal import Principal, Scope
from clawbrain.network.refusals import Forbidden, Unauthenticated
from clawbrain.network.tokens import NewToken

KEY = b"a key of the tests"
Made = Callable[..., str]


OPEN: list[kept.Tokens | Authenticator] = []


def opened_tokens(folder: Path, **how: Any) -> kept.Tokens:
    """The tokens of a folder, closed at the end of the test."""
    OPEN.append(found := kept.Tokens(folder, **how))
    return found


def authenticator(folder: Path, **how: Any) -> Authenticator:
    """What tells who asks, closed at the end of the test."""
    OPEN.append(asked := authenticate.authenticator(folder, **how))
    return asked


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().close()


@pytest.fixture
def made(home: Path, clock: Clock) -> Made:
    """Makes a token of the home and returns its text."""
    tokens = opened_tokens(home, many=False, clock=clock)
    return lambda **wish: tokens.create(NewToken(**wish))[0]


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    for name in ("alice", "bob"):
        (tmp_path / "homes" / name).mkdir(parents=True)
    return tmp_path / "homes"


@pytest.fixture
def of_many(homes: Path, clock: Clock) -> Made:
    """Makes a token of the folder of homes and returns its text."""
    tokens = opened_tokens(homes, many=True, clock=clock)
    return lambda **wish: tokens.create(NewToken(**wish))[0]


def who(asked: Authenticator, token: str, path_being: str = "") -> Principal:
    return asyncio.run(asked.principal(f"Bearer {token}", of_beings=True, path_being=path_being))


def refused(asked: Authenticator, authorization: str | None, path_being: str = "") -> Unauthenticated | Forbidden:
    with pytest.raises((Unauthenticated, Forbidden)) as refusal:
        asyncio.run(asked.principal(authorization, of_beings=True, path_being=path_being))
    return refusal.value


# Modes


def test_a_server_that_could_let_nobody_in_is_refused(home: Path) -> None:
    with pytest.raises(Usage, match="token create"):
        authenticator(home)


@pytest.mark.parametrize("further", [{"hmac": HmacOptions(KEY)}, {"further_token": "x"}])
def test_letting_everybody_in_is_refused_beside_a_key_or_token(home: Path, further: dict[str, Any]) -> None:
    assert authenticator(home, insecure=True).mode == "open"
    with pytest.raises(Usage):
        authenticator(home, insecure=True, **further)


def test_letting_everybody_in_is_refused_beside_a_revoked_token(home: Path, made: Made) -> None:
    made()
    tokens = opened_tokens(home, many=False)
    tokens.revoke(tokens.all()[0].id)
    with pytest.raises(Usage):
        authenticator(home, insecure=True)
    assert authenticator(home).mode == "token"


def test_a_further_token_is_for_one_home(homes: Path) -> None:
    with pytest.raises(Usage):
        authenticator(homes, many=True, further_token="x")


def test_everybody_is_the_owner_in_open_mode(home: Path) -> None:
    assert asyncio.run(authenticator(home, insecure=True).principal(None)) == Principal("local", "", Scope.ADMIN)


def test_open_mode_with_a_folder_of_homes_needs_a_being_that_exists(homes: Path) -> None:
    asked = authenticator(homes, many=True, insecure=True)
    assert asyncio.run(asked.principal(None, path_being="bob")).workspace == "bob"
    for name in ("", "eve", "..", "../homes/bob"):
        assert refused(asked, None, name).status == 403


# The header


@pytest.mark.parametrize(
    "header",
    [
        "", "Bearer", "Bearer ", "Basic {}", "{}", "Bearer{}", "Bearer {} {}", "Bearer\t{}", "Bearer {}\0",
        "Bearer {}é", "Bearer {}\u202e", "Bearer \udcff", "Bearer {}=", "Bearer cbt_", "Bearer x", 'Bearer "{}"',
        "Bearer {},Bearer {}",
    ],
)  # fmt: skip
def test_a_header_that_is_not_a_bearer_token_is_refused(home: Path, made: Made, header: str) -> None:
    text = made()
    refusal = refused(authenticator(home), header.replace("{}", text))
    assert refusal.status == 401 and refusal.challenge.startswith("Bearer realm=") and text not in str(refusal)


def test_without_a_header_the_challenge_names_no_error(home: Path, made: Made) -> None:
    made()
    assert refused(authenticator(home), None).challenge == 'Bearer realm="clawbrain"'
    assert refused(authenticator(home), "Bearer x").challenge == 'Bearer realm="clawbrain", error="invalid_token"'


def test_the_scheme_may_be_in_any_case(home: Path, made: Made) -> None:
    text = made(user="alice")
    assert asyncio.run(authenticator(home).principal(f"bEARER  {text} ")).user == "alice"


def test_a_huge_token_is_refused_unread(home: Path, made: Made) -> None:
    made()
    asked = authenticator(home, hmac=HmacOptions(KEY))
    began = time.perf_counter()
    for text in ("x" * 1_000_000, "cbt_" + "x" * 1_000_000, "." * 1_000_000, "x" * (LONGEST + 1)):
        assert refused(asked, f"Bearer {text}").status == 401
    assert time.perf_counter() - began < 1


def test_a_token_that_is_right_but_for_its_length_is_refused(home: Path, clock: Clock) -> None:
    asked = authenticator(home, hmac=HmacOptions(KEY), clock=clock)
    signed_part, signature = sign(KEY, "alice", "work", clock()).split(".")
    assert who(asked, f"{signed_part}==.{signature}").user == "alice"
    assert refused(asked, f"Bearer {signed_part}{'=' * LONGEST}.{signature}").status == 401


# Kept tokens


def test_a_token_says_who_asks_and_what_they_may(home: Path, made: Made) -> None:
    text = made(user="alice", scope=Scope.READ)
    found = who(authenticator(home), text)
    assert (found.user, found.workspace, found.scope, found.being) == ("alice", "", Scope.READ, "")
    assert found.token == opened_tokens(home, many=False).all()[0].id
    assert found.may(Scope.READ) and not found.may(Scope.WRITE)


def test_two_tokens_without_a_user_are_two_users(home: Path, made: Made) -> None:
    one, other = made(), made()
    asked = authenticator(home)
    assert who(asked, one).key != who(asked, other).key


def test_a_revoked_token_is_refused_at_the_next_request(home: Path, made: Made) -> None:
    text = made()
    asked = authenticator(home)
    found = who(asked, text)
    opened_tokens(home, many=False).revoke(found.token)
    assert refused(asked, f"Bearer {text}").status == 401


def test_an_expired_token_is_refused(home: Path, made: Made, clock: Clock) -> None:
    text = made(seconds=60.0)
    asked = authenticator(home, clock=clock)
    assert who(asked, text)
    clock.forward(seconds=60)
    assert refused(asked, f"Bearer {text}").status == 401


def test_the_last_use_is_noted_to_the_minute(home: Path, made: Made, clock: Clock) -> None:
    text = made()
    asked = authenticator(home, clock=clock)
    clock.forward(minutes=5, seconds=42)
    who(asked, text)
    asked.close()
    assert opened_tokens(home, many=False).all()[0].used == "2026-02-25T10:05:00Z"


def test_a_use_is_written_within_two_seconds(home: Path, made: Made, clock: Clock) -> None:
    text = made()

    async def use_and_wait() -> None:
        await authenticator(home, clock=clock).principal(f"Bearer {text}")
        for _ in range(100):
            if opened_tokens(home, many=False).all()[0].used:
                return
            await asyncio.sleep(0.1)

    asyncio.run(use_and_wait())
    assert opened_tokens(home, many=False).all()[0].used == "2026-02-25T10:00:00Z"


def test_a_use_during_the_write_of_another_is_written_too(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_uses, "_PAUSE", 0.01)
    written: dict[str, str] = {}

    def slowly(uses: Mapping[str, str]) -> None:
        time.sleep(0.2)
        written.update(uses)

    async def use_two() -> None:
        uses = last_uses.LastUses(slowly)
        uses.note("one", "", clock.now)
        await asyncio.sleep(0.1)  # the first is being written
        uses.note("other", "", clock.now)
        for _ in range(100):
            if len(written) < 2:
                await asyncio.sleep(0.02)

    asyncio.run(use_two())
    assert sorted(written) == ["one", "other"]


def test_a_refused_token_is_not_used(home: Path, of_many: Made, homes: Path, clock: Clock) -> None:
    text = of_many(workspace="alice")
    asked = authenticator(homes, many=True, clock=clock)
    assert refused(asked, f"Bearer {text}", "bob").status == 403
    asked.close()
    assert opened_tokens(homes, many=True).all()[0].used == ""


def test_a_request_succeeds_while_the_file_is_held_for_a_moment(home: Path, made: Made) -> None:
    text = made()
    asked = authenticator(home)

    async def ask() -> Principal:
        with closing(sqlite3.connect(home / ".clawbrain/access.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            asking = asyncio.create_task(asked.principal(f"Bearer {text}"))
            await asyncio.sleep(0.3)
            other.execute("ROLLBACK")
        return await asking

    assert asyncio.run(ask()).scope is Scope.WRITE


def test_a_file_that_is_held_keeps_no_other_work_waiting(home: Path, made: Made) -> None:
    text = made()
    asked = authenticator(home)

    async def longest_pause() -> float:
        pauses, asking = [], [asyncio.create_task(asked.principal(f"Bearer {text}")) for _ in range(5)]
        with closing(sqlite3.connect(home / ".clawbrain/access.db", isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            until = time.monotonic() + 1
            while (began := time.monotonic()) < until:
                await asyncio.sleep(0.01)
                pauses.append(time.monotonic() - began)
            other.execute("ROLLBACK")
        await asyncio.gather(*asking)
        return max(pauses)

    assert asyncio.run(longest_pause()) < 0.6


# Beings and workspaces


def test_with_one_home_any_word_names_the_one_memory(home: Path, made: Made) -> None:
    texts = made(), made(kind="being")
    asked = authenticator(home)
    for text in texts:
        assert who(asked, text, "luna").workspace == "" and who(asked, text).workspace == ""


@pytest.mark.parametrize("bound", ["being", "being_only"])
def test_a_bound_token_is_for_one_being(home: Path, made: Made, bound: str) -> None:
    text = made(kind="being", **{bound: "luna"})
    asked = authenticator(home)
    assert who(asked, text).being == who(asked, text, "luna").being == "luna"
    assert refused(asked, f"Bearer {text}", "nova").status == 403


def test_a_being_of_a_folder_of_homes_is_its_workspace(homes: Path, of_many: Made) -> None:
    asked = authenticator(homes, many=True, insecure=False, hmac=HmacOptions(KEY))
    everyone, bound = of_many(kind="being"), of_many(kind="being", being="alice")
    assert who(asked, everyone, "bob").workspace == "bob" and who(asked, everyone, "alice").workspace == "alice"
    assert who(asked, bound).workspace == "alice"
    for token, being in ((everyone, ""), (everyone, "eve"), (everyone, "../alice"), (bound, "bob")):
        assert refused(asked, f"Bearer {token}", being).status == 403


def test_a_token_never_reaches_another_workspace(homes: Path, of_many: Made) -> None:
    text = of_many(workspace="alice")
    asked = authenticator(homes, many=True)
    assert who(asked, text).workspace == who(asked, text, "alice").workspace == "alice"
    there, nowhere = (refused(asked, f"Bearer {text}", name) for name in ("bob", "eve"))
    assert (there.status, str(there)) == (nowhere.status, str(nowhere)) == (403, str(nowhere))


def test_a_token_of_a_workspace_that_is_gone_is_forbidden(homes: Path, of_many: Made) -> None:
    text = of_many(workspace="bob")
    (homes / "bob").rmdir()
    assert refused(authenticator(homes, many=True), f"Bearer {text}").status == 403
    assert not (homes / "bob").exists()


def test_a_token_of_a_workspace_does_not_open_the_folder_as_one_home(homes: Path, of_many: Made) -> None:
    text = of_many(workspace="bob")
    assert refused(authenticator(homes), f"Bearer {text}").status == 403


def test_a_token_of_one_home_opens_no_workspace(home: Path, made: Made) -> None:
    text = made()
    (home / "alice").mkdir()
    asked = authenticator(home, many=True)
    assert refused(asked, f"Bearer {text}").status == refused(asked, f"Bearer {text}", "alice").status == 403


# The further token


def test_the_further_token_may_write_to_the_one_home(home: Path) -> None:
    asked = authenticator(home, further_token="s3cret")
    assert who(asked, "s3cret") == Principal("server", "", Scope.WRITE, "server")
    for other in ("s3cre", "s3crets", "S3CRET"):
        assert refused(asked, f"Bearer {other}").status == 401


def test_a_further_token_that_no_header_can_hold_lets_nobody_in(home: Path) -> None:
    assert refused(authenticator(home, further_token="\udcff"), "Bearer x").status == 401


# Signed tokens


def signed(payload: str, key: bytes = KEY, *, encode: Callable[[bytes], str] = bytes.hex) -> str:
    """A token as another program makes it."""
    encoded = base64.urlsafe_b64encode(payload.encode()).decode().rstrip("=")
    return f"{encoded}.{encode(hmac.new(key, encoded.encode(), hashlib.sha256).digest())}"


def base64url(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


@pytest.fixture
def palace(home: Path, clock: Clock) -> Authenticator:
    return authenticator(home, hmac=HmacOptions(KEY), clock=clock)


def payload(clock: Clock, seconds: float = 0, names: str = "alice:work") -> str:
    return f"{names}:{int(clock.now.timestamp() + seconds)}"


def test_a_signed_token_is_the_known_one(clock: Clock) -> None:
    token = sign(b"key", "alice", "work", clock())
    assert token == (  # printf PAYLOAD | openssl dgst -sha256 -hmac key
        "YWxpY2U6d29yazoxNzcyMDEzNjAw.e24573158dcee85589a78d67199dc2bedbe3d84e0232ad69f8d742dac5bf38e9"
    )


@pytest.mark.parametrize(
    "encode", [bytes.hex, base64url, lambda raw: raw.hex().upper(), lambda raw: base64url(raw) + "="]
)
def test_a_signature_is_read_in_hexadecimal_and_base64url(
    palace: Authenticator, clock: Clock, encode: Callable[[bytes], str]
) -> None:
    token = signed(payload(clock), encode=encode)
    assert who(palace, token) == Principal("alice", "", Scope.WRITE, "hmac:alice:work")


def test_what_is_signed_here_is_let_in_and_goes_on_when_renewed(palace: Authenticator, clock: Clock) -> None:
    first = who(palace, sign(KEY, "alice", "work", clock()))
    clock.forward(minutes=4)
    assert who(palace, sign(KEY, "alice", "work", clock())) == first


@pytest.mark.parametrize(
    ("seconds", "allowed"), [(-300, True), (-301, False), (300, True), (301, False), (-1e9, False)]
)
def test_a_signed_token_is_valid_for_the_maximum_age_either_way(
    palace: Authenticator, clock: Clock, seconds: float, allowed: bool
) -> None:
    token = signed(payload(clock, seconds))
    if allowed:
        assert who(palace, token).user == "alice"
    else:
        assert refused(palace, f"Bearer {token}").status == 401


def test_another_key_another_payload_and_no_signature_are_refused(palace: Authenticator, clock: Clock) -> None:
    right = signed(payload(clock))
    other = signed(payload(clock, names="bob:work"))
    wrong = [
        signed(payload(clock), b"another key"), signed(payload(clock), KEY + b"\n"), signed(payload(clock), b""),
        f"{other.partition('.')[0]}.{right.partition('.')[2]}", right.partition(".")[0], right[:-1], right + "0",
        right.partition(".")[0] + ".", "." + right.partition(".")[2], right + "." + right, "." * 3,
    ]  # fmt: skip
    for token in wrong:
        assert refused(palace, f"Bearer {token}").status == 401


@pytest.mark.parametrize(
    "names",
    [
        "alice",
        "alice:work:more",
        ":work",
        "alice:",
        "../x:work",
        "alice:../x",
        "al\0ice:work",
        "alice:\u202ework",
        "a/b:c",
    ],
)
def test_a_signed_payload_of_another_form_is_refused(palace: Authenticator, clock: Clock, names: str) -> None:
    assert refused(palace, f"Bearer {signed(payload(clock, names=names))}").status == 401


@pytest.mark.parametrize(
    "moment", ["", "x", "-1", "+1772013600", "1772013600.5", "１７７２０１３６００", " 1772013600", "9" * 400]
)
def test_a_signed_time_of_another_form_is_refused(palace: Authenticator, moment: str) -> None:
    assert refused(palace, f"Bearer {signed(f'alice:work:{moment}')}").status == 401


def test_bytes_that_are_no_text_are_refused(palace: Authenticator) -> None:
    encoded = base64url(b"\xff\xfe:work:1772013600")
    token = f"{encoded}.{hmac.new(KEY, encoded.encode(), hashlib.sha256).hexdigest()}"
    assert refused(palace, f"Bearer {token}").status == 401


def test_a_signed_token_is_for_a_workspace_that_exists(homes: Path, clock: Clock) -> None:
    asked = authenticator(homes, many=True, hmac=HmacOptions(KEY, scope=Scope.READ), clock=clock)
    assert who(asked, signed(payload(clock, names="carl:bob"))) == Principal("carl", "bob", Scope.READ, "hmac:carl:bob")
    assert refused(asked, f"Bearer {signed(payload(clock, names='carl:eve'))}").status == 403
    assert refused(asked, f"Bearer {signed(payload(clock, names='carl:bob'))}", "alice").status == 403
    assert not (homes / "eve").exists()


def test_names_that_cannot_be_told_apart_are_not_signed(clock: Clock) -> None:
    for user, workspace in (("a:b", "c"), ("a", "b:c"), ("", "c"), ("a", "")):
        with pytest.raises(Invalid):
            sign(KEY, user, workspace, clock())


def test_the_last_newline_of_a_key_file_is_no_part_of_the_key(tmp_path: Path) -> None:
    for content, key in ((b"k\n", b"k"), (b"k", b"k"), (b"k\n\n", b"k\n"), (b"k\r\n", b"k"), (b" k \n", b" k ")):
        (tmp_path / "key").write_bytes(content)
        assert key_from(tmp_path / "key", {}) == key


def test_a_key_file_without_a_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"\n")
    for file in (tmp_path / "key", tmp_path / "none", tmp_path, Path("a\0b")):
        with pytest.raises(Usage, match="hmac-key-file"):
            key_from(file, {})


def test_a_key_may_stand_in_the_environment(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"from the file")
    assert key_from(None, {hmac_tokens.VARIABLE: "k"}) == b"k" and key_from(None, {}) == b""
    assert key_from(tmp_path / "key", {hmac_tokens.VARIABLE: "k"}) == b"from the file"


def test_a_signed_token_of_the_command_line_is_let_in(
    run: Callable[..., Any], home: Path, tmp_path: Path, clock: Clock
) -> None:
    (tmp_path / "key").write_bytes(KEY + b"\n")
    done = run("token", "sign", "--user", "alice", "--workspace", "work", "--hmac-key-file", tmp_path / "key")
    assert done.exit_code == 0 and who(authenticator(home, hmac=HmacOptions(KEY)), done.stdout.strip()).user == "alice"
    assert KEY.decode() not in done.output and "a key" not in repr(HmacOptions(KEY))


def test_a_beings_token_opens_nothing_but_beings(homes: Path, of_many: Made, clock: Clock) -> None:
    token = of_many(kind="being", being="ada", new_workspace=True)
    asked = authenticator(homes, many=True, clock=clock)
    with pytest.raises(Forbidden, match="for a being"):
        asyncio.run(asked.principal(f"Bearer {token}"))
    asked.close()
