"""Sentences a person writes as bullets, matched against the closed list in the settings' rows.

A value is matched loosely and checked strictly: '2 weeks' is recognised as standing in a day's place, and then
refused for not being days. So a wrong unit is an error with a line, never a sentence that goes unseen.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from ..memory.model import shown
from .page import PagePart
from .reading import Reading, nearest, stays
from .settings import FLOORS, Setting, Wrong, checked, settings

_LONGEST = 400
_COMPARISONS = {"<": "<", ">": ">", "more_than": ">", "at_least": ">=", "at_most": "<="}
_MEANS = {
    "<": ("<", "below", "under", "less than", "fewer than", "lower than"),
    ">": (">", "above", "over", "more than", "greater than", "higher than"),
    ">=": (">=", "≥", "at least"),
    "<=": ("<=", "≤", "at most", "up to"),
    "=": ("=", "exactly"),
}
_COMPARISON = "|".join(re.escape(word) for words in _MEANS.values() for word in words)
_ANY_WORDS = r"(?: (?!(?:not|no|never|nothing|nobody|none|unless|except|only)\b)[^\s0-9<>≤≥=%]+)*?"
_NUMBER = r"([-+]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+(?:\.[0-9]+)?|\.[0-9]+))"
_UNITS = {
    "": ("", "1"),
    "days": (" ?days?", "1"),
    "tokens": ("(?: ?tokens?)?", "1"),
    "bytes": ("(?: ?bytes?)?", "1"),
    "%": (" ?(?:%|percent)", "0.01"),
    "% per day": (" ?(?:%|percent) (?:per|a|each|every) day", "0.01"),
}
# Words by which a bullet was meant to steer.
_ASKS = re.compile(
    r"[0-9%½¼¾]|\b(?:never|always|must|percent|half|two|three|four|five|six|seven|eight|nine|ten|twelve|dozen"
    r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|true|false|enabled|disabled)\b",
    re.IGNORECASE,
)
_STOPS = re.compile(
    r"(?=.* (?:prun|archiv))(?=.* (?:no|not|off|stop|nothing|none|disabled?|without)\b|.*n't)(?: \S+){1,5}",
    re.IGNORECASE,
)
_REMARK = re.compile(  # in brackets at the end of a sentence; with a number or an exception it would be more than that
    r" \((?:(?! (?:not|no|never|none|nothing|except|unless|only|without|but|if|when)\b)[^()0-9%½¼¾])*\)$", re.IGNORECASE
)
_FLOORED = re.compile(r"\b(?:pinned|people|persons?|younger|newer)\b", re.IGNORECASE)
_REMOVES = re.compile(r"\b(?:prun|archiv|delet|remov|forget|purg|unprotect|stop protect)", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:never|not?|cannot|keep|protect)\b|n't\b", re.IGNORECASE)
_EXPOSES = re.compile(r"(?:\bnever|\bnot|n't) (?:protect|keep|spare)\b", re.IGNORECASE)


class _Pattern(NamedTuple):
    section: str
    shown: str
    begins: frozenset[str]  # its possible first words
    regex: re.Pattern[str]
    groups: tuple[tuple[str, Setting | None], ...]  # what each group holds: a comparison or a value
    beside: tuple[tuple[Setting, Any], ...]

    @property
    def targets(self) -> list[Setting]:
        return [setting for _, setting in self.groups if setting] + [setting for setting, _ in self.beside]


@dataclass
class _Outcome:
    pattern: _Pattern
    claims: list[tuple[Setting, Any]]
    wrong: str = ""


def read(part: PagePart, section: str, reading: Reading) -> None:
    """Read a bullet, or a line of prose that may have been meant as one; `section` is the one it stands in, or ""."""
    if len(part.text) > _LONGEST:
        if part.kind == "bullet" and _ASKS.search(part.text):
            reading.warn(part.line, f"{shown(part.text)} is too long for a sentence that steers; left unread.")
        return
    text = _tidy(part.text)
    outcome = _understood(text) or _understood(_REMARK.sub("", text))
    if part.kind == "bullet":
        if outcome:
            _take(part, outcome, section, reading)
        else:
            _read_other(part, text, section, reading)
    elif outcome and section:
        reading.warn(part.line, f"{shown(part.text)} steers only as a bullet; begin the line with '- '.")


def _take(part: PagePart, outcome: _Outcome, section: str, reading: Reading) -> None:
    pattern = outcome.pattern
    if not section:
        where = pattern.section.title()
        text = f"{shown(part.text)} stands in no section that steers; move it below '## {where}'."
        reading.refuse(part.line, text, pattern.section)
    elif outcome.wrong:
        text = f"{shown(part.text)}: {outcome.wrong}; {stays(pattern.targets)}."
        reading.refuse(part.line, text, section, barring=pattern.targets)
    else:
        for setting, value in outcome.claims:
            reading.claim(setting, value, part.line, "sentence")


def _read_other(part: PagePart, text: str, section: str, reading: Reading) -> None:
    """Complain about a bullet that is no known sentence, if it seems to be meant as one; most are prose."""
    said = shown(part.text)
    if section and (begun := _begun(text)):
        text = f"{said} begins like '{begun.shown}' but does not end like it, so it is left unread."
        reading.refuse(part.line, text, section, begun.section)
    elif _lowers_a_floor(text):
        reading.refuse(part.line, f"{said} is refused: no file can lower the floors ({FLOORS}).", "pruning")
    elif section and (near := _near(text, 80)) in _protections():
        reading.refuse(part.line, f"{said} is no sentence that steers; did you mean '{near}'?", "pruning")
    elif section == "pruning" and _STOPS.fullmatch(text):
        reading.refuse(part.line, f"{said} is no sentence that steers; write 'Do not prune'.", "pruning")
    elif _ASKS.search(text):
        near = _near(text, 60)
        told = f"{said} is no sentence that steers" + (f"; the nearest that is: '{near}'." if near else ".")
        if section == "pruning" and near in _shown("pruning"):  # a limit that is not understood must let nothing go
            reading.refuse(part.line, told, "pruning")
        else:
            reading.warn(part.line, told)
    elif section and near:
        reading.warn(part.line, f"{said} is no sentence that steers; did you mean '{near}'?")


def _lowers_a_floor(text: str) -> bool:
    removes = _REMOVES.search(text) and not _DENIES.search(text)
    return bool(_FLOORED.search(text) and (removes or _EXPOSES.search(text)))


def _protections() -> list[str]:
    """Return the sentences that keep memories out of the archive: a slip in one of these must not let them go."""
    return [sentence for sentence in _shown("pruning") if sentence.startswith(("Do not", "Never"))]


def _shown(section: str) -> list[str]:
    """Return the sentences of a section as a person would write them."""
    return [pattern.shown for pattern in _patterns() if pattern.section == section]


def _near(text: str, at_least: int) -> str:
    return nearest(text.strip(), [pattern.shown for pattern in _patterns()], at_least)


def _tidy(text: str) -> str:
    """Return a bullet's words in the spelling the patterns expect: one space before each word and sign."""
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("\\", "").replace("’", "'").replace("−", "-")
    text = re.sub(r"[*`]|(?<!\w)_+|_+(?!\w)", "", text)
    text = re.sub(r"<=|>=|[<>≤≥=()]", r" \g<0> ", text)
    text = re.sub(r"[:,](?=\s|$)", r" \g<0> ", text)
    return "".join(f" {word}" for word in text.strip(" \t.;!").split())


