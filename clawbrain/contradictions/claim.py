"""Read a sentence as a claim: its words in one spelling, what it denies, demands or allows, what it says is gone."""

import re
from dataclasses import dataclass
from functools import lru_cache

from .spelling import EMPTY, IMPERATIVES, TOKEN, VERBS, plain, stem
from .vocabulary import ADDS, ALLOWED, ANYONE, DROPPED, NEGATIONS, OPTIONAL, PREPOSITIONS, REQUIRED


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in the form in which it is compared."""

    text: str  # as it was written
    tokens: tuple[str, ...]
    solid: tuple[str, ...]  # those that say something by themselves
    raw: tuple[str, ...]  # the same words before stemming
    marks: frozenset[tuple[str, str]]  # ('the', 'a' or 'our', the word after it)
    verb: int  # where the subject ends
    negative: bool
    level: str  # 'required' | 'optional' | 'allowed' | ''
    now: bool  # it says how things are since a change
    adds: bool  # it says that something else holds as well
    whose: str  # 'only' or 'any': whether it speaks of nobody else, or of everybody
    gone: frozenset[str] = frozenset()  # the words for what it says is gone
    taken: frozenset[str] = frozenset()  # and for what took its place
    told_change: bool = False  # "switched from", "replaced": and not only "this, not that"


_SWITCH = re.compile(
    r"\b(?:switch|mov|migrat|chang|convert|transition|upgrad|downgrad|renam|port|bump|rais|lower|increas|reduc|shift|went)\w*\b"
    r"(?P<rest>.*?)\bfrom (?P<old>.+?) (?:to|into) (?P<new>.+)"
)
_SWAPS = (  # `not gone_` is how `spelling` writes "no longer" and its like
    _SWITCH,
    re.compile(r"(?P<rest>.*?)\b(?:replac|swap|substitut)\w* (?P<old>.+?) (?:with|by|for) (?P<new>.+)"),
    re.compile(r"(?P<old>.+?) (?:is|are|was|were|h\w+ been|got) (?:replaced|superseded) (?:with|by) (?P<new>.+)"),
    re.compile(r"(?P<new>.+?) (?:has |have )?(?:replaced|replaces|supersedes|superseded) (?P<old>.+)"),
    re.compile(r"\b(?:not(?: gone_)?|left|abandon\w*) (?P<old>.+?) in favor of (?P<new>.+)"),
    re.compile(r"^ ?instead of (?P<old>\S+),? (?P<new>.+)"),
    re.compile(r"(?P<rest>.*?)(?P<new>\S+(?: \S+)?) instead of (?P<old>.+)"),
    re.compile(r"(?P<rest>.*?)\bprefer\w* (?P<new>.+?) over (?P<old>.+)"),
    re.compile(r"(?P<rest>.*?)\bnot (?P<old>[^,;]+?),? but (?P<new>.+)"),
    re.compile(r"(?P<rest>.*?)(?P<new>\S+), not (?!even |only |just )(?P<old>[^,;]+)$"),
    re.compile(r"^(?:the |our )?(?:\w+ )?(?:have |has )?not gone_ (?P<old>.+)(?P<new>)"),
    re.compile(r"^(?P<old>.+?) (?:has |have |had )?not gone_(?: |$)(?P<new>)"),
)
_TAIL = re.compile(r"(?:[,;(]|\s(?:in|on|for|because|since|after|when|as|and|during|last|this)\s).*")


def _swap(spelt: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words that a claim says are gone, and those that took their place."""
    for pattern in _SWAPS:
        if found := pattern.search(spelt):
            return _solid(_TAIL.sub("", found["old"])), _solid(_TAIL.sub("", found["new"]))
    return frozenset(), frozenset()


def _solid(text: str) -> frozenset[str]:
    tokens = (stem(t) for t in TOKEN.findall(text) if t not in DROPPED)
    return frozenset(t for t in tokens if t not in EMPTY)


_NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
_TOLD_CHANGE = re.compile(rf"{_SWITCH.pattern}|replac|swap|substitut|supersed|favor|gone_|instead of")
_CHANGE = re.compile(r"\bfrom\b|replac|swap|substitut|supersed|favor|gone_|instead|\bover\b|\bbut\b|, not ")
TELLS_CHANGE = re.compile(  # as people write it: what is gone need not be told of the subject that has it elsewhere
    r"\bfrom\b|replac|swap|substitut|supersed|favou?r|instead|rather than|in place of|\bover\b|\bbut\b|, not |no longer"
    r"|dropped|retired|discontinu|decommission|deprecat|abandon|got rid of|sunset|phased out|removed|demolish|torn down"
    r"|(?:shut|taken) down|switched off|stopped|gave up|\bleft\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)
def read(claim: str) -> Claim:
    """Return a claim in the form in which it is compared."""
    spelt = plain(claim)
    gone, taken = _swap(spelt) if _CHANGE.search(spelt) else (frozenset[str](), frozenset[str]())
    words = [word.rstrip(".,:;") or word for word in TOKEN.findall(spelt) if word != ";"]
    tokens, raw, marks = _content(words)
    levels = {_LEVELS.get(word, "") for word in words}
    first = words[0] if words else ""
    return Claim(
        text=claim,
        tokens=tuple(tokens),
        solid=tuple(t for t in tokens if t not in EMPTY),
        raw=tuple(raw),
        marks=frozenset(marks | {("name", stem(word.lower())) for word in _NAME.findall(claim)}),
        verb=_verb(tokens, raw, ("the", tokens[0]) in marks if tokens else False),
        negative=not NEGATIONS.isdisjoint(words),
        level="optional" if "optional" in levels else max(levels, default=""),
        now="now_" in words,
        adds=bool(ADDS.search(spelt)),
        whose="only" if first == "only" else "any" if first in ANYONE or first == "every_" else "",
        gone=gone,
        taken=taken,
        told_change=bool(gone and _TOLD_CHANGE.search(spelt)),
    )


def _content(words: list[str]) -> tuple[list[str], list[str], set[tuple[str, str]]]:
    """Return the words that say something, stemmed and as they came, and marks on those after an article."""
    tokens: list[str] = []
    raw: list[str] = []
    marks = set()
    article = ""
    for word in words:
        if word in NEGATIONS:
            article = ""
        elif word in _ARTICLES:
            article = _ARTICLES[word]
        elif word == "gone_" or (word in DROPPED and word not in _LEVELS):
            continue
        elif word in _NEEDS or not (word in _LEVELS or word == "now_"):
            if word == "at_" and tokens[-1:] == ["be"]:
                tokens.pop(), raw.pop()
            raw.append("need" if word in _NEEDS else word)
            tokens.append("need" if word in _NEEDS else word if word in PREPOSITIONS else stem(word))
            if article and word not in _NEEDS:
                marks.add((article, tokens[-1]))
                article = ""
    return tokens, raw, marks


_ARTICLES = {"the": "the", "a": "a", "an": "a", "every_": "every", "our": "our"}
_NEEDS = ("need", "needs", "require", "requires")  # both a demand and the word for what is asked
_LEVELS = {
    **dict.fromkeys(ALLOWED, "allowed"),
    **dict.fromkeys(OPTIONAL, "optional"),
    **dict.fromkeys(REQUIRED, "required"),
}


def _verb(tokens: list[str], raw: list[str], definite: bool) -> int:
    """Return the place of the verb, which ends the subject; a `definite` subject ("the …") may be longer."""
    for i, token in enumerate(tokens[: 16 if definite else 8]):
        if token in ("be", "at_"):
            return i
    third = [i for i in range(1, min(5, len(tokens))) if tokens[i] in VERBS and raw[i].endswith("s")]
    if tokens and tokens[0] in IMPERATIVES and not raw[0].endswith(("s", "ing")) and third != [1]:
        return 0
    for i in third or range(1, min(6, len(tokens))):
        if tokens[i] in VERBS:
            return i
    return 0
