"""Where two texts contradict each other, and where they say the same thing twice.

A claim is one bullet or one sentence. Two claims are brought to the same words (spelling of numbers, dates,
verb endings, "turned off" for "disabled"), laid beside each other, and the differences are counted. Exactly one
difference of a kind that cannot both be true is a contradiction: a value, an opposite, a negation, an order, or
a word of change ("switched from", "no longer"). Two differences are another scope, more words a refinement.
What is left undecided counts as no contradiction: a false alarm costs more trust than a miss.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import OSA, Indel


class Verdict(NamedTuple):
    kind: str  # 'contradiction' | 'duplicate' | 'refinement' | 'unrelated'
    why: str


class Finding(NamedTuple):
    a: str
    b: str
    description: str


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _ordered(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _groups(text: str) -> tuple[frozenset[str], ...]:
    return tuple(_words(line) for line in text.strip().splitlines())


# The vocabulary. Words are given as written; they are stemmed below.

_DROPPED = _words(
    "a an the this that these those our my their its your his her please we i you they it he she is-to just "
    "very really do does did done will would shall have-been s there here then so quite still already yet "
    "anymore any more ever now currently today about around approximately roughly exactly only simply actually "
    "generally usually normally typically also too additionally both e.g i.e explicitly strictly always user-s "
    "own well everything everyone"
)
_PREPOSITIONS = _words(
    "in on at to from with by through via under over after before until as into for of than within during "
    "against between about across per without upon onto since when if unless while except because inside"
)
_SCOPES = _words("in on at for when if unless during under while except inside within per only")
_REASONS = _words("since because after due")
_WEAK = _words("use be at_ make get have run work keep go happen take let set be-to and or way thing be_done code")
_OWNERS = _words("team project user company codebase group everyone")
_JOINS = _words("and or but plus")
_FREQUENCIES = _words("hourly daily nightly weekly biweekly monthly quarterly yearly annually continuously")
_DAYS = _words("monday tuesday wednesday thursday friday saturday sunday")
_MONTHS = _ordered("january february march april may june july august september october november december")
_COLOURS = _words("red green blue yellow black white orange purple grey gray pink brown")
_UNBENT = _FREQUENCIES | _DAYS | _COLOURS | frozenset(_MONTHS)
_NUMBERS = {
    **{word: str(n) for n, word in enumerate(_ordered("zero one two three four five six seven eight nine ten"))},
    "eleven": "11", "twelve": "12", "dozen": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40",
    "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100", "thousand": "1000",
}  # fmt: skip
_SAME = {
    "repo": "repository", "db": "database", "prod": "production", "k8s": "kubernetes", "postgres": "postgresql",
    "js": "javascript", "ts": "typescript", "config": "configuration", "env": "environment", "max": "maximum",
    "min": "minimum", "docs": "documentation", "dev": "development", "auth": "authentication", "app": "application",
    "favour": "favor", "colour": "color", "prs": "pr", "mails": "email", "emails": "email",
    "delivered": "send", "sent": "send", "kept": "keep", "ran": "run", "wrote": "write", "written": "write",
    "left": "leave", "built": "build", "chose": "choose", "chosen": "choose", "held": "hold", "led": "lead",
    "met": "meet", "went": "go", "gone": "go", "made": "make", "took": "take", "taken": "take", "lives": "live",
    "began": "begin", "begun": "begin", "has": "have", "had": "have", "goes": "go", "uses": "use", "used": "use",
    "using": "use", "utilizes": "use", "utilize": "use", "employs": "use", "is": "be", "are": "be", "was": "be",
    "were": "be", "been": "be", "being": "be", "=": "be", "am": "be", "becomes": "be", "became": "be", "became_": "be",
    "begins": "start", "begin": "start", "starts": "start", "started": "start", "detailed": "detail",
    "everybody": "everyone", "people": "person", "&": "and", "wants": "want", "occurs": "happen", "occur": "happen",
    "bigger": "large", "big": "large", "larger": "large", "smaller": "small", "faster": "fast", "slower": "slow",
    "quick": "fast", "quickly": "fast", "shorter": "short", "longer": "long", "hates": "dislike", "hate": "dislike",
    "loves": "like", "love": "like", "enjoys": "like", "enjoy": "like", "brief": "short", "terse": "short",
    "concise": "short", "lengthy": "long", "verbose": "long", "on_": "enabled", "off_": "disabled",
    "newest": "latest", "permit": "allow", "private_": "private", "retained": "keep", "deleted": "delete",
}  # fmt: skip

_OPPOSITES = _groups("""
enabled disabled
public private
before after
short long detail
like dislike
synchronous asynchronous
sync async
manual automatic
open closed restricted
join leave
stateless stateful
work leave
with without
accept reject
include exclude
ascending descending
increase decrease
minimum maximum
least most
above below
true false
yes no
stable unstable
safe unsafe
mutable immutable
strict lenient loose relaxed
eager lazy
local remote
internal external
encrypted unencrypted plaintext
encrypted unencrypted
single multiple
light dark
early late
cheap expensive
small large
high low
fast slow
morning evening afternoon
full-time part-time
online offline
active inactive
valid invalid
add remove
keep delete discard
start stop
push pull
pass fail
succeed fail
required optional
supported unsupported
typed untyped
present absent
sequential parallel
blocking non-blocking
warm cold
relative absolute
centralized decentralized
centralised decentralised
free paid
open-source proprietary closed-source
case-sensitive case-insensitive
idempotent non-idempotent
formal informal casual
on-site remote
office remotely home
left right
top bottom
up down
first last
lowercase uppercase
snake_case camelcase kebab-case pascalcase
snake camel kebab pascal
tab space
single double
monorepo polyrepo multirepo
allow deny
allowlist denylist
opt-in opt-out
vegetarian vegan meat
introvert extrovert
simple complex
deterministic nondeterministic
signed unsigned
signed signless
backward forward
soft hard
static dynamic
raise swallow
""")

_RIVALS = _groups("""
postgresql mysql sqlite mariadb mongodb oracle cockroachdb dynamodb cassandra
npm yarn pnpm bun
pip poetry uv pipenv conda pdm
webpack vite rollup esbuild parcel turbopack
pytest unittest nose
jest vitest mocha jasmine
black ruff yapf autopep8 prettier
eslint biome tslint
flake8 pylint
jenkins circleci travis gitlab-ci buildkite
aws gcp azure
github gitlab bitbucket
merge rebase squash
slack teams discord mattermost
jira linear asana trello
linux windows macos
vim neovim emacs vscode
rabbitmq kafka nats sqs
json yaml toml xml csv ini protobuf
kubernetes nomad swarm
nginx apache caddy traefik
http https
rest graphql grpc soap
redis memcached
bcrypt argon2 scrypt sha256 md5
react vue angular svelte
flask fastapi django
terraform pulumi cloudformation
sass less tailwind
markdown asciidoc rst
utf-8 utf-16 latin-1 ascii
mypy pyright
zsh bash fish
metric imperial
tea coffee
python java javascript typescript ruby rust kotlin swift scala elixir
utc cet pst est gmt
euro dollar pound
cookie jwt
make just
mit apache-2.0 gpl bsd mpl
""")

# Verbs that take many objects at once: knowing Rust does not deny knowing Go.
_MANY = _words(
    "know own like dislike handle support have include contain maintain speak attend fix add review visit "
    "mention help learn test provide expose import depend need require send can read write see cover collect "
    "track implement integrate subscribe contribute participate pair collaborate talk rely call block ship "
    "create update investigate debug discuss document refactor improve teach consume emit publish validate "
    "parse load export monitor show list offer involve affect manage study share buy try play watch avoid check "
    "cause touch serve accept detect remember note allergic interested available compatible related ask receive "
    "process generate"
)
_LOOSE = _words(
    "used involved interested shared tested supported called imported mentioned affected available allergic "
    "related compatible integrated connected included covered good great bad familiar experienced happy "
    "required needed"
)
_PAST = _words(
    "met wrote went built left ran made took bought spoke gave saw found held led sent began chose taught broke "
    "fell got had did was were told drew flew lost won paid said thought brought caught sold spent"
)
_ONE_PLACE = _words("in on at to from with by through via under after before until as into within")
_ONE_OBJECT = _words(
    "call name cost equal mean last default exit expire listen follow prefer guarantee weigh target want "
    "return_ take meet at_ start end close deploy total"
)
_ONE_HOLDER = _words("lead own manage head chair direct responsible charge on-call maintain coordinate")
_IMPERATIVES = _words(
    "use run add keep prefer write store put set deploy commit format log name push pull merge squash rebase "
    "sort indent make wrap document test start stop call ask answer include return raise validate pin build tag "
    "require allow sign limit cache enable disable open close create delete remove place save send read load "
    "avoid"
)
_VERBS = _words(
    "use be run live work report listen expire serve contain know own like dislike prefer want handle support "
    "need have take cost name call return exit happen meet join leave start end depend rely go come deploy "
    "store keep write speak lead manage maintain head chair follow guarantee last default send post fail pass "
    "block mean require include configure provide expose consume emit publish read eat sit stay belong point "
    "sign log sort cache retry rotate enjoy review fix add test reset show parse import export load check "
    "validate limit travel commute drink begin close open ship receive accept reject target cover total trigger "
    "sync cut attend play study teach weigh drive share charge pay generate render hash encrypt back move power "
    "track at_ allow"
)
_ADJECTIVES = _words(
    "slow fast flaky large small good bad new old warm cold green red broken stable ready safe hard easy simple "
    "complex clean dirty happy busy tall kind smart big long short full empty free cheap quiet loud durable "
    "strict important due fine heavy light well tired sick late early deep thin thick rich poor public private "
    "remote local open"
)
_ADJECTIVE_END = re.compile(r"(?:ful|ous|ive|able|ible|less|ish|ic|al|ent|ant|y|ed|en|ing)$")

_PHRASES = [
    (re.compile(pattern), put)
    for pattern, put in (
        (r"[‘’]", "'"),
        (r"\bcan(?:'t|not)\b|\bcan not\b", " must not "),
        (r"\bwon't\b", " not "),
        (r"\b(\w+)n't\b", r"\1 not "),
        (r"\b(?:\w+)'(?:re|ll|ve|m|d)\b", " "),
        (r"'s\b", " "),
        (r"\bno longer\b|\bnot anymore\b|\bformerly\b|\bpreviously\b", " not "),
        (r"\b(?:never again|stopped|ceased|quit) (?=\w+ing\b)", " not "),
        (r"(?<!is )(?<!are )(?<!be )(?<!was )\bused to (?=[a-z])", " not "),
        (r"\bnot only\b|\bnot just\b", " "),
        (r"\b(?:do not|does not|not|no) (?:need|have|required?) to\b|\bneed not\b|\bunnecessary\b"
         r"|\bnot (?:a )?(?:required|mandatory|necessary|obligatory|needed|compulsory)\b"
         r"|\bno (?:requirement|need|obligation)\b(?: to| for)?", " optional "),
        (r"\b(?:dropped|retired|discontinued|decommissioned|deprecated|abandoned|got rid of|sunset|phased out"
         r"|banned|forbidden|prohibited|disallowed|forbids?|prohibits?|disallows?|bans?|refuses?|lacks?|avoids?)\b",
         " not "),
        (r"\b(?:is|are|was|were|gets?|been|be|stays?|remains?) (?:turned |switched )?on"
         r"(?= by default| for| in| at|$)", " be enabled "),
        (r"\b(?:is|are|was|were|gets?|been|be|stays?|remains?) (?:turned |switched )?off\b", " be disabled "),
        (r"\b(?:turned|switched) on\b|\bactivated\b", " enabled "),
        (r"\b(?:turned|switched) off\b|\bdeactivated\b", " disabled "),
        (r"\b(?:turn|switch) on\b", " enable "),
        (r"\b(?:turn|switch) off\b", " disable "),
        (r"\bby hand\b", " manual "),
        (r"\bas well as\b", " and "),
        (r"\btakes? place\b|\bis held\b|\bare held\b", " be "),
        (r"\bevery day\b|\bonce a day\b|\beach day\b|\bper day\b", " daily "),
        (r"\bevery night\b|\beach night\b", " nightly "),
        (r"\bevery week\b|\bonce a week\b|\beach week\b", " weekly "),
        (r"\bevery month\b|\bonce a month\b|\beach month\b", " monthly "),
        (r"\bevery hour\b|\bonce an hour\b|\beach hour\b", " hourly "),
        (r"\bevery\b|\beach\b", " "),
        (r"\bpull requests?\b|\bmerge requests?\b", " pr "),
        (r"\bworks? for\b", " work at "),
        (r"\b(?:(?:lives?|living|resides?|sits?|stays?|located|stored|kept|hosted|saved|found|placed|deployed|based) "
         r"(?:in|on|at|inside|under)|(?:runs?|running) on|deployed to)\b(?! \d| \w+day\b)", " at_ "),
        (r"\b(?:has |have )?(?:moved|relocated) (?:over )?to\b", " now_ at_ "),
        (r"\b(?:has |have )?(?:switched|migrated|changed|upgraded|transitioned)(?: over)? to\b", " now_ use "),
        (r"\b(?:now|nowadays|these days|currently|as of (?:now|today))\b", " now_ "),
        (r"\brather than\b|\bin place of\b|\bas opposed to\b", " instead of "),
        (r"\bprefer(s|red)? (.+?) to\b", r"prefer\1 \2 over"),
        (r"\bat least\b", " least "),
        (r"\bat most\b|\bup to\b|\bno more than\b", " most "),
        (r"\bin charge of\b|\bresponsible for\b|\bowner of\b", " responsible "),
        (r"\bin the (morning|afternoon|evening)s?\b", r" \1 "),
        (r"\bon[- ]call\b", " on-call "),
    )
]  # fmt: skip
_NEGATIONS = _words("not no never none nobody nothing neither nor cannot unsupported dont")
_REQUIRED = _words("must should need needs mandatory required requires require obligatory compulsory always ought")
_ALLOWED = _words("accepted allowed allow allows permitted may can could ok okay fine acceptable welcome possible")
_OPTIONAL = _words("optional optionally voluntary")
_ADDS = re.compile(r"\b(?:also|too|as well|additionally|both|another)\b")

_TOKEN = re.compile(
    r"\w+://\S+|[\w.+-]+@[\w-]+\.[\w.-]+|#\d+|~?/?(?:[\w.-]+/)+[\w.*-]*|/[\w.-]+|\.[a-z]\w+"
    r"|\d[\d.,:x]*\w*%?|\w[\w+#]*(?:[.-]\w+)*[+#]*|[=&;]"
)
_UNITS = {
    **dict.fromkeys(("ms", "millisecond"), 0.001), **dict.fromkeys(("s", "sec", "second"), 1.0),
    **dict.fromkeys(("m", "min", "minute"), 60.0), **dict.fromkeys(("h", "hr", "hour"), 3600.0),
    **dict.fromkeys(("d", "day"), 86400.0), "week": 604800.0,
}  # fmt: skip
_QUANTITY = re.compile(
    r"\b(\d+(?:\.\d+)?) ?-?(ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?)\b"
)
_SIZE = re.compile(r"\b(\d+(?:\.\d+)?) ?([kmgt])i?b\b")
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b\.?|\b(\d{1,2}):(\d\d)\b")
_MONTH = "|".join(f"{m[:3]}(?:{m[3:]})?" if m[3:] else m for m in _MONTHS)
_DATE = re.compile(
    rf"\b(?:({_MONTH})\.? (\d{{1,2}})(?:st|nd|rd|th)?|(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?({_MONTH})\b)"
    r"(?:,? (\d{4}))?(?!\d)"
)


def _number(value: float) -> str:
    return f"{value:g}" if value < 1e6 else f"{value:.0f}"


def _clock(found: re.Match[str]) -> str:
    hour, minute = int(found[1] or found[4]), found[2] or found[5] or "00"
    if found[3]:
        hour = hour % 12 + (12 if found[3] == "p" else 0)
    return f" {hour:02d}h{minute} "


def _date(found: re.Match[str]) -> str:
    name, day = (found[1], found[2]) if found[1] else (found[4], found[3])
    month = 1 + next(i for i, full in enumerate(_MONTHS) if full.startswith(name))
    return f" {found[5] or ''}-{month:02d}-{int(day):02d} ".replace(" -", " 0-")


def _quantity(found: re.Match[str]) -> str:
    unit = found[2] if found[2] in _UNITS else found[2].rstrip("s")
    return f" {_number(float(found[1]) * _UNITS[unit])}sec "


def _size(found: re.Match[str]) -> str:
    return f" {_number(float(found[1]) * 1024.0 ** ' kmgt'.index(found[2]))}byte "


_CAPITAL = re.compile(r"(?<=[a-z,] )(?:A|Go)(?= |$|[.,;])")  # Model A is no article, the language Go no verb


def _plain(claim: str) -> str:
    """One spelling for what is written in many: case, emphasis, thousands, times, dates, set phrases."""
    text = unicodedata.normalize("NFKC", claim).replace("…", " ")
    text = _CAPITAL.sub(lambda found: {"A": "letter-a", "Go": "golang"}[found[0]], text).lower()
    text = re.sub(r"\*\*|__|`|[\"“”«»]", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^(?:note|nb|fyi|remember|reminder|decision|fact)\s*[:–—-]\s*|\((?:confirmed|see [^)]*)\)", "", text)
    text = re.sub(r"(\d),(\d{3})\b", r"\1\2", text)
    if any(c.isdigit() for c in text):
        text = re.sub(r"(\d) (?:percent|%)", r"\1%", text)
        text = _DATE.sub(_date, text)
        text = _CLOCK.sub(_clock, text)
        text = _QUANTITY.sub(_quantity, text)
        text = _SIZE.sub(_size, text)
    text = re.sub(r"\s+", " ", text)
    for pattern, put in _PHRASES:
        text = pattern.sub(put, text)
    return re.sub(r"\s+", " ", text).strip()


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    """One form for run, runs, running; not English morphology, only the same answer for the same word."""
    word = _SAME.get(word, word)
    word = _NUMBERS.get(word, word)
    if "-" in word and word.replace("-", "").isalpha():
        first, _, last = word.rpartition("-")
        return f"{first}-{_stem(last)}"
    if len(word) < 4 or not word.isalpha():
        return _SAME.get(word[:-1], word) if word.endswith("s") and len(word) == 3 and word[1] not in "usia" else word
    if word in _UNBENT:
        return word
    if word.endswith("ically"):
        word = word[:-4]
    elif word.endswith("ly") and len(word) > 5:
        word = word[:-2]
    if word.endswith(("ies", "ied")) and len(word) > 4 and word != "cookies":
        word = word[:-3] + "y"
    elif word.endswith(("sses", "shes", "ches", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for end in ("ing", "ed"):
        rest = word[: -len(end)]
        if word.endswith(end) and len(rest) > 2 and any(c in "aeiouy" for c in rest):
            word = rest[:-1] if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "sl" else rest
            break
    word = _SAME.get(word, word)
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(_stem(word) for word in words) | words


_MANY, _ONE_OBJECT, _ONE_HOLDER = _stems(_MANY), _stems(_ONE_OBJECT), _stems(_ONE_HOLDER)
_IMPERATIVES, _WEAK = _stems(_IMPERATIVES), _stems(_WEAK)
_VERBS = _stems(_VERBS | _words("talk call subscribe collaborate pair"))
_PEERS: dict[str, list[int]] = {}
_ENEMIES: dict[str, list[int]] = {}
for _table, _list in ((_PEERS, _RIVALS), (_ENEMIES, _OPPOSITES)):
    for _n, _group in enumerate(_list):
        for _word in _stems(_group):
            _table.setdefault(_word, []).append(_n)


def _meet(table: dict[str, list[int]], x: str, y: str) -> bool:
    return x != y and not set(table.get(x, ())).isdisjoint(table.get(y, ()))


def _opposed(x: str, y: str) -> bool:
    if _meet(_ENEMIES, x, y):
        return True
    short, long = sorted((x, y), key=len)
    if len(short) < 4:
        return False
    return long in {prefix + short for prefix in ("un", "in", "im", "ir", "dis", "non", "non-")}


def _rivals(x: str, y: str) -> bool:
    return _meet(_PEERS, x, y)


def _kind(token: str) -> str:
    """What sort of value a token is; '' for a plain word."""
    if "://" in token or "@" in token or "/" in token or token.startswith("."):
        return "place"
    if any(c.isdigit() for c in token):
        return "number"
    for name, words in (("day", _DAYS), ("often", _FREQUENCIES), ("month", _MONTHS), ("colour", _COLOURS)):
        if token in words and token != "may":
            return name
    return ""


def _slip(x: str, y: str) -> bool:
    """The same word with a typing error in it."""
    if not (x.isalpha() and y.isalpha()) or _opposed(x, y) or _rivals(x, y) or _kind(x) or _kind(y):
        return False
    longest = max(len(x), len(y))
    if longest < 4:
        return False
    distance = int(OSA.distance(x, y))
    return distance <= (2 if longest > 8 else 1) and (longest > 4 or len(x) != len(y))


# From a claim to what is compared


@dataclass(frozen=True, slots=True)
class _Claim:
    tokens: tuple[str, ...]
    raw: tuple[str, ...]  # the same words before stemming
    marks: frozenset[tuple[str, str]]  # ('the' or 'a', the word after it)
    verb: int  # where the subject ends
    negative: bool
    level: str  # 'required' | 'optional' | 'allowed' | ''
    now: bool
    adds: bool
    gone: frozenset[str] = frozenset()
    taken: frozenset[str] = frozenset()

    @property
    def solid(self) -> list[str]:
        return [t for t in self.tokens if t not in _WEAK and t not in _PREPOSITIONS]


_SWITCH = re.compile(
    r"\b(?:switch|mov|migrat|chang|convert|transition|upgrad|downgrad|renam|port|bump|rais|lower|increas|reduc|shift|went)\w*\b"
    r"(?P<rest>.*?)\bfrom (?P<old>.+?) (?:to|into) (?P<new>.+)"
)
_SWAPS = (
    _SWITCH,
    re.compile(r"(?P<rest>.*?)\b(?:replac|swap|substitut)\w* (?P<old>.+?) (?:with|by|for) (?P<new>.+)"),
    re.compile(r"(?P<old>.+?) (?:is|are|was|were|h\w+ been|got) (?:replaced|superseded) (?:with|by) (?P<new>.+)"),
    re.compile(r"(?P<new>.+?) (?:has |have )?(?:replaced|replaces|supersedes|superseded) (?P<old>.+)"),
    re.compile(r"\b(?:not|left|abandon\w*) (?P<old>.+?) in favor of (?P<new>.+)"),
    re.compile(r"(?P<rest>.*?)(?P<new>\S+(?: \S+)?) instead of (?P<old>.+)"),
    re.compile(r"(?P<rest>.*?)\bprefer\w* (?P<new>.+?) over (?P<old>.+)"),
    re.compile(r"(?P<rest>.*?)\bnot (?P<old>[^,;]+?),? but (?P<new>.+)"),
    re.compile(r"(?P<rest>.*?)(?P<new>\S+), not (?P<old>[^,;]+)$"),
)
_TAIL = re.compile(r"(?:[,;(]|\s(?:in|on|for|because|since|after|when|as|and|during|last|this)\s).*")


def _swap(plain: str) -> tuple[frozenset[str], frozenset[str]]:
    """What a claim says is gone and what took its place."""
    for pattern in _SWAPS:
        if found := pattern.search(plain):
            return _solid(_TAIL.sub("", found["old"])), _solid(_TAIL.sub("", found["new"]))
    return frozenset(), frozenset()


def _solid(text: str) -> frozenset[str]:
    tokens = (_stem(t) for t in _TOKEN.findall(text) if t not in _DROPPED)
    return frozenset(t for t in tokens if t not in _WEAK and t not in _PREPOSITIONS)


_NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
_CHANGE = re.compile(r"\bfrom\b|replac|swap|substitut|supersed|favor|instead|\bover\b|\bbut\b|, not ")


@lru_cache(maxsize=8192)
def _read(claim: str) -> _Claim:
    plain = _plain(claim)
    gone, taken = _swap(plain) if _CHANGE.search(plain) else (frozenset[str](), frozenset[str]())
    words = [w.rstrip(".,:;") or w for w in _TOKEN.findall(plain) if w != ";"]
    tokens, raw, marks, level, article = [], [], set(), "", ""
    negative = now = False
    for word in words:
        if word in _NEGATIONS:
            negative, article = True, ""
        elif word == "now_":
            now = True
        elif found := _level(word):
            level = "optional" if "optional" in (found, level) else max(level, found)
            if word in ("need", "needs", "require", "requires"):
                tokens.append("need")
                raw.append("need")
        elif word in _DROPPED:
            article = {"the": "the", "a": "a", "an": "a"}.get(word, article)
        else:
            if word == "at_" and tokens and tokens[-1] == "be":
                tokens.pop(), raw.pop()
            tokens.append(word if word in _PREPOSITIONS else _stem(word))
            raw.append(word)
            if article:
                marks.add((article, tokens[-1]))
            article = ""
    marks |= {("name", _stem(w.lower())) for w in _NAME.findall(claim)}
    adds = bool(_ADDS.search(plain))
    return _Claim(
        tuple(tokens), tuple(raw), frozenset(marks), _verb(tokens, raw), negative, level, now, adds, gone, taken
    )


def _level(word: str) -> str:
    if word in _REQUIRED:
        return "required"
    return "optional" if word in _OPTIONAL else "allowed" if word in _ALLOWED else ""


def _verb(tokens: list[str], raw: list[str]) -> int:
    """Where the verb stands: what lies before it is whom or what the claim is about."""
    for i, token in enumerate(tokens[:8]):
        if token in ("be", "at_"):
            return i
    third = [i for i in range(1, min(5, len(tokens))) if tokens[i] in _VERBS and raw[i].endswith("s")]
    if tokens and tokens[0] in _IMPERATIVES and not raw[0].endswith(("s", "ing")) and third != [1]:
        return 0
    for i in third or range(1, min(6, len(tokens))):
        if tokens[i] in _VERBS:
            return i
    return 0


# The differences between two claims


@dataclass(frozen=True, slots=True)
class _Span:
    start: int  # in the first claim
    other: int  # in the second
    x: tuple[str, ...]
    y: tuple[str, ...]


def _spans(a: _Claim, b: _Claim) -> list[_Span]:
    """Where the two part, with neighbouring cuts joined and mistyped words forgiven."""
    slips = {y: x for y in set(b.tokens) - set(a.tokens) for x in set(a.tokens) - set(b.tokens) if _slip(x, y)}
    ys = [slips.get(t, t) for t in b.tokens]
    spans: list[list[int]] = []
    for op in Indel.opcodes(list(a.tokens), ys):
        if op.tag == "equal":
            continue
        if spans and spans[-1][1] == op.src_start and spans[-1][3] == op.dest_start:
            spans[-1][1], spans[-1][3] = op.src_end, op.dest_end
        else:
            spans.append([op.src_start, op.src_end, op.dest_start, op.dest_end])
    made = (_Span(i, k, a.tokens[i:j], tuple(ys[k:m])) for i, j, k, m in spans)
    return [s for s in made if not _empty(s)]


def _empty(span: _Span) -> bool:
    return all(t in _WEAK or t in _PREPOSITIONS for t in span.x + span.y) and not _turned(span)


def _turned(span: _Span) -> bool:
    """One word of the one and one of the other are opposites, and little else is said."""
    if all(_SCOPES & set(words[1:]) for words in (span.x, span.y)):
        return False
    return len(span.x) <= 3 and len(span.y) <= 3 and any(_opposed(x, y) for x, y in product(span.x, span.y))


def _say(words: Iterable[str], *said_in: _Claim) -> str:
    """Stems as they were written."""
    written = {stem: raw for claim in said_in for stem, raw in zip(claim.tokens, claim.raw, strict=True)}
    shown = sorted(words) if isinstance(words, frozenset) else words
    return " ".join(written.get(word, word) for word in shown).replace("at_", "in")


_UNRELATED = Verdict("unrelated", "they speak of different things")


def compare(a: str, b: str) -> Verdict:
    """How two claims stand to each other, whichever comes first."""
    first, second = sorted((a, b))
    verdict = _UNRELATED
    for x, y in product(_clauses(first), _clauses(second)):
        found = _judge(_read(x), _read(y))
        if found.kind == "contradiction":
            return found
        if found.kind == "refinement" or verdict.kind == "unrelated":
            verdict = found
    return Verdict("duplicate", "they say the same") if _same_words(a, b) else verdict


@lru_cache(maxsize=8192)
def _clauses(claim: str) -> tuple[str, ...]:
    parts = re.split(r";\s+|\.\s+(?=[A-Z])|,? but (?=\w+ (?:is|are|no|now|uses?)\b)|,\s+(?:so|while|whereas)\s+", claim)
    return tuple(part for part in parts if part.strip()) or (claim,)


def _same_words(a: str, b: str) -> bool:
    x, y = _read(a), _read(b)
    return x.negative == y.negative and x.level in ("", y.level) and not _spans(x, y)


def _judge(a: _Claim, b: _Claim) -> Verdict:
    shared = set(a.solid) & set(b.solid)
    if changed := _changed(a, b) or _changed(b, a):
        return changed
    if not shared:
        return _UNRELATED
    if a.now or b.now:
        a, b = _related(a), _related(b)
    spans = _spans(a, b)
    if a.negative != b.negative or {a.level, b.level} == {"required", "optional"}:
        return _denied(a, b)
    if a.gone and b.gone and a.gone == b.taken and a.taken == b.gone:
        return Verdict("contradiction", f"'{_say(a.taken, a, b)}' and '{_say(a.gone, a, b)}' have changed places")
    if spans and sorted(a.tokens) == sorted(b.tokens):
        return _turned_round(a, b)
    return _replaced(a, b, spans, shared)


def _related(claim: _Claim) -> _Claim:
    """Beside "now", it is one thing whether somebody uses a place or is there."""
    return replace(claim, tokens=tuple("use" if t == "at_" else t for t in claim.tokens))


def _changed(a: _Claim, b: _Claim) -> Verdict | None:
    """The first says that something is gone which the second still holds."""
    said = frozenset(b.solid)
    if not a.gone or b.negative or b.gone or not a.gone <= said or (a.taken and a.taken - a.gone <= said):
        return None
    around, rest = frozenset(a.solid) - a.gone - a.taken, said - a.gone
    place = min(b.tokens.index(t) for t in a.gone)
    if rest & around or not rest or place > b.verb or b.verb == 0:
        why = f"one says '{_say(a.gone, a, b)}' gave way to '{_say(a.taken, a, b)}', the other still holds it"
        return Verdict("contradiction", why)
    return None


def _denied(a: _Claim, b: _Claim) -> Verdict:
    """One denies what the other says, unless they also speak of different cases."""
    yes, no = (a, b) if b.negative or (b.level == "optional" and not a.negative) else (b, a)
    more, less = _left(yes, no), _left(no, yes)
    if not (more and less):
        more, less = [t for t in more if t not in _OWNERS], [t for t in less if t not in _OWNERS]
    shared = len(set(yes.solid) & set(no.solid))
    if any(_opposed(x, y) for x, y in product(yes.tokens, no.tokens) if x not in no.tokens and y not in yes.tokens):
        return Verdict("refinement", "a denied opposite says the same")
    times = all(_kind(t) in ("often", "day", "month") for t in [*more, *less])
    if (times and not (more and less)) or not (more or less):
        return Verdict("contradiction", "one denies what the other says")
    if not more and _only_reasons(no, less):
        return Verdict("contradiction", "one denies what the other says, and gives a reason")
    if not less and 2 * shared >= len(more) and not _scoped(yes, more):
        return Verdict("contradiction", "one denies altogether what the other says")
    return Verdict("refinement", "one denies it for another case") if shared > 1 else _UNRELATED


def _left(a: _Claim, b: _Claim) -> list[str]:
    return [t for t in a.solid if t not in b.tokens and not any(_slip(t, u) for u in b.tokens)]


def _scoped(claim: _Claim, words: list[str]) -> bool:
    """The additional words narrow the claim: a modified subject, or 'in', 'when', 'unless' before them."""
    first = min(claim.tokens.index(t) for t in words)
    narrow = _SCOPES - {"for"}
    return first < claim.verb or bool(narrow & set(claim.tokens[max(0, first - 1) : first + 1]))


def _only_reasons(claim: _Claim, words: list[str]) -> bool:
    first = min(claim.tokens.index(t) for t in words)
    return first > 0 and claim.tokens[first - 1] in _REASONS


_PIVOTS = ("over", "to", "than", "before", "after", "from", "into", "above", "below", "at_", "by")


def _turned_round(a: _Claim, b: _Claim) -> Verdict:
    for pivot in _PIVOTS:
        if pivot in a.tokens and pivot in b.tokens:
            left, right = a.tokens[: a.tokens.index(pivot)], b.tokens[b.tokens.index(pivot) + 1 :]
            if moved := set(left) & set(right) - _WEAK - _PREPOSITIONS:
                return Verdict("contradiction", f"the order around '{pivot}' is turned round ('{sorted(moved)[0]}')")
    return Verdict("refinement", "the same words in another order")


def _replaced(a: _Claim, b: _Claim, spans: list[_Span], shared: set[str]) -> Verdict:
    close = 2 * len(shared) >= min(len(a.solid), len(b.solid))
    swaps, inserts = [s for s in spans if s.x and s.y], [s for s in spans if not (s.x and s.y)]
    if len(swaps) > 1 or (swaps and (a.adds or b.adds or _narrowed(a, b, inserts, _turned(swaps[0])))):
        return Verdict("refinement", "they differ in more than one place: another scope") if close else _UNRELATED
    if swaps and _excludes(a, b, swaps[0]):
        return Verdict("contradiction", f"'{_say(swaps[0].x, a)}' in one, '{_say(swaps[0].y, b)}' in the other")
    return Verdict("refinement", "one says more than the other") if close else _UNRELATED


def _narrowed(a: _Claim, b: _Claim, inserts: list[_Span], turned: bool) -> bool:
    """An insertion speaks of a part: words before the verb, or 'in', 'for', 'when' and what follows."""
    for span in inserts:
        claim, at, words = (a, span.start, span.x) if span.x else (b, span.other, span.y)
        before = claim.tokens[at - 1] if at else ""
        if turned and all(t in _PREPOSITIONS or _kind(t) in ("month", "day") for t in words):
            continue
        inside = at + len(words) < len(claim.tokens) and not turned
        if inside or at < claim.verb or (claim.verb == 0 and at == 0) or words[0] in _SCOPES or before in _SCOPES:
            return True
    return False


def _excludes(a: _Claim, b: _Claim, span: _Span) -> bool:
    """Whether the two replaced parts cannot both be true."""
    if a.negative:
        return len(span.x) == len(span.y) == 1 and "than" in a.tokens and _kind(span.x[0]) == "number"
    if len(span.x) == len(span.y) == 1 and {span.x[0], span.y[0]} <= _PREPOSITIONS and _turned(span):
        return True
    if span.start < a.verb or span.other < b.verb:
        return _one_holder(a, b, span)
    if _turned(span):
        return True
    x, y = _bare(span.x), _bare(span.y)
    if not x or not y or len(x) > 5 or len(y) > 5:
        return False
    verb = a.tokens[a.verb]
    if a.tokens[a.verb : a.verb + 1] != b.tokens[b.verb : b.verb + 1] and not _same_place(a, b):
        return False
    if any(_kind(p) in ("day", "month", "often") for p in x + y) and not _values(x, y):
        return False
    if _values(x, y):
        return not (verb in _MANY and _past(a)) or _kind(x[0]) == "number"
    if any(_rivals(p, q) for p, q in product(x, y)) and verb not in _MANY:
        return True
    return _one_of(a, b, span, verb)


def _same_place(a: _Claim, b: _Claim) -> bool:
    return a.verb == 0 and b.verb == 0


def _bare(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(t for t in words if t not in _PREPOSITIONS and t not in _WEAK)


def _values(x: tuple[str, ...], y: tuple[str, ...]) -> bool:
    """Both are a number, a date, a path, a weekday …, with the same words around it."""
    kinds = [{_kind(t) for t in words} - {""} for words in (x, y)]
    plain = [{t for t in words if not _kind(t)} for words in (x, y)]
    return bool(kinds[0] & kinds[1]) and (plain[0] == plain[1] or len(x) == len(y) == 1 or not (plain[0] and plain[1]))


def _past(claim: _Claim) -> bool:
    return claim.raw[claim.verb].endswith("ed") or claim.raw[claim.verb] in _PAST


def _one_holder(a: _Claim, b: _Claim, span: _Span) -> bool:
    """'Alice is the tech lead', 'Bob is the tech lead': the whole subject changed, and there is one such place."""
    if span.start or span.other or len(span.x) != a.verb or len(span.y) != b.verb or a.verb == len(a.tokens):
        numbers = len(span.x) == len(span.y) == 1 and _kind(span.x[0]) == _kind(span.y[0]) == "number"
        return numbers and a.level == "required" and span.start > 0
    rest = a.tokens[a.verb + 1 :]
    if a.tokens[a.verb] != "be":
        return a.tokens[a.verb] in _ONE_HOLDER
    return bool(rest) and (("the", rest[0]) in a.marks & b.marks or rest[0] in _ONE_HOLDER)


def _one_of(a: _Claim, b: _Claim, span: _Span, verb: str) -> bool:
    """The word that governs the replaced part takes one thing at a time."""
    ruling = next((t for t in reversed(a.tokens[: span.start]) if t in _PREPOSITIONS or t in _VERBS), "")
    after = a.tokens[span.start + len(span.x) :]
    if span.x[0] in _PREPOSITIONS and span.y[0] in _PREPOSITIONS and span.x[0] != span.y[0]:
        return False
    if span.x[0] in _ONE_PLACE and span.x[0] == span.y[0]:
        ruling = span.x[0]
    if ruling in _ONE_PLACE:
        return _one_place(a, b, verb)
    if ruling == "be":
        return _one_being(a, b, span)
    if ruling == "use":
        purpose = bool(after) and (after[0] in ("for", "as", "to") or after[0] not in _PREPOSITIONS | _JOINS)
        return a.now or b.now or purpose
    if ruling == "prefer":
        return len(span.x) == len(span.y) == 1
    return ruling in _ONE_OBJECT


def _one_place(a: _Claim, b: _Claim, verb: str) -> bool:
    following = a.raw[a.verb + 1] if a.verb + 1 < len(a.raw) else ""
    order = "before" in a.tokens or "after" in a.tokens
    advice = a.verb == 0 and a.raw[0] in _IMPERATIVES and not order  # 'Write docs in …' names the one way to do it
    if (verb in _MANY and not advice) or following in _LOOSE or (verb != "be" and _past(a)):
        return False
    return (verb, following) not in {("work", "on"), ("work", "with"), ("depend", "on"), ("use", "in"), ("run", "in")}


def _one_being(a: _Claim, b: _Claim, span: _Span) -> bool:
    """'The license is MIT' is one thing; 'is slow' and 'is flaky', or 'is a vegetarian' and 'is a pilot', are not."""
    raw = a.raw[span.start : span.start + len(span.x)] + b.raw[span.other : span.other + len(span.y)]
    names = {word for mark, word in a.marks | b.marks if mark == "name"}
    raw = tuple(t for t in raw if _stem(t) not in names)
    if any(t in _ADJECTIVES or t in _PREPOSITIONS or (t.isalpha() and _ADJECTIVE_END.search(t)) for t in raw):
        return False
    proper = not any(mark != "name" and word in a.tokens[: a.verb] for mark, word in a.marks)
    if proper and (("a", span.x[0]) in a.marks or ("a", span.y[0]) in b.marks):
        return False
    return not (proper and ("the", span.x[0]) in a.marks and ("the", span.y[0]) in b.marks)


# Texts


_FENCE = re.compile(r"^\s*(```|~~~)")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?P<text>.*)$")
_BOX = re.compile(r"\[[ xX]\]\s")
_SKIP = re.compile(r"^\s*(?:#|\||<!--|---+\s*$|===+\s*$|\*\*\*+\s*$)")
_LINK = re.compile(r"^\W*(?:\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|\w+://\S+)\W*$")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[\"'(`*]*[A-Z0-9])")


def _paragraphs(text: str) -> Iterator[str]:
    """Bullets and paragraphs, wrapped lines joined, without headings, code, tables and tasks."""
    held, fenced = "", ""
    for line in [*text.splitlines(), ""]:
        if found := _FENCE.match(line):
            fenced = "" if fenced == found[1] else fenced or found[1]
            line = ""
        bullet = None if fenced else _BULLET.match(line)
        if held and (fenced or bullet or not line.strip() or _SKIP.match(line)):
            yield held
            held = ""
        if fenced or _SKIP.match(line):
            continue
        if bullet:
            held = bullet["text"].strip()
        elif line.strip():
            held = f"{held} {line.strip().lstrip('> ')}".strip()


def claims(text: str) -> list[str]:
    """What a text claims, one bullet or sentence each."""
    found = []
    for paragraph in _paragraphs(text):
        if _BOX.match(paragraph):
            continue
        for sentence in _SENTENCE.split(paragraph):
            claim = sentence.strip()
            if not claim.endswith("?") and not _LINK.match(claim) and len(claim.split()) > 1:
                found.append(claim)
    return found


_WORD = re.compile(r"[^\W_]+(?:[-'.][^\W_]+)*")


@lru_cache(maxsize=8192)
def topics(claim: str) -> frozenset[str]:
    """The words by which two claims could meet at all; a quick look before the close one."""
    words = frozenset(_stem(w) for w in _WORD.findall(claim.lower()) if w not in _DROPPED)
    return words - _WEAK - _PREPOSITIONS - _NEGATIONS - _REQUIRED


@lru_cache(maxsize=256)
def _kept_claims(text: str) -> tuple[str, ...]:
    return tuple(claims(text))


def _claims_of(text: str) -> tuple[str, ...]:
    return _kept_claims(text) if len(text) < 20_000 else tuple(claims(text))


_UNNAMED = re.compile(
    r"(?:he|she|it|they|his|her|its|their|likes|dislikes|prefers|uses|works|lives|wants|hates|loves|speaks|owns"
    r"|leads|manages|joined|left|is|has|was|moved)\b",
    re.IGNORECASE,
)


def contradictions(new_text: str, old_text: str, *, one_subject: bool = True) -> list[Finding]:
    """Every claim of the new text that cannot stand beside a claim of the old one.

    Where the texts are about different things, what "it" or "she" does says nothing about the other's.
    """
    new, old = _claims_of(new_text), [(claim, topics(claim)) for claim in _claims_of(old_text)]
    if not one_subject:
        new = tuple(claim for claim in new if not _UNNAMED.match(claim))
    return [finding for claim in new for finding in _against(claim, old)]


def against(claim: str, others: Iterable[str]) -> list[Finding]:
    """The claims among others that cannot stand beside this one."""
    return list(_against(claim, [(other, topics(other)) for other in others]))


def _against(claim: str, others: list[tuple[str, frozenset[str]]]) -> Iterator[Finding]:
    words = topics(claim)
    for other, theirs in others:
        if 3 * len(words & theirs) < min(len(words), len(theirs)) or claim == other:
            continue
        verdict = compare(claim, other)
        if verdict.kind == "contradiction":
            yield Finding(claim, other, f"“{claim}” against “{other}”: {verdict.why}.")


def similarity(a: str, b: str) -> float:
    """0..1, blind to case, order and repetition of words."""
    return float(fuzz.token_set_ratio(a.lower(), b.lower())) / 100


def near_duplicate(a: str, b: str, threshold: float = 88) -> bool:
    """The same thing said twice: nearly the same words, of nearly the same number, and no contradiction."""
    shorter, longer = sorted((len(a.split()), len(b.split())))
    if 5 * shorter < 2 * longer or fuzz.token_set_ratio(a.lower(), b.lower(), score_cutoff=threshold) < threshold:
        return False
    if len(_claims_of(a)) <= 1 and len(_claims_of(b)) <= 1:
        return compare(a, b).kind != "contradiction"
    return not contradictions(a, b)


def without(text: str, claim: str, instead: str = "") -> str | None:
    """The text less one claim (or with another in its place); its whole line where nothing else stands on it."""
    words = r"\s+(?:>\s*)?".join(map(re.escape, claim.split()))
    found = re.search(rf"(?<!\w){words}(?!\w)", text)
    if not found:
        return None
    before, after = text[: found.start()], text[found.end() :]
    if instead:
        return before + instead + after
    line = before.rpartition("\n")[2]
    rest, _, below = after.partition("\n")
    if re.fullmatch(r"[\s>]*(?:(?:[-*+]|\d{1,3}[.)])\s+)?", line) and not rest.strip():
        return before.removesuffix(line) + below
    return before + after.lstrip(" ")


def rare_words(text: str, document_frequency: Callable[[str], int], most: int = 6) -> list[str]:
    """The words by which memories on the same matter are found without looking at all."""
    words = {w for w in _WORD.findall(text.lower()) if len(w) > 1 and w not in _DROPPED and w not in _PREPOSITIONS}
    counted = ((document_frequency(word), word) for word in words - _NEGATIONS)
    return [word for _, word in sorted(pair for pair in counted if pair[0] > 0)[:most]]


def claim_hash(claim: str) -> str:
    """The same for a claim however it is spaced, cased or marked up."""
    plain = unicodedata.normalize("NFKC", claim).casefold()
    words = re.sub(r"[*_`\"“”]+|[.!]+$", "", re.sub(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+", "", plain)).split()
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]
