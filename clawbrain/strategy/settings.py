"""The settings, one row each: default, range, meaning, and the sentences that say it.

Reading a page, its documentation and its origins all follow from these rows. In a sentence {key} is a value,
a|b are alternatives, _ is a space inside one, [x] may be left out and (x) may too but is shown, … is any
words without numbers, and what follows => is set beside.
"""

import dataclasses
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, get_args, get_origin

from ..errors import Invalid
from ..memory.model import check_word, shown

MAX_WORDS = 100
FLOORS = "pinned memories, people, and whatever is younger than 14 days"
_AGE_FLOOR = "no file can lower the floor of 14 days"


def _row(
    default: Any,
    meaning: str,
    *sentences: str,
    low: float = 0,
    high: float = 1,
    unit: str = "",
    example: Any = None,
    floor: str = "",
) -> Any:
    """Return a field with its row.

    `unit` is how sentences count it; `example` stands in for a default that would read oddly.
    """
    example = default if example is None else example
    row = (meaning, sentences, low, high, unit, example, floor)
    return field(default=default, metadata={"row": row})


@dataclass(frozen=True, slots=True)
class Consolidation:
    """Episodes that tell one story become one episode."""

    enabled: bool = _row(
        True, "Whether episodes are merged at all.", "Do_not|Don't|Never merge [episodes|anything] => enabled = false"
    )
    window_days: int = _row(
        0,
        "How many days apart two episodes may be; 0 means the same day (UTC).",
        "Merge episodes within {window_days} with > {min_tag_overlap} tag_overlap",
        high=31,
        unit="days",
        example=3,
    )
    min_tag_overlap: float = _row(
        0.5,
        "How much of their tags two episodes must share, rare tags counting more.",
        "Merge same-day|same_day episodes with > {min_tag_overlap} tag_overlap => window_days = 0",
        unit="%",
    )
    min_episodes: int = _row(
        2, "Fewer episodes than this are left alone.", "Merge at_least {min_episodes} episodes", low=2, high=50
    )
    max_episodes: int = _row(10, "No merge takes more episodes than this.", low=2, high=50)
    min_text_similarity: float = _row(
        0.2, "Episodes that share fewer tags still belong together when their texts are this alike."
    )
    credit: Literal["earned", "sum", "mean", "max"] = _row(
        "earned",
        "What a merged episode is worth: what its parts earned above or below the start, their sum, mean or best.",
        "Combined credit_score|credit|score = {credit} [of] [the] [individual|merged|all] [scores|episodes]",
    )


@dataclass(frozen=True, slots=True)
class Promotion:
    """Facts from episodes that proved useful move into entities."""

    enabled: bool = _row(
        True,
        "Whether facts are promoted at all.",
        "Never|Do_not|Don't promote [anything|facts|episodes] => enabled = false",
    )
    min_score: float = _row(
        0.7,
        "An episode's credit must be above this.",
        "Promote … when [its|the|their] credit_score|score|credit > {min_score}",
    )
    min_signals: int = _row(
        2, "So many signals must have spoken of it.", "Promote … after at_least {min_signals} signals|signal", high=1000
    )
    transfer: float = _row(
        0.5,
        "The share of its earned credit that an episode hands on with its facts.",
        "Transfer {transfer} of (the) earned credit",
        unit="%",
    )
    default_category: str = _row("projects", "Where a fact goes that no entity claims.")
    skip_time_bound: bool = _row(
        True,
        "Whether lines that are bound to a moment ('today', 'at 14:30') or only weigh something ('maybe', 'some day') "
        "stay where they are.",
        "Only promote facts that_are|which_are durable [,] [(] [not_time-bound] [observations|facts|notes] [)]"
        " => skip_time_bound = true",
    )


