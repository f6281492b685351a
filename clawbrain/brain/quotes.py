"""Find what quotes a memory in texts that are no memories, and take it out of them."""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from .. import redaction
from ..memory.model import kebab

INSTEAD = "[purged]"
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
_MARKS = " \t-*+#>|"  # of markdown, at the beginning of a line
_STOPS = " \t.!?;:,。！？|"
_LEAST, _LEAST_UNSPACED, _LEAST_OF_ALL = 12, 6, 4  # characters of a piece; of one not in ASCII; of a text that is one
_EMPHASIS = re.compile(r"[*`]+")
_WORD = re.compile(r"\w+")
_GAP = re.compile(r"\\+[nrt]|\s+")  # also as JSON writes it


class Quotes:
    """The pieces of some texts (lines and sentences) by which a quotation is found, and ids that name a memory."""

    def __init__(self, ids: Iterable[str], texts: Iterable[str]) -> None:
        self._ids = [re.compile(rf"(?<![\w-]){re.escape(id)}(?![\w-])") for id in ids if kebab(id)]
        # By their first two words: the pieces as they are compared, and as they are.
        self._by_words: dict[tuple[str, ...], dict[str, str]] = {}
        for piece in dict.fromkeys(piece for text in texts for piece in _both(text)):
            folded = _folded(piece)
            self._by_words.setdefault(tuple(_WORD.findall(folded)[:2]), {})[folded] = piece
        self._alone = {key for key in self._by_words if len(key) < 2}  # in scripts without spaces

    def names_or_quotes(self, text: str) -> bool:
        """Tell whether a text, which may be JSON, names one of the ids or quotes a piece."""
        return any(id.search(text) for id in self._ids) or bool(self.quoted(text))

    def quoted(self, text: str) -> list[str]:
        """Return the pieces that a text quotes, in a time that grows with the text, however many pieces there are."""
        folded = _folded(text)
        begun = self._by_words.keys() & {*pairwise(_WORD.findall(folded))}
        return [piece for key in begun | self._alone for like, piece in self._by_words[key].items() if like in folded]


def without(pieces: Iterable[str], text: str) -> str:
    """Return a text without the pieces that it quotes, in whatever case and broken into whatever lines."""
    for piece in sorted(pieces, key=len, reverse=True):
        text = _pattern(piece).sub(INSTEAD, text)
    return text


def _both(text: str) -> Iterator[str]:
    """Yield the pieces of a text as it is and as it is kept where secrets are redacted."""
    yield from _pieces(text)
    yield from _pieces(redaction.redacted(text))


def _pieces(text: str) -> Iterator[str]:
    """Yield the lines and the sentences of a text that are long enough to tell; of a text of a few words the whole.

    Headings are left out: many texts share them.
    """
    whole = _EMPHASIS.sub("", text).strip(_MARKS + _STOPS + "\n")
    if " " in whole and len(whole) >= _LEAST_OF_ALL and "\n" not in whole:
        yield whole
    for line in (line for line in text.splitlines() if not line.startswith("#")):
        for part in (line, *_SENTENCE_END.split(line)):
            piece = _EMPHASIS.sub("", part).lstrip(_MARKS).rstrip(_STOPS)
            if len(piece) >= (_LEAST if piece.isascii() else _LEAST_UNSPACED):
                yield piece


def _folded(text: str) -> str:
    """Return a text in small letters with single spaces and no emphasis, the same whether it stands in JSON or not."""
    return _GAP.sub(" ", _EMPHASIS.sub("", text)).replace("\\", "").casefold()


def _pattern(piece: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if piece[0].isascii() and piece[0].isalnum() else ""
    after = r"(?!\w)" if piece[-1].isascii() and piece[-1].isalnum() else ""
    return re.compile(before + r"[*`]*\s+[*`]*".join(map(re.escape, piece.split())) + after, re.IGNORECASE)
