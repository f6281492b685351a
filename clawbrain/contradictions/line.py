"""Take a line apart at its verb: whose claim it is, its own subject's, its memory's or nobody's.

"The API server listens on port 8080" names its subject, so it holds wherever it is written. "She lives in Porto" and
"Uses zsh" speak of whoever the memory is about. "Area: billing", "Room 12", "Settled 2025-11-04 with Juri" and "The fix
was deployed at 10:14" are data: fields, fragments and single occasions, which no other line can contradict.
"""

import re
from collections.abc import Collection, Sequence
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from .preference import preference
from .spelling import IMPERATIVES, VERBS, stem
from .vocabulary import ADJECTIVES, MONTHS, ORIGINS, OWNERS, PAST, PREPOSITIONS, words


class Subject(Enum):
    """The answer to whose claim a line is."""

    OWN = "own"  # the line names it
    MEMORY = "memory"  # it is left out, or only pointed at
    NONE = "none"  # the line is no statement


_WORD = re.compile(r"[^\s,;!?()\[\]\"“”*`]+")
_LABEL = re.compile(r"^(?P<label>[^:=|]{1,40}?)\s*(?::(?!//)|=|->|→|\|)\s+(?P<rest>.*)$", re.DOTALL)
_AUXILIARIES = words(
    "is are was were be has have had do does did will would can cannot may might must should shall needs "
    "isn't aren't wasn't weren't hasn't haven't don't doesn't didn't won't can't mustn't shouldn't needn't"
)
_PAST_AUXILIARIES = words("was were had did wasn't weren't didn't")
_POINTING = words("it he she they this that these those there here its his her their him them which who what")
_RELATIVE = words("that which who whom whose where")
_DETERMINERS = words("the our my your a an all every each any no some both only most")
_JOINED = words("with of from")
_ARTICLES = words("the a an all your")
_ORDERS = words("never always don't please avoid")
_NO_VERBS = PREPOSITIONS | _DETERMINERS | _POINTING | ADJECTIVES | words("and or but not")
_NO_ORDERS = PREPOSITIONS | PAST | _DETERMINERS | _AUXILIARIES  # before an article: 'In the morning', 'Only the'
_ADVERBS = words(  # stand between a subject and its verb
    "never always usually often rarely seldom sometimes generally normally typically mostly still also now currently "
    "already"
)
_OFTEN = _ADVERBS - words("still also now currently already")  # stand beside a verb, and hardly anywhere else
_NO_LONGER = ("no", "longer")
_SPEAKERS = words("we i you people everyone everybody anyone nobody team")
_OURSELVES = words("we i you")
NOT_NAMES = _POINTING | _DETERMINERS | _SPEAKERS  # at the beginning of a sentence
_PLURALS = words("people children men women staff police")
_CONTRACTED = re.compile(r"\b(i|we|you|they)['’](?:ve|re|m|ll|d)\b", re.IGNORECASE)
_DECIDED = words("decided agreed chose chosen adopted picked selected settled standardized standardised opted")
_IT_WAS_DECIDED = re.compile(r"it (?:was|is|has been) (?:decided|agreed)\b")
_FOR_ONCE = re.compile(  # what was decided for a day or a sum says nothing of the next time
    r"\d{4}-\d\d|[€$£]|\b(?:euros?|dollars?|pounds?|again|next|today|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    rf"|{'|'.join(month for month in MONTHS if month != 'may')})\b|\b(?:in|to|until|by|of) may\b"
)
_CHANGE = re.compile(  # what was changed stays so, though it is told in the past
    r"\b(?:switched|moved|migrated|changed|converted|transitioned|upgraded|renamed|relocated|replaced|swapped|substituted"
    r"|superseded|dropped|retired|discontinued|decommissioned|deprecated|abandoned|removed|demolished|shut down|stopped"
    r"|left|no longer)\b"
)
_FURTHEST = 16  # words before the verb