@dataclass(frozen=True, slots=True)
class Pruning:
    """Archive memories that nobody needed; `restore` brings them back."""

    enabled: bool = _row(
        True,
        "Whether anything is archived at all.",
        "Do_not|Don't|Never prune|archive [anything|entries|memories] => enabled = false",
        "Never prune|archive pinned entries|memories",
    )
    max_score: float = _row(
        0.2,
        "Only what is worth less than this is archived (credit, faded by disuse).",
        "Archive entries|memories with [a] credit_score|score|credit < {max_score} and [an] age > {min_age_days}",
    )
    min_age_days: int = _row(
        30, "Only what is older than this is archived.", low=14, high=3650, unit="days", floor=_AGE_FLOOR
    )
    protect_days: int = _row(
        14,
        "Whatever is younger than this stays.",
        "Never prune|archive entries|memories|anything younger_than|newer_than {protect_days}",
        low=14,
        high=3650,
        unit="days",
        floor=_AGE_FLOOR,
    )
    min_idle_days: int = _row(
        14,
        "Only what nobody looked at for so long is archived.",
        "Archive entries|memories idle (for) more_than {min_idle_days}",
        low=1,
        high=3650,
        unit="days",
    )
    max_per_run: int = _row(
        50,
        "One run archives no more than this, so that a wrong clock cannot empty the store.",
        "Archive at_most {max_per_run} entries|memories per_run|a_run|each_run",
        high=1000,
    )
    protect_categories: tuple[str, ...] = _row(
        ("people",),
        "Entities of these categories stay. People always do.",
        "Never prune|archive {protect_categories} entities",
        "Never prune|archive people => protect_categories = people",
        floor="people are protected whatever the file says, so keep `people` in the list",
    )
    protect_tags: tuple[str, ...] = _row(
        (),
        "Whatever carries one of these tags stays.",
        "Never prune|archive anything|entries|memories tagged [with] {protect_tags}",
        example=("adr", "release"),
    )


@dataclass(frozen=True, slots=True)
class Decay:
    """Memories that nobody looks at fade; credit that nobody confirms drifts to a floor."""

    entity_per_day: float = _row(
        0.002,
        "How much of its worth an unread entity loses each day, for pruning and MEMORY.md.",
        "Entities lose {entity_per_day}",
        high=0.5,
        unit="% per day",
    )
    episode_per_day: float = _row(
        0.01, "The same for an episode.", "Episodes lose {episode_per_day}", high=0.5, unit="% per day"
    )
    credit_per_day: float = _row(
        0.005, "How fast overall scores drift to the floor, and what was earned on questions to nothing.", high=0.5
    )
    credit_floor: float = _row(0.4, "Where a drifting score comes to rest.", low=0.05, high=0.95)


@dataclass(frozen=True, slots=True)
class Crediting:
    """The speed at which feedback moves credit."""

    learning_rate: float = _row(0.4, "How far one signal moves credit.", low=0.01, high=2)


@dataclass(frozen=True, slots=True)
class Contradictions:
    """Claims that cannot both be true are recorded and reported, never blocked."""

    enabled: bool = _row(True, "Whether they are looked for.")


@dataclass(frozen=True, slots=True)
class Duplicates:
    """Near-copies are mentioned when a memory is stored."""

    threshold: int = _row(88, "How alike two texts must be to count as near-copies, of 100.", low=50, high=100)


@dataclass(frozen=True, slots=True)
class Context:
    """The pages an agent is given before it asks: the briefing at the start of a session, and the page MEMORY.md."""

    briefing_bytes: int = _row(
        4096,
        "How long the briefing at the start of a session may be.",
        "Maximum|Max bytes for|in (the) briefing :|= {briefing_bytes}",
        low=512,
        high=65_536,
        unit="bytes",
    )
    announce: bool = _row(
        True,
        "Whether the person is told in one line which memories a hook handed over.",
        "Do_not|Don't|Never announce (recalled) (memories) => announce = false",
    )

    max_tokens: int = _row(
        5000,
        "How long MEMORY.md may be, a token being about four characters.",
        "Maximum|Max tokens for|in MEMORY.md :|= {max_tokens}",
        low=200,
        high=100_000,
        unit="tokens",
    )
    entities_share: float = _row(
        0.7,
        "How much of it belongs to entities; the rest is for recent episodes.",
        "(Prioritize|Prioritise|Prefer|Fill_with|Allocation|Allocate) [:] entities ( {entities_share} )",
        "(Prioritize|Prioritise|Prefer|Fill_with|Allocation|Allocate) [:] entities ( {entities_share} )"
        " [,] (over|and|then|before) (recent) episodes ( {entities_share:rest} )",
        unit="%",
    )


@dataclass(frozen=True, slots=True)
class Schedule:
    """The hours after which `compact --if-due` finds work, and whether a session's start may begin it."""

    enabled: bool = _row(True, "Whether the hook at the start of a session compacts when it is due.")
    consolidation_hours: int = _row(24, "Hours between two consolidations.", low=1, high=8760)
    pruning_hours: int = _row(168, "Hours between two prunings.", low=1, high=8760)


