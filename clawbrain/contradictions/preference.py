"""Tell whether two claims each want what the other does not: "Use pnpm, never npm" and "Use npm, never pnpm".

A preference says what shall be used and what shall not. It may say so in either order and in many words: "Never npm,
always pnpm", "npm rather than pnpm". Two of them are opposite when each says yes to what the other says no to, and all
else that they say, which is for what case, is the same.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from .spelling import TOKEN_OR_MARK, plain, stem, stems
from .vocabulary import DROPPED, OWNERS, PREPOSITIONS, REASONS, REQUIRED, words

_Phrase = tuple[str, ...]

_MAY_BE_ONE = re.compile(r"\b(?:not?|never|nor|instead|rather|over|avoids?|opposed|place)\b|n['’]t\b|\bprefer", re.I)
_HISTORY = re.compile(r"\b(?:used to|formerly|previously|in the past|back then)\b", re.I)
_AGAINST = words("not never no nor")
_CASE = words("except unless without outside until before after morning afternoon evening")  # are part of a case
_MARKS = frozenset(",;:()—–")
_WISHES = stems(words("use prefer want like choose pick take favor stick go"))
_SAY_LITTLE = DROPPED | OWNERS | REQUIRED | PREPOSITIONS | words("one ones be instead")
_DOING = words("run write call")  # 'run npm install' is about 'npm install'
_JOINS = words("and or")
_BREAKS = _MARKS | _JOINS | words("but")
_NOT_ALL = words("only just even yet always necessarily merely")  # 'not only npm' denies nothing
_REASONS = REASONS | words("so otherwise")
_POINTING = words("it they this that there")  # after a comma or a dash they begin a reason


class Preference(NamedTuple):
    """A claim as read: the words it says yes to, with all else that it says, and the things it says no to."""

    yes: _Phrase
    no: tuple[_Phrase, ...]
    wished: bool  # it says that something shall be used: "use", "prefer", "stick to"
    scoped: bool  # it says for what case


_NEITHER = Preference((), (), wished=False, scoped=False)


class Exchange(NamedTuple):
    """A thing that the first claim wants and the second rejects, and one the other way round. One may be empty."""

    first: _Phrase
    second: _Phrase
    alike: bool  # all else that they say is the same


@lru_cache(maxsize=8192)
def preference(claim: str) -> Preference | None:
    """Return a claim read as a preference, or None where it does not say both what to use and what not."""
    found = _read(claim) if _MAY_BE_ONE.search(claim) else _NEITHER
    return found if found.yes and found.no else None


def exchange(a: str, b: str) -> Exchange | None:
    """Return what two claims say the other way round, at least one of which is a preference, or None."""
    one, other = preference(a), preference(b)
    if one and other:
        return _of_two(one, other)
    if one:
        return _of_one(one, _read(b))
    found = _of_one(other, _read(a)) if other else None
    return found and Exchange(found.second, found.first, found.alike)


def same_preference(a: str, b: str) -> bool:
    """Tell whether two claims are one preference in other words."""
    one, other = preference(a), preference(b)
    return bool(one and other and one.no == other.no and sorted(one.yes) == sorted(other.yes))


def _of_two(one: Preference, other: Preference) -> Exchange | None:
    found = None
    for wanted, unwanted in product(other.no, one.no):
        mine, theirs = _without(one.yes, wanted), _without(other.yes, unwanted)
        if wanted != unwanted and mine is not None and theirs is not None:
            found = Exchange(wanted, unwanted, mine == theirs)
            if found.alike:
                break
    return found


def _of_one(one: Preference, other: Preference) -> Exchange | None:
    """Return what a preference says the other way round than a claim that says yes or no to one thing alone."""
    if other.wished and not other.no and not one.scoped and other.yes in one.no:
        return Exchange((), other.yes, alike=True)
    if not other.yes and one.yes in other.no:
        return Exchange(one.yes, (), alike=True)
    return None


@lru_cache(maxsize=8192)
def _read(claim: str) -> Preference:
    """Return what a claim says yes and no to; nothing where it tells of the past or says it in a way not known here."""
    if _HISTORY.search(claim):
        return _NEITHER
    tokens = [token.rstrip(".") for token in TOKEN_OR_MARK.findall(plain(claim))]
    reading = _Reading()
    for before, token, following in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if reading.fails_at(token, following):
            return _NEITHER
        if reading.is_over(before, token):
            break
        reading.take(before, token, following)
    if reading.pending:
        return _NEITHER  # 'npm should not be used'
    no = tuple(_thing(phrase) for phrase in reading.no if phrase)
    return Preference(tuple(reading.yes), no, reading.wished, reading.scoped)


class _Reading:
    """The reading of a claim word by word: each goes to what the claim says yes to or to what it says no to."""

    def __init__(self) -> None:
        self.yes: list[str] = []
        self.no: list[list[str]] = []
        self.against = self.wished = self.scoped = False

    @property
    def pending(self) -> bool:
        """Tell whether the thing that the claim says no to is still to come."""
        return self.against and not self.no[-1]

    def _rather(self, token: str, following: str) -> bool:
        """Tell whether what comes next is the worse one: 'over npm', 'instead of npm'."""
        return (token == "over" and self.wished) or (token == "instead" and following == "of")

    def fails_at(self, token: str, following: str) -> bool:
        """Tell whether a word shows that the claim is no plain yes and no."""
        return (
            token == "gone_"  # `spelling` writes "no longer" and its like so
            or (token == "not" and following in _NOT_ALL)
            or (self.pending and token in _BREAKS)  # 'npm is not used, but …'
            or (self.against and self._rather(token, following))  # 'Never use npm instead of …'
        )

    def is_over(self, before: str, token: str) -> bool:
        """Tell whether a reason begins, after yes and no are said."""
        said = self.yes and self.no and not self.pending
        return bool(said) and (token in _REASONS or (before in _MARKS and token in _POINTING))

    def take(self, before: str, token: str, following: str) -> None:
        """Put a word where it belongs."""
        if token in _AGAINST or self._rather(token, following):
            self.against = True
            self.no.append([])
        elif token in _JOINS and self.against:  # 'never npm or yarn', 'never npm and always pnpm'
            self.against = token == "or" or not (stem(following) in _WISHES or following in REQUIRED)
            self.no += [[]] if self.against else []
        elif stem(token) in _WISHES or token in REQUIRED:
            self.wished, self.against = True, self.pending
        elif token in _CASE and not self.pending:
            self.against = False
            self.yes.append(token)
        elif token in _BREAKS or token in PREPOSITIONS:
            self.against = self.pending
            self.scoped |= token in PREPOSITIONS and not self.pending and stem(before) not in _WISHES
        elif token not in _SAY_LITTLE:
            (self.no[-1] if self.against else self.yes).append(stem(token))


def _thing(phrase: list[str]) -> _Phrase:
    return tuple(phrase[1:] if len(phrase) > 1 and phrase[0] in _DOING else phrase)


def _without(said: _Phrase, phrase: _Phrase) -> list[str] | None:
    """Return words, sorted, without a phrase that stands among them; None where it does not."""
    return next((sorted([*said[:at], *said[at + len(phrase) :]]) for at in _places(said, phrase)), None)


def _places(said: Sequence[str], phrase: _Phrase) -> Iterator[int]:
    return (at for at in range(len(said)) if said[at : at + len(phrase)] == phrase)