def label_of(line: str) -> tuple[str, str]:
    """Return a line's field name and the rest of it; the name is "" when the line does not begin with one."""
    plain = re.sub(r"\*\*|__|`", "", line).strip().strip("|").strip()
    found = _LABEL.match(plain)
    if not found or found["label"].count(" ") > 6:
        return "", plain
    return found["label"].strip(), found["rest"].strip()


class Line(NamedTuple):
    """A line, told apart into what it speaks of and what it says of it."""

    whose: Subject
    head: tuple[str, ...]  # the words of the subject that the line names
    part: tuple[str, ...] = ()  # 'backend' of 'The backend is …', which leaves open of what
    ours: bool = False  # 'we', 'the team': who says it is told, and not of what


_DATA = Line(Subject.NONE, ())


@lru_cache(maxsize=4096)
def line_of(claim: str) -> Line:
    """Return a claim told apart at its verb."""
    words_said, small = spoken(claim)
    if len(words_said) < 2:
        return _DATA
    if _is_order(small):
        return Line(Subject.OWN, (), ours=preference(claim) is not None)
    said, lower, verb = parted(words_said, small)
    if verb == len(said):
        return _preferred(claim, small[0])
    ours = lower[0] in ("we", "our") or "team" in lower[:verb] or "our" in lower[verb : verb + 2]
    if _is_decision(lower, verb):
        return Line(Subject.OWN, (), ours=ours or lower[0] == "it")
    if _is_occasion(lower, verb, claim):
        return _DATA
    if not verb or lower[0] in _POINTING:
        return Line(Subject.MEMORY, ())
    return Line(Subject.OWN, tuple(lower[:verb]), _part(said[:verb]), ours)


def _preferred(claim: str, first: str) -> Line:
    """Return a line without a verb that is known: "Stick to npm, not pnpm" speaks for itself, "npm, not pnpm" does not.

    A field or a number ("Status: open, not closed", "Room 12, not 14") is data all the same.
    """
    wish = preference(claim)
    if wish and (wish.wished or stem(first) in IMPERATIVES):
        return Line(Subject.OWN, (), ours=True)
    data = not wish or label_of(claim)[0] or any(char.isdigit() for char in claim)
    return _DATA if data else Line(Subject.MEMORY, ())


def spoken(claim: str) -> tuple[list[str], list[str]]:
    """Return the words of a claim, and the same in small letters; the name of a field before it is left out."""
    said = _WORD.findall(_CONTRACTED.sub(r"\1 have", label_of(claim)[1].rstrip(".!")))
    return said, [word.lower().replace("’", "'").rstrip(".:") for word in said]


def parted(said: Sequence[str], lower: Sequence[str]) -> tuple[Sequence[str], Sequence[str], int]:
    """Return the words and the small letters of a claim without adverbs, and the place of its verb.

    Of a fragment, which has no verb, that is the place after the last word.
    """
    kept: list[int] = []
    expected = set()  # places where an adverb lets a verb be expected
    for at, word in enumerate(lower):
        if tuple(lower[at : at + 2]) == _NO_LONGER or word in _OFTEN:
            expected.add(len(kept))
        elif word not in _ADVERBS and tuple(lower[max(0, at - 1) : at + 1]) != _NO_LONGER:
            kept.append(at)
    said, lower = [said[at] for at in kept], [lower[at] for at in kept]
    return said, lower, _verb(said, lower, expected - {0})


def _part(head: Sequence[str]) -> tuple[str, ...]:
    """Return the plain nouns after 'the', unless the head says more: of 'The API of Apollo' none."""
    nouns = tuple(head[1:])
    plain = all(word.replace("-", "").isalpha() and word.islower() and word not in PREPOSITIONS for word in nouns)
    known = nouns[-1:] in (("user",), ("team",))  # the people whose notes these are
    return nouns if head[0].lower() in ("the", "our") and plain and not known else ()


def _is_order(lower: Sequence[str]) -> bool:
    """Tell whether it is an instruction, which speaks of its own practice: 'Never …', 'Do not …', 'Use …'."""
    first, second = lower[0], lower[1]
    if first in _ORDERS or (first == "do" and second == "not"):
        return True
    if first == "no" and second != "longer" and not _verb_after(lower):
        return True
    if first.endswith(("s", "ing", "ed", "ly")) or any(char.isdigit() for char in second) or _verb_after(lower):
        return False
    known = stem(first) in IMPERATIVES and second not in _JOINED  # 'Call with Acme' is a title
    return known or (second in _ARTICLES and first not in _NO_ORDERS)


