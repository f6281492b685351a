"""Cutting the passage that answers a question: one line of whole words, at most 240 characters."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain

from ..words import JOINED, beginnings, is_unspaced, terms_of, whole, word_pattern

SNIPPET = 240
MANY = 0.02  # signs beyond ASCII, of all: then every word is read
DENSE = 40  # more of the same words say no more
Occurrence = tuple[int, int, frozenset[str]]
_READ_FOR_SNIPPET = 200_000
_JOINERS = "\u200c\u200d"  # within words of some languages, and emoji
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_MARKS = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+|>[ \t]?|```\w*[ \t]*$)", re.MULTILINE)


class Sought(dict[str, frozenset[str]]):
    """Terms that are looked for, and as a dictionary the terms by which each word of a text is found, once asked."""

    def __init__(self, terms: Iterable[str] = ()) -> None:
        self.terms = frozenset(terms)

    def __missing__(self, word: str) -> frozenset[str]:
        found = self[word] = self.terms.intersection(terms_of(word))
        return found

    @cached_property
    def beginnings(self) -> set[str]:
        """Return the beginnings of all words that may be found."""
        return {each for term in self.terms if term for each in beginnings(term)}


def snippet(content: str, sought: Sought, instead: Sought, most: int = SNIPPET) -> str:
    """Return the passage with most of the words that are sought or, where none of them stands, of those instead."""
    line = _printable(" ".join(_unmarked(content[:_READ_FOR_SNIPPET]).split()))
    if len(line) <= most:
        return line
    places = _places(line, sought) or _places(line, instead) or _joined_places(line, sought.terms | instead.terms)
    start = _best_start(line, places, most - 2)
    return _cut(line, start, most)


def _unmarked(text: str) -> str:
    """Return a text without markdown's marks: a heading becomes 'Heading:', list items are kept apart by ';'.

    A link `[[name|label]]` becomes its label or, without one, its name.
    """
    if "[[" in text:
        from ..memory.wikilinks import rewritten  # few texts have links, and a hook should start quickly

        text = rewritten(text, lambda link: link.label or link.target)
    if not _MARKS.search(text):
        return text
    lines = []
    for line in text.splitlines():
        mark = _MARKS.match(line)
        rest = line[mark.end() :].rstrip() if mark else line
        ending = "" if not mark or not rest[-1:].isalnum() else ":" if "#" in mark[0] else ";"
        lines.append(rest + ending)
    return " ".join(lines).rstrip(":; ")


def _printable(line: str) -> str:
    if line.isprintable():
        return line
    return " ".join("".join(c if c.isprintable() or c in _JOINERS else " " for c in line).split())


def _best_start(line: str, places: Sequence[Occurrence], room: int) -> int:
    """Return the beginning of the window that holds most of the words: that of its sentence, if it fits."""
    best, after, window = 0.0, 0, (0, 0)
    inside: dict[str, int] = {}
    for first, (begin, _, held) in enumerate(places):
        while after < len(places) and (after == first or places[after][1] <= begin + room):
            for term in places[after][2]:
                inside[term] = inside.get(term, 0) + 1
            after += 1
        worth = len(inside) + 0.01 * min(after - first, DENSE)
        if worth > best:
            best, window = worth, (begin, _last_needed(places[first:after]))
        for term in held:
            inside[term] -= 1
            if not inside[term]:
                del inside[term]
    return _opening(line, *window, room) if places else 0


def _last_needed(places: Sequence[Occurrence]) -> int:
    """Return the end of the last word that adds a term: a repetition must not push the sentence's beginning out."""
    end, seen = 0, frozenset[str]()
    for _, after, held in places:
        if not held <= seen:
            end, seen = after, seen | held
    return end


def _places(line: str, sought: Sought) -> list[Occurrence]:
    """Return the places of the words that are found, each with the terms it is found by."""
    places, words_of = [], word_pattern(line).finditer
    for found in chain.from_iterable(words_of(line, *span) for span in sorted(_likely_spans(line, sought.beginnings))):
        word, (begin, end) = found[0], found.span()
        if len(word) > 2 and sought[word] and is_unspaced(word):
            pairs = ((at, sought[line[at : at + 2]]) for at in range(begin, end - 1))
            places += [(at, at + 2, held) for at, held in pairs if held]
        elif sought[word]:
            places.append((begin, end, sought[word]))
    return places


def _joined_places(line: str, sought: frozenset[str]) -> list[Occurrence]:
    """Return the places of words that are joined in the text and were asked for as one: E-4012 by E4012."""
    return [(*found.span(), frozenset([one])) for found in JOINED.finditer(line) if (one := whole(found[0])) in sought]


def _likely_spans(line: str, beginnings: Iterable[str]) -> set[tuple[int, int]]:
    """Return the stretches between spaces where a word may be found; asking every word would take longer."""
    lowered, others = line.lower(), len(line.encode(errors="replace")) - len(line)
    if others > MANY * len(line) or len(lowered) != len(line):  # or a letter became two
        return {(0, len(line))}
    spans = set()
    for beginning in beginnings:
        at = lowered.find(beginning)
        while at >= 0:
            spans.add(span := _span(line, at))
            at = lowered.find(beginning, span[1])
    if others:  # with accents, or in another script
        spans |= {_span(line, found.start()) for found in _BEYOND_ASCII.finditer(line)}
    return spans


def _span(line: str, at: int) -> tuple[int, int]:
    """Return the stretch between spaces around a place."""
    end = line.find(" ", at)
    return line.rfind(" ", 0, at) + 1, end if end > 0 else len(line)


def _opening(line: str, begin: int, last: int, room: int) -> int:
    """Return where a passage that holds `begin` to `last` begins: with its sentence, if there is room for it."""
    earliest = max(0, last - room)
    sentence = max(line.rfind(mark, earliest, begin) for mark in (". ", "! ", "? ", "; ", "。", " - ", " # "))
    if sentence >= earliest:
        return sentence + 1
    return 0 if earliest == 0 else max(earliest, begin - room // 4)


def _cut(line: str, start: int, most: int) -> str:
    """Return at most so many characters from about `start`, beginning and ending with whole words."""
    if start and line[start - 1] != " " and line[start] != " ":
        space = line.find(" ", start, start + 40)
        start = space if space >= 0 else start
    while start < len(line) - 1 and line[start] == " ":
        start += 1
    lead = "…" if start else ""
    rest = line[start:]
    if len(lead) + len(rest) <= most:
        return lead + rest
    room = most - len(lead) - 1
    space = rest.rfind(" ", max(0, room - 60), room + 1)
    return lead + rest[: space if space > 0 else room].rstrip() + "…"
