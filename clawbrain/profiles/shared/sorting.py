"""Sorting: guesses the sort and the importance of a text from its words, for callers who give neither."""

import re
from typing import NamedTuple

FACT = "fact"
LEAST, MOST = 3.0, 5.0  # importance

_MARKS = {
    "decision": r"\bdecid(?:e[ds]?|ing)\b|\bdecisions?\b|\bwe (?:chose|picked|settled on|agreed)\b|\bchose\b"
    r"|\bgo(?:ing)? with\b|\bwent with\b|\binstead of\b|\brather than\b|\btrade-?offs?\b|\badopt(?:ed|ing)?\b"
    r"|\bin favou?r of\b|\bruled out\b",
    "preference": r"\bprefer(?:s|red|ence|ences)?\b|\balways\b|\bnever\b|\bfavou?rites?\b|\b(?:dis)?likes?\b|\bhates?\b"
    r"|\brather not\b|\bplease (?:use|do|don't)\b|\bmy (?:style|rule|convention)\b|\bstick to\b",
    "milestone": r"\b(?:shipped|launched|released|completed|finished|achieved|merged|deployed)\b|\bmilestones?\b"
    r"|\bgot it working\b|\b(?:it|that) works\b|\bbreakthrough\b|\bfinally\b|\bfor the first time\b|\bgo-?live\b"
    r"|\b(?:fixed|solved)\b|\bwent live\b",
    "problem": r"\bbugs?\b|\berrors?\b|\bfail(?:s|ed|ing|ures?)?\b|\bcrash(?:es|ed|ing)?\b|\bbroken?\b|\bbreaks\b"
    r"|\bissues?\b|\bproblems?\b|\boutages?\b|\bregressions?\b|\broot cause\b|\b(?:does|did|do)(?:n't| not) work\b"
    r"|\bstuck\b|\btime-?outs?\b|\bleak(?:s|ed|ing)?\b",
    "emotional": r"\b(?:i'm|i am|i was|i feel|i felt|feeling|feels)\b.{0,30}\b(?:happy|sad|proud|afraid|scared|angry"
    r"|tired|excited|anxious|lonely|grateful|worried|frustrated|upset|hurt|ashamed|relieved)\b|\b(?:happy|sad|proud|afraid|"
    r"scared|angry|excited|anxious|lonely|grateful|frustrated|overwhelmed|heartbroken|joy|grief)\b|\bi love\b"
    r"|\bi miss\b|\bcr(?:y|ied|ying)\b",
    "task": r"\bto-?do\b|\bfollow[ -]?up\b|\b(?:need|needs|have|has) to\b|\bremember to\b|\bmust be done\b|\bdeadline\b"
    r"|\bdue (?:on|by|date)\b|\bby (?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\bnext steps?\b|^\s*[-*] \[ \]",
}
_PATTERNS = {sort: re.compile(marks, re.IGNORECASE | re.MULTILINE) for sort, marks in _MARKS.items()}
_READ = 20_000  # characters

SMALL_WORDS = frozenset(
    re.findall(
        r"\w+",
        """hi hello hey hiya yo morning evening afternoon night good bye goodbye cheers welcome thanks thank thx ty you
        your very so much many a lot the it that there all is are im i am me my how whats up doing day nice have great
        cool fine awesome perfect lovely sweet wow haha hahaha lol ok okay k sure yes yeah yep yup no nope alright
        please sorry problem worries got see later soon sounds looks well and too again for help hmm hm oh ah youre""",
    )
)
_MOST_SMALL = 8  # words


class Sorted(NamedTuple):
    """The sort of a text and its importance."""

    sort: str
    importance: float  # 3 to 5


def sort(text: str) -> Sorted:
    """Return the sort with the most different marks in the text (of equals the first listed) and an importance."""
    text = text[:_READ].replace("’", "'")
    marks = {sort: len({mark[0].lower() for mark in found.finditer(text)}) for sort, found in _PATTERNS.items()}
    best = max(marks, key=lambda sort: marks[sort])
    if not marks[best]:
        return Sorted(FACT, LEAST)
    sure = min(1.0, 0.4 + 0.2 * marks[best])
    return Sorted(best, max(LEAST, round(sure * MOST, 2)))


def is_small_talk(text: str) -> bool:
    """Tell whether a text is only greetings and thanks, or holds no word at all."""
    words = re.findall(r"\w+", text.casefold().replace("'", "").replace("’", ""))
    return not words or (len(words) <= _MOST_SMALL and all(word in SMALL_WORDS for word in words))
