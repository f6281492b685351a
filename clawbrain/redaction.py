"""Find keys and passwords in a text, so that they are not kept by accident.

Well-known keys are recognised by the shape their makers gave them; everything else only where the text itself says
what it is (`password = …`) and the value looks like one, because memories that speak *about* tokens are common.
A finding is a kind and a place, never the secret, so it may go into any log.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple


class Secret(NamedTuple):
    """A secret in a text: its kind and its place."""

    kind: str
    start: int
    end: int


class _Shape(NamedTuple):
    """The pattern of a kind of key, tried only where a text holds `needle`; both are told apart by case."""

    kind: str
    needle: str
    pattern: str  # compiled when a text first holds the needle, since few do


def _shapes(*rows: tuple[str, str, str]) -> tuple[_Shape, ...]:
    return tuple(_Shape(*row) for row in rows)


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
    ("clawbrain token", "cbt_", r"cbt_[\w-]{43}"),
    ("clawbrain token", "brt_", r"brt_[\w-]{43}"),
    ("clawbrain token", "bto_", r"bto_[\w-]{43}"),
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
_SPELLED = [  # as a name spells them: letters in lower case, hyphens for all signs
    (kind, re.compile(rf"(?<![^\W_]){pattern}"))
    for kind, pattern in (
        ("GitHub token", r"gh[pousr][-_][a-z0-9]{20,}"),
        ("GitHub token", r"github[-_]pat[-_][a-z0-9-]{22,}"),
        ("Stripe key", r"(?:sk|rk|pk)[-_](?:live|test)[-_][a-z0-9]{16,}"),
        ("OpenAI key", r"sk-[a-z0-9]{32,64}"),
        ("npm token", r"npm[-_][a-z0-9]{36}"),
        ("Hugging Face token", r"hf[-_][a-z0-9]{34}"),
        ("DigitalOcean token", r"do[opr][-_]v1[-_][a-f0-9]{40,}"),
        ("AWS key", r"(?:akia|asia)[a-z0-9]{16}(?![a-z0-9])"),
        ("Google key", r"aiza[a-z0-9-]{35}"),
    )
]
_AWS_SECRET = re.compile(
    r"""(?i)secret[ _-]?access[ _-]?key["'`*]{0,3}[ \t]{0,4}[:= ][ \t]{0,4}["'`*]{0,3}([a-z0-9/+]{40})(?![a-z0-9/+=])"""
)
_AWS_TOLD = re.compile(  # the AWS secret is x, the secret key for our AWS account is x
    r"(?i)(?:(?<![a-z0-9])(?:aws|amazon)(?![a-z0-9])[^\n]{0,40}?(?:secret|key|credentials?|schlüssel|clave|clé|chiave)"
    r"|(?:secret|key|schlüssel|clave|clé|chiave)[^\n]{0,40}?(?<![a-z0-9])(?:aws|amazon)(?![a-z0-9]))[^\n:=]{0,30}?"
    r"(?: (?:is|was|ist|war|est|es|è)(?: now)?|[:=])[ :\"'`*_]{1,5}([a-z0-9/+]{40})(?![a-z0-9/+=])"
)
_IN_URL = re.compile(r"(?<=://)[^\s/:@'\"`<>]{0,100}:([^\s/:@'\"`<>{}$*]{3,200})@(?=[\w\[])")
_BEARER = re.compile(r"(?i:\bbearer|\bauthorization: *basic|\bauthorization: *token) +([\w.~+/=-]{20,2000})")
_PASSWORD = (
    r"pass(?:word|wd|phrase|code)?|pwd|(?<![^\W_])pw|passwort|kennwort|passord|wachtwoord|lösenord|contraseña|senha"
    r"|mot de passe|hasło|пароль|密码|パスワード"
)
_TOKEN = (
    r"secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|secret[_-]?key|private[_-]?key|encryption[_-]?key"
    r"|client[_-]?secret|credentials?"
)
_NEEDLES = (  # one of them is in each word of the two alternatives above, and in few texts
    "pass", "pw", "kennwort", "wachtwoord", "lösenord", "contraseña", "senha", "hasło", "пароль", "密码", "パスワード",
    "secret", "token", "key", "credent",
)  # fmt: skip
_VALUE = r"""[^\s"'`“”„«»,;<>(){}\[\]|\\]"""
_NAMED = re.compile(  # password = x, "token": "x", **Password:** x, | password | x |, <password>x
    rf"""(?i)(?:(?P<password>{_PASSWORD})|{_TOKEN})(?:[_-]?(?:key|token|id|value|base64))?"""
    r"""["'`*_]{0,3}[ \t]{0,4}(?P<sign>:=|=>|[:=|>])[*_]{0,3}[ \t]{0,4}"""
    rf"""(?P<quote>["'`]?)(?P<value>{_VALUE}{{6,200}})(?P<after>[(\[{{]?)"""
)
_MARKUP = " \t*_`\r\n"
_HEADING = re.compile(rf"(?i)[ \t*_`]*(?:{_PASSWORD})[ \t*_`]*")
_SAID = re.compile(  # the password for the staging database is x
    rf"""(?i)(?:{_PASSWORD})["'`*_]{{0,3}}(?: (?:for|of|to|on|für)(?: [\w.@/-]{{1,40}}){{1,4}}?)?"""
    r"""(?: (?:is|was|ist|war|est|es|é|è|är|jest)(?: now| (?:changed|set|reset) to)?:?|:)"""
    rf""" ["'`“„«*_]{{0,3}}({_VALUE}{{6,200}})"""
)
_FOLLOWING = re.compile(  # log in with the password x; but "pass x" is mostly a verb
    rf"""(?i)(?!pass[^\w])(?:{_PASSWORD})["'`*_]{{0,3}}[ \t]{{1,4}}["'`“„«*_]{{0,3}}({_VALUE}{{8,200}})"""
)
_OPTION = re.compile(rf"""--pass(?:word|wd|phrase)?[ =]["']?({_VALUE}{{6,200}})""")
_LOGIN = re.compile(  # -u user:x, which is a login in the options of curl
    r"""(?<= )(?:-[a-zA-Z]{0,8}[uU]|--(?:proxy-)?user)[ =]?["']?[^\s:"'/]{1,100}:([^\s"'`{}<>]{2,200})"""
)
_CURL = re.compile(r"\b(?:curl|wget)\b")
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