def _first(text: str) -> str:
    return text.split(" ", 2)[1].lower() if text else ""


def _understood(text: str) -> _Outcome | None:
    """Return what a whole sentence says, by the first pattern whose values are right, else by the first that fits."""
    first = _first(text)
    outcomes = [
        _taken(pattern, match)
        for pattern in _patterns()
        if first in pattern.begins and (match := pattern.regex.fullmatch(text))
    ]
    return min(outcomes, key=lambda outcome: bool(outcome.wrong), default=None)


def _begun(text: str) -> _Pattern | None:
    first = _first(text)
    return next((p for p in _patterns() if first in p.begins and p.regex.match(text)), None)


def _taken(pattern: _Pattern, match: re.Match[str]) -> _Outcome:
    outcome = _Outcome(pattern, list(pattern.beside))
    try:
        for found, (part, setting) in zip(match.groups(), pattern.groups, strict=True):
            if setting is None:
                _compare(found.strip().lower(), part)
            else:
                value = _said(setting, found.strip())
                outcome.claims.append((setting, _rest(value) if part == "rest" else value))
        _check_single(outcome.claims)
    except Wrong as wrong:
        outcome.wrong = str(wrong)
    return outcome


def _compare(found: str, expected: str) -> None:
    if found not in _MEANS[expected]:
        raise Wrong(f"'{found}' compares another way; write '{_MEANS[expected][0]}'")


