"""The passage that answers: one line of whole words, at most 240 characters."""

import re
from collections.abc import Iterable, Iterator, Sequence

from ..words import beginnings, terms, within_word, word_pattern

SNIPPET = 240
_READ_FOR_SNIPPET = 200_000
_MARKS = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|[-*+][ \t]+|>[ \t]?|```\w*[ \t]*$)", re.MULTILINE)


def snippet(content: str, wanted: Sequence[str], most: int = SNIPPET) -> str:
    """The passage that answers: one line of whole words, at most 240 characters."""
    line = _printable(" ".join(_unmarked(content[:_READ_FOR_SNIPPET]).split()))
    if len(line) <= most:
        return line
    start = _best_start(line, frozenset(wanted), most - 2)
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


def _best_start(line: str, wanted: frozenset[str], room: int) -> int:
    """Where the window with most of the wanted words begins: with its sentence if that fits."""
    words = {*(_likely_words(line, wanted) if line.isascii() else word_pattern(line).findall(line))}
    hits = {word: found for word in words if (found := wanted.intersection(terms(word)))}
    places = sorted((at, at + len(word), word) for word in hits for at in _whole(word, line))
    best, start = 0.0, 0
    for i, (begin, _, _) in enumerate(places):
        inside = [place for place in places[i : i + 40] if place[1] <= begin + room]
        worth = len(frozenset().union(*(hits[word] for _, _, word in inside))) + 0.01 * len(inside)
        if worth > best:
            best, start = worth, _opening(line, begin, inside[-1][1] if inside else begin, room)
    return start


def _likely_words(line: str, wanted: Iterable[str]) -> Iterator[str]:
    """Those in which a wanted one may stand: to ask of every word what it is found by would take ten times as long."""
    lowered = line.lower()
    for beginning in {each for term in wanted for each in beginnings(term)}:
        at = lowered.find(beginning)
        while at >= 0:
            begin, end = line.rfind(" ", 0, at) + 1, line.find(" ", at)
            yield line[begin : end if end > 0 else None]
            at = lowered.find(beginning, end) if end > 0 else -1


def _whole(word: str, line: str) -> Iterator[int]:
    """Where a word stands, not within another one."""
    at = line.find(word)
    while at >= 0:
        end = at + len(word)
        if not (within_word(line[at - 1 : at], word[0]) or within_word(word[-1], line[end : end + 1])):
            yield at
        at = line.find(word, end)


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
