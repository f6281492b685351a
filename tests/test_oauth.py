"""JWTs of an issuer, whose keys are fetched from a server of the test's own on loopback."""

import asyncio
import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from conftest import Clock
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from clawbrain.errors import Busy, Usage
from clawbrain.network import issuer_keys
from clawbrain.network.authenticate import Authenticator, authenticator
from clawbrain.network.hmac_tokens import HmacOptions
from clawbrain.network.oauth import OAuthOptions
from clawbrain.network.principal import Principal, Scope
from clawbrain.network.refusals import Forbidden, Unauthenticated
from clawbrain.network.tokens import NewToken, Tokens
from clawbrain.outgoing import is_safe

URL = "https://memory.example.org"
RSA = rsa.generate_private_key(65537, 2048)
RSA_2 = rsa.generate_private_key(65537, 2048)
EC = ec.generate_private_key(ec.SECP256R1())


def published(key: Any, kid: str, **more: str) -> dict[str, Any]:
    made = jwt.algorithms.RSAAlgorithm if isinstance(key, rsa.RSAPrivateKey) else jwt.algorithms.ECAlgorithm
    return {**made.to_jwk(key.public_key(), as_dict=True), "kid": kid, **more}


class Issuer:
    """What an issuer publishes by path: a JSON value, bytes, or a function that answers; and the paths asked for."""

    def __init__(self, port: int) -> None:
        self.url, self.asked = f"http://127.0.0.1:{port}", list[str]()
        self.documents: dict[str, Any] = {}
        self.publish(published(RSA, "r1"), published(EC, "e1"))
        self.documents["/.well-known/openid-configuration"] = {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}

    def publish(self, *keys: dict[str, Any]) -> None:
        self.documents["/keys"] = {"keys": list(keys)}

    @property
    def fetches(self) -> int:
        return self.asked.count("/keys")


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.asked.append(self.path)
            document = found.documents.get(self.path)
            if callable(document):
                document(self)
                return
            self.send_response(200 if document is not None else 404)
            self.end_headers()
            self.wfile.write(document if isinstance(document, bytes) else json.dumps(document).encode())

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
    found = Issuer(server.server_port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield found
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def open_home(home: Path, clock: Clock, issuer: Issuer) -> Iterator[Callable[..., Authenticator]]:
    """Makes what tells who asks for the home, or for a folder of homes, by the issuer's tokens."""
    opened: list[Authenticator] = []

    def made(folder: Path = home, *, many: bool = False, url: str = URL, **options: str) -> Authenticator:
        options = {"issuer": issuer.url, **options}
        opened.append(authenticator(folder, many=many, oauth=OAuthOptions(public_url=url, **options), clock=clock))
        return opened[-1]

    yield made
    for each in opened:
        each.close()


@pytest.fixture
def asked(open_home: Callable[..., Authenticator]) -> Authenticator:
    return open_home()


@pytest.fixture
def token(issuer: Issuer, clock: Clock) -> Callable[..., str]:
    """A token with claims of its own; None leaves a claim out."""

    def signed(key: Any = RSA, alg: str = "RS256", kid: str | None = "r1", headers: Any = None, **claims: Any) -> str:
        now = int(clock.now.timestamp())
        usual = {"iss": issuer.url, "aud": URL, "sub": "alice", "exp": now + 600, "scope": "openid write"}
        payload = {name: value for name, value in {**usual, **claims}.items() if value is not None}
        return jwt.encode(payload, key, alg, headers={**({"kid": kid} if kid else {}), **(headers or {})})

    return signed


def who(asked: Authenticator, *tokens: str) -> Principal:
    async def each() -> Principal:
        return [await asked.principal(f"Bearer {token}") for token in tokens][-1]

    return asyncio.run(each())


def refused(asked: Authenticator, token: str) -> Unauthenticated | Forbidden:
    with pytest.raises((Unauthenticated, Forbidden)) as refusal:
        who(asked, token)
    assert token not in str(refusal.value)
    return refusal.value


Token = Callable[..., str]


# What is let in


def test_a_token_signed_with_an_rsa_key_is_let_in(asked: Authenticator, token: Token) -> None:
    assert who(asked, token()) == Principal("alice", "", Scope.WRITE, "oauth:alice")


def test_a_token_signed_with_an_elliptic_key_is_let_in(asked: Authenticator, token: Token) -> None:
    assert who(asked, token(EC, "ES256", "e1")).user == "alice"


@pytest.mark.parametrize("aud", [URL, URL + "/", URL + "/mcp", ["https://else.example", URL + "/mcp"]])
@pytest.mark.parametrize("url", [URL, URL + "/", URL + "/mcp"])
def test_the_audience_is_the_public_address(open_home: Any, token: Token, aud: Any, url: str) -> None:
    assert who(open_home(url=url), token(aud=aud)).user == "alice"


def test_a_slash_behind_the_issuer_makes_no_difference(open_home: Any, token: Token, issuer: Issuer) -> None:
    assert who(open_home(issuer=issuer.url + "/"), token()).user == "alice"
    assert who(open_home(), token(iss=issuer.url + "/")).user == "alice"
    assert refused(open_home(), token(iss=issuer.url + "//")).status == 401


def test_another_audience_may_be_chosen(open_home: Any, token: Token) -> None:
    asked = open_home(audience="memory")
    assert who(asked, token(aud="memory")).user == "alice"
    assert refused(asked, token(aud=URL)).status == 401


@pytest.mark.parametrize(
    ("claims", "scope"),
    [
        ({"scope": "read"}, Scope.READ),
        ({"scope": "read-only"}, Scope.READ),
        ({"scope": "read write admin"}, Scope.ADMIN),
        ({"scope": None, "scp": ["profile", "write", 7]}, Scope.WRITE),
        ({"scope": None, "scp": "admin"}, Scope.ADMIN),
    ],
)
def test_the_widest_scope_that_a_token_grants_is_its(
    asked: Authenticator, token: Token, claims: Any, scope: Scope
) -> None:
    assert who(asked, token(**claims)).scope is scope


@pytest.mark.parametrize("scope", [None, "", "openid", "WRITE_ALL", 7, {"write": True}])
def test_a_token_without_a_scope_of_ours_is_forbidden(asked: Authenticator, token: Token, scope: Any) -> None:
    refusal = refused(asked, token(scope=scope))
    assert refusal.status == 403 and 'error="insufficient_scope"' in refusal.challenge


def test_a_token_without_the_id_of_a_key_needs_a_single_key_of_its_kind(
    asked: Authenticator, open_home: Any, token: Token, issuer: Issuer
) -> None:
    assert who(asked, token(kid=None)).user == "alice"
    issuer.publish(published(RSA, "r1"), published(RSA_2, "r2"))
    assert refused(open_home(), token(kid=None)).status == 401


# What is not


@pytest.mark.parametrize(
    "claims",
    [
        {"aud": "https://else.example"}, {"aud": None}, {"aud": []}, {"aud": URL + "/other"}, {"aud": URL.upper()},
        {"iss": "https://else.example"}, {"iss": None}, {"exp": None}, {"exp": "tomorrow"}, {"exp": True},
        {"exp": float("inf")}, {"exp": float("nan")}, {"exp": 1e300}, {"exp": 10**400}, {"exp": -1}, {"exp": []},
        {"nbf": "x"}, {"nbf": True},
        {"nbf": None, "exp": {}}, {"sub": None}, {"sub": ""}, {"sub": "a\0b"}, {"sub": "x" * 300},
    ],
)  # fmt: skip
def test_a_token_with_another_claim_is_refused(asked: Authenticator, token: Token, claims: Any) -> None:
    refusal = refused(asked, token(**claims))
    assert refusal.status == 401 and 'error="invalid_token"' in refusal.challenge


def test_clocks_may_differ_by_half_a_minute(asked: Authenticator, token: Token, clock: Clock) -> None:
    now = clock.now.timestamp()
    assert who(asked, token(exp=now - 29), token(nbf=now + 30)).user == "alice"
    assert refused(asked, token(exp=now - 30)).status == refused(asked, token(nbf=now + 31)).status == 401


def unsigned(header: dict[str, Any], payload: bytes = b"{}", signature: bytes = b"") -> str:
    parts = (json.dumps(header).encode(), payload, signature)
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


def test_an_unsigned_token_is_refused(asked: Authenticator, token: Token, issuer: Issuer) -> None:
    body = token().split(".")[1]
    for alg in ("none", "None", "NONE", "", None, "nOnE"):
        head = unsigned({"alg": alg, "kid": "r1", "typ": "JWT"}).split(".")[0]
        for text in (f"{head}.{body}.", f"{head}.{body}.x", f"{head}.{body}"):
            assert refused(asked, text).status == 401
    assert issuer.asked == []


def test_a_token_signed_with_the_public_key_as_a_secret_is_refused(
    asked: Authenticator, token: Token, clock: Clock
) -> None:
    public = RSA.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    body = token().split(".")[1]
    for header in ({"alg": "HS256", "kid": "r1"}, {"alg": "RS256", "kid": "r1"}):
        head = unsigned(header).split(".")[0]
        for secret in (public, public.strip()):
            raw = hmac.new(secret, f"{head}.{body}".encode(), hashlib.sha256).digest()
            text = f"{head}.{body}.{base64.urlsafe_b64encode(raw).decode().rstrip('=')}"
            assert refused(asked, text).status == 401


def test_a_token_of_another_key_or_another_text_is_refused(asked: Authenticator, token: Token) -> None:
    head, body, signature = token().split(".")
    other = token(sub="bob").split(".")[1]
    stranger = ec.generate_private_key(ec.SECP256R1())
    for text in (
        token(RSA_2), token(stranger, "ES256", "e1"), token(EC, "ES256", "r1"), token(RSA, kid="e1"),
        token(RSA, "RS512"), token(RSA, "PS256"), f"{head}.{other}.{signature}", f"{head}.{body}.{signature[:-8]}",
        token(headers={"jku": "http://127.0.0.1:1/keys"}, key=RSA_2),
        token(headers={"jwk": published(RSA_2, "r1")}, key=RSA_2), token(headers={"crit": ["x"], "x": 1}),
    ):  # fmt: skip
        assert refused(asked, text).status == 401


@pytest.mark.parametrize("kid", [7, None, [], {}, ["r1"], "../../etc/passwd", "r1\0"])
def test_the_id_of_a_key_of_another_kind_is_refused(asked: Authenticator, token: Token, kid: Any) -> None:
    assert refused(asked, unsigned({"alg": "RS256", "kid": kid}, signature=b"x")).status == 401


@pytest.mark.parametrize(
    "text",
    [
        "x", "..", "a.b.c", "." * 5000, "e30.e30.e30", unsigned({"alg": "RS256"}, b"[]"), unsigned({"alg": ["RS256"]}),
        unsigned({"alg": "RS256", "kid": "r1"}, b"[" * 3000), unsigned({"alg": {}}), "W10.e30.",
        base64.urlsafe_b64encode(b'{"a":' + b"[" * 8000).decode().rstrip("=") + ".e30.e30",
        unsigned({"alg": "RS256", "b64": False, "crit": ["b64"], "kid": "r1"}),
    ],
)  # fmt: skip
def test_a_text_that_is_no_token_is_refused(asked: Authenticator, text: str) -> None:
    assert refused(asked, text).status == 401


def test_a_signed_payload_that_is_nested_too_deep_is_refused(asked: Authenticator, token: Token) -> None:
    deep = jwt.api_jws.encode(b'{"sub":' + b"[" * 5000, RSA, "RS256", headers={"kid": "r1"})
    assert refused(asked, deep).status == 401


def test_a_weak_key_of_the_issuer_is_refused(open_home: Any, token: Token, issuer: Issuer) -> None:
    weak = rsa.generate_private_key(65537, 1024)
    issuer.publish(published(weak, "r1"))
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        text = token(weak)
    assert refused(open_home(), text).status == 401


@pytest.mark.parametrize("more", [{"use": "enc"}, {"alg": "RS512"}, {"kty": "oct", "k": "AAAA"}, {"n": "!"}])
def test_a_key_that_is_not_for_these_signatures_is_not_used(
    open_home: Any, token: Token, issuer: Issuer, more: dict[str, str]
) -> None:
    issuer.publish({**published(RSA, "r1"), **more})
    issuer.documents["/keys"]["keys"] += ["text", None, {}, {"kty": "EC", "crv": "P-384"}]
    assert refused(open_home(), token()).status == 401


def test_kept_and_signed_tokens_are_not_taken_beside_an_issuer(
    home: Path, asked: Authenticator, issuer: Issuer
) -> None:
    tokens = Tokens(home, many=False)
    text, _ = tokens.create(NewToken())
    tokens.close()
    assert refused(asked, text).status == 401 and issuer.asked == []


@pytest.mark.parametrize(
    "further", [{"hmac": HmacOptions(b"k")}, {"further_token": "x"}, {"insecure": True}], ids=["key", "token", "open"]
)
def test_an_issuer_beside_another_mode_is_refused(home: Path, further: Any) -> None:
    with pytest.raises(Usage):
        authenticator(home, oauth=OAuthOptions("https://issuer.example", URL), **further)


@pytest.mark.parametrize(
    "url", ["http://issuer.example", "ftp://localhost", "https://", "x", "", "https://a:b@c", "https://a b"]
)
def test_an_issuer_without_https_is_refused_but_on_loopback(home: Path, url: str) -> None:
    assert not is_safe(url)
    for options in (OAuthOptions(url, URL), OAuthOptions("https://issuer.example", url)):
        with pytest.raises(Usage):
            authenticator(home, oauth=options)


def test_the_challenge_names_the_metadata_of_this_server(asked: Authenticator) -> None:
    with pytest.raises(Unauthenticated) as refusal:
        asyncio.run(asked.principal(None))
    metadata = "https://memory.example.org/.well-known/oauth-protected-resource/mcp"
    assert refusal.value.challenge == f'Bearer realm="clawbrain", resource_metadata="{metadata}"'


# Workspaces


def test_the_workspace_stands_in_a_claim(open_home: Any, token: Token, tmp_path: Path) -> None:
    for name in ("work", "play"):
        (tmp_path / "homes" / name).mkdir(parents=True)
    asked = open_home(tmp_path / "homes", many=True)
    assert who(asked, token(workspace="work")).workspace == "work"
    assert who(open_home(tmp_path / "homes", many=True, workspace_claim="org"), token(org="play")).workspace == "play"
    for claim in (None, "", "none", "../homes/work", ["work"], 7):
        assert refused(asked, token(workspace=claim)).status == 403
    with pytest.raises(Forbidden):
        asyncio.run(asked.principal(f"Bearer {token(workspace='work')}", path_being="play"))


# The keys


def test_the_keys_are_fetched_once(asked: Authenticator, token: Token, issuer: Issuer) -> None:
    who(asked, token(), token(EC, "ES256", "e1"), token(sub="bob"))
    assert issuer.fetches == 1


def test_an_unknown_key_is_looked_for_at_most_once_in_half_a_minute(
    asked: Authenticator, token: Token, issuer: Issuer, clock: Clock
) -> None:
    who(asked, token())
    issuer.publish(published(RSA, "r1"), published(RSA_2, "r2"))
    clock.forward(seconds=29)
    assert refused(asked, token(RSA_2, kid="r2")).status == 401 and issuer.fetches == 1
    clock.forward(seconds=1)
    assert who(asked, token(RSA_2, kid="r2")).user == "alice" and issuer.fetches == 2
    for n in range(20):
        assert refused(asked, token(RSA_2, kid=f"x{n}")).status == 401
    assert issuer.fetches == 2


def test_many_requests_wait_for_one_fetch(asked: Authenticator, token: Token, issuer: Issuer) -> None:
    async def at_once() -> list[Principal]:
        return await asyncio.gather(*(asked.principal(f"Bearer {token(sub=f'user{n}')}") for n in range(50)))

    assert len({found.user for found in asyncio.run(at_once())}) == 50 and issuer.fetches == 1


def test_a_request_that_is_given_up_does_not_end_the_fetch(asked: Authenticator, token: Token, issuer: Issuer) -> None:
    keys = json.dumps(issuer.documents["/keys"]).encode()

    def slowly(answering: BaseHTTPRequestHandler) -> None:
        time.sleep(0.2)
        answering.send_response(200)
        answering.end_headers()
        answering.wfile.write(keys)

    issuer.documents["/keys"] = slowly

    async def give_up_and_ask() -> Principal:
        asking = asyncio.create_task(asked.principal(f"Bearer {token()}"))
        await asyncio.sleep(0.05)
        asking.cancel()
        return await asked.principal(f"Bearer {token()}")

    assert asyncio.run(give_up_and_ask()).user == "alice" and issuer.fetches == 1


def test_a_withdrawn_key_is_refused_after_an_hour(
    asked: Authenticator, token: Token, issuer: Issuer, clock: Clock
) -> None:
    who(asked, token())
    issuer.publish(published(RSA_2, "r2"))
    clock.forward(hours=1)

    async def ask_twice() -> None:
        await asked.principal(f"Bearer {token()}")  # begins the fetch and does not wait for it
        for _ in range(200):
            if issuer.fetches < 2:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        await asked.principal(f"Bearer {token()}")

    with pytest.raises(Unauthenticated):
        asyncio.run(ask_twice())


def test_while_the_issuer_is_away_its_known_keys_hold(
    asked: Authenticator, token: Token, issuer: Issuer, clock: Clock
) -> None:
    who(asked, token())
    issuer.documents.clear()
    clock.forward(hours=5)
    assert who(asked, token(), token()).user == "alice"


def redirect(answering: BaseHTTPRequestHandler) -> None:
    answering.send_response(302)
    answering.send_header("Location", "/elsewhere")
    answering.end_headers()


PADDED = json.dumps({"keys": [published(RSA, "r1")]}).encode() + b" " * 100


def drip(answering: BaseHTTPRequestHandler) -> None:
    answering.send_response(200)
    answering.end_headers()
    try:
        answering.wfile.write(PADDED)
        for _ in range(20):
            answering.wfile.write(b" ")
            time.sleep(0.05)
    except OSError:
        return


@pytest.mark.parametrize(
    "keys",
    [None, b"", b"{", b"[]", b"\xff", {"keys": 7}, {}, b"[" * 100_000, PADDED + b" " * 1_100_000, redirect, drip],
    ids=["none", "empty", "half", "list", "binary", "number", "no keys", "deep", "long", "elsewhere", "slow"],
)
def test_keys_that_cannot_be_had_are_said_to_be_so(
    asked: Authenticator, token: Token, issuer: Issuer, keys: Any, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(issuer_keys, "TIMEOUT", 0.3)
    right = issuer.documents["/keys"]
    issuer.documents |= {"/keys": keys, "/elsewhere": right}
    with pytest.raises(Busy):
        who(asked, token())
    issuer.documents["/keys"] = right
    with pytest.raises(Busy):  # not tried again at once
        who(asked, token())
    clock.forward(seconds=30)
    assert who(asked, token()).user == "alice"


@pytest.mark.parametrize(
    "change",
    [{"issuer": "http://127.0.0.1:1"}, {"issuer": None}, {"jwks_uri": "http://192.0.2.1/keys"}, {"jwks_uri": 7},
     {"jwks_uri": "FILE"}],
)  # fmt: skip
def test_metadata_that_leads_elsewhere_is_not_followed(
    asked: Authenticator, token: Token, issuer: Issuer, change: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "keys").write_text(json.dumps(issuer.documents["/keys"]))
    if change.get("jwks_uri") == "FILE":
        change = {"jwks_uri": (tmp_path / "keys").as_uri()}
    issuer.documents["/.well-known/openid-configuration"] |= change
    issuer.documents["/.well-known/jwks.json"] = issuer.documents["/keys"]
    with pytest.raises(Busy):
        who(asked, token())
    assert issuer.fetches == 0


@pytest.mark.parametrize(
    "place",
    ["/.well-known/oauth-authorization-server/realms/one", "/realms/one/.well-known/openid-configuration",
     "/.well-known/openid-configuration/realms/one"],
)  # fmt: skip
def test_metadata_is_found_before_and_behind_the_path_of_an_issuer(
    open_home: Any, token: Token, issuer: Issuer, place: str
) -> None:
    url = f"{issuer.url}/realms/one"
    issuer.documents = {place: {"issuer": url, "jwks_uri": f"{issuer.url}/keys"}, "/keys": issuer.documents["/keys"]}
    assert who(open_home(issuer=url), token(iss=url)).user == "alice"


def test_an_issuer_without_metadata_may_publish_its_keys_at_the_usual_place(
    open_home: Any, token: Token, issuer: Issuer
) -> None:
    issuer.documents = {"/.well-known/jwks.json": issuer.documents["/keys"]}
    assert who(open_home(), token()).user == "alice"


def test_metadata_without_keys_does_not_hide_the_other(asked: Authenticator, token: Token, issuer: Issuer) -> None:
    issuer.documents["/.well-known/oauth-authorization-server"] = {"issuer": issuer.url}
    assert who(asked, token()).user == "alice"
