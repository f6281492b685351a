"""Bring to one spelling what is written in many ways: set phrases, numbers, times, dates, verb endings, typing errors.

This is no English morphology; all that is asked is the same answer for the same word, and what sort of word it is.
"""

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import OSA

from . import vocabulary
from .vocabulary import COLOURS, DAYS, FREQUENCIES, MONTHS, NUMBERS, OPPOSITES, PREPOSITIONS, RIVALS, SAME, UNBENT

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
        (r"\b(?:has|have) (?=(?:agreed|chosen|adopted|decided|picked|selected|settled|standardi[sz]ed)\b)", " "),
        (r"\b(?:it was |it is |it has been )?(?:decided|agreed|chose|chosen|opted) (not )?to (?=\w)", r" \1"),
        (r"\b(?:do not|does not|not|no) (?:need|have|required?) to\b|\bneed not\b|\bunnecessary\b"
         r"|\bnot (?:a )?(?:required|mandatory|necessary|obligatory|needed|compulsory)\b"
         r"|\bno (?:requirement|need|obligation)\b(?: to| for)?", " optional "),
        (r"\bout of (?=(?:service|use|order|stock|sync|date|warranty|scope)\b)", " not in "),
        (r"\bup to date\b", " in date "),
        (r"\b(?:dropped|retired|discontinued|decommissioned|deprecated|abandoned|got rid of|sunset|phased out"
         r"|(?:is|was|were|are|been|being) (?:removed|demolished|torn down|shut down|taken down|switched off for good)"
         r"|stopped using|no longer uses?|gave up)\b", " not gone_ "),
        (r"\b(?:rejects?|rejected|declines|declined) (?=\w)", " not accepted "),
        (r"\b(?:banned|forbidden|prohibited|disallowed|forbids?|prohibits?|disallows?|bans?|refuses?|lacks?|avoids?)\b",
         " not "),
        (r"\b(?:is|are|was|were|gets?|been|be|stays?|remains?) (?:turned |switched )?on"
         r"(?= by default| for| in| at|$)", " be enabled "),
        (r"\b(?:is|are|was|were|gets?|been|be|stays?|remains?) (?:turned |switched )?off\b", " be disabled "),
        (r"\b(?:turned|switched) on\b|\bactivated\b", " enabled "),
        (r"\b(?:turned|switched) off\b|\bdeactivated\b", " disabled "),
        (r"\b(?:turn|switch) on\b", " enable "),
        (r"\b(?:turn|switch) off\b", " disable "),
        (r"\b(?:is|are) blocked\b(?! (?:by|on)\b)", " not allowed "),
        (r"\bby hand\b", " manual "),
        (r"\bas well as\b", " and "),
        (r"\btakes? place\b|\bis held\b|\bare held\b", " be "),
        (r"\bevery day\b|\bonce a day\b|\beach day\b|\bper day\b", " daily "),
        (r"\bevery night\b|\beach night\b", " nightly "),
        (r"\bevery week\b|\bonce a week\b|\beach week\b", " weekly "),
        (r"\bevery month\b|\bonce a month\b|\beach month\b", " monthly "),
        (r"\bevery hour\b|\bonce an hour\b|\beach hour\b", " hourly "),
        (r"\b(?:every|once a|each|per) (year|quarter)\b", r" \1ly "),
        (r"\b(in|to|by|of|on|until|since|from|before|after|during|early|late) may\b", r"\1 month-of-may"),
        (r"\bevery\b|\beach\b|\ball(?: of)?(?: the)?\b", " every_ "),
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

_TOKEN = (
    r"\w+://\S+|[\w.+-]+@[\w-]+\.[\w.-]+|#\d+|~?/?(?:[\w.-]+/)+[\w.*-]*|/[\w.-]+|\.[a-z]\w+"
    r"|\d[\d.,:x]*\w*%?|\w[\w+#]*(?:[.-]\w+)*[+#]*|[=&;]"
)
TOKEN, TOKEN_OR_MARK = re.compile(_TOKEN), re.compile(rf"{_TOKEN}|[,:()—–]")
_UNITS = {
    **dict.fromkeys(("ms", "millisecond"), 0.001), **dict.fromkeys(("s", "sec", "second"), 1.0),
    **dict.fromkeys(("m", "min", "minute"), 60.0), **dict.fromkeys(("h", "hr", "hour"), 3600.0),
    **dict.fromkeys(("d", "day"), 86400.0), "week": 604800.0,
}  # fmt: skip
_QUANTITY = re.compile(
    r"\b(\d+(?:\.\d+)?) ?-?(ms|milliseconds?|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|weeks?)\b"
)
_SPELT_NUMBER = re.compile(rf"\b({'|'.join(NUMBERS)})[ -](?=(?:second|minute|hour|day|week|percent)s?\b)")
_SIZE = re.compile(r"\b(\d+(?:\.\d+)?) ?([kmgt])i?b\b")
_CLOCK = re.compile(r"\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b\.?|\b(\d{1,2}):(\d\d)\b")
_MONTH = "|".join(f"{m[:3]}(?:{m[3:]})?" if m[3:] else m for m in MONTHS)
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
    month = 1 + next(i for i, full in enumerate(MONTHS) if full.startswith(name))
    return f" {found[5] or ''}-{month:02d}-{int(day):02d} ".replace(" -", " 0-")


