"""The markdown of a memory's body: lines outside code, bullets, and named sections.

A text with sections has a heading, an introduction and parts with names. People edit it as markdown; programs get every
part back as it was given. A line inside a part that looks like one of the headings has a backslash before it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping

MARKER = r"(?:[-*+]|\d{1,3}[.)])\s+"  # of a list item
BULLET = re.compile(rf"(?P<indent>\s*){MARKER}(?P<text>.*)")
_FENCE = re.compile(r"\s*(`{3,}(?!.*`)|~{3,})")  # but '```x```' is a span of code on one line


def prose(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a text; in place of each line of a code block, and of its fences, an empty one."""
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        yield "" if fence or mark else line
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""


def place_of(sentence: str, text: str) -> tuple[int, int] | None:
    """Return where a text begins and ends a sentence, however its lines are wrapped or quoted; None without it."""
    start = text.find(sentence)
    if start >= 0 and not _in_word(text[:start][-1:]) and not _in_word(text[start + len(sentence) :][:1]):
        return start, start + len(sentence)  # the usual case, without the making of a pattern
    words = r"\s+(?:>\s*)?".join(map(re.escape, sentence.split()))
    found = re.search(rf"(?<!\w){words}(?!\w)", text)
    return found.span() if found else None


def _in_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def written(title: str, first: str, sections: Mapping[str, str]) -> str:
    """Return the text of these parts; a section without text is left out."""
    parts = [f"# {one_line(title)}".rstrip(), _guarded(first, sections)]
    parts += [f"## {name}\n\n{_guarded(text, sections)}" for name, text in sections.items() if text.strip()]
    return "\n\n".join(part for part in parts if part)


def read(text: str, names: Collection[str]) -> tuple[str, dict[str, str]]:
    """Return the introduction and the sections of these names; a section that is not there is empty."""
    lines = text.split("\n")
    if lines[0].startswith("# ") or lines[0] == "#":
        lines = lines[1:]
    here = ""
    found: dict[str, list[str]] = {name: [] for name in ("", *names)}
    for line in lines:
        name = line[3:].strip() if line.startswith("## ") else ""
        if name in names and not found[name]:
            here = name
        else:
            found[here].append(_unguarded(line, names))
    texts = {name: "\n".join(lines).strip("\n") for name, lines in found.items()}
    return texts.pop(""), texts


def bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {one_line(item)}" for item in items)


def items(text: str) -> list[str]:
    """Return the texts of the bullets that begin at the margin of a text."""
    return [line[2:] for line in text.split("\n") if line.startswith("- ")]


def one_line(text: str) -> str:
    return " ".join(text.split())


def _guarded(text: str, names: Collection[str]) -> str:
    return _pattern(names).sub(r"\\\g<0>", text) if names else text


def _unguarded(line: str, names: Collection[str]) -> str:
    return line[1:] if line.startswith("\\") and names and _pattern(names).match(line[1:]) else line


def _pattern(names: Collection[str]) -> re.Pattern[str]:
    return re.compile(rf"^\\*## +(?:{'|'.join(map(re.escape, names))})[ \t]*$", re.MULTILINE)
