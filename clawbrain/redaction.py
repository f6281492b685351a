"""Find keys and passwords in a text, so that they are not kept by accident.

Well-known keys are recognised by the shape their makers gave them; everything else only where the text itself says
what it is (`password = …`) and the value looks like one, because memories that speak *about* tokens are common.
A finding is a kind and a place, never the secret, so it may go into any log.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple


class Secret(NamedTuple):
    """A secret in a text: its kind and its place."""

    kind: str
    start: int
    end: int


class _Shape(NamedTuple):
    """The pattern of a kind of key, tried only where a text holds `needle`; both are told apart by case."""

    kind: str
    needle: str
    pattern: re.Pattern[str]


def _shapes(*rows: tuple[str, str, str]) -> tuple[_Shape, ...]:
    return tuple(_Shape(kind, needle, re.compile(pattern)) for kind, needle, pattern in rows)


_SHAPES = _shapes(
    ("AWS key", "AKIA", r"AKIA[A-Z0-9]{16}(?![A-Z0-9])"),
    ("AWS key", "ASIA", r"ASIA[A-Z0-9]{16}(?![A-Z0-9])"),
    ("GitHub token", "gh", r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    ("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    ("GitLab token", "gl", r"gl(?:pat|rt|dt|ptt|cbt|soat|ft|imt|agent|oas)-[\w.-]{20,300}"),
    ("Slack token", "xox", r"xox[abeoprs]-[\w-]{10,250}"),
    ("Slack token", "xapp-", r"xapp-\d-[\w-]{20,250}"),
    ("Slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows)/[\w/+-]{20,200}"),
    ("Stripe key", "_live_", r"(?:sk|rk|pk)_live_[A-Za-z0-9]{16,250}"),
    ("Stripe key", "_test_", r"(?:sk|rk)_test_[A-Za-z0-9]{16,250}"),
    ("Stripe key", "whsec_", r"whsec_[A-Za-z0-9+/]{24,250}"),
    ("Google key", "AIza", r"AIza[\w-]{35}(?![\w-])"),
    ("Google key", "GOCSPX-", r"GOCSPX-[\w-]{28}"),
    ("Google token", "ya29.", r"ya29\.[\w-]{20,500}"),
    ("Anthropic key", "sk-ant-", r"sk-ant-[\w-]{20,250}"),
    ("OpenAI key", "sk-", r"sk-(?:proj|svcacct|admin|or-v1|None)-[\w-]{20,250}"),
    ("OpenAI key", "sk-", r"sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{32,64}(?![\w-])"),
    ("npm token", "npm_", r"npm_[A-Za-z0-9]{36}(?!\w)"),
    ("PyPI token", "pypi-", r"pypi-Ag[\w-]{50,500}"),
    ("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{34}(?!\w)"),
    ("DigitalOcean token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    ("SendGrid key", "SG.", r"SG\.[\w-]{16,32}\.[\w-]{32,64}"),
    ("Telegram token", ":AA", r"\d{8,10}:AA[\w-]{33}(?![\w-])"),
    ("Vault token", "hvs.", r"hvs\.[\w-]{24,300}"),
    ("Databricks token", "dapi", r"dapi[0-9a-f]{32}(?!\w)"),
    ("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    ("Azure key", "AccountKey=", r"(?<=AccountKey=)[A-Za-z0-9+/]{80,90}={0,2}"),
    ("JWT", "eyJ", r"(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{16,2000}"),
    (
        "private key",
        " KEY",
        r"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?!-----)[\s\S]){0,20000}(?:-----END [A-Z0-9 ]{0,80}-----)?",
    ),
)
_AWS_SECRET = re.compile(r"""(?i)secret_?access_?key["']?[ \t]*[:=][ \t]*["']?([a-z0-9/+]{40})(?![a-z0-9/+=])""")
_IN_URL = re.compile(r"(?<=://)[^\s/:@'\"`<>]{0,100}:([^\s/:@'\"`<>{}$*]{3,200})@(?=[\w\[])")
_BEARER = re.compile(r"(?i:\bbearer|\bauthorization: *basic|\bauthorization: *token) +([\w.~+/=-]{20,2000})")
_NAMED = re.compile(
    r"""(?xi)
    (?P<name> pass(?:word|wd|phrase|code)? | pwd | secret | token | api[_-]?key | access[_-]?key | auth[_-]?key
      | secret[_-]?key | private[_-]?key | encryption[_-]?key | client[_-]?secret | credential s? )
    (?: [_-]? (?:key|token|id|value|base64) )?
    ["'`]? [ \t]{0,4} (?P<sign> := | => | [:=] ) [ \t]{0,4}
    (?P<quote> ["'`]? )
    (?P<value> [^\s"'`,;<>(){}\[\]$|\\]{6,200} )
    (?P<after> [(\[{$]? )
    """
)
_PLACEHOLDER = re.compile(
    r"(?i)your|example|sample|dummy|placeholder|change.?me|redacted|xxxx|\*\*\*|\.\.\.|insert|replace|todo|process\.env|"
    r"environ|getenv|config|settings|secrets\.|files:|password|localhost|test.?(?:key|token|secret)|1234567"
)


def find(text: str) -> list[Secret]:
    """Return every secret of a text in order; those that overlap are joined."""
    found: list[Secret] = []
    for secret in sorted(_all(text), key=lambda each: (each.start, -each.end)):
        if not found or secret.start >= found[-1].end:
            found.append(secret)
        elif secret.end > found[-1].end:
            found[-1] = found[-1]._replace(end=secret.end)
    return found


def redacted(text: str) -> str:
    """Return the text with the name of its kind in each secret's place."""
    for kind, start, end in reversed(find(text)):
        text = f"{text[:start]}[redacted: {kind}]{text[end:]}"
    return text


def kinds(text: str) -> str:
    """Return the kinds of secrets in a text, like 'AWS key, password'; '' when it holds none."""
    return ", ".join(dict.fromkeys(secret.kind for secret in find(text)))


def _all(text: str) -> Iterator[Secret]:
    for kind, needle, pattern in _SHAPES:
        if needle in text:
            for match in pattern.finditer(text):
                if not _continues(text, match.start()):
                    yield Secret(kind, *match.span())
    if "://" in text:
        for match in _IN_URL.finditer(text):
            if not _PLACEHOLDER.search(match[1]) and len(set(match[1])) > 2:
                yield Secret("password", *match.span(1))
    for match in _AWS_SECRET.finditer(text):
        yield Secret("AWS key", *match.span(1))
    for match in _BEARER.finditer(text):
        if _random(match[1], 3.2):
            yield Secret("token", *match.span(1))
    for match in _NAMED.finditer(text):
        if _gives_away(match):
            start = match.start("value")
            kind = "password" if _is_password(match["name"]) else "token"
            yield Secret(kind, start, start + len(match["value"].rstrip(".")))


def _continues(text: str, start: int) -> bool:
    """Tell whether a match begins in the middle of a longer word: then it is no key."""
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_") and text[start] != "-"


def _gives_away(match: re.Match[str]) -> bool:
    """Tell whether a value that a text calls a secret looks like one, and not like code or prose about one."""
    value = match["value"].rstrip(".")
    if match["after"] or value[0] in "~./" or _PLACEHOLDER.search(value) or "://" in value or value.count("/") > 2:
        return False
    if _is_password(match["name"]):
        return _random(value, 2.5)
    told = bool(match["quote"]) or match["sign"] != ":"
    return len(value) >= 8 and not _PLAIN.fullmatch(value) and _random(value, 2.7 if told else 3.2)


def _is_password(name: str) -> bool:
    return name.lower().startswith(("pass", "pwd"))


def _random(value: str, least: float) -> bool:
    """Tell whether a value mixes letters and digits, and has at least this entropy."""
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    return letters and digits and _entropy(value) >= least


_PLAIN = re.compile(
    r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?v?\d{1,3}|\d+[A-Za-z]{1,3}|v?\d+(?:\.\d+)+\S*|\d{4}-\d\d-\d\d\S*"
)


def _entropy(value: str) -> float:
    """Return the entropy of a value in bits per character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
