"""What a text claims, and which of its claims cannot stand beside another text's."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz

from .spelling import WEAK, stem
from .verdict import compare
from .vocabulary import DROPPED, NEGATIONS, PREPOSITIONS, REQUIRED


class Finding(NamedTuple):
    a: str
    b: str
    description: str


_FENCE = re.compile(r"^\s*(```|~~~)")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?P<text>.*)$")
_BOX = re.compile(r"\[[ xX]\]\s")
_SKIP = re.compile(r"^\s*(?:#|\||<!--|---+\s*$|===+\s*$|\*\*\*+\s*$)")
_LINK = re.compile(r"^\W*(?:\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|\w+://\S+)\W*$")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[\"'(`*]*[A-Z0-9])")


_LONGEST = 400  # characters; beyond that it is no claim, but a page without a full stop


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
            if len(claim) <= _LONGEST and not claim.endswith("?") and not _LINK.match(claim) and " " in claim:
                found.append(claim)
    return found


_WORD = re.compile(r"[^\W_]+(?:[-'.][^\W_]+)*")


@lru_cache(maxsize=8192)
def topics(claim: str) -> frozenset[str]:
    """The words by which two claims could meet at all; a quick look before the close one."""
    words = frozenset(stem(w) for w in _WORD.findall(claim.lower()) if w not in DROPPED)
    return words - WEAK - PREPOSITIONS - NEGATIONS - REQUIRED


# A note says what it has to say within this many characters; a pasted log must not cost minutes.
_COMPARED = 10_000


@lru_cache(maxsize=256)
def _kept_claims(text: str) -> tuple[str, ...]:
    return tuple(claims(text))


def _claims_of(text: str) -> tuple[str, ...]:
    return _kept_claims(text[:_COMPARED])


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
    return float(fuzz.token_set_ratio(a[:_COMPARED].lower(), b[:_COMPARED].lower())) / 100


def near_duplicate(a: str, b: str, threshold: float = 88) -> bool:
    """The same thing said twice: nearly the same words, of nearly the same number, and no contradiction."""
    shorter, longer = sorted((len(a.split()), len(b.split())))
    a, b = a[:_COMPARED], b[:_COMPARED]
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
    words = {
        w for w in _WORD.findall(text[:_COMPARED].lower()) if len(w) > 1 and w not in DROPPED and w not in PREPOSITIONS
    }
    counted = ((document_frequency(word), word) for word in words - NEGATIONS)
    return [word for _, word in sorted(pair for pair in counted if pair[0] > 0)[:most]]


_MARKUP = re.compile(r"[*_`\"“”]+|[.!]+$")
_MARKER = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+")


@lru_cache(maxsize=8192)
def claim_hash(claim: str) -> str:
    """The same for a claim however it is spaced, cased or marked up."""
    plain = unicodedata.normalize("NFKC", claim).casefold()
    words = _MARKUP.sub("", _MARKER.sub("", plain)).split()
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]
