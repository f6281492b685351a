"""The outcome that a prompt begins with: praise or correction of the last answer, by closed lists of phrases.

Only the first sentence is read. It must be made of listed phrases up to a mark or its end; "Perfect storm of bugs" is
no praise. A question is nothing, and so is a praise with a "but", a "not" or the like in its sentence or right behind:
that is a half praise or irony. A correction stays one, unless a "but" follows at once.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from .phrases import LANGUAGES, Phrases

PRAISE, CORRECTION = "positive_feedback", "user_correction"
LONGEST_SENTENCE = 200  # characters that are read
LONGEST_CONTRAST = 20
_MOST_BEFORE = 3  # words like "ah", "ok" before the phrase
_SENTENCE_END = re.compile(r"[!?。…\n]+|\.+(?=\s|\Z)")
_MARK = re.compile(r"\s*(?:[.,;:!?、。…\n)—–-]|\Z)")
_DOTS = re.compile(r"\s*(?:\.\.|…)")
_REFUSALS = "no nope nah nein nee ne non nan nao neen nie нет не неа 不 不是 いいえ いや いえ"
_LEAD = " \t¡¿\"'“„«»*_"
_REST = " \n\t.,;:!)…—–-、。"
_CONTRASTS = """
but; however; except; although; though; yet; unfortunately; still; not; aber; jedoch; allerdings; leider; nur; mais;
cependant; sauf; pero; sin embargo; aunque; mas; porem; ma; tuttavia; maar; echter; helaas; ale; jednak; niestety; но;
однако; 但; 可是; 不过; でも; しかし; ただ; けど
"""
_MARKS = re.compile("[\u0300-\u036f\ufe0f]+")  # accents and the like, which comparison leaves out


class _Lists(NamedTuple):
    """The lists of one language, ready for comparison; open phrases with the words one of which must follow."""

    phrases: Phrases
    praise: frozenset[str]
    blame: frozenset[str]
    open_praise: dict[str, list[str]]
    open_blame: dict[str, list[str]]
    before: frozenset[str]
    after: frozenset[str]
    then: frozenset[str]


def outcome(prompt: str) -> tuple[str, str]:
    """Return the signal that a prompt begins with ('' when none is clear), and the rest of the prompt as written."""
    written = prompt.lstrip()
    said = comparable(written[:LONGEST_SENTENCE])
    whole = len(said) == len(written[:LONGEST_SENTENCE])
    sentence, behind, asks = _first_sentence(said)
    if asks or not sentence:
        return "", prompt
    for lists in map(_lists, LANGUAGES):
        if end := _reach(sentence, lists.blame, lists.open_blame, lists):
            if _contrasts(sentence[end:]):
                return "", prompt
            return CORRECTION, _rest(written, end) if whole else ""
    ends = [(lists, _reach(sentence, lists.praise, lists.open_praise, lists)) for lists in map(_lists, LANGUAGES)]
    ends = [(lists, end) for lists, end in ends if end]
    # "Super" is a word of many languages, so each of them may doubt it.
    if not ends or any(_is_doubtful(sentence[end:], behind, lists) for lists, end in ends):
        return "", prompt
    return PRAISE, _rest(written, max(end for _, end in ends)) if whole else ""


def comparable(text: str) -> str:
    """Return a text in the form in which phrases are compared: no capitals, no accents, straight apostrophes."""
    folded = text.casefold()
    if folded.isascii():
        return folded
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", folded.replace("’", "'")))
    return unicodedata.normalize("NFC", bare)


def _rest(written: str, end: int) -> str:
    return written[end:].lstrip(_REST)


def _first_sentence(said: str) -> tuple[str, str, bool]:
    """Return the first sentence, what is behind it, and whether it is a question."""
    start = len(said) - len(said.lstrip(_LEAD))
    found = _SENTENCE_END.search(said, start)
    if not found:
        return said, "", False
    return said[: found.start()], said[found.start() :], "?" in found[0]


def _reach(sentence: str, closed: frozenset[str], opened: dict[str, list[str]], lists: _Lists) -> int:
    """Return where a phrase at the beginning of a sentence ends, with the words around it; 0 where none stands."""
    at = len(sentence) - len(sentence.lstrip(_LEAD))
    for _ in range(_MOST_BEFORE + 1):
        if end := _phrase_end(sentence, at, closed, opened, lists):
            return end
        step = _longest(sentence, at, lists.before)
        if not step or (closed is lists.praise and sentence[at:step] in _REFUSALS.split()):
            return 0  # "no thanks" is no praise
        at = _skip(sentence, step)
    return 0


def _phrase_end(sentence: str, at: int, closed: frozenset[str], opened: dict[str, list[str]], lists: _Lists) -> int:
    """Return where a phrase ends that begins just here, 0 where none does."""
    if end := _longest(sentence, at, opened):
        rest = sentence[end:]
        if any(not ending or _holds(rest, ending) for ending in opened[sentence[at:end]]):
            return end
    end = _longest(sentence, at, closed)
    while end:
        if _MARK.match(sentence, end) or _longest(sentence, _skip(sentence, end), lists.then):
            return end
        following = _skip(sentence, end)
        end = _longest(sentence, following, closed | lists.after) or (
            len(sentence) if _longest(sentence, following, opened) else 0
        )
    return 0


def _longest(sentence: str, at: int, phrases: Iterable[str]) -> int:
    """Return where the longest of some phrases ends that begins here and ends with a word; 0 for none."""
    for end in range(len(sentence), at, -1):
        if sentence[at:end] in phrases and not within_word(sentence, end):
            return end
    return 0


def within_word(sentence: str, at: int) -> bool:
    """Tell whether a place is within a word; scripts without spaces have no such places."""
    before, here = sentence[at - 1 : at], sentence[at : at + 1]
    return before.isalnum() and (here.isalnum() or here == "'") and before < "\u2e80"


def _skip(sentence: str, at: int) -> int:
    while at < len(sentence) and sentence[at] in " ,、-–—~":
        at += 1
    return at


def _is_doubtful(rest: str, behind: str, lists: _Lists) -> bool:
    """Tell whether a praise is taken back or ironical, by the rest of its sentence and by what is behind it."""
    if _DOTS.match(behind) or _contrasts(behind) or any(_holds(rest, each) for each in split(lists.phrases.unless)):
        return True
    following = _first_sentence(behind.lstrip(_REST))[0]
    return bool(_reach(following, lists.blame, lists.open_blame, lists))


def _contrasts(text: str) -> bool:
    """Tell whether a text begins with "but" or the like."""
    start = len(text) - len(text.lstrip(_REST))
    return bool(_longest(text[: start + LONGEST_CONTRAST], start, _closed(_CONTRASTS)))


def _holds(text: str, phrase: str) -> bool:
    """Tell whether a phrase stands in a text, as whole words where its script has spaces."""
    at = text.find(phrase)
    while at >= 0:
        if not within_word(text, at) and not within_word(text, at + len(phrase)):
            return True
        at = text.find(phrase, at + 1)
    return False


@cache
def _lists(phrases: Phrases) -> _Lists:
    praise, open_praise = _closed_and_open(phrases.praise)
    blame, open_blame = _closed_and_open(phrases.blame)
    before, after, then = map(_closed, (phrases.before, phrases.after, phrases.then))
    return _Lists(phrases, praise, blame, open_praise, open_blame, before, after, then)


def _closed_and_open(phrases: str) -> tuple[frozenset[str], dict[str, list[str]]]:
    closed: list[str] = []
    opened: dict[str, list[str]] = {}
    for phrase in split(phrases):
        begun, dots, ending = phrase.partition("...")
        if dots:
            opened.setdefault(begun.strip(), []).append(ending.strip(" ,"))
        else:
            closed.append(phrase)
    return frozenset(closed), opened


@cache
def _closed(phrases: str) -> frozenset[str]:
    return frozenset(split(phrases))


def split(phrases: str) -> list[str]:
    return [phrase for each in comparable(phrases).replace("\n", " ").split(";") if (phrase := each.strip())]