def _check_single(claims: list[tuple[Setting, Any]]) -> None:
    values: dict[str, Any] = {}
    for setting, value in claims:
        if values.setdefault(setting.name, value) != value:
            raise Wrong(f"it gives {setting.name} two values, {values[setting.name]} and {value}")


def _said(setting: Setting, text: str) -> Any:
    """Return a value as a sentence says it, in its own unit and no other. Raises Wrong for anything else."""
    if setting.kind == "words":
        return checked(setting, _listed(text))
    if setting.kind == "choice":
        return checked(setting, text.lower())
    tail, scale = _UNITS[setting.unit]
    number = re.fullmatch(_NUMBER + tail, text, re.IGNORECASE)
    if not number or (setting.kind == "int" and "." in number[1]):
        raise Wrong(f"{shown(text)} should read like '{setting.spoken(setting.example)}'")
    value = Decimal(number[1].replace(",", "")) * Decimal(scale)
    return checked(setting, int(value) if setting.kind == "int" else float(value))


def _listed(text: str) -> tuple[str, ...]:
    """Return the tags or categories of a list in lower case. Raises Wrong for what is no word."""
    words = [word.strip(" '\"").lower() for word in re.split(r"(?i),| and | or ", text) if word.strip()]
    odd = [word for word in words if not re.fullmatch(r"\w[\w.-]*", word)]
    if odd or not words:
        raise Wrong(f"{shown(odd[0] if odd else text)} is no word to look for; list words like 'adr, release'")
    return tuple(dict.fromkeys(words))


def _rest(share: float) -> float:
    return float(1 - Decimal(str(share)))


# Templates


@cache
def _patterns() -> tuple[_Pattern, ...]:
    return tuple(_compiled(setting, template) for setting in settings().values() for template in setting.sentences)


def _compiled(setting: Setting, template: str) -> _Pattern:
    said, _, beside = template.partition(" => ")
    pieces: list[str] = []
    groups: list[tuple[str, Setting | None]] = []
    for token in said.split():
        if token == "…":
            pieces.append(_ANY_WORDS)
        elif token in _COMPARISONS:
            groups.append((_COMPARISONS[token], None))
            pieces.append(f" ({_COMPARISON})")
        elif token.startswith("{"):
            value, part = _slot(setting, token)
            groups.append((part, value))
            pieces.append(rf"((?: \S+){{1,{40 if value.kind == 'words' else 4}}}?)")
        else:
            piece = f" (?:{'|'.join(map(re.escape, _alternatives(token)))})"
            pieces.append(f"(?:{piece})?" if _may_lack(token) else piece)
    regex = re.compile("".join(pieces) + "(?= |$)", re.IGNORECASE)
    return _Pattern(
        setting.section, sentence(setting, said), _begins(said), regex, tuple(groups), _beside(setting, beside)
    )


def _slot(setting: Setting, token: str) -> tuple[Setting, str]:
    key, _, part = token.strip("{}").partition(":")
    return settings()[f"{setting.section}.{key}"], part


def _may_lack(token: str) -> bool:
    return len(token) > 1 and token[0] in "[("


def _alternatives(token: str) -> list[str]:
    inside = token[1:-1] if _may_lack(token) else token
    return inside.replace("_", " ").split("|")


def _begins(template: str) -> frozenset[str]:
    words: set[str] = set()
    for token in template.split():
        words |= {word.split()[0].lower() for word in _alternatives(token)}
        if not _may_lack(token):
            break
    return frozenset(words)


def _beside(setting: Setting, assignment: str) -> tuple[tuple[Setting, Any], ...]:
    if not assignment:
        return ()
    key, _, value = assignment.partition(" = ")
    target = settings()[f"{setting.section}.{key}"]
    read: Any = {"bool": value == "true", "words": (value,)}.get(target.kind, value)
    return ((target, int(read) if target.kind == "int" else read),)


def sentence(setting: Setting, template: str) -> str:
    """Return a template as a person would write it, with its examples filled in."""
    words = []
    for token in template.partition(" => ")[0].split():
        if token.startswith("{"):
            value, part = _slot(setting, token)
            words.append(value.spoken(_rest(value.example) if part == "rest" else value.example))
        elif token[0] != "[":
            words.append(_alternatives(token)[0])
    return re.sub(r"(?<=\() | (?=[):,])", "", " ".join(words))