@dataclass(frozen=True, slots=True)
class Conversations:
    """The messages of sessions, kept beside the memories."""

    ingest: bool = _row(False, "Whether the hook at the end of an answer takes in the session's transcript.")


@dataclass(frozen=True, slots=True)
class Safety:
    """Keys and passwords that are about to be remembered."""

    secrets: Literal["warn", "redact", "refuse"] = _row("warn", "What happens to a text that holds a secret.")


@dataclass(frozen=True, slots=True)
class Strategy:
    """All settings, by section."""

    consolidation: Consolidation = Consolidation()
    promotion: Promotion = Promotion()
    pruning: Pruning = Pruning()
    decay: Decay = Decay()
    credit: Crediting = Crediting()
    contradictions: Contradictions = Contradictions()
    duplicates: Duplicates = Duplicates()
    context: Context = Context()
    schedule: Schedule = Schedule()
    conversations: Conversations = Conversations()
    safety: Safety = Safety()


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting: a row of the tables above."""

    section: str
    key: str
    kind: str  # bool, int, float, choice, word, words
    choices: tuple[str, ...]
    default: Any
    meaning: str
    sentences: tuple[str, ...]
    low: float
    high: float
    unit: str
    example: Any
    floor: str

    @property
    def name(self) -> str:
        return f"{self.section}.{self.key}"

    def spoken(self, value: Any) -> str:
        """Return a value as a sentence says it."""
        if isinstance(value, tuple):
            return ", ".join(value)
        if self.unit.startswith("%"):
            from decimal import Decimal  # takes time to import, and sessions begin with these settings

            return f"{Decimal(str(value)) * 100:.6f}".rstrip("0").rstrip(".") + self.unit
        if self.unit == "days":
            return f"{value} day{'' if value == 1 else 's'}"
        return self.written(value)

    def written(self, value: Any) -> str:
        """Return a value as the settings block writes it."""
        if isinstance(value, tuple):
            return f"[{', '.join(value)}]"
        return str(value).lower() if isinstance(value, bool) else str(value)

    @property
    def range(self) -> str:
        """Return as a phrase what the settings block takes."""
        return {
            "int": f"a whole number from {self.low} to {self.high}",
            "float": f"a number from {self.low:g} to {self.high:g}",
            "bool": "true or false",
            "choice": " or ".join(self.choices),
            "word": "a kebab-case word",
            "words": "a list of words",
        }[self.kind]


@cache
def settings() -> dict[str, Setting]:
    """Return all settings by their names."""
    rows = (
        Setting(part.name, row.name, *_kind(row.type), row.default, *row.metadata["row"])
        for part in dataclasses.fields(Strategy)
        for row in dataclasses.fields(type(getattr(Strategy(), part.name)))
    )
    return {row.name: row for row in rows}


def section_meaning(section: str) -> str:
    return type(getattr(Strategy(), section)).__doc__ or ""


def sections() -> list[str]:
    return [part.name for part in dataclasses.fields(Strategy)]


def _kind(annotation: Any) -> tuple[str, tuple[str, ...]]:
    if get_origin(annotation) is Literal:
        return "choice", get_args(annotation)
    return {bool: "bool", int: "int", float: "float", str: "word"}.get(annotation, "words"), ()


class Wrong(ValueError):
    """The error of a value; its text says as a clause what is wrong with it."""


def checked(setting: Setting, value: Any) -> Any:
    """Return a value for a setting. Raises Wrong if the setting cannot have it."""
    if setting.kind in ("int", "float") and not setting.low <= value <= setting.high:
        if setting.floor and value < setting.low:
            raise Wrong(setting.floor)
        raise Wrong(f"{shown(setting.spoken(value))} is outside {_range(setting)}")
    if setting.kind == "choice" and value not in setting.choices:
        raise Wrong(f"{shown(value)} is none of {', '.join(setting.choices)}")
    if setting.kind == "words" and (len(value) > MAX_WORDS or any(not _is_word(word) for word in value)):
        raise Wrong(f"it should be at most {MAX_WORDS} words of at most 100 characters")
    if setting.kind == "word":
        try:
            check_word(setting.key, value)
        except Invalid as invalid:
            raise Wrong(str(invalid).rstrip(".")) from None
    return value


def _range(setting: Setting) -> str:
    low, high = (int(x) if setting.kind == "int" else float(x) for x in (setting.low, setting.high))
    return f"{setting.spoken(low)} to {setting.spoken(high)}"


def _is_word(word: str) -> bool:
    return 0 < len(word) <= 100 and word == word.strip() and word.isprintable()
