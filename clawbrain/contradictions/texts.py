"""Take the claims out of texts and find those that contradict another text's; tell near-duplicates; remove a claim."""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from rapidfuzz import fuzz

from ..memory.markdown import BULLET, MARKER, place_of, prose
from .claim import TELLS_CHANGE
from .form import form_of, one_form
from .line import Subject, label_of, line_of
from .memory_subject import of_two_subjects, subject_of
from .preference import preference
from .spelling import EMPTY, WEAK, stem
from .verdict import contradicts
from .vocabulary import DROPPED, NEGATIONS, REQUIRED


class Finding(NamedTuple):
    """A claim of one text, the claim of another that contradicts it, and why."""

    a: str
    b: str
    description: str


_BOX = re.compile(r"\[[ xX]\]\s")
_SKIP = re.compile(r"^\s*(?:#|\||<!--|---+\s*$|===+\s*$|\*\*\*+\s*$)")
_LINK = re.compile(r"^\W*(?:\[[^\]]*\]\([^)]*\)|\[\[[^\]]*\]\]|\w+://\S+)\W*$")
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)\s+(?=[\"'(`*]*[A-Z0-9])")


_LONGEST = 400  # characters; beyond that it is no claim, but a page without a full stop


def _paragraphs(text: str) -> Iterator[str]:
    """Yield bullets and paragraphs, wrapped lines joined, without headings, code, tables and tasks."""
    held = ""
    for line in [*prose(text.splitlines()), ""]:
        bullet, skipped = BULLET.match(line), _SKIP.match(line)
        if held and (bullet or skipped or not line.strip() or label_of(line)[0]):
            yield held
            held = ""
        if bullet and not skipped:
            held = bullet["text"].strip()
        elif line.strip() and not skipped:
            held = f"{held} {line.strip().lstrip('> ')}".strip()


def claims(text: str) -> list[str]:
    """Return the claims of a text, one bullet or sentence each."""
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


@lru_cache(maxsize=4096)
def topics(claim: str) -> frozenset[str]:
    """Return the words by which two claims could meet at all; a quick look before the close one."""
    words = frozenset(stem(w) for w in _WORD.findall(claim.lower()) if w not in DROPPED)
    return words - EMPTY - NEGATIONS - REQUIRED


# Only so many characters of a text, and so many pairs of claims, are compared: a pasted log must not cost minutes.
_COMPARED = 10_000
_PAIRS = 4_000


_SEVERAL = re.compile(r"; |\. [A-Z]|, (?:so|while|whereas) ")


class _Stated(NamedTuple):
    """A claim with the words that tell quickly whether it could meet another."""

    claim: str
    topics: frozenset[str]
    head: frozenset[str]  # the topics of its subject
    rest: frozenset[str]  # the others
    needed: int  # how many topics of the shorter claim the other has, too
    any_subject: bool  # it names none, or several, or tells a change, which may be of another's


@lru_cache(maxsize=4096)
def _stated(claim: str) -> _Stated:
    words = topics(claim)
    if len(words) < 2:  # in 'Uses zsh' the verb counts, too
        words |= WEAK & {stem(word) for word in _WORD.findall(claim.lower())}
    head = topics(" ".join(line_of(claim).head))
    free = not head or _SEVERAL.search(claim) or TELLS_CHANGE.search(claim) or preference(claim)
    return _Stated(claim, words, head, words - head, max(-(-len(words) // 3), len(words) - 2), bool(free))


@lru_cache(maxsize=4096)
def _stated_in(text: str, one_subject: bool) -> tuple[_Stated, ...]:
    """Return the claims of a text that may contradict another's, read once for all that it will be compared with."""
    comparable = {Subject.OWN, Subject.MEMORY} if one_subject else {Subject.OWN}
    return tuple(_stated(claim) for claim in dict.fromkeys(claims(text)) if line_of(claim).whose in comparable)


def contradictions(
    new_text: str, old_text: str, *, one_subject: bool = True, names: tuple[str, str] = ("", "")
) -> list[Finding]:
    """Return every claim of the new text that cannot stand beside a claim of the old one.

    Texts have `one_subject` when both speak of the same person or thing, so that "lives in Porto" means the same one in
    both. Otherwise only claims that name their own subject are compared, and none where both texts were filled in from
    one form. Nor are lines like "The backend is …" when the memories, which have these `names`, are about two things.
    """
    new_text, old_text = new_text[:_COMPARED], old_text[:_COMPARED]
    meeting = _meeting(_stated_in(new_text, one_subject), _stated_in(old_text, one_subject))
    pairs = list(islice(meeting, _PAIRS))
    if not one_subject and pairs:
        if one_form(form_of(new_text), form_of(old_text)):
            return []
        new, old = subject_of(new_text, names[0]), subject_of(old_text, names[1])
        pairs = [(claim, other) for claim, other in pairs if not of_two_subjects(claim, new, other, old)]
    return [found for claim, other in pairs if (found := _compared(claim, other))]


def against(claim: str, others: Iterable[str]) -> list[Finding]:
    """Return the claims among others that cannot stand beside this one."""
    mine, theirs = (
        [_stated(each) for each in some if line_of(each).whose is not Subject.NONE] for some in ([claim], others)
    )
    return [found for a, b in _meeting(mine, theirs) if (found := _compared(a, b))]


def _meeting(new: Iterable[_Stated], old: Sequence[_Stated]) -> Iterator[tuple[str, str]]:
    """Yield the pairs of claims that could contradict each other: of one subject, and of much the same words."""
    for a, topics, head, rest, needed, free in new:
        for b, their_topics, their_head, their_rest, their_needed, their_free in old:
            if (
                (free or their_free or head <= their_head or their_head <= head or rest == their_rest)
                and len(topics & their_topics) >= (needed if needed < their_needed else their_needed)
                and a != b
            ):
                yield a, b


def _compared(claim: str, other: str) -> Finding | None:
    why = contradicts(claim, other)
    return Finding(claim, other, f"“{claim}” against “{other}”: {why}.") if why else None


def similarity(a: str, b: str) -> float:
    """Return how similar two texts are, from 0 to 1; case, order and repetition of words do not count."""
    return float(fuzz.token_set_ratio(a[:_COMPARED].lower(), b[:_COMPARED].lower())) / 100


@lru_cache(maxsize=4096)
def _vocabulary(text: str) -> tuple[frozenset[str], int]:
    """Return the words of a text, and how many it has with the repeated ones."""
    words = _WORD.findall(text.lower())
    return frozenset(words), len(words)


def near_duplicate(a: str, b: str, threshold: float = 88) -> bool:
    """Tell whether two texts say the same thing twice.

    They do in nearly the same words, of nearly the same number, and without a contradiction.
    """
    a, b = a[:_COMPARED], b[:_COMPARED]
    (mine, size), (theirs, other_size) = _vocabulary(a), _vocabulary(b)
    shorter, longer = sorted((size, other_size))
    if 5 * shorter < 2 * longer or 3 * len(mine & theirs) < min(len(mine), len(theirs)):
        return False
    if fuzz.token_set_ratio(a.lower(), b.lower(), score_cutoff=threshold) < threshold:
        return False
    said, told = claims(a) or [a], claims(b) or [b]
    if len(said) == len(told) == 1:
        return not contradicts(said[0], told[0])
    return not contradictions(a, b)


def without(text: str, claim: str, instead: str = "") -> str | None:
    """Return the text without a claim, or with another in its place; None when it does not make that claim.

    The whole line goes where nothing else stands on it.
    """
    place = place_of(claim, text)
    if not place:
        return None
    before, after = text[: place[0]], text[place[1] :]
    if instead:
        return before + instead + after
    line = before.rpartition("\n")[2]
    rest, _, below = after.partition("\n")
    if re.fullmatch(rf"[\s>]*(?:{MARKER})?", line) and not rest.strip():
        return before.removesuffix(line) + below
    return before + after.lstrip(" ")


_MARKUP = re.compile(r"[*_`\"“”]+|[.!]+$")
_LEADING = re.compile(rf"^\s*{MARKER}")


@lru_cache(maxsize=8192)
def claim_hash(claim: str) -> str:
    """Return a hash of a claim that is the same however it is spaced, cased or marked up."""
    plain = unicodedata.normalize("NFKC", claim).casefold()
    words = _MARKUP.sub("", _LEADING.sub("", plain)).split()
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:16]
