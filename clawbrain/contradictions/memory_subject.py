"""Find the subject of a memory, to which lines like "The backend is written in Go" belong.

Such a line names a part and leaves open of what: in a memory about Apollo it is Apollo's backend. "We chose React for
the frontend" is said of Apollo, too. The subject of a memory is its heading; without one the name that its first
sentence speaks of; without such a name its own.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from ..memory.markdown import BULLET
from .line import NOT_NAMES, Subject, label_of, line_of, parted, spoken
from .spelling import stem
from .vocabulary import DROPPED, NUMBERED, PREPOSITIONS, words


class MemorySubject(NamedTuple):
    """The words for what a memory is about; none when nothing tells."""

    words: frozenset[str]
    told: bool  # by the text, and not only by the memory's name


_HEADING = re.compile(r"#+\s+(?P<text>.*)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9])")
_WORD = re.compile(r"[^\W_]+")
_MARKUP = re.compile(r"\*\*|__|`")
_ANY_NAME = words("note fact memory entry old new former latest first second test draft copy")
_JOINING = words("of the and & de van von")
_LONGEST_TITLE = 6  # words
_PARTS = 3  # words in the name of a part


@lru_cache(maxsize=4096)
def subject_of(text: str, name: str) -> MemorySubject:
    """Return what a memory of this text and name is about."""
    lines = [_MARKUP.sub("", line).strip() for line in text.splitlines() if line.strip()]
    first = lines[0] if lines else ""
    if found := _HEADING.match(first):
        return MemorySubject(_telling(found["text"]), told=True)
    if not BULLET.match(first) and not label_of(first)[0]:
        if len(lines) > 1 and _is_title(first):
            return MemorySubject(_telling(first), told=True)
        sentence = _SENTENCE.split(first)[0]
        if head := _name_at_the_head(sentence):
            return MemorySubject(_telling(head), told=True)
    return MemorySubject(_of_name(name), told=False)


def of_two_subjects(claim: str, subject: MemorySubject, other: str, other_subject: MemorySubject) -> bool:
    """Tell whether two claims speak of two different things, each of its memory's subject."""
    mine, theirs = subject.words, other_subject.words
    if not mine or not theirs or mine <= theirs or theirs <= mine:
        return False
    told = subject.told and other_subject.told
    return _belongs(claim, mine, told=told) and _belongs(other, theirs, told=told)


def _belongs(claim: str, subject: frozenset[str], *, told: bool) -> bool:
    """Tell whether a claim speaks of its memory's subject without a word of it: 'The backend is …', 'We chose …'.

    Where only a name tells the subject, which may be anything, it does when its own is 'the' and one noun.
    """
    line = line_of(claim)
    if line.ours:
        return told and subject.isdisjoint(_telling(claim))
    return 0 < len(line.part) <= (_PARTS if told else 1) and subject.isdisjoint(map(stem, line.part))


def _telling(text: str) -> frozenset[str]:
    said = (word for word in _WORD.findall(text.lower()) if word not in DROPPED and word not in PREPOSITIONS)
    return frozenset(map(stem, said))


def _of_name(name: str) -> frozenset[str]:
    """Return the words of a memory's name that tell something; of 'note-12' none."""
    said = name.lower().split("-")
    numbered = not NUMBERED.isdisjoint(said)  # 'customer-12' is another than 'customer-13', 'port-12' need not be
    kept = (word for word in said if (numbered or not any(char.isdigit() for char in word)) and word not in _ANY_NAME)
    return _telling(" ".join(word for word in kept if len(word) > 1 or word.isdigit()))


def _is_title(line: str) -> bool:
    return line.count(" ") < _LONGEST_TITLE and line[-1] not in ".!?:;," and line_of(line).whose is Subject.NONE


def _name_at_the_head(sentence: str) -> str:
    """Return the proper name that a sentence has for a subject, or ""."""
    said, _, verb = parted(*spoken(sentence))
    head, rest = said[:verb], said[verb:]
    if not head or not rest:
        return ""
    first = head[0].lower()
    if first in ("the", "our"):  # with a name in it: 'The Apollo project'
        return "" if all(map(str.islower, head[1:])) else " ".join(head[1:])
    if len(head) == 1:
        singular = rest[0].endswith("s") or not first.endswith("s")  # 'Hermes uses …', but not 'Backups run …'
        return head[0] if singular and head[0][0].isupper() and first not in NOT_NAMES else ""
    named = all(word[0].isupper() or word[0].isdigit() or word in _JOINING for word in head)
    return " ".join(head) if named and first not in NOT_NAMES else ""