def redacted_word(word: str) -> str:
    """Return a tag or a name with its secrets redacted, also those that are spelled as a name: in small letters."""
    clean = redacted(word)
    for kind, pattern in _SPELLED:
        for found in reversed([*pattern.finditer(clean)]):
            if _mixed(found[0]):
                clean = f"{clean[: found.start()]}[redacted: {kind}]{clean[found.end() :]}"
    return clean


def _mixed(word: str) -> bool:
    return any(map(str.isalpha, word[6:])) and any(map(str.isdigit, word[6:]))


def redacted_value(value: Any, cut: Callable[[str], str] = str) -> Any:
    """Return a value of texts, lists and mappings with every text redacted; a key may mark its value as a password.

    `cut` returns the part of each text that is read and kept.
    """
    if isinstance(value, str):
        return redacted(cut(value))
    if isinstance(value, Mapping):
        return {redacted(cut(str(key))): _redacted_under(str(key), inner, cut) for key, inner in value.items()}
    return [redacted_value(each, cut) for each in value] if isinstance(value, list | tuple) else value


def _redacted_under(key: str, value: Any, cut: Callable[[str], str]) -> Any:
    if not isinstance(value, str):
        return redacted_value(value, cut)
    value = cut(value)
    begin, end = f'{key}="', '"'
    text = redacted(f"{begin}{value}{end}")
    return text[len(begin) : -len(end)] if text.startswith(begin) and text.endswith(end) else redacted(value)


def kinds(text: str) -> str:
    """Return the kinds of secrets in a text, like 'AWS key, password'; '' when it holds none."""
    return ", ".join(dict.fromkeys(secret.kind for secret in find(text)))


def _all(text: str) -> Iterator[Secret]:
    """Yield all secrets. A slow pattern is tried only where a word that it needs is there, which is seldom."""
    for kind, needle, pattern in _SHAPES:
        if needle in text:
            for match in re.finditer(pattern, text):
                if not _continues(text, match.start()):
                    yield Secret(kind, *match.span())
    if "://" in text:
        for match in _IN_URL.finditer(text):
            if not _PLACEHOLDER.search(match[1]) and len(set(match[1])) > 2:
                yield Secret("password", *match.span(1))
    folded = text.lower() if text.isascii() else text.casefold()
    if "secret" in folded:
        for match in _AWS_SECRET.finditer(text):
            yield Secret("AWS key", *match.span(1))
    if "aws" in folded or "amazon" in folded:
        for match in _AWS_TOLD.finditer(text):
            if _random(match[1], 4.0) and not match[1].islower() and match[1][0] != "/":
                yield Secret("AWS key", *match.span(1))
    if "bearer" in folded or "author" in folded:
        for match in _BEARER.finditer(text):
            if _random(match[1], 3.2):
                yield Secret("token", *match.span(1))
    if any(needle in folded for needle in _NEEDLES):
        yield from _all_named(text)
    yield from _all_told(_OPTION, text, _is_told)
    if "curl" in text or "wget" in text:
        yield from _all_logins(text)


