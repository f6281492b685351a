"""The passage that answers: one line of whole words, at most 240 characters."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain

from ..words import JOINED, beginnings, is_unspaced, terms_of, whole, word_pattern

SNIPPET = 240
MANY = 0.02  # signs beyond ASCII, of all: then every word is read
DENSE = 40  # more of the same words say no more
Place = tuple[int, int, frozenset[str]]
_READ_FOR_SNIPPET = 200_000
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_MARKS = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+|>[ \t]?|```\w*[ \t]*$)", re.MULTILINE)


def snippet(content: str, wanted: Iterable[str], instead: Iterable[str] = (), most: int = SNIPPET) -> str:
    """The passage with most of the wanted words or, where none of them stands, of those followed instead."""
    line = _printable(" ".join(_unmarked(content[:_READ_FOR_SNIPPET]).split()))
    if len(line) <= most:
        return line
    asked, followed = frozenset(wanted), frozenset(instead)
    places = _places(line, asked) or _places(line, followed) or _joined_places(line, asked | followed)
    start = _best_start(line, places, most - 2)
    return _cut(line, start, most)


def _unmarked(text: str) -> str:
    """Without what markdown puts before a line: a heading becomes 'Heading:', list items are kept apart by ';'."""
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
    return line if line.isprintable() else " ".join("".join(c if c.isprintable() else " " for c in line).split())


def _best_start(line: str, places: Sequence[Place], room: int) -> int:
    """Where the window with most of the wanted words begins: with its sentence if that fits."""
    best, start, after = 0.0, 0, 0
    inside: dict[str, int] = {}
    for first, (begin, _, held) in enumerate(places):
        while after < len(places) and (after == first or places[after][1] <= begin + room):
            for term in places[after][2]:
                inside[term] = inside.get(term, 0) + 1
            after += 1
        worth = len(inside) + 0.01 * min(after - first, DENSE)
        if worth > best:
            best, start = worth, _opening(line, begin, places[after - 1][1], room)
        for term in held:
            inside[term] -= 1
            if not inside[term]:
                del inside[term]
    return start


def _places(line: str, wanted: frozenset[str]) -> list[Place]:
    """From where to where words stand that are found by wanted ones, and by which."""
    hits, places, words_of = _Hits(wanted), [], word_pattern(line).finditer
    for found in chain.from_iterable(words_of(line, *span) for span in sorted(_likely_spans(line, wanted))):
        word, (begin, end) = found[0], found.span()
        if len(word) > 2 and hits[word] and is_unspaced(word):
            pairs = ((at, hits[line[at : at + 2]]) for at in range(begin, end - 1))
            places += [(at, at + 2, held) for at, held in pairs if held]
        elif hits[word]:
            places.append((begin, end, hits[word]))
    return places


def _joined_places(line: str, wanted: frozenset[str]) -> list[Place]:
    """Where words stand that are joined in the text and were asked for as one: E-4012 by E4012."""
    return [(*found.span(), frozenset([one])) for found in JOINED.finditer(line) if (one := whole(found[0])) in wanted]


class _Hits(dict[str, frozenset[str]]):
    """By which of the wanted words each word is found."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted

    def __missing__(self, word: str) -> frozenset[str]:
        found = self[word] = self._wanted.intersection(terms_of(word))
        return found


def _likely_spans(line: str, wanted: Iterable[str]) -> set[tuple[int, int]]:
    """From space to space, where a wanted word may stand: to ask every word what it is found by would take longer."""
    lowered, others = line.lower(), len(line.encode(errors="replace")) - len(line)
    if others > MANY * len(line) or len(lowered) != len(line):  # or a letter became two
        return {(0, len(line))}
    finds = [partial(lowered.find, each) for each in {each for term in wanted if term for each in beginnings(term)}]
    if others:
        finds.append(partial(_beyond_ascii, line))  # with accents, or in another script
    return {span for find in finds for span in _spans(line, find)}


def _beyond_ascii(line: str, start: int) -> int:
    found = _BEYOND_ASCII.search(line, start)
    return found.start() if found else -1


def _spans(line: str, find: Callable[[int], int]) -> Iterator[tuple[int, int]]:
    """From space to space around each place found."""
    at = find(0)
    while at >= 0:
        end = line.find(" ", at)
        end = end if end > 0 else len(line)
        yield line.rfind(" ", 0, at) + 1, end
        at = find(end)


def _opening(line: str, begin: int, last: int, room: int) -> int:
    earliest = max(0, last - room)
    sentence = max(line.rfind(mark, earliest, begin) for mark in (". ", "! ", "? ", "; ", "。", " - ", " # "))
    if sentence >= earliest:
        return sentence + 1
    return 0 if earliest == 0 else max(earliest, begin - room // 4)


def _cut(line: str, start: int, most: int) -> str:
    """At most so many characters from about `start`, beginning and ending with whole words."""
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
