"""A person's own sentences in what they typed: without code, logs, quotations, pasted lines and questions."""

import re
from collections.abc import Iterator
from functools import cache

LONGEST_READ = 4_000  # characters; what is longer is mostly pasted
SHORTEST, LONGEST = 8, 300  # characters of a sentence
_SHORTEST_UNSPACED = 6

_FENCE = r"(?s)```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)"
_BLOCK = r"(?s)<([a-zA-Z][\w-]*)[^>]*>.*?</\1>"
_PASTED = (
    r"\s*(?:>|\||\$ |# |\+\+\+|---|@@|Traceback\b|File \"|at [\w.$]+\(|\[?\d{4}-\d\d-\d\d[T \]]|\d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\b|npm (?:WARN|ERR)|\w*(?:Error|Exception): )"
)
_BULLET = r"\s*(?:[-*•]|\d+[.)])\s+"
_QUOTED = r"\"[^\"\n]{12,}\"|“[^”\n]{12,}”|„[^“”\n]{12,}[“”]|«[^»\n]{12,}»|「[^」\n]{4,}」"
_END = r"(?<=[.!?])(?<!\b[A-Za-z]\.)(?<!\bMr\.)(?<!\bMs\.)(?<!\bDr\.)(?<!\bMrs\.)(?<!\bvs\.)\s+|(?<=[。！？])|\n"
_QUESTION = r"[?？]\W*\Z"
_UNSPACED = r"[\u3040-\u30ff\u4e00-\u9fff]"


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text that are a person's own statements, as they were written."""
    text = _pattern(_BLOCK).sub("\n", _pattern(_FENCE).sub("\n", text[:LONGEST_READ])).replace("\u2019", "'")
    for line in text.splitlines():
        if not line.strip() or _pattern(_PASTED).match(line) or line.startswith(("    ", "\t")):
            continue
        for sentence in _pattern(_END).split(_pattern(_BULLET).sub("", line, count=1)):
            said = sentence.strip()
            if not _pattern(_QUESTION).search(said) and not _pattern(_QUOTED).search(said) and _is_of_length(said):
                yield said


def _is_of_length(sentence: str) -> bool:
    least = _SHORTEST_UNSPACED if _pattern(_UNSPACED).search(sentence) else SHORTEST
    return least <= len(sentence) <= LONGEST


@cache  # made only when needed: most prompts hold nothing that could be lasting
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)
