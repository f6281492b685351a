"""Take the facts out of a text, add some to another, and tell which of them that one states already."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from .. import contradictions
from ..memory.markdown import BULLET, prose

TEXT_WORD = re.compile(r"[^\W_]{2,}|\d")
_TIME_BOUND = re.compile(
    r"\b(?:today|yesterday|tomorrow|tonight|right now|just now|at the moment|for now|so far|in progress|wip|tbd"
    r"|(?:this|last|next) (?:morning|afternoon|evening|night|week|weekend|month|quarter|year|sprint|\w+day)"
    r"|\w+ (?:minutes?|hours?|days?|weeks?|months?) ago"
    r"|at \d{1,2}(?::\d\d)? ?[ap]\.?m\b|at \d{1,2}:\d\d)\b",
    re.IGNORECASE,
)
_WEIGHED = re.compile(
    r"\b(?:maybe|perhaps|probably|hopefully|not sure|unsure|i (?:think|guess|suspect)|some ?day|at some point)\b",
    re.IGNORECASE,
)
_NO_FACT = re.compile(
    r"^\[[ xX]?\]|^#|[?:]$|^\W*(?:\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|<?\w+://\S+)\W*$|^\*\*[^*]+\*\*:?$"
)


def facts(content: str, skip_time_bound: bool = True) -> list[str]:
    """Return the top-level bullets that state something of their own, each on one line.

    With `skip_time_bound` those are left out that speak of a moment ("today") or only weigh something ("maybe").
    """
    found: list[str] = []
    open_ = False
    for line in prose(content.splitlines()):
        bullet = BULLET.match(line)
        if bullet and bullet["text"] and bullet["indent"] in ("", " "):
            found.append(bullet["text"].strip())
            open_ = True
        elif open_ and line.strip() and line[0].isspace() and not bullet:
            found[-1] += " " + line.strip()
        else:
            open_ = False
    stated = (fact for fact in found if len(fact.split()) > 1 and not _NO_FACT.search(fact))
    return list(dict.fromkeys(fact for fact in stated if not (skip_time_bound and _passes(fact))))


def _passes(fact: str) -> bool:
    return bool(_TIME_BOUND.search(fact) or _WEIGHED.search(fact))


def with_facts(content: str, lines: Iterable[str]) -> str:
    """Return a target's content with facts added at its end, as bullets."""
    body = content.rstrip()
    gap = "\n" if BULLET.match(body.rsplit("\n", 1)[-1]) else "\n\n"
    return body + gap + "\n".join(f"- {line}" for line in lines)


def opening(name: str) -> str:
    """Return the beginning of the content of an entity that a promotion creates."""
    return f"# {name.replace('-', ' ').capitalize()}"


class KnownClaims:
    """The claims that a text makes already, found by their rarest words."""

    def __init__(self, content: str) -> None:
        self.claims: list[str] = []
        self.marks: set[str] = set()
        self.holding: dict[str, list[int]] = defaultdict(list)
        for claim in contradictions.claims(content):
            self.add(claim)

    def add(self, claim: str) -> None:
        for word in contradictions.topics(claim):
            self.holding[word].append(len(self.claims))
        self.marks.add(contradictions.claim_hash(claim))
        self.claims.append(claim)

    def near(self, claim: str, rarest: int = 5, latest: int = 16) -> list[str]:
        """Return the claims that share one of the rarest words with a claim, of each word the latest."""
        words = sorted((len(self.holding[w]), w) for w in contradictions.topics(claim) if w in self.holding)
        places = {place for _, word in words[:rarest] for place in self.holding[word][-latest:]}
        return [self.claims[place] for place in sorted(places)]

    def repeats(self, claim: str, threshold: float) -> bool:
        """Tell whether nothing is lost without this claim: every word of it stands in one that is kept."""
        words = set(TEXT_WORD.findall(claim.casefold()))
        return contradictions.claim_hash(claim) in self.marks or any(
            words <= set(TEXT_WORD.findall(known.casefold())) and contradictions.near_duplicate(claim, known, threshold)
            for known in self.near(claim, 3, 10)
        )

    def knows(self, claim: str, threshold: float) -> bool:
        """Tell whether the text makes a claim already, in the same or in nearly the same words."""
        if contradictions.claim_hash(claim) in self.marks:
            return True
        return any(contradictions.near_duplicate(claim, known, threshold) for known in self.near(claim, 3, 10))


def bullets(content: str) -> Iterator[tuple[int, str]]:
    """Yield (line number, text) of every bullet outside code."""
    for at, line in enumerate(prose(content.split("\n"))):
        if (found := BULLET.match(line)) and found["text"]:
            yield at, found["text"].strip()


def followed(lines: list[str], at: int) -> bool:
    """Tell whether the next line belongs to this bullet, too: then it cannot be removed alone."""
    if at + 1 >= len(lines) or not lines[at + 1].strip():
        return False
    found = BULLET.match(lines[at + 1])
    return found is None or len(found["indent"]) > len(lines[at]) - len(lines[at].lstrip())