def _quantity(found: re.Match[str]) -> str:
    unit = found[2] if found[2] in _UNITS else found[2].rstrip("s")
    return f" {_number(float(found[1]) * _UNITS[unit])}sec "


def _size(found: re.Match[str]) -> str:
    return f" {_number(float(found[1]) * 1024.0 ** ' kmgt'.index(found[2]))}byte "


_CAPITAL = re.compile(r"(?<=[a-z,] )(?:A|Go)(?= |$|[.,;])")  # Model A is no article, the language Go no verb
_AROUND_IT = re.compile(
    r"^(?:note|nb|fyi|remember|reminder|decision|fact)\s*(?:\([^)]*\)\s*)?[:–—-]\s*|\((?:confirmed|see [^)]*)\)"
)


def plain(claim: str) -> str:
    """Return a claim in one spelling: case, emphasis, thousands, times, dates and set phrases are made the same."""
    text = unicodedata.normalize("NFKC", claim).replace("…", " ")
    text = _CAPITAL.sub(lambda found: {"A": "letter-a", "Go": "golang"}[found[0]], text).lower()
    text = re.sub(r"\*\*|__|`|[\"“”«»]", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = _AROUND_IT.sub("", text)
    text = re.sub(r"(\d),(\d{3})\b", r"\1\2", text)
    text = _SPELT_NUMBER.sub(lambda found: NUMBERS[found[1]] + " ", text)
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
def stem(word: str) -> str:
    """Return one form for run, runs, running; not English morphology, only the same answer for the same word."""
    word = SAME.get(word, word)
    word = NUMBERS.get(word, word)
    if "-" in word and word.replace("-", "").isalpha():
        first, _, last = word.rpartition("-")
        return f"{first}-{stem(last)}"
    if len(word) < 4 or not word.isalpha():
        return SAME.get(word[:-1], word) if word.endswith("s") and len(word) == 3 and word[1] not in "usia" else word
    if word in UNBENT:
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
    word = SAME.get(word, word)
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def stems(words: frozenset[str]) -> frozenset[str]:
    """Return words together with their stems."""
    return frozenset(map(stem, words)) | words


MANY, ONE_OBJECT, ONE_HOLDER = stems(vocabulary.MANY), stems(vocabulary.ONE_OBJECT), stems(vocabulary.ONE_HOLDER)
KINDS, LEADERS = stems(vocabulary.KINDS), stems(vocabulary.LEADERS)
OF_ONE_PERSON = stems(vocabulary.OF_ONE_PERSON)
IMPERATIVES, VERBS, WEAK = stems(vocabulary.IMPERATIVES), stems(vocabulary.VERBS), stems(vocabulary.WEAK)


EMPTY = WEAK | PREPOSITIONS  # words that say little by themselves


def _companions(groups: tuple[frozenset[str], ...]) -> dict[str, set[str]]:
    """Return for each word the others of its groups."""
    found: dict[str, set[str]] = {}
    for group in map(stems, groups):
        for word in group:
            found.setdefault(word, set()).update(group - {word})
    return found


PEERS, _ENEMIES = _companions(RIVALS), _companions(OPPOSITES)


def opposed(x: str, y: str) -> bool:
    """Tell whether two stems are opposites: by the lists, or by a prefix like "un"."""
    if y in _ENEMIES.get(x, ()):
        return True
    short, long = sorted((x, y), key=len)
    return len(short) >= 4 and long in {prefix + short for prefix in ("un", "in", "im", "ir", "dis", "non", "non-")}


def rivals(x: str, y: str) -> bool:
    """Tell whether two stems are rivals, of which one usually takes the place of the other."""
    return y in PEERS.get(x, ())


def kind(token: str) -> str:
    """Return the sort of value that a token is, or "" for a plain word."""
    if "://" in token or "@" in token or "/" in token or token.startswith("."):
        return "place"
    if any(c.isdigit() for c in token):
        return "number"
    if token == "month-of-may":
        return "month"
    for name, words in (("day", DAYS), ("often", FREQUENCIES), ("month", MONTHS), ("colour", COLOURS)):
        if token in words and token != "may":
            return name
    return ""


def mistyped(x: str, y: str) -> bool:
    """Tell whether one is the other with a typing error in it."""
    shorter, longer = sorted((len(x), len(y)))
    most = 2 if longer > 8 else 1
    if longer < 4 or longer - shorter > most or shorter == 4 == longer or OSA.distance(x, y, score_cutoff=most) > most:
        return False  # nearly all pairs differ, and this is asked for every word of the one and every word of the other
    return x.isalpha() and y.isalpha() and not (opposed(x, y) or rivals(x, y) or kind(x) or kind(y))