def _all_logins(text: str) -> Iterator[Secret]:
    for match in _LOGIN.finditer(text):
        command = text[max(0, match.start() - 300) : match.start()].replace("\\\n", " ").rpartition("\n")[2]
        if _CURL.search(command) and _is_literal(match[1]) and not _STAND_IN.fullmatch(match[1]):
            yield Secret("password", *match.span(1))  # nothing but a password stands there


def _all_named(text: str) -> Iterator[Secret]:
    for match in _NAMED.finditer(text) if any(sign in text for sign in ":=|>") else ():
        if _gives_away(match):
            start = match.start("value")
            yield Secret("password" if match["password"] else "token", start, start + len(_trimmed(match["value"])))
    yield from _all_told(_SAID, text, _is_told)
    yield from _all_told(_FOLLOWING, text, _is_following)
    if "|" in text:
        yield from _all_in_columns(text)


def _all_in_columns(text: str) -> Iterator[Secret]:
    """Yield what stands in the columns of tables that are headed as passwords."""
    headed: list[int] = []
    start = 0
    for line in text.splitlines(keepends=True):
        cells = line.split("|") if line.lstrip().startswith("|") else []
        headed = headed if cells and headed else [n for n, cell in enumerate(cells) if _HEADING.fullmatch(cell)]
        for number in headed:
            value = cells[number].strip(_MARKUP) if number < len(cells) else ""
            if len(value) >= 6 and " " not in value and _is_told(value):
                place = start + len("|".join(cells[:number])) + cells[number].index(value) + bool(number)
                yield Secret("password", place, place + len(_trimmed(value)))
        start += len(line)


def _all_told(told: re.Pattern[str], text: str, is_one: Callable[[str], bool]) -> Iterator[Secret]:
    for match in told.finditer(text):
        if is_one(match[1]):
            yield Secret("password", match.start(1), match.start(1) + len(_trimmed(match[1])))


def _continues(text: str, start: int) -> bool:
    """Tell whether a match begins in the middle of a longer word: then it is no key. An underscore parts words."""
    return start > 0 and text[start - 1].isalnum() and text[start] != "-"


def _gives_away(match: re.Match[str]) -> bool:
    """Tell whether a value that a text calls a secret looks like one, and not like code or prose about one."""
    value = _trimmed(match["value"])
    if match["after"] or value.count("/") > 2 or not _is_literal(value):
        return False
    if match["password"]:
        return _is_mixed(value) and _entropy(value) >= 2.5
    told = bool(match["quote"]) or match["sign"] != ":"
    return len(value) >= 8 and not _PLAIN.fullmatch(value) and _random(value, 2.7 if told else 3.2)


def _is_told(value: str) -> bool:
    """Tell whether what stands after "the password is" is a password, and not a word about passwords."""
    value = _trimmed(value)
    return _is_literal(value) and _is_mixed(value) and not _TECHNICAL.fullmatch(value)


def _is_following(value: str) -> bool:
    """Tell whether the word after "password" is one: letters and digits with signs or both cases, and no name.

    Marks that join words are no signs here, because "password reset-v2.0" and "password policy/2024" are prose.
    """
    value = _trimmed(value)
    if not (_is_literal(value) and any(map(str.isalpha, value)) and any(map(str.isdigit, value))):
        return False
    parts = re.split(r"(?<=[^\W_])[-_.:/+'’]+(?=[^\W_])", value)
    if _NAME.fullmatch(value) or all(_PART.fullmatch(part) for part in parts):
        return False
    if not all(part.isalnum() for part in parts):
        return True
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", value)
    both_cases = not (value.islower() or value.isupper())
    return (both_cases or len(parts) > 1) and not any(map(_TRADE.fullmatch, words))


def _is_literal(value: str) -> bool:
    """Tell whether a value stands for itself: it is no path, address, variable or example."""
    return not (
        value[:1] in ("", "~", ".", "/") or "://" in value or _PLACEHOLDER.search(value) or _VARIABLE.fullmatch(value)
    )


def _trimmed(value: str) -> str:
    """Return a value without the marks of the sentence or the markup that ends after it."""
    return value.rstrip(".:?*_")


def _is_mixed(value: str) -> bool:
    """Tell whether a value mixes two of letters, digits and signs; marks that join words or numbers are no signs."""
    bare = re.sub(r"(?<=\w)[-_'’./:@](?=\w)", "", value)
    kinds = (any(map(str.isalpha, bare)), any(map(str.isdigit, bare)), not bare.replace("_", "").isalnum())
    return sum(kinds) >= 2


