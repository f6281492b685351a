"""The importance of a memory: as noted in its header, or computed from the words of a text that is new."""

import re

from ...memory.model import Memory
from . import sorting

USUAL = 0.5
_WEIGHTY = (
    r"(?:critical|crucial|urgent(?:ly)?|important(?:ly)?|emergency|essential|vital|severe|serious(?:ly)?|catastroph\w+"
    r"|disaster|dangerous|danger|warning|blockers?|blocking|asap|immediately|at once|top priority|high priority|p0"
    r"|sev[- ]?[01]|data loss|breach(?:ed)?|vulnerabilit(?:y|ies)|outage|allerg(?:y|ic)|deadline|mandatory|never ever"
    r"|do not forget|don't forget|must never|must not|life-threatening|irreversible)\b"
)
_URGENT = re.compile(rf"\b{_WEIGHTY}", re.IGNORECASE)
# "not at all urgent", "it isn't an important detail": nothing stands in between but words of degree
_DENIED = (
    r"(?:\b(?:not|no|nothing|none|hardly|barely|scarcely|neither|without|never)|n't)"
    r"(?: (?:a|an|any|all|at all|that|so|too|very|really|particularly|especially|terribly|exactly|yet|even))*"
    rf" {_WEIGHTY}"
)
_SLIGHT = re.compile(
    rf"{_DENIED}"
    r"|\b(?:meh|maybe|perhaps|whatever|trivial|trivia|minor|negligible|nit|nitpick|fyi|unimportant|irrelevant|boring"
    r"|someday|nice to have|low priority|no big deal|doesn't matter|does not matter|for fun|just saying|random(?:ly)?"
    r"|slightly|cosmetic|lol|haha|not (?:very |so |that |really )?relevant)\b",
    re.IGNORECASE,
)
_LOUD = re.compile(r"!!|\b[A-Z]{5,}\b[!:]?")
_READ = 20_000  # characters


def importance(memory: Memory) -> float:
    """Return the importance noted in the header, clamped to 0..1, or 0.5 when the header holds none."""
    try:
        return max(0.0, min(1.0, float(memory.extra.get("importance", USUAL))))
    except (TypeError, ValueError):
        return USUAL


def computed(text: str) -> float:
    """Return the importance of a text, 0.05 to 1, from its words: 0.5 where they say nothing of it.

    A sort (a decision, a problem …) adds 0.1, a clear one up to 0.2, urgent words up to 0.3 and loud signs 0.1; words
    that make light of it, denied urgent ones among them, take up to 0.3 away, and small talk is worth 0.1.
    """
    text = text[:_READ].replace("’", "'")
    if sorting.is_small_talk(text):
        return 0.1
    slight, rest = _distinct(_SLIGHT, text), _SLIGHT.sub(" ", text)
    urgent = _distinct(_URGENT, rest)
    raised = _raised_by(sorting.sort(rest)) + (0.1 + 0.1 * min(urgent, 2) if urgent else 0)
    raised += 0.1 if _LOUD.search(rest) else 0
    lowered = 0.1 + 0.1 * min(slight, 2) if slight else 0
    return round(max(0.05, min(1.0, USUAL + raised - lowered)), 2)


def _raised_by(sort: sorting.Sorted) -> float:
    clear = (sort.importance - sorting.LEAST) / (sorting.MOST - sorting.LEAST)
    return 0.1 + 0.1 * clear if sort.sort != sorting.FACT else 0.0


def _distinct(words: re.Pattern[str], text: str) -> int:
    return len({found[0].lower() for found in words.finditer(text)})
