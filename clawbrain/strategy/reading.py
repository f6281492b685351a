"""Settle the claims and refusals of a page into one Strategy.

A sentence stands before the default, the block before the sentence. Where claims disagree, or a line about a setting
was refused, every word about that setting is dropped: its default stays, and the complaint says so. `safety.secrets`
alone takes the strictest value then that a line of the page asks for.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ..layers import GivenLayer
from .careful import CarefulLine
from .settings import Setting, Strategy, sections, settings

EVERYTHING = "*"  # a refusal that may concern any section
_SECRETS = "safety.secrets"


@dataclass(frozen=True, slots=True)
class Complaint:
    """A refused or doubtful line. An error left a default in force; a warning was merely not understood."""

    line: int
    severity: Literal["error", "warning"]
    text: str

    def __str__(self) -> str:
        return f"STRATEGY.md line {self.line}: {self.text}"


@dataclass(frozen=True, slots=True)
class Parsed:
    """The strategy of a page, the complaints about the page, and the lines that set something."""

    strategy: Strategy
    complaints: tuple[Complaint, ...] = ()  # errors first, then by line
    origins: Mapping[str, int] = field(default_factory=dict)  # 'pruning.max_score' -> the line that set it
    layers: tuple[GivenLayer, ...] = ()
    doubt: str = ""  # a sentence for whoever writes, where it is doubtful what the page says of secrets


class SettingClaim(NamedTuple):
    """A value for a setting, from a line of the page."""

    setting: Setting
    value: Any
    line: int
    source: Literal["sentence", "block"]


@dataclass
class Reading:
    """The claims and refusals of a page, collected until they are settled."""

    claims: list[SettingClaim] = field(default_factory=list)
    barred: set[str] = field(default_factory=set)
    complaints: list[Complaint] = field(default_factory=list)
    layers: list[GivenLayer] = field(default_factory=list)
    careful: list[CarefulLine] = field(default_factory=list)
    pruning_fault: int = 0  # the line of the first error that touches pruning
    safety_fault: int = 0  # the line of the first error that touches safety

    def claim(self, setting: Setting, value: Any, line: int, source: Literal["sentence", "block"]) -> None:
        self.claims.append(SettingClaim(setting, value, line, source))

    def refuse(self, line: int, text: str, *sections: str, barring: Iterable[Setting] = ()) -> None:
        """Record an error in a line.

        The settings in `barring` keep their defaults. An error that touches pruning, by them or `sections`, stops it.
        """
        barred = list(barring)
        self.barred |= {setting.name for setting in barred}
        touched = {*sections, *(setting.section for setting in barred)}
        if touched & {"pruning", EVERYTHING} and not self.pruning_fault:
            self.pruning_fault = line
            text += " Nothing is pruned until it is put right."
        if touched & {"safety", EVERYTHING}:
            self.safety_fault = self.safety_fault or line
        self.complaints.append(Complaint(line, "error", text))

    def warn(self, line: int, text: str) -> None:
        self.complaints.append(Complaint(line, "warning", text))

    def settled(self) -> Parsed:
        """Return the strategy that follows from all claims and refusals."""
        agreed = dict(filter(None, map(self._agreed, settings().values())))
        self._order_episodes(agreed)
        doubt = self._doubt(agreed)
        values = {name: value for name, (value, _) in agreed.items()}
        origins = {name: line for name, (_, line) in agreed.items()}
        if self.pruning_fault:
            values["pruning.enabled"] = False
            origins["pruning.enabled"] = self.pruning_fault
        complaints = sorted(self.complaints, key=lambda each: (each.severity != "error", each.line))
        return Parsed(_strategy(values), tuple(complaints), origins, tuple(self.layers), doubt)

    def _doubt(self, agreed: dict[str, tuple[Any, int]]) -> str:
        """Settle `safety.secrets` by the strictest line on secrets where nothing else has; return a doubt about it."""
        asked = max(self.careful, key=lambda each: each.value == "refuse", default=None)
        if _SECRETS in agreed or not (asked or self.safety_fault):
            return ""
        if asked is None:
            held = stays([settings()[_SECRETS]])
        else:
            agreed[_SECRETS] = asked.value, asked.line
            held = f"{_SECRETS} is '{asked.value}', as line {asked.line} seems to ask"
            text = (
                f"this line seems to ask to {asked.value} secrets, which is done; `safety: {{secrets: {asked.value}}}`"
            )
            self.refuse(asked.line, f"{text} says it in the settings block.", barring=[settings()[_SECRETS]])
        line = self.safety_fault
        return f"STRATEGY.md line {line} may be about secrets and is not understood: {held}; see `clawbrain strategy`."

    def _agreed(self, setting: Setting) -> tuple[str, tuple[Any, int]] | None:
        """Return a setting's name, the value all claims agree on and the line of the last of them.

        Without a claim, and with a complaint where they disagree, it is None.
        """
        claims = [claim for claim in self.claims if claim.setting.name == setting.name]
        if not claims or setting.name in self.barred:
            return None
        last = claims[-1]
        if setting.kind == "words" and _covered(claims):
            return setting.name, (_united(setting, claims), last.line)
        if setting.kind != "words" and all(claim.value == last.value for claim in claims):
            return setting.name, (last.value, last.line)
        told = ", ".join(f"line {claim.line} says {setting.written(claim.value)}" for claim in claims[:10])
        text = f"{setting.name} is told two things: {told}; {stays([setting])}."
        self.refuse(last.line, text, barring=[setting])
        return None

    def _order_episodes(self, agreed: dict[str, tuple[Any, int]]) -> None:
        rows = [settings()[f"consolidation.{key}"] for key in ("min_episodes", "max_episodes")]
        least, most = (agreed.get(row.name, (row.default, 0))[0] for row in rows)
        if least > most:
            lines = [agreed.pop(row.name)[1] for row in rows if row.name in agreed]
            text = f"min_episodes {least} is more than max_episodes {most}; {stays(rows)}."
            self.refuse(max(lines), text, barring=rows)


def _covered(claims: list[SettingClaim]) -> bool:
    """Tell whether the block, which replaces a list, holds every word that the sentences name."""
    blocks = [set(claim.value) for claim in claims if claim.source == "block"]
    return all(set(claim.value) <= block for claim in claims for block in blocks)


def _united(setting: Setting, claims: list[SettingClaim]) -> tuple[str, ...]:
    if claims[-1].source == "block":
        return tuple(claims[-1].value)
    return tuple(dict.fromkeys((*setting.default, *(word for claim in claims for word in claim.value))))


def _strategy(values: Mapping[str, Any]) -> Strategy:
    parts: dict[str, Any] = {}
    for section in sections():
        own = {s.key: values[s.name] for s in settings().values() if s.section == section and s.name in values}
        parts[section] = type(getattr(Strategy(), section))(**own)
    return Strategy(**parts)


def stays(targets: Iterable[Setting]) -> str:
    """Return a clause that names the defaults which stay in force."""
    named = list(dict.fromkeys(f"{setting.name} {setting.written(setting.default)}" for setting in targets))
    return f"{' and '.join(named)} {'stays' if len(named) == 1 else 'stay'} as by default"


def nearest(word: str, choices: list[str], at_least: int = 0) -> str:
    """Return the choice most like a word; "" if none is `at_least` so much alike (0 to 100)."""
    from rapidfuzz import fuzz, process  # only a page with a mistake needs it

    found = process.extractOne(word.lower(), choices, scorer=fuzz.ratio, processor=str.lower, score_cutoff=at_least)
    return str(found[0]) if found else ""