def _random(value: str, least: float) -> bool:
    """Tell whether a value mixes letters and digits, and has at least this entropy."""
    letters, digits = any(c.isalpha() for c in value), any(c.isdigit() for c in value)
    return letters and digits and _entropy(value) >= least


_STAND_IN = re.compile(r"(?i)token|secret|api.?key|x+")
_VARIABLE = re.compile(r"\$+\w*|%\w+%|[A-Z]+_[A-Z_]+")
_TECHNICAL = re.compile(  # the password is argon2id-hashed, base64-encoded, 12-characters, SHA-256 …
    r"(?i)(?:argon2|bcrypt|scrypt|pbkdf2|sha-?\d|base\d\d|utf-?\d|aes-?\d|oauth2|x\.?509|pkcs|rfc)[\w./-]*"
    r"|(?:md5|hmac|ascii|k8s|s3|1password)(?:[./-][\w./-]*)?|[\w./]+-(?:encrypted|only|based|protected|hashed|encoded|derived)"
    r"|[a-z_]+=(?:true|false|none|null)|v?\d+(?:[.-]\d+)*-?[a-z]+(?:-[a-z]+)*|\d[\d./:-]*|[a-z]+[-/]\d{1,3}|#\d+"
    r"|\W*[a-z]+(?:[-/'’.][a-z]+)*\W*"
)
_NAME = re.compile(  # KeePass2.60, minLength=12, reset_v2.py:42, ann2@example.org, --cost=12, TLSv1.3-only, Argon2id
    r"[A-Za-z]*(?:[-_.]?v)?\d+(?:\.\d+)+(?:-?[a-z]+\d?(?:-[a-z]+)*)?|[A-Za-z_.-]+[<>=]=?[\w.-]*|--?[a-z][\w-]*|[A-Za-z]+#\d+|[\w/-]+@v?\d+(?:\.\d+)*"
    r"|[\w/@+-]+(?:\.[\w-]+)*\.[a-z]{2,4}(?::\d+)?"
    r"|(?i:argon|bcrypt|scrypt|yescrypt|pbkdf|sha-?\d|md5|hs(?:256|384|512)|aes-?\d|chacha|(?:ed|curve)25519|totp|fido"
    r"|oauth|openid|auth0|webauthn|ldap|tls|saml|keepass|utf-?\d|base\d\d|win32|http/\d|x\.509)[\w./:+-]*"
)
_PART = re.compile(  # of a name like CVE-2024-12, #issue-12, p2p-test, WPA2-Enterprise
    r"[#@]?[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+|\d+(?:[a-z]{1,3}|[A-Z]{1,3})?|[vVQ]\d+"
    r"|[A-Z][A-Za-z]{1,3}\d{1,3}|[A-Za-z]\d{1,2}[A-Za-z]?"
)
_TRADE = re.compile(  # words in names of things that have to do with passwords
    r"(?i)account|action|admin|android|auth|base|bearer|block|branch|bucket|chapter|check|chrome|class|client|code"
    r"|config|constraint|controller|cookie|crypt|debian|dialog|digest|digit|digits|django|docker|drupal|encoder"
    r"|encryption|endpoint|entry|error|factory|feature|field|fields|figure|file|filter|firefox|fix|flow|form"
    r"|handler|hash|hashed|hasher|hashes|hashing|header|helper|hint|hook|input|issue|java|kerberos|keycloak|keys"
    r"|kubernetes|laravel|latin|length|level|linux|list|logic|login|manager|manual|middleware|migration|mode"
    r"|model|module|mongo|mongodb|mysql|node|note|oracle|page|panel|parser|phase|plan|plugin|policies|policy"
    r"|postgres|postgresql|prompt|protocol|provider|pwned|python|rails|recovery|release|request|requirement"
    r"|requirements|reset|resets|roadmap|rotation|router|rule|rules|safari|schema|script|secret|section|security"
    r"|server|service|session|setting|settings|setup|shell|spec|spring|sprint|stage|standard|state|step|store"
    r"|story|strength|symfony|sync|system|table|task|template|test|tests|ticket|token|tool|top|type|ubuntu|update"
    r"|upgrade|user|util|utils|validation|validator|vault|version|view|wheel|widget|window|windows|worker"
    r"|workflow|yubikey"
)
_PLAIN = re.compile(
    r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?v?\d{1,3}|\d+[A-Za-z]{1,3}|v?\d+(?:\.\d+)+\S*|\d{4}-\d\d-\d\d\S*"
)


def _entropy(value: str) -> float:
    """Return the entropy of a value in bits per character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)
