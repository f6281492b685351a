"""Keys and passwords are found by their shape or by what the text says of them; talk about them is not."""

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawbrain.redaction import find, kinds, redacted

WORD = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY"  # random enough, and nobody's
KEYS = [
    ("AWS key", "AKIAIOSFODNN7EXAMPLE"),
    ("AWS key", "ASIA" + "Q3EGRIH7BN2LZX4T"),
    ("GitHub token", "ghp_" + WORD + "aB3d"),
    ("GitHub token", "github_pat_11" + WORD),
    ("GitLab token", "glpat-" + WORD[:20]),
    ("Slack token", "xoxb-123456789012-" + WORD[:24]),
    ("Slack webhook", "hooks.slack.com/services/T00000000/B00000000/" + WORD[:24]),
    ("Stripe key", "sk_" + "live_" + WORD[:24]),
    ("Stripe key", "rk_" + "test_" + WORD[:24]),
    ("Google key", "AIza" + (WORD + WORD)[:35]),
    ("Anthropic key", "sk-ant-api03-" + WORD),
    ("OpenAI key", "sk-proj-" + WORD),
    ("OpenAI key", "sk-" + (WORD + WORD)[:48]),
    ("npm token", "npm_" + (WORD + WORD)[:36]),
    ("PyPI token", "pypi-AgEIcHlwaS5vcmc" + WORD + WORD),
    ("Hugging Face token", "hf_" + (WORD + WORD)[:34]),
    ("SendGrid key", "SG." + WORD[:22] + "." + (WORD + WORD)[:43]),
    ("clawbrain token", "cbt_" + (WORD + WORD)[:43]),
    ("clawbrain token", "brt_" + (WORD + WORD)[:43]),
    ("clawbrain token", "bto_" + (WORD + WORD)[:43]),
    ("Telegram token", "1234567890:AA" + (WORD + WORD)[:33]),
    ("JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"),
]
TOLD = [
    ("password", "password = ", "hunter22x"),
    ("password", "password: ", "hunter2"),
    ("password", "DB_PASSWORD=", "Tr0ub4dor&3"),
    ("password", "postgres://bob:", "s3cr3t!x"),
    ("token", 'api_key = "', "a8f5f167f44f4964e6c998dee827110c"),
    ("token", '"token": "', "x8Kd92mQpL0z"),
    ("token", "Authorization: Bearer ", "abcDEF1234567890abcDEF123"),
    ("AWS key", "aws_secret_access_key = ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AWS key", "The AWS secret is ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AWS key", "the secret key for our AWS account is now `", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AWS key", "Der geheime AWS-Schlüssel ist ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("AWS key", "- **AWS secret**: ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("password", "**Password:** ", "hunter22x"),
    ("password", "**Password**: ", "hunter22x"),
    ("password", "| user | bob |\n| password | ", "hunter22x"),
    ("password", "<password>", "hunter22x"),
    ("password", "The password is ", "hunter2"),
    ("password", "the password for the staging database is ", "Sommer2024!"),
    ("password", "password is now ", "correct!horse"),
    ("password", "Passwort: ", "hunter22x"),
    ("password", "La contraseña es ", "hunter22x"),
    ("password", "パスワード: ", "hunter22x"),
    ("password", "pw = ", "hunter22"),
    ("password", "password: ", "pa$$w0rd1"),
    ("password", "psql --password ", "hunter22x"),
    ("password", "curl -s -u bob:", "hunter22x"),
    ("password", "curl --user='bob:", "s3cr3t!x"),
    ("password", "curl -u user:", "pw"),
    ("password", "curl -sSLu mara@example.org:", "swordfish"),
    ("password", "curl -X POST \\\n  --proxy-user admin:", "s3cr3tx9"),
    ("password", "The password is ", "s3cr3tx9"),
    ("password", "The password was changed to ", "Tr0ub4dor3"),
    ("password", "The password is “", "hunter22x"),
    ("password", "always use the password ", "hunter2-Xk9!pQz"),
    ("password", "log in with user bob and password ", "Tr0ub4dor&3"),
    ("password", "passwd ", "hunter2Xk9"),
    ("password", "the password `", "hunter2-xk9"),
    ("password", "the **Password** ", "Winter2024"),
    ("password", "mit dem Passwort „", "Sommer2024!"),
    ("AWS key", "AWS secret access key ", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("GitHub token", "my_", "ghp_" + WORD + "aB3d"),
]
TALK = [
    "token: the bearer token is sent in a header",
    "password: str",
    "password = os.environ['X1234567']",
    "api_key=${API_KEY}",
    "The token count: 128000 tokens",
    "password=changeme1",
    "secret: Optional[str] = None",
    "token = get_token2(user)",
    "max_tokens=4096, token=tok1",
    "sk-learn-is-a-package-for-python",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "the AWS key rotation is commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "the AWS secret is: /run/secrets/projects/shop/production/aws",
    "the AWS secret is rotated by src/components/Aws2/KeyRotationPolicyView",
    "the AWS key is arn:aws:kms:eu-central-1:111122223333:key/1234abcd",
    "passwords are hashed with argon2id",
    "https://example.com:8080/x@y",
    "credentials: ~/.aws/credentials2",
    "password_hash: bcrypt12",
    "api_key: your-api-key-here-1234",
    "task-force-1234567890 and risk-averse-2026-02-25",
    "The disk is at risk-0123456789012345678901234567890123456789",
    "uuid 550e8400-e29b-41d4-a716-446655440000",
    "password = $PW_FROM_VAULT2",
    "curl -u $USER:$PASS https://example.com",
    "curl -u username:token https://example.com",
    "The password is E2E-encrypted.",
    "The password is HTTP/2-only data.",
    "password is required=True in the serializer.",
    "pass Uint8Array to the function",
    "docker run -u node:node20 keeps the files ours",
]
PROSE = (Path(__file__).parent / "talk_of_passwords.txt").read_text().splitlines()
NAMING = (Path(__file__).parent / "talk_after_the_word_password.txt").read_text().splitlines()
PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\nAAAA\n-----END OPENSSH PRIVATE KEY-----"


@pytest.mark.parametrize(("kind", "key"), KEYS)
def test_a_key_is_known_by_its_shape(kind: str, key: str) -> None:
    text = f"The key is {key}, do not tell."
    assert redacted(text) == f"The key is [redacted: {kind}], do not tell."


@pytest.mark.parametrize(("kind", "before", "secret"), TOLD)
def test_a_secret_is_known_by_what_is_said_of_it(kind: str, before: str, secret: str) -> None:
    after = "@db:5432/x" if "://" in before else '"' if before.endswith('"') else ""
    assert redacted(f"{before}{secret}{after}\nmore") == f"{before}[redacted: {kind}]{after}\nmore"


NAMES = """
    pass password passwd passphrase passcode pwd pw passwort kennwort passord wachtwoord lösenord contraseña senha hasło
    пароль 密码 パスワード secret token api_key api-key access_key auth-key secret_key private-key encryption_key
    client_secret credential credentials
"""


@pytest.mark.parametrize("name", [*NAMES.split(), "mot de passe"])
def test_every_word_for_a_secret_is_known_in_small_and_large_letters(name: str) -> None:
    for word in (name, name.upper(), name.title()):
        assert len(find(f"{word} = kX9mQ2vLp8w")) == 1, word


def test_a_column_of_passwords_is_one_of_secrets() -> None:
    table = "| user | **Password** |\n|---|---|\n| bob | {} |\n| ann | `{}` |\n| root | ask Ann |\n\n| a | b2b2b2b |\n"
    assert redacted(table.format("hunter22x", "Tr0ub4dor3")) == table.format(*["[redacted: password]"] * 2)


@pytest.mark.parametrize("text", TALK)
def test_talk_about_secrets_is_none(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize("lines", [PROSE, NAMING])
def test_of_a_hundred_lines_about_passwords_at_most_one_is_taken_for_one(lines: list[str]) -> None:
    assert len(lines) == 100
    assert len([line for line in lines if find(line)]) <= 1


def test_a_private_key_goes_whole() -> None:
    assert redacted(f"Before\n{PEM}\nafter") == "Before\n[redacted: private key]\nafter"


def test_the_head_of_a_private_key_is_enough() -> None:
    assert kinds("-----BEGIN RSA PRIVATE KEY-----") == "private key"


def test_several_are_found_in_order_and_named_once() -> None:
    text = f"AKIAIOSFODNN7EXAMPLE and password=hunter22x and AKIAIOSFODNN7EXAMPLF and {PEM}"
    assert kinds(text) == "AWS key, password, private key"
    assert [secret.start for secret in find(text)] == sorted(secret.start for secret in find(text))


def test_a_key_inside_a_longer_word_is_none() -> None:
    assert find("xAKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7EXAMPLEX") == []


def test_what_is_said_of_a_text_never_holds_the_secret() -> None:
    for _, key in KEYS:
        assert key not in kinds(f"the key {key}") and key not in repr(find(f"the key {key}"))


@pytest.mark.parametrize(
    "piece",
    ["a", "eyJ", "-----BEGIN PRIVATE KEY-----", "password=", "://:", "sk-", "gh", "x ", "eyJaaaaaaaaa.eyJ", "bearer ",
     "api_", "-----BEGIN A ", "0123456789:AA", "passphrase", "password  :   ", "token='", "AKIA",
     "password is ", "the password for a ", "curl -u a:", "curl ", "curl \\\n", "curl -U",
     "| password |\n", "| password | ", "**Password:** ", "my_ghp_",
     "--pass ", "password a1", "password a1.", "password aA1-_", "password a1.0" + "b" * 180 + "! ",
     "password " + "aA" * 90 + "1! ", "secret access key ", "AWS key a "],
)  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (300_000 // len(piece)) + " KEY _v1_ "
    begun = time.process_time()
    find(text)
    assert time.process_time() - begun < 30


@settings(max_examples=100)
@given(st.text(), st.sampled_from(KEYS), st.text())
def test_a_redacted_text_holds_no_secret(before: str, key: tuple[str, str], after: str) -> None:
    text = redacted(f"{before} {key[1]} {after}")
    assert key[1] not in text and redacted(text) == text