def _verb_after(lower: Sequence[str]) -> bool:
    """Tell whether the first words are the subject of a verb that follows: 'Log lines are …'."""
    return any(
        word in _AUXILIARIES or (stem(word) in VERBS and word.endswith("s") and before not in PREPOSITIONS)
        for before, word in pairwise(lower[:5])
        if before not in PREPOSITIONS
    )


def _verb(said: Sequence[str], lower: Sequence[str], expected: Collection[int]) -> int:
    """Return the place of the main verb, before which the subject lies, or the place after the last word."""
    relative = next((at for at, word in enumerate(lower[:_FURTHEST]) if at and word in _RELATIVE), _FURTHEST)
    for at, word in enumerate(lower[:_FURTHEST]):
        if word in _AUXILIARIES or _is_finite(said, lower, at, at in expected):
            if at > relative and not _AUXILIARIES.isdisjoint(lower[at + 1 : _FURTHEST]):
                continue  # the verb of 'the company that made it', not of the sentence
            return at
    return len(said)


def _is_finite(said: Sequence[str], lower: Sequence[str], at: int, expected: bool) -> bool:
    """Tell whether a word is a verb of a sentence, as far as its form and the words beside it tell."""
    word, before = lower[at], lower[at - 1] if at else ""
    if before in PREPOSITIONS or before in _DETERMINERS or before.isdigit() or not word.isalpha():
        return False
    known = stem(word) in VERBS
    third = word.endswith("s") and not word.endswith(("ss", "us"))
    past = word in PAST or (word.endswith("ed") and len(word) > 3)
    if at == 0:
        plural = len(lower) > 1 and stem(lower[1]) in VERBS  # 'Tests run …'
        return past or (known and third and not plural and not _verb_after(lower))
    if past or (known and third) or _is_bare_verb(said, lower, at, expected):
        return True
    return third and at >= 2 and lower[0] in _DETERMINERS and said[at][0].islower() and at + 1 < len(said)


def _is_bare_verb(said: Sequence[str], lower: Sequence[str], at: int, expected: bool) -> bool:
    """Tell whether it is a verb without an ending: after 'never', after 'we', after a plural noun."""
    word, before = lower[at], lower[at - 1]
    if word in _NO_VERBS or not said[at][0].islower() or word.endswith("ing"):
        return False
    if expected or (at == 1 and before in _OURSELVES):
        return True
    if before in _SPEAKERS or before in _PLURALS:
        return stem(word) in VERBS or stem(word) in IMPERATIVES
    if not before.endswith("s") or before in _POINTING:
        return False
    told = at + 1 < len(lower) and not any(char.isdigit() for char in lower[at + 1])  # 'Docs build 881' is a title
    return stem(word) in VERBS or (told and stem(word) in IMPERATIVES)


def _is_decision(lower: Sequence[str], verb: int) -> bool:
    """Tell whether it tells a decision of those who keep the notes, which holds until they decide otherwise."""
    said = " ".join(lower)
    if _FOR_ONCE.search(said):
        return False
    after = lower[verb + 1] if verb + 1 < len(lower) else ""
    decided = lower[verb] in _DECIDED or (lower[verb] in ("have", "has") and after in _DECIDED)
    ours = verb > 0 and (lower[verb - 1] in _OURSELVES or lower[verb - 1] in OWNERS)
    return (decided and ours) or bool(_IT_WAS_DECIDED.match(said))


def _is_occasion(lower: Sequence[str], verb: int, claim: str) -> bool:
    """Tell whether it tells what happened once: there may have been many such occasions."""
    word = lower[verb]
    past = word in _PAST_AUXILIARIES or word in PAST or (word.endswith("ed") and word not in _AUXILIARIES)
    return past and ORIGINS.isdisjoint(lower) and not _CHANGE.search(claim.lower())
