"""A memory as one line: its id and its first one or two sentences that say something, quoted.

Nothing in a text can end the quotation, open a heading, a comment or a link, or reorder what is around it. Secrets
are redacted here, whatever the owner's setting says: the line leaves the store without being asked for.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

from ..memory.markdown import prose
from ..memory.model import Memory, slug
from ..prompts.deed_table import RULING
from ..redaction import redacted, redacted_word

LONGEST = 240  # characters of a sentence, and of two together
_READ = 4_000  # characters of a memory that are searched for prose
_QUOTED_FROM = 1_200  # characters of prose that are searched for the first sentences
_LONGEST_NAME = 60

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_STARTS_A_BLOCK = re.compile(r"\s*(?:[#>|]|[*+-]\s|\d{1,9}[.)]\s)")
_MARKER = re.compile(r"(?:[#>*+|=~-]+|\d{1,9}[.)]|\[[ xX]\])(?:\s+|$)")
_MARKDOWN_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|~~)(?=\S)([^*~]*\S)\1(?!\w)")
_SCHEME = re.compile(r"://(?=[\w\[])")
_STANDS_FOR = str.maketrans("<>[]`" + '"“”„‟″＂', "‹›［］'" + "'" * 7)
_STOP = re.compile(r"[.!?…][)'’]*\s+|[。！？]\s*")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|ca|approx|nr|dr|mr|mrs|ms|st|z\.b|d\.h|bzw)|\b\w)\.\s+\Z", re.I)


class BriefingLine(NamedTuple):
    """A line about a memory, or about no single one of them: then the id is ''."""

    id: str
    text: str


def line_of(memory: Memory, dated: bool = False) -> BriefingLine:
    """Return the line of a memory; `dated` puts the day on which it was made before it."""
    name = "" if memory.id.endswith(slug(memory.name)) else f" ({plain(redacted_word(memory.name), _LONGEST_NAME)})"
    said = gist(memory.content)
    day = f"{memory.created[:10]} " if dated and memory.created else ""
    quoted = f": “{said}”" if said else ""
    return BriefingLine(memory.id, f"- {day}`{_only_id(memory.id)}`{name}{quoted}\n")


def _only_id(id: str) -> str:
    """Return an id without characters that none has; a colon stands behind the name of a layer."""
    return "".join(c for c in id if c.isalnum() or c in "_.~:-" or unicodedata.category(c).startswith("M"))


def gist(content: str) -> str:
    """Return the first one or two sentences of a text that say something; a heading only if there is nothing else.

    List items that state a rule go before all else, as on a page of instructions.
    """
    text = "\n".join(prose(_COMMENT.sub("", content[:_READ]).splitlines())).lstrip()
    shown = redacted(text if len(text) <= _QUOTED_FROM else text[:_QUOTED_FROM].rsplit(None, 1)[0])  # whole words
    blocks = list(_blocks(shown))
    titles = [block for block in blocks if block.startswith("#")]
    said = [plain(block) for block in sorted(blocks, key=_states_no_rule) if block not in titles]
    telling = [text for text in said if any(map(str.isalnum, text))]
    if not telling:
        telling = [text for text in map(plain, titles) if any(map(str.isalnum, text))][:1]
    first, second = [*chain.from_iterable(map(sentences, telling[:2])), "", ""][:2]
    together = f"{first}{'' if first[-1:] in '.!?…:。！？' else ';'} {second}".rstrip("; ")
    return together if second and len(together) <= LONGEST else _cut(first or plain(shown), LONGEST)


def _states_no_rule(block: str) -> bool:
    """Tell whether a block is anything but a list item that says to use or not to use something; those go first."""
    return not block.startswith(("- ", "* ", "+ ")) or _ruling().isdisjoint(re.findall(r"\w+", block.casefold()))


@cache
def _ruling() -> frozenset[str]:
    return frozenset(RULING.split())


def _blocks(text: str) -> Iterator[str]:
    """Yield the paragraphs, list items and headings of a text, each on one line."""
    held = ""
    for line in [*text.splitlines(), ""]:
        if not line.strip() or _STARTS_A_BLOCK.match(line) or held.startswith("#"):
            if held:
                yield held
            held = line.strip()
        else:
            held = f"{held} {line.strip()}".strip()


def sentences(text: str) -> list[str]:
    """Return the sentences of a text on one line, without splitting after an abbreviation or before a small letter."""
    found, start = [], 0
    for stop in _STOP.finditer(text):
        after = text[stop.end() : stop.end() + 1]
        if after.islower() or _ABBREVIATED.search(text[start : stop.end()]):
            continue
        found.append(text[start : stop.end()].strip())
        start = stop.end()
    return [sentence for sentence in (*found, text[start:].strip()) if sentence]


def plain(text: str, longest: int = 1_200) -> str:
    """Return a text as one line, without control characters, and without markdown that a page would act on.

    What it says stays: a path keeps its underscores, and of an address only the slashes go, as nobody shall follow it.
    """
    text = text[: 5 * longest].strip()
    if not text.isprintable():
        text = "".join(map(_visible, text)).strip()
    while marker := _MARKER.match(text):
        text = text[marker.end() :]
    text = _MARKDOWN_LINK.sub(r"\1", _EMPHASIS.sub(r"\2", text))
    text = re.sub(r"\bwww\.", "", _SCHEME.sub(": ", text).replace("://", ":"), flags=re.IGNORECASE)
    text = text.translate(_STANDS_FOR)
    return _cut(" ".join(re.sub(r"&(?=#?\w+;)", "& ", text).split()), longest)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rsplit(" ", 1)[0].rstrip() + "…"


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    if kind[0] == "Z" or character in "\t\n\r\v\f\x1c\x1d\x1e\x1f\x85":
        return " "
    return "" if kind[0] == "C" else character
